"""Batches of postures on a device: verdicts, margins and regions per second, what is left undecided, and what is wrong.

Loads lie at known shares of the largest multiple that each posture holds, half of them within 5 % of it. These
multiples come from the simplex method of the CPU, so that every verdict of the device can be judged.

    python -m benchmarks gpu                            all figures, on the GPU if there is one
    python -m benchmarks.gpu --prepare questions.npz    the multiples alone, for a machine without a compiler
    python -m benchmarks.gpu --questions questions.npz --save figures.json
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import holdfast as hf
from benchmarks.measuring import Row, row
from holdfast.postures import DeviceSolver, posture_many, posture_margin
from holdfast.solvers import Status

SEED = 25
#: (name, hands, vertices of a hand; 0 for friction cones).
CASES = (
    ("4 hands x 64", 4, 64),
    ("4 hands x 250", 4, 250),
    ("4 hands x 1000", 4, 1000),
    ("8 hands x 250", 8, 250),
    ("4 feet", 4, 0),
    ("6 feet", 6, 0),
    ("8 feet", 8, 0),
)
#: Distinct postures, each asked about at many shares of its largest load.
POSTURES = 1024
#: Questions of one batch on a GPU and on the CPU.
BATCH = {"cuda": 2**20, "cpu": 2**12}
#: Verdicts, margins with gradients, regions per second on an H100 or H200, and the time of a small batch [s].
TARGETS = {"4 hands x 1000": 2e7, "feet": 1e8, "margins": 1e7, "4096 postures": 1e-3, "1e5 regions": 0.2}
REGIONS = {"cuda": 100_000, "cpu": 100}
RAYS = 16


@dataclass(frozen=True)
class Questions:
    """Postures (n, k, 4, 4), loads (n, 6), and the largest multiple of each load that is held (n,)."""

    grip: hf.Grip
    poses: np.ndarray
    loads: np.ndarray
    limits: np.ndarray


def grip_of(vertices: int) -> hf.Grip:
    """A hand with random extreme wrenches, or a foot with friction 0.6."""
    if not vertices:
        return hf.coulomb_grip(0.6)
    rows = np.random.default_rng([SEED, vertices]).normal(size=(vertices, 6))
    return hf.Grip(rows / np.linalg.norm(rows, axis=1)[:, None] * [40.0, 40.0, 60.0, 3.0, 3.0, 2.0])


def prepared(hands: int, vertices: int, count: int) -> Questions:
    """Random postures with a finite largest multiple, by the simplex method."""
    rng = np.random.default_rng([SEED, hands, vertices])
    grip, found = grip_of(vertices), []
    while len(found) < count:
        poses = np.tile(np.eye(4), (hands, 1, 1))
        turns, _ = np.linalg.qr(rng.normal(size=(hands, 3, 3)))
        poses[:, :3, :3] = turns * np.linalg.det(turns)[:, None, None]
        poses[:, :3, 3] = 0.5 * rng.normal(size=(hands, 3))
        load = rng.normal(size=6) * np.repeat([20.0, 6.0], 3)
        if not vertices:  # feet that face a body of 20 kg, and a push that grows with the factor
            normals = np.array([0, 0, 1.0]) + 0.4 * rng.normal(size=(hands, 3))
            poses[:, :3, :3] = [hf.frame_from_normal(normal) for normal in normals]
            load = np.concatenate([15.0 * rng.normal(size=2), [-200.0], 20.0 * rng.normal(size=3)])
        base = np.zeros(6) if vertices else np.array([0, 0, -200.0, 0, 0, 0])
        way = load if vertices else load - base
        if not hf.posture_equilibrium(grip, list(poses), base).holds:
            continue
        margin = posture_margin(grip, list(poses), base, way)
        if margin.status is Status.OPTIMAL and margin.value > 1e-3:
            found.append((poses, base, way, margin.value))
    poses, bases, ways, limits = (np.array(part) for part in zip(*found, strict=True))
    return Questions(grip, poses, np.stack([bases, ways], axis=1), limits)


def batch(questions: Questions, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(numbers of postures, loads, whether each is held) of a batch: half of the loads within 5 % of the border."""
    rng = np.random.default_rng(SEED)
    which = rng.integers(len(questions.limits), size=size)
    near = rng.uniform(size=size) < 0.5
    share = np.where(near, 1.0 + rng.uniform(-0.05, 0.05, size=size), rng.uniform(0.0, 2.0, size=size))
    loads = questions.loads[which, 0] + (share * questions.limits[which])[:, None] * questions.loads[which, 1]
    return which, loads, share < 1.0


def rate(call: Callable[[], Any], synchronise: Callable[[], None], repeats: int) -> float:
    """Seconds of one call, the median of several, the device waited for."""
    call()
    synchronise()
    seconds = []
    for _ in range(repeats):
        began = time.perf_counter()
        call()
        synchronise()
        seconds.append(time.perf_counter() - began)
    return float(np.median(seconds))


def measured(name: str, questions: Questions, device: str, repeats: int) -> dict[str, Any]:
    """Figures of one kind of hand."""
    import warp as wp

    kind = device.split(":")[0]
    size = BATCH[kind]
    which, loads, held = batch(questions, size)
    hands = questions.poses.shape[1]
    solver = DeviceSolver([questions.grip] * hands, device)
    poses_d = wp.array(questions.poses[which], dtype=wp.float64, device=device)
    loads_d = wp.array(loads, dtype=wp.float64, device=device)
    ways = np.random.default_rng(SEED).normal(size=(size, 6)) * np.repeat([1.0, 0.3], 3)
    ways_d = wp.array(ways, dtype=wp.float64, device=device)

    def wait() -> None:
        wp.synchronize_device(device)

    answers = solver.many(poses_d, loads_d, undecided="leave")
    codes = answers.status.numpy()
    wrong = int(((codes == 1) & ~held).sum() + ((codes == 2) & held).sum())
    figures: dict[str, Any] = {"case": name, "device": str(solver.device), "batch": size, "wrong": wrong}
    figures["undecided"] = float((codes == 0).mean())
    figures["verified"] = bool(solver.many(poses_d[:512], loads_d[:512], undecided="leave").verify())
    figures["verdicts/s"] = size / rate(lambda: solver.many(poses_d, loads_d, undecided="leave"), wait, repeats)
    few = min(4096, size)
    small = [wp.array(part[:few], dtype=wp.float64, device=device) for part in (questions.poses[which], loads)]
    figures["4096 postures [s]"] = rate(lambda: solver.many(*small, undecided="leave"), wait, repeats)
    inside = wp.array(0.5 * loads + 0.5 * questions.loads[which, 0], dtype=wp.float64, device=device)
    margins = solver.margins(poses_d, inside, ways_d, gradients=True, undecided="leave")
    figures["margins undecided"] = float((margins.status.numpy() == 0).mean())
    figures["margins/s"] = size / rate(
        lambda: solver.margins(poses_d, inside, ways_d, gradients=True, undecided="leave"), wait, repeats
    )
    count = REGIONS[kind]
    places = wp.array(questions.poses[which[:count] if count <= size else which], dtype=wp.float64, device=device)
    regions = solver.regions(places, 5.0, rays=RAYS)
    figures["regions undecided"] = float((regions.kind.numpy() == 0).mean())
    figures["regions/s"] = places.shape[0] / rate(lambda: solver.regions(places, 5.0, rays=RAYS), wait, repeats)
    return figures


def on_cpu(questions: Questions, size: int) -> float:
    """Verdicts per second of `posture_many` on two threads of the CPU."""
    which, loads, _ = batch(questions, size)
    poses, grips = questions.poses[which], [questions.grip] * questions.poses.shape[1]
    posture_many(grips, poses[:64], loads[:64], threads=2)
    began = time.perf_counter()
    posture_many(grips, poses, loads, threads=2)
    return size / (time.perf_counter() - began)


def chosen_device() -> str:
    """The GPU if there is one; else the CPU, by the same kernels."""
    import warp as wp

    return "cuda:0" if wp.get_cuda_device_count() else "cpu"


def run(quick: bool) -> list[Row]:
    """Rows of every kind of hand."""
    device = chosen_device()
    rows = []
    for name, hands, vertices in CASES[: 2 if quick else None]:
        questions = prepared(hands, vertices, 64 if quick else POSTURES)
        found = measured(name, questions, device, 1 if quick else 5)
        note = f"{device}, batch {found['batch']}, undecided {found['undecided']:.1e}, wrong {found['wrong']}"
        rows.append(row(f"{name}: verdicts", [found["verdicts/s"]], "1/s", note))
        rows.append(row(f"{name}: margins with gradients", [found["margins/s"]], "1/s"))
        rows.append(row(f"{name}: regions of {RAYS} rays", [found["regions/s"]], "1/s"))
        rows.append(row(f"{name}: on two threads of the CPU", [on_cpu(questions, 2000)], "1/s"))
    return rows


def main() -> None:
    """Prepare questions, or measure prepared ones."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prepare", type=Path)
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--save", type=Path)
    parser.add_argument("--only")
    options = parser.parse_args()
    if options.prepare:
        parts = {}
        for name, hands, vertices in CASES:
            found = prepared(hands, vertices, POSTURES)
            parts |= {f"{name}/poses": found.poses, f"{name}/loads": found.loads, f"{name}/limits": found.limits}
            print(name, flush=True)
        np.savez_compressed(options.prepare, **parts)
        return
    import warp as wp

    device = chosen_device()
    saved = np.load(options.questions)
    results: dict[str, Any] = {
        "device": str(wp.get_device(device).name),
        "warp": wp.__version__,
        "python": platform.python_version(),
    }
    results["figures"] = []
    for name, _, vertices in CASES:
        if options.only and options.only not in name:
            continue
        arrays = [saved[f"{name}/{part}"] for part in ("poses", "loads", "limits")]
        results["figures"].append(measured(name, Questions(grip_of(vertices), *arrays), device, 5))
        print(json.dumps(results["figures"][-1]), flush=True)
        if options.save:
            options.save.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""The reference method on the paper's devices: equilibrium tests, and load limits to 2 %."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

import holdfast as hf
from benchmarks.measuring import Row, row
from holdfast import devices

GAP = 0.02


def run(quick: bool) -> list[Row]:
    """Tests of gravity directions, and load limits along forces, for a small, a middling and the largest device."""
    chosen = {
        "2OU": devices.two_opposed_units(),
        "2FG MD-PMD": devices.two_finger_gripper("MD", "PMD"),
        "4FH opposed": devices.four_finger_hand("opposed"),
    }
    method = hf.solvers.Reference(gap=GAP, floor=1.0, time_limit=20.0)
    rows = []
    for name, device in chosen.items():
        assembly = device.assembly()
        weights = [device.weight(g) for g in 9.81 * hf.loads.circle_directions(8 if quick else 72)]
        hf.equilibrium(assembly, weights[0])  # the H-forms of the pieces are made once
        samples = _milliseconds(lambda w, a=assembly: hf.equilibrium(a, w), weights)
        rows.append(row(f"{name}: equilibrium test", samples, "ms", f"{len(assembly)} contacts"))
        forces = [[*f, 0, 0, 0] for f in hf.loads.sphere_directions(4 if quick else 24)]
        samples = _milliseconds(lambda w, a=assembly: hf.load_limit(a, w, method=method), forces)
        rows.append(row(f"{name}: load limit to {GAP:.0%}", samples, "ms", "at most 20 s each"))
    return rows


def _milliseconds(call: Callable[[object], object], arguments: Iterable[object]) -> list[float]:
    samples = []
    for argument in arguments:
        start = time.perf_counter()
        call(argument)
        samples.append(1e3 * (time.perf_counter() - start))
    return samples

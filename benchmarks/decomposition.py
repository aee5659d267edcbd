"""From measurements to convex pieces: reading, triangulating, decomposing; noisy tests of several kinds of contact."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.resources import as_file, files

import numpy as np

import holdfast as hf
from benchmarks.measuring import Row, row, timed

#: Scatter of one noisy test, and rays of the radial function that CPU times are compared with.
NOISE = 0.05
RAYS = 100_000


def pad(d: np.ndarray) -> np.ndarray:
    """An adhesive pad: 3 N straight off, 12 N sideways, more when pressed. Convex but for the noise."""
    shear, z = np.hypot(d[:, 0], d[:, 1]), d[:, 2]
    return 1.0 / np.where(z < 0, np.hypot(shear / 12, z / 3), np.maximum((shear - 0.5 * z) / 12, z / 60))


def spines(d: np.ndarray) -> np.ndarray:
    """A spiny pad, strong along x, that holds nothing from 50 degrees of pull on."""
    elevation = np.degrees(np.arcsin(d[:, 2]))
    forward = d[:, 0] / np.maximum(np.hypot(d[:, 0], d[:, 1]), 1e-12)
    shear = 22 + np.where(forward > 0, 28, 13) * forward
    return np.where(elevation < 0, shear * np.maximum(0, 1 + elevation / 50), shear + 0.2 * elevation)


def gecko(d: np.ndarray) -> np.ndarray:
    """Adhesion while it is sheared along +x or -x."""
    x, y, z = np.abs(d[:, 0]), np.abs(d[:, 1]), d[:, 2]
    alive = (z >= -0.47 * x) & (y <= 0.8 * x + 0.5 * np.maximum(z, 0))
    return np.where(alive, np.minimum(20 / np.maximum(x, 1e-9), 50 / np.maximum(z, 1e-9)), 0.0)


def cone(d: np.ndarray) -> np.ndarray:
    """A friction cone, capped at 60 N."""
    return np.where(np.hypot(d[:, 0], d[:, 1]) <= 0.5 * d[:, 2], 60 / np.maximum(d[:, 2], 0.1), 0.0)


#: name -> (limit force [N] of unit directions, scatter of a test)
KINDS: dict[str, tuple[Callable[[np.ndarray], np.ndarray], float]] = {
    "noisy adhesive pad": (pad, NOISE),
    "noisy spiny pad": (spines, NOISE),
    "noisy two-way gecko": (gecko, NOISE),
    "clean friction cone": (cone, 0.0),
}


def tests(limit: Callable[[np.ndarray], np.ndarray], noise: float, count: int) -> hf.LimitSurface:
    """The surface of `count` single tests in random directions."""
    rng = np.random.default_rng(0)
    d = rng.normal(size=(count, 3))
    d /= np.linalg.norm(d, axis=1, keepdims=True)
    return hf.LimitSurface.from_limits(d, limit(d) * rng.normal(1.0, noise, count))


def cpu(call: Callable[[], object], repeats: int) -> list[float]:
    """CPU times [s] of `call`."""
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        seconds.append(time.process_time() - start)
    return seconds


def run(quick: bool) -> list[Row]:
    repeats = 1 if quick else 5
    with as_file(files("holdfast") / "data" / "microspine_unit.csv") as path:
        surface = hf.read_measurements(path).surface()
        rows = [timed("read the microspine CSV", lambda: hf.read_measurements(path).surface(), repeats=repeats)]
    rays = hf.loads.sphere_directions(RAYS)
    rows.append(timed("radial function, 100,000 rays", lambda: surface.radial(rays), repeats=repeats))
    unit = float(np.median(cpu(lambda: surface.radial(rays), 5)))
    for side in ("inner", "outer"):
        volume = hf.decompose(surface, side=side)
        note = f"{len(volume)} pieces of {', '.join(str(len(piece)) for piece in volume.pieces)} vertices"
        rows.append(
            timed(
                f"decompose, {side}", lambda s=side: hf.decompose(surface, side=s), repeats=repeats, warmup=0, note=note
            )
        )
    count = 120 if quick else 500
    for name, (limit, noise) in KINDS.items():
        measured = tests(limit, noise, count)
        for side in ("inner", "outer"):
            seconds = cpu(lambda m=measured, s=side: hf.decompose(m, side=s), repeats)
            note = f"{np.median(seconds):.2f} s of CPU"
            ratios = [value / unit for value in seconds]
            rows.append(row(f"{name}, {count} tests, {side}: CPU over that of the radial function", ratios, "1", note))
    return rows

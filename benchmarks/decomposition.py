"""From measurements to convex pieces: reading, triangulating, decomposing inner and outer."""

from __future__ import annotations

from importlib.resources import as_file, files

import holdfast as hf
from benchmarks.measuring import Row, timed


def run(quick: bool) -> list[Row]:
    repeats = 1 if quick else 5
    with as_file(files("holdfast") / "data" / "microspine_unit.csv") as path:
        surface = hf.read_measurements(path).surface()
        rows = [timed("read the microspine CSV", lambda: hf.read_measurements(path).surface(), repeats=repeats)]
    rays = hf.loads.sphere_directions(100_000)
    rows.append(timed("radial function, 100,000 rays", lambda: surface.radial(rays), repeats=repeats))
    for side in ("inner", "outer"):
        volume = hf.decompose(surface, side=side)
        note = f"{len(volume)} pieces of {', '.join(str(len(piece)) for piece in volume.pieces)} vertices"
        rows.append(
            timed(
                f"decompose, {side}", lambda s=side: hf.decompose(surface, side=s), repeats=repeats, warmup=0, note=note
            )
        )
    return rows

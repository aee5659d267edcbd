"""A peg is jammed between two walls: can it hold, does it hold when it is squeezed, will it hold?

Friction can carry the peg, so it can hold. With springs as contacts it holds if they were squeezed before. The rigid
model contains no squeeze: the peg may stay or fall. With a ledge below it, rest is the only possible motion, and the
proof needs no friction.

Run it: python examples/15_will_it_hold.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import holdfast as hf
from holdfast import plotting


def main(folder: Path) -> None:
    peg = hf.load("@jammed_peg")  # 0.2 kg, 10 mm deep in a hole that is 40 mm wide, friction 0.5
    walls, weight, mass = peg.assembly, peg.gravity_load(), peg.mass_matrix()
    print(f"can it hold? {hf.equilibrium(walls, weight).status}")
    for squeeze in (1.0, 3.0):  # N at each contact
        peak = hf.load_sharing(walls, weight, preload=squeeze).peak
        print(f"squeezed with {squeeze:g} N it carries {peak:.3f} times its weight")
    will = hf.strong_stability(walls, weight, mass)
    print(f"will it hold? {' '.join(will.sentences[:2])} Proof verified: {will.verify()}")

    rough, up = hf.models.coulomb(0.5), hf.frame_from_normal((0, 0, 1))
    ledge = [hf.Contact(np.array([x, y, -0.01]), up, rough, name="ledge") for x in (-0.02, 0.02) for y in (-0.02, 0.02)]
    carried = hf.strong_stability(hf.Assembly([*walls.contacts, *ledge]), weight, mass)
    print(f"on a ledge: {carried.status}, proof verified: {carried.verify()}")

    slope = hf.load("@block_on_steep_slope")  # 40 degrees, friction 0.5
    slides = hf.motion(slope.assembly, slope.gravity_load(), slope.mass_matrix())
    print(f"a block on 40 degrees {slides.status}, it slides with {slides.states[0].slip:.2f} m/s^2")

    figure = Figure(figsize=(9.0, 5.2))
    left, right = (figure.add_subplot(1, 2, number, projection="3d") for number in (1, 2))
    rests = hf.motion(walls, weight, mass)  # rest comes first, where it is possible
    hf.dynamics.plots.motion(peg, rests, ax=left, title="It can rest: walls that press carry it")
    hf.dynamics.plots.stability(peg, will, ax=right, title="It can fall: walls that do not press")
    plotting.save(figure, folder / "15_will_it_hold.png", dpi=100)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))

"""Will it hold? Two gecko pads on a plate, pulled against each other so that they adhere: a verdict with its proof.

A gecko pad adheres only while it is sheared, so the two pads must pull against each other. One pad alone lifts nothing.

Run it: python examples/00_first_verdict.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import holdfast as hf
from holdfast import plotting


def pads() -> hf.Assembly:
    """Two gecko pads, 100 mm apart, under a plate; their best shear directions face each other."""
    unit = hf.models.gecko(shear=10.0)  # 10 N along its best direction, adhesive while it is sheared
    right = hf.frame_from_normal((0, 0, 1), shear=(1, 0, 0))  # columns (u, v, n), n into the object
    left = hf.frame_from_normal((0, 0, 1), shear=(-1, 0, 0))
    return hf.Assembly([hf.Contact((-0.05, 0, 0), right, unit, "left"), hf.Contact((0.05, 0, 0), left, unit, "right")])


def main(folder: Path) -> None:
    assembly = pads()
    for newtons in (3.0, 50.0):
        answer = hf.equilibrium(assembly, [0, 0, newtons, 0, 0, 0])  # the load on the object: lift it off the pads
        print(f"{newtons:g} N: {answer.status}, proof {'verified' if answer.verify() else 'fails'}")
    most = hf.load_limit(assembly, [0, 0, 1, 0, 0, 0])
    print(f"load limit {most.value:.2f} N, proven upper bound {most.upper_bound:.2f} N")
    alone = hf.load_limit(hf.Assembly(assembly.contacts[:1]), [0, 0, 1, 0, 0, 0])
    print(f"one pad alone: {abs(alone.value):.2f} N")

    plate = hf.assembly.shapes.Box(np.array([0.16, 0.06, 0.01]), hf.Pose(np.eye(3), [0, 0, 0.005]))
    ax = hf.assembly.plots.assembly(assembly, result=most, shape=plate, title=f"Two gecko pads bear {most.value:.1f} N")
    plotting.save(ax, folder / "00_first_verdict.png", dpi=100)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))

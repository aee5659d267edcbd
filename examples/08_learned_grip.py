"""My robot has several hands: how do I describe a hand by one set that a planner can use?

A grip is the set of wrenches that a hand can apply. It is learned from the contacts of the hand: inner wrenches, with
forces as proof, and outer planes, beyond which no wrench is possible. It is saved in a file and tested in microseconds.

Run it: python examples/08_learned_grip.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import holdfast as hf
from holdfast import plotting


def main(folder: Path) -> None:
    cup = hf.models.suction(vacuum=50.0, mu=0.5, cap=200.0)  # pulled off by 50 N, pressed with at most 200 N
    places = [(0.06, 0.0, 0.0), (-0.04, 0.05, 0.0), (-0.04, -0.05, 0.0)]
    cups = hf.Assembly([hf.Contact(place, np.eye(3), cup) for place in places], name="three cups")
    grip = hf.learn_grip(cups, n=120, seed=0, acting="reaction")  # wrenches on the body that carries the hand
    print(grip)
    for newtons in (100, 124, 150):
        answer = grip.contains([0, 0, newtons, 0, 0, 0])  # the body is pulled away from the cups
        print(f"{newtons} N off the surface: {answer.status}")
    exact = hf.load_limit(cups, [0, 0, 1, 0, 0, 0])
    print(f"the contacts themselves: {exact.value:.1f} N")
    grip.save(folder / "08_learned_grip.h5")

    figure = hf.grips.plots.grip(grip, title="Three suction cups: inner wrenches green, outer red")
    plotting.save(figure, folder / "08_learned_grip.png", dpi=80)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))

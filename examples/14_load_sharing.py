"""Twelve suction cups share a load: which cup fails first, and how much do they carry in the end?

The load limit assumes the best possible forces. Real cups are springs: those nearest to the load carry most and fail
first, and the others follow at once. Softer cups on that side, or fewer cups on the other side, carry more.

Run it: python examples/14_load_sharing.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import holdfast as hf
from holdfast import plotting


def main(folder: Path) -> None:
    plate = hf.load("@suction_array")  # 10 kg, 60 mm off the middle of 4 x 3 cups
    cups, weight = plate.assembly, plate.gravity_load()
    equal = hf.load_sharing(cups, weight)
    print(f"{equal.bracket}; proof verified: {equal.verify()}")
    first = [event.name for event in equal.failures if not event.cascade]
    print(f"{10 * equal.first_failure:.1f} kg: {', '.join(first)} fail first, {len(equal.failures)} cups in total")

    near = cups.positions[:, 0] > 0.14
    springs = np.where(near[:, None], 0.7, 1.0) * [5000.0, 1500.0]  # (normal, tangential) of every cup [N/m]
    softer = hf.load_sharing(cups, weight, springs)
    print(f"near column 30 % softer: {10 * softer.peak:.1f} kg of {10 * softer.limit.value:.1f} kg")
    nine = hf.Assembly([cup for cup in cups.contacts if cup.position[0] > -0.14])
    print(f"without the far column: {10 * hf.load_sharing(nine, weight).peak:.1f} kg")

    ax = hf.sharing.plots.forces_against_factor(equal, title="Twelve suction cups, load 60 mm off centre")
    plotting.save(ax, folder / "14_load_sharing.png", dpi=100)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))

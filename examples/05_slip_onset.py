"""The gripper turns over: at which angle does the object slip?

The angle is found by bisection, with a proof on both sides: forces at the last angle that holds, a certificate at the
first angle that does not. The polar plot shows how many times the weight is held at each angle.

Run it: python examples/05_slip_onset.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import holdfast as hf
from holdfast import plotting


def main(folder: Path) -> None:
    gripper = hf.devices.two_finger_gripper("MD", "MD")
    path = hf.statics.rotating_gravity(
        gripper, start=(0, 0, -1), towards=(1, 0, 0)
    )  # gravity turns, also for the weight of the links
    onset = hf.slip_onset(path, 0.0, np.pi, step=np.radians(2), tolerance=np.radians(0.01))
    print(f"{onset.status} at {np.degrees(onset.value):.2f} degrees; proof verified: {onset.verify()}")
    sideways = hf.statics.rotating_gravity(gripper, start=(0, 0, -1), towards=(0, 1, 0))
    across = hf.slip_onset(sideways, 0.0, np.pi, step=np.radians(5), tolerance=np.radians(0.1))
    print(f"turned along the joint axes instead: {np.degrees(across.value):.1f} degrees")

    angles = np.radians(np.arange(0, 360, 10))
    turned = [path(angle) for angle in angles]
    statuses = [hf.equilibrium(assembly, weight).status for assembly, weight in turned]
    factors = [hf.load_limit(assembly, weight).value for assembly, weight in turned]
    ax = hf.statics.plots.gravity_polar(
        angles, statuses, factors, title="Two-finger gripper MD-MD turned in the x-z plane"
    )
    plotting.save(ax, folder / "05_slip_onset.png", dpi=100)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))

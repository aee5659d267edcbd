"""Draw the pictures of docs/probability.md into docs/pictures.

Run from the repository root: python tools/make_probability_pictures.py [name ...]
Without names all are drawn. The same versions give identical files.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

import holdfast as hf
from holdfast import plotting
from holdfast.assembly.loads import circle_directions
from holdfast.reliability import (
    Scatter,
    failure_modes,
    load_limit_samples,
    probability_along,
    quantile_volume,
    size_curve,
)
from holdfast.reliability import plots as probabilities
from holdfast.statics.paths import rotating_gravity

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "docs" / "pictures"
GRAVITY = np.array([0.0, 0.0, -9.80665])
SCATTER = Scatter(strength=0.3)
SAMPLES = 2_000


def probability_size() -> Any:
    """Probability against the size of a pull, for four conditions of the two-finger gripper."""
    ax: Any = None
    for number, (left, right) in enumerate((("D", "D"), ("MD", "MD"), ("MD", "PMD"), ("PMD", "PMD"))):
        device = hf.devices.two_finger_gripper(left, right)
        limits = load_limit_samples(device.assembly(), hf.devices.PULL, SCATTER, n=SAMPLES)
        curve = size_curve(limits, np.linspace(0.0, 70.0, 141))
        ax = probabilities.probability_curve(curve, ax, label=device.name, colour=number)
    ax.set_xlabel("pull away from the gripper [N]")
    ax.set_title("Two-finger gripper, units scattered by 30 %", fontsize=10.5)
    handles, names = ax.get_legend_handles_labels()
    kept = [i for i, name in enumerate(names) if "interval" not in name]
    ax.legend([handles[i] for i in kept], [names[i] for i in kept], fontsize=8, frameon=False, loc="upper right")
    return ax


def probability_angle() -> Any:
    """Probability against the angle by which the gripper and its object are turned."""
    device = hf.devices.two_finger_gripper("MD", "MD")
    angles = np.radians(np.arange(90.0, 140.1, 1.0))
    path = rotating_gravity(device, towards=(0.0, 1.0, 0.0))
    curve = probability_along(path, angles, SCATTER, n=1_000, name="turned about the x axis by [rad]")
    return probabilities.probability_curve(curve, degrees=True, title="2FG MD-MD under its object's weight")


def probability_limits() -> Any:
    """Load limits of specimens."""
    device = hf.devices.two_finger_gripper("MD", "MD")
    load = 2.5 * device.weight(GRAVITY)
    limits = load_limit_samples(device.assembly(GRAVITY), load, SCATTER, n=SAMPLES)
    return probabilities.limit_histogram(limits, title="2FG MD-MD with 2.5 times its object's weight")


def probability_failures() -> Any:
    """Failure modes."""
    device = hf.devices.two_finger_gripper("MD", "MD")
    load = 2.5 * device.weight(GRAVITY)
    limits = load_limit_samples(device.assembly(GRAVITY), load, SCATTER, n=SAMPLES)
    return probabilities.failure_mode_bars(failure_modes(limits), title="2FG MD-MD, what gives way at the limit")


def probability_quantile() -> Any:
    """Forces that 95 % of the specimens hold."""
    device = hf.devices.two_finger_gripper("MD", "MD")
    rays = np.hstack([circle_directions(72, towards=(0.0, 1.0, 0.0)), np.zeros((72, 3))])
    volume = quantile_volume(device.assembly(), rays, SCATTER, n=300)
    return probabilities.quantile_outline(volume, plane=(1, 2), title="2FG MD-MD: forces through the centre of mass")


PICTURES = {
    picture.__name__: picture
    for picture in (
        probability_size,
        probability_angle,
        probability_limits,
        probability_failures,
        probability_quantile,
    )
}


def main(names: list[str]) -> None:
    """Draw the named pictures, or all."""
    for name in names or PICTURES:
        print(plotting.save(PICTURES[name](), TARGET / f"{name}.png", dpi=130).relative_to(ROOT))


if __name__ == "__main__":
    main(sys.argv[1:])

"""No two pads are equal: what is the probability that it holds?

The strength of the units varies with a standard deviation of 30 %. The probability of holding is given with its
confidence interval, and also the load that 95 % of the specimens carry.

Run it: python examples/07_how_reliable.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import holdfast as hf
from holdfast import plotting


def main(folder: Path) -> None:
    gravity = np.array([0.0, 0.0, -9.80665])
    gripper = hf.devices.two_finger_gripper("MD", "MD")
    scatter = hf.reliability.Scatter(strength=0.3)
    assembly, load = gripper.assembly(gravity), 3.0 * gripper.weight(gravity)
    found = hf.probability(assembly, load, scatter, n=2_000, seed=0)
    low, high = found.interval
    print(f"three times the weight: {found.value:.1%} hold, between {low:.1%} and {high:.1%} with 95 % confidence")
    planned = hf.load_limit(gripper.assembly(), hf.devices.PULL)
    limits = hf.reliability.load_limit_samples(gripper.assembly(), hf.devices.PULL, scatter, n=500, seed=0)
    sure = limits.quantile(0.05)
    print(f"a straight pull: {planned.value:.1f} N as planned, {sure.value:.1f} N for 95 % of the specimens")

    ax = hf.reliability.plots.limit_histogram(limits, title="Two-finger gripper MD-MD, strengths scatter by 30 %")
    plotting.save(ax, folder / "07_how_reliable.png", dpi=100)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))

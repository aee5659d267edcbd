"""Load limits of the paper's devices with the default unit, as a Markdown table of certified brackets.

    python tools/measure_devices.py [gap]

Each entry is a pair: forces that carry the first number were found, and none can carry more than the second. The table
in docs/devices.md comes from here.
"""

from __future__ import annotations

import sys

import numpy as np

import holdfast as hf
from holdfast import devices

LOADS = {
    "fx [N]": (1, 0, 0, 0, 0, 0),
    "fy [N]": (0, 1, 0, 0, 0, 0),
    "pull [N]": devices.PULL,
    "push [N]": devices.PUSH,
    "diagonal [N]": (np.sqrt(0.5), 0, -np.sqrt(0.5), 0, 0, 0),
    "torque about -y [N m]": (0, 0, 0, 0, -1, 0),
}


def all_devices() -> dict[str, devices.Device]:
    """The nine rows of the paper's Table I."""
    grippers = {f"2FG {left}-{right}": devices.two_finger_gripper(left, right) for left, right in devices.CONDITIONS}
    hands = {f"4FH {kind}": devices.four_finger_hand(kind) for kind in ("parallel", "opposed")}
    return {"2OU": devices.two_opposed_units(), **grippers, **hands}


def main() -> None:
    gap = float(sys.argv[1]) if len(sys.argv) > 1 else 0.02
    method = hf.Reference(gap=gap, time_limit=20.0)
    print("| device | " + " | ".join(LOADS) + " |")
    print("|---" * (len(LOADS) + 1) + "|")
    for name, device in all_devices().items():
        cells = []
        for load in LOADS.values():
            limit = hf.load_limit(device.assembly(), load, method=method)
            cells.append(f"{limit.value:.3g} - {limit.upper_bound:.3g}")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()

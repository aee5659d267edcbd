"""Load limits of the paper's devices with the default unit, as a Markdown table.

    python tools/measure_devices.py

Every entry is proven from both sides before it is printed: forces that carry it were found, and a certificate says that
none carry more (by a millionth of it). The table in docs/devices.md comes from here.
"""

from __future__ import annotations

import sys

import numpy as np

import holdfast as hf
from holdfast.papers import devices

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


def four_digits(value: float) -> str:
    """Four digits, zeros at the end among them."""
    return f"{value:#.4g}".rstrip(".")


def main() -> None:
    print("| device | " + " | ".join(LOADS) + " |")
    print("|---" * (len(LOADS) + 1) + "|")
    for name, device in all_devices().items():
        solver = hf.Solver(device.assembly())
        limits = [solver.load_limit(load) for load in LOADS.values()]
        if not all(limit.status is hf.Status.OPTIMAL and limit.verify() for limit in limits):
            sys.exit(f"{name}: a limit is not proven: {limits}")
        print(f"| {name} | " + " | ".join(four_digits(limit.value) for limit in limits) + " |", flush=True)


if __name__ == "__main__":
    main()

"""Load limits of the paper's devices with the default unit, as two Markdown tables.

    python tools/measure_devices.py

Every entry is proven from both sides before it is printed: forces carry it, and a certificate proves that no forces
carry more (relative gap 1e-6). In the first table the corners of a unit share one piece of its volume; in the second
each corner has its own piece, as in the paper. The tables in docs/devices.md come from here.
"""

from __future__ import annotations

import sys
from typing import Literal

import numpy as np

import holdfast as hf
from holdfast.papers import devices
from holdfast.papers.table_one import ROWS, device_row

LOADS = {
    "fx [N]": (1, 0, 0, 0, 0, 0),
    "fy [N]": (0, 1, 0, 0, 0, 0),
    "pull [N]": devices.PULL,
    "push [N]": devices.PUSH,
    "diagonal [N]": (np.sqrt(0.5), 0, -np.sqrt(0.5), 0, 0, 0),
    "torque about -y [N m]": (0, 0, 0, 0, -1, 0),
}


def four_digits(value: float) -> str:
    """Four digits, including zeros at the end."""
    return f"{value:#.4g}".rstrip(".")


def plain_name(row: str) -> str:
    """The name of a row in words, with the paper's label in brackets."""
    device, _, condition = row.partition(" ")
    if device == "2FG":
        phalanges = {"D": "distal", "MD": "middle + distal", "PMD": "all three"}
        return f"two-finger gripper, {' / '.join(phalanges[side] for side in condition.split('-'))} ({row})"
    return f"{'two opposed units' if device == '2OU' else 'four-finger hand'} ({row})"


def print_table(corners: Literal["shared", "independent"]) -> None:
    print(f"| device, {corners} | " + " | ".join(LOADS) + " |")
    print("|---" * (len(LOADS) + 1) + "|")
    for name in ROWS:
        solver = hf.Solver(device_row(name, corners).assembly)
        limits = [solver.load_limit(load) for load in LOADS.values()]
        if not all(limit.status is hf.Status.OPTIMAL and limit.verify() for limit in limits):
            sys.exit(f"{name}: a limit is not proven: {limits}")
        print(f"| {plain_name(name)} | " + " | ".join(four_digits(limit.value) for limit in limits) + " |", flush=True)


def main() -> None:
    print_table("shared")
    print()
    print_table("independent")


if __name__ == "__main__":
    main()

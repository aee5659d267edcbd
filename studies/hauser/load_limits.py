"""Load limits of the paper's devices with the default unit (IV.C): corners of a unit that share a piece, or choose.

Every entry is proven from both sides: forces carry it, and a certificate proves that no forces carry more (relative gap
1e-6).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np

import holdfast as hf
from holdfast import devices
from studies.hauser.table_one import ROWS, device_row
from studies.tables import TextTable, keep, parsed, parser

#: Directions of the loads, by their columns.
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


def limit_table(corners: Literal["shared", "independent"], rows: Sequence[str] = ROWS) -> TextTable:
    """The load limits of these rows."""
    cells = []
    for name in rows:
        solver = hf.Solver(device_row(name, corners).assembly)
        limits = [solver.load_limit(load) for load in LOADS.values()]
        assert all(limit.status is hf.Status.OPTIMAL and limit.verify() for limit in limits), name
        cells.append([plain_name(name), *(four_digits(limit.value) for limit in limits)])
    return TextTable(f"Load limits, {corners} corners", ("device", *LOADS), cells)


def main(words: Sequence[str] | None = None) -> None:
    """Compute and save both tables; a quick run has one row."""
    chosen = parsed(parser(__doc__), words)
    rows = ROWS[:1] if chosen.quick else ROWS
    tables = {f"load_limits_{corners}": limit_table(corners, rows) for corners in ("shared", "independent")}
    keep(Path(__file__), chosen.out, tables, {})


if __name__ == "__main__":
    main()

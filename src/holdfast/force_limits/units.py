"""Units of measured quantities, and their factors to N and rad."""

from __future__ import annotations

import math

from ..errors import UnknownNameError

#: Newtons in one unit of force.
FORCE_UNITS = {
    "N": 1.0,
    "mN": 1e-3,
    "kN": 1e3,
    "lbf": 4.4482216152605,
    "gf": 9.80665e-3,
    "kgf": 9.80665,
}

#: Radians in one unit of angle.
ANGLE_UNITS = {"deg": math.pi / 180.0, "rad": 1.0}


def factor(kind: str, name: str, *, where: str = "") -> float:
    """How many N ("force") or rad ("angle") one unit `name` is; UnknownNameError lists the known ones."""
    table = FORCE_UNITS if kind == "force" else ANGLE_UNITS
    if name in table:
        return table[name]
    # mN and MN differ by nine orders of magnitude: only spellings that leave no doubt are forgiven.
    alike = [known for known in table if known.lower() == name.lower()]
    if len(alike) == 1 and name.lower() not in ("mn",):
        return table[alike[0]]
    raise UnknownNameError(f"unit of {kind}", name, table, where=where)

"""What designs are measured by: each measure has a key, a unit and a meaning, and more of it is better."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Group = Literal["force", "torque", "volume", "direction"]

#: Coordinates of a wrench, in order.
AXES = ("fx", "fy", "fz", "tx", "ty", "tz")

#: The twelve half-axes, each with its direction (6,) about the design's point.
HALF_AXES: dict[str, tuple[float, ...]] = {
    f"{sign}{axis}": tuple((1.0 if sign == "+" else -1.0) * (axis == other) for other in AXES)
    for axis in AXES
    for sign in "+-"
}

#: The slices whose volume is measured: forces through the point; the paper's second one (IV.C.a).
SLICES = {"force volume": "fx,fy,fz", "torque volume": "fx,ty,fz"}


@dataclass(frozen=True)
class Measure:
    """One line of a comparison; more is better.

    Attributes:
        key: its name in tables and data.
        unit: SI unit of the values.
        meaning: what it is, in words.
        group: what it stands with in pictures.
    """

    key: str
    unit: str
    meaning: str
    group: Group


def _along(key: str) -> Measure:
    if key[1] == "f":
        return Measure(key, "N", f"largest external force along {key[0]}{key[2]} through the point", "force")
    return Measure(key, "N m", f"largest external torque about {key[0]}{key[2]}, without a force", "torque")


#: Every measure, in the order of tables.
MEASURES: tuple[Measure, ...] = (
    *(_along(key) for key in HALF_AXES),
    Measure("weakest force", "N", "smallest limit of a force through the point, over all its directions", "direction"),
    Measure("strongest force", "N", "largest limit of a force through the point, over all its directions", "direction"),
    Measure(
        "weakest wrench", "N", "smallest limit over all directions of wrenches, torques over the length", "direction"
    ),
    Measure("force volume", "N^3", "volume of the slice (fx, fy, fz)", "volume"),
    Measure("torque volume", "N^2 N m", "volume of the slice (fx, ty, fz)", "volume"),
)

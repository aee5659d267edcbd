"""How well a force volume stands for the limit surface it was made from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class DecompositionReport:
    """Largest errors of a decomposition, over all directions, each an exact value or a certified bound.

    Percentages are local: next to a direction that holds nothing they reach 100 or infinity, and say little; the
    newtons do not. With unlimited compression the newtons count directions that do not press.

    Attributes:
        side: "inner" (nothing invented) or "outer" (nothing lost).
        pieces: number of convex pieces.
        overreach_percent: largest excess of the volume over the surface along a ray, in percent of the surface.
        overreach_newtons: the same excess in newtons.
        false_adhesion_newtons: largest pull (-f_z) that the volume allows beyond the surface along a ray [N].
        loss_percent: largest shortfall of the volume along a ray, in percent of the surface.
        loss_newtons: the same shortfall in newtons.
        lost_adhesion_newtons: largest pull (-f_z) that the surface allows and the volume does not, along a ray [N].
        goal_reached: whether the wanted error was reached (True when none was asked for).
    """

    side: Literal["inner", "outer"]
    pieces: int
    overreach_percent: float
    overreach_newtons: float
    false_adhesion_newtons: float
    loss_percent: float
    loss_newtons: float
    lost_adhesion_newtons: float
    goal_reached: bool = True

"""Choosing: which grip each hand should take, or which hold, by the margin and by where the body may then lean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ..checks import Array
from ..errors import InputError, UnknownNameError
from ..postures.region import SupportRegion
from ..postures.region_computation import SupportRegionBounds
from .planning import PosturePlanner
from .sequences import Climber

#: More combinations than this are refused: choose for some hands first.
MOST_COMBINATIONS = 20_000

#: What choices are ranked by: the planner's margin, or the area of the support region.
RankedBy = Literal["margin", "area"]


@dataclass(frozen=True, eq=False)
class Choice:
    """One way for the hands.

    Attributes:
        picked: what each hand takes, by the hand's name.
        q: the posture.
        margin: as the planner means it; negative where the body does not hold.
        planner: the planner of these hands.
    """

    picked: Mapping[str, str]
    q: Array
    margin: float
    planner: PosturePlanner

    def __repr__(self) -> str:
        words = ", ".join(f"{hand}: {what}" for hand, what in self.picked.items())
        return f"Choice({words}; margin {self.margin:.4g})"

    @property
    def holds(self) -> bool:
        """Whether the body holds."""
        return self.margin >= 0.0

    @cached_property
    def region(self) -> SupportRegion:
        """Where the centre of mass may be; of grips with bounds, on the planner's side."""
        found = self.planner.region(self.q)
        return getattr(found, self.planner.side) if isinstance(found, SupportRegionBounds) else found

    @property
    def area(self) -> float:
        """Area of the region [m^2]."""
        return self.region.area


def choose_grips(
    planner: PosturePlanner,
    q: ArrayLike,
    grips: Mapping[str, Mapping[str, Any]],
    *,
    by: RankedBy = "margin",
) -> tuple[Choice, ...]:
    """Every combination of grips for the hands of one posture, the best first; equal ones in the order given.

    Args:
        planner: robot, hands and the meaning of the margin; hands that are not named keep their grips.
        q: the posture; the palms stay where they are in it.
        grips: by the hand's name the grips to choose from, by their names.
        by: "margin", or "area" of the support region (slower: the region of every combination is made).
    """
    for hand in grips:
        planner.hand(hand)
    posture = np.asarray(q, dtype=np.float64)
    found = []
    for picked in _combinations({hand: list(own) for hand, own in grips.items()}):
        chosen = planner.with_grips({hand: grips[hand][name] for hand, name in picked.items()})
        found.append(Choice(picked, posture, chosen.margin(posture), chosen))
    return _ranked(found, by)


def choose_holds(
    climber: Climber,
    q: ArrayLike,
    holds: Mapping[str, Sequence[str]],
    *,
    by: RankedBy = "margin",
) -> tuple[Choice, ...]:
    """Every combination of holds that the robot can reach, one hold a hand, the best first.

    Args:
        climber: planner and holds; hands that are not named are off the terrain.
        q: the posture from which each combination is reached for.
        holds: by the hand's name, the names of the holds to choose from.
        by: "margin" or "area".
    """
    for hand, own in holds.items():
        climber.planner.hand(hand)
        for name in own:
            if name not in climber.holds:
                raise UnknownNameError("hold", name, climber.holds, where=f"holds[{hand!r}]")
    found = []
    for picked in _combinations(holds):
        if len(set(picked.values())) < len(picked):
            continue  # one hold, one hand
        stance = climber.stance(q, picked)
        if stance is not None:
            planner = climber.holding(picked)
            found.append(Choice(picked, stance.q, planner.margin(stance.q), planner))
    return _ranked(found, by)


def _combinations(options: Mapping[str, Sequence[str]]) -> Iterator[dict[str, str]]:
    """Every way to give each hand one of its options."""
    for hand, own in options.items():
        if not own:
            raise InputError("is empty", where=hand, fix="give each hand something to choose from")
    count = prod(len(own) for own in options.values())
    if count > MOST_COMBINATIONS:
        fix = f"give at most {MOST_COMBINATIONS} in all: choose for some hands first"
        raise InputError(f"there are {count} combinations", where="options", fix=fix)
    for picked in product(*options.values()):
        yield dict(zip(options, picked, strict=True))


def _ranked(choices: list[Choice], by: RankedBy) -> tuple[Choice, ...]:
    """The best first: those that hold before those that do not."""
    if by not in ("margin", "area"):
        raise UnknownNameError("rank", str(by), ("margin", "area"), where="by")
    if by == "margin":
        return tuple(sorted(choices, key=lambda choice: -choice.margin))
    return tuple(sorted(choices, key=lambda choice: (not choice.holds, -choice.area, -choice.margin)))

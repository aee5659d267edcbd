"""How flat and hierarchical answers differ: every unit in one exact problem, against grips of whole hands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from .. import tolerances
from ..grips import GripBounds
from ..postures import Certainty
from ..solvers import Status
from ..statics.equilibrium import Equilibrium, Method
from .flat_body import DOWN, WholeBody, whole_body
from .hand import Hand
from .levels import HandedAnswer, HandedBody, handed_body
from .robot import Robot


@dataclass(frozen=True, eq=False)
class LevelComparison:
    """A posture asked both ways.

    Attributes:
        whole: the flat problem.
        flat: its exact answer.
        handed: the hierarchical problem, limbs' limits counted.
        answer: its answer.
        flat_scale: the largest multiple of the load that the flat problem holds.
        scales: (inner, outer) multiples that the grips hold; the same for grips without bounds.
        free_scales: the same without the limbs' torque limits: what they cost.
    """

    whole: WholeBody
    flat: Equilibrium
    handed: HandedBody
    answer: HandedAnswer
    flat_scale: float
    scales: tuple[float, float]
    free_scales: tuple[float, float]

    def __repr__(self) -> str:
        return f"LevelComparison(flat {self.flat.status.value}, hands {self.answer.certainty.value})"

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    @property
    def contradicts(self) -> bool:
        """Whether a flat answer says the opposite of "certainly" or "certainly not"."""
        pair = self.flat.status, self.answer.certainty
        return pair in (
            (Status.DOES_NOT_HOLD, Certainty.CERTAINLY),
            (Status.HOLDS, Certainty.CERTAINLY_NOT),
        )

    @property
    def agrees(self) -> bool:
        """Whether both decide, and alike."""
        pair = self.flat.status, self.answer.certainty
        return pair in (
            (Status.HOLDS, Certainty.CERTAINLY),
            (Status.DOES_NOT_HOLD, Certainty.CERTAINLY_NOT),
        )

    @property
    def concavity(self) -> float:
        """Largest known share by which unions of pieces fall short of the inner grips' hulls; nan when not known."""
        grips = [hand.grip for hand in self.handed.hands if isinstance(hand.grip, GripBounds)]
        known = [g.metadata.concavity for g in grips if g.metadata.concavity is not None]
        return max(known) if known and len(known) == len(self.handed.hands) else np.nan

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """The difference in words."""
        inner, outer = self.scales
        said = [f"All units at once: {self.flat.status.value}. Hand by hand: {self.answer.certainty.value}."]
        said.append(
            f"Multiples of the load held: {self.flat_scale:.4g} exactly, {inner:.4g} by the inner grips, "
            f"{outer:.4g} by the outer ones."
        )
        if self.contradicts:
            reason = "the inner hulls promise what unions of pieces cannot do" if self.concavity > 0.0 else "numbers"
            said.append(f"The two contradict each other: {reason}.")
        elif not self.agrees:
            said.append("The load is between the bounds; more vertices and half-spaces would tell.")
        costs = [
            f"{a:.4g} instead of {b:.4g}" for a, b in zip(self.scales, self.free_scales, strict=True) if _less(a, b)
        ]
        if costs:
            said.append(f"The limbs' torque limits cost: {' and '.join(costs)}.")
        return tuple(said)


def _less(one: float, other: float) -> bool:
    """Whether a scale is below another by more than rounding."""
    return one < other and not np.isclose(one, other, rtol=tolerances.GAP, atol=0.0)


def compare_levels(
    robot: Robot,
    q: ArrayLike,
    hands: Sequence[Hand],
    gravity: ArrayLike = DOWN,
    *,
    load: ArrayLike | None = None,
    method: Method | None = None,
) -> LevelComparison:
    """A posture asked flat (every unit, every joint, exact) and hierarchically (grips), and how the two differ.

    Inner grips of hands whose volumes are not convex are hulls and may promise too much; grips learned with
    `certified=True` never do.

    Args:
        robot: on a floating base.
        q: its posture.
        hands: with grips (`learned_hand`); their units make the flat problem.
        gravity: (3,) [m/s^2] in the world.
        load: (6,) external wrench on the root link on top of the weight.
        method: how to solve the flat problem; `Exact()` by default.
    """
    handed = handed_body(robot, q, hands, gravity, load=load)
    touches = [touch for hand in handed.hands for touch in hand.touches]
    whole = whole_body(robot, q, touches, gravity, load=load)
    free = handed_body(robot, q, hands, gravity, load=load, limb_limits=False)
    return LevelComparison(
        whole,
        whole.equilibrium(method=method),
        handed,
        handed.equilibrium(),
        whole.load_limit(method=method).value,
        _scales(handed),
        _scales(free),
    )


def _scales(body: HandedBody) -> tuple[float, float]:
    """(inner, outer) multiples of the load."""
    return body.largest_scale("inner"), body.largest_scale("outer")

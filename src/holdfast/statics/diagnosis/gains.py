"""What named changes would really bring: the limit solved anew with a stronger contact or a wider joint bound.

Prices are slopes, and at a degenerate optimum only upper bounds of what an increase brings; what a sentence promises
is computed with the change made, every contact kept in its piece. Other pieces may allow more still.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...solvers.certificates import least_factor
from .prices import FixedPieces
from .states import ContactState, JointState

#: Contacts grow by this share, 1 %.
STRONGER = 0.01

#: Joint bounds grow by the largest power of ten within this share of them.
WIDER = 0.1

#: Prices and gains below this share of what they are the sum of are rounding.
NOISE = 1e-8

#: Gains that are looked for, and programs solved to find them.
MOST_GAINS = 3
MOST_PROGRAMS = 12


@dataclass(frozen=True, eq=False)
class Gain:
    """What one change brings.

    Attributes:
        state: the contact or joint row that is changed.
        side: "strength", "lower" or "upper": what of it.
        step: by how much: percent of strength, or N m (N for a slide) of bound.
        gain: by how much the load limit grows, in multiples of the load; inf where it then has no limit.
    """

    state: ContactState | JointState
    side: str
    step: float
    gain: float


@dataclass(frozen=True)
class _Candidate:
    """A change that has a price: its worth compares contacts and joints, 1 % of each."""

    worth: float
    state: ContactState | JointState
    side: str
    step: float
    changed: Callable[[FixedPieces], FixedPieces]


def largest_gains(
    fixed: FixedPieces, factor: float, contacts: Sequence[ContactState], joints: Sequence[JointState]
) -> tuple[Gain, ...]:
    """The few changes that bring most, computed in the order of their prices, largest gain first."""
    tiny = least_factor(fixed.problem)
    candidates = sorted(_candidates(contacts, joints, tiny), key=lambda c: -c.worth)
    found: list[tuple[float, Gain]] = []
    for candidate in candidates[:MOST_PROGRAMS]:
        gain = candidate.changed(fixed).largest_factor() - factor
        if gain > NOISE * candidate.worth / STRONGER + STRONGER * tiny:
            one_percent = gain * min(1.0, candidate.worth / _promise(candidate))
            found.append((one_percent, Gain(candidate.state, candidate.side, candidate.step, gain)))
        if len(found) == MOST_GAINS:
            break
    found.sort(key=lambda pair: -pair[0])
    return tuple(gain for _, gain in found)


def joint_step(bound: float, reach: float) -> float:
    """A round change of a joint bound [N m, N]: a power of ten, about a tenth of it (of its reach where it is zero)."""
    size = abs(bound) or reach
    return 10.0 ** math.floor(math.log10(WIDER * size) + NOISE) if size > 0.0 else 1.0


def _candidates(contacts: Sequence[ContactState], joints: Sequence[JointState], tiny: float) -> Iterator[_Candidate]:
    """Changes with a price above rounding: below NOISE of all that the limit consists of, or below `tiny` loads."""
    total = sum(abs(100.0 * c.price) for c in contacts)
    total += sum(abs(b) * p for j in joints for b, p in _bounds(j).values() if p > 0.0)
    least = STRONGER * max(NOISE * total, tiny)
    for contact in contacts:
        if contact.price > least:
            index = contact.index
            yield _Candidate(
                contact.price, contact, "strength", 1.0, lambda f, i=index: f.with_strength(i, 1.0 + STRONGER)
            )
    for joint in joints:
        for side, (bound, price) in _bounds(joint).items():
            worth = STRONGER * price * (abs(bound) or joint.reach) if np.isfinite(bound) else 0.0
            if worth > least:
                step, row = joint_step(bound, joint.reach), joint.index
                yield _Candidate(
                    worth, joint, side, step, lambda f, r=row, s=step, side=side: f.with_bounds(r, **{side: s})
                )


def _bounds(joint: JointState) -> dict[str, tuple[float, float]]:
    """(bound, price) of each side of a row."""
    return {"lower": (joint.lower, joint.price_lower), "upper": (joint.upper, joint.price_upper)}


def _promise(candidate: _Candidate) -> float:
    """What the price promises for the whole step."""
    state = candidate.state
    if isinstance(state, ContactState):
        return state.price
    return candidate.step * (state.price_lower if candidate.side == "lower" else state.price_upper)

"""Confirming what lazy hands give: their hulls promise it, the exact solver says whether their pieces can."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..checks import Array
from ..statics.equilibrium import Equilibrium
from .hands import Hands
from .lazy import LazyGrip

#: Shares of the way from a load that is held to the hulls' limit that are tried, the furthest first.
SHARES = (1.0, 0.9999, 0.999, 0.99, 0.97, 0.95, 0.9, 0.8, 0.65, 0.5)

#: Halvings between the first share that was confirmed and the one before.
HALVINGS = 3


class Confirmation(NamedTuple):
    """How far lazy hands were shown to follow their hulls.

    Attributes:
        share: of the way; -inf when nothing was confirmed.
        wrenches: (k, 6) what the hands give there, palm frames.
        answers: for each lazy hand the equilibrium of its contact forces, None for other hands; () when none.
    """

    share: float
    wrenches: Array
    answers: tuple[Equilibrium | None, ...]


def needs_confirming(hands: Hands) -> bool:
    """Whether some hand is lazy and not convex, so that its hulls may promise too much."""
    return any(isinstance(grip, LazyGrip) and not grip.is_convex for grip in hands.grips)


def confirmations(hands: Hands, wrenches: Array) -> tuple[Equilibrium | None, ...] | None:
    """For each lazy hand the equilibrium in which its pieces give its wrench, None for other hands.

    None altogether when some lazy hand was not found to give its wrench (k, 6, palm frames).
    """
    result: list[Equilibrium | None] = []
    for grip, wrench in zip(hands.grips, wrenches, strict=True):
        answer = grip.confirm(wrench) if isinstance(grip, LazyGrip) else None
        if answer is not None and not answer.holds:
            return None
        result.append(answer)
    return tuple(result)


def confirmed_share(hands: Hands, near: Array, far: Array) -> Confirmation:
    """The largest share t found for which all lazy hands give near + t (far - near).

    `near` and `far` are (k, 6) in palm frames, as the hands' hulls give them.
    """
    best, above = Confirmation(-np.inf, near, ()), 1.0
    for share in SHARES:
        wrenches = near + share * (far - near)
        answers = confirmations(hands, wrenches)
        if answers is not None:
            best = Confirmation(share, wrenches, answers)
            break
        above = share
    for _ in range(HALVINGS if 0.0 < best.share < 1.0 else 0):
        share = 0.5 * (best.share + above)
        wrenches = near + share * (far - near)
        answers = confirmations(hands, wrenches)
        if answers is None:
            above = share
        else:
            best = Confirmation(share, wrenches, answers)
    return best

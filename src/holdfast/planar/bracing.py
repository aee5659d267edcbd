"""Braces: a part of a robot that presses outwards and stands still whatever the rest of it does (Greenfield III.C)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array
from .chain_contacts import ContactLike
from .chain_parts import first_links
from .chains import Chain
from .torque_answers import TorqueSet
from .torques import torque_sets


@dataclass(frozen=True)
class Brace:
    """The first links of a chain, pressed between walls.

    Attributes:
        status: "held": `torque` allows standing still alone, under every disturbance, with the wanted margin;
            "infeasible", "ambiguous", "thin" (too little margin) or "impact" otherwise.
        links: how many links brace.
        contacts: where they touch.
        torques: the sets it was chosen from.
        torque: (links - 1,) the chosen torque [N m]; nan where there is none.
        margin: how far that torque may wander without leaving T* [N m].
        reason: one sentence.
    """

    status: Literal["held", "infeasible", "ambiguous", "thin", "impact"]
    links: int
    contacts: tuple[ContactLike, ...]
    torques: TorqueSet
    torque: Array
    margin: float
    reason: str

    @property
    def holds(self) -> bool:
        """Whether the brace is held for certain."""
        return self.status == "held"


def brace(
    chain: Chain,
    links: int,
    q: ArrayLike,
    contacts: Sequence[ContactLike],
    *,
    disturbance: Any = None,
    limits: tuple[ArrayLike, ArrayLike] | None = None,
    friction: tuple[ArrayLike, ArrayLike] | None = None,
    margin: float = 0.0,
) -> Brace:
    """Torques that hold the first `links` links of `chain` in posture `q`, all `contacts` fixed.

    The deepest torque within `limits` is taken; where nothing bounds the torques, the least one at least `margin` [N m]
    from any other behaviour. `disturbance` acts on the brace's coordinates (see `free_part_disturbance`).
    """
    own = first_links(chain, links)
    given = checks.vector("q", q, chain.coordinate_count)
    touching = tuple(contacts)
    mode = "F" * len(touching)
    sets = torque_sets(own.system(given[: links + 2], None, touching), mode, (), disturbance, limits, friction=friction)
    torque, radius = sets.chebyshev()
    if np.isinf(radius) and radius > 0.0:
        torque = sets.least_norm(margin)
        radius = float(sets.margin(torque)) if not np.isnan(torque).any() else -np.inf
    status, reason = _verdict(sets, radius, checks.number("margin", margin, low=0.0, unit="N m"))
    return Brace(status, links, touching, sets, torque, float(radius), reason)


def _verdict(
    sets: TorqueSet, radius: float, margin: float
) -> tuple[Literal["held", "infeasible", "ambiguous", "thin", "impact"], str]:
    """The status of a brace and the sentence that says why."""
    if sets.status == "impact":
        return "impact", "a contact runs into its wall"
    if sets.status == "infeasible":
        return "infeasible", "no torque within the limits holds the brace against every disturbance"
    if sets.is_empty:
        others = ", ".join(dict.fromkeys(sets.overlaps)) or "the same mode in motion"
        return "ambiguous", f"every torque that holds the brace also allows {others}"
    # The least torque with a margin stands exactly at it.
    if radius < margin * (1.0 - 1e-6):
        return "thin", f"the deepest torque has a margin of {max(radius, 0.0):.3g} N m, {margin:.3g} N m are wanted"
    return "held", f"held with a margin of {radius:.3g} N m"

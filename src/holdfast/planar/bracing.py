"""Braces: a part of a robot that presses outwards and stands still whatever the rest of it does (Greenfield III.C)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array
from ..errors import InputError
from .chain_contacts import ContactLike
from .chain_parts import first_links
from .chains import Chain
from .system import System
from .tasks import Task, standstill
from .torque_answers import TorqueSet
from .torques import torque_sets

#: Contacts hold every coordinate when the least singular value of their Jacobian is above this share of the largest.
FULL_RANK = 1e-9


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

    Where contacts alone do not keep every link in place, standing still is asked for as a task beside the mode: nodes
    that touch nothing must be balanced by the torques. The deepest torque within `limits` is taken; where nothing
    bounds the torques, the least one at least `margin` [N m] from any other behaviour. `disturbance` acts on the
    brace's coordinates (see `free_part_disturbance`).
    """
    if checks.count("links", links) > len(chain.links):
        raise InputError(f"is {links}", where="links", fix=f"the chain has {len(chain.links)} links")
    own = first_links(chain, links)
    given = checks.vector("q", q, chain.coordinate_count)
    checks.iterable("contacts", contacts, fix="give a list of contacts: (node, normal, mu)")
    touching = tuple(contacts)
    mode = "F" * len(touching)
    system = own.system(given[: links + 2], None, touching)
    sets = torque_sets(system, mode, at_rest(system), disturbance, limits, friction=friction)
    torque, radius = sets.chebyshev()
    if np.isinf(radius) and radius > 0.0:
        torque = sets.least_norm(margin)
        radius = float(sets.margin(torque)) if not np.isnan(torque).any() else -np.inf
    status, reason = _verdict(sets, radius, checks.number("margin", margin, low=0.0, unit="N m"))
    return Brace(status, links, touching, sets, torque, float(radius), reason)


def at_rest(system: System) -> tuple[Task, ...]:
    """What standing still asks beyond fixed contacts: no task where these hold every coordinate, else qdd = 0."""
    n = system.coordinate_count
    jacobian = np.vstack([system.normal_jacobian, system.tangent_jacobian])
    if len(jacobian) >= n:
        # Columns of metres and radians are compared by their own sizes.
        sizes = np.linalg.norm(jacobian, axis=0)
        values = np.linalg.svd(jacobian / np.where(sizes > 0.0, sizes, 1.0), compute_uv=False)
        if values[n - 1] > FULL_RANK * values[0]:
            return ()
    return standstill(n)


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

"""Braces (Greenfield III.C) and what disturbs them: the moving rest of the robot.

A brace is a part of a robot that presses outwards and stays at rest during every motion of the rest. The box of
disturbances is certified: it holds for every instant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array
from ..errors import InputError
from ..public_names import with_advice
from .chains import Chain, ContactLike, RestToRest, check_snake, first_links
from .system import System
from .torque_space import DisturbanceSet, Task, standstill
from .torques import TorqueSet, torque_sets


@with_advice()
def free_part_forces(
    chain: Chain,
    brace_links: int,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    pushes: Sequence[tuple[int, ArrayLike]] = (),
) -> Array:
    """tau_d = -(M_bf a_f + C_bf qd_f + g_bf - J_bf^T f_f), (T, b), on the b = brace_links + 2 coordinates of the brace.

    The brace is the first `brace_links` links of a floating chain and stands still; q, qd, qdd (T, n) are those of the
    whole chain. `pushes` are contact forces on the free part: (node, (2,) or (T, 2) [N]).
    """
    check_snake(chain)
    own = first_links(chain, brace_links)
    size = own.coordinate_count
    postures, speeds, accelerations = (
        checks.array(name, np.atleast_2d(np.asarray(value, dtype=float)), ("T", chain.coordinate_count))
        for name, value in (("q", q), ("qd", qd), ("qdd", qdd))
    )
    if np.abs(speeds[:, :size]).max(initial=0.0) > 0.0 or np.abs(accelerations[:, :size]).max(initial=0.0) > 0.0:
        raise InputError("the brace moves", where="qd", fix="its coordinates must have no speed and no acceleration")
    still = np.zeros((len(postures), size))
    result = own.inverse_dynamics(postures[:, :size], still, still)
    result -= chain.inverse_dynamics(postures, speeds, accelerations)[:, :size]
    for k, push in enumerate(pushes):
        node, acting = _push(push, f"pushes[{k}]", brace_links, len(chain.links), len(postures))
        for i, posture in enumerate(postures):
            jacobians, _ = chain.point_kinematics(posture, speeds[i], chain.node_paths[[node]])
            result[i] += jacobians[0][:, :size].T @ acting[i]
    return result


def _push(push: tuple[int, ArrayLike], where: str, brace_links: int, links: int, instants: int) -> tuple[int, Array]:
    """(node, (instants, 2) [N]) of a push on the free part, checked."""
    try:
        node, force = push
    except (TypeError, ValueError):
        raise InputError("is not a pair", where=where, fix="give (node, force)") from None
    number = checks.count(f"{where}.node", node, low=0)
    if not brace_links < number <= links:
        raise InputError(f"is {number}", where=f"{where}.node", fix=f"the free nodes are {brace_links + 1} to {links}")
    one = np.ndim(force) <= 1
    given = checks.array(f"{where}.force", force, (2,) if one else (instants, 2))
    return number, np.broadcast_to(given, (instants, 2))


@dataclass(frozen=True)
class MotionDisturbance:
    """The disturbance of the brace by the motion of the free part.

    Attributes:
        set: the box of disturbances.
        times: (T,) sampled instants [s]; motions follow one another.
        forces: (T, b) disturbances at those.
        method: "certified": the box holds between the samples too.
        widening: (b,) added on both sides of the sampled range for that purpose.
    """

    set: DisturbanceSet
    times: Array
    forces: Array
    method: Literal["certified"]
    widening: Array


@with_advice()
def free_part_disturbance(
    chain: Chain, brace_links: int, motions: Sequence[RestToRest], samples: int = 41
) -> MotionDisturbance:
    """The box of disturbances on a brace of the first `brace_links` links while the rest makes the `motions` in turn.

    Each motion is sampled; between samples a disturbance moves by no more than half a step times a bound on its rate,
    from bounds on the joints' speeds, accelerations and jerks. The box is a guaranteed outer approximation.
    """
    checks.count("samples", samples, low=2)
    checks.iterable("motions", motions, fix="give a list of RestToRest")
    motions = list(motions)
    if not motions:
        raise InputError("is empty", where="motions", fix="give a RestToRest or more; at rest use free_part_forces")
    for i, motion in enumerate(motions):
        checks.instance(f"motions[{i}]", motion, RestToRest, fix="give a holdfast.planar.RestToRest")
    times: list[Array] = []
    forces: list[Array] = []
    low, high, widening, begin = [], [], [], 0.0
    for motion in motions:
        t = np.linspace(0.0, motion.duration, samples)
        found = free_part_forces(chain, brace_links, *motion.at(t))
        wide = 0.5 * (t[1] - t[0]) * _rates(chain, brace_links, motion)
        low.append(found.min(axis=0) - wide)
        high.append(found.max(axis=0) + wide)
        widening.append(wide)
        times.append(begin + t)
        forces.append(found)
        begin += motion.duration
    box = DisturbanceSet.box(np.min(low, axis=0), np.max(high, axis=0))
    wide = np.max(widening, axis=0)
    return MotionDisturbance(box, np.concatenate(times), np.vstack(forces), "certified", wide)


def _rates(chain: Chain, brace_links: int, motion: RestToRest) -> Array:
    """(b,) upper bounds on the time derivative of the disturbances during a motion.

    A mass m at p with acceleration a pulls with m (g - a); about a joint at c that is m (p - c) x (g - a), whose rate
    is at most m (|v| (|g| + |a|) + |p - c| |da/dt|). Links turn at rates w, dw, ddw: along links of lengths l,
    |v| <= sum l w, |a| <= sum l (dw + w^2), |da/dt| <= sum l (ddw + 3 w dw + w^3).
    """
    turns = np.abs(chain.turns)
    w, dw, ddw = (turns @ bound for bound in motion.bounds())
    paths, masses = chain.mass_points()
    heavy = masses > 0.0
    reach, masses = paths[heavy], masses[heavy]
    speed = reach @ w
    pull = reach @ (dw + w**2)
    jerk = reach @ (ddw + 3.0 * w * dw + w**3)
    gravity = float(np.linalg.norm(np.asarray(chain.gravity)))
    rates = np.full(brace_links + 2, float(masses @ jerk))
    for i in range(brace_links):
        arm = reach[:, i:].sum(axis=1)  # from the joint at which link i begins to the mass, at most
        inertia = np.asarray(chain.inertias) @ ddw if np.any(chain.inertias) else 0.0
        rates[2 + i] = float(masses @ (speed * (gravity + pull) + arm * jerk)) + float(inertia)
    return rates


#: The least torque with a margin has exactly that margin: one smaller by this share is accepted.
AT_MARGIN = 1e-6

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
        margin: allowed error of that torque within T* [N m].
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
        """Whether the brace is guaranteed to hold."""
        return self.status == "held"


@with_advice()
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

    Where contacts alone do not fix every link, rest is required as a task in addition to the mode: nodes without
    contact must be balanced by the torques. The deepest torque within `limits` is taken; where nothing
    bounds the torques, the least one at least `margin` [N m] from any other motion. `disturbance` acts on the
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
    """Tasks for rest in addition to fixed contacts: none where these fix every coordinate, else qdd = 0."""
    n = system.coordinate_count
    jacobian = np.vstack([system.normal_jacobian, system.tangent_jacobian])
    if len(jacobian) >= n:
        # Columns in metres and in radians are scaled by their own sizes.
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
        return "impact", "a contact moves into its wall (impact)"
    if sets.status == "infeasible":
        return "infeasible", "no torque within the limits holds the brace against every disturbance"
    if sets.is_empty:
        others = ", ".join(dict.fromkeys(sets.overlaps)) or "the same mode with accelerations"
        return "ambiguous", f"every torque that holds the brace also allows {others}"
    if radius < margin * (1.0 - AT_MARGIN):
        return "thin", f"the deepest torque has a margin of {max(radius, 0.0):.3g} N m, {margin:.3g} N m are required"
    return "held", f"held with a margin of {radius:.3g} N m"

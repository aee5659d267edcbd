"""One small step of an object that gives way: which way it goes, how far, and how contacts stay closed on it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .. import tolerances
from ..checks import Array
from ..geometry.frames import Pose, skew
from .body import RigidBody
from .separation import Separation
from .states import AT_REST, ContactState
from .touch import Placement, Surroundings

#: Corrections of the pose after a step, so that the contacts which are kept neither open nor overlap by its curvature.
CORRECTIONS = 3

#: A way that keeps pressing contacts closed must have this share of q'' in the norm of B, or there is none.
LEAST_WAY = 0.05

#: Motions that open contacts by less than this share of what others do are not used to close gaps.
DULL = 1e-3


def small_step(
    direction: Array, around: Surroundings, now: Placement, touching: Sequence[int], length: float, pose: Pose
) -> Array | None:
    """(6,) small motion along `direction` in which the fastest point moves by `length`, or until a gap closes.

    None where nothing moves.
    """
    points = np.vstack([pose.apply(around.assembly.positions), pose.apply(around.com)])
    fastest = float(np.linalg.norm(direction[:3] + np.cross(direction[3:], points), axis=1).max())
    if fastest <= 0.0:
        return None
    reach = length / fastest
    closing = -now.rows @ direction
    for i in np.nonzero(closing > 0.0)[0]:
        if i not in touching:  # inf where its surface has ended
            reach = min(reach, float(now.gaps[i] / closing[i]))
    return reach * direction


def way_of(q: Array, answer: Separation, rows: Array, mass: Array) -> tuple[Array, Array]:
    """((6,) way to go, (t,) which of the contacts that touch stay closed on it), from rows (t, 6) of these contacts.

    Contacts that stick or slip stay closed. Of those that press while they separate the same is asked: the way is the
    one nearest to q'' in the norm of B on which they do not open and no other contact closes. Where there is none, it
    is q'' itself, and they open.
    """
    kept = np.array([not state.separates for state in answer.states])
    pressing = np.array([_lifted(answer, state) for state in answer.states])
    if not pressing.any():
        return q, kept
    from scipy.optimize import nnls

    factor = np.linalg.cholesky(mass)
    scaled = np.linalg.solve(factor, rows.T).T  # rows of z = L^T q''
    scaled /= np.linalg.norm(scaled, axis=1, keepdims=True)
    _, sizes, right = np.linalg.svd(scaled[pressing])
    free = right[int((sizes > AT_REST * sizes[0]).sum()) :].T  # (6, f) motions that keep the pressing ones closed
    start = free.T @ (factor.T @ q)
    others = scaled[~pressing] @ free
    others = others[np.linalg.norm(others, axis=1) > AT_REST]  # the rest is closed with those that press
    if len(others) and len(start):
        weights, _ = nnls(others.T, -start)
        start = start + others.T @ weights
    z = free @ start
    if np.linalg.norm(z) <= LEAST_WAY * float(np.linalg.norm(factor.T @ q)):
        return q, kept
    return np.linalg.solve(factor.T, z), kept | pressing


def _lifted(answer: Separation, state: ContactState) -> bool:
    """Whether a contact is lifted by (7) alone: it presses while it opens, and need not press at all."""
    nothing = answer.assembly.contacts[state.index].volume.signed_distance(np.zeros(3))
    return state.presses_while_separating and float(nothing) <= 0.0


def closed(pose: Pose, around: Surroundings, kept: Sequence[int], body: RigidBody, most: float) -> Pose:
    """The pose mended, by the least motion in the norm of B, so that kept contacts are closed and none overlaps.

    As it was where that would move a point by more than `most` [m].
    """
    points, first = np.vstack([around.assembly.positions, around.com]), pose
    for _ in range(CORRECTIONS):
        now = around.at(pose)
        chosen = sorted({*(i for i in kept if np.isfinite(now.gaps[i])), *np.nonzero(now.gaps < 0.0)[0].tolist()})
        if not chosen or not now.gaps[chosen].any():
            return pose
        factor = np.linalg.cholesky(body.matrix_at(pose))
        rows = np.linalg.solve(factor, now.rows[chosen].T).T
        z = np.linalg.lstsq(rows, -now.gaps[chosen], rcond=DULL)[0]
        pose = screw(np.linalg.solve(factor.T, z)) @ pose
        if np.linalg.norm(pose.apply(points) - first.apply(points), axis=1).max() > most:
            return first
    return pose


def screw(motion: Array) -> Pose:
    """The displacement of a constant twist (6,) (m, rad; about the world origin): its exponential."""
    turn = motion[3:]
    angle = float(np.linalg.norm(turn))
    cross = skew(turn)
    if angle < tolerances.ORTHONORMAL:
        rotation, along = np.eye(3) + cross + 0.5 * cross @ cross, np.eye(3) + 0.5 * cross
    else:
        first, second = np.sin(angle) / angle, (1.0 - np.cos(angle)) / angle**2
        rotation = np.eye(3) + first * cross + second * cross @ cross
        along = np.eye(3) + second * cross + (1.0 - first) / angle**2 * cross @ cross
    return Pose(rotation, along @ motion[:3])

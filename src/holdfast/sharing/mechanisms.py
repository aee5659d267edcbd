"""Motions that nothing resists at the end of a path: whether a given one is such a motion, and whether there is any."""

from __future__ import annotations

import numpy as np

from ..checks import Array
from . import kernels
from .kernels import SharingPath, SharingProblem

#: Relative tolerance of the directions of motions and flow.
FOLLOWS = 1e-6


def largest_force(problem: SharingProblem, path: SharingPath) -> float:
    """Size of the forces and loads on a path [N], to which tolerances refer."""
    given = (path.force, problem.preload, problem.base, np.clip(0.0, problem.lower, problem.upper))
    return max(np.finfo(float).tiny, *(float(np.abs(part).max(initial=0.0)) for part in given))


def near_border(problem: SharingProblem, path: SharingPath) -> Array:
    """(k,) forces of a contact that are this close to a facet [N] lie on it."""
    return 100.0 * kernels.ON_FACET * (largest_force(problem, path) + problem.size)


def border(problem: SharingProblem, i: int, piece: int, force: Array, near: float) -> Array:
    """(n, 3) normals of the facets of a contact's piece that a force lies on."""
    facets = slice(problem.first[i, piece], problem.first[i, piece + 1])
    normals = problem.normals[facets]
    return normals[normals @ force >= problem.offsets[facets] - near]


def flow_directions(problem: SharingProblem, i: int, piece: int, force: Array, near: float) -> Array:
    """(n, 3) directions in which a contact on the border of its piece may flow."""
    if problem.rule[i] == kernels.BRITTLE:
        return np.zeros((0, 3))
    found = border(problem, i, piece, force, near)
    return found * (1.0, 1.0, 0.0) if problem.rule[i] == kernels.SLIP else found


def cone_distance(directions: Array, vector: Array) -> float:
    """Distance from a vector (3,) to the cone of directions (n, 3)."""
    from scipy.optimize import nnls

    return float(nnls(directions.T, vector)[1]) if len(directions) else float(np.linalg.norm(vector))


def _driver(problem: SharingProblem, path: SharingPath) -> Array:
    """(n,) the load that drives a motion at the end of a path, with the rate of the preload; or the lost forces."""
    lost = path.mode[-1] == kernels.FAILED
    if np.abs(path.force[-1, lost]).max(initial=0.0) > 0.0:
        return np.einsum("kin,ki->n", problem.maps[lost], path.force[-1, lost])
    if path.stage[-1] == kernels.LOAD:
        return problem.load
    held = path.mode[-1] == kernels.HELD
    drives = problem.base - np.einsum("kin,ki->n", problem.maps[held], problem.preload[held])
    goals = np.clip(0.0, problem.lower, problem.upper)
    r = len(goals)
    drives[len(drives) - r :] += np.where(path.joint_mode[-1] == kernels.DRIVEN, goals, 0.0)
    return drives


def _may_open(problem: SharingProblem, path: SharingPath, i: int, near: float) -> bool:
    """Whether a contact that holds at the end carries nothing, at the border of its volume."""
    force = path.force[-1, i]
    if np.abs(force).max() > near:
        return False
    return len(border(problem, i, int(path.piece[-1, problem.unit[i]]), np.zeros(3), near)) > 0


def _fixed_joints(problem: SharingProblem, path: SharingPath) -> Array:
    """(r,) whether a joint cannot move without a torque that resists."""
    return (path.joint_mode[-1] == kernels.LOCKED) | (problem.spring > 0.0)


#: Signs of the motion with which a joint turns away from its limit.
_AWAY = {kernels.AT_UPPER: 1.0, kernels.AT_LOWER: -1.0}


def resistance(problem: SharingProblem, path: SharingPath, z: Array, near: Array) -> list[str]:
    """What is wrong with a motion (n,) that is said to end a path: it is not driven, or something stops it."""
    n, r = len(z), len(problem.lower)
    moved = problem.maps @ z
    fastest = max(float(np.abs(moved).max(initial=0.0)), float(np.abs(z).max()))
    driver = _driver(problem, path)
    if not driver @ z > kernels.LEAST_POWER * float(np.abs(driver).max()) * float(np.abs(z).max()):
        return ["the load does not drive the collapse"]
    for i, mode in enumerate(path.mode[-1]):
        v, presses = moved[i], moved[i, 2] > FOLLOWS * fastest
        stiffness, piece = problem.stiffness[i], int(path.piece[-1, problem.unit[i]])
        stiff = float(np.abs(stiffness).max())
        if mode == kernels.HELD and not (_may_open(problem, path, i, near[i]) and not presses):
            directions = flow_directions(problem, i, piece, path.force[-1, i], near[i])
            if cone_distance(directions @ stiffness, stiffness @ v) > FOLLOWS * stiff * fastest:
                return [f"contact {i} resists the motion of the collapse"]
        if mode == kernels.OPEN and presses and path.gap[-1, i] > 0.0:
            return [f"the motion of the collapse closes the gap of contact {i}"]
        if mode == kernels.OPEN and presses and problem.rule[i] != kernels.BRITTLE:
            return [f"the motion of the collapse presses contact {i}, which is open without a gap"]
    turns, largest = z[n - r :], float(np.abs(z).max())
    if np.abs(turns[_fixed_joints(problem, path)]).max(initial=0.0) > FOLLOWS * largest:
        return ["a joint resists the motion of the collapse"]
    for j in range(r):
        if _AWAY.get(int(path.joint_mode[-1, j]), 0.0) * turns[j] > FOLLOWS * largest:
            return [f"joint {j} turns away from its limit in the collapse"]
    return []


def driven_mechanism(problem: SharingProblem, path: SharingPath, near: Array) -> Array | None:
    """(n,) a motion that the load drives and that nothing resists at the end of a path; None if there is none.

    Motions and flows that obey the contacts and joints form a cone. The motion is the part of the load in this cone:
    what is left of it after the nearest point of the polar cone, a problem of least squares with signs.
    """
    from scipy.optimize import nnls

    n, r = problem.maps.shape[2], len(problem.lower)
    driver = _driver(problem, path)
    fixed: list[tuple[Array, Array]] = []  # K (maps motion - directions^T flow) = 0
    signed: list[Array] = []  # rows . motion <= 0
    for i, mode in enumerate(path.mode[-1]):
        if mode == kernels.FAILED or (mode == kernels.OPEN and path.gap[-1, i] < 0.0):
            continue
        if mode == kernels.OPEN or _may_open(problem, path, i, near[i]):
            signed.append(problem.maps[i, 2])
            continue
        directions = flow_directions(problem, i, int(path.piece[-1, problem.unit[i]]), path.force[-1, i], near[i])
        scaled = problem.stiffness[i] / np.abs(problem.stiffness[i]).max()
        fixed.append((scaled @ problem.maps[i], -scaled @ directions.T))
    joints = np.eye(n)[n - r :]
    fixed += [(joints[j : j + 1], np.zeros((1, 0))) for j in np.nonzero(_fixed_joints(problem, path))[0]]
    signed += [_AWAY[mode] * row for mode, row in zip(path.joint_mode[-1], joints, strict=True) if mode in _AWAY]
    flows = sum(part.shape[1] for _, part in fixed)
    polar = np.zeros((n + flows, 2 * sum(len(part) for part, _ in fixed) + len(signed) + flows))
    row, column = n, 0
    for motion, flow in fixed:
        for sign in (1.0, -1.0):
            polar[:n, column : column + len(motion)] = sign * motion.T
            polar[row : row + flow.shape[1], column : column + len(motion)] = sign * flow.T
            column += len(motion)
        row += flow.shape[1]
    polar[:n, column : column + len(signed)] = np.reshape(signed, (-1, n)).T
    polar[n:, column + len(signed) :] = -np.eye(flows)
    target = np.concatenate([driver / np.abs(driver).max(), np.zeros(flows)])
    motion = (target - polar @ nnls(polar, target)[0])[:n]
    if not motion.any() or resistance(problem, path, motion / np.abs(motion).max(), near):
        return None
    return motion / np.abs(motion).max()

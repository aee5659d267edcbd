"""Proof of a path by substitution: balance, membership, springs, flow and collapse, without the kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..checks import Array
from ..geometry.polytopes import Polytope
from . import kernels

if TYPE_CHECKING:
    from .sequences import LoadSharing

#: Relative tolerance of balance, membership and springs, with respect to the forces on the path.
PROVEN = 1e-9

#: Relative tolerance for the direction of a displacement along the border's normal.
FOLLOWS = 1e-6


def path_faults(result: LoadSharing) -> list[str]:
    """Errors of a path as sentences; empty for a verified path."""
    path = result.path
    parts = (path.force, path.flowed, path.x, path.held, path.share)
    if not all(np.isfinite(part).all() for part in parts):
        return ["a number of the path is not finite"]
    problem = result.problem
    given = (path.force, result.preload, problem.base, np.clip(0.0, problem.lower, problem.upper))
    size = max(np.finfo(float).tiny, *(float(np.abs(part).max(initial=0.0)) for part in given))
    faults = [*_unbalanced(result, size), *_wrong_springs(result, size), *_wrong_joints(result, size), *_order(result)]
    for i in range(len(result.assembly)):
        faults += _outside(result, i, size)
        faults += _wrong_flow(result, i, size)
    return faults + _resisted(result, size)


def _order(result: LoadSharing) -> list[str]:
    """Stages and fractions increase, and the last point is the peak."""
    path, faults = result.path, []
    steps = np.diff(path.stage) * 2.0 + np.where(np.diff(path.stage) == 0, np.diff(path.share), 0.0)
    if (steps < -PROVEN * np.maximum(1.0, np.abs(path.share[1:]))).any():
        faults.append("the load decreases")
    off = abs(path.share[-1] - result.peak) > PROVEN * max(1.0, abs(result.peak))
    if np.isfinite(result.peak) and path.stage[-1] == kernels.LOAD and off:
        faults.append("the peak is not the end of the path")
    if result.first_failure > result.peak * (1.0 + PROVEN) and np.isfinite(result.peak) and result.failures:
        faults.append("the first failure lies beyond the peak")
    failures = result.failures
    first = failures[0].factor if failures else np.inf
    if failures and abs(first - result.first_failure) > PROVEN * max(1.0, abs(first)):
        faults.append("the first failure is not the first in the list")
    return faults


def _unbalanced(result: LoadSharing, size: float) -> list[str]:
    """Forces, including lost ones, balance the applied load at every point; joint rows equal the joint torques."""
    path, assembly = result.path, result.assembly
    world = np.einsum("kij,skj->ski", assembly.rotations, path.force)
    arms = assembly.positions - result.point
    done = np.where(path.stage == kernels.BASE, path.share, 1.0)[:, None]
    applied = done * result.base + (path.stage == kernels.LOAD)[:, None] * path.share[:, None] * result.load
    force = world.sum(axis=1) + applied[:, :3]
    torque = np.cross(arms, world).sum(axis=1) + applied[:, 3:] - np.cross(result.point, applied[:, :3])
    wrong = max(float(np.abs(force).max()), float(np.abs(torque).max()) / assembly.length)
    scale = max(size, float(np.abs(applied[:, :3]).max()), float(np.abs(applied[:, 3:]).max()) / assembly.length)
    faults = [f"the balance of forces has an error of {wrong:.3g} N"] if wrong > PROVEN * len(assembly) * scale else []
    joints = assembly.joints
    if joints is None:
        return faults
    problem = result.problem
    turned = np.abs(path.x[:, 6:]) * problem.spring
    values = np.einsum("kij,ski->sj", problem.maps[:, :, 6:], path.force)
    wrong = float(np.abs(values - path.held + path.x[:, 6:] * problem.spring).max())
    if wrong > PROVEN * len(assembly) * (scale + float(turned.max())):
        faults.append(f"joint rows have an error of {wrong:.3g} N")
    loaded = path.stage > kernels.BASE
    beyond = np.maximum(path.held - problem.upper, problem.lower - path.held)[loaded]
    if beyond.size and float(beyond.max()) > PROVEN * scale:
        faults.append("a joint exceeds its limit")
    return faults


def _displacements(result: LoadSharing) -> Array:
    """(s, k, 3) displacements of the object against each surface in the contact frames [m]."""
    assembly, x = result.assembly, result.path.x
    arms = assembly.positions - result.point
    points = x[:, None, :3] + np.cross(x[:, None, 3:6] / assembly.length, arms)
    if assembly.joints is not None:
        from .sequences import _joint_scales

        angles = x[:, 6:] * _joint_scales(assembly)
        points = points - (angles @ assembly.joints.jacobian).reshape(len(x), -1, 3)
    return np.einsum("kji,skj->ski", assembly.rotations, points)


def _wrong_springs(result: LoadSharing, size: float) -> list[str]:
    """f = f0 - K (u - flow) for every contact that has not failed."""
    path = result.path
    strain = path.flowed - _displacements(result)
    applied = np.where(path.stage == kernels.BASE, path.share, 1.0)[:, None, None]
    expected = applied * result.preload + np.einsum("kij,skj->ski", result.stiffness, strain)
    stretched = np.abs(path.flowed) + np.abs(strain)
    rounding = 1e-12 * float((np.abs(result.stiffness).max(axis=(1, 2))[:, None] * stretched.max(axis=2).T).max())
    wrong = np.abs(expected - path.force).max(axis=2)[path.mode == kernels.HELD]
    if wrong.size and float(wrong.max()) > PROVEN * size + rounding:
        return [f"a force differs from its spring's by {wrong.max():.3g} N"]
    return []


def _wrong_joints(result: LoadSharing, size: float) -> list[str]:
    """A joint that holds its position does not move, or moves like its servo; at a limit it moves with the load."""
    path, problem, faults = result.path, result.problem, []
    moves, torques = np.diff(path.x[:, 6:], axis=0), np.diff(path.held, axis=0)
    moved, forces = float(np.abs(path.x).max(initial=0.0)), max(size, float(np.abs(path.held).max(initial=0.0)))
    for j in range(len(problem.lower)):
        mode, servo = path.joint_mode[:-1, j], float(problem.servo[j])
        off = moves[:, j] if np.isinf(servo) else (torques[:, j] + servo * moves[:, j]) / servo
        allowed = PROVEN * (moved if np.isinf(servo) else moved + forces / servo)
        if np.abs(off[mode == kernels.LOCKED]).max(initial=0.0) > allowed:
            faults.append(f"joint {j} is held and moves")
        for state, sign in ((kernels.AT_UPPER, 1.0), (kernels.AT_LOWER, -1.0)):
            if (sign * moves[mode == state, j]).max(initial=0.0) > PROVEN * moved:
                faults.append(f"joint {j} turns away from its limit")
            if np.abs(torques[mode == state, j]).max(initial=0.0) > PROVEN * forces:
                faults.append(f"joint {j} slips and its torque changes")
    return faults


def _piece(result: LoadSharing, at: int, i: int) -> Polytope:
    unit = int(result.problem.unit[i])
    return result.assembly.contacts[i].volume.polytopes[int(result.path.piece[at, unit])]


def _outside(result: LoadSharing, i: int, size: float) -> list[str]:
    """A held force lies in its piece at both ends of a segment; open and failed contacts carry nothing.

    A contact that fails has reached the border of its volume, or belongs to a unit with a point that has.
    """
    path, volume, faults = result.path, result.assembly.contacts[i].volume, []
    near = 100.0 * kernels.ON_FACET * (size + float(result.problem.size[i]))
    held, pieces = path.mode[:, i] == kernels.HELD, path.piece[:, result.problem.unit[i]]
    for piece in np.unique(pieces[held]):
        starts = np.nonzero(held & (pieces == piece))[0]
        ends = starts[starts < len(held) - 1] + 1
        forces = path.force[np.concatenate([starts, ends[held[ends]]]), i]
        if float(volume.polytopes[int(piece)].signed_distance(forces).max()) > near:
            faults.append(f"contact {i} leaves piece {piece} of its volume")
    if np.abs(path.force[path.mode[:, i] == kernels.OPEN, i]).max(initial=0.0) > near:
        faults.append(f"contact {i} is open and carries a force")
    failed = np.nonzero(path.mode[:, i] == kernels.FAILED)[0]
    if len(failed):
        if (path.mode[failed[0] :, i] != kernels.FAILED).any():
            faults.append(f"contact {i} holds again after it failed")
        if len(volume) == 1:
            together = np.nonzero(result.problem.group == result.problem.group[i])[0]
            volumes = [result.assembly.contacts[int(j)].volume for j in together]
            forces = path.force[failed[0], together]
            depths = [float(volume.signed_distance(force)) for volume, force in zip(volumes, forces, strict=True)]
            if max(depths) < -near:
                faults.append(f"contact {i} fails inside its volume")
        if result.status.value == "no limit" and np.abs(path.force[-1, i]).max() > near:
            faults.append(f"contact {i} failed and carries a force")
    return faults


def _flow_normals(result: LoadSharing, i: int, piece: Polytope, force: Array, size: float) -> Array:
    """(n, 3) directions in which a force on the border of its piece may flow."""
    normals, offsets = piece.halfspaces
    near = 100.0 * kernels.ON_FACET * (size + float(result.problem.size[i]))
    found = normals[normals @ force >= offsets - near]
    return found * (1.0, 1.0, 0.0) if result.rules[i] == "slip" else found


def _wrong_flow(result: LoadSharing, i: int, size: float) -> list[str]:
    """Flow of a contact that holds is a sum of the directions of the facets that its force lies on."""
    path, faults = result.path, []
    flows = -np.diff(path.flowed[:, i], axis=0)
    scale = float(np.abs(path.flowed[:, i]).max(initial=0.0))
    for at in np.nonzero((np.abs(flows).max(axis=1) > 1e-12 * scale) & (path.mode[:-1, i] == kernels.HELD))[0]:
        if result.rules[i] == "brittle":
            faults.append(f"contact {i} is brittle and flows in segment {at}")
            continue
        piece = _piece(result, int(at), i)
        ends = path.force[[at, at + 1], i]
        both = _flow_normals(result, i, piece, ends.mean(axis=0), size)
        missing = _beyond_cone(both, flows[at])
        if missing > FOLLOWS * float(np.abs(flows[at]).max()) + 1e-9 * scale:
            faults.append(f"contact {i} does not flow along its border's normal in segment {at}")
    return faults


def _beyond_cone(directions: Array, vector: Array) -> float:
    """Distance from a vector (3,) to the cone of directions (n, 3)."""
    from scipy.optimize import nnls

    return float(nnls(directions.T, vector)[1]) if len(directions) else float(np.linalg.norm(vector))


def _resisted(result: LoadSharing, size: float) -> list[str]:
    """The motion of a collapse is driven by the load, and no contact or joint that still holds resists it."""
    z, problem, path = result.mechanism, result.problem, result.path
    if z is None:
        return []
    z = z / float(np.abs(z).max())
    load = problem.base if path.stage[-1] == kernels.BASE else problem.load
    lost = path.mode[-1] == kernels.FAILED
    if np.abs(path.force[-1, lost]).max(initial=0.0) > 0.0:
        load = np.einsum("kin,ki->n", problem.maps[lost], path.force[-1, lost])
    if not load @ z > 0.0:
        return ["the load does not drive the collapse"]
    stiff = float(np.abs(problem.stiffness).max())
    for i in np.nonzero(path.mode[-1] == kernels.HELD)[0]:
        v = problem.maps[i] @ z
        normals = _flow_normals(result, int(i), _piece(result, len(path.stage) - 1, int(i)), path.force[-1, i], size)
        if _beyond_cone(normals @ result.stiffness[i], result.stiffness[i] @ v) > FOLLOWS * stiff:
            return [f"contact {i} resists the motion of the collapse"]
    for j in range(len(problem.lower)):
        if path.joint_mode[-1, j] == kernels.LOCKED and problem.servo[j] == np.inf and abs(z[6 + j]) > FOLLOWS:
            return [f"joint {j} is locked and moves in the collapse"]
        away = {kernels.AT_UPPER: 1.0, kernels.AT_LOWER: -1.0}.get(int(path.joint_mode[-1, j]), 0.0)
        if away * z[6 + j] > FOLLOWS:
            return [f"joint {j} turns away from its limit in the collapse"]
    return []

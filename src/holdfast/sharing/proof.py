"""Proof of a path by substitution, without the kernels: the question is built again, and every claim follows from it.

The conditions are those of the model in docs/load-sharing.md, at every point of the path: balance, springs, volumes,
flow, open contacts, joints, lost forces. First failure, peak and status are derived from the path and compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..checks import Array
from ..geometry.polytopes import Polytope
from . import kernels
from .mechanisms import (
    FOLLOWS,
    cone_distance,
    driven_mechanism,
    flow_directions,
    largest_force,
    near_border,
    resistance,
)

if TYPE_CHECKING:
    from .sequences import LoadSharing

#: Relative tolerance of balance, membership, springs and gaps, with respect to the largest values on the path.
PROVEN = 1e-9

#: Flow below this fraction of the largest is rounding.
STILL = 1e-12


def path_faults(result: LoadSharing) -> list[str]:
    """Errors of a path as sentences; empty for a verified path."""
    return _malformed(result) or _unlawful(result)


# -- the question -----------------------------------------------------------------------------------


def _malformed(result: LoadSharing) -> list[str]:
    """The kernels' input is that of the question, and the path has its shape, finite numbers and known states."""
    from .sequences import build_problem, resolve_springs

    springs = resolve_springs(result.assembly, result.stiffness, result.preload, list(result.rules))
    problem, path = result.problem, result.path
    built = [
        build_problem(result.assembly, result.load, result.base, springs, units) for units in ("together", "pointwise")
    ]
    if not any(all(np.array_equal(a, b) for a, b in zip(problem, again, strict=True)) for again in built):
        return ["the input of the kernels is not that of the question"]
    k, _, n = problem.maps.shape
    s = len(path.stage)
    expected = kernels.new_path(s, k, n, len(problem.lower), len(problem.first_point) - 1)
    if s == 0 or any(np.shape(a) != b.shape for a, b in zip(path, expected, strict=True)):
        return ["the path has another shape than its question"]
    if not all(np.isfinite(part).all() for part in path):
        return ["a number of the path is not finite"]
    facets = len(problem.offsets)
    known = (
        (path.stage, kernels.BASE, kernels.LOAD),
        (path.mode, kernels.HELD, kernels.FAILED),
        (path.joint_mode, kernels.LOCKED, kernels.DRIVEN),
        (path.flow, kernels.AT_CORNER, facets - 1),
        (path.piece, 0, problem.pieces[problem.first_point[:-1]] - 1),
    )
    if any((part < low).any() or (part > high).any() for part, low, high in known):
        return ["a state of the path is unknown"]
    if result.mechanism is not None and (
        np.shape(result.mechanism) != (n,) or not np.isfinite(result.mechanism).all() or not np.any(result.mechanism)
    ):
        return ["the motion of the collapse is no motion"]
    return []


def _unlawful(result: LoadSharing) -> list[str]:
    problem, path = result.problem, result.path
    size = largest_force(problem, path)
    moved = _displacements(result)
    faults = [
        *_disordered(result, size),
        *_unbalanced(result, size),
        *_wrong_springs(result, moved, size),
        *_wrong_joints(result, size),
        *_wrong_gaps(result, moved),
        *_wrong_losses(result, size),
    ]
    for i in range(len(result.assembly)):
        faults += _outside(result, i, size)
        faults += _wrong_flow(result, i, size)
    return faults or _wrong_claims(result, size)


# -- every point ------------------------------------------------------------------------------------


def _disordered(result: LoadSharing, size: float) -> list[str]:
    """The path starts without forces; stages and shares only increase."""
    path = result.path
    start = max(float(np.abs(part[0]).max(initial=0.0)) for part in (path.x, path.flowed, path.gap))
    if path.stage[0] != kernels.BASE or path.share[0] != 0.0 or start or np.abs(path.force[0]).max() > PROVEN * size:
        return ["the path does not start without forces"]
    steps = np.diff(path.stage) * 2.0 + np.where(np.diff(path.stage) == 0, np.diff(path.share), 0.0)
    if (steps < -PROVEN * np.maximum(1.0, np.abs(path.share[1:]))).any():
        return ["the load decreases"]
    enters = np.nonzero(np.diff(path.stage))[0] + 1
    if (path.share[path.stage == kernels.BASE] > 1.0 + PROVEN).any() or path.share[enters].any():
        return ["a stage starts or ends too late"]
    return []


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
    if assembly.joints is None:
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
        from .sequences import joint_scales

        angles = x[:, 6:] * joint_scales(assembly)
        points = points - (angles @ assembly.joints.jacobian).reshape(len(x), -1, 3)
    return np.einsum("kji,skj->ski", assembly.rotations, points)


def _wrong_springs(result: LoadSharing, moved: Array, size: float) -> list[str]:
    """f = f0 - K (u - flow) for every contact that holds."""
    path = result.path
    strain = path.flowed - moved
    applied = np.where(path.stage == kernels.BASE, path.share, 1.0)[:, None, None]
    expected = applied * result.preload + np.einsum("kij,skj->ski", result.stiffness, strain)
    stretched = np.abs(path.flowed) + np.abs(strain)
    rounding = STILL * float((np.abs(result.stiffness).max(axis=(1, 2))[:, None] * stretched.max(axis=2).T).max())
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


def _wrong_gaps(result: LoadSharing, moved: Array) -> list[str]:
    """The gap of an open contact is the way that its surfaces moved apart; it does not become negative.

    A brittle contact that disengages has a negative gap: its surfaces do not separate.
    """
    path, problem = result.path, result.problem
    near = PROVEN * len(path.stage) * float(np.abs(moved).max(initial=0.0))
    done = np.where(path.stage == kernels.BASE, path.share, 1.0)
    relaxed = np.linalg.pinv(problem.stiffness) @ result.preload[:, :, None]
    apart = moved[:, :, 2] - done[:, None] * relaxed[None, :, 2, 0]
    near += PROVEN * float(np.abs(relaxed[:, 2]).max())
    opened = path.mode[:-1] == kernels.OPEN
    then = path.gap[:-1] + np.diff(apart, axis=0)
    brittle = problem.rule == kernels.BRITTLE
    engages = brittle & (path.gap[1:] == 0.0) & (then <= near)
    if (np.abs(then - path.gap[1:])[opened & ~engages] > near).any():
        return ["a gap is not the distance of its surfaces"]
    if (path.gap[:, ~brittle] < -near).any() or path.gap[path.mode == kernels.HELD].any():
        return ["a contact without a gap is open, or an open one overlaps"]
    return []


def _wrong_losses(result: LoadSharing, size: float) -> list[str]:
    """Lost forces decrease to zero in proportion, at a constant load."""
    path = result.path
    near = PROVEN * size
    for i in range(len(result.assembly)):
        for at in np.nonzero((path.mode[:-1, i] == kernels.FAILED) & path.force[:-1, i].any(axis=1))[0]:
            before, after = path.force[at, i], path.force[at + 1, i]
            left = float(after @ before) / float(before @ before)
            if np.abs(after - np.clip(left, 0.0, 1.0) * before).max() > near:
                return [f"contact {i} failed, and its force does not decrease"]
            constant = path.stage[at] == path.stage[at + 1] and path.share[at] == path.share[at + 1]
            if not constant and float(np.abs(before).max()) > near:
                return [f"contact {i} failed, and the load grows before its force is lost"]
    return []


def _piece(result: LoadSharing, at: int, i: int) -> Polytope:
    unit = int(result.problem.unit[i])
    return result.assembly.contacts[i].volume.polytopes[int(result.path.piece[at, unit])]


def _outside(result: LoadSharing, i: int, size: float) -> list[str]:
    """A held force lies in its piece at both ends of a segment; open contacts carry nothing.

    A contact that fails has reached the border of its volume, or belongs to a unit with a point that has.
    """
    path, volume, faults = result.path, result.assembly.contacts[i].volume, []
    near = float(near_border(result.problem, path)[i])
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
    return faults


def _wrong_flow(result: LoadSharing, i: int, size: float) -> list[str]:
    """Flow of a contact that holds is a sum of the directions of the facets that its force lies on."""
    path, faults = result.path, []
    flows = -np.diff(path.flowed[:, i], axis=0)
    scale = float(np.abs(path.flowed[:, i]).max(initial=0.0))
    held = path.mode[:-1, i] == kernels.HELD
    for at in np.nonzero((np.abs(flows).max(axis=1) > STILL * scale) & held)[0]:
        if result.rules[i] == "brittle":
            faults.append(f"contact {i} is brittle and flows in segment {at}")
            continue
        if path.flow[at, i, 0] == kernels.NO_FACET:
            faults.append(f"contact {i} flows in segment {at}, and is said not to")
            continue
        ends = path.force[[at, at + 1], i]
        piece = int(path.piece[at, result.problem.unit[i]])
        both = flow_directions(result.problem, i, piece, ends.mean(axis=0), float(near_border(result.problem, path)[i]))
        missing = cone_distance(both, flows[at])
        if missing > FOLLOWS * float(np.abs(flows[at]).max()) + PROVEN * scale:
            faults.append(f"contact {i} does not flow along its border's normal in segment {at}")
    for at in np.nonzero(held & (path.flow[:-1, i, 0] != kernels.NO_FACET))[0]:
        if float(_piece(result, int(at), i).signed_distance(path.force[at, i])) < -float(
            near_border(result.problem, path)[i]
        ):
            faults.append(f"contact {i} is said to flow in segment {at}, inside its volume")
    return faults


# -- what is claimed --------------------------------------------------------------------------------


def _wrong_claims(result: LoadSharing, size: float) -> list[str]:
    """Status, peak, first failure and the motion of a collapse follow from the path and its end."""
    from .sequences import SharingStatus as Status

    path, problem, z = result.path, result.problem, result.mechanism
    share, loaded = float(path.share[-1]), path.stage[-1] == kernels.LOAD
    status = result.status
    breaks = status in (Status.COLLAPSES, Status.UNSTABLE, Status.FAILS_AT_BASE)
    if loaded == (status is Status.FAILS_AT_BASE):
        return [f"the path ends in another stage than {status.value!r} says"]
    if loaded and share > result.until * (1.0 + PROVEN):
        return ["the path goes on beyond the requested end"]
    if (z is not None) != (status is Status.COLLAPSES) and status is not Status.FAILS_AT_BASE:
        return [f"{status.value!r} does not fit the motion of the collapse"]
    peak = np.inf if status is Status.UNLIMITED else share if loaded else -np.inf
    if not _agree(result.peak, peak):
        return ["the peak is not the end of the path"]
    first = _first_failure(result, share if breaks else None)
    if not _agree(result.first_failure, first):
        return ["the first failure is not the first on the path"]
    if status is Status.UNLIMITED:
        return _limited(result, size)
    if status is Status.HOLDS_THROUGHOUT:
        reached = np.isfinite(result.until) and share >= result.until * (1.0 - PROVEN)
        return [] if reached else ["the path ends before the requested end"]
    nears = near_border(problem, path)
    if z is not None:
        return resistance(problem, path, z, nears)
    if not (problem.rule == kernels.SLIP).any():
        return ["no contact slips, and nothing shows that the path ends"]
    return ["the object can collapse"] if driven_mechanism(problem, path, nears) is not None else []


def _agree(claimed: float, derived: float) -> bool:
    """Whether two factors are the same, up to rounding; infinite ones exactly."""
    return claimed == derived or (np.isfinite(derived) and abs(claimed - derived) <= PROVEN * abs(derived))


def _first_failure(result: LoadSharing, end: float | None) -> float:
    """Factor at which the first contact fails or flows; that of the collapse if none does."""
    path = result.path
    flows = (path.mode == kernels.HELD) & (path.flow[:, :, 0] != kernels.NO_FACET)
    flows[-1] = False
    rows = np.nonzero((flows | (path.mode == kernels.FAILED)).any(axis=1))[0]
    if len(rows):
        return float(path.share[rows[0]]) if path.stage[rows[0]] == kernels.LOAD else 0.0
    return np.inf if end is None else end if path.stage[-1] == kernels.LOAD else 0.0


def _limited(result: LoadSharing, size: float) -> list[str]:
    """Whether something ends the last segment, which is said to have no end."""
    path, problem = result.path, result.problem
    if not np.isinf(result.until) or len(path.stage) < 2 or path.share[-1] <= path.share[-2]:
        return ["the path has an end"]
    width = float(path.share[-1] - path.share[-2])
    rates = (path.force[-1] - path.force[-2]) / width
    least = PROVEN * max(size / max(float(path.share[-1]), width), float(np.abs(rates).max()))
    for i in range(len(result.assembly)):
        mode = path.mode[-2, i]
        if mode == kernels.HELD and (_piece(result, -2, i).halfspaces[0] @ rates[i] > 100.0 * least).any():
            return [f"contact {i} leaves its volume on the last segment"]
        if mode == kernels.FAILED and np.abs(path.force[-1, i]).max() > float(near_border(result.problem, path)[i]):
            return [f"contact {i} failed and carries a force"]
        if mode == kernels.OPEN and path.gap[-2, i] > 0.0 and path.gap[-1, i] < path.gap[-2, i] * (1.0 - PROVEN):
            return [f"the gap of contact {i} closes on the last segment"]
    torque = (path.held[-1] - path.held[-2]) / width
    beyond = ((torque > least) & np.isfinite(problem.upper)) | ((torque < -least) & np.isfinite(problem.lower))
    if (beyond & (path.joint_mode[-2] == kernels.LOCKED)).any():
        return ["a joint reaches its limit on the last segment"]
    return []

"""Inner points and outer planes checked from the assembly alone: positions, frames, vertices and joint rows.

Inner: the forces balance the point, keep the joint rows and lie in their pieces. Outer: for a normal n and joint
multipliers z, every force f that is admissible and every wrench w = -W f obey

    n . w  <=  sum_i h_i(R_i^T (J_i^T z - W_i^T n)) - min over s in [lower, upper] of z . s,

h_i being the support function of contact i's hull: weak duality, and no solver.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from .. import tolerances
from ..assembly.assembly import Assembly
from ..checks import Array, BoolArray, IntArray
from ..geometry.polytopes import Polytope
from ..solvers import Status

if TYPE_CHECKING:
    from .space import WrenchSpace

#: Where load and forces vanish, a balance is judged against this share of the smallest piece.
ROUNDING_SHARE = 1e-6

#: Rounding of a sum of supports, relative to the size of its terms and their number.
SUM_ROUNDING = 16.0 * np.finfo(np.float64).eps

#: Checks allow this many times what solutions are asked for.
SLACK = 10.0


@dataclass(frozen=True, eq=False)
class Faults:
    """Rays that do not stand up to the check, by their indices.

    Attributes:
        inner: the forces do not hold the point (or, without a limit, do not grow for ever).
        outer: the half-space does not follow from its normal, or nothing shows that it does.
        undecided: the search was not finished, so that the value is only a lower bound.
    """

    inner: IntArray
    outer: IntArray
    undecided: IntArray

    def __repr__(self) -> str:
        return f"Faults({len(self.inner)} inner, {len(self.outer)} outer, {len(self.undecided)} undecided)"

    @property
    def none(self) -> bool:
        """Whether there are none."""
        return not (len(self.inner) or len(self.outer) or len(self.undecided))

    @cached_property
    def rays(self) -> IntArray:
        """The indices of all rays with a fault, ascending."""
        return np.unique(np.concatenate([self.inner, self.outer, self.undecided]))


def faults_of(space: WrenchSpace) -> Faults:
    """All rays of a space whose inner point or outer plane cannot be confirmed."""
    assembly, status = space.held_assembly, space.status
    attained = np.isfinite(space.values)
    inner = attained.copy()
    if space.forces is not None and space.pieces is not None and attained.any():
        held = holds(assembly, space.points[attained], space.forces[attained], space.pieces[attained])
        inner[attained] = ~held
    endless = np.nonzero(~attained & (status != Status.UNDECIDED))[0]  # no limit, or nothing holds: one by one
    inner[endless] = [not space.ray(int(i)).verify() for i in endless]
    known = np.isfinite(space.offsets)
    outer = known.copy()
    if known.any():
        joints = np.zeros((len(space), 0)) if space.joint_multipliers is None else space.joint_multipliers
        outer[known] = ~planes_are_outer(assembly, space.normals[known], space.offsets[known], joints[known])
    return Faults(*(np.nonzero(mask)[0] for mask in (inner, outer, status == Status.UNDECIDED)))


def holds(assembly: Assembly, wrenches: Array, forces: Array, pieces: Array) -> BoolArray:
    """(n,) whether world forces (n, k, 3), each in its piece (n, k), balance wrenches (n, 6) within the joint rows."""
    if not (pieces >= 0).all() or not np.isfinite(forces).all():
        sound = (pieces >= 0).all(axis=1) & np.isfinite(forces).all(axis=(1, 2))
        result = np.zeros(len(wrenches), dtype=bool)
        if sound.any():
            result[sound] = holds(assembly, wrenches[sound], forces[sound], pieces[sound])
        return result
    smallest = min(p.size for c in assembly.contacts for p in c.volume.polytopes)
    loads = assembly.loads(wrenches)[:, :6]
    scale = np.maximum(np.abs(loads).max(axis=1), np.abs(forces).max(axis=(1, 2)))
    scale = np.maximum(scale, ROUNDING_SHARE * smallest)
    balanced = balance_residuals(assembly, forces, wrenches) <= SLACK * tolerances.FEASIBILITY * scale
    return balanced & _in_pieces(assembly, forces, pieces)


def balance_residuals(assembly: Assembly, forces: Array, wrenches: Array) -> Array:
    """(n,) largest violation [N] of force, torque and joint rows by world forces (n, k, 3); torques over `length`."""
    stacked = forces.reshape(len(forces), -1)
    missing = stacked @ assembly.wrench_matrix.T + wrenches
    missing[:, 3:] -= np.cross(assembly.positions.mean(axis=0), missing[:, :3])
    worst = np.maximum(np.abs(missing[:, :3]).max(axis=1), np.abs(missing[:, 3:]).max(axis=1) / assembly.length)
    if assembly.joints is None or not len(assembly.joints.lower):
        return worst
    torques = stacked @ assembly.joints.jacobian.T
    over = np.maximum(assembly.joints.lower - torques, torques - assembly.joints.upper).max(axis=1)
    return np.maximum(worst, over / assembly.length)


def _in_pieces(assembly: Assembly, forces: Array, pieces: Array) -> BoolArray:
    """(n,) whether every force lies in the piece it is said to lie in."""
    local = np.einsum("kji,nkj->nki", assembly.rotations, forces)
    result = np.ones(len(forces), dtype=bool)
    for i, contact in enumerate(assembly.contacts):
        for j, piece in enumerate(contact.volume.polytopes):
            rows = np.nonzero(pieces[:, i] == j)[0]
            if len(rows):
                size = np.maximum(np.abs(piece.vertices).max(), np.abs(local[rows, i]).max(axis=1))
                distance = piece.signed_distance(local[rows, i])
                result[rows] &= distance <= SLACK * tolerances.MEMBERSHIP * np.where(size > 0.0, size, 1.0)
        result &= pieces[:, i] < len(contact.volume.polytopes)
    return result


def planes_are_outer(assembly: Assembly, normals: Array, offsets: Array, joint_multipliers: Array) -> BoolArray:
    """(n,) whether normals . w <= offsets for all that the hulls hold, by multipliers (n, r) of the joint rows."""
    most, size = outer_offsets(assembly, normals, joint_multipliers)
    rounding = SUM_ROUNDING * (len(assembly) + normals.shape[1] + joint_multipliers.shape[1])
    return most <= offsets + rounding * size + tolerances.SEPARATION * np.abs(offsets)


def outer_offsets(assembly: Assembly, normals: Array, joint_multipliers: Array) -> tuple[Array, Array]:
    """(offsets (n,), sizes (n,)): the right-hand side above by fresh supports, and the size of its terms.

    inf where the multipliers lean on a joint without a limit or along a force without one, or are missing.
    """
    n, k = len(normals), len(assembly)
    joints = assembly.joints
    rows = 0 if joints is None else len(joints.lower)
    if joint_multipliers.shape[1] != rows:
        return np.full(n, np.inf), np.ones(n)
    columns = assembly.wrench_matrix.reshape(6, k, 3)
    leant = np.zeros((n, k, 3))
    total, size = np.zeros(n), np.zeros(n)
    if joints is not None and rows:
        z = joint_multipliers
        leant = (z @ joints.jacobian).reshape(n, k, 3)
        with np.errstate(invalid="ignore"):
            ends = np.where(z > 0.0, z * joints.lower, np.where(z < 0.0, z * joints.upper, 0.0))
        total -= np.where(np.isnan(z), -np.inf, ends).sum(axis=1)
        size += np.abs(np.where(np.isfinite(ends), ends, 0.0)).sum(axis=1)
        leant = np.where(np.isnan(leant), 0.0, leant)
    hulls: dict[int, tuple[Array, Array]] = {}
    for i, contact in enumerate(assembly.contacts):
        pushed = normals @ columns[:, i]  # (n, 3) world
        # A normal is a sum about the world origin: what cancels there has left its rounding behind.
        arm = _absolute_skew(contact.position)
        terms = np.linalg.norm(np.abs(normals[:, :3]) + np.abs(normals[:, 3:]) @ arm, axis=1)
        terms = terms + np.linalg.norm(leant[:, i], axis=1)
        vertices, rays = hulls.setdefault(id(contact.volume), _generators(contact.volume.polytopes))
        direction = (leant[:, i] - pushed) @ contact.rotation
        total += (direction @ vertices.T).max(axis=1)
        size += float(np.linalg.norm(vertices, axis=1).max()) * terms
        if len(rays):
            total[(direction @ rays.T > tolerances.RAY_SLOPE * terms[:, None]).any(axis=1)] = np.inf
    return total, size


def _absolute_skew(arm: Array) -> Array:
    """(3, 3) magnitudes of [arm], for the size of a cross product's terms."""
    x, y, z = np.abs(arm)
    return np.array([[0.0, z, y], [z, 0.0, x], [y, x, 0.0]])


def _generators(pieces: tuple[Polytope, ...]) -> tuple[Array, Array]:
    """All vertices and all rays (of length 1) of a union of pieces: those of its hull."""
    rays = np.concatenate([piece.rays for piece in pieces])
    return np.concatenate([p.vertices for p in pieces]), rays / np.linalg.norm(rays, axis=1, keepdims=True)

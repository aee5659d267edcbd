"""Friction cones of contacts, and the equations of motion at contacts with Coulomb friction, whitened and scaled.

A contact obeys Coulomb's law when its volume is one cone: an apex (0, 0, -pull) on its normal axis, and above it the
forces f_t in (f_n + pull) D. D is a disc: the ellipse with semi-axes mu and mu_lateral that a ready model stands for,
or the polygon of a cone given by vertices and rays. The law, with a the acceleration of the object relative to the
surface, both in the contact frame (u, v, n):

    a_n >= 0, f_n >= -pull, (f_n + pull) a_n = 0,  and where a_n = 0:  f_t minimises f_t . a_t over (f_n + pull) D.

With f' = f - apex and the pulls added to the load, the cones have their apex at zero. In coordinates x = L^T a, with
the mass matrix M = L L^T about the centre of mass, x = x0 + sum_i B_i f'_i, and B_i^T x is the acceleration of contact
i. Everything is divided by |x0|.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np

from .. import tolerances
from ..assembly.assembly import Assembly
from ..assembly.contacts import Contact
from ..checks import Array, BoolArray, IntArray
from ..errors import InputError
from ..force_limits.volume import ForceVolume
from ..geometry.frames import skew
from .kernels import DRIVEN, FREE, CoulombArrays
from .mass import centre_of_mass

#: Relative tolerance for lengths, slopes and forces of a cone.
SAME = 1e-9

#: A contact moves when its velocity exceeds this fraction of the object's.
MOVING = 1e-9

#: The object moves where x0 . x exceeds this share of |x0|^2.
STRICT = 1e-7

#: Contacts that touch or stick may accelerate by this fraction of the acceleration without contacts.
SLACK = 1e-9

#: Finest arcs into which directions of slip are divided: 2 pi / 2^level.
FINEST = 13


@dataclass(frozen=True, eq=False)
class ContactCone:
    """The cone f_t in (f_n + pull) D, f_n <= cap, of one contact, in its frame.

    Attributes:
        semi: (2,) semi-axes of D along u and v: mu and mu_lateral; those of its extent for a polygon.
        corners: (c, 2) of a polygon D, anticlockwise; (0, 2) for an ellipse.
        pull: largest pulling force [N]: the apex is (0, 0, -pull).
        cap: largest pressing force [N]; inf for none.
    """

    semi: Array
    corners: Array
    pull: float
    cap: float

    def friction(self, directions: Array) -> Array:
        """(m, 2) the point of D furthest in each direction (m, 2)."""
        if len(self.corners):
            return self.corners[np.argmax(directions @ self.corners.T, axis=1)]
        stretched = directions * self.semi
        lengths = np.linalg.norm(stretched, axis=1, keepdims=True)
        return self.semi * stretched / np.where(lengths > 0.0, lengths, 1.0)

    def excess(self, force: Array) -> float:
        """How far a force (3,) [N] lies outside the cone, in its largest violated condition [N]; 0 inside."""
        height = float(force[2]) + self.pull
        over = [-height, float(force[2]) - self.cap, 0.0]
        if len(self.corners):
            sides = np.roll(self.corners, -1, axis=0) - self.corners
            normals = np.column_stack([sides[:, 1], -sides[:, 0]])
            normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), tolerances.SMALLEST_LENGTH)
            size = float(np.linalg.norm(force[:2]))
            if size > 0.0:
                over.append(size - height * float(self.friction(force[None, :2])[0] @ force[:2]) / size)
            over.append(float((normals @ force[:2] - height * np.einsum("ij,ij->i", normals, self.corners)).max()))
        else:
            wide = self.semi > 0.0
            size = float(np.linalg.norm(force[:2][wide] / self.semi[wide]))
            over += [float(np.abs(force[:2][~wide]).max(initial=0.0)), (size - height) * float(self.semi.max())]
        return max(over)


#: Cones of volumes, stored while the volumes exist.
_KNOWN: WeakKeyDictionary[ForceVolume, ContactCone | None] = WeakKeyDictionary()


def friction_cone_of(volume: ForceVolume) -> ContactCone | None:
    """The friction cone of a volume; None if it is not a friction cone."""
    if volume not in _KNOWN:
        _KNOWN[volume] = _read_cone(volume) if len(volume) == 1 else None
    return _KNOWN[volume]


def _read_cone(volume: ForceVolume) -> ContactCone | None:
    """The friction cone of a volume of one piece."""
    vertices, rays = volume.pieces[0], volume.rays[0]
    size = float(np.abs(vertices).max(initial=0.0))
    low = int(np.argmin(vertices[:, 2]))
    apex, others = vertices[low], np.delete(vertices, low, axis=0)
    if np.abs(apex[:2]).max() > SAME * size or apex[2] > SAME * size:
        return None
    pull, cap = max(0.0, -float(apex[2])), np.inf
    if len(others):
        cap = float(others[:, 2].max())
        if len(rays) or cap + pull <= 0.0 or np.abs(others[:, 2] - cap).max() > SAME * (size + pull):
            return None
        corners = others[:, :2] / (cap + pull)
    else:
        if not len(rays) or (rays[:, 2] <= 0.0).any():
            return None
        corners = rays[:, :2] / rays[:, 2:]
    return _cone(volume, corners, pull, cap)


def _cone(volume: ForceVolume, corners: Array, pull: float, cap: float) -> ContactCone | None:
    """The cone with a disc that has these corners, or with the ellipse that they approximate."""
    recipe = volume.recipe
    extent = np.abs(corners).max(axis=0, initial=0.0)
    if recipe is not None and recipe.facets and (extent > SAME * extent.max(initial=0.0)).all():
        # The corners are those of a regular polygon scaled by the semi-axes: on the ellipse, or around it.
        inner = recipe.parameters["side"] == "inner"
        turned = 2.0 * np.pi * (np.arange(recipe.facets) + (0.0 if inner else 0.5)) / recipe.facets
        widths = np.abs([np.cos(turned), np.sin(turned)]).max(axis=1)
        semi = extent / widths * (1.0 if inner else np.cos(np.pi / recipe.facets))
        return ContactCone(semi, np.zeros((0, 2)), pull, cap)
    angles = np.arctan2(corners[:, 1], corners[:, 0])
    corners = corners[np.argsort(angles)]
    turns = corners[:, 0] * np.roll(corners[:, 1], -1) - corners[:, 1] * np.roll(corners[:, 0], -1)
    if (turns < -SAME * max(1.0, extent.max(initial=0.0)) ** 2).any():
        return None  # the normal is not in the cone
    if extent.max(initial=0.0) == 0.0:
        return ContactCone(np.zeros(2), np.zeros((0, 2)), pull, cap)
    return ContactCone(extent, corners, pull, cap)


def friction_cones(assembly: Assembly) -> tuple[ContactCone, ...]:
    """The cone of every contact; an InputError names the first contact that has none."""
    cones = []
    for index, contact in enumerate(assembly.contacts):
        cone = friction_cone_of(contact.volume)
        if cone is None:
            raise InputError(_why_not(contact.volume), where=_name(index, contact), fix=_NO_LAW)
        cones.append(cone)
    return tuple(cones)


_NO_LAW = (
    "Coulomb's law needs a cone about the normal: coulomb, pyramid, soft_finger, suction, suction_ring or magnet; for "
    "measured volumes, whose flow law is unknown, use hf.separation"
)


def obeys_coulomb(assembly: Assembly) -> bool:
    """Whether every contact is a cone about its normal, so that Coulomb's law determines its motion."""
    return all(friction_cone_of(contact.volume) is not None for contact in assembly.contacts)


def _name(index: int, contact: Contact) -> str:
    return f"contacts[{index}]" + (f" ({contact.name})" if contact.name else "")


def _why_not(volume: ForceVolume) -> str:
    model = f"{volume.recipe.model}: " if volume.recipe is not None else ""
    if len(volume) > 1:
        return f"{model}a union of {len(volume)} pieces has no law of motion"
    return f"{model}not a cone with its apex on the normal axis"


@dataclass(frozen=True, eq=False)
class CoulombProblem:
    """Contacts with Coulomb friction, the load and the inertia, whitened and scaled.

    Attributes:
        assembly: contacts and joint rows.
        load: (6,) external wrench about the world origin.
        mass_matrix: (6, 6) about the world origin.
        velocity: (6,) of the object's point at the world origin, angular velocity.
        cones: of each contact.
        touching: (t,) the contacts that are not already separating, to which the arrays refer.
        moving_joints: (j,) the joint rows that are not locked, to which the arrays refer.
        slips: (k,) whether the velocity slides at each contact.
        arrays: the input of the kernels.
        scale: the unit of x in the arrays [sqrt(kg) m/s^2]: |x0|, or the effect of velocities and joints.
        lever: |B_i| [1/sqrt(kg)]: accelerations of contacts are in units of scale lever, forces of scale / lever.
        to_acceleration: (6, 6) acceleration about the world origin per unit of x.
        convective: (6,) part of the acceleration equation from the velocity: M a = load - convective + W f.
        at_rest: whether nothing moves.
        dissipative: whether |x|^2 <= x0 . x for every motion: at rest, and no joint drives.
        moved: how far contacts were moved into common planes, a fraction of the assembly's length; see `flattened`.
    """

    assembly: Assembly
    load: Array
    mass_matrix: Array
    velocity: Array
    cones: tuple[ContactCone, ...]
    touching: IntArray
    moving_joints: IntArray
    slips: BoolArray
    arrays: CoulombArrays
    scale: float
    lever: float
    to_acceleration: Array
    convective: Array
    at_rest: bool
    dissipative: bool
    moved: float

    @cached_property
    def apexes(self) -> Array:
        """(k, 3) the lowest point of every cone, in the contact frames [N]."""
        return np.array([(0.0, 0.0, -cone.pull) for cone in self.cones]).reshape(-1, 3)

    def acceleration(self, x: Array) -> Array:
        """(6,) acceleration of the object's point at the world origin, angular acceleration."""
        return self.scale * (self.to_acceleration @ x)

    def local_forces(self, f: Array) -> Array:
        """(k, 3) forces [N] in the contact frames, of scaled forces (t, 3) above the apexes."""
        forces = self.apexes.copy()
        forces[self.touching] += self.scale / self.lever * f
        return forces

    def joint_accelerations(self, theta: Array) -> Array:
        """(r,) of all joint rows."""
        rows = self.assembly.joints
        result = np.zeros(0 if rows is None else len(rows))
        result[self.moving_joints] = self.scale * self.lever * theta
        return result

    def first_cell(self) -> tuple[IntArray, IntArray]:
        """Modes and arcs of the cell that contains every motion."""
        k, r = len(self.touching), len(self.moving_joints)
        modes, arcs = np.full(k + r, FREE, dtype=np.int64), np.zeros((k + r, 2), dtype=np.int64)
        modes[k:][self.arrays.lower == self.arrays.upper] = DRIVEN
        return modes, arcs


def contact_velocities(assembly: Assembly, velocity: Array) -> Array:
    """(k, 3) velocity [m/s] of the object at each contact, in the contact frames."""
    speeds = velocity[:3] + np.cross(velocity[3:], assembly.positions)
    return np.einsum("kji,kj->ki", assembly.rotations, speeds)


def least_speed(assembly: Assembly, velocity: Array) -> float:
    """Speed [m/s] below which a contact counts as at rest."""
    reach = float(np.linalg.norm(assembly.positions, axis=1).max(initial=0.0))
    return MOVING * float(np.linalg.norm(velocity[:3]) + np.linalg.norm(velocity[3:]) * reach)


def convective_acceleration(assembly: Assembly, velocity: Array) -> Array:
    """(k, 3) omega x (omega x p): contribution of the velocity to the object's acceleration at each contact.

    In the contact frames. The contact is a point of the object on a flat surface at rest.
    """
    spin = skew(velocity[3:])
    return np.einsum("kji,kj->ki", assembly.rotations, assembly.positions @ (spin @ spin).T)


def convective_wrench(mass_matrix: Array, velocity: Array) -> Array:
    """(6,) c with M a + c = w: the wrench that a rigid body with this velocity needs at zero acceleration a.

    a is the acceleration of the body's point at the world origin; c = (m w x (w x com), w x I w), I about the origin.
    """
    spin = velocity[3:]
    moment = np.array([mass_matrix[5, 1], mass_matrix[3, 2], mass_matrix[4, 0]])  # m com, from m [com]
    return np.concatenate([np.cross(spin, np.cross(spin, moment)), np.cross(spin, mass_matrix[3:, 3:] @ spin)])


#: Contacts lie in one plane when their normals differ by less than this [rad], and their heights by less than this
#: fraction of the assembly's length: positions and normals in files are rounded.
COPLANAR = 1e-5

_FLAT: WeakKeyDictionary[Assembly, tuple[Array, Array, float]] = WeakKeyDictionary()


def flattened(assembly: Assembly) -> tuple[Array, Array, float]:
    """(positions (k, 3), rotations (k, 3, 3), moved): contacts that almost share a plane, moved onto it.

    Rigid contacts that are coplanar only up to rounding could not slide together. `moved` is the largest displacement
    of a contact, as a fraction of the assembly's length, or its largest rotation [rad].
    """
    if assembly not in _FLAT:
        _FLAT[assembly] = _flatten(assembly)
    return _FLAT[assembly]


def _flatten(assembly: Assembly) -> tuple[Array, Array, float]:
    positions, rotations = assembly.positions.copy(), assembly.rotations.copy()
    normals, free, most = rotations[:, :, 2].copy(), np.ones(len(positions), dtype=bool), 0.0
    for i in range(len(positions)):
        if not free[i]:
            continue
        cosines = normals @ normals[i]
        across = np.linalg.norm(np.cross(normals, normals[i]), axis=1)
        members = np.nonzero(free & (across <= COPLANAR))[0]
        free[members] = False
        if len(members) < 2:
            continue
        signs = np.sign(cosines[members])
        axis = signs @ normals[members]
        axis /= np.linalg.norm(axis)
        heights = positions[members] @ axis
        order, gaps = np.argsort(heights), COPLANAR * assembly.length
        levels = np.concatenate([[0], np.cumsum(np.diff(heights[order]) > gaps)])
        for level in range(levels[-1] + 1):
            plane = order[levels == level]
            positions[members[plane]] += np.outer(heights[plane].mean() - heights[plane], axis)
        for member, sign in zip(members, signs, strict=True):
            shear = rotations[member, :, 0] - (rotations[member, :, 0] @ axis) * axis
            shear /= np.linalg.norm(shear)
            rotations[member] = np.column_stack([shear, np.cross(sign * axis, shear), sign * axis])
    most = max(
        float(np.abs(positions - assembly.positions).max(initial=0.0)) / assembly.length,
        float(np.abs(rotations - assembly.rotations).max(initial=0.0)),
    )
    return positions, rotations, most


def build_problem(assembly: Assembly, load: Array, mass_matrix: Array, velocity: Array) -> CoulombProblem:
    """The whitened, scaled problem of checked inputs; the caller has to exclude velocities that penetrate."""
    cones = friction_cones(assembly)
    speeds = contact_velocities(assembly, velocity)
    least = least_speed(assembly, velocity)
    centre = centre_of_mass(mass_matrix)
    leaves = speeds[:, 2] > least
    slips = ~leaves & (np.hypot(speeds[:, 0], speeds[:, 1]) > least)
    touching = np.nonzero(~leaves)[0]
    move = np.eye(6)
    move[:3, 3:] = skew(centre)  # acceleration at the origin = acceleration at the centre + centre x alpha
    lower = np.linalg.cholesky(move.T @ mass_matrix @ move)
    to_acceleration = move @ np.linalg.inv(lower).T
    positions, rotations, moved = flattened(assembly)
    turns = rotations.transpose(0, 2, 1)
    twist_rows = np.concatenate([turns, turns @ -np.array([skew(x) for x in positions])], axis=2)  # (k, 3, 6)
    white = twist_rows @ to_acceleration
    apexes = np.array([(0.0, 0.0, -cone.pull) for cone in cones]).reshape(-1, 3)
    convective = convective_wrench(mass_matrix, velocity)
    drive = to_acceleration.T @ (load - convective) + np.einsum("kin,ki->n", white, apexes)
    bias = convective_acceleration(assembly, velocity)
    rows = assembly.joints
    moving = np.zeros(0, dtype=np.int64)
    joints, low, high = np.zeros((len(assembly), 3, 0)), np.zeros(0), np.zeros(0)
    if rows is not None:
        moving = np.nonzero(np.isfinite(rows.lower) | np.isfinite(rows.upper))[0]
        blocks = rows.jacobian[moving].reshape(len(moving), len(assembly), 3)
        joints = np.einsum("kji,rkj->kir", rotations, blocks)
        shift = np.einsum("kir,ki->r", joints, apexes)
        low, high = rows.lower[moving] - shift, rows.upper[moving] - shift
    lever = float(np.linalg.norm(white, axis=2).max())
    push = np.clip(0.0, low, high)  # the smallest torque of each joint
    reach = np.abs(joints).max(axis=(0, 1), initial=0.0)
    pushes = np.abs(push) / np.where(reach > 0.0, reach, np.inf) * lever
    moves = float(np.abs(bias[touching]).max(initial=0.0)) / lever
    scale = max(float(np.linalg.norm(drive)), moves, float(pushes.max(initial=0.0)))
    terms = np.abs(to_acceleration.T) @ np.abs(load) + np.einsum("kin,ki->n", np.abs(white), np.abs(apexes))
    if scale <= tolerances.SUM_ROUNDING * float(np.linalg.norm(terms)):
        drive, scale = np.zeros(6), 1.0
    force = scale / lever
    at_rest = not velocity.any()
    dissipative = at_rest and not push.any()
    corners = [cones[i].corners for i in touching]
    arrays = CoulombArrays(
        drive=np.ascontiguousarray(drive / scale),
        white=np.ascontiguousarray(white[touching] / lever),
        bias=np.ascontiguousarray(bias[touching] / (scale * lever)),
        joints=np.ascontiguousarray(joints[touching]),
        lower=low / force,
        upper=high / force,
        semi=np.array([cones[i].semi for i in touching]).reshape(-1, 2),
        corners=np.concatenate([np.zeros((0, 2)), *corners]),
        first=np.concatenate([[0], np.cumsum([len(c) for c in corners])]).astype(np.int64),
        cap=np.array([(cones[i].cap + cones[i].pull) / force for i in touching]).reshape(-1),
        slip=np.where(slips, np.arctan2(speeds[:, 1], speeds[:, 0]), np.nan)[touching],
        push=push / force,
        settings=np.array([STRICT, float(dissipative), float(FINEST), 1.0, float(FINEST), SLACK]),
    )
    return CoulombProblem(
        assembly, load, mass_matrix, velocity, cones, touching, moving, slips, arrays, scale, lever, to_acceleration,
        convective, at_rest, dissipative, moved,
    )  # fmt: skip

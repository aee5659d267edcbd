"""Mass matrices about the world origin, moments of inertia of shapes, and the rigid body of a mass matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..assembly.assembly import Assembly, Load, SceneLike, asked_about
from ..assembly.loads import gravity_wrench
from ..assembly.shapes import Box, Cylinder, Shape, Sphere, as_shape
from ..checks import Array
from ..errors import GeometryError, InputError
from ..geometry.frames import Pose, skew
from ..geometry.frames import rotation as checked_rotation
from ..public_names import with_advice

# Mass matrices.

#: Relative tolerance of the symmetry of a matrix, with respect to its diagonal.
SYMMETRIC = 1e-9

#: Smallest entry on the diagonal: accelerations by smaller masses would overflow.
LIGHTEST = 1.0 / checks.LARGEST_NUMBER

#: Largest ratio of two entries on the diagonal: beyond it, rounding of the large ones hides the small ones.
WIDEST = 1e16

#: A matrix is singular when its smallest eigenvalue, after scaling its diagonal to 1, is below this.
SINGULAR = 1e-12


@with_advice()
def mass_matrix(mass: float, inertia: ArrayLike, com: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """B (6, 6) of (7) and (8) about the world origin: [[m I, -m [c]], [m [c], I_c - m [c][c]]].

    It maps a twist rate (acceleration [m/s^2] of the body's point at the world origin, angular acceleration
    [rad/s^2]) of an object at rest to the wrench (force [N], torque [N m] about the world origin) that causes it.

    Args:
        mass: [kg].
        inertia: (3, 3) about the centre of mass, in world axes [kg m^2].
        com: (3,) centre of mass c in the world [m].
    """
    mass = _checked_mass(mass)
    inertia = positive_definite("inertia", inertia, 3)
    arm = skew(checks.vector("com", com, 3))
    result = np.block([[mass * np.eye(3), -mass * arm], [mass * arm, inertia - mass * arm @ arm]])
    result.setflags(write=False)
    return result


def positive_definite(name: str, value: ArrayLike, size: int) -> Array:
    """`value` as a read-only symmetric positive definite matrix (size, size).

    Rows and columns may differ in unit: the diagonal is scaled to 1 before anything is compared.
    """
    matrix = checks.array(name, value, (size, size))
    diagonal = np.diagonal(matrix)
    if (diagonal < LIGHTEST).any():
        at = int(np.argmax(diagonal < LIGHTEST))
        fix = f"the diagonal must be positive, at least {LIGHTEST:g}"
        raise InputError(f"is {diagonal[at]:g}", where=f"{name}[{at}, {at}]", fix=fix)
    if diagonal.max() > WIDEST * diagonal.min():
        fix = f"the diagonal must not differ by more than a factor of {WIDEST:g}; check the units"
        raise InputError(f"goes from {diagonal.min():g} to {diagonal.max():g}", where=f"diagonal of {name}", fix=fix)
    lengths = np.sqrt(diagonal)
    scaled = matrix / np.outer(lengths, lengths)
    uneven = np.abs(scaled - scaled.T)
    if uneven.max() > SYMMETRIC:
        i, j = (int(t) for t in np.unravel_index(uneven.argmax(), uneven.shape))
        raise InputError(
            f"is not symmetric: entry [{i}, {j}] is {matrix[i, j]:g}, [{j}, {i}] is {matrix[j, i]:g}",
            where=name,
            fix="give a symmetric matrix",
        )
    require_definite(name, scaled)
    result = 0.5 * (matrix + matrix.T)
    result.setflags(write=False)
    return result


def require_definite(name: str, scaled: Array) -> None:
    """Raise unless a symmetric matrix, its diagonal scaled to 1, is positive definite beyond rounding."""
    least = float(np.linalg.eigvalsh(0.5 * (scaled + scaled.T))[0])
    if least < -SINGULAR:
        raise InputError(
            "is indefinite: some motion would have negative energy", where=name, fix="every eigenvalue must be positive"
        )
    if least <= SINGULAR:
        raise InputError(
            "is singular: some motion would have no energy",
            where=name,
            fix="give every direction a mass and every axis an inertia",
        )


# Moments of inertia.

#: Relative amount by which the largest principal moment may exceed the sum of the others: given values are rounded.
TRIANGLE = 0.01


@with_advice()
def inertia_matrix(moments: ArrayLike, *, where: str = "inertia") -> Array:
    """(3, 3) inertia [kg m^2] from one number (a ball), three moments xx, yy, zz, six entries, or (3, 3).

    Six entries are xx, yy, zz, xy, xz, yz of the matrix: xy is minus the integral of x y dm, as in a URDF. The matrix
    must be positive definite. As for every rigid body, no principal moment may exceed the sum of the other two.

    Args:
        moments: (), (1,), (3,), (6,) or (3, 3) [kg m^2].
        where: name of the argument, for errors.
    """
    given: Any = moments
    if len(checks.shape(where, moments)) < 2:
        given = moments if np.ndim(moments) else [moments]
        flat = checks.array(where, given, ("n",))
        if len(flat) not in (1, 3, 6):
            fix = "give 1 number, 3 moments xx, yy, zz, or 6 with the products xy, xz, yz"
            raise InputError(f"has {len(flat)} numbers", where=where, fix=fix)
        given = np.diag(np.broadcast_to(flat[:3], (3,)).copy())
        if len(flat) == 6:
            given[[0, 0, 1], [1, 2, 2]] = given[[1, 2, 2], [0, 0, 1]] = flat[3:]
    matrix = positive_definite(where, given, 3)
    principal = np.linalg.eigvalsh(matrix)
    if principal[2] > principal[0] + principal[1] + TRIANGLE * principal[2]:
        words = ", ".join(f"{moment:.4g}" for moment in principal)
        fix = "the largest principal moment is at most the sum of the other two"
        raise InputError(f"no rigid body has the principal moments {words} kg m^2", where=where, fix=fix)
    return matrix


# Moments of inertia of shapes with uniform density.

#: A distance between a shape's centre and the centre of mass above this fraction of the shape's size is reported.
OFF_CENTRE = 0.01

#: A mesh whose signed volume is below this fraction of its box's volume does not enclose anything.
SMALLEST_FILLING = 1e-6


@dataclass(frozen=True, eq=False)
class Inertia:
    """Moments of inertia of an object about its centre of mass, in world axes, and where they come from.

    Attributes:
        matrix: (3, 3) [kg m^2].
        source: their source, as text.
        assumed: whether the shape of the object is unknown.
    """

    matrix: Array
    source: str
    assumed: bool = False


@with_advice()
def inertia_of(mass: float, shape: Any, com: ArrayLike, contacts: ArrayLike) -> Inertia:
    """The inertia about the centre of mass of an object of uniform density with a given shape.

    The moments are those of the filled shape about its own centroid, used about `com` also if `com` is elsewhere. Then
    the density is not uniform, and `source` states the distance. Without a shape, a solid ball about the centre of mass
    that reaches the furthest contact is assumed, and `assumed` is true.

    Args:
        mass: [kg].
        shape: box, cylinder, curved plate, ball or closed mesh as in scenes and devices; None when unknown.
        com: (3,) centre of mass in the world [m].
        contacts: (k, 3) contact points in the world [m].
    """
    mass = _checked_mass(mass)
    centre = checks.vector("com", com, 3)
    points = checks.array("contacts", contacts, ("k", 3))
    if shape is None:
        radius = float(np.linalg.norm(points - centre, axis=1).max(initial=0.0))
        if radius == 0.0:
            raise InputError("has no extent", where="contacts", fix="give the inertia, or a shape")
        text = "assumed: a solid ball about the centre of mass that reaches the furthest contact"
        return Inertia(ball_inertia(mass, radius), f"{text} ({1e3 * radius:.4g} mm)", assumed=True)
    name, matrix, middle, size = _of_shape(mass, shape)
    away = float(np.linalg.norm(middle - centre))
    words = f"{name} of uniform density"
    if away > OFF_CENTRE * size:
        words += f"; the centre of mass is {1e3 * away:.3g} mm from its centroid"
    return Inertia(matrix, words)


@with_advice()
def ball_inertia(mass: float, radius: float) -> Array:
    """(3, 3) of a solid ball about its middle: 2/5 m r^2 [kg m^2]."""
    return 0.4 * _checked_mass(mass) * _checked_length("radius", radius) ** 2 * np.eye(3)


@with_advice()
def box_inertia(mass: float, size: ArrayLike, rotation: ArrayLike | None = None) -> Array:
    """(3, 3) of a solid box with full lengths `size` (3,) [m] along the columns of `rotation`, about its middle."""
    a, b, c = (_checked_length(f"size[{i}]", x) ** 2 for i, x in enumerate(checks.vector("size", size, 3)))
    return _turned(_checked_mass(mass) / 12.0 * np.diag([b + c, a + c, a + b]), rotation)


@with_advice()
def cylinder_inertia(
    mass: float, radius: float, length: float, rotation: ArrayLike | None = None, *, half_angle: float = np.pi
) -> Array:
    """(3, 3) about its middle: of a solid cylinder along z of `rotation`, or of a thin curved plate.

    The plate spans `half_angle` [rad] to either side of x, on the mantle; its middle is that of the bent plate.
    """
    mass, radius, length = _checked_mass(mass), _checked_length("radius", radius), _checked_length("length", length)
    half_angle = checks.positive("half_angle", half_angle, unit="rad")
    if half_angle >= np.pi:
        across = mass * (radius**2 / 4.0 + length**2 / 12.0)
        return _turned(np.diag([across, across, mass * radius**2 / 2.0]), rotation)
    lean = np.sin(2.0 * half_angle) / (4.0 * half_angle)
    xx = radius**2 * (0.5 + lean) - _plate_middle(radius, half_angle) ** 2  # mean squares about the middle
    yy, zz = radius**2 * (0.5 - lean), length**2 / 12.0
    return _turned(mass * np.diag([yy + zz, xx + zz, xx + yy]), rotation)


@with_advice()
def mesh_inertia(mass: float, triangles: ArrayLike) -> tuple[Array, Array]:
    """((3, 3) about the middle, (3,) middle [m]) of the solid that triangles (t, 3, 3) in the world [m] enclose.

    Summed over the tetrahedra between each triangle and one point; the triangles must close, all facing outwards or
    all inwards.
    """
    mass, corners = _checked_mass(mass), checks.array("triangles", triangles, ("t", 3, 3))
    if not len(corners):
        raise GeometryError("has no triangles", where="triangles", fix="give a closed mesh")
    anchor = corners.reshape(-1, 3).mean(axis=0)
    a, b, c = (corners[:, k] - anchor for k in range(3))
    volumes = np.einsum("ti,ti->t", a, np.cross(b, c)) / 6.0
    whole = float(volumes.sum())
    box = float(np.prod(np.maximum(np.ptp(corners.reshape(-1, 3), axis=0), tolerances.SMALLEST_LENGTH)))
    if abs(whole) <= SMALLEST_FILLING * box:
        raise GeometryError("encloses no volume", where="shape", fix="give a closed mesh, or give the inertia")
    middle = (volumes @ (a + b + c)) / (4.0 * whole)
    # The second moment of a tetrahedron with a corner at 0: V/20 (aa + bb + cc + (a+b+c)(a+b+c)).
    total = a + b + c
    squares = sum(np.einsum("t,ti,tj->ij", volumes, x, x) for x in (a, b, c, total)) / (20.0 * whole)
    second = mass * (squares - np.outer(middle, middle))
    return np.trace(second) * np.eye(3) - second, anchor + middle


def _checked_mass(mass: float) -> float:
    return checks.number("mass", mass, low=tolerances.SMALLEST_MASS, high=tolerances.LARGEST_MASS, unit="kg")


def _checked_length(name: str, value: float) -> float:
    """A length of a shape [m]; zero for a thin plate or rod."""
    return checks.number(name, value, low=0.0, high=tolerances.LARGEST_LENGTH, unit="m")


def _plate_middle(radius: float, half_angle: float) -> float:
    """Distance [m] of a thin curved plate's middle from its axis."""
    return radius * float(np.sin(half_angle)) / half_angle


def _turned(matrix: Array, rotation: ArrayLike | None) -> Array:
    if rotation is None:
        return matrix
    turn = checked_rotation("rotation", rotation)
    return turn @ matrix @ turn.T


def _of_shape(mass: float, shape: Any) -> tuple[str, Array, Array, float]:
    """(what it is, inertia (3, 3) about its middle, middle (3,) [m], size [m])."""
    solid = as_shape(shape)
    if isinstance(solid, Box):
        matrix = box_inertia(mass, solid.size, solid.pose.rotation)
        return "a box", matrix, solid.pose.translation, float(solid.size.max())
    if isinstance(solid, Cylinder):
        rotation, half_angle = solid.pose.rotation, solid.half_angle
        name, middle = "a cylinder", solid.center
        if half_angle < np.pi:
            name, middle = "a thin curved plate", middle + _plate_middle(solid.radius, half_angle) * rotation[:, 0]
        matrix = cylinder_inertia(mass, solid.radius, solid.length, rotation, half_angle=half_angle)
        return name, matrix, middle, max(2.0 * solid.radius, solid.length)
    if isinstance(solid, Sphere):
        return "a ball", ball_inertia(mass, solid.radius), solid.center, 2.0 * solid.radius
    matrix, middle = mesh_inertia(mass, solid.triangles)
    return "a mesh", matrix, middle, float(np.ptp(solid.triangles.reshape(-1, 3), axis=0).max())


# Rigid bodies.


def centre_of_mass(matrix: Array) -> Array:
    """(3,) the centre of mass [m] of a rigid body with the mass matrix (6, 6) about the world origin."""
    arm = 3.0 * matrix[3:, :3] / np.trace(matrix[:3, :3])
    return 0.5 * np.array([arm[2, 1] - arm[1, 2], arm[0, 2] - arm[2, 0], arm[1, 0] - arm[0, 1]])


@with_advice(density="give mass")
@dataclass(frozen=True, eq=False)
class RigidBody:
    """A rigid body: mass, centre of mass, inertia and shape.

    Attributes:
        mass: [kg].
        com: (3,) centre of mass in the world [m]; the middle of the shape by default.
        inertia: (3, 3) about the centre of mass, in world axes [kg m^2], or None when unknown. A matrix may be any
            positive definite one; one number, three moments or six entries are checked by `inertia_matrix`.
        name: its name in contacts and reports.
        shape: its outline in the world, or None when unknown.
    """

    mass: float
    com: Array = None  # pyright: ignore[reportAssignmentType]
    inertia: Array | None = None
    name: str = ""
    shape: Shape | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "mass", _checked_mass(self.mass))
        checks.text("name", self.name)
        if self.shape is not None:
            object.__setattr__(self, "shape", as_shape(self.shape))
        if self.com is None:
            if self.shape is None:
                raise InputError("is missing", where="com", fix="give the centre of mass, or a shape with a middle")
            object.__setattr__(self, "com", _of_shape(self.mass, self.shape)[2])
        object.__setattr__(self, "com", checks.vector("com", self.com, 3))
        if self.inertia is not None:
            whole = checks.shape("inertia", self.inertia) == (3, 3)
            made = positive_definite("inertia", self.inertia, 3) if whole else inertia_matrix(self.inertia)
            object.__setattr__(self, "inertia", made)

    def __repr__(self) -> str:
        return f"RigidBody({self.name!r}, {self.mass:g} kg)"

    def weight(self, gravity: ArrayLike) -> Array:
        """(6,) the weight under `gravity` (3,) [m/s^2], torque about the world origin."""
        return gravity_wrench(self.mass, gravity, self.com)

    def moments(self, contacts: Array) -> Inertia:
        """The moments of inertia: given, of its shape, or of a ball that reaches the contacts (k, 3) [m]."""
        if self.inertia is not None:
            return Inertia(self.inertia, "given")
        return inertia_of(self.mass, self.shape, self.com, contacts)

    @staticmethod
    def from_matrix(matrix: Array) -> RigidBody:
        """The body of a mass matrix (6, 6) about the world origin."""
        mass, com = float(np.trace(matrix[:3, :3])) / 3.0, centre_of_mass(matrix)
        arm = matrix[3:, :3] / mass
        inertia = matrix[3:, 3:] + mass * skew(com) @ skew(com)
        size = float(np.abs(arm).max()) or 1.0
        off = max(np.abs(matrix[:3, :3] / mass - np.eye(3)).max(), np.abs(arm - skew(com)).max() / size)
        if off > tolerances.ORTHONORMAL:
            fix = "give hf.dynamics.mass_matrix(mass, inertia, com): one mass for all directions, one centre of mass"
            raise InputError("is not that of a rigid body", where="mass_matrix", fix=fix)
        return RigidBody(mass, com, inertia)

    def matrix_at(self, pose: Pose) -> Array:
        """(6, 6) about the world origin when the body has been moved by `pose`."""
        turned = pose.rotation @ self.moments(self.com[None]).matrix @ pose.rotation.T
        return mass_matrix(self.mass, 0.5 * (turned + turned.T), pose.apply(self.com))


def dynamic_question(
    subject: Assembly | SceneLike, load: Load | None, mass: ArrayLike | None, *, name: str = "load"
) -> tuple[Assembly, Any, ArrayLike]:
    """(assembly, load, mass matrix) of a question about motion; for a scene its weight and mass matrix by default.

    `name` is the name of the load in errors.
    """
    assembly, wrench = asked_about(subject, load, name)
    if mass is not None:
        return assembly, wrench, mass
    own = getattr(subject, "mass_matrix", None)
    if own is None:
        fix = "give the mass matrix: holdfast.dynamics.mass_matrix; only a scene has a default"
        raise InputError("is missing", where="mass_matrix", fix=fix)
    return assembly, wrench, own()

"""Subspaces of wrenches: the loads over which a slice of the wrench space is taken.

A wrench is (force [N], torque [N m] about the world origin). Newtons and newton metres are never compared directly: a
direction on the unit sphere of a subspace has torques in multiples of a characteristic length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..assembly.assembly import Assembly, checked_assembly
from ..checks import Array, BoolArray, IntArray
from ..errors import GeometryError, InputError, UnknownNameError
from ..geometry import directions as sampling
from ..geometry.frames import Pose
from ..public_names import with_advice

#: The named axes, in the order of a wrench.
AXES = ("fx", "fy", "fz", "tx", "ty", "tz")

#: Their units.
UNITS = ("N", "N", "N", "N m", "N m", "N m")


@with_advice()
@dataclass(frozen=True, eq=False)
class Subspace:
    """The span of p independent wrenches; p = 3 for slices, 6 for all loads.

    Attributes:
        axes: (p, 6) wrenches; coordinates c (p,) give the wrench c @ axes.
        labels: p names for pictures and tables.
        units: p units of the coordinates: "N", "N m", or "" for multiples of a wrench as given.
        scales: (p,) factors of unit coordinates on the sphere: 1 for forces, the characteristic length [m]
            for torques. The wrench of a unit vector u is (u * scales) @ axes, so that u has no mixed units.
    """

    axes: Array
    labels: Sequence[str]
    units: Sequence[str]
    scales: Array

    def __post_init__(self) -> None:
        axes = checks.array("axes", self.axes, ("p", 6))
        scales = checks.array("scales", self.scales, (len(axes),))
        if not (scales > 0.0).all():
            raise InputError(
                f"has {scales.min():g}", where="scales", fix="give positive scales: 1 for forces, a length for torques"
            )
        for name in ("labels", "units"):
            words = tuple(str(word) for word in getattr(self, name))
            if len(words) != len(axes):
                raise InputError(f"has {len(words)} for {len(axes)} axes", where=name, fix="give one per axis")
            object.__setattr__(self, name, words)
        object.__setattr__(self, "axes", axes)
        object.__setattr__(self, "scales", scales)
        rank = _rank(axes)
        if rank < len(axes):
            raise GeometryError(
                f"the {len(axes)} wrenches span only {rank} dimension{'s' * (rank != 1)}",
                where="axes",
                fix="give linearly independent wrenches, none of them zero",
            )

    def __repr__(self) -> str:
        return f"Subspace({', '.join(self.labels)})"

    def __len__(self) -> int:
        return len(self.axes)

    @staticmethod
    def named(names: str | Sequence[str], *, length: float | None = None, about: ArrayLike = (0, 0, 0)) -> Subspace:
        """The span of three of the axes fx, fy, fz, tx, ty, tz, as in "fx,ty,fz".

        Args:
            names: three different names, in the order of the coordinates.
            length: characteristic length [m] that torques are scaled by; needed when a torque is among them. An
                assembly's `length` is a good one.
            about: the point [m] at which forces act and about which torques are taken.
        """
        fix = 'give three axes, such as "fx,fy,fz" or "fx,ty,fz"'
        checks.iterable("subspace", names, fix=fix)
        words = list(names.split(",") if isinstance(names, str) else names)
        for word in words:
            checks.instance("subspace", word, str, fix=fix)
        words = [word.strip() for word in words]
        for word in words:
            if word not in AXES:
                raise UnknownNameError("wrench axis", word, AXES, where="subspace")
        if len(words) != 3 or len(set(words)) != 3:
            raise GeometryError(
                f"{', '.join(words) or 'nothing'} is not three different axes ({len(set(words))} found)",
                where="subspace",
                fix='give three, such as "fx,fy,fz" or "fx,ty,fz"',
            )
        torques = [word.startswith("t") for word in words]
        if length is None and any(torques):
            raise InputError(
                "is missing, and torques are not comparable with forces without it",
                where="length",
                fix="give a characteristic length in metres, such as assembly.length",
            )
        arm = 1.0 if length is None else checks.positive("length", length, unit="m")
        point = checks.vector("about", about, 3)
        axes = np.eye(6)[[AXES.index(word) for word in words]]
        axes[:, 3:] += np.cross(point, axes[:, :3])
        return Subspace(axes, words, [UNITS[AXES.index(word)] for word in words], np.where(torques, arm, 1.0))

    @staticmethod
    def spanned(
        basis: ArrayLike,
        labels: Sequence[str] | None = None,
        *,
        length: float,
        units: Sequence[str] | None = None,
    ) -> Subspace:
        """The span of three given wrenches (3, 6); coordinates are multiples of them.

        Args:
            basis: three independent wrenches.
            labels: three names; "a", "b", "c" by default.
            length: characteristic length [m]; on the unit sphere the length of a wrench is the root of |force|^2 +
                |torque / length|^2.
            units: three units of the coordinates; by default "N" for a pure force of 1 N, "N m" for a pure torque of
                1 N m, and "" otherwise.
        """
        axes = checks.array("basis", basis, ("p", 6))
        arm = checks.positive("length", length, unit="m")
        rank = _rank(axes)
        if len(axes) != 3 or rank < 3:
            raise GeometryError(
                f"the {len(axes)} wrench{'es' * (len(axes) != 1)} given span{'s' * (len(axes) == 1)} {rank} dimensions",
                where="basis",
                fix="give exactly three linearly independent wrenches",
            )
        forces, torques = np.linalg.norm(axes[:, :3], axis=1), np.linalg.norm(axes[:, 3:], axis=1)
        unit_force = (torques == 0.0) & (np.abs(forces - 1.0) <= tolerances.ORTHONORMAL)
        unit_torque = (forces == 0.0) & (np.abs(torques - 1.0) <= tolerances.ORTHONORMAL)
        own = [("N" if f else "N m" if t else "") for f, t in zip(unit_force, unit_torque, strict=True)]
        scales = 1.0 / np.hypot(forces, torques / arm)
        return Subspace(axes, "abc" if labels is None else labels, own if units is None else units, scales)

    @staticmethod
    def whole(length: float) -> Subspace:
        """All six axes, torques about the world origin and scaled by `length` [m]."""
        arm = checks.positive("length", length, unit="m")
        return Subspace(np.eye(6), AXES, UNITS, np.repeat([1.0, arm], 3))

    def directions(self, unit_vectors: ArrayLike) -> Array:
        """(n, 6) wrenches of unit vectors u (n, p) on the sphere: (u * scales) @ axes."""
        return (checks.rows("unit_vectors", unit_vectors, len(self)) * self.scales) @ self.axes

    def wrenches(self, coordinates: ArrayLike) -> Array:
        """(..., 6) wrenches of coordinates (..., p) in the subspace's units."""
        return checks.rows("coordinates", coordinates, len(self)) @ self.axes

    def coordinates(self, wrenches: ArrayLike) -> Array:
        """(..., p) coordinates of wrenches (..., 6) of the subspace; an error for wrenches outside it."""
        loads = checks.rows("wrenches", wrenches, 6)
        off = ~self.contains(loads)
        if off.any():
            place = ", ".join(str(int(i)) for i in np.argwhere(off)[0])
            raise InputError(
                f"does not lie in the subspace of {', '.join(self.labels)}",
                where=f"wrenches[{place}]" if place else "wrenches",
                fix="give linear combinations of its axes",
            )
        return loads @ self._pseudoinverse

    def contains(self, wrenches: ArrayLike) -> BoolArray:
        """(...) whether wrenches (..., 6) lie in the subspace, up to rounding."""
        loads = checks.rows("wrenches", wrenches, 6)
        # Forces relative to the largest force among the axes, torques to the largest torque: units are not mixed.
        sizes = _block_sizes(self.axes)
        coordinates = loads @ self._pseudoinverse
        miss = np.abs(coordinates @ self.axes - loads) / sizes
        terms = np.maximum(np.abs(loads), np.abs(coordinates) @ np.abs(self.axes)) / sizes
        return miss.max(axis=-1) <= tolerances.MEMBERSHIP * terms.max(axis=-1)

    def moved(self, pose: Pose) -> Subspace:
        """The same loads moved by a rigid motion of the object."""
        return Subspace(self.axes @ pose.wrench_transport().T, self.labels, self.units, self.scales)

    @cached_property
    def _pseudoinverse(self) -> Array:
        """(6, p) from wrenches in the subspace to coordinates, forces and torques each scaled by their own size."""
        sizes = _block_sizes(self.axes)
        return np.linalg.pinv(self.axes / sizes) / sizes[:, None]


def _block_sizes(wrenches: Array) -> Array:
    """(6,) the largest force, three times, and the largest torque, three times; 1 where there is none."""
    force, torque = np.abs(wrenches[:, :3]).max(initial=0.0), np.abs(wrenches[:, 3:]).max(initial=0.0)
    return np.repeat([force or 1.0, torque or 1.0], 3)


def _rank(wrenches: Array) -> int:
    """Dimensions that wrenches (n, 6) span, for any lengths and units."""
    rows = wrenches / _block_sizes(wrenches)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    rows = rows / np.where(lengths > 0.0, lengths, 1.0)
    singular = np.linalg.svd(rows, compute_uv=False)
    return int((singular > tolerances.FLAT * max(float(singular.max(initial=0.0)), 1.0)).sum())


# Rays: the load directions that a wrench space is sampled along.

#: Default level of the regular sphere: 642 directions.
DEFAULT_LEVEL = 3


@with_advice()
@dataclass(frozen=True, eq=False)
class Rays:
    """Load directions, each a ray from the zero wrench; values along them are multiples of the given direction.

    Attributes:
        directions: (n, 6) external wrenches, none zero, no two on the same ray.
        subspace: where they lie, or None for directions anywhere in R^6.
        triangles: (t, 3) neighbours on the sphere of a three-dimensional subspace, outward; or None.
        seed: random seed of the directions, or None.
    """

    directions: Array
    subspace: Subspace | None = None
    triangles: Array | None = None
    seed: int | None = None

    def __post_init__(self) -> None:
        directions = checks.array("directions", self.directions, ("n", 6))
        if not len(directions):
            raise InputError("is empty", where="directions", fix="give at least one direction")
        object.__setattr__(self, "directions", directions)
        _reject_zero(directions)
        _reject_repeated(directions)
        if self.subspace is not None:
            checks.instance("subspace", self.subspace, Subspace, fix="give a holdfast.wrench_spaces.Subspace, or None")
            off = ~self.subspace.contains(directions)
            if off.any():
                raise InputError(
                    f"does not lie in the subspace of {', '.join(self.subspace.labels)}",
                    where=f"directions[{int(off.argmax())}]",
                    fix="give directions of the subspace, or no subspace",
                )
        if self.triangles is not None:
            object.__setattr__(self, "triangles", self._checked_triangles())
        if self.seed is not None:
            object.__setattr__(self, "seed", checks.seed(self.seed))

    def __len__(self) -> int:
        return len(self.directions)

    def __repr__(self) -> str:
        place = "R^6" if self.subspace is None else ", ".join(self.subspace.labels)
        return f"Rays({len(self)} in {place})"

    @staticmethod
    def sphere(subspace: Subspace, level: int = DEFAULT_LEVEL) -> Rays:
        """A regular sphere: 10 * 4^level + 2 directions of a subdivided icosahedron, with triangles."""
        points, triangles = sampling.icosphere(level)
        return Rays(_slice(subspace).directions(points), subspace, triangles)

    @staticmethod
    def spiral(subspace: Subspace, n: int) -> Rays:
        """`n` directions of a Fibonacci spiral on the sphere, with triangles."""
        points, triangles = sampling.spiral(n)
        return Rays(_slice(subspace).directions(points), subspace, triangles)

    @staticmethod
    def random(assembly: Assembly, n: int, seed: int) -> Rays:
        """`n` directions w = W f anywhere in R^6, with normally distributed contact forces f, as in V.A.

        The contacts could balance every direction if their forces had no limits.
        """
        checked_assembly(assembly)
        rng = np.random.default_rng(checks.seed(seed))
        forces = rng.standard_normal((checks.count("n", n), assembly.wrench_matrix.shape[1]))
        return Rays(forces @ assembly.wrench_matrix.T, seed=seed)

    @staticmethod
    def axes(subspace: Subspace | None = None, *, length: float = 1.0) -> Rays:
        """Both directions of each axis of a subspace: +1, -1, +2, -2, ...; with triangles where there are three axes.

        Without a subspace: along fx, fy, fz, tx, ty, tz, torques of `length` [m] times a newton.
        """
        space = Subspace.whole(length) if subspace is None else subspace
        if len(space) == 3:
            points, triangles = sampling.octahedron()
            return Rays(space.directions(points), space, triangles)
        points = np.repeat(np.eye(len(space)), 2, axis=0) * np.tile([1.0, -1.0], len(space))[:, None]
        return Rays(space.directions(points), space)

    def moved(self, pose: Pose) -> Rays:
        """The same loads moved by a rigid motion of the object."""
        subspace = None if self.subspace is None else self.subspace.moved(pose)
        return Rays(self.directions @ pose.wrench_transport().T, subspace, self.triangles, self.seed)

    @cached_property
    def unit_vectors(self) -> Array:
        """(n, p) the directions on the unit sphere of the subspace, torques scaled by its characteristic length."""
        if self.subspace is None:
            raise InputError("is unknown", where="subspace", fix="give rays of a Subspace")
        points = self.subspace.coordinates(self.directions) / self.subspace.scales
        return points / np.linalg.norm(points, axis=1, keepdims=True)

    def _checked_triangles(self) -> IntArray:
        if self.subspace is None or len(self.subspace) != 3:
            raise InputError("need a three-dimensional subspace", where="triangles", fix="also give the subspace")
        numbers = checks.array("triangles", self.triangles, ("t", 3))  # pyright: ignore[reportArgumentType]
        triangles = numbers.astype(np.int64)
        if (triangles != numbers).any() or (triangles < 0).any() or (triangles >= len(self)).any():
            raise InputError(
                "have wrong numbers of rays", where="triangles", fix=f"give whole numbers from 0 to {len(self) - 1}"
            )
        triangles.setflags(write=False)
        return triangles


def _slice(subspace: Subspace) -> Subspace:
    if not isinstance(subspace, Subspace):
        raise InputError(
            f"is a {type(subspace).__name__}", where="subspace", fix='give a Subspace, as Subspace.named("fx,fy,fz")'
        )
    if len(subspace) != 3:
        raise GeometryError(
            f"has {len(subspace)} dimensions", where="subspace", fix="a sphere needs a three-dimensional subspace"
        )
    return subspace


def _reject_zero(directions: Array) -> None:
    """Refuse zero rows, and rows whose squares are zero by rounding."""
    zero = np.nonzero(np.abs(directions).max(axis=1) <= np.sqrt(np.finfo(float).tiny))[0]
    if len(zero):
        raise InputError(
            "is the zero wrench" + (f", and so are {len(zero) - 1} more" if len(zero) > 1 else ""),
            where=f"directions[{int(zero[0])}]",
            fix="give a load to multiply",
        )


def _reject_repeated(directions: Array) -> None:
    """Refuse rows on the same ray, for any lengths."""
    from scipy.spatial import KDTree

    # Forces and torques each relative to their own size, so that units are not mixed.
    sizes = _block_sizes(directions)
    rows = directions / np.abs(directions / sizes).max(axis=1, keepdims=True) / sizes
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    pairs = KDTree(rows).query_pairs(tolerances.MERGE, output_type="ndarray")
    if len(pairs):
        first, second = pairs[np.lexsort(pairs.T[::-1])[0]].tolist()
        more = f", and {len(pairs) - 1} more pairs are" if len(pairs) > 1 else ""
        raise InputError(
            f"is on the same ray as directions[{first}]{more}",
            where=f"directions[{second}]",
            fix="give every direction once; its length does not matter",
        )

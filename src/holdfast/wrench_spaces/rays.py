"""Rays: the load directions that a wrench space is sampled along."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .. import checks, tolerances
from ..assembly.assembly import Assembly, checked_assembly
from ..checks import Array, IntArray
from ..errors import GeometryError, InputError
from ..geometry import directions as sampling
from ..geometry.frames import Pose
from .subspace import Subspace

#: Level of the regular sphere that is taken when nothing else is said: 642 directions.
DEFAULT_LEVEL = 3


@dataclass(frozen=True, eq=False)
class Rays:
    """Load directions, each a ray from the zero wrench; values along them count multiples of the direction as given.

    Attributes:
        directions: (n, 6) external wrenches, none zero, no two on the same ray.
        subspace: where they lie, or None for directions anywhere in R^6.
        triangles: (t, 3) neighbours on the sphere of a three-dimensional subspace, outward; or None.
        seed: what random directions were drawn with, or None.
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
            object.__setattr__(self, "seed", checks.count("seed", self.seed, low=0))

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
        """`n` directions of a Fibonacci spiral round the sphere, with triangles."""
        points, triangles = sampling.spiral(n)
        return Rays(_slice(subspace).directions(points), subspace, triangles)

    @staticmethod
    def random(assembly: Assembly, n: int, seed: int) -> Rays:
        """`n` directions w = W f anywhere in R^6, with normally distributed contact forces f, as in V.A.

        Every direction is one that the contacts could balance if their forces knew no limits.
        """
        checked_assembly(assembly)
        rng = np.random.default_rng(checks.count("seed", seed, low=0))
        forces = rng.standard_normal((checks.count("n", n), assembly.wrench_matrix.shape[1]))
        return Rays(forces @ assembly.wrench_matrix.T, seed=seed)

    @staticmethod
    def axes(subspace: Subspace | None = None, *, length: float = 1.0) -> Rays:
        """Both ways along each axis of a subspace: +1, -1, +2, -2, ...; with triangles where there are three axes.

        Without a subspace: along fx, fy, fz, tx, ty, tz, torques of `length` [m] times a newton.
        """
        space = Subspace.whole(length) if subspace is None else subspace
        if len(space) == 3:
            points, triangles = sampling.octahedron()
            return Rays(space.directions(points), space, triangles)
        points = np.repeat(np.eye(len(space)), 2, axis=0) * np.tile([1.0, -1.0], len(space))[:, None]
        return Rays(space.directions(points), space)

    def moved(self, pose: Pose) -> Rays:
        """The same loads carried along by a rigid motion of what they act on."""
        subspace = None if self.subspace is None else self.subspace.moved(pose)
        return Rays(self.directions @ pose.wrench_transport().T, subspace, self.triangles, self.seed)

    @cached_property
    def unit_vectors(self) -> Array:
        """(n, p) the directions on the unit sphere of the subspace, torques scaled by its characteristic length."""
        if self.subspace is None:
            raise InputError("is not known", where="subspace", fix="give rays of a Subspace")
        points = self.subspace.coordinates(self.directions) / self.subspace.scales
        return points / np.linalg.norm(points, axis=1, keepdims=True)

    def _checked_triangles(self) -> IntArray:
        if self.subspace is None or len(self.subspace) != 3:
            raise InputError("need a three-dimensional subspace", where="triangles", fix="give the subspace, too")
        numbers = checks.array("triangles", self.triangles, ("t", 3))  # pyright: ignore[reportArgumentType]
        triangles = numbers.astype(np.int64)
        if (triangles != numbers).any() or (triangles < 0).any() or (triangles >= len(self)).any():
            raise InputError(
                "name rays that are not there", where="triangles", fix=f"give whole numbers from 0 to {len(self) - 1}"
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
    """Zero rows, and rows so small that nothing is left of them when squared."""
    zero = np.nonzero(np.abs(directions).max(axis=1) <= np.sqrt(np.finfo(float).tiny))[0]
    if len(zero):
        raise InputError(
            "is the zero wrench" + (f", and so are {len(zero) - 1} more" if len(zero) > 1 else ""),
            where=f"directions[{int(zero[0])}]",
            fix="give a load to multiply",
        )


def _reject_repeated(directions: Array) -> None:
    """Rows on the same ray, whatever their lengths."""
    from scipy.spatial import KDTree

    # Forces and torques each by their own size: whether two rows are multiples of each other knows no units.
    sizes = np.repeat([np.abs(directions[:, :3]).max() or 1.0, np.abs(directions[:, 3:]).max() or 1.0], 3)
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

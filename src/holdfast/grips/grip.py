"""Grips: sets of wrenches that a hand can apply to the body, by vertices and rays (17), half-spaces (18), or both.

A set is immutable and in the palm frame. Membership of a wrench has a proof: weights of vertices and rays, or a
separating direction.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import product
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..checks import Array, IntArray
from ..errors import GeometryError, InputError, SolverError, UnitError
from ..geometry.frames import Pose, rotation, skew
from ..geometry.polytopes import Polytope
from ..jobs import fingerprint
from ..linear_programs import NONNEGATIVE, TIGHT, Outcome, minimise
from ..public_names import with_advice
from ..results import Result
from ..solvers import Status

if TYPE_CHECKING:
    from ..solvers.minkowski.halfspace_sets import HalfspaceHand
    from ..solvers.minkowski.workspace import PreparedShape

#: On what the contact forces f of an assembly act: on the body (wrench W f) or on the gripped object (wrench -W f).
Acting = Literal["direct", "reaction"]


@dataclass(frozen=True, kw_only=True)
class GripMetadata:
    """Information about a grip; every entry may be unknown.

    Attributes:
        method: origin of the set: "given", "cones", the name of a method of learning, "" if unknown.
        n: number of samples (solved programs).
        asked: requested number of vertices and of half-spaces.
        seed: random seed.
        model_hash: fingerprint of the assembly it was learned from, "" when there is none.
        inner_error: largest known relative error of the inner set, which is too small.
        outer_error: largest known relative error of the outer set, which is too large.
        wanted_gap: requested largest relative excess of the outer set over the inner one; None without request.
        reached_gap: largest relative excess along the new rays of the learning; it may be above
            `wanted_gap`.
        concavity: largest relative difference between the union of the contacts' pieces and their hull along a tested
            ray; 0 for convex volumes.
        joint_limits: whether joints limited the wrenches.
        acting: how contact forces were read: "direct" (on the body) or "reaction" (on the gripped object).
        palm: (3, 4) rows [R | t] of the palm's pose in the assembly's frame; t in [m].
        version: the version of Holdfast that made it.
        derived: later change of the set, such as "scaled by 0.5"; "" for none. Hash, samples, errors and
            gaps are those before the change; the palm is that of the present set, or unknown.
    """

    method: str = ""
    n: int | None = None
    asked: int | None = None
    seed: int | None = None
    model_hash: str = ""
    inner_error: float | None = None
    outer_error: float | None = None
    wanted_gap: float | None = None
    reached_gap: float | None = None
    concavity: float | None = None
    joint_limits: bool | None = None
    acting: Acting | None = None
    palm: tuple[tuple[float, ...], ...] | None = None
    version: str = ""
    derived: str = ""

    def __post_init__(self) -> None:
        for name in ("method", "model_hash", "version", "derived"):
            checks.instance(name, getattr(self, name), str, fix="give a text, or leave it out")
        for name in ("n", "asked", "seed", "inner_error", "outer_error", "wanted_gap", "reached_gap", "concavity"):
            value = getattr(self, name)
            if value is not None:
                whole = name in ("n", "asked", "seed")
                kept = checks.count(name, value, low=0, high=checks.LARGEST_SEED) if whole else _share(name, value)
                object.__setattr__(self, name, kept)
        if self.joint_limits is not None:
            checks.instance("joint_limits", self.joint_limits, bool, fix="give True or False, or leave it out")
        if self.acting is not None and (not isinstance(self.acting, str) or self.acting not in ("direct", "reaction")):
            raise InputError(f"is {checks.shown(self.acting)}", where="acting", fix='give "direct", "reaction" or None')
        if self.palm is not None:
            rows = checks.array("palm", self.palm, (3, 4))
            rotation("palm", rows[:, :3])
            object.__setattr__(self, "palm", tuple(map(tuple, rows.tolist())))

    @property
    def palm_pose(self) -> Pose | None:
        """The palm's pose in the assembly's frame, where it is known."""
        if self.palm is None:
            return None
        rows = np.array(self.palm)
        return Pose(rows[:, :3], rows[:, 3])

    @property
    def misses_its_gap(self) -> bool:
        """Whether a gap was requested and a larger one reached."""
        return self.wanted_gap is not None and self.reached_gap is not None and self.reached_gap > self.wanted_gap

    def changed(self, words: str) -> GripMetadata:
        """The metadata after the change of the wrenches described by `words`; the palm is then unknown."""
        return replace(self, derived=f"{self.derived}, {words}" if self.derived else words, palm=None)

    def moved(self, pose: Pose) -> GripMetadata:
        """The metadata in a frame in which the palm has the pose `pose`: that frame is then the palm frame."""
        palm = self.palm_pose
        return replace(self.changed("moved"), palm=None if palm is None else pose_rows(palm @ pose.inverse()))


def pose_rows(pose: Pose) -> tuple[tuple[float, ...], ...]:
    """(3, 4) rows [R | t] of a pose, t in [m]."""
    return tuple(map(tuple, np.column_stack([pose.rotation, pose.translation]).tolist()))


def _share(name: str, value: Any) -> float:
    """A non-negative error; inf means that there is no bound."""
    return checks.number(name, value, low=0.0, infinite=True)


# Checks of wrenches (force [N], torque [N m]), and maps of them from one frame to another.

#: Characteristic length of a hand [m], where its wrenches do not determine one.
HAND_LENGTH = 0.1

UNITS = "wrenches are (force [N], torque [N m]) in the palm frame"


def checked_vertices(value: ArrayLike) -> Array:
    """Vertices (n, 6), at least one, finite and of plausible size."""
    vertices = checks.array("vertices", value, ("n", 6))
    if not len(vertices):
        raise GeometryError("is empty", where="vertices", fix="give at least one wrench; a cone has the vertex 0")
    check_magnitudes("vertices", vertices)
    return vertices


def checked_rays(value: ArrayLike | None) -> Array:
    """Rays (m, 6), none of them zero; (0, 6) without any."""
    given = np.zeros((0, 6)) if value is None or np.size(value) == 0 else value
    rays = checks.array("rays", given, ("m", 6))
    sizes = _row_sizes("rays", rays, fix="give a direction or leave it out")
    for row in np.nonzero((sizes < tolerances.SMALLEST_FORCE) | (sizes > tolerances.LARGEST_FORCE))[0]:
        raise GeometryError(
            f"has a largest part of {sizes[row]:.3g}", where=f"rays[{row}]", fix="scale it: only its direction matters"
        )
    return rays


def _row_sizes(name: str, rows: Array, fix: str) -> Array:
    """(m,) largest component of each row; a zero row has no direction and is an error."""
    sizes = np.abs(rows).max(axis=1, initial=0.0)
    if (sizes == 0.0).any():
        raise GeometryError("is the zero vector", where=f"{name}[{int(np.argmin(sizes))}]", fix=fix)
    return sizes


def checked_planes(normals: ArrayLike, offsets: ArrayLike) -> tuple[Array, Array]:
    """Half-spaces normals (m, 6) . w <= offsets (m,), none with a zero normal."""
    rows = checks.array("normals", normals, ("m", 6))
    sizes = _row_sizes("normals", rows, fix="give the outward normal of a half-space")
    levels = checks.array("offsets", offsets, (len(rows),))
    for row in np.nonzero(np.abs(levels) > tolerances.LARGEST_FORCE * sizes)[0]:
        raise UnitError(
            f"lies {abs(levels[row]) / sizes[row]:.3g} from the origin",
            where=f"offsets[{row}]",
            fix=f"{UNITS}, below {tolerances.LARGEST_FORCE:g}; leave out a plane that limits nothing",
        )
    return rows, levels


def check_magnitudes(name: str, wrenches: Array) -> None:
    """Check that wrenches have plausible sizes; other sizes are mistakes in the unit."""
    sizes = np.abs(wrenches).max(axis=1)
    row = int(sizes.argmax())
    if sizes[row] > tolerances.LARGEST_FORCE:
        fix = f"{UNITS}, below {tolerances.LARGEST_FORCE:g}; a set without limit has rays"
        raise UnitError(f"has a part of {sizes[row]:.3g}", where=f"{name}[{row}]", fix=fix)
    if 0.0 < sizes[row] < tolerances.SMALLEST_FORCE:
        fix = f"{UNITS}; the largest must exceed {tolerances.SMALLEST_FORCE:g}, or all be zero"
        raise UnitError(f"have no part above {sizes[row]:.3g}", where=name, fix=fix)


def checked_length(value: float) -> float:
    """A characteristic length [m] that scales torques into forces."""
    return checks.number(
        "length", value, low=tolerances.SMALLEST_LENGTH, high=tolerances.LARGEST_LENGTH, ends="closed", unit="m"
    )


def checked_gravity(value: ArrayLike | None) -> Array | None:
    """Gravity in the palm frame (3,) [m/s^2] that a set was learned for, or None where it does not matter."""
    return None if value is None else checks.vector("palm_gravity", value, 3)


def length_of(wrenches: Array) -> float:
    """Characteristic length [m]: spread of torques divided by the spread of forces.

    0.1 m, that of a hand, where forces or torques have no spread.
    """
    spread = wrenches - wrenches.mean(axis=0) if len(wrenches) else np.zeros((1, 6))
    size = float(np.abs(spread).max())
    if size == 0.0:
        return HAND_LENGTH
    force, torque = (float(np.linalg.norm(part / size)) for part in (spread[:, :3], spread[:, 3:]))
    if force <= tolerances.FLAT or not tolerances.SMALLEST_LENGTH <= torque / force <= tolerances.LARGEST_LENGTH:
        return HAND_LENGTH
    return torque / force


def mirror_map(normal: ArrayLike, point: ArrayLike) -> Array:
    """(6, 6) map of wrenches to those of their mirror image across the plane through `point` [m] with `normal`.

    Forces are mirrored as vectors. Torques about a point of the plane have the opposite sense: -M t, with the
    reflection M of vectors. Torques remain about the origin.
    """
    axis = checks.direction("normal", normal, 3)
    lever = skew(checks.vector("point", point, 3))
    reflection = np.eye(3) - 2.0 * np.outer(axis, axis)
    result = np.zeros((6, 6))
    result[:3, :3], result[3:, 3:] = reflection, -reflection
    result[3:, :3] = lever @ reflection + reflection @ lever
    return result


def checked_pose(pose: Pose) -> Pose:
    """`pose` itself; anything else is an InputError."""
    checks.instance("pose", pose, Pose, fix="give a holdfast.Pose(rotation, translation)")
    return pose


# Common to grips of vertices and grips of half-spaces: names, gravity, frames, equality, files.


@dataclass(frozen=True, eq=False, init=False, repr=False)
class WrenchSet(Result, ABC):
    """A set of wrenches on the body in the palm frame, given by two arrays; immutable.

    Two are equal when their arrays, their gravity and their length are equal.

    Attributes:
        label: how reports call it.
        palm_gravity: None where the set does not depend on the hand's orientation; otherwise gravity in the palm frame
            (3,) [m/s^2] that it is for.
        metadata: how it came about.
        length: characteristic length [m] that scales torques into forces.
    """

    #: Name in fingerprints, and the names of its two arrays.
    KIND: ClassVar[str]
    ARRAYS: ClassVar[tuple[str, str]]

    label: str
    palm_gravity: Array | None
    metadata: GripMetadata
    length: float

    def _settle(
        self,
        arrays: tuple[Array, Array],
        label: str,
        palm_gravity: ArrayLike | None,
        metadata: GripMetadata | None,
        length: float,
    ) -> None:
        """Check what all sets have in common, and set it together with the checked `arrays`."""
        checks.instance("label", label, str, fix="give a text")
        if metadata is None:
            metadata = GripMetadata(method="given")
        checks.instance("metadata", metadata, GripMetadata, fix="give holdfast.GripMetadata or None")
        values = (*arrays, label, checked_gravity(palm_gravity), metadata, checked_length(length))
        for name, value in zip(self._names(), values, strict=True):
            object.__setattr__(self, name, value)

    @classmethod
    def _names(cls) -> tuple[str, ...]:
        return (*cls.ARRAYS, "label", "palm_gravity", "metadata", "length")

    def __eq__(self, other: object) -> bool:
        return self.fingerprint == other.fingerprint if isinstance(other, type(self)) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __getstate__(self) -> dict[str, Any]:
        """What another process needs; derived data is made again there."""
        return {name: getattr(self, name) for name in self._names()}

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the arrays, gravity and length, the same in every process; label and metadata do not count."""
        arrays = [getattr(self, name) + 0.0 for name in self.ARRAYS]
        return fingerprint(self.KIND, *arrays, self.palm_gravity, self.length)

    @cached_property
    def unit(self) -> Array:
        """(6,) divisors that make the components of wrenches comparable: 1 for forces, `length` for torques."""
        return np.repeat([1.0, self.length], 3)

    def with_metadata(self, metadata: GripMetadata) -> Self:
        """The same set with other metadata."""
        return self._with(metadata=metadata)

    def with_label(self, label: str) -> Self:
        """The same set under another name."""
        return self._with(label=label)

    def with_length(self, length: float) -> Self:
        """The same set with another characteristic length [m]."""
        return self._with(length=length)

    def moved(self, pose: Pose) -> Self:
        """The set in a frame in which the palm has the pose `pose` (14); gravity is rotated too."""
        transport, back = checked_pose(pose).wrench_transport(), pose.inverse().wrench_transport()
        return self._with(
            **self._mapped(transport, back), **self._turned(pose.rotation), metadata=self.metadata.moved(pose)
        )

    def mirrored(self, normal: ArrayLike = (0.0, 1.0, 0.0), point: ArrayLike = (0.0, 0.0, 0.0)) -> Self:
        """The set of the other hand: mirrored across the plane through `point` [m] with `normal`, in the palm frame."""
        mirror = mirror_map(normal, point)  # its own inverse
        metadata = self.metadata.changed("mirrored")
        return self._with(**self._mapped(mirror, mirror), **self._turned(mirror[:3, :3]), metadata=metadata)

    @abstractmethod
    def _mapped(self, forward: Array, back: Array) -> dict[str, Array]:
        """The arrays after wrenches w (6,) have become forward @ w, and back @ forward is the identity."""

    def _turned(self, turn: Array) -> dict[str, Array | None]:
        return {"palm_gravity": None if self.palm_gravity is None else turn @ self.palm_gravity}

    def _with(self, **changes: Any) -> Self:
        kept = self.__getstate__() | changes
        first, second = (kept.pop(name) for name in self.ARRAYS)
        return type(self)(first, second, **kept)  # pyright: ignore[reportCallIssue]

    def to_dict(self) -> dict[str, Any]:
        """Sizes and metadata as plain data."""
        return _summary(self)

    def save(self, path: str | PathLike[str]) -> None:
        """Write it to a file; the same grip gives the same bytes."""
        from .files import save_grip

        save_grip(self, path)  # pyright: ignore[reportArgumentType]


def check_ends(lower: Array, upper: Array) -> None:
    """Check that the ends of a box (6,) have the right order."""
    if (lower > upper).any():
        row = int(np.argmax(lower > upper))
        what = f"is {lower[row]:g}, above the upper end {upper[row]:g}"
        raise InputError(what, where=f"lower[{row}]", fix="give lower <= upper")


# Grip: the wrenches that a hand can apply to the body, as the hull of vertices and rays in the palm frame (17).


@with_advice(wrenches="give vertices")
@dataclass(frozen=True, eq=False, init=False, repr=False)
class Grip(WrenchSet):
    """The set conv(vertices) + cone(rays) of wrenches that a hand can apply to the body; immutable.

    Wrenches (force [N], torque [N m] about the palm's origin) are in the palm frame and act ON THE BODY. As an
    inner set, every wrench in it is held. Two grips are equal when their wrenches, gravity and length are equal.

    Attributes:
        vertices: (n, 6) wrenches, at least one; vertices inside the hull of the others are allowed.
        rays: (m, 6) directions of growth without limit, (0, 6) when there are none; a cone has the vertex 0.
        label: how reports call it.
        palm_gravity: None where the set does not depend on the hand's orientation; otherwise gravity in the palm frame
            (3,) [m/s^2] that it is for.
        metadata: how it came about.
        length: characteristic length [m] that scales torques into forces; by default the spread of torques divided by
            that of forces, or 0.1 m.
    """

    KIND = "grip"
    ARRAYS = ("vertices", "rays")

    vertices: Array
    rays: Array

    def __init__(
        self,
        vertices: ArrayLike,
        rays: ArrayLike | None = None,
        *,
        label: str = "",
        palm_gravity: ArrayLike | None = None,
        metadata: GripMetadata | None = None,
        length: float | None = None,
    ) -> None:
        corners, directions = checked_vertices(vertices), checked_rays(rays)
        if length is None:
            sizes = np.abs(directions).max(axis=1, keepdims=True, initial=0.0)
            spread = np.concatenate([directions / sizes, -directions / sizes])  # about their apex
            length = length_of(corners if len(np.unique(corners, axis=0)) > 1 or not len(spread) else spread)
        self._settle((corners, directions), label, palm_gravity, metadata, length)

    def __repr__(self) -> str:
        name = f"{self.label!r}, " if self.label else ""
        rays = f", {len(self.rays)} rays" if len(self.rays) else ""
        return f"Grip({name}{len(self.vertices)} vertices{rays})"

    @property
    def is_bounded(self) -> bool:
        """Whether there are no rays."""
        return not len(self.rays)

    @cached_property
    def size(self) -> float:
        """Largest component of a vertex, torques divided by `length` [N]; 1 for a cone at zero. Scale of tolerances."""
        return float(np.abs(self.vertices / self.unit).max()) or 1.0

    @cached_property
    def largest_parts(self) -> Array:
        """(6,) the largest size of each component of a vertex [N, N m], the scale of rounding errors."""
        return np.abs(self.vertices).max(axis=0)

    @cached_property
    def prepared(self) -> PreparedShape:
        """Tables of the vertices and rays for the compiled solvers, made once."""
        from ..solvers.minkowski import prepare

        return prepare(self.vertices, self.rays)

    # -- questions ------------------------------------------------------------------------------

    def support(self, directions: ArrayLike) -> Array:
        """h(y) = the largest y . w over the set, for directions y (..., 6) of the palm frame; inf along rays.

        The torque part of y has the unit 1/m where its force part has none.
        """
        y = checks.rows("directions", directions, 6)
        values = (y @ self.vertices.T).max(axis=-1)
        if self.is_bounded:
            return values
        rays = self.rays / self.unit
        slopes = (y * self.unit) @ (rays / np.linalg.norm(rays, axis=1, keepdims=True)).T
        limit = tolerances.RAY_SLOPE * np.linalg.norm(y * self.unit, axis=-1, keepdims=True)
        return np.where((slopes > limit).any(axis=-1), np.inf, values)

    def support_points(self, directions: ArrayLike) -> Array:
        """The vertex (..., 6) that is furthest along each of the directions (..., 6); rays are ignored."""
        y = checks.rows("directions", directions, 6)
        return self.vertices[(y @ self.vertices.T).argmax(axis=-1)]

    def contains(self, wrench: ArrayLike) -> GripMembership:
        """Whether a wrench (6,) of the palm frame is in the set, with weights or a separating direction as proof."""
        return in_hull(self.vertices, self.rays, checks.vector("wrench", wrench, 6), self.length)

    # -- new grips ------------------------------------------------------------------------------

    @staticmethod
    def box(lower: ArrayLike, upper: ArrayLike, *, label: str = "", length: float | None = None) -> Grip:
        """All wrenches between `lower` and `upper` (6,): up to 64 vertices; equal ends make it flat."""
        low, high = checks.vector("lower", lower, 6), checks.vector("upper", upper, 6)
        check_ends(low, high)
        ends = [(a,) if a == b else (a, b) for a, b in zip(low.tolist(), high.tolist(), strict=True)]
        return Grip(list(product(*ends)), label=label, length=length)

    @staticmethod
    def point(wrench: ArrayLike, *, label: str = "", length: float | None = None) -> Grip:
        """A single wrench (6,): a hand that pushes with a known force, or with none."""
        return Grip([checks.vector("wrench", wrench, 6)], label=label, length=length)

    def scaled(self, factor: float) -> Grip:
        """Every wrench times `factor` > 0, with the same rays: 0.5 for a safety factor of 2.

        It is an inner set of this one if the factor is at most 1 and 0 is in the set.
        """
        times = checks.positive("factor", factor)
        return self._with(vertices=self.vertices * times, metadata=self.metadata.changed(f"scaled by {times:g}"))

    def thinned(self) -> Grip:
        """The same set without redundant vertices and rays, in the same order."""
        rays = self.rays[extreme_rays(self.rays, self.length)] if len(self.rays) else self.rays
        return self._with(vertices=self.vertices[extreme_rows(self.vertices, rays, self.length)], rays=rays)

    def _mapped(self, forward: Array, back: Array) -> dict[str, Array]:
        del back
        return {"vertices": self.vertices @ forward.T, "rays": self.rays @ forward.T}

    # -- files ----------------------------------------------------------------------------------

    @staticmethod
    def load(path: str | PathLike[str]) -> Grip:
        """The vertices and rays of a file of `save`; for inner and outer bounds, the inner grip."""
        from .files import load_inner

        return load_inner(path)


# Outer grips: half-spaces that contain every wrench that a hand can apply (18).


@dataclass(frozen=True, eq=False, init=False, repr=False)
class OuterGrip(WrenchSet):
    """The set {w : normals @ w <= offsets}, outside of which a hand cannot apply wrenches; immutable.

    Wrenches (force [N], torque [N m] about the palm's origin) are in the palm frame and act ON THE BODY. Two are equal
    when their planes, their gravity and their length are.

    Attributes:
        normals: (m, 6) outward; the torque part has the unit 1/m where the force part has none.
        offsets: (m,) [N] for such normals.
        label: how reports call it.
        palm_gravity: None where the set does not depend on the hand's orientation; otherwise gravity in the palm frame
            (3,) [m/s^2] that it is for.
        metadata: how it came about.
        length: characteristic length [m] that scales torques into forces; 0.1 m by default.
    """

    KIND = "outer"
    ARRAYS = ("normals", "offsets")

    normals: Array
    offsets: Array

    def __init__(
        self,
        normals: ArrayLike,
        offsets: ArrayLike,
        *,
        label: str = "",
        palm_gravity: ArrayLike | None = None,
        metadata: GripMetadata | None = None,
        length: float | None = None,
    ) -> None:
        rows, levels = checked_planes(normals, offsets)
        self._settle((rows, levels), label, palm_gravity, metadata, HAND_LENGTH if length is None else length)

    def __repr__(self) -> str:
        name = f"{self.label!r}, " if self.label else ""
        return f"OuterGrip({name}{len(self.normals)} half-spaces)"

    @cached_property
    def unit_planes(self) -> tuple[Array, Array]:
        """(normals (m, 6), offsets (m,) [N]) against wrenches divided by `unit`, normals of length 1."""
        rows = self.normals * self.unit
        lengths = np.linalg.norm(rows, axis=1)
        return rows / lengths[:, None], self.offsets / lengths

    @cached_property
    def is_empty(self) -> bool:
        """Whether no wrench meets all planes."""
        return self._largest(np.zeros(6))[0] == -np.inf

    @cached_property
    def is_bounded(self) -> bool:
        """Whether it has a limit in every direction."""
        ways = np.concatenate([np.eye(6), -np.eye(6)])
        return not any(np.isinf(self._largest(way)[0]) for way in ways)

    @cached_property
    def prepared(self) -> HalfspaceHand:
        """Data structure of the half-spaces for the compiled solvers, made once; users must copy it."""
        from ..solvers.minkowski.halfspace_sets import HalfspaceHand

        return HalfspaceHand(self.normals, self.offsets, length=self.length)

    # -- questions ------------------------------------------------------------------------------

    def support(self, directions: ArrayLike) -> Array:
        """h(y) = the largest y . w over the set, for directions y (..., 6); inf without limit, -inf for an empty set.

        One linear program each.
        """
        y = checks.rows("directions", directions, 6)
        values = [self._largest(row * self.unit)[0] for row in y.reshape(-1, 6)]
        return np.array(values).reshape(y.shape[:-1])

    def support_points(self, directions: ArrayLike) -> Array:
        """A wrench (..., 6) that is furthest along each of the directions (..., 6); nan where there is none."""
        y = checks.rows("directions", directions, 6)
        points = [self._largest(row * self.unit)[1] for row in y.reshape(-1, 6)]
        return np.array(points).reshape(y.shape) * self.unit

    def contains(self, wrench: ArrayLike) -> GripMembership:
        """Whether a wrench (6,) of the palm frame meets all planes; the plane that it exceeds most is the proof."""
        w = checks.vector("wrench", wrench, 6)
        if not len(self.normals):
            return GripMembership(Status.HOLDS, w)
        rows, levels = self.unit_planes
        beyond = rows @ (w / self.unit) - levels
        worst = int(beyond.argmax())
        size = max(float(np.abs(w / self.unit).max()), abs(float(levels[worst])))
        if beyond[worst] <= tolerances.MEMBERSHIP * size:
            return GripMembership(Status.HOLDS, w)
        y, level = self.normals[worst], float(self.offsets[worst])
        return GripMembership(Status.DOES_NOT_HOLD, w, separator=y, support=level)

    def _largest(self, way: Array) -> tuple[float, Array]:
        """(value, point (6,)) of the largest way . x over the set in coordinates divided by `unit`."""
        rows, levels = self.unit_planes
        if not len(rows):
            return (np.inf, np.full(6, np.nan)) if way.any() else (0.0, np.zeros(6))
        size, steep = float(np.abs(levels).max()) or 1.0, float(np.abs(way).max()) or 1.0
        for presolve in (True, False):  # with presolve, HiGHS may report an unbounded set as empty
            found = minimise(-way / steep, rows, levels / size, presolve=presolve)
            if found.optimal:
                return -found.value * size * steep, found.x * size
        if found.outcome not in (Outcome.INFEASIBLE, Outcome.UNBOUNDED):
            raise SolverError(f"no support could be found: {found.message}", where="outer grip")
        return (-np.inf if found.outcome is Outcome.INFEASIBLE else np.inf), np.full(6, np.nan)

    # -- new grips ------------------------------------------------------------------------------

    @staticmethod
    def box(lower: ArrayLike, upper: ArrayLike, *, label: str = "", length: float | None = None) -> OuterGrip:
        """All wrenches between `lower` and `upper` (6,) as at most twelve planes; -inf and inf leave an end open."""
        low, high = (checks.array(name, v, (6,), infinite=True) for name, v in (("lower", lower), ("upper", upper)))
        check_ends(low, high)
        normals, offsets = np.concatenate([np.eye(6), -np.eye(6)]), np.concatenate([high, -low])
        kept = np.isfinite(offsets)
        return OuterGrip(normals[kept], offsets[kept], label=label, length=length)

    def scaled(self, factor: float) -> OuterGrip:
        """Every wrench times `factor` > 0."""
        times = checks.positive("factor", factor)
        return self._with(offsets=self.offsets * times, metadata=self.metadata.changed(f"scaled by {times:g}"))

    def thinned(self) -> OuterGrip:
        """The same set without redundant planes, in the same order; one program per plane."""
        kept = needed_planes(*self.unit_planes)
        return self._with(normals=self.normals[kept], offsets=self.offsets[kept])

    def _mapped(self, forward: Array, back: Array) -> dict[str, Array]:
        del forward
        return {"normals": self.normals @ back}

    # -- files ----------------------------------------------------------------------------------

    @staticmethod
    def load(path: str | PathLike[str]) -> OuterGrip:
        """The planes of a file of `save`; for inner and outer bounds, the outer grip."""
        from .files import load_outer

        return load_outer(path)


# Grip bounds: an inner and an outer set of one grip, between which the true set lies (V.D).

#: Tolerance of inner vertices beyond outer planes, as a fraction of the set's size: both come from solved programs.
NESTED = 1e-8


@dataclass(frozen=True, eq=False, init=False, repr=False)
class GripBounds(Result):
    """An inner and an outer set of the same grip: wrenches in `inner` are held, wrenches outside `outer` are not.

    Attributes:
        inner: every wrench in it is held; it lies inside `outer`.
        outer: the set outside of which nothing holds.
        metadata: origin of the two; that of `inner` by default.
    """

    inner: Grip
    outer: OuterGrip
    metadata: GripMetadata

    def __init__(self, inner: Grip, outer: OuterGrip, metadata: GripMetadata | None = None) -> None:
        checks.instance("inner", inner, Grip, fix="give a holdfast.Grip")
        checks.instance("outer", outer, OuterGrip, fix="give a holdfast.grips.OuterGrip")
        metadata = inner.metadata if metadata is None else metadata
        checks.instance("metadata", metadata, GripMetadata, fix="give holdfast.GripMetadata or None")
        for name, value in (("inner", inner), ("outer", outer), ("metadata", metadata)):
            object.__setattr__(self, name, value)
        a, b = inner.palm_gravity, outer.palm_gravity
        if (a is None) != (b is None) or (a is not None and b is not None and not np.array_equal(a, b)):
            what = f"is {None if b is None else b.tolist()}, that of the inner grip {None if a is None else a.tolist()}"
            raise InputError(what, where="outer.palm_gravity", fix="learn both for one orientation")
        worst, row, plane = self._crossing()
        if worst > NESTED:
            raise GeometryError(
                f"is {worst:.2g} of the set's size beyond outer plane {plane}",
                where=f"inner.{row}",
                fix="the inner grip must lie inside the outer one",
            )

    def __repr__(self) -> str:
        name = f"{self.label!r}, " if self.label else ""
        return f"GripBounds({name}{len(self.inner.vertices)} vertices in {len(self.outer.normals)} half-spaces)"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GripBounds):
            return NotImplemented
        return self.inner == other.inner and self.outer == other.outer

    def __hash__(self) -> int:
        return hash((self.inner.fingerprint, self.outer.fingerprint))

    def _crossing(self) -> tuple[float, str, int]:
        """(fraction, row, plane): largest excess of the inner set over the outer one, and where it is."""
        normals, offsets = self.outer.unit_planes
        if not len(normals):
            return 0.0, "vertices[0]", 0
        corners = self.inner.vertices / self.outer.unit
        size = float(np.abs(corners).max()) or float(np.abs(offsets).max()) or 1.0
        over = (corners @ normals.T - offsets) / size
        row, plane = np.unravel_index(int(over.argmax()), over.shape)
        worst, name = float(over[row, plane]), f"vertices[{row}]"
        if len(self.inner.rays):
            rays = self.inner.rays / self.outer.unit
            leaning = (rays / np.linalg.norm(rays, axis=1, keepdims=True)) @ normals.T
            row, column = np.unravel_index(int(leaning.argmax()), leaning.shape)
            if leaning[row, column] > worst:
                return float(leaning[row, column]), f"rays[{row}]", int(column)
        return worst, name, int(plane)

    @property
    def label(self) -> str:
        """Its name in reports."""
        return self.inner.label

    @property
    def palm_gravity(self) -> Array | None:
        """Gravity in the palm frame (3,) [m/s^2] of the sets, None where it does not matter."""
        return self.inner.palm_gravity

    @property
    def length(self) -> float:
        """Characteristic length [m] that scales torques into forces: the inner grip's."""
        return self.inner.length

    @cached_property
    def gaps(self) -> Array:
        """(m,) relative distance of the inner set from each outer plane.

        The reference is the distance of the plane from the mean of the inner vertices; 0 where the inner set touches
        the plane, 1 where it has no extent towards it.
        """
        if not len(self.outer.normals):
            return np.zeros(0)
        centre = self.inner.vertices.mean(axis=0)
        reached = self.outer.offsets - (self.outer.normals @ self.inner.vertices.T).max(axis=1)
        reach = self.outer.offsets - self.outer.normals @ centre
        normals, _ = self.outer.unit_planes
        scale = np.linalg.norm(self.outer.normals * self.outer.unit, axis=1)
        tiny = tolerances.MEMBERSHIP * self.inner.size * scale * np.abs(normals).sum(axis=1)
        return np.where(reach > tiny, np.clip(reached, 0.0, None) / np.where(reach > tiny, reach, 1.0), 0.0)

    @cached_property
    def gap(self) -> float:
        """The largest of `gaps`; inf where only the outer set is unbounded, which its planes do not show."""
        return np.inf if self._is_open else float(self.gaps.max(initial=0.0))

    @property
    def _is_open(self) -> bool:
        """Whether the outer set has a direction without limit that the inner set does not have."""
        if self.outer.is_bounded:
            return False
        if self.inner.is_bounded:
            return True
        # Far away both are cones: the few facets of the inner one must also bound the outer one.
        unit = self.outer.unit
        cone = Polytope(np.zeros((1, 6)), self.inner.rays / unit)
        growing = OuterGrip(self.outer.normals, np.zeros(len(self.outer.normals)), length=self.outer.length)
        return bool((growing.support(cone.halfspaces[0] / unit) > tolerances.RAY_SLOPE).any())

    def gaps_along(self, directions: ArrayLike) -> Array:
        """(n,) h_outer(y) - h_inner(y) for directions y (n, 6), relative to the outer reach from the inner mean.

        One linear program each; inf where only the inner set is bounded.
        """
        y = checks.array("directions", directions, ("n", 6))
        most, least = self.outer.support(y), self.inner.support(y)
        with np.errstate(invalid="ignore", divide="ignore"):
            share = (most - least) / (most - y @ self.inner.vertices.mean(axis=0))
        return np.where(np.isinf(most), np.where(np.isinf(least), 0.0, np.inf), np.nan_to_num(share))

    def contains(self, wrench: ArrayLike) -> GripMembership:
        """HOLDS if the inner set contains it, DOES_NOT_HOLD if the outer does not, else UNDECIDED; with its proof."""
        out = self.outer.contains(wrench)
        if out.status is Status.DOES_NOT_HOLD:
            return out
        within = self.inner.contains(wrench)
        if within.status is Status.HOLDS:
            return within
        return replace(within, status=Status.UNDECIDED)

    # -- new bounds -----------------------------------------------------------------------------

    def moved(self, pose: Pose) -> GripBounds:
        """Both sets in a frame in which the palm has the pose `pose` (14)."""
        return GripBounds(self.inner.moved(pose), self.outer.moved(pose), self.metadata.moved(pose))

    def mirrored(self, normal: ArrayLike = (0.0, 1.0, 0.0), point: ArrayLike = (0.0, 0.0, 0.0)) -> GripBounds:
        """The sets of the other hand: both mirrored across the plane through `point` [m] with `normal`."""
        metadata = self.metadata.changed("mirrored")
        return GripBounds(self.inner.mirrored(normal, point), self.outer.mirrored(normal, point), metadata)

    def scaled(self, factor: float) -> GripBounds:
        """Every wrench of both times `factor` > 0."""
        inner, outer = self.inner.scaled(factor), self.outer.scaled(factor)
        return GripBounds(inner, outer, self.metadata.changed(f"scaled by {factor:g}"))

    def thinned(self) -> GripBounds:
        """The same sets without redundant vertices, rays and planes."""
        return GripBounds(self.inner.thinned(), self.outer.thinned(), self.metadata)

    def with_label(self, label: str) -> GripBounds:
        """The same sets under another name."""
        return GripBounds(self.inner.with_label(label), self.outer.with_label(label), self.metadata)

    # -- files ----------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Sizes, gap and metadata as plain data."""
        return _summary(self)

    def save(self, path: str | PathLike[str]) -> None:
        """Write both sets to one file; the same bounds give the same bytes."""
        from .files import save_grip

        save_grip(self, path)

    @staticmethod
    def load(path: str | PathLike[str]) -> GripBounds:
        """Inner and outer set of a file that `save` wrote."""
        from .files import load_bounds

        return load_bounds(path)


# Membership of a wrench in a grip, with its proof: weights of vertices and rays, or a separating direction.


@dataclass(frozen=True, eq=False)
class GripMembership(Result):
    """The result for the question whether a wrench is in a grip; true when membership is proven.

    Attributes:
        status: HOLDS, DOES_NOT_HOLD, or UNDECIDED between an inner and an outer set.
        wrench: (6,) the wrench, in the palm frame.
        weights: (n,) weights of the vertices, at least zero with sum 1; None without such a proof.
        ray_weights: (m,) weights of the rays, at least zero; None without such a proof.
        separator: (6,) y with y . w > h(y) of the set; None if there is none.
        support: h(y), the largest y . v over the set; nan without a separator.
    """

    status: Status
    wrench: Array
    weights: Array | None = None
    ray_weights: Array | None = None
    separator: Array | None = None
    support: float = np.nan

    def __bool__(self) -> bool:
        return self.status is Status.HOLDS

    def __repr__(self) -> str:
        margin = "" if self.separator is None else f", {self.excess:.3g} beyond the set along the separating direction"
        return f"GripMembership({self.status.value}{margin})"

    def to_dict(self) -> dict[str, Any]:
        """The verdict and its proof as plain data."""
        proof = {name: getattr(self, name) for name in ("wrench", "weights", "ray_weights", "separator")}
        return {"status": self.status.value, "holds": bool(self), "excess": self.excess} | proof

    @property
    def excess(self) -> float:
        """y . w - h(y): the margin of the separating direction; nan without one."""
        return np.nan if self.separator is None else float(self.separator @ self.wrench) - self.support


def in_hull(vertices: Array, rays: Array, wrench: Array, length: float) -> GripMembership:
    """Membership of a wrench (6,) in conv(vertices) + cone(rays), torques divided by `length` [m].

    One linear program finds the combination nearest to the wrench, in the sum of absolute parts; its multipliers are
    the separating direction. The result is checked again with the vertices themselves.
    """
    unit = np.repeat([1.0, length], 3)
    corners, target = vertices / unit, wrench / unit
    size = max(float(np.abs(corners).max()), float(np.abs(target).max())) or 1.0
    directions = rays / unit
    directions = directions / np.abs(directions).max(axis=1, keepdims=True, initial=0.0)
    centre = corners.mean(axis=0)  # reduces rounding for a set far from zero
    columns = np.concatenate([(corners - centre) / size, directions, np.eye(6), -np.eye(6)]).T
    ones = np.zeros(columns.shape[1])
    ones[: len(corners)] = 1.0
    cost = np.zeros(columns.shape[1])
    cost[-12:] = 1.0
    rows, sums = np.vstack([columns, ones]), np.append((target - centre) / size, 1.0)
    found = minimise(cost, A_eq=rows, b_eq=sums, bounds=NONNEGATIVE, tolerance=TIGHT)
    if not found.optimal:
        return GripMembership(Status.UNDECIDED, wrench)
    weights = np.maximum(found.x[: len(corners)], 0.0)
    weights /= weights.sum()
    along = np.maximum(found.x[len(corners) : -12], 0.0)
    miss = np.abs(weights @ corners + size * along @ directions - target).max()
    if miss <= tolerances.MEMBERSHIP * size:
        scale = size / np.abs(rays / unit).max(axis=1, initial=0.0)
        return GripMembership(Status.HOLDS, wrench, weights=weights, ray_weights=along * scale)
    y = found.equality_marginals[:6]
    climbs = (directions @ y).max(initial=0.0)
    best = float((corners @ y).max())
    wins = y @ target - best > tolerances.SEPARATION * size * np.abs(y).sum()
    if not wins or climbs > tolerances.RAY_SLOPE * np.linalg.norm(y):
        return GripMembership(Status.UNDECIDED, wrench)
    separator = y / unit
    return GripMembership(
        Status.DOES_NOT_HOLD, wrench, separator=separator, support=float((vertices @ separator).max())
    )


# Vertices, rays and planes of a grip that are not redundant.
#
# Clarkson's method: each row is tested only against rows that are known to be needed. If it is not redundant, the
# direction that shows this leads to a needed row.

#: Number of directions per dimension whose furthest vertices are taken first.
FIRST = 16

#: Seed of these directions; the result does not depend on it.
SEED = 6


def extreme_rows(vertices: Array, rays: Array, length: float) -> IntArray:
    """Rows of `vertices` (n, 6) that are corners of conv(vertices) + cone(rays), in order; the first of equal ones.

    A set that contains a line of rays has no corners: then sufficient rows to describe the set.
    """
    unit = np.repeat([1.0, length], 3)
    corners = vertices / unit
    size = float(np.abs(corners).max()) or 1.0
    merged = np.round((corners - corners.mean(axis=0)) / (tolerances.MERGE * size))
    left = np.sort(np.unique(merged, axis=0, return_index=True)[1])
    known = _furthest(corners, rays / unit, left)
    for row in left.tolist():
        while row not in known:
            kept = sorted(known)
            found = in_hull(vertices[kept], rays, vertices[row], length)
            if found.separator is None:
                break
            values = vertices[left] @ found.separator
            known.add(int(left[_first_of(vertices[left], values)]))
    # With rays, the furthest row may still lie on a ray of another one.
    kept = sorted(known)
    return np.array(_extreme(kept, vertices, rays, length) if len(rays) else kept, dtype=np.int64)


def _extreme(kept: list[int], vertices: Array, rays: Array, length: float) -> list[int]:
    """The rows without those that the others and the rays generate."""
    for row in list(kept):
        others = [other for other in kept if other != row]
        if others and in_hull(vertices[others], rays, vertices[row], length):
            kept = others
    return kept


def _furthest(corners: Array, rays: Array, left: IntArray) -> set[int]:
    """Rows that are furthest in random directions along which no ray increases."""
    drawn = np.random.default_rng(SEED).standard_normal((6 * FIRST, 6))
    spread = np.ptp(corners[left], axis=0)
    drawn /= np.where(spread > 0.0, spread, 1.0)
    if len(rays):
        drawn = drawn[(drawn @ rays.T <= 0.0).all(axis=1)]
    rows = {int(left[i]) for i in (corners[left] @ drawn.T).argmax(axis=0)} if len(drawn) else set()
    return rows or {int(left[0])}


def _first_of(rows: Array, values: Array) -> int:
    """The row of the largest value; among equal ones the first by its coordinates, which is a corner of their face."""
    top = np.nonzero(values >= values.max())[0]
    return int(top[np.lexsort(rows[top].T)[0]])


def extreme_rays(rays: Array, length: float) -> IntArray:
    """Rows of `rays` (m, 6) that the others do not generate; the first of parallel ones."""
    unit = np.repeat([1.0, length], 3)
    ways = rays / unit
    ways = ways / np.linalg.norm(ways, axis=1, keepdims=True)
    kept = np.sort(np.unique(np.round(ways / tolerances.MERGE), axis=0, return_index=True)[1]).tolist()
    for row in list(kept):
        others = [other for other in kept if other != row]
        if others and in_hull(np.zeros((1, 6)), ways[others], ways[row], 1.0).status is Status.HOLDS:
            kept = others
    return np.array(kept, dtype=np.int64)


def needed_planes(normals: Array, offsets: Array) -> IntArray:
    """Rows of normals . x <= offsets, normals of length 1, without which the set would be larger.

    For an empty set all are kept: no single plane makes it empty.
    """
    size = float(np.abs(offsets).max(initial=0.0)) or 1.0
    rows = np.column_stack([normals, offsets / size])
    kept = np.sort(np.unique(np.round(rows / tolerances.MERGE), axis=0, return_index=True)[1]).tolist()
    if not kept or not minimise(np.zeros(6), normals, offsets / size).optimal:
        return np.arange(len(normals))
    for row in list(kept):
        others = [other for other in kept if other != row]
        # The plane itself, moved out by one size, keeps the program bounded.
        planes = np.concatenate([normals[others], normals[row][None]])
        levels = np.concatenate([offsets[others], [offsets[row] + size]]) / size
        found = minimise(-normals[row], planes, levels)
        if found.optimal and -found.value <= offsets[row] / size + tolerances.MERGE:
            kept = others
    return np.array(kept, dtype=np.int64)


AnySet = Grip | OuterGrip | GripBounds


def sides(grip: AnySet) -> tuple[Grip | None, OuterGrip | None]:
    """(inner, outer) sets of a grip, None for the one it does not have; anything else is an InputError."""
    if isinstance(grip, GripBounds):
        return grip.inner, grip.outer
    if not isinstance(grip, (Grip, OuterGrip)):
        fix = "give a holdfast.Grip, OuterGrip or GripBounds"
        raise InputError(f"is a {type(grip).__name__}", where="grip", fix=fix)
    return (grip, None) if isinstance(grip, Grip) else (None, grip)


def _summary(grip: Any) -> dict[str, Any]:
    """The result of `to_dict` for every kind of grip; entries of a missing side are None."""
    inner, outer = sides(grip)
    names = [name for name, part in (("inner", inner), ("outer", outer)) if part is not None]
    return {
        "label": grip.label,
        "holds": f"{' and '.join(names)} set",
        "vertices": None if inner is None else len(inner.vertices),
        "rays": None if inner is None else len(inner.rays),
        "planes": None if outer is None else len(outer.normals),
        "gap": grip.gap if len(names) == 2 else None,
        "length": grip.length,
        "palm_gravity": None if grip.palm_gravity is None else grip.palm_gravity.tolist(),
        "metadata": asdict(grip.metadata),
    }

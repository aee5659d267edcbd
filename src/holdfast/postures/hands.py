"""Hands of a posture: which grip each palm has, where the palm is, and what follows for wrenches.

Signs, once for all: a grip's wrenches w_j act on the body, in its palm frame and about its palm's origin; the external
wrench w acts on the body too, in the world and about the world origin; in balance sum_j T_j w_j + w = 0 (15), with T_j
the transport (13) of palm wrenches to the world. What is wanted from the hands is therefore b = -w.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..assembly.loads import checked_gravity
from ..checks import Array, IntArray
from ..errors import FrameError, InputError, UnitError
from ..geometry import frames
from ..geometry.frames import Pose
from ..grips import Grip, GripBounds, OuterGrip
from .lazy import LazyGrip

#: What a hand may be given as.
AnyGrip = Grip | OuterGrip | GripBounds | LazyGrip

#: A pose, as an object, as (rotation (3, 3), translation (3,) [m]), or as a homogeneous matrix (4, 4).
PoseLike = Pose | tuple[ArrayLike, ArrayLike] | Array

#: Which of a grip's two bounds is meant.
Side = Literal["inner", "outer"]

#: A grip learned under gravity fits a pose when the two gravities differ by no more than this share of it.
SAME_GRAVITY = 1e-3

#: Loads that are not zero but smaller than this have been mistaken: no rounding of forces leaves so little [N, N m].
SMALLEST_LOAD = 1e-30

KINDS = "give holdfast.Grip, OuterGrip, GripBounds or LazyGrip objects, one for all hands or one a hand"


@dataclass(frozen=True, eq=False)
class Hands:
    """Grips at their palms' poses, checked.

    Attributes:
        grips: one a hand; hands with the same object share its arrays in the solvers.
        poses: palm frame to world, one a hand.
        length: what torques are divided by [m] where they are compared with forces.
    """

    grips: tuple[AnyGrip, ...]
    poses: tuple[Pose, ...]
    length: float

    def __len__(self) -> int:
        return len(self.grips)

    @cached_property
    def maps(self) -> Array:
        """(k, 6, 6) T_j of (13): palm wrenches to world wrenches about the world origin."""
        return transports(*arrays_of(self.poses))

    @cached_property
    def scaling(self) -> Array:
        """(6,) what makes all parts of a wrench newtons: 1, and 1 / length for torques."""
        return np.repeat([1.0, 1.0 / self.length], 3)

    @cached_property
    def distinct(self) -> tuple[tuple[AnyGrip, ...], IntArray]:
        """The grips without repetition, and (k,) which of them each hand has."""
        numbers: dict[int, int] = {}
        shape_of = np.array([numbers.setdefault(id(grip), len(numbers)) for grip in self.grips], dtype=np.int64)
        by_id = {id(grip): grip for grip in self.grips}
        return tuple(by_id[key] for key in numbers), shape_of

    def wrench_size(self, wrench: Array) -> float:
        """Size [N] of a world wrench (6,), its torque about the mean of the palms' origins and divided by `length`."""
        centre = np.array([pose.translation for pose in self.poses]).mean(axis=0)
        torque = wrench[3:] - np.cross(centre, wrench[:3])
        return max(float(np.abs(wrench[:3]).max()), float(np.abs(torque).max()) / self.length)

    @cached_property
    def size(self) -> float:
        """Size [N] of the largest set of wrenches among the hands' own; rounding is judged by it where loads vanish."""
        return max(_size_of(grip) for grip in self.grips)

    def sided(self, side: Side) -> Hands:
        """The same with every `GripBounds` replaced by its inner or its outer grip."""
        grips = [getattr(grip, side) if isinstance(grip, GripBounds) else grip for grip in self.grips]
        return self.with_grips(grips)

    @property
    def has_bounds(self) -> bool:
        """Whether some grip comes as inner and outer bounds."""
        return any(isinstance(grip, GripBounds) for grip in self.grips)

    def with_grips(self, grips: Sequence[AnyGrip]) -> Hands:
        """The same palms with other grips."""
        return Hands(tuple(grips), self.poses, self.length)

    def moved(self, poses: Any, *, gravity: ArrayLike | None = None) -> Hands:
        """The same grips at other poses, checked; the characteristic length stays."""
        placed = checked_poses(poses, len(self))
        _check_gravity(self.grips, placed, gravity)
        return Hands(self.grips, placed, self.length)


def _size_of(grip: AnyGrip) -> float:
    """Size [N] of a grip's set, torques divided by its length; 1 for a cone at zero."""
    if isinstance(grip, GripBounds):
        return grip.inner.size
    if isinstance(grip, Grip):
        return grip.size
    if isinstance(grip, OuterGrip):
        return float(np.abs(grip.unit_planes[1]).max(initial=0.0)) or 1.0
    return max(piece.size for shape in grip.assembly.layout.shapes for piece in shape)


def arrays_of(poses: Sequence[Pose]) -> tuple[Array, Array]:
    """(rotations (k, 3, 3), translations (k, 3)) of poses."""
    return np.array([pose.rotation for pose in poses]), np.array([pose.translation for pose in poses])


def transports(rotations: Array, translations: Array) -> Array:
    """(..., 6, 6) maps (13) of rotations (..., 3, 3) and translations (..., 3) [m] that are checked already."""
    maps = np.zeros((*translations.shape[:-1], 6, 6))
    maps[..., :3, :3] = maps[..., 3:, 3:] = rotations
    x, y, z = translations[..., 0, None], translations[..., 1, None], translations[..., 2, None]
    first, second, third = rotations[..., 0, :], rotations[..., 1, :], rotations[..., 2, :]
    maps[..., 3, :3] = y * third - z * second  # [t] R, row by row
    maps[..., 4, :3] = z * first - x * third
    maps[..., 5, :3] = x * second - y * first
    return maps


def are_rigid(matrices: Array) -> bool:
    """Whether all of (..., 4, 4) are rigid poses in metres; a quick look, without telling what is wrong."""
    turns, shifts = matrices[..., :3, :3], matrices[..., :3, 3]
    off = np.swapaxes(turns, -1, -2) @ turns - np.eye(3)
    last = matrices[..., 3, :] - np.array([0.0, 0.0, 0.0, 1.0])
    return bool(
        np.abs(off).max() <= tolerances.ORTHONORMAL
        and np.abs(last).max() <= tolerances.ORTHONORMAL
        and (np.linalg.det(turns) > 0.0).all()
        and np.abs(shifts).max() <= tolerances.LARGEST_LENGTH
    )


def checked_hands(grips: Any, poses: Any, *, gravity: ArrayLike | None = None, length: float | None = None) -> Hands:
    """Grips and poses as `Hands`.

    Args:
        grips: one grip for all hands, or a sequence (or anything to go through) with one a hand.
        poses: one a hand: `Pose`, (R, t) or (4, 4); a single one for a single hand.
        gravity: (3,) [m/s^2] in the world, to check grips that were learned under gravity; they must in any case agree
            with each other about where down is.
        length: [m] that scales torques; by default the palms' root mean square distance from their centre, or the
            grips' own length where that is larger.
    """
    single = isinstance(grips, (AnyGrip, str, bytes)) or not np.iterable(grips)
    given: list[Any] = [grips] if single else list(grips)
    if not given:
        raise InputError("is empty", where="grips", fix=KINDS)
    for index, grip in enumerate(given):
        if not isinstance(grip, AnyGrip):
            where = "grips" if single else f"grips[{index}]"
            raise InputError(f"is a {type(grip).__name__}", where=where, fix=KINDS)
    placed = checked_poses(poses, None if single else len(given))
    hands = tuple(given * len(placed)) if single else tuple(given)
    _check_gravity(hands, placed, gravity)
    if length is not None:
        low, high = tolerances.SMALLEST_LENGTH, tolerances.LARGEST_LENGTH
        return Hands(hands, placed, checks.number("length", length, low=low, high=high, unit="m"))
    return Hands(hands, placed, _length_of(hands, placed))


def _length_of(grips: tuple[AnyGrip, ...], poses: tuple[Pose, ...]) -> float:
    """Characteristic length [m] of a body on its hands."""
    palms = np.array([pose.translation for pose in poses])
    spread = float(np.sqrt(((palms - palms.mean(axis=0)) ** 2).sum(axis=1).mean()))
    return max(spread, *(grip.length for grip in grips))


def checked_poses(poses: Any, wanted: int | None) -> tuple[Pose, ...]:
    """Poses as `Pose` objects; `wanted` is how many there must be, None for any number above 0."""
    one = _single_pose("poses", poses)
    if one is not None:
        placed: tuple[Pose, ...] = (one,)
    else:
        checks.iterable("poses", poses, fix="give one pose a hand: holdfast.Pose, (R, t) or a (4, 4) matrix")
        given = list(poses)
        placed = _pairs(given) or tuple(_pose(f"poses[{index}]", pose) for index, pose in enumerate(given))
    if not placed:
        raise InputError("is empty", where="poses", fix="give one pose a hand")
    if wanted is not None and len(placed) != wanted:
        raise InputError(f"are {len(placed)} for {wanted} hands", where="poses", fix="give one pose a hand")
    return placed


def _pairs(poses: list[Any]) -> tuple[Pose, ...] | None:
    """Poses, or (R, t) pairs, all at once; None where they are of another form or one of them is wrong."""
    if poses and all(isinstance(pose, Pose) for pose in poses):
        near = np.abs([pose.translation for pose in poses]).max() <= tolerances.LARGEST_LENGTH
        return tuple(poses) if near else None
    if not all(isinstance(pose, (tuple, list)) and len(pose) == 2 for pose in poses):
        return None
    try:
        turns, shifts = np.array([pose[0] for pose in poses]), np.array([pose[1] for pose in poses])
    except ValueError:  # of different shapes
        return None
    if (
        turns.shape != (len(poses), 3, 3)
        or shifts.shape != (len(poses), 3)
        or {turns.dtype.kind, shifts.dtype.kind} - set("fi")
    ):
        return None
    return frames.rigid_poses(turns, shifts) if np.abs(shifts).max() <= tolerances.LARGEST_LENGTH else None


def _single_pose(where: str, value: Any) -> Pose | None:
    """`value` as one pose, or None when it is not of such a form (a list of poses, for one)."""
    if isinstance(value, Pose):
        _check_reach(where, value.translation)
        return value
    if isinstance(value, (tuple, list)) and len(value) == 2 and not isinstance(value[0], Pose):
        if _shape(value[0]) == (3, 3) and _shape(value[1]) == (3,):
            return _rigid(where, value[0], value[1])
        return None
    if _shape(value) == (4, 4):
        matrix = checks.array(where, value, (4, 4))
        if np.abs(matrix[3] - [0.0, 0.0, 0.0, 1.0]).max() > tolerances.ORTHONORMAL:
            raise FrameError(
                f"has the last row {matrix[3].tolist()}", where=where, fix="a rigid pose ends with 0, 0, 0, 1"
            )
        return _rigid(where, matrix[:3, :3], matrix[:3, 3])
    return None


def _pose(where: str, value: Any) -> Pose:
    pose = _single_pose(where, value)
    if pose is None:
        raise InputError(
            f"is no pose but a {type(value).__name__}",
            where=where,
            fix="give holdfast.Pose, (R (3, 3), t (3,)) or a (4, 4) matrix",
        )
    return pose


def _rigid(where: str, rotation: ArrayLike, translation: ArrayLike) -> Pose:
    """The pose, with errors that say whose part is wrong."""
    shift = checks.vector(f"{where}.translation", translation, 3)
    _check_reach(where, shift)
    made = frames.rigid_poses(checks.array(f"{where}.rotation", rotation, (3, 3))[None], shift[None])
    return Pose(frames.rotation(f"{where}.rotation", rotation), shift) if made is None else made[0]


def _check_reach(where: str, translation: Array) -> None:
    reach = float(np.abs(translation).max())
    if reach > tolerances.LARGEST_LENGTH:
        raise UnitError(
            f"lies {reach:.3g} m from the origin",
            where=where,
            fix=f"positions are in metres, within {tolerances.LARGEST_LENGTH:g}",
        )


def _shape(value: Any) -> tuple[int, ...] | None:
    """The shape of something like an array; None for what is not one."""
    try:
        return np.shape(value)
    except ValueError:  # rows of different lengths
        return None


def checked_wrench(name: str, value: ArrayLike) -> Array:
    """A wrench (6,) (force [N], torque [N m]) of a size that occurs."""
    wrench = checks.vector(name, value, 6)
    _check_size(name, wrench)
    return wrench


def checked_wrenches(name: str, value: ArrayLike, count: int) -> Array:
    """Wrenches (count, 6), or one (6,) for all, of sizes that occur."""
    given = np.tile(checks.vector(name, value, 6), (count, 1)) if _shape(value) == (6,) else value
    wrenches = checks.array(name, given, (count, 6))
    for index, wrench in enumerate(wrenches):
        _check_size(f"{name}[{index}]", wrench)
    return wrenches


def _check_size(name: str, wrench: Array) -> None:
    largest = float(np.abs(wrench).max())
    if largest > tolerances.LARGEST_FORCE:
        raise UnitError(
            f"has a part of {largest:.3g}",
            where=name,
            fix=f"wrenches are (force [N], torque [N m]), below {tolerances.LARGEST_FORCE:g}",
        )
    if 0.0 < largest < SMALLEST_LOAD:
        raise UnitError(
            f"has no part above {largest:.3g}",
            where=name,
            fix=f"wrenches are (force [N], torque [N m]), zero or above {SMALLEST_LOAD:g}",
        )


def _check_gravity(grips: Sequence[AnyGrip], poses: Sequence[Pose], gravity: ArrayLike | None) -> None:
    """Grips learned under gravity must be held the way they were learned."""
    down = None if gravity is None else checked_gravity("gravity", gravity)
    source = "gravity"
    for index, (grip, pose) in enumerate(zip(grips, poses, strict=True)):
        if grip.palm_gravity is None:
            continue
        own = pose.rotation @ grip.palm_gravity
        if down is None:
            down, source = own, f"grips[{index}]"
        size = max(float(np.linalg.norm(down)), float(np.linalg.norm(own)))
        off = float(np.linalg.norm(own - down))
        if off > SAME_GRAVITY * size:
            raise InputError(
                f"turns the gravity its grip was learned for to {own.round(4).tolist()} m/s^2 in the world, "
                f"but {source} has {down.round(4).tolist()}",
                where=f"poses[{index}]",
                fix="learn the grip for the palm's gravity in this pose, rotation.T @ gravity",
            )

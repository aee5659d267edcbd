"""Hands of a posture: lazy grips, grips at the poses of their palms, the flat assembly of all contacts, and the scene.

The set of wrenches of a lazy grip is only needed through its support function, a linear program over the hulls of its
contacts' force volumes within its joint limits. A wrench that the hulls cannot apply is also impossible for the unions
of pieces; a wrench that they can apply is then checked by the exact solver, hand by hand.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..assembly import Contact, JointRows
from ..assembly.assembly import Assembly, checked_assembly
from ..assembly.joints import stacked
from ..assembly.loads import STANDARD_GRAVITY, checked_gravity, gravity_wrench
from ..checks import Array, IntArray, Side
from ..errors import FrameError, InputError, SolverError, UnitError, UnknownNameError
from ..force_limits.volume import ForceVolume
from ..geometry import frames
from ..geometry.frames import Pose
from ..grips import Grip, GripBounds, OuterGrip
from ..public_names import with_advice
from ..solvers import Hull, Status
from ..statics.holding import Equilibrium, Method, equilibrium

if TYPE_CHECKING:
    from ..grips.grip import Acting
    from ..grips.supports import HandSupports, UnlimitedSupports


#: A wrench below this fraction of a hand's size counts as zero, so that cones do not have to apply it.
NO_WRENCH = 1e-12


class LazySupports(NamedTuple):
    """The furthest wrenches of a hand along n directions of the palm frame, over the hulls of its force volumes.

    Attributes:
        values: (n,) largest g . w; inf where there is no limit.
        points: (n, 6) wrenches on the body, palm frame, that attain them (any wrench of the hand if unbounded).
        rays: (n, 6) directions in which g . w is unbounded, zero where there is a limit.
    """

    values: Array
    points: Array
    rays: Array


@with_advice()
@dataclass(frozen=True, eq=False)
class LazyGrip:
    """A hand given by its contacts and joints: exact, nothing is sampled.

    Attributes:
        assembly: the hand's contacts and joint rows.
        palm: pose of the palm frame in the assembly's world; None: they are the same.
        acting: "direct": the assembly's object is the body, so contact forces f give it the wrench W f. "reaction":
            the object is gripped by the hand, and -W f acts on the body.
        method: solver that confirms wrenches with unions of pieces; `Exact()` by default.
        palm_gravity: gravity in the palm frame (3,) [m/s^2] that the joint rows are for; None where they have none.
        label: its name in reports.
    """

    assembly: Assembly
    palm: Pose | None = None
    acting: Acting = "direct"
    method: Method | None = None
    palm_gravity: ArrayLike | None = None
    label: str = ""

    def __post_init__(self) -> None:
        checked_assembly(self.assembly)
        if self.palm is not None:
            checks.instance("palm", self.palm, Pose, fix="give a holdfast.Pose or None")
        checks.text("label", self.label)
        if not isinstance(self.acting, str) or self.acting not in ("direct", "reaction"):
            raise InputError(f"is {checks.shown(self.acting)}", where="acting", fix='give "direct" or "reaction"')
        if self.palm_gravity is not None:
            object.__setattr__(self, "palm_gravity", checks.vector("palm_gravity", self.palm_gravity, 3))

    def __repr__(self) -> str:
        name = f"{self.label!r}, " if self.label else ""
        return f"LazyGrip({name}{len(self.assembly)} contacts, {self.acting})"

    @property
    def length(self) -> float:
        """Characteristic length [m] of the hand."""
        return self.assembly.length

    @cached_property
    def is_convex(self) -> bool:
        """Whether every contact has one convex piece, so that the hulls are exact."""
        return all(len(contact.volume) == 1 for contact in self.assembly.contacts)

    @cached_property
    def hulled(self) -> Assembly:
        """The hand with the convex hulls of its force volumes."""
        return self.assembly.hulled()

    @cached_property
    def to_external(self) -> Array:
        """(6, 6) from the wrench on the body, palm frame, to the external wrench that the assembly holds."""
        transport = np.eye(6) if self.palm is None else self.palm.wrench_transport()
        return -transport if self.acting == "direct" else transport

    @cached_property
    def _from_external(self) -> Array:
        transport = np.eye(6) if self.palm is None else self.palm.inverse().wrench_transport()
        return -transport if self.acting == "direct" else transport

    @cached_property
    def _oracle(self) -> HandSupports:
        from ..grips.supports import HandSupports

        return HandSupports.of(self.hulled)

    @cached_property
    def has_rays(self) -> bool:
        """Whether some force volume is unbounded; joint limits may still bound the hand."""
        return any(len(piece.rays) for contact in self.hulled.contacts for piece in contact.volume.polytopes)

    @cached_property
    def _unlimited(self) -> UnlimitedSupports:
        from ..grips.supports import UnlimitedSupports

        return UnlimitedSupports(self.hulled, self._from_external)

    @property
    def free_rays(self) -> Array:
        """(m, 6) rays, palm frame, of contacts that load no joint with a limit; all rays without such joints."""
        return self._unlimited.free_rays if self.has_rays else np.zeros((0, 6))

    def supports(self, directions: Array) -> LazySupports:
        """The furthest wrenches along directions (n, 6) of the palm frame (outer where volumes are not convex)."""
        if self.has_rays:
            reaches = [self._unlimited.reach(direction) for direction in directions]
            points = np.array([reach.point for reach in reaches]).reshape(-1, 6)
            rays = np.array([reach.ray for reach in reaches]).reshape(-1, 6)
            return LazySupports(np.array([reach.value for reach in reaches]), points, rays)
        found = self._oracle.many(directions @ self._from_external)
        if not np.isfinite(found.points).all():
            raise SolverError("a hand's support was not found", where=repr(self), fix="check its joint limits")
        return LazySupports(found.values, found.points @ self._from_external.T, np.zeros((len(directions), 6)))

    def support_bound(self, direction: Array) -> float:
        """Upper bound of g . w over the hand (outer): by another method, and with a certificate that is checked."""
        if self.has_rays:
            return self._unlimited.bound(direction)
        from ..wrench_spaces.computation import support_problem

        problem = support_problem(self.hulled, direction @ self._from_external)
        solution = Hull().maximise(problem)
        proven = solution.certificate is not None and solution.certificate.verify(problem)
        return solution.bound if proven and solution.status is not Status.UNBOUNDED else np.inf

    def confirm(self, wrench: Array) -> Equilibrium:
        """Whether the hand applies this wrench (6,), palm frame and on the body, with forces in its pieces."""
        return equilibrium(self.assembly, self.to_external @ self._meant(wrench), method=self.method)

    def confirm_hulls(self, wrench: Array) -> Equilibrium:
        """Whether the hulls of the hand's volumes contain this wrench (6,) (outer)."""
        return equilibrium(self.hulled, self.to_external @ self._meant(wrench), method=self.method)

    def _meant(self, wrench: Array) -> Array:
        """The wrench, or zero if it is at rounding level."""
        size = float(np.abs(wrench / np.repeat([1.0, self.length], 3)).max())
        return wrench if size > NO_WRENCH * self.assembly.layout.smallest_size else np.zeros(6)

    def gives(self, answer: Equilibrium, wrench: Array, *, hulls: bool = False) -> bool:
        """Whether a result of `confirm` (of `confirm_hulls`) is for this wrench, and correct; without the solver."""
        unit = np.repeat([1.0, self.length], 3)
        size = max(float(np.abs(wrench / unit).max()), self.assembly.layout.smallest_size)
        meant = np.abs((self._from_external @ answer.wrench - wrench) / unit).max() <= tolerances.FEASIBILITY * size
        about = answer.assembly is (self.hulled if hulls else self.assembly)
        return bool(meant and about and answer.holds and answer.verify())


# Hands of a posture: the grip of each palm, its pose, and maps of wrenches.
#
# Signs: a grip's wrenches w_j act on the body, in its palm frame and about its palm's origin; the
# external wrench w acts on the body too, in the world and about the world origin; in balance sum_j T_j w_j + w = 0
# (15), with T_j the transport (13) of palm wrenches to the world. So the hands have to apply b = -w.

#: Types of a hand.
AnyGrip = Grip | OuterGrip | GripBounds | LazyGrip

#: A pose, as an object, as (rotation (3, 3), translation (3,) [m]), or as a homogeneous matrix (4, 4).
PoseLike = Pose | tuple[ArrayLike, ArrayLike] | Array

#: Grips and poses of hands: one for all hands, or one per hand.
GripsLike = AnyGrip | Iterable[AnyGrip]
PosesLike = PoseLike | Iterable[PoseLike]

#: A grip learned under gravity fits a pose if the two gravities have at most this relative difference.
SAME_GRAVITY = 1e-3

#: Smallest load that is not zero [N, N m]: smaller values are mistakes, not rounding of forces.
SMALLEST_LOAD = 1e-30

KINDS = "give holdfast.Grip, OuterGrip, GripBounds or LazyGrip objects, one for all hands or one per hand"


@dataclass(frozen=True, eq=False)
class Hands:
    """Grips at their palms' poses, checked.

    Attributes:
        grips: one per hand; hands with the same object share its arrays in the solvers.
        poses: palm frame to world, one per hand.
        length: length by which torques are divided to compare them with forces [m].
    """

    grips: tuple[AnyGrip, ...]
    poses: tuple[Pose, ...]
    length: float

    def __len__(self) -> int:
        return len(self.grips)

    @cached_property
    def maps(self) -> Array:
        """(k, 6, 6) T_j of (13): palm wrenches to world wrenches about the world origin."""
        return np.array([pose.transport for pose in self.poses])

    @cached_property
    def map_sizes(self) -> Array:
        """(k, 6, 6) absolute entries of `maps`, the scale of rounding errors."""
        return np.abs(self.maps)

    @cached_property
    def centre(self) -> tuple[float, float, float]:
        """Mean of the palms' origins in the world [m]."""
        return _centre_of(self.poses)

    @cached_property
    def scaling(self) -> Array:
        """(6,) factors that convert all components of a wrench to newtons: 1, and 1 / length for torques."""
        return np.repeat([1.0, 1.0 / self.length], 3)

    @cached_property
    def distinct(self) -> tuple[tuple[AnyGrip, ...], IntArray]:
        """The grips without repetition, and (k,) the number of each hand's grip."""
        numbers: dict[int, int] = {}
        shape_of = np.array([numbers.setdefault(id(grip), len(numbers)) for grip in self.grips], dtype=np.int64)
        by_id = {id(grip): grip for grip in self.grips}
        return tuple(by_id[key] for key in numbers), shape_of

    def wrench_size(self, wrench: Array) -> float:
        """Size [N] of a world wrench (6,), its torque about the mean of the palms' origins and divided by `length`."""
        (x, y, z), (fx, fy, fz, tx, ty, tz) = self.centre, wrench.tolist()
        torque = np.array([tx - (y * fz - z * fy), ty - (z * fx - x * fz), tz - (x * fy - y * fx)])
        return float(np.maximum(np.abs(wrench[:3]).max(), np.abs(torque).max() / self.length))

    @cached_property
    def largest_parts(self) -> Array:
        """(k, 6) the largest size of each part of a hand's vertices [N, N m]; zero for hands without vertices."""
        return np.array([grip.largest_parts if isinstance(grip, Grip) else np.zeros(6) for grip in self.grips])

    @cached_property
    def size(self) -> float:
        """Size [N] of the largest set of wrenches of the hands; the scale of rounding where loads vanish."""
        return max(size_of(grip) for grip in self.grips)

    def sided(self, side: Side) -> Hands:
        """The same with every `GripBounds` replaced by its inner or its outer grip."""
        grips = [getattr(grip, side) if isinstance(grip, GripBounds) else grip for grip in self.grips]
        return self.with_grips(grips)

    @property
    def has_bounds(self) -> bool:
        """Whether some grip has inner and outer bounds."""
        return any(isinstance(grip, GripBounds) for grip in self.grips)

    def is_same(self, other: Hands) -> bool:
        """Whether others are the same grips at the same poses."""
        pairs = zip((*self.grips, *self.poses), (*other.grips, *other.poses), strict=True)
        return self.length == other.length and all(a is b for a, b in pairs)

    def with_grips(self, grips: Sequence[AnyGrip]) -> Hands:
        """The same palms with other grips."""
        return Hands(tuple(grips), self.poses, self.length)

    def moved(self, poses: PosesLike, *, gravity: ArrayLike | None = None) -> Hands:
        """The same grips at other poses, checked; the characteristic length stays."""
        placed = checked_poses(poses, len(self))
        _check_gravity(self.grips, placed, gravity)
        return Hands(self.grips, placed, self.length)


def size_of(grip: AnyGrip) -> float:
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


def are_rigid(matrices: Array) -> bool:
    """Whether all of (..., 4, 4) are rigid poses in metres; a fast test without a reason."""
    turns, shifts = matrices[..., :3, :3], matrices[..., :3, 3]
    off = np.swapaxes(turns, -1, -2) @ turns - np.eye(3)
    last = matrices[..., 3, :] - np.array([0.0, 0.0, 0.0, 1.0])
    return bool(
        np.abs(off).max() <= tolerances.ORTHONORMAL
        and np.abs(last).max() <= tolerances.ORTHONORMAL
        and (np.linalg.det(turns) > 0.0).all()
        and np.abs(shifts).max() <= tolerances.LARGEST_LENGTH
    )


def checked_hands(
    grips: GripsLike, poses: PosesLike, *, gravity: ArrayLike | None = None, length: float | None = None
) -> Hands:
    """Grips and poses as `Hands`.

    Args:
        grips: one grip for all hands, or an iterable with one per hand.
        poses: one per hand: `Pose`, (R, t) or (4, 4); a single one for a single hand.
        gravity: (3,) [m/s^2] in the world, to check grips that were learned under gravity; they must always agree
            with each other on the direction of gravity.
        length: [m] that scales torques; by default the palms' root mean square distance from their centre, or the
            grips' own length where that is larger.
    """
    single = isinstance(grips, (AnyGrip, str, bytes)) or not np.iterable(grips)
    given: list[Any] = [grips] if single else list(cast(Any, grips))
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
    centre = _centre_of(poses)
    spread = math.sqrt(sum(math.dist(pose.translation.tolist(), centre) ** 2 for pose in poses) / len(poses))
    return max(spread, *(grip.length for grip in grips))


def _centre_of(poses: tuple[Pose, ...]) -> tuple[float, float, float]:
    """Mean of the poses' origins in the world [m]."""
    x, y, z = (sum(parts) / len(poses) for parts in zip(*(pose.translation.tolist() for pose in poses), strict=True))
    return x, y, z


def checked_poses(poses: PosesLike, wanted: int | None) -> tuple[Pose, ...]:
    """Poses as `Pose` objects; `wanted` is how many there must be, None for any number above 0."""
    one = _single_pose("poses", poses)
    if one is not None:
        placed: tuple[Pose, ...] = (one,)
    else:
        checks.iterable("poses", poses, fix="give one pose per hand: holdfast.Pose, (R, t) or a (4, 4) matrix")
        given = list(cast(Any, poses))
        placed = _pairs(given) or tuple(_pose(f"poses[{index}]", pose) for index, pose in enumerate(given))
    if not placed:
        raise InputError("is empty", where="poses", fix="give one pose per hand")
    if wanted is not None and len(placed) != wanted:
        raise InputError(f"are {len(placed)} for {wanted} hands", where="poses", fix="give one pose per hand")
    return placed


def _pairs(poses: list[Any]) -> tuple[Pose, ...] | None:
    """Poses, or (R, t) pairs, all at once; None if they have another form or one of them is wrong."""
    if poses and all(isinstance(pose, Pose) for pose in poses):
        return tuple(poses) if max(pose.reach for pose in poses) <= tolerances.LARGEST_LENGTH else None
    if not all(map(_is_pair, poses)):
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
    """`value` as one pose, or None if it has another form (such as a list of poses)."""
    if isinstance(value, Pose):
        _check_reach(where, value.reach)
        return value
    if isinstance(value, (tuple, list)) and value and (isinstance(value[0], Pose) or _is_pair(value[0])):
        return None
    if _is_pair(value):
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


def _is_pair(value: Any) -> bool:
    """Whether this may be (R, t)."""
    return isinstance(value, (tuple, list)) and len(value) == 2


def _pose(where: str, value: Any) -> Pose:
    pose = _single_pose(where, value)
    if pose is None:
        raise InputError(
            f"is not a pose but a {type(value).__name__}",
            where=where,
            fix="give holdfast.Pose, (R (3, 3), t (3,)) or a (4, 4) matrix",
        )
    return pose


def _rigid(where: str, rotation: ArrayLike, translation: ArrayLike) -> Pose:
    """The pose, with errors that name the wrong part."""
    shift = checks.vector(f"{where}.translation", translation, 3)
    _check_reach(where, float(np.abs(shift).max()))
    made = frames.rigid_poses(checks.array(f"{where}.rotation", rotation, (3, 3))[None], shift[None])
    return Pose(frames.rotation(f"{where}.rotation", rotation), shift) if made is None else made[0]


def _check_reach(where: str, reach: float) -> None:
    if reach > tolerances.LARGEST_LENGTH:
        raise UnitError(
            f"lies {reach:.3g} m from the origin",
            where=where,
            fix=f"positions are in metres, within {tolerances.LARGEST_LENGTH:g}",
        )


def _shape(value: Any) -> tuple[int, ...] | None:
    """The shape of an array-like; None for other objects."""
    try:
        return np.shape(value)
    except ValueError:  # rows of different lengths
        return None


def checked_wrench(name: str, value: ArrayLike) -> Array:
    """A wrench (6,) (force [N], torque [N m]) of plausible size."""
    wrench = checks.vector(name, value, 6)
    _check_size(name, wrench)
    return wrench


def checked_wrenches(name: str, value: ArrayLike, count: int) -> Array:
    """Wrenches (count, 6), or one (6,) for all, of plausible sizes."""
    given = np.tile(checks.vector(name, value, 6), (count, 1)) if _shape(value) == (6,) else value
    wrenches = checks.array(name, given, (count, 6))
    for index, wrench in enumerate(wrenches):
        _check_size(f"{name}[{index}]", wrench)
    return wrenches


def _check_size(name: str, wrench: Array) -> None:
    largest = max(map(abs, wrench.tolist()))
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
    """Check that grips learned under gravity have the orientation in which they were learned."""
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
                f"rotates the gravity of its grip to {own.round(4).tolist()} m/s^2 in the world, "
                f"but {source} has {down.round(4).tolist()}",
                where=f"poses[{index}]",
                fix="learn the grip for the palm's gravity in this pose, rotation.T @ gravity",
            )


# Flat problems: all contacts and joints of all hands in one assembly.


@with_advice()
def flat_assembly(grips: GripsLike, poses: PosesLike) -> Assembly:
    """One assembly whose object is the body, with the contacts of all hands and a block of joint rows for each.

    `hf.equilibrium` and `hf.load_limit` of it solve the same problem as `posture_equilibrium` does hand by hand; the
    results agree where all volumes are convex.

    Args:
        grips: `LazyGrip` objects, one for all hands or one per hand.
        poses: poses of the palms, one per hand.
    """
    hands = checked_hands(grips, poses)
    contacts: list[Contact] = []
    blocks: list[JointRows | None] = []
    sizes: list[int] = []
    mirrored: dict[int, ForceVolume] = {}
    for index, (grip, pose) in enumerate(zip(hands.grips, hands.poses, strict=True)):
        if not isinstance(grip, LazyGrip):
            raise InputError(
                f"is a {type(grip).__name__}", where=f"grips[{index}]", fix="a flat assembly is made of LazyGrip hands"
            )
        where = pose if grip.palm is None else pose @ grip.palm.inverse()
        own = grip.assembly.moved(where)
        contacts += [_on_body(contact, grip, index, mirrored) for contact in own.contacts]
        blocks.append(own.joints if own.joints is None or grip.acting == "direct" else _reversed(own.joints))
        sizes.append(len(own))
    return Assembly(contacts, _stacked(blocks, sizes), "flat")


def _on_body(contact: Contact, grip: LazyGrip, index: int, mirrored: dict[int, ForceVolume]) -> Contact:
    """The contact with forces that act on the body: for a reaction the volume is reflected at zero."""
    name = f"hand {index} {contact.name}".strip()
    volume, suspension = contact.volume, contact.suspension
    if grip.acting == "reaction":
        if id(volume) not in mirrored:
            pieces = [-piece.vertices for piece in volume.polytopes]
            made = ForceVolume(pieces, [-piece.rays for piece in volume.polytopes], allow_flat=True)
            mirrored[id(volume)] = made.made_of(volume)
        volume = mirrored[id(volume)]
        if suspension is not None:
            suspension = suspension.reversed()
    return replace(contact, volume=volume, name=name, suspension=suspension)


def _reversed(rows: JointRows) -> JointRows:
    return replace(rows, jacobian=-rows.jacobian)


def _stacked(blocks: list[JointRows | None], sizes: list[int]) -> JointRows | None:
    """Joint rows of all hands, each over its own contacts."""
    if all(block is None for block in blocks):
        return None
    total, before = sum(sizes), 0
    rows: list[JointRows] = []
    for index, (block, size) in enumerate(zip(blocks, sizes, strict=True)):
        if block is not None:
            own = block.names or [f"row {row}" for row in range(len(block))]
            wide = block.padded(before=before, after=total - before - size)
            rows.append(replace(wide, names=tuple(f"hand {index} {name}" for name in own)))
        before += size
    return stacked(rows)


@with_advice()
@dataclass(frozen=True, eq=False, kw_only=True)
class PostureScene:
    """A rigid body, the grips and poses of its hands, and its loads; immutable.

    `hf.posture_equilibrium(p.grips, p.poses, p.wrench)` tests whether it holds, `hf.support_region(p.grips, p.poses,
    p.mass, p.gravity)` gives its support region.

    Attributes:
        grips: one per hand (Grip, OuterGrip, GripBounds or LazyGrip): wrenches on the body, in the palm frame; hands
            with the same grip in the file share one object.
        poses: one per hand: from the palm frame into the world.
        hands: names of the hands in reports.
        grip_names: name of each hand's grip in the file.
        mass: of the body [kg].
        com: (3,) centre of mass in the world [m].
        gravity: (3,) acceleration in the world [m/s^2].
        loads: named external wrenches (6,) on the body, torque about the world origin, in addition to the weight.
        hands_weigh: whether links of a hand have a weight, so that its grip is valid only for this gravity.
        name: its name in reports.
        description: description.
        path: the file it was read from, or None.
    """

    grips: tuple[Any, ...]
    poses: tuple[Pose, ...]
    mass: float
    hands: tuple[str, ...] = ()
    grip_names: tuple[str, ...] = ()
    com: Array = field(default_factory=lambda: np.zeros(3))
    gravity: Array = field(default_factory=lambda: np.array([0.0, 0.0, -STANDARD_GRAVITY]))
    loads: Mapping[str, Array] = field(default_factory=dict)
    hands_weigh: bool = False
    name: str = ""
    description: str = ""
    path: Path | None = None

    def __post_init__(self) -> None:
        checks.iterable("grips", self.grips, fix="give one grip per hand")
        checks.iterable("poses", self.poses, fix="give one pose per hand")
        object.__setattr__(self, "grips", tuple(self.grips))
        object.__setattr__(self, "poses", tuple(self.poses))
        count = len(self.poses)
        if count == 0:
            raise InputError("is empty", where="poses", fix="give one pose per hand")
        for index, pose in enumerate(self.poses):
            checks.instance(f"poses[{index}]", pose, Pose, fix="give a holdfast.Pose")
        numbered = tuple(f"hand {index + 1}" for index in range(count))
        object.__setattr__(self, "hands", tuple(self.hands) or numbered)
        object.__setattr__(self, "grip_names", tuple(self.grip_names) or ("",) * count)
        for what in ("grips", "hands", "grip_names"):
            if len(getattr(self, what)) != count:
                raise InputError(
                    f"has {len(getattr(self, what))} entries", where=what, fix=f"give {count}, one per hand"
                )
        low, high = tolerances.SMALLEST_MASS, tolerances.LARGEST_MASS
        object.__setattr__(self, "mass", checks.number("mass", self.mass, low=low, high=high, unit="kg"))
        object.__setattr__(self, "com", checks.vector("com", self.com, 3))
        object.__setattr__(self, "gravity", checked_gravity("gravity", self.gravity))
        loads = {str(name): checks.vector(f"loads[{name!r}]", wrench, 6) for name, wrench in self.loads.items()}
        object.__setattr__(self, "loads", MappingProxyType(loads))

    def __len__(self) -> int:
        """Number of hands."""
        return len(self.poses)

    def __repr__(self) -> str:
        return f"PostureScene({self.name!r}, {len(self)} hands)"

    @property
    def wrench(self) -> Array:
        """(6,) the body's weight about the world origin (16); named loads are not in it."""
        return gravity_wrench(self.mass, self.gravity, self.com)

    def load(self, name: str) -> Array:
        """(6,) the load called `name`."""
        if name not in self.loads:
            raise UnknownNameError("load", name, self.loads, where=str(self.path or self.name))
        return self.loads[name]

    def with_loads(self, names: Iterable[str]) -> Array:
        """(6,) the body's weight and the loads called `names`, together."""
        return np.sum([self.wrench, *(self.load(name) for name in names)], axis=0)

    def with_gravity(self, gravity: ArrayLike) -> PostureScene:
        """The posture under another gravity (3,) [m/s^2]."""
        if self.hands_weigh:
            fix = "load the file again: load_posture(path, gravity=...)"
            raise InputError("a grip is valid for one gravity only: links have a weight", where="gravity", fix=fix)
        return replace(self, gravity=checked_gravity("gravity", gravity))

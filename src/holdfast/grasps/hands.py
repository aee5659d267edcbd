"""Hands for planar grasps, seen from above: their limits and fingers, read from small TOML files.

A three-finger hand has a thumb that pushes along its axis h and two fingers whose pivots are `pivot_offset` a to the
left and right of the palm centre; they spread symmetrically by theta from h. A parallel jaw is a hand of two fingers:
one jaw is the thumb; the pad of the other one, 2 a wide, counts as two fingers that touch at its ends, so that it makes
only virtual two-finger grasps. A new hand is a new file; `docs/grasp-hands.md` lists its entries.

Pose of a hand above a grasp: palm, yaw, spread, forces and extensions of its fingers.

Seen from above (mm, y up): the palm centre O, the thumb axis h, s = h turned by -90 deg. The thumb's ray leaves O along
-h and pushes with F1 = h. The fingers pivot about O -/+ a s, left and right of h; their rays are d2 = R(+theta) h and
d3 = R(-theta) h, their forces F2 = -d2 and F3 = -d3. The three lines of force meet in C_C = O - a cot(theta) h, the
real focus. Three contacts allow a one-parameter family of poses in the spread theta; the one with the smallest sum of
squared deviations of the forces from the contact normals and with possible extensions is taken.

A virtual two-finger grasp has theta = 0: the fingers are parallel and 2 a apart, h bisects the angle between the normal
at the thumb and the reversed normals at the fingers, and O is such that e1 = (e2 + e3) / 2.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array, BoolArray, IntArray
from ..errors import FileError, FrameError, InputError, UnknownNameError
from ..inputs import checked_path, file_text
from ..public_names import with_advice
from .criteria import UNIT_LENGTH

if TYPE_CHECKING:
    from .candidates import Candidates

FOLDER = Path(__file__).resolve().parent.parent / "data" / "hands"


@dataclass(frozen=True)
class GraspHand:
    """A hand above a planar part, with the limits of its grasps.

    Attributes:
        name: name of the hand.
        fingers: 3 (a thumb and two fingers) or 2 (two jaws).
        pivot_offset: a, from the palm centre to the pivot of either finger, across the thumb's axis [mm].
        longest_extension: no finger reaches farther than this from its pivot [mm].
        eta: the longest extension that still touches with the fingertip [mm]; C2, C3 and C6 refer to it.
        spread_low: smallest opening angle theta of a three-finger grasp, above 0 [rad].
        spread_high: largest opening angle theta, below pi/2 [rad].
        virtual: whether it makes virtual two-finger grasps, both fingers parallel and 2 a apart.
        fingertip_width: width of a fingertip, across its ray [mm].
        palm_radius: radius of the palm about its centre [mm].
        source: source of the numbers.
        closest_extension: no fingertip closes farther than this [mm]: 0 at its pivot, negative beyond it.
        pinch: whether fingers 2 and 3 can face each other at a spread of 90 deg and press without the thumb.
    """

    name: str
    fingers: int
    pivot_offset: float
    longest_extension: float
    eta: float
    spread_low: float
    spread_high: float
    virtual: bool
    fingertip_width: float
    palm_radius: float
    source: str = ""
    closest_extension: float = 0.0
    pinch: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise InputError(f"is {self.name!r}", where="name", fix="give the hand a name")
        if isinstance(self.fingers, bool) or self.fingers not in (2, 3):
            raise InputError(f"is {self.fingers!r}", where="fingers", fix="give 3, or 2 for a parallel jaw")
        object.__setattr__(self, "fingers", int(self.fingers))
        for name in ("virtual", "pinch"):
            if not isinstance(getattr(self, name), bool):
                raise InputError(f"is {getattr(self, name)!r}", where=name, fix="give true or false")
        if self.pinch and self.fingers == 2:
            raise InputError("is true", where="pinch", fix="leave it out: two jaws always press against each other")
        checks.number("closest_extension", self.closest_extension, high=0.0, unit="mm")
        checks.number("pivot_offset", self.pivot_offset, low=0.0, unit="mm")
        for name in ("longest_extension", "eta", "fingertip_width"):
            checks.positive(name, getattr(self, name), unit="mm")
        checks.number("palm_radius", self.palm_radius, low=0.0, unit="mm")
        if self.fingers == 2 and not self.virtual:
            raise InputError("is false", where="virtual", fix="two fingers make virtual two-finger grasps only")
        if self.virtual and self.pivot_offset == 0.0:
            raise InputError(
                "is 0 mm, so that both fingers of a virtual two-finger grasp would be at the same place",
                where="pivot_offset",
                fix="give a positive offset, or virtual = false",
            )
        low, high = math.degrees(self.spread_low), math.degrees(self.spread_high)
        if self.fingers == 3 and not 0.0 < self.spread_low < self.spread_high < math.pi / 2.0:
            raise InputError(
                f"goes from {low:g} to {high:g} deg", where="spread", fix="give 0 < low < high < 90 deg, as [2, 88]"
            )


@with_advice()
def hand_names() -> tuple[str, ...]:
    """Names of the ready hands."""
    return tuple(sorted(file.stem for file in FOLDER.glob("*.toml")))


@with_advice()
def load_hand(hand: str | Path | GraspHand) -> GraspHand:
    """A hand by name, from a TOML file, or a `GraspHand` unchanged.

    Args:
        hand: one of `hand_names()`, the path of a TOML file (suffix .toml), or a `GraspHand`.

    Raises:
        UnknownNameError: there is no such hand.
        FileError: the file cannot be read, or an entry is missing, unknown or impossible; it names the entry.
    """
    if isinstance(hand, GraspHand):
        return hand
    if not isinstance(hand, (str, Path)):
        raise InputError(
            f"is a {type(hand).__name__}", where="hand", fix="give a name, the path of a TOML file or a GraspHand"
        )
    if isinstance(hand, Path) or hand.endswith(".toml"):
        return _read(checked_path(hand))
    if hand not in hand_names():
        raise UnknownNameError("hand", hand, (*hand_names(), "or the path of a .toml file"), where="hand")
    return _read(FOLDER / f"{hand}.toml")


_LENGTHS = ("pivot_offset", "longest_extension", "eta", "fingertip_width", "palm_radius")
#: Largest file of a hand [bytes].
LARGEST_HAND = 1_000_000

#: Optional entries; the joints of older files, `kinematics`, are not used.
_OPTIONAL = ("closest_extension_mm", "pinch", "kinematics")
#: Names of entries in a file that differ from those of `GraspHand`.
_IN_FILE = {name: f"{name}_mm" for name in (*_LENGTHS, "closest_extension")} | {"spread": "spread_deg"}
_HAND = ("name", "fingers", "spread_deg", "virtual", "source", *(f"{n}_mm" for n in _LENGTHS), *_OPTIONAL)


def _read(path: Path) -> GraspHand:
    try:
        entries = tomllib.loads(file_text(path, most=LARGEST_HAND))
    except (tomllib.TOMLDecodeError, ValueError, RecursionError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"is not TOML: {error}", path=path, fix="see docs/grasp-hands.md for an example") from None
    try:
        return _hand(entries, path)
    except FileError:
        raise
    except InputError as error:
        field = _IN_FILE.get(error.where or "", error.where)
        raise FileError(error.what, path=path, field=field, fix=error.fix) from None


def _hand(entries: Mapping[str, Any], path: Path) -> GraspHand:
    _refuse_others(entries, _HAND, path)
    fingers = _entry(entries, "fingers", path)
    spread = _pair(entries, "spread_deg", path) if fingers != 2 or "spread_deg" in entries else (0.0, 0.0)
    return GraspHand(
        name=_entry(entries, "name", path),
        fingers=fingers,
        **{name: _number(entries, f"{name}_mm", path) for name in _LENGTHS},
        spread_low=math.radians(spread[0]),
        spread_high=math.radians(spread[1]),
        virtual=_entry(entries, "virtual", path),
        source=str(entries.get("source", "")),
        closest_extension=_number({"closest_extension_mm": 0.0, **entries}, "closest_extension_mm", path),
        pinch=entries.get("pinch", False),
    )


def _refuse_others(entries: Mapping[str, Any], known: tuple[str, ...], path: Path) -> None:
    for name in entries:
        if name not in known:
            error = UnknownNameError("entry", name, known)
            raise FileError(error.what, path=path, field=name, fix=error.fix)


def _entry(entries: Mapping[str, Any], name: str, path: Path) -> Any:
    if name not in entries:
        raise FileError("is missing", path=path, field=name, fix="add it; data/hands/ has examples")
    return entries[name]


def _number(entries: Mapping[str, Any], name: str, path: Path) -> float:
    value = _entry(entries, name, path)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise FileError(f"is {value!r}", path=path, field=name, fix="give one finite number")
    return float(value)


def _pair(entries: Mapping[str, Any], name: str, path: Path) -> tuple[float, float]:
    value = _entry(entries, name, path)
    if not isinstance(value, list) or len(value) != 2:
        raise FileError(f"is {value!r}", path=path, field=name, fix="give two numbers, as [low, high]")
    low, high = (_number({name: number}, name, path) for number in value)
    return low, high


@dataclass(frozen=True, eq=False)
class HandPoses:
    """Poses of a hand over g grasps; fingers in the order of the grasps' contacts, thumb first.

    Rows out of reach have the pose with the smallest deviations, ignoring reach; rows without a pose are NaN.

    Attributes:
        spread: theta (g,) [rad], 0 for virtual two-finger grasps, pi/2 for pinches.
        palm: palm centre O (g, 2) [mm].
        yaw: direction of h from the x axis (g,) [rad], in [-pi, pi].
        thumb_axis: h (g, 2), unit.
        forces: directions of the forces on the object (g, 3, 2), unit.
        real_focus: C_C (g, 2) [mm], where the lines of force meet; NaN at infinity.
        extensions: from pivot to contact along the ray (g, 3) [mm].
        left: (g,) which contact, 1 or 2 counted from 0, is left of h.
        reachable: (g,) whether the hand can take the pose.
        outcome: (g,) outcome of the search, see `spreads`; -1 for a kind of grasp that
            the hand does not make.
        virtual: (g,) whether the grasp is a virtual two-finger one.
        hand: the hand.
        pinch: (g,) whether fingers 2 and 3 press against each other; the first contact is then finger 2's.
    """

    spread: Array
    palm: Array
    yaw: Array
    thumb_axis: Array
    forces: Array
    real_focus: Array
    extensions: Array
    left: IntArray
    reachable: BoolArray
    outcome: IntArray
    virtual: BoolArray
    hand: GraspHand
    pinch: BoolArray = None  # pyright: ignore[reportAssignmentType]

    def __post_init__(self) -> None:
        if self.pinch is None:
            object.__setattr__(self, "pinch", np.zeros(len(self), dtype=bool))

    def __len__(self) -> int:
        """The number of grasps."""
        return self.spread.shape[0]

    def select(self, chosen: IntArray) -> HandPoses:
        """The poses of an index array, in its order."""
        rows = {name: value[chosen] for name, value in vars(self).items() if isinstance(value, np.ndarray)}
        return replace(self, **rows)

    @cached_property
    def reason(self) -> tuple[str, ...]:
        """Why the hand cannot take a pose, as text; "" where it can."""
        words = [""] * len(self)
        for row in np.flatnonzero(~self.reachable):
            flags = bool(self.virtual[row]), bool(self.pinch[row])
            words[row] = _reason(self.hand, int(self.outcome[row]), *flags, self.extensions[row])
        return tuple(words)

    def pivots(self) -> Array:
        """B1 = O and the pivots of the fingers (g, 3, 2) [mm], each on the side of its own contact.

        For a pinch, the pivots of finger 2 and, twice, of finger 3.
        """
        across = np.stack([self.thumb_axis[:, 1], -self.thumb_axis[:, 0]], axis=1)  # s, to the right of h
        result = np.repeat(self.palm[:, None, :], 3, axis=1)
        side = np.where(self.left[:, None] == (1, 2), -self.hand.pivot_offset, self.hand.pivot_offset)
        result[:, 1:] += side[..., None] * across[:, None, :]
        turned = self.hand.pivot_offset * across[:, None, :] * np.array([[-1.0], [1.0], [1.0]])
        return np.where(self.pinch[:, None, None], self.palm[:, None, :] + turned, result)


@with_advice()
def solve_hand(
    candidates: Candidates | None = None,
    hand: str | Path | GraspHand = "barrett",
    *,
    contacts: ArrayLike | None = None,
    normals: ArrayLike | None = None,
    virtual: ArrayLike | None = None,
    pinch: ArrayLike | None = None,
) -> HandPoses:
    """Poses of the hand over all candidates, or over `contacts` with `normals`.

    Args:
        candidates: grasps with contacts, normals and virtual.
        hand: a `GraspHand`, its name or its file.
        contacts: (g, 3, 2) [mm], thumb first, instead of candidates; (3, 2) for one grasp. Which of the other two is
            left of h is determined.
        normals: inward unit normals (g, 3, 2) at the contacts.
        virtual: (g,) whether fingers 2 and 3 are parallel, on one region; none when not given. Their contacts lie a
            left and right of the thumb's line, for a parallel jaw at most a.
        pinch: (g,) whether fingers 2 and 3 press against each other; none when not given.

    Raises:
        InputError: arrays of wrong shape or with NaN.
        FrameError: normals that are not of unit length.
    """
    from .spreads import REACHED, solve

    hand = load_hand(hand)
    points, inward, flags = _grasps(candidates, contacts, normals, virtual)
    pinched = _flags("pinch", candidates.pinch if candidates is not None else pinch, len(points))
    able = flags if hand.fingers == 2 else (np.ones(len(flags), dtype=bool) if hand.virtual else ~flags)
    able = np.where(pinched, hand.pinch, able)
    poses = solve(
        points,
        inward,
        flags,
        float(hand.pivot_offset),
        float(hand.longest_extension),
        (hand.spread_low, hand.spread_high),
        able,
        closest=float(hand.closest_extension),
        pads=hand.fingers == 2,
        pinch=pinched,
    )
    reachable = poses.outcome == REACHED
    yaw = np.arctan2(poses.axis[:, 1], poses.axis[:, 0])
    to_fingers = points[:, 1:] - points[:, :1]
    left = np.where(to_fingers[:, 0, 0] * to_fingers[:, 1, 1] > to_fingers[:, 0, 1] * to_fingers[:, 1, 0], 2, 1)
    filled = (poses.spread, poses.palm, yaw, poses.axis, poses.forces, poses.focus, poses.reach)
    for array in (*filled, left, reachable, poses.outcome):
        array.setflags(write=False)
    return HandPoses(*filled, left, reachable, poses.outcome, flags, hand, pinched)


def _grasps(
    candidates: Any, contacts: ArrayLike | None, normals: ArrayLike | None, virtual: ArrayLike | None
) -> tuple[Array, Array, BoolArray]:
    if candidates is not None:
        if contacts is not None or normals is not None or virtual is not None:
            raise InputError("both are given", where="candidates, contacts", fix="give candidates or arrays")
        contacts, normals, virtual = candidates.contacts, candidates.normals, candidates.virtual
    if contacts is None or normals is None:
        raise InputError("missing", where="contacts, normals", fix="give candidates, or contacts and normals")
    points, inward = checks.rows("contacts", contacts, 2), checks.rows("normals", normals, 2)
    if points.ndim == 2 and inward.ndim == 2:
        points, inward = points[None], inward[None]
    for name, value in (("contacts", points), ("normals", inward)):
        if value.ndim != 3 or value.shape[1] != 3 or value.shape[0] != points.shape[0]:
            raise InputError(f"has shape {value.shape}", where=name, fix="give (g, 3, 2), for the same g, thumb first")
    length = np.hypot(inward[..., 0], inward[..., 1])
    wrong = np.abs(length - 1.0) > UNIT_LENGTH
    if wrong.any():
        row, finger = (int(i) for i in np.argwhere(wrong)[0])
        raise FrameError(
            f"has length {length[row, finger]:g}", where=f"normals[{row}, {finger}]", fix="give unit vectors"
        )
    flags = _flags("virtual", virtual, len(points))
    return np.ascontiguousarray(points), np.ascontiguousarray(inward), np.ascontiguousarray(flags)


def _flags(name: str, value: ArrayLike | None, count: int) -> BoolArray:
    """(count,) one flag per grasp, all False when not given."""
    flags = np.zeros(count, dtype=np.bool_) if value is None else np.atleast_1d(np.asarray(value))
    if flags.dtype != np.bool_ or flags.shape != (count,):
        raise InputError(f"is {value!r}", where=name, fix="give one True or False for each grasp")
    return flags


def _reason(hand: GraspHand, outcome: int, virtual: bool, pinch: bool, reach: Array) -> str:
    """Why the hand cannot take a pose, as text."""
    from . import spreads

    if outcome < 0 and pinch:
        return f"the hand {hand.name} does not pinch"
    if outcome < 0 and virtual:
        return f"the hand {hand.name} makes no virtual two-finger grasps"
    if outcome < 0:
        return f"the hand {hand.name} has two fingers and makes only virtual two-finger grasps"
    if outcome == spreads.IN_LINE:
        return "the contacts lie in a line"
    if outcome == spreads.COINCIDENT:
        return "two contacts coincide"
    if outcome == spreads.BACK_TO_BACK:
        return "the two regions do not face each other"
    if outcome == spreads.OFF_PIVOTS:
        if hand.fingers == 2:
            return f"the contacts of the pad are more than {2.0 * hand.pivot_offset:g} mm apart or beside the axis"
        return f"the fingers' contacts are not {2.0 * hand.pivot_offset:g} mm apart about the thumb's line"
    names = ("thumb", "finger 2", "finger 3")
    closest = 0.0 if virtual and not pinch else hand.closest_extension
    told = [
        f"{name} would need {value:.0f} mm of {hand.longest_extension:g} mm"
        for name, value in zip(names, reach, strict=True)
        if value > hand.longest_extension
    ] + [
        f"{name} would be {'' if closest == 0.0 else f'{-value:.0f} mm '}behind its pivot"
        for name, value in zip(names, reach, strict=True)
        if value < closest
    ]
    told = "; ".join(told)
    return f"out of reach: {told}" if virtual else f"out of reach at every spread; at the best one: {told}"

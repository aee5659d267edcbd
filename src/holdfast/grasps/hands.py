"""Hands that make planar grasps, seen from above: their limits and fingers, read from small TOML files.

A three-finger hand has a thumb that pushes along its axis h and two fingers whose pivots stand `pivot_offset` a to the
left and right of the palm centre; they spread symmetrically by theta from h. A parallel jaw is a hand of two fingers:
one jaw is the thumb, the other one's pad, 2 a wide, counts as two fingers that touch at its ends, so that it makes
virtual two-finger grasps and nothing else. A new hand is a new file; `docs/grasp-hands.md` tells its entries.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import checks
from ..errors import FileError, InputError, UnknownNameError

FOLDER = Path(__file__).resolve().parent.parent / "data" / "hands"


@dataclass(frozen=True)
class Linkage:
    """A finger of two coupled links that bend in the vertical plane of its ray.

    Attributes:
        knuckle: from the pivot's axis to the first joint, along the ray [mm].
        proximal: length of the first link [mm].
        distal: length of the second link [mm].
        tip_offset: from the second link's centre line to its pad, towards the object [mm].
        base_height: height of the first joint above the hand's base [mm].
        proximal_offset: angle of the first link from the ray when its joint is at 0 [rad].
        distal_offset: angle of the second link from the first when its joint is at 0 [rad].
        coupling: turn of the second joint for a unit turn of the first.
        proximal_low: smallest angle of the first joint [rad].
        proximal_high: largest angle of the first joint [rad].
    """

    knuckle: float
    proximal: float
    distal: float
    tip_offset: float
    base_height: float
    proximal_offset: float
    distal_offset: float
    coupling: float
    proximal_low: float
    proximal_high: float

    def __post_init__(self) -> None:
        for name in ("proximal", "distal"):
            checks.positive(f"kinematics.{name}", getattr(self, name), unit="mm")
        for name in ("knuckle", "base_height", "coupling"):
            checks.number(f"kinematics.{name}", getattr(self, name), low=0.0)
        for name in ("tip_offset", "proximal_offset", "distal_offset", "proximal_low", "proximal_high"):
            checks.number(f"kinematics.{name}", getattr(self, name))
        if not self.proximal_low < self.proximal_high:
            low, high = math.degrees(self.proximal_low), math.degrees(self.proximal_high)
            raise InputError(
                f"goes from {low:g} to {high:g} deg", where="kinematics.proximal_range", fix="give low below high"
            )


@dataclass(frozen=True)
class Slide:
    """A fingertip that slides along its ray at one height.

    Attributes:
        height: of the fingertip above the hand's base [mm].
    """

    height: float

    def __post_init__(self) -> None:
        checks.number("kinematics.height", self.height, low=0.0, unit="mm")


@dataclass(frozen=True)
class Hand:
    """A hand above a planar part: what limits the grasps it can make.

    Attributes:
        name: of the hand.
        fingers: 3 (a thumb and two fingers) or 2 (a jaw and its counterpart).
        pivot_offset: a, from the palm centre to the pivot of either finger, across the thumb's axis [mm].
        longest_extension: no finger reaches farther than this from its pivot [mm].
        eta: the longest extension that still touches with the fingertip [mm]; C2, C3 and C6 refer to it.
        spread_low: smallest opening angle theta of a three-finger grasp, above 0 [rad].
        spread_high: largest opening angle theta, below pi/2 [rad].
        virtual: whether it makes virtual two-finger grasps, both fingers parallel and 2 a apart.
        fingertip_width: of a fingertip, across its ray [mm].
        palm_radius: of the circle about the palm centre that the palm covers [mm].
        kinematics: how a fingertip gets to its extension.
        source: where the figures come from.
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
    kinematics: Linkage | Slide
    source: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise InputError(f"is {self.name!r}", where="name", fix="give the hand a name")
        if isinstance(self.fingers, bool) or self.fingers not in (2, 3):
            raise InputError(f"is {self.fingers!r}", where="fingers", fix="give 3, or 2 for a parallel jaw")
        object.__setattr__(self, "fingers", int(self.fingers))
        if not isinstance(self.virtual, bool):
            raise InputError(f"is {self.virtual!r}", where="virtual", fix="give true or false")
        checks.number("pivot_offset", self.pivot_offset, low=0.0, unit="mm")
        for name in ("longest_extension", "eta", "fingertip_width"):
            checks.positive(name, getattr(self, name), unit="mm")
        checks.number("palm_radius", self.palm_radius, low=0.0, unit="mm")
        if self.fingers == 2 and not self.virtual:
            raise InputError("is false", where="virtual", fix="two fingers make virtual two-finger grasps only")
        if self.virtual and self.pivot_offset == 0.0:
            raise InputError(
                "is 0 mm, so that both fingers of a virtual two-finger grasp would stand in one place",
                where="pivot_offset",
                fix="give a positive offset, or virtual = false",
            )
        low, high = math.degrees(self.spread_low), math.degrees(self.spread_high)
        if self.fingers == 3 and not 0.0 < self.spread_low < self.spread_high < math.pi / 2.0:
            raise InputError(
                f"goes from {low:g} to {high:g} deg", where="spread", fix="give 0 < low < high < 90 deg, as [2, 88]"
            )
        _refuse_short_links(self)


def _refuse_short_links(hand: Hand) -> None:
    from .joints import reach

    longest = reach(hand)[1]
    if longest < hand.longest_extension:
        raise InputError(
            f"is {hand.longest_extension:g} mm, but the finger's links reach {longest:.4g} mm only",
            where="longest_extension",
            fix="shorten it or lengthen the links",
        )


def hand_names() -> tuple[str, ...]:
    """Names of the hands that come with Holdfast."""
    return tuple(sorted(file.stem for file in FOLDER.glob("*.toml")))


def load_hand(hand: str | Path | Hand) -> Hand:
    """A hand by name, from a TOML file, or as it is.

    Args:
        hand: one of `hand_names()`, the path of a TOML file (its name ends in .toml), or a `Hand`.

    Raises:
        UnknownNameError: there is no such hand.
        FileError: the file cannot be read, or an entry is missing, unknown or impossible; it names the entry.
    """
    if isinstance(hand, Hand):
        return hand
    if not isinstance(hand, (str, Path)):
        raise InputError(
            f"is a {type(hand).__name__}", where="hand", fix="give a name, the path of a TOML file or a Hand"
        )
    if isinstance(hand, Path) or hand.endswith(".toml"):
        return _read(Path(hand))
    if hand not in hand_names():
        raise UnknownNameError("hand", hand, (*hand_names(), "or the path of a .toml file"), where="hand")
    return _read(FOLDER / f"{hand}.toml")


_LINKAGE = {
    "knuckle_mm": "knuckle",
    "proximal_mm": "proximal",
    "distal_mm": "distal",
    "tip_offset_mm": "tip_offset",
    "base_height_mm": "base_height",
    "proximal_offset_deg": "proximal_offset",
    "distal_offset_deg": "distal_offset",
    "coupling": "coupling",
}
_LENGTHS = ("pivot_offset", "longest_extension", "eta", "fingertip_width", "palm_radius")
#: What entries are called in a file, where `Hand` and `Linkage` call them otherwise.
_IN_FILE = {
    **{name: f"{name}_mm" for name in _LENGTHS},
    **{f"kinematics.{name}": f"kinematics.{entry}" for entry, name in _LINKAGE.items()},
    "kinematics.height": "kinematics.height_mm",
    "kinematics.proximal_range": "kinematics.proximal_range_deg",
    "spread": "spread_deg",
}
_HAND = ("name", "fingers", "spread_deg", "virtual", "source", "kinematics", *(f"{name}_mm" for name in _LENGTHS))


def _read(path: Path) -> Hand:
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror}", path=path, fix="give the path of a TOML file") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FileError(f"is not TOML: {error}", path=path, fix="see docs/grasp-hands.md for an example") from None
    try:
        return _hand(entries, path)
    except FileError:
        raise
    except InputError as error:
        field = _IN_FILE.get(error.where or "", error.where)
        raise FileError(error.what, path=path, field=field, fix=error.fix) from None


def _hand(entries: Mapping[str, Any], path: Path) -> Hand:
    _refuse_others(entries, _HAND, path, "")
    fingers = _entry(entries, "fingers", path)
    spread = _pair(entries, "spread_deg", path, "") if fingers != 2 or "spread_deg" in entries else (0.0, 0.0)
    return Hand(
        name=_entry(entries, "name", path),
        fingers=fingers,
        **{name: _number(entries, f"{name}_mm", path, "") for name in _LENGTHS},
        spread_low=math.radians(spread[0]),
        spread_high=math.radians(spread[1]),
        virtual=_entry(entries, "virtual", path),
        kinematics=_kinematics(_entry(entries, "kinematics", path), path),
        source=str(entries.get("source", "")),
    )


def _kinematics(entries: Any, path: Path) -> Linkage | Slide:
    if not isinstance(entries, Mapping):
        raise FileError(
            "is not a table", path=path, field="kinematics", fix="write [kinematics] and its entries below it"
        )
    kind = _entry(entries, "kind", path, "kinematics.")
    if kind == "slide":
        _refuse_others(entries, ("kind", "height_mm"), path, "kinematics.")
        return Slide(_number(entries, "height_mm", path, "kinematics."))
    if kind != "linkage":
        raise FileError(f"is {kind!r}", path=path, field="kinematics.kind", fix="give 'linkage' or 'slide'")
    _refuse_others(entries, ("kind", *_LINKAGE, "proximal_range_deg"), path, "kinematics.")
    values = {}
    for entry, name in _LINKAGE.items():
        value = _number(entries, entry, path, "kinematics.")
        values[name] = math.radians(value) if entry.endswith("_deg") else value
    low, high = _pair(entries, "proximal_range_deg", path, "kinematics.")
    return Linkage(**values, proximal_low=math.radians(low), proximal_high=math.radians(high))


def _refuse_others(entries: Mapping[str, Any], known: tuple[str, ...], path: Path, table: str) -> None:
    for name in entries:
        if name not in known:
            error = UnknownNameError("entry", name, known)
            raise FileError(error.what, path=path, field=f"{table}{name}", fix=error.fix)


def _entry(entries: Mapping[str, Any], name: str, path: Path, table: str = "") -> Any:
    if name not in entries:
        raise FileError("is missing", path=path, field=f"{table}{name}", fix="add it; data/hands/ has examples")
    return entries[name]


def _number(entries: Mapping[str, Any], name: str, path: Path, table: str) -> float:
    value = _entry(entries, name, path, table)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise FileError(f"is {value!r}", path=path, field=f"{table}{name}", fix="give one finite number")
    return float(value)


def _pair(entries: Mapping[str, Any], name: str, path: Path, table: str) -> tuple[float, float]:
    value = _entry(entries, name, path, table)
    if not isinstance(value, list) or len(value) != 2:
        raise FileError(f"is {value!r}", path=path, field=f"{table}{name}", fix="give two numbers, as [low, high]")
    low, high = (_number({name: number}, name, path, table) for number in value)
    return low, high

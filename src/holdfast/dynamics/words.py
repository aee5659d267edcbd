"""What happens, in sentences: which way the object goes, which contacts give way first, what (7) leaves open."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..checks import Array
from ..statics.diagnosis import Motion, amount
from .body import centre_of_mass
from .motion import Fall, FallEnd
from .separation import Separation, SeparationStatus
from .states import ContactMode, ContactState, acceleration_scale

#: Names that are spelled out before the rest is counted.
MOST_NAMES = 3

#: A part of the acceleration below this share of its scale is not worth a number.
SMALL_PART = 1e-6


def motion_of(separation: Separation) -> Motion | None:
    """The way the object goes, in the words of a diagnosis; None without an acceleration."""
    twist = separation.acceleration
    if twist is None:
        return None
    length, scale = separation.assembly.length, acceleration_scale(separation)
    centre = separation.assembly.positions.mean(axis=0)
    turn = np.where(np.abs(twist[3:]) * length > SMALL_PART * scale, twist[3:], 0.0)
    at_centre = twist[:3] + np.cross(twist[3:], centre)
    at_centre = np.where(np.abs(at_centre) > SMALL_PART * scale, at_centre, 0.0)
    return Motion(at_centre - np.cross(turn, centre), turn, centre, length)


def acceleration_at(separation: Separation, point: Array) -> Array:
    """(3,) acceleration [m/s^2] of the object's point at `point` (3,) [m] in the world; zero when it holds."""
    twist = np.zeros(6) if separation.acceleration is None else separation.acceleration
    return twist[:3] + np.cross(twist[3:], point)


def sentences(separation: Separation, com: Array | None = None) -> tuple[str, ...]:
    """What happens, in words: the verdict, which way the object goes, which contacts give way, what to be wary of.

    `com` (3,) [m] is the point whose acceleration is told; the one the mass matrix has by default.
    """
    if separation.status is SeparationStatus.HOLDS:
        return ("It holds: nothing accelerates.",)
    if separation.status is SeparationStatus.PENETRATES:
        return (
            "It does not hold, and (7) has no solution: no admissible forces keep the contact points from moving into "
            "what they touch.",
            "Some contact cannot press as hard as it is pressed: its volume ends too low (a cap), or joints give way.",
        )
    undecided = separation.status is SeparationStatus.UNDECIDED
    if separation.acceleration is None:
        return ("It is undecided what happens: no admissible forces were found within the limits of the search.",)
    point = centre_of_mass(separation.mass_matrix) if com is None else com
    return (
        _goes(separation, point, undecided),
        *_gives_way(separation.states),
        *_still_pulls(separation.states),
        *_still_presses(separation.states),
    )


def fall_words(fall: Fall) -> str:
    """How an illustrative motion ends, in a sentence."""
    steps, last = len(fall) - 1, fall.frames[-1]
    moved = f"after {steps} step{'' if steps == 1 else 's'} of at most {amount(1e3 * fall.step)} mm"
    left = f"{len(last.touching)} of {len(fall.assembly)} contacts touch"
    return {
        FallEnd.HOLDS: "It holds where it is.",
        FallEnd.RESEATS: f"It holds again {moved}; {left}.",
        FallEnd.FALLS: f"It falls free {moved}: nothing touches it any more.",
        FallEnd.MOVES: f"It still moves {moved}; {left}.",
        FallEnd.UNKNOWN: f"What it does is unknown {moved}: {_why_unknown(last.separation)}; {left}.",
    }[fall.end]


def _why_unknown(answer: Separation | None) -> str:
    if answer is not None and answer.status is SeparationStatus.PENETRATES:
        return "(7) has no solution there"
    return "(7) was not solved within the limits of the search"


def _goes(separation: Separation, point: Array, undecided: bool) -> str:
    """Which way the object goes, and how fast."""
    motion = motion_of(separation)
    opening = (
        "It is undecided what happens; the best found: the object" if undecided else "It does not hold: the object"
    )
    way = "does not move" if motion is None else motion.words
    twist = np.zeros(6) if separation.acceleration is None else separation.acceleration
    numbers = [
        f"its centre of mass accelerates by {amount(float(np.linalg.norm(acceleration_at(separation, point))))} m/s^2"
    ]
    if motion is not None and motion.angular.any():
        numbers.append(f"it turns with {amount(float(np.linalg.norm(twist[3:])))} rad/s^2")
    return f"{opening} {way}; {' and '.join(numbers)}."


def _gives_way(states: Sequence[ContactState]) -> list[str]:
    """Which contacts separate, fastest first, which slip, which stay."""
    off = sorted((s for s in states if s.separates), key=lambda s: -s.normal)
    slide = sorted((s for s in states if s.mode is ContactMode.SLIPS), key=lambda s: -s.slip)
    stay = [s for s in states if s.mode is ContactMode.STICKS]
    parts = []
    if off:
        one = len(off) == 1
        first = f"{_listed(off)} {'separates' if one else 'separate'}"
        parts.append(f"{first} ({'' if one else 'the first by '}{amount(off[0].normal)} m/s^2)")
    if slide:
        parts.append(f"{_listed(slide)} {'slips' if len(slide) == 1 else 'slip'} ({amount(slide[0].slip)} m/s^2)")
    if stay:
        parts.append(f"{_listed(stay)} {'sticks' if len(stay) == 1 else 'stick'}")
    text = "; ".join(parts)
    return [f"{text[:1].upper()}{text[1:]}."] if text else []


def _still_pulls(states: Sequence[ContactState]) -> list[str]:
    return _wary(
        states,
        lambda s: s.pulls_while_separating,
        "pull",
        "in (7) adhesion acts until the contact is gone; leave these contacts out to see what follows.",
    )


def _still_presses(states: Sequence[ContactState]) -> list[str]:
    return _wary(
        states,
        lambda s: s.presses_while_separating,
        "press",
        "in (7) a contact that opens may go on pressing, so that what slides is lifted; read this as slipping.",
    )


def _wary(states: Sequence[ContactState], which: Callable[[ContactState], bool], verb: str, why: str) -> list[str]:
    chosen = [s for s in states if which(s)]
    if not chosen:
        return []
    listed = _listed(chosen)
    one = len(chosen) == 1
    return [
        f"{listed[:1].upper()}{listed[1:]} still {verb}{'es' if verb == 'press' and one else 's' if one else ''} "
        f"while {'it separates' if one else 'they separate'}: {why}"
    ]


def _listed(states: Sequence[ContactState]) -> str:
    """The first few by name, the others counted."""
    labels = [f'"{s.name}"' if s.name else str(s.index) for s in states]
    noun = "contact" if len(labels) == 1 else "contacts"
    shown, rest = labels[:MOST_NAMES], len(labels) - MOST_NAMES
    if rest > 0:
        return f"{noun} {', '.join(shown)} and {rest} more"
    return f"{noun} {', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else f"{noun} {shown[0]}"

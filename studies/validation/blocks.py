"""Textbook blocks: angles at which they slide or tip, a ladder, and a block that can hold and nevertheless falls."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np

import holdfast as hf
from holdfast.assembly import loads
from holdfast.statics import LoadRamp

from .comparisons import ComparedValue, Validation

#: Largest relative difference from a closed form where the contact model is exact.
CLOSED_FORM_BOUND = 1e-6

#: Largest relative difference from a closed form where a friction polygon of 256 sides replaces the round cone.
ROUND_BOUND = 1e-4

#: Friction coefficient of the cube that slides, of one that tips first, and sides of their friction polygons.
SLIDING, TIPPING, FACETS = 0.84, 1.2, 16

#: Ladder: length [m], angle [deg], mass [kg], friction at its foot, mass of the person [kg]; the wall has no friction.
LADDER = (4.0, 65.0, 10.0, 0.4, 80.0)

#: Number of blocks of the overhanging stack, their height [m], and the relative tolerance of the onset.
STACK, BLOCK_HEIGHT, STACK_TOLERANCE = 10, 0.2, 1e-8

#: Squeezes [N] of each of the four ends of the H-shaped block, and the friction coefficient of the walls.
SQUEEZES, WALL_FRICTION = (2.0, 3.0), 0.5

SOURCE = (
    "closed forms of statics: sliding at tan(angle) = mu, tipping where the weight leaves the base, overhang of "
    "stacked blocks, a ladder's balance"
)

READING = (
    "The values are compared with closed forms, so the differences are rounding errors. The slope rises along a "
    "corner of the friction polygon, where the polygon touches the round cone. With 16 sides, a slope half-way "
    "between two corners slides 1.9 % too early in tan(angle); the bracket of `load_ramp` then gives the value of "
    "the round cone. The H-shaped block shows what 'holds' means: forces that balance its weight exist for any "
    "weight, but nothing makes the walls press. Load sharing says when it falls. Strong stability says that the "
    "rigid model does not decide whether it falls."
)


def standing_cubes(mu: float, count: int = 1, heading: float = 0.0) -> tuple[hf.Assembly, np.ndarray, np.ndarray]:
    """Cubes of 1 m and 1 kg glued on top of each other: (assembly, weight into the slope, weight along it).

    The tangent of the slope's angle is the multiple of the second wrench that is held together with the first.

    Args:
        mu: friction coefficient of the four corners.
        count: number of cubes.
        heading: [rad] angle between the slope and the nearest corner of the friction polygons.
    """
    turned = hf.rotation_about((0.0, 0.0, 1.0), heading)
    volume = hf.models.coulomb(mu, facets=FACETS)
    assembly = hf.Assembly([hf.Contact(corner, turned, volume) for corner in _square_corners(0.0)])
    com = (0.0, 0.0, 0.5 * count)
    into = loads.gravity_wrench(count, (0.0, 0.0, -loads.STANDARD_GRAVITY), com)
    return assembly, into, loads.gravity_wrench(count, (loads.STANDARD_GRAVITY, 0.0, 0.0), com)


def _square_corners(height: float) -> list[np.ndarray]:
    """Corners (3,) of a square of 1 m about the z axis."""
    return [np.array([x, y, height]) for x in (-0.5, 0.5) for y in (-0.5, 0.5)]


def stacked_cubes(mu: float) -> tuple[hf.Assembly, dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Two such cubes that are not glued, one body each: (assembly, weights into the slope, weights along it)."""
    volume = hf.models.coulomb(mu, facets=FACETS)
    contacts = [
        hf.Contact(corner, np.eye(3), volume, body=body, against=against)
        for body, against, height in (("lower", None, 0.0), ("upper", "lower", 1.0))
        for corner in _square_corners(height)
    ]

    def weights(direction: tuple[float, float, float]) -> dict[str, np.ndarray]:
        gravity, heights = loads.STANDARD_GRAVITY * np.array(direction), {"lower": 0.5, "upper": 1.5}
        return {body: loads.gravity_wrench(1.0, gravity, (0.0, 0.0, height)) for body, height in heights.items()}

    return hf.Assembly(contacts), weights((0.0, 0.0, -1.0)), weights((1.0, 0.0, 0.0))


def overhang(blocks: int) -> float:
    """Overhang of a stack of `blocks` blocks, in lengths of a block: (1 + 1/2 + 1/3 + ...) / 2."""
    return 0.5 * sum(1.0 / k for k in range(1, blocks + 1))


def overhanging_stack(scale: float) -> tuple[hf.Assembly, np.ndarray]:
    """The harmonic stack at the edge of a table, all its offsets times `scale`: (assembly, weights (6 n,)).

    Blocks of 1 m and 1 kg, numbered from the top; block k reaches beyond the one below it by scale / (2 k).
    """
    volume = hf.models.coulomb(SLIDING, facets=FACETS)
    ends = [
        scale * (overhang(STACK) - overhang(k)) for k in range(STACK + 1)
    ]  # ends[k] belongs to block k + 1; the edge of the table is at 0
    contacts, weights = [], {}
    for k, (end, below) in enumerate(pairwise(ends), start=1):
        body, against, height = f"block {k}", f"block {k + 1}" if k < STACK else None, BLOCK_HEIGHT * (STACK - k)
        corners = [np.array([x, y, height]) for x in (end - 1.0, below) for y in (-0.25, 0.25)]
        contacts += [hf.Contact(corner, np.eye(3), volume, body=body, against=against) for corner in corners]
        weights[body] = loads.gravity_wrench(1.0, com=(end - 0.5, 0.0, height + 0.5 * BLOCK_HEIGHT))
    assembly = hf.Assembly(contacts)
    return assembly, assembly.stacked(weights)


def slope_angle(ramp: LoadRamp) -> float:
    """Angle [deg] of the steepest slope that is held."""
    return math.degrees(math.atan(ramp.value))


def ladder() -> tuple[hf.Assembly, np.ndarray, np.ndarray]:
    """A ladder at a wall: (assembly, weights with the person at the foot, change of weights on the way to the top)."""
    length, angle, mass, mu, person = LADDER
    top = np.array([math.cos(math.radians(angle)), 0.0, math.sin(math.radians(angle))]) * length
    foot = hf.Contact(np.zeros(3), np.eye(3), hf.models.coulomb(mu, facets=FACETS))
    assembly = hf.Assembly([foot, hf.Contact(top, hf.frame_from_normal((-1.0, 0.0, 0.0)), hf.models.coulomb(0.0))])
    at_foot = loads.gravity_wrench(mass, com=0.5 * top) + loads.gravity_wrench(person)
    return assembly, at_foot, loads.gravity_wrench(person, com=top) - loads.gravity_wrench(person)


def climbed_share() -> float:
    """The fraction of the ladder that the person may climb: (mu (m + p) tan(angle) - m/2) / p."""
    _, angle, mass, mu, person = LADDER
    return (mu * (mass + person) * math.tan(math.radians(angle)) - 0.5 * mass) / person


def textbook_blocks() -> Validation:
    """Blocks on slopes, a ladder, and the H-shaped block between walls, against closed forms."""
    slopes: dict[str, tuple[Any, float]] = {
        "cube, mu 0.84: slides at": (standing_cubes(SLIDING), math.degrees(math.atan(SLIDING))),
        "cube, mu 1.2: tips at": (standing_cubes(TIPPING), 45.0),
        "two cubes glued: tip at": (standing_cubes(SLIDING, 2), math.degrees(math.atan(0.5))),
        "two cubes, two bodies: tip at": (stacked_cubes(SLIDING), math.degrees(math.atan(0.5))),
    }
    values: list[ComparedValue] = []
    answers: list[Any] = []
    others = (_between_corners, _overhang, _climb, _squeezed)
    for name, (question, theirs) in slopes.items():
        ramp = hf.load_ramp(*question)
        answers.append(ramp)
        values.append(ComparedValue(name, theirs, slope_angle(ramp), CLOSED_FORM_BOUND, unit="deg"))
    for add in others:
        add(values, answers)
    title = "textbook blocks: sliding, tipping, stacking, a ladder, a wedge"
    return Validation("blocks", title, SOURCE, tuple(values), READING, tuple(answers))


def _between_corners(values: list[ComparedValue], answers: list[Any]) -> None:
    """The cube on a slope half-way between two corners of the friction polygon."""
    ramp = hf.load_ramp(*standing_cubes(SLIDING, heading=math.pi / FACETS))
    answers.append(ramp)
    assert ramp.curved is not None
    theirs = SLIDING * math.cos(math.pi / FACETS)
    values.append(ComparedValue("slope between corners, 16 sides: tan", theirs, ramp.value, CLOSED_FORM_BOUND))
    values.append(
        ComparedValue("slope between corners, round cone: tan", SLIDING, float(np.mean(ramp.curved)), ROUND_BOUND)
    )


def _overhang(values: list[ComparedValue], answers: list[Any]) -> None:
    """How far ten blocks reach beyond the edge of a table."""
    onset = hf.slip_onset(overhanging_stack, 0.5, 1.5, step=0.25, tolerance=STACK_TOLERANCE, curved=False)
    answers.append(onset)
    theirs = overhang(STACK)
    quantity = f"{STACK} stacked blocks: overhang"
    values.append(ComparedValue(quantity, theirs, onset.value * theirs, CLOSED_FORM_BOUND, unit="m"))


def _climb(values: list[ComparedValue], answers: list[Any]) -> None:
    """How far a person climbs the ladder."""
    ramp = hf.load_ramp(*ladder())
    answers.append(ramp)
    values.append(ComparedValue("ladder: share that is climbed", climbed_share(), ramp.value, CLOSED_FORM_BOUND))


def _squeezed(values: list[ComparedValue], answers: list[Any]) -> None:
    """The H-shaped block: forces exist; it falls unless it is squeezed."""
    block = hf.scenes.load_scene("@h_block_between_walls")
    weight = block.gravity_load()
    held = hf.equilibrium(block.assembly, weight)
    rest = hf.strong_stability(block.assembly, weight, block.mass_matrix())
    loose = hf.load_sharing(block.assembly, weight)
    values.append(ComparedValue("H-shaped block: forces that balance it", "holds", held.status.value, kind="same"))
    values.append(ComparedValue("H-shaped block: is rest certain?", "may stay", rest.status.value, kind="same"))
    quantity = "H-shaped block, no squeeze: share of its weight"
    values.append(ComparedValue(quantity, 0.0, loose.peak, CLOSED_FORM_BOUND, "absolute"))
    answers += [held, rest, loose]
    for squeeze in SQUEEZES:
        found = hf.load_sharing(block.assembly, weight, preload=squeeze)
        answers.append(found)
        theirs = len(block.assembly.contacts) * WALL_FRICTION * squeeze / float(np.linalg.norm(weight[:3]))
        values.append(
            ComparedValue(f"H-shaped block, {squeeze:g} N at each end: share", theirs, found.peak, CLOSED_FORM_BOUND)
        )

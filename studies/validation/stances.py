"""Stances and tests of other programs: hpp-centroidal-dynamics and Klampt."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import holdfast as hf
from holdfast.assembly.loads import STANDARD_GRAVITY, gravity_wrench
from holdfast.postures import PostureMargin, posture_margin

from .comparisons import ComparedValue, Validation

#: Relative difference of areas and robustness from the closed form.
STANCE_BOUND = 1e-6

#: Edges of a friction pyramid in both programs' tests.
EDGES = 4

#: [m/s^2] in hpp-centroidal-dynamics, and the acceleration at which its test expects failure.
HPP_GRAVITY, HPP_ACCELERATION = 9.81, 1000.0


@dataclass(frozen=True)
class PointStance:
    """A body on point feet with upward normals (world z).

    Attributes:
        points: [m] contact points.
        friction: friction coefficient of all contacts.
        mass: [kg].
        com: [m] its centre of mass.
    """

    points: tuple[tuple[float, float, float], ...]
    friction: float
    mass: float
    com: tuple[float, float, float]


#: From the test of hpp-centroidal-dynamics' Python binding: one foot.
FOOT = PointStance(tuple((x, y, 0.0) for x in (-0.05, 0.05) for y in (-0.1, 0.1)), 0.3, 54.0, (0.0, 0.0, 1.0))

#: The robot HRP-2 on both feet, from the C++ test, with the robustness [N] that it expects and its tolerance.
HRP2 = PointStance(
    (
        (-0.7063474, -0.0619833, 0.1050027),
        (-0.7063473, -0.1619833, 0.1050023),
        (-0.8863473, -0.1619836, 0.1049996),
        (-0.8863474, -0.0619836, 0.1050000),
        (-0.7433969, 0.0894169, 0.1054343),
        (-0.7433971, -0.0105831, 0.1054241),
        (-0.9233971, -0.0105826, 0.1054467),
        (-0.9233969, 0.0894174, 0.1054569),
    ),
    0.5,
    55.8836,
    (-0.8627637, -0.0080198, 0.7459539),
)
HRP2_ROBUSTNESS, HRP2_TOLERANCE = 17.1222, 1e-3

# The contacts of Klampt's own tests: position, normal; friction coefficient of all contacts.
UP, DOWN = (0.0, 0.0, 1.0), (0.0, 0.0, -1.0)
KLAMPT_FRICTION = 0.5
SQUARE = tuple(((x, y, 0.0), UP) for x, y in ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)))
CLOSURE = (*SQUARE, ((0.0, 0.0, 1.0), DOWN))
UNSTABLE = (((-1.0, -1.0, 0.0), (0.0, 1.0, 0.0)), ((1.0, 1.0, 0.0), (1.0, 0.0, 0.0)))

Placed = Sequence[tuple[tuple[float, float, float], tuple[float, float, float]]]

SOURCE = (
    "hpp-centroidal-dynamics, test/test_static_equilibrium.cpp with test_data, python/test/binding_tests.py and the "
    "definition of robustness in src/centroidal_dynamics.cpp; Klampt, tests of klampt.model.contact"
)

READING = (
    "For HRP-2 the test of the other program states a number, with a tolerance of 0.001 N. The other tests state "
    "verdicts. The area and the robustness of the foot are closed forms for symmetric stances. Robustness is "
    "defined as in hpp-centroidal-dynamics. It is the product of two numbers: the largest b0 such that every edge "
    "of every friction pyramid carries at least b0, and the distance between the sum of the edges of a pyramid and "
    "one edge. Ours is the margin along the sum of the edges. Both programs use friction pyramids of four edges, "
    "and so do these comparisons. None of these stances was tested in reality."
)


def _palms(places: Placed) -> list[hf.Pose]:
    """Palm poses with the edges of the pyramids on the diagonals, as in hpp-centroidal-dynamics."""
    turn = hf.rotation_about((0.0, 0.0, 1.0), math.pi / EDGES)
    return [hf.Pose(hf.frame_from_normal(normal) @ turn, np.array(place)) for place, normal in places]


def robustness(stance: PointStance, acceleration: Sequence[float] = (0.0, 0.0, 0.0)) -> tuple[float, PostureMargin]:
    """Robustness [N] as hpp-centroidal-dynamics defines it, and the margin b0 that it is computed from.

    Forces are sums of the unit edges of the friction pyramids with coefficients b >= b0; the largest b0 is the margin
    along the sum of all edges. It becomes a force by |f0 x e|, where f0 is the sum of the edges of one pyramid and e
    one of them.
    """
    angles = math.pi / EDGES * (1.0 + 2.0 * np.arange(EDGES))
    edges = np.column_stack([stance.friction * np.cos(angles), stance.friction * np.sin(angles), np.ones(EDGES)])
    edges /= np.linalg.norm(edges, axis=1, keepdims=True)
    together = edges.sum(axis=0)
    sums = np.sum([np.concatenate([together, np.cross(point, together)]) for point in stance.points], axis=0)
    pull = np.array([0.0, 0.0, -HPP_GRAVITY]) - np.asarray(acceleration, dtype=float)
    palms = _palms([(point, UP) for point in stance.points])
    weight = gravity_wrench(stance.mass, pull, stance.com)
    margin = posture_margin(hf.coulomb_grip(stance.friction, sides=EDGES), palms, weight, sums)
    return margin.value * float(np.linalg.norm(np.cross(together, edges[0]))), margin


def is_force_closure(places: Placed) -> tuple[bool, tuple[Any, ...]]:
    """Whether every wrench is held, and the twelve load limits that show it.

    The held wrenches of friction cones are a convex cone, which is the whole space when it contains both directions of
    each of the six axes.
    """
    volume = hf.models.coulomb(KLAMPT_FRICTION, facets=EDGES)
    assembly = hf.Assembly(
        [hf.Contact(np.array(place), hf.frame_from_normal(normal), volume) for place, normal in places]
    )
    limits = tuple(hf.load_limit(assembly, axis) for axis in (*np.eye(6), *-np.eye(6)))
    return all(math.isinf(limit.value) for limit in limits), limits


def compared_stances() -> Validation:
    """The stance and tests of hpp-centroidal-dynamics and of Klampt."""
    values: list[ComparedValue] = []
    answers: list[Any] = []
    parts = (_hpp, _klampt_regions, _klampt_tests)
    for add in parts:
        add(values, answers)
    title = "stances and tests of hpp-centroidal-dynamics and Klampt"
    return Validation("stances", title, SOURCE, tuple(values), READING, tuple(answers))


def _hpp(values: list[ComparedValue], answers: list[Any]) -> None:
    """Robustness of HRP-2, and of one foot at rest (closed form by symmetry) and accelerated (negative)."""
    found, margin = robustness(HRP2)
    quantity = "hpp, HRP-2 on both feet: robustness"
    values.append(ComparedValue(quantity, HRP2_ROBUSTNESS, found, HRP2_TOLERANCE, "absolute", "N"))
    at_rest, rest = robustness(FOOT)
    closed_form = FOOT.mass * HPP_GRAVITY * FOOT.friction / (len(FOOT.points) * math.sqrt(1.0 + FOOT.friction**2))
    quantity = "hpp, foot at rest: robustness, closed form"
    values.append(ComparedValue(quantity, closed_form, at_rest, STANCE_BOUND, unit="N"))
    accelerated, other = robustness(FOOT, (HPP_ACCELERATION, 0.0, 0.0))
    answers += [margin, rest, other]
    for text, theirs, ours in (("at rest", "positive", at_rest), ("at 1000 m/s^2", "negative", accelerated)):
        sign = "positive" if ours > 0.0 else "negative"
        values.append(ComparedValue(f"hpp, foot {text}: robustness is", theirs, sign, kind="same"))


def _klampt_regions(values: list[ComparedValue], answers: list[Any]) -> None:
    """Support regions of Klampt's test: a square, the whole plane, none."""
    grip = hf.coulomb_grip(KLAMPT_FRICTION, sides=EDGES)
    gravity = (0.0, 0.0, -STANDARD_GRAVITY)
    for name, places, kind in (
        ("square", SQUARE, "polygon"),
        ("force closure", CLOSURE, "plane"),
        ("unstable", UNSTABLE, "empty"),
    ):
        region = hf.support_region(grip, _palms(places), 1.0, gravity)
        answers.append(region)
        values.append(ComparedValue(f"Klampt, {name}: support region", kind, str(region.kind.value), kind="same"))
        if kind == "polygon":
            values.append(ComparedValue("Klampt, square: area", 4.0, region.area, STANCE_BOUND, unit="m^2"))
            values.append(ComparedValue("Klampt, square: corners", 4.0, float(len(region.vertices)), kind="same"))


def _klampt_tests(values: list[ComparedValue], answers: list[Any]) -> None:
    """Klampt's tests of the centre of mass and of force closure."""
    grip = hf.coulomb_grip(KLAMPT_FRICTION, sides=EDGES)
    for com, theirs in (((0.0, 0.0, 0.0), "holds"), ((0.0, 0.0, 10.0), "holds"), ((2.0, 0.0, 10.0), "does not hold")):
        answer = hf.posture_equilibrium(grip, _palms(SQUARE), gravity_wrench(1.0, (0.0, 0.0, -1.0), com))
        answers.append(answer)
        place = ", ".join(f"{x:g}" for x in com)
        values.append(ComparedValue(f"Klampt, square, centre ({place})", theirs, answer.status.value, kind="same"))
    for name, places, theirs in (("closure", CLOSURE, "yes"), ("square", SQUARE, "no"), ("unstable", UNSTABLE, "no")):
        closed, limits = is_force_closure(places)
        answers += limits
        values.append(ComparedValue(f"Klampt, {name}: force closure", theirs, "yes" if closed else "no", kind="same"))

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import holdfast as hf
from holdfast.grips import Grip, GripBounds, OuterGrip
from holdfast.postures import LazyGrip, Sampling
from studies.hauser.climber import GripName, climbing_posture, hand_grip
from studies.hauser.climbing import (
    FEET,
    STANCES,
    WALLS,
    ClimbCase,
    ClimbingStudy,
    Fineness,
    StanceName,
    SupportOutline,
    claims,
    fineness,
    lazy_outline,
    pressing_feet_region,
)

pytestmark = pytest.mark.nightly

#: A disc of radius 2 round (1, 0), by eight points.
TURNS = 2.0 * np.pi * np.arange(8) / 8
WAYS = np.column_stack([np.cos(TURNS), np.sin(TURNS)])
DISC = SupportOutline(WAYS, np.array([1.0, 0.0]) + 2.0 * WAYS)

CUP = hf.Contact(np.zeros(3), np.eye(3), hf.models.suction(40.0, 0.6, facets=8, cap=90.0))
HAND = LazyGrip(hf.Assembly([CUP]), acting="reaction")
POSES = [hf.Pose(np.eye(3), np.array([x, y, 0.0])) for x in (-0.3, 0.3) for y in (-0.2, 0.2)]


def test_the_areas_of_a_disc_are_those_of_the_octagons() -> None:
    low, high = DISC.areas
    assert low == pytest.approx(4.0 * 8 / 2 * np.sin(np.pi / 4))
    assert high == pytest.approx(4.0 * 8 * np.tan(np.pi / 8))
    assert low < 4.0 * np.pi < high
    assert DISC.area == pytest.approx(0.5 * (low + high))
    assert DISC.reach == pytest.approx((-1.0, 3.0))


def test_points_are_reported_apart_and_the_nearest_is_found() -> None:
    assert DISC.contains((1.0, 0.5)) == "yes"
    assert DISC.contains((1.0 + 1.9 * np.cos(np.pi / 8), 1.9 * np.sin(np.pi / 8))) == "undecided"
    assert DISC.contains((3.1, 0.0)) == "no"
    np.testing.assert_allclose(DISC.nearest((5.0, 0.0)), [3.0, 0.0])
    np.testing.assert_allclose(DISC.nearest((1.2, 0.1)), [1.2, 0.1])
    sides = [DISC.nearest(5.0 * way + [1.0, 0.0]) for way in WAYS]
    np.testing.assert_allclose(sides, DISC.points, atol=1e-12)


def test_nothing_is_in_an_empty_outline() -> None:
    empty = SupportOutline(np.zeros((0, 2)), np.zeros((0, 2)))
    assert empty.is_empty
    assert empty.areas == (0.0, 0.0)
    assert empty.contains((0.0, 0.0)) == "no"
    assert np.isnan(empty.nearest((0.0, 0.0))).all()
    assert np.isnan(empty.reach).all()


def test_a_lazy_outline_is_that_of_the_exact_region() -> None:
    """Suction cups under a plate: the same region from their cones' corners."""
    found = lazy_outline([HAND] * 4, POSES, 8.0, n=8)
    grip = hf.grips.cone_grip(hf.Assembly([CUP]), acting="reaction")
    region = hf.support_region(grip, POSES, 8.0)
    reaches = np.einsum("ij,ij->i", found.directions, found.points)
    np.testing.assert_allclose(reaches, (found.directions @ region.vertices.T).max(axis=1), atol=1e-7)
    assert found.areas[0] - 1e-9 <= region.area <= found.areas[1] + 1e-9


def test_too_heavy_a_body_has_no_outline() -> None:
    assert lazy_outline([HAND] * 4, POSES, 100.0, n=4).is_empty


def test_the_feet_grip_as_in_the_captions() -> None:
    assert FEET == {"opposing": "opposing", "parallel": "parallel", "pinch": "opposing", "power": "parallel"}
    assert np.degrees(WALLS["overhang"].lean) == pytest.approx(-15.0)


def test_the_exact_region_lies_between_inner_and_outer(small_climb: ClimbingStudy) -> None:
    assert len(small_climb.cases) == 2
    for case in small_climb.cases:
        for corner in case.exact.points:
            assert case.outer.contains(corner)
        ways, points = case.exact.directions, case.exact.points
        reaches = np.einsum("ij,ij->i", ways, points)
        if len(case.inner.vertices):
            assert ((ways @ case.inner.vertices.T).max(axis=1) <= reaches + 1e-6).all()
        assert case.inner.area <= case.exact.areas[1]


def test_the_study_finds_what_was_recorded(small_climb: ClimbingStudy, recorded: list[dict[str, Any]]) -> None:
    """Four of the 32 directions, by programs that are solved anew."""
    for case in small_climb.cases:
        points = _points(recorded, case.wall, case.stance, case.grip)[::8]
        reaches = np.einsum("ij,ij->i", case.exact.directions, case.exact.points)
        np.testing.assert_allclose(np.einsum("ij,ij->i", case.exact.directions, points), reaches, atol=1e-5)
    others: list[tuple[StanceName, GripName]] = [("two hands", "pinch"), ("one hand", "power")]
    for stance, grip in others:
        posture = climbing_posture(WALLS["overhang"], grip, FEET[grip])
        lazy = [hand_grip(grip if "front" in limb else FEET[grip]).lazy() for limb in STANCES[stance]]
        found = lazy_outline(lazy, [posture.palms[limb] for limb in STANCES[stance]], posture.mass, n=4)
        points = _points(recorded, "overhang", stance, grip)[::8]
        reaches = np.einsum("ij,ij->i", found.directions, found.points)
        np.testing.assert_allclose(np.einsum("ij,ij->i", found.directions, points), reaches, atol=1e-5)


def _points(recorded: list[dict[str, Any]], wall: str, stance: str, grip: str) -> np.ndarray:
    rows = [row for row in recorded if (row["wall"], row["stance"], row["grip"]) == (wall, stance, grip)]
    return np.array(rows[0]["points"])


def test_finer_grips_come_nearer_to_the_exact_region(
    small_climb: ClimbingStudy, small_grips: dict[GripName, GripBounds]
) -> None:
    found = fineness(small_climb, small_grips, inner=(10, 25, 40, 5000), outer=(0, 20, 40, 5000), directions=8)
    inner = [row.region.area for row in found.rows if row.kind == "vertices"]
    outer = [row.region.area for row in found.rows if row.kind == "half-spaces"]
    assert len(inner) == len(outer) == 3  # more than was learned is left out
    assert inner == sorted(inner)
    assert outer == sorted(outer, reverse=True)
    assert inner[-1] <= found.exact.areas[1]
    assert found.exact.areas[0] <= outer[-1]
    assert found.rows[3].count == 12  # the box


def test_feet_that_only_press_need_the_body_away_from_the_wall() -> None:
    """Strong hands: on gripping feet the body may be over the wall's foot, on pressing ones never."""
    limits = np.array([400.0, 400.0, 900.0, 60.0, 60.0, 60.0])
    strong = GripBounds(Grip.box(-limits, limits), OuterGrip.box(-limits, limits))
    region = pressing_feet_region(strong, "power", step=np.pi / 4.0)
    feet = -0.62 * np.sin(np.radians(-15.0))
    assert region.kind == "polygon"
    assert region.vertices[:, 0].max() < feet - 0.1
    flatter = pressing_feet_region(strong, "power", step=np.pi / 2.0)
    assert flatter.vertices[:, 0].max() > region.vertices[:, 0].max()  # ledges bear weight without pressing


@pytest.fixture(scope="module")
def study(small_climb: ClimbingStudy, recorded: list[dict[str, Any]]) -> ClimbingStudy:
    """The exact regions as recorded; inner and outer ones stand for the learned, of which no claim speaks."""
    any_case = small_climb.cases[0]
    cases = []
    for row in recorded:
        points = np.array(row["points"])
        exact = SupportOutline(Sampling(32).directions[: len(points)], points)
        posture = climbing_posture(WALLS[row["wall"]], row["grip"], FEET[row["grip"]])
        given = (row["wall"], row["stance"], row["grip"])
        cases.append(ClimbCase(*given, posture, exact, any_case.inner, any_case.outer))
    return ClimbingStudy(tuple(cases), 40, 0, 32)


@pytest.fixture(scope="module")
def growth(small_climb: ClimbingStudy, small_grips: dict[GripName, GripBounds]) -> Fineness:
    return fineness(small_climb, small_grips, inner=(10, 40), outer=(0, 40), directions=8)


def test_four_of_the_six_claims_come_out(study: ClimbingStudy, growth: Fineness) -> None:
    judged = {claim.text: claim.holds for claim in claims(study, growth)}
    assert judged == {
        "overhang, two hands: power > parallel > pinch > opposing": True,
        "regions with one hand are far smaller than with two": True,
        "one hand: only the power grip holds the nominal posture": True,
        "one hand: held again with the body further from the wall": False,
        "two hands: pinch reaches further into the wall than parallel": False,
        "the bounding box is by far the worst outer bound": True,
    }


def test_the_two_that_do_not_come_out_are_mirrored(study: ClimbingStudy) -> None:
    """Pinch reaches further away from the wall, and what one hand loses is regained nearer to it."""
    pinch, parallel = (study.case("overhang", "two hands", grip).exact.reach for grip in ("pinch", "parallel"))
    assert pinch[0] < parallel[0] - 0.1
    for grip in ("opposing", "parallel", "pinch"):
        assert study.case("overhang", "one hand", grip).shift > 0.1


def test_on_the_near_vertical_wall_pinch_is_last(study: ClimbingStudy) -> None:
    areas = {g: study.case("near-vertical", "two hands", g).exact.area for g in FEET}
    assert sorted(areas, key=areas.__getitem__) == ["pinch", "opposing", "parallel", "power"]


def test_a_claim_fails_when_it_is_wrong(study: ClimbingStudy, growth: Fineness) -> None:
    """Power's region cut down to that of opposing: the order is gone."""
    small = study.case("overhang", "two hands", "opposing").exact
    cases = [
        replace(case, exact=small)
        if (case.wall, case.stance, case.grip) == ("overhang", "two hands", "power")
        else case
        for case in study.cases
    ]
    judged = claims(replace(study, cases=tuple(cases)), growth)
    assert not judged[0].holds
    assert not judged[1].holds  # one hand in the power grip now has more than two

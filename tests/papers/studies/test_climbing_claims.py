from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from holdfast.grips import GripBounds
from holdfast.papers.climbing import (
    FEET,
    WALLS,
    ClimbCase,
    ClimbingStudy,
    Fineness,
    SupportOutline,
    claim_table,
    claims,
    fineness,
    fineness_table,
    region_table,
)
from holdfast.papers.devices.climber import GripName, climbing_posture
from holdfast.postures.support_regions import Sampling


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
        "one hand leaves far smaller regions than two": True,
        "one hand: not held as it is, but by the power grip": True,
        "one hand: held again further from the wall": False,
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


def test_tables_have_a_row_a_case_and_say_how_they_are_read(study: ClimbingStudy, growth: Fineness) -> None:
    shown = region_table(study)
    assert len(shown.rows) == 16
    assert shown.rows[-1][:4] == ("overhang", "one hand", "power", "parallel")
    assert shown.rows[-1][-1] == "as it is"
    assert shown.rows[-2][-1].startswith("+0.1")
    assert "32 sides" in shown.note
    assert [row[1] for row in fineness_table(growth).rows] == [
        "10 vertices",
        "40 vertices",
        "12 half-spaces",
        "52 half-spaces",
    ]
    assert [row[1] for row in claim_table(claims(study, growth)).rows].count("no") == 2

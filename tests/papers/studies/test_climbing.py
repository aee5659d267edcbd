from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import holdfast.grips
from holdfast.errors import UnknownNameError
from holdfast.grips import Grip, GripBounds, OuterGrip
from holdfast.papers.climbing import FEET, STANCES, WALLS, ClimbingStudy, StanceName, climbing_grips, lazy_outline
from holdfast.papers.devices.climber import GripName, climbing_posture, hand_grip


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


def test_learned_grips_come_from_the_folder_the_second_time(
    small_grips: dict[GripName, GripBounds], climbing_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("learned again")

    monkeypatch.setattr(holdfast.grips, "learn_grip", refuse)
    again = climbing_grips(40, names=("opposing",), cache=climbing_folder)
    assert again["opposing"] == small_grips["opposing"]
    assert again["opposing"].facts.model_hash == hand_grip("opposing").assembly().fingerprint
    with pytest.raises(AssertionError, match="learned again"):
        climbing_grips(41, names=("opposing",), cache=climbing_folder)


def test_a_grip_of_another_hand_is_learned_again(
    small_grips: dict[GripName, GripBounds], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "grip_opposing_40_0.h5"
    monkeypatch.setattr(holdfast.grips, "learn_grip", lambda *_, **__: small_grips["opposing"])
    box = 100.0 * np.ones(6)
    GripBounds(Grip.box(-box, box), OuterGrip.box(-box, box)).save(file)
    assert climbing_grips(40, names=("opposing",), cache=tmp_path)["opposing"] == small_grips["opposing"]
    assert GripBounds.load(file) == small_grips["opposing"]
    file.write_bytes(b"no archive")
    assert climbing_grips(40, names=("opposing",), cache=tmp_path)["opposing"] == small_grips["opposing"]
    assert GripBounds.load(file) == small_grips["opposing"]


def test_a_case_that_is_not_there_is_told(small_climb: ClimbingStudy) -> None:
    assert small_climb.case("overhang", "two hands", "opposing").feet == "opposing"
    with pytest.raises(UnknownNameError, match="one hand"):
        small_climb.case("overhang", "one hand", "opposing")


def _points(recorded: list[dict[str, Any]], wall: str, stance: str, grip: str) -> np.ndarray:
    rows = [row for row in recorded if (row["wall"], row["stance"], row["grip"]) == (wall, stance, grip)]
    return np.array(rows[0]["points"])

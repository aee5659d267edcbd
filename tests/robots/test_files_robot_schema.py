"""What a robot file may say, and what is complained of."""

from __future__ import annotations

import jsonschema
import pytest
from pydantic import ValidationError

from holdfast.robots.files import RobotDocument, robot_schema

GRIP = {"coulomb": {"mu": 0.6}}
HANDS = {
    "holdfast": 1,
    "robot": {"urdf": "@climber_without_fingers"},
    "grips": {"foot": GRIP},
    "hands": [{"palm": "front_left_palm", "grip": "foot"}],
}
UNITS = {
    "holdfast": 1,
    "robot": {"urdf": "arm.urdf", "base": "fixed"},
    "object": {"mass": 1.0},
    "volumes": {"rubber": {"model": "coulomb", "mu": 0.6}},
    "touches": [{"link": "tip", "volume": "rubber", "normal": [0.0, 0.0, 1.0]}],
}


@pytest.mark.parametrize("data", [HANDS, UNITS])
def test_a_document_fits_the_schema_for_editors_too(data):
    read = RobotDocument.model_validate(data)
    assert (read.robot.urdf, len(read.hands) + len(read.touches)) == (data["robot"]["urdf"], 1)
    faults = jsonschema.Draft202012Validator(robot_schema()).iter_errors(data)
    assert [fault.message for fault in faults] == []


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (HANDS | {"hands": []}, "nothing touches"),
        (HANDS | {"touches": UNITS["touches"], "volumes": UNITS["volumes"]}, "touches and hands"),
        (HANDS | {"robot": {"urdf": "a.urdf", "base": "fixed"}}, "no hands"),
        (HANDS | {"object": {"mass": 1.0}}, "fixed base"),
        (HANDS | {"robot": {"urdf": "a.urdf", "at": {}}}, "fixed base"),
        (UNITS | {"posture": {"base": {}}}, "floating base"),
        (UNITS | {"touches": [{"link": "tip", "volume": "rubber"}]}, "no frame"),
        (HANDS | {"feet": []}, "feet"),
    ],
)
def test_contradictions_are_complained_of(data, words):
    with pytest.raises(ValidationError, match=words):
        RobotDocument.model_validate(data)

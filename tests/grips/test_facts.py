from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.geometry.frames import Pose, rotation_about
from holdfast.grips import GripFacts
from holdfast.grips.grip import pose_rows


def test_everything_may_be_unknown_and_facts_compare_by_what_they_say() -> None:
    assert GripFacts() == GripFacts() and GripFacts().seed is None
    assert GripFacts(seed=2**100).seed == 2**100
    assert GripFacts(inner_error=math.inf).inner_error == math.inf


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"seed": -1}, "seed: is -1"),
        ({"n": 1.5}, "n: is 1.5"),
        ({"inner_error": math.nan}, "inner_error: is nan"),
        ({"outer_error": -0.1}, "outer_error: is -0.1"),
        ({"concavity": "much"}, "concavity: is not a number"),
        ({"acting": "sideways"}, "acting: is 'sideways'"),
        ({"method": 3}, "method: is a int"),
        ({"asked": -2}, "asked: is -2"),
        ({"wanted_gap": -0.5}, "wanted_gap: is -0.5"),
        ({"reached_gap": math.nan}, "reached_gap: is nan"),
        ({"palm": ((1.0, 0.0), (0.0, 1.0))}, "palm: has shape"),
        ({"palm": 2.0 * np.eye(4)[:3]}, "palm: its columns have lengths"),
        ({"derived": None}, "derived: is a NoneType"),
    ],
)
def test_facts_that_cannot_be_are_refused(entries: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        GripFacts(**entries)


def test_a_gap_is_missed_only_when_one_was_wanted() -> None:
    assert GripFacts(wanted_gap=0.1, reached_gap=0.2).misses_its_gap
    assert not GripFacts(wanted_gap=0.2, reached_gap=0.2).misses_its_gap
    assert not GripFacts(reached_gap=math.inf).misses_its_gap


def test_changes_are_told_and_the_palm_goes_along() -> None:
    palm = Pose(rotation_about([1, 0, 0], 0.3), [0.1, 0.2, 0.3])
    there = Pose(rotation_about([0, 1, 2], 1.1), [-1.0, 0.0, 0.5])
    facts = GripFacts(model_hash="abc", palm=pose_rows(palm))
    moved = facts.moved(there)
    assert moved.palm_pose is not None
    point = np.array([0.7, -0.2, 0.4])  # of the palm frame: the new frame has it elsewhere, the assembly does not
    np.testing.assert_allclose(moved.palm_pose.apply(there.apply(point)), palm.apply(point), atol=1e-12)
    assert (moved.derived, moved.model_hash) == ("moved", "abc")
    twice = moved.changed("scaled by 2")
    assert (twice.derived, twice.palm, twice.palm_pose) == ("moved, scaled by 2", None, None)
    assert GripFacts().moved(there).palm is None

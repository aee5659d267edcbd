from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from holdfast.errors import InputError, UnknownNameError
from holdfast.geometry.frames import Pose
from holdfast.grips import Grip
from holdfast.postures.files_posture_scene import PostureScene

FOOT = Grip.box([-1, -1, 0, 0, 0, 0], [1, 1, 10, 0, 0, 0])


def stand(**changes: Any) -> PostureScene:
    given: dict[str, Any] = {
        "grips": [FOOT, FOOT],
        "poses": [Pose.identity(), Pose(np.eye(3), np.array([1.0, 0, 0]))],
        "mass": 2.0,
    }
    return PostureScene(**(given | changes))


def test_the_weight_turns_about_the_world_origin() -> None:
    scene = stand(com=[0.5, 0.25, 1.0], gravity=[0.0, 0.0, -10.0])
    assert np.allclose(scene.wrench, [0, 0, -20.0, -5.0, 10.0, 0])


def test_loads_come_on_top_of_the_weight() -> None:
    scene = stand(gravity=[0.0, 0.0, -10.0], loads={"a": [1, 0, 0, 0, 0, 0], "b": [0, 2, 0, 0, 0, 3]})
    assert np.allclose(scene.with_loads(["a", "b"]), [1, 2, -20, 0, 0, 3])
    assert np.allclose(scene.with_loads([]), scene.wrench)
    with pytest.raises(UnknownNameError, match="no load 'c'"):
        scene.load("c")


def test_gravity_changes_the_weight_alone() -> None:
    scene = stand(com=[0, 0, 1.0])
    turned = scene.with_gravity([3.0, 0.0, 0.0])
    assert np.allclose(turned.wrench, [6.0, 0, 0, 0, 6.0, 0])
    assert turned.grips == scene.grips


def test_a_grip_made_for_one_gravity_is_not_used_under_another() -> None:
    with pytest.raises(InputError, match=r"load_posture\(path, gravity="):
        stand(hands_weigh=True).with_gravity([1.0, 0.0, 0.0])


def test_hands_without_names_are_numbered() -> None:
    assert stand().hands == ("hand 1", "hand 2")
    assert len(stand()) == 2


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"mass": 0.0}, "mass: is 0 kg"),
        ({"gravity": [0.0, 0.0, 1e300]}, r"gravity: is 1e\+300 m/s"),
        ({"com": [0.0, np.nan, 0.0]}, r"com\[1\]: is nan"),
        ({"poses": []}, "poses: is empty"),
        ({"grips": [FOOT]}, "grips: has 1 entries"),
        ({"hands": ["left"]}, "hands: has 1 entries"),
        ({"poses": [np.eye(4), np.eye(4)]}, r"poses\[0\]: is a ndarray"),
        ({"loads": {"a": [1.0]}}, r"loads\['a'\]: has shape"),
    ],
)
def test_bad_input_is_told(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        stand(**changes)

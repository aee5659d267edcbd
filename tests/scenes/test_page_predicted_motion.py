from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from holdfast.geometry.frames import Pose, rotation_about
from holdfast.scenes.page_contact_answers import ContactAnswer, ContactQuestions
from holdfast.scenes.page_contact_sources import FileSource
from holdfast.scenes.page_contact_states import initial_state
from holdfast.scenes.page_predicted_motion import TRAVEL, along, between, predicted_motion, rotation_vector


@pytest.fixture(scope="module")
def lifted() -> ContactAnswer:
    """A block that stands on three points, with gravity straight up."""
    questions = ContactQuestions(FileSource("@block_on_three_points"))
    return questions.answer(replace(initial_state(questions.scene(()), ()), tilt=180.0))


def test_what_is_lifted_off_goes_up_without_turning(lifted: ContactAnswer) -> None:
    motion = predicted_motion(lifted, 1.0)
    assert motion is not None
    assert motion.certain
    assert "falls free" in motion.words
    heights = [pose.apply(lifted.scene.com)[2] for pose in motion.poses]
    assert np.allclose(motion.poses[0].translation, 0.0)
    assert (np.diff(heights) > 0.0).all()
    assert heights[-1] - heights[0] >= TRAVEL
    assert all(np.allclose(pose.rotation, np.eye(3), atol=1e-6) for pose in motion.poses)


def test_what_holds_has_no_motion_and_what_nothing_touches_falls_freely(lifted: ContactAnswer) -> None:
    questions = ContactQuestions(FileSource("@block_on_three_points"))
    start = initial_state(questions.scene(()), ())
    assert predicted_motion(questions.answer(start), 1.0) is None
    motion = predicted_motion(questions.answer(replace(start, touching=())), 1.0)
    assert motion is not None
    moved = motion.poses[-1].apply(lifted.scene.com) - lifted.scene.com
    assert np.allclose(moved, [0.0, 0.0, -TRAVEL])


def test_poses_between_two_turn_about_one_axis() -> None:
    end = Pose(rotation_about([0.0, 0.0, 1.0], 1.0), np.array([0.0, 0.0, 2.0]))
    poses = between([Pose.identity(), end], most=4)
    turns = [rotation_vector(pose.rotation) for pose in poses]
    assert np.allclose(turns, [[0.0, 0.0, share] for share in (0.0, 0.25, 0.5, 0.75, 1.0)])
    assert np.allclose([pose.translation[2] for pose in poses], [0.0, 0.5, 1.0, 1.5, 2.0])
    assert along(np.zeros(6), np.zeros(3), 1.0)[-1].translation == pytest.approx(np.zeros(3))

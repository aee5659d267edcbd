"""A grasp shows its row of the arrays."""

from __future__ import annotations

import numpy as np

from holdfast.grasps.ranking import Grasp, kind_of
from tests.grasps.made_grasps import many_angles, scored_disc


def test_a_grasp_shows_its_row() -> None:
    scored = scored_disc(many_angles(3))
    grasp = Grasp(scored, 2)
    np.testing.assert_array_equal(grasp.contacts_mm, scored.candidates.contacts[2])
    np.testing.assert_array_equal(grasp.inward_normals, scored.candidates.normals[2])
    np.testing.assert_array_equal(grasp.force_directions, scored.poses.forces[2])
    assert grasp.kind == "three_finger"
    assert kind_of(True) == "virtual_two_finger"
    assert np.isclose(sum(grasp.criteria.values()), grasp.Q)
    assert np.allclose([np.cos(grasp.yaw_rad), np.sin(grasp.yaw_rad)], grasp.thumb_axis)
    assert np.allclose(grasp.thumb_axis, grasp.force_directions[0])
    assert "not ranked" in repr(grasp)
    assert grasp.zone is None


def test_force_lines_that_meet_nowhere_have_no_real_focus() -> None:
    scored = scored_disc(many_angles(2))
    focus = scored.poses.real_focus.copy()
    focus[1] = np.nan
    object.__setattr__(scored.poses, "real_focus", focus)
    assert Grasp(scored, 0).real_focus_mm is not None
    assert Grasp(scored, 1).real_focus_mm is None

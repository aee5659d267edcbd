from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.plotting.artists import Arrow
from holdfast.postures import posture_equilibrium
from holdfast.postures.files_posture_reader import load_posture
from holdfast.postures.plots_postures import lifted_outline
from holdfast.postures.plots_postures import posture as draw
from holdfast.postures.support_regions import support_region


def test_forces_start_at_the_palms_and_point_as_they_act_on_the_body() -> None:
    scene = load_posture("@quadruped_on_rock")
    answer = posture_equilibrium(scene.grips, scene.poses, scene.wrench)
    ax = draw(scene, result=answer)
    arrows = [artist for artist in ax.get_children() if isinstance(artist, Arrow)]
    forces = [arrow for arrow in arrows if arrow.get_gid() == "force"]
    assert len(forces) == 4
    assert answer.world_wrenches is not None
    for arrow, pose, wrench in zip(forces, scene.poses, answer.world_wrenches, strict=True):
        assert np.allclose(arrow.start, pose.translation)
        way = arrow.end - arrow.start
        assert np.allclose(np.cross(way, wrench[:3]), 0.0, atol=1e-9)
        assert way @ wrench[:3] > 0.0
    assert sum(arrow.get_gid() == "frame" for arrow in arrows) == 3 * 4
    assert "holds" in ax.get_title()
    assert {text.get_text() for text in ax.texts} >= set(scene.hands)


def test_the_region_lies_at_the_height_of_the_centre_of_mass() -> None:
    scene = load_posture("@tripod_on_flat_ground")
    region = support_region(scene.grips, scene.poses, scene.mass, scene.gravity)
    plain, lifted = draw(scene), draw(scene, region=region)
    assert len(lifted.collections) == len(plain.collections) + 1
    corners = lifted_outline(region, scene.com, np.zeros((1, 3)))
    assert np.allclose(corners[:, 2], scene.com[2])
    assert np.allclose(corners[:, :2], region.vertices)
    tilted = support_region(scene.grips, scene.poses, scene.mass, [0.0, 2.0, -9.0])
    corners = lifted_outline(tilted, scene.com, np.zeros((1, 3)))
    assert np.allclose((corners - scene.com) @ [0.0, 2.0, -9.0], 0.0)  # a plane across gravity through the mass


def test_a_posture_that_fails_is_drawn_with_its_load_alone() -> None:
    scene = load_posture("@climber_with_tired_hands")
    answer = posture_equilibrium(scene.grips, scene.poses, scene.wrench)
    ax = draw(scene, result=answer)
    assert not [artist for artist in ax.get_children() if artist.get_gid() == "force"]
    assert "does not hold" in ax.get_title()


def test_bad_input_is_told() -> None:
    scene = load_posture("@tripod_on_flat_ground")
    with pytest.raises(InputError, match="scene: is a int"):
        draw(3)  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="region: is a str"):
        draw(scene, region="all")  # pyright: ignore[reportArgumentType]

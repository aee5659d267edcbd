from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from holdfast import plotting
from holdfast.errors import InputError
from holdfast.grips import Grip, GripBounds, OuterGrip
from holdfast.plotting.artists import Arrow
from holdfast.plotting.style import MOVABLE, text_box
from holdfast.postures import posture_equilibrium, support_region
from holdfast.postures.files import load_posture
from holdfast.postures.plots import lifted_outline
from holdfast.postures.plots import posture as draw
from holdfast.postures.plots import support_region as draw_region


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


def test_bad_postures_are_reported() -> None:
    scene = load_posture("@tripod_on_flat_ground")
    with pytest.raises(InputError, match="scene: is a int"):
        draw(3)  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="region: is a str"):
        draw(scene, region="all")  # pyright: ignore[reportArgumentType]


def region_of(name: str) -> tuple[Any, Any]:
    scene = load_posture(f"@{name}")
    return scene, support_region(scene.grips, scene.poses, scene.mass, scene.gravity)


@pytest.fixture(scope="module")
def tripod() -> tuple[Any, Any]:
    return region_of("tripod_on_flat_ground")


def names_of(ax: Any) -> list[str]:
    return ax.get_legend_handles_labels()[1]


def test_the_polygon_drawn_is_the_region(tripod: tuple[Any, Any]) -> None:
    _, region = tripod
    (patch,) = draw_region(region).patches
    assert np.allclose(patch.get_xy()[:-1], region.vertices)


def test_centres_of_mass_are_filled_inside_and_open_outside(tripod: tuple[Any, Any]) -> None:
    _, region = tripod
    ax = draw_region(region, com=[[0.05, 0.0, 0.5], [1.0, 0.0, 0.5]])
    assert names_of(ax)[1:] == ["centre of mass, inside", "centre of mass, outside"]
    low, high = ax.get_xlim()
    assert low < -0.2
    assert high > 1.0  # all that is asked about is seen


def test_hands_have_their_names(tripod: tuple[Any, Any]) -> None:
    scene, region = tripod
    ax = draw_region(region, hands=[pose.translation for pose in scene.poses], names=scene.hands)
    assert [text.get_text() for text in ax.texts] == ["front", "left", "right"]


def test_a_whole_plane_fills_the_picture() -> None:
    scene, region = region_of("braced_in_a_chimney")
    ax = draw_region(region, hands=[pose.translation for pose in scene.poses])
    (patch,) = ax.patches
    corners = patch.get_xy()
    assert corners[:, 0].min() <= ax.get_xlim()[0]
    assert corners[:, 0].max() >= ax.get_xlim()[1]
    assert ax.get_xlim()[1] < 2.0  # the window is that of the hands


def test_bounds_are_green_inside_red_and_thin_or_empty_ones_are_named() -> None:
    push = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    box = np.vstack([np.eye(6), -np.eye(6)])
    outer = OuterGrip(box, np.array([0, 0, 90.0, *[0.0] * 9]))
    places = [(np.eye(3), [-0.5, 0, 0]), (np.eye(3), [0.5, 0, 0])]
    for strength, name in ((55.0, "(a line)"), (50.0, "(a point)"), (40.0, "(empty)")):
        bounds = GripBounds(Grip([np.zeros(6), strength * np.array(push)]), outer)
        ax = draw_region(support_region(bounds, places, 10.0, (0, 0, -10.0)))
        inner, around = names_of(ax)[:2]
        assert inner == f"inner: guaranteed to hold {name}"
        assert around.startswith("outer: ")
        colours = [line.get_color() for line in ax.lines]
        assert colours[-1] == "#D5402B"


def test_several_regions_take_labels_and_colours(tripod: tuple[Any, Any]) -> None:
    _, region = tripod
    ax = draw_region([region, region], labels=["one", "two"], colours=["#112233", "#445566"], fill=False)
    assert names_of(ax) == ["one", "two"]


def test_axes_of_tilted_gravity_are_named_by_their_direction() -> None:
    scene = load_posture("@tripod_on_flat_ground")
    region = support_region(scene.grips, scene.poses, scene.mass, [0.0, 2.0, -9.0])
    ax = draw_region(region)
    assert ax.get_xlabel() == "$x$ [m]"
    assert ax.get_ylabel().startswith("along (0, 0.98, 0.22)")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"regions": 3}, "regions: is a int"),
        ({"regions": []}, "regions: is empty"),
        ({"labels": ["a", "b"]}, "labels: has 2 entries"),
        ({"hands": [[0, 0, 0]], "names": ["a", "b"]}, "names: has 2 entries"),
        ({"com": [0.0, 1.0]}, "com: has shape"),
    ],
)
def test_bad_regions_are_reported(tripod: tuple[Any, Any], given: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        draw_region(**({"regions": tripod[1]} | given))


def test_names_of_hands_at_one_point_are_merged_and_near_ones_stand_apart(tmp_path: Path) -> None:
    region = support_region(load_posture("@tripod_on_flat_ground"))
    palms = [(0.1, 0.1, 0.0), (0.1, 0.1, 0.7), (-0.2, 0.0, 0.0), (0.1, 0.109, 0.0)]
    ax = draw_region(region, hands=palms, names=["foot 1", "foot 2", "foot 3", "foot 4"])
    names = [text for text in ax.texts if text.get_gid() == MOVABLE]
    assert [text.get_text() for text in names] == ["foot 1, foot 2", "foot 3", "foot 4"]
    plotting.save(ax, tmp_path / "region.png")
    boxes = [text_box(text) for text in names]
    assert not any(one.intersects(other) for one, other in combinations(boxes, 2))

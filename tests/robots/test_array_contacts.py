"""Points that others found become contacts: frames, friction, names, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import FrameError, InputError, UnknownNameError
from holdfast.robots.adapters import of_body, touching_points

CORNERS = np.array([[0.2, 0.1, 0.0], [-0.2, 0.1, 0.0], [-0.2, -0.1, 0.0], [0.2, -0.1, 0.0]])
UP = np.tile([0.0, 0.0, 3.0], (4, 1))


def weight(x: float, y: float, push: float = 0.0) -> np.ndarray:
    """2 kg at (x, y, 0.1), with a push [N] along x there."""
    load = hf.loads.gravity_wrench(2.0, com=(x, y, 0.1))
    force = np.array([push, 0.0, 0.0])
    return load + np.concatenate([force, np.cross([x, y, 0.1], force)])


def test_a_block_on_four_corners_holds_over_its_footprint_and_up_to_the_friction():
    points = touching_points(CORNERS, UP, links="block", terrains="floor", friction=0.5)
    assembly = hf.Assembly(points.contacts(sides=16))
    for x, y in [(0.0, 0.0), (0.19, 0.09), (-0.19, 0.0)]:
        assert hf.equilibrium(assembly, weight(x, y)).holds
    for x, y in [(0.21, 0.0), (0.0, 0.11)]:
        assert not hf.equilibrium(assembly, weight(x, y)).holds
    limit = 0.5 * 2.0 * 9.80665  # exact along the axes for 16 sides
    assert hf.equilibrium(assembly, weight(0.0, 0.0, 0.999 * limit)).holds
    assert not hf.equilibrium(assembly, weight(0.0, 0.0, 1.001 * limit)).holds


def test_poses_are_feet_for_grips_with_the_same_verdicts():
    points = touching_points(CORNERS, UP, friction=0.5)
    foot = hf.coulomb_grip(0.5, sides=16)
    for x in (0.1, 0.3):
        assert hf.posture_equilibrium(foot, points.poses, weight(x, 0.0)).holds is (x < 0.2)


def test_frames_have_unit_normals_and_the_shear_that_was_asked_for():
    points = touching_points([[0, 0, 0], [1, 0, 0]], [[0, 0, 2], [0, 3, 0]], shears=(1.0, 1.0, 1.0))
    for pose, normal in zip(points.poses, ([0, 0, 1], [0, 1, 0]), strict=True):
        assert pose.rotation[:, 2] == pytest.approx(normal)
        across = np.array([1.0, 1.0, 1.0]) - normal
        assert pose.rotation[:, 0] == pytest.approx(across / np.linalg.norm(across))


def test_each_terrain_has_its_volume_and_equal_friction_is_one_object():
    points = touching_points(CORNERS, UP, links=["a", "a", "b", "b"], terrains=["ice", "ice", "rock", "rock"])
    ice, rock = hf.models.coulomb(0.05), hf.models.coulomb(0.9)
    contacts = points.contacts({"ice": ice, "rock": rock})
    assert [c.volume for c in contacts] == [ice, ice, rock, rock]
    assert points.names == ("a on ice[0]", "a on ice[1]", "b on rock[0]", "b on rock[1]")
    same = touching_points(CORNERS, UP, friction=[0.3, 0.3, 0.4, 0.3]).contacts()
    assert same[0].volume is same[1].volume is same[3].volume is not same[2].volume


def test_points_are_chosen_by_link_and_by_gap():
    points = touching_points(CORNERS, UP, links=["a", "b", "a", "c"], gaps=[0.0, 0.002, -0.001, 0.01])
    assert points.of_links(["a"]).positions.tolist() == CORNERS[[0, 2]].tolist()
    assert points.within(0.005).links == ("a", "b", "a")
    with pytest.raises(UnknownNameError, match="did you mean 'a'"):
        points.of_links(["aa"])


def test_only_pairs_of_body_and_terrain_count_and_normals_turn_into_the_body():
    rows, signs, links, terrains = of_body(
        ["floor", "foot", "foot", "floor"], ["foot", "wall", "hand", "wall"], lambda name: name in ("foot", "hand")
    )
    assert rows.tolist() == [0, 1]
    assert signs.tolist() == [1.0, -1.0]
    assert (links, terrains) == (("foot", "foot"), ("floor", "wall"))


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (lambda: touching_points(CORNERS, UP[:3]), "normals"),
        (lambda: touching_points(CORNERS, 0.0 * UP), r"normals\[0\]"),
        (lambda: touching_points(CORNERS, UP, links=["a"]), "links"),
        (lambda: touching_points(CORNERS, UP, friction=-1.0), "friction"),
        (lambda: touching_points(CORNERS, UP).contacts(), r"friction\[0\]"),
        (lambda: touching_points(CORNERS, UP, terrains="ice").contacts({"rock": hf.models.coulomb()}), "ice"),
        (lambda: touching_points(np.zeros((0, 3)), np.zeros((0, 3))).contacts(hf.models.coulomb()), "nothing touches"),
    ],
)
def test_what_is_wrong_is_named(asked, words):
    with pytest.raises(InputError, match=words):
        asked()


def test_a_shear_along_the_normal_names_its_row():
    with pytest.raises(FrameError, match=r"shears\[1\]"):
        touching_points(CORNERS[:2], UP[:2], shears=[[1, 0, 0], [0, 0, 1]])

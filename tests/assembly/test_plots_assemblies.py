from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_rgb

import holdfast as hf
from holdfast.errors import InputError
from holdfast.plotting import Box, assembly, style

Artists = Callable[[Any, str], list[Any]]


@pytest.fixture
def table(cone: hf.ForceVolume) -> hf.Assembly:
    """A block on three points with friction 0.5, pressed from below."""
    points = [[0.1, 0.0, 0.0], [-0.1, 0.1, 0.0], [-0.1, -0.1, 0.0]]
    return hf.Assembly([hf.Contact(p, np.eye(3), cone) for p in points], name="block")


@pytest.fixture
def resting(table: hf.Assembly) -> hf.Equilibrium:
    return hf.equilibrium(table, hf.loads.gravity_wrench(1.0, com=[0, 0, 0.05]))


def test_forces_are_drawn_to_scale_from_their_points(table: hf.Assembly, artists: Artists) -> None:
    forces = np.array([[1.0, 0, 2.0], [0, -0.5, 1.0], [0, 0.0, 4.0]])
    ax = assembly(table, forces=forces, force_scale=0.02)
    found = artists(ax, "force")
    np.testing.assert_allclose([a.start for a in found], table.positions)
    np.testing.assert_allclose([(a.end - a.start) / 0.02 for a in found], forces)
    assert "scale: 2 N = 40 mm" in [t.get_text() for t in ax.get_legend().get_texts()]


def test_by_default_the_longest_arrow_fits_the_picture(table: hf.Assembly, artists: Artists) -> None:
    forces = np.array([[0, 0, 1e6], [0, 0, 5e5], [0, 0, 0]])
    found = artists(assembly(table, forces=forces), "force")
    lengths = [np.linalg.norm(a.end - a.start) for a in found]
    size = np.linalg.norm(np.ptp(table.positions, axis=0))
    assert lengths == pytest.approx([style.LONGEST * size, 0.5 * style.LONGEST * size])


def test_contacts_at_their_limit_stand_out(table: hf.Assembly, artists: Artists) -> None:
    forces = np.array([[0, 0, 2.0], [1.0, 0.0, 2.0], [0, 0, 0]])
    ax = assembly(table, forces=forces)
    colours = [to_rgb(a.get_edgecolor()) for a in artists(ax, "force")]
    assert colours == [to_rgb(style.FORCE), to_rgb(style.LIMIT)]
    named = {t.get_text() for t in ax.get_legend().get_texts()}
    assert {"contact force", "contact force at its limit", "contact without force"} <= named


def test_a_result_brings_its_forces_its_load_and_its_verdict(
    table: hf.Assembly, resting: hf.Equilibrium, artists: Artists, pixels: Callable[[Any], np.ndarray]
) -> None:
    ax = assembly(table, result=resting, shape=Box([0.3, 0.3, 0.1], hf.Pose(np.eye(3), [0, 0, 0.05])))
    assert ax.get_title() == "block: holds"
    (load,) = artists(ax, "load")
    np.testing.assert_allclose(np.cross(load.end - load.start, resting.wrench[:3]), 0.0, atol=1e-12)
    np.testing.assert_allclose(load.start[:2], [0, 0], atol=1e-12)
    sizes = np.linalg.norm(resting.forces, axis=1)
    arrows = np.array([a.end - a.start for a in artists(ax, "force")])
    scale = np.linalg.norm(arrows, axis=1).max() / sizes.max()
    np.testing.assert_allclose(arrows / scale, resting.forces[sizes > 1e-3 * sizes.max()], atol=1e-9)
    assert artists(ax, "motion") == []
    assert pixels(ax).std() > 5.0


def test_when_it_does_not_hold_the_motion_of_the_certificate_is_shown(table: hf.Assembly, artists: Artists) -> None:
    wrench = np.array([0, 0, 3.0, 0, 0, 0])  # lifted off
    result = hf.equilibrium(table, wrench)
    ax = assembly(table, result=result)
    (arrow,) = artists(ax, "motion")
    motion = result.separating_wrenches[0]
    velocity = motion[:3] + np.cross(motion[3:], table.positions.mean(axis=0))
    along = (arrow.end - arrow.start) / np.linalg.norm(arrow.end - arrow.start)
    np.testing.assert_allclose(np.abs(along @ velocity), np.linalg.norm(velocity))
    assert along @ wrench[:3] > 0.0  # the load does work in it
    assert ax.get_title() == "block: does not hold"


def test_tipping_over_is_shown_as_a_turn(table: hf.Assembly, artists: Artists) -> None:
    result = hf.equilibrium(table, hf.loads.gravity_wrench(1.0, com=[1.0, 0, 0.05]))
    assert not result.holds
    assert artists(assembly(table, result=result), "turn")


def test_a_torque_is_a_turn_and_a_force_far_off_stays_in_the_picture(table: hf.Assembly, artists: Artists) -> None:
    ax = assembly(table, wrench=[0, 0, 0, 0, 0, 2.0])
    assert artists(ax, "turn") and not artists(ax, "load")
    ax = assembly(table, wrench=[0.01, 0, 0, 0, 5.0, 0])
    (load,) = artists(ax, "load")
    np.testing.assert_allclose(load.start, table.positions.mean(axis=0))


def test_a_limit_shows_the_load_it_carries(table: hf.Assembly, artists: Artists) -> None:
    push = hf.load_limit(table, [1, 0, -4, 0, 0, 0])
    ax = assembly(table, result=push)
    assert push.value == np.inf and ax.get_title() == "block: unbounded"
    (load,) = artists(ax, "load")
    assert np.cross(load.end - load.start, [1, 0, -4]) == pytest.approx(np.zeros(3), abs=1e-9)


def test_frames_are_red_green_blue_along_the_columns(table: hf.Assembly, artists: Artists) -> None:
    found = artists(assembly(table), "frame")
    assert len(found) == 9
    for index, arrow in enumerate(found):
        along = (arrow.end - arrow.start) / np.linalg.norm(arrow.end - arrow.start)
        np.testing.assert_allclose(along, np.eye(3)[index % 3], atol=1e-9)
        assert to_rgb(arrow.get_edgecolor()) == to_rgb(style.FRAME[index % 3])
    assert artists(assembly(table, frames=False), "frame") == []


def test_axes_are_in_metres_with_equal_scales(table: hf.Assembly) -> None:
    ax = assembly(table, title="mine")
    assert [getattr(ax, f"get_{k}label")() for k in "xyz"] == ["$x$ [m]", "$y$ [m]", "$z$ [m]"]
    spans = np.array([np.ptp(getattr(ax, f"get_{k}lim")()) for k in "xyz"])
    np.testing.assert_allclose(np.array(ax._box_aspect) / spans, ax._box_aspect[0] / spans[0])
    assert ax.get_title() == "mine"


def test_a_single_contact_can_be_drawn(cone: hf.ForceVolume) -> None:
    ax = assembly(hf.Assembly([hf.Contact([1, 1, 1], np.eye(3), cone)]), forces=[[0, 0, 1]])
    assert ax.get_xlim()[0] < 1.0 < ax.get_xlim()[1]


@pytest.mark.parametrize(
    ("bad", "where"),
    [
        ({"forces": np.zeros((2, 3))}, "forces"),
        ({"forces": np.full((3, 3), np.nan)}, "forces"),
        ({"wrench": np.zeros(5)}, "wrench"),
        ({"result": "holds"}, "result"),
        ({"shape": "ball"}, "shape"),
        ({"force_scale": 0.0, "forces": np.ones((3, 3))}, "force_scale"),
        ({"ax": "axes"}, "ax"),
    ],
)
def test_bad_input_is_named(table: hf.Assembly, bad: dict, where: str) -> None:
    with pytest.raises(InputError, match=where):
        assembly(table, **bad)


def test_the_result_of_another_assembly_is_refused(table: hf.Assembly, resting: hf.Equilibrium) -> None:
    with pytest.raises(InputError, match="is about 3 contacts, not 1"):
        assembly(hf.Assembly(table.contacts[:1]), result=resting)

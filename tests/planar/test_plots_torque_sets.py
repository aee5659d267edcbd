"""Pictures of torque sets: what is drawn is the set, one to three torques, and shadows of more."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

from holdfast.errors import InputError
from holdfast.planar import Chain, TorqueSet, torque_sets
from holdfast.planar.plots import drawn_sets, torque_projections, torque_set, window

L, M, G = 0.127, 0.0849, 9.81
LEFT, RIGHT = (1.0, 0.0), (-1.0, 0.0)


def zigzag(links: int, mu: float, limit: float | None = None) -> TorqueSet:
    """Links at 45 degrees between two walls, every node touching and fixed."""
    q = np.concatenate([[0.0, 0.0], np.deg2rad([135.0, *[-90.0, 90.0, -90.0, 90.0][: links - 1]])])
    contacts = [(i, RIGHT if i % 2 == 0 else LEFT, mu) for i in range(links + 1)]
    system = Chain([L] * links, M).system(q, None, contacts)
    return torque_sets(system, "F" * (links + 1), limits=None if limit is None else (-limit, limit))


@pytest.fixture(scope="module")
def rough() -> TorqueSet:
    return zigzag(2, 1.2)


@pytest.fixture(scope="module")
def three() -> TorqueSet:
    return zigzag(3, 0.3, 2.0)


@pytest.fixture(scope="module")
def four() -> TorqueSet:
    return zigzag(4, 0.3, 2.0)


def artists(ax, gid: str) -> list:
    return [child for child in ax.get_children() if child.get_gid() == gid]


def test_bars_end_where_the_sets_end_and_show_which_ends_belong(rough):
    ax = torque_set(rough)
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names[0] == "$T^*$: only FFF" and {"also SSS", "also SFF", "also FFS", "also LRL"} == set(names[1:])
    edge = -M * G * L / np.sqrt(2.0)
    unique = artists(ax, "set")[0]
    assert unique.get_xdata()[1] == pytest.approx(edge) and unique.get_xdata()[0] == pytest.approx(ax.get_xlim()[0])
    filled = [end.get_markerfacecolor() != "white" for end in artists(ax, "end")]
    assert filled[0] and not filled[1]  # T* is closed, where SSS begins it is open
    assert len(artists(ax, "endless")) == 4  # T*, SSS, SFF and FFS go on


def test_marks_have_the_colour_of_what_they_allow(rough):
    ax = torque_set(rough, torques=[-0.3, -0.05])
    labels = {mark.get_label() for mark in artists(ax, "mark")}
    assert labels == {"given torque: unique", "given torque: ambiguous"}


def test_polygons_are_the_set_itself(three):
    ax = torque_set(three)
    (patch,) = artists(ax, "set")
    corners = patch.get_xy()[:-1]
    vertices = three.feasible.generators.vertices
    assert len(corners) == len(vertices)
    assert all(np.linalg.norm(vertices - corner, axis=1).min() < 1e-9 for corner in corners)


def test_an_ambiguous_plane_shows_both_parts():
    answer = zigzag(3, 1.2, 2.0)
    ax = torque_set(answer)
    _, names = ax.get_legend_handles_labels()
    assert names[0] == "$T^*$: only FFFF" and "other modes" in names[1]
    unique, ambiguous = drawn_sets(answer, [0, 1])
    rng = np.random.default_rng(5)
    points = rng.uniform(-2.0, 2.0, (200, 2))
    inside = np.any([part.contains(points) for part in unique.parts], axis=0)
    other = np.any([part.contains(points) for part in ambiguous.parts], axis=0)
    words = answer.classify(points)
    assert (inside == (words == "unique")).all() and (other == (words == "ambiguous")).all()


def test_three_torques_stand_in_space_and_more_are_projected(four):
    ax = torque_set(four)
    assert ax.name == "3d" and ax.get_zlabel() == "$\\tau_{3}$ [N m]"
    figure = torque_projections(four, [(0, 1), (1, 2), (2, 0)], columns=3, title="zigzag")
    assert isinstance(figure, Figure) and len(figure.axes) == 3
    (patch,) = artists(figure.axes[1], "set")
    shadow = four.feasible.generators.vertices[:, [1, 2]]
    assert np.allclose(patch.get_xy().min(axis=0), shadow.min(axis=0))
    assert np.allclose(patch.get_xy().max(axis=0), shadow.max(axis=0))


def test_windows_hold_all_corners_and_leave_room_for_what_goes_on(rough, three):
    low, high = window(drawn_sets(rough, [0]), np.zeros((0, 1)))
    edge = M * G * L / np.sqrt(2.0)
    assert low[0] < -1.2 * edge and high[0] > 1.2 * edge
    low, high = window(drawn_sets(three, [0, 1]), np.zeros((0, 2)))
    assert (low < three.feasible.generators.vertices.min(axis=0)).all()


def test_nothing_to_draw_is_said_and_bad_axes_are_refused(three):
    ax = torque_set(zigzag(2, 0.0))
    assert any("no torque allows FFF" in text.get_text() for text in ax.texts)
    for axes in ([0, 0], [5], [], [0, 1, 2, 3]):
        with pytest.raises(InputError):
            torque_set(three, axes=axes)
    with pytest.raises(InputError):
        torque_projections(zigzag(2, 0.3))
    with pytest.raises(InputError):
        torque_set("torques")  # type: ignore[arg-type]

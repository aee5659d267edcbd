"""Pictures of chains and climbs: nodes, walls, stills, margins and moving pictures."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from holdfast.errors import FileError, InputError
from holdfast.planar import Chain, Channel, RestToRest, SnakeClimb, climb, free_part_disturbance
from holdfast.planar.plots import animate_climb, brace_disturbance, chain_posture, climb_margins, climb_stills

SNAKE = Chain([0.127] * 6, 0.0849)


@pytest.fixture(scope="module")
def reached() -> SnakeClimb:
    return climb(SNAKE, Channel.straight(0.09, 1.2), 0.03, margin=0.1)


@pytest.fixture(scope="module")
def stuck() -> SnakeClimb:
    return climb(SNAKE, Channel.straight(0.09, 1.2), 0.1, mu=0.0)


def drawn(ax, gid: str) -> list:
    return [child for child in ax.get_children() if child.get_gid() == gid]


def test_a_posture_has_its_links_nodes_contacts_and_cones():
    chain, q = Chain([0.1, 0.2], 1.0), (0.0, 0.0, np.pi / 2, -np.pi / 2)
    ax = chain_posture(chain, q, contacts=[(0, (1, 0), 0.5), (2, (-1, 0), 0.5)], walls=[[[0, 0], [0, 1]]], mode="FR")
    (nodes,) = drawn(ax, "nodes")
    assert np.allclose(nodes.get_xydata(), [[0, 0], [0, 0.1], [0.2, 0.1]])
    assert len(drawn(ax, "link")) == len(drawn(ax, "contact")) == len(drawn(ax, "cone")) == 2
    assert len(drawn(ax, "wall")) == 1
    names = {text.get_text() for text in ax.get_legend().get_texts()}
    assert names == {"fixed (F)", "slides right (R)"}
    with pytest.raises(InputError):
        chain_posture(chain, q, mode="F")


def test_stills_are_the_start_and_the_end_of_each_step(reached):
    figure = climb_stills(reached)
    assert len(figure.axes) == len(reached.steps) + 1
    assert [ax.get_title() for ax in figure.axes] == ["start", "1: reach", "2: pull"]
    for ax, step in zip(figure.axes[1:], reached.steps, strict=True):
        (nodes,) = drawn(ax, "nodes")
        assert np.allclose(nodes.get_xydata(), step.nodes[-1])
        (contacts,) = drawn(ax, "contacts")
        assert np.allclose(contacts.get_xydata(), step.nodes[-1][sorted(step.brace_nodes)])
    assert len(climb_stills(reached, most=2).axes) == 2
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names == ["links that brace, with their contacts", "links that move"]


def test_margins_are_drawn_over_the_whole_time_and_never_below_the_robust_one(reached):
    ax = climb_margins(reached)
    lines, robust = drawn(ax, "margin"), drawn(ax, "robust")
    assert len(lines) == len(robust) == len(reached.steps)
    assert ax.get_xlim()[1] == pytest.approx(sum(step.times[-1] for step in reached.steps))
    for line, sure, step in zip(lines, robust, reached.steps, strict=True):
        assert sure.get_ydata()[0] == pytest.approx(step.brace.margin)
        assert line.get_ydata().min() >= step.brace.margin - 1e-9


def test_moving_pictures_have_the_frames_of_the_climb_and_tell_their_progress(reached, tmp_path):
    told: list[tuple[int, int]] = []
    path = animate_climb(reached, tmp_path / "climb.gif", rate=2.0, dpi=40, progress=lambda *x: told.append(x))
    with Image.open(path) as picture:
        assert 2 <= picture.n_frames <= len(told)  # type: ignore[attr-defined]
    assert told[-1] == (len(told), len(told))
    page = animate_climb(reached, tmp_path / "climb.html", rate=1.0, most=3, dpi=40)
    text = page.read_text(encoding="utf-8")
    assert (
        "<script" in text
        and "data:image/png;base64" in text
        and "http" not in text
        and 'class="fa' not in text
        and not (tmp_path / "climb_frames").exists()
    )


def test_disturbances_lie_inside_their_box():
    chain = Chain([0.1] * 3, 0.1)
    start, end = np.array([0.0, 0.0, 2.3, -1.6, 1.0]), np.array([0.0, 0.0, 2.3, -1.6, 0.5])
    found = free_part_disturbance(chain, 2, [RestToRest(start, end, 1.0)], samples=101)
    figure = brace_disturbance(found)
    assert [ax.get_ylabel() for ax in figure.axes][:3] == ["on $x$ [N]", "on $y$ [N]", "on $\\theta$ [N m]"]
    for ax in figure.axes:
        (line,), (box,) = drawn(ax, "force"), drawn(ax, "box")
        low, high = box.get_y(), box.get_y() + box.get_height()
        assert low <= line.get_ydata().min() and line.get_ydata().max() <= high


def test_a_climb_without_steps_is_drawn_too(stuck, tmp_path):
    (ax,) = climb_stills(stuck).axes
    assert drawn(ax, "wall") and not drawn(ax, "link") and not drawn(ax, "nodes")
    assert any("no step" in text.get_text() for text in climb_margins(stuck).texts)
    assert animate_climb(stuck, tmp_path / "stuck.gif", dpi=40).stat().st_size > 0


def test_names_and_folders_are_checked(reached, tmp_path):
    with pytest.raises(FileError):
        animate_climb(reached, tmp_path / "climb.mp4")
    with pytest.raises(FileError):
        animate_climb(reached, tmp_path / "none" / "climb.gif")
    with pytest.raises(InputError):
        climb_stills("climb")  # type: ignore[arg-type]

"""Words of pictures do not cover each other and are not cut off: in the pictures that commands write, and in hard cases."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from holdfast.plotting import save, style
from tests.nightly import nightly_after
from tests.plotting.text_boxes import overlaps

ROOT = Path(__file__).resolve().parents[2]

#: Commands with a picture, at least one for each kind of picture.
COMMANDS = (
    "check @two_finger_gripper_d_md",
    "limit @two_opposed_units --direction 0,0,-1 --explain",
    "onset @stacked_cubes",
    "sweep @two_opposed_units --n 12",
    "space @suction_cup --level 1",
    "share @suction_array",
    "posture @climber_on_overhang",
    "support @quadruped_on_rock",
    "motions @peg_in_hole",
    "torques @five_link_brace",
    "models gecko_two_way",
    "separate @block_on_three_points --load shove",
    "sensitivity @suction_cup",
    "probability @suction_cup --n 200 --scatter-strength 0.3",
    "grasps --part bracket",
    "check @arch",
    "check @stacked_cubes",
    "check @gecko_on_glass",
    "check @jammed_peg",
    "check @pallet",
    "check @h_block_between_walls",
    "check @four_finger_hand_opposed",
    "posture @quadruped_on_rock",
    "posture @braced_in_a_chimney",
    "posture @tripod_on_flat_ground",
    "motions @ladder",
    "torques @two_link_snake",
    "models microspine",
    "models peg_in_hole",
)


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """Every figure that is written to a file from now on."""
    written: list[Figure] = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, *_, **__: written.append(figure))
    return written


@pytest.mark.parametrize("command", nightly_after(16, COMMANDS))
def test_words_of_the_picture_of_a_command_stand_clear(command, run, figures, tmp_path) -> None:
    result = run(*command.split(), "--plot", tmp_path / "picture.png")
    assert result.exit_code in (0, 1, 3), result.output
    assert len(figures) == 1
    assert overlaps(figures[0]) == []


def test_words_of_the_first_picture_of_the_readme_stand_clear() -> None:
    tool = runpy.run_path(str(ROOT / "tools" / "make_overview_picture.py"))
    assert overlaps(tool["overview"]()) == []
    assert 5_000 < tool["TARGET"].stat().st_size < 200_000


def crowded() -> Figure:
    """Two boxes in space whose numbers meet: seen along an axis, and small; with two names in one place."""
    figure = Figure(figsize=(7.0, 3.0))
    for place, view in ((1, (8.0, -86.0)), (2, (20.0, -45.0))):
        ax = figure.add_subplot(1, 2, place, projection="3d")
        style.dress_space(ax, np.array([-0.6, -0.25, 0.0]), np.array([0.6, 0.25, 0.6]), view=view)
        ax.set(xlabel="along [m]", ylabel="off the wall [m]", zlabel="height [m]")
        ax.text(0.0, 0.0, 0.3, "left stone", ha="center")
        ax.text(0.05, 0.0, 0.3, "right stone", ha="center")
        ax.plot([0, 1], [0, 1], [0, 1])
    return figure


def test_a_saved_picture_in_space_has_its_words_apart(tmp_path: Path) -> None:
    figure = crowded()
    before = overlaps(figure)
    assert any("stone" in pair for pair in before) and len(before) > 3
    save(figure, tmp_path / "a.png")
    assert overlaps(figure) == []
    for ax in figure.axes:
        assert all(line.get_visible() for line in ax.lines)
        assert all(len(style.drawn_ticks(axis)) >= 1 for axis in (ax.xaxis, ax.yaxis, ax.zaxis))
    save(figure, tmp_path / "b.png")  # a second time nothing changes
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_the_search_finds_words_that_meet_and_words_that_are_cut_off() -> None:
    figure = Figure(figsize=(3.0, 2.0))
    ax = figure.add_subplot()
    ax.text(0.5, 0.5, "one word")
    ax.text(0.52, 0.5, "another")
    ax.text(0.9, 0.2, "out of the picture", clip_on=True)
    assert sorted(overlaps(figure)) == ["'one word' and 'another'", "'out of the picture' is cut off"]


def test_ticks_beyond_an_axis_and_words_of_hidden_axes_do_not_count() -> None:
    figure = Figure(figsize=(3.0, 2.0))
    ax = figure.add_subplot()
    ax.set(xlim=(0.05, 0.95), ylim=(0.05, 0.95))  # numbers at 0 and 1 would stand outside
    hidden = figure.add_axes(ax.get_position())
    hidden.set_axis_off()
    assert overlaps(figure) == []

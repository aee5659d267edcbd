"""Snakes and their torques in the viewer."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.planar import torque_sets
from holdfast.planar.files import PlanarChainScene
from holdfast.planar.page import (
    STEP,
    TALL,
    SnakeState,
    TorqueSets,
    deepest_torques,
    first_torques,
    flattened,
    round_range,
    snake_answer,
)
from holdfast.scenes import load_planar
from holdfast.web.marks import Dots, Surface

L, M, G = 0.127, 0.0849, 9.81


def sets(name: str) -> TorqueSets:
    scene = load_planar(f"@{name}")
    assert isinstance(scene, PlanarChainScene)
    return TorqueSets(scene)


@pytest.mark.parametrize("mu", [0.2, 0.3, 0.6])
def test_two_links_hold_from_the_torque_of_the_closed_form_on(mu: float) -> None:
    two = sets("two_link_snake")
    border = -(M * G * L / np.sqrt(2.0)) * (3.0 + mu**2) / (4.0 * mu)
    ranges = [(-1.0, 0.2)]
    inside = snake_answer(SnakeState(mu, (1.1 * border,), (0,)), two, ranges)
    outside = snake_answer(SnakeState(mu, (0.999 * border,), (0,)), two, ranges)
    assert inside.verdict.status == "only the wanted motion" and inside.verdict.tone == "good"
    assert f"{-0.1 * border:.3g}" in inside.verdict.margin and inside.moving is None
    assert outside.verdict.status == "the wanted motion is impossible" and outside.verdict.tone == "bad"
    bar = inside.drawing.marks["sets/0"]
    assert isinstance(bar, Surface)
    assert np.isclose(np.ptp(bar.vertices[:, 0]), 1.3 * (border + 1.0) / 1.2)  # the box is 1.3 wide for 1.2 N m


def test_rough_walls_make_weak_torques_ambiguous_and_the_other_motions_move() -> None:
    rough = sets("two_link_snake_ambiguous")
    ranges = rough.ranges()
    answer = snake_answer(SnakeState(None, (-0.05,), (0,)), rough, ranges)
    assert answer.verdict.status == "another motion is possible" and answer.moving is not None
    modes = {motion.mode for motion in rough.at(None).explain(-0.05)}
    assert all(mode in answer.verdict.lines[1] for mode in modes)
    still, moved = answer.moving(0.0), answer.moving(1.0)
    ghosts = [name for name in moved if isinstance(moved[name], Surface)]
    assert len(ghosts) == len(modes)
    for name in ghosts:
        first, last = still[name], moved[name]
        assert isinstance(first, Surface) and isinstance(last, Surface)
        farthest = np.linalg.norm(last.vertices - first.vertices, axis=1).max()
        assert 0.4 * STEP * TALL < farthest < 1.6 * STEP * TALL


def test_three_links_agree_with_the_library_all_over_the_box() -> None:
    three = sets("three_link_snake")
    ranges = three.ranges()
    assert ranges == [(-2.0, 2.0)] * 2  # the limits of its motors
    direct = torque_sets(three.scene.system(), three.scene.mode, limits=three.scene.limits)
    words = {"unique": "good", "ambiguous": "open", "infeasible": "bad"}
    for torques in np.random.default_rng(0).uniform(-2.0, 2.0, (12, 2)):
        answer = snake_answer(SnakeState(None, tuple(map(float, torques)), (0, 1)), three, ranges)
        assert answer.verdict.tone == words[direct.classify(torques)]
        dot = answer.drawing.marks["torque"]
        assert isinstance(dot, Dots)


def test_torques_of_six_links_are_taken_to_the_flat_set() -> None:
    six = sets("six_link_snake")
    answer = six.at(None)
    given = (-0.15, -0.58, -1.20, -0.70, -0.30)  # printed in the paper to two digits
    torques, moved = flattened(answer, given)
    C, d = answer.feasible.equalities
    assert np.allclose(C @ np.array(torques), d, atol=1e-12) and 0.0 < moved < 0.005
    gap = np.array(torques) - np.array(given)
    for direction in np.linalg.svd(C)[2][len(d) :]:  # along the set nothing was changed
        assert abs(gap @ direction) < 1e-12
    shown = snake_answer(SnakeState(None, given, (0, 1, 2)), six, six.ranges())
    assert shown.verdict.tone == "good" and any("the set is flat" in line for line in shown.verdict.lines)


def test_sliders_begin_where_the_scene_says_and_the_deepest_torque_is_unique() -> None:
    three = sets("three_link_snake")
    ranges = three.ranges()
    assert first_torques(three, ranges) == (-1.0, 1.0)
    for name in ("two_link_snake", "three_link_snake", "six_link_snake"):
        own = sets(name)
        deep = deepest_torques(own, None, own.ranges())
        assert deep is not None and own.at(None).classify(list(deep)) == "unique"


def test_sets_are_kept_by_friction() -> None:
    two = sets("two_link_snake")
    assert two.at(0.4) is two.at(0.4) and two.at(0.4) is not two.at(0.5)


@pytest.mark.parametrize(("low", "high"), [(-0.263274, 0.0613), (-1234.5, 2.0), (0.0, 1.0), (-3e-7, 1e-7)])
def test_ranges_have_round_ends_about_what_they_hold(low: float, high: float) -> None:
    first, last = round_range(low, high)
    assert first <= low < high <= last
    assert last - first <= 1.25 * (high - low)
    assert all(
        len(f"{end:.12g}".lstrip("-0.").split("e")[0].rstrip("0").replace(".", "")) <= 3 for end in (first, last)
    )

"""A robot scene answers by its hands or by its units, and says which it has."""

from __future__ import annotations

import pytest

import holdfast as hf
from holdfast.errors import InputError, UnknownNameError
from holdfast.robots.files import load_robot
from tests.scenes.robot_files import BRACED, WALL


@pytest.fixture(scope="module")
def scenes(tmp_path_factory):
    place = tmp_path_factory.mktemp("robots")
    found = []
    for name, text in (("wall", WALL), ("fours", BRACED)):
        (place / f"{name}.yaml").write_text(text, encoding="utf-8")
        found.append(load_robot(place / f"{name}.yaml"))
    return found


def test_the_posture_of_its_hands_is_the_robot_as_one_body(scenes):
    wall, _ = scenes
    body, planner = wall.posture(), wall.planner()
    assert body.mass == pytest.approx(wall.robot.mass)
    assert body.com == pytest.approx(wall.robot.com(wall.q))
    low, high = hf.posture_equilibrium(body.grips, body.poses, body.wrench).scale_interval
    assert planner.margin(wall.q) == pytest.approx(min(high - 1.0, 1.0 - low), rel=1e-7)


def test_each_kind_of_file_is_asked_its_own_way(scenes):
    wall, fours = scenes
    with pytest.raises(InputError, match="planner"):
        wall.whole_body()
    with pytest.raises(InputError, match="whole_body"):
        fours.planner()
    assert fours.whole_body().equilibrium().holds
    with pytest.raises(UnknownNameError, match="did you mean 'gust'"):
        wall.load("gusts")

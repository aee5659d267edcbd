"""The page of postures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from holdfast.postures.page import ENTRIES, NONE, Body, posture_answer, robot_entry, scene_entry
from holdfast.scenes import load_posture, load_robot
from tests.scenes.robot_files import WALL
from tests.viewer.stand_in import Visit, assert_leaves_nothing_behind


def test_what_the_page_says_is_what_its_controls_ask() -> None:
    scene = load_posture("@climber_on_overhang")
    body = Body(scene)
    with Visit(scene_entry(scene).make) as visit:
        controls, handle = visit.browser.gui.controls, visit.browser.scene.nodes["/com handle"]
        assert visit.page.state() == body.start
        handle.drag(position=(-0.9, 0.2, 0.5))
        visit.settle()
        assert controls["COM x [m]"].value == -0.9
        for name, value in (("Mass [kg]", 40.0), ("Gravity tilt [deg]", 12.0), ("Load", "bag")):
            visit.drag(name, value)
            said = posture_answer(visit.page.state(), body).verdict
            assert (visit.verdict.shown.status, visit.verdict.shown.margin) == (said.status, said.margin)
        assert visit.page.state() == replace(body.start, com=(-0.9, 0.2, 0.5), mass=40.0, tilt=12.0, load="bag")
        visit.drag("As in the file", True)
        assert visit.page.state() == body.start and controls["Load"].value == NONE
        assert visit.verdict.shown.status == "holds" and not visit.errors
        assert_leaves_nothing_behind(visit)


def test_ready_postures_open() -> None:
    assert [(entry.key, entry.group) for entry in ENTRIES] == [
        ("quadruped-on-rock", "Climber"),
        ("climber-on-overhang", "Climber"),
    ]
    for entry in ENTRIES:
        with Visit(entry.make) as visit:
            assert visit.verdict.shown.status == "holds" and "inner/border" in visit.names and not visit.errors


def test_a_robot_begins_with_its_own_mass_and_cannot_be_begun_without_hands(tmp_path: Path) -> None:
    pytest.importorskip("pinocchio")
    (tmp_path / "robot.yaml").write_text(WALL)
    scene = load_robot(tmp_path / "robot.yaml")
    with Visit(robot_entry(scene).make) as visit:
        assert visit.page.state().mass == scene.robot.mass
        assert visit.browser.gui.controls["Mass [kg]"].value == pytest.approx(scene.robot.mass, rel=1e-3)
        assert "robot/palms" in visit.names

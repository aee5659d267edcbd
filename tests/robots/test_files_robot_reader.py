"""Robot files: what they say comes out, and every fault names its line and field."""

from __future__ import annotations

import pytest

from holdfast.errors import SceneError
from holdfast.robots.files import load_robot
from tests.scenes.robot_files import BRACED, PINCH, PINCH_URDF, WALL


def written(folder, text: str):
    path = folder / "robot.yaml"
    path.write_text(text, encoding="utf-8")
    (folder / "pinch.urdf").write_text(PINCH_URDF, encoding="utf-8")
    return path


@pytest.mark.parametrize("text", [WALL, BRACED, PINCH])
def test_files_of_each_kind_are_read(tmp_path, text):
    scene = load_robot(written(tmp_path, text))
    assert scene.path == tmp_path / "robot.yaml"
    assert bool(scene.hands) != bool(scene.touches)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("front_left_palm", "front_left_plam", r"robot.yaml:15: hands\[0\].palm: .*did you mean 'front_left_palm'"),
        ("front_left_2: -0.5", "front_left_9: 1", r"posture.*did you mean"),
        ("front_left_2: -0.5", "front_left_2: -9", r"posture.*limits"),
        ("@climber_without_fingers", "@climber_with_finger", "did you mean '@climber_without_fingers'"),
        ("@climber_without_fingers", "nowhere.urdf", "nowhere.urdf"),
        ("grip: hook", "grip: hok", "did you mean 'hook'"),
        ("[0, 0.45, 0.5]", "[0, 0.45, 9.5]", "miss by"),
        ("name: right hand", "name: left hand", "two hands"),
    ],
)
def test_faults_name_their_place(tmp_path, old, new, words):
    with pytest.raises(SceneError, match=words):
        load_robot(written(tmp_path, WALL.replace(old, new, 1)))


def test_units_on_the_fixed_base_and_unknown_links_are_refused(tmp_path):
    with pytest.raises(SceneError, match=r"touches\[0\].*fixed base"):
        load_robot(written(tmp_path, PINCH.replace("link: left", "link: base", 1)))
    with pytest.raises(SceneError, match=r"touches\[0\].link.*did you mean 'left'"):
        load_robot(written(tmp_path, PINCH.replace("link: left", "link: lef", 1)))
    with pytest.raises(SceneError, match="two units"):
        load_robot(written(tmp_path, PINCH.replace("name: right", "name: left", 1)))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("holdfast: 1\nbody: {mass: 1}\nhands: []\n", "posture file"),
        ("holdfast: 1\ncontacts: []\n", "scene file"),
        ("holdfast: 9\n", "version 9"),
        ("holdfast: 1\nrobot: {urdf: a.urdf}\n", "nothing touches"),
    ],
)
def test_other_files_are_told_from_it(tmp_path, text, words):
    with pytest.raises(SceneError, match=words):
        load_robot(written(tmp_path, text))

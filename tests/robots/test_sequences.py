"""Sequences of postures: saved, read, checked anew, and what the viewer shows of them."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import FileError, InputError, UnknownNameError
from holdfast.robots import Hand, PosturePlanner, PostureSequence, Robot
from holdfast.robots.page import posture_marks, sequence_answer, sequence_entry
from holdfast.viewer.gallery import file_pages
from tests.robots.climbing import climber, hands, on_the_wall, rough_grip
from tests.viewer.stand_in import Visit, assert_leaves_nothing_behind

pytest.importorskip("pinocchio")
GRIP = rough_grip()
ALL = ("front_left", "front_right", "rear_left", "rear_right")


@pytest.fixture(scope="module")
def sequence() -> PostureSequence:
    robot = climber()
    weak = robot.with_joints({n: hf.assembly.Joint(n, -150.0, 150.0, friction=1.0) for n in robot.joint_names})
    q = on_the_wall(weak, GRIP)
    return PostureSequence.of(PosturePlanner(weak, hands(GRIP)), [(q, ALL), (q, ALL[1:]), (q, ALL[:1])], "three")


def test_margins_are_those_of_the_hands_that_hold(sequence):
    planner = PosturePlanner(sequence.robot, hands(GRIP))
    q = sequence.postures[0]
    expected = [planner.margin(q), planner.lifted("front_left").margin(q), planner.lifted(ALL[1:]).margin(q)]
    assert sequence.margins == pytest.approx(expected, rel=1e-9)
    assert sequence.margins[2] < 0.0 < sequence.margins[0]
    assert not sequence.holds
    assert sequence.verify()
    assert not replace(sequence, margins=-sequence.margins).verify()


def test_a_saved_sequence_comes_back_with_torque_limits_shapes_and_proofs(sequence, tmp_path):
    path = tmp_path / "three.json"
    sequence.save(path)
    again = hf.load(path)
    assert again.margins == pytest.approx(sequence.margins, rel=1e-9)
    assert again.holding == sequence.holding
    assert again.robot.torque_bounds[1] == pytest.approx(sequence.robot.torque_bounds[1])
    assert again.verify()
    before, after = ([s for s in r.shapes if s.role == "visual"] for r in (sequence.robot, again.robot))
    assert len(before) == len(after) > 0
    for one, other in zip(before, after, strict=True):
        assert (one.link, one.kind) == (other.link, other.kind)
        assert one.size == pytest.approx(other.size)
        assert one.pose.rotation == pytest.approx(other.pose.rotation, abs=1e-12)
        assert one.pose.translation == pytest.approx(other.pose.translation)


def test_the_viewer_replays_a_saved_sequence(sequence, tmp_path):
    path = tmp_path / "three.json"
    sequence.save(path)
    (entry,) = file_pages(str(path))
    assert entry.title == "three"
    whole = sequence_answer(sequence, 0, play=True)
    assert whole.verdict.status == "some postures do not hold"
    assert whole.moving is not None
    assert len(whole.moving(1.0)["holding"].points) == 1  # pyright: ignore[reportAttributeAccessIssue]
    one = sequence_answer(sequence, 0, play=False)
    assert one.verdict.tone == "good"
    assert any("proof verified" in line for line in one.verdict.lines)
    assert any("joint torque" in line for line in one.verdict.lines)
    assert sequence_answer(sequence, 2, play=False).verdict.tone == "bad"
    palms = [sequence.hands[i].pose(sequence.robot, sequence.postures[1]).translation for i in (1, 2, 3)]
    assert posture_marks(sequence, 1)["holding"].points == pytest.approx(np.array(palms))  # pyright: ignore[reportAttributeAccessIssue]


#: A sequence must not open files of the machine that shows it.
MESHED = """<robot name="x"><link name="a"><inertial><mass value="1"/></inertial>
<visual><geometry><mesh filename="file:///a.stl"/></geometry></visual></link></robot>"""


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"version": 2}, "version 1"),
        ({"joints": []}, "joints"),
        ({"holding": [["nobody"]] * 3}, "nobody"),
        ({"urdf": "<robot/>"}, "three.json"),
        ({"hands": [{}]}, "damaged"),
        ({"urdf": "/etc/passwd"}, "is no text of a URDF"),
        ({"urdf": MESHED}, "names files of meshes"),
        ({"postures": [[0.0]] * 3}, "length must be"),
    ],
)
def test_a_damaged_file_is_said_to_be_one(sequence, tmp_path, change, match):
    path = tmp_path / "three.json"
    sequence.save(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(FileError, match=match):
        hf.robots.load_sequence(path)


def test_what_is_wrong_is_named(sequence):
    planner = PosturePlanner(sequence.robot, hands(GRIP))
    with pytest.raises(InputError, match="empty"):
        PostureSequence.of(planner, [])
    with pytest.raises(UnknownNameError, match="front_left"):
        PostureSequence.of(planner, [(sequence.postures[0], ["front_lef"])])
    outer = hf.grips.OuterGrip.box(-np.ones(6), np.ones(6))
    bounds = [Hand(hand.palm, (), outer, name=hand.name) for hand in planner.hands]
    with pytest.raises(InputError, match="grips of vertices"):
        PostureSequence.of(planner.with_hands(bounds), [(sequence.postures[0], ALL)])
    assert isinstance(sequence.robot, Robot)


def test_the_page_plays_postures_and_shows_the_one_of_the_slider(sequence):
    with Visit(sequence_entry(sequence).make) as visit:
        assert visit.verdict.shown.status == "some postures do not hold"
        visit.drag("Play", False)
        assert visit.verdict.shown.status == "holds"
        visit.drag("Posture", 3)
        assert visit.verdict.shown.status == "does not hold"
        assert "posture 3 of 3" in visit.verdict.shown.lines[0]
        assert {"robot/limbs", "holding"} <= visit.names
        assert not visit.errors
    assert_leaves_nothing_behind(visit)

"""Illustrative motions: how contacts follow, single steps, and whole releases."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.dynamics import Separating, mass_matrix, separation
from holdfast.dynamics.mass import RigidBody, ball_inertia, box_inertia
from holdfast.dynamics.release import Release, TouchKind, closed, simulate_release, small_step, surround, way_of
from holdfast.errors import InputError, UnknownNameError
from holdfast.geometry.frames import Pose, rotation_about
from holdfast.geometry.screws import displacement
from tests.dynamics.closed_forms import GRAVITY, block, box_mass, tilted
from tests.dynamics.hooks import hooks
from tests.referee import block as block_of

UP = np.eye(3)
CONE = hf.models.coulomb(0.5)
COM = np.array([0.0, 0.0, 0.1])


def contacts() -> hf.Assembly:
    """Two points under an object."""
    return hf.Assembly([hf.Contact((0.1, 0, 0), UP, CONE, "a"), hf.Contact((-0.1, 0, 0), UP, CONE, "b")])


@pytest.mark.parametrize("touch", ["rest", "foot"])
def test_nothing_moves_in_the_identity(touch):
    around = surround(contacts(), touch, [0.0, 0.02], np.inf, COM)
    placed = around.at(Pose.identity())
    np.testing.assert_allclose(placed.gaps, [0.0, 0.02])
    np.testing.assert_allclose(placed.rotations, [UP, UP])


def test_a_rest_stays_in_the_world_and_turns_with_the_face():
    tilt = Pose(rotation_about((0, 1, 0), 0.3), np.zeros(3))
    placed = surround(contacts(), "rest", 0.0, np.inf, COM).at(tilt)
    np.testing.assert_allclose(placed.positions, contacts().positions)
    np.testing.assert_allclose(placed.rotations[:, :, 2], [[np.sin(0.3), 0, np.cos(0.3)]] * 2, atol=1e-12)
    # The face through the origin, turned by 0.3: the point at x is x sin(0.3) above it on its outside.
    np.testing.assert_allclose(placed.gaps, [-0.1 * np.sin(0.3), 0.1 * np.sin(0.3)], atol=1e-12)


def test_a_foot_goes_with_the_object_and_its_ground_stays():
    tilt = Pose(rotation_about((0, 1, 0), -0.3), np.array([0.0, 0.0, 0.05]))
    placed = surround(contacts(), "foot", 0.0, np.inf, COM).at(tilt)
    np.testing.assert_allclose(placed.positions, tilt.apply(contacts().positions))
    np.testing.assert_allclose(placed.rotations[:, :, 2], [[0, 0, 1]] * 2, atol=1e-12)
    np.testing.assert_allclose(placed.gaps, placed.positions[:, 2], atol=1e-12)


def test_a_ball_touches_below_its_middle_however_it_is_turned():
    ball = hf.Assembly([hf.Contact((0, 0, 0), UP, CONE)])
    pose = Pose(rotation_about((0, 1, 0), 2.0), np.zeros(3))
    pose = Pose(pose.rotation, np.array([0.2, 0.0, 0.1]) - pose.rotation @ COM)  # its middle goes to (0.2, 0, 0.1)
    placed = surround(ball, "ball", 0.0, np.inf, COM).at(pose)
    np.testing.assert_allclose(placed.positions, [[0.2, 0.0, 0.0]], atol=1e-12)
    np.testing.assert_allclose(placed.gaps, [0.0], atol=1e-12)


@pytest.mark.parametrize("touch", list(TouchKind))
def test_rows_are_the_derivatives_of_the_gaps(touch):
    below = [hf.Contact((0, 0, 0), UP, CONE), hf.Contact((0, 0.2, 0.1), hf.frame_from_normal((0, -1, 0)), CONE)]
    around = surround(hf.Assembly(below), touch, [0.0, 0.02], np.inf, COM)
    rng = np.random.default_rng(4)
    for _ in range(5):
        pose = Pose(rotation_about(rng.normal(size=3), 0.5), rng.normal(size=3) * 0.1)
        twist, small = rng.normal(size=6), 1e-6
        ahead, behind = (
            Pose(rotation_about(twist[3:], s * np.linalg.norm(twist[3:])), s * twist[:3]) @ pose
            for s in (small, -small)
        )
        slope = (around.at(ahead).gaps - around.at(behind).gaps) / (2.0 * small)
        np.testing.assert_allclose(around.at(pose).rows @ twist, slope, atol=1e-6)


def test_a_contact_beyond_the_end_of_its_surface_is_infinitely_far():
    around = surround(contacts(), ["foot", "rest"], 0.0, [0.05, np.inf], COM)
    for far, gone in ((0.04, False), (0.06, True)):
        placed = around.at(Pose(UP, np.array([far, 0.0, 0.0])))
        assert np.isinf(placed.gaps).tolist() == [gone, False]


def test_joint_rows_keep_their_columns_and_unloaded_ones_go():
    rows = hf.JointRows(
        np.arange(12.0).reshape(2, 6) * [[0, 0, 0, 1, 1, 1], [1, 1, 1, 1, 1, 1]], [1, 2], [3, 4], ("p", "q")
    )
    assembly = hf.Assembly(contacts().contacts, rows)
    around = surround(assembly, "rest", 0.0, np.inf, COM)
    placed = around.at(Pose.identity())
    both, first = around.touching(placed, (0, 1)), around.touching(placed, (0,))
    np.testing.assert_array_equal(both.joints.jacobian, rows.jacobian)
    np.testing.assert_array_equal(first.joints.jacobian, rows.jacobian[1:, :3])
    assert first.joints.names == ("q",) and [c.name for c in first.contacts] == ["a"]
    alone = hf.Assembly(contacts().contacts, hf.JointRows(rows.jacobian[:1], [1], [3]))
    assert surround(alone, "rest", 0.0, np.inf, COM).touching(placed, (0,)).joints is None


def test_bad_words_and_numbers_are_refused():
    with pytest.raises(UnknownNameError, match="rest, foot, ball"):
        surround(contacts(), "feet", 0.0, np.inf, COM)
    with pytest.raises(InputError, match="touch"):
        surround(contacts(), ["foot"], 0.0, np.inf, COM)
    with pytest.raises(InputError, match=r"gaps\[1\]"):
        surround(contacts(), "foot", [0.0, -1.0], np.inf, COM)
    with pytest.raises(InputError, match=r"reach\[0\]"):
        surround(contacts(), "foot", 0.0, [-1.0, 1.0], COM)
    with pytest.raises(InputError, match="infinite"):
        surround(contacts(), "foot", np.inf, np.inf, COM)
    with pytest.raises(InputError, match="not round"):
        surround(contacts(), "ball", 0.0, np.inf, COM)


def test_what_slides_keeps_to_its_surface_and_to_its_direction():
    """(7) lifts a block on unlimited cones; of all motions along the slope the nearest to that is straight down it."""
    answer = separation(block(0.3, 0.05, hf.models.coulomb(0.5)), tilted(2.0, 0.7), box_mass(2.0, (0.3, 0.1, 0.05)))
    around = surround(answer.assembly, "foot", 0.0, np.inf, np.zeros(3))
    rows = around.at(Pose.identity()).rows
    way, stay = way_of(answer.acceleration, answer, rows, answer.mass_matrix)
    np.testing.assert_allclose(rows @ way, 0.0, atol=1e-9)
    np.testing.assert_allclose(way, [answer.acceleration[0], 0, 0, 0, 0, 0], atol=1e-7)
    assert stay.tolist() == [state.presses for state in answer.states]
    # Nearest in the norm of B: what is left out is at right angles to every motion that keeps the contacts closed.
    free = np.linalg.svd(rows)[2][np.linalg.matrix_rank(rows) :]
    np.testing.assert_allclose(free @ answer.mass_matrix @ (answer.acceleration - way), 0.0, atol=1e-7)


def test_what_tips_moves_as_it_is_reported():
    answer = separation(block(0.1, 0.5, hf.models.coulomb(0.8)), tilted(3.0, 0.35), box_mass(3.0, (0.1, 0.1, 0.5)))
    way, stay = way_of(answer.acceleration, answer, np.zeros((4, 6)), answer.mass_matrix)
    assert way is answer.acceleration and stay.tolist() == [False, False, True, True]


def test_a_step_is_as_long_as_its_fastest_point_and_ends_where_a_gap_closes():
    contacts = [hf.Contact((0, 0, 0), np.eye(3), hf.models.coulomb(0.5)) for _ in range(2)]
    around = surround(hf.Assembly(contacts), "foot", [0.0, 0.03], np.inf, np.array([0.0, 0.0, 1.0]))
    now = around.at(Pose.identity())
    turn = np.array([0.0, 0.0, 0.0, 0.0, 5.0, 0.0])
    np.testing.assert_allclose(small_step(turn, around, now, (0,), 0.1, Pose.identity()), [0, 0, 0, 0, 0.1, 0])
    down = np.array([0.0, 0.0, -2.0, 0.0, 0.0, 0.0])
    np.testing.assert_allclose(small_step(down, around, now, (0,), 0.1, Pose.identity()), [0, 0, -0.03, 0, 0, 0])
    assert small_step(np.zeros(6), around, now, (0,), 0.1, Pose.identity()) is None


def test_small_gaps_are_closed_and_large_ones_are_left():
    feet = block(0.2, 0.1, hf.models.coulomb(0.5))
    around = surround(feet, "foot", 0.0, np.inf, np.zeros(3))
    body = RigidBody.from_matrix(mass_matrix(1.0, 0.01 * np.eye(3)))
    off = displacement(np.array([0.01, 0.0, 0.002, 0.001, -0.003, 0.2]))
    mended = closed(off, around, [0, 1, 2, 3], body, 0.01)
    np.testing.assert_allclose(around.at(mended).gaps, 0.0, atol=1e-9)
    np.testing.assert_allclose(mended.translation[:2], off.translation[:2], atol=1e-5)  # nothing along the surface
    assert closed(off, around, [0, 1, 2, 3], body, 1e-4) is off
    up = displacement(np.array([0.0, 0.0, 0.001, 0.0, -0.01, 0.0]))  # two feet a little open, two in the ground
    assert sorted(np.sign(around.at(up).gaps)) == [-1, -1, 1, 1]
    freed = around.at(closed(up, around, [], body, 0.01)).gaps
    assert freed.min() >= -1e-9 and freed.max() > 1e-4  # what is open by itself may stay so


LEFT = hf.frame_from_normal((-1, 0, 0))


def slope(angle: float, com: tuple[float, ...], mass: float = 1.0) -> np.ndarray:
    """(6,) weight on a slope that falls towards +x, seen from the slope."""
    return hf.loads.gravity_wrench(mass, (GRAVITY * np.sin(angle), 0.0, -GRAVITY * np.cos(angle)), com)


def turned(motion: Release) -> float:
    """How far the object has turned in the end [rad]."""
    return float(np.arccos(np.clip(0.5 * (np.trace(motion.frames[-1].pose.rotation) - 1.0), -1.0, 1.0)))


def assert_sound(motion: Release) -> None:
    """No contact overlaps, no point outruns the step, and the load does work at every step."""
    points = np.vstack([motion.assembly.positions, motion.frames[0].com])
    for frame, after in zip(motion.frames, motion.frames[1:], strict=False):
        moved = after.pose.apply(points) - frame.pose.apply(points)
        assert np.linalg.norm(moved, axis=1).max() <= 1.2 * motion.step  # bent paths and mended gaps
        assert after.placement.gaps.min() >= -1e-3 * motion.step
        assert frame.answer.wrench[:3] @ (after.com - frame.com) > 0.0
        assert frame.step is not None
        gone = {i for i in frame.touching if i not in after.touching}
        assert set(after.lost) == gone and set(after.landed) == set(after.touching) - set(frame.touching)
    assert motion.frames[-1].step is None


def test_what_holds_does_not_move():
    feet = [hf.Contact((x, y, 0), UP, hf.models.coulomb(0.5)) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
    motion = simulate_release(hf.Assembly(feet), slope(0.2, (0, 0, 0.05)), mass_matrix(1.0, np.eye(3), (0, 0, 0.05)))
    assert motion.end == "holds" and len(motion) == 1 and motion.travelled == 0.0 and motion.lost == ()


def test_a_weight_too_heavy_for_its_pad_falls_free():
    """Hung under an adhesive pad that bears 5 N: it comes off straight down, at once."""
    pad = hf.ForceVolume([np.array([[x, y, z] for x in (-3.0, 3.0) for y in (-3.0, 3.0) for z in (-5.0, 20.0)])])
    ceiling = hf.frame_from_normal((0, 0, -1))
    hung = hf.Assembly([hf.Contact((x, 0, 0), ceiling, pad.scaled(0.5)) for x in (-0.05, 0.05)])
    weight = hf.loads.gravity_wrench(1.0, (0, 0, -GRAVITY), (0, 0, -0.1))
    motion = simulate_release(hung, weight, mass_matrix(1.0, 0.01 * np.eye(3), (0, 0, -0.1)), step=0.01)
    assert motion.end == "falls free" and len(motion) == 2
    assert motion.lost == ((1, 0), (1, 1)) and motion.frames[-1].touching == ()
    assert motion.frames[-1].to_dict()["lost"] == ["0", "1"] == motion.to_dict()["frames"][-1]["lost"]
    assert all(state.pulls_while_separating for state in motion.frames[0].answer.states)
    np.testing.assert_allclose(motion.frames[-1].com, [0, 0, -0.11], atol=1e-9)
    np.testing.assert_allclose(motion.frames[-1].acceleration[:3], [0, 0, -GRAVITY], atol=1e-9)
    assert motion.frames[-1].answer is None and not motion.frames[-1].forces.any()
    assert_sound(motion)


def test_a_block_too_far_over_a_ledge_turns_about_its_edge_and_falls():
    ledge = [hf.Contact((x, y, 0), UP, hf.models.coulomb(0.5)) for x in (-0.05, 0.0) for y in (-0.05, 0.05)]
    com = (0.03, 0.0, 0.04)
    body = mass_matrix(1.0, box_inertia(1.0, (0.2, 0.1, 0.08)), com)
    weight = hf.loads.gravity_wrench(1.0, (0, 0, -GRAVITY), com)
    motion = simulate_release(hf.Assembly(ledge), weight, body, step=0.01, frames=40, reach=0.07)
    first = motion.frames[0].answer.states
    assert [state.mode for state in first] == ["separates", "separates", "sticks", "sticks"]
    assert motion.lost[:2] == ((1, 0), (1, 1))  # behind the edge, at the first step
    assert motion.frames[2].touching == (2, 3)
    assert motion.end == "falls free" and turned(motion) > np.radians(45.0)
    assert motion.frames[-1].com[0] > com[0] and motion.frames[-1].com[2] < 0.0
    assert_sound(motion)


def test_the_error_is_of_the_order_of_the_step():
    """Tilt of the block on the ledge when it has come down by 60 mm: differences halve with the step."""
    ledge = hf.Assembly([hf.Contact((x, y, 0), UP, hf.models.coulomb(0.5)) for x in (-0.05, 0) for y in (-0.05, 0.05)])
    com = (0.03, 0.0, 0.04)
    body = mass_matrix(1.0, box_inertia(1.0, (0.2, 0.1, 0.08)), com)
    weight = hf.loads.gravity_wrench(1.0, (0, 0, -GRAVITY), com)
    tilts = []
    for parts in (1, 2, 4):
        motion = simulate_release(ledge, weight, body, step=0.01 / parts, frames=12 * parts)
        angles = [np.arccos(0.5 * (np.trace(frame.pose.rotation) - 1.0)) for frame in motion.frames]
        tilts.append(np.interp(0.06, [0.04 - frame.com[2] for frame in motion.frames], angles))
    assert abs(tilts[2] - tilts[1]) < 0.6 * abs(tilts[1] - tilts[0]) < np.radians(1.0)


def test_a_ball_rolls_without_slipping_and_off_the_end_of_the_table():
    radius, angle = 0.05, np.radians(20.0)
    body = mass_matrix(1.0, ball_inertia(1.0, radius), (0, 0, radius))
    table = hf.Assembly([hf.Contact((0, 0, 0), UP, hf.models.coulomb(0.5))])
    motion = simulate_release(table, slope(angle, (0, 0, radius)), body, step=0.01, frames=30, touch="ball", reach=0.1)
    assert motion.end == "falls free" and 0.1 < motion.travelled <= 0.11
    assert turned(motion) == pytest.approx(motion.travelled / radius, rel=0.01)  # steps are straight
    assert all(frame.answer.states[0].mode == "sticks" for frame in motion.frames[:-1])
    assert_sound(motion)


@pytest.mark.parametrize("cap", [None, 20.0])
def test_a_block_slides_down_to_a_stop_and_re_seats(cap):
    """With unlimited and with limited cones, which (7) lifts off the slope by different amounts: it keeps to it."""
    cone = hf.models.coulomb(0.3, cap=cap)
    feet = [hf.Contact((x, y, 0), UP, cone) for x in (-0.1, 0.1) for y in (-0.05, 0.05)]
    stop = hf.Contact((0.1, 0, 0.02), LEFT, hf.models.coulomb(0.3), "stop")
    com = (0.0, 0.0, 0.04)
    body = mass_matrix(1.0, box_inertia(1.0, (0.2, 0.1, 0.08)), com)
    weight = slope(np.radians(30.0), com)
    motion = simulate_release(
        hf.Assembly([*feet, stop]), weight, body, touch="foot", gaps=[0, 0, 0, 0, 0.033], step=0.01
    )
    assert motion.end == "holds again" and motion.frames[-1].landed == (4,)
    np.testing.assert_allclose(motion.frames[-1].com, [0.033, 0.0, 0.04], atol=1e-9)
    assert len(motion) == 5  # 10 + 10 + 10 + 3 mm
    assert motion.frames[-1].answer.verify() and motion.lost == ()
    assert_sound(motion)


def test_a_tall_block_tips_until_its_corner_leans_on_a_wall():
    a, height, away = 0.05, 0.4, 0.1
    feet = [hf.Contact((x, y, 0), UP, hf.models.coulomb(0.8)) for x in (-a, a) for y in (-0.05, 0.05)]
    corners = [hf.Contact((a, y, height), LEFT, hf.models.coulomb(0.3)) for y in (-0.05, 0.05)]
    com = (0.0, 0.0, height / 2)
    body = mass_matrix(2.0, box_inertia(2.0, (2 * a, 0.1, height)), com)
    motion = simulate_release(
        hf.Assembly([*feet, *corners]), slope(np.radians(18.0), com, 2.0), body, touch="foot",
        gaps=[0, 0, 0, 0, away, away], step=0.02,
    )  # fmt: skip
    assert motion.end == "holds again" and motion.frames[-1].touching == (2, 3, 4, 5)
    assert turned(motion) == pytest.approx(np.arcsin(away / height), rel=0.02)  # within the clearance
    assert_sound(motion)


def test_the_motion_ends_after_so_many_frames_and_says_so():
    feet = hf.Assembly([hf.Contact((x, 0, 0), UP, hf.models.coulomb(0.1)) for x in (-0.1, 0.1)])
    body = mass_matrix(1.0, 0.01 * np.eye(3), (0, 0, 0.02))
    motion = simulate_release(feet, slope(0.5, (0, 0, 0.02)), body, touch="foot", frames=4)
    assert motion.end == "still moves" and len(motion) == 4
    assert motion.travelled == pytest.approx(3 * 0.05 * feet.length, rel=1e-6)
    assert motion.step == pytest.approx(0.05 * feet.length) and motion.clearance == pytest.approx(0.1 * motion.step)
    assert "still moves after 3 steps" in repr(motion)


def test_a_search_cut_short_ends_it_as_unknown():
    assembly, wrench = hooks()
    body = mass_matrix(0.3, 1e-3 * np.eye(3))
    assert len(simulate_release(assembly, wrench, body, frames=2)) == 2
    short = simulate_release(assembly, wrench, body, frames=2, method=Separating(node_limit=1))
    assert short.end == "unknown" and len(short) == 1
    assert short.frames[0].acceleration is None and not short.frames[0].forces.any()
    assert short.frames[0].states == (None,) * 4


def test_a_load_as_a_function_of_the_pose_is_as_good_as_the_weight():
    com = np.array([0.0, 0.0, 0.04])
    feet = hf.Assembly([hf.Contact((x, y, 0), UP, hf.models.coulomb(0.3)) for x in (-0.1, 0.1) for y in (-0.1, 0.1)])
    body = mass_matrix(1.0, 0.01 * np.eye(3), com)
    gravity = (GRAVITY * np.sin(0.6), 0.0, -GRAVITY * np.cos(0.6))
    plain = simulate_release(feet, hf.loads.gravity_wrench(1.0, gravity, com), body, touch="foot", frames=4)
    moving = simulate_release(
        feet, lambda pose: hf.loads.gravity_wrench(1.0, gravity, pose.apply(com)), body, touch="foot", frames=4
    )
    np.testing.assert_allclose(plain.frames[-1].com, moving.frames[-1].com, atol=1e-12)


def test_a_unit_of_which_some_points_have_opened_goes_on_with_the_others():
    """A heavy plate hangs from a pad beside its middle: it tips, and the pad peels from one side."""
    pad = hf.ForceVolume([block_of([-6.0, -6, -20], [0.0, 6, 40]), block_of([0.0, -6, -20], [6.0, 6, 40])])
    above = hf.Pose(np.diag([1.0, -1.0, -1.0]), np.zeros(3))
    patch = hf.Patch.rectangle(above, (0.2, 0.1), pad, name="pad")
    com = np.array([0.15, 0.0, -0.02])
    mass = mass_matrix(3.0, box_inertia(3.0, (0.3, 0.2, 0.04)), com)
    weight = np.concatenate([[0, 0, -3.0 * GRAVITY], np.cross(com, [0, 0, -3.0 * GRAVITY])])
    motion = simulate_release(hf.Assembly(patch.contacts), weight, mass, frames=12)
    partly = [f for f in motion.frames if f.answer is not None and 0 < len(f.touching) < 4]
    assert partly
    for frame in motion.frames:
        if frame.answer is not None:
            assert frame.answer.verify()
            pieces = frame.answer.pieces
            assert pieces is None or len(set(pieces.tolist())) == 1


def test_bad_questions_are_refused():
    feet = hf.Assembly([hf.Contact((0, 0, 0), UP, hf.models.coulomb(0.3))])
    body = mass_matrix(1.0, np.eye(3))
    with pytest.raises(InputError, match="assembly"):
        simulate_release([], np.zeros(6), body)
    with pytest.raises(InputError, match="rigid body"):
        simulate_release(feet, np.ones(6), np.diag([1.0, 2.0, 1.0, 1.0, 1.0, 1.0]))
    with pytest.raises(InputError, match="frames"):
        simulate_release(feet, np.ones(6), body, frames=0)
    with pytest.raises(InputError, match="step"):
        simulate_release(feet, np.ones(6), body, step=-1.0)
    with pytest.raises(InputError, match="clearance"):
        simulate_release(feet, np.ones(6), body, clearance=0.0)
    with pytest.raises(InputError, match=r"wrench\(pose\)"):
        simulate_release(feet, lambda pose: [1.0], body)
    with pytest.raises(UnknownNameError, match="Coulomb's law, |least acceleration"):
        simulate_release(feet, np.ones(6), body, principle="gravity")
    with pytest.raises(InputError, match="hf.separation"):
        simulate_release(hooks()[0], np.ones(6), body, principle="Coulomb's law")


def test_friction_cones_follow_coulomb_s_law_and_other_volumes_least_acceleration():
    """On a slope of 0.7 rad: g (sin - mu cos) along it by Coulomb's law; least acceleration lifts the block."""
    com = (0.0, 0.0, 0.02)
    feet = hf.Assembly([hf.Contact((x, y, 0), UP, CONE) for x in (-0.1, 0.1) for y in (-0.05, 0.05)])
    body, weight = mass_matrix(1.0, box_inertia(1.0, (0.2, 0.1, 0.04)), com), slope(0.7, com)
    lawful = simulate_release(feet, weight, body, touch="foot", frames=3, step=0.01)
    assert lawful.principle == lawful.to_dict()["principle"] == "Coulomb's law"
    slide = GRAVITY * (np.sin(0.7) - 0.5 * np.cos(0.7))
    for frame in lawful.frames:
        np.testing.assert_allclose(frame.acceleration, [slide, 0, 0, 0, 0, 0], atol=1e-8)
        assert [state.mode for state in frame.states] == ["slips"] * 4 and frame.answer.verify()
    np.testing.assert_allclose(lawful.frames[-1].com, [0.02, 0, 0.02], atol=1e-9)
    least = simulate_release(feet, weight, body, touch="foot", frames=3, principle="least acceleration")
    assert least.principle == "least acceleration" and least.frames[0].acceleration[2] > 0.1
    assembly, wrench = hooks()
    assert simulate_release(assembly, wrench, mass_matrix(0.3, 1e-3 * UP), frames=1).principle == "least acceleration"


def test_a_magnet_that_is_pulled_off_still_pulls_by_coulomb_s_law():
    """Adhesion acts with its full pull until the contact is open, then not at all."""
    ceiling = hf.frame_from_normal((0, 0, -1))
    hung = hf.Assembly([hf.Contact((0, 0, 0), ceiling, hf.models.magnet(6.0, 0.3))])
    weight = hf.loads.gravity_wrench(1.0, (0, 0, -GRAVITY), (0, 0, -0.1))
    motion = simulate_release(hung, weight, mass_matrix(1.0, 0.01 * UP, (0, 0, -0.1)), step=0.01)
    assert motion.principle == "Coulomb's law" and motion.end == "falls free"
    np.testing.assert_allclose(motion.frames[0].acceleration[2], 6.0 - GRAVITY, atol=1e-8)
    np.testing.assert_allclose(motion.frames[-1].acceleration[2], -GRAVITY, atol=1e-9)

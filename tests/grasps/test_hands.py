"""Hands come from files; what is missing, unknown or impossible in them is named.

Finger joints: forward and inverse agree, against a chain of rotations, and at the ends of the range.

Hand poses against brute force over the spread, against the fingertips' own equations, and at their limits.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from holdfast.errors import FileError, FrameError, InputError, UnknownNameError
from holdfast.grasps.criteria import deviations, evaluate
from holdfast.grasps.hands import (
    FOLDER,
    GraspHand,
    HandPoses,
    hand_names,
    load_hand,
    solve_hand,
)
from tests.grasps.hand_family import cross, family, left_first, random_grasps, solved, turned

BARRETT, GENERIC, JAW = (load_hand(name) for name in ("barrett", "generic", "parallel_jaw"))
TEXT = (FOLDER / "barrett.toml").read_text(encoding="utf-8")


def written(folder: Path, text: str) -> Path:
    path = folder / "own.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_three_hands_come_with_holdfast():
    assert hand_names() == ("barrett", "generic", "parallel_jaw")
    for name in hand_names():
        assert load_hand(name).name == name and load_hand(name).source


def test_the_barrett_hand_has_the_figures_of_the_grasp_model():
    assert (BARRETT.pivot_offset, BARRETT.longest_extension, BARRETT.eta) == (25.0, 150.0, 110.0)
    assert (BARRETT.spread_low, BARRETT.spread_high) == (np.deg2rad(2.0), np.deg2rad(88.0))
    assert BARRETT.fingers == 3 and BARRETT.virtual


def test_the_generic_hand_pivots_in_its_palm_centre_and_the_jaw_has_two_fingers():
    generic, jaw = load_hand("generic"), load_hand("parallel_jaw")
    assert generic.pivot_offset == 0.0 and not generic.virtual
    assert jaw.fingers == 2 and jaw.virtual and 2.0 * jaw.pivot_offset == jaw.fingertip_width


def test_a_hand_of_ones_own_is_a_file(tmp_path: Path):
    path = written(
        tmp_path, TEXT.replace('"barrett"', '"mine"').replace("pivot_offset_mm = 25.0", "pivot_offset_mm = 18")
    )
    mine = load_hand(str(path))
    assert mine == load_hand(path) == load_hand(mine)
    assert mine.name == "mine" and mine.pivot_offset == 18.0
    assert replace(mine, name="barrett", pivot_offset=25.0) == BARRETT


def test_an_unknown_hand_is_refused_with_the_nearest_one():
    with pytest.raises(UnknownNameError) as raised:
        load_hand("barret")
    assert raised.value.nearest == "barrett" and "parallel_jaw" in str(raised.value)


@pytest.mark.parametrize("hand", [None, 3, b"barrett", {"name": "barrett"}])
def test_what_is_no_hand_is_refused(hand: Any):
    with pytest.raises(InputError, match="hand"):
        load_hand(hand)


@pytest.mark.parametrize(
    "old, new, field",
    [
        ("pivot_offset_mm = 25.0", "", "pivot_offset_mm"),
        ("fingers = 3", "", "fingers"),
        ("virtual = true", "", "virtual"),
        ("spread_deg = [2.0, 88.0]", "", "spread_deg"),
        ("pivot_offset_mm = 25.0", "pivot_ofset_mm = 25.0", "pivot_ofset_mm"),
        ("fingers = 3", "fingers = 3\ncolour = 1", "colour"),
        ("pivot_offset_mm = 25.0", "pivot_offset_mm = -1.0", "pivot_offset"),
        ("pivot_offset_mm = 25.0", "pivot_offset_mm = 0.0", "pivot_offset"),
        ("pivot_offset_mm = 25.0", 'pivot_offset_mm = "wide"', "pivot_offset_mm"),
        ("pivot_offset_mm = 25.0", "pivot_offset_mm = nan", "pivot_offset_mm"),
        ("pivot_offset_mm = 25.0", "pivot_offset_mm = true", "pivot_offset_mm"),
        ("fingers = 3", "fingers = 5", "fingers"),
        ("fingers = 3", "fingers = true", "fingers"),
        ("virtual = true", "virtual = 1", "virtual"),
        ('name = "barrett"', "name = 3", "name"),
        ('name = "barrett"', 'name = ""', "name"),
        ("eta_mm = 110.0", "eta_mm = 0.0", "eta"),
        ("longest_extension_mm = 150.0", "longest_extension_mm = 0", "longest_extension"),
        ("spread_deg = [2.0, 88.0]", "spread_deg = [88.0, 2.0]", "spread"),
        ("spread_deg = [2.0, 88.0]", "spread_deg = [0.0, 88.0]", "spread"),
        ("spread_deg = [2.0, 88.0]", "spread_deg = [2.0, 90.0]", "spread"),
        ("spread_deg = [2.0, 88.0]", "spread_deg = 88.0", "spread_deg"),
        ("spread_deg = [2.0, 88.0]", 'spread_deg = [2.0, "x"]', "spread_deg"),
        ("fingers = 3", "fingers = = 3", "line"),
    ],
)
def test_a_fault_of_the_file_is_named(tmp_path: Path, old: str, new: str, field: str):
    assert old in TEXT
    path = written(tmp_path, TEXT.replace(old, new, 1))
    with pytest.raises(FileError, match=field.replace(".", r"\.")) as raised:
        load_hand(path)
    assert str(path) in str(raised.value) and raised.value.fix


def test_the_joints_of_older_files_are_not_used(tmp_path: Path):
    older = TEXT + '[kinematics]\nkind = "slide"\nheight_mm = 100.0\n'
    assert load_hand(written(tmp_path, older)) == BARRETT


def test_two_fingers_need_virtual_grasps(tmp_path: Path):
    jaw = load_hand("parallel_jaw")
    with pytest.raises(InputError, match="virtual"):
        replace(jaw, virtual=False)


def test_files_that_are_none_are_named(tmp_path: Path):
    for path, words in ((tmp_path / "none.toml", "there is no such file"), (tmp_path, "is a folder")):
        with pytest.raises(FileError, match=words):
            load_hand(path)
    (tmp_path / "noise.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileError, match="not a text file"):
        load_hand(tmp_path / "noise.toml")


def test_hands_are_values():
    assert isinstance(BARRETT, GraspHand) and hash(BARRETT) == hash(load_hand("barrett"))


def test_a_whole_number_of_fingers_is_kept_as_one(tmp_path: Path):
    hand = load_hand(written(tmp_path, TEXT.replace("fingers = 3", "fingers = 3.0")))
    assert hand == BARRETT and type(hand.fingers) is int
    with pytest.raises(FileError, match="fingers"):
        load_hand(written(tmp_path, TEXT.replace("fingers = 3", "fingers = 2.5")))


@pytest.mark.parametrize("entry", ["eta_mm", "pivot_offset_mm", "palm_radius_mm"])
def test_a_negative_length_is_refused_by_the_name_of_its_entry(tmp_path: Path, entry: str):
    lines = [f"{entry} = -5.0" if line.startswith(f"{entry} ") else line for line in TEXT.splitlines()]
    with pytest.raises(FileError, match=entry):
        load_hand(written(tmp_path, "\n".join(lines)))


DISC = 50.0 * np.array([[0.0, -1.0], [-np.sqrt(0.75), 0.5], [np.sqrt(0.75), 0.5]])
BAR = np.array([[3.0, -15.0], [-22.0, 15.0], [28.0, 15.0]])
BAR_NORMALS = np.array([[0.0, 1.0], [0.0, -1.0], [0.0, -1.0]])


def sum_of_squares(poses: HandPoses, normals: np.ndarray) -> np.ndarray:
    return (deviations(poses.forces, normals) ** 2).sum(axis=1)


@pytest.mark.parametrize("hand", [BARRETT, GENERIC], ids=lambda hand: hand.name)
def test_no_spread_within_reach_has_smaller_deviations(hand: GraspHand):
    contacts, normals = random_grasps(np.random.default_rng(21), 250)
    poses = solve_hand(contacts=contacts, normals=normals, hand=hand)
    have = sum_of_squares(poses, normals)
    spreads = np.linspace(hand.spread_low, hand.spread_high, 4001)
    limited = 0
    for row in range(250):
        total, extensions = family(contacts[row], normals[row], spreads, hand.pivot_offset)
        inside = ((extensions >= hand.closest_extension) & (extensions <= hand.longest_extension)).all(axis=1)
        if poses.reachable[row]:
            assert (poses.extensions[row] >= hand.closest_extension).all() and (
                poses.extensions[row] <= hand.longest_extension
            ).all()
            assert not inside.any() or have[row] <= total[inside].min() + 1e-10
            limited += bool(
                (poses.extensions[row] == hand.closest_extension).any() or (poses.extensions[row] == 150.0).any()
            )
        else:
            assert not inside.any() and have[row] <= total.min() + 1e-10
    assert limited > 5 and 0 < poses.reachable.sum() < 250


@pytest.mark.parametrize("hand", [BARRETT, GENERIC], ids=lambda hand: hand.name)
def test_the_pose_puts_every_fingertip_on_its_contact_and_its_lines_of_force_meet(hand: GraspHand):
    contacts, normals = random_grasps(np.random.default_rng(22), 300)
    poses = solve_hand(contacts=contacts, normals=normals, hand=hand)
    tips = poses.pivots() - poses.forces * poses.extensions[..., None]
    rows = poses.reachable
    assert np.abs(tips - contacts)[rows].max() < 1e-9
    assert np.abs(np.linalg.norm(poses.forces, axis=2) - 1.0).max() < 1e-14
    lever = cross(poses.real_focus[:, None, :] - contacts, poses.forces)
    assert np.abs(lever[rows]).max() < 1e-8
    assert poses.yaw == pytest.approx(np.arctan2(poses.thumb_axis[:, 1], poses.thumb_axis[:, 0]))
    assert poses.forces[:, 0] == pytest.approx(poses.thumb_axis)
    away = hand.pivot_offset / np.tan(poses.spread)[:, None] * poses.thumb_axis
    assert np.abs(poses.real_focus - (poses.palm - away))[rows].max() < 1e-9


@pytest.mark.parametrize("hand", [BARRETT, GENERIC], ids=lambda hand: hand.name)
def test_the_closed_form_and_the_equations_of_the_fingertips_give_the_same_pose(hand: GraspHand):
    contacts, normals = random_grasps(np.random.default_rng(23), 120)
    poses = solve_hand(contacts=contacts, normals=normals, hand=hand)
    rng = np.random.default_rng(24)
    for row in np.flatnonzero(poses.reachable)[:30]:
        left, right = left_first(contacts[row])
        pose = np.array([*poses.palm[row], poses.yaw[row], *poses.extensions[row, [0, left, right]]])
        guess = pose + rng.normal(size=6) * [2.0, 2.0, 0.02, 2.0, 2.0, 2.0]
        assert solved(contacts[row], poses.spread[row], hand.pivot_offset, guess) == pytest.approx(pose, abs=1e-7)


def test_the_best_spread_is_found_to_the_last_digits():
    contacts, normals = random_grasps(np.random.default_rng(25), 400)
    poses = solve_hand(contacts=contacts, normals=normals, hand=GENERIC)
    checked = 0
    for row in np.flatnonzero(poses.reachable):
        theta, reach = poses.spread[row], poses.extensions[row]
        inner = np.radians(2.5) < theta < np.radians(87.5) and (reach > 1.0).all() and (reach < 149.0).all()
        if not inner or sum_of_squares(poses, normals)[row] > 4.0:
            continue
        # A parabola through three points far apart, made symmetric, puts the minimum where the pose has it.
        step = 1e-3
        around, _ = family(contacts[row], normals[row], theta + step * np.array([-2.0, -1.0, 0.0, 1.0, 2.0]), 0.0)
        slope = (around[0] - 8.0 * around[1] + 8.0 * around[3] - around[4]) / (12.0 * step)
        bend = (around[1] - 2.0 * around[2] + around[3]) / step**2
        assert bend > 0.0 and abs(slope / bend) < 1e-7
        checked += 1
    assert checked > 50


def test_an_equilateral_grasp_of_a_disc_spreads_the_fingers_by_sixty_degrees():
    for hand in (BARRETT, GENERIC):
        pose = solve_hand(contacts=DISC, normals=-DISC / 50.0, hand=hand)
        a = hand.pivot_offset
        assert pose.spread[0] == pytest.approx(np.pi / 3, abs=1e-12)
        assert pose.real_focus[0] == pytest.approx([0.0, 0.0], abs=1e-12)
        assert pose.palm[0] == pytest.approx([0.0, a / np.tan(np.pi / 3)], abs=1e-12)
        fingers = 50.0 - a / np.sin(np.pi / 3)
        assert pose.extensions[0] == pytest.approx([50.0 + a / np.tan(np.pi / 3), fingers, fingers], abs=1e-12)
        assert pose.yaw[0] == pytest.approx(np.pi / 2, abs=1e-12)
        assert pose.reachable[0] and pose.reason == ("",)


def test_the_order_of_the_two_fingers_does_not_matter():
    contacts, normals = random_grasps(np.random.default_rng(26), 60)
    order = [0, 2, 1]
    one = solve_hand(contacts=contacts, normals=normals)
    other = solve_hand(contacts=contacts[:, order], normals=normals[:, order])
    assert other.spread == pytest.approx(one.spread, abs=1e-12)
    assert other.forces[:, order] == pytest.approx(one.forces, abs=1e-10)
    assert other.extensions[:, order] == pytest.approx(one.extensions, abs=1e-7)
    assert np.abs(other.pivots()[:, order] - one.pivots()).max() < 1e-7


def test_turning_shifting_and_mirroring_move_the_pose_along():
    contacts, normals = random_grasps(np.random.default_rng(27), 120)
    for hand in (BARRETT, GENERIC):
        before = solve_hand(contacts=contacts, normals=normals, hand=hand)
        for sign in (1.0, -1.0):
            flip = np.array([sign, 1.0])
            after = solve_hand(
                contacts=turned(contacts * flip, 1.1) + [30.0, -70.0], normals=turned(normals * flip, 1.1), hand=hand
            )
            assert np.array_equal(after.reachable, before.reachable)
            assert after.spread == pytest.approx(before.spread, abs=1e-9)
            assert after.extensions == pytest.approx(before.extensions, rel=1e-8, abs=1e-6)
            assert after.palm == pytest.approx(turned(before.palm * flip, 1.1) + [30.0, -70.0], rel=1e-8, abs=1e-6)


def test_a_virtual_pose_stands_midway_with_parallel_fingers():
    pose = solve_hand(contacts=BAR, normals=BAR_NORMALS, virtual=[True])
    assert pose.reachable[0] and pose.spread[0] == 0.0
    assert pose.palm[0] == pytest.approx([3.0, 0.0]) and pose.yaw[0] == pytest.approx(np.pi / 2)
    assert pose.extensions[0] == pytest.approx([15.0, 15.0, 15.0])
    assert pose.forces[0] == pytest.approx(BAR_NORMALS)
    assert np.isnan(pose.real_focus).all()
    assert pose.pivots()[0] == pytest.approx(np.array([[3.0, 0.0], [-22.0, 0.0], [28.0, 0.0]]))


def test_a_virtual_pose_on_a_wedge_halves_the_angle_and_averages_the_extensions():
    tilt = 0.2
    normal_a, normal_b = turned(np.array([0.0, 1.0]), tilt), turned(np.array([0.0, -1.0]), -tilt)
    # h is up, so the fingers touch at x = -/+ 25, where the upper face through (0, 15) has the heights below.
    slope = -normal_b[0] / normal_b[1]
    contacts = np.array([[0.0, -15.0], [-25.0, 15.0 - 25.0 * slope], [25.0, 15.0 + 25.0 * slope]])
    pose = solve_hand(contacts=contacts, normals=np.array([normal_a, normal_b, normal_b]), virtual=[True])
    assert pose.reachable[0] and pose.thumb_axis[0] == pytest.approx([0.0, 1.0], abs=1e-15)
    e1, e2, e3 = pose.extensions[0]
    assert e1 == pytest.approx((e2 + e3) / 2) and e2 - e3 == pytest.approx(-50.0 * slope)
    assert deviations(pose.forces[0], [normal_a, normal_b, normal_b]) == pytest.approx([tilt] * 3)
    assert np.abs(pose.pivots()[0] - pose.forces[0] * pose.extensions[0][:, None] - contacts).max() < 1e-12


@pytest.mark.parametrize(
    "contacts, normals, virtual, hand, reason",
    [
        (BAR, BAR_NORMALS, True, GENERIC, "no virtual two-finger"),
        (DISC, -DISC / 50.0, False, JAW, "only virtual two-finger grasps"),
        (BAR * [0.8, 1.0], BAR_NORMALS, True, BARRETT, "50 mm apart"),
        (BAR + [[40.0, 0.0], [0.0, 0.0], [0.0, 0.0]], BAR_NORMALS, True, BARRETT, "50 mm apart"),
        (BAR, np.tile([0.0, 1.0], (3, 1)), True, BARRETT, "do not face"),
        (BAR * [1.0, 12.0], BAR_NORMALS, True, BARRETT, "thumb would need 180 mm of 150 mm"),
        (BAR * [1.0, -1.0], BAR_NORMALS, True, BARRETT, "behind its pivot"),
        (np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]), -DISC / 50.0, False, BARRETT, "in a line"),
        (np.array([[0.0, 0.0], [3.0, 1.0], [3.0, 1.0]]), -DISC / 50.0, False, BARRETT, "coincide"),
        (DISC / 10.0, -DISC / 50.0, False, replace(BARRETT, closest_extension=0.0), "behind its pivot"),
        (DISC / 10.0, -DISC / 50.0, False, replace(BARRETT, closest_extension=-10.0), "24 mm behind its pivot"),
        (DISC * 20.0, -DISC / 50.0, False, GENERIC, "thumb would need 1000 mm of 150 mm"),
    ],
)
def test_a_hand_that_cannot_says_why(contacts, normals, virtual, hand, reason):
    poses = solve_hand(contacts=contacts, normals=normals, virtual=[virtual], hand=hand)
    assert not poses.reachable[0] and reason in poses.reason[0]


def test_a_parallel_jaw_closes_both_jaws_alike_on_parallel_faces():
    contacts = np.array([[0.0, -20.0], [-10.0, 20.0], [10.0, 20.0]])
    pose = solve_hand(contacts=contacts, normals=BAR_NORMALS, virtual=[True], hand=JAW)
    assert pose.reachable[0] and pose.extensions[0] == pytest.approx([20.0] * 3)
    wide = solve_hand(contacts=contacts * [1.0, 3.0], normals=BAR_NORMALS, virtual=[True], hand=JAW)
    assert not wide.reachable[0] and "of 42.5 mm" in wide.reason[0]


def test_mixed_grasps_keep_their_rows():
    contacts = np.stack([DISC, BAR, DISC])
    normals = np.stack([-DISC / 50.0, BAR_NORMALS, -DISC / 50.0])
    for hand, reachable in ((BARRETT, [True] * 3), (GENERIC, [True, False, True])):
        poses = solve_hand(contacts=contacts, normals=normals, virtual=[False, True, False], hand=hand)
        assert poses.reachable.tolist() == reachable and len(poses) == 3
        assert poses.spread[[0, 2]] == pytest.approx(np.pi / 3)
    only = solve_hand(
        contacts=np.stack([DISC, BAR]), normals=normals[:2], virtual=[False, True], hand=replace(JAW, pivot_offset=25.0)
    )
    assert only.reachable.tolist() == [False, True] and np.isnan(only.palm[0]).all()


def test_a_pose_is_scored_as_it_comes():
    poses = solve_hand(
        contacts=np.stack([DISC, BAR]), normals=np.stack([-DISC / 50.0, BAR_NORMALS]), virtual=[False, True]
    )
    regions = np.stack([np.stack([c - [8.0, 0.0], c + [8.0, 0.0]], axis=1) for c in (DISC, BAR)])
    scores = evaluate(
        contacts_mm=np.stack([DISC, BAR]), inward_normals=np.stack([-DISC / 50.0, BAR_NORMALS]), regions_mm=regions,
        region_curvature=np.zeros((2, 3)), force_directions=poses.forces, grasp_focus_mm=[[0.0, 0.0], [3.0, 0.0]],
        real_focus_mm=poses.real_focus, extensions_mm=poses.extensions, spread_rad=poses.spread,
        virtual_two_finger=[False, True], area_mm2=5000.0, centroid_mm=[0.0, 0.0], major_axis_mm=90.0, minor_axis_mm=80.0,
    )  # fmt: skip
    assert scores["valid"].all() and scores["C1"] == pytest.approx([0.0, 0.0], abs=1e-12)


def test_no_grasps_have_no_poses():
    poses = solve_hand(contacts=np.zeros((0, 3, 2)), normals=np.zeros((0, 3, 2)))
    assert len(poses) == 0 and poses.reason == ()


@pytest.mark.parametrize(
    "change, kind",
    [
        ({"contacts": DISC * np.nan}, InputError),
        ({"contacts": DISC[:2]}, InputError),
        ({"contacts": np.stack([DISC, DISC])}, InputError),
        ({"contacts": None}, InputError),
        ({"normals": -DISC}, FrameError),
        ({"normals": DISC * 0.0}, FrameError),
        ({"virtual": [1]}, InputError),
        ({"virtual": [True, False]}, InputError),
        ({"hand": 3}, InputError),
        ({"hand": "baret"}, InputError),
    ],
)
def test_bad_input_is_refused(change, kind):
    with pytest.raises(kind):
        solve_hand(**{"contacts": DISC, "normals": -DISC / 50.0, **change})

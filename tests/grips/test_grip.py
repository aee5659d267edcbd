from __future__ import annotations

import math
import pickle
from dataclasses import FrozenInstanceError, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import GeometryError, InputError, UnitError
from holdfast.geometry.frames import Pose, rotation_about, skew
from holdfast.grips import Grip, GripBounds, GripMetadata, OuterGrip, coulomb_grip, inner_subset, outer_subset
from holdfast.grips.grip import (
    HAND_LENGTH,
    check_ends,
    checked_gravity,
    checked_length,
    checked_planes,
    checked_pose,
    checked_rays,
    checked_vertices,
    length_of,
    mirror_map,
    pose_rows,
)
from holdfast.solvers import Status
from tests.grips.proofs import proves


def test_everything_may_be_unknown_and_facts_compare_by_what_they_say() -> None:
    assert GripMetadata() == GripMetadata() and GripMetadata().seed is None
    assert GripMetadata(seed=2**100).seed == 2**100
    assert GripMetadata(inner_error=math.inf).inner_error == math.inf


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"seed": -1}, "seed: is -1"),
        ({"n": 1.5}, "n: is 1.5"),
        ({"inner_error": math.nan}, "inner_error: is nan"),
        ({"outer_error": -0.1}, "outer_error: is -0.1"),
        ({"concavity": "much"}, "concavity: is not a number"),
        ({"acting": "sideways"}, "acting: is 'sideways'"),
        ({"method": 3}, "method: is a int"),
        ({"asked": -2}, "asked: is -2"),
        ({"wanted_gap": -0.5}, "wanted_gap: is -0.5"),
        ({"reached_gap": math.nan}, "reached_gap: is nan"),
        ({"palm": ((1.0, 0.0), (0.0, 1.0))}, "palm: has shape"),
        ({"palm": 2.0 * np.eye(4)[:3]}, "palm: its columns have lengths"),
        ({"derived": None}, "derived: is a NoneType"),
    ],
)
def test_facts_that_cannot_be_are_refused(entries: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        GripMetadata(**entries)


def test_a_gap_is_missed_only_when_one_was_wanted() -> None:
    assert GripMetadata(wanted_gap=0.1, reached_gap=0.2).misses_its_gap
    assert not GripMetadata(wanted_gap=0.2, reached_gap=0.2).misses_its_gap
    assert not GripMetadata(reached_gap=math.inf).misses_its_gap


def test_changes_are_told_and_the_palm_goes_along() -> None:
    palm = Pose(rotation_about([1, 0, 0], 0.3), [0.1, 0.2, 0.3])
    there = Pose(rotation_about([0, 1, 2], 1.1), [-1.0, 0.0, 0.5])
    metadata = GripMetadata(model_hash="abc", palm=pose_rows(palm))
    moved = metadata.moved(there)
    assert moved.palm_pose is not None
    point = np.array([0.7, -0.2, 0.4])  # of the palm frame: the new frame has it elsewhere, the assembly does not
    np.testing.assert_allclose(moved.palm_pose.apply(there.apply(point)), palm.apply(point), atol=1e-12)
    assert (moved.derived, moved.model_hash) == ("moved", "abc")
    twice = moved.changed("scaled by 2")
    assert (twice.derived, twice.palm, twice.palm_pose) == ("moved, scaled by 2", None, None)
    assert GripMetadata().moved(there).palm is None


def test_vertices_must_be_there_finite_and_of_sizes_that_occur() -> None:
    bad = np.zeros((3, 6))
    bad[1, 4] = np.nan
    for value, kind, message in (
        (np.zeros((0, 6)), GeometryError, "vertices: is empty"),
        (np.zeros((3, 5)), InputError, r"shape must be \(n, 6\)"),
        (np.zeros(6), InputError, "has shape"),
        (bad, InputError, r"vertices\[1, 4\]: is nan"),
        (np.full((2, 6), 1e13), UnitError, r"vertices\[0\]: has a part of 1e\+13.*has rays"),
        (np.full((2, 6), 1e-14), UnitError, "vertices: have no part above 1e-14"),
        ("wrenches", InputError, "not an array of numbers"),
    ):
        with pytest.raises(kind, match=message):
            checked_vertices(value)
    assert checked_vertices(np.zeros((1, 6))).shape == (1, 6)


def test_rays_must_have_a_direction() -> None:
    assert checked_rays(None).shape == checked_rays([]).shape == (0, 6)
    for value, message in (
        (np.eye(6)[[0, 1]] * [[1], [0]], r"rays\[1\]: is the zero vector"),
        (np.eye(6)[:2] * 1e-13, r"rays\[0\]: has a largest part of 1e-13"),
        (np.eye(6)[:2] * 1e13, r"rays\[0\]: .*scale it"),
        ([[np.inf, 0, 0, 0, 0, 0]], r"rays\[0, 0\]: is inf"),
        (np.ones((2, 3)), "shape must be"),
    ):
        with pytest.raises(InputError, match=message):
            checked_rays(value)


def test_planes_need_a_normal_each_and_one_offset_a_normal() -> None:
    for normals, offsets, message in (
        (np.zeros((1, 6)), [1.0], r"normals\[0\]: is the zero vector"),
        (np.eye(6), [1.0], "offsets: has shape"),
        (np.eye(6)[:1], [np.nan], r"offsets\[0\]: is nan"),
        (np.eye(6)[:1], [1e13], r"offsets\[0\]: lies 1e\+13 from the origin"),
    ):
        with pytest.raises(InputError, match=message):
            checked_planes(normals, offsets)


def test_the_length_is_that_by_which_torques_outgrow_forces() -> None:
    rng = np.random.default_rng(0)
    forces = rng.standard_normal((4000, 3))
    wrenches = np.concatenate([forces, 0.25 * rng.standard_normal((4000, 3))], axis=1)
    assert length_of(wrenches) == pytest.approx(0.25, rel=0.05)
    assert length_of(wrenches + 100.0) == pytest.approx(length_of(wrenches))  # where the set stands does not matter
    for silent in (np.zeros((2, 6)), np.ones((1, 6)), np.eye(6)[:3], np.eye(6)[3:]):
        assert length_of(silent) == HAND_LENGTH


@pytest.mark.parametrize("length", [0.0, -1.0, 1e-9, 1e7, np.nan, "long"])
def test_lengths_that_no_hand_has_are_refused(length: float) -> None:
    with pytest.raises(InputError, match="length: is"):
        checked_length(length)


def test_gravity_and_poses_are_checked() -> None:
    assert checked_gravity(None) is None
    with pytest.raises(InputError, match=r"palm_gravity: has shape \(2,\)"):
        checked_gravity([0.0, 1.0])
    with pytest.raises(InputError, match="pose: is a tuple"):
        checked_pose((np.eye(3), np.zeros(3)))  # pyright: ignore[reportArgumentType]


def test_the_mirror_is_that_of_a_force_at_a_point() -> None:
    rng = np.random.default_rng(1)
    normal, point = rng.standard_normal(3), rng.standard_normal(3)
    unit = normal / np.linalg.norm(normal)
    mirror = mirror_map(normal, point)
    for _ in range(5):
        place, force = rng.standard_normal((2, 3))
        image = place - 2.0 * unit * (unit @ (place - point))
        turned = force - 2.0 * unit * (unit @ force)
        wrench = np.concatenate([force, np.cross(place, force)])
        np.testing.assert_allclose(mirror @ wrench, np.concatenate([turned, np.cross(image, turned)]), atol=1e-12)
    np.testing.assert_allclose(mirror @ mirror, np.eye(6), atol=1e-12)


# What both kinds of grips share: equality by content, pickles, frames.

LOWER, UPPER = -np.arange(1.0, 7.0), np.arange(2.0, 8.0)
KINDS = [Grip, OuterGrip]


@pytest.mark.parametrize("kind", KINDS)
def test_sets_are_equal_by_content_whatever_they_are_called(kind):
    one = kind.box(LOWER, UPPER, label="left")
    assert one == kind.box(LOWER, UPPER, label="right") and hash(one) == hash(one.with_label("right"))
    assert one != kind.box(LOWER, UPPER + 1.0) and one != one.with_length(0.3)
    assert pickle.loads(pickle.dumps(one)) == one


def test_the_two_kinds_are_never_equal():
    assert Grip.box(LOWER, UPPER) != OuterGrip.box(LOWER, UPPER)


@pytest.mark.parametrize("kind", KINDS)
def test_a_set_that_is_moved_and_moved_back_or_mirrored_twice_reaches_as_far_as_before(kind):
    one = kind.box(LOWER, UPPER)
    pose = Pose(rotation_about((1, 2, 3), 0.7), np.array([0.3, -0.2, 0.1]))
    ways = np.random.default_rng(0).normal(size=(8, 6))
    for again in (one.moved(pose).moved(pose.inverse()), one.mirrored((1, 1, 0)).mirrored((1, 1, 0))):
        assert again.support(ways) == pytest.approx(one.support(ways), rel=1e-9)
        assert again.metadata.derived and not one.metadata.derived


def test_vertices_and_half_spaces_of_a_box_stay_the_same_set_when_they_move():
    pose = Pose(rotation_about((0, 1, 1), -1.1), np.array([0.0, 0.5, 0.2]))
    inner, outer = Grip.box(LOWER, UPPER), OuterGrip.box(LOWER, UPPER)
    ways = np.random.default_rng(1).normal(size=(8, 6))
    for one, other in ((inner.moved(pose), outer.moved(pose)), (inner.mirrored(), outer.mirrored())):
        assert one.support(ways) == pytest.approx(other.support(ways), rel=1e-9)


def test_ends_the_wrong_way_round_are_named():
    with pytest.raises(InputError, match=r"lower\[1\]: is 2, above the upper end 1"):
        check_ends(np.array([0.0, 2.0, 0, 0, 0, 0]), np.ones(6))


RNG = np.random.default_rng(0)
HAND = Grip(RNG.standard_normal((60, 6)) * np.repeat([20.0, 2.0], 3), label="hand")
FOOT = Grip(np.zeros((1, 6)), [[0.5, 0, 1, 0, 0, 0], [-0.5, 0, 1, 0, 0, 0.1], [0, 0.5, 1, 0.1, 0, 0]])
POSE = Pose(rotation_about([1.0, 2.0, -0.5], 0.7), [0.3, -1.0, 2.0])


def test_what_goes_in_is_checked_and_cannot_be_changed() -> None:
    for arguments, message in (
        ({"vertices": [[np.nan] * 6]}, r"vertices\[0, 0\]: is nan"),
        ({"vertices": []}, "vertices: has shape"),
        ({"vertices": np.zeros((0, 6))}, "vertices: is empty"),
        ({"vertices": np.ones((2, 6)), "rays": [[0] * 6]}, r"rays\[0\]: is the zero vector"),
        ({"vertices": np.ones((2, 6)), "label": 3}, "label: is a int"),
        ({"vertices": np.ones((2, 6)), "metadata": {}}, "metadata: is a dict"),
        ({"vertices": np.ones((2, 6)), "length": 0.0}, "length: is 0 m"),
        ({"vertices": np.ones((2, 6)), "palm_gravity": [0, 0, np.inf]}, r"palm_gravity\[2\]: is inf"),
    ):
        with pytest.raises(InputError, match=message):
            Grip(**arguments)  # pyright: ignore[reportArgumentType]
    with pytest.raises(FrozenInstanceError):
        HAND.label = "other"  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(ValueError, match="read-only"):
        HAND.vertices[0, 0] = 1.0


def test_equality_is_that_of_the_wrenches_not_of_names() -> None:
    same = Grip(HAND.vertices.copy(), length=HAND.length, label="another", metadata=GripMetadata(seed=4))
    assert same == HAND and hash(same) == hash(HAND)
    assert HAND.scaled(1.0 + 1e-15) != HAND and HAND != "hand"
    assert HAND.with_length(0.2) != HAND
    tilted = Grip(HAND.vertices, length=HAND.length, palm_gravity=[0, 0, -9.81])
    assert tilted != HAND
    assert Grip([[0.0] * 6]) == Grip([[-0.0] * 6])


def test_another_process_gets_the_same_grip_without_its_tables() -> None:
    held = HAND.fingerprint
    copy = pickle.loads(pickle.dumps(HAND))
    assert copy == HAND and copy.fingerprint == held and "fingerprint" not in HAND.__getstate__()


@given(st.integers(0, 2**32 - 1))
def test_the_support_is_the_largest_product_over_combinations(seed: int) -> None:
    rng = np.random.default_rng(seed)
    directions = rng.standard_normal((8, 6))
    values = HAND.support(directions)
    mixed = rng.dirichlet(np.ones(60), 50) @ HAND.vertices
    assert (mixed @ directions.T <= values + 1e-9 * HAND.size).all()
    np.testing.assert_allclose((HAND.support_points(directions) * directions).sum(axis=1), values)
    assert HAND.support(directions[0]).shape == () and HAND.support(directions.reshape(2, 4, 6)).shape == (2, 4)


def test_support_is_endless_along_rays_and_finite_against_them() -> None:
    assert FOOT.support([0, 0, 1, 0, 0, 0]) == np.inf and FOOT.support([0, 0, -1, 0, 0, 0]) == 0.0
    assert FOOT.support([2.0, 0, -1, 0, 0, 0]) == 0.0  # level with the first ray
    assert FOOT.support([2.0 + 1e-6, 0, -1, 0, 0, 0]) == np.inf
    assert not FOOT.is_bounded and HAND.is_bounded


@pytest.mark.parametrize("grip", [HAND, FOOT], ids=["polytope", "cone"])
def test_a_moved_grip_is_what_the_palm_gives_in_the_world(grip: Grip) -> None:
    moved = grip.moved(POSE)
    r, t = POSE.rotation, POSE.translation
    transport = np.block([[r, np.zeros((3, 3))], [skew(t) @ r, r]])  # (13)
    y = np.random.default_rng(2).standard_normal((20, 6))
    np.testing.assert_allclose(moved.support(y), grip.support(y @ transport), rtol=1e-12, atol=1e-9)
    back = moved.moved(POSE.inverse())
    np.testing.assert_allclose(back.vertices, grip.vertices, atol=1e-12 * grip.size)
    assert (moved.label, moved.length) == (grip.label, grip.length)


def test_gravity_turns_and_is_mirrored_with_the_palm() -> None:
    grip = Grip(HAND.vertices, palm_gravity=[1.0, 2.0, -9.0])
    moved, mirrored = grip.moved(POSE).palm_gravity, grip.mirrored([0, 1, 0]).palm_gravity
    assert moved is not None and mirrored is not None
    np.testing.assert_allclose(moved, POSE.rotation @ [1.0, 2.0, -9.0])
    np.testing.assert_allclose(mirrored, [1.0, -2.0, -9.0])


def test_mirrored_twice_is_the_same_hand() -> None:
    twice = HAND.mirrored([1, 2, 3], [0.1, 0.2, 0.3]).mirrored([1, 2, 3], [0.1, 0.2, 0.3])
    np.testing.assert_allclose(twice.vertices, HAND.vertices, atol=1e-12 * HAND.size)


def test_a_safety_factor_scales_vertices_and_leaves_cones() -> None:
    assert HAND.scaled(0.5).support(np.eye(6)) == pytest.approx(0.5 * HAND.support(np.eye(6)))
    assert FOOT.scaled(0.5) == FOOT
    for factor in (0.0, -1.0, np.nan):
        with pytest.raises(InputError, match="factor"):
            HAND.scaled(factor)


def test_a_box_has_its_corners_and_a_point_itself() -> None:
    lower, upper = [-1, -2, 0, 0, 0, -0.1], [1, 2, 5, 0, 0, 0.1]
    box = Grip.box(lower, upper)
    assert box.vertices.shape == (16, 6)
    np.testing.assert_array_equal(box.support(np.eye(6)), upper)
    np.testing.assert_array_equal(-box.support(-np.eye(6)), lower)
    with pytest.raises(InputError, match=r"lower\[2\]: is 9, above the upper end 5"):
        Grip.box([-1, -2, 9, 0, 0, 0], upper)
    assert Grip.point([1, 2, 3, 0, 0, 0]).vertices.tolist() == [[1, 2, 3, 0, 0, 0]]


def test_the_length_is_taken_from_the_wrenches_or_given() -> None:
    assert HAND.length == pytest.approx(0.1, rel=0.2)
    assert FOOT.length == pytest.approx(np.sqrt(0.02 / 3.75), rel=0.2)  # from its rays
    assert Grip.point(np.ones(6)).length == 0.1 and Grip(HAND.vertices, length=0.4).length == 0.4


def test_thinning_keeps_the_set() -> None:
    inside = np.random.default_rng(5).dirichlet(np.ones(60), 20) @ HAND.vertices
    thinned = Grip(np.concatenate([inside, HAND.vertices])).thinned()
    corners = {tuple(row) for row in thinned.vertices}
    assert corners <= {tuple(row) for row in HAND.vertices}
    y = np.random.default_rng(6).standard_normal((200, 6))
    np.testing.assert_allclose(thinned.support(y), HAND.support(y), rtol=1e-12)
    doubled = Grip(np.zeros((2, 6)), np.concatenate([FOOT.rays, FOOT.rays.sum(axis=0, keepdims=True), 2 * FOOT.rays]))
    assert len(doubled.thinned().vertices) == 1
    np.testing.assert_array_equal(doubled.thinned().rays, FOOT.rays)


def test_tables_for_the_solvers_are_made_once() -> None:
    assert HAND.prepared is HAND.prepared
    assert repr(HAND) == "Grip('hand', 60 vertices)" and repr(FOOT) == "Grip(1 vertices, 3 rays)"


UPPER_OF_BOX = np.array([30.0, 20.0, 50.0, 2.0, 3.0, 1.0])
LOWER_OF_BOX = np.array([-10.0, -20.0, 0.0, -2.0, -1.0, -1.0])
BOX = OuterGrip.box(LOWER_OF_BOX, UPPER_OF_BOX, label="box")
POSE_OF_BOX = Pose(rotation_about([1.0, -2.0, 0.5], 1.1), [0.2, 0.5, -0.4])


def test_what_goes_in_is_checked() -> None:
    for normals, offsets, message in (
        (np.full((1, 6), np.nan), [1.0], r"normals\[0, 0\]: is nan"),
        (np.eye(6), np.ones(5), "offsets: has shape"),
        (np.zeros((1, 6)), [1.0], "is the zero vector"),
    ):
        with pytest.raises(InputError, match=message):
            OuterGrip(normals, offsets)
    with pytest.raises(InputError, match=r"lower\[0\]: is 1, above"):
        OuterGrip.box(np.ones(6), np.zeros(6))


def test_supports_of_a_box_are_those_of_its_corners() -> None:
    y = np.random.default_rng(0).standard_normal((30, 6))
    corners = Grip.box(LOWER_OF_BOX, UPPER_OF_BOX)
    np.testing.assert_allclose(BOX.support(y), corners.support(y), rtol=1e-9)
    np.testing.assert_allclose((BOX.support_points(y) * y).sum(axis=1), corners.support(y), rtol=1e-9)
    assert BOX.support(y[0]).shape == () and BOX.is_bounded and not BOX.is_empty


def test_membership_names_the_plane_that_is_crossed_most() -> None:
    assert BOX.contains(UPPER_OF_BOX) and BOX.contains(LOWER_OF_BOX)
    answer = BOX.contains([0, 0, 0, 0, 0, -1.5])
    assert not answer and answer.separator is not None
    np.testing.assert_array_equal(answer.separator, -np.eye(6)[5])
    assert answer.support == 1.0 and answer.excess == pytest.approx(0.5)


def test_open_empty_and_endless_sets_say_what_they_are() -> None:
    half = OuterGrip.box([-np.inf] * 6, [*UPPER_OF_BOX[:5], np.inf])
    assert len(half.normals) == 5 and not half.is_bounded and not half.is_empty
    assert half.support(np.eye(6)[5]) == np.inf and half.support(-np.eye(6)[0]) == np.inf
    assert half.support(np.eye(6)[2]) == pytest.approx(50.0)
    nothing = OuterGrip([np.eye(6)[0], -np.eye(6)[0]], [1.0, -2.0])
    assert nothing.is_empty and nothing.support(np.eye(6)[0]) == -np.inf
    everything = OuterGrip(np.zeros((0, 6)), [])
    assert (
        everything.contains(UPPER_OF_BOX) and everything.support(np.eye(6)[0]) == np.inf and not everything.is_bounded
    )


@pytest.mark.parametrize("way", ["moved", "mirrored", "scaled"])
def test_outer_grips_go_where_grips_go(way: str) -> None:
    corners = Grip.box(LOWER_OF_BOX, UPPER_OF_BOX)
    made = {
        "moved": lambda grip: grip.moved(POSE_OF_BOX),
        "mirrored": lambda grip: grip.mirrored([1, 1, 0], [0.1, 0, 0]),
        "scaled": lambda grip: grip.scaled(0.25),
    }[way]
    y = np.random.default_rng(1).standard_normal((10, 6))
    np.testing.assert_allclose(made(BOX).support(y), made(corners).support(y), rtol=1e-8)


def test_planes_that_limit_nothing_are_thinned_out() -> None:
    extra = np.random.default_rng(2).standard_normal((10, 6))
    loose = OuterGrip(
        np.concatenate([extra, BOX.normals, 2 * BOX.normals]),
        np.concatenate([Grip.box(LOWER_OF_BOX, UPPER_OF_BOX).support(extra) + 1.0, BOX.offsets, 2 * BOX.offsets]),
    )
    np.testing.assert_array_equal(loose.thinned().normals, BOX.normals)


def test_equality_is_that_of_the_planes_and_survives_another_process() -> None:
    same = OuterGrip(BOX.normals.copy(), BOX.offsets, metadata=GripMetadata(n=3))
    assert same == BOX and hash(same) == hash(BOX) and BOX.scaled(2.0) != BOX
    assert pickle.loads(pickle.dumps(BOX)) == BOX
    assert repr(BOX) == "OuterGrip('box', 12 half-spaces)"
    assert BOX.with_label("x").label == "x" and BOX.with_length(0.3).length == 0.3
    assert BOX.with_metadata(GripMetadata(n=1)).metadata.n == 1
    turned = OuterGrip(BOX.normals, BOX.offsets, palm_gravity=[0, 1, -9]).mirrored().palm_gravity
    assert turned is not None and turned.tolist() == [0, -1, -9]


RNG_BOUNDS = np.random.default_rng(1)
HAND_BOUNDS = Grip(RNG_BOUNDS.standard_normal((150, 6)) * np.repeat([20.0, 2.0], 3), label="hand")
BOUNDS = GripBounds(inner_subset(HAND_BOUNDS, 40, seed=0), outer_subset(HAND_BOUNDS, 120, seed=0))


def test_an_inner_set_that_leaves_the_outer_one_is_refused() -> None:
    box = OuterGrip.box(-np.ones(6), np.ones(6))
    with pytest.raises(GeometryError, match=r"inner\.vertices\[0\]: is 0.5 of the set's size beyond outer plane 2"):
        GripBounds(Grip.point([0, 0, 2.0, 0, 0, 0]), box)
    with pytest.raises(GeometryError, match=r"inner\.rays\[0\]"):
        GripBounds(Grip(np.zeros((1, 6)), [[0, 0, 1, 0, 0, 0]]), box)
    up = Grip(np.zeros((1, 6)), [[0, 0, 1, 0, 0, 0]])
    assert GripBounds(up, OuterGrip.box(np.zeros(6), [0, 0, np.inf, 0, 0, 0])).gap == 0.0


def test_sets_for_different_orientations_are_no_bounds_of_one_grip() -> None:
    tilted = OuterGrip.box(-np.ones(6), np.ones(6))
    inner = Grip(np.zeros((1, 6)), palm_gravity=[0, 0, -9.81])
    with pytest.raises(InputError, match=r"outer\.palm_gravity: is None, that of the inner grip \[0.0, 0.0, -9.81\]"):
        GripBounds(inner, tilted)
    for wrong in ("x", None):
        with pytest.raises(InputError, match="inner: is a"):
            GripBounds(wrong, tilted)  # pyright: ignore[reportArgumentType]


def test_membership_has_three_answers_each_with_its_proof() -> None:
    seen = set()
    for share, way in zip(np.linspace(0.2, 2.5, 60), RNG_BOUNDS.standard_normal((60, 6)), strict=True):
        w = share * way * np.repeat([12.0, 1.2], 3)
        answer = BOUNDS.contains(w)
        seen.add(answer.status)
        if answer.status is Status.HOLDS:
            assert proves(BOUNDS.inner, answer) and HAND_BOUNDS.contains(w)
        elif answer.status is Status.DOES_NOT_HOLD:
            assert answer.separator is not None and not HAND_BOUNDS.contains(w)
            assert (
                (HAND_BOUNDS.vertices @ answer.separator).max() <= answer.support * (1 + 1e-12) < answer.separator @ w
            )
        else:
            assert not answer and answer.weights is None
    assert seen == {Status.HOLDS, Status.DOES_NOT_HOLD, Status.UNDECIDED}


def test_the_gap_is_how_far_the_inner_set_stays_from_the_planes() -> None:
    small, large = Grip.box([-1] * 6, [1] * 6), OuterGrip.box([-1] * 6, [1, 1, 1, 1, 1, 4])
    bounds = GripBounds(small, large)
    assert bounds.gap == pytest.approx(0.75)
    assert bounds.gaps == pytest.approx([0, 0, 0, 0, 0, 0.75, 0, 0, 0, 0, 0, 0])
    np.testing.assert_allclose(bounds.gaps_along(np.eye(6)[4:]), [0.0, 0.75], atol=1e-12)
    assert GripBounds(small, OuterGrip(np.zeros((0, 6)), [])).gap == np.inf
    flat = GripBounds(Grip.point(np.zeros(6)), OuterGrip.box(np.zeros(6), np.zeros(6)))
    assert flat.gap == 0.0


def test_an_outer_set_that_goes_on_where_the_inner_one_ends_is_infinitely_far() -> None:
    box = Grip.box([-1] * 6, [1] * 6)
    assert GripBounds(box, OuterGrip(np.eye(6), np.ones(6))).gap == np.inf  # no limit downwards
    up = Grip(np.zeros((1, 6)), [[0, 0, 1, 0, 0, 0]])
    assert GripBounds(up, OuterGrip([[0, 0, -1, 0, 0, 0]], [0.0])).gap == np.inf  # sideways
    foot = coulomb_grip(0.5, sides=8)
    slopes = [[np.cos(a), np.sin(a), -0.5 * np.cos(np.pi / 8), 0, 0, 0] for a in (np.arange(8) + 0.5) * np.pi / 4]
    flat = np.concatenate([np.eye(6)[3:], -np.eye(6)[3:]])
    exact = OuterGrip(np.concatenate([slopes, flat]), np.zeros(14))
    assert GripBounds(foot, exact).gap == 0.0
    for left_out in (0, 5, 8, 13):
        rows = np.delete(exact.normals, left_out, axis=0)
        assert GripBounds(foot, OuterGrip(rows, np.zeros(13))).gap == np.inf


def test_both_sets_go_together() -> None:
    pose = Pose(rotation_about([0, 1, 1], 0.4), [1.0, 0.0, 0.2])
    mirror = [1, 0, 0]
    for made, inner, outer, derived in (
        (BOUNDS.moved(pose), BOUNDS.inner.moved(pose), BOUNDS.outer.moved(pose), "moved"),
        (BOUNDS.mirrored(mirror), BOUNDS.inner.mirrored(mirror), BOUNDS.outer.mirrored(mirror), "mirrored"),
        (BOUNDS.scaled(0.5), BOUNDS.inner.scaled(0.5), BOUNDS.outer.scaled(0.5), "scaled by 0.5"),
    ):
        assert (made.inner, made.outer) == (inner, outer)
        assert made.metadata.derived == inner.metadata.derived == outer.metadata.derived == derived
        assert replace(made.metadata, derived="") == BOUNDS.metadata
    assert BOUNDS.with_label("left").outer.label == "left" and BOUNDS.with_label("left") == BOUNDS
    assert hash(BOUNDS.with_label("left")) == hash(BOUNDS) and BOUNDS.scaled(2.0) != BOUNDS and BOUNDS != HAND_BOUNDS
    thin = BOUNDS.thinned()
    y = RNG_BOUNDS.standard_normal((20, 6))
    np.testing.assert_allclose(thin.inner.support(y), BOUNDS.inner.support(y))
    np.testing.assert_allclose(thin.outer.support(y), BOUNDS.outer.support(y), rtol=1e-7)


def test_facts_are_those_given_or_of_the_inner_grip() -> None:
    assert BOUNDS.metadata == BOUNDS.inner.metadata
    metadata = GripMetadata(n=7)
    assert GripBounds(BOUNDS.inner, BOUNDS.outer, metadata).metadata is metadata
    assert repr(BOUNDS).startswith("GripBounds('hand', ") and BOUNDS.palm_gravity is None
    assert BOUNDS.length == HAND_BOUNDS.length

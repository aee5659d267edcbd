from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import InputError
from holdfast.geometry.frames import Pose, rotation_about, skew
from holdfast.grips import Grip, GripFacts

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
        ({"vertices": np.ones((2, 6)), "facts": {}}, "facts: is a dict"),
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
    same = Grip(HAND.vertices.copy(), length=HAND.length, label="another", facts=GripFacts(seed=4))
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

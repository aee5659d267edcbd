from __future__ import annotations

import pickle

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.geometry.frames import Pose, rotation_about
from holdfast.grips import Grip, GripFacts, OuterGrip

UPPER = np.array([30.0, 20.0, 50.0, 2.0, 3.0, 1.0])
LOWER = np.array([-10.0, -20.0, 0.0, -2.0, -1.0, -1.0])
BOX = OuterGrip.box(LOWER, UPPER, label="box")
POSE = Pose(rotation_about([1.0, -2.0, 0.5], 1.1), [0.2, 0.5, -0.4])


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
    corners = Grip.box(LOWER, UPPER)
    np.testing.assert_allclose(BOX.support(y), corners.support(y), rtol=1e-9)
    np.testing.assert_allclose((BOX.support_points(y) * y).sum(axis=1), corners.support(y), rtol=1e-9)
    assert BOX.support(y[0]).shape == () and BOX.is_bounded and not BOX.is_empty


def test_membership_names_the_plane_that_is_crossed_most() -> None:
    assert BOX.contains(UPPER) and BOX.contains(LOWER)
    answer = BOX.contains([0, 0, 0, 0, 0, -1.5])
    assert not answer and answer.separator is not None
    np.testing.assert_array_equal(answer.separator, -np.eye(6)[5])
    assert answer.support == 1.0 and answer.excess == pytest.approx(0.5)


def test_open_empty_and_endless_sets_say_what_they_are() -> None:
    half = OuterGrip.box([-np.inf] * 6, [*UPPER[:5], np.inf])
    assert len(half.normals) == 5 and not half.is_bounded and not half.is_empty
    assert half.support(np.eye(6)[5]) == np.inf and half.support(-np.eye(6)[0]) == np.inf
    assert half.support(np.eye(6)[2]) == pytest.approx(50.0)
    nothing = OuterGrip([np.eye(6)[0], -np.eye(6)[0]], [1.0, -2.0])
    assert nothing.is_empty and nothing.support(np.eye(6)[0]) == -np.inf
    everything = OuterGrip(np.zeros((0, 6)), [])
    assert everything.contains(UPPER) and everything.support(np.eye(6)[0]) == np.inf and not everything.is_bounded


@pytest.mark.parametrize("way", ["moved", "mirrored", "scaled"])
def test_outer_grips_go_where_grips_go(way: str) -> None:
    corners = Grip.box(LOWER, UPPER)
    made = {
        "moved": lambda grip: grip.moved(POSE),
        "mirrored": lambda grip: grip.mirrored([1, 1, 0], [0.1, 0, 0]),
        "scaled": lambda grip: grip.scaled(0.25),
    }[way]
    y = np.random.default_rng(1).standard_normal((10, 6))
    np.testing.assert_allclose(made(BOX).support(y), made(corners).support(y), rtol=1e-8)


def test_planes_that_limit_nothing_are_thinned_out() -> None:
    extra = np.random.default_rng(2).standard_normal((10, 6))
    loose = OuterGrip(
        np.concatenate([extra, BOX.normals, 2 * BOX.normals]),
        np.concatenate([Grip.box(LOWER, UPPER).support(extra) + 1.0, BOX.offsets, 2 * BOX.offsets]),
    )
    np.testing.assert_array_equal(loose.thinned().normals, BOX.normals)


def test_equality_is_that_of_the_planes_and_survives_another_process() -> None:
    same = OuterGrip(BOX.normals.copy(), BOX.offsets, facts=GripFacts(n=3))
    assert same == BOX and hash(same) == hash(BOX) and BOX.scaled(2.0) != BOX
    assert pickle.loads(pickle.dumps(BOX)) == BOX
    assert repr(BOX) == "OuterGrip('box', 12 half-spaces)"
    assert BOX.with_label("x").label == "x" and BOX.with_length(0.3).length == 0.3
    assert BOX.with_facts(GripFacts(n=1)).facts.n == 1
    turned = OuterGrip(BOX.normals, BOX.offsets, palm_gravity=[0, 1, -9]).mirrored().palm_gravity
    assert turned is not None and turned.tolist() == [0, -1, -9]

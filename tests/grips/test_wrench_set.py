"""What both kinds of grips share: equality by content, pickles, frames."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.geometry.frames import Pose, rotation_about
from holdfast.grips import Grip, OuterGrip
from holdfast.grips.grip import check_ends

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
        assert again.facts.derived and not one.facts.derived


def test_vertices_and_half_spaces_of_a_box_stay_the_same_set_when_they_move():
    pose = Pose(rotation_about((0, 1, 1), -1.1), np.array([0.0, 0.5, 0.2]))
    inner, outer = Grip.box(LOWER, UPPER), OuterGrip.box(LOWER, UPPER)
    ways = np.random.default_rng(1).normal(size=(8, 6))
    for one, other in ((inner.moved(pose), outer.moved(pose)), (inner.mirrored(), outer.mirrored())):
        assert one.support(ways) == pytest.approx(other.support(ways), rel=1e-9)


def test_ends_the_wrong_way_round_are_named():
    with pytest.raises(InputError, match=r"lower\[1\]: is 2, above the upper end 1"):
        check_ends(np.array([0.0, 2.0, 0, 0, 0, 0]), np.ones(6))

"""Confirming: what hulls promise and pieces cannot give is not taken for granted."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.postures import LazyGrip, posture_equilibrium, posture_margin
from holdfast.postures.hands import checked_hands
from holdfast.postures.proofs import confirmations, confirmed_share, needs_confirming
from holdfast.solvers import Status
from tests.postures.full import still


def cross() -> LazyGrip:
    """A contact that gives up to 4 N along x or along y, never both: the hull is a diamond, the union a cross."""
    along_x = np.array([[-4.0, 0, 0], [4.0, 0, 0]])
    along_y = np.array([[0, -4.0, 0], [0, 4.0, 0]])
    volume = hf.ForceVolume([along_x, along_y], allow_flat=True)
    return LazyGrip(hf.Assembly([hf.Contact((0, 0, 0), np.eye(3), volume)]))


def test_a_diagonal_load_is_undecided_where_the_union_cannot_follow_its_hull() -> None:
    grip, poses = cross(), still([0, 0, 0])
    assert needs_confirming(checked_hands(grip, poses))
    straight = posture_equilibrium(grip, poses, [3, 0, 0, 0, 0, 0])
    assert straight.holds
    assert straight.verify()
    diagonal = posture_equilibrium(grip, poses, [1, 1, 0, 0, 0, 0])
    assert diagonal.status is Status.UNDECIDED
    assert not diagonal.verify()
    assert diagonal.scale_interval == pytest.approx((-2.0, 2.0), rel=1e-9)  # of the hull
    assert diagonal.gap == np.inf  # nothing along the diagonal was confirmed
    outside = posture_equilibrium(grip, poses, [2.5, 2.5, 0, 0, 0, 0])
    assert outside.status is Status.DOES_NOT_HOLD
    assert outside.verify()
    assert posture_margin(grip, poses, np.zeros(6), [1, 1, 0, 0, 0, 0]).value == -np.inf


def test_two_crosses_share_a_diagonal_load_when_each_may_take_one_way() -> None:
    hands = checked_hands(cross(), still([0, 0, 0], [0, 0, 0]))
    wrenches = np.zeros((2, 6))
    wrenches[0, 0], wrenches[1, 1] = 2.0, 3.0
    answers = confirmations(hands, wrenches)
    assert answers is not None
    assert all(answer is not None and answer.verify() for answer in answers)
    assert confirmations(hands, np.ones((2, 6)) * [1, 1, 0, 0, 0, 0]) is None


def test_the_share_that_is_confirmed_is_where_the_pieces_end() -> None:
    hands = checked_hands(cross(), still([0, 0, 0]))
    far = np.array([[5.0, 0, 0, 0, 0, 0]])  # 4 N are there: a share of 0.8
    found = confirmed_share(hands, np.zeros((1, 6)), far)
    assert found.share == pytest.approx(0.8, abs=1e-12)
    assert found.answers
    assert confirmed_share(hands, far, 2.0 * far).share == -np.inf

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import GeometryError
from holdfast.grips.learning import evenly, learned_whitening, paper_axes
from holdfast.grips.supports import Asking, SupportTask
from tests.grips.known_hands import box, box_hand, opposed_points, parallelepiped


def whitened(hand: hf.Assembly):
    return learned_whitening(hand, Asking(SupportTask(hand, 1.0)).ask, np.random.default_rng(0))


def test_points_of_a_full_set_spread_about_alike_in_every_direction():
    hand, edges = parallelepiped()
    whitening, _ = whitened(hand)
    assert whitening.dimension == 6
    assert not len(whitening.flats)
    corners = whitening.coordinates(np.sign(np.random.default_rng(1).normal(size=(2000, 6))) @ edges)
    spread = np.linalg.eigvalsh(np.cov(corners.T))
    assert spread.min() > 0.4
    assert spread.max() < 2.5
    np.testing.assert_allclose(whitening.inverse @ whitening.axes, np.eye(6), atol=1e-9)


def test_flat_directions_are_planes_through_the_set():
    hand = opposed_points(reach=0.05)
    whitening, pool = whitened(hand)
    assert whitening.dimension == 5  # no torque about the line through both points
    assert len(whitening.flats) == 2
    np.testing.assert_allclose(np.abs(whitening.flats[0]) / np.abs(whitening.flats[0]).max(), np.eye(6)[3], atol=1e-9)
    assert np.abs(pool.points @ whitening.flats.T - whitening.levels).max() <= 1e-9 * np.abs(pool.points).max()
    back = whitening.centre + whitening.rays(whitening.coordinates(pool.points))
    np.testing.assert_allclose(back, pool.points, atol=1e-9 * np.abs(pool.points).max())


def test_directions_and_wrenches_go_together():
    whitening, pool = whitened(opposed_points())
    rows = evenly(np.random.default_rng(2), 9, 5)
    along = pool.points - whitening.centre
    np.testing.assert_allclose(
        along @ whitening.directions(rows).T, whitening.coordinates(pool.points) @ rows.T, atol=1e-9
    )


def test_a_hand_that_can_give_one_wrench_alone_has_no_dimension():
    fixed = np.array([1.0, 2.0, 3.0])
    whitening, _ = whitened(box_hand(fixed, fixed))
    assert whitening.dimension == 0
    assert len(whitening.flats) == 12
    np.testing.assert_allclose(whitening.centre[:3], -fixed, rtol=1e-9)


def test_a_hand_a_thousand_times_wider_one_way_is_not_flat():
    contacts = [hf.Contact(np.array([0.1 * i, 0.02 * i * i, 0.0]), np.eye(3), box(1000.0, 1.0, 0.1)) for i in range(3)]
    contacts.append(hf.Contact(np.array([0.0, 0.0, 0.1]), np.eye(3), box(1.0, 1.0, 1.0)))
    assert whitened(hf.Assembly(contacts))[0].dimension == 6


def test_a_set_without_limit_is_told_with_what_to_do():
    tip = hf.Contact(np.zeros(3), np.eye(3), hf.models.coulomb(0.5))
    with pytest.raises(GeometryError, match=r"without limit.*cone_grip"):
        whitened(hf.Assembly([tip]))


def test_the_paper_draws_wrenches_of_evenly_drawn_forces():
    hand = opposed_points()
    axes = paper_axes(hand)
    expected = hand.wrench_matrix @ hand.wrench_matrix.T
    np.testing.assert_allclose(axes @ axes.T, expected, atol=1e-12)

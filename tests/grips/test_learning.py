from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import holdfast as hf
from holdfast.errors import GeometryError, InputError
from holdfast.geometry.frames import Pose, rotation_about
from holdfast.grips import Grip, GripBounds, GripMetadata, bounding_box, coulomb_grip, inner_subset, outer_subset
from holdfast.grips.accuracy import check_grip
from holdfast.grips.learning import (
    GreedySampling,
    PaperSampling,
    _errors,
    certified_vertices,
    evenly,
    exits,
    greedy_choice,
    is_convex,
    known_rays,
    learn_grip,
    learned_whitening,
    measured_concavity,
    most_used,
    one_piece_hand,
    outer_reaches,
    paper_axes,
)
from holdfast.grips.supports import Asking, SupportPool, SupportTask
from tests.grips.known_hands import (
    box,
    box_hand,
    crossed,
    hinged,
    hull_support,
    jointed,
    opposed_points,
    parallelepiped,
    with_units,
)
from tests.jobs.test_cluster import Cluster


@pytest.mark.parametrize("wrong", [{"candidates": 0}, {"candidates": 2.5}, {"ray_share": 1.5}, {"ray_share": -0.1}])
def test_senseless_numbers_are_told(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        GreedySampling(**wrong)


def test_methods_are_values():
    assert GreedySampling() == GreedySampling(candidates=8, ray_share=0.5)
    assert PaperSampling() == PaperSampling()


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


def test_a_set_without_limit_is_reported_with_what_to_do():
    tip = hf.Contact(np.zeros(3), np.eye(3), hf.models.coulomb(0.5))
    with pytest.raises(GeometryError, match=r"without limit.*cone_grip"):
        whitened(hf.Assembly([tip]))


def test_the_paper_draws_wrenches_of_evenly_drawn_forces():
    hand = opposed_points()
    axes = paper_axes(hand)
    expected = hand.wrench_matrix @ hand.wrench_matrix.T
    np.testing.assert_allclose(axes @ axes.T, expected, atol=1e-12)


SIGNS = np.array(np.meshgrid(*[[-1.0, 1.0]] * 6)).reshape(6, -1).T


def test_rays_leave_a_cube_through_its_faces():
    rays = evenly(np.random.default_rng(0), 20, 6)
    found = exits(SIGNS, rays)
    np.testing.assert_allclose(found.reaches, 1.0 / np.abs(rays).max(axis=1), rtol=1e-9)
    for ray, normal, indices, weights, reach in zip(
        rays, found.normals, found.indices, found.weights, found.reaches, strict=True
    ):
        axis = int(np.abs(ray).argmax())
        np.testing.assert_allclose(normal, np.eye(6)[axis] / ray[axis], atol=1e-9 / np.abs(ray[axis]))
        np.testing.assert_allclose(weights @ SIGNS[indices], reach * ray, atol=1e-9)
        assert abs(weights.sum() - 1.0) <= 1e-9


def test_flat_coordinates_are_of_any_number():
    square = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    np.testing.assert_allclose(exits(square, np.array([[1.0, 0.5]])).reaches, [1.0])
    np.testing.assert_allclose(exits(np.array([[2.0], [-3.0]]), np.array([[1.0], [-1.0]])).reaches, [2.0, 3.0])


def test_a_hull_without_the_middle_is_not_reached():
    assert exits(SIGNS[SIGNS[:, 0] > 0.0], np.eye(6)[:1] * -1.0).reaches[0] == 0.0


def test_planes_stop_rays_where_they_stand():
    normals, offsets = np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([3.0, 2.0])
    rays = np.array([[1.0, 0.0], [0.6, 0.8], [-1.0, 0.0]])
    np.testing.assert_allclose(outer_reaches(normals, offsets, rays), [3.0, 1.25, np.inf])


def test_rays_end_on_true_facets():
    hand, edges = parallelepiped()
    asking = Asking(SupportTask(hand, 1.0))
    whitening, pool = learned_whitening(hand, asking.ask, np.random.default_rng(0))
    rays = evenly(np.random.default_rng(1), 15, 6)
    known = known_rays(pool, whitening, rays, asking.ask, np.random.default_rng(2))
    start = np.linalg.solve(edges.T, whitening.centre)
    steps = np.linalg.solve(edges.T, whitening.rays(rays).T).T  # |start + r step| <= 1 is the set
    truth = ((np.sign(steps) - start) / steps).min(axis=1)
    np.testing.assert_allclose(known.inner, truth, rtol=1e-9)
    np.testing.assert_allclose(known.outer, truth, rtol=1e-9)
    facets = np.concatenate([np.linalg.inv(edges.T), -np.linalg.inv(edges.T)])
    for index in known.planes:
        normal = known.pool.directions[index]
        cosines = facets @ normal / np.linalg.norm(facets, axis=1) / np.linalg.norm(normal)
        assert cosines.max() >= 1.0 - 1e-9


def test_inner_and_outer_reaches_close_on_a_hand_with_joints():
    volume = hf.ForceVolume([10.0 * evenly(np.random.default_rng(5), 40, 3)])
    hand = hinged(volume, k=3, torque=0.3)
    asking = Asking(SupportTask(hand, 1.0))
    whitening, pool = learned_whitening(hand, asking.ask, np.random.default_rng(0))
    rays = evenly(np.random.default_rng(1), 10, 6)
    few = known_rays(pool, whitening, rays, asking.ask, np.random.default_rng(2), rounds=0)
    many = known_rays(pool, whitening, rays, asking.ask, np.random.default_rng(2), rounds=60)
    assert len(many.pool) > len(pool)
    assert (few.inner <= many.inner + 1e-9).all()
    assert (many.outer <= few.outer + 1e-9).all()
    assert (many.inner <= many.outer).all()
    assert (many.inner >= (1.0 - 1.1e-4) * many.outer).all()
    origin = whitening.centre
    for ray, low, high in zip(whitening.rays(rays)[:4], many.inner, many.outer, strict=False):
        assert hf.equilibrium(hand, origin + (1.0 - 1e-6) * low * ray).holds
        assert not hf.equilibrium(hand, origin + (1.0 + 1e-6) * high * ray).holds


def ball_pool(n: int, seed: int = 0) -> SupportPool:
    """Supports of the unit ball of R^6."""
    y = np.random.default_rng(seed).normal(size=(n, 6))
    y /= np.linalg.norm(y, axis=1, keepdims=True)
    return SupportPool(y, np.ones(n), np.ones(n), y)


def worst_miss(pool: SupportPool, chosen: np.ndarray) -> float:
    return float((1.0 - (pool.directions @ pool.points[chosen].T).max(axis=1)).max())


def test_each_choice_is_the_support_missed_most():
    pool = ball_pool(300)
    chosen = greedy_choice(pool, np.zeros(6), 20)
    reached = np.zeros(300)
    for index in chosen:
        assert 1.0 - reached[index] == (1.0 - reached).max()
        reached = np.maximum(reached, pool.directions @ pool.points[index])


def test_greedy_misses_less_than_chance():
    pool = ball_pool(2000)
    assert worst_miss(pool, greedy_choice(pool, np.zeros(6), 100)) < 0.8 * worst_miss(pool, np.arange(100))


def test_the_vertices_of_a_box_are_all_found_and_nothing_else():
    y = np.random.default_rng(0).normal(size=(4000, 6))
    points = np.sign(y)
    pool = SupportPool(y, np.abs(y).sum(axis=1), np.abs(y).sum(axis=1), points)
    chosen = greedy_choice(pool, np.zeros(6), 1000)
    assert len(chosen) == 64
    assert len(np.unique(points[chosen], axis=0)) == 64


def test_a_point_needs_no_choice():
    pool = SupportPool(np.eye(6), np.ones(6), np.ones(6), np.ones((6, 6)))
    assert len(greedy_choice(pool, np.ones(6), 5)) == 0


def test_its_points_lie_where_load_limits_end_and_its_planes_are_outer():
    hand = hinged(crossed(), k=3)
    bounds = learn_grip(hand, 15, method=PaperSampling(), acting="reaction")
    assert bounds.metadata.method == "paper"
    assert not bounds.inner.vertices[0].any()
    assert check_grip(bounds, hand).holds
    for point in bounds.inner.vertices[1:4]:
        assert abs(hf.load_limit(hand, point).value - 1.0) <= 2e-6
    np.testing.assert_allclose(np.linalg.norm(bounds.outer.normals, axis=1), 1.0)


def test_hands_that_do_not_hold_zero_or_hold_everything_are_told():
    with pytest.raises(InputError, match="zero wrench"):
        learn_grip(box_hand(np.full(3, 1.0), np.full(3, 2.0)), 5, method=PaperSampling())
    both = [hf.Contact(np.zeros(3), hf.frame_from_normal((0, 0, z)), hf.models.coulomb(0.5)) for z in (1.0, -1.0)]
    with pytest.raises(GeometryError, match="cone_grip"):
        learn_grip(hf.Assembly(both), 20, method=PaperSampling())


def test_a_crossed_volume_falls_short_of_its_hull_as_geometry_says():
    hand = hf.Assembly([hf.Contact(np.zeros(3), np.eye(3), crossed(10.0, 1.0))])
    between = np.array([[5.5, 5.5, 0.0, 0.0, 0.0, 0.0], [10.0, 0.0, 0.0, 0.0, 0.0, 0.0]])
    found = measured_concavity(hand, between, np.zeros(6))
    assert found.tried == 2
    assert found.share == 0.5
    assert abs(found.shortfall - (1.0 - 1.0 / 5.5)) <= 1e-5


def test_convex_hands_hold_all_between():
    hand = hf.Assembly([hf.Contact(np.zeros(3), np.eye(3), box(1.0, 2.0, 3.0))])
    border = np.array([[1.0, 0.5, 0.0, 0.0, 0.0, 0.0], [-1.0, -2.0, 1.0, 0.0, 0.0, 0.0]])
    assert measured_concavity(hand, border, np.zeros(6)) == (1.0, 0.0, 2)


def test_a_hand_that_cannot_rest_is_measured_towards_its_middle():
    base = box_hand(np.array([2.0, 1.5, -5.0]), np.array([9.0, 9.0, 5.0]))
    contact = base.contacts[0]
    union = hf.ForceVolume([crossed(10.0, 3.0).pieces[0], crossed(10.0, 3.0).pieces[1]])
    hand = hf.Assembly([hf.Contact(contact.position, contact.rotation, union)], base.joints)
    arm = contact.position

    def wrench(force):
        return -np.concatenate([force, np.cross(arm, force)])

    centre = wrench(np.array([3.0, 2.5, 0.0]))
    found = measured_concavity(hand, np.array([wrench(np.array([7.0, 6.5, 0.0]))]), centre)
    # From (3, 2.5) towards (7, 6.5): y reaches 3, the end of the first piece, after 1/8 of the way.
    assert found.share == 0.0
    assert abs(found.shortfall - 7.0 / 8.0) <= 1e-3


def test_nothing_tried_is_nothing_found():
    hand = hf.Assembly([hf.Contact(np.zeros(3), np.eye(3), crossed())])
    assert measured_concavity(hand, np.zeros((0, 6)), np.zeros(6)).tried == 0


@pytest.mark.parametrize("points", [1, 3])
def test_everything_between_certified_vertices_is_held(points):
    hand = with_units(hinged(crossed(), k=3, torque=0.5), points)
    vertices = certified_vertices(Asking(SupportTask(hand, 1.0)), 60, 8, seed=0)
    rng = np.random.default_rng(1)
    weights = rng.dirichlet(np.full(len(vertices), 0.1), size=60)
    answers = hf.Solver(hand).equilibrium_many((1.0 - 1e-9) * weights @ vertices, threads=1)
    assert answers.holds.all()


def test_between_other_vertices_not_everything_is():
    hand = hinged(crossed(), k=3, fingers=1, torque=0.5)
    bounds = learn_grip(hand, 60, acting="reaction")
    assert bounds.metadata.concavity > 0.05
    sure = learn_grip(hand, 60, acting="reaction", certified=True)
    assert sure.metadata.concavity == 0.0
    assert sure.metadata.method == "greedy, one piece per unit"
    assert sure.metadata.inner_error > bounds.metadata.inner_error
    np.testing.assert_array_equal(sure.outer.offsets, bounds.outer.offsets)


def test_the_piece_that_reaches_furthest_is_kept():
    large, small = box(10.0, 10.0, 10.0).pieces[0], box(1.0, 1.0, 12.0).pieces[0]
    hand = hf.Assembly([hf.Contact(np.zeros(3), np.eye(3), hf.ForceVolume([small, large]))])
    single = one_piece_hand(hand, seed=0)
    assert is_convex(single)
    assert not is_convex(hand)
    np.testing.assert_allclose(single.contacts[0].volume.volume, 8000.0)


def test_the_points_of_a_unit_keep_the_same_piece():
    hand = with_units(hinged(crossed(), k=4, torque=0.5), 4)
    single = one_piece_hand(hand, seed=0)
    assert is_convex(single)
    for unit in hand.layout.units:
        kept = {tuple(np.ptp(single.contacts[i].volume.pieces[0], axis=0).round(9)) for i in unit}
        assert len(kept) == 1


def test_ties_go_to_the_first_piece():
    assert most_used(np.array([2, 1, 2, 1, -1]), 4) == 1


def directions(n: int, length: float = 0.1, seed: int = 9) -> np.ndarray:
    y = np.random.default_rng(seed).normal(size=(n, 6))
    y[:, 3:] /= length
    return y


def same_rows(a: np.ndarray, b: np.ndarray, tolerance: float = 1e-8) -> bool:
    """Whether two sets of wrenches are the same, in any order."""
    near = np.abs(a[:, None] - b[None]).max(axis=2) <= tolerance * np.abs(b).max()
    return bool(near.any(axis=1).all() and near.any(axis=0).all())


# -- hands that are known -----------------------------------------------------------------------------


def test_six_lines_are_learned_exactly():
    hand, edges = parallelepiped()
    bounds = learn_grip(hand, 150, seed=1)
    signs = np.array(np.meshgrid(*[[-1.0, 1.0]] * 6)).reshape(6, -1).T
    assert same_rows(bounds.inner.vertices, signs @ edges)
    assert bounds.metadata.inner_error <= 1e-9
    assert bounds.metadata.outer_error <= 1e-9
    assert bounds.metadata.concavity == 0.0
    y = directions(20)
    np.testing.assert_allclose(bounds.outer.support(y), np.abs(y @ edges.T).sum(axis=1), rtol=1e-7)


@pytest.mark.parametrize(("acting", "sign"), [("direct", 1.0), ("reaction", -1.0)])
def test_one_suction_cup_pulls_the_body_or_is_pulled(acting, sign):
    """Seen from above: a cup at x = 0.1 m on a floor, its normal up into the body.

    Its forces on what it carries are v: they pull down with up to 50 N and press up with up to 30 N. "direct": that is
    the body. "reaction": the object is what the cup is pressed to, and the body feels the opposite.
    """
    volume = hf.models.suction(50.0, 0.5, facets=4, cap=30.0)
    cup = hf.Contact(np.array([0.1, 0.0, 0.0]), np.eye(3), volume)
    bounds = learn_grip(hf.Assembly([cup]), 50, acting=acting)
    forces = sign * volume.polytopes[0].extreme
    expected = np.column_stack([forces, np.cross([0.1, 0.0, 0.0], forces)])
    assert same_rows(bounds.inner.vertices, expected)
    assert bounds.inner.support([0, 0, sign, 0, 0, 0]) == pytest.approx(30.0)
    assert bounds.inner.support([0, 0, -sign, 0, 0, 0]) == pytest.approx(50.0)
    assert bounds.metadata.acting == acting
    assert bounds.outer.support([0, 0, -sign, 0, 0, 0]) == pytest.approx(50.0)
    assert bounds.outer.support([0, 0, 0, 1, 0, 0]) == pytest.approx(0.0, abs=1e-7)  # no torque about its own arm


def test_two_opposed_fingertips_add_their_vertices():
    hand = opposed_points()
    bounds = learn_grip(hand, 100)
    tips = [c.volume.polytopes[0].extreme @ c.rotation.T for c in hand.contacts]
    sums = [
        np.concatenate([a + b, np.cross(hand.positions[0], a) + np.cross(hand.positions[1], b)])
        for a in tips[0]
        for b in tips[1]
    ]
    corners = np.array([w for w in sums if np.abs(w).max() > 1e-9])  # 0 + 0 lies between two others
    assert same_rows(bounds.inner.vertices, corners)
    y = directions(20)
    np.testing.assert_allclose(bounds.inner.support(y), (y @ np.array(sums).T).max(axis=1), rtol=1e-9)


def test_a_preloaded_hand_does_not_need_zero():
    lower, upper = np.array([1.0, -2.0, 3.0]), np.array([2.0, 5.0, 4.0])
    bounds = learn_grip(box_hand(lower, upper), 60)
    corners = np.array([[x, y, z] for x in (1.0, 2.0) for y in (-2.0, 5.0) for z in (3.0, 4.0)])
    expected = np.column_stack([corners, np.cross([0.1, 0.0, 0.0], corners)])
    assert same_rows(bounds.inner.thinned().vertices, expected)  # supports along the axes end on faces
    assert bounds.metadata.joint_limits
    assert bounds.outer.contains(np.zeros(6)).status is hf.Status.DOES_NOT_HOLD


def test_a_hand_with_one_wrench_alone_is_that_wrench():
    force = np.array([1.0, 2.0, 3.0])
    bounds = learn_grip(box_hand(force, force), 10)
    np.testing.assert_allclose(bounds.inner.vertices, [[1.0, 2.0, 3.0, 0.0, -0.3, 0.2]], atol=1e-8)
    assert bounds.metadata.inner_error == 0.0


def test_a_hinge_cuts_off_what_its_torque_cannot_bear():
    contact = hf.Contact(np.array([0.1, 0.0, 0.0]), np.eye(3), box(4.0, 5.0, 6.0))
    hinge = hf.JointRows(np.array([[0.0, 0.0, 0.1]]), np.array([-0.2]), np.array([0.35]))
    bounds = learn_grip(hf.Assembly([contact], hinge), 60)
    heights = sorted({round(float(f), 6) for f in bounds.inner.vertices[:, 2]})
    assert heights == [-2.0, 3.5]


# -- what always holds ---------------------------------------------------------------------------------


@settings(max_examples=5)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.sampled_from(["direct", "reaction"]))
def test_the_truth_lies_between_inner_and_outer(seed, contacts, acting):
    hand = jointed(np.random.default_rng(seed), contacts, 2)
    bounds = learn_grip(hand, 15, seed=seed % 1000, acting=acting, method=GreedySampling(candidates=2))
    y = directions(4, seed=seed)
    truth = np.array([hull_support(hand, row, 1.0 if acting == "reaction" else -1.0) for row in y])
    rounding = 1e-7 * max(np.abs(truth).max(), 1e-3)
    assert (bounds.inner.support(y) <= truth + rounding).all()
    assert (truth <= bounds.outer.support(y) + rounding).all()
    assert check_grip(bounds, hand).holds


def test_every_vertex_of_a_union_with_joints_is_held_and_every_plane_is_outer():
    hand = hinged(crossed(), k=3, torque=0.3)
    bounds = learn_grip(hand, 80, acting="reaction")
    found = check_grip(bounds, hand)
    assert found.all_held
    assert found.all_outer
    assert [hf.equilibrium(hand, w * (1 - 1e-9)).verify() for w in bounds.inner.vertices[:5]] == [True] * 5
    assert 0.0 < bounds.metadata.concavity < 1.0


def test_more_samples_bring_both_sets_nearer():
    volume = hf.ForceVolume([10.0 * np.random.default_rng(5).normal(size=(60, 3))])
    hand = hinged(volume, k=3, torque=0.5)
    errors = [(b.metadata.inner_error, b.metadata.outer_error) for b in (learn_grip(hand, n) for n in (10, 40, 160))]
    assert errors[0][0] > errors[1][0] > errors[2][0]
    assert errors[0][1] > errors[1][1] > errors[2][1]
    y = directions(10)
    fine = learn_grip(hand, 160)
    truth = np.array([hull_support(hand, row, -1.0) for row in y])
    assert (fine.inner.support(y) >= 0.6 * truth).all()


def test_samples_are_doubled_until_the_gap_is_reached():
    hand = hinged(hf.ForceVolume([10.0 * np.random.default_rng(5).normal(size=(30, 3))]), k=2, torque=0.5)
    coarse = learn_grip(hand, 20)
    fine = learn_grip(hand, 20, gap=0.35)
    assert len(fine.inner.vertices) in (40, 80, 160, 320)
    assert fine.metadata.wanted_gap == 0.35
    assert fine.metadata.reached_gap <= 0.35 < coarse.metadata.reached_gap
    assert (1.0 + fine.metadata.outer_error) / (1.0 - fine.metadata.inner_error) - 1.0 < 2 * 0.35
    assert len(coarse.inner.vertices) == 20
    assert (coarse.metadata.asked, coarse.metadata.wanted_gap) == (20, None)


def test_the_gap_is_what_the_outer_set_reaches_beyond_the_inner_one():
    # One ray, the inner set reaching 1 and the outer 3: 200 % beyond, not two thirds.
    whitening = SimpleNamespace(
        levels=np.zeros(0), axes=np.eye(6), centre=np.zeros(6), coordinates=lambda vertices: vertices
    )
    inner = np.concatenate([np.eye(6), -np.eye(6)])
    check = SimpleNamespace(rays=np.eye(6)[:1], inner=np.array([2.0]), outer=np.array([2.0]))
    found = _errors(inner, (inner, np.full(12, 3.0)), whitening, check)
    np.testing.assert_allclose(found, [0.5, 0.5, 2.0], rtol=1e-9)


def test_a_gap_out_of_reach_is_reported():
    hand = hinged(hf.ForceVolume([10.0 * np.random.default_rng(5).normal(size=(30, 3))]), k=2, torque=0.5)
    metadata = learn_grip(hand, 5, gap=1e-3).metadata
    assert metadata.misses_its_gap
    assert metadata.reached_gap > metadata.wanted_gap == 1e-3
    assert metadata.asked == 5


def test_the_palm_carries_the_grip_along():
    hand, palm = opposed_points(), Pose(rotation_about((1, 2, 3), 0.7), np.array([0.1, 0.3, -0.2]))
    at_palm = learn_grip(hand, 60, palm=palm, gravity=(0.0, 0.0, -9.81))
    world = learn_grip(hand, 60)
    assert same_rows(at_palm.inner.moved(palm).vertices, world.inner.vertices)
    np.testing.assert_allclose(palm.rotation @ at_palm.palm_gravity, [0.0, 0.0, -9.81], atol=1e-12)
    assert world.palm_gravity is None
    assert at_palm.metadata.model_hash == hand.fingerprint


# -- the same bytes, however it ran ----------------------------------------------------------------------


def test_the_same_seed_gives_the_same_bytes_and_another_one_others(tmp_path):
    hand = hinged(crossed(), k=2)
    for name, seed in (("a", 3), ("b", 3), ("c", 4)):
        learn_grip(hand, 20, seed).save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert (tmp_path / "a").read_bytes() != (tmp_path / "c").read_bytes()


def test_an_interrupted_grip_goes_on_from_its_journals(tmp_path):
    hand = hinged(crossed(), k=2)

    def interrupt(done, total):
        if done > 400:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learn_grip(hand, 40, journal=tmp_path / "j", progress=interrupt)
    counts: list[tuple[int, int]] = []
    resumed = learn_grip(hand, 40, journal=tmp_path / "j", progress=lambda *c: counts.append(c))
    assert counts[0][0] > 0  # the first round was there
    assert counts[-1][0] == resumed.metadata.n
    resumed.save(tmp_path / "resumed")
    learn_grip(hand, 40).save(tmp_path / "at once")
    assert (tmp_path / "resumed").read_bytes() == (tmp_path / "at once").read_bytes()


def test_a_grip_learned_on_a_cluster_that_loses_a_worker_is_the_serial_one_byte_for_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    pytest.importorskip("distributed")
    monkeypatch.setattr("holdfast.jobs.cluster.CONNECT_SECONDS", 60.0)
    monkeypatch.setattr("holdfast.jobs.cluster.WORKERLESS_SECONDS", 300.0)
    hand = hinged(crossed(), k=2)
    cluster, killed = Cluster(tmp_path), []

    def kill(done, total):
        if done >= 400 and not killed:
            killed.append(done)
            cluster.workers[0].send_signal(signal.SIGKILL)

    try:
        cluster.start_scheduler()
        cluster.start_worker()
        cluster.start_worker()
        options = {"cluster": cluster.address, "journal": tmp_path / "far", "progress": kill}
        learn_grip(hand, 60, **options).save(tmp_path / "cluster")
        assert killed
        assert cluster.workers[0].wait(timeout=60) == -signal.SIGKILL
    finally:
        cluster.stop()
    learn_grip(hand, 60, journal=tmp_path / "near").save(tmp_path / "serial")
    assert (tmp_path / "cluster").read_bytes() == (tmp_path / "serial").read_bytes()
    assert (tmp_path / "far").read_bytes() == (tmp_path / "near").read_bytes()
    assert GripBounds.load(tmp_path / "cluster") == GripBounds.load(tmp_path / "serial")


# -- questions asked wrongly -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"n": 0}, "n: is 0"),
        ({"seed": -1}, "seed"),
        ({"acting": "sideways"}, "acting"),
        ({"gap": 0.0}, "gap"),
        ({"palm": np.eye(4)}, "Pose"),
        ({"gravity": (0.0, np.nan, 0.0)}, "gravity"),
        ({"method": "greedy"}, "GreedySampling"),
        ({"method": PaperSampling(), "gap": 0.1}, "gap"),
        ({"method": PaperSampling(), "certified": True}, "certified"),
    ],
)
def test_bad_input_is_reported(wrong, match):
    with pytest.raises(InputError, match=match):
        learn_grip(opposed_points(), **wrong)


def test_what_is_no_hand_is_reported():
    with pytest.raises(InputError, match="Assembly"):
        learn_grip([1, 2, 3])


def test_hands_without_limit_are_told_what_to_use():
    tips = [hf.Contact(np.array([0.1 * i, 0.0, 0.0]), np.eye(3), hf.models.coulomb(0.5)) for i in range(3)]
    with pytest.raises(GeometryError, match="cone_grip"):
        learn_grip(hf.Assembly(tips), 10)


RNG = np.random.default_rng(2)
HAND = Grip(
    RNG.standard_normal((200, 6)) * np.repeat([20.0, 2.0], 3) + np.repeat([5.0, 0.2], 3),
    label="hand",
    palm_gravity=[0, 0, -9.81],
    metadata=GripMetadata(method="learned", model_hash="abc", n=200, seed=9),
)
FOOT = coulomb_grip(0.6, sides=8)


@given(st.integers(1, 250), st.integers(0, 2**40), st.booleans())
def test_inner_lies_in_the_grip_and_the_grip_in_outer(n: int, seed: int, cone: bool) -> None:
    grip = FOOT if cone else HAND
    inner, outer, box = inner_subset(grip, n, seed), outer_subset(grip, n, seed), bounding_box(grip)
    known = {tuple(row) for row in grip.vertices} | {(0.0,) * 6}
    assert {tuple(row) for row in inner.vertices} <= known and grip.contains(np.zeros(6))
    np.testing.assert_array_equal(inner.rays, grip.rays)
    for bounds in (outer, box):
        assert (grip.vertices @ bounds.normals.T <= bounds.offsets + 1e-9 * np.abs(bounds.offsets)).all()
        GripBounds(grip, bounds)
        GripBounds(inner, bounds)  # refuses what is not nested
    touched = (grip.vertices @ outer.normals.T).max(axis=0)
    np.testing.assert_allclose(touched, outer.offsets, rtol=1e-12, atol=1e-12)


def test_each_drawn_vertex_is_replaced_by_the_one_furthest_along_it() -> None:
    full = inner_subset(HAND, len(HAND.vertices), seed=1)
    scaled = HAND.vertices / np.repeat([1.0, HAND.length], 3)
    best = {tuple(HAND.vertices[(scaled @ row).argmax()]) for row in scaled}  # v*(w) of V.D for every vertex w
    assert {tuple(row) for row in full.vertices} == best | {(0.0,) * 6}
    assert len(inner_subset(HAND, 10**6, seed=1).vertices) == len(full.vertices)


def test_zero_is_added_only_where_the_grip_has_it() -> None:
    away = Grip(HAND.vertices + 1e3)
    inner = inner_subset(away, 30, seed=0)
    assert inner.vertices.any(axis=1).all() and all(away.contains(w) for w in inner.vertices)
    assert not inner_subset(HAND, 30, seed=0).vertices[-1].any()


def test_the_seed_decides_and_facts_say_so() -> None:
    assert inner_subset(HAND, 20, 4) == inner_subset(HAND, 20, 4) != inner_subset(HAND, 20, 5)
    assert outer_subset(HAND, 20, 4) == outer_subset(HAND, 20, 4) != outer_subset(HAND, 20, 5)
    for made in (inner_subset(HAND, 20, 4), outer_subset(HAND, 20, 4)):
        assert (made.metadata.n, made.metadata.seed, made.metadata.model_hash) == (20, 4, "abc")
        assert (made.label, made.length) == ("hand", HAND.length) and made.palm_gravity is not None


def test_the_box_reaches_as_far_as_the_vertices() -> None:
    box = bounding_box(HAND)
    np.testing.assert_allclose(box.support(np.eye(6)), HAND.vertices.max(axis=0))
    np.testing.assert_allclose(-box.support(-np.eye(6)), HAND.vertices.min(axis=0))
    assert len(bounding_box(FOOT).normals) == 7  # torques are none, the normal force starts at zero


def test_sets_without_planes_and_wrong_arguments_are_refused() -> None:
    everything = Grip(np.zeros((1, 6)), np.concatenate([np.eye(6), -np.eye(6)]))
    with pytest.raises(GeometryError, match="no plane stops the rays"):
        outer_subset(everything, 10)
    for call, message in (
        (lambda: inner_subset(HAND, 0), "n: is 0"),
        (lambda: outer_subset(HAND, 5, -1), "seed: is -1"),
        (lambda: inner_subset(bounding_box(HAND), 5), "grip: is a OuterGrip"),
    ):
        with pytest.raises(InputError, match=message):
            call()


LEARNED = """
import json, holdfast as hf
from studies.hauser.climber import hand_grip
from tests.grips.known_hands import opposed_points
pinch = hand_grip("pinch")
for hand, palm in ((pinch.assembly(), pinch.palm), (opposed_points(reach=0.05), None)):
    found = hf.learn_grip(hand, 20, palm=palm, acting="reaction")
    print(json.dumps([part.tolist() for part in (found.inner.vertices, found.outer.normals, found.outer.offsets)]))
"""


def test_symmetric_hands_are_learned_alike_by_every_kernel_of_the_linear_algebra_library():
    """The same wrenches and planes in the same order: the last bit of a product chooses none of them."""
    answers = []
    for kernel, without in (("Haswell", ""), ("Sandybridge", ""), ("Nehalem", "X86_V3 X86_V4")):
        own = {"OPENBLAS_CORETYPE": kernel, "NPY_DISABLE_CPU_FEATURES": without}
        ran = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", LEARNED],
            env={**os.environ, **own},
            capture_output=True,
            text=True,
            check=True,
        )
        answers.append([[np.array(side) for side in json.loads(line)] for line in ran.stdout.splitlines()])
    for other in answers[1:]:
        for mine, theirs in zip(answers[0], other, strict=True):
            for one, two in zip(mine, theirs, strict=True):
                np.testing.assert_allclose(two, one, atol=1e-9 * np.abs(one).max())

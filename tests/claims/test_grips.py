"""One hand as a set: supports of the full program, known hands learned exactly, truth between inner and outer."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy.optimize import linprog

import holdfast as hf
from holdfast.grips import Grip, GripBounds, OuterGrip
from tests.grips.known_hands import hinged, hull_support, jointed, opposed_points, parallelepiped, union_support
from tests.grips.proofs import proves
from tests.nightly import nightly_after
from tests.referee import random_rotation


def ways(n: int, length: float = 0.1, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, 6)) / np.repeat([1.0, length], 3)


@pytest.mark.parametrize("seed", nightly_after(5, range(60)))
@pytest.mark.parametrize("acting", ["direct", "reaction"])
def test_a_learned_hand_has_the_truth_between_inner_and_outer_and_its_vertices_are_held(seed, acting):
    hand = jointed(np.random.default_rng(seed), 2 + seed % 2, 1 + seed % 2)
    bounds = hf.learn_grip(hand, 30, seed=seed, acting=acting)
    sign = 1.0 if acting == "reaction" else -1.0
    for y in ways(6, seed=seed):
        truth = hull_support(hand, y, sign)
        slack = 1e-7 * max(1.0, abs(truth))
        assert bounds.inner.support(y) <= truth + slack and truth <= bounds.outer.support(y) + slack
    for vertex in bounds.inner.vertices[::7]:
        load = sign * vertex
        assert hf.load_limit(hand, load).value >= 1.0 - 2e-6


def test_six_lines_are_learned_exactly_and_opposed_fingertips_add_their_vertices():
    hand, edges = parallelepiped()
    bounds = hf.learn_grip(hand, 150, seed=1)
    y = ways(20)
    np.testing.assert_allclose(bounds.inner.support(y), np.abs(y @ edges.T).sum(axis=1), rtol=1e-7)
    np.testing.assert_allclose(bounds.outer.support(y), np.abs(y @ edges.T).sum(axis=1), rtol=1e-7)
    assert bounds.metadata.inner_error <= 1e-9 and bounds.metadata.outer_error <= 1e-9
    tips = opposed_points()
    expected = np.array([hull_support(tips, row, -1.0) for row in y])
    np.testing.assert_allclose(hf.learn_grip(tips, 100).inner.support(y), expected, rtol=1e-7)


def test_unions_on_hinges_reach_no_further_than_every_choice_of_pieces():
    hand = hinged(hf.models.gecko_two_way(8.0, cap=8.0), k=2, fingers=1)
    bounds = hf.learn_grip(hand, 40, seed=2, acting="reaction")
    for y in ways(5, seed=3):
        truth = union_support(hand, y)
        assert bounds.inner.support(y) <= truth + 1e-6 * abs(truth) and truth <= bounds.outer.support(y) * (1 + 1e-6)


@pytest.mark.parametrize(("acting", "sign"), [("direct", 1.0), ("reaction", -1.0)])
def test_one_suction_cup_pulls_the_body_or_is_pulled(acting, sign):
    volume = hf.models.suction(50.0, 0.5, facets=4, cap=30.0)
    cup = hf.Contact(np.array([0.1, 0.0, 0.0]), np.eye(3), volume)
    inner = hf.learn_grip(hf.Assembly([cup]), 50, acting=acting).inner
    assert inner.support([0, 0, sign, 0, 0, 0]) == pytest.approx(30.0)
    assert inner.support([0, 0, -sign, 0, 0, 0]) == pytest.approx(50.0)


def test_membership_has_three_answers_each_with_its_proof():
    box = np.array([3.0, 2.0, 1.0, 0.3, 0.2, 0.1])
    bounds = GripBounds(Grip.box(-0.8 * box, 0.8 * box), OuterGrip.box(-box, box))
    rng = np.random.default_rng(0)
    for wrench in rng.uniform(-1.3, 1.3, (60, 6)) * box:
        share = np.abs(wrench / box).max()
        inner, both = bounds.inner.contains(wrench), bounds.contains(wrench)
        assert (inner.status == "holds") is bool(share <= 0.8) and proves(bounds.inner, inner)
        assert both.status == ("holds" if share <= 0.8 else "undecided" if share <= 1.0 else "does not hold")
    assert bounds.gap > 0.0


def test_a_moved_grip_is_what_the_palm_gives_in_the_world_and_mirrors_twice_to_itself():
    rng = np.random.default_rng(1)
    grip = Grip(rng.normal(size=(12, 6)), rng.normal(size=(2, 6)))
    pose = hf.Pose(random_rotation(rng), rng.normal(size=3))
    moved = grip.moved(pose)
    np.testing.assert_allclose(moved.vertices, grip.vertices @ pose.wrench_transport().T, atol=1e-12)
    y = -np.abs(ways(8))
    np.testing.assert_allclose(grip.mirrored().mirrored().support(y), grip.support(y))
    assert grip.scaled(2.0).vertices == pytest.approx(2.0 * grip.vertices)


def test_the_support_of_vertices_and_rays_is_the_largest_product():
    rng = np.random.default_rng(2)
    grip = Grip(rng.normal(size=(9, 6)), np.array([[0, 0, 1.0, 0, 0, 0]]))
    for y in ways(10, 1.0):
        expected = np.inf if y[2] > 0 else float((grip.vertices @ y).max())
        assert grip.support(y) == pytest.approx(expected)
    outer = OuterGrip(np.vstack([np.eye(6), -np.eye(6)]), np.ones(12))
    for y in ways(4, 1.0):
        found = linprog(-y, A_ub=outer.normals, b_ub=outer.offsets, bounds=[(None, None)] * 6)
        assert outer.support(y) == pytest.approx(-found.fun)


def test_friction_cones_are_the_pyramids_of_their_facets():
    inner, outer = hf.coulomb_grip(0.5, sides=8), hf.coulomb_grip(0.5, sides=8, side="outer")
    slopes = [np.hypot(g.rays[:, 0], g.rays[:, 1]) / g.rays[:, 2] for g in (inner, outer)]
    np.testing.assert_allclose(slopes[0], 0.5)
    np.testing.assert_allclose(slopes[1], 0.5 / np.cos(np.pi / 8))


def test_a_proof_of_membership_with_another_point_does_not_stand():
    grip = Grip.box([-1] * 6, [1] * 6)
    inside, outside = grip.contains([0.5] * 6), grip.contains([2.0, 0, 0, 0, 0, 0])
    assert proves(grip, inside) and proves(grip, outside)
    assert not proves(grip, dataclasses.replace(inside, wrench=np.full(6, 0.6)))
    assert not proves(grip, dataclasses.replace(outside, wrench=np.full(6, 0.5)))

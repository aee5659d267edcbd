from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from holdfast.errors import GeometryError, InputError
from holdfast.geometry.frames import Pose, rotation_about
from holdfast.grips import Grip, GripBounds, GripFacts, OuterGrip, coulomb_grip, inner_subset, outer_subset
from holdfast.solvers import Status
from tests.grips.proofs import proves

RNG = np.random.default_rng(1)
HAND = Grip(RNG.standard_normal((150, 6)) * np.repeat([20.0, 2.0], 3), label="hand")
BOUNDS = GripBounds(inner_subset(HAND, 40, seed=0), outer_subset(HAND, 120, seed=0))


def test_an_inner_set_that_leaves_the_outer_one_is_refused() -> None:
    box = OuterGrip.box(-np.ones(6), np.ones(6))
    with pytest.raises(GeometryError, match=r"inner\.vertices\[0\]: stands 0.5 of the set's size beyond outer plane 2"):
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
    for share, way in zip(np.linspace(0.2, 2.5, 60), RNG.standard_normal((60, 6)), strict=True):
        w = share * way * np.repeat([12.0, 1.2], 3)
        answer = BOUNDS.contains(w)
        seen.add(answer.status)
        if answer.status is Status.HOLDS:
            assert proves(BOUNDS.inner, answer) and HAND.contains(w)
        elif answer.status is Status.DOES_NOT_HOLD:
            assert answer.separator is not None and not HAND.contains(w)
            assert (HAND.vertices @ answer.separator).max() <= answer.support * (1 + 1e-12) < answer.separator @ w
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
        assert made.facts.derived == inner.facts.derived == outer.facts.derived == derived
        assert replace(made.facts, derived="") == BOUNDS.facts
    assert BOUNDS.with_label("left").outer.label == "left" and BOUNDS.with_label("left") == BOUNDS
    assert hash(BOUNDS.with_label("left")) == hash(BOUNDS) and BOUNDS.scaled(2.0) != BOUNDS and BOUNDS != HAND
    thin = BOUNDS.thinned()
    y = RNG.standard_normal((20, 6))
    np.testing.assert_allclose(thin.inner.support(y), BOUNDS.inner.support(y))
    np.testing.assert_allclose(thin.outer.support(y), BOUNDS.outer.support(y), rtol=1e-7)


def test_facts_are_those_given_or_of_the_inner_grip() -> None:
    assert BOUNDS.facts == BOUNDS.inner.facts
    facts = GripFacts(n=7)
    assert GripBounds(BOUNDS.inner, BOUNDS.outer, facts).facts is facts
    assert repr(BOUNDS).startswith("GripBounds('hand', ") and BOUNDS.palm_gravity is None
    assert BOUNDS.length == HAND.length

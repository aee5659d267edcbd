from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import GeometryError, InputError
from holdfast.grips import Grip, GripBounds, GripFacts, bounding_box, coulomb_grip, inner_subset, outer_subset

RNG = np.random.default_rng(2)
HAND = Grip(
    RNG.standard_normal((200, 6)) * np.repeat([20.0, 2.0], 3) + np.repeat([5.0, 0.2], 3),
    label="hand",
    palm_gravity=[0, 0, -9.81],
    facts=GripFacts(method="learned", model_hash="abc", n=200, seed=9),
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
        assert (made.facts.n, made.facts.seed, made.facts.model_hash) == (20, 4, "abc")
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

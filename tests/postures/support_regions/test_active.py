"""The constraint that a centre of mass meets: its edge, its proof, and the hands at their limit."""

from __future__ import annotations

import numpy as np
import pytest
from tests.postures.known_regions import GRAVITY, MASS, foot, standing, strong_hands

from holdfast.errors import InputError
from holdfast.postures import support_region


def test_on_flat_ground_the_feet_away_from_the_edge_give_nothing() -> None:
    square = support_region(foot(), standing([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]), MASS, GRAVITY)
    edge = square.active([0.5, 0.9, 2.0])
    assert edge is not None
    assert np.allclose(edge.direction, [0.0, 1.0, 0.0]) and edge.slack == pytest.approx(0.1)
    assert sorted(hand.hand for hand in edge.hands) == [0, 1]
    assert all(hand.vertices.tolist() == [0] and not len(hand.rays) for hand in edge.hands)
    beyond = square.active([0.5, 1.4])
    assert beyond is not None and beyond.edge == edge.edge and beyond.slack == pytest.approx(-0.4)


def test_on_an_edge_every_hand_gives_all_it_can_along_the_multiplier() -> None:
    grips, poses = strong_hands(40, 1)
    region = support_region(grips, poses, MASS, GRAVITY)
    middle = 0.5 * (region.vertices[0] + region.vertices[1])
    edge = region.active(middle)
    assert edge is not None and edge.edge == 0 and edge.slack == pytest.approx(0.0, abs=1e-9)
    mixed = 0.5 * (region.proof.wrenches[0] + region.proof.wrenches[1])
    assert len(edge.hands) == 3 and edge.hands[0].share == 1.0
    for hand in edge.hands:
        assert hand.normal @ mixed[hand.hand] == pytest.approx(hand.support, rel=1e-9)
        used = {int(i) for corner in (0, 1) for i in region.proof.weights[corner][hand.hand].indices}
        assert used <= set(hand.vertices.tolist())
    # together they are the edge's offset
    base, _ = region.weight.wanted(region.centring.centre)
    total = sum(hand.support for hand in edge.hands) - region.centring.from_world(edge.multiplier) @ base
    assert total + edge.normal @ region.frame.coordinates(region.centring.centre) == pytest.approx(edge.offset)


def test_an_empty_region_names_the_separating_multiplier() -> None:
    nothing = support_region(foot(), standing([[0, 0, 0]], [[0.0, 0.0, -1.0]]), MASS, GRAVITY)
    limit = nothing.active([0.0, 0.0])
    assert limit is not None and limit.edge == -1 and limit.slack == -np.inf
    assert np.array_equal(limit.multiplier, nothing.proof.separator)


def test_one_centre_of_mass_at_a_time() -> None:
    one = support_region(foot(), standing([[0, 0, 0]]), MASS, GRAVITY)
    with pytest.raises(InputError, match="one centre of mass"):
        one.active([[0.0, 0.0], [1.0, 0.0]])

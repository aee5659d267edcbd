from __future__ import annotations

import numpy as np

import holdfast as hf
from holdfast.grips.learning import is_convex, learn_grip, most_used, one_piece_hand, sure_vertices
from holdfast.grips.supports import Asking, SupportTask
from tests.grips.known_hands import box, crossed, hinged


def test_everything_between_sure_vertices_is_held():
    hand = hinged(crossed(), k=3, torque=0.5)
    vertices = sure_vertices(Asking(SupportTask(hand, 1.0)), 60, 8, seed=0)
    rng = np.random.default_rng(1)
    weights = rng.dirichlet(np.full(len(vertices), 0.1), size=60)
    answers = hf.Solver(hand).equilibrium_many((1.0 - 1e-9) * weights @ vertices, threads=1)
    assert answers.holds.all()


def test_between_other_vertices_not_everything_is():
    hand = hinged(crossed(), k=3, fingers=1, torque=0.5)
    bounds = learn_grip(hand, 60, acting="reaction")
    assert bounds.facts.concavity > 0.05
    sure = learn_grip(hand, 60, acting="reaction", surely=True)
    assert sure.facts.concavity == 0.0
    assert sure.facts.method == "greedy, one piece a contact"
    assert sure.facts.inner_error > bounds.facts.inner_error
    np.testing.assert_array_equal(sure.outer.offsets, bounds.outer.offsets)


def test_the_piece_that_reaches_furthest_is_kept():
    large, small = box(10.0, 10.0, 10.0).pieces[0], box(1.0, 1.0, 12.0).pieces[0]
    hand = hf.Assembly([hf.Contact(np.zeros(3), np.eye(3), hf.ForceVolume([small, large]))])
    single = one_piece_hand(hand, seed=0)
    assert is_convex(single)
    assert not is_convex(hand)
    np.testing.assert_allclose(single.contacts[0].volume.volume, 8000.0)


def test_ties_go_to_the_first_piece():
    assert most_used(np.array([2, 1, 2, 1, -1]), 4) == 1

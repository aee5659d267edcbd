"""Braces: the torque chosen, and the reason where there is none."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.planar.chains import Chain
from holdfast.planar.disturbances import brace
from holdfast.planar.motion_sets import system_motions
from tests.planar.greenfield import BOX, LEFT, LENGTH, MASS, RIGHT

SNAKE = Chain([LENGTH] * 5, MASS)
POSTURE = np.concatenate([[0.0, 0.0], np.deg2rad([135.0, -90.0, 60.0, -40.0, 30.0])])


def contacts(mu: float) -> list:
    return [(0, RIGHT, mu), (1, LEFT, mu), (2, RIGHT, mu)]


def test_the_papers_brace_is_held_by_the_least_torque_with_a_margin():
    found = brace(SNAKE, 2, POSTURE, contacts(0.3), disturbance=BOX, margin=0.05)
    assert found.holds and np.allclose(found.torque, [-0.61210 - 0.05], atol=1e-5) and np.isclose(found.margin, 0.05)


def test_with_limits_the_deepest_torque_is_taken():
    found = brace(SNAKE, 2, POSTURE, contacts(0.3), disturbance=BOX, limits=(-1.0, 1.0))
    assert found.holds and np.allclose(found.torque, [-(1.0 + 0.61210) / 2], atol=1e-5)


@pytest.mark.parametrize(
    ("options", "status", "word"),
    [
        ({"limits": (-0.5, 0.5)}, "infeasible", "no torque"),
        ({"limits": (-0.7, 0.5), "margin": 0.1}, "thin", "margin"),
    ],
)
def test_a_brace_that_cannot_hold_says_why(options, status, word):
    found = brace(SNAKE, 2, POSTURE, contacts(0.3), disturbance=BOX, **options)
    assert found.status == status and word in found.reason and not found.holds


def test_a_brace_whose_free_nodes_fall_is_not_held():
    """Three of seven nodes touch: the torque chosen leaves one motion, and that is none."""
    chain = Chain([LENGTH] * 6, MASS)
    q = np.concatenate([[0.0, 0.0], np.deg2rad([160.0, -20.0, -20.0, -60.0, -20.0, -20.0])])
    touching = [(0, RIGHT, 0.3), (3, LEFT, 0.3), (6, RIGHT, 0.3)]
    found = brace(chain, 6, q, touching, limits=(-2.0, 2.0))
    moving = system_motions(chain.system(q, None, touching), found.torque)
    assert found.holds and moving.status == "unique" and np.abs(moving.acceleration).max() < 1e-8


def test_nothing_holds_a_chain_in_the_air():
    found = brace(Chain([LENGTH] * 2, MASS), 2, [0.0, 0.0, 1.0, 0.3], [])
    assert found.status == "infeasible" and not found.holds


def test_more_links_than_there_are_cannot_brace():
    with pytest.raises(InputError) as caught:
        brace(SNAKE, 6, POSTURE, contacts(0.3))
    assert caught.value.where == "links"


def test_rough_walls_make_weak_braces_ambiguous():
    found = brace(SNAKE, 2, POSTURE, contacts(2.0), limits=(-0.05, 0.5))
    assert found.status == "ambiguous" and "SFF" in found.reason

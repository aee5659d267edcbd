"""Disturbances: the free part against Newton's law on its masses, boxes against dense times, friction.

Braces: the torque chosen, and the reason where there is none.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.planar.chains import Chain, RestToRest
from holdfast.planar.disturbances import brace, free_part_disturbance, free_part_forces
from holdfast.planar.motion_sets import system_motions
from holdfast.planar.system import System
from holdfast.planar.torques import torque_sets
from tests.planar.greenfield import BOX, GRAVITY, LEFT, LENGTH, MASS, RIGHT, two_links

BRACE = np.deg2rad([135.0, -90.0])
SNAKE = Chain([LENGTH] * 5, MASS)


def reach() -> RestToRest:
    """Three free links swing over a standing brace of two."""
    start = np.concatenate([[0.0, 0.0], BRACE, np.deg2rad([80.0, -60.0, -50.0])])
    end = np.concatenate([[0.0, 0.0], BRACE, np.deg2rad([60.0, -40.0, 30.0])])
    return RestToRest(start, end, 0.8)


def test_forces_of_the_free_part_are_its_weight_less_its_acceleration():
    """Node accelerations by second differences of positions; forces and moments of m (g - a) about the brace's joints."""
    motion = reach()
    times, step = np.array([0.1, 0.37, 0.62]), 1e-4
    found = free_part_forces(SNAKE, 2, *motion.at(times))
    for time, forces in zip(times, found, strict=True):
        before, now, after = (SNAKE.nodes(motion.at([time + s * step])[0][0]) for s in (-1, 0, 1))
        pulls = MASS * (np.array([0.0, -GRAVITY]) - (after - 2 * now + before) / step**2)[3:]
        arms = [now[3:] - now[joint] for joint in (0, 1)]
        moments = [float((arm[:, 0] * pulls[:, 1] - arm[:, 1] * pulls[:, 0]).sum()) for arm in arms]
        assert np.allclose(forces, [*pulls.sum(axis=0), *moments], atol=2e-6)


def test_a_standing_free_part_of_three_nodes_weighs_two_and_a_half_newtons():
    q = reach().start
    forces = free_part_forces(SNAKE, 2, q, 0 * q, 0 * q)[0]
    assert np.allclose(forces[:2], [0.0, -3 * MASS * GRAVITY])
    pushed = free_part_forces(SNAKE, 2, q, 0 * q, 0 * q, pushes=[(5, (1.0, 2.0))])[0]
    arm = SNAKE.nodes(q)[5] - SNAKE.nodes(q)[1]
    assert np.allclose((pushed - forces)[[0, 1, 3]], [1.0, 2.0, arm[0] * 2.0 - arm[1] * 1.0])


@pytest.mark.parametrize("samples", [3, 9, 41])
def test_the_box_holds_between_its_samples(samples):
    motion = reach()
    box = free_part_disturbance(SNAKE, 2, [motion], samples)
    dense = free_part_forces(SNAKE, 2, *motion.at(np.linspace(0, motion.duration, 801)))
    low, high = box.set.centre - box.set.basis.sum(axis=1), box.set.centre + box.set.basis.sum(axis=1)
    assert (dense >= low - 1e-12).all() and (dense <= high + 1e-12).all()
    assert box.method == "certified" and (box.widening > 0).all()


def test_a_moving_brace_is_refused():
    q = reach().start
    with pytest.raises(InputError, match="moves"):
        free_part_forces(SNAKE, 2, q, np.ones_like(q), 0 * q)


def test_motions_start_and_end_at_rest_within_their_bounds():
    motion = reach()
    q, qd, qdd = motion.at(np.linspace(0, motion.duration, 2001))
    assert np.allclose(q[[0, -1]], [motion.start, motion.end]) and not qd[[0, -1]].any() and not qdd[[0, -1]].any()
    step = motion.duration / 2000
    assert np.allclose(np.diff(q, axis=0) / step, 0.5 * (qd[1:] + qd[:-1]), atol=1e-4)
    assert np.allclose(np.diff(qd, axis=0) / step, 0.5 * (qdd[1:] + qdd[:-1]), atol=1e-2)
    speed, acceleration, jerk = motion.bounds()
    assert np.allclose(np.abs(qd).max(axis=0), speed, rtol=1e-5) and np.allclose(
        np.abs(qdd).max(axis=0), acceleration, rtol=1e-5
    )
    assert (np.abs(np.diff(qdd, axis=0) / step) <= jerk + 1e-9).all()


def with_friction(system: System, mu) -> System:
    return System(system.mass_matrix, system.bias, system.selector, system.normal_jacobian, system.tangent_jacobian, mu)


@pytest.mark.parametrize(("low", "high"), [(0.25, 0.5), (0.8, 1.4), (1.2, 1.3)])
def test_friction_in_an_interval_is_feasible_for_all_and_ambiguous_for_any(low, high):
    """Against one analysis for each of 3^3 choices of the three coefficients."""
    system = two_links()
    tau = np.linspace(-0.4, 0.2, 61) + 1e-4
    robust = torque_sets(system, "FFF", friction=(low, high)).classify(tau)
    grid = [
        torque_sets(with_friction(system, mu), "FFF").classify(tau)
        for mu in product(np.linspace(low, high, 3), repeat=3)
    ]
    grid = np.array(grid)
    expected = np.where((grid == "infeasible").any(axis=0), "infeasible", "unique")
    expected[(expected == "unique") & (grid == "ambiguous").any(axis=0)] = "ambiguous"
    assert (robust == expected).all()


def test_a_sliding_contact_of_the_wanted_mode_needs_one_coefficient():
    with pytest.raises(InputError, match="slides"):
        torque_sets(two_links(), "FFR", friction=(0.2, 0.4))


def test_bad_pushes_motions_and_errors_are_refused():
    q = reach().start
    still = np.zeros(7)
    for node in (-1, 1, 2, 6, 2.5):
        with pytest.raises(InputError) as caught:
            free_part_forces(SNAKE, 2, q, still, still, [(node, (1.0, 0.0))])  # type: ignore[list-item]
        assert caught.value.where == "pushes[0].node"
    with pytest.raises(InputError, match="force"):
        free_part_forces(SNAKE, 2, q, still, still, [(4, (1.0, 0.0, 2.0))])
    with pytest.raises(InputError, match="motions"):
        free_part_disturbance(SNAKE, 2, [])


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

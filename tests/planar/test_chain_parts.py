"""Parts of chains: the same mechanics counted from the other end."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.planar.chains import Chain, first_links, turned

SNAKE = Chain([0.3, 0.5, 0.2, 0.4], [0.1, 0.2, 0.3, 0.4, 0.5], link_masses=[0.05, 0.1, 0.0, 0.2])


def turned_posture(chain: Chain, q: np.ndarray) -> np.ndarray:
    """q of `turned(chain)` in the same place."""
    return np.concatenate([chain.nodes(q)[-1], [chain.angles(q)[-1] + np.pi], -q[3:][::-1]])


def test_a_turned_snake_has_the_same_nodes_in_reverse():
    q = np.random.default_rng(0).normal(size=6)
    assert np.allclose(turned(SNAKE).nodes(turned_posture(SNAKE, q)), SNAKE.nodes(q)[::-1])


def test_joint_torques_at_rest_come_in_reverse_and_negated():
    """The torque a joint needs against gravity, by virtual work: only the sign convention of its angle differs."""
    q = np.random.default_rng(1).normal(size=6)
    torque = np.array([1.0, -2.0, 0.5])
    system, other = SNAKE.system(q), turned(SNAKE).system(turned_posture(SNAKE, q))
    a = np.linalg.solve(system.mass_matrix, system.bias + system.selector @ torque)
    b = np.linalg.solve(other.mass_matrix, other.bias + other.selector @ -torque[::-1])
    ahead, _ = SNAKE.point_kinematics(q, np.zeros(6), SNAKE.node_paths)
    behind, _ = turned(SNAKE).point_kinematics(turned_posture(SNAKE, q), np.zeros(6), turned(SNAKE).node_paths)
    assert np.allclose(ahead @ a, (behind @ b)[::-1])


def test_the_first_links_keep_their_masses():
    part = first_links(SNAKE, 2)
    assert part.masses.tolist() == [0.1, 0.2, 0.3] and part.link_masses.tolist() == [0.05, 0.1]


def test_trees_and_too_many_links_are_refused():
    with pytest.raises(InputError):
        turned(Chain([1.0, 1.0, 1.0], 1.0, parents=(0, 1, 1)))
    with pytest.raises(InputError):
        first_links(SNAKE, 5)

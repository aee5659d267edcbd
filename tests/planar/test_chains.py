"""Contacts of chains: what is a contact, and where its normal points.

Chains: kinematics and dynamics against finite differences, the energy and hand calculation.

Parts of chains: the same mechanics counted from the other end.

Motions from rest to rest: refusals; their derivatives are checked with the disturbances they make.
"""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.planar.chains import Chain, LinkContact, NodeContact, RestToRest, contact_of, first_links, turned


def test_normals_are_scaled_to_unit_length():
    assert np.allclose(NodeContact(0, (3.0, 4.0), 0.5).normal, [0.6, 0.8])


def test_a_corner_to_the_right_of_a_link_pushes_it_to_the_left():
    angle = np.deg2rad(90.0)
    assert np.allclose(LinkContact(0, 0.5, 1, 0.3).normal_at(np.array([angle])), [-1.0, 0.0])
    assert np.allclose(LinkContact(0, 0.5, -1, 0.3).normal_at(np.array([angle])), [1.0, 0.0])


def test_a_triple_is_a_node_contact():
    contact = contact_of((1, (0.0, 2.0), 0.4), 2)
    assert isinstance(contact, NodeContact) and contact.node == 1 and contact.mu == 0.4


@pytest.mark.parametrize("build", [lambda: LinkContact(0, 1.5, 1, 0.3), lambda: LinkContact(0, 0.5, 2, 0.3)])
def test_impossible_corners_are_refused(build):
    with pytest.raises(InputError):
        build()


def test_a_link_that_is_not_there_is_refused():
    with pytest.raises(InputError, match="no link 2"):
        contact_of(LinkContact(2, 0.5, 1, 0.3), 2)


STEP = 1e-5


def trees() -> list[Chain]:
    """A snake, a weighted arm, a tree with branches at its root and further out."""
    return [
        Chain([0.3, 0.5, 0.2], 0.4),
        Chain([0.3, 0.5], [0.1, 0.0, 0.7], link_masses=[0.2, 0.6], gravity=(0.4, -3.0)),
        Chain([0.3, 0.5, 0.2, 0.4, 0.25], 0.3, inertias=0.02, parents=(0, 1, 0, 2, 2)),
    ]


def states(chain: Chain, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=chain.coordinate_count), rng.normal(size=chain.coordinate_count)


def test_nodes_of_the_two_link_snake_touch_both_walls():
    q = (0.0, 0.0, np.deg2rad(135.0), np.deg2rad(-90.0))
    half = 0.127 / np.sqrt(2.0)
    assert np.allclose(Chain([0.127] * 2, 0.0849).nodes(q), [[0, 0], [-half, half], [0, 2 * half]])


def test_a_branch_starts_where_its_parent_node_is():
    chain = trees()[2]
    q, _ = states(chain, 0)
    nodes, phi = chain.nodes(q), chain.angles(q)
    assert np.allclose(phi, [q[2], q[2] + q[3], q[2] + q[4], q[2] + q[3] + q[5], q[2] + q[3] + q[6]])
    for link, start in enumerate(chain.parents):
        step = nodes[link + 1] - nodes[start]
        assert np.allclose(step, chain.links[link] * np.array([np.cos(phi[link]), np.sin(phi[link])]))


@pytest.mark.parametrize("index", range(3))
def test_jacobians_and_their_drift_are_derivatives_of_the_nodes(index: int):
    chain = trees()[index]
    q, qd = states(chain, index)
    paths = chain.node_paths
    jacobians, drift = chain.point_kinematics(q, qd, paths)
    for j, e in enumerate(np.eye(len(q)) * STEP):
        assert np.allclose(jacobians[:, :, j], (chain.nodes(q + e) - chain.nodes(q - e)) / (2 * STEP), atol=1e-8)
    ahead, behind = (chain.point_kinematics(q + s * STEP * qd, qd, paths)[0] for s in (1, -1))
    assert np.allclose(drift, ((ahead - behind) / (2 * STEP)) @ qd, atol=1e-8)


@pytest.mark.parametrize("index", range(3))
def test_dynamics_are_lagranges_equations_of_the_energy(index: int):
    """d/dt dT/dqd - dT/dq + dV/dq = M a + C qd + g, all derivatives of T and V by differences."""
    chain = trees()[index]
    q, qd = states(chain, 7 + index)
    mass_matrix, coriolis, weight = chain.dynamics(q, qd)
    eye = np.eye(len(q)) * STEP
    assert np.isclose(0.5 * qd @ mass_matrix @ qd, chain.energy(q, qd)[0])
    slope = np.array([np.subtract(chain.energy(q + e, qd), chain.energy(q - e, qd)) for e in eye]) / (2 * STEP)
    ahead, behind = (chain.dynamics(q + s * STEP * qd)[0] for s in (1, -1))
    assert np.allclose(coriolis, ((ahead - behind) / (2 * STEP)) @ qd - slope[:, 0], atol=1e-7)
    assert np.allclose(weight, slope[:, 1], atol=1e-7)


@pytest.mark.parametrize("index", range(3))
def test_forces_along_a_motion_are_those_of_each_instant(index: int):
    chain = trees()[index]
    q, qd, qdd = np.random.default_rng(index).normal(size=(3, 6, chain.coordinate_count))
    along = chain.inverse_dynamics(q, qd, qdd)
    for i in range(len(q)):
        mass_matrix, coriolis, weight = chain.dynamics(q[i], qd[i])
        assert np.allclose(along[i], mass_matrix @ qdd[i] + coriolis + weight)


@pytest.mark.parametrize("base", ["free", "pinned", "welded"])
def test_power_of_torques_and_weight_changes_the_energy(base):
    """dT/dt along the accelerations of the System is the power of its bias and torques, for every base."""
    chain = Chain([0.3, 0.5, 0.2], 0.4, base=base, passive=(2,))
    q, qd = states(chain, 3)
    held = np.setdiff1d(np.arange(5), chain.free)
    qd[held] = 0.0
    system = chain.system(q, qd)
    torque = np.arange(1.0, 1.0 + len(chain.actuated))
    a = np.zeros(5)
    a[chain.free] = np.linalg.solve(system.mass_matrix, system.bias + system.selector @ torque)
    step = 1e-6

    def total(time: float) -> float:
        return sum(chain.energy(q + time * qd + time**2 / 2 * a, qd + time * a))

    assert np.isclose((total(step) - total(-step)) / (2 * step), qd[chain.actuated] @ torque, rtol=1e-6)
    assert len(torque) == {"free": 1, "pinned": 2, "welded": 1}[base]


def test_contact_rows_are_derivatives_of_gap_and_slip():
    """A node on a wall and a corner under a link: gap(t) and slip(t) differentiated twice along a parabola in q."""
    chain = trees()[0]
    q, qd = states(chain, 5)
    normal = np.array([0.6, 0.8])
    link, along = 1, 0.3
    system = chain.system(q, qd, [NodeContact(2, normal, 0.5), LinkContact(link, along, -1, 0.4)])
    acceleration = np.random.default_rng(1).normal(size=5)
    nodes = chain.nodes(q)
    corner = nodes[link] + along * (nodes[link + 1] - nodes[link])

    def at(time: float) -> tuple[float, float, float]:
        posture = q + time * qd + 0.5 * time**2 * acceleration
        places, phi = chain.nodes(posture), chain.angles(posture)[link]
        gap = -np.array([-np.sin(phi), np.cos(phi)]) @ (places[link] - corner)
        return normal @ places[2], np.array([normal[1], -normal[0]]) @ places[2], gap

    before, now, after = (np.array(at(time)) for time in (-1e-4, 0.0, 1e-4))
    speed, curve = (after - before) / 2e-4, (after - 2 * now + before) / 1e-8
    an = system.normal_jacobian @ acceleration + system.normal_bias
    at_ = system.tangent_jacobian @ acceleration + system.tangent_bias
    assert np.allclose([system.normal_velocity[0], system.tangent_velocity[0], system.normal_velocity[1]], speed)
    assert np.allclose([an[0], at_[0], an[1]], curve, atol=1e-5)


@pytest.mark.parametrize(
    ("arguments", "options", "place"),
    [
        (([], 1.0), {}, "links"),
        (([1.0, -1.0], 1.0), {}, "links"),
        (([1.0, 1.0], [1.0, 1.0]), {}, "masses"),
        (([1.0, 1.0], -1.0), {}, "masses"),
        (("a", 1.0), {}, "links"),
        ((None, 1.0), {}, "links"),
        (([1.0, [1.0, 2.0]], 1.0), {}, "links"),
        (([1.0, 1.0], "a"), {}, "masses"),
        (([1.0, 1.0], 1.0, "a"), {}, "gravity"),
        (([1.0, 1.0], 1.0), {"parents": 3}, "parents"),
        (([1.0, 1.0], 1.0), {"passive": 1}, "passive"),
        (([1.0, 1.0], 1.0), {"parents": (0, 2)}, "parents"),
        (([1.0, 1.0], 1.0), {"base": "glued"}, "base"),
        (([1.0, 1.0], 1.0), {"passive": (2,)}, "passive"),
    ],
)
def test_bad_chains_are_refused_by_name(arguments, options, place):
    with pytest.raises(InputError) as caught:
        Chain(*arguments, **options)
    assert place in caught.value.where


def test_contacts_are_a_list():
    with pytest.raises(InputError, match="contacts"):
        Chain([1.0, 1.0], 1.0).system(np.zeros(4), None, None)  # type: ignore[arg-type]


@pytest.mark.parametrize("contact", [(3, (1, 0), 0.3), (0, (0, 0), 0.3), (0, (1, 0), -1.0), (0, (1, 0)), 5])
def test_bad_contacts_are_refused(contact):
    with pytest.raises(InputError):
        Chain([1.0, 1.0], 1.0).system(np.zeros(4), None, [contact])


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


def test_halfway_in_time_is_halfway_on_the_way():
    q, qd, qdd = RestToRest([0.0, 1.0], [2.0, 1.0], 4.0).at(2.0)
    assert np.allclose(q, [[1.0, 1.0]]) and np.allclose(qd, [[2.0 * 15 / 8 / 4.0, 0.0]]) and np.allclose(qdd, 0.0)


@pytest.mark.parametrize("build", [lambda: RestToRest([0.0], [1.0, 2.0], 1.0), lambda: RestToRest([0.0], [1.0], 0.0)])
def test_bad_motions_are_refused(build):
    with pytest.raises(InputError):
        build()


def test_times_outside_the_motion_are_refused():
    with pytest.raises(InputError, match="outside"):
        RestToRest([0.0], [1.0], 1.0).at([1.5])

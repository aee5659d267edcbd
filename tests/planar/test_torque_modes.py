"""Modes that torques admit: the pruned tree against every mode tried by HiGHS."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.planar.bodies import Body, Contact
from holdfast.planar.chains import Chain, LinkContact, NodeContact
from holdfast.planar.motion_sets import motions, system_motions
from holdfast.planar.torque_space import TorqueSpace, admitted_modes, is_met, meeting_modes, stacked
from tests.planar.greenfield import six_links, slack_of, two_links


@pytest.mark.parametrize("seed", range(12))
def test_admitted_modes_are_those_that_linear_programs_find(seed):
    rng = np.random.default_rng(seed)
    chain = Chain(rng.uniform(0.5, 1.5, 2), rng.uniform(0.2, 1.0, 3))
    contacts = [(int(rng.integers(0, 3)), rng.normal(size=2), float(rng.choice([0.0, 0.5, 2.0]))) for _ in range(2)]
    system = chain.system(rng.normal(size=4), None, contacts)
    tau = rng.normal(size=1) * 3.0
    slacks = {"".join(mode): slack_of(system, "".join(mode), tau) for mode in product("SFRL", repeat=2)}
    if any(0.0 <= slack < 1e-5 for slack in slacks.values()):
        return
    assert set(admitted_modes(system, tau)) == {mode for mode, slack in slacks.items() if slack > 0}


def test_the_tree_of_the_six_link_snake_is_smaller_than_all_modes_of_its_prefixes():
    space = TorqueSpace(six_links())
    found = meeting_modes(space, stacked([], space.width))
    assert len(found.modes) <= 64 and found.visited <= 1 + 4 + 16 + 64


def test_a_held_snake_admits_only_standing_still():
    assert admitted_modes(two_links(), [-0.2]) == ("FFF",)
    assert "FFF" not in admitted_modes(two_links(), [-0.19])


def test_a_cone_that_only_touches_a_strict_row_does_not_meet_it():
    rows = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]])
    assert is_met(rows, np.array([False, False, True]))
    assert not is_met(rows, np.array([True, False, False]))


def velocity_touching(rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A random velocity that moves every contact along its wall only."""
    _, values, right = np.linalg.svd(rows)
    free = right[int((values > 1e-9).sum()) :]
    return rng.normal(size=len(free)) @ free


@pytest.mark.parametrize("seed", range(120))
def test_a_one_link_chain_and_a_rigid_body_have_the_same_modes(seed):
    """k = 1..4 contacts at the two ends and under the link, at rest and moving, duplicates and parallels included."""
    rng = np.random.default_rng(seed)
    chain = Chain([1.4], rng.uniform(0.3, 1.0, 2), link_masses=[0.2], gravity=rng.normal(size=2) * 5)
    phi = rng.uniform(-3, 3)
    q = np.array([*rng.normal(size=2), phi])
    contacts = []
    for _ in range(int(rng.integers(1, 5))):
        mu = float(rng.choice([0.0, 0.4, 1.0, 2.0]))
        if rng.random() < 0.4:
            contacts.append(LinkContact(0, float(rng.choice([0.2, 0.7])), float(rng.choice([-1, 1])), mu))
        else:
            angle = rng.choice([0.0, np.pi / 2, np.pi, rng.uniform(0, 2 * np.pi)])
            contacts.append(NodeContact(int(rng.integers(0, 2)), (np.cos(angle), np.sin(angle)), mu))
    speed = np.zeros(3)
    if rng.random() < 0.5:
        speed = velocity_touching(chain.system(q, None, contacts).normal_jacobian, rng)
    system = chain.system(q, speed, contacts)
    masses = np.append(chain.masses, 0.2)
    places = np.vstack([chain.nodes(q), chain.nodes(q).mean(axis=0)])
    middle = masses @ places / masses.sum()
    inertia = masses @ ((places - middle) ** 2).sum(axis=1) + chain.inertias[0]
    along = np.array([np.cos(phi), np.sin(phi)])
    bodies = []
    for contact in contacts:
        on_link = isinstance(contact, LinkContact)
        point = places[0] + 1.4 * contact.along * along if on_link else places[contact.node]
        bodies.append(
            Contact(contact.normal_at(np.array([phi])), middle - point, contact.mu, "edge" if on_link else "vertex")
        )
    arm = middle - places[0]
    velocity = (speed[0] - speed[2] * arm[1], speed[1] + speed[2] * arm[0], speed[2])
    answer = motions(
        Body(masses.sum(), np.sqrt(inertia / masses.sum())), bodies, [*(masses.sum() * chain.gravity), 0.0], velocity
    )
    assert set(admitted_modes(system, [])) == set(answer.modes)


@pytest.mark.parametrize("seed", range(120))
def test_modes_of_a_chain_under_torques_agree_with_its_motions(seed):
    """Two searches that share no code beyond small programs: letters one by one here, faces of the contacts there."""
    rng = np.random.default_rng(seed)
    chain = Chain(rng.uniform(0.5, 1.5, 3), rng.uniform(0.2, 1.0, 4))
    contacts = [
        (int(rng.integers(0, 4)), rng.normal(size=2), float(rng.choice([0.0, 0.5, 1.5])))
        for _ in range(int(rng.integers(1, 6)))
    ]
    q = rng.normal(size=5)
    speed = np.zeros(5)
    if rng.random() < 0.3:
        speed = velocity_touching(chain.system(q, None, contacts).normal_jacobian, rng)
    system = chain.system(q, speed, contacts)
    tau = rng.normal(size=2) * 3.0
    assert set(admitted_modes(system, tau)) == set(system_motions(system, tau).modes)


def test_what_is_no_system_is_refused():
    with pytest.raises(InputError, match="system"):
        admitted_modes(None, [0.0])  # type: ignore[arg-type]

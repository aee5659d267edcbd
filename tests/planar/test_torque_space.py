"""Tasks: rows of the right size, or a refusal that says what is wrong.

Disturbance sets: boxes and hulls in one form, against their own corners.

The space of the analysis: its rows are the laws of the system at physical points.

Modes that torques admit: the pruned tree against every mode tried by HiGHS.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.planar.bodies import Body, Contact
from holdfast.planar.chains import Chain, LinkContact, NodeContact
from holdfast.planar.motion_sets import motions, system_motions
from holdfast.planar.torque_space import (
    DisturbanceSet,
    Task,
    TorqueSpace,
    admitted_modes,
    disturbance_of,
    is_met,
    meeting_modes,
    stacked,
    standstill,
)
from holdfast.planar.torques import torque_sets
from tests.nightly import nightly_after
from tests.planar.greenfield import BOX, six_links, slack_of, two_links


def test_rows_stand_in_the_order_accelerations_forces_torques():
    rows, right = Task(a=[1.0, 2.0], tau=[3.0], c=4.0).rows(2, 2, 1)
    assert rows.tolist() == [[1.0, 2.0, 0.0, 0.0, 3.0]] and right.tolist() == [4.0]


def test_a_task_may_have_several_rows():
    rows, right = Task(a=np.eye(2), f=[1.0, 0.0]).rows(2, 2, 0)
    assert rows.tolist() == [[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 1.0, 0.0]] and right.tolist() == [0.0, 0.0]


def test_standstill_asks_every_acceleration_to_vanish():
    assert np.allclose(np.vstack([task.rows(3, 0, 0)[0] for task in standstill(3)]), np.eye(3))


@pytest.mark.parametrize("options", [{}, {"a": [1.0], "kind": "<="}, {"a": [np.nan]}, {"a": [1.0], "c": [[1.0]]}])
def test_bad_tasks_are_refused(options):
    with pytest.raises(InputError):
        Task(**options)


def test_wrong_sizes_are_refused_where_they_meet_a_system():
    with pytest.raises(InputError, match="this system has 3"):
        Task(a=[1.0, 2.0]).rows(3, 0, 0)
    with pytest.raises(InputError, match="rows"):
        Task(a=np.eye(3), tau=np.eye(2)).rows(3, 0, 2)


def test_ragged_rows_are_told():
    with pytest.raises(InputError, match="a: has rows of different lengths"):
        Task(a=[[1, 0], [1]])


def test_a_boxs_corners_are_its_corners_and_certain_coordinates_have_no_extent():
    box = DisturbanceSet.box([np.nan, -1.0, 2.0], [np.nan, 3.0, 2.0])
    assert box.basis.shape == (3, 1)
    assert sorted(map(tuple, box.vertices)) == [(0.0, -1.0, 2.0), (0.0, 3.0, 2.0)]


@pytest.mark.parametrize("seed", range(5))
def test_a_hull_of_any_dimension_has_the_lowest_values_of_its_vertices(seed):
    rng = np.random.default_rng(seed)
    flat = rng.integers(1, 4)
    vertices = rng.normal(size=(9, flat)) @ rng.normal(size=(flat, 4)) + rng.normal(size=4)
    hull = DisturbanceSet.polytope(vertices)
    rows = rng.normal(size=(6, 4))
    assert hull.basis.shape[1] == flat
    lowest = rows @ hull.centre + hull.lowest(rows @ hull.basis)
    assert np.allclose(lowest, (vertices @ rows.T).min(axis=0))
    inside = hull.points @ hull.rows.T - hull.offsets
    assert (inside >= -1e-9).all()


def test_a_box_and_the_hull_of_its_corners_give_the_same_torques():
    corners = np.array(np.meshgrid(*np.array(BOX).T)).reshape(4, -1).T
    box, hull = (torque_sets(two_links(), "FFF", disturbance=d).feasible.b for d in (BOX, corners))
    assert np.allclose(box, hull, rtol=1e-9)


@pytest.mark.parametrize("value", [[1.0, 2.0], ([0.0, 0.0], [1.0, np.nan]), ([2.0, 0.0], [1.0, 0.0]), np.zeros((3, 3))])
def test_bad_sets_are_refused(value):
    with pytest.raises(InputError):
        disturbance_of(value, 2)


def test_points_of_the_space_obey_the_equations_of_motion():
    system = two_links()
    space = TorqueSpace(system, DisturbanceSet.box(*BOX))
    x = np.random.default_rng(0).normal(size=space.width - 1)
    a, f, tau = space.physical(x)
    acting = space.disturbance.centre + space.disturbance.basis @ x[space.disturbances]
    force = system.bias + acting + system.selector @ tau + system.jacobian.T @ f
    assert np.allclose(system.mass_matrix @ a, force)
    assert np.allclose(space.contact_accelerations @ np.append(x, 1.0), system.jacobian @ a)
    rows, _ = space.task(Task(a=[1.0, 0, 0, 2.0], f=[0, 3.0, 0, 0, 0, 0], tau=[4.0], c=5.0), "task")
    assert np.isclose(rows[0] @ np.append(x, 1.0), a[0] + 2 * a[3] + 3 * f[1] + 4 * tau[0] - 5.0)


def test_answers_do_not_depend_on_the_units_of_mass_and_length():
    """Ten thousand times heavier and a hundred times longer: torques grow by the product, nothing else changes."""
    from holdfast.planar.chains import Chain
    from tests.planar.greenfield import LEFT, LENGTH, MASS, RIGHT

    def snake(mass: float, length: float, mu: float):
        q = (0.0, 0.0, *np.deg2rad([135.0, -90.0]))
        contacts = [(0, RIGHT, mu), (1, LEFT, mu), (2, RIGHT, mu)]
        return torque_sets(Chain([length] * 2, mass).system(q, None, contacts), "FFF")

    for mu in (0.3, 1.5):
        small, large = snake(MASS * 1e-4, LENGTH * 1e-2, mu), snake(MASS, LENGTH, mu)
        assert small.overlaps == large.overlaps
        assert np.allclose(small.unique[0].b * 1e6, large.unique[0].b)
        tau = np.linspace(-0.3, 0.3, 31)
        assert (small.classify(tau * 1e-6) == large.classify(tau)).all()


def test_scaling_a_set_moves_its_points():
    feasible = torque_sets(two_links(), "FFF").feasible
    assert np.allclose(feasible.times(2.0).generators.vertices, 2.0 * feasible.generators.vertices)


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


@pytest.mark.parametrize("seed", nightly_after(24, range(120)))
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


@pytest.mark.parametrize("seed", nightly_after(24, range(120)))
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

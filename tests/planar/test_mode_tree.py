"""Contact modes: counts in closed form, and every mode against a program of its own."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.planar import Body, Chain, Contact, Polyhedron, dynamic_modes, kinematic_modes, mode_set, modes
from holdfast.planar.system import acceleration_rows
from tests.planar.scenes import floor, random_query, three_points

UNIT = Body(1.0, 1.0)


def test_the_three_point_example_has_ten_strict_modes():
    found = modes(UNIT, three_points(0.25))
    assert set(found.kinematic) == {"FFF", "RRR", "LLL", "SSS", "FSS", "RSS", "LSS", "SFS", "SRS", "SLS"}
    assert found.dynamic is None
    assert "10 modes" in str(found)


@pytest.mark.parametrize("count", [2, 3, 6, 10, 20])
def test_a_box_on_a_floor_has_ten_modes_whatever_touches_in_forty_nodes_a_contact(count):
    found = modes(UNIT, floor(count, 0.3), (0.0, -1.0, 0.0))
    assert len(found.kinematic) == 10
    assert found.dynamic == ("F" * count,)
    assert found.nodes == 2 * (40 * count - 60)  # 340 at ten contacts, in each of the two trees


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 8])
def test_a_generic_body_at_rest_has_at_most_four_k_plus_two_modes(count):
    rng = np.random.default_rng(count)
    most = 0
    for _ in range(20):
        angles = np.pi / 2.0 + rng.uniform(-0.7, 0.7, count)
        contacts = [Contact((np.cos(t), np.sin(t)), (rng.uniform(-1, 1), rng.uniform(0.5, 1)), 0.5) for t in angles]
        most = max(most, len(modes(UNIT, contacts).kinematic))
    assert most <= 4 * count + 2
    assert most >= 4


@pytest.mark.parametrize("count", [3, 4, 5, 6])
def test_a_braced_zigzag_has_k_plus_three_times_two_to_the_k_minus_one_modes(count):
    """Every node of a zigzag touches, in turn the right and the left of two walls."""
    angles = np.zeros(count - 1)
    angles[0] = np.deg2rad(135.0)
    angles[1:] = np.deg2rad([-90.0, 90.0] * count)[: count - 2]
    walls = [(node, (-1.0, 0.0) if node % 2 == 0 else (1.0, 0.0), 0.3) for node in range(count)]
    system = Chain(np.full(count - 1, 0.127), 0.0849).system((0.0, 0.0, *angles), None, walls)
    assert len(kinematic_modes(system)) == (count + 3) * 2 ** (count - 1)


def test_kinematic_modes_are_those_whose_rows_can_be_met():
    rng = np.random.default_rng(6)
    for _ in range(25):
        body, contacts, force, velocity = random_query(rng, 3)
        system = body.system(contacts, force, velocity)
        wanted = set()
        for mode in map("".join, product("SFRL", repeat=3)):
            A, b, strict, C, d = acceleration_rows(system, mode)
            if not Polyhedron(A, b, C, d, strict=strict, dimension=3).is_empty:
                wanted.add(mode)
        assert set(kinematic_modes(system)) == wanted


def test_dynamic_modes_with_free_torques_are_those_whose_set_of_torques_is_not_empty():
    rng = np.random.default_rng(7)
    for _ in range(6):
        angles = rng.uniform(-np.pi, np.pi, 2)
        walls = [(node, rng.normal(size=2), rng.uniform(0.0, 1.0)) for node in rng.permutation(3)[:2]]
        system = Chain([0.4, 0.5], 1.0).system((0.0, 0.0, *angles), None, walls)
        wanted = {m for m in map("".join, product("SFRL", repeat=2)) if not mode_set(system, m).is_empty}
        assert set(dynamic_modes(system)) == wanted
        tau = rng.normal(size=1)
        wanted = {m for m in map("".join, product("SFRL", repeat=2)) if not mode_set(system, m, tau).is_empty}
        assert set(dynamic_modes(system, tau)) == wanted
        assert modes(system, tau=tau).dynamic == dynamic_modes(system, tau)


def test_a_contact_in_impact_leaves_no_mode():
    found = modes(UNIT, floor(2, 0.5), velocity=(0.0, -1.0, 0.0))
    assert (found.kinematic, found.impacts) == ((), (0, 1))


def test_without_contacts_there_is_one_mode_without_letters():
    assert modes(UNIT, [], (1.0, 0.0, 0.0)).dynamic == ("",)


def test_a_system_takes_no_contacts_of_its_own_and_nothing_else_is_a_subject():
    system = UNIT.system([], (0, 0, 0))
    with pytest.raises(InputError, match="contacts"):
        modes(system, floor(2, 0.5))
    with pytest.raises(InputError, match="subject"):
        modes("FFF")

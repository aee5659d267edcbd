"""Wrench-space metrics against closed forms, sampled support functions and linear programs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from holdfast.errors import InputError
from holdfast.grasps.metrics import cone_wrenches, epsilon, hull_volume, measure, planar_assembly, resistible_load

RADIUS, MU = 40.0, 0.4


def _grasp(angles: np.ndarray, radius: float = RADIUS, mu: float = MU, centre: np.ndarray | None = None) -> Any:
    """A grasp of a disc about `centre`: all that the metrics read of it."""
    outward = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    middle = np.zeros(2) if centre is None else centre
    shape = SimpleNamespace(centroid_mm=middle, major_axis_mm=2.0 * radius)
    scored = SimpleNamespace(shape=shape, params=SimpleNamespace(mu=mu))
    return SimpleNamespace(contacts_mm=middle + radius * outward, inward_normals=-outward, scored=scored)


EQUILATERAL = np.array([0.3, 0.3 + 2.0 * np.pi / 3.0, 0.3 + 4.0 * np.pi / 3.0])


def _wrenches(length: float, mu: float = MU, angles: np.ndarray = EQUILATERAL) -> np.ndarray:
    grasp = _grasp(angles)
    return cone_wrenches(grasp.contacts_mm, grasp.inward_normals, [0.0, 0.0], mu, length)


def _closed_form(length: float, mu: float) -> tuple[float, float]:
    """Epsilon and volume of an equilateral grasp of a disc.

    The edges' wrenches are two triangles of circumradius R = sqrt(1 + mu^2) at the heights +-H = +-mu r / L, turned by
    +-beta = +-arctan(mu). The hull has them as top and bottom, and six sides that join an edge of one (support R/2) with
    the nearest corner of the other (support R cos(60 deg - 2 beta)).
    """
    size, height = np.hypot(1.0, mu), mu * RADIUS / length
    edge, corner = size / 2.0, size * np.cos(np.pi / 3.0 - 2.0 * np.arctan(mu))
    side = (edge + corner) / 2.0 * np.cos(np.arctan((corner - edge) / (2.0 * height)))
    triangle = 3.0 * np.sqrt(3.0) / 4.0 * size**2
    mixed = 0.5 * 3.0 * np.sqrt(3.0) * size * corner
    section = (2.0 * triangle + 2.0 * mixed) / 4.0  # half way up: the mean of both triangles
    return min(height, side), 2.0 * height / 6.0 * (2.0 * triangle + 4.0 * section)


@pytest.mark.parametrize("length", [1.0, 20.0, 40.0, 80.0, 1000.0])
@pytest.mark.parametrize("mu", [0.1, 0.4, 0.55])
def test_an_equilateral_grasp_of_a_disc_has_a_closed_form(length: float, mu: float) -> None:
    wrenches = _wrenches(length, mu)
    radius, volume = _closed_form(length, mu)
    assert float(epsilon(wrenches)) == pytest.approx(radius, rel=1e-9)
    assert hull_volume(wrenches) == pytest.approx(volume, rel=1e-9)


def test_metrics_do_not_depend_on_where_the_part_lies_or_how_it_is_turned() -> None:
    here = measure(_grasp(EQUILATERAL))
    there = measure(_grasp(EQUILATERAL + np.pi / 6.0, centre=np.array([300.0, -120.0])))
    assert there.epsilon == pytest.approx(here.epsilon, rel=1e-9)
    assert there.hull_volume == pytest.approx(here.hull_volume, rel=1e-9)
    assert there.largest_load == pytest.approx(here.largest_load, rel=1e-6)
    assert here.torque_length_mm == RADIUS
    assert here.to_dict()["load_directions"] == 12


def test_epsilon_of_many_grasps_is_that_of_each() -> None:
    angles = np.random.default_rng(5).uniform(0.0, 2.0 * np.pi, (20, 3))
    each = [_wrenches(RADIUS, MU, row) for row in angles]
    together = epsilon(np.stack(each))
    np.testing.assert_array_equal(together, [float(epsilon(one)) for one in each])
    assert 0 < np.count_nonzero(together) < 20


def test_a_grasp_that_is_not_force_closed_has_no_ball() -> None:
    for angles in ([0.0, 0.1, 0.2], [0.0, 0.5, 1.0]):
        assert float(epsilon(_wrenches(RADIUS, MU, np.array(angles)))) == 0.0


def test_flat_and_coincident_wrenches_have_no_ball_and_no_volume() -> None:
    flat = np.array([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0], [1.0, 1.0, 0.0]])
    for wrenches in (flat, np.zeros((6, 3)), flat[:3], np.tile(flat[0], (5, 1))):
        assert float(epsilon(wrenches)) == 0.0
        assert hull_volume(wrenches) == 0.0


def test_coplanar_faces_do_no_harm() -> None:
    cube = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    assert float(epsilon(cube)) == pytest.approx(1.0)
    assert float(epsilon(cube + [0.25, 0.0, 0.0])) == pytest.approx(0.75)
    assert hull_volume(cube) == pytest.approx(8.0)


def _limit_by_program(grasp: Any, load: np.ndarray, mu: float, cap: float) -> float:
    """Largest multiple of a planar load, each normal force at most `cap`; torques about the centroid, in N mm."""
    normals = grasp.inward_normals
    tangents = np.stack([-normals[:, 1], normals[:, 0]], axis=1)
    forces = np.concatenate([normals + mu * tangents, normals - mu * tangents])
    arms = np.tile(grasp.contacts_mm - grasp.scored.shape.centroid_mm, (2, 1))
    torque = arms[:, 0] * forces[:, 1] - arms[:, 1] * forces[:, 0]
    balance = np.column_stack([np.column_stack([forces, torque]).T, load])
    caps = np.column_stack([np.tile(np.eye(3), 2), np.zeros(3)])
    cost = np.zeros(7)
    cost[-1] = -1.0
    return -linprog(cost, A_ub=caps, b_ub=np.full(3, cap), A_eq=balance, b_eq=np.zeros(3)).fun


@pytest.mark.parametrize("seed", range(4))
def test_the_largest_load_is_that_of_a_linear_program(seed: int) -> None:
    random = np.random.default_rng(seed)
    angles = EQUILATERAL + random.uniform(-0.4, 0.4, 3)
    grasp = _grasp(angles, centre=np.array([15.0, -30.0]))
    load = np.array([*random.normal(size=2), 20.0 * random.normal()])
    expected = _limit_by_program(grasp, load, 0.3, 5.0)
    assert resistible_load(grasp, load, mu=0.3, normal_force=5.0) == pytest.approx(expected, rel=1e-6)
    directions = 2.0 * np.pi * np.arange(12) / 12.0
    least = min(_limit_by_program(grasp, np.array([np.cos(a), np.sin(a), 0.0]), MU, 1.0) for a in directions)
    assert measure(grasp).largest_load == pytest.approx(least, rel=1e-6)


def test_a_pure_torque_on_a_disc_is_held_by_friction_alone() -> None:
    """Each contact carries mu N r; three of them 3 mu N r."""
    held = resistible_load(_grasp(EQUILATERAL), [0.0, 0.0, 1.0], normal_force=2.0)
    assert held == pytest.approx(3.0 * MU * 2.0 * RADIUS, rel=1e-6)


def test_contacts_in_space_push_into_the_object_and_within_the_plane() -> None:
    assembly = planar_assembly(_grasp(EQUILATERAL))
    for contact, normal in zip(assembly.contacts, _grasp(EQUILATERAL).inward_normals, strict=True):
        np.testing.assert_allclose(contact.rotation[:, 2], [*normal, 0.0], atol=1e-15)
        assert np.linalg.det(contact.rotation) == pytest.approx(1.0)
        edges = contact.volume.pieces[0] @ contact.rotation.T
        assert not edges[:, 2].any()


def test_wrong_arguments_are_refused() -> None:
    grasp = _grasp(EQUILATERAL)
    with pytest.raises(InputError, match="torque_length_mm"):
        measure(grasp, torque_length_mm=0.0)
    with pytest.raises(InputError, match="mu"):
        measure(grasp, mu=-0.1)
    with pytest.raises(InputError, match="direction"):
        resistible_load(grasp, [1.0, 0.0])


@given(st.integers(0, 10_000), st.floats(0.05, 1.5), st.floats(5.0, 200.0))
def test_epsilon_is_the_least_support_over_all_directions(seed: int, mu: float, length: float) -> None:
    """The ball in the hull is bounded by every direction's support, and by one of them exactly: a program finds it."""
    random = np.random.default_rng(seed)
    angles = np.sort(random.uniform(0.0, 2.0 * np.pi, 3))
    wrenches = _wrenches(length, mu, angles)
    found = float(epsilon(wrenches))
    directions = random.normal(size=(4000, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    supports = (directions @ wrenches.T).max(axis=1)
    if found > 0.0:
        assert found <= supports.min() + 1e-9
        for direction in directions[:5]:  # a point of the ball is a convex combination of the wrenches
            assert _inside(wrenches, 0.999999 * found * direction)
    else:
        assert not _inside(wrenches, np.zeros(3), 1e-7)


def _inside(wrenches: np.ndarray, point: np.ndarray, margin: float = 0.0) -> bool:
    """Whether `point` is a convex combination whose least weight is at least `margin`."""
    count = len(wrenches)
    matrix = np.vstack([wrenches.T, np.ones(count)])
    answer = linprog(np.zeros(count), A_eq=matrix, b_eq=[*point, 1.0], bounds=[(margin, None)] * count)
    return answer.status == 0

"""Force closure against an independent linear program on the edge wrenches (HiGHS)."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from holdfast.errors import InputError
from holdfast.grasps.candidates import three_contacts, two_contacts


def margin_by_program(contacts, normals, mu):
    """Largest t with wrenches W f = 0, f >= t, sum f = 1: above 0 exactly when W spans positively (and has rank 3)."""
    contacts, normals = np.asarray(contacts, dtype=float), np.asarray(normals, dtype=float)
    centre = contacts.mean(axis=0)
    length = np.abs(contacts - centre).max()
    wrenches = []
    for point, normal in zip(contacts, normals, strict=True):
        for side in (mu, -mu):
            force = normal + side * np.array([-normal[1], normal[0]])
            arm = (point - centre) / length
            wrenches.append([*force, arm[0] * force[1] - arm[1] * force[0]])
    w = np.array(wrenches).T
    if np.linalg.matrix_rank(w, tol=1e-9) < 3:
        return -1.0
    n = w.shape[1]
    equal = np.vstack([np.hstack([w, np.zeros((3, 1))]), np.append(np.ones(n), 0.0)])
    found = linprog(
        np.append(np.zeros(n), -1.0),
        A_ub=np.hstack([-np.eye(n), np.ones((n, 1))]),
        b_ub=np.zeros(n),
        A_eq=equal,
        b_eq=[0, 0, 0, 1],
        bounds=[(None, None)] * (n + 1),
        method="highs",
    )
    return -found.fun if found.status == 0 else -1.0


def random_contacts(rng, count):
    """Contacts around the origin whose normals point more or less inwards: about half of them are closed."""
    angle = np.sort(rng.uniform(0, 2 * np.pi, count))
    points = rng.uniform(10, 50, (count, 1)) * np.column_stack([np.cos(angle), np.sin(angle)])
    inward = angle + np.pi + rng.normal(0, 0.4, count)
    return points, np.column_stack([np.cos(inward), np.sin(inward)])


@pytest.mark.parametrize("mu", [0.1, 0.4, 1.0])
def test_three_contacts_are_closed_exactly_when_the_program_says(mu):
    rng = np.random.default_rng(int(10 * mu))
    cases = [random_contacts(rng, 3) for _ in range(120)]
    found = three_contacts([c[0] for c in cases], [c[1] for c in cases], mu)
    margins = np.array([margin_by_program(*case, mu) for case in cases])
    clear = np.abs(margins) > 1e-7
    np.testing.assert_array_equal(found[clear], margins[clear] > 0)
    assert 10 < found.sum() < 110


@pytest.mark.parametrize("mu", [0.2, 0.6])
def test_two_contacts_are_closed_exactly_when_the_program_says(mu):
    rng = np.random.default_rng(7)
    cases = []
    for _ in range(120):
        turn = rng.uniform(0, 2 * np.pi)
        points = 30 * np.array([[np.cos(turn), np.sin(turn)], [-np.cos(turn), -np.sin(turn)]])
        inward = np.array([turn + np.pi, turn]) + rng.normal(0, 0.4, 2)
        cases.append((points, np.column_stack([np.cos(inward), np.sin(inward)])))
    found = two_contacts([c[0] for c in cases], [c[1] for c in cases], mu)
    wanted = [margin_by_program(*case, mu) > 1e-9 for case in cases]
    np.testing.assert_array_equal(found, wanted)
    assert 5 < found.sum() < 115


def test_a_triangle_closes_at_any_friction_and_a_row_of_equal_normals_at_none():
    angle = np.radians([90, 210, 330])
    points = np.column_stack([np.cos(angle), np.sin(angle)])
    assert three_contacts(points, -points, 1e-6)
    assert not three_contacts([[0, 0], [1, 0], [2, 0]], [[0, 1]] * 3, 5.0)
    assert not three_contacts(np.zeros((3, 2)), -points, 0.4)


def test_closure_does_not_depend_on_place_size_or_direction():
    rng = np.random.default_rng(2)
    points, normals = (np.array(x) for x in zip(*(random_contacts(rng, 3) for _ in range(60)), strict=True))
    plain = three_contacts(points, normals, 0.4)
    c, s = np.cos(0.9), np.sin(0.9)
    turn = np.array([[c, s], [-s, c]])
    np.testing.assert_array_equal(three_contacts(1e-3 * points @ turn + 9.0, normals @ turn, 0.4), plain)
    np.testing.assert_array_equal(three_contacts(points * [-1, 1], normals * [-1, 1], 0.4), plain)
    np.testing.assert_array_equal(three_contacts(points[:, ::-1], normals[:, ::-1], 0.4), plain)


def test_friction_only_helps():
    rng = np.random.default_rng(3)
    points, normals = (np.array(x) for x in zip(*(random_contacts(rng, 3) for _ in range(200)), strict=True))
    before = np.zeros(200, dtype=bool)
    for mu in (0.05, 0.2, 0.5, 1.0, 3.0):
        now = three_contacts(points, normals, mu)
        assert (now | ~before).all()
        before = now


def test_shapes_and_friction_are_checked():
    with pytest.raises(InputError):
        three_contacts(np.zeros((2, 2)), np.zeros((2, 2)), 0.4)
    with pytest.raises(InputError):
        three_contacts(np.zeros((3, 2)), np.zeros((4, 3, 2)), 0.4)
    with pytest.raises(InputError):
        two_contacts(np.zeros((2, 2)), np.zeros((2, 2)), np.nan)

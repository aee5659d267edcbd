"""Hands with forces that have no limit: supports, rays and bounds against the full linear program."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import holdfast as hf
from holdfast.checks import Array
from holdfast.errors import InputError
from holdfast.geometry.frames import wrench_matrix
from holdfast.grips import cone_grip
from holdfast.grips.supports import UnlimitedSupports
from tests.referee import random_rotation

CONE, CUP = hf.models.coulomb(0.7, facets=6), hf.models.suction(10.0, 0.6, cap=30.0, facets=6)
DIRECT = -np.eye(6)  # from the external wrenches that are held to those on the body


def hand(rng: np.random.Generator, contacts: int, rows: int) -> hf.Assembly:
    """Cones and cups, of which joints with two limits or one load some."""
    made = [
        hf.Contact(rng.normal(size=3) * 0.1, random_rotation(rng), CONE if i == 0 or rng.random() < 0.5 else CUP)
        for i in range(contacts)
    ]
    jacobian = rng.normal(size=(rows, 3 * contacts)) * 0.05
    jacobian[:, 3 * (contacts - 1) :] *= rng.random() < 0.5
    lower, upper = -rng.random(rows), rng.random(rows)
    lower[rng.random(rows) < 0.3] = -np.inf
    return hf.Assembly(made, hf.JointRows(jacobian, lower, upper) if rows else None)


def full_support(assembly: hf.Assembly, y: Array) -> float:
    """max y . W f with every vertex and ray a column."""
    columns, kinds = [], []
    for index, contact in enumerate(assembly.contacts):
        piece = contact.volume.polytopes[0]
        for points, kind in ((piece.vertices, index), (piece.rays, -1)):
            for point in points:
                columns.append((index, contact.rotation @ point))
                kinds.append(kind)
    gains = [y @ wrench_matrix([assembly.contacts[i].position]) @ force for i, force in columns]
    ones = np.array([[float(kind == i) for kind in kinds] for i in range(len(assembly))])
    rows, sides = np.zeros((0, len(columns))), np.zeros(0)
    if assembly.joints is not None:
        joints = assembly.joints
        loads = np.array([joints.jacobian[:, 3 * i : 3 * i + 3] @ force for i, force in columns]).T
        rows, sides = np.concatenate([loads, -loads]), np.concatenate([joints.upper, -joints.lower])
        rows, sides = rows[np.isfinite(sides)], sides[np.isfinite(sides)]
    found = linprog(-np.array(gains), rows, sides, ones, np.ones(len(assembly)), method="highs-ds")
    return -float(found.fun) if found.status == 0 else np.inf  # no forces at all are always allowed here


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.integers(0, 2))
def test_supports_and_bounds_are_those_of_the_full_program(seed: int, contacts: int, rows: int) -> None:
    rng = np.random.default_rng(seed)
    assembly = hand(rng, contacts, rows)
    supports = UnlimitedSupports(assembly, DIRECT)
    for y in rng.normal(size=(3, 6)) * np.repeat([1.0, 10.0], 3):
        truth, found, bound = full_support(assembly, y), supports.reach(y), supports.bound(y)
        assert found.value == pytest.approx(truth, rel=1e-7, abs=1e-7)
        assert bound == pytest.approx(truth, rel=1e-7, abs=1e-7)
        if truth == np.inf:
            assert y @ found.ray > 0.0
        else:
            assert not found.ray.any()
            assert y @ found.point == pytest.approx(found.value)


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.integers(1, 2))
def test_rays_are_held_however_long(seed: int, contacts: int, rows: int) -> None:
    rng = np.random.default_rng(seed)
    assembly = hand(rng, contacts, rows)
    for y in rng.normal(size=(3, 6)) * np.repeat([1.0, 10.0], 3):
        found = UnlimitedSupports(assembly, DIRECT).reach(y)
        if found.value == np.inf:
            far = 1e4 * found.ray / np.abs(found.ray).max()
            assert hf.equilibrium(assembly, -(found.point + far)).holds


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1))
def test_directions_on_the_border_of_the_polar_cone_have_a_support(seed: int) -> None:
    """Motions in which one contact slides along an edge of its cone, or turns in place: the slope is rounding."""
    rng = np.random.default_rng(seed)
    assembly = hf.Assembly([hf.Contact(rng.normal(size=3), random_rotation(rng), CONE)])
    rays = cone_grip(assembly).rays
    supports = UnlimitedSupports(assembly, DIRECT)
    position = assembly.contacts[0].position
    turning = rng.normal(size=3)
    still = np.concatenate([-np.cross(turning, position), turning])  # the contact does not move
    down = -assembly.contacts[0].rotation[:, 2]
    for ray in rays:
        along = ray[:3] / np.linalg.norm(ray[:3])
        sliding = np.concatenate([down - (down @ along) * along, np.zeros(3)])
        for y in (still, still + sliding):
            assert supports.reach(y).value == pytest.approx(0.0, abs=1e-12)
            assert supports.bound(y) == pytest.approx(0.0, abs=1e-12)
    assert supports.reach(still - np.concatenate([1e-6 * down, np.zeros(3)])).value == np.inf


def test_joint_limits_bound_a_cone_and_one_sided_ones_leave_a_ray() -> None:
    foot = hf.Contact((0.0, 0.0, 0.0), np.eye(3), CONE)
    up = np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    row = np.array([[0.0, 0.0, 0.1]])  # 0.1 m of lever to the normal force
    bounded = UnlimitedSupports(hf.Assembly([foot], hf.JointRows(row, [-1.0], [2.0])), DIRECT)
    assert bounded.reach(up).value == pytest.approx(20.0)
    assert bounded.bound(up) == pytest.approx(20.0)
    open_above = UnlimitedSupports(hf.Assembly([foot], hf.JointRows(row, [1.0], [np.inf])), DIRECT)
    assert open_above.reach(up).value == open_above.bound(up) == np.inf
    assert open_above.reach(-up).value == pytest.approx(-10.0)
    assert open_above.bound(-up) == pytest.approx(-10.0)
    assert bounded.free_rays.shape == (0, 6)
    assert len(UnlimitedSupports(hf.Assembly([foot]), DIRECT).free_rays) == 6


def test_joint_limits_that_no_force_of_a_cone_meets_are_told() -> None:
    foot = hf.Contact((0.0, 0.0, 0.0), np.eye(3), CONE)
    broken = hf.Assembly([foot], hf.JointRows(np.array([[0.0, 0.0, 0.1]]), [-2.0], [-1.0]))
    with pytest.raises(InputError, match="holds nothing"):
        UnlimitedSupports(broken, DIRECT).reach(np.eye(6)[0])

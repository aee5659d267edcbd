"""Checks of inner points and outer planes find what was tampered with."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import holdfast as hf
from holdfast.papers.devices import two_finger_gripper
from holdfast.wrench_spaces import Rays, WrenchSpace, wrench_space
from holdfast.wrench_spaces.space import balance_residuals, outer_offsets, planes_are_outer
from tests.referee import random_case
from tests.wrench_spaces.independent import largest


@pytest.fixture(scope="module")
def space() -> WrenchSpace:
    assembly = two_finger_gripper().assembly()
    return wrench_space(assembly, Rays.random(assembly, 12, seed=3), workers=1)


def test_a_sound_space_has_no_faults(space: WrenchSpace) -> None:
    assert space.verify() and space.faults().none and len(space.faults().rays) == 0


def test_a_value_too_large_is_found(space: WrenchSpace) -> None:
    values = space.values.copy()
    values[4] *= 1 + 1e-6
    faults = replace(space, values=values).faults()
    assert faults.inner.tolist() == [4] and not len(faults.outer)
    assert not replace(space, values=values).verify()


def test_a_force_outside_its_piece_is_found(space: WrenchSpace) -> None:
    """Squeezing harder at two contacts may still balance; the volumes say no."""
    assert space.forces is not None and space.pieces is not None
    wrong = space.pieces.copy()
    loaded = int(np.linalg.norm(space.forces[2], axis=1).argmax())
    wrong[2, loaded] = (wrong[2, loaded] + 1) % 4
    assert 2 in replace(space, pieces=wrong).faults().inner
    wrong[2, loaded] = 99
    assert replace(space, pieces=wrong).faults().inner.tolist() == [2]
    wrong[2, loaded] = -1
    assert replace(space, pieces=wrong).faults().inner.tolist() == [2]


def test_a_joint_pushed_too_hard_is_found(space: WrenchSpace) -> None:
    assert space.assembly is not None and space.assembly.joints is not None
    joints = space.assembly.joints
    weaker = hf.JointRows(joints.jacobian, 0.5 * joints.lower, 0.5 * joints.upper)
    faults = replace(space, assembly=hf.Assembly(space.assembly.contacts, weaker)).faults()
    assert len(faults.inner) and not len(faults.outer)


def test_a_plane_too_near_is_found(space: WrenchSpace) -> None:
    offsets = space.offsets.copy()
    offsets[7] *= 1 - 1e-6
    assert replace(space, offsets=offsets).faults().outer.tolist() == [7]
    normals = space.normals.copy()
    normals[1] += 0.05 * np.abs(normals[1]).max()
    assert 1 in replace(space, normals=normals).faults().outer


def test_planes_of_a_weaker_assembly_are_not_those_of_a_stronger_one(space: WrenchSpace) -> None:
    assert space.assembly is not None
    volumes = {id(c.volume): c.volume.scaled(1.01) for c in space.assembly.contacts}
    contacts = [hf.Contact(c.position, c.rotation, volumes[id(c.volume)]) for c in space.assembly.contacts]
    faults = replace(space, assembly=hf.Assembly(contacts, space.assembly.joints)).faults()
    assert len(faults.outer) and not len(faults.inner)


def test_what_is_missing_is_not_proven(space: WrenchSpace) -> None:
    assert replace(space, forces=None).faults().inner.tolist() == list(range(len(space)))
    assert replace(space, joint_multipliers=None).faults().outer.tolist() == list(range(len(space)))


def test_undecided_rays_are_listed(space: WrenchSpace) -> None:
    status = space.status.copy()
    status[5] = hf.Status.UNDECIDED
    faults = replace(space, status=status).faults()
    assert faults.undecided.tolist() == [5] and faults.rays.tolist() == [5]
    assert repr(faults) == "Faults(0 inner, 0 outer, 1 undecided)"


@settings(max_examples=15)
@given(st.integers(0, 3000))
def test_fresh_offsets_are_never_below_what_is_held(seed: int) -> None:
    """Any normal with any multipliers of the joint rows bounds what the mixed-integer program finds along it."""
    case = random_case(3 * seed, most_choices=16)
    rng = np.random.default_rng(seed)
    rows = 0 if case.assembly.joints is None else len(case.assembly.joints.lower)
    normals, multipliers = rng.normal(size=(3, 6)) * np.repeat([1, 10], 3), rng.normal(size=(3, rows)) * 3
    offsets, _ = outer_offsets(case.assembly, normals, multipliers)
    for normal, offset in zip(normals, offsets, strict=True):
        most = largest(case.assembly, np.eye(6), normal)
        assert most <= offset + 1e-7 * abs(offset)


def test_multipliers_on_an_unlimited_joint_prove_nothing() -> None:
    corners = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1, 1) for z in (-1, 1)])
    contact = hf.Contact([0, 0, 0], np.eye(3), hf.ForceVolume([corners]))
    assembly = hf.Assembly([contact], hf.JointRows([[1.0, 0, 0]], [-np.inf], [2.0]))
    normals = np.array([[1.0, 0, 0, 0, 0, 0]] * 2)
    offsets, _ = outer_offsets(assembly, normals, np.array([[0.5], [-0.5]]))
    assert offsets[0] == np.inf and offsets[1] == pytest.approx(1.5 + 1.0)
    assert planes_are_outer(assembly, normals, np.array([1e9, 2.5]), np.array([[0.5], [-0.5]])).tolist() == [
        False,
        True,
    ]


def test_a_normal_that_climbs_a_cone_proves_nothing() -> None:
    contact = hf.Contact([0.1, 0, 0], np.eye(3), hf.models.coulomb(0.5))
    normals = np.array([[0, 0, 1.0, 0, 0, 0], [0, 0, -1.0, 0, 0, 0]])
    offsets, _ = outer_offsets(hf.Assembly([contact]), normals, np.zeros((2, 0)))
    np.testing.assert_allclose(offsets, [0.0, np.inf], atol=1e-12)


def test_balances_are_those_of_one_force_at_a_time(space: WrenchSpace) -> None:
    from holdfast.statics.equilibrium import balance_residual

    assert space.assembly is not None and space.forces is not None
    wrenches = space.points + 0.1
    one_by_one = [balance_residual(space.assembly, f, w) for f, w in zip(space.forces, wrenches, strict=True)]
    np.testing.assert_allclose(balance_residuals(space.assembly, space.forces, wrenches), one_by_one)


def test_the_hulls_planes_are_the_tightest(space: WrenchSpace) -> None:
    """The support of the hulls' wrench space along a plane's normal, by scipy on weights of vertices, is its offset."""
    assembly = space.assembly
    assert assembly is not None and assembly.joints is not None
    columns, ones, gains = [], [], []
    for i, contact in enumerate(assembly.contacts):
        forces = np.concatenate(contact.volume.pieces) @ contact.rotation.T
        wrenches = np.hstack([forces, np.cross(contact.position, forces)])
        columns.append(assembly.joints.jacobian[:, 3 * i : 3 * i + 3] @ forces.T)
        gains.append(-wrenches)
        ones += [i] * len(forces)
    weights = (np.array(ones)[None] == np.arange(len(assembly))[:, None]).astype(float)
    rows = np.hstack(columns)
    for normal, offset in list(zip(space.normals, space.offsets, strict=True))[:4]:
        found = linprog(
            -np.concatenate(gains) @ normal,
            A_ub=np.vstack([rows, -rows]),
            b_ub=np.concatenate([assembly.joints.upper, -assembly.joints.lower]),
            A_eq=weights,
            b_eq=np.ones(len(assembly)),
        )
        assert offset == pytest.approx(-found.fun, rel=1e-6)


@pytest.mark.parametrize("contacts", [1, 2])
def test_contacts_in_one_point_away_from_the_origin_prove_their_planes(contacts: int) -> None:
    volume = hf.ForceVolume([np.array([[x, 2 * y, 3 * z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)])
    assembly = hf.Assembly([hf.Contact((0.1, 0.2, 0.3), np.eye(3), volume)] * contacts)
    space = hf.wrench_space(assembly, hf.wrench_spaces.Rays.sphere(hf.wrench_spaces.Subspace.named("fx,fy,fz"), 1))
    assert space.verify() and space.faults().none
    shrunk = replace(space, offsets=space.offsets - 1e-6)
    assert not shrunk.verify()  # a plane a millionth of a newton too near is still found out

"""Suspensions: stiffness, preload and failure rule of contacts, their shares in a unit, and where they are kept."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st

import holdfast as hf
from holdfast.assembly import (
    Joint,
    Suspension,
    Unit,
    contacts_from_arrays,
    joint_rows,
    patch_from_mesh,
    rubber_pad_stiffness,
    suspension_of,
)
from holdfast.assembly.contacts import with_shared_volumes
from holdfast.assembly.joints import side_by_side
from holdfast.errors import InputError, UnitError
from holdfast.geometry.frames import Pose, rotation_about
from holdfast.reliability.changes import grown

#: A unit with coupled directions.
FULL = np.array([[300.0, 40.0, -60.0], [40.0, 200.0, 10.0], [-60.0, 10.0, 500.0]])
UNIT = Suspension(FULL, (1.0, -2.0, 3.0), "ductile")
POSE = Pose(rotation_about((1, 2, 3), 0.7), np.array([0.1, -0.2, 0.3]))
CUP = hf.models.suction(50.0, 0.5, cap=100.0)


def force_of(contact: hf.Contact, displacement: np.ndarray) -> np.ndarray:
    """Force in the world for a displacement of the object in the world: R (f0 - K R^T u)."""
    gives = suspension_of(contact)
    assert gives is not None
    return contact.rotation @ (gives.preload - gives.stiffness @ contact.rotation.T @ displacement)


# -- what a suspension is --------------------------------------------------------------------------


def test_a_pair_is_normal_and_tangential_and_a_triple_goes_along_the_axes() -> None:
    np.testing.assert_array_equal(Suspension((5.0, 2.0)).stiffness, np.diag([2.0, 2.0, 5.0]))
    np.testing.assert_array_equal(Suspension((1.0, 2.0, 5.0)).stiffness, np.diag([1.0, 2.0, 5.0]))
    np.testing.assert_array_equal(UNIT.stiffness, FULL)
    assert (UNIT.normal, UNIT.tangential) == (500.0, 250.0)


def test_a_number_is_the_normal_preload_and_brittle_is_the_default_rule() -> None:
    assert Suspension((5.0, 2.0), 7.0).preload.tolist() == [0.0, 0.0, 7.0]
    assert Suspension((5.0, 2.0)).preload.tolist() == [0.0, 0.0, 0.0]
    assert Suspension((5.0, 2.0)).rule == "brittle"
    with pytest.raises(ValueError, match="read-only"):
        UNIT.stiffness[0, 0] = 1.0


@pytest.mark.parametrize(
    "stiffness, error, words",
    [
        ([[1, 2, 0], [0, 5, 0], [0, 0, 1]], InputError, r"not symmetric: entry \[0, 1\] is 2, \[1, 0\] is 0"),
        (
            [[1, 2, 0], [2, 1, 0], [0, 0, 1]],
            InputError,
            r"not positive semidefinite: the eigenvalue along .* is -1 N/m",
        ),
        ((-5.0, 1.0), InputError, "is -5 N/m normal"),
        ((5.0, -1.0), InputError, "is -1 N/m tangential"),
        ((1.0, -3.0, 2.0), InputError, "is -3 N/m across y"),
        ((1e13, 1.0), UnitError, "N/m"),
        ((1e-5, 1e-6), UnitError, "N/m"),
        ((1.0, np.nan), InputError, "nan"),
        ((1.0, 2.0, 3.0, 4.0), InputError, "shape"),
        (5.0, InputError, "shape"),
        ("stiff", InputError, "stiffness"),
    ],
)
def test_a_bad_stiffness_is_refused(stiffness: Any, error: type[InputError], words: str) -> None:
    with pytest.raises(error, match=words) as caught:
        Suspension(stiffness)
    assert caught.value.where.startswith("stiffness")


@pytest.mark.parametrize(
    "arguments, error, where",
    [
        ({"preload": (1.0, 2.0)}, InputError, "preload"),
        ({"preload": np.inf}, InputError, "preload"),
        ({"preload": 1e13}, UnitError, "preload"),
        ({"rule": "plastic"}, InputError, "rule"),
    ],
)
def test_a_bad_preload_or_rule_is_refused(arguments: dict[str, Any], error: type[InputError], where: str) -> None:
    with pytest.raises(error) as caught:
        Suspension((5.0, 2.0), **arguments)
    assert caught.value.where == where


@given(st.integers(0, 10_000))
def test_any_matrix_of_squares_is_accepted_at_any_rank_and_a_clearly_negative_one_refused(seed: int) -> None:
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(3, rng.integers(1, 4))) * 10.0 ** rng.uniform(0, 4)
    square = root @ root.T
    np.testing.assert_allclose(Suspension(square).stiffness, square, rtol=1e-14)
    size = np.abs(square).max()
    push = rng.normal(size=3)
    push /= np.linalg.norm(push)
    with pytest.raises(InputError, match="semidefinite"):
        Suspension(square - 4.0 * size * np.outer(push, push))


def test_a_spring_without_any_stiffness_is_a_constant_force() -> None:
    assert not Suspension((0.0, 0.0), 4.0).stiffness.any()


def test_scaled_multiplies_stiffness_and_preload() -> None:
    part = UNIT.scaled(0.25)
    np.testing.assert_allclose(part.stiffness, 0.25 * FULL)
    np.testing.assert_allclose(part.preload, [0.25, -0.5, 0.75])
    assert part.rule == "ductile"
    with pytest.raises(InputError, match="factor"):
        UNIT.scaled(0.0)


def test_mirrored_is_the_same_spring_seen_from_the_other_body() -> None:
    """The frame turns half round about v, displacement and force change sign in the world."""
    here = hf.Contact((0, 0, 0), POSE.rotation, CUP, suspension=UNIT)
    turned = POSE.rotation @ np.diag([-1.0, 1.0, -1.0])
    there = hf.Contact((0, 0, 0), turned, CUP, suspension=UNIT.mirrored())
    for moved in np.random.default_rng(1).normal(size=(5, 3)):
        np.testing.assert_allclose(force_of(there, -moved), -force_of(here, moved), atol=1e-9)


def test_reversed_is_the_opposite_force_in_the_same_frame() -> None:
    here = hf.Contact((0, 0, 0), POSE.rotation, CUP, suspension=UNIT)
    there = replace(here, suspension=UNIT.reversed())
    moved = np.array([0.01, -0.02, 0.03])
    np.testing.assert_allclose(force_of(there, -moved), -force_of(here, moved), atol=1e-9)


# -- shares of a unit ------------------------------------------------------------------------------


def mesh() -> Any:
    return trimesh.creation.box((0.1, 0.06, 0.02))


UNITS = {
    "rectangle": lambda s: hf.Patch.rectangle(POSE, (0.02, 0.03), CUP, suspension=s),
    "cells": lambda s: hf.Patch.rectangle(POSE, (0.02, 0.03), CUP, points=(3, 2), suspension=s),
    "polygon": lambda s: hf.Patch.polygon(POSE, [(0, 0), (0.04, 0), (0.03, 0.02), (0, 0.01)], CUP, suspension=s),
    "clipped cells": lambda s: hf.Patch.polygon(
        POSE, [(0, 0), (0.04, 0), (0.03, 0.02)], CUP, points=(3, 3), suspension=s
    ),
    "pad": lambda s: hf.Patch.of_pad(POSE, hf.models.suction_ring(points=6), suspension=s),
    "mesh": lambda s: patch_from_mesh(
        mesh(), CUP, points=5, shear=(1, 0, 0), faces=lambda _, n: n[:, 2] > 0.9, suspension=s
    ),
    "suspended": lambda s: hf.Patch.rectangle(POSE, (0.02, 0.03), CUP).suspended(s),
}


@pytest.mark.parametrize("make", UNITS.values(), ids=UNITS.keys())
def test_the_points_of_a_unit_together_are_as_stiff_as_the_unit(make: Any) -> None:
    """One displacement of all points: the forces sum to f0 - K u of the whole unit, in the frame of the points."""
    patch = make(UNIT)
    moved = np.array([0.003, -0.001, 0.002])
    total = sum(force_of(contact, moved) for contact in patch.contacts)
    whole = hf.Contact((0, 0, 0), patch.contacts[0].rotation, CUP, suspension=UNIT)
    np.testing.assert_allclose(total, force_of(whole, moved), atol=1e-12)
    for contact, share in zip(patch.contacts, patch.fractions, strict=True):
        np.testing.assert_allclose(contact.suspension.stiffness, share * FULL, rtol=1e-12)
        assert contact.suspension.rule == "ductile"


def test_arrays_of_points_have_their_shares_or_are_whole_units() -> None:
    points, normals = np.eye(3), np.tile([0.0, 0.0, 1.0], (3, 1))
    shares = [0.5, 0.3, 0.2]
    made = contacts_from_arrays(points, normals, (1, 0, 0), CUP, fractions=shares, suspension=UNIT)
    for contact, share in zip(made, shares, strict=True):
        np.testing.assert_allclose(contact.suspension.stiffness, share * FULL)  # pyright: ignore[reportOptionalMemberAccess]
    whole = contacts_from_arrays(points, normals, (1, 0, 0), CUP, suspension=UNIT)
    assert all(np.array_equal(c.suspension.stiffness, FULL) for c in whole)  # pyright: ignore[reportOptionalMemberAccess]


@pytest.mark.parametrize("given_", [(5.0, 2.0), 7.0])
def test_numbers_in_place_of_a_suspension_are_refused(given_: Any) -> None:
    with pytest.raises(InputError, match="suspension"):
        hf.Contact((0, 0, 0), np.eye(3), CUP, suspension=given_)
    with pytest.raises(InputError, match="suspension"):
        hf.Patch.rectangle(POSE, (0.02, 0.03), CUP, suspension=given_)


# -- the default of the model ----------------------------------------------------------------------


def test_a_contact_has_its_own_suspension_else_that_of_its_model_else_none() -> None:
    bare = hf.ForceVolume([[[0, 0, 0], [1, 0, 1], [-1, 1, 1], [-1, -1, 1]]])
    own = hf.Contact((0, 0, 0), np.eye(3), CUP, suspension=UNIT)
    assert suspension_of(own) is UNIT
    default = suspension_of(replace(own, suspension=None))
    info = hf.models.get("suction").suspension
    assert default is not None
    assert (default.normal, default.tangential, default.rule) == (info.normal, info.tangential, info.rule)
    assert suspension_of(hf.Contact((0, 0, 0), np.eye(3), bare)) is None


@pytest.mark.parametrize(
    "patch",
    [
        hf.Patch.rectangle(POSE, (0.02, 0.03), CUP, points=(3, 2)),
        hf.Patch.of_pad(POSE, hf.models.suction_ring(points=6)),
        hf.Patch.rectangle(POSE, (0.02, 0.03), CUP).moved(POSE),
    ],
)
def test_points_of_a_model_share_its_default(patch: hf.Patch) -> None:
    info = hf.models.get("suction").suspension
    gives = [suspension_of(contact) for contact in patch.contacts]
    assert sum(s.normal for s in gives if s is not None) == pytest.approx(info.normal, rel=1e-12)
    assert sum(s.tangential for s in gives if s is not None) == pytest.approx(info.tangential, rel=1e-12)


def test_equal_defaults_are_one_object() -> None:
    first, second = (suspension_of(hf.Contact((i, 0, 0), np.eye(3), hf.models.suction(30.0 + i))) for i in range(2))
    assert first is second


def test_volumes_of_one_geometry_and_two_models_stay_apart() -> None:
    cup, iron = hf.models.suction(50.0, 0.5), hf.models.magnet(50.0, 0.5)
    assert cup.fingerprint == iron.fingerprint
    made = [hf.Contact((i, 0, 0), np.eye(3), v) for i, v in enumerate([cup, iron, hf.models.suction(50.0, 0.5)])]
    shared = with_shared_volumes(made)
    assert shared[0].volume is shared[2].volume
    assert [suspension_of(c).normal for c in shared] == [suspension_of(c).normal for c in made]  # pyright: ignore[reportOptionalMemberAccess]


# -- what keeps it ---------------------------------------------------------------------------------


def gripper() -> hf.Assembly:
    patches = [hf.Patch.rectangle(POSE, (0.02, 0.03), hf.models.microspine(), name=n, suspension=UNIT) for n in "ab"]
    contacts = [contact for patch in patches for contact in patch.contacts]
    joint = Joint("hinge", -1.0, 1.0, stiffness=3.0, preload=0.5, servo=40.0)
    rows = joint_rows([joint], [0.1], np.random.default_rng(0).normal(size=(1, 24)))
    return hf.Assembly(contacts, rows, "gripper")


CHANGES = {
    "moved": lambda a: a.moved(POSE),
    "hulled": lambda a: a.hulled(),
    "other volumes": lambda a: a.with_volumes(lambda v: v.stretched(1.1, 0.9)),
    "renamed": lambda a: replace(a, name="other"),
    "pickled": lambda a: pickle.loads(pickle.dumps(a)),
    "weakened": lambda a: grown(a, np.full(8, 1.2), np.ones(1), np.ones(1)),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_a_changed_assembly_keeps_suspensions_stiffness_and_servo(change: Any) -> None:
    before, after = gripper(), change(gripper())
    for one, other in zip(before.contacts, after.contacts, strict=True):
        np.testing.assert_array_equal(one.suspension.stiffness, other.suspension.stiffness)
        np.testing.assert_array_equal(one.suspension.preload, other.suspension.preload)
    assert (after.joints.stiffness.tolist(), after.joints.servo.tolist()) == ([3.0], [40.0])


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_a_changed_assembly_keeps_the_defaults_of_its_models(change: Any) -> None:
    bare = hf.Assembly([replace(c, suspension=None) for c in gripper().contacts], gripper().joints)
    share = hf.models.get("microspine").suspension.normal / 4.0
    assert [suspension_of(c).normal for c in change(bare).contacts] == [share] * 8


def test_a_hand_that_is_held_feels_the_opposite_preload() -> None:
    hand = hf.postures.LazyGrip(gripper(), acting="reaction")
    body = hf.postures.hands.flat_assembly([hand], [Pose.identity()])
    for one, other in zip(gripper().contacts, body.contacts, strict=True):
        np.testing.assert_allclose(force_of(other, np.full(3, -0.01)), -force_of(one, np.full(3, 0.01)), atol=1e-12)
    assert body.joints is not None
    assert (body.joints.stiffness.tolist(), body.joints.servo.tolist()) == ([3.0], [40.0])


def test_only_given_suspensions_change_the_fingerprint() -> None:
    plain = hf.Assembly([hf.Contact((i, 0, 0), np.eye(3), CUP) for i in range(3)])
    given_ = [hf.Assembly([replace(c, suspension=s) for c in plain.contacts]) for s in (UNIT, UNIT.scaled(2.0))]
    rules = hf.Assembly([replace(c, suspension=Suspension(FULL, UNIT.preload)) for c in plain.contacts])
    assert len({a.fingerprint for a in (plain, *given_, rules)}) == 4
    same = hf.Assembly([replace(c, suspension=Suspension(FULL, UNIT.preload, "ductile")) for c in plain.contacts])
    assert same.fingerprint == given_[0].fingerprint


def test_only_given_springs_of_joints_change_the_fingerprint() -> None:
    contact = hf.Contact((0, 0, 0), np.eye(3), CUP)
    rows = [hf.JointRows(np.ones((1, 3)), [-1.0], [1.0], (), *more) for more in ((), ([0.0], [np.inf]), ([2.0],))]
    plain, rigid, sprung = (hf.Assembly([contact], row).fingerprint for row in rows)
    assert plain == rigid != sprung


def test_existing_questions_do_not_ask_for_suspensions() -> None:
    bare = hf.Assembly([replace(c, suspension=None) for c in gripper().contacts], gripper().joints)
    load = [1.0, 0.0, 0.5, 0.0, 0.0, 0.0]
    assert hf.load_limit(gripper(), load).value == hf.load_limit(bare, load).value


def test_side_by_side_keeps_springs_in_the_order_of_the_rows() -> None:
    rows = [hf.JointRows(np.ones((1, 3)), [-1.0], [1.0], (), *more) for more in ((), ([2.0], [5.0]))]
    both = side_by_side(rows)
    assert both.stiffness.tolist() == [0.0, 2.0]
    assert both.servo.tolist() == [np.inf, 5.0]
    assert both.shifted([1.0, 2.0]).stiffness.tolist() == [0.0, 2.0]


def test_a_unit_of_contacts_may_have_unequal_suspensions() -> None:
    unit = Unit("u")
    made = [hf.Contact((i, 0, 0), np.eye(3), CUP, unit=unit, suspension=UNIT.scaled(i + 1.0)) for i in range(2)]
    assert [suspension_of(c).normal for c in hf.Assembly(made).contacts] == [500.0, 1000.0]  # pyright: ignore[reportOptionalMemberAccess]


# -- rubber pads -----------------------------------------------------------------------------------


def test_a_long_rubber_pad_is_a_bar_in_tension_and_a_block_in_shear() -> None:
    """S = 0: Young's modulus 3 G of an incompressible bar; E A/t and G A/t."""
    normal, tangential = rubber_pad_stiffness(4e-4, 5e-3, shear_modulus=0.5e6)
    assert normal == pytest.approx(3 * 0.5e6 * 4e-4 / 5e-3)
    assert tangential == pytest.approx(0.5e6 * 4e-4 / 5e-3)
    assert normal / tangential == pytest.approx(3.0)


def test_a_flat_bonded_disc_is_stiffer_by_its_shape() -> None:
    """The pressure of a squeezed incompressible film, p(r) = 3 G e (R^2 - r^2)/t^2 with e the strain, adds 6 G S^2.

    The shape factor of a disc is R/(2 t); the integral of the pressure is taken numerically.
    """
    radius, thickness, modulus, strain = 0.02, 0.002, 0.6e6, 1e-3
    r = np.linspace(0.0, radius, 20_001)
    pressure = 3.0 * modulus * strain * (radius**2 - r**2) / thickness**2
    squeezed = np.trapezoid(pressure * 2.0 * np.pi * r, r)
    area = np.pi * radius**2
    shape = radius / (2.0 * thickness)
    normal, _ = rubber_pad_stiffness(area, thickness, shear_modulus=modulus, shape_factor=shape)
    slipping, _ = rubber_pad_stiffness(area, thickness, shear_modulus=modulus)
    assert (normal - slipping) * strain * thickness == pytest.approx(squeezed, rel=1e-6)


@pytest.mark.parametrize(
    "arguments",
    [
        {"area": 0.0},
        {"thickness": -1.0},
        {"shear_modulus": 0.6},
        {"shear_modulus": 1e12},
        {"shape_factor": 30.0},
        {"shape_factor": -1.0},
    ],
)
def test_a_pad_that_is_none_is_refused(arguments: dict[str, float]) -> None:
    given_ = {"area": 1e-4, "thickness": 1e-3, "shear_modulus": 1e6, **arguments}
    with pytest.raises(InputError) as caught:
        rubber_pad_stiffness(**given_)
    assert caught.value.where == next(iter(arguments))

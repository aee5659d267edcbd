"""Supports against programs of our own, closed forms, and the rays they bound."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import holdfast as hf
from holdfast.errors import GeometryError, InputError
from holdfast.papers.devices import two_finger_gripper, two_opposed_units
from holdfast.wrench_spaces import Rays, Subspace, wrench_space, wrench_supports
from tests.referee import assert_forces_hold, random_case
from tests.wrench_spaces.independent import largest

FEW = settings(max_examples=settings.default.max_examples // 10)


def normals_for(assembly: hf.Assembly, n: int, seed: int) -> np.ndarray:
    """Random normals whose torque part counts as much as their force part."""
    return np.random.default_rng(seed).normal(size=(n, 6)) / np.repeat([1.0, assembly.length], 3)


def strongest(assembly: hf.Assembly) -> float:
    return max(float(np.abs(p).max()) for c in assembly.contacts for p in c.volume.pieces)


@FEW
@given(st.integers(0, 1000))
def test_supports_of_all_wrenches_agree_with_an_independent_mixed_integer_program(seed: int) -> None:
    """Bounded unions, half of them with joint rows, half of them without zero in their pieces."""
    case = random_case(3 * seed, most_choices=24)
    found = wrench_supports(case.assembly, normals_for(case.assembly, 2, seed))
    for i, normal in enumerate(found.normals):
        expected = largest(case.assembly, np.eye(6), normal)
        assert found.values[i] == pytest.approx(expected, rel=1e-6, abs=1e-7 * strongest(case.assembly))
        if found.status[i] is hf.Status.OPTIMAL:
            assert normal @ found.points[i] == pytest.approx(found.values[i], rel=1e-8, abs=1e-8)
            pieces = found.solutions[i].pieces
            assert pieces is not None
            assert_forces_hold(case.assembly, found.points[i], found.forces[i], pieces)
    assert found.verify()


@FEW
@given(st.integers(0, 1000))
def test_supports_of_a_slice_agree_with_an_independent_mixed_integer_program(seed: int) -> None:
    """Slices of three random wrenches that the contacts can balance, and of the named axes."""
    case = random_case(3 * seed, most_choices=24)
    assembly = case.assembly
    reach = Rays.random(assembly, 3, seed=seed).directions
    own = len(assembly) > 1 and np.linalg.matrix_rank(reach) == 3
    subspace = Subspace.spanned(reach, length=assembly.length) if own else Subspace.named("fx,fy,fz")
    found = wrench_supports(assembly, normals_for(assembly, 2, seed), subspace=subspace)
    for i, normal in enumerate(found.normals):
        expected = largest(assembly, subspace.axes, subspace.axes @ normal)
        assert found.values[i] == pytest.approx(expected, rel=1e-6, abs=1e-7 * strongest(assembly))
    assert found.verify()


@FEW
@given(st.integers(0, 1000))
def test_without_joints_the_support_is_the_sum_of_the_contacts_own(seed: int) -> None:
    case = random_case(6 * seed, most_choices=24)
    normals = normals_for(case.assembly, 4, seed)
    expected = np.zeros(4)
    for contact in case.assembly.contacts:
        forces = np.concatenate(contact.volume.pieces) @ contact.rotation.T
        wrenches = np.hstack([forces, np.cross(contact.position, forces)])
        expected += (-normals @ wrenches.T).max(axis=1)
    found = wrench_supports(case.assembly, normals)
    np.testing.assert_allclose(found.values, expected, rtol=1e-6, atol=1e-9 * strongest(case.assembly))


@pytest.mark.parametrize("device", [two_opposed_units(), two_finger_gripper()], ids=["2OU", "2FG D-D"])
@pytest.mark.parametrize("volumes", ["union", "hull"])
def test_the_devices_rays_stay_below_their_supports_which_are_attained(device, volumes) -> None:
    """A slice sampled by rays: no point exceeds the support, and the ray through the touching point ends there."""
    assembly = device.assembly()
    space = wrench_space(assembly, "fx,ty,fz", volumes=volumes)
    found = wrench_supports(assembly, normals_for(assembly, 3, 5), subspace=space.subspace, volumes=volumes)
    assert found.verify()
    along = (space.points @ found.normals.T).max(axis=0)
    assert (along <= found.upper_bounds * (1 + 1e-9)).all()
    for point in found.points:
        limit = hf.load_limit(assembly.hulled() if volumes == "hull" else assembly, point).value
        assert limit == pytest.approx(1.0, rel=2e-6)


def test_of_hulls_an_outer_plane_has_the_support_for_its_offset() -> None:
    assembly = two_finger_gripper().assembly()
    space = wrench_space(assembly, Rays.random(assembly, 4, seed=1), volumes="hull", workers=1)
    found = wrench_supports(assembly, space.normals, volumes="hull")
    np.testing.assert_allclose(found.values, space.offsets, rtol=2e-6)


def test_cones_have_no_support_where_they_reach_for_ever() -> None:
    cone = hf.models.coulomb(0.5)
    contacts = [hf.Contact([x, y, 0], np.eye(3), cone) for x, y in ((0.1, 0), (-0.1, 0.1), (-0.1, -0.1))]
    found = wrench_supports(hf.Assembly(contacts), [[0, 0, -1, 0, 0, 0], [0, 0, 1, 0, 0, 0]])
    assert found.values[0] == np.inf and found.upper_bounds[0] == np.inf
    assert found.values[1] == pytest.approx(0.0, abs=1e-9)
    assert not found.verify()


def test_a_slice_that_holds_nothing_has_no_support() -> None:
    """A joint that must be pushed along x, and loads along y and z alone."""
    corners = 5.0 * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    contact = hf.Contact([0, 0, 0], np.eye(3), hf.ForceVolume([corners]))
    assembly = hf.Assembly([contact], hf.JointRows([[1.0, 0.0, 0.0]], [1.0], [2.0]))
    subspace = Subspace(np.eye(6)[1:3], ("fy", "fz"), ("N", "N"), [1.0, 1.0])
    found = wrench_supports(assembly, [[0, 1, 0, 0, 0, 0]], subspace=subspace)
    assert found.values.tolist() == [-np.inf] and found.verify()
    whole = wrench_supports(assembly, [[1, 0, 0, 0, 0, 0], [-1, 0, 0, 0, 0, 0]])
    np.testing.assert_allclose(whole.values, [-1.0, 2.0])


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"normals": np.zeros((1, 6))}, InputError, r"normals\[0\]: is zero"),
        ({"normals": np.eye(3)}, InputError, r"the shape must be \(n, 6\)"),
        ({"normals": [[1, np.nan, 0, 0, 0, 0]]}, InputError, "is nan"),
        ({"volumes": "outer"}, InputError, 'give "union" or "hull"'),
        ({"assembly": None}, InputError, "is a NoneType"),
        ({"subspace": 3}, InputError, r"subspace: is a int \(give a holdfast.wrench_spaces.Subspace"),
        ({"subspace": "fx,fy"}, InputError, "three different axes"),
        (
            {"normals": [[1, 0, 0, 0, 0, 0], [0, 0, 0, 1, 0, 0]], "subspace": Subspace.named("fx,fy,fz")},
            GeometryError,
            r"normals\[1\]: is at right angles to the whole subspace",
        ),
    ],
)
def test_wrong_questions_are_refused(changes: dict, error: type, message: str) -> None:
    contact = hf.Contact([0, 0, 0], np.eye(3), hf.models.coulomb(0.5, cap=1.0))
    with pytest.raises(error, match=message):
        wrench_supports(**({"assembly": hf.Assembly([contact]), "normals": np.eye(6)} | changes))


def test_the_repr_says_how_many_and_where() -> None:
    contact = hf.Contact([0, 0, 0], np.eye(3), hf.models.coulomb(0.5, cap=1.0))
    assert repr(wrench_supports(hf.Assembly([contact]), np.eye(6)[:2])) == "WrenchSupports(2 in R^6)"


def test_a_name_stands_for_its_subspace_with_the_assemblys_length() -> None:
    assembly = two_opposed_units().assembly()
    normals = np.eye(6)[[0, 4]]
    named = wrench_supports(assembly, normals, subspace="fx,ty,fz")
    meant = wrench_supports(assembly, normals, subspace=Subspace.named("fx,ty,fz", length=assembly.length))
    assert named.subspace is not None and named.subspace.labels == ("fx", "ty", "fz")
    np.testing.assert_array_equal(named.values, meant.values)

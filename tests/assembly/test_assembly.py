from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import holdfast as hf
from holdfast.errors import HoldfastError, InputError, UnitError
from tests.referee import block, dented_unit, random_case, random_rotation

few = settings(max_examples=30)
seeds = st.integers(0, 10_000)
CUBE = hf.ForceVolume([block([-1, -1, -1], [1, 1, 1])])


def moment(x: np.ndarray, f: np.ndarray) -> np.ndarray:
    return np.array([x[1] * f[2] - x[2] * f[1], x[2] * f[0] - x[0] * f[2], x[0] * f[1] - x[1] * f[0]])


def three_contacts(volume: hf.ForceVolume = CUBE) -> list[hf.Contact]:
    return [hf.Contact(x, np.eye(3), volume, f"c{i}") for i, x in enumerate(np.eye(3))]


# -- matrices ---------------------------------------------------------------------------------------


@few
@given(seeds)
def test_the_wrench_matrix_adds_forces_and_moments(seed):  # (2)
    assembly = random_case(seed).assembly
    forces = np.random.default_rng(seed).normal(size=(len(assembly), 3))
    wrench = assembly.wrench_matrix @ forces.ravel()
    np.testing.assert_allclose(wrench[:3], forces.sum(axis=0), atol=1e-12)
    torque = sum(moment(c.position, f) for c, f in zip(assembly.contacts, forces, strict=True))
    np.testing.assert_allclose(wrench[3:], torque, atol=1e-12)


@few
@given(seeds)
def test_build_states_balance_and_joint_rows_of_the_physical_forces(seed):  # (3), (5)
    case = random_case(seed)
    assembly, problem = case.assembly, case.assembly.build(case.direction)
    rng = np.random.default_rng(seed)
    local, factor = rng.normal(size=(len(assembly), 3)), float(rng.normal())
    world = np.array([c.rotation @ f for c, f in zip(assembly.contacts, local, strict=True)])
    rows = problem.row_values(local, factor) / problem.row_scale
    missing_force = world.sum(axis=0) + factor * case.direction[:3]
    missing_torque = (
        sum(moment(c.position, f) for c, f in zip(assembly.contacts, world, strict=True)) + factor * case.direction[3:]
    )
    centre = assembly.positions.mean(axis=0)
    np.testing.assert_allclose(rows[:3], missing_force, atol=1e-10)
    np.testing.assert_allclose(rows[3:6], missing_torque - moment(centre, missing_force), atol=1e-10)
    assert (problem.lower[:6] == 0).all()
    assert (problem.upper[:6] == 0).all()
    if assembly.joints is not None:
        np.testing.assert_allclose(rows[6:], assembly.joints.jacobian @ world.ravel(), atol=1e-10)
        np.testing.assert_allclose(problem.lower[6:] / problem.row_scale[6:], assembly.joints.lower)
        np.testing.assert_allclose(problem.upper[6:] / problem.row_scale[6:], assembly.joints.upper)
        assert (problem.load[6:] == 0).all()


def test_contacts_that_share_a_volume_share_its_shape():
    other = dented_unit()
    contacts = [*three_contacts(), hf.Contact([0, 0, 0], np.eye(3), other), *three_contacts(other)]
    problem = hf.Assembly(contacts).build(np.ones(6))
    assert len(problem.shapes) == 2
    np.testing.assert_array_equal(problem.shape_of, [0, 0, 0, 1, 1, 1, 1])
    assert problem.pieces(4) == other.polytopes
    assert problem.combinations == 2**4


def test_the_length_is_that_of_the_contacts_wherever_they_stand():
    contacts = three_contacts()
    assembly = hf.Assembly(contacts)
    far = assembly.moved(hf.Pose(random_rotation(np.random.default_rng(0)), [100, 200, 300]))
    assert assembly.length == pytest.approx(np.sqrt(2 / 3))
    assert far.length == pytest.approx(assembly.length)
    single = hf.Assembly([hf.Contact([0, 3, 4], np.eye(3), CUBE)])
    assert single.length == pytest.approx(5.0)
    assert hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), CUBE)]).length > 0.0


def test_any_length_states_the_same_problem():
    assembly = hf.Assembly(three_contacts())
    a, b = assembly.build(np.arange(1.0, 7.0)), assembly.build(np.arange(1.0, 7.0), length=7.0)
    np.testing.assert_allclose(a.maps / a.row_scale[:, None], b.maps / b.row_scale[:, None])
    np.testing.assert_allclose(a.load / a.row_scale, b.load / b.row_scale)


@few
@given(seeds)
def test_a_moved_assembly_carries_wrenches_and_joint_rows_along(seed):
    assembly = random_case(seed).assembly
    rng = np.random.default_rng(seed)
    pose = hf.Pose(random_rotation(rng), rng.normal(size=3))
    moved = assembly.moved(pose)
    local = rng.normal(size=(len(assembly), 3))
    here = np.array([c.rotation @ f for c, f in zip(assembly.contacts, local, strict=True)])
    there = np.array([c.rotation @ f for c, f in zip(moved.contacts, local, strict=True)])
    np.testing.assert_allclose(there, here @ pose.rotation.T, atol=1e-12)
    np.testing.assert_allclose(
        moved.wrench_matrix @ there.ravel(),
        pose.wrench_transport() @ (assembly.wrench_matrix @ here.ravel()),
        atol=1e-10,
    )
    if assembly.joints is not None:
        np.testing.assert_allclose(
            moved.joints.jacobian @ there.ravel(), assembly.joints.jacobian @ here.ravel(), atol=1e-10
        )
    assert all(a.volume is b.volume for a, b in zip(assembly.contacts, moved.contacts, strict=True))


def test_an_assembly_is_shown_by_its_numbers():
    contacts = [hf.Contact((0, 0, 0), np.eye(3), hf.models.coulomb(0.5), body="lower")]
    contacts += [hf.Contact((0, 0, 1), np.eye(3), hf.models.coulomb(0.5), body="upper", against="lower")]
    assert repr(hf.Assembly(contacts, name="stack")) == "Assembly('stack', 2 bodies, 2 contacts)"
    rows = hf.JointRows(np.zeros((1, 3)), np.zeros(1), np.ones(1))
    assert repr(hf.Assembly(contacts[:1], rows)) == "Assembly('', 1 contacts, 1 joint rows)"


def test_contacts_come_back_as_a_tuple_in_their_order():
    contacts = three_contacts()
    assembly = hf.Assembly(contacts, name="three")
    contacts.pop()
    assert [c.name for c in assembly.contacts] == ["c0", "c1", "c2"]
    assert len(assembly) == 3
    np.testing.assert_array_equal(assembly.positions, np.eye(3))
    assert assembly.rotations.shape == (3, 3, 3)


# -- bad input --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "contacts, where",
    [([], "contacts"), ([1], "contacts[0]"), (None, "contacts[0]"), ("ab", "contacts[0]"), (CUBE, "contacts[0]")],
)
def test_what_is_no_list_of_contacts_is_an_input_error(contacts, where):
    with pytest.raises(InputError) as caught:
        hf.Assembly(contacts)
    assert caught.value.where == where
    assert caught.value.fix


def test_joint_rows_for_another_number_of_contacts_are_an_input_error():
    rows = hf.JointRows(np.zeros((1, 6)), [-1], [1])
    with pytest.raises(InputError, match="6 columns for 3 contacts") as caught:
        hf.Assembly(three_contacts(), rows)
    assert caught.value.where == "joints.jacobian"


def test_joints_of_another_type_are_an_input_error():
    with pytest.raises(HoldfastError):
        hf.Assembly(three_contacts(), np.zeros((1, 9)))


@pytest.mark.parametrize(
    "jacobian, lower, upper",
    [
        (np.zeros((1, 9)), [1.0], [-1.0]),
        (np.zeros((1, 9)), [np.nan], [1.0]),
        (np.zeros((1, 9)), [0.0, 0.0], [1.0, 1.0]),
        (np.zeros(9), [0.0], [1.0]),
        (np.full((1, 9), np.nan), [0.0], [1.0]),
        (np.zeros((1, 9)), [np.inf], [np.inf]),
    ],
)
def test_bad_joint_rows_are_input_errors(jacobian, lower, upper):
    with pytest.raises(InputError):
        hf.JointRows(jacobian, lower, upper)


@pytest.mark.parametrize(
    "position, rotation, volume",
    [
        ([0, 0], np.eye(3), CUBE),
        ([0, 0, np.nan], np.eye(3), CUBE),
        ([0, 0, 0], np.diag([1, -1, 1]), CUBE),
        ([0, 0, 0], np.eye(3) * 2, CUBE),
        ([0, 0, 0], np.eye(2), CUBE),
        ([0, 0, 0], np.eye(3), "coulomb"),
        ([0, 0, 0], np.eye(3), None),
    ],
)
def test_bad_contacts_are_input_errors(position, rotation, volume):
    with pytest.raises(InputError) as caught:
        hf.Contact(position, rotation, volume)
    assert caught.value.where
    assert caught.value.fix


def test_positions_in_millimetres_by_mistake_are_a_unit_error():
    with pytest.raises(UnitError):
        hf.Contact([2e4, 0, 0], np.eye(3), CUBE)


@pytest.mark.parametrize("wrench", [[1, 2, 3], np.full(6, np.nan), np.full(6, np.inf), "down", np.zeros((2, 6))])
def test_a_bad_wrench_is_an_input_error(wrench):
    with pytest.raises(InputError) as caught:
        hf.Assembly(three_contacts()).build(wrench)
    assert caught.value.where.startswith("wrench")


@pytest.mark.parametrize("length", [0.0, -1.0, np.nan, np.inf])
def test_a_bad_length_is_an_input_error(length):
    with pytest.raises(InputError):
        hf.Assembly(three_contacts()).build(np.ones(6), length=length)


def test_equal_assemblies_have_equal_fingerprints_and_any_change_gives_another():
    joints = hf.JointRows(np.ones((1, 9)), [-1.0], [1.0])
    same = [hf.Assembly(three_contacts(), joints).fingerprint for _ in range(2)]
    others = [
        hf.Assembly(three_contacts()),
        hf.Assembly(three_contacts()[:2]),
        hf.Assembly(three_contacts(CUBE.scaled(1.5)), joints),
        hf.Assembly(three_contacts(), hf.JointRows(np.ones((1, 9)), [-1.0], [1.5])),
        hf.Assembly(three_contacts(), joints).moved(hf.Pose(np.eye(3), (0, 0, 1e-9))),
    ]
    assert same[0] == same[1]
    assert len({same[0], *(other.fingerprint for other in others)}) == len(others) + 1


def test_a_pickled_assembly_leaves_its_matrices_behind_and_answers_the_same():
    assembly = hf.Assembly(three_contacts(), hf.JointRows(np.ones((1, 9)), [-1.0], [1.0]), "it")
    before = hf.load_limit(assembly, [0, 0, 1, 0, 0, 0]).value
    again = pickle.loads(pickle.dumps(assembly))
    assert "layout" in vars(assembly) and "layout" not in vars(again)
    assert (again.name, again.fingerprint) == ("it", assembly.fingerprint)
    assert again.contacts[0].volume is again.contacts[1].volume
    assert hf.load_limit(again, [0, 0, 1, 0, 0, 0]).value == before


def test_a_hulled_assembly_holds_every_wrench_that_mixed_forces_balance():
    volume = dented_unit()
    hulled = hf.Assembly(three_contacts(volume)).hulled()
    (shape,) = {id(c.volume): c.volume for c in hulled.contacts}.values()
    assert len(shape) == 1
    rng = np.random.default_rng(3)
    vertices = np.concatenate(volume.pieces)
    for _ in range(20):
        forces = np.array([rng.dirichlet(np.full(len(vertices), 0.1)) @ vertices for _ in range(3)])
        world = np.einsum("kij,kj->ki", hulled.rotations, forces)
        answer = hf.equilibrium(hulled, -hulled.wrench_matrix @ world.reshape(-1))
        assert answer.holds and answer.verify()


def test_hulling_convex_volumes_changes_nothing():
    assembly = hf.Assembly(three_contacts())
    assert assembly.hulled().fingerprint == assembly.fingerprint

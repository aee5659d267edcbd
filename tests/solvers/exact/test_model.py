"""What the kernels see of an assembly, against the contact problem it comes from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import holdfast as hf
from holdfast.geometry.polytopes import Polytope
from holdfast.solvers.exact.model import RAY_REACH, build_model, force_unit
from holdfast.solvers.exact.search import MOST_OPEN, POOL
from holdfast.solvers.exact.simplex import FIRST_OPEN, PRIMAL_TOLERANCE
from holdfast.solvers.exact.support_tables import FAR
from holdfast.solvers.problem import MOST_PIECES
from tests.referee import block, random_case, random_rotation
from tests.solvers import twins
from tests.solvers.kernel_cases import ALL, PLAIN, setting

PULL = np.array([0.2, 0.1, 1.0, 0.01, 0.0, 0.0])


def box_assembly(joints: hf.JointRows | None) -> hf.Assembly:
    """Three contacts of two boxes each."""
    rng = np.random.default_rng(1)
    volume = hf.ForceVolume([block([-1.0] * 3, [1.0] * 3), block([-2.0, -1.0, -1.0], [2.0, 1.0, 1.0])])
    return hf.Assembly([hf.Contact(rng.normal(size=3) * 0.1, random_rotation(rng), volume) for _ in range(3)], joints)


@pytest.mark.parametrize("name", ALL)
def test_the_rows_add_up_to_those_of_the_problem(name):
    """Contacts push, slacks pull: forces and row values that fit the problem's limits balance the program's rows."""
    case, rng = setting(name), np.random.default_rng(1)
    model, problem = case.model, case.problem
    forces = rng.normal(size=(model.contacts, 3))
    values = problem.row_values(forces, 0.0)[model.scales.kept]
    items = np.concatenate([forces, np.column_stack([values[6:], np.zeros((len(values) - 6, 2))])])
    balance = np.einsum("nmi,ni->m", twins.maps(model.program), items)
    np.testing.assert_allclose(balance, np.concatenate([values[:6], np.zeros(len(values) - 6)]), atol=1e-12)


@pytest.mark.parametrize("name", [name for name in PLAIN if "counted" not in name and "rays" not in name])
def test_the_hulls_limit_is_that_of_the_relaxation(name):
    case = setting(name)
    expected = hf.solvers.Hull().maximise(case.problem)
    limit = twins.hull_limit(case.tables, case.program(), case.masks) * case.scale
    assert limit == pytest.approx(expected.bound, rel=1e-6)


def test_counted_from_the_nearest_a_factor_of_one_is_the_load_itself():
    """Where joint limits exclude zero, d = 1 of the shifted program is equilibrium, and d = 0 needs no force."""
    plain, shifted = setting("joint rows that exclude zero"), setting("the same, counted from the nearest")
    scales, layout = shifted.model.scales, plain.problem.layout
    np.testing.assert_array_equal(scales.zero, layout.nearest_to_zero[scales.kept])
    assert scales.zero.any() and not plain.model.scales.zero.any()
    rows = scales.kept[6:]
    for item, row in enumerate(rows, start=shifted.model.contacts):
        ends = shifted.tables.vertices[twins.members(shifted.tables, shifted.model.program.shape_of[item], 1), 0]
        np.testing.assert_allclose(
            ends, np.array([layout.lower[row], layout.upper[row]]) - scales.zero[row], atol=1e-12
        )
        assert ends.min() <= 0.0 <= ends.max()


def test_rows_without_any_limit_are_left_out_and_one_sided_ones_cut_where_nothing_reaches():
    jacobian = np.random.default_rng(2).normal(size=(3, 9))
    joints = hf.JointRows(jacobian, [-np.inf, -0.3, -np.inf], [np.inf, np.inf, 0.4])
    layout = box_assembly(joints).build(PULL).layout
    model = build_model(layout, from_zero=False, unit=force_unit(layout))
    assert model.scales.kept.tolist() == [0, 1, 2, 3, 4, 5, 7, 8]
    assert model.program.unlimited.tolist() == [0] * 6 + [2, 1]
    for item, row, finite in ((3, 7, 0), (4, 8, 1)):
        vertices = twins.members(model.tables, model.program.shape_of[item], 1)
        ends, far = model.tables.vertices[vertices, 0], model.tables.bits[vertices] & FAR > 0
        assert far.tolist() == [finite == 1, finite == 0]
        assert ends[finite] == (layout.lower, layout.upper)[finite][row]
        most = sum(max(p.support(m[row]) for p in layout.shapes[0]) for m in layout.maps)
        least = -sum(max(p.support(-m[row]) for p in layout.shapes[0]) for m in layout.maps)
        assert ends[0] < least or finite == 0
        assert ends[1] > most or finite == 1


@pytest.mark.parametrize("name", ALL)
def test_slack_of_weights_is_slack_of_forces(name):
    """However long a vertex: its weight may be off by what moves the force by no more than the unit's share."""
    program, tables, unit = setting(name).model.program, setting(name).tables, setting(name).model.scales.unit[0]
    items = twins.items_of(program)
    reach = [np.linalg.norm(tables.reach[program.shape_of[twins.points_of(program, i)]]) for i in items]
    np.testing.assert_allclose(program.reach[items], reach, rtol=1e-13)
    assert (program.slack[items] <= PRIMAL_TOLERANCE).all()
    assert (program.slack[items] * reach <= PRIMAL_TOLERANCE * max(unit, 1e-300) * (1.0 + 1e-12)).all()
    sizes = [np.linalg.norm(twins.maps(program)[twins.points_of(program, i)]) for i in items]
    np.testing.assert_allclose(program.size[items], sizes, rtol=1e-13)


@pytest.mark.parametrize("name", ALL)
def test_items_are_the_units_and_the_joint_slacks(name):
    case = setting(name)
    expected = [len(unit) for unit in case.problem.units] + [1] * (len(case.model.scales.kept) - 6)
    program = case.model.program
    assert [len(twins.points_of(program, i)) for i in twins.items_of(program)] == expected
    assert program.points.sum() == len(program.points) == len(program.shape_of)


def test_rays_are_cut_far_beyond_the_unit():
    case = setting("rays")
    far = np.linalg.norm(case.tables.vertices[case.tables.bits & FAR > 0], axis=1)
    assert len(far) > 0
    assert far.min() > 0.9 * RAY_REACH * case.model.scales.unit[0]


def test_the_unit_is_the_largest_vertex_or_joint_limit():
    problem = box_assembly(hf.JointRows(np.ones((2, 9)) * 0.1, [-50.0, -np.inf], [0.1, 1.0])).build(PULL)
    assert force_unit(problem.layout) == pytest.approx(max(2.0, 50.0 * problem.row_scale[6]))
    assert force_unit(box_assembly(None).build(PULL).layout) == 2.0
    cones = hf.ForceVolume([[[0, 0, 0]]], [[[0.5, 0, 1], [-0.5, 0, 1], [0, 0.5, 1], [0, -0.5, 1.0]]])
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), cones)])
    assert force_unit(assembly.build(PULL).layout) == 1.0


@pytest.mark.parametrize("name", ["contacts alone", "gripper", "joint rows that exclude zero"])
def test_the_guess_is_the_inverse_spread_of_what_contacts_and_slacks_add_up_to(name):
    """The covariance of independent vertices, drawn evenly, and of slacks drawn from their intervals."""
    case = setting(name)
    tables, program, k = case.tables, case.model.program, case.model.contacts
    spread = np.zeros((len(case.load),) * 2)
    for i, (shape, M) in enumerate(zip(program.shape_of, twins.maps(program), strict=True)):
        vertices = tables.vertices[twins.members(tables, shape, case.masks[i])]
        own = sum(np.outer(v, v) for v in vertices) / len(vertices)
        if i >= k:
            own = np.diag([np.ptp(vertices[:, 0]) ** 2 / 12.0, 0.0, 0.0])
        spread += M @ own @ M.T
    product = case.model.scales.guess @ spread
    np.testing.assert_allclose(product, np.eye(len(product)), atol=1e-4)


@pytest.mark.parametrize("name", ALL)
def test_a_search_has_a_slot_for_every_piece_it_may_give_up(name):
    """Each level of the tree divides a unit's pieces: no path leaves more nodes open than pieces can be divided."""
    case = setting(name)
    pieces = [len(case.problem.pieces(i)) for i in range(case.model.contacts)]
    choices = [pieces[unit[0]] for unit in case.problem.units]
    assert case.model.depth > sum(choices) - len(choices)
    assert case.masks[: case.model.contacts].tolist() == [(1 << count) - 1 for count in pieces]
    assert (case.masks[case.model.contacts :] == 1).all()
    workspace = case.model.new_workspace(50)
    assert len(workspace.state.slots) == case.model.depth + MOST_OPEN
    assert len(workspace.frames.items) - POOL == FIRST_OPEN + len(workspace.state.slots)
    assert len(workspace.state.leaf_bound) == 50


def test_rooms_are_lent_and_taken_back():
    layout = random_case(0).assembly.build(PULL).layout
    model = build_model(layout, from_zero=False, unit=force_unit(layout))
    first = model.take_workspace()
    assert model.take_workspace() is not first
    model.idle_workspaces.append(first)
    assert model.take_workspace() is first


@pytest.mark.parametrize("shift, fit", [(0.0, True), (9.0, False)])
def test_pieces_without_zero_are_left_to_the_reference(shift, fit):
    layout = box_assembly(None).build(PULL).layout
    moved = layout.shapes[0][1].translated([shift, 0.0, 0.0])
    assert replace(layout, shapes=((layout.shapes[0][0], moved),)).fits_kernels is fit


@pytest.mark.parametrize("count, fit", [(MOST_PIECES, True), (MOST_PIECES + 1, False)])
def test_volumes_of_very_many_pieces_are_left_to_the_reference(count, fit):
    layout = box_assembly(None).build(PULL).layout
    pieces = tuple(Polytope(layout.shapes[0][0].vertices * (1.0 + j)) for j in range(count))
    assert replace(layout, shapes=(pieces,)).fits_kernels is fit

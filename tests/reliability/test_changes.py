"""The least change that makes a load hold: closed forms, and that nothing cheaper does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linprog

import holdfast as hf
from holdfast.reliability.changes import (
    ChangeStatus,
    Costs,
    GrowthPrices,
    LeastChange,
    cheapest_growth,
    grown,
    growth_bound,
    least_change,
)
from tests import referee


def prices_of(problem: hf.solvers.ContactProblem) -> GrowthPrices:
    groups = tuple((i,) for i in range(problem.contacts))
    rows = np.full(problem.rows, np.inf)
    rows[6:] = 2.0
    lower, upper = (np.where(np.isfinite(b), rows, np.inf) for b in (problem.lower, problem.upper))
    return GrowthPrices(groups, np.ones(problem.contacts), lower, upper)


@pytest.mark.parametrize("seed", [0, 3, 5, 9])
def test_no_multipliers_bound_more_than_the_cheapest_growth_costs(seed: int) -> None:
    case = referee.random_case(seed)
    problem = case.assembly.problem(2.0 * hf.load_limit(case.assembly, case.direction).value * case.direction)
    prices = prices_of(problem)
    found = cheapest_growth(problem, problem.all_pieces, prices)
    assert found.bound == pytest.approx(found.cost, rel=1e-8)
    rng = np.random.default_rng(seed)
    for y in rng.normal(size=(200, problem.rows)):
        assert growth_bound(problem, problem.all_pieces, y, prices) <= found.cost * (1 + 1e-9)
        near = found.multipliers + 0.05 * np.abs(found.multipliers).max() * y
        assert growth_bound(problem, problem.all_pieces, near, prices) <= found.cost * (1 + 1e-9)


def test_bounds_do_not_depend_on_the_length_of_multipliers() -> None:
    case = referee.random_case(0)
    problem = case.assembly.problem(2.0 * hf.load_limit(case.assembly, case.direction).value * case.direction)
    prices = prices_of(problem)
    found = cheapest_growth(problem, problem.all_pieces, prices)
    bounds = [growth_bound(problem, problem.all_pieces, s * found.multipliers, prices) for s in (1e-3, 1.0, 1e3)]
    assert bounds == pytest.approx([found.cost] * 3, rel=1e-8)


BOX = hf.ForceVolume([np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)])


def less_does_not_hold(found: LeastChange) -> bool:
    return hf.equilibrium(found.partly(0.999), found.wrench).status is hf.Status.DOES_NOT_HOLD


def test_one_contact_grows_to_the_load() -> None:
    found = least_change(hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), BOX)]), [2.5, 0, 0, 0, 0, 0])
    assert found.status is ChangeStatus.FOUND
    assert found.cost == pytest.approx(1.5)
    assert found.strengths == pytest.approx([2.5])
    assert found.verify()
    assert less_does_not_hold(found)


def test_the_cheaper_of_two_contacts_grows() -> None:
    pair = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), BOX), hf.Contact([0, 0, 0], np.eye(3), BOX)])
    found = least_change(pair, [3.0, 0, 0, 0, 0, 0], Costs(strength=[2.0, 1.0]))
    assert found.strengths == pytest.approx([1.0, 2.0])
    assert found.cost == pytest.approx(1.0)
    together = least_change(pair, [3.0, 0, 0, 0, 0, 0], Costs(strength=3.0, groups=[(0, 1)]))
    assert together.strengths == pytest.approx([1.5, 1.5])
    assert together.cost == pytest.approx(1.5)
    fixed = least_change(pair, [3.0, 0, 0, 0, 0, 0], Costs(strength=[1.0, np.inf]))
    assert fixed.strengths == pytest.approx([2.0, 1.0])


def test_a_joint_bound_moves_where_strength_does_not_help() -> None:
    rows = hf.JointRows([[0.5, 0.0, 0.0]], [-0.2], [0.3], ("hinge",))
    finger = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), BOX)], rows)
    found = least_change(finger, [-0.8, 0, 0, 0, 0, 0])
    assert found.upper == pytest.approx([0.1])
    assert found.lower == pytest.approx([0.0])
    assert found.strengths == pytest.approx([1.0])
    assert found.cost == pytest.approx(0.1 / 0.3)
    assert found.verify()
    assert less_does_not_hold(found)
    dear = least_change(finger, [-0.8, 0, 0, 0, 0, 0], Costs(upper=7.0))
    assert dear.cost == pytest.approx(0.7)


def test_what_holds_needs_no_change() -> None:
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), BOX)])
    found = least_change(assembly, [0.5, 0, 0, 0, 0, 0])
    assert (found.status, found.cost, found.lower_bound) == (ChangeStatus.HOLDS, 0.0, 0.0)
    assert found.assembly is assembly
    assert found.verify()


def test_what_no_growth_can_hold_is_said_and_proven() -> None:
    found = least_change(hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), BOX)]), [0, 0, 0, 0, 0, 1.0])
    assert found.status is ChangeStatus.IMPOSSIBLE
    assert found.cost == found.lower_bound == np.inf
    assert found.verify()


def brute_force(assembly: hf.Assembly, wrench: np.ndarray, groups: list[list[int]] | None = None) -> float:
    """The least cost over all choices of pieces, each a linear program of scipy over all vertices."""
    best, joints = np.inf, assembly.joints
    rows = 0 if joints is None else len(joints)
    k = len(assembly)
    groups = groups or [[i] for i in range(k)]
    grows = np.array([[-1.0 * (i in group) for group in groups] for i in range(k)])
    for choice in referee.choices_of(assembly):
        points = [c.volume.pieces[j] for c, j in zip(assembly.contacts, choice, strict=True)]
        world = np.concatenate([p @ c.rotation.T for p, c in zip(points, assembly.contacts, strict=True)])
        owner = np.repeat(np.arange(k), [len(p) for p in points])
        n = len(world)
        torque = np.cross(assembly.positions[owner], world)
        g = len(groups)
        balance = np.hstack([np.vstack([world.T, torque.T]), np.zeros((6, g + 2 * rows))])
        weights = np.hstack([(owner == np.arange(k)[:, None]).astype(float), grows, np.zeros((k, 2 * rows))])
        cost = np.concatenate([np.zeros(n), np.ones(g), np.zeros(2 * rows)])
        above, at_most = None, None
        if joints is not None:
            felt = np.stack(
                [joints.jacobian[:, 3 * i : 3 * i + 3] @ w for i, w in zip(owner, world, strict=True)], axis=1
            )
            free, one = np.zeros((rows, g)), np.eye(rows)
            above = np.vstack([np.hstack([felt, free, 0 * one, -one]), np.hstack([-felt, free, -one, 0 * one])])
            at_most = np.concatenate([joints.upper, -joints.lower])
            finite = np.isfinite(at_most)
            above, at_most = above[finite], at_most[finite]
            reach = np.abs(joints.jacobian) @ np.repeat([c.volume.size for c in assembly.contacts], 3)
            for side, bounds in enumerate((joints.lower, joints.upper)):
                size = np.where(np.abs(bounds) > 0, np.abs(bounds), reach)
                cost[n + g + side * rows : n + g + (side + 1) * rows] = np.where(np.isfinite(size), 1 / size, 1.0)
        equal, to = np.vstack([balance, weights]), np.concatenate([-wrench, np.ones(k)])
        answer = linprog(cost, A_ub=above, b_ub=at_most, A_eq=equal, b_eq=to, method="highs")
        best = min(best, answer.fun if answer.status == 0 else np.inf)
    return best


@pytest.mark.parametrize("seed", [0, 1, 3, 4, 6, 9])
def test_the_least_change_is_that_of_brute_force(seed: int) -> None:
    case = referee.random_case(seed)
    wrench = 1.7 * hf.load_limit(case.assembly, case.direction).value * case.direction
    found = least_change(case.assembly, wrench)
    assert found.status is ChangeStatus.FOUND
    assert found.cost == pytest.approx(brute_force(case.assembly, wrench), rel=1e-6)
    assert found.lower_bound <= found.cost
    assert found.gap <= 1e-6
    assert found.verify()
    assert less_does_not_hold(found)


@pytest.mark.parametrize("seed", [0, 4, 5, 9, 12, 13])
def test_units_grow_as_one_or_point_by_point_where_asked(seed: int) -> None:
    case = referee.random_unit_case(seed)
    wrench = 1.7 * hf.load_limit(case.assembly, case.direction).value * case.direction
    members: dict[object, list[int]] = {}
    for i, contact in enumerate(case.assembly.contacts):
        members.setdefault(contact.unit, []).append(i)
    each = [[i] for i in range(len(case.assembly))]
    for costs, groups in ((None, list(members.values())), (Costs(groups=each), each)):
        found = least_change(case.assembly, wrench, costs)
        assert found.status is ChangeStatus.FOUND
        assert [list(group) for group in found.prices.groups] == groups
        assert found.cost == pytest.approx(brute_force(case.assembly, wrench, groups), rel=1e-6)
        assert found.verify()
        assert less_does_not_hold(found)
        assert not replace(found, lower_bound=1.01 * found.lower_bound).verify()


def test_a_tampered_proof_is_found_out() -> None:
    case = referee.random_case(0)
    wrench = 1.7 * hf.load_limit(case.assembly, case.direction).value * case.direction
    found = least_change(case.assembly, wrench)
    assert not replace(found, lower_bound=1.01 * found.lower_bound).verify()
    assert not replace(found, leaves=found.leaves[1:]).verify()
    assert not replace(found, assembly=found.original).verify()


def test_a_search_cut_short_keeps_a_true_bracket() -> None:
    case = referee.random_case(1)
    wrench = 1.7 * hf.load_limit(case.assembly, case.direction).value * case.direction
    whole, short = least_change(case.assembly, wrench), least_change(case.assembly, wrench, node_limit=1)
    assert short.lower_bound <= whole.cost <= short.cost
    if short.status is ChangeStatus.UNDECIDED:
        assert not short.verify()


def test_growth_scales_volumes_and_moves_bounds_outwards() -> None:
    rows = hf.JointRows([[0.5, 0.0, 0.0]], [-0.2], [0.3])
    finger = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), BOX)], rows)
    after = grown(finger, np.array([2.0]), np.array([0.1]), np.array([0.2]))
    assert after.contacts[0].volume.size == pytest.approx(2.0)
    assert after.joints is not None
    assert after.joints.lower == pytest.approx([-0.3])
    assert after.joints.upper == pytest.approx([0.5])


@pytest.mark.parametrize("costs", [Costs(strength=0.0), Costs(strength=-1.0), Costs(groups=[(0,), (0,)])])
def test_bad_costs_are_named(costs: Costs) -> None:
    with pytest.raises(hf.errors.InputError):
        least_change(hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), BOX)]), [2.5, 0, 0, 0, 0, 0], costs)


@pytest.mark.parametrize("costs", [2.0, 0.0, "cheap"])
def test_what_is_no_costs_is_refused(costs) -> None:
    with pytest.raises(hf.errors.InputError, match=r"costs: is a (float|str).*Costs"):
        least_change(hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), BOX)]), [2.5, 0, 0, 0, 0, 0], costs)

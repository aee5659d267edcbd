"""Both mixed-integer formulations on both backends against every choice of pieces tried; SCIP as a backend."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

import holdfast as hf
from holdfast.errors import InputError, MissingDependencyError, SolverError, UnknownNameError
from holdfast.solvers import highs
from holdfast.solvers.highs import MixedProgram, Outcome
from holdfast.solvers.mixed_integer import (
    RAY_REACH,
    BigM,
    HullMilp,
    build_program,
    build_weights,
    force_extents,
    indicators_of,
    least_m,
    solve_formulation,
    solve_milp,
    solve_on_scip,
    units_of,
)
from holdfast.solvers.reference import Bracket
from tests.nightly import nightly_after
from tests.referee import _extreme_factor, assert_forces_hold, block, dented_unit, random_case, random_volume, verdict

PULL_OFF = np.array([0, 0, 1.0, 0, 0, 0])
FORMULATIONS = [HullMilp, BigM]


@pytest.fixture(params=["highs", "scip"])
def solver(request: pytest.FixtureRequest) -> str:
    if request.param == "scip":
        pytest.importorskip("pyscipopt")
    return request.param


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("seed", nightly_after(12, range(18)))
def test_limits_agree_with_every_choice_tried(formulation, seed: int, solver: str) -> None:
    """With joint rows, pieces without zero and rays, as `random_case` draws them."""
    case = random_case(seed, most_choices=16)
    expected = verdict(case.assembly, case.direction)
    answer = hf.load_limit(case.assembly, case.direction, method=formulation(solver=solver))
    assert answer.value == pytest.approx(expected.largest, rel=1e-6, abs=1e-8)
    assert answer.certificate is None
    assert not answer.verify()  # no proof
    if expected.largest == -np.inf:
        assert answer.status == "does not hold"
        return
    assert answer.status == "optimal"
    assert answer.value <= answer.upper_bound <= answer.value + 1.01e-6 * max(abs(answer.value), 1e-3)
    assert_forces_hold(case.assembly, answer.value * case.direction, answer.forces, answer.pieces)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("seed", range(8))
def test_verdicts_beside_the_limit_are_right_and_forces_are_confirmed(formulation, seed: int, solver: str) -> None:
    case = random_case(seed, most_choices=16)
    expected = verdict(case.assembly, case.direction)
    if not 1e-3 < abs(expected.largest) < np.inf:
        return
    method = formulation(solver=solver)
    for change in (-1e-2, -1e-5, 1e-5, 1e-2):
        factor = expected.largest + change * abs(expected.largest)
        answer = hf.equilibrium(case.assembly, factor * case.direction, method=method)
        if change > 0:
            assert answer.status == "does not hold"
            assert answer.certificate is None
            assert not answer.verify()
        elif factor >= expected.least:
            assert answer.status == "holds"
            assert answer.verify()
            assert_forces_hold(case.assembly, factor * case.direction, answer.forces, answer.pieces)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_query_of_opposed_microspines_agrees_with_the_reference(formulation, solver: str) -> None:
    assembly = hf.devices.create("2OU").assembly(np.array([0.0, 0.0, -9.81]))
    direction = np.array([0.1, 0.2, 1.0, 0, 0, 0])
    truth = hf.load_limit(assembly, direction, method=hf.solvers.Reference()).value
    for factor, status in ((0.99, "holds"), (1.01, "does not hold")):
        answer = hf.equilibrium(assembly, factor * truth * direction, method=formulation(solver=solver))
        assert answer.status == status
    limit = hf.load_limit(assembly, direction, method=formulation(solver=solver, gap=1e-3))
    assert limit.status == "optimal"
    assert limit.gap <= 1e-3
    assert limit.value <= truth * (1 + 1e-9)
    assert limit.upper_bound >= truth * (1 - 1e-9)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_time_limit_ends_undecided_with_bounds_that_hold_the_truth(formulation, solver: str) -> None:
    rng = np.random.default_rng(0)
    unit = dented_unit(shear=20, pull=5)
    assembly = hf.Assembly([hf.Contact(rng.normal(size=3) * 0.1, np.eye(3), unit) for _ in range(15)])
    method = formulation(solver=solver, time_limit=1e-6)
    answer = hf.load_limit(assembly, PULL_OFF, method=method)
    truth = hf.load_limit(assembly, PULL_OFF, method=Bracket())
    assert answer.status == "undecided"
    assert answer.value <= truth.upper_bound
    assert truth.value <= answer.upper_bound < np.inf
    test = hf.equilibrium(assembly, 0.9 * truth.value * PULL_OFF, method=method)
    assert test.status in ("undecided", "holds")  # what is found before the limit counts


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("limited, status", [(False, "unbounded"), (True, "optimal")])
def test_loads_along_rays_grow_for_ever_unless_a_joint_ends_it(formulation, limited, status, solver: str) -> None:
    cone = [[0.5, 0, 1], [-0.5, 0, 1], [0, 0.5, 1], [0, -0.5, 1.0]]
    volume = hf.ForceVolume([block([-1, -1, 0], [1, 1, 2]), [[0, 0, 0]]], [None, cone])
    joints = hf.JointRows([[0, 0, 0.1]], [-1.0], [2.0 if limited else np.inf])
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), volume)], joints)
    answer = hf.load_limit(assembly, -PULL_OFF, method=formulation(solver=solver))
    assert answer.status == status
    assert answer.value == (pytest.approx(20.0) if limited else np.inf)
    if not limited:
        assert answer.verify()  # its growth is its proof
    assert hf.equilibrium(assembly, -19.9 * PULL_OFF, method=formulation(solver=solver)).holds


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_forces_beyond_the_reach_of_rays_leave_it_undecided_and_never_wrong(formulation) -> None:
    """Two pushes a hair from opposed: what a joint allows them is beyond the reach, and the last program finds it."""
    lean, squeeze = 0.1 / RAY_REACH, 50 * RAY_REACH
    pushes = [hf.ForceVolume([[[0, 0, 0.0]]], [[[x, 0, lean]]], allow_flat=True) for x in (1.0, -1.0)]
    walls = [hf.Contact([0, 0, 0], np.eye(3), push) for push in pushes]
    joints = hf.JointRows([[1e-6, 0, 0, 0, 0, 0]], [-np.inf], [1e-6 * squeeze])
    answer = hf.load_limit(hf.Assembly(walls, joints), -PULL_OFF, method=formulation())
    assert answer.status == "undecided"
    assert answer.value == pytest.approx(10.0, rel=1e-6)  # 2 lean squeeze
    assert answer.upper_bound == np.inf


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("strength", [1e-6, 1e6])
def test_the_strength_of_the_load_changes_the_factor_alone(formulation, strength: float, solver: str) -> None:
    case = random_case(8, most_choices=16)
    method = formulation(solver=solver)
    answer = hf.load_limit(case.assembly, case.direction, method=method)
    scaled = hf.load_limit(case.assembly, strength * case.direction, method=method)
    assert scaled.value * strength == pytest.approx(answer.value, rel=1e-6)
    assert scaled.status == "optimal"


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_no_load_at_all_is_held_by_volumes_with_zero(formulation, solver: str) -> None:
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), dented_unit())] * 3)
    answer = hf.equilibrium(assembly, np.zeros(6), method=formulation(solver=solver))
    assert answer.holds
    assert answer.verify()


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_proposal_that_cannot_be_confirmed_is_undecided(formulation, monkeypatch: pytest.MonkeyPatch) -> None:
    """A backend that lies: its pieces hold nothing, its bound is too low."""
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), dented_unit(shear=20, pull=5))])

    def lying(*arguments, **options):
        solution, _ = solve_formulation(*arguments, **options)
        return replace(solution, bound=-1.0), (0,)

    monkeypatch.setattr("holdfast.solvers.mixed_integer.solve_formulation", lying)
    assert hf.equilibrium(assembly, 2 * PULL_OFF, method=formulation()).status == "undecided"
    limit = hf.load_limit(assembly, PULL_OFF, method=formulation())
    assert limit.status == "undecided"
    assert limit.upper_bound == np.inf


def test_programs_are_laid_out_as_documented() -> None:
    case = random_case(5, most_choices=16)
    problem = case.assembly.build(case.direction)
    units = units_of(problem, maximise=True)
    program = build_program(problem, units, build_weights(problem, units), maximise=True)
    n = len(indicators_of(problem))
    assert n == sum(len(c.volume.pieces) for c in case.assembly.contacts)
    np.testing.assert_array_equal(np.nonzero(program.integer)[0], 1 + np.arange(n))
    np.testing.assert_array_equal(np.nonzero(program.gains)[0], [0])
    np.testing.assert_allclose(
        program.matrix.toarray()[: problem.rows, 0] * units.force, problem.load * units.factor, atol=1e-15
    )
    far = force_extents(problem, units.reach)
    for extent, contact in zip(far, case.assembly.contacts, strict=True):
        assert (np.abs(np.concatenate(contact.volume.pieces)) <= extent).all()


def test_the_relaxation_of_the_weights_is_the_hull() -> None:
    """Without whole numbers the disjunctive form gives the limit of the hulls, and facets with an M no less."""
    from holdfast.solvers.reference import Hull

    for seed in (0, 4, 12, 16):
        case = random_case(seed, most_choices=16)
        problem = case.assembly.build(case.direction)
        units = units_of(problem, maximise=True)
        bound = hf.load_limit(case.assembly, case.direction, method=Hull()).upper_bound
        relaxed = []
        for method in (HullMilp(), BigM(), BigM(m=1e3)):
            program = build_program(problem, units, method.build(problem, units), maximise=True)
            program = replace(program, integer=np.zeros(len(program.integer), dtype=bool))
            relaxed.append(highs.solve_mixed(program, time_limit=100.0, gap=1e-9).objective * units.factor)
        assert relaxed[0] == pytest.approx(bound, rel=1e-6)
        assert relaxed[0] <= relaxed[1] * (1 + 1e-8)
        assert relaxed[1] <= relaxed[2] * (1 + 1e-8)


def test_options_that_are_none_are_refused_with_the_choices() -> None:
    with pytest.raises(UnknownNameError, match="known: highs, scip"):
        HullMilp(solver="higs")  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="time_limit"):
        BigM(time_limit=0.0)
    with pytest.raises(InputError, match="gap"):
        HullMilp(gap=-1.0)


@pytest.mark.parametrize("seed", nightly_after(12, [s for s in range(48) if s % 3 != 2]))  # those without rays
def test_the_mixed_integer_program_agrees_with_every_choice_tried(seed):
    case = random_case(seed, most_choices=8)
    expected = verdict(case.assembly, case.direction)
    solution, chosen = solve_milp(case.assembly.build(case.direction), maximise=True)
    if chosen is None:
        assert expected.largest == -np.inf
        assert solution.outcome is Outcome.INFEASIBLE
        return
    assert solution.objective == pytest.approx(expected.largest, rel=1e-5, abs=1e-6)
    own = _extreme_factor(case.assembly, case.direction, chosen, 1.0)
    assert own == pytest.approx(expected.largest, rel=1e-5, abs=1e-6)
    if expected.largest > 1e-3:
        for factor, holds in ((0.999, expected.least <= 0.999 * expected.largest), (1.001, False)):
            problem = case.assembly.build(case.direction * expected.largest * factor)
            _, found = solve_milp(problem, maximise=False)
            assert (found is not None) == holds


def test_rays_take_part_within_their_reach():
    cone = hf.ForceVolume([[[0, 0, 0]]], [[[0.5, 0, 1], [-0.5, 0, 1], [0, 0.5, 1], [0, -0.5, 1.0]]])
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), cone)])
    for load, holds in (([0, 0, -7, 0, 0, 0], True), ([3, 0, -7, 0, 0, 0], True), ([4, 0, -7, 0, 0, 0], False)):
        _, chosen = solve_milp(assembly.build(load), maximise=False)
        assert (chosen is not None) == holds


@pytest.mark.parametrize("units, limit", [(1, 0.0), (2, 10.0), (3, 10.0), (5, 20.0), (7, 30.0)])
def test_odd_units_are_counted_right(units, limit):
    unit = dented_unit(shear=20, pull=5)
    problem = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), unit)] * units).build(PULL_OFF)
    solution, chosen = solve_milp(problem, maximise=True)
    assert solution.objective == pytest.approx(limit, abs=1e-6)
    assert chosen is not None
    assert len(chosen) == units
    if units > 1:
        assert abs(2 * sum(chosen) - units) <= 1  # half of them each way


def test_a_time_limit_too_short_is_said_and_not_taken_for_impossible():
    unit = dented_unit(shear=20, pull=5)
    rng = np.random.default_rng(0)
    assembly = hf.Assembly([hf.Contact(rng.normal(size=3) * 0.1, np.eye(3), unit) for _ in range(15)])
    solution, _ = solve_milp(assembly.build(PULL_OFF), maximise=True, time_limit=1e-6)
    assert solution.outcome is Outcome.LIMIT


@pytest.mark.parametrize("seed", range(10))
def test_the_least_m_cuts_no_corner_off_and_touches_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = random_volume(rng, 3, rays=False, offset=True).polytopes
    for j, piece in enumerate(shape):
        normals, offsets = piece.halfspaces
        others = np.concatenate([p.vertices for i, p in enumerate(shape) if i != j])
        over = (normals @ others.T).max(axis=1) - (offsets + least_m(shape, j, 0.0))
        np.testing.assert_allclose(over, 0.0, atol=1e-9 * piece.size)


def test_the_least_m_follows_rays_as_far_as_their_reach() -> None:
    box = hf.ForceVolume(
        [block([-1, -1, -1], [1, 1, 1]), [[0, 0, 0]]], [None, [[0, 0, 2.0]]], allow_flat=True
    ).polytopes
    normals, _ = box[0].halfspaces
    up = normals @ [0, 0, 1.0] > 0.5
    m = least_m(box, 0, 100.0)
    np.testing.assert_allclose(m[up], 100.0 - 1.0)
    np.testing.assert_allclose(m[~up], -1.0)  # the ray stays clear of the other faces


def test_a_lone_piece_needs_no_m() -> None:
    shape = hf.ForceVolume([block([-1, -1, -1], [1, 1, 1])]).polytopes
    np.testing.assert_array_equal(least_m(shape, 0, RAY_REACH), 0.0)


@pytest.mark.parametrize("m", [None, 500.0])
@pytest.mark.parametrize("seed", range(4))
def test_with_one_indicator_set_the_rows_are_those_of_its_piece(seed: int, m: float | None) -> None:
    rng = np.random.default_rng(seed)
    volume = random_volume(rng, 3, rays=False, offset=True)
    problem = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), volume)] * 2).build(PULL_OFF)
    units = units_of(problem, maximise=True)
    rest = BigM(m=m).build(problem, units)
    points = np.concatenate([p.vertices for p in volume.polytopes])
    points = rng.dirichlet(np.ones(len(points)), size=60) @ points
    points = np.concatenate([points, *(0.999 * p.vertices + 0.001 * p.centroid for p in volume.polytopes)])
    for choice in range(3):
        z = np.zeros(len(indicators_of(problem)))
        z[[choice, 3 + (choice + 1) % 3]] = 1.0
        second = volume.polytopes[(choice + 1) % 3].centroid
        inside = volume.polytopes[choice].contains(points)
        assert inside.any()
        assert not inside.all()
        for point, allowed in zip(points, inside, strict=True):
            forces = np.concatenate([point, second]) / units.force
            rows = rest.on_columns @ forces + rest.on_indicators @ z
            assert (rows <= rest.row_upper + 1e-9).all() == allowed
            assert (np.abs(forces) <= rest.upper).all()


@pytest.mark.parametrize("seed", [0, 3, 6, 13])
def test_a_loose_m_gives_the_same_answers(seed: int) -> None:
    case = random_case(seed, most_choices=16)
    truth = verdict(case.assembly, case.direction).largest
    answer = hf.load_limit(case.assembly, case.direction, method=BigM(m=1e3))
    assert answer.value == pytest.approx(truth, rel=1e-6, abs=1e-8)


def test_an_m_that_cuts_volumes_off_is_refused_with_what_is_needed() -> None:
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), dented_unit(shear=20, pull=5))])
    problem = assembly.build(PULL_OFF)
    shape = problem.shapes[0]
    needed = max(float(least_m(shape, j, 0.0).max()) for j in range(2))
    with pytest.raises(InputError, match=f"give at least {needed:g} N") as error:
        hf.equilibrium(assembly, PULL_OFF, method=BigM(m=0.9 * needed))
    assert error.value.where == "m"
    assert hf.equilibrium(assembly, -PULL_OFF, method=BigM(m=1.01 * needed)).holds
    with pytest.raises(InputError, match="m"):
        BigM(m=-1.0)


def test_flat_pieces_hold_their_plane() -> None:
    """Two flat fans, across x and across y: pushing along both at once is in neither."""
    fan = np.array([[0, 0, 0], [5, 0, 10], [-5, 0, 10.0]])
    volume = hf.ForceVolume([fan, fan[:, [1, 0, 2]]], allow_flat=True)
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), volume)])
    for force, status in (([2, 0, 8], "holds"), ([0, -2, 8], "holds"), ([1, 1, 8], "does not hold")):
        wrench = np.concatenate([-np.array(force, dtype=float), np.zeros(3)])
        assert hf.equilibrium(assembly, wrench, method=BigM()).status == status


@pytest.fixture
def solve_mixed():
    pytest.importorskip("pyscipopt")
    return solve_on_scip


def knapsack(solve, integer: bool = True):
    gains, weights = np.array([10.0, 13.0, 7.0, 8.0]), np.array([[5.0, 6.0, 3.0, 4.0]])
    bounds = np.array([-np.inf]), np.array([10.0])
    matrix = sparse.csc_array(weights)
    program = MixedProgram(matrix, *bounds, gains, np.zeros(4), np.ones(4), np.full(4, integer))
    return solve(program, time_limit=100.0, gap=1e-9)


def test_it_finds_the_best_whole_choice(solve_mixed) -> None:
    answer = knapsack(solve_mixed)
    assert answer.outcome is Outcome.OPTIMAL
    assert answer.objective == pytest.approx(21.0)  # the second and the fourth
    assert answer.bound == pytest.approx(21.0)
    np.testing.assert_allclose(answer.values, [0, 1, 0, 1], atol=1e-9)


def test_without_whole_numbers_it_is_the_relaxation(solve_mixed) -> None:
    assert knapsack(solve_mixed, integer=False).objective == pytest.approx(7 + 13 + 10 * 0.2)


@pytest.mark.parametrize("seed", nightly_after(12, range(20)))
def test_random_programs_agree_with_the_other_backend(seed: int, solve_mixed) -> None:
    """Equalities, ranges, one-sided and free rows; bounds of every kind; empty rows, too."""
    rng = np.random.default_rng(seed)
    rows, columns = int(rng.integers(1, 6)), int(rng.integers(2, 9))
    matrix = rng.normal(size=(rows, columns)) * (rng.random((rows, columns)) < 0.7)
    lower, upper = -rng.uniform(0, 2, rows), rng.uniform(0, 2, rows)
    kind = rng.integers(0, 5, rows)
    lower[kind == 1], upper[kind == 2] = -np.inf, np.inf
    lower[kind == 3] = upper[kind == 3] = 0.0
    lower[kind == 4], upper[kind == 4] = -np.inf, np.inf
    low, high = np.where(rng.random(columns) < 0.3, -3.0, 0.0), np.full(columns, 3.0)
    program = MixedProgram(
        sparse.csc_array(matrix), lower, upper, rng.normal(size=columns), low, high, rng.random(columns) < 0.5
    )
    ours, theirs = (solve(program, time_limit=100.0, gap=1e-9) for solve in (solve_mixed, highs.solve_mixed))
    assert ours.outcome is theirs.outcome is Outcome.OPTIMAL
    assert ours.objective == pytest.approx(theirs.objective, abs=1e-6)
    assert ours.bound == pytest.approx(ours.objective, abs=1e-6)
    values = matrix @ ours.values
    assert ((values >= lower - 1e-6) & (values <= upper + 1e-6)).all()


def test_impossible_and_unbounded_programs_are_told_apart(solve_mixed) -> None:
    one = sparse.csc_array(np.array([[1.0, 1.0]]))
    whole = np.ones(2, dtype=bool)
    limits = {"time_limit": 100.0, "gap": 1e-9}
    finite = MixedProgram(one, np.array([0.5]), np.array([0.6]), np.ones(2), np.zeros(2), np.ones(2), whole)
    impossible = solve_mixed(finite, **limits)
    assert impossible.outcome is Outcome.INFEASIBLE
    assert impossible.values is None
    assert impossible.objective == -np.inf
    endless = np.full(2, np.inf)
    program = MixedProgram(one, np.array([0.5]), np.array([np.inf]), np.ones(2), np.zeros(2), endless, whole)
    unbounded = solve_mixed(program, **limits)
    assert unbounded.outcome is Outcome.UNBOUNDED


def test_an_empty_row_that_asks_for_something_is_impossible(solve_mixed) -> None:
    empty = sparse.csc_array((1, 2))
    bounds = np.array([1.0]), np.array([2.0])
    whole = np.zeros(2, dtype=bool)
    program = MixedProgram(empty, *bounds, np.ones(2), np.zeros(2), np.ones(2), whole)
    answer = solve_mixed(program, time_limit=100.0, gap=1e-9)
    assert answer.outcome is Outcome.INFEASIBLE


def test_a_failure_of_scip_comes_as_ours(solve_mixed, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyscipopt

    class Failing(pyscipopt.Model):
        def optimize(self):
            raise Exception("SCIP: error in LP solver!")

    monkeypatch.setattr(pyscipopt, "Model", Failing)
    with pytest.raises(SolverError, match="error in LP solver"):
        knapsack(solve_mixed)


def test_without_pyscipopt_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyscipopt", None)
    with pytest.raises(MissingDependencyError, match=r"holdfast\[scip\]"):
        knapsack(solve_on_scip)

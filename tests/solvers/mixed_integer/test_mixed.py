"""Both mixed-integer formulations on both backends against every choice of pieces tried."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError, UnknownNameError
from holdfast.solvers.mixed_integer import (
    RAY_REACH,
    BigM,
    HullMilp,
    build_program,
    build_weights,
    force_extents,
    indicators_of,
    solve,
    units_of,
)
from holdfast.solvers.reference import Bracket
from tests.referee import assert_forces_hold, block, dented_unit, random_case, verdict

PULL_OFF = np.array([0, 0, 1.0, 0, 0, 0])
FORMULATIONS = [HullMilp, BigM]


@pytest.fixture(params=["highs", "scip"])
def solver(request: pytest.FixtureRequest) -> str:
    if request.param == "scip":
        pytest.importorskip("pyscipopt")
    return request.param


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("seed", range(18))
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
    truth = hf.load_limit(assembly, direction, method=hf.Reference()).value
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
        solution, _ = solve(*arguments, **options)
        return replace(solution, bound=-1.0), (0,)

    monkeypatch.setattr("holdfast.solvers.mixed_integer.solve", lying)
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
            relaxed.append(program.solve("highs", time_limit=10.0, gap=1e-9).objective * units.factor)
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

"""The paper's branch and bound against every choice of pieces tried, the reference method, and its own pseudo-code.

Single states against the hull relaxation by column generation; corrections of solutions that were perturbed.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError, UnknownNameError
from holdfast.solvers.certificates import factor_bound, separation_margin
from holdfast.solvers.highs import Outcome
from holdfast.solvers.paper.programs import ProgramAnswer, mask_of, shape_tree, solve_on_highs
from holdfast.solvers.paper.search import BACKENDS, PaperBranchAndBound, StateRelaxation, corrected
from holdfast.solvers.problem import Status
from holdfast.solvers.relaxation import HullRelaxation, RelaxationOutcome, balances, pieces_of, singles
from tests.nightly import nightly_after
from tests.referee import (
    Case,
    assert_forces_hold,
    dented_unit,
    distance_to_piece,
    proven_bound,
    random_case,
    random_rotation,
    refutes,
    verdict,
)


@pytest.mark.parametrize("seed", [0, 1, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21])
@pytest.mark.parametrize("keep_factor", [True, False])
def test_blurred_solutions_are_put_right(seed, keep_factor):
    """Close to a limit forces lie on facets, where a small change is most likely to leave the piece."""
    case = random_case(seed, most_choices=8)
    limit = hf.load_limit(case.assembly, case.direction, method=hf.solvers.Reference())
    problem, rng = limit.problem, np.random.default_rng(seed)
    if limit.status != "optimal" or not problem.is_star_shaped:
        return
    share = 1 - 1e-5  # at the limit itself nothing could be changed
    factor, sharp = share * limit.value, share * limit.local_forces
    scale = problem.force_scale(sharp, factor)
    for blur in (1e-8, 1e-7):
        blurred = sharp + blur * scale * rng.normal(size=(problem.contacts, 3))
        assert not balances(problem, blurred, factor)
        forces, found = corrected(problem, limit.pieces, blurred, factor, keep_factor=keep_factor)
        assert found == factor if keep_factor else found == pytest.approx(factor, rel=1e-3, abs=1e-6)
        assert balances(problem, forces, found)
        assert pieces_of(problem, singles(limit.pieces), forces) is not None
        np.testing.assert_allclose(forces, blurred, atol=1e3 * blur * scale)


def test_what_is_right_already_stays_as_it_is():
    rng = np.random.default_rng(2)
    cube = hf.ForceVolume([rng.normal(size=(30, 3)) * 4])
    contacts = [hf.Contact(rng.normal(size=3), random_rotation(rng), cube) for _ in range(4)]
    assembly = hf.Assembly(contacts)
    forces = rng.uniform(-0.5, 0.5, size=(4, 3))
    load = -np.einsum("kmi,ki->m", assembly.layout.maps, forces)
    problem = hf.Assembly(contacts).build(np.zeros(6))
    problem = type(problem)(problem.layout, load)
    again, factor = corrected(problem, np.zeros(4, dtype=int), forces, 1.0, keep_factor=True)
    np.testing.assert_allclose(again, forces, rtol=1e-15)
    assert factor == 1.0


def prepared(seed, p, *, scale=1.0, backend=solve_on_highs):
    case = random_case(seed, most_choices=32)
    problem = case.assembly.build(case.direction * scale)
    trees = [shape_tree(problem.pieces(i)) for i in range(problem.contacts)]
    rng = np.random.default_rng(seed)
    states = [
        tuple(tree.root for tree in trees),
        *(tuple(rng.choice(list(tree.root.walk())) for tree in trees) for _ in range(3)),
    ]
    return problem, StateRelaxation(problem, trees, backend, p=p, epsilon=0.0), states


@pytest.mark.parametrize("seed", nightly_after(12, range(16)))
def test_the_largest_factor_of_a_state_is_that_of_its_hulls(seed):
    problem, relaxation, states = prepared(seed, None)
    for state in states:
        masks = tuple(map(mask_of, state))
        expected = HullRelaxation(problem).maximise(masks)
        found, bound = relaxation.maximise(state, time_limit=100.0)
        assert found.outcome is expected.outcome
        if found.outcome is RelaxationOutcome.OPTIMAL:
            assert found.factor == pytest.approx(expected.factor, rel=1e-6, abs=1e-7)
            assert bound == factor_bound(problem, masks, found.multipliers)
            assert bound == pytest.approx(expected.factor, rel=1e-5, abs=1e-6)
        elif found.outcome is RelaxationOutcome.SEPARATED:
            assert bound == -np.inf


@pytest.mark.parametrize("seed", nightly_after(12, range(16)))
@pytest.mark.parametrize("p", [1.0, 2.0, np.inf])
def test_a_state_holds_or_is_separated_as_its_hulls_are(seed, p):
    for scale in (0.5, 3.0):
        problem, relaxation, states = prepared(seed, p, scale=scale)
        for state in states:
            masks = tuple(map(mask_of, state))
            found = relaxation.test(state, time_limit=100.0)
            assert found.outcome is HullRelaxation(problem).test(masks).outcome
            if found.outcome is RelaxationOutcome.SEPARATED:
                assert separation_margin(problem, masks, found.multipliers) > 0.0
            else:
                assert problem.residual(found.forces, 1.0) <= 1e-6 * problem.force_scale(found.forces, 1.0)
                for node, force in zip(state, found.forces, strict=True):
                    size = 1.0 + float(np.abs(force).max())
                    assert distance_to_piece(force, node.hull.vertices, node.hull.rays) <= 1e-6 * size


@pytest.mark.parametrize("outcome", [Outcome.LIMIT, Outcome.INFEASIBLE, Outcome.UNBOUNDED])
def test_a_backend_that_fails_or_errs_is_not_believed(outcome):
    """Whatever it says without numbers to show, the second opinion gives the right answer."""

    def useless(program, *, time_limit):
        assert time_limit > 0.0
        return ProgramAnswer(outcome)

    for seed in (0, 3, 4):
        problem, relaxation, states = prepared(seed, None, backend=useless)
        expected = HullRelaxation(problem).maximise(problem.all_pieces)
        found, _ = relaxation.maximise(states[0], time_limit=100.0)
        assert found.outcome is expected.outcome
        assert found.factor == expected.factor
        assert relaxation.programs > 1
        problem, relaxation, states = prepared(seed, 1.0, backend=useless)
        assert (
            relaxation.test(states[0], time_limit=100.0).outcome
            is HullRelaxation(problem).test(problem.all_pieces).outcome
        )


def test_wrong_multipliers_are_not_believed():
    """A backend that calls everything impossible, with multipliers that prove nothing."""

    def liar(program, *, time_limit):
        return ProgramAnswer(
            Outcome.INFEASIBLE, None, np.ones(len(program.equal_to)) * time_limit, np.ones(len(program.at_most))
        )

    problem, relaxation, states = prepared(0, 1.0, scale=0.1, backend=liar)
    assert HullRelaxation(problem).test(problem.all_pieces).outcome is RelaxationOutcome.REACHED
    assert relaxation.test(states[0], time_limit=100.0).outcome is RelaxationOutcome.REACHED


@pytest.mark.parametrize("seed", range(8))
def test_pieces_held_to_are_attained_or_refused(seed):
    problem, relaxation, _ = prepared(seed, None)
    rng = np.random.default_rng(seed)
    pieces = np.array([rng.integers(len(problem.pieces(i))) for i in range(problem.contacts)])
    leaves = [shape_tree(problem.pieces(i)).node(int(j)) for i, j in enumerate(pieces)]
    found = relaxation.attain(pieces, leaves, time_limit=100.0)
    expected = HullRelaxation(problem).maximise(tuple(1 << int(j) for j in pieces))
    if expected.outcome is RelaxationOutcome.SEPARATED:
        assert found is None
    else:
        assert found.status is (Status.OPTIMAL if expected.outcome is RelaxationOutcome.OPTIMAL else Status.UNBOUNDED)
        np.testing.assert_array_equal(found.pieces, pieces)
        if found.status is Status.OPTIMAL:
            assert found.factor == pytest.approx(expected.factor, rel=1e-7, abs=1e-9)
            for i, (force, j) in enumerate(zip(found.forces, pieces, strict=True)):
                polytope = problem.pieces(i)[j]
                assert distance_to_piece(force, polytope.vertices, polytope.rays) <= 2e-9 * (1 + np.abs(force).max())


NORMS = (1, 2, math.inf)
PULL_OFF = np.array([0, 0, 1.0, 0, 0, 0])


@pytest.fixture(params=BACKENDS)
def backend(request):
    if request.param == "cvxopt":
        pytest.importorskip("cvxopt")
    return request.param


def spiny_case(seed: int, contacts: int = 4) -> Case:
    """Contacts that pull only while they shear, one of four ways: the hull promises more than the pieces keep."""
    rng = np.random.default_rng(seed)
    quarter = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]])
    unit = dented_unit(shear=20, pull=5)
    unit = unit.union(unit.rotated(quarter))
    placed = [hf.Contact(rng.normal(size=3) * 0.05, random_rotation(rng), unit) for _ in range(contacts)]
    return Case(seed, hf.Assembly(placed), np.concatenate([rng.normal(size=3), 0.05 * rng.normal(size=3)]))


def slack_of(answer: hf.statics.LoadLimit, epsilon: float) -> float:
    """epsilon (1 + |g|) of III.G as a load factor, or one part in a million."""
    size = float(np.linalg.norm(answer.problem.load))
    return max(epsilon * (1 + abs(answer.upper_bound) * size) / size, 1e-6 * abs(answer.upper_bound))


def check_limit(case: Case, expected: float, method: PaperBranchAndBound) -> hf.statics.LoadLimit:
    """The load limit to within epsilon (1 + |g|), its forces and its proof checked."""
    answer = hf.load_limit(case.assembly, case.direction, method=method)
    assert answer.verify()
    if expected == -np.inf:
        assert answer.status == "does not hold"
        assert proven_bound(answer) == -np.inf
    elif expected == np.inf:
        assert answer.status == "unbounded"
    else:
        assert answer.status == "optimal"
        slack = slack_of(answer, method.epsilon)
        tiny = 1e-7 * max(abs(expected), 1e-1)
        assert expected - slack - tiny <= answer.value <= expected + tiny
        assert expected - tiny <= answer.upper_bound <= answer.value + slack + tiny
        assert_forces_hold(case.assembly, answer.value * case.direction, answer.forces, answer.pieces)
        assert proven_bound(answer) <= answer.upper_bound + tiny
    return answer


# -- right ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", nightly_after(12, range(48)))
def test_load_limits_agree_with_every_choice_tried(seed, backend):
    case = random_case(seed, most_choices=16)
    expected = verdict(case.assembly, case.direction).largest
    check_limit(case, expected, PaperBranchAndBound(backend=backend, epsilon=(0.001, 0.0)[seed % 2]))


@pytest.mark.parametrize("seed", nightly_after(12, range(48)))
def test_verdicts_close_to_the_limit_agree_with_every_choice_tried(seed, backend):
    case = random_case(seed, most_choices=16)
    expected = verdict(case.assembly, case.direction)
    if not 1e-3 < abs(expected.largest) < np.inf:
        return
    method = PaperBranchAndBound(backend=backend, p=NORMS[seed % 3])
    for change in (1e-3, 1e-6):
        factor = expected.largest + change * abs(expected.largest)
        above = hf.equilibrium(case.assembly, factor * case.direction, method=method)
        assert above.status == "does not hold"
        assert above.verify()
        assert refutes(above, exact=change == 1e-6)
        factor = expected.largest - change * abs(expected.largest)
        if factor >= expected.least:
            below = hf.equilibrium(case.assembly, factor * case.direction, method=method)
            assert below.status == "holds"
            assert below.verify()
            assert_forces_hold(case.assembly, factor * case.direction, below.forces, below.pieces)


@pytest.mark.parametrize("seed", [79, 226, 249])
def test_limits_of_zero_are_found_without_an_epsilon(seed, backend):
    """Beside nothing at all every tolerance of a program is large."""
    case = random_case(seed, most_choices=16)
    assert verdict(case.assembly, case.direction).largest == pytest.approx(0.0, abs=1e-9)
    answer = hf.load_limit(case.assembly, case.direction, method=PaperBranchAndBound(backend=backend, epsilon=0.0))
    assert answer.status == "optimal"
    assert answer.verify()
    assert answer.value == pytest.approx(0.0, abs=1e-8)
    assert answer.upper_bound == pytest.approx(0.0, abs=1e-8)


@pytest.mark.parametrize("p", NORMS)
@pytest.mark.parametrize("seed", [15, 38])
def test_deep_searches_agree_with_the_reference(seed, p, backend):
    case = spiny_case(seed)
    reference = hf.load_limit(case.assembly, case.direction, method=hf.solvers.Reference())
    method = PaperBranchAndBound(backend=backend, p=p)
    check_limit(case, reference.value, method)
    for factor, status in ((0.999, "holds"), (1.001, "does not hold")):
        answer = hf.equilibrium(case.assembly, factor * reference.value * case.direction, method=method)
        assert answer.status == status
        assert answer.verify()
        if status == "does not hold":
            assert refutes(answer)


def test_the_opposed_units_agree_with_the_reference(backend):
    device = hf.devices.create("2OU")
    assembly = device.assembly()
    method = PaperBranchAndBound(backend=backend)
    for direction in (np.array(hf.devices.PULL), np.array([0.6, 0, -0.8, 0, 0, 0])):
        case = Case(0, assembly, direction)
        limit = hf.load_limit(assembly, direction, method=hf.solvers.Reference())
        answer = hf.load_limit(assembly, direction, method=method)
        assert answer.status == "optimal"
        assert answer.verify()
        assert limit.value - slack_of(answer, 0.001) <= answer.value <= limit.value * (1 + 1e-6)
        assert answer.upper_bound >= limit.value * (1 - 1e-6)
        for factor, status in ((0.99, "holds"), (1.05, "does not hold")):
            answer = hf.equilibrium(case.assembly, factor * limit.value * direction, method=method)
            assert answer.status == status
            assert answer.verify()


def test_joints_under_gravity_are_obeyed(backend):
    device = hf.devices.create("2FG", left="D", right="D")
    gravity = np.array([0.0, 0.0, -9.81])
    assembly, weight = device.assembly(gravity), device.weight(gravity)
    reference = hf.load_limit(assembly, weight, method=hf.solvers.Reference())
    answer = hf.load_limit(assembly, weight, method=PaperBranchAndBound(backend=backend))
    assert answer.status == reference.status == "optimal"
    assert answer.verify()
    assert answer.value == pytest.approx(reference.value, abs=slack_of(answer, 0.001))


# -- shapes that programs find hard -----------------------------------------------------------------


def test_one_contact_leaves_most_of_the_balance_to_nothing(backend):
    """Six rows over three forces: the rows depend on each other, and most loads contradict them."""
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), dented_unit())])
    for p in NORMS:
        method = PaperBranchAndBound(backend=backend, p=p)
        assert hf.equilibrium(assembly, -10 * PULL_OFF, method=method).verify()
        assert hf.equilibrium(assembly, -10 * PULL_OFF, method=method).holds
        torque = hf.equilibrium(assembly, np.array([0, 0, -10.0, 0, 0, 1]), method=method)
        assert torque.status == "does not hold"
        assert torque.verify()


def test_flat_volumes_hold_in_their_plane_alone(backend):
    rope = hf.ForceVolume([[[0, 0, 0], [0, 0, 5.0]], [[0, 0, 0], [3.0, 0, 0]]], allow_flat=True)
    case = Case(0, hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), rope)] * 2), -PULL_OFF)
    check_limit(case, 10.0, PaperBranchAndBound(backend=backend, epsilon=0.0))
    check_limit(
        Case(0, case.assembly, np.array([-1.0, 0, -1, 0, 0, 0])), 3.0, PaperBranchAndBound(backend=backend, epsilon=0.0)
    )
    askew = hf.equilibrium(case.assembly, np.array([0, 1.0, 0, 0, 0, 0]), method=PaperBranchAndBound(backend=backend))
    assert askew.status == "does not hold"
    assert askew.verify()


def test_no_load_at_all_is_held(backend):
    for p in NORMS:
        answer = hf.equilibrium(spiny_case(0).assembly, np.zeros(6), method=PaperBranchAndBound(backend=backend, p=p))
        assert answer.holds
        assert answer.verify()


@pytest.mark.parametrize("factor", [1e-6, 1e6])
def test_the_unit_of_force_does_not_matter(factor, backend):
    plain = spiny_case(38)
    unit = plain.assembly.contacts[0].volume.scaled(factor)
    contacts = [hf.Contact(c.position, c.rotation, unit) for c in plain.assembly.contacts]
    case = Case(38, hf.Assembly(contacts), plain.direction * factor)
    expected = hf.load_limit(plain.assembly, plain.direction, method=hf.solvers.Reference()).value
    answer = hf.load_limit(case.assembly, case.direction, method=PaperBranchAndBound(backend=backend, epsilon=0.0))
    assert answer.status == "optimal"
    assert answer.verify()
    assert answer.value == pytest.approx(expected, rel=2e-6)


@pytest.mark.parametrize("seed", range(6))
def test_loads_along_rays_are_unbounded_and_prove_their_growth(seed, backend):
    rng = np.random.default_rng(seed)
    contacts, direction = [], np.zeros(6)
    for _ in range(int(rng.integers(1, 4))):
        lean = random_rotation(rng)[0]
        rays = lean + 0.4 * rng.normal(size=(3, 3))
        bounded = np.concatenate([np.zeros((1, 3)), rng.normal(size=(5, 3)) * 3])
        volume = hf.ForceVolume([bounded, np.concatenate([np.zeros((1, 3)), bounded[1:] - 4 * lean])], [None, rays])
        contacts.append(hf.Contact(rng.normal(size=3) * 0.1, random_rotation(rng), volume))
        force = contacts[-1].rotation @ (rng.uniform(0.1, 1.0, 3) @ rays)
        direction -= np.concatenate([force, np.cross(contacts[-1].position, force)])
    answer = hf.load_limit(hf.Assembly(contacts), direction, method=PaperBranchAndBound(backend=backend))
    assert answer.status == "unbounded"
    assert answer.verify()


def test_rays_of_different_pieces_do_not_mix(backend):
    left, right = [[-1, 0, 1], [-1, 0.2, 1.0]], [[1, 0, 1], [1, 0.2, 1.0]]
    body = np.array([[0, 0, 0], [0, 0, 3], [1, 1, 1], [-1, 1, 1], [0, -1, 1.0]])
    volume = hf.ForceVolume([body, body * 0.5], [left, right])
    case = Case(0, hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), volume)]), -PULL_OFF)
    check_limit(case, verdict(case.assembly, case.direction).largest, PaperBranchAndBound(backend=backend))
    two = Case(0, hf.Assembly(case.assembly.contacts * 2), -PULL_OFF)
    check_limit(two, np.inf, PaperBranchAndBound(backend=backend))


# -- as printed -------------------------------------------------------------------------------------


def distance(force, pieces) -> float:
    return min(distance_to_piece(force, p.vertices, p.rays) for p in pieces)


def recorded(monkeypatch, question: str) -> list[tuple[int, ...]]:
    """The states that a search solves, in order, as masks."""
    seen: list[tuple[int, ...]] = []
    solve = getattr(StateRelaxation, question)

    def noting(self, state, **options):
        seen.append(tuple(map(mask_of, state)))
        return solve(self, state, **options)

    monkeypatch.setattr(StateRelaxation, question, noting)
    return seen


def programs_of(problem, p):
    trees = [shape_tree(problem.pieces(i)) for i in range(problem.contacts)]
    return trees, StateRelaxation(problem, trees, solve_on_highs, p=p, epsilon=0.0)


def eq_recurse(state, cp, problem, visited):
    """EQ-RECURSE line by line; distances by non-negative least squares."""
    visited.append(tuple(map(mask_of, state)))
    relaxed = cp.test(state, time_limit=100.0)
    if relaxed.outcome is RelaxationOutcome.SEPARATED:
        return None
    out = [distance(f, problem.pieces(i)) for i, f in enumerate(relaxed.forces)]
    if max(out) <= 1e-6 * problem.layout.smallest_size:
        return relaxed.forces
    j = int(np.argmax(out))
    first, second = state[j].children
    if distance(relaxed.forces[j], [second.hull]) < distance(relaxed.forces[j], [first.hull]):
        first, second = second, first
    for child in (first, second):
        found = eq_recurse((*state[:j], child, *state[j + 1 :]), cp, problem, visited)
        if found is not None:
            return found
    return None


@pytest.mark.parametrize("p", NORMS)
@pytest.mark.parametrize("seed, share", [(15, 0.995), (15, 1.001), (38, 0.97), (38, 1.001)])
def test_equilibrium_visits_the_states_of_the_printed_recursion_in_their_order(seed, share, p, monkeypatch):
    case = spiny_case(seed)
    limit = hf.load_limit(case.assembly, case.direction, method=hf.solvers.Reference()).value
    problem = case.assembly.build(share * limit * case.direction)
    visited: list[tuple[int, ...]] = []
    trees, cp = programs_of(problem, float(p))
    found = eq_recurse(tuple(tree.root for tree in trees), cp, problem, visited)
    seen = recorded(monkeypatch, "test")
    answer = PaperBranchAndBound(p=p).test(problem)
    assert answer.status == ("does not hold" if found is None else "holds")
    assert len(visited) > 1
    assert seen == visited
    assert answer.effort.nodes == len(visited)


def bnb_opt(problem, epsilon, seed):
    """BNB-OPT line by line, its queue a plain list; the states visited and the best value found."""
    trees, cp = programs_of(problem, None)
    size, rng = float(np.linalg.norm(problem.load)), np.random.default_rng(seed)
    queue, best, visited = [(0.0, tuple(tree.root for tree in trees))], np.inf, []
    while queue:
        least = min(range(len(queue)), key=lambda n: queue[n][0])
        _, state = queue.pop(least)
        visited.append(tuple(map(mask_of, state)))
        relaxed, bound = cp.maximise(state, time_limit=100.0)
        if relaxed.outcome is RelaxationOutcome.SEPARATED:
            continue
        g = -bound * size
        if g + epsilon * (1 + abs(g)) >= best:
            continue
        out = np.array([[distance(f, [q]) for q in problem.pieces(i)] for i, f in enumerate(relaxed.forces)])
        inside = out.min(axis=1) <= 1e-6 * problem.layout.smallest_size
        if inside.all():
            best = g
            continue
        chosen = []
        for i, node in enumerate(state):
            if inside[i]:
                chosen.append(int(trees[i].violations(relaxed.forces[i][None])[:, 0].argmin()))
            else:
                chosen.append(int(rng.choice(node.pieces)))
        held = cp.attain(np.array(chosen), [t.node(j) for t, j in zip(trees, chosen, strict=True)], time_limit=100.0)
        best = best if held is None else min(best, -held.factor * size)
        j = int(np.argmax(np.where(inside, 0.0, out.min(axis=1))))
        queue += [(g, (*state[:j], child, *state[j + 1 :])) for child in state[j].children]
    return visited, -best / size


@pytest.mark.parametrize("seed", [13, 15, 38])
@pytest.mark.parametrize("epsilon", [0.0, 0.001, 0.1])
def test_optimisation_visits_the_states_of_the_printed_loop_in_their_order(seed, epsilon, monkeypatch):
    case = spiny_case(seed)
    problem = case.assembly.build(case.direction)
    visited, best = bnb_opt(problem, epsilon, seed)
    seen = recorded(monkeypatch, "maximise")
    answer = PaperBranchAndBound(epsilon=epsilon, seed=seed).maximise(problem)
    assert len(visited) > 1
    assert seen == visited
    assert answer.factor == pytest.approx(best, rel=1e-9)


def test_epsilon_counts_newtons_along_the_load_however_long_that_is():
    case = spiny_case(38)
    values = []
    for length in (1e-3, 1.0, 1e3):
        answer = hf.load_limit(case.assembly, length * case.direction, method=PaperBranchAndBound(epsilon=0.1))
        assert answer.verify()
        values.append((answer.value * length, answer.effort.nodes))
    assert len({nodes for _, nodes in values}) == 1
    np.testing.assert_allclose([v for v, _ in values], values[0][0], rtol=1e-9)


# -- seeds, limits, options -------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_bytes_and_others_the_same_limit(backend):
    case = spiny_case(38)
    once, again, other = (
        hf.load_limit(case.assembly, case.direction, method=PaperBranchAndBound(backend=backend, seed=seed))
        for seed in (1, 1, 2)
    )
    assert once.value == again.value
    assert once.effort.programs == again.effort.programs
    np.testing.assert_array_equal(once.forces, again.forces)
    for a, b in zip(once.certificate.leaves, again.certificate.leaves, strict=True):
        assert a.masks == b.masks
        np.testing.assert_array_equal(a.multipliers, b.multipliers)
    assert other.value == pytest.approx(once.value, abs=slack_of(once, 0.001))


@pytest.mark.parametrize("limits", [{"node_limit": 1}, {"node_limit": 4}, {"time_limit": 1e-6}])
def test_limits_end_undecided_with_bounds_around_the_truth(limits, backend):
    case = spiny_case(38)
    truth = hf.load_limit(case.assembly, case.direction, method=hf.solvers.Reference()).value
    method = PaperBranchAndBound(backend=backend, **limits)
    answer = hf.load_limit(case.assembly, case.direction, method=method)
    assert answer.status == "undecided"
    assert answer.value <= truth * (1 + 1e-6)
    assert answer.upper_bound >= truth * (1 - 1e-6)
    assert not answer.verify()
    if "node_limit" in limits:
        assert answer.effort.nodes == limits["node_limit"]
        assert 0.0 <= answer.value <= answer.upper_bound < np.inf
    near = hf.equilibrium(case.assembly, 1.0001 * truth * case.direction, method=method)
    assert near.status == "undecided"
    assert not near.holds


@pytest.mark.parametrize(
    "options, message",
    [
        ({"p": 3}, "give 1, 2 or math.inf"),
        ({"p": "inf"}, "give 1, 2 or math.inf"),
        ({"p": math.nan}, "give 1, 2 or math.inf"),
        ({"epsilon": -1e-3}, r"epsilon: is -0.001"),
        ({"seed": -1}, "seed: is -1"),
        ({"node_limit": 0}, "node_limit: is 0"),
        ({"time_limit": 0.0}, "time_limit: is 0"),
    ],
)
def test_options_out_of_range_say_what_is_right(options, message):
    with pytest.raises(InputError, match=message):
        PaperBranchAndBound(**options)


def test_an_unknown_backend_lists_the_known_ones():
    with pytest.raises(UnknownNameError, match="did you mean 'cvxopt'.*known: highs, cvxopt"):
        PaperBranchAndBound(backend="cvxpy")


def test_no_load_has_no_limit_to_ask_for():
    with pytest.raises(InputError, match="load: is zero"):
        PaperBranchAndBound().maximise(spiny_case(0).assembly.build(np.zeros(6)))

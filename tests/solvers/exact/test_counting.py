"""Branching on counts: the same answers, with proofs that stand apart from the solver."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import holdfast as hf
from holdfast.solvers.certificates import Certificate, Count, Leaf
from holdfast.solvers.exact import method
from holdfast.solvers.exact.counting import counted_model, find_counts
from holdfast.solvers.exact.search import FINISHED
from tests.nightly import nightly_after
from tests.referee import assert_limit, assert_verdict, leaf_terms, leaves_with, similar_units_case, verdict

#: A force direction of the four-finger hand with parallel fingers and independent corners that takes 2,786 nodes
#: without counts.
HARD = (-0.967512, 0.222567, 0.119939)


@pytest.fixture
def counts_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every search that is not over after one node branches on counts, too."""
    monkeypatch.setattr(method, "FIRST_NODES", 1)
    monkeypatch.setattr(method, "GROWTH", 100_000)


@pytest.fixture(scope="module")
def hard() -> hf.statics.LoadLimit:
    """The load limit of the hand in that direction."""
    hand = hf.devices.four_finger_hand("parallel", corners="independent").assembly()
    return hf.load_limit(hand, [*HARD, 0.0, 0.0, 0.0])


@pytest.mark.usefixtures("counts_at_once")
@pytest.mark.parametrize("seed", nightly_after(8, range(200)))
def test_answers_with_counts_are_those_of_all_choices(seed: int) -> None:
    """The referee tries every choice of pieces, and checks every leaf in its own arithmetic."""
    case = similar_units_case(seed)
    expected = verdict(case.assembly, case.direction)
    limit = hf.load_limit(case.assembly, case.direction)
    assert_limit(limit, expected.largest)
    assert limit.effort.nodes == 1 or limit.certificate.counts
    if 0.0 < expected.largest < np.inf and expected.least < 0.99 * expected.largest:
        for factor in (1.0 - 1e-4, 1.0 + 1e-5):
            answer = hf.equilibrium(case.assembly, factor * expected.largest * case.direction)
            assert_verdict(answer, factor < 1.0)
            assert answer.holds or answer.effort.nodes == 1 or answer.certificate.counts


@pytest.mark.usefixtures("counts_at_once")
def test_a_second_search_does_not_look_below_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """It begins at the factor that is known, and keeps the forces of the first where it finds nothing better."""
    plain, floors, kept = method._ask, [], 0

    def ask(*arguments, **named):
        floors.append(named.get("floor", -np.inf))
        return plain(*arguments, **named)

    monkeypatch.setattr(method, "_ask", ask)
    method.compile_kernels()
    for seed in range(8):
        case, before = similar_units_case(seed), len(floors)
        limit = hf.load_limit(case.assembly, case.direction)
        assert_limit(limit, verdict(case.assembly, case.direction).largest)
        known = [floor for floor in floors[before:] if floor > 0.0]
        assert all(floor <= limit.value * (1.0 + 1e-12) for floor in known)
        kept += bool(known) and limit.value <= known[0] * (1.0 + 1e-12)
    assert kept > 0
    assert max(floors) > 0.0


def test_a_hard_limit_of_the_hand_is_found_with_fewer_nodes(hard: hf.statics.LoadLimit) -> None:
    assert hard.status == "optimal"
    assert hard.certificate.counts
    assert hard.effort.nodes < 1500
    assert hard.verify()


def test_random_choices_of_pieces_are_in_exactly_one_leaf(hard: hf.statics.LoadLimit) -> None:
    rng = np.random.default_rng(26)
    pieces = hard.problem.piece_counts
    for choice in rng.integers(pieces, size=(500, len(pieces))).tolist():
        assert leaves_with(hard.certificate, choice) == 1
    used = [int(piece) for piece in hard.pieces]
    for unit in range(len(pieces)):  # choices next to the best one, which many leaves are about
        for piece in range(pieces[unit]):
            assert leaves_with(hard.certificate, [*used[:unit], piece, *used[unit + 1 :]]) == 1


def test_leaves_computed_apart_from_the_solver_exclude_more_than_the_limit(hard: hf.statics.LoadLimit) -> None:
    chosen = np.random.default_rng(26).choice(len(hard.certificate.leaves), 12, replace=False)
    for index in chosen.tolist():
        leaf, twist = hard.certificate.leaves[index], hard.separating_wrenches[index]
        terms = leaf_terms(
            hard.assembly, leaf, twist, hard.joint_multipliers[index], counts=hard.certificate.counts, exact=True
        )
        assert terms is not None
        work = float(twist @ hard.direction)
        if abs(work) > 1e-12 * np.abs(twist * hard.direction).sum():
            assert float(terms[0] - terms[1]) / -work <= hard.upper_bound * (1 + 1e-9)
        else:
            assert terms[0] < terms[1]


def test_a_proof_that_was_tampered_with_is_refused(hard: hf.statics.LoadLimit) -> None:
    proof, problem = hard.certificate, hard.problem
    leaves = list(proof.leaves)
    assert not replace(proof, leaves=leaves[1:]).verify(problem)
    assert not replace(proof, leaves=[*leaves, leaves[0]]).verify(problem)
    assert not replace(proof, counts=()).verify(problem)
    assert not replace(proof, claim=0.999 * proof.claim).verify(problem)
    first = proof.counts[0]
    for ranges in (first.ranges[1:], first.ranges[:-1], ((0, 0), *first.ranges[2:])):
        assert not Certificate(proof.claim, leaves, (Count(first.masks, ranges), *proof.counts[1:])).covers(problem)
    unweighted = [replace(leaf, count_multipliers=np.zeros(len(proof.counts))) for leaf in leaves]
    assert not replace(proof, leaves=unweighted).verify(problem)


def test_a_count_must_have_a_range_for_every_value() -> None:
    case = similar_units_case(1)
    problem = case.assembly.problem(case.direction)
    units = len(problem.units)
    group = (1,) * units
    assert Count(group, ((0, 1), (2, units))).is_complete(problem)
    assert Count((1, *(0,) * (units - 1)), ((0, 0), (1, 1))).is_complete(problem)
    for ranges in (((0, 1), (3, units)), ((1, units),), ((0, units - 1),), ((0, 2), (2, units)), ((0, units), (3, 1))):
        assert not Count(group, ranges).is_complete(problem)
    assert not Count(group[1:], ((0, units),)).is_complete(problem)


def test_a_count_excludes_the_fraction_that_pieces_alone_only_move() -> None:
    """Three units in one point pull 4 N each while they shear to one side or the other, so that only two can pull fully.

    Either at most one of them shears to the right, or at least two do. Without a multiplier of this count no multipliers
    exclude more than 8 N in both cases; with one they do.
    """
    sides = [np.array([[0, 0, 0], [side * 10.0, 0, -4.0]]) for side in (1, -1)]
    volume = hf.ForceVolume(sides, allow_flat=True)
    row = hf.Assembly([hf.Contact((0, 0, 0), np.eye(3), volume) for _ in range(3)])
    problem = row.problem(np.array([0, 0, 1.0, 0, 0, 0]))
    count = Count((1, 1, 1), ((0, 1), (2, 3)))
    leaves = [
        Leaf(problem.all_pieces, np.array([0.4, 0, -1.0, 0, 0, 0]), (1,), np.array([-8.0])),
        Leaf(problem.all_pieces, np.array([-0.4, 0, -1.0, 0, 0, 0]), (2,), np.array([8.0])),
    ]
    assert Certificate(8.0, leaves, (count,)).verify(problem)
    assert not Certificate(7.99, leaves, (count,)).verify(problem)
    assert not Certificate(8.0, leaves[::-1], (Count((1, 1, 1), ((0, 0), (1, 3))),)).verify(problem)
    for multiplier in (-4.0, 0.0, 4.0):
        worse = [replace(leaf, count_multipliers=np.array([multiplier])) for leaf in leaves]
        assert not Certificate(8.0, worse, (count,)).verify(problem)
    assert hf.load_limit(row, [0, 0, 1.0, 0, 0, 0]).value == pytest.approx(8.0)


def test_interpreted_kernels_count_alike() -> None:
    case = similar_units_case(4)
    problem = case.assembly.problem(case.direction)
    exact = hf.solvers.Exact()
    settings = exact.settings(problem.layout, "maximise")._replace(nodes=1)
    model = problem.layout.model(problem.load, test=False)
    first, _ = method._ask(model, model.take_workspace(), problem.load.reshape(1, -1), settings)
    counts = find_counts(problem.layout, first.in_layout_rows(model, problem.rows).multipliers[0])
    loads = np.concatenate([problem.load, [0.0]]).reshape(1, -1)
    found = []
    for interpreted in (False, True):
        lifted = counted_model(model, model.hulls if interpreted else model.tables, problem.layout, counts)
        workspace, batch = lifted.new_workspace(512), method.Batch.empty(1, lifted.contacts, len(lifted.scales.kept))
        arguments = (lifted.program, lifted.scales, workspace, loads, *settings._replace(nodes=200), False)
        solve = method.solve.form(interpreted)
        solve(lifted.hulls, *arguments, np.zeros(len(lifted.scales.kept)), 0.0, -np.inf, batch)
        assert batch.outcomes[0] == FINISHED
        found.append(batch.factors[0])
        proof = Certificate(float(batch.bounds[0]), lifted.leaves(workspace, problem.layout), counts)
        assert proof.verify(problem)
    assert found[0] == pytest.approx(found[1], rel=1e-6)

"""Contacts of a unit share one piece: every method against all choices tried, one linear program each.

The choices, the linear programs and the checks of forces and proofs are those of `tests.referee`, which knows units
from the contacts alone.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linprog

import holdfast as hf
from holdfast.solvers import BigM, Bracket, Exact, Hull, HullMilp, PaperBranchAndBound, Reference
from holdfast.solvers.certificates import Certificate, factor_bound, support_sum
from holdfast.solvers.relaxation import HullRelaxation, RelaxationOutcome
from tests.nightly import nightly_after
from tests.referee import (
    Case,
    assert_forces_hold,
    assert_grows,
    assert_limit,
    assert_verdict,
    dented_unit,
    distance_to_piece,
    random_unit_case,
    strongest_force,
    units_of,
    verdict,
)

SEEDS = nightly_after(16, range(80))
PULL = np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])

#: Methods that prove what they say, with the relative gap of their limits.
PROVING = [
    pytest.param(Exact(), 1e-6, id="exact"),
    pytest.param(Reference(), 1e-6, id="all choices"),
    pytest.param(Reference(combinations=0), 1e-6, id="tree"),
    pytest.param(PaperBranchAndBound(epsilon=1e-5), 1e-4, id="paper"),
]

#: Methods that give a backend's word.
MIXED = [pytest.param(HullMilp(), id="hull"), pytest.param(BigM(), id="big M")]


@pytest.fixture(scope="module")
def expected():
    """The verdict on each random case, computed once."""
    known = {}

    def of(seed: int) -> tuple[Case, float]:
        if seed not in known:
            case = random_unit_case(seed)
            known[seed] = case, verdict(case.assembly, case.direction)
        return known[seed]

    return of


def test_units_take_away_choices_and_strength(expected) -> None:
    """Otherwise the cases below would show nothing: points that choose for themselves hold more in many of them."""
    more = 0
    for seed in range(16):
        case, truth = expected(seed)
        apart = hf.Assembly([replace(c, unit=None) for c in case.assembly.contacts], case.assembly.joints)
        assert apart.build(case.direction).combinations >= case.assembly.build(case.direction).combinations
        value = hf.load_limit(apart, case.direction, method=HullMilp()).value
        assert value >= truth.largest or value == pytest.approx(truth.largest, rel=1e-6, abs=1e-6)
        more += bool(value > truth.largest + 1e-3 * abs(truth.largest))
    assert more >= 6


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("method", "gap"), PROVING)
def test_limits_are_those_of_every_choice_tried(method, gap, seed, expected) -> None:
    case, truth = expected(seed)
    answer = hf.load_limit(case.assembly, case.direction, method=method)
    if gap == 1e-6:
        assert_limit(answer, truth.largest, exact=True)
        return
    assert answer.verify()
    if not np.isfinite(truth.largest):
        assert answer.value == truth.largest
        return
    floor = 1e-8 * strongest_force(case.assembly) / float(np.abs(case.direction).max())
    newtons = float(np.linalg.norm(answer.problem.load))
    assert answer.value == pytest.approx(truth.largest, rel=gap, abs=floor + 1e-4 / newtons)
    assert_forces_hold(case.assembly, answer.value * case.direction, answer.forces, answer.pieces)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("method", "gap"), PROVING)
def test_verdicts_beside_the_limit_are_those_of_every_choice_tried(method, gap, seed, expected) -> None:
    case, truth = expected(seed)
    if not np.isfinite(truth.largest):
        return
    floor = 1e-5 * strongest_force(case.assembly) / float(np.abs(case.direction).max())
    step = max(1e-3 * abs(truth.largest), floor)
    assert_verdict(hf.equilibrium(case.assembly, (truth.largest + step) * case.direction, method=method), holds=False)
    if truth.least <= truth.largest - step:
        answer = hf.equilibrium(case.assembly, (truth.largest - step) * case.direction, method=method)
        assert_verdict(answer, holds=True)


def test_loads_far_smaller_than_pieces_without_zero_are_decided(expected) -> None:
    """The limit is zero; a millionth of the strongest force more does not hold, however large the forces must be."""
    case, truth = expected(46)
    assert truth.largest == pytest.approx(0.0, abs=1e-9)
    assert not case.assembly.layout.contains_zero
    load = 1e-6 * strongest_force(case.assembly) * case.direction / float(np.abs(case.direction).max())
    assert_verdict(hf.equilibrium(case.assembly, load, method=Reference()), holds=False)


@pytest.mark.parametrize("seed", nightly_after(16, range(40)))
@pytest.mark.parametrize("method", MIXED)
def test_mixed_integer_programs_agree(method, seed, expected) -> None:
    case, truth = expected(seed)
    answer = hf.load_limit(case.assembly, case.direction, method=method)
    if truth.largest == -np.inf:
        assert answer.status == "does not hold"
    elif truth.largest == np.inf:
        assert answer.status == "unbounded"
        assert_grows(answer)
    else:
        floor = 1e-7 * strongest_force(case.assembly) / float(np.abs(case.direction).max())
        assert answer.status == "optimal"
        assert answer.value == pytest.approx(truth.largest, rel=2e-6, abs=floor)
        assert_forces_hold(case.assembly, answer.value * case.direction, answer.forces, answer.pieces)


@pytest.mark.parametrize("seed", SEEDS)
def test_hulls_and_brackets_enclose_the_limit(seed, expected) -> None:
    case, truth = expected(seed)
    slack = 1e-7 * (abs(truth.largest) if np.isfinite(truth.largest) else 0.0) + 1e-8 * strongest_force(
        case.assembly
    ) / float(np.abs(case.direction).max())
    for method in (Hull(), Bracket()):
        answer = hf.load_limit(case.assembly, case.direction, method=method)
        assert answer.solution.factor <= truth.largest + slack or answer.status == "unbounded"
        assert answer.upper_bound >= truth.largest - slack
        if answer.status == "optimal":
            assert_limit(answer, truth.largest, exact=True)
        if answer.forces is not None and answer.status != "unbounded":
            assert_forces_hold(case.assembly, answer.value * case.direction, answer.forces, answer.pieces)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_relaxation_is_the_hull_of_products(seed) -> None:
    """By listing every corner of every product, for some sets of allowed pieces."""
    case = random_unit_case(seed)
    problem = case.assembly.build(case.direction)
    rng = np.random.default_rng(seed)
    for masks in (problem.all_pieces, tuple(int(rng.integers(1, full + 1)) for full in problem.all_pieces)):
        products = [
            [sums_of_corners(problem, contacts, j) for j in range(count) if mask >> j & 1]
            for contacts, count, mask in zip(problem.units, problem.piece_counts, masks, strict=True)
        ]
        if sum(len(corners) for unit in products for corners in unit) > 20_000:
            continue
        largest = largest_of_hulls(problem, masks, products)
        relaxed = HullRelaxation(problem).maximise(masks)
        if largest == -np.inf:
            assert relaxed.outcome is RelaxationOutcome.SEPARATED
        elif largest == np.inf:
            assert relaxed.outcome is RelaxationOutcome.UNBOUNDED
            np.testing.assert_allclose(problem.row_values(relaxed.growth, 1.0)[:6], 0.0, atol=1e-9)
        else:
            assert relaxed.factor == pytest.approx(largest, rel=1e-6, abs=1e-7)
            assert factor_bound(problem, masks, relaxed.multipliers) == pytest.approx(largest, rel=1e-6, abs=1e-7)
        y = rng.normal(size=problem.rows)
        supports = [max(float((corners @ y).max()) for corners in unit) for unit in products]
        found = support_sum(problem, masks, y)
        assert found == pytest.approx(sum(supports)) or found == np.inf


def sums_of_corners(problem, contacts: range, piece: int) -> np.ndarray:
    """(corners, m) rows of every corner of the product of the contacts' pieces of this number."""
    total = np.zeros((1, problem.rows))
    for i in contacts:
        own = problem.pieces(i)[piece].vertices @ problem.maps[i].T
        total = (total[:, None] + own[None]).reshape(-1, problem.rows)
    return total


def largest_of_hulls(problem, masks: tuple[int, ...], products: list[list[np.ndarray]]) -> float:
    """The largest load factor with weights of corners that sum to 1 in each unit, and with any weights of rays."""
    rays = [
        problem.maps[i] @ ray
        for contacts, mask in zip(problem.units, masks, strict=True)
        for i in contacts
        for j, piece in enumerate(problem.pieces(i))
        if mask >> j & 1
        for ray in piece.rays
    ]
    corners = [np.concatenate(unit) for unit in products]
    columns = np.concatenate([problem.load[None], *corners, np.array(rays).reshape(-1, problem.rows)]).T
    ones = np.zeros((len(corners), columns.shape[1]))
    for row, end, count in zip(ones, np.cumsum([len(c) for c in corners]), map(len, corners), strict=True):
        row[1 + end - count : 1 + end] = 1.0
    capped, propped = np.isfinite(problem.upper), np.isfinite(problem.lower)
    result = linprog(
        -np.eye(1, columns.shape[1])[0],
        A_ub=np.concatenate([columns[capped], -columns[propped]]),
        b_ub=np.concatenate([problem.upper[capped], -problem.lower[propped]]),
        A_eq=ones,
        b_eq=np.ones(len(ones)),
        bounds=[(None, None), *[(0.0, None)] * (columns.shape[1] - 1)],
        options={"primal_feasibility_tolerance": 1e-9},
    )
    return {0: -result.fun if result.status == 0 else np.nan, 2: -np.inf, 3: np.inf, 4: np.inf}[result.status]


@pytest.mark.parametrize("seed", [0, 4, 5, 8, 9, 12, 13])
def test_certificates_with_wrong_claims_or_leaves_do_not_verify(seed, expected) -> None:
    case, truth = expected(seed)
    answer = hf.load_limit(case.assembly, case.direction, method=Reference(combinations=0))
    assert answer.status == "optimal"
    assert truth.largest > 1e-3
    certificate, problem = answer.certificate, answer.problem
    assert certificate.verify(problem)
    assert not Certificate(0.999 * truth.largest, certificate.leaves).verify(problem)
    assert not Certificate(certificate.claim, certificate.leaves[:-1]).verify(problem)
    by_contact = [replace(leaf, masks=problem.by_contact(leaf.masks)) for leaf in certificate.leaves]
    if problem.contacts > len(problem.units):
        assert not Certificate(certificate.claim, by_contact).covers(problem)
    other = Certificate(None, certificate.leaves)
    assert not other.verify(case.assembly.build(0.999 * truth.largest * case.direction))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    "method",
    [Exact(), Reference(), Bracket(), HullMilp(), BigM(), PaperBranchAndBound()],
    ids=lambda m: type(m).__name__,
)
def test_the_net_force_of_a_unit_lies_in_its_measured_volume(method, seed) -> None:
    rng = np.random.default_rng(seed)
    volume = hf.models.microspine() if seed % 2 else dented_unit()
    poses = [hf.Pose(hf.frame_from_normal([0, 0, 1], shear), 0.05 * rng.normal(size=3)) for shear in np.eye(3)[:2]]
    patches = [hf.Patch.rectangle(pose, (0.02, 0.03), volume) for pose in poses]
    assembly = hf.Assembly([contact for patch in patches for contact in patch.contacts])
    answer = hf.load_limit(assembly, np.append([0, 0, 1.0], 0.02 * rng.normal(size=3)), method=method)
    assert answer.forces is not None
    for unit in units_of(assembly):
        assert len(unit) == 4
        net = answer.local_forces[unit].sum(axis=0)
        distances = [distance_to_piece(net, v, r) for v, r in zip(volume.pieces, volume.rays, strict=True)]
        assert distances[answer.pieces[unit[0]]] <= 1e-8 * float(np.abs(volume.pieces[0]).max())
        assert len(set(answer.pieces[unit].tolist())) == 1


@pytest.mark.parametrize("method", [Exact(), Reference(), HullMilp(), BigM(), PaperBranchAndBound(epsilon=1e-6)])
def test_one_unit_alone_pulls_only_as_its_volume_does(method) -> None:
    """Straight off, a dented unit bears nothing; independent corners shear against each other and bear 4 N."""
    pose = hf.Pose(np.eye(3), np.zeros(3))
    one, four = (
        hf.Assembly(hf.Patch.rectangle(pose, (0.02, 0.02), dented_unit(), corners=corners).contacts)
        for corners in ("shared", "independent")
    )
    assert hf.load_limit(one, PULL, method=method).value == pytest.approx(0.0, abs=1e-6)
    assert hf.load_limit(four, PULL, method=method).value == pytest.approx(4.0, rel=1e-4)
    sheared = np.array([-20.0, 0.0, 4.0, 0.0, 0.0, 0.0])  # with shear, all of it bears what was measured
    for assembly in (one, four):
        assert hf.load_limit(assembly, sheared, method=method).value == pytest.approx(1.0, rel=1e-4)


def test_a_unit_of_volumes_whose_pieces_merge_in_different_orders_is_split_by_one_hierarchy() -> None:
    """The first contact's pieces merge as (0, 1), 2; those of the second would as (1, 2), 0."""
    cube = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
    first = hf.ForceVolume([cube + [x, 0, 0] for x in (0, 2.5, 20)])
    second = hf.ForceVolume([cube + [x, 0, 0] for x in (0, 20, 22.5)])
    unit = hf.assembly.Unit("mixed")
    contacts = [hf.Contact([0, 0, x], np.eye(3), v, unit=unit) for x, v in ((0.0, first), (0.1, second))]
    assembly = hf.Assembly([*contacts, hf.Contact([0, 0, 0.05], np.eye(3), hf.ForceVolume([50 * cube]))])
    for direction in (PULL, [1, 0, 0, 0, 0.02, 0], [1, 0, 0.1, 0, 0.05, 0], [-1, 0, 0, 0, 0.3, 0]):
        truth = verdict(assembly, np.asarray(direction, dtype=float))
        answer = hf.load_limit(assembly, direction, method=PaperBranchAndBound(epsilon=1e-6))
        assert answer.verify()
        assert answer.value == pytest.approx(truth.largest, rel=1e-4, abs=1e-6)

"""The hull method against the referee's answers for the pieces and for their hulls."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError
from holdfast.solvers.reference import Hull
from tests.referee import assert_forces_hold, dented_unit, proven_bound, pyramid, random_case, refutes, verdict

PULL_OFF = np.array([0, 0, 1.0, 0, 0, 0])
HULL = Hull()


def hulled(assembly: hf.Assembly) -> hf.Assembly:
    """The same assembly with every volume replaced by one piece: all vertices and all rays together."""
    contacts = [
        hf.Contact(
            c.position,
            c.rotation,
            hf.ForceVolume([np.unique(np.concatenate(c.volume.pieces), axis=0)], [np.concatenate(c.volume.rays)]),
        )
        for c in assembly.contacts
    ]
    return hf.Assembly(contacts, assembly.joints)


@pytest.mark.parametrize("seed", range(60))
def test_the_bound_is_the_limit_of_the_hulls_and_verdicts_are_those_of_the_pieces(seed: int) -> None:
    case = random_case(seed, most_choices=16)
    truth = verdict(case.assembly, case.direction).largest
    relaxed = verdict(hulled(case.assembly), case.direction).largest
    answer = hf.load_limit(case.assembly, case.direction, method=HULL)
    assert answer.upper_bound == pytest.approx(relaxed, rel=1e-6, abs=1e-8)
    if answer.status == "undecided":
        assert answer.forces is None
        assert answer.value == -np.inf
        if answer.upper_bound < np.inf:
            assert proven_bound(answer) <= answer.upper_bound + 1e-8 * max(abs(answer.upper_bound), 1e-3)
        return
    assert answer.verify()
    assert answer.value == pytest.approx(truth, rel=1e-6, abs=1e-8)
    assert (answer.status == "does not hold") == (truth == -np.inf)
    if answer.status == "optimal":
        assert_forces_hold(case.assembly, answer.value * case.direction, answer.forces, answer.pieces)


@pytest.mark.parametrize("seed", range(40))
def test_a_test_is_right_whenever_it_says_yes_or_no(seed: int) -> None:
    case = random_case(seed, most_choices=16)
    expected = verdict(case.assembly, case.direction)
    relaxed = verdict(hulled(case.assembly), case.direction)
    if not 1e-3 < abs(expected.largest) < np.inf:
        return
    for change in (-1e-3, -1e-6, 1e-6, 1e-3):
        factor = expected.largest + change * abs(expected.largest)
        answer = hf.equilibrium(case.assembly, factor * case.direction, method=HULL)
        if answer.status == "holds":
            assert change < 0
            assert_forces_hold(case.assembly, factor * case.direction, answer.forces, answer.pieces)
        elif answer.status == "does not hold":
            assert change > 0 or factor < expected.least
            assert refutes(answer)
        else:
            assert answer.forces is None
            assert answer.solution.factor == -np.inf
            if factor > 0:
                assert answer.solution.bound == pytest.approx(relaxed.largest / factor, rel=1e-6)
    beyond = relaxed.largest + 1e-3 * abs(relaxed.largest)
    if np.isfinite(beyond):
        assert hf.equilibrium(case.assembly, beyond * case.direction, method=HULL).status == "does not hold"


def test_what_only_the_hull_holds_is_undecided_with_its_bound() -> None:
    """One unit that pulls only while it shears: its hull pulls 5 N straight off, the unit itself nothing."""
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), dented_unit(shear=20, pull=5))])
    for load, status in ((2.0, "undecided"), (5.001, "does not hold")):
        answer = hf.equilibrium(assembly, load * PULL_OFF, method=HULL)
        assert answer.status == status
        assert not answer.holds
        assert answer.solution.bound == pytest.approx(5.0 / load if status == "undecided" else -np.inf)
    limit = hf.load_limit(assembly, PULL_OFF, method=HULL)
    assert limit.status == "undecided"
    assert limit.upper_bound == pytest.approx(5.0)
    assert limit.certificate.verify(limit.problem)


@pytest.mark.parametrize("seed", range(8))
def test_with_one_piece_a_contact_it_is_exact(seed: int) -> None:
    case = random_case(seed, most_choices=1)
    truth = verdict(case.assembly, case.direction).largest
    answer = hf.load_limit(case.assembly, case.direction, method=HULL)
    assert answer.status in ("optimal", "does not hold", "unbounded")
    assert answer.verify()
    assert answer.value == pytest.approx(truth, rel=1e-6, abs=1e-8)


def test_growth_along_rays_of_one_piece_is_unbounded_and_of_mixed_pieces_undecided() -> None:
    cone = hf.ForceVolume([pyramid(0.5, 1.0)], [[[0.5, 0, 1], [-0.5, 0, 1.0]]])
    answer = hf.load_limit(hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), cone)]), -PULL_OFF, method=HULL)
    assert answer.status == "unbounded"
    assert answer.verify()
    body = np.array([[0, 0, 0], [0, 0, 3], [1, 1, 1], [-1, 1, 1], [0, -1, 1.0]])
    left, right = [[-1, 0, 1], [-1, 0.2, 1.0]], [[1, 0, 1], [1, 0.2, 1.0]]
    split = hf.ForceVolume([body, body * 0.5], [left, right])
    answer = hf.load_limit(hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), split)]), -PULL_OFF, method=HULL)
    assert answer.status == "undecided"
    assert answer.upper_bound == np.inf


def test_it_counts_its_programs_and_refuses_a_gap_that_is_none() -> None:
    case = random_case(4)
    effort = hf.load_limit(case.assembly, case.direction, method=HULL).effort
    assert effort.programs >= effort.nodes == 1
    assert effort.seconds > 0.0
    with pytest.raises(InputError, match="gap"):
        Hull(gap=0.0)

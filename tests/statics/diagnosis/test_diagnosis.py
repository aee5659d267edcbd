from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError
from holdfast.solvers.certificates import separation_margin
from tests.referee import assert_forces_hold, block, dented_unit, random_case
from tests.statics.diagnosis.cases import confined, finger, limit_of

PULL_OFF = np.array([0, 0, 1.0, 0, 0, 0])


def world_forces(diagnosis: hf.Diagnosis) -> np.ndarray:
    local = np.array([c.force for c in diagnosis.contacts])
    return np.einsum("kij,kj->ki", diagnosis.assembly.rotations, local)


@pytest.mark.parametrize("seed", range(0, 60, 3))
def test_the_tables_are_about_forces_that_hold_the_limit(seed):
    case = random_case(seed, most_choices=12)
    answer = hf.equilibrium(case.assembly, case.direction)
    diagnosis = hf.diagnose(answer)
    if not diagnosis.contacts or not np.isfinite(diagnosis.factor):
        assert diagnosis.limit is None or diagnosis.limit.status in ("does not hold", "undecided")
        return
    pieces = np.array([c.piece for c in diagnosis.contacts])
    assert_forces_hold(case.assembly, diagnosis.factor * case.direction, world_forces(diagnosis), pieces)
    if diagnosis.has_prices:
        total = diagnosis.from_contacts + diagnosis.from_joints
        least = -1.0 if diagnosis.is_least else 1.0
        assert total == pytest.approx(least * diagnosis.factor, rel=1e-5, abs=1e-7)
        assert sum(100 * c.price for c in diagnosis.contacts) == pytest.approx(diagnosis.from_contacts)
    assert 1 <= len(diagnosis.sentences) <= 7
    assert all((s[0].isupper() or s[0].isdigit()) and s.endswith(".") for s in diagnosis.sentences)
    assert str(diagnosis).splitlines() == list(diagnosis.sentences)
    assert diagnosis.sentences[0] in repr(diagnosis)


@pytest.mark.parametrize("seed", range(1, 60, 4))
def test_contacts_and_joints_that_limit_the_load_are_at_their_limit(seed):
    """Complementary slackness: what has a price is used up, what binds is on the border of its piece."""
    case = random_case(seed, most_choices=12)
    answer = hf.load_limit(case.assembly, case.direction)
    if answer.status != "optimal":
        pytest.skip("no limit")
    diagnosis = hf.diagnose(answer)
    for contact in diagnosis.contacts:
        if contact.binding:
            assert contact.at_limit or contact.at_piece_limit
        else:
            assert abs(contact.price) <= 1e-6 * max(1.0, abs(diagnosis.factor))
    for joint in diagnosis.joints:
        assert joint.at_lower or joint.price_lower == pytest.approx(0.0, abs=1e-6)
        assert joint.at_upper or joint.price_upper == pytest.approx(0.0, abs=1e-6)
    assert set(diagnosis.limiting) <= set(diagnosis.at_limit)
    prices = [c.price for c in diagnosis.at_limit]
    assert prices == sorted(prices, reverse=True)


def test_the_same_is_said_of_an_equilibrium_and_of_the_limit_along_its_wrench(uneven_table):
    weight = hf.loads.gravity_wrench(1.0, com=(0.2, 0.3, 0.1))
    limit = hf.load_limit(uneven_table, weight)
    answer = hf.equilibrium(uneven_table, weight)
    asked, given, direct = hf.diagnose(answer), hf.diagnose(answer, limit=limit), hf.diagnose(limit)
    assert given.limit is limit
    assert asked.sentences == given.sentences == direct.sentences
    assert asked.factor == pytest.approx(1000.0 / 9.80665 * 0.1 / 0.5)


def test_the_limit_of_an_equilibrium_is_asked_of_its_own_method(uneven_table):
    asked = []

    class Recording(hf.Reference):
        def maximise(self, problem):
            asked.append(problem)
            return super().maximise(problem)

    hf.diagnose(hf.equilibrium(uneven_table, hf.loads.gravity_wrench(1.0, com=(0.2, 0.3, 0.1)), method=Recording()))
    assert len(asked) == 1


def test_what_a_method_left_to_its_gap_is_found_in_its_pieces(uneven_table):
    """A method that stops early: the diagnosis is about the limit of its pieces, not about its forces."""
    from dataclasses import replace

    direction = hf.loads.gravity_wrench(1.0, (0, 0, -1), (0.25, 0.25, 0.0))
    exact = hf.load_limit(uneven_table, direction)
    early = replace(exact.solution, factor=0.9 * exact.value, forces=0.9 * exact.solution.forces)
    answer = hf.LoadLimit(uneven_table, exact.problem, early, direction)
    diagnosis = hf.diagnose(answer)
    assert diagnosis.factor == pytest.approx(exact.value)
    assert limit_of(confined(uneven_table, answer.pieces), direction) == pytest.approx(diagnosis.factor)
    assert diagnosis.contacts[0].at_limit


def test_a_load_that_holds_is_explained_by_its_own_forces_where_the_limit_was_not_found(uneven_table):
    """A method whose limit finds nothing: the pieces of the equilibrium give one."""

    class Blind(hf.Reference):
        def maximise(self, problem):
            from holdfast.solvers import Solution, Status

            return Solution(Status.UNDECIDED, -np.inf, np.inf)

    weight = hf.loads.gravity_wrench(2.0, (0, 0, -10.0), (0.25, 0.25, 0.0))
    diagnosis = hf.diagnose(hf.equilibrium(uneven_table, weight, method=Blind()))
    assert diagnosis.factor == pytest.approx(10.0) and diagnosis.has_prices
    assert diagnosis.sentences[0] == "It holds at least 10 times this load."
    unknown = hf.diagnose(hf.load_limit(uneven_table, weight, method=Blind()))
    assert unknown.contacts == ()
    assert unknown.sentences == ("It holds an unknown part of this load; no multiple was found that holds.",)


def test_the_nearest_part_of_a_proof_is_the_one_with_the_smallest_margin():
    """Pulled off at a slant, the piece that shears with the load comes nearer to holding."""
    unit = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), dented_unit())])
    answer = hf.equilibrium(unit, [4.0, 0, 3.0, 0, 0, 0], method=hf.Reference())
    assert answer.certificate is not None and len(answer.certificate.leaves) == 2
    margins = [separation_margin(answer.problem, leaf.masks, leaf.multipliers) for leaf in answer.certificate.leaves]
    motion = hf.diagnose(answer).separation
    nearest = -answer.separating_wrenches[int(np.argmin(margins))]
    np.testing.assert_allclose(np.concatenate([motion.velocity, motion.angular]), nearest, atol=1e-12)
    assert motion.velocity @ answer.wrench[:3] > 0.0


def test_a_load_too_small_for_a_preload_is_explained_by_the_least_load(strong):
    preload = finger([1.0], [2.5], strong)
    diagnosis = hf.diagnose(hf.equilibrium(preload, [-1.0, 0, 0, 0, 0, 0]))
    assert diagnosis.is_least and diagnosis.factor == pytest.approx(2.0)
    assert diagnosis.joints[0].at_lower and diagnosis.joints[0].price_lower == pytest.approx(2.0)
    enough = hf.diagnose(hf.equilibrium(preload, [-3.0, 0, 0, 0, 0, 0]))
    assert not enough.is_least and enough.factor == pytest.approx(5.0 / 3.0) and enough.joints[0].at_upper


def test_between_two_scales_that_hold_there_is_no_limit_to_explain():
    pieces = hf.ForceVolume([block([1, -1, -1], [2, 1, 1]), block([5, -1, -1], [6, 1, 1])])
    apart = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), pieces)])
    diagnosis = hf.diagnose(hf.equilibrium(apart, [-3.0, 0, 0, 0, 0, 0]))
    assert diagnosis.limit is None and diagnosis.contacts == () and np.isnan(diagnosis.factor)
    assert diagnosis.separation is not None


def test_a_contact_between_two_pieces_is_told_from_one_at_its_limit():
    boxes = hf.ForceVolume([block([-10, -10, -10], [0, 10, 10]), block([0, -10, -10], [10, 10, 10])])
    foot = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), boxes)])
    (contact,) = hf.diagnose(hf.load_limit(foot, PULL_OFF)).contacts
    assert contact.at_limit and not contact.at_piece_limit  # pulls 10 N: on the border of both
    assert contact.force == pytest.approx([0.0, 0.0, -10.0])


def test_no_limit_and_no_load_leave_the_tables_to_the_forces_of_the_answer(uneven_table):
    still = hf.diagnose(hf.equilibrium(uneven_table, np.zeros(6)))
    assert len(still.contacts) == 3 and not still.has_prices and still.limit is None
    assert np.isnan(still.from_contacts) and np.isnan(still.from_joints) and still.motion is None
    cone = hf.models.coulomb(0.5)
    feet = hf.Assembly([hf.Contact(c.position, c.rotation, cone) for c in uneven_table.contacts])
    weight = hf.loads.gravity_wrench(1.0, com=(0.2, 0.3, 0.1))
    answer = hf.equilibrium(feet, weight)
    free = hf.diagnose(answer)
    assert free.factor == 1.0 and not free.has_prices and free.gains == ()
    np.testing.assert_allclose(world_forces(free), answer.forces)


@pytest.mark.parametrize("bad", [None, 3.0, "holds"])
def test_only_answers_are_diagnosed(bad):
    with pytest.raises(InputError, match="result"):
        hf.diagnose(bad)


def test_the_limit_of_another_load_is_refused(uneven_table):
    answer = hf.equilibrium(uneven_table, [0, 0, -1.0, 0, 0, 0])
    with pytest.raises(InputError, match="another load"):
        hf.diagnose(answer, limit=hf.load_limit(uneven_table, [0, 0, -2.0, 0, 0, 0]))

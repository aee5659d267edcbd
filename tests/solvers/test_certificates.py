"""Certificates: closed trees are accepted, false ones are not; tilings by counting choices; half-spaces of held loads."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import holdfast as hf
from holdfast.errors import HoldfastError
from holdfast.solvers import Certificate, Leaf
from holdfast.solvers.certificates import (
    factor_bound,
    least_row_sum,
    offsets_of,
    separation_margin,
    support_sum,
    tiles,
)
from tests.nightly import nightly_after
from tests.referee import block, covers_once, dented_unit, random_case, random_rotation, refutes

few = settings(max_examples=30)
seeds = st.integers(0, 5_000)
PULL_OFF = np.array([0, 0, 1.0, 0, 0, 0])


def units() -> hf.Assembly:
    """Three dented units in a row: their shears must cancel, so that they hold 10 N where their hulls hold 15 N."""
    unit = dented_unit(shear=20, pull=5)
    return hf.Assembly([hf.Contact([0, y, 0], np.eye(3), unit) for y in (-0.01, 0.0, 0.01)])


def refusal() -> hf.statics.Equilibrium:
    answer = hf.equilibrium(units(), 13.0 * PULL_OFF, method=hf.solvers.Reference())
    assert answer.status == "does not hold"
    assert len(answer.certificate.leaves) > 1
    return answer


def limit() -> hf.statics.LoadLimit:
    answer = hf.load_limit(units(), PULL_OFF, method=hf.solvers.Reference())
    assert answer.status == "optimal"
    return answer


def rejected(certificate: Certificate, problem) -> bool:
    """Whether the proof is refused, be it by a plain no or because it makes no sense."""
    try:
        return not certificate.verify(problem)
    except HoldfastError:
        return True


def leaves_of(answer) -> list[Leaf]:
    return list(answer.certificate.leaves)


# -- a true proof, and what becomes of it when it is touched ----------------------------------------


def test_a_true_proof_is_accepted_by_itself_and_by_the_referee():
    answer = refusal()
    assert answer.certificate.claim is None
    assert answer.certificate.verify(answer.problem)
    assert covers_once(answer.assembly, [leaf.masks for leaf in answer.certificate.leaves])
    assert refutes(answer, exact=True)
    assert limit().certificate.verify(limit().problem)


@pytest.mark.parametrize("make", [refusal, limit])
def test_dropping_any_leaf_breaks_the_proof(make):
    answer = make()
    leaves = leaves_of(answer)
    for i in range(len(leaves)):
        assert rejected(Certificate(answer.certificate.claim, tuple(leaves[:i] + leaves[i + 1 :])), answer.problem)
    assert rejected(Certificate(answer.certificate.claim, ()), answer.problem)


@pytest.mark.parametrize("make", [refusal, limit])
def test_a_leaf_twice_breaks_the_proof(make):
    answer = make()
    leaves = leaves_of(answer)
    assert rejected(Certificate(answer.certificate.claim, (*leaves, leaves[0])), answer.problem)
    swapped = [leaves[1], *leaves[1:]]
    assert rejected(Certificate(answer.certificate.claim, tuple(swapped)), answer.problem)


@pytest.mark.parametrize("make", [refusal, limit])
def test_flipping_the_sign_of_any_motion_breaks_the_proof(make):
    answer = make()
    leaves = leaves_of(answer)
    for i, leaf in enumerate(leaves):
        forged = [*leaves[:i], Leaf(leaf.masks, -leaf.multipliers), *leaves[i + 1 :]]
        assert rejected(Certificate(answer.certificate.claim, tuple(forged)), answer.problem)


@pytest.mark.parametrize("make", [refusal, limit])
def test_widening_narrowing_or_emptying_any_mask_breaks_the_proof(make):
    answer = make()
    leaves = leaves_of(answer)
    for i, leaf in enumerate(leaves):
        for contact, mask in enumerate(leaf.masks):
            for changed in {0b11, 0b01, 0b10, 0b00} - {mask}:
                masks = tuple(changed if c == contact else m for c, m in enumerate(leaf.masks))
                forged = [*leaves[:i], Leaf(masks, leaf.multipliers), *leaves[i + 1 :]]
                assert rejected(Certificate(answer.certificate.claim, tuple(forged)), answer.problem)


@pytest.mark.parametrize("value", [0.0, np.nan, np.inf])
def test_motions_that_are_none_break_the_proof(value):
    answer = refusal()
    leaves = leaves_of(answer)
    forged = [Leaf(leaves[0].masks, np.full_like(leaves[0].multipliers, value)), *leaves[1:]]
    with np.errstate(invalid="ignore"):
        assert rejected(Certificate(None, tuple(forged)), answer.problem)


def test_one_leaf_over_all_pieces_is_not_enough_where_the_hull_would_hold():
    answer = refusal()
    for leaf in answer.certificate.leaves:
        assert rejected(Certificate(None, (Leaf(answer.problem.all_pieces, leaf.multipliers),)), answer.problem)


def test_masks_for_another_number_of_contacts_break_the_proof():
    answer = refusal()
    leaves = leaves_of(answer)
    assert rejected(
        Certificate(None, tuple(Leaf(leaf.masks[:-1], leaf.multipliers) for leaf in leaves)), answer.problem
    )


def test_a_proof_for_one_load_does_not_pass_for_a_smaller_one():
    answer = refusal()
    smaller = answer.assembly.build(9.9 * PULL_OFF)
    assert rejected(answer.certificate, smaller)
    assert rejected(answer.certificate, answer.assembly.build(-13.0 * PULL_OFF))


@pytest.mark.parametrize("length", [1e-6, 1.0, 1e6])
def test_the_length_of_a_motion_does_not_matter(length):
    for answer in (refusal(), limit()):
        leaves = tuple(Leaf(leaf.masks, leaf.multipliers * length) for leaf in answer.certificate.leaves)
        assert Certificate(answer.certificate.claim, leaves).verify(answer.problem)


@pytest.mark.parametrize("strength", [1e-9, 1e-6, 1e-3, 1.0, 1e3, 1e6])
def test_a_bound_below_the_truth_is_refused_and_one_above_is_accepted(strength):
    problem = units().build(PULL_OFF * strength)
    true = limit().upper_bound / strength
    leaves = limit().certificate.leaves
    for claim in (true * 1.001, true * 2, np.inf):
        assert Certificate(claim, leaves).verify(problem)
    for claim in (true * 0.999, true * 0.5, 0.0, -1.0 / strength, -np.inf):
        assert rejected(Certificate(claim, leaves), problem)
    assert rejected(Certificate(None, leaves), units().build(PULL_OFF * limit().value * 0.999))


# -- soundness of the two inequalities --------------------------------------------------------------


@few
@given(seeds)
def test_any_motion_whatever_bounds_the_load_from_above(seed):
    """Weak duality: no y, however it was found, may claim less than what holds."""
    case = random_case(seed, most_choices=8)
    answer = hf.load_limit(case.assembly, case.direction, method=hf.solvers.Reference())
    if answer.status not in ("optimal", "unbounded"):
        return
    rng = np.random.default_rng(seed)
    tries = [rng.normal(size=answer.problem.rows) for _ in range(30)]
    for leaf in () if answer.certificate is None else answer.certificate.leaves:
        tries += [leaf.multipliers * (1 + 0.3 * rng.normal(size=answer.problem.rows)) for _ in range(3)]
        tries += [leaf.multipliers, -leaf.multipliers]
    for y in tries:
        bound = factor_bound(answer.problem, answer.problem.all_pieces, y)
        assert bound >= answer.value - 1e-7 * max(abs(answer.value), 1e-3)


@few
@given(seeds)
def test_no_motion_separates_a_load_that_holds(seed):
    case = random_case(seed, most_choices=8)
    answer = hf.load_limit(case.assembly, case.direction, method=hf.solvers.Reference())
    if answer.status != "optimal" or not answer.problem.is_star_shaped or answer.value < 1e-3:
        return
    rng = np.random.default_rng(seed)
    for share in (0.0, 0.5, 0.999, 1 - 1e-7):
        problem = case.assembly.build(share * answer.value * case.direction)
        for leaf in answer.certificate.leaves:
            for y in (leaf.multipliers, leaf.multipliers + 1e-3 * rng.normal(size=problem.rows)):
                assert separation_margin(problem, problem.all_pieces, y) <= 0.0


@pytest.mark.parametrize("seed", range(8))
def test_a_motion_that_no_contact_sees_proves_nothing(seed):
    """Two contacts press against each other: turning about their common line does no work, but for rounding."""
    rng = np.random.default_rng(seed)
    along = random_rotation(rng)[0]
    push = hf.ForceVolume([block([-1, -1, 999], [1, 1, 1001])])
    middle = rng.normal(size=3) * 0.1
    facing = hf.Assembly(
        [
            hf.Contact(middle - 0.05 * along, hf.frame_from_normal(along), push),
            hf.Contact(middle + 0.05 * along, hf.frame_from_normal(-along), push),
        ]
    )
    problem = facing.build(np.zeros(6))
    assert hf.equilibrium(facing, np.zeros(6)).holds
    for sign in (1.0, -1.0):
        y = np.concatenate([np.zeros(3), sign * along])
        assert separation_margin(problem, problem.all_pieces, y) <= 0.0
        assert not Certificate(None, (Leaf(problem.all_pieces, y),)).verify(problem)


@pytest.mark.parametrize("seed", range(8))
def test_the_rounding_of_a_load_proves_nothing(seed):
    """The load acts through the only contact: what is left of its torque there is rounding, and no contact resists it.

    A torque ten thousand times larger is one that was meant.
    """
    rng = np.random.default_rng(seed)
    position, force = rng.normal(size=3), rng.normal(size=3)
    push = hf.ForceVolume([block([-10] * 3, [10] * 3)])
    alone = hf.Assembly([hf.Contact(position, np.eye(3), push)])
    wrench = np.concatenate([force, np.cross(position, force)])
    assert hf.equilibrium(alone, wrench).holds
    for excess, proves in ((1e-16, False), (1e-12, True)):
        problem = alone.problem(wrench)
        problem.load[3:] = excess * np.linalg.norm(problem.load[:3]) * rng.normal(size=3)
        y = np.concatenate([np.zeros(3), -problem.load[3:] / np.linalg.norm(problem.load[3:])])
        limit, leaves = factor_bound(problem, problem.all_pieces, y), (Leaf(problem.all_pieces, y),)
        assert limit == pytest.approx(0.0, abs=1e-9) if proves else limit == np.inf
        assert (separation_margin(problem, problem.all_pieces, y) > 0.0) == proves
        assert Certificate(None, leaves).verify(problem) == proves
        assert Certificate(0.0, leaves).verify(problem) == proves


def test_support_sums_by_hand():
    cube = hf.ForceVolume([block([-1, -2, -3], [1, 2, 3]), block([0, 0, 0], [10, 1, 1])])
    problem = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), cube)]).build(np.ones(6))
    y = np.array([1.0, 0, 0, 0, 0, 0])
    assert support_sum(problem, (0b01,), y) == pytest.approx(1.0)
    assert support_sum(problem, (0b10,), y) == pytest.approx(10.0)
    assert support_sum(problem, (0b11,), y) == pytest.approx(10.0)
    with pytest.raises(HoldfastError):
        support_sum(problem, (0,), y)


def test_a_climbed_ray_bounds_nothing():
    cone = hf.ForceVolume([[[0, 0, 0]]], [[[0.5, 0, 1], [-0.5, 0, 1], [0, 0.5, 1], [0, -0.5, 1.0]]])
    problem = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), cone)]).build([0, 0, -1, 0, 0, 0])
    up, down = np.array([0, 0, 1.0, 0, 0, 0]), np.array([0, 0, -1.0, 0, 0, 0])
    assert support_sum(problem, (1,), up) == np.inf
    assert factor_bound(problem, (1,), up) == np.inf
    assert support_sum(problem, (1,), down) == pytest.approx(0.0)
    assert separation_margin(problem, (1,), up) == -np.inf


def test_rows_without_a_limit_cannot_be_leant_on():
    cube = hf.ForceVolume([block([-1] * 3, [1] * 3)])
    rows = hf.JointRows([[1, 0, 0], [0, 1, 0]], [-np.inf, 1.0], [2.0, np.inf])
    problem = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), cube)], rows).build(np.ones(6))
    zero = np.zeros(8)
    assert least_row_sum(problem, zero) == 0.0
    for row, sign, expected in ((6, 1.0, -np.inf), (6, -1.0, -2.0), (7, 1.0, 1.0), (7, -1.0, -np.inf)):
        y = zero.copy()
        y[row] = sign
        assert least_row_sum(problem, y) / problem.row_scale[row] == pytest.approx(expected)


@pytest.mark.parametrize("preload", [1e-3, 1.0, 50.0])
def test_a_row_that_alone_contradicts_balance_is_proof_without_any_load(preload):
    """The joint demands a push that nothing balances: the proof leans on the row's own limit."""
    cube = hf.ForceVolume([block([-100] * 3, [100] * 3)])
    rows = hf.JointRows([[1.0, 0, 0]], [preload], [100.0])
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), cube)], rows)
    problem = assembly.build(np.zeros(6))
    y = np.zeros(7)
    y[0], y[6] = -1.0, 1.0 / problem.row_scale[6]
    assert separation_margin(problem, (1,), y) > 0.0
    answer = hf.equilibrium(assembly, np.zeros(6), method=hf.solvers.Reference())
    assert answer.status == "does not hold"
    assert answer.verify()
    assert refutes(answer)


@few
@given(seeds)
def test_every_refusal_of_random_assemblies_is_proven_in_exact_arithmetic(seed):
    case = random_case(seed, most_choices=8)
    answer = hf.equilibrium(case.assembly, 7.0 * case.direction, method=hf.solvers.Reference())
    if answer.status == "does not hold":
        assert answer.certificate.verify(answer.problem)
        assert refutes(answer, exact=True)
        leaves = leaves_of(answer)
        assert rejected(Certificate(None, tuple(leaves[1:])), answer.problem)
        flipped = Leaf(leaves[-1].masks, -leaves[-1].multipliers)
        assert rejected(Certificate(None, (*leaves[:-1], flipped)), answer.problem)


def test_a_certificate_cannot_be_changed():
    certificate = refusal().certificate
    with pytest.raises(dataclasses.FrozenInstanceError):
        certificate.claim = 3.0


def bits(mask: int) -> list[int]:
    return [j for j in range(mask.bit_length()) if mask >> j & 1]


def tiles_by_counting(boxes, whole) -> bool:
    """Every choice of one piece a contact lies in exactly one box, and no box reaches beyond the whole."""
    seen = [choice for box in boxes for choice in itertools.product(*map(bits, box))]
    return sorted(seen) == sorted(itertools.product(*map(bits, whole)))


def random_tree(rng, whole):
    """Boxes from cutting at random contacts, as a search does."""
    boxes = [list(whole)]
    for _ in range(int(rng.integers(0, 12))):
        box = boxes.pop(int(rng.integers(len(boxes))))
        contact = int(rng.integers(len(box)))
        part = sum(1 << j for j in bits(box[contact]) if rng.random() < 0.5)
        if part in (0, box[contact]):
            boxes.append(box)
            continue
        for mask in (part, box[contact] & ~part):
            boxes.append([mask if i == contact else m for i, m in enumerate(box)])
    return boxes


@pytest.mark.parametrize("seed", nightly_after(12, range(60)))
def test_search_trees_tile_and_damaged_ones_do_not(seed):
    rng = np.random.default_rng(seed)
    whole = [(1 << int(rng.integers(1, 5))) - 1 for _ in range(int(rng.integers(1, 5)))]
    boxes = random_tree(rng, whole)
    assert tiles(boxes, whole) and tiles_by_counting(boxes, whole)
    damaged = [list(box) for box in boxes]
    victim = int(rng.integers(len(boxes)))
    kind = seed % 3
    if kind == 0:
        damaged.pop(victim)
    elif kind == 1:
        damaged.append(list(boxes[victim]))
    else:
        contact = int(rng.integers(len(whole)))
        damaged[victim][contact] = int(rng.integers(1, whole[contact] + 1))
    assert tiles(damaged, whole) == tiles_by_counting(damaged, whole)


def test_a_pinwheel_that_no_cut_tells_apart_is_still_recognised():
    # Three contacts of two pieces: two corners and three edges around them, as in the classic pinwheel.
    boxes = [[1, 1, 1], [2, 2, 2], [3, 1, 2], [2, 3, 1], [1, 2, 3]]
    assert tiles_by_counting(boxes, [3, 3, 3])
    assert tiles(boxes, [3, 3, 3])
    assert not tiles([*boxes[:-1], [1, 2, 1]], [3, 3, 3])


def test_boxes_beyond_the_whole_empty_ones_and_wrong_lengths_do_not_tile():
    assert not tiles([], [1])
    assert not tiles([[2]], [1])
    assert not tiles([[0]], [1])
    assert not tiles([[1, 1]], [1])
    assert not tiles([[1], [1, 1]], [1])


def test_masks_wider_than_a_machine_word_are_whole_numbers():
    wide = (1 << 70) - 1
    assert tiles([[1 << 69, 1], [wide >> 1, 1]], [wide, 1])
    assert not tiles([[wide >> 1, 1]], [wide, 1])


def held_loads(assembly: hf.Assembly, rng: np.random.Generator, count: int) -> np.ndarray:
    """(count, m) scaled loads balanced by random points of random pieces, joint rows as those forces have them."""
    layout = assembly.layout
    loads = np.zeros((count, len(layout.lower)))
    for row in loads:
        for i, shape in enumerate(layout.shape_of):
            piece = layout.shapes[shape][rng.integers(len(layout.shapes[shape]))]
            force = rng.dirichlet(np.full(len(piece.vertices), 0.2)) @ piece.vertices
            if len(piece.rays):
                force = force + rng.exponential(3.0, len(piece.rays)) @ piece.rays
            row -= layout.maps[i] @ force
    return loads


@pytest.mark.parametrize("seed", range(12))
def test_no_load_balanced_by_admissible_forces_is_beyond_any_half_space(seed: int) -> None:
    assembly = random_case(seed).assembly
    rng, layout = np.random.default_rng(seed), assembly.layout
    loads = held_loads(assembly, rng, 200)
    inside = ((-loads[:, 6:] >= layout.lower[6:]) & (-loads[:, 6:] <= layout.upper[6:])).all(axis=1)
    y = rng.normal(size=(60, layout.maps.shape[1]))
    y[:, 6:] *= rng.integers(0, 2, size=y[:, 6:].shape)
    offsets = offsets_of(layout, y)
    for load in loads[inside]:
        assert (-y[:, :6] @ load[:6] <= offsets).all()


def test_the_half_space_of_one_box_is_its_support() -> None:
    volume = hf.ForceVolume([block((-1, -2, -3), (4, 5, 6))])
    layout = hf.Assembly([hf.Contact((0, 0, 0), np.eye(3), volume)]).layout
    y = np.zeros((2, 6))
    y[0, 0], y[1, :3] = -1.0, (0.0, 2.0, -1.0)
    assert offsets_of(layout, y) == pytest.approx([1.0, 2 * 5.0 + 3.0], rel=1e-12)


def test_joint_bounds_enter_with_the_sign_of_their_multiplier() -> None:
    volume = hf.ForceVolume([block((-1, -1, -1), (1, 1, 1))])
    joints = hf.JointRows(np.array([[1.0, 0.0, 0.0]]), np.array([-0.25]), np.array([0.5]))
    layout = hf.Assembly([hf.Contact((0, 0, 0), np.eye(3), volume)], joints).layout
    # Along -x the load is carried by f_x alone, which the joint keeps within [-0.25, 0.5].
    assert offsets_of(layout, np.array([[1.0, 0, 0, 0, 0, 0, -1.0]])) == pytest.approx([0.5], rel=1e-12)
    assert offsets_of(layout, np.array([[-1.0, 0, 0, 0, 0, 0, 1.0]])) == pytest.approx([0.25], rel=1e-12)


def test_multipliers_that_lean_on_what_has_no_limit_bound_nothing() -> None:
    cone = hf.models.coulomb(0.5)
    joints = hf.JointRows(np.array([[1.0, 0.0, 0.0]]), np.array([-np.inf]), np.array([1.0]))
    layout = hf.Assembly([hf.Contact((0, 0, 0), np.eye(3), cone)], joints).layout
    y = np.zeros((3, 7))
    y[0, 2], y[1, 2], y[2, 2], y[2, 6] = 1.0, -1.0, -1.0, 1.0  # up the cone; down it; a joint without a lower end
    assert np.isinf(offsets_of(layout, y)).tolist() == [True, False, True]


def test_large_batches_are_reckoned_in_blocks_with_the_same_result(monkeypatch: pytest.MonkeyPatch) -> None:
    layout = hf.Assembly([hf.Contact((0.1 * i, 0, 0), np.eye(3), dented_unit()) for i in range(3)]).layout
    y = np.random.default_rng(1).normal(size=(50, 6))
    whole = offsets_of(layout, y)
    monkeypatch.setattr("holdfast.solvers.certificates.BLOCK", 40)
    assert offsets_of(layout, y) == pytest.approx(whole, rel=1e-14)

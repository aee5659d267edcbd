"""`hf.motions`: every motion that the referee finds is in a piece, and no piece is without one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import holdfast as hf
from holdfast.dynamics.search import MotionSearch
from tests.dynamics.coulomb_cases import (
    HAND_CHECKED,
    block_on_slope,
    extruded,
    pinched,
    random_case,
    random_planar,
    rod_motions,
    sliding_block,
    sliding_rod,
    weight,
)
from tests.dynamics.coulomb_referee import Case, enumerated, faults
from tests.dynamics.coulomb_verdicts import verdicts
from tests.nightly import nightly_after

#: Largest share of random cases that may be left undecided: rounding decides which. None may be wrong.
UNDECIDED = 0.08


def all_motions(case: Case, **options):
    """The library's answer; the example of every piece must obey the law and lie within the piece's bounds."""
    found = hf.motions(*case.question, velocity=case.velocity if case.velocity.any() else None, **options)
    assert found.verify() or found.status == "undecided"
    for piece in found.pieces:
        if piece.motion is None:
            continue
        worst = faults(case, piece.motion)
        assert max(worst.values()) <= 1e-7, worst
        size = max(1.0, np.abs(piece.motion.acceleration).max())
        assert (piece.motion.acceleration >= piece.lower - 1e-6 * size).all()
        assert (piece.motion.acceleration <= piece.upper + 1e-6 * size).all()
    return found


def within(found, acceleration: np.ndarray, tolerance: float = 1e-6) -> bool:
    """Whether an acceleration lies within the bounds of some piece."""
    size = tolerance * max(1e-9, float(np.abs(acceleration).max()))
    return any(
        (acceleration >= piece.lower - size).all() and (acceleration <= piece.upper + size).all()
        for piece in found.pieces
    )


@pytest.mark.parametrize("name", HAND_CHECKED)
def test_cases_checked_by_hand(name):
    known = HAND_CHECKED[name]()
    found = all_motions(known.case)
    expected = {
        "stays": {"unique"},
        "may stay": {"finite", "continuum"},
        "moves": {"unique", "finite", "continuum"},
        "inconsistent": {"inconsistent"},
    }[known.verdict]
    assert found.status in expected
    if known.verdict in ("stays", "may stay"):
        assert within(found, np.zeros(6))
    if known.acceleration is not None:
        assert within(found, known.acceleration)


@pytest.mark.parametrize("azimuth", [20.0, 50.0])
def test_a_block_that_slides_has_one_motion_with_bounds_as_narrow_as_the_arcs(azimuth):
    known = sliding_block(35.0, 0.5, azimuth)
    widths = []
    for resolution in (0.1, 0.02):
        found = all_motions(known.case, resolution=resolution)
        assert found.status == "unique"
        (piece,) = found.pieces
        assert piece.is_point
        np.testing.assert_allclose(piece.motion.acceleration, known.acceleration, atol=1e-8)
        assert within(found, known.acceleration)
        widths.append((piece.upper - piece.lower)[:3].max())
    assert widths[1] < 0.3 * widths[0]
    assert widths[0] < 0.2 * np.abs(known.acceleration).max()


@pytest.mark.parametrize("start", nightly_after(1, range(0, 300, 60)))
def test_every_motion_of_all_modes_is_in_a_piece(start):
    undecided = []
    for seed in range(start, start + 60):
        case = random_case(seed, 2)
        found = all_motions(case, method=MotionSearch(node_limit=5000))
        referee = enumerated(case, every=True)
        if found.status == "undecided":
            undecided.append(seed)
            continue
        assert all(within(found, other.acceleration) for other in referee.others), seed
        assert not referee.rest or within(found, np.zeros(6)), seed
        if referee.rest is None or referee.unclear:
            continue
        moves = [p for p in found.pieces if np.abs(p.motion.acceleration).max() > 0.0]
        assert bool(moves) == bool(referee.others), seed
        if found.status == "unique":
            different = {tuple(np.round(o.acceleration, 5)) for o in referee.others}
            assert len(different) + bool(referee.rest) == 1, seed
    assert len(undecided) <= UNDECIDED * 60, undecided


def test_statuses_agree_with_the_stored_verdicts():
    fits = {
        "stays": ("unique",),
        "may stay": ("finite", "continuum"),
        "moves": ("unique", "finite", "continuum"),
        "inconsistent": ("inconsistent",),
    }
    wrong, undecided = [], []
    for seed, verdict in enumerate(verdicts("round")[:90]):
        found = hf.motions(*random_case(seed).question)
        if found.status == "undecided":
            undecided.append(seed)
        elif verdict is not None and found.status not in fits[verdict]:
            wrong.append((seed, verdict, found.status.value))
    assert not wrong
    assert len(undecided) <= UNDECIDED * 90, undecided


# -- a sliding rod --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("mu", "off", "spin"), [
    (1.3, 0.0, 0.0), (1.37, 0.0, 0.0), (1.3, 0.0, 6.5), (1.37, 0.0, 6.5),
    (2.6, 60.0, 0.0), (2.75, 60.0, 0.0), (2.6, 60.0, 6.5), (2.75, 60.0, 6.5),
])  # fmt: skip
def test_a_sliding_rod_has_none_one_or_two_motions(mu, off, spin):
    forces = rod_motions(mu, off, spin)
    found = all_motions(sliding_rod(mu, off, spin))
    assert found.status == ("inconsistent", "unique", "finite")[len(forces)]
    seen = sorted(float(piece.motion.forces[0, 2]) for piece in found.pieces)
    np.testing.assert_allclose(seen, sorted(forces), rtol=1e-7, atol=1e-7)


def test_a_velocity_into_the_surface_is_an_impact():
    case = block_on_slope(0.0, 0.5)
    found = hf.motions(*case.question, velocity=[0, 0, -0.1, 0, 0, 0])
    assert found.status == "impact"
    assert not found.pieces


# -- planar cases and continua ------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", nightly_after(25, range(200)))
def test_planar_motions_are_in_the_pieces_of_the_extruded_case(seed):
    planar = random_planar(seed)
    flat = hf.planar.motions(planar.body, planar.contacts, planar.force)
    found = all_motions(extruded(planar))
    for piece in flat.modes.values():
        for x, y, alpha in piece.vertices:
            assert within(found, np.array([x, y, 0, 0, 0, alpha]), 1e-5)
    if flat.status == "unique":
        assert found.status == "unique"


def test_a_slider_pinched_by_an_unknown_force_has_a_continuum_of_motions():
    """A nail between walls with friction on one side of the weight: any squeeze gives another acceleration down."""
    case = HAND_CHECKED["nail between vertical walls"]().case
    found = all_motions(case)
    assert found.status == "continuum"
    down = [piece for piece in found.pieces if piece.lower[2] < -1.0]
    assert min(piece.lower[2] for piece in down) == pytest.approx(-9.81, rel=1e-6)
    for share in (0.0, 0.3, 0.7, 1.0):
        assert within(found, np.array([0, 0, -9.81 * share, 0, 0, 0]))


@pytest.mark.parametrize("seed", [356, 440, 486, 579, 1058, 1109, 1784])
def test_motions_that_a_search_with_few_cells_leaves_open_are_within_the_bounds(seed):
    """Bounds of pieces are outer: they include the cells that are neither excluded nor decided."""
    question = random_case(seed).question
    few, more = (hf.motions(*question, resolution=0.2, method=MotionSearch(node_limit=n)) for n in (1, 1000))
    assert few.open_cells
    other = hf.strong_stability(*question).other_motion
    known = [motion for piece in more.pieces for motion in piece.motions] + [other] * (other is not None)
    for piece in (*few.pieces, *more.pieces):
        for motion in known:
            if not piece.motion.holds and piece.modes == tuple(state.mode for state in motion.states):
                give = 1e-6 * np.abs(motion.acceleration).max()
                assert (piece.lower - give <= motion.acceleration).all()
                assert (motion.acceleration <= piece.upper + give).all()


def test_bounds_do_not_depend_on_the_unit_of_mass():
    """The mass scales the directions of the programs: their tolerances must not see it."""
    case = sliding_block(35.0, 0.5, 20.0).case
    light, heavy = (hf.motions(case.assembly, s * case.load, s * case.mass) for s in (1.0, 1e20))
    for one, other in zip(light.pieces, heavy.pieces, strict=True):
        np.testing.assert_allclose(one.lower, other.lower, rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(one.upper, other.upper, rtol=1e-6, atol=1e-6)
    assert light.verify() and heavy.verify()


def test_tampered_sets_do_not_verify():
    found = all_motions(sliding_block(35.0, 0.5, 20.0).case)
    assert not replace(found, pieces=()).verify()
    (piece,) = found.pieces
    wrong = replace(piece.motion, acceleration=1.01 * piece.motion.acceleration)
    assert not replace(found, pieces=(replace(piece, motions=(wrong,)),)).verify()
    other = type(found.status)("finite")
    assert not replace(found, status=other).verify()
    assert not replace(found, velocity=np.ones(6)).verify()
    assert not replace(found, status="impact", pieces=(), open_cells=0, certificate=None, rest=None).verify()
    assert not replace(found, status="inconsistent", pieces=()).verify()


def test_bad_input_is_refused():
    case = block_on_slope(10.0, 0.5)
    for load, mass, options in (
        (case.load, -case.mass, {}),
        (case.load[:5], case.mass, {}),
        (case.load, case.mass, {"velocity": [0.0]}),
        (case.load, case.mass, {"resolution": 0.0}),
        (case.load, case.mass, {"resolution": np.nan}),
    ):
        with pytest.raises(hf.HoldfastError):
            hf.motions(case.assembly, load, mass, **options)


def test_the_answer_is_plain_data():
    found = all_motions(pinched(5.0, 5.0, weight()))
    data = found.to_dict()
    assert data["status"] == found.status.value
    assert len(data["pieces"]) == len(found.pieces)

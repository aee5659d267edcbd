"""`hf.motion`: cases checked by hand, random ones against the law and all modes, MuJoCo, invariances, bad input."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import holdfast as hf
from holdfast.dynamics import mass_matrix
from holdfast.dynamics.search import MotionSearch
from holdfast.errors import InputError
from tests.dynamics.coulomb_cases import (
    HAND_CHECKED,
    G,
    block_on_slope,
    feet,
    pinched,
    random_case,
    random_mass,
    random_scene,
    rod_motions,
    sliding_block,
    sliding_rod,
    weight,
)
from tests.dynamics.coulomb_referee import Case, Equations, Law, Programs, built, enumerated, faults
from tests.dynamics.coulomb_verdicts import COUNTS, case_of, verdicts
from tests.nightly import nightly_after

#: Largest fault of an answer of the library, as a share of the forces and accelerations at hand.
TOLERANCE = 1e-7


#: Largest share of simulated scenes that the search may leave undecided: rounding decides which. None may be wrong.
UNDECIDED_SCENES = 0.1

#: Limit of the search for simulated scenes, which have up to 12 contacts.
SCENE_LIMITS = MotionSearch(node_limit=3000)


def moved(case: Case, method: MotionSearch | None = None):
    """The library's answer, which must obey the law."""
    found = hf.motion(*case.question, velocity=case.velocity if case.velocity.any() else None, method=method)
    if found.status in ("rests", "moves"):
        worst = faults(case, found)
        assert max(worst.values()) <= TOLERANCE, worst
        assert found.verify()
        assert_states(case, found)
    return found


def assert_states(case: Case, found) -> None:
    """Each contact's state is what its force and its acceleration say."""
    e = Equations(case)
    rows = np.zeros((0, 3 * e.k)) if case.assembly.joints is None else e.joints * e.arm[:, None]
    c = (e.matrix.T @ found.acceleration + e.turning - rows.T @ found.joint_accelerations).reshape(-1, 3)
    fast = max(e.size * e.weight, np.abs(c).max())
    assert len(found.states) == e.k
    for state, acceleration, speed in zip(found.states, c, e.speeds, strict=True):
        if speed[2] > 1e-9 or acceleration[2] > 1e-5 * fast:
            assert state.mode == "separates"
        elif np.abs(speed[:2]).max() > 1e-9 or np.abs(acceleration[:2]).max() > 1e-5 * fast:
            assert state.mode in ("slips", "separates")  # a touch without force may be called either
        else:
            assert state.mode in ("sticks", "separates", "slips")
        if state.mode == "sticks":
            assert np.abs(acceleration).max() <= 1e-5 * fast


# -- by hand --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", HAND_CHECKED)
def test_cases_checked_by_hand(name):
    known = HAND_CHECKED[name]()
    found = moved(known.case)
    status = {"stays": "rests", "may stay": "rests", "moves": "moves", "inconsistent": "inconsistent"}[known.verdict]
    assert found.status == status
    if status == "rests":
        assert not found.acceleration.any()
    elif known.acceleration is not None:
        size = np.abs(known.acceleration).max()
        np.testing.assert_allclose(found.acceleration, known.acceleration, rtol=1e-9, atol=1e-9 * size)


def test_elliptic_friction_deflects_the_block_from_the_line_of_steepest_descent():
    """Slip s (cos b, sin b) with a = s, and force -N (m_x^2 cos b, m_y^2 sin b)/sqrt(m_x^2 cos^2 b + m_y^2 sin^2 b)."""
    case = block_on_slope(40.0, 0.6, 50.0, mu_lateral=0.2)
    found = moved(case)
    a = found.acceleration
    way = a[:2] / np.linalg.norm(a[:2])
    stretched = np.array([0.36, 0.04]) * way
    force = -np.cos(np.radians(40.0)) * stretched / np.sqrt(way @ stretched)
    drive = np.sin(np.radians(40.0)) * np.array([np.cos(np.radians(50.0)), np.sin(np.radians(50.0))])
    np.testing.assert_allclose(a[:2], G * (drive + force), atol=1e-9)
    assert abs(np.degrees(np.arctan2(a[1], a[0])) - 50.0) > 3.0


# -- velocities -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", [0.0, 33.0, 200.0])
def test_friction_opposes_the_velocity_of_a_sliding_block(way):
    case = block_on_slope(10.0, 0.4)
    direction = np.array([np.cos(np.radians(way)), np.sin(np.radians(way)), 0.0])
    found = moved(replace(case, velocity=np.array([*(0.3 * direction), 0, 0, 0])))
    s = np.radians(10.0)
    expected = G * (np.array([np.sin(s), 0, 0]) - 0.4 * np.cos(s) * direction)
    np.testing.assert_allclose(found.acceleration, [*expected, 0, 0, 0], atol=1e-9 * G)


def test_a_ring_that_spins_is_braked_about_its_own_axis():
    """mu g r / (r_g^2), and every point feels its centripetal acceleration."""
    mass = mass_matrix(1.0, np.diag([0.002, 0.002, 0.003]))
    case = built(feet(6), [np.eye(3)] * 6, [Law(0.3)] * 6, weight(), mass, velocity=[0, 0, 0, 0, 0, 5.0])
    found = moved(case)
    np.testing.assert_allclose(found.acceleration, [0, 0, 0, 0, 0, -0.3 * G * 0.05 / 0.003], atol=1e-8)


def test_a_body_that_rocks_over_one_foot_presses_less():
    """A rod on one foot, turning about it without slip: N = m (g - spin^2 h) in the moment it stands upright."""
    com, spin = np.array([0.0, 0.0, 0.2]), 3.0
    mass = mass_matrix(1.0, 0.01 * np.eye(3), com)
    case = built([(0, 0, 0)], [np.eye(3)], [Law(0.8)], weight(1.0, com), mass, velocity=[0, 0, 0, 0, spin, 0])
    found = moved(case)
    np.testing.assert_allclose(found.forces[0], [0, 0, G - spin**2 * 0.2], atol=1e-9)
    np.testing.assert_allclose(found.acceleration, np.zeros(6), atol=1e-9)


def test_an_open_contact_gives_no_force():
    case = block_on_slope(0.0, 0.5)
    found = moved(replace(case, velocity=np.array([0, 0, 0.1, 0, 0, 0])))
    np.testing.assert_allclose(found.acceleration, [0, 0, -G, 0, 0, 0], atol=1e-9)
    assert not found.forces.any()


@pytest.mark.parametrize(("mu", "off"), [(1.3, 0.0), (1.2, 20.0), (2.6, 60.0), (0.3, 0.0)])
@pytest.mark.parametrize("spin", [0.0, 6.5])
def test_a_sliding_rod_has_one_motion_below_the_threshold(mu, off, spin):
    (normal,) = rod_motions(mu, off, spin)
    found = moved(sliding_rod(mu, off, spin))
    assert found.status == "moves"
    np.testing.assert_allclose(found.forces[0, 2], normal, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize(("mu", "off"), [(1.37, 0.0), (2.75, 60.0), (5.0, 30.0)])
def test_a_sliding_rod_has_no_motion_above_the_threshold(mu, off):
    assert not rod_motions(mu, off)
    found = hf.motion(*sliding_rod(mu, off).question, velocity=sliding_rod(mu, off).velocity)
    assert found.status == "inconsistent"
    assert found.verify()


@pytest.mark.parametrize(("mu", "off"), [(1.37, 0.0), (2.75, 60.0)])
def test_a_sliding_rod_that_lifts_off_fast_has_two_motions_above_the_threshold(mu, off):
    found = moved(sliding_rod(mu, off, 6.5))
    assert found.status == "moves"
    assert np.isclose(rod_motions(mu, off, 6.5), found.forces[0, 2], rtol=1e-8, atol=1e-8).any()


def test_a_velocity_into_the_surface_is_an_impact():
    case = block_on_slope(0.0, 0.5)
    found = hf.motion(*case.question, velocity=[0, 0, -0.1, 0, 0, 0])
    assert found.status == "impact"
    assert found.acceleration is None


def sliding_case(seed: int) -> Case:
    """A random case that slides: the velocity keeps every contact touching where that is possible."""
    case = random_case(seed, laws="all")
    normals = Equations(case).matrix[:, 2::3].T
    basis = np.linalg.svd(normals)[2][np.linalg.matrix_rank(normals) :]
    rng = np.random.default_rng([seed, 5])
    return replace(case, velocity=basis.T @ rng.normal(size=len(basis)))


@pytest.mark.parametrize("seed", nightly_after(40, range(300)))
def test_motions_with_a_velocity_agree_with_all_modes(seed):
    case = sliding_case(seed)
    programs = Programs(case, 4)
    possible = [
        (modes, joints, found)
        for modes, joints in programs.combinations()
        if (found := programs.largest(modes, joints, np.zeros(6))) is not None
    ]
    found = moved(case)
    assert found.status != "undecided"
    if found.status == "inconsistent":
        assert not any(programs.exact(m, j, f[1], f[2]) for m, j, f in possible)
    else:
        assert found.status in ("moves", "rests")
        assert possible


# -- random cases against all modes -----------------------------------------------------------------------------


@pytest.mark.parametrize("laws", COUNTS)
def test_random_motions_obey_the_law_and_are_found_where_there_are_any(laws):
    stored = verdicts(laws)
    status = {"stays": "rests", "may stay": "rests", "moves": "moves", "inconsistent": "inconsistent"}
    wrong = []
    for seed, verdict in enumerate(stored):
        found = moved(case_of(laws, seed))
        if verdict is not None and found.status != status[verdict]:
            wrong.append((seed, verdict, found.status.value))
    assert not wrong


@pytest.mark.parametrize("seed", nightly_after(10, range(0, 300, 3)))
def test_a_motion_is_one_of_those_that_all_modes_give(seed):
    case = random_case(seed, 2)
    found = moved(case)
    if found.status != "moves":
        return
    others = enumerated(case, every=True).others
    near = [np.abs(found.acceleration - o.acceleration).max() for o in others]
    # Motions of one mode may be a continuum; then the answer need not be the one that the referee picked.
    size = np.abs(found.acceleration).max()
    assert min(near) <= 1e-6 * size or len({o.modes for o in others}) > 1


@pytest.mark.parametrize("start", nightly_after(1, range(0, 400, 40)))
def test_many_contacts_without_caps_always_have_a_motion(start):
    """Existence at rest: the answer is never "inconsistent", whatever the contacts."""
    for seed in range(start, start + 40):
        found = moved(random_case(seed, 8))
        assert found.status in ("rests", "moves"), seed


# -- MuJoCo ---------------------------------------------------------------------------------------------------------


def assert_simulated(seeds) -> None:
    pytest.importorskip("mujoco", reason="MuJoCo is not installed")
    errors, undecided = [], []
    for seed in seeds:
        scene, mu = random_scene(seed)
        case = scene.case(mu)
        found = moved(case, SCENE_LIMITS)
        if found.status == "undecided":
            undecided.append(seed)
            continue
        assert found.status in ("moves", "rests"), seed
        seconds = 0.02
        seen = 2.0 * scene.displaced(seconds) / seconds**2
        expected = found.acceleration_at(scene.corners())
        errors.append(np.abs(seen - expected).max() / scene.free(case))
    assert len(undecided) <= UNDECIDED_SCENES * len(seeds), undecided
    assert np.median(errors) <= 0.005
    assert np.mean(np.array(errors) <= 0.05) >= 0.9, sorted(errors)[-10:]


def test_mujoco_accelerates_boxes_in_the_same_way():
    assert_simulated(range(60))


@pytest.mark.nightly
def test_mujoco_accelerates_many_boxes_in_the_same_way():
    assert_simulated(range(60, 100))


# -- invariances ----------------------------------------------------------------------------------------------------


def invariance_cases():
    return [sliding_block(35.0, 0.5, 20.0).case, pinched(5.0, 5.0, weight()), *(random_case(s) for s in (0, 3, 6, 12))]


@pytest.mark.parametrize("number", range(6))
@pytest.mark.parametrize("factor", [1e-3, 1e4])
def test_mass_and_load_scale_together(number, factor):
    case = invariance_cases()[number]
    if case.assembly.joints is not None:
        joints = case.assembly.joints
        joints = replace(joints, lower=factor * joints.lower, upper=factor * joints.upper)
        case = replace(case, assembly=hf.Assembly(case.assembly.contacts, joints))
        first = moved(pinched(5.0, 5.0, weight()))
    else:
        first = moved(case)
    second = moved(replace(case, load=factor * case.load, mass=factor * case.mass))
    assert second.status == first.status
    np.testing.assert_allclose(second.acceleration, first.acceleration, atol=1e-7 * G)


# -- bad input, and answers that are tampered with ---------------------------------------------------------------


def bad_inputs():
    case = block_on_slope(10.0, 0.5)
    mass = np.array(case.mass)
    indefinite = mass.copy()
    indefinite[5, 5] = -1.0
    singular = np.diag([1.0, 1.0, 1.0, 1.0, 1.0, 0.0])
    skewed = mass.copy()
    skewed[0, 1] += 1.0
    return {
        "indefinite mass": (case.load, indefinite, None),
        "singular mass": (case.load, singular, None),
        "mass not symmetric": (case.load, skewed, None),
        "mass of wrong shape": (case.load, np.eye(3), None),
        "load of wrong shape": (case.load[:3], mass, None),
        "load not a number": (np.full(6, np.nan), mass, None),
        "infinite load": (np.full(6, np.inf), mass, None),
        "velocity of wrong shape": (case.load, mass, [0.0, 0.0]),
        "velocity not a number": (case.load, mass, [np.nan] * 6),
    }


@pytest.mark.parametrize("name", bad_inputs())
def test_bad_input_is_refused(name):
    load, mass, velocity = bad_inputs()[name]
    assembly = block_on_slope(10.0, 0.5).assembly
    with pytest.raises(hf.HoldfastError):
        hf.motion(assembly, load, mass, velocity=velocity)


@pytest.mark.parametrize("volume", ["peg_in_hole", "gecko_two_way", "cardboard", "dry_adhesive", "gecko"])
def test_volumes_without_a_flow_rule_are_refused_with_a_hint(volume):
    case = block_on_slope(10.0, 0.5)
    contacts = [replace(c, volume=hf.models.create(volume)) for c in case.assembly.contacts]
    with pytest.raises(InputError, match="separation"):
        hf.motion(hf.Assembly(contacts), case.load, case.mass)


def test_no_assembly_is_refused():
    with pytest.raises(hf.HoldfastError):
        hf.motion(None, np.zeros(6), np.eye(6))  # type: ignore[arg-type]


def test_a_body_without_load_rests():
    case = block_on_slope(10.0, 0.5)
    found = moved(replace(case, load=np.zeros(6)))
    assert found.status == "rests"
    assert not found.acceleration.any()


@pytest.mark.parametrize(
    "name", ["block on a steep slope", "block that slides across its grain", "plate torn off magnets"]
)
def test_answers_that_are_tampered_with_do_not_verify(name):
    found = moved(HAND_CHECKED[name]().case)
    size = np.abs(found.acceleration).max()
    tilted = found.acceleration + np.array([1e-3 * size, 0, 0, 0, 0, 0])
    assert not replace(found, acceleration=tilted).verify()
    assert not replace(found, forces=found.forces + 1e-3 * np.abs(found.forces).max()).verify()
    assert not replace(found, forces=2.0 * found.forces).verify()
    rest = replace(found, acceleration=np.zeros(6), status=type(found.status)("rests"))
    assert not rest.verify()
    assert not replace(found, status=type(found.status)("undecided")).verify()


def test_claims_about_another_question_do_not_verify():
    case, push = block_on_slope(20.0, 0.5), np.array([100.0, 0, 0, 0, 0, 0])
    rests, moves = moved(case), moved(block_on_slope(40.0, 0.5))
    assert rests.status == "rests" and moves.status == "moves"
    for wrong in (
        {"wrench": rests.wrench + push}, {"forces": np.full_like(rests.forces, 7.0)}, {"mass_matrix": -rests.mass_matrix},
        {"acceleration": np.full(6, np.nan)}, {"rest": moves.rest}, {"rest": None}, {"velocity": push}, {"velocity": None},
        {"joint_accelerations": np.ones(1)}, {"status": "moves"}, {"status": "impact", "impacts": (0,)},
    ):  # fmt: skip
        assert replace(rests, **wrong).verify() is False, wrong
    for wrong in (
        {"velocity": push}, {"velocity": np.full(6, np.nan)}, {"wrench": moves.wrench[:5]}, {"forces": None},
        {"rest": rests.rest}, {"mass_matrix": 2.0 * moves.mass_matrix}, {"status": "inconsistent"}, {"impacts": (0,)},
    ):  # fmt: skip
        assert replace(moves, **wrong).verify() is False, wrong
    moves.forces[:] = 7.0  # in place, after its residuals were read
    assert moves.verify() is False


def test_a_motion_that_lifts_off_the_slope_is_found_out():
    """What least acceleration gives: the block leaves the slope at right angles to the cone."""
    case = block_on_slope(40.0, 0.5)
    lifted = hf.separation(*case.question)
    found = moved(case)
    assert not replace(found, acceleration=lifted.acceleration, forces=lifted.forces).verify()
    assert max(faults(case, replace(found, acceleration=lifted.acceleration, forces=lifted.forces)).values()) > 0.01


def test_the_answer_is_plain_data_and_words():
    found = moved(sliding_block(40.0, 0.5, 0.0).case)
    data = found.to_dict()
    assert data["status"] == "moves"
    np.testing.assert_allclose(data["acceleration"], found.acceleration)
    assert isinstance(found.description, str)
    assert len(data["contacts"]) == 4
    still = moved(block_on_slope(20.0, 0.5))
    assert still.to_dict()["status"] == "rests"
    np.testing.assert_allclose(still.acceleration_at(np.ones((2, 3))), 0.0)


def test_random_masses_are_positive_definite():
    rng = np.random.default_rng(0)
    assert all(np.linalg.eigvalsh(random_mass(rng)).min() > 0.0 for _ in range(20))

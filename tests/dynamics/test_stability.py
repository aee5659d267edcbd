"""`hf.strong_stability`: cases checked by hand, all modes, planar cases, MuJoCo, certificates, invariances."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace

import numpy as np
import pytest

import holdfast as hf
from holdfast.dynamics.search import MotionSearch
from holdfast.errors import InputError
from tests.dynamics.coulomb_cases import (
    HAND_CHECKED,
    block_on_slope,
    extruded,
    pinched,
    random_case,
    random_planar,
    random_scene,
)
from tests.dynamics.coulomb_certificates import proven_to
from tests.dynamics.coulomb_referee import (
    STILL,
    Answer,
    Case,
    Equations,
    Programs,
    by_binaries,
    can_rest,
    enumerated,
    faults,
)
from tests.dynamics.coulomb_verdicts import COUNTS, case_of, letter, verdicts
from tests.nightly import nightly_after

#: Largest share of cases that the search may leave undecided: rounding decides which. None may be wrong.
UNDECIDED = {"round": 0.03, "all": 0.03, "joints": 0.05, "planar": 0.02, "scenes": 0.2}

#: Limit of the search for simulated scenes, which have up to 12 contacts.
SCENE_LIMITS = MotionSearch(node_limit=3000)


def judged(case: Case, method: MotionSearch | None = None):
    """The library's verdict; what it shows with it must obey the law."""
    found = hf.strong_stability(*case.question, method=method)
    if found.status != "undecided":
        assert found.verify()
    if found.status in ("stays", "may stay"):
        assert found.rest is not None
        rest = found.rest.forces
        joints = case.assembly.joints
        still = faults(case, Answer(np.zeros(6), rest, np.zeros(0 if joints is None else len(joints))))
        assert max(still.values()) <= 1e-8, still
    if found.status in ("may stay", "moves"):
        other = found.other_motion
        worst = faults(case, other)
        assert max(worst.values()) <= 1e-7, worst
        x = np.linalg.cholesky(case.mass).T @ other.acceleration
        e = Equations(case)
        assert np.linalg.norm(x) + np.abs(other.joint_accelerations).sum() > 1e-7 * e.size
    return found


# -- by hand, and by all modes -------------------------------------------------------------------------------------


@pytest.mark.parametrize("laws", COUNTS)
def test_random_cases_agree_with_all_modes(laws):
    stored = verdicts(laws)
    known = [verdict for verdict in stored if verdict is not None]
    assert len(known) >= 0.95 * len(stored)
    wrong, undecided = [], []
    for seed, verdict in enumerate(stored):
        found = judged(case_of(laws, seed))
        if found.status == "undecided":
            undecided.append(seed)
        elif verdict not in (None, found.status):
            wrong.append((seed, verdict, found.status.value))
    assert not wrong
    assert len(undecided) <= UNDECIDED[laws] * len(stored), undecided


def test_the_stored_verdicts_cover_every_answer_and_at_least_500_cases():
    stored = [verdict for laws in COUNTS for verdict in verdicts(laws)]
    assert sum(verdict is not None for verdict in stored) >= 500
    assert all(stored.count(verdict) >= 60 for verdict in ("stays", "may stay", "moves"))
    assert stored.count("inconsistent") >= 1


@pytest.mark.parametrize("laws", COUNTS)
@pytest.mark.parametrize("start", nightly_after(1, range(0, 420, 30)))
def test_the_stored_verdicts_are_those_of_the_referee(laws, start):
    stored = verdicts(laws)
    seeds = range(start, min(start + 30, len(stored)))
    if start == 0:
        seeds = range(0, 30, 6)
    names = {"s": "stays", "b": "may stay", "m": "moves", "i": "inconsistent", "?": None}
    assert [names[letter(case_of(laws, seed))] for seed in seeds] == [stored[seed] for seed in seeds]


@pytest.mark.parametrize("seed", nightly_after(4, range(60)))
def test_four_contacts_agree_with_all_modes(seed):
    case = random_case(seed, 4, laws="all")
    verdict = enumerated(case).verdict
    assert verdict is None or judged(case).status == verdict


@pytest.mark.parametrize("seed", nightly_after(12, range(200)))
def test_binaries_give_the_same_enclosure_as_all_modes(seed):
    """One mixed-integer program over the arcs that the referee starts with."""
    case = random_case(seed)
    programs = Programs(case, 4)
    best = [programs.largest(modes, joints, programs.e.x0) for modes, joints in programs.combinations()]
    value = max((found[0] for found in best if found is not None), default=-np.inf)
    assert by_binaries(case, 4) == pytest.approx(value, abs=1e-5)
    if value <= STILL:
        assert judged(case).status in ("stays", "inconsistent")


# -- certificates ---------------------------------------------------------------------------------------------------


def assert_proven(case: Case) -> None:
    """The certificate excludes every other motion with forces up to 1000 times the load."""
    found = judged(case)
    if found.certificate is not None:
        assert proven_to(case, found) >= 1e3


@pytest.mark.parametrize("name", [n for n, make in HAND_CHECKED.items() if make().verdict in ("stays", "inconsistent")])
def test_certificates_of_cases_checked_by_hand_are_proofs(name):
    found = judged(HAND_CHECKED[name]().case)
    assert found.certificate is not None
    assert_proven(HAND_CHECKED[name]().case)


@pytest.mark.parametrize("laws", COUNTS)
@pytest.mark.parametrize("start", nightly_after(1, range(0, 420, 60)))
def test_certificates_of_random_cases_are_proofs(laws, start):
    for seed in range(start, min(start + 60, COUNTS[laws])):
        assert_proven(case_of(laws, seed))


@pytest.mark.parametrize("count", [4, *nightly_after(0, [8, 12])])
def test_certificates_of_blocks_with_many_contacts_are_proofs(count):
    case = block_on_slope(20.0, 0.5, 17.0, count)
    assert judged(case).status == "stays"
    assert_proven(case)


def test_answers_that_are_tampered_with_do_not_verify():
    case = block_on_slope(20.0, 0.5)
    found = judged(case)
    steep = block_on_slope(35.0, 0.5)
    moving = judged(steep)
    tree = found.certificate.tree

    def with_tree(**changed):
        return replace(found, certificate=replace(found.certificate, tree=replace(tree, **changed)))

    status = type(found.status)
    assert with_tree().verify()
    assert not replace(found, certificate=None).verify()
    assert not with_tree(multipliers=np.zeros_like(tree.multipliers)).verify()
    assert not with_tree(multipliers=-tree.multipliers).verify()
    assert not with_tree(branch=tree.branch[:-1]).verify()
    assert not with_tree(branch=np.full(1, -1)).verify()
    assert not with_tree(moving=False).verify()
    assert not replace(found, status=status("moves")).verify()
    assert not replace(found, status=status("may stay")).verify()
    assert not replace(found, status=status("inconsistent")).verify()
    assert not replace(moving, status=status("stays"), rest=found.rest).verify()
    assert not replace(moving, status=status("stays"), rest=found.rest, certificate=found.certificate).verify()
    assert not replace(moving, other_motion=None).verify()


def test_an_answer_to_another_question_does_not_verify():
    found = judged(block_on_slope(20.0, 0.5))
    steep = block_on_slope(35.0, 0.5)
    assert not replace(found, wrench=steep.load).verify()
    assert not replace(found, assembly=block_on_slope(20.0, 0.1).assembly).verify()


# -- planar cases ---------------------------------------------------------------------------------------------------


def assert_planar(seeds) -> None:
    wrong, undecided, seen = [], [], []
    for seed in seeds:
        planar = random_planar(seed)
        verdict = planar.verdict
        seen.append(verdict)
        found = judged(extruded(planar))
        if found.status == "undecided":
            undecided.append(seed)
        elif found.status != verdict:
            wrong.append((seed, verdict, found.status.value))
    assert not wrong
    assert len(undecided) <= UNDECIDED["planar"] * len(seen), undecided
    assert {"stays", "may stay", "moves"} <= set(seen)


def test_extruded_planar_cases_have_the_planar_verdicts():
    assert_planar(range(150))


@pytest.mark.nightly
def test_many_extruded_planar_cases_have_the_planar_verdicts():
    assert_planar(range(150, 1500))


# -- MuJoCo ---------------------------------------------------------------------------------------------------------


def simulated(seeds) -> dict[str, list[float]]:
    """Largest displacement of a corner after 0.1 s as a share of the free one, by verdict."""
    pytest.importorskip("mujoco", reason="MuJoCo is not installed")
    found: dict[str, list[float]] = {}
    for seed in seeds:
        scene, mu = random_scene(seed)
        case = scene.case(mu)
        seconds = 0.1
        share = np.linalg.norm(scene.displaced(seconds), axis=1).max() / (0.5 * scene.free(case) * seconds**2)
        status = judged(case, SCENE_LIMITS).status
        found.setdefault(status.value, []).append(float(share))
    return found


def assert_simulated(found: dict[str, list[float]]) -> None:
    assert set(found) <= {"stays", "may stay", "moves", "undecided"}
    assert len(found.get("undecided", ())) <= UNDECIDED["scenes"] * sum(map(len, found.values()))
    assert max(found["stays"]) <= 1e-3  # strong implies that it rests
    assert min(found["moves"]) >= 1e-2  # not even weakly stable implies that it moves


def test_mujoco_rests_where_rest_is_the_only_motion_and_moves_where_it_is_none():
    assert_simulated(simulated(range(20)))


@pytest.mark.nightly
def test_mujoco_agrees_on_many_scenes():
    assert_simulated(simulated(range(20, 100)))


# -- invariances ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [1, 4, 7, 10])
def test_a_contact_that_is_listed_twice_changes_nothing(seed):
    case = random_case(seed)
    first = judged(case).status
    twice = replace(
        case,
        assembly=hf.Assembly([*case.assembly.contacts, case.assembly.contacts[0]]),
        laws=(*case.laws, case.laws[0]),
    )
    assert judged(twice).status == first


# -- bad input ------------------------------------------------------------------------------------------------------


def test_bad_input_is_refused():
    case = block_on_slope(10.0, 0.5)
    for load, mass in (
        (case.load, -case.mass),
        (case.load, np.eye(5)),
        (case.load[:5], case.mass),
        (np.full(6, np.nan), case.mass),
        (case.load, np.full((6, 6), np.nan)),
    ):
        with pytest.raises(hf.HoldfastError):
            hf.strong_stability(case.assembly, load, mass)
    with pytest.raises(hf.HoldfastError):
        hf.strong_stability(None, case.load, case.mass)  # type: ignore[arg-type]


@pytest.mark.parametrize("volume", ["peg_in_hole", "gecko_two_way", "cardboard", "dry_adhesive"])
def test_measured_volumes_are_refused_with_a_hint(volume):
    case = block_on_slope(10.0, 0.5)
    contacts = [replace(c, volume=hf.models.create(volume)) for c in case.assembly.contacts]
    with pytest.raises(InputError, match="separation"):
        hf.strong_stability(hf.Assembly(contacts), case.load, case.mass)


def test_a_body_without_load_stays():
    case = block_on_slope(10.0, 0.5)
    assert judged(replace(case, load=np.zeros(6))).status == "stays"


def test_a_ball_without_load_between_a_wall_and_a_driven_finger_stays():
    case = pinched(15.0, 15.0, np.zeros(6))
    assert can_rest(case)
    assert judged(case).status == "stays"


def test_a_volume_is_deleted_after_the_question():
    cone = hf.models.coulomb(0.5, side="outer")  # whether it rests is decided with polygons of both sides
    contacts = [hf.Contact([x, y, 0.0], np.eye(3), cone) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
    assert hf.strong_stability(hf.Assembly(contacts), [1.0, 0.0, -10.0, 0.0, 0.0, 0.0], np.eye(6)).status == "stays"
    gone = weakref.ref(cone)
    del cone, contacts
    gc.collect()
    assert gone() is None

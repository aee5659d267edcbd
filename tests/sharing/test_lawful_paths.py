"""Paths obey the model whatever the axes, order and units of the question, and their proof derives every claim."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError
from holdfast.sharing import SharingStatus, kernels, stiffness_sensitivity
from holdfast.sharing.description import verdict, verdict_line
from tests.nightly import nightly_after
from tests.sharing.referee import random_convex, random_rotation

SAME = 1e-6


def moved(wrench: Any, rotation: np.ndarray, shift: Any = (0.0, 0.0, 0.0)) -> np.ndarray:
    """A wrench about the origin, turned and then shifted with the world."""
    force, torque = rotation @ np.asarray(wrench)[:3], rotation @ np.asarray(wrench)[3:]
    return np.concatenate([force, torque + np.cross(shift, force)])


# -- a motion that presses an open contact is no collapse ----------------------------------------------------------


TILTED = (
    ((-0.01, -0.09, 0.19), (-0.6266, 0.1625, 0.7622), (0.0623, -0.9644, 0.2568), 1.15),
    ((-0.1, 0.02, -0.02), (0.177, -0.5969, 0.7826), (-0.0211, 0.7927, 0.6093), 0.4424),
    ((0.0, 0.11, 0.02), (0.0596, 0.6926, 0.7188), (0.9074, 0.2625, -0.3282), 0.4084),
)


def tilted_feet(angle: float) -> Any:
    """Three feet on tilted surfaces under a weight, in a world that is turned."""
    turn = hf.rotation_about((1, 2, 3), angle)
    contacts = [
        hf.Contact(turn @ place, turn @ hf.frame_from_normal(normal, along), hf.models.coulomb(mu, facets=8))
        for place, normal, along, mu in TILTED
    ]
    weight = moved((0, 0, -14.8, -0.16647, 0.04711, 0), turn)
    stiffness = ((4496.0, 535.0), (3666.0, 3952.0), (1042.0, 4294.0))
    return hf.load_sharing(hf.Assembly(contacts), moved((-1, 0, 0, 0, 0, 0), turn), stiffness, base=weight, rule="slip")


@pytest.mark.parametrize("angle", [0.0, 0.5, 2.5])
def test_feet_without_preload_carry_a_weight_in_every_world(angle):
    """The forces under the weight are near those of springs with radial return on the same cones, in one step from zero."""
    found = tilted_feet(angle)
    assert found.verify() and found.peak == pytest.approx(2.73478, rel=1e-5)
    expected = [(0.850, 0.584, 5.113), (0.968, -2.230, 5.946), (-1.623, -1.484, 5.478)]
    assert found.forces(0.0, frame="contact") == pytest.approx(np.array(expected), abs=0.1)


@pytest.mark.parametrize("preload", [1e-6, 1.0])
@pytest.mark.parametrize("angle", [0.0, 0.7, 2.1])
def test_a_preload_that_relaxes_to_nothing_changes_nothing(preload, angle):
    """Three parallel normals without a load: any equal preload relaxes to zero."""
    turn = hf.rotation_about((1, -2, 0.5), angle)
    cup, foot = hf.models.suction(vacuum=40.0, mu=0.35), hf.models.coulomb(0.6)
    places = ((0, 0.1, 0), (-0.09, -0.05, 0), (0.09, -0.05, 0))
    contacts = [hf.Contact(turn @ p, turn, v) for p, v in zip(places, (foot, cup, cup), strict=True)]
    found = hf.load_sharing(hf.Assembly(contacts), moved((1, 0, 0, 0, 0, 0), turn), preload=preload, rule="brittle")
    assert found.verify()
    assert found.first_failure == pytest.approx(24.086933, rel=1e-6) == found.peak


def ductile_cases() -> list[dict[str, Any]]:
    return json.loads((Path(__file__).parent / "ductile_preload.json").read_text())


@pytest.mark.parametrize("case", ductile_cases(), ids=lambda case: case["name"])
def test_contacts_at_a_corner_flow_while_the_preload_grows(case):
    contacts = [
        hf.Contact(np.array(p), np.array(r), hf.ForceVolume([np.array(v)]))
        for p, r, v in zip(case["positions"], case["rotations"], case["volumes"], strict=True)
    ]
    given = {"stiffness": np.array(case["stiffness"]), "preload": np.array(case["preload"]), "base": case["base"]}
    found = hf.load_sharing(hf.Assembly(contacts), case["load"], **given, rule="ductile")
    assert found.verify()
    assert found.peak == pytest.approx(found.limit.value, rel=1e-6)


def flat_feet(seed: int, rule: str, angle: float = 0.0) -> Any:
    """Feet in one plane with an unequal preload, under a weight above their middle."""
    rng, turn = np.random.default_rng(seed), hf.rotation_about((1, 2, 3), angle)
    places = np.column_stack(
        [0.1 * np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]) * rng.uniform(0.5, 1.0, (4, 2)), 4 * [0.0]]
    )
    contacts = [hf.Contact(turn @ p, turn, hf.models.coulomb(0.6, facets=8)) for p in places]
    preload = np.column_stack([np.zeros((4, 2)), rng.uniform(0.5, 3.0, 4)])
    stiffness = 10.0 ** rng.uniform(2.5, 4.0, (4, 2))
    weight, push = moved((0, 0, -10.4, 0, 0, 0), turn), moved((1, 0, 0, 0, 0, 0), turn)
    return hf.load_sharing(hf.Assembly(contacts), push, stiffness, preload, weight, rule)


@pytest.mark.parametrize("rule", ["brittle", "slip", "ductile"])
@pytest.mark.parametrize("seed", nightly_after(3, range(100)))
def test_feet_with_an_unbalanced_preload_carry_the_weight_above_them(seed, rule):
    here, there = flat_feet(seed, rule), flat_feet(seed, rule, 1.3)
    assert here.verify() and there.verify()
    assert here.status is not SharingStatus.FAILS_AT_BASE
    assert there.peak == pytest.approx(here.peak, rel=SAME)
    assert (here.forces(0.0, frame="contact")[:, 2] >= -1e-9).all()
    assert here.forces(0.0)[:, 2].sum() == pytest.approx(10.4)


def test_the_proof_refuses_a_collapse_that_presses_an_open_contact():
    """A pad under a board that hinges about two others; said to collapse although its motion closes that pad."""
    found = hf.load_sharing(three_feet(), (0, 0, -1, 0.2, 0, 0), (1e4, 1e4), base=(0, 0, -5.0, 0, 0, 0), rule="slip")
    assert found.verify() and found.status is SharingStatus.COLLAPSES and found.mechanism is not None
    speeds = (found.problem.maps @ found.mechanism)[:, 2]
    opened = found.path.mode[-1] == kernels.OPEN
    assert opened.any() and (speeds[opened] <= 1e-9 * np.abs(speeds).max()).all()
    assert not dataclasses.replace(found, mechanism=-found.mechanism).verify()


def three_feet() -> hf.Assembly:
    places = ((-0.1, -0.1, 0.0), (0.1, -0.1, 0.0), (0.0, 0.1, 0.0))
    return hf.Assembly([hf.Contact(np.array(p), np.eye(3), hf.models.coulomb(0.5, facets=8)) for p in places])


# -- paths that are not the only one ---------------------------------------------------------------------------------


def walls(rules: list[str], *, mirrored: bool = False) -> Any:
    """Two opposite walls without a preload, and a load along them."""
    volume = hf.models.coulomb(0.5, facets=8, cap=50.0)
    sides = (((0.1, 0, 0), (-1, 0, 0)), ((-0.1, 0, 0), (1, 0, 0)))[:: -1 if mirrored else 1]
    contacts = [hf.Contact(np.array(p), hf.frame_from_normal(n, (0, 0, 1)), volume) for p, n in sides]
    return hf.load_sharing(hf.Assembly(contacts), (0, 1.0, 0, 0, 0, 0), (4000.0, 4000.0), rule=rules)


def test_mirror_images_have_the_same_peak_or_are_said_not_to_be_unique():
    answers = [walls(["ductile", "slip"]), walls(["slip", "ductile"]), walls(["slip", "ductile"], mirrored=True)]
    assert all(found.verify() for found in answers)
    assert len({found.peak for found in answers}) == 1 or not all(found.unique for found in answers)


def test_a_path_that_is_not_unique_says_so():
    found = next(a for a in (walls(["ductile", "slip"]), walls(["slip", "ductile"])) if not a.unique)
    reached = {round(path.peak, 6) for path in found.other_paths} | {round(found.peak, 6)}
    assert reached == {0.0, 50.0}
    assert verdict(found) == "undecided"
    assert "not unique" in verdict_line(found) and "not unique" in found.bracket
    assert not found.to_dict()["unique"] and found.to_dict()["other_paths"]


def test_a_path_without_a_choice_is_unique():
    found = tilted_feet(0.0)
    assert found.unique and found.to_dict()["other_paths"] == [] and "not unique" not in found.bracket


# -- invariance ----------------------------------------------------------------------------------------------------


RULES = ("brittle", "slip", "ductile", "mixed")


@dataclasses.dataclass(frozen=True)
class Question:
    """Arguments of `load_sharing`, to be written in other forms."""

    positions: np.ndarray
    rotations: np.ndarray
    volumes: tuple[hf.ForceVolume, ...]
    stiffness: np.ndarray
    preload: np.ndarray
    base: np.ndarray
    load: np.ndarray
    rules: tuple[str, ...]

    def answer(self) -> Any:
        parts = zip(self.positions, self.rotations, self.volumes, strict=True)
        assembly = hf.Assembly([hf.Contact(p, r, v) for p, r, v in parts])
        return hf.load_sharing(assembly, self.load, self.stiffness, self.preload, self.base, list(self.rules))

    def turned(self, rng: np.random.Generator) -> Question:
        turn, shift = random_rotation(rng), rng.normal(size=3)
        return dataclasses.replace(
            self,
            positions=self.positions @ turn.T + shift,
            rotations=turn @ self.rotations,
            base=moved(self.base, turn, shift),
            load=moved(self.load, turn, shift),
        )

    def permuted(self, rng: np.random.Generator) -> Question:
        order = rng.permutation(len(self.rules))
        arrays = {n: getattr(self, n)[order] for n in ("positions", "rotations", "stiffness", "preload")}
        listed = {n: tuple(getattr(self, n)[i] for i in order) for n in ("volumes", "rules")}
        return dataclasses.replace(self, **arrays, **listed)

    def in_units(self, force: float, length: float) -> Question:
        scale = force * np.array([1.0, 1.0, 1.0, length, length, length])
        return dataclasses.replace(
            self,
            positions=length * self.positions,
            volumes=tuple(volume.scaled(force) for volume in self.volumes),
            stiffness=force / length * self.stiffness,
            preload=force * self.preload,
            base=scale * self.base,
            load=scale * self.load,
        )


def question(seed: int, rule: str) -> Question:
    """Three to six feet, cups and convex pads, with and without preload and base load."""
    rng = np.random.default_rng([seed, RULES.index(rule)])
    k = int(rng.integers(3, 7))

    def volume() -> hf.ForceVolume:
        kind = int(rng.integers(4))
        if kind == 0:
            return hf.models.suction(vacuum=rng.uniform(10.0, 40.0), mu=rng.uniform(0.2, 0.6))
        if kind == 1:
            return random_convex(rng, 20.0)
        cap = rng.uniform(20.0, 60.0) if kind == 2 else None
        return hf.models.coulomb(rng.uniform(0.3, 1.2), facets=8, cap=cap)

    volumes = tuple(volume() for _ in range(k))
    normals = np.array([0.0, 0.0, 1.0]) + 0.3 * rng.normal(size=(k, 3))
    pair = 10.0 ** rng.uniform(2.5, 4.0, (k, 2))
    preload = np.zeros((k, 3))
    if seed % 3:
        preload[:, 2] = rng.uniform(1.0, 5.0, k)
        preload[:, :2] = rng.normal(size=(k, 2)) * (seed % 3 - 1)
        for force, each in zip(preload, volumes, strict=True):
            while not each.contains(force):
                force *= (0.5, 0.5, 0.9)
    base = np.zeros(6)
    if seed % 2:
        base = np.concatenate([[0.0, 0.0, -rng.uniform(5.0, 20.0)], 0.2 * rng.normal(size=2), [0.0]])
    return Question(
        positions=0.1 * rng.normal(size=(k, 3)),
        rotations=np.array([hf.frame_from_normal(n, rng.normal(size=3)) for n in normals]),
        volumes=volumes,
        stiffness=np.array([np.diag([t, t, n]) for n, t in pair]),
        preload=preload,
        base=base,
        load=rng.normal(size=6) * [1.0, 1.0, 1.0, 0.1, 0.1, 0.1],
        rules=tuple(str(r) for r in rng.choice(RULES[:3], k)) if rule == "mixed" else (rule,) * k,
    )


#: Questions in which no rates are found: the answer is "undecided" in every form, and proves nothing.
WITHOUT_RATES = {(76, "ductile")}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("seed", nightly_after(4, range(500)))
def test_the_axes_the_order_and_the_units_change_no_answer(seed, rule):
    asked = question(seed, rule)
    rng = np.random.default_rng(seed)
    here = asked.answer()
    if (seed, rule) in WITHOUT_RATES:
        assert here.status is SharingStatus.UNDECIDED and not here.verify()
        return
    assert here.verify()
    for other in (asked.turned(rng), asked.permuted(rng), asked.in_units(1e3, 1.0), asked.in_units(1.0, 1e3)):
        there = other.answer()
        assert there.verify()
        if here.unique and there.unique:
            assert there.peak == pytest.approx(here.peak, rel=SAME, abs=1e-9)
            assert there.first_failure == pytest.approx(here.first_failure, rel=SAME, abs=1e-9)


# -- the proof -----------------------------------------------------------------------------------------------------


def plate(**options: Any) -> Any:
    cup = hf.models.suction(45.0, 0.5, cap=200.0)
    contacts = [hf.Contact([x, y, 0.0], np.eye(3), cup) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
    return hf.load_sharing(hf.Assembly(contacts), (0, 0, 1, 0, 0.05, 0), (8000.0, 2400.0), **options)


@pytest.mark.parametrize(
    "change",
    [
        {"status": SharingStatus.UNLIMITED},
        {"status": SharingStatus.UNLIMITED, "peak": np.inf},
        {"status": SharingStatus.UNLIMITED, "peak": np.inf, "mechanism": None},
        {"status": SharingStatus.FAILS_AT_BASE, "peak": -np.inf},
        {"status": SharingStatus.HOLDS_THROUGHOUT},
        {"status": SharingStatus.HOLDS_THROUGHOUT, "mechanism": None},
        {"status": SharingStatus.UNSTABLE, "mechanism": None},
        {"peak": np.inf},
        {"mechanism": None},
        {"mechanism": np.zeros(6)},
        {"mechanism": np.zeros(3)},
        {"first_failure": 0.0},
        {"first_failure": np.nan},
        {"peak": np.nan},
        {"until": 1.0},
        {"rules": ("ductile",) * 4},
        {"rules": ("glue",) * 4},
        {"base": np.array([0.0, 0, -1, 0, 0, 0])},
    ],
    ids=str,
)
@pytest.mark.parametrize("rule", ["brittle", "slip"])
def test_the_proof_refuses_another_claim_about_a_collapse(rule, change):
    found = plate(rule=rule)
    assert found.status is SharingStatus.COLLAPSES and found.verify()
    assert not dataclasses.replace(found, **change).verify()


def test_the_proof_refuses_another_claim_about_a_path_that_was_stopped():
    found = plate(until=3.0)
    assert found.status is SharingStatus.HOLDS_THROUGHOUT and found.verify()
    for change in ({"until": 1000.0}, {"first_failure": 1.0}, {"peak": 3.1}, {"status": SharingStatus.COLLAPSES}):
        assert not dataclasses.replace(found, **change).verify(), change


def test_the_proof_refuses_another_claim_about_a_base_load():
    found = plate(base=(0, 0, 500.0, 0, 0, 0))
    assert found.status is SharingStatus.FAILS_AT_BASE and found.verify()
    for change in (
        {"status": SharingStatus.UNLIMITED, "peak": np.inf},
        {"status": SharingStatus.HOLDS_THROUGHOUT, "peak": 7.0},
        {"base": np.array([0.0, 0.0, 10.0, 0.0, 0.0, 0.0])},
        {"peak": 0.0},
    ):
        assert not dataclasses.replace(found, **change).verify(), change


def test_the_proof_refuses_paths_of_another_shape_or_with_unknown_states():
    found = plate()
    path = found.path
    changes = [
        {"force": path.force[:-1]},
        {"mode": path.mode + 7},
        {"stage": path.stage + 1},
        {"flow": path.flow + 10_000},
        {"piece": path.piece + 1},
        {"gap": np.full_like(path.gap, np.nan)},
    ]
    for change in changes:
        assert not dataclasses.replace(found, path=path._replace(**change)).verify(), change
    for name in ("load", "stiffness", "rule"):
        changed = found.problem._replace(**{name: getattr(found.problem, name) + 1})
        assert not dataclasses.replace(found, problem=changed).verify(), name


# -- loads of extreme size, and derivatives --------------------------------------------------------------------------


def test_loads_beyond_any_number_are_refused_and_large_ones_answered():
    with pytest.raises(InputError, match="base"):
        hf.load_sharing(three_feet(), (1, 0, 0, 0, 0, 0), (1e3, 1e3), base=(0, 0, -10, 0, 0, 1e300), until=5.0)
    once = hf.load_sharing(three_feet(), (1, 0, 0, 0, 0, 0), (1e3, 1e3), base=(0, 0, -10, 0, 0, 0), rule="slip")
    for size in (1e-20, 1e20):
        base = (0, 0, -10 * size, 0, 0, 0)
        found = hf.load_sharing(three_feet(), (1, 0, 0, 0, 0, 0), (1e3, 1e3), base=base, rule="slip")
        assert found.verify() and found.peak == pytest.approx(size * once.peak, rel=1e-9)


def test_a_jaw_at_its_limit_from_the_start_has_no_derivative():
    """One torque row drives the jaw with 0 to 0.1 N: the contacts slip at once, and no stiffness helps."""
    foot = hf.models.coulomb(0.5, facets=8, cap=60.0)
    contacts = [
        hf.Contact([0.03 * side, 0.0, z], hf.frame_from_normal([-side, 0, 0], [0, 0, 1]), foot)
        for side in (-1.0, 1.0)
        for z in (-0.01, 0.01)
    ]
    jacobian = np.zeros((1, 12))
    jacobian[0, [0, 3]] = 1.0
    jaw = hf.Assembly(contacts, hf.JointRows(jacobian, [-1.0], [1.0], ("jaw",)))
    found = hf.load_sharing(jaw, (0, 0, -5, 0, 0, 0), (1e4, 8e3), rule="ductile")
    assert found.first_failure == 0.0 and found.peak > 0.0 and found.verify()
    with pytest.raises(InputError, match="from the start"):
        stiffness_sensitivity(found)

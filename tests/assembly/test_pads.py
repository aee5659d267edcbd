"""Pads of uniform pressure: torsion, shear and both against integrals over the surface, and every kind of question."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from scipy.optimize import linprog, minimize

import holdfast as hf
from holdfast.assembly.contacts import free_pads
from holdfast.errors import InputError

MU, FACETS = 0.6, 64
VOLUME = hf.models.coulomb(MU, facets=FACETS)
CONE = 1.0 - np.cos(np.pi / FACETS)  # relative error of the cones
CIRCLE = 0.03 * np.column_stack([np.cos(t := np.linspace(0, 2 * np.pi, 64, endpoint=False)), np.sin(t)])


def outline(lx: float, ly: float) -> np.ndarray:
    return np.array([(-lx, -ly), (lx, -ly), (lx, ly), (-lx, ly)]) / 2.0


SHAPES = {
    "square": outline(0.04, 0.04),
    "2 to 1": outline(0.04, 0.02),
    "3 to 1": outline(0.02, 0.06),
    "4 to 1": outline(0.04, 0.01),
    "strip": outline(0.08, 0.002),
    "circle": CIRCLE,
    "triangle": np.array([(0.0, 0.0), (0.04, 0.0), (0.01, 0.03)]),
}

#: Most by which the torsion and shear of the points may be below those of the surface, and above them.
BELOW = {"strip": 0.06, "triangle": 0.04}
ABOVE = {"triangle": 0.015}


def pad(corners: np.ndarray, **options) -> hf.Assembly:
    return hf.Assembly(hf.Patch.polygon(hf.Pose.identity(), corners, VOLUME, **options).contacts)


def surface(corners: np.ndarray, n: int = 400) -> np.ndarray:
    """Points of a fine grid on the surface, from its centroid."""
    from shapely import Polygon, contains_xy

    low, high = corners.min(axis=0), corners.max(axis=0)
    x, y = (low[i] + (np.arange(n) + 0.5) / n * (high[i] - low[i]) for i in (0, 1))
    points = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    points = points[contains_xy(Polygon(corners), points[:, 0], points[:, 1])]
    return points - points.mean(axis=0)


def most(assembly: hf.Assembly, push: float, load: Sequence[float], at: np.ndarray) -> float:
    """The largest multiple of a load on what is pressed on the pad with `push`, at the point `at`."""
    moved = np.array(load, float)
    moved[3:] += np.cross(at, moved[:3])
    weight = np.concatenate([[0, 0, -push], np.cross(at, [0, 0, -push])])
    ramp = hf.load_ramp(assembly, weight, moved)
    assert ramp.verify()
    return ramp.value


@pytest.mark.parametrize("name", SHAPES)
def test_a_pad_carries_the_shear_and_torsion_of_uniform_pressure(name: str) -> None:
    """Sliding about a centre of rotation c the pad resists with mu p (x - c) / |x - c|: its limit surface, by integrals."""
    corners, push = SHAPES[name], 12.0
    points, assembly = surface(corners), pad(corners)
    centre = np.append(assembly.positions[:, :2].T @ [c.share for c in assembly.contacts], 0.0)
    size = np.linalg.norm(points, axis=1).mean()
    median = minimize(lambda c: np.linalg.norm(points - c, axis=1).mean(), np.zeros(2)).fun  # turns without shear
    tolerance = CONE + (0.01 if name == "triangle" else 1e-3)
    assert most(assembly, push, (0, 0, 0, 0, 0, 1), centre) == pytest.approx(MU * push * median, rel=tolerance)
    for x, y in ((0.3, 0.1), (1.0, -0.2), (0.5, 1.2), (-0.1, 2.5), (3.0, 3.0)):
        arms = points - size * np.array([x, y])
        pull = MU * push * np.column_stack([arms[:, 1], -arms[:, 0]]) / np.linalg.norm(arms, axis=1)[:, None]
        force, torque = pull.mean(axis=0), (points[:, 0] * pull[:, 1] - points[:, 1] * pull[:, 0]).mean()
        share = most(assembly, push, (*force, 0, 0, 0, torque), centre)
        assert 1.0 - BELOW.get(name, 0.02) - CONE < share < 1.0 + ABOVE.get(name, 0.002)
    assert most(assembly, push, (1, 0, 0, 0, 0, 0), centre) == pytest.approx(MU * push, rel=CONE)
    assert most(assembly, push, (0, 0, 0, 1, 0, 0), centre) < 1e-9 * push  # no bending


@pytest.mark.parametrize(
    ("corners", "distance"),
    [(outline(1, 1), 0.382597858), (CIRCLE, 2 / 3 * 0.03), (outline(4, 1), 1.060816)],
)
def test_the_mean_distance_of_a_surface_is_that_of_its_closed_form(corners: np.ndarray, distance: float) -> None:
    from holdfast.geometry.polygons import mean_distance

    assert mean_distance(corners) == pytest.approx(distance, rel=1e-3)
    assert mean_distance(corners[::-1]) == pytest.approx(mean_distance(corners), rel=1e-12)
    far = surface(corners) + [5.0, -3.0]  # the origin outside
    assert mean_distance(corners + [5.0, -3.0]) == pytest.approx(np.linalg.norm(far, axis=1).mean(), rel=2e-3)


def jaws(pressure: Literal["free"] | None, size: float = 0.02, force: float = 40.0) -> hf.Assembly:
    """Two pads that press a plate from both sides with at most `force`."""
    contacts = []
    for side in (1.0, -1.0):
        pose = hf.Pose(hf.frame_from_normal((-side, 0, 0), (0, 0, 1)), (0.01 * side, 0, 0))
        patch = hf.Patch.rectangle(pose, (size, size), VOLUME, name=f"pad {side:+.0f}", pressure=pressure)
        contacts += patch.contacts
    jaw = np.zeros((len(contacts), 3))
    jaw[: len(contacts) // 2, 0] = -1.0
    return hf.Assembly(contacts, hf.JointRows(jaw.reshape(1, -1), [-np.inf], [force], ("jaw",)))


def test_two_pads_hold_a_weight_off_their_axis_as_pads_and_not_as_corners() -> None:
    """20 mm pads, 1 kg, mu 0.5, centre 10 mm off: the jaw force per pad is 17.07 N, with corners 9.81 N."""
    contacts = {}
    for pressure in (None, "free"):
        hand = jaws(pressure)
        hand = hand.with_volumes(lambda volume: hf.models.coulomb(0.5, facets=FACETS))
        limit = hf.load_limit(hand, (0, 0, -9.80665, 0, 0, 0))
        offset = hf.load_limit(hand, (0, 0, -9.80665, -9.80665 * 0.01, 0, 0))
        assert limit.verify() and offset.verify()
        assert 40.0 / limit.value == pytest.approx(9.80665, rel=2e-3)
        contacts[pressure] = 40.0 / offset.value
    assert contacts[None] == pytest.approx(17.07, rel=0.01)
    assert contacts["free"] == pytest.approx(9.81, rel=0.01)


def test_the_default_is_uniform_for_pads_and_free_for_other_units() -> None:
    pose = hf.Pose.identity()

    def pressure(volume: hf.ForceVolume, **options) -> tuple[str, int]:
        patch = hf.Patch.rectangle(pose, (0.02, 0.02), volume, **options)
        unit = patch.contacts[0].unit
        return ("none" if unit is None else unit.pressure), len(patch)

    assert pressure(VOLUME) == ("uniform", 16)
    assert pressure(hf.models.coulomb(0.5, cap=20.0), points=(3, 2)) == ("uniform", 6)
    assert pressure(VOLUME, points="corners") == ("free", 4)
    assert pressure(VOLUME, pressure="free") == ("free", 4)
    assert pressure(hf.models.microspine()) == ("free", 4)
    assert pressure(hf.models.suction(40.0, 0.5)) == ("free", 4)
    for options in ({"points": "corners"}, {"corners": "independent"}):
        with pytest.raises(InputError, match="uniform"):
            pressure(VOLUME, pressure="uniform", **options)
    with pytest.raises(InputError, match="even"):
        pressure(VOLUME, pressure="even")


def test_rows_of_pads_survive_every_way_to_make_an_assembly_again() -> None:
    hand, load = jaws(None), (0, 0, -1, 0.0, 0.002, 0.003)
    value = hf.load_limit(hand, load).value
    turn = hf.Pose(hf.geometry.rotation_about((1, 2, 3), 0.7), (0.1, -0.2, 0.3))
    moved = hand.moved(turn)
    wrench = turn.wrench_transport() @ load
    for again, asked in (
        (hf.Assembly(hand.contacts, hand.joints), load),
        (hf.Assembly(hand.contacts, hand.mechanism), load),
        (moved, wrench),
        (hand.under((0, 0, 0, 0, 0, 0)), load),
    ):
        assert again.joints is not None and again.joints.even == 30 and len(again.mechanism or ()) == 1
        limit = hf.load_limit(again, asked)
        assert limit.value == pytest.approx(value, rel=1e-6) and limit.verify()
    assert hf.load_limit(hand.with_free_pressure(), load).value > 1.05 * value


def test_every_kind_of_question_takes_pads() -> None:
    hand = jaws(None).with_volumes(lambda volume: hf.models.coulomb(MU, facets=8))
    load = np.array([0, 0, -10.0, 0.02, 0.01, 0.005])
    held = hf.equilibrium(hand, load)
    assert held.holds and held.verify() and held.even().verify()
    for unit in (range(16), range(16, 32)):
        pressed = held.even().local_forces[list(unit), 2]
        np.testing.assert_allclose(pressed, pressed.mean(), rtol=1e-6)
    limit = hf.load_limit(hand, load)
    assert "jaw" in str(hf.diagnose(limit))
    assert len(hf.diagnose(limit).joints) == 1
    sharing = hf.load_sharing(hand, load, (1e4, 1e4), rule="slip")
    assert sharing.verify() and sharing.limit.value >= limit.value * (1 - 1e-6)
    rates = hf.sensitivity(hand, load)
    for derivative in rates.derivatives:
        assert derivative.parameter.row in (None, 0)
    mass = np.diag([1, 1, 1, 0.01, 0.01, 0.01])
    assert hf.separation(hand, 0.9 * limit.value * load, mass).holds
    assert not hf.separation(hand, 1.1 * limit.value * load, mass).holds
    scatter = hf.reliability.Scatter(position=1e-4, friction=0.1)
    assert 0.9 <= hf.probability(hand, load, scatter, n=50, seed=1).value <= 1.0
    assert hf.wrench_space(hand, np.eye(6)[:3]).verify()
    assert hf.reliability.least_change(hand, 1.2 * limit.value * load).verify()


def largest_by_a_program(contacts: Sequence[hf.Contact], base: np.ndarray, load: np.ndarray) -> float:
    """The largest s with W f + base + s load = 0 and one pressure per unit, by a linear program of its own.

    Unknowns are s, the weights of the rays of every cone, and the pressure of every unit.
    """
    names = list(dict.fromkeys(n for c in contacts for n in (c.body, c.against) if n not in (None, "world"))) or [None]
    units = list(dict.fromkeys(c.unit for c in contacts))
    total = sum(len(c.volume.rays[0]) for c in contacts)
    balance, even = (
        np.zeros((6 * len(names), 1 + total + len(units))),
        np.zeros((len(contacts), 1 + total + len(units))),
    )
    balance[:, 0], at = load, 1
    for row, c in enumerate(contacts):
        forces = c.volume.rays[0] @ c.rotation.T
        wrenches = np.column_stack([forces, np.cross(c.position, forces)]).T
        own = slice(at, at + len(forces))
        for name, sign in ((c.body, 1.0), (c.against, -1.0)):
            if name in names and (name is not None or sign > 0.0):  # one object has no name, nor has the world
                first = 6 * names.index(name)
                balance[first : first + 6, own] += sign * wrenches
        even[row, own] = forces @ c.rotation[:, 2]
        even[row, 1 + total + units.index(c.unit)] = -c.share
        at += len(forces)
    rows = np.concatenate([balance, even])
    found = linprog(-np.eye(rows.shape[1])[0], A_eq=rows, b_eq=np.append(-base, np.zeros(len(even))), bounds=(0, None))
    return float(-found.fun) if found.status == 0 else (np.inf if found.status == 3 else -np.inf)


def test_eccentric_loads_on_pads_are_those_of_a_linear_program() -> None:
    """Four pads of a table, a weight anywhere on it, and a push: a pad has no bending, four have."""
    rng, held = np.random.default_rng(3), 0
    for _ in range(12):
        contacts = []
        for x, y in ((0.2, 0.1), (-0.2, 0.1), (-0.2, -0.1), (0.2, -0.1)):
            tilted = hf.frame_from_normal((*rng.normal(size=2) * 0.1, 1.0), (1, 0, 0))
            pose = hf.Pose(tilted, (x, y, 0.02 * rng.normal()))
            contacts += hf.Patch.rectangle(pose, (0.06, 0.03), VOLUME, points=(3, 2)).contacts
        at = (*rng.uniform(-0.22, 0.22, size=2), 0.1)
        base = hf.loads.force_wrench((0, 0, -20.0), at)
        load = np.append(rng.normal(size=3) * [1, 1, 0.1], 0.1 * rng.normal(size=3))
        expected = largest_by_a_program(contacts, base, load)
        ramp = hf.load_ramp(hf.Assembly(contacts), base, load)
        assert ramp.verify()
        if expected > 0.0:
            held += 1
            assert ramp.largest.value == pytest.approx(expected, rel=1e-5)
        else:
            assert ramp.status.value.startswith("does not hold")
    assert held >= 4


def test_pads_between_bodies_carry_what_a_linear_program_says() -> None:
    """A box on three pads on the floor, another on three pads on it: pushes and twists of both."""
    rng, held = np.random.default_rng(4), 0
    for _ in range(12):
        contacts = []
        for height, body, below in ((0.0, "lower", None), (0.2, "upper", "lower")):
            for x, y in ((0.1, 0.05), (-0.1, 0.05), (0.0, -0.1)):
                pose = hf.Pose(hf.frame_from_normal((0, 0, 1), (1, 0, 0)), (x + 0.01 * rng.normal(), y, height))
                patch = hf.Patch.rectangle(pose, (0.05, 0.04), VOLUME, points=(3, 3))
                contacts += [replace(c, body=body, against=below) for c in patch.contacts]
        assembly = hf.Assembly(contacts)
        weights = [hf.loads.force_wrench((0, 0, -w), (*(0.06 * rng.uniform(-1, 1, size=2)), 0)) for w in (15.0, 8.0)]
        base, load = np.concatenate(weights), rng.normal(size=12) * np.tile([1, 1, 0.1, 0.1, 0.1, 0.1], 2)
        expected = largest_by_a_program(contacts, base, load)
        ramp = hf.load_ramp(assembly, base, load)
        assert ramp.verify()
        if expected > 0.0:
            held += 1
            assert ramp.largest.value == pytest.approx(expected, rel=1e-5)
        else:
            assert ramp.status.value.startswith("does not hold")
    assert held >= 4


@pytest.mark.parametrize("name", ["square", "4 to 1", "strip", "triangle", "circle"])
def test_the_note_on_free_pressure_says_by_how_much_its_torsion_is_larger(name: str) -> None:
    push, twist = (0, 0, -12.0), (0, 0, 0, 0, 0, 1.0)
    free, uniform = (pad(SHAPES[name], pressure=pressure) for pressure in ("free", "uniform"))
    centres = [np.append(a.positions[:, :2].T @ [c.share for c in a.contacts], 0.0) for a in (free, uniform)]
    torsions = [
        hf.load_ramp(a, hf.loads.force_wrench(push, centre), twist).value
        for a, centre in zip((free, uniform), centres, strict=True)
    ]
    known = free_pads(free.contacts)
    assert list(known.values()) == pytest.approx([torsions[0] / torsions[1]], rel=0.03 if name == "triangle" else 3e-3)
    assert not free_pads(uniform.contacts)


def test_only_flat_pads_that_press_have_a_note() -> None:
    cup = hf.models.suction(40.0, 0.5)
    pose = hf.Pose.identity()
    adhesive = hf.Patch.rectangle(pose, (0.02, 0.02), cup).contacts
    single = hf.Contact((0, 0, 0), np.eye(3), VOLUME)
    corner = hf.Patch.rectangle(pose, (0.02, 0.02), VOLUME, pressure="free", name="sole").contacts
    assert not free_pads([*adhesive, single, *corner[:2]])
    assert free_pads([*adhesive, single, *corner]) == pytest.approx({"sole": 1.848}, rel=1e-3)


@pytest.mark.parametrize("command", ["check", "limit", "sweep", "onset", "scene show"])
def test_commands_say_that_free_pressure_overstates_torsion(run: Callable, tmp_path: Path, command: str) -> None:
    file = tmp_path / "soles.yaml"
    file.write_text(
        "holdfast: 1\nobject: {mass: 1.0}\nvolumes: {rubber: {model: coulomb, mu: 0.6}}\n"
        "patches: [{kind: rectangle, name: sole, position: [0, 0, 0], normal: [0, 0, 1], size: [0.04, 0.01], "
        "volume: rubber, pressure: free}]\n"
    )
    options = {"sweep": ["--n", "4"]}.get(command, [])
    said = " ".join(run(*command.split(), str(file), *options).output.split())
    assert "pads of free pressure: sole; a soft pad carries less torsion, by a factor of up to 1.94" in said
    if command != "scene show":
        data = json.loads(run(command, str(file), *options, "--json").stdout)
        assert data["free_pads"] == pytest.approx({"sole": 1.943}, rel=1e-3)
    file.write_text(file.read_text().replace(", pressure: free", ""))
    assert "pressure" not in run(*command.split(), str(file), *options).output

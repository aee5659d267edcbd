"""Planar grasps: criteria in another formulation and at their anchors, closure by programs, plans of drawn parts."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

import holdfast as hf
from holdfast.grasps.criteria import CRITERIA, evaluate
from tests.nightly import nightly_after

MU, ETA = 0.4, 110.0
ORIGIN = np.zeros(2)


def turned(vectors: np.ndarray, angle: float | np.ndarray) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * vectors[..., 0] - s * vectors[..., 1], s * vectors[..., 0] + c * vectors[..., 1]], axis=-1)


def disc_grasp(radius: float = 50.0, **changes: Any) -> dict[str, Any]:
    """The centred equilateral grasp of a disc, with regions 20 mm long, all by hand."""
    angle = np.deg2rad([-90.0, 150.0, 30.0])
    out = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    along = turned(out, np.pi / 2)
    grasp = {
        "contacts_mm": radius * out,
        "inward_normals": -out,
        "regions_mm": np.stack([radius * out - 10.0 * along, radius * out + 10.0 * along], axis=1),
        "region_curvature": np.full(3, -10.0 / radius),
        "force_directions": -out,
        "grasp_focus_mm": ORIGIN,
        "real_focus_mm": ORIGIN,
        "extensions_mm": np.full(3, radius),
        "spread_rad": np.pi / 3,
        "area_mm2": np.pi * radius**2,
        "centroid_mm": ORIGIN,
        "major_axis_mm": 2.0 * radius,
        "minor_axis_mm": 2.0 * radius,
    }
    return {**grasp, **changes}


def by_hand(grasp: dict[str, Any]) -> dict[str, float]:
    """The criteria in scalar arithmetic by other formulas: law of cosines, Heron's area, complex arguments."""
    points = [complex(*p) for p in np.asarray(grasp["contacts_mm"])]
    a, b, c = abs(points[1] - points[2]), abs(points[2] - points[0]), abs(points[0] - points[1])
    angles = [math.acos((q * q + r * r - p * p) / (2 * q * r)) for p, q, r in ((a, b, c), (b, c, a), (c, a, b))]
    half = (a + b + c) / 2
    area = math.sqrt(half * (half - a) * (half - b) * (half - c))
    mu, weight, eta = grasp.get("mu", 0.4), grasp.get("W", 1.0), grasp.get("eta_mm", 110.0)
    threshold = grasp.get("lambda_mm", 2.0)
    margin = 0.0
    for point, (start, stop) in zip(points, np.asarray(grasp["regions_mm"]), strict=True):
        first, last = complex(*start), complex(*stop)
        share = ((point - first) / (last - first)).real
        for d in (share * abs(last - first), (1 - share) * abs(last - first)):
            margin += math.inf if d <= 0 else max(threshold / d - 1, 0.0)
    forces = [complex(*f) for f in np.asarray(grasp["force_directions"])]
    normals = [complex(*n) for n in np.asarray(grasp["inward_normals"])]
    delta = [abs(math.atan2((f / n).imag, (f / n).real)) for f, n in zip(forces, normals, strict=True)]
    focus, real = complex(*grasp["grasp_focus_mm"]), complex(*grasp["real_focus_mm"])
    e, theta = np.asarray(grasp["extensions_mm"]).tolist(), float(grasp["spread_rad"])
    factor = 3 if max(delta) > math.atan(mu) else 1
    centre = complex(*grasp["centroid_mm"])
    return {
        "S1": 1.5 / math.pi * sum(abs(angle - math.pi / 3) for angle in angles),
        "S2": weight * grasp["area_mm2"] / (4 * area),
        "S3": margin,
        "S4": 1 - sum(np.asarray(grasp["region_curvature"]).tolist()),
        "C1": 4 / 3 * factor / math.atan(mu) ** 2 * sum(d * d for d in delta),
        "C2": 2 * abs(focus - real) / (eta * mu),
        "C3": ((e[0] - e[1]) ** 2 + (e[1] - e[2]) ** 2 + (e[2] - e[0]) ** 2) / eta**2,
        "C4": 0.0 if theta <= math.pi / 3 else (math.pi / 6) / (math.pi / 2 - theta) - 1,
        "C5": 4 * abs(real - centre) * weight / (grasp["major_axis_mm"] + grasp["minor_axis_mm"]),
        "C6": sum(max(0.0, x - eta) for x in e),
    }


def random_grasp(rng: np.random.Generator) -> dict[str, Any]:
    """Any grasp with contacts well inside their regions or close to an end, no cone edge hit."""
    contacts = rng.normal(size=(3, 2)) * 40.0
    headings = rng.uniform(-np.pi, np.pi, 3)
    normals = np.stack([np.cos(headings), np.sin(headings)], axis=1)
    along = turned(normals, -np.pi / 2)
    ahead, behind = rng.uniform(0.2, 12.0, (2, 3, 1))
    return {
        "contacts_mm": contacts,
        "inward_normals": normals,
        "regions_mm": np.stack([contacts - behind * along, contacts + ahead * along], axis=1),
        "region_curvature": rng.normal(size=3) * 0.3,
        "force_directions": turned(normals, rng.normal(size=3) * 0.3),
        "grasp_focus_mm": rng.normal(size=2) * 20.0,
        "real_focus_mm": rng.normal(size=2) * 20.0,
        "extensions_mm": rng.uniform(0.0, 150.0, 3),
        "spread_rad": rng.uniform(0.0, 1.5),
        "area_mm2": rng.uniform(500.0, 9000.0),
        "centroid_mm": rng.normal(size=2) * 5.0,
        "major_axis_mm": rng.uniform(60.0, 90.0),
        "minor_axis_mm": rng.uniform(20.0, 60.0),
        "mu": rng.uniform(0.1, 1.2),
        "lambda_mm": rng.uniform(1.0, 4.0),
        "W": rng.choice([0.5, 1.0, 2.0]),
        "eta_mm": rng.uniform(80.0, 130.0),
    }


def test_all_criteria_agree_with_another_formulation():
    rng = np.random.default_rng(3)
    for _ in range(60):
        grasp = random_grasp(rng)
        have, want = evaluate(**grasp), by_hand(grasp)
        assert {name: have[name] for name in CRITERIA} == pytest.approx(want, rel=1e-12, abs=1e-12)
        assert have["Q"] == pytest.approx(sum(want.values()), rel=1e-12) and have["valid"] is True


def test_a_centred_equilateral_grasp_of_a_disc_costs_its_size_and_curvature_only():
    scores = evaluate(**disc_grasp())
    assert scores["S2"] == pytest.approx(math.pi / (3 * math.sqrt(3)), rel=1e-12)
    assert scores["S4"] == pytest.approx(1.6, rel=1e-12)
    assert [scores[name] for name in CRITERIA if name not in ("S2", "S4")] == pytest.approx([0.0] * 8, abs=1e-12)


@pytest.mark.parametrize(
    ("changes", "name", "value"),
    [
        ({"contacts_mm": [[0, 0], [1, 1], [2, 2]]}, "S1", 2.0),
        ({"contacts_mm": [[0, 0], [1, 0], [0, 1]]}, "S1", 0.5),
        ({"extensions_mm": [0.0, 0.0, ETA]}, "C3", 2.0),
        ({"extensions_mm": [0.0, 0.0, ETA + 7.0]}, "C6", 7.0),
        ({"spread_rad": math.radians(75.0)}, "C4", 1.0),
        ({"W": 2.0}, "S2", 2 * math.pi / (3 * math.sqrt(3))),
    ],
)
def test_criteria_at_their_anchors(changes, name, value):
    assert evaluate(**disc_grasp(**changes))[name] == pytest.approx(value, rel=1e-9)


def test_forces_at_half_the_cone_cost_one_and_beyond_it_three_times_as_much():
    cone = math.atan(MU)
    for share, weight in ((0.5, 1.0), (1.0, 1.0), (1.01, 3.0)):
        forces = turned(np.asarray(disc_grasp()["inward_normals"]), share * cone)
        assert evaluate(**disc_grasp(force_directions=forces))["C1"] == pytest.approx(4.0 * weight * share**2, rel=1e-9)


# -- closure and loads by linear programs ---------------------------------------------------------------------------


def edges(contacts: np.ndarray, normals: np.ndarray, mu: float) -> np.ndarray:
    """(6, 3) the wrenches of the cones' edges in the plane."""
    tangents = np.stack([-normals[:, 1], normals[:, 0]], axis=1)
    forces = np.concatenate([normals + mu * tangents, normals - mu * tangents])
    arms = np.tile(contacts, (2, 1))
    return np.column_stack([forces, (arms[:, 0] * forces[:, 1] - arms[:, 1] * forces[:, 0]) / 40.0])


def is_closed(contacts: np.ndarray, normals: np.ndarray, mu: float) -> bool | None:
    """Whether edge forces of at least one each balance, and span; None where it is close."""
    rows = edges(contacts, normals, mu)
    found = linprog(np.ones(6), A_eq=rows.T, b_eq=np.zeros(3), bounds=[(1.0, None)] * 6)
    if found.status == 0:
        return None if found.fun > 1e4 else bool(np.linalg.matrix_rank(rows) == 3)
    slack = linprog(np.ones(6), A_eq=rows.T, b_eq=np.zeros(3), bounds=[(1e-4, None)] * 5 + [(1.0, None)])
    return False if slack.status != 0 else None


def test_three_contacts_close_where_edge_forces_balance():
    rng, seen = np.random.default_rng(0), []
    for _ in range(150):
        angles = np.sort(rng.uniform(0, 2 * np.pi, 3))
        out = np.column_stack([np.cos(angles), np.sin(angles)])
        contacts, normals = 40.0 * out, -turned(out, rng.uniform(-0.5, 0.5, 3))
        wanted = is_closed(contacts, normals, MU)
        if wanted is not None:
            assert bool(hf.grasps.three_contacts(contacts, normals, MU)) is wanted
            seen.append(wanted)
    assert 10 < sum(seen) < len(seen) - 10


@pytest.mark.parametrize("seed", range(4))
def test_the_largest_load_is_that_of_a_linear_program(seed):
    rng = np.random.default_rng(seed)
    angles = 0.3 + 2.0 * np.pi * np.arange(3) / 3.0 + rng.uniform(-0.4, 0.4, 3)
    out, middle = np.column_stack([np.cos(angles), np.sin(angles)]), np.array([15.0, -30.0])
    scored = SimpleNamespace(
        shape=SimpleNamespace(centroid_mm=middle, major_axis_mm=80.0), params=SimpleNamespace(mu=MU)
    )
    grasp: Any = SimpleNamespace(contacts_mm=middle + 40.0 * out, inward_normals=-out, scored=scored)
    load = np.array([*rng.normal(size=2), 20.0 * rng.normal()])
    rows = edges(40.0 * out, -out, 0.3) * [1.0, 1.0, 40.0]
    balance = np.column_stack([rows.T, load])
    caps = np.column_stack([np.tile(np.eye(3), 2), np.zeros(3)])
    found = linprog(np.r_[np.zeros(6), -1.0], A_ub=caps, b_ub=np.full(3, 5.0), A_eq=balance, b_eq=np.zeros(3))
    assert hf.grasps.resistible_load(grasp, load, mu=0.3, normal_force=5.0) == pytest.approx(-found.fun, rel=1e-6)


# -- plans ----------------------------------------------------------------------------------------------------------


def outline(kind: str) -> np.ndarray:
    """A closed smooth contour [mm]."""
    t = 2.0 * np.pi * np.arange(240) / 240
    radius = {"disc": np.full(240, 40.0), "bean": 40.0 + 6.0 * np.cos(2 * t) + 4.0 * np.cos(3 * t + 0.7)}[kind]
    return np.column_stack([radius * np.cos(t), radius * np.sin(t)])


@pytest.mark.parametrize("kind", nightly_after(2, ["disc", "bean"]))
def test_a_plan_has_closed_grasps_on_the_border_whose_criteria_are_those_of_their_exchange_form(kind):
    drawn = outline(kind)
    found = hf.grasps.plan(drawn, hand="barrett", reachability="none").to_dict()
    area = 0.5 * abs(np.sum(drawn[:, 0] * np.roll(drawn[:, 1], -1) - drawn[:, 1] * np.roll(drawn[:, 0], -1)))
    assert found["object"]["area_mm2"] == pytest.approx(area, rel=5e-3) and len(found["grasps"]) > 5
    totals = [grasp["Q"] for grasp in found["grasps"]]
    for grasp in found["grasps"][:6]:
        contacts, normals = np.array(grasp["contacts_mm"]), np.array(grasp["inward_normals"])
        assert np.linalg.norm(drawn[None] - contacts[:, None], axis=2).min(axis=1).max() < 1.5
        assert ((contacts - np.array(found["object"]["centroid_mm"])) * normals).sum(axis=1).max() < 0.0
        if len(contacts) == 3:
            assert is_closed(contacts, normals, found["params"]["mu"]) is not False
        scores = evaluate(**asked_of(grasp, found))
        for name in CRITERIA:
            assert scores[name] == pytest.approx(grasp["criteria"][name], rel=1e-9, abs=1e-9), name
    reachable = totals[:20]
    assert reachable == sorted(reachable)


def asked_of(grasp: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `evaluate` in the exchange form of a ranking."""
    names = """contacts_mm inward_normals regions_mm region_curvature force_directions grasp_focus_mm real_focus_mm
        extensions_mm spread_rad virtual_two_finger"""
    shape = {name: found["object"][name] for name in ("area_mm2", "centroid_mm", "major_axis_mm", "minor_axis_mm")}
    return {**{name: grasp[name] for name in names.split()}, **shape, **found["params"]}

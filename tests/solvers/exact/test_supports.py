"""Support functions by lookup against all vertices compared, and the bounds that follow against their definition."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.dynamics import certificate
from holdfast.solvers.exact.support_tables import (
    FIRST_MASK,
    NO_MULTIPLIER,
    RAY_SLOPE,
    ZERO,
    certified_bound,
    reward,
    support,
)
from tests.solvers import twins
from tests.solvers.kernel_cases import ALL, Setting, compiled, setting, setting_of

BONUSES = (-np.inf, 0.0, 0.3)


def ask(case: Setting, shape: int, mask: int, way: np.ndarray, perturbation: float) -> tuple[int, float, float]:
    """(vertex, value, radius) of the compiled kernel."""
    return compiled(support, case.tables, shape, mask, *(float(c) for c in way), perturbation)


def questions(case: Setting, seed: int, count: int):
    """(shape, mask, direction, perturbation) for all shapes, joint slacks too."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        masks = case.random_masks(rng)
        i = int(rng.integers(len(masks)))
        way = rng.normal(size=3) * 10.0 ** rng.uniform(-3, 3)
        yield int(case.model.program.shape_of[i]), int(masks[i]), way, BONUSES[int(rng.integers(len(BONUSES)))]


@pytest.mark.parametrize("name", ALL)
def test_the_looked_up_vertex_is_the_best_of_all(name):
    case = setting(name)
    for shape, mask, way, perturbation in questions(case, 1, 400):
        vertex, value, _ = ask(case, shape, mask, way, perturbation)
        noise = 1e-13 * case.tables.reach[shape] * np.linalg.norm(way)
        assert value == pytest.approx(twins.support(case.tables, shape, mask, way, perturbation), rel=1e-13, abs=noise)
        assert vertex in twins.members(case.tables, shape, mask)
        own = case.tables.vertices[vertex] @ way + twins.rewards(case.tables, shape, vertex, perturbation)
        assert value == pytest.approx(float(own), rel=1e-13, abs=noise)


@pytest.mark.parametrize("name", ALL)
def test_within_the_radius_no_other_vertex_wins(name):
    case, rng = setting(name), np.random.default_rng(2)
    known = 0
    for shape, mask, way, perturbation in questions(case, 3, 300):
        vertex, _, radius = ask(case, shape, mask, way, perturbation)
        assert radius >= 0.0
        known += radius > 0.0
        noise = 1e-13 * case.tables.reach[shape] * (np.linalg.norm(way) + min(radius, 1e300))
        safe = twins.safe_radius(case.tables, shape, mask, way, perturbation, vertex)
        assert radius <= max(0.0, safe) * (1.0 + 1e-9) + noise / max(case.tables.reach[shape], 1e-300)
        for move in rng.normal(size=(3, 3)):
            moved = way + min(radius, 1e6) * move / np.linalg.norm(move)
            vertices, values = twins.heights(case.tables, shape, mask, moved, perturbation)
            assert values[vertices == vertex][0] >= values.max() - noise
    assert known > (20 if name == "eight pieces" else 100)  # few of its sets of pieces have a table


@pytest.mark.parametrize("name", ["contacts alone", "rays", "gripper"])
def test_a_small_direction_leaves_an_idle_contact_at_zero(name):
    case = setting(name)
    for shape, mask, way, _ in questions(case, 4, 60):
        zero = case.tables.shapes[shape, ZERO]
        if zero >= 0:
            tiny = way / np.linalg.norm(way) * 0.9 / case.tables.reach[shape]
            vertex, value, radius = ask(case, shape, mask, tiny, 1.0)
            assert (vertex, value) == (zero, 1.0)
            assert radius > 0.0


def test_the_zero_direction_is_as_good_as_its_bonus():
    case = setting("contacts alone")
    for shape in range(len(case.problem.shapes)):
        vertex, value, _ = ask(case, shape, 1, np.zeros(3), 0.25)
        assert (vertex, value) == (case.tables.shapes[shape, ZERO], 0.25)
        assert ask(case, shape, 1, np.zeros(3), -np.inf)[1] == 0.0


def test_sets_of_pieces_without_a_table_are_asked_piece_by_piece():
    case = setting("eight pieces")
    without = [m for m in range(1, 256) if case.tables.table_of[case.tables.shapes[0, FIRST_MASK] + m] < 0]
    assert len(without) == 255 - 9
    rng = np.random.default_rng(5)
    for mask in without:
        way = rng.normal(size=3)
        vertex, value, radius = ask(case, 0, mask, way, -np.inf)
        assert value == pytest.approx(twins.support(case.tables, 0, mask, way, 0.0), rel=1e-13)
        assert vertex in twins.members(case.tables, 0, mask)
        assert radius == 0.0


@pytest.mark.parametrize("name", ["contacts alone", "a row without a limit"])
def test_only_the_vertex_zero_of_a_contact_has_a_bonus(name):
    case = setting(name)
    for shape in range(len(case.tables.reach)):
        for vertex in twins.members(case.tables, shape, 1):
            expected = float(twins.rewards(case.tables, shape, vertex, 0.5))
            assert compiled(reward, case.tables, shape, vertex, 0.5) == expected
            assert not expected or not case.tables.vertices[vertex].any()


# -- bounds -----------------------------------------------------------------------------------------


def bound_of(case: Setting, masks: np.ndarray, y: np.ndarray, load: np.ndarray | None = None) -> float:
    """The compiled bound; y may be cleaned in place."""
    return certified_bound(case.tables, case.program(0.1), masks, y, case.load if load is None else load)


@pytest.mark.parametrize("name", ALL)
def test_bounds_are_those_of_all_vertices_and_a_hair_above(name):
    """Rays and rows without a limit leave everything possible; the perturbation has no part in a bound."""
    case, rng, finite = setting(name), np.random.default_rng(6), 0
    for _ in range(120):
        masks, y = case.random_masks(rng), case.random_multipliers(rng)
        if rng.random() < 0.2:
            y = y + 0.1 * rng.normal(size=len(y)) * np.abs(y).max()  # not scaled, perhaps on an endless side
        expected = twins.factor_bound(case.tables, case.program(), masks, y, case.load)
        bound = bound_of(case, masks, y.copy())
        if np.isfinite(expected):
            terms = (
                np.abs(y)
                @ np.abs(case.model.program.rows).sum(axis=1)
                * case.tables.near_reach.max()
                / abs(y @ case.load)
            )
            assert expected - 1e-14 * terms <= bound <= expected + 1e-12 * terms
            finite += 1
        else:
            assert bound == expected
    assert finite > 10 or "rays" in name


@pytest.mark.parametrize("name", [name for name in ALL if "counted" not in name])
def test_bounds_agree_with_those_of_the_certificate(name):
    """The same inequality from the contact problem alone: joint limits there, slack items here."""
    case, rng = setting(name), np.random.default_rng(7)
    for _ in range(60):
        masks, y = case.random_masks(rng), case.random_multipliers(rng)
        full = np.zeros(case.problem.rows)
        full[case.model.scales.kept] = y
        allowed = tuple(int(m) for m in masks[: case.model.contacts])
        expected = certificate.factor_bound(case.problem, allowed, full)
        assert bound_of(case, masks, y) * case.scale == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_a_multiplier_that_is_rounding_is_set_to_zero_on_an_endless_side_and_no_other_is():
    case = setting("a row without a limit")
    row = int(np.nonzero(case.unlimited)[0][0])
    y = case.random_multipliers(np.random.default_rng(8))
    y[row] = 0.0
    clean = bound_of(case, case.masks, y.copy())
    assert np.isfinite(clean)
    side = 1.0 if case.unlimited[row] & 1 else -1.0
    y[row] = 0.5 * NO_MULTIPLIER * side * np.abs(y).max()
    assert bound_of(case, case.masks, y) == clean
    assert y[row] == 0.0
    y[row] = 2.0 * NO_MULTIPLIER * side * np.abs(y).max()
    assert bound_of(case, case.masks, y) == np.inf


@pytest.mark.parametrize("slope, bounds", [(-0.3, True), (0.0, True), (0.3, True), (3.0, False)])
def test_a_slope_along_a_ray_that_is_rounding_counts_as_none(slope, bounds):
    """What it would earn at the cut of the ray is no part of the bound."""
    piece = np.array([[0.0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 1]])
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), hf.ForceVolume([piece], [[[1.0, 0, 0]]]))])
    case = setting_of(assembly, np.array([0.0, -1.0, 0.0, 0.0, 0.0, 0.0]))
    y = np.array([slope * RAY_SLOPE, 1.0, 0.0, 0.0, 0.0, 0.0]) / -case.load[1]
    expected = 2.0 / -case.load[1] if bounds else np.inf
    assert bound_of(case, case.masks, y) == pytest.approx(expected, rel=1e-12)


def test_without_a_load_the_supports_alone_decide():
    """The joint rows of this setting exclude zero: some multipliers exclude every load factor."""
    case, nothing = setting("joint rows that exclude zero"), np.zeros(len(setting("joint rows that exclude zero").load))
    row = 6 + int(np.nonzero(case.problem.lower[6:] > 0.0)[0][0])
    y = np.zeros(len(case.load))
    y[row] = 1e-9
    assert bound_of(case, case.masks, y.copy(), nothing) == np.inf
    idle = case.program()._replace(rows=case.model.program.rows.copy())
    idle.rows[row, : 3 * case.model.contacts] = 0.0  # contacts that cannot move the joint
    assert certified_bound(case.tables, idle, case.masks, y.copy(), nothing) == -np.inf
    assert certified_bound(case.tables, idle, case.masks, -y, nothing) == np.inf


def test_multipliers_along_the_load_bound_nothing():
    case = setting("contacts alone")
    y = -case.random_multipliers(np.random.default_rng(9))
    assert bound_of(case, case.masks, y) == np.inf

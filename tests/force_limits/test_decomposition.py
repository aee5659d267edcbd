"""Decomposition of limit surfaces into convex pieces, and the report of its errors."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.errors import GeometryError, InputError, UnknownNameError
from holdfast.force_limits import DecompositionReport
from holdfast.force_limits.accuracy import ConvexPiece
from holdfast.force_limits.decomposition import decompose
from holdfast.force_limits.grouping import LeavingLines
from holdfast.force_limits.piece_programs import LOST, PieceProgram
from holdfast.force_limits.samples import direction_grid
from holdfast.force_limits.surface import LimitSurface
from holdfast.force_limits.volume import ForceVolume
from tests.nightly import nightly_after
from tools import make_microspine_csv

# -- decompose -------------------------------------------------------------------------------------


def rays(count: int, seed: int = 0) -> np.ndarray:
    d = np.random.default_rng(seed).normal(size=(count, 3))
    return d / np.linalg.norm(d, axis=1, keepdims=True)


def reach(volume: ForceVolume, d: np.ndarray) -> np.ndarray:
    return np.concatenate([volume.radial(part) for part in np.array_split(d, max(1, len(d) // 10_000))])


def star(count: int, seed: int, low: float = 0.4) -> LimitSurface:
    rng = np.random.default_rng(seed)
    return LimitSurface(rng.normal(size=(count, 3)), rng.uniform(low, 1.0, count))


def microspine() -> LimitSurface:
    d = make_microspine_csv.unit_directions(make_microspine_csv.measurement_angles())
    return LimitSurface(d, make_microspine_csv.limit(d))


def two_way_gecko() -> LimitSurface:
    """f_z >= -tan(25 deg) |f_x|, |f_y| <= |f_x| / 2, |f_x| <= 20 N, f_z <= 50 N: two convex wedges back to back."""
    slope = math.tan(math.radians(25))
    across, up = (-0.5, -0.25, 0.0, 0.25, 0.5), (-slope, -0.2, 0.0, 0.5, 1.2, 2.5, 6.0)
    alive = [(s, s * y, z) for s in (1.0, -1.0) for y in across for z in up]
    sides = [s * a for s in (1, -1) for a in range(40, 150, 20)]
    dead = [(math.cos(math.radians(a)), math.sin(math.radians(a)), z) for a in sides for z in (-1, 0, 1, 3)]
    dead += [(s, s * y, -1.2) for s in (1.0, -1.0) for y in across] + [(0.0, 0.0, -1.0)]
    d = np.array([(0.0, 0.0, 1.0), *alive, *dead])
    d /= np.linalg.norm(d, axis=1, keepdims=True)
    radii = np.zeros(len(d))
    radii[0] = 50.0
    wedge = d[1 : len(alive) + 1]
    with np.errstate(divide="ignore"):
        radii[1 : len(alive) + 1] = np.minimum(
            20.0 / np.abs(wedge[:, 0]), np.where(wedge[:, 2] > 0, 50.0 / np.abs(wedge[:, 2]), np.inf)
        )
    return LimitSurface(d, radii)


def peg_in_hole() -> LimitSurface:
    """|f| <= 30 N outside the cone f_z < -0.4 |f_t| round -n."""
    edge = -math.degrees(math.atan(0.4))
    elevations = (edge, -12, 0, 20, 45, 70, -35, -60)
    angles = np.array([(0, -90), (0, 90), *((a, e) for e in elevations for a in range(0, 360, 20))], dtype=float)
    d = make_microspine_csv.unit_directions(angles)
    return LimitSurface(d, np.where(angles[:, 1] >= edge - 1e-9, 30.0, 0.0))


def noisy_pad() -> LimitSurface:
    """An adhesive pad, 3 N straight off, 12 N sideways, more when pressed; one noisy test per direction."""
    rng = np.random.default_rng(21)
    d = rng.normal(size=(150, 3))
    d /= np.linalg.norm(d, axis=1, keepdims=True)
    shear, z = np.hypot(d[:, 0], d[:, 1]), d[:, 2]
    use = np.where(z < 0, np.hypot(shear / 12, z / 3), np.maximum((shear - 0.5 * z) / 12, z / 60))
    return LimitSurface.from_limits(d, rng.normal(1.0, 0.08, len(d)) / use)


SHAPES = {
    "noisy pad": noisy_pad,
    "microspine": microspine,
    "random star": lambda: star(70, 1),
    "spiky star": lambda: star(40, 2, low=0.05),
    "two-way gecko": two_way_gecko,
    "peg in hole": peg_in_hole,
}


@pytest.fixture(scope="module")
def decomposed() -> dict[tuple[str, str], tuple[LimitSurface, ForceVolume]]:
    result = {}
    for name, make in SHAPES.items():
        surface = make()
        for side in ("inner", "outer"):
            result[name, side] = surface, decompose(surface, side=side)
    return result


# -- containment --------------------------------------------------------------------------------


@pytest.mark.parametrize("count", nightly_after(1, [20_000, 100_000]))
@pytest.mark.parametrize("name", SHAPES)
def test_inner_lies_in_the_surface_and_the_surface_in_outer_on_many_rays(decomposed, name, count):
    surface, inner = decomposed[name, "inner"]
    _, outer = decomposed[name, "outer"]
    d = np.vstack([rays(count), surface.directions])
    limit = surface.radial(d)
    tiny = 1e-9 * surface.size
    assert (reach(inner, d) <= limit * (1 + 1e-9) + tiny).all()
    assert (limit <= reach(outer, d) * (1 + 1e-9) + tiny).all()


@pytest.mark.parametrize("name", SHAPES)
def test_no_inner_vertex_edge_or_facet_leaves_the_surface(decomposed, name):
    surface, volume = decomposed[name, "inner"]
    shares = np.random.default_rng(3).dirichlet(np.ones(3), 40)
    for polytope in volume.polytopes:
        corners = polytope.vertices[polytope.triangles]
        edges = np.concatenate([0.5 * (corners[:, i] + corners[:, (i + 1) % 3]) for i in range(3)])
        inside = np.einsum("sk,tkj->tsj", shares, corners).reshape(-1, 3)
        for points in (polytope.vertices, edges, inside):
            assert surface.contains(points * (1 - 1e-9)).all()


@pytest.mark.parametrize("side", ["inner", "outer"])
@pytest.mark.parametrize("name", SHAPES)
def test_every_piece_holds_the_zero_force(decomposed, name, side):
    _, volume = decomposed[name, side]
    assert all(polytope.contains(np.zeros(3)) for polytope in volume.polytopes)
    assert len(volume) <= 6


# -- the report ---------------------------------------------------------------------------------


@pytest.mark.parametrize("side", ["inner", "outer"])
@pytest.mark.parametrize("name", SHAPES)
def test_reported_errors_bound_the_sampled_ones(decomposed, name, side):
    surface, volume = decomposed[name, side]
    report = volume.report
    d = rays(40_000, 5)
    limit, have = surface.radial(d), reach(volume, d)
    pull = np.maximum(-d[:, 2], 0.0)
    over, lost = np.maximum(have - limit, 0.0), np.maximum(limit - have, 0.0)
    slack = 1e-9 * surface.size
    positive = limit > 0
    assert over.max() <= report.overreach_newtons + slack
    assert (over * pull).max() <= report.false_adhesion_newtons + slack
    assert 100 * (over[positive] / limit[positive]).max() <= report.overreach_percent + 1e-6
    assert lost.max() <= report.loss_newtons + slack
    assert (lost * pull).max() <= report.lost_adhesion_newtons + slack
    assert 100 * (lost[positive] / limit[positive]).max() <= report.loss_percent + 1e-6
    assert (report.side, report.pieces) == (side, len(volume))
    shear = np.hypot(d[:, 0], d[:, 1])
    assert (over * shear).max() <= report.false_shear_newtons + slack
    assert (lost * shear).max() <= report.lost_shear_newtons + slack


@pytest.mark.parametrize("side", ["inner", "outer"])
@pytest.mark.parametrize("name", SHAPES)
def test_the_reported_directions_have_the_reported_errors(decomposed, name, side):
    surface, volume = decomposed[name, side]
    report = volume.report
    pull = report.lost_adhesion_newtons if side == "inner" else report.false_adhesion_newtons
    shear = report.lost_shear_newtons if side == "inner" else report.false_shear_newtons
    for direction, error, part in (
        (report.pull_direction, pull, lambda d: -d[2]),
        (report.shear_direction, shear, lambda d: math.hypot(d[0], d[1])),
    ):
        assert (direction is None) == (error == 0.0)
        if direction is not None:
            # A hair towards the middle of the error: at the rim of a dent the limit jumps.
            near = np.array(direction) + 1e-7 * rays(200, 4)
            gap = np.abs(surface.radial(near) - volume.radial(near)).max()
            assert gap * part(direction) == pytest.approx(error, rel=0.02)


@pytest.mark.parametrize("name", ["microspine", "random star"])
def test_reported_errors_are_little_above_the_sampled_ones(decomposed, name):
    surface, inner = decomposed[name, "inner"]
    _, outer = decomposed[name, "outer"]
    rng, corners = np.random.default_rng(6), surface.directions[surface.triangles]

    def largest(gap: Callable[[np.ndarray], np.ndarray]) -> float:
        """Of rays close to the surface's own fan, where the largest errors are; more where they are large."""
        found, chosen = 0.0, np.arange(len(corners))
        for count in (40, 1000):
            shares = rng.dirichlet(np.ones(3) * 0.7, (len(chosen), count))
            d = np.einsum("tsk,tkj->tsj", shares, corners[chosen]).reshape(-1, 3)
            errors = gap(d / np.linalg.norm(d, axis=1, keepdims=True)).reshape(len(chosen), count).max(axis=1)
            found, chosen = max(found, errors.max()), chosen[np.argsort(errors)[-20:]]
        return found

    def lost(d: np.ndarray) -> np.ndarray:
        return surface.radial(d) - reach(inner, d)

    def added(d: np.ndarray) -> np.ndarray:
        return reach(outer, d) - surface.radial(d)

    assert inner.report.loss_newtons <= 1.1 * largest(lost)
    assert inner.report.lost_adhesion_newtons <= 1.1 * largest(lambda d: lost(d) * np.maximum(-d[:, 2], 0.0))
    assert outer.report.overreach_newtons <= 1.1 * largest(added)
    assert outer.report.false_adhesion_newtons <= 1.1 * largest(lambda d: added(d) * np.maximum(-d[:, 2], 0.0))


@pytest.mark.parametrize("name", SHAPES)
def test_inner_invents_nothing_and_outer_loses_nothing(decomposed, name):
    inner, outer = decomposed[name, "inner"][1].report, decomposed[name, "outer"][1].report
    assert (inner.overreach_percent, inner.overreach_newtons, inner.false_adhesion_newtons) == (0.0, 0.0, 0.0)
    assert (outer.loss_percent, outer.loss_newtons, outer.lost_adhesion_newtons) == (0.0, 0.0, 0.0)


# -- known shapes -------------------------------------------------------------------------------


def test_the_default_microspine_unit_needs_six_pieces_without_false_adhesion(decomposed):
    surface, inner = decomposed["microspine", "inner"]
    assert len(inner) <= 6
    assert max(len(p) for p in inner.pieces) <= 160
    assert inner.report.false_adhesion_newtons == 0.0
    assert inner.report.lost_adhesion_newtons < 0.8
    assert inner.support(np.array([0.0, 0.0, -1.0])) > 0.98 * -surface.vertices[:, 2].min()
    _, outer = decomposed["microspine", "outer"]
    hull = ForceVolume([surface.vertices[surface.radii > 0]])
    straight = np.array([0.0, 0.0, -1.0])
    assert inner.radial(straight) < 1e-9
    assert hull.radial(straight) > 1.0
    assert outer.report.false_adhesion_newtons < 0.7


def test_two_convex_wedges_come_out_exactly(decomposed):
    for side in ("inner", "outer"):
        report = decomposed["two-way gecko", side][1].report
        assert (report.overreach_newtons, report.loss_newtons) == (0.0, 0.0)


@pytest.mark.parametrize("side", ["inner", "outer"])
@pytest.mark.parametrize(
    "surface",
    [
        LimitSurface.from_function(lambda d: np.full(len(d), 3.0), resolution=math.radians(20)),
        LimitSurface(np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T, np.full(8, 2.0)),
        LimitSurface([[1, 0, 0], [-1, 1, 0], [-1, -1, 0], [0, 0, 1], [0, 0, -1]], [4.0, 3.0, 3.0, 9.0, 0.0]),
    ],
    ids=["ball", "cube", "cone over a triangle"],
)
def test_a_convex_surface_is_one_piece_without_error(surface, side):
    volume = decompose(surface, side=side)
    assert len(volume) == 1
    report = volume.report
    assert (report.overreach_percent, report.loss_percent) == (0.0, 0.0)
    assert (report.overreach_newtons, report.loss_newtons) == (0.0, 0.0)
    d = rays(5000, 7)
    assert reach(volume, d) == pytest.approx(surface.radial(d), rel=1e-9, abs=1e-9)


def test_more_pieces_lose_less():
    surface = star(60, 8)
    few, many = (decompose(surface, max_pieces=k).report for k in (1, 6))
    assert few.pieces == 1
    assert many.loss_newtons < few.loss_newtons


# -- goals --------------------------------------------------------------------------------------


def test_a_wanted_error_is_reached_or_said_to_be_missed():
    surface = star(50, 9)
    loose = decompose(surface, side="outer", max_error=0.5).report
    assert loose.goal_reached
    assert loose.false_adhesion_newtons <= 0.5
    tight = decompose(surface, side="outer", max_error=0.01, max_pieces=2).report
    assert not tight.goal_reached
    assert tight.false_adhesion_newtons > 0.01
    assert loose.pieces <= 6
    assert tight.pieces <= 2


def test_a_surface_that_only_presses_is_judged_by_force():
    d = direction_grid(math.radians(20))
    limits = np.where(d[:, 2] > 0.2, 10.0 + 8.0 * (np.abs(d[:, 0]) > 0.5), 0.0)
    surface = LimitSurface(d, limits)
    report = decompose(surface, side="outer", max_error=20.0).report
    assert report.goal_reached
    assert report.overreach_newtons <= 20.0
    assert report.false_adhesion_newtons == 0.0


# -- time and progress --------------------------------------------------------------------------


@pytest.mark.parametrize("side", ["inner", "outer"])
def test_a_time_limit_ends_with_sound_pieces_and_says_so(side):
    surface = noisy_pad()
    volume = decompose(surface, side=side, time_limit=1e-9)
    assert volume.report.time_limit_reached
    assert "time limit" in volume.report.notes[-1]
    d = np.vstack([rays(20_000, 14), surface.directions])
    limit, have = surface.radial(d), reach(volume, d)
    gap = limit - have if side == "inner" else have - limit
    assert gap.min() >= -1e-9 * surface.size
    assert gap.max() <= max(volume.report.loss_newtons, volume.report.overreach_newtons) + 1e-9 * surface.size
    if side == "inner":
        assert volume.volume > 0.5 * decompose(surface).volume


def test_a_time_limit_that_is_not_reached_changes_nothing():
    surface = star(30, 15)
    free, limited = decompose(surface), decompose(surface, time_limit=1e6)
    assert free.fingerprint == limited.fingerprint
    assert not limited.report.time_limit_reached
    assert limited.report.notes == ()


@pytest.mark.parametrize("options", [{}, {"side": "outer"}, {"max_error": 1e-3, "max_pieces": 2}])
def test_progress_rises_to_the_end(options):
    calls: list[tuple[int, int]] = []
    decompose(star(30, 16), progress=lambda done, total: calls.append((done, total)), **options)
    done = [d for d, _ in calls]
    assert done == sorted(set(done))
    assert len(done) > 4
    assert calls[-1] == (100, 100)
    assert {total for _, total in calls} == {100}


# -- the program for one piece ------------------------------------------------------------------


def least_gauges(surface: LimitSurface, weights: np.ndarray) -> float:
    """The least weighted sum of gauges, by one plane a . x <= 1 per triangle: a . v >= 1 at its corners, g >= a . x."""
    from scipy.optimize import linprog

    corners = surface.vertices[surface.triangles]
    t, n = len(corners), len(weights)
    rows, right = [], []
    for k, triangle in enumerate(corners):
        for v in triangle:
            row = np.zeros(3 * t + n)
            row[3 * k : 3 * k + 3] = -v
            rows.append(row)
            right.append(-1.0)
        for x in range(n):
            row = np.zeros(3 * t + n)
            row[3 * k : 3 * k + 3] = surface.vertices[x]
            row[3 * t + x] = -1.0
            rows.append(row)
            right.append(0.0)
    bounds = [(None, None)] * (3 * t) + [(1.0, None)] * n
    cost = np.concatenate([np.zeros(3 * t), weights])
    return linprog(cost, A_ub=np.array(rows), b_ub=right, bounds=bounds).fun


@pytest.mark.parametrize("seed", nightly_after(3, range(12)))
def test_a_piece_is_nearly_as_large_as_the_full_linear_program_allows(seed):
    surface = star(22, seed, low=0.3)
    lines = LeavingLines(*(np.zeros(0, dtype=np.intp),) * 2, np.zeros((0, 2)))  # all rows come from hulls
    program = PieceProgram(surface, surface.vertices, lines)
    members = np.ones(len(surface.radii), dtype=bool)
    weights = np.random.default_rng(seed).uniform(0.2, 1.0, len(members))
    piece = program.solve(np.zeros((0, 3)), members, np.full(len(members), LOST), weights, 100)
    assert piece is not None
    found = weights @ np.maximum(piece.gauge(surface.vertices), 1.0)
    best = least_gauges(surface, weights)
    assert best * (1 - 2e-3) <= found <= best * 1.02
    inside = ConvexPiece(piece.vertices / (1 + 1e-3))
    assert surface.contains(np.vstack([inside.vertices, inside.triangles.mean(axis=1)])).all()


# -- unlimited compression ----------------------------------------------------------------------


@pytest.mark.parametrize("side", ["inner", "outer"])
def test_unlimited_compression_becomes_rays(side):
    d = direction_grid(math.radians(20))
    d = d[d[:, 2] <= 1e-9]
    limits = np.where(d[:, 2] < -0.6, 0.0, 6.0 + 2.0 * d[:, 0])
    surface = LimitSurface.from_limits(d, limits, compression="unlimited")
    volume = decompose(surface, side=side)
    assert not volume.is_bounded
    assert math.isinf(volume.radial(np.array([0.0, 0.0, 1.0])))
    probe = rays(20_000, 10)
    limit, have = surface.radial(probe), reach(volume, probe)
    slack = 1e-7 * np.maximum(limit, surface.size)
    if side == "inner":
        assert (have <= limit + slack).all()
    else:
        assert (limit <= have + slack).all()
    down = probe[:, 2] < 0
    assert (limit - have)[down].max() <= volume.report.loss_newtons + 1e-9
    assert (have - limit)[down].max() <= volume.report.overreach_newtons + 1e-9


def test_a_friction_cone_without_cap_is_one_piece_with_rays():
    ring = np.array([(math.cos(a), math.sin(a), 2.0) for a in np.arange(0, 2 * math.pi, math.pi / 8)])
    outside = np.array([(math.cos(a), math.sin(a), z) for a in np.arange(0, 6, 0.7) for z in (-1.0, 1.0)])
    d = np.vstack([ring, [[0, 0, 1], [0, 0, -1]], outside])
    radii = np.concatenate([np.full(len(ring), np.inf), [np.inf, 0.0], np.zeros(len(outside))])
    with pytest.raises(InputError):
        LimitSurface(d, radii)  # nothing finite to measure sizes by
    radii[-1] = 1.0
    volume = decompose(LimitSurface(d, radii))
    probe = rays(5000, 11)
    inside = np.hypot(probe[:, 0], probe[:, 1]) < 0.49 * math.cos(math.pi / 16) * probe[:, 2]
    assert np.isinf(reach(volume, probe)[inside]).all()


# -- scaling, rotation, errors ------------------------------------------------------------------


@pytest.mark.parametrize("side", ["inner", "outer"])
@pytest.mark.parametrize("power", [-17, 12])
def test_scaling_by_a_power_of_two_scales_every_vertex_and_error(side, power):
    surface, factor = star(25, 4), 2.0**power
    one, other = (decompose(s, side=side, max_pieces=3) for s in (surface, surface.scaled(factor)))
    for a, b in zip(one.pieces, other.pieces, strict=True):
        assert b == pytest.approx(a * factor, rel=1e-12)
    for name in ("overreach", "loss", "false_adhesion", "lost_adhesion"):
        wanted = getattr(one.report, f"{name}_newtons") * factor
        assert getattr(other.report, f"{name}_newtons") == pytest.approx(wanted, rel=1e-9)
    assert other.report.loss_percent == pytest.approx(one.report.loss_percent, rel=1e-9)


@given(st.floats(1e-5, 1e5), st.integers(0, 5))
@settings(max_examples=6, deadline=None)
def test_gigantic_and_tiny_surfaces_are_decomposed_alike(factor, seed):
    surface = star(25, seed)
    d = rays(2000, 12)
    limit = surface.radial(d)
    inner, outer = (decompose(surface.scaled(factor), side=side, max_pieces=3) for side in ("inner", "outer"))
    assert (reach(inner, d) <= factor * limit * (1 + 1e-9)).all()
    assert (reach(outer, d) >= factor * limit * (1 - 1e-9)).all()
    assert inner.report.loss_newtons <= 1.2 * factor * decompose(surface, max_pieces=3).report.loss_newtons


@given(st.integers(0, 10_000), st.floats(0.0, 0.4), st.sampled_from(["inner", "outer"]))
@settings(max_examples=12, deadline=None)
def test_any_star_shape_is_enclosed_from_either_side(seed, zeros, side):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(12, 40))
    radii = rng.uniform(0.05, 1.0, count)
    radii[rng.random(count) < zeros] = 0.0
    surface = LimitSurface.from_limits(rng.normal(size=(count, 3)), radii, max_gap=math.radians(60))
    alive = (surface.radii[surface.triangles] > 0).all(axis=1)
    if not alive.any():
        with pytest.raises(GeometryError, match="volume"):
            decompose(surface, side=side, max_pieces=3)
        return
    volume = decompose(surface, side=side, max_pieces=3)
    d = np.vstack([rays(5000, seed), surface.directions])
    limit, have = surface.radial(d), reach(volume, d)
    if side == "inner":
        assert (have <= limit + 1e-8).all()
        assert volume.report.false_adhesion_newtons == 0.0
    else:
        assert (limit <= have + 1e-8).all()
        assert volume.report.loss_newtons == 0.0


def test_wrong_arguments_are_refused():
    surface = star(20, 13)
    with pytest.raises(UnknownNameError, match="did you mean 'inner'"):
        decompose(surface, side="iner")
    with pytest.raises(InputError, match="max_pieces"):
        decompose(surface, max_pieces=0)
    with pytest.raises(InputError, match="max_error"):
        decompose(surface, max_error=-1.0)
    with pytest.raises(InputError, match="time_limit"):
        decompose(surface, time_limit=0.0)
    with pytest.raises(InputError, match="LimitSurface"):
        decompose(surface.vertices)


def test_a_surface_without_volume_is_refused():
    d = direction_grid(math.radians(30))
    limits = np.zeros(len(d))
    limits[4] = 3.0
    with pytest.raises(GeometryError, match="volume"):
        decompose(LimitSurface(d, limits))


def test_a_pull_without_limit_is_refused():
    d = direction_grid(math.radians(30))
    with pytest.raises(GeometryError, match="does not press"):
        decompose(LimitSurface(d, np.where(d[:, 2] < -0.9, np.inf, 1.0)))


# -- report ----------------------------------------------------------------------------------------

FIELDS = (
    "side",
    "pieces",
    "overreach_percent",
    "overreach_newtons",
    "false_adhesion_newtons",
    "loss_percent",
    "loss_newtons",
    "lost_adhesion_newtons",
    "goal_reached",
    "time_limit_reached",
    "false_shear_newtons",
    "lost_shear_newtons",
    "pull_direction",
    "shear_direction",
    "notes",
)


def test_a_report_states_both_errors_in_newtons_and_percent_and_the_adhesion():
    assert tuple(f.name for f in dataclasses.fields(DecompositionReport)) == FIELDS


def test_a_report_without_a_goal_has_reached_it():
    assert DecompositionReport("inner", 4, 0.0, 0.0, 0.0, 3.0, 1.2, 0.1).goal_reached


def test_reports_compare_by_value_and_cannot_be_changed():
    report = DecompositionReport("outer", 4, 3.0, 1.0, 0.1, 0.0, 0.0, 0.0)
    assert report == DecompositionReport("outer", 4, 3.0, 1.0, 0.1, 0.0, 0.0, 0.0)
    assert report != DecompositionReport("outer", 5, 3.0, 1.0, 0.1, 0.0, 0.0, 0.0)
    with pytest.raises(dataclasses.FrozenInstanceError):
        report.pieces = 3

"""What one contact carries: models against their formulas, measured surfaces, unions, decompositions and their errors."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.spatial import ConvexHull

import holdfast as hf
from tests.referee import distance_to_piece, random_volume

DIRECTIONS = hf.loads.sphere_directions(400)


def random_forces(reach, seed: int, count: int = 3000) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-1.0, 1.0, (count, 3)) * reach


# -- models: membership is the formula, up to the stated error of round limits ------------------------


def coulomb_law(f, mu=0.6, lateral=0.4, cap=20.0):
    x, y, z = f.T
    return (np.hypot(x / mu, y / lateral) <= z) & (z <= cap)


def magnet_law(f, attraction=10.0, mu=0.5, cap=30.0):
    x, y, z = f.T
    return (np.hypot(x, y) <= mu * (z + attraction)) & (z >= -attraction) & (z <= cap)


def suction_law(f, vacuum=20.0, mu=0.5, cap=30.0):
    return magnet_law(f, vacuum, mu, cap)


ROUND = {
    "coulomb": (lambda **o: hf.models.coulomb(0.6, mu_lateral=0.4, cap=20.0, **o), coulomb_law, (14, 9, 25)),
    "magnet": (lambda **o: hf.models.magnet(10.0, 0.5, cap=30.0, **o), magnet_law, (22, 22, 35)),
    "suction": (lambda **o: hf.models.suction(20.0, 0.5, cap=30.0, **o), suction_law, (28, 28, 35)),
}


@pytest.mark.parametrize("name", ROUND)
@pytest.mark.parametrize("facets", [8, 24])
def test_round_limits_lie_between_their_inner_and_outer_polygons(name, facets):
    model, law, reach = ROUND[name]
    forces = random_forces(reach, facets)
    exact = law(forces)
    inner, outer = (model(facets=facets, side=side).contains(forces, tolerance=0.0) for side in ("inner", "outer"))
    assert not (inner & ~exact).any() and not (exact & ~outer).any()
    shrunk = law(forces * [1.0 / math.cos(math.pi / facets), 1.0 / math.cos(math.pi / facets), 1.0])
    assert not (shrunk & ~inner).any()  # no more is lost than the polygon's flats
    assert exact.sum() > 100 and (outer & ~inner).any()


def gecko_law(f, shear=10.0, alpha=25.0, lateral=30.0):
    x, y, z = f.T
    steep, wide = math.tan(math.radians(alpha)), math.tan(math.radians(lateral))
    return (z >= -x * steep) & (x >= 0) & (x <= shear) & (np.abs(y) <= x * wide)


def spine_law(f, shear=25.0, lateral=0.785, pull=0.35):
    x, y, z = f.T
    return (x >= 0) & (x <= shear) & (np.abs(y) <= x * math.tan(lateral)) & (-z <= x * math.tan(pull))


@pytest.mark.parametrize(
    ("volume", "law", "reach"),
    [
        (hf.models.gecko(), gecko_law, 12.0),
        (hf.models.gecko_two_way(), lambda f: gecko_law(f) | gecko_law(f * [-1, 1, 1]), 12.0),
        (hf.models.directional_microspine(), spine_law, (30.0, 30.0, 60.0)),
    ],
)
def test_flat_limits_are_exact(volume, law, reach):
    forces = random_forces(reach, 3)
    assert (volume.contains(forces, tolerance=1e-12) == law(forces)).all()
    assert 50 < law(forces).sum() < len(forces)


def test_the_microspine_has_the_numbers_of_its_law():
    """Peak adhesion 4.235 N; 20.37 N at twelve degrees; the pieces lose a little of it and invent nothing."""
    unit = hf.models.microspine()
    angles = np.radians(np.linspace(0.5, 26.0, 40))
    limits = np.array([float(hf.models.microspine_force(a, 0.0)) for a in angles])
    assert (limits * np.sin(angles)).max() == pytest.approx(4.235, rel=2e-3)
    assert hf.models.microspine_force(np.radians(12.0), 0.0) == pytest.approx(20.37, rel=1e-3)
    forces = limits[:, None] * np.column_stack([np.cos(angles), np.zeros(40), -np.sin(angles)])
    assert not unit.contains(1.0001 * forces).any()
    assert unit.contains(0.6 * forces[4:30]).all()
    assert not unit.contains([0.0, 0.0, -0.1]) and unit.hull().contains([0.0, 0.0, -0.1])


@pytest.mark.parametrize("mu", [0.3, 0.7])
def test_soft_fingers_carry_friction_and_torsion_of_one_normal_force(mu):
    """Along the axes: mu n of shear, or e n of torsion for e = 0.01 m."""
    finger = hf.models.soft_finger(mu, 0.01, cap=10.0)
    assembly = hf.Assembly([hf.Contact(point, np.eye(3), finger.volume) for point in finger.points])
    pressed = hf.load_ramp(assembly, [0, 0, -10.0, 0, 0, 0], [1, 0, 0, 0, 0, 0]).value
    twisted = hf.load_ramp(assembly, [0, 0, -10.0, 0, 0, 0], [0, 0, 0, 0, 0, 1]).value
    assert pressed == pytest.approx(10.0 * mu, rel=0.02) and twisted == pytest.approx(0.1, rel=0.02)


# -- unions of polytopes ------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_membership_support_and_reach_are_those_of_linear_programs(seed):
    volume = random_volume(np.random.default_rng(seed), 3, rays=seed % 2 == 1, offset=seed % 3 == 1)
    rng = np.random.default_rng([seed, 1])
    size = max(np.abs(p).max() for p in volume.pieces)
    inside = np.concatenate([rng.dirichlet(np.ones(len(p)), 10) @ p for p in volume.pieces])
    forces = np.concatenate([rng.normal(size=(60, 3)) * size, inside])
    distance = np.array(
        [min(distance_to_piece(f, p, r) for p, r in zip(volume.pieces, volume.rays, strict=True)) for f in forces]
    )
    clear = (distance < 1e-12) | (distance > 1e-6 * size)
    assert (volume.contains(forces) == (distance < 1e-12))[clear].all() and 30 <= (distance < 1e-12).sum() < 90
    for way in rng.normal(size=(10, 3)):
        best = max(
            np.inf if len(r) and (r @ way).max() > 0 else float((p @ way).max())
            for p, r in zip(volume.pieces, volume.rays, strict=True)
        )
        assert volume.support(way) == pytest.approx(best)
        reach = max(_furthest(p, r, way) for p, r in zip(volume.pieces, volume.rays, strict=True))
        assert volume.radial(way / np.linalg.norm(way)) == pytest.approx(reach * np.linalg.norm(way), abs=1e-7)


def _furthest(points: np.ndarray, rays: np.ndarray, way: np.ndarray) -> float:
    """The largest t >= 0 with t way in conv(points) + cone(rays); zero for none."""
    columns = np.concatenate([points, rays]).T
    ones = np.r_[np.ones(len(points)), np.zeros(len(rays)), 0.0]
    found = linprog(
        np.r_[np.zeros(columns.shape[1]), -1.0], A_eq=np.vstack([np.column_stack([columns, -way]), ones]),
        b_eq=[0, 0, 0, 1.0],
    )  # fmt: skip
    return np.inf if found.status == 3 else -found.fun if found.status == 0 else 0.0


# -- measured surfaces and their decomposition --------------------------------------------------------


def dent(ways: np.ndarray) -> np.ndarray:
    """Limits of a unit that pulls less straight off than aside."""
    return 10.0 + 3.0 * ways[:, 0] - 7.0 * np.exp(-8.0 * (ways[:, 2] + 1.0))


def test_a_surface_goes_through_its_measurements_and_is_the_union_of_its_cells():
    surface = hf.LimitSurface.from_samples(dent(DIRECTIONS)[:, None] * DIRECTIONS)
    assert surface.radial(DIRECTIONS) == pytest.approx(dent(DIRECTIONS), rel=1e-9)
    between = np.random.default_rng(1).normal(size=(300, 3))
    between /= np.linalg.norm(between, axis=1, keepdims=True)
    triangles = surface.vertices[surface.triangles]
    planes = np.linalg.solve(np.transpose(triangles, (0, 2, 1))[None], between[:, None, :, None])[..., 0]
    inside = (planes >= -1e-9).all(axis=2)
    expected = [1.0 / planes[i][inside[i]].sum(axis=1).min() for i in range(len(between))]
    assert surface.radial(between) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("pieces", [1, 4])
def test_inner_pieces_stay_inside_outer_ones_outside_and_errors_are_measured(pieces):
    surface = hf.LimitSurface.from_samples(dent(DIRECTIONS)[:, None] * DIRECTIONS)
    rng = np.random.default_rng(2)
    ways = np.vstack([DIRECTIONS, rng.normal(size=(400, 3))])
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    exact = surface.radial(ways)
    inner = hf.decompose(surface, side="inner", max_pieces=pieces)
    outer = hf.decompose(surface, side="outer", max_pieces=pieces)
    assert len(inner) <= pieces and len(outer) <= pieces
    assert (inner.radial(ways) <= exact * (1 + 1e-9)).all() and (outer.radial(ways) >= exact * (1 - 1e-9)).all()
    pull, shear = np.maximum(-ways[:, 2], 0.0), np.hypot(ways[:, 0], ways[:, 1])
    for report, off in ((inner.report, exact - inner.radial(ways)), (outer.report, outer.radial(ways) - exact)):
        lost = report.lost_adhesion_newtons + report.false_adhesion_newtons
        assert 0.2 * lost <= (off * pull).max() <= lost * (1 + 1e-6)
        assert (off * shear).max() <= (report.lost_shear_newtons + report.false_shear_newtons) * (1 + 1e-6)
    corners = np.concatenate(list(inner.pieces))
    away = corners[np.linalg.norm(corners, axis=1) > 1e-9]
    lengths = np.linalg.norm(away, axis=1)
    assert (lengths <= surface.radial(away / lengths[:, None]) * (1 + 1e-9)).all()


def test_more_pieces_lose_less_and_one_outer_piece_is_the_hull():
    surface = hf.LimitSurface.from_samples(dent(DIRECTIONS)[:, None] * DIRECTIONS)
    errors = [hf.decompose(surface, max_pieces=n).report.lost_adhesion_newtons for n in (1, 3, 6)]
    assert errors[0] > errors[1] >= errors[2]
    hull = ConvexHull(surface.vertices)
    assert hf.decompose(surface, side="outer", max_pieces=1).hull().volume == pytest.approx(hull.volume, rel=0.02)

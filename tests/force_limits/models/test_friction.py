"""Models that rest on friction: cones, soft fingers, a peg in a hole, cardboard."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.spatial import ConvexHull

from holdfast import HoldfastError
from holdfast.force_limits.models import SoftFinger, cardboard, coulomb, peg_in_hole, pyramid, soft_finger
from holdfast.force_limits.models.friction import ellipse_polygon, latitude_inradius, unit_polygon

# -- polygons --------------------------------------------------------------------------------------


@pytest.mark.parametrize("facets", [3, 4, 5, 16, 17])
@pytest.mark.parametrize("side", ["inner", "outer"])
def test_polygons_lie_on_their_side_of_the_ellipse(facets, side):
    semi = np.array([3.0, 0.5])
    corners = ellipse_polygon(*semi, facets, side)
    share = np.linspace(0.0, 1.0, 50)[:, None, None]
    border = (share * corners + (1 - share) * np.roll(corners, 1, axis=0)).reshape(-1, 2)
    reach = np.linalg.norm(border / semi, axis=1)
    worst = math.cos(math.pi / facets)
    low, high = (worst, 1.0) if side == "inner" else (1.0, 1.0 / worst)
    assert reach.min() >= low - 1e-12
    assert reach.max() <= high + 1e-12


def test_corners_on_the_axes_are_exact():
    corners = unit_polygon(16)
    assert corners[[0, 4, 8, 12]].tolist() == [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]


@pytest.mark.parametrize("facets", [4, 9, 16])
@pytest.mark.parametrize("bands", [1, 2, 5])
def test_the_inner_radius_is_that_of_the_hull(facets, bands):
    latitudes = np.linspace(0.0, 0.5 * math.pi, bands + 1)
    ring = unit_polygon(facets)
    points = [
        np.column_stack([ring * math.cos(a), np.full(facets, s * math.sin(a))]) for a in latitudes for s in (1, -1)
    ]
    hull = ConvexHull(np.concatenate(points))
    assert latitude_inradius(facets, latitudes) == pytest.approx(-hull.equations[:, -1].max(), rel=1e-9)


# -- coulomb ---------------------------------------------------------------------------------------


def use(forces, mu, lateral):
    """sqrt((f_x/mu)^2 + (f_y/lateral)^2) / f_z: at most 1 inside the cone, for f_z > 0."""
    return np.hypot(forces[:, 0] / mu, forces[:, 1] / lateral) / forces[:, 2]


def random_forces(seed, count=4000):
    rng = np.random.default_rng(seed)
    return rng.uniform(-1.0, 1.0, (count, 3))


@pytest.mark.parametrize("facets", [3, 4, 7, 16, 64])
@pytest.mark.parametrize(("mu", "lateral"), [(0.5, None), (0.2, 0.9), (2.0, 0.1)])
def test_membership_agrees_with_the_formula_to_the_stated_error(facets, mu, lateral):
    across = mu if lateral is None else lateral
    forces = random_forces(facets)
    inner = coulomb(mu, mu_lateral=lateral, facets=facets).contains(forces, tolerance=0.0)
    outer = coulomb(mu, mu_lateral=lateral, facets=facets, side="outer").contains(forces)
    exact = np.where(forces[:, 2] > 0.0, use(forces, mu, across), np.inf)
    worst = math.cos(math.pi / facets)
    assert not (inner & (exact > 1.0 + 1e-9)).any()
    assert inner[exact < worst - 1e-9].all()
    assert outer[exact <= 1.0].all()
    assert not (outer & (exact > 1.0 / worst + 1e-6)).any()


def test_the_stated_error_is_attained_half_way_between_two_edges():
    facets = 16
    half = math.pi / facets
    between = [math.cos(half), math.sin(half), 0.0]
    inner, outer = coulomb(0.5, facets=facets, cap=1.0), coulomb(0.5, facets=facets, cap=1.0, side="outer")
    assert inner.support(between) == pytest.approx(0.5 * math.cos(half), rel=1e-12)
    assert outer.support(between) == pytest.approx(0.5 / math.cos(half), rel=1e-12)


@pytest.mark.parametrize("side", ["inner", "outer"])
def test_both_sides_are_exact_along_the_axes(side):
    volume = coulomb(0.4, mu_lateral=0.7, cap=10.0, side=side)
    at_cap = volume.support([[1.0, 0, 0], [-1.0, 0, 0], [0, 1.0, 0], [0, -1.0, 0], [0, 0, 1.0]])
    assert at_cap == pytest.approx([4.0, 4.0, 7.0, 7.0, 10.0], rel=1e-12)


def test_the_cap_limits_the_normal_force_and_nothing_else():
    volume, cone = coulomb(0.5, cap=20.0), coulomb(0.5)
    forces = random_forces(5) * 30.0
    assert (volume.contains(forces) == (cone.contains(forces) & (forces[:, 2] <= 20.0))).all()


def test_the_uncapped_cone_is_unbounded_and_the_same_at_every_scale():
    cone = coulomb(0.6)
    forces = random_forces(9)
    assert not cone.is_bounded
    assert cone.radial([0.0, 0.0, 1.0]) == math.inf
    assert (cone.contains(forces) == cone.contains(1e6 * forces, tolerance=1e-9)).all()


def test_pulling_is_impossible():
    assert coulomb(0.9, cap=5.0).radial([[0, 0, -1.0], [1, 0, -1e-3], [1, 0, 0]]) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("cap", [None, 8.0])
def test_without_friction_only_a_straight_push_is_left(cap):
    volume = coulomb(0.0, cap=cap)
    assert volume.is_star_shaped
    assert volume.contains([[0, 0, 5.0], [0, 0, 0.0]]).all()
    assert not volume.contains([[0.1, 0, 5.0], [0, 0, -0.1]]).any()
    assert volume.radial([0.0, 0, 1.0]) == (math.inf if cap is None else pytest.approx(8.0))


def test_friction_in_one_direction_only_is_a_flat_cone():
    volume = coulomb(0.0, mu_lateral=0.5, cap=10.0)
    assert volume.contains([0.0, 4.9, 10.0])
    assert not volume.contains([[0.0, 5.2, 10.0], [0.1, 0.0, 10.0]]).any()


@pytest.mark.parametrize("lateral", [None, 0.25])
def test_the_pyramid_is_a_diamond_inside_and_a_rectangle_outside(lateral):
    mu, across = 0.5, 0.5 if lateral is None else lateral
    forces = random_forces(11)
    x, y, z = forces.T
    inside = np.abs(x) / mu + np.abs(y) / across - z
    outside = np.maximum(np.abs(x) / mu, np.abs(y) / across) - z
    clear = (np.abs(inside) > 1e-6) & (np.abs(outside) > 1e-6)
    assert (pyramid(mu, mu_lateral=lateral).contains(forces) == (inside <= 0))[clear].all()
    assert (pyramid(mu, mu_lateral=lateral, side="outer").contains(forces) == (outside <= 0))[clear].all()


def test_inner_is_inside_outer_and_finer_is_larger():
    coarse, fine, around = (
        coulomb(0.5, cap=1.0, facets=8),
        coulomb(0.5, cap=1.0, facets=16),
        coulomb(0.5, cap=1.0, side="outer"),
    )
    assert coarse.volume < fine.volume < math.pi * 0.25 / 3.0 < around.volume
    assert fine.contains(coarse.pieces[0]).all()


@pytest.mark.parametrize(
    "bad",
    [
        {"mu": -0.1},
        {"mu": math.nan},
        {"mu": 1e6},
        {"mu": "slippery"},
        {"mu_lateral": -1.0},
        {"facets": 2},
        {"facets": 1.5},
        {"facets": 10**6},
        {"cap": 0.0},
        {"cap": -3.0},
        {"cap": math.inf},
        {"cap": 1e30},
        {"side": "middle"},
    ],
)
def test_bad_parameters_are_named(bad):
    with pytest.raises(HoldfastError) as error:
        coulomb(**bad)
    assert next(iter(bad)) in str(error.value)


# -- soft finger -----------------------------------------------------------------------------------


def ring_support(pad: SoftFinger, shear, torsion):
    """Largest shear . f_t + torsion tau of the ring at f_z = 1 without bending: a linear program over rays."""
    rays = pad.volume.rays[0]
    columns, values = [], []
    for x, y, _ in pad.points:
        for ray in rays:
            tau = x * ray[1] - y * ray[0]
            columns.append([ray[2], y * ray[2], -x * ray[2]])
            values.append(shear @ ray[:2] + torsion * tau)
    solution = linprog(-np.array(values), A_eq=np.array(columns).T, b_eq=[1.0, 0.0, 0.0])
    assert solution.status == 0
    return -solution.fun


@pytest.mark.parametrize("count", [4, 6, 8])
def test_the_ring_is_inside_the_ellipsoid_and_short_of_it_by_no_more_than_stated(count):
    mu, e, facets = 0.6, 0.004, 24
    pad = soft_finger(mu, e, points=count, facets=facets)
    outer = soft_finger(mu, e, points=count, facets=facets, side="outer")
    rng = np.random.default_rng(count)
    share = math.cos(0.5 * math.pi / count) * math.cos(math.pi / facets)
    for angle, mix in rng.uniform(0.0, 2.0 * math.pi, (12, 2)):
        shear = np.array([math.cos(angle), math.sin(angle)]) * math.cos(mix)
        torsion = math.sin(mix) * mu / e  # weighs torsion and shear alike
        exact = math.hypot(mu * math.cos(mix), e * torsion)
        found = ring_support(pad, shear, torsion)
        assert share * exact - 1e-9 <= found <= exact + 1e-9
        assert ring_support(outer, shear, torsion) >= exact - 1e-9


def test_pure_shear_and_pure_torsion_are_exact_along_the_axes():
    pad = soft_finger(0.5, 0.01, points=8, facets=16)
    assert ring_support(pad, np.array([1.0, 0.0]), 0.0) == pytest.approx(0.5, rel=1e-9)
    assert ring_support(pad, np.zeros(2), 1.0) == pytest.approx(0.01, rel=1e-9)


@pytest.mark.parametrize("facets", [8, 16, 32])
def test_the_set_in_four_dimensions_agrees_with_the_formula(facets):
    mu, e, cap = 0.5, 0.01, 20.0
    rng = np.random.default_rng(facets)
    direction = rng.normal(size=(500, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    weights = np.column_stack([direction[:, :2] / mu, np.zeros(500), direction[:, 2] / e])
    inner = soft_finger(mu, e, facets=facets, cap=cap).limit_set.support(weights)
    outer = soft_finger(mu, e, facets=facets, cap=cap, side="outer").limit_set.support(weights)
    assert (inner <= cap * (1.0 + 1e-12)).all()
    assert (outer >= cap * (1.0 - 1e-12)).all()
    bands = max(2, facets // 4)
    worst = math.cos(math.pi / facets) * math.cos(0.25 * math.pi / bands)
    assert (inner >= cap * worst * (1.0 - 1e-9)).all()
    assert (outer <= cap / worst * (1.0 + 1e-9)).all()


def test_without_a_cap_the_set_is_a_cone_and_the_points_are_unbounded():
    pad = soft_finger()
    assert not pad.limit_set.is_bounded
    assert not pad.volume.is_bounded
    assert pad.limit_set.contains(np.array([[0.4, 0.0, 1.0, 0.0], [4e3, 0.0, 1e4, 0.0]])).all()
    assert not pad.limit_set.contains(np.array([[0.0, 0.0, 1.0, 0.0051], [0.0, 0.0, -1.0, 0.0]])).any()


def test_the_cap_is_shared_among_the_points():
    pad = soft_finger(cap=80.0, points=8)
    assert pad.volume.support([0.0, 0.0, 1.0]) == pytest.approx(10.0)
    assert pad.limit_set.support([0.0, 0.0, 1.0, 0.0]) == pytest.approx(80.0)


def test_the_ring_lies_in_the_surface_with_radius_e_over_mu():
    pad = soft_finger(0.4, 0.006, points=10)
    assert len(pad) == 10
    assert np.linalg.norm(pad.points, axis=1) == pytest.approx(0.015)
    assert (pad.points[:, 2] == 0.0).all()
    assert pad.points.sum(axis=0) == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize(
    "bad",
    [{"mu": 0.0}, {"mu": -1.0}, {"e": 0.0}, {"e": math.nan}, {"e": 1e9}, {"points": 5}, {"points": 2}, {"cap": -1.0}],
)
def test_bad_parameters_are_named_of_soft_finger(bad):
    with pytest.raises(HoldfastError) as error:
        soft_finger(**bad)
    assert next(iter(bad)) in str(error.value)


# -- peg in hole -----------------------------------------------------------------------------------


def directions(seed, count=3000):
    d = np.random.default_rng(seed).normal(size=(count, 3))
    return d / np.linalg.norm(d, axis=1, keepdims=True)


def exact(d, mu, shear, cap):
    """Radius of {f_z >= -mu |f_t|, |f_t| <= shear, f_z <= cap}."""
    tangential = np.hypot(d[:, 0], d[:, 1])
    with np.errstate(divide="ignore"):
        radius = np.minimum(shear / tangential, np.where(d[:, 2] > 0, cap / d[:, 2], np.inf))
    return np.where(d[:, 2] >= -mu * tangential, radius, 0.0)


def polygon_gauge(d, facets, side):
    """|f_t| as the polygon of the shear limit measures it: at most 1 inside one of circumradius or inradius 1."""
    step = 2.0 * math.pi / facets
    azimuth = np.arctan2(d[:, 1], d[:, 0])
    first = 0.5 * step if side == "inner" else 0.0  # azimuth of the middle of a side
    off = (azimuth - first + 0.5 * step) % step - 0.5 * step
    return np.hypot(d[:, 0], d[:, 1]) * np.cos(off) / (math.cos(0.5 * step) if side == "inner" else 1.0)


def discretised(d, mu, shear, cap, walls, facets, side):
    """The volume's own closed form: a slope for the nearest wall, a polygon for the shear limit."""
    angles = 2.0 * math.pi * np.arange(walls) / walls
    along = (d[:, :2] @ np.array([np.cos(angles), np.sin(angles)])).max(axis=1)
    slope = mu if side == "inner" else mu / math.cos(math.pi / walls)
    with np.errstate(divide="ignore"):
        radius = np.minimum(shear / polygon_gauge(d, facets, side), np.where(d[:, 2] > 0, cap / d[:, 2], np.inf))
    return np.where(d[:, 2] >= -slope * along, radius, 0.0)


@pytest.mark.parametrize("side", ["inner", "outer"])
@pytest.mark.parametrize(
    ("mu", "shear", "cap", "walls", "facets"), [(0.3, 50, 100, 8, 16), (0.8, 20, 5, 6, 12), (0.1, 5, 9, 3, 7)]
)
def test_the_volume_is_its_closed_form(side, mu, shear, cap, walls, facets):
    d = directions(walls)
    volume = peg_in_hole(mu, shear, cap, walls=walls, facets=facets, side=side)
    expected = discretised(d, mu, shear, cap, walls, facets, side)
    close_to_the_dent = np.abs(d[:, 2] / np.hypot(d[:, 0], d[:, 1]) + mu) < 1e-6
    assert volume.radial(d)[~close_to_the_dent] == pytest.approx(expected[~close_to_the_dent], rel=1e-8, abs=1e-8)


def test_inner_is_inside_the_round_hole_and_outer_around_it():
    d = directions(1, 20000)
    round_hole = exact(d, 0.3, 50.0, 100.0)
    assert (peg_in_hole().radial(d) <= round_hole * (1 + 1e-9) + 1e-9).all()
    assert (peg_in_hole(side="outer").radial(d) >= round_hole * (1 - 1e-9) - 1e-9).all()


def test_it_converges_to_the_round_hole():
    d = directions(2)
    round_hole = exact(d, 0.3, 50.0, 100.0)
    fine = peg_in_hole(walls=60, facets=120).radial(d)
    differs = np.abs(fine - round_hole) > 0.01 * round_hole + 1e-6
    assert differs.mean() < 0.003


def test_at_the_walls_the_pull_is_exact_and_between_them_short_by_the_stated_share():
    volume, slope = peg_in_hole(0.3, 50.0, 100.0, walls=8), math.cos(math.pi / 8)
    for azimuth, share in ((0.0, 1.0), (math.pi / 4, 1.0), (math.pi / 8, slope)):
        shear = 40.0 * np.array([math.cos(azimuth), math.sin(azimuth)])
        limit = -0.3 * 40.0 * share
        assert volume.contains([*shear, limit * (1 - 1e-9)])
        assert not volume.contains([*shear, limit * (1 + 1e-6)])


def test_it_is_not_convex_and_its_hull_invents_a_straight_pull():
    volume = peg_in_hole()
    assert volume.radial([0.0, 0.0, -1.0]) == pytest.approx(0.0, abs=1e-12)
    assert volume.hull().radial(np.array([0.0, 0.0, -1.0])) == pytest.approx(0.3 * 50.0)
    assert volume.is_star_shaped


def test_forces_grow_linearly_with_the_caps():
    d = directions(3, 500)
    strong, weak = peg_in_hole(0.3, 100.0, 200.0), peg_in_hole(0.3, 50.0, 100.0).scaled(2)
    assert strong.radial(d) == pytest.approx(weak.radial(d), abs=1e-9)


def test_without_friction_the_walls_hold_no_pull():
    volume = peg_in_hole(0.0)
    assert len(volume) == 1
    assert volume.support([0.0, 0.0, -1.0]) == 0.0


@pytest.mark.parametrize(
    "bad",
    [
        {"mu": -0.3},
        {"mu": math.nan},
        {"shear": 0.0},
        {"cap": -1.0},
        {"cap": math.inf},
        {"walls": 2},
        {"facets": 1},
        {"side": "up"},
    ],
)
def test_bad_parameters_are_named_of_peg_in_hole(bad):
    with pytest.raises(HoldfastError) as error:
        peg_in_hole(**bad)
    assert next(iter(bad)) in str(error.value)


# -- cardboard -------------------------------------------------------------------------------------

MU, BUCKLING, CRUSHING, THETA0 = 0.6, 30.0, 60.0, math.radians(15.0)
SLANT = math.tan(THETA0)


def formula(forces, mu=MU, slant=SLANT):
    """|f_t| <= mu f_z, and f_z <= buckling within the slant, f_z <= crushing outside."""
    shear, push = np.hypot(forces[:, 0], forces[:, 1]), forces[:, 2]
    cap = np.where(shear < slant * push, BUCKLING, CRUSHING)
    return (shear <= mu * push) & (push <= cap)


def forces(seed, count=4000):
    return np.random.default_rng(seed).uniform(-1.0, 1.0, (count, 3)) * (40.0, 40.0, 35.0) + (0.0, 0.0, 30.0)


def test_inner_admits_nothing_that_the_board_does_not_bear():
    f = forces(1)
    inner = cardboard().contains(f, tolerance=0.0)
    assert not (inner & ~formula(f, slant=math.tan(THETA0) * (1 - 1e-9))).any()
    assert inner.sum() > 200


def test_inner_loses_no_more_than_stated():
    f = forces(2)
    sectors, facets = 6, 24
    surely = formula(
        f, MU * math.cos(math.pi / facets) * (1 - 1e-9), math.tan(THETA0) / math.cos(math.pi / sectors) * (1 + 1e-9)
    )
    assert cardboard(sectors=sectors, facets=facets).contains(f)[surely].all()


def test_outer_admits_all_that_the_board_bears_and_no_more_than_stated():
    f = forces(3)
    sectors, facets = 6, 24
    outer = cardboard(sectors=sectors, facets=facets, side="outer").contains(f)
    assert outer[formula(f)].all()
    widest = formula(
        f, MU / math.cos(math.pi / facets) * (1 + 1e-6), math.tan(THETA0) * math.cos(math.pi / sectors) * (1 - 1e-6)
    )
    assert not (outer & ~widest).any()


def test_a_straight_push_buckles_where_a_slanted_one_does_not():
    volume = cardboard()
    straight, slanted = np.array([0.0, 0.0, 1.0]), np.array([math.tan(math.radians(20.0)), 0.0, 1.0])
    assert volume.radial(straight) == pytest.approx(BUCKLING)
    assert volume.radial(slanted) == pytest.approx(CRUSHING)
    assert volume.hull().radial(straight) == pytest.approx(CRUSHING)


def test_pieces_are_the_core_and_one_a_sector_each_with_the_zero_force():
    volume = cardboard(sectors=5, facets=20)
    assert len(volume) == 6
    assert volume.is_star_shaped
    assert volume.support([0.0, 0.0, -1.0]) == pytest.approx(0.0, abs=1e-12)


def test_forces_grow_linearly_with_both_caps():
    directions = np.random.default_rng(4).normal(size=(300, 3))
    strong, weak = cardboard(90.0, 180.0), cardboard(30.0, 60.0).scaled(3.0)
    assert strong.radial(directions) == pytest.approx(weak.radial(directions), abs=1e-9)


@pytest.mark.parametrize(
    "bad",
    [
        {"buckling": 0.0},
        {"crushing": 20.0},
        {"crushing": math.nan},
        {"theta0": -0.1},
        {"theta0": 15.0},
        {"theta0": math.atan(0.7)},
        {"mu": -0.2},
        {"sectors": 2},
        {"facets": 0},
        {"side": "top"},
    ],
)
def test_bad_parameters_are_named_of_cardboard(bad):
    with pytest.raises(HoldfastError) as error:
        cardboard(**bad)
    assert next(iter(bad)) in str(error.value)

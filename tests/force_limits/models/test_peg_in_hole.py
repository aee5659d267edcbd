"""The peg in a hole against its closed forms."""

import math

import numpy as np
import pytest

from holdfast import HoldfastError
from holdfast.force_limits.models import peg_in_hole


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
def test_bad_parameters_are_named(bad):
    with pytest.raises(HoldfastError) as error:
        peg_in_hole(**bad)
    assert next(iter(bad)) in str(error.value)

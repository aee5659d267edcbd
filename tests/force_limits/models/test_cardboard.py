"""Corrugated cardboard against its formula."""

import math

import numpy as np
import pytest

from holdfast import HoldfastError
from holdfast.force_limits.models import cardboard

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
def test_bad_parameters_are_named(bad):
    with pytest.raises(HoldfastError) as error:
        cardboard(**bad)
    assert next(iter(bad)) in str(error.value)

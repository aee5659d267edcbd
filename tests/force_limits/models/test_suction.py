"""Suction cups: the point against its formula, the ring against wrenches by linear programs."""

import math

import numpy as np
import pytest
from scipy.optimize import linprog

from holdfast import HoldfastError
from holdfast.force_limits.models import suction, suction_ring


def largest(patch, weights, push):
    """Largest weights . (f, tau) of the ring with total f_z = push and nothing else fixed, by a linear program."""
    vertices, rays = patch.volume.pieces[0], patch.volume.rays[0]
    values, rows = [], []
    for index, point in enumerate(patch.points):
        for generator, is_vertex in [*((v, 1.0) for v in vertices), *((r, 0.0) for r in rays)]:
            wrench = np.concatenate([generator, np.cross(point, generator)])
            values.append(weights @ wrench)
            rows.append(np.concatenate([[generator[2]], is_vertex * np.eye(len(patch))[index]]))
    solution = linprog(-np.array(values), A_eq=np.array(rows).T, b_eq=np.concatenate([[push], np.ones(len(patch))]))
    return -solution.fun if solution.status == 0 else None


@pytest.mark.parametrize("cap", [None, 30.0])
def test_the_point_is_a_cone_hung_below_the_surface(cap):
    vacuum, mu, facets = 40.0, 0.6, 32
    forces = np.random.default_rng(1).uniform(-1.0, 1.0, (4000, 3)) * 60.0
    reserve = forces[:, 2] + vacuum
    use = np.hypot(forces[:, 0], forces[:, 1]) / (mu * np.where(reserve > 0, reserve, np.nan))
    below = forces[:, 2] <= (math.inf if cap is None else cap)
    inner = suction(vacuum, mu, facets=facets, cap=cap).contains(forces, tolerance=0.0)
    outer = suction(vacuum, mu, facets=facets, cap=cap, side="outer").contains(forces)
    worst = math.cos(math.pi / facets)
    assert not (inner & ~((use <= 1.0) & below)).any()
    assert inner[(use < worst - 1e-9) & below].all()
    assert outer[(use <= 1.0) & below].all()
    assert not (outer & ~((use <= 1.0 / worst + 1e-6) & below)).any()


def test_the_cup_holds_a_pull_up_to_the_vacuum_and_loses_shear_by_it():
    cup = suction(50.0, 0.5)
    assert cup.support([0.0, 0.0, -1.0]) == pytest.approx(50.0)
    assert cup.contains([[12.4, 0.0, -25.0], [24.9, 0.0, 0.0], [49.0, 0.0, 50.0]]).all()
    assert not cup.contains([[12.6, 0.0, -25.0], [25.1, 0.0, 0.0]]).any()


def test_forces_grow_linearly_with_the_vacuum():
    directions = np.random.default_rng(2).normal(size=(200, 3))
    assert suction(90.0, cap=90.0).support(directions) == pytest.approx(
        suction(30.0, cap=30.0).scaled(3).support(directions)
    )


@pytest.mark.parametrize("push", [-30.0, 0.0, 20.0])
def test_the_ring_carries_shear_torsion_and_bending_of_one_vacuum(push):
    vacuum, mu, radius, count = 50.0, 0.5, 0.02, 8
    ring = suction_ring(vacuum, mu, radius, points=count)
    reserve = push + vacuum
    assert largest(ring, np.array([1.0, 0, 0, 0, 0, 0]), push) == pytest.approx(mu * reserve)
    assert largest(ring, np.array([0, 0, 0, 0, 0, 1.0]), push) == pytest.approx(mu * radius * reserve)
    assert largest(ring, np.array([0, 0, 0, 0, 1.0, 0]), push) == pytest.approx(radius * reserve)
    between = np.array([0, 0, 0, -math.sin(math.pi / count), math.cos(math.pi / count), 0])
    assert largest(ring, between, push) == pytest.approx(radius * math.cos(math.pi / count) * reserve)


def test_beyond_the_vacuum_the_ring_lets_go():
    assert largest(suction_ring(50.0), np.zeros(6), -50.1) is None


def test_a_soft_lip_draws_the_ring_in_until_it_peels_in_time():
    ring = suction_ring(50.0, 0.5, 0.02, bending=0.4)
    assert np.linalg.norm(ring.points, axis=1) == pytest.approx(0.008)
    assert largest(ring, np.array([0, 0, 0, 0, 1.0, 0]), 0.0) == pytest.approx(0.4)
    stiff = suction_ring(50.0, 0.5, 0.02, bending=10.0)
    assert np.linalg.norm(stiff.points, axis=1) == pytest.approx(0.02)


def test_the_cap_is_shared_among_the_points():
    assert suction_ring(cap=80.0, points=4).volume.support([0.0, 0.0, 1.0]) == pytest.approx(20.0)


@pytest.mark.parametrize(
    ("model", "bad"),
    [
        (suction, {"vacuum": 0.0}),
        (suction, {"vacuum": math.nan}),
        (suction, {"mu": -0.5}),
        (suction, {"cap": -1.0}),
        (suction_ring, {"radius": 0.0}),
        (suction_ring, {"radius": 1e9}),
        (suction_ring, {"bending": -1.0}),
        (suction_ring, {"points": 2}),
        (suction_ring, {"side": ""}),
    ],
)
def test_bad_parameters_are_named(model, bad):
    with pytest.raises(HoldfastError) as error:
        model(**bad)
    assert next(iter(bad)) in str(error.value)

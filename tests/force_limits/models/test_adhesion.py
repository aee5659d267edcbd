"""Models that pull: directional contacts, dry adhesives, suction cups, magnets."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import linprog

from holdfast import HoldfastError
from holdfast.force_limits.models import (
    coulomb,
    directional_microspine,
    dry_adhesive,
    fit_dry_adhesive,
    gecko,
    gecko_two_way,
    magnet,
    suction,
    suction_ring,
)

# -- directional -----------------------------------------------------------------------------------


def admissible(forces, shear=25.0, lateral=0.785, pull=0.35, cap=math.inf):
    x, y, z = forces.T
    return (x >= 0) & (x <= shear) & (np.abs(y) <= x * math.tan(lateral)) & (-z <= x * math.tan(pull)) & (z <= cap)


@pytest.mark.parametrize("cap", [None, 40.0])
def test_membership_is_the_formula(cap):
    forces = np.random.default_rng(1).uniform(-1.0, 1.0, (5000, 3)) * (30.0, 30.0, 60.0)
    volume = directional_microspine(cap=cap)
    expected = admissible(forces, cap=math.inf if cap is None else cap)
    assert (volume.contains(forces, tolerance=0.0) == expected).all()
    assert expected.sum() > 300


def test_the_greatest_pull_needs_the_greatest_shear():
    volume = directional_microspine()
    assert volume.support([0.0, 0.0, -1.0]) == pytest.approx(25.0 * math.tan(0.35), rel=1e-12)
    assert volume.support_points([0.0, 0.0, -1.0])[0] == pytest.approx(25.0)
    assert volume.radial([0.0, 0.0, -1.0]) == pytest.approx(0.0, abs=1e-12)


def test_forces_grow_linearly_with_the_shear_limit():
    strong, weak = directional_microspine(50.0), directional_microspine(25.0).scaled(2.0)
    directions = np.random.default_rng(2).normal(size=(200, 3))
    assert strong.support(directions) == pytest.approx(weak.support(directions))


def test_one_convex_star_shaped_piece():
    volume = directional_microspine(cap=10.0)
    assert len(volume) == 1
    assert volume.is_star_shaped


def test_without_lateral_angle_the_wedge_is_flat():
    volume = directional_microspine(lateral=0.0)
    assert volume.contains([10.0, 0.0, -1.0])
    assert not volume.contains([10.0, 0.01, -1.0])


@pytest.mark.parametrize(
    "bad",
    [{"shear": 0.0}, {"shear": math.nan}, {"lateral": -0.1}, {"lateral": 45.0}, {"pull": math.pi / 2}, {"cap": -1.0}],
)
def test_bad_parameters_are_named(bad):
    with pytest.raises(HoldfastError) as error:
        directional_microspine(**bad)
    assert next(iter(bad)) in str(error.value)


# -- adhesive --------------------------------------------------------------------------------------

SHEAR, ALPHA, LATERAL = 10.0, math.radians(25.0), math.radians(30.0)


def hairs(forces):
    """The law of the default pad, one way."""
    x, y, z = forces.T
    return (z >= -x * math.tan(ALPHA)) & (x >= 0) & (x <= SHEAR) & (np.abs(y) <= x * math.tan(LATERAL))


def forces_within(reach, seed, count=5000):
    return np.random.default_rng(seed).uniform(-1.0, 1.0, (count, 3)) * reach


def test_one_way_is_the_frictional_adhesion_law():
    forces = forces_within(12.0, 1)
    assert (gecko().contains(forces, tolerance=0.0) == hairs(forces)).all()
    assert (gecko(cap=3.0).contains(forces, tolerance=0.0) == (hairs(forces) & (forces[:, 2] <= 3.0))).all()


def test_adhesion_is_the_shear_times_the_tangent_of_the_critical_angle():
    volume = gecko(10.0, math.radians(25.0))
    assert volume.support([0.0, 0.0, -1.0]) == pytest.approx(10.0 * math.tan(math.radians(25.0)), rel=1e-12)
    angles = np.radians([24.9, 25.1])
    pulls = np.column_stack([np.cos(angles), np.zeros(2), -np.sin(angles)])
    assert (volume.radial(pulls) > 1e-9).tolist() == [True, False]


def test_two_ways_are_the_union_of_both_and_not_convex():
    forces = forces_within(12.0, 2)
    volume = gecko_two_way()
    expected = hairs(forces) | hairs(forces * (-1.0, 1.0, 1.0))
    assert (volume.contains(forces, tolerance=1e-12) == expected).all()
    ends = np.array([[9.0, 0.0, -4.0], [-9.0, 0.0, -4.0]])
    assert volume.contains(ends).all()
    assert not volume.contains(ends.mean(axis=0))
    assert volume.hull().contains(ends.mean(axis=0))


def test_hairs_grow_linearly_with_the_shear_limit():
    directions = np.random.default_rng(3).normal(size=(200, 3))
    assert gecko_two_way(30.0, cap=30.0).support(directions) == pytest.approx(
        gecko_two_way(10.0, cap=10.0).scaled(3.0).support(directions)
    )


@pytest.mark.parametrize("facets", [4, 8, 16, 32])
@pytest.mark.parametrize("lateral", [None, 8.0])
def test_the_dry_adhesive_encloses_its_half_ellipsoid_to_the_stated_error(facets, lateral):
    shear, adhesion = 20.0, 5.0
    across = shear if lateral is None else lateral
    directions = np.random.default_rng(facets).normal(size=(3000, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    semi = np.array([shear, across, adhesion])
    pulled = np.column_stack([directions[:, :2], np.minimum(directions[:, 2], 0.0)])
    exact = 1.0 / np.linalg.norm(pulled / semi, axis=1)
    inner = dry_adhesive(shear, adhesion, lateral=lateral, facets=facets).radial(directions)
    outer = dry_adhesive(shear, adhesion, lateral=lateral, facets=facets, side="outer").radial(directions)
    bands = max(2, facets // 4)
    worst = math.cos(math.pi / facets) * math.cos(0.25 * math.pi / bands)
    assert (inner <= exact * (1.0 + 1e-9)).all()
    assert (inner >= exact * worst * (1.0 - 1e-9)).all()
    assert (outer >= exact * (1.0 - 1e-9)).all()
    assert (outer <= exact / worst * (1.0 + 1e-9)).all()


def test_pressing_leaves_the_shear_limit_and_ends_at_the_cap():
    volume = dry_adhesive(20.0, 5.0, cap=50.0)
    assert volume.support([[1.0, 0, 0], [0, 0, 1.0], [0, 0, -1.0]]) == pytest.approx([20.0, 50.0, 5.0])
    assert volume.contains([20.0, 0.0, 50.0])


def test_a_fit_to_forces_on_the_ellipsoid_finds_its_axes():
    rng = np.random.default_rng(7)
    directions = rng.normal(size=(60, 3))
    directions[:, 2] = -np.abs(directions[:, 2])
    semi = np.array([18.0, 11.0, 4.0])
    forces = directions / np.linalg.norm(directions / semi, axis=1, keepdims=True)
    fit = fit_dry_adhesive(forces)
    assert [fit.shear, fit.lateral, fit.adhesion] == pytest.approx(semi, rel=1e-9)
    assert fit.largest_error < 1e-9


def test_a_fit_to_scattered_forces_states_its_error():
    rng = np.random.default_rng(8)
    directions = rng.normal(size=(400, 3))
    directions[:, 2] = -np.abs(directions[:, 2])
    semi = np.array([18.0, 11.0, 4.0])
    forces = directions / np.linalg.norm(directions / semi, axis=1, keepdims=True)
    forces *= rng.normal(1.0, 0.05, (400, 1))
    fit = fit_dry_adhesive(forces)
    assert [fit.shear, fit.lateral, fit.adhesion] == pytest.approx(semi, rel=0.03)
    assert fit.rms_error == pytest.approx(0.05, rel=0.2)


@pytest.mark.parametrize(
    "forces", [np.ones((4, 2)), np.zeros((0, 3)), [[1.0, 0, 0]] * 4, [[1.0, 1, 1]] * 4, [[math.nan, 0, 0]] * 4]
)
def test_a_fit_to_too_little_is_refused(forces):
    with pytest.raises(HoldfastError):
        fit_dry_adhesive(forces)


@pytest.mark.parametrize(
    ("model", "bad"),
    [
        (gecko, {"shear": -1.0}),
        (gecko, {"alpha": 25.0}),
        (gecko, {"alpha": math.nan}),
        (gecko_two_way, {"lateral": -0.1}),
        (gecko_two_way, {"cap": 0.0}),
        (dry_adhesive, {"shear": 0.0}),
        (dry_adhesive, {"adhesion": -5.0}),
        (dry_adhesive, {"lateral": math.inf}),
        (dry_adhesive, {"facets": 3}),
        (dry_adhesive, {"side": "both"}),
    ],
)
def test_bad_parameters_are_named_of_adhesive(model, bad):
    with pytest.raises(HoldfastError) as error:
        model(**bad)
    assert next(iter(bad)) in str(error.value)


# -- suction ---------------------------------------------------------------------------------------


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
def test_bad_parameters_are_named_of_suction(model, bad):
    with pytest.raises(HoldfastError) as error:
        model(**bad)
    assert next(iter(bad)) in str(error.value)


# -- magnet ----------------------------------------------------------------------------------------


def test_a_magnet_is_the_friction_cone_lowered_by_its_attraction():
    forces = np.random.default_rng(1).uniform(-1.0, 1.0, (4000, 3)) * 200.0
    lowered = coulomb(0.3).contains(forces + np.array([0.0, 0.0, 100.0]), tolerance=1e-9)
    assert (magnet(100.0, 0.3).contains(forces) == lowered).all()


@pytest.mark.parametrize("side", ["inner", "outer"])
def test_membership_is_the_formula_to_the_stated_error(side):
    attraction, mu, facets = 80.0, 0.4, 24
    forces = np.random.default_rng(2).uniform(-1.0, 1.0, (4000, 3)) * 120.0
    reserve = forces[:, 2] + attraction
    use = np.hypot(forces[:, 0], forces[:, 1]) / (mu * np.where(reserve > 0, reserve, np.nan))
    found = magnet(attraction, mu, facets=facets, side=side).contains(forces)
    worst = math.cos(math.pi / facets)
    surely, never = (worst - 1e-6, 1.0 + 1e-6) if side == "inner" else (1.0, 1.0 / worst + 1e-6)
    assert found[use <= surely].all()
    assert not found[~(use <= never)].any()


def test_pull_off_and_slip_forces():
    volume = magnet(100.0, 0.3, cap=50.0)
    assert volume.radial([[0, 0, -1.0], [1.0, 0, 0], [0, 0, 1.0]]) == pytest.approx([100.0, 30.0, 50.0])


def test_forces_grow_linearly_with_the_attraction():
    directions = np.random.default_rng(3).normal(size=(100, 3))
    assert magnet(10.0, cap=10.0).support(directions) == pytest.approx(
        magnet(1.0, cap=1.0).scaled(10).support(directions)
    )


@pytest.mark.parametrize(
    "bad", [{"attraction": 0.0}, {"attraction": -1.0}, {"mu": math.nan}, {"facets": 0}, {"cap": math.nan}]
)
def test_bad_parameters_are_named_of_magnet(bad):
    with pytest.raises(HoldfastError) as error:
        magnet(**bad)
    assert next(iter(bad)) in str(error.value)

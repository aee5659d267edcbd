"""Sources of vertices: each kind reaches as far as its set does, and learns only what is new."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.grips import Grip, OuterGrip, coulomb_grip
from holdfast.postures import posture_equilibrium, slice_solver
from holdfast.postures.generation import GeneratedSum, plane_weights, source_of
from holdfast.postures.hands import checked_hands
from holdfast.solvers.minkowski import SumSolver, SumStatus
from tests.postures.full import BOX, largest_scale, random_bounds, random_pose, still


def test_half_spaces_and_vertices_of_a_box_reach_equally_far() -> None:
    inner, outer = Grip.box(*BOX), OuterGrip.box(*BOX)
    ways = np.random.default_rng(1).normal(size=(20, 6))
    known, found = source_of(inner, 1), source_of(outer, 3)
    expected = np.where(ways > 0.0, ways * BOX[1], ways * BOX[0]).sum(axis=1)
    assert [value for value, _ in known.reach(ways, learn=True)] == pytest.approx(expected)
    assert [value for value, _ in found.reach(ways, learn=True)] == pytest.approx(expected)
    assert not any(new for _, new in found.reach(ways, learn=True))


def test_without_a_limit_a_ray_is_learned() -> None:
    endless = OuterGrip.box([-1] * 6, [1, 1, np.inf, 1, 1, 1])
    source = source_of(endless, 1)
    _, rays = source.known()
    assert rays == pytest.approx(np.eye(6)[2:3])
    assert source_of(coulomb_grip(0.5), 1).reach(np.eye(6)[2:3], learn=True) == [(np.inf, False)]


def test_a_slab_has_no_limit_along_its_lines() -> None:
    slab = OuterGrip.box([-np.inf] * 5 + [-2.0], [np.inf] * 5 + [3.0])
    source = source_of(slab, 1)
    along = np.array([[0, 0, 0, 0, 0, 1.0], [0, 0, 0, 0, 0, -1.0], [1e-3, 0, 0, 0, 0, 1.0]])
    assert [value for value, _ in source.reach(along, learn=True)] == [3.0, 2.0, np.inf]
    assert len(source.known()[1]) == 10
    anywhere = OuterGrip(np.zeros((0, 6)), np.zeros(0))
    assert posture_equilibrium(anywhere, still([0, 0, 0]), np.arange(6.0)).verify()
    both = posture_equilibrium([slab, Grip.box(*BOX)], still([0, 0, 0], [1, 0, 0]), [9, 9, 9, 9, 9, 3.4])
    assert both.holds
    assert both.verify()
    # About z: the slab gives 3 and the box 0.5, and forces of the box at x = 1 (fy from -1 to 2) another 2.
    beyond = posture_equilibrium([slab, Grip.box(*BOX)], still([0, 0, 0], [1, 0, 0]), [0, 0, 0, 0, 0, -5.6])
    assert not beyond.holds
    assert beyond.verify()
    assert posture_equilibrium([slab, Grip.box(*BOX)], still([0, 0, 0], [1, 0, 0]), [0, 0, 0, 0, 0, -5.4]).verify()


# Column generation over mixed hands against the program written out in full.


def test_slices_of_any_mix_are_maximised_exactly_with_their_proof() -> None:
    rng = np.random.default_rng(2)
    first, second = random_bounds(rng), random_bounds(rng, 20)
    poses = [random_pose(rng) for _ in range(3)]
    grips = [first.inner, second.outer, first.outer]
    solver = slice_solver(grips, poses)
    assert isinstance(solver, GeneratedSum)
    base, axes = rng.normal(size=6), rng.normal(size=(2, 6))
    for angle in np.linspace(0.0, 6.0, 8):
        objective = np.array([np.cos(angle), np.sin(angle)])
        found = solver.maximise(base, axes, objective)
        assert found.status is SumStatus.OPTIMAL
        # Within the slice, no point on the way from the optimum outwards is in the sum.
        way = objective @ axes
        here = base + found.z @ axes
        assert largest_scale(grips, poses, -here, -way) == pytest.approx(0.0, abs=1e-7)
        y = found.multipliers
        assert axes @ y == pytest.approx(objective, abs=1e-8)
        assert solver.support(y)[0] - y @ base == pytest.approx(found.value, rel=1e-8)


def test_known_vertices_serve_other_places_too() -> None:
    rng = np.random.default_rng(3)
    bounds = random_bounds(rng)
    before, after = ([random_pose(rng) for _ in range(2)] for _ in range(2))
    solver = slice_solver(bounds, before, side="outer")
    load = rng.normal(size=6)
    cold = solver.maximise(np.zeros(6), -load[None], [1.0])
    again = solver.maximise(np.zeros(6), -load[None], [1.0])
    assert again.effort.pricings < cold.effort.pricings
    solver.place(checked_hands(bounds, after).maps)
    moved = solver.maximise(np.zeros(6), -load[None], [1.0]).value
    assert moved == pytest.approx(largest_scale([bounds.outer] * 2, after, np.zeros(6), load), rel=1e-8)


def test_grips_of_vertices_alone_go_straight_to_the_compiled_solver() -> None:
    bounds = random_bounds(np.random.default_rng(4))
    assert isinstance(slice_solver(bounds, still([0, 0, 0])), SumSolver)


def test_a_slice_stops_where_it_is_told_to() -> None:
    grip = OuterGrip.box(*BOX)
    solver = slice_solver(grip, still([0, 0, 0]))
    up = np.eye(6)[2:3]
    assert solver.maximise(np.zeros(6), up, [1.0], stop_above=1.0).value >= 1.0
    assert solver.maximise(np.zeros(6), up, [1.0], stop_below=1e3).upper_bound <= 1e3
    with pytest.raises(InputError, match="grips"):
        GeneratedSum(checked_hands(random_bounds(np.random.default_rng(4)), still([0, 0, 0])))


def test_weights_of_half_spaces_add_up_to_the_direction() -> None:
    grip = OuterGrip.box(*BOX)
    hands = checked_hands(grip, still([0, 0, 0], [1, 0, 0]))
    y = np.array([1.0, -2.0, 0.5, 0.3, 0.0, -1.0])
    for planes, transport in zip(plane_weights(hands, y), hands.maps, strict=True):
        assert planes is not None
        assert planes.weights @ grip.normals[planes.rows] == pytest.approx(transport.T @ y, abs=1e-12)

"""Membership: three answers, each with its proof, and none that the solver would contradict."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import holdfast as hf
from holdfast.devices import two_finger_gripper
from holdfast.errors import InputError
from holdfast.wrench_spaces import Proof, Rays, Subspace, WrenchSpace, wrench_space
from tests.referee import random_case, verdict
from tests.wrench_spaces.known_spaces import BOX, box_limit, box_planes, space_of

FORCES = Subspace.named("fx,fy,fz")


@pytest.fixture(scope="module")
def gripper() -> WrenchSpace:
    return wrench_space(two_finger_gripper().assembly(), "fx,ty,fz")


def loads_about(space: WrenchSpace, n: int, seed: int) -> np.ndarray:
    """Wrenches of the slice from deep inside to well outside."""
    rng = np.random.default_rng(seed)
    assert space.subspace is not None
    directions = space.subspace.directions(rng.normal(size=(n, 3)))
    return directions * (space.estimate(directions) * rng.uniform(0.3, 1.4, size=n))[:, None]


def test_no_answer_is_contradicted_by_the_solver(gripper: WrenchSpace) -> None:
    assert gripper.assembly is not None
    loads = loads_about(gripper, 60, 0)
    told = gripper.contains(loads, ask=False)
    exact = [hf.equilibrium(gripper.assembly, load).status for load in loads]
    assert told.outside.any() and told.undecided.any()
    assert all(s is hf.Status.DOES_NOT_HOLD for s, out in zip(exact, told.outside, strict=True) if out)
    assert [str(s) for s in gripper.contains(loads).status] == [str(s) for s in exact]


def test_what_is_told_outside_by_a_plane_is_beyond_that_plane(gripper: WrenchSpace) -> None:
    told = gripper.contains(loads_about(gripper, 60, 1), ask=False)
    assert set(told.proofs[told.outside]) == {Proof.PLANE}
    for load, plane in zip(told.wrenches[told.outside], told.witnesses[told.outside], strict=True):
        assert gripper.normals[plane] @ load > gripper.offsets[plane]


def test_answers_in_full_come_with_forces_or_certificate(gripper: WrenchSpace) -> None:
    told = gripper.contains(loads_about(gripper, 8, 2))
    for i, status in enumerate(told.status):
        assert told[i].status is status and told[i].verify()


def test_points_on_the_rays_are_decided_by_them(gripper: WrenchSpace) -> None:
    within = gripper.contains(np.vstack([gripper.points[:5], 0.4 * gripper.points[5:9], np.zeros(6)]), ask=False)
    assert within.inside.all() and set(within.proofs) == {Proof.RAY}
    assert within.witnesses.tolist() == [*range(9), 0]


def test_beyond_the_bound_of_its_ray_nothing_is_held_though_no_plane_says_so(gripper: WrenchSpace) -> None:
    blind = replace(gripper, offsets=np.full(len(gripper), np.nan))
    told = blind.contains(1.0001 * gripper.points[:7], ask=False)
    assert told.outside.all() and set(told.proofs) == {Proof.BOUND} and told.witnesses.tolist() == list(range(7))


def test_without_its_assembly_a_union_leaves_undecided_what_only_the_solver_knows(gripper: WrenchSpace) -> None:
    loads = loads_about(gripper, 40, 3)
    told = replace(gripper, assembly=None).contains(loads)
    assert told.undecided.any() and set(told.proofs[told.undecided]) == {Proof.NONE}
    with pytest.raises(InputError, match="assembly: is unknown"):
        told[0]


@settings(max_examples=settings.default.max_examples // 10)
@given(st.integers(0, 1000))
def test_random_unions_answer_as_every_choice_of_pieces_tried(seed: int) -> None:
    """With joint rows and pieces without zero, where smaller loads need not hold: planes, rays, solver together."""
    case = random_case(3 * seed, most_choices=12)
    space = wrench_space(case.assembly, Rays(np.vstack([case.direction, np.eye(6)])), workers=1)
    largest = verdict(case.assembly, case.direction)
    if not np.isfinite(largest.largest):
        return
    high, low = largest.largest, largest.least
    step = 1e-3 * (abs(high) + abs(high - low)) + 1e-6
    told = space.contains(np.outer([high + step, 0.5 * (high + low)], case.direction))
    assert told.outside[0] and told.inside[1]


def test_between_inner_points_of_a_convex_slice_all_is_held() -> None:
    rays = Rays.sphere(FORCES, 2)
    space = space_of(rays, box_limit(BOX), box_planes(BOX))
    loads = np.zeros((400, 6))
    loads[:, :3] = np.random.default_rng(0).uniform(-1.3, 1.3, size=(400, 3)) * BOX[:3]
    told = space.contains(loads)
    held = (np.abs(loads) <= BOX).all(axis=1)
    assert held[told.inside].all() and not held[told.outside].any()
    assert (told.proofs[told.inside] == Proof.POINTS).all()
    assert told.inside.sum() > 0.8 * held.sum() and told.outside.sum() > 0.9 * (~held).sum()


def test_a_wrench_off_the_slice_is_not_told_inside_by_it() -> None:
    space = space_of(Rays.sphere(FORCES, 1), box_limit(BOX), box_planes(BOX))
    assert space.contains([[0, 0, 0, 0.1, 0, 0]]).undecided.all()


def test_between_inner_points_in_all_six_dimensions() -> None:
    space = space_of(Rays.axes(length=0.1), box_limit(BOX))
    shares = np.random.default_rng(1).dirichlet(np.ones(7), size=5)[:, :6] * [1, -1, 1, -1, 1, -1]
    told = space.contains(np.vstack([shares * BOX, 0.9 * BOX]))
    assert told.inside.tolist() == [True] * 5 + [False] and set(told.proofs[:5]) == {Proof.POINTS}


def test_a_union_is_not_filled_between_its_points() -> None:
    space = space_of(Rays.sphere(FORCES, 1), box_limit(BOX), convex=False)
    assert space.contains([[0.1, 0.2, 0.05, 0, 0, 0]]).undecided.all()


def test_no_load_at_all_is_held_by_a_star_shaped_space_though_a_bound_is_rounded_below_zero() -> None:
    space = space_of(Rays.axes(FORCES), lambda d: np.full(len(d), -1e-16))
    assert space.contains(np.zeros((1, 6))).inside.all()


def test_on_a_ray_of_which_no_multiple_holds_all_is_outside_and_on_an_endless_one_inside() -> None:
    space = space_of(Rays.axes(FORCES), lambda d: np.array([-np.inf, np.inf, 1, 1, 1, 1]), star_shaped=False)
    told = space.contains([[2.0, 0, 0, 0, 0, 0], [0, 2.0, 0, 0, 0, 0], [-2.0, 0, 0, 0, 0, 0]], ask=False)
    assert told.outside.tolist() == [True, True, False] and told.proofs[0] == Proof.BOUND
    endless = space_of(Rays.axes(FORCES), lambda d: np.array([0.0, np.inf, 1, 1, 1, 1]), convex=False)
    assert endless.contains([[-1e6, 0, 0, 0, 0, 0]], ask=False).proofs[0] == Proof.RAY


def test_cones_hold_what_lies_between_their_endless_rays() -> None:
    def limit(directions: np.ndarray) -> np.ndarray:
        return np.where(directions[:, 2] < -0.5, np.inf, 1.0)

    space = space_of(Rays.sphere(FORCES, 2), limit)
    told = space.contains([[1.0, 2.0, -100.0, 0, 0, 0], [100.0, 0, -1.0, 0, 0, 0]])
    assert told.inside.tolist() == [True, False]


def test_where_zero_is_not_held_smaller_loads_are_not_taken_for_granted() -> None:
    """The joint needs 1 to 2 N: along -x 1.5 is held, 0.5 and nothing at all are not."""
    corners = 5.0 * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    contact = hf.Contact([0, 0, 0], np.eye(3), hf.ForceVolume([corners]))
    assembly = hf.Assembly([contact], hf.JointRows([[1.0, 0.0, 0.0]], [1.0], [2.0]))
    space = wrench_space(assembly, [[-1, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0]], workers=1)
    told = space.contains(np.outer([-1.5, -0.5, 0.0, 0.5], np.eye(6)[0]))
    assert told.inside.tolist() == [True, False, False, False] and told.outside.tolist() == [False, True, True, True]


def test_the_repr_counts_the_answers(gripper: WrenchSpace) -> None:
    told = gripper.contains(np.zeros((2, 6)))
    assert repr(told) == "Membership(2 holds)" and len(told) == 2


def test_wrenches_of_a_wrong_shape_are_refused(gripper: WrenchSpace) -> None:
    with pytest.raises(InputError, match="the last axis must have length 6"):
        gripper.contains(np.zeros(5))


def test_one_wrench_has_one_truth_and_several_have_an_array(gripper: WrenchSpace) -> None:
    inner = 0.5 * gripper.points[0]
    assert gripper.contains(inner) and not gripper.contains(100.0 * gripper.points[0])
    both = gripper.contains(np.array([inner, 100.0 * gripper.points[0]]))
    assert np.asarray(both).tolist() == [True, False]
    with pytest.raises(InputError, match="2 results"):
        bool(both)


def four_boxes(half: tuple[float, float, float], reach: float) -> hf.Assembly:
    """Boxes of forces at the corners of a square."""
    volume = hf.ForceVolume([np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * np.array(half)])
    places = [(x * reach, y * reach, 0.0) for x in (-1, 1) for y in (-1, 1)]
    return hf.Assembly([hf.Contact(place, np.eye(3), volume) for place in places])


def test_a_torque_that_no_point_has_is_not_between_points_of_micronewtons() -> None:
    space = wrench_space(four_boxes((1e-6, 1e-6, 1e-6), 1e-3), np.vstack([np.eye(6)[:3], -np.eye(6)[:3]]))
    assert space.contains([0, 0, 0, 5e-8, 0, 0]).outside.all()  # twelve times the limit of 4e-9 N m
    between = space.contains([1e-6, 1e-6, 0, 0, 0, 0])
    assert between.proofs[0] == Proof.POINTS and between[0].verify()


def test_a_needle_is_not_as_thick_as_it_is_long() -> None:
    space = wrench_space(four_boxes((0.01, 0.01, 1e6), 1.0), [[0, 0, 1, 0, 0, 0], [0, 0, -1, 0, 0, 0]])
    assert space.contains([0.2, 0, 0, 0, 0, 0]).outside.all()  # the limit is 0.04 N

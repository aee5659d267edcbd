"""Coordinates across gravity."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from holdfast.assembly.loads import gravity_wrench
from holdfast.errors import InputError, UnitError
from holdfast.geometry.frames import Pose
from holdfast.postures import support_region
from holdfast.postures.hands import checked_hands
from holdfast.postures.region import (
    Centring,
    RegionFrame,
    SupportRegion,
    Weight,
    area_of,
    border_of,
    clipped_square,
)
from holdfast.solvers.minkowski.slices import SliceKind
from tests.postures.known_regions import GRAVITY, MASS, foot, standing, strong_hands

PARTS = st.floats(-10.0, 10.0, allow_nan=False)


def test_gravity_along_minus_z_gives_world_x_and_y() -> None:
    frame = RegionFrame.across((0.0, 0.0, -9.81))
    assert frame.axes.tolist() == [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    assert frame.coordinates([0.3, -0.2, 7.0]).tolist() == [0.3, -0.2]
    assert frame.coordinates([0.3, -0.2]).tolist() == [0.3, -0.2]


@given(st.tuples(PARTS, PARTS, PARTS).filter(lambda g: np.linalg.norm(g) > 1e-3))
def test_axes_and_up_are_a_right_handed_frame_across_any_gravity(gravity: tuple[float, float, float]) -> None:
    frame = RegionFrame.across(gravity)
    whole = np.vstack([frame.axes, frame.up])
    assert np.allclose(whole @ whole.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(whole) == pytest.approx(1.0)
    assert np.allclose(frame.axes @ np.array(gravity), 0.0, atol=1e-12)


@given(st.tuples(PARTS, PARTS, PARTS).filter(lambda g: np.linalg.norm(g) > 1e-3), st.tuples(PARTS, PARTS, PARTS))
def test_the_height_of_a_mass_changes_nothing_and_its_place_is_affine(
    gravity: tuple[float, float, float], com: tuple[float, float, float]
) -> None:
    weight = Weight.of(3.0, gravity)
    z = weight.frame.coordinates(com)
    wrench = gravity_wrench(3.0, gravity, com)
    assert np.allclose(weight.wrench(z), wrench, atol=1e-9)
    base, axes = weight.wanted(np.zeros(3))
    assert np.allclose(-(base + z @ axes), wrench, atol=1e-9)
    assert np.allclose(weight.frame.coordinates(weight.frame.points(z, 4.0)), z, atol=1e-9)


def test_no_gravity_and_no_mass_are_errors() -> None:
    with pytest.raises(InputError, match="gravity: is zero"):
        Weight.of(1.0, (0.0, 0.0, 0.0))
    with pytest.raises(InputError, match="mass"):
        Weight.of(0.0, (0.0, 0.0, -9.81))
    with pytest.raises(InputError, match="com: has shape"):
        RegionFrame.across((0.0, 0.0, -1.0)).coordinates([1.0, 2.0, 3.0, 4.0])


@pytest.mark.parametrize("size", [1e-300, 1e-10, 1e10, 1e30])
def test_gravities_of_no_such_size_are_units_mistaken(size: float) -> None:
    with pytest.raises(UnitError, match=r"gravity: is .* m/s\^2 .*1e-09 to 1e\+09"):
        Weight.of(1.0, (0.0, 0.0, -size))


def test_weights_stay_within_the_forces_that_occur() -> None:
    assert Weight.of(1e3, (0.0, 0.0, -1e9)).force[2] == -1e12
    with pytest.raises(UnitError, match="mass: weighs 1e.14 N"):
        Weight.of(1e5, (0.0, 0.0, -1e9))
    with pytest.raises(UnitError, match="mass: weighs 1e-18 N"):
        Weight.of(1e-9, (0.0, 0.0, -1e-9))


# Wrenches about a point amid the hands.


def test_maps_are_the_transports_of_the_shifted_palms() -> None:
    rng = np.random.default_rng(0)
    poses = standing(rng.normal(size=(3, 3)) + 50.0, rng.normal(size=(3, 3)).tolist())
    centring = Centring(checked_hands(foot(), poses))
    shifted = [Pose(pose.rotation, pose.translation - centring.centre) for pose in centring.hands.poses]
    assert np.allclose(centring.maps, [pose.wrench_transport() for pose in shifted])
    assert np.allclose(np.mean([pose.translation for pose in shifted], axis=0), 0.0, atol=1e-12)


def test_multipliers_give_the_same_product_about_either_point() -> None:
    rng = np.random.default_rng(1)
    centring = Centring(checked_hands(foot(), standing(rng.normal(size=(2, 3)) + 5.0)))
    wrench, y = rng.normal(size=6), rng.normal(size=6)
    about = wrench.copy()
    about[3:] -= np.cross(centring.centre, wrench[:3])
    assert np.isclose(centring.from_world(y) @ about, y @ wrench)
    assert np.allclose(centring.to_world(centring.from_world(y)), y)


# Borders, areas and clipping of planar sets.

NONE = np.zeros((0, 2))


def border_distance(corners: np.ndarray, points: np.ndarray) -> np.ndarray:
    return shapely.distance(border_of(corners), shapely.points(points))


SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])


def test_distances_to_the_border_of_a_square() -> None:
    points = np.array([[0.5, 0.4], [2.0, 2.0], [-0.3, 0.5]])
    assert np.allclose(border_distance(SQUARE, points), [0.4, np.sqrt(2.0), 0.3])


def test_distances_to_thin_and_unbounded_borders() -> None:
    points = np.array([[0.0, 3.0], [5.0, -2.0]])
    assert np.allclose(border_distance(SQUARE[:2], points), [3.0, np.hypot(4.0, 2.0)])
    assert np.allclose(border_distance(SQUARE[:1], points), np.hypot(*points.T))
    wedge = clipped_square(-np.eye(2), np.zeros(2), np.zeros(2), 50.0)
    assert np.allclose(border_distance(wedge, np.array([[-1.0, 7.0], [9.0, -2.0], [-3.0, -4.0]])), [1.0, 2.0, 5.0])
    line = np.array([[-50.0, 0.0], [50.0, 0.0]])
    assert np.allclose(border_distance(line, points), [3.0, 2.0])


def test_areas() -> None:
    assert area_of(SliceKind.POLYGON, SQUARE + 100.0, NONE) == pytest.approx(1.0)
    assert area_of(SliceKind.SEGMENT, SQUARE[:2], NONE) == 0.0
    assert area_of(SliceKind.PLANE, SQUARE[:1], NONE) == np.inf
    assert area_of(SliceKind.UNBOUNDED, SQUARE[:1], np.array([[1.0, 0.0]])) == 0.0  # a half-line
    assert area_of(SliceKind.UNBOUNDED, SQUARE[:1], np.array([[1.0, 0.0], [-1.0, 0.0]])) == 0.0  # a line
    assert area_of(SliceKind.UNBOUNDED, SQUARE[[0, 2]], np.array([[1.0, 0.0]])) == np.inf


def test_a_square_clipped_by_a_half_plane_keeps_the_other_half() -> None:
    corners = clipped_square(np.array([[1.0, 0.0]]), np.array([0.0]), np.zeros(2), 2.0)
    assert area_of(SliceKind.POLYGON, corners, NONE) == pytest.approx(8.0)
    assert corners[:, 0].max() == 0.0
    assert not len(clipped_square(np.array([[1.0, 0.0]]), np.array([-3.0]), np.zeros(2), 2.0))


# What a region says about centres of mass.


@pytest.fixture(scope="module")
def square() -> SupportRegion:
    return support_region(foot(), standing([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]), MASS, GRAVITY)


def test_distances_are_positive_inside_and_euclidean_outside(square: SupportRegion) -> None:
    coms = [[0.5, 0.5, 9.0], [0.9, 0.5, -3.0], [2.0, 2.0, 0.0], [0.5, -0.25, 0.0]]
    assert np.allclose(square.signed_distance(coms), [0.5, 0.1, -np.sqrt(2.0), -0.25])
    assert square.contains(coms).tolist() == [True, True, False, False]
    assert square.signed_distance([0.5, 0.5]) == pytest.approx(0.5)


def test_distances_agree_with_a_fine_sampling_of_the_border() -> None:
    region = support_region(*strong_hands(40, 2), MASS, GRAVITY)
    shares = np.linspace(0.0, 1.0, 400)[:, None, None]
    border = ((1.0 - shares) * region.vertices + shares * np.roll(region.vertices, -1, axis=0)).reshape(-1, 2)
    rng = np.random.default_rng(0)
    points = region.vertices.mean(axis=0) + rng.normal(size=(40, 2))
    nearest = np.hypot(*(points[:, None] - border).transpose(2, 0, 1)).min(axis=1)
    assert np.allclose(np.abs(region.signed_distance(points)), nearest, atol=2e-3)


def test_vertices_lie_on_the_border_and_turn_counter_clockwise() -> None:
    region = support_region(*strong_hands(40, 4), MASS, GRAVITY)
    assert np.abs(region.signed_distance(region.vertices)).max() < 1e-9 * region.size
    steps = np.roll(region.vertices, -1, axis=0) - region.vertices
    after = np.roll(steps, -1, axis=0)
    assert (steps[:, 0] * after[:, 1] - steps[:, 1] * after[:, 0] > 0.0).all()


def test_outlines_of_unbounded_regions_are_cut_at_the_reach() -> None:
    walls = [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]]
    line = support_region(foot(), standing([[0, 0, 0], [1, 0, 0]], walls), MASS, GRAVITY)
    drawn = line.outline(3.0)
    assert np.allclose(drawn[:, 1], 0.0, atol=1e-9) and np.ptp(drawn[:, 0]) == pytest.approx(6.0)
    rng = np.random.default_rng(0)
    poses = standing(rng.normal(size=(5, 3)), (rng.normal(size=(5, 3)) + [0, 0, 1.0]).tolist())
    wedge = support_region(foot(), poses, MASS, GRAVITY)
    if not wedge.is_bounded:
        assert (wedge.normals @ wedge.outline(20.0).T <= wedge.offsets[:, None] + 1e-9).all()


def test_a_region_says_what_it_is(square: SupportRegion) -> None:
    assert repr(square) == "SupportRegion(polygon, 4 vertices, 1 m^2)"
    assert square.is_bounded and not square.is_empty and square.mass == MASS
    assert square.gravity.tolist() == list(GRAVITY)
    assert square.proof.wrenches.shape == (4, 4, 6) and square.proof.multipliers.shape == (4, 6)


def test_a_small_stance_is_told_apart_by_its_own_size() -> None:
    half = 0.3e-3
    corners = [[-half, -half, 0], [half, -half, 0], [half, half, 0], [-half, half, 0]]
    region = support_region(foot(), standing(corners), MASS, GRAVITY)
    assert region.extent < 0.1 * region.size  # the hands' length is far larger
    assert region.contains(region.vertices).all()
    assert not region.contains([half + 1e-10, 0.0])
    assert region.contains([half + 0.5e-9 * region.extent, 0.0])
    assert not region.contains([half + 1e-14, 0.0], tolerance=0.0)


def test_thin_and_large_regions_have_the_extent_that_tolerances_had(square: SupportRegion) -> None:
    segment = support_region(foot(), standing([[0, 0, 0], [1, 0, 0]]), MASS, GRAVITY)
    assert segment.extent == segment.size
    assert square.extent <= square.size


# The constraint that a centre of mass meets: its edge, its proof, and the hands at their limit.


def test_on_flat_ground_the_feet_away_from_the_edge_give_nothing() -> None:
    square = support_region(foot(), standing([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]), MASS, GRAVITY)
    edge = square.active([0.5, 0.9, 2.0])
    assert edge is not None
    assert np.allclose(edge.direction, [0.0, 1.0, 0.0]) and edge.slack == pytest.approx(0.1)
    assert sorted(hand.hand for hand in edge.hands) == [0, 1]
    assert all(hand.vertices.tolist() == [0] and not len(hand.rays) for hand in edge.hands)
    beyond = square.active([0.5, 1.4])
    assert beyond is not None and beyond.edge == edge.edge and beyond.slack == pytest.approx(-0.4)


def test_on_an_edge_every_hand_gives_all_it_can_along_the_multiplier() -> None:
    grips, poses = strong_hands(40, 1)
    region = support_region(grips, poses, MASS, GRAVITY)
    middle = 0.5 * (region.vertices[0] + region.vertices[1])
    edge = region.active(middle)
    assert edge is not None and edge.edge == 0 and edge.slack == pytest.approx(0.0, abs=1e-9)
    mixed = 0.5 * (region.proof.wrenches[0] + region.proof.wrenches[1])
    assert len(edge.hands) == 3 and edge.hands[0].share == 1.0
    for hand in edge.hands:
        assert hand.normal @ mixed[hand.hand] == pytest.approx(hand.support, rel=1e-9)
        used = {int(i) for corner in (0, 1) for i in region.proof.weights[corner][hand.hand].indices}
        assert used <= set(hand.vertices.tolist())
    # together they are the edge's offset
    base, _ = region.weight.wanted(region.centring.centre)
    total = sum(hand.support for hand in edge.hands) - region.centring.from_world(edge.multiplier) @ base
    assert total + edge.normal @ region.frame.coordinates(region.centring.centre) == pytest.approx(edge.offset)


def test_an_empty_region_names_the_separating_multiplier() -> None:
    nothing = support_region(foot(), standing([[0, 0, 0]], [[0.0, 0.0, -1.0]]), MASS, GRAVITY)
    limit = nothing.active([0.0, 0.0])
    assert limit is not None and limit.edge == -1 and limit.slack == -np.inf
    assert np.array_equal(limit.multiplier, nothing.proof.separator)


def test_one_centre_of_mass_at_a_time() -> None:
    one = support_region(foot(), standing([[0, 0, 0]]), MASS, GRAVITY)
    with pytest.raises(InputError, match="one centre of mass"):
        one.active([[0.0, 0.0], [1.0, 0.0]])


# Regions that were tampered with do not pass.


@pytest.fixture(scope="module")
def region() -> SupportRegion:
    return support_region(*strong_hands(40, 3), MASS, GRAVITY)


def test_what_was_found_passes_with_room_to_spare(region: SupportRegion) -> None:
    assert region.residuals.worst < 1e-11 and region.residuals.passed


def test_a_moved_corner_fails(region: SupportRegion) -> None:
    vertices = region.vertices.copy()
    vertices[2] += 1e-6
    moved = replace(region, vertices=vertices)
    assert not moved.verify() and moved.residuals.balance > 1e-8


def test_a_half_plane_that_is_too_tight_or_too_loose_fails(region: SupportRegion) -> None:
    for shift, name in ((-1e-6, "offsets"), (1e-6, "agreement")):
        offsets = region.offsets.copy()
        offsets[1] += shift
        found = replace(region, offsets=offsets).residuals
        assert not found.passed and getattr(found, name) > 1e-8


def test_a_missing_corner_fails(region: SupportRegion) -> None:
    keep = np.arange(len(region.vertices)) != 4
    proof = replace(
        region.proof,
        wrenches=region.proof.wrenches[keep],
        weights=[w for w, kept in zip(region.proof.weights, keep, strict=True) if kept],
        multipliers=region.proof.multipliers[keep],
    )
    less = replace(
        region, vertices=region.vertices[keep], normals=region.normals[keep], offsets=region.offsets[keep], proof=proof
    )
    assert less.residuals.agreement > 1e-6


def test_a_multiplier_of_another_edge_fails(region: SupportRegion) -> None:
    other = replace(region.proof, multipliers=np.roll(region.proof.multipliers, 1, axis=0))
    assert replace(region, proof=other).residuals.multipliers > 1e-6


def test_a_false_ray_and_a_false_separator_fail() -> None:
    walls = [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]]
    line = support_region(foot(), standing([[0, 0, 0], [1, 0, 0]], walls), MASS, GRAVITY)
    assert not replace(line, rays=line.rays[:, ::-1]).verify()
    nothing = support_region(foot(), standing([[0, 0, 0]], [[0.0, 0.0, -1.0]]), MASS, GRAVITY)
    assert nothing.proof.separator is not None
    wrong = replace(nothing.proof, separator=-nothing.proof.separator)
    assert nothing.verify() and not replace(nothing, proof=wrong).verify()

"""Kernels of planar grasps are stored by the sources that they are made of.

The blur against its convolution written out, and histograms against numpy's.

Walks around labelled pixels: every border once, the object on the left, points on the level.

Fewest pieces against brute force over all choices of ends, and piece lines against singular values.

Triplets of regions: those found are all that a plain search finds, with its foci and contacts.

The best spread over its whole range: closed forms by the points and lines, minima and limits by dense search.

Poses over many grasps: the frame of the fingers' contacts, and what is told of contacts without a pose.
"""

from __future__ import annotations

from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy import ndimage

from holdfast.compiling import sources
from holdfast.grasps import kernels as compiling
from holdfast.grasps.candidates import project, zones
from holdfast.grasps.hands import _grid
from holdfast.grasps.kernels import contacts as hand_poses
from holdfast.grasps.kernels import contacts as hand_spread
from holdfast.grasps.kernels.contacts import solve, these_triplets, three_closed, triplets, zone_centroid, zone_of
from holdfast.grasps.kernels.contours import (
    PIXEL_SPREAD,
    blur_weights,
    blurred,
    fewest_pieces,
    fewest_pieces_around,
    longest_stretches,
    piece_line,
    traced_ring,
    widest_windows,
    window_lines,
)
from holdfast.grasps.pictures import histogram
from holdfast.grasps.regions import left_normals
from tests.grasps.hand_family import family, left_first, random_grasps
from tests.grasps.test_candidates import margin_by_program
from tests.nightly import nightly_after


def test_a_stored_kernel_knows_the_sources_it_was_made_from():
    assert sources(Path(compiling.__file__).parent) in solve._cache._cache_file._source_stamp


@pytest.mark.parametrize("sigma", [0.6, 1.0, 2.5])
@pytest.mark.parametrize("shape", [(20, 31), (3, 40), (17, 5)])
def test_the_blur_is_a_gaussian_less_its_laplacian(sigma, shape):
    picture = np.random.default_rng(0).uniform(size=shape)
    weights = blur_weights(sigma).astype(float)
    smooth = ndimage.correlate(picture, np.outer(weights, weights), mode="nearest")
    laplace = np.array([[1, 4, 1], [4, -20, 4], [1, 4, 1]]) / 6
    wanted = smooth - (sigma**2 + PIXEL_SPREAD) * ndimage.correlate(smooth, laplace, mode="nearest")
    np.testing.assert_allclose(blurred(picture, sigma), wanted, atol=2e-5)


def test_flat_pictures_and_straight_edges_stay_where_they_are():
    np.testing.assert_allclose(blurred(np.full((12, 15), 0.3), 1.0), 0.3, atol=1e-6)
    edge = np.zeros((30, 40))
    edge[:, 20:] = 1.0
    found = blurred(edge, 1.5)
    np.testing.assert_allclose(found[:, 19] + found[:, 20], 1.0, atol=1e-5)
    assert ((found[:, :20] < 0.5) & (found[:, 20:] > 0.5)).all()


def test_weights_add_up_and_are_even():
    for sigma in (0.5, 1.0, 3.0):
        weights = blur_weights(sigma)
        assert weights.sum() == pytest.approx(1.0, abs=1e-6)
        np.testing.assert_array_equal(weights, weights[::-1])


def test_histograms_count_every_pixel_once():
    picture = np.random.default_rng(1).normal(size=(50, 60)).astype(np.float32)
    low, high = float(picture.min()), float(picture.max())
    counts = histogram(picture, low, high, 32)
    assert counts.sum() == picture.size
    wanted, _ = np.histogram(picture, bins=32, range=(low, high))
    assert np.abs(counts - wanted).max() <= 2  # values on an edge may fall either way


def walk(mask, field=None, start=None):
    row, column = np.argwhere(mask)[0] if start is None else start[:2]
    values = mask.astype(np.float32) if field is None else field
    return traced_ring(mask, values, 0.5, int(row), int(column), 1 if start is None else start[2])


def area(ring):
    """Signed area with x the column and y up."""
    x, y = ring[:, 1], -ring[:, 0]
    return (x * np.roll(y, -1) - y * np.roll(x, -1)).sum() / 2


def test_one_pixel_is_walked_around_by_its_four_sides():
    mask = np.zeros((3, 3), dtype=bool)
    mask[1, 1] = True
    ring = walk(mask)
    assert len(ring) == 4
    assert area(ring) == pytest.approx(0.5)


def test_pixels_that_touch_at_a_corner_only_are_not_joined():
    mask = np.zeros((4, 4), dtype=bool)
    mask[1, 1] = mask[2, 2] = True
    assert len(walk(mask)) == 4
    mask[1, 2] = True
    assert len(walk(mask)) == 8


@pytest.mark.parametrize("seed", nightly_after(12, range(20)))
def test_every_side_between_the_object_and_the_outside_is_passed_once(seed):
    rng = np.random.default_rng(seed)
    labels, _ = ndimage.label(ndimage.gaussian_filter(rng.normal(size=(30, 34)), 1.2) > 0.0)
    sizes = np.bincount(labels.ravel())[1:]
    mask = np.pad(labels == 1 + sizes.argmax(), 1)
    outside, _ = ndimage.label(~mask, structure=np.ones((3, 3)))
    rings = [walk(mask)]
    for label in set(np.unique(outside)) - {0, outside[0, 0]}:
        row, column = np.argwhere(outside == label)[0]
        rings.append(walk(mask, start=(row - 1, column, 3)))
    sides = sum((mask & ~np.roll(mask, step, axis)).sum() for step in (1, -1) for axis in (0, 1))
    assert sum(len(ring) for ring in rings) == sides
    assert len(np.unique(np.concatenate(rings), axis=0)) == sides
    assert area(rings[0]) > 0
    assert all(area(ring) < 0 for ring in rings[1:])


def test_points_lie_on_the_level_of_the_interpolated_picture():
    row, column = np.mgrid[:40, :40]
    field = (0.5 + 0.05 * (12.3 - np.hypot(row - 19.2, column - 20.7))).astype(np.float32)
    mask = field > 0.5
    ring = walk(mask, field)
    np.testing.assert_allclose(ndimage.map_coordinates(field.astype(float), ring.T, order=1), 0.5, atol=1e-6)
    np.testing.assert_allclose(np.hypot(*(ring - [19.2, 20.7]).T), 12.3, atol=0.02)


def test_long_borders_outgrow_the_first_room_for_points():
    mask = np.zeros((63, 63), dtype=bool)
    mask[1:-1:2, 1:-1] = True
    mask[1:-1, 1] = True  # a comb
    assert len(walk(mask)) > 4 * 126


def fit(points):
    """(largest distance from the line midway along the least-squares direction, sum of squares)."""
    centred = points - points.mean(axis=0)
    _, _, right = np.linalg.svd(centred)
    off = centred @ right[1]
    return np.ptp(off) / 2, (off**2).sum()


def best_of_all(points, tolerance, closed=False):
    """Least (pieces, sum of squares) over all choices of ends."""
    n = len(points)
    best = (n + 1, np.inf)
    for first in range(n) if closed else [0]:
        run = np.arange(first, first + n + 1) % n if closed else np.arange(n)
        last = len(run) - 1
        for count in range(min(best[0], last)):
            for inner in combinations(range(1, last), count):
                ends = [0, *inner, last]
                fits = [(*fit(points[run[a : b + 1]]), b - a) for a, b in pairwise(ends)]
                if all(off <= tolerance or span == 1 for off, _, span in fits):
                    best = min(best, (count + 1, round(sum(cost for _, cost, _ in fits), 9)))
    return best


def achieved(points, ends):
    n = len(points)
    return len(ends) - 1, sum(fit(points[np.arange(a, b + 1) % n])[1] for a, b in pairwise(ends))


@pytest.mark.parametrize("seed", range(6))
def test_open_runs_take_the_fewest_pieces_of_all_choices(seed):
    rng = np.random.default_rng(seed)
    points = np.column_stack([np.arange(10.0), np.cumsum(rng.normal(0, 0.8, 10))])
    ends = fewest_pieces(points, 0.4)
    assert (ends[0], ends[-1]) == (0, 9)
    count, cost = achieved(points, ends)
    wanted = best_of_all(points, 0.4)
    assert count == wanted[0]
    assert cost == pytest.approx(wanted[1], abs=1e-6)


@pytest.mark.parametrize("seed", range(2))
def test_closed_curves_take_the_best_of_all_starts(seed):
    rng = np.random.default_rng(seed)
    turn = 2 * np.pi * np.arange(9) / 9
    points = (4 + rng.normal(0, 0.4, 9))[:, None] * np.column_stack([np.cos(turn), np.sin(turn)])
    ends = fewest_pieces_around(points, 0.5)
    assert ends[-1] - ends[0] == 9
    count, cost = achieved(points, ends)
    wanted = best_of_all(points, 0.5, closed=True)
    assert count == wanted[0]
    assert cost == pytest.approx(wanted[1], abs=1e-6)


def test_a_straight_run_is_one_piece_however_long():
    points = np.column_stack([np.linspace(0, 4000, 8000), np.full(8000, 3.0)])
    np.testing.assert_array_equal(fewest_pieces(points, 0.5), [0, 7999])


def test_a_mild_corner_of_a_long_run_is_found_near_its_place():
    x = np.linspace(0, 1000, 2001)
    points = np.column_stack([x, np.where(x > 600, 0.1 * (x - 600), 0.0)])
    ends = fewest_pieces(points, 0.5)
    assert len(ends) == 3
    assert x[ends[1]] == pytest.approx(600, abs=6)


def test_a_pieces_line_runs_midway_between_its_farthest_points():
    angle = np.linspace(-0.2, 0.2, 41)
    points = 50 * np.column_stack([np.sin(angle), np.cos(angle)])
    ends, off = piece_line(points)
    rise = 50 * (1 - np.cos(0.2))
    assert off == pytest.approx(rise / 2)
    np.testing.assert_allclose(ends[:, 1], 50 - rise / 2)
    np.testing.assert_allclose(ends[:, 0], points[[0, -1], 0])
    back, _ = piece_line(points[::-1])
    np.testing.assert_allclose(back, ends[::-1])


def wavy_ring(count=300):
    turn = 2.0 * np.pi * np.arange(count) / count
    reach = 30.0 + 5.0 * np.cos(3.0 * turn)
    return np.column_stack([reach * np.cos(turn) + 100.0, reach * np.sin(turn) - 40.0])


def test_the_lines_of_many_windows_are_those_of_each():
    ring = wavy_ring()
    firsts, lasts = np.array([-20, 0, 150, 290]), np.array([5, 12, 190, 330])
    ends, strayed = window_lines(ring, firsts, lasts)
    for k, (first, last) in enumerate(zip(firsts, lasts, strict=True)):
        wanted, off = piece_line(ring[np.arange(first, last + 1) % len(ring)])
        if (wanted[1] - wanted[0]) @ (ends[k, 1] - ends[k, 0]) > 0:
            np.testing.assert_allclose(ends[k], wanted, atol=1e-9)
        assert strayed[k] == pytest.approx(off, abs=1e-9)
    for k, (first, last) in enumerate(zip(firsts, lasts, strict=True)):
        chord = ring[last % len(ring)] - ring[first % len(ring)]
        assert (ends[k, 1] - ends[k, 0]) @ chord > 0.0


def test_windows_are_widened_until_they_stray_or_meet_a_limit():
    ring = wavy_ring()
    middles = np.array([0, 50, 100, 299])
    free = widest_windows(ring, middles, middles - 149, middles + 149, 0.4)
    for middle, half in zip(middles, free, strict=True):
        assert piece_line(ring[np.arange(middle - half, middle + half + 1) % 300])[1] <= 0.4
        assert piece_line(ring[np.arange(middle - half - 1, middle + half + 2) % 300])[1] > 0.4
    near = widest_windows(ring, middles, middles - 2, middles + 149, 0.4)
    np.testing.assert_array_equal(near, np.minimum(free, 2))


def test_the_longest_stretch_through_a_point_is_that_of_all_stretches():
    ring = wavy_ring()
    points = np.array([40, 61, 99, 120])
    found = longest_stretches(ring, points, 30, 130, 0.4)
    straight = {
        (first, last)
        for first in range(30, 131)
        for last in range(first + 1, min(first + 45, 131))
        if fit(ring[first : last + 1])[0] <= 0.4
    }
    for point, (first, last) in zip(points, found, strict=True):
        assert (first, last) in straight and first <= point <= last
        # stretches are widened point by point; one or two points more may fit again where one did not
        assert last - first >= max(b - a for a, b in straight if a <= point <= b) - 2
    around = longest_stretches(ring, np.array([0]), -300, 599, 0.4)[0]
    assert around[0] <= 0 <= around[1] and fit(ring[np.arange(around[0], around[1] + 1) % 300])[0] <= 0.4


def ring_of_regions(seed, count=7):
    rng = np.random.default_rng(seed)
    angle = np.sort(rng.uniform(0, 2 * np.pi, count))
    middle = rng.uniform(25, 45, (count, 1)) * np.column_stack([np.cos(angle), np.sin(angle)])
    turn = angle + np.pi / 2 + rng.normal(0, 0.2, count)
    half = rng.uniform(4, 12, (count, 1)) * np.column_stack([np.cos(turn), np.sin(turn)])
    return np.stack([middle - half, middle + half], axis=1)


@pytest.mark.parametrize("seed", range(4))
def test_the_triplets_found_are_those_of_a_plain_search(seed):
    segments, mu, inset = ring_of_regions(seed), 0.4, 0.3
    normals = left_normals(segments)
    regions, foci, contacts, polygons = triplets(segments, normals, mu, inset)
    found = {tuple(r): g for g, r in enumerate(regions.tolist())}
    for chosen in combinations(range(len(segments)), 3):
        own = segments[list(chosen)]
        (zone,) = zones(own[None], mu)
        accepted = zone.kind != "empty"
        if accepted:
            (points,), _ = project(zone.centroid[None], own[None], inset=inset)
            towards = zone.centroid - points
            height = (towards * normals[list(chosen)]).sum(axis=1)
            angle = np.arccos(np.clip(height / np.linalg.norm(towards, axis=1), -1, 1))
            accepted = angle.max() <= np.arctan(mu) and margin_by_program(points, normals[list(chosen)], mu) > 1e-9
        assert (chosen in found) == accepted
        if accepted:
            g = found[chosen]
            np.testing.assert_allclose(foci[g], zone.centroid, atol=1e-6)
            np.testing.assert_allclose(contacts[g], points, atol=1e-6)
            assert len(polygons[g]) == len(zone.vertices)


def test_fewer_than_three_regions_have_no_triplet():
    for count in (0, 1, 2):
        segments = ring_of_regions(0)[:count]
        regions, foci, contacts, polygons = triplets(segments, left_normals(segments), 0.4, 0.3)
        assert (regions.shape, foci.shape, contacts.shape, polygons) == ((0, 3), (0, 2), (0, 3, 2), [])


def test_parallel_strips_that_never_end_have_no_triplet():
    segments = np.array([[[x, 0.0], [x + 10.0, 0.0]] for x in (0.0, 1.0, 2.0)])
    assert len(triplets(segments, left_normals(segments), 0.4, 0.3)[0]) == 0


def test_zones_and_centroids_of_a_triangle_of_sides():
    corners = 10 * np.array([[0.0, 0], [4, 0], [0, 3]])
    segments = np.stack([corners, np.roll(corners, -1, axis=0)], axis=1)
    # all points of a right triangle's strips: those of the legs cut out their rectangle, the hypotenuse halves it
    zone = zone_of(segments, left_normals(segments), 0.0)
    inside = np.array([[5.0, 5.0], [15.0, 12.0]])
    hull = np.vstack([zone, zone[:1]])
    for point in inside:
        edges = np.diff(hull, axis=0)
        seen = edges[:, 0] * (point - zone)[:, 1] - edges[:, 1] * (point - zone)[:, 0]
        assert (seen >= -1e-9).all()
    np.testing.assert_allclose(zone_centroid(corners), corners.mean(axis=0))


def test_closure_of_many_is_closure_of_each():
    rng = np.random.default_rng(8)
    contacts = rng.normal(0, 20, (30, 3, 2))
    normals = -contacts / np.linalg.norm(contacts, axis=2, keepdims=True)
    many = three_closed(contacts, normals, 0.3)
    assert many.tolist() == [bool(three_closed(contacts[g : g + 1], normals[g : g + 1], 0.3)[0]) for g in range(30)]


def test_chosen_triplets_and_pairs_that_may_serve_together_are_found_as_among_all():
    segments, mu, inset = ring_of_regions(1, count=9), 0.4, 0.3
    normals = left_normals(segments)
    regions, foci, contacts, _ = triplets(segments, normals, mu, inset)
    asked = np.array([chosen for chosen in combinations(range(9), 3) if sum(chosen) % 2])
    wanted = regions.sum(axis=1) % 2 == 1
    some = these_triplets(asked, segments, normals, mu, inset)
    np.testing.assert_array_equal(some[0], regions[wanted])
    np.testing.assert_array_equal(some[1], foci[wanted])
    np.testing.assert_array_equal(some[2], contacts[wanted])
    together = np.ones((9, 9), dtype=bool)
    together[2, 5] = together[5, 2] = False
    kept = triplets(segments, normals, mu, inset, together)[0]
    apart = ~((regions == 2).any(axis=1) & (regions == 5).any(axis=1))
    np.testing.assert_array_equal(kept, regions[apart])
    assert not apart.all()
    assert len(these_triplets(np.empty((0, 3), dtype=np.int64), segments, normals, mu, inset)[0]) == 0


LOW, HIGH = np.radians(2.0), np.radians(88.0)


def local(contacts: np.ndarray, normals: np.ndarray):
    return hand_poses.local_shape(contacts, normals, *left_first(contacts))[0]


def best(shape, offset: float, longest: float) -> tuple[float, bool]:
    table = _grid(LOW, HIGH)
    return hand_spread.best_spread(table, np.empty((6, table.shape[0])), shape, offset, longest)


def test_deviations_and_extensions_are_those_of_the_points_and_lines():
    contacts, normals = random_grasps(np.random.default_rng(31), 40)
    spreads = np.radians([2.0, 11.0, 45.0, 60.0, 88.0])
    for points, inward in zip(contacts, normals, strict=True):
        shape, (left, right) = local(points, inward), left_first(points)
        total, reach = family(points, inward, spreads, 25.0)
        for row, theta in enumerate(spreads):
            assert hand_spread.squares(theta, shape) == pytest.approx(total[row], abs=1e-6)
            have = hand_spread.extensions(theta, shape, 25.0)
            assert have == pytest.approx(reach[row, [0, left, right]], rel=1e-9, abs=1e-8)


def test_angles_are_wrapped_to_half_a_turn():
    for angle in np.linspace(-20.0, 20.0, 101):
        assert hand_spread.wrapped(angle) == pytest.approx(np.arctan2(np.sin(angle), np.cos(angle)), abs=1e-13)


def test_the_lowest_of_several_valleys_is_found_where_deviations_wrap():
    rng = np.random.default_rng(32)
    spreads = np.linspace(LOW, HIGH, 5001)
    valleys = 0
    for _ in range(300):
        length, sideways, away = rng.uniform(1.0, 100.0), rng.normal() * 60.0, 10.0 ** rng.uniform(-3.0, 2.3)
        shape = (length, sideways, away, *rng.uniform(-9.0, 9.0, 3))
        phi = np.arctan2(sideways * np.cos(spreads), away * np.cos(spreads) + 0.5 * length * np.sin(spreads))
        raw = np.stack([shape[3] - phi, shape[4] - phi + spreads, shape[5] - phi - spreads])
        total = (np.arctan2(np.sin(raw), np.cos(raw)) ** 2).sum(axis=0)
        theta, reached = best(shape, 0.0, 1e9)
        found = hand_spread.squares(theta, shape)
        inner = (total[1:-1] < total[:-2]) & (total[1:-1] < total[2:])
        valleys += int(inner.sum() + (total[0] < total[1]) + (total[-1] < total[-2])) > 1
        if reached:
            thumb = np.array([hand_spread.extensions(t, shape, 0.0) for t in spreads[::250]]).min(axis=1) >= 0.0
            assert not thumb.any() or found <= total[::250][thumb].min() + 1e-9
        else:
            assert found <= total.min() + 1e-9
    assert valleys > 50


def test_short_stretches_within_reach_are_not_overlooked():
    rng = np.random.default_rng(33)
    contacts, normals = random_grasps(rng, 400)
    spreads = np.linspace(LOW, HIGH, 8001)
    seen = 0
    for points, inward in zip(contacts, normals, strict=True):
        shape = local(points, inward)
        _, reach = family(points, inward, spreads, 10.0)
        peak = np.where(reach.min(axis=1) >= 0.0, reach.max(axis=1), np.inf)
        if not np.isfinite(peak.min()):
            continue
        # The longest extension is chosen so that only a sliver around its smallest need stays within reach.
        longest = float(peak.min()) * (1.0 + 1e-7)
        theta, reached = best(shape, 10.0, longest)
        assert reached and abs(theta - spreads[peak.argmin()]) < np.radians(1.0)
        have = np.array(hand_spread.extensions(theta, shape, 10.0))
        assert have.min() >= -1e-9 * longest and have.max() <= longest * (1.0 + 1e-9)
        seen += 1
    assert seen > 80


def test_a_spread_at_an_end_of_its_range_is_exact():
    # Forces of the fingers straight down, the thumb straight up: the smaller the spread, the better.
    normals = np.array([[0.0, 1.0], [0.0, -1.0], [0.0, -1.0]])
    shape = local(np.array([[0.0, -40.0], [-1.0, 40.0], [1.0, 40.0]]), normals)
    assert best(shape, 0.0, 1e4) == (LOW, True)
    shape = local(np.array([[0.0, -1.0], [-50.0, 1.0], [50.0, 1.0]]), np.array([[0.0, 1.0], [1.0, 0.0], [-1.0, 0.0]]))
    assert best(shape, 0.0, 1e4) == (HIGH, True)


UP = np.array([[0.0, 1.0], [0.0, -1.0], [0.0, -1.0]])


def test_the_frame_of_the_fingers_contacts_points_away_from_the_thumb():
    contacts = np.array([[1.0, -5.0], [-3.0, 2.0], [7.0, 2.0]])
    shape, heading, outcome = hand_poses.local_shape(contacts, UP, 1, 2)
    assert outcome == hand_poses.REACHED and heading == pytest.approx(np.pi / 2)
    assert shape == pytest.approx((10.0, 1.0, 7.0, 0.0, 2.0 * np.pi, 2.0 * np.pi))


@pytest.mark.parametrize(
    "contacts, outcome",
    [
        ([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]], hand_poses.IN_LINE),
        ([[1.0, 0.0], [0.0, 0.0], [2.0, 0.0]], hand_poses.IN_LINE),
        ([[0.0, 0.0], [1.0, 3.0], [1.0, 3.0]], hand_poses.COINCIDENT),
        ([[1.0, 3.0], [1.0, 3.0], [1.0, 3.0]], hand_poses.COINCIDENT),
    ],
)
def test_contacts_without_a_triangle_have_no_frame(contacts, outcome):
    assert hand_poses.local_shape(np.array(contacts), UP, 1, 2)[2] == outcome


def test_rows_without_a_pose_are_left_as_they_are():
    contacts = np.array([[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]], [[0.0, -10.0], [-25.0, 10.0], [25.0, 10.0]]])
    spread, palm, axis, focus = np.full(2, 7.0), *(np.full((2, 2), 7.0) for _ in range(3))
    forces, reach, outcome = np.full((2, 3, 2), 7.0), np.full((2, 3), 7.0), np.full(2, -9)
    table = np.array(
        [[0.1, np.sin(0.1), np.cos(0.1)], [0.2, np.sin(0.2), np.cos(0.2)], [0.3, np.sin(0.3), np.cos(0.3)]]
    )
    hand_poses.solve(
        contacts, np.stack([UP, UP]), np.array([False, True]), 25.0, 150.0, table, np.empty((6, 3)),
        spread, palm, axis, forces, focus, reach, outcome,
    )  # fmt: skip
    assert outcome.tolist() == [hand_poses.IN_LINE, hand_poses.REACHED]
    assert (spread[0], *palm[0], *axis[0], *reach[0]) == (7.0,) * 8
    assert reach[1] == pytest.approx([10.0] * 3) and palm[1] == pytest.approx([0.0, 0.0])
    assert forces[1] == pytest.approx(UP) and focus[1].tolist() == [7.0, 7.0]

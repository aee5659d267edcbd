"""Triplets of regions: those found are all that a plain search finds, with its foci and contacts."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from holdfast.grasps.candidates import project, zones
from holdfast.grasps.regions import left_normals
from holdfast.grasps.triplets import these_triplets, three_closed, triplets, zone_centroid, zone_of
from tests.grasps.test_candidates import margin_by_program


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


def test_clear_forces_to_one_focus_are_closed_by_the_wrenches_too(monkeypatch):
    for seed in range(4):
        segments = ring_of_regions(seed, count=12)
        normals = left_normals(segments)
        shortened = triplets(segments, normals, 0.4, 0.3)
        with monkeypatch.context() as patch:
            patch.setattr("holdfast.grasps.triplets.CLEARLY", np.inf)
            asked = triplets(segments, normals, 0.4, 0.3)
        assert len(asked[0]) > 10
        np.testing.assert_array_equal(shortened[0], asked[0])
        np.testing.assert_array_equal(shortened[2], asked[2])

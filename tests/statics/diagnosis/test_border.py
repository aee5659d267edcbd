from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.statics.diagnosis import active_facets, is_idle, on_border, utilisation
from tests.referee import block, dented_unit, pyramid

BOXES = hf.ForceVolume([block([-1, -1, -1], [1, 1, 1]), block([1, -1, -1], [3, 1, 1])])  # they share the face x = 1


@pytest.mark.parametrize(
    "force, piece, whole",
    [
        ((1, 0, 0), True, False),  # on the shared face: the other box goes on
        ((1, 0.5, -0.3), True, False),
        ((1, 1, 0), True, True),  # on the rim of the shared face
        ((0, 1, 0), True, True),
        ((-1, -1, -1), True, True),
        ((0.5, 0, 0), False, False),
    ],
)
def test_the_border_of_a_piece_is_one_of_the_union_only_where_no_other_piece_goes_on(force, piece, whole):
    f = np.array(force, dtype=float)
    assert on_border(BOXES.polytopes[:1], f) is piece
    assert on_border(BOXES.polytopes, f) is whole


def test_four_boxes_round_an_edge_leave_no_border_and_three_do():
    """Every box alone, and every two of them, leave a direction open at the common edge."""
    quarters = [block([x, y, -1], [x + 1, y + 1, 1]) for x in (-1, 0) for y in (-1, 0)]
    edge = np.zeros(3)
    assert not on_border(hf.ForceVolume(quarters).polytopes, edge)
    for left_out in range(4):
        assert on_border(hf.ForceVolume(quarters[:left_out] + quarters[left_out + 1 :]).polytopes, edge)


def _inside(volume: hf.ForceVolume, forces: np.ndarray) -> np.ndarray:
    """Whether forces (n, 3) lie in some piece, by its facets."""
    facets = [p.halfspaces for p in volume.polytopes]
    return np.any([(forces @ normals.T <= offsets + 1e-9).all(axis=1) for normals, offsets in facets], axis=0)


def test_the_border_is_where_a_small_step_can_leave_the_union():
    """Against brute force: two thousand small steps from points of facets of random unions."""
    rng = np.random.default_rng(4)
    steps = hf.loads.sphere_directions(2000)
    seen = {True: 0, False: 0}
    for _ in range(12):
        volume = hf.ForceVolume([rng.normal(size=(8, 3)) * 3.0 for _ in range(3)])
        for polytope in volume.polytopes:
            for triangle in polytope.triangles[::2]:
                force = rng.dirichlet([3, 3, 3]) @ polytope.vertices[triangle]
                others = [float(p.signed_distance(force)) for p in volume.polytopes if p is not polytope]
                if min(abs(d) for d in others) < 1e-2:
                    continue  # a step of 1e-3 would meet the other piece by chance
                leaves = not _inside(volume, force + 1e-3 * steps).all()
                assert on_border(volume.polytopes, force) is leaves
                seen[leaves] += 1
    assert min(seen.values()) > 10


def test_a_flat_volume_has_its_rim_for_a_border():
    plate = hf.ForceVolume([[[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]], allow_flat=True)
    rod = hf.ForceVolume([[[0, 0, 0], [0, 0, 5]]], allow_flat=True)
    assert not on_border(plate.polytopes, np.array([0.2, 0.3, 0.0]))
    assert on_border(plate.polytopes, np.array([1.0, 0.3, 0.0]))
    assert not on_border(rod.polytopes, np.array([0.0, 0.0, 2.0]))
    assert on_border(rod.polytopes, np.array([0.0, 0.0, 5.0]))
    turned = rod.rotated(hf.rotation_about([1, 2, 3], 0.7))
    assert not on_border(turned.polytopes, 0.4 * turned.pieces[0][1])
    assert on_border(turned.polytopes, turned.pieces[0][1])


def test_a_single_force_is_its_own_border():
    assert on_border(hf.ForceVolume([[[1.0, 2.0, 3.0]]], allow_flat=True).polytopes, np.array([1.0, 2.0, 3.0]))


def test_a_force_outside_counts_as_at_the_border():
    assert on_border(BOXES.polytopes, np.array([9.0, 0.0, 0.0]))


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_the_tolerance_is_relative_to_the_volume(size):
    volume = hf.ForceVolume([block([-size] * 3, [size] * 3)])
    assert on_border(volume.polytopes, np.array([size * (1 - 1e-8), 0, 0]))
    assert not on_border(volume.polytopes, np.array([size * (1 - 1e-4), 0, 0]))
    assert is_idle(volume, np.array([1e-9 * size, 0, 0]))
    assert not is_idle(volume, np.array([1e-3 * size, 0, 0]))


def test_active_facets_are_those_the_force_lies_on():
    normals = active_facets(BOXES.polytopes[0], np.array([1.0, 1.0, 0.0]))
    assert sorted(map(tuple, normals.round(9) + 0.0)) == [(0.0, 1.0, 0.0), (1.0, 0.0, 0.0)]


def test_utilisation_is_the_share_of_the_largest_force_in_that_direction():
    volume = hf.ForceVolume([pyramid(0.5, 100.0)])
    inside = np.array([10.0, 5.0, 60.0])
    assert utilisation(volume, inside, at_limit=False) == pytest.approx(0.6)
    assert utilisation(volume, np.zeros(3), at_limit=True) == 0.0


def test_the_side_of_a_cone_is_a_limit_though_the_force_could_grow_along_itself():
    cone = hf.ForceVolume([np.zeros((1, 3))], [pyramid(0.5, 1.0)[1:]])
    slipping, pressing = np.array([5.0, 0.0, 10.0]), np.array([1.0, 0.0, 10.0])
    assert on_border(cone.polytopes, slipping) and not on_border(cone.polytopes, pressing)
    assert utilisation(cone, slipping, at_limit=True) == 1.0
    assert utilisation(cone, pressing, at_limit=False) == pytest.approx(1.0 / (0.5 * 10.0))
    assert utilisation(cone, np.array([0.0, 0.0, 10.0]), at_limit=False) == 0.0
    assert is_idle(cone, np.zeros(3)) and not is_idle(cone, 1e-9 * pressing)


def test_the_dent_of_a_unit_is_a_border():
    unit = dented_unit()
    assert on_border(unit.polytopes, np.array([10.0, 0.0, -2.0]))  # on the way to the pull along +x
    assert not on_border(unit.polytopes, np.array([0.0, 0.0, 10.0]))


def _share_by_bisection(volume: hf.ForceVolume, force: np.ndarray) -> float:
    """One over the largest growth of the shear part of `force` that stays admissible, by membership alone."""
    low, high = 1.0, 1e6
    for _ in range(80):
        middle = np.sqrt(low * high)
        inside = bool(_inside(volume, (force * [middle, middle, 1.0])[None])[0])
        low, high = (middle, high) if inside else (low, middle)
    return 1.0 / low


@pytest.mark.parametrize("cap", [np.inf, 1e6, 100.0])
def test_a_cap_far_away_leaves_the_use_of_a_cone_as_it_is(cap):
    cone = hf.ForceVolume([np.zeros((1, 3))], [pyramid(0.5, 1.0)[1:]])
    volume = cone if cap == np.inf else hf.ForceVolume([pyramid(0.5, cap)])
    rng = np.random.default_rng(7)
    for _ in range(20):
        normal = rng.uniform(1.0, 99.0)
        force = np.array([*rng.uniform(-0.24, 0.24, 2) * normal, normal])
        expected = max(_share_by_bisection(volume, force), normal / cap)
        assert utilisation(volume, force, at_limit=False) == pytest.approx(expected, rel=1e-6)
        assert utilisation(volume, 0.9 * force, at_limit=False) <= expected * (1 + 1e-6)  # more force, more use


def test_the_use_across_goes_on_from_piece_to_piece():
    """Two halves of a cone side by side are one cone."""
    left = [[0, 0, 0], [-5, -5, 10], [-5, 5, 10], [1, -5, 10], [1, 5, 10]]
    right = [[0, 0, 0], [5, -5, 10], [5, 5, 10], [1, -5, 10], [1, 5, 10]]
    whole, halves = hf.ForceVolume([pyramid(0.5, 10.0)]), hf.ForceVolume([left, right])
    for force in ([0.3, 0.0, 6.0], [-1.0, 0.5, 6.0], [2.0, 0.1, 5.0]):
        f = np.array(force)
        assert utilisation(halves, f, at_limit=False) == pytest.approx(utilisation(whole, f, at_limit=False))

from __future__ import annotations

import itertools
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull, HalfspaceIntersection

import holdfast as hf
from holdfast.errors import FrameError, GeometryError, HoldfastError, InputError, UnitError
from holdfast.force_limits.volume import MOST_PIECES_FOR_VOLUME, DecompositionReport
from tests.referee import block, dented_unit, distance_to_piece, random_rotation, random_volume

seeds = st.integers(0, 100_000)
few = settings(max_examples=30)

CUBE = block([-1, -1, -1], [1, 1, 1])
NEXT_CUBE = CUBE + np.array([1, 1, 1])  # overlaps CUBE in a unit cube
FAR_CUBE = CUBE + np.array([10, 0, 0])
CONE = np.array([[0.5, 0, 1], [-0.5, 0, 1], [0, 0.5, 1], [0, -0.5, 1.0]])


def union_of(seed: int, *, rays: bool = False) -> hf.ForceVolume:
    rng = np.random.default_rng(seed)
    return random_volume(rng, int(rng.integers(1, 5)), rays=rays, offset=True)


# -- a union ----------------------------------------------------------------------------------------


def test_a_union_holds_what_any_piece_holds_and_nothing_between():
    volume = hf.ForceVolume([CUBE, FAR_CUBE])
    assert volume.contains([[0, 0, 0], [10, 1, 1]]).all()
    assert not volume.contains([5, 0, 0])
    assert volume.hull().contains([5, 0, 0])
    assert len(volume) == 2
    np.testing.assert_array_equal(volume.pieces[1], FAR_CUBE)
    assert [len(r) for r in volume.rays] == [0, 0]


@few
@given(seeds, st.booleans())
def test_every_question_is_the_best_answer_of_the_pieces(seed, rays):
    volume = union_of(seed, rays=rays)
    rng = np.random.default_rng(seed + 1)
    points = rng.normal(size=(6, 3)) * 8
    apart = np.array(
        [[distance_to_piece(x, p, r) for x in points] for p, r in zip(volume.pieces, volume.rays, strict=True)]
    )
    distance = volume.signed_distance(points)
    np.testing.assert_allclose(np.maximum(distance, 0.0), apart.min(axis=0), atol=1e-7 * volume.size)
    np.testing.assert_array_equal(volume.contains(points), distance <= 1e-9 * volume.size)
    for point, piece, foot in zip(points, volume.piece_of(points), volume.nearest(points), strict=True):
        own = distance_to_piece(point, volume.pieces[piece], volume.rays[piece])
        assert own == pytest.approx(apart.min(axis=0)[(points == point).all(axis=1)][0], abs=1e-7 * volume.size)
        assert volume.contains(foot, 1e-8)
        assert np.linalg.norm(point - foot) == pytest.approx(own, abs=1e-7 * volume.size)


@few
@given(seeds)
def test_support_and_radial_are_the_largest_over_the_pieces(seed):
    volume = union_of(seed)
    rng = np.random.default_rng(seed + 2)
    directions = rng.normal(size=(7, 3))
    vertices = np.concatenate(volume.pieces)
    support = volume.support(directions)
    np.testing.assert_allclose(support, (directions @ vertices.T).max(axis=1))
    points = volume.support_points(directions)
    np.testing.assert_allclose((points * directions).sum(axis=1), support)
    assert volume.contains(points).all()
    reach = volume.radial(directions)
    assert volume.contains(reach[:, None] * directions, 1e-8)[reach > 0].all()
    assert not volume.contains((reach[:, None] + 1e-4) * 1.001 * directions).any()
    for t in (1.5, 3.0, 10.0):
        assert not volume.contains(np.maximum(t * reach[:, None], 1e-3) * directions).any()


def test_support_of_some_pieces_only():
    volume = hf.ForceVolume([CUBE, FAR_CUBE])
    assert volume.support([1, 0, 0]) == pytest.approx(11.0)
    assert volume.support([1, 0, 0], pieces=[0]) == pytest.approx(1.0)


def test_depth_inside_a_union_never_overstates():
    volume = hf.ForceVolume([CUBE, NEXT_CUBE])
    points = np.random.default_rng(0).uniform(-1, 2, size=(300, 3))
    inside = points[volume.contains(points)]
    for point, depth in zip(inside, -volume.signed_distance(inside), strict=True):
        steps = np.random.default_rng(1).normal(size=(100, 3))
        steps /= np.linalg.norm(steps, axis=1, keepdims=True)
        assert volume.contains(point + 0.999 * depth * steps).all()


def test_questions_take_any_leading_shape():
    volume = dented_unit()
    forces = np.random.default_rng(0).normal(size=(2, 5, 3)) * 10
    for method in (volume.contains, volume.signed_distance, volume.piece_of, volume.support, volume.radial):
        assert method(forces).shape == (2, 5)
        np.testing.assert_allclose(method(forces)[1, 2], method(forces[1, 2]))
    for method in (volume.nearest, volume.support_points):
        assert method(forces).shape == (2, 5, 3)
        np.testing.assert_allclose(method(forces)[1, 2], method(forces[1, 2]))


def test_the_dent_of_a_unit_is_outside_though_its_hull_fills_it():
    unit = dented_unit(shear=20, pull=4)
    straight = np.array([0, 0, -2.0])
    assert not unit.contains(straight)
    assert unit.hull().contains(straight)
    assert unit.radial([0, 0, -1]) == pytest.approx(0.0)
    assert unit.radial([5, 0, -1]) == pytest.approx(4.0)
    assert unit.is_star_shaped


# -- measure ----------------------------------------------------------------------------------------


def test_volumes_of_unions_in_closed_form():
    assert hf.ForceVolume([CUBE]).volume == pytest.approx(8.0)
    assert hf.ForceVolume([CUBE, FAR_CUBE]).volume == pytest.approx(16.0)
    assert hf.ForceVolume([CUBE, NEXT_CUBE]).volume == pytest.approx(15.0)
    assert hf.ForceVolume([CUBE, CUBE * 0.5]).volume == pytest.approx(8.0)
    assert hf.ForceVolume([CUBE, CUBE * 0.5, CUBE * 0.25]).volume == pytest.approx(8.0)
    assert hf.ForceVolume([CUBE, CUBE + np.array([2, 0, 0])]).volume == pytest.approx(16.0)  # a shared face
    bars = [block([-3, -1, -1], [3, 1, 1]), block([-1, -3, -1], [1, 3, 1]), block([-1, -1, -3], [1, 1, 3])]
    assert hf.ForceVolume(bars).volume == pytest.approx(3 * 24 - 2 * 8)


def test_centroids_of_unions_in_closed_form():
    np.testing.assert_allclose(hf.ForceVolume([CUBE, FAR_CUBE]).centroid, [5, 0, 0], atol=1e-12)
    np.testing.assert_allclose(hf.ForceVolume([CUBE, NEXT_CUBE]).centroid, np.full(3, (8 * 0 + 8 * 1 - 1 * 0.5) / 15))


@pytest.mark.parametrize("seed", range(4))
def test_volume_and_centroid_of_a_union_agree_with_monte_carlo(seed):
    rng = np.random.default_rng(seed)
    pieces = [rng.normal(size=(10, 3)) * 2 + rng.normal(size=3) for _ in range(4)]
    volume = hf.ForceVolume(pieces)
    low, high = np.concatenate(pieces).min(axis=0), np.concatenate(pieces).max(axis=0)
    samples = rng.uniform(low, high, size=(100_000, 3))
    inside = np.zeros(len(samples), dtype=bool)
    for piece in pieces:
        equations = ConvexHull(piece).equations
        inside |= (samples @ equations[:, :3].T + equations[:, 3] <= 0).all(axis=1)
    assert volume.volume == pytest.approx(inside.mean() * np.prod(high - low), rel=5 / np.sqrt(inside.sum()))
    spread = np.ptp(np.concatenate(pieces), axis=0)
    assert (np.abs(volume.centroid - samples[inside].mean(axis=0)) < 0.02 * spread).all()


@few
@given(seeds)
def test_splitting_a_piece_changes_neither_volume_nor_centroid_nor_membership(seed):
    rng = np.random.default_rng(seed)
    whole = hf.geometry.Polytope(rng.normal(size=(10, 3)) * 3)
    normal = rng.normal(size=3)
    offset = float(normal @ whole.centroid)
    left, right = whole.clipped(normal, offset), whole.clipped(-normal, -offset)
    volume = hf.ForceVolume([left.vertices, right.vertices])
    assert volume.volume == pytest.approx(whole.volume, rel=1e-7)
    np.testing.assert_allclose(volume.centroid, whole.centroid, atol=1e-7 * whole.size)
    points = rng.normal(size=(40, 3)) * 3
    np.testing.assert_array_equal(volume.contains(points, 1e-7), whole.contains(points, 1e-7))


def test_unbounded_volumes_have_no_centroid_and_infinite_volume():
    cone = hf.ForceVolume([[[0, 0, 0]]], [CONE])
    assert cone.volume == np.inf
    assert not cone.is_bounded
    with pytest.raises(GeometryError) as caught:
        _ = cone.centroid
    assert caught.value.fix


def test_a_union_of_too_many_pieces_refuses_its_volume_and_says_why():
    pieces = [CUBE + np.array([3.0 * i, 0, 0]) for i in range(MOST_PIECES_FOR_VOLUME + 1)]
    volume = hf.ForceVolume(pieces)
    with pytest.raises(GeometryError, match="too costly"):
        _ = volume.volume
    assert hf.ForceVolume(pieces[:-1]).volume == pytest.approx(8.0 * MOST_PIECES_FOR_VOLUME)


def test_flat_volumes_have_no_volume_but_a_centroid():
    frictionless = hf.ForceVolume([[[0, 0, 0], [0, 0, 50]]], allow_flat=True)
    assert frictionless.volume == 0.0
    np.testing.assert_allclose(frictionless.centroid, [0, 0, 25])
    mixed = hf.ForceVolume([CUBE, [[0, 0, 0], [0, 0, 50]]], allow_flat=True)
    assert mixed.volume == pytest.approx(8.0)
    np.testing.assert_allclose(mixed.centroid, [0, 0, 0], atol=1e-12)


# -- forms ------------------------------------------------------------------------------------------


@few
@given(seeds)
def test_a_volume_rebuilt_from_its_h_forms_is_the_same_volume(seed):
    volume = union_of(seed)
    pieces = []
    for polytope in volume.polytopes:
        normals, offsets = polytope.halfspaces
        pieces.append(HalfspaceIntersection(np.column_stack([normals, -offsets]), polytope.centroid).intersections)
    again = hf.ForceVolume([hf.geometry.Polytope(p).extreme for p in pieces])
    rng = np.random.default_rng(seed + 3)
    directions = rng.normal(size=(50, 3))
    np.testing.assert_allclose(again.support(directions), volume.support(directions), atol=1e-7 * volume.size)
    np.testing.assert_allclose(again.radial(directions), volume.radial(directions), atol=1e-6 * volume.size)
    points = rng.normal(size=(50, 3)) * 8
    np.testing.assert_allclose(again.signed_distance(points), volume.signed_distance(points), atol=1e-7 * volume.size)
    assert again.volume == pytest.approx(volume.volume, rel=1e-6)


def test_rays_given_apart_or_capped_far_agree_near():
    cone = hf.ForceVolume([[[0, 0, 0], [0, 0, -2]]], [CONE])
    capped = cone.capped([0, 0, 1], 100.0)
    assert capped.is_bounded
    points = np.random.default_rng(0).normal(size=(300, 3)) * 10
    np.testing.assert_array_equal(cone.contains(points), capped.contains(points))
    assert cone.radial([0, 0, 1]) == np.inf
    assert capped.radial([0, 0, 1]) == pytest.approx(100.0)
    assert cone.support([0, 0, -1]) == pytest.approx(2.0)
    assert cone.support([0, 0, 1]) == np.inf


def test_capping_drops_pieces_that_are_cut_off_and_refuses_to_drop_all():
    volume = hf.ForceVolume([CUBE, FAR_CUBE])
    near = volume.capped([1, 0, 0], 5.0)
    assert len(near) == 1
    assert volume.capped([1, 0, 0], 10.0).volume == pytest.approx(12.0)
    with pytest.raises(GeometryError) as caught:
        volume.capped([1, 0, 0], -5.0)
    assert caught.value.where == "limit"


# -- laws -------------------------------------------------------------------------------------------


@few
@given(seeds, st.floats(-6, 6))
def test_units_scale_everything_by_the_right_power(seed, exponent):
    volume, factor = union_of(seed), 10.0**exponent
    scaled = volume.scaled(factor)
    rng = np.random.default_rng(seed + 4)
    points = rng.normal(size=(5, 3)) * 8
    np.testing.assert_allclose(
        scaled.signed_distance(points * factor),
        volume.signed_distance(points) * factor,
        rtol=1e-7,
        atol=1e-9 * scaled.size,
    )
    np.testing.assert_allclose(scaled.support(points), volume.support(points) * factor, rtol=1e-12)
    np.testing.assert_allclose(scaled.radial(points), volume.radial(points) * factor, rtol=1e-9, atol=1e-12 * factor)
    assert scaled.volume == pytest.approx(volume.volume * factor**3, rel=1e-7)
    np.testing.assert_allclose(scaled.centroid, volume.centroid * factor, rtol=1e-7, atol=1e-9 * scaled.size)
    np.testing.assert_array_equal(scaled.contains(points * factor), volume.contains(points))


def test_stretched_shear_scales_friction_and_leaves_the_normal_component():
    cone = hf.ForceVolume([np.zeros((1, 3))], [CONE])
    np.testing.assert_allclose(cone.stretched(0.4).radial([0.2, 0, 1.0]), np.inf)
    assert cone.stretched(0.4).contains([0.199, 0, 1])
    assert not cone.stretched(0.4).contains([0.201, 0, 1])
    volume = union_of(5)
    ways = np.random.default_rng(0).normal(size=(50, 3))
    np.testing.assert_allclose(volume.stretched(2.0, 0.5).support(ways), volume.support(ways * [2.0, 2.0, 0.5]))
    np.testing.assert_allclose(volume.stretched(3.0, 3.0).support(ways), volume.scaled(3.0).support(ways))
    with pytest.raises(InputError, match="shear"):
        volume.stretched(0.0)


@few
@given(seeds)
def test_turning_a_volume_turns_its_answers(seed):
    volume = union_of(seed, rays=True)
    rng = np.random.default_rng(seed + 5)
    turn = random_rotation(rng)
    turned = volume.rotated(turn)
    points = rng.normal(size=(6, 3)) * 8
    np.testing.assert_allclose(
        turned.signed_distance(points @ turn.T), volume.signed_distance(points), atol=1e-8 * volume.size
    )
    np.testing.assert_allclose(turned.support(points @ turn.T), volume.support(points), rtol=1e-9)
    np.testing.assert_allclose(turned.nearest(points @ turn.T), volume.nearest(points) @ turn.T, atol=1e-6)


@few
@given(seeds, seeds)
def test_a_union_of_volumes_holds_what_either_holds(a, b):
    first, second = union_of(a), union_of(b)
    both = first.union(second)
    points = np.random.default_rng(a + b).normal(size=(40, 3)) * 8
    np.testing.assert_allclose(
        both.signed_distance(points), np.minimum(first.signed_distance(points), second.signed_distance(points))
    )
    assert len(both) == len(first) + len(second)


@few
@given(seeds)
def test_order_of_pieces_and_vertices_does_not_matter(seed):
    volume = union_of(seed)
    rng = np.random.default_rng(seed + 6)
    shuffled = hf.ForceVolume([rng.permutation(p) for p in volume.pieces][::-1])
    points = rng.normal(size=(20, 3)) * 8
    np.testing.assert_allclose(
        shuffled.signed_distance(points), volume.signed_distance(points), atol=1e-9 * volume.size
    )
    assert shuffled.volume == pytest.approx(volume.volume)


# -- fingerprint ------------------------------------------------------------------------------------


def test_equal_geometry_has_equal_fingerprints_and_other_geometry_another():
    volume = dented_unit()
    assert volume.fingerprint == hf.ForceVolume([p.copy() for p in volume.pieces]).fingerprint
    assert volume.fingerprint == hf.ForceVolume([p.tolist() for p in volume.pieces]).fingerprint
    others = [
        volume.scaled(1 + 1e-15),
        hf.ForceVolume(volume.pieces[::-1]),
        hf.ForceVolume(volume.pieces[:1]),
        hf.ForceVolume([volume.pieces[0][::-1], volume.pieces[1]]),
        hf.ForceVolume(volume.pieces, [[[0, 0, 1]], None]),
        hf.ForceVolume(volume.pieces, [None, [[0, 0, 1]]]),
    ]
    prints = [volume.fingerprint, *(v.fingerprint for v in others)]
    assert len(set(prints)) == len(prints)


def test_minus_zero_is_zero_in_a_fingerprint():
    a = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    assert hf.ForceVolume([a]).fingerprint == hf.ForceVolume([np.where(a == 0, -0.0, a)]).fingerprint


def test_vertices_moved_to_another_piece_change_the_fingerprint():
    points = np.random.default_rng(0).normal(size=(9, 3))
    assert hf.ForceVolume([points[:4], points[4:]]).fingerprint != hf.ForceVolume([points[:5], points[5:]]).fingerprint


def test_the_fingerprint_is_the_same_in_another_process():
    code = "import numpy as np, holdfast as hf; print(hf.ForceVolume([np.eye(3).tolist() + [[0, 0, -1]]]).fingerprint)"
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    assert there == hf.ForceVolume([[*np.eye(3).tolist(), [0, 0, -1]]]).fingerprint


# -- hulls ------------------------------------------------------------------------------------------


@few
@given(seeds)
def test_the_hull_of_any_subset_is_the_hull_of_its_vertices(seed):
    volume = union_of(seed)
    hulls = volume.hulls()
    n = len(volume)
    assert set(hulls) == {k for r in range(1, n + 1) for k in itertools.combinations(range(n), r)}
    for key, hull in hulls.items():
        points = np.concatenate([volume.pieces[i] for i in key])
        assert hull.volume == pytest.approx(ConvexHull(points).volume, rel=1e-9)
        assert hull.contains(points).all()


def test_hulls_of_pieces_with_rays_keep_the_rays():
    volume = hf.ForceVolume([[[0, 0, 0]], CUBE + np.array([5, 0, 0])], [CONE, None])
    hull = volume.hull()
    assert not hull.is_bounded
    assert hull.contains([5, 0, 1e6])
    assert volume.hull([1]).is_bounded
    assert volume.hull([0, 1]) is volume.hull([1, 0, 0])


@pytest.mark.parametrize("subset", [[], [2], [-1], [0, 5]])
def test_a_hull_of_pieces_that_do_not_exist_is_an_error(subset):
    with pytest.raises(InputError) as caught:
        hf.ForceVolume([CUBE, FAR_CUBE]).hull(subset)
    assert caught.value.where == "subset"


# -- bad input --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "pieces, rays, where",
    [
        ([], None, "pieces"),
        (None, None, "pieces"),
        (5.0, None, "pieces"),
        ("cube", None, "pieces"),
        (CUBE, None, "pieces"),
        ([CUBE, CUBE[:, :2]], None, "pieces[1]"),
        ([CUBE, [1, 2, 3]], None, "pieces[1]"),
        ([CUBE, []], None, "pieces[1]"),
        ([CUBE, np.zeros((0, 3))], None, "pieces[1]"),
        ([np.where(CUBE > 0, np.nan, CUBE)], None, "pieces[0][1, 2]"),
        ([CUBE, np.where(CUBE > 0, np.inf, CUBE)], None, "pieces[1][1, 2]"),
        ([[["a", 1, 2]]], None, "pieces[0]"),
        ([CUBE], [], "rays"),
        ([CUBE], [None, None], "rays"),
        ([CUBE], 3.0, "rays"),
        ([CUBE], [[0, 0, 1]], "rays[0]"),
        ([CUBE], [[[0, 0, np.nan]]], "rays[0][0, 2]"),
        ([CUBE, CUBE * 2], [None, [[0, 0, 0]]], "rays[1][0]"),
        ([CUBE[:4]], None, "pieces[0]"),
        ([CUBE, np.concatenate([CUBE, CUBE[3:4]])], None, "pieces[1]"),
        ([CUBE * 1e13], None, "pieces[0]"),
        ([CUBE * 1e-13], None, "pieces[0]"),
        ([CUBE * 1e300], None, "pieces[0][0, 0]"),
    ],
)
def test_bad_pieces_are_holdfast_errors_that_name_the_piece(pieces, rays, where):
    with pytest.raises(HoldfastError) as caught:
        hf.ForceVolume(pieces, rays)
    assert caught.value.where == where
    assert caught.value.what
    assert caught.value.fix


@pytest.mark.parametrize(
    "vertices, kind",
    [
        ([[1, 2, 3]], "a point"),
        ([[0, 0, 0], [0, 0, 1], [0, 0, 3]], "a line"),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], "a plane"),
        ((np.random.default_rng(0).normal(size=(6, 2)) @ random_rotation(np.random.default_rng(1))[:2] + 4), "a plane"),
    ],
)
def test_flat_pieces_are_refused_unless_meant(vertices, kind):
    with pytest.raises(GeometryError, match=kind) as caught:
        hf.ForceVolume([CUBE, vertices])
    assert caught.value.where == "pieces[1]"
    assert "allow_flat" in caught.value.fix
    assert len(hf.ForceVolume([CUBE, vertices], allow_flat=True)) == 2


def test_repeated_vertices_are_named_by_row():
    with pytest.raises(GeometryError, match=r"rows \[2, 8\]"):
        hf.ForceVolume([np.concatenate([CUBE, CUBE[2:3]])])


def test_gigantic_and_tiny_forces_are_taken_for_a_mistaken_unit():
    for factor in (1e13, 1e-14):
        with pytest.raises(UnitError, match="newtons|N"):
            hf.ForceVolume([CUBE * factor])
    for factor in (1e-11, 1e11):
        assert hf.ForceVolume([CUBE * factor]).volume == pytest.approx(8 * factor**3)


@pytest.mark.parametrize(
    "ask",
    [
        lambda v: v.contains([1, 2]),
        lambda v: v.contains(5.0),
        lambda v: v.contains([np.nan, 0, 0]),
        lambda v: v.contains("pull"),
        lambda v: v.signed_distance([[0, 0, np.inf]]),
        lambda v: v.nearest([[np.nan, 0, 0]]),
        lambda v: v.support([[1, 2]]),
        lambda v: v.support([np.inf, 0, 0]),
        lambda v: v.support([1, 0, 0], pieces=[7]),
        lambda v: v.support([1, 0, 0], pieces=[]),
        lambda v: v.radial([np.nan, 0, 0]),
        lambda v: v.piece_of([[0, 0]]),
        lambda v: v.scaled(0),
        lambda v: v.scaled(-2),
        lambda v: v.scaled(np.nan),
        lambda v: v.scaled(1e20),
        lambda v: v.rotated(np.diag([1, -1, 1])),
        lambda v: v.rotated(np.eye(3) * 2),
        lambda v: v.capped([0, 0, 0], 1),
        lambda v: v.capped([0, 0, 1], np.nan),
        lambda v: v.union("other"),
    ],
)
def test_a_bad_question_is_a_holdfast_error(ask):
    with pytest.raises(HoldfastError):
        ask(dented_unit())


def test_turning_by_something_left_handed_says_so():
    with pytest.raises(FrameError, match="left-handed"):
        dented_unit().rotated(np.diag([1, -1, 1]))


def test_pieces_cannot_be_changed_from_outside():
    given_piece = CUBE.copy()
    volume = hf.ForceVolume([given_piece])
    given_piece[:] = 7.0
    assert volume.volume == pytest.approx(8.0)
    with pytest.raises(ValueError, match="read-only"):
        volume.pieces[0][0, 0] = 9.0


# -- thin and mixed sizes ---------------------------------------------------------------------------


def test_a_thin_piece_beside_a_thick_one():
    thin = block([-500, -0.5, -5e-5], [500, 0.5, 5e-5])
    volume = hf.ForceVolume([thin, CUBE + np.array([0, 0, 2])])
    assert volume.volume == pytest.approx(0.1 + 8.0)
    assert volume.contains([[499, 0, 0], [0, 0, 3]]).all()
    assert not volume.contains([[0, 0, 1e-3], [0, 0.6, 0]]).any()


def test_a_tiny_piece_beside_a_huge_one_keeps_its_volume_and_shape():
    tiny = hf.ForceVolume([CUBE * 1e-3, CUBE * 1e6 + np.array([0, 0, 3e6])])
    assert tiny.polytopes[0].volume == pytest.approx(8e-9)
    assert tiny.support([0, 0, -1]) == pytest.approx(1e-3)
    assert tiny.radial([0, 1, 0]) == pytest.approx(1e-3)


def test_a_report_stays_with_the_volume_it_was_given_to():
    report = DecompositionReport("inner", 1, 0.0, 0.0, 0.0, 1.0, 0.1, 0.1)
    assert hf.ForceVolume([CUBE], report=report).report is report
    assert hf.ForceVolume([CUBE]).report is None


def test_the_text_form_tells_pieces_and_size():
    assert "2 pieces" in repr(dented_unit())
    assert "30 N" in repr(dented_unit())

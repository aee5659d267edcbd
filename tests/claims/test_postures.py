"""Bodies on hands: known postures and support regions, the full program by scipy, batches, proofs and forged ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import holdfast as hf
from holdfast.grips import Grip, GripBounds, OuterGrip
from tests.nightly import nightly_after
from tests.postures.full import BOX, largest_scale, random_bounds, random_pose, still
from tests.postures.known_regions import GRAVITY, MASS, foot, same_polygon, standing, strong_hands

WEIGHT = MASS * 9.81
BOXES = [Grip.box(*BOX), OuterGrip.box(*BOX)]

# -- equilibrium ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", nightly_after(8, range(100)))
def test_intervals_of_scales_are_those_of_the_program_written_out_in_full(seed):
    rng = np.random.default_rng(seed)
    shared = random_bounds(rng)
    kinds = [[shared.inner, shared.outer][int(i)] for i in rng.integers(0, 2, size=1 + seed % 4)]
    poses = [random_pose(rng) for _ in kinds]
    load = rng.normal(size=6) * 20.0
    answer = hf.posture_equilibrium(kinds, poses, load)
    ends = -largest_scale(kinds, poses, np.zeros(6), -load), largest_scale(kinds, poses, np.zeros(6), load)
    assert answer.verify() and answer.scale_interval == pytest.approx(ends, rel=1e-8, abs=1e-10)
    for scale, held in ((ends[1] * (1 - 1e-7), True), (ends[1] * (1 + 1e-7), False)):
        near = hf.posture_equilibrium(kinds, poses, load * scale)
        assert near.holds is (held and ends[0] <= scale) and near.verify()
    margin = hf.postures.posture_margin(kinds, poses, 0.1 * load, load)
    if ends[0] <= 0.1 <= ends[1]:
        assert margin.value == pytest.approx(ends[1] - 0.1, rel=1e-7)


def test_a_wrench_from_a_hand_acts_on_the_body_in_its_palm_frame():
    """A hand that only pushes along its z axis, turned so that z is the world's -x: it holds a load along +x."""
    grip = Grip(np.zeros((1, 6)), [[0, 0, 1.0, 0, 0, 0]])
    pose = hf.Pose(hf.frame_from_normal([-1.0, 0, 0]), np.array([0.0, 2.0, 3.0]))
    held = hf.posture_equilibrium([grip], [pose], [5.0, 0, 0, 0, 15.0, -10.0])
    assert held.holds and held.verify()
    np.testing.assert_allclose(held.wrenches[0], [0, 0, 5.0, 0, 0, 0], atol=1e-9)
    assert not hf.posture_equilibrium([grip], [pose], [-5.0, 0, 0, 0, -15.0, 10.0]).holds


@pytest.mark.parametrize("seed", nightly_after(3, range(30)))
def test_many_postures_have_the_verdict_of_each(seed):
    rng = np.random.default_rng(seed)
    grips = [random_bounds(rng).inner for _ in range(3)]
    poses = [[random_pose(rng) for _ in grips] for _ in range(12)]
    loads = rng.normal(size=(12, 6)) * np.geomspace(1.0, 80.0, 12)[:, None]
    many = hf.postures.posture_many(grips, poses, loads)
    assert many.verify()
    assert many.holds.tolist() == [
        largest_scale(grips, p, np.zeros(6), w) >= 1.0 for p, w in zip(poses, loads, strict=True)
    ]


@pytest.mark.parametrize("seed", nightly_after(2, range(20)))
def test_hands_of_many_wrenches_are_searched_for_the_best_ones(seed):
    """Nine hundred wrenches each, of which few matter."""
    grips, poses = strong_hands(900, seed)
    load = hf.loads.gravity_wrench(MASS, GRAVITY, poses[0].translation)
    found = hf.posture_equilibrium(grips, poses, load)
    assert found.verify() and found.scale_interval[1] == pytest.approx(
        largest_scale(grips, poses, np.zeros(6), load), rel=1e-8
    )
    for slope in np.random.default_rng(seed).normal(size=(3, 6)):
        margin = hf.postures.posture_margin(grips, poses, load, slope)
        assert margin.value == pytest.approx(largest_scale(grips, poses, load, slope), rel=1e-7)


def test_inner_and_outer_sets_leave_it_open_between_them():
    bounds = GripBounds(Grip.box(0.5 * BOX[0], 0.5 * BOX[1]), BOXES[1])
    told = [
        str(hf.posture_equilibrium(bounds, still([0, 0, 0], [1, 0, 0]), [0, 0, -f, 0, f / 2, 0]).certainty)
        for f in (2.0, 5.0, 7.0)
    ]
    assert told == ["certainly", "uncertain", "certainly not"]


def test_a_hand_by_its_contacts_gives_what_its_wrenches_give():
    contacts = [hf.Contact((x, 0.02, 0), np.eye(3), hf.models.magnet(9.0, 0.5, cap=20.0, facets=4)) for x in (0, 0.1)]
    lazy = hf.postures.LazyGrip(hf.Assembly(contacts))
    sums = [a + b for a in corners(contacts[0]) for b in corners(contacts[1])]
    rng = np.random.default_rng(3)
    for _ in range(4):
        poses, load = [random_pose(rng), random_pose(rng)], rng.normal(size=6) * [9, 9, 9, 1, 1, 1]
        found = hf.posture_equilibrium([lazy, lazy], poses, load)
        expected = hf.posture_equilibrium([Grip(sums)] * 2, poses, load)
        assert found.verify() and found.scale_interval == pytest.approx(expected.scale_interval, rel=1e-6)


def corners(contact: hf.Contact) -> list[np.ndarray]:
    forces = contact.volume.pieces[0] @ contact.rotation.T
    return [np.concatenate([f, np.cross(contact.position, f)]) for f in forces]


def test_forged_postures_are_refused():
    poses = still([0, 0, 0], [1, 0, 0])
    held = hf.posture_equilibrium(BOXES[0], poses, [0, 0, -5, 0, 2.5, 0])
    assert held.verify() and not replace(held, wrenches=held.wrenches + 1e-6).verify()
    swapped = held.wrenches + np.array([[9.0, 0, 0, 0, 0, 0], [-9.0, 0, 0, 0, 0, 0]])  # balanced, in no box
    assert not replace(held, wrenches=swapped).verify() and not replace(held, wrench=1.001 * held.wrench).verify()
    failed = hf.posture_equilibrium(BOXES[0], poses, [0, 0, -7, 0, 3.5, 0])
    assert failed.verify()
    for certificate in (
        replace(failed.certificate, multipliers=-failed.certificate.multipliers),
        replace(failed.certificate, support=failed.certificate.support - 0.5),
    ):
        assert not replace(failed, certificate=certificate).verify()


# -- support regions --------------------------------------------------------------------------------------------


def test_feet_on_flat_ground_hold_between_them():
    rng = np.random.default_rng(0)
    points = np.column_stack([rng.normal(size=(7, 2)), np.full(7, 0.7)])
    region = hf.support_region(foot(), standing(points), MASS, GRAVITY)
    hull = ConvexHull(points[:, :2])
    assert region.kind == "polygon" and same_polygon(region.vertices, points[hull.vertices, :2], region.size)
    assert region.verify() and region.area == pytest.approx(hull.volume)


def test_one_foot_holds_at_a_point_two_on_a_segment_a_sole_on_a_rectangle():
    one = hf.support_region(foot(), standing([[0.2, 0.3, 1.0]]), MASS, GRAVITY)
    assert one.kind == "point" and np.allclose(one.vertices, [[0.2, 0.3]]) and one.verify()
    two = hf.support_region(foot(), standing([[0.0, 0.0, 0.0], [1.0, 2.0, 0.3]]), MASS, GRAVITY)
    assert two.kind == "segment" and two.verify()
    assert np.allclose(sorted(two.vertices.tolist()), [[0.0, 0.0], [1.0, 2.0]], atol=1e-12)
    limits = np.array([50.0, 50.0, 300.0, 6.0, 9.0, 4.0])
    sole = hf.support_region(Grip.box(-limits, limits), standing([[0.4, -0.1, 0.0]]), MASS, GRAVITY)
    reach = limits[[4, 3]] / WEIGHT
    assert np.allclose(sole.vertices.max(axis=0), [0.4, -0.1] + reach) and sole.area == pytest.approx(4 * reach.prod())


def test_walls_hold_along_a_line_or_everywhere_and_a_ceiling_nowhere():
    walls, apart = [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]], [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
    line = hf.support_region(foot(), standing(apart, walls), MASS, GRAVITY)
    assert line.kind == "unbounded" and np.allclose(np.abs(line.rays), [[1.0, 0.0]] * 2) and line.verify()
    four = standing([*apart, *[[x, 1.0, -1.0] for x, _, _ in apart]], walls * 2)
    whole = hf.support_region(foot(), four, MASS, GRAVITY)
    assert whole.kind == "plane" and whole.verify()
    ceiling = hf.support_region(foot(), standing([[0.0, 0.0, 0.0]] * 2, [[0.0, 0.0, -1.0]] * 2), MASS, GRAVITY)
    assert ceiling.kind == "empty" and ceiling.verify()


@pytest.mark.parametrize("seed", nightly_after(3, range(1, 20)))
def test_the_border_is_where_postures_stop_holding(seed):
    grips, poses = strong_hands(24, seed)
    region = hf.support_region(grips, poses, MASS, GRAVITY)
    assert region.verify()
    assert region.kind == "polygon"
    middle = region.vertices.mean(axis=0)
    weights = np.random.default_rng(seed).dirichlet([1, 1], size=2)
    ends = [*region.vertices[::5], *(weights @ region.vertices[:2])]
    for end in ends:
        for scale, holds in ((1.0 - 1e-6, True), (1.0 + 1e-6, False)):
            com = region.frame.points(middle + scale * (end - middle), 3.0)
            load = hf.loads.gravity_wrench(MASS, GRAVITY, com)
            largest = largest_scale(grips, poses, load, load)  # s >= 0 when the load itself is held
            assert (largest > -1e-9) is holds
            assert bool(region.contains(com, tolerance=0.0)) == holds


def test_a_load_beside_the_weight_shifts_the_region():
    """A pull of 20 N up at x = 1 m: the weight's share at the feet moves by 20 / (weight - 20)."""
    corners_ = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
    up = np.array([0, 0, 20.0, 0, -20.0 * 1.0, 0])
    region = hf.support_region(foot(), standing(corners_), MASS, GRAVITY, wrench=up)
    assert region.verify()
    left, right = region.vertices[:, 0].min(), region.vertices[:, 0].max()
    assert left == pytest.approx(20.0 / WEIGHT) and right == pytest.approx((WEIGHT - 20.0 + 20.0) / WEIGHT)


def test_forged_regions_are_refused():
    region = hf.support_region(*strong_hands(16, 3), MASS, GRAVITY)
    assert region.verify()
    vertices, offsets = region.vertices.copy(), region.offsets.copy()
    vertices[2] += 1e-6
    offsets[1] -= 1e-6
    assert not replace(region, vertices=vertices).verify() and not replace(region, offsets=offsets).verify()
    other = replace(region.proof, multipliers=np.roll(region.proof.multipliers, 1, axis=0))
    assert not replace(region, proof=other).verify()

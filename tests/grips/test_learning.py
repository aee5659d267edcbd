from __future__ import annotations

import signal
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import holdfast as hf
from holdfast.errors import GeometryError, InputError
from holdfast.geometry.frames import Pose, rotation_about
from holdfast.grips import GripBounds
from holdfast.grips.accuracy import check_grip
from holdfast.grips.learning import GreedySampling, PaperSampling, _errors, learn_grip
from tests.grips.known_hands import (
    box,
    box_hand,
    crossed,
    hinged,
    hull_support,
    jointed,
    opposed_points,
    parallelepiped,
)
from tests.jobs.test_cluster import Cluster


def directions(n: int, length: float = 0.1, seed: int = 9) -> np.ndarray:
    y = np.random.default_rng(seed).normal(size=(n, 6))
    y[:, 3:] /= length
    return y


def same_rows(a: np.ndarray, b: np.ndarray, tolerance: float = 1e-8) -> bool:
    """Whether two sets of wrenches are the same, in any order."""
    near = np.abs(a[:, None] - b[None]).max(axis=2) <= tolerance * np.abs(b).max()
    return bool(near.any(axis=1).all() and near.any(axis=0).all())


# -- hands that are known -----------------------------------------------------------------------------


def test_six_lines_are_learned_exactly():
    hand, edges = parallelepiped()
    bounds = learn_grip(hand, 150, seed=1)
    signs = np.array(np.meshgrid(*[[-1.0, 1.0]] * 6)).reshape(6, -1).T
    assert same_rows(bounds.inner.vertices, signs @ edges)
    assert bounds.facts.inner_error <= 1e-9
    assert bounds.facts.outer_error <= 1e-9
    assert bounds.facts.concavity == 0.0
    y = directions(20)
    np.testing.assert_allclose(bounds.outer.support(y), np.abs(y @ edges.T).sum(axis=1), rtol=1e-7)


@pytest.mark.parametrize(("acting", "sign"), [("direct", 1.0), ("reaction", -1.0)])
def test_one_suction_cup_pulls_the_body_or_is_pulled(acting, sign):
    """Seen from above: a cup at x = 0.1 m on a floor, its normal up into the body.

    Its forces on what it carries are v: they pull down with up to 50 N and press up with up to 30 N. "direct": that is
    the body. "reaction": the object is what the cup is pressed to, and the body feels the opposite.
    """
    volume = hf.models.suction(50.0, 0.5, facets=4, cap=30.0)
    cup = hf.Contact(np.array([0.1, 0.0, 0.0]), np.eye(3), volume)
    bounds = learn_grip(hf.Assembly([cup]), 50, acting=acting)
    forces = sign * volume.polytopes[0].extreme
    expected = np.column_stack([forces, np.cross([0.1, 0.0, 0.0], forces)])
    assert same_rows(bounds.inner.vertices, expected)
    assert bounds.inner.support([0, 0, sign, 0, 0, 0]) == pytest.approx(30.0)
    assert bounds.inner.support([0, 0, -sign, 0, 0, 0]) == pytest.approx(50.0)
    assert bounds.facts.acting == acting
    assert bounds.outer.support([0, 0, -sign, 0, 0, 0]) == pytest.approx(50.0)
    assert bounds.outer.support([0, 0, 0, 1, 0, 0]) == pytest.approx(0.0, abs=1e-7)  # no torque about its own arm


def test_two_opposed_fingertips_add_their_vertices():
    hand = opposed_points()
    bounds = learn_grip(hand, 100)
    tips = [c.volume.polytopes[0].extreme @ c.rotation.T for c in hand.contacts]
    sums = [
        np.concatenate([a + b, np.cross(hand.positions[0], a) + np.cross(hand.positions[1], b)])
        for a in tips[0]
        for b in tips[1]
    ]
    corners = np.array([w for w in sums if np.abs(w).max() > 1e-9])  # 0 + 0 lies between two others
    assert same_rows(bounds.inner.vertices, corners)
    y = directions(20)
    np.testing.assert_allclose(bounds.inner.support(y), (y @ np.array(sums).T).max(axis=1), rtol=1e-9)


def test_a_preloaded_hand_does_not_need_zero():
    lower, upper = np.array([1.0, -2.0, 3.0]), np.array([2.0, 5.0, 4.0])
    bounds = learn_grip(box_hand(lower, upper), 60)
    corners = np.array([[x, y, z] for x in (1.0, 2.0) for y in (-2.0, 5.0) for z in (3.0, 4.0)])
    expected = np.column_stack([corners, np.cross([0.1, 0.0, 0.0], corners)])
    assert same_rows(bounds.inner.thinned().vertices, expected)  # supports along the axes end on faces
    assert bounds.facts.joint_limits
    assert bounds.outer.contains(np.zeros(6)).status is hf.Status.DOES_NOT_HOLD


def test_a_hand_with_one_wrench_alone_is_that_wrench():
    force = np.array([1.0, 2.0, 3.0])
    bounds = learn_grip(box_hand(force, force), 10)
    np.testing.assert_allclose(bounds.inner.vertices, [[1.0, 2.0, 3.0, 0.0, -0.3, 0.2]], atol=1e-8)
    assert bounds.facts.inner_error == 0.0


def test_a_hinge_cuts_off_what_its_torque_cannot_bear():
    contact = hf.Contact(np.array([0.1, 0.0, 0.0]), np.eye(3), box(4.0, 5.0, 6.0))
    hinge = hf.JointRows(np.array([[0.0, 0.0, 0.1]]), np.array([-0.2]), np.array([0.35]))
    bounds = learn_grip(hf.Assembly([contact], hinge), 60)
    heights = sorted({round(float(f), 6) for f in bounds.inner.vertices[:, 2]})
    assert heights == [-2.0, 3.5]


# -- what always holds ---------------------------------------------------------------------------------


@settings(max_examples=5)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.sampled_from(["direct", "reaction"]))
def test_the_truth_lies_between_inner_and_outer(seed, contacts, acting):
    hand = jointed(np.random.default_rng(seed), contacts, 2)
    bounds = learn_grip(hand, 15, seed=seed % 1000, acting=acting, method=GreedySampling(candidates=2))
    y = directions(4, seed=seed)
    truth = np.array([hull_support(hand, row, 1.0 if acting == "reaction" else -1.0) for row in y])
    rounding = 1e-7 * max(np.abs(truth).max(), 1e-3)
    assert (bounds.inner.support(y) <= truth + rounding).all()
    assert (truth <= bounds.outer.support(y) + rounding).all()
    assert check_grip(bounds, hand).holds


def test_every_vertex_of_a_union_with_joints_is_held_and_every_plane_is_outer():
    hand = hinged(crossed(), k=3, torque=0.3)
    bounds = learn_grip(hand, 80, acting="reaction")
    found = check_grip(bounds, hand)
    assert found.all_held
    assert found.all_outer
    assert [hf.equilibrium(hand, w * (1 - 1e-9)).verify() for w in bounds.inner.vertices[:5]] == [True] * 5
    assert 0.0 < bounds.facts.concavity < 1.0


def test_more_samples_bring_both_sets_nearer():
    volume = hf.ForceVolume([10.0 * np.random.default_rng(5).normal(size=(60, 3))])
    hand = hinged(volume, k=3, torque=0.5)
    errors = [(b.facts.inner_error, b.facts.outer_error) for b in (learn_grip(hand, n) for n in (10, 40, 160))]
    assert errors[0][0] > errors[1][0] > errors[2][0]
    assert errors[0][1] > errors[1][1] > errors[2][1]
    y = directions(10)
    fine = learn_grip(hand, 160)
    truth = np.array([hull_support(hand, row, -1.0) for row in y])
    assert (fine.inner.support(y) >= 0.6 * truth).all()


def test_samples_are_doubled_until_the_gap_is_reached():
    hand = hinged(hf.ForceVolume([10.0 * np.random.default_rng(5).normal(size=(30, 3))]), k=2, torque=0.5)
    coarse = learn_grip(hand, 20)
    fine = learn_grip(hand, 20, gap=0.35)
    assert len(fine.inner.vertices) in (40, 80, 160, 320)
    assert fine.facts.wanted_gap == 0.35
    assert fine.facts.reached_gap <= 0.35 < coarse.facts.reached_gap
    assert (1.0 + fine.facts.outer_error) / (1.0 - fine.facts.inner_error) - 1.0 < 2 * 0.35
    assert len(coarse.inner.vertices) == 20
    assert (coarse.facts.asked, coarse.facts.wanted_gap) == (20, None)


def test_the_gap_is_what_the_outer_set_reaches_beyond_the_inner_one():
    # One ray, the inner set reaching 1 and the outer 3: 200 % beyond, not two thirds.
    whitening = SimpleNamespace(
        levels=np.zeros(0), axes=np.eye(6), centre=np.zeros(6), coordinates=lambda vertices: vertices
    )
    inner = np.concatenate([np.eye(6), -np.eye(6)])
    check = SimpleNamespace(rays=np.eye(6)[:1], inner=np.array([2.0]), outer=np.array([2.0]))
    found = _errors(inner, (inner, np.full(12, 3.0)), whitening, check)
    np.testing.assert_allclose(found, [0.5, 0.5, 2.0], rtol=1e-9)


def test_a_gap_out_of_reach_is_told():
    hand = hinged(hf.ForceVolume([10.0 * np.random.default_rng(5).normal(size=(30, 3))]), k=2, torque=0.5)
    facts = learn_grip(hand, 5, gap=1e-3).facts
    assert facts.misses_its_gap
    assert facts.reached_gap > facts.wanted_gap == 1e-3
    assert facts.asked == 5


def test_the_palm_carries_the_grip_along():
    hand, palm = opposed_points(), Pose(rotation_about((1, 2, 3), 0.7), np.array([0.1, 0.3, -0.2]))
    at_palm = learn_grip(hand, 60, palm=palm, gravity=(0.0, 0.0, -9.81))
    world = learn_grip(hand, 60)
    assert same_rows(at_palm.inner.moved(palm).vertices, world.inner.vertices)
    np.testing.assert_allclose(palm.rotation @ at_palm.palm_gravity, [0.0, 0.0, -9.81], atol=1e-12)
    assert world.palm_gravity is None
    assert at_palm.facts.model_hash == hand.fingerprint


# -- the same bytes, however it ran ----------------------------------------------------------------------


def test_the_same_seed_gives_the_same_bytes_and_another_one_others(tmp_path):
    hand = hinged(crossed(), k=2)
    for name, seed in (("a", 3), ("b", 3), ("c", 4)):
        learn_grip(hand, 20, seed).save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert (tmp_path / "a").read_bytes() != (tmp_path / "c").read_bytes()


def test_an_interrupted_grip_goes_on_from_its_journals(tmp_path):
    hand = hinged(crossed(), k=2)

    def interrupt(done, total):
        if done > 400:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learn_grip(hand, 40, journal=tmp_path / "j", progress=interrupt)
    counts: list[tuple[int, int]] = []
    resumed = learn_grip(hand, 40, journal=tmp_path / "j", progress=lambda *c: counts.append(c))
    assert counts[0][0] > 0  # the first round was there
    assert counts[-1][0] == resumed.facts.n
    resumed.save(tmp_path / "resumed")
    learn_grip(hand, 40).save(tmp_path / "at once")
    assert (tmp_path / "resumed").read_bytes() == (tmp_path / "at once").read_bytes()


def test_a_grip_learned_on_a_cluster_that_loses_a_worker_is_the_serial_one_byte_for_byte(tmp_path: Path):
    pytest.importorskip("distributed")
    hand = hinged(crossed(), k=2)
    cluster, killed = Cluster(tmp_path), []

    def kill(done, total):
        if done >= 400 and not killed:
            killed.append(done)
            cluster.workers[0].send_signal(signal.SIGKILL)

    try:
        cluster.start_scheduler()
        cluster.start_worker()
        cluster.start_worker()
        options = {"cluster": cluster.address, "journal": tmp_path / "far", "progress": kill}
        learn_grip(hand, 60, **options).save(tmp_path / "cluster")
        assert killed
        assert cluster.workers[0].wait(timeout=10) == -signal.SIGKILL
    finally:
        cluster.stop()
    learn_grip(hand, 60, journal=tmp_path / "near").save(tmp_path / "serial")
    assert (tmp_path / "cluster").read_bytes() == (tmp_path / "serial").read_bytes()
    assert (tmp_path / "far").read_bytes() == (tmp_path / "near").read_bytes()
    assert GripBounds.load(tmp_path / "cluster") == GripBounds.load(tmp_path / "serial")


# -- questions asked wrongly -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"n": 0}, "n: is 0"),
        ({"seed": -1}, "seed"),
        ({"acting": "sideways"}, "acting"),
        ({"gap": 0.0}, "gap"),
        ({"palm": np.eye(4)}, "Pose"),
        ({"gravity": (0.0, np.nan, 0.0)}, "gravity"),
        ({"method": "greedy"}, "GreedySampling"),
        ({"method": PaperSampling(), "gap": 0.1}, "gap"),
        ({"method": PaperSampling(), "surely": True}, "surely"),
    ],
)
def test_bad_input_is_told(wrong, match):
    with pytest.raises(InputError, match=match):
        learn_grip(opposed_points(), **wrong)


def test_what_is_no_hand_is_told():
    with pytest.raises(InputError, match="Assembly"):
        learn_grip([1, 2, 3])


def test_hands_without_limit_are_told_what_to_use():
    tips = [hf.Contact(np.array([0.1 * i, 0.0, 0.0]), np.eye(3), hf.models.coulomb(0.5)) for i in range(3)]
    with pytest.raises(GeometryError, match="cone_grip"):
        learn_grip(hf.Assembly(tips), 10)

"""Batches on a device: the kernels run on the CPU here, and on a GPU where there is one (marked `cuda`)."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
import shapely
from numpy.testing import assert_allclose

import holdfast as hf
from holdfast.errors import InputError, MissingDependencyError
from holdfast.geometry.frames import rotation_about
from holdfast.postures import DeviceSolver, LazyGrip, PostureSolver, posture_many
from holdfast.postures import margins as posture_margins
from holdfast.solvers import Status
from tests.nightly import nightly_after

wp = pytest.importorskip("warp", reason="warp-lang is not installed")

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(not wp.get_cuda_device_count(), reason="no GPU"))]

#: Share of random postures that the device may leave to the CPU.
LEFT = 0.01


@pytest.fixture(params=DEVICES)
def device(request) -> str:
    return request.param


def turns(rng: np.random.Generator, count: int) -> np.ndarray:
    """(count, 3, 3) random rotations."""
    q, r = np.linalg.qr(rng.normal(size=(count, 3, 3)))
    q = q * np.sign(np.diagonal(r, axis1=1, axis2=2))[:, None, :]
    q[np.linalg.det(q) < 0.0] *= -1.0
    return q


def postures(rng: np.random.Generator, m: int, k: int, *, spread=0.3, at=(0, 0, 0)) -> np.ndarray:
    """(m, k, 4, 4) random palms."""
    poses = np.tile(np.eye(4), (m, k, 1, 1))
    poses[..., :3, :3] = turns(rng, m * k).reshape(m, k, 3, 3)
    poses[..., :3, 3] = np.asarray(at) + spread * rng.normal(size=(m, k, 3))
    return poses


def stances(rng: np.random.Generator, m: int, k: int) -> np.ndarray:
    """(m, k, 4, 4) feet on ground that is about level."""
    poses = postures(rng, m, k)
    normals = np.array([0, 0, 1.0]) + 0.3 * rng.normal(size=(m * k, 3))
    poses[..., :3, :3] = np.reshape([hf.frame_from_normal(normal) for normal in normals], (m, k, 3, 3))
    return poses


def ball(rng: np.random.Generator, n: int, *, force=30.0, torque=2.0, shift=0.0) -> hf.Grip:
    """A grip with n random extreme wrenches."""
    rows = rng.normal(size=(n, 6))
    rows = rows / np.linalg.norm(rows, axis=1)[:, None] + shift * np.array([0, 0, 1, 0, 0, 0])
    return hf.Grip(rows * np.repeat([force, torque], 3))


def question(name: str, seed: int, m: int = 250):
    """(grips, poses, loads) of a kind."""
    rng = np.random.default_rng(seed)
    loads = rng.normal(size=(m, 6)) * np.repeat([30.0, 8.0], 3)
    if name == "hulls":
        return [ball(rng, 64)] * 4, postures(rng, m, 4), loads
    if name == "one hand":
        poses = postures(rng, m, 1, spread=0.03)
        return [ball(rng, 40)], poses, 0.3 * loads * [1, 1, 1, 0.2, 0.2, 0.2]
    if name == "different hands":
        grips = [ball(rng, 20), ball(rng, 90, force=5.0), ball(rng, 12, shift=0.8)]
        return grips, postures(rng, m, 3), 0.6 * loads
    if name == "hull and cones":
        grips = [ball(rng, 40), hf.coulomb_grip(0.5), hf.coulomb_grip(0.8, sides=6)]
        return grips, postures(rng, m, 3), 0.7 * loads
    if name == "hands with rays":
        rays = rng.normal(size=(3, 6)) * np.repeat([1.0, 0.1], 3)
        grip = hf.Grip(ball(rng, 30).vertices, rays)
        return [grip] * 3, postures(rng, m, 3), loads
    if name == "feet":
        weight = np.column_stack(
            [20 * rng.normal(size=(m, 2)), -np.abs(100 * rng.normal(size=m)), 10 * rng.normal(size=(m, 3))]
        )
        return [hf.coulomb_grip(0.6)] * 4, stances(rng, m, 4), weight
    if name == "far away":
        return [ball(rng, 64)] * 4, postures(rng, m, 4, at=(300, -200, 100)), shifted(loads, (300, -200, 100))
    if name == "weak hands":
        return (
            [ball(rng, 64, force=3e-5, torque=1e-6)] * 4,
            postures(rng, m, 4, spread=0.02),
            1e-6 * loads * [1, 1, 1, 0.05, 0.05, 0.05],
        )
    assert name == "strong hands"
    return [ball(rng, 64, force=3e6, torque=2e6)] * 4, postures(rng, m, 4, spread=2.0), 1e5 * loads


def shifted(loads: np.ndarray, point) -> np.ndarray:
    """The same wrenches acting at a point, about the world origin."""
    return np.column_stack([loads[:, :3], loads[:, 3:] + np.cross(point, loads[:, :3])])


KINDS = [
    "hulls",
    "one hand",
    "different hands",
    "hull and cones",
    "hands with rays",
    "feet",
    "far away",
    "weak hands",
    "strong hands",
]


@pytest.mark.parametrize("seed", nightly_after(1, range(12)))
@pytest.mark.parametrize("kind", KINDS)
def test_verdicts_are_those_of_the_simplex_method_and_prove_themselves(kind, seed, device):
    grips, poses, loads = question(kind, seed)
    answers = DeviceSolver(grips, device).many(poses, loads, undecided="leave")
    expected = posture_many(grips, poses, loads)
    decided = answers.statuses != Status.UNDECIDED
    assert (answers.statuses[decided] == expected.status[decided]).all()
    assert (~decided).mean() <= LEFT
    assert answers.verify()
    assert 0 < answers.holds.sum() < len(answers)  # both verdicts occur
    data = answers.to_dict()
    assert sum(data["counts"].values()) == len(loads) == data["postures"]


def test_a_copy_answers_the_same_on_the_same_device(device):
    grips, poses, loads = question("hulls", 3, m=20)
    solver = DeviceSolver(grips, device)
    again = pickle.loads(pickle.dumps(solver))
    assert again.device == solver.device
    assert (again.many(poses, loads).statuses == solver.many(poses, loads).statuses).all()


@pytest.mark.parametrize("kind", ["hulls", "hull and cones", "feet"])
def test_loads_near_the_border_are_decided_right(kind, device):
    """Loads at 1 -+ 1e-3, 1e-6 and 1e-9 of their largest multiple; the outcome follows from that multiple alone."""
    grips, poses, loads = question(kind, 7, m=60)
    if kind == "feet":
        loads = np.tile([20.0, 5.0, -60.0, 0, 0, 0], (60, 1))  # with a push that a larger load makes larger
        grips = [
            hf.Grip(np.concatenate([ball(np.random.default_rng(1), 20, force=8.0, torque=0.5).vertices])),
            *grips[1:],
        ]
    ends = [
        posture_margins.posture_margin(grips, list(row), np.zeros(6), load)
        for row, load in zip(poses, loads, strict=True)
    ]
    known = np.array([end.status is Status.OPTIMAL and end.value > 1e-3 for end in ends])
    factors = np.array([end.value for end in ends])[known]
    assert known.sum() > 5
    solver = DeviceSolver(grips, device)
    for share in (1e-3, 1e-6, 1e-9):
        for sign in (-1.0, 1.0):
            scaled = loads[known] * (factors * (1.0 + sign * share))[:, None]
            answers = solver.many(poses[known], scaled)
            wrong = Status.HOLDS if sign > 0.0 else Status.DOES_NOT_HOLD
            assert not (answers.statuses == wrong).any()
            if share >= 1e-6:
                assert (answers.statuses != Status.UNDECIDED).all()
            assert answers.verify()


def test_symmetric_stances_whose_loads_lie_on_faces_are_decided(device):
    """A body in the middle of four equal feet: the load is a combination of fewer than seven atoms."""
    foot = hf.coulomb_grip(0.5, sides=4)
    poses = np.tile(np.eye(4), (5, 4, 1, 1))
    poses[..., :3, 3] = [(x, y, 0.0) for x in (-0.3, 0.3) for y in (-0.2, 0.2)]
    loads = np.zeros((5, 6))
    loads[:4, 2] = -np.array([1.0, 10.0, 100.0, 1e4])
    loads[4, 2] = 1.0  # it pulls
    answers = DeviceSolver([foot] * 4, device).many(poses, loads, undecided="leave")
    assert answers.statuses.tolist() == [Status.HOLDS] * 4 + [Status.DOES_NOT_HOLD]
    assert answers.verify()
    assert_allclose(answers.wrenches()[1].sum(axis=0)[:3], (0, 0, 10.0), atol=1e-9)


def test_what_is_undecided_goes_to_the_cpu_or_stays(device, monkeypatch):
    from holdfast.postures import device as module

    grips, poses, loads = question("hulls", 3, m=80)
    monkeypatch.setattr(module, "EVALUATIONS", (1, 1))  # a search that gives up at once
    solver = PostureSolver(grips, list(poses[0])).to(device)
    left = solver.many(poses, loads, undecided="leave")
    assert (left.statuses == Status.UNDECIDED).sum() > 20
    assert left.verify()  # it claims nothing that is not proven
    full = posture_many(grips, poses, loads, device=device)
    expected = posture_many(grips, poses, loads)
    assert (full.statuses == expected.status).all()
    assert len(full.referred) == (left.statuses == Status.UNDECIDED).sum()
    assert full.verify()
    assert np.isfinite(full.wrenches()[full.holds]).all()
    assert np.isnan(full.wrenches()[~full.holds]).all()


def test_false_claims_are_taken_back(device):
    """The proofs do not believe the search: claims that are turned round are undecided afterwards."""
    from holdfast.postures.device_kernels import APART, HELD, LEFT, proof

    grips, poses, loads = question("hull and cones", 5)
    solver = DeviceSolver(grips, device)
    answers = solver.many(poses, loads, undecided="leave")
    codes, tables = answers.status.numpy(), solver._tables
    answers.multipliers.assign(np.random.default_rng(0).normal(size=(len(codes), 6)))
    hands, asked = solver._hands(tables), solver._questions(answers.poses, answers.loads, per_posture=1)
    lists, claims = solver._lists(len(codes)), solver._claims(answers)
    solver._prepare(hands, asked, answers.poses, answers.status)
    rows, counts = np.zeros(lists.rows.shape, dtype=np.int32), np.zeros(lists.counts.shape, dtype=np.int32)
    for claim, truth in ((HELD, 2), (APART, 1)):  # what does not hold is claimed to hold, and the other way round
        (wrong,) = np.nonzero(codes == truth)
        rows[claim, : len(wrong)], counts[0, claim] = wrong, len(wrong)
    lists.rows.assign(rows)
    lists.counts.assign(counts)
    solver._launch(proof(solver._unrolled), len(codes), [hands, asked, 1e-10, lists, claims])
    prove_apart = solver._kernels(tables, wp.float64)[2]
    solver._launch(prove_apart, len(codes), [hands, asked, tables.vertices, 1e-14, 1e-10, lists, claims])
    assert (answers.status.numpy() == 0).all()
    assert lists.counts.numpy()[0, LEFT] == len(codes)


def test_inner_and_outer_sets_give_three_verdicts(device):
    cup = hf.models.suction(vacuum=50.0, mu=0.5, cap=200.0)
    places = ((0.05, 0, 0), (-0.03, 0.04, 0), (-0.03, -0.04, 0))
    cups = hf.Assembly([hf.Contact(place, np.eye(3), cup) for place in places])
    bounds = hf.learn_grip(cups, n=40, seed=0)
    rng = np.random.default_rng(2)
    poses = postures(rng, 150, 2, spread=0.2)
    loads = rng.normal(size=(150, 6)) * np.repeat([60.0, 8.0], 3)
    answers = DeviceSolver([bounds] * 2, device).many(poses, loads, undecided="leave")
    expected = posture_many([bounds] * 2, poses, loads)
    decided = answers.status.numpy() != 0
    assert decided.mean() > 0.98
    assert (answers.statuses[decided] == expected.status[decided]).all()
    counts = answers.to_dict()["counts"]
    assert min(counts["hold"], counts["do not hold"], counts["between"]) > 0
    assert answers.verify()


@pytest.mark.parametrize("kind", ["hulls", "different hands", "hull and cones", "feet"])
def test_margins_are_those_of_the_simplex_method(kind, device):
    grips, poses, loads = question(kind, 11, m=60)
    rng = np.random.default_rng(1)
    ways = rng.normal(size=loads.shape) * np.repeat([1.0, 0.2], 3)
    loads = loads * (1.0 if kind == "feet" else 0.3)
    ways[:5] = [0, 0, -1.0, 0, 0, 0]
    found = DeviceSolver(grips, device).margins(poses, loads, ways, undecided="leave")
    codes, values, bounds = found.status.numpy(), found.values.numpy(), found.bounds.numpy()
    assert (codes == 0).mean() <= LEFT
    for row, code in enumerate(codes):
        if code == 2:
            assert not hf.posture_equilibrium(grips, list(poses[row]), loads[row]).holds
            continue
        expected = posture_margins.posture_margin(grips, list(poses[row]), loads[row], ways[row])
        if code == 3:
            assert expected.status is Status.UNBOUNDED
        elif code == 1:
            assert values[row] == pytest.approx(expected.value, rel=1e-5, abs=1e-9)
            assert values[row] <= bounds[row] <= values[row] * (1 + 2e-6) + 1e-6
            y = found.multipliers.numpy()[row]
            assert y @ ways[row] == pytest.approx(-1.0)
    assert (codes == 1).sum() > 5


@pytest.mark.parametrize("kind", ["hulls", "hull and cones"])
def test_gradients_are_those_of_differences(kind, device):
    grips, poses, loads = question(kind, 13, m=12)
    ways = np.random.default_rng(3).normal(size=loads.shape) * np.repeat([1.0, 0.2], 3)
    loads = 0.2 * loads
    solver = DeviceSolver(grips, device)
    found = solver.margins(poses, loads, ways, gradients=True)
    step, size = 1e-6, poses.shape[1]

    def values(poses, loads):
        return solver.margins(poses, loads, ways).values.numpy()

    for hand in range(size):
        for part in range(6):
            ends = []
            for sign in (1.0, -1.0):
                moved = poses.copy()
                if part < 3:
                    moved[:, hand, part, 3] += sign * step
                else:
                    moved[:, hand, :3, :3] = rotation_about(np.eye(3)[part - 3], sign * step) @ moved[:, hand, :3, :3]
                ends.append(values(moved, loads))
            slopes = (ends[0] - ends[1]) / (2.0 * step)
            known = found.status.numpy() == 1
            assert_allclose(found.by_pose.numpy()[known, hand, part], slopes[known], rtol=1e-4, atol=1e-4)
    for part in range(6):
        moved = loads + step * np.eye(6)[part]
        slopes = (values(poses, moved) - values(poses, loads - step * np.eye(6)[part])) / (2.0 * step)
        known = found.status.numpy() == 1
        assert_allclose(found.multipliers.numpy()[known, part], slopes[known], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", ["hulls", "feet"])
def test_support_regions_lie_between_their_polygons(kind, device):
    grips, poses, _ = question(kind, 17, m=20)
    gravity = (1.0, -0.5, -9.6)
    found = DeviceSolver(grips, device).regions(poses, 6.0, gravity=gravity, rays=24)
    kinds, points = found.kind.numpy(), found.points.numpy()
    assert (kinds != 0).all()
    for row, code in enumerate(kinds):
        exact = hf.support_region(grips, list(poses[row]), 6.0, gravity)
        assert {1: "polygon", 2: "empty", 3: "unbounded"}[code] == exact.kind
        if code != 1:
            continue
        assert_allclose(exact.frame.axes, found.frame.axes)
        corners = exact.vertices
        region, size = shapely.Polygon(corners), np.abs(corners).max()
        assert region.buffer(1e-6 * size).covers(shapely.MultiPoint(points[row]))
        over = corners @ found.normals.numpy()[row].T - found.offsets.numpy()[row]
        assert over.max() <= 1e-6 * size
        assert found.areas.numpy()[row] <= region.area * (1 + 1e-6)
        assert found.areas.numpy()[row] == pytest.approx(shapely.Polygon(points[row]).area, rel=1e-9)


def test_arrays_stay_on_the_device_and_come_by_dlpack(device):
    class Tensor:
        """An array of another package: nothing but DLPack."""

        def __init__(self, array):
            self.array, self.shape, self.ndim = array, array.shape, len(array.shape)

        def __dlpack__(self, stream=None):
            return self.array.__dlpack__()

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    grips, poses, loads = question("hulls", 2, m=30)
    sent = [Tensor(wp.array(a, dtype=wp.float64, device=device)) for a in (poses, loads)]
    answers = posture_many(grips, *sent, device=device, undecided="leave")
    assert answers.poses.ptr == sent[0].array.ptr  # no copy
    assert str(answers.status.device).startswith(device)
    again = posture_many(grips, poses.astype(np.float32), loads.astype(np.float32), device=device)
    assert (answers.status.numpy() == again.status.numpy()).mean() > 0.95
    assert (posture_many(grips[0], poses, loads[0], device=device).loads.numpy() == loads[0]).all()


def test_bad_input_is_an_error(device, monkeypatch):
    grips, poses, loads = question("hulls", 2, m=6)
    solver = DeviceSolver(grips, device)
    with pytest.raises(InputError, match=r"the shape must be \(m, 4, 4, 4\)"):
        solver.many(poses[:, :2], loads)
    with pytest.raises(InputError, match="wrenches"):
        solver.many(poses, loads[:3])
    with pytest.raises(InputError, match='give "cpu" or "leave"'):
        solver.many(poses, loads, undecided="never")
    bent = poses.copy()
    bent[2, 1, 0, 0] += 0.1
    with pytest.raises(InputError, match=r"poses\[2\]: is not rigid"):
        assert solver.many(bent, loads, undecided="leave").statuses
    with pytest.raises(InputError, match="lazy"):
        DeviceSolver([LazyGrip(hf.Assembly([hf.Contact((0, 0, 0), np.eye(3), hf.models.coulomb(0.5))]))], device)
    with pytest.raises(InputError, match="give one of c"):
        DeviceSolver(grips, "tpu")
    with pytest.raises(InputError, match="cannot be used with"):
        posture_many(grips, poses, loads, device=device, threads=2)
    with pytest.raises(InputError, match="gravity"):
        solver.regions(poses, 1.0, gravity=(0, 0, 0))
    monkeypatch.setitem(__import__("sys").modules, "warp", None)
    with pytest.raises(MissingDependencyError, match=r"holdfast\[gpu\]"):
        DeviceSolver(grips, device)


@pytest.mark.skipif(wp.get_cuda_device_count() > 0, reason="there is a GPU")
def test_without_a_gpu_there_is_an_error_and_no_other_device():
    grips, poses, loads = question("hulls", 2, m=2)
    with pytest.raises(InputError, match="no CUDA device: no GPU, or no NVIDIA driver"):
        posture_many(grips, poses, loads, device="cuda")


def test_a_separating_wrench_that_climbs_a_ray_by_rounding_is_a_proof(device):
    """A foot at the axis of a turn: what rounding leaves of its velocity is a share of the terms, not of itself."""
    cone = hf.Grip(np.zeros((1, 6)), hf.coulomb_grip(0.5).rays, length=0.01)
    poses = np.tile(np.eye(4), (1, 2, 1, 1))
    poses[0, 0, :3, 3], poses[0, 1, :3, 3] = (0.5, 0.2, 0.0), (-0.5, 0.3, 0.1)
    load = np.array([[0.0, 0.0, 0.0, 0.0, 100.0, 0.0]])
    found = posture_many([cone, ball(np.random.default_rng(0), 64)], poses, load, device=device)
    assert found.to_dict()["counts"]["do not hold"] == 1 and found.verify()
    turn = np.array([0.0, -1.0, 0.0])
    still = np.cross(poses[0, 0, :3, 3], turn)  # the foot's point does not move
    proof = np.concatenate([still + [0, 0, 5e-11], turn])
    assert replace(found, multipliers=sent(found, proof)).verify()
    assert not replace(found, multipliers=sent(found, proof + [0, 0, 1e-8, 0, 0, 0])).verify()


@pytest.mark.parametrize("name", ["status", "multipliers", "weights", "kinds", "atoms", "poses", "loads"])
def test_answers_on_the_device_that_are_tampered_with_do_not_verify(name, device):
    poses = np.tile(np.eye(4), (2, 2, 1, 1))
    poses[:, 0, 0, 3], poses[:, 1, 0, 3] = 0.5, -0.5
    loads = np.array([[1.0, 2.0, -3.0, 0.1, 0.0, 0.2], [0.0, 0.0, 500.0, 0.0, 3.0, 0.0]])
    found = posture_many([ball(np.random.default_rng(0), 64)] * 2, poses, loads, device=device)
    assert found.status.numpy().tolist() == [1, 2] and found.verify() is True
    values = getattr(found, name).numpy()
    whole = values.dtype.kind == "i"
    changed = [values[::-1].copy()]
    if whole:
        changed += [values + 1000 if name == "atoms" else (values % 2 + 1)]
    else:
        changed += [100.0 * values, -values, np.full_like(values, np.nan)]
    for other in changed:
        again = replace(found, **{name: wp.array(other, dtype=getattr(found, name).dtype, device=found.solver.device)})
        positive = name == "multipliers" and np.array_equal(other, 100.0 * values)  # proves the same
        assert again.verify() is (positive or np.array_equal(other, values)), other


def sent(found, multipliers: np.ndarray):
    """Multipliers (6,) of one posture, on the device of an answer."""
    return wp.array(multipliers[None], dtype=found.multipliers.dtype, device=found.solver.device)

"""The sparse form of many bodies: its rows are the dense ones, and its proofs need no second method."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.assembly.shapes import Box, convex_mesh
from holdfast.checks import Array
from holdfast.geometry.frames import Pose, rotation_about
from holdfast.solvers import Status
from holdfast.statics.holding import balance_residual, memberships
from holdfast.statics.strength import build_ramp

FLOOR = Box(np.array([9.0, 9.0, 0.2]), Pose(np.eye(3), np.array([0.0, 0.0, -0.1])))


def stack(n: int, seed: int = 3) -> hf.Assembly:
    """Boxes on each other, turned and moved a little."""
    rng = np.random.default_rng(seed)
    shapes = {}
    for i in range(n):
        place = np.array([*rng.uniform(-0.01, 0.01, 2), 0.05 + 0.1 * i])
        turn = rotation_about([0.0, 0.0, 1.0], rng.uniform(0.0, 3.0))
        shapes[f"box {i}"] = Box(np.array([0.2, 0.2, 0.1]), Pose(turn, place))
    contacts = hf.assembly.touching(shapes, hf.models.coulomb(0.5), world=[FLOOR])
    return hf.Assembly(contacts)


def with_joints(assembly: hf.Assembly, rows: int = 2) -> hf.Assembly:
    jacobian = np.random.default_rng(5).normal(size=(rows, 3 * len(assembly)))
    return hf.Assembly(assembly.contacts, hf.JointRows(jacobian, [-1e3] * rows, [1e3] * rows))


@pytest.mark.parametrize("n", [1, 2, 9])
@pytest.mark.parametrize("jointed", [False, True])
def test_blocks_are_the_dense_rows(n: int, jointed: bool) -> None:
    assembly = with_joints(stack(n)) if jointed else stack(n)
    layout, rng = assembly.layout, np.random.default_rng(1)
    forces, y = rng.normal(size=(len(assembly), 3)), rng.normal(size=len(layout.lower))
    world = np.einsum("kij,kj->ki", assembly.rotations, forces)
    wrenches = assembly.centred(assembly.wrench_matrix @ world.reshape(-1))
    expected = wrenches * layout.row_scale[: layout.balance]
    if assembly.joints is not None:
        torques = assembly.joints.jacobian @ world.reshape(-1) * layout.row_scale[layout.balance :]
        expected = np.concatenate([expected, torques])
    np.testing.assert_allclose(layout.row_sums(forces), expected, atol=1e-12)
    np.testing.assert_allclose(np.einsum("kmi,ki->m", layout.maps, forces), expected, atol=1e-12)
    np.testing.assert_allclose(layout.directions(y), np.einsum("kmi,m->ki", layout.maps, y), atol=1e-12)
    np.testing.assert_allclose(layout.term_sizes(y), np.einsum("kmi,m->ki", np.abs(layout.maps), np.abs(y)), atol=1e-12)
    np.testing.assert_allclose(assembly.borne(world[None])[0], wrenches, atol=1e-12)
    assert layout.most_terms == int((layout.maps != 0.0).any(axis=2).sum(axis=1).max())


def test_a_residual_is_that_of_the_whole_wrench_matrix() -> None:
    assembly, rng = with_joints(stack(5)), np.random.default_rng(2)
    forces, load = rng.normal(size=(len(assembly), 3)), rng.normal(size=30)
    missing = assembly.centred(assembly.wrench_matrix @ forces.reshape(-1) + load).reshape(-1, 6)
    expected = np.abs(missing / np.repeat([1.0, assembly.length], 3)).max()
    assert balance_residual(assembly, forces, load) == pytest.approx(expected, rel=1e-12)


def test_distances_are_those_of_each_force_to_its_piece() -> None:
    volume = hf.models.gecko_two_way(10.0)
    contacts = [hf.Contact([i, 0, 0], np.eye(3), volume if i % 2 else hf.models.coulomb(0.5)) for i in range(6)]
    forces = np.random.default_rng(4).normal(size=(6, 3)) * 5.0
    pieces = np.array([0, 1, 0, 0, 0, 1])
    found = memberships(hf.Assembly(contacts), forces, pieces)
    for distance, contact, force, piece in zip(found, contacts, forces, pieces, strict=True):
        polytope = contact.volume.polytopes[piece]
        size = max(np.abs(polytope.vertices).max(), np.abs(force).max())
        assert distance == pytest.approx(max(0.0, float(polytope.signed_distance(force))) / size, abs=1e-12)


@pytest.mark.parametrize("n", [3, 9])
def test_the_base_of_a_ramp_acts_on_each_body(n: int) -> None:
    """With the base contacts at their pinned forces the rows are those of base + s increment."""
    assembly, rng = stack(n), np.random.default_rng(6)
    base, increment = rng.normal(size=(n, 6)), rng.normal(size=(n, 6))
    base[1] = 0.0
    problem, layout = build_ramp(assembly, base, increment), assembly.layout
    forces = rng.normal(size=(len(assembly), 3))
    pinned = problem.contacts - len(assembly)
    assert pinned == n - 1
    size = float(problem.lower[-1])
    rows = problem.row_values(np.concatenate([forces, np.tile([0.0, 0.0, size], (pinned, 1))]), 0.7)
    direct = assembly.build(base + 0.7 * increment).row_values(forces, 1.0)
    np.testing.assert_allclose(rows[: layout.balance], direct, atol=1e-12)
    np.testing.assert_allclose(rows[layout.balance :], size)


def arch(n: int) -> tuple[hf.Assembly, Array]:
    """(a semicircular arch of n stones, their weights)."""
    shapes, weights = {}, []
    for i in range(n):
        angles = np.pi * np.array([i, i + 1]) / n
        points = [(-r * np.cos(a), y, r * np.sin(a)) for r in (0.85, 1.15) for a in angles for y in (-0.1, 0.1)]
        shapes[f"stone {i}"] = convex_mesh(points)
        weights.append(hf.loads.gravity_wrench(1.0, [0.0, 0.0, -9.81], np.mean(points, axis=0)))
    contacts = hf.assembly.touching(shapes, hf.models.coulomb(0.6), world=[FLOOR])
    return hf.Assembly(contacts), np.concatenate(weights)


def test_loads_near_the_limit_of_a_long_arch_are_decided_by_one_program() -> None:
    assembly, weights = arch(100)
    push = assembly.stacked({"stone 50": [100.0, 0.0, 0.0, 0.0, 100.0, 0.0]})
    ramp = hf.load_ramp(assembly, weights, push)
    assert ramp.verify()
    assert ramp.largest.effort.programs == 1
    for share, holds in ((1.0 - 1e-6, True), (1.0 + 1e-6, False)):
        answer = hf.equilibrium(assembly, weights + share * ramp.value * push)
        assert answer.holds is holds
        assert answer.verify()
        assert answer.effort.programs == 1


def test_a_body_on_studs_in_a_line_is_proven_to_tip() -> None:
    """No forces at all balance a torque about the line: the program has no solution, and this is proven."""
    corners = np.array([[x, y, -2.0] for x in (-2.0, 2.0) for y in (-2.0, 2.0)])
    snap = hf.ForceVolume([corners], [np.array([[0.0, 0.0, 1.0]])])
    contacts = [
        hf.Contact([x, y, 0.01 * i], np.eye(3), snap, body=f"brick {i}", against=f"brick {i - 1}" if i else None)
        for i in range(9)
        for x in (-0.012, -0.004, 0.004, 0.012)
        for y in ((-0.004, 0.004) if i < 8 else (0.004,))
    ]
    assembly = hf.Assembly(contacts)
    load = np.tile([0.0, 0.0, -1e-3, 0.0, 0.0, 0.0], 9)
    answer, limit = hf.equilibrium(assembly, load), hf.load_limit(assembly, load)
    assert answer.status is Status.DOES_NOT_HOLD
    assert answer.verify()
    assert (limit.status, limit.value) == (Status.OPTIMAL, 0.0)
    assert limit.verify()

"""Program (15) with (18) and (20) written out in full, by scipy, as a referee; and postures to ask about."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from holdfast.checks import Array
from holdfast.geometry.frames import Pose, rotation_about
from holdfast.grips import Grip, GripBounds, OuterGrip


def largest_scale(grips: list[Grip | OuterGrip], poses: list[Pose], wrench: Array, direction: Array) -> float:
    """The largest s with sum_j T_j w_j + w + s d = 0; inf without a limit, -inf when there is none."""
    columns, rows, sides = [], [], []
    planes, offsets, lower = [], [], []
    for grip, pose in zip(grips, poses, strict=True):
        turn = np.zeros((6, 6))
        x, y, z = pose.translation
        turn[:3, :3] = turn[3:, 3:] = pose.rotation
        turn[3:, :3] = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]) @ pose.rotation
        if isinstance(grip, Grip):
            block = turn @ np.concatenate([grip.vertices, grip.rays]).T
            ones = np.r_[np.ones(len(grip.vertices)), np.zeros(len(grip.rays))]
            rows.append((sum(c.shape[1] for c in columns), ones))
            sides.append(1.0)
            lower += [0.0] * block.shape[1]
        else:
            block = turn
            planes.append((sum(c.shape[1] for c in columns), grip.normals))
            offsets.append(grip.offsets)
            lower += [-np.inf] * 6
        columns.append(block)
    n = sum(c.shape[1] for c in columns)
    equal = np.zeros((6 + len(rows), n + 1))
    equal[:6, :n], equal[:6, n] = np.hstack(columns), direction
    for i, (first, ones) in enumerate(rows):
        equal[6 + i, first : first + len(ones)] = ones
    above = np.zeros((sum(len(o) for o in offsets), n + 1))
    at = 0
    for first, normals in planes:
        above[at : at + len(normals), first : first + 6] = normals
        at += len(normals)
    bounds = [(low, None) for low in lower] + [(None, None)]
    found = linprog(
        np.r_[np.zeros(n), -1.0],
        A_ub=above if len(above) else None,
        b_ub=np.concatenate(offsets) if offsets else None,
        A_eq=equal,
        b_eq=np.r_[-wrench, sides],
        bounds=bounds,
        method="highs-ds",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if found.status == 3:
        return np.inf
    return float(found.x[-1]) if found.status == 0 else -np.inf


def random_pose(rng: np.random.Generator) -> Pose:
    """A palm somewhere within half a metre."""
    return Pose(rotation_about(rng.normal(size=3), rng.uniform(0.0, 3.0)), rng.uniform(-0.5, 0.5, size=3))


def random_bounds(rng: np.random.Generator, n: int = 40) -> GripBounds:
    """A set of wrenches of the size of a hand's, n of its points and n of its half-spaces."""
    unit = np.repeat([1.0, 0.1], 3)
    cloud = rng.normal(size=(4 * n, 6)) * 20.0 * unit + rng.normal(size=6) * unit
    normals = rng.normal(size=(n, 6)) / unit
    offsets = (cloud @ normals.T).max(axis=0)
    axes = np.concatenate([np.eye(6), -np.eye(6)])
    planes = np.concatenate([normals, axes]), np.concatenate([offsets, (cloud @ axes.T).max(axis=0)])
    return GripBounds(Grip(cloud[:n], length=0.1), OuterGrip(*planes, length=0.1))


BOX = np.array([-1.0, -1.0, -1.0, -0.5, -0.5, -0.5]), np.array([1.0, 2.0, 3.0, 0.5, 0.5, 0.5])


def still(*positions: list[float]) -> list[Pose]:
    """Palms at positions, turned like the world."""
    return [Pose(np.eye(3), np.array(position, dtype=float)) for position in positions]

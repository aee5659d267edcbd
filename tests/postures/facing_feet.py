"""Two point feet that face each other, and one or two box hands: random scenes whose support region is often unbounded.

`reach` is the referee: one dense linear program by HiGHS, with forces of the feet and wrenches of the boxes as unknowns.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from holdfast.checks import Array
from holdfast.geometry.frames import Pose, frame_from_normal, wrench_matrix
from holdfast.grips import Grip, coulomb_grip
from holdfast.postures import SupportRegion, support_region

MASS, GRAVITY = 25.0, 9.80665
FRICTION, SIDES = 0.6, 16
LOWER, UPPER = (-40.0, -40.0, -40.0, -2.0, -2.0, -2.0), (40.0, 40.0, 90.0, 2.0, 2.0, 2.0)

FOOT, BOX = coulomb_grip(FRICTION, sides=SIDES), Grip.box(LOWER, UPPER)

#: Directions nearer to the normal of a ray than this [rad] are left to the proofs: the referee decides nothing there.
NEAR_RAY = 1e-5

#: With its own tolerance of 1e-7 HiGHS takes growth by forces of 1e6 N a metre for none.
TIGHT = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}

#: The referee agrees to this share of the region's size.
AGREEMENT = 1e-6


def facing_feet(number: int, seed: int = 1) -> list[Pose]:
    """The palms of one scene: two feet, then one or two boxes."""
    rng = np.random.default_rng([seed, number])
    normal = rng.normal(size=3)
    normal /= np.linalg.norm(normal)
    other = -normal + 0.3 * rng.normal(size=3)
    places = rng.normal(size=(3 + int(rng.integers(2)), 3))
    turns = [frame_from_normal(normal), frame_from_normal(other / np.linalg.norm(other))]
    for _ in places[2:]:
        q, r = np.linalg.qr(rng.normal(size=(3, 3)))
        turns.append(q * np.sign(np.diag(r)) * np.sign(np.linalg.det(q * np.sign(np.diag(r)))))
    return [Pose(turn, place) for turn, place in zip(turns, places, strict=True)]


def region_of(poses: list[Pose]) -> SupportRegion:
    """The support region under the body's weight."""
    return support_region([FOOT, FOOT, *[BOX] * (len(poses) - 2)], poses, MASS, (0.0, 0.0, -GRAVITY))


def reach(poses: list[Pose], direction: Array) -> float:
    """How far the centre of mass may go along `direction` (2,) [m]; inf without a limit, -inf where nothing holds."""
    angles = 2.0 * np.pi * np.arange(SIDES) / SIDES
    cone = np.column_stack([FRICTION * np.cos(angles), FRICTION * np.sin(angles), np.ones(SIDES)])
    forces = [cone @ pose.rotation.T @ wrench_matrix([pose.translation]).T for pose in poses[:2]]
    boxes = [np.kron(np.eye(2), pose.rotation).T for pose in poses[2:]]
    for rows, pose in zip(boxes, poses[2:], strict=True):
        rows[:3, 3:] = np.cross(pose.translation, rows[:3, :3])
    weight = MASS * GRAVITY
    places = np.array([[0, 0, 0, 0, weight, 0], [0, 0, 0, -weight, 0, 0]])  # (x, y) x (0, 0, -weight)
    columns = np.concatenate([*forces, *boxes, places]).T
    limits = [(0.0, None)] * (2 * SIDES) + list(zip(LOWER, UPPER, strict=True)) * len(boxes) + [(None, None)] * 2
    wanted = np.array([0.0, 0.0, weight, 0.0, 0.0, 0.0])
    for costs in (np.zeros(2), -np.asarray(direction)):
        gains = np.concatenate([np.zeros(columns.shape[1] - 2), costs])
        found = linprog(gains, A_eq=columns, b_eq=wanted, bounds=limits, options=TIGHT)
        if found.status == 2 and not costs.any():
            return -np.inf
    assert found.status in (0, 3), found.message
    return np.inf if found.status == 3 else -float(found.fun)


def disagreement(region: SupportRegion, poses: list[Pose], directions: Array) -> str:
    """What the referee finds along directions (n, 2) that the region does not have; "" where they agree."""
    for direction in directions:
        right = reach(poses, direction)
        if region.is_empty or right == -np.inf:
            if not (region.is_empty and right == -np.inf):
                return f"{region.kind}, the referee reaches {right:.9g}"
            continue
        climbs = float((region.rays @ direction).max(initial=-1.0)) if len(region.rays) else -1.0
        if abs(climbs) <= NEAR_RAY:
            continue
        own = np.inf if climbs > 0.0 else float((region.vertices @ direction).max())
        if own != right and not abs(own - right) <= AGREEMENT * region.size:
            return f"{region.kind} reaches {own:.9g} along {direction.tolist()}, the referee {right:.9g}"
    return ""

"""Grasps made by hand: an equilateral grasp of a disc, random triangles, and the tables of scores that hold them."""

from __future__ import annotations

import numpy as np

from holdfast.grasps.candidates import Candidates
from holdfast.grasps.criteria import CRITERIA
from holdfast.grasps.hands import GraspHand, HandPoses, load_hand, solve_hand
from holdfast.grasps.ranking import GraspParams, ObjectShape, ScoredGrasps, score

RADIUS = 40.0


def disc_shape(radius: float = RADIUS) -> ObjectShape:
    """A disc about the origin."""
    return ObjectShape(np.pi * radius**2, np.zeros(2), 2.0 * radius, 2.0 * radius)


def tangent_candidates(angles: np.ndarray, radius: float = RADIUS, half: float = 10.0) -> Candidates:
    """Grasps (g, 3) of a disc about the origin, at polar angles, with tangent regions; thumb first."""
    angles = np.atleast_2d(np.asarray(angles, dtype=float))
    outward = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    along = np.stack([-outward[..., 1], outward[..., 0]], axis=-1)  # counter-clockwise
    contacts = radius * outward
    segments = np.stack([contacts - half * along, contacts + half * along], axis=-2)
    count = len(angles)
    return Candidates(
        contacts=contacts,
        normals=-outward,
        segments=segments,
        region_index=np.tile(np.arange(3), (count, 1)),
        curvature=np.full((count, 3), -10.0 / radius),
        focus=np.zeros((count, 2)),
        virtual=np.zeros(count, dtype=bool),
        triplet=np.arange(count),
        zones=(None,) * count,
    )


def barrett() -> GraspHand:
    """The hand of the paper."""
    return load_hand("barrett")


def scored_disc(angles: np.ndarray, radius: float = RADIUS) -> ScoredGrasps:
    """Grasps of a disc, with the hand's poses and all criteria."""
    candidates, hand = tangent_candidates(angles, radius), barrett()
    return score(candidates, solve_hand(candidates, hand), hand, disc_shape(radius), GraspParams())


def many_angles(count: int = 12, seed: int = 3) -> np.ndarray:
    """(count, 3) polar angles near an equilateral triangle: thumb, finger left and finger right of its axis."""
    random = np.random.default_rng(seed)
    turn = random.uniform(0.0, 2.0 * np.pi, (count, 1))
    return np.pi + turn + np.array([0.0, -2.0, 2.0]) * np.pi / 3.0 + random.uniform(-0.2, 0.2, (count, 3))


def with_table(columns: np.ndarray, virtual: np.ndarray | None = None) -> ScoredGrasps:
    """Scores (g, 10) put into a table as they are; geometry of no meaning, rows with an infinite value not valid."""
    values = np.asarray(columns, dtype=float)
    candidates = tangent_candidates(many_angles(len(values)))
    if virtual is not None:
        object.__setattr__(candidates, "virtual", np.asarray(virtual, dtype=bool))
    poses = _poses(len(values))
    valid = np.asarray(np.isfinite(values).all(axis=1))
    criteria = {name: values[:, j] for j, name in enumerate(CRITERIA)}
    return ScoredGrasps(candidates, poses, barrett(), disc_shape(), GraspParams(), criteria, values.sum(axis=1), valid)


def _poses(count: int) -> HandPoses:
    return solve_hand(tangent_candidates(many_angles(count)), barrett())

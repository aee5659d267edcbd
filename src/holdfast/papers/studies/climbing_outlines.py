"""Support regions from hands that are never learned: the truth between two polygons, kept in files (V.C)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ... import checks
from ...checks import Array
from ...geometry.frames import Pose
from ...postures import LazyGrip, support_region
from ...postures.region_computation import Sampling

#: Sides of a polygon count as reached within this share of the outline's size.
ON_BORDER = 1e-9


@dataclass(frozen=True, eq=False)
class Outline:
    """A support region known by its extreme points along n directions, each found without learning.

    The hull of the points lies inside the region, the half-planes through them lie round it. Contacts count with the
    hulls of their force volumes.

    Attributes:
        directions: (n, 2) unit vectors, counter-clockwise; none where the region is empty.
        points: (n, 2) a furthest point of the region along each [m].
    """

    directions: Array
    points: Array

    @property
    def is_empty(self) -> bool:
        """Whether there is no region at all."""
        return not len(self.points)

    @property
    def inner(self) -> Array:
        """(m, 2) corners of the polygon inside, counter-clockwise [m]: the points, less those that come twice."""
        if self.is_empty:
            return np.zeros((0, 2))
        steps = np.linalg.norm(self.points - np.roll(self.points, 1, axis=0), axis=1)
        kept = self.points[steps > ON_BORDER * np.ptp(self.points, axis=0).max()]
        return kept if len(kept) else self.points[:1]

    @property
    def outer(self) -> Array:
        """(n, 2) corners of the polygon around, counter-clockwise [m]: where each half-plane meets the next."""
        if self.is_empty:
            return np.zeros((0, 2))
        offsets = np.einsum("ij,ij->i", self.directions, self.points)
        pairs = np.stack([self.directions, np.roll(self.directions, -1, axis=0)], axis=1)
        return np.linalg.solve(pairs, np.stack([offsets, np.roll(offsets, -1)], axis=1)[:, :, None])[:, :, 0]

    @property
    def areas(self) -> tuple[float, float]:
        """(at least, at most) [m^2]."""
        return _area(self.inner), _area(self.outer)

    @property
    def area(self) -> float:
        """Halfway between the two [m^2]."""
        return 0.5 * sum(self.areas)

    @property
    def reach(self) -> tuple[float, float]:
        """Least and largest first coordinate [m]: both are reached; nan where the region is empty."""
        if self.is_empty:
            return float("nan"), float("nan")
        return float(self.points[:, 0].min()), float(self.points[:, 0].max())

    def contains(self, point: ArrayLike) -> Literal["yes", "no", "undecided"]:
        """Whether a point (2,) [m] is in the region; undecided between the two polygons."""
        z = checks.vector("point", np.asarray(point, dtype=float)[:2], 2)
        if self.is_empty or (self.directions @ z > np.einsum("ij,ij->i", self.directions, self.points)).any():
            return "no"
        corners = self.inner
        if len(corners) < 3:
            return "undecided"
        steps, arms = np.roll(corners, -1, axis=0) - corners, z - corners
        return "yes" if (steps[:, 0] * arms[:, 1] - steps[:, 1] * arms[:, 0] >= 0.0).all() else "undecided"

    def nearest(self, point: ArrayLike) -> Array:
        """(2,) the point of the inner polygon that is nearest to `point` [m]; itself when it is in it."""
        z = np.asarray(point, dtype=float)[:2]
        if self.is_empty or self.contains(z) == "yes":
            return z if not self.is_empty else np.full(2, np.nan)
        corners = self.inner
        steps = np.roll(corners, -1, axis=0) - corners
        sizes = np.maximum(np.einsum("ij,ij->i", steps, steps), np.finfo(float).tiny)
        shares = np.clip(np.einsum("ij,ij->i", steps, z - corners) / sizes, 0.0, 1.0)
        feet = corners + shares[:, None] * steps
        return feet[int(np.linalg.norm(feet - z, axis=1).argmin())]


def lazy_outline(
    hands: Sequence[LazyGrip], poses: Sequence[Pose], mass: float, *, n: int = 32, cache: Path | None = None
) -> Outline:
    """The support region of a body on hands that are not learned, along n directions (23), under gravity along -z.

    Args:
        hands: one a palm.
        poses: palm frames in the world.
        mass: of the body [kg].
        n: directions, at least 3.
        cache: a folder of outlines that were found before; what is new is added.
    """
    path = None if cache is None else cache / f"outline_{_key(hands, poses, mass, n)}.json"
    if path is not None and path.is_file():
        known = _read(path, n)
        if known is not None:
            return known
    found = support_region(list(hands), list(poses), mass, method=Sampling(n))
    outline = Outline(np.zeros((0, 2)), np.zeros((0, 2)))
    if found.inner.kind != "empty":
        ways = Sampling(n).directions
        corners = found.inner.vertices
        outline = Outline(ways, corners[(ways @ corners.T).argmax(axis=1)])
    if path is not None:
        from ...storage.whole_files import write_whole

        write_whole(path, json.dumps({"points": outline.points.tolist()}).encode())
    return outline


def _key(hands: Sequence[LazyGrip], poses: Sequence[Pose], mass: float, n: int) -> str:
    """A name for the question: the same for the same hands, poses, mass and directions."""
    text = hashlib.sha256(f"{n} {mass:.9g}".encode())
    for hand, pose in zip(hands, poses, strict=True):
        palm = Pose.identity() if hand.palm is None else hand.palm
        numbers = [palm.rotation, palm.translation, pose.rotation, pose.translation]
        text.update(f"{hand.acting} {hand.assembly.fingerprint}".encode())
        text.update(np.round(np.concatenate([part.ravel() for part in numbers]), 9).tobytes())
    return text.hexdigest()[:16]


def _read(path: Path, n: int) -> Outline | None:
    """What a file of the cache says, or None where it is not whole."""
    try:
        points = np.array(json.loads(path.read_text(encoding="utf-8"))["points"], dtype=float).reshape(-1, 2)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if len(points) not in (0, n) or not np.isfinite(points).all():
        return None
    return Outline(Sampling(n).directions[: len(points)], points)


def _area(corners: Array) -> float:
    """Of a polygon with corners (m, 2) counter-clockwise [m^2]."""
    following = np.roll(corners, -1, axis=0)
    return 0.5 * float(np.sum(corners[:, 0] * following[:, 1] - corners[:, 1] * following[:, 0]))

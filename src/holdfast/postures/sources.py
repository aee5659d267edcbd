"""Where the vertices of a hand come from: all known, found by walking along half-spaces, or by the hand's program."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import tolerances
from ..checks import Array
from ..errors import InputError
from ..grips import Grip, OuterGrip
from .hands import AnyGrip
from .lazy import LazyGrip
from .proofs import hand_support

if TYPE_CHECKING:
    from ..solvers.minkowski.halfspace_sets import HalfspaceHand

#: A vertex is new when the hand reaches further by more than this share of the sum's size.
NEW_VERTEX = 1e-11


class Source(ABC):
    """The vertices and rays of one grip that are known, and how to find more."""

    empty = False

    def __init__(self, grip: AnyGrip) -> None:
        self.unit = np.repeat([1.0, grip.length], 3)
        self._points = np.zeros((0, 6))
        self._rays = np.zeros((0, 6))

    @property
    def size(self) -> float:
        """Size of the known vertices [N]."""
        return float(np.abs(self._points / self.unit).max(initial=0.0)) or 1.0

    def known(self) -> Any:
        """Vertices and rays known so far, as a shape for `SumSolver`."""
        return self._points, self._rays

    @abstractmethod
    def reach(self, directions: Array, *, learn: bool) -> list[tuple[float, bool]]:
        """(support, whether something new was learned) along each of the directions (n, 6) of the palm frame."""

    def _begin(self) -> None:
        """Start with what reaches furthest along the axes, both ways."""
        ways = np.concatenate([np.eye(6), -np.eye(6)]) / self.unit
        self.reach(ways, learn=True)

    def _learn(self, value: float, direction: Array, point: Array, ray: Array | None) -> bool:
        """Keep a point or a ray that goes further along `direction` than what is known; whether it does."""
        scaled = direction * self.unit
        size = float(np.abs(scaled).max())
        if ray is not None:
            new = ray / np.abs(ray / self.unit).max()
            if len(self._rays) and np.abs((self._rays - new) / self.unit).max(axis=1).min() <= tolerances.MERGE:
                return False
            self._rays = np.concatenate([self._rays, new[None]])
            if not len(self._points):
                self._points = point[None]
            return True
        if len(self._points) and value - (self._points @ direction).max() <= NEW_VERTEX * self.size * size:
            return False
        self._points = np.concatenate([self._points, point[None]])
        return True


class VertexSource(Source):
    """A grip whose vertices are all known."""

    def __init__(self, grip: Grip) -> None:
        super().__init__(grip)
        self._points, self._rays, self._grip = grip.vertices, grip.rays, grip

    def known(self) -> Any:
        """All of them, with the grip's own tables."""
        return self._grip.prepared

    def reach(self, directions: Array, *, learn: bool) -> list[tuple[float, bool]]:
        """By its vertices; nothing is ever new."""
        del learn
        return [(hand_support(self._grip, np.eye(6), direction, None)[0], False) for direction in directions]


class HalfspaceSource(Source):
    """A grip of half-spaces, one walker for each hand that has it."""

    def __init__(self, grip: OuterGrip, hands: int) -> None:
        super().__init__(grip)
        walker = grip.prepared
        self.empty = walker.empty
        self._walkers = [walker.copy() for _ in range(hands)]
        self._rays = np.concatenate([walker.lines, -walker.lines])
        if not self.empty:
            ways = np.concatenate([np.eye(6), -np.eye(6)]) / self.unit
            for way, found in zip(ways, walker.axis_supports, strict=True):
                self._learn(found.value, off_lines(walker, way, self.unit), found.point, found.ray)

    def reach(self, directions: Array, *, learn: bool) -> list[tuple[float, bool]]:
        """By walking along edges from where the last question ended."""
        result = []
        for index, direction in enumerate(directions):
            walker = self._walkers[index % len(self._walkers)]
            if climbs_lines(walker, direction, self.unit):  # which are known from the start
                result.append((np.inf, False))
                continue
            found = walker.support(off_lines(walker, direction, self.unit))
            new = learn and self._learn(found.value, direction, found.point, found.ray)
            result.append((found.value, new))
        return result


def climbs_lines(walker: HalfspaceHand, direction: Array, unit: Array) -> bool:
    """Whether a direction grows along lines of the set by more than rounding, so that it has no limit."""
    scaled = direction * unit
    slopes = np.abs(walker.lines / unit @ scaled).max(initial=0.0)
    return bool(slopes > 10 * tolerances.RAY_SLOPE * np.linalg.norm(scaled))


def off_lines(walker: HalfspaceHand, direction: Array, unit: Array) -> Array:
    """The direction without what rounding has it climb along lines, which a proof must not."""
    if not len(walker.lines):
        return direction
    lines = walker.lines / unit
    scaled = direction * unit
    return (scaled - (scaled @ lines.T) @ lines) / unit


class LazySource(Source):
    """A hand whose own program answers."""

    def __init__(self, grip: LazyGrip) -> None:
        super().__init__(grip)
        self._grip = grip
        rays = grip.free_rays
        self._rays = rays / np.abs(rays / self.unit).max(axis=1, initial=0.0)[:, None]  # as those that are learned
        self._points = grip.supports(np.zeros((1, 6))).points
        self._begin()

    def reach(self, directions: Array, *, learn: bool) -> list[tuple[float, bool]]:
        """By the hand's program over its contacts."""
        found = self._grip.supports(directions)
        result = []
        for value, direction, point, ray in zip(found.values, directions, found.points, found.rays, strict=True):
            way = ray if ray.any() else None
            result.append((float(value), learn and self._learn(float(value), direction, point, way)))
        return result


def source_of(grip: AnyGrip, hands: int) -> Source:
    """The source of one grip that several hands share."""
    if isinstance(grip, Grip):
        return VertexSource(grip)
    if isinstance(grip, OuterGrip):
        return HalfspaceSource(grip, hands)
    if not isinstance(grip, LazyGrip):
        raise InputError("has two sides", where="grips", fix='choose one: side="inner" or side="outer"')
    return LazySource(grip)

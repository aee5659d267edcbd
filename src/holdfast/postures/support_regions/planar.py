"""Geometry of convex sets in the plane: where their border is, how far away, what area they have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...checks import Array
from ...solvers.minkowski.slices import THIN, SliceKind

#: Points times border pieces of one block; keeps the memory small.
BLOCK = 2_000_000


@dataclass(frozen=True, eq=False)
class Pieces:
    """The border of a planar set as pieces of lines: starts + t ways, t from 0 or -inf to `ends`.

    Attributes:
        starts: (p, 2) points.
        ways: (p, 2) unit directions.
        lows: (p,) 0, or -inf for a whole line.
        ends: (p,) lengths, inf for a half-line or a line.
    """

    starts: Array
    ways: Array
    lows: Array
    ends: Array

    def distance(self, points: Array) -> Array:
        """(n,) distances of points (n, 2) to the nearest piece; inf without pieces."""
        nearest = np.full(len(points), np.inf)
        if not len(self.starts):
            return nearest
        step = max(1, BLOCK // len(self.starts))
        for first in range(0, len(points), step):
            rows = slice(first, first + step)
            apart = points[rows, None, :] - self.starts
            along = np.clip(np.einsum("npi,pi->np", apart, self.ways), self.lows, self.ends)
            rest = apart - along[..., None] * self.ways
            nearest[rows] = np.hypot(rest[..., 0], rest[..., 1]).min(axis=1)
        return nearest


def pieces_of(kind: SliceKind, vertices: Array, rays: Array, normals: Array) -> Pieces:
    """The border of a set with corners and rays in the order of `SumPolygon`; a thin set is its own border."""
    if kind in (SliceKind.EMPTY, SliceKind.PLANE):
        none = np.zeros((0, 2))
        return Pieces(none, none, np.zeros(0), np.zeros(0))
    if kind is SliceKind.POINT:
        return Pieces(vertices[:1], np.array([[1.0, 0.0]]), np.zeros(1), np.zeros(1))
    if kind is SliceKind.UNBOUNDED and len(rays) > 1 and np.allclose(rays[0], -rays[1], rtol=0.0, atol=THIN):
        count = len(vertices)
        ways = np.tile(rays[0], (count, 1))
        return Pieces(vertices, ways, np.full(count, -np.inf), np.full(count, np.inf))
    closing = vertices[:1] if kind is SliceKind.POLYGON else vertices[:0]
    chain = np.concatenate([vertices, closing])
    steps = np.diff(chain, axis=0)
    lengths = np.hypot(steps[:, 0], steps[:, 1])
    ways = steps / np.where(lengths > 0.0, lengths, 1.0)[:, None]
    starts, ends = chain[:-1], lengths
    if kind is SliceKind.UNBOUNDED:
        starts = np.concatenate([vertices[:1], starts, vertices[-1:]])
        ways = np.concatenate([rays[:1], ways, rays[-1:]])
        ends = np.concatenate([[np.inf], ends, [np.inf]])
    return Pieces(starts, ways, np.zeros(len(starts)), ends)


def area_of(kind: SliceKind, vertices: Array, rays: Array) -> float:
    """Area of a planar set: 0 of thin ones, inf of unbounded ones (0 of a half-line or a line)."""
    if kind is SliceKind.POLYGON:
        x, y = (vertices - vertices.mean(axis=0)).T
        return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))
    if kind is SliceKind.PLANE:
        return np.inf
    if kind is SliceKind.UNBOUNDED:
        spans = np.concatenate([vertices[1:] - vertices[:1], rays[1:]])
        across = np.abs(spans @ np.array([-rays[0, 1], rays[0, 0]]))
        return np.inf if np.any(across > THIN * np.hypot(*spans.T)) else 0.0
    return 0.0


def clipped_square(normals: Array, offsets: Array, centre: Array, reach: float) -> Array:
    """(n, 2) corners, counter-clockwise, of the part of a square about `centre` within the half-planes; () if none."""
    corners = centre + reach * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    for normal, offset in zip(normals, offsets, strict=True):
        if not len(corners):
            break
        beyond = corners @ normal - offset
        inside = beyond <= 0.0
        if inside.all():
            continue
        kept: list[Array] = []
        for i, here in enumerate(corners):
            j = (i + 1) % len(corners)
            if inside[i]:
                kept.append(here)
            if inside[i] != inside[j]:
                share = beyond[i] / (beyond[i] - beyond[j])
                kept.append(here + share * (corners[j] - here))
        corners = np.array(kept).reshape(-1, 2)
    return corners

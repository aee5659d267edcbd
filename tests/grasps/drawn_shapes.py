"""Shapes with known outlines, drawn pixel by pixel from their equations: independent of the package's own painting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

#: Samples along each side of a pixel.
FINE = 24


@dataclass(frozen=True)
class Shape:
    """`inside(x, y)` [mm], points around the border, and the exact area [mm^2]."""

    inside: Callable[[np.ndarray, np.ndarray], np.ndarray]
    border: np.ndarray
    area: float

    def drawn(self, scale: float = 0.5, size: tuple[int, int] = (260, 280), dark: float = 0.2, bright: float = 0.85):
        """The shape, dark on bright, on size (h, w) pixels of `scale` mm, smooth edges by many samples a pixel."""
        return bright - (bright - dark) * coverage(self.inside, scale, size)

    def turned(self, angle: float) -> Shape:
        c, s = np.cos(angle), np.sin(angle)
        border = self.border @ np.array([[c, s], [-s, c]])
        return Shape(lambda x, y: self.inside(c * x + s * y, c * y - s * x), border, self.area)

    def mirrored(self) -> Shape:
        return Shape(lambda x, y: self.inside(-x, y), self.border[::-1] * [-1, 1], self.area)

    def moved(self, dx: float, dy: float) -> Shape:
        return Shape(lambda x, y: self.inside(x - dx, y - dy), self.border + [dx, dy], self.area)

    def distance(self, points: np.ndarray) -> np.ndarray:
        """Distance [mm] of points (..., 2) from the border."""
        p, q = self.border, np.roll(self.border, -1, axis=0)
        flat = points.reshape(-1, 1, 2)
        along = q - p
        share = np.clip(((flat - p) * along).sum(-1) / (along**2).sum(-1), 0.0, 1.0)
        return np.linalg.norm(flat - p - share[..., None] * along, axis=-1).min(axis=1).reshape(points.shape[:-1])


def coverage(inside, scale: float, size: tuple[int, int]) -> np.ndarray:
    """Covered share of every pixel: pixels near the border are sampled finely, others at their centres."""
    height, width = size
    row, column = np.mgrid[:height, :width]
    centre = inside((column - (width - 1) / 2) * scale, ((height - 1) / 2 - row) * scale)
    mixed = np.zeros(size, dtype=bool)
    for dr in (-1, 0, 1):
        for dc in (-1, 0, 1):
            mixed |= np.roll(centre, (dr, dc), axis=(0, 1)) != centre
    found = centre.astype(float)
    fine = (np.arange(FINE) + 0.5) / FINE - 0.5
    x = (column[mixed][:, None, None] + fine[None, :, None] - (width - 1) / 2) * scale
    y = ((height - 1) / 2 - row[mixed][:, None, None] - fine[None, None, :]) * scale
    found[mixed] = inside(x, y).mean(axis=(1, 2))
    return found


def disc(radius: float = 40.0) -> Shape:
    angle = np.linspace(0, 2 * np.pi, 720, endpoint=False)
    border = radius * np.column_stack([np.cos(angle), np.sin(angle)])
    return Shape(lambda x, y: x**2 + y**2 < radius**2, border, np.pi * radius**2)


def polygon(points) -> Shape:
    """A convex polygon, corners counter-clockwise."""
    corners = np.asarray(points, dtype=float)
    edges = np.roll(corners, -1, axis=0) - corners

    def inside(x, y):
        found = np.ones(np.broadcast(x, y).shape, dtype=bool)
        for (px, py), (ex, ey) in zip(corners, edges, strict=True):
            found &= ex * (y - py) - ey * (x - px) > 0.0
        return found

    after = np.roll(corners, -1, axis=0)
    area = (corners[:, 0] * after[:, 1] - corners[:, 1] * after[:, 0]).sum() / 2
    return Shape(inside, corners, float(area))


def regular(n: int, radius: float = 45.0) -> Shape:
    angle = 2 * np.pi * np.arange(n) / n
    return polygon(radius * np.column_stack([np.cos(angle), np.sin(angle)]))


def rectangle(width: float = 110.0, height: float = 44.0) -> Shape:
    x, y = width / 2, height / 2
    return polygon([[-x, -y], [x, -y], [x, y], [-x, y]])


def trefoil(radius: float = 38.0, lobe: float = 10.0) -> Shape:
    angle = np.linspace(0, 2 * np.pi, 1440, endpoint=False)
    reach = radius + lobe * np.cos(3 * angle)
    border = reach[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    area = np.pi * (radius**2 + lobe**2 / 2)
    return Shape(lambda x, y: np.hypot(x, y) < radius + lobe * np.cos(3 * np.arctan2(y, x)), border, float(area))


SHAPES = {
    "disc": disc(),
    "hexagon": regular(6),
    "rectangle": rectangle(),
    "trefoil": trefoil(),
    "twelve-gon": regular(12),
}

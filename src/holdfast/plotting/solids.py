"""Faces and lines in space that hide each other: one collection, drawn from the back to the front."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..checks import Array
from . import style

Colour = tuple[float, float, float, float]


@dataclass
class Solids:
    """Collects polygons and lines of one picture; matplotlib sorts by depth only inside one collection.

    Attributes:
        polygons: (m, 3) corners each; lines are polygons of two corners.
        faces, borders: the colours of their inside and of their border.
    """

    polygons: list[Array] = field(default_factory=list)
    faces: list[Colour] = field(default_factory=list)
    borders: list[Colour] = field(default_factory=list)

    def add_faces(self, polygons: Sequence[Array], normals: Sequence[Array], base: str, opacity: float) -> None:
        """Flat polygons with outward unit normals, shaded by how they stand to the light; no borders."""
        if len(polygons):
            for polygon, colour in zip(polygons, style.shaded(base, np.array(normals), opacity), strict=True):
                self._add(polygon, colour, (*colour[:3], 0.0))

    def add_lines(self, segments: Sequence[Any], base: str, opacity: float = 1.0) -> None:
        """Straight lines, each between two points (3,)."""
        from matplotlib.colors import to_rgb

        for start, end in segments:
            self._add(np.array([start, end]), (0.0, 0.0, 0.0, 0.0), (*to_rgb(base), opacity))

    def _add(self, polygon: Array, face: Any, border: Any) -> None:
        self.polygons.append(np.asarray(polygon, dtype=np.float64))
        self.faces.append(tuple(float(c) for c in face))  # pyright: ignore[reportArgumentType]
        self.borders.append(tuple(float(c) for c in border))  # pyright: ignore[reportArgumentType]

    def draw(self, ax: Any, *, width: float = style.THIN, gid: str | None = None) -> None:
        """Put everything on axes in space; their limits stay as they are."""
        from mpl_toolkits.mplot3d.art3d import Poly3DCollection

        if self.polygons:
            # One length for all, by repeating corners evenly: means (and so the order) stay what they are, and
            # matplotlib has no gaps to fill with whatever memory holds.
            most = max(len(polygon) for polygon in self.polygons)
            padded = np.array([polygon[np.arange(most) * len(polygon) // most] for polygon in self.polygons])
            collection = Poly3DCollection(
                padded, facecolors=self.faces, edgecolors=self.borders, linewidths=width, gid=gid, zorder=style.BODIES
            )
            collection.set_joinstyle("round")
            ax.add_collection(collection, autolim=False)

    @property
    def corners(self) -> Array:
        """(n, 3) every corner, to find the limits of the picture."""
        return np.concatenate([np.zeros((0, 3)), *self.polygons])


def darker(base: str, share: float) -> str:
    """`base` with `share` of its light left."""
    from matplotlib.colors import to_hex, to_rgb

    red, green, blue = to_rgb(base)
    return to_hex((share * red, share * green, share * blue))

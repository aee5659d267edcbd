"""Faces and lines in space that hide each other: one collection, drawn from the back to the front."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..checks import Array
from . import style

#: Lines on a face: the share of its brightness, and their opacity.
EDGE_SHADE, EDGE_OPACITY = 0.5, 0.45

#: A straight line between two points (3,).
Segment = tuple[Array, Array]


@dataclass(frozen=True, eq=False)
class Face:
    """A flat face with the lines on its border, sorted by depth together.

    Attributes:
        parts: polygons (m, 3) that make it up.
        lines: lines drawn over it at once, so that no neighbour further back covers them.
        inside: (r, g, b, opacity) of the polygons.
        border: (r, g, b, opacity) of the lines.
    """

    parts: tuple[Array, ...]
    lines: tuple[Segment, ...]
    inside: tuple[float, ...]
    border: tuple[float, ...]

    @property
    def corners(self) -> Array:
        """(n, 3) corners of the polygons, or the ends of the lines when there are none."""
        return np.concatenate(self.parts) if self.parts else np.array(self.lines).reshape(-1, 3)


@dataclass
class Solids:
    """Collects the faces of one picture; matplotlib sorts by depth only inside one collection."""

    faces: list[Face] = field(default_factory=list)

    def add_face(
        self, parts: Sequence[Array], normal: Array, base: str, opacity: float, lines: Sequence[Segment] = ()
    ) -> None:
        """A face with an outward unit normal, shaded by its angle to the light, and lines on it."""
        if len(parts) or len(lines):
            colour = style.shaded(base, np.asarray(normal)[None, :], opacity)[0]
            edge = style.rgba(style.darker(base, EDGE_SHADE), EDGE_OPACITY)
            self.faces.append(Face(tuple(parts), tuple(lines), tuple(float(c) for c in colour), edge))

    def add_lines(self, lines: Sequence[Segment], base: str, opacity: float = 1.0) -> None:
        """Lines that belong to no face."""
        self.faces += [Face((), (line,), (0.0, 0.0, 0.0, 0.0), style.rgba(base, opacity)) for line in lines]

    def draw(self, ax: Any, *, gid: str | None = None) -> None:
        """Put everything on axes in space; their limits stay as they are."""
        if self.faces:
            from .artists import DepthSorted

            ax.add_collection(DepthSorted(self.faces, gid=gid, zorder=style.BODIES), autolim=False)

    @property
    def polygons(self) -> list[Array]:
        """The polygons (m, 3) of all faces."""
        return [part for face in self.faces for part in face.parts]

    @property
    def lines(self) -> list[Segment]:
        """The lines of all faces."""
        return [line for face in self.faces for line in face.lines]

    @property
    def corners(self) -> Array:
        """(n, 3) every corner, to find the limits of the picture."""
        return np.concatenate([np.zeros((0, 3)), *(face.corners for face in self.faces)])

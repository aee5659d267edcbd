"""3D artists: arrows with heads of constant size on paper, and faces sorted by depth whenever they are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.patches import FancyArrowPatch
from mpl_toolkits.mplot3d import proj3d
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array
from . import style
from .solids import Face


class Arrow(FancyArrowPatch):
    """An arrow from `start` to `end`, both (3,) in the coordinates of the axes.

    Attributes:
        start, end: where it begins and where its point is.
        companion: a text that is drawn in front of or behind bodies like the arrow, or None.
        outward: whether it starts on a body and points away from it: then it is drawn in front of the body when it
            points towards the viewer, and behind it otherwise.
    """

    def __init__(self, start: ArrayLike, end: ArrayLike, *, outward: bool = False, **look: Any) -> None:
        super().__init__((0.0, 0.0), (0.0, 0.0), **look)
        self.start: Array = checks.vector("start", start, 3)
        self.end: Array = checks.vector("end", end, 3)
        self.outward = outward
        self.companion: Any = None

    def do_3d_projection(self, renderer: Any = None) -> float:
        """Project both ends for the current view; returns the depth of the nearer one."""
        both = np.column_stack([self.start, self.end])
        x, y, z = proj3d.proj_transform(both[0], both[1], both[2], self.axes.M)  # pyright: ignore[reportOptionalMemberAccess, reportAttributeAccessIssue]
        self.set_positions((x[0], y[0]), (x[1], y[1]))
        if self.outward:
            self.set_zorder(style.ARROWS if z[1] < z[0] else style.BEHIND)
            if self.companion is not None:
                self.companion.set_zorder(self.get_zorder())
        return float(np.min(z))


def add_arrow(
    ax: Any, start: ArrayLike, end: ArrayLike, colour: str, *, width: float, head: float, **look: Any
) -> Arrow:
    """Draw an arrow on axes in space; `width` and `head` in points."""
    arrow = Arrow(
        start,
        end,
        arrowstyle=f"-|>,head_length={0.55 * head},head_width={0.22 * head}",
        mutation_scale=1.0,
        shrinkA=0.0,
        shrinkB=0.0,
        linewidth=width,
        color=colour,
        joinstyle="miter",
        capstyle="butt",
        **{"zorder": style.ARROWS, **look},
    )
    ax.add_artist(arrow)
    return arrow


#: A fully transparent colour.
CLEAR = (0.0, 0.0, 0.0, 0.0)


class DepthSorted(PolyCollection):
    """Faces drawn from the furthest to the nearest, by the mean depth of their corners, each with its lines.

    matplotlib's own collection sorts polygons one by one, so that a line on the border of a face is covered by
    the neighbour that is drawn later.
    """

    def __init__(self, faces: Sequence[Face], **look: Any) -> None:
        super().__init__([], linewidths=style.THIN, **look)
        self.set_joinstyle("round")
        self.set_capstyle("round")
        self._polygons = [p for face in faces for p in (*face.parts, *(np.array(line) for line in face.lines))]
        self._insides = np.array([c for f in faces for c in (*[f.inside] * len(f.parts), *[CLEAR] * len(f.lines))])
        self._borders = np.array([c for f in faces for c in (*[CLEAR] * len(f.parts), *[f.border] * len(f.lines))])
        self._owner = np.repeat(np.arange(len(faces)), [len(f.parts) + len(f.lines) for f in faces])
        self._middles = np.array([face.corners.mean(axis=0) for face in faces])
        self._ends = np.cumsum([len(polygon) for polygon in self._polygons])[:-1]

    def do_3d_projection(self) -> float:
        """Project and sort; the depth of the nearest face."""
        matrix = self.axes.M  # pyright: ignore[reportOptionalMemberAccess, reportAttributeAccessIssue]
        x, y, z = self._middles.T
        depth = np.asarray(proj3d.proj_transform(x, y, z, matrix)[2])
        order = np.argsort(-depth[self._owner], kind="stable")
        x, y, z = np.concatenate(self._polygons).T
        x, y, z = proj3d.proj_transform(x, y, z, matrix)
        flat = np.split(np.column_stack([x, y]), self._ends)
        self.set_verts([flat[k] for k in order])
        self.set_facecolor(self._insides[order])  # pyright: ignore[reportArgumentType]
        self.set_edgecolor(self._borders[order])  # pyright: ignore[reportArgumentType]
        return float(depth.min())

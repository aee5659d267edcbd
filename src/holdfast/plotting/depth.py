"""A collection of faces in space that is put in order of depth whenever it is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.collections import PolyCollection
from mpl_toolkits.mplot3d import proj3d

from . import style
from .solids import Face

#: A colour that is not seen.
CLEAR = (0.0, 0.0, 0.0, 0.0)


class DepthSorted(PolyCollection):
    """Faces drawn from the furthest to the nearest, by the mean depth of their corners, each with its lines.

    matplotlib's own collection sorts polygons one by one, so that a line on the border of a face is covered by
    whichever neighbour comes later.
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

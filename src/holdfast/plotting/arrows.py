"""Arrows in space with heads of one size on paper, from whichever side they are seen."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.patches import FancyArrowPatch
from mpl_toolkits.mplot3d import proj3d
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array
from . import style


class Arrow(FancyArrowPatch):
    """An arrow from `start` to `end`, both (3,) in the coordinates of the axes.

    Attributes:
        start, end: where it begins and where its point is.
        companion: a word that is drawn over or under bodies as the arrow is, or None.
        outward: whether it starts on a body and leads away from it: then it is drawn over the body when it comes
            towards the reader and under it when it goes away.
    """

    def __init__(self, start: ArrayLike, end: ArrayLike, *, outward: bool = False, **look: Any) -> None:
        super().__init__((0.0, 0.0), (0.0, 0.0), **look)
        self.start: Array = checks.vector("start", start, 3)
        self.end: Array = checks.vector("end", end, 3)
        self.outward = outward
        self.companion: Any = None

    def do_3d_projection(self, renderer: Any = None) -> float:
        """Put both ends on paper, from where the reader stands now; the depth of the nearer one."""
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

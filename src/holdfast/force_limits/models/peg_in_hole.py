"""A peg in a hole (Fig. 3): friction at whichever wall the peg is pushed against looks like adhesion."""

from __future__ import annotations

import numpy as np

from ...checks import Array
from ...geometry.polytopes import Polytope
from ..volume import ForceVolume
from . import parameters
from .info import FACETS, SIDE, describe
from .parameters import Side
from .polygons import ellipse_polygon, unit_polygon


def peg_in_hole(
    mu: float = 0.3,
    shear: float = 50.0,
    cap: float = 100.0,
    *,
    walls: int = 8,
    facets: int = 16,
    side: Side = "inner",
) -> ForceVolume:
    """Peg in a round hole: f_z >= -mu |f_t|, |f_t| <= shear, f_z <= cap.

    A wall at azimuth w that pushes with f . w > 0 resists being pulled out with mu f . w, the bottom resists being
    pushed in; the union over all azimuths is the set above, with a dent around -n. Piece k of the volume
    belongs to wall w_k, at azimuth 2 pi k/walls: f_z >= -mu f . w_k ("inner"), or
    f_z >= -mu f . w_k / cos(pi/walls) ("outer"), and the circle |f_t| <= shear is a polygon with `facets` sides
    inside or around it. In closed form the inner volume is f_z >= -mu max_k(f . w_k): the pull is exact at the walls
    and at most a share 1 - cos(pi/walls) too small between them (7.6 % by default).

    Args:
        mu: friction coefficient at the walls.
        shear: largest force along the surface [N].
        cap: largest pressing force f_z [N].
        walls: azimuths at which the wall is touched, one piece each, at least 3.
        facets: sides of the polygon for the shear limit; a multiple of `walls` keeps every wall direction exact.
        side: "inner" or "outer".

    Returns:
        One piece a wall, in the contact frame; the pieces overlap and each contains the zero force.
    """
    mu = parameters.friction("mu", mu)
    shear = parameters.force("shear", shear)
    cap = parameters.force("cap", cap)
    walls = parameters.facets("walls", walls)
    side = parameters.side(side)
    rim = ellipse_polygon(shear, shear, parameters.facets("facets", facets), side)
    slope = mu if side == "inner" else mu / np.cos(np.pi / walls)
    top = np.column_stack([rim, np.full(len(rim), cap)])
    pieces = []
    for wall in unit_polygon(walls) if mu > 0.0 else np.zeros((1, 2)):
        floor = -slope * (rim @ wall)
        if floor.max() < cap:
            pieces.append(Polytope(np.concatenate([np.column_stack([rim, floor]), top])))
        else:  # the floor, which rises away from the wall, passes the cap before it reaches the far rim
            pieces.append(_under_the_cap(rim, slope * wall, cap))
    return ForceVolume.from_polytopes(pieces)


def _under_the_cap(rim: Array, slope: Array, cap: float) -> Polytope:
    """The prism over polygon `rim` (n, 2) between the floor f_z = -slope . f_t and the cap."""
    depth = float((rim @ slope).max())
    ends = [np.column_stack([rim, np.full(len(rim), height)]) for height in (-depth, cap)]
    prism = Polytope(np.concatenate(ends)).clipped([-slope[0], -slope[1], -1.0], 0.0)
    assert prism is not None  # the zero force is in it
    return prism


PEG_IN_HOLE = describe(
    peg_in_hole,
    {
        "mu": ("1", "friction coefficient at the walls"),
        "shear": ("N", "largest force along the surface"),
        "cap": ("N", "largest pressing force f_z"),
        "walls": ("1", "azimuths at which the wall is touched, one piece each"),
        "facets": FACETS,
        "side": SIDE,
    },
    summary="f_z >= -mu |f_t|, |f_t| <= shear, f_z <= cap; union over wall contacts",
    convex=False,
    source="Hauser, Wang and Cutkosky 2018, Fig. 3",
    validity="round hole with play, one wall touched at a time; no wedging between two walls, no tipping of the peg",
)

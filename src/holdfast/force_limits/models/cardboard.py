"""Corrugated cardboard: it buckles under a straight push, and is stiffer against a slanted one."""

from __future__ import annotations

import math

import numpy as np

from ...errors import InputError
from ...geometry.polytopes import Polytope
from ..volume import ForceVolume
from . import parameters
from .info import FACETS, SIDE, describe
from .parameters import Side
from .polygons import ellipse_polygon, unit_polygon


def cardboard(
    buckling: float = 30.0,
    crushing: float = 60.0,
    theta0: float = math.radians(15.0),
    mu: float = 0.6,
    *,
    sectors: int = 6,
    facets: int = 24,
    side: Side = "inner",
) -> ForceVolume:
    """Corrugated cardboard: |f_t| <= mu f_z, and f_z <= buckling within theta0 of n, f_z <= crushing outside.

    Friction holds the force in a cone; a push within the angle theta0 of the normal buckles the flutes at the
    lower cap, one more slanted does not. The union has a dent on top. Piece 0 is the friction cone up to `buckling`.
    Piece k is the part of the cone up to `crushing` with f_t . w_k >= f_z tan(theta0) ("inner"), or with
    tan(theta0) cos(pi/sectors) ("outer"), w_k at azimuth 2 pi (k - 1)/sectors; the cone is a polygon with
    `facets` sides. Between two sectors "inner" gives up slanted pushes above `buckling` until they lean by
    tan(theta0)/cos(pi/sectors) (17.2 instead of 15 degrees by default), "outer" allows them from
    tan(theta0) cos(pi/sectors) on at the sectors' own azimuths (13.1 degrees).

    Args:
        buckling: cap F_c of f_z within theta0 of the normal [N].
        crushing: larger cap of f_z outside [N].
        theta0: angle from the normal within which the flutes buckle [rad], below arctan(mu).
        mu: friction coefficient.
        sectors: azimuths of the slanted pieces, at least 3.
        facets: sides of the polygon for the friction cone; a multiple of `sectors` keeps their azimuths exact.
        side: "inner" or "outer".

    Returns:
        1 + sectors pieces in the contact frame; each contains the zero force.
    """
    buckling = parameters.force("buckling", buckling)
    crushing = parameters.force("crushing", crushing)
    theta0 = parameters.angle("theta0", theta0)
    mu = parameters.friction("mu", mu)
    sectors = parameters.facets("sectors", sectors)
    facets = parameters.facets("facets", facets)
    side = parameters.side(side)
    if crushing <= buckling:
        raise InputError(
            f"is {crushing:g} N, not above buckling = {buckling:g} N",
            where="crushing",
            fix="give the larger cap of slanted forces; coulomb(mu, cap=...) has one cap",
        )
    rim = ellipse_polygon(mu, mu, facets, side)
    threshold = math.tan(theta0) * (1.0 if side == "inner" else math.cos(math.pi / sectors))
    walls = unit_polygon(sectors)
    if (rim @ walls.T).max(axis=0).min() <= threshold:
        raise InputError(
            f"is {theta0:g} rad, where friction {mu:g} admits no more slanted force",
            where="theta0",
            fix=f"give an angle clearly below arctan(mu) = {math.atan(mu):.4g} rad",
        )
    rays = np.column_stack([rim, np.ones(facets)])
    core = Polytope(np.concatenate([np.zeros((1, 3)), buckling * rays]))
    cone = Polytope(np.concatenate([np.zeros((1, 3)), crushing * rays]))
    slanted = [cone.clipped([-w[0], -w[1], threshold], 0.0) for w in walls]
    return ForceVolume.from_polytopes([core, *(piece for piece in slanted if piece is not None)])


CARDBOARD = describe(
    cardboard,
    {
        "buckling": ("N", "cap of f_z within theta0 of the normal"),
        "crushing": ("N", "larger cap of f_z outside"),
        "theta0": ("rad", "angle from the normal within which the flutes buckle"),
        "mu": ("1", "friction coefficient"),
        "sectors": ("1", "azimuths of the slanted pieces"),
        "facets": FACETS,
        "side": SIDE,
    },
    summary="|f_t| <= mu f_z; f_z <= buckling within theta0 of n, f_z <= crushing outside",
    convex=False,
    source="Hauser, Wang and Cutkosky 2018, III.A, in words only; the two caps and all figures are our choice",
    validity="undamaged board before first yield, no memory of earlier loads; isotropic within the board",
)

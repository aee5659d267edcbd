"""Dry friction: the Coulomb cone, its elliptic form, the pyramid."""

from __future__ import annotations

import numpy as np

from ..volume import ForceVolume
from . import parameters
from .info import CAP, FACETS, SIDE, describe
from .parameters import Side
from .polygons import ellipse_polygon


def friction_cone(
    mu: float, mu_lateral: float, *, facets: int, cap: float | None, side: Side, pull: float = 0.0
) -> ForceVolume:
    """The cone (f_x/mu)^2 + (f_y/mu_lateral)^2 <= (f_z + pull)^2 with f_z <= cap, as one convex piece.

    Its apex is (0, 0, -pull) [N]. Coefficients of zero give a flat piece, or a line along the normal.
    """
    if mu == 0.0 and mu_lateral == 0.0:
        base = np.zeros((1, 2))
    elif mu == 0.0 or mu_lateral == 0.0:
        base = np.array([[mu, mu_lateral], [-mu, -mu_lateral]])
    else:
        base = ellipse_polygon(mu, mu_lateral, facets, side)
    rays = np.column_stack([base, np.ones(len(base))])
    apex = np.array([[0.0, 0.0, -pull]])
    flat = mu == 0.0 or mu_lateral == 0.0
    if cap is None:
        return ForceVolume([apex], [rays], allow_flat=flat)
    rim = np.column_stack([base * (cap + pull), np.full(len(base), cap)])
    return ForceVolume([np.concatenate([apex, rim])], allow_flat=flat)


def coulomb(
    mu: float = 0.5,
    *,
    mu_lateral: float | None = None,
    facets: int = 16,
    cap: float | None = None,
    side: Side = "inner",
) -> ForceVolume:
    """Coulomb friction: f_z >= 0, (f_x/mu)^2 + (f_y/mu_lateral)^2 <= f_z^2, f_z <= cap.

    The ellipse of each cross-section becomes a polygon. Along every shear direction the admissible shear is
    at most a share 1 - cos(pi/facets) too small ("inner": 1.9 % for 16 facets, 0.5 % for 32), or
    1/cos(pi/facets) - 1 too large ("outer"). It is exact along x and y when `facets` is a multiple of four.

    Args:
        mu: friction coefficient along x; 0 gives the frictionless contact, a line along the normal.
        mu_lateral: friction coefficient along y; the same as `mu` when None.
        facets: number of sides of the polygon, at least 3.
        cap: largest pressing force f_z [N]; None for the unbounded cone, given by its rays.
        side: "inner" (nothing invented) or "outer" (nothing lost).

    Returns:
        One convex piece in the contact frame.
    """
    mu = parameters.friction("mu", mu)
    lateral = mu if mu_lateral is None else parameters.friction("mu_lateral", mu_lateral)
    return friction_cone(
        mu,
        lateral,
        facets=parameters.facets("facets", facets),
        cap=parameters.optional_force("cap", cap),
        side=parameters.side(side),
    )


def pyramid(
    mu: float = 0.5, *, mu_lateral: float | None = None, cap: float | None = None, side: Side = "inner"
) -> ForceVolume:
    """The friction pyramid, the coarsest usual stand-in for the Coulomb cone.

    "inner" is |f_x|/mu + |f_y|/mu_lateral <= f_z, which has the cone's edges on the axes and is up to 29 %
    too small on the diagonals. "outer" is |f_x| <= mu f_z, |f_y| <= mu_lateral f_z, up to 41 % too large
    there. Both are exact along x and y. f_z <= cap.

    Args:
        mu: friction coefficient along x.
        mu_lateral: friction coefficient along y; the same as `mu` when None.
        cap: largest pressing force f_z [N]; None for no limit.
        side: "inner" or "outer".

    Returns:
        One convex piece in the contact frame.
    """
    return coulomb(mu, mu_lateral=mu_lateral, facets=4, cap=cap, side=side)


_MU = ("1", "friction coefficient along x")
_MU_LATERAL = ("1", "friction coefficient along y; None: as mu")

COULOMB = describe(
    coulomb,
    {"mu": _MU, "mu_lateral": _MU_LATERAL, "facets": FACETS, "cap": CAP, "side": SIDE},
    summary="f_z >= 0, (f_x/mu)^2 + (f_y/mu_lateral)^2 <= f_z^2, f_z <= cap",
    convex=True,
    source="Amontons and Coulomb; the elliptic form is the usual one for orthotropic surfaces",
    validity="dry, rigid, without adhesion; one coefficient for sticking; no torsion at the point",
)

PYRAMID = describe(
    pyramid,
    {"mu": _MU, "mu_lateral": _MU_LATERAL, "cap": CAP, "side": SIDE},
    summary="inner |f_x|/mu + |f_y|/mu_lateral <= f_z; outer |f_x| <= mu f_z, |f_y| <= mu_lateral f_z; f_z <= cap",
    convex=True,
    source="the usual linearisation of the Coulomb cone with four facets",
    validity="as coulomb, but off by up to 29 % (inner) or 41 % (outer) on the diagonals",
)

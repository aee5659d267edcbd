"""Magnets: a constant pull onto the surface, and friction that lives of it."""

from __future__ import annotations

from ..volume import ForceVolume
from . import parameters
from .coulomb import friction_cone
from .info import CAP, FACETS, SIDE, describe
from .parameters import Side


def magnet(
    attraction: float = 100.0, mu: float = 0.3, *, facets: int = 16, cap: float | None = None, side: Side = "inner"
) -> ForceVolume:
    """Electromagnet or permanent magnet: f_z >= -attraction, |f_t| <= mu (f_z + attraction), f_z <= cap.

    The circle becomes a polygon: "inner" is at most a share 1 - cos(pi/facets) too small along every shear
    direction (1.9 % by default), "outer" 1/cos(pi/facets) - 1 too large.

    Args:
        attraction: F_m, the pull-off force [N].
        mu: friction coefficient between pole face and surface.
        facets: facets of the friction cone.
        cap: largest pressing force f_z [N]; None for no limit.
        side: "inner" or "outer".

    Returns:
        One convex piece in the contact frame.
    """
    mu = parameters.friction("mu", mu)
    return friction_cone(
        mu,
        mu,
        facets=parameters.facets("facets", facets),
        cap=parameters.optional_force("cap", cap),
        side=parameters.side(side),
        pull=parameters.force("attraction", attraction),
    )


MAGNET = describe(
    magnet,
    {
        "attraction": ("N", "pull-off force"),
        "mu": ("1", "friction coefficient between pole face and surface"),
        "facets": FACETS,
        "cap": CAP,
        "side": SIDE,
    },
    summary="f_z >= -attraction, |f_t| <= mu (f_z + attraction), f_z <= cap",
    convex=True,
    source="Coulomb friction under the sum of load and magnetic attraction, usual for climbing and lifting magnets",
    validity="closed air gap, thick clean ferromagnetic plate, no heating; no torsion or tipping at the point",
)

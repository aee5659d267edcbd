"""Suction cups: a vacuum that presses the cup on, and friction that lives of that pressure."""

from __future__ import annotations

import numpy as np

from ... import checks
from ..volume import ForceVolume
from . import parameters
from .coulomb import friction_cone
from .info import CAP, FACETS, SIDE, describe
from .parameters import Side
from .patch import PointPatch
from .polygons import unit_polygon


def suction(
    vacuum: float = 50.0, mu: float = 0.5, *, facets: int = 16, cap: float | None = None, side: Side = "inner"
) -> ForceVolume:
    """Suction cup as a point: f_z >= -vacuum, |f_t| <= mu (f_z + vacuum), f_z <= cap.

    The lip is pressed on by the load and the vacuum together, so that pulling costs shear strength and pressing
    adds to it. The circle becomes a polygon: "inner" is at most a share 1 - cos(pi/facets) too small along every
    shear direction (1.9 % by default), "outer" 1/cos(pi/facets) - 1 too large. A point has neither torsion nor
    bending: `suction_ring` has both.

    Args:
        vacuum: V = pressure difference times sealed area [N]: 60 kPa on a cup of 33 mm diameter give 51 N.
        mu: friction coefficient of the lip.
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
        pull=parameters.force("vacuum", vacuum),
    )


def suction_ring(
    vacuum: float = 50.0,
    mu: float = 0.5,
    radius: float = 0.0165,
    *,
    bending: float | None = None,
    points: int = 8,
    facets: int = 16,
    cap: float | None = None,
    side: Side = "inner",
) -> PointPatch:
    """Suction cup as a ring of points on its lip: shear, torsion and bending share the same vacuum.

    Each of the points is a `suction` with its share of the vacuum. Together they carry f_z >= -vacuum,
    |f_t| <= mu (f_z + vacuum), torsion |tau_z| <= mu radius (f_z + vacuum) and bending up to the moment at which
    the lip tips: radius (f_z + vacuum) towards a point, cos(pi/points) of it between two. A soft lip peels
    earlier: with `bending` the ring is drawn in to the radius bending/vacuum where that is the smaller one, so
    that neither limit is exceeded at f_z <= 0; torsion then suffers too. With a cap each point carries at most its
    share of it, which limits bending further.

    Args:
        vacuum: V = pressure difference times sealed area [N].
        mu: friction coefficient of the lip.
        radius: radius of the lip [m].
        bending: moment at which the lip peels at f_z = 0 [N m]; None when it only tips.
        points: points of the ring, at least 3.
        facets: facets of each friction cone.
        cap: largest pressing force f_z of the whole cup [N], shared evenly; None for no limit.
        side: "inner" or "outer", for the friction cones alone: the ring itself is an inner polygon of the lip.

    Returns:
        The ring, with the volume of each point.
    """
    count = parameters.facets("points", points)
    vacuum = parameters.force("vacuum", vacuum)
    cap = parameters.optional_force("cap", cap)
    radius = parameters.length("radius", radius)
    if bending is not None:
        peeling = checks.positive("bending", bending, unit="N m")
        radius = min(radius, parameters.length("bending / vacuum", peeling / vacuum))
    share = None if cap is None else cap / count
    ring = np.column_stack([unit_polygon(count) * radius, np.zeros(count)])
    return PointPatch(ring, suction(vacuum / count, mu, facets=facets, cap=share, side=side))


_VACUUM = ("N", "pressure difference times sealed area")
_MU = ("1", "friction coefficient of the lip")

SUCTION = describe(
    suction,
    {"vacuum": _VACUUM, "mu": _MU, "facets": FACETS, "cap": CAP, "side": SIDE},
    summary="f_z >= -vacuum, |f_t| <= mu (f_z + vacuum), f_z <= cap",
    convex=True,
    source="the suction contact models of grasp planning (Mahler and others' ring of springs, forces only)",
    validity="sealed cup, steady vacuum; no torsion or bending at the point, leaking and slow creep left out",
)

SUCTION_RING = describe(
    suction_ring,
    {
        "vacuum": _VACUUM,
        "mu": _MU,
        "radius": ("m", "radius of the lip"),
        "bending": ("N m", "moment at which the lip peels at f_z = 0; None when it only tips"),
        "points": ("1", "points of the ring"),
        "facets": FACETS,
        "cap": ("N", "largest pressing force f_z of the whole cup; None for no limit"),
        "side": SIDE,
    },
    summary="suction on a ring of points: adds torsion mu radius (f_z + vacuum), bending radius (f_z + vacuum)",
    convex=True,
    source="the suction contact models of grasp planning (Mahler and others' ring of springs)",
    validity="rigid lip that tips, or a soft one with its peeling moment; sealed cup, steady vacuum",
    kind="patch",
)

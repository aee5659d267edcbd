"""The soft finger: Coulomb friction with torsion about the normal, as a ring of points and as a set in R^4.

Why a ring is a soft finger. Let n points on a circle of radius r = e/mu press with p_i, sum f_z, without
bending moment, each with friction mu p_i. The largest a . f_t + b tau is mu sum p_i |a + b r t_i|, t_i the unit
tangents. Since sum p_i t_i = 0, Jensen's inequality bounds it by f_z sqrt(mu^2 |a|^2 + e^2 b^2): the ring never
exceeds the ellipsoid. Two opposite points in line with the shear attain it, and for even n the nearest such
pair is at most pi/n away, which costs no more than the factor cos(pi/(2 n)).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...errors import InputError
from ...geometry.polytopes import Polytope
from . import parameters
from .coulomb import friction_cone
from .info import FACETS, SIDE, describe
from .parameters import Side
from .patch import PointPatch
from .polygons import latitude_inradius, unit_polygon


@dataclass(frozen=True, eq=False)
class SoftFinger(PointPatch):
    """A soft finger pad.

    Attributes:
        points: (n, 3) ring in the pad's contact frame [m].
        volume: Coulomb volume of each point.
        limit_set: the pad's own limit set in R^4, rows (f_x, f_y, f_z [N], tau_z [N m]), torque about the
            pad's normal through its centre; without bending.
    """

    limit_set: Polytope


def soft_finger(
    mu: float = 0.5,
    e: float = 0.005,
    *,
    points: int = 8,
    facets: int = 16,
    cap: float | None = None,
    side: Side = "inner",
) -> SoftFinger:
    """Soft finger: f_z >= 0, |f_t|^2/mu^2 + tau^2/e^2 <= f_z^2, f_z <= cap.

    A point contact carries no torsion, so that the pad becomes a ring of `points` Coulomb points of radius e/mu,
    which resists shear up to mu f_z and torsion up to e f_z, and combines the two as the ellipsoid does: "inner"
    is nowhere more than a share 1 - cos(pi/(2 points)) cos(pi/facets) too small (3.8 % by default), "outer"
    is widened by that factor and contains the ellipsoid. With a cap each point carries at most its share
    of it, so that near the cap the ring can no longer choose where to press and loses up to 10 %.
    The ring also resists bending up to its own tipping moment, (e/mu) f_z; the ellipsoid says nothing of bending.

    Args:
        mu: friction coefficient, isotropic.
        e: torsion per newton of pressing force [m]; 2/3 of mu times the radius of a disc of even pressure.
        points: points of the ring, even and at least 4.
        facets: facets of each friction cone, and of the 4-D set around its torsion axis.
        cap: largest pressing force f_z of the whole pad [N]; None for no limit.
        side: "inner" or "outer".

    Returns:
        The ring, with the volume of each point, and the same set in R^4.
    """
    mu = parameters.friction("mu", mu)
    e = parameters.length("e", e)
    if mu == 0.0:
        raise InputError("is 0", where="mu", fix="a soft finger needs friction; coulomb(0) is the frictionless contact")
    count = parameters.facets("points", points, low=4)
    if count % 2:
        raise InputError(f"is {count}", where="points", fix="give an even number: the points stand in opposite pairs")
    facets = parameters.facets("facets", facets)
    cap = parameters.optional_force("cap", cap)
    side = parameters.side(side)
    widening = 1.0 if side == "inner" else 1.0 / np.cos(0.5 * np.pi / count)
    share = None if cap is None else cap / count
    volume = friction_cone(mu * widening, mu * widening, facets=facets, cap=share, side=side)
    ring = np.column_stack([unit_polygon(count) * parameters.length("e / mu", e / mu), np.zeros(count)])
    return SoftFinger(ring, volume, torsion_set(mu, e, facets=facets, cap=cap, side=side))


def torsion_set(mu: float, e: float, *, facets: int, cap: float | None, side: Side) -> Polytope:
    """{(f_x, f_y, f_z, tau) : |f_t|^2/mu^2 + tau^2/e^2 <= f_z^2, 0 <= f_z <= cap} as vertices or rays in R^4.

    The ellipsoid of each cross-section becomes the hull of polygons at equally spaced latitudes, inside it or,
    scaled by one over its inner radius, around it.
    """
    latitudes = np.linspace(0.0, 0.5 * np.pi, max(2, facets // 4) + 1)
    scale = 1.0 if side == "inner" else 1.0 / latitude_inradius(facets, latitudes)
    polygon = unit_polygon(facets)
    bands = [np.column_stack([polygon * np.cos(a), np.full(facets, np.sin(a))]) for a in latitudes[:-1]]
    north = np.concatenate([*bands, [[0.0, 0.0, 1.0]]])
    ball = scale * np.concatenate([north, north[facets:] * (1.0, 1.0, -1.0)])
    rays = np.column_stack([ball[:, 0] * mu, ball[:, 1] * mu, np.ones(len(ball)), ball[:, 2] * e])
    apex = np.zeros((1, 4))
    return Polytope(apex, rays) if cap is None else Polytope(np.concatenate([apex, cap * rays]))


SOFT_FINGER = describe(
    soft_finger,
    {
        "mu": ("1", "friction coefficient"),
        "e": ("m", "torsion per newton of pressing force"),
        "points": ("1", "points of the ring, even"),
        "facets": FACETS,
        "cap": ("N", "largest pressing force f_z of the whole pad; None for no limit"),
        "side": SIDE,
    },
    summary="f_z >= 0, |f_t|^2/mu^2 + tau^2/e^2 <= f_z^2, f_z <= cap, as a ring of points and as a set in R^4",
    convex=True,
    source="the elliptic limit surface of soft fingers (Howe and Cutkosky; Goyal, Ruina and Papadopoulos)",
    validity="the pressure pattern keeps its shape under load, so that e is constant; the ring tips at (e/mu) f_z",
    kind="patch",
)

"""Models that rest on friction: the Coulomb cone and pyramid, the soft finger, a peg in a hole, cardboard.

Why a ring of points is a soft finger. Let n points on a circle of radius r = e/mu press with p_i, sum f_z, without
bending moment, each with friction mu p_i. The largest a . f_t + b tau is mu sum p_i |a + b r t_i|, t_i the unit
tangents. Since sum p_i t_i = 0, Jensen's inequality bounds it by f_z sqrt(mu^2 |a|^2 + e^2 b^2): the ring never
exceeds the ellipsoid. Two opposite points in line with the shear attain it, and for even n the nearest such
pair is at most pi/n away, which costs no more than the factor cos(pi/(2 n)).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ... import checks, tolerances
from ...checks import Array, Side
from ...errors import InputError
from ...geometry.polytopes import Polytope
from ..volume import ForceVolume
from .parameters import (
    ACCURACY,
    ANGLE,
    CAP,
    COUNT,
    FACETS,
    FORCE,
    FRICTION,
    LENGTH,
    POLYGON,
    SIDE,
    Quantity,
    facets,
    polygon_share,
)
from .registry import ModelSuspension, model

# -- polygons and bands of latitude that approximate circles, ellipses and spheres --------------------


def unit_polygon(count: int, *, half_step: bool = False) -> Array:
    """(count, 2) corners on the unit circle, the first on the x axis, or half a step from it."""
    angles = 2.0 * np.pi * (np.arange(count) + (0.5 if half_step else 0.0)) / count
    corners = np.column_stack([np.cos(angles), np.sin(angles)])
    corners[np.abs(corners) < tolerances.SUM_ROUNDING] = 0.0
    return corners


def ellipse_polygon(semi_x: float, semi_y: float, facets: int, side: Side) -> Array:
    """(facets, 2) corners of a polygon inside or around the ellipse with these semi-axes.

    The inner one has corners on the ellipse, the first on the x axis. The outer one touches the ellipse in
    the middle of its sides, the first touch on the x axis. With `facets` a multiple of four both are exact
    along x and y; elsewhere their error is at most the factor cos(pi / facets).
    """
    inner = side == "inner"
    corners = unit_polygon(facets, half_step=not inner) / (1.0 if inner else np.cos(np.pi / facets))
    return corners * (semi_x, semi_y)


def latitude_inradius(facets: int, latitudes: Array) -> float:
    """Radius of the largest ball around the origin inside the hull of unit polygons at these latitudes.

    `latitudes` [rad] ascend and end at the pole. The facet between two neighbouring latitudes is
    symmetric about its middle meridian, so that its distance from the origin is that of the line through
    the middles of its two parallel edges.
    """
    across = np.cos(latitudes) * np.cos(np.pi / facets)
    up = np.sin(latitudes)
    area = np.abs(across[:-1] * up[1:] - across[1:] * up[:-1])
    return float((area / np.hypot(np.diff(across), np.diff(up))).min())


def half_ball(facets: int, side: Side) -> Array:
    """(n, 3) corners of a polyhedron inside or around the upper half of the unit ball, the equator first, pole last.

    Polygons with `facets` sides at equally spaced latitudes; "outer" is the same hull, scaled by one over its inner
    radius.
    """
    latitudes = band_latitudes(facets)
    scale = 1.0 if side == "inner" else 1.0 / latitude_inradius(facets, latitudes)
    polygon = unit_polygon(facets)
    bands = [np.column_stack([polygon * np.cos(a), np.full(facets, np.sin(a))]) for a in latitudes[:-1]]
    return scale * np.concatenate([*bands, [[0.0, 0.0, 1.0]]])


def half_ball_share(parameters: Mapping[str, Any]) -> float:
    """Inner over outer radius of `half_ball` with `facets` facets."""
    facets = parameters["facets"]
    return latitude_inradius(facets, band_latitudes(facets))


def band_latitudes(facets: int) -> Array:
    """Latitudes [rad] of the polygons of `half_ball`, from the equator to the pole."""
    return np.linspace(0.0, 0.5 * np.pi, max(2, facets // 4) + 1)


# -- the Coulomb cone ---------------------------------------------------------------------------------


def friction_cone(
    mu: float, mu_lateral: float, *, facets: int, cap: float | None, side: Side, pull: float = 0.0
) -> ForceVolume:
    """The cone (f_x/mu)^2 + (f_y/mu_lateral)^2 <= (f_z + pull)^2 with f_z <= cap, as one convex piece.

    Its apex is (0, 0, -pull) [N]. Coefficients of zero give a flat piece, or a line along the normal.
    """
    flat = mu == 0.0 or mu_lateral == 0.0
    if flat:
        base = np.array([[mu, mu_lateral], [-mu, -mu_lateral]])[: 1 if mu == mu_lateral else 2]
    else:
        base = ellipse_polygon(mu, mu_lateral, facets, side)
    apex = np.array([[0.0, 0.0, -pull]])
    if cap is None:
        return ForceVolume([apex], [np.column_stack([base, np.ones(len(base))])], allow_flat=flat)
    rim = np.column_stack([base * (cap + pull), np.full(len(base), cap)])
    return ForceVolume([np.concatenate([apex, rim])], allow_flat=flat)


#: Two hard bodies that touch at a point.
HARD_CONTACT = ModelSuspension(
    normal=1e7,
    tangential=8.2e6,
    rule="slip",
    source="Hertz: a steel ball of 5 mm radius on aluminium at 10 N has dF/dx = (6 E*^2 R F)^(1/3) = 1e7 N/m; "
    "tangential/normal = 2 (1 - nu)/(2 - nu) by Mindlin, 0.82 at nu = 0.3",
    validity="hard smooth tips; grows with the cube root of the force. Give your own for rubber: rubber_pad_stiffness",
)


_AXES = {
    "mu": FRICTION("friction coefficient along x"),
    "mu_lateral": FRICTION("friction coefficient along y; None: same as mu", optional=True),
    "cap": CAP,
}


@model(
    "f_z >= 0, (f_x/mu)^2 + (f_y/mu_lateral)^2 <= f_z^2, f_z <= cap",
    convex=True,
    source="Amontons and Coulomb; the elliptic form is the usual one for orthotropic surfaces",
    validity="dry, rigid, without adhesion; one coefficient for sticking; no torsion at the point",
    suspension=HARD_CONTACT,
    **_AXES,
    **POLYGON,
)
def coulomb(
    mu: float = 0.5,
    *,
    mu_lateral: float | None = None,
    facets: int = 16,
    accuracy: float | None = None,
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
        accuracy: largest relative error of the admissible shear, instead of `facets`: the fewest facets, a multiple of
            four, that reach it. 0.002 chooses 52.
        cap: largest pressing force f_z [N]; None for the unbounded cone, given by its rays.
        side: "inner" (inside the true set) or "outer" (around it).

    Returns:
        One convex piece in the contact frame.
    """
    return friction_cone(mu, mu if mu_lateral is None else mu_lateral, facets=facets, cap=cap, side=side)


@model(
    "inner |f_x|/mu + |f_y|/mu_lateral <= f_z; outer |f_x| <= mu f_z, |f_y| <= mu_lateral f_z; f_z <= cap",
    convex=True,
    source="the usual linearisation of the Coulomb cone with four facets",
    validity="as coulomb, but off by up to 29 % (inner) or 41 % (outer) on the diagonals",
    suspension=HARD_CONTACT,
    side=SIDE,
    **_AXES,
)
def pyramid(
    mu: float = 0.5, *, mu_lateral: float | None = None, cap: float | None = None, side: Side = "inner"
) -> ForceVolume:
    """The friction pyramid, the coarsest usual approximation of the Coulomb cone.

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


# -- pads of several points ---------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class PointPatch:
    """The points that represent one pad with torsion and bending, all with the same volume.

    Attributes:
        points: (n, 3) positions in the pad's contact frame (x shear, y lateral, z into the object) [m].
        volume: admissible force of each single point, in that frame.
    """

    points: Array
    volume: ForceVolume

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", checks.array("points", self.points, ("n", 3)))
        checks.instance("volume", self.volume, ForceVolume, fix="give a ForceVolume")

    def __len__(self) -> int:
        return len(self.points)


def ring(count: int, radius: float) -> Array:
    """(count, 3) points on a circle about the normal [m], the first on the x axis."""
    return np.column_stack([unit_polygon(count) * radius, np.zeros(count)])


def ring_share(parameters: Mapping[str, Any]) -> float:
    """The least share of the soft finger's ellipsoid that a ring of `points` with cones of `facets` facets carries."""
    return polygon_share(parameters) * math.cos(0.5 * math.pi / parameters["points"])


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


@model(
    "f_z >= 0, |f_t|^2/mu^2 + tau^2/e^2 <= f_z^2, f_z <= cap, as a ring of points and as a set in R^4",
    "patch",
    convex=True,
    source="the elliptic limit surface of soft fingers (Howe and Cutkosky; Goyal, Ruina and Papadopoulos)",
    validity="the pressure pattern keeps its shape under load, so that e is constant; the ring tips at (e/mu) f_z",
    suspension=ModelSuspension(
        normal=7.5e3,
        tangential=2.5e3,
        rule="slip",
        source="our choice: a disc of silicone rubber, radius 10 mm, thickness 6 mm, G = 50 kPa, between faces that "
        "slip: 3 G A/t and G A/t",
        validity="a fingertip of soft silicone, a few newtons; silicone of Shore A 30 is several times as stiff",
    ),
    mu=FRICTION("friction coefficient"),
    e=LENGTH("torsion per newton of pressing force"),
    points=Quantity(
        "1",
        lambda name, n: facets(name, n, low=4, even="the points are opposite pairs"),
        "points of the ring, even",
    ),
    facets=FACETS,
    accuracy=replace(
        ACCURACY,
        share=lambda parameters: min(ring_share(parameters), half_ball_share(parameters)),
        halves=("points",),
        meaning="largest relative error without a cap, instead of facets; points are half the facets if not given",
    ),
    cap=FORCE("largest pressing force f_z of the whole pad; None for no limit", optional=True),
    side=SIDE,
)
def soft_finger(
    mu: float = 0.5,
    e: float = 0.005,
    *,
    points: int = 8,
    facets: int = 16,
    accuracy: float | None = None,
    cap: float | None = None,
    side: Side = "inner",
) -> SoftFinger:
    """Soft finger: f_z >= 0, |f_t|^2/mu^2 + tau^2/e^2 <= f_z^2, f_z <= cap.

    A point contact carries no torsion, so that the pad becomes a ring of `points` Coulomb points of radius e/mu,
    which resists shear up to mu f_z and torsion up to e f_z, and combines the two as the ellipsoid does: "inner"
    is at most a share 1 - cos(pi/(2 points)) cos(pi/facets) too small (3.8 % by default), "outer"
    is widened by that factor and contains the ellipsoid. With a cap each point carries at most its share
    of it, so that near the cap the ring can no longer choose where to press and loses up to 10 %.
    The ring also resists bending up to its own tipping moment, (e/mu) f_z; the ellipsoid does not include bending.

    Args:
        mu: friction coefficient, isotropic.
        e: torsion per newton of pressing force [m]; 2/3 of mu times the radius of a disc of even pressure.
        points: points of the ring, even and at least 4.
        facets: facets of each friction cone, and of the 4-D set around its torsion axis.
        accuracy: largest relative error along a ray of the ring without a cap and of the 4-D set, instead of `facets`.
            Unless given, `points` are then half the facets: 0.01 chooses 32 and 16.
        cap: largest pressing force f_z of the whole pad [N]; None for no limit.
        side: "inner" or "outer".

    Returns:
        The ring, with the volume of each point, and the same set in R^4.
    """
    if mu == 0.0:
        raise InputError("is 0", where="mu", fix="a soft finger needs friction; coulomb(0) is the frictionless contact")
    wide = mu if side == "inner" else mu / np.cos(0.5 * np.pi / points)
    volume = friction_cone(wide, wide, facets=facets, cap=None if cap is None else cap / points, side=side)
    places = ring(points, checks.length("e / mu", e / mu))
    return SoftFinger(places, volume, torsion_set(mu, e, facets=facets, cap=cap, side=side))


def torsion_set(mu: float, e: float, *, facets: int, cap: float | None, side: Side) -> Polytope:
    """{(f_x, f_y, f_z, tau) : |f_t|^2/mu^2 + tau^2/e^2 <= f_z^2, 0 <= f_z <= cap} as vertices or rays in R^4."""
    north = half_ball(facets, side)
    ball = np.concatenate([north, north[facets:] * (1.0, 1.0, -1.0)])
    rays = np.column_stack([ball[:, :2] * mu, np.ones(len(ball)), ball[:, 2] * e])
    apex = np.zeros((1, 4))
    return Polytope(apex, rays) if cap is None else Polytope(np.concatenate([apex, cap * rays]))


# -- unions: a peg in a hole, cardboard ---------------------------------------------------------------


@model(
    "f_z >= -mu |f_t|, |f_t| <= shear, f_z <= cap; union over wall contacts",
    convex=False,
    source="Hauser, Wang and Cutkosky 2018, Fig. 3",
    validity="round hole, loose fit, one wall touched at a time; no wedging between two walls, no tipping of the peg",
    suspension=replace(HARD_CONTACT, rule="brittle"),
    mu=FRICTION("friction coefficient at the walls"),
    shear=FORCE("largest force along the surface"),
    cap=FORCE("largest pressing force f_z"),
    walls=COUNT("azimuths at which the wall is touched, one piece each"),
    **POLYGON,
)
def peg_in_hole(
    mu: float = 0.3,
    shear: float = 50.0,
    cap: float = 100.0,
    *,
    walls: int = 8,
    facets: int = 16,
    accuracy: float | None = None,
    side: Side = "inner",
) -> ForceVolume:
    """Peg in a round hole (Fig. 3): f_z >= -mu |f_t|, |f_t| <= shear, f_z <= cap.

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
        accuracy: largest relative error of that polygon, instead of `facets`; without the error between walls.
        side: "inner" or "outer".

    Returns:
        One piece per wall, in the contact frame; the pieces overlap and each contains the zero force.
    """
    rim = ellipse_polygon(shear, shear, facets, side)
    slope = mu if side == "inner" else mu / np.cos(np.pi / walls)
    top = np.column_stack([rim, np.full(len(rim), cap)])
    pieces = []
    for wall in unit_polygon(walls) if mu > 0.0 else np.zeros((1, 2)):
        floor = -slope * (rim @ wall)
        if floor.max() < cap:
            pieces.append(Polytope(np.concatenate([np.column_stack([rim, floor]), top])))
        else:  # the floor, which rises away from the wall, exceeds the cap before the far rim
            bottom = np.column_stack([rim, np.full(len(rim), floor.min())])
            prism = Polytope(np.concatenate([bottom, top]))
            pieces.append(prism.clipped([-slope * wall[0], -slope * wall[1], -1.0], 0.0))
    return ForceVolume.from_polytopes(pieces)


@model(
    "|f_t| <= mu f_z; f_z <= buckling within theta0 of n, f_z <= crushing outside",
    convex=False,
    source="Hauser, Wang and Cutkosky 2018, III.A, in words only; the two caps and all figures are our choice",
    validity="undamaged board before first yield, no memory of earlier loads; isotropic within the board",
    suspension=ModelSuspension(
        normal=1e5,
        tangential=1e5,
        rule="ductile",
        source="our choice: 4 cm^2 of board 4 mm thick with a modulus of 1 MPa across it, in compression and in shear",
        validity="order of magnitude only; buckled flutes still carry the force at the border of the volume",
    ),
    buckling=FORCE("cap of f_z within theta0 of the normal"),
    crushing=FORCE("larger cap of f_z outside"),
    theta0=ANGLE("angle from the normal within which the flutes buckle"),
    mu=FRICTION("friction coefficient"),
    sectors=COUNT("azimuths of the slanted pieces"),
    **POLYGON,
)
def cardboard(
    buckling: float = 30.0,
    crushing: float = 60.0,
    theta0: float = math.radians(15.0),
    mu: float = 0.6,
    *,
    sectors: int = 6,
    facets: int = 24,
    accuracy: float | None = None,
    side: Side = "inner",
) -> ForceVolume:
    """Corrugated cardboard: |f_t| <= mu f_z, and f_z <= buckling within theta0 of n, f_z <= crushing outside.

    Friction holds the force in a cone; a push within the angle theta0 of the normal buckles the flutes at the
    lower cap, a more slanted push does not. The union has a dent on top. Piece 0 is the friction cone up to `buckling`.
    Piece k is the part of the cone up to `crushing` with f_t . w_k >= f_z tan(theta0) ("inner"), or with
    tan(theta0) cos(pi/sectors) ("outer"), w_k at azimuth 2 pi (k - 1)/sectors; the cone is a polygon with
    `facets` sides. Between two sectors "inner" excludes slanted pushes above `buckling` up to a slope of
    tan(theta0)/cos(pi/sectors) (17.2 instead of 15 degrees by default), "outer" allows them from the slope
    tan(theta0) cos(pi/sectors) on at the sectors' own azimuths (13.1 degrees).

    Args:
        buckling: cap F_c of f_z within theta0 of the normal [N].
        crushing: larger cap of f_z outside [N].
        theta0: angle from the normal within which the flutes buckle [rad], below arctan(mu).
        mu: friction coefficient.
        sectors: azimuths of the slanted pieces, at least 3.
        facets: sides of the polygon for the friction cone; a multiple of `sectors` keeps their azimuths exact.
        accuracy: largest relative error of that polygon, instead of `facets`; the sectors stay as given.
        side: "inner" or "outer".

    Returns:
        1 + sectors pieces in the contact frame; each contains the zero force.
    """
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
            f"is {theta0:g} rad, where friction {mu:g} allows no slanted force",
            where="theta0",
            fix=f"give an angle clearly below arctan(mu) = {math.atan(mu):.4g} rad",
        )
    rays = np.column_stack([rim, np.ones(facets)])
    core, cone = (Polytope(np.concatenate([np.zeros((1, 3)), cap * rays])) for cap in (buckling, crushing))
    slanted = [cone.clipped([-w[0], -w[1], threshold], 0.0) for w in walls]
    return ForceVolume.from_polytopes([core, *(piece for piece in slanted if piece is not None)])

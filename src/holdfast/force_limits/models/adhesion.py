"""Models that pull: directional spines and hairs, dry adhesive pads, suction cups, magnets."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from ... import checks
from ...checks import Side
from ...errors import GeometryError
from ...public_names import with_advice
from ..volume import ForceVolume
from .friction import PointPatch, friction_cone, half_ball, half_ball_share, ring
from .parameters import ACCURACY, ANGLE, CAP, COUNT, FACETS, FORCE, FRICTION, LENGTH, MOMENT, POLYGON, SIDE, facets
from .registry import ModelSuspension, model

#: About 40 spines that each carry 1 N and have the stiffness of a Spinybot toe.
SPINES = ModelSuspension(
    normal=600.0,
    tangential=2900.0,
    rule="brittle",
    source="40 spines, our choice, with the stiffness measured for the outer spine of a Spinybot II toe (Stanford, "
    "2005: SpinyBotIIToeComplianceDetails; the flexures of Asbeck and others, 2006): 15 N/m along the normal, 73 N/m "
    "along the wall",
    validity="spines of 1 N each on soft flexures; the inner spine of the toe has 16 N/m along the wall; coupling of "
    "the directions, and the higher stiffness of a spine pulled off the wall, are left out",
)

#: A film of fibrils on foam.
FILM_ON_FOAM = ModelSuspension(
    normal=6e3,
    tangential=3e3,
    rule="brittle",
    source="our choice: a film on 25 x 25 mm of open foam 6 mm thick with E = 60 kPa and G = E/2: E A/t and G A/t",
    validity="order of magnitude only: a tile on a stiff backing is a hundred times as stiff, a pad on a tendon softer",
)

#: A cup of rubber with a short bellows, or a flat one.
RUBBER_CUP = ModelSuspension(
    normal=5e3,
    tangential=1.5e3,
    rule="brittle",
    source="our choice within 1 to 10 N/mm: a few millimetres at some tens of newtons; tangential 0.3 of "
    "normal; that cups share their load as springs is the model of Lee and others (arXiv 2408.03498)",
    validity="order of magnitude only: long bellows are softer, flat cups pulled onto their cleats stiffer",
)

# -- directional contacts: they pull only while they are sheared along +x -------------------------------


def wedge(shear: float, *, lateral: float, pull: float, cap: float | None) -> ForceVolume:
    """0 <= f_x <= shear, |f_y| <= f_x tan(lateral), -f_z <= f_x tan(pull), f_z <= cap: one convex piece, exact.

    Angles in [rad], forces in [N]. A lateral angle of zero gives a flat piece.
    """
    flat = lateral == 0.0
    spread, depth = shear * math.tan(lateral), shear * math.tan(pull)
    bottom = np.array([[0.0] * 3, *([shear, y, -depth] for y in ((0.0,) if flat else (spread, -spread)))])
    if cap is None:
        return ForceVolume([bottom], [np.array([[0.0, 0.0, 1.0]])], allow_flat=flat)
    top = bottom * (1.0, 1.0, 0.0) + (0.0, 0.0, cap)
    return ForceVolume([np.concatenate([bottom, top])], allow_flat=flat)


@model(
    "0 <= f_x <= shear, |f_y| <= f_x tan(lateral), -f_z <= f_x tan(pull), f_z <= cap",
    convex=True,
    source="the linear contact model of splayed and opposed microspine grippers of climbing robots (LORIS style)",
    validity="rock and other rough ground; spines engaged; no friction of the substrate",
    suspension=SPINES,
    shear=FORCE("largest force along x"),
    lateral=ANGLE("largest angle of the shear force from x"),
    pull=ANGLE("largest angle of the force away from the surface"),
    cap=CAP,
)
def directional_microspine(
    shear: float = 25.0, lateral: float = 0.785, pull: float = 0.35, *, cap: float | None = None
) -> ForceVolume:
    """Directional microspine gripper: 0 <= f_x <= shear, |f_y| <= f_x tan(lateral), -f_z <= f_x tan(pull), f_z <= cap.

    The spines hold only while they are loaded along +x; the set is polyhedral and represented exactly. Substrate
    friction is left out: `.union(coulomb(mu))` adds it for a unit that may also press.

    Args:
        shear: largest force along the shear direction x [N].
        lateral: largest angle of the shear force from x, within the surface [rad].
        pull: largest angle of the force away from the surface [rad].
        cap: largest pressing force f_z [N]; None for no limit.

    Returns:
        One convex piece in the contact frame.
    """
    return wedge(shear, lateral=lateral, pull=pull, cap=cap)


_HAIRS = {
    "shear": FORCE("largest force along x"),
    "alpha": ANGLE("critical angle of the force away from the surface"),
    "lateral": ANGLE("largest angle of the shear force from x"),
    "cap": CAP,
}


@model(
    "f_z >= -f_x tan(alpha), 0 <= f_x <= shear, |f_y| <= f_x tan(lateral), f_z <= cap",
    convex=True,
    source="frictional adhesion of gecko setae (Autumn and others, 2006); the lateral angle is our choice",
    validity="clean smooth surfaces, hairs engaged by a preload; no friction against the hairs' direction",
    suspension=FILM_ON_FOAM,
    **_HAIRS,
)
def gecko(
    shear: float = 10.0,
    alpha: float = math.radians(25.0),
    lateral: float = math.radians(30.0),
    *,
    cap: float | None = None,
) -> ForceVolume:
    """Directional adhesion: f_z >= -f_x tan(alpha), 0 <= f_x <= shear, |f_y| <= f_x tan(lateral), f_z <= cap.

    Adhesion grows with the shear along the hairs' direction x, and is zero without it. The set is polyhedral
    and represented exactly. The published law is for the plane x-z; `lateral`, the largest angle of the shear
    from x, is our own parameter.

    Args:
        shear: largest force along x [N].
        alpha: critical angle alpha* of the force away from the surface [rad], about 25 degrees.
        lateral: largest angle of the shear force from x, within the surface [rad].
        cap: largest pressing force f_z [N]; None for no limit.

    Returns:
        One convex piece in the contact frame.
    """
    return wedge(shear, lateral=lateral, pull=alpha, cap=cap)


@model(
    "union of gecko along +x and gecko along -x",
    convex=False,
    source="opposed directional adhesive pads; frictional adhesion (Autumn and others, 2006)",
    validity="as gecko; one of the two fields carries at a time, without internal tension between them",
    suspension=FILM_ON_FOAM,
    **_HAIRS,
)
def gecko_two_way(
    shear: float = 10.0,
    alpha: float = math.radians(25.0),
    lateral: float = math.radians(30.0),
    *,
    cap: float | None = None,
) -> ForceVolume:
    """Two opposed fields of hairs: the union of `gecko` along +x and along -x, exact.

    Only one of the fields is loaded at a time, so that pulling straight off is impossible although it lies
    between the two pieces: the set is not convex. Arguments as in `gecko`.
    """
    forward = gecko(shear, alpha, lateral, cap=cap)
    return forward.union(forward.rotated(np.diag([-1.0, -1.0, 1.0])))


# -- dry adhesive pads ------------------------------------------------------------------------------


@model(
    "(f_x/shear)^2 + (f_y/lateral)^2 + (min(f_z, 0)/adhesion)^2 <= 1, f_z <= cap",
    convex=True,
    source="ellipsoidal limit surface, the usual fit to dry adhesive pads; fit_dry_adhesive fits it to measurements",
    validity="symmetric pads without a preferred sense of shear; pressing adds no shear strength",
    suspension=FILM_ON_FOAM,
    shear=FORCE("largest force along x"),
    adhesion=FORCE("largest straight pull"),
    lateral=FORCE("largest force along y; None: same as shear", optional=True),
    cap=CAP,
    facets=replace(FACETS, check=lambda name, value: facets(name, value, low=4)),
    accuracy=replace(
        ACCURACY, share=half_ball_share, meaning="largest relative error of the ellipsoid, instead of facets"
    ),
    side=SIDE,
)
def dry_adhesive(
    shear: float = 20.0,
    adhesion: float = 5.0,
    *,
    lateral: float | None = None,
    cap: float | None = None,
    facets: int = 16,
    accuracy: float | None = None,
    side: Side = "inner",
) -> ForceVolume:
    """Dry adhesive pad: (f_x/shear)^2 + (f_y/lateral)^2 + (min(f_z, 0)/adhesion)^2 <= 1, f_z <= cap.

    Half an ellipsoid in shear and adhesion; while pressed the shear limit is that at f_z = 0. The
    ellipsoid becomes the hull of polygons on facets/4 bands of latitude: "inner" is at most 3.8 % too small
    along a ray with 16 facets (1 % with 32), "outer" is that hull scaled until it contains the ellipsoid.

    Args:
        shear: largest force along x [N].
        adhesion: largest straight pull [N].
        lateral: largest force along y [N]; equal to `shear` when None.
        cap: largest pressing force f_z [N]; None for no limit.
        facets: facets around the normal, at least 4.
        accuracy: largest relative error of the limit along a ray, instead of `facets`: 0.01 chooses 32.
        side: "inner" or "outer".

    Returns:
        One convex piece in the contact frame.
    """
    below = half_ball(facets, side) * (shear, shear if lateral is None else lateral, -adhesion) + 0.0
    if cap is None:
        return ForceVolume([below], [np.array([[0.0, 0.0, 1.0]])])
    return ForceVolume([np.concatenate([below, below[:facets] + np.array([0.0, 0.0, cap])])])


@dataclass(frozen=True)
class DryAdhesiveFit:
    """Parameters of `dry_adhesive` fitted to measured limit forces.

    Attributes:
        shear, lateral, adhesion: semi-axes of the ellipsoid [N].
        rms_error: root mean square of (measured - fitted) / fitted limit force.
        largest_error: the largest of these relative errors, in magnitude.
    """

    shear: float
    lateral: float
    adhesion: float
    rms_error: float
    largest_error: float


@with_advice()
def fit_dry_adhesive(forces: ArrayLike) -> DryAdhesiveFit:
    """The ellipsoid of `dry_adhesive` nearest to limit forces (n, 3) [N], in the contact frame.

    Least squares of f_x^2/shear^2 + f_y^2/lateral^2 + min(f_z, 0)^2/adhesion^2 against 1, a convex problem with
    one solution; what remains is twice the relative error of each force. The fit is a mean: neither inner nor
    outer.
    """
    from scipy.optimize import nnls

    measured = checks.array("forces", forces, ("n", 3))
    if len(measured) < 3:
        raise GeometryError(f"has {len(measured)} rows", where="forces", fix="give at least three limit forces")
    parts = np.column_stack([measured[:, :2], np.minimum(measured[:, 2], 0.0)])
    largest = np.abs(parts).max(axis=0)
    squares = (parts / np.where(largest > 0.0, largest, 1.0)) ** 2
    weights, _ = nnls(squares, np.ones(len(squares)))
    names = ("shear (f_x)", "lateral (f_y)", "adhesion (f_z < 0)")
    missing = [name for name, weight in zip(names, weights, strict=True) if weight == 0.0]
    if missing:
        raise GeometryError(
            f"do not determine {', '.join(missing)}",
            where="forces",
            fix="measure along x, along y and away from the surface",
        )
    use = np.sqrt(squares @ weights)
    semi_axes = largest / np.sqrt(weights)
    return DryAdhesiveFit(
        *(float(axis) for axis in semi_axes),
        rms_error=float(np.sqrt(np.mean((use - 1.0) ** 2))),
        largest_error=float(np.abs(use - 1.0).max()),
    )


# -- suction cups and magnets: a pull onto the surface, and the friction that it causes -----------------

_LIP = {
    "vacuum": FORCE("pressure difference times sealed area"),
    "mu": FRICTION("friction coefficient of the lip"),
    **POLYGON,
}


@model(
    "f_z >= -vacuum, |f_t| <= mu (f_z + vacuum), f_z <= cap",
    convex=True,
    source="the suction contact models of grasp planning (Mahler and others' ring of springs, forces only)",
    validity="sealed cup, steady vacuum; no torsion or bending at the point, leaking and slow creep left out",
    suspension=RUBBER_CUP,
    cap=CAP,
    **_LIP,
)
def suction(
    vacuum: float = 50.0,
    mu: float = 0.5,
    *,
    facets: int = 16,
    accuracy: float | None = None,
    cap: float | None = None,
    side: Side = "inner",
) -> ForceVolume:
    """Suction cup as a point: f_z >= -vacuum, |f_t| <= mu (f_z + vacuum), f_z <= cap.

    The load and the vacuum together press the lip on the surface, so that pulling reduces the shear strength and
    pressing increases it. The circle becomes a polygon: "inner" is at most a share 1 - cos(pi/facets) too small along
    every shear direction (1.9 % by default), "outer" 1/cos(pi/facets) - 1 too large. A point has neither torsion nor
    bending: `suction_ring` has both.

    Args:
        vacuum: V = pressure difference times sealed area [N]: 60 kPa on a cup of 33 mm diameter give 51 N.
        mu: friction coefficient of the lip.
        facets: facets of the friction cone.
        accuracy: largest relative error of the admissible shear, in place of `facets`: 0.002 chooses 52.
        cap: largest pressing force f_z [N]; None for no limit.
        side: "inner" or "outer".

    Returns:
        One convex piece in the contact frame.
    """
    return friction_cone(mu, mu, facets=facets, cap=cap, side=side, pull=vacuum)


@model(
    "suction on a ring of points: adds torsion mu radius (f_z + vacuum), bending radius (f_z + vacuum)",
    "patch",
    convex=True,
    source="the suction contact models of grasp planning (Mahler and others' ring of springs)",
    validity="rigid lip that tips, or a soft one with its peeling moment; sealed cup, steady vacuum",
    suspension=RUBBER_CUP,
    radius=LENGTH("radius of the lip"),
    bending=MOMENT("moment at which the lip peels at f_z = 0; None when it only tips", optional=True),
    points=COUNT("points of the ring"),
    cap=FORCE("largest pressing force f_z of the whole cup; None for no limit", optional=True),
    **_LIP,
)
def suction_ring(
    vacuum: float = 50.0,
    mu: float = 0.5,
    radius: float = 0.0165,
    *,
    bending: float | None = None,
    points: int = 8,
    facets: int = 16,
    accuracy: float | None = None,
    cap: float | None = None,
    side: Side = "inner",
) -> PointPatch:
    """Suction cup as a ring of points on its lip: shear, torsion and bending share the same vacuum.

    Each of the points is a `suction` with its share of the vacuum. Together they carry f_z >= -vacuum,
    |f_t| <= mu (f_z + vacuum), torsion |tau_z| <= mu radius (f_z + vacuum) and bending up to the moment at which
    the lip tips: radius (f_z + vacuum) towards a point, cos(pi/points) of it between two. A soft lip peels
    earlier: with `bending` the ring has the radius bending/vacuum where that is smaller, so that neither limit is
    exceeded at f_z <= 0; this also reduces torsion. With a cap each point carries at most its
    share of it, which limits bending further.

    Args:
        vacuum: V = pressure difference times sealed area [N].
        mu: friction coefficient of the lip.
        radius: radius of the lip [m].
        bending: moment at which the lip peels at f_z = 0 [N m]; None when it only tips.
        points: points of the ring, at least 3.
        facets: facets of each friction cone.
        accuracy: largest relative error of these cones, instead of `facets`; the points of the ring stay as given.
        cap: largest pressing force f_z of the whole cup [N], shared evenly; None for no limit.
        side: "inner" or "outer", for the friction cones alone: the ring itself is an inner polygon of the lip.

    Returns:
        The ring, with the volume of each point.
    """
    if bending is not None:
        radius = min(radius, checks.length("bending / vacuum", bending / vacuum))
    share = None if cap is None else cap / points
    return PointPatch(ring(points, radius), suction(vacuum / points, mu, facets=facets, cap=share, side=side))


@model(
    "f_z >= -attraction, |f_t| <= mu (f_z + attraction), f_z <= cap",
    convex=True,
    source="Coulomb friction under the sum of load and magnetic attraction, usual for climbing and lifting magnets",
    validity="closed air gap, thick clean ferromagnetic plate, no heating; no torsion or tipping at the point",
    suspension=ModelSuspension(
        normal=2e7,
        tangential=1.6e7,
        rule="brittle",
        source="flat rough faces: stiffness = force / (about 0.5 rms roughness) by Persson (2007), 100 N on 10 um; "
        "tangential by Mindlin's ratio 0.82, which holds for rough faces too (Campana, Persson and Mueser, 2011)",
        validity="bare pole face on steel, rigid mount; paint, rubber coats and springs in the mount are far softer; a "
        "magnet that slides may hold on: rule slip",
    ),
    attraction=FORCE("pull-off force"),
    mu=FRICTION("friction coefficient between pole face and surface"),
    cap=CAP,
    **POLYGON,
)
def magnet(
    attraction: float = 100.0,
    mu: float = 0.3,
    *,
    facets: int = 16,
    accuracy: float | None = None,
    cap: float | None = None,
    side: Side = "inner",
) -> ForceVolume:
    """Electromagnet or permanent magnet: f_z >= -attraction, |f_t| <= mu (f_z + attraction), f_z <= cap.

    The circle becomes a polygon: "inner" is at most a share 1 - cos(pi/facets) too small along every shear
    direction (1.9 % by default), "outer" 1/cos(pi/facets) - 1 too large.

    Args:
        attraction: F_m, the pull-off force [N].
        mu: friction coefficient between pole face and surface.
        facets: facets of the friction cone.
        accuracy: largest relative error of the admissible shear, in place of `facets`: 0.002 chooses 52.
        cap: largest pressing force f_z [N]; None for no limit.
        side: "inner" or "outer".

    Returns:
        One convex piece in the contact frame.
    """
    return friction_cone(mu, mu, facets=facets, cap=cap, side=side, pull=attraction)

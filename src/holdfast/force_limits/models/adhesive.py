"""Adhesion without hooks: gecko-like hairs that hold while sheared, and dry adhesive pads."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ... import checks
from ...errors import GeometryError
from ..volume import ForceVolume
from . import parameters
from .directional import wedge
from .info import CAP, FACETS, SIDE, describe
from .parameters import Side
from .polygons import latitude_inradius, unit_polygon


def gecko(
    shear: float = 10.0,
    alpha: float = math.radians(25.0),
    lateral: float = math.radians(30.0),
    *,
    cap: float | None = None,
) -> ForceVolume:
    """Frictional adhesion, one way: f_z >= -f_x tan(alpha), 0 <= f_x <= shear, |f_y| <= f_x tan(lateral), f_z <= cap.

    Adhesion grows with the shear along the hairs' direction x and is never there without it. The set is
    polyhedral and represented exactly. The law is one of the plane x-z; how far the shear may turn aside is
    our own parameter `lateral`.

    Args:
        shear: largest force along x [N].
        alpha: critical angle alpha* of the force away from the surface [rad], about 25 degrees.
        lateral: largest angle of the shear force from x, within the surface [rad].
        cap: largest pressing force f_z [N]; None for no limit.

    Returns:
        One convex piece in the contact frame.
    """
    return wedge(
        parameters.force("shear", shear),
        lateral=parameters.angle("lateral", lateral),
        pull=parameters.angle("alpha", alpha),
        cap=parameters.optional_force("cap", cap),
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


def dry_adhesive(
    shear: float = 20.0,
    adhesion: float = 5.0,
    *,
    lateral: float | None = None,
    cap: float | None = None,
    facets: int = 16,
    side: Side = "inner",
) -> ForceVolume:
    """Dry adhesive pad: (f_x/shear)^2 + (f_y/lateral)^2 + (min(f_z, 0)/adhesion)^2 <= 1, f_z <= cap.

    Half an ellipsoid in shear and adhesion; while pressed the shear limit stays what it is at f_z = 0. The
    ellipsoid becomes the hull of polygons on facets/4 bands of latitude: "inner" is at most 3.8 % too small
    along a ray with 16 facets (1 % with 32), "outer" is that hull scaled until it contains the ellipsoid.

    Args:
        shear: largest force along x [N].
        adhesion: largest straight pull [N].
        lateral: largest force along y [N]; as `shear` when None.
        cap: largest pressing force f_z [N]; None for no limit.
        facets: facets around the normal, at least 4.
        side: "inner" or "outer".

    Returns:
        One convex piece in the contact frame.
    """
    shear = parameters.force("shear", shear)
    adhesion = parameters.force("adhesion", adhesion)
    across = shear if lateral is None else parameters.force("lateral", lateral)
    cap = parameters.optional_force("cap", cap)
    facets = parameters.facets("facets", facets, low=4)
    latitudes = np.linspace(0.0, 0.5 * np.pi, max(2, facets // 4) + 1)
    outer = parameters.side(side) == "outer"
    scale = 1.0 / latitude_inradius(facets, latitudes) if outer else 1.0
    ring = unit_polygon(facets) * (scale * shear, scale * across)
    bands = [
        np.column_stack([ring * np.cos(a), np.full(facets, -scale * adhesion * np.sin(a))]) for a in latitudes[1:-1]
    ]
    pole = np.array([[0.0, 0.0, -scale * adhesion]])
    equator = np.column_stack([ring, np.zeros(facets)])
    below = np.concatenate([equator, *bands, pole])
    if cap is None:
        return ForceVolume([below], [np.array([[0.0, 0.0, 1.0]])])
    top = np.column_stack([ring, np.full(facets, cap)])
    return ForceVolume([np.concatenate([below, top])])


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


def fit_dry_adhesive(forces: ArrayLike) -> DryAdhesiveFit:
    """The ellipsoid of `dry_adhesive` nearest to limit forces (n, 3) [N], in the contact frame.

    Least squares of f_x^2/shear^2 + f_y^2/lateral^2 + min(f_z, 0)^2/adhesion^2 against 1, a convex problem with
    one solution; what remains is twice the relative error of each force. The fit is a middle one: neither inner
    nor outer.
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


_HAIRS = {
    "shear": ("N", "largest force along x"),
    "alpha": ("rad", "critical angle of the force away from the surface"),
    "lateral": ("rad", "largest angle of the shear force from x"),
    "cap": CAP,
}

GECKO = describe(
    gecko,
    _HAIRS,
    summary="f_z >= -f_x tan(alpha), 0 <= f_x <= shear, |f_y| <= f_x tan(lateral), f_z <= cap",
    convex=True,
    source="frictional adhesion of gecko setae (Autumn and others, 2006); the lateral angle is our choice",
    validity="clean smooth surfaces, hairs engaged by a preload; no friction against the hairs' direction",
)

GECKO_TWO_WAY = describe(
    gecko_two_way,
    _HAIRS,
    summary="union of gecko along +x and gecko along -x",
    convex=False,
    source="opposed directional adhesive pads; frictional adhesion (Autumn and others, 2006)",
    validity="as gecko; one of the two fields carries at a time, without internal tension between them",
)

DRY_ADHESIVE = describe(
    dry_adhesive,
    {
        "shear": ("N", "largest force along x"),
        "adhesion": ("N", "largest straight pull"),
        "lateral": ("N", "largest force along y; None: as shear"),
        "cap": CAP,
        "facets": FACETS,
        "side": SIDE,
    },
    summary="(f_x/shear)^2 + (f_y/lateral)^2 + (min(f_z, 0)/adhesion)^2 <= 1, f_z <= cap",
    convex=True,
    source="ellipsoidal limit surface, the usual fit to dry adhesive pads; fit_dry_adhesive fits it to measurements",
    validity="symmetric pads without a preferred sense of shear; pressing adds no shear strength",
)

"""Contacts that pull only while they are dragged one way: the wedge of directional spines and hairs."""

from __future__ import annotations

import math

import numpy as np

from ..volume import ForceVolume
from . import parameters
from .info import CAP, describe


def wedge(shear: float, *, lateral: float, pull: float, cap: float | None) -> ForceVolume:
    """0 <= f_x <= shear, |f_y| <= f_x tan(lateral), -f_z <= f_x tan(pull), f_z <= cap: one convex piece, exact.

    Angles in [rad], forces in [N]. A lateral angle of zero gives a flat piece.
    """
    flat = lateral == 0.0
    spread = shear * math.tan(lateral)
    corners = np.array([[shear, y] for y in ((0.0,) if flat else (spread, -spread))])
    low = np.column_stack([corners, np.full(len(corners), -shear * math.tan(pull))])
    bottom = np.concatenate([np.zeros((1, 3)), low])
    if cap is None:
        return ForceVolume([bottom], [np.array([[0.0, 0.0, 1.0]])], allow_flat=flat)
    top = bottom * (1.0, 1.0, 0.0) + (0.0, 0.0, cap)
    return ForceVolume([np.concatenate([bottom, top])], allow_flat=flat)


def directional_microspine(
    shear: float = 25.0, lateral: float = 0.785, pull: float = 0.35, *, cap: float | None = None
) -> ForceVolume:
    """Directional microspine gripper: 0 <= f_x <= shear, |f_y| <= f_x tan(lateral), -f_z <= f_x tan(pull), f_z <= cap.

    The spines hold only while they are loaded along +x; the set is polyhedral and represented exactly. Substrate
    friction is left out: `.union(coulomb(mu))` adds it where the unit may also simply press.

    Args:
        shear: largest force along the shear direction x [N].
        lateral: largest angle of the shear force from x, within the surface [rad].
        pull: largest angle of the force away from the surface [rad].
        cap: largest pressing force f_z [N]; None for no limit.

    Returns:
        One convex piece in the contact frame.
    """
    return wedge(
        parameters.force("shear", shear),
        lateral=parameters.angle("lateral", lateral),
        pull=parameters.angle("pull", pull),
        cap=parameters.optional_force("cap", cap),
    )


DIRECTIONAL_MICROSPINE = describe(
    directional_microspine,
    {
        "shear": ("N", "largest force along x"),
        "lateral": ("rad", "largest angle of the shear force from x"),
        "pull": ("rad", "largest angle of the force away from the surface"),
        "cap": CAP,
    },
    summary="0 <= f_x <= shear, |f_y| <= f_x tan(lateral), -f_z <= f_x tan(pull), f_z <= cap",
    convex=True,
    source="the linear contact model of splayed and opposed microspine grippers of climbing robots (LORIS style)",
    validity="rock and other rough ground; spines engaged; no friction of the substrate",
)

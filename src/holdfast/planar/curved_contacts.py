"""Contacts of curved surfaces: the second variation that their curvatures give."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..errors import InputError
from .bodies import Contact


def curved_contact(
    normal: ArrayLike,
    r: ArrayLike,
    mu: float,
    velocity: ArrayLike,
    *,
    body_radius: float,
    obstacle_radius: float,
) -> Contact:
    """A contact whose second variation is that of two touching arcs, at a velocity.

    The gap between arcs is the distance of their centres less both radii; its second derivative at slip v_t is
    n . a + nq alpha + Delta h, with curvatures kb and ko and

        Delta h = omega^2 n . r + (kb ko v_t^2 - 2 ko omega v_t - omega^2) / (kb + ko).

    A corner on a flat face (type B) and a flat face on a corner (type A) are its limits.

    Args:
        normal, r, mu: as in `Contact`.
        velocity: (vx, vy, omega) of the centre of mass [m/s, rad/s], the one that `motions` is asked with.
        body_radius, obstacle_radius: radii of curvature [m]: 0 for a corner, inf for a flat face, negative for a hollow
            one, whose other side must then be curved more sharply.
    """
    kb, ko = _curvature("body_radius", body_radius), _curvature("obstacle_radius", obstacle_radius)
    if kb + ko <= 0.0 or (np.isinf(kb) and np.isinf(ko)):
        what = f"and obstacle_radius do not touch at one point: {body_radius:g} m and {obstacle_radius:g} m"
        fix = "let one side be curved outwards more sharply than the other inwards, and not both be corners"
        raise InputError(what, where="body_radius", fix=fix)
    plain = Contact(normal, r, mu)
    speed = checks.vector("velocity", velocity, 3)
    spin, slip = float(speed[2]), float(plain.tangent_row @ speed)
    if np.isinf(kb):
        bend = ko * slip**2
    elif np.isinf(ko):
        bend = kb * slip**2 - 2.0 * spin * slip
    else:
        bend = (kb * ko * slip**2 - 2.0 * ko * spin * slip - spin**2) / (kb + ko)
    kind = "vertex" if kb >= ko else "edge"
    return Contact(normal, r, mu, kind, second_variation=spin**2 * float(plain.normal @ plain.r) + bend)


def _curvature(name: str, radius: float) -> float:
    """1 / radius [1/m], infinite for a corner and zero for a flat face."""
    try:
        value = float(radius)
    except (TypeError, ValueError):
        raise InputError(f"is not a number: {radius!r}", where=name, fix="give a radius in m, 0 or inf") from None
    if np.isnan(value) or value == -np.inf:
        raise InputError(f"is {value}", where=name, fix="give a radius in m, 0 for a corner or inf for a flat face")
    return np.inf if value == 0.0 else 1.0 / value

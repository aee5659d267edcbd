"""The polyhedron of a microspine unit: rings of corners, diagonals between them, and a check of every facet.

All meridians have the same number of points, so that the surface is a grid of quadrilaterals closed by the
cap above and by the dent below.
"""

from __future__ import annotations

import math

import numpy as np

from ...checks import Array
from ...geometry.directions import Indices
from ..surface import LimitSurface
from .microspine import MicrospineUnit
from .microspine_profiles import meridians, profiles
from .parameters import Side

#: Four corners of a quad lie in one plane when x + y + z differs from 1 by no more than this (see `cut`).
PLANE = 1e-9

#: Facets are compared with the exact surface at the points of a triangular lattice of this order.
LATTICE = 18

#: A facet passes the exact surface when it does so by more than this share of it.
PASSES = 1e-6

#: What passes is mended by this share more, for what may lie between the points of the lattice.
BETWEEN_SAMPLES = 3e-4

#: Most rounds of correction; each moves only the corners of facets that still pass.
ROUNDS = 100


def _quads(rings: int, count: int) -> tuple[Indices, Indices, Indices, Indices]:
    """Corners of all quadrilaterals: upper left, upper right, lower left, lower right, seen from outside."""
    ring, column = (grid.ravel() for grid in np.meshgrid(np.arange(rings - 1), np.arange(count), indexing="ij"))
    right = (column + 1) % count
    upper, lower = ring * count, (ring + 1) * count
    return upper + column, upper + right, lower + column, lower + right


def cut(unit: MicrospineUnit, forces: Array, rings: int, side: Side) -> Indices:
    """(t, 3) triangles of the grid of `forces` (rings * m, 3), with the better diagonal of each quad.

    The better one of "inner" is the one further out, unless a facet at it passes the exact surface, and then the one
    that passes less; "outer" is the mirror image of that.
    """
    count = len(forces) // rings
    a, b, c, d = _quads(rings, count)
    # d = x a + y b + z c: corner d stands out of the plane of the other three when x + y + z > 1.
    x, y, z = np.linalg.solve(np.stack([forces[a], forces[b], forces[c]], axis=-1), forces[d][..., None])[..., 0].T
    options = [np.stack([(c, d, a), (d, b, a)]), np.stack([(c, d, b), (c, b, a)])]  # through d, through b; (2, 3, q)
    passing = [_passing(unit, forces, option.transpose(2, 0, 1), side).max(axis=1) for option in options]
    clean = [np.maximum(p - PASSES, 0.0) for p in passing]
    preferred = (x + y + z > 1.0) if side == "inner" else (x + y + z < 1.0)
    through_d = np.where(clean[0] == clean[1], preferred, clean[0] < clean[1])
    # Plane quads are cut as their mirror images about x are.
    right_half = np.arange(len(a)) % count < count // 2
    through_d = np.where(np.abs(x + y + z - 1.0) <= PLANE, right_half, through_d)
    # Seen from the origin a quad may have a dent at one corner, which leaves only the diagonal through that corner.
    through_d = np.where(x >= 0.0, True, np.where((y <= 0.0) | (z <= 0.0), False, through_d))
    return np.where(through_d, *options).transpose(0, 2, 1).reshape(-1, 3)


def _lattice() -> Array:
    """(s, 3) weights of corners at which facets are looked at: a regular lattice, and one that crowds at the edges."""
    steps = np.arange(LATTICE + 1)
    i, j = (grid.ravel() for grid in np.meshgrid(steps, steps, indexing="ij"))
    weights = np.column_stack([i, j, LATTICE - i - j])[i + j <= LATTICE].astype(np.float64)
    weights = np.concatenate([weights, weights**2])  # kinks are at the edges
    return weights / weights.sum(axis=1, keepdims=True)


def _excess(unit: MicrospineUnit, forces: Array, triangles: Indices, side: Side) -> Array:
    """(..., s) how far facets (..., 3) pass the exact surface at the lattice, as a share of it; negative when not."""
    points = np.einsum("sk,...kx->...sx", _lattice(), forces[triangles])
    return (1.0 if side == "inner" else -1.0) * (_use(unit, points) - 1.0)


def _passing(unit: MicrospineUnit, forces: Array, triangles: Indices, side: Side) -> Array:
    """(...) the most by which each of the facets (..., 3) passes."""
    return _excess(unit, forces, triangles, side).max(axis=-1)


def _use(unit: MicrospineUnit, forces: Array) -> Array:
    """Share of the exact limit that forces (..., 3) use: of the shear limit when pressed, of (11) when pulled."""
    shear, up = np.hypot(forces[..., 0], forces[..., 1]), forces[..., 2]
    theta = np.arctan2(forces[..., 1], forces[..., 0])
    pressed = shear / (unit.force(0.0, theta) + unit.mu_substrate * np.maximum(up, 0.0))
    with np.errstate(divide="ignore"):
        pulled = np.hypot(shear, up) / unit.force(np.arctan2(np.maximum(-up, 0.0), shear), theta)
    return np.where(up < 0.0, pulled, pressed)


def corrected(unit: MicrospineUnit, forces: Array, rings: int, side: Side) -> tuple[Array, Indices]:
    """`forces` with corners drawn in ("inner") or pushed out ("outer") until no facet passes the exact surface.

    1/radius is linear on a facet. Where a facet passes most, at the point with weights l of its corners, the least
    relative change of their 1/radius that mends it is excess * l / |l|^2. Pulled corners move along their ray,
    pressed ones along the surface, so that the cap stays a plane.
    """
    forces = forces.copy()
    lattice = _lattice()
    triangles = cut(unit, forces, rings, side)
    sign = 1.0 if side == "inner" else -1.0
    count = len(forces) // rings
    mirror = (np.arange(rings)[:, None] * count + -np.arange(count) % count).ravel()  # the same corner at -theta
    for _ in range(ROUNDS):
        excess = _excess(unit, forces, triangles, side)
        worst = excess.argmax(axis=1)
        passing = np.maximum(np.take_along_axis(excess, worst[:, None], axis=1)[:, 0], 0.0)
        if passing.max() <= PASSES:
            break
        passing = np.where(passing > PASSES, passing + BETWEEN_SAMPLES, 0.0)
        weights = lattice[worst]
        change = passing[:, None] * weights / (weights**2).sum(axis=1, keepdims=True)
        largest = np.zeros(len(forces))
        np.maximum.at(largest, triangles.ravel(), change.ravel())
        largest = np.maximum(largest, largest[mirror])
        scale = 1.0 / (1.0 + sign * largest)
        pulled = forces[:, 2] < 0.0
        forces[:, :2] *= scale[:, None]
        forces[pulled, 2] *= scale[pulled]
    return forces, triangles


def build_surface(unit: MicrospineUnit, count: int, side: Side) -> LimitSurface:
    """The limit surface of `unit` on `count` meridians: grid, cap above, dent below."""
    theta = meridians(unit, count)
    profile = profiles(unit, theta, side)  # (r, m, 2)
    rings, columns = profile.shape[:2]
    spread = np.stack([profile[..., 0] * np.cos(theta), profile[..., 0] * np.sin(theta), profile[..., 1]], axis=-1)
    forces, triangles = corrected(unit, spread.reshape(-1, 3), rings, side)
    radii = np.linalg.norm(forces, axis=1)
    directions = forces / radii[:, None]
    column = np.arange(columns)
    after = (column + 1) % columns
    top = len(forces)
    fans = [np.column_stack([column, after, np.full(columns, top)])]  # the cap
    extra_directions, extra_radii = [np.array([[0.0, 0.0, 1.0]])], [np.array([unit.cap])]
    rim = (rings - 1) * columns  # the ring around the dent
    if side == "inner":  # the limit falls to zero between the last ring and the dent cone
        cone = np.column_stack([np.cos(theta), np.sin(theta), np.full(columns, -math.tan(unit.phi_max))])
        extra_directions.append(cone * math.cos(unit.phi_max))
        extra_radii.append(np.zeros(columns))
        rim = top + 1
        upper, lower = (rings - 1) * columns, rim
        fans.append(np.column_stack([lower + column, lower + after, upper + column]))
        fans.append(np.column_stack([lower + after, upper + after, upper + column]))
    bottom = top + sum(len(part) for part in extra_radii)
    extra_directions.append(np.array([[0.0, 0.0, -1.0]]))
    extra_radii.append(np.zeros(1))
    fans.append(np.column_stack([rim + after, rim + column, np.full(columns, bottom)]))
    return LimitSurface(
        np.concatenate([directions, *extra_directions]),
        np.concatenate([radii, *extra_radii]),
        triangles=np.concatenate([triangles, *fans]),
        measured=np.zeros(bottom + 1, dtype=bool),
        source=f"microspine unit, F(0) = {unit.f0:g} N, {side} polyhedron of (11) and (12)",
    )

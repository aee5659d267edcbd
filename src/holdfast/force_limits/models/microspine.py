"""The microspine unit: many spines on rough ground, a limit surface shaped like a boat, with a dent (IV.A).

The unit's law (11), (12) is exact in `MicrospineUnit`. Its limit surface is a polyhedron inside or around the exact
one: meridian profiles carry rings of corners, the rings form a grid of quadrilaterals closed by the cap above and by
the dent below, and every facet is checked against the law. The surface is decomposed into convex pieces; those of the
default unit, which take seconds, are kept in the package (`tools/make_ready_pieces.py` makes the files).
"""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ... import checks
from ...checks import Array, Side
from ...errors import InputError
from ...geometry.directions import Indices
from ...inputs import write_whole
from ...public_names import with_advice
from ..surface import LimitSurface
from ..volume import DecompositionReport, ForceVolume
from .adhesion import SPINES
from .parameters import ANGLE, FORCE, FRICTION, SIDE, STEEPEST, Quantity, angle, facets
from .registry import model

#: The smallest phi_max accepted [rad]: units below have almost no adhesion.
SMALLEST_REACH = math.radians(1.0)


#: Parameters of a unit.
UNIT = {
    "f0": FORCE("limit F(0) along x"),
    "beta": ANGLE("inclination of the spines to the surface"),
    "alpha": ANGLE("width of the tip cone"),
    "mu": FRICTION("friction of a spine tip on an asperity"),
    "mu_channel": FRICTION("friction of a spine in its channel"),
    "mu_substrate": FRICTION("friction of the unit's body while it is pressed"),
    "tip_decay": Quantity(
        "1",
        lambda name, value: checks.number(name, value, low=0.0, high=1.0, ends="open low"),
        "weight of asperities touched by the shaft",
    ),
    "slope_limit": Quantity("rad", lambda name, value: angle(name, value, high=math.pi), "steepest asperity slope"),
    "cap": FORCE("largest pressing force f_z"),
}


@with_advice()
@dataclass(frozen=True)
class MicrospineUnit:
    """Parameters of a microspine unit; angles in [rad], forces in [N].

    The defaults are our choice, such that the limit falls with the loading angle as published for opposed pairs
    of such units. Measured units scatter by about 30 %.

    Attributes:
        f0: F(0), the limit along x.
        beta: inclination of the spines to the surface.
        alpha: full width of the spine's tip cone.
        mu: friction of a spine tip on an asperity.
        mu_channel: friction of a spine in its channel.
        mu_substrate: friction of the unit's body on the ground while it is pressed.
        tip_decay: weight c_i of an asperity that a spine touches with its shaft, not its tip.
        slope_limit: steepest asperity slope psi_max.
        cap: largest pressing force f_z.
    """

    f0: float = 40.0
    beta: float = math.radians(15.0)
    alpha: float = math.radians(15.0)
    mu: float = 0.3
    mu_channel: float = 0.3
    mu_substrate: float = 0.5
    tip_decay: float = 0.1
    slope_limit: float = math.radians(100.0)
    cap: float = 100.0

    def __post_init__(self) -> None:
        for name, quantity in UNIT.items():
            object.__setattr__(self, name, quantity.checked(name, getattr(self, name)))
        if not SMALLEST_REACH <= self.phi_max <= STEEPEST:
            raise InputError(
                f"gives a largest loading angle of {math.degrees(self.phi_max):.4g} deg",
                where="slope_limit",
                fix="slope_limit - pi/2 + arctan(mu) must be between 1 and 89 degrees",
            )
        if self.phi_max + self.beta - math.atan(self.mu_channel) > STEEPEST:
            raise InputError(
                f"is {self.beta:g} rad, with which spines loaded backwards leave their channels",
                where="beta",
                fix="phi_max + beta - arctan(mu_channel) must be at most 89 degrees",
            )

    @property
    def phi_max(self) -> float:
        """Loading angle from the surface [rad] at which no asperity is usable any more."""
        return self.slope_limit - 0.5 * math.pi + math.atan(self.mu)

    def inclination(self, theta: ArrayLike) -> Array:
        """beta'(theta), the equivalent inclination [rad] at azimuth theta [rad] (12)."""
        return np.arcsin(np.clip(math.sin(self.beta) * np.cos(np.asarray(theta, dtype=np.float64)), -1.0, 1.0))

    def kink(self, theta: ArrayLike) -> Array:
        """Loading angle [rad] from which spines touch with their shafts only; may lie outside [0, phi_max]."""
        return self.inclination(theta) - 0.5 * self.alpha + math.atan(self.mu)

    def force(self, phi: ArrayLike, theta: ArrayLike) -> Array:
        """F(phi, theta) [N] (11), (12), for loading angles phi in [0, pi/2] and azimuths theta [rad]."""
        return self._force_and_slope(phi, theta)[0]

    def _force_and_slope(self, phi: ArrayLike, theta: ArrayLike) -> tuple[Array, Array]:
        """F and dF/dphi [N/rad], the latter from the left at the kink."""
        phi, beta = np.broadcast_arrays(np.asarray(phi, dtype=np.float64), self.inclination(theta))
        usable, usable_slope = self._usable(phi, beta)
        slide = np.abs(phi - beta) - math.atan(self.mu_channel)
        held = np.cos(np.maximum(slide, 0.0))  # C_c
        held_slope = -np.sin(np.maximum(slide, 0.0)) * np.sign(phi - beta)
        reference, _ = self._usable(np.zeros(()), np.asarray(self.beta))
        scale = self.f0 / float(reference * np.cos(max(self.beta - math.atan(self.mu_channel), 0.0)))
        return scale * usable * held, scale * (usable_slope * held + usable * held_slope)

    def _usable(self, phi: Array, beta: Array) -> tuple[Array, Array]:
        """The integral of C_i over the slopes in [psi_min(phi), psi_max], and its derivative."""
        psi_min = phi + 0.5 * math.pi - math.atan(self.mu)
        turn = np.clip(beta + 0.5 * math.pi - 0.5 * self.alpha, None, self.slope_limit)  # C_i = 1 below, c_i above
        by_tip = np.maximum(turn - psi_min, 0.0)
        by_shaft = np.maximum(self.slope_limit - np.maximum(psi_min, turn), 0.0)
        slope = np.where(psi_min <= turn, -1.0, np.where(psi_min < self.slope_limit, -self.tip_decay, 0.0))
        return by_tip + self.tip_decay * by_shaft, slope

    def limit(self, directions: ArrayLike) -> Array:
        """The limit force [N] along unit directions (..., 3) in the contact frame.

        f_z < 0: (11). f_z >= 0: the shear |f_t| <= F(0, theta) + mu_substrate f_z, and f_z <= cap.
        """
        d = np.asarray(directions, dtype=np.float64)
        shear, up = np.hypot(d[..., 0], d[..., 1]), d[..., 2]
        theta = np.arctan2(d[..., 1], d[..., 0])
        pulled = self.force(np.arctan2(np.maximum(-up, 0.0), shear), theta)
        with np.errstate(divide="ignore"):
            rest = shear - self.mu_substrate * up
            sliding = np.where(rest > 0.0, self.force(0.0, theta) / np.maximum(rest, 0.0), np.inf)
            pressed = np.minimum(sliding, self.cap / np.maximum(up, 0.0))
        return np.where(up < 0.0, pulled, pressed)


@with_advice()
def microspine_force(phi: ArrayLike, theta: ArrayLike, unit: MicrospineUnit | None = None) -> Array:
    """F(phi, theta) [N], the limit force of a microspine unit (11), (12); exact, vectorised.

    Args:
        phi: loading angle from the surface, 0 tangential, pi/2 straight off [rad].
        theta: azimuth of the load in the surface, 0 along the shear direction x [rad].
        unit: parameters; the default unit when None.
    """
    try:
        angles, azimuths = np.broadcast_arrays(np.asarray(phi, dtype=np.float64), np.asarray(theta, dtype=np.float64))
    except (TypeError, ValueError) as error:
        raise InputError(str(error), where="phi, theta", fix="give numbers of matching shapes") from None
    if not (np.isfinite(angles).all() and np.isfinite(azimuths).all()):
        raise InputError("is not finite", where="phi, theta", fix="give finite angles in radians")
    if (angles < 0.0).any() or (angles > 0.5 * math.pi).any():
        raise InputError(
            "is outside [0, pi/2]", where="phi", fix="give loading angles in radians, away from the surface"
        )
    return (unit or MicrospineUnit()).force(angles, azimuths)


@with_advice()
def microspine_surface(unit: MicrospineUnit | None = None, *, side: Side = "inner", azimuths: int = 24) -> LimitSurface:
    """The limit surface of a microspine unit as a star-shaped polyhedron inside or around the exact one.

    Meridians, closer where the limit falls steeply, carry rings from the edge of the cap down to phi_max. "inner" has
    its samples on the exact surface and no force beyond phi_max; some samples next to the kink of (11) are moved
    inwards, by at most 0.3 N on the default unit, so that no facet exceeds the exact surface. "outer" is built of
    tangents, contains the exact surface, and ends at phi_max too. The cap f_z <= cap is an exact facet. Both are
    checked against (11) on a lattice of points of every facet; for unusual parameters a facet may still exceed it by
    a few percent between those points, next to the kink.

    Args:
        unit: parameters; the default unit when None.
        side: "inner" or "outer".
        azimuths: number of meridians, even and at least 12.
    """
    count = facets("azimuths", azimuths, low=12, even="the unit is symmetric about x")
    return build_surface(unit or MicrospineUnit(), count, checks.side(side))


#: Most convex pieces by default.
DEFAULT_PIECES = 6


@cache
def _decomposed(unit: MicrospineUnit, side: Side, pieces: int) -> ForceVolume:
    """The decomposition of one set of parameters: kept in the package for the defaults, else made once per process."""
    from ..decomposition import decompose

    if unit == MicrospineUnit() and pieces == DEFAULT_PIECES:
        return load_ready(side)
    return decompose(microspine_surface(unit, side=side), side=side, max_pieces=pieces)


@model(
    "pulled: |f| <= F(phi, theta), the microspine model; pressed: |f_t| <= F(0, theta) + mu_substrate f_z, f_z <= cap",
    convex=False,
    source="Hauser, Wang and Cutkosky 2018, IV.A, eqs. 11 and 12; the parameters' values are our choice",
    validity="rough ground with many independent asperities; engaged spines; measured units scatter by about 30 %",
    suspension=SPINES,
    side=SIDE,
    pieces=Quantity("1", checks.count, "largest number of convex pieces"),
    **UNIT,
)
def microspine(
    f0: float = MicrospineUnit.f0,
    *,
    beta: float = MicrospineUnit.beta,
    alpha: float = MicrospineUnit.alpha,
    mu: float = MicrospineUnit.mu,
    mu_channel: float = MicrospineUnit.mu_channel,
    mu_substrate: float = MicrospineUnit.mu_substrate,
    tip_decay: float = MicrospineUnit.tip_decay,
    slope_limit: float = MicrospineUnit.slope_limit,
    cap: float = MicrospineUnit.cap,
    side: Side = "inner",
    pieces: int = DEFAULT_PIECES,
) -> ForceVolume:
    """Microspine unit: pulled, |f| <= F(phi, theta); pressed, |f_t| <= F(0, theta) + mu_substrate f_z and f_z <= cap.

    F is (11) with (12). It vanishes beyond phi_max = slope_limit - pi/2 + arctan(mu), 26.7 degrees by default: a
    unit that is pulled straight off does not hold, for any shear strength. The set is not
    convex. Its limit surface becomes at most `pieces` convex pieces; `.report` states the errors. The same
    parameters give the same object again within a process.

    Args:
        f0: F(0), the limit along the shear direction x [N].
        beta: inclination of the spines [rad].
        alpha: width of the tip cone [rad].
        mu: friction of a tip on an asperity.
        mu_channel: friction of a spine in its channel.
        mu_substrate: friction of the unit's body while it is pressed.
        tip_decay: weight of asperities touched by the shaft, in (0, 1].
        slope_limit: steepest asperity slope psi_max [rad].
        cap: largest pressing force f_z [N].
        side: "inner" (inside the true set) or "outer" (around it).
        pieces: most convex pieces.

    Returns:
        The pieces in the contact frame; they overlap and each contains the zero force.
    """
    unit = MicrospineUnit(f0, beta, alpha, mu, mu_channel, mu_substrate, tip_decay, slope_limit, cap)
    return _decomposed(unit, side, pieces)


#: Folder of the pieces of the default unit.
FOLDER = Path(__file__).resolve().parents[2] / "data"


def ready_path(side: Side) -> Path:
    """Where the pieces of the default unit are kept."""
    return FOLDER / f"microspine_{side}.json"


def load_ready(side: Side) -> ForceVolume:
    """The volume kept for the default unit, with its report."""
    data = json.loads(ready_path(side).read_text(encoding="utf-8"))
    report: dict[str, Any] = {key: math.inf if value == "inf" else value for key, value in data["report"].items()}
    return ForceVolume([np.array(piece) for piece in data["pieces"]], report=DecompositionReport(**report))


def save_ready(volume: ForceVolume, path: Path) -> None:
    """Write pieces and report; numbers keep all their digits."""
    assert volume.report is not None
    report = {key: "inf" if value == math.inf else value for key, value in volume.report.to_dict().items()}
    data = {"unit": "N", "report": report, "pieces": [piece.tolist() for piece in volume.pieces]}
    write_whole(path, (json.dumps(data, allow_nan=False) + "\n").encode())


# -- meridian profiles --------------------------------------------------------------------------------
#
# A profile is the exact limit in the plane of one azimuth, as (shear, f_z) [N], from the edge of the cap down to the
# dent. Between the two angles where (11) has a corner it is convex: chords are inside it and tangents outside.

#: Bands of a profile between the edge of the cap and the tangent plane.
PRESSED = 2

#: Points of an inner profile between the tangent plane and the kink, as shares of that angle. They are denser at the
#: kink, where the limit almost vanishes: a chord loses half of a limit that falls to a quarter between its ends.
STEEP = (0.25, 0.5, 0.7, 0.85, 0.95, 1.0)

#: Points of an inner profile between the kink and phi_max, as shares of that interval.
SHALLOW = (0.5, 0.9)

#: The kink's ring stays between these shares of phi_max where the kink itself does not.
KINK_RANGE = (0.02, 0.95)

#: Points at which the integral that spaces the meridians is taken.
SPACING_POINTS = 400

#: Slopes at the ends of an interval are taken this share of it inside, where they are the interval's own.
INSIDE = 1e-9

#: Tangents whose directions differ by less than this (sine) do not cross: the profile is straight there.
PARALLEL = 1e-12

#: Tangents must cross at least this share of the interval away from the directions of the points they touch.
CROSSING = 0.01

#: A profile has reached the origin when its radius is below this share of the one an interval before.
APEX = 1e-6


def meridians(unit: MicrospineUnit, count: int) -> Array:
    """`count` azimuths [rad], mirrored exactly about x, with 0, 90 and 180 degrees and the corner of F(0, theta).

    Between these they are spaced evenly in the integral of 1 + |dF/F| (0, theta): closer where the limit falls.
    """
    stops = [0.0, 0.5 * math.pi, math.pi]
    corner = math.sin(0.5 * unit.alpha - math.atan(unit.mu)) / math.sin(unit.beta) if unit.beta > 0.0 else 2.0
    if abs(corner) < 1.0 and min(abs(math.acos(corner) - stop) for stop in stops) > math.pi / count:
        stops = sorted([*stops, math.acos(corner)])
    fine = [np.linspace(first, last, SPACING_POINTS) for first, last in itertools.pairwise(stops)]
    spent = [np.abs(np.diff(np.log(unit.force(0.0, part)))) + np.diff(part) for part in fine]
    totals = np.array([part.sum() for part in spent])
    wanted = totals / totals.sum() * (count // 2)
    steps = np.maximum(np.floor(wanted).astype(int), 1)
    while steps.sum() < count // 2:
        steps[np.argmax(wanted / steps)] += 1
    half = [np.zeros(1)]
    for part, cost, number in zip(fine, spent, steps, strict=True):
        along = np.concatenate([[0.0], np.cumsum(cost)])
        half.append(np.interp(along[-1] * np.arange(1, number + 1) / number, along, part))
    right = np.concatenate(half)
    return np.concatenate([right, -right[-2:0:-1]]).astype(np.float64)


def _points(unit: MicrospineUnit, phi: Array, theta: Array) -> Array:
    """(m, 2) points (shear, f_z) of the exact profile at loading angles phi (m,) and azimuths theta (m,) [N]."""
    return _polar(unit.force(phi, theta), phi)


def _polar(radius: Array, phi: Array) -> Array:
    """(m, 2) points (shear, f_z) at these radii [N] and loading angles [rad]."""
    return np.column_stack([radius * np.cos(phi), -radius * np.sin(phi)])


def _tangent_corners(
    unit: MicrospineUnit, first: Array, last: Array, theta: Array, shares: tuple[float, ...]
) -> list[Array]:
    """Corners (m, 2) between the tangents at `shares` of the way of the profiles from `first` to `last` [rad]."""
    touches = [first + share * (last - first) for share in np.clip(shares, INSIDE, 1.0 - INSIDE)]
    corners = []
    for left, right in itertools.pairwise(touches):
        p, a = _tangent(unit, left, theta)
        q, b = _tangent(unit, right, theta)
        cross = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
        parallel = np.abs(cross) <= PARALLEL * np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
        reach = ((q - p)[:, 0] * b[:, 1] - (q - p)[:, 1] * b[:, 0]) / np.where(parallel, 1.0, cross)
        corner = np.where(parallel[:, None], 0.5 * (p + q), p + reach[:, None] * a)
        # Tangents of a convex arc cross between the points they touch. Where a kink prevents that, a corner half way
        # is used, as far out as both ends; the correction below then moves it.
        angle = np.arctan2(-corner[:, 1], corner[:, 0])
        margin = CROSSING * (right - left)
        start, stop = np.linalg.norm(p, axis=1), np.linalg.norm(q, axis=1)
        at_apex = stop <= APEX * start  # the tangent at the apex is the dent cone, and the corner lies on it
        crossing = (angle >= left + margin) & ((angle <= right - margin) | at_apex)
        middle = 0.5 * (left + right)
        corners.append(np.where(crossing[:, None], corner, _polar(np.maximum(start, stop), middle)))
    return corners


def _tangent(unit: MicrospineUnit, phi: Array, theta: Array) -> tuple[Array, Array]:
    """Points (m, 2) of the profiles and their derivatives by phi (m, 2)."""
    radius, slope = unit._force_and_slope(phi, theta)
    point = _polar(radius, phi)
    along = np.column_stack([slope * np.cos(phi) - radius * np.sin(phi), -slope * np.sin(phi) - radius * np.cos(phi)])
    return point, along


def _heights(unit: MicrospineUnit) -> Array:
    """(PRESSED,) heights f_z [N] of the pressed rings, the cap first, in equal ratios of the lateral shear limit."""
    lateral = float(unit.force(0.0, 0.5 * math.pi))
    growth = 1.0 + unit.mu_substrate * unit.cap / lateral
    shares = np.arange(PRESSED, 0, -1) / PRESSED
    if growth < 1.0 + INSIDE:
        return unit.cap * shares
    heights = unit.cap * (growth**shares - 1.0) / (growth - 1.0)
    heights[0] = unit.cap
    return heights


def profiles(unit: MicrospineUnit, theta: Array, side: Side) -> Array:
    """(r, m, 2) points (shear, f_z) [N] of the meridians at theta (m,), from the edge of the cap to the dent."""
    widest = np.diff(np.sort(theta % (2.0 * math.pi)), append=2.0 * math.pi).max()
    # Between two meridians the straight edge of an inner ring is further from the surface than its ends.
    last = math.atan(math.tan(unit.phi_max) * math.cos(0.5 * widest)) if side == "inner" else unit.phi_max
    kink = np.clip(unit.kink(theta), KINK_RANGE[0] * last, KINK_RANGE[1] * last)
    flat = np.zeros_like(theta)
    end = np.full_like(theta, last)
    shear = unit.force(flat, theta)
    rings = [
        np.column_stack([shear + unit.mu_substrate * height, np.full_like(theta, height)]) for height in _heights(unit)
    ]
    rings.append(_points(unit, flat, theta))
    if side == "inner":
        rings += [_points(unit, share * kink, theta) for share in STEEP]
        rings += [_points(unit, kink + share * (end - kink), theta) for share in SHALLOW]
    else:
        rings += _tangent_corners(unit, flat, kink, theta, (0.0, *STEEP[1:]))
        rings.append(_points(unit, kink, theta))
        rings += _tangent_corners(unit, kink, end, theta, (0.0, *SHALLOW[:-1], 1.0))
        # The last tangent is the dent cone itself; rounding must not put its corner beyond the cone.
        reach = np.linalg.norm(rings[-1], axis=1)
        rings[-1] = np.outer(reach, (math.cos(unit.phi_max), -math.sin(unit.phi_max)))
    return np.stack(rings)


# -- the polyhedron: rings of corners, diagonals between them, and a check of every facet ---------------

#: Four corners of a quad lie in one plane when x + y + z differs from 1 by no more than this (see `cut`).
PLANE = 1e-9

#: Facets are compared with the exact surface at the points of a triangular lattice of this order.
LATTICE = 18

#: A facet passes (exceeds) the exact surface when it does so by more than this share of it.
PASSES = 1e-6

#: Corrections are larger than the excess by this share, for points between those of the lattice.
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
    # d = x a + y b + z c: corner d is outside the plane of the other three when x + y + z > 1.
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
    """(s, 3) weights of the points at which facets are checked: a regular lattice, and one denser at the edges."""
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
    """`forces` with corners moved inwards ("inner") or outwards ("outer") until no facet passes the exact surface.

    1/radius is linear on a facet. Where a facet passes most, at the point with weights l of its corners, the least
    relative change of their 1/radius that corrects it is excess * l / |l|^2. Pulled corners move along their ray,
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

"""Candidate grasps: the regions that fingers touch, the contact points, and the focus of the finger forces.

A region is a straight segment. Its inward perpendicular strip contains the points that project into it; its union of
friction cones contains the points that some contact on it can push towards at friction mu. A triplet's focus zone is
the intersection of the three strips or, if that is empty, of the three unions of cones; both are convex polygons. The
focus C_G is the zone's area centroid, and contacts are its projections onto the regions.

Force closure in the plane: frictional contacts that only push resist every force and torque. A soft finger has no
effect here: its extra torque acts about the contact normal, which lies in the plane.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ..checks import Array, BoolArray, IntArray, array, instance, positive, rows
from ..errors import InputError
from ..public_names import with_advice
from .regions import GraspRegions, left_normals

if TYPE_CHECKING:
    from .hands import GraspHand

#: Contacts stay this far [mm] from the ends of their regions.
CONTACT_INSET = 0.3

#: Where a displaced focus leaves a region, its contact counts as this far [mm] inside it; S3 would be infinite
#: otherwise.
LOST_INSET = 1e-3


@with_advice()
def project(
    focus: ArrayLike,
    segments: ArrayLike,
    *,
    inset: float = CONTACT_INSET,
    virtual: ArrayLike | None = None,
    pivot_offset: float | Array = 0.0,
) -> tuple[Array, BoolArray]:
    """Contacts on the regions for given force foci.

    Args:
        focus: (g, 2) foci [mm].
        segments: (g, 3, 2, 2) ends of the regions [mm], thumb first, counter-clockwise along the contour.
        inset: contacts are kept this far [mm] inside their regions (or in the middle of shorter ones).
        virtual: (g,) grasps whose fingers 2 and 3 share a region: their axis passes through the focus along
            h = normalised(N_A - N_B), and the fingers stand `pivot_offset` [mm] left and right of it.
        pivot_offset: distance a [mm] of these fingers from the thumb axis, one for all grasps or (g,).

    Returns:
        contacts (g, 3, 2) [mm], and lost (g, 3): whether the exact projection lies outside its region.
    """
    points, ends = rows("focus", focus, 2), rows("segments", segments, 2)
    if ends.shape != (len(points), 3, 2, 2) or points.ndim != 2:
        raise InputError(
            f"has shape {ends.shape} for foci of shape {points.shape}",
            where="segments",
            fix="give foci (g, 2) and segments (g, 3, 2, 2)",
        )
    start, along = ends[:, :, 0], ends[:, :, 1] - ends[:, :, 0]
    length = np.linalg.norm(along, axis=2)
    unit = along / np.where(length > 0.0, length, 1.0)[:, :, None]
    at = np.einsum("gik,gik->gi", points[:, None] - start, unit)
    if virtual is not None:
        shared = np.broadcast_to(np.asarray(virtual, dtype=bool), len(points))
        at = np.where(shared[:, None], _axis_positions(points, start, unit, pivot_offset), at)
    lost = (at < 0.0) | (at > length)
    inside = np.minimum(inset, length / 2.0)
    at = np.clip(at, inside, length - inside)
    return start + at[:, :, None] * unit, lost


@dataclass(frozen=True, eq=False)
class FocusZone:
    """Where the forces of a triplet of regions may meet [mm].

    Attributes:
        vertices: (k, 2) corners of the convex zone, counter-clockwise; (0, 2) when it is empty.
        centroid: (2,) its area centroid, the focus C_G; NaN when it is empty.
        kind: "perpendiculars" for the strips' intersection, "friction_cones" where only the cones' unions meet,
            "empty" when neither do.
    """

    vertices: Array
    centroid: Array
    kind: Literal["perpendiculars", "friction_cones", "empty"]


@with_advice()
def zones(segments: ArrayLike, mu: float = 0.4) -> tuple[FocusZone, ...]:
    """The focus zones of triplets of regions (g, 3, 2, 2) [mm] that run counter-clockwise along the contour.

    Zones farther away than ten times the regions' extent are cut off there.
    """
    from .triplets import zone_centroid, zone_of

    ends = array("segments", segments, ("g", 3, 2, 2))
    mu = positive("mu", mu)
    found = []
    for triplet, normals in zip(ends, left_normals(ends), strict=True):
        zone, kind = zone_of(triplet, normals, 0.0), "perpendiculars"
        if not len(zone):
            zone, kind = zone_of(triplet, normals, mu), "friction_cones"
        if not len(zone):
            found.append(FocusZone(zone, np.full(2, np.nan), "empty"))
            continue
        found.append(FocusZone(zone, zone_centroid(zone), kind))
    return tuple(found)


def _axis_positions(points: Array, start: Array, unit: Array, pivot_offset: float | Array) -> Array:
    """(g, 3) distances [mm] along the segments to the intersections with the thumb axis and with the two finger rays.

    Finger 2 stands left of the axis (B2 = O - a s, s = h turned by -90 deg), finger 3 right of it.
    """
    left = np.stack([-unit[:, :, 1], unit[:, :, 0]], axis=2)
    axis = left[:, 0] - left[:, 1]  # N_A - N_B
    length = np.linalg.norm(axis, axis=1, keepdims=True)
    axis = axis / np.where(length > 0.0, length, 1.0)
    side = np.stack([axis[:, 1], -axis[:, 0]], axis=1)  # s
    middle = np.einsum("gk,gk->g", points, side)
    wanted = middle[:, None] + np.asarray(pivot_offset)[..., None] * np.array([0.0, -1.0, 1.0])
    slope = np.einsum("gik,gk->gi", unit, side)
    slope = np.where(slope == 0.0, np.finfo(np.float64).tiny, slope)
    return (wanted - np.einsum("gik,gk->gi", start, side)) / slope


def axis_interval(thumb: Array, shared: Array, axis: Array, pivot_offset: float) -> tuple[float, float, float]:
    """Interval along s (h turned by -90 deg) of possible thumb axes of a virtual two-finger grasp.

    Args:
        thumb: (2, 2) ends of the thumb's region [mm].
        shared: (2, 2) ends of the region of fingers 2 and 3 [mm].
        axis: (2,) unit thumb axis h.
        pivot_offset: distance a [mm] of the fingers from the axis.

    Returns:
        (low, high, inset) [mm]: low > high for an empty interval. The rays meet their regions `inset` inside the ends
        across the axis: `CONTACT_INSET`, or less on a short region.
    """
    side = np.array([axis[1], -axis[0]])
    a0, a1 = np.sort(thumb @ side)
    b0, b1 = np.sort(shared @ side)
    inset = min(CONTACT_INSET, max((a1 - a0) / 2.0, 0.0), max((b1 - b0) / 2.0 - pivot_offset, 0.0))
    return max(a0, b0 + pivot_offset) + inset, min(a1, b1 - pivot_offset) - inset, inset


#: The line between two contacts is inside a friction cone if it is inside the edge by this relative margin.
INSIDE_CONE = 1e-9


@with_advice()
def three_contacts(contacts: ArrayLike, normals: ArrayLike, mu: float) -> BoolArray:
    """Whether three contacts [mm] with inward unit normals resist every planar wrench at friction `mu`.

    Input (g, 3, 2) gives (g,); one triplet (3, 2) gives one bool. Exact: the six edge wrenches span the space
    of planar wrenches positively if and only if no plane through two of them has the rest on one side.
    """
    points, inward = _pairs(contacts, normals, 3)
    from .triplets import three_closed

    found = three_closed(points.reshape(-1, 3, 2), inward.reshape(-1, 3, 2), positive("mu", mu))
    return found.reshape(points.shape[:-2])[()]


@with_advice()
def two_contacts(contacts: ArrayLike, normals: ArrayLike, mu: float) -> BoolArray:
    """Whether two contacts [mm] with inward unit normals resist every planar wrench at friction `mu`.

    They do exactly when the line between them is inside both friction cones. Input (g, 2, 2) gives (g,).
    """
    points, inward = _pairs(contacts, normals, 2)
    mu = positive("mu", mu)
    across = points[..., 1, :] - points[..., 0, :]
    towards = np.stack([across, -across], axis=-2)
    height = (towards * inward).sum(axis=-1)
    aside = np.abs(towards[..., 0] * inward[..., 1] - towards[..., 1] * inward[..., 0])
    return ((height > 0.0) & (aside < mu * height * (1.0 - INSIDE_CONE))).all(axis=-1)[()]


def _pairs(contacts: ArrayLike, normals: ArrayLike, count: int) -> tuple[Array, Array]:
    """Contacts and normals (..., count, 2) of the same shape."""
    points, inward = rows("contacts", contacts, 2), rows("normals", normals, 2)
    if points.shape != inward.shape or points.ndim < 2 or points.shape[-2] != count:
        raise InputError(
            f"have shapes {points.shape} and {inward.shape}",
            where="contacts and normals",
            fix=f"both must be (..., {count}, 2)",
        )
    return points, inward


def kind_of(virtual: bool, pinch: bool) -> str:
    """The name of a kind of grasp in the exchange format."""
    return "pinch" if pinch else "virtual_two_finger" if virtual else "three_finger"


@dataclass(frozen=True, eq=False)
class Candidates:
    """g candidate grasps of one part [mm, y up]; contact 1 is the thumb, 2 and 3 are left and right of its axis.

    Attributes:
        contacts: (g, 3, 2) contact points.
        normals: (g, 3, 2) inward unit normals of the regions that they lie on.
        segments: (g, 3, 2, 2) ends of these regions, counter-clockwise along the contour.
        region_index: (g, 3) rows of these regions in their `GraspRegions`; if a grasp was moved along a
            smooth contour (`contact_refinement.slide`), rows of its original regions; -1 where the contact of
            a pad lies on no region (`opposing`).
        curvature: (g, 3) mean signed curvature of the regions [1/cm], negative convex.
        focus: (g, 2) grasp force focus C_G.
        virtual: (g,) whether contacts 2 and 3 share a region and push in parallel: two fingers (virtual two-finger
            grasp), the two ends of the patch that a jaw touches, or those of a fingertip in a pinch.
        triplet: (g,) number of the contact triplet; thumb placements on the same contacts share it.
        zones: per grasp the vertices (k, 2) of its focus zone, or None for virtual two-finger grasps.
        pinch: (g,) whether fingers 2 and 3 press against each other and the thumb stays open. Contact 1 is then
            finger 2, contacts 2 and 3 are the ends of the patch that finger 3 touches.
        half_width: (g,) distance [mm] of contacts 2 and 3 of a virtual grasp from its axis, 0 for three fingers.
    """

    contacts: Array
    normals: Array
    segments: Array
    region_index: IntArray
    curvature: Array
    focus: Array
    virtual: BoolArray
    triplet: IntArray
    zones: tuple[Array | None, ...]
    pinch: BoolArray = None  # pyright: ignore[reportAssignmentType]
    half_width: Array = None  # pyright: ignore[reportAssignmentType]

    def __post_init__(self) -> None:
        if self.pinch is None:
            object.__setattr__(self, "pinch", np.zeros(len(self), dtype=bool))
        if self.half_width is None:
            half = np.linalg.norm(self.contacts[:, 2] - self.contacts[:, 1], axis=1) / 2.0
            object.__setattr__(self, "half_width", np.where(self.virtual, half, 0.0))

    def __len__(self) -> int:
        """Number of grasps."""
        return len(self.contacts)

    @property
    def kind(self) -> tuple[str, ...]:
        """Per grasp "three_finger", "virtual_two_finger" or "pinch"."""
        return tuple(kind_of(bool(v), bool(p)) for v, p in zip(self.virtual, self.pinch, strict=True))

    def select(self, chosen: Any) -> Candidates:
        """The grasps of an index array or mask, in its order; their triplet numbers do not change."""
        rows = np.arange(len(self))[chosen]
        columns = {name: column[rows] for name, column in vars(self).items() if name != "zones"}
        return Candidates(**columns, zones=tuple(self.zones[i] for i in rows))


@with_advice()
def find_candidates(
    regions: GraspRegions, hand: GraspHand, mu: float = 0.4, *, together: BoolArray | None = None
) -> Candidates:
    """Every grasp of `regions` that is force-closed at friction `mu` and fits the kind of `hand`.

    Three-finger grasps take three different regions whose focus zone is not empty; each triplet is listed with each
    of its contacts as the thumb. Virtual two-finger grasps take two nearly antiparallel facing regions, one of which
    carries both fingers 2 a apart (a: the hand's pivot offset). Whether the hand can reach them is not checked here.

    Args:
        regions: where fingers can touch.
        hand: used are the number of fingers, virtual two-finger grasps and the pivot offset.
        mu: smallest coefficient of friction.
        together: (r, r) which two regions may be used in one three-finger grasp, symmetric; all by default.
    """
    instance("regions", regions, GraspRegions, fix="find them with holdfast.grasps.regions.find_regions")
    mu = positive("mu", mu)
    parts = []
    if hand.fingers >= 3:
        parts.append(three_finger_candidates(regions, mu, together))
    if hand.virtual or hand.fingers == 2:
        parts.append(virtual_candidates(regions, hand.pivot_offset, mu))
    return joined(parts)


def three_finger_candidates(regions: GraspRegions, mu: float, together: BoolArray | None = None) -> Candidates:
    """Each force-closed triplet of regions with each of its contacts as the thumb; see `find_candidates`."""
    from .triplets import triplets

    return with_thumbs(regions, *triplets(regions.segments, regions.normals, mu, CONTACT_INSET, together))


def with_thumbs(
    regions: GraspRegions, chosen: IntArray, foci: Array, contacts: Array, zones: list[Array]
) -> Candidates:
    """Triplets with each of their contacts as the thumb.

    Args:
        regions: the regions.
        chosen: (t, 3) three of their rows.
        foci: (t, 2) grasp force foci [mm].
        contacts: (t, 3, 2) contacts on the chosen regions [mm].
        zones: vertices (k, 2) of each triplet's focus zone.
    """
    # The three thumb placements; regions increase along the contour, but the positions of the contacts matter.
    turns = np.array([[0, 1, 2], [1, 2, 0], [2, 0, 1]])
    order = np.tile(turns, (len(chosen), 1))
    triplet = np.repeat(np.arange(len(chosen)), 3)
    placed = contacts[triplet[:, None], order]
    to2, to3 = placed[:, 1] - placed[:, 0], placed[:, 2] - placed[:, 0]
    right = to3[:, 0] * to2[:, 1] - to3[:, 1] * to2[:, 0] < 0.0  # contact 2 lies right of contact 3
    order[right] = order[right][:, [0, 2, 1]]
    index = chosen[triplet[:, None], order]
    return Candidates(
        contacts=contacts[triplet[:, None], order],
        normals=regions.normals[index],
        segments=regions.segments[index],
        region_index=index,
        curvature=regions.curvature[index],
        focus=foci[triplet],
        virtual=np.zeros(len(triplet), dtype=bool),
        triplet=triplet,
        zones=tuple(zones[t] for t in triplet),
    )


def virtual_candidates(
    regions: GraspRegions, pivot_offset: float, mu: float, chosen: IntArray | None = None
) -> Candidates:
    """Virtual two-finger grasps: the thumb on region A, both fingers on B, `pivot_offset` [mm] beside its axis.

    The regions are antiparallel within arctan(mu) and face each other; the axis h = normalised(N_A - N_B) lies in
    the middle of the interval in which thumb and fingers meet their regions. `chosen` (p, 2) are the pairs A, B to
    try; all by default.
    """
    normals, segments = regions.normals, regions.segments
    wanted = np.argwhere(np.ones((len(regions), len(regions)), dtype=bool)) if chosen is None else chosen
    antiparallel = -(normals[wanted[:, 0]] * normals[wanted[:, 1]]).sum(axis=1) >= np.cos(np.arctan(mu))
    pairs, foci = [], []
    for a, b in wanted[antiparallel & (regions.lengths[wanted[:, 1]] >= 2.0 * pivot_offset)]:
        axis = normals[a] - normals[b]
        axis = axis / np.linalg.norm(axis)
        if (segments[b].mean(axis=0) - segments[a].mean(axis=0)) @ axis <= 0.0:
            continue
        low, high, _ = axis_interval(segments[a], segments[b], axis, pivot_offset)
        if low > high:
            continue
        pairs.append((a, b, b))
        foci.append((low + high) / 2.0 * np.array([axis[1], -axis[0]]))
    index = np.array(pairs, dtype=np.int64).reshape(-1, 3)
    focus, ends, inward = np.array(foci).reshape(-1, 2), segments[index], normals[index]
    contacts, lost = project(focus, ends, inset=0.0, virtual=True, pivot_offset=pivot_offset)
    focus = (contacts[:, 0] + contacts[:, 1:].mean(axis=1)) / 2.0  # C_G, on the axis
    if pivot_offset > 0.0:
        closed = three_contacts(contacts, inward, mu)
    else:
        closed = two_contacts(contacts[:, :2], inward[:, :2], mu)
    facing = ((contacts[:, 1:].mean(axis=1) - contacts[:, 0]) * (inward[:, 0] - inward[:, 1])).sum(axis=1) > 0.0
    kept = closed & facing & ~lost.any(axis=1)
    index = index[kept]
    return Candidates(
        contacts=contacts[kept],
        normals=inward[kept],
        segments=ends[kept],
        region_index=index,
        curvature=regions.curvature[index],
        focus=focus[kept],
        virtual=np.ones(len(index), dtype=bool),
        triplet=np.arange(len(index)),
        zones=(None,) * len(index),
        half_width=np.full(len(index), pivot_offset),
    )


def hand_span(hand: GraspHand) -> float:
    """The largest distance [mm] between two fingertips of a hand, for any spread.

    A fingertip is at most the longest extension away from its pivot, and two pivots are at most 2 a apart.
    """
    return 2.0 * (hand.longest_extension + hand.pivot_offset)


def within_span(regions: GraspRegions, hand: GraspHand) -> BoolArray:
    """(r, r) which two regions are close enough for two fingers of one hand: a necessary condition of reach."""
    middles, halves = regions.segments.mean(axis=1), regions.lengths / 2.0
    apart = np.linalg.norm(middles[:, None] - middles, axis=2)
    # The distance of two segments is at least that of their middles minus half their lengths.
    return apart - halves[:, None] - halves <= hand_span(hand)


def joined(parts: list[Candidates]) -> Candidates:
    """Lists of candidates one after the other; triplet numbers are continued."""
    past = np.cumsum([0, *(int(part.triplet.max(initial=-1)) + 1 for part in parts)])
    columns = {name: np.concatenate([vars(part)[name] for part in parts]) for name in vars(parts[0]) if name != "zones"}
    columns["triplet"] += np.repeat(past[:-1], [len(part) for part in parts])
    return Candidates(**columns, zones=sum((part.zones for part in parts), ()))

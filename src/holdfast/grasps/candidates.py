"""Candidate grasps: which regions carry the fingers, where these touch, and towards which focus they push."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks import Array, BoolArray, IntArray, instance, positive
from .focus import CONTACT_INSET, axis_interval, project
from .force_closure import three_contacts, two_contacts
from .regions import Regions

if TYPE_CHECKING:
    from .hands import Hand


@dataclass(frozen=True, eq=False)
class Candidates:
    """g candidate grasps of one part [mm, y up]; contact 1 is the thumb, 2 and 3 stand left and right of its axis.

    Attributes:
        contacts: (g, 3, 2) contact points.
        normals: (g, 3, 2) inward unit normals of the regions that they lie on.
        segments: (g, 3, 2, 2) ends of these regions, counter-clockwise along the contour.
        region_index: (g, 3) rows of these regions in the `Regions` they come from; where a grasp was slid along a
            smooth contour (`sliding.slide`), of the regions that it was slid from.
        curvature: (g, 3) mean signed curvature of the regions [1/cm], negative convex.
        focus: (g, 2) grasp force focus C_G.
        virtual: (g,) whether fingers 2 and 3 share a region and push in parallel (virtual two-finger grasp).
        triplet: (g,) number of the contact triplet; thumb placements on the same contacts share it.
        zones: per grasp the vertices (k, 2) of its focus zone, or None for virtual two-finger grasps.
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

    def __len__(self) -> int:
        """Number of grasps."""
        return len(self.contacts)

    @property
    def kind(self) -> tuple[str, ...]:
        """Per grasp "three_finger" or "virtual_two_finger"."""
        return tuple("virtual_two_finger" if v else "three_finger" for v in self.virtual)

    def select(self, chosen: Any) -> Candidates:
        """The grasps of an index array or mask, in its order; their triplet numbers stay."""
        rows = np.arange(len(self))[chosen]
        return Candidates(
            contacts=self.contacts[rows],
            normals=self.normals[rows],
            segments=self.segments[rows],
            region_index=self.region_index[rows],
            curvature=self.curvature[rows],
            focus=self.focus[rows],
            virtual=self.virtual[rows],
            triplet=self.triplet[rows],
            zones=tuple(self.zones[i] for i in rows),
        )


def find_candidates(regions: Regions, hand: Hand, mu: float = 0.4, *, together: BoolArray | None = None) -> Candidates:
    """Every grasp of `regions` that is force-closed at friction `mu` and fits the kind of `hand`.

    Three-finger grasps take three different regions whose focus zone is not empty; each triplet is listed with each
    of its contacts as the thumb. Virtual two-finger grasps take two nearly antiparallel facing regions, one of which
    carries both fingers 2 a apart (a: the hand's pivot offset). Whether the hand's joints reach is not asked here.

    Args:
        regions: where fingers can touch.
        hand: its kind (number of fingers, virtual two-finger grasps, pivot offset) counts.
        mu: least coefficient of friction.
        together: (r, r) which two regions may serve one three-finger grasp, symmetric; all by default.
    """
    instance("regions", regions, Regions, fix="find them with holdfast.grasps.regions.find_regions")
    mu = positive("mu", mu)
    parts = []
    if hand.fingers >= 3:
        parts.append(three_finger_candidates(regions, mu, together))
    if hand.virtual or hand.fingers == 2:
        parts.append(virtual_candidates(regions, hand.pivot_offset, mu))
    return joined(parts)


def three_finger_candidates(regions: Regions, mu: float, together: BoolArray | None = None) -> Candidates:
    """Each force-closed triplet of regions with each of its contacts as the thumb; see `find_candidates`."""
    from .kernels.focus_zones import triplets

    return with_thumbs(regions, *triplets(regions.segments, regions.normals, mu, CONTACT_INSET, together))


def with_thumbs(regions: Regions, chosen: IntArray, foci: Array, contacts: Array, zones: list[Array]) -> Candidates:
    """Triplets with each of their contacts as the thumb.

    Args:
        regions: the regions.
        chosen: (t, 3) three of their rows.
        foci: (t, 2) grasp force foci [mm].
        contacts: (t, 3, 2) contacts on the regions chosen [mm].
        zones: vertices (k, 2) of each triplet's focus zone.
    """
    # The three thumb placements; regions rise along the contour, but what counts is where the contacts lie.
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


def virtual_candidates(regions: Regions, pivot_offset: float, mu: float, chosen: IntArray | None = None) -> Candidates:
    """Virtual two-finger grasps: the thumb on region A, both fingers, `pivot_offset` [mm] aside of its axis, on B.

    The regions are antiparallel within arctan(mu) and face each other; the axis h = normalised(N_A - N_B) stands in
    the middle of the interval in which thumb and fingers meet their regions. `chosen` (p, 2) names the pairs A, B to
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
    )


def hand_span(hand: Hand) -> float:
    """The greatest distance [mm] between two fingertips of a hand, whatever its spread.

    A fingertip is at most the longest extension away from its pivot, and two pivots are at most 2 a apart.
    """
    return 2.0 * (hand.longest_extension + hand.pivot_offset)


def within_span(regions: Regions, hand: Hand) -> BoolArray:
    """(r, r) which two regions are near enough for two fingers of one hand: a necessary condition of reach."""
    middles, halves = regions.segments.mean(axis=1), regions.lengths / 2.0
    apart = np.linalg.norm(middles[:, None] - middles, axis=2)
    # Two segments are no nearer to one another than their middles less half their lengths.
    return apart - halves[:, None] - halves <= hand_span(hand)


def joined(parts: list[Candidates]) -> Candidates:
    """Lists of candidates one after the other; their triplets are numbered on."""
    first, *others = parts
    for other in others:
        past = int(first.triplet.max()) + 1 if len(first) else 0
        first = Candidates(
            contacts=np.concatenate([first.contacts, other.contacts]),
            normals=np.concatenate([first.normals, other.normals]),
            segments=np.concatenate([first.segments, other.segments]),
            region_index=np.concatenate([first.region_index, other.region_index]),
            curvature=np.concatenate([first.curvature, other.curvature]),
            focus=np.concatenate([first.focus, other.focus]),
            virtual=np.concatenate([first.virtual, other.virtual]),
            triplet=np.concatenate([first.triplet, other.triplet + past]),
            zones=first.zones + other.zones,
        )
    return first

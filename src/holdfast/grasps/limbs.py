"""Limbs of a part: its thickness under each finger.

A finger that presses on a thin limb from one side bends or breaks it. The thickness at a contact is the length inside
the part along the force, from the contact to the first exit of the line; holes count as free space. If the line leaves
the part at another finger, the limb is pressed between two fingers and cannot bend: its thickness is then infinite.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..checks import Array
from .reachability import simplified

if TYPE_CHECKING:
    from .contours import Contour
    from .ranking import ScoredGrasps

#: The outline is simplified within this tolerance [mm] before lines are intersected with it.
SIMPLIFIED_MM = 0.1

#: Largest distance of a contact from the outline [mm]: a line enters the part within this distance.
NEAR_OUTLINE_MM = 1.5

#: Number of lines and sides of the outline that are treated together.
BLOCK = 1_000_000


def thickness(contour: Contour, scored: ScoredGrasps) -> Array:
    """(g, 3) thickness [mm] of the part under each contact; inf opposite to a finger or without a pose.

    Args:
        contour: the part.
        scored: the grasps; those that are not valid are left out.
    """
    result = np.full((len(scored), 3), np.inf)
    rows = np.flatnonzero(scored.valid & ~scored.outward)
    if not len(rows):
        return result
    contacts, forces = scored.candidates.contacts[rows], scored.poses.forces[rows]
    far = run_lengths(contour, contacts.reshape(-1, 2), forces.reshape(-1, 2)).reshape(-1, 3)
    ends = contacts + far[..., None] * forces
    # A jaw or a pinching finger is in the middle of its patch, whose ends are contacts 2 and 3.
    middle = 0.5 * (contacts[:, 1] + contacts[:, 2])
    patch = scored.candidates.pinch[rows] | (scored.candidates.virtual[rows] & (scored.hand.fingers == 2))
    stands = np.where(patch[:, None, None], np.stack([contacts[:, 0], middle, middle], axis=1), contacts)
    near = np.linalg.norm(ends[:, :, None] - stands[:, None], axis=3)  # (r, end of finger, other finger)
    within = 0.5 * scored.hand.fingertip_width + np.where(patch, scored.candidates.half_width[rows], 0.0)
    backed = (near + np.where(np.eye(3, dtype=bool), np.inf, 0.0)).min(axis=2) <= within[:, None]
    result[rows] = np.where(backed, np.inf, far)
    return result


def run_lengths(contour: Contour, points: Array, ways: Array) -> Array:
    """(k,) lengths [mm] inside the part from points (k, 2) near its outline along unit vectors (k, 2).

    The stretch inside that begins within 1.5 mm of the point counts, up to its end; 0 where there is none.
    """
    loops = simplified(contour, SIMPLIFIED_MM)
    start, end = (np.concatenate([np.roll(loop, shift, axis=0) for loop in loops]) for shift in (0, -1))
    found = np.empty(len(points))
    some = max(BLOCK // len(start), 1)
    for first in range(0, len(points), some):
        own = slice(first, first + some)
        found[own] = _run_lengths(start, end, points[own], ways[own])
    return found


def _run_lengths(start: Array, end: Array, points: Array, ways: Array) -> Array:
    across = np.stack([-ways[:, 1], ways[:, 0]], axis=1)
    shift = (across * points).sum(axis=1)[:, None]
    above, after = across @ start.T - shift, across @ end.T - shift  # (k, n)
    row, side = np.nonzero((above > 0.0) != (after > 0.0))
    share = above[row, side] / (above[row, side] - after[row, side])
    met = start[side] + share[:, None] * (end[side] - start[side])
    at = ((met - points[row]) * ways[row]).sum(axis=1)
    order = np.lexsort((at, row))
    row, at = row[order], at[order]
    # Crossings of one line alternate between in and out: stretches inside are the pairs 0-1, 2-3, ...
    count = np.bincount(row, minlength=len(points))
    place = np.arange(len(row)) - (np.cumsum(count) - count)[row]
    enters = np.flatnonzero(place % 2 == 0)
    enters = enters[enters + 1 < len(row)]
    begin, leave, own = at[enters], at[enters + 1], row[enters]
    fits = (leave > NEAR_OUTLINE_MM) & (begin < NEAR_OUTLINE_MM) & (row[np.minimum(enters + 1, len(row) - 1)] == own)
    found = np.zeros(len(points))
    # the first stretch that continues beyond the contact; writing backwards keeps the first
    found[own[fits][::-1]] = leave[fits][::-1]
    return found

"""Limbs of a part: its thickness under each finger.

A finger that presses on a thin limb from one side bends or breaks it. The thickness at a contact is the length inside
the part along the force, from the contact to the first exit of the line; holes count as free space. If the line leaves
the part at another finger, the limb is pressed between two fingers and cannot bend: its thickness is then infinite.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import shapely

from ..checks import Array

if TYPE_CHECKING:
    from .contours import Contour
    from .ranking import ScoredGrasps

#: Largest distance of a contact from the outline [mm]: a line enters the part within this distance.
NEAR_OUTLINE_MM = 1.5

#: Type of a line among shapely's geometries; others are single points, which get_point passes over.
LINE = 1


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
    part = shapely.Polygon(contour.outer, contour.holes)
    shapely.prepare(part)
    beyond = np.hypot(*np.ptp(contour.outer, axis=0)) + NEAR_OUTLINE_MM
    lines = shapely.linestrings(np.stack([points - NEAR_OUTLINE_MM * ways, points + beyond * ways], axis=1))
    stretches, row = shapely.get_parts(shapely.intersection(lines, part), return_index=True)
    ends = shapely.get_coordinates([shapely.get_point(stretches, k) for k in (0, -1)]).reshape(2, -1, 2)
    row = row[shapely.get_type_id(stretches) == LINE]
    along = ((ends - points[row]) * ways[row]).sum(axis=2)
    begin, leave = along.min(axis=0), along.max(axis=0)
    found = np.zeros(len(points))
    fits = np.flatnonzero((begin < NEAR_OUTLINE_MM) & (leave > NEAR_OUTLINE_MM))
    first = fits[np.lexsort((begin[fits], row[fits]))]
    # the first stretch that continues beyond the contact; writing backwards keeps the first
    found[row[first][::-1]] = leave[first][::-1]
    return found

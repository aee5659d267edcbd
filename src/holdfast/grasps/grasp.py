"""Grasp: one scored grasp, as a view into the arrays of all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks import Array

if TYPE_CHECKING:
    from .scoring import ScoredGrasps


@dataclass(frozen=True, eq=False)
class Grasp:
    """One grasp; contact 1 (row 0) is the thumb. Lengths in mm, angles in rad, the contour's frame with y up.

    Attributes:
        scored: all grasps of the object.
        index: row of this one among them.
        rank: place in the ranking from 1, None when it is not ranked.
        score: what it was ranked by, lower is better; the same as Q for the plain sum.
        reason: why it is not ranked, "" when it is.
        own_criteria: values of the user's own criteria.
        reachability: (ok, reason) of the clearance check, None when it was not asked for.
    """

    scored: ScoredGrasps
    index: int
    rank: int | None = None
    score: float = float("nan")
    reason: str = ""
    own_criteria: tuple[tuple[str, float], ...] = ()
    reachability: tuple[bool, str] | None = None

    def __repr__(self) -> str:
        place = f"rank {self.rank}" if self.rank else "not ranked"
        return f"Grasp({self.kind}, {place}, Q = {self.Q:.4g})"

    @property
    def kind(self) -> str:
        """Either "three_finger" or "virtual_two_finger"."""
        return kind_of(self.virtual_two_finger)

    @property
    def virtual_two_finger(self) -> bool:
        """Whether two fingers press side by side on one region."""
        return bool(self.scored.candidates.virtual[self.index])

    @property
    def contacts_mm(self) -> Array:
        """(3, 2) contact points."""
        return self.scored.candidates.contacts[self.index]

    @property
    def inward_normals(self) -> Array:
        """(3, 2) unit normals into the object."""
        return self.scored.candidates.normals[self.index]

    @property
    def regions_mm(self) -> Array:
        """(3, 2, 2) ends of the straight region under each contact."""
        return self.scored.candidates.segments[self.index]

    @property
    def region_curvature(self) -> Array:
        """(3,) mean signed curvature of the regions [1/cm], negative where convex."""
        return self.scored.candidates.curvature[self.index]

    @property
    def force_directions(self) -> Array:
        """(3, 2) unit directions in which the fingers push the object."""
        return self.scored.poses.forces[self.index]

    @property
    def grasp_focus_mm(self) -> Array:
        """(2,) C_G, where the normals were meant to meet."""
        return self.scored.candidates.focus[self.index]

    @property
    def real_focus_mm(self) -> Array | None:
        """(2,) C_C, where the force lines meet; None when they are parallel."""
        focus = self.scored.poses.real_focus[self.index]
        return focus if np.isfinite(focus).all() else None

    @property
    def zone(self) -> Array | None:
        """(k, 2) corners of the focus zone; None for a virtual two-finger grasp."""
        return self.scored.candidates.zones[self.index]

    @property
    def extensions_mm(self) -> Array:
        """(3,) how far each fingertip is from its pivot."""
        return self.scored.poses.extensions[self.index]

    @property
    def spread_rad(self) -> float:
        """Opening angle theta of the two fingers."""
        return float(self.scored.poses.spread[self.index])

    @property
    def palm_mm(self) -> Array:
        """(2,) palm centre O."""
        return self.scored.poses.palm[self.index]

    @property
    def yaw_rad(self) -> float:
        """Direction of the thumb axis h, from the x axis, counter-clockwise."""
        return float(self.scored.poses.yaw[self.index])

    @property
    def thumb_axis(self) -> Array:
        """(2,) unit vector h, along which the thumb pushes."""
        return self.scored.poses.thumb_axis[self.index]

    @property
    def criteria(self) -> dict[str, float]:
        """Name -> value of the ten criteria, lower is better."""
        return {name: float(column[self.index]) for name, column in self.scored.criteria.items()}

    @property
    def Q(self) -> float:
        """The plain sum of the ten criteria."""
        return float(self.scored.quality[self.index])

    @property
    def valid(self) -> bool:
        """Whether the hand takes the pose and all criteria are finite."""
        return bool(self.scored.valid[self.index])

    def inputs(self) -> dict[str, Any]:
        """Everything `criteria.evaluate` needs, by its names: `evaluate(**grasp.inputs())` scores it again."""
        return {
            "contacts_mm": self.contacts_mm,
            "inward_normals": self.inward_normals,
            "regions_mm": self.regions_mm,
            "region_curvature": self.region_curvature,
            "force_directions": self.force_directions,
            "grasp_focus_mm": self.grasp_focus_mm,
            "real_focus_mm": self.real_focus_mm,
            "extensions_mm": self.extensions_mm,
            "spread_rad": self.spread_rad,
            "virtual_two_finger": self.virtual_two_finger,
            **self.scored.shape.to_dict(),
            **self.scored.params.to_dict(),
        }


def kind_of(virtual: bool) -> str:
    """The name of a kind of grasp in the exchange form."""
    return "virtual_two_finger" if virtual else "three_finger"

"""Pads whose torsion and bending matter: several points instead of one."""

from __future__ import annotations

from dataclasses import dataclass

from ... import checks
from ...checks import Array
from ...errors import InputError
from ..volume import ForceVolume


@dataclass(frozen=True, eq=False)
class PointPatch:
    """The points that stand for one pad, all with the same volume.

    Attributes:
        points: (n, 3) positions in the pad's contact frame (x shear, y lateral, z into the object) [m].
        volume: admissible force of each single point, in that frame.
    """

    points: Array
    volume: ForceVolume

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", checks.array("points", self.points, ("n", 3)))
        if not isinstance(self.volume, ForceVolume):
            raise InputError(f"is a {type(self.volume).__name__}", where="volume", fix="give a ForceVolume")

    def __len__(self) -> int:
        return len(self.points)

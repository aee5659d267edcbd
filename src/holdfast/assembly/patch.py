"""Patch: a unit that touches with a small surface, as points that each have a share of it (III.A, IV.C)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..checks import Array
from ..errors import GeometryError, InputError
from ..force_limits.volume import ForceVolume
from ..geometry.frames import Pose
from ..geometry.polygons import cell_shares, corner_shares, simple_polygon
from .contact import Contact, volume_shares

#: "corners", or the numbers (nx, ny) of cells along the shear and the lateral direction.
Points = Literal["corners"] | tuple[int, int]


class Pad(Protocol):
    """A unit that comes as points, all with the same volume: what `hf.models.soft_finger` returns, say."""

    @property
    def points(self) -> Array:
        """(n, 3) positions in the pad's contact frame [m]."""
        ...

    @property
    def volume(self) -> ForceVolume:
        """Admissible forces of each single point."""
        ...


@dataclass(frozen=True, eq=False)
class Patch:
    """A contact unit as a small surface, split into point contacts.

    Attributes:
        contacts: the points, each with `volume.scaled(share)`; equal shares are one ForceVolume object.
        fractions: (p,) the shares of the points in the unit; positive, sum 1.
        faces: polygons (m, 3) in the world [m] that make up the surface, to draw it.
        name: how reports call it; its contacts are name[0], name[1], ...
    """

    contacts: tuple[Contact, ...]
    fractions: Array
    faces: tuple[Array, ...] = ()
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "contacts", tuple(self.contacts))
        if not self.contacts:
            raise InputError("is empty", where="contacts", fix="give at least one contact")
        shares = checks.array("fractions", self.fractions, (len(self.contacts),))
        if (shares <= 0.0).any() or abs(shares.sum() - 1.0) > tolerances.MERGE:
            raise InputError(
                f"sum to {shares.sum():.9g}, the least is {shares.min():.3g}",
                where="fractions",
                fix="give positive shares of one unit, with the sum 1",
            )
        object.__setattr__(self, "fractions", shares)

    def __len__(self) -> int:
        return len(self.contacts)

    @property
    def positions(self) -> Array:
        """(p, 3) points of contact in the world [m]."""
        return np.array([contact.position for contact in self.contacts])

    @property
    def center(self) -> Array:
        """(3,) mean of the points, weighted by their shares [m]."""
        return self.fractions @ self.positions

    @staticmethod
    def rectangle(
        pose: Pose, size: Sequence[float], volume: ForceVolume, *, points: Points = "corners", name: str = ""
    ) -> Patch:
        """A rectangular unit centred on `pose`, whose columns are (u, v, n), n INTO the object.

        Args:
            pose: centre and contact frame in the world.
            size: (lx, ly) lengths along u and v [m].
            volume: admissible forces of the whole unit.
            points: "corners" for four points at the corners, each with a quarter of the unit (IV.C), or
                (nx, ny) for the centres of nx by ny equal cells.
            name: how reports call it.
        """
        lengths = checks.array("size", size, (2,))
        lx, ly = (checks.length(f"size[{axis}]", lengths[axis]) for axis in (0, 1))
        outline = np.array([[-lx, -ly], [lx, -ly], [lx, ly], [-lx, ly]]) / 2.0
        if _wants_corners(points):
            local, fractions = outline, np.full(4, 0.25)
        else:
            nx, ny = _cells(points)
            x = ((np.arange(nx) + 0.5) / nx - 0.5) * lx
            y = ((np.arange(ny) + 0.5) / ny - 0.5) * ly
            local = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
            fractions = np.full(nx * ny, 1.0 / (nx * ny))
        return _flat_patch(pose, outline, local, fractions, volume, name)

    @staticmethod
    def polygon(
        pose: Pose, corners: ArrayLike, volume: ForceVolume, *, points: Points = "corners", name: str = ""
    ) -> Patch:
        """A unit bounded by a simple polygon in the plane of `pose`.

        Args:
            pose: contact frame in the world, columns (u, v, n), n INTO the object.
            corners: (m, 2) corners [m] along u and v from the origin of `pose`, in either sense.
            volume: admissible forces of the whole unit.
            points: "corners": a point at each corner with half the area of the two triangles that its
                sides make with the centroid (a quarter each for a rectangle); the centroid must see every
                corner, as in all convex polygons. (nx, ny): the bounding box is cut into nx by ny cells, a
                point at the centroid of the polygon's part in each, with that part's share of the area.
                Either way the shares sum to 1 and their mean position is the centroid.
            name: how reports call it.
        """
        outline = simple_polygon("corners", corners)
        if _wants_corners(points):
            local, fractions = outline, corner_shares(outline)
            if (fractions <= 0.0).any():
                raise GeometryError(
                    "the centroid does not see every corner, so that some would have no area",
                    where="corners",
                    fix="ask for cells instead: points=(3, 3)",
                )
        else:
            local, fractions = cell_shares(outline, _cells(points))
        return _flat_patch(pose, outline, local, fractions, volume, name)

    @staticmethod
    def of_pad(pose: Pose, pad: Pad, *, name: str = "") -> Patch:
        """A unit whose model comes as points (a soft finger, a suction cup) at `pose`, columns (u, v, n).

        Each point has the pad's volume as it stands, and counts as an equal share.
        """
        local = checks.array("pad.points", pad.points, ("n", 3))
        if not len(local):
            raise InputError("is empty", where="pad.points", fix="give at least one point")
        contacts = _contacts(pose, local, (pad.volume,) * len(local), name)
        return Patch(contacts, np.full(len(local), 1.0 / len(local)), (), name)

    def moved(self, motion: Pose, *, name: str | None = None) -> Patch:
        """The patch carried along by the rigid motion x -> motion x, sharing its force volumes.

        A unit made once at the identity and moved to many places costs the solvers one shape.
        """
        called = self.name if name is None else name
        contacts = tuple(
            Contact(motion.apply(c.position), motion.rotation @ c.rotation, c.volume, _point_name(called, i))
            for i, c in enumerate(self.contacts)
        )
        return Patch(contacts, self.fractions, tuple(motion.apply(face) for face in self.faces), called)


def _point_name(name: str, index: int) -> str:
    return f"{name}[{index}]" if name else ""


def _wants_corners(points: Points) -> bool:
    return isinstance(points, str) and points == "corners"


def _cells(points: Points) -> tuple[int, int]:
    """(nx, ny) from the argument `points`, or the error that says what it may be."""
    if isinstance(points, str) or not isinstance(points, Sequence) or len(points) != 2:
        raise InputError(f"is {points!r}", where="points", fix='give "corners" or two numbers of cells (nx, ny)')
    return checks.count("points[0]", points[0]), checks.count("points[1]", points[1])


def _contacts(pose: Pose, local: Array, volumes: Sequence[ForceVolume], name: str) -> tuple[Contact, ...]:
    """Contacts at the points (p, 3) of the frame `pose`, all with its rotation."""
    world = pose.apply(local)
    return tuple(Contact(world[i], pose.rotation, volumes[i], _point_name(name, i)) for i in range(len(world)))


def _flat_patch(pose: Pose, outline: Array, local: Array, fractions: Array, volume: ForceVolume, name: str) -> Patch:
    """The patch with points (p, 2) and border (m, 2) in the plane of `pose`."""
    if not isinstance(pose, Pose):
        raise InputError(
            f"is a {type(pose).__name__}", where="pose", fix="give Pose(frame_from_normal(n, shear), center)"
        )

    def in_space(flat: Array) -> Array:
        return np.column_stack([flat, np.zeros(len(flat))])

    contacts = _contacts(pose, in_space(local), volume_shares(volume, fractions), name)
    return Patch(contacts, fractions, (pose.apply(in_space(outline)),), name)

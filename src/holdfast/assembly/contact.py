"""Contact: where a force may act on the object, in which frame, within which volume (III.A)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..checks import Array
from ..errors import FrameError, InputError, UnitError
from ..force_limits.volume import ForceVolume
from ..geometry import frames

#: A shear direction for all points (3,), one a point (n, 3), or a function from positions (n, 3) [m] to (n, 3).
ShearField = ArrayLike | Callable[[Array], ArrayLike]


@dataclass(frozen=True, eq=False)
class Contact:
    """A point contact.

    Attributes:
        position: (3,) point of contact in the world [m].
        rotation: (3, 3) contact frame, columns (u, v, n): shear, lateral, normal INTO the object.
        volume: admissible forces in that frame; f_world = rotation @ f_local acts on the object.
        name: how reports call it.
    """

    position: Array
    rotation: Array
    volume: ForceVolume
    name: str = ""

    def __post_init__(self) -> None:
        position = checks.vector("position", self.position, 3)
        object.__setattr__(self, "position", position)
        object.__setattr__(self, "rotation", frames.rotation("rotation", self.rotation))
        farthest = float(np.abs(position).max())
        if farthest > tolerances.LARGEST_LENGTH:
            raise UnitError(
                f"is {farthest:.3g} m from the origin",
                where="position",
                fix=f"positions are in metres, up to {tolerances.LARGEST_LENGTH:g}",
            )
        if not isinstance(self.volume, ForceVolume):
            raise InputError(
                f"is a {type(self.volume).__name__}",
                where="volume",
                fix="give a ForceVolume or a model: hf.models.coulomb(0.5)",
            )


def contacts_from_arrays(
    points: ArrayLike,
    normals: ArrayLike,
    shear: ShearField,
    volume: ForceVolume,
    *,
    fractions: ArrayLike | None = None,
    name: str = "",
) -> tuple[Contact, ...]:
    """One contact a point, from plain arrays in the world.

    Args:
        points: (n, 3) positions [m].
        normals: (n, 3) directions INTO the object; any length above zero.
        shear: the best direction of the force on the object: one (3,) for all, one a point (n, 3), or a
            function from positions (n, 3) to (n, 3); the part at right angles to the normal counts.
        volume: admissible forces of one whole unit, in the contact frame.
        fractions: (n,) share of the unit at each point, in (0, 1]; by default each point is a whole unit.
            Points with equal shares share one ForceVolume.
        name: contacts are called name[0], name[1], ...
    """
    x = checks.array("points", points, ("n", 3))
    if not len(x):
        raise InputError("is empty", where="points", fix="give at least one point")
    n = checks.array("normals", normals, (len(x), 3))
    u = shear_directions(shear, x)
    shares = np.ones(len(x)) if fractions is None else checks.array("fractions", fractions, (len(x),))
    if (shares <= 0.0).any() or (shares > 1.0).any():
        row = int(np.argmax((shares <= 0.0) | (shares > 1.0)))
        raise InputError(f"is {shares[row]:g}", where=f"fractions[{row}]", fix="give a share in (0, 1]")
    rotations = [_frame(row, n[row], u[row]) for row in range(len(x))]
    volumes = volume_shares(volume, shares)
    return tuple(
        Contact(x[row], rotations[row], volumes[row], f"{name}[{row}]" if name else "") for row in range(len(x))
    )


def shear_directions(shear: ShearField, positions: Array) -> Array:
    """(n, 3) shear directions at `positions` (n, 3) [m] in the world, of any length."""
    value = shear(positions) if callable(shear) else shear
    constant = np.ndim(np.asarray(value, dtype=object)) == 1
    directions = checks.array("shear", value, (3,) if constant else (len(positions), 3))  # pyright: ignore[reportArgumentType]
    return np.broadcast_to(directions, positions.shape)


def _frame(row: int, normal: Array, shear: Array) -> Array:
    """The contact frame of one row of the arrays; errors name the row."""
    try:
        return frames.frame_from_normal(normal, shear)
    except InputError as error:
        kind = FrameError if isinstance(error, FrameError) else InputError
        where = {"normal": "normals"}.get(error.where, error.where)
        raise kind(error.what, where=f"{where}[{row}]", fix=error.fix) from None


def volume_shares(volume: ForceVolume, fractions: ArrayLike) -> tuple[ForceVolume, ...]:
    """`volume` scaled by each of the fractions (n,); equal fractions give the same object.

    Fractions that agree to `tolerances.MERGE` count as equal; the first of them is taken.
    """
    if not isinstance(volume, ForceVolume):
        raise InputError(f"is a {type(volume).__name__}", where="volume", fix="give a ForceVolume")
    made: list[tuple[float, ForceVolume]] = [(1.0, volume)]
    result = []
    for fraction in np.asarray(fractions, dtype=np.float64):
        share = next((v for f, v in made if abs(f - fraction) <= tolerances.MERGE * f), None)
        if share is None:
            share = volume.scaled(float(fraction))
            made.append((float(fraction), share))
        result.append(share)
    return tuple(result)


def with_shared_volumes(contacts: Sequence[Contact]) -> tuple[Contact, ...]:
    """The same contacts, with one ForceVolume object for all volumes of the same geometry.

    Solvers keep one set of matrices per object, so that contacts made one by one cost no more than
    those of one patch.
    """
    kept: dict[str, ForceVolume] = {}
    return tuple(
        replace(contact, volume=kept.setdefault(contact.volume.fingerprint, contact.volume)) for contact in contacts
    )

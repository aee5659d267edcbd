"""Contacts that others have found: points, normals and friction as plain arrays, in the one form all adapters give.

Simulators and collision checkers know where two bodies touch; Holdfast wants to know what a contact there can carry.
`TouchingPoints` is what they have in common: points in the world, normals INTO the body that is asked about, and what
touches what.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..assembly import Contact, contacts_from_arrays
from ..checks import Array, BoolArray, IntArray
from ..errors import FrameError, InputError, UnknownNameError
from ..force_limits import models
from ..force_limits.volume import ForceVolume
from ..geometry.frames import Pose, frame_from_normal

#: One volume for all points, or one for each part of the terrain by its name.
Volumes = ForceVolume | Mapping[str, ForceVolume]


@dataclass(frozen=True, eq=False, repr=False)
class TouchingPoints:
    """Where a body touches other things.

    Attributes:
        positions: (n, 3) points of contact in the world [m].
        normals: (n, 3) unit normals there, INTO the body.
        shears: (n, 3) unit directions along the surface: x of the contact frames.
        links: (n,) which part of the body touches.
        terrains: (n,) what it touches.
        friction: (n, 2) coefficients of friction along x and y of the contact frames; NaN where they are not known.
        gaps: (n,) distance between the surfaces [m]; negative where they overlap.
    """

    positions: Array
    normals: Array
    shears: Array
    links: tuple[str, ...]
    terrains: tuple[str, ...]
    friction: Array
    gaps: Array

    def __len__(self) -> int:
        return len(self.positions)

    def __repr__(self) -> str:
        return f"TouchingPoints({len(self)} points, {len(dict.fromkeys(self.links))} links)"

    @property
    def names(self) -> tuple[str, ...]:
        """(n,) "link on terrain", numbered where several points are of the same two."""
        pairs = list(zip(self.links, self.terrains, strict=True))
        seen: dict[tuple[str, str], int] = {}
        found = []
        for pair in pairs:
            seen[pair] = seen.get(pair, -1) + 1
            words = " on ".join(word for word in pair if word)
            found.append(f"{words}[{seen[pair]}]" if pairs.count(pair) > 1 and words else words)
        return tuple(found)

    @property
    def poses(self) -> tuple[Pose, ...]:
        """(n,) contact frames in the world, z into the body: palms for `hf.coulomb_grip` and other feet."""
        frames = zip(self.normals, self.shears, self.positions, strict=True)
        return tuple(Pose(frame_from_normal(normal, shear), position) for normal, shear, position in frames)

    def of_links(self, links: Sequence[str]) -> TouchingPoints:
        """The points at which one of these links touches."""
        for link in links:
            if link not in self.links:
                raise UnknownNameError("touching link", link, dict.fromkeys(self.links), where="links")
        return self.chosen(np.array([link in links for link in self.links], dtype=bool))

    def within(self, gap: float) -> TouchingPoints:
        """The points whose surfaces are no more than `gap` [m] apart."""
        return self.chosen(self.gaps <= checks.number("gap", gap, unit="m"))

    def contacts(self, volumes: Volumes | None = None, *, sides: int = 16) -> tuple[Contact, ...]:
        """Contacts on the body, for `hf.Assembly`.

        Args:
            volumes: admissible forces, one for all or by the name of the terrain. None takes dry friction with the
                coefficients that came with the points.
            sides: of the pyramids inside the friction cones, where `volumes` is None.
        """
        if not len(self):
            raise InputError("nothing touches", where="points", fix="look for points with a larger gap")
        if volumes is None:
            chosen = self._dry(checks.count("sides", sides, low=3))
        elif isinstance(volumes, Mapping):
            for terrain in dict.fromkeys(self.terrains):
                if terrain not in volumes:
                    raise UnknownNameError("volume for the terrain", terrain, volumes, where="volumes")
            chosen = [volumes[terrain] for terrain in self.terrains]
        else:
            chosen = [volumes] * len(self)
        made = []
        for row, (volume, name) in enumerate(zip(chosen, self.names, strict=True)):
            one = slice(row, row + 1)
            contact = contacts_from_arrays(self.positions[one], self.normals[one], self.shears[one], volume)[0]
            made.append(replace(contact, name=name))
        return tuple(made)

    def _dry(self, sides: int) -> list[ForceVolume]:
        """Friction cones of the coefficients; equal ones are one object."""
        if np.isnan(self.friction).any():
            row = int(np.isnan(self.friction).any(axis=1).argmax())
            raise InputError("is not known", where=f"friction[{row}]", fix="give volumes, or friction with the points")
        made: dict[tuple[float, float], ForceVolume] = {}
        result = []
        for along, across in self.friction.tolist():
            key = (along, across)
            if key not in made:
                made[key] = models.coulomb(along, mu_lateral=across, facets=sides)
            result.append(made[key])
        return result

    def chosen(self, rows: BoolArray | IntArray) -> TouchingPoints:
        """The points of these rows, by numbers or as a mask."""
        numbers = np.arange(len(self))[rows]
        return TouchingPoints(
            self.positions[rows],
            self.normals[rows],
            self.shears[rows],
            tuple(self.links[i] for i in numbers),
            tuple(self.terrains[i] for i in numbers),
            self.friction[rows],
            self.gaps[rows],
        )


def touching_points(
    positions: ArrayLike,
    normals: ArrayLike,
    *,
    shears: ArrayLike | None = None,
    links: str | Sequence[str] = "",
    terrains: str | Sequence[str] = "",
    friction: ArrayLike | None = None,
    gaps: ArrayLike | None = None,
) -> TouchingPoints:
    """Points of contact from plain arrays in the world.

    Args:
        positions: (n, 3) [m].
        normals: (n, 3) INTO the body, of any length above zero.
        shears: (n, 3) or (3,) directions along the surface; the part at right angles to the normal counts. By default
            the world axis least aligned with the normal.
        links: which part of the body touches, one a point or one for all.
        terrains: what it touches, one a point or one for all.
        friction: coefficient of all, (n,) one a point, or (n, 2) along the shear and across it.
        gaps: (n,) distance of the surfaces [m]; 0 by default.
    """
    x = checks.array("positions", positions, ("n", 3))
    n = checks.array("normals", normals, (len(x), 3))
    wanted = None if shears is None else _rows("shears", shears, len(x), 3)
    units, along = np.zeros_like(x), np.zeros_like(x)
    for row in range(len(x)):
        try:
            frame = frame_from_normal(n[row], None if wanted is None else wanted[row])
        except InputError as error:
            kind = FrameError if isinstance(error, FrameError) else InputError
            where = {"normal": "normals", "shear": "shears"}.get(error.where, error.where)
            raise kind(error.what, where=f"{where}[{row}]", fix=error.fix) from None
        along[row], units[row] = frame[:, 0], frame[:, 2]
    return TouchingPoints(
        x,
        units,
        along,
        _words("links", links, len(x)),
        _words("terrains", terrains, len(x)),
        _coefficients(friction, len(x)),
        np.zeros(len(x)) if gaps is None else checks.array("gaps", gaps, (len(x),)),
    )


def _rows(name: str, value: ArrayLike, n: int, size: int) -> Array:
    """(n, size) from one row for all or one each."""
    if np.ndim(value) == 1:
        return np.broadcast_to(checks.vector(name, value, size), (n, size))
    return checks.array(name, value, (n, size))


def _words(name: str, value: str | Sequence[str], n: int) -> tuple[str, ...]:
    words = (value,) * n if isinstance(value, str) else tuple(str(word) for word in value)
    if len(words) != n:
        raise InputError(f"are {len(words)}", where=name, fix=f"give {n}, one a point, or one word for all")
    return words


def _coefficients(friction: ArrayLike | None, n: int) -> Array:
    """(n, 2); NaN when nothing is known."""
    if friction is None:
        return np.full((n, 2), np.nan)
    shape = {0: (), 1: (n,)}.get(np.ndim(friction), (n, 2))
    values = checks.array("friction", friction, shape)
    if (values < 0.0).any():
        raise InputError(f"is {values.min():g}", where="friction", fix="give coefficients of at least 0")
    columns = values if values.ndim == 2 else np.reshape(values, (-1, 1))
    return np.array(np.broadcast_to(columns, (n, 2)))


def of_body(
    first: Sequence[str], second: Sequence[str], is_body: Callable[[str], bool]
) -> tuple[IntArray, Array, tuple[str, ...], tuple[str, ...]]:
    """Pairs of parts that touch, as seen by the body.

    Args:
        first, second: (m,) names of the two parts of each pair; their normal leads from first to second.
        is_body: whether a part belongs to the body.

    Returns:
        (rows (n,) of the pairs between body and terrain, signs (n,) that turn their normals into the body, names of
        the body's parts, names of the terrain's parts).
    """
    rows, signs, links, terrains = [], [], [], []
    for row, (a, b) in enumerate(zip(first, second, strict=True)):
        if is_body(a) == is_body(b):
            continue
        rows.append(row)
        signs.append(1.0 if is_body(b) else -1.0)
        links.append(b if is_body(b) else a)
        terrains.append(a if is_body(b) else b)
    return np.array(rows, dtype=np.int64), np.array(signs), tuple(links), tuple(terrains)

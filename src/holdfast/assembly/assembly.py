"""Assembly: contacts and joint rows, and the matrices that every solver works on."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..checks import Array, IntArray
from ..errors import InputError, UnitError
from ..force_limits.volume import ForceVolume
from ..geometry.frames import Pose, wrench_matrix
from ..jobs import fingerprint
from .contacts import Contact, Unit
from .joints import JointRows

if TYPE_CHECKING:
    from ..solvers import ContactProblem, Layout


@dataclass(frozen=True, eq=False)
class Assembly:
    """Contacts on one object, and what the mechanism behind them can bear.

    Attributes:
        contacts: the point contacts; those that share a ForceVolume object share its matrices, those that share a
            Unit object share one piece and follow each other.
        joints: rows lower <= jacobian @ f <= upper on the stacked world forces (5), or None.
        name: how reports call it.
    """

    contacts: Sequence[Contact]
    joints: JointRows | None = None
    name: str = ""

    def __post_init__(self) -> None:
        contacts = tuple(self.contacts) if isinstance(self.contacts, Sequence) else (self.contacts,)
        if not contacts:
            raise InputError("is empty", where="contacts", fix="give at least one Contact")
        for index, contact in enumerate(contacts):
            if not isinstance(contact, Contact):
                raise InputError(
                    f"is a {type(contact).__name__}", where=f"contacts[{index}]", fix="give holdfast.Contact objects"
                )
        object.__setattr__(self, "contacts", contacts)
        _check_units(contacts)
        reach = float(np.abs(self.positions).max())
        if reach > tolerances.LARGEST_LENGTH:
            raise UnitError(
                f"positions reach {reach:.3g} m from the origin",
                where="contacts",
                fix=f"positions are in metres, within {tolerances.LARGEST_LENGTH:g}",
            )
        if self.joints is not None and not isinstance(self.joints, JointRows):
            raise InputError(
                f"is a {type(self.joints).__name__}", where="joints", fix="give holdfast.JointRows or None"
            )
        if self.joints is not None and self.joints.jacobian.shape[1] != 3 * len(contacts):
            raise InputError(
                f"has {self.joints.jacobian.shape[1]} columns for {len(contacts)} contacts",
                where="joints.jacobian",
                fix=f"the shape must be (rows, {3 * len(contacts)})",
            )

    def __len__(self) -> int:
        return len(self.contacts)

    def __getstate__(self) -> dict[str, Any]:
        """What another process needs; matrices are made anew there."""
        return {"contacts": self.contacts, "joints": self.joints, "name": self.name}

    @cached_property
    def fingerprint(self) -> str:
        """Hash of all that answers depend on: contacts, volumes, joint rows; the same in every process.

        Suspensions, and stiffness and servo of joints, count where any are given.
        """
        joints, elastic = self.joints, []
        rows = [] if joints is None else [joints.jacobian, joints.lower, joints.upper]
        points = [[c.position, c.rotation, c.volume.fingerprint] for c in self.contacts]
        if any(c.suspension is not None for c in self.contacts):
            springs = (c.suspension for c in self.contacts)
            elastic.append([s if s is None else [s.stiffness, s.preload, s.rule] for s in springs])
        if joints is not None and (joints.stiffness.any() or np.isfinite(joints.servo).any()):
            elastic.append([joints.stiffness, joints.servo])
        return fingerprint(points, self.unit_of, rows, *elastic)

    @cached_property
    def positions(self) -> Array:
        """(k, 3) contact points in the world [m]."""
        return np.array([c.position for c in self.contacts])

    @cached_property
    def rotations(self) -> Array:
        """(k, 3, 3) contact frames in the world, columns (u, v, n)."""
        return np.array([c.rotation for c in self.contacts])

    @cached_property
    def wrench_matrix(self) -> Array:
        """W (6, 3k) of (2): stacked world forces to the wrench about the world origin."""
        return wrench_matrix(self.positions)

    @cached_property
    def length(self) -> float:
        """Characteristic length [m] that scales torques into forces: the root mean square reach of the contacts.

        It is taken about their centre, or about the world origin when they all lie in one point.
        """
        spread = float(np.sqrt(((self.positions - self.positions.mean(axis=0)) ** 2).sum(axis=1).mean()))
        distance = float(np.linalg.norm(self.positions, axis=1).max())
        if spread > tolerances.MERGE * distance:
            return spread
        return distance if distance > 0.0 else 1.0

    def moved(self, pose: Pose) -> Assembly:
        """The same assembly carried by a rigid motion; joint rows turn with their forces."""
        units = cache(lambda unit: unit and replace(unit))  # other units, should both assemblies be put together
        contacts = [replace(c.moved(pose), unit=units(c.unit)) for c in self.contacts]
        if self.joints is None:
            return Assembly(contacts, None, self.name)
        blocks = self.joints.jacobian.reshape(-1, len(self), 3) @ pose.rotation.T
        joints = replace(self.joints, jacobian=blocks.reshape(-1, 3 * len(self)))
        return Assembly(contacts, joints, self.name)

    def hulled(self) -> Assembly:
        """The same with each contact's volume replaced by its convex hull: holds all that this one holds, and more.

        Contacts that shared a volume share its hull.
        """
        return self.with_volumes(_hull)

    def with_volumes(self, change: Callable[[ForceVolume], ForceVolume]) -> Assembly:
        """The same with every volume replaced by `change` of it; contacts that shared one share the new one."""
        changed = cache(change)
        contacts = [replace(contact, volume=changed(contact.volume)) for contact in self.contacts]
        return Assembly(contacts, self.joints, self.name)

    @cached_property
    def unit_of(self) -> IntArray:
        """(k,) which contacts share one choice of a piece, counted from 0.

        Contacts without a Unit, and those of a unit of one piece only, which has no choice, count for themselves.
        """
        follows = [
            b.unit is not None and b.unit is a.unit and len(b.volume) > 1 for a, b in itertools.pairwise(self.contacts)
        ]
        return np.concatenate([[0], np.cumsum(np.logical_not(follows))]).astype(np.int64)

    @cached_property
    def layout(self) -> Layout:
        """What all queries of this assembly share, torques divided by `length`."""
        return self.build_layout(self.length)

    def build_layout(self, length: float) -> Layout:
        """Rows, bounds and shapes of (3) and (5), with torques and joint torques divided by `length` [m].

        Torques are taken about the centre of the contacts, so that the numbers do not depend on where the world's
        origin lies.
        """
        from ..solvers import Layout

        scale = 1.0 / checks.positive("length", length, unit="m")
        rows = wrench_matrix(self.positions - self._centre).reshape(6, len(self), 3)
        lower, upper, joint_rows = np.zeros(6), np.zeros(6), 0
        if self.joints is not None:
            joint_rows = len(self.joints.lower)
            rows = np.concatenate([rows, self.joints.jacobian.reshape(joint_rows, len(self), 3)])
            lower = np.concatenate([lower, self.joints.lower])
            upper = np.concatenate([upper, self.joints.upper])
        row_scale = np.concatenate([np.ones(3), np.full(3 + joint_rows, scale)])
        numbers: dict[int, int] = {}
        shape_of = np.array([numbers.setdefault(id(c.volume), len(numbers)) for c in self.contacts], dtype=np.int64)
        volumes = {id(c.volume): c.volume.polytopes for c in self.contacts}
        return Layout(
            shapes=tuple(volumes[key] for key in numbers),
            shape_of=shape_of,
            maps=np.ascontiguousarray(np.einsum("rki,kij->krj", rows, self.rotations) * row_scale[None, :, None]),
            lower=lower * row_scale,
            upper=upper * row_scale,
            row_scale=row_scale,
            unit_of=self.unit_of,
        )

    @cached_property
    def _centre(self) -> Array:
        return self.positions.mean(axis=0)

    def build(self, wrench: ArrayLike, *, length: float | None = None) -> ContactProblem:
        """The problem (3), (5), (6) for an external wrench (6,) on the object; `length` [m] scales torques."""
        layout = None if length is None else self.build_layout(length)
        return self.problem(checks.vector("wrench", wrench, 6), layout)

    def problem(self, wrench: Array, layout: Layout | None = None) -> ContactProblem:
        """`build` for a wrench (6,) that has been checked already; `layout` is the assembly's own by default."""
        layout = layout or self.layout
        (x, y, z), (fx, fy, fz, tx, ty, tz) = self._centre.tolist(), wrench.tolist()
        load = np.zeros(len(layout.lower))
        load[:6] = fx, fy, fz, tx - (y * fz - z * fy), ty - (z * fx - x * fz), tz - (x * fy - y * fx)
        load *= layout.row_scale
        return layout.under(load)

    def loads(self, wrenches: Array) -> Array:
        """(n, m) loads of `build` for external wrenches (n, 6), all at once."""
        loads = np.zeros((len(wrenches), len(self.layout.lower)))
        loads[:, :6] = wrenches
        loads[:, 3:6] -= np.cross(self._centre, wrenches[:, :3])
        return loads * self.layout.row_scale

    def outer_planes(self, multipliers: Array) -> tuple[Array, Array]:
        """(normals (n, 6), offsets (n,)) with normals . w <= offsets for every external wrench w that is held.

        From multipliers (n, m) over the scaled rows of `layout`; nan where these bound nothing. Torques are about the
        world origin, offsets in [N]. With torques about the centre of the contacts and divided by `length`, normals
        have length 1. Outer: the half-spaces are those of the hulls of the contacts' volumes.
        """
        from ..solvers.certificates import offsets_of

        sizes = np.linalg.norm(multipliers[:, :6], axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            y = multipliers / sizes[:, None]
        planes = np.full((len(y), 6), np.nan), np.full(len(y), np.nan)
        known = np.nonzero(np.isfinite(y).all(axis=1))[0]
        offsets = offsets_of(self.layout, y[known])
        known, offsets = known[np.isfinite(offsets)], offsets[np.isfinite(offsets)]
        row = -y[known, :6] * self.layout.row_scale[:6]
        planes[0][known] = np.concatenate([row[:, :3] - np.cross(row[:, 3:], self._centre), row[:, 3:]], axis=1)
        planes[1][known] = offsets
        return planes


def _check_units(contacts: Sequence[Contact]) -> None:
    """The points of a unit must follow each other and have as many pieces."""
    seen: set[Unit] = set()
    last: Contact | None = None
    for index, contact in enumerate(contacts):
        unit, where = contact.unit, f"contacts[{index}]"
        called = f"unit {unit.name!r}" if unit is not None and unit.name else "its unit"
        if last is not None and unit is not None and unit is last.unit:
            if len(contact.volume) != len(last.volume):
                raise InputError(
                    f"has {len(contact.volume)} pieces, the other points of {called} have {len(last.volume)}",
                    where=f"{where}.volume",
                    fix="give every point a share of the same volume: volume.scaled(0.25)",
                )
        elif unit is not None:
            if unit in seen:
                raise InputError(
                    f"stands apart from the other points of {called}",
                    where=where,
                    fix="list the points of a unit one after another; for a second unit use Patch.moved",
                )
            seen.add(unit)
        last = contact


def _hull(volume: ForceVolume) -> ForceVolume:
    """The convex hull of a volume as a volume of one piece."""
    hull = volume.hull()
    if len(volume) == 1:
        return volume
    return ForceVolume([hull.extreme], [hull.rays], allow_flat=True).made_of(volume)


def checked_assembly(assembly: Assembly) -> Assembly:
    """`assembly` itself; anything else is an InputError."""
    if not isinstance(assembly, Assembly):
        raise InputError(f"is a {type(assembly).__name__}", where="assembly", fix="give a holdfast.Assembly")
    return assembly

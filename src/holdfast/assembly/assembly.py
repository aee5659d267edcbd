"""Assembly: contacts and joint rows, and the matrices that every solver works on.

One object, or several bodies that touch each other and the world. Every body has six rows of balance, torques about the
centre of its own contacts; a contact between two bodies acts on one with f and on the other with -f. Loads are stacked:
six numbers per body, in the order of `Assembly.bodies`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..checks import Array, IntArray
from ..errors import InputError, UnitError, UnknownNameError
from ..force_limits.volume import ForceVolume
from ..geometry.frames import Pose, wrench_matrix
from ..jobs import fingerprint
from ..public_names import with_advice
from .contacts import WORLD, Contact, Unit
from .joints import JointRows, stacked

if TYPE_CHECKING:
    from ..solvers import ContactProblem, Layout


#: An external wrench (6,) on one object; for several bodies all of them (6 n,) or (n, 6), or by name. About the world
#: origin; see `Assembly.stacked`.
Load = ArrayLike | Mapping[str, ArrayLike]


@dataclass(frozen=True)
class Interface:
    """All contacts between the same two bodies, or between a body and the world.

    Attributes:
        body: the body that the forces act on.
        against: the body on the other side; None for the world.
        contacts: their numbers.
    """

    body: str
    against: str | None
    contacts: tuple[int, ...]

    @property
    def name(self) -> str:
        """Name used in reports."""
        return f"{self.body} on {self.against or WORLD}"


@with_advice()
@dataclass(frozen=True, eq=False)
class Assembly:
    """Contacts on one object or on several bodies, and the limits of the mechanism behind them.

    Attributes:
        contacts: the point contacts; those that share a ForceVolume object share its matrices, those that share a
            Unit object share one piece and follow each other. Either all of them name a body or none does.
        joints: rows lower <= jacobian @ f <= upper on the stacked world forces (5), or None. Rows that keep the
            pressure of units uniform are added at the end; `mechanism` is without them.
        name: used in reports.
    """

    contacts: Sequence[Contact]
    joints: JointRows | None = None
    name: str = ""

    def __post_init__(self) -> None:
        contacts = tuple(self.contacts) if isinstance(self.contacts, Sequence) else (self.contacts,)
        if not contacts:
            raise InputError("is empty", where="contacts", fix="give at least one Contact")
        for index, contact in enumerate(contacts):
            checks.instance(f"contacts[{index}]", contact, Contact, fix="give holdfast.Contact objects")
        object.__setattr__(self, "contacts", contacts)
        checks.text("name", self.name)
        _check_units(contacts)
        _check_bodies(contacts)
        reach = float(np.abs(self.positions).max())
        if reach > tolerances.LARGEST_LENGTH:
            raise UnitError(
                f"positions reach {reach:.3g} m from the origin",
                where="contacts",
                fix=f"positions are in metres, within {tolerances.LARGEST_LENGTH:g}",
            )
        if self.joints is not None:
            checks.instance("joints", self.joints, JointRows, fix="give holdfast.JointRows or None")
            if self.joints.jacobian.shape[1] != 3 * len(contacts):
                raise InputError(
                    f"has {self.joints.jacobian.shape[1]} columns for {len(contacts)} contacts",
                    where="joints.jacobian",
                    fix=f"the shape must be (rows, {3 * len(contacts)})",
                )
        object.__setattr__(self, "joints", self._with_even_rows())

    def _with_even_rows(self) -> JointRows | None:
        """The joint rows, and n . f_j / s_j = n . f_(j+1) / s_(j+1) [N m] for points j of units of uniform pressure.

        The forces are multiplied by the mean share of the unit's points and by `length`.
        """
        own = self.joints and self.joints.mechanism
        firsts, coefficients = [], []
        for unit, members in itertools.groupby(range(len(self)), lambda index: self.contacts[index].unit):
            if unit is not None and unit.pressure == "uniform":
                first, *others = members
                shares = np.array([self.contacts[index].share for index in (first, *others)])
                firsts += range(first, first + len(others))
                coefficients += itertools.pairwise(shares.mean() / shares)
        if not firsts:
            return own if own else None
        even = np.zeros((len(firsts), len(self), 3))
        for row, (first, (left, right)) in enumerate(zip(firsts, coefficients, strict=True)):
            even[row, first] = self.length * left * self.rotations[first, :, 2]
            even[row, first + 1] = -self.length * right * self.rotations[first + 1, :, 2]
        rows = JointRows(even.reshape(len(firsts), -1), np.zeros(len(firsts)), np.zeros(len(firsts)))
        if own:
            rows = stacked([own, rows])
        return replace(rows, even=len(firsts))

    @property
    def mechanism(self) -> JointRows | None:
        """The joint rows without those that keep pressures uniform, or None."""
        own = self.joints and self.joints.mechanism
        return own if own else None

    def with_free_pressure(self) -> Assembly:
        """The same with free pressure in all units: for questions in which springs or motions share the load."""
        if self.joints is None or not self.joints.even:
            return self
        units = cache(lambda unit: unit and Unit(unit.name))
        return Assembly([replace(c, unit=units(c.unit)) for c in self.contacts], self.joints, self.name)

    def __len__(self) -> int:
        return len(self.contacts)

    def __repr__(self) -> str:
        bodies = f"{len(self.bodies)} bodies, " if len(self.bodies) > 1 else ""
        rows = "" if self.mechanism is None else f", {len(self.mechanism)} joint rows"
        return f"Assembly({self.name!r}, {bodies}{len(self)} contacts{rows})"

    def __getstate__(self) -> dict[str, Any]:
        """What another process needs; matrices are computed again there."""
        return {"contacts": self.contacts, "joints": self.joints, "name": self.name}

    @cached_property
    def fingerprint(self) -> str:
        """Hash of all that answers depend on: contacts, volumes, joint rows; the same in every process.

        Suspensions, and stiffness and servo of joints, are included where they are given.
        """
        joints, elastic = self.joints, []
        rows = [] if joints is None else [joints.jacobian, joints.lower, joints.upper]
        points = [[c.position, c.rotation, c.volume.fingerprint] for c in self.contacts]
        if any(c.suspension is not None for c in self.contacts):
            springs = (c.suspension for c in self.contacts)
            elastic.append([s if s is None else [s.stiffness, s.preload, s.rule] for s in springs])
        if joints is not None and (joints.stiffness.any() or np.isfinite(joints.servo).any()):
            elastic.append([joints.stiffness, joints.servo])
        if self.bodies:
            elastic.append([self.bodies, self.sides])
        return fingerprint(points, self.unit_of, rows, *elastic)

    @cached_property
    def bodies(self) -> tuple[str, ...]:
        """Names of the bodies as they first appear in the contacts: the order of loads; () for one object."""
        named = itertools.chain.from_iterable((contact.body, contact.against) for contact in self.contacts)
        return tuple(dict.fromkeys(name for name in named if name is not None))

    @cached_property
    def body_count(self) -> int:
        """Number of bodies n; 1 for one object."""
        return len(self.bodies) or 1

    @cached_property
    def sides(self) -> IntArray:
        """(k, 2) the body that each force acts on, and the body that the opposite force acts on; -1 for the world."""
        number = {name: at for at, name in enumerate(self.bodies)} | {None: -1}
        if not self.bodies:
            return np.tile(np.array([0, -1]), (len(self), 1))
        return np.array([[number[c.body], number[c.against]] for c in self.contacts])

    @cached_property
    def interfaces(self) -> tuple[Interface, ...]:
        """The pairs of bodies that touch, as they first appear; () for one object."""
        pairs: dict[tuple[str, str | None], list[int]] = {}
        for index, contact in enumerate(self.contacts):
            if contact.body is not None:
                pairs.setdefault((contact.body, contact.against), []).append(index)
        return tuple(Interface(body, against, tuple(found)) for (body, against), found in pairs.items())

    @with_advice()
    def stacked(self, load: Load, *, name: str = "load") -> Array:
        """(6 n,) external wrenches on the bodies, one after another in the order of `bodies`; about the world origin.

        Args:
            load: (6 n,), (n, 6), or a mapping from names of bodies to wrenches (6,); others bear no load. For one
                object (6,).
            name: used in errors.
        """
        if isinstance(load, Mapping):
            result = np.zeros((self.body_count, 6))
            for body, wrench in load.items():
                if body not in self.bodies:
                    raise UnknownNameError("body", str(body), self.bodies, where=name)
                result[self.bodies.index(body)] = checks.vector(f"{name}[{body!r}]", wrench, 6)
            return result.reshape(-1)
        if not self.bodies:
            return checks.vector(name, load, 6)
        bodies, sized = self.body_count, load if isinstance(load, Sized) else ()
        given = getattr(load, "shape", None) or (len(sized),)
        if given == (bodies, 6) or given == (bodies,):
            return checks.array(name, load, (bodies, 6)).reshape(-1)
        if given != (6 * bodies,):
            first = f"{name}={{{self.bodies[0]!r}: [fx, fy, fz, tx, ty, tz], ...}}"
            fix = f"give one wrench (6,) per body, by name: {first}, or ({bodies}, 6) in the order of assembly.bodies"
            raise InputError(f"has {given[0]} numbers for {bodies} bodies", where=name, fix=fix)
        return checks.vector(name, load, 6 * bodies)

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
        """W (6 n, 3k) of (2): stacked world forces to the wrench on each body about the world origin."""
        return self._rows_about(np.zeros((self.body_count, 3))).reshape(-1, 3 * len(self))

    @cached_property
    def centres(self) -> Array:
        """(n, 3) the middle of the contacts of each body in the world [m]; the rows' torques are about it."""
        groups = [(self.sides == at).any(axis=1) for at in range(self.body_count)] if self.bodies else [slice(None)]
        owned = [self.positions[group] for group in groups]
        return np.array([own[0] + (own - own[0]).mean(axis=0) for own in owned])

    def _arms(self, points: Array, contacts: IntArray | slice = slice(None)) -> Array:
        """(n, 3) from points (n, 3) to contacts [m].

        Arms at the level of rounding of the positions are set to zero: contacts at one point have no arms about it, and
        no answer depends on their rounding.
        """
        arms = self.positions[contacts] - points
        arms[np.abs(arms) <= tolerances.UNIT_ROUNDING * np.abs(self.positions).max()] = 0.0
        return arms

    def _rows_about(self, points: Array) -> Array:
        """(6 n, k, 3) world forces to the wrenches on the bodies, torques about one point per body (n, 3)."""
        rows = np.zeros((self.body_count, 6, len(self), 3))
        for side, sign in enumerate((1.0, -1.0)):
            touching = np.nonzero(self.sides[:, side] >= 0)[0]
            body = self.sides[touching, side]
            own = wrench_matrix(self._arms(points[body], touching)).reshape(6, len(touching), 3)
            rows[body, :, touching] = sign * own.transpose(1, 0, 2)
        return rows.reshape(-1, len(self), 3)

    @cached_property
    def _body_rows(self) -> tuple[Array, IntArray]:
        """(blocks (k, t, 3), rows (k, t)): world forces to the wrenches on the one or two bodies of each contact.

        Torques are about `centres`. t is 12; a contact with the world has zeros for the second body.
        """
        first, second = self.sides[:, 0], self.sides[:, 1]
        blocks, rows = [], []
        for body, sign in ((first, 1.0), (np.where(second >= 0, second, first), np.where(second >= 0, -1.0, 0.0))):
            own = wrench_matrix(self._arms(self.centres[body])).reshape(6, len(self), 3).transpose(1, 0, 2)
            blocks.append(own * np.broadcast_to(sign, len(self))[:, None, None])
            rows.append(6 * body[:, None] + np.arange(6))
        return np.concatenate(blocks, axis=1), np.concatenate(rows, axis=1)

    def centred(self, wrenches: Array) -> Array:
        """(..., 6 n) wrenches about the world origin, with torques about `centres`."""
        parts = wrenches.reshape(*wrenches.shape[:-1], self.body_count, 6)
        torques = parts[..., 3:] - np.cross(self.centres, parts[..., :3])
        return np.concatenate([parts[..., :3], torques], axis=-1).reshape(wrenches.shape)

    def borne(self, forces: Array) -> Array:
        """(q, 6 n) wrenches on the bodies by world forces (q, k, 3), torques about `centres`."""
        found = np.zeros((self.body_count, len(forces), 6))
        for side, sign in enumerate((1.0, -1.0)):
            touching = np.nonzero(self.sides[:, side] >= 0)[0]
            body, own = self.sides[touching, side], sign * forces[:, touching]
            arms = self._arms(self.centres[body], touching)
            np.add.at(found, body, np.concatenate([own, np.cross(arms, own)], axis=2).transpose(1, 0, 2))
        return found.transpose(1, 0, 2).reshape(len(forces), -1)

    def motions_at_origin(self, multipliers: Array) -> Array:
        """(..., 6 n) velocities of the bodies' points at the world origin and angular velocities.

        From multipliers (..., 6 n) over forces and torques about `centres`: the work is the same.
        """
        parts = multipliers.reshape(*multipliers.shape[:-1], self.body_count, 6)
        forces = parts[..., :3] + np.cross(self.centres, parts[..., 3:])
        return np.concatenate([forces, parts[..., 3:]], axis=-1).reshape(multipliers.shape)

    @cached_property
    def length(self) -> float:
        """Characteristic length [m] that scales torques into forces: the root mean square reach of the contacts.

        It is taken about their centre (of several bodies: about the centre of each), or about the world origin when
        they all lie in one point.
        """
        touching, side = np.nonzero(self.sides >= 0)
        arms = self._arms(self.centres[self.sides[touching, side]], touching)
        spread = float(np.sqrt((arms**2).sum(axis=1).mean()))
        distance = float(np.linalg.norm(self.positions, axis=1).max())
        if spread > tolerances.MERGE * distance:
            return spread
        return distance if distance > 0.0 else 1.0

    @with_advice()
    def under(self, load: ArrayLike) -> Assembly:
        """The same contacts with a constant external wrench (6,) on the one object: loads of questions are added to it.

        Three more contacts represent it, whose volumes are one force each. They are placed so that the centre of the
        contacts and `length` do not change; joint rows do not depend on them.
        """
        wrench = checked_assembly(self).stacked(load)
        count, centre, length = len(self), self.centres[0], self.length
        spread = float(((self.positions - centre) ** 2).sum())  # about the centre; 0 where all contacts are one point
        radius = length if spread > 0.0 else length * math.sqrt((count + 3) / 3)
        angles = 2.0 * np.pi * np.arange(3) / 3
        points = centre + radius * np.column_stack([np.cos(angles), np.sin(angles), np.zeros(3)])
        forces = np.linalg.pinv(wrench_matrix(points)) @ wrench
        extra = [
            Contact(point, np.eye(3), ForceVolume([force[None]], allow_flat=True), f"constant load {number}")
            for number, (point, force) in enumerate(zip(points, forces.reshape(3, 3), strict=True), start=1)
        ]
        rows = self.joints and replace(self.joints, jacobian=np.pad(self.joints.jacobian, ((0, 0), (0, 9))))
        return Assembly((*self.contacts, *extra), rows, self.name)

    @with_advice()
    def moved(self, pose: Pose) -> Assembly:
        """The same assembly moved by a rigid motion; joint rows turn with their forces."""
        units = cache(lambda unit: unit and replace(unit))  # new units, in case both assemblies are combined
        contacts = [replace(c.moved(pose), unit=units(c.unit)) for c in self.contacts]
        if self.joints is None:
            return Assembly(contacts, None, self.name)
        blocks = self.joints.jacobian.reshape(-1, len(self), 3) @ pose.rotation.T
        joints = replace(self.joints, jacobian=blocks.reshape(-1, 3 * len(self)))
        return Assembly(contacts, joints, self.name)

    def hulled(self) -> Assembly:
        """The same with each contact's volume replaced by its convex hull: an outer approximation.

        Contacts that shared a volume share its hull.
        """
        return self.with_volumes(_hull)

    @with_advice()
    def with_volumes(self, change: Callable[[ForceVolume], ForceVolume]) -> Assembly:
        """The same with every volume replaced by `change` of it; contacts that shared one share the new one."""
        changed = cache(change)
        contacts = [replace(contact, volume=changed(contact.volume)) for contact in self.contacts]
        return Assembly(contacts, self.joints, self.name)

    @cached_property
    def unit_of(self) -> IntArray:
        """(k,) which contacts share one choice of a piece, counted from 0.

        Contacts without a Unit, and those of a unit of one piece only, which has no choice, are numbered individually.
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

        Torques are taken about the centre of the contacts of each body, so that the numbers do not depend on where the
        world's origin lies.
        """
        from ..solvers import Layout

        scale = 1.0 / checks.positive("length", length, unit="m")
        balance, touched = 6 * self.body_count, None
        if self.bodies:
            blocks, touched = self._body_rows
        else:
            blocks = self._rows_about(self.centres).transpose(1, 0, 2)
        lower, upper, joint_rows = np.zeros(balance), np.zeros(balance), 0
        if self.joints is not None:
            joint_rows = len(self.joints.lower)
            jacobian = self.joints.jacobian.reshape(joint_rows, len(self), 3).transpose(1, 0, 2)
            blocks = np.concatenate([blocks, jacobian], axis=1)
            if touched is not None:
                own = np.broadcast_to(balance + np.arange(joint_rows), (len(self), joint_rows))
                touched = np.concatenate([touched, own], axis=1)
            lower = np.concatenate([lower, self.joints.lower])
            upper = np.concatenate([upper, self.joints.upper])
        per_body = np.repeat([1.0, scale], 3)
        row_scale = np.concatenate([np.tile(per_body, self.body_count), np.full(joint_rows, scale)])
        scales = row_scale[None, :, None] if touched is None else row_scale[touched][:, :, None]
        numbers: dict[int, int] = {}
        shape_of = np.array([numbers.setdefault(id(c.volume), len(numbers)) for c in self.contacts], dtype=np.int64)
        volumes = {id(c.volume): c.volume.polytopes for c in self.contacts}
        return Layout(
            shapes=tuple(volumes[key] for key in numbers),
            shape_of=shape_of,
            blocks=np.ascontiguousarray(np.einsum("kri,kij->krj", blocks, self.rotations) * scales),
            lower=lower * row_scale,
            upper=upper * row_scale,
            row_scale=row_scale,
            unit_of=self.unit_of,
            balance=balance,
            touched=touched,
        )

    @with_advice()
    def build(self, wrench: Load, *, length: float | None = None) -> ContactProblem:
        """The problem (3), (5), (6) for an external load as `stacked` takes it; `length` [m] scales torques."""
        layout = None if length is None else self.build_layout(length)
        return self.problem(self.stacked(wrench, name="wrench"), layout)

    def problem(self, wrench: Array, layout: Layout | None = None) -> ContactProblem:
        """`build` for a load (6 n,) that has been checked already; `layout` is the assembly's own by default."""
        layout = layout or self.layout
        load = np.zeros(len(layout.lower))
        if self.body_count == 1:  # numpy's cross product would be slower than the rest
            (x, y, z), (fx, fy, fz, tx, ty, tz) = self._only_centre, wrench.tolist()
            load[:6] = fx, fy, fz, tx - (y * fz - z * fy), ty - (z * fx - x * fz), tz - (x * fy - y * fx)
        else:
            load[: layout.balance] = self.centred(wrench)
        load *= layout.row_scale
        return layout.under(load)

    @cached_property
    def _only_centre(self) -> list[float]:
        return self.centres[0].tolist()

    def loads(self, wrenches: Array) -> Array:
        """(q, m) loads of `build` for external loads (q, 6 n), all at once."""
        loads = np.zeros((len(wrenches), len(self.layout.lower)))
        loads[:, : self.layout.balance] = self.centred(wrenches)
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
        planes[0][known] = self.motions_at_origin(-y[known, :6] * self.layout.row_scale[:6])
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
                    f"is separated in the list from the other points of {called}",
                    where=where,
                    fix="list the points of a unit one after another; for a second unit use Patch.moved",
                )
            seen.add(unit)
        last = contact


def _check_bodies(contacts: Sequence[Contact]) -> None:
    """All contacts name a body or none does, and every body is connected to the world."""
    named = [contact.body is not None for contact in contacts]
    if not any(named):
        return
    if not all(named):
        fix = "name the body of every contact, or of none for one object"
        raise InputError("names no body, but other contacts do", where=f"contacts[{named.index(False)}].body", fix=fix)
    neighbours: dict[str | None, set[str | None]] = {None: set()}
    for contact in contacts:
        for one, other in ((contact.body, contact.against), (contact.against, contact.body)):
            neighbours.setdefault(one, set()).add(other)
    reached: set[str | None] = {None}
    waiting: list[str | None] = [None]
    while waiting:
        new = neighbours[waiting.pop()] - reached
        reached |= new
        waiting.extend(new)
    apart = [repr(name) for name in neighbours if name not in reached]
    if apart:
        what = f"{', '.join(apart)} {'is' if len(apart) == 1 else 'are'} not connected to the world"
        fix = "give one of them a contact with the world (no `against`), or with a body that is connected"
        raise InputError(what, where="contacts", fix=fix)


def _hull(volume: ForceVolume) -> ForceVolume:
    """The convex hull of a volume as a volume of one piece."""
    hull = volume.hull()
    if len(volume) == 1:
        return volume
    return ForceVolume([hull.extreme], [hull.rays], allow_flat=True).made_of(volume)


@runtime_checkable
class SceneLike(Protocol):
    """What questions accept instead of an assembly and its load: a `Scene`."""

    @property
    def assembly(self) -> Assembly:
        """Contacts and joint rows."""
        ...

    def gravity_load(self) -> Array:
        """(6 n,) the weight about the world origin."""
        ...


def asked_about(subject: Assembly | SceneLike, load: Load | None, name: str) -> tuple[Assembly, Load]:
    """(assembly, load) of a question: those given; of a scene its assembly, and its weight where no load is given.

    `name` is the name of the load in errors.
    """
    assembly = assembly_of(subject)
    if load is not None:
        return assembly, load
    if isinstance(subject, Assembly):
        fix = "give the external wrench (6,); only a scene has a load of its own, its weight"
        raise InputError("is missing", where=name, fix=fix)
    return assembly, subject.gravity_load()


def assembly_of(subject: Assembly | SceneLike) -> Assembly:
    """An assembly itself, or that of a scene; anything else raises InputError."""
    found = subject if isinstance(subject, Assembly) else getattr(subject, "assembly", None)
    if not isinstance(found, Assembly):
        fix = "give a holdfast.Assembly, or a scene: holdfast.load(path)"
        raise InputError(f"is a {type(subject).__name__}", where="assembly", fix=fix)
    return found


def checked_assembly(assembly: Assembly, *, several: bool = False) -> Assembly:
    """`assembly` itself; InputError for anything else, and for several bodies unless `several` allows them."""
    checks.instance("assembly", assembly, Assembly, fix="give a holdfast.Assembly")
    if assembly.body_count > 1 and not several:
        asked = "equilibrium, load_limit, load_ramp, slip_onset, diagnose, separation and probability take several"
        fix = f"this question takes one body; {asked}"
        raise InputError(f"has {assembly.body_count} bodies", where="assembly", fix=fix)
    return assembly

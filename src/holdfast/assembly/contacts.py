"""Contact: where a force may act on the object, in which frame, within which volume (III.A)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..checks import Array, IntArray
from ..errors import FrameError, GeometryError, InputError, UnitError
from ..files.meshes import read_mesh
from ..force_limits.models.registry import ModelSuspension, default_suspension
from ..force_limits.volume import ForceVolume
from ..geometry import frames
from ..geometry.frames import Pose
from ..public_names import with_advice
from .suspension import Suspension, suspension_shares

if TYPE_CHECKING:
    from trimesh import Trimesh

#: Name of what does not move in scenes and reports.
WORLD = "world"

#: A shear direction for all points (3,), one per point (n, 3), or a function from positions (n, 3) [m] to (n, 3).
ShearField = ArrayLike | Callable[[Array], ArrayLike]


#: How the normal forces of a unit's points may differ: not at all per area, or freely.
Pressure = Literal["uniform", "free"]


@dataclass(frozen=True, eq=False)
class Unit:
    """A measured device with several contact points, whose forces share one piece of its volume.

    The measured volume F = P_1 u P_2 u ... belongs to the unit as a whole. Its points, with shares s_j of it, bear
    forces f_j in s_j P_p with one p for all of them. Then sum_j f_j lies in P_p, hence in F, and the points still
    bear torques. Two contacts are points of the same unit when they have the same Unit object.

    With pressure="uniform" the normal forces of the points are in proportion to their shares, n . f_j / s_j equal for
    all j; an `Assembly` adds these rows. The unit then resists no bending, and its torsion and shear are those of a
    soft finger with even pressure. With "free" each point presses as it needs to.

    Attributes:
        name: used in reports.
        pressure: "uniform" or "free".
    """

    name: str = ""
    pressure: Pressure = "free"

    def __post_init__(self) -> None:
        checks.text("name", self.name)
        checks.word("pressure", self.pressure, get_args(Pressure), where="pressure")


@with_advice(
    normal="give rotation=holdfast.frame_from_normal(normal)",
    point="give position",
    mu="give volume=holdfast.models.coulomb(mu)",
)
@dataclass(frozen=True, eq=False)
class Contact:
    """A point contact.

    Attributes:
        position: (3,) point of contact in the world [m].
        rotation: (3, 3) contact frame, columns (u, v, n): shear, lateral, normal INTO the object.
        volume: admissible forces in that frame; f_world = rotation @ f_local acts on the object.
        name: used in reports.
        unit: the unit that this point belongs to, whose points share one piece; None for a single contact.
        suspension: stiffness, preload and failure rule of this point; None for the default of its model, see
            `suspension_of`. Only load sharing uses it.
        body: name of the body that the force acts on, where there are several; the normal points into it.
        against: name of the body on the other side, on which the opposite force acts; None or "world" for the world.
        share: area at this point relative to the other points of its unit; only a unit of uniform pressure uses it.
    """

    position: Array
    rotation: Array
    volume: ForceVolume
    name: str = ""
    unit: Unit | None = None
    suspension: Suspension | None = None
    body: str | None = None
    against: str | None = None
    share: float = 1.0

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
        fix = "give a ForceVolume or a model: hf.models.coulomb(0.5)"
        checks.instance("volume", self.volume, ForceVolume, fix=fix)
        checks.positive("share", self.share)
        if self.unit is not None:
            checks.instance("unit", self.unit, Unit, fix="give a holdfast.assembly.Unit")
        if self.suspension is not None:
            fix = "give holdfast.assembly.Suspension((normal, tangential)) in N/m, or None"
            checks.instance("suspension", self.suspension, Suspension, fix=fix)
        checks.text("name", self.name)
        for side in ("body", "against"):
            if getattr(self, side) is not None:
                checks.text(side, getattr(self, side))
        if self.against == WORLD:
            object.__setattr__(self, "against", None)
        if self.body == WORLD:
            fix = "name the body that the force acts on; the normal points into it, the world is on the other side"
            raise InputError(f"{WORLD!r} is reserved for what does not move", where="body", fix=fix)
        if self.against is not None and self.body is None:
            fix = "name both bodies, or only `body` for a contact with the world"
            raise InputError(f"is {self.against!r}, but the body is not named", where="against", fix=fix)
        if self.body is not None and self.body == self.against:
            fix = "a contact is between two bodies, or between a body and the world"
            raise InputError(f"body {self.body!r} touches itself", where="against", fix=fix)

    def moved(self, motion: Pose) -> Contact:
        """The contact moved by the rigid motion x -> motion x."""
        return replace(self, position=motion.apply(self.position), rotation=motion.rotation @ self.rotation)


@with_advice()
def suspension_of(contact: Contact) -> Suspension | None:
    """The suspension of a contact: its own, else the default of the model of its volume, else None.

    The default is that of the model's unit, times the share of the unit that the contact's volume is; see
    `hf.models.default_suspension`.
    """
    if contact.suspension is not None:
        return contact.suspension
    default = default_suspension(contact.volume)
    return None if default is None else _as_suspension(default)


@lru_cache(maxsize=256)
def _as_suspension(default: ModelSuspension) -> Suspension:
    return Suspension(np.array([default.normal, default.tangential]), rule=default.rule)


@with_advice()
def contacts_from_arrays(
    points: ArrayLike,
    normals: ArrayLike,
    shear: ShearField,
    volume: ForceVolume,
    *,
    fractions: ArrayLike | None = None,
    name: str = "",
    unit: Unit | None = None,
    suspension: Suspension | None = None,
) -> tuple[Contact, ...]:
    """One contact per point, from plain arrays in the world.

    Args:
        points: (n, 3) positions [m].
        normals: (n, 3) directions INTO the object; any length above zero.
        shear: the best direction of the force on the object: one (3,) for all, one per point (n, 3), or a
            function from positions (n, 3) to (n, 3); the component orthogonal to the normal is used.
        volume: admissible forces of one whole unit, in the contact frame.
        fractions: (n,) share of the unit at each point, in (0, 1]; by default each point is a whole unit.
            Points with equal shares share one ForceVolume.
        name: contacts are named name[0], name[1], ...
        unit: the unit whose points they are; by default they are single contacts.
        suspension: of one whole unit; each point has its share of stiffness and preload.
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
    springs = suspension_shares(suspension, shares)
    return tuple(Contact(x[i], rotations[i], volumes[i], _point_name(name, i), unit, springs[i]) for i in range(len(x)))


def shear_directions(shear: ShearField, positions: Array) -> Array:
    """(n, 3) shear directions at `positions` (n, 3) [m] in the world, of any length."""
    value = shear(positions) if callable(shear) else shear
    constant = len(checks.shape("shear", value)) == 1
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
    checks.instance("volume", volume, ForceVolume, fix="give a ForceVolume")
    made: list[tuple[float, ForceVolume]] = [(1.0, volume)]
    result = []
    for fraction in checks.array("fractions", fractions, ("n",)):
        share = next((v for f, v in made if abs(f - fraction) <= tolerances.MERGE * f), None)
        if share is None:
            share = volume.scaled(float(fraction))
            made.append((float(fraction), share))
        result.append(share)
    return tuple(result)


def with_shared_volumes(contacts: Sequence[Contact]) -> tuple[Contact, ...]:
    """The same contacts, with one ForceVolume object for all volumes of the same geometry and default suspension.

    Solvers keep one set of matrices per object, so that contacts made one by one cost no more than
    those of one patch.
    """
    kept: dict[Any, ForceVolume] = {}

    def shared(volume: ForceVolume) -> ForceVolume:
        return kept.setdefault((volume.fingerprint, default_suspension(volume)), volume)

    return tuple(replace(contact, volume=shared(contact.volume)) for contact in contacts)


# Patch: a unit that touches with a small surface, as points that each have a share of it (III.A, IV.C).

#: "corners", or the numbers (nx, ny) of cells along the shear and the lateral direction.
Points = Literal["corners"] | tuple[int, int]

#: Whether the points of a patch share one piece of the measured volume, or choose their pieces independently.
Corners = Literal["shared", "independent"]


class Pad(Protocol):
    """A unit made of points with the same volume, such as `hf.models.soft_finger` returns."""

    @property
    def points(self) -> Array:
        """(n, 3) positions in the pad's contact frame [m]."""
        ...

    @property
    def volume(self) -> ForceVolume:
        """Admissible forces of each single point."""
        ...


@with_advice()
@dataclass(frozen=True, eq=False)
class Patch:
    """A contact unit as a small surface, split into point contacts.

    The measured volume is that of the whole unit, so by default its points share one piece of it: see `Unit`. With
    corners="independent" each point chooses a piece of its own, as in the paper (IV.C). The points of a non-convex
    volume can then press against each other, and the unit bears forces that were never measured.

    A pad that only presses has uniform pressure by default: its points are the centroids of cells, moved away from the
    centre until their mean distance is that of the outline, and press in proportion to their areas. For one friction
    cone the torsion about the centre is then exactly mu N times the mean distance, shear is mu N, and shear with
    torsion is at most 2 % too small for a rectangle with the default points (6 % for a narrow strip), before the error
    of the cone's facets. It resists no bending. With pressure="free" the points press as they need to: the set of a
    rigid pad that may press anywhere, such as a foot. A soft pad cannot: for it the torsion is too large by 1.85 for a
    square with four corners, up to 2 for a strip, and two pads hold a weight off their axis without torsion.

    Attributes:
        contacts: the points, each with `volume.scaled(share)`; equal shares are one ForceVolume object.
        fractions: (p,) the shares of the points in the unit; positive, sum 1.
        faces: polygons (m, 3) in the world [m] that make up the surface, for pictures.
        name: used in reports; its contacts are name[0], name[1], ...
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
    @with_advice()
    def rectangle(
        pose: Pose,
        size: Sequence[float],
        volume: ForceVolume,
        *,
        points: Points | None = None,
        pressure: Pressure | None = None,
        corners: Corners = "shared",
        name: str = "",
        suspension: Suspension | None = None,
    ) -> Patch:
        """A rectangular unit centred on `pose`, whose columns are (u, v, n), n INTO the object.

        Args:
            pose: centre and contact frame in the world.
            size: (lx, ly) lengths along u and v [m].
            volume: admissible forces of the whole unit.
            points: "corners" for four points at the corners, each with a quarter of the unit (IV.C), or
                (nx, ny) for the centres of nx by ny equal cells; by default as `pressure` needs.
            pressure: "uniform" or "free", see `Patch`; by default "uniform" for a pad: a volume of one piece that only
                presses, without points="corners".
            corners: "shared" for points that share one piece, "independent" for the paper's.
            name: used in reports.
            suspension: of the whole unit; each point has its share of stiffness and preload.
        """
        lengths = checks.array("size", size, (2,))
        lx, ly = (checks.length(f"size[{axis}]", lengths[axis]) for axis in (0, 1))
        outline = np.array([[-lx, -ly], [lx, -ly], [lx, ly], [-lx, ly]]) / 2.0
        pressure, points = _pressure_and_points(pressure, points, corners, volume, (lx, ly))
        if _wants_corners(points):
            local, fractions = outline, np.full(4, 0.25)
        else:
            nx, ny = _cells(points)
            x = ((np.arange(nx) + 0.5) / nx - 0.5) * lx
            y = ((np.arange(ny) + 0.5) / ny - 0.5) * ly
            local = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
            fractions = np.full(nx * ny, 1.0 / (nx * ny))
        return _flat_patch(pose, outline, local, fractions, volume, corners, name, suspension, pressure)

    @staticmethod
    @with_advice()
    def polygon(
        pose: Pose,
        outline: ArrayLike,
        volume: ForceVolume,
        *,
        points: Points | None = None,
        pressure: Pressure | None = None,
        corners: Corners = "shared",
        name: str = "",
        suspension: Suspension | None = None,
    ) -> Patch:
        """A unit bounded by a simple polygon in the plane of `pose`.

        Args:
            pose: contact frame in the world, columns (u, v, n), n INTO the object.
            outline: (m, 2) its corners [m] along u and v from the origin of `pose`, in either sense.
            volume: admissible forces of the whole unit.
            points: "corners": a point at each corner with half the area of the two triangles that its
                sides make with the centroid (a quarter each for a rectangle); every corner must be visible from the
                centroid, as in all convex polygons. (nx, ny): the bounding box is cut into nx by ny cells, a
                point at the centroid of the polygon's part in each, with that part's share of the area.
                In both cases the shares sum to 1 and their mean position is the centroid. By default as `pressure`
                needs.
            pressure: "uniform" or "free", see `Patch`; by default as for a rectangle.
            corners: "shared" for points that share one piece, "independent" for the paper's.
            name: used in reports.
            suspension: of the whole unit; each point has its share of stiffness and preload.
        """
        from ..geometry.polygons import cell_shares, corner_shares, simple_polygon

        border = simple_polygon("outline", outline)
        pressure, points = _pressure_and_points(pressure, points, corners, volume, np.ptp(border, axis=0))
        if _wants_corners(points):
            local, fractions = border, corner_shares(border)
            if (fractions <= 0.0).any():
                raise GeometryError(
                    "some corners are not visible from the centroid and would have no area",
                    where="outline",
                    fix="use cells instead: points=(3, 3)",
                )
        else:
            local, fractions = cell_shares(border, _cells(points))
        return _flat_patch(pose, border, local, fractions, volume, corners, name, suspension, pressure)

    @staticmethod
    @with_advice()
    def of_pad(
        pose: Pose, pad: Pad, *, pressure: Pressure = "free", name: str = "", suspension: Suspension | None = None
    ) -> Patch:
        """A unit whose model is a pad of points (a soft finger, a suction cup) at `pose`, columns (u, v, n).

        Each point has the pad's volume unchanged, and an equal share; points choose pieces independently. With
        pressure="uniform" they press equally: a soft finger then resists no bending, its torsion and its shear alone
        stay, and both together are about 10 % below its ellipsoid. `suspension` is that of the whole pad.
        """
        local = checks.array("pad.points", pad.points, ("n", 3))
        if not len(local):
            raise InputError("is empty", where="pad.points", fix="give at least one point")
        fractions = np.full(len(local), 1.0 / len(local))
        unit = Unit(name, pressure) if pressure != "free" else None
        contacts = _contacts(pose, local, (pad.volume,) * len(local), name, unit, fractions)
        return Patch(contacts, fractions, (), name).suspended(suspension)

    @with_advice()
    def suspended(self, suspension: Suspension | None) -> Patch:
        """The patch with this suspension of the whole unit: each point has its share; None changes nothing."""
        if suspension is None:
            return self
        springs = suspension_shares(suspension, self.fractions)
        contacts = tuple(replace(c, suspension=own) for c, own in zip(self.contacts, springs, strict=True))
        return replace(self, contacts=contacts)

    def freed(self) -> Patch:
        """The patch with free pressure; one of uniform pressure in a plane gets its points at the corners instead."""
        first = self.contacts[0]
        if first.unit is None or first.unit.pressure == "free":
            return self
        unit = Unit(first.unit.name)
        if len(self.faces) != 1 or first.suspension is not None:
            return replace(self, contacts=tuple(replace(c, unit=unit) for c in self.contacts))
        pose = Pose(first.rotation, first.position)
        outline, volume = pose.inverse().apply(self.faces[0])[:, :2], first.volume.scaled(1.0 / self.fractions[0])
        return Patch.polygon(pose, outline, volume, pressure="free", name=self.name)

    @with_advice()
    def moved(self, motion: Pose, *, name: str | None = None) -> Patch:
        """The patch moved by the rigid motion x -> motion x, sharing its force volumes.

        A unit made once at the identity and moved to many places is one shape for the solvers.
        """
        called = self.name if name is None else name
        units = cache(lambda unit: unit and replace(unit, name=called))
        contacts = tuple(
            replace(c.moved(motion), name=_point_name(called, i), unit=units(c.unit))
            for i, c in enumerate(self.contacts)
        )
        return Patch(contacts, self.fractions, tuple(motion.apply(face) for face in self.faces), called)


def _point_name(name: str, index: int) -> str:
    return f"{name}[{index}]" if checks.text("name", name) else ""


def _wants_corners(points: Points) -> bool:
    return isinstance(points, str) and points == "corners"


def _cells(points: Points) -> tuple[int, int]:
    """(nx, ny) from the argument `points`, or an error with the allowed values."""
    if isinstance(points, str) or not isinstance(points, Sequence) or len(points) != 2:
        raise InputError(f"is {points!r}", where="points", fix='give "corners" or two numbers of cells (nx, ny)')
    return checks.count("points[0]", points[0]), checks.count("points[1]", points[1])


def _contacts(
    pose: Pose, local: Array, volumes: Sequence[ForceVolume], name: str, unit: Unit | None, shares: Array
) -> tuple[Contact, ...]:
    """Contacts at the points (p, 3) of the frame `pose`, all with its rotation."""
    return tuple(
        Contact(point, pose.rotation, volume, _point_name(name, i), unit, share=float(share))
        for i, (point, volume, share) in enumerate(zip(pose.apply(local), volumes, shares, strict=True))
    )


def _unit(corners: Corners, name: str, pressure: Pressure) -> Unit | None:
    """The unit whose points share one piece, or None where they do not."""
    if not isinstance(corners, str) or corners not in ("shared", "independent"):
        raise InputError(f"is {checks.shown(corners)}", where="corners", fix='give "shared" or "independent"')
    if corners == "independent" and pressure == "uniform":
        fix = 'give corners="shared", or pressure="free" for points that choose their own pieces'
        raise InputError("is uniform for points that are independent", where="pressure", fix=fix)
    return Unit(name, pressure) if corners == "shared" else None


def _presses(volume: ForceVolume) -> bool:
    """Whether a volume is that of a pad: one piece, which only presses."""
    return len(volume) == 1 and all((part[:, 2] >= 0.0).all() for part in (*volume.pieces, *volume.rays))


def free_pads(contacts: Sequence[Contact]) -> dict[str, float]:
    """Flat pads whose pressure is free, by name, and how many times the torsion of even pressure each carries at most.

    At most, as friction cones carry it: all pressure is where its mean distance from the centre is largest, and with
    even pressure it is that of the outline of the points.
    """
    units: dict[Unit, list[Contact]] = {}
    for contact in contacts:
        if contact.unit is not None and contact.unit.pressure == "free" and _presses(contact.volume):
            units.setdefault(contact.unit, []).append(contact)
    larger = lru_cache(_torsion_ratio)
    ratios: dict[str, float] = {}
    for unit, points in units.items():
        turn = points[0].rotation
        local = np.array([c.position - points[0].position for c in points]) @ turn
        reach = float(np.abs(local).max())
        turned = max(float(np.abs(c.rotation[:, 2] - turn[:, 2]).max()) for c in points)
        if len(points) < 3 or turned > tolerances.MERGE or np.abs(local[:, 2]).max() > tolerances.MERGE * reach:
            continue
        shares = tuple(c.share / points[0].share for c in points)
        ratio = larger(tuple(map(tuple, (local[:, :2] / reach).round(9).tolist())), shares)
        if ratio > 1.0:
            ratios[unit.name or points[0].name] = ratio
    return ratios


def _torsion_ratio(points: Sequence[Sequence[float]], shares: Sequence[float]) -> float:
    """The largest torsion of points (p, 2) that press as they need to, relative to that of an even pressure."""
    from ..geometry.polygons import convex_outline, mean_distance
    from ..linear_programs import NONNEGATIVE, minimise

    local, weights = np.array(points), np.array(shares) / np.sum(shares)
    local = local - weights @ local
    outline = convex_outline(local)
    if len(outline) < 3:
        return 0.0
    distances = np.linalg.norm(local, axis=1)
    rows = np.concatenate([local.T, np.ones((1, len(local)))])
    most = minimise(-distances, A_eq=rows, b_eq=[0.0, 0.0, 1.0], bounds=NONNEGATIVE)
    return -most.value / mean_distance(outline)


#: Points of a pad of uniform pressure along each side of a square; twice as many along a side that is much longer.
PAD_CELLS = 4


def _pressure_and_points(
    pressure: Pressure | None,
    points: Points | None,
    corners: Corners,
    volume: ForceVolume,
    size: Sequence[float] | Array,
) -> tuple[Pressure, Points]:
    """What `Patch.rectangle` and `Patch.polygon` take by default; `size` of the bounding box along u and v [m]."""
    checks.instance("volume", volume, ForceVolume, fix="give a ForceVolume or a model: hf.models.coulomb(0.5)")
    if pressure is None:
        at_corners = points is not None and _wants_corners(points)
        pressure = "uniform" if _presses(volume) and corners == "shared" and not at_corners else "free"
    if pressure != "uniform":
        return pressure, "corners" if points is None else points
    if points is None:  # cells that are nearly squares
        power = int(np.clip(np.round(np.log2(size[0] / size[1]) / 2.0), -2, 2))
        return pressure, (max(1, int(PAD_CELLS * 2.0**power)), max(1, int(PAD_CELLS * 2.0**-power)))
    if _wants_corners(points):
        fix = 'leave out points, give numbers of cells such as (4, 4), or pressure="free"'
        raise InputError("is uniform for points at the corners", where="pressure", fix=fix)
    return pressure, points


def _flat_patch(
    pose: Pose,
    outline: Array,
    local: Array,
    fractions: Array,
    volume: ForceVolume,
    corners: Corners,
    name: str,
    suspension: Suspension | None,
    pressure: Pressure,
) -> Patch:
    """The patch with points (p, 2) and border (m, 2) in the plane of `pose`."""
    from ..geometry.polygons import mean_distance

    checks.instance("pose", pose, Pose, fix="give Pose(frame_from_normal(n, shear), center)")
    if pressure == "uniform" and len(local) > 1:  # the torsion about the centre is then exact
        centre = fractions @ local
        reach = float(fractions @ np.linalg.norm(local - centre, axis=1))
        local = centre + mean_distance(outline - centre) / reach * (local - centre)

    def in_space(flat: Array) -> Array:
        return np.column_stack([flat, np.zeros(len(flat))])

    shares = volume_shares(volume, fractions)
    contacts = _contacts(pose, in_space(local), shares, name, _unit(corners, name, pressure), fractions)
    return Patch(contacts, fractions, (pose.apply(in_space(outline)),), name).suspended(suspension)


# Patches from a region of a triangle mesh: equal shares of its surface, frames from its normals.

#: A share is cut across a world axis unless its principal axis is longer by this fraction: squares stay squares.
LONGER_AXIS = 0.01

#: Least length of the mean of the unit normals in a point's share; a shorter mean is meaningless.
SHORTEST_MEAN_NORMAL = 0.5

#: Face numbers, a mask over all faces, or a function of centres (t, 3) and outward normals (t, 3) to a mask.
FaceSelection = ArrayLike | Callable[[Array, Array], ArrayLike]


@with_advice()
def patch_from_mesh(
    mesh: Trimesh | str | PathLike[str],
    volume: ForceVolume,
    *,
    points: int,
    shear: ShearField,
    pressure: Pressure = "free",
    corners: Corners = "shared",
    faces: FaceSelection | None = None,
    body: Literal["object", "gripper"] = "object",
    pose: Pose | None = None,
    scale: float = 1.0,
    name: str = "",
    suspension: Suspension | None = None,
) -> Patch:
    """A unit that touches along a region of a mesh, as `points` contacts with equal shares of its area.

    The region is halved repeatedly across its longest direction, in proportion to the points of either half;
    so every share is exactly 1/points, and all contacts share one ForceVolume. Each contact lies on the
    surface, next to the middle of its share, with the mean normal there.

    Args:
        mesh: a trimesh mesh, or a file (STL, OBJ, PLY, OFF, GLB, Collada).
        volume: admissible forces of the whole unit.
        points: number of contacts.
        shear: best direction of the force on the object, in the world: constant (3,), one per face of the
            whole mesh (f, 3), or a function from positions (n, 3) to (n, 3).
        pressure: "uniform" for equal normal forces of all points, or "free", see `Patch`.
        corners: "shared" for points that share one piece, "independent" for points that choose their own.
        faces: numbers of the faces that touch, a mask (f,) over all faces, or a function from the faces'
            centres and outward normals (f, 3), (f, 3) in the world to a mask; all faces by default.
        body: whose surface it is. The mesh's normals point out of its body: out of the object, so that the
            contact normals are flipped to point into it, or out of the gripper, into the object as they are.
        pose: of the mesh in the world, after scaling; the identity by default.
        scale: length of one unit of the mesh [m]: 0.001 for a mesh in millimetres.
        name: used in reports.
        suspension: of the whole unit; each point has its share of stiffness and preload.
    """
    count = checks.count("points", points)
    if body not in ("object", "gripper"):
        raise InputError(f"is {body!r}", where="body", fix='give "object" or "gripper": whose surface it is')
    triangles = world_triangles(mesh, scale, Pose.identity() if pose is None else pose)
    normals, areas = _normals_and_areas(triangles)
    chosen = _selected(faces, triangles.mean(axis=1), normals)
    chosen = chosen[areas[chosen] > tolerances.MERGE * areas[chosen].sum(initial=0.0)]
    if not len(chosen):
        raise GeometryError("no face with an area is selected", where="faces", fix="select at least one face")
    shares = _equal_shares(triangles[chosen], chosen, count)
    sign = -1.0 if body == "object" else 1.0
    mean_normals = sign * np.array([_mean(part, normals[parent]) for part, parent in shares])
    _check_turn(mean_normals)
    positions = np.array([_on_surface(part) for part, _ in shares])
    if not callable(shear) and len(checks.shape("shear", shear)) == 2:
        field = checks.array("shear", shear, (len(triangles), 3))
        directions = np.array([_mean(part, field[parent]) for part, parent in shares])
    else:
        directions = shear_directions(shear, positions)
    fractions = np.full(count, 1.0 / count)
    contacts = contacts_from_arrays(
        positions, mean_normals, directions, volume, fractions=fractions, name=name, unit=_unit(corners, name, pressure)
    )
    return Patch(contacts, fractions, tuple(triangles[chosen]), name).suspended(suspension)


def world_triangles(mesh: Any, scale: float, pose: Pose) -> Array:
    """(f, 3, 3) corners of all faces in the world [m]."""
    scale = checks.positive("scale", scale)
    where = "mesh"
    if isinstance(mesh, (str, PathLike)):
        where = str(mesh)
        mesh = read_mesh(mesh)
    if not hasattr(mesh, "vertices") or not hasattr(mesh, "faces"):
        raise InputError(f"is a {type(mesh).__name__}", where=where, fix="give a trimesh.Trimesh or a file")
    if not len(mesh.faces):
        raise GeometryError("has no faces", where=where, fix="give a surface of triangles, not points or lines")
    vertices = scale * checks.array("mesh.vertices", mesh.vertices, ("n", 3))
    used = vertices[np.asarray(mesh.faces)]
    checks.length("extent of the mesh", float(np.ptp(used.reshape(-1, 3), axis=0).max()))
    return pose.apply(used)


def _normals_and_areas(corners: Array) -> tuple[Array, Array]:
    """Unit outward normals (f, 3), zero where degenerate, and areas (f,) [m^2] of triangles (f, 3, 3)."""
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(cross, axis=1)
    return cross / np.where(length > 0.0, length, 1.0)[:, None], 0.5 * length


def _selected(faces: FaceSelection | None, centres: Array, normals: Array) -> IntArray:
    """Numbers of the chosen faces, ascending."""
    total = len(centres)
    if faces is None:
        return np.arange(total)
    value = np.asarray(faces(centres, normals) if callable(faces) else faces)
    if value.dtype == bool:
        if value.shape != (total,):
            raise InputError(
                f"is a mask of shape {value.shape}", where="faces", fix=f"give one entry per face: ({total},)"
            )
        return np.nonzero(value)[0]
    if value.ndim != 1 or (value.size and not np.issubdtype(value.dtype, np.integer)):
        raise InputError("is neither face numbers nor a mask", where="faces", fix="give whole numbers or booleans")
    if value.size and (value.min() < 0 or value.max() >= total):
        raise InputError(
            f"has numbers from {value.min()} to {value.max()}",
            where="faces",
            fix=f"faces are numbered 0 to {total - 1}",
        )
    return np.unique(value).astype(int)


def _equal_shares(corners: Array, parent: Any, count: int) -> list[tuple[Array, Any]]:
    """`count` parts of equal area of triangles (t, 3, 3): (triangles (s, 3, 3), parents (s,)) of each."""
    result: list[tuple[Array, Any]] = []
    waiting = [(corners, parent, count, np.zeros(3))]
    while waiting:
        triangles, owner, points, last = waiting.pop()
        if points == 1:
            result.append((triangles, owner))
            continue
        axis = _long_axis(triangles, last)
        heights = triangles @ axis  # (t, 3)
        lower = points // 2
        heights = heights - _level(heights, _normals_and_areas(triangles)[1], lower / points)
        below, below_owner = _cut(triangles, owner, heights)
        above, above_owner = _cut(triangles, owner, -heights)
        waiting += [(above, above_owner, points - lower, axis), (below, below_owner, lower, axis)]
    return result


def _mean(triangles: Array, values: Array) -> Array:
    """Mean of `values` (t, 3), weighted by the areas of triangles (t, 3, 3)."""
    areas = _normals_and_areas(triangles)[1]
    return areas @ values / areas.sum()


def _long_axis(triangles: Array, last: Array) -> Array:
    """(3,) unit direction in which the surface is longest; among equals the one most orthogonal to `last`."""
    centres, areas = triangles.mean(axis=1), _normals_and_areas(triangles)[1]
    offsets = triangles - areas @ centres / areas.sum()
    sums = offsets.sum(axis=1)
    # Second moment of a triangle: A / 12 (sum over the corners of x x^T, + s s^T), s the sum of the corners.
    moment = np.einsum("t,tci,tcj->ij", areas, offsets, offsets) + np.einsum("t,ti,tj->ij", areas, sums, sums)
    spread, axes = np.linalg.eigh(moment)
    long_enough = np.diag(moment) * (1.0 + LONGER_AXIS) ** 2 >= spread[-1]
    if long_enough.any():
        return np.eye(3)[np.argmin(np.where(long_enough, np.abs(last), np.inf))]
    axis = axes[:, -1]
    return axis * (1.0 if axis[np.argmax(np.abs(axis))] > 0.0 else -1.0)  # the same on every machine


def _level(heights: Array, areas: Array, share: float) -> float:
    """The height below which `share` of the area of triangles with corner heights (t, 3) lies."""
    h0, h1, h2 = np.sort(heights, axis=1).T
    low, high = float(h0.min()), float(h2.max())
    tiny = np.finfo(float).tiny
    while low < (middle := 0.5 * (low + high)) < high:
        rising = (middle - h0) ** 2 / np.maximum((h1 - h0) * (h2 - h0), tiny)
        falling = 1.0 - (h2 - middle) ** 2 / np.maximum((h2 - h0) * (h2 - h1), tiny)
        part = np.where(middle <= h0, 0.0, np.where(middle >= h2, 1.0, np.where(middle < h1, rising, falling)))
        if areas @ part < share * areas.sum():
            low = middle
        else:
            high = middle
    return high


def _cut(triangles: Array, owner: Any, heights: Array) -> tuple[Array, Any]:
    """The parts of triangles (t, 3, 3) with heights (t, 3) <= 0 as triangles, and whose parts they are."""
    parts: list[Array] = []
    owners: list[int] = []
    for corners, level, own in zip(triangles, heights, owner, strict=True):
        if (level >= 0.0).all():
            continue
        border: list[Array] = []
        for i in range(3):
            j = (i + 1) % 3
            if level[i] <= 0.0:
                border.append(corners[i])
            if (level[i] < 0.0 < level[j]) or (level[j] < 0.0 < level[i]):
                border.append(corners[i] + level[i] / (level[i] - level[j]) * (corners[j] - corners[i]))
        parts += [np.stack([border[0], border[i], border[i + 1]]) for i in range(1, len(border) - 1)]
        owners += [int(own)] * (len(border) - 2)
    return np.array(parts), np.array(owners)


def _check_turn(mean_normals: Array) -> None:
    lengths = np.linalg.norm(mean_normals, axis=1)
    if lengths.min() < SHORTEST_MEAN_NORMAL:
        raise GeometryError(
            f"the surface turns too far within the share of point {int(np.argmin(lengths))}",
            where="faces",
            fix="select a flatter region, or use more points",
        )


def _on_surface(triangles: Array) -> Array:
    """The point of the surface nearest to its centroid (3,)."""
    mean = _mean(triangles, triangles.mean(axis=1))
    starts = triangles.reshape(-1, 3)
    sides = (np.roll(triangles, -1, axis=1) - triangles).reshape(-1, 3)
    lengths = np.maximum(np.einsum("si,si->s", sides, sides), np.finfo(float).tiny)
    along = np.clip(np.einsum("si,si->s", mean - starts, sides) / lengths, 0.0, 1.0)
    candidates = starts + along[:, None] * sides  # nearest on every side
    normals, _ = _normals_and_areas(triangles)
    heights = np.einsum("ti,ti->t", mean - triangles[:, 0], normals)
    feet = mean - heights[:, None] * normals  # nearest on every plane; used where it lies inside the triangle
    turns = np.cross(np.roll(triangles, -1, axis=1) - triangles, feet[:, None, :] - triangles)
    inside = (np.einsum("tci,ti->tc", turns, normals) >= 0.0).all(axis=1)
    candidates = np.concatenate([feet[inside], candidates])
    return candidates[np.argmin(np.linalg.norm(candidates - mean, axis=1))]

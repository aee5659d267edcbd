"""Suspensions, joints and fingers in scene files; units are SI, vectors in the world."""

# The unions below are built at run time, which a type checker cannot follow.
# pyright: reportInvalidTypeForm=false

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, model_validator

from .. import checks
from ..checks import Array, check_size
from ..errors import FrameError, UnknownNameError
from ..files.schema import (
    PRESSURE,
    Bound,
    Length,
    Name,
    NotNegative,
    Number,
    Part,
    Points,
    Positive,
    Pressure,
    Vector,
    by_field,
    by_type,
    complaint,
)
from ..files.yaml_source import Site
from ..force_limits.files import Suspended, SuspensionPart, Volumes
from ..geometry.frames import Pose, frame_from_normal
from .contacts import Contact, Patch
from .joints import Joint, JointRows, PlanarFinger, joint_rows, stacked
from .suspension import Suspension, stiffness_matrix

# -- size ----------------------------------------------------------------------------------------------

#: Most contacts of a file, most corners and edges of their force volumes together, and most numbers in joint rows and
#: loads. A file of a few hundred bytes can ask for any number of them, by cells of patches and by aliases.
MOST_CONTACTS, MOST_CORNERS, MOST_NUMBERS = 10_000, 1_000_000, 10_000_000


def cells(points: Any) -> int:
    """How many points the field `points` of a unit asks for: numbers of cells, a number, or corners."""
    return math.prod(points) if isinstance(points, list) else points if isinstance(points, int) else 4


# -- suspensions ---------------------------------------------------------------------------------------


class Suspensions:
    """The suspensions of one file: those of its volumes by name, and those of other entries that replace them."""

    def __init__(self, volumes: Mapping[str, Part], site: Site) -> None:
        parts = {name: part.suspension for name, part in volumes.items() if isinstance(part, Suspended)}
        self._made = {
            name: build_suspension(part, site / name / "suspension") for name, part in parts.items() if part is not None
        }

    def of_unit(self, part: Suspended, volume: str | None, site: Site, scale: float = 1.0) -> Suspension | None:
        """That of an entry: its own for the whole unit, else `scale` times that of its volume; None without either."""
        if part.suspension is not None:
            return build_suspension(part.suspension, site / "suspension")
        found = self._made.get(volume or "")
        return found if found is None or scale == 1.0 else found.scaled(scale)


def build_suspension(part: SuspensionPart, site: Site) -> Suspension:
    """The suspension that an entry describes; faults name its line."""
    with site.watch():
        if part.matrix is not None:
            return Suspension(stiffness_matrix("matrix", part.matrix), np.array(part.preload), part.rule)
        across = part.tangential if part.across is None else part.across
        diagonal = np.array([part.tangential, across, part.normal])
        return Suspension(diagonal, np.array(part.preload), part.rule)
    raise AssertionError("unreachable")  # pragma: no cover - watch() re-raises every error


def suspension_data(suspension: Suspension) -> dict[str, Any]:
    """The suspension as plain numbers, as in a file."""
    stiffness, data = suspension.stiffness, {}
    if np.array_equal(stiffness, np.diag(np.diag(stiffness))):
        along, across, normal = np.diag(stiffness).tolist()
        data = {"normal": normal, "tangential": along} | ({} if across == along else {"across": across})
    else:
        data["matrix"] = stiffness.tolist()
    if suspension.preload.any():
        shear = suspension.preload[:2].any()
        data["preload"] = suspension.preload.tolist() if shear else float(suspension.preload[2])
    return data | {"rule": suspension.rule}


# -- joints and fingers --------------------------------------------------------------------------------


class JointPart(Part):
    """Actuator, friction and spring of a joint; a hinge in N m and rad, a slide in N and m. By default it is free."""

    torque: NotNegative | None = Field(None, description="largest torque (force) of the actuator in both directions")
    torque_min: Bound | None = Field(None, description="least torque of the actuator, if it differs from -torque")
    torque_max: Bound | None = Field(None, description="largest torque of the actuator")
    friction: NotNegative = Field(0.0, description="largest torque of static friction in both directions")
    stiffness: NotNegative = Field(0.0, description="stiffness of a spring [N m/rad, N/m]")
    rest: Number = Field(0.0, description="coordinate at which the spring gives the preload alone [rad, m]")
    preload: Number = Field(0.0, description="torque of the spring at rest")
    servo: Positive | None = Field(None, description="stiffness with which it holds its position; rigid by default")

    @model_validator(mode="after")
    def _one_torque(self) -> JointPart:
        if self.torque is not None and (self.torque_min is not None or self.torque_max is not None):
            raise complaint("has two torque limits", "give torque, or torque_min and torque_max")
        return self


class LineJoint(JointPart):
    """Fields of hinges and slides."""

    name: str = Field("", max_length=100, description="name used in reports")
    axis: Vector = Field(description="direction, of any length")
    contacts: list[Name] = Field(min_length=1, description="names of the contacts and patches that this joint moves")
    coordinate: Number = Field(0.0, description="position of the joint [rad, m]")


class HingePart(LineJoint):
    """A revolute joint: it turns the contacts named about a line."""

    kind: Literal["hinge"]
    through: Vector = Field(description="a point of the axis [m]")


class SlidePart(LineJoint):
    """A prismatic joint: it shifts the contacts named along a direction."""

    kind: Literal["slide"]


class RowPart(Part):
    """A row given by its numbers: lower <= sum of jacobian[i] . f_i + gravity . g <= upper, f_i on the object (5)."""

    kind: Literal["row"]
    name: str = Field("", max_length=100, description="name used in reports")
    jacobian: list[Vector] = Field(min_length=1, description="three numbers per contact, in the order of the contacts")
    lower: Bound = Field(description="[N m, N]; -.inf for none")
    upper: Bound = Field(description="[N m, N]; .inf for none")
    stiffness: NotNegative = Field(0.0, description="stiffness of a spring [N m/rad, N/m], for load sharing")
    servo: Positive | None = Field(None, description="stiffness with which it holds its position; rigid by default")
    gravity: Vector = Field(
        [0.0, 0.0, 0.0], description="added by gravity [m/s^2] on the links: the row of G(q) [kg m]"
    )


JointChoice = by_field("kind", {"hinge": HingePart, "slide": SlidePart, "row": RowPart}, "joint")


FingerJoints = by_type(
    (dict, JointPart), (list, list[JointPart]), fix="give one joint for all, or a list with one per phalanx"
)


class UnitPart(Suspended):
    """A rectangular unit under a phalanx of a finger."""

    phalanx: Annotated[int, Field(ge=0, description="number of the phalanx, 0 at the base")]
    size: Annotated[list[Length], Field(min_length=2, max_length=2, description="along the phalanx and across [m]")]
    offset: Number = Field(description="from the line of joints to the surface of contact [m]")
    along: Number | None = Field(None, description="from the phalanx's joint, along it [m]; halfway by default")
    volume: Name = Field(description="name in volumes: the volume of the whole unit")
    scale: Positive = Field(1.0, description="strength of the whole unit, as a multiple of the volume")
    points: Points | None = Field(
        None, description="corners (default), or numbers of cells along the phalanx and across: [2, 3]"
    )
    pressure: Pressure = Field("free", description=PRESSURE)
    corners: Literal["shared", "independent"] = Field(
        "shared", description="whether its points share one piece of the volume, or choose independently"
    )


class FingerPart(Part):
    """A planar finger: phalanges in a row on parallel hinges, with units that touch."""

    name: Name = Field(description="name used in reports")
    position: Vector = Field(description="first joint [m]")
    along: Vector = Field(description="direction of the straight finger, from its base to its tip")
    away: Vector = Field(description="direction away from the object, on the back of the finger")
    lengths: list[Length] = Field(min_length=1, max_length=100, description="of the phalanges, from the base [m]")
    angles: list[Number] = Field(
        description="of the joints, relative to the previous phalanx, towards the object [rad]"
    )
    masses: list[NotNegative] | None = Field(None, description="masses of the phalanges [kg]; zero by default")
    coms: list[Annotated[list[Number], Field(min_length=2, max_length=2)]] | None = Field(
        None, description="centres of mass: along the phalanx and away from the object [m]; halfway by default"
    )
    joints: FingerJoints = Field(description="one for all joints, or a list with one per phalanx")
    units: list[UnitPart] = Field(min_length=1, description="units that touch the object")
    body: Name | None = Field(None, description="the body that it touches, where there are several")


# Joints of a scene file as rows on the contact forces: hinges, slides, rows by their numbers, planar fingers.


class NamedContacts:
    """The contacts of a scene in order, and the contacts of each name."""

    def __init__(self) -> None:
        self.contacts: list[Contact] = []
        self.faces: list[Array] = []
        self._numbers: dict[str, list[int]] = {}
        self._corners = 0

    def add(self, name: str, contacts: Sequence[Contact], faces: Sequence[Array] = ()) -> None:
        """Add contacts under `name`, in addition to others of that name; "" means no name."""
        first = len(self.contacts)
        self._corners += sum(len(p.vertices) + len(p.rays) for contact in contacts for p in contact.volume.polytopes)
        check_size("contacts", first + len(contacts), MOST_CONTACTS)
        check_size("corners and edges of force volumes", self._corners, MOST_CORNERS)
        self.contacts += contacts
        self.faces += faces
        if name:
            self._numbers.setdefault(name, []).extend(range(first, len(self.contacts)))

    def numbers(self, names: Sequence[str], site: Site) -> list[int]:
        """Numbers of all contacts that have one of `names`."""
        found: list[int] = []
        for place, name in enumerate(names):
            if name not in self._numbers:
                error = UnknownNameError("contact or patch", name, self._numbers)
                raise (site / place).fault(error.what, fix=error.fix)
            found += self._numbers[name]
        return sorted(set(found))


@dataclass(frozen=True, eq=False)
class WeighedRows:
    """Joint rows without the weight of their links, and that weight: G(q) = weight @ gravity, (r, 3)."""

    rows: JointRows
    weight: Array


def build_joint(part: HingePart | SlidePart | RowPart, touching: NamedContacts, site: Site) -> WeighedRows:
    """One entry of `joints`."""
    total = len(touching.contacts)
    with site.watch():
        if isinstance(part, RowPart):
            jacobian = checks.array("jacobian", part.jacobian, (total, 3)).reshape(1, -1)
            names = (part.name,) if part.name else ()
            springs = np.array([part.stiffness]), np.array([np.inf if part.servo is None else part.servo])
            rows = JointRows(jacobian, np.array([part.lower]), np.array([part.upper]), names, *springs)
            return WeighedRows(rows, np.array([part.gravity]))
        axis = checks.direction("axis", part.axis, 3)
        jacobian = np.zeros((1, total, 3))
        for number in touching.numbers(part.contacts, site / "contacts"):
            moves = axis  # velocity of the contact for one unit of the coordinate
            if isinstance(part, HingePart):
                moves = np.cross(axis, touching.contacts[number].position - np.array(part.through))
            jacobian[0, number] = moves
        rows = joint_rows([_joint(part, part.name)], [part.coordinate], jacobian.reshape(1, -1))
    return WeighedRows(rows, np.zeros((1, 3)))


def build_finger(
    part: FingerPart, volumes: Volumes, suspensions: Suspensions, touching: NamedContacts, site: Site
) -> tuple[WeighedRows, Array]:
    """One entry of `fingers`: its contacts go to `touching`; its rows, and its joints (n + 1, 3) for pictures."""
    with site.watch():
        finger = PlanarFinger(
            base=Pose(_finger_frame(part, site), np.array(part.position)),
            lengths=np.array(part.lengths),
            angles=np.array(part.angles),
            masses=np.array(part.masses or ()),
            coms=np.array(part.coms or ()).reshape(-1, 2),
        )
        phalanges: list[int] = []
        contacts: list[Contact] = []
        faces: list[Array] = []
        for number, unit in enumerate(part.units):
            with (here := site / "units" / number).watch():
                volume = volumes.force_volume(unit.volume, here / "volume", unit.scale)
                pose = finger.contact_pose(unit.phalanx, offset=unit.offset, along=unit.along)
                cells: Any = tuple(unit.points) if isinstance(unit.points, list) else unit.points
                options: Any = {"points": cells, "pressure": unit.pressure, "corners": unit.corners}
                name = f"{part.name} {number}"
                patch = Patch.rectangle(pose, unit.size, volume, name=name, **options)
                patch = patch.suspended(suspensions.of_unit(unit, unit.volume, here, unit.scale))
                contacts += patch.contacts
                faces += patch.faces
                phalanges += [unit.phalanx] * len(patch)
        before = len(touching.contacts)
        touching.add(part.name, contacts, faces)
        jacobian = finger.rows_jacobian(phalanges, [contact.position for contact in contacts])
        rows = joint_rows(_finger_joints(part, len(finger), site), finger.angles, jacobian).padded(before=before)
    return WeighedRows(rows, finger.gravity_matrix), finger.joint_positions


def stack(rows: Sequence[WeighedRows], total: int, gravity: Array) -> tuple[JointRows | None, Array]:
    """All rows for `total` contacts under `gravity` (3,) [m/s^2], and the weight of their links (r, 3)."""
    if not rows:
        return None, np.zeros((0, 3))
    wide = stacked([part.rows.padded(after=total - part.rows.contacts) for part in rows])
    weight = np.concatenate([part.weight for part in rows])
    shift = weight @ gravity  # G(q) is on the other side of (5)
    return wide.shifted(-shift), weight


def _joint(part: JointPart, name: str) -> Joint:
    low, high = part.torque_min or 0.0, part.torque_max or 0.0
    if part.torque is not None:
        low, high = -part.torque, part.torque
    servo = np.inf if part.servo is None else part.servo
    return Joint(name, low, high, part.friction, part.stiffness, part.rest, part.preload, servo)


def _finger_joints(part: FingerPart, count: int, site: Site) -> list[Joint]:
    parts = part.joints if isinstance(part.joints, list) else [part.joints] * count
    if len(parts) != count:
        what = f"has {len(parts)} entries for {count} phalanges"
        raise (site / "joints").fault(what, fix="give one joint per phalanx, or one for all")
    return [_joint(joint, f"{part.name} {number}") for number, joint in enumerate(parts)]


def _finger_frame(part: FingerPart, site: Site) -> Array:
    """Columns: along the straight finger, the joint axis, away from the object."""
    away, along = checks.direction("away", part.away, 3), checks.direction("along", part.along, 3)
    try:
        return frame_from_normal(away, along)
    except FrameError:
        raise (site / "away").fault(
            "is parallel to along", fix="give the direction on the back of the finger"
        ) from None

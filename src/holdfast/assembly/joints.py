"""Joint rows: limits of joint torques as linear bounds on the contact forces (4), (5).

Contact forces f_i act ON THE OBJECT; -f_i acts on the robot. With G(q) the generalised gravity vector (the
gradient of the links' potential energy) the joint torques are, by virtual work on the robot,

    tau = G(q) + sum_i J_i(q)^T f_i.                                                              (4)

tau is the sum of the torques of actuator, spring and friction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..checks import Array
from ..errors import InputError, UnitError
from ..geometry.frames import Pose, rotation_about
from ..public_names import with_advice


@with_advice(torque_min="give lower", torque_max="give upper")
@dataclass(frozen=True, eq=False)
class JointRows:
    """Bounds lower <= jacobian @ f <= upper on the stacked world forces f (3k,) on the object.

    Attributes:
        jacobian: (r, 3k) blocks J_i^T (r, 3), one per contact [m for a hinge, 1 for a slide].
        lower: (r,) least value of each row [N m, N for a slide]; -inf for none.
        upper: (r,) largest value of each row; inf for none.
        names: (r,) names of the rows in reports; () for none.
        stiffness: (r,) of the springs in parallel, >= 0 [N m/rad, N/m]; zero by default. Only load sharing uses it.
        servo: (r,) stiffness with which each joint holds its position within its bounds, > 0; inf by default: rigid.
            Only load sharing uses it.
        even: number of the last rows that are no joints: an `Assembly` adds them for units of uniform pressure.
    """

    jacobian: Array
    lower: Array
    upper: Array
    names: tuple[str, ...] = ()
    stiffness: Array = field(default_factory=lambda: np.zeros(0))
    servo: Array = field(default_factory=lambda: np.zeros(0))
    even: int = 0

    def __post_init__(self) -> None:
        jacobian = checks.array("jacobian", self.jacobian, ("r", "c"))
        rows, columns = jacobian.shape
        if columns % 3:
            raise InputError(f"has {columns} columns", where="jacobian", fix="give three columns per contact: (r, 3k)")
        lower = checks.array("lower", self.lower, (rows,), infinite=True)
        upper = checks.array("upper", self.upper, (rows,), infinite=True)
        names = checks.texts("names", self.names)
        if names and len(names) != rows:
            raise InputError(f"has {len(names)} entries for {rows} rows", where="names", fix="name every row or none")
        for row in range(rows):
            place = f"row {row} ({names[row]})" if names else f"row {row}"
            if lower[row] > upper[row]:
                raise InputError(
                    f"lower {lower[row]:g} is above upper {upper[row]:g}", where=place, fix="exchange the two limits"
                )
            if lower[row] == np.inf or upper[row] == -np.inf:
                raise InputError(
                    f"[{lower[row]:g}, {upper[row]:g}] has no finite value",
                    where=place,
                    fix="use -inf for no lower and inf for no upper limit",
                )
        stiffness = self._per_row("stiffness", self.stiffness, rows, 0.0)
        servo = self._per_row("servo", self.servo, rows, np.inf)
        for name, values, allowed, fix in (
            ("stiffness", stiffness, (stiffness >= 0.0) & (stiffness < np.inf), "give 0 or more, finite"),
            ("servo", servo, servo > 0.0, "give a number above 0, inf for a rigid joint"),
        ):
            if not allowed.all():
                row = int(np.argmin(allowed))
                place = f"{name}[{row}]" + (f" ({names[row]})" if names else "")
                raise InputError(f"is {values[row]:g}", where=place, fix=fix)
        if checks.count("even", self.even, low=0) > rows:
            fix = "leave it out: an Assembly counts the rows that it adds"
            raise InputError(f"is {self.even} of {rows} rows", where="even", fix=fix)
        fields = {"jacobian": jacobian, "lower": lower, "upper": upper, "names": names}
        for name, value in {**fields, "stiffness": stiffness, "servo": servo}.items():
            object.__setattr__(self, name, value)

    @staticmethod
    def _per_row(name: str, given: Array | None, rows: int, default: float) -> Array:
        """(r,) values, the default for all where nothing is given."""
        if given is None or 0 in checks.shape(name, given):
            return np.full(rows, default)
        return checks.array(name, given, (rows,), infinite=True)

    def __len__(self) -> int:
        return len(self.lower)

    @property
    def mechanism(self) -> JointRows:
        """The rows of the joints alone, without those that keep pressures uniform."""
        if not self.even:
            return self
        own = slice(len(self) - self.even)
        bounds, springs = (self.lower[own], self.upper[own]), (self.stiffness[own], self.servo[own])
        return JointRows(self.jacobian[own], *bounds, self.names[own], *springs)

    @property
    def contacts(self) -> int:
        """Number of contacts k."""
        return self.jacobian.shape[1] // 3

    def values(self, forces: ArrayLike) -> Array:
        """(r,) value of each row for world forces (k, 3) on the object."""
        return self.jacobian @ checks.array("forces", forces, (self.contacts, 3)).ravel()

    def padded(self, *, before: int = 0, after: int = 0) -> JointRows:
        """The same rows among more contacts, which do not load these joints (zero blocks)."""
        before, after = checks.count("before", before, low=0), checks.count("after", after, low=0)
        wide = np.pad(self.jacobian, ((0, 0), (3 * before, 3 * after)))
        return replace(self, jacobian=wide)

    def shifted(self, shift: ArrayLike) -> JointRows:
        """The same rows with `shift` (r,) added to both bounds: a spring, or the weight of the links."""
        added = checks.array("shift", shift, (len(self),))
        return replace(self, lower=self.lower + added, upper=self.upper + added)


def stacked(rows: Sequence[JointRows]) -> JointRows:
    """Rows of several mechanisms on the same k contacts, one below the other."""
    parts = _parts(rows)
    counts = sorted({part.contacts for part in parts})
    if len(counts) > 1:
        raise InputError(
            f"are for {', '.join(map(str, counts))} contacts", where="rows", fix="widen them first: rows.padded(...)"
        )
    return JointRows(
        np.concatenate([part.jacobian for part in parts]),
        np.concatenate([part.lower for part in parts]),
        np.concatenate([part.upper for part in parts]),
        _names(parts),
        np.concatenate([part.stiffness for part in parts]),
        np.concatenate([part.servo for part in parts]),
    )


def side_by_side(rows: Sequence[JointRows]) -> JointRows:
    """Rows of several fingers, each with contacts of its own, for the contacts in the same order."""
    parts = _parts(rows)
    total = sum(part.contacts for part in parts)
    widened, done = [], 0
    for part in parts:
        widened.append(part.padded(before=done, after=total - done - part.contacts))
        done += part.contacts
    return stacked(widened)


def _parts(rows: Sequence[JointRows]) -> tuple[JointRows, ...]:
    checks.iterable("rows", rows, fix="give at least one JointRows")
    parts = tuple(rows)
    if not parts or not all(isinstance(part, JointRows) for part in parts):
        raise InputError("is not a list of JointRows", where="rows", fix="give at least one JointRows")
    return tuple(part.mechanism for part in parts)


def _names(parts: tuple[JointRows, ...]) -> tuple[str, ...]:
    """All names in order; rows without a name get their number when others have one."""
    if not any(part.names for part in parts):
        return ()
    found = [name for part in parts for name in (part.names or ("",) * len(part))]
    return tuple(name or f"row {index}" for index, name in enumerate(found))


@dataclass(frozen=True)
class Joint:
    """Actuator, friction and spring of a joint; a hinge in N m and rad, a slide in N and m.

    The defaults are a free joint: no actuator, no friction, no spring.

    Attributes:
        name: used in reports.
        torque_min: least torque of the actuator [N m, N]; -inf for none.
        torque_max: largest torque of the actuator; inf for none.
        friction: largest torque of static friction, in either sense, >= 0.
        stiffness: of the spring, >= 0 [N m/rad, N/m].
        rest: coordinate at which the spring gives the preload alone [rad, m].
        preload: torque of the spring at rest, in the positive sense of the joint [N m, N].
        servo: stiffness with which actuator and friction hold the position [N m/rad, N/m]; inf for a rigid joint. Only
            load sharing uses it.
    """

    name: str = ""
    torque_min: float = 0.0
    torque_max: float = 0.0
    friction: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    preload: float = 0.0
    servo: float = np.inf

    def __post_init__(self) -> None:
        prefix = f"{self.name}." if checks.text("name", self.name) else ""
        low, high = checks.array(
            f"{prefix}(torque_min, torque_max)", (self.torque_min, self.torque_max), (2,), infinite=True
        )
        if low > high or low == np.inf or high == -np.inf:
            raise InputError(
                f"is {low:g} with torque_max {high:g}", where=f"{prefix}torque_min", fix="exchange the two limits"
            )
        checks.number(f"{prefix}friction", self.friction, low=0.0)
        checks.number(f"{prefix}stiffness", self.stiffness, low=0.0)
        checks.number(f"{prefix}rest", self.rest)
        checks.number(f"{prefix}preload", self.preload)
        checks.positive(f"{prefix}servo", self.servo, infinite=True)

    @staticmethod
    def passive(name: str = "", *, friction: float = 0.0) -> Joint:
        """A joint that only its friction holds."""
        return Joint(name, friction=friction)

    @staticmethod
    def motor(name: str = "", *, torque: float, friction: float = 0.0) -> Joint:
        """A joint whose actuator gives up to `torque` in either sense."""
        return Joint(name, -torque, torque, friction=friction)

    def spring_torque(self, coordinate: float) -> float:
        """Torque of the spring at `coordinate`: preload - stiffness (coordinate - rest)."""
        return self.preload - self.stiffness * (coordinate - self.rest)


@with_advice()
def joint_rows(
    joints: Sequence[Joint], coordinates: ArrayLike, jacobian: ArrayLike, gravity_torque: ArrayLike | None = None
) -> JointRows:
    """The rows (5) of `joints` at their `coordinates`.

    With tau = actuator + spring + friction in (4), actuator in [torque_min, torque_max] and friction in
    [-friction, friction]:

        torque_min + spring - friction - G(q) <= sum_i J_i^T f_i <= torque_max + spring + friction - G(q).

    Friction widens the bounds; springs, preload and gravity shift them. Stiffness and servo of the joints are copied.

    Args:
        joints: the joints, in the order of the rows.
        coordinates: (r,) their positions [rad, m].
        jacobian: (r, 3k) blocks J_i^T: torque of each joint for a world force on the object at each contact.
        gravity_torque: (r,) G(q) [N m, N]: the torques that hold the links up; zero by default.
    """
    checks.iterable("joints", joints, fix="give at least one Joint")
    parts = tuple(joints)
    if not parts or not all(isinstance(joint, Joint) for joint in parts):
        raise InputError("is not a list of Joint", where="joints", fix="give at least one Joint")
    q = checks.array("coordinates", coordinates, (len(parts),))
    blocks = checks.array("jacobian", jacobian, (len(parts), "c"))
    gravity = np.zeros(len(parts)) if gravity_torque is None else gravity_torque
    gravity = checks.array("gravity_torque", gravity, (len(parts),))
    spring = np.array([joint.spring_torque(x) for joint, x in zip(parts, q, strict=True)])
    friction = np.array([joint.friction for joint in parts])
    shift = spring - gravity
    lower = np.array([joint.torque_min for joint in parts]) - friction + shift  # (5), left
    upper = np.array([joint.torque_max for joint in parts]) + friction + shift  # (5), right
    names = tuple(joint.name for joint in parts) if all(joint.name for joint in parts) else ()
    stiffness = np.array([joint.stiffness for joint in parts])
    return JointRows(blocks, lower, upper, names, stiffness, np.array([joint.servo for joint in parts]))


# Planar fingers: phalanges in a row on parallel hinges; poses, contact frames, Jacobians, gravity torques.


@with_advice()
@dataclass(frozen=True, eq=False)
class PlanarFinger:
    """A finger at fixed joint angles; its base is held in the world.

    Attributes:
        base: pose of the finger frame in the world.
        lengths: (n,) joint to joint, and last joint to tip [m].
        angles: (n,) joint angles q, each relative to the phalanx before [rad].
        masses: (n,) of the phalanges [kg], >= 0; none by default.
        coms: (n, 2) centres of mass in the phalanx frame: along the phalanx from its joint, and away
            from the object off the line of joints [m]; halfway along the line by default.
        names: (n,) of the phalanges, for reports.
    """

    base: Pose
    lengths: Array
    angles: Array
    masses: Array = field(default_factory=lambda: np.zeros(0))
    coms: Array = field(default_factory=lambda: np.zeros((0, 2)))
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        checks.instance("base", self.base, Pose, fix="give a Pose")
        lengths = checks.array("lengths", self.lengths, ("n",))
        count = len(lengths)
        if not count:
            raise InputError("is empty", where="lengths", fix="give one length per phalanx")
        for index, length in enumerate(lengths):
            if not tolerances.SMALLEST_LENGTH <= length <= tolerances.LARGEST_LENGTH:
                fix = f"metres, between {tolerances.SMALLEST_LENGTH:g} and {tolerances.LARGEST_LENGTH:g}"
                raise UnitError(f"is {length:.3g} m", where=f"lengths[{index}]", fix=fix)
        angles = checks.array("angles", self.angles, (count,))
        masses = checks.array(
            "masses", self.masses if 0 not in checks.shape("masses", self.masses) else np.zeros(count), (count,)
        )
        for index, mass in enumerate(masses):
            checks.number(f"masses[{index}]", mass, low=0.0, high=tolerances.LARGEST_MASS, unit="kg")
        halfway = np.column_stack([lengths / 2.0, np.zeros(count)])
        coms = checks.array("coms", self.coms if 0 not in checks.shape("coms", self.coms) else halfway, (count, 2))
        names = checks.texts("names", self.names) or tuple(f"phalanx {index}" for index in range(count))
        if len(names) != count:
            raise InputError(f"has {len(names)} entries for {count} phalanges", where="names", fix="name each")
        fields = {"lengths": lengths, "angles": angles, "masses": masses, "coms": coms, "names": names}
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.lengths)

    def with_angles(self, angles: ArrayLike) -> PlanarFinger:
        """The same finger at other joint angles (n,) [rad]."""
        return replace(self, angles=np.asarray(angles, dtype=np.float64))

    # -- kinematics -----------------------------------------------------------------------------

    @cached_property
    def phalanx_poses(self) -> tuple[Pose, ...]:
        """Pose in the world of each phalanx frame: origin at its joint, x along it, y the joint axis."""
        poses, frame = [], self.base
        for length, angle in zip(self.lengths, self.angles, strict=True):
            frame = frame @ Pose(rotation_about((0, 1, 0), angle), np.zeros(3))
            poses.append(frame)
            frame = frame @ Pose(np.eye(3), np.array([length, 0.0, 0.0]))
        return tuple(poses)

    @cached_property
    def joint_positions(self) -> Array:
        """(n + 1, 3) the joints in order, then the tip, in the world [m]."""
        tip = self.phalanx_poses[-1].apply((self.lengths[-1], 0.0, 0.0))
        return np.array([*(pose.translation for pose in self.phalanx_poses), tip])

    @property
    def axis(self) -> Array:
        """(3,) the joints' common axis in the world."""
        return self.base.rotation[:, 1]

    def contact_pose(self, phalanx: int, *, offset: float, along: float | None = None) -> Pose:
        """Contact frame of a unit under a phalanx: columns (u, v, n), origin at the middle of the unit.

        u points back along the phalanx to its joint: the spines pull the object towards the base. n points
        away from the phalanx, INTO the object. v = n x u is the joint axis.

        Args:
            phalanx: number of the phalanx, 0 at the base.
            offset: from the line of joints to the surface of contact [m].
            along: from the phalanx's joint, along it [m]; half its length by default.
        """
        index = self._index(phalanx)
        along = self.lengths[index] / 2.0 if along is None else checks.number("along", along, unit="m")
        offset = checks.number("offset", offset, unit="m")
        turn = np.column_stack([(-1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, -1.0)])
        return self.phalanx_poses[index] @ Pose(turn, np.array([along, 0.0, -offset]))

    def point_jacobian(self, phalanx: int, point: ArrayLike) -> Array:
        """J (3, n): velocity in the world of a point fixed to a phalanx, now at `point` (3,) in the world [m].

        Column j is axis x (point - joint j) for the joints up to the phalanx's own, zero beyond.
        """
        index = self._index(phalanx)
        x = checks.vector("point", point, 3)
        result = np.zeros((3, len(self)))
        arms = x - self.joint_positions[: index + 1]
        result[:, : index + 1] = np.cross(self.axis, arms).T
        return result

    def rows_jacobian(self, phalanges: Sequence[int], points: ArrayLike) -> Array:
        """(n, 3k) blocks J_i^T of contacts at `points` (k, 3) in the world [m], on the given `phalanges` (k,)."""
        x = checks.array("points", points, (len(phalanges), 3))
        blocks = [self.point_jacobian(phalanx, point).T for phalanx, point in zip(phalanges, x, strict=True)]
        return np.concatenate([np.zeros((len(self), 0)), *blocks], axis=1)

    def _index(self, phalanx: int) -> int:
        if isinstance(phalanx, bool) or not isinstance(phalanx, (int, np.integer)) or not 0 <= phalanx < len(self):
            raise InputError(f"is {phalanx!r}", where="phalanx", fix=f"give a number from 0 to {len(self) - 1}")
        return int(phalanx)

    # -- gravity --------------------------------------------------------------------------------

    @cached_property
    def com_positions(self) -> Array:
        """(n, 3) centres of mass of the phalanges in the world [m]."""
        local = np.column_stack([self.coms[:, 0], np.zeros(len(self)), self.coms[:, 1]])
        return np.array([pose.apply(x) for pose, x in zip(self.phalanx_poses, local, strict=True)])

    @cached_property
    def gravity_matrix(self) -> Array:
        """(n, 3) with G(q) = gravity_matrix @ gravity: minus the sum over phalanges of m J_com^T.

        G is the gradient of the potential energy -sum m g . x_com, so that (4) reads G = tau without contacts.
        """
        parts = [
            mass * self.point_jacobian(index, com).T
            for index, (mass, com) in enumerate(zip(self.masses, self.com_positions, strict=True))
        ]
        return -np.sum(parts, axis=0)

    def gravity_torque(self, gravity: ArrayLike) -> Array:
        """G(q) (n,) [N m] for the acceleration of gravity (3,) in the world [m/s^2], (4)."""
        return self.gravity_matrix @ checks.vector("gravity", gravity, 3)

"""Robot: a tree of links from a URDF: poses of links, velocities of points, joint torques by the weight.

A posture q is one vector. A robot on a floating base has (position (3) [m], quaternion (4) x y z w) of its root link in
the world first, then one coordinate per joint [rad, m]; on a fixed base only the joints. A velocity has the linear
velocity of the root link's origin [m/s] and its angular velocity [rad/s] first, both in the world's axes, then the
joints' rates; Jacobians have their columns in this order.

A joint that mimics another has no coordinate of its own. With the coordinates u of the driving joints, those of all
joints are S u + c, Jacobians are J S, and torques are S^T tau, by virtual work.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..assembly import Joint
from ..checks import Array
from ..errors import FileError, InputError, UnknownNameError, missing_extra
from ..geometry.frames import Pose, quaternion_of, rotation_about, rotation_of
from ..public_names import with_advice
from .srdf import EndEffector, JointGroup, NamedParts, find_srdf, read_srdf, robot_groups, robot_states
from .urdf import (
    MOVING,
    Description,
    LinkShape,
    Meshes,
    Mimic,
    MimicJoints,
    Packages,
    UrdfJoint,
    named_robot,
    read_urdf,
)

#: Tolerance of a coordinate beyond its limits, as a fraction of their range: coordinates are rounded.
LIMIT_SLACK = 1e-6

#: Tolerance beyond a limit as a fraction of the limit: files write 1.57 for pi / 2 and 3.14 for pi, 5e-4 less.
LIMIT_ROUNDING = 1e-3


def load_pinocchio() -> Any:
    """Pinocchio, or an error with the command to install it."""
    try:
        import pinocchio
    except ImportError:
        raise missing_extra("pinocchio", "robots", purpose="a robot from a URDF") from None
    return pinocchio


class Coupling(NamedTuple):
    """Joints that follow others: coordinates of all joints are S u + c, with u those of the driving ones.

    Attributes:
        matrix: (v', v) the base's identity and S: velocity of the posture to that of all joints.
        offset: (n',) c.
    """

    matrix: Array
    offset: Array


@with_advice(
    "use holdfast.Robot.from_urdf(path) or Robot.from_mjcf(path); for a robot file (.yaml), holdfast.load(path)"
)
@dataclass(frozen=True, eq=False, repr=False)
class Robot:
    """A robot of rigid links and joints with one coordinate each; immutable.

    Attributes:
        description: contents of the URDF.
        base: "floating": the root link is free, held only by contacts; "fixed": it is fixed in the world.
        at: pose of the root link of a fixed robot in the world.
        joints: limits of each driving joint, in the order of the posture, without joints that mimic another.
        lower: (n,) smallest coordinate of each joint [rad, m]; -inf for none.
        upper: (n,) largest coordinate; inf for none.
    """

    description: Description
    base: Literal["floating", "fixed"]
    at: Pose
    joints: tuple[Joint, ...]
    lower: Array
    upper: Array
    _model: Any = field(repr=False)
    _frames: dict[str, int] = field(repr=False)
    _idle: list[Any] = field(repr=False)  # Pinocchio's workspaces that no thread is using
    _coupling: Coupling | None = field(default=None, repr=False)

    @staticmethod
    def from_urdf(
        source: str | PathLike[str],
        *,
        base: Literal["floating", "fixed"] = "floating",
        at: Pose | None = None,
        meshes: Meshes = "optional",
        mimic: MimicJoints = "coupled",
        srdf: str | PathLike[str] | None = None,
        packages: Packages | None = None,
        xacro: Mapping[str, Any] | None = None,
        trust: bool = False,
    ) -> Robot:
        """The robot of a URDF; needs Pinocchio (the extra `robots`).

        Torque limits are the joints' <limit effort> in both senses, and static friction their <dynamics friction>;
        `with_joints` changes them. Joints without <limit effort> have no torque limit; one `RobotWarning` names them.
        A floating joint from a root link without mass is the base: the link that it moves becomes the root.

        Args:
            source: path of the file, its text (begins with "<"), or "@name" of one of ours ("@climber") or of
                the package example-robot-data ("@go2", the extra `known-robots`).
            base: whether the root link is free or held in the world.
            at: pose of the root link of a fixed robot; the world's origin by default.
            meshes: "optional": one warning names those missing or of an unknown format; "required": an error;
                "ignored": never searched, and shapes that cannot be read are silently left out.
            mimic: "coupled": a joint with <mimic> follows its driving joint and is not in the posture; only the driving
                joint has an actuator and limits, and friction adds up there. "independent": it counts as a joint with
                its own actuator, with a warning.
            srdf: path or text of an SRDF, whose states, groups and end effectors the robot then has; "auto" looks for
                it beside the URDF.
            packages: folders of package:// names and $(find ...): {name: folder}, or folders in which packages lie.
                They are searched before ROS_PACKAGE_PATH, AMENT_PREFIX_PATH and the folders above the file.
            xacro: arguments of a xacro file, by name. Such a file is expanded by the package `xacro`.
            trust: whether a xacro file, which is a program, may run. It can do anything; by default it is refused.
        """
        if base not in ("floating", "fixed"):
            raise UnknownNameError("kind of base", str(base), ("floating", "fixed"), where="base")
        if at is not None:
            checks.instance("at", at, Pose, fix="give a holdfast.Pose or None")
            if base == "floating":
                raise InputError("is for a fixed base", where="at", fix="put a floating base into the posture instead")
        if str(source).startswith("@"):
            source = named_robot(str(source))
        description = read_urdf(source, meshes, mimic, packages=packages, xacro=xacro, trust=trust)
        if srdf is not None:
            if srdf == "auto" and str(source).lstrip().startswith("<"):
                raise InputError("the URDF is a text", where="srdf", fix="give the path or the text of the SRDF")
            place = find_srdf(source, description.name) if srdf == "auto" else srdf
            description = replace(description, semantics=read_srdf(place))
        return _built(description, base, Pose.identity() if at is None else at)

    @staticmethod
    def from_mjcf(
        source: Any,
        *,
        base: Literal["floating", "fixed"] | None = None,
        at: Pose | None = None,
        body: str | None = None,
        meshes: Meshes = "optional",
    ) -> Robot:
        """The robot of an MJCF file, as MuJoCo compiles it; needs MuJoCo and Pinocchio (extras `mujoco`, `robots`).

        Bodies become links; sites become links without mass. Hinges and slides keep MuJoCo's coordinates; a ball joint
        becomes three hinges (x, y, z). Torque limits are those of the actuators: a joint without one is passive.
        Friction is the frictionloss, and springs are kept. Linear couplings of joints follow their driving joint. Key
        frames are `states`, with "qpos0" for MuJoCo's own initial posture. One `RobotWarning` lists what has no
        counterpart: loops, nonlinear couplings, actuators on sites, motors without force limits.

        Args:
            source: path of the file, its text (begins with "<"), or a mujoco.MjModel.
            base: "floating" or "fixed"; as in the model by default: floating where the robot has a free joint.
            at: pose of the root link of a fixed robot; as in the model by default.
            body: name of the robot's root body, where the model has several robots or loose objects.
            meshes: "optional": where some are missing, all are left out with a warning; "required": an error;
                "ignored": always left out. This is an error if the mass of a body comes from one.
        """
        from .mjcf import read_mjcf

        description, kind, place = read_mjcf(source, base=base, body=body, meshes=meshes)
        if at is not None:
            checks.instance("at", at, Pose, fix="give a holdfast.Pose or None")
            if kind == "floating":
                raise InputError("is for a fixed base", where="at", fix="put a floating base into the posture instead")
        return _built(description, kind, place if at is None else at)

    def __repr__(self) -> str:
        return f"Robot({self.name!r}, {self.base} base, {len(self.joints)} joints, {self.mass:.4g} kg)"

    def __getstate__(self) -> dict[str, Any]:
        """What another process needs; the kinematics are built again there."""
        kept = ("description", "base", "at", "joints", "lower", "upper")
        return {name: getattr(self, name) for name in kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        made = _built(state["description"], state["base"], state["at"])
        for name, value in (vars(made) | state).items():
            object.__setattr__(self, name, value)

    # -- what it is -----------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The robot's name in the URDF."""
        return self.description.name

    @property
    def root(self) -> str:
        """The root link, which has no parent."""
        return self.description.root

    @property
    def links(self) -> tuple[str, ...]:
        """Names of the links, in the order of the file."""
        return self.description.links

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints of the posture, in its order; those that mimic another are in `mimics`."""
        return tuple(joint.name for joint in self.joints)

    @cached_property
    def mimics(self) -> dict[str, Mimic]:
        """The joints that follow another, by name: driving joint, multiplier and offset."""
        return {name: joint.mimic for name, joint in self.description.joints.items() if joint.mimic is not None}

    @property
    def shapes(self) -> tuple[LinkShape, ...]:
        """Shapes of the links."""
        return self.description.shapes

    @property
    def states(self) -> NamedParts[Array]:
        """Named postures q of the SRDF, or of the key frames of an MJCF; limits of the joints are not checked."""
        return robot_states(self)

    @property
    def groups(self) -> NamedParts[JointGroup]:
        """Groups of joints of the SRDF, by name."""
        return robot_groups(self)

    @property
    def end_effectors(self) -> Mapping[str, EndEffector]:
        """Hands and feet of the SRDF."""
        return {} if self.description.semantics is None else self.description.semantics.end_effectors

    @property
    def q_size(self) -> int:
        """Length of a posture: 7 more than there are joints on a floating base."""
        return self.q_base + len(self.joints)

    @property
    def v_size(self) -> int:
        """Length of a velocity: 6 more than there are joints on a floating base."""
        return self.v_base + len(self.joints)

    @property
    def q_base(self) -> int:
        """Number of entries of a posture for the base: 7 or 0."""
        return 7 if self.base == "floating" else 0

    @property
    def v_base(self) -> int:
        """Number of entries of a velocity for the base: 6 or 0."""
        return 6 if self.base == "floating" else 0

    @property
    def mass(self) -> float:
        """Mass of all links, including the base [kg]."""
        return float(sum(self.description.masses.values()))

    @property
    def torque_limits(self) -> tuple[Array, Array]:
        """(smallest (n,), largest (n,)) actuator torques [N m, N], without friction."""
        return np.array([j.torque_min for j in self.joints]), np.array([j.torque_max for j in self.joints])

    @property
    def friction(self) -> Array:
        """(n,) static friction of the joints, with |multiplier| times that of the joints that follow them [N m, N]."""
        return np.array([joint.friction for joint in self.joints])

    @cached_property
    def torque_bounds(self) -> tuple[Array, Array]:
        """(smallest (n,), largest (n,)) torques of actuator and friction together [N m, N]."""
        lower, upper = self.torque_limits
        return lower - self.friction, upper + self.friction

    def spring_torques(self, q: Array) -> Array:
        """(n,) torques of the joints' springs in posture q [N m, N]."""
        return np.array([joint.spring_torque(x) for joint, x in zip(self.joints, q[self.q_base :], strict=True)])

    @cached_property
    def slack_limits(self) -> tuple[Array, Array]:
        """(lower (n,), upper (n,)) limits of the coordinates, widened for rounding in files [rad, m].

        By `LIMIT_SLACK` of their range, or `LIMIT_ROUNDING` of the limit where that is more.
        """
        slack = LIMIT_SLACK * np.where(np.isfinite(self.upper - self.lower), self.upper - self.lower, 1.0)
        below, above = (np.maximum(slack, LIMIT_ROUNDING * np.abs(limit)) for limit in (self.lower, self.upper))
        return self.lower - below, self.upper + above

    def is_hinge(self) -> Array:
        """(n,) bool: whether each joint is a hinge (N m) and not a slide (N)."""
        return np.array([self.description.joints[name].kind != "prismatic" for name in self.joint_names], dtype=bool)

    def with_joints(self, joints: Mapping[str, Joint]) -> Robot:
        """The same robot with other actuators, friction or springs at the named joints."""
        changed = list(self.joints)
        for name, joint in joints.items():
            checks.instance(f"joints[{name!r}]", joint, Joint, fix="give holdfast.assembly.Joint objects")
            changed[self.joint_index(name)] = replace(joint, name=name)
        return replace(self, joints=tuple(changed))

    def with_limits(self, limits: Mapping[str, tuple[float, float]]) -> Robot:
        """The same robot with other position limits (lower, upper) [rad, m] at the named joints; -inf, inf for none.

        Every check of a posture and every search uses them instead of the file's: postures beyond the file's limits are
        then allowed. Torque limits do not change.
        """
        lower, upper = np.array(self.lower), np.array(self.upper)
        for name, ends in limits.items():
            low, high = checks.array(f"limits[{name!r}]", ends, (2,), infinite=True)
            if low > high or low == np.inf or high == -np.inf:
                what = f"lower {low:g} is above upper {high:g}" if low > high else "allows no finite coordinate"
                raise InputError(what, where=f"limits[{name!r}]", fix="give (lower, upper)")
            index = self.joint_index(name)
            lower[index], upper[index] = low, high
        for ends in (lower, upper):
            ends.setflags(write=False)
        return replace(self, lower=lower, upper=upper)

    def joint_index(self, name: str) -> int:
        """Number of a joint among those of the posture; an error for an unknown name suggests the nearest."""
        if name in self.mimics:
            driver = self.mimics[name].joint
            what = f"joint {name!r} follows {driver!r} and is not in the posture"
            raise InputError(what, where=self.name, fix=f"name {driver!r}")
        if name not in self.joint_names:
            raise UnknownNameError("joint", str(name), self.joint_names, where=self.name)
        return self.joint_names.index(name)

    def checked_link(self, name: str) -> str:
        """`name` itself, if it is a link; otherwise an error that suggests the nearest."""
        if name not in self._frames:
            raise UnknownNameError("link", str(name), self.links, where=self.name)
        return name

    def chain(self, link: str) -> tuple[str, ...]:
        """Names of the moving joints between the root and a link, starting at the root, including mimicking ones."""
        by_child = {joint.child: joint for joint in self.description.joints.values()}
        names, here = [], self.checked_link(link)
        while here in by_child:
            joint = by_child[here]
            here = joint.parent
            if joint.kind in MOVING:
                names.append(joint.name)
        return tuple(reversed(names))

    def driver(self, name: str) -> str:
        """The joint of the posture that moves a joint: the one that it follows, or itself."""
        return self.mimics[name].joint if name in self.mimics else self.joint_names[self.joint_index(name)]

    # -- postures -------------------------------------------------------------------------------

    def neutral(self) -> Array:
        """The posture with all coordinates zero (or at the limit nearest to it), a floating base at the origin."""
        angles = np.clip(np.zeros(len(self.joints)), self.lower, self.upper)
        return self._posture(Pose.identity(), angles)

    def configuration(
        self,
        angles: Mapping[str, float] | ArrayLike = (),
        *,
        base: Pose | None = None,
        start: ArrayLike | None = None,
    ) -> Array:
        """A posture q, checked against the limits.

        Args:
            angles: by joint name, the others as in `start`; or (n,) in the order of `joint_names` [rad, m]. Joints
                that mimic another may be included, with their correct coordinate.
            base: pose of the root link of a floating robot; as in `start` by default.
            start: posture in which the joints and the base are changed, such as `states["standing"]`; by default
                `neutral`, with the base at the world's origin.
        """
        begun = self.neutral() if start is None else self.checked(start, limits=False)
        if base is not None:
            checks.instance("base", base, Pose, fix="give a holdfast.Pose or None")
            if self.base == "fixed":
                raise InputError("is for a floating base", where="base", fix="give `at` to Robot.from_urdf instead")
        values = np.array(begun[self.q_base :])
        if isinstance(angles, Mapping):
            given = {str(name): checks.number(f"angles[{name!r}]", angle) for name, angle in angles.items()}
            for name in given.keys() - self.mimics.keys():
                values[self.joint_index(name)] = given[name]
            self._check_mimics(given, values)
        elif np.size(angles):
            values = checks.array("angles", angles, (len(self.joints),))
        if base is None:
            return self.checked(np.concatenate([begun[: self.q_base], values]))
        return self.checked(self._posture(base, values))

    def coordinates(self, q: ArrayLike) -> dict[str, float]:
        """Coordinate of every joint that moves, by name [rad, m]; those that mimic another are included."""
        angles = self.checked(q, limits=False)[self.q_base :]
        driving = dict(zip(self.joint_names, angles.tolist(), strict=True))
        followed = {n: m.multiplier * driving[m.joint] + m.offset for n, m in self.mimics.items()}
        return driving | followed

    def checked(self, q: ArrayLike, *, limits: bool = True) -> Array:
        """`q` as a checked posture: length, unit quaternion, and within the joints' limits if `limits`."""
        try:
            values = np.asarray(q, dtype=np.float64) if not isinstance(q, np.ndarray) else q
        except (TypeError, ValueError):
            raise InputError("is not made of numbers", where="q", fix=f"give {self.q_size} numbers") from None
        if values.shape != (self.q_size,):
            base = "7 for the floating base and " if self.q_base else ""
            raise InputError(
                f"has shape {values.shape}", where="q", fix=f"the length must be {self.q_size}: {base}one per joint"
            )
        values = checks.vector("q", values, self.q_size)
        if self.q_base:
            size = float(np.linalg.norm(values[3:7]))
            if abs(size - 1.0) > tolerances.ORTHONORMAL:
                raise InputError(f"the quaternion has length {size:g}", where="q[3:7]", fix="give x y z w of length 1")
            values = values.copy()
            values[3:7] /= size
        if limits:
            self._check_limits(values[self.q_base :])
        return values

    def moved(self, q: ArrayLike, step: ArrayLike) -> Array:
        """The posture after moving from `q` by `step` (v_size,): a velocity times a time; limits are not checked."""
        start, change = self.checked(q, limits=False), checks.vector("step", step, self.v_size)
        result = np.array(start)
        if self.q_base:
            result[:3] += change[:3]
            angle = float(np.linalg.norm(change[3:6]))
            if angle > 0.0:
                result[3:7] = quaternion_of(rotation_about(change[3:6], angle) @ rotation_of(start[3:7]))
        result[self.q_base :] += change[self.v_base :]
        return result

    def base_pose(self, q: ArrayLike) -> Pose:
        """Pose of the root link in the world."""
        if self.base == "fixed":
            return self.at
        values = self.checked(q, limits=False)
        return Pose(rotation_of(values[3:7]), values[:3])

    def _posture(self, base: Pose, angles: Array) -> Array:
        if not self.q_base:
            return np.array(angles)
        return np.concatenate([base.translation, quaternion_of(base.rotation), angles])

    def _check_limits(self, angles: Array) -> None:
        lower, upper = self.slack_limits
        beyond = np.maximum(lower - angles, angles - upper)
        if (beyond > 0.0).any():
            worst = int(beyond.argmax())
            raise InputError(
                f"is {angles[worst]:g}",
                where=f"q: joint {self.joint_names[worst]!r}",
                fix=f"its limits are [{self.lower[worst]:g}, {self.upper[worst]:g}]; Robot.with_limits changes them",
            )

    def _check_mimics(self, given: Mapping[str, float], values: Array) -> None:
        """Check that joints that follow another have the right coordinate, within rounding."""
        for name in given.keys() & self.mimics.keys():
            mimic = self.mimics[name]
            there = mimic.multiplier * float(values[self.joint_index(mimic.joint)]) + mimic.offset
            if abs(given[name] - there) > LIMIT_ROUNDING * max(abs(there), abs(given[name])) + LIMIT_SLACK:
                raise InputError(
                    f"is {given[name]:g}",
                    where=f"angles[{name!r}]",
                    fix=f"it follows {mimic.joint!r}, which gives {there:g}: leave it out",
                )

    # -- kinematics -----------------------------------------------------------------------------

    def placements(self, q: ArrayLike, links: Sequence[str]) -> Array:
        """(k, 4, 4) homogeneous matrices from each link's frame to the world; the fastest way to many poses."""
        pin, values = load_pinocchio(), self._of_all(self.checked(q, limits=False))
        numbers = [self._frames[self.checked_link(link)] for link in links]
        result = np.empty((len(links), 4, 4))
        with self._workspace() as data:
            pin.forwardKinematics(self._model, data, values)
            for row, number in enumerate(numbers):
                result[row] = pin.updateFramePlacement(self._model, data, number).homogeneous
        return result

    def frame_pose(self, q: ArrayLike, link: str) -> Pose:
        """Pose of a link's frame in the world."""
        matrix = self.placements(q, [link])[0]
        return Pose(matrix[:3, :3], matrix[:3, 3])

    def link_jacobians(self, q: ArrayLike, links: Sequence[str]) -> tuple[Array, Array]:
        """(J (k, 6, v), origins (k, 3)): velocity of each link's origin, then its angular velocity, world axes."""
        pin, values = load_pinocchio(), self.checked(q, limits=False)
        numbers = [self._frames[self.checked_link(link)] for link in links]
        result, origins = np.zeros((len(links), 6, self._model.nv)), np.zeros((len(links), 3))
        with self._workspace() as data:
            pin.computeJointJacobians(self._model, data, self._of_all(values))
            for row, number in enumerate(numbers):
                origins[row] = pin.updateFramePlacement(self._model, data, number).translation
                jacobian = pin.getFrameJacobian(self._model, data, number, pin.LOCAL_WORLD_ALIGNED)
                result[row] = np.reshape(jacobian, result.shape[1:])  # flat where there is one joint alone
        return self._world_base(result, values), origins

    def point_twists(self, q: ArrayLike, links: Sequence[str], points: ArrayLike) -> Array:
        """(k, 6, v): velocity of points fixed to links, now at `points` (k, 3) [m], then angular velocity; world."""
        x = checks.array("points", points, (len(links), 3))
        named = tuple(dict.fromkeys(links))
        jacobians, origins = self.link_jacobians(q, named)
        numbers = np.array([named.index(link) for link in links], dtype=np.int64)
        result = jacobians[numbers]
        result[:, :3] += np.cross(result[:, 3:], (x - origins[numbers])[:, :, None], axis=1)  # v + w x r
        return result

    def point_jacobians(self, q: ArrayLike, links: Sequence[str], points: ArrayLike) -> Array:
        """(k, 3, v): velocity in the world of points fixed to links, now at `points` (k, 3) in the world [m]."""
        return self.point_twists(q, links, points)[:, :3]

    def point_jacobian(self, q: ArrayLike, link: str, point: ArrayLike) -> Array:
        """J (3, v): velocity in the world of a point fixed to a link, now at `point` (3,) in the world [m]."""
        return self.point_jacobians(q, [link], checks.vector("point", point, 3)[None])[0]

    # -- weight ---------------------------------------------------------------------------------

    def com(self, q: ArrayLike) -> Array:
        """(3,) centre of mass of all links, including a fixed base, in the world [m]."""
        pin, still, moving = load_pinocchio(), self._model.inertias[0], self._moving_mass
        values = self._of_all(self.checked(q, limits=False))
        if not moving:
            return np.array(still.lever)
        with self._workspace() as data:
            centre = np.array(pin.centerOfMass(self._model, data, values))
        return (moving * centre + still.mass * still.lever) / (moving + still.mass)

    def generalised_gravity(self, q: ArrayLike, gravity: ArrayLike) -> Array:
        """G(q) (v,): gradient of the links' potential energy, the base's six first, under `gravity` (3,) [m/s^2].

        G = -sum over links of m J_com^T g, so that (4) reads G = tau without contacts.
        """
        pin = load_pinocchio()
        values, down = self.checked(q, limits=False), checks.vector("gravity", gravity, 3)
        if not self._moving_mass:
            return np.zeros(self.v_size)
        with self._workspace() as data:
            jacobian = np.array(pin.jacobianCenterOfMass(self._model, data, self._of_all(values)))
        lever = self._world_base(jacobian.reshape(1, 3, self._model.nv), values)[0]
        return -self._moving_mass * lever.T @ down

    def gravity_torques(self, q: ArrayLike, gravity: ArrayLike) -> Array:
        """(n,) torques of the joints that hold the links without contacts [N m, N]: G(q) of the joints."""
        return self.generalised_gravity(q, gravity)[self.v_base :]

    # -- inside ---------------------------------------------------------------------------------

    @contextmanager
    def _workspace(self) -> Iterator[Any]:
        """Pinocchio's workspace for one computation. It takes megabytes, so threads lend it to each other."""
        try:
            data = self._idle.pop()  # which Python does in one step
        except IndexError:
            data = self._model.createData()
        try:
            yield data
        finally:
            self._idle.append(data)

    @cached_property
    def _moving_mass(self) -> float:
        """Mass of the links that joints or a floating base move [kg]; exactly 0 without any."""
        return float(sum(self._model.inertias[number].mass for number in range(1, self._model.njoints)))

    def _of_all(self, q: Array) -> Array:
        """The posture with the coordinates of all joints, including followers: Pinocchio's."""
        if self._coupling is None:
            return q
        base, (matrix, offset) = self.q_base, self._coupling
        return np.concatenate([q[:base], matrix[self.v_base :, self.v_base :] @ q[base:] + offset])

    def _world_base(self, jacobians: Array, q: Array) -> Array:
        """Jacobians (k, r, v) of Pinocchio's (k, r, v'): through the coupling, base columns in the world's axes."""
        if self._coupling is not None:
            jacobians = jacobians @ self._coupling.matrix
        if not self.v_base:
            return jacobians
        back = rotation_of(q[3:7]).T
        result = np.array(jacobians)
        result[:, :, :3] = jacobians[:, :, :3] @ back
        result[:, :, 3:6] = jacobians[:, :, 3:6] @ back
        return result


def _built(description: Description, base: Literal["floating", "fixed"], at: Pose) -> Robot:
    """The robot of a description, with Pinocchio's model of it."""
    pin = load_pinocchio()
    try:
        if base == "floating":
            model = pin.buildModelFromXML(description.text, pin.JointModelFreeFlyer())
        else:
            model = pin.buildModelFromXML(description.text)
            _place(pin, model, at)
    except (ValueError, RuntimeError) as error:
        raise FileError(
            f"Pinocchio cannot read it: {error}", path=description.name, fix="check it with `check_urdf`"
        ) from None
    moving = [description.joints[name] for name in list(model.names)[2 if base == "floating" else 1 :]]
    read = [joint for joint in moving if joint.mimic is None]
    frames = {name: model.getFrameId(name, pin.FrameType.BODY) for name in description.links}
    lower, upper = np.array([joint.lower for joint in read]), np.array([joint.upper for joint in read])
    for limits in (lower, upper):
        limits.setflags(write=False)
    coupling = _coupling(moving, read, 6 if base == "floating" else 0) if len(read) < len(moving) else None
    felt = {joint.name: joint.strength.friction for joint in read}
    for joint in moving:
        if joint.mimic is not None:
            felt[joint.mimic.joint] += abs(joint.mimic.multiplier) * joint.strength.friction
    joints = tuple(replace(joint.strength, friction=felt[joint.name]) for joint in read)
    return Robot(description, base, at, joints, lower, upper, model, frames, [], coupling)


def _coupling(moving: Sequence[UrdfJoint], driving: Sequence[UrdfJoint], base: int) -> Coupling:
    """How all joints that move follow the driving ones, with `base` rows for a floating base."""
    columns = {joint.name: base + number for number, joint in enumerate(driving)}
    matrix, offset = np.eye(base + len(moving), base + len(driving)), np.zeros(len(moving))
    matrix[base:] = 0.0
    for row, joint in enumerate(moving):
        mimic = joint.mimic or Mimic(joint.name)
        matrix[base + row, columns[mimic.joint]], offset[row] = mimic.multiplier, mimic.offset
    return Coupling(matrix, offset)


def _place(pin: Any, model: Any, at: Pose) -> None:
    """Move a model on a fixed base to the pose of the base."""
    pose = pin.SE3(np.array(at.rotation), np.array(at.translation))
    for number in range(1, model.njoints):
        if model.parents[number] == 0:
            model.jointPlacements[number] = pose * model.jointPlacements[number]
    for frame in model.frames:
        if frame.parentJoint == 0 and frame.name != "universe":
            frame.placement = pose * frame.placement
    model.inertias[0] = pose.act(model.inertias[0])

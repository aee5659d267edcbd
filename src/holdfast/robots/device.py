"""A planner for many postures at once on a device: forward kinematics there, then the hands.

The robot's joints, links and palms become tables, once. Configurations (m, q) are arrays on the device, or are copied
to it; palms, weights, verdicts and margins stay there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks import Array
from ..errors import InputError
from ..postures.device import DeviceAnswers, DeviceMargins, DeviceSolver, Undecided

if TYPE_CHECKING:
    from .planning import PosturePlanner

#: Pinocchio's names of joints about and along axes.
TURNS = {"JointModelRX": (1, 0, 0), "JointModelRY": (0, 1, 0), "JointModelRZ": (0, 0, 1)}
SHIFTS = {"JointModelPX": (1, 0, 0), "JointModelPY": (0, 1, 0), "JointModelPZ": (0, 0, 1)}


@dataclass(frozen=True, eq=False)
class DeviceStands:
    """Palm poses and weight of the robot for m postures; arrays on the device.

    Attributes:
        poses: (m, k, 4, 4) palm frames to world.
        loads: (m, 6) the weight, torque about the world origin.
        within: (m,) int8: whether the joints are within their limits.
    """

    poses: Any
    loads: Any
    within: Any


class DevicePlanner:
    """`PosturePlanner` for batches on a device, without torque limits of the limbs.

    Made by `PosturePlanner.to(device)`.

    Attributes:
        planner: the planner with robot, hands and gravity.
        solver: the hands on the device.
    """

    def __init__(self, planner: PosturePlanner, device: str) -> None:
        if planner.limb_limits and len(planner._limbs):
            fix = "make the planner with limb_limits=False: batches on a device ignore the limbs' torque limits"
            raise InputError("includes torque limits of the limbs", where="planner", fix=fix)
        grips = [hand.grip for hand in planner.hands]
        for index, grip in enumerate(grips):
            if grip is None:
                raise InputError("has no grip", where=f"hands[{index}]", fix="give it one")
        self.planner = planner
        self.solver = DeviceSolver(grips, device)  # pyright: ignore[reportArgumentType]
        self._tables = self._build()

    def __repr__(self) -> str:
        return f"DevicePlanner({self.planner.robot.name!r}, {self.solver.hands} hands, {self.solver.device})"

    def __reduce__(self) -> tuple[Any, ...]:
        """What another process needs to make the same planner."""
        return type(self), (self.planner, str(self.solver.device))

    def _build(self) -> list[Any]:
        """The robot as arrays on the device, in the order of the kernel's arguments."""
        from .device_kernels import FLOATING, SHIFT, TURN

        robot, planner, wp = self.planner.robot, self.planner, self.solver._wp
        model, coupling = robot._model, robot._coupling
        kinds, parents, columns, axes, placements, masses, centres = ([] for _ in range(7))
        multipliers, offsets = [], []
        first = model.joints[1].idx_q + model.joints[1].nq if robot.q_base else 0
        for number in range(1, model.njoints):
            joint, name = model.joints[number], model.joints[number].shortname()
            inertia, axis, column, factor, offset = model.inertias[number], (0, 0, 0), int(joint.idx_q), 1.0, 0.0
            if name == "JointModelFreeFlyer":
                kind = FLOATING
            elif name in TURNS or name == "JointModelRevoluteUnaligned":
                kind, axis = TURN, TURNS[name] if name in TURNS else joint.extract().axis
            elif name in SHIFTS or name == "JointModelPrismaticUnaligned":
                kind, axis = SHIFT, SHIFTS[name] if name in SHIFTS else joint.extract().axis
            else:
                what = f"has the joint {model.names[number]!r} of the kind {name}"
                raise InputError(what, where="robot", fix="batches on a device support revolute and prismatic joints")
            if kind != FLOATING and coupling is not None:
                row = column - first
                weights = coupling.matrix[robot.v_base :, robot.v_base :][row]
                driver = int(np.argmax(np.abs(weights)))
                factor, offset = float(weights[driver]), float(coupling.offset[row])
                column = robot.q_base + driver
            elif kind != FLOATING:
                column = robot.q_base + column - first
            kinds.append(kind)
            parents.append(int(model.parents[number]) - 1)
            columns.append(column)
            multipliers.append(factor)
            offsets.append(offset)
            axes.append(np.asarray(axis, dtype=float))
            placements.append(np.array(model.jointPlacements[number].homogeneous))
            masses.append(float(inertia.mass))
            centres.append(np.array(inertia.lever))
        still = model.inertias[0]
        if still.mass > 0.0:  # links that no joint moves: a joint of no freedom at the world
            kinds.append(-1)
            parents.append(-1)
            columns.append(-1)
            multipliers.append(0.0)
            offsets.append(0.0)
            axes.append(np.zeros(3))
            placements.append(np.eye(4))
            masses.append(float(still.mass))
            centres.append(np.array(still.lever))
        palms = [model.frames[robot._frames[link]] for link in planner._links]
        palm_joints = [int(frame.parentJoint) - 1 for frame in palms]
        frames = [np.array(f.placement.homogeneous) @ on for f, on in zip(palms, planner._on_links, strict=True)]
        facing, turns = np.zeros(len(palms), dtype=np.int32), np.tile(np.eye(4), (len(palms), 1, 1))
        for number, rotation in planner._facing:
            facing[number], turns[number, :3, :3] = 1, rotation

        def put(values: Any, dtype: Any) -> Any:
            return wp.array(np.ascontiguousarray(values), dtype=dtype, device=self.solver.device)

        return [
            put(np.array(kinds, dtype=np.int32), wp.int32),
            put(np.array(parents, dtype=np.int32), wp.int32),
            put(np.array(columns, dtype=np.int32), wp.int32),
            put(np.array(multipliers), wp.float64),
            put(np.array(offsets), wp.float64),
            put(np.array(axes), wp.vec3d),
            put(np.array(placements), wp.mat44d),
            put(np.array(masses), wp.float64),
            put(np.array(centres), wp.vec3d),
            put(np.array(palm_joints, dtype=np.int32), wp.int32),
            put(np.array(frames), wp.mat44d),
            put(facing, wp.int32),
            put(turns, wp.mat44d),
            wp.vec3d(*map(float, planner.gravity)),
        ]

    def stands(self, postures: Any) -> DeviceStands:
        """Palms and weight of postures (m, q)."""
        from . import device_kernels as kernels

        solver, robot = self.solver, self.planner.robot
        wp, device = solver._wp, solver.device
        given = solver.array("postures", postures, ("m", robot.q_size))
        m, k, joints = given.shape[0], solver.hands, self._tables[0].shape[0]
        poses = wp.zeros((m, k, 4, 4), dtype=wp.float64, device=device)
        loads = wp.zeros((m, 6), dtype=wp.float64, device=device)
        within = wp.zeros(m, dtype=wp.int8, device=device)
        frames = wp.empty((m, joints), dtype=wp.mat44d, device=device)
        matrices = wp.array(ptr=poses.ptr, dtype=wp.mat44d, shape=(m, k), device=device, copy=False)
        wp.launch(kernels.stand, dim=m, inputs=[given, *self._tables, frames, matrices, loads], device=device)
        low, high = (wp.array(limits, dtype=wp.float64, device=device) for limits in robot.slack_limits)
        wp.launch(kernels.outside, dim=m, inputs=[given, robot.q_base, low, high, within], device=device)
        return DeviceStands(poses, loads, within)

    def many(self, postures: Any, *, undecided: Undecided = "cpu") -> tuple[DeviceAnswers, DeviceStands]:
        """(whether the hands hold the robot in each posture (m, q), palm poses and weight)."""
        stands = self.stands(postures)
        return self.solver.many(stands.poses, stands.loads, undecided=undecided), stands

    def feasible(self, postures: Any) -> Array:
        """(m,) whether each posture is held and within the joints' limits; copied from the device."""
        answers, stands = self.many(postures)
        return answers.holds & (stands.within.numpy() == 1)

    def margins(self, postures: Any, direction: Any, *, undecided: Undecided = "cpu") -> DeviceMargins:
        """The largest multiple of a world wrench (6,) about the world origin that is held in addition to the weight."""
        stands = self.stands(postures)
        return self.solver.margins(stands.poses, stands.loads, direction, gradients=True, undecided=undecided)

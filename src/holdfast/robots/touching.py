"""What touches: units on links, and for a posture the contacts they make and how joints move them (III.A, III.C)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..assembly import Contact, Patch
from ..checks import Array, IntArray
from ..errors import InputError
from ..force_limits.volume import ForceVolume
from ..geometry.frames import Pose, rotation
from .robot import Robot

if TYPE_CHECKING:
    from ..assembly.contacts import Pad


@dataclass(frozen=True, eq=False)
class Touch:
    """A contact unit on a link.

    Attributes:
        link: the link that carries it.
        unit: what it can do: a `ForceVolume` for a single point, a `Patch` made at the identity pose (its own contact
            frame), or a unit that comes as points (`hf.models.soft_finger`, say). Forces act on what is TOUCHED.
        pose: the unit's contact frame in the link's frame, columns (u, v, n): n points OUT OF THE LINK into what is
            touched, u along the best shear force on it.
        name: how reports call it; the link's name by default.
        facing: (3, 3) the contact frame's axes (u, v, n) in the WORLD, for a ball or a wheel on terrain whose normal is
            known, n into the terrain; by default the frame turns with the link, as that of a unit fixed to it does.
    """

    link: str
    unit: ForceVolume | Patch | Pad
    pose: Pose = field(default_factory=Pose.identity)
    name: str = ""
    facing: Array | None = None

    def __post_init__(self) -> None:
        checks.instance("link", self.link, str, fix="give the name of a link")
        checks.instance("pose", self.pose, Pose, fix="give a holdfast.Pose: the contact frame on the link")
        object.__setattr__(self, "name", self.name or self.link)
        if self.facing is not None:
            object.__setattr__(self, "facing", rotation("facing", self.facing))
        if not isinstance(self.unit, ForceVolume | Patch) and not hasattr(self.unit, "points"):
            raise InputError(
                f"is a {type(self.unit).__name__}",
                where="unit",
                fix="give a ForceVolume, a Patch made at the identity pose, or a model that comes as points",
            )

    @cached_property
    def patch(self) -> Patch:
        """The unit's points in the link's frame."""
        return self.placed(Pose.identity())

    def frame(self, link: Pose) -> Pose:
        """The unit's contact frame in the world, where the link's frame stands at `link`."""
        pose = link @ self.pose
        return pose if self.facing is None else Pose(self.facing, pose.translation)

    def placed(self, link: Pose) -> Patch:
        """The unit's points in the world, where the link's frame stands at `link`."""
        pose = self.frame(link)
        if isinstance(self.unit, Patch):
            return self.unit.moved(pose, name=self.name)
        if isinstance(self.unit, ForceVolume):
            contact = Contact(pose.translation, pose.rotation, self.unit, self.name)
            return Patch((contact,), np.ones(1), (), self.name)
        return Patch.of_pad(pose, self.unit, name=self.name)

    def __len__(self) -> int:
        return len(self.patch)


@dataclass(frozen=True, eq=False)
class Touching:
    """The contacts of a robot in one posture.

    Attributes:
        robot: the robot.
        q: its posture.
        touches: what touches.
        frames: contact frame of each unit in the world, columns (u, v, n), n out of the link.
        patches: each unit's points in the world; forces act on what is touched.
        jacobians: (k, 3, v) how each contact point moves with the robot's velocity, world axes.
    """

    robot: Robot
    q: Array
    touches: tuple[Touch, ...]
    frames: tuple[Pose, ...]
    patches: tuple[Patch, ...]
    jacobians: Array

    def __len__(self) -> int:
        return len(self.jacobians)

    @cached_property
    def contacts(self) -> tuple[Contact, ...]:
        """All points, unit by unit; their forces act on what is touched."""
        return tuple(contact for patch in self.patches for contact in patch.contacts)

    @cached_property
    def touch_of(self) -> IntArray:
        """(k,) number of the unit that each point belongs to."""
        return np.repeat(np.arange(len(self.patches)), [len(patch) for patch in self.patches])

    @cached_property
    def joint_jacobian(self) -> Array:
        """(n, 3k) blocks J_i^T of the joints, the base's left out [m, 1 for a slide]."""
        k, joints = len(self), len(self.robot.joints)
        return self.jacobians[:, :, self.robot.v_base :].transpose(2, 0, 1).reshape(joints, 3 * k)

    @cached_property
    def on_robot(self) -> tuple[Contact, ...]:
        """The same points with the forces that act on the ROBOT: normals into its links, u turned round.

        The force on the robot is minus the force on what is touched. In a frame turned half round about v, its shear
        and normal parts are the same numbers and its lateral part changes sign, so that volumes are mirrored
        left to right. Units that shared a volume share its mirror image.
        """
        turn = np.diag([-1.0, 1.0, -1.0])
        mirrored: dict[int, ForceVolume] = {}
        for contact in self.contacts:
            if id(contact.volume) not in mirrored:
                mirrored[id(contact.volume)] = mirrored_sideways(contact.volume)
        return tuple(Contact(c.position, c.rotation @ turn, mirrored[id(c.volume)], c.name) for c in self.contacts)


def mirrored_sideways(volume: ForceVolume) -> ForceVolume:
    """The volume with left and right (y) exchanged; the volume itself where every piece is its own mirror image."""
    flip = np.array([1.0, -1.0, 1.0])
    if all(_is_even(piece.vertices, flip) and _is_even(piece.rays, flip) for piece in volume.polytopes):
        return volume
    pieces = [piece.vertices * flip for piece in volume.polytopes]
    return ForceVolume(pieces, [piece.rays * flip for piece in volume.polytopes], allow_flat=True)


def _is_even(rows: Array, flip: Array) -> bool:
    """Whether rows (m, 3) are the same set after flipping."""
    here = {tuple(row) for row in (rows + 0.0).tolist()}
    return here == {tuple(row) for row in (rows * flip + 0.0).tolist()}


def contacts(robot: Robot, q: ArrayLike, touches: Sequence[Touch]) -> Touching:
    """The contacts that `touches` make in the posture q, which must be within the joints' limits."""
    posture, given = robot.checked(q), checked_touches(robot, touches)
    links = [touch.link for touch in given]
    named = tuple(dict.fromkeys(links))
    placed = dict(zip(named, robot.placements(posture, named), strict=True))
    poses = [Pose(placed[link][:3, :3], placed[link][:3, 3]) for link in links]
    patches = tuple(touch.placed(pose) for touch, pose in zip(given, poses, strict=True))
    of_points = [link for link, patch in zip(links, patches, strict=True) for _ in range(len(patch))]
    points = np.concatenate([patch.positions for patch in patches])
    jacobians = robot.point_jacobians(posture, of_points, points)
    frames = tuple(touch.frame(pose) for touch, pose in zip(given, poses, strict=True))
    return Touching(robot, posture, given, frames, patches, jacobians)


def checked_touches(robot: Robot, touches: Sequence[Touch]) -> tuple[Touch, ...]:
    """`touches` on links that exist and that contact forces can act on through joints or a floating base."""
    checks.instance("robot", robot, Robot, fix="give a holdfast.Robot")
    given = (touches,) if isinstance(touches, Touch) else tuple(touches)
    if not given:
        raise InputError("is empty", where="touches", fix="give at least one holdfast.Touch")
    for index, touch in enumerate(given):
        checks.instance(f"touches[{index}]", touch, Touch, fix="give holdfast.Touch objects")
        robot.checked_link(touch.link)
        if robot.base == "fixed" and not robot.chain(touch.link):
            raise InputError(
                f"{touch.name!r} is on link {touch.link!r}, the fixed base: no joint feels it",
                where=f"touches[{index}]",
                fix="put the unit on a link that a joint moves, or load the robot with base='floating'",
            )
    return given

"""From what a robot file says to a RobotScene: URDF, posture, units or hands, loads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..assembly import Patch
from ..assembly.loads import gravity_wrench
from ..checks import Array
from ..errors import UnknownNameError
from ..files.error_context import Site
from ..files.parts import Framed, build_load, build_pose
from ..force_limits.files_volume_builder import Volumes
from ..geometry.frames import Pose, frame_from_normal, rotation
from ..postures.files import GripShelf
from .files_robot_scene import RobotScene
from .files_robot_schema import RobotDocument, TouchPart, UrdfPart
from .hand import Hand
from .reaching import reach
from .robot import Robot
from .touching import Touch, checked_touches


def build_robot(document: RobotDocument, site: Site, *, gravity: ArrayLike | None = None) -> RobotScene:
    """The robot that `document` describes; every fault is a SceneError of the file behind `site`.

    Args:
        document: what the file says.
        site: where it says so.
        gravity: (3,) [m/s^2] instead of the file's.
    """
    down = checks.vector("gravity", document.gravity if gravity is None else gravity, 3)
    with (site / "robot").watch():
        robot = _robot(document.robot, site / "robot")
    with (site / "posture").watch():
        base = None if document.posture.base is None else build_pose(document.posture.base)
        q = robot.configuration(document.posture.joints, base=base)
    touches = _touches(document, robot, site)
    q, hands = _hands(document, robot, q, down, site)
    thing = document.object
    return RobotScene(
        robot=robot,
        q=q,
        gravity=down,
        touches=touches,
        hands=hands,
        grip_names=tuple(part.grip for part in document.hands),
        object_weight=np.zeros(6) if thing is None else gravity_wrench(thing.mass, down, thing.com),
        object_com=None if thing is None else np.array(thing.com),
        loads={name: build_load(part) for name, part in document.loads.items()},
        name=document.name or site.source.path.stem,
        description=document.description,
        path=site.source.path,
    )


def _robot(part: UrdfPart, site: Site) -> Robot:
    """The robot of the URDF."""
    at = None if part.at is None else build_pose(part.at)
    return Robot.from_urdf(_urdf(part.urdf, site / "urdf"), base=part.base, at=at, meshes=part.meshes)


def _urdf(reference: str, site: Site) -> Path:
    """The file behind a reference; "@name" is one of ours."""
    if not reference.startswith("@"):
        return site.file(reference)
    from ..papers.devices.own_robots import MODELS, robot_file

    if reference[1:] not in MODELS:
        unknown = UnknownNameError("robot", reference, [f"@{name}" for name in MODELS])
        raise site.fault(unknown.what, fix=unknown.fix)
    return robot_file(reference[1:])


def _frame(part: Framed) -> Array:
    """(3, 3) frame, columns (u, v, n)."""
    if part.rotation is not None:
        return rotation("rotation", part.rotation)
    assert part.normal is not None  # the schema wants one of the two
    return frame_from_normal(part.normal, part.shear)


def _touches(document: RobotDocument, robot: Robot, site: Site) -> tuple[Touch, ...]:
    """The units on links."""
    volumes = Volumes(document.volumes, site / "volumes")
    made: list[Touch] = []
    for number, part in enumerate(document.touches):
        with (here := site / "touches" / number).watch():
            touch = _touch(part, volumes, here)
            if part.link not in robot.links:
                unknown = UnknownNameError("link", part.link, robot.links)
                raise (here / "link").fault(unknown.what, fix=unknown.fix)
            if touch.name in [other.name for other in made]:
                fix = "give each unit a name of its own"
                raise (here / "name").fault(f"there are two units {touch.name!r}", fix=fix)
            checked_touches(robot, [touch])
            made.append(touch)
    return tuple(made)


def _touch(part: TouchPart, volumes: Volumes, site: Site) -> Touch:
    pose = Pose(_frame(part), np.array(part.position))
    volume = volumes.force_volume(part.volume, site / "volume", part.scale)
    if part.size is None:
        return Touch(part.link, volume, pose, part.name)
    points = "corners" if isinstance(part.points, str) else (part.points[0], part.points[1])
    return Touch(part.link, Patch.rectangle(Pose.identity(), part.size, volume, points=points), pose, part.name)


def _hands(
    document: RobotDocument, robot: Robot, q: Array, gravity: Array, site: Site
) -> tuple[Array, tuple[Hand, ...]]:
    """(the posture with all palms at their places, the hands with their grips)."""
    bare: list[Hand] = []
    places: dict[str, Pose] = {}
    for number, part in enumerate(document.hands):
        with (here := site / "hands" / number).watch():
            if part.palm not in robot.links:
                unknown = UnknownNameError("link", part.palm, robot.links)
                raise (here / "palm").fault(unknown.what, fix=unknown.fix)
            frame = Pose.identity() if part.frame is None else build_pose(part.frame)
            hand = Hand(part.palm, (), None, frame, part.name)
            if hand.name in [other.name for other in bare]:
                fix = "give each hand a name of its own"
                raise (here / "name").fault(f"there are two hands {hand.name!r}", fix=fix)
            bare.append(hand)
            if part.at is not None:
                places[hand.name] = Pose(_frame(part.at), np.array(part.at.position))
    if places:
        found = reach(robot, q, bare, places)
        if not found.found:
            what = f"no posture with the palms at their places was found: they miss by {found.error:.3g} m"
            raise (site / "posture").fault(what, fix="begin with joints nearer to it, or put the palms nearer")
        q = found.q
    shelf = GripShelf(document, site / "grips", gravity, learn=True)  # pyright: ignore[reportArgumentType]
    hands = [
        hand.with_grip(shelf.grip(part.grip, hand.pose(robot, q), site / "hands" / number / "grip"))
        for number, (hand, part) in enumerate(zip(bare, document.hands, strict=True))
    ]
    return q, tuple(hands)

"""A sequence of postures with the holding hands of each: the result of a planner, saved, checked again and replayed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..assembly import Joint
from ..checks import Array
from ..errors import FileError, HoldfastError, InputError, UnknownNameError
from ..geometry.frames import Pose
from ..grips import Grip
from ..inputs import parsed_json, write_whole
from ..public_names import with_advice
from ..results import Result, proof
from .bodies import Hand
from .mjcf import roll_pitch_yaw
from .planning import LoadGrowth, PosturePlanner
from .robot import Robot

#: The value of the field "format" in the files.
FORMAT = "holdfast posture sequence"

#: Saved properties of a joint, in the order of `assembly.Joint`.
_JOINT = ("torque_min", "torque_max", "friction", "stiffness", "rest", "preload")

#: Attributes of the shapes of a URDF, and which of `LinkShape.size` they are.
_SIZES = {
    "box": {"size": slice(0, 3)},
    "cylinder": {"radius": slice(0, 1), "length": slice(1, 2)},
    "sphere": {"radius": slice(0, 1)},
}


@dataclass(frozen=True, eq=False)
class PostureSequence(Result):
    """Postures one after another, with the holding hands of each.

    Attributes:
        robot: the robot, on a floating base.
        hands: all its hands, with grips of vertices.
        postures: (n, q_size).
        holding: names of the hands that hold, one tuple per posture.
        margins: (n,) fraction by which the weight may increase or decrease, see `LoadGrowth`; at least 0 where it
            holds.
        gravity: (3,) [m/s^2] in the world.
        limb_limits: whether torque limits of the limbs are included.
        name: its name in reports.
    """

    robot: Robot
    hands: tuple[Hand, ...]
    postures: Array
    holding: tuple[tuple[str, ...], ...]
    margins: Array
    gravity: Array
    limb_limits: bool = True
    name: str = ""
    _planners: dict[tuple[str, ...], PosturePlanner] = field(default_factory=dict, repr=False)

    @staticmethod
    def of(
        planner: PosturePlanner, steps: Iterable[tuple[ArrayLike, Sequence[str]]], name: str = ""
    ) -> PostureSequence:
        """The sequence of `steps` (posture, names of the hands that hold) for the robot and hands of a planner."""
        given = [(planner.robot.checked(q, limits=False), tuple(names)) for q, names in steps]
        if not given:
            raise InputError("is empty", where="steps", fix="give at least one posture with the hands that hold")
        for index, hand in enumerate(planner.hands):
            if not isinstance(hand.grip, Grip):
                fix = "give hands with grips of vertices; for bounds, the inner ones"
                raise InputError(f"has a {type(hand.grip).__name__}", where=f"hands[{index}]", fix=fix)
        found = PostureSequence(
            planner.robot,
            planner.hands,
            np.array([q for q, _ in given]),
            tuple(names for _, names in given),
            np.full(len(given), np.nan),
            planner.gravity,
            planner.limb_limits,
            name or planner.robot.name,
        )
        margins = [found.planner(index).margin(q) for index, q in enumerate(found.postures)]
        return replace(found, margins=np.array(margins))

    def __repr__(self) -> str:
        return f"PostureSequence({self.name!r}, {len(self)} postures, least margin {self.margins.min():.3g})"

    def __len__(self) -> int:
        return len(self.postures)

    def planner(self, index: int) -> PosturePlanner:
        """The planner of the hands that hold in a posture."""
        names = self.holding[index]
        if names not in self._planners:
            known = [hand.name for hand in self.hands]
            for name in names:
                if name not in known:
                    raise UnknownNameError("hand", name, known, where=f"holding[{index}]")
            own = [hand for hand in self.hands if hand.name in names]
            self._planners[names] = PosturePlanner(
                self.robot, own, gravity=self.gravity, margin=LoadGrowth(), limb_limits=self.limb_limits
            )
        return self._planners[names]

    def answer(self, index: int) -> Any:
        """The verdict on one posture, with wrenches and joint torques or a proof that there are none."""
        return self.planner(index).equilibrium(self.postures[index])

    @property
    def holds(self) -> bool:
        """Whether every posture holds."""
        return bool((self.margins >= 0.0).all())

    @proof
    def verify(self) -> bool:
        """Solve every posture again: joints within their limits, the verdict with its proof, and the same margin.

        The margins have no proofs of their own, so that this takes as long as `of`.
        """
        if not len(self.postures) == len(self.holding) == len(self.margins):
            return False
        self._planners.clear()
        for index, q in enumerate(self.postures):
            answer, margin = self.answer(index), self.planner(index).margin(q)
            if not answer.verify() or answer.holds != (self.margins[index] >= 0.0):
                return False
            if margin != self.margins[index] and not abs(margin - self.margins[index]) <= tolerances.GAP * abs(margin):
                return False
            if answer.holds and not self.planner(index).within_limits(q):
                return False
        return True

    def to_dict(self) -> dict[str, Any]:
        """Name, postures, hands that hold and margins as plain data."""
        return {
            "name": self.name,
            "robot": self.robot.name,
            "holds": self.holds,
            "joints": list(self.robot.joint_names),
            "postures": self.postures,
            "holding": [list(names) for names in self.holding],
            "margins": self.margins,
        }

    # -- files ----------------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write robot, grips and postures to a JSON file: `hf.load` reads it, `holdfast view` replays it."""
        grips, numbers = [], []
        known: dict[int, int] = {}
        for hand in self.hands:
            assert isinstance(hand.grip, Grip)
            if id(hand.grip) not in known:
                known[id(hand.grip)] = len(grips)
                grips.append({"vertices": hand.grip.vertices.tolist(), "rays": hand.grip.rays.tolist()})
            numbers.append(known[id(hand.grip)])
        data = {
            "format": FORMAT,
            "version": 1,
            "name": self.name,
            "urdf": _with_shapes(self.robot),
            "gravity": self.gravity.tolist(),
            "limb_limits": self.limb_limits,
            "grips": grips,
            "hands": [
                {
                    "name": hand.name,
                    "palm": hand.palm,
                    "frame": hand.frame_matrix.tolist(),
                    "facing": None if hand.facing is None else hand.facing.tolist(),
                    "grip": number,
                }
                for hand, number in zip(self.hands, numbers, strict=True)
            ],
            "joints": [
                {key: _plain(getattr(joint, key)) for key in _JOINT} | {"name": name}
                for name, joint in zip(self.robot.joint_names, self.robot.joints, strict=True)
            ],
            "postures": self.postures.tolist(),
            "holding": [list(names) for names in self.holding],
            "margins": [_plain(x) for x in self.margins.tolist()],
        }
        write_whole(path, json.dumps(data).encode())


@with_advice()
def load_sequence(path: str | Path) -> PostureSequence:
    """The sequence of a file that `PostureSequence.save` wrote; margins are computed again."""
    data = parsed_json(path, fix="give a file of PostureSequence.save")
    if not isinstance(data, dict) or data.get("format") != FORMAT or data.get("version") != 1:
        raise FileError("is not a posture sequence of version 1", path=path, fix="give a file of PostureSequence.save")
    try:
        if not str(data["urdf"]).lstrip().startswith("<"):
            raise InputError("is no text of a URDF", where="urdf", fix="save the sequence again")
        robot = Robot.from_urdf(data["urdf"], base="floating", meshes="ignored")
        if any(shape.kind == "mesh" for shape in robot.shapes):
            raise InputError("names files of meshes", where="urdf", fix="save the sequence again")
        grips = [Grip(grip["vertices"], grip["rays"] or None) for grip in data["grips"]]
        hands = []
        for part in data["hands"]:
            frame = checks.array("frame", part["frame"], (4, 4))
            pose = Pose(frame[:3, :3], frame[:3, 3])
            hands.append(Hand(part["palm"], (), grips[part["grip"]], pose, part["name"], part["facing"]))
        read = [Joint(part["name"], *(float(part[key]) for key in _JOINT)) for part in data["joints"]]
        strengths = {joint.name: joint for joint in read}
        if list(strengths) != list(robot.joint_names):
            raise InputError("are not those of the robot", where="joints", fix="save the sequence again")
        robot = robot.with_joints(strengths)
        planner = PosturePlanner(robot, hands, gravity=data["gravity"], limb_limits=data["limb_limits"])
        steps = zip(data["postures"], data["holding"], strict=True)
        return PostureSequence.of(planner, steps, data["name"])
    except HoldfastError as error:
        raise FileError(str(error), path=path, fix="give a file of PostureSequence.save") from error
    except (KeyError, TypeError, IndexError, ValueError) as error:
        what = f"is damaged: {type(error).__name__} {error}"
        raise FileError(what, path=path, fix="give a file of PostureSequence.save") from None


def _with_shapes(robot: Robot) -> str:
    """The URDF of a robot with the boxes, cylinders and balls of its links; without files of meshes."""
    root = ElementTree.fromstring(robot.description.text)
    links = {link.get("name", ""): link for link in root.findall("link")}
    for shape in robot.shapes:
        if shape.role != "visual" or shape.kind not in _SIZES:
            continue
        visual = ElementTree.SubElement(links[shape.link], "visual")
        ElementTree.SubElement(
            visual, "origin", xyz=_row(shape.pose.translation), rpy=_row(roll_pitch_yaw(shape.pose.rotation))
        )
        sizes = {key: _row(shape.size[part]) for key, part in _SIZES[shape.kind].items()}
        ElementTree.SubElement(ElementTree.SubElement(visual, "geometry"), shape.kind, sizes)
    return ElementTree.tostring(root, encoding="unicode")


def _row(values: Iterable[float]) -> str:
    """Numbers as text of an XML attribute."""
    return " ".join(repr(float(value)) for value in values)


def _plain(value: float) -> float | str:
    """A number for JSON; infinite ones as text."""
    return float(value) if np.isfinite(value) else str(float(value))

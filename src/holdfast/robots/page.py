"""Robots in the viewer: the shapes of their links as triangles, or sticks; saved sequences replayed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks import Array
from ..web.marks import Dots, Drawing, Lines, Mark, Marks, Mesh, Surface, colour, framed, polygons_mesh
from ..web.page import Answer, AskingPage, PageContext, PageEntry, Verdict
from .plots import BODY, GRIPPER, link_solids, sticks

if TYPE_CHECKING:
    from .robot import Robot
    from .sequences import PostureSequence

#: Colour and size of the palms that hold [m].
HOLDING, HOLDING_SIZE = "#009E73", 0.08


def link_meshes(robot: Robot, q: Array) -> dict[str, Mesh]:
    """Triangles of each link's shapes in the world [m]; meshes are convex hulls."""
    polygons: dict[str, list[Array]] = {}
    for link, solid in link_solids(robot, q):
        polygons.setdefault(link, []).extend(solid.polygons)
    return {link: polygons_mesh(own) for link, own in polygons.items()}


def joined_mesh(meshes: Sequence[Mesh]) -> Mesh:
    """Several meshes as one."""
    counts = np.cumsum([0, *(len(vertices) for vertices, _ in meshes)])
    faces = [corners + first for (_, corners), first in zip(meshes, counts, strict=False)]
    return np.concatenate([vertices for vertices, _ in meshes]), np.concatenate(faces)


def robot_marks(robot: Robot, q: Array, palms: Sequence[str] = (), opacity: float = 0.5) -> dict[str, Mark]:
    """The robot in a posture: links called `palms` in the colour of what grips, its root so that one sees through it.

    A robot without shapes is drawn as sticks between its links' origins.
    """
    meshes = link_meshes(robot, q)
    if not meshes:
        return {"robot/sticks": Lines(sticks(robot, q), colour(BODY), 4.0)}
    marks: dict[str, Mark] = {}
    root = robot.description.root
    parts = {link: "palms" if link in palms else "root" if link == root else "limbs" for link in meshes}
    for part, tint, share in (("root", BODY, opacity), ("limbs", BODY, 1.0), ("palms", GRIPPER, 1.0)):
        own = [mesh for link, mesh in meshes.items() if parts[link] == part]
        if own:
            marks[f"robot/{part}"] = Surface(*joined_mesh(own), colour(tint), share)
    return marks


# A saved sequence of postures, replayed.


def posture_marks(sequence: PostureSequence, index: int) -> Marks:
    """One posture of a sequence: the robot, and a dot at each palm that holds."""
    q, names = sequence.postures[index], sequence.holding[index]
    own = [hand for hand in sequence.hands if hand.name in names]
    marks = robot_marks(sequence.robot, q, [hand.palm for hand in own])
    points = np.array([hand.pose(sequence.robot, q).translation for hand in own]).reshape(-1, 3)
    return marks | {"holding": Dots(points, colour(HOLDING), HOLDING_SIZE)}


class SequencePage(AskingPage[tuple[int, bool]]):
    """A slider over the postures of a sequence, and a box that plays them.

    Args:
        context: of the browser.
        sequence: what is replayed.
    """

    def __init__(self, context: PageContext, sequence: PostureSequence) -> None:
        super().__init__(context)
        self.title, self._sequence = sequence.name, sequence
        self._posture: Any = None
        self._play: Any = None

    def add_controls(self) -> None:
        """The slider and the box."""
        gui, last = self.context.client.gui, len(self._sequence)
        self._posture = self.asks(gui.add_slider("Posture", 1, max(last, 2), 1, 1, disabled=last == 1))
        self._play = self.asks(gui.add_checkbox("Play", last > 1, disabled=last == 1))

    def state(self) -> tuple[int, bool]:
        """(number of the posture, whether it plays)."""
        return min(int(self._posture.value), len(self._sequence)) - 1, bool(self._play.value)

    def answer(self, state: tuple[int, bool]) -> Answer:
        """The posture, its verdict and margin; or all postures one after another."""
        return sequence_answer(self._sequence, *state)


def sequence_answer(sequence: PostureSequence, index: int, play: bool) -> Answer:
    """What the page of a sequence shows for one posture, or while all are played."""
    ends = [Drawing(posture_marks(sequence, at)).corners for at in (0, len(sequence) - 1)]
    view = framed(np.concatenate(ends), (0.8, 0.62, -0.4))
    marks = posture_marks(sequence, index)
    if play:
        status = "all postures hold" if sequence.holds else "some postures do not hold"
        least = f"least margin {sequence.margins.min():.0%} of the weight"
        lines = (f"{len(sequence)} postures; without Play the slider chooses one",)
        verdict = Verdict(status, "good" if sequence.holds else "bad", least, lines=lines)
        last = len(sequence) - 1
        moving = [posture_marks(sequence, at) for at in range(len(sequence))]
        frames = lambda t: moving[round(t * last)]  # noqa: E731 -- one frame per posture
        return Answer(verdict, Drawing(moving[-1], view), sequence.name, _SEQUENCE_NOTES, frames)
    answer = sequence.answer(index)
    lines = [f"posture {index + 1} of {len(sequence)}; hands that hold: {', '.join(sequence.holding[index])}"]
    torques = {} if answer.wrenches is None else getattr(answer, "limb_torques", {})
    if torques:
        most = max(torques, key=lambda name: abs(torques[name]))
        lines.append(f"largest joint torque with these wrenches: {most}, {torques[most]:.3g}")
    lines.append("proof verified" if answer.verify() else "the proof fails")
    margin = f"margin {sequence.margins[index]:.0%} of the weight"
    verdict = Verdict(answer.status.value, "good" if answer.holds else "bad", margin, lines=lines)
    return Answer(verdict, Drawing(marks, view), sequence.name, _SEQUENCE_NOTES)


_SEQUENCE_NOTES = "Palms that hold are orange; a green dot marks each."


def sequence_entry(sequence: PostureSequence, key: str = "sequence") -> PageEntry:
    """The page that replays a sequence."""
    summary = f"{sequence.name}: {len(sequence)} postures, one after another, and what holds each."
    return PageEntry(key, sequence.name, "Climber", summary, lambda context: SequencePage(context, sequence))

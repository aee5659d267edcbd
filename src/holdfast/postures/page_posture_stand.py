"""A posture of the viewer: a body on its palms, from a posture or robot file; where its centre of mass may be."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..assembly.loads import STANDARD_GRAVITY
from ..checks import Array
from ..plotting import style
from ..scenes.page import angles, direction
from ..web.marks import Arrows, Drawing, Lines, Mark, Marks, Surface, Word, colour, fan, framed, mixed, ring
from ..web.page import Answer, Verdict
from .page_standing import LEGEND, TONES, Decision, Standing, action_marks, decided, region_marks, standing
from .plots_postures import BODY, PALM, PALM_SIZE
from .solver import PostureSolver

if TYPE_CHECKING:
    from ..robots.files import RobotScene
    from .files_posture_scene import PostureScene

#: Length of the palms' frames, and how far their names stand off behind them: shares of the posture's size.
FRAME, NAME = 0.06, 0.09

#: Size of a posture whose palms and centre of mass are at one point [m].
SMALLEST = 0.1

#: The camera looks at walls from the side, and down on floors: shares of the ways into the wall, along it, and down.
INTO, ALONG, DOWNWARDS = 0.8, 0.62, -0.4

#: The way the camera looks at a floor.
ON_FLOOR = (0.5, 0.7, -0.62)

#: Regions are brought into view as far as this share of the posture's size beyond all else.
NEAR = 0.25

#: Palms that face up or down more than this share stand on a floor.
UPWARDS = 0.8

#: Standings that are kept for when they are asked for again.
KEPT = 32


@dataclass(frozen=True)
class PostureState:
    """The controls of the page.

    Attributes:
        com: (x, y, z) of the centre of mass in the world [m].
        mass: of the body [kg].
        tilt, heading: direction of gravity [deg], as `contact_states.direction` has it.
        load: name of a load of the file that acts as well, "" for none.
    """

    com: tuple[float, float, float]
    mass: float
    tilt: float = 0.0
    heading: float = 0.0
    load: str = ""


@dataclass(frozen=True, eq=False)
class Body:
    """What a file says of a body.

    Attributes:
        scene: grips, poses and loads.
        looks: marks of its links; {} where only the palms are known.
    """

    scene: PostureScene
    looks: Marks = field(default_factory=dict)

    @property
    def size(self) -> float:
        """Diagonal of the box round palms and centre of mass [m]."""
        points = np.vstack([[pose.translation for pose in self.scene.poses], self.scene.com])
        return max(float(np.linalg.norm(np.ptp(points, axis=0))), SMALLEST)

    @property
    def gravity_is_fixed(self) -> bool:
        """Whether a grip holds for the file's gravity alone, since links of the hand have a weight."""
        return self.scene.hands_weigh or any(getattr(g, "palm_gravity", None) is not None for g in self.scene.grips)

    @property
    def start(self) -> PostureState:
        """The body as the file has it."""
        x, y, z = (float(value) for value in self.scene.com)
        tilt, heading = angles(self.scene.gravity) if self.scene.gravity.any() else (0.0, 0.0)
        return PostureState((x, y, z), self.scene.mass, tilt, heading)

    def gravity(self, state: PostureState) -> Array:
        """(3,) of a state [m/s^2]; the file's own number for its own direction."""
        if (state.tilt, state.heading) == (self.start.tilt, self.start.heading) and self.scene.gravity.any():
            return self.scene.gravity
        return direction(state.tilt, state.heading) * (float(np.linalg.norm(self.scene.gravity)) or STANDARD_GRAVITY)


def robot_body(scene: RobotScene) -> Body:
    """The robot of a file as one body on its hands, with its links."""
    from ..robots.page import robot_marks

    posture = scene.posture()
    return Body(posture, robot_marks(scene.robot, scene.q, [hand.palm for hand in scene.hands]))


class Standings:
    """The questions of one browser about one body: a warm solver, and the regions asked for lately."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self._solver: PostureSolver | None = None
        self._kept: dict[tuple[float, float, float, str], Standing] = {}

    def of(self, state: PostureState) -> Standing:
        """Regions and solver for a mass, a gravity and a load, whatever the centre of mass."""
        key = (state.mass, state.tilt, state.heading, state.load)
        if key not in self._kept:
            scene, gravity = self.body.scene, self.body.gravity(state)
            beside = scene.load(state.load) if state.load else np.zeros(6)
            if self._solver is None:
                self._solver = PostureSolver(scene.grips, scene.poses, gravity=scene.gravity)
            while len(self._kept) >= KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[key] = standing(scene.hands, scene.grips, scene.poses, state.mass, gravity, beside, self._solver)
        return self._kept[key]


def posture_answer(state: PostureState, body: Body, standings: Standings | None = None) -> Answer:
    """The body on its palms, the wrenches of its hands, where it may lean, and the verdict.

    Args:
        state: of the controls.
        body: of the file.
        standings: keeps solver and regions from one state to the next; without it the answer is the same, and later.
    """
    start = time.perf_counter()
    stand = (standings or Standings(body)).of(state)
    com, size = np.asarray(state.com), body.size
    decision = decided(stand, com)
    seconds = time.perf_counter() - start
    marks: dict[str, Mark] = {**body.looks}
    if not body.looks:
        spokes = np.stack([np.broadcast_to(com, stand.palms.shape), stand.palms], axis=1)
        marks["body"] = Lines(spokes, colour(BODY), 4.0)
    marks |= region_marks(stand, com)
    marks |= _palm_marks(stand, decision, size)
    marks |= action_marks(stand, com, decision, size)
    view = framed(_seen(marks, size), _towards(stand))
    verdict = Verdict(decision.status, TONES[decision.status], decision.margin, seconds, decision.lines)
    return Answer(verdict, Drawing(marks, view), body.scene.name, _notes(body))


def _seen(marks: Marks, size: float) -> Array:
    """(n, 3) what the camera must see: body, palms and arrows, and the regions as far as they are near."""
    near = {name: mark for name, mark in marks.items() if not name.startswith(("inner", "outer"))}
    points = Drawing(near).corners
    low, high = points.min(axis=0) - NEAR * size, points.max(axis=0) + NEAR * size
    return np.vstack([points, np.clip(Drawing(marks).corners, low, high)])


def _palm_marks(stand: Standing, decision: Decision, size: float) -> dict[str, Mark]:
    """A square and a frame (x red, y green, z blue) for each palm, and its name; those at the limit stand out."""
    marks: dict[str, Mark] = {}
    half = 0.5 * PALM_SIZE * size
    square = half * np.array([[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]])
    for k, (name, pose) in enumerate(zip(stand.names, stand.poses, strict=True)):
        tint = colour(style.LIMIT if k in decision.at_limit else PALM)
        corners = pose.apply(square)
        marks[f"palms/{k}/square"] = Surface(corners, fan(4), tint)
        marks[f"palms/{k}/border"] = Lines(ring(corners), mixed(tint, (0, 0, 0), 0.3), 2.0)
        x, y, z = (float(v) for v in pose.translation - NAME * size * pose.rotation[:, 2])
        marks[f"words/{k}"] = Word(name, (x, y, z))
    for axis, letter in enumerate("xyz"):
        ends = np.array([[p.translation, p.translation + FRAME * size * p.rotation[:, axis]] for p in stand.poses])
        marks[f"frames/{letter}"] = Arrows(ends, colour(style.FRAME[axis]), 0.003 * size)
    return marks


def _towards(stand: Standing) -> tuple[float, float, float]:
    """The way the camera looks: at palms on a wall from the side of the body, at palms on a floor from above."""
    out = np.mean([pose.rotation[:, 2] for pose in stand.poses], axis=0)
    across = float(np.hypot(out[0], out[1]))
    if across <= (1.0 - UPWARDS) * max(float(np.linalg.norm(out)), 1e-9) or abs(out[2]) > across:
        return ON_FLOOR
    into = -out[:2] / across
    x, y = INTO * into + ALONG * np.array([-into[1], into[0]])
    return float(x), float(y), DOWNWARDS


def _notes(body: Body) -> str:
    text = f"{LEGEND} **Orange** palms are at their limit where the centre of mass would leave the region first."
    if body.gravity_is_fixed:
        text += " Gravity cannot be turned: links of the hands have a weight, and the grips hold for this gravity."
    if body.scene.description:
        text = f"{body.scene.description.strip()}\n\n{text}"
    return text


def reaches(body: Body) -> Mapping[str, tuple[float, float]]:
    """How far sliders take the centre of mass along each axis [m]: half a size round palms and centre."""
    points = np.vstack([[pose.translation for pose in body.scene.poses], body.scene.com])
    low, high = points.min(axis=0) - 0.5 * body.size, points.max(axis=0) + 0.5 * body.size
    return {axis: (_round(low[k]), _round(high[k])) for k, axis in enumerate("xyz")}


def _round(value: float) -> float:
    return round(float(value), 2)

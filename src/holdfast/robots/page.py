"""Robots in the viewer: their links, the page of a robot file (on hands or on units), replay of saved sequences."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..assembly.loads import STANDARD_GRAVITY, gravity_wrench
from ..checks import Array
from ..compiling import clock
from ..files.reader import DATA
from ..geometry.frames import Pose, frame_from_normal
from ..postures import LazyGrip, support_region
from ..postures.page import (
    HANDLE,
    NONE,
    Decision,
    PostureBody,
    Standing,
    area_text,
    body_entry,
    diagonal,
    gravity_sliders,
    margin_text,
    reaches,
    standing_answer,
)
from ..scenes.page import angles, direction
from ..statics.diagnosis import diagnose
from ..statics.solver import Solver
from ..web.handles import PointHandle
from ..web.marks import Dots, Drawing, Lines, Mark, Marks, Mesh, Surface, colour, framed, polygons_mesh, written
from ..web.page import Answer, AskingPage, PageContext, PageEntry, ShownFile, Verdict
from .bodies import RobotContacts, WholeBody, whole_body
from .leaning import LimitingElement, lean
from .plots import BODY, GRIPPER, link_solids, sticks

if TYPE_CHECKING:
    from .files import RobotScene
    from .robot import Robot
    from .sequences import PostureSequence
    from .torques import HoldingTorques

#: Colour and size of the holding palms [m].
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
    """The robot in a posture: links called `palms` in the colour of grippers, its root transparent.

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


# Replay of a saved sequence of postures.


def posture_marks(sequence: PostureSequence, index: int) -> Marks:
    """One posture of a sequence: the robot, and a dot at each holding palm."""
    q, names = sequence.postures[index], sequence.holding[index]
    own = [hand for hand in sequence.hands if hand.name in names]
    marks = robot_marks(sequence.robot, q, [hand.palm for hand in own])
    points = np.array([hand.pose(sequence.robot, q).translation for hand in own]).reshape(-1, 3)
    return marks | {"holding": Dots(points, colour(HOLDING), HOLDING_SIZE)}


class SequencePage(AskingPage[tuple[int, bool]]):
    """A slider over the postures of a sequence, and a box that plays them.

    Args:
        context: of the browser.
        sequence: the sequence.
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
    """Contents of the page of a sequence for one posture, or while all are played."""
    ends = [Drawing(posture_marks(sequence, at)).corners for at in (0, len(sequence) - 1)]
    view = framed(np.concatenate(ends), (0.8, 0.62, -0.4))
    marks = posture_marks(sequence, index)
    if play:
        status = "all postures hold" if sequence.holds else "some postures do not hold"
        least = f"least margin {sequence.margins.min():.0%} of the weight"
        lines = (f"{len(sequence)} postures; switch Play off to choose one with the slider",)
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


# -- a robot from a file: on hands with grips, or on units -------------------------------------------------------

#: Colour of the ground; one sheet is drawn where all contacts lie in one plane, within this fraction of the size and
#: this angle [rad]; otherwise a tile at each. Its extent beyond the contacts, half a tile, its distance below:
#: fractions of the size.
GROUND, FLAT, PARALLEL, BEYOND, TILE, BELOW = "#B9A77C", 0.02, 0.02, 0.3, 0.12, 0.006

#: Regions are drawn on ground that is not steeper than this [rad], otherwise at the height of the centre of mass.
STEEPEST = np.radians(60.0)

#: Number of stored standings of a robot.
KEPT = 16

#: Ends of the slider of friction, and its step.
FRICTION = (0.1, 3.0, 0.05)

#: Largest numbers of reasons if a robot does not hold, of joints if it does, and of elements that fail first.
REASONS, JOINTS, FAILING = 3, 3, 2

#: Assumed friction of the feet of a URDF, which does not define it.
ASSUMED_FRICTION = 0.6


def ground_marks(points: Array, normals: Array, size: float) -> dict[str, Mark]:
    """The ground at points (n, 3) of a robot: one sheet where they lie in a plane, otherwise a tile at each.

    Args:
        points: contact points [m].
        normals: (n, 3) unit vectors out of the ground.
        size: size of the drawing [m].
    """
    plane = ground_plane(points, normals, size)
    if plane is not None:
        sheets = [_sheet(points, plane[1], BEYOND * size, BELOW * size)]
    else:
        sheets = [_sheet(p[None], n, TILE * size, BELOW * size) for p, n in zip(points, normals, strict=True)]
    return {"ground": Surface(*polygons_mesh(sheets), colour(GROUND), 0.6)}


def ground_plane(points: Array, normals: Array, size: float) -> tuple[Array, Array] | None:
    """(point (3,), normal (3,)) of the plane through points (n, 3) with equal normals; None without one."""
    up = normals.mean(axis=0)
    length = float(np.linalg.norm(up))
    flat = length > np.cos(PARALLEL) and float(np.ptp(points @ up)) <= FLAT * size
    return (points.mean(axis=0), up / length) if flat else None


def _sheet(points: Array, normal: Array, beyond: float, below: float) -> Array:
    """(4, 3) a rectangle normal to `normal` around points (n, 3), a little below them."""
    frame = frame_from_normal(normal)
    flat = (points - points[0]) @ frame
    (x0, y0), (x1, y1) = flat[:, :2].min(axis=0) - beyond, flat[:, :2].max(axis=0) + beyond
    depth = float(flat[:, 2].min()) - below
    return points[0] + np.array([[x0, y0, depth], [x1, y0, depth], [x1, y1, depth], [x0, y1, depth]]) @ frame.T


def robot_body(scene: RobotScene) -> PostureBody:
    """The robot of a file as one body on its hands, with its links and the ground; without hands an InputError."""
    posture = scene.posture()
    points = np.array([pose.translation for pose in posture.poses])
    normals = np.array([pose.rotation[:, 2] for pose in posture.poses])
    looks = robot_marks(scene.robot, scene.q, [hand.palm for hand in scene.hands])
    return PostureBody(posture, looks | ground_marks(points, normals, diagonal(np.vstack([points, posture.com]))))


@dataclass(frozen=True)
class UnitsState:
    """The controls of the page of a robot on units.

    Attributes:
        com: (x, y, z) of the centre of mass of what is held, in the world [m].
        tilt, heading: direction of gravity [deg].
        friction: factor on the shear components of every force volume.
        load: name of a load of the file that also acts, "" for none.
    """

    com: tuple[float, float, float]
    tilt: float = 0.0
    heading: float = 0.0
    friction: float = 1.0
    load: str = ""


@dataclass(frozen=True, eq=False)
class Bracing:
    """A robot on its units under one gravity, friction and load, for any centre of mass.

    Attributes:
        body: every unit and every joint.
        stand: the units and the regions of the centre of mass.
        solver: a warm solver for any load.
    """

    body: WholeBody
    stand: Standing
    solver: Solver

    def load(self, com: Array) -> Array:
        """(6,) weight and loads with the centre of mass at `com`."""
        return gravity_wrench(self.stand.mass, self.stand.gravity, com) + self.stand.beside


class UnitQuestions:
    """Results of one browser for a robot on units; keeps the last ones.

    Args:
        scene: a robot file with touches.
    """

    def __init__(self, scene: RobotScene) -> None:
        self.scene = scene
        self._kept: dict[tuple[float, float, float, str], Bracing] = {}
        body = scene.whole_body()
        self.held = body.held
        self.frames = body.touching.frames
        points = np.array([frame.translation for frame in self.frames])
        self.com = self._com(points)
        robot = [place[:3, 3] for place in scene.robot.placements(scene.q, scene.robot.links)]
        self.points = np.vstack([points, self.com])
        self.size = diagonal(np.vstack([robot, self.points]))
        into = -1.0 if self.held == "robot" else 1.0
        normals = into * np.array([frame.rotation[:, 2] for frame in self.frames])
        self.looks: Marks = robot_marks(scene.robot, scene.q, [touch.link for touch in scene.touches])
        self._plane = None
        if self.held == "robot":
            self.looks = {**self.looks, **ground_marks(points, normals, self.size)}
            self._plane = ground_plane(points, normals, self.size)

    def _com(self, points: Array) -> Array:
        """(3,) centre of mass of what is held: the robot, the object, or the mean of the contacts [m]."""
        if self.held == "robot":
            return self.scene.robot.com(self.scene.q)
        return points.mean(axis=0) if self.scene.object_com is None else self.scene.object_com

    @property
    def mass(self) -> float:
        """Mass of what is held [kg]; 0 for a hand without an object."""
        if self.held == "robot":
            return self.scene.robot.mass
        return float(np.linalg.norm(self.scene.object_weight[:3])) / (_size(self.scene.gravity) or STANDARD_GRAVITY)

    @property
    def start(self) -> UnitsState:
        """The state of the file."""
        x, y, z = (float(value) for value in self.com)
        tilt, heading = angles(self.scene.gravity) if self.scene.gravity.any() else (0.0, 0.0)
        return UnitsState((x, y, z), tilt, heading)

    def gravity(self, state: UnitsState) -> Array:
        """(3,) gravity of a state [m/s^2]; exactly the file's for its own direction, none if the file has none."""
        start = self.start
        if (state.tilt, state.heading) == (start.tilt, start.heading):
            return self.scene.gravity
        return direction(state.tilt, state.heading) * _size(self.scene.gravity)

    def ground(self, gravity: Array) -> tuple[Array, Array] | None:
        """(point, normal) of the ground, if it is a plane on which a region can be drawn under this gravity."""
        steep = self._plane is None or -gravity @ self._plane[1] < np.cos(STEEPEST) * (_size(gravity) or np.inf)
        return None if steep else self._plane

    def of(self, state: UnitsState) -> Bracing:
        """The robot under a gravity, friction and load, for any centre of mass."""
        key = (state.tilt, state.heading, state.friction, state.load)
        if key not in self._kept:
            while len(self._kept) >= KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[key] = self._bracing(state)
        return self._kept[key]

    def _bracing(self, state: UnitsState) -> Bracing:
        scene, gravity = self.scene, self.gravity(state)
        beside = scene.load(state.load) if state.load else np.zeros(6)
        body = whole_body(scene.robot, scene.q, scene.touches, gravity)
        if state.friction != 1.0:
            body = replace(body, touching=_with_friction(body.touching, state.friction))
        region = None
        if self.held == "robot" and gravity.any():
            # All units and joints are one lazy hand: its region includes every torque limit.
            hand = LazyGrip(body.assembly, None, "direct", palm_gravity=gravity)
            region = support_region([hand], [Pose.identity()], self.mass, gravity, wrench=beside)
        inner = None if region is None or region.side == "outer" else region
        turn = np.diag([-1.0, 1.0, -1.0]) if self.held == "robot" else np.eye(3)
        poses = tuple(Pose(frame.rotation @ turn, frame.translation) for frame in self.frames)
        names = tuple(touch.name for touch in scene.touches)
        stand = Standing(names, poses, self.mass, gravity, beside, None, inner, region)
        return Bracing(body, stand, Solver(body.assembly))


def _size(vector: Array) -> float:
    return float(np.linalg.norm(vector))


def _with_friction(touching: RobotContacts, friction: float) -> RobotContacts:
    """The same contacts with every volume stretched along the surface."""
    stretched = cache(lambda volume: volume.stretched(friction))
    patches = [
        replace(patch, contacts=tuple(replace(point, volume=stretched(point.volume)) for point in patch.contacts))
        for patch in touching.patches
    ]
    return replace(touching, patches=tuple(patches))


def units_answer(state: UnitsState, questions: UnitQuestions) -> Answer:
    """The robot on its units: forces, ground, region of its centre of mass, and the verdict."""
    start = clock()
    bracing, com = questions.of(state), np.asarray(state.com)
    decision = _braced(bracing, com)
    seconds = clock() - start
    scene = questions.scene
    notes = f"{scene.description.strip()}\n\n{_UNIT_NOTES[questions.held]}".strip()
    stand, ground = bracing.stand, questions.ground(bracing.stand.gravity)
    return standing_answer(
        stand, com, decision, questions.looks, questions.size, seconds, scene.name, notes, ground=ground
    )


def _braced(bracing: Bracing, com: Array) -> Decision:
    """Whether units and joints hold with the centre of mass at `com` (3,), and their loads."""
    load, stand = bracing.load(com), bracing.stand
    body = bracing.body.with_load(load)
    answer = bracing.solver.equilibrium(load)
    status, lines = str(answer.status.value), []
    failing: tuple[LimitingElement, ...] = ()
    wrenches = None
    if answer.holds:
        torques = body.torques("least norm") if body.robot.joints else None
        forces = answer.even().forces if torques is None or torques.forces is None else torques.forces
        wrenches = _unit_wrenches(body, forces)
        lines += [] if torques is None else _joint_lines(torques)
        way = _nearest_way(stand, com)
        failing = () if way is None else lean(body, way).limiting
        if failing:
            lines.append(f"towards the nearest border: {'; '.join(map(str, failing[:FAILING]))}")
    else:
        held = "the robot " if body.held == "robot" else "the object "
        sentences = diagnose(answer).sentences if answer.certificate is not None else ()
        lines += [sentence.replace("the object ", held) for sentence in sentences[:REASONS]]
    if body.held == "object":
        margin = f"load factor {written(bracing.solver.load_limit(load).value)}" if load.any() else "no load acts"
    else:
        margin = "gravity does not act" if stand.outer is None else margin_text(stand, com)
        lines += (
            [] if stand.outer is None else [f"region {area_text(stand.outer)}, including torque limits of all joints"]
        )
    names = [element.name for element in failing if element.kind == "contact"]
    return Decision(status, margin, tuple(lines), wrenches, tuple(stand.names.index(name) for name in names))


def _unit_wrenches(body: WholeBody, forces: Any) -> Array:
    """(k, 6) wrench of each unit on what is held, torques about the world origin, from forces at all points."""
    points = np.array([contact.position for contact in body.touching.contacts])
    each = np.hstack([forces, np.cross(points, forces)])
    units = np.zeros((len(body.touching.touches), 6))
    np.add.at(units, body.touching.touch_of, each)
    return units


def _joint_lines(torques: HoldingTorques) -> list[str]:
    """The most loaded joints, by the fraction of their limits."""
    shares = np.nan_to_num(np.abs(torques.shares))
    most = [k for k in np.argsort(-shares)[:JOINTS] if shares[k] > 0.0]
    names, values = torques.body.robot.joint_names, torques.torques
    if values is None or not most:
        return []
    words = ", ".join(f"{names[k]} {written(float(values[k]))} ({shares[k]:.0%})" for k in most)
    return [f"smallest joint torques [N m, N] and fractions of the limits: {words}"]


def _nearest_way(stand: Standing, com: Array) -> Array | None:
    """(3,) the direction from the centre of mass to the nearest border of its region; None where there is none."""
    region = stand.inner
    active = None if region is None or region.is_empty else region.active(com)
    return None if active is None else active.direction


_UNIT_NOTES = {
    "robot": (
        "**Green**: where the centre of mass may be; with all units, joints and torque limits. The posture "
        "does not change while the centre of mass moves. Drag the handle at the centre of mass. Black arrows: forces "
        "on the robot that need the least joint torques (arcs: torques); violet: its weight and loads. **Orange** "
        "units reach their limit first at the nearest border."
    ),
    "object": (
        "The robot stands on a fixed base and holds an object. Black arrows: forces on the object that need the least "
        "joint torques (arcs: torques); violet: its weight and loads."
    ),
}


class UnitsPage(AskingPage[UnitsState]):
    """Handle and sliders for the centre of mass; gravity, friction, a menu of loads.

    Args:
        context: of the browser.
        scene: a robot on units, or its file, which is read when the page is opened.
    """

    def __init__(self, context: PageContext, scene: RobotScene | str) -> None:
        super().__init__(context)
        self._given = scene
        self._handles: dict[str, Any] = {}

    def add_controls(self) -> None:
        """The centre of mass by three sliders and a handle in the scene; gravity, friction, loads."""
        self._questions = UnitQuestions(read_robot(self._given) if isinstance(self._given, str) else self._given)
        questions, start, gui, add = self._questions, self._questions.start, self.context.client.gui, self._handles
        self.title = questions.scene.name
        self._com = PointHandle(self, start.com, reaches(questions.points), HANDLE * questions.size)
        weightless = not questions.scene.gravity.any()
        for name, label, low, value, hint in gravity_sliders(start.tilt, start.heading):
            add[name] = self.asks(gui.add_slider(label, low, 180.0, 1.0, value, hint=hint, disabled=weightless))
        hint = "factor on the shear components of every force volume"
        add["friction"] = self.asks(gui.add_slider("Friction scale", *FRICTION, 1.0, hint=hint))
        names = (NONE, *questions.scene.loads)
        add["load"] = self.asks(gui.add_dropdown("Load", names, initial_value=NONE, visible=len(names) > 1))
        self.keep(gui.add_button("As in the file")).on_click(lambda _: self._go_home())

    def state(self) -> UnitsState:
        """The present state of handle, sliders and menu."""
        tilt, heading, friction = (float(self._handles[name].value) for name in ("tilt", "heading", "friction"))
        load = self._handles["load"].value
        return UnitsState(self._com.position, tilt, heading, friction, "" if load == NONE else load)

    def answer(self, state: UnitsState) -> Answer:
        """The robot, its forces and region, and the verdict."""
        return units_answer(state, self._questions)

    def _go_home(self) -> None:
        """Reset everything to the values of the file."""
        start = self._questions.start
        for name, value in (("tilt", start.tilt), ("heading", start.heading), ("friction", 1.0), ("load", NONE)):
            self._handles[name].value = value
        self._com.move(start.com)


def robot_entry(scene: RobotScene, key: str = "scene-robot") -> PageEntry:
    """The page of a robot from a file: one body on its hands, or every unit and joint."""
    if scene.hands:
        body = robot_body(scene)
        summary = f"{scene.name}: support region of the robot in this posture, and the forces of its hands."
        return body_entry(key, scene.name, summary, lambda: body)
    what = "support region" if scene.robot.base == "floating" else "whether the robot holds the object"
    return _units_entry(key, scene.name, f"{scene.name}: {what} in this posture, and what its joints bear.", scene)


def file_pages(file: ShownFile) -> tuple[PageEntry, ...]:
    """The page of a robot, or of a sequence of postures."""
    if file.kind.name == "posture sequence":
        return (sequence_entry(file.content),)
    return (robot_entry(read_robot(file.name, trust=file.trust)),)


def _units_entry(key: str, title: str, summary: str, scene: RobotScene | str) -> PageEntry:
    return PageEntry(key, title, "Climber", summary, lambda context: UnitsPage(context, scene))


def read_robot(path: str | Path, *, trust: bool = False) -> RobotScene:
    """The robot in a robot file; or from only a URDF, xacro or MJCF, on the feet found from its shapes.

    Warnings of the readers are added to its description; `trust` allows a xacro file to run.
    """
    from .files import load_robot, load_standing
    from .urdf import RobotWarning

    suffix = Path(path).suffix.lower()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RobotWarning)
        if suffix in (".urdf", ".xacro"):
            scene = load_standing(path, mu=ASSUMED_FRICTION, trust=trust)
        else:
            scene = load_standing(path) if suffix == ".xml" else load_robot(path, trust=trust)
    said = [str(warning.message) for warning in caught if issubclass(warning.category, RobotWarning)]
    if suffix in (".urdf", ".xacro"):
        said.insert(0, f"Neutral posture; the friction coefficient of the feet is assumed to be {ASSUMED_FRICTION}.")
    return replace(scene, description="\n\n".join([part for part in (scene.description.strip(), *said) if part]))


ENTRIES = (
    _units_entry(
        "quadruped-on-feet",
        "Quadruped on its feet",
        "A robot from its URDF on round feet: where its centre of mass may be, with the torque limits of its joints.",
        str(DATA / "robots" / "quadruped.yaml"),
    ),
)

"""The viewer page of a posture: its support regions, its hands, and its centre of mass as a handle."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..assembly.loads import STANDARD_GRAVITY, gravity_wrench
from ..checks import Array
from ..geometry.frames import Pose
from ..grips import GripBounds
from ..plotting import style
from ..scenes.page import angles, direction
from ..web.handles import PointHandle
from ..web.marks import (
    Arrows,
    Dots,
    Drawing,
    Lines,
    Mark,
    Marks,
    Surface,
    Word,
    colour,
    fan,
    framed,
    mixed,
    ring,
    turn_lines,
)
from ..web.page import Answer, AskingPage, PageEntry, ShownFile, Tone, Verdict
from .files import load_posture
from .plots import BODY, INNER, OUTER, PALM, PALM_SIZE, lifted_outline
from .region import SupportRegion
from .region_computation import Sampling, support_region
from .solver import PostureSolver

if TYPE_CHECKING:
    from ..web.page import PageContext
from .hands import PostureScene

# A body on its hands for any centre of mass: whether it holds, its support region, and the drawing of both.
#
# World frame with gravity in any direction; regions are normal to gravity, at the height of the centre of mass.

#: Number of directions of outer regions of grips with bounds.
DIRECTIONS = 32

#: A hand is reported as at its limit if its effect on the border is at least this fraction of the largest.
NAMED = 0.2

#: Length of an arrow as large as the weight, radius of shafts, diameter of the centre of mass, and radius of a torque's
#: arc that is the weight times the posture's size: fractions of that size. Smaller fractions of the weight are not
#: drawn.
ARROW, RADIUS, DOT, ARC, NEGLIGIBLE = 0.45, 0.009, 0.04, 0.9, 1e-3

#: Default gravity [m/s^2].
DOWN = (0.0, 0.0, -STANDARD_GRAVITY)

#: Legend of regions and arrows.
LEGEND = (
    "**Green**: inner region, where the body is guaranteed to hold. **Red**: outer region, outside of which it does "
    "not; both lie across gravity at the height of the centre of mass. Drag the handle at the centre of mass. Black "
    "arrows: forces of the hands on the body (arcs: torques); violet: its weight and loads."
)

TONES: dict[str, Tone] = {"holds": "good", "does not hold": "bad", "undecided": "open"}


@dataclass(frozen=True, eq=False)
class Standing:
    """Hands that hold a body of some mass under gravity, for any centre of mass.

    Attributes:
        names: names of the hands.
        poses: from each palm frame into the world.
        mass: mass of the body [kg].
        gravity: (3,) [m/s^2] in the world.
        beside: (6,) load in addition to the weight, torque about the world origin.
        solver: a warm solver for any load; None without hands.
        inner: region where holding is guaranteed, or None where none is known.
        outer: region outside of which it does not hold, or None.
    """

    names: tuple[str, ...]
    poses: tuple[Pose, ...]
    mass: float
    gravity: Array
    beside: Array
    solver: PostureSolver | None
    inner: SupportRegion | None
    outer: SupportRegion | None

    @property
    def palms(self) -> Array:
        """(k, 3) positions of the palms [m]."""
        return np.array([pose.translation for pose in self.poses]).reshape(-1, 3)

    @property
    def weight(self) -> float:
        """Size of the weight [N]."""
        return self.mass * float(np.linalg.norm(self.gravity))


@dataclass(frozen=True, eq=False)
class Decision:
    """The result for one centre of mass.

    Attributes:
        status: "holds", "does not hold" or "undecided".
        margin: position of the centre of mass in the regions, as text.
        lines: further sentences.
        wrenches: (k, 6) of the hands on the body, torques about the world origin, or None.
        at_limit: numbers of the hands at their limit where the centre of mass would leave the inner region first.
    """

    status: str
    margin: str
    lines: tuple[str, ...]
    wrenches: Array | None
    at_limit: tuple[int, ...]


def standing(
    names: Sequence[str],
    grips: Sequence[Any],
    poses: Sequence[Pose],
    mass: float,
    gravity: Any = DOWN,
    beside: Array | None = None,
    solver: PostureSolver | None = None,
) -> Standing:
    """Hands with grips as a `Standing`; the solver of an earlier one with the same hands is used again."""
    down, other = np.asarray(gravity, dtype=float), np.zeros(6) if beside is None else beside
    if not len(poses):
        return Standing((), (), mass, down, other, None, None, None)
    inner, outer = _regions(grips, poses, mass, down, other)
    asked = PostureSolver(grips, poses, gravity=down) if solver is None else solver
    return Standing(tuple(names), tuple(poses), mass, down, other, asked, inner, outer)


def _regions(
    grips: Sequence[Any], poses: Sequence[Pose], mass: float, gravity: Array, beside: Array
) -> tuple[SupportRegion | None, SupportRegion]:
    """The region of the inner sets, exact, and one around that of the outer sets.

    Lazy hands may have no inner region: None.
    """
    inners = [grip.inner if isinstance(grip, GripBounds) else grip for grip in grips]
    inner = support_region(inners, poses, mass, gravity, wrench=beside)
    known = None if inner.side == "outer" else inner
    if not any(isinstance(grip, GripBounds) for grip in grips):
        return known, inner
    outers = [grip.outer if isinstance(grip, GripBounds) else grip for grip in grips]
    return known, support_region(outers, poses, mass, gravity, wrench=beside, method=Sampling(DIRECTIONS)).outer


def decided(stand: Standing, com: Any) -> Decision:
    """Whether the body holds with its centre of mass at `com` (3,), and its distance from the borders."""
    if stand.solver is None:
        return Decision("does not hold", "no hand holds", (), None, ())
    load = gravity_wrench(stand.mass, stand.gravity, com) + stand.beside
    answer = stand.solver.equilibrium(load).even()
    lines: list[str] = []
    if answer.holds:
        most = stand.solver.scale_interval(load)[1]
        word = "without limit" if np.isinf(most) else f"to {most:.3g} times itself"
        lines.append(f"the load may grow {word}")
    at_limit = _at_limit(stand.inner, com)
    if at_limit:
        every = len(at_limit) == len(stand.names)
        listed = "all hands" if every else ", ".join(stand.names[hand] for hand in at_limit)
        lines.append(f"at the nearest border at {'its' if len(at_limit) == 1 else 'their'} limit: {listed}")
    if stand.inner is stand.outer:
        lines.append(f"region {area_text(stand.outer)}, exact")
    else:
        lines.append(f"inner region {area_text(stand.inner)}, outer region {area_text(stand.outer)}")
    wrenches = answer.world_wrenches
    return Decision(str(answer.status.value), margin_text(stand, com), tuple(lines), wrenches, at_limit)


def margin_text(stand: Standing, com: Any) -> str:
    """The position of the centre of mass as text."""
    inside = -np.inf if stand.inner is None else float(stand.inner.signed_distance(com))
    beyond = np.inf if stand.outer is None else float(stand.outer.signed_distance(com))
    alone = stand.inner is stand.outer
    if inside >= 0.0:
        return f"centre of mass {_length(inside)} inside the {'region' if alone else 'inner region'}"
    if beyond < 0.0:
        if np.isinf(beyond):
            return "no position of the centre of mass holds"
        return f"centre of mass {_length(-beyond)} outside the {'region' if alone else 'outer region'}"
    return "centre of mass between the inner and the outer region"


def _at_limit(region: SupportRegion | None, com: Any) -> tuple[int, ...]:
    """Hands at their limit on the nearest border, the most important first."""
    if region is None or region.is_empty:
        return ()
    active = region.active(com)
    return () if active is None else tuple(hand.hand for hand in active.hands if hand.share >= NAMED)


def area_text(region: SupportRegion | None) -> str:
    """The area of a region as text."""
    if region is None:
        return "unknown"
    if region.is_empty:
        return "empty"
    return f"{region.area:.3g} m\u00b2" if region.is_bounded else "unbounded"


def _length(value: float) -> str:
    return "unbounded" if np.isinf(value) else f"{1e3 * value:.0f} mm"


# -- what is drawn ------------------------------------------------------------------------------------


def region_marks(stand: Standing, com: Array) -> dict[str, Mark]:
    """Inner and outer regions as sheets with borders, at the height of the centre of mass."""
    marks: dict[str, Mark] = {}
    looks = (("outer", stand.outer, OUTER, 0.10, -0.004), ("inner", stand.inner, INNER, 0.28, 0.0))
    for name, region, tint, opacity, lower in looks:
        if region is None or region.is_empty or (name == "outer" and region is stand.inner):
            continue
        corners = lifted_outline(region, com, stand.palms) + lower * region.frame.up
        if len(corners) >= 3:
            marks[f"{name}/sheet"] = Surface(corners, fan(len(corners)), colour(tint), opacity)
        marks[f"{name}/border"] = Lines(ring(corners), colour(tint), 3.0)
    return marks


def _on_ground(stand: Standing, com: Array, point: Array, normal: Array) -> dict[str, Mark]:
    """The regions projected along gravity on a plane, and the line from the centre of mass to its projection."""
    down = stand.gravity / np.linalg.norm(stand.gravity)

    def dropped(places: Array) -> Array:
        return places + ((point - places) @ normal / (down @ normal))[..., None] * down

    marks: dict[str, Mark] = {}
    for name, mark in region_marks(stand, com).items():
        if isinstance(mark, Surface):
            marks[name] = replace(mark, vertices=dropped(mark.vertices))
        elif isinstance(mark, Lines):
            marks[name] = replace(mark, points=dropped(mark.points))
    foot = dropped(com)
    marks["plumb"] = Lines(np.array([[com, foot]]), colour(style.LOAD), 1.5)
    return marks


def action_marks(stand: Standing, com: Array, decision: Decision, size: float) -> dict[str, Mark]:
    """Forces and torques of the hands, the weight with other loads, and the centre of mass.

    Forces start at the palms, torques are drawn around them; all have the same scale, set by the weight.

    Args:
        stand: the hands.
        com: (3,) centre of mass.
        decision: with the wrenches.
        size: size of the drawing [m].
    """
    marks: dict[str, Mark] = {}
    weight = stand.weight or float(np.linalg.norm(stand.beside[:3])) or 1.0
    scale = ARROW * size / weight
    load = scale * (stand.mass * stand.gravity + stand.beside[:3])
    marks["weight"] = Arrows(np.array([[com, com + load]]), colour(style.LOAD), RADIUS * size)
    marks["com"] = Dots(com[None, :], colour(style.VERDICT[decision.status]), DOT * size)
    if decision.wrenches is None:
        return marks
    palms, forces = stand.palms, decision.wrenches[:, :3]
    torques = decision.wrenches[:, 3:] - np.cross(palms, forces)
    strong = np.linalg.norm(forces, axis=1) > NEGLIGIBLE * weight
    arrows = np.stack([palms, palms + scale * forces], axis=1)[strong]
    marks["forces"] = Arrows(arrows, colour(style.FORCE), RADIUS * size)
    arcs = []
    for palm, torque in zip(palms, torques, strict=True):
        strength = float(np.linalg.norm(torque)) / (weight * size)
        if strength > NEGLIGIBLE:
            arcs.append(turn_lines(palm, torque / np.linalg.norm(torque), size * ARC * strength))
    marks["torques"] = Lines(np.concatenate(arcs) if arcs else np.zeros((0, 2, 3)), colour(style.FORCE), 2.5)
    return marks


# A posture in the viewer: a body on its palms, from a posture or robot file, and its support region.

#: Length of the palms' frames, and distance of their names behind them, as fractions of the posture's size.
FRAME, NAME = 0.06, 0.09

#: Size of a posture whose palms and centre of mass are at one point [m].
SMALLEST = 0.1

#: Viewing direction for walls: fractions of the directions into the wall, along it, and down.
INTO, ALONG, DOWNWARDS = 0.8, 0.62, -0.4

#: Viewing direction for a floor.
ON_FLOOR = (0.5, 0.7, -0.62)

#: Regions are in view up to this fraction of the posture's size beyond everything else.
NEAR = 0.25

#: Palms whose normal is vertical by more than this fraction are on a floor.
UPWARDS = 0.8

#: Number of stored standings.
KEPT = 32


@dataclass(frozen=True)
class PostureState:
    """The controls of the page.

    Attributes:
        com: (x, y, z) of the centre of mass in the world [m].
        mass: mass of the body [kg].
        tilt, heading: direction of gravity [deg], as in `scenes.page.direction`.
        load: name of a load of the file that also acts, "" for none.
    """

    com: tuple[float, float, float]
    mass: float
    tilt: float = 0.0
    heading: float = 0.0
    load: str = ""


@dataclass(frozen=True, eq=False)
class PostureBody:
    """A body of a file.

    Attributes:
        scene: grips, poses and loads.
        looks: marks of its links; {} where only the palms are known.
    """

    scene: PostureScene
    looks: Marks = field(default_factory=dict)

    @property
    def size(self) -> float:
        """Diagonal of the box around palms and centre of mass [m]."""
        return diagonal(self._points)

    @property
    def _points(self) -> Array:
        """(n, 3) palms and centre of mass [m]."""
        return np.vstack([[pose.translation for pose in self.scene.poses], self.scene.com])

    @property
    def reaches(self) -> Mapping[str, tuple[float, float]]:
        """Ranges of the sliders for the centre of mass along each axis [m]."""
        return reaches(self._points)

    @property
    def gravity_is_fixed(self) -> bool:
        """Whether a grip is valid only for the file's gravity, since links of the hand have a weight."""
        return self.scene.hands_weigh or any(getattr(g, "palm_gravity", None) is not None for g in self.scene.grips)

    @property
    def start(self) -> PostureState:
        """The state of the file."""
        x, y, z = (float(value) for value in self.scene.com)
        tilt, heading = angles(self.scene.gravity) if self.scene.gravity.any() else (0.0, 0.0)
        return PostureState((x, y, z), self.scene.mass, tilt, heading)

    def gravity(self, state: PostureState) -> Array:
        """(3,) gravity of a state [m/s^2]; exactly the file's for its own direction."""
        if (state.tilt, state.heading) == (self.start.tilt, self.start.heading) and self.scene.gravity.any():
            return self.scene.gravity
        return direction(state.tilt, state.heading) * (float(np.linalg.norm(self.scene.gravity)) or STANDARD_GRAVITY)


class Standings:
    """Results of one browser for one body: a warm solver, and the last regions."""

    def __init__(self, body: PostureBody) -> None:
        self.body = body
        self._solver: PostureSolver | None = None
        self._kept: dict[tuple[float, float, float, str], Standing] = {}

    def of(self, state: PostureState) -> Standing:
        """Regions and solver for a mass, a gravity and a load, for any centre of mass."""
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


def posture_answer(state: PostureState, body: PostureBody, standings: Standings | None = None) -> Answer:
    """The body on its palms, the wrenches of its hands, its support region, and the verdict.

    Args:
        state: state of the controls.
        body: body of the file.
        standings: stored solver and regions; without them the result is the same but slower.
    """
    start = time.perf_counter()
    stand = (standings or Standings(body)).of(state)
    com, size = np.asarray(state.com), body.size
    decision = decided(stand, com)
    seconds = time.perf_counter() - start
    looks = body.looks
    if not looks:
        spokes = np.stack([np.broadcast_to(com, stand.palms.shape), stand.palms], axis=1)
        looks = {"body": Lines(spokes, colour(BODY), 4.0)}
    return standing_answer(stand, com, decision, looks, size, seconds, body.scene.name, _notes(body))


def standing_answer(
    stand: Standing,
    com: Array,
    decision: Decision,
    looks: Marks,
    size: float,
    seconds: float,
    subject: str,
    notes: str,
    ground: tuple[Array, Array] | None = None,
) -> Answer:
    """The picture of a standing body: its looks, regions, palms, forces, and the verdict.

    Args:
        stand: the hands or units.
        com: (3,) centre of mass [m].
        decision: the result.
        looks: marks of the body.
        size: size of the drawing [m].
        seconds: computing time.
        subject: what the camera looks at.
        notes: meaning of the colours.
        ground: (point (3,), normal (3,)) of the plane on which regions are drawn, with a line from the centre of mass
            along gravity; None draws them at the height of the centre of mass.
    """
    marks: dict[str, Mark] = {**looks}
    marks |= region_marks(stand, com) if ground is None else _on_ground(stand, com, *ground)
    marks |= palm_marks(stand, decision, size)
    marks |= action_marks(stand, com, decision, size)
    view = framed(near_corners(marks, size), towards(stand))
    verdict = Verdict(decision.status, TONES[decision.status], decision.margin, seconds, decision.lines)
    return Answer(verdict, Drawing(marks, view), subject, notes)


def near_corners(marks: Marks, size: float) -> Array:
    """(n, 3) points that must be visible: body, palms and arrows, and near parts of the regions."""
    near = {name: mark for name, mark in marks.items() if not name.startswith(("inner", "outer"))}
    points = Drawing(near).corners
    low, high = points.min(axis=0) - NEAR * size, points.max(axis=0) + NEAR * size
    return np.vstack([points, np.clip(Drawing(marks).corners, low, high)])


def palm_marks(stand: Standing, decision: Decision, size: float) -> dict[str, Mark]:
    """A square and a frame (x red, y green, z blue) for each palm, and its name; those at the limit are highlighted."""
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


def towards(stand: Standing) -> tuple[float, float, float]:
    """Viewing direction: for palms on a wall from the side of the body, for palms on a floor from above."""
    out = np.mean([pose.rotation[:, 2] for pose in stand.poses], axis=0)
    across = float(np.hypot(out[0], out[1]))
    if across <= (1.0 - UPWARDS) * max(float(np.linalg.norm(out)), 1e-9) or abs(out[2]) > across:
        return ON_FLOOR
    into = -out[:2] / across
    x, y = INTO * into + ALONG * np.array([-into[1], into[0]])
    return float(x), float(y), DOWNWARDS


def _notes(body: PostureBody) -> str:
    text = f"{LEGEND} **Orange** palms are at their limit where the centre of mass would leave the region first."
    if body.gravity_is_fixed:
        text += " Gravity cannot be turned: links of the hands have a weight, and the grips are for this gravity."
    if body.scene.description:
        text = f"{body.scene.description.strip()}\n\n{text}"
    return text


def diagonal(points: Array) -> float:
    """Diagonal of the box around points (n, 3) [m]; at least `SMALLEST`."""
    return max(float(np.linalg.norm(np.ptp(points, axis=0))), SMALLEST)


def reaches(points: Array) -> Mapping[str, tuple[float, float]]:
    """Ranges of the sliders for the centre of mass along each axis [m]: half a diagonal around points (n, 3)."""
    half = 0.5 * diagonal(points)
    low, high = points.min(axis=0) - half, points.max(axis=0) + half
    return {axis: (_round(low[k]), _round(high[k])) for k, axis in enumerate("xyz")}


def _round(value: float) -> float:
    return round(float(value), 2)


# A body on its hands from a posture or robot file: support regions, and its centre of mass as a handle.

#: Upper end of the mass slider, as a multiple of the file's mass.
MASS_REACH = 5.0

#: Size of the handle at the centre of mass, as a fraction of the posture's.
HANDLE = 0.18

#: Menu entry for no load.
NONE = "none"


def gravity_sliders(tilt: float, heading: float) -> tuple[tuple[str, str, float, float, str], ...]:
    """(name, label, lower end, first value, hint) of the sliders of gravity's direction [deg]."""
    return (
        ("tilt", "Gravity tilt [deg]", 0.0, tilt, "angle from straight down"),
        ("heading", "Gravity heading [deg]", -180.0, heading, "about z, from x"),
    )


class PosturePage(AskingPage["PostureState"]):
    """Handle and sliders for the centre of mass; sliders for mass and gravity, a menu of loads.

    Args:
        context: of the browser.
        body: function that makes the body when the page is opened.
    """

    def __init__(self, context: PageContext, body: Callable[[], PostureBody]) -> None:
        super().__init__(context)
        self._make = body
        self._standings: Standings | None = None
        self._com: PointHandle[tuple[float, float, float]] | None = None
        self._handles: dict[str, Any] = {}
        self._mass = 0.0

    def add_controls(self) -> None:
        """The centre of mass by three sliders and a handle in the scene; mass, gravity, loads."""
        body = self._make()
        self._standings, self.title = Standings(body), body.scene.name
        gui, add, start = self.context.client.gui, self._handles, body.start
        self._com = PointHandle(self, start.com, body.reaches, HANDLE * body.size)
        most = float(f"{MASS_REACH * start.mass:.2g}")
        self._mass = float(f"{start.mass:.4g}")
        add["mass"] = self.asks(gui.add_slider("Mass [kg]", most / 500.0, most, most / 500.0, self._mass))
        fixed = body.gravity_is_fixed
        for name, label, low, value, hint in gravity_sliders(start.tilt, start.heading):
            add[name] = self.asks(gui.add_slider(label, low, 180.0, 1.0, value, hint=hint, disabled=fixed))
        names = (NONE, *body.scene.loads)
        add["load"] = self.asks(gui.add_dropdown("Load", names, initial_value=NONE, visible=len(names) > 1))
        home = self.keep(gui.add_button("As in the file"))
        home.on_click(lambda _: self._go_home())

    def state(self) -> PostureState:
        """The present state of handle, sliders and menu; the initial mass is exactly the file's."""
        assert self._com is not None and self._standings is not None
        read = {name: handle.value for name, handle in self._handles.items()}
        load = "" if read["load"] == NONE else read["load"]
        mass, tilt, heading = float(read["mass"]), float(read["tilt"]), float(read["heading"])
        mass = self._standings.body.scene.mass if mass == self._mass else mass
        return PostureState(self._com.position, mass, tilt, heading, load)

    def answer(self, state: PostureState) -> Answer:
        """The body, its regions and the verdict."""
        assert self._standings is not None
        return posture_answer(state, self._standings.body, self._standings)

    def _go_home(self) -> None:
        """Reset everything to the values of the file."""
        assert self._standings is not None and self._com is not None
        start = self._standings.body.start
        for name, value in (("mass", self._mass), ("tilt", start.tilt), ("heading", start.heading)):
            self._handles[name].value = value
        self._handles["load"].value = NONE
        self._com.move(start.com)


def body_entry(key: str, title: str, summary: str, body: Callable[[], PostureBody]) -> PageEntry:
    """The page of a body on its hands, which is made when the page is opened."""
    return PageEntry(key, title, "Climber", summary, lambda context: PosturePage(context, body))


def scene_entry(scene: PostureScene, key: str = "scene-posture") -> PageEntry:
    """The page of a posture from a file."""
    summary = f"{scene.name}: support region of the body, and the forces of its hands."
    return body_entry(key, scene.name, summary, lambda: PostureBody(scene))


def file_pages(file: ShownFile) -> tuple[PageEntry, ...]:
    """The page of a posture."""
    ready = file.name.startswith("@")
    return (scene_entry(file.content, file.name[1:].replace("_", "-") if ready else "scene-posture"),)


def ready_entry(name: str, title: str, summary: str) -> PageEntry:
    """The page of a ready posture, which is read when the page is opened."""
    return body_entry(name.replace("_", "-"), title, summary, lambda: PostureBody(load_posture(f"@{name}")))


ENTRIES = (
    ready_entry(
        "quadruped_on_rock",
        "Quadruped on rock",
        "Four feet with friction on uneven rock: the support region is not the convex hull of the feet.",
    ),
    ready_entry(
        "climber_on_overhang",
        "Climber on an overhang",
        "Four gripping hands on a wall that overhangs by 15 degrees.",
    ),
)

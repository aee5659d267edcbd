"""Viewer pages of planar contact: a body with every motion that is possible, and a snake with its torque set.

A body lies on its obstacles; sliders change its load, and a ghost shows each possible motion. A snake is drawn at
the left; at the right is the plane of two joint torques, or the line of one, with the set of torques that allow only
the wanted motion (T*), those that allow another one too, and a dot at the torques of the sliders.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..checks import Array, IntArray
from ..compiling import clock
from ..errors import InputError, SceneError
from ..geometry.polytopes import Polytope
from ..plotting import style
from ..scenes.page import round_up
from ..web.handles import PointHandle
from ..web.marks import (
    Arrows,
    Colour,
    Dots,
    Drawing,
    Lines,
    Mark,
    Marks,
    Surface,
    Word,
    colour,
    fan,
    filled,
    framed,
    joined,
    mixed,
    ring,
    upright,
    written,
)
from ..web.page import Answer, AskingPage, PageEntry, ShownFile, Tone, Verdict
from .chains import NodeContact
from .files import PlanarBodyScene, PlanarChainScene, PlanarScene, load_planar
from .motion_sets import MotionSet, PlanarMotion
from .plots import AMBIGUOUS, ARROW, BODY, CONE, GROUND, MODE, NEGLIGIBLE, STEP, UNIQUE, displaced, drawn_sets, window
from .polyhedra import Polyhedron
from .problems import GRAVITY, Problem
from .torques import TorqueSet

if TYPE_CHECKING:
    from ..web.page import PageContext

#: Size of the body in the scene; of contacts, of arrows' shafts, of a torque's arc, by that size.
SIZE, DOT, SHAFT, ARC = 1.2, 0.055, 0.011, 0.17

#: Free space around the body, in units of its size.
ROOM = 0.28

#: Most motions that are drawn; samples of each continuum.
MOST, SAMPLES = 4, 3

#: Layers from back to front: obstacles, body, cones, ghosts, contacts and forces.
DEPTH = {"obstacle": 0.0, "body": 0.01, "cone": 0.02, "ghost": 0.03, "contact": 0.05, "force": 0.06}

MOTION_TONES: dict[str, Tone] = {
    "unique": "good", "finite": "open", "continuum": "open", "inconsistent": "bad", "impact": "bad",
}  # fmt: skip


@dataclass(frozen=True)
class BodyState:
    """The controls of the page.

    Attributes:
        mu: friction coefficient at all contacts, or None for those of the scene.
        load: (Fx, Fy, couple) [N, N m] in addition to the weight.
        point: (x, y) where the force of the load acts [m].
        chosen: which of the motions is drawn, counted from 0; None for all.
    """

    mu: float | None
    load: tuple[float, float, float]
    point: tuple[float, float]
    chosen: int | None = None


def load_ranges(scene: PlanarBodyScene) -> tuple[float, float, float]:
    """Ranges +- of the sliders of (Fx, Fy, couple) [N, N m]: twice the scene's load or the body's weight."""
    most = 2.0 * max(scene.body.mass * GRAVITY, float(np.abs(scene.load[:2]).max()))
    arm = scene.outline.size
    return most, most, max(0.5 * most * arm, 2.0 * abs(float(scene.load[2])))


def body_answer(state: BodyState, scene: PlanarBodyScene) -> Answer:
    """The body on its obstacles, its load, and every motion that is possible.

    Args:
        state: of the controls.
        scene: the body, its contacts and obstacles.
    """
    problem = scene.loaded(state.load, state.point).changed(mu=state.mu)
    start = clock()
    found = problem.motions()
    seconds = clock() - start
    place = body_place(problem)
    modes = list(found.modes)
    shown = modes[:MOST] if state.chosen is None else modes[state.chosen : state.chosen + 1]
    marks: dict[str, Mark] = {}
    marks |= _body_marks(problem, place)
    marks |= _contact_marks(problem, place, shown[0] if len(shown) == 1 else None)
    sample = found.modes[shown[0]].sample() if len(shown) == 1 else None
    marks |= _force_marks(problem, place, sample)
    seen = place(np.concatenate([problem.outline.vertices, problem.points]), "body")
    low, high = seen.min(axis=0) - ROOM * SIZE, seen.max(axis=0) + ROOM * SIZE
    drawing = Drawing(marks, framed(np.array([low, high])))
    return Answer(
        _body_verdict(found, seconds), drawing, scene.name, _body_notes(), _body_ghosts(problem, place, found, shown)
    )


def _body_verdict(found: MotionSet, seconds: float) -> Verdict:
    """How many motions there are, and which."""
    words = {
        "unique": "one motion",
        "finite": f"{len(found.modes)} motions are possible",
        "continuum": "a continuum of motions is possible",
        "inconsistent": "no motion satisfies the rigid-body equations",
        "impact": "a contact moves into its obstacle (impact)",
    }
    status = found.status.value
    lines = []
    for mode, piece in list(found.modes.items())[: 2 * MOST]:
        if piece.is_point:
            ax, ay, alpha = (float(v) for v in piece.vertices[0])
            lines.append(f"{mode}: a = ({written(ax)}, {written(ay)}) m/s\u00b2, alpha = {written(alpha)} rad/s\u00b2")
        else:
            lines.append(f"{mode}: a set with {len(piece.vertices)} vertices and {len(piece.rays)} rays")
    still = found.acceleration is not None and not np.any(found.acceleration)
    text = "it stays where it is" if still else words[status]
    margin = "" if status in ("inconsistent", "impact") else (
        "reactions are unique" if found.forces_unique else "reactions are not unique"
    )  # fmt: skip
    return Verdict(text, MOTION_TONES[status], margin, seconds, lines)


def _body_notes() -> str:
    return (
        "Contact modes: **F** fixed, **R** and **L** slide right and left, **S** separates. Ghosts show each motion "
        "from rest. Violet: weight and load; black: reactions of the motion shown; orange: friction cones. "
        "Drag the handle to move the point where the load acts."
    )


# -- what is drawn ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PlanarPlace:
    """How the plane of a body or chain is placed in the scene.

    Attributes:
        middle: (2,) the point of the plane that is drawn at the scene's origin [m].
        scale: scene units per metre.
    """

    middle: Array
    scale: float

    def __call__(self, points: Array, depth: float | str = 0.0) -> Array:
        """Points (..., 2) [m] in the scene (..., 3), at a depth or on a layer of `DEPTH`."""
        level = DEPTH[depth] if isinstance(depth, str) else depth
        return upright(self.scale * (np.asarray(points, dtype=float) - self.middle), level)

    def back(self, point: Array) -> Array:
        """(2,) the point of the plane [m] that is drawn at (3,) of the scene, at any depth."""
        return np.array([point[0], point[2]]) / self.scale + self.middle


def body_place(problem: Problem) -> PlanarPlace:
    """The place in which the body is `SIZE` large."""
    return PlanarPlace(problem.centre, SIZE / (problem.outline.size or 1.0))


def chain_place(scene: PlanarChainScene) -> tuple[PlanarPlace, float]:
    """The place in which chain and walls are `TALL`, and the largest x there."""
    points = np.vstack([scene.chain.nodes(scene.q), *scene.walls])
    low, high = points.min(axis=0), points.max(axis=0)
    scale = TALL / max(float((high - low)[1]), 0.5 * float((high - low)[0]), 1e-9)
    return PlanarPlace(0.5 * (low + high), scale), 0.5 * scale * float(high[0] - low[0])


def _body_marks(problem: Problem, place: PlanarPlace) -> dict[str, Mark]:
    """Obstacles, and the body with its border and centre of mass."""
    marks: dict[str, Mark] = {}
    for k, obstacle in enumerate(problem.obstacles):
        tint = mixed(colour(GROUND), (90, 80, 60), 0.25)
        marks[f"obstacles/{k}"] = filled(place(obstacle.vertices, "obstacle"), tint)
        border = ring(place(obstacle.vertices, "obstacle"))
        marks[f"obstacles/{k} border"] = Lines(border, mixed(tint, (0, 0, 0), 0.35), 1.5)
    outline = place(problem.outline.vertices, "body")
    marks["body/inside"] = filled(outline, colour(BODY), 0.9)
    marks["body/border"] = Lines(ring(outline), colour(style.INK), 2.0)
    marks["body/centre"] = Dots(place(problem.centre, "contact")[None, :], colour(style.INK), 0.6 * DOT)
    return marks


def _contact_marks(problem: Problem, place: PlanarPlace, mode: str | None) -> dict[str, Mark]:
    """Contacts in the colours of a mode, with their friction cones and letters."""
    marks: dict[str, Mark] = {}
    length = CONE * problem.outline.size
    for k, (contact, point) in enumerate(zip(problem.contacts, problem.points, strict=True)):
        angle = np.arctan(contact.mu)
        facing = np.arctan2(contact.normal[1], contact.normal[0])
        turns = facing + np.linspace(-angle, angle, 13)
        arc = point + length * np.column_stack([np.cos(turns), np.sin(turns)])
        cone = place(np.vstack([point, arc]), "cone")
        tint: Colour = colour(style.INK if mode is None else MODE[mode[k]][0])
        marks[f"contacts/{k} cone"] = Surface(cone, fan(len(cone)), colour(style.PALETTE[1]), 0.3)
        marks[f"contacts/{k}"] = Dots(place(point, "contact")[None, :], tint, DOT)
        words = f"{k + 1}" if mode is None else f"{k + 1} {mode[k]}"
        at = place(point - 0.09 * problem.outline.size * contact.normal, "contact")
        marks[f"contacts/{k} name"] = Word(words, (float(at[0]), float(at[1]), float(at[2])))
    return marks


def _force_marks(problem: PlanarBodyScene, place: PlanarPlace, motion: PlanarMotion | None) -> dict[str, Mark]:
    """Weight and load, its couple as an arc, and the reactions of one motion; one scale for all forces."""
    reactions = np.zeros((0, 2))
    if motion is not None and len(problem.contacts):
        frames = [np.array([c.tangent, c.normal]) for c in problem.contacts]
        reactions = np.array([f @ frame for f, frame in zip(motion.forces.reshape(-1, 2), frames, strict=True)])
    acting = np.array([problem.weight, problem.load[:2]])
    starts = np.array([problem.centre, problem.load_point])
    largest = float(np.linalg.norm(np.vstack([acting, reactions]), axis=1).max(initial=0.0))
    marks: dict[str, Mark] = {}
    if largest > 0.0:
        scale = ARROW * problem.outline.size / largest
        for name, begin, forces, tint in (
            ("weight", starts[:1], acting[:1], style.LOAD),
            ("load", starts[1:], acting[1:], style.LOAD),
            ("reactions", problem.points[: len(reactions)], reactions, style.FORCE),
        ):
            seen = np.linalg.norm(forces, axis=1) > NEGLIGIBLE * largest
            ends = np.stack([begin[seen], (begin + scale * forces)[seen]], axis=1)
            marks[name] = Arrows(place(ends, "force"), colour(tint), SHAFT)
    torque = float(problem.load[2])
    if abs(torque) > NEGLIGIBLE * largest * problem.outline.size:
        turns = np.linspace(0.0, np.sign(torque) * 1.5 * np.pi, 25)
        path = problem.centre + ARC * problem.outline.size * np.column_stack([np.cos(turns), np.sin(turns)])
        marks["torque"] = Lines(joined(place(path, "force")), colour(style.LOAD), 3.0)
        marks["torque head"] = Arrows(place(path[None, -3::2], "force"), colour(style.LOAD), SHAFT)
    return marks


def _body_ghosts(
    problem: Problem, place: PlanarPlace, found: MotionSet, shown: list[str]
) -> Callable[[float], Marks] | None:
    """Ghosts of the motions from rest, the farthest corner by `STEP` sizes."""
    ways: list[tuple[str, str, Array]] = []
    for k, mode in enumerate(shown):
        piece = found.modes[mode]
        motions = [piece.sample()] + ([] if piece.is_point else piece.samples(SAMPLES - 1))
        ways += [(mode, style.colour(k + 4 if k else 5), m.acceleration) for m in motions if np.any(m.acceleration)]
    if not ways or problem.velocity.any():
        return None

    def at(moment: float) -> Marks:
        marks: dict[str, Mark] = {}
        named: set[str] = set()
        for k, (mode, tint, acceleration) in enumerate(ways):
            step = max(moment**2, 1e-3) * STEP
            moved = displaced(problem.outline.vertices, problem.centre, acceleration, problem.outline.size, step)
            corners = place(moved, "ghost") - np.array([0.0, 0.002 * k, 0.0])
            marks[f"ghosts/{k}"] = filled(corners, colour(tint), 0.13)
            marks[f"ghosts/{k} border"] = Lines(ring(corners), colour(tint), 2.0)
            if mode not in named:
                top = corners[int(corners[:, 2].argmax())]
                lift = 0.09 * (1 + len(named))
                marks[f"ghosts/{k} mode"] = Word(mode, (float(top[0]), float(top[1]), float(top[2]) + lift))
                named.add(mode)
        return marks

    return at


#: Width of the box, thickness of the bars of one torque and of sets that are lines, in the scene.
WIDTH, BAR, THIN = 1.3, 0.09, 0.024

#: Opacity of sets of unique and of ambiguous torques.
OPACITY = (0.6, 0.4)

#: From the box down to the first name of a set, and from one name to the next.
BELOW, LINE = 0.32, 0.13


@dataclass(frozen=True, eq=False)
class TorqueBox:
    """Torques [N m] from `low` to `high` (d,) as a rectangle or a line: the first to the right, the second up.

    Attributes:
        motors: which motors, counted from 0; one or two of them.
        low, high: (d,) ends [N m].
        corner: (3,) of the scene, where the first torque is lowest, at the box's middle height.
    """

    motors: tuple[int, ...]
    low: Array
    high: Array
    corner: Array

    def place(self, torques: Array, nearer: float = 0.0) -> Array:
        """Torques (n, d) [N m] as points (n, 3) of the scene, moved towards the viewer by `nearer`."""
        share = (np.asarray(torques, dtype=float).reshape(-1, len(self.low)) - self.low) / (self.high - self.low)
        up = share[:, 1] - 0.5 if len(self.low) > 1 else np.zeros(len(share))
        return self.corner + upright(WIDTH * np.column_stack([share[:, 0], up]), nearer)

    def at(self, shares: ArrayLike) -> Array:
        """(3,) the point of the scene at shares from 0 to 1 of the box's sides."""
        return self.place(self.low + np.asarray(shares, dtype=float) * (self.high - self.low))[0]


def set_marks(box: TorqueBox, answer: TorqueSet) -> dict[str, Mark]:
    """The sets of torques in a box, their names below it, its edges and the motors' names."""
    marks: dict[str, Mark] = {}
    for row, one in enumerate(drawn_sets(answer, list(box.motors))):
        marks[f"sets/{row}"] = _set_mark(box, one.parts, row, one.colour)
        place = box.at([0.0] * len(box.low)) - np.array([0.0, 0.0, BELOW + LINE * row])
        if len(box.low) == 1:
            place = place - np.array([0.0, 0.0, 1.4 * BAR * row])
        text = one.name.replace("$T^*$", "T*")
        marks[f"sets/{row} name"] = _word(text, place, "center-left")
        marks[f"sets/{row} mark"] = Dots(place[None, :] - np.array([[0.07, 0.0, 0.0]]), colour(one.colour), 0.07)
    return marks | _axis_marks(box)


def dot_marks(box: TorqueBox, torques: Sequence[float], shade: Colour) -> dict[str, Mark]:
    """A dot at the torques of all motors [N m]; torques outside the box are drawn at its border.

    Args:
        box: what is shown.
        torques: of all motors [N m].
        shade: of the dot.
    """
    at = np.clip(np.array([torques[i] for i in box.motors]), box.low, box.high)
    return {
        "torque": Dots(box.place(at, 0.03), shade, 0.075),
        "torque ring": Dots(box.place(at, 0.02), colour(style.INK), 0.1),
    }


def _set_mark(box: TorqueBox, parts: Sequence[Polyhedron], row: int, tint: str) -> Surface:
    """One set: the parts of it that are in the box."""
    corners, faces, count = [np.zeros((0, 3))], [np.zeros((0, 3), dtype=np.int64)], 0
    for part in parts:
        found, triangles = clipped(box, part, row)
        corners.append(found)
        faces.append(triangles + count)
        count += len(found)
    return Surface(np.concatenate(corners), np.concatenate(faces), colour(tint), OPACITY[tint != UNIQUE])


def clipped(box: TorqueBox, part: Polyhedron, row: int = 0) -> tuple[Array, IntArray]:
    """(vertices, faces) in the scene of a convex set within the box; flat sets get a small thickness.

    Args:
        box: what is shown.
        part: the set, over the box's torques.
        row: bars of one torque are drawn below each other by row; polygons behind each other.
    """
    eye = np.eye(len(box.low))
    limits = Polyhedron(np.vstack([eye, -eye]), np.concatenate([box.low, -box.high]))
    inside = part.intersect(limits).generators.vertices
    if not len(inside):
        return np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64)
    if len(box.low) == 1:
        ends = box.place(np.array([inside.min(), inside.max()])) - np.array([0.0, 0.0, 1.4 * BAR * (row + 1)])
        return _bar(ends, BAR)
    body = Polytope(inside)
    if body.dimension < 2:
        return _bar(box.place(body.extreme[[0, -1]], 0.01), THIN)
    around = body.extreme - body.extreme.mean(axis=0)
    order = np.argsort(np.arctan2(around[:, 1], around[:, 0]))
    return box.place(body.extreme[order], -0.004 * row), fan(len(order))


def _bar(ends: Array, width: float) -> tuple[Array, IntArray]:
    """A flat bar between two points (2, 3), facing the viewer."""
    along = ends[1] - ends[0]
    length = float(np.hypot(along[0], along[2]))
    across = np.array([0.0, 0.0, 1.0]) if length == 0.0 else np.array([-along[2], 0.0, along[0]]) / length
    half = 0.5 * width * across
    return np.array([ends[0] - half, ends[1] - half, ends[1] + half, ends[0] + half]), fan(4)


def _axis_marks(box: TorqueBox) -> dict[str, Mark]:
    """The edges of the box, lines where a torque is zero, and the motors' names with the ends of their torques."""
    d, grey = len(box.low), mixed(colour(style.FAINT), colour(style.INK), 0.25)
    square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
    if d == 1:
        lines = joined(np.array([box.at([0.0]), box.at([1.0])]))
    else:
        lines = ring(np.array([box.at(c) for c in square]))
    marks: dict[str, Mark] = {"axes": Lines(lines, grey, 1.5)}
    zero = -box.low / (box.high - box.low)  # share of the sides at which torques are zero
    if d == 1 and 0.0 < zero[0] < 1.0:
        tick = np.array([0.0, 0.0, 0.06])
        marks["zero"] = Lines(np.array([[box.at(zero) - tick, box.at(zero) + tick]]), grey, 1.5)
    elif d == 2:
        across = [[box.at([zero[0], 0.0]), box.at([zero[0], 1.0])]] if 0.0 < zero[0] < 1.0 else []
        across += [[box.at([0.0, zero[1]]), box.at([1.0, zero[1]])]] if 0.0 < zero[1] < 1.0 else []
        marks["zero"] = Lines(np.array(across).reshape(-1, 2, 3), grey, 1.0)
    ends = ([0.5, 0.0], [0.0, 1.0])
    offsets = ([0.0, 0.0, -0.1 if d > 1 else 0.14], [0.25, 0.0, 0.1])
    for k in range(d):
        text = f"motor {box.motors[k] + 1}: {written(box.low[k])} to {written(box.high[k])} N m"
        marks[f"motor {k + 1}"] = _word(text, box.at(ends[k][:d]) + np.array(offsets[k]))
    return marks


def _word(text: str, place: Array, anchor: str = "center-center") -> Word:
    return Word(text, (float(place[0]), float(place[1]), float(place[2])), anchor)


#: Height of the chain, and from it to the box of torques, in the scene.
TALL, GAP = 1.6, 0.45

#: Thickness of links; size of nodes; length of a normal, in the scene.
LINK, NODE, NORMAL = 0.04, 0.06, 0.2

#: Largest displacement of ghosts, in heights of the chain; most ghosts shown.
GHOST_STEP, GHOSTS = 0.14, 4

#: Sliders reach beyond the extent of the sets by this share of it.
WIDER = 0.3

#: Range of a torque [N m] where neither limits nor sets give one.
FALLBACK = 1.0

TORQUE_TONES: dict[str, Tone] = {"unique": "good", "ambiguous": "open", "infeasible": "bad"}
TORQUE_VERDICTS = {
    "unique": "only the wanted motion",
    "ambiguous": "another motion is possible",
    "infeasible": "the wanted motion is impossible",
}

#: The same where the posture is off by up to `q_error`: nothing but proven torques is claimed.
BOX_VERDICTS = {
    "unique": "only the wanted motion, in every posture of the box",
    "ambiguous": "not proven for every posture of the box",
    "infeasible": "not proven for every posture of the box",
}
SHADES = {"unique": UNIQUE, "ambiguous": AMBIGUOUS[0], "infeasible": style.VERDICT["does not hold"]}


@dataclass(frozen=True)
class SnakeState:
    """The controls of the page.

    Attributes:
        mu: friction coefficient at all contacts, or None for those of the scene.
        torques: of the motors [N m].
        shown: one or two motors, counted from 0, whose torques are drawn.
    """

    mu: float | None
    torques: tuple[float, ...]
    shown: tuple[int, ...]


class TorqueSets:
    """The torque sets of one chain, kept by friction coefficient.

    Args:
        scene: the chain, its contacts and what is wanted.
    """

    def __init__(self, scene: PlanarChainScene) -> None:
        self.scene = scene
        self._kept: dict[float | None, TorqueSet] = {}
        self._drawn: tuple[tuple[object, ...], dict[str, Mark]] | None = None

    def at(self, mu: float | None) -> TorqueSet:
        """The sets at this friction coefficient; of the scene as it is for None."""
        if mu not in self._kept:
            if len(self._kept) >= KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[mu] = (self.scene if mu is None else self.scene.with_mu(mu)).torque_sets()
        return self._kept[mu]

    def drawn(self, mu: float | None, box: TorqueBox) -> dict[str, Mark]:
        """The sets in a box; the same marks as before while only torques change."""
        key = (mu, box.motors, *box.low, *box.high)
        if self._drawn is None or self._drawn[0] != key:
            self._drawn = key, set_marks(box, self.at(mu))
        return self._drawn[1]

    def ranges(self) -> list[tuple[float, float]]:
        """(low, high) [N m] of each motor's torque: its limits if it has some, else around the extent of the sets."""
        answer = self.at(None)
        count, own = answer.space.sizes[2], self.scene.torque
        found = []
        for i in range(count):
            marks = [0.0] if own is None or len(own) != count else [0.0, float(own[i])]
            low, high = (float(end[0]) for end in window(drawn_sets(answer, [i]), np.array(marks)[:, None]))
            if not high > low:
                low, high = -FALLBACK, FALLBACK
            found.append(round_range(low - WIDER * (high - low), high + WIDER * (high - low)))
        if self.scene.limits is not None:
            lower, upper = (np.broadcast_to(np.asarray(v, dtype=float), count) for v in self.scene.limits)
            found = [
                (float(a) if np.isfinite(a) else low, float(b) if np.isfinite(b) else high)
                for (low, high), a, b in zip(found, lower, upper, strict=True)
            ]
        return found


def round_range(low: float, high: float) -> tuple[float, float]:
    """A range around low < high whose ends have two digits of its width: -0.2632 to 0.061 becomes -0.27 to 0.07."""
    digits = 1 - int(np.floor(np.log10(high - low)))
    unit = 10.0**-digits
    ends = np.floor(low / unit) * unit, np.ceil(high / unit) * unit
    return round(float(ends[0]), digits), round(float(ends[1]), digits)


#: Number of friction coefficients whose torque sets are kept.
KEPT = 40


def first_torques(sets: TorqueSets, ranges: Sequence[tuple[float, float]]) -> tuple[float, ...]:
    """Initial torques of the sliders: the scene's own if it has some, else deep in T*, else zero [N m]."""
    own = sets.scene.torque
    if own is not None and len(own) == len(ranges):
        return _within(own, ranges)
    return deepest_torques(sets, None, ranges) or _within(np.zeros(len(ranges)), ranges)


def deepest_torques(
    sets: TorqueSets, mu: float | None, ranges: Sequence[tuple[float, float]]
) -> tuple[float, ...] | None:
    """Torques deep in T*, or weak ones where the margin has no limit [N m]; None without any."""
    answer = sets.at(mu)
    if answer.is_empty:
        return None
    tau, radius = answer.chebyshev()
    if np.isinf(radius):
        span = min(high - low for low, high in ranges)
        tau = answer.least_norm(0.1 * span)
    return None if np.isnan(tau).any() else _within(tau, ranges)


def _within(torques: Array, ranges: Sequence[tuple[float, float]]) -> tuple[float, ...]:
    return tuple(float(np.clip(t, low, high)) for t, (low, high) in zip(torques, ranges, strict=True))


def snake_answer(state: SnakeState, sets: TorqueSets, ranges: Sequence[tuple[float, float]]) -> Answer:
    """The chain, the sets of torques, and the motions that the torques of the sliders allow.

    Args:
        state: of the controls.
        sets: of the chain.
        ranges: of the sliders [N m]: what the box of torques shows.
    """
    start = clock()
    answer = sets.at(state.mu)
    torques, moved = flattened(answer, state.torques)
    state = replace(state, torques=torques)
    kind = str(answer.classify(list(torques)))
    margin = float(answer.margin(list(torques)))
    others = other_motions(sets.scene, state, answer, kind) if sets.scene.q_error is None else []
    seconds = clock() - start
    scene = sets.scene
    place, right = chain_place(scene)
    marks: dict[str, Mark] = dict(_chain_marks(scene, place, colour(SHADES[kind])))
    low, high = (np.array([ranges[i][k] for i in state.shown]) for k in (0, 1))
    corner = np.array([right + GAP, 0.0, 0.0])
    box = TorqueBox(state.shown, low, high, corner)
    marks |= sets.drawn(state.mu, box) | dot_marks(box, state.torques, colour(SHADES[kind]))
    view = framed(Drawing(marks).corners)
    words = _torque_lines(answer, kind, others) if scene.q_error is None else _box_lines(answer)
    if moved > 0.0:
        words.append(f"the set is flat: torques were projected onto it, by {written(moved)} N m at most")
    verdict = Verdict(
        TORQUE_VERDICTS[kind] if scene.q_error is None else BOX_VERDICTS[kind],
        TORQUE_TONES[kind],
        _margin_text(margin, kind),
        seconds,
        words,
    )
    ghosts = _snake_ghosts(scene, place, others)
    return Answer(verdict, Drawing(marks, view), scene.name, _snake_notes(answer), ghosts)


def flattened(answer: TorqueSet, torques: Sequence[float]) -> tuple[tuple[float, ...], float]:
    """The torques projected to the plane of a flat T_c, which sliders cannot meet exactly, and the change [N m]."""
    given = np.asarray(torques, dtype=float)
    if answer.impact or answer.feasible.is_empty:
        return tuple(torques), 0.0
    C, d = answer.feasible.equalities
    if not len(d):
        return tuple(torques), 0.0
    nearest = given - np.linalg.lstsq(C, C @ given - d, rcond=None)[0]
    return tuple(float(t) for t in nearest), float(np.abs(nearest - given).max())


def other_motions(scene: PlanarChainScene, state: SnakeState, answer: TorqueSet, kind: str) -> list[tuple[str, Array]]:
    """(mode, accelerations) of motions other than the wanted one under the torques; a few of them."""
    if kind == "unique" or answer.impact:
        return []
    if kind == "ambiguous":
        found = [(motion.mode, motion.a) for motion in answer.explain(list(state.torques))]
    elif scene.brace_links is None:
        asked = scene if state.mu is None else scene.with_mu(state.mu)
        found = [
            (mode, piece.sample().acceleration) for mode, piece in asked.motions(list(state.torques)).modes.items()
        ]
    else:
        found = []
    return [(mode, a) for mode, a in found if np.abs(a).max() > 0.0][:GHOSTS]


def _margin_text(margin: float, kind: str) -> str:
    if kind != "unique":
        return ""
    return "no limit on torque errors" if np.isinf(margin) else f"allowed torque error: {written(margin)} N m"


def _torque_lines(answer: TorqueSet, kind: str, others: Sequence[tuple[str, Array]]) -> list[str]:
    """The state of the whole set, and the modes that these torques allow."""
    words = {
        "unambiguous": "torques that allow it allow no other motion",
        "partly ambiguous": "some torques allow only this motion, others also allow another one",
        "ambiguous": "every torque that allows it also allows another motion",
        "infeasible": "no torque makes it possible",
        "impact": "a contact moves into its wall (impact)",
    }
    lines = [f"wanted mode {answer.mode}: {words[answer.status]}"]
    if others:
        modes = ", ".join(dict.fromkeys(mode for mode, _ in others))
        lines.append(f"{'also possible' if kind == 'ambiguous' else 'instead'}: {modes}")
    return lines


def _box_lines(answer: TorqueSet) -> list[str]:
    """What is proven for every posture of a box."""
    words = "no torque is" if answer.is_empty else "the green torques are"
    return [f"wanted mode {answer.mode}: {words} proven for every posture within q_error"]


def _snake_notes(answer: TorqueSet) -> str:
    many = " Sets over more torques than shown are drawn as projections." if answer.space.sizes[2] > 2 else ""
    return (
        "**Green**: T*, torques that allow only the wanted motion. **Other colours**: torques that also allow "
        f"another one. The dot shows the torques of the sliders; ghosts are other possible motions.{many}"
    )


# -- the chain ----------------------------------------------------------------------------------------


def _chain_marks(scene: PlanarChainScene, place: PlanarPlace, tint: Colour) -> Marks:
    """Walls, links, nodes, normals and friction cones of the contacts."""
    nodes = scene.chain.nodes(scene.q)
    ink = colour(style.INK)
    marks: dict[str, Mark] = {
        "links": _links(scene, place(nodes), mixed(tint, (255, 255, 255), 0.15), 1.0),
        "nodes": Dots(place(nodes, 0.03), ink, NODE),
    }
    if scene.walls:
        walls = np.concatenate([joined(place(wall)) for wall in scene.walls])
        marks["walls"] = Lines(walls, mixed(colour(style.FAINT), ink, 0.45), 5.0)
    if scene.contacts:
        angles, ends = scene.chain.angles(scene.q), _ends(scene)
        points = []
        for contact in scene.contacts:
            if isinstance(contact, NodeContact):
                points.append(nodes[contact.node])
            else:
                start, end = (nodes[i] for i in ends[contact.link])
                points.append(start + contact.along * (end - start))
        starts = place(np.array(points), 0.02)
        normals = upright(np.array([contact.normal_at(angles) for contact in scene.contacts]))
        marks["normals"] = Arrows(np.stack([starts, starts + NORMAL * normals], axis=1), ink, 0.008)
    return marks


def _links(scene: PlanarChainScene, nodes: Array, tint: Colour, opacity: float) -> Surface:
    """Links as flat bars between nodes (n, 3) of the scene."""
    corners, faces = [], []
    for link, (start, end) in enumerate(_ends(scene)):
        a, b = nodes[start], nodes[end]
        along = b - a
        across = 0.5 * LINK * np.array([-along[2], 0.0, along[0]]) / max(float(np.linalg.norm(along)), 1e-12)
        corners.append(np.array([a - across, b - across, b + across, a + across]))
        faces.append(fan(4) + 4 * link)
    return Surface(np.concatenate(corners), np.concatenate(faces), tint, opacity)


def _ends(scene: PlanarChainScene) -> list[tuple[int, int]]:
    """(start, end) node of every link; node 0 is the root, link i ends at node i + 1."""
    return [(parent + 1, link + 1) for link, parent in enumerate(scene.chain.parent_links)]


def _snake_ghosts(
    scene: PlanarChainScene, place: PlanarPlace, others: Sequence[tuple[str, Array]]
) -> Callable[[float], Marks] | None:
    """Ghosts of other motions, from rest, the farthest node by `STEP` heights."""
    if not others:
        return None
    q = scene.q
    nodes = scene.chain.nodes(q)
    reach = GHOST_STEP * TALL / place.scale
    steps = []
    for _, acceleration in others:
        small = np.zeros_like(q)
        small[: len(acceleration)] = acceleration
        tiny = 1e-6 / float(np.abs(small).max())
        fastest = float(np.linalg.norm(scene.chain.nodes(q + tiny * small) - nodes, axis=1).max()) / tiny
        steps.append(small * reach / max(fastest, 1e-12))

    def at(moment: float) -> Marks:
        marks: dict[str, Mark] = {}
        for k, ((mode, _), step) in enumerate(zip(others, steps, strict=True)):
            moved = place(scene.chain.nodes(q + moment**2 * step), -0.02 * (k + 1))
            marks[f"ghosts/{k}"] = _links(scene, moved, colour(style.MOTION), 0.45)
            end = moved[-1]
            marks[f"ghosts/{k} mode"] = Word(mode, (float(end[0]), float(end[1]), float(end[2]) + 0.1 + 0.16 * k))
        return marks

    return at


# -- pages ----------------------------------------------------------------------------------------------

#: Largest friction coefficient of the sliders.
MOST_BODY_FRICTION, MOST_SNAKE_FRICTION = 4.0, 2.0

#: Which motions are drawn.
CHOICES = ("all motions", "first motion", "second motion", "third motion", "fourth motion")

#: Names of the sliders of a body's load.
LOADS = {"fx": "Load x [N]", "fy": "Load y [N]", "couple": "Couple [N m]"}

#: Size of the handle at the load's point, in the scene; range of its sliders beyond the body, in units of its size.
HANDLE, REACH = 0.3, 0.5

#: A handle closer than this to the scene's own point, in units of the body's size, counts as there, despite rounding.
SAME_POINT = 1e-6


class _PlanarPage(AskingPage[Any]):
    """A page about a planar scene, or about a ready one by its name, "@ladder"; the scene is read on first use."""

    kind: type[Any]

    def __init__(self, context: PageContext, scene: PlanarScene | str) -> None:
        super().__init__(context)
        self._given = scene

    @cached_property
    def scene(self) -> Any:
        """The scene, of the kind that the page is about."""
        scene = load_planar(self._given) if isinstance(self._given, str) else self._given
        if not isinstance(scene, self.kind):
            word = "body" if self.kind is PlanarBodyScene else "chain"
            raise InputError(f"is not a {word}", where="scene", fix=f"give a planar scene about a {word}")
        return scene

    def friction_slider(self, most: float) -> Any:
        """A slider for the friction coefficient at all contacts."""
        mu = self.file_mu
        return self.asks(self.context.client.gui.add_slider("Friction", 0.0, max(most, mu), 0.01, mu))

    @property
    def file_mu(self) -> float:
        """The first contact's friction coefficient in the scene."""
        return round(float(self.scene.contacts[0].mu), 2) if self.scene.contacts else 0.0

    def chosen_mu(self, slider: Any) -> float | None:
        """The coefficient of the slider, or None while it is that of the scene."""
        mu = float(slider.value)
        return None if mu == self.file_mu else mu


class PlanarBodyPage(_PlanarPage):
    """Sliders for friction and load of a body."""

    kind = PlanarBodyScene

    def add_controls(self) -> None:
        """Friction, the load in addition to the weight with its point, and which motions are drawn."""
        self.title = self.scene.name
        gui = self.context.client.gui
        self._handles = {"mu": self.friction_slider(MOST_BODY_FRICTION)}
        for (name, label), most, value in zip(LOADS.items(), load_ranges(self.scene), self.scene.load, strict=True):
            reach = round_up(most)
            self._handles[name] = self.asks(gui.add_slider(label, -reach, reach, reach / 1000.0, float(value)))
        self._point = self._point_handle()
        self._handles["chosen"] = self.asks(gui.add_dropdown("Drawn", CHOICES, initial_value=CHOICES[0]))
        self.keep(gui.add_button("Load of the scene")).on_click(lambda _: self._go_back())

    def state(self) -> BodyState:
        """The values of sliders and menu; sliders that were not moved give the scene's exact numbers."""
        chosen = CHOICES.index(self._handles["chosen"].value)
        fx, fy, couple = (float(self._handles[name].value) for name in LOADS)
        mu, drawn = self.chosen_mu(self._handles["mu"]), None if chosen == 0 else chosen - 1
        own, point = _pair(self.scene.load_point), self._point.position
        point = own if np.allclose(point, own, rtol=0.0, atol=SAME_POINT * self.scene.outline.size) else point
        return BodyState(mu, (fx, fy, couple), point, drawn)

    def answer(self, state: BodyState) -> Answer:
        """All motions that are possible."""
        return body_answer(state, self.scene)

    def _go_back(self) -> None:
        """Reset friction and load to those of the scene."""
        self._handles["mu"].value = self.file_mu
        for name, value in zip(LOADS, self.scene.load, strict=True):
            self._handles[name].value = float(value)
        self._point.move(_pair(self.scene.load_point))

    def _point_handle(self) -> PointHandle[tuple[float, float]]:
        """Where the load acts: a handle that moves in the plane, and two sliders."""
        place, size = body_place(self.scene), self.scene.outline.size
        points = np.vstack([self.scene.outline.vertices, self.scene.load_point])
        low, high = points.min(axis=0) - REACH * size, points.max(axis=0) + REACH * size
        ends = {axis: (round(float(low[k]), 3), round(float(high[k]), 3)) for k, axis in enumerate("xy")}
        return PointHandle(
            self,
            _pair(self.scene.load_point),
            ends,
            HANDLE,
            label="Load at {} [m]",
            step=round_up(size / 1000.0),
            to_scene=lambda point: _triple(place(np.array(point), "force")),
            from_scene=lambda at: _pair(place.back(np.array(at))),
            axes=(True, False, True),
        )


class SnakePage(_PlanarPage):
    """Sliders for friction and torques of a chain."""

    kind = PlanarChainScene

    @cached_property
    def _sets(self) -> TorqueSets:
        return TorqueSets(self.scene)

    def add_controls(self) -> None:
        """A slider for friction, one for every motor, and a menu of the torques that are drawn."""
        self.title = self.scene.name
        self._ranges = self._sets.ranges()
        start = first_torques(self._sets, self._ranges)
        gui = self.context.client.gui
        self._mu = self.friction_slider(MOST_SNAKE_FRICTION)
        self._torques = [
            self.asks(gui.add_slider(f"Torque {i + 1} [N m]", low, high, (high - low) / 400.0, start[i]))
            for i, (low, high) in enumerate(self._ranges)
        ]
        choices = [", ".join(str(i + 1) for i in axes) for axes in _axes_choices(len(self._ranges))]
        self._shown = self.asks(gui.add_dropdown("Torques shown", choices, visible=len(choices) > 1))
        self.keep(gui.add_button("Deepest torque of T*")).on_click(lambda _: self._go_deepest())

    def state(self) -> SnakeState:
        """The values of the sliders."""
        shown = tuple(int(word) - 1 for word in self._shown.value.split(", "))
        return SnakeState(self.chosen_mu(self._mu), tuple(float(handle.value) for handle in self._torques), shown)

    def answer(self, state: SnakeState) -> Answer:
        """The chain, the sets of torques, and the motions that these torques allow."""
        return snake_answer(state, self._sets, self._ranges)

    def _go_deepest(self) -> None:
        """Put the sliders to a torque deep in T*, within their ranges."""
        found = deepest_torques(self._sets, self.state().mu, self._ranges)
        if found is None:
            return
        for handle, value in zip(self._torques, found, strict=True):
            handle.value = value
        self.ask()


def _pair(point: Array) -> tuple[float, float]:
    return float(point[0]), float(point[1])


def _triple(point: Array) -> tuple[float, float, float]:
    return float(point[0]), float(point[1]), float(point[2])


def _axes_choices(count: int) -> list[tuple[int, ...]]:
    """Torques to draw together: all of up to two, else two neighbours at a time."""
    return [tuple(range(count))] if count <= 2 else [(i, i + 1) for i in range(count - 1)]


def body_entry(scene: PlanarBodyScene, key: str = "scene-body") -> PageEntry:
    """The page of a body from a file."""
    summary = scene.description or "Every motion that contacts and load allow."
    return PageEntry(key, scene.name, "Planar", summary, lambda context: PlanarBodyPage(context, scene))


def snake_entry(scene: PlanarChainScene, key: str = "scene-chain") -> PageEntry:
    """The page of a chain from a file."""
    summary = scene.description or "Torques that allow only the wanted motion."
    return PageEntry(key, scene.name, "Planar", summary, lambda context: SnakePage(context, scene))


def file_pages(file: ShownFile) -> tuple[PageEntry, ...]:
    """The page of a body or of a chain."""
    if isinstance(file.content, PlanarChainScene):
        return (snake_entry(file.content),)
    if isinstance(file.content, PlanarBodyScene):
        return (body_entry(file.content),)
    fix = "use holdfast climb; the viewer shows planar bodies and chains"
    raise SceneError("is a planar climb, which has no page", path=file.name, field="planar", fix=fix)


def _ready(page: type[_PlanarPage], key: str, file: str, title: str, summary: str) -> PageEntry:
    return PageEntry(key, title, "Planar", summary, lambda context: page(context, f"@{file}"))


_SNAKES = (
    ("snake", "two_link_snake", "Snake of two links",
     "Two links between walls and one motor: with enough outward torque no other motion is possible."),
    ("snake-rough", "two_link_snake_ambiguous", "Snake of two links, rough walls",
     "With high friction weak torques become ambiguous: the links may stay or slip."),
    ("snake-three", "three_link_snake", "Snake of three links",
     "Two joint torques; a quarter of their plane allows only one motion."),
    ("snake-six", "six_link_snake", "Snake of six links",
     "Standing still as a task: the set is flat within five torques; it is drawn as projections on two of them."),
)  # fmt: skip
_BODIES = (
    ("body-points", "three_points", "Body on three points", "On three feet: with mu above 2 pulls are ambiguous."),
    ("body-box", "box_pushed", "Pushed box", "A box pushed high above the floor slides, tips, or both."),
    ("body-incline", "block_on_incline", "Block on an incline", "Does it stay, slide, or tip?"),
    ("body-ladder", "ladder", "Ladder at a wall", "A ladder slips when the floor is too smooth for its angle."),
    (
        "body-rod",
        "painleve_rod",
        "Painlev\u00e9's rod",
        "A sliding rod for which the rigid-body equations have no solution, or two.",
    ),
    ("body-peg", "peg_jammed", "Peg in a hole", "A tilted peg may jam: pushing harder does not help."),
    ("body-fingers", "three_finger_grasp", "Three-finger grasp", "Loads that three fingers with friction hold."),
)
SNAKE_ENTRIES = tuple(_ready(SnakePage, *entry) for entry in _SNAKES)
BODY_ENTRIES = tuple(_ready(PlanarBodyPage, *entry) for entry in _BODIES)

#: All ready pages, in the order of the menu.
ENTRIES = SNAKE_ENTRIES + BODY_ENTRIES

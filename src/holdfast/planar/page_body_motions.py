"""A planar body in contact for the viewer: every motion that its contacts and loads allow, each as a moving ghost."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..checks import Array
from ..plotting import style
from ..web.page import Answer
from ..web.marks import filled
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
    framed,
    joined,
    mixed,
    ring,
    upright,
    written,
)
from ..web.page import Tone, Verdict
from .files_planar_scene import PlanarBodyScene
from .motion_sets import Motion, MotionSet
from .plots_planar_bodies import ARROW, BODY, CONE, GROUND, MODE, NEGLIGIBLE, STEP, displaced
from .problems import GRAVITY, Problem

#: Size of the body in the scene; of contacts, of arrows' shafts, of a torque's arc, by that size.
SIZE, DOT, SHAFT, ARC = 1.2, 0.055, 0.011, 0.17

#: Room round the body, by its size.
ROOM = 0.28

#: So many motions are drawn at most; samples of each continuum.
MOST, SAMPLES = 4, 3

#: What lies before what: obstacles, body, cones, ghosts, contacts and forces.
DEPTH = {"obstacle": 0.0, "body": 0.01, "cone": 0.02, "ghost": 0.03, "contact": 0.05, "force": 0.06}

TONES: dict[str, Tone] = {
    "unique": "good", "finite": "open", "continuum": "open", "inconsistent": "bad", "impact": "bad",
}  # fmt: skip


@dataclass(frozen=True)
class BodyState:
    """The controls of the page.

    Attributes:
        mu: friction coefficient at all contacts, or None for what the scene says.
        force: (Fx, Fy, torque about the centre of mass) [N, N m], the weight included.
        chosen: which of the motions is drawn, counted from 0; None for all.
    """

    mu: float | None
    force: tuple[float, float, float]
    chosen: int | None = None


def force_ranges(scene: PlanarBodyScene) -> tuple[float, float, float]:
    """How far sliders of (Fx, Fy, torque) reach either way [N, N m]: twice the scene's force or the body's weight."""
    most = 2.0 * max(scene.body.mass * GRAVITY, float(np.abs(scene.force[:2]).max()))
    arm = scene.problem().outline.size
    return most, most, max(0.5 * most * arm, 2.0 * abs(float(scene.force[2])))


def body_answer(state: BodyState, scene: PlanarBodyScene) -> Answer:
    """The body on its obstacles, its load, and every motion that is possible.

    Args:
        state: of the controls.
        scene: the body, its contacts and obstacles.
    """
    asked = scene.changed(force=state.force, mu=state.mu)
    start = time.perf_counter()
    found = asked.motions()
    seconds = time.perf_counter() - start
    problem = asked.problem()
    place = BodyPlace.of(problem)
    modes = list(found.modes)
    shown = modes[:MOST] if state.chosen is None else modes[state.chosen : state.chosen + 1]
    marks: dict[str, Mark] = {}
    marks |= _body_marks(problem, place)
    marks |= _contact_marks(problem, place, shown[0] if len(shown) == 1 else None)
    sample = found.modes[shown[0]].sample() if len(shown) == 1 else None
    marks |= _force_marks(problem, place, sample)
    seen = np.concatenate([place(problem.outline.vertices), place(problem.points)])
    low, high = seen.min(axis=0) - ROOM * SIZE, seen.max(axis=0) + ROOM * SIZE
    drawing = Drawing(marks, framed(np.array([low, high])))
    return Answer(_verdict(found, seconds), drawing, scene.name, _notes(), _moving(problem, place, found, shown))


def _verdict(found: MotionSet, seconds: float) -> Verdict:
    """How many motions there are, and which."""
    words = {
        "unique": "one motion",
        "finite": f"{len(found.modes)} motions are possible",
        "continuum": "a continuum of motions is possible",
        "inconsistent": "no motion agrees with the laws of rigid bodies",
        "impact": "a contact runs into its obstacle",
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
    return Verdict(text, TONES[status], margin, seconds, lines)


def _notes() -> str:
    return (
        "Contact modes: **F** stays fixed, **R** and **L** slide right and left, **S** separates. Ghosts show where "
        "each motion goes from rest; violet is the load, black are reactions of the one motion shown, orange "
        "are friction cones."
    )


# -- what is drawn ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class BodyPlace:
    """How the body's plane is laid into the scene.

    Attributes:
        middle: (x, y) of the plane that comes to the scene's origin [m].
        scale: scene units a metre.
    """

    middle: tuple[float, float]
    scale: float

    @staticmethod
    def of(problem: Problem) -> BodyPlace:
        """So that the body is `SIZE` large."""
        x, y = (float(v) for v in problem.centre)
        return BodyPlace((x, y), SIZE / (problem.outline.size or 1.0))

    def __call__(self, points: Array, depth: str = "body") -> Array:
        """Points (..., 2) [m] in the scene (..., 3)."""
        return upright(self.scale * (np.asarray(points, dtype=float) - np.array(self.middle)), DEPTH[depth])


def _body_marks(problem: Problem, place: BodyPlace) -> dict[str, Mark]:
    """Obstacles, and the body with its border and centre of mass."""
    marks: dict[str, Mark] = {}
    for k, obstacle in enumerate(problem.obstacles):
        tint = mixed(colour(GROUND), (90, 80, 60), 0.25)
        marks[f"obstacles/{k}"] = filled(place(obstacle.vertices, "obstacle"), tint)
        border = ring(place(obstacle.vertices, "obstacle"))
        marks[f"obstacles/{k} border"] = Lines(border, mixed(tint, (0, 0, 0), 0.35), 1.5)
    outline = place(problem.outline.vertices)
    marks["body/inside"] = filled(outline, colour(BODY), 0.9)
    marks["body/border"] = Lines(ring(outline), colour(style.INK), 2.0)
    marks["body/centre"] = Dots(place(problem.centre, "contact")[None, :], colour(style.INK), 0.6 * DOT)
    return marks


def _contact_marks(problem: Problem, place: BodyPlace, mode: str | None) -> dict[str, Mark]:
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


def _force_marks(problem: Problem, place: BodyPlace, motion: Motion | None) -> dict[str, Mark]:
    """The load, its torque as an arc, and the reactions of one motion; one scale for all forces."""
    reactions = np.zeros((0, 2))
    if motion is not None and len(problem.contacts):
        frames = [np.array([c.tangent, c.normal]) for c in problem.contacts]
        reactions = np.array([f @ frame for f, frame in zip(motion.forces.reshape(-1, 2), frames, strict=True)])
    load = problem.force[:2]
    largest = float(np.linalg.norm(np.vstack([load, reactions]), axis=1).max(initial=0.0))
    marks: dict[str, Mark] = {}
    if largest > 0.0:
        scale = ARROW * problem.outline.size / largest
        for name, starts, forces, tint in (
            ("load", problem.centre[None, :], load[None, :], style.LOAD),
            ("reactions", problem.points[: len(reactions)], reactions, style.FORCE),
        ):
            seen = np.linalg.norm(forces, axis=1) > NEGLIGIBLE * largest
            ends = np.stack([starts[seen], (starts + scale * forces)[seen]], axis=1)
            marks[name] = Arrows(place(ends, "force"), colour(tint), SHAFT)
    torque = float(problem.force[2])
    if abs(torque) > NEGLIGIBLE * largest * problem.outline.size:
        turns = np.linspace(0.0, np.sign(torque) * 1.5 * np.pi, 25)
        path = problem.centre + ARC * problem.outline.size * np.column_stack([np.cos(turns), np.sin(turns)])
        marks["torque"] = Lines(joined(place(path, "force")), colour(style.LOAD), 3.0)
        marks["torque head"] = Arrows(place(path[None, -3::2], "force"), colour(style.LOAD), SHAFT)
    return marks


def _moving(problem: Problem, place: BodyPlace, found: MotionSet, shown: list[str]) -> Callable[[float], Marks] | None:
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

"""A planar snake and its torques for the viewer: the chain between its walls, T* beside it, what a torque allows.

The chain stands upright at the left. At the right is the space of up to three joint torques, with the set of torques
that leave only the wanted motion (T*), those that leave another one too, and a dot where the sliders are. Other motions
that the torques allow are shown as ghosts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..checks import Array
from ..plotting import style
from ..web.page import Answer
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
    upright,
    written,
)
from ..web.page import Tone, Verdict
from .chain_contacts import NodeContact
from .files_planar_scene import PlanarChainScene
from .page_torque_box import TorqueBox, dot_marks, set_marks
from .plots_torque_sets import AMBIGUOUS, UNIQUE, drawn_sets, window
from .torque_answers import TorqueSet

#: Height of the chain, and from it to the box of torques, in the scene.
TALL, GAP = 1.6, 0.45

#: Thickness of links; size of nodes; length of a normal, in the scene.
LINK, NODE, NORMAL = 0.04, 0.06, 0.2

#: Ghosts of other motions go this far at most, in heights of the chain; so many are shown.
STEP, GHOSTS = 0.14, 4

#: Sliders reach beyond what the sets show by this share of it.
WIDER = 0.3

#: Range of a torque [N m] where nothing limits it and the sets tell none.
FALLBACK = 1.0

TONES: dict[str, Tone] = {"unique": "good", "ambiguous": "open", "infeasible": "bad"}
WORDS = {
    "unique": "only the wanted motion",
    "ambiguous": "another motion is possible",
    "infeasible": "the wanted motion is impossible",
}
SHADES = {"unique": UNIQUE, "ambiguous": AMBIGUOUS[0], "infeasible": style.VERDICT["does not hold"]}


@dataclass(frozen=True)
class SnakeState:
    """The controls of the page.

    Attributes:
        mu: friction coefficient at all contacts, or None for what the scene says.
        torques: of the motors [N m].
        shown: up to three motors, counted from 0, whose torques are drawn.
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
        """(low, high) [N m] of each motor's torque: its limits where it has some, else round what the sets reach."""
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


#: Torque sets of so many friction coefficients are kept.
KEPT = 40


def first_torques(sets: TorqueSets, ranges: Sequence[tuple[float, float]]) -> tuple[float, ...]:
    """Where the sliders begin: the scene's own torques where it has some, else deep in T*, else zero [N m]."""
    own = sets.scene.torque
    if own is not None and len(own) == len(ranges):
        return _within(own, ranges)
    return deepest_torques(sets, None, ranges) or _within(np.zeros(len(ranges)), ranges)


def deepest_torques(
    sets: TorqueSets, mu: float | None, ranges: Sequence[tuple[float, float]]
) -> tuple[float, ...] | None:
    """The torques of T* that may err most, or weak ones where some may err without limit [N m]; None without any."""
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
    """The chain, the sets of torques, and what the torques of the sliders allow.

    Args:
        state: of the controls.
        sets: of the chain.
        ranges: of the sliders [N m]: what the box of torques shows.
    """
    start = time.perf_counter()
    answer = sets.at(state.mu)
    torques, moved = flattened(answer, state.torques)
    state = replace(state, torques=torques)
    kind = str(answer.classify(list(torques)))
    margin = float(answer.margin(list(torques)))
    others = other_motions(sets.scene, state, answer, kind)
    seconds = time.perf_counter() - start
    scene = sets.scene
    place = ChainPlace.of(scene)
    marks: dict[str, Mark] = dict(_chain_marks(scene, place, colour(SHADES[kind])))
    low, high = (np.array([ranges[i][k] for i in state.shown]) for k in (0, 1))
    corner = np.array([place.right + GAP, 0.0, 0.0])
    box = TorqueBox(state.shown, low, high, corner)
    marks |= sets.drawn(state.mu, box) | dot_marks(box, state.torques, colour(SHADES[kind]))
    view = framed(Drawing(marks).corners, (-0.3, 1.0, -0.25) if len(state.shown) == 3 else (0.0, 1.0, 0.0))
    words = _lines(answer, kind, others)
    if moved > 0.0:
        words.append(f"the set is flat: torques were taken to it, by {written(moved)} N m at most")
    verdict = Verdict(WORDS[kind], TONES[kind], _margin(margin, kind), seconds, words)
    subject = f"{scene.name} {len(state.shown)}"
    return Answer(verdict, Drawing(marks, view), subject, _notes(answer), _moving(scene, place, others))


def flattened(answer: TorqueSet, torques: Sequence[float]) -> tuple[tuple[float, ...], float]:
    """The nearest torques in the plane of a flat T_c, which no slider meets, and by how much that is at most [N m]."""
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


def _margin(margin: float, kind: str) -> str:
    if kind != "unique":
        return ""
    return "torques may err without limit" if np.isinf(margin) else f"torques may err by {written(margin)} N m"


def _lines(answer: TorqueSet, kind: str, others: Sequence[tuple[str, Array]]) -> list[str]:
    """The state of the whole set, and the modes that these torques allow."""
    words = {
        "unambiguous": "torques that allow it allow no other motion",
        "partly ambiguous": "some torques leave only this motion, others leave another one possible, too",
        "ambiguous": "whatever torque allows it leaves another motion possible, too",
        "infeasible": "no torque makes it possible",
        "impact": "a contact runs into its wall",
    }
    lines = [f"wanted mode {answer.mode}: {words[answer.status]}"]
    if others:
        modes = ", ".join(dict.fromkeys(mode for mode, _ in others))
        lines.append(f"{'also possible' if kind == 'ambiguous' else 'instead'}: {modes}")
    return lines


def _notes(answer: TorqueSet) -> str:
    many = " Sets over more torques than shown are drawn as shadows." if answer.space.sizes[2] > 3 else ""
    return (
        "**Green**: T*, torques that leave only the wanted motion. **Other colours**: torques that allow it and "
        f"another one too. The dot is where the sliders are; ghosts are motions that may happen instead.{many}"
    )


# -- the chain ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ChainPlace:
    """How the chain's plane is laid into the scene.

    Attributes:
        middle: (x, y) of the plane that comes to the scene's origin [m].
        scale: scene units a metre.
        right: the largest x in the scene.
    """

    middle: tuple[float, float]
    scale: float
    right: float

    @staticmethod
    def of(scene: PlanarChainScene) -> ChainPlace:
        """So that chain and walls are `TALL`."""
        points = np.vstack([scene.chain.nodes(scene.q), *scene.walls])
        low, high = points.min(axis=0), points.max(axis=0)
        scale = TALL / max(float((high - low)[1]), 0.5 * float((high - low)[0]), 1e-9)
        x, y = (float(v) for v in 0.5 * (low + high))
        return ChainPlace((x, y), scale, float(scale * (high[0] - x)))

    def __call__(self, points: Array, depth: float = 0.0) -> Array:
        """Points (..., 2) [m] in the scene (..., 3)."""
        return upright(self.scale * (np.asarray(points, dtype=float) - np.array(self.middle)), depth)


def _chain_marks(scene: PlanarChainScene, place: ChainPlace, tint: Colour) -> Marks:
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


def _moving(
    scene: PlanarChainScene, place: ChainPlace, others: Sequence[tuple[str, Array]]
) -> Callable[[float], Marks] | None:
    """Ghosts of other motions, from rest, the farthest node by `STEP` heights."""
    if not others:
        return None
    q = scene.q
    nodes = scene.chain.nodes(q)
    reach = STEP * TALL / place.scale
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

"""The space of up to three joint torques as a box in the scene: T*, ambiguous torques, and a dot at one torque."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..checks import Array, IntArray
from ..geometry.polytopes import Polytope
from ..plotting import style
from ..web.marks import Colour, Dots, Lines, Mark, Surface, Word, colour, fan, joined, mixed, ring, written
from .plots_torque_sets import UNIQUE, drawn_sets
from .polyhedra import Polyhedron
from .torque_answers import TorqueSet

#: Width of the box, thickness of the bars of one torque and of sets that are lines, in the scene.
WIDTH, BAR, THIN = 1.3, 0.09, 0.024

#: Opacity of solids and of polygons: of unique and of ambiguous torques.
SOLID, FLAT = (0.45, 0.14), (0.6, 0.4)

#: From the box down to the first name of a set, and from one name to the next.
BELOW, LINE = 0.32, 0.13


@dataclass(frozen=True, eq=False)
class TorqueBox:
    """Torques [N m] from `low` to `high` (d,) as a box: the first to the right, the second up, the third away.

    Attributes:
        motors: which motors, counted from 0; one to three of them.
        low, high: (d,) ends [N m].
        corner: (3,) of the scene, where the first torque is lowest, at the box's middle height.
    """

    motors: tuple[int, ...]
    low: Array
    high: Array
    corner: Array

    def place(self, torques: Array, nearer: float = 0.0) -> Array:
        """Torques (n, d) [N m] as points (n, 3) of the scene, `nearer` to the reader than they are."""
        share = (np.asarray(torques, dtype=float).reshape(-1, len(self.low)) - self.low) / (self.high - self.low)
        x, z, y = np.column_stack([share, np.zeros((len(share), 3 - share.shape[1]))]).T
        up = z - 0.5 if len(self.low) > 1 else z
        return self.corner + WIDTH * np.column_stack([x, y, up]) - np.array([0.0, nearer, 0.0])

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
    """A dot at the torques of all motors [N m]; those out of the box are drawn at its border.

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
    opacity = (SOLID if len(box.low) == 3 else FLAT)[0 if tint == UNIQUE else 1]
    return Surface(np.concatenate(corners), np.concatenate(faces), colour(tint), opacity)


def clipped(box: TorqueBox, part: Polyhedron, row: int = 0) -> tuple[Array, IntArray]:
    """(vertices, faces) in the scene of a convex set within the box; what has no area is given some.

    Args:
        box: what is shown.
        part: the set, over the box's torques.
        row: bars of one torque stand below each other by their row; polygons lie behind each other.
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
    if body.dimension == 3:
        return box.place(body.vertices), body.triangles.astype(np.int64)
    around = body.extreme - body.extreme.mean(axis=0)
    _, _, axes = np.linalg.svd(around, full_matrices=False)
    order = np.argsort(np.arctan2(around @ axes[1], around @ axes[0]))
    return box.place(body.extreme[order], -0.004 * row), fan(len(order))


def _bar(ends: Array, width: float) -> tuple[Array, IntArray]:
    """A flat bar between two points (2, 3), across the reader's line of sight."""
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
        lines = [joined(np.array([box.at([0.0]), box.at([1.0])]))]
    elif d == 2:
        lines = [ring(np.array([box.at(c) for c in square]))]
    else:
        lines = [ring(np.array([box.at([*c, z]) for c in square])) for z in (0.0, 1.0)]
        lines.append(np.array([[box.at([*c, 0.0]), box.at([*c, 1.0])] for c in square]))
    marks: dict[str, Mark] = {"axes": Lines(np.concatenate(lines), grey, 1.5)}
    zero = -box.low / (box.high - box.low)  # share of the sides at which torques are zero
    if d == 1 and 0.0 < zero[0] < 1.0:
        tick = np.array([0.0, 0.0, 0.06])
        marks["zero"] = Lines(np.array([[box.at(zero) - tick, box.at(zero) + tick]]), grey, 1.5)
    elif d == 2:
        across = [[box.at([zero[0], 0.0]), box.at([zero[0], 1.0])]] if 0.0 < zero[0] < 1.0 else []
        across += [[box.at([0.0, zero[1]]), box.at([1.0, zero[1]])]] if 0.0 < zero[1] < 1.0 else []
        marks["zero"] = Lines(np.array(across).reshape(-1, 2, 3), grey, 1.0)
    ends = ([0.5, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.5])
    offsets = ([0.0, 0.0, -0.1 if d > 1 else 0.14], [0.25, 0.0, 0.1], [0.25, 0.0, -0.08])
    for k in range(d):
        text = f"motor {box.motors[k] + 1}: {written(box.low[k])} to {written(box.high[k])} N m"
        marks[f"motor {k + 1}"] = _word(text, box.at(ends[k][:d]) + np.array(offsets[k]))
    return marks


def _word(text: str, place: Array, anchor: str = "center-center") -> Word:
    return Word(text, (float(place[0]), float(place[1]), float(place[2])), anchor)

"""Convex pieces inside a star-shaped surface: nothing invented, as little lost as few pieces allow."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .. import tolerances
from ..checks import Array
from ..errors import GeometryError
from ..geometry.directions import Indices
from .cover import HOPELESS, LEAST_ERROR, Patchwork, Stakes, colour, patchwork, smallest_errors
from .dead_cones import BEYOND, plane_sets, rim_cones
from .growth import LOST, Growth, PieceProgram
from .refinement import ConvexPiece, refine
from .surface import LimitSurface
from .thinning import cost, thinned

#: Colourings tried for one error, each with planes chosen and ties broken another way.
ATTEMPTS = 8

#: Where errors are hopeless as much as possible is kept within this one, and the rest let go.
SETTLED_FOR = 0.1

#: Forces of other groups that each piece is asked to take along, besides those of no group.
PASSENGERS = 120

#: Triangles worth less are no reason for a piece to hold back elsewhere.
LEAST_WORTH = 0.01

#: What a piece held before it holds again, but for rounding.
ROUNDED = 1.0 + 1e-4


def inner_pieces(
    surface: LimitSurface, stakes: Stakes, most: int, goal: float, most_vertices: int
) -> list[ConvexPiece]:
    """At most `most` convex pieces inside a bounded surface, with errors of about the share `goal` if they suffice."""
    parts = patchwork(surface, stakes)
    program = PieceProgram(surface, parts.corners)
    sets = plane_sets(rim_cones(surface), program.rays, parts.stakes)
    grouping = _Grouping(parts, program.rays, sets, most)
    pulling, pressing = smallest_errors(grouping.attempt, goal)
    reached = pulling <= max(goal, LEAST_ERROR)
    exact = exact_pieces(parts, surface, int(grouping.group.max(initial=0)) + 1 if reached else most)
    if exact is not None:
        return exact
    if pulling > HOPELESS:
        pulling = pressing = SETTLED_FOR
        grouping.best_effort(SETTLED_FOR)
    error = np.where(parts.steep, pulling, pressing)
    growths = _grown(
        program, parts, sets, grouping, 1.0 / np.maximum(1.0 - error / np.maximum(parts.stakes, error), 1.0 / LOST)
    )
    pieces = thinned(growths, parts, stakes, most_vertices)
    if not pieces:
        raise GeometryError(
            "the volume below the surface is too thin for a convex piece",
            where="surface",
            fix="measure more directions",
        )
    return [strictly_inside(piece, surface) for piece in pieces]


def _grown(
    program: PieceProgram, parts: Patchwork, sets: list[Array], grouping: _Grouping, caps: Array
) -> list[Growth]:
    """One growth a group, in two passes.

    In the first each piece grows for its group. In the second it grows for the triangles that it turned
    out to hold best: what another piece holds better need not be held back for.
    """
    loose = _corners_of(parts, grouping.group < 0) & ~_corners_of(parts, grouping.group >= 0)
    planes = [sets[which] for which in grouping.chosen]
    growths = [
        program.solve(through, _corners_of(parts, grouping.group == k), loose, caps, parts.stakes)
        for k, through in enumerate(planes)
    ]
    passengers = loose.copy()
    passengers[:: max(1, len(loose) // PASSENGERS)] = True
    reach = np.array([growth.reach(parts.corners) for growth in growths])
    owner = cost(reach, parts.stakes, parts.triangles).argmin(axis=0)
    matter = parts.worth > LEAST_WORTH
    return [
        program.solve(
            through,
            _corners_of(parts, matter & (owner == k)),
            passengers,
            np.maximum(caps, ROUNDED / np.maximum(reach[k], 1.0 / LOST)),
            parts.stakes,
        )
        for k, through in enumerate(planes)
    ]


def _corners_of(parts: Patchwork, some: Array) -> Array:
    """(s,) the corners of some of the triangles (t,)."""
    result = np.zeros(len(parts.corners), dtype=bool)
    result[parts.triangles[some]] = True
    return result


def exact_pieces(parts: Patchwork, surface: LimitSurface, most: int) -> list[ConvexPiece] | None:
    """At most `most` pieces without any error, if the surface is a union of so few convex ones and they are found."""
    conflict = parts.conflicts(np.zeros(len(parts.triangles)))
    for count in range(2, most + 1):
        for seed in range(ATTEMPTS):
            group = colour(conflict, np.ones((len(conflict), count), dtype=bool), seed)
            if group is not None:
                points = [parts.corners[np.unique(parts.triangles[group == k])] for k in np.unique(group)]
                pieces = [ConvexPiece(p) for p in points]
                if all(refine(p, surface).use.max(initial=0.0) <= 1.0 + tolerances.MEMBERSHIP for p in pieces):
                    return pieces
    return None


class _Grouping:
    """Groups of triangles, each on the near side of one set of planes; the last success is kept.

    Attributes:
        chosen: the plane set of each group.
        group: (t,) the group of each triangle, or -1 for one that is worth less than its error.
    """

    def __init__(self, parts: Patchwork, rays: Array, sets: list[Array], most: int) -> None:
        kept = np.array([(rays @ planes.T).max(axis=1, initial=-np.inf) <= BEYOND for planes in sets])  # (c, s)
        self._whole: NDArray[np.bool_] = np.all(kept[:, parts.triangles], axis=2)  # (c, t)
        self._parts, self._worth, self._most = parts, parts.worth, most
        self.chosen: list[int] = [0]
        self.group: Indices = np.full(len(parts.triangles), -1, dtype=np.intp)

    def attempt(self, pulling: float, pressing: float) -> bool:
        """Whether groups were found for these errors of pulling and pressing triangles."""
        limits = self._parts.limits(pulling, pressing)
        matter = np.flatnonzero(self._worth > limits)
        if not len(matter):
            self.chosen, self.group = [0], np.full(len(limits), -1, dtype=np.intp)
            return True
        whole = self._whole[:, matter]
        if not whole.any(axis=0).all():
            return False
        conflict = self._parts.conflicts(limits)[np.ix_(matter, matter)]
        for count in range(1, self._most + 1):
            for seed in range(ATTEMPTS):
                chosen = _choose(whole, self._worth[matter], count, seed)
                allowed = whole[chosen].T
                found = colour(conflict, allowed, seed) if allowed.any(axis=1).all() else None
                if found is not None:
                    self.chosen, self.group = chosen, np.full(len(limits), -1, dtype=np.intp)
                    self.group[matter] = found
                    return True
        return False

    def best_effort(self, error: float) -> None:
        """Groups that leave out as little worth as possible, where no few groups cover all within a fair error."""
        matter = np.flatnonzero(self._worth > error)
        conflict = self._parts.conflicts(np.full(len(self._worth), error))[np.ix_(matter, matter)]
        value = self._worth[matter] * self._parts.angles[matter]
        most_kept = -1.0
        for seed in range(ATTEMPTS):
            chosen = _choose(self._whole[:, matter], value, self._most, seed)
            found = colour(conflict, self._whole[chosen][:, matter].T, seed, leave=True)
            assert found is not None
            kept = float(value[found >= 0].sum())
            if kept > most_kept:
                most_kept, self.chosen = kept, chosen
                self.group = np.full(len(self._worth), -1, dtype=np.intp)
                self.group[matter] = found


def _choose(whole: Array, worth: Array, count: int, seed: int) -> list[int]:
    """`count` plane sets that together leave every triangle whole, and valuable ones more than once."""
    rng = np.random.default_rng(seed)
    chance = 1.0 + (0.0 if seed == 0 else 0.3) * rng.random(len(whole))
    times = np.zeros(whole.shape[1])
    chosen: list[int] = []
    for _ in range(count):
        gain = (whole * worth * np.where(times == 0, 1e3, 1.0 / (1.0 + times) ** 2)).sum(axis=1) * chance
        chosen.append(int(gain.argmax()))
        times += whole[chosen[-1]]
    return chosen


def strictly_inside(piece: ConvexPiece, surface: LimitSurface) -> ConvexPiece:
    """`piece`, scaled by the rounding that its exact comparison with the surface shows, and no more."""
    use = refine(piece, surface).use
    worst = float(use[np.isfinite(use)].max(initial=1.0))
    return piece if worst <= 1.0 + tolerances.MEMBERSHIP else ConvexPiece(piece.vertices / worst)

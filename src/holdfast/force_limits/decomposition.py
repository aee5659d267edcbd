"""Convex decomposition: a star-shaped limit surface as few convex pieces, inside it or around it (III.F).

The relevant error is force that the pieces add or lose along a ray, above all adhesion: the dent
of a microspine unit has almost no volume, but filling it would add a pull that does not exist.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .. import checks, tolerances
from ..checks import Array, Side
from ..errors import GeometryError
from ..geometry.directions import Indices
from ..public_names import with_advice
from .accuracy import FORCE, PULL, SHEAR, ConvexPiece, loss, overreach
from .grouping import (
    FORCE_SHARE,
    HOPELESS,
    LEAST_ERROR,
    Clock,
    Patchwork,
    Stakes,
    colour,
    least_colours,
    least_conflict,
    patchwork,
    smallest_errors,
)
from .piece_programs import BEYOND, LOST, PieceProgram, cost, held_share, plane_sets, rim_cones, thinned
from .surface import LimitSurface
from .volume import DecompositionReport, ForceVolume

#: Without a given error, pieces are added until errors are below this share of the stakes.
GOAL = 0.02

#: Factor by which the goal is reduced when the given error was missed, and how often.
TIGHTER = 0.6
TRIES = 4

#: An unlimited surface is mapped so that its ray ends at this multiple of its largest finite limit.
BEND = 4.0

#: Note of a report where the time limit ended the search.
TIME_OVER = "the time limit ended the search: these are the best pieces found until then"

#: A vertex this close (as a share) to the end of a mapped ray stands for the ray.
AT_INFINITY = 1e-7


@with_advice(pieces="give max_pieces")
def decompose(
    surface: LimitSurface,
    *,
    side: Side = "inner",
    max_pieces: int = 6,
    max_error: float | None = None,
    max_vertices: int = 150,
    time_limit: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ForceVolume:
    """Few convex pieces for a limit surface, with a report of their largest errors on the result.

    Args:
        surface: star-shaped, in general not convex; a convex one becomes exactly one piece.
        side: "inner" pieces lie inside the surface, so that no force is added (no false adhesion);
            "outer" pieces together contain it, so that no force is lost. Each contains the zero force.
        max_pieces: most pieces. Fewer are used if they keep every error below 2 % of the stakes (see below).
        max_error: allowed error [N]: adhesion lost (inner) or added (outer) along a ray; force instead of
            adhesion for a surface that does not pull. The fewest pieces that reach it are used, at most
            `max_pieces`; `report.goal_reached` says whether they reach it.
        max_vertices: about the most vertices of an inner piece.
        time_limit: stop after about this time [s] with the best pieces found so far; `report.time_limit_reached` is
            then True. The pieces are still inner or outer, and their errors are computed.
        progress: called with (percent done, 100).

    The stake of a force that pulls steeply (by more than a tenth of its size) is its pull as a share of the
    peak pull; of any other force, its size as a share of (its limit + 10 % of the largest shear limit).
    Errors are balanced in these shares, not by volume. Where few pieces cannot keep errors below half of the
    stakes (for example at a dent with a sharp rim), as much as possible is kept. The time grows with the
    square of the number of directions; 500 noisy ones take a few seconds.

    Returns a ForceVolume whose `report` contains the errors: the overreach share is exact, the others are
    certified upper bounds, within a hundredth. Pieces of a surface with unlimited compression carry rays.
    """
    fix = "give a LimitSurface, such as LimitSurface.from_samples(...)"
    checks.instance("surface", surface, LimitSurface, fix=fix)
    side = checks.side(side)
    most = checks.count("max_pieces", max_pieces)
    vertices = checks.count("max_vertices", max_vertices, low=8)
    wanted = None if max_error is None else checks.positive("max_error", max_error, unit="N")
    clock = Clock(None if time_limit is None else checks.positive("time_limit", time_limit, unit="s"), progress)
    clock.done(0)
    bent, tilt = _bounded(surface)
    stakes = Stakes.of(bent)
    pulls = bool((surface.vertices[np.isfinite(surface.radii), 2] < -tolerances.MEMBERSHIP * surface.size).any())

    def volume(pieces: list[ConvexPiece]) -> ForceVolume:
        clock.done(90)
        return _volume(pieces, bent, tilt, side, pulls, wanted, surface.notes, clock)

    def pieces(goal: float) -> list[ConvexPiece]:
        if side == "inner":
            return inner_pieces(bent, stakes, most, goal, vertices, clock)
        return outer_pieces(bent, stakes, most, goal, clock)

    whole = _convex(bent)
    if whole is not None:
        best = volume([whole])
    elif wanted is None:
        best = volume(pieces(GOAL))
    else:
        goal = min(1.0, wanted / (stakes.adhesion if pulls else surface.size + FORCE_SHARE * stakes.shear))
        best = volume(pieces(goal))
        for _ in range(TRIES - 1):
            if _error(best.report, pulls) <= wanted or len(best) >= most or clock.late():
                break
            goal *= TIGHTER
            again = volume(pieces(goal))
            best = min(best, again, key=lambda made: _error(made.report, pulls))
    clock.done(100)
    return best


def _bounded(surface: LimitSurface) -> tuple[LimitSurface, Array]:
    """(surface, tilt): the surface mapped to a bounded one by x -> x / (1 + tilt . x); tilt is zero if it is bounded.

    The map keeps directions and adds tilt . d to the gauge, which stays linear wherever it was. A piece
    is convex after it exactly when it was before.
    """
    if surface.is_bounded:
        return surface, np.zeros(3)
    endless = np.isinf(surface.radii)
    if (surface.directions[endless, 2] <= tolerances.ORTHONORMAL).any():
        row = int(np.argmax(endless & (surface.directions[:, 2] <= tolerances.ORTHONORMAL)))
        raise GeometryError(
            "a force without limit does not press (its f_z is not above zero)",
            where=f"surface.radii[{row}]",
            fix="give a finite limit there",
        )
    if surface.size == 0.0:
        raise GeometryError("no direction has a finite limit above zero", where="surface", fix="cap the compression")
    tilt = np.array([0.0, 0.0, 1.0 / (BEND * surface.size)])
    radii = 1.0 / (surface.gauges + surface.directions @ tilt)
    return LimitSurface(surface.directions, radii, triangles=surface.triangles), tilt


def _convex(surface: LimitSurface) -> ConvexPiece | None:
    """The whole of a bounded surface as one piece, if it is convex."""
    dead = np.isinf(surface.gauges[surface.triangles]).any(axis=1)
    points = surface.vertices[np.unique(surface.triangles[~dead])]
    if not len(points):
        return None
    piece = ConvexPiece(points)
    use = piece.cells(surface).use
    return piece if use.max(initial=0.0) <= 1.0 + tolerances.MEMBERSHIP else None


def _volume(
    pieces: list[ConvexPiece],
    surface: LimitSurface,
    tilt: Array,
    side: Side,
    pulls: bool,
    wanted: float | None,
    notes: tuple[str, ...],
    clock: Clock,
) -> ForceVolume:
    """The pieces mapped back, with their errors."""
    over = overreach(pieces, surface, tilt)
    lost = loss(pieces, surface, tilt)
    wrong = over if side == "outer" else lost  # the other side has no error
    report = DecompositionReport(
        side=side,
        pieces=len(pieces),
        overreach_percent=100.0 * over.share,
        overreach_newtons=over.newtons[FORCE],
        false_adhesion_newtons=over.newtons[PULL],
        loss_percent=100.0 * lost.share,
        loss_newtons=lost.newtons[FORCE],
        lost_adhesion_newtons=lost.newtons[PULL],
        time_limit_reached=clock.stopped,
        false_shear_newtons=over.newtons[SHEAR],
        lost_shear_newtons=lost.newtons[SHEAR],
        pull_direction=_direction(wrong.points[PULL]),
        shear_direction=_direction(wrong.points[SHEAR]),
        notes=(*notes, *([TIME_OVER] if clock.stopped else [])),
    )
    if wanted is not None and _error(report, pulls) > wanted:
        report = replace(report, goal_reached=False)
    shapes = [_bent_back(piece.vertices, tilt) for piece in pieces]
    return ForceVolume([s[0] for s in shapes], [s[1] for s in shapes], report=report)


def _direction(point: Array) -> tuple[float, float, float] | None:
    """The unit direction of a point; None of zero."""
    if not point.any():
        return None
    x, y, z = (float(c) for c in point / np.linalg.norm(point))
    return x, y, z


def _bent_back(vertices: Array, tilt: Array) -> tuple[Array, Array | None]:
    """(vertices [N], rays or None) of a piece of the true surface."""
    rest = 1.0 - vertices @ tilt
    endless = rest <= AT_INFINITY
    rays = vertices[endless] / np.linalg.norm(vertices[endless], axis=1, keepdims=True)
    return vertices[~endless] / rest[~endless, None], rays if len(rays) else None


def _error(report: DecompositionReport | None, pulls: bool) -> float:
    """The error that `max_error` is about [N]."""
    if report is None:
        return math.inf
    if report.side == "inner":
        return report.lost_adhesion_newtons if pulls else report.loss_newtons
    return report.false_adhesion_newtons if pulls else report.overreach_newtons


# -- inner pieces: no force added, as little lost as few pieces allow -----------------------------------

#: Colourings tried for one error and one number of pieces, each with other planes and tie-breaks.
ATTEMPTS = 8

#: Where small errors are impossible, as much as possible is kept within this one, and the rest is dropped.
SETTLED_FOR = 0.1

#: Triangles worth less than this do not restrict a piece elsewhere.
LEAST_WORTH = 0.01

#: Rounding allowed when a piece must hold what it held before.
ROUNDED = 1.0 + 2e-3

#: Least rounds of the program for a piece in the first and the second pass (more for fewer forces), and rounds for a
#: piece that is begun after the time limit.
ROUNDS = (8, 20)
ROUNDS_TIMES_FORCES = (2_000, 6_000)
LATE_ROUNDS = 8

#: Random change of the worth of a plane set, and extra weight of a triangle that no set leaves whole yet.
CHANCE = 0.3
UNCOVERED = 1e3


def inner_pieces(
    surface: LimitSurface, stakes: Stakes, most: int, goal: float, most_vertices: int, clock: Clock
) -> list[ConvexPiece]:
    """At most `most` convex pieces inside a bounded surface, with errors of about the share `goal` if they suffice."""
    parts = patchwork(surface, stakes, clock)
    clock.done(10)
    program = PieceProgram(surface, parts.corners, parts.lines)
    sets = plane_sets(rim_cones(surface), program.rays, parts.stakes)
    grouping = _Grouping(parts, program.rays, sets, most, clock)
    pulling, pressing = smallest_errors(grouping.attempt, goal)
    reached = pulling <= max(goal, LEAST_ERROR)
    clock.done(25)
    exact = exact_pieces(parts, surface, int(grouping.group.max(initial=0)) + 1 if reached else most, clock)
    if exact is not None:
        return exact
    if pulling > HOPELESS:
        pulling = pressing = SETTLED_FOR
        grouping.best_effort(SETTLED_FOR)
    error = np.where(parts.steep, pulling, pressing)
    growths = _grown(
        program,
        parts,
        sets,
        grouping,
        1.0 / np.maximum(1.0 - error / np.maximum(parts.stakes, error), 1.0 / LOST),
        clock,
    )
    clock.done(85)
    pieces = thinned(growths, parts, stakes, most_vertices, clock) if growths else []
    if not pieces:
        raise GeometryError(
            "the volume below the surface is too thin for a convex piece",
            where="surface",
            fix="measure more directions",
        )
    return [strictly_inside(piece, surface) for piece in pieces]


def _grown(
    program: PieceProgram, parts: Patchwork, sets: list[Array], grouping: _Grouping, caps: Array, clock: Clock
) -> list[ConvexPiece]:
    """One grown piece per group, in two passes.

    In the first pass each piece grows for its group. In the second it grows for the triangles that it holds
    best: it need not cover what another piece holds better.
    """
    found: list[tuple[Array, ConvexPiece]] = []
    steps = 2 * len(grouping.chosen)

    def grow(planes: Array, members: Array, caps: Array, step: int) -> ConvexPiece | None:
        clock.done(25 + 60 * step / steps)
        second = 2 * step >= steps
        rounds = max(ROUNDS[second], ROUNDS_TIMES_FORCES[second] // len(program.forces))
        rounds = LATE_ROUNDS if clock.late() else rounds
        return program.solve(planes, members, caps, parts.stakes, rounds)

    for k, which in enumerate(grouping.chosen):
        if not (found and clock.late()):
            piece = grow(sets[which], _corners_of(parts, grouping.group == k), caps, k)
            found += [] if piece is None else [(sets[which], piece)]
    if not found:
        return []
    reach = np.array([held_share(piece, parts.corners) for _, piece in found])
    owner = cost(reach, parts.stakes, parts.triangles).argmin(axis=0)
    matter = parts.worth > LEAST_WORTH
    for k, (planes, piece) in enumerate(found):
        if not clock.late():
            again = np.maximum(caps, ROUNDED / np.maximum(reach[k], 1.0 / LOST))
            better = grow(planes, _corners_of(parts, matter & (owner == k)), again, steps // 2 + k)
            found[k] = planes, better or piece
    return [piece for _, piece in found]


def _corners_of(parts: Patchwork, some: Array) -> Array:
    """(s,) the corners of some of the triangles (t,)."""
    result = np.zeros(len(parts.corners), dtype=bool)
    result[parts.triangles[some]] = True
    return result


def exact_pieces(parts: Patchwork, surface: LimitSurface, most: int, clock: Clock) -> list[ConvexPiece] | None:
    """At most `most` pieces without any error, if the surface is a union of so few convex ones and they are found."""
    conflict = parts.conflicts(np.zeros(len(parts.triangles)))
    for count in range(max(2, least_colours(conflict)), most + 1):
        for seed in range(ATTEMPTS):
            if clock.late():
                return None
            group = colour(conflict, np.ones((len(conflict), count), dtype=bool), seed)
            if group is not None:
                points = [parts.corners[np.unique(parts.triangles[group == k])] for k in np.unique(group)]
                pieces = [ConvexPiece(p) for p in points]
                if all(p.cells(surface).use.max(initial=0.0) <= 1.0 + tolerances.MEMBERSHIP for p in pieces):
                    return pieces
    return None


class _Grouping:
    """Groups of triangles, each on the near side of one set of planes; the last success is kept.

    Attributes:
        chosen: the plane set of each group.
        group: (t,) the group of each triangle, or -1 for one that is worth less than its error.
    """

    def __init__(self, parts: Patchwork, rays: Array, sets: list[Array], most: int, clock: Clock) -> None:
        kept = np.array([(rays @ planes.T).max(axis=1, initial=-np.inf) <= BEYOND for planes in sets])  # (c, s)
        self._whole: NDArray[np.bool_] = np.all(kept[:, parts.triangles], axis=2)  # (c, t)
        self._parts, self._worth, self._most, self._clock = parts, parts.worth, most, clock
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
        for count in range(least_colours(conflict), self._most + 1):
            for seed in range(ATTEMPTS):
                if self._clock.late():
                    return False
                chosen = _choose(whole, self._worth[matter], count, seed)
                allowed = whole[chosen].T
                found = colour(conflict, allowed, seed) if allowed.any(axis=1).all() else None
                if found is not None:
                    self.chosen, self.group = chosen, np.full(len(limits), -1, dtype=np.intp)
                    self.group[matter] = found
                    return True
        return False

    def best_effort(self, error: float) -> None:
        """Groups that leave out as little worth as possible, where few groups cannot cover all within a fair error."""
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
            if self._clock.late():
                break


def _choose(whole: Array, worth: Array, count: int, seed: int) -> list[int]:
    """`count` plane sets that together leave every triangle whole, and valuable ones more than once."""
    rng = np.random.default_rng(seed)
    chance = 1.0 + (0.0 if seed == 0 else CHANCE) * rng.random(len(whole))
    times = np.zeros(whole.shape[1])
    chosen: list[int] = []
    for _ in range(count):
        gain = (whole * worth * np.where(times == 0, UNCOVERED, 1.0 / (1.0 + times) ** 2)).sum(axis=1) * chance
        chosen.append(int(gain.argmax()))
        times += whole[chosen[-1]]
    return chosen


def strictly_inside(piece: ConvexPiece, surface: LimitSurface) -> ConvexPiece:
    """`piece`, scaled down by the rounding that its exact comparison with the surface shows."""
    use = piece.cells(surface).use
    worst = float(use[np.isfinite(use)].max(initial=1.0))
    return piece if worst <= 1.0 + tolerances.MEMBERSHIP else ConvexPiece(piece.vertices / worst)


# -- outer pieces: no force lost, as little added as few pieces allow -----------------------------------


def outer_pieces(surface: LimitSurface, stakes: Stakes, most: int, goal: float, clock: Clock) -> list[ConvexPiece]:
    """At most `most` convex pieces around a bounded surface, with errors of about the share `goal` if they suffice.

    Every triangle has all its corners in one piece, which therefore contains all forces below it.
    """
    parts = patchwork(surface, stakes, clock)
    clock.done(30)
    group = np.zeros(len(parts.triangles), dtype=np.intp)

    def attempt(pulling: float, pressing: float) -> bool:
        nonlocal group
        if pulling >= 1.0:
            group = np.zeros(len(parts.triangles), dtype=np.intp)
            return True
        conflict = parts.conflicts(parts.limits(pulling, pressing))
        for count in range(least_colours(conflict), most + 1):
            allowed = np.ones((len(conflict), count), dtype=bool)
            for seed in range(ATTEMPTS if count > 1 else 1):
                if clock.late():
                    return False
                found = colour(conflict, allowed, seed)
                if found is not None:
                    group = found
                    return True
        return False

    pulling, _ = smallest_errors(attempt, goal)
    clock.done(60)
    if pulling > HOPELESS and not clock.late():
        group = least_conflict(parts.excess, most)
    points = [parts.corners[np.unique(parts.triangles[group == k])] for k in np.unique(group)]
    for fin in _fins(surface):
        # A single direction or a flat fan of them has no volume; it is added to the nearest piece.
        nearest = int(np.argmax([(p @ fin.sum(axis=0)).max() / np.linalg.norm(p, axis=1).max() for p in points]))
        points[nearest] = np.vstack([points[nearest], fin])
    return [ConvexPiece(p) for p in points]


def _fins(surface: LimitSurface) -> list[np.ndarray]:
    """Limit forces (m, 3) of edges and single directions that carry a force without a volume next to them."""
    positive = surface.radii > 0.0
    alive = surface.triangles[positive[surface.triangles].all(axis=1)]
    held = {tuple(e) for e in np.sort(alive[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)}
    edges = [e for e in surface.mesh.edges if positive[e].all() and tuple(e) not in held]
    lone = np.setdiff1d(np.flatnonzero(positive), np.concatenate([alive.ravel(), *edges]))
    return [surface.vertices[e] for e in edges] + [surface.vertices[[i]] for i in lone]

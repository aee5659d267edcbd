"""Convex decomposition: a star-shaped limit surface as few convex pieces, inside it or around it (III.F).

The error that matters is force that the pieces invent or lose along a ray, above all adhesion: the dent
of a microspine unit has next to no volume, yet filling it in invents a pull that does not exist.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

import numpy as np

from .. import checks, tolerances
from ..checks import Array
from ..errors import GeometryError, InputError, UnknownNameError
from .accuracy import loss, overreach
from .cover import FORCE_SHARE, Stakes
from .inner import inner_pieces
from .outer import outer_pieces
from .refinement import ConvexPiece, refine
from .report import DecompositionReport
from .surface import LimitSurface
from .volume import ForceVolume

#: Without a wanted error, more pieces are used until errors are below this share of what is at stake.
GOAL = 0.02

#: How much smaller the aim gets when the wanted error was missed, and how often.
TIGHTER = 0.6
TRIES = 4

#: A surface without a limit is bent so that its ray ends this many times its largest finite limit away.
BEND = 4.0

#: A vertex this close (as a share) to the end of a bent ray is the ray.
AT_INFINITY = 1e-7


def decompose(
    surface: LimitSurface,
    *,
    side: Literal["inner", "outer"] = "inner",
    max_pieces: int = 6,
    max_error: float | None = None,
    max_vertices: int = 150,
) -> ForceVolume:
    """Few convex pieces for a limit surface, with a report of their largest errors on the result.

    Args:
        surface: star-shaped, in general not convex; a convex one becomes exactly one piece.
        side: "inner" pieces lie inside the surface, so that nothing is invented (no false adhesion);
            "outer" pieces contain it together, so that nothing is lost. Each holds the zero force.
        max_pieces: most pieces. Fewer are used when they keep every error below 2 % of what is at stake.
        max_error: wanted error [N]: adhesion lost (inner) or invented (outer) along a ray; force in place of
            adhesion for a surface that does not pull. As few pieces as reach it are used, never more than
            `max_pieces`; `report.goal_reached` says whether they did.
        max_vertices: about the most vertices of an inner piece.

    What is at stake at a force that pulls steeply (by more than a tenth of its size) is its pull as a share of
    the peak pull; at any other force, its size as a share of (its limit + 10 % of the largest shear limit).
    Errors are evened out in these shares, never by volume. Where no few pieces keep to half of the stakes
    (a dent with a sharp rim, say), as much as possible is kept. The time grows with the square of the number
    of directions; a few hundred take seconds.

    Returns a ForceVolume whose `report` holds the errors: the overreach share is exact, all else is
    certified from above, to a hundredth. Pieces of a surface with unlimited compression carry rays.
    """
    _check(surface, side)
    most = checks.count("max_pieces", max_pieces)
    vertices = checks.count("max_vertices", max_vertices, low=8)
    wanted = None if max_error is None else checks.positive("max_error", max_error, unit="N")
    bent, tilt = _bounded(surface)
    stakes = Stakes.of(bent)
    pulls = bool((surface.vertices[np.isfinite(surface.radii), 2] < -tolerances.MEMBERSHIP * surface.size).any())
    whole = _convex(bent)
    if whole is not None:
        return _volume([whole], bent, tilt, side, pulls, wanted)
    if wanted is None:
        return _volume(_pieces(bent, stakes, side, most, GOAL, vertices), bent, tilt, side, pulls, None)
    goal = min(1.0, wanted / (stakes.adhesion if pulls else surface.size + FORCE_SHARE * stakes.shear))
    best: ForceVolume | None = None
    for _ in range(TRIES):
        volume = _volume(_pieces(bent, stakes, side, most, goal, vertices), bent, tilt, side, pulls, wanted)
        if best is None or _error(volume.report, pulls) < _error(best.report, pulls):
            best = volume
        if best.report is not None and (best.report.goal_reached or len(volume) >= most):
            break
        goal *= TIGHTER
    assert best is not None
    return best


def _check(surface: LimitSurface, side: str) -> None:
    if not isinstance(surface, LimitSurface):
        raise InputError(
            f"is a {type(surface).__name__}",
            where="surface",
            fix="give a LimitSurface, such as LimitSurface.from_samples(...)",
        )
    if side not in ("inner", "outer"):
        raise UnknownNameError("side", str(side), ("inner", "outer"), where="side")


def _pieces(
    surface: LimitSurface, stakes: Stakes, side: str, most: int, goal: float, vertices: int
) -> list[ConvexPiece]:
    if side == "inner":
        return inner_pieces(surface, stakes, most, goal, vertices)
    return outer_pieces(surface, stakes, most, goal)


def _bounded(surface: LimitSurface) -> tuple[LimitSurface, Array]:
    """(surface, tilt): the surface bent to a bounded one by x -> x / (1 + tilt . x); tilt is zero if it is bounded.

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
    use = refine(piece, surface).use
    return piece if use.max(initial=0.0) <= 1.0 + tolerances.MEMBERSHIP else None


def _volume(
    pieces: list[ConvexPiece],
    surface: LimitSurface,
    tilt: Array,
    side: Literal["inner", "outer"],
    pulls: bool,
    wanted: float | None,
) -> ForceVolume:
    """The pieces bent back, with their errors."""
    over = overreach(pieces, surface, tilt)
    lost = loss(pieces, surface, tilt)
    report = DecompositionReport(
        side=side,
        pieces=len(pieces),
        overreach_percent=100.0 * over[0],
        overreach_newtons=over[1],
        false_adhesion_newtons=over[2],
        loss_percent=100.0 * lost[0],
        loss_newtons=lost[1],
        lost_adhesion_newtons=lost[2],
    )
    if wanted is not None and _error(report, pulls) > wanted:
        report = replace(report, goal_reached=False)
    shapes = [_bent_back(piece.vertices, tilt) for piece in pieces]
    return ForceVolume([s[0] for s in shapes], [s[1] for s in shapes], report=report)


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

"""Sections through the zero force: volumes, surfaces and measurements in one plane; the bands of repeated trials."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array
from ..errors import InputError
from ..geometry.polytopes import Polytope
from ..plotting import style
from .plots_planes import Plane, plane_of, polygon_section, surface_outline, union_outline
from .plots_surfaces import check_surface
from .plots_volumes import REACH
from .surface import LimitSurface
from .volume import ForceVolume

Thing = ForceVolume | LimitSurface | Polytope
Window = tuple[tuple[float, float], tuple[float, float]]

#: Sets without limit are cut this many picture widths away, where the cut cannot be seen.
BEYOND = 8.0

#: Room round the data, as a share of their extent.
MARGIN = 0.07


def section(
    things: Thing | Sequence[Thing],
    plane: str | Sequence[ArrayLike] = "xz",
    ax: Any = None,
    *,
    labels: Sequence[str] | None = None,
    reach: float | None = None,
    window: Window | None = None,
    near: float = 5.0,
    samples: bool = True,
    title: str = "",
) -> Any:
    """A section through the zero force, exact: pieces as polygons, surfaces as outlines, measurements as dots.

    One volume alone has a colour for each piece, as in `force_volume`; of several, each shows the border of its
    union. Surfaces are lines, hulls (Polytopes) dashed ones. Measured limits within `near` of the plane are dots,
    turned into it, assumed ones open circles.

    Args:
        things: a ForceVolume, a LimitSurface or a Polytope of forces [N] in the contact frame, or several.
        plane: "xz", "yz", "xy" of the contact frame, or two directions (u, v) that span it: u to the right, v up.
        ax: plain axes, or None for a new figure.
        labels: a name for each thing in the legend.
        reach: half-width of the picture [N]; by default everything that has a limit is seen.
        window: ((left, right), (bottom, top)) [N] instead, each with its own scale: a closer look at the adhesive side.
        near: measurements this close to the plane are shown [deg].
        samples: whether to show measurements.
        title: title of the picture.

    Returns:
        The Axes.
    """
    listed = _listed(things)
    names = _names(listed, labels)
    flat = plane_of(plane)
    off = checks.number("near", near, low=0.0, high=90.0, unit="deg")
    ax = style.axes(ax, "plane")
    box = _window(listed, flat, reach, window)
    far = BEYOND * float(np.abs(box).max())
    colours = iter(style.PALETTE * (1 + len(listed)))
    surfaces = 0
    for thing, name in zip(listed, names, strict=True):
        if isinstance(thing, LimitSurface):
            colour = style.INK if surfaces == 0 else next(colours)
            surfaces += 1
            # Thicker than volumes, so that it is seen beside one that follows it.
            _line(ax, surface_outline(thing, flat, far), colour, name, width=1.4 if len(listed) == 1 else 2.6)
            if samples:
                _samples(ax, thing, flat, off)
        else:
            _volume(ax, thing, flat, far, colours, name, alone=len(listed) == 1)
    _frame(ax, flat, box, equal=window is None, title=title)
    return ax


def bands(
    surface: LimitSurface,
    plane: str | Sequence[ArrayLike] = "xz",
    ax: Any = None,
    *,
    near: float = 5.0,
    samples: bool = True,
    reach: float | None = None,
    window: Window | None = None,
    title: str = "",
) -> Any:
    """The scatter of repeated trials in a section: what every trial carried, what some trial carried, and between.

    The inner band is filled, the stretch up to the outer band is light, the nominal limit is a line. Each measured
    direction within `near` of the plane shows its nominal limit as a dot and its trials' range as a bar.
    Arguments as for `section`.
    """
    check_surface("surface", surface)
    flat = plane_of(plane)
    off = checks.number("near", near, low=0.0, high=90.0, unit="deg")
    ax = style.axes(ax, "plane")
    box = _window([surface.outer], flat, reach, window)
    far = BEYOND * float(np.abs(box).max())
    inner, outer = (surface_outline(s, flat, far) for s in (surface.inner, surface.outer))
    colour = style.PALETTE[0]
    ax.fill(*outer.T, color=colour, alpha=0.18, linewidth=0, label="some trials held", gid="outer")
    ax.fill(*inner.T, facecolor="#9CC4DD", linewidth=0, label="every trial held", gid="inner")
    _line(ax, surface_outline(surface, flat, far), colour, "nominal")
    if samples:
        shown, turned = _near_plane(surface, flat, off)
        shown &= surface.measured
        ends = turned[shown, None, :] * np.stack([surface.lower[shown], surface.upper[shown]], axis=1)[..., None]
        if len(ends):
            from matplotlib.collections import LineCollection

            ax.add_collection(LineCollection(list(ends), colors=style.INK, linewidths=style.MEDIUM, gid="ranges"))
            dots = turned[shown] * surface.radii[shown, None]
            name = f"measured within {off:g}° of the plane, range of trials"
            ax.plot(*dots.T, "o", ms=2.6, color=style.INK, label=name)
    _frame(ax, flat, box, equal=window is None, title=title)
    return ax


def _listed(things: Any) -> list[Thing]:
    listed = list(things) if isinstance(things, Iterable) else [things]
    if not listed:
        raise InputError("is empty", where="things", fix="give a ForceVolume, a LimitSurface or several")
    for index, thing in enumerate(listed):
        if not isinstance(thing, (ForceVolume, LimitSurface, Polytope)):
            fix = "give ForceVolume, LimitSurface or Polytope objects"
            raise InputError(f"is a {type(thing).__name__}", where=f"things[{index}]", fix=fix)
        if isinstance(thing, Polytope) and thing.ambient_dimension != 3:
            what = f"is in R^{thing.ambient_dimension}"
            raise InputError(what, where=f"things[{index}]", fix="give a set of forces in R^3")
    return listed


def _names(things: list[Thing], labels: Sequence[str] | None) -> list[str]:
    if labels is None:
        return [_name(thing) for thing in things]
    if isinstance(labels, str) or len(labels) != len(things):
        raise InputError(f"is {labels!r}", where="labels", fix=f"give {len(things)} names, one a thing")
    return [str(label) for label in labels]


def _name(thing: Thing) -> str:
    if isinstance(thing, LimitSurface):
        return "limit surface"
    if isinstance(thing, Polytope):
        return "convex set"
    return f"{thing.report.side} volume" if thing.report is not None else "force volume"


def _polytopes(thing: ForceVolume | Polytope) -> tuple[Polytope, ...]:
    return thing.polytopes if isinstance(thing, ForceVolume) else (thing,)


def _window(things: Sequence[Thing], plane: Plane, reach: float | None, window: Window | None) -> Array:
    """((left, right), (bottom, top)) of the picture [N]."""
    if window is not None:
        box = checks.array("window", window, (2, 2))
        if (box[:, 0] >= box[:, 1]).any():
            fix = "give ((left, right), (bottom, top)) with left < right and bottom < top"
            raise InputError("is empty", where="window", fix=fix)
        return box
    if reach is not None:
        return checks.positive("reach", reach, unit="N") * np.array([[-1.0, 1.0], [-1.0, 1.0]])
    points = [np.zeros((1, 2))]
    for thing in things:
        if isinstance(thing, LimitSurface):
            outline = surface_outline(thing, plane, REACH * (thing.size or 1.0))
            limit = REACH * (thing.size or 1.0) if not thing.is_bounded else np.inf
            points.append(np.clip(outline, -limit, limit))
        else:
            for part in _polytopes(thing):
                largest = float(np.abs(part.vertices).max()) or 1.0
                points.append(polygon_section(part, plane, REACH * largest))
    every = np.concatenate(points)
    low, high = every.min(axis=0), every.max(axis=0)
    room = MARGIN * (float((high - low).max()) or 1.0)
    return np.column_stack([low - room, high + room])


def _volume(
    ax: Any, thing: ForceVolume | Polytope, plane: Plane, far: float, colours: Iterator[str], name: str, *, alone: bool
) -> None:
    """Piece polygons, and the border of the union when every piece contains the zero force."""
    parts = _polytopes(thing)
    polygons = [polygon_section(part, plane, far) for part in parts]
    one = next(colours)
    star = isinstance(thing, Polytope) or thing.is_star_shaped
    outline = union_outline(polygons, parts, plane, far) if star else np.zeros((0, 2))
    if not alone and len(outline):
        ax.fill(*outline.T, facecolor=one, alpha=0.10, linewidth=0)
        _line(ax, outline, one, name, dashed=isinstance(thing, Polytope))
        return
    for index, polygon in enumerate(polygons):
        if len(polygon):
            base = style.colour(index) if alone else one
            label = f"piece {index + 1}" if alone and len(parts) > 1 else "_"
            ax.fill(*polygon.T, facecolor=base, alpha=0.15 if alone else 0.10, linewidth=0)
            ring = np.vstack([polygon, polygon[:1]])
            ax.plot(*ring.T, color=base, linewidth=style.MEDIUM, alpha=0.9, label=label, gid=f"piece {index}")
    _line(ax, outline, style.INK if alone and len(parts) > 1 else one, name)


def _line(ax: Any, outline: Array, colour: str, name: str, *, width: float = 1.4, dashed: bool = False) -> None:
    """A closed outline, strong."""
    if len(outline):
        ring = np.vstack([outline, outline[:1]])
        look = {"linewidth": width, "linestyle": (0, (5, 2)) if dashed else "-", "solid_joinstyle": "round"}
        ax.plot(*ring.T, color=colour, label=name, gid=name, **look)


def _near_plane(surface: LimitSurface, plane: Plane, off: float) -> tuple[Array, Array]:
    """(n,) whether a finite sample is within `off` [deg] of the plane, and (n, 2) its direction turned into it."""
    inside = surface.directions @ plane.axes
    length = np.linalg.norm(inside, axis=1)
    close = np.abs(surface.directions @ plane.normal) <= np.sin(np.radians(off)) + 1e-12
    shown = close & np.isfinite(surface.radii) & (length > 0.0)
    return shown, inside / np.where(length > 0.0, length, 1.0)[:, None]


def _samples(ax: Any, surface: LimitSurface, plane: Plane, off: float) -> None:
    """Dots at measured limits near the plane, circles at assumed ones; none for a model."""
    if not surface.measured.any():
        return
    shown, turned = _near_plane(surface, plane, off)
    points = turned * np.where(shown, surface.radii, 0.0)[:, None]
    known, assumed = shown & surface.measured, shown & ~surface.measured
    if known.any():
        ax.plot(*points[known].T, "o", ms=2.8, color=style.INK, label=f"measured within {off:g}° of the plane")
    if assumed.any():
        look = {"ms": 3.6, "mfc": "white", "mec": style.INK, "mew": 0.7}
        ax.plot(*points[assumed].T, "o", label="assumed, never measured", **look)


def _frame(ax: Any, plane: Plane, box: Array, *, equal: bool, title: str) -> None:
    """Names, limits, the lines of zero force, the legend."""
    ax.axhline(0.0, color=style.FAINT, linewidth=style.THIN, zorder=0.9)
    ax.axvline(0.0, color=style.FAINT, linewidth=style.THIN, zorder=0.9)
    if equal:
        ax.set_aspect("equal", adjustable="box")
    ax.set_xlim(*box[0])
    ax.set_ylim(*box[1])
    ax.set_xlabel(plane.names[0])
    ax.set_ylabel(plane.names[1])
    style.dress_plane(ax, title=title)
    style.legend(ax)

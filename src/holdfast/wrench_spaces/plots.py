"""Pictures of wrench spaces: surfaces as in the paper's Figs. 7 to 11, plane sections, differences, comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import checks
from ..checks import Array
from ..errors import InputError, UnknownNameError
from ..geometry.polygons import clip_convex
from ..plotting import style
from ..plotting.solids import Face, Solids
from ..statics.plots import load_limits
from .comparison import MEASURES, Comparison, Measure
from .computation import Difference
from .space import SliceSurface, WrenchSpace, section_polylines, slice_surface

#: Rays without limit are drawn up to this many times the largest limit.
REACH = 1.5

#: Each triangle is drawn larger by this fraction of the picture, so that no gap is visible between neighbours; small
#: triangles by at most a fraction of their size, so that they do not cover their neighbours' lines.
SEAM, SMALL_SEAM = 1.2e-3, 0.08

#: Colour maps of the first coordinate, and of losses and gains; not too bright, so that level sets are visible.
ALONG, APART = "viridis", "PuOr"

#: Widths of the lines that continue the axes beyond the surface, as a fraction of the picture.
BEYOND = 0.12

#: Approximate number of level sets on a surface, and of sections in a plane.
LEVELS, SECTIONS = 12, 9

#: An axis shorter than this fraction of the longest has only two numbers.
SHORT = 0.45

#: The strongest colour is a ratio of limits of 2 to this power, chosen by the difference of most rays.
LEAST_POWER, MOST_POWER, MOST_RAYS = 1, 2, 90


def wrench_space(
    space: WrenchSpace,
    ax: Any = None,
    *,
    levels: Sequence[float] | None = None,
    cap: float | None = None,
    view: Sequence[float] = (22.0, -60.0),
    title: str = "",
) -> Any:
    """The limit surface of a slice: colours show the first coordinate, lines are level sets of the second.

    Forces share one scale and torques share another, so that both fill the picture. The surface is flat between
    its rays. Where rays have no limit it is cut off, and grey.

    Args:
        space: a wrench space over a three-dimensional subspace.
        ax: axes in space (projection "3d"), or None for a new figure.
        levels: values of the second coordinate [N, N m] to draw level sets at; about a dozen round ones by default.
        cap: limits above this [N] are cut off (torques at `cap` times the subspace's scale); by default only rays
            without a limit are, well beyond the others.
        view: (elevation, azimuth) of the camera [deg].
        title: title of the picture.

    Returns:
        The Axes.
    """
    surface, open_rays = drawable(space, cap)
    first = surface.points[surface.triangles][:, :, 0].mean(axis=1)
    low, high = surface.points[:, 0].min(), surface.points[:, 0].max()
    shares = (first - low) / ((high - low) or 1.0)
    ax = _draw_surface(surface, open_rays, shade_colours(ALONG, 0.08 + 0.84 * shares), ax, levels, view, title)
    _caption(ax, surface, levels, open_rays)
    return ax


def wrench_difference(
    difference: Difference,
    ax: Any = None,
    *,
    names: tuple[str, str] = ("first", "second"),
    cap: float | None = None,
    view: Sequence[float] = (22.0, -60.0),
    title: str = "",
) -> Any:
    """The first of two wrench spaces, coloured by how much stronger or weaker it is than the second.

    Args:
        difference: difference of two spaces over the same three-dimensional slice.
        ax: axes in space (projection "3d"), or None for a new figure.
        names: names of the two.
        cap: as for `wrench_space`.
        view: (elevation, azimuth) of the camera [deg].
        title: title of the picture.

    Returns:
        The Axes.
    """
    if not isinstance(difference, Difference):
        raise InputError(f"is a {type(difference).__name__}", where="difference", fix="give a.difference(b)")
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    surface, open_rays = drawable(difference.first, cap)
    with np.errstate(divide="ignore"):
        ratios = np.log2(np.where(np.isnan(difference.ratios), 1.0, difference.ratios))
    known = np.abs(ratios[np.isfinite(ratios)])
    spread = float(np.percentile(known, MOST_RAYS)) if len(known) else 0.0
    farthest = float(np.clip(np.ceil(spread), LEAST_POWER, MOST_POWER))
    means = np.clip(ratios, -farthest, farthest)[surface.triangles].mean(axis=1)
    colours = shade_colours(APART, 0.5 + 0.42 * means / farthest)
    ax = _draw_surface(surface, np.zeros_like(open_rays), colours, ax, None, view, title)
    scale = ScalarMappable(Normalize(-farthest, farthest), _band(APART, 0.08, 0.92))
    bar = ax.get_figure().colorbar(scale, ax=ax, shrink=0.55, pad=0.12, aspect=18)
    ticks = np.linspace(-farthest, farthest, 5)
    bar.set_ticks(ticks, labels=[_ratio_text(tick, farthest) for tick in ticks])
    bar.ax.tick_params(labelsize=style.SMALL, color=style.FAINT, labelcolor=style.INK)
    bar.outline.set_visible(False)
    bar.set_label(f"limit, {names[0]} / {names[1]}", fontsize=style.NORMAL, color=style.INK)
    return ax


def wrench_sections(
    space: WrenchSpace,
    ax: Any = None,
    *,
    axis: int = 1,
    values: Sequence[float] | None = None,
    cap: float | None = None,
    title: str = "",
) -> Any:
    """Plane sections of a slice: closed lines at values of one coordinate, drawn over the other two.

    Sections at negative values are dashed: for a symmetric device they coincide with the others.

    Args:
        space: a wrench space over a three-dimensional subspace.
        ax: plain Axes, or None for a new figure.
        axis: the coordinate that is constant on each section: 0, 1 or 2.
        values: values of that coordinate [N, N m]; a few round ones by default.
        cap: as for `wrench_space`.
        title: title of the picture.

    Returns:
        The Axes.
    """
    surface, _ = drawable(space, cap)
    number = checks.count("axis", axis, low=0)
    if number > 2:
        raise InputError(f"is {number}", where="axis", fix="give 0, 1 or 2")
    levels = (
        _round_levels(surface, number, SECTIONS) if values is None else checks.array("values", list(values), ("n",))
    )
    across, up = [k for k in range(3) if k != number]
    units = surface.subspace.units
    ax = style.axes(ax, "plane")
    low, high = float(np.min(levels, initial=0.0)), float(np.max(levels, initial=0.0))
    name = _symbol(surface, number)
    for level, colour in zip(levels, shade_colours(ALONG, 0.9 * (levels - low) / ((high - low) or 1.0)), strict=True):
        for index, line in enumerate(section_polylines(surface, number, float(level))):
            text = f"{name} = {level:.4g} {units[number]}" if index == 0 else None
            look = {
                "linewidth": style.THICK if level == 0.0 else style.MEDIUM,
                "linestyle": "--" if level < 0.0 else "-",
            }
            ax.plot(line[:, across], line[:, up], color=colour[:3], label=text, **look)
    ax.axhline(0.0, color=style.FAINT, linewidth=style.THIN, zorder=0)
    ax.axvline(0.0, color=style.FAINT, linewidth=style.THIN, zorder=0)
    if units[across] == units[up]:
        ax.set_aspect("equal", adjustable="datalim")
    ax.set_xlabel(_axis_name(surface, across))
    ax.set_ylabel(_axis_name(surface, up))
    style.dress_plane(ax, title=title)
    style.legend(ax)
    return ax


def drawable(space: Any, cap: float | None = None) -> tuple[SliceSurface, Array]:
    """A bounded surface, and (n,) which of its rays were cut off."""
    if not isinstance(space, WrenchSpace):
        raise InputError(f"is a {type(space).__name__}", where="space", fix="give a WrenchSpace")
    surface = slice_surface(space)
    far = REACH * (surface.size or 1.0) if cap is None else checks.positive("cap", cap, unit="N")
    return surface.cut(far), surface.radii > far


def _draw_surface(
    surface: SliceSurface,
    open_rays: Array,
    colours: Array,
    ax: Any,
    levels: Sequence[float] | None,
    view: Sequence[float],
    title: str,
) -> Any:
    """The triangles in their colours with level sets on them, the axes and their names."""
    ax = style.axes(ax, "space")
    factors = _factors(surface)
    points = surface.points * factors
    span = float(np.ptp(points, axis=0).max()) or 1.0
    corners = points[surface.triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1)
    drawn = np.nonzero(lengths > (SEAM * SEAM * span) ** 2)[0]
    grey = style.rgba(style.ASSUMED, 1.0)
    wanted = _round_levels(surface, 1, LEVELS) if levels is None else checks.array("levels", list(levels), ("n",))
    solids = Solids()
    for index in drawn:
        is_open = bool(open_rays[surface.triangles[index]].all())
        inside = _lit(np.array(grey) if is_open else colours[index], normals[index] / lengths[index])
        lines = [] if is_open else _cuts(corners[index], wanted * factors[1])
        # Level sets have a dark shade of their face.
        border = (*(0.3 * c for c in inside[:3]), 0.9)
        solids.faces.append(Face((_grown(corners[index], span),), tuple(lines), inside, border))
    solids.add_lines(_axis_lines(surface, factors, span), style.INK, 0.8)
    solids.draw(ax, gid="wrench space")
    bounds = np.concatenate([points, solids.corners])
    style.dress_space(ax, bounds.min(axis=0), bounds.max(axis=0), view=view, title=title)
    _name_axes(ax, surface, factors)
    return ax


def _factors(surface: SliceSurface) -> Array:
    """(3,) factors of coordinates in the picture: 1 for forces, other units scaled to the same largest width."""
    widths = unit_widths([surface])
    forces = [unit == "N" for unit in surface.subspace.units]
    whole = float((widths[forces] if any(forces) else widths).max()) or 1.0
    return whole / np.where(widths > 0.0, widths, whole)


def unit_widths(surfaces: Sequence[SliceSurface]) -> Array:
    """(3,) for each axis the largest width of any surface along an axis with the same unit [N, N m]."""
    units = np.array(surfaces[0].subspace.units)
    widths = np.max([np.ptp(surface.points, axis=0) for surface in surfaces], axis=0)
    return np.array([widths[units == unit].max() for unit in units])


def _lit(colour: Array, normal: Array) -> tuple[float, float, float, float]:
    """A colour lit as on a face with that outward unit normal."""
    first, second = (
        0.5 + 0.5 * float(normal @ light) / np.linalg.norm(light) for light in (style.LIGHT, style.SECOND_LIGHT)
    )
    turn = float(np.clip(max(first, 0.65 * second), 0.0, 1.0))
    rgb = colour[:3] * (0.55 + 0.45 * turn) + (1.0 - colour[:3]) * 0.24 * max(turn - 0.5, 0.0)
    red, green, blue = (float(c) for c in np.clip(rgb, 0.0, 1.0))
    return red, green, blue, 1.0


def _cuts(corners: Array, levels: Array) -> list[tuple[Array, Array]]:
    """The segments in which planes at `levels` of the second coordinate cut a triangle (3, 3)."""
    heights = corners[:, 1]
    found: list[tuple[Array, Array]] = []
    for level in levels[(levels > heights.min()) & (levels <= heights.max())]:
        below = clip_convex(corners, level - heights)
        above = clip_convex(corners, heights - level)
        shared = [p for p in below if np.abs(p[1] - level) <= SEAM * SEAM * np.ptp(heights)]
        if len(shared) >= 2 and len(above):
            found.append((shared[0], shared[-1]))
    return found


def _grown(polygon: Array, span: float) -> Array:
    """A triangle enlarged by half a dot on paper."""
    outward = polygon - polygon.mean(axis=0)
    lengths = np.linalg.norm(outward, axis=1, keepdims=True)
    growth = min(SEAM * span, SMALL_SEAM * float(lengths.max()))
    return polygon + growth * outward / np.maximum(lengths, np.finfo(float).tiny)


def _axis_lines(surface: SliceSurface, factors: Array, span: float) -> list[tuple[Array, Array]]:
    """Short lines in both directions of each axis, starting at the surface."""
    lines = []
    for axis in range(3):
        for sign in (1.0, -1.0):
            ray = sign * np.eye(3)[axis]
            border = float(surface.radial(ray)) * factors[axis]
            lines.append((border * ray, (border + BEYOND * span) * ray))
    return lines


def _round_levels(surface: SliceSurface, axis: int, count: int) -> Array:
    """Round values of a coordinate within the surface; zero where it is flat."""
    values = surface.points[:, axis]
    low, high = float(values.min()), float(values.max())
    return round_levels(low, high, count) if high > low else np.zeros(1)


def round_levels(low: float, high: float, count: int = LEVELS) -> Array:
    """Multiples of a round step strictly between two values, at most about `count` of them."""
    from matplotlib.ticker import MaxNLocator

    if not high > low:
        return np.zeros(0)
    ticks = np.asarray(MaxNLocator(nbins=count, steps=[1, 2, 5, 10]).tick_values(low, high))
    return ticks[(ticks > low) & (ticks < high)]


def shade_colours(name: str, shares: Array) -> Array:
    """(n, 4) colours of a map at positions from 0 to 1."""
    import matplotlib

    return matplotlib.colormaps[name](shares)


def _band(name: str, low: float, high: float) -> Any:
    """The part of a colour map between two positions."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list(name, shade_colours(name, np.linspace(low, high, 64)))


def _symbol(surface: SliceSurface, axis: int) -> str:
    """The label of an axis, "fx" as $f_x$ and others as they are."""
    label = surface.subspace.labels[axis]
    return f"${label[0]}_{label[1]}$" if len(label) == 2 and label[0] in "ft" and label[1] in "xyz" else label


def _axis_name(surface: SliceSurface, axis: int) -> str:
    unit = surface.subspace.units[axis]
    return f"{_symbol(surface, axis)} [{unit}]" if unit else _symbol(surface, axis)


def _name_axes(ax: Any, surface: SliceSurface, factors: Array) -> None:
    """Names and units, and round numbers of the unit, for any drawing scale of an axis."""
    spans = {letter: float(np.ptp(getattr(ax, f"get_{letter}lim")())) for letter in "xyz"}
    for axis, letter in enumerate("xyz"):
        getattr(ax, f"set_{letter}label")(_axis_name(surface, axis), labelpad=4)
        share = spans[letter] / max(spans.values())
        ends = np.array(getattr(ax, f"get_{letter}lim")()) / factors[axis]
        ticks = _ticks(ends, int(np.clip(round(6 * share), 3, 6)))
        if share < SHORT:
            ticks = ticks[[0, -1]]
        getattr(ax, f"set_{letter}ticks")(ticks * factors[axis], labels=[f"{tick:.6g}" for tick in ticks])


def _ticks(ends: Array, count: int) -> Array:
    """About `count` round numbers strictly between two ends; more if there would be only one."""
    from matplotlib.ticker import MaxNLocator

    ticks = np.zeros(0)
    for wanted in range(count, count + 4):
        ticks = np.asarray(MaxNLocator(nbins=wanted, steps=[1, 2, 5, 10]).tick_values(*ends))
        ticks = ticks[np.abs(ticks - ends.mean()) <= 0.46 * np.ptp(ends)]
        if len(ticks) >= 2:
            break
    return ticks


def _caption(ax: Any, surface: SliceSurface, levels: Sequence[float] | None, open_rays: Array) -> None:
    """The meaning of colours and lines, below the picture."""
    parts = [f"colour: {_symbol(surface, 0)}"]
    wanted = _round_levels(surface, 1, LEVELS) if levels is None else np.asarray(levels, dtype=float)
    if len(wanted) > 1:
        step = wanted[1] - wanted[0]
        even = np.allclose(np.diff(wanted), step)
        unit = surface.subspace.units[1]
        parts.append(f"lines: {_symbol(surface, 1)}" + (f" every {step:.4g} {unit}".rstrip() if even else ""))
    if open_rays.any():
        parts.append(f"grey: cut off at {surface.radii.max():.4g} N")
    height = style.heights_on_paper(ax)[0] - 0.17
    look = {"fontsize": style.SMALL, "color": style.INK, "ha": "center", "va": "top"}
    ax.text2D(0.5, height, ";  ".join(parts), transform=ax.transAxes, **look)


def _ratio_text(tick: float, farthest: float) -> str:
    text = f"{2.0**tick:.3g}"
    if abs(tick) < farthest:
        return text
    return f"{text} or more" if tick > 0.0 else f"{text} or less"


# Designs side by side: a radar of all measures relative to the best, or bars in their units.

#: The radar shows values down to this fraction of the best; smaller ones are in its centre.
LEAST_SHARE = 1e-3

#: Radius of values without limit, outside the circle of the best.
ENDLESS = 1.13

#: Bars of designs that differ by more than this factor have a logarithmic scale.
LOG_ABOVE = 20.0

#: Largest number of designs in a picture: one colour each.
MOST_DESIGNS = len(style.PALETTE)

#: Marks of the designs, which also differ without colours.
MARKS = "os^DvP*X"

#: Panels of the bars: title, unit and groups of measures.
PANELS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("forces", "N", ("force", "direction")),
    ("torques", "N m", ("torque",)),
    ("volumes of slices", "of the largest", ("volume",)),
)


def comparison_radar(
    comparison: Comparison, ax: Any = None, *, measures: Sequence[str] | None = None, title: str = ""
) -> Any:
    """A radar of the measures: one spoke per measure, one closed line per design, relative to the best design.

    The radius is logarithmic in the share of the best finite value on that spoke: the rim is the best, each ring
    inwards ten times less, the centre 1/1000 or less. For volumes the cube root is used, so that their spokes are
    ratios of a length like the others. Values without limit are outside the rim; where nothing holds, in the centre.

    Args:
        comparison: from `compare`.
        ax: polar axes, or None for a new figure.
        measures: keys of the measures, in order round the circle; all by default.
        title: title of the picture.

    Returns:
        The Axes.
    """
    _check(comparison)
    chosen = _measures(measures, least=3)
    ax = style.axes(ax, "polar")
    ax.set_theta_zero_location("N")
    ax.set_theta_direction(-1)
    angles = 2.0 * np.pi * np.arange(len(chosen)) / len(chosen)
    radii = np.column_stack([shares(comparison, measure) for measure in chosen])  # (designs, measures)
    endless = np.isposinf(radii)
    for k, name in enumerate(comparison.names):
        around = np.append(np.arange(len(chosen)), 0)
        r = np.where(endless[k], ENDLESS, radius_of(radii[k]))
        look: dict[str, Any] = {"color": style.colour(k), "linewidth": style.THICK, "zorder": 3.0 + 0.01 * k}
        ax.plot(angles[around], r[around], marker=MARKS[k], ms=4.0, label=style.verbatim(name), gid=name, **look)
        ax.fill(angles, r, color=style.colour(k), alpha=0.07, linewidth=0.0)
        if endless[k].any():
            size = 6.0 + 3.0 * (len(comparison) - 1 - k)  # concentric, so that none covers another
            open_mark = {"ms": size, "mfc": "white", "mec": style.colour(k), "mew": 1.2, "zorder": 4.0 + 0.01 * k}
            ax.plot(angles[endless[k]], r[endless[k]], "o", gid=f"{name} endless", **open_mark)
    if endless.any():
        ax.plot([], [], "o", ms=7.0, mfc="white", mec=style.INK, mew=1.2, label="no limit")
    _dress_radar(ax, angles, chosen, beyond=bool(endless.any()), title=title)
    return ax


def shares(comparison: Comparison, measure: Measure) -> Array:
    """(designs,) values relative to the best finite one; inf without limit, 0 where nothing holds.

    For volumes the cube root is used.
    """
    values = np.maximum(np.array(list(comparison.values(measure.key).values())), 0.0)
    values = np.nan_to_num(values, nan=0.0, posinf=np.inf)
    finite = values[np.isfinite(values)]
    best = float(finite.max(initial=0.0))
    if best == 0.0:
        return np.where(np.isfinite(values), 0.0, np.inf)
    share = values / best
    return np.cbrt(share) if measure.group == "volume" else share


def radius_of(share: Array) -> Array:
    """Radius on the radar: 1 for the best, 0 for 1/1000 of it or less."""
    clipped = np.clip(share, LEAST_SHARE, 1.0)
    return 1.0 - np.log(clipped) / np.log(LEAST_SHARE)


def comparison_bars(comparison: Comparison, *, title: str = "") -> Any:
    """Bars of the measures in their units: forces, torques, and volumes relative to the largest.

    Designs of very different strength have a logarithmic scale.

    Args:
        comparison: from `compare`.
        title: title of the picture.

    Returns:
        The Figure, of three Axes.
    """
    from matplotlib.figure import Figure

    _check(comparison)
    parts = [[measure for measure in MEASURES if measure.group in groups] for _, _, groups in PANELS]
    heights = [len(part) * (0.20 * len(comparison) + 0.14) + 0.55 for part in parts]
    figure = Figure(figsize=(10.4, max(heights[0], heights[1] + heights[2]) + 0.9))
    grid = figure.add_gridspec(2, 2, height_ratios=heights[1:], hspace=0.42, wspace=0.32)
    places = (grid[:, 0], grid[0, 1], grid[1, 1])
    for place, part, (words, unit, _) in zip(places, parts, PANELS, strict=True):
        ax = figure.add_subplot(place)
        values = {name: {measure.key: _bar(comparison, measure, name) for measure in part} for name in comparison.names}
        load_limits(values, ax, unit=unit, log=_is_wide(values), title=words)
        ax.set_xlabel(f"volume, share {unit}" if unit.startswith("of") else f"limit [{unit}]")
        own = ax.get_legend()
        if own is not None:  # there is one for all panels below
            own.remove()
    if len(comparison) > 1 or title:
        _legend(figure, comparison, title)
    return figure


def _bar(comparison: Comparison, measure: Measure, name: str) -> float:
    """The length of a bar: the value, or for a volume the ratio to the largest finite one."""
    value = comparison[name].value(measure.key)
    if measure.group == "volume" and np.isfinite(value):
        finite = [other for other in comparison.values(measure.key).values() if np.isfinite(other)]
        value = value / max(finite) if max(finite) > 0.0 else 0.0
    return max(value, 0.0) if np.isfinite(value) else value


def _is_wide(values: dict[str, dict[str, float]]) -> bool:
    finite = [value for row in values.values() for value in row.values() if np.isfinite(value) and value > 0.0]
    return bool(finite) and max(finite) > LOG_ABOVE * min(finite)


def _legend(figure: Any, comparison: Comparison, title: str) -> None:
    from matplotlib.patches import Patch

    height = figure.get_size_inches()[1]
    handles = [Patch(color=style.colour(k), label=style.verbatim(name)) for k, name in enumerate(comparison.names)]
    if len(handles) > 1:
        look = {"fontsize": style.NORMAL, "frameon": False, "labelcolor": style.INK}
        columns = min(len(handles), 3)
        place = (0.5, 0.11 - 0.55 / height)
        figure.legend(handles=handles, loc="upper center", bbox_to_anchor=place, ncols=columns, **look)
    if title:
        figure.suptitle(title, fontsize=style.LARGE, color=style.INK, y=0.88 + 0.45 / height)


def _dress_radar(ax: Any, angles: Array, chosen: Sequence[Measure], *, beyond: bool, title: str) -> None:
    ax.set_ylim(0.0, ENDLESS + 0.04 if beyond else 1.04)
    names = [measure.key.replace(" ", "\n") for measure in chosen]
    ax.set_thetagrids(np.degrees(angles), names, color=style.INK)
    ax.tick_params(labelsize=style.SMALL, labelcolor=style.INK, pad=8)
    rings = [share for share in (1e-2, 1e-1, 1.0) if share > LEAST_SHARE]
    ax.set_yticks([float(radius_of(np.array(share))) for share in rings])
    ax.set_yticklabels(["1 %", "10 %", "best"], fontsize=style.SMALL, color=style.INK)
    ax.set_rlabel_position(180.0 / len(chosen))
    ax.grid(True, color="#DDDDDD", linewidth=style.THIN)
    ax.spines["polar"].set_visible(False)
    ax.set_axisbelow(True)
    if title:
        ax.set_title(title, fontsize=style.LARGE, color=style.INK, pad=18)
    style.legend(ax, columns=2)


def _measures(keys: Sequence[str] | None, *, least: int) -> list[Measure]:
    if keys is None:
        return list(MEASURES)
    known = {measure.key: measure for measure in MEASURES}
    for key in keys:
        if key not in known:
            raise UnknownNameError("measure", str(key), known, where="measures")
    if len(keys) < least:
        raise InputError(f"has {len(keys)} measures", where="measures", fix=f"give at least {least}")
    return [known[key] for key in keys]


def _check(comparison: Any) -> None:
    if not isinstance(comparison, Comparison):
        raise InputError(f"is a {type(comparison).__name__}", where="comparison", fix="give the result of compare(...)")
    checks.number("designs", len(comparison), low=1, high=MOST_DESIGNS)

"""Pictures of the studies: the figures of the paper, grips and climber with its regions, slip onsets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from holdfast.devices import Device
from holdfast.force_limits.plots import force_volume, limit_surface, section
from holdfast.plotting import style
from holdfast.postures import SupportRegion
from holdfast.postures.plots import EXACT, INNER, OUTER, support_region
from holdfast.robots.plots import robot as draw_robot
from holdfast.wrench_spaces.plots import wrench_space
from studies.hauser.climber import GRIPS, HandGrip, hand_grip
from studies.hauser.climbing import STANCES, ClimbCase, ClimbingStudy, Fineness, StanceName, WallName
from studies.hauser.figures import SLICES, FigureData, SpaceFigure, VolumeFigure
from studies.hauser.hierarchy import GripRegions, GripTestTimes
from studies.hauser.slip import SlipStudy, fall_angle

#: Colours of the terrain, of phalanges, of units that touch.
ROCK, BONE, UNIT = "#C9C2B8", "#5F6B7A", "#E69F00"

#: Parts of a hand, by their links' names; those of hands that hold are drawn as grippers.
HAND_PARTS = ("palm", "inner", "outer")

#: Extent of the drawn wall up and down, and to either side [m].
WALL_SIZE = (0.95, 0.75)

#: Colours of the grips where several are drawn together.
SHADES = {"opposing": "#0072B2", "parallel": "#009E73", "pinch": "#D55E00", "power": "#CC79A7"}


def grips_figure() -> Any:
    """The four grips of the hand in the plane of the fingers (Fig. 14); units that touch are marked.

    Returns:
        The Figure.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.6, 3.0), layout="constrained")
    for ax, name in zip(figure.subplots(1, len(GRIPS), sharex=True, sharey=True), GRIPS, strict=True):
        _draw_grip(ax, hand_grip(name))
        style.name(ax, name)
    return figure


def climbing_case(case: ClimbCase, ax: Any = None, *, view: Sequence[float] = (20.0, 218.0), title: str = "") -> Any:
    """The climber on its wall, with its exact (blue), inner (green) and outer (red) region.

    The regions lie at the height of the centre of mass.

    Args:
        case: from `studies.hauser.climbing.climb`.
        ax: axes in space, or None for a new figure.
        view: (elevation, azimuth) of the camera [deg].
        title: title; what it shows by default.

    Returns:
        The Axes.
    """
    posture, height = case.posture, float(case.posture.com[2])
    wall = [posture.wall.pose(r * WALL_SIZE[0], s * WALL_SIZE[1]).translation for r, s in SQUARE]
    shown = (
        (case.outer.vertices, OUTER, "outer"),
        (case.exact.inner, EXACT, "exact"),
        (case.inner.vertices, INNER, "inner"),
    )
    rings = [
        (_ring(np.insert(corners, 2, height, axis=1)), shade, name)
        for corners, shade, name in shown
        if len(corners) >= 3
    ]
    verdict = {"yes": "nominal posture held", "no": "nominal posture not held"}.get(case.holds, "undecided")
    ax = draw_robot(
        posture.robot,
        posture.q,
        ax,
        grippers=[f"{limb}_{part}" for limb in STANCES[case.stance] for part in HAND_PARTS],
        sheets=[(np.array(wall), ROCK, 0.35)],
        around=np.concatenate([np.zeros((0, 3)), *(ring for ring, _, _ in rings)]),
        com=False,
        view=view,
        title=title or f"{case.grip}, {case.stance}: {verdict}",
        legend=False,
    )
    for ring, shade, name in rings:
        ax.plot(*ring.T, color=shade, linewidth=1.6, label=name, zorder=style.ARROWS)
    face = style.LOAD if case.holds == "yes" else "white"
    look = {"s": 36, "facecolor": face, "edgecolor": style.LOAD, "depthshade": False, "zorder": style.ARROWS + 1}
    ax.scatter(*posture.com, label="centre of mass", **look)
    return ax


def climbing_figure(found: ClimbingStudy, wall: WallName, stance: StanceName) -> Any:
    """The climber and its regions in every grip, on one wall and in one stance (Figs. 17, 18).

    Returns:
        The Figure.
    """
    from matplotlib.figure import Figure

    cases = found.of(wall, stance)
    figure = Figure(figsize=(4.1 * len(cases), 4.9))
    for column, case in enumerate(cases):
        climbing_case(case, figure.add_subplot(1, len(cases), column + 1, projection="3d"))
    figure.subplots_adjust(left=0.0, right=1.0, bottom=0.1, top=0.99, wspace=0.0)
    return _with_legend(figure, "lower center")


def region_figure(found: ClimbingStudy, wall: WallName) -> Any:
    """The exact regions of all grips on one wall, seen from above: two hands at the left, one hand at the right.

    Returns:
        The Figure.
    """
    shown: dict[StanceName, Any] = {}
    for stance in STANCES:
        cases = found.of(wall, stance)
        shown[stance] = (cases, [(case.exact.inner, case.grip, SHADES[case.grip]) for case in cases])
    return _seen_from_above(shown)


def feet_figure(found: ClimbingStudy, pressing: Mapping[StanceName, SupportRegion]) -> Any:
    """The power grip on the overhang with feet that grip and with feet that only press, seen from above.

    Args:
        found: from `studies.hauser.climbing.climb`.
        pressing: regions from `studies.hauser.climbing.pressing_feet_region`, by stance.

    Returns:
        The Figure.
    """
    shown: dict[StanceName, Any] = {}
    for stance, region in pressing.items():
        case = found.case("overhang", stance, "power")
        grip, press = (case.exact.inner, "feet that grip", SHADES["power"]), SHADES["opposing"]
        shown[stance] = ([case], [grip, (region.vertices, "feet that only press", press)])
    return _seen_from_above(shown)


def _seen_from_above(
    shown: Mapping[StanceName, tuple[Sequence[ClimbCase], Sequence[tuple[np.ndarray, str, str]]]],
) -> Any:
    """One panel per stance that looks down on the body: regions (corners, name, colour), palms and centre of mass."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.4, 5.2), layout="constrained")
    panels = figure.subplots(1, len(shown), sharex=True, sharey=True)
    for ax, (stance, (cases, regions)) in zip(panels, shown.items(), strict=True):
        for corners, name, shade in regions:
            if len(corners) >= 3:
                ax.fill(*corners.T, facecolor=style.rgba(shade, 0.09), edgecolor=shade, linewidth=1.6, label=name)
        _mark_body(ax, cases)
        style.dress_plane(ax, title=f"{stance} and two feet")
        ax.set_aspect("equal")
        ax.set_xlabel("$x$ [m], into the wall")
    figure.axes[0].set_ylabel("$y$ [m], to the left")
    return _with_legend(figure, "outside lower center")


def _with_legend(figure: Any, place: str) -> Any:
    """The figure with one legend below all its panels."""
    named: dict[str, Any] = {}
    for ax in figure.axes:
        for handle, name in zip(*ax.get_legend_handles_labels(), strict=True):
            named.setdefault(name, handle)
    look = {"ncols": len(named), "fontsize": style.NORMAL, "frameon": False}
    figure.legend(named.values(), named.keys(), loc=place, **look)
    return figure


def fineness_figure(growth: Fineness) -> Any:
    """Regions for grips of increasing accuracy (Fig. 16), and their areas relative to the exact one.

    Returns:
        The Figure.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 5.0), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1.0, 1.3))
    ends = {"vertices": INNER_SHADES, "half-spaces": OUTER_SHADES}
    for kind, pair in ends.items():
        rows = [row for row in growth.rows if row.kind == kind]
        for row, shade in zip(rows, _shades(pair, len(rows)), strict=True):
            left.plot(*_ring(row.region.vertices).T, color=shade, linewidth=1.3, label=f"{row.count:,} {kind}")
        line = [row.region.area / growth.exact.area for row in rows]
        name = "inner, vertices" if kind == "vertices" else "outer, half-spaces"
        right.plot([row.count for row in rows], line, "o-", color=pair[0], linewidth=style.MEDIUM, ms=4.5, label=name)
    left.plot(*_ring(growth.exact.inner).T, color=style.INK, linewidth=1.4, linestyle="--", label="exact")
    left.plot(*growth.posture.com[:2], "o", color=style.LOAD, ms=6)
    left.set_aspect("equal")
    left.set_xlabel("$x$ [m], into the wall")
    left.set_ylabel("$y$ [m], to the left")
    right.axhline(1.0, color=style.INK, linewidth=1.4, linestyle="--", label="exact")
    right.set_xscale("log")
    right.set_yscale("log")
    right.set_yticks([0.3, 0.5, 1.0, 2.0, 4.0], ["0.3", "0.5", "1", "2", "4"])
    right.set_yticks([], minor=True)
    right.set_xlabel("vertices or half-spaces per grip")
    right.set_ylabel("area relative to the exact one")
    for ax, columns in ((left, 3), (right, 3)):
        style.dress_plane(ax)
        style.legend(ax, columns=columns)
    return figure


#: Corners of a square of size two about the origin, in turn.
SQUARE = ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0))


def _draw_grip(ax: Any, grip: HandGrip) -> None:
    """One grip in the plane across the fingers, in the palm frame."""
    scale, origin = 1e3, grip.palm.translation  # [mm]
    profile = scale * grip.profile
    closed = np.allclose(profile[0], profile[-1])
    if not closed:
        deep = np.array([[profile[-1, 0], -260.0], [profile[0, 0], -260.0]])
        ax.fill(*np.vstack([profile, deep]).T, color=ROCK, linewidth=0.0)
        ax.plot(*profile.T, color=style.darker(ROCK, 0.6), linewidth=style.MEDIUM)
    else:
        ax.fill(*profile.T, facecolor=ROCK, edgecolor=style.darker(ROCK, 0.6), linewidth=style.MEDIUM)
    for link in grip.device.links:
        points = scale * (link.points - origin)
        ax.plot(points[:, 0], points[:, 2], color=BONE, linewidth=3.2, solid_capstyle="round")
        ax.plot(points[:, 0], points[:, 2], "o", color=BONE, ms=3.5)
    for patch in grip.device.patches:
        ends = scale * (patch.positions - origin)
        ax.plot(*_extreme(ends).T, color=UNIT, linewidth=3.6, solid_capstyle="butt")
    ax.set_xlim(-200, 200)
    ax.set_ylim(-180, 60)
    ax.set_aspect("equal")
    ax.set_xlabel("$x$ [mm]")
    if ax.get_subplotspec().is_first_col():
        ax.set_ylabel("$z$ [mm]")
    style.dress_plane(ax)


def _extreme(points: np.ndarray) -> np.ndarray:
    """(2, 2) the two ends of a unit seen along y."""
    flat = points[:, [0, 2]]
    gaps = np.linalg.norm(flat[:, None] - flat[None], axis=2)
    first, second = np.unravel_index(int(gaps.argmax()), gaps.shape)
    return flat[[first, second]]


def _ring(corners: np.ndarray) -> np.ndarray:
    """The corners (n, ...) with the first one again at the end."""
    return np.concatenate([corners, corners[:1]])


def _mark_body(ax: Any, cases: Sequence[ClimbCase]) -> None:
    """Palms, and the centre of mass of the posture."""
    if not cases:
        return
    posture = cases[0].posture
    palms = np.array([posture.palms[limb].translation[:2] for limb in STANCES[cases[0].stance]])
    ax.plot(*palms.T, "x", color=style.INK, ms=6, mew=1.4, linestyle="none", label="palm")
    look = {"markerfacecolor": style.LOAD, "markeredgecolor": style.LOAD, "ms": 7, "linestyle": "none"}
    ax.plot(*posture.com[:2], "o", label="centre of mass", **look)


# The paper's Figs. 15 and 16 in its own manner, from the data of `studies.hauser.hierarchy`.

#: From few to many: outer regions red to orange, inner ones green to cyan, as in the paper's Fig. 16.
OUTER_SHADES = ("#B2182B", "#F4A442")
INNER_SHADES = ("#1B7837", "#22B8CF")

#: Name, marker and line of each curve of Fig. 15.
CURVES = {
    "highs": ("HiGHS, one program", "s", "--"),
    "cold": ("Holdfast, a new solver", "o", "-"),
    "warm": ("Holdfast, a warm solver", "^", ":"),
}

#: Counts with a smaller ratio share one number below the axis.
CLOSE = 1.3

KINDS = {"vertices": ("vertices", "#009E73"), "half-spaces": ("half-spaces", "#D55E00")}


def growth_times(growth: GripTestTimes, ax: Any = None, *, title: str = "") -> Any:
    """Time of a four-hand test against the number of vertices and of half-spaces per grip (Fig. 15), both logarithmic.

    Args:
        growth: from `studies.hauser.hierarchy.growth`.
        ax: plain axes, or None for a new figure.
        title: title of the picture.

    Returns:
        The Axes.
    """
    ax = style.axes(ax, "plane")
    for kind, (word, colour) in KINDS.items():
        rows = growth.of(kind)  # pyright: ignore[reportArgumentType]
        for field, (name, marker, line) in CURVES.items():
            if rows:
                counts, times = [row.count for row in rows], [1e3 * getattr(row, field) for row in rows]
                look = {"marker": marker, "linestyle": line, "color": colour, "ms": 4.5, "linewidth": style.MEDIUM}
                ax.plot(counts, times, label=f"{word}: {name}", **look)
    ax.set_xscale("log")
    ax.set_yscale("log")
    counts = _apart(sorted({row.count for row in growth.rows}))
    ax.set_xticks(counts, [f"{count:,}" for count in counts])
    ax.xaxis.set_minor_formatter("")
    ax.set_xlabel("vertices or half-spaces per grip")
    ax.set_ylabel("time of a four-hand test [ms]")
    style.dress_plane(ax, title=title)
    style.legend(ax, columns=2)
    return ax


def region_growth(regions: GripRegions, ax: Any = None, *, title: str = "") -> Any:
    """Nested support regions of inner and outer grips of increasing accuracy (Fig. 16).

    Args:
        regions: from `studies.hauser.hierarchy.regions`.
        ax: plain axes, or None for a new figure.
        title: title of the picture.

    Returns:
        The Axes.
    """
    rows = [*regions.inner[::-1], *regions.outer]  # the best inner one first, for the verdict
    inner, outer = _shades(INNER_SHADES, len(regions.inner)), _shades(OUTER_SHADES, len(regions.outer))
    palms = np.array([pose.translation for pose in regions.body.poses])
    return support_region(
        [row.region for row in rows],
        ax,
        labels=[f"{row.side}: {row.name}" for row in rows],
        colours=[*inner[::-1], *outer],
        com=regions.body.com,
        hands=palms,
        fill=False,
        columns=2,
        title=title,
    )


def _apart(counts: list[int]) -> list[int]:
    """The counts with room for a number below a logarithmic axis, the last of close ones."""
    kept: list[int] = []
    for count in counts:
        if kept and count < CLOSE * kept[-1]:
            kept.pop()
        kept.append(count)
    return kept


def _shades(ends: tuple[str, str], count: int) -> list[str]:
    """`count` colours from the first to the second."""
    from matplotlib.colors import LinearSegmentedColormap, to_hex

    shades = LinearSegmentedColormap.from_list("shades", ends)
    return [to_hex(shades(share)) for share in np.linspace(0.0, 1.0, max(count, 2))[:count]]


# The paper's Figs. 3, 4, 5 and 7 to 11 in its own manner, from the data of `studies.hauser.figures`.

#: Cameras (elevation, azimuth) [deg]: as usual, and from behind, as the paper shows the second slices of two devices.
FRONT, REAR = (22.0, -60.0), (22.0, 120.0)

#: Arrangement of the two slices of each figure, and the camera of the second.
ARRANGED: dict[int, tuple[Literal["beside", "below"], tuple[float, float]]] = {
    7: ("beside", FRONT),
    8: ("below", REAR),
    9: ("beside", FRONT),
    10: ("below", REAR),
    11: ("below", FRONT),
}

#: Larger pressing forces [N] are left out of Fig. 4, so that its adhesive side is visible.
PRESSING = 20.0


def paper_figure(data: FigureData) -> Any:
    """One figure of the paper, drawn from our models and devices.

    In Figs. 7 to 11 the colour shows the x coordinate and lines are level sets of the second coordinate.

    Args:
        data: from `studies.hauser.figures.figure_data`.

    Returns:
        The Figure.
    """
    drawings: dict[int, Callable[[Any], Any]] = {3: _peg, 4: _unit, 5: _surface}
    return drawings.get(data.number, _slices)(data)


def _panels(columns: int, rows: int, size: tuple[float, float]) -> tuple[Any, list[Any]]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=size)
    return figure, [figure.add_subplot(rows, columns, place + 1, projection="3d") for place in range(rows * columns)]


def _slices(data: SpaceFigure) -> Any:
    """Figs. 7 to 11: both slices of one device."""
    arrangement, second = ARRANGED[data.number]
    beside = arrangement == "beside"
    figure, axes = _panels(2 if beside else 1, 1 if beside else 2, (11.6, 5.4) if beside else (6.2, 9.8))
    for ax, words, view in zip(axes, SLICES, (FRONT, second), strict=True):
        names = ", ".join(f"${name[0]}_{name[1]}$" for name in words.split(","))
        seen = ", rear view" if view == REAR else ""
        wrench_space(data.spaces[words], ax, view=view, title=f"{data.device.name}: ({names}){seen}")
    figure.subplots_adjust(wspace=0.2, hspace=0.3)
    return figure


def _peg(data: VolumeFigure) -> Any:
    """Fig. 3: the volume, and its section, whose lower border decreases from the middle: adhesion only under shear."""
    from matplotlib.figure import Figure

    assert data.volume is not None
    figure = Figure(figsize=(10.6, 4.9))
    left, right = figure.add_subplot(1, 2, 1, projection="3d"), figure.add_subplot(1, 2, 2)
    force_volume(data.volume, left, view=(-18.0, -60.0), title="the union, one colour per wall", opacity=1.0)
    section(data.volume, "xz", right, title="section through the axis of the hole")
    legend = right.get_legend()
    if legend is not None:
        legend.remove()
    figure.subplots_adjust(wspace=0.26)
    return figure


def _unit(data: VolumeFigure) -> Any:
    """Fig. 4, below: two views of the unit's volume, one colour per piece."""
    assert data.volume is not None
    figure, axes = _panels(2, 1, (11.2, 5.2))
    for ax, title, view in zip(axes, ("from above", "from below"), ((24.0, -58.0), (-32.0, -70.0)), strict=True):
        force_volume(data.volume, ax, reach=PRESSING, view=view, title=title, opacity=1.0)
    figure.subplots_adjust(wspace=0.14)
    return figure


def _surface(data: VolumeFigure) -> Any:
    """Fig. 5: the local limit surface."""
    assert data.surface is not None
    ax = style.axes(None, "space")
    limit_surface(data.surface, ax, view=(24.0, -58.0), reach=PRESSING, title="local limit surface of one unit")
    return ax.get_figure()


# Slip onsets: predicted against true angles, and the gripper at the onset of slip.

#: Colours of the parts of the gripper in side view.
LINK, PAD, OBJECT = "#4D4D4D", "#0072B2", "#D9CDB8"

#: A smaller part of a direction along x is rounding.
ALONG = 1e-9

#: Points along the arc of an object in side view.
ARC_POINTS = 40


def onset_agreement(
    predicted: ArrayLike,
    true: ArrayLike,
    groups: Sequence[str],
    ax: Any = None,
    *,
    within: float = np.radians(10.0),
    title: str = "",
) -> Any:
    """Predicted against true onset angles, with the band that counts as agreement.

    Args:
        predicted: (n,) angles [rad]; inf where no slip is predicted, drawn at the upper border.
        true: (n,) angles [rad]; inf where it never slipped, drawn at the right border.
        groups: (n,) name of each event in the legend.
        ax: plain axes, or None for a new figure.
        within: half-width of the band [rad].
        title: title of the picture.

    Returns:
        The Axes.
    """
    y, x = np.asarray(predicted, dtype=float), np.asarray(true, dtype=float)
    ax = style.axes(ax, "plane")
    band, end = float(np.degrees(within)), 190.0
    line = np.array([-10.0, end])
    ax.fill_between(
        line, line - band, line + band, color="#E3EEF6", linewidth=0.0, label=f"within {band:.0f}°", zorder=0
    )
    ax.plot(line, line, color=style.FAINT, linewidth=style.MEDIUM, zorder=1)
    for number, group in enumerate(dict.fromkeys(groups)):
        own = np.array([name == group for name in groups])
        across, up = (np.where(np.isfinite(a), np.degrees(np.where(np.isfinite(a), a, 0.0)), end - 4.0) for a in (x, y))
        marker = "os^Dv"[number % 5]
        look = {"s": 34, "marker": marker, "color": style.colour(number), "edgecolor": "white", "linewidth": 0.7}
        ax.scatter(across[own], up[own], label=group, zorder=3, **look)
    ax.set_xlim(-5.0, end)
    ax.set_ylim(-5.0, end)
    ax.set_aspect("equal")
    ticks = range(0, 181, 30)
    ax.set_xticks(ticks)
    ax.set_yticks(ticks)
    ax.set_xlabel("true onset [deg]")
    ax.set_ylabel("predicted onset [deg]")
    style.dress_plane(ax, title=title)
    style.legend(ax)
    return ax


@dataclass(frozen=True, eq=False)
class Pose2D:
    """A device turned so that gravity points down the page.

    Attributes:
        device: the gripper and its object.
        towards: (3,) direction towards which gravity is turned from -z.
        angle: angle of the rotation [rad].
        caption: text below.
    """

    device: Device
    towards: np.ndarray
    angle: float
    caption: str = ""

    def project(self, points: np.ndarray) -> np.ndarray:
        """(n, 2) points (n, 3) seen along the axis of rotation; gravity points along -y of the page.

        Before the rotation, the page shows +x, or +y if the rotation has no part along x, to the right.
        """
        start, side = np.array([0.0, 0.0, -1.0]), np.asarray(self.towards) / np.linalg.norm(self.towards)
        ahead = side[0] if abs(side[0]) > ALONG else side[1]
        down = np.cos(self.angle) * start + np.sin(self.angle) * side
        right = -np.sin(self.angle) * start + np.cos(self.angle) * side
        return np.column_stack([points @ right * (1.0 if ahead >= 0.0 else -1.0), -points @ down])


def onset_strip(frames: Sequence[Sequence[Pose2D]], *, titles: Sequence[str] = ()) -> Any:
    """Rows of side views of a gripper in the orientations of an event, gravity down the page, as in Fig. 12.

    Args:
        frames: one row per event, one pose per column; all rows have the same length.
        titles: one per column, above the first row.

    Returns:
        The Figure.
    """
    from matplotlib.figure import Figure

    count = len(frames[0])
    figure = Figure(figsize=(2.5 * count, 2.1 * len(frames)))
    for i, row in enumerate(frames):
        reach = max(0.5 * float(np.ptp(_corners(pose), axis=0).max()) for pose in row)
        for j, pose in enumerate(row):
            ax = figure.add_subplot(len(frames), count, i * count + j + 1)
            draw_side(ax, pose, reach)
            if i == 0 and j < len(titles):
                ax.set_title(titles[j], fontsize=style.NORMAL, color=style.INK)
    figure.subplots_adjust(left=0.01, right=0.99, top=0.95, bottom=0.04, wspace=0.03, hspace=0.16)
    return figure


def draw_side(ax: Any, pose: Pose2D, reach: float) -> None:
    """One side view on plain axes, `reach` [m] to either side: object, links, units, centre of mass, gravity."""
    from matplotlib.collections import PolyCollection

    device = pose.device
    flat = [pose.project(sheet) for sheet in _object_sheets(device)]
    ax.add_collection(PolyCollection(flat, facecolors=OBJECT, edgecolors=OBJECT, linewidths=0.6, zorder=1))
    for link in device.links:
        line = pose.project(link.points)
        ax.plot(*line.T, color=LINK, linewidth=2.4, marker="o", ms=3.2, solid_capstyle="round", zorder=3)
    for patch in device.patches:
        for face in patch.faces:
            ax.fill(*pose.project(face).T, facecolor=PAD, edgecolor=PAD, linewidth=2.2, joinstyle="round", zorder=2)
    com = pose.project(device.object.com[None, :])[0]
    ax.annotate(
        "",
        xy=(com[0], com[1] - 0.4 * reach),
        xytext=tuple(com),
        arrowprops={"arrowstyle": "-|>", "color": style.LOAD, "linewidth": 1.3, "shrinkA": 0, "shrinkB": 0},
        zorder=5,
    )
    ax.plot(*com, "o", ms=4.0, color=style.LOAD, zorder=6)
    middle = np.mean(_corners(pose), axis=0)
    ax.set_xlim(middle[0] - 1.03 * reach, middle[0] + 1.03 * reach)
    ax.set_ylim(middle[1] - 1.03 * reach, middle[1] + 1.03 * reach)
    ax.set_aspect("equal")
    ax.set_axis_off()
    if pose.caption:
        look = {"ha": "center", "va": "top", "fontsize": style.SMALL, "color": style.INK}
        ax.text(0.5, -0.02, pose.caption, transform=ax.transAxes, **look)


def _object_sheets(device: Device) -> list[np.ndarray]:
    """Polygons (m, 3) of the object: strips of its curved surface, and its two ends down to their chord."""
    shape = device.object.shape
    if shape is None:
        return []
    around = np.linspace(-shape.half_angle, shape.half_angle, ARC_POINTS)
    side = np.cross(shape.axis, (0.0, 0.0, 1.0))
    ring = shape.center + shape.radius * (np.sin(around)[:, None] * side + np.cos(around)[:, None] * [0.0, 0.0, 1.0])
    ends = [ring + 0.5 * sign * shape.length * shape.axis for sign in (-1.0, 1.0)]
    strips = np.stack([ends[0][:-1], ends[0][1:], ends[1][1:], ends[1][:-1]], axis=1)
    return [*ends, *strips]


def _corners(pose: Pose2D) -> tuple[np.ndarray, np.ndarray]:
    """(lowest, highest) (2,) corner of the whole view."""
    device = pose.device
    faces = [face for patch in device.patches for face in patch.faces]
    points = [*_object_sheets(device), *faces, *(link.points for link in device.links), device.object.com[None, :]]
    flat = pose.project(np.concatenate(points))
    return flat.min(axis=0), flat.max(axis=0)


def slip_agreement(study: SlipStudy) -> Any:
    """Predicted against true onsets of the events of a slip study, by condition; the Axes."""
    predicted, true = ([fall_angle(getattr(row, side)) for row in study.rows] for side in ("predicted", "true"))
    conditions = [f"{row.event.left}-{row.event.right}" for row in study.rows]
    return onset_agreement(predicted, true, conditions, within=study.within)


def slip_strip(study: SlipStudy) -> Any:
    """Side views of a slip study's gripper: lifted, at the predicted and at the true onset (Fig. 12); the Figure."""
    return onset_strip(strip_frames(study), titles=("lifted", "predicted onset", "true onset"))


def strip_frames(study: SlipStudy, most: int = 4) -> list[list[Pose2D]]:
    """Poses of the events that rotate in the plane of the fingers, or of the first ones: lifted, predicted, true."""
    in_plane = [row for row in study.rows if abs(np.sin(row.event.azimuth)) < np.sin(np.radians(1.0))]
    frames = []
    for row in (in_plane or list(study.rows))[:most]:
        device, towards = row.event.device(), row.event.towards
        poses = [Pose2D(device, towards, 0.0, row.event.name)]
        for angle in (fall_angle(row.predicted), fall_angle(row.true)):
            text = f"{np.degrees(angle):.1f}°" if np.isfinite(angle) else "never"
            poses.append(Pose2D(device, towards, angle if np.isfinite(angle) else np.pi, text))
        frames.append(poses)
    return frames

"""Slip onsets: predicted against true angles, and the gripper as it hangs when it lets go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..checks import Array
from ..errors import InputError
from ..plotting import style
from .devices import Device

#: Colours of the parts of the gripper in side view.
LINK, UNIT, OBJECT = "#4D4D4D", "#0072B2", "#D9CDB8"

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
        groups: (n,) what each event is called in the legend.
        ax: plain axes, or None for a new figure.
        within: half-width of the band [rad].
        title: title of the picture.

    Returns:
        The Axes.
    """
    y = checks.array("predicted", predicted, ("n",), infinite=True)
    x = checks.array("true", true, (len(y),), infinite=True)
    if len(groups) != len(y):
        raise InputError(f"has {len(groups)} entries", where="groups", fix=f"give {len(y)}, one an event")
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
        towards: (3,) where gravity is turned from straight down (-z).
        angle: how far it has been turned [rad].
        caption: what stands below.
    """

    device: Device
    towards: Array
    angle: float
    caption: str = ""

    def project(self, points: Array) -> Array:
        """(n, 2) points (n, 3) as seen along the axis of turning; gravity points along -y of the page.

        The page shows +x, or +y where the turning has no part along x, to the right before it is turned.
        """
        start, side = np.array([0.0, 0.0, -1.0]), checks.direction("towards", self.towards, 3)
        ahead = side[0] if abs(side[0]) > tolerances.ORTHONORMAL else side[1]
        down = np.cos(self.angle) * start + np.sin(self.angle) * side
        right = -np.sin(self.angle) * start + np.cos(self.angle) * side
        return np.column_stack([points @ right * (1.0 if ahead >= 0.0 else -1.0), -points @ down])


def onset_strip(frames: Sequence[Sequence[Pose2D]], *, titles: Sequence[str] = ()) -> Any:
    """Rows of side views of a gripper in the orientations of an event, gravity down the page, as in Fig. 12.

    Args:
        frames: one row an event, one pose a column; all rows equally long.
        titles: one a column, above the first row.

    Returns:
        The Figure.
    """
    from matplotlib.figure import Figure

    columns = {len(row) for row in frames}
    if not frames or len(columns) != 1:
        raise InputError("has rows of different lengths or none", where="frames", fix="give equally long rows of poses")
    count = columns.pop()
    figure = Figure(figsize=(2.5 * count, 2.1 * len(frames)))
    for i, row in enumerate(frames):
        reach = max(_half_size(pose) for pose in row)
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
            corners = pose.project(face)
            ax.fill(*corners.T, facecolor=UNIT, edgecolor=UNIT, linewidth=2.2, joinstyle="round", zorder=2)
    com = pose.project(device.object.com[None, :])[0]
    ax.annotate(
        "",
        xy=(com[0], com[1] - 0.4 * reach),
        xytext=tuple(com),
        arrowprops={"arrowstyle": "-|>", "color": style.LOAD, "linewidth": 1.3, "shrinkA": 0, "shrinkB": 0},
        zorder=5,
    )
    ax.plot(*com, "o", ms=4.0, color=style.LOAD, zorder=6)
    middle = _middle(pose)
    ax.set_xlim(middle[0] - 1.03 * reach, middle[0] + 1.03 * reach)
    ax.set_ylim(middle[1] - 1.03 * reach, middle[1] + 1.03 * reach)
    ax.set_aspect("equal")
    ax.set_axis_off()
    if pose.caption:
        ax.text(
            0.5,
            -0.02,
            pose.caption,
            transform=ax.transAxes,
            ha="center",
            va="top",
            fontsize=style.SMALL,
            color=style.INK,
        )


def _object_sheets(device: Device) -> list[Array]:
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


def _corners(pose: Pose2D) -> tuple[Array, Array]:
    """(lowest, highest) (2,) corner of all that a view shows."""
    device = pose.device
    faces = [face for patch in device.patches for face in patch.faces]
    points = [*_object_sheets(device), *faces, *(link.points for link in device.links), device.object.com[None, :]]
    flat = pose.project(np.concatenate(points))
    return flat.min(axis=0), flat.max(axis=0)


def _middle(pose: Pose2D) -> Array:
    return np.mean(_corners(pose), axis=0)


def _half_size(pose: Pose2D) -> float:
    low, high = _corners(pose)
    return 0.5 * float((high - low).max())

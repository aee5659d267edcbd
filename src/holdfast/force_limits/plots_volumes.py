"""Force volumes in space: the union of pieces, each in its colour, with the contact frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import checks
from ..checks import Array
from ..errors import InputError
from ..geometry.polytopes import Polytope
from ..geometry.unions import Node
from ..plotting import style
from ..plotting.facets import Facet, Neighbour, cut_off, facets, neighbours, uncovered, uncovered_segments
from ..plotting.solids import Segment, Solids
from .volume import ForceVolume

#: A piece without limit is drawn up to this many times the size of its bounded part.
REACH = 2.0

#: Length of the frame's arrows and of the arrows of unlimited pieces, as a share of the picture's width.
FRAME_SHARE, GROWTH_SHARE = 0.18, 0.12

#: Parts of one facet overlap by this share of the piece's size.
SEAM = 1.5e-3

#: A piece without limit shows about this many arrows where it is cut off.
GROWTH_ARROWS = 8


def force_volume(
    volume: ForceVolume,
    ax: Any = None,
    *,
    level: int | None = None,
    reach: float | None = None,
    labels: Sequence[str] | None = None,
    opacity: float = 0.75,
    view: Sequence[float] = (22.0, -60.0),
    title: str = "",
) -> Any:
    """A force volume in the contact frame, as in the paper's Fig. 4: the border of the union, one colour a piece.

    What lies inside another piece is left out; true facets have thin edges. Pieces without limit are cut
    off at `reach`, left open there and marked with an arrow. Scales are equal; the frame's arrows are x (shear)
    red, y (lateral) green, z (normal, into the object) blue.

    Args:
        volume: the forces on the object [N].
        ax: axes in space (projection "3d"), or None for a new figure.
        level: draw the hulls at this level of the bounding hierarchy (III.F.a) instead of the pieces: 0 is the
            hull of everything; outer approximations.
        reach: where pieces without limit are cut off [N], chosen from the size by default. When given, pieces with a
            limit are cut off at f_z = reach too: the adhesive side is small beside a large compressive cap.
        labels: names of the pieces for a legend; none by default.
        opacity: 0 (invisible) to 1 (solid) of the faces.
        view: (elevation, azimuth) of the camera [deg].
        title: title of the picture.

    Returns:
        The Axes.
    """
    if not isinstance(volume, ForceVolume):
        raise InputError(f"is a {type(volume).__name__}", where="volume", fix="give a ForceVolume")
    opaque = checks.number("opacity", opacity, low=0.0, high=1.0)
    whole, owners = _parts(volume, level)
    if labels is not None and len(labels) != len(whole):
        raise InputError(f"has {len(labels)} names", where="labels", fix=f"give one for each of {len(whole)} pieces")
    far = drawing_reach(whole, reach)
    cut = [cut_off(part, far, always=reach is not None) for part in whole]
    drawn = [part for part, _ in cut]
    ax = style.axes(ax, "space")
    solids, tips = Solids(), [np.zeros(3)]
    for index, (part, normals) in enumerate(cut):
        faces = facets(part, normals)
        around = neighbours(drawn, index, [normals for _, normals in cut])
        _add_piece(solids, part, faces, around, style.colour(owners[index]), opaque)
        tips += [] if whole[index].is_bounded else _growth(ax, faces, around, part)
    solids.draw(ax, gid="pieces")
    points = np.concatenate([part.extreme for part in drawn] + [tips])
    span = float(np.ptp(points, axis=0).max())
    borders = np.max([part.radial(np.eye(3)) for part in drawn], axis=0)
    bounds = np.concatenate([points, draw_frame(ax, borders, span)])
    style.dress_space(ax, bounds.min(axis=0), bounds.max(axis=0), view=view, title=title)
    name_axes(ax)
    for index, text in enumerate(labels or ()):
        ax.scatter([], [], [], marker="s", color=style.colour(owners[index]), label=text)  # for the legend alone
    style.legend(ax)
    return ax


def drawing_reach(parts: Sequence[Polytope], reach: float | None) -> float:
    """Where sets without limit are cut off [N]: `reach`, or a multiple of the size of their bounded parts."""
    if reach is not None:
        return checks.positive("reach", reach, unit="N")
    largest = max(float(np.abs(part.vertices).max()) for part in parts)
    return REACH * largest if largest > 0.0 else 1.0


def name_axes(ax: Any) -> None:
    """The names and units of the contact frame on axes in space."""
    ax.set_xlabel(style.AXIS_NAMES[0], labelpad=2)
    ax.set_ylabel(style.AXIS_NAMES[1], labelpad=2)
    ax.set_zlabel(style.AXIS_NAMES[2], labelpad=2)


def _parts(volume: ForceVolume, level: int | None) -> tuple[list[Polytope], list[int]]:
    """The convex sets to draw, and the piece whose colour each has."""
    if level is None:
        return list(volume.polytopes), list(range(len(volume)))
    depth = checks.count("level", level, low=0)
    nodes: list[Node] = [volume.hierarchy()]
    for _ in range(depth):
        nodes = [child for node in nodes for child in (node.children or (node,))]
    return [node.hull for node in nodes], [node.pieces[0] for node in nodes]


def _add_piece(
    solids: Solids, part: Polytope, faces: list[Facet], others: list[Neighbour], colour: str, opacity: float
) -> None:
    """Faces and edges of one piece, as far as no other piece covers them."""
    seen: dict[tuple[bytes, ...], list[Segment]] = {}
    for face in faces:
        lines: list[Segment] = []
        for start, end in zip(face.corners, np.roll(face.corners, -1, axis=0), strict=True):
            key = tuple(sorted((start.tobytes(), end.tobytes())))
            if key not in seen:
                seen[key] = uncovered_segments(start, end, others)
            lines += seen[key]
        visible = [] if face.is_cut else uncovered(face, others)
        if visible and visible[0] is not face.corners:  # some of it is covered
            visible = [_grown(polygon, part.size) for polygon in visible]
        solids.add_face(visible, face.normal, colour, opacity, lines)
    if part.dimension == 1:
        solids.add_lines(uncovered_segments(part.extreme[0], part.extreme[-1], others), style.darker(colour, 0.6))


def _grown(polygon: Array, size: float) -> Array:
    """A part of a facet, larger by half a dot on paper, so that no seam shows between it and the next."""
    outward = polygon - polygon.mean(axis=0)
    lengths = np.linalg.norm(outward, axis=1, keepdims=True)
    return polygon + SEAM * size * outward / np.maximum(lengths, np.finfo(float).tiny)


def _growth(ax: Any, faces: list[Facet], others: list[Neighbour], part: Polytope) -> list[Array]:
    """Arrows along the edges that were cut off, as they go on without limit; their points."""
    from ..plotting.arrows import add_arrow

    rim = [face.corners for face in faces if face.is_cut]
    top = {corner.tobytes() for corners in rim for corner in corners}
    cut_edges: dict[bytes, tuple[Array, Array]] = {}
    for face in faces:
        for start, end in zip(face.corners, np.roll(face.corners, -1, axis=0), strict=True):
            for low, high in ((start, end), (end, start)):
                if high.tobytes() in top and low.tobytes() not in top:
                    cut_edges.setdefault(high.tobytes(), (low, high))
    visible = [edge for edge in cut_edges.values() if uncovered_segments(*edge, others)]
    if len(rim) == 1:  # in order round the cut, so that the few that are drawn are spread
        order = {corner.tobytes(): k for k, corner in enumerate(rim[0])}
        visible.sort(key=lambda edge: order[edge[1].tobytes()])
    length = GROWTH_SHARE * float(np.ptp(part.extreme, axis=0).max())
    tips = []
    for low, high in visible[:: max(1, round(len(visible) / GROWTH_ARROWS))]:
        tip = high + length * (high - low) / np.linalg.norm(high - low)
        add_arrow(ax, high, tip, style.INK, width=style.THIN, head=6.0)
        tips.append(tip)
    return tips


def draw_frame(ax: Any, borders: Array, span: float) -> Array:
    """The arrows of the contact frame from the zero force; their points (3, 3).

    They are faint up to the `borders` (3,) [N] of the set on each axis and strong beyond; `span` is its width [N].
    """
    from ..plotting.arrows import add_arrow

    ends = []
    for k, (axis, border) in enumerate(zip(np.eye(3), borders, strict=True)):
        end = (border + FRAME_SHARE * span) * axis
        ax.plot(
            *zip(np.zeros(3), border * axis, strict=True),
            color=style.FRAME[k],
            linewidth=style.THIN,
            zorder=style.BEHIND,
        )
        arrow = add_arrow(ax, border * axis, end, style.FRAME[k], width=style.THICK, head=10.0, outward=True)
        look = {"color": style.FRAME[k], "fontsize": style.NORMAL, "ha": "center", "va": "center"}
        arrow.companion = ax.text(*(end + 0.05 * span * axis), "xyz"[k], **look)
        ends.append(end)
    return np.array(ends)

"""Pictures of force volumes and limit surfaces: in space, in plane sections, with measurements and their scatter."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..checks import Array
from ..errors import InputError, UnknownNameError
from ..geometry.polygons import clip_convex
from ..geometry.polytopes import Polytope
from ..geometry.unions import Node
from ..plotting import style
from ..plotting.facets import Facet, Neighbour, cut_off, facets, neighbours, uncovered, uncovered_segments
from ..plotting.solids import Segment, Solids
from .surface import LimitSurface
from .volume import ForceVolume

# -- plane sections through the zero force, exact -------------------------------------------------------

#: The named planes, and the contact axes that span them.
NAMED = {"xz": (0, 2), "yz": (1, 2), "xy": (0, 1)}

#: Two angles of an outline closer than this are one [rad].
SAME_ANGLE = 1e-11

#: An outline is evaluated at this distance on either side of a corner, where it may jump [rad].
BESIDE = 1e-7


@dataclass(frozen=True, eq=False)
class Plane:
    """A plane through the zero force: x = axes @ (s, t).

    Attributes:
        axes: (3, 2) orthonormal columns.
        names: the names of the two axes, with the unit.
    """

    axes: Array
    names: tuple[str, str]

    @property
    def normal(self) -> Array:
        """(3,) unit normal."""
        return np.cross(self.axes[:, 0], self.axes[:, 1])

    def point(self, angle: ArrayLike) -> Array:
        """Unit directions (..., 3) at angles [rad] from the first axis towards the second."""
        a = np.asarray(angle, dtype=np.float64)[..., None]
        return np.cos(a) * self.axes[:, 0] + np.sin(a) * self.axes[:, 1]


def plane_of(plane: str | Sequence[ArrayLike]) -> Plane:
    """The plane "xz", "yz" or "xy" of the contact frame, or that spanned by two directions (u, v).

    v is turned to a right angle with u.
    """
    words = ("shear $f_x$ [N]", "lateral $f_y$ [N]", "normal $f_z$ [N]")
    if isinstance(plane, str):
        if plane not in NAMED:
            raise UnknownNameError("plane", plane, NAMED, where="plane")
        first, second = NAMED[plane]
        return Plane(np.eye(3)[:, [first, second]], (words[first], words[second]))
    if not isinstance(plane, Sequence) or len(plane) != 2:
        raise InputError(f"is {plane!r}", where="plane", fix='give "xz", "yz", "xy" or two directions (u, v)')
    u = checks.direction("plane[0]", plane[0], 3)
    v = checks.direction("plane[1]", plane[1], 3)
    v = v - (v @ u) * u
    length = float(np.linalg.norm(v))
    if length < tolerances.ORTHONORMAL:
        raise InputError("is parallel to plane[0]", where="plane[1]", fix="give two directions that span a plane")
    axes = np.column_stack([u, v / length])
    return Plane(axes, (_axis_name(axes[:, 0], words), _axis_name(axes[:, 1], words)))


def _axis_name(axis: Array, words: tuple[str, str, str]) -> str:
    for k in range(3):
        if abs(axis[k]) > 1.0 - tolerances.ORTHONORMAL:
            return words[k] if axis[k] > 0.0 else f"minus {words[k]}"
    return f"force along ({axis[0]:.2g}, {axis[1]:.2g}, {axis[2]:.2g}) [N]"


def polygon_section(polytope: Polytope, plane: Plane, reach: float) -> Array:
    """(m, 2) corners of the section of a convex set, counter-clockwise; (0, 2) when the plane misses it.

    The H-form is restricted to the plane and a square of half-width `reach` [N] is clipped by it, so that sets
    without limit are cut off.
    """
    normals, offsets = polytope.halfspaces
    flat = normals @ plane.axes
    tiny = tolerances.MERGE * max(polytope.size, 1e-300)
    polygon = reach * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    for normal, offset in zip(flat, offsets, strict=True):
        if np.linalg.norm(normal) <= tolerances.MERGE:
            if offset < -tiny:
                return np.zeros((0, 2))
            continue
        polygon = clip_convex(polygon, offset - polygon @ normal, tiny)
        if not len(polygon):
            break
    return polygon


def union_outline(polygons: Sequence[Array], polytopes: Sequence[Polytope], plane: Plane, reach: float) -> Array:
    """(m, 2) border of a union of convex sections that all contain the zero force, closed, in rising angle.

    Corners are those of the polygons and the crossings of their sides; the radius is evaluated on either side
    of each, where the union may jump.
    """
    corners = [p for p in polygons if len(p)]
    if not corners:
        return np.zeros((0, 2))
    points = np.concatenate([*corners, _crossings(corners)])
    points = points[np.linalg.norm(points, axis=1) > tolerances.MERGE * reach]
    angles = _angles(points)
    both = np.sort(np.concatenate([angles - BESIDE, angles + BESIDE]))
    directions = plane.point(both)
    radii = np.max([p.radial(directions) for p in polytopes], axis=0)
    square = reach / np.maximum(np.abs(np.cos(both)), np.abs(np.sin(both)))
    radii = np.minimum(radii, square)
    return np.column_stack([np.cos(both), np.sin(both)]) * radii[:, None]


def _angles(points: Array) -> Array:
    """Sorted different angles of points (n, 2) seen from the origin [rad]."""
    angles = np.sort(np.arctan2(points[:, 1], points[:, 0]))
    return angles[np.append(True, np.diff(angles) > SAME_ANGLE)] if len(angles) else angles


def _crossings(polygons: Sequence[Array]) -> Array:
    """(n, 2) points where the borders of different polygons meet."""
    import shapely

    rings = [shapely.LineString(np.vstack([polygon, polygon[:1]])) for polygon in polygons]
    meets = [shapely.intersection(a, b) for a, b in itertools.combinations(rings, 2)]
    return shapely.get_coordinates(meets).reshape(-1, 2)


def surface_outline(surface: LimitSurface, plane: Plane, reach: float) -> Array:
    """(m, 2) border of the section of a limit surface, exact, closed, in rising angle.

    The plane crosses the triangulated sphere in arcs, each inside one triangle, over which the border is one
    straight line (the gauge is linear). An arc in a triangle with limit zero leaves nothing; one towards a
    direction without limit continues along it and is cut off far out.
    """
    angles = _arc_ends(surface, plane)
    result: list[Any] = []
    for start, end in zip(angles, np.append(angles[1:], angles[0] + 2.0 * np.pi), strict=True):
        if end - start <= SAME_ANGLE:
            continue
        quarter = start + np.array([0.25, 0.75]) * (end - start)
        gauges = surface.gauge(plane.point(quarter))
        if not np.isfinite(gauges).all():
            result.append(np.zeros((1, 2)))
            continue
        inside = np.column_stack([np.cos(quarter), np.sin(quarter)])
        slope: Array = np.asarray(
            np.linalg.solve(inside, gauges), dtype=np.float64
        )  # the gauge of f in this arc is slope . f
        ends = np.array([[np.cos(start), np.sin(start)], [np.cos(end), np.sin(end)]])
        result.append(_straight(ends, slope, ends @ slope, reach))
    return np.concatenate(result) if result else np.zeros((0, 2))


def _straight(ends: Array, slope: Array, gauges: Array, reach: float) -> Array:
    """The line slope . f = 1 between two unit directions (2, 2), or its parts within about `reach`."""
    far = 4.0 * reach
    low = gauges <= 1.0 / far
    if not low.any():
        return ends / gauges[:, None]
    if low.all():
        return ends * far
    k = int(np.argmin(low))  # the limited end
    near = ends[k] / gauges[k]
    # Walk from the limited end along the border until it is far out.
    along = np.array([-slope[1], slope[0]])
    along = along / np.linalg.norm(along)
    if along @ (ends[1 - k] - ends[k]) < 0.0:
        along = -along
    out = near + far * along
    tip = ends[1 - k] * far
    points = np.array([near, out, tip])
    return points if k == 0 else points[::-1]


def _arc_ends(surface: LimitSurface, plane: Plane) -> Array:
    """Sorted angles [rad] at which the plane crosses an edge or meets a corner of the triangulated sphere."""
    height = surface.directions @ plane.normal
    height = np.where(np.abs(height) <= tolerances.MERGE, 0.0, height)
    start, end = surface.mesh.edges.T
    split = height[start] * height[end] < 0.0
    start, end = start[split], end[split]
    share = (height[start] / (height[start] - height[end]))[:, None]
    crossing = (1.0 - share) * surface.directions[start] + share * surface.directions[end]
    points = np.concatenate([crossing, surface.directions[height == 0.0]]) @ plane.axes
    return _angles(points)


# -- force volumes in space -----------------------------------------------------------------------------

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
    one_colour: bool = False,
    view: Sequence[float] = (22.0, -60.0),
    title: str = "",
) -> Any:
    """A force volume in the contact frame, as in the paper's Fig. 4: the border of the union, one colour per piece.

    What lies inside another piece is left out; true facets have thin edges. Pieces without limit are cut
    off at `reach`, left open there and marked with an arrow. Scales are equal; the frame's arrows are x (shear)
    red, y (lateral) green, z (normal, into the object) blue.

    Args:
        volume: the forces on the object [N].
        ax: axes in space (projection "3d"), or None for a new figure.
        level: draw the hulls at this level of the bounding hierarchy (III.F.a) instead of the pieces: 0 is the
            hull of everything; outer approximations.
        reach: where pieces without limit are cut off [N], chosen from the size by default. When given, bounded pieces
            are cut off at f_z = reach too: the adhesive side is small compared with a large compressive cap.
        labels: names of the pieces for a legend; none by default.
        opacity: 0 (invisible) to 1 (solid) of the faces.
        one_colour: whether all pieces have the same colour.
        view: (elevation, azimuth) of the camera [deg].
        title: title of the picture.

    Returns:
        The Axes.
    """
    checks.instance("volume", volume, ForceVolume, fix="give a ForceVolume")
    opaque = checks.number("opacity", opacity, low=0.0, high=1.0)
    whole, owners = _parts(volume, level)
    owners = [0] * len(owners) if one_colour else owners
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
    """A part of a facet, slightly enlarged, so that no gap is visible between it and the next."""
    outward = polygon - polygon.mean(axis=0)
    lengths = np.linalg.norm(outward, axis=1, keepdims=True)
    return polygon + SEAM * size * outward / np.maximum(lengths, np.finfo(float).tiny)


def _growth(ax: Any, faces: list[Facet], others: list[Neighbour], part: Polytope) -> list[Array]:
    """Arrows along the edges that were cut off, which continue without limit; returns their points."""
    from ..plotting.artists import add_arrow

    rim = [face.corners for face in faces if face.is_cut]
    top = {corner.tobytes() for corners in rim for corner in corners}
    cut_edges: dict[bytes, tuple[Array, Array]] = {}
    for face in faces:
        for start, end in zip(face.corners, np.roll(face.corners, -1, axis=0), strict=True):
            for low, high in ((start, end), (end, start)):
                if high.tobytes() in top and low.tobytes() not in top:
                    cut_edges.setdefault(high.tobytes(), (low, high))
    visible = [edge for edge in cut_edges.values() if uncovered_segments(*edge, others)]
    if len(rim) == 1:  # in order around the cut, so that the few that are drawn are evenly spread
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
    from ..plotting.artists import add_arrow

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


# -- limit surfaces in space ----------------------------------------------------------------------------

#: A triangle whose limits are below this share of the surface's size is a point on paper.
NO_LIMIT = 1e-6


def limit_surface(
    surface: LimitSurface,
    ax: Any = None,
    *,
    samples: bool = True,
    reach: float | None = None,
    view: Sequence[float] = (22.0, -60.0),
    title: str = "",
) -> Any:
    """A limit surface in the contact frame: the largest force in every direction, with its measurements.

    Triangles between measured directions are coloured; those with a corner that was not measured are grey.
    Measured limits are dots, assumed ones open circles, outliers crosses. A surface of a model has no
    measurements and is coloured throughout.

    Args:
        surface: the limits [N].
        ax: axes in space (projection "3d"), or None for a new figure.
        samples: whether to mark measured, assumed and outlying limits.
        reach: pressing forces above f_z = reach [N] are not drawn, and unlimited directions are cut off there;
            by default only unlimited ones are cut.
        view: (elevation, azimuth) of the camera [deg].
        title: title of the picture.

    Returns:
        The Axes.
    """
    checks.instance("surface", surface, LimitSurface, fix="give a LimitSurface")
    far = REACH * (surface.size or 1.0) if reach is None else checks.positive("reach", reach, unit="N")
    ax = style.axes(ax, "space")
    solids, corners = Solids(), [np.zeros((1, 3))]
    is_model = not surface.measured.any()
    for triangle in surface.triangles:
        polygon = triangle_polygon(surface, triangle, far)
        polygon = clip_convex(polygon, far - polygon[:, 2])
        if len(polygon) < 3 or not np.isfinite(surface.gauges[triangle]).all():
            continue  # with a corner of limit zero the triangle is empty
        known = is_model or bool(surface.measured[triangle].all())
        normal = np.cross(polygon[1] - polygon[0], polygon[2] - polygon[0])
        length = float(np.linalg.norm(normal))
        if length <= (NO_LIMIT * surface.size) ** 2:
            continue
        base = style.PALETTE[0] if known else style.ASSUMED
        border = list(zip(polygon, np.roll(polygon, -1, axis=0), strict=True))
        solids.add_face([polygon], normal / length, base, 0.8 if known else 0.55, border)
        corners.append(polygon)
    solids.draw(ax, gid="surface")
    points = np.concatenate(corners)
    if samples:
        _mark(ax, surface, far, is_model)
    span = float(np.ptp(points, axis=0).max()) or 1.0
    borders = surface.radial(np.eye(3))
    borders = np.where(np.isfinite(borders), borders, far)
    borders[2] = min(borders[2], far)
    bounds = np.concatenate([points, draw_frame(ax, borders, span)])
    style.dress_space(ax, bounds.min(axis=0), bounds.max(axis=0), view=view, title=title)
    name_axes(ax)
    style.legend(ax)
    return ax


def triangle_polygon(surface: LimitSurface, triangle: Any, reach: float) -> Array:
    """(m, 3) flat polygon of the surface over one triangle of directions, unlimited corners cut off far out.

    Unlimited corners turn the triangle into a strip that continues along their directions.
    """
    directions, radii = surface.directions[triangle], surface.radii[triangle]
    finite = np.isfinite(radii)
    if finite.all():
        return directions * radii[:, None]
    if not finite.any():
        return np.zeros((0, 3))
    first = int(np.argmax(finite & ~np.roll(finite, 1)))  # the first limited corner after an unlimited one
    order = [(first + k) % 3 for k in range(3)]
    base = [directions[k] * radii[k] for k in order if finite[k]]
    open_ways = [directions[k] for k in order if not finite[k]]
    # Limited corners come first in the order; the strip leaves from the last and comes back to the first.
    far = [base[-1] + 2.0 * reach * open_ways[0], base[0] + 2.0 * reach * open_ways[-1]]
    return np.array(base + far)


def _mark(ax: Any, surface: LimitSurface, far: float, is_model: bool) -> None:
    """Dots, circles and crosses at measured, assumed and outlying limits."""
    finite = np.isfinite(surface.radii)
    limits = surface.directions * np.where(finite, surface.radii, 0.0)[:, None]
    shown = finite & (limits[:, 2] <= far)
    if not is_model:
        measured, assumed = surface.measured & shown, ~surface.measured & shown
        ax.scatter(*limits[measured].T, s=5, color=style.INK, linewidths=0, zorder=style.MARKS, label="measured")
        if assumed.any():
            look = {"facecolors": "white", "edgecolors": style.INK, "linewidths": 0.7, "zorder": style.MARKS}
            ax.scatter(*limits[assumed].T, s=14, label="assumed, never measured", **look)
    if surface.outliers:
        places = np.array([np.array(o.direction) * o.limit for o in surface.outliers])
        cross = {"marker": "x", "color": style.LIMIT, "linewidths": 1.4, "zorder": style.ARROWS}
        ax.scatter(*places.T, s=34, depthshade=False, label="outlier", **cross)


# -- pictures of sections, and the bands of repeated trials ---------------------------------------------

Thing = ForceVolume | LimitSurface | Polytope
Window = tuple[tuple[float, float], tuple[float, float]]

#: Sets without limit are cut off at this many picture widths, where the cut is not visible.
OUT_OF_SIGHT = 8.0

#: Free space around the data, as a share of their extent.
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
        reach: half-width of the picture [N]; by default everything that has a limit is visible.
        window: ((left, right), (bottom, top)) [N] instead, each with its own scale: for details of the adhesive side.
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
    far = OUT_OF_SIGHT * float(np.abs(box).max())
    colours = iter(style.PALETTE * (1 + len(listed)))
    surfaces = 0
    for thing, name in zip(listed, names, strict=True):
        if isinstance(thing, LimitSurface):
            colour = style.INK if surfaces == 0 else next(colours)
            surfaces += 1
            # Thicker than volumes, so that it is visible next to a volume with the same border.
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
    """The scatter of repeated trials in a section: forces that every trial held, and forces that some trial held.

    The inner band is filled, the stretch up to the outer band is light, the nominal limit is a line. Each measured
    direction within `near` of the plane shows its nominal limit as a dot and its trials' range as a bar.
    Arguments as for `section`.
    """
    checks.instance("surface", surface, LimitSurface, fix="give a LimitSurface")
    flat = plane_of(plane)
    off = checks.number("near", near, low=0.0, high=90.0, unit="deg")
    ax = style.axes(ax, "plane")
    box = _window([surface.outer], flat, reach, window)
    far = OUT_OF_SIGHT * float(np.abs(box).max())
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


#: Sections of pieces in a row of a sheet, and size of each [inch].
SHEET_COLUMNS, PANEL = 3, (2.5, 1.9)


def piece_sheet(
    volume: ForceVolume,
    plane: str | Sequence[ArrayLike] = "xz",
    *,
    reach: float | None = None,
    window: Window | None = None,
    view: Sequence[float] = (22.0, -60.0),
    title: str = "",
) -> Any:
    """A force volume in small pictures: the whole in space in one colour, and each piece in a section.

    Pieces overlap, so that one picture of all of them hides most of them. Here each has its own section, in front of
    the whole in grey.

    Args:
        volume: the forces on the object [N].
        plane: of the sections, as for `section`.
        reach: where the picture in space is cut off [N], as for `force_volume`.
        window: part of the sections that is shown, as for `section`.
        view: (elevation, azimuth) of the camera [deg].
        title: title of the picture.

    Returns:
        The Figure.
    """
    from matplotlib.figure import Figure

    checks.instance("volume", volume, ForceVolume, fix="give a ForceVolume")
    flat, parts = plane_of(plane), volume.polytopes
    box = _window([volume], flat, None, window)
    far = OUT_OF_SIGHT * float(np.abs(box).max())
    polygons = [polygon_section(part, flat, far) for part in parts]
    rows, columns = -(-len(parts) // SHEET_COLUMNS), min(len(parts), SHEET_COLUMNS)
    wide, high = 4.8 + PANEL[0] * columns, max(PANEL[1] * rows, 3.6) + 0.6
    figure = Figure(figsize=(wide, high))
    left = figure.add_gridspec(1, 1, left=0.0, right=3.6 / wide, bottom=0.08, top=0.88)
    right = figure.add_gridspec(
        rows, columns, left=4.7 / wide, right=0.99, bottom=0.55 / high, top=0.86, wspace=0.12, hspace=0.38
    )
    whole = figure.add_subplot(left[0], projection="3d")
    force_volume(volume, whole, reach=reach, view=view, title="all forces", opacity=1.0, one_colour=True)
    whole.title.set_fontsize(style.NORMAL)
    for index, polygon in enumerate(polygons):
        row, column = divmod(index, columns)
        ax = figure.add_subplot(right[row, column])
        for other in polygons:
            if len(other):
                ax.fill(*other.T, color="#DDDDDD", linewidth=0)
        if len(polygon):
            ax.fill(*polygon.T, facecolor=style.colour(index), alpha=0.75, linewidth=0, gid=f"piece {index}")
        name = f"piece {index + 1} of {len(parts)}" if len(parts) > 1 else "section"
        _frame(ax, flat, box, equal=window is None, title=name)
        ax.title.set_fontsize(style.SMALL)
        ax.label_outer()
    figure.suptitle(title, fontsize=style.LARGE, color=style.INK)
    return figure


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
        raise InputError(f"is {labels!r}", where="labels", fix=f"give {len(things)} names, one per thing")
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

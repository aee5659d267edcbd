"""Parts from the closed rings of a drawing: small faults are repaired, holes and islands recognised, one part chosen.

Nested rings alternate: an outline, its holes, islands in the holes, which are outlines of other parts. A
repair changes at most `REPAIRED` of a ring's area and leaves a note: spikes and small loops are cut off, rings drawn
twice count once, rings that touch are moved apart, gaps are closed. Larger faults are errors. Shapes that
are filled, and not only drawn as lines, may overlap: together they are one area.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from numpy.typing import ArrayLike

from ..checks import Array, array, count
from ..errors import GeometryError, InputError
from .contours import NO_AREA, Contour, check_extent, contains, first_crossing, signed_area

#: Largest fraction of a ring's area that a repair may change.
REPAIRED = 1e-3

#: Where rings of a part touch, its border is moved inwards by this fraction of its extent.
MOVED_OFF = 1e-4

#: Most outlines that a message lists.
MOST_LISTED = 8


@dataclass(frozen=True, eq=False)
class Outline:
    """The outer ring of a part and its holes (n, 2) [mm], not yet checked."""

    outer: Array
    holes: tuple[Array, ...]

    @property
    def area(self) -> float:
        """Area [mm^2] without the holes."""
        return abs(signed_area(self.outer)) - sum(abs(signed_area(hole)) for hole in self.holes)

    @property
    def middle(self) -> Array:
        """(x, y) [mm] of the middle of its box."""
        return (self.outer.min(axis=0) + self.outer.max(axis=0)) / 2.0


def outlines_of(rings: list[Array], notes: list[str], *, united: bool = False) -> list[Outline]:
    """The parts that closed rings (n, 2) [mm] bound, the largest first.

    Args:
        rings: in any order and direction.
        notes: list to which notes on repairs and omissions are added.
        united: whether rings are filled, so that overlapping rings are one area; otherwise an overlap is an error.
    """
    drawn = [np.asarray(ring, dtype=np.float64).reshape(-1, 2) for ring in rings]
    check_extent(drawn)
    sound = _sound(drawn, notes, united)
    if len(sound) > 1 and first_crossing(tuple(sound)) is not None:
        sound = _apart(sound, notes, united)
    areas = [abs(signed_area(ring)) for ring in sound]
    order = sorted(range(len(sound)), key=lambda k: -areas[k])
    depth, children = dict.fromkeys(order, 0), {k: [] for k in order}
    areas_of = np.array([shapely.Polygon(ring) for ring in sound], dtype=np.object_)
    inside = shapely.get_coordinates(shapely.point_on_surface(areas_of))
    ranked = np.array(order)
    for place, k in enumerate(order):
        around = ranked[:place][shapely.contains_xy(areas_of[ranked[:place]], *inside[k])].tolist()
        if around:
            depth[k] = depth[around[-1]] + 1  # the smallest of those around it
            children[around[-1]].append(k)
    parts = [part for k in order if depth[k] % 2 == 0 for part in _pieces_of(sound[k], [sound[j] for j in children[k]])]
    islands = sum(1 for k in order if depth[k] % 2 == 0 and depth[k])
    if islands:
        what = "an island inside a hole is a part" if islands == 1 else f"{islands} islands inside holes are parts"
        notes.append(f"{what} by itself" if islands == 1 else f"{what} by themselves")
    return sorted(parts, key=lambda part: -part.area)


def chosen_outline(parts: list[Outline], notes: list[str], pick: ArrayLike | None = None, index: int = 0) -> Contour:
    """The contour of one of several parts: the part at a point [mm], or by its number from the largest."""
    wanted = count("index", index, low=0)
    if pick is not None:
        x, y = array("pick", pick, (2,))
        at = np.array([[x, y]])
        around = [k for k, part in enumerate(parts) if contains(part.outer, at)[0]]
        if not around:
            raise InputError(f"({x:g}, {y:g}) mm is not on a part", where="pick", fix=listed(parts))
        on = [k for k in around if not any(contains(hole, at)[0] for hole in parts[k].holes)]
        wanted = min(on or around, key=lambda k: abs(signed_area(parts[k].outer)))
    elif wanted >= len(parts):
        raise InputError(f"is {wanted}", where="index", fix=listed(parts))
    elif len(parts) > 1 and not wanted:
        notes.append(f"the largest of {len(parts)} outlines is used, others by index or pick; {listed(parts)}")
    return _contour(parts[wanted], notes)


def _contour(part: Outline, notes: list[str]) -> Contour:
    """A part as a contour; rings that touch are moved apart."""
    try:
        return Contour.from_points(part.outer, part.holes)
    except GeometryError as error:
        extent = float(np.ptp(part.outer, axis=0).max())
        area = _area_of(part.outer, part.holes)
        inner = shapely.buffer(area, -MOVED_OFF * extent, join_style="mitre")
        largest = max(shapely.get_parts(inner), key=lambda piece: piece.area, default=shapely.Polygon())
        if extent == 0.0 or largest.area < (1.0 - 10.0 * REPAIRED) * area.area:
            raise error from None
        moved = f"{MOVED_OFF * extent:.2g} mm"
        notes.append(f"repaired: the outline touches itself or a hole; its border was moved inwards by {moved}")
        outer, *holes = _rings_of(largest)
        return Contour.from_points(outer, holes)


def _area_of(outer: Array, holes: Sequence[Array]) -> Any:
    """The polygons of an outer ring less its holes."""
    taken = shapely.union_all([shapely.make_valid(shapely.Polygon(hole)) for hole in holes])
    return shapely.difference(shapely.make_valid(shapely.Polygon(outer)), taken)


def _pieces_of(outer: Array, holes: list[Array]) -> list[Outline]:
    """The part within a ring; several where holes that reach the border cut it into pieces."""
    if not holes or first_crossing((outer, *holes)) is None:
        return [Outline(outer, tuple(holes))]
    area = _area_of(outer, holes)
    pieces = [piece for piece in shapely.get_parts(area) if piece.area > REPAIRED * area.area]
    return [Outline(rings[0], tuple(rings[1:])) for rings in map(_rings_of, pieces)]


def listed(parts: list[Outline]) -> str:
    """The parts as text, for messages."""
    shown = [
        f"{k} at ({part.middle[0]:.4g}, {part.middle[1]:.4g}) mm, {part.area:.3g} mm^2"
        for k, part in enumerate(parts[:MOST_LISTED])
    ]
    more = f" and {len(parts) - MOST_LISTED} more" if len(parts) > MOST_LISTED else ""
    return f"outlines, largest first: {'; '.join(shown)}{more}"


def _sound(rings: list[Array], notes: list[str], united: bool) -> list[Array]:
    """Rings that do not meet themselves; those without area are left out where others have one."""
    kept: list[Array] = []
    lines: list[Array] = []
    for ring in rings:
        distinct = ring[np.any(ring != np.roll(ring, 1, axis=0), axis=1)] if len(ring) else ring
        if len(distinct) > 2 and shapely.is_valid(shapely.Polygon(distinct)):
            length = float(np.linalg.norm(np.roll(distinct, -1, axis=0) - distinct, axis=1).sum())
            (kept if abs(signed_area(distinct)) > NO_AREA * length**2 else lines).append(distinct)
            continue
        pieces = _pieces(distinct) if len(distinct) > 2 else []
        if not pieces:
            lines.append(ring)
        elif united:
            kept.extend(_rings_of(shapely.union_all(_wound(distinct))))
        else:
            kept.append(_repaired(distinct, pieces, notes))
    if not kept:
        Contour.from_points(lines[0])  # raises an error with the reason
    if lines:
        notes.append(f"{len(lines)} of the lines {'encloses' if len(lines) == 1 else 'enclose'} no area; left out")
    if united and len(kept) > 1:
        largest = max(abs(signed_area(ring)) for ring in kept)
        specks = [ring for ring in kept if abs(signed_area(ring)) <= REPAIRED**2 * largest]
        kept = [ring for ring in kept if abs(signed_area(ring)) > REPAIRED**2 * largest]
        if specks:
            notes.append(f"{len(specks)} specks with less than 1e-6 of the area are left out")
    return kept


def _pieces(ring: Array) -> list[Any]:
    """The polygons of a ring that meets itself, by the even-odd rule, the largest first."""
    valid = shapely.make_valid(shapely.Polygon(ring))
    found = [piece for piece in shapely.get_parts(valid) if shapely.get_type_id(piece) == 3]
    found += [deep for piece in shapely.get_parts(valid) if shapely.get_type_id(piece) == 6 for deep in piece.geoms]
    return sorted((piece for piece in found if piece.area > 0.0), key=lambda piece: -piece.area)


def _wound(ring: Array) -> list[Any]:
    """The polygons of a ring that meets itself, by the nonzero rule: where its winding number is not zero."""
    faces = shapely.get_parts(shapely.polygonize([shapely.union_all(shapely.linestrings(np.vstack([ring, ring[:1]])))]))
    least = REPAIRED**2 * max((face.area for face in faces), default=0.0)
    inside = [shapely.get_coordinates(face.point_on_surface())[0] for face in faces]
    return [face for face, at in zip(faces, inside, strict=True) if face.area > least and _winding(ring, at)]


def _winding(ring: Array, point: Array) -> int:
    """How often a ring winds around a point that is not on it."""
    away = (ring - point) @ np.array([1.0, 1j])
    return round(float(np.angle(np.roll(away, -1) / away).sum() / (2.0 * np.pi)))


def _rings_of(area: Any) -> list[Array]:
    """Outer rings and holes of polygons, the last point not repeating the first."""
    polygons = [piece for piece in shapely.get_parts(area) if shapely.get_type_id(piece) == 3]
    return [np.asarray(ring.coords)[:-1, :2] for piece in polygons for ring in (piece.exterior, *piece.interiors)]


def _repaired(ring: Array, pieces: list[Any], notes: list[str]) -> Array:
    """A ring without its spikes and small loops; an error if they are large."""
    largest = pieces[0]
    holes = sum(shapely.Polygon(hole).area for hole in largest.interiors)
    lost = (sum(piece.area for piece in pieces[1:]) + holes) / largest.area
    if lost > REPAIRED:
        Contour.from_points(ring)  # raises an error with the place of the crossing
    outer = np.asarray(largest.exterior.coords)[:-1, :2]
    x, y = outer[int(np.argmin(outer @ [1.0, 1.0]))] if lost == 0.0 else shapely.get_coordinates(pieces[-1])[0]
    size = "no area" if lost == 0.0 else f"{100.0 * lost:.2g} % of the area"
    where = "" if lost == 0.0 else f" at ({x:.4g}, {y:.4g}) mm"
    notes.append(f"repaired: an outline touches or crosses itself; spikes or loops of {size}{where} were removed")
    return outer


def _apart(rings: list[Array], notes: list[str], united: bool) -> list[Array]:
    """Rings that meet each other: copies removed, overlapping filled ones united; an error if others cross."""
    areas = [shapely.Polygon(ring) for ring in rings]
    borders = [area.exterior for area in areas]
    copies: set[int] = set()
    groups = {k: frozenset((k,)) for k in range(len(rings))}
    pairs = shapely.STRtree(borders).query(borders, predicate="intersects").T
    for i, j in sorted({(min(pair), max(pair)) for pair in pairs.tolist() if pair[0] != pair[1]}):
        small, large = (i, j) if areas[i].area < areas[j].area else (j, i)
        shared = float(shapely.intersection(areas[i], areas[j]).area)
        if shared >= (1.0 - REPAIRED) * areas[large].area:
            copies.add(small)
        elif shared >= (1.0 - REPAIRED) * areas[small].area:
            continue  # a hole that touches the border
        elif united:
            groups |= dict.fromkeys(groups[i] | groups[j], groups[i] | groups[j])
        elif shared > REPAIRED * areas[small].area:
            Contour.from_points(rings[large], [rings[small]])  # raises an error with the place of the crossing
    found: list[Array] = []
    for group in set(groups.values()):
        members = sorted(group - copies)
        if len(members) > 1:
            found.extend(_rings_of(shapely.union_all([areas[k] for k in members])))
        else:
            found.extend(rings[k] for k in members)
    if copies:
        notes.append(f"repaired: {len(copies)} outlines are drawn twice and counted once")
    if any(len(group - copies) > 1 for group in groups.values()):
        notes.append("filled shapes that overlap or touch are united")
    return found

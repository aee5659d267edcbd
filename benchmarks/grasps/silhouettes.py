"""Planar grasps of many outside silhouettes: `python -m benchmarks.grasps.silhouettes FOLDER`.

FOLDER holds filled SVG icons, for instance an unpacked icon package (`npm pack @mdi/svg`, then unpack it); nothing of
it belongs to this repository. Each icon is scaled to a fixed extent, drawn as a grey picture with smooth edges and
planned with every hand. The table has, per hand: the share of shapes with a grasp, the forces of the grasps against
their friction cones, reachability of the first rank, thin limbs, steadiness under rotation, and times.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.reporting import TextTable, duration
from holdfast.errors import HoldfastError
from holdfast.grasps.criteria import deviations
from holdfast.grasps.planning import plan
from holdfast.grasps.ranking import Ranking
from holdfast.grasps.reachability import check

#: Longest extents of the parts [mm], one after the other, and the pixel of a picture [mm].
EXTENTS, SCALE = (40.0, 70.0, 100.0), 0.5

#: Drawn this many times finer than the picture, so that its edges are smooth.
FINER = 4

#: A part of sensible width for the parallel jaw: its least width between these [mm].
WIDTHS = (5.0, 80.0)

#: Rotations of the part [deg]; a best Q that moves by more than this share has moved.
TURNS, MOVED = (10.0, 37.0, 90.0), 0.1

HANDS = ("barrett", "generic", "parallel_jaw")

#: A limb thinner than this [mm] under a finger of the first rank is counted.
THIN = 8.0

#: Points per curve of an icon.
PER_CURVE = 24


def icons(folder: Path, count: int) -> list[Path]:
    """`count` of the SVG files below a folder, evenly spaced in the order of their names."""
    every = sorted(folder.rglob("*.svg"))
    if len(every) < count:
        raise SystemExit(f"{folder} has {len(every)} SVG files, {count} are wanted: give another folder or --count")
    return [every[int(k)] for k in np.linspace(0, len(every) - 1, count).round()]


def rings(path: Path, extent: float) -> list[np.ndarray]:
    """The closed subpaths of an icon, as polygons (n, 2), y up, scaled to an `extent` [mm] about the origin."""
    from svgelements import SVG, Close, Line, Move
    from svgelements import Path as SvgPath

    found = []
    for element in SVG.parse(str(path)).elements():
        if not isinstance(element, SvgPath):
            continue
        for subpath in element.as_subpaths():
            points: list[Any] = []
            for segment in subpath:
                straight = isinstance(segment, (Move, Line, Close))
                places = [1.0] if straight else np.linspace(0.0, 1.0, PER_CURVE)[1:]
                points += [segment.point(t) for t in places if segment.end is not None]
            if len(points) > 2:
                found.append(np.array([(point.x, -point.y) for point in points], dtype=np.float64))
    if not found:
        return []
    every = np.concatenate(found)
    low, high = every.min(axis=0), every.max(axis=0)
    return [(ring - (low + high) / 2.0) * (extent / float((high - low).max())) for ring in found]


def drawn(outlines: list[np.ndarray], degrees: float = 0.0) -> np.ndarray:
    """A grey picture, dark on bright, of polygons filled by the even-odd rule and turned counter-clockwise."""
    from PIL import Image, ImageChops, ImageDraw

    turn = np.radians(degrees)
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    side = int(np.ceil(max(EXTENTS) * 1.6 / SCALE))
    fine = side * FINER
    mask = Image.new("1", (fine, fine))
    for ring in outlines:
        points = ring @ rotation.T * (FINER / SCALE) * [1.0, -1.0] + (fine - 1) / 2.0
        one = Image.new("1", (fine, fine))
        ImageDraw.Draw(one).polygon([tuple(point) for point in points.tolist()], fill=1)
        mask = ImageChops.logical_xor(mask, one)
    filled = np.asarray(mask, dtype=np.float64).reshape(side, FINER, side, FINER).mean(axis=(1, 3))
    return 0.9 - 0.8 * filled


def least_width(points: np.ndarray) -> float:
    """The least distance [mm] between two parallel lines that enclose the points."""
    from scipy.spatial import ConvexHull

    hull = points[ConvexHull(points).vertices]
    along = np.roll(hull, -1, axis=0) - hull
    normal = np.stack([-along[:, 1], along[:, 0]], axis=1) / np.linalg.norm(along, axis=1)[:, None]
    return float(np.ptp(hull @ normal.T, axis=0).min())


@dataclass
class ShapeFigures:
    """What one hand made of one shape."""

    name: str
    width: float
    grasps: int = 0
    best: tuple[float, float] = (np.nan, np.nan)
    ranked_outward: int = 0
    ranked_outside: int = 0
    first_outside: bool = False
    another_inside: bool = False
    reachable: bool = False
    thin: bool = False
    seconds: float = np.nan
    turned: list[tuple[float, float]] = field(default_factory=list)
    mask: tuple[float, float] = (np.nan, np.nan)
    reason: str = ""


def figures(name: str, outlines: list[np.ndarray], hand: str, **settings: Any) -> ShapeFigures | None:
    """Plan one shape with one hand, also turned and as a mask; None where the icon shows no part."""
    grey = drawn(outlines)
    try:
        start = time.process_time()
        ranking = plan(grey, hand, SCALE, **settings)
        seconds = time.process_time() - start
    except HoldfastError:
        return None
    assert ranking.contour is not None
    found = ShapeFigures(name, least_width(ranking.contour.outer), len(ranking), seconds=seconds, reason=ranking.reason)
    _add_forces(found, ranking)
    found.best = _best(ranking)
    found.turned = [_best(plan(drawn(outlines, turn), hand, SCALE, **settings)) for turn in TURNS]
    found.mask = _best(plan(np.where(grey < 0.5, 0.1, 0.9), hand, SCALE, **settings))
    return found


def _best(ranking: Ranking) -> tuple[float, float]:
    """The best grasp's Q, and the score that the ranking goes by."""
    return (float(ranking.best.Q), float(ranking.best.score)) if ranking.best is not None else (np.nan, np.nan)


def _add_forces(found: ShapeFigures, ranking: Ranking) -> None:
    """Forces against cones, reachability and limbs, each computed here from the grasps alone."""
    if ranking.best is None or ranking.contour is None:
        return
    scored, order = ranking.scored, ranking.order
    off = deviations(scored.poses.forces[order], scored.candidates.normals[order]).max(axis=1)
    outside = off > np.arctan(scored.params.mu) * (1.0 + 1e-9)
    found.ranked_outward = int((off >= np.pi / 2.0).sum())
    found.ranked_outside = int(outside.sum())
    found.first_outside, found.another_inside = bool(outside[0]), bool((~outside).any())
    first = np.array([int(order[0])])
    reach = check(ranking.contour, scored.candidates.select(first), scored.poses.select(first), scored.hand)
    found.reachable = bool(reach.ok[0])
    found.thin = bool(_thickness(ranking) < THIN)


def _thickness(ranking: Ranking) -> float:
    """The least length [mm] inside the part along the forces of the first rank, fingers opposite one another apart."""
    from shapely.geometry import LineString, Point, Polygon

    best, contour = ranking.best, ranking.contour
    assert best is not None and contour is not None
    part = Polygon(contour.outer, contour.holes).buffer(0.0)
    least = np.inf
    for place, push in zip(best.contacts_mm, best.force_directions, strict=True):
        line = part.intersection(LineString([place + 0.6 * push, place + 400.0 * push]))
        pieces = [piece for piece in getattr(line, "geoms", [line]) if piece.length > 0.0]
        if not pieces:
            return 0.0
        nearest = min(pieces, key=lambda piece: piece.distance(Point(place)))
        end = np.array(nearest.coords[-1])
        backed = np.linalg.norm(best.contacts_mm - end, axis=1).min() < 0.5 * best.scored.hand.fingertip_width
        least = least if backed else min(least, nearest.length + 0.6)
    return float(least)


def column(found: list[ShapeFigures]) -> dict[str, str]:
    """What -> figure, for one hand."""
    held = [f for f in found if f.grasps]
    fit = [f for f in found if WIDTHS[0] <= f.width <= WIDTHS[1]]

    def share(part: int, whole: int) -> str:
        return f"{part} of {whole} ({100.0 * part / max(whole, 1):.1f} %)"

    total, over = sum(f.grasps for f in held), f"{100 * MOVED:g} %"
    rows = {
        "shapes with a grasp": share(len(held), len(found)),
        f"of those {WIDTHS[0]:g} to {WIDTHS[1]:g} mm wide": share(sum(f.grasps > 0 for f in fit), len(fit)),
        "rank 1: all forces in their cones": share(sum(not f.first_outside for f in held), len(held)),
        "rank 1 outside, another inside": share(sum(f.first_outside and f.another_inside for f in held), len(held)),
        "ranked with an outward force": share(sum(f.ranked_outward for f in held), total),
        "ranked with a force outside its cone": share(sum(f.ranked_outside for f in held), total),
        "rank 1 reachable": share(sum(f.reachable for f in held), len(held)),
        f"rank 1 on a limb below {THIN:g} mm": share(sum(f.thin for f in held), len(held)),
    }
    changed = {f"turned {turn:g} deg": [f.turned[k] for f in found] for k, turn in enumerate(TURNS)}
    for words, after in (changed | {"as a mask": [f.mask for f in found]}).items():
        for k, name in enumerate(("Q", "score")):
            moved = sum(_moved(f.best[k], value[k]) for f, value in zip(found, after, strict=True))
            rows[f"best {name} moved over {over}, {words}"] = share(moved, len(found))
    times = np.percentile([f.seconds for f in found], [50.0, 95.0, 100.0])
    return rows | {"CPU time of plan: median / 95 % / worst": " / ".join(map(duration, times))}


def _moved(before: float, after: float) -> bool:
    """Whether a best Q moved, or is there before or after alone."""
    if np.isnan(before) or np.isnan(after):
        return bool(np.isnan(before) != np.isnan(after))
    return abs(after - before) > MOVED * abs(before)


def main() -> None:
    """Measure all hands and print one table; `--json` keeps the figures of every shape."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.grasps.silhouettes", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("folder", type=Path, help="folder with SVG icons")
    parser.add_argument("--count", type=int, default=240, help="how many icons (240)")
    parser.add_argument("--hands", default=",".join(HANDS), help="names of hands, separated by commas")
    parser.add_argument("--ranking", default=None, help="way of ranking, as in plan")
    parser.add_argument("--json", type=Path, default=None, help="where to keep the figures of every shape")
    given = parser.parse_args()
    settings = {} if given.ranking is None else {"rank": given.ranking}
    chosen = icons(given.folder, given.count)
    shapes = [(path.stem, rings(path, EXTENTS[k % len(EXTENTS)])) for k, path in enumerate(chosen)]
    kept: dict[str, list[ShapeFigures]] = {}
    for hand in given.hands.split(","):
        plan(drawn(shapes[0][1]), hand, SCALE, **settings)  # loads everything before the clock runs
        every = (figures(name, outlines, hand, **settings) for name, outlines in shapes if outlines)
        kept[hand] = [found for found in every if found is not None]
    columns = {hand: column(found) for hand, found in kept.items()}
    rows = [[what, *(figure[what] for figure in columns.values())] for what in next(iter(columns.values()))]
    extents = ", ".join(f"{extent:g}" for extent in EXTENTS)
    note = f"{given.count} icons, {extents} mm long in turn, {SCALE:g} mm per pixel."
    print(TextTable("Outside silhouettes", ("", *columns), rows, note).markdown())
    if given.json is not None:
        given.json.write_text(json.dumps({hand: [vars(f) for f in found] for hand, found in kept.items()}), "utf-8")


if __name__ == "__main__":
    main()

"""Closed outlines of an SVG drawing: paths, polygons, polylines, rectangles, circles and ellipses.

SVG's y points down; here it points up, so drawings come out as they look. A user unit is a millimetre unless the
drawing states its width in a physical unit beside a viewBox; a width alone does not make it a pixel of 25.4 / 96 mm,
as browsers would have it. Definitions and what is hidden do not count. Neither does the page's background: a white
rectangle without a stroke that covers the whole page (viewBox, or width and height), where there are other shapes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from ..checks import Array
from ..errors import FileError

#: Millimetres in SVG's physical units.
UNITS = {"mm": 1.0, "cm": 10.0, "in": 25.4, "pt": 25.4 / 72.0, "pc": 25.4 / 6.0}

#: Curves are replaced by this many chords, ellipses by twice as many.
CHORDS = 96

#: Numbers that each path command takes.
TAKES = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "S": 4, "Q": 4, "T": 2, "A": 7, "Z": 0}

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_FLAG = re.compile(r"[01]")
_TRANSFORM = re.compile(r"(matrix|translate|scale|rotate|skewX|skewY)\s*\(([^)]*)\)")
_FIX = "draw the part's border as one closed outline"

#: Elements whose shapes are not drawn where they stand.
NOT_DRAWN = ("defs", "clipPath", "mask", "symbol", "pattern", "marker")

#: A background is white, or nearly so: every channel at least this share.
PALE = 0.9

#: A background covers the page but for this share of its size.
COVERS = 1e-3


@dataclass(frozen=True)
class _Paint:
    """What a shape inherits: its fill and stroke, and whether it can be seen."""

    fill: str = "black"
    stroke: str = "none"
    visible: bool = True

    def of(self, element: ElementTree.Element) -> _Paint:
        """The paint of a child that has attributes or a style of its own."""
        own = {key: _property(element, key) for key in ("fill", "stroke", "visibility")}
        visible = own["visibility"] == "visible" if own["visibility"] else self.visible
        return _Paint(own["fill"] or self.fill, own["stroke"] or self.stroke, visible)

    @property
    def blank(self) -> bool:
        """Whether it cannot be told from white paper."""
        return self.stroke == "none" and (self.fill == "none" or _pale(self.fill))


def svg_rings(path: Path, text: str) -> list[Array]:
    """Closed rings (n, 2) [mm, y up] of a drawing."""
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise FileError(f"is not an SVG drawing: {error}", path=path, line=error.position[0], fix=_FIX) from None
    scale = _scale(path, root)
    page = _page(path, root)
    rings, backgrounds = [], []
    for element, matrix, paint in _elements(path, root, np.eye(3), _Paint()):
        for ring in _outlines(path, element, page):
            placed = ring @ matrix[:2, :2].T + matrix[:2, 2]
            if len(placed) > 2:
                kind = backgrounds if paint.blank and _covers(placed, page) else rings
                kind.append(placed * [scale, -scale])
    return rings or backgrounds


def _page(path: Path, root: ElementTree.Element) -> Array | None:
    """x, y, width and height of the page in user units; None where the drawing does not tell."""
    box = _numbers(path, root.get("viewBox", ""), "viewBox")
    if len(box) == 4:
        return np.array(box)
    found = [re.fullmatch(r"\s*([\d.]+)\s*(?:px)?\s*", root.get(key, "")) for key in ("width", "height")]
    sizes = [float(size.group(1)) for size in found if size is not None]
    return np.array([0.0, 0.0, *sizes]) if len(sizes) == 2 else None


def _covers(ring: Array, page: Array | None) -> bool:
    """Whether a ring is an upright rectangle that covers the page."""
    if page is None:
        return False
    low, high = ring.min(axis=0), ring.max(axis=0)
    slack = COVERS * page[2:]
    upright = ((np.abs(ring - low) <= slack) | (np.abs(ring - high) <= slack)).all()
    return bool(upright and (low <= page[:2] + slack).all() and (high >= page[:2] + page[2:] - slack).all())


def _property(element: ElementTree.Element, name: str) -> str:
    """A property in lower case, from the style or else the attribute; "" where neither has it."""
    found = re.search(rf"(?:^|;)\s*{name}\s*:\s*([^;]+)", element.get("style", ""))
    value = (found.group(1) if found else element.get(name, "")).replace("!important", "").strip().lower()
    return "" if value == "inherit" else value


def _pale(colour: str) -> bool:
    """Whether a colour is white or nearly so."""
    channels: list[float] = []
    if re.fullmatch(r"#[0-9a-f]{3}|#[0-9a-f]{6}", colour):
        width = len(colour) // 3
        channels = [int(colour[1 + k * width : 1 + (k + 1) * width], 16) / (16.0**width - 1.0) for k in range(3)]
    elif found := re.fullmatch(r"rgb\(\s*([\d.]+)(%?)[\s,]+([\d.]+)%?[\s,]+([\d.]+)%?\s*\)", colour):
        channels = [float(found.group(k)) / (100.0 if found.group(2) else 255.0) for k in (1, 3, 4)]
    return colour in ("white", "snow", "ivory", "whitesmoke") or bool(channels and min(channels) >= PALE)


def _scale(path: Path, root: ElementTree.Element) -> float:
    """Millimetres in a user unit."""
    found = re.fullmatch(r"\s*([\d.eE+-]+)\s*([a-z]+)\s*", root.get("width", ""))
    box = root.get("viewBox", "").replace(",", " ").split()
    if found is None or found.group(2) not in UNITS or len(box) != 4:
        return 1.0
    try:
        scale = float(found.group(1)) * UNITS[found.group(2)] / float(box[2])
    except (ValueError, ZeroDivisionError):
        scale = np.nan
    if not (np.isfinite(scale) and scale > 0.0):
        raise FileError("width and viewBox give no scale", path=path, field="viewBox", fix="give both as numbers")
    return scale


def _elements(
    path: Path, element: ElementTree.Element, matrix: Array, paint: _Paint
) -> Iterator[tuple[ElementTree.Element, Array, _Paint]]:
    """Drawn elements with the transform that places them and their paint."""
    name = element.tag.rsplit("}", 1)[-1] if isinstance(element.tag, str) else ""
    if name in NOT_DRAWN or _property(element, "display") == "none":
        return
    own = paint.of(element)
    placed = matrix @ _transform(path, element.get("transform", ""))
    if name == "use" and own.visible:
        target = next((value for key, value in element.attrib.items() if key.rsplit("}", 1)[-1] == "href"), "")
        fix = "unlink clones and symbols, so that the shape itself stands in the drawing"
        raise FileError(f"cannot follow <use> of {target!r}", path=path, field="use", fix=fix)
    if own.visible:
        yield element, placed, own
    for child in element:
        yield from _elements(path, child, placed, own)


def _transform(path: Path, text: str) -> Array:
    """The matrix (3, 3) of a transform attribute."""
    result = np.eye(3)
    for kind, inside in _TRANSFORM.findall(text):
        v = _numbers(path, inside, "transform")
        if kind == "matrix" and len(v) == 6:
            step = np.array([[v[0], v[2], v[4]], [v[1], v[3], v[5]], [0.0, 0.0, 1.0]])
        elif kind == "translate" and len(v) in (1, 2):
            step = np.array([[1.0, 0.0, v[0]], [0.0, 1.0, v[1] if len(v) > 1 else 0.0], [0.0, 0.0, 1.0]])
        elif kind == "scale" and len(v) in (1, 2):
            step = np.diag([v[0], v[-1], 1.0])
        elif kind == "rotate" and len(v) in (1, 3):
            c, s = np.cos(np.radians(v[0])), np.sin(np.radians(v[0]))
            x, y = v[1:] if len(v) == 3 else (0.0, 0.0)
            step = np.array([[c, -s, x - c * x + s * y], [s, c, y - s * x - c * y], [0.0, 0.0, 1.0]])
        else:
            raise FileError(f"cannot follow {kind}({inside})", path=path, field="transform", fix="flatten transforms")
        result = result @ step
    return result


def _numbers(path: Path, text: str, name: str) -> list[float]:
    """Numbers separated by commas or blanks."""
    try:
        return [float(value) for value in text.replace(",", " ").split()]
    except ValueError:
        raise FileError(f"is not a list of numbers: {text[:40]!r}", path=path, field=name, fix=_FIX) from None


def _outlines(path: Path, element: ElementTree.Element, page: Array | None) -> list[Array]:
    """Closed outlines of one element in its own coordinates, y down; shares of the page are allowed as lengths."""
    name = element.tag.rsplit("}", 1)[-1] if isinstance(element.tag, str) else ""

    def value(key: str) -> float:
        text = re.sub(r"(mm|px|auto)$", "", element.get(key, "0").strip())
        share = text.endswith("%") and page is not None
        number = (_numbers(path, text.removesuffix("%") if share else text, key) or [0.0])[0]
        if share and page is not None:
            number *= float(page[2 if key in ("x", "width", "cx", "rx") else 3]) / 100.0
        return number

    if name == "path":
        return list(path_outlines(path, element.get("d", "")))
    if name in ("polygon", "polyline"):
        flat = _numbers(path, element.get("points", ""), "points")
        if len(flat) % 2:
            raise FileError("has an odd number of values", path=path, field="points", fix="give x and y of each point")
        return [np.array(flat).reshape(-1, 2)]
    if name == "rect":
        x, y, w, h = (value(key) for key in ("x", "y", "width", "height"))
        across, down = value("rx"), value("ry")
        across, down = (across if element.get("rx") else down), (down if element.get("ry") else across)
        return [_rounded(np.array([x, y]), np.array([w, h]), np.clip([across, down], 0.0, [w / 2.0, h / 2.0]))]
    if name in ("circle", "ellipse"):
        across, down = (value("r"), value("r")) if name == "circle" else (value("rx"), value("ry"))
        turn = 2.0 * np.pi * np.arange(2 * CHORDS) / (2 * CHORDS)
        return [np.column_stack([value("cx") + across * np.cos(turn), value("cy") + down * np.sin(turn)])]
    return []


def _rounded(corner: Array, size: Array, radii: Array) -> Array:
    """A rectangle whose corners are quarters of an ellipse."""
    signs = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    if (radii == 0.0).any():
        return corner + size / 2.0 * (1.0 + signs)
    turn = np.pi / 2.0 * (np.arange(CHORDS // 2 + 1) / (CHORDS // 2) + np.arange(2, 6)[:, None])
    arcs = np.stack([np.cos(turn), np.sin(turn)], axis=2) * radii  # from the left, clockwise as it looks
    return (corner + size / 2.0 + (signs * (size / 2.0 - radii))[:, None] + arcs).reshape(-1, 2)


def path_outlines(path: Path, data: str) -> Iterator[Array]:
    """Subpaths of a path's `d` as points (n, 2), each closed whether it says so or not."""
    points: list[Array] = []
    here, start, control, before = np.zeros(2), np.zeros(2), np.zeros(2), ""
    for command, v in _commands(path, data):
        kind, base = command.upper(), here if command.islower() else np.zeros(2)
        if kind == "M":
            if len(points) > 2:
                yield np.array(points)
            here = start = base + v
            points = [here]
        elif kind == "Z":
            here = start
            if len(points) > 2:
                yield np.array(points)
            points = [here]
        elif kind in "LHV":
            x = here[0] if kind == "V" else base[0] + v[0]
            y = here[1] if kind == "H" else base[1] + v[-1]
            here = np.array([x, y])
            points.append(here)
        elif kind == "A":
            end = base + v[5:7]
            points.extend(_arc(here, end, v))
            here = end
        else:
            knots = (base + v.reshape(-1, 2)).tolist()
            if kind in "ST":
                smooth = before in ("CS" if kind == "S" else "QT")
                knots.insert(0, (2.0 * here - control if smooth and before else here).tolist())
            curve = np.array([here.tolist(), *knots])
            points.extend(_bezier(curve))
            control, here = curve[-2], curve[-1]
        before = kind
    if len(points) > 2:
        yield np.array(points)


def _commands(path: Path, data: str) -> Iterator[tuple[str, Array]]:
    """Path commands with the numbers they take; repeated numbers repeat the command (after M as L)."""
    command, numbers, at = "", [], 0
    while at < len(data):
        if data[at].isspace() or data[at] == ",":
            at += 1
            continue
        if data[at].upper() in TAKES:
            if numbers:
                raise FileError(f"{command} has too few numbers", path=path, field="d", fix=_FIX)
            if not command and data[at] not in "Mm":
                raise FileError(f"begins with {data[at]!r}", path=path, field="d", fix="begin with M x y")
            command = data[at]
            at += 1
            if command in "Zz":
                yield command, np.empty(0)
            continue
        # the two flags of an arc are single digits that may stand without separators
        found = (_FLAG if command in ("A", "a") and len(numbers) in (3, 4) else _NUMBER).match(data, at)
        if found is None or not command or command in "Zz":
            raise FileError(f"does not understand {data[at : at + 12]!r}", path=path, field="d", fix="begin with M x y")
        numbers.append(float(found.group()))
        at = found.end()
        if len(numbers) == TAKES[command.upper()]:
            yield command, np.array(numbers)
            numbers = []
            command = {"M": "L", "m": "l"}.get(command, command)
    if numbers:
        raise FileError(f"{command} has too few numbers", path=path, field="d", fix=_FIX)


def _bezier(knots: Array) -> list[Array]:
    """Points of a quadratic or cubic curve after its first knot, by De Casteljau's construction."""
    share = (np.arange(1, CHORDS + 1) / CHORDS)[:, None, None]
    level = np.broadcast_to(knots, (CHORDS, *knots.shape))
    while level.shape[1] > 1:
        level = level[:, :-1] * (1.0 - share) + level[:, 1:] * share
    return list(level[:, 0])


def _arc(start: Array, end: Array, v: Array) -> list[Array]:
    """Points of an elliptic arc after its start (rx, ry, rotation, large arc, sweep), its centre found first."""
    radii, turn = np.abs(v[:2]), np.radians(v[2])
    if (radii == 0.0).any() or np.array_equal(start, end):
        return [end]
    basis = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    half = basis.T @ (start - end) / 2.0 / radii  # on the unit circle
    size = float(half @ half)
    if size > 1.0:
        radii, half, size = radii * np.sqrt(size), half / np.sqrt(size), 1.0
    sign = -1.0 if bool(v[3]) == bool(v[4]) else 1.0
    centre = sign * np.sqrt(max(1.0 / size - 1.0, 0.0)) * np.array([half[1], -half[0]])
    first = np.arctan2(*(half - centre)[::-1])
    sweep = (np.arctan2(*(-half - centre)[::-1]) - first) % (2.0 * np.pi)
    if not v[4]:
        sweep -= 2.0 * np.pi
    angles = first + sweep * np.arange(1, CHORDS + 1) / CHORDS
    middle = (start + end) / 2.0 + basis @ (centre * radii)
    points = middle + (np.column_stack([np.cos(angles), np.sin(angles)]) * radii) @ basis.T
    points[-1] = end
    return list(points)

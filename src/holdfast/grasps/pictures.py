"""Pictures of parts: grey values of files and arrays, segmentation of the object, its contour; and painted outlines.

`read_image` reads files of any common format and arrays of any common kind. `segment` blurs the picture as strongly as
its noise requires, applies Otsu's threshold, labels connected components and finds the half level of the border.
`trace` follows that level to a fraction of a pixel. `coverage` does the reverse: the share of each pixel that outlines
cover. Otsu's threshold is computed here and not by skimage.filters because the separation of the classes is needed too:
pictures without an object are refused by it.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ..checks import Array, BoolArray, IntArray, array, count, number, positive
from ..errors import FileError, InputError, UnknownNameError, missing_extra
from .contours import LARGEST_PART, Contour, checked_scale
from .labels import labelled
from .mask_boundary import two_level

#: Weights of red, green and blue in a grey value (ITU-R BT.601).
LUMA = np.array([0.299, 0.587, 0.114])

#: Smallest width and height [px] of a picture that can show a part.
FEWEST_PIXELS = 8

#: Most pixels a picture may have; a part needs no more, and more would fill the memory.
MOST_PIXELS = 100_000_000

#: A picture has a see-through background when its opacity falls below and rises above this.
HALF_OPAQUE = 0.5

#: A colour channel takes the place of brightness when object and background are this many times further apart in it.
MUCH_FURTHER = 2.0

#: Pixels looked at to choose it.
COLOUR_PIXELS = 40_000

#: Largest value of the unsigned integers pictures are stored in.
_FULL = {np.dtype(np.uint8): 255.0, np.dtype(np.uint16): 65535.0, np.dtype(np.bool_): 1.0}


def read_image(picture: str | Path | ArrayLike) -> Array:
    """Grey values (h, w) between 0 (black) and 1 (white) of a picture file or array.

    Files may be PNG, JPEG or anything else Pillow reads, of 8 or 16 bits, turned as their EXIF data says. Arrays may
    be (h, w), (h, w, 3) or (h, w, 4): bool, uint8, uint16, or numbers, which are scaled by their own range when they
    leave 0..1. Unsigned values of 0 and 1 alone are a mask, as bool ones are. Where part of the picture is see-through
    its opacity is what counts: the part is opaque (bright). Colours count by their brightness, or by the one of red,
    green and blue that tells object from background far better, as for a red part on a green table.
    """
    if isinstance(picture, (str, os.PathLike)):
        path = Path(os.fspath(picture))
        return _grey(_decoded(path), str(path))
    try:
        values = np.asarray(picture)
    except ValueError as error:
        raise InputError(f"is not an array of numbers: {error}", where="image", fix=_SHAPES) from None
    return _grey(values, "image")


_SHAPES = "give grey values (h, w), colours (h, w, 3) or colours with opacity (h, w, 4)"


def _decoded(path: Path) -> Array:
    """The pixels of a file, as its codec stores them."""
    try:
        from PIL import Image, ImageOps, UnidentifiedImageError
    except ImportError:
        raise missing_extra("Pillow", "grasps", purpose="a picture file") from None

    fix = "give a whole picture file, for instance PNG or JPEG"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(path) as opened:
                if opened.width * opened.height > MOST_PIXELS:
                    raise FileError(
                        f"has {opened.width} x {opened.height} pixels",
                        path=path,
                        fix=f"shrink or crop it to at most {MOST_PIXELS:,} pixels",
                    )
                opened.load()
                turned = ImageOps.exif_transpose(opened)
                return np.asarray(_plain(turned))
    except FileNotFoundError:
        raise FileError("there is no such file", path=path, fix="check the path of the picture") from None
    except IsADirectoryError:
        raise FileError("is a folder", path=path, fix=fix) from None
    except UnidentifiedImageError:
        raise FileError("is not a picture in a known format", path=path, fix=fix) from None
    except Image.DecompressionBombError as error:
        raise FileError(f"is too large: {error}", path=path, fix="shrink or crop it") from None
    except (OSError, ValueError, SyntaxError, EOFError, IndexError, TypeError) as error:
        # codecs report truncated and damaged files in all of these ways
        raise FileError(f"cannot be read, it is truncated or damaged: {error}", path=path, fix=fix) from None


def _plain(image: Any) -> Any:
    """The picture as grey, RGB or RGBA values: palettes looked up, other colour spaces converted."""
    if image.mode in ("1", "L", "RGB", "RGBA", "F", "I", "LA") or image.mode.startswith("I;16"):
        return image.convert("RGBA") if image.mode == "LA" else image
    see_through = "transparency" in image.info or image.mode in ("PA", "La", "RGBa")
    return image.convert("RGBA" if see_through else "RGB")


def _grey(values: Array, where: str) -> Array:
    """Grey values (h, w) in 0..1 of pixels of any accepted kind."""
    if values.size == 0:
        raise InputError(f"is empty: its shape is {values.shape}", where=where, fix=_SHAPES)
    if values.dtype.kind not in "buif":
        raise InputError(f"holds {values.dtype.name} values", where=where, fix=_SHAPES)
    if values.ndim == 3 and values.shape[2] == 1:
        values = values[:, :, 0]
    if not (values.ndim == 2 or (values.ndim == 3 and values.shape[2] in (3, 4))):
        raise InputError(f"has shape {values.shape}", where=where, fix=_SHAPES)
    if min(values.shape[:2]) < FEWEST_PIXELS or values.shape[0] * values.shape[1] > MOST_PIXELS:
        raise InputError(
            f"has {values.shape[1]} x {values.shape[0]} pixels",
            where=where,
            fix=f"give at least {FEWEST_PIXELS} pixels each way and at most {MOST_PIXELS:,} in all",
        )
    scaled = _scaled(values, where)
    if scaled.ndim == 2:
        return scaled
    if scaled.shape[2] == 4:
        opacity = scaled[:, :, 3]
        if opacity.min() < HALF_OPAQUE < opacity.max():
            return np.ascontiguousarray(opacity)
    return _told_apart(scaled)


def _told_apart(colours: Array) -> Array:
    """Brightness (h, w) of colours (h, w, 3 or 4), or the channel in which two classes stand much further apart."""
    stride = max(int(np.sqrt(colours.shape[0] * colours.shape[1] / COLOUR_PIXELS)), 1)
    some = colours[::stride, ::stride, :3].reshape(-1, 3)
    apart = [between_classes(some[:, k]) for k in range(3)]
    best = int(np.argmax(apart))
    if apart[best] > MUCH_FURTHER**2 * between_classes(some @ LUMA):
        return np.ascontiguousarray(colours[:, :, best])
    return colours[:, :, :3] @ LUMA


def _scaled(values: Array, where: str) -> Array:
    """Values in 0..1: unsigned integers by their type's range, others by their own where they leave 0..1."""
    full = _FULL.get(values.dtype)
    if full is not None:
        return values * 1.0 if values.max() <= 1 else values * (1.0 / full)
    floats = values.astype(np.float64)
    low, high = float(floats.min()), float(floats.max())
    if not (np.isfinite(low) and np.isfinite(high)):
        index = tuple(int(i) for i in np.argwhere(~np.isfinite(floats))[0])
        raise InputError(
            f"is {floats[index]}", where=f"{where}[{', '.join(map(str, index))}]", fix="give finite grey values"
        )
    if low >= 0.0 and high <= 1.0:
        return floats
    if low == high:
        return np.full(floats.shape, HALF_OPAQUE)
    return (floats - low) / (high - low)


#: Lines on which each row of pixels is sampled; along a line the cover is exact.
LINES = 16


def coverage(outlines: Sequence[Array], shape: tuple[int, int], mm_per_px: float) -> Array:
    """Share (h, w) of each pixel that lies inside `outlines`, from 0 to 1.

    The outlines (n, 2) [mm] are closed; what runs counter-clockwise is filled, what runs clockwise inside it is left
    out. The origin is the middle of the picture and y points up. Each row of pixels is cut by `LINES` horizontal
    lines; on each of them the covered length of every pixel is exact.
    """
    height, width = shape
    total = np.zeros((height, width + 2))
    for outline in outlines:
        _add(total, outline / mm_per_px, height, width)
    return np.clip(np.cumsum(total, axis=1)[:, :width], 0.0, 1.0)


def _add(total: Array, points: Array, height: int, width: int) -> None:
    """Add the crossings of one outline in pixels; the running sum of a row is then the covered share of its pixels."""
    column = points[:, 0] + 0.5 * width  # left edge of the picture at 0
    line = (0.5 * height - points[:, 1]) * LINES - 0.5  # line number k lies at k
    start, end = line, np.roll(line, -1)
    left, right = column, np.roll(column, -1)
    low, high = np.minimum(start, end), np.maximum(start, end)
    first = np.maximum(np.ceil(low), 0.0).astype(np.int64)
    last = np.minimum(np.ceil(high) - 1.0, height * LINES - 1.0).astype(np.int64)  # a corner on a line counts once
    count = np.maximum(last - first + 1, 0)
    side = np.repeat(np.arange(len(points)), count)
    at = np.arange(len(side)) - np.repeat(np.cumsum(count) - count, count) + first[side]
    share = (at - start[side]) / (end[side] - start[side])
    x = np.clip(left[side] + share * (right[side] - left[side]), 0.0, float(width))
    # Counter-clockwise outlines run down (line numbers grow) on their left, where the inside begins.
    weight = np.where(end[side] > start[side], 1.0, -1.0) / LINES
    cell = np.floor(x).astype(np.int64)
    inside = x - cell
    row = at // LINES
    np.add.at(total, (row, cell), weight * (1.0 - inside))
    np.add.at(total, (row, cell + 1), weight * inside)


#: Otsu's two classes are object and background when their means differ by this many standard deviations within them.
#: One Gaussian cut in two reaches 2.65, an even ramp 3.46.
LEAST_SEPARATION = 4.5

#: Pictures whose grey values span less than this share of the grey scale are faint: their own range counts.
FAINT = 0.25

#: Ranges below this share of the largest grey value are rounding: the picture is blank.
BLANK = 1e-12

#: Blurred pictures whose values span less than this have no classes; the range of one that is not blank is far above.
EVEN = 1e-4

#: Least and most standard deviation [px] of a blur that the noise decides.
LEAST_BLUR = 1.0
MOST_BLUR = 3.0

#: Noise of this share of the contrast asks for no more than the least blur.
CALM_NOISE = 0.15

#: Pixels looked at for the noise, and the upper quartile of a standard normal variable.
NOISE_PIXELS = 60_000
NORMAL_QUARTILE = 0.6745

#: Grey values that thresholds are chosen among.
BINS = 512

#: Pixels looked at for the median of a class.
MEDIAN_PIXELS = 40_000


def thresholded(grey: Array, blur: float | None) -> tuple[Array, float, float]:
    """The blurred picture, Otsu's threshold and the separation of its classes; noisy pictures are blurred more."""
    from .level_lines import blurred

    field = blurred(grey, LEAST_BLUR if blur is None else positive("blur", blur, unit="px", high=50.0))
    level, separation = otsu(field)
    if blur is None and separation > 0.0:
        contrast = median_of(field, field > level) - median_of(field, field <= level)
        wanted = min(LEAST_BLUR * noise_of(grey) / (CALM_NOISE * contrast), MOST_BLUR)
        if wanted > LEAST_BLUR:
            field = blurred(grey, wanted)
            level, separation = otsu(field)
    return field, level, separation


def stretched(grey: Array) -> Array:
    """The picture, a faint one stretched to 0..1 by its own range; whether that shows more than noise comes later."""
    low, high = float(grey.min()), float(grey.max())
    if high - low >= FAINT or high - low <= BLANK * max(abs(low), abs(high)):
        return grey
    return (grey - low) / (high - low)


def noise_of(grey: Array) -> float:
    """Standard deviation of the noise on each pixel, from second differences along some rows: edges hardly count."""
    rows = grey[:: max(grey.size // NOISE_PIXELS, 1)]
    if rows.shape[1] < 3:
        return 0.0
    bends = np.abs(rows[:, :-2] - 2.0 * rows[:, 1:-1] + rows[:, 2:])
    return float(np.median(bends)) / (NORMAL_QUARTILE * np.sqrt(6.0))


def histogram(field: Array, low: float, high: float, bins: int) -> IntArray:
    """Number of pixels of a picture (h, w) in each of `bins` equal bins from `low` to `high`, its least and largest."""
    counts = np.bincount(((field - low) * (bins / (high - low))).astype(np.int32).ravel(), minlength=bins + 1)
    counts[bins - 1] += counts[bins]  # the largest value belongs to the last bin
    return counts[:bins]


def otsu(field: Array) -> tuple[float, float]:
    """Otsu's threshold, and how many standard deviations within the classes their means stand apart (0: blank)."""
    low, high = float(field.min()), float(field.max())
    if high - low < EVEN:
        return (low + high) / 2.0, 0.0
    counts = histogram(field, low, high, BINS).astype(np.float64)
    width = (high - low) / BINS
    centres = low + width * (np.arange(BINS) + 0.5)
    below, above, apart, between = _classes(counts, centres)
    total = float(counts @ centres)
    # an empty valley is a plateau: its middle is the safest threshold
    top = np.flatnonzero(between >= between.max() * (1.0 - 1e-12))
    best = int(top[len(top) // 2])
    share = below[best] * above[best] / counts.sum() ** 2
    overall = float(counts @ (centres - total / counts.sum()) ** 2) / counts.sum()
    within = max(overall - share * apart[best] ** 2, width**2 / 12.0)
    return float(centres[best] + width / 2.0), float(apart[best] / np.sqrt(within))


def between_classes(values: Array) -> float:
    """Otsu's variance between the two classes that part some grey values best; 0 where all are equal."""
    low, high = float(values.min()), float(values.max())
    if low == high:
        return 0.0
    counts, edges = np.histogram(values, bins=BINS, range=(low, high))
    between = _classes(counts.astype(np.float64), (edges[:-1] + edges[1:]) / 2.0)[3]
    return float(between.max()) / len(values) ** 2


def _classes(counts: Array, centres: Array) -> tuple[Array, Array, Array, Array]:
    """For each cut between two bins: numbers below and above, distance of the means, n^2 times the variance between."""
    below = np.cumsum(counts)[:-1]
    above = counts.sum() - below
    moment = np.cumsum(counts * centres)[:-1]
    total = float(counts @ centres)
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = (total - moment) / above - moment / below
        between = np.where((below > 0) & (above > 0), below * above * apart**2, -1.0)
    return below, above, apart, between


def median_of(field: Array, chosen: BoolArray) -> float:
    """Median grey value of a class, from a share of its pixels: ramps at borders do not move it."""
    stride = max(field.size // (4 * MEDIAN_PIXELS), 1)
    values = field.ravel()[::stride][chosen.ravel()[::stride]]
    if len(values) < MEDIAN_PIXELS // 16:
        values = field[chosen]
        values = values[:: max(len(values) // MEDIAN_PIXELS, 1)]
    return float(np.median(values))


#: Which side of the threshold objects are on; "auto" takes the one that the picture's edge is not on.
POLARITIES = ("auto", "dark", "bright")

#: Holes of fewer pixels than this are specks, and filled.
SMALLEST_HOLE = 12

#: Most objects that a message lists.
MOST_LISTED = 8

#: Pixels kept around an object, so that its border can be walked around.
FRAME = 2


@dataclass(frozen=True)
class Component:
    """One object of a picture.

    Attributes:
        area: its area [mm^2], counted in pixels, holes taken off.
        centre: (x, y) [mm] of its pixels' mean.
        touches_border: whether the picture's edge cuts it.
    """

    area: float
    centre: tuple[float, float]
    touches_border: bool


@dataclass(frozen=True, eq=False)
class Segmentation:
    """The chosen object of a picture, cut out with a frame of background.

    Attributes:
        shape: height and width [px] of the whole picture.
        corner: row and column [px] of the cut-out's first pixel.
        mask: (h, w) pixels of the object within the cut-out.
        field: (h, w) blurred grey values of the cut-out, float32; those of a faint picture stretched to 0..1.
        level: Otsu's threshold in these values.
        half_level: value midway between object and background, where the contour lies.
        polarity: "dark" or "bright": the object beside its background.
        components: all objects at least as large as a fingertip, the largest first.
        chosen: which of them this is.
        starts: (row, column, side) in the cut-out where the walk around the outer border and each hole begins.
        two_level: whether the picture jumps between two levels along the border, without pixels in between.
    """

    shape: tuple[int, int]
    corner: tuple[int, int]
    mask: BoolArray
    field: Array
    level: float
    half_level: float
    polarity: Literal["dark", "bright"]
    components: tuple[Component, ...]
    chosen: int
    starts: tuple[tuple[int, int, int], ...]
    two_level: bool = False


def segment(
    grey: Array,
    object: str = "auto",
    pick: ArrayLike | None = None,
    index: int = 0,
    *,
    mm_per_px: float = 1.0,
    fingertip: float = 8.0,
    blur: float | None = None,
) -> Segmentation:
    """The object of a grey picture (h, w).

    Args:
        grey: grey values; see `pictures.read_image`.
        object: "dark" or "bright" beside the background; "auto" takes what the picture's edge is not.
        pick: (x, y) [mm] of a point on the wanted object or in one of its holes; overrides `index`.
        index: which object is wanted, 0 the largest.
        mm_per_px: millimetres that a pixel covers.
        fingertip: objects whose area is below that of a disc of this diameter [mm] do not count.
        blur: standard deviation [px] of the blur against noise; chosen by the picture's noise when not given.
    """
    scale = checked_scale(mm_per_px)
    if object not in POLARITIES:
        raise UnknownNameError("polarity", str(object), POLARITIES, where="object")
    values = stretched(array_2d(grey))
    field, level, separation = thresholded(values, blur)
    if separation < LEAST_SEPARATION:
        raise InputError(
            "shows no object: its grey values do not fall into object and background",
            where="image",
            fix="give a picture of a part on an even, contrasting background",
        )
    bright = field > level
    if object == "auto":
        edge = np.concatenate([bright[0], bright[-1], bright[:, 0], bright[:, -1]])
        polarity = "dark" if edge.mean() > 0.5 else "bright"
    else:
        polarity = "bright" if object == "bright" else "dark"
    inside = bright if polarity == "bright" else ~bright
    ours, others = median_of(field, inside), median_of(field, ~inside)
    half = (ours + others) / 2.0
    # the object's pixels are those beyond the half level, so that every border pixel pair straddles it
    inside = field > half if polarity == "bright" else field < half
    labels, boxes, components, numbers = _components(inside, scale, fingertip)
    chosen = _chosen(labels, components, numbers, scale, pick, index)
    if components[chosen].touches_border:
        raise InputError(
            f"object {chosen} touches the picture's border: a part of it is out of sight",
            where="image",
            fix=f"show the whole part with some background around it, or take another object; {_listed(components)}",
        )
    corner, mask, cut = _cut_out(labels, boxes, int(numbers[chosen]), field)
    whole = values[corner[0] : corner[0] + mask.shape[0], corner[1] : corner[1] + mask.shape[1]]
    return Segmentation(
        shape=(field.shape[0], field.shape[1]),
        corner=corner,
        mask=mask,
        field=cut,
        level=level,
        half_level=half,
        polarity=polarity,
        components=components,
        chosen=chosen,
        starts=_starts(mask),
        two_level=two_level(whole, mask, abs(ours - others)),
    )


def array_2d(grey: Any) -> Array:
    """Grey values as a finite array (h, w) that is not empty."""
    values = np.asarray(grey)
    if values.ndim != 2 or values.size == 0 or values.dtype.kind not in "fiub":
        raise InputError(
            f"has shape {values.shape} of {values.dtype.name}",
            where="grey",
            fix="give grey values (h, w); read pictures with holdfast.grasps.pictures.read_image",
        )
    if not np.isfinite(values.sum(dtype=np.float64)):
        return array("grey", values, ("h", "w"))  # says where
    return values if values.dtype.kind == "f" else values.astype(np.float64)


def _components(
    inside: BoolArray, scale: float, fingertip: float
) -> tuple[IntArray, list[tuple[slice, slice]], tuple[Component, ...], IntArray]:
    """Labels (h, w) and their boxes, the objects at least as large as a fingertip, largest first, and their labels."""
    labels, boxes = labelled(inside)
    smallest = np.pi / 4.0 * positive("fingertip", fingertip, unit="mm") ** 2
    areas = np.bincount(labels.ravel(), minlength=len(boxes) + 1)[1:] * scale**2
    numbers = 1 + np.argsort(-areas, kind="stable")
    numbers = numbers[areas[numbers - 1] >= smallest]
    if not len(numbers):
        largest = float(areas.max()) if boxes else 0.0
        raise InputError(
            f"shows no object as large as a fingertip: the largest has {largest:.3g} mm^2 at {scale:g} mm/px",
            where="image",
            fix=f"objects need at least {smallest:.3g} mm^2; check mm_per_px, or come nearer with the camera",
        )
    border = np.unique(np.concatenate([labels[0], labels[-1], labels[:, 0], labels[:, -1]]))
    height, width = inside.shape
    components = []
    for label in numbers:
        box = boxes[label - 1]
        own = labels[box] == label
        row = box[0].start + float(own.sum(axis=1) @ np.arange(own.shape[0])) / own.sum()
        column = box[1].start + float(own.sum(axis=0) @ np.arange(own.shape[1])) / own.sum()
        centre = ((column - (width - 1) / 2.0) * scale, ((height - 1) / 2.0 - row) * scale)
        components.append(Component(float(areas[label - 1]), centre, bool(label in border)))
    return labels, boxes, tuple(components), numbers


def _chosen(
    labels: IntArray,
    components: tuple[Component, ...],
    numbers: IntArray,
    scale: float,
    pick: ArrayLike | None,
    index: int,
) -> int:
    """Position in `components` of the object that is wanted."""
    if pick is None:
        wanted = count("index", index, low=0)
        if wanted >= len(components):
            raise InputError(f"is {wanted}", where="index", fix=_listed(components))
        return wanted
    from scipy import ndimage

    x, y = array("pick", pick, (2,))
    height, width = labels.shape
    row = round((height - 1) / 2.0 - number("pick", y) / scale)
    column = round(x / scale + (width - 1) / 2.0)
    if not (0 <= row < height and 0 <= column < width):
        raise InputError(f"({x:g}, {y:g}) mm is outside the picture", where="pick", fix=_listed(components))
    if labels[row, column] in numbers:
        return int(np.flatnonzero(numbers == labels[row, column])[0])
    # in a hole: the smallest object that surrounds the point
    for position in reversed(range(len(components))):
        if np.asarray(ndimage.binary_fill_holes(labels == numbers[position]))[row, column]:
            return position
    raise InputError(f"({x:g}, {y:g}) mm is on no object", where="pick", fix=_listed(components))


def _listed(components: tuple[Component, ...]) -> str:
    """The objects in words, for messages."""
    shown = []
    for i, c in enumerate(components[:MOST_LISTED]):
        cut = " (cut by the border)" if c.touches_border else ""
        shown.append(f"{i} at ({c.centre[0]:.0f}, {c.centre[1]:.0f}) mm, {c.area:.0f} mm^2{cut}")
    more = f" and {len(components) - MOST_LISTED} more" if len(components) > MOST_LISTED else ""
    return f"objects, largest first: {'; '.join(shown)}{more}"


def _cut_out(
    labels: IntArray, boxes: list[tuple[slice, slice]], label: int, field: Array
) -> tuple[tuple[int, int], BoolArray, Array]:
    """Corner, mask and grey values around one object."""
    box = boxes[label - 1]
    rows = slice(max(box[0].start - FRAME, 0), box[0].stop + FRAME)
    columns = slice(max(box[1].start - FRAME, 0), box[1].stop + FRAME)
    mask = labels[rows, columns] == label
    return (rows.start, columns.start), mask, np.ascontiguousarray(field[rows, columns])


def _starts(mask: BoolArray) -> tuple[tuple[int, int, int], ...]:
    """Where the walks around the outer border and around each hole begin: (row, column, side).

    The first pixel of the object, in reading order, has background to the north (side 1). The first pixel of a hole
    has the object to its north, which has the hole to the south (side 3). Specks are no holes.
    """
    background, boxes = labelled(~mask, diagonal=True)
    sizes = np.bincount(background.ravel(), minlength=len(boxes) + 1)
    top, left = divmod(int(np.argmax(mask)), mask.shape[1])
    starts = [(top, left, 1)]
    for label, box in enumerate(boxes, start=1):
        if label == background[0, 0] or sizes[label] < SMALLEST_HOLE:
            continue
        row = box[0].start
        column = box[1].start + int(np.argmax(background[row, box[1]] == label))
        starts.append((row - 1, column, 3))
    return tuple(starts)


def trace(segmentation: Segmentation, mm_per_px: float = 1.0) -> Contour:
    """The segmented object's contour [mm] to a fraction of a pixel: where the blurred picture crosses the half level.

    A pixel (row, col) lies at x = (col - (w - 1)/2) s, y = ((h - 1)/2 - row) s with s = `mm_per_px`. Rings are the
    level lines of the bilinear picture through the pixel centres; they never cross themselves. In a picture of two
    levels, a mask, they are then settled between the pixel centres; see `staircases`.
    """
    scale = checked_scale(mm_per_px)
    from .level_lines import traced_ring
    from .mask_boundary import settled

    rows, columns = segmentation.shape
    centre = np.array([(rows - 1) / 2.0, (columns - 1) / 2.0])
    corner = np.array(segmentation.corner, dtype=np.float64)
    rings = []
    for start in segmentation.starts:
        ring = traced_ring(segmentation.mask, segmentation.field, segmentation.half_level, *start)
        if segmentation.two_level:
            ring = settled(ring)
        ring = ring + (corner - centre)
        points = np.column_stack([ring[:, 1], -ring[:, 0]]) * scale
        points.setflags(write=False)
        rings.append(points)
    outer, *holes = rings
    extent = float(np.ptp(outer, axis=0).max())
    if extent > LARGEST_PART:
        raise InputError(
            f"makes the part {extent:g} mm wide",
            where="mm_per_px",
            fix=f"give the millimetres one pixel covers; parts of up to {LARGEST_PART:g} mm are accepted",
        )
    return Contour(outer, tuple(holes))

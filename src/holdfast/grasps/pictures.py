"""Pictures of parts: grey values of files and arrays, segmentation of the object, its contour; painted outlines.

`read_image` and `read_photograph` read files of any common format and arrays of any common kind. `segment` blurs the
picture as strongly as its noise requires, applies Otsu's threshold, labels connected components and finds the half
level of the border. If the confidence is low, `photographs` searches objects by colour and against an uneven
background. The result with the higher confidence is taken, and one with a low confidence is refused. `trace` follows
the half level to a fraction of a pixel. `coverage` does the reverse: the share of each pixel that outlines cover.
Otsu's threshold is computed here and not by skimage.filters because the separation of the classes is also needed:
it is used to refuse pictures without an object.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ..checks import Array, BoolArray, IntArray, array, count, number, positive
from ..errors import FileError, InputError, UnknownNameError, missing_extra
from ..inputs import checked_path, plain_file
from ..public_names import with_advice
from .contours import LARGEST_PART, Contour, checked_scale
from .labels import labelled
from .mask_boundary import two_level

if TYPE_CHECKING:
    from .photographs import FoundObject, Measures, Photograph

#: Weights of red, green and blue in a grey value (ITU-R BT.601).
LUMA = np.array([0.299, 0.587, 0.114])

#: Smallest width and height [px] of a picture that can show a part.
FEWEST_PIXELS = 8

#: Most pixels a picture may have: a part needs no more, and the memory taken stays below 1 GB.
MOST_PIXELS = 25_000_000

#: Largest picture file [bytes], and the formats that are read; others, such as EPS, would start another program.
LARGEST_PICTURE = 256 * 1024 * 1024
FORMATS = ("PNG", "JPEG", "WEBP", "AVIF", "TIFF", "BMP", "DIB", "GIF", "JPEG2000", "PPM", "TGA", "PCX", "QOI", "SGI")

#: A picture has a transparent background if its opacity is below this on at least this fraction of its pixels, and of
#: its border, and above it on at least this fraction.
HALF_OPAQUE = 0.5
LEAST_OPAQUE = 0.001
LEAST_SEE_THROUGH = 0.02

#: A colour channel is used instead of brightness if it separates object and background this many times better.
MUCH_FURTHER = 2.0

#: Number of pixels that are sampled for this choice.
COLOUR_PIXELS = 40_000

#: Largest value of the unsigned integers pictures are stored in.
_FULL = {np.dtype(np.uint8): 255.0, np.dtype(np.uint16): 65535.0, np.dtype(np.bool_): 1.0}


@with_advice()
def read_image(picture: str | Path | ArrayLike) -> Array:
    """Grey values (h, w) between 0 (black) and 1 (white) of a picture file or array.

    Files may be PNG, JPEG or another of `FORMATS`, of 8 or 16 bits, turned as their EXIF data says. Arrays may be (h,
    w), (h, w, 3) or (h, w, 4): bool, uint8, uint16, or numbers, which are scaled by their own range when they leave
    0..1. Unsigned values of only 0 and 1 are a mask, like bool ones. If the background is transparent, at least 2 % of
    the picture and of its border, its opacity is used: the part is opaque (bright). Colours are used by their
    brightness, or by the one of red, green and blue that separates object and background far better, as for a red part
    on a green table.
    """
    return read_photograph(picture)[0]


@with_advice()
def read_photograph(picture: str | Path | ArrayLike) -> tuple[Array, Array | None]:
    """Grey values (h, w) as of `read_image`, and the colours (h, w, 3), uint8, None if there are none."""
    if isinstance(picture, (str, os.PathLike)):
        path = checked_path(picture)
        return _grey(_decoded(path), str(path))
    try:
        values = np.asarray(picture)
    except (ValueError, TypeError, OverflowError) as error:
        raise InputError(f"is not an array of numbers: {error}", where="image", fix=_SHAPES) from None
    return _grey(values, "image")


_SHAPES = "give grey values (h, w), colours (h, w, 3) or colours with opacity (h, w, 4)"


def _decoded(path: Path) -> Array:
    """The pixels of a file, as its codec stores them."""
    try:
        from PIL import Image, ImageOps, UnidentifiedImageError
    except ImportError:
        raise missing_extra("Pillow", "grasps", purpose="a picture file") from None

    plain_file(path, most=LARGEST_PICTURE)
    fix = "give a whole picture file, for instance PNG or JPEG"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(path, formats=FORMATS) as opened:
                if opened.width * opened.height > MOST_PIXELS:  # nothing has been decoded yet
                    raise FileError(
                        f"has {opened.width} x {opened.height} pixels",
                        path=path,
                        fix=f"reduce or crop it to at most {MOST_PIXELS:,} pixels",
                    )
                opened.load()
                turned = ImageOps.exif_transpose(opened)
                return np.asarray(_plain(turned))
    except FileError:
        raise
    except UnidentifiedImageError:
        raise FileError("is not a picture in a known format", path=path, fix=f"known: {', '.join(FORMATS)}") from None
    except Image.DecompressionBombError as error:
        raise FileError(f"is too large: {error}", path=path, fix="reduce or crop it") from None
    except Exception as error:  # noqa: BLE001 - codecs report truncated and damaged files in any way
        raise FileError(f"cannot be read, it is truncated or damaged: {error}", path=path, fix=fix) from None


def _plain(image: Any) -> Any:
    """The picture as grey, RGB or RGBA values: palettes looked up, other colour spaces converted."""
    if image.mode in ("1", "L", "RGB", "RGBA", "F", "I", "LA") or image.mode.startswith("I;16"):
        return image.convert("RGBA") if image.mode == "LA" else image
    see_through = "transparency" in image.info or image.mode in ("PA", "La", "RGBa")
    return image.convert("RGBA" if see_through else "RGB")


def _grey(values: Array, where: str) -> tuple[Array, Array | None]:
    """Grey values (h, w) in 0..1 of pixels of any accepted kind, and their colours (h, w, 3), uint8, if any."""
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
            fix=f"give at least {FEWEST_PIXELS} pixels in each direction and at most {MOST_PIXELS:,} in total",
        )
    scaled = _scaling(values, where)
    if values.ndim == 2:
        return scaled(values), None
    if values.shape[2] == 4 and _is_transparent(opacity := scaled(values[:, :, 3])):
        return opacity, None
    if values.dtype == np.uint8 and values.max() > 1:
        return _most_distinct_channel(values, scaled), values[:, :, :3]
    colours = np.empty((*values.shape[:2], 3), dtype=np.uint8)
    for k in range(3):  # one channel at a time, for large pictures
        colours[:, :, k] = np.round(255.0 * scaled(values[:, :, k]))
    return _most_distinct_channel(values, scaled), colours


def _is_transparent(opacity: Array) -> bool:
    """Whether the background of a picture is transparent: a part of its border, and enough of it in total."""
    clear = opacity < HALF_OPAQUE
    border = np.concatenate([clear[0], clear[-1], clear[:, 0], clear[:, -1]])
    share = float(clear.mean())
    return LEAST_SEE_THROUGH <= share <= 1.0 - LEAST_OPAQUE and float(border.mean()) >= LEAST_SEE_THROUGH


def _most_distinct_channel(colours: Array, scaled: Callable[[Array], Array]) -> Array:
    """Brightness (h, w) of colours (h, w, 3 or 4), or the channel that separates two classes much better."""
    stride = max(int(np.sqrt(colours.shape[0] * colours.shape[1] / COLOUR_PIXELS)), 1)
    some = scaled(colours[::stride, ::stride, :3]).reshape(-1, 3)
    apart = [between_classes(some[:, k]) for k in range(3)]
    best = int(np.argmax(apart))
    if apart[best] > MUCH_FURTHER**2 * between_classes(some @ LUMA):
        return scaled(colours[:, :, best])
    grey = LUMA[0] * scaled(colours[:, :, 0])
    for k in (1, 2):
        grey += LUMA[k] * scaled(colours[:, :, k])
    return grey


def _scaling(values: Array, where: str) -> Callable[[Array], Array]:
    """Scales parts of `values` to 0..1: unsigned integers by their type's range, others by their own if they leave it.

    The result is a new array, so that a large picture is never stored completely in 8-byte numbers.
    """
    full = _FULL.get(values.dtype)
    if full is not None:
        factor = 1.0 if values.max() <= 1 else 1.0 / full
        return lambda part: part * factor
    low, high = float(values.min()), float(values.max())
    if not (np.isfinite(low) and np.isfinite(high)):
        index = tuple(int(i) for i in np.argwhere(~np.isfinite(values))[0])
        raise InputError(
            f"is {values[index]}", where=f"{where}[{', '.join(map(str, index))}]", fix="give finite grey values"
        )
    if low >= 0.0 and high <= 1.0:
        return lambda part: part.astype(np.float64)
    if low == high:
        return lambda part: np.full(part.shape, HALF_OPAQUE)
    return lambda part: (part.astype(np.float64) - low) / (high - low)


#: Lines on which each row of pixels is sampled; along a line the cover is exact.
LINES = 16


def coverage(outlines: Sequence[Array], shape: tuple[int, int], mm_per_px: float) -> Array:
    """Fraction (h, w) of each pixel that lies inside `outlines`, from 0 to 1.

    The outlines (n, 2) [mm] are closed; counter-clockwise ones are filled, clockwise ones inside them are left
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


#: Smallest difference of the means of Otsu's two classes, in standard deviations within the classes.
#: One Gaussian divided in two has 2.65, an even ramp 3.46.
LEAST_SEPARATION = 4.5

#: Pictures whose grey values span less than this fraction of the grey scale are faint: their own range is used.
FAINT = 0.25

#: Ranges below this fraction of the largest grey value are rounding: the picture is blank.
BLANK = 1e-12

#: Blurred pictures whose values span less than this have no classes; the range of one that is not blank is far above.
EVEN = 1e-4

#: Smallest and largest standard deviation [px] of a blur that is chosen by the noise.
LEAST_BLUR = 1.0
MOST_BLUR = 3.0

#: Up to this noise, as a fraction of the contrast, the smallest blur is used.
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
    """The picture; a faint one is stretched to 0..1 by its own range. Whether it is only noise is checked later."""
    low, high = float(grey.min()), float(grey.max())
    if high - low >= FAINT or high - low <= BLANK * max(abs(low), abs(high)):
        return grey
    return (grey - low) / (high - low)


def noise_of(grey: Array) -> float:
    """Standard deviation of the noise per pixel, from second differences along some rows, which edges hardly affect."""
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
    """Otsu's threshold, and the distance of the class means in standard deviations within the classes (0: blank)."""
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
    """Otsu's variance between the two classes that separate some grey values best; 0 where all are equal."""
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
    """Median grey value of a class, from a sample of its pixels; gradual borders do not move it."""
    stride = max(field.size // (4 * MEDIAN_PIXELS), 1)
    values = field.ravel()[::stride][chosen.ravel()[::stride]]
    if len(values) < MEDIAN_PIXELS // 16:
        values = field[chosen]
        values = values[:: max(len(values) // MEDIAN_PIXELS, 1)]
    return float(np.median(values))


#: Side of the threshold on which objects are; "auto" takes the side opposite to the picture's edge.
POLARITIES = ("auto", "dark", "bright")

#: Smaller holes [px] are specks and are filled.
SMALLEST_HOLE = 12

#: Most objects that a message lists.
MOST_LISTED = 8

#: Margin of pixels around an object, so that its border can be followed.
FRAME = 2


@dataclass(frozen=True)
class Component:
    """One object of a picture.

    Attributes:
        area: its area without holes [mm^2], counted in pixels.
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
        polarity: "dark" or "bright": the object compared with its background.
        components: all objects at least as large as a fingertip, the largest first.
        chosen: which of them this is.
        starts: (row, column, side) in the cut-out where the walk around the outer border and each hole begins.
        confidence: confidence in the object, from 0 to 1; see `photographs`.
        doubt: main reason for a low confidence, as text.
        method: "brightness" (one threshold), "background" (distance from a fitted background, in brightness and colour)
            or "colour" (the same, almost without brightness).
        shadow: fraction of the area different from the background that was removed as a shadow.
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
    confidence: float = 1.0
    doubt: str = ""
    method: Literal["brightness", "background", "colour"] = "brightness"
    shadow: float = 0.0
    two_level: bool = False

    def scaled(self, factor: float) -> Segmentation:
        """The same with lengths [mm] multiplied by a factor, for another size of a pixel."""
        every = [
            replace(one, area=one.area * factor**2, centre=(one.centre[0] * factor, one.centre[1] * factor))
            for one in self.components
        ]
        return replace(self, components=tuple(every))


#: Objects below this confidence are refused.
LEAST_CONFIDENCE = 0.8

#: One threshold is used without analysing the background if its object has this confidence. Another object is used only
#: if the two differ: their intersection is less than this fraction of their union.
CLEAR = 0.9
SAME_OBJECT = 0.9

#: Pixels that differ from the background by this fraction of the contrast, in the other direction, may belong to the
#: part; one of this many rows and columns is examined.
OTHER_SIDE, SPARSE = 0.4, 2

#: A large object that covers less than this fraction of the picture's border is a part cut off by the border, not
#: background.
CUT_OFF_SHARE = 0.15


@dataclass(frozen=True)
class _Wish:
    """Which object of a picture is wanted, and where.

    Attributes:
        shape: height and width [px] of the whole picture.
        region: rows and columns of it that are searched.
        scale: millimetres that a pixel covers.
        polarity: "auto", "dark" or "bright".
        pick: (row, column) [px] of the region, or None.
        index: which object, 0 the largest, where there is no pick.
        smallest: smallest area [mm^2] of an object.
    """

    shape: tuple[int, int]
    region: tuple[slice, slice]
    scale: float
    polarity: str
    pick: tuple[int, int] | None
    index: int
    smallest: float

    def middle(self, row: float, column: float) -> tuple[float, float]:
        """(x, y) [mm] of a row and a column of the region."""
        height, width = self.shape
        across = self.region[1].start + column - (width - 1) / 2.0
        return across * self.scale, ((height - 1) / 2.0 - self.region[0].start - row) * self.scale


@with_advice()
def segment(
    grey: Array,
    object: str = "auto",
    pick: ArrayLike | None = None,
    index: int = 0,
    *,
    colours: Array | None = None,
    roi: ArrayLike | None = None,
    least_confidence: float = LEAST_CONFIDENCE,
    mm_per_px: float = 1.0,
    fingertip: float = 8.0,
    blur: float | None = None,
) -> Segmentation:
    """The object of a picture, from its grey values (h, w).

    Args:
        grey: grey values; see `pictures.read_image`.
        object: "dark" or "bright" compared with the background; "auto" decides by the picture's edge.
        pick: (x, y) [mm] of a point on the wanted object or in one of its holes; overrides `index`.
        index: number of the wanted object, 0 for the largest.
        colours: (h, w, 3) uint8 colours of the same picture; see `pictures.read_photograph`.
        roi: (x1, y1, x2, y2) [mm], two opposite corners of the searched region; the whole picture by default.
        least_confidence: an object with a lower confidence is refused; 0 takes any.
        mm_per_px: millimetres that a pixel covers.
        fingertip: objects whose area is below that of a disc of this diameter [mm] are ignored.
        blur: standard deviation [px] of the blur against noise; chosen by the picture's noise when not given.
    """
    scale = checked_scale(mm_per_px)
    if object not in POLARITIES:
        raise UnknownNameError("polarity", str(object), POLARITIES, where="object")
    least = number("least_confidence", least_confidence, low=0.0, high=1.0)
    values = array_2d(grey)
    if colours is not None and (colours.shape != (*values.shape, 3) or colours.dtype != np.uint8):
        what = f"has shape {colours.shape} of {colours.dtype.name}"
        raise InputError(what, where="colours", fix=f"give uint8 values of shape {(*values.shape, 3)}")
    region = _region(roi, values.shape, scale)
    smallest = np.pi / 4.0 * positive("fingertip", fingertip, unit="mm") ** 2
    at = _pixel(pick, values.shape, region, scale)
    wish = _Wish(values.shape, region, scale, object, at, count("index", index, low=0), smallest)
    values = stretched(values[region])
    plain, refusal, alone = None, None, False
    try:
        plain, alone = _by_brightness(values, wish, blur)
    except InputError as error:
        refusal = error
    if plain is None or colours is not None or plain.confidence < CLEAR or not alone:
        other = _by_background(values if colours is None else colours[region], values, wish, plain)
        plain = _better(plain, other, grey)
    if plain is None:
        assert refusal is not None
        raise refusal
    check_confidence(plain, least)
    return plain


def check_confidence(found: Segmentation, least: float = LEAST_CONFIDENCE) -> None:
    """Raise an error if an object has a lower confidence than `least`."""
    if found.confidence < least:
        raise InputError(
            f"the confidence in the found object is only {found.confidence:.2f} of 1: {found.doubt}",
            where="image",
            fix="show the part on an even background, give its region (roi) or a point on it (pick), or check "
            f"the found outline and accept it: least_confidence={max(found.confidence - 0.005, 0.0):.2f}",
        )


def _region(roi: ArrayLike | None, shape: tuple[int, int], scale: float) -> tuple[slice, slice]:
    """Rows and columns of a region [mm]; the whole picture by default."""
    if roi is None:
        return slice(0, shape[0]), slice(0, shape[1])
    x1, y1, x2, y2 = (float(value) for value in array("roi", roi, (4,)))
    height, width = shape
    columns = sorted(value / scale + width / 2.0 for value in (x1, x2))
    rows = sorted(height / 2.0 - value / scale for value in (y1, y2))
    region = (
        slice(*(int(np.clip(round(value), 0, height)) for value in rows)),
        slice(*(int(np.clip(round(value), 0, width)) for value in columns)),
    )
    if min(part.stop - part.start for part in region) < FEWEST_PIXELS:
        raise InputError(
            f"({x1:g}, {y1:g}) to ({x2:g}, {y2:g}) mm has fewer than {FEWEST_PIXELS} pixels of the picture",
            where="roi",
            fix=f"the picture goes from ({-width * scale / 2.0:g}, {-height * scale / 2.0:g}) to "
            f"({width * scale / 2.0:g}, {height * scale / 2.0:g}) mm; give two opposite corners within it",
        )
    return region


def _pixel(
    pick: ArrayLike | None, shape: tuple[int, int], region: tuple[slice, slice], scale: float
) -> tuple[int, int] | None:
    """Row and column within the region of a point [mm]."""
    if pick is None:
        return None
    x, y = array("pick", pick, (2,))
    height, width = shape
    row = round((height - 1) / 2.0 - number("pick", y) / scale) - region[0].start
    column = round(x / scale + (width - 1) / 2.0) - region[1].start
    if not (0 <= row < region[0].stop - region[0].start and 0 <= column < region[1].stop - region[1].start):
        sides = f"{width * scale:g} x {height * scale:g} mm, and (0, 0) is its middle"
        raise InputError(
            f"({x:g}, {y:g}) mm is outside the picture or its region",
            where="pick",
            fix=f"the picture has {sides}",
        )
    return row, column


def _by_brightness(values: Array, wish: _Wish, blur: float | None) -> tuple[Segmentation, bool]:
    """The object by Otsu's threshold for the whole picture; and whether nothing differs in the other direction."""
    from .photographs import touched

    field, level, separation = thresholded(values, blur)
    if separation < LEAST_SEPARATION:
        raise InputError(
            "shows no object: its grey values do not fall into object and background",
            where="image",
            fix="give a picture of a part on an even, contrasting background",
        )
    bright = field > level
    if wish.polarity == "auto":
        polarity = "dark" if _border(bright).mean() > 0.5 else "bright"
    else:
        polarity = "bright" if wish.polarity == "bright" else "dark"
    inside = bright if polarity == "bright" else ~bright
    ours, others = median_of(field, inside), median_of(field, ~inside)
    half = (ours + others) / 2.0
    # the object's pixels are those beyond the half level, so that it lies between every pair of border pixels
    inside = field > half if polarity == "bright" else field < half
    labels, boxes, components, numbers = _components(inside, wish)
    chosen = _chosen(labels, components, numbers, wish)
    if components[chosen].touches_border:
        raise _cut_by_border(chosen, components)
    label = int(numbers[chosen])
    measures = _measures(field, half, 1.0 if polarity == "bright" else -1.0, labels, boxes[label - 1], label, wish)
    across = others + OTHER_SIDE * (others - ours)
    beyond = field[::SPARSE, ::SPARSE] < across if polarity == "bright" else field[::SPARSE, ::SPARSE] > across
    alone = float(beyond.sum()) * (SPARSE * wish.scale) ** 2 < wish.smallest
    if not alone and wish.pick is None:
        measures = replace(measures, whole=min(measures.whole, touched(labels[::SPARSE, ::SPARSE] == label, beyond)))
    corner, mask, cut = _cut_out(labels, boxes, label, field)
    whole = values[corner[0] : corner[0] + mask.shape[0], corner[1] : corner[1] + mask.shape[1]]
    jumps = two_level(whole, mask, abs(ours - others))
    if jumps:
        measures = replace(measures, even=1.0)  # the border of a mask is not smoothed
    found = Segmentation(
        shape=wish.shape,
        corner=_in_whole(corner, wish),
        mask=mask,
        field=cut,
        level=level,
        half_level=half,
        polarity=polarity,
        components=components,
        chosen=chosen,
        starts=_starts(mask),
        confidence=measures.confidence,
        doubt=measures.weakest,
        two_level=jumps,
    )
    return found, alone


def _border(mask: Any) -> Any:
    """The pixels along the four sides."""
    return np.concatenate([mask[0], mask[-1], mask[:, 0], mask[:, -1]])


def _in_whole(corner: tuple[int, int], wish: _Wish) -> tuple[int, int]:
    """A row and a column of the region as those of the whole picture."""
    return corner[0] + wish.region[0].start, corner[1] + wish.region[1].start


def _cut_by_border(chosen: int, components: tuple[Component, ...]) -> InputError:
    return InputError(
        f"object {chosen} touches the picture's border: a part of it is not visible",
        where="image",
        fix=f"show the whole part with some background around it, or choose another object; {_listed(components)}",
    )


def _measures(
    field: Array, level: float, sign: float, labels: IntArray, box: tuple[slice, slice], label: int, wish: _Wish
) -> Measures:
    """The parts of the confidence in an object beyond a level, from a window around it."""
    from .photographs import COARSE_PIXELS, around, assess, shrunk

    window = around(box, field.shape)
    near, mask = field[window], labels[window] == label
    block = max(1, int(np.sqrt(near.size / COARSE_PIXELS)))
    small = mask if block == 1 else shrunk(mask, block) > 0.5
    if block > 1 and not small.any():
        block, small = 1, mask
    framed = float((sign * _border(field) <= sign * level).mean())
    return assess(
        sign * (near if block == 1 else shrunk(near, block)), sign * level, small, framed, picked=wish.pick is not None
    )


def _by_background(picture: Array, values: Array, wish: _Wish, plain: Segmentation | None) -> Segmentation | None:
    """The object that differs most reliably from the background, None where none does.

    If it is the object that was found by brightness, that result is returned: its border is more exact.

    Args:
        picture: colours (h, w, 3), or grey values (h, w).
        values: grey values (h, w), for the side of the background on which the object is.
        wish: which object.
        plain: the result by brightness, if there is one.
    """
    from .photographs import Photograph, filled, shrunk

    photograph = Photograph(picture)
    block = photograph.block
    unit = (block * wish.scale) ** 2
    sign = {"dark": -1, "bright": 1}.get(wish.polarity, 0)

    def wanted(labels: IntArray, areas: IntArray) -> int:
        numbers = 1 + np.argsort(-areas[1:], kind="stable")
        numbers = numbers[areas[numbers] * unit >= wish.smallest]
        edge = _border(labels)
        if wish.pick is not None:
            row, column = (min(at // block, size - 1) for at, size in zip(wish.pick, labels.shape, strict=True))
            found = int(labels[row, column])
            return 0 if found in edge or found not in numbers else found
        # an object that covers much of the border is another background, not a part that is cut off
        shares = np.bincount(edge, minlength=len(areas)) / len(edge)
        numbers = numbers[shares[numbers] < CUT_OFF_SHARE]
        found = int(numbers[wish.index]) if wish.index < len(numbers) else 0
        return 0 if found in edge else found

    found = photograph.best(wanted, sign, picked=wish.pick is not None)
    if found is None:
        return None
    if plain is not None and plain.confidence >= CLEAR and not found.shadow:
        whole = np.zeros(values.shape, dtype=bool)
        top, left = plain.corner[0] - wish.region[0].start, plain.corner[1] - wish.region[1].start
        whole[top : top + plain.mask.shape[0], left : left + plain.mask.shape[1]] = plain.mask
        one, other = filled(shrunk(whole, block) > 0.5), filled(found.mask)
        if float((one & other).sum()) >= SAME_OBJECT * float((one | other).sum()):
            return plain
    numbers = 1 + np.argsort(-np.bincount(found.labels.ravel())[1:], kind="stable")
    areas = np.bincount(found.labels.ravel())
    numbers = numbers[areas[numbers] * unit >= wish.smallest]
    components = tuple(_component(found.labels == n, block, n in _border(found.labels), wish) for n in numbers)
    made = _refined(photograph, found, wish)
    if made is None:
        return None
    window, field, mask, half, sharp = made
    if float(mask.sum()) * wish.scale**2 < wish.smallest:
        return None
    polarity = "bright" if values[window][mask].mean() > values[window][~mask].mean() else "dark"
    label = mask.astype(np.int64)
    rows, columns = (np.flatnonzero(mask.any(axis=axis)) for axis in (1, 0))
    box = (slice(int(rows[0]), int(rows[-1]) + 1), slice(int(columns[0]), int(columns[-1]) + 1))
    corner, own, cut = _cut_out(label, [box], 1, field)
    corner = (corner[0] + window[0].start, corner[1] + window[1].start)
    at = tuple(slice(a - w.start, a - w.start + size) for a, w, size in zip(corner, window, own.shape, strict=True))
    return Segmentation(
        shape=wish.shape,
        corner=_in_whole(corner, wish),
        mask=own,
        field=cut,
        level=found.level,
        half_level=half,
        polarity=polarity,
        components=components,
        chosen=int(np.flatnonzero(numbers == found.number)[0]),
        starts=_starts(own),
        confidence=found.confidence,
        doubt=f"a probable shadow, {100.0 * found.shadow:.0f} % of the area, was removed"
        if found.shadow
        else found.measures.weakest,
        method="background" if found.brightness == 1.0 else "colour",
        shadow=found.shadow,
        two_level=two_level(sharp[at], own, 2.0 * abs(half - median_of(field, ~mask))),
    )


def _component(mask: BoolArray, block: int, cut: bool, wish: _Wish) -> Component:
    """An object of a picture of low resolution, in which a pixel covers `block` x `block` pixels."""
    rows, columns = np.nonzero(mask)
    middle = (block * (float(at.mean()) + 0.5) - 0.5 for at in (rows, columns))
    return Component(float(len(rows)) * (block * wish.scale) ** 2, wish.middle(*middle), bool(cut))


def _refined(
    photograph: Photograph, found: FoundObject, wish: _Wish
) -> tuple[tuple[slice, slice], Array, BoolArray, float, Array] | None:
    """An object at full resolution: its window, blurred distances, pixels, half level, and distances before the blur.

    The half level lies between the background and the weakest colours of the object; the threshold is used instead if
    the object would change otherwise.
    """
    from .level_lines import blurred
    from .photographs import WEAK, around

    block, small = photograph.block, found.mask
    rows, columns = (np.flatnonzero(small.any(axis=axis)) * block for axis in (1, 0))
    box = (slice(int(rows[0]), int(rows[-1]) + block), slice(int(columns[0]), int(columns[-1]) + block))
    window = around(box, photograph.picture.shape, share=0.1, least=4 * block + 4)
    sharp = photograph.window(window, found.brightness, found.sign)
    rough = small[
        np.ix_(
            *(np.minimum(np.arange(p.start, p.stop) // block, n - 1) for p, n in zip(window, small.shape, strict=True))
        )
    ]
    outer = median_of(sharp, ~rough)
    contrast = median_of(sharp, rough) - outer
    sigma = float(np.clip(LEAST_BLUR * noise_of(sharp) / max(CALM_NOISE * contrast, EVEN), LEAST_BLUR, MOST_BLUR))
    field = blurred(sharp, sigma)
    inner = field[rough]
    half = (float(np.quantile(inner[:: max(len(inner) // MEDIAN_PIXELS, 1)], WEAK)) + outer) / 2.0
    for level in (half, found.level):
        labels, boxes = labelled(field > level)
        shared = np.bincount(labels[rough], minlength=len(boxes) + 1)
        shared[0] = 0
        mask = labels == int(shared.argmax())
        both = float((mask & rough).sum()) / float((mask | rough).sum())
        if shared.any() and both >= (SAME_OBJECT if level is half else 0.5) and not _border(mask).any():
            return window, field, mask, level, sharp
    return None


#: An object inside another to this fraction may be a part of it. Pixels darker than the table, but not below this
#: fraction of its grey value, may be a shadow.
WITHIN = 0.95
SHADE = (0.3, 0.97)


def _better(plain: Segmentation | None, other: Segmentation | None, grey: Array) -> Segmentation | None:
    """The more reliable one of two results; the first if both show the same object without a shadow.

    If the first lies within the second, the second has parts of other colours, or a shadow: it is used if its
    additional area is too dark or too bright for a shadow; otherwise the first, with less confidence.
    """
    if plain is None or other is None:
        return plain or other
    if other.shadow and float(plain.mask.sum()) > (1.0 + other.shadow / 2.0) * float(other.mask.sum()):
        return other
    same = _overlap(plain, other)
    if plain.confidence >= CLEAR and same >= SAME_OBJECT:
        return plain
    mine, its = float(plain.mask.sum()), float(other.mask.sum())
    shared = same * (mine + its) / (1.0 + same)
    if min(plain.confidence, other.confidence) < LEAST_CONFIDENCE or shared < WITHIN * mine or mine > WITHIN * its:
        return plain if plain.confidence >= other.confidence else other
    more = other.mask & ~_within(plain, other)
    (row, column), (height, width) = other.corner, other.mask.shape
    window = grey[row : row + height, column : column + width]
    share = float(np.median(window[more])) / max(float(np.median(window[~other.mask])), BLANK)
    if not SHADE[0] <= share <= SHADE[1]:
        return other
    doubt = "an area beside it may be its shadow, or a part of it"
    return replace(plain, confidence=plain.confidence * same, doubt=doubt)


def _within(one: Segmentation, other: Segmentation) -> BoolArray:
    """The pixels of one object in the cut-out of another."""
    whole = np.zeros(one.shape, dtype=bool)
    whole[tuple(slice(at, at + size) for at, size in zip(one.corner, one.mask.shape, strict=True))] = one.mask
    return whole[tuple(slice(at, at + size) for at, size in zip(other.corner, other.mask.shape, strict=True))]


def _overlap(one: Segmentation, other: Segmentation) -> float:
    """Intersection over union of two objects of the same picture."""
    both = float((_within(one, other) & other.mask).sum())
    return both / (float(one.mask.sum()) + float(other.mask.sum()) - both)


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
        return array("grey", values, ("h", "w"))  # raises an error with the place
    return values if values.dtype.kind == "f" else values.astype(np.float64)


def _components(
    inside: BoolArray, wish: _Wish
) -> tuple[IntArray, list[tuple[slice, slice]], tuple[Component, ...], IntArray]:
    """Labels (h, w) and their boxes, the objects at least as large as a fingertip, largest first, and their labels."""
    labels, boxes = labelled(inside)
    areas = np.bincount(labels.ravel(), minlength=len(boxes) + 1)[1:] * wish.scale**2
    numbers = 1 + np.argsort(-areas, kind="stable")
    numbers = numbers[areas[numbers - 1] >= wish.smallest]
    if not len(numbers):
        largest = float(areas.max()) if boxes else 0.0
        raise InputError(
            f"shows no object as large as a fingertip: the largest has {largest:.3g} mm^2 at {wish.scale:g} mm/px",
            where="image",
            fix=f"objects need at least {wish.smallest:.3g} mm^2; check mm_per_px, or move the camera closer",
        )
    border = np.unique(_border(labels))
    components = []
    for label in numbers:
        box = boxes[label - 1]
        own = labels[box] == label
        row = box[0].start + float(own.sum(axis=1) @ np.arange(own.shape[0])) / own.sum()
        column = box[1].start + float(own.sum(axis=0) @ np.arange(own.shape[1])) / own.sum()
        components.append(Component(float(areas[label - 1]), wish.middle(row, column), bool(label in border)))
    return labels, boxes, tuple(components), numbers


def _chosen(labels: IntArray, components: tuple[Component, ...], numbers: IntArray, wish: _Wish) -> int:
    """Position in `components` of the wanted object."""
    if wish.pick is None:
        if wish.index >= len(components):
            raise InputError(f"is {wish.index}", where="index", fix=_listed(components))
        return wish.index
    from scipy import ndimage

    if labels[wish.pick] in numbers:
        return int(np.flatnonzero(numbers == labels[wish.pick])[0])
    # in a hole: the smallest object around the point
    for position in reversed(range(len(components))):
        if np.asarray(ndimage.binary_fill_holes(labels == numbers[position]))[wish.pick]:
            return position
    x, y = wish.middle(*wish.pick)
    raise InputError(f"({x:g}, {y:g}) mm is not on an object", where="pick", fix=_listed(components))


def _listed(components: tuple[Component, ...]) -> str:
    """The objects as text, for messages."""
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
    """Starts of the walks around the outer border and around each hole: (row, column, side).

    The first pixel of the object, in reading order, has background to the north (side 1). The first pixel of a hole
    has the object to its north, which has the hole to the south (side 3). Specks are not holes.
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


@with_advice()
def trace(segmentation: Segmentation, mm_per_px: float = 1.0) -> Contour:
    """The segmented object's contour [mm] to a fraction of a pixel: where the blurred picture crosses the half level.

    A pixel (row, col) lies at x = (col - (w - 1)/2) s, y = ((h - 1)/2 - row) s with s = `mm_per_px`. Rings are the
    level lines of the bilinear picture through the pixel centres; they never cross themselves. In a picture of two
    levels, a mask, they are then smoothed between the pixel centres; see `mask_boundary`.
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

"""The part in a picture: two detectors, the confidence in what they find, and its contour to a fraction of a pixel.

Both detectors make a field (h, w) that is larger on the part than around it. "brightness" is the grey value, or minus
it. "background" and "colour" are the distance from a background, a quadratic polynomial over the picture in each
colour channel that is fitted to the picture's border; "colour" almost ignores brightness, because shadows hardly change
colour. Connected pixels beyond a threshold are objects. They are searched in a picture of at most `COARSE_PIXELS`; the
one with the highest confidence is found again at full resolution, in a window around it. Two readings that differ, as
with a shadow or with pieces that lie close together, lower the confidence. `trace` follows the level midway between
object and background.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ..checks import Array, BoolArray, IntArray, array, count, number, positive
from ..errors import InputError, UnknownNameError
from ..public_names import with_advice
from .contours import LARGEST_PART, Contour, checked_scale, contains, signed_area
from .pictures import BINS, FEWEST_PIXELS, array_2d, class_variances

#: Side of the threshold on which objects are; "auto" takes the side opposite to the picture's border.
POLARITIES = ("auto", "dark", "bright")

#: Objects below this confidence are refused.
LEAST_CONFIDENCE = 0.8

#: Smallest difference of the means of Otsu's two classes, in standard deviations within the classes.
#: One Gaussian divided in two has 2.65, an even ramp 3.46.
LEAST_SEPARATION = 4.5

#: Pictures whose grey values span less than this fraction of the grey scale are faint: their own range is used. Ranges
#: below the second fraction of the largest grey value are rounding: the picture is blank.
FAINT, BLANK = 0.25, 1e-12

#: Fields that span less than this have no classes.
EVEN = 1e-4

#: Pixels of the picture in which objects are searched.
COARSE_PIXELS = 150_000

#: Standard deviation [px] of the blur against noise: the least, the most, and the noise, as a fraction of the contrast,
#: up to which the least is used.
LEAST_BLUR, MOST_BLUR, CALM_NOISE = 1.0, 3.0, 0.15

#: Variance [px^2] of the averaging over a pixel.
PIXEL_SPREAD = 1.0 / 12.0

#: Pixels looked at for noise, medians and quantiles, and the upper quartile of a standard normal variable.
SAMPLED, NORMAL_QUARTILE = 60_000, 0.6745

#: Width of the picture's border that shows the background, as a share of the smaller side.
BORDER = 0.03

#: The background is fitted this often to the border and then to everything similar to it, within this many standard
#: deviations; the least standard deviation, as a share of the full scale, and the greatest of an even background.
FITS, OUTLIER, CALM, EVEN_SPREAD = 3, 3.0, 0.02, 0.09

#: Added to the squares of the terms of the background, so that a border of one side can be fitted.
RIDGE = 1e-6

#: Colours that differ by less than this share of the full scale from grey count as grey.
GREY = 0.03

#: Weight of brightness relative to colour in the distance from the background; the second is for shadows.
BRIGHTNESS: dict[Literal["background", "colour"], float] = {"background": 1.0, "colour": 0.25}

#: Thresholds of the distance, in standard deviations of the background, in addition to Otsu's, which is at least the
#: second number. Otsu's method sees larger distances as the third.
DISTANCES, LEAST_DISTANCE, FARTHEST = (4.0, 6.0, 9.0, 13.5), 2.0, 30.0

#: An object that covers at least this share of the picture's border is another background, not a part cut off by it.
CUT_OFF_SHARE = 0.15

#: The border of a sharp object moves by at most this many pixels when the threshold changes by this share of the
#: contrast on either side.
STEADY_PIXELS, THRESHOLD_CHANGE = 0.7, 0.3

#: Pieces nearer to each other than this share of the object's extent may be one object, if together they are larger
#: by at least this fraction.
GAP, GROWTH = 0.1, 0.15

#: Pieces below this fraction of the object's area that differ less from the background are spots.
SPOT = 0.1

#: Side [px] of the square that smooths a border, to measure how ragged it is, for objects up to this extent and others.
EVEN_SIDES, SMALL = (3, 5), 100

#: Of objects whose confidences differ by less than this, the largest is taken: it may have parts of several colours.
COMPARABLE = 0.1

#: Two readings show the same object if their intersection is at least this fraction of their union. One lies within the
#: other if this fraction of it does.
SAME_OBJECT, WITHIN = 0.9, 0.95

#: A grey picture whose object has this confidence by brightness is not searched further, unless there are pixels that
#: differ from the background by this fraction of the contrast in the other direction, which may belong to the part.
CLEAR, OTHER_SIDE = 0.9, 0.4

#: Pixels whose grey value is between these shares of that of the background may be a shadow.
SHADE = (0.3, 0.97)

#: What lies beside an object is its shadow if it is darker than the background and of the background's colour, within
#: this many standard deviations, on more than this fraction of its pixels, and at most this fraction of the whole. An
#: object without its shadow has at most the confidence `WITH_SHADOW`.
SHADOW_COLOUR, MOSTLY, MOST_SHADOW, WITH_SHADOW = 6.0, 0.6, 0.35, 0.85

#: Fraction of the field within an object that counts for its half level: its weaker colours stay inside.
WEAK = 0.2

#: Margin of the window around an object, as a share of its larger side.
MARGIN = 0.1

#: Discrete Laplacian (3, 3) whose error does not depend on the direction.
LAPLACIAN = np.array([[1.0, 4.0, 1.0], [4.0, -20.0, 4.0], [1.0, 4.0, 1.0]], dtype=np.float32) / np.float32(6.0)

#: Smaller holes [px] are specks and are filled.
SMALLEST_HOLE = 12

#: Most objects that a message lists.
MOST_LISTED = 8

TOO_SMALL = "check mm_per_px, or move the camera closer"

Method = Literal["brightness", "background", "colour"]
METHODS: tuple[Method, ...] = ("brightness", "background", "colour")
Window = tuple[slice, slice]


@dataclass(frozen=True)
class Component:
    """One object of a picture.

    Attributes:
        area: its area without holes [mm^2], counted in pixels.
        centre: (x, y) [mm] of its pixels' mean.
        touches_border: whether the picture's border cuts it.
    """

    area: float
    centre: tuple[float, float]
    touches_border: bool


@dataclass(frozen=True, eq=False)
class Segmentation:
    """The chosen object of a picture, in a window around it.

    Attributes:
        shape: height and width [px] of the whole picture.
        corner: row and column [px] of the window's first pixel.
        mask: (h, w) pixels of the object within the window.
        field: (h, w) blurred values within the window, larger on the object than around it.
        half_level: value midway between object and background, where the contour lies.
        polarity: "dark" or "bright": the object compared with its background.
        components: all objects at least as large as a fingertip, the largest first.
        chosen: which of them this is.
        confidence: confidence in the object, from 0 to 1.
        doubt: main reason for a low confidence, as text.
        method: "brightness", "background" or "colour"; see the module.
        shadow: fraction of the area different from the background that was left out as a shadow.
    """

    shape: tuple[int, int]
    corner: tuple[int, int]
    mask: BoolArray
    field: Array
    half_level: float
    polarity: Literal["dark", "bright"]
    components: tuple[Component, ...]
    chosen: int
    confidence: float
    doubt: str
    method: Method
    shadow: float = 0.0

    def scaled(self, factor: float) -> Segmentation:
        """The same with lengths [mm] multiplied by a factor, for another size of a pixel."""
        every = [
            replace(one, area=one.area * factor**2, centre=(one.centre[0] * factor, one.centre[1] * factor))
            for one in self.components
        ]
        return replace(self, components=tuple(every))


@dataclass(frozen=True)
class _Wish:
    """Which object is wanted: `pick` (row, column) [px] of the region, or the number `index` from the largest.

    Attributes:
        shape: height and width [px] of the whole picture.
        region: rows and columns of it that are searched.
        scale: millimetres that a pixel covers.
        polarity: "auto", "dark" or "bright".
        pick: row and column [px] within the region, or None.
        index: number of the object, 0 for the largest.
        smallest: smallest area [mm^2] of an object.
    """

    shape: tuple[int, int]
    region: Window
    scale: float
    polarity: str
    pick: tuple[int, int] | None
    index: int
    smallest: float

    def middle(self, row: float, column: float) -> tuple[float, float]:
        """(x, y) [mm] of a row and a column [px] of the region."""
        height, width = self.shape
        across = self.region[1].start + column - (width - 1) / 2.0
        return across * self.scale, ((height - 1) / 2.0 - self.region[0].start - row) * self.scale


@dataclass(frozen=True, eq=False)
class _Reading:
    """Objects beyond a threshold in the coarse picture, and the wanted one.

    Attributes:
        method: the detector.
        values: the detector's field (h, w) at full resolution in a window of the region.
        block: side [px] of the square that a coarse pixel stands for.
        labels: (h, w) number of the object that each coarse pixel belongs to, 0 for none.
        numbers: numbers of the objects that are large enough, the largest first.
        chosen: position of the wanted one in `numbers`, -1 where it is not there.
        level: the threshold.
        measures: reasons for doubt as text -> a value from 0 to 1; their product is the confidence.
        shadow: fraction of the area that was left out as a shadow.
    """

    method: Method
    values: Callable[[Window], Array]
    block: int
    labels: IntArray
    numbers: IntArray
    chosen: int
    level: float
    measures: dict[str, float]
    shadow: float = 0.0

    @property
    def mask(self) -> BoolArray:
        return self.labels == self.numbers[self.chosen]

    @property
    def confidence(self) -> float:
        product = float(np.prod(list(self.measures.values())))
        return min(product, WITH_SHADOW) if self.shadow else product

    def doubted(self, reason: str, value: float) -> _Reading:
        """The same with another reason for doubt."""
        return replace(self, measures={**self.measures, reason: value})

    def touches_border(self, position: int) -> bool:
        """Whether the picture's border cuts an object."""
        return bool((_border(self.labels) == self.numbers[position]).any())

    def components(self, wish: _Wish) -> tuple[Component, ...]:
        """All objects, the largest first."""
        ndimage = _image_tools()
        areas = np.bincount(self.labels.ravel())[self.numbers] * (self.block * wish.scale) ** 2
        centres = ndimage.center_of_mass(np.ones_like(self.labels), self.labels, self.numbers)
        return tuple(
            Component(
                float(areas[k]),
                wish.middle(*(self.block * (at + 0.5) - 0.5 for at in centres[k])),
                self.touches_border(k),
            )
            for k in range(len(self.numbers))
        )


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
) -> Segmentation:
    """The object of a picture, from its grey values (h, w).

    Args:
        grey: grey values; see `pictures.read_image`.
        object: "dark" or "bright" compared with the background; "auto" decides by the picture's border.
        pick: (x, y) [mm] of a point on the wanted object or in one of its holes; overrides `index`.
        index: number of the wanted object, 0 for the largest.
        colours: (h, w, 3) uint8 colours of the same picture; see `pictures.read_photograph`.
        roi: (x1, y1, x2, y2) [mm], two opposite corners of the searched region; the whole picture by default.
        least_confidence: an object with a lower confidence is refused; 0 takes any.
        mm_per_px: millimetres that a pixel covers.
        fingertip: objects whose area is below that of a disc of this diameter [mm] are ignored.
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
    values = _stretched(values[region])
    found = _refined(_best(values, None if colours is None else colours[region], wish), values, wish)
    check_confidence(found, least)
    return found


def check_confidence(found: Segmentation, least: float = LEAST_CONFIDENCE) -> None:
    """Raise an error if an object has a lower confidence than `least`."""
    if found.confidence < least:
        raise InputError(
            f"the confidence in the found object is only {found.confidence:.2f} of 1: {found.doubt}",
            where="image",
            fix="show the part on an even background, give its region (roi) or a point on it (pick), or check "
            f"the found outline and accept it: least_confidence={max(found.confidence - 0.005, 0.0):.2f}",
        )


def _region(roi: ArrayLike | None, shape: tuple[int, int], scale: float) -> Window:
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


def _pixel(pick: ArrayLike | None, shape: tuple[int, int], region: Window, scale: float) -> tuple[int, int] | None:
    """Row and column within the region of a point [mm]."""
    if pick is None:
        return None
    x, y = array("pick", pick, (2,))
    height, width = shape
    row = round((height - 1) / 2.0 - number("pick", y) / scale) - region[0].start
    column = round(x / scale + (width - 1) / 2.0) - region[1].start
    if not (0 <= row < region[0].stop - region[0].start and 0 <= column < region[1].stop - region[1].start):
        raise InputError(
            f"({x:g}, {y:g}) mm is outside the picture or its region",
            where="pick",
            fix=f"the picture has {width * scale:g} x {height * scale:g} mm, and (0, 0) is its middle",
        )
    return row, column


def _stretched(grey: Array) -> Array:
    """The picture; a faint one is stretched to 0..1 by its own range. Whether it is only noise is checked later."""
    low, high = float(grey.min()), float(grey.max())
    if high - low >= FAINT or high - low <= BLANK * max(abs(low), abs(high)):
        return grey
    return (grey - low) / (high - low)


def _image_tools() -> Any:
    """scipy.ndimage, imported when it is first needed; its annotations do not say what it returns."""
    from scipy import ndimage

    return ndimage


# -- detectors -----------------------------------------------------------------------------------------------------


def otsu(field: Array) -> tuple[float, float]:
    """Otsu's threshold, and the distance of the class means in standard deviations within the classes (0: blank)."""
    low, high = float(field.min()), float(field.max())
    if high - low < EVEN:
        return (low + high) / 2.0, 0.0
    counts, edges = np.histogram(field, bins=BINS, range=(low, high))
    centres, total = (edges[:-1] + edges[1:]) / 2.0, counts.sum()
    between, apart = class_variances(counts, centres)
    # an empty valley is a plateau: its middle is the safest threshold
    top = np.flatnonzero(between >= between.max() * (1.0 - BLANK))
    best = int(top[len(top) // 2])
    overall = float(counts @ (centres - counts @ centres / total) ** 2) / total
    within = max(overall - between[best], ((high - low) / BINS) ** 2 / 12.0)
    return float(edges[best + 1]), float(apart[best] / np.sqrt(within))


def _shrunk(picture: Array, block: int) -> Array:
    """Means (h // block, w // block, ...), float32, of square blocks of pixels."""
    height, width = (size // block for size in picture.shape[:2])
    blocks = picture[: height * block, : width * block].reshape(height, block, width, block, *picture.shape[2:])
    return blocks.mean(axis=(1, 3), dtype=np.float32)


def _terms(rows: Array, columns: Array, shape: tuple[int, ...]) -> Array:
    """Terms 1, r, c, r^2, r c, c^2 (n, m, 6) of the background at rows and columns [px]; r, c run from -1 to 1."""
    r, c = np.meshgrid(2.0 * (rows + 0.5) / shape[0] - 1.0, 2.0 * (columns + 0.5) / shape[1] - 1.0, indexing="ij")
    return np.stack([np.ones_like(r), r, c, r * r, r * c, c * c], axis=-1, dtype=np.float32)


def _channels(picture: Array) -> Array:
    """Brightness (h, w, 1) of grey values, or brightness, red less green and yellow less blue (h, w, 3), 0 to 1."""
    if picture.ndim == 2:
        return picture[:, :, None].astype(np.float32)
    red, green, blue = (picture[:, :, k].astype(np.float32) / 255.0 for k in range(3))
    return np.stack([(red + green + blue) / 3.0, red - green, (red + green) / 2.0 - blue], axis=-1)


@dataclass(frozen=True, eq=False)
class _Background:
    """A quadratic polynomial over a picture in each channel, fitted to its border and to everything similar to it.

    Attributes:
        shape: height and width [px].
        coefficients: (6, k) for k channels.
        spread: (k,) standard deviation about it, at least `CALM`.
    """

    shape: tuple[int, ...]
    coefficients: Array
    spread: Array

    @classmethod
    def of(cls, found: Array) -> _Background:
        """Of channels (h, w, k)."""
        height, width, channels = found.shape
        border = np.ones((height, width), dtype=bool)
        deep = max(2, round(BORDER * min(height, width)))
        border[deep:-deep, deep:-deep] = False
        x = _terms(np.arange(height), np.arange(width), found.shape).reshape(-1, 6).astype(np.float64)
        y, used = found.reshape(-1, channels).astype(np.float64), border.ravel()
        off, coefficients = y - np.median(y[used], axis=0), np.zeros((6, channels))
        for fit in range(2 * FITS):
            spread = cls._spread(off[used])
            alike = (np.abs(off) <= OUTLIER * spread).all(axis=1)
            used = alike if fit >= FITS and alike.any() else border.ravel()
            a, b = x[used & alike], y[used & alike]
            # normal equations by einsum: BLAS threads take longer than these few products
            squares = np.einsum("ni,nj->ij", a, a) + RIDGE * max(len(a), 1) * np.eye(6)
            coefficients = np.linalg.solve(squares, np.einsum("ni,nk->ik", a, b))
            off = y - np.einsum("ni,ik->nk", x, coefficients)
        return cls((height, width), coefficients.astype(np.float32), cls._spread(off[used]).astype(np.float32))

    @staticmethod
    def _spread(off: Array) -> Array:
        return np.maximum(np.median(np.abs(off), axis=0) / NORMAL_QUARTILE, CALM)

    def at(self, rows: Array, columns: Array) -> Array:
        """Values (n, m, k), float32, at rows (n,) and columns (m,) [px], which may lie between pixels."""
        return _terms(rows, columns, self.shape) @ self.coefficients

    def distance(self, found: Array, rows: Array, columns: Array, weights: Array, sign: float) -> Array:
        """(h, w) distance of weighted channels from it, in standard deviations.

        With a sign, 1 or -1, only what is brighter or darker than the background has a distance.
        """
        off = (found - self.at(rows, columns)) * (weights / self.spread)
        distance = np.sqrt(np.einsum("ijk,ijk->ij", off, off))
        return distance if sign == 0.0 else np.where(sign * off[:, :, 0] > 0.0, distance, np.float32(0.0))


@dataclass(frozen=True, eq=False)
class _Scene:
    """The coarse picture.

    Attributes:
        channels: (h, w, k) blurred channels; see `_channels`.
        behind: (h, w, k) those of the background.
        spread: (k,) standard deviation of the background.
    """

    channels: Array
    behind: Array
    spread: Array

    def agreed(self, one: _Reading | None, other: _Reading | None) -> _Reading | None:
        """The one of two readings to believe, the first where they show the same.

        Where one lies within the other, what is beside it is its shadow (it is left out), a part in another colour (the
        larger one is taken), or either (the smaller one, doubted).
        """
        ndimage = _image_tools()
        if one is None or other is None:
            return one or other
        same = _overlap(one.mask, other.mask)
        if same >= SAME_OBJECT:
            return one
        small, large = sorted((one, other), key=lambda reading: int(reading.mask.sum()))
        within = float((small.mask & large.mask).sum()) >= WITHIN * float(small.mask.sum())
        if not within or min(one.confidence, other.confidence) < LEAST_CONFIDENCE:
            return max(one, other, key=lambda reading: reading.confidence)
        # pixels at the border are mixed
        beside = large.mask & ~ndimage.maximum_filter(_filled(small.mask), 3)
        share = float(beside.sum()) / float(large.mask.sum())
        coloured = self.channels.shape[2] > 1
        removable = small.method == "colour" and 0.0 < share <= MOST_SHADOW
        if removable and self._in_shadow(beside) and not self._in_shadow(small.mask):
            return replace(small, shadow=share)
        if (coloured and not self._in_shadow(beside)) or not self._is_shade(beside, large.mask):
            return large
        return small.doubted("an area beside it may be its shadow, or a part of it", same)

    def _in_shadow(self, mask: BoolArray) -> bool:
        """Whether most pixels are darker than the background and of its colour."""
        here, behind = self.channels[mask], self.behind[mask]
        share = np.clip(here[:, :1] / np.maximum(behind[:, :1], CALM), 0.0, 1.0)
        off = (here[:, 1:] - share * behind[:, 1:]) / self.spread[1:]
        alike = (np.abs(off) <= SHADOW_COLOUR).all(axis=1) & (here[:, 0] < behind[:, 0])
        return float(alike.mean()) > MOSTLY

    def is_alone(self, found: _Reading, wish: _Wish) -> bool:
        """Whether nothing as large as a fingertip differs from the background in the other direction."""
        brightness = self.channels[:, :, 0]
        own = float(np.median(brightness[found.mask]))
        others = float(np.median(brightness[found.labels == 0]))
        beyond = (others - brightness) * np.sign(own - others) > OTHER_SIDE * abs(own - others)
        return float(beyond.sum()) * (found.block * wish.scale) ** 2 < wish.smallest

    def _is_shade(self, beside: BoolArray, whole: BoolArray) -> bool:
        """Whether pixels beside an object may be a shadow by their brightness."""
        brightness = self.channels[:, :, 0]
        share = float(np.median(brightness[beside])) / max(float(np.median(brightness[~whole])), BLANK)
        return SHADE[0] <= share <= SHADE[1]


def _readings(grey: Array, colours: Array | None, wish: _Wish) -> tuple[list[_Reading], _Scene]:
    """What the detectors find at several thresholds, and the coarse picture."""
    ndimage = _image_tools()
    block = max(1, int(np.ceil(np.sqrt(grey.size / COARSE_PIXELS))))
    found: list[_Reading | None] = []
    small = ndimage.gaussian_filter(_shrunk(grey, block), LEAST_BLUR, mode="nearest")
    level, separation = otsu(small)
    if separation >= LEAST_SEPARATION:
        dark = wish.polarity == "dark" or (wish.polarity == "auto" and (_border(small) > level).mean() > 0.5)
        sign = -1.0 if dark else 1.0
        field, middle = sign * small, sign * level
        half = (_quantile(field[field > middle], 0.5) + _quantile(field[field <= middle], 0.5)) / 2.0
        found.append(_objects("brightness", lambda window: sign * grey[window], field, half, block, wish))
    picture = grey if colours is None else colours
    channels = _channels(_shrunk(picture, block))
    if channels.shape[2] == 3 and float(np.quantile(np.abs(channels[:, :, 1:]), 0.999)) < GREY:
        picture, channels = grey, channels[:, :, :1]
    channels = ndimage.gaussian_filter(channels, (LEAST_BLUR, LEAST_BLUR, 0.0), mode="nearest")
    background = _Background.of(channels)
    rows, columns = (np.arange(size) for size in channels.shape[:2])
    scene = _Scene(channels, background.at(rows, columns), background.spread)
    calm = min(1.0, EVEN_SPREAD / float(np.linalg.norm(background.spread)))
    side = {"auto": 0.0, "dark": -1.0, "bright": 1.0}[wish.polarity]
    for method, brightness in BRIGHTNESS.items():
        if method == "colour" and channels.shape[2] == 1:
            break
        weights = np.array([brightness, 1.0, 1.0][: channels.shape[2]], dtype=np.float32)
        field = background.distance(channels, rows, columns, weights, side)
        values = partial(_distances, picture, background, weights, side, block)
        for level in sorted({max(otsu(np.minimum(field, FARTHEST))[0], LEAST_DISTANCE), *DISTANCES}):
            one = _objects(method, values, field, level, block, wish)
            found.append(one and one.doubted("the background is not even, neither in brightness nor in colour", calm))
    return [one for one in found if one is not None], scene


def _distances(
    picture: Array, background: _Background, weights: Array, sign: float, block: int, window: Window
) -> Array:
    """The distance from the background at full resolution, within rows and columns of the picture."""
    rows, columns = ((np.arange(part.start, part.stop) + 0.5) / block - 0.5 for part in window)
    return background.distance(_channels(picture[window]), rows, columns, weights, sign)


def _border(field: Array) -> Array:
    """Values along the picture's border."""
    return np.concatenate([field[0], field[-1], field[:, 0], field[:, -1]])


def _objects(
    method: Method, values: Callable[[Window], Array], field: Array, level: float, block: int, wish: _Wish
) -> _Reading | None:
    """The objects of a coarse field beyond a level, and the wanted one; None where there are no objects."""
    ndimage = _image_tools()
    labels, found = ndimage.label(field > level)
    areas = np.bincount(labels.ravel(), minlength=found + 1) * (block * wish.scale) ** 2
    numbers = 1 + np.argsort(-areas[1:], kind="stable")
    numbers = numbers[areas[numbers] >= wish.smallest]
    if method != "brightness" and wish.pick is None:
        edge = _border(labels)
        numbers = numbers[np.bincount(edge, minlength=found + 1)[numbers] < CUT_OFF_SHARE * len(edge)]
    if not len(numbers):
        return None
    chosen = wish.index if wish.index < len(numbers) else -1
    if wish.pick is not None:
        at = tuple(min(place // block, size - 1) for place, size in zip(wish.pick, labels.shape, strict=True))
        # on an object, or in a hole of one: the smallest around the point
        chosen = max((k for k, n in enumerate(numbers) if _filled(labels == n)[at]), default=-1)
    measures = _measures(field, level, labels, int(numbers[chosen]), wish) if chosen >= 0 else {}
    return _Reading(method, values, block, labels, numbers, chosen, level, measures)


def _filled(mask: BoolArray) -> BoolArray:
    """The mask with its holes filled."""
    ndimage = _image_tools()
    return np.asarray(ndimage.binary_fill_holes(mask))


def _measures(field: Array, level: float, labels: IntArray, number: int, wish: _Wish) -> dict[str, float]:
    """Reasons for doubt in an object, and values from 0 to 1 whose product is the confidence in it."""
    ndimage = _image_tools()
    mask, beyond = labels == number, field > level
    solid = _filled(mask)
    area, length = float(solid.sum()), _length(solid)
    inner, outer = float(np.median(field[mask])), float(np.median(field[~beyond]))
    change = THRESHOLD_CHANGE * min(inner - level, level - outer)
    kept = _filled(mask & (field > level + change))
    lower, _ = ndimage.label(field > level - change)
    grown = _filled(lower == np.bincount(lower[mask]).argmax())
    moved = float(grown.sum()) - float(kept.sum()) - STEADY_PIXELS * length
    outside = float((_border(labels) > 0).mean())
    extent = max(part.stop - part.start for part in ndimage.find_objects(mask.astype(np.int8))[0])
    side = EVEN_SIDES[0] if extent <= SMALL else EVEN_SIDES[1]
    evened = ndimage.uniform_filter(solid.astype(np.float32), side, mode="constant") > 0.5
    reach = max(1, round(GAP * extent / 2.0))
    near, _ = ndimage.label(ndimage.maximum_filter(beyond, 2 * reach + 1))
    areas, peaks = np.bincount(labels.ravel()), ndimage.maximum(field, labels, np.arange(labels.max() + 1))
    spots = float(areas[1:][(areas[1:] < SPOT * area) & (peaks[1:] < (inner + level) / 2.0)].sum())
    together = float((solid | (beyond & (near == near[mask][0]))).sum())
    return {
        "its border is not sharp: it moves when the threshold changes": max(0.0, 1.0 - max(moved, 0.0) / area),
        f"{outside:.0%} of the picture's border does not look like the background": 1.0 - outside,
        "many spots of the background come near to it": 1.0 - spots / float(areas[1:].sum()),
        "its border is ragged": min(1.0, _length(evened) / length) ** 2,
        "it may be a piece of something larger: other pieces lie close to it": 1.0
        if wish.pick is not None
        else min(1.0, (1.0 + GROWTH) * area / together),
    }


def _length(mask: BoolArray) -> float:
    """Number of sides between pixels inside and outside."""
    wide = np.pad(mask, 1)
    return float((wide[1:] != wide[:-1]).sum() + (wide[:, 1:] != wide[:, :-1]).sum())


# -- choice --------------------------------------------------------------------------------------------------------


def _best(grey: Array, colours: Array | None, wish: _Wish) -> _Reading:
    """The reading to believe: the border by brightness where the detectors agree, doubt where they differ."""
    readings, scene = _readings(grey, colours, wish)
    if not readings:
        raise _no_object("as large as a fingertip: the background is everywhere alike", TOO_SMALL)
    _check_wanted(readings, wish)
    inside = [one for one in readings if not one.touches_border(one.chosen)]
    if not inside:
        raise InputError(
            f"object {readings[0].chosen} touches the picture's border: a part of it is not visible",
            where="image",
            fix="give a picture that shows the whole part, or choose another object by pick or index",
        )
    bright, seen, bare = (_largest([one for one in inside if one.method == method]) for method in METHODS)
    if bright is not None and colours is None and bright.confidence >= CLEAR and scene.is_alone(bright, wish):
        return bright
    found = scene.agreed(seen, bare)
    if bright is not None and found is not None and _overlap(bright.mask, found.mask) >= SAME_OBJECT:
        exact = bright.confidence >= found.confidence - COMPARABLE and not found.shadow
        return bright if exact else found
    best = scene.agreed(bright, found)
    assert best is not None
    return best


def _no_object(what: str, fix: str = "") -> InputError:
    """The error for a picture without an object."""
    even = "give a picture of a part on an even, contrasting background"
    return InputError(f"shows no object {what}", where="image", fix="; ".join(filter(None, (even, fix))))


def _check_wanted(readings: list[_Reading], wish: _Wish) -> None:
    """Raise an error with the objects that there are if none of the readings has the wanted one."""
    if all(one.chosen < 0 for one in readings):
        listed = _listed(max((one.components(wish) for one in readings), key=len))
        if wish.pick is None:
            raise InputError(f"is {wish.index}", where="index", fix=listed)
        x, y = wish.middle(*wish.pick)
        raise InputError(f"({x:g}, {y:g}) mm is not on an object", where="pick", fix=listed)
    readings[:] = [one for one in readings if one.chosen >= 0]


def _listed(components: tuple[Component, ...]) -> str:
    """The objects as text, for messages."""
    shown = []
    for i, c in enumerate(components[:MOST_LISTED]):
        cut = " (cut by the border)" if c.touches_border else ""
        shown.append(f"{i} at ({c.centre[0]:.0f}, {c.centre[1]:.0f}) mm, {c.area:.0f} mm^2{cut}")
    more = f" and {len(components) - MOST_LISTED} more" if len(components) > MOST_LISTED else ""
    return f"objects, largest first: {'; '.join(shown)}{more}"


def _largest(readings: list[_Reading]) -> _Reading | None:
    """The largest of the readings with the highest confidence, or one that is almost as high.

    An object that only one of several thresholds shows is doubted.
    """
    if len(readings) > 1:
        alike = [max(_overlap(one.mask, other.mask) for other in readings if other is not one) for one in readings]
        doubt = "it changes with the threshold"
        readings = [
            one.doubted(doubt, min(1.0, share / SAME_OBJECT)) for one, share in zip(readings, alike, strict=True)
        ]
    high = max((one.confidence for one in readings), default=0.0) - COMPARABLE
    return max((one for one in readings if one.confidence >= high), key=lambda one: int(one.mask.sum()), default=None)


def _overlap(one: BoolArray, other: BoolArray) -> float:
    """Intersection over union."""
    return float((one & other).sum() / (one | other).sum())


def _refined(reading: _Reading, grey: Array, wish: _Wish) -> Segmentation:
    """The object of a reading at full resolution, in a window around it.

    The half level lies between the background and the weaker colours of the object; the threshold is used instead if
    the object would change otherwise.
    """
    ndimage = _image_tools()
    block, (rows, columns) = reading.block, ndimage.find_objects(reading.mask.astype(np.int8))[0]
    margin = max(round(MARGIN * max(rows.stop - rows.start, columns.stop - columns.start)), 4) + 1
    window = (
        slice(max(rows.start - margin, 0) * block, min((rows.stop + margin) * block, grey.shape[0])),
        slice(max(columns.start - margin, 0) * block, min((columns.stop + margin) * block, grey.shape[1])),
    )
    coarse = tuple(
        np.minimum(np.arange(part.start, part.stop) // block, size - 1)
        for part, size in zip(window, reading.labels.shape, strict=True)
    )
    rough, sharp = reading.mask[np.ix_(*coarse)], reading.values(window)
    outer = _quantile(sharp[~rough], 0.5)
    contrast = _quantile(sharp[rough], 0.5) - outer
    field = _blurred(sharp, LEAST_BLUR * _noise_of(sharp) / max(CALM_NOISE * contrast, EVEN))
    half = (_quantile(field[rough], 0.5 if reading.method == "brightness" else WEAK) + outer) / 2.0
    for level, least in ((half, SAME_OBJECT), (reading.level, SAME_OBJECT / 2.0)):
        labels, _ = ndimage.label(field > level)
        mask = labels == np.bincount(labels[rough & (labels > 0)], minlength=1).argmax()
        if mask[labels > 0].any() and _overlap(mask, rough) >= least and not _border(mask).any():
            break
    else:
        raise _no_object("with a border: its grey values do not fall into object and background")
    if float(mask.sum()) * wish.scale**2 < wish.smallest:
        raise _no_object("as large as a fingertip", TOO_SMALL)
    here = grey[window]
    shadow = f"a probable shadow, {reading.shadow:.0%} of the area, was removed"
    return Segmentation(
        shape=wish.shape,
        corner=(wish.region[0].start + window[0].start, wish.region[1].start + window[1].start),
        mask=mask,
        field=field,
        half_level=float(level),
        polarity="bright" if float(here[mask].mean()) > float(here[~mask].mean()) else "dark",
        components=reading.components(wish),
        chosen=reading.chosen,
        confidence=reading.confidence,
        doubt=shadow if reading.shadow else min(reading.measures, key=lambda words: reading.measures[words]),
        method=reading.method,
        shadow=reading.shadow,
    )


def _quantile(values: Array, share: float) -> float:
    """A quantile of a sample of values."""
    return float(np.quantile(values[:: max(values.size // SAMPLED, 1)], share))


def _noise_of(field: Array) -> float:
    """Standard deviation of the noise per pixel, from second differences along some rows, which edges hardly affect."""
    rows = field[:: max(field.size // SAMPLED, 1)]
    bends = np.abs(rows[:, :-2] - 2.0 * rows[:, 1:-1] + rows[:, 2:])
    return float(np.median(bends)) / (NORMAL_QUARTILE * np.sqrt(6.0))


def _blurred(field: Array, sigma: float) -> Array:
    """The field blurred by a Gaussian of `sigma` [px], within its bounds, less its Laplacian.

    The Laplacian, with the variance of the blur and of the averaging over a pixel, moves the half level of a curved
    border back to where it was.
    """
    ndimage = _image_tools()
    spread = float(np.clip(sigma, LEAST_BLUR, MOST_BLUR))
    smooth = ndimage.gaussian_filter(field, spread, output=np.float32, mode="nearest")
    return smooth - np.float32(spread**2 + PIXEL_SPREAD) * ndimage.correlate(smooth, LAPLACIAN, mode="nearest")


@with_advice()
def trace(segmentation: Segmentation, mm_per_px: float = 1.0) -> Contour:
    """The segmented object's contour [mm] to a fraction of a pixel: where the blurred field crosses the half level.

    A pixel (row, col) lies at x = (col - (w - 1)/2) s, y = ((h - 1)/2 - row) s with s = `mm_per_px`. Rings are level
    lines through the pixel centres (contourpy); holes smaller than `SMALLEST_HOLE` are specks and left out.
    """
    from contourpy import FillType, contour_generator

    ndimage = _image_tools()

    scale = checked_scale(mm_per_px)
    inner = np.unravel_index(np.argmax(ndimage.distance_transform_cdt(segmentation.mask)), segmentation.mask.shape)
    lines: Any = contour_generator(z=segmentation.field, fill_type=FillType.OuterOffset)
    polygons, offsets = lines.filled(segmentation.half_level, np.inf)
    rows, columns = segmentation.shape
    middle = np.array([(columns - 1) / 2.0, (rows - 1) / 2.0]) - segmentation.corner[::-1]
    for points, ends in zip(polygons, offsets, strict=True):
        rings = [points[start : end - 1] for start, end in pairwise(ends)]
        if contains(rings[0], np.array([inner[::-1]], dtype=np.float64))[0]:
            break
    else:
        raise AssertionError("the level line around the object is closed")
    outer, *holes = ([1.0, -1.0] * (ring - middle) * scale for ring in rings if abs(signed_area(ring)) >= SMALLEST_HOLE)
    extent = float(np.ptp(outer, axis=0).max())
    if extent > LARGEST_PART:
        raise InputError(
            f"makes the part {extent:g} mm wide",
            where="mm_per_px",
            fix=f"give the millimetres one pixel covers; parts of up to {LARGEST_PART:g} mm are accepted",
        )
    return Contour.from_points(outer, holes)

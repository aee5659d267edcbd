"""Photographs: objects that differ from the background in colour or brightness, and the confidence in them.

The background is a smooth surface, a quadratic polynomial over the picture in each channel of CIE L*a*b*, fitted to the
border of the picture without outliers and then to everything similar to it. It follows uneven light, where one
threshold for the whole picture fails. A pixel's distance from the background is measured in standard deviations of the
background, channel by channel, so that texture counts less than a colour that the background does not have. Objects are
searched at a low resolution, with several thresholds, with brightness and almost without it (shadows hardly change
colour). The one with the highest confidence is then found again at full resolution, in a window around it.

The confidence is the product of six values from 0 to 1. Each of them was chosen to be near 1 on correctly segmented
scenes, and lower on others (`Measures`).

Own code: the conversion to L*a*b* needs only tables, so that scikit-image is not needed, and the background that is
fitted to the border replaces a local threshold, which hollows out parts larger than its window.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from ..checks import Array, BoolArray, IntArray
from .labels import labelled
from .level_lines import blurred

#: Pixels of the picture in which objects are searched, and smallest number of pixels of an object there.
COARSE_PIXELS = 25_000
FEWEST_COARSE = 40

#: Width of the picture's border that shows the background, as a share of the smaller side.
BORDER = 0.03

#: Smallest standard deviation of the background in units of L*, a* and b*: compression changes colours by as much.
CALM = 2.0

#: The background is fitted this often to the border, and then as often to everything similar to it; pixels farther away
#: than this many standard deviations are ignored.
FITS = 3
OUTLIER = 3.0

#: Pixels of the background that it is fitted to.
FITTED = 3000

#: Added to the squares of the terms of the background, so that also a border of one side can be fitted.
RIDGE = 1e-6

#: Median absolute deviation to standard deviation, of normally distributed values.
TO_SIGMA = 1.4826

#: Weights of brightness relative to colour; the second is for shadows.
BRIGHTNESS = (1.0, 0.25)

#: Distances from the background, in its standard deviations, that are tried as thresholds, from below, until an object
#: has a high confidence: higher ones lose parts of it in other colours. Otsu's is tried first where it is lower, and
#: without brightness.
DISTANCES = (4.0, 6.0, 9.0, 13.5, 20.0)
LEAST_DISTANCE, FARTHEST = 2.0, 30.0

#: A confidence that ends the search for a better threshold.
CONFIDENT = 0.97

#: A confidence, ignoring the doubt whether an object is whole, above which this doubt counts for higher thresholds too.
SOUND = 0.9

#: Colours that differ by less than this from grey, in a* and b*, count as grey.
GREY = 3.0

#: Of objects whose confidences differ by less than this, the largest is taken: it may have parts of several colours.
COMPARABLE = 0.1

#: A shadow is a share between these of an object with its shadow; most of it is darker than the background and of its
#: colour, within this many standard deviations.
LEAST_SHADOW, MOST_SHADOW = 0.02, 0.35
SHADOW_COLOUR = 6.0
MOSTLY = 0.6

#: Largest confidence of an object whose shadow was removed.
WITH_SHADOW = 0.85

#: Fraction of the distances within an object that determines its threshold: its weaker colours stay inside.
WEAK = 0.2


# -- colours -------------------------------------------------------------------------------------------------------

_TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
_TO_XYZ = (_TO_XYZ / _TO_XYZ.sum(axis=1, keepdims=True)).astype(np.float32)


def lab(colours: Array) -> Array:
    """CIE L*a*b* (..., 3), float32, of sRGB colours (..., 3) from 0 to 1; white point D65."""
    values = np.asarray(colours, dtype=np.float32)
    return _lab(np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** np.float32(2.4)))


def _lab(linear: Array) -> Array:
    """L*a*b* of linear light (..., 3)."""
    red, green, blue = (np.ascontiguousarray(linear[..., k]) for k in range(3))
    x, y, z = (_root(a * red + b * green + c * blue) for a, b, c in _TO_XYZ)
    out = np.empty(linear.shape, dtype=np.float32)
    out[..., 0] = 116.0 * y - 16.0
    out[..., 1] = 500.0 * (x - y)
    out[..., 2] = 200.0 * (y - z)
    return out


def _root(share: Array) -> Array:
    """The cube root, and the straight line that replaces it near 0."""
    root = np.cbrt(share)
    low = share < 216.0 / 24389.0
    root[low] = share[low] * np.float32(24389.0 / 27.0 / 116.0) + np.float32(16.0 / 116.0)
    return root


_LINEAR = np.arange(256) / 255.0
_LINEAR = np.where(_LINEAR <= 0.04045, _LINEAR / 12.92, ((_LINEAR + 0.055) / 1.055) ** 2.4).astype(np.float32)


#: Pixels that are converted at a time, to keep the memory of large pictures small.
AT_ONCE = 1_000_000


def channels(picture: Array) -> Array:
    """Channels (h, w, 3) of uint8 sRGB colours, in L*a*b*; or (h, w, 1) of grey values from 0 to 1, times 100."""
    if picture.ndim == 2:
        return (100.0 * np.asarray(picture, dtype=np.float32))[:, :, None]
    out = np.empty(picture.shape, dtype=np.float32)
    rows = max(AT_ONCE // picture.shape[1], 1)
    for start in range(0, len(picture), rows):
        out[start : start + rows] = _lab(_LINEAR[picture[start : start + rows]])
    return out


def shrunk(picture: Array, block: int) -> Array:
    """Means (h // block, w // block, ...), float32, of square blocks of pixels."""
    height, width = (size // block for size in picture.shape[:2])
    total = np.zeros((height, width, *picture.shape[2:]), dtype=np.float32)
    for row in range(block):
        for column in range(block):
            total += picture[row : height * block : block, column : width * block : block]
    return total / block**2


# -- background ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Background:
    """A smooth surface over a picture: c0 + c1 r + c2 c + c3 r^2 + c4 r c + c5 c^2 in each channel.

    Attributes:
        shape: height and width [px] of the picture; r and c run over it from -1 to 1.
        coefficients: (6, k) for k channels.
        spread: (k,) standard deviation about it, at least `CALM`.
    """

    shape: tuple[int, int]
    coefficients: Array
    spread: Array

    def at(self, rows: Array, columns: Array) -> Array:
        """Values (n, m, k), float32, at rows (n,) and columns (m,) [px], which may lie between pixels."""
        r, c = (2.0 * (at + 0.5) / size - 1.0 for at, size in zip((rows, columns), self.shape, strict=True))
        one, by_r, by_c, by_rr, by_rc, by_cc = (row.astype(np.float32) for row in self.coefficients)
        r, c = r.astype(np.float32)[:, None], c.astype(np.float32)[:, None]
        down, across = one + by_r * r + by_rr * r * r, by_c * c + by_cc * c * c
        return down[:, None, :] + across[None, :, :] + r[:, None, :] * (by_rc * c)[None, :, :]

    def distance(self, found: Array, behind: Array, brightness: float) -> Array:
        """(h, w) distance of channels from the background, in standard deviations; the first counts by a weight."""
        weights = np.ones(found.shape[2], dtype=np.float32)
        weights[0] = brightness
        total = np.zeros(found.shape[:2], dtype=np.float32)
        for k, weight in enumerate(weights / self.spread):
            total += np.square((found[:, :, k] - behind[:, :, k]) * np.float32(weight))
        return np.sqrt(total, out=total)


def fitted_background(found: Array) -> Background:
    """The background of a picture of channels (h, w, k), from its border and then from everything similar to it."""
    height, width, _ = found.shape
    r, c = (2.0 * (np.indices((height, width))[k] + 0.5) / size - 1.0 for k, size in enumerate((height, width)))
    terms = np.stack([np.ones_like(r), r, c, r * r, r * c, c * c], axis=-1)
    deep = max(2, round(BORDER * min(height, width)))
    border = np.ones((height, width), dtype=bool)
    border[deep:-deep, deep:-deep] = False
    x, y = terms[border], found[border].astype(np.float64)
    off = y - np.median(y, axis=0)
    good = _near(off, _spread(off))
    solution, spread = np.zeros((6, found.shape[2])), np.ones(found.shape[2])
    for k in range(2 * FITS):
        # normal equations by einsum: BLAS threads take longer than these few products
        a, b = x[good], y[good]
        solution = np.linalg.solve(
            np.einsum("ni,nj->ij", a, a) + RIDGE * len(a) * np.eye(6), np.einsum("ni,nk->ik", a, b)
        )
        off = y - np.einsum("ni,ik->nk", x, solution)
        spread = _spread(off[good])
        if k == FITS - 1:
            whole = Background((height, width), solution, spread)
            alike = _near(found - whole.at(np.arange(height), np.arange(width)), spread)
            every = max(int(alike.sum()) // FITTED, 1)
            x, y = terms[alike][::every], found[alike][::every].astype(np.float64)
            off = y - np.einsum("ni,ik->nk", x, solution)
        good = _near(off, spread)
    return Background((height, width), solution, spread)


def _spread(off: Array) -> Array:
    return np.maximum(TO_SIGMA * np.median(np.abs(off), axis=0), CALM)


def _near(off: Array, spread: Array) -> BoolArray:
    return np.asarray((np.abs(off) <= OUTLIER * spread).all(axis=-1))


# -- confidence ----------------------------------------------------------------------------------------------------

#: The border of a sound object moves by at most this many pixels when the threshold changes by this share of the
#: difference between object or background and the threshold.
STEADY_PIXELS = 0.7
THRESHOLD_CHANGE = 0.3

#: Pieces below this fraction of the object's area that differ less from the background are spots.
SPOT = 0.1

#: Sides [px] of the square that smooths a border, to measure how ragged it is, for small objects and for others.
EVEN_SIDES, SMALL = (3, 5), 100

#: Pieces nearer to each other than this share of the object's extent, and at least two pixels, may be one object where
#: the gap between them differs from the background by more than this share of the contrast.
GAP, GAP_CONTRAST = 0.1, 0.1

#: Standard deviation of a background, in units of L*a*b*, up to which it counts as even; wood and noise have 4 to 8.
EVEN_SPREAD = 9.0

#: Areas may grow by this fraction when gaps are closed without reducing the confidence.
GROWTH = 0.15


@dataclass(frozen=True)
class Measures:
    """Values from 0 to 1 whose product is the confidence in an object.

    Attributes:
        steady: one minus the fraction of the area that changes with the threshold, without the part of a sharp border.
        tidy: one minus the area of spots beyond the threshold, as a share of all area beyond it.
        framed: share of the border of the picture that looks like the background.
        even: square of the ratio of the length of the smoothed border to its length.
        whole: area of the object over that of the pieces from which it is separated by narrow gaps that do not look
            like the background; 1 where it was picked.
        calm: largest standard deviation of a background that shows parts clearly, over that of the background.
    """

    steady: float
    tidy: float
    framed: float
    even: float
    whole: float
    calm: float = 1.0

    @property
    def confidence(self) -> float:
        """Their product."""
        return float(np.prod(list(vars(self).values())))

    @property
    def weakest(self) -> str:
        """The main reason for a low confidence, as text."""
        words = {
            "steady": "its border is not sharp: it moves when the threshold changes",
            "tidy": "many spots of the background come near to it",
            "framed": f"{100.0 * (1.0 - self.framed):.0f} % of the picture's border does not look like the background",
            "even": "its border is ragged",
            "calm": "the background is not even, neither in brightness nor in colour",
            "whole": "it may be a piece of something larger: other pieces lie close to it",
        }
        return words[min(words, key=lambda name: getattr(self, name))]


def assess(field: Array, level: float, mask: BoolArray, framed: float, *, picked: bool = False) -> Measures:
    """The confidence in an object.

    Args:
        field: (h, w) values that are larger on the object than around it, in a window around it.
        level: the threshold in them.
        mask: (h, w) pixels of the object.
        framed: share of the whole picture's border that is below the threshold.
        picked: whether the user picked the object, so that pieces beside it are other objects.
    """
    beyond = field > level
    solid = filled(mask)
    area, length = float(solid.sum()), _length(solid)
    rows, columns = np.flatnonzero(solid.any(axis=1)), np.flatnonzero(solid.any(axis=0))
    extent = int(max(rows[-1] - rows[0], columns[-1] - columns[0])) + 1
    behind = field[~beyond] if not beyond.all() else np.array([level])
    inner, outer = float(np.median(field[mask])), float(np.median(behind))
    change = THRESHOLD_CHANGE * min(max(inner - level, 0.0), max(level - outer, 0.0))
    kept = filled(mask & (field > level + change))
    labels, _ = labelled(field > level - change)
    grown = filled(labels == np.bincount(labels[mask]).argmax())
    moved = float(grown.sum()) - float(kept.sum()) - STEADY_PIXELS * length
    labels, boxes = labelled(beyond)
    areas, peaks = np.bincount(labels.ravel(), minlength=len(boxes) + 1), np.full(len(boxes) + 1, -np.inf)
    np.maximum.at(peaks, labels[beyond], field[beyond])
    spots = float(areas[1:][(areas[1:] < SPOT * area) & (peaks[1:] < (inner + level) / 2.0)].sum())
    side = EVEN_SIDES[0] if extent < SMALL else EVEN_SIDES[1]
    return Measures(
        steady=max(0.0, 1.0 - max(moved, 0.0) / area),
        tidy=1.0 - spots / max(float(areas[1:].sum()), 1.0),
        framed=framed,
        even=min(1.0, _length(_evened(solid, side)) / length) ** 2,
        whole=1.0 if picked else _whole(field, beyond, solid, max(1, round(GAP * extent / 2.0)), inner - outer, outer),
    )


def _whole(field: Array, beyond: BoolArray, solid: BoolArray, reach: int, contrast: float, outer: float) -> float:
    """Area of an object over that of the pieces from which it is separated by narrow gaps that are not background.

    For a gap of one or two pixels this cannot be decided: it may be where one colour changes to another.
    """
    allowed = (1.0 + GROWTH) * float(solid.sum())
    cluster = _cluster(beyond, solid, 1)
    merged = float((solid | cluster).sum())
    if merged > allowed:
        return allowed / merged
    cluster = _cluster(beyond, solid, reach)
    merged = float((solid | cluster).sum())
    if merged <= allowed:
        return 1.0
    gap = _dilated(cluster, reach) & ~beyond & _dilated(solid, reach) & _dilated(cluster & ~solid, reach)
    if not gap.any() or abs(float(np.quantile(field[gap], 0.25)) - outer) <= GAP_CONTRAST * contrast:
        return 1.0
    return allowed / merged


def _cluster(beyond: BoolArray, solid: BoolArray, reach: int) -> BoolArray:
    """The pixels beyond a threshold of all pieces that an object merges with when gaps of twice a reach are closed."""
    near, _ = labelled(_dilated(beyond, reach))
    return beyond & (near == near[solid][0])


def touched(mask: BoolArray, others: BoolArray) -> float:
    """Area of an object over that with the pieces of others that touch it, or nearly; 1 where they are small."""
    labels, boxes = labelled(others)
    areas = np.bincount(labels.ravel(), minlength=len(boxes) + 1)
    near = np.unique(labels[_dilated(mask, 3)])
    area = float(mask.sum())
    return min(1.0, (1.0 + GROWTH) * area / (area + float(areas[near[near > 0]].sum())))


def filled(mask: BoolArray) -> BoolArray:
    """The mask with its holes filled."""
    rows, columns = mask.shape
    outside = np.ones((rows + 2, columns + 2), dtype=bool)
    outside[1:-1, 1:-1] = ~mask
    labels, _ = labelled(outside, diagonal=True)
    return labels[1:-1, 1:-1] != labels[0, 0]


def _length(mask: BoolArray) -> float:
    """Number of sides between pixels inside and outside."""
    wide = np.zeros((mask.shape[0] + 2, mask.shape[1] + 2), dtype=bool)
    wide[1:-1, 1:-1] = mask
    return float((wide[1:] != wide[:-1]).sum() + (wide[:, 1:] != wide[:, :-1]).sum())


def _evened(mask: BoolArray, side: int) -> BoolArray:
    """Pixels of which most of the square around them is inside."""
    half = side // 2
    total = np.pad(mask.astype(np.int32), half + 1).cumsum(axis=0).cumsum(axis=1)
    inside = total[side:, side:] - total[:-side, side:] - total[side:, :-side] + total[:-side, :-side]
    return inside[: mask.shape[0], : mask.shape[1]] > side * side // 2


def _dilated(mask: BoolArray, reach: int) -> BoolArray:
    """All pixels within a square of half side `reach` about a pixel of the mask."""
    out = mask.copy()
    for axis in (0, 1):
        total = np.pad(out, [(reach + 1, reach) if k == axis else (0, 0) for k in (0, 1)]).cumsum(axis=axis)
        size, wide = out.shape[axis], 2 * reach + 1
        high, low = np.take(total, range(wide, wide + size), axis), np.take(total, range(size), axis)
        out = high > low
    return out


# -- objects -------------------------------------------------------------------------------------------------------


#: Chooses an object: its number, 0 for none, from labels (h, w) and the areas (n,) [px] of all numbers.
Wanted = Callable[[IntArray, IntArray], int]


@dataclass(frozen=True, eq=False)
class FoundObject:
    """Objects beyond a threshold in a picture of low resolution, and the one that is wanted.

    Attributes:
        labels: (h, w) number of the object that each pixel belongs to, 0 for none.
        number: number of the wanted one.
        level: the threshold, in standard deviations of the background.
        brightness: weight of brightness relative to colour.
        sign: 0, or 1 and -1 where only what is brighter or darker than the background counts.
        measures: the parts of its confidence.
        shadow: fraction of the area beyond the threshold that was removed as a shadow.
    """

    labels: IntArray
    number: int
    level: float
    brightness: float
    sign: int
    measures: Measures
    shadow: float = 0.0

    @property
    def confidence(self) -> float:
        """The confidence, from 0 to 1."""
        whole = self.measures.confidence
        return min(whole, WITH_SHADOW) if self.shadow else whole

    @property
    def mask(self) -> BoolArray:
        """(h, w) its pixels."""
        return self.labels == self.number


class Photograph:
    """A picture of low resolution, its background, and distances from it.

    Args:
        picture: uint8 sRGB colours (h, w, 3), or grey values (h, w) from 0 to 1.
    """

    def __init__(self, picture: Array) -> None:
        height, width = picture.shape[:2]
        self.picture = picture
        self.block = max(1, int(np.ceil(np.sqrt(height * width / COARSE_PIXELS))))
        small = shrunk(picture, self.block)
        found = lab(small / 255.0) if small.ndim == 3 else channels(small)
        if found.shape[2] == 3 and float(np.quantile(np.abs(found[:, :, 1:]), 0.999)) < GREY:
            found = found[:, :, :1]
        self.coloured = found.shape[2] == 3
        self.found = np.stack([blurred(found[:, :, k], 1.0) for k in range(found.shape[2])], axis=-1)
        self.background = fitted_background(self.found)
        rows, columns = self.found.shape[:2]
        self.behind = self.background.at(np.arange(rows), np.arange(columns))

    def distances(self, brightness: float, sign: int) -> Array:
        """(h, w) distance from the background of the picture of low resolution; with a sign only to one side of it."""
        if sign:
            return sign * (self.found[:, :, 0] - self.behind[:, :, 0]) / np.float32(self.background.spread[0])
        return self.background.distance(self.found, self.behind, brightness)

    def window(self, box: tuple[slice, slice], brightness: float, sign: int) -> Array:
        """The same at full resolution, within rows and columns of the picture."""
        found = channels(self.picture[box])[:, :, : self.found.shape[2]]
        rows, columns = ((np.arange(part.start, part.stop) + 0.5) / self.block - 0.5 for part in box)
        behind = self.background.at(rows, columns)
        if sign:
            return sign * (found[:, :, 0] - behind[:, :, 0]) / np.float32(self.background.spread[0])
        return self.background.distance(found, behind, brightness)

    def candidates(self, wanted: Wanted, sign: int, *, picked: bool) -> Iterator[FoundObject]:
        """Objects by thresholds, until one has a high confidence; with brightness and without."""
        for brightness in BRIGHTNESS[: 2 if self.coloured and not sign else 1]:
            field = self.distances(brightness, sign)
            first = otsu_of(np.minimum(field, FARTHEST))
            with_light, whole = brightness == BRIGHTNESS[0], 1.0
            use_first = first >= LEAST_DISTANCE and not (with_light and first >= DISTANCES[0])
            for level in (*((first,) if use_first else ()), *DISTANCES):
                beyond = field > level
                labels, boxes = labelled(beyond)
                areas = np.bincount(labels.ravel(), minlength=len(boxes) + 1)
                number = wanted(labels, areas) if boxes else 0
                if not number or areas[number] < FEWEST_COARSE:
                    continue
                edge = np.concatenate([beyond[0], beyond[-1], beyond[:, 0], beyond[:, -1]])
                window = around(boxes[number - 1], field.shape)
                mask = labels[window] == number
                measures = assess(field[window], level, mask, 1.0 - float(edge.mean()), picked=picked)
                measures = replace(measures, calm=min(1.0, EVEN_SPREAD / float(np.linalg.norm(self.background.spread))))
                # pieces that are close together at a lower threshold are not separated by a higher one
                whole = min(whole, measures.whole) if measures.confidence >= SOUND * measures.whole else whole
                measures = replace(measures, whole=min(measures.whole, whole))
                yield FoundObject(labels, number, level, brightness, sign, measures)
                if measures.confidence >= CONFIDENT:
                    break

    def best(self, wanted: Wanted, sign: int = 0, *, picked: bool = False) -> FoundObject | None:
        """The object with the highest confidence, without its shadow; None where there is none.

        Args:
            wanted: the number of the object that is wanted, from labels (h, w) and areas (n,) [px]; 0 for none.
            sign: 1 or -1 where only what is brighter or darker than the background counts.
            picked: whether the user picked the object.
        """
        every = list(self.candidates(wanted, sign, picked=picked))
        whole, bare = (_largest([found for found in every if found.brightness == weight]) for weight in BRIGHTNESS)
        if whole is None or bare is None:
            return whole or bare
        lost = whole.mask & ~_dilated(filled(bare.mask), 1)  # pixels at the border are mixed
        shadow = float(lost.sum()) / float(whole.mask.sum())
        likely = bare.confidence >= WITH_SHADOW and LEAST_SHADOW < shadow <= MOST_SHADOW
        if likely and self._shadowed(lost) and not self._shadowed(bare.mask):
            return replace(bare, shadow=shadow)
        return whole

    def _shadowed(self, mask: BoolArray) -> bool:
        """Whether most pixels are darker than the background and of its colour."""
        here, behind = self.found[mask], self.behind[mask]
        share = np.clip(here[:, :1] / np.maximum(behind[:, :1], 1.0), 0.0, 1.0)
        off = (here[:, 1:] - share * behind[:, 1:]) / self.background.spread[1:]
        alike = (np.abs(off) <= SHADOW_COLOUR).all(axis=1) & (here[:, 0] < behind[:, 0])
        return float(alike.mean()) > MOSTLY


def _largest(every: list[FoundObject]) -> FoundObject | None:
    """The largest of the objects with the highest confidence, or one that is almost as high."""
    if not every:
        return None
    high = max(found.confidence for found in every) - COMPARABLE
    return max((found for found in every if found.confidence >= high), key=lambda found: int(found.mask.sum()))


def otsu_of(field: Array) -> float:
    """Otsu's threshold of a picture."""
    from .pictures import otsu

    return otsu(field)[0]


def around(box: tuple[slice, slice], shape: tuple[int, ...], share: float = 0.5, least: int = 8) -> tuple[slice, slice]:
    """Rows and columns of a box extended on all sides by a fraction of its larger side, within a picture."""
    wide = []
    more = max(round(share * max(part.stop - part.start for part in box)), least)
    for part, size in zip(box, shape, strict=False):
        wide.append(slice(max(part.start - more, 0), min(part.stop + more, size)))
    return wide[0], wide[1]

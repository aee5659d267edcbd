"""Finding the object in a picture: blur, Otsu's threshold, connected components, the half level of its border."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ..checks import Array, BoolArray, IntArray, array, count, number, positive
from ..errors import InputError, UnknownNameError
from .contours import checked_scale
from .staircases import two_level
from .thresholds import LEAST_SEPARATION, median_of, stretched, thresholded

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
    labels, components, numbers = _components(inside, scale, fingertip)
    chosen = _chosen(labels, components, numbers, scale, pick, index)
    if components[chosen].touches_border:
        raise InputError(
            f"object {chosen} touches the picture's border: a part of it is out of sight",
            where="image",
            fix=f"show the whole part with some background around it, or take another object; {_listed(components)}",
        )
    corner, mask, cut = _cut_out(labels, int(numbers[chosen]), field)
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


def _components(inside: BoolArray, scale: float, fingertip: float) -> tuple[IntArray, tuple[Component, ...], IntArray]:
    """Labels (h, w), the objects at least as large as a fingertip, largest first, and their labels."""
    labels, found = _labelled(inside)
    smallest = np.pi / 4.0 * positive("fingertip", fingertip, unit="mm") ** 2
    areas = np.bincount(labels.ravel(), minlength=found + 1)[1:] * scale**2
    numbers = 1 + np.argsort(-areas, kind="stable")
    numbers = numbers[areas[numbers - 1] >= smallest]
    if not len(numbers):
        largest = float(areas.max()) if found else 0.0
        raise InputError(
            f"shows no object as large as a fingertip: the largest has {largest:.3g} mm^2 at {scale:g} mm/px",
            where="image",
            fix=f"objects need at least {smallest:.3g} mm^2; check mm_per_px, or come nearer with the camera",
        )
    border = np.unique(np.concatenate([labels[0], labels[-1], labels[:, 0], labels[:, -1]]))
    boxes = _boxes(labels)
    height, width = inside.shape
    components = []
    for label in numbers:
        box = boxes[label - 1]
        own = labels[box] == label
        row = box[0].start + float(own.sum(axis=1) @ np.arange(own.shape[0])) / own.sum()
        column = box[1].start + float(own.sum(axis=0) @ np.arange(own.shape[1])) / own.sum()
        centre = ((column - (width - 1) / 2.0) * scale, ((height - 1) / 2.0 - row) * scale)
        components.append(Component(float(areas[label - 1]), centre, bool(label in border)))
    return labels, tuple(components), numbers


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


def _cut_out(labels: IntArray, label: int, field: Array) -> tuple[tuple[int, int], BoolArray, Array]:
    """Corner, mask and grey values around one object."""
    box = _boxes(labels)[label - 1]
    rows = slice(max(box[0].start - FRAME, 0), box[0].stop + FRAME)
    columns = slice(max(box[1].start - FRAME, 0), box[1].stop + FRAME)
    mask = labels[rows, columns] == label
    return (rows.start, columns.start), mask, np.ascontiguousarray(field[rows, columns])


def _starts(mask: BoolArray) -> tuple[tuple[int, int, int], ...]:
    """Where the walks around the outer border and around each hole begin: (row, column, side).

    The first pixel of the object, in reading order, has background to the north (side 1). The first pixel of a hole
    has the object to its north, which has the hole to the south (side 3). Specks are no holes.
    """
    background, found = _labelled(~mask, diagonal=True)
    sizes = np.bincount(background.ravel(), minlength=found + 1)
    top, left = divmod(int(np.argmax(mask)), mask.shape[1])
    starts = [(top, left, 1)]
    for label, box in enumerate(_boxes(background), start=1):
        if label == background[0, 0] or sizes[label] < SMALLEST_HOLE:
            continue
        row = box[0].start
        column = box[1].start + int(np.argmax(background[row, box[1]] == label))
        starts.append((row - 1, column, 3))
    return tuple(starts)


def _labelled(inside: BoolArray, *, diagonal: bool = False) -> tuple[IntArray, int]:
    """Labels from 1 on of the connected pieces of a mask, and their number; diagonal neighbours connect when asked."""
    from scipy import ndimage

    labels: Any = np.empty(inside.shape, dtype=np.int32)
    structure = np.ones((3, 3)) if diagonal else None
    found: Any = ndimage.label(inside, structure=structure, output=labels)
    return labels, int(found)


def _boxes(labels: IntArray) -> list[tuple[slice, slice]]:
    """Rows and columns that each label covers."""
    from scipy import ndimage

    found: Any = ndimage.find_objects(labels)
    return found

"""Grey values and colours of picture files and arrays of pixels. What is found in them: see `segmentation`."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..checks import Array, array
from ..errors import FileError, InputError, missing_extra
from ..inputs import checked_path, plain_file
from ..public_names import with_advice

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


#: Grey values that thresholds are chosen among.
BINS = 512


def between_classes(values: Array) -> float:
    """Otsu's variance between the two classes that separate some grey values best; 0 where all are equal."""
    low, high = float(values.min()), float(values.max())
    if low == high:
        return 0.0
    counts, edges = np.histogram(values, bins=BINS, range=(low, high))
    return float(class_variances(counts, (edges[:-1] + edges[1:]) / 2.0)[0].max())


def class_variances(counts: Array, centres: Array) -> tuple[Array, Array]:
    """For each cut between two bins of a histogram: variance between the two classes, distance of their means."""
    below, total = np.cumsum(counts)[:-1].astype(np.float64), float(counts.sum())
    above, moment = total - below, np.cumsum(counts * centres)[:-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = (float(counts @ centres) - moment) / above - moment / below
        between = np.where((below > 0) & (above > 0), below * above * apart**2, -1.0)
    return between / total**2, apart


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

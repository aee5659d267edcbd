"""Pictures as grey values: files of any common format, and arrays of any common kind, with clear refusals."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..checks import Array
from ..errors import FileError, InputError
from .thresholds import between_classes

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
    from PIL import Image, ImageOps, UnidentifiedImageError

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

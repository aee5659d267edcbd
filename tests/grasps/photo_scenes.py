"""Photographs of known parts: light, shadows, texture, noise and compression over shapes whose pixels are known.

Shapes are sampled from their equations (`drawn_shapes`), independently of the package's own painting.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image
from scipy import ndimage

from holdfast.grasps.segmentation import Segmentation
from tests.grasps.drawn_shapes import coverage

#: Height and width [px], and size of a pixel [mm].
SIZE, SCALE = (240, 320), 0.5


@dataclass(frozen=True)
class PhotoScene:
    """`picture` (h, w, 3) uint8 and `mask` (h, w), the pixels of the part, holes filled."""

    picture: np.ndarray
    mask: np.ndarray


def _ell(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """A bracket of two bars 24 mm wide."""
    return (np.abs(x + 20) < 12) & (np.abs(y) < 35) | (np.abs(y + 23) < 12) & (x > -32) & (x < 40)


def _trefoil(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.hypot(x, y) < 34 * (1 + 0.25 * np.cos(3 * np.arctan2(y, x)))


def _flat(*colour: float) -> np.ndarray:
    return np.broadcast_to(np.array(colour), (*SIZE, 3))


def _wood(rng: np.random.Generator) -> np.ndarray:
    grain = ndimage.gaussian_filter(rng.normal(size=SIZE), (1.0, 12.0))
    return _flat(0.62, 0.45, 0.28) * (1.0 + 0.08 * grain / grain.std())[..., None]


def _jpeg(picture: np.ndarray, quality: int) -> np.ndarray:
    data = io.BytesIO()
    Image.fromarray(picture).save(data, "JPEG", quality=quality)
    return np.asarray(Image.open(data))


def _shadow(cover: np.ndarray, soft: float) -> np.ndarray:
    """A pale table with the shadow of a part beside it."""
    dark = ndimage.shift(ndimage.gaussian_filter(cover, soft), (9, 12))
    return _flat(0.78, 0.77, 0.74) * (1.0 - 0.45 * dark[..., None])


def scene(name: str, seed: int = 3) -> PhotoScene:
    """A scene by its name."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0 : 1 : SIZE[0] * 1j, 0 : 1 : SIZE[1] * 1j]
    ell, trefoil = (coverage(shape, SCALE, SIZE) for shape in (_ell, _trefoil))
    vignette = 1.0 - 1.4 * ((x - 0.5) ** 2 + (y - 0.5) ** 2)[..., None]
    halves = (x < 0.5)[..., None]
    stripes = np.where((np.sin(110 * x) > 0.6)[..., None], _flat(0.9, 0.9, 0.85), _flat(0.15, 0.15, 0.14))
    gravel = ndimage.gaussian_filter(rng.normal(size=SIZE), 2.0)
    stones = _flat(0.5, 0.5, 0.5) * (1.0 + 0.25 * gravel / gravel.std())[..., None]
    made: dict[str, tuple[np.ndarray, Callable[[], np.ndarray], np.ndarray | Callable[[], np.ndarray], float]] = {
        "dark on pale": (ell, lambda: _flat(0.2, 0.2, 0.22), _flat(0.8, 0.8, 0.8), 0.02),
        "vignette": (ell, lambda: _flat(0.25, 0.27, 0.3), _flat(0.75, 0.75, 0.72), 0.02),
        "red on wood": (trefoil, lambda: _flat(0.7, 0.12, 0.1), lambda: _wood(rng), 0.02),
        "steel on wood": (trefoil, lambda: _flat(0.62, 0.63, 0.66), lambda: _wood(rng), 0.02),
        "equal brightness": (trefoil, lambda: _flat(0.8, 0.2, 0.2), _flat(0.2, 0.5, 0.2), 0.04),
        "two colours": (ell, lambda: np.where(halves, [0.8, 0.2, 0.1], [0.1, 0.2, 0.6]), _flat(0.55, 0.55, 0.55), 0.02),
        "two tones": (ell, lambda: np.where(halves, _flat(0.9, 0.9, 0.9), 0.1), _flat(0.5, 0.5, 0.5), 0.02),
        "noise": (ell, lambda: _flat(0.3, 0.3, 0.3), _flat(0.7, 0.7, 0.7), 0.15),
        "compressed": (trefoil, lambda: _flat(0.2, 0.4, 0.3), lambda: _wood(rng), 0.02),
        "soft shadow": (ell, lambda: _flat(0.15, 0.3, 0.7), lambda: _shadow(ell, 5.0), 0.01),
        "hard shadow": (ell, lambda: _flat(0.75, 0.15, 0.12), lambda: _shadow(ell, 1.5), 0.01),
        "striped part": (ell, lambda: stripes, _flat(0.75, 0.8, 0.75), 0.02),
        "hidden in gravel": (ell, lambda: _flat(0.5, 0.5, 0.5), stones, 0.01),
    }
    cover, part, table, noise = made[name]
    behind = table() if callable(table) else table
    picture = cover[..., None] * part() + (1.0 - cover[..., None]) * behind
    if name == "vignette":
        picture = picture * vignette
    pixels = np.round(255.0 * np.clip(picture + rng.normal(0.0, noise, picture.shape), 0.0, 1.0)).astype(np.uint8)
    return PhotoScene(_jpeg(pixels, 15) if name == "compressed" else pixels, cover > 0.5)


def written(path: Path, picture: np.ndarray) -> Path:
    """The picture as a file."""
    Image.fromarray(picture).save(path)
    return path


def pixels_of(found: Segmentation) -> np.ndarray:
    """The object's pixels in the whole picture, holes filled."""
    whole = np.zeros(found.shape, dtype=bool)
    (row, column), (height, width) = found.corner, found.mask.shape
    whole[row : row + height, column : column + width] = found.mask
    return np.asarray(ndimage.binary_fill_holes(whole))


def overlap(one: np.ndarray, other: np.ndarray) -> float:
    """Intersection over union."""
    return float((one & other).sum() / (one | other).sum())

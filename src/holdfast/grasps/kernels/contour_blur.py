"""Blurring a picture and counting its grey values, compiled.

A Gaussian G alone would pull a level line of curvature k inwards by k sigma^2 / 2. Taking sigma^2 times the blurred
picture's Laplacian off leaves the line where it is: G - sigma^2 Laplace G = (3 - r^2 / sigma^2) G has no second moment
along any straight line through its middle, and that moment is what bends act through.
"""

from __future__ import annotations

import numpy as np

from ...checks import Array, IntArray
from .compiling import kernel

#: Added to sigma^2 [px^2] for what pixels do alike: their own size, straight lines
#: between neighbouring ones, and chords between the points of a traced line. Found by tracing discs of known area.
PIXEL_SPREAD = 0.35

#: Standard deviations at which the weights are cut off.
CUT_OFF = 4.0


@kernel
def _blur_rows(picture, weights, out):
    """Weighted means along rows; beyond the picture its edge pixels are repeated."""
    height, width = picture.shape
    reach = (weights.shape[0] - 1) // 2
    for r in range(height):
        for c in range(width):
            out[r, c] = weights[reach] * picture[r, c]
        for k in range(1, reach + 1):
            w = weights[reach + k]
            for c in range(min(k, width)):
                out[r, c] += w * picture[r, 0]
            for c in range(k, width):
                out[r, c] += w * picture[r, c - k]
            for c in range(width - k):
                out[r, c] += w * picture[r, c + k]
            for c in range(max(width - k, 0), width):
                out[r, c] += w * picture[r, width - 1]


@kernel
def _blur_columns(picture, weights, out):
    """Weighted means along columns; beyond the picture its edge pixels are repeated."""
    height, width = picture.shape
    reach = (weights.shape[0] - 1) // 2
    for r in range(height):
        for c in range(width):
            out[r, c] = weights[reach] * picture[r, c]
        for k in range(1, reach + 1):
            w = weights[reach + k]
            up, down = max(r - k, 0), min(r + k, height - 1)
            for c in range(width):
                out[r, c] += w * (picture[up, c] + picture[down, c])


@kernel
def _sharpen(picture, amount, out):
    """The picture less `amount` times its Laplacian (nine points); beyond its edge pixels are repeated."""
    height, width = picture.shape
    edge, corner, middle = (
        amount * np.float32(4.0 / 6.0),
        amount * np.float32(1.0 / 6.0),
        amount * np.float32(20.0 / 6.0),
    )
    for r in range(height):
        up, down = max(r - 1, 0), min(r + 1, height - 1)
        for c in range(width):
            left, right = max(c - 1, 0), min(c + 1, width - 1)
            beside = picture[up, c] + picture[down, c] + picture[r, left] + picture[r, right]
            aslant = picture[up, left] + picture[up, right] + picture[down, left] + picture[down, right]
            out[r, c] = (np.float32(1.0) + middle) * picture[r, c] - edge * beside - corner * aslant


@kernel
def _count(picture, low, scale, counts):
    """Number of pixels in each of the equal bins from `low` on."""
    last = counts.shape[0] - 1
    for r in range(picture.shape[0]):
        for c in range(picture.shape[1]):
            at = int((picture[r, c] - low) * scale)
            counts[min(max(at, 0), last)] += 1


def blur_weights(sigma: float) -> Array:
    """Float32 weights of a Gaussian of `sigma` [px], their sum 1."""
    reach = max(int(np.ceil(CUT_OFF * sigma)), 1)
    bell = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    return (bell / bell.sum()).astype(np.float32)


def blurred(picture: Array, sigma: float) -> Array:
    """The picture (h, w), as float32, blurred by `sigma` [px] so that its level lines stay where they are."""
    weights = blur_weights(sigma)
    field = np.ascontiguousarray(picture, dtype=np.float32)
    once, twice = np.empty_like(field), np.empty_like(field)
    _blur_rows(field, weights, once)
    _blur_columns(once, weights, twice)
    _sharpen(twice, np.float32(sigma**2 + PIXEL_SPREAD), once)
    return once


def histogram(picture: Array, low: float, high: float, bins: int) -> IntArray:
    """Number of pixels of a float32 picture in each of `bins` equal bins between `low` and `high`."""
    counts = np.zeros(bins, dtype=np.int64)
    _count(picture, np.float32(low), np.float32(bins / (high - low)), counts)
    return counts

"""Level lines of a grey picture: a blur that does not move them, and the walk around one object.

A Gaussian G alone would pull a level line of curvature k inwards by k sigma^2 / 2. Subtracting sigma^2 times the
Laplacian of the blurred picture leaves the line where it is: G - sigma^2 Laplace G = (3 - r^2 / sigma^2) G has no
second moment along any straight line through its middle, which is the moment that shifts curved lines.

The blur is own code because scipy.ndimage.gaussian_filter is slower on float32 pictures; it goes over the picture in
strips that fit into a processor's cache. The walk is own code because it follows only one labelled object
(`test_every_side_between_the_object_and_the_outside_is_passed_once`); level lines of the whole picture
(skimage.measure.find_contours) would have to be assigned to objects afterwards.
"""

from __future__ import annotations

import numpy as np

from ..checks import Array, BoolArray

#: Added to sigma^2 [px^2] for effects of the pixels: their size, straight lines between neighbours, and chords between
#: the points of a traced line. Found by tracing discs of known area.
PIXEL_SPREAD = 0.35

#: Standard deviations at which the weights are cut off.
CUT_OFF = 4.0

#: Pixels of a strip.
STRIP = 1 << 16


def blur_weights(sigma: float) -> Array:
    """Float32 weights of a Gaussian of `sigma` [px], their sum 1."""
    reach = max(int(np.ceil(CUT_OFF * sigma)), 1)
    bell = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    return (bell / bell.sum()).astype(np.float32)


def blurred(picture: Array, sigma: float) -> Array:
    """The picture (h, w), as float32, blurred by `sigma` [px] so that its level lines do not move.

    Beyond the picture its edge pixels are repeated, before the blur and before the Laplacian is taken.
    """
    weights = blur_weights(sigma)
    reach = len(weights) // 2
    half = weights[reach:]
    height, width = picture.shape
    across = np.empty((height + 2 * reach, width), dtype=np.float32)  # blurred along rows
    along = np.empty((height + 2, width + 2), dtype=np.float32)  # blurred along columns too
    out = np.empty((height, width), dtype=np.float32)
    rows = max(STRIP // width, 1)
    strips = [(first, min(first + rows, height)) for first in range(0, height, rows)]
    work = np.empty((min(rows, height), width), dtype=np.float32)
    for first, past in strips:
        wide = np.pad(np.asarray(picture[first:past], dtype=np.float32), ((0, 0), (reach, reach)), mode="edge")
        strip, term = across[first + reach : past + reach], work[: past - first]
        np.multiply(wide[:, reach : reach + width], half[0], out=strip)
        for k in range(1, reach + 1):
            for shift in (reach - k, reach + k):
                strip += np.multiply(wide[:, shift : shift + width], half[k], out=term)
    across[:reach], across[height + reach :] = across[reach], across[height + reach - 1]
    for first, past in strips:
        strip, term = along[first + 1 : past + 1, 1:-1], work[: past - first]
        np.multiply(across[first + reach : past + reach], half[0], out=strip)
        for k in range(1, reach + 1):
            np.add(across[first + reach - k : past + reach - k], across[first + reach + k : past + reach + k], out=term)
            term *= half[k]
            strip += term
    along[0], along[-1] = along[1], along[-2]
    along[:, 0], along[:, -1] = along[:, 1], along[:, -2]
    middle, edge, corner = np.float32(sigma**2 + PIXEL_SPREAD) * np.array(
        [20.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0], dtype=np.float32
    )
    for first, past in strips:
        up, here, down = (along[first + k : past + k] for k in range(3))
        strip, term = out[first:past], work[: past - first]
        np.multiply(here[:, 1:-1], np.float32(1.0) + middle, out=strip)
        np.add(up[:, 1:-1], down[:, 1:-1], out=term)
        term += here[:, :-2]
        term += here[:, 2:]
        term *= edge
        strip -= term
        np.add(up[:, :-2], up[:, 2:], out=term)
        term += down[:, :-2]
        term += down[:, 2:]
        term *= corner
        strip -= term
    return out


def traced_ring(mask: BoolArray, field: Array, level: float, row: int, column: int, side: int) -> Array:
    """Level line (n, 2) in (row, column) around `mask` (h, w), whose outermost pixels must be outside.

    The border is followed with the inside on the left. Each point is where the straight line between an inside pixel
    and its outside neighbour reaches `level`.

    Args:
        mask: pixels of one 4-connected object, all above (or all below) `level` in `field`; False on the edge.
        field: (h, w) float32 grey values.
        level: grey value of the line.
        row, column, side: where to start: a pixel of the object whose neighbour on that side (0 east, 1 north,
            2 west, 3 south) is outside.
    """
    width = mask.shape[1]
    steps = (1, -width, -1, width)  # to the neighbour on each side
    inside = np.ascontiguousarray(mask).tobytes()
    start = at = row * width + column
    towards = side
    pixels, sides = [], []
    while True:
        pixels.append(at)
        sides.append(towards)
        # ahead, counter-clockwise: north when the outside is to the east
        turned = (towards + 1) % 4
        ahead = at + steps[turned]
        if not inside[ahead]:
            towards = turned
        elif not inside[ahead + steps[towards]]:
            at = ahead
        else:
            at = ahead + steps[towards]
            towards = (towards + 3) % 4
        if at == start and towards == side:
            break
    at, way = np.array(pixels), np.array([[0, 1], [-1, 0], [0, -1], [1, 0]])[sides]
    r, c = np.divmod(at, width)
    here, there = field[r, c], field[r + way[:, 0], c + way[:, 1]]
    fall = (here - there).astype(np.float64)
    share = np.full(len(at), 0.5)
    np.divide(here - np.float64(level), fall, out=share, where=fall != 0.0)
    return np.column_stack([r, c]) + np.clip(share, 0.0, 1.0)[:, None] * way

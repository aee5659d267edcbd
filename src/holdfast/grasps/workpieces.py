"""Workpieces: what is to be grasped, from a picture, a contour file, points or a contour; the same object each way."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..checks import Array
from ..errors import InputError

if TYPE_CHECKING:
    from .contours import Contour

#: What a workpiece can be made from.
WorkpieceLike = Any

KINDS = (
    "give a picture (a file, or pixels (h, w), (h, w, 3) or (h, w, 4)) "
    "or a contour (a file, points (n, 2) in mm, a Contour or an example part)"
)


@dataclass(frozen=True, eq=False)
class Workpiece:
    """An object to grasp.

    Attributes:
        contour: its outline and holes [mm], y up.
        picture: (h, w) grey values 0 to 1 of the picture it was seen in, None when there was none.
        mm_per_px: scale of that picture, None when there was none.
        name: of the file it came from, "" when it came from none.
    """

    contour: Contour
    picture: Array | None = None
    mm_per_px: float | None = None
    name: str = ""


def read_workpiece(
    image_or_contour: WorkpieceLike,
    *,
    mm_per_px: float = 1.0,
    object: str = "auto",
    pick: ArrayLike | None = None,
    index: int = 0,
) -> Workpiece:
    """The object in a picture, a contour file or an array.

    Args:
        image_or_contour: path of a picture or of a contour file (CSV, SVG, DXF; in mm), an array of pixels (h, w) or
            (h, w, 3 or 4), an array of points (n, 2), or (n, 1, 2) as OpenCV gives them, in mm, a `Contour`, or an
            example part.
        mm_per_px: scale of a picture; contours and points are in mm already.
        object: "dark" on bright, "bright" on dark, or "auto", in a picture.
        pick: (x, y) [mm] of a point on the wanted object, where a picture shows several.
        index: which object counts, from the largest, where a picture shows several and none is picked.
    """
    from .contours import Contour

    given = image_or_contour
    if isinstance(given, Workpiece):
        return given
    if isinstance(given, Contour):
        return Workpiece(given)
    if isinstance(given, str | os.PathLike):
        from .contour_files import ENDINGS, read_contour

        path = Path(given)
        if path.suffix.lower() in ENDINGS:
            return Workpiece(read_contour(path), name=path.name)
        return _seen(path, mm_per_px, object, pick, index, path.name)
    if callable(getattr(given, "contour", None)):  # an example part
        return Workpiece(given.contour(), name=str(getattr(given, "name", "")))
    points = _points(given)
    if points is not None:
        return Workpiece(Contour.from_points(points))
    return _seen(given, mm_per_px, object, pick, index, "")


def _points(given: Any) -> Array | None:
    """An array-like of points as (n, 2), None for a picture; what is neither is refused.

    Two columns are points, for no picture is two pixels wide; flags are none.
    """
    try:
        values = np.asarray(given)
    except ValueError:  # rows of different lengths
        raise InputError("has rows of different lengths", where="image_or_contour", fix=KINDS) from None
    if values.ndim == 3 and values.shape[1:] == (1, 2):
        values = values[:, 0]
    columns = values.ndim == 2 and values.shape[1] == 2
    if values.size == 0 or values.ndim not in (2, 3) or (columns and values.dtype == np.bool_):
        if given is None or values.dtype == np.object_:
            told = "is None" if given is None else f"is a {type(given).__name__}"
        else:
            told = "is empty" if values.size == 0 else f"is of shape {values.shape} and type {values.dtype.name}"
        raise InputError(told, where="image_or_contour", fix=KINDS)
    return values if columns else None


def _seen(source: Any, mm_per_px: float, object: str, pick: ArrayLike | None, index: int, name: str) -> Workpiece:
    """The object in a picture."""
    from .contours import checked_scale, trace
    from .pictures import read_image
    from .segmentation import segment

    scale = checked_scale(mm_per_px)
    grey = read_image(source)
    segmentation = segment(grey, object=object, pick=pick, index=index, mm_per_px=scale)
    return Workpiece(trace(segmentation, scale), grey, scale, name)

"""What the ten criteria are computed from: the names of the exchange form, checked and brought to one shape.

Lengths are in mm, angles in rad, curvatures in 1/cm. Every quantity is given for one grasp or for g of them (one
more axis in front); what is given once counts for all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..checks import Array, BoolArray
from ..errors import FrameError, InputError, UnknownNameError
from ..tolerances import LARGEST_LENGTH

#: Shape of each quantity of one grasp.
SHAPES: dict[str, tuple[int, ...]] = {
    "contacts_mm": (3, 2),
    "inward_normals": (3, 2),
    "regions_mm": (3, 2, 2),
    "region_curvature": (3,),
    "force_directions": (3, 2),
    "grasp_focus_mm": (2,),
    "real_focus_mm": (2,),
    "extensions_mm": (3,),
    "spread_rad": (),
    "virtual_two_finger": (),
    "area_mm2": (),
    "centroid_mm": (2,),
    "major_axis_mm": (),
    "minor_axis_mm": (),
    "mu": (),
    "lambda_mm": (),
    "W": (),
    "eta_mm": (),
}

#: What holds for a quantity that is not given; whether a grasp is virtual then follows from its focus and spread.
DEFAULTS: dict[str, Any] = {"virtual_two_finger": None, "mu": 0.4, "lambda_mm": 2.0, "W": 1.0, "eta_mm": 110.0}

#: Names of the exchange form that tell about a grasp, but that no criterion looks at.
TOLD: frozenset[str] = frozenset(
    {
        "rank", "ranks", "kind", "criteria", "Q", "valid", "name", "hand", "version", "units", "frame", "score",
        "palm_mm", "palm", "palm_pose", "yaw_rad", "thumb_axis", "joints", "joint_angles_rad", "joint_angles_deg",
        "fingertip_heights_mm", "region_index", "triplet", "reachable", "reachability", "reason", "reasons", "metrics",
        "zone_mm", "own_criteria", "stability", "why", "index", "lost", "perimeter_mm", "holes", "mm_per_px",
    }
)  # fmt: skip

POSITIVE = ("area_mm2", "major_axis_mm", "minor_axis_mm", "mu", "lambda_mm", "W", "eta_mm")

#: A normal or a force counts as of unit length within this: only its direction is used, rounded ones do no harm.
UNIT_LENGTH = 1e-3

#: Beyond this [mm] a unit has been mistaken; the same number bounds what is no length.
LARGEST_MM = 1e3 * LARGEST_LENGTH


@dataclass(frozen=True, eq=False)
class CriterionInputs:
    """Checked inputs of g grasps, or of one.

    Attributes:
        values: array of each quantity, of its own shape (counting for all grasps) or with g in front.
        at_infinity: whether the real focus lies at infinity, () or (g,).
        virtual: whether both fingers stand on one region, () or (g,).
        count: g, or None when all quantities were given for one grasp.
    """

    values: Mapping[str, Array]
    at_infinity: BoolArray
    virtual: BoolArray
    count: int | None


def _refuse_unknown(inputs: Mapping[str, Any]) -> None:
    for name in inputs:
        if name not in SHAPES and name not in TOLD:
            raise UnknownNameError("input", name, (*SHAPES, "object", "params"), where="criteria.evaluate")


def _flattened(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The inputs with the fields of `object` and `params` among them, and defaults where nothing is given."""
    flat = dict(inputs)
    for group in ("object", "params"):
        fields = flat.pop(group, None)
        if fields is None:
            continue
        if not isinstance(fields, Mapping):
            raise InputError(f"is a {type(fields).__name__}", where=group, fix="give a dictionary of the exchange form")
        for name, value in fields.items():
            if name in SHAPES and name in flat:
                raise InputError(f"is given twice, also in {group}", where=str(name), fix="give it once")
            flat[str(name)] = value
    _refuse_unknown(flat)
    if "virtual_two_finger" not in flat and isinstance(flat.get("kind"), str):
        flat["virtual_two_finger"] = flat["kind"] == "virtual_two_finger"
    if "real_focus_mm" not in flat and _all_virtual(flat.get("virtual_two_finger")):
        flat["real_focus_mm"] = None  # where it lies at any rate
    missing = [name for name in SHAPES if name not in flat and name not in DEFAULTS]
    if missing:
        raise InputError(
            f"missing: {', '.join(missing)}",
            where="criteria.evaluate",
            fix="give every quantity of the exchange form; real_focus_mm=None when it lies at infinity",
        )
    return {name: flat.get(name, DEFAULTS.get(name)) for name in SHAPES}


def _all_virtual(flags: Any) -> bool:
    return flags is not None and bool(np.all(flags))


def _numbers(name: str, value: Any) -> Array:
    core = SHAPES[name]
    if _has_text(value):
        raise InputError("is text", where=name, fix=f"give numbers of shape {_shapes(core)}")
    try:
        result = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"not an array of numbers: {error}", where=name, fix=f"give shape {_shapes(core)}") from None
    if result.shape[result.ndim - len(core) :] != core or not 0 <= result.ndim - len(core) <= 1:
        raise InputError(f"has shape {result.shape}", where=name, fix=f"give shape {_shapes(core)}")
    return result


def _has_text(value: Any) -> bool:
    """Whether text stands where numbers should, which numpy would read as numbers."""
    if isinstance(value, (list, tuple)):
        return any(_has_text(entry) for entry in value)
    return isinstance(value, (str, bytes)) or (isinstance(value, np.ndarray) and value.dtype.kind in "SU")


def _shapes(core: tuple[int, ...]) -> str:
    inside = ", ".join(map(str, core))
    return f"({inside}) for one grasp or (g{', ' * bool(core)}{inside}) for g of them" if core else "() or (g,)"


def _place(name: str, wrong: BoolArray) -> str:
    index = np.argwhere(wrong)[0]
    return f"{name}[{', '.join(str(int(i)) for i in index)}]" if index.size else name


def _refuse_unbounded(name: str, value: Array) -> None:
    largest = LARGEST_MM**2 if name == "area_mm2" else LARGEST_MM
    if value.size == 0 or (value.max() <= largest and value.min() >= -largest):  # NaN passes neither
        return
    wrong = ~(np.abs(value) <= largest)
    if wrong.any():
        where = _place(name, wrong)
        raise InputError(f"is {value[wrong][0]:g}", where=where, fix=f"give finite numbers of at most {largest:g}")


def _refuse_other_lengths(name: str, value: Array) -> None:
    square = value[..., 0] * value[..., 0] + value[..., 1] * value[..., 1]
    wrong = ~(np.abs(np.sqrt(square) - 1.0) <= UNIT_LENGTH)
    if wrong.any():
        length = float(np.hypot(*value[wrong][0]))
        raise FrameError(f"has length {length:g}", where=_place(name, wrong), fix="give unit vectors")


def _focus(value: Any) -> tuple[Array, BoolArray]:
    """The real focus with zeros where it lies at infinity, and where that is; None and NaN both say so."""
    if value is None:
        return np.zeros(2), np.asarray(True)
    if isinstance(value, (list, tuple)) and any(point is None for point in value):
        # Nulls stand for points, but [null, null] for the two coordinates of one, which says the same.
        single = len(value) == 2 and all(point is None for point in value)
        value = np.full(2, np.nan) if single else [(np.nan, np.nan) if point is None else point for point in value]
    focus = _numbers("real_focus_mm", value)
    lost = ~np.isfinite(focus)
    infinite = lost[..., 0]
    if (infinite != lost[..., 1]).any():
        where = _place("real_focus_mm", infinite != lost[..., 1])
        raise InputError("has one coordinate only", where=where, fix="give both, or None when it lies at infinity")
    focus = np.where(lost, 0.0, focus)
    _refuse_unbounded("real_focus_mm", focus)
    return focus, infinite


def _flags(value: Any) -> BoolArray:
    flags = np.asarray(value)
    if flags.dtype.kind in "iu" and flags.size and ((flags == 0) | (flags == 1)).all():
        flags = flags.astype(np.bool_)
    if flags.dtype != np.bool_ or flags.ndim > 1:
        raise InputError(f"is {value!r}", where="virtual_two_finger", fix="give True or False, one for each grasp")
    return flags


def read(inputs: Mapping[str, Any]) -> CriterionInputs:
    """Check the inputs of `criteria.evaluate` and bring them to arrays.

    Raises:
        UnknownNameError: a name that the exchange form does not have.
        InputError: a quantity is missing, has a wrong shape, is not finite or out of its range.
        FrameError: a normal or a force direction is not of unit length.
    """
    given = _flattened(inputs)
    flags = given.pop("virtual_two_finger")
    focus, at_infinity = _focus(given.pop("real_focus_mm"))
    values = {name: _numbers(name, value) for name, value in given.items()}
    if flags is None:
        # parallel fingers meet at infinity: only virtual two-finger grasps have no spread
        parallel = values["spread_rad"] == 0.0
        fits = not (at_infinity.ndim and parallel.ndim) or at_infinity.shape == parallel.shape
        virtual = at_infinity & parallel if fits else np.asarray(False)
    else:
        virtual = _flags(flags)
    for name, value in values.items():
        _refuse_unbounded(name, value)
    for name in ("inward_normals", "force_directions"):
        _refuse_other_lengths(name, values[name])
    for name in POSITIVE:
        wrong = ~(values[name] > 0.0)
        if wrong.any():
            raise InputError(f"is {values[name][wrong][0]:g}", where=_place(name, wrong), fix="give a positive number")
    spread = values["spread_rad"]
    wrong = (spread < 0.0) | (spread > np.pi)
    if wrong.any():
        raise InputError(
            f"is {spread[wrong][0]:g} rad", where=_place("spread_rad", wrong), fix="give an angle in [0, pi]"
        )
    values["real_focus_mm"] = focus
    lengths = {name: value.shape[0] for name, value in values.items() if value.ndim > len(SHAPES[name])}
    if virtual.ndim:
        lengths["virtual_two_finger"] = virtual.shape[0]
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise InputError(f"unequal numbers of grasps: {told}", where="criteria.evaluate", fix="give all for g grasps")
    return CriterionInputs(values, at_infinity, virtual, next(iter(lengths.values())) if lengths else None)

"""The ten criteria of Chinellato et al. 2003 (Sec. 4.4) and their sum Q; lower is better for all.

Four depend only on the contacts (S1 to S4), six on the hand (C1 to C6). Each is a pure function of arrays with any
number of leading axes; contacts come thumb first, lengths in mm, angles in rad, curvatures in 1/cm. `evaluate` takes
the names of the exchange format, for one grasp or for g grasps (one more axis in front; a value given once is used for
all), checks them and returns all criteria; an infinite criterion makes the grasp invalid.
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

#: Default values of quantities; without a default, virtual grasps follow from their focus and spread.
DEFAULTS: dict[str, Any] = {"virtual_two_finger": None, "mu": 0.4, "lambda_mm": 2.0, "W": 1.0, "eta_mm": 110.0}

#: Names of the exchange format that describe a grasp but are not used by any criterion.
TOLD: frozenset[str] = frozenset(
    {
        "rank", "ranks", "kind", "criteria", "Q", "valid", "name", "hand", "version", "units", "frame", "score",
        "palm_mm", "palm", "palm_pose", "yaw_rad", "thumb_axis", "joints", "joint_angles_rad", "joint_angles_deg",
        "fingertip_heights_mm", "region_index", "triplet", "reachable", "reachability", "reason", "reasons", "metrics",
        "zone_mm", "own_criteria", "stability", "why", "index", "lost", "perimeter_mm", "holes", "mm_per_px",
        "force_angles_rad", "in_cones", "limbs_mm", "note",
    }
)  # fmt: skip

POSITIVE = ("area_mm2", "major_axis_mm", "minor_axis_mm", "mu", "lambda_mm", "W", "eta_mm")

#: Tolerance of the unit length of a normal or a force: only its direction is used.
UNIT_LENGTH = 1e-3

#: Largest length [mm], and largest other number; larger values are mistakes in the unit.
LARGEST_MM = 1e3 * LARGEST_LENGTH


@dataclass(frozen=True, eq=False)
class CriterionInputs:
    """Checked inputs of g grasps, or of one.

    Attributes:
        values: array of each quantity, of its own shape (for all grasps) or with g in front.
        at_infinity: whether the real focus lies at infinity, () or (g,).
        virtual: whether both fingers touch one region, () or (g,).
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
    """The inputs with the fields of `object` and `params` among them, and default values."""
    flat = dict(inputs)
    for group in ("object", "params"):
        fields = flat.pop(group, None)
        if fields is None:
            continue
        if not isinstance(fields, Mapping):
            raise InputError(
                f"is a {type(fields).__name__}", where=group, fix="give a dictionary of the exchange format"
            )
        for name, value in fields.items():
            if name in SHAPES and name in flat:
                raise InputError(f"is given twice, also in {group}", where=str(name), fix="give it once")
            flat[str(name)] = value
    _refuse_unknown(flat)
    if "virtual_two_finger" not in flat and isinstance(flat.get("kind"), str):
        flat["virtual_two_finger"] = flat["kind"] in ("virtual_two_finger", "pinch")
    if "real_focus_mm" not in flat and _all_virtual(flat.get("virtual_two_finger")):
        flat["real_focus_mm"] = None  # where it lies in any case
    missing = [name for name in SHAPES if name not in flat and name not in DEFAULTS]
    if missing:
        raise InputError(
            f"missing: {', '.join(missing)}",
            where="criteria.evaluate",
            fix="give every quantity of the exchange format; real_focus_mm=None when it lies at infinity",
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
    """Whether there is text in place of numbers, which numpy would convert to numbers."""
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
    """The real focus with zeros where it lies at infinity, and where that is; None and NaN both mean infinity."""
    if value is None:
        return np.zeros(2), np.asarray(True)
    if isinstance(value, (list, tuple)) and any(point is None for point in value):
        # A null is a point at infinity; [null, null] for both coordinates means the same.
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
    """Check the inputs of `criteria.evaluate` and convert them to arrays.

    Raises:
        UnknownNameError: a name that is not in the exchange format.
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


#: Meaning of each criterion, in the order of reports.
MEANING = {
    "S1": "point arrangement",
    "S2": "triangle size",
    "S3": "grasping margin",
    "S4": "contact curvature",
    "C1": "force line",
    "C2": "real focus deviation",
    "C3": "finger extension",
    "C4": "finger spread",
    "C5": "real focus centring",
    "C6": "finger limit",
}

#: Names of the criteria.
CRITERIA = tuple(MEANING)

#: Relative rounding error of points, distances and angles.
ROUNDING = 4.0 * float(np.finfo(np.float64).eps)

#: Relative tolerance for the angle arctan(mu) of a friction cone.
CONE_EDGE = 1e-12


def _cross(first: Array, second: Array) -> Array:
    return first[..., 0] * second[..., 1] - first[..., 1] * second[..., 0]


def _dot(first: Array, second: Array) -> Array:
    return first[..., 0] * second[..., 0] + first[..., 1] * second[..., 1]


def _length(vector: Array) -> Array:
    return np.sqrt(_dot(vector, vector))


def _distance(first: Array, second: Array) -> Array:
    return _length(first - second)


def _total(values: Array) -> Array:
    """Sum over the three contacts; faster than numpy's sum over a short last axis."""
    return values[..., 0] + values[..., 1] + values[..., 2]


def _largest(values: Array) -> Array:
    """Largest of the three contacts' values."""
    return np.maximum(np.maximum(values[..., 0], values[..., 1]), values[..., 2])


def _size(points: Array) -> Array:
    """The larger absolute coordinate of points (..., 2)."""
    return np.maximum(np.abs(points[..., 0]), np.abs(points[..., 1]))


def _edges(contacts: Array) -> Array:
    """Edges (..., 3, 2) of the grasping triangle, from a contact to the next."""
    edges = np.empty(contacts.shape)
    np.subtract(contacts[..., 1:, :], contacts[..., :-1, :], out=edges[..., :2, :])
    np.subtract(contacts[..., 0, :], contacts[..., 2, :], out=edges[..., 2, :])
    return edges


def _twice_area(contacts: Array, edges: Array) -> Array:
    """Twice the area of the grasping triangle [mm^2]; zero where it is only rounding of the coordinates."""
    twice = np.abs(_cross(edges[..., 0, :], edges[..., 1, :]))
    return np.where(twice <= ROUNDING * _largest(_size(contacts)) * _largest(_length(edges)), 0.0, twice)


def s1(contacts: Array) -> Array:
    """S1, point arrangement: 3/(2 pi) sum |angle - pi/3| over the angles of the grasping triangle (..., 3, 2).

    0 for an equilateral triangle, 2 for collinear or coincident contacts.
    """
    contacts = np.asarray(contacts, dtype=np.float64)
    edges = _edges(contacts)
    twice = _twice_area(contacts, edges)
    total = np.zeros(twice.shape)
    for corner in range(3):  # an angle lies between the outgoing edge and the reversed incoming edge
        angle = np.arctan2(twice, -_dot(edges[..., corner, :], edges[..., corner - 1, :]))
        total += np.abs(angle - np.pi / 3.0)
    # Angles at coincident points do not exist; a flat triangle has 0, 0 and pi.
    return np.where(twice == 0.0, 2.0, 1.5 / np.pi * total)


def s2(contacts: Array, area: Array | float, weight: Array | float = 1.0) -> Array:
    """S2, triangle size: W A / (4 A_tri), A the object's area without its holes [mm^2]; infinite without a triangle."""
    contacts = np.asarray(contacts, dtype=np.float64)
    twice = _twice_area(contacts, _edges(contacts))
    with np.errstate(divide="ignore", over="ignore"):
        return np.where(twice > 0.0, np.asarray(weight) * area / (2.0 * twice), np.inf)


def margins(contacts: Array, regions: Array) -> Array:
    """The six distances (..., 3, 2) [mm] of the contacts from both ends of their regions (..., 3, 2, 2), along them.

    Negative beyond an end; zero at rounding level.
    """
    contacts, regions = np.asarray(contacts, dtype=np.float64), np.asarray(regions, dtype=np.float64)
    first, last = regions[..., 0, :], regions[..., 1, :]
    along = last - first
    length = _length(along)
    along = along / np.where(length > 0.0, length, 1.0)[..., None]  # a region without length has no margin
    result = np.empty(np.broadcast_shapes(contacts.shape, first.shape))
    result[..., 0] = _dot(contacts - first, along)
    result[..., 1] = _dot(last - contacts, along)
    rounding = ROUNDING * np.maximum(np.maximum(_size(first), _size(last)), _size(contacts))
    return np.where(np.abs(result) <= rounding[..., None], 0.0, result)


def s3(contacts: Array, regions: Array, threshold: Array | float = 2.0) -> Array:
    """S3, grasping margin: sum of lambda/d - 1 over those of the six margins d below `threshold` lambda [mm].

    Infinite when a contact is at an end of its region or beyond.
    """
    distances = margins(contacts, regions)
    limit = np.asarray(threshold, dtype=np.float64)[..., None, None]
    with np.errstate(over="ignore"):
        cost = limit / np.where(distances > 0.0, distances, 1.0) - 1.0
    cost = np.where(distances < limit, cost, 0.0)
    cost = np.where(distances > 0.0, cost, np.inf)
    return _total(cost[..., 0] + cost[..., 1])


def s4(curvature: Array) -> Array:
    """S4, contact curvature: 1 - sum rho, the mean signed curvatures (..., 3) [1/cm] of the regions, negative convex.

    Two fingers on one region have it twice, so that its curvature counts twice.
    """
    return 1.0 - _total(np.asarray(curvature, dtype=np.float64))


def deviations(forces: Array, normals: Array) -> Array:
    """Angles delta (..., 3) [rad] in [0, pi] between the force directions and the inward normals (..., 3, 2)."""
    forces, normals = np.asarray(forces, dtype=np.float64), np.asarray(normals, dtype=np.float64)
    return np.arctan2(np.abs(_cross(forces, normals)), _dot(forces, normals))


def outside_cones(forces: Array, normals: Array, mu: Array | float = 0.4) -> BoolArray:
    """Whether a force direction (..., 3, 2) deviates by more than arctan(mu) from its inward normal."""
    share = deviations(forces, normals) / np.arctan(np.asarray(mu, dtype=np.float64))[..., None]
    return _largest(share) > 1.0 + CONE_EDGE


def c1(forces: Array, normals: Array, mu: Array | float = 0.4) -> Array:
    """C1, force line: 4/3 k / arctan(mu)^2 sum delta^2; k = 3 when a force leaves its friction cone, else 1."""
    limit = np.arctan(np.asarray(mu, dtype=np.float64))[..., None]
    share = deviations(forces, normals) / limit
    factor = np.where(_largest(share) > 1.0 + CONE_EDGE, 3.0, 1.0)
    with np.errstate(over="ignore"):
        return 4.0 / 3.0 * factor * _total(share * share)


def effective_focus(
    contacts: Array,
    forces: Array,
    grasp_focus: Array,
    real_focus: Array,
    virtual: BoolArray | bool = False,
) -> Array:
    """The real focus C_C (..., 2) [mm] that C2 and C5 measure from.

    A virtual two-finger grasp has it at infinity; the point of the thumb line nearest to C_G is used instead.
    """
    if not np.any(virtual):
        return np.asarray(real_focus, dtype=np.float64)
    thumb, push = np.asarray(contacts)[..., 0, :], np.asarray(forces)[..., 0, :]
    along = _dot(np.asarray(grasp_focus) - thumb, push) / _dot(push, push)
    return np.where(np.asarray(virtual)[..., None], thumb + along[..., None] * push, real_focus)


def c2(grasp_focus: Array, real_focus: Array, mu: Array | float = 0.4, eta: Array | float = 110.0) -> Array:
    """C2, real focus deviation: 2 |C_G - C_C| / (eta mu), eta the longest finger extension [mm]."""
    with np.errstate(over="ignore"):
        return 2.0 * _distance(np.asarray(grasp_focus), np.asarray(real_focus)) / eta / mu


def c3(extensions: Array, eta: Array | float = 110.0) -> Array:
    """C3, finger extension: sum (e_i - e_j)^2 / eta^2 over the three pairs of extensions (..., 3) [mm]."""
    share = np.asarray(extensions, dtype=np.float64) / np.asarray(eta, dtype=np.float64)[..., None]
    first, second, third = share[..., 0] - share[..., 1], share[..., 1] - share[..., 2], share[..., 2] - share[..., 0]
    with np.errstate(over="ignore"):
        return first * first + second * second + third * third


def c4(spread: Array | float, virtual: BoolArray | bool = False) -> Array:
    """C4, finger spread: (pi/6)/(pi/2 - theta) - 1 for theta above 60 deg, else 0; infinite from 90 deg on.

    0 for virtual two-finger grasps.
    """
    spread = np.asarray(spread, dtype=np.float64)
    left = np.pi / 2.0 - spread
    open_ = left > ROUNDING * np.pi
    cost = np.where(open_, np.pi / 6.0 / np.where(open_, left, 1.0) - 1.0, np.inf)
    return np.where((spread <= np.pi / 3.0) | np.asarray(virtual), 0.0, cost)


def c5(
    real_focus: Array,
    centroid: Array,
    major_axis: Array | float,
    minor_axis: Array | float,
    weight: Array | float = 1.0,
) -> Array:
    """C5, real focus centring: 4 |C_C - C| W / (M_L + m_L), full axes of the ellipse with equal moments [mm]."""
    distance = _distance(np.asarray(real_focus), np.asarray(centroid))
    with np.errstate(over="ignore"):
        return 4.0 * distance * weight / (np.asarray(major_axis) + minor_axis)


def c6(extensions: Array, eta: Array | float = 110.0) -> Array:
    """C6, finger limit: sum max(0, e_i - eta) in mm, not normalised."""
    over = np.asarray(extensions, dtype=np.float64) - np.asarray(eta, dtype=np.float64)[..., None]
    return _total(np.maximum(over, 0.0))


def _all(inputs: CriterionInputs) -> tuple[Array, ...]:
    value = inputs.values
    contacts, forces, extensions = value["contacts_mm"], value["force_directions"], value["extensions_mm"]
    mu, weight, eta = value["mu"], value["W"], value["eta_mm"]
    focus = effective_focus(contacts, forces, value["grasp_focus_mm"], value["real_focus_mm"], inputs.virtual)
    deviation = c2(value["grasp_focus_mm"], focus, mu, eta)
    centring = c5(focus, value["centroid_mm"], value["major_axis_mm"], value["minor_axis_mm"], weight)
    nowhere = inputs.at_infinity & ~inputs.virtual  # a focus at infinity is infinitely far from everything
    if nowhere.any():
        deviation, centring = np.where(nowhere, np.inf, deviation), np.where(nowhere, np.inf, centring)
    return (
        s1(contacts),
        s2(contacts, value["area_mm2"], weight),
        s3(contacts, value["regions_mm"], value["lambda_mm"]),
        s4(value["region_curvature"]),
        c1(forces, value["inward_normals"], mu),
        deviation,
        c3(extensions, eta),
        c4(value["spread_rad"], inputs.virtual),
        centring,
        c6(extensions, eta),
    )


def evaluate(**inputs: Any) -> dict[str, Any]:
    """All ten criteria of one grasp or of g grasps, their sum Q and whether all are finite.

    The names are those of the exchange format of grasps, for one grasp (for g grasps with one more axis in front; a
    value given once is used for all):

    - contacts_mm (3, 2), thumb first; inward_normals (3, 2); regions_mm (3, 2, 2), the ends of each region;
      region_curvature (3,) [1/cm], negative convex; force_directions (3, 2), unit; grasp_focus_mm (2,), C_G;
      real_focus_mm (2,), C_C, None or NaN at infinity; extensions_mm (3,); spread_rad; virtual_two_finger. When this
      is not given, grasps with the real focus at infinity and spread 0 are virtual. If it is given, it decides, and
      the spread and the real focus of a virtual grasp are ignored.
    - area_mm2 (holes subtracted), centroid_mm (2,), major_axis_mm, minor_axis_mm; or object={...} with these.
    - mu (0.4), lambda_mm (2.0), W (1.0), eta_mm (110.0); or params={...} with these.

    Other fields of the exchange format (rank, kind, criteria, Q, ...) are ignored, so that
    `evaluate(**grasp, **object, **params)` scores a grasp from a file.

    Returns:
        {"S1": ..., "C6": ..., "Q": ..., "valid": ...}: floats and a bool for one grasp, arrays (g,) for g grasps. A
        criterion without a finite value is infinite, and with it Q; such a grasp is not valid. No value is NaN.

    Raises:
        InputError: an input is missing, unknown, of a wrong shape or out of its range; the message names it.
    """
    checked = read(inputs)
    scores = np.empty((len(CRITERIA), 1 if checked.count is None else checked.count))
    quality = np.zeros(scores.shape[1])
    for row, value in zip(scores, _all(checked), strict=True):
        row[:] = value
        quality += row
    valid = np.isfinite(quality)
    if checked.count is None:
        result: dict[str, Any] = dict(zip(CRITERIA, scores[:, 0].tolist(), strict=True))
        return result | {"Q": float(quality[0]), "valid": bool(valid[0])}
    return dict(zip(CRITERIA, scores, strict=True)) | {"Q": quality, "valid": valid}

"""The exchange form of a ranking: plain numbers, strings and lists, stable from version to version, ready for JSON."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks

if TYPE_CHECKING:
    from .grasp import Grasp
    from .ranking import Ranking
    from .scoring import ScoredGrasps

#: Grows when a field changes its meaning or goes; new fields do not change it.
VERSION = 1
UNITS = {"length": "mm", "angle": "rad", "area": "mm2", "curvature": "1/cm", "force": "N", "torque": "N mm"}
FRAME = {
    "axes": "x to the right, y up in the picture; a right-handed frame seen from above",
    "origin": "the middle of the picture, or the origin of the given contour",
    "yaw": "angle of the thumb axis h (the direction in which the thumb pushes) from x, counter-clockwise",
    "palm": "centre of the palm, seen from above",
    "contacts": "thumb first, then the fingers left and right of the thumb axis",
    "normals": "unit vectors into the object",
    "forces": "unit vectors in which the fingers push the object",
}


def exchange_form(ranking: Ranking, *, metrics: bool = False, best: int | None = None) -> dict[str, Any]:
    """A ranking in the exchange form; infinity and missing values become None (null)."""
    scored = ranking.scored
    count = len(ranking) if best is None else checks.count("best", best, low=0)
    shown = ranking.grasps[:count]
    measured = _measured(shown) if metrics else [None] * len(shown)
    columns = _columns(scored)
    return {
        "version": VERSION,
        "units": dict(UNITS),
        "frame": dict(FRAME),
        "object": scored.shape.to_dict(),
        "params": scored.params.to_dict(),
        "hand": {"name": scored.hand.name, "pivot_offset_mm": float(scored.hand.pivot_offset)},
        "ranking": _method_form(ranking),
        "reason": ranking.reason,
        "grasps": [_grasp_form(grasp, columns, values) for grasp, values in zip(shown, measured, strict=True)],
        "excluded": [_grasp_form(grasp, columns, None) for grasp in ranking.excluded],
    }


def finite(value: ArrayLike | None) -> Any:
    """Numbers, or nested lists of them, as plain Python; None where a number is not finite."""
    if value is None:
        return None
    array = np.asarray(value, dtype=np.float64)
    if array.ndim:
        return array.tolist() if np.isfinite(array).all() else _nulled(array.tolist())
    return float(array) if np.isfinite(array) else None


def _nulled(values: list[Any]) -> list[Any]:
    """Nested lists with None in the place of infinity and NaN."""
    return [_nulled(value) if isinstance(value, list) else value if math.isfinite(value) else None for value in values]


def _method_form(ranking: Ranking) -> dict[str, Any]:
    form: dict[str, Any] = {"method": ranking.method.name, "own_criteria": list(ranking.own)}
    weights = getattr(ranking.method, "weights", None)
    if weights:
        form["weights"] = {name: float(weight) for name, weight in weights.items()}
    return form


def _columns(scored: ScoredGrasps) -> dict[str, list[Any]]:
    """Name -> one entry a candidate, in plain Python: what does not depend on the ranking."""
    from .joints import finger_joints

    candidates, poses = scored.candidates, scored.poses
    joints = finger_joints(poses.extensions, scored.hand)
    focus = [point if None not in point else None for point in finite(poses.real_focus)]
    yaw, spread = finite(poses.yaw), finite(poses.spread)
    angles = zip(spread, finite(joints.proximal), finite(joints.distal), strict=True)
    criteria = zip(*(finite(column) for column in scored.criteria.values()), strict=True)
    return {
        "contacts_mm": finite(candidates.contacts),
        "inward_normals": finite(candidates.normals),
        "regions_mm": finite(candidates.segments),
        "region_curvature": finite(candidates.curvature),
        "force_directions": finite(poses.forces),
        "grasp_focus_mm": finite(candidates.focus),
        "real_focus_mm": focus,
        "extensions_mm": finite(poses.extensions),
        "spread_rad": spread,
        "criteria": [dict(zip(scored.criteria, row, strict=True)) for row in criteria],
        "Q": finite(scored.quality),
        "palm": [{"x_mm": x, "y_mm": y, "yaw_rad": turn} for (x, y), turn in zip(finite(poses.palm), yaw, strict=True)],
        "joint_angles_rad": [{"spread": a, "proximal": b, "distal": c} for a, b, c in angles],
    }


def _grasp_form(grasp: Grasp, columns: dict[str, list[Any]], metrics: dict[str, Any] | None) -> dict[str, Any]:
    reach = grasp.reachability
    return {
        "rank": grasp.rank,
        "index": grasp.index,
        "kind": grasp.kind,
        "virtual_two_finger": grasp.virtual_two_finger,
        **{name: column[grasp.index] for name, column in columns.items()},
        "score": finite(grasp.score),
        "own_criteria": {name: finite(value) for name, value in grasp.own_criteria},
        "valid": grasp.valid,
        "reason": grasp.reason,
        "reachability": None if reach is None else {"ok": reach[0], "reason": reach[1]},
        "metrics": metrics,
    }


def _measured(grasps: tuple[Grasp, ...]) -> list[dict[str, Any] | None]:
    from .metrics import measure

    return [measure(grasp).to_dict() for grasp in grasps]

"""Scored and ranked grasps: criteria merged into one number, reasons as text, and the exchange format.

`ScoredGrasps` contains candidates, the hand's pose at each and all ten criteria as arrays over the grasps; `Grasp` is a
view of one row. Criteria are merged into one number for the ranking (section 4.5 of Chinellato et al.); lower is
better. The plain sum is the paper's; with weights, the score is the sum of the weighted criteria. A comparison of two
grasps lists the criteria that decided.

The exchange format of a ranking has plain numbers, strings and lists; `grasp_schema` is its schema.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array, BoolArray, IntArray
from ..errors import InputError, UnknownNameError
from ..public_names import with_advice
from ..results import Result
from ..tolerances import ROUNDING, SOLVER_ROUNDING
from .candidates import kind_of
from .criteria import CRITERIA, MEANING, deviations, evaluate, outside_cones

if TYPE_CHECKING:
    from .candidates import Candidates
    from .contour_files import Workpiece
    from .contours import Contour
    from .hands import GraspHand, HandPoses
    from .reachability import Reachability
    from .regions import GraspRegions

#: Increases when a field changes its meaning or is removed; new fields do not change it.
VERSION = 1
UNITS = {"length": "mm", "angle": "rad", "area": "mm2", "curvature": "1/cm", "force": "N", "torque": "N mm"}
FRAME = {
    "axes": "x to the right, y up in the picture; a right-handed frame seen from above",
    "origin": "the middle of the picture, or the origin of the given contour",
    "yaw": "angle of the thumb axis h (the direction in which the thumb pushes) from x, counter-clockwise",
    "palm": "centre of the palm, seen from above",
    "contacts": "thumb first, then the fingers left and right of the thumb axis; of a jaw, the middle of one patch and "
    "the ends of the other; of a pinch, finger 2, then the ends of the patch under finger 3, with the thumb open",
    "normals": "unit vectors into the object",
    "forces": "unit vectors in which the fingers push the object",
}


def exchange_form(ranking: Ranking, *, metrics: bool = False, best: int | None = None) -> dict[str, Any]:
    """A ranking in the exchange format; infinity and missing values become None (null)."""
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
        "input": None if ranking.workpiece is None else ranking.workpiece.to_dict(),
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
    """Nested lists with None in place of infinity and NaN."""
    return [_nulled(value) if isinstance(value, list) else value if math.isfinite(value) else None for value in values]


def _method_form(ranking: Ranking) -> dict[str, Any]:
    form: dict[str, Any] = {"method": ranking.method, "own_criteria": list(ranking.own)}
    if ranking.weights:
        form["weights"] = {name: float(weight) for name, weight in ranking.weights.items()}
    return form


def _columns(scored: ScoredGrasps) -> dict[str, list[Any]]:
    """Name -> one entry per candidate, in plain Python: everything that does not depend on the ranking."""
    candidates, poses = scored.candidates, scored.poses
    focus = [point if None not in point else None for point in finite(poses.real_focus)]
    yaw, spread = finite(poses.yaw), finite(poses.spread)
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
        "force_angles_rad": finite(scored.force_angles),
        "in_cones": (~scored.outside).tolist(),
        "limbs_mm": [None] * len(scored) if scored.limbs is None else finite(scored.limbs),
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
        "note": grasp.note,
        "reachability": None if reach is None else {"ok": reach[0], "reason": reach[1]},
        "metrics": metrics,
    }


def _measured(grasps: tuple[Grasp, ...]) -> list[dict[str, Any] | None]:
    from .metrics import measure

    return [measure(grasp).to_dict() for grasp in grasps]


#: Inputs of `criteria.evaluate` that belong to one grasp, and their columns in candidates and poses.
INPUTS = {
    "contacts_mm": ("candidates", "contacts"),
    "inward_normals": ("candidates", "normals"),
    "regions_mm": ("candidates", "segments"),
    "region_curvature": ("candidates", "curvature"),
    "force_directions": ("poses", "forces"),
    "grasp_focus_mm": ("candidates", "focus"),
    "real_focus_mm": ("poses", "real_focus"),
    "extensions_mm": ("poses", "extensions"),
    "spread_rad": ("poses", "spread"),
    "virtual_two_finger": ("candidates", "virtual"),
}


class _Row:
    """An attribute of one grasp that is a row of an array of all of them; a number where the array has one axis."""

    def __init__(self, group: str = "", name: str = "") -> None:
        self.group, self.name = group, name

    def __set_name__(self, owner: Any, name: str) -> None:
        if not self.name:
            self.group, self.name = INPUTS[name]

    def __get__(self, grasp: Any, owner: Any = None) -> Any:
        if grasp is None:
            return self
        value = getattr(getattr(grasp.scored, self.group), self.name)[grasp.index]
        return value.item() if isinstance(value, np.generic) else value


@dataclass(frozen=True, eq=False)
class Grasp:
    """One grasp; contact 1 (row 0) is the thumb. Lengths in mm, angles in rad, the contour's frame with y up.

    Attributes:
        scored: all grasps of the object.
        index: row of this one among them.
        rank: place in the ranking from 1, None when it is not ranked.
        score: number that determines the rank, lower is better; the same as Q for the plain sum.
        reason: why it is not ranked, "" when it is.
        own_criteria: values of the criteria in addition to the ten.
        reachability: (ok, reason) of the clearance check, None if it was not made.
        contacts_mm: (3, 2) contact points.
        inward_normals: (3, 2) unit normals into the object.
        regions_mm: (3, 2, 2) ends of the straight region under each contact.
        region_curvature: (3,) mean signed curvature of the regions [1/cm], negative where convex.
        grasp_focus_mm: (2,) C_G, where the normals were meant to meet.
        zone: (k, 2) corners of the focus zone; None for a virtual two-finger grasp.
        force_directions: (3, 2) unit directions in which the fingers push the object.
        extensions_mm: (3,) distance of each fingertip from its pivot.
        spread_rad: opening angle theta of the two fingers.
        virtual_two_finger: whether two fingers press side by side on one region.
        palm_mm: (2,) palm centre O.
        yaw_rad: direction of the thumb axis h, from the x axis, counter-clockwise.
        thumb_axis: (2,) unit vector h, along which the thumb pushes.
        pinch: whether fingers 2 and 3 press against each other, with the thumb open; contact 1 is then finger 2's.
        force_angles_rad: (3,) angles between the forces and the inward normals.
        in_cones: whether all forces lie in their friction cones.
    """

    scored: ScoredGrasps
    index: int
    rank: int | None = None
    score: float = float("nan")
    reason: str = ""
    own_criteria: tuple[tuple[str, float], ...] = ()
    reachability: tuple[bool, str] | None = None

    def __repr__(self) -> str:
        place = f"rank {self.rank}" if self.rank else "not ranked"
        return f"Grasp({self.kind}, {place}, Q = {self.Q:.4g})"

    @property
    def kind(self) -> str:
        """One of "three_finger", "virtual_two_finger" and "pinch"."""
        return kind_of(self.virtual_two_finger, self.pinch)

    contacts_mm, inward_normals, regions_mm, region_curvature = _Row(), _Row(), _Row(), _Row()
    force_directions, grasp_focus_mm, extensions_mm, spread_rad = _Row(), _Row(), _Row(), _Row()
    virtual_two_finger = _Row()
    zone = _Row("candidates", "zones")
    palm_mm = _Row("poses", "palm")
    yaw_rad = _Row("poses", "yaw")
    thumb_axis = _Row("poses", "thumb_axis")
    pinch = _Row("candidates", "pinch")

    @property
    def force_angles_rad(self) -> Array:
        """(3,) angles [rad] between the forces and the inward normals; friction holds up to arctan(mu)."""
        return self.scored.force_angles[self.index]

    @property
    def in_cones(self) -> bool:
        """Whether all forces lie in their friction cones, so that the hand can press as planned without slip."""
        return not self.scored.outside[self.index]

    @property
    def limbs_mm(self) -> Array | None:
        """(3,) thickness [mm] of the part under each contact, inf opposite to a finger; None if unknown."""
        return None if self.scored.limbs is None else self.scored.limbs[self.index]

    @property
    def note(self) -> str:
        """A warning for a ranked grasp: a force outside its friction cone; otherwise ""."""
        return "" if self.in_cones else self.scored.slips(self.index)

    def fingers(self) -> list[tuple[Array, Array, Array, str]]:
        """Pivot [mm], contact [mm], inward normal and short name of each finger that touches, two for a pinch."""
        points, normals = self.contacts_mm, self.inward_normals
        axis = self.thumb_axis
        across = self.scored.hand.pivot_offset * np.array([axis[1], -axis[0]])  # the thumb axis turned by -90 deg
        left, right = self.palm_mm - across, self.palm_mm + across
        if self.pinch:
            return [(left, points[0], normals[0], "2"), (right, points[1:].mean(axis=0), normals[1], "3")]
        return [
            (self.palm_mm, points[0], normals[0], "thumb"),
            (left, points[1], normals[1], "2"),
            (right, points[2], normals[2], "3"),
        ]

    def finger_names(self) -> tuple[str, str, str]:
        """Names of the three contacts; "" for the second end of one patch."""
        if self.scored.hand.fingers == 2:
            return ("jaw 1", "jaw 2", "")
        return ("finger 2", "finger 3", "") if self.pinch else ("thumb", "finger 2", "finger 3")

    @property
    def real_focus_mm(self) -> Array | None:
        """(2,) C_C, where the force lines meet; None when they are parallel."""
        focus = self.scored.poses.real_focus[self.index]
        return focus if np.isfinite(focus).all() else None

    @property
    def criteria(self) -> dict[str, float]:
        """Name -> value of the ten criteria, lower is better."""
        return {name: float(column[self.index]) for name, column in self.scored.criteria.items()}

    @property
    def Q(self) -> float:
        """The plain sum of the ten criteria."""
        return float(self.scored.quality[self.index])

    @property
    def valid(self) -> bool:
        """Whether the hand takes the pose and all criteria are finite."""
        return bool(self.scored.valid[self.index])

    def inputs(self) -> dict[str, Any]:
        """Everything `criteria.evaluate` needs, by its names: `evaluate(**grasp.inputs())` scores it again."""
        own = {name: getattr(self, name) for name in INPUTS}
        return own | self.scored.shape.to_dict() | self.scored.params.to_dict()


#: Smallest thickness of a limb and length of a region [mm] in the criteria.
THINNEST_MM = 0.5

#: Largest coefficient of friction; larger values are mistakes, such as angles or percentages.
LARGEST_FRICTION = 10.0


@dataclass(frozen=True)
class GraspParams(Result):
    """The parameters of the criteria (section 4.2).

    Attributes:
        mu: smallest coefficient of friction between finger and object.
        lambda_mm: positioning error threshold [mm] of S3.
        W: object weight index: 0.5 light, 1 medium, 2 heavy.
        eta_mm: largest extension [mm] of C2 and C3, and limit of the fingertip grip in C6.
    """

    mu: float = 0.4
    lambda_mm: float = 2.0
    W: float = 1.0
    eta_mm: float = 110.0

    def __post_init__(self) -> None:
        set_field = object.__setattr__
        set_field(self, "mu", checks.positive("mu", self.mu, high=LARGEST_FRICTION))
        set_field(self, "lambda_mm", checks.number("lambda_mm", self.lambda_mm, low=0.0, unit="mm"))
        set_field(self, "W", checks.positive("W", self.W))
        set_field(self, "eta_mm", checks.positive("eta_mm", self.eta_mm, unit="mm"))

    def to_dict(self) -> dict[str, float]:
        """The exchange format."""
        return asdict(self)


@dataclass(frozen=True, eq=False)
class ObjectShape(Result):
    """Properties of the object that the criteria need.

    Attributes:
        area_mm2: area without the holes [mm^2].
        centroid_mm: (2,) centroid of that area [mm].
        major_axis_mm, minor_axis_mm: full axes [mm] of the ellipse with equal moments.
    """

    area_mm2: float
    centroid_mm: Array
    major_axis_mm: float
    minor_axis_mm: float

    @classmethod
    def of(cls, contour: Contour) -> ObjectShape:
        """The shape of a contour."""
        centroid = np.array(contour.centroid, dtype=np.float64)
        centroid.setflags(write=False)
        return cls(float(contour.area), centroid, float(contour.major_axis), float(contour.minor_axis))

    def to_dict(self) -> dict[str, Any]:
        """The exchange format."""
        return vars(self) | {"centroid_mm": [float(value) for value in self.centroid_mm]}


#: Penalty of regions with a length l below the shortest one s, as a factor on s / l - 1: so no grasp appears or
#: disappears with a tenth of a millimetre.
SHORT_WEIGHT = 6.0

#: Added to the Q of a grasp that slips, so that it comes after all grasps that do not slip.
BELOW_ALL = 1e9


@dataclass(frozen=True, eq=False)
class ScoredGrasps:
    """All candidates of an object with the hand's pose and the criteria of each; g grasps, in the candidates' order.

    Attributes:
        candidates: contacts, normals, regions and focus points.
        poses: spread, palm, force directions and extensions.
        hand: the hand that grasps.
        shape: the object.
        params: the parameters of the criteria.
        criteria: name -> (g,) value, lower is better; inf where the hand takes no pose.
        quality: (g,) Q, the plain sum of the ten.
        valid: (g,) whether the hand takes the pose and all criteria are finite.
        limbs: (g, 3) thickness [mm] of the part under each contact, inf opposite to a finger; None when only
            arrays were given (`limbs.thickness`).
        shortest: length [mm] below which the region of a single finger has a penalty; 0: never.
    """

    candidates: Candidates
    poses: HandPoses
    hand: GraspHand
    shape: ObjectShape
    params: GraspParams
    criteria: dict[str, Array]
    quality: Array
    valid: BoolArray
    limbs: Array | None = None
    shortest: float = 0.0

    def __len__(self) -> int:
        return len(self.quality)

    @cached_property
    def short(self) -> Array:
        """(g,) penalty of short regions of single fingers: 6 times the sum of shortest / length - 1, or 0.

        Patches under pads do not count.
        """
        lengths = np.linalg.norm(self.candidates.segments[:, :, 1] - self.candidates.segments[:, :, 0], axis=2)
        over = np.maximum(self.shortest / np.maximum(lengths, THINNEST_MM) - 1.0, 0.0).sum(axis=1)
        pads = self.candidates.pinch | (self.candidates.virtual & (self.hand.fingers == 2))
        return SHORT_WEIGHT * np.where(pads, 0.0, over)

    def __repr__(self) -> str:
        return f"ScoredGrasps({len(self)} grasps, {int(self.valid.sum())} valid, hand {self.hand.name!r})"

    @cached_property
    def reasons(self) -> tuple[str, ...]:
        """Why each grasp is not valid; "" for valid ones."""
        return tuple(self._reason(row) for row in range(len(self)))

    def _reason(self, row: int) -> str:
        if self.valid[row]:
            return ""
        if not self.poses.reachable[row]:
            return self.poses.reason[row] or "the hand takes no pose at these contacts"
        bad = [name for name, column in self.criteria.items() if not np.isfinite(column[row])]
        return f"{' and '.join(bad)} {'is' if len(bad) == 1 else 'are'} infinite"

    @cached_property
    def force_angles(self) -> Array:
        """(g, 3) angles [rad] between force directions and inward normals; NaN without a pose."""
        return deviations(self.poses.forces, self.candidates.normals)

    @cached_property
    def outward(self) -> BoolArray:
        """(g,) whether a finger would push out of the part: more than 90 deg off its inward normal."""
        return np.asarray((self.force_angles >= 0.5 * np.pi).any(axis=1))

    @cached_property
    def outside(self) -> BoolArray:
        """(g,) whether a force leaves its friction cone: the finger would slip instead of pressing as planned."""
        return outside_cones(self.poses.forces, self.candidates.normals, self.params.mu)

    def merit(self, *, feasible: bool = True) -> Array:
        """(g,) Q where valid, else inf; with `feasible`, outward forces give inf and slipping grasps come last."""
        quality = np.where(self.valid, self.quality, np.inf)
        if not feasible:
            return quality
        return np.where(self.outward, np.inf, quality + self.short + np.where(self.outside, BELOW_ALL, 0.0))

    def slips(self, row: int) -> str:
        """The finger whose force leaves its cone most, as text."""
        angles = np.degrees(self.force_angles[row])
        name = Grasp(self, row).finger_names()[int(angles.argmax())] or "jaw 2"
        if angles.max() >= 90.0:
            return f"{name} pushes out of the part, {angles.max():.0f} deg off the inward normal"
        edge = np.degrees(np.arctan(self.params.mu))
        return f"{name} pushes {angles.max():.0f} deg off its normal, and the friction cone ends at {edge:.0f} deg"

    def rescored(self, **changes: float) -> ScoredGrasps:
        """The same contacts and poses with other parameters: only mu, lambda_mm, W or eta_mm change."""
        params = replace(self.params, **changes)
        again = score(self.candidates, self.poses, self.hand, self.shape, params)
        return replace(again, limbs=self.limbs, shortest=self.shortest)


@with_advice()
def score(
    candidates: Candidates, poses: HandPoses, hand: GraspHand, shape: ObjectShape, params: GraspParams
) -> ScoredGrasps:
    """All ten criteria and Q of every candidate that the hand reaches; the others are kept as not valid."""
    reached = np.asarray(poses.reachable, dtype=bool)
    count = len(reached)
    criteria = {name: np.full(count, np.inf) for name in CRITERIA}
    quality, valid = np.full(count, np.inf), np.zeros(count, dtype=bool)
    if reached.any():
        rows = slice(None) if reached.all() else reached
        groups = {"candidates": candidates, "poses": poses}
        arrays = {name: getattr(groups[group], attribute)[rows] for name, (group, attribute) in INPUTS.items()}
        values = evaluate(**arrays, **shape.to_dict(), **params.to_dict())
        for name, column in criteria.items():
            column[rows] = values[name]
        quality[rows], valid[rows] = values["Q"], values["valid"]
    for column in (*criteria.values(), quality, valid):
        column.setflags(write=False)
    return ScoredGrasps(candidates, poses, hand, shape, params, criteria, quality, valid)


def gathered(parts: list[ScoredGrasps], rows: IntArray, candidates: Candidates) -> ScoredGrasps:
    """Some grasps of several lists of one object and hand, without scoring them again.

    Args:
        parts: the lists.
        rows: (g,) numbers of the grasps in the concatenated lists.
        candidates: these grasps' candidates, in the order of `rows`.
    """
    poses = [part.poses for part in parts]
    names = [name for name, value in vars(poses[0]).items() if isinstance(value, np.ndarray)]
    columns = {name: np.concatenate([getattr(pose, name) for pose in poses])[rows] for name in names}
    criteria = {name: np.concatenate([part.criteria[name] for part in parts])[rows] for name in parts[0].criteria}
    quality = np.concatenate([part.quality for part in parts])[rows]
    valid = np.concatenate([part.valid for part in parts])[rows]
    for column in (*columns.values(), *criteria.values(), quality, valid):
        column.setflags(write=False)
    first = parts[0]
    taken = replace(first.poses, **columns)
    common = (first.hand, first.shape, first.params)
    return ScoredGrasps(candidates, taken, *common, criteria, quality, valid, shortest=first.shortest)


@dataclass(frozen=True, eq=False)
class Merged:
    """The result of merging the criteria.

    Attributes:
        names: (m,) the criteria.
        terms: (g, m) term of each criterion, lower is better; inf in rows without rank.
        scores: (g,) numbers that determine the ranks, lower is better; inf in rows without rank.
    """

    names: tuple[str, ...]
    terms: Array
    scores: Array


def _merged(columns: Mapping[str, Array], valid: BoolArray, weights: Mapping[str, float]) -> Merged:
    """Weighted columns as terms, and their sum; a weight of 0 leaves a criterion out, and weights are 1 by default."""
    full = dict.fromkeys(columns, 1.0)
    for name, weight in weights.items():
        if name not in full:
            raise UnknownNameError("criterion", str(name), full, where="weights")
        full[name] = checks.number(f"weights[{name!r}]", weight, low=0.0)
    kept = [name for name in columns if full[name] != 0.0]
    if not kept:
        raise InputError("are all 0", where="weights", fix="give at least one positive weight")
    terms = np.full((len(valid), len(kept)), np.inf)
    terms[valid] = np.stack([full[name] * columns[name][valid] for name in kept], axis=1)
    return Merged(tuple(kept), terms, terms.sum(axis=1))


#: Scores with a smaller relative difference are practically equal: nothing is explained.
AS_GOOD_AS_EQUAL = 0.005

#: A criterion is given as a reason if its difference is at least this fraction of all differences together.
WORTH_SAYING = 0.02


@dataclass(frozen=True)
class Reason:
    """One criterion in which two grasps differ.

    Attributes:
        criterion: its name.
        gain: advantage of the better grasp in units of the score; negative for a disadvantage.
        words: name and meaning of the criterion, and by how much it is lower (better) or higher.
    """

    criterion: str
    gain: float
    words: str


@dataclass(frozen=True)
class Reasons(Result):
    """Why one grasp is ranked above another.

    Attributes:
        better, worse: names of the two ("grasp 1", "grasp 4").
        difference: difference of their scores, at least 0.
        method: how the criteria were merged.
        gains: advantages of the better one, the largest first; none for practically equal scores.
        losses: its disadvantages, the largest first; none for practically equal scores.
        scores: scores of the better and of the worse one.
        slips: why the worse one comes last for any score: a force outside its friction cone; otherwise "".
    """

    better: str
    worse: str
    difference: float
    method: str
    gains: tuple[Reason, ...]
    losses: tuple[Reason, ...]
    scores: tuple[float, float]
    slips: str = ""

    def __str__(self) -> str:
        if self.slips:
            above = f"{self.better} is ranked above {self.worse}: all its forces lie in their friction cones"
            return f"{above}; in {self.worse}, {self.slips}"
        if not self.gains and not self.losses:
            what = "Q" if self.method == "sum" else f"{self.method} score"
            text = f"{what} {self.scores[0]:.3f} and {self.scores[1]:.3f}"
            return f"{self.better} and {self.worse} are practically equal ({text})"
        text = f"{self.better} beats {self.worse} by {self.difference:.3g} ({self.method})"
        if self.gains:
            text += ": " + ", ".join(reason.words for reason in self.gains)
        if self.losses:
            text += "; although " + ", ".join(reason.words for reason in self.losses)
        return text

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "better": self.better,
            "worse": self.worse,
            "difference": self.difference,
            "method": self.method,
            "gains": [vars(reason).copy() for reason in self.gains],
            "losses": [vars(reason).copy() for reason in self.losses],
            "text": str(self),
        }


@with_advice()
def compare(
    grasp_a: Grasp,
    grasp_b: Grasp,
    *,
    terms: tuple[Mapping[str, float], Mapping[str, float]] | None = None,
    method: str = "sum",
) -> Reasons:
    """Which of two grasps is better and why.

    Args:
        grasp_a, grasp_b: the grasps; they may belong to different objects.
        terms: what each criterion adds to the score of a and of b; the criteria themselves when not given.
        method: method of the scores, for the text.
    """
    if terms is None:
        terms = (grasp_a.criteria, grasp_b.criteria)
        scores = (grasp_a.Q, grasp_b.Q)
    else:
        scores = (grasp_a.score, grasp_b.score)
    pair = [(grasp_a, terms[0], scores[0]), (grasp_b, terms[1], scores[1])]
    if scores[1] < scores[0]:
        pair.reverse()
    (best, best_terms, best_score), (other, other_terms, other_score) = pair
    gains = {name: _difference(other_terms[name], best_terms[name]) for name in best_terms}
    total = sum(abs(gain) for gain in gains.values() if np.isfinite(gain))
    if _difference(other_score, best_score, share=AS_GOOD_AS_EQUAL) == 0.0:
        gains = {}
    reasons = [
        Reason(name, gain, f"{name} ({_MEANING[name]}) is {abs(gain):.2g} {'lower' if gain > 0.0 else 'higher'}")
        for name, gain in gains.items()
        if gain != 0.0 and abs(gain) >= WORTH_SAYING * total
    ]
    reasons.sort(key=lambda reason: -abs(reason.gain))
    return Reasons(
        _called(best, other),
        _called(other, best),
        _difference(other_score, best_score),
        method,
        tuple(reason for reason in reasons if reason.gain > 0.0),
        tuple(reason for reason in reasons if reason.gain < 0.0),
        (float(best_score), float(other_score)),
    )


def _difference(worse: float, better: float, share: float = SOLVER_ROUNDING) -> float:
    """worse - better; 0 where they differ by no more than `share` of their size, or by rounding of numbers about 1."""
    size = max(abs(worse), abs(better))
    if worse == better or (np.isfinite(size) and abs(worse - better) <= max(share * size, SOLVER_ROUNDING)):
        return 0.0
    return float(worse - better)


def _called(grasp: Grasp, other: Grasp) -> str:
    if grasp.rank is not None and grasp.rank != other.rank:
        return f"grasp {grasp.rank}"
    return f"candidate {grasp.index}"


@with_advice()
def grasp_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of `Ranking.to_dict` and of the output of `holdfast grasps --json`."""
    return json.loads(files("holdfast").joinpath("data", "grasps.schema.json").read_text(encoding="utf-8"))


#: Argument of `rank`: a name, or weights.
HowToRank = str | Mapping[str, float]

#: Names of ways of ranking.
WAYS = ("sum", "paper")


@dataclass(frozen=True, eq=False)
class Ranking(Result):
    """Grasps from the best to the worst; make one with `rank` or `plan`.

    Grasps with a force outside its friction cone come after all others, with a warning in `note`. Equal scores are
    ordered by kind (three fingers first), then by index. Grasps that are not valid, push out of the part, are not
    reachable or have no finite score have no rank: they are in `excluded` with the reason. The paper's ranking
    ("paper") uses only Q.

    Attributes:
        scored: all grasps as arrays, in the order of the candidates.
        method: how the criteria were merged: "sum", "paper" or "weighted".
        merged: terms and scores of every grasp.
        order: (k,) rows of `scored` from the best to the worst.
        own: name -> (g,) values of the criteria in addition to the ten: limb thickness and short regions.
        reach: the clearance check, None if it was not made.
        clearance: options of that check if it is made from the best rank down; None if it is complete.
        weights: factors of the criteria in the score; 1 for others.
        workpiece: the part and its picture, None when only arrays were given.
        regions: the straight regions of its contour, None when only arrays were given.
        reason: why there is no grasp, "" when there are some.
    """

    scored: ScoredGrasps
    method: str
    merged: Merged
    order: IntArray
    own: dict[str, Array] = field(default_factory=dict)
    reach: Reachability | None = None
    workpiece: Workpiece | None = None
    regions: GraspRegions | None = None
    reason: str = ""
    clearance: Mapping[str, Any] | None = None
    weights: Mapping[str, float] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.order)

    def __iter__(self) -> Iterator[Grasp]:
        return iter(self.grasps)

    def __getitem__(self, place: int) -> Grasp:
        return self.grasps[place]

    def __repr__(self) -> str:
        if not len(self):
            return f"Ranking(no grasp: {self.reason})"
        best = self.grasps[0]
        return f"Ranking({len(self)} grasps by {self.method}, best Q = {best.Q:.4g}, {best.kind})"

    @cached_property
    def grasps(self) -> tuple[Grasp, ...]:
        """The ranked grasps, best first."""
        return tuple(self._view(int(row), rank) for rank, row in enumerate(self.order, start=1))

    @cached_property
    def excluded(self) -> tuple[Grasp, ...]:
        """The grasps without a rank, each with its reason, in the order of the candidates."""
        ranked = np.zeros(len(self.scored), dtype=bool)
        ranked[self.order] = True
        return tuple(self._view(int(row), None) for row in np.flatnonzero(~ranked))

    @cached_property
    def ranks(self) -> IntArray:
        """(g,) rank of every candidate from 1; 0 without rank."""
        ranks = np.zeros(len(self.scored), dtype=np.int64)
        ranks[self.order] = np.arange(1, len(self.order) + 1)
        return ranks

    @property
    def best(self) -> Grasp | None:
        """The grasp of rank 1; None in an empty ranking, whose `reason` says why."""
        return self.grasps[0] if len(self) else None

    @property
    def hand(self) -> GraspHand:
        """The hand that grasps."""
        return self.scored.hand

    @property
    def contour(self) -> Contour | None:
        """The object's contour [mm], None when only arrays were given."""
        return None if self.workpiece is None else self.workpiece.contour

    @property
    def picture(self) -> Array | None:
        """(h, w) grey values of the picture, None when there was none."""
        return None if self.workpiece is None else self.workpiece.picture

    @property
    def mm_per_px(self) -> float | None:
        """Scale of the picture, None when there was none."""
        return None if self.workpiece is None else self.workpiece.mm_per_px

    def why(self, i: int = 1, j: int = 2) -> Reasons:
        """Why the grasp of rank `i` is ranked above (or below) that of rank `j`, as text; ranks start at 1."""
        pair = [self._of_rank("i", i), self._of_rank("j", j)]
        terms = [dict(zip(self.merged.names, map(float, self.merged.terms[g.index]), strict=True)) for g in pair]
        found = compare(*pair, terms=(terms[0], terms[1]), method=self.method)
        if self.method == "paper" or pair[0].in_cones == pair[1].in_cones:
            return found
        pair.sort(key=lambda grasp: not grasp.in_cones)
        scores, names = (pair[0].score, pair[1].score), (_called(*pair), _called(*pair[::-1]))
        # advantages of the better score may be disadvantages of the grasp that does not slip
        turned = found.better != names[0]
        gains, losses = (found.losses, found.gains) if turned else (found.gains, found.losses)
        return Reasons(*names, abs(scores[1] - scores[0]), found.method, gains, losses, scores, pair[1].note)

    def ranked_by(self, ranking: HowToRank) -> Ranking:
        """The same grasps in another order; if only the best were checked, the new best ones are checked."""
        if self.clearance is None or self.contour is None:
            return self._of_same_part(rank(self.scored, ranking, reach=self.reach))
        from .reachability import check_in_order

        free = rank(self.scored, ranking)
        reach = check_in_order(self.contour, self.scored, free.order, known=self.reach, **self.clearance)
        return self._of_same_part(rank(self.scored, ranking, reach=reach))

    def filtered(self, reach: Reachability) -> Ranking:
        """Only grasps that pass a clearance check, or were not tested, keep a rank."""
        return self._of_same_part(_ranked(self.scored, self.method, self.weights, self.own, self.merged, reach))

    def _of_same_part(self, again: Ranking) -> Ranking:
        reason = again.reason and (self.reason or again.reason)
        return replace(again, workpiece=self.workpiece, regions=self.regions, reason=reason, clearance=self.clearance)

    @property
    def blocked(self) -> tuple[Grasp, ...]:
        """The grasps that would have a rank, but that the fingers cannot reach; () without a clearance check."""
        good = (grasp for grasp in self.excluded if grasp.valid and grasp.reachability is not None)
        return tuple(grasp for grasp in good if grasp.reachability is not None and not grasp.reachability[0])

    def rows(self) -> list[dict[str, Any]]:
        """All ranked grasps, flat: criteria, contacts, normals, forces, foci, pose of the hand; mm and rad.

        Where a clearance check was made, the grasps that the fingers cannot reach follow without a rank, and two
        columns say whether and why not.
        """
        rows = []
        for grasp in (*self.grasps, *(() if self.reach is None else self.blocked)):
            flat: dict[str, Any] = {
                "rank": "" if grasp.rank is None else grasp.rank,
                "kind": grasp.kind,
                "Q": grasp.Q,
                "score": grasp.score,
                **grasp.criteria,
                **dict(grasp.own_criteria),
                "in_cones": str(grasp.in_cones).lower(),
            }
            for label, points in (
                ("contact", grasp.contacts_mm),
                ("normal", grasp.inward_normals),
                ("force", grasp.force_directions),
            ):
                for finger, point in enumerate(points, start=1):
                    flat |= {f"{label}{finger}_{axis}": float(x) for axis, x in zip("xy", point, strict=True)}
            for label, point in (("grasp_focus", grasp.grasp_focus_mm), ("real_focus", grasp.real_focus_mm)):
                pair = ("", "") if point is None else tuple(map(float, point))
                flat |= {f"{label}_{axis}": x for axis, x in zip("xy", pair, strict=True)}
            flat |= {f"extension{finger}": float(x) for finger, x in enumerate(grasp.extensions_mm, start=1)}
            flat |= {
                "spread_rad": grasp.spread_rad,
                "palm_x": float(grasp.palm_mm[0]),
                "palm_y": float(grasp.palm_mm[1]),
                "yaw_rad": grasp.yaw_rad,
            }
            if self.reach is not None:
                ok, words = grasp.reachability or ("", "")
                flat |= {"reachable": str(ok).lower(), "in_the_way": words}
            rows.append(flat)
        return rows

    def to_dict(self, *, metrics: bool = False, best: int | None = None) -> dict[str, Any]:
        """The exchange format: finite numbers only, null for infinity.

        Args:
            metrics: with the wrench-space metrics of each ranked grasp.
            best: how many of the ranked grasps; all by default.
        """
        return exchange_form(self, metrics=metrics, best=best)

    def _of_rank(self, name: str, rank: int) -> Grasp:
        if checks.count(name, rank) > len(self):
            raise InputError(f"is {rank}", where=name, fix=f"ranks go from 1 to {len(self)}")
        return self.grasps[rank - 1]

    def _view(self, row: int, rank: int | None) -> Grasp:
        looked_at = self.reach is not None and self.reach.tested[row]
        reach = (bool(self.reach.ok[row]), self.reach.reason[row]) if self.reach is not None and looked_at else None
        return Grasp(
            self.scored,
            row,
            rank,
            float(self.merged.scores[row]),
            "" if rank else self._why_not(row),
            tuple((name, float(column[row])) for name, column in self.own.items()),
            reach,
        )

    def _why_not(self, row: int) -> str:
        if not self.scored.valid[row]:
            return self.scored.reasons[row]
        if self.scored.outward[row] and self.method != "paper":
            return self.scored.slips(row)
        assert self.reach is not None  # a valid grasp loses its rank only so
        return self.reach.reason[row]


@with_advice()
def rank(scored: ScoredGrasps, ranking: HowToRank = "sum", *, reach: Reachability | None = None) -> Ranking:
    """Rank scored grasps.

    Args:
        scored: the grasps.
        ranking: "sum" (Q and limb thickness), "paper" (only Q, of all force-closed grasps), or weights like
            {"S2": 2.0}, 1 for criteria that are not named.
        reach: a clearance check; grasps that do not pass it get no rank.

    In all but the paper's ranking, grasps that push out of the part get no rank, those with a force outside its
    friction cone come after all others, and limb thickness is one more criterion where it is known.
    """
    valid = scored.valid
    method, weights = (ranking, {}) if isinstance(ranking, str) else ("weighted", ranking)
    if isinstance(ranking, str) and ranking not in WAYS:
        raise UnknownNameError("way of ranking", ranking, (*WAYS, "or weights like {'S2': 2.0}"), where="ranking")
    if not isinstance(weights, Mapping):
        fix = f"give {' or '.join(WAYS)}, or weights like {{'S2': 2.0}}"
        raise InputError(f"is a {type(ranking).__name__}", where="ranking", fix=fix)
    extra: dict[str, Array] = {}
    if scored.limbs is not None and method != "paper":
        extra[LIMB] = np.where(valid, limb_criterion(scored.limbs), np.inf)
        if scored.shortest > 0.0:
            extra[SHORT] = np.where(valid, scored.short, np.inf)
    merged = _merged(scored.criteria | extra, valid, weights)
    if not weights and not extra:
        merged = replace(merged, scores=np.where(valid, scored.quality, np.inf))
    return _ranked(scored, method, weights, extra, merged, reach)


#: Names of the criteria in addition to the ten: limb thickness, and regions that are slightly too short.
LIMB, SHORT = "limb", "short"
_MEANING = MEANING | {LIMB: "thin limbs", SHORT: "short regions"}

#: Limbs thinner than this [mm] have a penalty.
THIN_LIMB_MM = 8.0


def limb_criterion(thickness: ArrayLike) -> Array:
    """(...,) sum of 8 mm / t - 1 over the contacts (..., 3) whose limb is t < 8 mm thick; lower is better."""
    thin = np.maximum(np.asarray(thickness, dtype=np.float64), THINNEST_MM)
    return np.maximum(THIN_LIMB_MM / thin - 1.0, 0.0).sum(axis=-1)


def levels(values: Array) -> IntArray:
    """(n,) number of each distinct value, from 0 for the lowest; values that differ by rounding are one.

    Symmetric grasps are then equal. Criteria are pure numbers of the order of 1 (C6 is in mm).
    """
    order = np.argsort(values, kind="stable")
    rising = np.asarray(values, dtype=np.float64)[order]
    size = np.minimum(np.abs(rising[1:]), np.abs(rising[:-1]))
    steps = rising[1:] > rising[:-1] + np.maximum(SOLVER_ROUNDING * size, ROUNDING)
    found = np.zeros(len(rising), dtype=np.int64)
    found[order[1:]] = np.cumsum(steps)
    return found


def ordered(scores: Array, virtual: BoolArray) -> IntArray:
    """Rows with a finite score from the lowest to the highest; ties by kind (three fingers first), then by row.

    Scores that differ by rounding are ties.
    """
    rows = np.flatnonzero(np.isfinite(scores))
    return rows[np.lexsort((rows, virtual[rows], levels(scores[rows])))]


def _ranked(
    scored: ScoredGrasps,
    method: str,
    weights: Mapping[str, float],
    own: dict[str, Array],
    merged: Merged,
    reach: Reachability | None,
) -> Ranking:
    allowed = merged.scores if reach is None else np.where(reach.ok | ~reach.tested, merged.scores, np.inf)
    if method == "paper":
        order = ordered(allowed, scored.candidates.virtual)
    else:
        order = ordered(np.where(scored.outward, np.inf, allowed), scored.candidates.virtual)
        slips = scored.outside[order]
        order = np.concatenate([order[~slips], order[slips]])
    reason = "" if len(order) else _none_left(scored, reach, feasible=method != "paper")
    return Ranking(scored, method, merged, order, own, reach, reason=reason, weights=weights)


def _none_left(scored: ScoredGrasps, reach: Reachability | None, *, feasible: bool) -> str:
    """Why no grasp has a rank: how many candidates pass each step, and an example from the last step."""
    if not len(scored):
        return "there is no candidate"
    alive = np.ones(len(scored), dtype=bool)
    steps: list[tuple[str, BoolArray, Callable[[int], str]]] = [
        ("the hand takes", np.asarray(scored.poses.reachable, dtype=bool), lambda row: scored.reasons[row]),
        ("have finite criteria", scored.valid, lambda row: scored.reasons[row]),
    ]
    if feasible:
        steps.append(("push into the part", ~scored.outward, scored.slips))
    if reach is not None:
        steps.append(("are clear for the fingers", reach.ok | ~reach.tested, lambda row: reach.reason[row]))
    left = []
    for words, kept, why in steps:
        before = np.flatnonzero(alive)
        alive = alive & kept
        if len(before) > alive.sum():
            left.append(f"{int(alive.sum())} {words}")
        if alive.any():
            continue
        said = [why(int(row)) for row in before]
        kinds = Counter(text.split(":")[0] for text in said)
        most, count = max(kinds.items(), key=lambda pair: (pair[1], pair[0]))
        example = next(text for text in said if text.split(":")[0] == most)
        passed = f" ({', '.join(left)})" if len(left) > 1 else ""
        every = f"none of the {len(scored)} candidates is" if len(scored) > 1 else "the only candidate is not"
        last = f"{count} of the last {len(before)}" if len(before) > 1 else "the last"
        return f"{every} possible{passed}; {last}: {example}"
    return "there is no grasp"

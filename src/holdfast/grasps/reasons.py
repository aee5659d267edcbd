"""Why one grasp beats another, in words: "larger triangle, forces 4 deg closer to the normals"."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .grasp import Grasp

#: Terms and scores that differ by less than this share of their size differ by rounding.
ROUNDING = 1e-9

#: Scores that differ by less than this share of their size are as good as equal: nothing is to be explained.
AS_GOOD_AS_EQUAL = 0.005

#: A criterion counts among the reasons when its difference is at least this share of all differences together.
WORTH_SAYING = 0.02


@dataclass(frozen=True)
class Reason:
    """One criterion in which two grasps differ.

    Attributes:
        criterion: its name.
        gain: by how much it speaks for the better grasp, in units of the score; negative when it speaks against it.
        words: what is better (or worse), in physical terms.
    """

    criterion: str
    gain: float
    words: str


@dataclass(frozen=True)
class Reasons:
    """Why one grasp stands before another.

    Attributes:
        better, worse: how the two are called ("grasp 1", "grasp 4").
        difference: of their scores, at least 0.
        method: how the criteria were merged.
        gains: what speaks for the better one, the strongest first; none for scores that are as good as equal.
        losses: what speaks against it all the same, the strongest first; none for scores that are as good as equal.
        scores: of the better and of the worse one.
    """

    better: str
    worse: str
    difference: float
    method: str
    gains: tuple[Reason, ...]
    losses: tuple[Reason, ...]
    scores: tuple[float, float]

    def __str__(self) -> str:
        if not self.gains and not self.losses:
            what = "Q" if self.method == "sum" else f"{self.method} score"
            text = f"{what} {self.scores[0]:.3f} and {self.scores[1]:.3f}"
            return f"{self.better} and {self.worse} are as good as equal ({text})"
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
        method: how the scores were made, for the words.
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
        Reason(name, gain, _words(name, best, other, gain > 0.0))
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


def _difference(worse: float, better: float, share: float = ROUNDING) -> float:
    """worse - better; 0 where they differ by no more than `share` of their size, or by rounding of numbers about 1."""
    size = max(abs(worse), abs(better))
    if worse == better or (np.isfinite(size) and abs(worse - better) <= max(share * size, ROUNDING)):
        return 0.0
    return float(worse - better)


def _called(grasp: Grasp, other: Grasp) -> str:
    if grasp.rank is not None and grasp.rank != other.rank:
        return f"grasp {grasp.rank}"
    return f"candidate {grasp.index}"


def _words(name: str, best: Grasp, other: Grasp, gain: bool) -> str:
    """What a criterion says of the better grasp against the other, with physical amounts.

    Where the amount does not point the way the criterion does (a force beyond the friction cone counts threefold, two
    objects differ in size) or both amounts read the same, the values of the criterion are given instead; where these
    read the same as well, the words stand without figures.
    """
    if name not in _PHRASES:
        own = [dict(grasp.own_criteria).get(name, np.nan) for grasp in (best, other)]
        return f"{'lower' if gain else 'higher'} {name}{_pair([f'{_unrounded(value):.4g}' for value in own])}"
    phrase = _PHRASES[name]
    words = phrase.better if gain else phrase.worse
    if phrase.amount is not None:
        values = [phrase.amount(grasp) for grasp in (best, other)]
        if ((values[0] > values[1]) == phrase.more_is_better) == gain:
            by = _amount(abs(values[0] - values[1]), phrase.digits)
            if "{by}" in words and float(by):
                return words.format(by=f"{by} {phrase.unit}")
            pair = _pair([_amount(value, phrase.digits) for value in values], phrase.unit)
            if pair and "{by}" not in words:
                return f"{words}{pair}"
    pair = _pair([_amount(grasp.criteria[name], digits=2) for grasp in (best, other)], name=f"{name} ")
    return f"{words.replace('{by} ', '')}{pair}"


def _pair(amounts: list[str], unit: str = "", name: str = "") -> str:
    """Two amounts in brackets; nothing where they read the same."""
    if amounts[0] == amounts[1]:
        return ""
    return f" ({name}{amounts[0]} against {f'{amounts[1]} {unit}'.strip()})"


def _amount(value: float, digits: int = 1) -> str:
    """An amount for people: whole from 10 on, with `digits` after the point below."""
    text = f"{value:.0f}" if abs(value) >= 10.0 else f"{value:.{digits}f}"
    return text.removeprefix("-") if not float(text) else text


def _unrounded(value: float) -> float:
    """What is left by rounding is 0."""
    return 0.0 if abs(value) < ROUNDING else value


def _off_equilateral(grasp: Grasp) -> float:
    """Mean deviation of the triangle's angles from 60 deg [deg]."""
    return grasp.criteria["S1"] * 40.0


def _triangle(grasp: Grasp) -> float:
    """Area of the grasping triangle [mm^2]."""
    (ax, ay), (bx, by) = grasp.contacts_mm[1] - grasp.contacts_mm[0], grasp.contacts_mm[2] - grasp.contacts_mm[0]
    return abs(float(ax * by - ay * bx)) / 2.0


def _curvature(grasp: Grasp) -> float:
    """Sum of the regions' curvatures [1/cm]."""
    return float(np.sum(grasp.region_curvature))


def _off_normal(grasp: Grasp) -> float:
    """Root mean square angle between forces and normals [deg]."""
    force, normal = grasp.force_directions, grasp.inward_normals
    sine = force[:, 0] * normal[:, 1] - force[:, 1] * normal[:, 0]
    return float(np.degrees(np.sqrt(np.mean(np.arctan2(sine, (force * normal).sum(axis=1)) ** 2))))


def _off_focus(grasp: Grasp) -> float:
    """Distance of the real focus from the grasp focus [mm]."""
    return grasp.criteria["C2"] * grasp.scored.params.eta_mm * grasp.scored.params.mu / 2.0


def _unequal(grasp: Grasp) -> float:
    """Root mean square difference of two extensions [mm]."""
    return grasp.scored.params.eta_mm * float(np.sqrt(grasp.criteria["C3"] / 3.0))


def _spread(grasp: Grasp) -> float:
    """Opening angle of the fingers [deg]."""
    return float(np.degrees(grasp.spread_rad))


def _off_centre(grasp: Grasp) -> float:
    """Distance of the real focus from the object's centroid [mm]."""
    shape = grasp.scored.shape
    return grasp.criteria["C5"] * (shape.major_axis_mm + shape.minor_axis_mm) / (4.0 * grasp.scored.params.W)


def _overreach(grasp: Grasp) -> float:
    """Sum of the extensions beyond the fingertip limit [mm]."""
    return grasp.criteria["C6"]


@dataclass(frozen=True)
class _Phrase:
    """Words for and against a grasp in one criterion, and the physical amount behind it, if one number tells.

    `digits` are those after the point of amounts below 10.
    """

    better: str
    worse: str
    amount: Callable[[Grasp], float] | None
    unit: str = ""
    more_is_better: bool = False
    digits: int = 1


_PHRASES = {
    "S1": _Phrase(
        "angles {by} closer to an equilateral triangle",
        "angles {by} farther from an equilateral triangle",
        _off_equilateral,
        "deg",
    ),
    "S2": _Phrase("larger triangle", "smaller triangle", _triangle, "mm2", more_is_better=True),
    "S3": _Phrase(
        "contacts farther from the ends of their regions",
        "contacts nearer to the ends of their regions",
        None,
    ),
    "S4": _Phrase("less convex regions", "more convex regions", _curvature, "1/cm", more_is_better=True, digits=2),
    "C1": _Phrase("forces {by} closer to the normals", "forces {by} farther from the normals", _off_normal, "deg"),
    "C2": _Phrase(
        "real focus {by} nearer to the intended one", "real focus {by} farther from the intended one", _off_focus, "mm"
    ),
    "C3": _Phrase("more equal finger extensions", "less equal finger extensions", _unequal, "mm apart"),
    "C4": _Phrase("fingers {by} less spread", "fingers {by} more spread", _spread, "deg"),
    "C5": _Phrase("focus {by} nearer to the centroid", "focus {by} farther from the centroid", _off_centre, "mm"),
    "C6": _Phrase(
        "fingers {by} less beyond the fingertip limit", "fingers {by} more beyond the fingertip limit", _overreach, "mm"
    ),
}

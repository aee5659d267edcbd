"""From a picture or a contour to ranked grasps: all steps in one call."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..errors import UnknownNameError
from ..public_names import with_advice
from .candidates import hand_span
from .contour_files import WorkpieceLike, read_workpiece
from .ranking import (
    GraspParams,
    HowToRank,
    ObjectShape,
    Ranking,
    ScoredGrasps,
    gathered,
    score,
)
from .ranking import (
    rank as ranked_by,
)

if TYPE_CHECKING:
    from ..checks import BoolArray, IntArray
    from .candidates import Candidates
    from .contours import SmoothContour
    from .hands import GraspHand
    from .regions import GraspRegions


@with_advice()
def plan(
    image_or_contour: WorkpieceLike,
    hand: str | GraspHand = "barrett",
    mm_per_px: float = 1.0,
    *,
    mu: float = 0.4,
    lambda_mm: float = 2.0,
    W: float = 1.0,
    eta_mm: float | None = None,
    rank: HowToRank = "sum",
    reachability: bool | Literal["best", "all", "none"] | None = None,
    clearance: dict[str, Any] | None = None,
    object: str = "auto",
    pick: ArrayLike | None = None,
    index: int = 0,
    step: float = 0.5,
    sigma: float = 1.0,
    cut: float = 0.2,
    deviation: float = 0.5,
    shortest: float = 8.0,
) -> Ranking:
    """Find, score and rank the grasps of an object; an empty ranking gives the reason in `reason`.

    Args:
        image_or_contour: path of a picture or of a contour file (CSV, SVG, DXF; in mm), an array of pixels, an array of
            points (n, 2) in mm, a `Contour`, or an example part.
        hand: "barrett", "generic", "parallel_jaw", the path of a hand's file, or a `GraspHand`.
        mm_per_px: scale of a picture; contours and points are in mm.
        mu: smallest coefficient of friction between finger and object.
        lambda_mm: positioning error threshold [mm].
        W: object weight index: 0.5 light, 1 medium, 2 heavy.
        eta_mm: extension limit [mm] in the criteria; the hand's own when not given.
        rank: "sum" (Q and limb thickness), "paper", or weights like {"S2": 2.0}. "paper" plans as the paper does: by Q
            only, with three-finger and virtual two-finger grasps whose extensions are at least 0, and without checking
            the friction cones of the finger forces, limbs and reachability.
        reachability: which grasps are checked: "best" from the best rank down until 20 are reachable (the default),
            "all" (also True) or "none" (also False; the default of the paper's ranking). Grasps that fingers cannot
            reach without collision get no rank.
        clearance: options of that check, by the names of `check_fingers`; "wanted" is the 20.
        object: "dark" on bright, "bright" on dark, or "auto", in a picture.
        pick: (x, y) [mm] of a point on the wanted object, where a picture shows several.
        index: number of the object, from the largest, where a picture shows several and none is picked.
        step, sigma: spacing and smoothing [mm] of the contour; the spacing is doubled, tripled and so on for a
            perimeter of more than 2,000 steps.
        cut: curvature [1/mm] at which regions are cut.
        deviation: largest distance [mm] of a region from a straight segment.
        shortest: smallest length [mm] of a region. Outside the paper's ranking, regions of single fingers may be a
            quarter shorter, with a penalty ("short", in addition to the ten criteria), and pads use regions from 4 mm
            on.
    """
    from .candidates import within_span
    from .contours import smoothed
    from .hands import load_hand
    from .limbs import thickness
    from .opposing import SHORTEST_UNDER_PADS, pad_halves
    from .reachability import check, check_in_order
    from .regions import find_regions

    workpiece = read_workpiece(image_or_contour, mm_per_px=mm_per_px, object=object, pick=pick, index=index)
    contour, gripper, paper = workpiece.contour, load_hand(hand), rank == "paper"
    tested, options = _tested(reachability, paper), clearance or {}
    gripper = replace(gripper, closest_extension=0.0) if paper else gripper
    params = GraspParams(mu, lambda_mm, W, gripper.eta if eta_mm is None else eta_mm)
    shortest = checks.positive("shortest", shortest, unit="mm")
    soft = shortest if paper or gripper.fingers == 2 else SOFT_SHARE * shortest
    limits = {"cut": cut, "deviation": deviation, "shortest": soft}
    step = checks.positive("step", step, unit="mm")
    step *= max(1.0, np.ceil(contour.perimeter / (step * MOST_PLANNED_POINTS)))
    smooth = smoothed(contour, step=step, sigma=sigma)
    pads = not paper and pad_halves(gripper) is not None
    every = find_regions(smooth, **(limits | ({"shortest": min(soft, SHORTEST_UNDER_PADS)} if pads else {})))
    regions = every.select(np.flatnonzero(every.lengths >= soft)) if pads else every
    near = within_span(regions, gripper)
    common = (gripper, ObjectShape.of(contour), params)
    scored = _scored(smooth, regions, near, *common, limits, every if pads else None, 0.0 if paper else shortest)
    if not paper:
        scored = replace(scored, limbs=thickness(contour, scored))
    ranked = ranked_by(scored, rank)
    if tested == "all":
        ranked = ranked.filtered(check(contour, scored.candidates, scored.poses, gripper, **options))
    elif tested == "best":
        ranked = ranked.filtered(check_in_order(contour, scored, ranked.order, **options))
        ranked = replace(ranked, clearance=options)
    reason = ranked.reason if len(scored) else _no_candidates(regions, gripper, params.mu, soft)
    return replace(ranked, regions=regions, reason=reason and reason + _not_tried(near, gripper), workpiece=workpiece)


def _scored(
    smooth: SmoothContour,
    regions: GraspRegions,
    near: BoolArray,
    hand: GraspHand,
    shape: ObjectShape,
    params: GraspParams,
    limits: dict[str, float],
    under_pads: GraspRegions | None,
    shortest: float,
) -> ScoredGrasps:
    """All grasps with their criteria: on regions, moved along smooth stretches, and with pads.

    Args:
        smooth, regions, near: the contour, its regions, and which two of these may be used in one grasp.
        hand, shape, params: the hand, the part, and the parameters of the criteria.
        limits: the limits of the regions.
        under_pads: regions that carry pads; None for no pads.
        shortest: length [mm] below which regions have a penalty; 0 for the paper's grasps.
    """
    from .candidates import find_candidates, joined, three_finger_candidates, virtual_candidates
    from .contact_refinement import find_windows, slide
    from .hands import solve_hand
    from .opposing import distinct, pad_pairs, swept_pads

    pads, paper = under_pads is not None, shortest == 0.0
    virtual = hand.virtual if hand.fingers == 3 else not pads

    def scorer(found: Candidates) -> ScoredGrasps:
        return replace(score(found, solve_hand(found, hand), hand, shape, params), shortest=shortest)

    def pairs(pool: GraspRegions, chosen: IntArray | None) -> Candidates | None:
        found = [virtual_candidates(pool, hand.pivot_offset, params.mu, chosen)] if virtual else []
        if pads:
            found.append(pad_pairs(pool, hand, shape, params, chosen))
        return joined(found) if found else None

    if paper:
        scored = scorer(find_candidates(regions, hand, mu=params.mu, together=near))
    else:
        three = [three_finger_candidates(regions, params.mu, near)] if hand.fingers == 3 else []
        scored = scorer(joined([*three, *(part for part in [pairs(regions, None)] if part is not None)]))
    windows = find_windows(smooth, regions, **limits)
    scored = slide(scored, regions, windows, smooth.perimeter, near, scorer, pairs, feasible=not paper)
    if under_pads is None:
        return scored
    small = pad_pairs(under_pads, hand, shape, params)
    small = replace(small, region_index=np.full_like(small.region_index, -1))
    swept = scorer(
        joined([small, swept_pads(smooth, regions, hand, shape, params, limits["deviation"], limits["cut"])])
    )
    held = np.isfinite(scored.merit()) & scored.candidates.virtual
    rows = distinct(swept.candidates.contacts, swept.merit(), scored.candidates.contacts[held])
    every = joined([scored.candidates, swept.candidates.select(rows)])
    return gathered([scored, swept], np.concatenate([np.arange(len(scored)), len(scored) + rows]), every)


def _tested(reachability: bool | Literal["best", "all", "none"] | None, paper: bool) -> Literal["best", "all", "none"]:
    """Which grasps are checked for reachability."""
    if reachability is None:
        return "none" if paper else "best"
    if isinstance(reachability, bool):
        return "all" if reachability else "none"
    if reachability not in ("best", "all", "none"):
        raise UnknownNameError("extent of the check", str(reachability), ("best", "all", "none"), where="reachability")
    return reachability


#: Fraction by which regions of single fingers may be shorter than `shortest`, with the penalty `ScoredGrasps.short`.
SOFT_SHARE = 0.75

#: Points of a contour, at most: larger parts have twice the spacing, three times and so on. The search for straight
#: sides takes quadratic time.
MOST_PLANNED_POINTS = 2000


def _no_candidates(regions: GraspRegions, hand: GraspHand, mu: float, shortest: float) -> str:
    """Why no candidate was found."""
    from .opposing import pad_halves

    count = len(regions.segments)
    needed = 3 if hand.fingers >= 3 and not hand.virtual else 2
    found = f"the contour has {count} straight region{'s' if count != 1 else ''} of at least {shortest:g} mm"
    if count < needed:
        return f"{found}; a grasp with the {hand.name} hand needs {needed}"
    kinds = []
    if hand.fingers >= 3:
        kinds.append("three of them")
    if hand.virtual or hand.fingers == 2:
        kinds.append(f"two facing ones, one of at least {2.0 * hand.pivot_offset:g} mm,")
    if pad_halves(hand) is not None:
        kinds[-1] = kinds[-1].rstrip(",")
        kinds.append("two opposite sides under flat pads")
    return f"{found}, and no {' or '.join(kinds)} make a force-closed grasp at mu = {mu:g}"


def _not_tried(near: BoolArray, hand: GraspHand) -> str:
    """How many pairs of regions were left out because the hand cannot span them; "" if none was."""
    far, pairs = int((~near).sum()) // 2, len(near) * (len(near) - 1) // 2
    if not far:
        return ""
    span = hand_span(hand)
    return f"; {far} of the {pairs} pairs of regions are farther apart than the hand can span, {span:g} mm"

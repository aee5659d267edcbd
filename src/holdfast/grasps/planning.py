"""From a picture or a contour to ranked grasps: the whole chain in one call."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ..errors import UnknownNameError
from .candidates import hand_span
from .contour_files import WorkpieceLike, read_workpiece
from .ranking import (
    GraspParams,
    HowToRank,
    ObjectShape,
    OwnCriteria,
    Paper,
    Ranking,
    ScoredGrasps,
    gathered,
    rank,
    score,
)

if TYPE_CHECKING:
    from ..checks import BoolArray, IntArray
    from .candidates import Candidates
    from .hands import GraspHand
    from .regions import GraspRegions


def plan(
    image_or_contour: WorkpieceLike,
    hand: str | GraspHand = "barrett",
    mm_per_px: float = 1.0,
    *,
    mu: float = 0.4,
    lambda_mm: float = 2.0,
    W: float = 1.0,
    eta_mm: float | None = None,
    ranking: HowToRank = "sum",
    own: OwnCriteria | None = None,
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
    """Find, score and rank the grasps of an object; an empty ranking says in `reason` why there are none.

    Args:
        image_or_contour: path of a picture or of a contour file (CSV, SVG, DXF; in mm), an array of pixels, an array of
            points (n, 2) in mm, a `Contour`, or an example part.
        hand: "barrett", "generic", "parallel_jaw", the path of a hand's file, or a `GraspHand`.
        mm_per_px: scale of a picture; contours and points are in mm already.
        mu: least coefficient of friction between finger and object.
        lambda_mm: positioning error threshold [mm].
        W: object weight index: 0.5 light, 1 medium, 2 heavy.
        eta_mm: extension limit [mm] in the criteria; the hand's own when not given.
        ranking: "sum" (Q and limb thickness), "paper", "minmax", "borda", "median", weights like {"S2": 2.0}, a way of
            merging, or a function of one `Grasp` to rank by it alone. "paper" plans as the paper does: by Q alone, with
            three-finger and virtual two-finger grasps whose extensions are at least 0, and without a look at the
            friction cones of the finger forces, at limbs and at reachability.
        own: the user's own criteria, name -> function of one `Grasp`, merged beside the ten; lower is better.
        reachability: which grasps are checked: "best" from the best rank down until 20 are reachable (the default),
            "all" (also True) or "none" (also False; the default of the paper's ranking). Those that fingers cannot get
            to without collision lose their rank.
        clearance: options of that check, by the names of `check_fingers`; "wanted" is the 20.
        object: "dark" on bright, "bright" on dark, or "auto", in a picture.
        pick: (x, y) [mm] of a point on the wanted object, where a picture shows several.
        index: which object counts, from the largest, where a picture shows several and none is picked.
        step, sigma: spacing and smoothing [mm] of the contour.
        cut: curvature [1/mm] at which regions are cut.
        deviation: how far [mm] a region may stray from a straight segment.
        shortest: least length [mm] of a region.
    """
    from .candidates import find_candidates, joined, three_finger_candidates, virtual_candidates, within_span
    from .contact_refinement import find_windows, slide
    from .contours import smoothed
    from .hands import load_hand, solve_hand
    from .limbs import thickness
    from .opposing import distinct, pad_halves, pad_pairs, swept_pads
    from .reachability import check, check_in_order
    from .regions import find_regions

    paper = isinstance(ranking, Paper) or (isinstance(ranking, str) and ranking == "paper")
    tested = _tested(reachability, paper)
    loaded = load_hand(hand)
    if paper:
        loaded = replace(loaded, closest_extension=0.0)
    params = GraspParams(mu, lambda_mm, W, loaded.eta if eta_mm is None else eta_mm)
    workpiece = read_workpiece(image_or_contour, mm_per_px=mm_per_px, object=object, pick=pick, index=index)
    smooth = smoothed(workpiece.contour, step=step, sigma=sigma)
    regions = find_regions(smooth, cut=cut, deviation=deviation, shortest=shortest)
    near = within_span(regions, loaded)
    shape = ObjectShape.of(workpiece.contour)
    pads = not paper and pad_halves(loaded) is not None
    virtual = loaded.virtual if loaded.fingers == 3 else not pads

    def scorer(found: Candidates) -> ScoredGrasps:
        return score(found, solve_hand(found, loaded), loaded, shape, params)

    def pairs(pool: GraspRegions, chosen: IntArray | None) -> Candidates | None:
        found = [virtual_candidates(pool, loaded.pivot_offset, params.mu, chosen)] if virtual else []
        if pads:
            found.append(pad_pairs(pool, loaded, shape, params, chosen))
        return joined(found) if found else None

    if paper:
        scored = scorer(find_candidates(regions, loaded, mu=params.mu, together=near))
    else:
        three = [three_finger_candidates(regions, params.mu, near)] if loaded.fingers == 3 else []
        scored = scorer(joined([*three, *(part for part in [pairs(regions, None)] if part is not None)]))
    windows = find_windows(smooth, regions, cut=cut, deviation=deviation, shortest=shortest)
    scored = slide(scored, regions, windows, smooth.perimeter, near, scorer, pairs, feasible=not paper)
    if pads:
        swept = scorer(swept_pads(smooth, regions, loaded, shape, params, deviation))
        held = np.isfinite(scored.merit()) & scored.candidates.virtual
        rows = distinct(swept.candidates.contacts, swept.merit(), scored.candidates.contacts[held])
        every = joined([scored.candidates, swept.candidates.select(rows)])
        scored = gathered([scored, swept], np.concatenate([np.arange(len(scored)), len(scored) + rows]), every)
    if not paper:
        scored = replace(scored, limbs=thickness(workpiece.contour, scored))
    ranked = rank(scored, ranking, own=own)
    options = clearance or {}
    if tested == "all":
        ranked = ranked.filtered(check(workpiece.contour, scored.candidates, scored.poses, loaded, **options))
    elif tested == "best":
        ranked = ranked.filtered(check_in_order(workpiece.contour, scored, ranked.order, **options))
        ranked = replace(ranked, clearance=options)
    reason = _no_candidates(regions, loaded, params.mu, shortest) if not len(scored) else ranked.reason
    return replace(ranked, workpiece=workpiece, regions=regions, reason=reason and reason + _not_tried(near, loaded))


def _tested(reachability: bool | Literal["best", "all", "none"] | None, paper: bool) -> Literal["best", "all", "none"]:
    """Which grasps are checked for reachability."""
    if reachability is None:
        return "none" if paper else "best"
    if isinstance(reachability, bool):
        return "all" if reachability else "none"
    if reachability not in ("best", "all", "none"):
        raise UnknownNameError("extent of the check", str(reachability), ("best", "all", "none"), where="reachability")
    return reachability


def _no_candidates(regions: GraspRegions, hand: GraspHand, mu: float, shortest: float) -> str:
    """Why not a single candidate was found."""
    count = len(regions.segments)
    needed = 3 if hand.fingers >= 3 and not hand.virtual else 2
    found = f"the contour has {count} straight region{'s' if count != 1 else ''} of at least {shortest:g} mm"
    if count < needed:
        return f"{found}, a grasp with the {hand.name} hand needs {needed}"
    kinds = []
    if hand.fingers >= 3:
        kinds.append("three of them")
    if hand.virtual or hand.fingers == 2:
        kinds.append(f"two facing ones, one of at least {2.0 * hand.pivot_offset:g} mm,")
    return f"{found}, and no {' or '.join(kinds)} make a force-closed grasp at mu = {mu:g}"


def _not_tried(near: BoolArray, hand: GraspHand) -> str:
    """How many pairs of regions were left out because no hand spans them; "" when none was."""
    far, pairs = int((~near).sum()) // 2, len(near) * (len(near) - 1) // 2
    if not far:
        return ""
    span = hand_span(hand)
    return f"; {far} of the {pairs} pairs of regions are out of reach together, farther apart than {span:g} mm"

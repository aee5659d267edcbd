"""From a picture or a contour to ranked grasps: the whole chain in one call."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from .candidates import hand_span
from .contour_files import WorkpieceLike, read_workpiece
from .ranking import GraspParams, HowToRank, ObjectShape, OwnCriteria, Ranking, ScoredGrasps, rank, score

if TYPE_CHECKING:
    from ..checks import BoolArray
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
    reachability: bool = False,
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
        ranking: "sum" (the paper's Q), "minmax", "borda", "median", weights like {"S2": 2.0}, a way of merging, or a
            function of one `Grasp` to rank by it alone.
        own: the user's own criteria, name -> function of one `Grasp`, merged beside the ten; lower is better.
        reachability: whether grasps that palm or fingers cannot get to without collision lose their rank.
        clearance: options of that check, by the names of `check_fingers`.
        object: "dark" on bright, "bright" on dark, or "auto", in a picture.
        pick: (x, y) [mm] of a point on the wanted object, where a picture shows several.
        index: which object counts, from the largest, where a picture shows several and none is picked.
        step, sigma: spacing and smoothing [mm] of the contour.
        cut: curvature [1/mm] at which regions are cut.
        deviation: how far [mm] a region may stray from a straight segment.
        shortest: least length [mm] of a region.
    """
    from .candidates import find_candidates, within_span
    from .contact_refinement import find_windows, slide
    from .contours import smoothed
    from .hands import load_hand, solve_hand
    from .regions import find_regions

    loaded = load_hand(hand)
    params = GraspParams(mu, lambda_mm, W, loaded.eta if eta_mm is None else eta_mm)
    workpiece = read_workpiece(image_or_contour, mm_per_px=mm_per_px, object=object, pick=pick, index=index)
    smooth = smoothed(workpiece.contour, step=step, sigma=sigma)
    regions = find_regions(smooth, cut=cut, deviation=deviation, shortest=shortest)
    near = within_span(regions, loaded)
    shape = ObjectShape.of(workpiece.contour)

    def scorer(found: Candidates) -> ScoredGrasps:
        return score(found, solve_hand(found, loaded), loaded, shape, params)

    scored = scorer(find_candidates(regions, loaded, mu=params.mu, together=near))
    windows = find_windows(smooth, regions, cut=cut, deviation=deviation, shortest=shortest)
    scored = slide(scored, regions, windows, smooth.perimeter, near, scorer)
    candidates, poses = scored.candidates, scored.poses
    reach = None
    if reachability:
        from .reachability import check

        reach = check(workpiece.contour, candidates, poses, loaded, **(clearance or {}))
    ranked = rank(scored, ranking, own=own, reach=reach)
    reason = _no_candidates(regions, loaded, params.mu, shortest) if not len(candidates) else ranked.reason
    return replace(ranked, workpiece=workpiece, regions=regions, reason=reason and reason + _not_tried(near, loaded))


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

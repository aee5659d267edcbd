"""The data of the paper's Fig. 16: support regions by inner and outer grips of rising fineness (V.E)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ... import checks
from ...grips import Grip, GripBounds, OuterGrip
from ...postures import support_region
from ...postures.region import SupportRegion
from .climber import Climber, Progress, climber
from .hierarchy import Kind, seconds_of
from .rough_grips import Draw, rough_inner, rough_outer

#: Corners of inner and half-spaces of outer grips; the ends are those of the paper's caption.
INNER_COUNTS = (25, 50, 100, 250)
OUTER_COUNTS = (12, 50, 250, 1000)


@dataclass(frozen=True, eq=False)
class RegionRow:
    """A support region from grips of one fineness.

    Attributes:
        kind: "vertices" (inner), "half-spaces" (outer).
        count: corners or half-spaces a grip.
        region: where the centre of mass may be.
        seconds: it took.
        name: what it is called.
    """

    kind: Kind
    count: int
    region: SupportRegion
    seconds: float
    name: str


@dataclass(frozen=True, eq=False)
class Regions:
    """Fig. 16: support regions of the climber by inner and outer grips of rising fineness.

    Attributes:
        inner: by few corners to many, then by all that was learned.
        outer: by the bounding box, then by few half-spaces to many, then by all that was learned.
        body: the posture.
        samples: by which the hand was learned.
        seed: of the samples and subsets.
    """

    inner: tuple[RegionRow, ...]
    outer: tuple[RegionRow, ...]
    body: Climber
    samples: int
    seed: int


def regions(
    grip: GripBounds,
    *,
    inner: Sequence[int] = INNER_COUNTS,
    outer: Sequence[int] = OUTER_COUNTS,
    draw: Draw = "learned",
    seed: int = 0,
    progress: Progress | None = None,
) -> Regions:
    """Support regions of the `climber` as its grips are known more finely (Fig. 16).

    Args:
        grip: from `study_grip`.
        inner: numbers of corners; those beyond what was learned are left out.
        outer: numbers of half-spaces beside the bounding box, likewise; the box alone stands before them.
        draw: how few are chosen of many, see `rough_grips`. Random half-spaces go round the inner set alone, as in
            the paper, not round the hand.
        seed: of random subsets.
        progress: called as progress(done, total).
    """
    body, corners, planes = climber(), len(grip.inner.vertices), len(grip.outer.offsets)
    few = [checks.count("inner", count) for count in inner if count < corners]
    many = [checks.count("outer", count) for count in outer if draw == "random" or count < planes]
    word = "random" if draw == "random" else "learned"
    jobs: list[tuple[Kind, str, Grip | OuterGrip]] = []
    jobs.extend(("vertices", f"{count} {word} vertices", rough_inner(grip, count, draw, seed)) for count in few)
    jobs.append(("vertices", f"all {corners} vertices", grip.inner))
    jobs.append(("half-spaces", "bounding box", rough_outer(grip, 0, draw, seed)))
    jobs.extend(("half-spaces", f"box and {count} {word}", rough_outer(grip, count, draw, seed)) for count in many)
    jobs.append(("half-spaces", f"all {planes} half-spaces", grip.outer))
    support_region(grip.inner, body.poses, body.mass, body.gravity)  # what is compiled on first use is no part of it
    rows = []
    for done, (kind, name, rough) in enumerate(jobs):
        seconds, region = seconds_of(lambda rough=rough: support_region(rough, body.poses, body.mass, body.gravity))
        count = len(rough.vertices) if isinstance(rough, Grip) else len(rough.offsets)
        rows.append(RegionRow(kind, count, region, seconds, name))
        if progress is not None:
            progress(done + 1, len(jobs))
    split = len(few) + 1
    return Regions(tuple(rows[:split]), tuple(rows[split:]), body, grip.inner.metadata.n or 0, seed)

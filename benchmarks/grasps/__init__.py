"""Planar grasps: a picture to its ranked list step by step and as it grows, criteria and stability of many grasps."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from math import nan
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measuring import Row, clocked, exponent, row
from benchmarks.reporting import Report, Target, TextTable, duration, targets_table
from holdfast.grasps.candidates import find_candidates
from holdfast.grasps.contours import smoothed
from holdfast.grasps.criteria import evaluate
from holdfast.grasps.hands import load_hand, solve_hand
from holdfast.grasps.parts import example_part
from holdfast.grasps.pictures import read_image
from holdfast.grasps.planning import plan
from holdfast.grasps.ranking import GraspParams, ObjectShape, Ranking, rank, score
from holdfast.grasps.regions import find_regions
from holdfast.grasps.segmentation import segment, trace
from holdfast.grasps.studies import stability_study

#: The part that is looked at, and the grasps the targets speak of.
PART, GRASPS, TRIALS = "trefoil", 300, 20
MEGAPIXEL = 1_000_000

#: Seconds: a picture of one megapixel to its ranked list, criteria of 300 grasps, stability of 300 x 20.
PICTURE_WITHIN, CRITERIA_WITHIN, STABILITY_WITHIN = 0.2, 1e-3, 0.1

#: Noise of the pictures, in grey, and its seed.
NOISE, SEED = 0.02, 2003

#: The whole chain and its steps.
WHOLE = "array to ranked list"

STEPS = (WHOLE, "PNG to grey", "segmentation", "contour", "regions", "candidates", "hand poses", "ranking")


@dataclass(frozen=True)
class Size:
    """How much is asked: pixels of the pictures, numbers of grasps, repeats of each measurement."""

    pixels: tuple[int, ...]
    grasps: tuple[int, ...]
    repeats: int


FULL = Size((MEGAPIXEL, 2 * MEGAPIXEL, 4 * MEGAPIXEL, 10 * MEGAPIXEL), (GRASPS, 1000, 5000), 7)
QUICK = Size((100_000, 200_000), (30, 60), 1)


@dataclass
class PictureFigures:
    """Seconds of each step on a picture of so many pixels, and what came out."""

    pixels: int
    regions: int
    grasps: int
    seconds: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class GraspFigures:
    """Seconds of the criteria and of the stability study of so many grasps."""

    grasps: int
    criteria: float
    stability: float


def run(quick: bool) -> Report:
    """Measure, compare with the targets, report."""
    size = QUICK if quick else FULL
    plan(example_part(PART).picture(0.5), mm_per_px=0.5)  # kernels, before the clock runs
    with tempfile.TemporaryDirectory() as folder:
        pictures = [measured_picture(pixels, Path(folder), size.repeats) for pixels in size.pixels]
    ranking = plan(example_part(PART).contour())
    grasps = [measured_grasps(ranking, count, size.repeats) for count in size.grasps]
    whole = pictures[0].seconds[WHOLE]
    targets = [
        _seconds("1-megapixel picture to ranked list", PICTURE_WITHIN, nan if quick else whole),
        _seconds(f"criteria of {GRASPS} grasps", CRITERIA_WITHIN, nan if quick else grasps[0].criteria),
        _seconds(f"stability of {GRASPS} grasps x {TRIALS}", STABILITY_WITHIN, nan if quick else grasps[0].stability),
    ]
    tables = [targets_table(targets), _pictures_table(pictures), _grasps_table(grasps)]
    data = {
        "targets": [target.data() for target in targets],
        "pictures": [vars(figures) for figures in pictures],
        "grasps": [vars(figures) for figures in grasps],
    }
    return Report(_rows(pictures, grasps), tables, data)


def measured_picture(pixels: int, folder: Path, repeats: int) -> PictureFigures:
    """Each step of the chain on a picture of about so many pixels, the same part filling it."""
    part = example_part(PART)
    coarse = part.picture(1.0).shape
    scale = float(np.sqrt(coarse[0] * coarse[1] / pixels))
    grey = part.picture(scale, noise=NOISE, seed=SEED)
    file = folder / f"{pixels}.png"
    _write_png(file, grey)
    hand = load_hand("barrett")
    steps: dict[str, Callable[[], Any]] = {}
    steps[WHOLE] = lambda: plan(grey, hand, scale)
    steps["PNG to grey"] = lambda: read_image(file)
    steps["segmentation"] = lambda: segment(grey, mm_per_px=scale)
    segmentation = steps["segmentation"]()
    steps["contour"] = lambda: trace(segmentation, scale)
    contour = steps["contour"]()
    steps["regions"] = lambda: find_regions(smoothed(contour))
    regions = steps["regions"]()
    steps["candidates"] = lambda: find_candidates(regions, hand)
    candidates = steps["candidates"]()
    steps["hand poses"] = lambda: solve_hand(candidates, hand)
    poses = steps["hand poses"]()
    shape, params = ObjectShape.of(contour), GraspParams()
    steps["ranking"] = lambda: rank(score(candidates, poses, hand, shape, params))
    figures = PictureFigures(grey.size, len(regions), len(candidates))
    for name, call in steps.items():
        call()
        figures.seconds[name] = clocked(call, repeats)[1]
    return figures


def measured_grasps(ranking: Ranking, count: int, repeats: int) -> GraspFigures:
    """Criteria and stability of `count` grasps, those of the ranking over and over."""
    scored = ranking.scored
    rows = np.resize(np.flatnonzero(scored.valid), count)
    candidates = scored.candidates.select(rows)
    poses = solve_hand(candidates, scored.hand)
    inputs: dict[str, Any] = {
        "contacts_mm": candidates.contacts,
        "inward_normals": candidates.normals,
        "regions_mm": candidates.segments,
        "region_curvature": candidates.curvature,
        "force_directions": poses.forces,
        "grasp_focus_mm": candidates.focus,
        "real_focus_mm": poses.real_focus,
        "extensions_mm": poses.extensions,
        "spread_rad": poses.spread,
        "virtual_two_finger": candidates.virtual,
        "object": scored.shape.to_dict(),
    }
    evaluate(**inputs)
    _, criteria = clocked(lambda: evaluate(**inputs), 5 * repeats)
    ranked = rank(score(candidates, poses, scored.hand, scored.shape, scored.params))
    stability_study(ranked, trials=TRIALS, seed=SEED)
    _, stability = clocked(lambda: stability_study(ranked, trials=TRIALS, seed=SEED), repeats)
    return GraspFigures(count, criteria, stability)


def _write_png(file: Path, grey: np.ndarray) -> None:
    """An 8-bit PNG file of grey values."""
    from PIL import Image

    Image.fromarray(np.round(255 * grey).astype(np.uint8)).save(file)


def _seconds(what: str, target: float, measured: float) -> Target:
    return Target(what, target, nan, False, measured, PART, duration)


def _pictures_table(found: list[PictureFigures]) -> TextTable:
    header = ("pixels", "regions", "candidates", *STEPS)
    lines = [[f"{f.pixels:,}", str(f.regions), str(f.grasps), *(duration(f.seconds[s]) for s in STEPS)] for f in found]
    sizes = [f.pixels for f in found]
    growth = [f"{exponent(sizes, [f.seconds[s] for f in found]):.2f}" for s in STEPS]
    lines.append(["growth: power of the pixels", "", "", *growth])
    note = f"One {PART} fills each picture, grey noise {NOISE:g}; medians, one process, kernels compiled before."
    return TextTable("From a picture to ranked grasps", header, lines, note)


def _grasps_table(found: list[GraspFigures]) -> TextTable:
    header = ("grasps", "ten criteria and Q", "each", f"stability, {TRIALS} displacements", "each displaced grasp")
    lines = []
    for f in found:
        each = (duration(f.criteria / f.grasps), duration(f.stability / f.grasps / TRIALS))
        lines.append([f"{f.grasps:,}", duration(f.criteria), each[0], duration(f.stability), each[1]])
    note = "Stability: foci displaced, projected, the hand solved again, all scored and ranked in every trial."
    return TextTable("Criteria and stability", header, lines, note)


def _rows(pictures: list[PictureFigures], grasps: list[GraspFigures]) -> list[Row]:
    """What two saved runs are compared by."""
    found = [row(f"{f.pixels:,} px: {step}", [f.seconds[step]]) for f in pictures for step in STEPS]
    found += [row(f"criteria of {f.grasps:,} grasps", [f.criteria]) for f in grasps]
    return found + [row(f"stability of {f.grasps:,} x {TRIALS}", [f.stability]) for f in grasps]

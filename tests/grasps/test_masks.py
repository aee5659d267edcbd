"""Masks are traced near the true border, gently bent, with their corners."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.grasps.contours import Contour, smoothed
from holdfast.grasps.segmentation import segment, trace
from tests.grasps.drawn_shapes import Shape, disc, rectangle, regular

SCALE = 0.5
SIZE = (220, 230)


def trefoil(turn: float) -> Shape:
    t = np.linspace(0.0, 2.0 * np.pi, 1500, endpoint=False)
    radius = 40.0 * (1.0 + 0.2 * np.cos(3.0 * (t - turn)))
    border = radius[:, None] * np.column_stack([np.cos(t), np.sin(t)])

    def inside(x, y):
        return np.hypot(x, y) < 40.0 * (1.0 + 0.2 * np.cos(3.0 * (np.arctan2(y, x) - turn)))

    return Shape(inside, border, np.pi * 1600.0 * 1.02)


def mask_of(shape: Shape) -> np.ndarray:
    row, column = np.mgrid[: SIZE[0], : SIZE[1]]
    return shape.inside((column - (SIZE[1] - 1) / 2) * SCALE, ((SIZE[0] - 1) / 2 - row) * SCALE)


@pytest.mark.parametrize(
    "shape, rms, bend",
    [
        (trefoil(0.0).moved(0.13, 0.21), 0.2, 0.045),
        (trefoil(0.65).moved(-0.2, 0.07), 0.2, 0.045),
        (disc(20).moved(0.11, 0.17), 0.2, 0.045),
        (rectangle(60, 30).turned(0.4), 0.2, None),
    ],
)
def test_a_masks_contour_lies_on_the_true_border(shape, rms, bend):
    mask = mask_of(shape)
    found = segment(mask.astype(float), mm_per_px=SCALE)
    contour = trace(found, SCALE)
    assert np.sqrt(np.mean((shape.distance(contour.outer) / SCALE) ** 2)) < rms
    assert contour.area == pytest.approx(mask.sum() * SCALE**2, rel=2e-4)
    if bend is not None:
        true = smoothed(Contour.from_points(shape.border))
        line = smoothed(contour)
        nearest = np.argmin(np.linalg.norm(line.points[:, None] - true.points[None], axis=2), axis=1)
        assert np.sqrt(np.mean((line.curvature - true.curvature[nearest]) ** 2)) < bend


def test_corners_stay_as_sharp_as_they_were_and_straight_edges_straight():
    shape = rectangle(60, 30)
    found = segment(mask_of(shape).astype(float), mm_per_px=SCALE)
    contour = trace(found, SCALE)
    corners = np.array([[30, 15], [-30, 15], [30, -15], [-30, -15]])
    gaps = np.linalg.norm(contour.outer[:, None] - corners, axis=2).min(axis=0)
    assert gaps.max() < 1.2 * SCALE
    middle = contour.outer[(np.abs(contour.outer[:, 0]) < 25) & (contour.outer[:, 1] > 0)]
    assert np.ptp(middle[:, 1]) < 0.02 * SCALE


@pytest.mark.parametrize(
    "sides, radius, turn", [(8, 50, 0.3), (10, 40, 0.21), (12, 50, 0.0), (12, 35, 0.1), (12, 45, 0.21)]
)
def test_the_blunt_corners_of_a_mask_are_found_and_sides_stay_straight(sides, radius, turn):
    shape = regular(sides, radius).turned(turn)
    contour = trace(segment(mask_of(shape).astype(float), mm_per_px=SCALE), SCALE)
    gaps = np.linalg.norm(contour.outer[:, None] - shape.border, axis=2).min(axis=0)
    assert np.sort(gaps)[: sides - 1].max() < 1.2 * SCALE
    line = smoothed(contour)
    middles = (shape.border + np.roll(shape.border, 1, axis=0)) / 2
    side = np.linalg.norm(shape.border[1] - shape.border[0])
    for middle in middles:
        on_it = np.linalg.norm(line.points - middle, axis=1) < side / 2 - 2.0
        assert abs(line.curvature[on_it].mean()) < 0.009  # [1/mm]; a disc of this size has 0.02 to 0.03


@pytest.mark.parametrize("shape", [disc(12), disc(25).moved(0.1, 0.2), disc(50), trefoil(0.2), trefoil(0.5)])
def test_smooth_masks_have_no_corners(shape):
    line = smoothed(trace(segment(mask_of(shape).astype(float), mm_per_px=SCALE), SCALE))
    true = smoothed(Contour.from_points(shape.border))
    assert np.abs(line.curvature).max() < np.abs(true.curvature).max() + 0.16

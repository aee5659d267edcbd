from __future__ import annotations

import math

import numpy as np
import pytest

from holdfast.errors import UnknownNameError
from holdfast.grips import Grip, OuterGrip, coulomb_grip, outer_subset, sections
from holdfast.grips.sections import axis_numbers, cut_outline, outline, within_frame

UPPER = np.array([3.0, 4.0, 5.0, 0.3, 0.4, 0.5])
BOX = Grip.box(-2 * UPPER, UPPER, length=0.1)


def area(corners: np.ndarray) -> float:
    x, y = corners.T
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))


@pytest.mark.parametrize("plane", ["fx,fz", "tx,tz", "fy,tz"])
@pytest.mark.parametrize("look", ["section", "projection"])
def test_sections_and_projections_of_a_box_are_rectangles(plane: str, look: str) -> None:
    i, j = axis_numbers(plane)
    for grip in (BOX, OuterGrip.box(-2 * UPPER, UPPER)):
        corners = outline(grip, plane, look)  # pyright: ignore[reportArgumentType]
        np.testing.assert_allclose(corners.max(axis=0), UPPER[[i, j]], rtol=1e-9)
        np.testing.assert_allclose(corners.min(axis=0), -2 * UPPER[[i, j]], rtol=1e-9)
        assert area(corners) == pytest.approx(9 * UPPER[i] * UPPER[j], rel=1e-9)  # counter-clockwise


def test_a_section_of_a_cross_polytope_is_smaller_than_its_projection() -> None:
    corners = np.concatenate([np.eye(6), -np.eye(6)])
    shifted = Grip(corners + 0.3 * np.eye(6)[5], length=1.0)  # cut at tz = 0, off its middle
    section, projection = outline(shifted, "fx,fy"), outline(shifted, "fx,fy", "projection")
    assert area(section) == pytest.approx(2 * 0.7**2) and area(projection) == pytest.approx(2.0)
    planes = np.array(np.meshgrid(*[[-1.0, 1.0]] * 6)).reshape(6, -1).T
    outer = OuterGrip(planes, 1.0 + 0.3 * planes[:, 5], length=1.0)
    assert area(outline(outer, "fx,fy")) == pytest.approx(2 * 0.7**2)


def test_both_solvers_cut_a_set_of_many_vertices_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    hand = Grip(np.random.default_rng(0).standard_normal((320, 6)) * np.repeat([20.0, 2.0], 3))
    compiled = outline(hand, "fx,tz")
    monkeypatch.setattr(sections, "FEW", 1000)
    np.testing.assert_allclose(compiled, outline(hand, "fx,tz"), atol=1e-9 * hand.size)


def test_a_foot_is_cut_off_far_out() -> None:
    corners = outline(coulomb_grip(0.5), "fx,fz")
    assert len(corners) == 3 and corners[:, 1].max() > 10.0 and np.abs(corners).min(axis=0).max() <= 1e-12
    slopes = corners[corners[:, 1] > 1.0]
    np.testing.assert_allclose(np.abs(slopes[:, 0] / slopes[:, 1]), 0.5, rtol=1e-9)
    wide = outline(outer_subset(coulomb_grip(0.5), 50), "fx,fz")
    assert area(wide) >= area(corners) * (1.0 - 1e-12)


def test_what_the_plane_misses_is_empty_and_flat_sets_are_points_and_segments() -> None:
    assert outline(Grip.point([1, 0, 0, 0, 0, 0]), "fy,fz").shape == (0, 2)
    np.testing.assert_allclose(outline(Grip.point([1, 2, 0, 0, 0, 0]), "fx,fy"), [[1, 2]], atol=1e-9)
    segment = Grip([[-1, 0, 0, 0, 0, 0], [2, 0, 0, 0, 0, 0]])
    found = outline(segment, "fx,fz")
    assert math.dist(*found) == pytest.approx(3.0)
    nothing = OuterGrip([np.eye(6)[0], -np.eye(6)[0]], [1.0, -2.0])
    assert outline(nothing, "fx,fz").shape == outline(nothing, "fy,fz", "projection").shape == (0, 2)


@pytest.mark.parametrize(("plane", "message"), [("fx", "no plane"), ("fx,fx", "no plane"), ("fx,fq", "no axis 'fq'")])
def test_planes_that_are_none_are_refused(plane: str, message: str) -> None:
    with pytest.raises(UnknownNameError, match=message):
        axis_numbers(plane)
    with pytest.raises(UnknownNameError, match="no look 'back'"):
        outline(BOX, "fx,fz", "back")  # pyright: ignore[reportArgumentType]


def test_what_goes_on_is_said_to_be_cut_off_and_what_ends_is_not() -> None:
    assert cut_outline(coulomb_grip(0.5), "fx,fz").is_cut
    assert not cut_outline(coulomb_grip(0.5), "fx,fy").is_cut  # the section there is the apex alone
    assert not cut_outline(BOX, "fx,fz").is_cut
    slab = OuterGrip.box([-1, -1, -np.inf, -1, -1, -1], [1] * 6)
    assert cut_outline(slab, "fx,fz").is_cut and cut_outline(slab, "fx,fz", "projection").is_cut
    assert not cut_outline(slab, "fx,fy").is_cut


def test_a_wide_cone_is_cut_off_far_from_its_apex() -> None:
    wide = Grip(np.zeros((1, 6)), [[12.0, 0, 1, 0, 0, 0], [-12.0, 0, 1, 0, 0, 0]])  # 170 degrees
    inside = within_frame(outline(wide, "fx,fz"), np.array([-5.0, -5.0]), np.array([5.0, 5.0]))
    assert area(inside) == pytest.approx(5 * 10 - 2 * 0.5 * 5 * 5 / 12)  # all that is above the two slopes


def test_a_frame_cuts_what_leaves_it() -> None:
    square = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    assert area(within_frame(3.0 * square, *square[[0, 2]])) == pytest.approx(4.0)
    assert area(within_frame(0.5 * square, *square[[0, 2]])) == pytest.approx(1.0)
    assert len(within_frame(square + 5.0, *square[[0, 2]])) == 0
    assert len(within_frame(np.zeros((0, 2)), *square[[0, 2]])) == 0

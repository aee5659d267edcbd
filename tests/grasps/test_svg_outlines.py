"""SVG outlines: every command against points worked out by hand, areas of curves against closed forms."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from holdfast.errors import FileError
from holdfast.grasps.contours import signed_area
from holdfast.grasps.contour_files import path_outlines, svg_rings

HERE = Path("p.svg")


def rings(body, head=""):
    return svg_rings(HERE, f'<svg xmlns="http://www.w3.org/2000/svg" {head}>{body}</svg>')


def test_absolute_and_relative_lines_are_the_same():
    for data in ("M1 2L11 2L11 7L1 7Z", "m1,2l10,0,0,5-10,0z", "M1 2H11V7H1Z", "m1 2h10v5h-10z", "M1 2 11 2 11 7 1 7"):
        (ring,) = path_outlines(HERE, data)
        np.testing.assert_allclose(ring, [[1, 2], [11, 2], [11, 7], [1, 7]])


def test_subpaths_follow_one_another_from_the_last_start():
    first, second = path_outlines(HERE, "M0 0h10v10h-10z m2 2h3v3h-3z")
    np.testing.assert_allclose(second - 2, first * 0.3)


@pytest.mark.parametrize("flags", ["0 1 1", "0 1,1 ", "0 11"])
def test_two_half_arcs_are_a_circle(flags):
    (ring,) = path_outlines(HERE, f"M-5 0A5 5 {flags} 5 0A5 5 {flags}-5 0Z")
    np.testing.assert_allclose(np.linalg.norm(ring, axis=1), 5.0)
    assert abs(signed_area(ring)) == pytest.approx(25 * np.pi, rel=5e-4)


def test_arcs_take_the_side_and_size_their_flags_say():
    areas = {}
    for large in (0, 1):
        for sweep in (0, 1):
            (ring,) = path_outlines(HERE, f"M0 0A10 10 0 {large} {sweep} 10 10Z")
            areas[large, sweep] = signed_area(ring)
    small = 25 * np.pi - 50  # a quarter disc less its triangle
    assert areas[0, 1] == pytest.approx(small, rel=5e-4)
    assert areas[0, 0] == pytest.approx(-small, rel=5e-4)
    assert areas[1, 1] == pytest.approx(100 * np.pi - small, rel=5e-4)
    assert areas[1, 0] == pytest.approx(-(100 * np.pi - small), rel=5e-4)


def test_a_turned_arc_too_small_for_its_ends_is_enlarged():
    (ring,) = path_outlines(HERE, "M0 0A2 1 90 0 1 8 0 L4 9Z")
    curve = ring[: len(ring) - 1]
    # radii 2 along y and 1 along x grow until the half axis along x is 4
    np.testing.assert_allclose(((curve[:, 0] - 4) / 4) ** 2 + (curve[:, 1] / 8) ** 2, 1.0, atol=1e-9)


def test_curves_enclose_the_area_of_their_closed_forms():
    (quadratic,) = path_outlines(HERE, "M0 0Q5 10 10 0Z")
    assert abs(signed_area(quadratic)) == pytest.approx(2 / 3 * 50, rel=5e-4)
    (cubic,) = path_outlines(HERE, "M0 0C0 10 10 10 10 0Z")
    assert abs(signed_area(cubic)) == pytest.approx(0.6 * 100, rel=5e-4)


def test_smooth_curves_go_on_as_if_mirrored():
    (smooth,) = path_outlines(HERE, "M0 0C0 5 5 5 5 0S10-5 10 0L5 9Z")
    (spelt,) = path_outlines(HERE, "M0 0C0 5 5 5 5 0C5-5 10-5 10 0L5 9Z")
    np.testing.assert_allclose(smooth, spelt)
    (smooth,) = path_outlines(HERE, "M0 0q5 5 10 0t10 0l-9 9z")
    (spelt,) = path_outlines(HERE, "M0 0Q5 5 10 0Q15-5 20 0L11 9Z")
    np.testing.assert_allclose(smooth, spelt)
    (alone,) = path_outlines(HERE, "M0 0T10 0L5 5Z")
    assert np.ptp(alone[:-1], axis=0)[1] == 0.0


def test_simple_shapes_are_outlines_and_y_points_up():
    (box,) = rings('<rect x="1" y="2" width="30" height="10"/>')
    np.testing.assert_allclose([box.min(axis=0), box.max(axis=0)], [[1, -12], [31, -2]])
    (circle,) = rings('<circle cx="3" cy="4" r="5mm"/>')
    np.testing.assert_allclose(np.linalg.norm(circle - [3, -4], axis=1), 5.0)
    (oval,) = rings('<ellipse rx="6" ry="2"/>')
    np.testing.assert_allclose(np.ptp(oval, axis=0), [12, 4])
    for name in ("polygon", "polyline"):
        (triangle,) = rings(f'<{name} points="0,0 4,0 4,3"/>')
        np.testing.assert_allclose(triangle, [[0, 0], [4, 0], [4, -3]])


@pytest.mark.parametrize("attributes, rx, ry", [('rx="15"', 15, 15), ('ry="10"', 10, 10), ('rx="80" ry="4"', 50, 4)])
def test_rounded_rectangles_lose_their_corners(attributes, rx, ry):
    (ring,) = rings(f'<rect x="3" y="4" width="100" height="60" {attributes}/>')
    assert abs(signed_area(ring)) == pytest.approx(6000 - (4 - np.pi) * rx * ry, rel=1e-4)
    np.testing.assert_allclose([ring.min(axis=0), ring.max(axis=0)], [[3, -64], [103, -4]])


@pytest.mark.parametrize(
    "hidden",
    [
        '<rect width="9" height="9" style="fill:red; display:none"/>',
        '<g display="none"><g><rect width="9" height="9"/></g></g>',
        '<rect width="9" height="9" visibility="hidden"/>',
        '<g style="visibility:hidden"><use href="#a"/><rect width="9" height="9"/></g>',
        '<defs><rect width="9" height="9"/></defs>',
    ],
)
def test_what_is_hidden_does_not_count(hidden):
    (ring,) = rings(f'{hidden}<g visibility="hidden"><circle r="5" visibility="visible"/></g>')
    np.testing.assert_allclose(np.ptp(ring, axis=0), 10)


PAGE = 'viewBox="0 0 200 100"'


@pytest.mark.parametrize(
    "background",
    [
        '<rect width="200" height="100" fill="white"/>',
        '<rect width="100%" height="100%" style="fill:#FFFFFF;stroke:none"/>',
        '<g fill="rgb(250, 250,250)"><rect x="-5" y="-5" width="300" height="300"/></g>',
        '<path d="M0 0h200v100H0z" fill="none"/>',
    ],
)
def test_a_white_rectangle_over_the_whole_page_is_its_background(background):
    (ring,) = rings(f'{background}<circle cx="50" cy="50" r="5"/>', PAGE)
    np.testing.assert_allclose(np.ptp(ring, axis=0), 10)
    assert len(rings(background, PAGE)) == 1  # alone, it is the part


@pytest.mark.parametrize("paint", ['fill="white" stroke="black"', "", 'fill="#888"'])
def test_a_plate_as_large_as_the_page_keeps_its_hole(paint):
    hole = '<circle cx="50" cy="50" r="5" fill="white"/>'
    assert len(rings(f'<rect width="200" height="100" {paint}/>{hole}', PAGE)) == 2
    assert len(rings(f'<rect width="190" height="100" fill="white"/>{hole}', PAGE)) == 2


def test_a_use_is_told():
    with pytest.raises(FileError, match="<use> of '#part'") as error:
        rings('<defs><circle id="part" r="40"/></defs><use href="#part"/><circle r="5"/>')
    assert "unlink" in error.value.fix


def test_a_physical_width_alone_leaves_user_units_millimetres():
    (ring,) = rings('<rect width="100" height="40"/>', 'width="100mm" height="40mm"')
    np.testing.assert_allclose(np.ptp(ring, axis=0), [100, 40])


def test_transforms_act_from_the_inside_out():
    body = '<g transform="translate(10,20)"><g transform="rotate(90) scale(2)"><rect width="3" height="1"/></g></g>'
    (ring,) = rings(body)
    np.testing.assert_allclose(ring[:, 0].min(), 8.0)
    np.testing.assert_allclose(ring[:, 1].min(), -26.0)
    (same,) = rings('<rect width="3" height="1" transform="matrix(0 2 -2 0 10 20)"/>')
    np.testing.assert_allclose(same, ring, atol=1e-12)
    (turned,) = rings('<rect x="4" y="4" width="2" height="2" transform="rotate(45 5 5)"/>')
    np.testing.assert_allclose(turned.mean(axis=0), [5, -5])


def test_a_physical_width_scales_user_units():
    head = 'width="50cm" height="50cm" viewBox="0 0 1000 1000"'
    (ring,) = rings('<rect width="100" height="40"/>', head)
    np.testing.assert_allclose(np.ptp(ring, axis=0), [50, 20])


def test_definitions_are_not_drawn_and_unknown_elements_are_passed_over():
    assert rings('<defs><rect width="3" height="1"/></defs><text>a</text><!-- b -->') == []


@pytest.mark.parametrize(
    "body",
    [
        '<path d="M0 0L1"/>',
        '<path d="L1 1"/>',
        '<path d="M0 0 X 1"/>',
        '<path d="M0 0L1 1L2 0Z 5 5"/>',
        '<path d="M0 0A1 1 0 2 0 5 5"/>',
        '<polygon points="0 0 1"/>',
        '<polygon points="0 0 1 a"/>',
        '<rect width="a" height="1"/>',
        '<rect width="2" height="1" transform="twist(3)"/>',
    ],
)
def test_what_cannot_be_followed_is_refused(body):
    with pytest.raises(FileError) as error:
        rings(body)
    assert error.value.fix


def test_a_view_box_without_width_is_refused():
    with pytest.raises(FileError):
        rings("<rect/>", 'width="5mm" viewBox="0 0 0 0"')

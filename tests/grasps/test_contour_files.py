"""Contours from files: the same part in three formats, and files with faults refused by line.

SVG outlines: every command against points worked out by hand, areas of curves against closed forms.

DXF outlines: polylines, bulges, circles and chains of lines and arcs against their closed forms.

Workpieces: the same object whichever way it comes.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from holdfast.errors import FileError, GeometryError, InputError
from holdfast.grasps.contour_files import (
    dxf_rings,
    part_of_rings,
    path_outlines,
    read_contour,
    read_workpiece,
    svg_rings,
)
from holdfast.grasps.contours import Contour, signed_area
from holdfast.grasps.parts import example_part

PLATE = "x_mm,y_mm\n0,0\n60,0\n60,40\n0,40\n\n10,10\n20,10\n20,20\n10,20\n"


def write(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    return tmp_path / name


@pytest.mark.parametrize(
    "text",
    [
        PLATE,
        PLATE.replace(",", ";"),
        PLATE.replace(",", " "),
        PLATE.replace(",", "\t").removeprefix("x_mm\ty_mm\n"),
        "# x; y; a plate\n" + PLATE,
        PLATE.replace("60,40\n", "60,40\n  # a corner; the far one\n"),
        "# a plate\n0,0,a\n60,0,a\n60,40,a\n0,40,a\n10,10,b\n20,10,b\n20,20,b\n10,20,b\n",
    ],
)
def test_tables_of_points_give_their_rings(tmp_path, text):
    contour = read_contour(write(tmp_path, "part.csv", text))
    assert contour.area == pytest.approx(2300)
    assert len(contour.holes) == 1
    np.testing.assert_array_equal(contour.outer.max(axis=0), [60, 40])


def test_a_comma_may_be_the_decimal_sign_between_semicolons(tmp_path):
    contour = read_contour(write(tmp_path, "part.txt", "0;0\n10,5;0\n10,5;10,5\n0;10,5\n"))
    assert contour.area == pytest.approx(10.5**2)


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("sign", [",", ";", " "])
def test_a_column_of_line_numbers_is_told(tmp_path, first, sign):
    points = [(0, 0), (60, 0), (60, 40), (0, 40)]
    lines = [sign.join(map(str, (i, x, y))) for i, (x, y) in enumerate(points, start=first)]
    with pytest.raises(FileError, match="line numbers"):
        read_contour(write(tmp_path, "p.csv", "\n".join(lines)))


def test_the_same_plate_in_three_formats_is_the_same_contour(tmp_path):
    plate = read_contour(write(tmp_path, "part.csv", PLATE))
    svg = '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0H60V-40H0Z M10-10h10v-10h-10z"/></svg>'
    dxf = "0\nSECTION\n2\nENTITIES\n"
    for ring in ([(0, 0), (60, 0), (60, 40), (0, 40)], [(10, 10), (20, 10), (20, 20), (10, 20)]):
        dxf += "0\nLWPOLYLINE\n70\n1\n" + "".join(f"10\n{x}\n20\n{y}\n" for x, y in ring)
    for other in (write(tmp_path, "p.svg", svg), write(tmp_path, "p.DXF", dxf + "0\nENDSEC\n0\nEOF\n")):
        found = read_contour(other)
        assert found.area == pytest.approx(plate.area)
        np.testing.assert_allclose(found.centroid, plate.centroid)
        assert found.major_axis == pytest.approx(plate.major_axis)


@pytest.mark.parametrize(
    "name, text, words",
    [
        ("p.csv", "0,0\n1,0\nabc,1\n", "not a point"),
        ("p.csv", "0,0\n1\n1,1\n", "not a point"),
        ("p.csv", "0,0\n1,nan\n1,1\n", "not a point"),
        ("p.csv", "", "no closed outline"),
        ("p.csv", "x,y\n", "no closed outline"),
        ("p.csv", "0,0\n10,10\n10,0\n0,10\n", "intersects itself"),
        ("p.csv", "0,0\n9,0\n9,9\n0,9\n\n5,5\n15,5\n15,8\n5,8\n", "intersects itself"),
        ("p.csv", "0,0\n9,0\n", "distinct points"),
        ("p.step", "", "not a contour file"),
        ("p.svg", "<svg", "not an SVG"),
        ("p.svg", "<svg/>", "no closed outline"),
        ("p.dxf", "no\ndrawing\n", "group code"),
        ("p.dxf", "0\nEOF\n", "no entities"),
    ],
)
def test_files_with_faults_are_refused_in_words(tmp_path, name, text, words):
    with pytest.raises(FileError, match=words) as error:
        read_contour(write(tmp_path, name, text))
    assert error.value.fix
    assert error.value.path == tmp_path / name


def test_missing_and_binary_files_are_refused(tmp_path):
    (tmp_path / "b.csv").write_bytes(bytes(range(128, 256)))
    for path in (tmp_path / "none.csv", tmp_path / "b.csv"):
        with pytest.raises(FileError):
            read_contour(path)


def test_a_fault_is_found_on_its_line(tmp_path):
    with pytest.raises(FileError) as error:
        read_contour(write(tmp_path, "p.csv", "x,y\n0,0\n1,0\n1,one\n"))
    assert error.value.line == 4


def test_the_largest_ring_is_the_outer_one_wherever_it_stands():
    square = np.array([[0.0, 0], [10, 0], [10, 10], [0, 10]])
    assert part_of_rings([square / 5 + 3, square, square / 10 + 7]).area == pytest.approx(100 - 4 - 1)


SVG = Path("p.svg")


def drawn(body, head=""):
    return svg_rings(SVG, f'<svg xmlns="http://www.w3.org/2000/svg" {head}>{body}</svg>', [], 1.0)[0]


def test_absolute_and_relative_lines_are_the_same():
    for data in ("M1 2L11 2L11 7L1 7Z", "m1,2l10,0,0,5-10,0z", "M1 2H11V7H1Z", "m1 2h10v5h-10z", "M1 2 11 2 11 7 1 7"):
        (ring,) = path_outlines(SVG, data)
        np.testing.assert_allclose(ring, [[1, 2], [11, 2], [11, 7], [1, 7]])


def test_subpaths_follow_one_another_from_the_last_start():
    first, second = path_outlines(SVG, "M0 0h10v10h-10z m2 2h3v3h-3z")
    np.testing.assert_allclose(second - 2, first * 0.3)


@pytest.mark.parametrize("flags", ["0 1 1", "0 1,1 ", "0 11"])
def test_two_half_arcs_are_a_circle(flags):
    (ring,) = path_outlines(SVG, f"M-5 0A5 5 {flags} 5 0A5 5 {flags}-5 0Z")
    np.testing.assert_allclose(np.linalg.norm(ring, axis=1), 5.0)
    assert abs(signed_area(ring)) == pytest.approx(25 * np.pi, rel=5e-4)


def test_arcs_take_the_side_and_size_their_flags_say():
    areas = {}
    for large in (0, 1):
        for sweep in (0, 1):
            (ring,) = path_outlines(SVG, f"M0 0A10 10 0 {large} {sweep} 10 10Z")
            areas[large, sweep] = signed_area(ring)
    small = 25 * np.pi - 50  # a quarter disc less its triangle
    assert areas[0, 1] == pytest.approx(small, rel=5e-4)
    assert areas[0, 0] == pytest.approx(-small, rel=5e-4)
    assert areas[1, 1] == pytest.approx(100 * np.pi - small, rel=5e-4)
    assert areas[1, 0] == pytest.approx(-(100 * np.pi - small), rel=5e-4)


def test_a_turned_arc_too_small_for_its_ends_is_enlarged():
    (ring,) = path_outlines(SVG, "M0 0A2 1 90 0 1 8 0 L4 9Z")
    curve = ring[: len(ring) - 1]
    # radii 2 along y and 1 along x grow until the half axis along x is 4
    np.testing.assert_allclose(((curve[:, 0] - 4) / 4) ** 2 + (curve[:, 1] / 8) ** 2, 1.0, atol=1e-9)


def test_curves_enclose_the_area_of_their_closed_forms():
    (quadratic,) = path_outlines(SVG, "M0 0Q5 10 10 0Z")
    assert abs(signed_area(quadratic)) == pytest.approx(2 / 3 * 50, rel=5e-4)
    (cubic,) = path_outlines(SVG, "M0 0C0 10 10 10 10 0Z")
    assert abs(signed_area(cubic)) == pytest.approx(0.6 * 100, rel=5e-4)


def test_smooth_curves_go_on_as_if_mirrored():
    (smooth,) = path_outlines(SVG, "M0 0C0 5 5 5 5 0S10-5 10 0L5 9Z")
    (spelt,) = path_outlines(SVG, "M0 0C0 5 5 5 5 0C5-5 10-5 10 0L5 9Z")
    np.testing.assert_allclose(smooth, spelt)
    (smooth,) = path_outlines(SVG, "M0 0q5 5 10 0t10 0l-9 9z")
    (spelt,) = path_outlines(SVG, "M0 0Q5 5 10 0Q15-5 20 0L11 9Z")
    np.testing.assert_allclose(smooth, spelt)
    (alone,) = path_outlines(SVG, "M0 0T10 0L5 5Z")
    assert np.ptp(alone[:-1], axis=0)[1] == 0.0


def test_simple_shapes_are_outlines_and_y_points_up():
    (box,) = drawn('<rect x="1" y="2" width="30" height="10"/>')
    np.testing.assert_allclose([box.min(axis=0), box.max(axis=0)], [[1, -12], [31, -2]])
    (circle,) = drawn('<circle cx="3" cy="4" r="5mm"/>')
    np.testing.assert_allclose(np.linalg.norm(circle - [3, -4], axis=1), 5.0)
    (oval,) = drawn('<ellipse rx="6" ry="2"/>')
    np.testing.assert_allclose(np.ptp(oval, axis=0), [12, 4])
    for name in ("polygon", "polyline"):
        (triangle,) = drawn(f'<{name} points="0,0 4,0 4,3"/>')
        np.testing.assert_allclose(triangle, [[0, 0], [4, 0], [4, -3]])


@pytest.mark.parametrize("attributes, rx, ry", [('rx="15"', 15, 15), ('ry="10"', 10, 10), ('rx="80" ry="4"', 50, 4)])
def test_rounded_rectangles_lose_their_corners(attributes, rx, ry):
    (ring,) = drawn(f'<rect x="3" y="4" width="100" height="60" {attributes}/>')
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
    (ring,) = drawn(f'{hidden}<g visibility="hidden"><circle r="5" visibility="visible"/></g>')
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
    (ring,) = drawn(f'{background}<circle cx="50" cy="50" r="5"/>', PAGE)
    np.testing.assert_allclose(np.ptp(ring, axis=0), 10)
    assert len(drawn(background, PAGE)) == 1  # alone, it is the part


@pytest.mark.parametrize("paint", ['fill="white" stroke="black"', "", 'fill="#888"'])
def test_a_plate_as_large_as_the_page_keeps_its_hole(paint):
    hole = '<circle cx="50" cy="50" r="5" fill="white"/>'
    assert len(drawn(f'<rect width="200" height="100" {paint}/>{hole}', PAGE)) == 2
    assert len(drawn(f'<rect width="190" height="100" fill="white"/>{hole}', PAGE)) == 2


def test_a_use_is_told():
    with pytest.raises(FileError, match="<use> of '#part'") as error:
        drawn('<defs><circle id="part" r="40"/></defs><use href="#part"/><circle r="5"/>')
    assert "unlink" in error.value.fix


def test_a_physical_width_alone_leaves_user_units_millimetres():
    (ring,) = drawn('<rect width="100" height="40"/>', 'width="100mm" height="40mm"')
    np.testing.assert_allclose(np.ptp(ring, axis=0), [100, 40])


def test_transforms_act_from_the_inside_out():
    body = '<g transform="translate(10,20)"><g transform="rotate(90) scale(2)"><rect width="3" height="1"/></g></g>'
    (ring,) = drawn(body)
    np.testing.assert_allclose(ring[:, 0].min(), 8.0)
    np.testing.assert_allclose(ring[:, 1].min(), -26.0)
    (same,) = drawn('<rect width="3" height="1" transform="matrix(0 2 -2 0 10 20)"/>')
    np.testing.assert_allclose(same, ring, atol=1e-12)
    (turned,) = drawn('<rect x="4" y="4" width="2" height="2" transform="rotate(45 5 5)"/>')
    np.testing.assert_allclose(turned.mean(axis=0), [5, -5])


def test_a_skewed_shape_keeps_its_area_and_leans():
    (ring,) = drawn('<rect width="2" height="1" transform="skewX(45)"/>')
    np.testing.assert_allclose(ring, [[0, 0], [2, 0], [3, -1], [1, -1]], atol=1e-12)


def test_a_physical_width_scales_user_units():
    head = 'width="50cm" height="50cm" viewBox="0 0 1000 1000"'
    (ring,) = drawn('<rect width="100" height="40"/>', head)
    np.testing.assert_allclose(np.ptp(ring, axis=0), [50, 20])


def test_definitions_are_not_drawn_and_unknown_elements_are_passed_over():
    assert drawn('<defs><rect width="3" height="1"/></defs><text>a</text><!-- b -->') == []


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
        drawn(body)
    assert error.value.fix


def test_a_view_box_without_width_is_refused():
    with pytest.raises(FileError):
        drawn("<rect/>", 'width="5mm" viewBox="0 0 0 0"')


DXF = Path("p.dxf")


def rings(*entities, units=None):
    pairs = [] if units is None else [(0, "SECTION"), (2, "HEADER"), (9, "$INSUNITS"), (70, units), (0, "ENDSEC")]
    pairs += [(0, "SECTION"), (2, "ENTITIES"), *(pair for entity in entities for pair in entity)]
    pairs += [(0, "ENDSEC"), (0, "EOF")]
    return dxf_rings(DXF, "\n".join(f"{code:3d}\n{value}" for code, value in pairs) + "\n", [])


def light(vertices, closed=True):
    pairs = [(0, "LWPOLYLINE"), (70, int(closed))]
    for x, y, *bulge in vertices:
        pairs += [(10, x), (20, y), *((42, b) for b in bulge)]
    return pairs


def line(a, b):
    return [(0, "LINE"), (10, a[0]), (20, a[1]), (11, b[0]), (21, b[1])]


def test_polylines_old_and_new_are_read():
    corners = [(0, 0), (30, 0), (30, 10), (0, 10)]
    old = [(0, "POLYLINE"), (66, 1), (70, 1)]
    for x, y in corners:
        old += [(0, "VERTEX"), (10, x), (20, y)]
    old += [(0, "SEQEND")]
    for entity in (light(corners), old, light([*corners, corners[0]], closed=False)):
        (ring,) = rings(entity)
        assert signed_area(ring) == pytest.approx(300)


@pytest.mark.parametrize("bulge", [1.0, 0.5, np.tan(np.pi / 8)])
@pytest.mark.parametrize("sign", [1, -1])
def test_bulges_are_arcs_of_four_times_their_angle(bulge, sign):
    (ring,) = rings(light([(0, 0, sign * bulge), (10, 0), (10, 20), (0, 20)]))
    angle = 4 * np.arctan(bulge)
    radius = 5 / np.sin(angle / 2)
    segment = radius**2 / 2 * (angle - np.sin(angle))
    assert signed_area(ring) == pytest.approx(200 + sign * segment, rel=2e-3)


def test_a_circle_of_two_bulges_is_the_circle():
    (two,) = rings(light([(-5, 0, 1), (5, 0, 1)]))
    (one,) = rings([(0, "CIRCLE"), (10, 0), (20, 0), (40, 5)])
    for ring in (two, one):
        np.testing.assert_allclose(np.linalg.norm(ring, axis=1), 5.0)
        assert signed_area(ring) == pytest.approx(25 * np.pi, rel=1e-3)


def test_lines_and_arcs_in_any_order_and_direction_close_to_a_ring():
    arc = [(0, "ARC"), (10, 20), (20, 5), (40, 5), (50, 270), (51, 90)]
    (slot,) = rings(line((0, 0), (20, 0)), line((0, 10), (20, 10)), arc, line((0, 10), (0, 0)))
    assert abs(signed_area(slot)) == pytest.approx(200 + 12.5 * np.pi, rel=1e-3)


@pytest.mark.parametrize("gap", [0.01, -0.03])
def test_lines_whose_ends_nearly_meet_are_joined(gap):
    sides = (line((0, 0), (100, gap)), line((100, 50), (100, 0)), line((0, 50), (100 + gap, 50)), line((0, 50), (0, 0)))
    (ring,) = rings(*sides)
    assert abs(signed_area(ring)) == pytest.approx(5000, rel=1e-3)


def test_many_lines_shorter_than_the_joining_distance_are_still_one_ring():
    x, y = np.append(np.linspace(0, 10, 401), [10, 0, 0]), np.append(np.zeros(401), [100, 100, 0])
    points = np.column_stack([x, y])
    order = np.random.default_rng(3).permutation(len(points) - 1)
    (ring,) = rings(*(line(points[i], points[i + 1]) for i in order))
    assert len(ring) == 403
    assert abs(signed_area(ring)) == pytest.approx(1000)


@pytest.mark.parametrize("gap", [4.0, 60.0])
def test_an_outline_that_stays_open_is_refused_with_its_gap(gap):
    hole = [(0, "CIRCLE"), (10, 50), (20, 30), (40, 20)]
    sides = (line((0, 0), (100, 0)), line((100, 0), (100, 60)), line((100, 60), (0, 60)), line((0, 60), (0, gap)))
    for entities in ((hole, *sides), (hole, light([(0, 0), (100, 0), (100, 60), (0, 60), (0, gap)], closed=False))):
        with pytest.raises(FileError, match=f"{gap:g} mm apart"):
            rings(*entities)


def test_centre_lines_notes_and_paper_space_do_not_count():
    plate = light([(0, 0), (60, 0), (60, 40), (0, 40)])
    frame = [*light([(-9, -9), (99, -9), (99, 99), (-9, 99)]), (67, 1)]
    others = ([(0, "MTEXT"), (1, "a")], [(0, "DIMENSION"), (10, 1)], line((-5, 20), (65, 20)), line((30, -5), (30, 45)))
    (ring,) = rings(plate, frame, *others)
    assert signed_area(ring) == pytest.approx(2400)


@pytest.mark.parametrize("kind", ["REGION", "INSERT", "3DSOLID", "MLINE"])
def test_what_may_be_an_outline_and_cannot_be_followed_is_named_with_its_layer(kind):
    hole = [(0, "CIRCLE"), (10, 50), (20, 30), (40, 20)]
    with pytest.raises(FileError, match=f"{kind} on layer 'border'"):
        rings([(0, kind), (8, "border")], hole)


def test_ellipses_and_their_arcs_are_read():
    whole = [(0, "ELLIPSE"), (10, 5), (20, 6), (11, 18), (21, 24), (40, 0.5)]
    (ring,) = rings(whole)
    assert signed_area(ring) == pytest.approx(np.pi * 30 * 15, rel=1e-3)
    np.testing.assert_allclose(ring.mean(axis=0), [5, 6], atol=1e-9)
    half = [(0, "ELLIPSE"), (10, 0), (20, 0), (11, 30), (21, 0), (40, 0.5), (41, 0), (42, np.pi)]
    (bow,) = rings(half, line((30, 0), (-30, 0)))
    assert abs(signed_area(bow)) == pytest.approx(np.pi * 30 * 15 / 2, rel=1e-3)
    assert bow[:, 1].min() >= -1e-9
    (under,) = rings([*half, (230, -1)], line((30, 0), (-30, 0)))
    assert under[:, 1].max() <= 1e-9


def spline(knots, points, weights=(), degree=2):
    pairs = [(0, "SPLINE"), (71, degree), (73, len(points)), *((40, k) for k in knots)]
    for x, y in points:
        pairs += [(10, x), (20, y)]
    return pairs + [(41, w) for w in weights]


def test_a_circle_as_a_rational_spline_is_the_circle_and_a_bezier_its_closed_form():
    w = np.sqrt(0.5)
    square = [(9, 0), (9, 9), (0, 9), (-9, 9), (-9, 0), (-9, -9), (0, -9), (9, -9), (9, 0)]
    (ring,) = rings(spline([0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4], square, [1, w] * 4 + [1]))
    np.testing.assert_allclose(np.linalg.norm(ring, axis=1), 9.0)
    (bow,) = rings(spline([0] * 4 + [1] * 4, [(0, 0), (0, 10), (10, 10), (10, 0)], degree=3), line((0, 0), (10, 0)))
    assert abs(signed_area(bow)) == pytest.approx(60, rel=2e-3)


def test_what_is_drawn_on_the_back_of_the_plane_is_mirrored():
    (ring,) = rings([*light([(10, 0), (30, 0), (30, 10)]), (230, -1)])
    np.testing.assert_allclose(ring[:, 0], [-10, -30, -30])


@pytest.mark.parametrize("drop", range(1, 12))
def test_a_file_cut_anywhere_is_refused(drop):
    plate = [(0, "LWPOLYLINE"), (8, "0"), (90, 4), (70, 1)]
    for x, y in [(0, 0), (60, 0), (60, 40), (0, 40)]:
        plate += [(10, x), (20, y)]
    pairs = [(0, "SECTION"), (2, "ENTITIES"), *plate]
    lines = "\n".join(f"{code}\n{value}" for code, value in pairs).splitlines()
    with pytest.raises(FileError, match=r"truncated|no entities"):
        dxf_rings(DXF, "\n".join(lines[: len(lines) - drop]) + "\n", [])
    with pytest.raises(FileError, match="says 4 vertices and has 3"):
        rings(plate[:-2])


@pytest.mark.parametrize("units, factor", [(0, 1.0), (1, 25.4), (4, 1.0), (5, 10.0), (6, 1000.0)])
def test_units_of_the_drawing_become_millimetres(units, factor):
    (ring,) = rings(light([(0, 0), (3, 0), (3, 2)]), units=units)
    assert signed_area(ring) == pytest.approx(3 * factor**2)


@pytest.mark.parametrize(
    "entities, units",
    [
        ([[(0, "CIRCLE"), (10, 0), (20, 0)]], None),
        ([[(0, "CIRCLE"), (10, "a"), (20, 0), (40, 1)]], None),
        ([[(0, "CIRCLE"), (10, "nan"), (20, 0), (40, 1)]], None),
        ([light([(0, 0), (1, 0), (1, 1)])], 99),
    ],
)
def test_faults_are_refused_by_line(entities, units):
    with pytest.raises(FileError) as error:
        rings(*entities, units=units)
    assert error.value.line
    assert error.value.fix


def test_points_file_contour_and_part_are_the_same_object(tmp_path: Path) -> None:
    part = example_part("hexagon")
    file = tmp_path / "hexagon.csv"
    np.savetxt(file, part.outer, delimiter=",")
    given = [part, part.contour(), Contour.from_points(part.outer), part.outer, part.outer.tolist(), file, str(file)]
    for one in given:
        workpiece = read_workpiece(one)
        assert workpiece.contour.area == pytest.approx(part.contour().area, rel=1e-9)
        assert workpiece.contour.centroid == pytest.approx(part.contour().centroid, abs=1e-9)
        assert workpiece.picture is None
    assert read_workpiece(file).name == "hexagon.csv"
    assert read_workpiece(read_workpiece(file)).name == "hexagon.csv"


def test_a_picture_shows_the_same_object(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    part = example_part("hexagon")
    pixels = part.picture(0.5)
    file = tmp_path / "hexagon.png"
    image.fromarray(np.round(255 * pixels).astype(np.uint8)).save(file)
    for one in (pixels, file):
        workpiece = read_workpiece(one, mm_per_px=0.5)
        assert workpiece.contour.area == pytest.approx(part.contour().area, rel=2e-3)
        assert workpiece.mm_per_px == 0.5
        assert workpiece.picture is not None and workpiece.picture.shape == pixels.shape


@pytest.mark.parametrize("wrong", [None, 3.0, {"a": 1}, [[1.0, 2.0], [3.0]], np.zeros((4, 5, 6)), np.zeros((9, 9))])
def test_what_is_no_object_is_refused(wrong: object) -> None:
    with pytest.raises(InputError):
        read_workpiece(wrong)


def test_wrong_points_files_and_scales_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no such file"):
        read_workpiece(tmp_path / "none.png")
    with pytest.raises(FileError):
        read_workpiece(tmp_path / "none.csv")
    with pytest.raises(GeometryError):
        read_workpiece([[0.0, 0.0], [1.0, 1.0]])
    with pytest.raises(GeometryError):  # a bow tie crosses itself
        read_workpiece([[0.0, 0.0], [40.0, 40.0], [40.0, 0.0], [0.0, 40.0]])
    with pytest.raises(InputError, match="mm_per_px"):
        read_workpiece(example_part("disc").picture(0.5), mm_per_px=-1.0)


def test_contours_as_opencv_gives_them_are_points() -> None:
    corners = np.array([[-50, -20], [50, -20], [50, 20], [-50, 20]], dtype=np.int32)
    assert read_workpiece(corners[:, None]).contour.area == pytest.approx(4000.0)


@pytest.mark.parametrize(
    "wrong", [None, [], {}, (), 3.0, np.zeros((9, 2), dtype=bool), np.zeros((3, 4, 5, 6)), [[1, 2], [3]]]
)
def test_what_is_neither_picture_nor_contour_is_told_both_kinds(wrong: object) -> None:
    with pytest.raises(InputError) as error:
        read_workpiece(wrong)
    assert "picture" in str(error.value.fix) and "contour" in str(error.value.fix)


def test_a_scale_in_words_is_refused() -> None:
    with pytest.raises(InputError, match="mm_per_px"):
        read_workpiece(example_part("disc").picture(0.5), mm_per_px="0.5")  # pyright: ignore[reportArgumentType]

"""DXF outlines: polylines, bulges, circles and chains of lines and arcs against their closed forms."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from holdfast.errors import FileError
from holdfast.grasps.contours import signed_area
from holdfast.grasps.contour_files import dxf_rings

HERE = Path("p.dxf")


def rings(*entities, units=None):
    pairs = [] if units is None else [(0, "SECTION"), (2, "HEADER"), (9, "$INSUNITS"), (70, units), (0, "ENDSEC")]
    pairs += [(0, "SECTION"), (2, "ENTITIES"), *(pair for entity in entities for pair in entity)]
    pairs += [(0, "ENDSEC"), (0, "EOF")]
    return dxf_rings(HERE, "\n".join(f"{code:3d}\n{value}" for code, value in pairs) + "\n")


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


@pytest.mark.parametrize("gap", [1.0, 60.0])
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
        dxf_rings(HERE, "\n".join(lines[: len(lines) - drop]) + "\n")
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

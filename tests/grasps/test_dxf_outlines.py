"""DXF outlines: polylines, bulges, circles and chains of lines and arcs against their closed forms."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from holdfast.errors import FileError
from holdfast.grasps.contours import signed_area
from holdfast.grasps.dxf_outlines import dxf_rings

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
    assert rings(line((0, 0), (20, 0)), line((20, 0), (20, 9))) == []


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

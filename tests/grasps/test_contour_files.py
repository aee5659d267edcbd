"""Contours from files: the same part in three formats, and files with faults refused by line."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import FileError
from holdfast.grasps.contour_files import part_of_rings, read_contour

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
    with pytest.raises(FileError, match="line's number"):
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
        ("p.csv", "0,0\n9,0\n9,9\n\n20,20\n21,20\n21,21\n", "several outlines"),
        ("p.csv", "0,0\n9,0\n", "distinct points"),
        ("p.step", "", "no contour file"),
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

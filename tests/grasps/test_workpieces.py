"""Workpieces: the same object whichever way it comes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from holdfast.errors import FileError, GeometryError, InputError
from holdfast.grasps.contour_files import read_workpiece
from holdfast.grasps.contours import Contour
from holdfast.grasps.parts import example_part


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

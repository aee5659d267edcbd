from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import holdfast as hf
from holdfast.papers.climbing import SupportOutline, lazy_outline
from holdfast.postures import LazyGrip

#: A disc of radius 2 round (1, 0), by eight points.
TURNS = 2.0 * np.pi * np.arange(8) / 8
WAYS = np.column_stack([np.cos(TURNS), np.sin(TURNS)])
DISC = SupportOutline(WAYS, np.array([1.0, 0.0]) + 2.0 * WAYS)

CUP = hf.Contact(np.zeros(3), np.eye(3), hf.models.suction(40.0, 0.6, facets=8, cap=90.0))
HAND = LazyGrip(hf.Assembly([CUP]), acting="reaction")
POSES = [hf.Pose(np.eye(3), np.array([x, y, 0.0])) for x in (-0.3, 0.3) for y in (-0.2, 0.2)]


def test_the_areas_of_a_disc_are_those_of_the_octagons() -> None:
    low, high = DISC.areas
    assert low == pytest.approx(4.0 * 8 / 2 * np.sin(np.pi / 4))
    assert high == pytest.approx(4.0 * 8 * np.tan(np.pi / 8))
    assert low < 4.0 * np.pi < high
    assert DISC.area == pytest.approx(0.5 * (low + high))
    assert DISC.reach == pytest.approx((-1.0, 3.0))


def test_points_are_told_apart_and_the_nearest_is_found() -> None:
    assert DISC.contains((1.0, 0.5)) == "yes"
    assert DISC.contains((1.0 + 1.9 * np.cos(np.pi / 8), 1.9 * np.sin(np.pi / 8))) == "undecided"
    assert DISC.contains((3.1, 0.0)) == "no"
    np.testing.assert_allclose(DISC.nearest((5.0, 0.0)), [3.0, 0.0])
    np.testing.assert_allclose(DISC.nearest((1.2, 0.1)), [1.2, 0.1])
    sides = [DISC.nearest(5.0 * way + [1.0, 0.0]) for way in WAYS]
    np.testing.assert_allclose(sides, DISC.points, atol=1e-12)


def test_nothing_is_in_an_empty_outline() -> None:
    empty = SupportOutline(np.zeros((0, 2)), np.zeros((0, 2)))
    assert empty.is_empty
    assert empty.areas == (0.0, 0.0)
    assert empty.contains((0.0, 0.0)) == "no"
    assert np.isnan(empty.nearest((0.0, 0.0))).all()
    assert np.isnan(empty.reach).all()


def test_a_lazy_outline_is_that_of_the_exact_region() -> None:
    """Suction cups under a plate: the same region from their cones' corners."""
    found = lazy_outline([HAND] * 4, POSES, 8.0, n=8)
    grip = hf.cone_grip(hf.Assembly([CUP]), acting="reaction")
    region = hf.support_region(grip, POSES, 8.0)
    reaches = np.einsum("ij,ij->i", found.directions, found.points)
    np.testing.assert_allclose(reaches, (found.directions @ region.vertices.T).max(axis=1), atol=1e-7)
    assert found.areas[0] - 1e-9 <= region.area <= found.areas[1] + 1e-9


def test_outlines_are_kept_and_damaged_files_are_made_again(tmp_path: Path) -> None:
    first = lazy_outline([HAND] * 4, POSES, 8.0, n=4, cache=tmp_path)
    (file,) = tmp_path.iterdir()
    file.write_text(file.read_text(encoding="utf-8").replace(str(first.points[0, 0]), "7.5"), encoding="utf-8")
    assert lazy_outline([HAND] * 4, POSES, 8.0, n=4, cache=tmp_path).points[0, 0] == 7.5  # from the file
    for damage in ("{", '{"points": [[1, 2]]}', '{"points": [[1, null], [0, 0], [0, 0], [0, 0]]}', "[]"):
        file.write_text(damage, encoding="utf-8")
        again = lazy_outline([HAND] * 4, POSES, 8.0, n=4, cache=tmp_path)
        np.testing.assert_array_equal(again.points, first.points)
    lazy_outline([HAND] * 4, POSES, 9.0, n=4, cache=tmp_path)
    assert len(list(tmp_path.iterdir())) == 2  # another mass is another question


def test_too_heavy_a_body_has_no_outline(tmp_path: Path) -> None:
    for _ in range(2):  # found, then from the file
        assert lazy_outline([HAND] * 4, POSES, 100.0, n=4, cache=tmp_path).is_empty

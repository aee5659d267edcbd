"""Parts from rings: repairs that change almost nothing, holes, islands, several parts; areas in closed form."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from holdfast.errors import FileError, GeometryError, InputError
from holdfast.grasps.contour_files import dxf_rings, part_of_rings, read_contour, read_workpiece
from holdfast.grasps.outlines import chosen_outline, outlines_of


def square(side: float, x: float = 0.0, y: float = 0.0) -> np.ndarray:
    return np.array([[x, y], [x + side, y], [x + side, y + side], [x, y + side]], dtype=float)


def test_rings_inside_each_other_are_outlines_holes_and_islands_in_turn():
    notes: list[str] = []
    parts = outlines_of([square(10, 45, 45), square(100), square(30, 35, 35), square(60, 20, 20)], notes)
    assert [part.area for part in parts] == [100**2 - 60**2, 30**2 - 10**2]
    assert any("island" in words for words in notes)
    assert chosen_outline(parts, notes).area == pytest.approx(6400)
    assert chosen_outline(parts, notes, pick=(37, 37)).area == pytest.approx(800)
    assert chosen_outline(parts, notes, pick=(50, 50)).area == pytest.approx(800)  # in its hole
    assert chosen_outline(parts, notes, pick=(25, 25)).area == pytest.approx(6400)
    assert chosen_outline(parts, notes, index=1).area == pytest.approx(800)


def test_several_outlines_are_named_and_chosen():
    notes: list[str] = []
    assert part_of_rings([square(10), square(20, 50), square(5, 100)], notes).area == pytest.approx(400)
    assert "largest of 3 outlines" in notes[-1]
    for wrong in ({"index": 3}, {"pick": (-5.0, -5.0)}):
        with pytest.raises(InputError) as error:
            part_of_rings([square(10), square(20, 50), square(5, 100)], **wrong)
        assert "0 at (60, 10) mm, 400 mm^2; 1 at (5, 5) mm, 100 mm^2" in error.value.fix


@pytest.mark.parametrize(
    "spike",
    [
        [[100, 50], [120, 50], [100, 50]],  # out and back along one line
        [[100, 50], [101, 52], [101, 50], [100, 51]],  # a small loop
        [[100, 40], [100, 60], [100, 30]],  # along the side itself
    ],
)
def test_spikes_and_small_loops_are_cut_off_with_a_note(spike):
    ring = np.array([[0, 0], [100, 0], *spike, [100, 100], [0, 100]], dtype=float)
    notes: list[str] = []
    assert part_of_rings([ring], notes).area == pytest.approx(1e4, rel=1e-3)
    assert len(notes) == 1
    assert "repaired" in notes[0]


def test_large_loops_are_refused():
    ring = np.array([[0, 0], [100, 0], [100, 50], [130, 90], [130, 50], [100, 90], [100, 100], [0, 100]], dtype=float)
    with pytest.raises(GeometryError, match="intersects itself"):
        part_of_rings([ring])
    with pytest.raises(GeometryError, match="intersects itself"):
        part_of_rings([square(100), square(60, 70, 20)])


def test_what_is_filled_may_overlap():
    notes: list[str] = []
    assert part_of_rings([square(100), square(60, 70, 20)], notes, united=True).area == pytest.approx(1e4 + 30 * 60)
    assert any("united" in words for words in notes)
    frame = [square(100)[[0, 1]], square(100)[[2, 3]]]
    bars = [np.array([[0, y], [100, y], [100, y + 10], [0, y + 10]], float) for y in (0, 90)]
    bars += [np.array([[x, 0], [x + 10, 0], [x + 10, 100], [x, 100]], float) for x in (0, 90)]
    assert len(frame) == 2
    part = part_of_rings(bars, united=True)
    assert part.area == pytest.approx(100**2 - 80**2)
    assert len(part.holes) == 1


def test_a_filled_ring_that_winds_twice_is_whole():
    # a five-pointed star drawn in one line: filled by the nonzero rule, its middle belongs to it
    angles = np.pi / 2 + 4 * np.pi / 5 * np.arange(5)
    star = 50 * np.column_stack([np.cos(angles), np.sin(angles)])
    inner = 50 * np.cos(2 * np.pi / 5) / np.cos(np.pi / 5)
    expected = 5 * 50 * inner * np.sin(np.pi / 5)
    assert part_of_rings([star], united=True).area == pytest.approx(expected)
    with pytest.raises(GeometryError):
        part_of_rings([star])


def test_rings_that_touch_or_are_drawn_twice_are_repaired():
    notes: list[str] = []
    assert part_of_rings([square(100), square(20, 0, 40)], notes).area == pytest.approx(1e4 - 400, rel=2e-3)
    corner = part_of_rings([square(100), np.array([[0, 50], [20, 40], [20, 60]], float)], notes)
    assert corner.area == pytest.approx(1e4 - 200, rel=2e-3)
    twice = part_of_rings([square(100), square(100)[::-1], square(20, 40, 40)], notes)
    assert twice.area == pytest.approx(1e4 - 400)
    assert sum("repaired" in words for words in notes) >= 2
    assert part_of_rings([square(100), np.array([[10.0, 10], [20, 20], [10, 10]])], notes).area == pytest.approx(1e4)
    assert "no area" in notes[-1]


def dxf(*lines: tuple[tuple[float, float], tuple[float, float]]) -> str:
    body = "".join(f"0\nLINE\n10\n{a[0]}\n20\n{a[1]}\n11\n{b[0]}\n21\n{b[1]}\n" for a, b in lines)
    return f"0\nSECTION\n2\nENTITIES\n{body}0\nENDSEC\n0\nEOF\n"


@pytest.mark.parametrize("gap", [0.4, 1.0])
def test_small_gaps_of_a_drawing_are_closed_with_a_note(gap):
    notes: list[str] = []
    sides = (((0, 0), (100, 0)), ((100, gap), (100, 60)), ((100, 60), (0, 60)), ((0, 60), (0, gap)))
    contour = part_of_rings(dxf_rings(Path("p.dxf"), dxf(*sides), notes))
    assert contour.area == pytest.approx(6000, rel=1e-3)
    assert any(f"gaps of up to {gap:g} mm" in words for words in notes)


def test_large_gaps_are_refused():
    sides = (((0, 0), (100, 0)), ((100, 4), (100, 60)), ((100, 60), (0, 60)), ((0, 60), (0, 0)))
    with pytest.raises(FileError, match="does not close"):
        dxf_rings(Path("p.dxf"), dxf(*sides), [])


def svg(tmp_path: Path, body: str, head: str = "") -> Path:
    path = tmp_path / "p.svg"
    path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" {head}>{body}</svg>')
    return path


def test_lines_without_fill_are_no_areas(tmp_path):
    stroke = 'fill="none" stroke="black"'
    filled = f'<rect width="50" height="20"/><path d="M0 0H90V90" {stroke}/><circle r="80" {stroke}/>'
    notes: list[str] = []
    assert read_contour(svg(tmp_path, filled), notes=notes).area == pytest.approx(1000)
    assert notes == ["2 lines without fill are not an area and left out"]
    # a technical drawing: nothing is filled, and closed lines are outlines
    lines = f'<g {stroke}><rect width="50" height="20"/><circle cx="20" cy="10" r="5"/><path d="M-5 10H60V12"/></g>'
    assert read_contour(svg(tmp_path, lines)).area == pytest.approx(1000 - 25 * np.pi, rel=1e-3)
    with pytest.raises(FileError, match="no closed outline") as error:
        read_contour(svg(tmp_path, f'<path d="M0 0H90V90" {stroke}/>'))
    assert "1 line without fill" in error.value.fix


def test_a_drawing_is_scaled_to_a_width(tmp_path):
    part = read_workpiece(svg(tmp_path, '<rect width="50" height="20"/><circle cx="90" r="3"/>'), width_mm=10.0)
    assert part.contour.area == pytest.approx(40)
    assert read_workpiece(square(30), width_mm=60.0).contour.area == pytest.approx(3600)
    with pytest.raises(InputError, match="width_mm"):
        read_workpiece(square(30), width_mm=0.0)
    with pytest.raises(InputError, match="roi"):
        read_workpiece(square(30), roi=(0, 0, 5, 5))

"""Planar files in: faults with their lines, nearest names, and the ready scenes."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.errors import SceneError
from holdfast.planar.files_planar_reader import is_planar, load_planar, planar_faults, planar_names, planar_path

SNAKE = """\
holdfast: 1
planar: chain
mu: 0.3
chain: {links: [0.127, 0.127], masses: 0.0849}
q: [0.0, 0.0, 135.0, -90.0]
angle_unit: deg
contacts:
  - {node: 0, normal: [-1, 0]}
  - {node: 1, normal: [1, 0]}
  - {node: 2, normal: [-1, 0]}
mode: FFF
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "scene.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", planar_names())
def test_every_ready_scene_loads_and_begins_with_what_it_is(name):
    scene = load_planar(f"@{name}")
    assert scene.name and scene.path == planar_path(f"@{name}")
    first = scene.path.read_text(encoding="utf-8").splitlines()[0]
    assert first.startswith("# ") and 20 < len(first) <= 120
    assert planar_faults(f"@{name}") == [] and is_planar(f"@{name}")


def test_ready_scenes_are_listed_by_kind():
    kinds = [planar_names(kind) for kind in ("body", "chain", "climb")]
    assert sorted(name for names in kinds for name in names) == planar_names()
    assert {"climb_straight", "climb_kinked", "climb_tapering"} <= set(kinds[2])
    assert {"two_link_snake", "six_link_snake", "five_link_brace"} <= set(kinds[1])
    assert {"three_points", "block_on_incline", "ladder", "painleve_rod", "peg_in_hole"} <= set(kinds[0])


@pytest.mark.parametrize(
    ("old", "new", "line", "field", "words"),
    [
        ("mode: FFF", "mode: FF", 11, "mode", "3 letters"),
        ("mode: FFF", "mode: FFX", 11, "mode", "S, F, R, L"),
        ("mode: FFF", "modus: FFF", 11, "modus", "did you mean 'mode'"),
        ("q: [0.0, 0.0, 135.0, -90.0]", "q: [0.0, 0.0, 135.0]", 5, "q", "4"),
        ("mu: 0.3", "mu: -0.3", 3, "mu", "at least 0"),
        ("mu: 0.3\n", "", 7, "contacts[0]", "mu"),
        ("node: 2", "node: 3", 10, "contacts[2]", "node of 0 to 2"),
        ("angle_unit: deg", "angle_unit: degrees", 6, "angle_unit", "deg"),
        ("planar: chain", "planar: chian", 2, "planar", "did you mean 'chain'"),
        ("planar: chain\n", "", 1, "planar", "body, chain, climb"),
        ("holdfast: 1", "holdfast: 2", 1, "holdfast", "newer"),
        ("mode: FFF", "tasks: [{a: [1, 0]}]", 11, "tasks[0]", "4"),
        ("mode: FFF", "disturbance: {lower: [0, 0], upper: [1, 1]}", 11, "disturbance.lower", "4"),
        ("mode: FFF", "torque: [1, 2]", 11, "torque", "1"),
        ("mode: FFF", "limits: {lower: [-1, -1], upper: 1}", 11, "limits.lower", "(1,)"),
        ("mode: FFF", "limits: {lower: 1, upper: -1}", 11, "limits", "swap"),
        ("mode: FFF", "friction: [0.4, 0.2]", 11, "friction", "least first"),
        ("mode: FFF", "tasks: [{a: [[1, 0, 0, 0], [1]]}]", 11, "tasks[0].a", "same length"),
        ("masses: 0.0849", "masses: 0", 4, "chain", "positive"),
        ("links: [0.127, 0.127]", "links: [0.127, 0]", 4, "chain.links[1]", "at least"),
    ],
)  # fmt: skip
def test_a_fault_names_its_line_its_field_and_what_would_be_right(tmp_path, old, new, line, field, words):
    assert old in SNAKE
    (fault, *_) = planar_faults(written(tmp_path, SNAKE.replace(old, new)))
    assert words in str(fault)
    assert fault.field.startswith(field.split(".")[0]) and field.split(".")[-1] in fault.field
    assert fault.line == line


def test_several_faults_come_together(tmp_path):
    path = written(tmp_path, SNAKE.replace("mu: 0.3", "mu: x").replace("mode: FFF", "modus: FFF"))
    assert [fault.line for fault in planar_faults(path)] == [3, 11]
    with pytest.raises(SceneError, match="scene.yaml:3") as raised:
        load_planar(path)
    assert any("modus" in note for note in raised.value.__notes__)


def test_a_wrong_name_suggests_the_nearest_and_scenes_in_space_are_told_apart(tmp_path):
    with pytest.raises(SceneError, match="did you mean '@six_link_snake'"):
        load_planar("@six_link_snak")
    space = written(tmp_path, "holdfast: 1\nname: block\n")
    assert not is_planar(space) and not is_planar(tmp_path / "none.yaml") and not is_planar("@suction_cup")
    with pytest.raises(SceneError, match="holdfast check"):
        load_planar(space)

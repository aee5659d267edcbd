"""Faults of posture files: each a SceneError with file, line, field and fix."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.errors import SceneError
from holdfast.postures.files_posture_reader import load_posture, posture_faults, posture_names, posture_path
from holdfast.postures.files_posture_scene import PostureScene
from holdfast.scenes import load_scene

POSTURE = """\
holdfast: 1
name: stand
body:
  mass: 2.0
  com: [0, 0, 0.5]
loads:
  push: {force: [5, 0, 0], at: [0, 0, 1]}
grips:
  foot:
    coulomb: {mu: 0.6, sides: 8}
  hand:
    box:
      lower: [-1, -1, -1, 0, 0, 0]
      upper: [1, 1, 1, 0, 0, 0]
hands:
  - name: left
    grip: foot
    position: [0, 0.1, 0]
    normal: [0, 0, 1]
  - name: right
    grip: hand
    position: [0, -0.1, 0]
    rotation: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
"""

#: (what to replace, by what, line, field, words of the message).
FAULTS = [
    ("holdfast: 1", "holdfast: 2", 1, "holdfast", "version 2, this Holdfast reads up to 1.*newer Holdfast"),
    ("holdfast: 1\n", "", 1, "holdfast", "is missing.*a posture file begins with"),
    ("name: stand", "nam: stand", 2, "nam", "not a field here.*did you mean 'name'"),
    ("mass: 2.0", "mass: 0.0", 4, "body.mass", "is 0 "),
    ("mass: 2.0", "mas: 2.0", 3, "body.mass", "is missing.*\\[kg\\]"),
    ("com: [0, 0, 0.5]", "com: [0, 0]", 5, "body.com", "has 2 entries"),
    ("force: [5", "forse: [5", 7, "loads.push.forse", "did you mean 'force'"),
    ("coulomb: {mu", "colomb: {mu", 10, "grips.foot.colomb", "did you mean 'coulomb'"),
    ("coulomb: {mu: 0.6", "coulomb: {mue: 0.6", 10, "grips.foot.coulomb.mu", "is missing"),
    ("sides: 8", "sides: 2", 10, "grips.foot.coulomb.sides", "at least 3"),
    ("sides: 8", "sides: 721", 10, "grips.foot.coulomb.sides", "at most 720"),
    ("mu: 0.6", "mu: 101", 10, "grips.foot.coulomb.mu", "at most 100"),
    ("mu: 0.6", "mu: 1.0e-12", 10, "grips.foot.coulomb.mu", "is 1e-12.*give 0 for a foot without friction"),
    ("name: stand", "name: stand\ngravity: [0, 0, -1.0e+11]", 3, "gravity", r"is 1e\+11 m/s\^2.*1e\+09"),
    ("upper: [1,", "upper: [-2,", 12, "grips.hand.box", "f_x is at least -1 and at most -2"),
    ("upper: [1, 1, 1, 0, 0, 0]", "upper: [1, 1, 1, 0, 0]", 14, "grips.hand.box.upper", "has 5 entries"),
    ("upper: [1, 1", "upper: [1, .nan", 14, "grips.hand.box.upper[1]", "is nan"),
    ("grip: foot", "grip: fot", 17, "hands[0].grip", "no grip 'fot'.*did you mean 'foot'"),
    ("normal: [0, 0, 1]", "norml: [0, 0, 1]", 19, "hands[0].norml", "did you mean 'normal'"),
    ("normal: [0, 0, 1]", "normal: [0, 0, 0]", 19, "hands[0].normal", "zero vector"),
    ("normal: [0, 0, 1]", "shear: [1, 0, 0]", 16, "hands[0]", "a shear without a normal"),
    ("rotation: [[1, 0, 0]", "normal: [1, 0, 0]\n    rotation: [[1, 0, 0]", 20, "hands[1]", "has two frames"),
    ("rotation: [[1, 0", "rotation: [[2, 0", 23, "hands[1].rotation", "must have length 1"),
    ("name: right", "name: left", 20, "hands[1].name", "two hands 'left'"),
    ("coulomb: {mu: 0.6, sides: 8}", "file: none.h5", 9, "grips.foot", "none.h5"),
    ("coulomb: {mu: 0.6, sides: 8}", "scene: none.yaml", None, "", "none.yaml.*no such file"),
]


@pytest.fixture
def right(tmp_path: Path) -> Path:
    path = tmp_path / "stand.yaml"
    path.write_text(POSTURE, encoding="utf-8")
    return path


def test_the_posture_is_right(right: Path) -> None:
    scene = load_posture(right)
    assert isinstance(scene, PostureScene)
    assert scene.hands == ("left", "right")
    assert posture_faults(right) == []


@pytest.mark.parametrize(("old", "new", "line", "field", "words"), FAULTS)
def test_a_fault_names_its_line_field_and_fix(
    right: Path, old: str, new: str, line: int | None, field: str, words: str
) -> None:
    assert POSTURE.count(old) >= 1
    right.write_text(POSTURE.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(SceneError, match=words) as caught:
        load_posture(right)
    if line is not None:
        assert (caught.value.line, caught.value.field) == (line, field)
    assert caught.value.fix
    assert str(posture_faults(right)[0]) == str(caught.value)


def test_several_faults_are_told_at_once(right: Path) -> None:
    right.write_text(POSTURE.replace("mass: 2.0", "mass: -1").replace("sides: 8", "sides: 1"), encoding="utf-8")
    assert [fault.line for fault in posture_faults(right)] == [4, 10]
    with pytest.raises(SceneError) as caught:
        load_posture(right)
    assert "also: " in caught.value.__notes__[0]


def test_scene_and_posture_files_tell_each_other_apart(right: Path, write: Callable[..., Path], block: str) -> None:
    with pytest.raises(SceneError, match=r"is a scene file: it has .* holdfast check"):
        load_posture(write(block))
    with pytest.raises(SceneError, match=r"is a posture file: it has hands .* holdfast posture"):
        load_scene(right)


def test_ready_names_of_the_other_kind_say_where_to_ask() -> None:
    with pytest.raises(SceneError, match="is a ready scene, not a posture"):
        load_posture("@suction_cup")
    with pytest.raises(SceneError, match="is a ready posture, not a scene"):
        load_scene("@tripod_on_flat_ground")


def test_a_truncated_posture_is_a_clear_fault_at_every_length(right: Path) -> None:
    for length in range(0, len(POSTURE), 17):
        right.write_text(POSTURE[:length], encoding="utf-8")
        try:
            assert isinstance(load_posture(right), PostureScene)
        except SceneError as error:
            assert error.path == right


@pytest.mark.parametrize("name", posture_names())
def test_ready_postures_have_no_fault(name: str) -> None:
    assert posture_faults(posture_path(f"@{name}")) == []

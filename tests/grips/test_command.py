from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import Result

import holdfast as hf
from holdfast.grips import Grip, GripBounds, OuterGrip, load_grip
from holdfast.grips.command import _hand, _palm

Run = Callable[..., Result]
RunJson = Callable[..., tuple[int, Any]]

CUPS = """\
holdfast: 1
name: cups
object: {mass: 1.0}
volumes: {cup: {model: suction, vacuum: 50, mu: 0.4, cap: 80, facets: 6}}
contacts:
  - {name: a, position: [0.05, 0, 0], normal: [0, 0, 1], volume: cup}
  - {name: b, position: [-0.05, 0.02, 0], normal: [0, 0, 1], volume: cup}
"""


@pytest.fixture
def cups(tmp_path: Path) -> Path:
    path = tmp_path / "cups.yaml"
    path.write_text(CUPS, encoding="utf-8")
    return path


@pytest.fixture
def bounds(tmp_path: Path) -> Path:
    upper = np.array([3.0, 4.0, 5.0, 0.3, 0.4, 0.5])
    inner = Grip.box(-upper, upper, label="box", length=0.1)
    GripBounds(inner, OuterGrip.box(-2 * upper, upper, length=0.1)).save(tmp_path / "box.h5")
    return tmp_path / "box.h5"


def test_what_is_learned_lies_in_the_file_and_is_held(run_json: RunJson, cups: Path, tmp_path: Path) -> None:
    file = tmp_path / "cups.h5"
    code, data = run_json("grip", "learn", cups, "-o", file, "--n", 30, "--seed", 7, "--acting", "reaction")
    assert code == 0 and data["label"] == "cups" and data["metadata"]["seed"] == 7
    learned = GripBounds.load(file)
    assembly = hf.scenes.load_scene(cups).assembly
    assert learned.metadata.model_hash == assembly.fingerprint and learned.metadata.acting == "reaction"
    for w in learned.inner.vertices[:5]:
        assert hf.equilibrium(assembly, w * (1 - 1e-9)).holds
    assert data["vertices"] == len(learned.inner.vertices) and data["planes"] == len(learned.outer.normals)
    assert data["palm_gravity"] is None


def test_info_says_how_it_came_about_in_words_and_in_json(run: Run, run_json: RunJson, bounds: Path) -> None:
    result = run("grip", "info", bounds)
    assert result.exit_code == 0, result.output
    for words in ("box: inner and outer set", "on the body", "does not matter", "64, 0"):
        assert words in result.stdout
    code, data = run_json("grip", "info", bounds)
    assert code == 0 and (data["vertices"], data["planes"], data["length"]) == (64, 12, 0.1)
    assert data["metadata"]["method"] == "given" and data["gap"] == pytest.approx(0.5)


def test_show_tells_how_far_each_axis_reaches_and_draws_it(
    run: Run, run_json: RunJson, bounds: Path, tmp_path: Path
) -> None:
    picture = tmp_path / "a.svg"
    result = run("grip", "show", bounds, "--plot", picture, "--look", "projection")
    assert result.exit_code == 0, result.output
    assert "inner lowest" in result.stdout and "fz [N]" in result.stdout
    assert picture.read_text(encoding="utf-8").startswith("<?xml")
    _, data = run_json("grip", "show", bounds)
    row = data["extents"][5]
    assert (row["axis"], row["unit"]) == ("tz", "N m")
    assert row["inner"] == pytest.approx([-0.5, 0.5]) and row["outer"] == pytest.approx([-1.0, 0.5])


def test_one_sided_files_and_feet_are_shown_too(run: Run, run_json: RunJson, tmp_path: Path) -> None:
    from holdfast.grips import coulomb_grip

    coulomb_grip(0.5, label="foot").save(tmp_path / "foot.h5")
    OuterGrip.box([-1] * 6, [1] * 6).save(tmp_path / "outer.h5")
    assert "no limit" in run("grip", "show", tmp_path / "foot.h5").stdout
    _, data = run_json("grip", "show", tmp_path / "foot.h5")
    assert data["extents"][2]["inner"] == [0.0, "inf"] and "outer" not in data["extents"][2]
    _, data = run_json("grip", "info", tmp_path / "outer.h5")
    assert data["vertices"] is None and data["planes"] == 12 and data["holds"] == "outer set"


def test_a_gap_that_was_not_reached_is_said_plainly(run: Run, run_json: RunJson, cups: Path, tmp_path: Path) -> None:
    file, journal = tmp_path / "cups.h5", tmp_path / "j.jsonl"
    words = ("grip", "learn", cups, "-o", file, "--n", 4, "--gap", 0.001, "--journal", journal, "--palm", "0,0,0.1")
    result = run(*words)
    assert result.exit_code == 0, result.output
    reached = GripBounds.load(file).metadata.reached_gap
    assert reached is not None and reached > 0.001
    said = f"requested gap 0.1 %, reached {100 * reached:.3g} %"
    assert said in result.stderr and said in result.stdout
    assert "inner short of a half-space" in result.stdout and "at (0, 0, 0.1) m" in result.stdout
    left = sorted(path.name for path in tmp_path.glob("j.jsonl*"))
    assert f"j.jsonl.1 to j.jsonl.{len(left) - 1} beside it ({len(left)} files)" in result.stderr
    _, data = run_json("grip", "info", file)
    assert (data["metadata"]["wanted_gap"], data["metadata"]["reached_gap"], data["metadata"]["asked"]) == (
        0.001,
        reached,
        4,
    )


def test_an_empty_outer_set_gives_nothing(run: Run, run_json: RunJson, tmp_path: Path) -> None:
    OuterGrip([[1, 0, 0, 0, 0, 0], [-1, 0, 0, 0, 0, 0]], [-1, -1]).save(tmp_path / "empty.h5")
    shown = run("grip", "show", tmp_path / "empty.h5").stdout
    assert "nothing" in shown and "the outer set is empty" in shown and "no limit" not in shown
    _, data = run_json("grip", "show", tmp_path / "empty.h5")
    assert all(row["outer"] == [None, None] for row in data["extents"])


def test_changes_are_shown(run: Run, tmp_path: Path) -> None:
    Grip.box([-1] * 6, [1] * 6).scaled(0.5).mirrored().save(tmp_path / "half.h5")
    assert "scaled by 0.5, mirrored" in run("grip", "info", tmp_path / "half.h5").stdout


def test_the_palm_is_a_place_and_a_turn() -> None:
    assert _palm(None) is None
    pose = _palm("0.1,0,0.2,0,0,90")
    assert pose is not None
    np.testing.assert_allclose(pose.apply([1, 0, 0]), [0.1, 1.0, 0.2], atol=1e-12)
    still = _palm("1 2 3")
    assert still is not None and np.array_equal(still.rotation, np.eye(3))


def test_the_weight_of_links_makes_a_grip_one_of_its_orientation() -> None:
    contact = hf.Contact([0.1, 0, 0], np.eye(3), hf.models.suction(cap=80))
    fingers = hf.Assembly([contact], hf.JointRows(np.ones((1, 3)), [-1.0], [1.0]))
    scene = hf.scenes.Scene(assembly=fingers, link_gravity=np.array([[0, 0, 0.02]]), gravity=np.array([0, 0, -10.0]))
    heavy, down = _hand(scene, weightless=False)
    assert heavy is scene and down.tolist() == [0, 0, -10.0]
    light, down = _hand(scene, weightless=True)
    assert down is None and light.assembly.joints is not None
    np.testing.assert_allclose(light.assembly.joints.upper, 1.0 - 0.2)  # G(q) = 0.02 * -10 is gone from the bounds
    bare, down = _hand(hf.scenes.Scene(assembly=fingers), weightless=False)
    assert down is None and bare.assembly is fingers


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("info", "none.h5"), "none.h5: there is no such file"),
        (("learn", "{cups}", "-o", "a.txt"), "--output writes .h5"),
        (("learn", "{cups}", "-o", "a.h5", "--palm", "1,2"), "--palm: got 2 numbers"),
        (("learn", "{cups}", "-o", "a.h5", "--n", "0"), "n: is 0"),
        (("learn", "{cups}", "-o", "a.h5", "--gap", "-1"), "gap: is -1"),
        (("show", "{cups}"), "is a scene (use holdfast check"),
        (("show", "{box}", "--plot", "a.gif"), "--plot writes"),
    ],
)
def test_bad_input_is_reported(run: Run, cups: Path, bounds: Path, words: tuple[str, ...], message: str) -> None:
    result = run("grip", *(word.format(cups=cups, box=bounds) for word in words))
    assert result.exit_code == 2 and message in result.output
    assert isinstance(load_grip(bounds), GripBounds)

"""`holdfast share`: what is printed and written is the answer of the library, and forces in the CSV balance the load."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import Result

import holdfast as hf
from holdfast.sharing import SharingStatus, sequences

Run = Callable[..., Result]
RunJson = Callable[..., tuple[int, Any]]

GRAVITY = 9.80665

#: Two cups side by side; the mass hangs nearer to the second. Forces follow from statics alone.
TWO = """holdfast: 1
name: two cups
object: {mass: 1.0, com: [0.05, 0.0, 0.0]}
loads:
  lift: {force: [0, 0, -20], at: [0.0, 0.0, 0.0]}
volumes:
  cup: {model: suction, vacuum: 45.0, mu: 0.5}
contacts:
  - {name: left, position: [-0.1, 0.0, 0.0], normal: [0, 0, -1], shear: [1, 0, 0], volume: cup}
  - {name: right, position: [0.1, 0.0, 0.0], normal: [0, 0, -1], shear: [1, 0, 0], volume: cup}
"""

#: A force volume of plain pieces has no stiffness of its own.
BARE = """holdfast: 1
name: bare
object: {mass: 1.0}
volumes:
  pull: {pieces: [[[0, 0, -30], [10, 0, 0], [-10, 10, 0], [-10, -10, 0], [0, 0, 30]]]}
contacts:
  - {name: a, position: [-0.1, 0.0, 0.0], normal: [0, 0, -1], shear: [1, 0, 0], volume: pull}
  - {name: b, position: [0.1, 0.05, 0.0], normal: [0, 0, -1], shear: [1, 0, 0], volume: pull}
  - {name: c, position: [0.1, -0.05, 0.0], normal: [0, 0, -1], shear: [1, 0, 0], volume: pull}
"""


@pytest.fixture
def two(tmp_path: Path) -> Path:
    path = tmp_path / "two.yaml"
    path.write_text(TWO, encoding="utf-8")
    return path


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    path = tmp_path / "bare.yaml"
    path.write_text(BARE, encoding="utf-8")
    return path


def test_without_loads_the_weight_itself_grows(run_json: RunJson, two: Path) -> None:
    code, data = run_json("share", two)
    assert (code, data["command"], data["load"], data["verdict"]) == (0, "share", "weight", "holds")
    assert data["wrench"][2] == pytest.approx(-GRAVITY)
    assert not any(data["base"])
    # The lever: the right cup carries 3/4 of the weight and lets go at 45 N; the left one cannot hold alone.
    assert data["first_failure"] == pytest.approx(45.0 / (0.75 * GRAVITY))
    assert data["peak"] == pytest.approx(data["first_failure"])
    assert next(event["name"] for event in data["events"] if event["kind"] == "fails") == "right"
    assert data["proof_verified"] is True


def test_the_weight_comes_before_loads_that_are_given(run_json: RunJson, two: Path) -> None:
    code, data = run_json("share", two, "--load", "lift")
    assert (code, data["load"]) == (0, "lift")
    assert data["base"][2] == pytest.approx(-GRAVITY)
    # 3/4 of the weight and half of 20 N a unit of the factor.
    assert data["first_failure"] == pytest.approx((45.0 - 0.75 * GRAVITY) / 10.0)
    _, light = run_json("share", two, "--load", "lift", "--no-weight")
    assert not any(light["base"]) and light["first_failure"] == pytest.approx(4.5)


def test_the_exit_code_says_whether_the_load_is_held(run_json: RunJson, two: Path) -> None:
    assert run_json("share", two, "--wrench=0,0,-80,0,0,0")[0] == 0  # half of it on each cup
    code, data = run_json("share", two, "--wrench=0,0,-100,0,0,0")
    assert (code, data["verdict"]) == (1, "does not hold")
    assert data["peak"] == pytest.approx(0.9)
    code, data = run_json("share", two, "--wrench=0,0,-100,0,0,0", "--until", 0.5)
    assert (code, data["status"], data["peak"]) == (0, "holds as far as was asked", 0.5)


def test_bad_questions_are_refused(run: Run, two: Path, bare: Path, tmp_path: Path) -> None:
    for words, said in (
        (("share", bare), "stiffness: contact a has none (give a suspension in the scene file, or holdfast share --st"),
        (("share", two, "--load", "push"), "push"),
        (("share", two, "--stiffness", "1000"), "--stiffness: got 1 numbers"),
        (("share", two, "--stiffness=-1,5"), "stiffness is not negative"),
        (("share", two, "--preload", 500, "--stiffness", "0,0"), "stiffness: is zero everywhere"),
        (("share", two, "--at", 100), "--at: is 100, beyond the peak"),
        (("share", two, "--picture", "order"), "--picture: needs a picture file"),
        (("share", two, "--gravity", "0,0,0"), "load: is zero"),
        (("share", two, "--samples", 10), "the scene defines no scatter"),
        (("share", two, "--at=-1"), "--at: is -1 (give a factor from 0 to"),
        (("share", "@block_on_three_points", "--at", "inf"), "--at: is inf (give a finite factor)"),
        (("share", two, "--until", 0), "--until: is 0"),
        (("share", two, "--range", 0.5), "--range: is 0.5"),
        (("share", two, "--range", 2, "--samples", 0), "--samples: is 0"),
        (("share", "@block_on_three_points", "--sensitivity"), "--sensitivity: no contact fails first under the load"),
        (("share", two, "--csv", tmp_path / "no" / "x.csv"), "its folder does not exist"),
        (("share", two, "--csv", tmp_path / "x.png", "--plot", tmp_path / "x.png"), "write the same file"),
    ):
        result = run(*words)
        assert result.exit_code == 2, words
        assert said in result.stderr
        assert result.stdout == ""


def test_options_are_those_of_the_library(run_json: RunJson) -> None:
    scene = hf.scenes.load_scene("@suction_cup")
    _, data = run_json(
        "share",
        "@suction_cup",
        "--stiffness",
        "1000,200",
        "--preload",
        1.5,
        "--rule",
        "ductile",
        "--units",
        "pointwise",
    )
    expected = hf.load_sharing(
        scene.assembly, scene.gravity_load(), (1000.0, 200.0), 1.5, rule="ductile", units="pointwise"
    )
    assert data["peak"] == pytest.approx(expected.peak) and set(data["rules"]) == {"ductile"}
    assert data["first_failure"] == pytest.approx(expected.first_failure)
    assert data["peak"] == pytest.approx(data["load_limit"], rel=1e-6)  # ductile: the load limit is the collapse load


def test_stiffness_is_asked_for_where_the_scene_has_none(run_json: RunJson, bare: Path) -> None:
    code, data = run_json("share", bare, "--stiffness", "1000,500")
    assert code == 0
    # Three cups below one plate are statically determinate: a carries half of the weight.
    assert data["first_failure"] == pytest.approx(30.0 / (0.5 * GRAVITY), rel=1e-6)


@pytest.mark.parametrize("words", [("@suction_cup", "--load", "jerk"), ("@two_finger_gripper_pmd_pmd",)])
def test_the_forces_in_the_csv_balance_the_load_at_every_knot(run: Run, tmp_path: Path, words: tuple[str, ...]) -> None:
    path = tmp_path / "forces.csv"
    run("share", *words, "--csv", path)
    scene = hf.scenes.load_scene(words[0])
    named = {contact.name: contact for contact in scene.assembly.contacts}
    loads = len(words) > 1
    base = scene.gravity_load() if loads else np.zeros(6)
    load = scene.load("jerk") if loads else scene.gravity_load()
    sums: dict[tuple[str, str, str], np.ndarray] = {}
    with path.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            force = np.array([float(row[f"f_{axis}"]) for axis in "xyz"])
            local = np.array([float(row[f"local_{axis}"]) for axis in "xyz"])
            contact = named[row["contact"]]
            assert contact.rotation @ local == pytest.approx(force, abs=1e-9)
            wrench = np.concatenate([force, np.cross(contact.position, force)])
            key = (row["knot"], row["stage"], row["share"])
            sums[key] = sums.get(key, np.zeros(6)) + wrench
    assert len(sums) > 3
    for (_, stage, share), total in sums.items():
        before = {"preload": float(share), "base": float(share), "load": 1.0}[stage]
        factor = float(share) if stage == "load" else 0.0
        assert total + before * base + factor * load == pytest.approx(np.zeros(6), abs=1e-7)


def test_rows_of_the_csv_end_at_the_peak() -> None:
    scene = hf.scenes.load_scene("@block_on_three_points")
    result = hf.load_sharing(scene.assembly, scene.load("push"), base=scene.gravity_load())
    rows = result.rows()
    assert max(row["factor"] for row in rows) == pytest.approx(result.peak)
    assert {row["stage"] for row in rows} == {"base", "load"}
    assert len(rows) % 3 == 0


def test_the_sheet_has_verdict_bracket_events_and_share_of_the_limit(run: Run) -> None:
    said = run("share", "@suction_cup").stdout
    result = hf.load_sharing(*(lambda s: (s.assembly, s.gravity_load()))(hf.scenes.load_scene("@suction_cup")))
    assert f"verdict: holds; it collapses at {result.peak:.4g} times the load" in said
    assert result.bracket in said
    assert f"{100 * result.efficiency:.3g} % of the load limit is reached" in said
    assert "Events as the load grows" in said and "cup[0]" in said and "at once after that" in said
    assert "stiffness: normal 625 N/m, tangential 187.5 N/m, brittle, by the models of the volumes" in said
    assert said.rstrip().endswith("proof verified: yes")


def test_paths_without_an_end_and_before_the_load_are_told_in_words(run: Run, two: Path) -> None:
    said = run("share", "@block_on_three_points")
    assert said.exit_code == 0
    assert "verdict: holds, without a limit\nno failure and no limit\nnothing fails, slips or opens" in said.stdout
    said = run("share", "@block_on_three_points", "--load", "push", "--gravity", "0,0,-9.81", "--preload", 3)
    assert "<= peak" in said.stdout and "inf" not in said.stdout
    said = run("share", two, "--load", "lift", "--gravity", "0,0,-100")
    assert said.exit_code == 1
    assert "verdict: does not hold; it lets go under the base load, before the load grows" in said.stdout
    assert "inf" not in said.stdout


def test_a_path_that_was_not_followed_to_the_load_is_undecided(
    run: Run, monkeypatch: pytest.MonkeyPatch, two: Path
) -> None:
    whole = sequences.load_sharing

    def cut(*words: Any, **options: Any) -> hf.sharing.LoadSharing:
        return replace(whole(*words, **options), status=SharingStatus.UNDECIDED, peak=0.5)

    monkeypatch.setattr(sequences, "load_sharing", cut)
    said = run("share", two)
    assert said.exit_code == 3
    assert "verdict: undecided; the path could not be followed beyond 0.5 times the load" in said.stdout
    assert "proof verified: no" in said.stdout


def test_forces_at_a_factor_are_printed(run: Run, run_json: RunJson, two: Path) -> None:
    words = ("share", two, "--at", 2)
    _, data = run_json(*words)
    assert np.array(data["at"]["local_forces"])[:, 2] == pytest.approx([-0.5 * GRAVITY, -1.5 * GRAVITY])
    assert np.array(data["at"]["forces"])[:, 2] == pytest.approx([0.5 * GRAVITY, 1.5 * GRAVITY])
    said = run(*words).stdout
    assert "Forces on the object at 2" in said and "-14.71" in said and "the object moves by" in said


def test_samples_are_those_of_the_library(run: Run, run_json: RunJson, two: Path, tmp_path: Path) -> None:
    words = ("share", two, "--wrench=0,0,-85,0,0,0", "--scatter-strength", 0.2, "--samples", 200, "--seed", 7)
    _, data = run_json(*words)
    scene = hf.scenes.load_scene(two)
    scatter = hf.reliability.Scatter(strength=hf.reliability.Distribution("normal", 1.0, 0.2))
    load = np.array([0, 0, -85.0, 0, 0, 0])
    expected = hf.sharing.sharing_probability(scene.assembly, load, scatter, n=200, seed=7)
    assert data["probability"]["value"] == pytest.approx(expected.value)
    assert data["probability"]["n"] == 200 and 0.0 < expected.value < 1.0
    path = tmp_path / "samples.png"
    said = run(*words, "--plot", path, "--picture", "samples")
    assert "Probability of holding" in said.stdout and "95 % interval; seed 7" in said.stdout
    assert path.stat().st_size > 5_000


def test_stiffness_that_varies_needs_no_other_scatter(run_json: RunJson) -> None:
    _, data = run_json("share", "@suction_cup", "--stiffness-spread", 0.3, "--samples", 50)
    assert data["probability"]["stiffness_spread"] == 0.3 and data["probability"]["n"] == 50
    _, data = run_json("share", "@suction_cup", "--range", 3, "--samples", 40)
    assert "probability" not in data
    assert data["range"]["sampled"] is True and data["range"]["n"] == 40
    assert data["range"]["peak"]["worst"] <= data["peak"] + 1e-9 <= data["range"]["peak"]["best"] + 2e-9


def test_a_range_of_stiffness_says_that_it_was_sampled(run: Run) -> None:
    said = run("share", "@suction_cup", "--range", 2, "--samples", 20).stdout
    assert "Stiffness from 1/2 to 2 times the given one" in said
    assert "of 20 samples, seed 0: a worse case may exist" in said


def test_scatter_and_a_range_may_be_asked_together(run: Run, tmp_path: Path) -> None:
    picture = tmp_path / "samples.png"
    both = ("share", "@suction_cup", "--range", 2, "--samples", 20)
    said = run(*both, "--scatter-strength", 0.1, "--picture", "samples", "--plot", picture).stdout
    assert "of 20 samples, seed 0: a worse case may exist" in said
    assert picture.stat().st_size > 0


def test_what_would_help_is_true_when_it_is_tried(run: Run, run_json: RunJson) -> None:
    words = ("share", "@gecko_on_glass", "--load", "tug", "--sensitivity")
    _, data = run_json(*words)
    best = data["sensitivity"]["changes"][0]
    scene = hf.scenes.load_scene("@gecko_on_glass")
    pairs = np.array([(6000.0, 3000.0)] * 4)  # the default of the model
    unit = next(i for i, contact in enumerate(scene.assembly.contacts) if contact.name == best["unit"])
    pairs[unit, ("normal", "tangential").index(best["direction"])] *= best["factor"]
    again = hf.load_sharing(scene.assembly, scene.load("tug"), pairs, base=scene.gravity_load())
    assert again.peak == pytest.approx(best["peak"]) and again.peak > data["peak"]
    (said,) = data["what_would_help"]
    assert best["unit"] in said and f"raises the peak from {data['peak']:.4g} to {again.peak:.4g}" in said
    sheet = run(*words).stdout
    assert "Possible improvements" in sheet and said in sheet
    assert "Change of the first failure for 10 % more stiffness" in sheet
    assert np.shape(data["sensitivity"]["derivative"]) == (4, 3)


def test_no_stiffness_helps_where_statics_alone_decide(run_json: RunJson, two: Path) -> None:
    _, data = run_json("share", two, "--load", "lift")
    assert data["what_would_help"] in (
        [],
        ["No change of one unit's stiffness by 25 % that was tried raises the peak."],
    )
    _, data = run_json("share", "@block_on_three_points", "--load", "push")
    assert data["efficiency"] == pytest.approx(1.0) and data["what_would_help"] == []


@pytest.mark.parametrize("kind", ["forces", "order", "sensitivity"])
def test_pictures_are_written(run: Run, tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"{kind}.png"
    result = run("share", "@suction_cup", "--plot", path, "--picture", kind)
    assert result.exit_code == 0
    assert f"picture: {path}" in result.stderr
    assert path.read_bytes().startswith(b"\x89PNG")


def test_help_states_the_exit_codes(run: Run) -> None:
    said = run("share", "--help").stdout
    assert "0 the load is held" in said and "--stiffness" in said and "--range" in said

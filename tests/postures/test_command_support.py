from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import Result

from holdfast.geometry.polytopes import Polytope

Run = Callable[..., Result]
RunJson = Callable[..., tuple[int, Any]]

TRIPOD = "@tripod_on_flat_ground"


def test_a_tripod_on_flat_ground_may_lean_over_its_triangle(run_json: RunJson) -> None:
    code, data = run_json("support", TRIPOD)
    region = data["regions"]["exact"]
    assert (code, data["com_is"], region["kind"], region["proof_verified"]) == (0, "inside", "polygon", True)
    assert region["area"] == pytest.approx(0.18)
    corners = sorted(map(tuple, np.round(region["vertices"], 9).tolist()))
    assert corners == [(-0.2, -0.3), (-0.2, 0.3), (0.4, 0.0)]
    # Distance of (0.05, 0) from the line through (0.4, 0) and (-0.2, 0.3): normal (1, 2)/sqrt(5), offset 0.4/sqrt(5).
    assert region["signed_distance"] == pytest.approx(0.35 / np.sqrt(5.0))
    assert len(region["limit"]["hands"]) == 1  # the foot that lifts off


def test_tilted_gravity_is_given_as_a_vector_or_by_an_angle(run_json: RunJson) -> None:
    _, by_angle = run_json("support", TRIPOD, "--tilt", "10,90")
    angle = np.radians(10.0)
    assert np.allclose(by_angle["gravity"], 9.80665 * np.array([0.0, np.sin(angle), -np.cos(angle)]))
    text = ",".join(repr(x) for x in by_angle["gravity"])
    _, by_vector = run_json("support", TRIPOD, "--gravity", text)
    assert np.allclose(by_angle["regions"]["exact"]["vertices"], by_vector["regions"]["exact"]["vertices"])
    assert np.allclose(np.array(by_angle["axes"]) @ by_angle["gravity"], 0.0, atol=1e-12)


def test_a_load_beside_the_weight_moves_the_region_as_statics_says(run_json: RunJson, run: Run) -> None:
    _, plain = run_json("support", TRIPOD)
    code, pushed = run_json("support", TRIPOD, "--load", "push")
    # 25 N along x at a height of 0.5 m tip the tripod as its weight would, moved by their torque over the weight.
    shift = 25.0 * 0.5 / (plain["mass"] * 9.80665)
    triangle = np.array(plain["regions"]["exact"]["vertices"]) - [shift, 0.0]
    region = pushed["regions"]["exact"]
    # A foot that bears almost nothing gives no friction either, so corners of the moved triangle are cut off.
    assert Polytope(triangle).contains(np.array(region["vertices"])).all() and region["proof_verified"]
    assert 0.5 * 0.18 < region["area"] < 0.18
    assert min(x for x, _ in region["vertices"]) == pytest.approx(triangle[:, 0].min())
    assert code == 0 and pushed["loads"] == ["push"]
    assert "beside the weight: push" in run("support", TRIPOD, "--load", "push").output
    assert run("support", TRIPOD, "--load", "pusch").exit_code == 2


def test_the_centre_of_mass_outside_has_exit_code_1(run_json: RunJson, run: Run) -> None:
    code, data = run_json("support", "@climber_with_tired_hands")
    region = data["regions"]["exact"]
    assert (code, data["com_is"], region["contains_com"]) == (1, "outside", False)
    assert region["signed_distance"] < 0.0
    text = run("support", "@climber_with_tired_hands").stdout
    assert "m outside" in text
    assert "nearest border: towards" in text


def test_the_papers_sampling_lies_on_either_side_of_the_exact_region(run_json: RunJson) -> None:
    exact = run_json("support", "@quadruped_on_rock")[1]["regions"]["exact"]["area"]
    found = run_json("support", "@quadruped_on_rock", "--directions", "8")[1]["regions"]
    assert found["inner"]["area"] < exact < found["outer"]["area"]


def test_whole_planes_and_nothing_are_legal_answers(run_json: RunJson, run: Run, tmp_path: Path) -> None:
    code, data = run_json("support", "@braced_in_a_chimney")
    region = data["regions"]["exact"]
    assert (code, region["kind"], region["signed_distance"], region["limit"]) == (0, "plane", "inf", None)
    weak = tmp_path / "weak.yaml"
    weak.write_text(
        "holdfast: 1\nbody: {mass: 10}\ngrips: {g: {vertices: [[0, 0, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0]]}}\n"
        "hands: [{grip: g, position: [0, 0, 0]}, {grip: g, position: [1, 0, 0]}]\n",
        encoding="utf-8",
    )
    code, data = run_json("support", weak)
    assert (code, data["regions"]["exact"]["kind"], data["regions"]["exact"]["area"]) == (1, "empty", 0)
    assert "empty: it holds nowhere" in run("support", weak).stdout


def test_bounds_have_two_regions_and_a_place_between(run_json: RunJson, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "between.yaml"
    box = [[*row, b] for row, b in zip(np.vstack([np.eye(6), -np.eye(6)]).tolist(), [0, 0, 90] + [0] * 9, strict=True)]
    path.write_text(
        f"holdfast: 1\nbody: {{mass: 10, com: [0.1, 0, 0]}}\ngravity: [0, 0, -10]\n"
        f"grips: {{g: {{inner: [[0,0,0,0,0,0], [0,0,55,0,0,0]], outer: {box}}}}}\n"
        "hands: [{name: a, grip: g, position: [-0.5, 0, 0]}, {name: b, grip: g, position: [0.5, 0, 0]}]\n",
        encoding="utf-8",
    )
    code, data = run_json("support", path)
    # 100 N on two hands of at most 55 N (90 N): x from -0.05 to 0.05 (-0.4 to 0.4).
    assert (code, data["com_is"]) == (3, "between inner and outer")
    for side, reach in (("inner", 0.05), ("outer", 0.4)):
        region = data["regions"][side]
        assert region["kind"] == "segment"
        assert np.allclose(sorted(np.array(region["vertices"])[:, 0]), [-reach, reach])
    assert run_json("support", path, "--outer")[0] == 0
    picture = tmp_path / "region.svg"
    run("support", path, "--plot", picture)
    assert "<svg" in picture.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((TRIPOD, "--tilt", "ten"), "--tilt"),
        ((TRIPOD, "--gravity", "0,0,0"), "gravity"),
        ((TRIPOD, "--directions", "2"), "n: is 2"),
        ((TRIPOD, "--gravity", "1,0,0", "--tilt", "5,0"), "leads along gravity"),
        (("@tripod_on_flat_grund",), "did you mean"),
        ((TRIPOD, "--inner", "--outer"), "--outer: is given with --inner"),
        ((TRIPOD, "--plot", "none/a.png"), "its folder does not exist"),
        (("@braced_in_a_chimney", "--load", "push"), "there is no load 'push', nor any other"),
    ],
)
def test_bad_questions_have_exit_code_2(run: Run, words: tuple[str, ...], message: str) -> None:
    result = run("support", *words)
    assert result.exit_code == 2
    assert message in result.stderr

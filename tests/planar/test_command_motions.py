"""`holdfast motions`: statuses, sets by mode, changed loads, exit codes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import Result

from holdfast.planar.files_planar_reader import load_planar

Run = Callable[..., Result]
RunJson = Callable[..., tuple[int, Any]]


@pytest.mark.parametrize(
    ("words", "code", "status"),
    [
        (["@three_points"], 0, "unique"),
        (["@painleve_rod"], 1, "inconsistent"),
        (["@painleve_rod_turning"], 1, "finite"),
        (["@painleve_rod", "--mu", "1.3"], 0, "unique"),  # below 4/3
        (["@three_points", "--velocity", "0,-1,0"], 3, "impact"),
        (["@three_points", "--force=0,1,0"], 0, "unique"),
    ],
)
def test_the_exit_code_says_whether_one_motion_is_possible(run_json: RunJson, words, code, status):
    found, data = run_json("motions", *words)
    assert (found, data["status"]) == (code, status)


def test_json_holds_the_sets_of_accelerations_and_reactions(run_json: RunJson):
    _, data = run_json("motions", "@peg_wedged")
    scene = load_planar("@peg_wedged")
    answer = scene.motions()
    assert [mode["mode"] for mode in data["modes"]] == list(answer.modes)
    for mode in data["modes"]:
        piece = answer.modes[mode["mode"]]
        assert np.allclose(mode["accelerations"]["vertices"], piece.vertices)
        assert np.allclose(np.array(mode["forces"]["rays"]).reshape(-1, 4), piece.forces.rays)
        # Newton's law, from the numbers of the JSON alone.
        for force in mode["forces"]["vertices"]:
            pairs = np.array(force).reshape(-1, 2)
            total = scene.force[:2].copy()
            for contact, (ft, fn) in zip(scene.contacts, pairs, strict=True):
                total += ft * contact.tangent + fn * contact.normal
            assert np.allclose(total / scene.body.mass, mode["accelerations"]["vertices"][0][:2], atol=1e-9 * 1e3)


def test_an_impact_names_the_contacts_that_are_run_into(run_json: RunJson, run: Run):
    _, data = run_json("motions", "@three_points", "--velocity", "0,0,-1")
    assert data["impacts"] == ["right"] and data["modes"] == []
    assert "contacts that are run into: right" in run("motions", "@three_points", "--velocity", "0,0,-1").stdout


def test_tables_tell_modes_motions_and_letters(run: Run):
    result = run("motions", "@block_on_incline", "--mu", "0.4")
    along = 9.81 * (5.0 - 0.4 * 12.0) / 13.0
    assert result.exit_code == 0
    assert "block on an incline: unique" in result.stdout and "RR" in result.stdout
    assert f"{12 / 13 * along:.5g}" in result.stdout
    assert "R slides right" in result.stdout
    assert "e-1" not in result.stdout  # no rounding is shown as a number


def test_chains_are_asked_under_torques(run_json: RunJson, run: Run):
    code, data = run_json("motions", "@two_link_snake_ambiguous")
    assert code == 1 and {mode["mode"] for mode in data["modes"]} == {"FFF", "SFF", "LRL"}
    code, data = run_json("motions", "@two_link_snake_ambiguous", "--torque=-0.3")
    assert code == 0 and [mode["mode"] for mode in data["modes"]] == ["FFF"]
    assert run("motions", "@two_link_snake", "--torque", "1,2").exit_code == 2
    assert run("motions", "@two_link_snake", "--force", "1,2,3").exit_code == 2
    assert run("motions", "@ladder", "--torque", "1").exit_code == 2


def test_pictures_of_bodies_and_chains(run: Run, tmp_path: Path):
    for name in ("@painleve_rod_turning", "@two_link_snake"):
        path = tmp_path / f"{name[1:]}.png"
        run("motions", name, "--plot", path)
        assert path.stat().st_size > 5000


def test_a_body_that_touches_nothing_is_said_to_fall(run: Run, run_json: RunJson, tmp_path: Path):
    path = tmp_path / "falling.yaml"
    path.write_text(
        "holdfast: 1\nplanar: body\nmu: 0.5\nbody: {mass: 1, outline: [[0, 0.3], [1, 0.3], [1, 1], [0, 1]]}\n"
        "obstacles: [{ground: {extent: 3}}]\n",
        encoding="utf-8",
    )
    assert "touches nothing: it falls freely; the nearest obstacle is 0.3 m away" in run("motions", path).stdout
    assert run_json("motions", path)[1]["gap"] == pytest.approx(0.3)
    assert run_json("motions", "@three_points")[1]["gap"] is None

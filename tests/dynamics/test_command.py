"""`holdfast separate`, `motion` and `stability`: what is printed, written and drawn."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import Result

import holdfast as hf

Run = Callable[..., Result]
RunJson = Callable[..., tuple[int, Any]]

BLOCK = "@block_on_three_points"


def test_a_block_that_tips(run_json: RunJson) -> None:
    """60 N at x = 0.15 against 19.6 N at 0, about the foot at x = 0.1: I = 1/12 m (0.3^2 + 0.1^2) + m (0.1^2 + 0.05^2)."""
    code, data = run_json("separate", BLOCK, "--load", "edge")
    assert code == 1
    assert (data["status"], data["holds"], data["proof_verified"]) == ("separates", False, True)
    spin = (60 * 0.05 - 2 * 9.80665 * 0.1) / (2 / 12 * 0.1 + 2 * (0.1**2 + 0.05**2))
    assert np.allclose(data["angular_acceleration"], [0, spin, 0], atol=1e-6)
    assert np.allclose(data["acceleration_of_com"], [0.05 * spin, 0, 0.1 * spin], atol=1e-6)
    assert [c["state"] for c in data["contacts"]] == ["sticks", "separates", "separates"]
    assert data["contacts"][1]["normal_acceleration"] == pytest.approx(0.2 * spin)
    assert data["lower_bound"] <= data["value"] * (1 + 1e-9) and data["gap"] <= 1e-6
    assert data["inertia_source"] == "a box of uniform density" and data["inertia_assumed"] is False
    assert data["motion"] == "turns about +y through (0.1, 0, 0) m"
    assert "next" not in data


def test_it_holds_exactly_when_check_says_so(run_json: RunJson) -> None:
    for options in ([], ["--load", "push"], ["--load", "shove"], ["--gravity", "0,7,-7"], ["--wrench", "0,0,-5,0,0,0"]):
        code, data = run_json("separate", BLOCK, *options)
        expected, checked = run_json("check", BLOCK, *options)
        assert (code, data["holds"], data["load"]) == (expected, checked["holds"], checked["load"])
        assert data["wrench"] == checked["wrench"]


def test_the_words_name_which_way_and_which_contacts(run: Run) -> None:
    result = run("separate", BLOCK, "--load", "edge")
    assert result.exit_code == 1
    for words in (
        "verdict: does not hold, separates",
        "turns about +y through (0.1, 0, 0) m",
        'Contacts "left" and "right" separate',
        "a box of uniform density",
        "gap",
        "proof verified: yes",
    ):
        assert words in result.stdout
    held = run("separate", BLOCK)
    assert held.exit_code == 0 and "It holds: nothing accelerates." in held.stdout


def test_the_next_stills_are_the_library_s(run: Run, run_json: RunJson) -> None:
    from holdfast.dynamics import mass_matrix
    from holdfast.dynamics.release import simulate_release

    options = ["separate", BLOCK, "--load", "edge", "--frames", 4, "--step", 5, "--touch", "foot"]
    _, data = run_json(*options)
    scene = hf.scenes.load_scene(BLOCK)
    body = mass_matrix(2.0, data["inertia"], scene.com)
    stills: dict[str, Any] = {"frames": 4, "step": 0.005, "touch": "foot", "principle": "least acceleration"}
    motion = simulate_release(scene.assembly, scene.gravity_load() + scene.load("edge"), body, **stills)
    assert data["next"]["principle"] == "least acceleration"
    shown = data["next"]
    assert (shown["end"], shown["step"], shown["illustrative"]) == ("still moves", 0.005, True)
    assert [frame["lost"] for frame in shown["frames"]] == [[], ["left", "right"], [], []]
    assert np.allclose(shown["frames"][-1]["com"], motion.frames[-1].com, atol=1e-12)
    assert shown["frames"][1]["states"] == ["sticks", None, None]
    words = run(*options).stdout
    assert "(illustrative), steps of at most 5 mm" in words and "It still moves after 3 steps" in words


def test_inertia_can_be_given_and_a_stand_in_is_named(run_json: RunJson, run: Run, hooks: Path) -> None:
    assert run_json("separate", BLOCK, "--inertia", "0.1")[1]["inertia"] == (0.1 * np.eye(3)).tolist()
    _, data = run_json("separate", BLOCK, "--inertia", "2,2,3,0.1,0.2,0.3")
    assert data["inertia"] == [[2, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 3]] and data["inertia_source"] == "given"
    _, data = run_json("separate", hooks)
    assert data["inertia_assumed"] is True
    assert "assumed: a solid ball" in run("separate", hooks).stdout
    for bad in ("1,2", "-1", "1,1,1,5,0,0", "1,1,3"):
        result = run("separate", BLOCK, f"--inertia={bad}")
        assert result.exit_code == 2 and "--inertia" in result.stderr


def test_a_hook_that_still_pulls_is_reported(run_json: RunJson, hooks: Path) -> None:
    code, data = run_json("separate", hooks, "--wrench=0,0,-60,0,0,0")
    assert code == 1
    assert [c["pulls_while_separating"] for c in data["contacts"]] == [True] * 4
    assert all(c["local_force"][2] < 0.0 < c["normal_acceleration"] for c in data["contacts"])
    assert any("still pull while they separate" in sentence for sentence in data["sentences"])


def test_an_answer_cut_short_is_undecided(run: Run, run_json: RunJson, hooks: Path, between: str) -> None:
    code, data = run_json("separate", hooks, between)
    assert code == 1 and data["gap"] <= 1e-6 and data["effort"]["nodes"] > 1
    code, data = run_json("separate", hooks, between, "--node-limit", 1)
    assert code == 3
    assert (data["status"], data["holds"], data["proof_verified"]) == ("undecided", False, False)
    assert data["contacts"] == [] and data["acceleration"] is None and data["value"] == "inf"
    result = run("separate", hooks, between, "--node-limit", 1, "--frames", 3)
    assert result.exit_code == 3 and "What it does is unknown" in result.stdout


def test_joint_rows_are_shown(run_json: RunJson, run: Run) -> None:
    code, data = run_json("separate", "@two_finger_gripper_md_md", "--load", "across the fingers")
    assert code == 1 and len(data["joints"]) == 6
    for row in data["joints"]:
        assert row["lower"] - 1e-9 <= row["value"] <= row["upper"] + 1e-9
    assert "Joint rows" in run("separate", "@two_finger_gripper_md_md", "--load", "across the fingers").stdout


def test_pictures_are_written(run: Run, tmp_path: Path) -> None:
    for name, options in (("one.png", []), ("strip.svg", ["--frames", 3])):
        result = run("separate", BLOCK, "--load", "edge", "--plot", tmp_path / name, *options)
        assert result.exit_code == 1 and (tmp_path / name).stat().st_size > 1000
        assert name in result.stderr


def test_bad_questions_are_refused(run: Run, tmp_path: Path) -> None:
    scene = tmp_path / "bare.yaml"
    scene.write_text(
        "holdfast: 1\nvolumes: {v: {model: coulomb}}\ncontacts: [{position: [0, 0, 0], normal: [0, 0, 1], volume: v}]\n",
        encoding="utf-8",
    )
    for words, fault in (
        (["separate", scene, "--wrench=0,0,-1,0,0,0"], "mass"),
        (["separate", BLOCK, "--step", "3"], "--step"),
        (["separate", BLOCK, "--frames", "-3"], "--frames"),
        (["separate", BLOCK, "--load", "edge", "--frames", "3", "--touch", "ball"], "not round"),
    ):
        result = run(*words)
        assert result.exit_code == 2 and fault in result.stderr


# -- motion and stability

SLOPE, STEEP, PEG, NAIL, BALL = (
    f"@{name}"
    for name in ("block_on_slope", "block_on_steep_slope", "jammed_peg", "nail_between_walls", "ball_in_groove")
)


def down(degrees: float) -> np.ndarray:
    """(3,) the direction down the slope of the ready scenes."""
    return np.array([np.cos(np.radians(degrees)), 0.0, -np.sin(np.radians(degrees))])


def test_a_block_slides_along_its_slope_by_coulomb_s_law(run: Run, run_json: RunJson) -> None:
    """g (sin 40 - 0.5 cos 40) down the slope, and not off it as by least acceleration."""
    code, data = run_json("motion", STEEP)
    assert code == 1 and (data["status"], data["proof_verified"]) == ("moves", True)
    slope = np.radians(40.0)
    wanted = 9.80665 * (np.sin(slope) - 0.5 * np.cos(slope))
    assert np.allclose(data["acceleration_of_com"], wanted * down(40.0), atol=1e-6)
    assert [contact["state"] for contact in data["contacts"]] == ["slips"] * 4
    lifted = run_json("separate", STEEP)[1]["acceleration_of_com"]
    assert np.linalg.norm(np.cross(lifted, down(40.0))) > 0.1
    words = run("motion", STEEP).stdout
    for text in ("verdict: moves", "2.55 m/s^2", "lower left", "slips", "proof verified: yes"):
        assert text in words


def test_motion_rests_exactly_where_check_holds(run_json: RunJson) -> None:
    for scene, options in (
        (SLOPE, []),
        (SLOPE, ["--load", "shove"]),
        (BALL, ["--load", "roll"]),
        (BALL, []),
        (PEG, []),
    ):
        code, data = run_json("motion", scene, *options)
        expected, checked = run_json("check", scene, *options)
        assert (code, data["holds"], data["load"]) == (expected, checked["holds"], checked["load"])
        assert data["proof_verified"] is True


def test_a_ball_rolls_along_its_groove_as_its_inertia_says(run_json: RunJson) -> None:
    """Rolling about the line through both contacts, r / sqrt 2 below its middle: a = F / (m + 2 I / r^2)."""
    force, mass, radius = 1.0, 0.5, 0.05
    for options, inertia in (([], 0.4 * mass * radius**2), (["--inertia", "0.0008"], 0.0008)):
        _, data = run_json("motion", BALL, "--load", "roll", *options)
        assert [contact["state"] for contact in data["contacts"]] == ["sticks"] * 2
        assert np.allclose(data["acceleration_of_com"], [0, force / (mass + 2 * inertia / radius**2), 0], atol=1e-6)


def test_a_velocity_is_that_of_the_centre_of_mass(run_json: RunJson, run: Run) -> None:
    """On the 20 degree slope a sliding block is slowed down: g (sin 20 - 0.5 cos 20) < 0 along its velocity."""
    slope = np.radians(20.0)
    speed = ",".join(f"{v:.9f}" for v in 0.3 * down(20.0))
    code, data = run_json("motion", SLOPE, f"--velocity={speed}")
    assert code == 1 and data["proof_verified"] is True
    assert np.allclose(
        data["acceleration_of_com"], 9.80665 * (np.sin(slope) - 0.5 * np.cos(slope)) * down(20.0), atol=1e-6
    )
    _, spun = run_json("motion", SLOPE, f"--velocity={speed},0.1,0.2,0.3")
    com, turning = np.array(spun["com"]), np.array([0.1, 0.2, 0.3])
    assert np.allclose(np.array(spun["velocity"][:3]) + np.cross(turning, com), 0.3 * down(20.0), atol=1e-8)
    result = run("motion", SLOPE, "--velocity=0,0,-1")
    assert result.exit_code == 3 and "verdict: impact" in result.stdout


def test_stability_says_whether_rest_is_the_only_motion(run_json: RunJson) -> None:
    for scene, options, wanted, expected in (
        (SLOPE, [], "stays", 0),
        (SLOPE, ["--load", "push"], "stays", 0),
        (SLOPE, ["--load", "shove"], "moves", 1),
        (STEEP, [], "moves", 1),
        (PEG, [], "may stay", 1),
        (PEG, ["--load", "press"], "may stay", 1),
        (NAIL, [], "may stay", 1),
        (BALL, [], "stays", 0),
        (BALL, ["--load", "push"], "stays", 0),
        (BALL, ["--load", "roll"], "moves", 1),
    ):
        code, data = run_json("stability", scene, *options)
        assert (code, data["status"], data["proof_verified"]) == (expected, wanted, True)
        assert (data["other_motion"] is None) is (wanted == "stays") is (data["certificate"] is not None)


def test_the_other_motion_of_a_jammed_peg_is_free_fall(run_json: RunJson, run: Run) -> None:
    for scene in (PEG, NAIL):
        data = run_json("stability", scene)[1]
        assert np.allclose(data["acceleration_of_com"], [0, 0, -9.80665], atol=1e-6)
        assert np.allclose([contact["force"] for contact in data["other_motion"]["contacts"]], 0.0, atol=1e-9)
    words = run("stability", PEG).stdout
    for text in ("verdict: may stay", "the other motion", "rim front", "slips", "proof verified: yes"):
        assert text in words
    assert "cases of contact modes, none with a motion" in run("stability", SLOPE).stdout


def test_stills_of_a_motion_follow_coulomb_s_law(run_json: RunJson) -> None:
    _, data = run_json("motion", STEEP, "--frames", 3, "--step", 5, "--touch", "foot")
    shown = data["next"]
    assert shown["principle"] == "Coulomb's law" and len(shown["frames"]) == 3
    moved = np.array(shown["frames"][-1]["com"]) - shown["frames"][0]["com"]
    assert np.allclose(moved, 0.010 * down(40.0), atol=1e-8)
    assert run_json("separate", STEEP, "--frames", 3)[1]["next"]["principle"] == "least acceleration"


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["motion", "@gecko_on_glass"], "separat"),
        (["stability", "@gecko_on_glass"], "separat"),
        (["motion", SLOPE, "--velocity=1,2"], "--velocity"),
        (["motion", SLOPE, "--velocity=1,0,0", "--frames", "3"], "leave out --velocity"),
        (["motion", SLOPE, "--step", "3"], "--step"),
        (["motion", SLOPE, "--inertia=1,1,3"], "--inertia"),
        (["stability", SLOPE, "--inertia=-1"], "--inertia"),
        (["stability", "@microspine_pull"], "separat"),
    ],
)
def test_bad_questions_of_motion_are_refused(run: Run, words: list[str], fault: str) -> None:
    result = run(*words)
    assert result.exit_code == 2 and fault in result.stderr


def test_a_search_for_other_motions_cut_short_is_undecided(run: Run, run_json: RunJson) -> None:
    code, data = run_json("stability", SLOPE, "--node-limit", 1)
    assert code == 3 and (data["status"], data["proof_verified"]) == ("undecided", False)
    assert "verdict: undecided" in run("stability", SLOPE, "--node-limit", 1).stdout
    assert run("motion", SLOPE, "--time-limit", "-1").exit_code == 2


def test_pictures_of_motions_are_written(run: Run, tmp_path: Path) -> None:
    for name, words in (
        ("motion.png", ["motion", STEEP]),
        ("strip.svg", ["motion", STEEP, "--frames", 3]),
        ("other.png", ["stability", PEG]),
        ("stays.png", ["stability", BALL]),
    ):
        run(*words, "--plot", tmp_path / name)
        assert (tmp_path / name).stat().st_size > 1000


# -- all motions


def test_all_motions_of_a_scene_in_space(run: Run, run_json: RunJson) -> None:
    """A ball in a groove only rests, a block on a steep slope only slides, a nail rests or falls however it is squeezed."""
    code, data = run_json("motions", BALL)
    assert (code, data["status"], data["rests"], len(data["pieces"])) == (0, "unique", True, 1)
    code, data = run_json("motions", STEEP)
    assert (code, data["status"], data["rests"], data["proof_verified"]) == (0, "unique", False, True)
    assert np.linalg.norm(data["pieces"][0]["motion"]["acceleration"][:3]) == pytest.approx(2.5474, abs=1e-4)
    code, data = run_json("motions", NAIL)
    assert (code, data["status"], data["rests"], data["proof_verified"]) == (1, "continuum", True, True)
    falls = [piece for piece in data["pieces"] if piece["modes"] == ["slips"] * 4]
    (sliding,) = falls
    assert sliding["is_point"] is False
    assert sliding["lower"][2] == pytest.approx(-9.80665, abs=1e-5) and sliding["upper"][2] >= -1e-5
    words = run("motions", NAIL).stdout
    for text in ("verdict: continuum", "at rest", "a continuum of motions is possible", "at least", "slips"):
        assert text in words


def test_motions_in_the_plane_and_in_space_have_their_own_options(run: Run, tmp_path: Path) -> None:
    for words, fault in (
        (["motions", PEG, "--mu", "0.3"], "--mu: is for planar scenes"),
        (["motions", PEG, "--force", "1,2,3"], "--force: is for planar scenes"),
        (["motions", "@ladder", "--inertia", "1"], "--inertia: is for scenes in space"),
        (["motions", "@ladder", "--no-weight"], "--no-weight: is for scenes in space"),
        (["motions", "@gecko_on_glass"], "hf.separation"),
    ):
        result = run(*words)
        assert result.exit_code == 2 and fault in result.stderr
    result = run("motions", BALL, "--velocity=0,0,-1")
    assert result.exit_code == 3 and "verdict: impact" in result.stdout
    run("motions", PEG, "--plot", tmp_path / "motions.png")
    assert (tmp_path / "motions.png").stat().st_size > 1000

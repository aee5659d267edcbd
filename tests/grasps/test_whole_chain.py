"""From a picture to ranked grasps: what must hold whatever the picture looks like, and what bad pictures are told."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from holdfast.errors import HoldfastError
from holdfast.grasps.parts import example_part, part_names
from holdfast.grasps.planning import plan
from holdfast.grasps.ranking import grasp_schema

SCALE = 0.5
#: How far the best quality may move when only the picture changes.
MOVES = 0.05
CHANGES = {
    "turned by 37 deg": lambda part: (part.turned(np.radians(37.0)).picture(SCALE), SCALE),
    "mirrored": lambda part: (part.mirrored().picture(SCALE), SCALE),
    "resolution doubled": lambda part: (part.picture(SCALE / 2.0), SCALE / 2.0),
    "noisy": lambda part: (part.picture(SCALE, noise=0.06, seed=11), SCALE),
    "brightness inverted": lambda part: (part.picture(SCALE, inverted=True), SCALE),
    "given as a contour": lambda part: (part, 1.0),
}


@pytest.fixture
def run():
    """Run `holdfast ...` in this process; what it returned."""
    from typer.testing import CliRunner

    from holdfast.cli import app

    return lambda *words: CliRunner().invoke(app, [str(word) for word in words])


@cache
def ranking(name):
    return plan(example_part(name).picture(SCALE), mm_per_px=SCALE)


def force_closed(contacts, normals, mu):
    """Whether the edges of all friction cones span every wrench positively, by a linear program of HiGHS."""
    from scipy.optimize import linprog

    tangents = np.stack([-normals[:, 1], normals[:, 0]], axis=1)
    centre = contacts.mean(axis=0)
    length = np.linalg.norm(contacts - centre, axis=1).max()
    columns = []
    for sign in (-1.0, 1.0):
        forces = normals + sign * mu * tangents
        arms = (contacts - centre) / length
        columns += [np.append(f, arm[0] * f[1] - arm[1] * f[0]) for f, arm in zip(forces, arms, strict=True)]
    edges = np.array(columns).T  # (3, 6)
    if np.linalg.matrix_rank(edges) < 3:
        return False
    # Largest t with edges @ x = 0, sum x = 1, x >= t: all weights positive means zero is inside the hull.
    count = edges.shape[1]
    equal = np.block([[edges, np.zeros((3, 1))], [np.ones((1, count)), np.zeros((1, 1))]])
    found = linprog(
        np.append(np.zeros(count), -1.0), A_eq=equal, b_eq=[0.0, 0.0, 0.0, 1.0],
        A_ub=np.hstack([-np.eye(count), np.ones((count, 1))]), b_ub=np.zeros(count),
        bounds=[(0.0, None)] * count + [(None, None)],
    )  # fmt: skip
    return bool(found.status == 0 and found.x[-1] > 1e-9)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", part_names())
def test_the_best_quality_stays_when_only_the_picture_changes(name, change):
    best = ranking(name).best.Q
    source, scale = CHANGES[change](example_part(name))
    found = plan(source, mm_per_px=scale).best
    assert pytest.approx(best, rel=MOVES) == found.Q


@pytest.mark.parametrize("name", part_names())
def test_contacts_lie_within_a_millimetre_of_the_true_contour_and_normals_point_inwards(name):
    from holdfast.grasps.contours import contains

    part, found = example_part(name), ranking(name)
    contacts = found.scored.candidates.contacts
    assert part.distance(contacts).max() < 1.0
    inside = (contacts + 2.0 * found.scored.candidates.normals).reshape(-1, 2)
    assert contains(part.outer, inside).all()


@pytest.mark.parametrize("name", ["casting", "bracket", "rectangle", "gear"])
def test_every_grasp_is_force_closed_by_an_independent_linear_program(name):
    found = ranking(name)
    mu = found.scored.params.mu
    shown = found.grasps[:: max(1, len(found) // 60)]
    assert all(force_closed(grasp.contacts_mm, grasp.inward_normals, mu) for grasp in shown)


def test_the_linear_program_refuses_what_is_not_force_closed():
    contacts = np.array([[0.0, -1.0], [-0.5, 1.0], [0.5, 1.0]])
    normals = np.array([[0.0, 1.0], [0.0, -1.0], [0.0, -1.0]])
    assert force_closed(contacts, normals, 0.4)
    assert not force_closed(contacts, normals, 0.0)
    assert not force_closed(contacts, normals * [[1.0, -1.0]] * np.array([[1.0], [-1.0], [-1.0]]), 0.4)


def test_a_disc_is_grasped_about_its_centre_by_a_nearly_equilateral_triangle():
    best = ranking("disc").best
    assert best.kind == "three_finger"
    sides = np.linalg.norm(best.contacts_mm - np.roll(best.contacts_mm, 1, axis=0), axis=1)
    assert np.ptp(sides) < 0.1 * sides.mean()
    assert np.linalg.norm(best.grasp_focus_mm) < 2.0
    assert best.criteria["S2"] == pytest.approx(np.pi / (3.0 * np.sqrt(3.0)), rel=0.03)  # 0.6046


def test_a_rectangle_is_grasped_across_by_two_fingers_and_the_thumb_in_its_middle():
    best = ranking("rectangle").best
    assert best.kind == "virtual_two_finger"
    np.testing.assert_allclose(best.grasp_focus_mm, 0.0, atol=0.5)
    np.testing.assert_allclose(np.abs(best.contacts_mm[:, 1]), 20.0, atol=0.3)
    np.testing.assert_allclose(np.abs(best.contacts_mm[1:, 0]), 25.0, atol=0.5)


def test_what_is_exchanged_satisfies_the_published_schema_and_scores_the_same_again():
    from holdfast.grasps.criteria import evaluate

    found = plan(example_part("bracket").picture(SCALE), mm_per_px=SCALE, reachability=True)
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert [fault.message for fault in jsonschema.Draft202012Validator(grasp_schema()).iter_errors(data)] == []
    for grasp in data["grasps"][:5]:
        again = evaluate(**grasp, **data["object"], **data["params"])
        assert again["Q"] == pytest.approx(grasp["Q"], rel=1e-9)
        assert grasp["reachability"]["ok"]


def test_a_concave_part_loses_the_grasps_that_fingers_cannot_get_to():
    picture = example_part("spanner").picture(SCALE)
    free, checked = (plan(picture, mm_per_px=SCALE, reachability=asked) for asked in (False, True))
    assert len(checked) < len(free)
    blocked = [grasp for grasp in checked.excluded if grasp.valid and not checked.scored.outward[grasp.index]]
    assert len(blocked) == len(free) - len(checked)
    assert all(grasp.reason for grasp in blocked)
    # Between the jaws no finger of the Barrett hand, 15 mm wide, gets along a ray that crosses a jaw.
    between = [
        g for g in checked.grasps if (np.abs(g.contacts_mm[:, 1]) < 10.9).any() and g.contacts_mm[:, 0].max() > 57
    ]
    assert not [g for g in between if ((g.contacts_mm[:, 0] > 62) & (np.abs(g.contacts_mm[:, 1]) < 11.5)).any()]


def square(size, at=0):
    picture = np.full((120, 120), 0.9)
    picture[40 + at : 40 + at + size, 40 : 40 + size] = 0.1
    return picture


def write_image(path, picture):
    from PIL import Image

    Image.fromarray((255.0 * picture).astype(np.uint8)).save(path)
    return path


BAD_PICTURES = {
    "no object": (np.full((120, 120), 0.5), 1.0, "no object"),
    "object touching the border": (np.pad(np.zeros((40, 60)), ((0, 40), (30, 30)), constant_values=1.0), 1.0, "border"),
    "object smaller than a fingertip": (square(5), 1.0, "fingertip"),
    "scale of zero": (square(40), 0.0, "mm_per_px"),
    "scale below zero": (square(40), -0.5, "mm_per_px"),
    "scale that makes a part of a kilometre": (square(40), 5000.0, "mm_per_px"),
}


@pytest.mark.parametrize("name", BAD_PICTURES)
def test_bad_pictures_raise_an_error_that_says_what_is_wrong(name):
    picture, scale, word = BAD_PICTURES[name]
    with pytest.raises(HoldfastError, match=word) as caught:
        plan(picture, mm_per_px=scale)
    assert caught.value.fix


@pytest.mark.parametrize("name", BAD_PICTURES)
def test_bad_pictures_end_the_command_with_code_2_and_one_line(name, run, tmp_path):
    picture, scale, word = BAD_PICTURES[name]
    result = run("grasps", write_image(tmp_path / "part.png", picture), "--mm-per-px", scale)
    assert result.exit_code == 2
    assert "Traceback" not in result.output
    assert word in result.stderr
    assert result.stderr.startswith("error: ")
    assert isinstance(result.exception, SystemExit)


def test_files_that_are_no_pictures_end_with_code_2(run, tmp_path):
    picture = example_part("disc").picture(SCALE)
    whole = write_image(tmp_path / "whole.png", picture).read_bytes()
    cases = {"truncated.png": whole[: len(whole) // 2], "empty.png": b"", "words.jpg": b"this is no picture",
             "crossed.csv": b"0,0\n60,60\n60,0\n0,60\n", "letters.csv": b"x,y\na,b\nc,d\n", "one.csv": b"1,2\n"}  # fmt: skip
    for name, content in cases.items():
        path = tmp_path / name
        path.write_bytes(content)
        result = run("grasps", path, *(() if name.endswith(".csv") else ("--mm-per-px", SCALE)))
        assert (result.exit_code, "Traceback" in result.output) == (2, False), (name, result.output)
        assert name in result.stderr, name
        with pytest.raises(HoldfastError, match=name):
            plan(path, mm_per_px=SCALE)
    for missing in (tmp_path / "nowhere.png", tmp_path):
        assert run("grasps", missing).exit_code == 2


@pytest.mark.parametrize(
    ("scale", "words"),
    [(3.0, ["--hand", "parallel_jaw"]), (8.0, [])],
)
def test_a_hand_that_cannot_reach_gives_an_empty_ranking_with_the_reason(scale, words, run, tmp_path):
    part = example_part("hexagon").picture(1.0)
    hand = words[1] if words else "barrett"
    found = plan(part, hand, scale)
    assert len(found) == 0
    assert found.best is None
    assert found.reason
    result = run("grasps", write_image(tmp_path / "large.png", part), "--mm-per-px", scale, *words)
    assert result.exit_code == 1
    assert "no grasp" in result.stdout
    coded = run("grasps", tmp_path / "large.png", "--mm-per-px", scale, *words, "--json")
    assert coded.exit_code == 1
    assert json.loads(coded.stdout)["reason"] == found.reason


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--part", "brocket"], "did you mean 'bracket'"),
        (["--part", "disc", "--hand", "barret"], "did you mean 'barrett'"),
        (["--part", "disc", "--mu", "-1"], "mu"),
        (["--part", "disc", "--weight-w", "0"], "W"),
        (["--part", "disc", "--weights", "S9=1"], "S9"),
        (["--part", "disc", "--weights", "S2"], "--weights"),
        (["--part", "disc", "--weights", "=2"], "--weights"),
        (["--part", "disc", "--weights", "S2=2", "--rank", "paper"], "--weights"),
        (["--part", "disc", "--pick", "1"], "--pick"),
        (["--part", "disc", "--pick", "500,500"], "pick"),
        (["--part", "disc", "--index", "3"], "index"),
        (["--part", "disc", "--best", "0"], "--best"),
        (["--part", "hexagon", "--plot", "x.bmp"], "--plot"),
        (["--part", "hexagon", "--reachable", "--no-reachability"], "--no-reachability"),
        ([], "PICTURE"),
        (["x.png", "--part", "disc"], "PICTURE"),
    ],
)
def test_bad_options_end_with_code_2_and_what_would_be_right(run, words, message):
    result = run("grasps", *words)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.output


def test_several_objects_are_chosen_by_index_or_by_a_point():
    large, small = example_part("hexagon"), example_part("hexagon").scaled(0.6)
    left = large.picture(1.0, margin=20.0)
    right = small.picture(1.0, margin=20.0)
    height = max(left.shape[0], right.shape[0])
    picture = np.hstack([
        np.pad(p, ((0, height - p.shape[0]), (0, 0)), constant_values=p[0, 0]) for p in (left, right)
    ])  # fmt: skip
    first, second = (plan(picture, mm_per_px=1.0, index=k).contour.area for k in (0, 1))
    assert first == pytest.approx(large.area, rel=0.01)
    assert second == pytest.approx(small.area, rel=0.01)
    column = left.shape[1] + (right.shape[1] - 1) / 2.0
    point = (column - 0.5 * (picture.shape[1] - 1), 0.5 * (height - 1) - (right.shape[0] - 1) / 2.0)
    assert plan(picture, mm_per_px=1.0, pick=point).contour.area == pytest.approx(small.area, rel=0.01)


def test_a_real_process_tells_a_bad_picture_without_a_trace(tmp_path: Path):
    path = tmp_path / "words.png"
    path.write_text("no picture", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", "from holdfast.cli import main; main()", "grasps", str(path)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr

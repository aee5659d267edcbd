"""Every example runs to its end, draws a picture, and what it prints is so; the gallery shows them all."""

from __future__ import annotations

import re
import runpy
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "examples"
EXAMPLES = sorted(FOLDER.glob("*.py"))
GALLERY = ROOT / "docs" / "pictures" / "gallery"

#: Examples about robots from a URDF.
WITH_ROBOTS = ("10", "13", "17", "18")

#: Examples with other programs, and the modules these are.
WITH_OTHERS = {"18": "warp", "19": "mujoco", "20": "pydrake"}

#: Bytes of a picture in the gallery, and lines of an example but for numbers 13 and 17, which are whole climbs.
LARGEST_PICTURE, MOST_LINES = 120_000, 66


def figure(pattern: str, text: str) -> float:
    """The number that `pattern` finds in what was printed."""
    found = re.search(pattern, text)
    assert found is not None, f"{pattern!r} is not in:\n{text}"
    return float(found[1])


def first_verdict(said: str) -> bool:
    # The pair bears more than 3 N and less than the 20 N that its pads shear with; one alone bears nothing.
    most = figure(r"load limit ([\d.]+) N", said)
    return "3 N: holds, proof verified" in said and "50 N: does not hold" in said and 3 < most < 20 and "0.00 N" in said


def from_measurements(said: str) -> bool:
    return abs(figure(r"([\d.]+) N along x", said) - 50) < 5 and figure(r"a convex model ([\d.]+) N", said) > 1


def own_contact_model(said: str) -> bool:
    return "along: 25.0 N of 25.0 N" in said and abs(figure(r"pulled along: ([\d.]+)", said) - 50) < 0.1


def what_limits_the_load(said: str) -> bool:
    at_most = figure(r"at most ([\d.]+) N; proof verified: True", said)
    return abs(figure(r"load limit ([\d.]+)", said) - at_most) < 0.011 and "left D[0]" in said


def wrench_space(said: str) -> bool:
    sides = re.search(r"fx: -([\d.]+) \.\. ([\d.]+)", said)
    return sides is not None and sides[1] == sides[2] and "proofs verified" in said  # the two units are mirror images


def slip_onset(said: str) -> bool:
    return abs(figure(r"slips at ([\d.]+) degrees; proof verified: True", said) - 10.39) < 0.02


def when_it_lets_go(said: str) -> bool:
    # About the edge: alpha = m g x / (I + m (x^2 + z^2)), with I = m (0.2^2 + 0.08^2) / 12.
    alpha = 9.80665 * 0.03 / ((0.2**2 + 0.08**2) / 12 + 0.03**2 + 0.04**2)
    return abs(figure(r"turns with ([\d.]+) rad", said) - alpha) < 0.06 and "falls free" in said


def how_reliable(said: str) -> bool:
    low, high = figure(r"between ([\d.]+)%", said), figure(r"and ([\d.]+)% with", said)
    return low < figure(r"weight: ([\d.]+)% hold", said) < high < low + 5


def learned_grip(said: str) -> bool:
    # The three cups bear 50 N each, 150 N together, were they loaded evenly; the origin is not their middle.
    return figure(r"themselves: ([\d.]+)", said) < 150 and "150 N off the surface: does not hold" in said


def where_it_may_lean(said: str) -> bool:
    return figure(r"polygon of ([\d.]+)", said) > figure(r"0.6: ([\d.]+) m", said) > 0.3


def robot_that_leans(said: str) -> bool:
    # Feet at x = +-0.4 m: leaning forwards and backwards adds up to the distance between them, as long as motors do.
    both = figure(r"forwards: (\d+) mm", said) + figure(r"backwards: (\d+) mm", said)
    return abs(both - 800) <= 1 and "lifts off" in said


def snake_between_walls(said: str) -> bool:
    mu, weight = 0.3, 0.0849 * 9.81 * 0.127 / np.sqrt(2)
    return abs(figure(r"up to (-[\d.]+) N m", said) + weight * (3 + mu**2) / (4 * mu)) < 1e-4 and "reached" in said


def grasps_from_a_picture(said: str) -> bool:
    # Force closure is a positive epsilon; the best of the bracket's grasps has a Q below 3 (lambda = 2 mm, mu = 0.4).
    closed = figure(r"Ferrari and Canny: ([\d.]+)", said) > 0.0
    return closed and figure(r"within ([\d.]+) mm", said) < 1.0 and figure(r"Q = ([\d.]+)", said) < 3.0


def climb_a_wall(said: str) -> bool:
    return "arrived" in said and "L5" not in said and "proof verified" in said


def load_sharing(said: str) -> bool:
    # A stiff plate on equal springs: the cups at 0.15 m carry F (1/12 + e x / sum x^2).
    most = 45.0 / 9.80665 / (1 / 12 + 0.06 * 0.15 / (6 * (0.15**2 + 0.05**2)))
    fewer = 45.0 / 9.80665 / (1 / 9 + 0.01 * 0.10 / (6 * 0.1**2))  # nine cups about x = 0.05 m
    found = abs(figure(r"([\d.]+) kg: a4, b4, c4 fail first", said) - most) < 0.06
    return found and abs(figure(r"far column: ([\d.]+) kg", said) - fewer) < 0.06 and "verified: True" in said


def will_it_hold(said: str) -> bool:
    # g (sin - mu cos) along the slope; the peak is in proportion to the squeeze.
    slip = 9.80665 * (np.sin(np.radians(40.0)) - 0.5 * np.cos(np.radians(40.0)))
    peaks = [figure(rf"with {squeeze} N it carries ([\d.]+)", said) for squeeze in (1, 3)]
    found = abs(figure(r"slides with ([\d.]+)", said) - slip) < 0.006 and abs(peaks[1] - 3 * peaks[0]) < 0.003
    return (
        found and "It may stay" in said and "accelerates by 9.81" in said and "ledge: stays, proof verified: T" in said
    )


def several_bodies(said: str) -> bool:
    # A semicircular arch needs a tenth of its radius as thickness: 0.09 of 1 stands, 0.045 does not.
    mass = 2400.0 * 0.12 * 9 * 0.5 * np.sin(np.pi / 9) * ((0.545**2) - (0.455**2))  # nine trapezoids
    stands = abs(figure(r"holds with (40) kg", said) - mass) < 0.5 and "does not hold with 20 kg" in said
    return (
        stands and figure(r"side it holds ([\d.]+) N", said) > 100 and said.count(" on ") >= 4 and "False" not in said
    )


def plan_a_climb(said: str) -> bool:
    # The margin asked for is 8 % of the weight; the proofs are those of the sequence as read from its file.
    least = figure(r"least margin ([\d.]+)%, proofs verified: True", said)
    return least >= 8 and "4. rear_left" in said and 0 < figure(r"cost up to ([\d.]+)%", said) < 50


def a_million_stances(said: str) -> bool:
    return 30 < figure(r"(\d+)% of the stances hold, 0 of them", said) < 50 and "on the host: True" in said


def check_in_mujoco(said: str) -> bool:
    # Friction bears 0.5 of the weight of 14.3 kg at most; the pull straight back goes through no tipping edge.
    slide = 0.5 * 14.3 * 9.81
    stays, moves = figure(r"98% of the limit it moves [\d.]+ to ([\d.]+)", said), figure(r"102%.* moves ([\d.]+)", said)
    return figure(r"pushes of [\d.]+ N to ([\d.]+)", said) < slide and stays < 1.0 and moves > 10.0


def plan_in_drake(said: str) -> bool:
    # Straight up, all cups pull: 4 * 60 N about the column farther from the centre of mass bear m (g + a).
    up = [
        figure(rf"{name}: [\d.]+ m/s\^2 sideways, ([\d.]+)", said)
        for name in ("held loads", "volumes", "spaces", "fast")
    ]
    most = 240.0 * 0.1 / (0.1 + 0.02) / 6.0 - 9.81  # lever: the near cups at 0.1 m are at their limit first
    return up[0] <= up[1] <= up[2] and up[1] == up[3] and abs(up[1] - most) < 1e-3


CLAIMS: dict[str, Callable[[str], bool]] = {
    claim.__name__: claim
    for claim in (
        first_verdict,
        from_measurements,
        own_contact_model,
        what_limits_the_load,
        wrench_space,
        slip_onset,
        when_it_lets_go,
        how_reliable,
        learned_grip,
        where_it_may_lean,
        robot_that_leans,
        snake_between_walls,
        grasps_from_a_picture,
        climb_a_wall,
        load_sharing,
        will_it_hold,
        several_bodies,
        plan_a_climb,
        a_million_stances,
        check_in_mujoco,
        plan_in_drake,
    )
}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_draws_its_picture_and_prints_what_is_so(path, capsys, tmp_path, monkeypatch):
    if path.stem[:2] in WITH_ROBOTS:
        pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
    if other := WITH_OTHERS.get(path.stem[:2]):
        pytest.importorskip(other, reason=f"{other} is not installed")
    from matplotlib.image import imread

    monkeypatch.setattr("sys.argv", [str(path), str(tmp_path)])
    runpy.run_path(str(path), run_name="__main__")
    said = capsys.readouterr().out
    assert CLAIMS[path.stem[3:]](said), said
    picture = tmp_path / f"{path.stem}.png"
    assert picture.stat().st_size <= LARGEST_PICTURE
    grey = np.asarray(imread(picture))[..., :3].mean(axis=2)
    assert min(grey.shape) > 200
    assert 0.005 < (grey < 0.9).mean() < 0.9, "the picture is blank or black"


def test_examples_are_numbered_without_gaps_and_each_has_its_claim():
    assert [path.stem[:3] for path in EXAMPLES] == [f"{number:02d}_" for number in range(len(EXAMPLES))]
    assert {path.stem[3:] for path in EXAMPLES} == set(CLAIMS)
    for path in EXAMPLES:
        if path.stem in ("13_climb_a_wall", "17_plan_a_climb"):
            continue
        assert 20 <= len(path.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_gallery_shows_an_example_as_its_docstring_does(path):
    gallery = runpy.run_path(str(ROOT / "tools" / "make_gallery.py"))
    page = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    question, text = gallery["description"](path)
    assert question.endswith((".", "?"))
    assert len(text) > 40
    assert gallery["opening"](path) in page, "run tools/make_gallery.py"
    assert 1_000 < (GALLERY / f"{path.stem}.png").stat().st_size <= LARGEST_PICTURE


def test_the_climber_never_depends_on_the_brittle_hold():
    pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
    example = runpy.run_path(str(FOLDER / "13_climb_a_wall.py"))
    climber, found = example["climb"](0.25)
    assert found.finished
    for move in found.moves:
        assert move.end != "L5"
        assert move.least >= climber.wanted

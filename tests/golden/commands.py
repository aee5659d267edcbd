"""What the commands answer on every ready file: stored, and compared.

`text/` has what a user reads, one file per command and verdict. `json/` has verdicts and numbers, one file per command
with one line per ready file. Of the JSON only what the question determines is kept: no efforts, no bounds that depend
on where a search stops, no forces that another solver may choose differently.

    python -m tests.golden.commands                  compare; print every difference
    python -m tests.golden.commands --within 2e-6    the same with another tolerance, after a change of a solver
    python -m tests.golden.commands --write          store what is answered now
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PROJECT = HERE.parents[1]

#: Numbers are the same up to this share of the larger one; below `NOISE` (in SI units) they are rounding.
SAME, NOISE = 1e-9, 1e-9

#: Lists longer than LONG are stored by their first SHOWN entries, the sum of the other numbers and a check sum of words.
LONG, SHOWN = 24, 4

#: Fields that say how an answer was found, or that are one choice of many.
LEFT_OUT = """effort load_factor_effort load_factor_upper_bound residual residuals certificate open_cells tests gap upper_bound
    lower_bound separating_motions force local_force forces piece margin_newtons joints interfaces position
    other_motion value_upper_bound seconds timings stages largest_use evenness path file"""

SCENES = """arch ball_in_groove block_on_slope block_on_steep_slope block_on_three_points four_finger_hand_opposed
    four_finger_hand_parallel gecko_on_glass h_block_between_walls jammed_peg measured_gripper microspine_pull
    nail_between_walls pallet sheets_in_two_grippers stacked_cubes suction_array suction_cup two_finger_gripper_d_d
    two_finger_gripper_d_md two_finger_gripper_d_pmd two_finger_gripper_md_md two_finger_gripper_md_pmd
    two_finger_gripper_pmd_pmd two_opposed_units"""
POSTURES = """braced_in_a_chimney climber_on_overhang climber_with_tired_hands quadruped_on_rock
    tripod_on_flat_ground"""
ROBOTS = "climber climber_without_fingers four_finger_hand quadruped two_finger_gripper"
BODIES = """block_on_incline box_pushed ladder painleve_rod painleve_rod_turning peg_in_hole peg_jammed peg_wedged
    three_finger_grasp three_points"""
CHAINS = """five_link_brace five_link_brace_moving six_link_snake three_link_snake two_link_snake
    two_link_snake_ambiguous two_link_snake_uncertain"""
ROUND = "ball_in_groove block_on_slope block_on_steep_slope jammed_peg nail_between_walls suction_cup"
CLIMBS = "climb_kinked climb_slippery climb_straight climb_tapering"
PARTS = "trefoil disc hexagon rectangle casting bracket spanner elbow gear"


def words_of(command: str, names: str, *more: str) -> list[list[str]]:
    return [[command, f"@{name}", *more] for name in names.split()]


#: The questions of each JSON file.
JSON: dict[str, list[list[str]]] = {
    "check": words_of("check", SCENES),
    "check_tilted": words_of("check", SCENES, "--tilt", "17"),
    "limit": words_of("limit", SCENES),
    "onset": words_of("onset", SCENES),
    "share": words_of("share", SCENES),
    "stability": words_of("stability", SCENES),
    "motion": words_of("motion", SCENES),
    "separate": words_of("separate", SCENES),
    "posture": words_of("posture", POSTURES),
    "support": words_of("support", POSTURES),
    "sensitivity": words_of("sensitivity", "gecko_on_glass suction_array block_on_steep_slope"),
    "probability": words_of(
        "probability", "gecko_on_glass suction_cup two_opposed_units", "--scatter-strength", "0.3", "--n", "400"
    ),
    "space": words_of("space", "gecko_on_glass suction_cup microspine_pull two_opposed_units"),
    "robot": words_of("robot", ROBOTS, "--mu", "0.6"),
    "motions": words_of("motions", f"{BODIES} {CHAINS} {ROUND}"),
    "torques": words_of("torques", CHAINS),
    "climb": words_of("climb", CLIMBS),
    "grasps": [["grasps", "--part", name] for name in PARTS.split()],
}

#: The questions of each text file.
TEXT: dict[str, list[str]] = {
    name: words.split()
    for name, words in {
        "check-holds": "check @block_on_slope",
        "check-does-not-hold": "check @block_on_steep_slope",
        "check-several-bodies": "check @stacked_cubes",
        "check-pieces-and-a-joint": "check @two_opposed_units",
        "limit": "limit @gecko_on_glass",
        "limit-none": "limit @arch",
        "limit-zero": "limit @block_on_steep_slope",
        "sweep": "sweep @gecko_on_glass --step 30",
        "onset": "onset @gecko_on_glass",
        "onset-fails-at-once": "onset @block_on_steep_slope",
        "share-holds": "share @suction_cup",
        "share-fails": "share @block_on_steep_slope",
        "share-at-once": "share @two_opposed_units",
        "stability-stays": "stability @ball_in_groove",
        "stability-may-stay": "stability @jammed_peg",
        "stability-moves": "stability @block_on_steep_slope",
        "motion-rests": "motion @block_on_slope",
        "motion-slides": "motion @block_on_steep_slope",
        "separate-holds": "separate @gecko_on_glass",
        "separate-separates": "separate @microspine_pull",
        "sensitivity": "sensitivity @gecko_on_glass",
        "posture-holds": "posture @tripod_on_flat_ground",
        "posture-does-not-hold": "posture @tripod_on_flat_ground --wrench 0,0,50,0,0,0",
        "support-polygon": "support @tripod_on_flat_ground",
        "support-plane": "support @braced_in_a_chimney",
        "probability": "probability @gecko_on_glass --scatter-strength 0.3 --n 200",
        "space": "space @gecko_on_glass",
        "compare": "compare @block_on_slope @block_on_steep_slope",
        "robot-holds": "robot @quadruped --mu 0.6",
        "decompose": "decompose src/holdfast/data/microspine_unit.csv --pieces 4",
        "motions-one": "motions @block_on_incline",
        "motions-none": "motions @painleve_rod",
        "motions-continuum": "motions @peg_wedged",
        "torques-unique": "torques @two_link_snake",
        "torques-ambiguous": "torques @two_link_snake_ambiguous",
        "climb-reaches": "climb @climb_straight",
        "climb-stuck": "climb @climb_slippery",
        "grasps": "grasps --part disc --best 3",
        "models": "models",
        "scene-list": "scene list",
        "scene-validate": "scene validate @two_opposed_units",
        "scene-show": "scene show @two_opposed_units",
        "bad-name": "check @blok_on_slope",
        "bad-option": "check @block_on_slope --wrench 1,2",
    }.items()
}


def asked(words: list[str]) -> tuple[int, str, str]:
    """(exit code, standard output, standard error) of `holdfast ...`, run in this process."""
    from typer.testing import CliRunner

    from holdfast.cli import app

    result = CliRunner().invoke(app, words, env={"COLUMNS": "120", "TERM": "dumb"})
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


# -- what is stored ------------------------------------------------------------------------------------


def text(words: list[str]) -> str:
    """What a user reads, without times, efforts, rounding and the place of this folder."""
    code, out, error = asked(words)
    lines = [line.rstrip() for line in (out + error).replace(f"{PROJECT}/", "").splitlines()]
    lines = [line for line in lines if not line.startswith(("effort:", "time:"))]
    timed = False
    for i, line in enumerate(lines):
        if "time [s]" in line:
            timed = True
        elif timed and not line.strip():
            timed = False
        elif timed and "─" not in line:
            lines[i] = re.sub(r"\S+$", "...", line)
    told = re.sub(r"\b\d(\.\d+)?e-(09|[1-9]\d)\b", "(rounding)", "\n".join(lines))
    told = re.sub(r"\b\d+(\.\d+)? (s|ms)\b(?!\^)", "(time)", told)
    return f"$ holdfast {' '.join(words)}\n# exit code {code}\n{told.strip()}\n"


def kept(data: Any) -> Any:
    """The parts of an answer that its question determines, numbers to 12 digits; long lists in short."""
    if isinstance(data, dict):
        return {name: kept(value) for name, value in data.items() if name not in LEFT_OUT.split()}
    if isinstance(data, list):
        found = [kept(value) for value in data]
        if len(found) <= LONG:
            return found
        rest = list(leaves(found[SHOWN:]))
        values = [abs(value) for value in rest if isinstance(value, int | float)]
        words = " ".join(str(value) for value in rest if not isinstance(value, float))
        return [*found[:SHOWN], {"of": len(found), "sum": kept(float(sum(values))), "crc": zlib.crc32(words.encode())}]
    if isinstance(data, float):
        return float(f"{data:.12g}") if abs(data) > 1e-3 * NOISE else 0.0
    return data


def leaves(data: Any) -> Iterator[Any]:
    """The numbers and words inside lists and dictionaries."""
    parts = data.values() if isinstance(data, dict) else data if isinstance(data, list) else None
    if parts is None:
        yield data
    else:
        for part in parts:
            yield from leaves(part)


def numbers(words: list[str]) -> Any:
    """The exit code and the JSON; of an error the message's first words alone."""
    code, out, error = asked([*words, "--json"])
    if not out:
        return {"exit": code, "error": error.replace(f"{PROJECT}/", "")[:60]}
    return {"exit": code, **kept(json.loads(out))}


# -- comparison ----------------------------------------------------------------------------------------


def differences(old: Any, new: Any, within: float = SAME, where: str = "") -> Iterator[str]:
    """Every place where two answers differ, numbers by more than `within` of the larger one."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name in old | new:
            if name not in old or name not in new:
                yield f"{where}.{name}: only in the {'new' if name in new else 'old'} answer"
            else:
                yield from differences(old[name], new[name], within, f"{where}.{name}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for i, pair in enumerate(zip(old, new, strict=True)):
            yield from differences(*pair, within, f"{where}[{i}]")
    elif isinstance(old, str) and isinstance(new, str):
        yield from text_differences(old, new, within, where)
    elif type(old) in (int, float) and type(new) in (int, float):
        if abs(old - new) > max(within * max(abs(old), abs(new)), NOISE):
            yield f"{where}: {old!r} -> {new!r}"
    elif old != new:
        yield f"{where}: {str(old)[:100]} -> {str(new)[:100]}"


#: Numbers inside text.
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]\d+)?(?![\w.])")


def text_differences(old: str, new: str, within: float, where: str) -> Iterator[str]:
    """Lines that differ in more than their numbers, and numbers that differ."""
    before, after = old.splitlines(), new.splitlines()
    if len(before) != len(after):
        yield f"{where}: {len(before)} -> {len(after)} lines"
    for first, second in zip(before, after, strict=False):
        if first == second:
            continue
        values = [[float(found) for found in NUMBER.findall(line)] for line in (first, second)]
        words = [re.sub(r"\s+", " ", NUMBER.sub("#", line)) for line in (first, second)]
        same = len(values[0]) == len(values[1]) and not list(differences(*values, within))
        if words[0] != words[1] or not same:
            yield f"{where}: {first.strip()}\n    -> {second.strip()}"


def stored(path: Path) -> Any:
    """What a golden file says."""
    content = path.read_text(encoding="utf-8")
    return content if path.suffix == ".txt" else json.loads(content)


def files() -> dict[Path, Any]:
    """Every golden file, and a function that asks again what it stores."""
    found: dict[Path, Any] = {HERE / "text" / f"{name}.txt": (lambda w=words: text(w)) for name, words in TEXT.items()}
    for name, questions in JSON.items():
        found[HERE / "json" / f"{name}.json"] = lambda q=questions: {" ".join(w): numbers(w) for w in q}
    return found


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--write", action="store_true", help="store what is answered now")
    options.add_argument("--within", type=float, default=SAME, help="largest relative difference of numbers")
    options.add_argument("names", nargs="*", help="files, without suffix; all if none is given")
    chosen = options.parse_args()
    count = 0
    for path, ask in files().items():
        if chosen.names and path.stem not in chosen.names:
            continue
        answer = ask()
        if chosen.write:
            path.parent.mkdir(exist_ok=True)
            content = answer
            if path.suffix == ".json":
                lines = (f"{json.dumps(key)}: {json.dumps(value)}" for key, value in answer.items())
                content = "{\n" + ",\n".join(lines) + "\n}\n"
            path.write_text(content, encoding="utf-8")
        else:
            for line in differences(stored(path), answer, chosen.within):
                count += 1
                sys.stdout.write(f"{path.stem}: {line}\n")
    return int(count > 0)


if __name__ == "__main__":
    os.environ.setdefault("HOLDFAST_KERNELS", "compiled")  # as in the tests: the same digits in every run
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.exit(main())

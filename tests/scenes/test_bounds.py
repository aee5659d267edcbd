"""A short file cannot ask for more contacts, rows, bodies or samples than can be computed, in any kind of file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.errors import SceneError
from holdfast.postures.files import load_posture
from holdfast.scenes import load_scene

V = "volumes: {v: {model: coulomb, mu: 0.5}}\n"
PATCH = (
    "{kind: rectangle, name: a, position: [0, 0, 0], normal: [0, 0, 1], size: [1, 1], volume: v, points: [100, 100], "
    "pressure: free}"
)
UNIT = "{phalanx: 0, size: [1, 1], offset: 0, volume: v, points: [100, 100]}"
FINGER = "{name: f, position: [0, 0, 0], along: [1, 0, 0], away: [0, 0, 1], lengths: [1], angles: [0], joints: {}, "
HINGE = "{kind: hinge, axis: [1, 0, 0], through: [0, 0, 0], contacts: [a]}"
THIN = PATCH.replace("rectangle", "polygon").replace("size: [1, 1]", "outline: [[0, 0], [1, 0], [0, 0.001]]")
CONTACT = "{position: [0, 0, 0], normal: [0, 0, 1], volume: v}"
BOX = "{kind: box, size: [1, 1, 1]}"
LOADS = "loads:\n  a: &l {force: [0, 0, 1]}\n" + "".join(f"  l{n}: *l\n" for n in range(4000))
BODIES = "bodies:\n  a: &b {mass: 1, shape: " + BOX + "}\n" + "".join(f"  b{n}: *b\n" for n in range(999))
SPHERE = "{kind: mesh, file: ball.stl, position: [0, 0, %d]}"


def repeated(field: str, entry: str, count: int) -> str:
    """A list of one entry, repeated by aliases."""
    return f"{field}:\n- &{field} {entry}\n" + f"- *{field}\n" * (count - 1)


#: What is asked for, and what is too much of.
SCENES = {
    "cells": (repeated("patches", PATCH, 20), "200,000 contacts"),
    "cells of a thin polygon": (repeated("patches", THIN, 20), "200,000 contacts"),
    "contacts": (repeated("contacts", CONTACT, 12_000), "12,000 contacts"),
    "units of a finger": (f"fingers: [{FINGER} units: [&u {UNIT}, *u]}}]\n", "20,000 contacts"),
    "fingers": (repeated("fingers", f"{FINGER} units: [{UNIT}]}}", 3), "30,000 contacts"),
    "joints": (
        repeated("patches", PATCH, 1) + repeated("joints", HINGE, 3000),
        "90,000,000 numbers in rows of joints and pads",
    ),
    "world": (repeated("contacts", CONTACT, 1) + repeated("world", BOX, 5000), "5,000 bodies and fixed shapes"),
    "meshes": (repeated("contacts", CONTACT, 1) + repeated("world", SPHERE % 0, 500), "500 meshes"),
    "loads": (BODIES + LOADS + repeated("contacts", CONTACT, 1), "numbers in loads"),
    "interfaces": (BODIES + repeated("interfaces", "{touching: all, volume: v}", 9), "repeats touching: all"),
    "pads": (
        "patches:\n- &p {kind: pad, position: [0, 0, 0], normal: [0, 0, 1], volume: ring}\n" + "- *p\n" * 9000,
        "contacts in all",
    ),
    "facets": (repeated("patches", PATCH, 1), "corners and edges of force volumes"),
    "triangles": (
        f"bodies: {{b: {{mass: 1, shape: {SPHERE % 1}}}}}\nworld: [{SPHERE % -1}]\ninterfaces: [{{body: b, volume: v}}]\n",
        "pairs of faces and corners",
    ),
}


@pytest.mark.parametrize("case", SCENES)
def test_a_short_scene_that_asks_for_too_much_is_refused_before_it_is_built(tmp_path: Path, case: str) -> None:
    import trimesh

    text, what = SCENES[case]
    file = tmp_path / "scene.yaml"
    volumes = V.replace("0.5}", "0.5, facets: 720}") if case == "facets" else V
    volumes = volumes.replace("}}", "}, ring: {model: suction_ring, vacuum: 45.0, radius: 0.02, mu: 0.5}}")
    file.write_text(f"holdfast: 1\n{volumes}{text}", "utf-8")
    if "ball.stl" in text:
        fine = 6 if case == "triangles" else 0
        trimesh.creation.icosphere(subdivisions=fine, radius=1.0).export(tmp_path / "ball.stl")
    limited = (
        "import resource as r, sys; r.setrlimit(r.RLIMIT_AS, (6 << 30, 6 << 30)); r.setrlimit(r.RLIMIT_CPU, (60, 60))\n"
    )
    limited += "from holdfast.errors import SceneError; from holdfast.scenes import load_scene\n"
    limited += "try: load_scene(sys.argv[1])\nexcept SceneError as error: print(error)"
    done = subprocess.run([sys.executable, "-c", limited, str(file)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert (what in done.stdout and "at most" in done.stdout) or "give it once" in done.stdout


def test_a_scene_of_the_largest_size_is_read(tmp_path: Path) -> None:
    file = tmp_path / "scene.yaml"
    file.write_text(f"holdfast: 1\n{V}{repeated('patches', PATCH, 1)}", "utf-8")
    assert len(load_scene(file).assembly) == 10_000


def test_grips_together_have_no_more_samples_and_contacts_than_one_may_have(tmp_path: Path) -> None:
    hand = tmp_path / "hand.yaml"
    hand.write_text(f"holdfast: 1\n{V}{repeated('patches', PATCH.replace('[100, 100]', '[100, 60]'), 1)}", "utf-8")
    file = tmp_path / "posture.yaml"
    hands = "".join(f"- {{grip: g{n}, position: [{n}, 0, 0], normal: [0, 0, 1]}}\n" for n in range(3))
    for more, what in ((", learn: {n: 900000}", "2,700,000 samples"), ("", "12,000 contacts")):
        grips = "".join(f"  g{n}: {{scene: hand.yaml{more}}}\n" for n in range(3))
        file.write_text(f"holdfast: 1\nbody: {{mass: 1}}\ngrips:\n{grips}hands:\n{hands}", "utf-8")
        with pytest.raises(SceneError, match=what):
            load_posture(file)

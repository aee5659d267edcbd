"""Whatever is thrown at the reader: a Scene or a SceneError that names the file, nothing else."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import SceneError
from holdfast.files.yaml_source import yaml_text
from holdfast.scenes import Scene, load_scene

#: Every kind of part that needs no other file and no slow model.
RICH = """\
holdfast: 1
name: all kinds
description: one of each
object:
  mass: 0.5
  com: [0, 0, 0.01]
  shape: {kind: cylinder, radius: 0.1, length: 0.2, axis: [0, 1, 0], arc: 1.0, middle: [0, 0, 1]}
gravity: [0, 0, -9.81]
loads: {pull: {force: [0, 0, -1], torque: [0, 0.1, 0], at: [0, 0, 0.1]}}
volumes:
  cone: {model: coulomb, mu: 0.5, facets: 8}
  ring: {model: soft_finger, mu: 0.5, points: 4, facets: 4}
  hook: {model: gecko_two_way, shear: 5, scale: 0.5}
  given:
    pieces:
      - [[0, 0, 0], [1, 0, 1], [0, 1, 1], [-1, -1, 1]]
    rays: [[[0, 0, 1]]]
contacts:
  - {name: a, position: [0, 0, 0], normal: [0, 0, 1], shear: [1, 0, 0], volume: cone, scale: 0.5}
  - {position: [0.1, 0, 0], rotation: [[1, 0, 0], [0, 1, 0], [0, 0, 1]], volume: given}
patches:
  - {kind: rectangle, name: r, position: [0, 0.1, 0], normal: [0, 0, 1], size: [0.02, 0.03], volume: hook, points: [2, 1]}
  - {kind: polygon, position: [0, -0.1, 0], normal: [0, 0, 1], outline: [[0, 0], [0.1, 0], [0, 0.1]], volume: cone}
  - {kind: pad, name: p, position: [0, 0, 0], normal: [0, 0, 1], volume: ring}
fingers:
  - name: f
    position: [0, 0, 0.1]
    along: [1, 0, 0]
    away: [0, 0, 1]
    lengths: [0.04, 0.03]
    angles: [0.2, 0.3]
    masses: [0.01, 0.02]
    joints: {friction: 0.01, torque: 1.0}
    units: [{phalanx: 1, size: [0.01, 0.01], offset: 0.01, volume: hook}]
joints:
  - {kind: hinge, name: h, axis: [0, 1, 0], through: [0, 0, 0], contacts: [a, r], torque_max: 3, stiffness: 1, coordinate: 0.1}
  - {kind: slide, axis: [1, 0, 0], contacts: [p], torque: 4, preload: -1}
drawing: {faces: [[[0, 0, 0], [1, 0, 0], [0, 1, 0]]], links: [{name: l, points: [[0, 0, 0], [1, 0, 0]]}]}
"""
DEVICE = "holdfast: 1\nvolumes: {u: {model: gecko, shear: 20}}\ndevice: {kind: 2FG, left: D, right: MD, unit: u, radius: 0.2}\n"
SMALL = """\
holdfast: 1
object: {mass: 2.0, com: [0, 0, 0.05]}
volumes:
  rubber: {model: coulomb, mu: 0.6}
contacts:
  - {name: "a", position: [0.1, 0.0, 0.0], normal: [0, 0, 1], volume: rubber}
  - {name: 'b', position: [-0.1, 0.1, 0.0], normal: [0, 0, 1], volume: rubber}
"""
RICH_DATA: dict[str, Any] = yaml.safe_load(RICH)
DEVICE_DATA: dict[str, Any] = yaml.safe_load(DEVICE)

ODD = st.sampled_from(
    [
        None, True, "", "x", "coulomb", 0, -1, 1, 2, 10**30, 1e300, -1e300, 1e-300, 5e-324, float("inf"), float("nan"),
        [], {}, [0, 0, 0], [[0, 0, 0]], [float("nan")] * 3, [1e308, 1e308, 1e308], [1e-320, 0, 0], {"model": "coulomb"},
        {"kind": "hinge"}, "a" * 5000, "\u0000", "💥", "../../etc", "/", ".", [[[1e12] * 3] * 4],
    ]
)  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | ODD,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=10,
)
NAMES = sorted(
    {name for data in (RICH_DATA, DEVICE_DATA) for name in data}
    | {"kind", "model", "position", "normal", "volume", "pieces", "rays", "size", "points", "scale", "surface", "file"}
)
SHAPED = st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=8)


def checked_outcome(path: Path) -> Scene | SceneError:
    """What the reader makes of a file; any other exception than a SceneError goes through."""
    try:
        return load_scene(path)
    except SceneError as error:
        assert error.path == path
        assert str(path) in str(error)
        assert error.what
        assert error.fix
        assert error.line is None or error.line >= 1
        return error


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz") / "scene.yaml"


def places(data: Any, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Every place in nested data, below the top."""
    steps = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for step, value in steps:
        yield (*at, step)
        yield from places(value, (*at, step))


PLACES = [(RICH_DATA, place) for place in places(RICH_DATA)] + [(DEVICE_DATA, place) for place in places(DEVICE_DATA)]


def mutated(data: Any, place: tuple[str | int, ...], how: str, value: Any) -> Any:
    changed = copy.deepcopy(data)
    parent = changed
    for step in place[:-1]:
        parent = parent[step]
    last = place[-1]
    if how == "delete":
        del parent[last]
    elif how == "rename" and isinstance(parent, dict):
        parent[f"{last}x"] = parent.pop(last)
    elif how == "double" and isinstance(parent, list):
        parent.append(copy.deepcopy(parent[last]))
    else:
        parent[last] = value
    return changed


def test_the_scenes_to_mutate_are_right(file: Path) -> None:
    for text in (RICH, DEVICE):
        file.write_text(text, encoding="utf-8")
        assert isinstance(checked_outcome(file), Scene)


@given(VALUES | SHAPED | SHAPED.map(lambda data: {"holdfast": 1, **data}))
def test_random_structures(file: Path, data: Any) -> None:
    file.write_text(yaml_text(data), encoding="utf-8")
    checked_outcome(file)


@pytest.mark.parametrize("how", ["delete", "rename", "double", "retype"])
@given(data=st.data())
def test_one_change_of_a_right_scene(file: Path, how: str, data: st.DataObject) -> None:
    original, place = data.draw(st.sampled_from(PLACES))
    file.write_text(yaml_text(mutated(original, place, how, data.draw(ODD))), encoding="utf-8")
    checked_outcome(file)


@given(st.lists(st.tuples(st.sampled_from(PLACES), ODD | VALUES), min_size=2, max_size=4))
def test_several_changes_of_a_right_scene(file: Path, changes: list[Any]) -> None:
    changed = copy.deepcopy(RICH_DATA)
    for (original, place), value in changes:
        if original is RICH_DATA:
            try:
                changed = mutated(changed, place, "retype", value)
            except (KeyError, IndexError, TypeError):
                continue  # an earlier change took the place away
    file.write_text(yaml_text(changed), encoding="utf-8")
    checked_outcome(file)


def test_every_single_number_as_nan_huge_and_negative(file: Path) -> None:
    for original, place in PLACES:
        value: Any = original
        for step in place:
            value = value[step]
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            for odd in (float("nan"), 1e30, -abs(value) - 1.0):
                file.write_text(yaml_text(mutated(original, place, "retype", odd)), encoding="utf-8")
                found = checked_outcome(file)
                assert isinstance(found, SceneError) or not np.isnan(odd), f"{place} took NaN"


@pytest.mark.parametrize("text", [SMALL, DEVICE])
def test_truncation_at_every_byte(file: Path, text: str) -> None:
    content = text.encode()
    for length in range(len(content)):
        file.write_bytes(content[:length])
        checked_outcome(file)


@given(st.binary(max_size=200))
def test_random_bytes(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    assert isinstance(checked_outcome(file), SceneError)


@given(st.data())
def test_random_bytes_within_a_right_scene(file: Path, data: st.DataObject) -> None:
    content = bytearray(RICH.encode())
    for at in data.draw(st.lists(st.integers(0, len(content) - 1), min_size=1, max_size=5)):
        content[at] = data.draw(st.integers(0, 255))
    file.write_bytes(bytes(content))
    checked_outcome(file)


@given(st.text("{}[]:,-?&*!|>'\"%@`#\n\t ab01.", max_size=60))
def test_random_yaml_signs(file: Path, text: str) -> None:
    file.write_text(f"holdfast: 1\n{text}", encoding="utf-8")
    assert isinstance(checked_outcome(file), SceneError)

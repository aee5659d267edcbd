from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import FileError, InputError
from holdfast.grips import Grip, GripBounds, GripMetadata, OuterGrip, load_grip, save_grip
from holdfast.storage.archive import stored
from holdfast.wrench_spaces.subspace import Rays, Subspace
from tests.wrench_spaces.known_spaces import BOX, box_limit, space_of

RNG = np.random.default_rng(0)
FACTS = GripMetadata(
    method="greedy",
    n=12,
    seed=2**90 + 1,
    model_hash="abc",
    inner_error=0.125,
    outer_error=np.inf,
    concavity=1e-17,
    joint_limits=True,
    acting="reaction",
    version="0.1.0",
    asked=7,
    wanted_gap=0.1,
    reached_gap=np.inf,
    palm=((0.6, -0.8, 0.0, 1 / 3), (0.8, 0.6, 0.0, -0.5), (0.0, 0.0, 1.0, 1e-17)),
    derived="moved, scaled by 0.5",
)
VERTICES = RNG.standard_normal((30, 6))
HAND = Grip(VERTICES, label="Griff, links: τ", palm_gravity=[0.1, 0.2, -9.81], metadata=FACTS, length=1 / 3)
FOOT = Grip(np.zeros((1, 6)), RNG.standard_normal((4, 6)))
OUTER = OuterGrip(
    np.concatenate([np.eye(6), -np.eye(6)]),
    np.full(12, 9.0) + RNG.random(12),
    label="outer",
    palm_gravity=[0.1, 0.2, -9.81],
    metadata=GripMetadata(n=3),
)
BOUNDS = GripBounds(HAND, OUTER, GripMetadata(method="both", seed=5))


def same(a: Any, b: Any) -> bool:
    """Equal to the last bit, with label and facts."""
    if isinstance(a, GripBounds):
        return a.metadata == b.metadata and same(a.inner, b.inner) and same(a.outer, b.outer)
    arrays = ("vertices", "rays") if isinstance(a, Grip) else ("normals", "offsets")
    gravity = [None if x.palm_gravity is None else x.palm_gravity.tolist() for x in (a, b)]
    return (
        type(a) is type(b)
        and all(getattr(a, name).tobytes() == getattr(b, name).tobytes() for name in arrays)
        and (a.label, a.metadata, a.length, gravity[0]) == (b.label, b.metadata, b.length, gravity[1])
    )


@pytest.mark.parametrize("grip", [HAND, FOOT, OUTER, BOUNDS], ids=["hand", "foot", "outer", "bounds"])
def test_what_is_read_is_what_was_saved_to_the_last_bit(tmp_path: Path, grip: Any) -> None:
    grip.save(tmp_path / "a.h5")
    back = load_grip(tmp_path / "a.h5")
    assert same(grip, back) and back == grip
    save_grip(back, tmp_path / "b.h5")
    assert (tmp_path / "a.h5").read_bytes() == (tmp_path / "b.h5").read_bytes()
    assert same(type(grip).load(tmp_path / "a.h5"), grip)


def test_another_process_writes_the_same_bytes(tmp_path: Path) -> None:
    BOUNDS.save(tmp_path / "a.h5")
    code = "import sys; from holdfast.grips import load_grip, save_grip; save_grip(load_grip(sys.argv[1]), sys.argv[2])"
    subprocess.run([sys.executable, "-c", code, tmp_path / "a.h5", tmp_path / "b.h5"], check=True)
    assert (tmp_path / "a.h5").read_bytes() == (tmp_path / "b.h5").read_bytes()


def test_one_side_of_bounds_is_read_alone_and_a_missing_one_is_reported(tmp_path: Path) -> None:
    BOUNDS.save(tmp_path / "a.h5")
    assert same(Grip.load(tmp_path / "a.h5"), HAND) and same(OuterGrip.load(tmp_path / "a.h5"), OUTER)
    HAND.save(tmp_path / "b.h5")
    OUTER.save(tmp_path / "c.h5")
    for load, name, message in (
        (OuterGrip.load, "b.h5", "outer: contains only an inner grip .use Grip.load"),
        (GripBounds.load, "b.h5", "outer: contains only an inner grip"),
        (Grip.load, "c.h5", "inner: contains only an outer grip .use OuterGrip.load"),
        (GripBounds.load, "c.h5", "inner: contains only an outer grip"),
    ):
        with pytest.raises(FileError, match=message):
            load(tmp_path / name)


def replaced(name: str, values: Any) -> Callable[[Any], None]:
    def change(file: Any) -> None:
        del file[name]
        if values is not None:
            file[name] = values

    return change


def fact(place: str, name: str, value: Any) -> Callable[[Any], None]:
    def change(file: Any) -> None:
        if value is None:
            del file[place].attrs[name]
        else:
            file[place].attrs[name] = stored(value) if isinstance(value, str) else value

    return change


BAD = VERTICES.copy()
BAD[3, 2] = np.nan


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (fact("/", "version", 3), "version: is 3, written by Holdfast .*reads up to 2: update Holdfast"),
        (fact("/", "format", "x"), "format: is not a grip"),
        (fact("/", "palm_gravity", [0.0, np.nan, 1.0]), r"inner/palm_gravity\[1\]: is nan"),
        (replaced("inner/vertices", BAD), r"inner/vertices\[3, 2\]: is nan"),
        (replaced("inner/vertices", None), "inner/vertices: is missing"),
        (replaced("inner/vertices", np.zeros((0, 6))), "inner/vertices: is empty"),
        (replaced("inner/vertices", VERTICES[:, :5]), r"inner/vertices: has shape \(30, 5\)"),
        (replaced("inner/rays", np.zeros((1, 6))), r"inner/rays\[0\]: is the zero vector"),
        (replaced("outer/offsets", np.ones(3)), r"outer/offsets: has shape \(3,\).*\(12\)"),
        (replaced("inner/vertices", 100 * VERTICES), r"inner\.vertices\[\d+\]: is .* beyond outer plane"),
        (fact("inner", "length", -1.0), "inner/length: is -1 m"),
        (fact("inner", "length", None), "inner/length: is missing"),
        (fact("inner/facts", "seed", "many"), "inner/facts/seed: is 'many'"),
        (fact("inner/facts", "luck", 7), "inner/facts/luck: is unknown"),
        (fact("facts", "palm", np.ones((3, 4))), "facts/palm: its columns have lengths"),
        (fact("facts", "method", 7), "facts/method: is a int"),
        (replaced("facts", None), "facts: is missing"),
    ],
)
def test_what_is_wrong_in_a_file_is_named(tmp_path: Path, change: Callable[[Any], None], message: str) -> None:
    BOUNDS.save(tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5", "r+") as file:
        change(file)
    with pytest.raises(FileError, match=message) as caught:
        load_grip(tmp_path / "a.h5")
    assert str(tmp_path / "a.h5") in str(caught.value)


def test_files_of_the_first_version_are_read_without_what_they_did_not_know(tmp_path: Path) -> None:
    BOUNDS.save(tmp_path / "a.h5")
    later = ("asked", "wanted_gap", "reached_gap", "palm", "derived")
    with h5py.File(tmp_path / "a.h5", "r+") as file:
        file.attrs["version"] = 1
        for group in ("facts", "inner/facts", "outer/facts"):
            for name in later:
                if name in file[group].attrs:
                    del file[group].attrs[name]
    back = GripBounds.load(tmp_path / "a.h5")
    assert back == BOUNDS
    assert back.inner.metadata == replace(FACTS, asked=None, wanted_gap=None, reached_gap=None, palm=None, derived="")


@pytest.mark.parametrize("path", [None, 5, b"a.h5"])
def test_what_is_no_path_is_reported(path: Any) -> None:
    with pytest.raises(InputError, match="path: is (a|None)"):
        load_grip(path)
    with pytest.raises(InputError, match="path: is (a|None)"):
        HAND.save(path)


def test_a_wrench_space_is_no_grip_and_a_grip_no_wrench_space(tmp_path: Path) -> None:
    space_of(Rays.sphere(Subspace.named("fx,fy,fz"), 1), box_limit(BOX)).save(tmp_path / "space.h5")
    with pytest.raises(
        FileError, match=r"format: is not a grip, but a wrench space .give a file that Grip\.save wrote"
    ):
        load_grip(tmp_path / "space.h5")
    HAND.save(tmp_path / "grip.h5")
    with pytest.raises(FileError, match="is not a wrench space, but a grip"):
        hf.wrench_spaces.WrenchSpace.load(tmp_path / "grip.h5")


def test_a_file_cut_short_anywhere_is_found(tmp_path: Path) -> None:
    BOUNDS.save(tmp_path / "a.h5")
    data = (tmp_path / "a.h5").read_bytes()
    for length in np.random.default_rng(0).integers(1, len(data), 25):
        (tmp_path / "b.h5").write_bytes(data[:length])
        with pytest.raises(FileError, match="cut short|damaged|no HDF5"):
            load_grip(tmp_path / "b.h5")


def test_a_changed_byte_is_found_or_changes_nothing(tmp_path: Path) -> None:
    BOUNDS.save(tmp_path / "a.h5")
    data = (tmp_path / "a.h5").read_bytes()
    rng, found = np.random.default_rng(1), 0
    for place in rng.integers(8, len(data), 80):
        damaged = bytearray(data)
        damaged[place] ^= int(rng.integers(1, 256))
        (tmp_path / "b.h5").write_bytes(damaged)
        try:
            assert same(load_grip(tmp_path / "b.h5"), BOUNDS)
        except FileError:
            found += 1
    assert found > 40


def test_what_is_no_grip_is_not_saved(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="grip: is a str"):
        save_grip("hand", tmp_path / "a.h5")  # pyright: ignore[reportArgumentType]
    with pytest.raises(FileError, match="create its folder first"):
        HAND.save(tmp_path / "none" / "a.h5")

"""Compiling all kernels: nothing is left to compile afterwards, and a damaged store never costs an answer."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import holdfast as hf
from holdfast import compiling
from holdfast.errors import InputError, WorkerError
from holdfast.feature import Kernels
from holdfast.precompiling import families, is_compiled
from holdfast.precompiling.families import FAMILIES

#: Questions that use the compiled kernels of each family.
COMMANDS = {
    "postures and support regions": ["posture @climber_with_tired_hands", "support @tripod_on_flat_ground"],
    "equilibrium, load limits, separation": [
        "check @two_opposed_units",
        "limit @gecko_on_glass --direction 0,0,-1",
        "separate @two_finger_gripper_d_d",
    ],
    "motion by Coulomb's law": ["stability @block_on_slope"],
    "load sharing": ["share @suction_array"],
    "planar contact": ["motions @ladder", "torques @three_link_snake"],
}
#: The family that is compiled soonest.
QUICK = "planar contact"


def answered(command: str, store: Path) -> str:
    """What a command prints with compiled kernels from a store."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(store), compiling.VARIABLE: "compiled"}
    words = [sys.executable, "-m", "holdfast", *command.split()]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


def filled(folder: Path, names: list[str]) -> None:
    """Fill a store by `compile`, from the sources as they are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NUMBA_CACHE_DIR", str(folder))
        counts: list[tuple[int, int]] = []
        found = hf.compile(names, progress=lambda done, total: counts.append((done, total)))
    assert [family.name for family in found] == names
    assert all(family.cpu_seconds > 0.0 for family in found)
    assert counts == [(done, len(names)) for done in range(len(names) + 1)]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the kernels of one family."""
    folder = tmp_path_factory.mktemp("store")
    filled(folder, [QUICK])
    return folder


def stored(folder: Path) -> dict[str, int]:
    """Names and sizes of the stored kernels."""
    return {str(file.relative_to(folder)): file.stat().st_size for file in folder.rglob("*.nbc")}


def test_no_command_compiles_anything_afterwards(store):
    before = stored(store)
    assert before
    for command in COMMANDS[QUICK]:
        answered(command, store)
    assert stored(store) == before


@pytest.mark.nightly
def test_no_command_of_any_family_compiles_anything_afterwards(tmp_path, monkeypatch):
    filled(tmp_path, list(FAMILIES))
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert is_compiled()
    before = stored(tmp_path)
    for commands in COMMANDS.values():
        for command in commands:
            answered(command, tmp_path)
    assert stored(tmp_path) == before


def test_every_family_is_tested_and_unknown_ones_are_refused():
    assert list(COMMANDS) == list(FAMILIES)
    with pytest.raises(InputError, match="families"):
        hf.compile(["grasps"])


def test_an_empty_store_has_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert not is_compiled()


KERNEL = """
import sys
import numpy as np
from holdfast import compiling

@compiling.entry_kernel
def total(values):
    result = 0.0
    for value in values:
        result += value
    return result

print(total(np.arange(4.0)), sum(total.machine_code.stats.cache_hits.values()))
"""


@pytest.mark.parametrize("damage", ["cut", "text", "empty", "folder"])
def test_a_damaged_store_never_costs_an_answer(tmp_path, damage):
    """A kernel in a file of its own: compiled, found in the store, and compiled again when the store is damaged."""
    module, folder = tmp_path / "module.py", tmp_path / "store"
    module.write_text(KERNEL, encoding="utf-8")
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder), compiling.VARIABLE: "compiled"}

    def printed() -> list[str]:
        words = [sys.executable, "-W", "error", str(module)]
        return subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout.split()

    assert printed() == ["6.0", "0"]
    assert printed() == ["6.0", "1"]
    files = [*folder.rglob("*.nbi"), *folder.rglob("*.nbc")]
    assert files
    for file in files:
        content = file.read_bytes()
        if damage == "folder":
            file.unlink()
            file.mkdir()
        else:
            file.write_bytes({"cut": content[: len(content) // 2], "text": b"no kernel", "empty": b""}[damage])
    assert printed() == ["6.0", "0"]


def test_kernels_that_cannot_be_stored_are_compiled_in_memory():
    """A function without a file has no place in a store."""
    made: dict[str, Any] = {}
    exec("def twice(value):\n    return value * 2.0", made)
    assert compiling.stored("no sources")(made["twice"]).machine_code(2.0) == 4.0


def test_a_compiler_that_fails_is_reported_with_its_family(monkeypatch):
    monkeypatch.setitem(families.FAMILIES, "no such family", Kernels("no such family", "none:none"))
    with pytest.raises(WorkerError, match="no such family"):
        hf.compile(["no such family"], jobs=1)


def test_the_command_lists_the_families(run, monkeypatch):
    found = tuple(families.CompiledFamily(name, 1.5, 2.5) for name in FAMILIES)
    monkeypatch.setattr(families, "compile", lambda **_: found)
    result = run("compile")
    assert result.exit_code == 0
    assert all(name in result.stdout for name in FAMILIES)
    assert "All kernels are compiled and stored." in result.stdout

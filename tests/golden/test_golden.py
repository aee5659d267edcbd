"""The commands answer what they answered before, on every ready file: words exactly, numbers to 1e-9."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.golden.commands import HERE, differences, files, stored

FILES = files()


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_the_answer_is_the_stored_one(path: Path) -> None:
    assert not list(differences(stored(path), FILES[path]()))


def test_every_stored_answer_is_asked_for() -> None:
    assert {path for path in HERE.rglob("*.*") if path.suffix in (".txt", ".json")} == set(FILES)

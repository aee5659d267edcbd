from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import h5py
import numpy as np
import pytest

from holdfast.errors import FileError
from holdfast.storage import Contents, OpenArchive

CONTENTS = Contents(
    {"name": "box"},
    {"a": np.ones((3, 6)), "b": np.ones(3), "whole": np.array([1, 2, 3]), "group/c": np.ones((2, 6))},
    {},
    {"group": {"label": "inside"}},
)


@pytest.fixture
def archive() -> Iterator[OpenArchive]:
    with h5py.File(io.BytesIO(CONTENTS.packed())) as file:
        yield OpenArchive(file, Path("box.h5"), "save it again")


def test_facts_and_arrays_are_taken_by_name(archive: OpenArchive) -> None:
    assert "a" in archive and "z" not in archive
    assert archive.fact("name") == "box" and archive.fact("label", "group") == "inside"
    assert archive.has_fact("name") and not archive.has_fact("label")
    assert archive.facts("group") == {"label": "inside"}
    a, whole = archive.array("a", ("n", 6)), archive.array("whole", ("n",), whole=True)
    assert not a.flags.writeable and whole.dtype == np.int64 and whole.tolist() == [1, 2, 3]


def test_a_letter_means_the_same_length_throughout_a_file(archive: OpenArchive) -> None:
    archive.array("a", ("n", 6))
    archive.array("b", ("n",))
    with pytest.raises(FileError, match=r"box\.h5: group/c: has shape \(2, 6\).*\(3, 6\)"):
        archive.array("group/c", ("n", 6))


@pytest.mark.parametrize(
    ("name", "shape", "whole", "message"),
    [
        ("z", ("n",), False, "z: is missing .save it again"),
        ("group", ("n",), False, "group: has shape"),
        ("a", ("n", 5), False, r"a: has shape \(3, 6\)"),
        ("a", ("n", 6), True, "a: has type float64.*whole numbers"),
        ("whole", ("n",), False, "whole: has type int64.*numbers"),
    ],
)
def test_what_is_wrong_is_named(
    archive: OpenArchive, name: str, shape: tuple[str | int, ...], whole: bool, message: str
) -> None:
    with pytest.raises(FileError, match=message):
        archive.array(name, shape, whole=whole)


def test_a_fact_that_is_missing_is_named_with_its_group(archive: OpenArchive) -> None:
    for group, field in (("", "n"), ("group", "group/n"), ("none", "none")):
        with pytest.raises(FileError, match=f"{field}: is missing"):
            archive.fact("n", group)

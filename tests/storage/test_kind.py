from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import FileError, GeometryError
from holdfast.storage import ArchiveKind, Contents, OpenArchive, release

KIND = ArchiveKind(noun="box", version=2, maker="Box.save", rewrite="save it again")
CONTENTS = Contents({"colour": "red"}, {"values": np.arange(4.0)})


def take(archive: OpenArchive) -> list[float]:
    return archive.array("values", ("n",)).tolist()


def test_a_file_says_what_it_is_and_gives_back_what_it_holds(tmp_path: Path) -> None:
    KIND.write(tmp_path / "a.h5", CONTENTS)
    assert KIND.read(tmp_path / "a.h5", take) == [0.0, 1.0, 2.0, 3.0]
    facts = KIND.read(tmp_path / "a.h5", OpenArchive.facts)
    assert facts == {"format": "holdfast box", "version": 2, "holdfast": hf.__version__, "colour": "red"}
    assert release() == hf.__version__


def test_other_kinds_and_later_versions_are_refused(tmp_path: Path) -> None:
    other = ArchiveKind(noun="sphere", version=1, maker="Sphere.save", rewrite="")
    other.write(tmp_path / "a.h5", CONTENTS)
    with pytest.raises(FileError, match=r"format: is no box, but a sphere .give a file that Box\.save wrote"):
        KIND.read(tmp_path / "a.h5", take)
    ArchiveKind(noun="box", version=3, maker="", rewrite="").write(tmp_path / "b.h5", CONTENTS)
    with pytest.raises(FileError, match=r"version: is 3, written by Holdfast .*reads up to 2: update Holdfast"):
        KIND.read(tmp_path / "b.h5", take)
    with h5py.File(tmp_path / "c.h5", "w") as file:
        file.attrs["format"], file.attrs["version"] = "holdfast box", 0
    with pytest.raises(FileError, match="version: is 0"):
        KIND.read(tmp_path / "c.h5", take)


def test_earlier_versions_are_read(tmp_path: Path) -> None:
    ArchiveKind(noun="box", version=1, maker="", rewrite="").write(tmp_path / "a.h5", CONTENTS)
    assert len(KIND.read(tmp_path / "a.h5", take)) == 4


def test_whatever_the_reader_stumbles_over_is_a_fault_of_the_file(tmp_path: Path) -> None:
    KIND.write(tmp_path / "a.h5", CONTENTS)

    def flat(_: OpenArchive) -> None:
        raise GeometryError("is flat", where="values")

    def missing(_: OpenArchive) -> None:
        raise KeyError("x")

    with pytest.raises(FileError, match=r"a\.h5: values: is flat .save it again"):
        KIND.read(tmp_path / "a.h5", flat)
    with pytest.raises(FileError, match=r"a\.h5: is damaged: 'x'"):
        KIND.read(tmp_path / "a.h5", missing)


def test_no_file_an_empty_one_and_a_text_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.h5").write_bytes(b"")
    (tmp_path / "b.h5").write_text("values", encoding="utf-8")
    for name, message in (("a.h5", "is empty"), ("b.h5", "no HDF5"), ("c.h5", "does not exist"), (".", "be read")):
        with pytest.raises(FileError, match=message):
            KIND.read(tmp_path / name, take)


def test_a_file_cut_short_or_changed_is_found(tmp_path: Path) -> None:
    KIND.write(tmp_path / "a.h5", CONTENTS)
    data = (tmp_path / "a.h5").read_bytes()
    for length in np.random.default_rng(0).integers(1, len(data), 15):
        (tmp_path / "b.h5").write_bytes(data[:length])
        with pytest.raises(FileError, match="cut short|damaged|no HDF5"):
            KIND.read(tmp_path / "b.h5", take)
    rng, found = np.random.default_rng(1), 0
    for place in rng.integers(8, len(data), 60):
        damaged = bytearray(data)
        damaged[place] ^= int(rng.integers(1, 256))
        (tmp_path / "b.h5").write_bytes(damaged)
        try:
            assert KIND.read(tmp_path / "b.h5", take) == [0.0, 1.0, 2.0, 3.0]
        except FileError:
            found += 1
    assert found > 30

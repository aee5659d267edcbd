from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import FileError, GeometryError
from holdfast.inputs import write_whole
from holdfast.storage import ArchiveKind, OpenArchive, release
from holdfast.storage.archive import Contents, stored, words


def test_words_and_numbers_come_back_as_they_were() -> None:
    for value in ("", "τ links", 3, 0.1, True, ["a", "bcd", ""], ("x",)):
        back = words(stored(value))
        assert back == (list(value) if isinstance(value, tuple) else value)
    assert words(stored(np.array([1.5, 2.5]))) == [1.5, 2.5]


def test_the_same_contents_give_the_same_bytes_and_stand_where_they_were_put() -> None:
    arrays = {"part/values": np.arange(12.0).reshape(4, 3), "nothing": np.zeros((0, 6))}
    contents = Contents({"name": "a"}, arrays, {"extra/inside": {"n": 2}}, {"part": {"unit": "N"}})
    assert contents.packed() == contents.packed()
    with h5py.File(io.BytesIO(contents.packed())) as file:
        assert file.attrs["name"] == b"a" and file["extra/inside"].attrs["n"] == 2
        assert file["part"].attrs["unit"] == b"N" and file["nothing"].shape == (0, 6)
        np.testing.assert_array_equal(file["part/values"][()], arrays["part/values"])
        assert file["part/values"].fletcher32  # every chunk has its checksum


def test_large_arrays_are_cut_into_chunks_of_a_megabyte() -> None:
    with h5py.File(io.BytesIO(Contents({}, {"a": np.zeros((40_000, 6))}).packed())) as file:
        rows, width = file["a"].chunks
        assert width == 6 and 0.9 * 2**20 <= rows * width * 8 <= 2**20


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
    with pytest.raises(FileError, match=r"format: is not a box, but a sphere .give a file that Box\.save wrote"):
        KIND.read(tmp_path / "a.h5", take)
    ArchiveKind(noun="box", version=3, maker="", rewrite="").write(tmp_path / "b.h5", CONTENTS)
    with pytest.raises(FileError, match=r"version: is 3, written by Holdfast .*reads up to 2: update Holdfast"):
        KIND.read(tmp_path / "b.h5", take)
    with h5py.File(tmp_path / "c.h5", "w") as file:
        file.attrs["format"], file.attrs["version"] = stored("holdfast box"), 0
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
    for name, message in (
        ("a.h5", "is empty"),
        ("b.h5", "not an HDF5"),
        ("c.h5", "no such file"),
        (".", "is a folder"),
    ):
        with pytest.raises(FileError, match=message):
            KIND.read(tmp_path / name, take)


def test_a_file_cut_short_or_changed_is_found(tmp_path: Path) -> None:
    KIND.write(tmp_path / "a.h5", CONTENTS)
    data = (tmp_path / "a.h5").read_bytes()
    for length in np.random.default_rng(0).integers(1, len(data), 15):
        (tmp_path / "b.h5").write_bytes(data[:length])
        with pytest.raises(FileError, match="cut short|damaged|not an HDF5"):
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


OPEN_ARCHIVE_CONTENTS = Contents(
    {"name": "box"},
    {"a": np.ones((3, 6)), "b": np.ones(3), "whole": np.array([1, 2, 3]), "group/c": np.ones((2, 6))},
    {},
    {"group": {"label": "inside"}},
)


@pytest.fixture
def archive() -> Iterator[OpenArchive]:
    with h5py.File(io.BytesIO(OPEN_ARCHIVE_CONTENTS.packed())) as file:
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


def test_a_file_is_replaced_whole_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    write_whole(path, b"first")
    write_whole(path, b"second")
    assert path.read_bytes() == b"second" and list(tmp_path.iterdir()) == [path]


def test_what_cannot_be_written_leaves_the_old_file_as_it_was(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="create its folder first"):
        write_whole(tmp_path / "none" / "a.bin", b"data")
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileError, match="cannot be written"):
        write_whole(tmp_path / "folder", b"data")
    path = tmp_path / "b.bin"
    write_whole(path, b"old")
    with pytest.raises(TypeError):
        write_whole(path, "text")  # pyright: ignore[reportArgumentType]
    assert path.read_bytes() == b"old" and {p.name for p in tmp_path.iterdir()} == {"folder", "b.bin"}


@pytest.mark.parametrize("name", [".", "", "/", "a\0b"])
def test_what_names_no_file_is_told(name: str) -> None:
    with pytest.raises(FileError, match="name"):
        write_whole(Path(name), b"data")


# -- archives that reach beyond themselves ------------------------------------------------------------


def hostile(path: Path, change: Callable[[h5py.File], None]) -> Path:
    """An archive of which `change` replaces the array."""
    KIND.write(path, CONTENTS)
    with h5py.File(path, "r+") as file:
        del file["values"]
        change(file)
    return path


def virtual(file: h5py.File) -> None:
    layout = h5py.VirtualLayout(shape=(4,), dtype="f8")
    layout[:] = h5py.VirtualSource("secret.h5", "values", shape=(4,))
    file.create_virtual_dataset("values", layout)


def declared(shape: tuple[int, ...], **look: Any) -> Callable[[h5py.File], None]:
    def change(file: h5py.File) -> None:
        file.create_dataset("values", shape, dtype="f8", **look)

    return change


HOSTILE: dict[str, tuple[Callable[[h5py.File], Any], str]] = {
    "external storage": (declared((4,), external=[("secret.bin", 0, 32)]), "values: takes its data from another file"),
    "virtual": (virtual, "values: takes its data from another file"),
    "external link": (
        lambda file: file.__setitem__("values", h5py.ExternalLink("secret.h5", "values")),
        "values: is a link to another place or file",
    ),
    "soft link": (lambda file: file.__setitem__("values", h5py.SoftLink("/other")), "values: is a link"),
    "beside what is asked": (
        lambda file: file.__setitem__("group/deep", h5py.ExternalLink("secret.h5", "values")),
        "group/deep: is a link",
    ),
    "huge": (declared((10**9,), chunks=(1000,), compression="gzip"), r"values: declares 8,000\.0 MB"),
    "huge contiguous": (declared((10**9,)), "values: declares"),
    "huge chunk": (
        lambda file: file.create_dataset("values", (4,), dtype="f8", chunks=(10**8,), maxshape=(None,)),
        "values: declares 800",
    ),
    "packed by a plugin": (
        lambda file: file.create_dataset("values", data=np.zeros(4), chunks=(4,), scaleoffset=3),
        "values: is packed by an unknown filter",
    ),
    "text of any length": (
        lambda file: file.attrs.__setitem__("note", "words"),
        "note: is neither a number nor a text",
    ),
    "compound": (
        lambda file: file.create_dataset("values", data=np.zeros(4, dtype=[("a", "f8")])),
        "values: is neither a number nor a text",
    ),
    "a ring of groups": (lambda file: file.__setitem__("ring", file["/"]), "too many inside each other"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_what_reaches_beyond_the_file_is_refused_before_it_is_read(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret.bin").write_bytes(np.arange(4.0).tobytes())
    with h5py.File(tmp_path / "secret.h5", "w") as file:
        file["values"] = np.arange(4.0)
    change, message = HOSTILE[kind]
    path = hostile(tmp_path / "a.h5", change)
    read: list[str] = []
    monkeypatch.setattr(h5py.Dataset, "__getitem__", lambda *_: read.append("data"))
    for reader in (lambda: KIND.read(path, take), lambda: hf.load(path)):
        with pytest.raises(FileError, match=message) as caught:
            reader()
        assert caught.value.fix and not read


def test_a_small_file_cannot_claim_gigabytes(tmp_path: Path) -> None:
    """In a process of its own: the peak of memory rises by less than 50 MB."""
    path = hostile(tmp_path / "a.h5", declared((10**9,), chunks=(10**7,), compression="gzip", fillvalue=1.0))
    assert path.stat().st_size < 5000
    code = (
        "import sys, holdfast as hf, h5py\n"
        "from pathlib import Path\n"
        "peak = lambda: int(Path('/proc/self/status').read_text().partition('VmHWM:')[2].split()[0])\n"
        "start = peak()\n"
        "try: hf.load(sys.argv[1])\n"
        "except hf.HoldfastError as error: print(error)\n"
        "print(peak() - start)\n"
    )
    found = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True)
    *said, growth = found.stdout.splitlines()
    assert "declares 8,000.0 MB" in said[0] and int(growth) < 50_000


def test_what_an_archive_packs_well_is_still_read(tmp_path: Path) -> None:
    KIND.write(tmp_path / "a.h5", Contents({}, {"values": np.zeros(2_000_000)}))
    assert (tmp_path / "a.h5").stat().st_size < 100_000
    assert len(KIND.read(tmp_path / "a.h5", take)) == 2_000_000

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.errors import FileError
from holdfast.storage import write_whole


def test_a_file_is_replaced_whole_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    write_whole(path, b"first")
    write_whole(path, b"second")
    assert path.read_bytes() == b"second" and list(tmp_path.iterdir()) == [path]


def test_what_cannot_be_written_leaves_the_old_file_as_it_was(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="make its folder first"):
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
    with pytest.raises(FileError, match="is no name of a file"):
        write_whole(Path(name), b"data")

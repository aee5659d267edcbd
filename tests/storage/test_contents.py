from __future__ import annotations

import io

import h5py
import numpy as np

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

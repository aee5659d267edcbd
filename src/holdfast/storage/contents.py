"""Contents: what goes into an archive, and the words and numbers it is stored as."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..checks import Array

#: Bytes of a chunk, which is compressed and checked as one.
CHUNK = 2**20


@dataclass(frozen=True)
class Contents:
    """What an archive holds; the same contents in the same order give the same bytes.

    Attributes:
        facts: words, numbers and lists of words of the whole file, by name.
        arrays: arrays by name; "group/name" stands in a group. Stored in the type they have.
        groups: facts of groups without arrays, by group.
        notes: facts of arrays, or of groups that hold arrays, by their name.
    """

    facts: Mapping[str, Any]
    arrays: Mapping[str, Array]
    groups: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    notes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def packed(self) -> bytes:
        """The HDF5 file in memory."""
        import h5py

        memory = io.BytesIO()
        # From version 1.10 of the library on every part of a file carries a checksum.
        with h5py.File(memory, "w", libver=("v110", "v110")) as file:
            _put(file, self.facts)
            for name, facts in self.groups.items():
                _put(file.create_group(name), facts)
            for name, values in self.arrays.items():
                look = {"chunks": _chunks(values), "compression": "gzip", "shuffle": True, "fletcher32": True}
                file.create_dataset(name, data=values, track_times=False, **(look if values.size else {}))
            for name, facts in self.notes.items():
                _put(file[name], facts)
        return memory.getvalue()


def _put(place: Any, facts: Mapping[str, Any]) -> None:
    for name, value in facts.items():
        place.attrs[name] = stored(value)


def stored(value: Any) -> Any:
    """Words as text of a fixed length, which stands where checksums guard it; numbers as they are.

    Text of any length would go to a heap that has no checksum, and a damaged one can keep the library busy for ever.
    """
    import h5py

    if not isinstance(value, (str, list, tuple)):
        return value
    words = [value.encode()] if isinstance(value, str) else [word.encode() for word in value]
    kind = h5py.string_dtype("utf-8", max(1, *(len(word) for word in words)))
    return np.array(words[0] if isinstance(value, str) else words, dtype=kind)


def words(value: Any) -> Any:
    """What `stored` made of words and numbers, as Python's own."""
    plain = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(plain, list):
        return [words(entry) for entry in plain]
    return plain.decode() if isinstance(plain, bytes) else plain


def _chunks(values: Array) -> tuple[int, ...]:
    """Chunks of about a megabyte along the first axis."""
    row = max(1, values[:1].nbytes)
    return (max(1, min(len(values), CHUNK // row)), *values.shape[1:])

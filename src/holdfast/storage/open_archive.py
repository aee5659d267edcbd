"""An archive that is open for reading: its facts and arrays, each checked as it is taken."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..checks import Array
from ..errors import FileError
from .contents import words


class OpenArchive:
    """The facts and arrays of one file; what is missing or wrong is a `FileError` that names it.

    Attributes:
        path: the file.
        rewrite: what to do when the file is damaged.
    """

    def __init__(self, file: Any, path: Path, rewrite: str) -> None:
        self._file = file
        self._sizes: dict[str, int] = {}
        self.path = path
        self.rewrite = rewrite

    def __contains__(self, name: str) -> bool:
        return name in self._file

    def fault(self, what: str, field: str, fix: str | None = None) -> FileError:
        """The error that says what is wrong with a field of this file."""
        return FileError(what, path=self.path, field=field, fix=self.rewrite if fix is None else fix)

    def has_fact(self, name: str, group: str = "") -> bool:
        """Whether there is a fact of that name, of the whole file or of a group."""
        return name in self._place(group).attrs

    def fact(self, name: str, group: str = "") -> Any:
        """A fact of the whole file, or of a group."""
        place = self._place(group)
        if name not in place.attrs:
            raise self.fault("is missing", f"{group}/{name}" if group else name)
        return words(place.attrs[name])

    def facts(self, group: str = "") -> dict[str, Any]:
        """All facts of the whole file, or of a group."""
        return {name: words(value) for name, value in self._place(group).attrs.items()}

    def array(self, name: str, shape: tuple[str | int, ...], *, whole: bool = False) -> Array:
        """An array of that shape, of float64, or of int64 where whole numbers are wanted; read-only.

        A letter in `shape` means the same length wherever it stands in this file.
        """
        if name not in self._file:
            raise self.fault("is missing", name)
        stored, sizes = self._file[name], self._sizes
        found = tuple(getattr(stored, "shape", None) or ())  # a group where a data set should be has none
        fits = len(found) == len(shape)
        if fits:
            for want, have in zip(shape, found, strict=True):
                fits = fits and (sizes.setdefault(want, have) if isinstance(want, str) else want) == have
        if not fits:
            wanted = ", ".join(str(sizes.get(str(want), want)) for want in shape)
            raise self.fault(f"has shape {found}", name, f"the shape must be ({wanted})")
        if stored.dtype.kind not in ("iu" if whole else "f"):
            kind = "whole numbers" if whole else "numbers"
            raise self.fault(f"has type {stored.dtype}", name, f"{kind} are expected")
        try:
            values = np.asarray(stored[()], dtype=np.int64 if whole else np.float64)
        except (OSError, RuntimeError, ValueError) as error:
            raise self.fault(f"cannot be read, its data are damaged: {error}", name) from None
        values.setflags(write=False)
        return values

    def _place(self, group: str) -> Any:
        if group and group not in self._file:
            raise self.fault("is missing", group)
        return self._file[group] if group else self._file

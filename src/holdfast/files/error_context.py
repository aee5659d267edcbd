"""Where in the file the builder stands, so that every fault found while building names its line and field."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ..errors import FileError, HoldfastError, SceneError
from .yaml_source import Source, below

_FIELD = re.compile(r"([A-Za-z_]\w*)((?:\[\d+\])*)")


@dataclass(frozen=True)
class Site:
    """A place in a scene file.

    Attributes:
        source: the file.
        place: keys and numbers from the top.
    """

    source: Source
    place: tuple[str | int, ...] = ()

    def __truediv__(self, step: str | int) -> Site:
        """The place one step down."""
        return Site(self.source, (*self.place, step))

    def fault(self, what: str, *, fix: str) -> SceneError:
        """The error that `what` is wrong here."""
        return self.source.fault(what, self.place, fix=fix)

    def file(self, reference: str) -> Path:
        """A file named in the scene; relative names count from the scene file's folder."""
        return self.source.path.parent / reference

    @contextmanager
    def watch(self) -> Iterator[None]:
        """Turn every HoldfastError below into a SceneError of this place, or of the field that it names."""
        try:
            yield
        except SceneError:
            raise
        except FileError as error:
            raise self.fault(f"{error.where}: {error.what}", fix=error.fix) from None
        except HoldfastError as error:
            place, rest = self._named(error.where)
            what = f"{rest}: {error.what}" if rest else error.what
            raise self.source.fault(what, place, fix=error.fix) from None

    def _named(self, where: str) -> tuple[Sequence[str | int], str]:
        """The place of the field that an error calls `where`, and what of `where` names no field of the file."""
        match = _FIELD.fullmatch(where)
        if match is None:
            return self.place, where
        steps: list[str | int] = [match[1], *(int(number) for number in re.findall(r"\d+", match[2]))]
        data = self.source.data
        for step in self.place:
            data = below(data, step)[1]
        for count, step in enumerate(steps):
            there, data = below(data, step)
            if not there:
                return (*self.place, *steps[:count]), where if count == 0 else ""
        return (*self.place, *steps), ""

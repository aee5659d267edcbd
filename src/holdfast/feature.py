"""What a feature adds to the doors of Holdfast: commands, pages of the viewer, kinds of files, families of kernels.

The `feature.py` of a feature imports this module alone. Functions are named as "module:function", with the module below
`holdfast`, and imported when they are used, so that a list of all features loads nothing. `features` is that list.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Any

#: The folder of the ready files, with one folder per kind.
DATA = Path(__file__).resolve().parent / "data"


def imported(target: str) -> Any:
    """The object called "module:name"."""
    module, name = target.split(":")
    return attrgetter(name)(importlib.import_module(module))


@dataclass(frozen=True)
class Command:
    """A command. The text on its exit codes is NAME_EXIT_CODES in its module, by default that of all commands.

    Attributes:
        summary: what it does, in one line.
        place: its place in the help; by default after all others.
        target: "module:name" of its function or of its group of commands; by default the function of its name in
            `command.py` of the feature.
        several: whether it takes scenes with several bodies.
        exit_codes: whether its help ends with its exit codes.
    """

    summary: str
    place: int = 1000
    target: str = ""
    several: bool = False
    exit_codes: bool = True


@dataclass(frozen=True)
class FileKind:
    """A kind of file.

    Attributes:
        name: in messages: "posture".
        commands: the commands that take it: "posture", "grip show"; where none does, see `advice`.
        reader: "module:function" that reads it; "" where `load` does not read it.
        fields: top-level fields of YAML files that only this kind has; a file with one of them is of this kind.
        folder: the folder of its ready files below `DATA`; "" when there are none.
        ready: "module:function" that gives the titles of ready ones by their names, where these are not files.
        suffixes: suffixes of its files, where these determine the kind.
        word: the "format" in its files, JSON or HDF5, where that determines the kind.
        advice: what else can be done with such a file.
        page: the page of the documents about such files.
        variants: commands by the value of the first of `fields`, where they depend on it.
    """

    name: str
    commands: tuple[str, ...] = ()
    reader: str = ""
    fields: tuple[str, ...] = ()
    folder: str = ""
    ready: str = ""
    suffixes: tuple[str, ...] = ()
    word: str = ""
    advice: str = ""
    page: str = ""
    variants: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def is_decisive(self) -> bool:
        """Whether one field determines the kind, whatever else a file has."""
        return len(self.fields) == 1

    def read(self, path: object, **options: Any) -> Any:
        """What its reader returns."""
        return imported(f"holdfast.{self.reader}")(path, **options)

    def names(self) -> list[str]:
        """Names of the ready ones, in order."""
        if self.ready:
            return list(imported(f"holdfast.{self.ready}")())
        return sorted(path.stem for path in (DATA / self.folder).glob("*.yaml")) if self.folder else []

    def titles(self) -> list[tuple[str, str]]:
        """("@name", what it is) of each ready one."""
        return [(f"@{name}", self.title(name)) for name in self.names()]

    def title(self, name: str) -> str:
        """What a ready one is: the first comment in its file."""
        if self.ready:
            return imported(f"holdfast.{self.ready}")()[name]
        for line in (DATA / self.folder / f"{name}.yaml").read_text(encoding="utf-8").splitlines():
            if line.startswith("# ") and "yaml-language-server" not in line:
                return line.removeprefix("# ")
        return ""


@dataclass(frozen=True)
class Kernels:
    """A family of compiled kernels.

    Attributes:
        name: what they are for.
        use: "module:function" that calls all of them.
        stored: "module:kernel" of some; the family is compiled where these are stored.
        place: its place in the order of compiling, the longest first; by default after all others.
    """

    name: str
    use: str
    stored: tuple[str, ...] = ()
    place: int = 1000


@dataclass(frozen=True)
class Feature:
    """What one feature adds.

    Attributes:
        commands: by their names.
        menu: the place in the menu of its pages, which are `ENTRIES` in its `page.py`; 0 without pages.
        shows: names of the kinds of files that `file_pages` in its `page.py` makes pages of.
        files: kinds of files.
        kernels: families of kernels.
    """

    commands: Mapping[str, Command] = field(default_factory=dict)
    menu: int = 0
    shows: tuple[str, ...] = ()
    files: Sequence[FileKind] = ()
    kernels: Sequence[Kernels] = ()

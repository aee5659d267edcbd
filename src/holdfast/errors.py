"""What can go wrong, as exceptions that carry their data.

Failing to *ask properly* is an exception: it says what is wrong, where, and what would be
right. Failing to *find* (nothing holds, a limit was reached) is never an exception but a status on
the result.
"""

from __future__ import annotations

import difflib
import re
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

#: Longest part of a message [characters]: a name or a value in it may be as long as a file.
LONGEST_TEXT = 4000

#: Most names that a message lists, most names that an unknown name is compared with, and the longest of them.
MOST_NAMES = 100
MOST_COMPARED = 1000
LONGEST_NAME = 100


def shortened(text: str, most: int = LONGEST_TEXT) -> str:
    """The text, without its middle where it is longer than `most` characters."""
    if len(text) <= most:
        return text
    return f"{text[: most // 2]} ... ({len(text) - most:,} characters) ... {text[-(most // 2) :]}"


#: Characters that steer a terminal or hide in a text: control characters except newline and tab, half surrogates, marks
#: that change the direction of writing, ends of lines other than the newline, and signs without width.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def visible(text: str) -> str:
    r"""The text with characters that steer a terminal, or that nobody sees, as their numbers: \u001b, as in JSON."""
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class HoldfastError(Exception):
    """Base of every error Holdfast raises on purpose.

    Attributes:
        what: the fault, in one sentence.
        where: the argument, field, row or file it was found in ("" when there is only one place).
        fix: what would be right.
    """

    def __init__(self, what: str, *, where: str = "", fix: str = "") -> None:
        self.what = shortened(what)
        self.where = shortened(where)
        self.fix = shortened(fix)
        super().__init__(self.what, self.where, shortened(fix))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the class, the arguments and the data, so that errors can be sent between processes."""
        return _restored, (type(self), self.args, dict(vars(self)))

    def __str__(self) -> str:
        text = f"{self.where}: {self.what}" if self.where else self.what
        return f"{text} ({self.fix})" if self.fix else text


def _restored(kind: type[HoldfastError], args: tuple[Any, ...], data: dict[str, Any]) -> HoldfastError:
    error = kind.__new__(kind, *args)
    vars(error).update(data)
    return error


class InputError(HoldfastError, ValueError):
    """An argument has a wrong shape, a wrong value or a value out of its range."""


class GeometryError(InputError):
    """Vertices, rays or samples do not describe the kind of set that was asked for."""


class FrameError(InputError):
    """A value is not a valid rotation, normal or pose."""


class UnitError(InputError):
    """A unit is unknown, or it measures another quantity than the expected one."""


class FileError(InputError):
    """A file cannot be read, written or understood.

    Attributes:
        path: the file.
        line: one-based line number, or None when the whole file is meant.
        field: dotted name of the field or column, or "".
    """

    def __init__(self, what: str, *, path: str | Path, line: int | None = None, field: str = "", fix: str = "") -> None:
        self.path = Path(path)
        self.line = line
        self.field = field
        place = str(path) if line is None else f"{path}:{line}"
        super().__init__(what, where=f"{place}: {field}" if field else place, fix=fix)


def unwritable(path: str | Path, error: OSError) -> FileError:
    """The error for a file that the system does not write."""
    fix = "give a file in a folder with write permission"
    return FileError(f"cannot be written: {error.strerror or error}", path=path, fix=fix)


class MeasurementError(FileError):
    """A measurement file has a fault."""


class SceneError(FileError):
    """A scene file has a fault.

    Attributes:
        count: how many faults this error stands for: more than 1 where it summarises those that a list leaves out.
    """

    count: int = 1


class UnknownNameError(InputError):
    """A name is not among those that exist.

    Attributes:
        name: the name that was given.
        choices: the names that exist.
        nearest: the most similar existing name, or "" when none is similar.
    """

    def __init__(self, kind: str, name: str, choices: Iterable[str], *, where: str = "") -> None:
        self.name = name
        self.choices = tuple(choices)
        self.nearest = nearest(name, self.choices)
        left = len(self.choices) - MOST_NAMES
        listed = ", ".join(self.choices[:MOST_NAMES]) + (f" and {left:,} more" if left > 0 else "")
        fix = f"did you mean {self.nearest!r}? " if self.nearest else ""
        super().__init__(f"there is no {kind} {name!r}", where=where, fix=f"{fix}known: {listed or 'none'}")


def nearest(name: str, choices: Iterable[str]) -> str:
    """The name of `choices` that is most similar to `name`; "" when none is similar."""
    near = [choice for choice in tuple(choices)[:MOST_COMPARED] if len(choice) <= LONGEST_NAME]
    alike = difflib.get_close_matches(name, near, n=1, cutoff=0.5) if len(name) <= LONGEST_NAME else []
    return alike[0] if alike else ""


class UnknownAttributeError(HoldfastError, AttributeError):
    """A package of Holdfast has no such name.

    The advice (`fix`) is computed when it is read, not when the error is raised: Python itself looks up missing names
    whenever a module of a package is imported.

    Attributes:
        package: the package.
        attribute: the name that was asked for.
        choices: the public names of the package.
    """

    def __init__(self, package: str, attribute: str, choices: Iterable[str]) -> None:
        self.package, self.attribute, self.choices = package, attribute, tuple(choices)
        super().__init__(f"there is no {attribute!r}", where=package)

    @property
    def fix(self) -> str:
        """Where the same name is public, or the most similar name of the package."""
        if found := self.elsewhere:
            return f"it is {' or '.join(found)}"
        alike = nearest(self.attribute, self.choices)
        return f"did you mean {self.package}.{alike}?" if alike else f"see dir({self.package})"

    @fix.setter
    def fix(self, value: str) -> None:
        pass

    @property
    def elsewhere(self) -> list[str]:
        """Where in Holdfast the same name is public: "holdfast.reliability.Scatter"."""
        import importlib
        import pkgutil

        whole = importlib.import_module(__package__ or "")
        inside = [f"{whole.__name__}.{module.name}" for module in pkgutil.iter_modules(whole.__path__) if module.ispkg]
        rooms = [whole, *map(importlib.import_module, inside)]
        return [f"{room.__name__}.{self.attribute}" for room in rooms if self.attribute in getattr(room, "__all__", ())]


class ArgumentError(InputError, TypeError):
    """A function or class was called with arguments that it does not have, or without some that it needs."""


class MissingDependencyError(HoldfastError, ImportError):
    """An optional package is needed and is not installed."""

    def __init__(self, package: str, *, purpose: str, install: str) -> None:
        self.package = package
        super().__init__(f"{purpose} needs {package}, which is not installed", fix=f"run: {install}")


def missing_extra(package: str, extra: str, *, purpose: str) -> MissingDependencyError:
    """The error that `purpose` needs a package which the extra `extra` of Holdfast installs."""
    return MissingDependencyError(package, purpose=purpose, install=f'pip install "holdfast[{extra}]"')


class SolverError(HoldfastError):
    """A numerical backend failed; this says nothing about whether the contacts hold."""


class WorkerError(HoldfastError):
    """Worker processes or a cluster cannot be reached, or were lost during the computation."""


class JournalWarning(UserWarning):
    """A part of a sweep's journal was damaged; what it held is computed again.

    Attributes:
        path: the journal.
        lines: one-based numbers of the lines that are damaged or belong to another sweep.
        queries: indices of the queries that are computed again, as far as they are known.
    """

    def __init__(
        self, message: str, *, path: str | Path, lines: Iterable[int] = (), queries: Iterable[int] = ()
    ) -> None:
        self.path = Path(path)
        self.lines = tuple(lines)
        self.queries = tuple(queries)
        super().__init__(message)


def warn_caller(warning: Warning) -> None:
    """Issue a warning that points to the line outside Holdfast that asked."""
    level, frame, inner = 1, sys._getframe(), ("holdfast", "contextlib")  # contexts call through the latter
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in inner:
        level, frame = level + 1, frame.f_back
    warnings.warn(warning, stacklevel=level)

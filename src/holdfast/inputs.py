"""Files: which are opened, how much of them is read, how text becomes XML, JSON or table rows, how one is written.

Every reader of files goes through here, so that all have the same limits and the same errors. A path is a text or a
`PathLike` without a null character. Only plain files are opened: a pipe or a device could keep the reader waiting or
never end. The size is checked before anything is read, and the depth of XML and JSON while it is parsed. A file is
written under a name that nobody can guess, and then renamed: a link that somebody has put there is not followed. Faults
raise `FileError`, or the subclass of it that is given as `error`.
"""

from __future__ import annotations

import contextlib
import csv
import difflib
import itertools
import json
import os
import re
import secrets
import stat
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from .errors import FileError, InputError, unwritable

#: Largest file of text that is read: tables, drawings, robots, JSON [bytes].
LARGEST_TEXT = 64 * 1024 * 1024

#: Most names in a folder that are compared with the name of a missing file.
MOST_BESIDE = 1000

#: Most XML elements inside each other, and most in total; drawings and robots have fewer.
DEEPEST_XML = 100
MOST_ELEMENTS = 500_000

#: Largest XML text that declares entities: the parser lets them repeat a text a hundred times [characters].
LARGEST_WITH_ENTITIES = 1_000_000


def checked_path(
    path: object,
    *,
    where: str = "path",
    fix: str = "give the name of a file",
    error: type[FileError] = FileError,
) -> Path:
    """A file name as a Path; anything else, such as None or a number, raises InputError."""
    name = os.fspath(path) if isinstance(path, (str, os.PathLike)) else path
    if not isinstance(name, str):
        what = "is None" if path is None else f"is a {type(path).__name__}"
        raise InputError(what, where=where, fix=fix)
    if "\0" in name:
        shown = name.replace("\0", "\\0")
        raise error("has a null character in its name", path=shown, fix="give a name without it")
    return Path(name)


def plain_file(path: object, *, most: int | None = None, error: type[FileError] = FileError) -> Path:
    """The path of a plain file that exists and has at most `most` bytes; nothing of it is read yet.

    A folder, a pipe, a device or a socket is refused.
    """
    place = checked_path(path, error=error)
    try:
        found = place.stat()
    except (FileNotFoundError, NotADirectoryError):
        raise error("there is no such file", path=place, fix=_nearest_file(place)) from None
    except (OSError, ValueError) as reason:  # a ValueError: the name cannot be encoded
        cause = (reason.strerror if isinstance(reason, OSError) else None) or str(reason)
        raise error(
            f"cannot be read: {cause}", path=_printable(place), fix="check the path and its permissions"
        ) from None
    if not stat.S_ISREG(found.st_mode):
        what = "is a folder" if stat.S_ISDIR(found.st_mode) else "is not a regular file, but a pipe or a device"
        raise error(what, path=place, fix="name a file in it" if "folder" in what else "save it as a file first")
    if most is not None and found.st_size > most:
        raise error(f"is too large ({found.st_size / 1e6:,.0f} MB)", path=place, fix=f"at most {most / 1e6:,.0f} MB")
    return place


def is_file(path: Path) -> bool:
    """Whether the path is a plain file; False also for a name that no file can have."""
    return os.path.isfile(path)  # noqa: PTH113 - Path.is_file raises for a name that is too long


def _nearest_file(path: Path) -> str:
    """Advice on a missing file: the most similar file name in its folder, if there is one."""
    try:
        beside = [entry.name for entry in itertools.islice(path.parent.iterdir(), MOST_BESIDE)]
    except OSError:
        beside = []
    alike = difflib.get_close_matches(path.name, beside, n=1)
    return f"did you mean {alike[0]!r}?" if alike else "check the path"


def _printable(path: Path) -> str:
    return str(path).encode("utf-8", "backslashreplace").decode()


def file_bytes(path: object, *, most: int = LARGEST_TEXT, error: type[FileError] = FileError) -> bytes:
    """The content of a plain file of at most `most` bytes; see `plain_file`."""
    place = plain_file(path, most=most, error=error)
    try:
        with place.open("rb") as file:
            return file.read(most)
    except OSError as reason:
        cause = reason.strerror or str(reason)
        raise error(f"cannot be read: {cause}", path=place, fix="check the path and its permissions") from None


def file_text(path: object, *, most: int = LARGEST_TEXT, error: type[FileError] = FileError) -> str:
    """The text of a plain file in UTF-8, with or without a byte-order mark; see `plain_file`."""
    raw = file_bytes(path, most=most, error=error)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as reason:
        line = raw[: reason.start].count(b"\n") + 1
        fix = "save it as UTF-8 text"
        raise error("is not a text file in UTF-8", path=checked_path(path), line=line, fix=fix) from None


class _Bounded(ElementTree.TreeBuilder):
    """Builds the tree of an XML text up to a depth and a number of elements."""

    def __init__(self, path: str | Path) -> None:
        super().__init__()
        self._path, self._depth, self._count = path, 0, 0

    def start(self, tag: str, attrs: dict[Any, Any], /) -> ElementTree.Element:
        self._depth += 1
        self._count += 1
        if self._depth > DEEPEST_XML:
            fix = f"at most {DEEPEST_XML} elements inside each other"
            raise FileError(f"is nested too deeply, at <{tag}>", path=self._path, fix=fix)
        if self._count > MOST_ELEMENTS:
            raise FileError(f"has more than {MOST_ELEMENTS:,} elements", path=self._path, fix="leave some out")
        return super().start(tag, attrs)

    def end(self, tag: str, /) -> ElementTree.Element:
        self._depth -= 1
        return super().end(tag)


def parsed_xml(text: str, path: str | Path, *, what: str = "is not XML", fix: str = "correct the XML there") -> Any:
    """The root element of an XML text, of bounded depth and size; other text raises FileError with the line.

    Args:
        text: the XML.
        path: the file named in errors.
        what: the beginning of the error, if the text cannot be parsed.
        fix: what to do then.
    """
    if len(text) > LARGEST_WITH_ENTITIES and "<!ENTITY" in text:
        size = f"{LARGEST_WITH_ENTITIES:,} characters"
        raise FileError("declares entities in a large file", path=path, fix=f"write them out, or at most {size}")
    parser = ElementTree.XMLParser(target=_Bounded(path))
    try:
        parser.feed(text)
        return parser.close()
    except ElementTree.ParseError as error:
        raise FileError(f"{what}: {error}", path=path, line=error.position[0], fix=fix) from None
    except (UnicodeError, LookupError, ValueError) as error:  # half a surrogate, or an encoding that is unknown
        if isinstance(error, FileError):
            raise
        raise FileError(f"{what}: {error}", path=path, fix=fix) from None


def parsed_json(path: object, *, fix: str) -> Any:
    """The content of a JSON file; `fix` says what to give instead of a damaged file."""
    text = file_text(path)
    place = checked_path(path)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        what = f"is not JSON, or is cut short: {error.msg}"
        raise FileError(what, path=place, line=error.lineno, fix=fix) from None
    except RecursionError:
        raise FileError("is nested too deeply", path=place, fix=fix) from None
    except ValueError as error:  # a whole number of thousands of digits
        raise FileError(f"is not JSON: {error}", path=place, fix=fix) from None


def csv_cells(
    line: str, delimiter: str, path: str | Path, number: int | None, *, error: type[FileError] = FileError
) -> list[str]:
    """The cells of line `number` of a table; a quoted cell must end on the same line."""
    try:
        return next(csv.reader([line], delimiter=delimiter, strict=True), [])
    except csv.Error as reason:
        what = f"cannot be split into cells: {reason}"
        raise error(what, path=path, line=number, fix="check the quotes, and shorten long cells") from None


#: How texts begin that spreadsheets take for formulas, and texts that are numbers, or a dash, and may begin so.
FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_NUMBERS = re.compile(r"-|[-+]?(\d[\d.]*(e[-+]?\d+)?|inf)(; [-+]?(\d[\d.]*(e[-+]?\d+)?|inf))*")


def quoted_formula(text: str) -> str:
    """A text for a cell of CSV: one that a spreadsheet would take for a formula begins with an apostrophe."""
    return f"'{text}" if _is_formula(text) else text


def unquoted_formula(cell: str) -> str:
    """The text of which `quoted_formula` made a cell."""
    return cell[1:] if cell.startswith("'") and _is_formula(cell) else cell


def _is_formula(text: str) -> bool:
    """Whether a spreadsheet would take a text for a formula, without the apostrophes at its beginning."""
    bare = text.lstrip("'")
    return bare.lstrip(" \xa0").startswith(FORMULAS) and not _NUMBERS.fullmatch(bare)


# -- writing -----------------------------------------------------------------------------------------


#: How a new file is opened: it must not exist, not even as a link.
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)

#: Where names lead to open files and devices, and links are followed; not /dev/shm, where everybody may write.
_SYSTEM = ("/dev/fd/", "/dev/std", "/proc/")


def write_all(handle: int, data: bytes) -> None:
    """Write all of `data` to the operating system, where it survives the death of this process."""
    left = memoryview(data)
    while left:
        left = left[os.write(handle, left) :]


def unfinished(path: Path) -> list[Path]:
    """What `replace_file` has left beside `path` where its process was killed."""
    start = f".{path.name[:100]}."
    return [beside for beside in path.parent.iterdir() if beside.name.startswith(start) and beside.suffix == ".part"]


def replace_file(path: Path, data: bytes) -> None:
    """Replace a file in one step: a process that is killed leaves the old or the new one. Raises OSError.

    A link is replaced, not followed; a file keeps its permissions.
    """
    part = path.with_name(f".{path.name[:100]}.{secrets.token_hex(8)}.part")
    try:
        _put(part, data, like=path)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _put(path: Path, data: bytes, *, like: Path | None = None) -> None:
    """Write a new file, with the permissions of the file `like` where that is a plain file."""
    handle = os.open(path, _NEW, 0o666)
    try:
        if like is not None and hasattr(os, "fchmod"):
            with contextlib.suppress(OSError):
                found = os.lstat(like)
                if stat.S_ISREG(found.st_mode):
                    os.fchmod(handle, stat.S_IMODE(found.st_mode) & 0o777)
        write_all(handle, data)
        os.fsync(handle)
    finally:
        os.close(handle)


def write_whole(path: str | os.PathLike[str], data: bytes, *, new: bool = False) -> Path:
    """Write a file: it is complete or unchanged, and a link is replaced, not followed; the path written.

    Devices and pipes are written to. With `new`, a file that exists is an error.
    """
    target = checked_path(path)
    if not target.name:
        raise FileError("is not the name of a file", path=target, fix="name a file, not a folder")
    try:
        if new:
            _put(target, data)
        elif _is_stream(target):
            with target.open("ab") as stream:
                stream.write(data)
        else:
            replace_file(target, data)
    except FileExistsError:
        raise FileError("exists already", path=target, fix="give another file name, or --force") from None
    except OSError as error:
        if not target.parent.is_dir():
            raise FileError("cannot be written: no such folder", path=target, fix="create its folder first") from None
        raise unwritable(target, error) from None
    return target


def _is_stream(path: Path) -> bool:
    """Whether a name leads to a pipe, a device or what a process has open."""
    try:
        found = path.lstat()
    except OSError:
        return False
    if stat.S_ISLNK(found.st_mode):
        return str(path.absolute()).startswith(_SYSTEM)
    return not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode))

"""YAML text to plain data with line numbers, safe for any text; and plain data back to text.

Numbers and booleans are read as in JSON: `1e-3` is a number, `no` and `1:30` are words. Tags and merge keys are
refused, keys are words and unique, and aliases cannot expand a small file to a very large one.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import yaml
import yaml.composer

from ..errors import FileError, HoldfastError, SceneError
from ..inputs import file_text

#: Largest file that is read [bytes]; large tables of numbers belong in files of their own.
LARGEST_FILE = 8_000_000

#: Values a file may stand for once its aliases are expanded; it bounds the time in which a file is refused.
MOST_VALUES = 200_000

#: Deepest nesting that is read.
DEEPEST = 50

#: A file of this name marks a folder of uploaded files. They can name only files of the same folder, and run nothing.
UPLOADED = ".uploaded"

_PREFIX = "tag:yaml.org,2002:"
_RESOLVERS = {
    "null": (r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    "bool": (r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    "int": (r"[-+]?[0-9]+", list("-+0123456789")),
    "float": (
        r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)",
        list("-+.0123456789"),
    ),
}
_PATTERNS = {kind: re.compile(pattern) for kind, (pattern, _) in _RESOLVERS.items()}

#: Kinds that a word may be, by its first letter.
_BY_FIRST: dict[str, list[str]] = {}
for _kind, (_pattern, _first) in _RESOLVERS.items():
    for _letter in _first:
        _BY_FIRST.setdefault(_letter, []).append(_kind)

#: Whole numbers with more digits are read as floats: no field wants them, and their conversion is slow.
_MOST_DIGITS = 30


_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # that of libyaml is ten times as fast


class _Dumper(yaml.SafeDumper):
    """The YAML writer that quotes texts which this reader or a usual one would read as another type."""

    def ignore_aliases(self, data: Any) -> bool:
        """Write repeated values out."""
        return True

    def represent_list_by_content(self, data: list[Any]) -> yaml.Node:
        """Numbers in one row, all else line by line."""
        row = all(isinstance(value, (int, float)) for value in data)
        return self.represent_sequence(_PREFIX + "seq", data, flow_style=row)


_Dumper.add_representer(list, _Dumper.represent_list_by_content)
for _kind, (_pattern, _first) in _RESOLVERS.items():
    _Dumper.add_implicit_resolver(_PREFIX + _kind, re.compile(f"^(?:{_pattern})$"), _first)


def yaml_text(data: Any) -> str:
    """Plain data as YAML that `read_source` reads back to the same; floats in full."""
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, width=120, allow_unicode=True, default_flow_style=False)


#: One-based lines of a value and of all in it: a number for a word, (line, those inside) for a mapping or a list.
Lines = int | tuple[int, "dict[str, Lines] | list[Lines]"]


def _first_line(lines: Lines) -> int:
    return lines if isinstance(lines, int) else lines[0]


@dataclass(frozen=True)
class YamlSource:
    """A file as plain data, with the lines of its parts.

    Attributes:
        path: the file.
        data: dictionaries, lists, strings, numbers, booleans, None.
    """

    path: Path
    data: Any
    _lines: Lines | None = field(default=None, repr=False)

    def line(self, place: Sequence[str | int]) -> int:
        """One-based line of the value at `place` (keys and numbers from the top), or of the last part that exists.

        That of a value in a mapping is the line of its key: a mapping begins below it.
        """
        node = self._lines
        line = 1 if node is None else _first_line(node)
        for step in place:
            there, node = below(node[1] if isinstance(node, tuple) else None, step)
            if not there:
                break
            line = _first_line(node)
        return line

    def fault(self, what: str, place: Sequence[str | int] = (), *, fix: str = "") -> SceneError:
        """The error that `what` is wrong at `place`."""
        line = None if self._lines is None else self.line(place)
        return SceneError(what, path=self.path, line=line, field=dotted(place), fix=fix)


def is_uploaded(folder: Path | None) -> bool:
    """Whether the files of a folder were uploaded by a browser."""
    return folder is not None and (folder / UPLOADED).is_file()


def dotted(place: Sequence[str | int]) -> str:
    """("contacts", 0, "volume") as contacts[0].volume."""
    text = ""
    for step in place:
        text += f"[{step}]" if isinstance(step, int) else (f".{step}" if text else step)
    return text


def below(data: Any, step: Any) -> tuple[bool, Any]:
    """Whether plain data has something at the key or number `step`, and what."""
    if isinstance(data, dict) and isinstance(step, str) and step in data:
        return True, data[step]
    if isinstance(data, list) and isinstance(step, int) and 0 <= step < len(data):
        return True, data[step]
    return False, None


@contextmanager
def collecting_later() -> Iterator[None]:
    """No garbage collection in the block, nor in a function that this decorates.

    Reading makes many small objects and no garbage: searching them again and again takes longer than the rest.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@collecting_later()
def read_source(path: str | Path) -> YamlSource:
    """The file at `path` as plain data with line numbers; every fault is a SceneError."""
    text = file_text(path, most=LARGEST_FILE, error=SceneError)
    file = Path(path)
    try:
        found = _Reading(text, file).document()
    except yaml.MarkedYAMLError as error:
        raise _syntax_fault(file, text, error) from None
    except yaml.YAMLError as error:
        raise SceneError(f"is not YAML: {_one_line(error)}", path=file, fix="write plain text") from None
    if found is None:
        raise SceneError("is empty", path=file, line=1, fix="begin with: holdfast: 1")
    return YamlSource(file, *found)


def _syntax_fault(path: Path, text: str, error: yaml.MarkedYAMLError) -> SceneError:
    """What YAML could not understand, at its line."""
    mark = error.problem_mark or error.context_mark
    line = None if mark is None else min(mark.line, text.count("\n")) + 1
    problem = error.problem or "it cannot be parsed"
    what = (
        f"is not valid YAML: {error.context}, {problem}"
        if problem.startswith("but")
        else f"is not valid YAML: {problem}"
    )
    fix = "check indentation, colons and brackets"
    if "\\t" in (error.problem or "") or (mark is not None and "\t" in _line(text, mark.line)):
        fix = "indent with spaces, not with tabs"
    elif error.problem and "<stream end>" in error.problem:
        fix = "the file ends too early: close the open brackets and quotes"
    elif error.problem and "undefined alias" in error.problem:
        fix = "define the anchor before it is used, or quote the text"
    return SceneError(what, path=path, line=line, fix=fix)


def _line(text: str, index: int) -> str:
    lines = text.split("\n")
    return lines[index] if index < len(lines) else ""


def _one_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__


class _Anchored(NamedTuple):
    """A value that aliases stand for."""

    data: Any
    lines: Lines
    size: int  # values it stands for
    word: str | None  # as written, where it is a word


class _Reading:
    """Plain data and lines out of the events of the YAML reader, in one pass that ends at the first fault.

    Nothing is kept of what is nested too deeply or has too many values.
    """

    def __init__(self, text: str, path: Path) -> None:
        self.path = path
        self.events: Iterator[Any] = yaml.parse(text, Loader=_Loader)
        self.count = 0  # values so far, as written
        self.anchors: dict[str, _Anchored | int] = {}  # by name; of those that are not finished, their lines

    def document(self) -> tuple[Any, Lines] | None:
        """The data of the whole file and its lines; None when it is empty."""
        next(self.events)  # the start of the stream
        start = next(self.events)
        if isinstance(start, yaml.StreamEndEvent):
            return None
        data, lines, _ = self._value(next(self.events), 0)
        next(self.events)  # the end of the document
        end = next(self.events)
        if not isinstance(end, yaml.StreamEndEvent):
            what = "expected a single document in the stream", start.start_mark
            raise yaml.composer.ComposerError(*what, "but found another document", end.start_mark)
        return data, lines

    def _fault(self, what: str, line: int, fix: str) -> SceneError:
        return SceneError(what, path=self.path, line=line, fix=fix)

    def _value(self, event: Any, depth: int) -> tuple[Any, Lines, int]:
        """(data, lines, values it stands for) of what begins with an event."""
        line = event.start_mark.line + 1
        self.count += 1
        if self.count > MOST_VALUES:
            raise self._fault(f"stands for more than {MOST_VALUES:,} values", line, "write less")
        kind = type(event)
        if kind is yaml.AliasEvent:
            found = self._anchored(event)
            return found.data, found.lines, found.size
        if depth > DEEPEST:
            raise self._fault("is nested too deeply", line, f"at most {DEEPEST} levels")
        name = event.anchor
        if name is not None:
            if name in self.anchors:
                what = f"the anchor {name!r} occurs twice"
                raise self._fault(what, line, "give each anchor a name of its own")
            self.anchors[name] = line
        if kind is yaml.ScalarEvent:
            data, lines, size = self._scalar(event), line, 1
        else:
            data, inside, size = (
                self._mapping(event, depth) if kind is yaml.MappingStartEvent else self._list(event, depth)
            )
            lines = line, inside
            if size > MOST_VALUES:
                fix = "write less, or use fewer aliases of aliases"
                raise self._fault(f"stands for more than {MOST_VALUES:,} values", line, fix)
        if name is not None:
            self.anchors[name] = _Anchored(data, lines, size, event.value if kind is yaml.ScalarEvent else None)
        return data, lines, size

    def _anchored(self, event: Any) -> _Anchored:
        """What an alias stands for."""
        found = self.anchors.get(event.anchor)
        if found is None:
            what = f"found undefined alias {event.anchor!r}"
            raise yaml.composer.ComposerError(None, None, what, event.start_mark)
        if isinstance(found, int):
            raise self._fault("an anchor contains itself", found, "write the value out")
        return found

    def _list(self, start: Any, depth: int) -> tuple[list[Any], list[Lines], int]:
        self._check_tag(start, "seq")
        data, inside, size = [], [], 1
        plain = depth < DEEPEST
        for event in self.events:
            kind = type(event)
            if kind is yaml.SequenceEndEvent:
                break
            if kind is yaml.ScalarEvent and plain and event.anchor is None and self.count < MOST_VALUES:
                self.count += 1  # the most frequent case of `_value`, in less time
                size += 1
                data.append(self._scalar(event))
                inside.append(event.start_mark.line + 1)
                continue
            value, lines, count = self._value(event, depth + 1)
            data.append(value)
            inside.append(lines)
            size += count
        return data, inside, size

    def _mapping(self, start: Any, depth: int) -> tuple[dict[str, Any], dict[str, Lines], int]:
        self._check_tag(start, "map")
        data: dict[str, Any] = {}
        inside: dict[str, Lines] = {}
        size = 1
        for event in self.events:
            if type(event) is yaml.MappingEndEvent:
                break
            name, line = self._key(event), event.start_mark.line + 1
            if name in data:
                what = f"the key {name!r} occurs twice, first in line {_first_line(inside[name])}"
                raise self._fault(what, line, "keep one of the two")
            data[name], lines, count = self._value(next(self.events), depth + 1)
            inside[name] = line if isinstance(lines, int) else (line, lines[1])
            size += count
        return data, inside, size

    def _key(self, event: Any) -> str:
        """A key, whatever it looks like: 1 and null are words here."""
        self.count += 1
        line, name = event.start_mark.line + 1, None
        if type(event) is yaml.ScalarEvent:
            name = event.value
            if event.anchor is not None:
                self.anchors[event.anchor] = _Anchored(name, line, 1, name)
        elif type(event) is yaml.AliasEvent:
            name = self._anchored(event).word
        if name is None:
            raise self._fault("a key is not a word", line, "keys are plain words")
        if name == "<<":
            raise self._fault("merge keys (<<) are not understood", line, "write the fields out")
        return name

    def _scalar(self, event: Any) -> Any:
        text, tag = event.value, event.tag
        if tag is None or tag == "!":
            kind = _resolved(text) if event.implicit[0] else "str"
        else:
            kind = tag.removeprefix(_PREFIX)
            if kind != "str" and (kind not in _PATTERNS or not _PATTERNS[kind].fullmatch(text) or event.style):
                fix = "leave the tag out"
                raise self._fault(f"the tag {tag!r} is not understood here", event.start_mark.line + 1, fix)
        if kind == "str":
            return text
        if kind == "int" and len(text) <= _MOST_DIGITS:
            return int(text)
        if kind == "null":
            return None
        if kind == "bool":
            return text.lower() == "true"
        return float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))

    def _check_tag(self, event: Any, kind: str) -> None:
        if event.tag not in (None, "!", _PREFIX + kind):
            raise self._fault(
                f"the tag {event.tag!r} is not understood", event.start_mark.line + 1, "leave the tag out"
            )


def _resolved(text: str) -> str:
    """Which kind of value a word without quotes is."""
    for kind in _BY_FIRST.get(text[:1], ()):
        if _PATTERNS[kind].fullmatch(text):
            return kind
    return "str"


# -- places in a file ------------------------------------------------------------------------------

#: A field as errors name it: contacts[0][1].
_FIELD = re.compile(r"([A-Za-z_]\w*)((?:\[\d+\])*)")


@dataclass(frozen=True)
class Site:
    """A place in a scene file.

    Attributes:
        source: the file.
        place: keys and numbers from the top.
    """

    source: YamlSource
    place: tuple[str | int, ...] = ()

    def __truediv__(self, step: str | int) -> Site:
        """The place one step down."""
        return Site(self.source, (*self.place, step))

    def fault(self, what: str, *, fix: str) -> SceneError:
        """The error that `what` is wrong here."""
        return self.source.fault(what, self.place, fix=fix)

    def file(self, reference: str) -> Path:
        """A file named in the scene; relative names count from the scene file's folder.

        An uploaded scene can name only other uploaded files, without a folder.
        """
        folder = self.source.path.parent
        if is_uploaded(folder) and (Path(reference).name != reference or not (folder / reference).is_file()):
            what = f"{reference!r} is not among the uploaded files"
            raise self.fault(what, fix="upload it first, name it without a folder, and upload this file again")
        return folder / reference

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

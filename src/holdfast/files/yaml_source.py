"""YAML text to plain data with line numbers, safe for any text; and plain data back to text.

Numbers and booleans are read as in JSON: `1e-3` is a number, `no` and `1:30` are words. Tags and merge keys are
refused, keys are words and unique, and aliases cannot expand a small file to a very large one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from ..errors import FileError, HoldfastError, SceneError
from ..inputs import file_text

#: Largest file that is read [bytes]; large tables of numbers belong in files of their own.
LARGEST_FILE = 8_000_000

#: Most values of a file after its aliases are expanded.
MOST_VALUES = 1_000_000

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

#: Whole numbers with more digits are read as floats: no field needs them, and their conversion is slow.
_MOST_DIGITS = 30


_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the loader of libyaml is ten times as fast


class _Loader(_Base):
    """The YAML reader with the scalars of JSON, and with no Python objects."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - PyYAML's own attribute


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
    _Loader.add_implicit_resolver(_PREFIX + _kind, re.compile(f"^(?:{_pattern})$"), _first)
    _Dumper.add_implicit_resolver(_PREFIX + _kind, re.compile(f"^(?:{_pattern})$"), _first)


def yaml_text(data: Any) -> str:
    """Plain data as YAML that `read_source` reads back to the same; floats in full."""
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, width=120, allow_unicode=True, default_flow_style=False)


@dataclass(frozen=True)
class YamlSource:
    """A file as plain data, with the lines of its parts.

    Attributes:
        path: the file.
        data: dictionaries, lists, strings, numbers, booleans, None.
    """

    path: Path
    data: Any
    _root: yaml.Node | None = field(default=None, repr=False)
    _entries: dict[int, dict[str, tuple[yaml.Node, yaml.Node]]] = field(default_factory=dict, repr=False)

    def line(self, place: Sequence[str | int]) -> int:
        """One-based line of the value at `place` (keys and numbers from the top), or of the last part that exists."""
        node = self._root
        line = 1 if node is None else node.start_mark.line + 1
        for step in place:
            key, child = self._child(node, step)
            if child is None:
                break
            # A mapping begins below its key; messages name the line of the key.
            node, line = child, (key or child).start_mark.line + 1
        return line

    def _child(self, node: yaml.Node | None, step: str | int) -> tuple[yaml.Node | None, yaml.Node | None]:
        """(key, value) nodes of one step down, or (None, None)."""
        if isinstance(node, yaml.MappingNode) and isinstance(step, str):
            if id(node) not in self._entries:
                self._entries[id(node)] = {key.value: (key, value) for key, value in node.value}
            return self._entries[id(node)].get(step, (None, None))
        if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and 0 <= step < len(node.value):
            return None, node.value[step]
        return None, None

    def fault(self, what: str, place: Sequence[str | int] = (), *, fix: str = "") -> SceneError:
        """The error that `what` is wrong at `place`."""
        line = None if self._root is None else self.line(place)
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


def read_source(path: str | Path) -> YamlSource:
    """The file at `path` as plain data with line numbers; every fault is a SceneError."""
    text = file_text(path, most=LARGEST_FILE, error=SceneError)
    file = Path(path)
    try:
        _check_events(text, file)
        root = yaml.compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        raise _syntax_fault(file, text, error) from None
    except yaml.YAMLError as error:
        raise SceneError(f"is not YAML: {_one_line(error)}", path=file, fix="write plain text") from None
    if root is None:
        raise SceneError("is empty", path=file, line=1, fix="begin with: holdfast: 1")
    return YamlSource(file, _Plain(file).convert(root), root)


def _check_events(text: str, path: Path) -> None:
    """Refuse a text that is nested too deeply or has too many values, before any of it is stored."""
    depth = values = 0
    events: Any = yaml.parse(text, Loader=_Loader)
    for event in events:
        start: Any = event.start_mark
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > DEEPEST + 1:
                line, fix = start.line + 1, f"at most {DEEPEST} levels"
                raise SceneError("is nested too deeply", path=path, line=line, fix=fix)
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
            continue
        values += 1
        if values > MOST_VALUES:
            what = f"stands for more than {MOST_VALUES:,} values"
            raise SceneError(what, path=path, line=start.line + 1, fix="write less")


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


def _is_a(kind: str, text: str) -> bool:
    """Whether `text` is written as a null, bool, int or float."""
    return kind in _PATTERNS and _PATTERNS[kind].fullmatch(text) is not None


def _line(text: str, index: int) -> str:
    lines = text.split("\n")
    return lines[index] if index < len(lines) else ""


def _one_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__


class _Plain:
    """Converts nodes to plain data, each node once, and counts the values that their aliases expand to."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.done: dict[int, tuple[Any, int]] = {}  # id of the node -> (data, values it stands for)
        self.open: set[int] = set()

    def convert(self, root: yaml.Node) -> Any:
        """The data of the whole file."""
        return self._visit(root, 0)[0]

    def _fault(self, what: str, node: yaml.Node, fix: str) -> SceneError:
        return SceneError(what, path=self.path, line=node.start_mark.line + 1, fix=fix)

    def _visit(self, node: yaml.Node, depth: int) -> tuple[Any, int]:
        if id(node) in self.done:
            return self.done[id(node)]
        if id(node) in self.open:
            raise self._fault("an anchor contains itself", node, "write the value out")
        if depth > DEEPEST:
            raise self._fault("is nested too deeply", node, f"at most {DEEPEST} levels")
        self.open.add(id(node))
        if isinstance(node, yaml.MappingNode):
            data, size = self._mapping(node, depth)
        elif isinstance(node, yaml.SequenceNode):
            self._check_tag(node, "seq")
            parts = [self._visit(child, depth + 1) for child in node.value]
            data, size = [part for part, _ in parts], 1 + sum(count for _, count in parts)
        else:
            assert isinstance(node, yaml.ScalarNode)
            data, size = self._scalar(node), 1
        if size > MOST_VALUES:
            raise self._fault(
                f"stands for more than {MOST_VALUES:,} values", node, "write less, or use fewer aliases of aliases"
            )
        self.open.discard(id(node))
        self.done[id(node)] = data, size
        return data, size

    def _mapping(self, node: yaml.MappingNode, depth: int) -> tuple[dict[str, Any], int]:
        self._check_tag(node, "map")
        data: dict[str, Any] = {}
        lines: dict[str, int] = {}
        size = 1
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise self._fault("a key is not a word", key, "keys are plain words")
            name = key.value
            if name == "<<":
                raise self._fault("merge keys (<<) are not supported", key, "write the fields out")
            if name in data:
                what = f"the key {name!r} occurs twice, first in line {lines[name]}"
                raise self._fault(what, key, "keep one of the two")
            lines[name] = key.start_mark.line + 1
            data[name], count = self._visit(value, depth + 1)
            size += count
        return data, size

    def _scalar(self, node: yaml.ScalarNode) -> Any:
        kind, text = node.tag.removeprefix(_PREFIX), node.value
        if kind == "str":
            return text
        if not _is_a(kind, text) or node.style:  # only an explicit tag gives a quoted text another type
            raise self._fault(f"the tag {node.tag!r} is not supported here", node, "leave the tag out")
        if kind == "null":
            return None
        if kind == "bool":
            return text.lower() == "true"
        if kind == "int" and len(text) <= _MOST_DIGITS:
            return int(text)
        return float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))

    def _check_tag(self, node: yaml.Node, kind: str) -> None:
        if node.tag != _PREFIX + kind:
            raise self._fault(f"the tag {node.tag!r} is not supported", node, "leave the tag out")


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

"""Reading files: one generic reader of YAML formats, and `load`, which finds out the kind of any file of Holdfast.

A feature describes its format once:

    SCENES = FileFormat("scene", SceneDocument, build_scene)
    load_scene = SCENES.load

The kinds of files are those of `features`; their readers are imported when they are needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter, ValidationError

from ..errors import FileError, SceneError, UnknownNameError
from ..feature import DATA, FileKind
from ..features import features
from ..inputs import checked_path, parsed_json
from ..public_names import with_advice
from ..storage import format_of
from .schema import Part, faults
from .yaml_source import Site, YamlSource, below, collecting_later, read_source

_ALL = [kind for feature in features().values() for kind in feature.files]

#: The kinds of YAML files, and the others: determined by the word "format" in them (JSON, HDF5), or by the suffix.
KINDS = {kind.name: kind for kind in _ALL if kind.fields}
OTHER_KINDS = {kind.name: kind for kind in _ALL if not kind.fields}

#: The kinds of files of numbers, by the word "format" in them.
FORMATS = {kind.word: kind for kind in OTHER_KINDS.values() if kind.word}

#: What `load` reads, for its messages.
READABLE = (
    "scene, posture, robot and planar files (.yaml, .json) and ready ones (@name); limit surfaces, force volumes "
    "and posture sequences (.json); measured limit forces (.csv); grips and wrench spaces (.h5)"
)

#: Suffixes of HDF5 files, and of YAML files.
ARCHIVES, YAML = (".h5", ".hdf5"), (".yaml", ".yml")

T = TypeVar("T")


def kind_of(path: str | Path, ready: Iterable[FileKind] = tuple(KINDS.values())) -> FileKind:
    """The kind of a YAML file, or of a ready one called "@name"; a SceneError if there is none or it cannot be read.

    `ready` are the kinds that ready ones are looked for in.
    """
    text = str(path)
    if text.startswith("@"):
        for kind in ready:
            if text[1:] in kind.names():
                return kind
        unknown = UnknownNameError("ready scene", text, [f"@{name}" for kind in ready for name in kind.names()])
        raise SceneError(unknown.what, path=text, fix=unknown.fix)
    return _kind_of(read_source(path).data)


def other_kind(path: str | Path) -> FileKind | None:
    """The kind of a file that is not YAML, by its suffix or the word "format" in it; None for all others."""
    file, suffix = Path(path), Path(path).suffix.lower()
    word = ""
    if not str(path).startswith("@") and _is_file(file):
        if suffix in ARCHIVES:
            with suppress(FileError):
                word = format_of(file)
        elif suffix == ".json":
            word = json_format(file) or ""
    if word:
        return next((kind for kind in OTHER_KINDS.values() if kind.word == word), None)
    return next((kind for kind in OTHER_KINDS.values() if suffix in kind.suffixes), None)


def fitting(kind: FileKind, path: str | Path) -> str:
    """Which commands take a file of a kind, and what else can be done with it."""
    names = kind.commands
    if kind.variants:
        file = DATA / kind.folder / f"{str(path)[1:]}.yaml" if str(path).startswith("@") else path
        with suppress(SceneError):
            names = kind.variants.get(str(below(read_source(file).data, kind.fields[0])[1]), names)
    commands = [f"holdfast {name} {path}" for name in names]
    asked = " or ".join([*([", ".join(commands[:-1])] if commands[1:] else []), *commands[-1:]])
    parts = [*([f"use {asked}"] if asked else []), *([kind.advice] if kind.advice else [])]
    reader = kind.reader.partition(":")[2]
    return "; ".join([*parts, *([f"in Python: {reader}"] if reader and not kind.word else [])])


def _is_file(path: str | Path) -> bool:
    """Whether there is such a file; False also for names that no file can have."""
    try:
        return Path(path).is_file()
    except OSError:
        return False


def check_kind(path: str | Path, *names: str) -> None:
    """Raise a SceneError that says which command fits, for a file of another kind than those of `names`.

    A file whose kind is not known, and one that is missing or a folder, is left to its reader.
    """
    found = other_kind(path)
    if str(path).startswith("@"):
        found = next((kind for kind in KINDS.values() if str(path)[1:] in kind.names()), None)
    elif found is None and not set(KINDS) <= set(names) and Path(path).suffix.lower() in YAML and _is_file(path):
        with suppress(SceneError):
            found = kind_of(path)
    if found is not None and found.name not in names and not Path(path).is_dir():
        raise SceneError(f"is a {found.name}{_file(found)}", path=path, fix=fitting(found, path))


def is_other_kind(path: str | Path, name: str) -> bool:
    """Whether a file, or a ready one called "@name", is known to be of another kind than `name`."""
    if other_kind(path) is not None:
        return True
    with suppress(SceneError):
        return (str(path).startswith("@") or _is_file(path)) and kind_of(path).name != name
    return False


def _file(kind: FileKind) -> str:
    """What follows the name of a kind of YAML file."""
    return " file" if kind.name in KINDS and not kind.name.endswith("scene") else ""


def _kind_of(data: Any) -> FileKind:
    fields = data if isinstance(data, dict) else {}
    found = {kind.name: kind for kind in KINDS.values() if any(name in fields for name in kind.fields)}
    decided = [kind for kind in found.values() if kind.is_decisive]
    return decided[0] if decided else KINDS["scene"] if "scene" in found or not found else next(iter(found.values()))


@with_advice()
def load(path: str | Path, *, trust: bool = False) -> Any:
    """The content of any file of Holdfast, or of a ready one called "@name".

    YAML files give a Scene, PostureScene, RobotScene or a planar scene; JSON files those, a LimitSurface, a ForceVolume
    or a PostureSequence; CSV files of measured limit forces a LimitSurface, or the Measurements where they are tests
    along one axis or at several preloads; HDF5 files a Grip, OuterGrip, GripBounds or a WrenchSpace.

    Args:
        path: the file.
        trust: whether a xacro file that a robot file names, which is a program, may run; by default it is refused.

    Raises:
        FileError: for a file that is missing, damaged or of another kind; with the file, the line and the field.
    """
    file = checked_path(path, fix=f"give the name of a file: {READABLE}")
    suffix = file.suffix.lower()
    if str(path).startswith("@"):
        return kind_of(path).read(path)
    if suffix in ARCHIVES:
        return _kind_called(file, format_of(file)).read(file)
    if suffix == ".csv":
        measured = OTHER_KINDS["table of numbers"].read(file)
        return measured.surface() if measured.has_surface else measured
    if suffix == ".json" and (word := json_format(file)) is not None:
        return _kind_called(file, word).read(file)
    if suffix not in (".yaml", ".yml", ".json", "") and file.exists() and not file.is_dir():
        known = other_kind(file)
        if known is not None and known.reader:
            return known.read(file)
        what = f"files that end in {suffix!r} are not read" if known is None else f"is a {known.name}"
        fix = f"give {READABLE}" if known is None else fitting(known, file)
        raise FileError(what, path=file, fix=fix)
    source = read_source(file)
    kind = _kind_of(source.data)
    return kind.read(source, **({"trust": trust} if kind.name == "robot" else {}))


def _kind_called(path: Path, word: str) -> FileKind:
    if word not in FORMATS:
        raise FileError(f"has the format {word!r}", path=path, fix=f"give {READABLE}")
    return FORMATS[word]


def json_format(path: Path) -> str | None:
    """The word "format" of a JSON file; None where there is none, and where the file cannot be read."""
    try:
        data = parsed_json(path, fix="")
    except FileError:
        return None
    word = data.get("format") if isinstance(data, dict) else None
    return None if word is None else str(word)


@dataclass(frozen=True)
class FileFormat(Generic[T]):
    """How one kind of YAML file is read: from its text to data, to a document, to an object.

    Attributes:
        kind: name of the kind in `KINDS`.
        document: the model of the file; or a function that chooses it by the source.
        build: makes the object from the document and the place in the file; further arguments are those of `load`.
        version: the newest version of the format that is read.
        noun: the name of the file in messages on its version; `kind` by default.
    """

    kind: str
    document: type[Part] | Callable[[YamlSource], type[Part]]
    build: Callable[..., T]
    version: int = 1
    noun: str = ""

    # -- ready files -------------------------------------------------------------------------------

    def names(self) -> list[str]:
        """Names of the ready files, in order."""
        return KINDS[self.kind].names()

    @property
    def _fix(self) -> str:
        return f"give the name of a {self.kind} file, or @name of a ready one"

    def path(self, path: str | Path) -> Path:
        """The file behind `path`: that of a ready one for "@name", else the path itself."""
        own = KINDS[self.kind]
        file = checked_path(path, fix=self._fix, error=SceneError)
        text = str(path)
        if not text.startswith("@"):
            return file
        if text[1:] in own.names():
            return DATA / own.folder / f"{text[1:]}.yaml"
        for other in KINDS.values():
            if text[1:] in other.names():
                what = f"is a ready {other.name}, not a {own.name}"
                raise SceneError(what, path=text, fix=fitting(other, text))
        unknown = UnknownNameError(f"ready {own.name}", text, [f"@{name}" for name in own.names()])
        raise SceneError(unknown.what, path=text, fix=unknown.fix)

    def titles(self) -> list[tuple[str, str]]:
        """("@name", first comment of the file) of each ready file."""
        return KINDS[self.kind].titles()

    def title(self, name: str) -> str:
        """What a ready file is: the first comment in it."""
        return KINDS[self.kind].title(name)

    # -- reading -----------------------------------------------------------------------------------

    def load(self, path: str | Path | YamlSource, **options: Any) -> T:
        """The object in a file, or a ready one by "@name", or in a source; any fault of the file raises SceneError.

        Other files that the file names are searched for from its folder. Of several faults the first is raised, with
        the others as notes.
        """
        document, source, found = self._checked(path)
        if document is None:
            first, *others = found
            for other in others:
                first.add_note(f"also: {other}" if other.count == 1 else other.what)
            raise first
        return self.build(document, Site(source), **options)

    def faults(self, path: str | Path, **options: Any) -> list[SceneError]:
        """Every fault of a file, in the order of the lines; [] when there is none.

        Faults that are found only while the object is built come one at a time.
        """
        try:
            document, source, found = self._checked(path)
            if document is not None:
                self.build(document, Site(source), **options)
        except SceneError as error:
            return [error]
        return found

    @collecting_later()
    def _checked(self, path: str | Path | YamlSource) -> tuple[Part | None, YamlSource, list[SceneError]]:
        """The document, or what is wrong with it."""
        if isinstance(path, YamlSource):
            source = path
        else:
            checked_path(path, fix=self._fix, error=SceneError)
            check_kind(path, *KINDS)
            source = read_source(self.path(path))
        self.check_version(source)
        self._check_kind(source)
        document = self.document if isinstance(self.document, type) else self.document(source)
        try:
            return document.model_validate(source.data), source, []
        except ValidationError as error:
            return None, source, faults(error, source, document)

    def check_version(self, source: YamlSource) -> None:
        """The version is checked first: the rest of a newer file may differ."""
        noun = self.noun or self.kind
        if not isinstance(source.data, dict):
            found = "a list" if isinstance(source.data, list) else "one value"
            raise source.fault(f"is {found}, not a {noun}", fix="begin with: holdfast: 1")
        if "holdfast" not in source.data:
            raise source.fault("is missing", ("holdfast",), fix=f"a {noun} file begins with: holdfast: 1")
        version = source.data["holdfast"]
        if isinstance(version, bool) or not isinstance(version, int) or version < 1:
            raise source.fault(
                f"is {version!r}, which is not a version", ("holdfast",), fix=f"write: holdfast: {self.version}"
            )
        if version > self.version:
            what = f"the file has version {version}, this Holdfast reads up to {self.version}"
            raise source.fault(what, ("holdfast",), fix="install a newer Holdfast")

    def _check_kind(self, source: YamlSource) -> None:
        """Refuse a file that is of another kind, unless it has a field that only this kind has."""
        own, found = KINDS[self.kind], _kind_of(source.data)
        typical = (*own.fields, *(name for name in own.variants if name not in found.fields))
        if found is own or (not found.is_decisive and any(name in source.data for name in typical)):
            return
        field = next((name for name in found.fields if name in source.data), None)
        if field is None:  # no field determines the kind: the schema reports what is missing
            return
        place = (field,) if found.is_decisive else ()
        what = f"is a {found.name.removesuffix(' scene')} file: it has {field} and no {own.fields[0]}"
        raise source.fault(what, place, fix=fitting(found, source.path))


def json_schema(document: Any, title: str) -> dict[str, Any]:
    """The JSON Schema of a file, for editors and other programs; `document` is a model or a union of models."""
    schema = TypeAdapter(document).json_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        **{key: value for key, value in schema.items() if key != "title"},
    }

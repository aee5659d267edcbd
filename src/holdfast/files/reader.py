"""Reading files: one generic reader of YAML formats, and `load`, which finds out the kind of any file of Holdfast.

A feature describes its format once:

    SCENES = FileFormat("scene", SceneDocument, build_scene)
    load_scene = SCENES.load

The readers of the features are found by their names in `KINDS` when they are needed; this module imports no feature.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter, ValidationError

from ..errors import FileError, SceneError, UnknownNameError
from ..inputs import checked_path, parsed_json
from ..public_names import with_advice
from ..storage import format_of
from .schema import Part, faults
from .yaml_source import Site, YamlSource, below, collecting_later, read_source

#: The folder of the ready files, with one folder per kind.
DATA = Path(__file__).resolve().parent.parent / "data"


@dataclass(frozen=True)
class FileKind:
    """A kind of file.

    Attributes:
        name: in messages: "posture".
        commands: the commands that take it: "posture", "grip show"; where none does, see `advice`.
        reader: "module:function" that reads it, found when needed; "" where `load` does not read it.
        fields: top-level fields of YAML files that only this kind has; a file with one of them is of this kind.
        folder: the folder of its ready files below `DATA`; "" when there are none.
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
    suffixes: tuple[str, ...] = ()
    word: str = ""
    advice: str = ""
    page: str = ""
    variants: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def names(self) -> list[str]:
        """Names of the ready files, in order."""
        return sorted(path.stem for path in (DATA / self.folder).glob("*.yaml")) if self.folder else []

    def titles(self) -> list[tuple[str, str]]:
        """("@name", first comment of the file) of each ready file."""
        return [(f"@{name}", self.title(name)) for name in self.names()]

    def title(self, name: str) -> str:
        """What a ready file is: the first comment in it."""
        for line in (DATA / self.folder / f"{name}.yaml").read_text(encoding="utf-8").splitlines():
            if line.startswith("# ") and "yaml-language-server" not in line:
                return line.removeprefix("# ")
        return ""

    def fitting(self, path: str | Path) -> str:
        """Which commands take such a file, and what else can be done with it."""
        commands = [f"holdfast {command} {path}" for command in self._commands(path)]
        asked = " or ".join([*([", ".join(commands[:-1])] if commands[1:] else []), *commands[-1:]])
        parts = [*([f"use {asked}"] if asked else []), *([self.advice] if self.advice else [])]
        reader = self.reader.partition(":")[2]
        return "; ".join([*parts, *([f"in Python: {reader}"] if reader and not self.word else [])])

    def _commands(self, path: str | Path) -> tuple[str, ...]:
        """The commands that take the file: those of its variant, where its kind has several."""
        if self.variants:
            file = DATA / self.folder / f"{str(path)[1:]}.yaml" if str(path).startswith("@") else Path(path)
            with suppress(SceneError):
                return self.variants.get(str(below(read_source(file).data, self.fields[0])[1]), self.commands)
        return self.commands


#: The kinds of YAML files; the first one whose fields a file has is its kind, and a file with none is a scene.
KINDS = {
    kind.name: kind
    for kind in (
        FileKind(
            "planar scene",
            ("motions", "torques", "climb"),
            "holdfast.planar.files:load_planar",
            ("planar",),
            "planar",
            page="docs/planar-files.md",
            variants={"body": ("motions",), "chain": ("torques", "motions"), "climb": ("climb",)},
        ),
        FileKind("robot", ("robot",), "holdfast.robots.files:load_robot", ("robot",), page="docs/robots.md"),
        FileKind(
            "posture",
            ("posture", "support"),
            "holdfast.postures.files:load_posture",
            ("hands", "grips", "body"),
            "postures",
            page="docs/posture-files.md",
        ),
        FileKind(
            "scene",
            ("check", "limit", "space"),
            "holdfast.scenes.files:load_scene",
            (
                *("contacts", "patches", "fingers", "device", "volumes", "joints", "object", "scatter", "drawing"),
                *("bodies", "world", "interfaces"),
            ),
            "scenes",
            page="docs/scene-files.md",
        ),
    )
}

#: Kinds that are determined by a single field.
DECISIVE = ("planar scene", "robot")

#: Measured limit forces (.csv).
MEASUREMENTS = "holdfast.force_limits.measurements:read_measurements"

#: A robot without a posture and contacts.
ROBOT_DESCRIPTION = "robot description (URDF, xacro, MJCF)"

_IN_A_SCENE = "name it in a scene file"

#: Kinds of files that are not YAML: determined by the word "format" in them (JSON, HDF5), or by the suffix.
OTHER_KINDS = {
    kind.name: kind
    for kind in (
        FileKind(
            "limit surface",
            ("decompose",),
            "holdfast.force_limits.surface:LimitSurface.load",
            word="holdfast limit surface",
        ),
        FileKind(
            "force volume",
            (),
            "holdfast.force_limits.files:load_volume",
            word="holdfast force volume",
            advice=f"{_IN_A_SCENE}: volumes: {{NAME: {{file: FILE}}}}",
        ),
        FileKind(
            "posture sequence",
            ("view",),
            "holdfast.robots.sequences:load_sequence",
            word="holdfast posture sequence",
        ),
        FileKind(
            "grip",
            ("grip info", "grip show"),
            "holdfast.grips.files:load_grip",
            word="holdfast grip",
            advice="name it in a posture file: grips: {NAME: {file: FILE}}",
        ),
        FileKind(
            "wrench space",
            (),
            "holdfast.wrench_spaces.files:load_space",
            word="holdfast wrench space",
            advice="read it in Python: holdfast.load",
        ),
        FileKind(
            ROBOT_DESCRIPTION,
            ("robot",),
            suffixes=(".urdf", ".xacro", ".xml"),
            advice="in Python: holdfast.Robot.from_urdf or from_mjcf",
        ),
        FileKind("semantic robot description", (), suffixes=(".srdf",), advice="use holdfast robot URDF --srdf FILE"),
        FileKind(
            "picture",
            ("grasps", "view"),
            suffixes=(".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp", ".pgm", ".ppm"),
        ),
        FileKind("contour", ("grasps", "view"), suffixes=(".svg", ".dxf")),
        FileKind(
            "table of numbers",
            ("decompose", "scatter", "grasps"),
            MEASUREMENTS,
            suffixes=(".csv",),
            advice="for measured limit forces, repeated trials or a contour",
        ),
        FileKind("hand for planar grasps", (), suffixes=(".toml",), advice="use holdfast grasps PICTURE --hand FILE"),
        FileKind(
            "mesh",
            (),
            suffixes=(".stl", ".obj", ".ply", ".glb", ".off", ".dae"),
            advice=f"{_IN_A_SCENE}: shape: {{kind: mesh, file: FILE}}",
        ),
    )
}

#: What reads files of numbers, by the word "format" in them.
FORMATS = {kind.word: kind.reader for kind in OTHER_KINDS.values() if kind.word}

#: What `load` reads, for its messages.
READABLE = (
    "scene, posture, robot and planar files (.yaml, .json) and ready ones (@name); limit surfaces, force volumes "
    "and posture sequences (.json); measured limit forces (.csv); grips and wrench spaces (.h5)"
)

#: Suffixes of HDF5 files, and of YAML files.
ARCHIVES, YAML = (".h5", ".hdf5"), (".yaml", ".yml")

T = TypeVar("T")


def imported(target: str) -> Any:
    """The object called "module:name"."""
    module, name = target.split(":")
    return attrgetter(name)(importlib.import_module(module))


def kind_of(path: str | Path, *, others: Sequence[str] = ()) -> FileKind:
    """The kind of a YAML file, or of a ready one called "@name"; a SceneError if there is none or it cannot be read.

    `others` are further names that the message on an unknown name lists.
    """
    text = str(path)
    if text.startswith("@"):
        for kind in KINDS.values():
            if text[1:] in kind.names():
                return kind
        known = [name for kind in KINDS.values() for name in kind.names()]
        unknown = UnknownNameError("ready scene", text, [f"@{name}" for name in (*known, *others)])
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
        raise SceneError(f"is a {found.name}{_file(found)}", path=path, fix=found.fitting(path))


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
    decided = [kind for name, kind in found.items() if name in DECISIVE]
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
        return imported(kind_of(path).reader)(path)
    if suffix in ARCHIVES:
        return imported(_format_reader(file, format_of(file)))(file)
    if suffix == ".csv":
        measured = imported(MEASUREMENTS)(file)
        return measured.surface() if measured.has_surface else measured
    if suffix == ".json" and (word := json_format(file)) is not None:
        return imported(_format_reader(file, word))(file)
    if suffix not in (".yaml", ".yml", ".json", "") and file.exists() and not file.is_dir():
        known = other_kind(file)
        what = f"files that end in {suffix!r} are not read" if known is None else f"is a {known.name}"
        fix = f"give {READABLE}" if known is None else known.fitting(file)
        raise FileError(what, path=file, fix=fix)
    source = read_source(file)
    kind = _kind_of(source.data)
    return imported(kind.reader)(source, **({"trust": trust} if kind.name == "robot" else {}))


def _format_reader(path: Path, word: str) -> str:
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
                raise SceneError(what, path=text, fix=other.fitting(text))
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
        if found is own or (found.name not in DECISIVE and any(name in source.data for name in typical)):
            return
        field = next((name for name in found.fields if name in source.data), None)
        if field is None:  # no field determines the kind: the schema reports what is missing
            return
        place = (field,) if found.name in DECISIVE else ()
        what = f"is a {found.name.removesuffix(' scene')} file: it has {field} and no {own.fields[0]}"
        raise source.fault(what, place, fix=found.fitting(source.path))


def json_schema(document: Any, title: str) -> dict[str, Any]:
    """The JSON Schema of a file, for editors and other programs; `document` is a model or a union of models."""
    schema = TypeAdapter(document).json_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        **{key: value for key, value in schema.items() if key != "title"},
    }

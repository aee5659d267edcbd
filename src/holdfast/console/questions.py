"""Groups of options: those of every question about a scene, and those for the output of every answer.

A command declares a group as one parameter; the fields of the group become options:

    @with_groups
    def check(question: SceneQuestion, output: Output, explain: ExplainOption = False) -> None:
        case = question.case()
        ...
        present("check", answer, sheet=..., **output.targets)
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, get_type_hints

import typer

from ..errors import FileError, InputError
from ..features import commands
from .options import (
    STDOUT,
    CsvOption,
    GravityOption,
    JsonOption,
    ListOption,
    LoadCase,
    LoadsOption,
    NoWeight,
    PlotOption,
    SceneArgument,
    TiltOption,
    WallsOption,
    WrenchOption,
    at_walls,
    check_distinct,
    load_case,
    required,
    tilted,
    under_gravity,
    vector,
)
from .output import note
from .sheets import TableBlock, present

if TYPE_CHECKING:
    from ..checks import Array


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Decorate a command whose parameters may be groups (dataclasses of options): it then takes all their fields.

    A field `command` of a group gets the name of the command. With --list the ready files are printed, and the command
    is not run.
    """
    given = inspect.signature(command, eval_str=True).parameters
    groups: dict[str, Any] = {name: e.annotation for name, e in given.items() if is_dataclass(e.annotation)}
    options = {name: _options(group) for name, group in groups.items()}

    @functools.wraps(command)
    def asked(context: typer.Context, **values: Any) -> None:
        json = bool(values.get("json"))
        made = {name: groups[name](**{key: values.pop(key) for key in options[name]}) for name in groups}
        for name, group in made.items():
            if hasattr(group, COMMAND):
                made[name] = replace(group, **{COMMAND: _called(context)})
            if getattr(group, "listing", False):
                made[name].list_ready(json=json)
        command(**made, **values)

    parameters = {"context": inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)}
    for name, entry in given.items():
        parameters |= options[name] if name in groups else {name: entry.replace(kind=inspect.Parameter.KEYWORD_ONLY)}
    asked.__signature__ = inspect.Signature([*parameters.values()])  # pyright: ignore[reportAttributeAccessIssue]
    asked.__annotations__ = {name: entry.annotation for name, entry in parameters.items()}
    return asked


def _called(context: typer.Context) -> str:
    """How the command is called after the program's name, however that was started: "grip learn"."""
    names: list[str] = []
    at: Any = context
    while at.parent is not None:
        names.insert(0, str(at.info_name))
        at = at.parent
    return " ".join(names)


#: The field of a group that is not an option, but the name of the command.
COMMAND = "command"


def _options(group: type[Any]) -> dict[str, inspect.Parameter]:
    """The fields of a group as keyword arguments; its own types may come from other modules."""
    hints = get_type_hints(group, include_extras=True)
    return {
        field.name: inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name]
        )
        for field in fields(group)
        if field.name != COMMAND
    }


@dataclass(frozen=True)
class Output:
    """Where an answer goes: tables or JSON on standard output, a picture, a table of numbers."""

    json: JsonOption = False
    plot: PlotOption = None
    csv: CsvOption = None

    def __post_init__(self) -> None:
        check_distinct(plot=self.plot, csv=self.csv, json=STDOUT if self.json else None)

    @property
    def targets(self) -> dict[str, Any]:
        """What `present` takes."""
        return {"json": self.json, "plot": self.plot, "csv": self.csv}


@dataclass(frozen=True)
class ReadyFile:
    """A file, or a ready one by "@name"; --list shows which there are."""

    kind: ClassVar[str] = "scene"

    scene: SceneArgument = None
    listing: ListOption = False
    command: str = ""

    @property
    def path(self) -> str:
        """The file, or "@name"; an InputError where none is given."""
        called = self.kind.split()[-1]
        fix = f"name a {self.kind} file, or a ready one listed by: holdfast {self.command} --list"
        return required(self.scene, called.upper(), fix)

    def read(self, **options: Any) -> Any:
        """What the reader of its kind returns; a file of another kind is an error that names the command for it."""
        from ..files.reader import KINDS

        with self.naming_kind():
            return KINDS[self.kind].read(self.path, **options)

    @contextmanager
    def naming_kind(self) -> Iterator[None]:
        """An error about a file of another kind also names the files that the command takes, and their page."""
        from ..files.reader import KINDS, is_other_kind

        try:
            yield
        except FileError as error:
            if is_other_kind(self.path, self.kind):
                kind = KINDS[self.kind]
                ready = f"; ready ones: holdfast {self.command} --list"
                error.add_note(f"holdfast {self.command} takes {kind.name} files, described in {kind.page}{ready}")
            raise

    def list_ready(self, *, json: bool) -> None:
        """Print the ready files of this kind, and end."""
        from ..files.reader import KINDS

        self.list_files(KINDS[self.kind].titles(), json=json)

    def list_files(self, titles: list[tuple[str, str]], *, json: bool) -> None:
        """Print ("@name", what it is) of ready files, and end."""
        called = self.kind.split()[-1]
        data = {f"{called}s": [{"name": name, "title": title} for name, title in titles]}
        present(self.command, data, sheet=[TableBlock([called, "what it is"], titles)], json=json)

    def one_object(self, scene: Any) -> Any:
        """The scene itself; an InputError that names the commands for several bodies, where it has several."""
        if getattr(scene, "bodies", ()):
            *others, last = [name for name, entry in commands().items() if entry.several]
            fix = f"holdfast {', '.join(others)} and {last} take several bodies"
            what = f"has {len(scene.bodies)} bodies, and holdfast {self.command} takes one object"
            raise InputError(what, where=str(scene.path or scene.name), fix=fix)
        return scene


@dataclass(frozen=True)
class SceneQuestion(ReadyFile):
    """A question about a scene under a load."""

    load: LoadsOption = None
    gravity: GravityOption = None
    tilt: TiltOption = None
    wrench: WrenchOption = None
    no_weight: NoWeight = False
    walls: WallsOption = False

    @property
    def loads(self) -> list[str]:
        """The names of --load."""
        return self.load or []

    @property
    def changes_load(self) -> bool:
        """Whether any of the options about the load was given."""
        given = (self.gravity, self.tilt, self.wrench)
        return bool(self.load) or any(text is not None for text in given) or self.no_weight

    def scene_alone(self) -> Any:
        """The scene, under --gravity and --tilt where these are given."""
        scene = at_walls(under_gravity(self.read(), self.gravity, None), self.loads, walls=self.walls)
        return under_gravity(scene, None, self.tilt)

    def read_under_gravity(self, read: Callable[[Array | None], Any]) -> Any:
        """What `read` returns for the gravity (3,) of --gravity and --tilt, or None for that of the file.

        For files whose contents depend on gravity. With --tilt they are read twice: first for the gravity to be turned.
        """
        found = read(None if self.gravity is None else vector("--gravity", self.gravity, 3))
        return found if self.tilt is None else read(tilted(found.gravity, self.tilt))

    def case(self, *, scene: Any = None, **options: Any) -> LoadCase:
        """The scene (`scene`, if it was read already) and its load; `options` are those of `load_case`."""
        given: dict[str, Any] = {"loads": self.loads, "gravity": self.gravity, "wrench": self.wrench, "tilt": self.tilt}
        given |= {"weight": not self.no_weight, "walls": self.walls} | options
        found = load_case(self.read() if scene is None else scene, **given)
        if self.command != "check" and getattr(found.scene, "wall_note", ""):
            note(f"warning: {found.scene.wall_note}")
        return found

    def refuse(self, reason: str, fix: str, *options: str) -> None:
        """Raise InputError with this reason if one of `options` ("wrench", "no_weight", ...) was given."""
        for name in options:
            if getattr(self, name):
                raise InputError(reason, where=f"--{name.replace('_', '-')}", fix=fix)

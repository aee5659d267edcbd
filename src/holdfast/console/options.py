"""Arguments and options that commands share, and how they become vectors, scenes and methods."""

from __future__ import annotations

import sys
from dataclasses import fields
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeGuard

import typer

from ..errors import FileError, InputError

if TYPE_CHECKING:
    from ..checks import Array
    from ..solvers import Exact
    from ..statics.equilibrium import Method

MethodName = Literal["exact", "hull", "bracket", "reference", "paper", "big-m", "hull-milp"]

#: How names of pictures may end.
PICTURES = (".png", ".svg", ".pdf")

#: The class behind each word, and its field that `--gap` sets.
_METHODS: dict[MethodName, tuple[str, str]] = {
    "exact": ("Exact", "gap"),
    "hull": ("Hull", "gap"),
    "bracket": ("Bracket", "gap"),
    "reference": ("Reference", "gap"),
    "paper": ("PaperBranchAndBound", "epsilon"),
    "big-m": ("BigM", "gap"),
    "hull-milp": ("HullMilp", "gap"),
}


class Exit(IntEnum):
    """Exit codes."""

    HOLDS = 0
    DOES_NOT_HOLD = 1
    BAD_INPUT = 2
    UNDECIDED = 3
    FAULT = 70
    INTERRUPTED = 130


SceneArgument = Annotated[str, typer.Argument(metavar="SCENE", help="Scene file, or @name of a ready scene.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
PlotOption = Annotated[
    Path | None, typer.Option("--plot", metavar="FILE", help="Write a picture: .png, .svg or .pdf by the name.")
]
ExplainOption = Annotated[
    bool, typer.Option("--explain", help="Say what limits the load: contacts and joints at their limit, prices.")
]
TimeLimit = Annotated[
    float | None, typer.Option("--time-limit", metavar="S", help="Seconds for each answer before it is undecided.")
]
Gap = Annotated[
    float | None,
    typer.Option(
        "--gap",
        metavar="SHARE",
        help="How closely a load limit is found, as a share of it: 1e-6 when left out (1e-3 by the paper's method).",
    ),
]
LoadsOption = Annotated[
    list[str] | None,
    typer.Option("--load", metavar="NAME", help="A load of the scene, on top of the weight; may be repeated."),
]
GravityOption = Annotated[
    str | None, typer.Option("--gravity", metavar="X,Y,Z", help="Gravity [m/s^2] instead of the scene's.")
]
WrenchOption = Annotated[
    str | None,
    typer.Option(
        "--wrench",
        metavar="FX,FY,FZ,TX,TY,TZ",
        help="The whole load [N, N m] on the object, torque about the origin; no weight is added.",
    ),
]
NoWeight = Annotated[bool, typer.Option("--no-weight", help="Leave the object's weight out.")]
ClusterOption = Annotated[
    str | None,
    typer.Option("--cluster", metavar="ADDRESS", help="Dask scheduler whose workers compute: tcp://host:port."),
]
MethodOption = Annotated[
    MethodName, typer.Option("--method", help="How to solve: exact answers all; the others are for comparison.")
]
NodeLimit = Annotated[
    int | None, typer.Option("--node-limit", hidden=True, help="Nodes of the search before an answer is undecided.")
]


def vector(option: str, text: str, *sizes: int) -> Array:
    """Numbers separated by commas or blanks, as an array of one of `sizes`."""
    from .. import checks

    words = text.replace(",", " ").split()
    wanted = " or ".join(str(size) for size in sizes)
    if len(words) not in sizes:
        raise InputError(f"has {len(words)} numbers: {text!r}", where=option, fix=f"give {wanted}, separated by commas")
    try:
        values = [float(word) for word in words]
    except ValueError:
        example = ",".join(str(k + 1) for k in range(sizes[0]))
        raise InputError(f"is not numbers: {text!r}", where=option, fix=f"give {wanted} numbers: {example}") from None
    return checks.vector(option, values, len(values))


def method(
    name: MethodName = "exact",
    *,
    gap: float | None = None,
    time_limit: float | None = None,
    node_limit: int | None = None,
    floor: float = 0.0,
) -> Method:
    """The solving method of that name, with the limits given.

    `floor` is for methods that know it: load limits smaller than that are found to `gap` times it.
    """
    from .. import solvers

    class_name, closeness = _METHODS[name]
    kind = getattr(solvers, class_name)
    known = {field.name for field in fields(kind)}
    given: dict[str, Any] = {closeness: gap, "time_limit": time_limit, "node_limit": node_limit}
    wanted = {field: value for field, value in given.items() if value is not None}
    for field in wanted:
        if field not in known:
            fix = f"leave it out; it is for {', '.join(_with_field(field))}"
            raise InputError(f"means nothing to the method {name}", where=f"--{field.replace('_', '-')}", fix=fix)
    if floor and "floor" in known:
        wanted["floor"] = floor
    return kind(**wanted)


def _with_field(field: str) -> list[str]:
    """The methods that have a field of that name."""
    from .. import solvers

    kinds = {name: getattr(solvers, class_name) for name, (class_name, _) in _METHODS.items()}
    return [name for name, kind in kinds.items() if field in {known.name for known in fields(kind)}]


def is_exact(method: Method) -> TypeGuard[Exact]:
    """Whether it is the exact method; asking does not load the compiler that only this one needs."""
    module = sys.modules.get("holdfast.solvers.exact.method")
    return module is not None and isinstance(method, module.Exact)


def verdict(statuses: list[str]) -> Exit:
    """The exit code of one or several answers: a failure goes before an open question, that before success."""
    if "does not hold" in statuses:
        return Exit.DOES_NOT_HOLD
    return Exit.UNDECIDED if "undecided" in statuses else Exit.HOLDS


def check_target(option: str, path: Path | None, known: tuple[str, ...] = ()) -> None:
    """A wrong name (any will do without `known`), a missing or closed folder is told before the work, not after."""
    import os

    if path is None:
        return
    if known and path.suffix.lower() not in known:
        raise FileError(f"{option} writes {' or '.join(known)}", path=path, fix="let the name end so")
    if not path.parent.is_dir():
        raise FileError(f"{option}: its folder does not exist", path=path, fix="make the folder first")
    if path.is_dir():
        raise FileError(f"{option}: it is a folder", path=path, fix="name a file in it")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise FileError(f"{option}: it cannot be written", path=path, fix="name a file in a folder you may write to")


def check_distinct(**targets: Path | None) -> None:
    """Two options that would write the same file are told before the work; each is named as its parameter is."""
    taken: dict[Path, str] = {}
    for name, path in targets.items():
        if path is None:
            continue
        place, option = path.resolve(), f"--{name.replace('_', '-')}"
        if place in taken:
            raise FileError(f"{taken[place]} and {option} write the same file", path=path, fix="give each its own")
        taken[place] = option


def folder(path: Path) -> Path:
    """`path` as a folder that is there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fix = "name a folder in a place where you may write"
        raise FileError(f"cannot be made: {error.strerror}", path=path, fix=fix) from None
    return path

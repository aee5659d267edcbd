"""Arguments and options that commands share, and how they become vectors, scenes and methods."""

from __future__ import annotations

from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import FileError, InputError

if TYPE_CHECKING:
    from ..checks import Array
    from ..solvers import Reference


#: How closely load limits are found when nothing is said: what the reference method reaches at once on the devices.
DEFAULT_GAP = 0.05


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
    float, typer.Option("--gap", metavar="SHARE", help="How closely a load limit is found, as a share of it.")
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
        raise InputError(f"is not numbers: {text!r}", where=option, fix=f"give {wanted} numbers: 0,0,-1") from None
    return checks.vector(option, values, len(values))


def method(time_limit: float | None, node_limit: int | None, gap: float, *, floor: float = 0.0) -> Reference:
    """The solving method: load limits found to the share `gap` of themselves, or of `floor` where they are smaller."""
    from ..solvers import Reference

    given: dict[str, Any] = {"time_limit": time_limit, "node_limit": node_limit}
    limits = {name: value for name, value in given.items() if value is not None}
    return Reference(gap=gap, floor=floor, **limits)


def verdict(statuses: list[str]) -> Exit:
    """The exit code of one or several answers: a failure goes before an open question, that before success."""
    if "does not hold" in statuses:
        return Exit.DOES_NOT_HOLD
    return Exit.UNDECIDED if "undecided" in statuses else Exit.HOLDS


def folder(path: Path) -> Path:
    """`path` as a folder that is there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fix = "name a folder in a place where you may write"
        raise FileError(f"cannot be made: {error.strerror}", path=path, fix=fix) from None
    return path

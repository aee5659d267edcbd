"""Arguments and options that commands share, and how they become vectors, loads and methods.

An option that two commands have is declared here once. Options of one command are in its module. Options that always
occur together are groups, see `console/questions.py`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ..errors import FileError, InputError

if TYPE_CHECKING:
    from ..checks import Array
    from ..statics.holding import Method

MethodName = Literal["exact", "interior-point", "hull", "bracket", "reference", "paper", "big-m", "hull-milp"]

#: Suffixes of pictures.
PICTURES = (".png", ".svg", ".pdf")

#: The class of each method name, and its field that `--gap` sets.
_METHODS: dict[MethodName, tuple[str, str]] = {
    "exact": ("Exact", "gap"),
    "interior-point": ("InteriorPoint", "gap"),
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


#: The file name that means standard output.
STDOUT = Path("-")


def check_target(option: str, path: Path | None, known: tuple[str, ...] = (), *, stdout: bool = False) -> None:
    """Raise FileError before the computation for a file that cannot be written: wrong suffix, missing or closed folder.

    `known` are the suffixes that are possible; any suffix is accepted without it. `stdout` allows "-" for standard
    output.
    """
    if path is None or (stdout and path == STDOUT):
        return
    if known and path.suffix.lower() not in known:
        raise FileError(f"{option} writes {' or '.join(known)}", path=path, fix="change the suffix of the file name")
    if not path.parent.is_dir():
        raise FileError(f"{option}: its folder does not exist", path=path, fix="create the folder first")
    if path.is_dir():
        raise FileError(f"{option}: this is a folder", path=path, fix="name a file in it")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise FileError(f"{option}: no write permission", path=path, fix="name a file in a folder you may write to")


def _checked_plot(path: Path | None) -> Path | None:
    """The file of --plot, checked while the command line is read."""
    check_target("--plot", path, PICTURES)
    return path


def _checked_csv(path: Path | None) -> Path | None:
    """The file of --csv, checked while the command line is read."""
    check_target("--csv", path, stdout=True)
    return path


# -- output ---------------------------------------------------------------------------------------

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
PlotOption = Annotated[
    Path | None,
    typer.Option(
        "--plot",
        metavar="FILE",
        callback=_checked_plot,
        help="Write a picture; the suffix selects the format: .png, .svg or .pdf.",
    ),
]
ListOption = Annotated[bool, typer.Option("--list", help="List the ready files for this command and exit.")]
SchemaOption = Annotated[bool, typer.Option("--schema", help="Print the JSON Schema and exit.")]
TrustOption = Annotated[
    bool, typer.Option("--trust", help="Run a xacro file: it is a program that can do anything on this machine.")
]
CsvOption = Annotated[
    Path | None,
    typer.Option(
        "--csv",
        metavar="FILE",
        callback=_checked_csv,
        help="Write the main table as CSV; - writes it to standard output instead of the tables.",
    ),
]

# -- what is asked --------------------------------------------------------------------------------

SceneArgument = Annotated[
    str | None,
    typer.Argument(metavar="SCENE", help="Scene file, or @name of a ready scene (--list).", show_default=False),
]
LoadsOption = Annotated[
    list[str] | None,
    typer.Option("--load", metavar="NAME", help="Named load of the file, added to the weight; may be repeated."),
]
GravityOption = Annotated[
    str | None, typer.Option("--gravity", metavar="X,Y,Z", help="Gravity [m/s^2]; replaces the gravity of the file.")
]
TiltOption = Annotated[
    str | None,
    typer.Option(
        "--tilt",
        metavar="DEG[,TOWARDS]",
        help="Turn gravity by DEG, as on a slope, towards the horizontal direction at TOWARDS degrees from x; 0 when "
        "left out.",
    ),
]
WallsOption = Annotated[
    bool, typer.Option("--walls", help="Bodies side by side have friction even where nothing squeezes them.")
]
WrenchOption = Annotated[
    str | None,
    typer.Option(
        "--wrench",
        metavar="FX,FY,FZ,TX,TY,TZ",
        help="Total load [N, N m] on the object, torque about the origin; no weight is added.",
    ),
]
NoWeight = Annotated[bool, typer.Option("--no-weight", help="Ignore the weight of the object.")]
ExplainOption = Annotated[
    bool,
    typer.Option("--explain", help="Explain what limits the load: contacts and joints at their limit, effect of each."),
]
SeedOption = Annotated[int, typer.Option("--seed", metavar="N", help="Random seed.")]

# -- how it is solved -------------------------------------------------------------------------------

MethodOption = Annotated[
    MethodName, typer.Option("--method", help="Solver; exact suits every scene, the others are for comparison.")
]
Gap = Annotated[
    float | None,
    typer.Option(
        "--gap",
        metavar="SHARE",
        help="Relative gap to which a load limit is found: 1e-6 by default (1e-3 by the paper's method).",
    ),
]
TimeLimit = Annotated[
    float | None,
    typer.Option(
        "--time-limit", metavar="S", help="Time limit per result [s]; a result not found in time is undecided."
    ),
]
NodeLimit = Annotated[
    int | None,
    typer.Option(
        "--node-limit", hidden=True, help="Limit of search nodes per result; beyond it the result is undecided."
    ),
]
WorkersOption = Annotated[int, typer.Option("--workers", metavar="N", min=1, help="Number of worker processes.")]
ThreadsOption = Annotated[
    int | None, typer.Option("--workers", metavar="N", min=1, help="Number of threads; all cores by default.")
]
ClusterOption = Annotated[
    str | None,
    typer.Option("--cluster", metavar="ADDRESS", help="Address of a Dask scheduler: tcp://host:port."),
]
JournalOption = Annotated[
    Path | None,
    typer.Option(
        "--journal", metavar="FILE", help="Save results while running; an interrupted run resumes from this file."
    ),
]


def vector(option: str, text: str, *sizes: int) -> Array:
    """Numbers separated by commas or blanks, as an array of one of `sizes`."""
    from .. import checks

    words = text.replace(",", " ").split()
    wanted = " or ".join(str(size) for size in sizes)
    if len(words) not in sizes:
        raise InputError(f"got {len(words)} numbers: {text!r}", where=option, fix=f"give {wanted}, separated by commas")
    try:
        values = [float(word) for word in words]
    except ValueError:
        example = ",".join(str(k + 1) for k in range(sizes[0]))
        raise InputError(
            f"cannot be read as numbers: {text!r}", where=option, fix=f"give {wanted} numbers: {example}"
        ) from None
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

    `floor` is for methods that have it: load limits smaller than that are found to `gap` times it.
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
            raise InputError(f"is not an option of the method {name}", where=f"--{field.replace('_', '-')}", fix=fix)
    if floor and "floor" in known:
        wanted["floor"] = floor
    return kind(**wanted)


def _with_field(field: str) -> list[str]:
    """The methods that have a field of that name."""
    from .. import solvers

    kinds = {name: getattr(solvers, class_name) for name, (class_name, _) in _METHODS.items()}
    return [name for name, kind in kinds.items() if field in {known.name for known in fields(kind)}]


def verdict(statuses: list[str]) -> Exit:
    """The exit code of several answers: "does not hold" before "undecided" before success."""
    if "does not hold" in statuses:
        return Exit.DOES_NOT_HOLD
    return Exit.UNDECIDED if "undecided" in statuses else Exit.HOLDS


def check_distinct(**targets: Path | None) -> None:
    """Raise FileError before the computation for two options, given by parameter name, that would write one file."""
    taken: dict[Path, str] = {}
    for name, path in targets.items():
        if path is None:
            continue
        place, option = STDOUT if path == STDOUT else path.resolve(), f"--{name.replace('_', '-')}"
        if place in taken:
            where = "to standard output" if place == STDOUT else "the same file"
            raise FileError(f"{taken[place]} and {option} write {where}", path=path, fix="give each its own file")
        taken[place] = option


def folder(path: Path) -> Path:
    """The folder at `path`, created if it does not exist."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fix = "name a folder in a place where you may write"
        raise FileError(f"cannot be created: {error.strerror}", path=path, fix=fix) from None
    return path


# -- loads ------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class LoadCase:
    """A scene or posture under its gravity, and an external wrench on its object or body.

    Attributes:
        scene: under the gravity that was asked for.
        wrench: (6,) force [N] and torque about the world origin [N m].
        description: what the wrench consists of: "weight + pull".
        weight: (6,) the part of it that is the weight; zero where none acts.
    """

    scene: Any
    wrench: Array
    description: str
    weight: Array


def tilted(gravity: Array, tilt: str) -> Array:
    """(3,) gravity (3,) [m/s^2] turned by the text of --tilt: degrees, and where to in degrees from x."""
    import numpy as np

    from ..geometry.frames import rotation_about
    from ..tolerances import ORTHONORMAL

    degrees = np.radians(vector("--tilt", tilt, 1, 2))
    size = float(np.linalg.norm(gravity))
    if not size:
        raise InputError("there is no gravity to turn", where="--tilt", fix="leave it out, or give --gravity X,Y,Z")
    azimuth = float(degrees[1]) if len(degrees) == 2 else 0.0
    axis = np.cross(gravity / size, (np.cos(azimuth), np.sin(azimuth), 0.0))
    if np.linalg.norm(axis) < ORTHONORMAL:
        raise InputError("is parallel to gravity", where="--tilt", fix="give another TOWARDS")
    return rotation_about(axis / np.linalg.norm(axis), float(degrees[0])) @ gravity


def under_gravity(scene: Any, gravity: str | None, tilt: str | None) -> Any:
    """A scene under the gravity of --gravity, turned by --tilt; itself where neither is given."""
    if gravity is not None:
        scene = scene.with_gravity(vector("--gravity", gravity, 3))
    return scene if tilt is None else scene.with_gravity(tilted(scene.gravity, tilt))


def at_walls(scene: Any, loads: Sequence[str], *, walls: bool) -> Any:
    """The scene with friction at the walls that its weight and the named loads squeeze, or at all of them."""
    import numpy as np

    if walls and not getattr(scene, "found", None):
        fix = "leave it out; it is for interfaces between bodies that are found from their shapes"
        raise InputError("there are no such walls", where="--walls", fix=fix)
    if walls:
        return scene.with_friction_at_walls()
    named = [scene.load(name) for name in loads if name in scene.loads] if getattr(scene, "found", None) else []
    return scene.squeezed(np.sum(named, axis=0)) if named else scene


def load_case(
    scene: Any,
    *,
    loads: Sequence[str] = (),
    gravity: str | None = None,
    tilt: str | None = None,
    wrench: str | None = None,
    weight: bool = True,
    own_weight: Callable[[], Array] | None = None,
    walls: bool = False,
) -> LoadCase:
    """The load that the options --load, --gravity, --tilt, --wrench and --no-weight describe.

    The weight of the object under the scene's gravity, or the one given, is included unless `weight` is False; named
    loads are added. A wrench given by its numbers is the whole load.

    Args:
        scene: has `load(name)`, `gravity`, `mass`, and `with_gravity` if `gravity` may be given.
        loads: names of loads.
        gravity: text of --gravity, or None.
        tilt: text of --tilt, or None.
        wrench: text of --wrench, or None.
        weight: whether the weight acts.
        own_weight: returns the weight (6,); `scene.gravity_load` by default.
        walls: whether bodies side by side have friction even where nothing squeezes them.
    """
    import numpy as np

    scene = at_walls(under_gravity(scene, gravity, None), loads, walls=walls)
    scene = under_gravity(scene, None, tilt)
    if wrench is not None:
        if loads:
            fix = "--wrench is the total load: give one of the two"
            raise InputError("is given with --load", where="--wrench", fix=fix)
        if getattr(scene, "bodies", ()):
            fix = "name a load of the scene file, which says what it acts on: --load NAME"
            raise InputError(f"the scene has {len(scene.bodies)} bodies", where="--wrench", fix=fix)
        return LoadCase(scene, vector("--wrench", wrench, 6), "the wrench given", np.zeros(6))
    if loads and not scene.loads:
        where, fix = str(scene.path or scene.name), "name some under `loads:` in the file"
        raise InputError(f"there is no load {loads[0]!r}; the file defines no loads", where=where, fix=fix)
    parts, names = [scene.load(name) for name in loads], list(loads)
    if weight and (scene.mass is not None or not loads):
        parts.insert(0, (own_weight or scene.gravity_load)())
        names.insert(0, "weight" if scene.gravity.any() else "no weight (gravity is zero)")
    if not parts:
        raise InputError("there is no load left", where="--no-weight", fix="give --load NAME or --wrench")
    own = np.zeros_like(parts[0]) if len(parts) == len(loads) else parts[0]
    return LoadCase(scene, np.sum(parts, axis=0), " + ".join(names), own)


def required(value: str | None, argument: str, fix: str) -> str:
    """The value of an argument that may be left out only with --list or --schema."""
    if value is None:
        raise InputError("is missing", where=argument, fix=fix)
    return value

"""`holdfast grip`: learn the wrenches that a hand can apply, and show the result."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ..console.options import (
    ClusterOption,
    CsvOption,
    Exit,
    JsonOption,
    PlotOption,
    SeedOption,
    WorkersOption,
    check_target,
    vector,
)
from ..console.output import bound, note, number, progress
from ..console.pictures import FeaturePlots
from ..console.questions import ReadyFile, with_groups
from ..console.sheets import Block, TableBlock, heading, present, triple
from ..errors import InputError

if TYPE_CHECKING:
    from ..geometry.frames import Pose
    from ..scenes import Scene
    from .grip import AnySet

plots = FeaturePlots(__package__)


app = typer.Typer(
    help="Grips: the set of wrenches that a hand can apply to the body; learn, show, info.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

SUFFIXES = (".h5", ".hdf5")
FRAME = "wrenches act on the body, in the palm frame; torques are about the palm's origin"

GripArgument = Annotated[Path, typer.Argument(metavar="FILE", help="Grip file that `grip learn` or Grip.save wrote.")]
LookOption = Annotated[
    Literal["section", "projection"],
    typer.Option("--look", help="Sections have the other four parts of the wrench at zero, projections at any value."),
]
PalmOption = Annotated[
    str | None,
    typer.Option(
        "--palm",
        metavar="X,Y,Z[,RX,RY,RZ]",
        help="Pose of the palm in the scene: position [m] and rotation vector [deg].",
    ),
]
CertifiedOption = Annotated[
    bool, typer.Option("--certified", help="One piece per contact for the inner set: every wrench in it is held.")
]
WayOption = Annotated[
    Literal["greedy", "paper"],
    typer.Option("--method", help="Keep the best of many samples, or random rays and planes as in the paper."),
]

GapOption = Annotated[
    float | None,
    typer.Option(
        "--gap",
        metavar="SHARE",
        help="Double the samples until the outer set exceeds the inner set by at most this fraction: 0.05 is 5 %.",
    ),
]
JournalOption = Annotated[
    Path | None,
    typer.Option(
        "--journal",
        metavar="FILE",
        help="Save samples while running, in FILE, FILE.1, FILE.2 and so on; an interrupted run resumes.",
    ),
]


@app.command()
@with_groups
def learn(
    question: ReadyFile,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE.h5", help="File of the grip; required.")
    ] = None,
    n: Annotated[int, typer.Option("--n", metavar="N", help="Number of samples.")] = 1000,
    seed: SeedOption = 0,
    gap: GapOption = None,
    acting: Annotated[
        Literal["direct", "reaction"],
        typer.Option("--acting", help="Contact forces act on the body (direct), or on the gripped object (reaction)."),
    ] = "direct",
    palm: PalmOption = None,
    weightless: Annotated[
        bool,
        typer.Option(
            "--weightless", help="Ignore the weight of the links: the grip is then valid for every orientation."
        ),
    ] = False,
    certified: CertifiedOption = False,
    way: WayOption = "greedy",
    workers: WorkersOption = 1,
    cluster: ClusterOption = None,
    journal: JournalOption = None,
    json: JsonOption = False,
    plot: PlotOption = None,
) -> None:
    """Learn the inner and outer wrench set of the hand in a scene, with its joint limits."""
    from .learning import GreedySampling, PaperSampling, learn_grip

    if output is None:
        raise InputError("is missing", where="--output", fix="give the output file: -o FILE.h5")
    check_target("--output", output, SUFFIXES)
    loaded = question.one_object(question.read())
    where = _palm(palm)
    hand, gravity = _hand(loaded, weightless=weightless)
    try:
        with progress(f"{loaded.name}, {n} samples") as report:
            found = learn_grip(
                hand.assembly,
                n,
                seed,
                palm=where,
                acting=acting,
                gap=gap,
                gravity=gravity,
                certified=certified,
                method=PaperSampling() if way == "paper" else GreedySampling(),
                workers=workers,
                cluster=cluster,
                journal=journal,
                progress=report,
            )
    except KeyboardInterrupt:
        kept = "nothing was saved (give --journal FILE to keep samples)"
        if journal is not None:
            kept = f"samples so far are in {_journals(journal)}: run the same command again to continue"
        note(f"interrupted; {kept}")
        raise typer.Exit(Exit.INTERRUPTED) from None
    if not found.label:
        found = found.with_label(loaded.name)
    found.save(output)
    note(f"grip: {output}")
    if found.metadata.misses_its_gap:
        note(f"{_gap_words(asdict(found.metadata))}: the largest number of samples is reached; give a larger --n")
    if journal is not None:
        note(f"samples: {_journals(journal)}; can be deleted once the grip is saved")
    present(
        "grip learn",
        found,
        sheet=_metadata_sheet(found),
        json=json,
        metadata={"scene": loaded.name, "file": output},
        plot=plot,
        picture=lambda: plots.grip(found, title=found.label or output.stem),
    )


@app.command()
def info(file: GripArgument, json: JsonOption = False) -> None:
    """Contents of a grip file: how it was learned, error bounds, what it depends on."""
    grip = _read(file)
    present("grip info", grip, sheet=_metadata_sheet(grip), json=json, metadata={"file": file})


@app.command()
def show(
    file: GripArgument,
    look: LookOption = "section",
    json: JsonOption = False,
    plot: PlotOption = None,
    csv: CsvOption = None,
) -> None:
    """Extent of a grip along each axis; with --plot, its inner set in green and its outer set in red."""
    found = _read(file)
    rows = extents(found)
    present(
        "grip show",
        {"label": found.label, "extents": rows},
        sheet=_extents_sheet(found.label or str(file), rows),
        json=json,
        csv=csv,
        rows=lambda: [
            {"axis": row["axis"], "unit": row["unit"]}
            | {
                f"{part} {end}": row[part][i]
                for part in row
                if part in ("inner", "outer")
                for i, end in enumerate(ENDS)
            }
            for row in rows
        ],
        metadata={"file": file},
        plot=plot,
        picture=lambda: plots.grip(found, look=look, title=found.label or file.stem),
    )


#: Both ends of an extent.
ENDS = ("lowest", "highest")


def _read(file: Path) -> AnySet:
    """The grip in a file; an error for other files names the right command."""
    from ..files.reader import check_kind
    from .files import load_grip

    check_kind(file, "grip")
    return load_grip(file)


def _extents_sheet(name: str, rows: list[dict[str, Any]]) -> Iterator[Block]:
    yield heading(f"{name}: extent along each axis, with the other components at any value")
    yield FRAME
    parts = [part for part in ("inner", "outer") if part in rows[0]]
    yield TableBlock(
        ["axis", *(f"{part} {end}" for part in parts for end in ENDS)],
        [
            (f"{row['axis']} [{row['unit']}]", *("nothing" if e is None else bound(e) for p in parts for e in row[p]))
            for row in rows
        ],
    )
    if any(None in row[part] for row in rows for part in parts):
        yield "the outer set is empty: its half-spaces contradict each other; the hand can apply no wrench"


def extents(grip: AnySet) -> list[dict[str, Any]]:
    """For each of the six axes: extents of the inner and the outer set, with the other components at any value.

    Both ends are None where a set is empty.
    """
    import numpy as np

    from .grip import sides
    from .sections import AXES, UNITS

    parts = {name: part for name, part in zip(("inner", "outer"), sides(grip), strict=True) if part is not None}
    rows: list[dict[str, Any]] = [{"axis": axis, "unit": unit} for axis, unit in zip(AXES, UNITS, strict=True)]
    for name, part in parts.items():
        highest, lowest = part.support(np.eye(6)), -part.support(-np.eye(6))
        for row, low, high in zip(rows, lowest.tolist(), highest.tolist(), strict=True):
            row[name] = [low, high] if low <= high else [None, None]
    return rows


def _palm(text: str | None) -> Pose | None:
    """A pose from the text of the command line: position and rotation vector."""
    import numpy as np

    from ..geometry.frames import Pose, rotation_about

    if text is None:
        return None
    values = vector("--palm", text, 3, 6)
    turn = values[3:]
    angle = float(np.linalg.norm(turn))
    return Pose(rotation_about(turn, np.radians(angle)) if angle else np.eye(3), values[:3])


def _hand(scene: Scene, *, weightless: bool) -> tuple[Scene, Any]:
    """The scene, and the gravity that its set depends on: None without links that have weight."""
    import numpy as np

    weighs = scene.link_gravity is not None and bool(np.any(scene.link_gravity)) and bool(scene.gravity.any())
    if not weighs:
        return scene, None
    return (scene.with_gravity((0.0, 0.0, 0.0)), None) if weightless else (scene, scene.gravity)


def _metadata_sheet(grip: AnySet) -> Iterator[Block]:
    data = grip.to_dict()
    known: dict[str, Any] = data["metadata"]
    said = {name: "-" if known[name] in (None, "") else known[name] for name in known}
    acting = {"-": "-", "direct": "on the body", "reaction": "on the gripped object"}
    gravity = data["palm_gravity"]
    yield heading(f"{data['label'] or 'grip'}: {data['holds']}")
    yield FRAME
    rows: dict[str, Any] = {
        "vertices and rays": data["vertices"] is not None and f"{data['vertices']}, {data['rays']}",
        "half-spaces": data["planes"] is not None and str(data["planes"]),
        "outer beyond inner, along new rays": _gap_words(known),
        "inner short of a half-space, at most": data["gap"] is not None and f"{_share(data['gap'])} of its distance",
        "inner short of the truth, at most": _share(known["inner_error"]),
        "outer beyond the truth, at most": _share(known["outer_error"]),
        "concavity of the contacts": _share(known["concavity"]),
        "method": said["method"],
        "samples requested": str(said["asked"]),
        "programs solved": str(said["n"]),
        "seed": str(said["seed"]),
        "joint limits": {"-": "-", True: "yes", False: "no"}[said["joint_limits"]],
        "contact forces act": acting[said["acting"]],
        "palm in the scene": _pose(known["palm"]),
        "characteristic length [m]": number(data["length"]),
        "gravity in the palm frame [m/s^2]": "does not matter" if gravity is None else triple(gravity),
        "model hash": said["model_hash"],
        "changed since": known["derived"],
        "made by Holdfast": said["version"],
    }
    yield TableBlock(["of the grip", "value"], [(name, value) for name, value in rows.items() if value])


def _share(value: float | None) -> str:
    return "-" if value is None else "no bound" if value == float("inf") else f"{100.0 * value:.3g} %"


def _gap_words(metadata: dict[str, Any]) -> str:
    """Requested and reached excess of the outer set over the inner one along the new rays, as text."""
    if metadata["wanted_gap"] is None:
        return _share(metadata["reached_gap"])
    return f"requested gap {_share(metadata['wanted_gap'])}, reached {_share(metadata['reached_gap'])}"


def _pose(rows: Any) -> str:
    """Where the palm is, and whether it is rotated."""
    if rows is None:
        return "-"
    import numpy as np

    values = np.array(rows)
    turned = "" if np.array_equal(values[:, :3], np.eye(3)) else ", turned"
    return f"at ({triple(values[:, 3])}) m{turned}"


def _journals(first: Path) -> str:
    """The existing files of a journal as text: one per round of samples."""
    count = 0
    while first.with_name(f"{first.name}.{count + 1}").exists():
        count += 1
    if count <= 1:
        return f"{first}" if not count else f"{first} and {first.name}.1"
    return f"{first} and {first.name}.1 to {first.name}.{count} beside it ({count + 1} files)"

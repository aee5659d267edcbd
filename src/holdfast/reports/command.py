"""`holdfast report`: all answers about a scene as one self-contained HTML page."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..console.options import STDOUT, CsvOption, JsonOption, check_distinct, check_target, load_case, verdict
from ..console.output import load_factor, progress, write_text
from ..console.questions import SceneQuestion, with_groups
from ..console.sheets import Line, TableBlock, heading, present
from ..errors import FileError

if TYPE_CHECKING:
    from ..checks import Array
    from ..scenes import Scene


@with_groups
def report(
    question: SceneQuestion,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE.html", help="The page to write; - for standard output."),
    ] = Path("report.html"),
    slices: Annotated[
        list[str] | None,
        typer.Option(
            "--slices",
            metavar="A,B,C",
            help="Wrench-space slice over three of fx, fy, fz, tx, ty, tz; may be repeated; none for no slice. "
            "fx,fy,fz by default.",
        ),
    ] = None,
    level: Annotated[int, typer.Option("--level", metavar="N", help="Rays of a slice: 10 * 4^N + 2; from 1 to 5.")] = 2,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", help="Random seed of the specimens, if the scene has scatter.")
    ] = 0,
    samples: Annotated[
        int, typer.Option("--samples", "--n", metavar="N", help="Specimens per load, if the scene has scatter.")
    ] = 1_000,
    title: Annotated[
        str, typer.Option("--title", metavar="TEXT", help="Title of the page; the scene's name by default.")
    ] = "",
    date: Annotated[
        str | None, typer.Option("--date", metavar="TEXT", help="Date printed on the page; today by default.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
    json: JsonOption = False,
    csv: CsvOption = None,
) -> None:
    """Write a scene, its verdicts, margins, wrench spaces and probabilities as one self-contained HTML page.

    The page covers the weight, and each load of the scene together with the weight. With --load or --wrench it covers
    only these loads. The same scene, options and date give the same bytes. Exit codes refer to these loads.
    """
    from ..sharing.description import sharing_data
    from .chapters import report_page, save_report
    from .contents import ReportOptions, answer_scene

    loaded = question.scene_alone()  # errors of the scene are reported before errors of the output file
    asked = _loads(question, loaded)
    check_target("--output", output, (".html", ".htm"), stdout=True)
    check_distinct(output=output, csv=csv, json=STDOUT if json else None)
    if output.exists() and not force:
        raise FileError("exists already", path=output, fix="give another file name, or --force")
    given = [text.strip() for text in slices or ["fx,fy,fz"]]
    options = ReportOptions(tuple(text for text in given if text != "none"), level, seed, samples)
    with progress(f"report on {question.path}") as step:
        weighs = not question.no_weight and question.wrench is None
        contents = answer_scene(question.path, options, scene=loaded, loads=asked, weight=weighs, progress=step)
    today = datetime.now(UTC).astimezone().date().isoformat()
    page = report_page(contents, title=title, date=today if date is None else date)
    if output == STDOUT:
        write_text(output, page)
    else:
        save_report(page, output, overwrite=force)
    loads = [
        {
            "load": load.description,
            "status": load.equilibrium.status.value,
            "load_factor": None if load.limit is None else load.limit.value,
            "load_sharing": None if load.sharing is None else sharing_data(load.sharing),
        }
        for load in contents.loads
    ]
    rows = [
        (load["load"], load["status"], load_factor(load["load_factor"]), _bracket(load["load_sharing"]))
        for load in loads
    ]
    present(
        "report",
        {"scene": contents.scene.name, "file": output, "bytes": len(page), "loads": loads},
        sheet=[]
        if output == STDOUT
        else [
            heading(contents.scene.name),
            TableBlock(["load", "verdict", "load factor", "load sharing"], rows),
            Line(f"report: {output}", is_note=True),
        ],
        json=json,
        csv=csv,
        rows=lambda: [{name: load[name] for name in ("load", "status", "load_factor")} for load in loads],
        code=verdict([load["status"] for load in loads]),
    )


def _loads(question: SceneQuestion, scene: Scene) -> list[tuple[str, str, Array]]:
    """(name, description, wrench (6,)) of the loads in the options; all loads of the scene by default."""
    from .contents import loads_of

    weight = not question.no_weight
    if question.wrench is not None:
        case = load_case(scene, loads=question.loads, wrench=question.wrench)
        return [("", case.description, case.wrench)]
    found = loads_of(scene, weight=weight)
    unknown = [name for name in question.loads if name not in scene.loads]
    if unknown:
        scene.load(unknown[0])
    return [load for load in found if load[0] in question.loads] if question.loads else found


def _bracket(shared: dict[str, Any] | None) -> str:
    """First failure, peak and load limit for a table."""
    return "-" if shared is None else shared.get("bracket", "not known")

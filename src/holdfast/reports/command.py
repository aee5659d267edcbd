"""`holdfast report`: all answers about a scene as one self-contained HTML page."""

from __future__ import annotations

import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from ..console.options import STDOUT, CsvOption, JsonOption, check_distinct, check_target, under_gravity, verdict
from ..console.output import progress, write_text
from ..console.questions import SceneQuestion, with_groups
from ..console.sheets import Line, heading, present
from ..errors import FileError


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
    from .chapters import report_page, save_report, summary
    from .contents import ReportOptions, answer_scene, load_cases

    loaded = question.read()  # errors of the scene are reported before errors of the output file
    acting: dict[str, Any] = {name: getattr(question, name) for name in ("gravity", "tilt", "wrench", "walls")}
    cases = load_cases(loaded, loads=question.load, weight=not question.no_weight, **acting)
    scene = under_gravity(loaded, question.gravity, question.tilt)
    check_target("--output", output, (".html", ".htm"), stdout=True)
    check_distinct(output=output, csv=csv, json=STDOUT if json else None)
    if output.exists() and not force:
        raise FileError("exists already", path=output, fix="give another file name, or --force")
    given = [text.strip() for text in slices or ["fx,fy,fz"]]
    options = ReportOptions(tuple(text for text in given if text != "none"), level, seed, samples)
    with progress(f"report on {question.path}") as step:
        given = _given({**acting, "no-weight": question.no_weight})
        contents = answer_scene(question.path, options, scene=scene, cases=cases, given=given, progress=step)
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
    present(
        "report",
        {"scene": contents.scene.name, "file": output, "bytes": len(page), "loads": loads},
        sheet=[]
        if output == STDOUT
        else [
            heading(contents.scene.name),
            *summary(contents),
            Line(f"report: {output}", is_note=True),
        ],
        json=json,
        csv=csv,
        rows=lambda: [{name: load[name] for name in ("load", "status", "load_factor")} for load in loads],
        code=verdict([load["status"] for load in loads]),
    )


def _given(options: dict[str, Any]) -> str:
    """Options as on the command line, each after a blank; those that were not given are left out."""
    found = [f"--{name}" if value is True else f"--{name}={value}" for name, value in options.items() if value]
    return "".join(f" {shlex.quote(word)}" for word in found)

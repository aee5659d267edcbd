"""`holdfast report`: all that is known of a scene as one self-contained page for a colleague."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..console.options import JsonOption, SceneArgument, check_target, method, verdict
from ..console.output import emit, load_factor, note, prepare, progress, say, table
from ..errors import FileError


def report(
    scene: SceneArgument,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE.html", help="The page to write.")] = Path(
        "report.html"
    ),
    slices: Annotated[
        list[str] | None,
        typer.Option(
            "--slices",
            metavar="A,B,C",
            help="Wrench-space slice over three of fx, fy, fz, tx, ty, tz; may be repeated; none for no slice. "
            "fx,fy,fz when left out.",
        ),
    ] = None,
    level: Annotated[int, typer.Option("--level", metavar="N", help="Rays of a slice: 10 * 4^N + 2; from 1 to 5.")] = 2,
    seed: Annotated[
        int, typer.Option("--seed", metavar="S", help="Of the specimens, where the scene has scatter.")
    ] = 0,
    samples: Annotated[
        int, typer.Option("--samples", "--n", metavar="N", help="Specimens for each load, where the scene has scatter.")
    ] = 1_000,
    title: Annotated[str, typer.Option("--title", metavar="WORDS", help="Of the page; the scene's name if none.")] = "",
    date: Annotated[
        str | None, typer.Option("--date", metavar="WORDS", help="Printed on the page; today when left out.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
    json: JsonOption = False,
) -> None:
    """Write a scene, its verdicts, margins, wrench spaces and certainty as one HTML page; nothing is fetched by it.

    The same scene, options and date give the same bytes. Exit codes are about the loads of the scene.
    """
    from ..scenes import load_scene
    from .contents import ReportOptions, answer_scene
    from .page import report_page, save_report

    loaded = load_scene(scene)  # first: what is wrong with the scene matters more than where the page goes
    check_target("--output", output, (".html", ".htm"))
    if output.exists() and not force:
        raise FileError("is there already", path=output, fix="name a new file, or say --force")
    given = [text.strip() for text in slices or ["fx,fy,fz"]]
    options = ReportOptions(tuple(text for text in given if text != "none"), level, seed, samples)
    prepare(method())
    with progress(f"report on {scene}") as tell:
        contents = answer_scene(scene, options, scene=loaded, progress=tell)
    page = report_page(contents, title=title, date=_today() if date is None else date)
    save_report(page, output, overwrite=force)
    statuses = [load.equilibrium.status.value for load in contents.loads]
    factors = [None if load.limit is None else load.limit.value for load in contents.loads]
    listed = list(zip([load.words for load in contents.loads], statuses, factors, strict=True))
    if json:
        loads = [{"load": words, "status": status, "load_factor": factor} for words, status, factor in listed]
        emit({"command": "report", "scene": contents.scene.name, "file": output, "bytes": len(page), "loads": loads})
    else:
        say(contents.scene.name, style="bold")
        rows = [(words, status, load_factor(factor)) for words, status, factor in listed]
        table(["load", "verdict", "load factor"], rows, statuses=True)
        note(f"report: {output}")
    raise typer.Exit(verdict(statuses))


def _today() -> str:
    """The day, as 2025-01-31."""
    from datetime import UTC, datetime

    return datetime.now(UTC).astimezone().date().isoformat()

"""`holdfast report`: all answers about a scene as one self-contained HTML page."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from ..console.options import JsonOption, SceneArgument, check_target, verdict
from ..console.output import load_factor, progress
from ..console.sheets import Line, TableBlock, heading, present
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
) -> None:
    """Write a scene, its verdicts, margins, wrench spaces and probabilities as one HTML page that loads nothing else.

    The same scene, options and date give the same bytes. Exit codes are about the loads of the scene.
    """
    from ..scenes import load_scene
    from ..sharing.description import sharing_data
    from .chapters import report_page, save_report
    from .contents import ReportOptions, answer_scene

    loaded = load_scene(scene)  # first: a fault of the scene is reported before one of the output file
    check_target("--output", output, (".html", ".htm"))
    if output.exists() and not force:
        raise FileError("exists already", path=output, fix="name a new file, or give --force")
    given = [text.strip() for text in slices or ["fx,fy,fz"]]
    options = ReportOptions(tuple(text for text in given if text != "none"), level, seed, samples)
    with progress(f"report on {scene}") as step:
        contents = answer_scene(scene, options, scene=loaded, progress=step)
    today = datetime.now(UTC).astimezone().date().isoformat()
    page = report_page(contents, title=title, date=today if date is None else date)
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
        sheet=[
            heading(contents.scene.name),
            TableBlock(["load", "verdict", "load factor", "load sharing"], rows),
            Line(f"report: {output}", is_note=True),
        ],
        json=json,
        code=verdict([load["status"] for load in loads]),
    )


def _bracket(shared: dict[str, Any] | None) -> str:
    """First failure, peak and load limit for a table."""
    return "-" if shared is None else shared.get("bracket", "not known")

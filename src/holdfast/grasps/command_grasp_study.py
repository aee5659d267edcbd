"""`holdfast grasp-study`: the studies of Chinellato et al.: parameters varied, grasps displaced, correlation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ..console.options import PICTURES, Exit, JsonOption, PlotOption, check_target, vector
from ..console.output import emit, say
from .command_grasp_inputs import EXIT_CODES, BestOption, Question, about_a_part, check_best

if TYPE_CHECKING:
    from .ranking import Ranking

app = typer.Typer(
    help="Studies of the planar grasps of a part: how far their ranking can be trusted.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

CsvOption = Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write the whole table as CSV.")]


@app.command("variation", epilog=EXIT_CODES, short_help="Quality and rank under other friction, margin or weight.")
@about_a_part
def variation(
    question: Question,
    try_mu: Annotated[str, typer.Option("--try-mu", metavar="V1,V2", help="Coefficients of friction to try.")] = "0.3",
    try_lambda: Annotated[
        str, typer.Option("--try-lambda", metavar="V1,V2", help="Positioning errors to try [mm].")
    ] = "3",
    try_w: Annotated[str, typer.Option("--try-w", metavar="V1,V2", help="Weight indices to try.")] = "0.5,2",
    best: BestOption = 10,
    json: JsonOption = False,
    csv: CsvOption = None,
    plot: PlotOption = None,
) -> None:
    """Table 1: the same grasps scored with one parameter changed at a time."""
    from .variation import parameter_variation

    check_best(best)
    tried = {
        "mu": _values("--try-mu", try_mu),
        "lambda_mm": _values("--try-lambda", try_lambda),
        "W": _values("--try-w", try_w),
    }
    ranking = _ranking(question, csv, plot, json)
    study = parameter_variation(ranking, **tried)
    _tell("variation", question.name, study, study.rows(), best, json=json, csv=csv, title="parameters varied")
    if plot is not None:
        from ..console.pictures import save
        from .plots_grasp_studies import variation_chart

        save(variation_chart(study, best=best, title=f"{question.name}: parameters varied"), plot)


@app.command("stability", epilog=EXIT_CODES, short_help="Quality and rank when grasps are not made exactly.")
@about_a_part
def stability(
    question: Question,
    trials: Annotated[int, typer.Option("--trials", metavar="N", help="How often all grasps are displaced.")] = 20,
    translation: Annotated[
        float, typer.Option("--translation", metavar="MM", help="Largest displacement of the focus [mm].")
    ] = 1.5,
    rotation: Annotated[
        float, typer.Option("--rotation", metavar="DEG", help="Largest turn to either side [deg].")
    ] = 0.0,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Seed of the displacements.")] = 0,
    best: BestOption = 10,
    json: JsonOption = False,
    csv: CsvOption = None,
    plot: PlotOption = None,
) -> None:
    """Table 2: all grasps displaced at random, scored and ranked again."""
    import math

    from .stability import stability_study

    check_best(best)
    ranking = _ranking(question, csv, plot, json)
    study = stability_study(
        ranking, trials=trials, translation_mm=translation, rotation_rad=math.radians(rotation), seed=seed
    )
    words = f"{trials} displacements of up to {translation:g} mm" + (f" and {rotation:g} deg" if rotation else "")
    _tell("stability", question.name, study, study.rows(), best, json=json, csv=csv, title=words)
    if plot is not None:
        from ..console.pictures import save
        from .plots_grasp_studies import stability_chart

        save(stability_chart(study, best=best, title=f"{question.name}: {words}"), plot)


@app.command("correlation", epilog=EXIT_CODES, short_help="How the criteria agree with one another and with Q.")
@about_a_part
def correlation(
    question: Question,
    of: Annotated[Literal["values", "ranks"], typer.Option("--of", help="Correlate values, or ranks.")] = "values",
    json: JsonOption = False,
    csv: CsvOption = None,
    plot: PlotOption = None,
) -> None:
    """Correlation of the ten criteria and of Q over all grasps of the part, of values or of ranks."""
    from .correlation import correlations

    ranking = _ranking(question, csv, plot, json)
    study = correlations(ranking)
    title = f"correlation of {of} over {study.grasps} grasps"
    _tell("correlation", question.name, study, study.rows(of), None, json=json, csv=csv, title=title)
    if plot is not None:
        from ..console.pictures import save
        from .plots_grasp_studies import correlation_map

        save(correlation_map(study, title=f"{question.name}: correlation over {study.grasps} grasps"), plot)


def _values(option: str, text: str) -> list[float]:
    """Numbers separated by commas; none when there are none."""
    words = text.replace(",", " ").split()
    return [float(x) for x in vector(option, text, len(words))] if words else []


def _ranking(question: Question, csv: Path | None, plot: Path | None, json: bool) -> Ranking:
    """The ranking to be studied; the command ends when there is none."""
    check_target("--plot", plot, PICTURES)
    check_target("--csv", csv)
    ranking = question.ranking()
    if not len(ranking):
        if json:
            emit({"part": question.name, "reason": ranking.reason})
        else:
            say(f"{question.name}: no grasp: {ranking.reason}", style="yellow")
        raise typer.Exit(Exit.DOES_NOT_HOLD)
    return ranking


def _tell(
    command: str, name: str, study: Any, rows: list[dict[str, Any]], best: int | None,
    *, json: bool, csv: Path | None, title: str,
) -> None:  # fmt: skip
    """A study as JSON or as a table, and its CSV."""
    from .command_grasp_tables import show_rows, triangle, variation_table, write_csv

    shape = {"variation": variation_table, "correlation": triangle}.get(command, list)
    if json:
        emit({"command": f"grasp-study {command}", "part": name, **study.to_dict()})
    else:
        show_rows(shape(rows if best is None else rows[:best]), title=f"{name}: {title}")
    if csv is not None:
        write_csv(csv, rows)

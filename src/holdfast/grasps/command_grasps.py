"""`holdfast grasps`: planar grasps of the part in a picture, from the best to the worst, with reasons."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ..console.options import PICTURES, Exit, JsonOption, check_distinct, check_target, vector
from ..console.output import emit, note, say
from ..errors import InputError
from .command_grasp_inputs import BestOption, ListOption, Question, about_a_part, check_best, list_ready

if TYPE_CHECKING:
    from .ranking import Ranking

CsvOption = Annotated[
    Path | None,
    typer.Option("--csv", metavar="FILE", help="Write all ranked grasps as CSV; with --reachable also the others."),
]
RankOption = Annotated[
    Literal["sum", "minmax", "borda", "median"],
    typer.Option("--rank", help="How criteria are merged: their sum Q, sums after stretching to 0..1, ranks."),
]
WeightsOption = Annotated[
    str | None, typer.Option("--weights", metavar="S2=2,C1=0.5", help="Sum with weights instead; 1 if not named.")
]
ReachableOption = Annotated[
    bool, typer.Option("--reachable", help="Leave grasps out that fingers cannot get to without collision.")
]
OpeningOption = Annotated[
    float | None,
    typer.Option("--opening", metavar="MM", help="How far fingers open beyond their contacts [mm]; fully if not."),
]
WholeTipOption = Annotated[
    bool, typer.Option("--whole-tip", help="Fingertips must lie on their regions with their whole width.")
]
HeightOption = Annotated[
    float | None, typer.Option("--height", metavar="MM", help="Height of the part, for the palm's clearance [mm].")
]
WhyOption = Annotated[
    str | None, typer.Option("--why", metavar="I,J", help="Say why the grasp of rank I stands before that of J.")
]
MetricsOption = Annotated[
    bool, typer.Option("--metrics", help="Add metrics of the wrench space: epsilon, volume, largest load.")
]
BestPlotOption = Annotated[
    Path | None, typer.Option("--plot", metavar="FILE", help="Draw the best grasp: .png, .svg or .pdf by the name.")
]
SheetOption = Annotated[Path | None, typer.Option("--sheet", metavar="FILE", help="Draw the best grasps side by side.")]
DistributionsOption = Annotated[
    Path | None, typer.Option("--distributions", metavar="FILE", help="Draw how the criteria are distributed.")
]
#: How many of the best grasps are said to beat the next one, and why.
MOST_REASONS = 2

SchemaOption = Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of --json and end.")]


@about_a_part
def grasps(
    question: Question,
    rank: RankOption = "sum",
    weights: WeightsOption = None,
    reachable: ReachableOption = False,
    opening: OpeningOption = None,
    whole_tip: WholeTipOption = False,
    height: HeightOption = None,
    best: BestOption = 10,
    why: WhyOption = None,
    metrics: MetricsOption = False,
    json: JsonOption = False,
    csv: CsvOption = None,
    plot: BestPlotOption = None,
    sheet: SheetOption = None,
    distributions: DistributionsOption = None,
    schema: SchemaOption = False,
    listing: ListOption = False,
) -> None:
    """Ranked grasps of a flat part seen from above: contacts, forces, pose of the hand, ten criteria and their sum."""
    if schema:
        from .exchange_schema import grasp_schema

        emit(grasp_schema())
        return
    if listing:
        list_ready(json=json)
        return
    for option, path in (("--plot", plot), ("--sheet", sheet), ("--distributions", distributions)):
        check_target(option, path, PICTURES)
    check_target("--csv", csv)
    check_distinct(plot=plot, sheet=sheet, distributions=distributions, csv=csv)
    check_best(best)
    if weights is not None and rank != "sum":
        raise InputError("is for the sum alone", where="--weights", fix=f"leave out --weights or --rank {rank}")
    ranking = question.ranking(
        ranking=rank if weights is None else _weights(weights),
        reachability=reachable or opening is not None or whole_tip or height is not None,
        clearance={"opening_mm": opening, "whole_tip": whole_tip, "height_mm": height},
    )
    if csv is not None:  # before the tables: a file that cannot be written is told at once
        from .command_grasp_tables import ranking_rows, write_csv

        write_csv(csv, ranking_rows(ranking, metrics=metrics))
    _answer(ranking, question.name, best=best, why=why, metrics=metrics, json=json)
    _draw(ranking, question.name, best, plot=plot, sheet=sheet, distributions=distributions)
    raise typer.Exit(Exit.HOLDS if len(ranking) else Exit.DOES_NOT_HOLD)


def _weights(text: str) -> dict[str, float]:
    """Weights "S2=2,C1=0.5" by name."""
    found: dict[str, float] = {}
    for entry in text.replace(",", " ").split():
        name, _, value = entry.partition("=")
        if name in found:
            raise InputError(f"names {name} twice", where="--weights", fix="give each criterion one weight")
        try:
            found[name] = float(value)
        except ValueError:
            raise InputError(f"is {entry!r}", where="--weights", fix="give names and numbers: S2=2,C1=0.5") from None
        if not name:
            raise InputError(f"is {entry!r}", where="--weights", fix="give names and numbers: S2=2,C1=0.5")
    if not found:
        raise InputError("is empty", where="--weights", fix="give names and numbers: S2=2,C1=0.5")
    return found


def _answer(ranking: Ranking, name: str, *, best: int, why: str | None, metrics: bool, json: bool) -> None:
    """The ranking as JSON in the exchange form, or as tables."""
    reasons = None
    if why is not None and len(ranking):
        pair = vector("--why", why, 2)
        if (pair != pair.round()).any():
            raise InputError(f"is {why!r}", where="--why", fix="give two ranks: 1,2")
        first, second = (int(x) for x in pair)
        reasons = str(ranking.why(first, second))
    if json:
        data: dict[str, Any] = ranking.to_dict(metrics=metrics)
        emit(data if reasons is None else {**data, "why": reasons})
        return
    from .command_grasp_tables import show_ranking, show_reachability, show_rows

    show_ranking(ranking, name, best)
    if ranking.reach is not None:
        show_reachability(ranking)
    if metrics and len(ranking):
        from .metrics import measure

        shown = [(grasp.rank, measure(grasp).to_dict()) for grasp in ranking.grasps[:best]]
        length = shown[0][1]["torque_length_mm"]
        rows = [
            {"rank": rank, "epsilon [N]": m["epsilon"], "hull volume [N^3]": m["hull_volume"],
             "largest load [N]": m["largest_load"]}
            for rank, m in shown
        ]  # fmt: skip
        forces = "normal forces add up to 1 N (largest load: at most 1 N each)"
        show_rows(rows, title=f"Wrench space: {forces}, torques divided by {length:.1f} mm")
    if reasons is not None:
        say(reasons)
    else:
        for rank in range(1, min(len(ranking), MOST_REASONS + 1)):
            say(str(ranking.why(rank, rank + 1)))


def _draw(
    ranking: Ranking, name: str, best: int, *, plot: Path | None, sheet: Path | None, distributions: Path | None
) -> None:
    if not any((plot, sheet, distributions)):
        return
    if not len(ranking):
        note("no picture is drawn: there is no grasp")
        return
    from ..console.pictures import save
    from .plots_grasp_distributions import criterion_distributions
    from .plots_grasp_overlays import grasp_overlay, grasp_sheet

    under = {"picture": ranking.picture, "mm_per_px": ranking.mm_per_px or 1.0}
    if plot is not None:
        first, contour = ranking.best, ranking.contour
        assert first is not None  # there is a grasp
        assert contour is not None  # it was planned from a picture or a contour
        title = f"{name}: Q = {first.Q:.2f}, hand {ranking.scored.hand.name}"
        save(grasp_overlay(first, contour, title=title, **under), plot)
    if sheet is not None:
        save(grasp_sheet(ranking, best=best, title=f"{name}: the best grasps", **under), sheet)
    if distributions is not None:
        save(criterion_distributions(ranking, title=f"{name}: {len(ranking)} grasps"), distributions)

"""`holdfast grasps`: ranked planar grasps of the part in a picture; `holdfast grasp-study`: studies of the ranking.

The arguments that describe a part and a hand are defined once, as the fields of `GraspQuestion`.
"""

from __future__ import annotations

import functools
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ..console.options import (
    PICTURES,
    STDOUT,
    CsvOption,
    Exit,
    JsonOption,
    ListOption,
    PlotOption,
    SeedOption,
    check_distinct,
    check_target,
    vector,
)
from ..console.output import counted, messages, note, number
from ..console.pictures import FeaturePlots, save
from ..console.questions import with_groups
from ..console.sheets import Block, Line, TableBlock, heading, present
from ..errors import FileError, InputError

if TYPE_CHECKING:
    from .contour_files import Workpiece
    from .ranking import Ranking

plots = FeaturePlots(__package__)

GRASPS_EXIT_CODES = "Exit codes: 0 grasps found, 1 none, 2 bad input, 130 interrupted, 70 internal error."

#: Default scale of pictures [mm/px].
DEFAULT_SCALE = 1.0

#: Note about this default.
ASSUMED_SCALE = (
    f"no scale is given: {DEFAULT_SCALE:g} mm per pixel is assumed; "
    "give the size of a pixel, --mm-per-px MM, or the width of the part, --width MM"
)

#: Suffixes of contour files in millimetres, or with a stated unit.
IN_MM = (".csv", ".txt", ".dxf")

#: Text that a terminal shows during the search.
NOTICE = "searching grasps"

PictureArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="PICTURE",
        help="Picture of the part (PNG, JPEG, ...) or its contour in mm (CSV, SVG, DXF).",
        show_default=False,
    ),
]
PartOption = Annotated[
    str | None, typer.Option("--part", metavar="NAME", help="A ready example part instead of a picture; see --list.")
]
ScaleOption = Annotated[
    float | None,
    typer.Option(
        "--mm-per-px",
        metavar="MM",
        help=f"Size of a pixel, or of a user unit of an SVG [mm]; {DEFAULT_SCALE:g} is assumed where neither this nor "
        "--width is given (0.5 for an example part).",
    ),
]
HandOption = Annotated[
    str, typer.Option("--hand", metavar="HAND", help="barrett, generic, parallel_jaw, or the .toml file of a hand.")
]
MuOption = Annotated[float, typer.Option("--mu", metavar="MU", help="Smallest coefficient of friction.")]
LambdaOption = Annotated[
    float, typer.Option("--lambda", metavar="MM", help="Positioning error that contacts must tolerate [mm].")
]
WeightOption = Annotated[
    float, typer.Option("--weight-w", metavar="W", help="Weight index of the part: 0.5 light, 1 medium, 2 heavy.")
]
ObjectOption = Annotated[
    Literal["auto", "dark", "bright"],
    typer.Option("--object", help="Whether the part is darker or brighter than the background."),
]
IndexOption = Annotated[
    int, typer.Option("--index", metavar="N", help="Which of several objects, from the largest: 0, 1, ...")
]
PickOption = Annotated[
    str | None,
    typer.Option(
        "--pick",
        metavar="X,Y",
        help="A point on the wanted object [mm, y up; from the middle of a picture, or as in the drawing].",
    ),
]
RegionOption = Annotated[
    str | None,
    typer.Option(
        "--roi", metavar="X1,Y1,X2,Y2", help="Corners of the region of a picture to look at [mm from the middle, y up]."
    ),
]
WidthOption = Annotated[
    float | None,
    typer.Option("--width", metavar="MM", help="Width of the part [mm]: a picture or a drawing is scaled to it."),
]
ConfidenceOption = Annotated[
    float | None,
    typer.Option(
        "--least-confidence", metavar="C", help="Smallest accepted confidence of the found part: 0.8; 0 accepts any."
    ),
]
SmoothOption = Annotated[
    float,
    typer.Option("--smooth", metavar="MM", help="Smoothing of the contour [mm]; larger for ragged or lobed borders."),
]
BestOption = Annotated[
    int,
    typer.Option(
        "--best", metavar="N", min=1, help="Number of best grasps that are shown; --json and --csv contain all."
    ),
]


@dataclass(frozen=True)
class GraspQuestion:
    """The part and the hand; each field is an argument or option of the commands.

    Either `picture` or `part` is given; without `mm_per_px` the default scale is used.
    """

    picture: PictureArgument = None
    part: PartOption = None
    mm_per_px: ScaleOption = None
    hand: HandOption = "barrett"
    mu: MuOption = 0.4
    lambda_mm: LambdaOption = 2.0
    weight: WeightOption = 1.0
    object: ObjectOption = "auto"
    index: IndexOption = 0
    pick: PickOption = None
    roi: RegionOption = None
    width: WidthOption = None
    least_confidence: ConfidenceOption = None
    smooth: SmoothOption = 1.0
    listing: ListOption = False

    def list_ready(self, *, json: bool) -> None:
        """Print the example parts and the hands, and end."""
        list_ready(json=json)

    @property
    def name(self) -> str:
        """The name of the part."""
        return self.part or Path(self.picture or "").name

    def ranking(self, **settings: Any) -> Ranking:
        """The ranked grasps; `settings` are further arguments of `plan`."""
        from .planning import plan

        asked: dict[str, Any] = settings | {
            "hand": self.hand, "mu": self.mu, "lambda_mm": self.lambda_mm, "W": self.weight, "sigma": self.smooth,
        }  # fmt: skip
        console = messages()
        with console.status(NOTICE) if console.is_terminal else nullcontext():
            return plan(self.workpiece, **asked)

    @functools.cached_property
    def workpiece(self) -> Workpiece:
        """The part, found in its picture with sufficient confidence."""
        from .segmentation import LEAST_CONFIDENCE, check_confidence

        if self.found.segmentation is not None:
            least = LEAST_CONFIDENCE if self.least_confidence is None else self.least_confidence
            check_confidence(self.found.segmentation, least)
        return self.found

    @functools.cached_property
    def found(self) -> Workpiece:
        """The part, found with any confidence."""
        from .contour_files import read_workpiece

        if (self.picture is None) == (self.part is None):
            what = "is missing" if self.picture is None else "is given together with --part"
            raise InputError(what, where="PICTURE", fix="give a picture, or an example part: --part bracket")
        if self.least_confidence is not None and not 0.0 <= self.least_confidence <= 1.0:
            raise InputError(f"is {self.least_confidence:g}", where="--least-confidence", fix="give 0 to 1")
        scale = self.mm_per_px
        if self.part is not None:
            from .parts import PICTURE_SCALE, example_part

            scale = PICTURE_SCALE if scale is None else scale
            source: Any = example_part(self.part).picture(scale)
        else:
            source = self._path()
            if scale is not None and source.suffix.lower() in IN_MM:
                fix = "leave it out: the file is in mm; --width scales it"
                raise InputError("is for pictures and SVG drawings", where="--mm-per-px", fix=fix)
            scale = DEFAULT_SCALE if scale is None else scale
        found = read_workpiece(
            source,
            mm_per_px=scale,
            object=self.object,
            index=self.index,
            pick=None if self.pick is None else vector("--pick", self.pick, 2),
            roi=None if self.roi is None else vector("--roi", self.roi, 4),
            width_mm=self.width,
            least_confidence=0.0,
        )
        assumed = self.part is None and self.mm_per_px is None and self.width is None
        if assumed and found.segmentation is not None:
            found = replace(found, notes=(*found.notes, ASSUMED_SCALE))
        return found

    def _path(self) -> Path:
        from ..files.reader import check_kind

        path = Path(self.picture or "")
        if not path.exists():
            raise FileError(
                "there is no such file", path=path, fix="give a picture, or an example part: --part bracket"
            )
        if path.is_dir():
            raise FileError("is a folder", path=path, fix="give a picture or a contour file")
        check_kind(path, "picture", "contour", "table of numbers")
        return path


def list_ready(*, json: bool) -> None:
    """Print the example parts and the hands, and exit."""
    from .hands import hand_names, load_hand
    from .parts import example_part, part_names

    parts = [(name, example_part(name).title) for name in part_names()]
    hands = [(name, load_hand(name)) for name in hand_names()]
    columns = ["hand", "fingers", "longest extension [mm]", "fingertip width [mm]"]
    rows = [(n, h.fingers, f"{h.longest_extension:g}", f"{h.fingertip_width:g}") for n, h in hands]
    present(
        "grasps",
        {
            "parts": [{"name": name, "title": title} for name, title in parts],
            "hands": [{"name": name, "fingers": hand.fingers, "source": hand.source} for name, hand in hands],
        },
        sheet=[
            TableBlock(["part", "what it is"], parts, "Example parts, for --part"),
            TableBlock(columns, rows, "Hands, for --hand"),
        ],
        json=json,
    )


#: The kinds of grasps in a table.
KINDS = {"three_finger": "three fingers", "virtual_two_finger": "virtual two", "pinch": "pinch"}


def ranking_sheet(ranking: Ranking, name: str, best: int) -> Iterator[Block]:
    """The best grasps: criteria, then the pose of the hand; or why there is none."""
    from .criteria import MEANING
    from .ranking import LIMB, SHORT

    shape, hand = ranking.scored.shape, ranking.scored.hand.name
    yield from _input_lines(ranking)
    if not len(ranking):
        yield Line(f"{name}: no grasp with the hand {hand}: {ranking.reason}", "yellow")
        return
    left_out = f", {counted(len(ranking.excluded), 'candidate')} excluded" if ranking.excluded else ""
    yield heading(f"{name}: {counted(len(ranking), 'grasp')} with the hand {hand}{left_out}")
    yield (
        f"part: {shape.area_mm2:.0f} mm^2, centroid ({_mm(shape.centroid_mm)}) mm, axes "
        f"{shape.major_axis_mm:.1f} and {shape.minor_axis_mm:.1f} mm; lower is better"
    )
    shown = ranking.grasps[:best]
    # limb thickness and short regions are usually 0
    own = [key for key in ranking.own if key not in (LIMB, SHORT) or any(dict(g.own_criteria)[key] for g in shown)]
    by_score = ranking.method not in ("sum", "paper") or bool(own)
    rows = [
        [
            grasp.rank,
            KINDS[grasp.kind],
            f"{grasp.Q:.3f}",
            *([f"{grasp.score:.3f}"] if by_score else []),
            *(f"{value:.2f}" for value in grasp.criteria.values()),
            *(f"{dict(grasp.own_criteria)[key]:.3g}" for key in own),
        ]
        for grasp in shown
    ]
    columns = ["rank", "kind", "Q", *(["score"] if by_score else []), *shown[0].criteria, *own]
    yield TableBlock(columns, rows, "Criteria")
    yield ", ".join(f"{key} {MEANING[key]}" for key in shown[0].criteria) + "; Q: their sum"
    columns = ["rank", "thumb", "finger 2", "finger 3", "palm", "yaw", "spread", "extensions"]
    rows = [
        [
            grasp.rank,
            *(_mm(point) for point in grasp.contacts_mm),
            _mm(grasp.palm_mm),
            f"{math.degrees(grasp.yaw_rad):.1f}",
            f"{math.degrees(grasp.spread_rad):.1f}",
            _mm(grasp.extensions_mm),
        ]
        for grasp in shown
    ]
    yield TableBlock(columns, rows, "Contacts and hand [mm, deg]")
    yield from (f"grasp {grasp.rank}: {grasp.note}" for grasp in shown if grasp.note)


def _input_lines(ranking: Ranking) -> Iterator[Block]:
    """How the part was found in its picture, and what was repaired, chosen or left out."""
    if ranking.workpiece is not None:
        yield from (line for line in (ranking.workpiece.summary(),) if line)
        yield from (Line(f"note: {words}", "yellow") for words in ranking.workpiece.notes)


def reachability_block(ranking: Ranking, most: int = 8) -> Block:
    """Obstacles of the grasps that the hand cannot reach, by frequency."""
    kinds = Counter(obstacle(grasp.reason) for grasp in ranking.blocked)
    reach = ranking.reach
    assert reach is not None
    whole = reach.tested.all()
    if not kinds:
        some = "any grasp" if whole else f"the best {int(reach.tested.sum())} grasps"
        return f"Reachability: no obstacle for {some}."
    rows = [(count, words) for words, count in kinds.most_common(most)]
    some = "" if whole else f" (of the best {int(reach.tested.sum())})"
    return TableBlock(["grasps", "obstacle"], rows, f"Grasps that the fingers cannot reach{some}")


def obstacle(reason: str) -> str:
    """The first obstacle without its numbers, so that equal ones are counted together."""
    first = reason.split("; ")[0].split(":")[0]
    without = re.sub(r", [0-9.]+ mm wide,", "", first)
    return re.sub(r" [0-9.]+ mm\b", "", without)


def rows_table(rows: Sequence[Mapping[str, Any]], title: str = "", digits: int = 4) -> TableBlock:
    """Rows with the same columns as a table; "-" for missing values."""
    cells = [
        [number(value, digits) if isinstance(value, float) or value is None else str(value) for value in row.values()]
        for row in rows
    ]
    return TableBlock(list(rows[0]) if rows else [], cells, title)


def variation_table(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows of a variation with short column names: "Q mu=0.3"."""
    short = {" = ": "=", "lambda_mm": "lambda", "(": "", ")": ""}
    return [
        {functools.reduce(lambda text, old: text.replace(old, short[old]), short, name): row[name] for name in row}
        for row in rows
    ]


def _mm(values: Any) -> str:
    return ", ".join(f"{float(value):.1f}" for value in values)


RankOption = Annotated[
    Literal["sum", "paper"],
    typer.Option(
        "--rank",
        help="How grasps are ranked: by the sum of the criteria, feasible ones first; or by the paper's Q alone.",
    ),
]
WeightsOption = Annotated[
    str | None, typer.Option("--weights", metavar="S2=2,C1=0.5", help="Weighted sum instead; weights are 1 by default.")
]
ReachableOption = Annotated[
    bool, typer.Option("--reachable", help="Check whether fingers can reach all grasps, not only the best 20.")
]
FreeOption = Annotated[
    bool, typer.Option("--no-reachability", help="Do not check whether fingers can reach the grasps without collision.")
]
FoundOption = Annotated[
    Path | None,
    typer.Option(
        "--found", metavar="FILE", help="Draw the part as it was found in its picture, also where it is refused."
    ),
]
#: For how many of the best grasps it is explained why they are better than the next one.
MOST_REASONS = 2


@with_groups
def grasps(
    question: GraspQuestion,
    rank: RankOption = "sum",
    weights: WeightsOption = None,
    reachable: ReachableOption = False,
    no_reachability: FreeOption = False,
    best: BestOption = 10,
    json: JsonOption = False,
    csv: CsvOption = None,
    plot: PlotOption = None,
    found: FoundOption = None,
) -> None:
    """Ranked grasps of a flat part seen from above: contacts, forces, pose of the hand, ten criteria and their sum.

    --csv writes all ranked grasps; with --reachable also those that the fingers cannot reach.
    """
    check_target("--found", found, PICTURES)
    check_distinct(json=STDOUT if json else None, plot=plot, found=found, csv=csv)
    if found is not None:
        save(plots.part_overlay(question.found, title=question.name), found)
    if weights is not None and rank != "sum":
        raise InputError("works only with the sum", where="--weights", fix=f"leave out --weights or --rank {rank}")
    if no_reachability and reachable:
        raise InputError("is given with --reachable", where="--no-reachability", fix="give one of the two")
    ranking = question.ranking(
        rank=rank if weights is None else _weights(weights),
        reachability="none" if no_reachability else "all" if reachable else None,
    )
    if plot is not None:
        save(_picture(ranking, question.name), plot)
    present(
        None,
        ranking.to_dict() if json else None,
        sheet=_grasps_sheet(ranking, question.name, best),
        json=json,
        csv=csv,
        rows=ranking.rows,
        code=Exit.HOLDS if len(ranking) else Exit.DOES_NOT_HOLD,
    )


def _weights(text: str) -> dict[str, float]:
    """Weights "S2=2,C1=0.5" by name."""
    found: dict[str, float] = {}
    for entry in text.replace(",", " ").split():
        name, _, value = entry.partition("=")
        if name in found:
            raise InputError(f"has {name} twice", where="--weights", fix="give each criterion one weight")
        try:
            found[name] = float(value)
        except ValueError:
            raise InputError(f"is {entry!r}", where="--weights", fix="give names and numbers: S2=2,C1=0.5") from None
        if not name:
            raise InputError(f"is {entry!r}", where="--weights", fix="give names and numbers: S2=2,C1=0.5")
    if not found:
        raise InputError("is empty", where="--weights", fix="give names and numbers: S2=2,C1=0.5")
    return found


def _grasps_sheet(ranking: Ranking, name: str, best: int) -> Iterator[Block]:
    yield from ranking_sheet(ranking, name, best)
    if ranking.reach is not None:
        yield reachability_block(ranking)
    yield from (str(ranking.why(rank, rank + 1)) for rank in range(1, min(len(ranking), MOST_REASONS + 1)))


def _picture(ranking: Ranking, name: str) -> Any:
    """The best grasp over the part, or the part alone where there is none."""
    assert ranking.workpiece is not None  # planned from a picture or a contour
    if ranking.best is None:
        note("no grasp was found: --plot shows only the part")
        return plots.part_overlay(ranking.workpiece, title=f"{name}: no grasp")
    return plots.grasp_overlay(
        ranking.best,
        ranking.workpiece.contour,
        picture=ranking.picture,
        mm_per_px=ranking.mm_per_px or 1.0,
        title=f"{name}: Q = {ranking.best.Q:.2f}, hand {ranking.hand.name}",
    )


app = typer.Typer(
    help="Studies of the planar grasps of a part: how robust their ranking is.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command(
    "variation", epilog=GRASPS_EXIT_CODES, short_help="Quality and rank under other friction, margin or weight."
)
@with_groups
def variation(
    question: GraspQuestion,
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
    """The same grasps scored with one parameter changed at a time."""
    from .studies import parameter_variation

    tried = {
        "mu": _values("--try-mu", try_mu),
        "lambda_mm": _values("--try-lambda", try_lambda),
        "W": _values("--try-w", try_w),
    }
    study = parameter_variation(_ranking("variation", question, json), **tried)
    title = f"{question.name}: parameters varied"
    _present_study(
        "variation",
        question.name,
        study,
        csv,
        table=rows_table(variation_table(study.rows()[:best]), title),
        json=json,
        plot=plot,
        picture=lambda: plots.variation_chart(study, best=best, title=title),
    )


@app.command("stability", epilog=GRASPS_EXIT_CODES, short_help="Quality and rank when grasps are not made exactly.")
@with_groups
def stability(
    question: GraspQuestion,
    trials: Annotated[int, typer.Option("--trials", metavar="N", help="How often all grasps are displaced.")] = 20,
    translation: Annotated[
        float, typer.Option("--translation", metavar="MM", help="Largest displacement of the focus [mm].")
    ] = 1.5,
    rotation: Annotated[
        float, typer.Option("--rotation", metavar="DEG", help="Largest turn to either side [deg].")
    ] = 0.0,
    seed: SeedOption = 0,
    best: BestOption = 10,
    json: JsonOption = False,
    csv: CsvOption = None,
    plot: PlotOption = None,
) -> None:
    """All grasps displaced at random, scored and ranked again."""
    from .studies import stability_study

    ranking = _ranking("stability", question, json)
    study = stability_study(
        ranking, trials=trials, translation_mm=translation, rotation_rad=math.radians(rotation), seed=seed
    )
    turn = f" and {rotation:g} deg" if rotation else ""
    title = f"{question.name}: {trials} displacements of up to {translation:g} mm{turn}"
    _present_study(
        "stability",
        question.name,
        study,
        csv,
        table=rows_table(study.rows()[:best], title),
        json=json,
        plot=plot,
        picture=lambda: plots.stability_chart(study, best=best, title=title),
    )


def _values(option: str, text: str) -> list[float]:
    """Numbers separated by commas; empty for an empty text."""
    words = text.replace(",", " ").split()
    return [float(x) for x in vector(option, text, len(words))] if words else []


def _ranking(study: str, question: GraspQuestion, json: bool) -> Ranking:
    """The paper's ranking; the command ends if there is no grasp."""
    ranking = question.ranking(rank="paper")
    if ASSUMED_SCALE in question.found.notes:
        note(f"note: {ASSUMED_SCALE}")
    if not len(ranking):
        present(
            f"grasp-study {study}",
            {"part": question.name, "reason": ranking.reason},
            sheet=[Line(f"{question.name}: no grasp: {ranking.reason}", "yellow")],
            json=json,
            code=Exit.DOES_NOT_HOLD,
        )
    return ranking


def _present_study(
    name: str,
    part: str,
    study: Any,
    csv: Path | None,
    *,
    table: TableBlock,
    **shown: Any,
) -> None:
    """Present a study; --csv writes its rows."""
    present(f"grasp-study {name}", study, sheet=[table], metadata={"part": part}, csv=csv, rows=study.rows, **shown)

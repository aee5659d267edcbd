"""`holdfast probability`, `holdfast scatter` and `holdfast sensitivity`.

How reliably a scene holds when strengths, positions and mass differ from the plan; what a load limit depends on, how
much errors reduce it, and which change makes a load hold.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ..compiling import clock
from ..console.options import (
    CsvOption,
    Exit,
    JsonOption,
    SeedOption,
    load_case,
    vector,
)
from ..console.output import counted, number
from ..console.pictures import FeaturePlots
from ..console.questions import Output, SceneQuestion, with_groups
from ..console.sheets import Block, Line, TableBlock, heading, present
from ..errors import InputError
from ..results import flat, flat_rows
from ..statics.command import PLANES, AtOption, directed_wrench

if TYPE_CHECKING:
    from ..assembly.assembly import Assembly
    from ..checks import Array
    from ..scenes import Scene
    from .changes import LeastChange
    from .derivatives import Changes, Tornado
    from .probabilities import ProbabilityCurve
    from .robust import RobustLimit
    from .scatter import Scatter

plots = FeaturePlots(__package__)

Family = Literal["normal", "lognormal", "weibull", "uniform"]

#: Default numbers of samples: of one probability, and of pictures and curves.
SAMPLES, CURVE_SAMPLES = 10_000, 1_000

#: Step of a curve over angles [deg], and its end.
ANGLE_STEP, LAST_ANGLE = 5.0, 180.0

StrengthOption = Annotated[
    float | None,
    typer.Option("--scatter-strength", metavar="CV", help="Variation of each unit's strength: 0.3 is 30 %."),
]
FrictionOption = Annotated[
    float | None, typer.Option("--scatter-friction", metavar="CV", help="Variation of the shear components alone.")
]
PositionOption = Annotated[
    str | None,
    typer.Option("--scatter-position", metavar="M", help="Standard deviation of the units' positions: M or X,Y,Z."),
]
MassOption = Annotated[
    float | None, typer.Option("--scatter-mass", metavar="CV", help="Variation of the object's mass.")
]
ComOption = Annotated[
    str | None, typer.Option("--scatter-com", metavar="M", help="Standard deviation of the centre of mass: M or X,Y,Z.")
]
CorrelationOption = Annotated[
    float | None,
    typer.Option("--correlation", metavar="RHO", help="1: one factor for all contacts of a unit; 0: independent."),
]


@with_groups
def probability(
    question: SceneQuestion,
    output: Output,
    strength: StrengthOption = None,
    friction: FrictionOption = None,
    position: PositionOption = None,
    mass: MassOption = None,
    com: ComOption = None,
    family: Annotated[Family, typer.Option("--family", help="Distribution of strength and friction.")] = "normal",
    correlation: CorrelationOption = None,
    n: Annotated[
        int | None,
        typer.Option(
            "--samples", "--n", metavar="N", help="Number of samples; 10,000 by default, 1,000 for curves and limits."
        ),
    ] = None,
    width: Annotated[
        float | None, typer.Option("--width", metavar="W", help="Stop once the interval is no wider than this.")
    ] = None,
    confidence: Annotated[
        float, typer.Option("--confidence", metavar="C", help="Confidence level of the interval.")
    ] = 0.95,
    seed: SeedOption = 0,
    rare: Annotated[
        bool, typer.Option("--rare", help="Probability of failure by importance sampling, where failures are rare.")
    ] = False,
    curve: Annotated[
        Literal["angle", "size"] | None,
        typer.Option("--curve", help="Probability against the angle of gravity, or against the size of the load."),
    ] = None,
    plane: Annotated[
        Literal["xz", "yz", "xy"], typer.Option("--plane", help="With --curve angle: plane that gravity turns in.")
    ] = "xz",
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Show which unit fails how often, and the limits that most specimens exceed."),
    ] = False,
) -> None:
    """Probability that a scene holds its weight and loads, with the scatter of the scene file or of the options.

    Pictures: load limits of the specimens; with --explain what fails; with --curve the curve. Exit codes: 0
    answered, 2 bad input, 3 undecided.
    """
    from ..solvers import Exact
    from .probabilities import failure_modes, load_limit_samples, size_curve
    from .probabilities import probability as probability_of
    from .rare_events import failure_probability

    case = question.case()
    loaded = case.scene
    scatter = scatter_of(loaded, strength, friction, position, mass, com, family, correlation)
    weighs = loaded.mass is not None and not question.no_weight and question.wrench is None
    own = loaded.gravity_load() if weighs else 0.0 * case.wrench
    method = Exact()
    began = clock()
    asked, few = (loaded.assembly, case.wrench, scatter), CURVE_SAMPLES if n is None else n
    options: dict[str, Any] = {"seed": seed, "method": method}
    whole: dict[str, Any] = options | {"weight": own}
    data: dict[str, Any] = {"wrench": case.wrench, "scatter": scatter.to_dict()}
    found = limits = None
    if curve is not None:
        if curve == "angle":
            question.refuse("the angle turns the weight", "leave out --curve angle", "wrench", "no_weight")
        if curve == "size":
            found = size_curve(load_limit_samples(*asked, n=few, **whole), confidence=confidence)
        else:
            found = _angle_curve(loaded, plane, case.wrench - own, scatter, few, confidence, options)
        data["curve"] = found.to_dict()
        if curve == "angle":
            angles = [math.degrees(angle) for angle in found.parameters.tolist()]
            data["curve"] |= {"parameter": found.name.replace("[rad]", "[deg]"), "parameters": angles}
        undecided = bool((found.undecided == found.n).all())
    else:
        if rare:
            result = failure_probability(*asked, n=few, confidence=confidence, **whole)
        else:
            many = SAMPLES if n is None else n
            result = probability_of(*asked, n=many, width=width, confidence=confidence, **whole)
        data |= result.to_dict()
        undecided = result.undecided == result.n
        limits = load_limit_samples(*asked, n=few, **whole) if explain or output.plot is not None else None
    if limits is not None:
        data |= {"limits": limits.to_dict(), "failure_modes": failure_modes(limits).to_dict()}
    data["seconds"] = clock() - began
    title = f"{loaded.name}: {case.description}"

    def picture() -> Any:
        if found is not None:
            return plots.probability_curve(found, degrees=curve == "angle", title=title)
        assert limits is not None  # computed whenever there is a picture
        if explain:
            return plots.failure_mode_bars(failure_modes(limits), title=title)
        return plots.limit_histogram(limits, title=title)

    present(
        "probability",
        data,
        sheet=probability_sheet(title, data, explain=explain),
        **output.targets,
        rows=lambda: _probability_rows(data),
        metadata={"scene": loaded.name, "load": case.description},
        picture=picture,
        code=Exit.UNDECIDED if undecided else Exit.HOLDS,
    )


def scatter_of(
    scene: Scene,
    strength: float | None,
    friction: float | None,
    position: str | None,
    mass: float | None,
    com: str | None,
    family: Family,
    correlation: float | None,
) -> Scatter:
    """The scene's own scatter, with the values of the options in place of its own."""
    from .scatter import Distribution, Scatter

    given: dict[str, Any] = {}
    for name, variation in (("strength", strength), ("friction", friction)):
        if variation is not None:
            given[name] = Distribution(family, 1.0, variation)
    if mass is not None:
        given["mass"] = mass
    for option, name, text in (("--scatter-position", "position", position), ("--scatter-com", "com", com)):
        if text is not None:
            values = vector(option, text, 1, 3)
            given[name] = float(values[0]) if len(values) == 1 else values.tolist()
    if correlation is not None:
        given["correlation"] = correlation
    base = scene.scatter
    if base is None and not given:
        fix = "give a scatter block in the scene file, or --scatter-strength 0.3"
        raise InputError("the scene defines no scatter", where="scatter", fix=fix)
    return replace(base or Scatter(), **given)


def _angle_curve(
    scene: Scene, plane: str, extra: Array, scatter: Scatter, n: int, confidence: float, options: dict[str, Any]
) -> ProbabilityCurve:
    """Probability against the angle by which gravity is rotated; other loads stay with the object."""
    import numpy as np

    from ..statics.paths import rotating_gravity
    from .probabilities import probability_along

    scene.gravity_load()  # an error where the scene has no mass
    angles = np.radians(np.arange(0.0, LAST_ANGLE + 0.5 * ANGLE_STEP, ANGLE_STEP))
    path = rotating_gravity(scene, *PLANES[plane], load=extra)
    name = f"angle of gravity in the {plane} plane [rad]"
    return probability_along(path, angles, scatter, n=n, confidence=confidence, name=name, **options)


def _probability_rows(data: dict[str, Any]) -> list[dict[str, Any]]:
    """One row per point of a curve, or one for the whole answer, flat."""
    if "curve" not in data:
        low, high = data["interval"]
        return [flat_rows(data)[0] | {"lower": low, "upper": high}]
    curve = data["curve"]
    names = {curve["parameter"]: "parameters", "holds": "values", "lower": "lower", "upper": "upper"}
    names |= {"undecided": "undecided"}
    return [dict(zip(names, row, strict=True)) for row in zip(*(curve[key] for key in names.values()), strict=True)]


def probability_sheet(title: str, data: dict[str, Any], *, explain: bool) -> Iterator[Block]:
    """The probability with its interval, or a curve; explained, load limits and failure modes of the specimens."""
    yield heading(title)
    if "curve" in data:
        curve = data["curve"]
        columns = ("parameters", "values", "lower", "upper", "undecided")
        rows = [
            (*(number(value, 4) for value in row), open_)
            for *row, open_ in zip(*(curve[name] for name in columns), strict=True)
        ]
        yield TableBlock([curve["parameter"], "holds", "from", "to", "undecided"], rows)
        return
    low, high = data["interval"]
    if "failure" in data:
        columns = [
            "fails",
            "from",
            "to",
            "samples",
            "pilot",
            "effective failures",
            "equivalent plain samples",
            "undecided",
        ]
        cells = [f"{data['failure']:.3g}", f"{low:.3g}", f"{high:.3g}", data["n"], data["pilot"]]
        cells += [number(data["effective_failures"], 3), number(data["plain_samples"], 3), data["undecided"]]
    else:
        columns = ["holds", "from", "to", "samples", "failures", "undecided"]
        cells = [number(data["value"], 5), number(low, 5), number(high, 5), data["n"], data["failures"]]
        cells.append(data["undecided"])
        if "seconds" in data:  # a report has no times: the same question gives the same page
            columns.append("time [s]")
            cells.append(f"{data['seconds']:.2g}")
    yield TableBlock(columns, [cells])
    yield f"from, to: {100 * data['confidence']:g} % interval"
    if not explain:
        return
    rows = [
        (f"{100 * (1 - float(share)):g} %", number(q["value"]), *(number(end) for end in q["interval"]))
        for share, q in data["limits"]["quantiles"].items()
    ]
    yield TableBlock(["of the specimens", "hold [loads]", "from", "to"], rows, title="Load limits of the specimens")
    modes = data["failure_modes"]
    rows = [
        (name, *(f"{100 * modes[kind][name]:.1f}" for kind in ("costs_most", "gives_way", "mean_share")))
        for name in modes["costs_most"]
    ]
    columns = ["unit", "main cause [%]", "at its limit [%]", "mean share [%]"]
    yield TableBlock(columns, rows, title="Units at the load limit")


def scatter(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="CSV of repeated trials: limit forces, with a column group or unit.")
    ],
    family: Annotated[Family, typer.Option("--family", help="Distribution of the strength.")] = "normal",
    share: Annotated[
        float, typer.Option("--share", metavar="P", help="Fraction of the specimens below the printed limits.")
    ] = 0.05,
    each: Annotated[
        bool, typer.Option("--each", help="Limits from the variation of each group, not from the pooled one.")
    ] = False,
    along: Annotated[
        str | None,
        typer.Option("--along", metavar="X,Y,Z", help="Direction of tests along one axis; 0,0,-1 by default."),
    ] = None,
    json: JsonOption = False,
    csv: CsvOption = None,
) -> None:
    """Fit the scatter of strength to repeated trials: the variation of each group, and pooled over groups."""
    from ..files.reader import check_kind
    from ..force_limits.measurements import read_measurements
    from .trials import FewTrialsWarning, scatter_from_trials

    check_kind(file, "table of numbers")
    measured = read_measurements(file, along=None if along is None else vector("--along", along, 3))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", FewTrialsWarning)
        fitted = scatter_from_trials(measured, kind=family)
        limits = fitted.limits(share, pooled=not each)
    few = [str(warning.message) for warning in caught if issubclass(warning.category, FewTrialsWarning)]
    data = fitted.to_dict() | {"share": share, "pooled": not each, "limits": limits, "warnings": few}
    rows = [group | {"limit": limits[group["name"]]} for group in data["groups"]]
    sheet = _scatter_sheet(file, data)
    present("scatter", data, sheet=sheet, json=json, csv=csv, rows=lambda: rows, metadata={"file": file})


#: Groups in the table of trials; the others are counted.
MOST_GROUPS = 24

#: Groups should not be pooled if the probability of their different variations by chance is smaller.
UNLIKE = 0.01


def _scatter_sheet(file: Path, data: dict[str, Any]) -> Iterator[Block]:
    groups = data["groups"]
    total = sum(group["trials"] for group in groups)
    yield heading(f"{file.name}: {counted(total, 'trial')} in {counted(len(groups), 'group')}")
    columns = ["group", "trials", "mean [N]", "variation", f"{100 * data['share']:g} % limit [N]"]
    rows = [
        (g["name"], g["trials"], number(g["mean"], 4), number(g["variation"], 3), number(data["limits"][g["name"]], 4))
        for g in groups
    ]
    yield TableBlock(columns, rows[:MOST_GROUPS])
    if len(rows) > MOST_GROUPS:
        yield f"and {counted(len(rows) - MOST_GROUPS, 'more group')}; --json and --csv hold all"
    yield "variation: standard deviation divided by the mean"
    low, high = (number(end, 3) for end in data["interval"])
    yield f"pooled variation {number(data['variation'], 3)} ({low} to {high}, 95 % interval)"
    yield f"limits: from the {'pooled variation' if data['pooled'] else 'variation of each group'}"
    if data["homogeneity"] < UNLIKE:
        chance = number(data["homogeneity"], 2)
        yield Line(
            f"warning: the groups differ in their variation (p = {chance}): pool only groups of the same kind",
            "bold yellow",
        )
    for message in data["warnings"]:
        yield Line(f"warning: {message}", "bold yellow")
    yield f"in a scene file: scatter: {{strength: {{kind: {data['kind']}, trials: {file.name}}}}}"


@with_groups
def sensitivity(
    question: SceneQuestion,
    output: Output,
    direction: Annotated[
        str | None,
        typer.Option(
            "--direction", metavar="FX,FY,FZ[,TX,TY,TZ]", help="External wrench on the object, torque about the origin."
        ),
    ] = None,
    at: AtOption = None,
    change: Annotated[
        str, typer.Option("--change", metavar="SHARE", help="Change of strengths, friction, joint bounds and load.")
    ] = "5%",
    shift: Annotated[
        float, typer.Option("--shift", metavar="M", help="Change of positions and of the load's point [m].")
    ] = 0.001,
    turn: Annotated[
        float, typer.Option("--turn", metavar="DEG", help="Change of contact frames and of the load's direction.")
    ] = 1.0,
    solve: Annotated[bool, typer.Option("--solve", help="Recompute the limit for the changes shown.")] = False,
    robust: Annotated[
        bool, typer.Option("--robust", help="Guaranteed limit for all errors up to these changes at the same time.")
    ] = False,
    least: Annotated[
        bool,
        typer.Option(
            "--least-change", help="Smallest increase of strengths and joint bounds with which the load is held."
        ),
    ] = False,
    top: Annotated[int, typer.Option("--top", metavar="N", help="Parameters shown, the most important first.")] = 15,
) -> None:
    """How the largest multiple of a load changes with every contact, joint and the load itself.

    The load is --direction, the sum of --load, or --wrench, and no weight is added to it; without any of them it is the
    weight, under --gravity.
    """
    from .derivatives import Changes, tornado
    from .derivatives import sensitivity as derivatives_of

    loaded = question.one_object(question.scene_alone())
    description, wrench = _load(loaded, question, direction, at)
    changes = Changes(share=_share(change), shift=shift, turn=math.radians(turn))
    if top < 1:
        raise InputError(f"is {top}", where="--top", fix="give a whole number of at least 1")
    assembly = loaded.with_gravity((0.0, 0.0, 0.0)).assembly
    data: dict[str, Any] = {}
    code, title = Exit.HOLDS, f"{loaded.name}: {description}"
    sheets: list[Iterator[Block]] = []
    if least:
        growth = _least(assembly, wrench)
        data["least_change"] = growth.to_dict() | {"verified": growth.verify()}
        code = Exit.HOLDS if growth.gap <= LOOSEST and math.isfinite(growth.cost) else Exit.UNDECIDED
        if growth.status.value == "no growth makes it hold":
            code = Exit.DOES_NOT_HOLD
        sheets.append(_least_sheet(title, growth))
    if robust:
        bracket = _robust(assembly, wrench, changes)
        data["robust"] = bracket.to_dict() | {"verified": bracket.verify()}
        sheets.append(_robust_sheet(title, bracket, changes))
    picture: Callable[[], Any] | None = None
    if output.plot is not None or output.csv is not None or not (least or robust):
        drawn = tornado(derivatives_of(assembly, wrench), changes, solve=top if solve else 0)
        data["tornado"] = drawn.to_dict()
        sheets.append(tornado_sheet(title, drawn, top))
        picture = lambda: plots.tornado(drawn, most=top, title=title)  # noqa: E731 - loads matplotlib when called
    present(
        "sensitivity",
        data,
        sheet=chain.from_iterable(sheets),
        **output.targets,
        rows=lambda: [flat(bar) for bar in data["tornado"]["bars"]],
        metadata={"scene": loaded.name, "load": description, "direction": wrench},
        picture=picture,
        code=code,
    )


#: A least change counts as found if its bound is within this fraction of its cost.
LOOSEST = 0.01


def _load(scene: Scene, question: SceneQuestion, direction: str | None, at: str | None) -> tuple[str, Array]:
    """(description, wrench (6,)) of the load."""
    if direction is not None:
        question.refuse("is given with --direction", "give one of the two", "load", "wrench")
        return direction, directed_wrench(direction, at)
    weighs = not (question.loads or question.wrench or question.no_weight)
    case = load_case(scene, loads=question.loads, wrench=question.wrench, weight=weighs)
    return case.description, case.wrench


def _share(text: str) -> float:
    """A fraction from "5%" or "0.05"."""
    words = text.strip()
    try:
        return float(words[:-1]) / 100.0 if words.endswith("%") else float(words)
    except ValueError:
        raise InputError(f"is not a fraction: {text!r}", where="--change", fix="give 5% or 0.05") from None


def _least(assembly: Assembly, wrench: Array) -> LeastChange:
    from .changes import least_change

    return least_change(assembly, wrench, gap=LOOSEST)


def _robust(assembly: Assembly, wrench: Array, changes: Changes) -> RobustLimit:
    from .robust import Intervals, robust_limit

    share, shift = changes.share, changes.shift
    star = all(contact.volume.is_star_shaped for contact in assembly.contacts)
    intervals = Intervals(
        strength=share if star else 0.0, friction=share, position=shift, joint=share, angle=changes.turn, point=shift
    )
    return robust_limit(assembly, wrench, intervals)


def tornado_sheet(title: str, drawn: Tornado, top: int) -> Iterator[Block]:
    """The limit, and by how much the `top` most important parameters change it."""
    yield heading(f"{title}: limit {drawn.sensitivity.value:.6g}, and by how much it changes")
    rows = []
    for bar in drawn.bars[:top]:
        p = bar.derivative.parameter
        amount = f"{100 * bar.amount:.3g} %" if p.is_share else f"{bar.amount:.3g} {p.unit}"
        row = [bar.label, amount, number(bar.down), number(bar.up)]
        if drawn.solved:
            row += [number(bar.solved_down), number(bar.solved_up)]
        rows.append([*row, "" if bar.derivative.smooth else "kink" if bar.derivative.proven else "kink, at least"])
    solved = ["solved less", "solved more"] if drawn.solved else []
    yield TableBlock(["parameter", "change", "less", "more", *solved, "note"], rows)
    yield "less, more: what the limit gains when the parameter is lowered or raised by the change, by its derivative"
    if any(row[-1] for row in rows):
        yield "kink: the derivatives on the two sides differ; at least: they are bounds"
    if len(drawn.bars) > top:
        yield f"{len(drawn.bars) - top} parameters with smaller effect; --top N shows more"


def _robust_sheet(title: str, bracket: RobustLimit, changes: Changes) -> Iterator[Block]:
    turn = math.degrees(changes.turn)
    yield heading(f"{title}: limit under errors of {100 * changes.share:g} %, {changes.shift:g} m and {turn:g} deg")
    rows = [
        ("without errors", bracket.nominal),
        ("only strengths and joint bounds reduced", bracket.weakened),
        ("certified for all errors", bracket.certified),
        ("for the worst error found", bracket.attained),
    ]
    yield TableBlock(["case", "limit"], [(name, number(value, 6)) for name, value in rows])


def _least_sheet(title: str, change: LeastChange) -> Iterator[Block]:
    yield heading(f"{title}: {change.status.value}")
    if not math.isfinite(change.cost):
        return
    yield f"cost {change.cost:.6g}, at least {change.lower_bound:.6g} is needed (1 is 100 % of one unit or joint bound)"
    rows = []
    for members in change.prices.groups:
        factor = float(change.strengths[members[0]])
        if factor > 1.0:
            name = change.assembly.contacts[members[0]].name or f"contact {members[0]}"
            called = name if len(members) == 1 else name.rpartition("[")[0]
            rows.append((called, "strength", f"+{100 * (factor - 1):.4g} %"))
    joints = change.assembly.joints
    for side, moved in (("lower bound", change.lower), ("upper bound", change.upper)):
        for row, amount in enumerate(moved):
            if amount > 0.0:
                name = joints.names[row] if joints is not None and joints.names else f"joint row {row}"
                rows.append((name, side, f"{amount:.4g} outwards"))
    if rows:
        yield TableBlock(["what", "of it", "change"], rows)

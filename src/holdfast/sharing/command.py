"""`holdfast share`: how contacts share a growing load by their stiffness, which fail first, and the largest load."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from .. import checks
from ..console.options import (
    Exit,
    LoadCase,
    SeedOption,
    vector,
)
from ..console.output import counted, number, progress
from ..console.pictures import FeaturePlots
from ..console.questions import Output, SceneQuestion, with_groups
from ..console.sheets import Block, TableBlock, heading, present, triple, yes_no
from ..errors import InputError
from ..reliability.command import (
    ComOption,
    CorrelationOption,
    Family,
    FrictionOption,
    MassOption,
    PositionOption,
    StrengthOption,
    scatter_of,
)

if TYPE_CHECKING:
    from ..checks import Array
    from ..reliability import Scatter
    from ..scenes import Scene
    from .design import StiffnessSensitivity
    from .scatter import SharingProbability, StiffnessRange
    from .sequences import LoadSharing

SHARE_EXIT_CODES = (
    "Exit codes: 0 the load is held (peak at least 1, or as far as --until asks), 1 it is not, 2 bad input, "
    "3 undecided."
)

plots = FeaturePlots(__package__)

#: Default numbers of samples: for the probability of holding, and for a range of stiffness.
SAMPLES, RANGE_SAMPLES = 10_000, 1_000

#: Largest factor by which the stiffness may vary, up and down.
LARGEST_RANGE = 1e6

#: Largest number of rows in a table of events or derivatives; the remaining rows are counted.
MOST_ROWS = 16

#: Forces and motions below this fraction of the largest are printed as 0.
NOTHING = 1e-5

Picture = Literal["forces", "order", "samples", "sensitivity"]


StiffnessOption = Annotated[
    str | None,
    typer.Option(
        "--stiffness",
        metavar="NORMAL,TANGENTIAL",
        help="Stiffness of every contact [N/m]; by default that of the scene, or of the contact models.",
    ),
]
PreloadOption = Annotated[
    float | None,
    typer.Option("--preload", metavar="N", help="Force [N] that presses each contact before any load."),
]
RuleOption = Annotated[
    Literal["brittle", "slip", "ductile"] | None,
    typer.Option("--rule", help="What a contact does at its limit; by default that of the scene or model."),
]
UnitsOption = Annotated[
    Literal["together", "pointwise"],
    typer.Option("--units", help="Whether the points of a unit fail together or independently."),
]
SamplesOption = Annotated[
    int | None,
    typer.Option(
        "--samples",
        "--n",
        metavar="N",
        help="Number of random specimens, with the scatter of the scene or of the options.",
    ),
]
RangeOption = Annotated[
    float | None,
    typer.Option(
        "--range",
        metavar="FACTOR",
        help="Worst and best peak of samples whose stiffness is up to FACTOR times higher or lower.",
    ),
]


@with_groups
def share(
    question: SceneQuestion,
    output: Output,
    stiffness: StiffnessOption = None,
    preload: PreloadOption = None,
    rule: RuleOption = None,
    units: UnitsOption = "together",
    until: Annotated[float | None, typer.Option("--until", metavar="FACTOR", help="Stop at this load factor.")] = None,
    at: Annotated[
        float | None, typer.Option("--at", metavar="FACTOR", help="Also print the forces at this load factor.")
    ] = None,
    n: SamplesOption = None,
    strength: StrengthOption = None,
    friction: FrictionOption = None,
    position: PositionOption = None,
    mass: MassOption = None,
    com: ComOption = None,
    family: Annotated[Family, typer.Option("--family", help="Distribution of strength and friction.")] = "normal",
    correlation: CorrelationOption = None,
    spread: Annotated[
        float | None,
        typer.Option("--stiffness-spread", metavar="CV", help="Variation of each unit's stiffness: 0.2 is 20 %."),
    ] = None,
    confidence: Annotated[
        float, typer.Option("--confidence", metavar="C", help="Confidence level of the interval.")
    ] = 0.95,
    within: RangeOption = None,
    sensitivity: Annotated[
        bool,
        typer.Option(
            "--sensitivity", help="Derivatives of the first failure with respect to the stiffness of each contact."
        ),
    ] = False,
    seed: SeedOption = 0,
    picture: Annotated[
        Picture | None,
        typer.Option("--picture", help="What --plot draws: forces against the load factor by default."),
    ] = None,
) -> None:
    """How contacts share a load by their stiffness as it grows: first failure, order of failure, peak.

    Preload and weight come first, together, then the loads of --load, times a factor that grows from 0. Without loads
    the weight itself grows. --csv writes the force of every contact at each event.
    """
    from ..statics.paths import polygon_error
    from .description import advice, bracket_line, missing_stiffness, verdict
    from .sequences import load_sharing

    _check_options(until, within, n, picture, output.plot)
    loaded = question.one_object(question.read())
    case, base = _growing(loaded, question)
    options: dict[str, Any] = {
        "stiffness": None if stiffness is None else vector("--stiffness", stiffness, 2),
        "preload": preload,
        "rule": rule,
        "base": base,
        "units": units,
    }
    given = (strength, friction, position, mass, com, correlation)
    sampling = picture == "samples" or any(value is not None for value in (*given, spread))
    sampling = sampling or (n is not None and (within is None or loaded.scatter is not None))  # else for the range
    scatter = _scatter(loaded, given, family, spread) if sampling else None
    assembly = case.scene.assembly
    unknown = missing_stiffness(assembly) if stiffness is None else None
    if unknown is not None:
        raise unknown
    result = load_sharing(assembly, case.wrench, **options, until=float("inf") if until is None else until)
    data: dict[str, Any] = {"verdict": verdict(result), "bracket": bracket_line(result), **result.to_dict()}
    data["wrench"] = data.pop("load")
    error = polygon_error(assembly)
    data["polygons"] = None if error is None else error.to_dict()
    if at is not None:
        data["at"] = _forces_at(result, at)
    found = ranged = None
    wanted = sensitivity or picture == "sensitivity"
    slopes = _slopes(result, sensitivity, picture)
    data["what_would_help"] = advice(result, slopes)
    if wanted and slopes is not None:
        data["sensitivity"] = slopes.to_dict()
    if scatter is not None:
        with progress(f"{loaded.name}, specimens") as step:
            found = _probability(assembly, case.wrench, scatter, options, n, spread, seed, confidence, step)
        data["probability"] = found.to_dict() | {"scatter": scatter.to_dict(), "stiffness_spread": spread or 0.0}
    if within is not None:
        with progress(f"{loaded.name}, stiffness") as step:
            ranged = _range(assembly, case.wrench, within, options, n, seed, step)
        data["range"] = ranged.to_dict()
    title = f"{loaded.name}: {case.description}"
    present(
        "share",
        data,
        sheet=share_sheet(
            case,
            base,
            result,
            data["what_would_help"],
            slopes if wanted else None,
            found,
            ranged,
            at,
            given=stiffness is not None,
        ),
        **output.targets,
        rows=result.rows,
        metadata={"scene": loaded.name, "load": case.description},
        picture=lambda: _draw(picture, title, case.scene, result, found, slopes),
        code={"holds": Exit.HOLDS, "undecided": Exit.UNDECIDED}.get(verdict(result), Exit.DOES_NOT_HOLD),
    )


# -- what is asked ----------------------------------------------------------------------------------


def _check_options(
    until: float | None, within: float | None, n: int | None, picture: Picture | None, plot: Path | None
) -> None:
    """Refuse values that no path can have; the error names the option."""
    if until is not None:
        checks.positive("--until", until)
    if within is not None:
        checks.number("--range", within, low=1.0, high=LARGEST_RANGE)
    if n is not None:
        checks.count("--samples", n)
    if picture is not None and plot is None:
        raise InputError("needs a picture file", where="--picture", fix="also give --plot FILE")


def _draw(
    picture: Picture | None,
    title: str,
    scene: Scene,
    result: LoadSharing,
    found: SharingProbability | None,
    slopes: StiffnessSensitivity | None,
) -> Any:
    """The chosen picture; forces against the load factor by default."""
    if picture == "order":
        return plots.failure_order(result, scene)
    if picture == "samples":
        return plots.peak_samples(found, title=title)
    if picture == "sensitivity":
        return plots.stiffness_bars(slopes, title=title)
    return plots.forces_against_factor(result, title=title)


def _slopes(result: LoadSharing, sensitivity: bool, picture: Picture | None) -> StiffnessSensitivity | None:
    """Derivatives of the first failure; an error where they were requested and no contact fails first."""
    from .description import sensitivity_or_none
    from .design import stiffness_sensitivity

    if not sensitivity and picture != "sensitivity":
        return sensitivity_or_none(result)
    if not (result.failures and result.failures[0].stage == "load"):
        option = "--sensitivity" if sensitivity else "--picture sensitivity"
        fix = "leave it out, or choose a load that makes a contact fail"
        raise InputError("no contact fails first under the load", where=option, fix=fix)
    return stiffness_sensitivity(result)


def _growing(scene: Scene, question: SceneQuestion) -> tuple[LoadCase, Array | None]:
    """The load that grows, and the weight that acts before it or None."""
    loads, weight = question.loads, not question.no_weight
    grows = question.case(scene=scene, weight=weight and not loads)
    if not grows.wrench.any():
        raise InputError("is zero", where="load", fix="give --load NAME or --wrench, or a gravity that is not zero")
    acts = bool(loads) and weight and grows.scene.mass is not None and grows.scene.gravity.any()
    return grows, grows.scene.gravity_load() if acts else None


def _scatter(scene: Scene, given: tuple[Any, ...], family: Family, spread: float | None) -> Scatter:
    """The scatter of the scene and of the options; none is needed where the stiffness varies."""
    from ..reliability import Scatter

    if spread is not None and scene.scatter is None and all(value is None for value in given):
        return Scatter()
    strength, friction, position, mass, com, correlation = given
    return scatter_of(scene, strength, friction, position, mass, com, family, correlation)


def _probability(
    assembly: Any,
    load: Array,
    scatter: Scatter,
    options: dict[str, Any],
    n: int | None,
    spread: float | None,
    seed: int,
    confidence: float,
    step: Any,
) -> SharingProbability:
    from .scatter import sharing_probability

    count = SAMPLES if n is None else n
    drawn: dict[str, Any] = {"n": count, "seed": seed, "confidence": confidence, "stiffness_spread": spread or 0.0}
    return sharing_probability(assembly, load, scatter, **options, **drawn, progress=step)


def _range(
    assembly: Any, load: Array, within: float, options: dict[str, Any], n: int | None, seed: int, step: Any
) -> StiffnessRange:
    from .scatter import stiffness_range

    count = RANGE_SAMPLES if n is None else n
    return stiffness_range(assembly, load, factor=within, n=count, seed=seed, **options, progress=step)


def _forces_at(result: LoadSharing, factor: float) -> dict[str, Any]:
    """Forces and displacement at a load factor; an error beyond the peak."""
    if not 0.0 <= factor <= result.peak or factor == float("inf"):
        end = "give a finite factor" if result.peak == float("inf") else f"give a factor from 0 to {result.peak:.6g}"
        fix = end if result.peak >= 0.0 else "leave it out"
        beyond = f", beyond the peak {result.peak:.6g}" if factor > result.peak else ""
        raise InputError(f"is {factor:g}{beyond}", where="--at", fix=fix)
    return {
        "factor": factor,
        "forces": result.forces(factor),
        "local_forces": result.forces(factor, frame="contact"),
        "displacement": result.displacement(factor),
        "point": result.point,
        "joint_motion": result.joint_motion(factor),
    }


# -- what is printed --------------------------------------------------------------------------------


def share_sheet(
    question: LoadCase,
    base: Array | None,
    result: LoadSharing,
    helpful: list[str],
    slopes: StiffnessSensitivity | None = None,
    found: SharingProbability | None = None,
    ranged: StiffnessRange | None = None,
    at: float | None = None,
    *,
    given: bool = False,
) -> Iterator[Block]:
    """Verdict, first failure and peak, events, and what else was asked for."""
    from ..statics.command import polygon_lines
    from .description import bracket_line, efficiency_line, springs_line, verdict, verdict_line

    joints = result.assembly.joints
    rows = f", {len(joints)} joint rows" if joints is not None else ""
    yield heading(f"{question.scene.name}: {len(result.assembly)} contacts{rows}")
    yield f"load that grows: {question.description} = {_wrench(result.load)}"
    if base is not None:
        yield f"acts first: weight = {_wrench(base)}"
    yield f"stiffness: {springs_line(result, given=given)}"
    yield from polygon_lines(result.assembly)
    yield heading(f"verdict: {verdict_line(result)}", verdict(result))
    yield bracket_line(result)
    reached = efficiency_line(result)
    if reached:
        yield reached
    yield from _event_table(result)
    if at is not None:
        yield from _force_table(result, at)
    if helpful:
        yield heading("Possible improvements")
        yield from (f"- {sentence}" for sentence in helpful)
    if slopes is not None:
        yield from _slope_table(result, slopes)
    if found is not None:
        yield from _sample_lines(found)
    if ranged is not None:
        yield from _range_lines(ranged)
    yield f"proof verified: {yes_no(result.verify())}"


def _wrench(wrench: Array) -> str:
    return f"({triple(wrench[:3])}) N, ({triple(wrench[3:])}) N m about the origin"


def _event_table(result: LoadSharing) -> Iterator[Block]:
    from .description import event_rows

    rows = event_rows(result)
    if not rows:
        yield "nothing fails, slips or opens"
        return
    cells = [(row.when, "at once after that" if row.cascade else "", row.who, row.what) for row in rows]
    yield TableBlock(["load factor", "order", "which", "what"], cells[:MOST_ROWS], title="Events as the load grows")
    if len(rows) > MOST_ROWS:
        yield f"and {counted(len(rows) - MOST_ROWS, 'more row')}; see --json and --csv for all"


def _force_table(result: LoadSharing, at: float) -> Iterator[Block]:
    from ..statics.command import joint_table

    forces = _clean(result.forces(at, frame="contact"))
    rows = [
        (contact.name or str(index), *(number(float(part)) for part in force))
        for index, (contact, force) in enumerate(zip(result.assembly.contacts, forces, strict=True))
    ]
    columns = ["contact", "shear f_x [N]", "lateral f_y [N]", "normal f_z [N]"]
    yield TableBlock(columns, rows, title=f"Forces on the object at {at:g}, in the contact frames (f_z < 0 pulls)")
    shift, turn = _clean(result.displacement(at)[:3]), _clean(result.displacement(at)[3:])
    point = triple(result.point)
    yield f"the object moves by ({triple(1e3 * shift, 3)}) mm at ({point}) m, and turns by ({triple(turn, 3)}) rad"
    yield from joint_table(result.assembly, result.forces(at))


def _clean(values: Array) -> Array:
    """Values for a table; those far below the largest are 0."""
    import numpy as np

    return np.where(np.abs(values) < NOTHING * np.abs(values).max(initial=0.0), 0.0, values)


def _slope_table(result: LoadSharing, slopes: StiffnessSensitivity) -> Iterator[Block]:
    import numpy as np

    derivative = _clean(np.asarray(slopes.derivative))
    strongest = np.argsort(-np.abs(derivative).max(axis=1), kind="stable")
    rows = [
        (result.assembly.contacts[i].name or str(i), *(number(0.1 * float(value), 3) for value in derivative[i]))
        for i in strongest[:MOST_ROWS]
    ]
    columns = ["contact", "along shear x", "lateral y", "normal z"]
    yield TableBlock(columns, rows, title="Change of the first failure for 10 % more stiffness (linear estimate)")
    if len(strongest) > MOST_ROWS:
        yield f"and {counted(len(strongest) - MOST_ROWS, 'contact')} with smaller derivatives"


def _sample_lines(found: SharingProbability) -> Iterator[Block]:
    low, high = found.interval
    columns = ["holds", "from", "to", "without any failure", "samples", "undecided"]
    cells = [number(found.value, 5), number(low, 5), number(high, 5), number(found.unharmed, 5), found.n]
    yield TableBlock(columns, [(*cells, int(found.undecided.sum()))], title="Probability of holding")
    yield f"from, to: {100 * found.confidence:g} % interval; seed {found.seed}"


def _range_lines(ranged: StiffnessRange) -> Iterator[Block]:
    planned = ranged.planned
    firsts = ranged.first_failures
    rows = [
        ("peak", number(ranged.worst), number(planned.peak), number(ranged.best)),
        ("first failure", number(float(firsts.min())), number(planned.first_failure), number(float(firsts.max()))),
    ]
    title = f"Stiffness from 1/{ranged.factor:g} to {ranged.factor:g} times the given one"
    yield TableBlock(["load factor", "worst", "planned", "best"], rows, title=title)
    yield f"of {counted(len(ranged.peaks), 'sample')}, seed {ranged.seed}: a worse case may exist"

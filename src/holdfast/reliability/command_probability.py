"""`holdfast probability`: how surely a scene holds, when strengths, positions and mass stray from what is planned."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ..console.options import Exit, JsonOption, LoadsOption, PlotOption, SceneArgument, vector
from ..console.output import emit, number, prepare, say, table
from ..errors import InputError
from ..statics.command import PLANES, ask

if TYPE_CHECKING:
    from ..checks import Array
    from ..scenes import Scene
    from ..solvers import Exact
    from .curves import ProbabilityCurve
    from .failing_units import FirstFailures
    from .limit_samples import LimitSamples
    from .scatter import Scatter

Family = Literal["normal", "lognormal", "weibull", "uniform"]

#: Samples when none are asked for: of one probability, and of pictures and curves.
SAMPLES, CURVE_SAMPLES = 10_000, 1_000

#: Degrees between two points of a curve over angles, and where it ends.
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
    typer.Option("--correlation", metavar="RHO", help="Of contacts within a unit: 1 one factor a unit, 0 a contact."),
]


def probability(
    scene: SceneArgument,
    strength: StrengthOption = None,
    friction: FrictionOption = None,
    position: PositionOption = None,
    mass: MassOption = None,
    com: ComOption = None,
    family: Annotated[Family, typer.Option("--family", help="Distribution of strength and friction.")] = "normal",
    correlation: CorrelationOption = None,
    n: Annotated[
        int | None,
        typer.Option("--samples", "--n", metavar="N", help="Samples: 10,000, or 1,000 for curves and limits."),
    ] = None,
    width: Annotated[
        float | None, typer.Option("--width", metavar="W", help="Stop once the interval is no wider than this.")
    ] = None,
    confidence: Annotated[float, typer.Option("--confidence", metavar="C", help="Of the interval.")] = 0.95,
    seed: Annotated[int, typer.Option("--seed", metavar="S", help="Of the draws; the same gives the same.")] = 0,
    load: LoadsOption = None,
    weight: Annotated[bool, typer.Option("--weight/--no-weight", help="Whether the object's weight acts.")] = True,
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
        bool, typer.Option("--explain", help="Say which unit gives way, how often, and the limits that are exceeded.")
    ] = False,
    json: JsonOption = False,
    plot: PlotOption = None,
) -> None:
    """How surely a scene holds its weight and loads, with the scatter of the scene file or of the options.

    Pictures: load limits of the specimens; with --explain what gives way; with --curve the curve. Exit codes: 0
    answered, 2 bad input, 3 undecided.
    """
    from ..scenes import load_scene
    from ..solvers import Exact

    loaded = load_scene(scene)
    scatter = _scatter(loaded, strength, friction, position, mass, com, family, correlation)
    question = ask(loaded, loads=load or [], gravity=None, wrench=None, weight=weight)
    own = loaded.gravity_load() if weight and loaded.mass is not None else 0.0 * question.wrench
    method = Exact()
    prepare(method)
    began = time.perf_counter()
    draw = Draw(loaded, question.wrench, own, scatter, n, seed, confidence, method)
    data: dict[str, Any] = {"command": "probability", "scene": loaded.name, "load": question.words}
    data |= {"wrench": question.wrench, "scatter": scatter.to_dict()}
    title = f"{loaded.name}: {question.words}"
    found: ProbabilityCurve | None = None
    if curve is not None:
        found = draw.angle_curve(plane, question.wrench - own) if curve == "angle" else draw.size_curve()
        data |= {"curve": _curve_data(found, curve)}
        undecided = bool((found.undecided == found.n).all())
    else:
        result = draw.rare() if rare else draw.plain(width)
        data |= result.to_dict()
        undecided = result.undecided == result.n
    limits = draw.limits() if curve is None and (explain or plot is not None) else None
    if limits is not None:
        data |= _limit_data(limits)
    data["seconds"] = time.perf_counter() - began
    if json:
        emit(data)
    else:
        say(title, style="bold")
        _show(data, explain=explain)
    if plot is not None:
        _draw(title, found, limits, plot, explain=explain, angle=curve == "angle")
    raise typer.Exit(Exit.UNDECIDED if undecided else Exit.HOLDS)


def _scatter(
    scene: Scene,
    strength: float | None,
    friction: float | None,
    position: str | None,
    mass: float | None,
    com: str | None,
    family: Family,
    correlation: float | None,
) -> Scatter:
    """The scene's own scatter, with what the options say in its place."""
    from .distributions import Distribution
    from .scatter import Scatter

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
        raise InputError("the scene says nothing of scatter", where="scatter", fix=fix)
    return replace(base or Scatter(), **given)


class Draw:
    """One scene, one load, one scatter: what the options ask to draw."""

    def __init__(
        self,
        scene: Scene,
        wrench: Array,
        weight: Array,
        scatter: Scatter,
        n: int | None,
        seed: int,
        confidence: float,
        method: Exact,
    ) -> None:
        self.scene, self.n, self.confidence = scene, n, confidence
        self._asked = (scene.assembly, wrench, scatter)
        self._options: dict[str, Any] = {"seed": seed, "weight": weight, "method": method}

    def plain(self, width: float | None) -> Any:
        """The probability of holding."""
        from . import probability as probability_of

        n = SAMPLES if self.n is None else self.n
        return probability_of(*self._asked, n=n, width=width, confidence=self.confidence, **self._options)

    def rare(self) -> Any:
        """The probability of failure, by importance sampling."""
        from .importance import failure_probability

        n = CURVE_SAMPLES if self.n is None else self.n
        return failure_probability(*self._asked, n=n, confidence=self.confidence, **self._options)

    def limits(self) -> LimitSamples:
        """Load limits of the specimens."""
        from .limit_samples import load_limit_samples

        n = CURVE_SAMPLES if self.n is None else self.n
        return load_limit_samples(*self._asked, n=n, **self._options)

    def size_curve(self) -> ProbabilityCurve:
        """Probability against the size of the load."""
        from .curves import size_curve

        return size_curve(self.limits(), confidence=self.confidence)

    def angle_curve(self, plane: str, extra: Array) -> ProbabilityCurve:
        """Probability against the angle that gravity is turned by; other loads stay with the object."""
        import numpy as np

        from ..statics.paths import turning
        from .curves import probability_along

        self.scene.gravity_load()  # a scene without a mass is told so
        angles = np.radians(np.arange(0.0, LAST_ANGLE + 0.5 * ANGLE_STEP, ANGLE_STEP))
        path = turning(self.scene, *PLANES[plane], load=extra)
        n = CURVE_SAMPLES if self.n is None else self.n
        options = {"seed": self._options["seed"], "method": self._options["method"]}
        name = f"angle of gravity in the {plane} plane [rad]"
        return probability_along(path, angles, self._asked[2], n=n, confidence=self.confidence, name=name, **options)


def _curve_data(curve: ProbabilityCurve, kind: str) -> dict[str, Any]:
    data = curve.to_dict()
    if kind == "angle":
        import math

        data["parameter"] = data["parameter"].replace("[rad]", "[deg]")
        data["parameters"] = [math.degrees(angle) for angle in data["parameters"]]
    return data


def _limit_data(limits: LimitSamples) -> dict[str, Any]:
    from .failing_units import first_failures

    failures: FirstFailures = first_failures(limits)
    quantiles = {}
    for share in (0.01, 0.05, 0.5):
        found = limits.quantile(share)
        quantiles[f"{share:g}"] = {"value": found.value, "interval": list(found.interval)}
    return {
        "limits": {"n": limits.n, "quantiles": quantiles},
        "first_failures": {
            "costs_most": failures.frequencies(),
            "costs_most_of_failing": failures.frequencies(failing=True),
            "gives_way": failures.involved(),
            "mean_share": failures.mean_shares,
        },
    }


def _show(data: dict[str, Any], *, explain: bool) -> None:
    if "curve" in data:
        curve = data["curve"]
        columns = ("parameters", "values", "lower", "upper", "undecided")
        rows = [
            (number(x, 4), number(p, 4), number(low, 4), number(high, 4), open_)
            for x, p, low, high, open_ in zip(*(curve[name] for name in columns), strict=True)
        ]
        table([curve["parameter"], "holds", "from", "to", "undecided"], rows)
        return
    per_cent = f"{100 * data['confidence']:g} %"
    low, high = data["interval"]
    if "failure" in data:
        columns = ["fails", "from", "to", "samples", "pilot", "effective failures", "as plain samples", "undecided"]
        cells = [f"{data['failure']:.3g}", f"{low:.3g}", f"{high:.3g}", data["n"], data["pilot"]]
        cells += [number(data["effective_failures"], 3), number(data["plain_samples"], 3), data["undecided"]]
    else:
        columns = ["holds", "from", "to", "samples", "failures", "undecided", "time [s]"]
        cells = [number(data["value"], 5), number(low, 5), number(high, 5), data["n"], data["failures"]]
        cells += [data["undecided"], f"{data['seconds']:.2g}"]
    table(columns, [cells])
    say(f"from, to: {per_cent} interval")
    if explain:
        _show_limits(data)


def _show_limits(data: dict[str, Any]) -> None:
    quantiles = data["limits"]["quantiles"]
    rows = [
        (f"{100 * (1 - float(share)):g} %", number(q["value"]), *(number(end) for end in q["interval"]))
        for share, q in quantiles.items()
    ]
    table(["of the specimens", "hold [loads]", "from", "to"], rows, title="What they hold")
    first = data["first_failures"]
    rows = [
        (name, *(f"{100 * first[kind][name]:.1f}" for kind in ("costs_most", "gives_way", "mean_share")))
        for name in first["costs_most"]
    ]
    table(["unit", "costs most [%]", "gives way [%]", "mean share [%]"], rows, title="What gives way at the limit")


def _draw(
    title: str, curve: ProbabilityCurve | None, limits: LimitSamples | None, path: Path, *, explain: bool, angle: bool
) -> None:
    from ..console.pictures import save
    from . import plots_probabilities as probabilities
    from .failing_units import first_failures

    if curve is not None:
        save(probabilities.probability_curve(curve, degrees=angle, title=title), path)
    elif limits is not None and explain:
        save(probabilities.first_failure_bars(first_failures(limits), title=title), path)
    elif limits is not None:
        save(probabilities.limit_histogram(limits, title=title), path)

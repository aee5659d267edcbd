"""`holdfast grip`: learn what wrenches a hand can give, and look at what was learned."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from .console import bound, counted, emit, note, number, say, table
from .options import PICTURES, ClusterOption, Exit, JsonOption, PlotOption, SceneArgument, check_target, vector
from .progress import progress

if TYPE_CHECKING:
    from ..frames import Pose
    from ..grips import Grip, GripBounds, OuterGrip
    from ..scene import Scene

app = typer.Typer(
    help="Grips: the wrenches a hand can give to the body; learn, show, info.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

SUFFIXES = (".h5", ".hdf5")
FRAME = "wrenches act on the body, in the palm frame; torques are about the palm's origin"

GripArgument = Annotated[Path, typer.Argument(metavar="FILE", help="Grip file that `grip learn` or Grip.save wrote.")]
LookOption = Annotated[
    Literal["section", "shadow"],
    typer.Option("--look", help="Sections have the other four parts of the wrench at zero, shadows at any value."),
]
PalmOption = Annotated[
    str | None,
    typer.Option(
        "--palm",
        metavar="X,Y,Z[,RX,RY,RZ]",
        help="The palm in the scene: place [m], and turn about an axis by its length [deg].",
    ),
]
SurelyOption = Annotated[
    bool, typer.Option("--surely", help="One piece a contact for the inner set: every wrench in it is held.")
]
WayOption = Annotated[
    Literal["greedy", "paper"],
    typer.Option("--method", help="Keep the best of many samples, or random rays and planes as in the paper."),
]


@app.command()
def learn(
    scene: SceneArgument,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE.h5", help="Where the grip goes.")],
    n: Annotated[int, typer.Option("--n", metavar="N", help="How many samples to take.")] = 1000,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="What random directions depend on.")] = 0,
    gap: Annotated[
        float | None,
        typer.Option("--gap", metavar="SHARE", help="Stop when inner and outer set are so near: 0.05 is 5 %."),
    ] = None,
    acting: Annotated[
        Literal["direct", "reaction"],
        typer.Option("--acting", help="Contact forces act on the body, or on what is gripped (the body feels minus)."),
    ] = "direct",
    palm: PalmOption = None,
    weightless: Annotated[
        bool,
        typer.Option("--weightless", help="Leave the links' weight out: the grip then fits every orientation."),
    ] = False,
    surely: SurelyOption = False,
    way: WayOption = "greedy",
    workers: Annotated[int, typer.Option("--workers", metavar="N", help="Processes that compute.")] = 1,
    cluster: ClusterOption = None,
    journal: Annotated[
        Path | None,
        typer.Option("--journal", metavar="FILE", help="Save samples as they come; go on from it after a stop."),
    ] = None,
    json: JsonOption = False,
    plot: PlotOption = None,
) -> None:
    """Learn the inner and outer wrench set of the hand in a scene, with its joint limits."""
    from ..grips import GreedySampling, PaperSampling, learn_grip
    from ..scene import load_scene
    from ..solvers import Exact
    from .compiling import prepare

    check_target("--output", output, SUFFIXES)
    check_target("--plot", plot, PICTURES)
    loaded = load_scene(scene)
    where = _palm(palm)
    hand, gravity = _hand(loaded, weightless=weightless)
    prepare(Exact())
    try:
        with progress(f"{loaded.name}, {n} samples") as report:
            found = learn_grip(
                hand.assembly,
                n,
                seed,
                palm=where,
                acting=acting,
                gap=gap,
                gravity=gravity,
                surely=surely,
                method=PaperSampling() if way == "paper" else GreedySampling(),
                workers=workers,
                cluster=cluster,
                journal=journal,
                progress=report,
            )
    except KeyboardInterrupt:
        kept = "nothing was saved (give --journal FILE to keep samples)"
        if journal is not None:
            kept = f"samples so far are in {journal}: run the same command again to go on"
        note(f"interrupted; {kept}")
        raise typer.Exit(Exit.INTERRUPTED) from None
    if not found.label:
        found = found.with_label(loaded.name)
    found.save(output)
    facts = describe(found)
    if json:
        emit({"command": "grip learn", "scene": loaded.name, "file": output} | facts)
    else:
        _show_facts(facts)
    note(f"grip: {output}")
    _draw(found, plot)


@app.command()
def info(file: GripArgument, json: JsonOption = False) -> None:
    """What is in a grip file: how it was learned, how near the truth it is, what it depends on."""
    from ..grips import load_grip

    facts = describe(load_grip(file))
    if json:
        emit({"command": "grip info", "file": file} | facts)
    else:
        _show_facts(facts)


@app.command()
def show(file: GripArgument, look: LookOption = "section", json: JsonOption = False, plot: PlotOption = None) -> None:
    """How far a grip reaches along each axis; with --plot, its inner set in green and its outer one in red."""
    from ..grips import load_grip

    check_target("--plot", plot, PICTURES)
    found = load_grip(file)
    rows = extents(found)
    if json:
        emit({"command": "grip show", "file": file, "label": found.label, "extents": rows})
    else:
        say(f"{found.label or file}: how far it reaches along each axis, the other parts at any value", style="bold")
        say(FRAME)
        parts = [part for part in ("inner", "outer") if part in rows[0]]
        table(
            ["axis", *(f"{part} {end}" for part in parts for end in ("lowest", "highest"))],
            [(f"{row['axis']} [{row['unit']}]", *(bound(end) for part in parts for end in row[part])) for row in rows],
        )
    _draw(found, plot, look=look)


def describe(grip: Grip | OuterGrip | GripBounds) -> dict[str, Any]:
    """A grip's facts as plain data."""
    from ..grips import Grip, GripBounds, OuterGrip

    inner = grip.inner if isinstance(grip, GripBounds) else grip if isinstance(grip, Grip) else None
    outer = grip.outer if isinstance(grip, GripBounds) else grip if isinstance(grip, OuterGrip) else None
    return {
        "label": grip.label,
        "holds": "inner and outer set"
        if isinstance(grip, GripBounds)
        else "outer set"
        if inner is None
        else "inner set",
        "vertices": None if inner is None else len(inner.vertices),
        "rays": None if inner is None else len(inner.rays),
        "planes": None if outer is None else len(outer.normals),
        "gap": grip.gap if isinstance(grip, GripBounds) else None,
        "length": grip.length,
        "palm_gravity": grip.palm_gravity,
        "facts": asdict(grip.facts),
    }


def extents(grip: Grip | OuterGrip | GripBounds) -> list[dict[str, Any]]:
    """For each of the six axes: how far the inner and the outer set reach, the other parts at any value."""
    import numpy as np

    from ..grips import Grip, GripBounds, OuterGrip
    from ..grips.sections import AXES, UNITS

    parts: dict[str, Grip | OuterGrip] = {}
    if isinstance(grip, (Grip, GripBounds)):
        parts["inner"] = grip.inner if isinstance(grip, GripBounds) else grip
    if isinstance(grip, (OuterGrip, GripBounds)):
        parts["outer"] = grip.outer if isinstance(grip, GripBounds) else grip
    rows: list[dict[str, Any]] = [{"axis": axis, "unit": unit} for axis, unit in zip(AXES, UNITS, strict=True)]
    for name, part in parts.items():
        highest, lowest = part.support(np.eye(6)), -part.support(-np.eye(6))
        for row, low, high in zip(rows, lowest.tolist(), highest.tolist(), strict=True):
            row[name] = [low, high]
    return rows


def _palm(text: str | None) -> Pose | None:
    """A place and a turn, as they are written on the command line."""
    import numpy as np

    from ..frames import Pose, rotation_about

    if text is None:
        return None
    values = vector("--palm", text, 3, 6)
    turn = values[3:]
    angle = float(np.linalg.norm(turn))
    return Pose(rotation_about(turn, np.radians(angle)) if angle else np.eye(3), values[:3])


def _hand(scene: Scene, *, weightless: bool) -> tuple[Scene, Any]:
    """The scene to learn from, and the gravity that its set depends on: None without links that weigh."""
    import numpy as np

    weighs = scene.link_gravity is not None and bool(np.any(scene.link_gravity)) and bool(scene.gravity.any())
    if not weighs:
        return scene, None
    return (scene.with_gravity((0.0, 0.0, 0.0)), None) if weightless else (scene, scene.gravity)


def _show_facts(data: dict[str, Any]) -> None:
    facts: dict[str, Any] = data["facts"]
    say(f"{data['label'] or 'grip'}: {data['holds']}", style="bold")
    say(FRAME)
    rows = [
        ("vertices and rays", f"{data['vertices']}, {data['rays']}") if data["vertices"] is not None else None,
        ("half-spaces", data["planes"]) if data["planes"] is not None else None,
        ("largest gap at a half-space", _share(data["gap"])) if data["gap"] is not None else None,
        ("inner error", _share(facts["inner_error"])),
        ("outer error", _share(facts["outer_error"])),
        ("concavity of the contacts", _share(facts["concavity"])),
        ("method", facts["method"] or "-"),
        ("samples", "-" if facts["n"] is None else counted(facts["n"], "program")),
        ("seed", "-" if facts["seed"] is None else facts["seed"]),
        ("joint limits", {None: "-", True: "yes", False: "no"}[facts["joint_limits"]]),
        ("contact forces act", {None: "-", "direct": "on the body", "reaction": "on what is gripped"}[facts["acting"]]),
        ("characteristic length [m]", number(data["length"])),
        ("gravity in the palm frame [m/s^2]", _gravity(data["palm_gravity"])),
        ("model hash", facts["model_hash"] or "-"),
        ("made by Holdfast", facts["version"] or "-"),
    ]
    table(["of the grip", ""], [row for row in rows if row is not None])


def _share(value: float | None) -> str:
    return "-" if value is None else "no bound" if value == float("inf") else f"{100.0 * value:.3g} %"


def _gravity(value: Any) -> str:
    return "does not matter" if value is None else ", ".join(number(float(part)) for part in value)


def _draw(grip: Grip | OuterGrip | GripBounds, plot: Path | None, *, look: Any = "section") -> None:
    if plot is None:
        return
    from ..plotting.grips import grip as draw
    from .pictures import save as save_picture

    save_picture(draw(grip, look=look, title=grip.label), plot)

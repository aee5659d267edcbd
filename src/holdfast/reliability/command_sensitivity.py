"""`holdfast sensitivity`: what a load limit depends on, how much errors cost, what it takes to hold a load."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..console.options import Exit, JsonOption, PlotOption, SceneArgument, method, vector
from ..console.output import emit, number, prepare, say, table
from ..errors import InputError

if TYPE_CHECKING:
    from ..assembly.assembly import Assembly
    from ..checks import Array
    from .least_changes import LeastChange
    from .robust import RobustLimit
    from .tornado_bars import Changes, Tornado


def sensitivity(
    scene: SceneArgument,
    direction: Annotated[
        str | None,
        typer.Option(
            "--direction",
            metavar="FX,FY,FZ[,TX,TY,TZ]",
            help="External wrench on the object, torque about the origin.",
        ),
    ] = None,
    load: Annotated[
        str | None, typer.Option("--load", metavar="NAME", help="A load of the scene; its weight by default.")
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(
            "--at", metavar="X,Y,Z", help="Point [m] where the force of --direction acts; the origin by default."
        ),
    ] = None,
    change: Annotated[
        str, typer.Option("--change", metavar="SHARE", help="Change of strengths, friction, joint bounds and load.")
    ] = "5%",
    shift: Annotated[
        float, typer.Option("--shift", metavar="M", help="Change of positions and of the load's point [m].")
    ] = 0.001,
    turn: Annotated[
        float, typer.Option("--turn", metavar="DEG", help="Change of contact frames and of the load's direction.")
    ] = 1.0,
    solve: Annotated[bool, typer.Option("--solve", help="Solve the limit anew for the changes shown.")] = False,
    robust: Annotated[
        bool, typer.Option("--robust", help="Certify a limit for all errors up to these changes at once.")
    ] = False,
    least: Annotated[
        bool, typer.Option("--least-change", help="The least growth of strengths and joint bounds that holds the load.")
    ] = False,
    top: Annotated[int, typer.Option("--top", metavar="N", help="Parameters shown, the most important first.")] = 15,
    json: JsonOption = False,
    plot: PlotOption = None,
) -> None:
    """How the largest multiple of a load changes with every contact, joint and the load itself, without any weight."""
    from ..scenes import load_scene
    from .derivatives import sensitivity as derivatives_of
    from .tornado_bars import Changes, tornado

    scene_ = load_scene(scene)
    words, wrench = _load(scene_, direction, load, at)
    changes = Changes(share=_share(change), shift=shift, turn=math.radians(turn))
    if top < 1:
        raise InputError(f"is {top}", where="--top", fix="give a whole number of at least 1")
    prepare(method())
    assembly = scene_.with_gravity((0.0, 0.0, 0.0)).assembly
    data: dict[str, Any] = {"command": "sensitivity", "scene": scene_.name, "load": words, "direction": wrench}
    code, title = Exit.HOLDS, f"{scene_.name}: {words}"
    if least:
        change_ = _least(assembly, wrench)
        data["least_change"] = change_.to_dict() | {"verified": change_.verify()}
        code = Exit.HOLDS if change_.gap <= LOOSEST and math.isfinite(change_.cost) else Exit.UNDECIDED
        if change_.status.value == "no growth makes it hold":
            code = Exit.DOES_NOT_HOLD
        if not json:
            _show_least(title, change_)
    if robust:
        bracket = _robust(assembly, wrench, changes)
        data["robust"] = bracket.to_dict() | {"verified": bracket.verify()}
        if not json:
            _show_robust(title, bracket, changes)
    drawn = None
    if plot is not None or not (least or robust):
        drawn = tornado(derivatives_of(assembly, wrench), changes, solve=top if solve else 0)
        data["tornado"] = drawn.to_dict()
        if not json:
            _show_tornado(title, drawn, top)
    if json:
        emit(data)
    if plot is not None and drawn is not None:
        from ..console.pictures import save
        from .plots_sensitivities import tornado as draw

        save(draw(drawn, most=top, title=title), plot)
    raise typer.Exit(code)


#: A least change whose bound is within this share of its cost counts as an answer.
LOOSEST = 0.01


def _load(scene: Any, direction: str | None, load: str | None, at: str | None) -> tuple[str, Array]:
    """(words, wrench (6,)) of the load asked about."""
    import numpy as np

    if direction is not None:
        if load is not None:
            raise InputError("is given with --load", where="--direction", fix="give one of the two")
        wrench = vector("--direction", direction, 3, 6)
        torque = wrench[3:] if len(wrench) == 6 else np.zeros(3)
        if at is not None:
            torque = torque + np.cross(vector("--at", at, 3), wrench[:3])
        return direction, np.concatenate([wrench[:3], torque])
    if load is not None:
        return load, scene.load(load)
    return "weight", scene.gravity_load()


def _share(text: str) -> float:
    """A share from "5%" or "0.05"."""
    words = text.strip()
    try:
        return float(words[:-1]) / 100.0 if words.endswith("%") else float(words)
    except ValueError:
        raise InputError(f"is not a share: {text!r}", where="--change", fix="give 5% or 0.05") from None


def _least(assembly: Assembly, wrench: Array) -> LeastChange:
    from .least_changes import Costs, least_change
    from .parameters import units_of

    units = list(units_of(assembly).values())
    together = {i for unit in units for i in unit}
    alone = [(i,) for i in range(len(assembly)) if i not in together]
    return least_change(assembly, wrench, Costs(groups=[*units, *alone]), gap=LOOSEST)


def _robust(assembly: Assembly, wrench: Array, changes: Changes) -> RobustLimit:
    from .intervals import Intervals
    from .robust import robust_limit

    share, shift = changes.share, changes.shift
    sure = all(contact.volume.is_star_shaped for contact in assembly.contacts)
    intervals = Intervals(
        strength=share if sure else 0.0, friction=share, position=shift, joint=share, angle=changes.turn, point=shift
    )
    return robust_limit(assembly, wrench, intervals)


def _show_tornado(title: str, drawn: Tornado, top: int) -> None:
    limit = drawn.sensitivity.value
    say(f"{title}: limit {limit:.6g}, and by how much it changes", style="bold")
    rows = []
    for bar in drawn.bars[:top]:
        p = bar.derivative.parameter
        amount = f"{100 * bar.amount:.3g} %" if p.is_share else f"{bar.amount:.3g} {p.unit}"
        row = [bar.label, amount, number(bar.down), number(bar.up)]
        if drawn.solved:
            row += [number(bar.solved_down), number(bar.solved_up)]
        rows.append([*row, "" if bar.derivative.smooth else "kink" if bar.derivative.proven else "kink, at least"])
    solved = ["solved less", "solved more"] if drawn.solved else []
    table(["parameter", "change", "less", "more", *solved, ""], rows)
    if len(drawn.bars) > top:
        say(f"{len(drawn.bars) - top} parameters matter less; --top shows more")


def _show_robust(title: str, bracket: RobustLimit, changes: Changes) -> None:
    turn = math.degrees(changes.turn)
    say(f"{title}: limit under errors of {100 * changes.share:g} %, {changes.shift:g} m and {turn:g} deg", style="bold")
    rows = [
        ("without errors", number(bracket.nominal, 6)),
        ("strengths and joints weak", number(bracket.weakened, 6)),
        ("certified for all errors", number(bracket.certified, 6)),
        ("attained by the worst error found", number(bracket.attained, 6)),
    ]
    table(["", "limit"], rows)


def _show_least(title: str, change: LeastChange) -> None:
    say(f"{title}: {change.status.value}", style="bold")
    if not math.isfinite(change.cost):
        return
    say(f"cost {change.cost:.6g}, at least {change.lower_bound:.6g} is needed (1 is 100 % of one unit or joint bound)")
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
        table(["what", "of it", "change"], rows)

"""`holdfast separate`: if it does not hold, which way does the object go, and what does each contact do?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from .. import tolerances
from ..console.options import (
    Exit,
    GravityOption,
    JsonOption,
    LoadCase,
    LoadsOption,
    NodeLimit,
    NoWeight,
    PlotOption,
    SceneArgument,
    TimeLimit,
    WrenchOption,
    load_case,
    vector,
)
from ..console.output import counted, number
from ..console.pictures import FeaturePlots
from ..console.sheets import Block, TableBlock, heading, present, triple, yes_no
from ..errors import InputError
from ..statics.command import joint_table

if TYPE_CHECKING:
    from ..scenes import Scene
    from .mass import Inertia
    from .release import Release
    from .separations import Separation

plots = FeaturePlots(__package__)

#: Rows of the table of contacts; the rest is counted.
MOST_ROWS = 24


def separate(
    scene: SceneArgument,
    load: LoadsOption = None,
    gravity: GravityOption = None,
    wrench: WrenchOption = None,
    no_weight: NoWeight = False,
    inertia: Annotated[
        str | None,
        typer.Option(
            "--inertia",
            metavar="XX,YY,ZZ[,XY,XZ,YZ]",
            help="Moments of inertia [kg m^2] about the centre of mass, world axes; one number for a ball. "
            "Without it: the scene's inertia, its shape, evenly filled, or a stand-in that the output names.",
        ),
    ] = None,
    frames: Annotated[
        int, typer.Option("--frames", metavar="N", help="Show what it does next in up to N stills; illustrative.")
    ] = 0,
    step: Annotated[
        float | None,
        typer.Option("--step", metavar="MM", help="How far the object moves from still to still; with --frames."),
    ] = None,
    touch: Annotated[
        Literal["rest", "foot", "ball"],
        typer.Option(
            "--touch",
            help="With --frames: contact points stay in the world (rest), go with the object (foot), or roll (ball).",
        ),
    ] = "rest",
    json: JsonOption = False,
    plot: PlotOption = None,
    gap: Annotated[
        float | None, typer.Option("--gap", metavar="SHARE", help="How closely the least value is found; 1e-6.")
    ] = None,
    time_limit: TimeLimit = None,
    node_limit: NodeLimit = None,
) -> None:
    """What happens when a scene does not hold: the object's acceleration and every contact's state, by (7)."""
    from ..scenes import load_scene
    from .dissipation import Separating
    from .release import simulate_release
    from .separations import sentences, separation

    if frames < 0:
        raise InputError(f"is {frames}", where="--frames", fix="give a whole number of stills")
    if step is not None and not frames:
        raise InputError("is for --frames", where="--step", fix="give --frames N, too")
    question = load_case(load_scene(scene), loads=load or [], gravity=gravity, wrench=wrench, weight=not no_weight)
    asked = question.scene
    moments = _inertia(asked, inertia)
    mass = asked.mass_matrix(moments.matrix)
    limits = {"gap": gap, "time_limit": time_limit, "node_limit": node_limit}
    solver = Separating(**{name: value for name, value in limits.items() if value is not None})  # pyright: ignore[reportArgumentType]
    answer = separation(asked.assembly, question.wrench, mass, method=solver)
    verified = answer.verify()
    moved = None
    if frames:
        length = None if step is None else 1e-3 * step
        options = {"frames": frames, "step": length, "touch": touch, "method": solver}
        moved = simulate_release(asked.assembly, question.wrench, mass, **options)
    found = answer.to_dict() | ({} if moved is None else {"next": moved.to_dict()})
    code = {"undecided": Exit.UNDECIDED, "holds": Exit.HOLDS}.get(answer.status.value, Exit.DOES_NOT_HOLD)
    present(
        "separate",
        found,
        sheet=_sheet(question, answer, moments, moved, verified=verified),
        json=json,
        metadata={
            "scene": asked.name,
            "load": question.description,
            "gravity": asked.gravity,
            "mass": asked.mass,
            "com": asked.com,
            "inertia": moments.matrix,
            "inertia_source": moments.source,
            "inertia_assumed": moments.assumed,
            "proof_verified": verified,
            "sentences": sentences(answer, asked.com),
            "acceleration_of_com": None if answer.acceleration is None else answer.acceleration_at(asked.com),
        },
        plot=plot,
        picture=lambda: plots.separation(asked, answer) if moved is None else plots.release_strip(asked, moved),
        code=code,
    )


def _inertia(scene: Scene, option: str | None) -> Inertia:
    """The moments of the option, else those of the scene."""
    from .mass import inertia_matrix

    given = None if option is None else inertia_matrix(vector("--inertia", option, 1, 3, 6), where="--inertia")
    return scene.moments_of_inertia(given)


def _sheet(
    question: LoadCase, answer: Separation, inertia: Inertia, moved: Release | None, *, verified: bool
) -> Iterator[Block]:
    from .contact_states import AT_REST, acceleration_scale
    from .separations import sentences

    scene = question.scene
    yield heading(f"{scene.name}: {counted(len(answer.assembly), 'contact')}")
    force, torque = question.wrench[:3], question.wrench[3:]
    yield f"load: {question.description} = ({_triple(force)}) N, ({_triple(torque)}) N m about the origin"
    yield f"inertia: ({triple(inertia.matrix.diagonal(), 3)}) kg m^2, {inertia.source}"
    status = answer.status.value
    if status in ("holds", "undecided"):
        yield heading(f"verdict: {status}", status)
    else:
        yield heading(f"verdict: does not hold, {status}", "does not hold")
    for sentence in sentences(answer, scene.com):
        yield f"- {sentence}"
    if answer.acceleration is not None and not answer.holds:
        slow = AT_REST * acceleration_scale(answer)
        linear, angular = answer.acceleration_at(scene.com), answer.acceleration[3:]
        yield f"acceleration of the centre of mass: ({_triple(linear, least=slow)}) m/s^2"
        yield f"angular acceleration: ({_triple(angular, least=slow / answer.assembly.length)}) rad/s^2"
        ends = f"at least {number(answer.lower_bound)}, gap {answer.gap:.1e}"
        yield f"q''^T B q'': {number(answer.value)} N^2/kg ({ends})"
    if answer.states:
        yield from _contact_tables(answer)
    yield f"proof verified: {yes_no(verified)}"
    yield f"effort: {counted(answer.effort.nodes, 'node')}, {answer.effort.seconds:.2g} s"
    if moved is not None:
        yield from _release_sheet(moved)


def _contact_tables(answer: Separation) -> Iterator[Block]:
    from .contact_states import AT_REST, UNLOADED, acceleration_scale

    dust = UNLOADED * max(float(abs(state.force).max()) for state in answer.states)
    slow = AT_REST * acceleration_scale(answer)
    rows = [
        (
            state.name or str(state.index),
            state.description,
            *(number(f if abs(f) > dust else 0.0) for f in state.force),
            *(number(a if abs(a) > slow else 0.0, 3) for a in state.acceleration),
        )
        for state in answer.states
    ]
    columns = ["contact", "state", "f_x [N]", "f_y [N]", "f_z [N]", "a_x [m/s^2]", "a_y", "a_z"]
    title = (
        "Contacts: force on the object and acceleration of the object there, in the contact frames (z off the surface)"
    )
    yield TableBlock(columns, rows[:MOST_ROWS], title=title)
    if len(rows) > MOST_ROWS:
        yield f"and {len(rows) - MOST_ROWS} more"
    yield from joint_table(answer.assembly, answer.forces)


def _release_sheet(moved: Release) -> Iterator[Block]:
    import numpy as np

    rows = []
    for count, frame in enumerate(moved.frames):
        turn = np.degrees(np.arccos(np.clip(0.5 * (np.trace(frame.pose.rotation) - 1.0), -1.0, 1.0)))
        shift = 1e3 * (frame.com - moved.frames[0].com)
        lost, landed = (", ".join(moved.names[i] for i in some) or "-" for some in (frame.lost, frame.landed))
        rows.append((count, _triple(shift, 3), number(float(turn), 3), len(frame.touching), lost, landed))
    columns = ["still", "moved by [mm]", "turned [deg]", "contacts", "lost", "closed"]
    title = f"What it does next: illustrative, steps of at most {number(1e3 * moved.step, 3)} mm"
    yield TableBlock(columns, rows, title=title)
    yield moved.description


def _triple(values: Any, digits: int = 4, least: float = 0.0) -> str:
    """Three numbers; those up to `least`, or a billionth of the largest, as 0."""
    largest = max(abs(float(value)) for value in values)
    smallest = max(least, tolerances.FEASIBILITY * largest)
    return ", ".join(number(float(v) if abs(v) > smallest else 0.0, digits) for v in values)

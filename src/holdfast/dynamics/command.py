"""`holdfast separate`, `motion`, `stability` and `motions` for scenes in space."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from .. import tolerances
from ..console.options import (
    Exit,
    LoadCase,
    NodeLimit,
    TimeLimit,
    vector,
)
from ..console.output import bound, counted, number
from ..console.pictures import FeaturePlots
from ..console.questions import Output, SceneQuestion, with_groups
from ..console.sheets import Block, TableBlock, heading, present, triple, yes_no
from ..errors import InputError
from ..statics.command import joint_table

if TYPE_CHECKING:
    from ..checks import Array
    from ..scenes import Scene
    from .coulomb import CoulombMotion
    from .mass import Inertia
    from .motion_sets import CoulombMotions
    from .release import Release
    from .search import MotionSearch
    from .separations import Principle, Separation
    from .stability import StrongStability

plots = FeaturePlots(__package__)

#: Largest number of rows in the table of contacts; the remaining rows are counted.
MOST_ROWS = 24

#: Largest number of printed pieces of a set of motions; the remaining pieces are counted.
MOST_PIECES = 8

#: Components of an acceleration.
AXES = ("a_x [m/s^2]", "a_y [m/s^2]", "a_z [m/s^2]", "alpha_x [rad/s^2]", "alpha_y [rad/s^2]", "alpha_z [rad/s^2]")

#: Meaning of each status that planar motions do not have, or that means something else there.
MORE_DESCRIPTIONS = {
    "impact": "the velocity points into a surface: impacts are not modelled",
    "undecided": "the search stopped before all motions were found",
}

#: A velocity counts as along a surface if its normal part is at most this fraction of the fastest contact's speed.
ALONG = 1e-3

# -- what is asked --------------------------------------------------------------------------------

InertiaOption = Annotated[
    str | None,
    typer.Option(
        "--inertia",
        metavar="XX,YY,ZZ[,XY,XZ,YZ]",
        help="Moments of inertia [kg m^2] about the centre of mass, world axes; one number for a ball. "
        "Default: that of the scene, of its shape with uniform density, or of an assumed ball, as printed.",
    ),
]
VelocityOption = Annotated[
    str | None,
    typer.Option(
        "--velocity",
        metavar="VX,VY,VZ[,WX,WY,WZ]",
        help="Velocity of the centre of mass [m/s] and angular velocity [rad/s]; at rest by default. Where it leaves "
        "or enters a surface by less than 1/1000 of the speed, the normal part is removed.",
    ),
]
FramesOption = Annotated[
    int, typer.Option("--frames", metavar="N", help="Show the motion that follows in up to N frames; illustrative.")
]
StepOption = Annotated[
    float | None,
    typer.Option("--step", metavar="MM", help="Motion of the object between two frames [mm]; with --frames."),
]
TouchOption = Annotated[
    Literal["rest", "foot", "ball"],
    typer.Option(
        "--touch",
        help="With --frames: contact points stay in the world (rest), go with the object (foot), or roll (ball).",
    ),
]


@dataclass(frozen=True, eq=False)
class _Question:
    """A scene under a load, with the inertia of its object; several bodies have their own (`moments` is None)."""

    case: LoadCase
    moments: Inertia | None
    mass: Array

    @property
    def scene(self) -> Scene:
        return self.case.scene

    @property
    def metadata(self) -> dict[str, Any]:
        """The question as part of every command's JSON output."""
        return {
            "scene": self.scene.name,
            "load": self.case.description,
            "gravity": self.scene.gravity,
            "mass": self.scene.mass,
            "com": self.scene.com,
            "inertia": None if self.moments is None else self.moments.matrix,
            "inertia_source": None if self.moments is None else self.moments.source,
            "inertia_assumed": None if self.moments is None else self.moments.assumed,
        }

    def lines(self) -> Iterator[Block]:
        """The scene, its load and its inertia."""
        if self.moments is None:
            contacts = counted(len(self.scene.assembly), "contact")
            yield heading(f"{self.scene.name}: {len(self.scene.bodies)} bodies, {contacts}")
            yield f"load: {self.case.description}"
            return
        yield heading(f"{self.scene.name}: {counted(len(self.scene.assembly), 'contact')}")
        force, torque = self.case.wrench[:3], self.case.wrench[3:]
        yield f"load: {self.case.description} = ({_triple(force)}) N, ({_triple(torque)}) N m about the origin"
        yield f"inertia: ({triple(self.moments.matrix.diagonal(), 3)}) kg m^2, {self.moments.source}"

    def velocity(self, text: str | None) -> Array | None:
        """(6,) the velocity of the option about the world origin, without small normal parts; None at rest."""
        if text is None:
            return None
        import numpy as np

        given = vector("--velocity", text, 3, 6)
        turning = given[3:] if len(given) == 6 else np.zeros(3)
        velocity = np.concatenate([given[:3] - np.cross(turning, self.scene.com), turning])
        points, normals = self.scene.assembly.positions, self.scene.assembly.rotations[:, :, 2]
        rows = np.concatenate([normals, np.cross(points, normals)], axis=1)
        fastest = np.linalg.norm(velocity[:3] + np.cross(turning, points), axis=1).max()
        closed = rows[np.abs(rows @ velocity) <= ALONG * fastest]
        factor = np.linalg.cholesky(self.mass)  # smallest change in kinetic energy that keeps these contacts closed
        change = np.linalg.lstsq(np.linalg.solve(factor, closed.T).T, -closed @ velocity, rcond=None)[0]
        return velocity + np.linalg.solve(factor.T, change)


def _question(question: SceneQuestion, inertia: str | None, *, several: bool = False) -> _Question:
    from .mass import inertia_matrix

    scene = question.read()
    case = question.case(scene=scene if several else question.one_object(scene))
    if case.scene.bodies:
        if inertia is not None:
            fix = "give an inertia with each body in the scene file"
            raise InputError(f"the scene has {len(case.scene.bodies)} bodies", where="--inertia", fix=fix)
        return _Question(case, None, case.scene.mass_matrix())
    given = None if inertia is None else inertia_matrix(vector("--inertia", inertia, 1, 3, 6), where="--inertia")
    moments = case.scene.moments_of_inertia(given)
    return _Question(case, moments, case.scene.mass_matrix(moments.matrix))


def _search(time_limit: float | None, node_limit: int | None) -> MotionSearch:
    from .search import MotionSearch

    limits = {"time_limit": time_limit, "node_limit": node_limit}
    return MotionSearch(**{name: value for name, value in limits.items() if value is not None})  # pyright: ignore[reportArgumentType]


def _check_stills(frames: int, step: float | None) -> None:
    if frames < 0:
        raise InputError(f"is {frames}", where="--frames", fix="give a whole number of frames")
    if step is not None and not frames:
        raise InputError("needs --frames", where="--step", fix="also give --frames N")


def _stills(
    asked: _Question, principle: Principle, frames: int, step: float | None, touch: str, **options: Any
) -> Release | None:
    """The motion that follows, if frames were requested."""
    if not frames:
        return None
    from .release import simulate_release

    length = None if step is None else 1e-3 * step
    options |= {"frames": frames, "step": length, "touch": touch, "principle": principle}
    return simulate_release(asked.scene.assembly, asked.case.wrench, asked.mass, **options)


# -- commands --------------------------------------------------------------------------------------


@with_groups
def separate(
    question: SceneQuestion,
    output: Output,
    inertia: InertiaOption = None,
    frames: FramesOption = 0,
    step: StepOption = None,
    touch: TouchOption = "rest",
    gap: Annotated[
        float | None, typer.Option("--gap", metavar="SHARE", help="Relative gap of the result; 1e-6 by default.")
    ] = None,
    time_limit: TimeLimit = None,
    node_limit: NodeLimit = None,
) -> None:
    """Initial motion of a scene that does not hold, by the principle of least acceleration; for any contact type.

    Prints the object's acceleration and the state of every contact. If all contacts have Coulomb friction, use
    holdfast motion, which follows Coulomb's law.
    """
    from .dissipation import Separating
    from .separations import sentences, separation

    _check_stills(frames, step)
    asked = _question(question, inertia, several=True)
    limits = {"gap": gap, "time_limit": time_limit, "node_limit": node_limit}
    solver = Separating(**{name: value for name, value in limits.items() if value is not None})  # pyright: ignore[reportArgumentType]
    answer = separation(asked.scene.assembly, asked.case.wrench, asked.mass, method=solver)
    verified = answer.verify()
    moved = _stills(asked, answer.principle, frames, step, touch, method=solver)
    code = {"undecided": Exit.UNDECIDED, "holds": Exit.HOLDS}.get(answer.status.value, Exit.DOES_NOT_HOLD)
    present(
        "separate",
        answer.to_dict() | ({} if moved is None else {"next": moved.to_dict()}),
        sheet=_separation_sheet(asked, answer, moved, verified=verified),
        **output.targets,
        rows=answer.rows,
        metadata=asked.metadata
        | {
            "proof_verified": verified,
            "sentences": sentences(answer, asked.scene.com),
            "acceleration_of_com": _acceleration_of_com(asked, answer),
        },
        picture=lambda: (
            plots.separation(asked.scene, answer) if moved is None else plots.release_strip(asked.scene, moved)
        ),
        code=code,
    )


MOTION_EXIT_CODES = (
    "Exit codes: 0 rests, 1 moves or no motion obeys the law, 2 bad input, 3 undecided or impact, 130 interrupted, "
    "70 internal error."
)


@with_groups
def motion(
    question: SceneQuestion,
    output: Output,
    inertia: InertiaOption = None,
    velocity: VelocityOption = None,
    frames: FramesOption = 0,
    step: StepOption = None,
    touch: TouchOption = "rest",
    time_limit: TimeLimit = None,
    node_limit: NodeLimit = None,
) -> None:
    """One motion of the object that Coulomb's law allows: rest if possible, otherwise sliding or separation.

    For contacts that are friction cones, also with adhesion; for measured contacts use holdfast separate.
    """
    from .coulomb import motion as coulomb_motion
    from .separations import Principle

    _check_stills(frames, step)
    asked = _question(question, inertia)
    start = asked.velocity(velocity)
    if frames and start is not None:
        raise InputError("starts at rest", where="--frames", fix="leave out --velocity")
    method = _search(time_limit, node_limit)
    answer = coulomb_motion(asked.scene.assembly, asked.case.wrench, asked.mass, start, method=method)
    verified = answer.verify()
    moved = _stills(asked, Principle.COULOMB, frames, step, touch)
    codes = {"rests": Exit.HOLDS, "undecided": Exit.UNDECIDED, "impact": Exit.UNDECIDED}
    present(
        "motion",
        answer.to_dict() | ({} if moved is None else {"next": moved.to_dict()}),
        sheet=_motion_sheet(asked, answer, moved, verified=verified),
        **output.targets,
        rows=answer.rows,
        metadata=asked.metadata
        | {
            "proof_verified": verified,
            "acceleration_of_com": _acceleration_of_com(asked, answer),
        },
        picture=lambda: plots.motion(asked.scene, answer) if moved is None else plots.release_strip(asked.scene, moved),
        code=codes.get(answer.status.value, Exit.DOES_NOT_HOLD),
    )


STABILITY_EXIT_CODES = (
    "Exit codes: 0 stays, 1 may stay, moves, or no motion obeys the law, 2 bad input, 3 undecided, 130 interrupted, "
    "70 internal error."
)


@with_groups
def stability(
    question: SceneQuestion,
    output: Output,
    inertia: InertiaOption = None,
    time_limit: TimeLimit = None,
    node_limit: NodeLimit = None,
) -> None:
    """Strong stability: is rest the only motion that rigid contacts with Coulomb friction allow?

    If another motion is possible, it is shown; otherwise the proof is shown.
    """
    from .stability import strong_stability

    asked = _question(question, inertia)
    method = _search(time_limit, node_limit)
    answer = strong_stability(asked.scene.assembly, asked.case.wrench, asked.mass, method=method)
    verified = answer.verify()
    codes = {"stays": Exit.HOLDS, "undecided": Exit.UNDECIDED}
    other = answer.other_motion
    present(
        "stability",
        answer.to_dict(),
        sheet=_stability_sheet(asked, answer, verified=verified),
        **output.targets,
        rows=answer.rows,
        metadata=asked.metadata
        | {
            "proof_verified": verified,
            "acceleration_of_com": None if other is None else _acceleration_of_com(asked, other),
        },
        picture=lambda: plots.stability(asked.scene, answer),
        code=codes.get(answer.status.value, Exit.DOES_NOT_HOLD),
    )


def motions_in_space(
    question: SceneQuestion,
    output: Output,
    inertia: str | None,
    velocity: str | None,
    time_limit: float | None,
    node_limit: int | None,
) -> None:
    """`holdfast motions` of a scene in space: every acceleration of its object that Coulomb's law allows."""
    from .motion_sets import motions

    asked = _question(question, inertia)
    start, method = asked.velocity(velocity), _search(time_limit, node_limit)
    answer = motions(asked.scene.assembly, asked.case.wrench, asked.mass, start, method=method)
    verified = answer.verify()
    codes = {"unique": Exit.HOLDS, "undecided": Exit.UNDECIDED, "impact": Exit.UNDECIDED}
    present(
        "motions",
        answer.to_dict(),
        sheet=_motions_sheet(asked, answer, verified=verified),
        **output.targets,
        rows=answer.rows,
        metadata=asked.metadata | {"proof_verified": verified},
        picture=lambda: plots.motions(asked.scene, answer),
        code=codes.get(answer.status.value, Exit.DOES_NOT_HOLD),
    )


# -- sheets ----------------------------------------------------------------------------------------


def _separation_sheet(
    asked: _Question, answer: Separation, moved: Release | None, *, verified: bool
) -> Iterator[Block]:
    from .separations import sentences

    yield from asked.lines()
    status = answer.status.value
    if status in ("holds", "undecided"):
        yield heading(f"verdict: {status}", status)
    else:
        yield heading(f"verdict: does not hold, {status}", "does not hold")
    yield from (f"- {sentence}" for sentence in sentences(answer, asked.scene.com))
    if answer.acceleration is not None and not answer.holds:
        yield from _acceleration_lines(asked, answer)
        ends = f"at least {number(answer.lower_bound)}, gap {answer.gap:.1e}"
        yield f"acceleration squared, weighted by the masses: {number(answer.value)} N^2/kg ({ends})"
    yield from _contact_tables(answer)
    yield from _ending(answer, verified)
    if moved is not None:
        yield from _release_sheet(moved)


def _motion_sheet(asked: _Question, answer: CoulombMotion, moved: Release | None, *, verified: bool) -> Iterator[Block]:
    yield from asked.lines()
    status = answer.status.value
    yield heading(f"verdict: {status}", _COLOURS.get(status, "does not hold"))
    yield from (f"- {sentence}" for sentence in answer.sentences)
    yield from _motion_tables(asked, answer)
    yield from _ending(answer, verified)
    if moved is not None:
        yield from _release_sheet(moved)


#: The status of `check` that gives the colour of a verdict.
_COLOURS = {"rests": "holds", "stays": "holds", "unique": "holds", "undecided": "undecided", "may stay": "undecided"}


def _stability_sheet(asked: _Question, answer: StrongStability, *, verified: bool) -> Iterator[Block]:
    yield from asked.lines()
    status = answer.status.value
    yield heading(f"verdict: {status}", _COLOURS.get(status, "does not hold"))
    yield from (f"- {sentence}" for sentence in answer.sentences)
    if answer.other_motion is not None:
        yield heading("the other motion:" if status == "may stay" else "the motion:")
        yield from _motion_tables(asked, answer.other_motion)
    if answer.certificate is not None:
        yield f"proof: {counted(answer.certificate.leaves, 'case')} of contact modes, none with a motion"
    yield from _ending(answer, verified)


def _motions_sheet(asked: _Question, answer: CoulombMotions, *, verified: bool) -> Iterator[Block]:
    from ..planar.command import MOTION_DESCRIPTIONS

    yield from asked.lines()
    status = answer.status.value
    yield heading(f"verdict: {status}", _COLOURS.get(status, "does not hold"))
    yield f"- {(MOTION_DESCRIPTIONS | MORE_DESCRIPTIONS)[status]}"
    for count, piece in enumerate(answer.pieces[:MOST_PIECES], start=1):
        yield heading(f"{count}: {'one motion' if piece.is_point else 'a continuum that contains this motion'}")
        yield from _motion_tables(asked, piece.motion)
        if not piece.is_point:
            ends = zip(AXES, piece.lower, piece.upper, strict=True)
            rows = [(name, bound(float(low)), bound(float(high))) for name, low, high in ends]
            title = "Every motion of this piece lies within (point of the object at the world origin)"
            yield TableBlock(["acceleration", "at least", "at most"], rows, title=title)
    if len(answer.pieces) > MOST_PIECES:
        yield f"and {len(answer.pieces) - MOST_PIECES} more: --json"
    yield from _ending(answer, verified)


def _motion_tables(asked: _Question, answer: CoulombMotion) -> Iterator[Block]:
    """The acceleration and the contacts."""
    if answer.holds:
        yield "at rest"
    if answer.acceleration is not None and not answer.holds:
        yield from _acceleration_lines(asked, answer)
    yield from _contact_tables(answer)


def _acceleration_lines(asked: _Question, answer: Separation | CoulombMotion) -> Iterator[Block]:
    import numpy as np

    from .contact_states import AT_REST, acceleration_scale

    assert answer.acceleration is not None
    slow = AT_REST * acceleration_scale(answer)
    if asked.scene.bodies:
        rows = [
            (
                body.name,
                _triple(twist[:3] + np.cross(twist[3:], body.com), least=slow),
                _triple(twist[3:], least=slow / answer.assembly.length),
            )
            for body, twist in zip(asked.scene.bodies, answer.body_accelerations, strict=True)
        ]
        columns = ["body", "its centre of mass [m/s^2]", "angular [rad/s^2]"]
        yield TableBlock(columns, rows[:MOST_ROWS], title="Accelerations")
        if len(rows) > MOST_ROWS:
            yield f"and {len(rows) - MOST_ROWS} more"
        return
    linear, angular = answer.acceleration_at(asked.scene.com), answer.acceleration[3:]
    yield f"acceleration of the centre of mass: ({_triple(linear, least=slow)}) m/s^2"
    yield f"angular acceleration: ({_triple(angular, least=slow / answer.assembly.length)}) rad/s^2"


def _ending(answer: Any, verified: bool) -> Iterator[Block]:
    yield f"proof verified: {yes_no(verified)}"
    yield f"effort: {counted(answer.effort.nodes, 'node')}, {answer.effort.seconds:.2g} s"


def _acceleration_of_com(asked: _Question, answer: Separation | CoulombMotion) -> Any:
    """(3,) for one object; several bodies have theirs in `bodies`."""
    return None if answer.acceleration is None or asked.scene.bodies else answer.acceleration_at(asked.scene.com)


def _contact_tables(answer: Separation | CoulombMotion) -> Iterator[Block]:
    from .contact_states import AT_REST, UNLOADED, acceleration_scale

    if not answer.states:
        return
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
    columns = ["contact", "state", "f_x [N]", "f_y [N]", "f_z [N]", "a_x [m/s^2]", "a_y [m/s^2]", "a_z [m/s^2]"]
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
    columns = ["frame", "moved by [mm]", "turned [deg]", "contacts", "lost", "closed"]
    title = f"Motion that follows (illustrative), steps of at most {number(1e3 * moved.step, 3)} mm"
    yield TableBlock(columns, rows, title=title)
    yield moved.description


def _triple(values: Any, digits: int = 4, least: float = 0.0) -> str:
    """Three numbers; those up to `least`, or 1e-9 of the largest, as 0."""
    largest = max(abs(float(value)) for value in values)
    smallest = max(least, tolerances.FEASIBILITY * largest)
    return ", ".join(number(float(v) if abs(v) > smallest else 0.0, digits) for v in values)

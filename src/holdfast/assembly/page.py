"""Several bodies in the viewer: whether they hold, which interface fails, and how the bodies move if they do not.

Answers are functions of frozen data; `BodiesPage` draws them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from ..checks import Array
from ..compiling import clock
from ..errors import HoldfastError, InputError
from ..force_limits.volume import ForceVolume
from ..geometry.frames import Pose
from ..geometry.screws import displacement
from ..plotting import style
from ..plotting.solids import Solids
from ..scenes.page import LOAD_REACH, angles, direction, round_up, shape_mesh
from ..solvers import Exact, Status
from ..solvers.certificates import factor_bound, least_factor
from ..statics.diagnosis import Motion, amount
from ..statics.holding import Equilibrium, LoadLimit
from ..statics.paths import Onset, OnsetStatus, slip_onset
from ..statics.solver import WarmSolver
from ..statics.strength import RampLimit, bears_less_shear, largest_on_ramp
from ..web.marks import (
    Arrows,
    Colour,
    Dots,
    Drawing,
    Lines,
    Mark,
    Marks,
    Surface,
    Word,
    colour,
    framed,
    joined,
    mixed,
    polygons_mesh,
    ring,
    turn_lines,
)
from ..web.page import TIMES, Answer, AskingPage, PageEntry, Prose, ShownFile, Tone, Verdict
from ..web.worker import LatestOnly
from .assembly import Assembly, Interface
from .loads import STANDARD_GRAVITY
from .plots import (
    INTERFACE,
    LINK,
    MOST_NAMED,
    NEGLIGIBLE,
    ROOM,
    SLOWEST,
    WORLD_COLOUR,
    Subject,
    add_shape,
    contact_polygons,
    near,
    subject_of,
    summed_forces,
)

if TYPE_CHECKING:
    from ..dynamics.separations import Separation
    from ..scenes import Scene
    from ..web.page import PageContext

T = TypeVar("T")

#: Menu entries: every body, no load, and what the load factor can multiply.
EVERY, NONE = "all bodies", "none"
TOGETHER, WEIGHTS, LOAD, FORCE = "weights and loads together", "chosen weights", "load of the scene", "extra force"
GROWTHS = (TOGETHER, WEIGHTS, LOAD, FORCE)

#: Ends of the sliders of the factors on friction and masses.
LEAST_FRICTION, MOST_FRICTION, LEAST_MASS, MOST_MASS = 0.1, 3.0, 0.1, 5.0

#: Time limits [s] of a verdict, of a load factor with constant other loads, and of a motion; answers that are kept.
SECONDS, RAMP_SECONDS, MOTION_SECONDS, KEPT = 3.0, 1.0, 5.0, 16

#: Most contacts for which even forces are computed if volumes are unions; for convex volumes they are fast.
MOST_EVEN = 16

#: Number of steps, a power of two, in which the needed friction is found.
FRICTION_STEPS = 16

#: Most contacts for which it is found with the verdict; for more, when the controls are at rest.
QUICK = 100

#: The motion is computed once the controls have been at rest this long [s]; the verdict is shown before.
REST = 0.15

#: Steps of the tilt at which it slips, largest tilt and width of the bracket [deg].
TILT_STEP, LARGEST_TILT, TILT_TOLERANCE = 1.0, 90.0, 1e-3

#: Most bodies with a checkbox each for their weight; beyond, all weights grow or none.
MOST_CHECKBOXES = 40

#: Most interfaces and bodies that are named in the panel.
MOST_LINES = 3

#: Most contacts whose single forces are drawn at first, in addition to the sums over interfaces.
MOST_FORCES = 24

#: Sizes as shares of the size of what is drawn: longest force of an interface, longest load, shafts, dots, gravity.
LONGEST, LONGEST_LOAD, SHAFT, DOT, GRAVITY = 0.22, 0.3, 0.006, 0.016, 0.22

#: Names closer than this to another one move aside.
NAME_APART = 0.1

#: Bodies are drawn smaller about their middle by this factor, so that the interfaces between them are visible.
SHRUNK = 0.97

#: Distance that the fastest corner moves in the animation, as a share of the size of the drawing.
TRAVEL = 0.3

#: Colours of interfaces by their utilisation 0, 1/2 and 1, and without forces; number of steps; opacity.
IDLE, HALF, FULL, UNKNOWN = "#56B4E9", "#F0E442", "#D55E00", "#8A8A8A"
LEVELS, SHEET, SOLID = 10, 0.6, 0.12

#: The viewing direction of the camera.
TOWARDS = (-0.45, 1.0, -0.42)

TONES: dict[Status, Tone] = {Status.HOLDS: "good", Status.DOES_NOT_HOLD: "bad"}


# -- the state of the controls -----------------------------------------------------------------------


@dataclass(frozen=True)
class BodiesPageState:
    """The controls of the page.

    Attributes:
        tilt: angle of gravity from straight down (-z) [deg], 0 to 180.
        heading: direction in which it is tilted, about z from x [deg].
        friction: factor on the shear components of every force volume.
        heavy: the body whose mass has another factor, or "all bodies".
        mass: that factor.
        load: name of a load of the scene, "none" for none.
        factor: multiples of that load.
        pushed: the body with an extra force at its centre of mass, "" for the first.
        force: its size [N].
        force_tilt, force_heading: its direction, as for gravity [deg].
        grows: what the load factor multiplies, one of `GROWTHS`; the rest stays.
        growing: the bodies whose weight grows.
        names, contacts, loads: whether names of bodies, single contact forces and loads are drawn.
    """

    tilt: float = 0.0
    heading: float = 0.0
    friction: float = 1.0
    heavy: str = EVERY
    mass: float = 1.0
    load: str = NONE
    factor: float = 1.0
    pushed: str = ""
    force: float = 0.0
    force_tilt: float = 90.0
    force_heading: float = 0.0
    grows: str = TOGETHER
    growing: tuple[str, ...] = ()
    names: bool = True
    contacts: bool = True
    loads: bool = True

    @property
    def question(self) -> BodiesPageState:
        """The state without what only changes the picture."""
        return replace(self, names=True, contacts=True, loads=True)


def untilted(state: BodiesPageState) -> BodiesPageState:
    """The part of the state on which the slipping tilt depends: without tilt, load factor and picture."""
    return replace(state.question, tilt=0.0, grows=TOGETHER, growing=())


def initial_state(scene: Scene) -> BodiesPageState:
    """The scene as it is."""
    tilt, heading = angles(scene.gravity) if scene.gravity.any() else (0.0, 0.0)
    few = len(scene.assembly) <= MOST_FORCES
    names = scene.assembly.bodies
    return BodiesPageState(tilt, heading, pushed=names[0], growing=names, contacts=few, names=len(names) <= MOST_NAMED)


# -- answers -----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class BodiesAnswer:
    """The answer to a state of the controls.

    Attributes:
        state: the state.
        scene: under the gravity and with the friction of the state.
        wrench: (6 n,) weights and loads.
        growing: (6 n,) the part of it that the load factor multiplies.
        equilibrium: whether it holds.
        limit: the largest factor; None where nothing grows.
        seconds: time of building and solving.
        needed: a share of the friction that is sufficient for the forces drawn, in steps of 1 / `FRICTION_STEPS`; 1 if
            it does not hold or is not known, None if it has not been computed.
        note: on walls without friction; "" where all have.
    """

    state: BodiesPageState
    scene: Scene
    wrench: Array
    growing: Array
    equilibrium: Equilibrium
    limit: LoadLimit | RampLimit | None
    seconds: float
    needed: float | None = None
    note: str = ""

    @property
    def assembly(self) -> Assembly:
        """Contacts and joint rows."""
        return self.equilibrium.assembly

    @cached_property
    def uses(self) -> Array:
        """(i,) the largest share of its strength that a contact of each interface uses; nan without forces."""
        contacts = self.equilibrium.contact_forces
        if not contacts:
            return np.full(len(self.assembly.interfaces), np.nan)
        sizes = np.array([np.linalg.norm(contact.local) for contact in contacts])
        idle = sizes <= NEGLIGIBLE * sizes.max(initial=0.0)  # a force at rounding level may be at its limit
        uses = np.where(idle, 0.0, [contact.use for contact in contacts])
        return np.array([uses[list(side.contacts)].max() for side in self.assembly.interfaces])

    @cached_property
    def motion(self) -> Motion | None:
        """The motion of the proof: that it does not hold, or that no larger factor does; None without either."""
        asked = self.equilibrium if self.equilibrium.status is Status.DOES_NOT_HOLD else self.limit
        if (
            asked is None
            or asked.certificate is None
            or not asked.certificate.leaves
            or asked.status is Status.UNDECIDED
        ):
            return None
        leaves = asked.certificate.leaves
        if asked is not self.equilibrium:  # the part of the proof that gives the bound
            leaves = sorted(leaves, key=lambda leaf: -factor_bound(asked.problem, leaf.masks, leaf.multipliers))
        return Motion.from_multipliers(self.assembly, asked.problem, leaves[0].multipliers)

    @cached_property
    def gives_way(self) -> tuple[Interface, ...]:
        """The interfaces whose sides move relative to each other in `motion`, the fastest first."""
        motion = self.motion
        if motion is None:
            return ()
        found = [side for side in self.assembly.interfaces if motion.moves_across(side)]
        return tuple(sorted(found, key=lambda side: -self._speed(motion.across(side), side)))

    def _speed(self, twist: Array, side: Interface) -> float:
        at = self.assembly.positions[list(side.contacts)]
        return float(np.linalg.norm(twist[:3] + np.cross(twist[3:], at), axis=1).max())

    @cached_property
    def verdict(self) -> Verdict:
        """Status, load factor with its bound, the interfaces that fail, and the most used one."""
        status = self.equilibrium.status
        return Verdict(
            status.value,
            TONES.get(status, "open"),
            margin_words(self),
            self.seconds,
            (*way_words(self), *use_words(self), *([self.note] if self.note else [])),
        )


class BodiesQuestions:
    """Answers the states of one scene of several bodies; keeps the last answers and the solver's last bases.

    Args:
        scene: with `bodies`.
    """

    def __init__(self, scene: Scene) -> None:
        if not scene.bodies:
            fix = "the page of contacts shows one object; give bodies: in the scene file"
            raise InputError("has no bodies", where=scene.name or "scene", fix=fix)
        self.scene = scene
        self.subject = subject_of(scene)
        self._warm, self._weak = WarmSolver(Exact(time_limit=SECONDS)), WarmSolver(Exact(time_limit=SECONDS))
        self._bearing: WeakKeyDictionary[ForceVolume, bool] = WeakKeyDictionary()
        self._judged: dict[tuple[str, float], Scene] = {}
        self._rubbed: dict[tuple[float, str, float], Assembly] = {}
        self._known: dict[BodiesPageState, BodiesAnswer] = {}

    def answer(self, state: BodiesPageState) -> BodiesAnswer:
        """The answer to a state; InputError for a value out of range."""
        key = state.question
        if key not in self._known:
            while len(self._known) >= KEPT:
                self._known.pop(next(iter(self._known)))
            self._known[key] = self._computed(key)
        return replace(self._known[key], state=state) if state != key else self._known[key]

    def _computed(self, state: BodiesPageState) -> BodiesAnswer:
        start = clock()
        scene = self._scene(state, state.tilt)
        assembly, wrench = scene.assembly, self._load(state, scene)
        found, needed = self._warm.equilibrium(assembly, wrench), None
        if len(assembly) <= QUICK:
            found, needed = self._relaxed(found)
        elif self._has_even(assembly):
            found = found.even()
        growing = self._growing(state, scene)
        limit = None
        if growing.any() and state.grows == TOGETHER:
            limit = self._warm.load_limit(assembly, growing)
        elif growing.any():
            limit = largest_on_ramp(assembly, wrench - growing, growing, method=Exact(time_limit=RAMP_SECONDS))
        note = self._walls(state).wall_note
        return BodiesAnswer(state, scene, wrench, growing, found, limit, clock() - start, needed, note)

    def refined(self, answer: BodiesAnswer) -> BodiesAnswer:
        """The answer with forces that need little friction, if they have not been computed yet."""
        found, needed = self._relaxed(answer.equilibrium)
        return replace(answer, equilibrium=found, needed=needed)

    def _has_even(self, assembly: Assembly) -> bool:
        return assembly.layout.combinations == 1 or len(assembly) <= MOST_EVEN

    def _relaxed(self, found: Equilibrium) -> tuple[Equilibrium, float]:
        """The answer with even forces that need little friction, and the share of the friction that is sufficient.

        Found by bisection to `FRICTION_STEPS`, since volumes that bear a shear also bear all smaller ones.
        """
        assembly, share = found.assembly, 1.0
        if not found.holds or not self._has_even(assembly):
            return found, share
        best = found
        if all(self._bears(contact.volume) for contact in assembly.contacts):
            low = 0.0
            while (share - low) * FRICTION_STEPS > 1.0:
                middle = 0.5 * (low + share)
                scales = np.tile([middle, middle, 1.0], (len(assembly), 1))
                weak = self._weak.equilibrium(assembly, found.wrench, scales)
                low, share, best = (low, middle, weak) if weak.holds else (middle, share, best)
        best = best.even()
        made = replace(
            found, solution=replace(found.solution, forces=best.solution.forces, pieces=best.solution.pieces)
        )
        if not made.verify():
            return found, 1.0
        unique = best.forces_unique and made.even().forces_unique  # with less friction, and with all
        return replace(made, forces_unique=unique), share

    def _bears(self, volume: ForceVolume) -> bool:
        """Whether a volume that bears a shear also bears all smaller ones."""
        if volume not in self._bearing:
            self._bearing[volume] = bears_less_shear(volume)
        return self._bearing[volume]

    def separation(self, answer: BodiesAnswer) -> Separation:
        """The least acceleration of the bodies of an answer, with the masses of its state."""
        from ..dynamics.dissipation import Separating
        from ..dynamics.separations import separation

        mass = self.scene.mass_matrix() * np.repeat(self._masses(answer.state), 6)[:, None]
        return separation(answer.assembly, answer.wrench, mass, method=Separating(time_limit=MOTION_SECONDS))

    def onset(self, state: BodiesPageState, progress: Callable[[float], None]) -> Onset:
        """The tilt [rad] towards the heading of a state at which it slips, from 0 on; the tilt of the state is ignored.

        `progress` is called with every tilt [deg] that is tested, and may raise an error to stop.
        """

        def path(tilt: float) -> tuple[Assembly, Array]:
            progress(float(np.degrees(tilt)))
            scene = self._scene(state, float(np.degrees(tilt)))
            return scene.assembly, self._load(state, scene)

        step, stop, tolerance = np.radians([TILT_STEP, LARGEST_TILT, TILT_TOLERANCE])
        return slip_onset(path, 0.0, float(stop), step=float(step), tolerance=float(tolerance))

    # -- the question of a state ----------------------------------------------------------------------

    def _scene(self, state: BodiesPageState, tilt: float) -> Scene:
        """The scene with the friction of a state, under gravity at a tilt [deg]."""
        if not LEAST_FRICTION <= state.friction <= MOST_FRICTION:
            fix = f"give from {LEAST_FRICTION:g} to {MOST_FRICTION:g}"
            raise InputError(f"is {state.friction}", where="friction scale", fix=fix)
        scene, key = self._walls(state), (state.friction, state.load, state.factor)
        if state.friction != 1.0:
            if key not in self._rubbed:
                while len(self._rubbed) >= KEPT:
                    self._rubbed.pop(next(iter(self._rubbed)))
                self._rubbed[key] = scene.assembly.with_volumes(lambda v: v.stretched(state.friction))
            scene = replace(scene, assembly=self._rubbed[key])
        size = float(np.linalg.norm(scene.gravity)) or STANDARD_GRAVITY
        return scene.with_gravity(size * direction(tilt, state.heading))

    def _walls(self, state: BodiesPageState) -> Scene:
        """The scene with friction at those walls that its weight and the load of a state squeeze."""
        if not self.scene.found or state.load == NONE:
            return self.scene
        key = (state.load, state.factor)
        if key not in self._judged:
            while len(self._judged) >= KEPT:
                self._judged.pop(next(iter(self._judged)))
            self._judged[key] = self.scene.squeezed(self._named(state))
        return self._judged[key]

    def _masses(self, state: BodiesPageState) -> Array:
        """(n,) factors on the masses."""
        if not LEAST_MASS <= state.mass <= MOST_MASS:
            raise InputError(f"is {state.mass}", where="mass factor", fix=f"give from {LEAST_MASS:g} to {MOST_MASS:g}")
        factors = np.ones(len(self.scene.bodies))
        factors[slice(None) if state.heavy == EVERY else self._number(state.heavy)] = state.mass
        return factors

    def _number(self, body: str) -> int:
        return self.scene.assembly.bodies.index(self.scene.body(body).name)

    def _weights(self, state: BodiesPageState, scene: Scene) -> Array:
        """(n, 6) weights of the bodies."""
        return scene.gravity_load().reshape(-1, 6) * self._masses(state)[:, None]

    def _force(self, state: BodiesPageState) -> Array:
        """(6 n,) the extra force at the centre of mass of its body."""
        if not (np.isfinite(state.force) and state.force >= 0.0):
            raise InputError(f"is {state.force}", where="extra force", fix="give newtons, not negative")
        body = self.scene.body(state.pushed or self.scene.assembly.bodies[0])
        force = state.force * direction(state.force_tilt, state.force_heading)
        return self.scene.assembly.stacked({body.name: np.concatenate([force, np.cross(body.com, force)])})

    def _named(self, state: BodiesPageState) -> Array:
        """(6 n,) the multiple of a load of the scene."""
        if state.load == NONE and NONE not in self.scene.loads:
            return np.zeros(6 * len(self.scene.bodies))
        return state.factor * self.scene.load(state.load)

    def _load(self, state: BodiesPageState, scene: Scene) -> Array:
        """(6 n,) everything that acts."""
        return self._weights(state, scene).reshape(-1) + self._named(state) + self._force(state)

    def _growing(self, state: BodiesPageState, scene: Scene) -> Array:
        """(6 n,) what the load factor multiplies."""
        if state.grows not in GROWTHS:
            raise InputError(f"is {state.grows!r}", where="what grows", fix=f"choose from: {', '.join(GROWTHS)}")
        if state.grows == TOGETHER:
            return self._load(state, scene)
        if state.grows == LOAD:
            return self._named(state)
        if state.grows == FORCE:
            return self._force(state)
        chosen = np.zeros((len(scene.bodies), 1))
        chosen[[self._number(name) for name in state.growing]] = 1.0
        return (chosen * self._weights(state, scene)).reshape(-1)


# -- words ------------------------------------------------------------------------------------------


def margin_words(answer: BodiesAnswer) -> str:
    """The load factor with its bound, in words."""
    state, limit = answer.state, answer.limit
    if limit is None:
        missing = {
            TOGETHER: "no load",
            WEIGHTS: "choose a body under 'Weights that grow'",
            LOAD: "choose a load of the scene",
            FORCE: "move the slider of the extra force",
        }
        return f"no load factor: {missing[state.grows]}"
    names = state.growing
    what = {
        TOGETHER: "weights and loads together",
        WEIGHTS: "all weights" if len(names) == len(answer.assembly.bodies) else f"weight of {listed(names)}",
        LOAD: f"load {state.load}",
        FORCE: f"force on {state.pushed}",
    }[state.grows]
    if limit.status is Status.UNBOUNDED:
        return f"load factor of {what}: no limit"
    if limit.status is Status.DOES_NOT_HOLD or (limit.value == -np.inf and limit.status is not Status.UNDECIDED):
        return f"load factor of {what}: no multiple is held"
    if limit.status is Status.UNDECIDED:
        low = "unknown" if limit.value == -np.inf else f"at least {amount(limit.value, 4)}"
        high = "" if limit.upper_bound == np.inf else f", at most {amount(limit.upper_bound, 4)}"
        return f"load factor of {what}: {low}{high} (undecided)"
    if max(abs(limit.value), abs(limit.upper_bound)) <= 10.0 * least_factor(limit.problem):
        return f"load factor of {what}: 0, no part of it is held"
    words = f"load factor of {what}: {amount(limit.value, 4)} (proven bound {amount(limit.upper_bound, 4)})"
    union = any(len(contact.volume) > 1 for contact in answer.assembly.contacts)
    return f"{words}; smaller factors may not hold" if union and isinstance(limit, RampLimit) else words


def listed(names: tuple[str, ...]) -> str:
    """Names in words: the first `MOST_LINES`, and how many more."""
    more = len(names) - MOST_LINES
    return ", ".join(names[:MOST_LINES]) + (f" and {more} more" if more > 0 else "")


def way_words(answer: BodiesAnswer) -> tuple[str, ...]:
    """Which interfaces fail, and how: in the proof that it does not hold, or at the largest load factor."""
    motion, sides = answer.motion, answer.gives_way
    if motion is None or not sides:
        return ()
    when = "gives way" if answer.equilibrium.status is Status.DOES_NOT_HOLD else "gives way at the largest factor"
    first = f"{sides[0].name} {when}: {sides[0].body} {motion.across_description(sides[0])}"
    rest = listed(tuple(side.name for side in sides[1:]))
    return (first, f"so {'does' if len(sides) == 2 else 'do'} {rest}") if rest else (first,)


def use_words(answer: BodiesAnswer) -> tuple[str, ...]:
    """The interface whose contacts use most of their strength under the forces drawn."""
    uses = answer.uses
    if not np.isfinite(uses).any() or float(np.nanmax(uses)) == 0.0:
        return ()
    most = int(np.nanargmax(uses))
    lines = [f"most used under the forces drawn: {answer.assembly.interfaces[most].name}, {100.0 * uses[most]:.0f} %"]
    if answer.needed is not None and answer.needed < 1.0:
        lines.append(f"{100.0 * answer.needed:.0f} % of the friction is sufficient")
    return tuple(lines)


def motion_words(found: Separation, scene: Scene) -> tuple[str, ...]:
    """How fast the bodies accelerate at their centres of mass, the fastest first; or why that is not known."""
    from ..dynamics.separations import SeparationStatus

    if found.acceleration is None or found.status in (SeparationStatus.PENETRATES, SeparationStatus.HOLDS):
        words = {
            SeparationStatus.PENETRATES: "no admissible forces prevent penetration at the contacts",
            SeparationStatus.HOLDS: "it is at its limit: forces balance within rounding errors",
        }
        return (f"how it moves: {words.get(found.status, 'not found in time')}",)
    coms = np.array([body.com for body in scene.bodies])
    twists = found.body_accelerations
    speeds = np.linalg.norm(twists[:, :3] + np.cross(twists[:, 3:], coms), axis=1)
    turns, length = np.linalg.norm(twists[:, 3:], axis=1), found.assembly.length
    order = np.argsort(-speeds, kind="stable")
    moving = [i for i in order if speeds[i] > SLOWEST * speeds.max()]
    lines = []
    for i in moving[:MOST_LINES]:
        turn = f", turns with {amount(turns[i])} rad/s^2" if turns[i] * length > SLOWEST * speeds[i] else ""
        lines.append(f"{scene.bodies[i].name}: {amount(speeds[i])} m/s^2{turn}")
    if len(moving) > MOST_LINES:
        lines.append(f"{len(moving) - MOST_LINES} more bodies move")
    known = "" if found.status is SeparationStatus.SEPARATES else " (best found in time)"
    return (f"initial accelerations (principle of least acceleration){known}:", *lines)


def onset_words(found: Onset, state: BodiesPageState) -> str:
    """The tilt at which it slips, in words."""
    low, high = np.degrees(found.bracket)
    towards = f"towards heading {state.heading:g} deg"
    if found.status is OnsetStatus.HOLDS_THROUGHOUT:
        return f"It holds up to a tilt of {LARGEST_TILT:g} deg {towards}."
    if found.status is OnsetStatus.FAILS_AT_START:
        return "It does not hold even without a tilt."
    if found.status is not OnsetStatus.SLIPS:
        return f"Undecided {towards}: {found.status.value}."
    words = f"**Slips at {high:.3f} deg** {towards}: it holds at {low:.3f} deg, proven."
    if found.curved is not None:
        round_low, round_high = np.degrees(found.curved.bracket)
        words += f" With round friction cones between {round_low:.3f} and {round_high:.3f} deg."
    failed = found.failed
    if failed is not None and failed.certificate is not None and failed.certificate.leaves:
        motion = Motion.from_multipliers(failed.assembly, failed.problem, failed.certificate.leaves[0].multipliers)
        sides = tuple(side.name for side in failed.assembly.interfaces if motion.moves_across(side))
        words += f" Then {listed(sides)} give{'s' if len(sides) == 1 else ''} way." if sides else ""
    return words


def notes(answer: BodiesAnswer) -> str:
    """The meaning of colours and arrows."""
    words = ["**Sheets between bodies**: interfaces, blue unused, yellow half used, orange at their limit; "]
    words += ["grey without forces. **Orange rim**: gives way. **Blue arrows**: force across a surface on the body "]
    words += ["named first in its interface"]
    words += [", **dark arrows**: of its contacts" if answer.state.contacts else ""]
    words += [". **Purple**: weights and loads." if answer.state.loads else "."]
    if not answer.equilibrium.holds:
        words.append(" **Orange bodies**: initial motion, not to scale.")
    elif not answer.equilibrium.forces_unique:
        words.append(" The contact forces are not unique.")
    return "".join(words)


# -- marks ------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class BodiesShapes:
    """The fixed part of the drawing: corners and triangles of the bodies, the world, and the interfaces.

    Attributes:
        faces: (vertices (v, 3), triangles (f, 3)) of each body, at its position; empty without a shape.
        edges: (e, 2, 3) edges of each body, or lines from its centre to its contacts without a shape.
        world: polygons of what does not move.
        sheets: polygons (m, 3) of each interface with the numbers of their contacts; lines have 2 corners, points 1.
    """

    faces: tuple[tuple[Array, Array], ...]
    edges: tuple[Array, ...]
    world: tuple[Array, ...]
    sheets: tuple[tuple[tuple[Array, tuple[int, ...]], ...], ...]

    @cached_property
    def solid(self) -> Array:
        """(n, 3) corners of the bodies."""
        return np.concatenate([edge.reshape(-1, 3) for edge in self.edges])

    @cached_property
    def size(self) -> float:
        """Extent of the bodies [m]."""
        return float(np.ptp(self.solid, axis=0).max()) or 0.1


def shapes_of(subject: Subject) -> BodiesShapes:
    """The shapes of a scene with several bodies."""
    assembly, faces, edges = subject.assembly, [], []
    for number, body in enumerate(subject.bodies):
        own = assembly.positions[(assembly.sides == number).any(axis=1)]
        if body.shape is None:
            faces.append(polygons_mesh(()))
            edges.append(np.array([(body.center, point) for point in own]))
        else:
            mesh, lines = shape_mesh(body.shape, own, far=np.inf)
            faces.append(mesh)
            edges.append(lines if len(lines) else mesh[0][mesh[1]][:, [0, 1]])
    held = np.concatenate([assembly.positions, *(edge.reshape(-1, 3) for edge in edges)])
    world: list[Array] = []
    for shape in subject.world:
        solids = Solids()
        add_shape(solids, shape)
        world += near(solids, held, far=ROOM).polygons
    sheets = []
    for side in assembly.interfaces:
        parts = contact_polygons([assembly.contacts[i] for i in side.contacts])
        sheets.append(tuple((part, tuple(side.contacts[i] for i in own)) for part, own in parts))
    return BodiesShapes(tuple(faces), tuple(edges), tuple(world), tuple(sheets))


def bodies_marks(answer: BodiesAnswer, shapes: BodiesShapes, subject: Subject) -> dict[str, Mark]:
    """Everything that is not animated: interfaces, forces, loads, bodies, the world, names and gravity."""
    # Browsers draw transparent surfaces in the order of creation: inner ones come first.
    marks = _interface_marks(answer, shapes)
    marks |= _force_marks(answer, shapes)
    if subject.links:
        marks["links"] = Lines(np.concatenate([joined(line) for line in subject.links]), colour(LINK), 5.0)
    marks |= _body_marks(shapes, subject)
    if shapes.world:
        marks["world/faces"] = Surface(*polygons_mesh(shapes.world), colour(WORLD_COLOUR), 0.35)
    if answer.state.names:
        places = np.zeros((0, 3))
        for number, body in enumerate(subject.bodies):
            place = np.asarray(body.center)
            while (np.linalg.norm(places - place, axis=1) < NAME_APART * shapes.size).any():
                place = place + np.array([NAME_APART * shapes.size, 0.0, 0.0])
            places = np.vstack([places, place])
            marks[f"names/{number}"] = Word(body.name, _triple(place))
    return marks | _gravity_marks(answer, shapes)


def use_colour(use: float) -> Colour:
    """Colour of an interface by its utilisation from 0 to 1; grey for nan."""
    if np.isnan(use):
        return colour(UNKNOWN)
    low, high = (IDLE, HALF) if use < 0.5 else (HALF, FULL)
    return mixed(colour(low), colour(high), 2.0 * use - (use >= 0.5))


def _interface_marks(answer: BodiesAnswer, shapes: BodiesShapes) -> dict[str, Mark]:
    levels: dict[float, list[Array]] = {}
    rims: list[Array] = []
    loose = {side.contacts for side in answer.gives_way}
    for side, use, sheets in zip(answer.assembly.interfaces, answer.uses, shapes.sheets, strict=True):
        parts = [part for part, _ in sheets]
        level = np.nan if np.isnan(use) else round(LEVELS * float(use)) / LEVELS
        level = -1.0 if np.isnan(level) else level
        levels.setdefault(level, []).extend(parts)
        if side.contacts in loose:
            rims += [ring(part) for part in parts if len(part) > 1]
    marks: dict[str, Mark] = {}
    for level, parts in sorted(levels.items()):
        tint = use_colour(np.nan if level < 0.0 else level)
        name = f"interfaces/{'without forces' if level < 0.0 else f'{100.0 * level:.0f} %'}"
        flat = [part for part in parts if len(part) > 2]
        if flat:
            marks[name] = Surface(*polygons_mesh(flat), tint, SHEET)
        if lines := [part for part in parts if len(part) == 2]:
            marks[f"{name} lines"] = Lines(np.array(lines), tint, 5.0)
        if points := [part for part in parts if len(part) == 1]:
            marks[f"{name} points"] = Dots(np.concatenate(points), tint, 1.5 * DOT * shapes.size)
    if rims:
        marks["interfaces/give way"] = Lines(np.concatenate(rims), colour(FULL), 3.0)
    return marks


def _force_marks(answer: BodiesAnswer, shapes: BodiesShapes) -> dict[str, Mark]:
    """Forces of contacts and across sheets, and the loads, in one scale; a load longer than that is shortened."""
    assembly, forces, state, size = answer.assembly, answer.equilibrium.forces, answer.state, shapes.size
    loads = answer.wrench.reshape(-1, 6)
    longest, marks = float(np.linalg.norm(loads[:, :3], axis=1).max()), {}
    points = sums = np.zeros((0, 3))
    if forces is not None:
        groups = [own for parts in shapes.sheets for _, own in parts if len(own) > 1 or not state.contacts]
        points, sums = summed_forces(assembly, forces, groups)
        single = float(np.linalg.norm(forces, axis=1).max(initial=0.0)) if state.contacts else 0.0
        longest = max(float(np.linalg.norm(sums, axis=1).max(initial=0.0)), single) or longest
    scale = LONGEST * size / (longest or 1.0)
    if forces is not None:
        marks["forces/interfaces"] = _arrows(points, scale * sums, INTERFACE, 1.5 * SHAFT * size)
        if state.contacts:
            hot = np.array([contact.use >= 1.0 for contact in answer.equilibrium.contact_forces])
            for name, chosen, tint in (("contacts", ~hot, style.FORCE), ("contacts at limit", hot, style.LIMIT)):
                marks[f"forces/{name}"] = _arrows(
                    assembly.positions[chosen], scale * forces[chosen], tint, 0.7 * SHAFT * size
                )
    if state.loads:
        coms = np.array([body.com for body in answer.scene.bodies])
        lengths = np.linalg.norm(loads[:, :3], axis=1)
        shorter = np.minimum(1.0, LONGEST_LOAD * size / np.maximum(scale * lengths, 1e-300))
        marks["loads/forces"] = _arrows(coms, (scale * shorter)[:, None] * loads[:, :3], style.LOAD, SHAFT * size)
        torques = loads[:, 3:] - np.cross(coms, loads[:, :3])
        large = np.linalg.norm(torques, axis=1) > NEGLIGIBLE * size * max(longest, 1e-300)
        rings = [turn_lines(com, torque, 0.06 * size) for com, torque in zip(coms[large], torques[large], strict=True)]
        marks["loads/torques"] = Lines(np.concatenate([np.zeros((0, 2, 3)), *rings]), colour(style.LOAD), 3.0)
    return marks


def _arrows(points: Array, ways: Array, tint: str, radius: float) -> Arrows:
    """Arrows from points (n, 3) along ways (n, 3); negligible ones are left out."""
    lengths = np.linalg.norm(ways, axis=1)
    shown = lengths > NEGLIGIBLE * lengths.max(initial=0.0)
    return Arrows(np.stack([points[shown], (points + ways)[shown]], axis=1), colour(tint), radius)


def _body_marks(shapes: BodiesShapes, subject: Subject) -> dict[str, Mark]:
    """The bodies, those of one colour as one surface, somewhat smaller than they are."""
    marks: dict[str, Mark] = {}
    count = len(style.PALETTE)
    for tint in range(min(count, len(subject.bodies))):
        own = range(tint, len(subject.bodies), count)
        vertices, triangles = _merged([_shrunk(shapes.faces[i], subject.bodies[i].center) for i in own])
        shade = colour(style.colour(tint))
        marks[f"bodies/faces {tint}"] = Surface(vertices, triangles, shade, SOLID)
        edges = [_scaled(shapes.edges[i], subject.bodies[i].center) for i in own]
        marks[f"bodies/edges {tint}"] = Lines(np.concatenate(edges), mixed(shade, (0, 0, 0), 0.45), 1.4)
    return marks


def _scaled(points: Array, center: Array) -> Array:
    return center + SHRUNK * (points - center)


def _shrunk(mesh: tuple[Array, Array], center: Array) -> tuple[Array, Array]:
    return _scaled(mesh[0], center), mesh[1]


def _merged(meshes: list[tuple[Array, Array]]) -> tuple[Array, Array]:
    starts = np.cumsum([0, *(len(vertices) for vertices, _ in meshes)])
    faces = [triangles + start for (_, triangles), start in zip(meshes, starts[:-1], strict=True)]
    return np.concatenate([vertices for vertices, _ in meshes]), np.concatenate(faces)


def _gravity_marks(answer: BodiesAnswer, shapes: BodiesShapes) -> dict[str, Mark]:
    """The direction of gravity, next to the bodies."""
    gravity, size = answer.scene.gravity, shapes.size
    low, high = shapes.solid.min(axis=0), shapes.solid.max(axis=0)
    start = np.array([low[0] - 0.3 * size, low[1], high[2]])
    end = start + GRAVITY * size * gravity / float(np.linalg.norm(gravity))
    arrow = Arrows(np.array([[start, end]]), colour(style.INK), 1.2 * SHAFT * size)
    return {"gravity/arrow": arrow, "gravity/word": Word("gravity", _triple(start), "bottom-center")}


def moved_marks(found: Separation, shapes: BodiesShapes) -> Callable[[float], Marks]:
    """The bodies that move, as orange copies, at a time from 0 to 1: along their accelerations, not to scale."""
    twists = found.body_accelerations
    fastest = np.zeros(len(twists))
    for number, (twist, edges) in enumerate(zip(twists, shapes.edges, strict=True)):
        corners = edges.reshape(-1, 3)
        fastest[number] = np.linalg.norm(twist[:3] + np.cross(twist[3:], corners), axis=1).max(initial=0.0)
    moving = np.nonzero(fastest > SLOWEST * fastest.max(initial=0.0))[0] if fastest.any() else []
    reach = TRAVEL * shapes.size / (float(fastest.max(initial=0.0)) or 1.0)
    tint = colour(style.MOTION)

    def at(moment: float) -> Marks:
        poses = {int(i): displacement(moment**2 * reach * twists[i]) for i in moving}
        if not poses:
            return {}
        vertices, triangles = _merged(
            [(pose.apply(shapes.faces[i][0]), shapes.faces[i][1]) for i, pose in poses.items()]
        )
        edges = [_turned(pose, shapes.edges[i]) for i, pose in poses.items()]
        return {
            "moved/faces": Surface(vertices, triangles, tint, 0.25),
            "moved/edges": Lines(np.concatenate(edges), tint, 2.0),
        }

    return at


def _turned(pose: Pose, lines: Array) -> Array:
    return pose.apply(lines.reshape(-1, 3)).reshape(-1, 2, 3)


def _triple(point: Array) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in point)
    return x, y, z


def bodies_answer(state: BodiesPageState, questions: BodiesQuestions, shapes: BodiesShapes) -> Answer:
    """The bodies with their verdict, interfaces coloured by utilisation, forces and loads."""
    found = questions.answer(state)
    marks = bodies_marks(found, shapes, questions.subject)
    up = np.array([0.0, 0.0, LONGEST * shapes.size])
    gravity = Drawing(_gravity_marks(found, shapes)).corners
    room = np.vstack([shapes.solid, shapes.solid + up, gravity])
    return Answer(found.verdict, Drawing(marks, framed(room, TOWARDS)), questions.scene.name, notes(found))


# -- the page ---------------------------------------------------------------------------------------


class _GivenUp(HoldfastError):
    """The search was stopped because the controls have changed."""


class BodiesPage(AskingPage[BodiesPageState]):
    """Several bodies in contact.

    Args:
        context: of the browser.
        scene: reads the scene, at first and when it is read again.
    """

    title = "Several bodies"

    def __init__(self, context: PageContext, scene: Callable[[], Scene]) -> None:
        super().__init__(context)
        self._read = scene
        self._handles: dict[str, Any] = {}
        self._chosen: dict[str, Any] = {}
        self._onset_notes: Prose | None = None
        self._found: BodiesAnswer | None = None
        self._tilted: BodiesPageState | None = None
        self._later = LatestOnly(context.report, name="viewer motion")
        self._search = LatestOnly(context.report, name="viewer onset")
        self._gone = threading.Event()
        self._take(scene())

    def _take(self, scene: Scene) -> None:
        self._questions = BodiesQuestions(scene)
        self._shapes = shapes_of(self._questions.subject)

    # -- controls -------------------------------------------------------------------------------------

    def add_controls(self) -> None:
        """Gravity and masses, loads, friction, what grows, the tilt at which it slips, and what is drawn."""
        gui, scene = self.context.client.gui, self._questions.scene
        start, names, add = initial_state(scene), scene.assembly.bodies, self._handles
        with self.keep(gui.add_folder("Gravity and masses")):
            add["tilt"] = self._slider("Gravity tilt [deg]", 0.0, 180.0, 1.0, start.tilt, "angle from straight down")
            add["heading"] = self._slider("Gravity heading [deg]", -180.0, 180.0, 1.0, start.heading, "about z, from x")
            add["heavy"] = self.asks(gui.add_dropdown("Mass of", (EVERY, *names), initial_value=EVERY))
            add["mass"] = self._slider("Mass factor", LEAST_MASS, MOST_MASS, 0.05, 1.0, "times the mass of the scene")
            hint = "gravity is tilted from straight down towards the heading; all other controls stay"
            button = self.keep(gui.add_button("Find the tilt at which it slips", hint=hint))
            button.on_click(lambda _: self._find_onset())
            self._onset_notes = self.keep(Prose(self.context.client))
        with self.keep(gui.add_folder("Loads")):
            if scene.loads:
                add["load"] = self.asks(gui.add_dropdown("Load of the scene", (NONE, *scene.loads), initial_value=NONE))
                add["factor"] = self._slider("Times that load", -5.0, 5.0, 0.05, 1.0, "negative: reversed")
            add["pushed"] = self.asks(gui.add_dropdown("Extra force on", names, initial_value=names[0]))
            heaviest = max(body.mass for body in scene.bodies) * STANDARD_GRAVITY
            most = round_up(LOAD_REACH * heaviest)
            add["force"] = self._slider("Extra force [N]", 0.0, most, most / 500.0, 0.0, "at the centre of mass")
            add["force_tilt"] = self._slider("Force tilt [deg]", 0.0, 180.0, 1.0, 90.0, "angle from straight down")
            add["force_heading"] = self._slider("Force heading [deg]", -180.0, 180.0, 1.0, 0.0, "about z, from x")
        with self.keep(gui.add_folder("Contacts")):
            hint = "factor on the shear components of every force volume"
            add["friction"] = self._slider("Friction scale", LEAST_FRICTION, MOST_FRICTION, 0.05, 1.0, hint)
        with self.keep(gui.add_folder("Load factor")):
            hint = "what the load factor multiplies; other loads stay constant"
            add["grows"] = self.asks(gui.add_dropdown("What grows", GROWTHS, initial_value=TOGETHER, hint=hint))
            if len(names) <= MOST_CHECKBOXES:
                with self.keep(gui.add_folder("Weights that grow", expand_by_default=False)):
                    for name in names:
                        self._chosen[name] = self.asks(gui.add_checkbox(f"Weight of {name}", initial_value=True))
        with self.keep(gui.add_folder("View", expand_by_default=False)):
            for key, words in (("names", "Names"), ("contacts", "Contact forces"), ("loads", "Weights and loads")):
                add[key] = self.asks(gui.add_checkbox(words, initial_value=getattr(start, key)))
            self.keep(gui.add_button("Read the file again")).on_click(lambda _: self._reload())

    def _slider(self, label: str, low: float, high: float, step: float, value: float, hint: str) -> Any:
        gui = self.context.client.gui
        return self.asks(gui.add_slider(label, min(low, value), max(high, value), step, value, hint=hint))

    def state(self) -> BodiesPageState:
        """The state of the controls."""
        values: Mapping[str, Any] = {name: handle.value for name, handle in self._handles.items()}
        start = initial_state(self._questions.scene)
        chosen = tuple(name for name, box in self._chosen.items() if box.value) if self._chosen else start.growing
        return replace(start, **values, growing=chosen)

    def _reload(self) -> None:
        """Read the scene again; for a faulty file an error is shown and the previous scene is kept."""
        try:
            scene = self._read()
            same = scene.assembly.bodies == self._questions.scene.assembly.bodies
            if not same or tuple(scene.loads) != tuple(self._questions.scene.loads):
                fix = "open the page again from the menu: choose another page, then this one"
                raise InputError("has other bodies or loads than before", where=scene.name or "scene", fix=fix)
            self._take(scene)
        except HoldfastError as error:
            self.context.report(error)
            return
        self.ask()

    # -- answers --------------------------------------------------------------------------------------

    def ask(self) -> None:
        """Ask for an answer to the controls as they are now; results of earlier states are removed."""
        if self._is_open and self._tilted is not None and self._tilted != untilted(self.state()):
            self._tilted = None
            self._say("")
        super().ask()

    def answer(self, state: BodiesPageState) -> Answer:
        """The verdict and the forces."""
        self._found = self._questions.answer(state)
        return bodies_answer(state, self._questions, self._shapes)

    def shown(self, answer: Answer) -> None:
        """When the controls are at rest, compute the motion if it does not hold, and better forces if it does."""
        found = self._found
        if found is not None and found.equilibrium.status is Status.DOES_NOT_HOLD:
            self._later.ask(lambda: self._resting(found, self._questions.separation), self._show_motion)
        elif found is not None and found.needed is None:
            self._later.ask(lambda: self._resting(found, self._questions.refined), self._show_refined)

    def close(self) -> None:
        """Stop what runs and remove what was added."""
        self._gone.set()
        self._is_open = False
        self._later.close()
        self._search.close()
        super().close()

    # -- computed when the controls are at rest ---------------------------------------------------------

    def _shows(self, answer: BodiesAnswer) -> bool:
        """Whether the page is open and still shows this answer."""
        return self._is_open and self._found is answer and self.state() == answer.state

    def _resting(self, answer: BodiesAnswer, more: Callable[[BodiesAnswer], T]) -> tuple[BodiesAnswer, T] | None:
        """The result of `more` for an answer, unless the controls change in the meantime."""
        return None if self._gone.wait(REST) or not self._shows(answer) else (answer, more(answer))

    def _show_refined(self, found: tuple[BodiesAnswer, BodiesAnswer] | None, _: int) -> None:
        with self._lock:
            if found is not None and self._shows(found[0]):
                self._canvas.show(bodies_marks(found[1], self._shapes, self._questions.subject))
                self.context.verdict.show(found[1].verdict, self.context.verdict.request)

    def _show_motion(self, found: tuple[BodiesAnswer, Separation] | None, _: int) -> None:
        with self._lock:
            if found is None or not self._shows(found[0]):
                return
            answer, motion = found
            lines = (*answer.verdict.lines, *motion_words(motion, answer.scene))
            self.context.verdict.show(replace(answer.verdict, lines=lines), self.context.verdict.request)
            moving = moved_marks(motion, self._shapes)
            if moving(1.0):
                self._animation.play([(moving, moment) for moment in TIMES])

    def _find_onset(self) -> None:
        """Search the tilt at which it slips; the search stops when another control than the tilt changes."""
        state = untilted(self.state())
        self._search.ask(lambda: self._onset(state), self._show_onset)

    def _onset(self, state: BodiesPageState) -> tuple[BodiesPageState, Onset] | None:
        def progress(tilt: float) -> None:
            if self._gone.is_set() or untilted(self.state()) != state:
                raise _GivenUp("the controls have changed")
            self._say(f"Searching: gravity tilted by {tilt:.2f} deg ...")

        questions = BodiesQuestions(self._questions.scene)  # with its own solvers: the page continues to answer
        try:
            return state, questions.onset(state, progress)
        except _GivenUp:
            self._say("")
            return None

    def _show_onset(self, found: tuple[BodiesPageState, Onset] | None, _: int) -> None:
        if found is not None and untilted(self.state()) == found[0]:
            self._tilted = found[0]
            self._say(onset_words(found[1], found[0]))

    def _say(self, words: str) -> None:
        if self._is_open and self._onset_notes is not None:
            self._onset_notes.content = words
            self.context.client.flush()


def scene_entry(read: Callable[[], Scene], key: str, title: str, summary: str = "") -> PageEntry:
    """The entry of a scene with several bodies, which `read` gives."""
    return PageEntry(
        key, title, "Several bodies", summary or f"The scene `{title}`.", lambda context: BodiesPage(context, read)
    )


def file_entry(path: str | Path) -> PageEntry:
    """The entry of a scene file with several bodies, or of a ready one "@name"."""
    name = str(path)
    ready = name.startswith("@")
    title = name[1:].replace("_", " ") if ready else Path(path).name
    return scene_entry(_reader(name), name[1:].replace("_", "-") if ready else "scene", title)


def file_pages(file: ShownFile) -> tuple[PageEntry, ...]:
    """The page of a scene with several bodies."""
    return (file_entry(file.name),) if file.content.bodies else ()


def _reader(name: str) -> Callable[[], Scene]:
    def read() -> Scene:
        from ..scenes import load_scene

        return load_scene(name)

    return read


ENTRIES: tuple[PageEntry, ...] = tuple(
    scene_entry(_reader(f"@{name}"), name.replace("_", "-"), title, summary)
    for name, title, summary in (
        ("stacked_cubes", "Two stacked cubes", "On a table that tilts: they tip together at 26.57 degrees."),
        (
            "pallet",
            "Twenty boxes on a pallet",
            "On a truck that brakes: tilt gravity; from 21.8 degrees on the boxes slide.",
        ),
        ("arch", "Arch of nine stones", "It stands under its own weight. Add a load at the crown or on one side."),
        ("sheets_in_two_grippers", "Two sheets in two grippers", "Clamped by friction on three surfaces; pull."),
    )
)

"""The contacts page: a gripper or a scene file, its force volumes, the forces that hold it, or how it moves."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property, partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from ..assembly.assembly import Assembly
from ..assembly.loads import STANDARD_GRAVITY, gravity_wrench, sphere_directions
from ..assembly.plots import subject_of
from ..checks import Array, BoolArray, IntArray
from ..compiling import clock
from ..errors import InputError
from ..force_limits.measurements import has_forces
from ..force_limits.volume import ForceVolume
from ..geometry.frames import Pose
from ..geometry.screws import displacement
from ..plotting import style
from ..solvers import Status
from ..statics.diagnosis import AT_LIMIT, joint_states
from ..statics.holding import Equilibrium, LoadLimit
from ..statics.solver import WarmSolver
from ..web.marks import Mesh, framed, mesh_reach, polygons_mesh, quaternions, rotations, turn_lines
from ..web.marks import colour as rgb
from ..web.page import COMPUTING, PageContext, PageEntry, ShownFile, Tone, Verdict
from ..web.worker import Animation, LatestOnly, give_back

if TYPE_CHECKING:
    import viser

    from ..devices import Device
    from ..dynamics.release import Release
    from .scene import Scene


# -- the state of the controls -----------------------------------------------------------------------

#: Letters of the phalanges, from the base to the tip; units of fingers have names such as "left D".
PHALANGES = "PMD"


@dataclass(frozen=True)
class ContactsPageState:
    """Everything that the result of a contacts page depends on, in addition to its source.

    Attributes:
        tilt: angle of gravity from straight down (-z) [deg], 0 to 180.
        heading: direction in which it is tilted, about z from x [deg].
        mass: of the object [kg]; 0 for no weight.
        friction: factor on the shear components of every force volume.
        touching: names of the units that touch.
        load_size: size of an extra force on the object's centre of mass [N].
        load_tilt, load_heading: its direction, as for gravity [deg].
        named: name of a load of the scene, "" for none.
        factor: multiples of that load.
        posture: (name, value) of each control of the source.
    """

    tilt: float
    heading: float
    mass: float
    friction: float
    touching: tuple[str, ...]
    load_size: float = 0.0
    load_tilt: float = 90.0
    load_heading: float = 0.0
    named: str = ""
    factor: float = 1.0
    posture: tuple[tuple[str, Any], ...] = ()


def direction(tilt: float, heading: float) -> Array:
    """(3,) unit vector `tilt` [deg] away from -z, towards `heading` [deg] about z from x."""
    t, h = np.radians(tilt), np.radians(heading)
    return np.array([np.sin(t) * np.cos(h), np.sin(t) * np.sin(h), -np.cos(t)])


def angles(vector: Array) -> tuple[float, float]:
    """(tilt, heading) [deg] of a vector (3,) that is not zero; heading 0 where it does not matter."""
    x, y, z = (float(part) for part in vector)
    across = float(np.hypot(x, y))
    if across <= 1e-9 * float(np.linalg.norm(vector)):
        return (0.0 if z < 0.0 else 180.0), 0.0
    return float(np.degrees(np.arctan2(across, -z))), float(np.degrees(np.arctan2(y, x)))


def units_of(assembly: Assembly) -> dict[str, tuple[int, ...]]:
    """Numbers of the contacts of each unit: "left D" for "left D[0]", "left D[1]", ...; "contact 3" without a name."""
    units: dict[str, list[int]] = {}
    for index, contact in enumerate(assembly.contacts):
        stem, bracket, _ = contact.name.rpartition("[")
        name = stem if bracket and contact.name.endswith("]") and stem else contact.name
        units.setdefault(name or f"contact {index}", []).append(index)
    return {name: tuple(indices) for name, indices in units.items()}


def fingers_of(units: Sequence[str]) -> dict[str, str]:
    """Letters of each finger's phalanges, if every unit is a phalanx ("left D"); otherwise empty."""
    fingers: dict[str, str] = {}
    for name in units:
        finger, _, letter = name.rpartition(" ")
        if not finger or letter not in PHALANGES or len(letter) != 1:
            return {}
        fingers[finger] = fingers.get(finger, "") + letter
    return fingers


def initial_state(scene: Scene, posture: tuple[tuple[str, Any], ...]) -> ContactsPageState:
    """The first state of a page: the scene unchanged, with its first load chosen when the object has no mass."""
    tilt, heading = angles(scene.gravity) if scene.gravity.any() else (0.0, 0.0)
    named = next(iter(scene.loads), "") if not scene.mass else ""
    touching = tuple(units_of(scene.assembly))
    return ContactsPageState(tilt, heading, float(scene.mass or 0.0), 1.0, touching, named=named, posture=posture)


# -- where the scene comes from ----------------------------------------------------------------------

#: A posture: the value of each control of a source, by name.
Posture = Mapping[str, Any]


@dataclass(frozen=True)
class PostureControl:
    """A number or a word that the posture of a gripper depends on.

    Attributes:
        name: keyword of the device.
        label: its name in the page.
        initial: initial value, in the unit of the label.
        low, high, step: of a slider, in the unit of the label; a control with `choices` has none.
        scale: SI units in one unit of the label: 1e-3 for millimetres.
        choices: the words that may be chosen; () for a number.
    """

    name: str
    label: str
    initial: Any
    low: float = 0.0
    high: float = 1.0
    step: float = 0.1
    scale: float = 1.0
    choices: tuple[str, ...] = ()

    def parameter(self, value: Any) -> Any:
        """The device's parameter in SI units for a value of the control."""
        return value if self.choices else float(value) * self.scale


class ContactsSource(Protocol):
    """Where the scene of a page comes from."""

    @property
    def controls(self) -> tuple[PostureControl, ...]:
        """Controls of the posture; () when it is fixed."""
        ...

    def scene(self, posture: Posture) -> Scene:
        """The scene in a posture."""
        ...


@dataclass(frozen=True)
class FileSource:
    """A scene file; its posture is fixed.

    Attributes:
        path: the file, or "@name" for a ready scene; read again at every call.
    """

    path: str | Path

    @property
    def controls(self) -> tuple[PostureControl, ...]:
        """None: the posture is fixed."""
        return ()

    def scene(self, posture: Posture) -> Scene:
        """The scene in the file as it is now; an invalid file is a SceneError."""
        from .files import load_scene

        scene = load_scene(self.path)
        if scene.bodies:
            fix = "open it again with holdfast view: scenes with several bodies have their own page"
            raise InputError(f"has {len(scene.bodies)} bodies", where=str(self.path), fix=fix)
        return scene


@dataclass(frozen=True)
class MeasuredSource:
    """A CSV file of measured limit forces: one unit on a vertical wall that carries a weight, shear axis upwards.

    Attributes:
        path: the file.
    """

    path: str | Path

    @property
    def controls(self) -> tuple[PostureControl, ...]:
        """None: the posture is fixed."""
        return ()

    def scene(self, posture: Posture) -> Scene:
        """The measured unit, as convex pieces inside the measurements; an invalid file is an error."""
        from ..files.yaml_source import Site, YamlSource
        from ..force_limits import read_measurements
        from .files import SceneDocument, build_scene

        path = Path(self.path)
        measured = read_measurements(path)
        if not measured.has_surface:
            what = "has tests along one axis or at several preloads, which do not form a limit surface"
            raise InputError(what, where=str(path), fix="give a scene file that refers to it under volumes")
        side = 0.03
        data = {
            "holdfast": 1,
            "name": path.name,
            "object": {
                "mass": float(f"{MEASURED_SHARE * measured.limits.max() / STANDARD_GRAVITY:.2g}"),
                "com": [0.0, 0.0, 0.0],
                "shape": {"kind": "box", "size": [side, side, side], "position": [0.5 * side, 0.0, 0.0]},
            },
            "volumes": {"unit": {"measurements": path.name, "decompose": {"side": "inner", "pieces": MEASURED_PIECES}}},
            "contacts": [
                {"name": "unit", "position": [0.0, 0.0, 0.0], "normal": [1, 0, 0], "shear": [0, 0, 1], "volume": "unit"}
            ],
        }
        return build_scene(SceneDocument.model_validate(data), Site(YamlSource(path, data)))


#: First weight of a measured unit, as a fraction of its largest limit force; number of its convex pieces.
MEASURED_SHARE, MEASURED_PIECES = 0.25, 6


@dataclass(frozen=True)
class DeviceSource:
    """A ready device in an adjustable posture.

    Attributes:
        device: its name, for example "4FH".
        controls: what can be changed.
        fixed: parameters that cannot be changed.
        unit: force volume of one unit; the device's own when None.
    """

    device: str
    controls: tuple[PostureControl, ...] = ()
    fixed: Mapping[str, Any] = field(default_factory=dict)
    unit: ForceVolume | None = None

    def scene(self, posture: Posture) -> Scene:
        """The device as a scene, gravity straight down; an impossible posture is a GeometryError."""
        from .. import devices

        chosen = {control.name: control.parameter(posture[control.name]) for control in self.controls}
        return scene_of(devices.create(self.device, **self.fixed, **chosen, unit=self.unit))


def scene_of(device: Device) -> Scene:
    """A device as a scene: its contacts and joints under standard gravity, its object, and what to draw."""
    from .scene import Scene, SceneDrawing

    gravity = np.array([0.0, 0.0, -STANDARD_GRAVITY])
    faces = tuple(np.asarray(face) for patch in device.patches for face in patch.faces)
    return Scene(
        assembly=device.assembly(gravity),
        name=device.name,
        mass=device.object.mass,
        com=device.object.com,
        gravity=gravity,
        link_gravity=device.gravity_matrix,
        # Pictures know the devices' own cylinders as well as those of scenes.
        drawing=SceneDrawing(device.object.shape, faces, tuple((link.name, link.points) for link in device.links)),  # pyright: ignore[reportArgumentType]
    )


def with_volumes_of(scene: Scene, known: Sequence[ForceVolume]) -> Scene:
    """The scene with volumes from `known` in place of equal ones, so that their lookup tables can be used again."""
    by_print = {volume.fingerprint: volume for volume in known}
    known_or_own = scene.assembly.with_volumes(lambda volume: by_print.get(volume.fingerprint, volume))
    return replace(scene, assembly=known_or_own)


def initial_posture(source: ContactsSource) -> dict[str, Any]:
    """The first posture of a page."""
    return {control.name: control.initial for control in source.controls}


#: Radii of objects that the fingers of the devices wrap round [mm].
_ROCK = PostureControl("radius", "Object radius [mm]", 220.0, 120.0, 400.0, 5.0, 1e-3)
_PLATE = PostureControl("radius", "Object radius [mm]", 150.0, 90.0, 300.0, 5.0, 1e-3)

TWO_OPPOSED_UNITS = DeviceSource(
    "2OU", (PostureControl("half_distance", "Units from the middle [mm]", 30.0, 10.0, 80.0, 1.0, 1e-3),)
)
"""The two opposed units, whose distance can be changed."""

TWO_FINGERS = DeviceSource("2FG", (_PLATE,), {"left": "PMD", "right": "PMD"})
"""The two-finger gripper with all phalanges; the page chooses which of them touch."""


def four_fingers(arrangement: str) -> DeviceSource:
    """The four-finger hand, at first with its outer fingers "opposed" or "parallel"."""
    fingers = PostureControl("fingers", "Outer fingers", arrangement, choices=("opposed", "parallel"))
    return DeviceSource("4FH", (fingers, _ROCK))


# -- what is at its limit ----------------------------------------------------------------------------

#: Directions in which a force is changed to see whether it is at its limit.
NUDGES = 200

#: Every n-th direction is tried first: these few find most forces on a border, and only the other forces need the
#: remaining directions. Small products also stay on one core, which leaves the others to the drawing.
STRIDE = 20

#: A changed force counts as inside within this fraction of the change.
SLACK = 0.01


def contacts_at_limit(assembly: Assembly, local_forces: Array) -> BoolArray:
    """(k,) whether each force (k, 3) in its contact frame is loaded and on the border of its volume.

    Then a change by `AT_LIMIT` of the volume's size in some direction leaves the volume. Contacts with the same volume
    are tested together.
    """
    result = np.zeros(len(assembly), dtype=bool)
    groups: dict[int, list[int]] = {}
    for index, contact in enumerate(assembly.contacts):
        groups.setdefault(id(contact.volume), []).append(index)
    for indices in groups.values():
        volume = assembly.contacts[indices[0]].volume
        nudge = AT_LIMIT * volume.size
        loaded = np.array(indices)[np.linalg.norm(local_forces[indices], axis=1) > nudge]
        planes = [polytope.halfspaces for polytope in volume.polytopes]
        deep = _excess(planes, local_forces[loaded]) <= -2.0 * nudge
        near = loaded[~deep]
        directions = sphere_directions(NUDGES)
        for first in range(STRIDE):
            if not len(near):
                break
            around = local_forces[near, None, :] + nudge * directions[first::STRIDE]  # (n, d, 3)
            excess = _excess(planes, around.reshape(-1, 3)).reshape(len(near), -1)
            found = (excess > SLACK * nudge).any(axis=1)
            result[near[found]] = True
            near = near[~found]
    return result


def _excess(planes: list[tuple[Array, Array]], forces: Array) -> Array:
    """(n,) violation [N] of the planes of the best piece by forces (n, 3); negative inside."""
    if not len(forces):
        return np.zeros(0)
    return np.min([(forces @ normals.T - offsets).max(axis=1) for normals, offsets in planes], axis=0)


def joints_at_limit(assembly: Assembly, forces: Array) -> BoolArray:
    """(r,) whether each joint row is at a bound under world forces (k, 3) on the object."""
    local = np.einsum("kji,kj->ki", assembly.rotations, forces)
    return np.array([state.at_limit for state in joint_states(assembly, local, None)], dtype=bool)


# -- answers -----------------------------------------------------------------------------------------

#: Number of postures whose scenes are kept, so that returning to one is fast.
KEPT_POSTURES = 8

#: Smaller load factors are shown as 0.
NO_LOAD = 1e-9

#: Largest number of contacts for which the most even forces are searched: 0.04 s for 16 microspine contacts.
MOST_EVEN = 16

#: Number of bisections for the fraction of an added load that is held; one warm-started solve takes 0.1 ms.
HALVINGS = 10

TONES: dict[Status, Tone] = {Status.HOLDS: "good", Status.DOES_NOT_HOLD: "bad"}


@dataclass(frozen=True, eq=False)
class ContactAnswer:
    """The result for one state.

    Attributes:
        state: the state of the controls.
        scene: the scene in the state's posture, with all its contacts, under its own gravity.
        chosen: (k,) which of its contacts touch.
        gravity: (3,) [m/s^2] in the world.
        wrench: (6,) weight and load on the object, torque about the world origin.
        equilibrium: whether the touching contacts hold it; None when none touches.
        limit: the largest multiple of `wrench` that they hold; None without a load or without contacts.
        seconds: time for building and solving [s].
        sharing: first failure and peak of load sharing in one line; "" without stiffness or without any failure.
        added: where no multiple of `wrench` is held, though the weight is: a share of the rest of `wrench` that is held
            together with the weight, to one part in 2^`HALVINGS`; else None.
    """

    state: ContactsPageState
    scene: Scene
    chosen: BoolArray
    gravity: Array
    wrench: Array
    equilibrium: Equilibrium | None
    limit: LoadLimit | None
    seconds: float
    added: float | None = None
    sharing: str = ""

    @property
    def holds(self) -> bool:
        """Whether a proof of holding was found; without contacts only the zero wrench is held."""
        return not self.wrench.any() if self.equilibrium is None else self.equilibrium.holds

    @cached_property
    def forces(self) -> Array | None:
        """(k, 3) world forces on the object [N] at all contacts of the scene, zero where none touches; or None."""
        found = None if self.equilibrium is None else self.equilibrium.forces
        if found is None:
            return None
        result = np.zeros((len(self.chosen), 3))
        result[self.chosen] = found
        return result

    @cached_property
    def at_limit(self) -> BoolArray:
        """(k,) whether each contact of the scene is loaded up to the border of its force volume."""
        result = np.zeros(len(self.chosen), dtype=bool)
        if self.equilibrium is not None and self.equilibrium.local_forces is not None:
            result[self.chosen] = contacts_at_limit(self.equilibrium.assembly, self.equilibrium.local_forces)
        return result

    @cached_property
    def gives_way(self) -> BoolArray:
        """(k,) whether each contact of the scene is at its limit when the largest held multiple of the load acts.

        For one choice of forces that reaches the load factor; other choices may share the load differently.
        """
        result = np.zeros(len(self.chosen), dtype=bool)
        if self.limit is not None and np.isfinite(self.limit.value) and self.limit.local_forces is not None:
            result[self.chosen] = contacts_at_limit(self.limit.assembly, self.limit.local_forces)
        return result

    @cached_property
    def letting_go(self) -> Array | None:
        """(6,) a motion (velocity, angular velocity about the world origin) in which the object separates, or None.

        It is the separating wrench of the certificate's first leaf, with the sign for which the load does work.
        """
        if self.equilibrium is None or self.holds or not len(self.equilibrium.separating_wrenches):
            return None
        motion = self.equilibrium.separating_wrenches[0]
        return motion if motion @ self.wrench > 0.0 else -motion

    @cached_property
    def verdict(self) -> Verdict:
        """Status, load factor and what is at its limit, as text."""
        if self.equilibrium is None:
            status = "nothing touches" if self.holds else "does not hold: no contacts"
            return Verdict(status, "open" if self.holds else "bad", "", self.seconds)
        status = self.equilibrium.status
        return Verdict(status.value, TONES.get(status, "open"), margin_words(self), self.seconds, limit_words(self))


def margin_words(answer: ContactAnswer) -> str:
    """The load factor as text: the largest held multiple of weight and load together; the links' weight is fixed."""
    limit = answer.limit
    if limit is None:
        return "no load"
    value = limit.value
    if value == np.inf:
        return "load factor: no limit"
    if not np.isfinite(value):
        return "load factor: no multiple of the load is held"
    at_least = "at least " if limit.status is Status.UNDECIDED else ""
    if value < NO_LOAD and not answer.holds:
        return f"load factor 0: holds no part of the total load{added_words(answer.added)}"
    word = f"{value:.3g}"
    if answer.holds:
        return f"load factor {at_least}{word} (holds up to {word} times this load)"
    if value >= 1.0:
        return f"load factor {at_least}{word} (this load is not held, but this multiple of it is)"
    return f"load factor {at_least}{word} (only {word} of this load would be held)"


def added_words(added: float | None) -> str:
    """How much of the load in addition to the weight is held, as text; "" where that was not computed."""
    if added is None:
        return ""
    share = f"at least {added:.2g} of the additional load" if added > 0.0 else "none of the additional load"
    return f"; the weight alone is held, and with it {share}"


def limit_words(answer: ContactAnswer) -> tuple[str, ...]:
    """Contacts and joints at their limit under the largest load and in the drawn forces; a line on load sharing.

    A load below the largest is held by many choices of forces. A contact that is at its limit in one of them may not
    be at its limit in the others.
    """
    lines, found, limit = [], answer.equilibrium, answer.limit
    if limit is not None and limit.forces is not None and NO_LOAD < limit.value < np.inf:
        counts = _counted(int(answer.gives_way.sum()), limit.assembly, limit.forces)
        lines.append(f"at the largest load: {counts} at their limit")
    if found is not None and found.forces is not None and np.abs(found.forces).max() > 0.0:
        counts = _counted(int(answer.at_limit.sum()), found.assembly, found.forces)
        if not all(word.startswith("0 ") for word in counts.split(" and ")):
            lines.append(f"in the forces drawn (not unique): {counts} at their limit")
    return (*lines, *((answer.sharing,) if answer.sharing else ()))


def _counted(contacts: int, assembly: Assembly, forces: Array) -> str:
    """Contacts and joints at their limit as text: "48 of 48 contacts and 0 of 12 joints"."""
    words = f"{contacts} of {len(assembly)} contacts"
    if assembly.joints is not None:
        hot = joints_at_limit(assembly, forces)
        words += f" and {int(hot.sum())} of {len(hot)} joints"
    return words


class ContactQuestions:
    """Computes the results for one page; keeps the scenes of the last postures and the solvers' last bases.

    The result for a state does not depend on earlier states, except for the computing time and for which of several
    admissible forces are found.
    """

    def __init__(self, source: ContactsSource) -> None:
        self._source = source
        self._scenes: dict[tuple, Scene] = {}
        self._parts: dict[tuple, Assembly] = {}
        self._volumes: tuple[ForceVolume, ...] = ()
        self._warm = WarmSolver()

    def reload(self) -> None:
        """Drop the stored scenes, so that files are read again."""
        self._scenes.clear()
        self._parts.clear()

    def scene(self, posture: tuple) -> Scene:
        """The scene in a posture."""
        if posture not in self._scenes:
            scene = with_volumes_of(self._source.scene(dict(posture)), self._volumes)
            self._volumes = tuple({id(c.volume): c.volume for c in scene.assembly.contacts}.values())
            while len(self._scenes) >= KEPT_POSTURES:
                self._scenes.pop(next(iter(self._scenes)))
            self._scenes[posture] = scene
        return self._scenes[posture]

    def answer(self, state: ContactsPageState) -> ContactAnswer:
        """The result for a state."""
        scene = self.scene(state.posture)
        start = clock()
        gravity = direction(state.tilt, state.heading) * (float(np.linalg.norm(scene.gravity)) or STANDARD_GRAVITY)
        wrench = load_of(scene, state, gravity)
        chosen = chosen_contacts(scene, state)
        found, limit, added, sharing = None, None, None, ""
        if chosen.any():
            assembly = self._assembly(scene.with_gravity(gravity), chosen, (state.posture, state.touching))
            scales = None
            if state.friction != 1.0:
                scales = np.tile([state.friction, state.friction, 1.0], (len(assembly), 1))
            found = self._warm.equilibrium(assembly, wrench, scales)
            found = found.even() if len(assembly) <= MOST_EVEN else found
            limit = self._warm.load_limit(assembly, wrench, scales) if wrench.any() else None
            if limit is not None and limit.value < NO_LOAD and not found.holds:
                weight = load_of(scene, replace(state, load_size=0.0, named=""), gravity)
                added = self._added(assembly, weight, wrench - weight, scales)
            if limit is not None:
                from ..sharing.page import contacts_line  # that module imports this one

                rubbed = (
                    assembly.with_volumes(lambda v: v.stretched(state.friction)) if scales is not None else assembly
                )
                sharing = contacts_line(rubbed, wrench, limit)
        return ContactAnswer(state, scene, chosen, gravity, wrench, found, limit, clock() - start, added, sharing)

    def _added(self, assembly: Assembly, weight: Array, rest: Array, scales: Array | None) -> float | None:
        """See `ContactAnswer.added`: by bisection between none of `rest` and all of `rest`, which is not held."""
        if not (weight.any() and rest.any() and self._warm.equilibrium(assembly, weight, scales).holds):
            return None
        held, too_much = 0.0, 1.0
        for _ in range(HALVINGS):
            middle = 0.5 * (held + too_much)
            if self._warm.equilibrium(assembly, weight + middle * rest, scales).holds:
                held = middle
            else:
                too_much = middle
        return held

    def _assembly(self, scene: Scene, chosen: BoolArray, key: tuple) -> Assembly:
        """The touching contacts with the present joint rows; contact objects are kept while they do not change."""
        whole, joints = scene.assembly, scene.assembly.mechanism
        if chosen.all():
            return whole
        if key not in self._parts:
            self._parts = {key: Assembly([c for c, touches in zip(whole.contacts, chosen, strict=True) if touches])}
        contacts = self._parts[key].contacts
        if joints is None:
            return Assembly(contacts, None, whole.name)
        columns = joints.jacobian.reshape(len(joints), -1, 3)[:, chosen].reshape(len(joints), -1)
        return Assembly(contacts, replace(joints, jacobian=columns), whole.name)


def load_of(scene: Scene, state: ContactsPageState, gravity: Array) -> Array:
    """(6,) weight, extra force at the centre of mass and named load on the object, torque about the world origin."""
    wrench = np.zeros(6)
    if state.mass > 0.0:
        wrench += gravity_wrench(state.mass, gravity, scene.com)
    force = state.load_size * direction(state.load_tilt, state.load_heading)
    wrench += np.concatenate([force, np.cross(scene.com, force)])
    if state.named:
        wrench += state.factor * scene.load(state.named)
    return wrench


def chosen_contacts(scene: Scene, state: ContactsPageState) -> BoolArray:
    """(k,) which contacts of the scene touch in this state."""
    chosen = np.zeros(len(scene.assembly), dtype=bool)
    for name, indices in units_of(scene.assembly).items():
        chosen[list(indices)] = name in state.touching
    return chosen


def answer(source: ContactsSource, state: ContactsPageState) -> ContactAnswer:
    """The result for a state, without warm start."""
    return ContactQuestions(source).answer(state)


# -- how it moves if it does not hold ----------------------------------------------------------------

#: Largest number of computed poses of the motion, and the time limit for each [s].
STILLS, STILL_SECONDS = 10, 1.0

#: How far the object travels in the animation, as a fraction of the size of the drawing.
TRAVEL = 0.35

#: Number of poses in the animation.
POSES = 24


@dataclass(frozen=True, eq=False)
class PredictedMotion:
    """An illustrative motion of the object.

    Attributes:
        poses: motion since the first pose, which is the identity.
        words: description of the motion.
        certain: whether `simulate_release` found it; otherwise it is only the direction of the certificate.
    """

    poses: tuple[Pose, ...]
    words: str
    certain: bool


def predicted_motion(answer: ContactAnswer, size: float) -> PredictedMotion | None:
    """The next motion of the object over about `TRAVEL` of `size` [m]; None when it holds or the motion is unknown.

    By Coulomb's law or least acceleration, step by step. Where there is no such motion or none was found in time, the
    separating motion of the certificate is shown instead, and the text says so. Without contacts it falls freely.
    """
    if answer.holds or (answer.equilibrium is not None and answer.equilibrium.certificate is None):
        return None
    found = _fall(answer)
    if found is not None and len(found) > 1:
        return PredictedMotion(
            _beyond(found, size), f"{found.description} Illustrative, by {found.principle.value}.", True
        )
    if answer.equilibrium is None:
        way = np.linalg.solve(_mass_matrix(answer), answer.wrench)
        return PredictedMotion(along(way, answer.scene.com, size), "No contacts: it falls freely.", True)
    if answer.letting_go is None:
        return None
    words = "The actual motion is unknown; the motion shown is one that contacts and joints cannot stop."
    return PredictedMotion(along(answer.letting_go, answer.scene.com, size), words, False)


def along(motion: Array, com: Array, size: float) -> tuple[Pose, ...]:
    """Accelerated poses along a motion (6,) about the world origin, over `TRAVEL` of `size` [m] in total."""
    speed = float(np.linalg.norm(motion[:3] + np.cross(motion[3:], com))) + 0.5 * size * float(
        np.linalg.norm(motion[3:])
    )
    if speed == 0.0:
        return (Pose.identity(),)
    whole = motion * (TRAVEL * size / speed)
    return tuple(displacement(share**2 * whole) for share in np.linspace(0.0, 1.0, POSES))


def _mass_matrix(answer: ContactAnswer) -> Array:
    """(6, 6) mass matrix of the object with the state's mass; 1 kg without a mass, since only directions are shown."""
    return answer.scene.mass_matrix(mass=answer.state.mass or 1.0)


def _fall(answer: ContactAnswer) -> Release | None:
    """The motion, step by step; None without contacts."""
    from ..dynamics.dissipation import Separating
    from ..dynamics.release import simulate_release

    if answer.equilibrium is None:
        return None
    method = Separating(time_limit=STILL_SECONDS)
    return simulate_release(
        answer.equilibrium.assembly, answer.wrench, _mass_matrix(answer), frames=STILLS, method=method
    )


def _beyond(found: Release, size: float) -> tuple[Pose, ...]:
    """Poses of the computed motion; where it ends in free fall, the fall is continued."""
    from ..dynamics.release import ReleaseEnd

    poses = between([frame.pose for frame in found.frames])
    last = found.frames[-1]
    if found.end is not ReleaseEnd.FALLS or last.step is not None or len(found) < 2:
        return poses
    step = found.frames[-2].step
    if step is None:
        return poses
    return poses + tuple(pose @ last.pose for pose in along(step, last.com, size)[1:])


def between(poses: Sequence[Pose], most: int = POSES) -> tuple[Pose, ...]:
    """The poses with interpolated ones between them, so that the animation is smooth; about `most` in total."""
    from scipy.spatial.transform import Rotation, Slerp

    pieces = len(poses) - 1
    if pieces < 1:
        return tuple(poses)
    known, at = np.arange(pieces + 1), np.linspace(0.0, pieces, pieces * max(1, most // pieces) + 1)
    turns = Slerp(known, Rotation.from_matrix([pose.rotation for pose in poses]))(at).as_matrix()
    places = np.array([pose.translation for pose in poses])
    moved = np.column_stack([np.interp(at, known, column) for column in places.T])
    return tuple(Pose(rotation, place) for rotation, place in zip(turns, moved, strict=True))


# -- meshes of shapes and force volumes --------------------------------------------------------------

#: Vertices closer than this fraction of the largest one are merged.
SAME = 1e-9


@dataclass(frozen=True, eq=False)
class VolumeMesh:
    """All pieces of one number, at many contacts, in a form that is quickly placed in the world.

    Attributes:
        piece: number of the piece, which determines its colour.
        local: (v, 3) forces [N] in the contact frames.
        owner: (v,) number of the contact that each belongs to.
        faces: (f, 3).
    """

    piece: int
    local: Array
    owner: IntArray
    faces: IntArray

    def placed(self, assembly: Assembly, scales: Array) -> Array:
        """(v, 3) in the world, with the forces of contact i drawn scales[i] (3,) [m/N] long along its axes."""
        turned = np.einsum("vij,vj->vi", assembly.rotations[self.owner], self.local * scales[self.owner])
        return assembly.positions[self.owner] + turned


def volume_meshes(pieces: Sequence[Sequence[Mesh] | None]) -> list[VolumeMesh]:
    """The meshes of contacts with these pieces each [N]; None for a contact that is not drawn."""
    parts: dict[int, list[tuple[int, Mesh]]] = {}
    for contact, own in enumerate(pieces):
        for number, mesh in enumerate(own or ()):
            if len(mesh[1]):
                parts.setdefault(number, []).append((contact, mesh))
    result = []
    for number, members in sorted(parts.items()):
        counts = np.array([len(vertices) for _, (vertices, _) in members])
        starts = np.cumsum(counts) - counts
        result.append(
            VolumeMesh(
                number,
                np.concatenate([vertices for _, (vertices, _) in members]),
                np.repeat([contact for contact, _ in members], counts),
                np.concatenate([faces + start for (_, (_, faces)), start in zip(members, starts, strict=True)]),
            )
        )
    return result


def welded(mesh: Mesh) -> Mesh:
    """The mesh with every vertex once, which is less data to send."""
    vertices, faces = mesh
    if not len(vertices):
        return mesh
    grain = SAME * float(np.abs(vertices).max()) or 1.0
    _, first, number = np.unique(np.round(vertices / grain), axis=0, return_index=True, return_inverse=True)
    return vertices[first], number.reshape(-1)[faces]


def shape_mesh(shape: Any, points: Array, **limits: float) -> tuple[Mesh, Array]:
    """Triangles of an object's outline and its main edges (n, 2, 3); for a large object only near points (m, 3).

    `limits` are the arguments of `near`.
    """
    from ..assembly.plots import add_shape, near
    from ..plotting.solids import Solids

    solids = Solids()
    add_shape(solids, shape)
    solids = near(solids, points, **limits)
    lines = np.array([np.array(line) for line in solids.lines]).reshape(-1, 2, 3)
    return polygons_mesh(solids.polygons), lines


def piece_meshes(volume: ForceVolume) -> list[Mesh]:
    """Triangles of each piece in the contact frame [N]; pieces without limit are cut off and left open there."""
    from ..force_limits.plots import drawing_reach
    from ..plotting.facets import cut_off, facets

    reach = drawing_reach(volume.polytopes, None)
    meshes = []
    for polytope in volume.polytopes:
        part, cuts = cut_off(polytope, reach)
        meshes.append(polygons_mesh([facet.corners for facet in facets(part, cuts) if not facet.is_cut]))
    return meshes


# -- the picture -------------------------------------------------------------------------------------

#: Names of the page's nodes in the scene tree.
ROOT = "/contacts"

#: Sizes as fractions of the size of the drawing: shafts, heads and head lengths of arrows, dots, frames' axes, links.
SHAFT, HEAD, HEAD_LENGTH, DOT, AXIS, LINK_WIDTH = 0.0035, 0.009, 0.022, 0.007, 0.035, 0.012

#: Initial length of the largest force of a volume, and of the largest contact force of the first result with forces, as
#: fractions of the size of the drawing. They have separate scales, as contacts use little of large volumes.
VOLUME_LENGTH, FORCE_LENGTH = 0.16, 0.25

#: With more contacts than `MOST_VOLUMES` the largest force has this length, so that arrows do not hide the object.
SHORT_LENGTH = 0.1

#: Length of the weight where volumes have no limit, as a fraction of the size of the drawing.
WEIGHT_LENGTH = 0.8

#: A force below this fraction of the largest is not drawn.
NEGLIGIBLE = 1e-3

#: Opacity of volumes.
VOLUME_OPACITY = 0.5

#: With more contacts than this, only one volume per unit is drawn at first.
MOST_VOLUMES = 24

BODY, UNIT, LINK = "#9A9A9A", "#E69F00", "#5F6B7A"


class VolumeDisplay(StrEnum):
    """Where force volumes are drawn; the value is the text of the menu."""

    ALL = "at every contact"
    UNITS = "one per unit"
    NONE = "none"


class ContactDrawing:
    """The picture of one page.

    Args:
        client: the browser.
    """

    def __init__(self, client: viser.ClientHandle) -> None:
        self._client = client
        self._nodes: dict[str, Any] = {}
        self._scene: Scene | None = None
        self._volumes: list[VolumeMesh] = []
        self._placed: tuple[VolumeDisplay, float, float, bytes] | None = None
        self._pieces: dict[str, list[Mesh]] = {}
        self._answer: ContactAnswer | None = None
        self.center: Array = np.zeros(3)
        self.solid: Array = np.zeros((0, 3))
        self.size = 1.0
        self.force_scale = 1.0
        self.volume_scale = 1.0
        self.volumes = VolumeDisplay.ALL
        self.shows_frames = True
        self.shows_object = True

    # -- what stays while the posture stays ---------------------------------------------------------

    def show_scene(self, scene: Scene) -> None:
        """Draw what depends only on the posture; nothing happens when it is already drawn."""
        if scene is self._scene:
            return
        first, self._scene = self._scene is None, scene
        subject = subject_of(scene)
        held = np.concatenate([subject.assembly.positions, *subject.faces, *subject.links])
        if first:
            outline = [] if subject.shape is None else [shape_mesh(subject.shape, held)[0][0]]
            solid = self.solid = np.concatenate([held, *outline])
            self.center = 0.5 * (solid.min(axis=0) + solid.max(axis=0))
            self.size = float(np.ptp(solid, axis=0).max()) or 0.1
            reach = max(mesh_reach(self._pieces_of(contact.volume)) for contact in scene.assembly.contacts)
            self.volume_scale = VOLUME_LENGTH * self.size / reach
            weight = STANDARD_GRAVITY * float(scene.mass or 0.0)
            self.force_scale = FORCE_LENGTH * self.size / weight if weight else self.volume_scale
            if weight and not all(contact.volume.is_bounded for contact in scene.assembly.contacts):
                # Volumes without limit give no scale for forces.
                self.volume_scale = min(self.volume_scale, WEIGHT_LENGTH * self.size / weight)
            self.volumes = VolumeDisplay.ALL if len(scene.assembly) <= MOST_VOLUMES else VolumeDisplay.UNITS
        with self._client.atomic():
            # Browsers draw transparent objects in the order in which they were made: the inner ones come first.
            self._draw_volumes(scene)
            self._place_volumes(scene, np.ones(len(scene.assembly), dtype=bool), 1.0)
            self._mesh("units", polygons_mesh(subject.faces), UNIT, 0.8)
            segments = [np.stack([line[:-1], line[1:]], axis=1) for line in subject.links]
            self._lines("links", np.concatenate([*segments, np.zeros((0, 2, 3))]), LINK, LINK_WIDTH * self.size)
            self._draw_frames(subject.frames)
            self._draw_object(subject.shape, held)

    def _draw_object(self, shape: Any, held: Array) -> None:
        mesh, lines = polygons_mesh(()), np.zeros((0, 2, 3))
        if shape is not None:
            mesh, lines = shape_mesh(shape, held)
        self._mesh("object", mesh, BODY, 0.2, visible=self.shows_object)
        self._lines("edges", lines, "#6E6E6E", 0.0015 * self.size, visible=self.shows_object)
        self._mesh("ghost", mesh, style.MOTION, 0.3, visible=False)

    def _draw_frames(self, frames: tuple[tuple[Array, Array], ...]) -> None:
        positions = np.array([position for position, _ in frames])
        turns = quaternions(np.array([rotation for _, rotation in frames]))
        node = self._nodes.get("frames")
        if node is None:
            self._nodes["frames"] = self._client.scene.add_batched_axes(
                f"{ROOT}/frames", turns, positions, axes_length=AXIS * self.size, axes_radius=0.04 * AXIS * self.size
            )
        else:
            node.batched_wxyzs, node.batched_positions = turns, positions
        self._nodes["frames"].visible = self.shows_frames

    def _pieces_of(self, volume: ForceVolume) -> list[Mesh]:
        """Triangles of each piece [N], made once."""
        if volume.fingerprint not in self._pieces:
            self._pieces[volume.fingerprint] = [welded(mesh) for mesh in piece_meshes(volume)]
        return self._pieces[volume.fingerprint]

    def _draw_volumes(self, scene: Scene) -> None:
        """Prepare one mesh per piece for all drawn contacts; `_place_volumes` puts it into the scene."""
        contacts = scene.assembly.contacts
        own = {contact.volume.fingerprint for contact in contacts}
        self._pieces = {key: pieces for key, pieces in self._pieces.items() if key in own}
        drawn = set(range(len(contacts)))
        if self.volumes is not VolumeDisplay.ALL:
            drawn = {indices[0] for indices in units_of(scene.assembly).values()}
        pieces = [self._pieces_of(c.volume) if i in drawn else None for i, c in enumerate(contacts)]
        self._volumes = volume_meshes(pieces)
        self._placed = None

    def _place_volumes(self, scene: Scene, chosen: BoolArray, friction: float) -> None:
        """Send the volumes if posture, scale, friction or touching contacts have changed."""
        key = (self.volumes, friction, self.volume_scale, chosen.tobytes())
        if key == self._placed:
            return
        self._placed = key
        whole = self.volume_scale * np.array([friction, friction, 1.0])
        scales = np.where(chosen[:, None], whole, 0.0)  # volumes of other contacts shrink to a point
        # Closed pieces are drawn only from outside: half the work for a browser without a graphics card.
        side = "front" if all(contact.volume.is_bounded for contact in scene.assembly.contacts) else "double"
        used = set()
        for mesh in self._volumes if self.volumes is not VolumeDisplay.NONE else ():
            used.add(name := f"piece {mesh.piece}")
            vertices = mesh.placed(scene.assembly, scales)
            self._mesh(name, (vertices, mesh.faces), style.colour(mesh.piece), VOLUME_OPACITY, side=side)
        for name, node in self._nodes.items():
            if name.startswith("piece ") and name not in used:
                node.visible = False

    # -- what changes with every answer -------------------------------------------------------------

    def show_answer(self, answer: ContactAnswer) -> None:
        """Draw forces, load and limits; the motion of the previous result is removed."""
        self._answer = answer
        with self._client.atomic():
            self.show_scene(answer.scene)
            self._place_volumes(answer.scene, answer.chosen, answer.state.friction)
            self._draw_forces(answer)
            self._draw_load(answer)
            self._draw_letting_go(answer)

    def fitted_scale(self, answer: ContactAnswer) -> float | None:
        """Metres per newton at which the largest contact force has its initial length; None without forces."""
        largest = 0.0 if answer.forces is None else float(np.linalg.norm(answer.forces, axis=1).max())
        length = FORCE_LENGTH if len(answer.chosen) <= MOST_VOLUMES else SHORT_LENGTH
        return length * self.size / largest if largest > 0.0 else None

    def refresh(self) -> None:
        """Draw the last result again, after a change of the scale or of what is shown."""
        if self._scene is not None:
            self._draw_volumes(self._scene)
        for name, shown in (("frames", self.shows_frames), ("object", self.shows_object), ("edges", self.shows_object)):
            if name in self._nodes:
                self._nodes[name].visible = shown
        if self._answer is not None:
            self.show_answer(self._answer)

    def move_ghost(self, pose: Pose | None) -> None:
        """Show a copy of the object moved by a pose; None removes it."""
        ghost = self._nodes.get("ghost")
        if ghost is None:
            return
        if pose is not None:
            ghost.wxyz, ghost.position = quaternions(pose.rotation[None])[0], pose.translation
        ghost.visible = pose is not None

    def clear(self) -> None:
        """Remove all nodes."""
        nodes, self._nodes, self._volumes, self._scene = list(self._nodes.values()), {}, [], None
        for node in nodes:
            node.remove()

    def _draw_forces(self, answer: ContactAnswer) -> None:
        points = answer.scene.assembly.positions
        forces = np.zeros_like(points) if answer.forces is None else answer.forces
        sizes = np.linalg.norm(forces, axis=1)
        loaded = sizes > NEGLIGIBLE * float(sizes.max(initial=0.0))
        hot = answer.at_limit & loaded
        ends = points + self.force_scale * forces
        for name, chosen, colour in (("forces", loaded & ~hot, style.FORCE), ("limit forces", hot, style.LIMIT)):
            self._arrows(name, np.stack([points[chosen], ends[chosen]], axis=1), colour)
        for name, chosen, colour, width in (
            ("dots", answer.chosen & ~hot & ~answer.gives_way, style.FORCE, DOT),
            ("first dots", answer.gives_way & ~hot, style.LIMIT, 1.3 * DOT),
            ("limit dots", hot, style.LIMIT, 2.2 * DOT),
        ):
            self._dots(name, points[chosen], colour, width)

    def _draw_load(self, answer: ContactAnswer) -> None:
        """Weight and load as one force at the centre of mass, and the remaining torque about it."""
        com, force = answer.scene.com, answer.wrench[:3]
        strength = float(np.linalg.norm(force))
        length = min(self.force_scale * strength, style.LONGEST * self.size)
        arrow = [[com, com + length * force / strength]] if strength > 0.0 else []
        self._arrows("load", np.array(arrow).reshape(-1, 2, 3), style.LOAD, 1.8)
        torque = answer.wrench[3:] - np.cross(com, force)
        visible = float(np.linalg.norm(torque)) > 1e-3 * strength * self.size
        ring = turn_lines(com, torque, 0.1 * self.size) if visible else np.zeros((0, 2, 3))
        self._lines("torque", ring, style.LOAD, 0.004 * self.size)

    def _draw_letting_go(self, answer: ContactAnswer) -> None:
        """The certificate's separating wrench as a motion: an arrow for its velocity, a ring for its rotation."""
        motion, com = answer.letting_go, answer.scene.com
        arrow, ring = np.zeros((0, 2, 3)), np.zeros((0, 2, 3))
        if motion is not None:
            velocity, turn = motion[:3] + np.cross(motion[3:], com), motion[3:] * self.size
            strongest = max(float(np.linalg.norm(velocity)), float(np.linalg.norm(turn)))
            if np.linalg.norm(velocity) > 0.1 * strongest:
                arrow = np.array([[com, com + style.LONGEST * self.size * velocity / strongest]])
            if np.linalg.norm(turn) > 0.1 * strongest:
                ring = turn_lines(com, turn, 0.16 * self.size)
        self._arrows("letting go", arrow, style.MOTION, 2.2)
        self._lines("letting turn", ring, style.MOTION, 0.006 * self.size)

    # -- nodes ----------------------------------------------------------------------------------------

    def _mesh(
        self,
        name: str,
        mesh: Mesh,
        colour: str,
        opacity: float,
        *,
        visible: bool = True,
        side: Literal["front", "double"] = "double",
    ) -> None:
        vertices, faces = mesh
        node = self._nodes.get(name)
        if not len(faces):
            if node is not None:
                self._nodes.pop(name).remove()
        elif node is None:
            self._nodes[name] = self._client.scene.add_mesh_simple(
                f"{ROOT}/{name}", vertices, faces, color=rgb(colour), opacity=opacity, flat_shading=True,
                side=side, cast_shadow=False, receive_shadow=False, visible=visible,
            )  # fmt: skip
        else:
            node.vertices, node.faces, node.visible = vertices, faces, visible

    def _lines(self, name: str, points: Array, colour: str, width: float, *, visible: bool = True) -> None:
        tint = np.broadcast_to(np.array(rgb(colour), dtype=np.uint8), points.shape)
        look = {"thickness": width, "thickness_units": "world", "visible": visible}
        self._node("add_line_segments", name, points, colour, look, colors=tint, visible=visible)

    def _arrows(self, name: str, points: Array, colour: str, width: float = 1.0) -> None:
        wide = width * self.size
        look = {"shaft_radius": SHAFT * wide, "head_radius": HEAD * wide, "head_length": HEAD_LENGTH * wide}
        self._node("add_arrows", name, points, colour, look)

    def _dots(self, name: str, points: Array, colour: str, width: float) -> None:
        look = {"point_size": width * self.size, "point_shape": "circle", "precision": "float32"}
        self._node("add_point_cloud", name, points, colour, look)

    def _node(self, add: str, name: str, points: Array, colour: str, look: dict[str, Any], **changes: Any) -> None:
        """Add a node by the scene's method `add`, change the points of an existing one, or hide it without points."""
        node = self._nodes.get(name)
        if not len(points):
            if node is not None:
                node.visible = False
        elif node is None:
            self._nodes[name] = getattr(self._client.scene, add)(f"{ROOT}/{name}", points, rgb(colour), **look)
        else:
            for key, value in {"points": points, "visible": True, **changes}.items():
                setattr(node, key, value)


# -- the controls ------------------------------------------------------------------------------------

#: With more units than this there are no checkboxes.
MOST_CHECKBOXES = 24

#: Upper ends of sliders: masses as a multiple of the scene's mass, loads as a multiple of its weight.
MASS_REACH, LOAD_REACH = 5.0, 5.0

#: Menu entries for no phalanx and no load.
NONE = "none"


class ContactControls:
    """Widgets of one page.

    Args:
        client: the browser.
        initial: the initial state.
        posture: what the posture depends on.
        loads: names of the scene's loads.
        changed: called after every change by the user.
    """

    def __init__(
        self,
        client: viser.ClientHandle,
        initial: ContactsPageState,
        posture: tuple[PostureControl, ...],
        loads: tuple[str, ...],
        changed: Callable[[], None],
    ) -> None:
        self._client = client
        self._changed = changed
        self._initial = initial
        self._posture = posture
        self._loads = loads
        self._folders: list[Any] = []
        self._sliders: dict[str, Any] = {}
        self._touch: dict[str, Any] = {}
        self._named: Any = None
        self._gizmo: Any = None
        self._grabbed = False
        self._fingers = fingers_of(initial.touching)

    @property
    def state(self) -> ContactsPageState:
        """The present state of the widgets."""
        value = {name: handle.value for name, handle in self._sliders.items()}
        named = "" if self._named is None or self._named.value == NONE else self._named.value
        posture = tuple((control.name, value.pop(f"posture {control.name}")) for control in self._posture)
        numbers = {name: float(number) for name, number in value.items()}
        return ContactsPageState(**numbers, touching=self._touching(), named=named, posture=posture)

    def open(self) -> None:
        """Add the widgets."""
        gui, start = self._client.gui, self._initial
        with self._folder("Gravity and mass"):
            self._slider("tilt", "Gravity tilt [deg]", 0.0, 180.0, 1.0, start.tilt, "angle from straight down")
            self._slider("heading", "Gravity heading [deg]", -180.0, 180.0, 1.0, start.heading, "about z, from x")
            most = round_up(MASS_REACH * start.mass or 1.0)
            self._slider("mass", "Mass [kg]", 0.0, most, most / 500.0, start.mass, "of the object")
        with self._folder("Load"):
            weight = round_up(LOAD_REACH * STANDARD_GRAVITY * (start.mass or 1.0))
            self._slider("load_size", "Load force [N]", 0.0, weight, weight / 500.0, start.load_size, "at its centre")
            self._slider("load_tilt", "Load tilt [deg]", 0.0, 180.0, 1.0, start.load_tilt, "angle from straight down")
            heading = start.load_heading
            self._slider("load_heading", "Load heading [deg]", -180.0, 180.0, 1.0, heading, "about z, from x")
            if self._loads:
                names = (NONE, *self._loads)
                self._named = gui.add_dropdown("Load of the scene", names, initial_value=start.named or NONE)
                self._named.on_update(self._hand)
                self._slider("factor", "Times that load", -5.0, 5.0, 0.05, start.factor, "negative: reversed")
        with self._folder("Contacts"):
            hint = "factor on the shear components of every force volume"
            self._slider("friction", "Friction scale", 0.1, 3.0, 0.05, start.friction, hint)
            self._add_touch(start.touching)
        if self._posture:
            with self._folder("Posture"):
                for control in self._posture:
                    self._add_posture(control)

    def add_gizmo(self, position: Array, size: float) -> None:
        """Add the gravity arrow with rings to drag it, at a point of the scene."""
        scene = self._client.scene
        self._gizmo = scene.add_transform_controls(
            f"{ROOT}/gravity", scale=0.16 * size, disable_axes=True, disable_sliders=True, depth_test=False,
            wxyz=gizmo_turn(self._initial.tilt, self._initial.heading), position=position,
        )  # fmt: skip
        points = np.array([[(0.0, 0.0, 0.0), (0.0, 0.0, -0.2 * size)]])
        scene.add_arrows(
            f"{ROOT}/gravity/arrow", points, (20, 20, 20), shaft_radius=0.007 * size, head_radius=0.018 * size,
            head_length=0.045 * size,
        )  # fmt: skip
        scene.add_label(f"{ROOT}/gravity/label", "gravity", position=(0.0, 0.0, -0.24 * size))
        self._gizmo.on_update(self._dragged)

    def follow(self) -> None:
        """Turn the gizmo to the gravity sliders, unless the gizmo is what moves them.

        Call it after the verdict is shown: the browser then draws the scene again, which would delay the verdict.
        """
        if self._gizmo is None or self._grabbed:
            return
        turn = gizmo_turn(self._sliders["tilt"].value, self._sliders["heading"].value)
        if not np.allclose(turn, self._gizmo.wxyz):
            self._gizmo.wxyz = turn

    def close(self) -> None:
        """Remove the widgets and the gizmo."""
        folders, self._folders = self._folders, []
        for folder in folders:
            folder.remove()
        if self._gizmo is not None:
            self._gizmo.remove()
            self._gizmo = None

    # -- widgets ------------------------------------------------------------------------------------

    def _folder(self, title: str) -> Any:
        self._folders.append(self._client.gui.add_folder(title))
        return self._folders[-1]

    def _slider(self, name: str, label: str, low: float, high: float, step: float, value: float, hint: str) -> None:
        low, high = min(low, value), max(high, value)
        handle = self._client.gui.add_slider(label, low, high, step, value, hint=hint)
        handle.on_update(self._hand)
        self._sliders[name] = handle

    def _add_posture(self, control: PostureControl) -> None:
        name = f"posture {control.name}"
        if control.choices:
            self._sliders[name] = self._client.gui.add_dropdown(
                control.label, control.choices, initial_value=control.initial
            )
            self._sliders[name].on_update(self._hand)
        else:
            self._slider(name, control.label, control.low, control.high, control.step, control.initial, "")

    def _add_touch(self, units: tuple[str, ...]) -> None:
        """One menu per finger, or one checkbox per unit; none beyond `MOST_CHECKBOXES`, where all units touch."""
        gui = self._client.gui
        if self._fingers:
            for finger, letters in self._fingers.items():
                handle = gui.add_dropdown(
                    f"Touching: {finger}", subsets(letters), initial_value=letters, hint="phalanges: P, M, D (tip)"
                )
                handle.on_update(self._hand)
                self._touch[finger] = handle
        elif len(units) <= MOST_CHECKBOXES:
            for unit in units:
                self._touch[unit] = gui.add_checkbox(f"Touches: {unit}", True)
                self._touch[unit].on_update(self._hand)

    def _touching(self) -> tuple[str, ...]:
        if not self._touch:
            return self._initial.touching
        if not self._fingers:
            return tuple(unit for unit, handle in self._touch.items() if handle.value)
        letters = {finger: handle.value for finger, handle in self._touch.items()}
        pairs = ((name, *name.rpartition(" ")[::2]) for name in self._initial.touching)
        return tuple(name for name, finger, letter in pairs if letters[finger] != NONE and letter in letters[finger])

    # -- events -------------------------------------------------------------------------------------

    def _hand(self, _: Any) -> None:
        self._changed()

    def _dragged(self, event: Any) -> None:
        """The gizmo was turned: set the sliders."""
        gizmo = self._gizmo
        if gizmo is None:
            return
        self._grabbed = event.phase != "end"
        tilt, heading = angles(rotations(gizmo.wxyz) @ np.array([0.0, 0.0, -1.0]))
        self._sliders["tilt"].value = round(tilt, 1)
        self._sliders["heading"].value = round(heading, 1)


def gizmo_turn(tilt: float, heading: float) -> Array:
    """(4,) quaternion (w, x, y, z) of the rotation that takes -z to the direction of gravity."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_euler("ZY", [heading, -tilt], degrees=True).as_quat(scalar_first=True)


def round_up(value: float) -> float:
    """The smallest of 1, 2, 5 times a power of ten that is at least `value` > 0."""
    power = 10.0 ** np.floor(np.log10(value))
    return float(min(m * power for m in (1.0, 2.0, 5.0, 10.0) if m * power >= value * (1.0 - 1e-9)))


def subsets(letters: str) -> tuple[str, ...]:
    """All choices of letters in their order, the largest first, `NONE` last: "PMD", "PM", ..., "D", "none"."""
    counts = range(len(letters), 0, -1)
    return (*("".join(some) for count in counts for some in combinations(letters, count)), NONE)


# -- the page ----------------------------------------------------------------------------------------

#: Delay of the picture after the verdict [s]: a browser that draws on the processor cannot update text meanwhile.
LEAD = 0.04

#: The motion is computed when the controls have not changed for this time [s]; the verdict is shown before.
REST = 0.15

#: Viewing direction of the camera.
TOWARDS = (-0.7, 1.0, -0.75)


class ContactsPage:
    """A contacts page in one browser.

    Args:
        context: of the browser.
        source: the device or the file.
        title: title of the page.
    """

    def __init__(self, context: PageContext, source: ContactsSource, title: str) -> None:
        self.title = title
        self._context = context
        self._source = source
        self._questions = ContactQuestions(source)
        self._drawing = ContactDrawing(context.client)
        self._controls: ContactControls | None = None
        self._motions = LatestOnly(context.report, name="viewer motion")
        self._animation: Animation[Pose] = Animation(self._drawing.move_ghost, context.report)
        self._closed = threading.Event()
        self._shown = threading.Lock()
        self._number = 0
        self._own: list[Any] = []
        self._force_slider: Any = None
        self._fitted = False

    def open(self) -> None:
        """Add controls and picture, and compute the first state."""
        posture = tuple(initial_posture(self._source).items())
        scene = self._questions.scene(posture)
        start = initial_state(scene, posture)
        self._context.verdict.show(COMPUTING)  # tables of force volumes are made for the first answer
        self._drawing.show_scene(scene)
        self._look()
        self._controls = ContactControls(
            self._context.client, start, self._source.controls, tuple(scene.loads), self.ask
        )
        self._controls.open()
        self._controls.add_gizmo(self._beside, self._drawing.size)
        self._add_view()
        self.ask()

    def close(self) -> None:
        """Stop what is running and remove what was added."""
        self._closed.set()
        self._motions.close()
        self._animation.close()
        if self._controls is not None:
            self._controls.close()
        for handle in self._own:
            handle.remove()
        self._own.clear()
        self._drawing.clear()

    def ask(self) -> None:
        """Request a result for the state of the controls at the time when the worker starts on it."""
        if not self._closed.is_set() and self._controls is not None:
            controls = self._controls
            self._context.worker.ask(lambda: self._computed(controls), self._show)

    def _computed(self, controls: ContactControls) -> ContactAnswer:
        """The result for the present state of the controls, with everything that is shown."""
        answer = self._questions.answer(controls.state)
        _ = answer.verdict, answer.letting_go, answer.gives_way
        return answer

    def _show(self, answer: ContactAnswer, number: int) -> None:
        with self._shown:
            self._number = number
            self._animation.play(())
            self._context.verdict.show(answer.verdict, number)
            self._context.client.flush()
            self._closed.wait(LEAD)
            if self._controls is not None:
                self._controls.follow()
            self._fit_forces(answer)
            self._drawing.show_answer(answer)
            self._drawing.move_ghost(None)
            self._context.client.flush()
        if not answer.holds:
            self._motions.ask(lambda: self._predicted(answer, number), self._show_motion)

    def _predicted(self, answer: ContactAnswer, number: int) -> tuple[ContactAnswer, int, PredictedMotion] | None:
        """The motion of an answer, unless the controls have changed."""
        if self._closed.wait(REST) or self._number != number:
            return None
        motion = predicted_motion(answer, self._drawing.size)
        give_back()
        return None if motion is None else (answer, number, motion)

    def _show_motion(self, found: tuple[ContactAnswer, int, PredictedMotion] | None, _: int) -> None:
        if found is None:
            return
        answer, number, motion = found
        with self._shown:
            if self._number != number or self._context.verdict.request != number:
                return
            lines = (*answer.verdict.lines, motion.words)
            self._context.verdict.show(replace(answer.verdict, lines=lines), number)
            self._animation.play(motion.poses)

    # -- picture --------------------------------------------------------------------------------------

    @property
    def _beside(self) -> Array:
        """(3,) position of the gravity arrow, beside the drawing."""
        return self._drawing.center + self._drawing.size * np.array([-0.6, -0.35, 0.35])

    def _look(self) -> None:
        """Point the camera at the drawing."""
        camera, drawing = self._context.client.camera, self._drawing
        arrow = self._beside + np.array([[0.0, 0.0, 0.1], [0.0, 0.0, -0.25]]) * drawing.size
        # Forces hold the weight, so most point upwards; how far is known only when they are computed.
        above = drawing.solid + np.array([0.0, 0.0, FORCE_LENGTH * drawing.size])
        view = framed(np.vstack([drawing.solid, above, arrow]), TOWARDS)
        camera.up_direction = (0.0, 0.0, 1.0)
        camera.position, camera.look_at = view.position, view.look_at

    def _add_view(self) -> None:
        """What is shown, and how long forces are drawn."""
        gui, drawing = self._context.client.gui, self._drawing
        folder = gui.add_folder("View")
        self._own.append(folder)
        with folder:
            hint = "length of the arrows; force volumes have their own scale"
            forces = self._force_slider = gui.add_slider(
                "Forces [mm/N]", *slider_range(1e3 * drawing.force_scale), hint=hint
            )
            sizes = gui.add_slider("Volumes [mm/N]", *slider_range(1e3 * drawing.volume_scale))
            boxes = {
                name: gui.add_checkbox(label, True)
                for name, label in (("shows_frames", "Contact frames"), ("shows_object", "Object"))
            }
            volumes = gui.add_dropdown(
                "Force volumes", tuple(choice.value for choice in VolumeDisplay), initial_value=drawing.volumes.value
            )
            if isinstance(self._source, FileSource):
                gui.add_button("Read the file again").on_click(lambda _: self._reload())

        def changed(event: Any) -> None:
            if event.client is None:  # not by the user: set by the first forces
                return
            with self._shown:
                self._fitted = self._fitted or event.target is forces
                drawing.force_scale, drawing.volume_scale = 1e-3 * float(forces.value), 1e-3 * float(sizes.value)
                drawing.volumes = VolumeDisplay(volumes.value)
                for name, box in boxes.items():
                    setattr(drawing, name, bool(box.value))
                drawing.refresh()

        for handle in (forces, sizes, volumes, *boxes.values()):
            handle.on_update(changed)

    def _fit_forces(self, answer: ContactAnswer) -> None:
        """Choose the length of arrows by the first forces, unless the user has chosen it."""
        scale = self._drawing.fitted_scale(answer)
        if self._fitted or scale is None or self._force_slider is None:
            return
        slider, self._fitted = self._force_slider, True
        with self._context.client.atomic():
            slider.min, slider.max, slider.step, slider.value = slider_range(1e3 * scale)
        self._drawing.force_scale = 1e-3 * float(slider.value)

    def _reload(self) -> None:
        """Read the scene file again; an invalid one is reported and the picture stays."""
        self._questions.reload()
        self.ask()


def slider_range(scale: float) -> tuple[float, float, float, float]:
    """(low, high, step, value) of a slider around a scale, with two digits."""
    value = float(f"{scale:.2g}")
    low, high, step = (float(f"{share * value:.2g}") for share in (0.1, 5.0, 0.05))
    return low, high, step, value


def entry(key: str, title: str, summary: str, source: Callable[[], ContactsSource]) -> PageEntry:
    """The entry of a contacts page; its source is made when the page is opened."""
    return PageEntry(key, title, "Contacts", summary, lambda context: ContactsPage(context, source(), title))


def scene_entry(path: str | Path) -> PageEntry:
    """The entry of a scene file, or of a ready scene "@name"."""
    name = str(path)
    title = name[1:].replace("_", " ") if name.startswith("@") else Path(path).name
    key = name[1:].replace("_", "-") if name.startswith("@") else "scene"
    return entry(key, title, f"The scene `{name}`.", partial(FileSource, path))


def ready_scene(name: str) -> Scene:
    """The ready scene "@name"; the readers of scenes are imported when it is called."""
    from .files import load_scene

    return load_scene(f"@{name}")


def file_pages(file: ShownFile) -> tuple[PageEntry, ...]:
    """The page of a scene with one object, or of measured limit forces."""
    if file.kind.name == "scene":
        return () if file.content.bodies else (scene_entry(file.name),)
    return (measured_entry(file.name),) if has_forces(file.name) else ()


def measured_entry(path: str | Path) -> PageEntry:
    """The entry of a CSV file of measured limit forces; an invalid file is reported here."""
    name, source = Path(path).name, MeasuredSource(path)
    source.scene({})
    return entry("measured", name, f"The unit measured in `{name}`, with a weight on it.", lambda: source)


ENTRIES: tuple[PageEntry, ...] = (
    entry(
        "4fh-opposed",
        "Four-finger hand, opposed (4FH)",
        "Four-finger hand with driven joints on a round rock: 12 units, 48 contacts.",
        partial(four_fingers, "opposed"),
    ),
    entry(
        "4fh-parallel",
        "Four-finger hand, parallel (4FH)",
        "The same hand with all fingers in one direction: it holds only a small pull.",
        partial(four_fingers, "parallel"),
    ),
    entry(
        "2fg",
        "Two-finger gripper (2FG)",
        "Passive two-finger gripper on a curved plate; choose the phalanges that touch.",
        lambda: TWO_FINGERS,
    ),
    entry(
        "2ou",
        "Two opposed units (2OU)",
        "Two opposed microspine units on a spring-loaded slide, on a curved plate.",
        lambda: TWO_OPPOSED_UNITS,
    ),
    *(
        scene_entry(f"@{name}")
        for name in (
            "block_on_three_points",
            "block_on_slope",
            "block_on_steep_slope",
            "jammed_peg",
            "nail_between_walls",
            "ball_in_groove",
            "h_block_between_walls",
            "gecko_on_glass",
            "suction_cup",
            "suction_array",
            "microspine_pull",
            "measured_gripper",
        )
    ),
)

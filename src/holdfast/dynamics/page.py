"""Strong stability in the viewer: whether a scene stays at rest, and the other motion that its contacts allow.

Results are functions of immutable data; `StabilityPage` draws them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..assembly.assembly import Assembly
from ..assembly.plots import subject_of
from ..checks import Array
from ..compiling import clock
from ..errors import InputError
from ..force_limits.models.registry import remade
from ..force_limits.volume import ForceVolume
from ..geometry.screws import displacement
from ..plotting import style
from ..scenes.page import BODY, LINK, UNIT, angles, direction, ready_scene, shape_mesh
from ..web.marks import Arrows, Dots, Drawing, Lines, Mark, Surface, Word, colour, framed, joined, polygons_mesh
from ..web.page import Answer, AskingPage, PageEntry, ShownFile, Tone, Verdict
from .cones import friction_cones
from .contact_states import ContactMode
from .plots import DISPLACED, FAR, STATE
from .search import MotionSearch
from .stability import StabilityStatus, StrongStability, strong_stability

if TYPE_CHECKING:
    from ..scenes import Scene
    from ..web.page import PageContext

#: Menu entry for the weight alone; loads of the scene are added to the weight.
WEIGHT = "weight"

#: Time limit of a result [s], and number of stored results.
SECONDS, KEPT = 3.0, 32

#: Ends of the slider of friction.
LEAST_FRICTION, MOST_FRICTION = 0.1, 3.0

#: Sizes as shares of the size of the drawing: dots, shafts of arrows, the longest force, the load.
DOT, SHAFT, LONGEST, LOAD_LENGTH = 0.045, 0.006, 0.35, 0.3

#: Viewing direction of the camera.
TOWARDS = (-0.5, 1.0, -0.45)

TONES: dict[StabilityStatus, Tone] = {
    StabilityStatus.STAYS: "good",
    StabilityStatus.MAY_STAY: "open",
    StabilityStatus.MOVES: "bad",
    StabilityStatus.INCONSISTENT: "bad",
    StabilityStatus.UNDECIDED: "open",
}


@dataclass(frozen=True)
class StabilityPageState:
    """The controls of the page.

    Attributes:
        load: "weight", or the name of a load of the scene that acts with the weight.
        tilt: angle of gravity from straight down (-z) [deg], 0 to 180.
        heading: direction in which it is tilted, about z from x [deg].
        friction: factor on the friction coefficients of all contacts.
        moved: how far the object is drawn along the other motion, 0 to 1; not to scale.
    """

    load: str = WEIGHT
    tilt: float = 0.0
    heading: float = 0.0
    friction: float = 1.0
    moved: float = 1.0


def initial_state(scene: Scene) -> StabilityPageState:
    """The scene unchanged."""
    tilt, heading = angles(scene.gravity) if scene.gravity.any() else (0.0, 0.0)
    return StabilityPageState(tilt=tilt, heading=heading)


class StabilityQuestions:
    """Computes results for one scene; keeps the last ones, which do not depend on how the motion is drawn."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.mass_matrix = scene.mass_matrix()
        self._known: dict[StabilityPageState, tuple[StrongStability, bool]] = {}
        self._volumes: dict[tuple[ForceVolume, float], ForceVolume] = {}

    def stability(self, state: StabilityPageState) -> tuple[StrongStability, bool]:
        """The result for a state, and whether its proof was verified; an InputError if a contact is not a cone."""
        key = replace(state, moved=0.0)
        if key not in self._known:
            while len(self._known) >= KEPT:
                self._known.pop(next(iter(self._known)))
            assembly, load = self._question(state)
            found = strong_stability(assembly, load, self.mass_matrix, method=MotionSearch(time_limit=SECONDS))
            self._known[key] = found, found.verify()
        return self._known[key]

    def _question(self, state: StabilityPageState) -> tuple[Assembly, Array]:
        """The contacts with their friction, and the load."""
        scene = self.scene
        if not LEAST_FRICTION <= state.friction <= MOST_FRICTION:
            fix = f"give from {LEAST_FRICTION:g} to {MOST_FRICTION:g}"
            raise InputError(f"is {state.friction}", where="friction scale", fix=fix)
        friction_cones(scene.assembly)
        turned = scene.turned(direction(state.tilt, state.heading))
        load = turned.gravity_load()
        if state.load != WEIGHT or WEIGHT in scene.loads:
            load = load + scene.load(state.load)
        assembly = turned.assembly
        if state.friction != 1.0:
            assembly = assembly.with_volumes(lambda volume: self._with_friction(volume, state.friction))
        return assembly, load

    def _with_friction(self, volume: ForceVolume, factor: float) -> ForceVolume:
        """The volume with its friction coefficients multiplied by a factor."""
        if (volume, factor) not in self._volumes:
            recipe = volume.recipe
            if recipe is None or recipe.reshaped:
                made = volume.stretched(factor)
            else:
                names = [name for name in ("mu", "mu_lateral") if recipe.parameters.get(name) is not None]
                made = remade(volume, **{name: factor * recipe.parameters[name] for name in names})
            self._volumes[volume, factor] = made
        return self._volumes[volume, factor]


def stability_answer(state: StabilityPageState, questions: StabilityQuestions) -> Answer:
    """The scene with its verdict, the contacts by what they do, and the object moved along the other motion."""
    if not 0.0 <= state.moved <= 1.0:
        raise InputError(f"is {state.moved}", where="other motion", fix="give from 0 to 1")
    start, scene = clock(), questions.scene
    reason = no_law(scene)
    if reason:
        verdict = Verdict("motion is not computed for these contacts", "open", lines=(reason,))
        drawing = Drawing(_scene_marks(scene)[0])
        return Answer(verdict, Drawing(drawing.marks, framed(drawing.corners, TOWARDS)), scene.name)
    found, proven = questions.stability(state)
    seconds = clock() - start
    marks, solid = _marks(state, questions, found)
    size = _size(solid)
    room = np.vstack([solid + LONGEST * size * way for way in np.vstack([np.eye(3), -np.eye(3)])])
    return Answer(
        _verdict(found, proven, seconds), Drawing(marks, framed(room, TOWARDS)), scene.name, _notes(state, found)
    )


def no_law(scene: Scene) -> str:
    """Why Coulomb's law does not determine the motion at the scene's contacts; "" where it does."""
    try:
        friction_cones(scene.assembly)
    except InputError as error:
        return str(error)
    return ""


# -- words ------------------------------------------------------------------------------------------


def _verdict(found: StrongStability, proven: bool, seconds: float) -> Verdict:
    """The status, the proof and the result in sentences."""
    proof = ""
    if found.status is not StabilityStatus.UNDECIDED:
        size = "" if found.certificate is None else f" ({found.certificate.leaves} leaves)"
        proof = f"proof verified: {'yes' if proven else 'no'}{size}"
    return Verdict(found.status.value, TONES[found.status], proof, seconds, found.sentences)


def _notes(state: StabilityPageState, found: StrongStability) -> str:
    """What colours and arrows mean."""
    words = ["**Dark arrows**: forces on the object; **purple arrow**: the load, not to the scale of the forces."]
    if found.other_motion is not None:
        words = [
            "**Orange object**: direction of motion, not to scale. **Dots**: contacts that stick (green), slip "
            "(orange) or separate (pink) in this motion. " + words[0]
        ]
    if found.status is StabilityStatus.MAY_STAY:
        words.append("May stay: the rigid-body model cannot decide this. It depends on the preload; see load sharing.")
    return " ".join(words)


# -- marks ------------------------------------------------------------------------------------------


def _size(points: Array) -> float:
    return float(np.ptp(points, axis=0).max()) or 0.1 if len(points) else 0.1


def _scene_marks(scene: Scene) -> tuple[dict[str, Mark], Surface | None, Array]:
    """Marks of object and gripper; the faces of the object, or None; and its edges (n, 2, 3), or spokes without one."""
    subject, marks, faces = subject_of(scene), {}, None
    held = np.concatenate([scene.assembly.positions, *subject.faces, *subject.links])
    if subject.shape is not None:
        (vertices, triangles), edges = shape_mesh(subject.shape, held, far=FAR)
        marks["object/faces"] = faces = Surface(vertices, triangles, colour(BODY), 0.2)
    else:
        edges = np.array([(scene.com, point) for point in scene.assembly.positions])
    marks["object/edges"] = Lines(edges, colour("#6E6E6E"), 1.2)
    if subject.faces:
        marks["gripper/units"] = Surface(*polygons_mesh(subject.faces), colour(UNIT), 0.4)
    if subject.links:
        marks["gripper/links"] = Lines(np.concatenate([joined(line) for line in subject.links]), colour(LINK), 5.0)
    return marks, faces, edges


def _marks(
    state: StabilityPageState, questions: StabilityQuestions, found: StrongStability
) -> tuple[dict[str, Mark], Array]:
    """Everything that is drawn, and the points (n, 3) of what is solid."""
    scene, positions = questions.scene, questions.scene.assembly.positions
    marks, faces, edges = _scene_marks(scene)
    solid = np.concatenate([positions, Drawing(marks).corners])
    size, other = _size(solid), found.other_motion
    if other is not None and other.acceleration is not None:
        corners = np.concatenate([edges.reshape(-1, 3), positions])
        fastest = float(np.linalg.norm(other.acceleration_at(corners), axis=1).max())
        pose = displacement(state.moved * DISPLACED * _size(corners) / fastest * other.acceleration)
        tint = colour(style.MOTION)
        if faces is not None:
            marks["moved/faces"] = Surface(pose.apply(faces.vertices), faces.faces, tint, 0.25)
        marks["moved/edges"] = Lines(pose.apply(edges.reshape(-1, 3)).reshape(-1, 2, 3), tint, 2.0)
        modes = np.array([contact.mode.value for contact in other.states])
        for mode in ContactMode:
            if (modes == mode.value).any():
                marks[f"contacts/{mode.value}"] = Dots(positions[modes == mode.value], colour(STATE[mode]), DOT * size)
    else:
        marks["contacts/at rest"] = Dots(positions, colour(style.FORCE), DOT * size)
    forces = other.forces if other is not None else found.rest.even().forces if found.rest.holds else None
    longest = 0.0 if forces is None else float(np.linalg.norm(forces, axis=1).max(initial=0.0))
    if forces is not None and longest > 0.0:
        drawn = np.linalg.norm(forces, axis=1) > 1e-3 * longest
        tips = np.stack([positions, positions + LONGEST * size / longest * forces], axis=1)
        marks["forces"] = Arrows(tips[drawn], colour(style.FORCE), SHAFT * size)
    force = found.wrench[:3]
    if force.any():
        way = LOAD_LENGTH * size * force / float(np.linalg.norm(force))
        ends = np.array([[scene.com, scene.com + way]])
        marks["load/arrow"] = Arrows(ends, colour(style.LOAD), 1.3 * SHAFT * size)
        x, y, z = (float(value) for value in scene.com + 1.15 * way)
        text = WEIGHT if state.load == WEIGHT else f"{WEIGHT} + {state.load}"
        marks["load/word"] = Word(text, (x, y, z), "top-center")
    return marks, solid


# -- the page ---------------------------------------------------------------------------------------


class StabilityPage(AskingPage[StabilityPageState]):
    """Strong stability of one scene.

    Args:
        context: of the browser.
        scene: function that makes the scene; its object has a mass.
    """

    title = "Stability"

    def __init__(self, context: PageContext, scene: Callable[[], Scene]) -> None:
        super().__init__(context)
        self._questions = StabilityQuestions(scene())
        self._handles: dict[str, Any] = {}

    def add_controls(self) -> None:
        """Menu of the load, sliders of gravity and friction, and how far the other motion is drawn."""
        gui, scene, add = self.context.client.gui, self._questions.scene, self._handles
        if no_law(scene):
            return
        start = initial_state(scene)
        names = (WEIGHT, *(name for name in scene.loads if name != WEIGHT))
        if len(names) > 1:
            hint = "loads of the scene act together with the weight"
            add["load"] = self.asks(gui.add_dropdown("Load", names, initial_value=WEIGHT, hint=hint))
        hint = "angle from straight down"
        add["tilt"] = self.asks(gui.add_slider("Gravity tilt [deg]", 0.0, 180.0, 1.0, start.tilt, hint=hint))
        hint = "about z, from x"
        add["heading"] = self.asks(
            gui.add_slider("Gravity heading [deg]", -180.0, 180.0, 1.0, start.heading, hint=hint)
        )
        hint = "factor on the friction coefficients of all contacts"
        low, high = LEAST_FRICTION, MOST_FRICTION
        add["friction"] = self.asks(gui.add_slider("Friction scale", low, high, 0.05, 1.0, hint=hint))
        hint = "how far the object is drawn along the other motion"
        add["moved"] = self.asks(gui.add_slider("Show the other motion", 0.0, 1.0, 0.02, 1.0, hint=hint))

    def state(self) -> StabilityPageState:
        """The present state of the controls."""
        return replace(
            initial_state(self._questions.scene), **{name: handle.value for name, handle in self._handles.items()}
        )

    def answer(self, state: StabilityPageState) -> Answer:
        """The verdict and the other motion."""
        return stability_answer(state, self._questions)

    def shown(self, answer: Answer) -> None:
        """Show the slider of the other motion if there is one."""
        if "moved" in self._handles:
            self._handles["moved"].visible = "moved/edges" in answer.drawing.marks


def file_pages(file: ShownFile) -> tuple[PageEntry, ...]:
    """The page of a scene with one object that has a mass; else none."""
    scene = file.content
    if not scene.mass or scene.bodies:
        return ()
    return (_entry("scene-stability", scene.name, f"Whether {scene.name} stays, or may also move.", lambda: scene),)


def _entry(key: str, title: str, summary: str, scene: Callable[[], Scene]) -> PageEntry:
    return PageEntry(key, title, "Stability", summary, lambda context: StabilityPage(context, scene))


ENTRIES: tuple[PageEntry, ...] = (
    _entry(
        "stability-peg",
        "Peg jammed between two walls",
        "It can hold, but it may also fall, because it has no preload.",
        partial(ready_scene, "jammed_peg"),
    ),
    _entry(
        "stability-slope",
        "Block on a 20 degree slope",
        "It stays, with a proof. With less friction it slides down.",
        partial(ready_scene, "block_on_slope"),
    ),
    _entry(
        "stability-groove",
        "Ball in a V-groove",
        "It stays, and it would stay without friction; a push along the groove makes it roll away.",
        partial(ready_scene, "ball_in_groove"),
    ),
)

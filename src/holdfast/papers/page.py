"""The climber of the viewer: a grip for every limb, where its centre of mass may be, whether it holds (Figs. 17, 18).

Grips are learned when they are first needed, with few enough samples for about a second, and stored. World frame: z
up, x into the wall, y to the climber's left.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ..compiling import clock
from ..errors import HoldfastError
from ..grips import Grip, GripBounds, coulomb_grip, learn_grip
from ..postures.page import LEGEND, TONES, Standing, action_marks, decided, region_marks, standing
from ..robots.page import joined_mesh, link_meshes
from ..robots.plots import BODY, GRIPPER
from ..web.handles import PointHandle
from ..web.marks import Drawing, Lines, Mark, Mesh, Surface, Word, colour, fan, framed, mixed, ring
from ..web.page import Answer, AskingPage, PageEntry, Verdict
from .climbing import WALLS, WallName
from .devices.climber import GRIPS, HOLDS, LIMBS, GripName, Wall, climbing_posture, hand_grip
from .plots import ROCK, SQUARE, WALL_SIZE

if TYPE_CHECKING:
    from ..web.page import PageContext

#: Choices of a limb in addition to the four grips: friction contact with the wall, or no contact.
FLAT, FREE = "flat foot", "free"
CHOICES: tuple[str, ...] = (*GRIPS, FLAT, FREE)

#: Friction of a flat foot.
FLAT_FRICTION = 0.6

#: Numbers of samples for learning grips, by menu entry.
SAMPLES = {"100 samples": 100, "200 samples": 200, "500 samples": 500}

#: The climber's mass [kg] and centre of mass [m] where its URDF cannot be read.
MASS, COM = 110.288, (-0.257, 0.0, 0.019)

#: Size of the drawing for arrows; height of a limb's text above its palm [m].
SIZE, ABOVE = 1.5, 0.16

#: Opacity of the body, so that the centre of mass is visible within it.
BODY_OPACITY = 0.5

#: Number of stored stances.
KEPT = 16

Say = Callable[[str], None]


@dataclass(frozen=True)
class ClimberState:
    """The controls of the page.

    Attributes:
        wall: one of `papers.climbing.WALLS`.
        grips: choice of each limb, in the order of `LIMBS`: one of `CHOICES`.
        com: (x, y, z) of the centre of mass in the world [m].
        mass: mass of the whole body [kg].
        samples: number of samples for learning each grip.
    """

    wall: WallName
    grips: tuple[str, str, str, str]
    com: tuple[float, float, float]
    mass: float = MASS
    samples: int = 200


@lru_cache(maxsize=16)
def learned(name: GripName, samples: int) -> GripBounds:
    """A grip of the four-finger hand with inner and outer bounds, in the palm frame (V.A)."""
    hand = hand_grip(name)
    return learn_grip(hand.assembly(), samples, 0, palm=hand.palm, acting="reaction", workers=1, label=name)


def grip_of(choice: str, samples: int) -> Grip | GripBounds:
    """The wrenches that a limb can apply to the body."""
    return coulomb_grip(FLAT_FRICTION, label=FLAT) if choice == FLAT else learned(choice, samples)  # type: ignore[arg-type]


class Stands:
    """The last stances of one browser, with warm solvers.

    Args:
        say: called with the name of the grip that is learned, or None.
    """

    def __init__(self, say: Say | None = None) -> None:
        self._say = say
        self._known: set[tuple[str, int]] = set()
        self._kept = lru_cache(maxsize=KEPT)(self._made)

    def of(self, state: ClimberState) -> Standing:
        """Grips, poses, regions and a warm solver for the choices of the limbs."""
        return self._kept(replace(state, com=COM))

    def _made(self, state: ClimberState) -> Standing:
        held = [(limb, choice) for limb, choice in zip(LIMBS, state.grips, strict=True) if choice != FREE]
        grips: list[Grip | GripBounds] = []
        for _, choice in held:
            if self._say is not None and choice != FLAT and (choice, state.samples) not in self._known:
                self._say(f"learning the {choice} grip from {state.samples} samples ...")
            self._known.add((choice, state.samples))
            grips.append(grip_of(choice, state.samples))
        poses = [WALLS[state.wall].pose(*HOLDS[limb]) for limb, _ in held]
        return standing([limb.replace("_", " ") for limb, _ in held], grips, poses, state.mass)


def climber_answer(state: ClimberState, stands: Stands | None = None) -> Answer:
    """The climber, its regions at the height of its centre of mass, the wrenches of its hands, and the verdict.

    Args:
        state: state of the controls.
        stands: stored solvers for a warm start; without them the result is the same but slower.
    """
    stand = (stands or Stands()).of(state)
    com = np.asarray(state.com)
    start = clock()
    decision = decided(stand, com)
    seconds = clock() - start
    wall = _wall_marks(WALLS[state.wall])
    robot, missing = _robot_marks(state)
    marks: dict[str, Mark] = {**wall, **robot, **_limb_marks(state), **region_marks(stand, com)}
    marks |= action_marks(stand, com, decision, SIZE)
    view = framed(np.vstack([Drawing(wall).corners, [[-1.2, 0.0, 0.0]]]), (0.8, 0.62, -0.35))
    verdict = Verdict(decision.status, TONES[decision.status], decision.margin, seconds, decision.lines)
    notes = f"{LEGEND} Grips have inner and outer bounds: more samples bring the regions together."
    if missing:
        notes += f"\n\nThe climber is not drawn: {missing}"
    return Answer(verdict, Drawing(marks, view), state.wall, notes)


# -- what is drawn ------------------------------------------------------------------------------------


def _wall_marks(wall: Wall) -> dict[str, Mark]:
    """The wall as a pale sheet with its border; slightly behind the palms, so that they are visible."""
    up, aside = WALL_SIZE
    corners = np.array([wall.pose(up * r, aside * s, -0.015).translation for r, s in SQUARE])
    rock = colour(ROCK)
    return {
        "wall/sheet": Surface(corners, fan(4), rock, 0.55),
        "wall/border": Lines(ring(corners), mixed(rock, (0, 0, 0), 0.3), 1.5),
    }


@lru_cache(maxsize=8)
def _boxes(wall: WallName, grip: GripName) -> dict[str, Mesh]:
    """The climber with one grip at all limbs: "body" and by limb "front_left/arm", "front_left/hand"."""
    posture = climbing_posture(WALLS[wall], grip, grip)
    found: dict[str, list[Mesh]] = {}
    for link, mesh in link_meshes(posture.robot, posture.q).items():
        limb = next((name for name in LIMBS if link.startswith(name)), "")
        part = "hand" if any(word in link for word in ("palm", "inner", "outer")) else "arm"
        found.setdefault(f"{limb}/{part}" if limb else "body", []).append(mesh)
    return {name: joined_mesh(meshes) for name, meshes in found.items()}


def _robot_marks(state: ClimberState) -> tuple[dict[str, Mark], str]:
    """The climber, each hand in its grip; or no marks and the reason, if it cannot be drawn."""
    marks: dict[str, Mark] = {}
    try:
        body = _boxes(state.wall, "opposing")["body"]
        marks["climber/body"] = Surface(*body, colour(BODY), BODY_OPACITY)
        for limb, choice in zip(LIMBS, state.grips, strict=True):
            boxes = _boxes(state.wall, choice if choice in GRIPS else "opposing")  # type: ignore[arg-type]
            pale = choice == FREE
            for part, tint in (("arm", BODY), ("hand", GRIPPER)):
                shade = mixed(colour(tint), (255, 255, 255), 0.6) if pale else colour(tint)
                marks[f"climber/{limb}/{part}"] = Surface(*boxes[f"{limb}/{part}"], shade, 0.35 if pale else 1.0)
    except HoldfastError as error:
        return {}, str(error)
    return marks, ""


def own_com(state_wall: WallName, hands: str, feet: str) -> tuple[tuple[float, float, float], float]:
    """(x, y, z) of the climber's centre of mass [m] and its mass [kg], hands and feet in these grips."""
    front, rear = (name if name in GRIPS else "opposing" for name in (hands, feet))
    try:
        posture = climbing_posture(WALLS[state_wall], front, rear)  # type: ignore[arg-type]
    except HoldfastError:
        return COM, MASS
    x, y, z = (float(v) for v in posture.com)
    return (x, y, z), float(posture.mass)


def _limb_marks(state: ClimberState) -> dict[str, Mark]:
    """The name of each limb's grip."""
    marks: dict[str, Mark] = {}
    wall = WALLS[state.wall]
    for limb, choice in zip(LIMBS, state.grips, strict=True):
        place = wall.pose(HOLDS[limb][0], HOLDS[limb][1], ABOVE).translation + np.array([0.0, 0.0, ABOVE])
        marks[f"words/{limb}"] = Word(choice, (float(place[0]), float(place[1]), float(place[2])))
    return marks


# The quadruped climber on its wall: a grip for every limb, support regions, the centre of mass dragged in them.

#: Range of the sliders for the centre of mass [m]: into the wall and away from it, and to either side.
ACROSS, ASIDE = (-1.6, 0.6), (-1.2, 1.2)

#: Size of the handle at the centre of mass [m].
HANDLE = 0.28


class ClimberPage(AskingPage["ClimberState"]):
    """Menus of grips, and a handle at the centre of mass."""

    title = "Quadruped on its wall"

    def __init__(self, context: PageContext) -> None:
        super().__init__(context)
        self._handles: dict[str, Any] = {}
        self._limbs: list[Any] = []
        self._com: PointHandle[tuple[float, float, float]] | None = None
        self._stands: Stands | None = None

    def add_controls(self) -> None:
        """Wall, a grip for every limb, mass, fineness; the centre of mass by two sliders and a handle in the scene."""
        gui = self.context.client.gui
        com, mass = own_com("near-vertical", "opposing", "opposing")
        add = self._handles
        add["wall"] = self.asks(gui.add_dropdown("Wall", tuple(WALLS), initial_value="near-vertical"))
        for limb in LIMBS:
            name = limb.replace("_", " ").capitalize()
            self._limbs.append(self.asks(gui.add_dropdown(name, CHOICES, initial_value="opposing")))
        hints = {"x": "into the wall", "y": "to the left"}
        self._com = PointHandle(self, com, {"x": ACROSS, "y": ASIDE}, HANDLE, hints=hints)
        add["mass"] = self.asks(gui.add_slider("Mass [kg]", 20.0, 400.0, 1.0, round(mass)))
        add["samples"] = self.asks(gui.add_dropdown("Grips from", tuple(SAMPLES), initial_value="200 samples"))
        add["home"] = self.keep(gui.add_button("Own centre of mass"))
        add["home"].on_click(lambda _: self._go_home())

    def state(self) -> ClimberState:
        """The present state of menus, sliders and handle."""
        assert self._com is not None
        front_left, front_right, rear_left, rear_right = (handle.value for handle in self._limbs)
        return ClimberState(
            wall=self._handles["wall"].value,
            grips=(front_left, front_right, rear_left, rear_right),
            com=self._com.position,
            mass=float(self._handles["mass"].value),
            samples=SAMPLES[self._handles["samples"].value],
        )

    def answer(self, state: ClimberState) -> Answer:
        """The climber, its regions and the verdict."""
        if self._stands is None:
            self._stands = Stands(self.say)
        return climber_answer(state, self._stands)

    def _go_home(self) -> None:
        """Set the centre of mass to that of the links."""
        com, _ = own_com(self._handles["wall"].value, self._limbs[0].value, self._limbs[2].value)
        assert self._com is not None
        self._com.move(com)


ENTRIES = (
    PageEntry(
        "climber",
        ClimberPage.title,
        "Climber",
        "Where the body may be: guaranteed within the green region, excluded outside the red one.",
        ClimberPage,
    ),
)

"""A body on its hands from a posture or robot file: support regions, and its centre of mass dragged in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..web.page import Answer, AskingPage, PageEntry

if TYPE_CHECKING:
    from ..robots.files import RobotScene
    from ..web.page import PageContext
    from .files_posture_scene import PostureScene
    from .page_com_handle import ComHandle
    from .page_posture_stand import Body, PostureState, Standings

#: Masses reach this many times the file's.
MASS_REACH = 5.0

#: Size of the handle at the centre of mass, as a share of the posture's.
HANDLE = 0.18

#: The menu's word for no load.
NONE = "none"


class PosturePage(AskingPage["PostureState"]):
    """Handle and sliders for the centre of mass; sliders for mass and gravity, a menu of loads.

    Args:
        context: of the browser.
        body: makes the body, once the page is opened.
    """

    def __init__(self, context: PageContext, body: Callable[[], Body]) -> None:
        super().__init__(context)
        self._make = body
        self._standings: Standings | None = None
        self._com: ComHandle | None = None
        self._handles: dict[str, Any] = {}
        self._mass = 0.0

    def add_controls(self) -> None:
        """The centre of mass by three sliders and a handle in the scene; mass, gravity, loads."""
        from .page_com_handle import ComHandle
        from .page_posture_stand import Standings, reaches

        body = self._make()
        self._standings, self.title = Standings(body), body.scene.name
        gui, add, start = self.context.client.gui, self._handles, body.start
        self._com = ComHandle(self, start.com, reaches(body), HANDLE * body.size)
        most = float(f"{MASS_REACH * start.mass:.2g}")
        self._mass = float(f"{start.mass:.4g}")
        add["mass"] = self.asks(gui.add_slider("Mass [kg]", most / 500.0, most, most / 500.0, self._mass))
        fixed = body.gravity_is_fixed
        for name, label, low, value, hint in (
            ("tilt", "Gravity tilt [deg]", 0.0, start.tilt, "angle from straight down"),
            ("heading", "Gravity heading [deg]", -180.0, start.heading, "about z, from x"),
        ):
            add[name] = self.asks(gui.add_slider(label, low, 180.0, 1.0, value, hint=hint, disabled=fixed))
        names = (NONE, *body.scene.loads)
        add["load"] = self.asks(gui.add_dropdown("Load", names, initial_value=NONE, visible=len(names) > 1))
        home = self.keep(gui.add_button("As in the file"))
        home.on_click(lambda _: self._go_home())

    def state(self) -> PostureState:
        """What handle, sliders and menu say; the mass as it was begun stands for the file's own number."""
        from .page_posture_stand import PostureState

        assert self._com is not None and self._standings is not None
        read = {name: handle.value for name, handle in self._handles.items()}
        load = "" if read["load"] == NONE else read["load"]
        mass, tilt, heading = float(read["mass"]), float(read["tilt"]), float(read["heading"])
        mass = self._standings.body.scene.mass if mass == self._mass else mass
        return PostureState(self._com.position, mass, tilt, heading, load)

    def answer(self, state: PostureState) -> Answer:
        """The body, its regions and the verdict."""
        from .page_posture_stand import posture_answer

        assert self._standings is not None
        return posture_answer(state, self._standings.body, self._standings)

    def _go_home(self) -> None:
        """Everything as the file has it."""
        assert self._standings is not None and self._com is not None
        start = self._standings.body.start
        for name, value in (("mass", self._mass), ("tilt", start.tilt), ("heading", start.heading)):
            self._handles[name].value = value
        self._handles["load"].value = NONE
        self._com.move(start.com)


def scene_entry(scene: PostureScene, key: str = "scene-posture") -> PageEntry:
    """The page of a posture from a file."""

    def body() -> Body:
        from .page_posture_stand import Body

        return Body(scene)

    summary = f"{scene.name}: where the body may lean, and what its hands bear."
    return PageEntry(key, scene.name, "Climber", summary, lambda context: PosturePage(context, body))


def robot_entry(scene: RobotScene, key: str = "scene-robot") -> PageEntry:
    """The page of a robot from a file, one body on its hands; a robot without hands is an InputError."""
    from .page_posture_stand import robot_body

    body = robot_body(scene)
    summary = f"{scene.name}: where the robot may lean in this posture, and what its hands bear."
    return PageEntry(key, scene.name, "Climber", summary, lambda context: PosturePage(context, lambda: body))


def ready_entry(name: str, title: str, summary: str) -> PageEntry:
    """The page of a ready posture, which is read when the page is opened."""

    def body() -> Body:
        from .files_posture_reader import load_posture
        from .page_posture_stand import Body

        return Body(load_posture(f"@{name}"))

    key = name.replace("_", "-")
    return PageEntry(key, title, "Climber", summary, lambda context: PosturePage(context, body))


ENTRIES = (
    ready_entry(
        "quadruped_on_rock",
        "Quadruped on rock",
        "Four feet with friction on uneven rock: where it may lean is not the hull of its feet.",
    ),
    ready_entry(
        "climber_on_overhang",
        "Climber on an overhang",
        "Four gripping hands on a wall that overhangs by 15 degrees.",
    ),
)

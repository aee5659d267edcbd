"""The quadruped climber on its wall: a grip for every limb, support regions, the centre of mass dragged in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..web.asking import Answer, AskingPage
from ..web.page import PageEntry

if TYPE_CHECKING:
    from ..postures.page import ComHandle
    from ..web.page import PageContext
    from .page_climber_stand import ClimberState, Stands

#: How far the centre of mass may be taken by the sliders [m]: into the wall and off it, and to either side.
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
        self._com: ComHandle | None = None
        self._stands: Stands | None = None

    def add_controls(self) -> None:
        """Wall, a grip for every limb, mass, fineness; the centre of mass by two sliders and a handle in the scene."""
        from ..postures.page import ComHandle
        from .devices.own_robots import LIMBS
        from .page_climber_stand import CHOICES, SAMPLES, own_com
        from .studies.climbing import WALLS

        gui = self.context.client.gui
        com, mass = own_com("near-vertical", "opposing", "opposing")
        add = self._handles
        add["wall"] = self.asks(gui.add_dropdown("Wall", tuple(WALLS), initial_value="near-vertical"))
        for limb in LIMBS:
            name = limb.replace("_", " ").capitalize()
            self._limbs.append(self.asks(gui.add_dropdown(name, CHOICES, initial_value="opposing")))
        hints = {"x": "into the wall", "y": "to the left"}
        self._com = ComHandle(self, com, {"x": ACROSS, "y": ASIDE}, HANDLE, hints)
        add["mass"] = self.asks(gui.add_slider("Mass [kg]", 20.0, 400.0, 1.0, round(mass)))
        add["samples"] = self.asks(gui.add_dropdown("Grips by", tuple(SAMPLES), initial_value="200 samples"))
        add["home"] = self.keep(gui.add_button("Own centre of mass"))
        add["home"].on_click(lambda _: self._go_home())

    def state(self) -> ClimberState:
        """What menus, sliders and handle say."""
        from .page_climber_stand import SAMPLES, ClimberState

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
        from .page_climber_stand import Stands, climber_answer

        if self._stands is None:
            self._stands = Stands(self.say)
        return climber_answer(state, self._stands)

    def _go_home(self) -> None:
        """The centre of mass of the links themselves."""
        from .page_climber_stand import own_com

        com, _ = own_com(self._handles["wall"].value, self._limbs[0].value, self._limbs[2].value)
        assert self._com is not None
        self._com.move(com)


ENTRIES = (
    PageEntry(
        "climber",
        ClimberPage.title,
        "Climber",
        "Where the body may be: surely within the green region, surely not beyond the red one (Figs. 17 and 18).",
        ClimberPage,
    ),
)

"""A planar body in contact with friction: sliders for its load, and a ghost for every motion that is possible."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..web.page import Answer, AskingPage
from ..web.page import PageEntry

if TYPE_CHECKING:
    from ..web.page import PageContext
    from .files_planar_scene import PlanarBodyScene
    from .page_body_motions import BodyState

#: Largest friction coefficient of the slider.
MOST_FRICTION = 4.0

#: Which motions are drawn.
CHOICES = ("all motions", "first motion", "second motion", "third motion", "fourth motion")


class PlanarBodyPage(AskingPage["BodyState"]):
    """Sliders for friction and load of a body.

    Args:
        context: of the browser.
        scene: a scene about a planar body, or the name of a ready one, "@ladder".
    """

    def __init__(self, context: PageContext, scene: PlanarBodyScene | str) -> None:
        super().__init__(context)
        self._given = scene
        self._scene: PlanarBodyScene | None = None
        self._handles: dict[str, Any] = {}

    def add_controls(self) -> None:
        """Friction, the force at the centre of mass and its torque, and which motions are drawn."""
        from ..errors import InputError
        from ..scenes.page import round_up
        from .files_planar_reader import load_planar
        from .files_planar_scene import PlanarBodyScene
        from .page_body_motions import force_ranges

        scene = load_planar(self._given) if isinstance(self._given, str) else self._given
        if not isinstance(scene, PlanarBodyScene):
            raise InputError("is no body", where="scene", fix="give a planar scene about a body")
        self._scene, self.title = scene, scene.name
        gui, add, mu = self.context.client.gui, self._handles, self._file_mu()
        add["mu"] = self.asks(gui.add_slider("Friction", 0.0, max(MOST_FRICTION, mu), 0.01, mu))
        for name, label, most, value in zip(
            ("fx", "fy", "torque"), ("Force x [N]", "Force y [N]", "Torque [N m]"), force_ranges(scene), scene.force,
            strict=True,
        ):  # fmt: skip
            reach = round_up(most)
            add[name] = self.asks(gui.add_slider(label, -reach, reach, reach / 1000.0, float(value)))
        add["chosen"] = self.asks(gui.add_dropdown("Drawn", CHOICES, initial_value=CHOICES[0]))
        back = self.keep(gui.add_button("Load of the scene"))
        back.on_click(lambda _: self._go_back())

    def state(self) -> BodyState:
        """What sliders and menu say; sliders as they were begun stand for the scene's own numbers."""
        from .page_body_motions import BodyState

        assert self._scene is not None
        read = {name: handle.value for name, handle in self._handles.items()}
        mu, chosen = float(read["mu"]), CHOICES.index(read["chosen"])
        force = (float(read["fx"]), float(read["fy"]), float(read["torque"]))
        return BodyState(None if mu == self._file_mu() else mu, force, None if chosen == 0 else chosen - 1)

    def answer(self, state: BodyState) -> Answer:
        """All motions that are possible."""
        from .page_body_motions import body_answer

        assert self._scene is not None
        return body_answer(state, self._scene)

    def _file_mu(self) -> float:
        """The first contact's friction coefficient in the scene."""
        assert self._scene is not None
        return round(float(self._scene.contacts[0].mu), 2) if self._scene.contacts else 0.0

    def _go_back(self) -> None:
        """Friction and load as the scene has them."""
        assert self._scene is not None
        self._handles["mu"].value = self._file_mu()
        for name, value in zip(("fx", "fy", "torque"), self._scene.force, strict=True):
            self._handles[name].value = float(value)
        self.ask()


def scene_entry(scene: PlanarBodyScene, key: str = "scene-body") -> PageEntry:
    """The page of a body from a file."""
    summary = scene.description or "Every motion that contacts and load allow."
    return PageEntry(key, scene.name, "Planar", summary, lambda context: PlanarBodyPage(context, scene))


def _ready(key: str, file: str, title: str, summary: str) -> PageEntry:
    return PageEntry(key, title, "Planar", summary, lambda context: PlanarBodyPage(context, f"@{file}"))


ENTRIES = (
    _ready(
        "body-points", "three_points", "Body on three points", "A body on three feet: above mu = 2 pulls are ambiguous."
    ),
    _ready("body-box", "box_pushed", "Pushed box", "A box pushed high above the floor slides, tips, or both."),
    _ready("body-incline", "block_on_incline", "Block on an incline", "Does it stay, slide, or tip?"),
    _ready("body-ladder", "ladder", "Ladder at a wall", "A ladder slips when the floor is too smooth for its angle."),
    _ready(
        "body-rod", "painleve_rod", "Painlev\u00e9's rod", "A sliding rod for which the laws leave no motion, or two."
    ),
    _ready("body-peg", "peg_jammed", "Peg in a hole", "A tilted peg may jam: pushing harder does not help."),
    _ready("body-fingers", "three_finger_grasp", "Three-finger grasp", "What three fingers with friction hold."),
)

"""A planar snake between walls, with its torque set: which torques leave only the wanted motion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..web.page import Answer, AskingPage
from ..web.page import PageEntry

if TYPE_CHECKING:
    from ..web.page import PageContext
    from .files_planar_scene import PlanarChainScene
    from .page_snake_torques import SnakeState, TorqueSets

#: Largest friction coefficient of the slider.
MOST_FRICTION = 2.0


class SnakePage(AskingPage["SnakeState"]):
    """Sliders for friction and torques of a chain.

    Args:
        context: of the browser.
        scene: a chain scene, or the name of a ready one, "@two_link_snake".
    """

    def __init__(self, context: PageContext, scene: PlanarChainScene | str) -> None:
        super().__init__(context)
        self._scene = scene
        self._sets: TorqueSets | None = None
        self._ranges: Sequence[tuple[float, float]] = ()
        self._torques: list[Any] = []
        self._shown: Any = None
        self._mu: Any = None

    def add_controls(self) -> None:
        """A slider for friction, one for every motor, and a menu of the torques that are drawn."""
        from ..errors import InputError
        from .files_planar_reader import load_planar
        from .files_planar_scene import PlanarChainScene
        from .page_snake_torques import TorqueSets, first_torques

        scene = load_planar(self._scene) if isinstance(self._scene, str) else self._scene
        if not isinstance(scene, PlanarChainScene):
            raise InputError("is no chain", where="scene", fix="give a planar scene about a chain")
        self.title = scene.name
        self._sets = TorqueSets(scene)
        self._ranges = self._sets.ranges()
        start = first_torques(self._sets, self._ranges)
        gui, mu = self.context.client.gui, self._file_mu()
        self._mu = self.asks(gui.add_slider("Friction", 0.0, max(MOST_FRICTION, mu), 0.01, mu))
        for i, (low, high) in enumerate(self._ranges):
            name = f"Torque {i + 1} [N m]"
            self._torques.append(self.asks(gui.add_slider(name, low, high, (high - low) / 400.0, start[i])))
        choices = [", ".join(str(i + 1) for i in axes) for axes in _axes(len(self._ranges))]
        self._shown = self.asks(gui.add_dropdown("Torques shown", choices, visible=len(choices) > 1))
        best = self.keep(gui.add_button("Deepest torque of T*"))
        best.on_click(lambda _: self._go_deepest())

    def state(self) -> SnakeState:
        """What the sliders say."""
        from .page_snake_torques import SnakeState

        mu = float(self._mu.value)
        shown = tuple(int(word) - 1 for word in self._shown.value.split(", "))
        torques = tuple(float(handle.value) for handle in self._torques)
        return SnakeState(None if mu == self._file_mu() else mu, torques, shown)

    def answer(self, state: SnakeState) -> Answer:
        """The chain, the sets of torques, what these torques allow."""
        from .page_snake_torques import snake_answer

        assert self._sets is not None
        return snake_answer(state, self._sets, self._ranges)

    def _file_mu(self) -> float:
        """The first contact's friction coefficient in the scene."""
        assert self._sets is not None
        contacts = self._sets.scene.contacts
        return round(float(contacts[0].mu), 2) if contacts else 0.0

    def _go_deepest(self) -> None:
        """Put the sliders to the torque that may err most, as far as they reach."""
        from .page_snake_torques import deepest_torques

        assert self._sets is not None
        found = deepest_torques(self._sets, self.state().mu, self._ranges)
        if found is None:
            return
        for handle, value in zip(self._torques, found, strict=True):
            handle.value = value
        self.ask()


def _axes(count: int) -> list[tuple[int, ...]]:
    """Torques to draw together: all of up to three, else neighbours, three and two at a time."""
    if count <= 3:
        return [tuple(range(count))]
    triples = [(i, i + 1, i + 2) for i in range(count - 2)]
    return [*triples, *((i, i + 1) for i in range(count - 1))]


def scene_entry(scene: PlanarChainScene, key: str = "scene-chain") -> PageEntry:
    """The page of a chain from a file."""
    summary = scene.description or "The torques that leave only the wanted motion."
    return PageEntry(key, scene.name, "Planar", summary, lambda context: SnakePage(context, scene))


def _ready(key: str, file: str, title: str, summary: str) -> PageEntry:
    return PageEntry(key, title, "Planar", summary, lambda context: SnakePage(context, f"@{file}"))


ENTRIES = (
    _ready(
        "snake",
        "two_link_snake",
        "Snake of two links",
        "Two links between walls and one motor: press outwards hard enough, and nothing else can happen.",
    ),
    _ready(
        "snake-rough",
        "two_link_snake_ambiguous",
        "Snake of two links, rough walls",
        "With much friction weak torques become ambiguous: the links may stay, or slip.",
    ),
    _ready(
        "snake-three",
        "three_link_snake",
        "Snake of three links",
        "Two torques, a quarter of which leave only one motion.",
    ),
    _ready(
        "snake-six",
        "six_link_snake",
        "Snake of six links",
        "Standing still as a task: the set is flat within five torques; it is drawn as shadows on some of them.",
    ),
)

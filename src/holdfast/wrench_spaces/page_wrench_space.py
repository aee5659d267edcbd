"""Wrench spaces: slices over any three axes as surfaces with level lines, two configurations side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..web.page import Answer, AskingPage
from ..web.page import PageEntry
from .page_slice_surfaces import AXES, FINENESS, Configuration, SpaceState, paper_configurations, space_answer

if TYPE_CHECKING:
    import numpy as np

    from ..assembly.assembly import Assembly
    from ..scenes import Scene
    from ..web.page import PageContext

#: The slices of the paper, and what lets a reader choose the axes one by one.
SLICES = {"fx, fy, fz": ("fx", "fy", "fz"), "fx, ty, fz": ("fx", "ty", "fz")}
OWN = "own axes"

#: What the second menu shows when there is one surface only.
NOTHING = "nothing"


class WrenchSpacePage(AskingPage[SpaceState]):
    """Limit surfaces of the paper's devices, and of a scene where one is given.

    Args:
        context: of the browser.
        own: another configuration, listed first, or None.
    """

    title = "Slices and level lines"

    def __init__(self, context: PageContext, own: Configuration | None = None) -> None:
        super().__init__(context)
        ready = paper_configurations()
        self._configurations = ready if own is None else {own.name: own, **ready}
        self._handles: dict[str, Any] = {}

    def add_controls(self) -> None:
        """Menus of configurations, axes and fineness."""
        gui, names = self.context.client.gui, tuple(self._configurations)
        add = self._handles
        add["first"] = self.asks(gui.add_dropdown("Configuration", names, initial_value=names[0]))
        add["second"] = self.asks(gui.add_dropdown("Beside it", (NOTHING, *names), initial_value=NOTHING))
        add["slice"] = self.keep(gui.add_dropdown("Slice", (*SLICES, OWN), initial_value=next(iter(SLICES))))
        for axis, word in zip("xyz", ("fx", "fy", "fz"), strict=True):
            handle = gui.add_dropdown(f"Axis {axis}", AXES, initial_value=word, visible=False)
            add[axis] = self.asks(handle)
        add["fineness"] = self.asks(gui.add_dropdown("Fineness", tuple(FINENESS), initial_value="fine: 642 rays"))
        hint = "by the convex hull of each contact's pieces: an outer limit, found faster"
        add["hull"] = self.asks(gui.add_checkbox("Outer (hulls)", initial_value=False, hint=hint))
        add["levels"] = self.asks(gui.add_checkbox("Level lines", initial_value=True))
        add["slice"].on_update(lambda _: self._choose_slice())

    def state(self) -> SpaceState:
        """What the menus say."""
        read = {name: handle.value for name, handle in self._handles.items()}
        own = (read["x"], read["y"], read["z"])
        return SpaceState(
            first=read["first"],
            second="" if read["second"] == NOTHING else read["second"],
            axes=SLICES.get(read["slice"], own),  # pyright: ignore[reportArgumentType]
            level=FINENESS[read["fineness"]],
            hull=read["hull"],
            levels=read["levels"],
        )

    def answer(self, state: SpaceState) -> Answer:
        """The surfaces."""
        return space_answer(state, self._configurations, self.say)

    def _choose_slice(self) -> None:
        """Own axes have menus; the paper's slices need none."""
        for axis in "xyz":
            self._handles[axis].visible = self._handles["slice"].value == OWN
        self.ask()


def scene_entry(scene: Scene, key: str = "scene-space") -> PageEntry:
    """The page of a scene file's wrench space; its weight is left out, torques are about the world origin."""

    def make() -> tuple[Assembly, np.ndarray]:
        import numpy as np

        return scene.with_gravity((0.0, 0.0, 0.0)).assembly, np.zeros(3)

    own = Configuration(scene.name, make)
    summary = f"The loads that {scene.name} bears, over any three axes."
    return PageEntry(key, scene.name, "Wrench spaces", summary, lambda context: WrenchSpacePage(context, own))


ENTRIES = (
    PageEntry(
        "wrench-space",
        WrenchSpacePage.title,
        "Wrench spaces",
        "How much the devices bear in every direction of three axes (Figs. 7 to 11), one or two side by side.",
        WrenchSpacePage,
    ),
)

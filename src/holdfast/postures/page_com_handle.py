"""ComHandle: the centre of mass of a page, by a handle in the scene and by sliders that follow each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..web.page import AskingPage

#: The handle in the scene.
NODE = "/com handle"

#: Steps of the sliders [m].
STEP = 0.005


class ComHandle:
    """A handle to drag, and sliders for some of its coordinates.

    Args:
        page: asks anew after every change, and removes all of it.
        com: (x, y, z) where it begins [m].
        reaches: (low, high) of the slider of each axis [m], by "x", "y" or "z"; wider where `com` is beyond.
        size: of the handle [m].
        hints: by axis.
    """

    def __init__(
        self,
        page: AskingPage[Any],
        com: tuple[float, float, float],
        reaches: Mapping[str, tuple[float, float]],
        size: float,
        hints: Mapping[str, str] | None = None,
    ) -> None:
        self._page = page
        self._sliders: dict[str, Any] = {}
        client = page.context.client
        for axis, (low, high) in reaches.items():
            value = round(com["xyz".index(axis)], 3)
            low, high = min(low, value), max(high, value)
            hint = (hints or {}).get(axis)
            slider = client.gui.add_slider(f"COM {axis} [m]", low, high, STEP, value, hint=hint)
            slider.on_update(lambda event: self._follow_sliders() if event.client is not None else None)
            self._sliders[axis] = page.keep(slider)
        self._handle: Any = page.keep(
            client.scene.add_transform_controls(
                NODE, size, disable_rotations=True, depth_test=False, position=com, line_width=3.0
            )
        )
        self._handle.on_update(lambda _: self._follow_handle())

    @property
    def position(self) -> tuple[float, float, float]:
        """Where the handle is [m]; sliders may reach less far."""
        x, y, z = (float(value) for value in self._handle.position)
        return x, y, z

    def move(self, com: tuple[float, float, float]) -> None:
        """Put it elsewhere, and ask."""
        self._handle.position = com
        self._follow_handle()

    def _follow_handle(self) -> None:
        """The sliders show where the handle is, as far as they reach."""
        place = self.position
        for axis, slider in self._sliders.items():
            slider.value = min(max(round(place["xyz".index(axis)], 3), slider.min), slider.max)
        self._page.ask()

    def _follow_sliders(self) -> None:
        """The handle goes where the sliders say; coordinates without one stay."""
        place = list(self.position)
        for axis, slider in self._sliders.items():
            place["xyz".index(axis)] = float(slider.value)
        self._handle.position = tuple(place)
        self._page.ask()

"""A movable point: a handle to drag in the scene, and sliders with the same value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from .page import AskingPage

#: Name of a handle in the scene.
NODE = "/com handle"

#: Steps of the sliders [m].
STEP = 0.005

#: A point of the page; one of the scene.
Point = TypeVar("Point", bound="tuple[float, ...]")
Place = tuple[float, float, float]


def _same(point: Any) -> Any:
    return point


class PointHandle(Generic[Point]):
    """A handle to drag, and sliders for some of its coordinates.

    Args:
        page: asks again after every change, and removes handle and sliders when it closes.
        point: initial position [m]: (x, y, z), or (x, y) of a plane with `to_scene` and `from_scene`.
        reaches: (low, high) of the slider of each axis [m], by "x", "y" or "z"; wider where `point` is beyond.
        size: of the handle, in the scene.
        label: of the sliders, with the axis in place of {}.
        hints: of the sliders, by axis.
        step: of the sliders [m].
        to_scene: from a point of the page to one of the scene; the same by default.
        from_scene: the inverse of `to_scene`.
        axes: of the scene along which the handle moves.
    """

    def __init__(
        self,
        page: AskingPage[Any],
        point: Point,
        reaches: Mapping[str, tuple[float, float]],
        size: float,
        *,
        label: str = "COM {} [m]",
        hints: Mapping[str, str] | None = None,
        step: float = STEP,
        to_scene: Callable[[Point], Place] = _same,
        from_scene: Callable[[Place], Point] = _same,
        axes: tuple[bool, bool, bool] = (True, True, True),
    ) -> None:
        self._page, self._to_scene, self._from_scene = page, to_scene, from_scene
        self._sliders: dict[str, Any] = {}
        client = page.context.client
        for axis, (low, high) in reaches.items():
            value = round(point["xyz".index(axis)], 3)
            low, high, hint = min(low, value), max(high, value), (hints or {}).get(axis)
            slider = client.gui.add_slider(label.format(axis), low, high, step, value, hint=hint)
            slider.on_update(lambda event: self._follow_sliders() if event.client is not None else None)
            self._sliders[axis] = page.keep(slider)
        self._handle: Any = page.keep(
            client.scene.add_transform_controls(
                NODE,
                size,
                active_axes=axes,
                disable_rotations=True,
                depth_test=False,
                position=to_scene(point),
                line_width=3.0,
            )
        )
        self._handle.on_update(lambda _: self._follow_handle())

    @property
    def position(self) -> Point:
        """Where the handle is [m]; sliders may have a smaller range."""
        x, y, z = (float(value) for value in self._handle.position)
        return self._from_scene((x, y, z))

    def move(self, point: Point) -> None:
        """Move the handle, and ask again."""
        self._handle.position = self._to_scene(point)
        self._follow_handle()

    def _follow_handle(self) -> None:
        """Set the sliders to the position of the handle, within their range."""
        place = self.position
        for axis, slider in self._sliders.items():
            slider.value = min(max(round(place["xyz".index(axis)], 3), slider.min), slider.max)
        self._page.ask()

    def _follow_sliders(self) -> None:
        """Move the handle to the values of the sliders; coordinates without a slider stay."""
        place = list(self.position)
        for axis, slider in self._sliders.items():
            place["xyz".index(axis)] = float(slider.value)
        moved: Any = tuple(place)
        self._handle.position = self._to_scene(moved)
        self._page.ask()

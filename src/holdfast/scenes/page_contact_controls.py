"""The controls of a contacts page in one browser: sliders, menus and a gizmo that together make a ContactState."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from ..assembly.loads import STANDARD_GRAVITY
from ..web import meshes
from .page_contact_drawing import ROOT
from .page_contact_states import ContactState, angles, fingers_of

if TYPE_CHECKING:
    import viser

    from ..checks import Array
    from .page_contact_sources import PostureControl

#: More units than this have no checkbox each.
MOST_CHECKBOXES = 24

#: Masses reach this many times the scene's, load sliders this many times its weight.
MASS_REACH, LOAD_REACH = 5.0, 5.0

#: Words of menus for no phalanx and no load.
NONE = "none"


class ContactControls:
    """Widgets of one page.

    Args:
        client: the browser.
        initial: where they begin.
        posture: what the posture depends on.
        loads: names of the scene's loads.
        changed: called after every change by hand; reads `state`.
    """

    def __init__(
        self,
        client: viser.ClientHandle,
        initial: ContactState,
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
    def state(self) -> ContactState:
        """What the widgets say now."""
        value = {name: handle.value for name, handle in self._sliders.items()}
        named = "" if self._named is None or self._named.value == NONE else self._named.value
        return ContactState(
            tilt=float(value["tilt"]),
            heading=float(value["heading"]),
            mass=float(value["mass"]),
            friction=float(value["friction"]),
            touching=self._touching(),
            load_size=float(value["load_size"]),
            load_tilt=float(value["load_tilt"]),
            load_heading=float(value["load_heading"]),
            named=named,
            factor=float(value.get("factor", 1.0)),
            posture=tuple((control.name, value[f"posture {control.name}"]) for control in self._posture),
        )

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
        """Add the gravity arrow with rings to drag it by, at a point of the scene."""
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
        """Turn the gizmo to where the gravity sliders are, unless it is what moves them.

        To be called after the verdict is shown: a browser draws the scene anew for it, and the verdict would wait.
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
        """A menu a finger, or a checkbox a unit; many units touch without being asked."""
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
        """The gizmo was turned: the sliders follow it."""
        gizmo = self._gizmo
        if gizmo is None:
            return
        self._grabbed = event.phase != "end"
        tilt, heading = angles(meshes.rotations(gizmo.wxyz) @ np.array([0.0, 0.0, -1.0]))
        self._sliders["tilt"].value = round(tilt, 1)
        self._sliders["heading"].value = round(heading, 1)


def gizmo_turn(tilt: float, heading: float) -> Array:
    """(4,) quaternion (w, x, y, z) that turns -z to the direction of gravity."""
    t, h = np.radians(tilt), np.radians(heading)
    about_y = np.array([[np.cos(t), 0.0, -np.sin(t)], [0.0, 1.0, 0.0], [np.sin(t), 0.0, np.cos(t)]])
    about_z = np.array([[np.cos(h), -np.sin(h), 0.0], [np.sin(h), np.cos(h), 0.0], [0.0, 0.0, 1.0]])
    return meshes.quaternions((about_z @ about_y)[None])[0]


def round_up(value: float) -> float:
    """The smallest of 1, 2, 5 times a power of ten that is not below `value` > 0."""
    power = 10.0 ** np.floor(np.log10(value))
    return float(min(m * power for m in (1.0, 2.0, 5.0, 10.0) if m * power >= value * (1.0 - 1e-9)))


def subsets(letters: str) -> tuple[str, ...]:
    """All choices of letters in their order, the most first, `NONE` last: "PMD", "PM", ..., "D", "none"."""
    counts = range(len(letters), 0, -1)
    return (*("".join(some) for count in counts for some in combinations(letters, count)), NONE)

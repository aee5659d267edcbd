"""Contacts and forces: a gripper or a scene file, its force volumes, the forces that hold, or what happens then."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..web.animation import Animation
from ..web.latest import LatestOnly
from ..web.marks import framed
from ..web.page import PageContext, PageEntry
from ..web.spare_memory import give_back
from ..web.verdict import COMPUTING
from .page_contact_answers import ContactAnswer, ContactQuestions
from .page_contact_controls import ContactControls
from .page_contact_drawing import FORCE_LENGTH, ContactDrawing, Volumes
from .page_contact_sources import TWO_FINGERS, TWO_OPPOSED_UNITS, FileSource, Source, four_fingers, initial_posture
from .page_contact_states import initial_state
from .page_predicted_motion import PredictedMotion, predicted_motion

if TYPE_CHECKING:
    from ..checks import Array
    from ..geometry.frames import Pose

#: The picture follows the verdict by this long [s]: a browser that draws on the processor is deaf while it draws.
LEAD = 0.04

#: The motion is computed once the hand has rested this long [s]; the verdict is there before.
REST = 0.15

#: The way the camera looks.
TOWARDS = (-0.7, 1.0, -0.75)


class ContactsPage:
    """One browser's visit to a contacts page.

    Args:
        context: the browser and what it has.
        source: the device or the file.
        title: of the page.
    """

    def __init__(self, context: PageContext, source: Source, title: str) -> None:
        self.title = title
        self._context = context
        self._source = source
        self._questions = ContactQuestions(source)
        self._drawing = ContactDrawing(context.client)
        self._controls: ContactControls | None = None
        self._motions = LatestOnly(context.report, name="viewer motion")
        self._animation: Animation[Pose] = Animation(self._drawing.move_ghost, context.report)
        self._closed = threading.Event()
        self._shown = threading.Lock()
        self._number = 0
        self._own: list[Any] = []
        self._force_slider: Any = None
        self._fitted = False

    def open(self) -> None:
        """Add controls and picture, and ask about the state they begin with."""
        posture = tuple(initial_posture(self._source).items())
        scene = self._questions.scene(posture)
        start = initial_state(scene, posture)
        self._context.verdict.show(COMPUTING)  # tables of force volumes are made for the first answer
        self._drawing.show_scene(scene)
        self._look()
        self._controls = ContactControls(
            self._context.client, start, self._source.controls, tuple(scene.loads), self.ask
        )
        self._controls.open()
        self._controls.add_gizmo(self._beside, self._drawing.size)
        self._add_view()
        self.ask()

    def close(self) -> None:
        """Stop what runs and remove what was added."""
        self._closed.set()
        self._motions.close()
        self._animation.close()
        if self._controls is not None:
            self._controls.close()
        for handle in self._own:
            handle.remove()
        self._own.clear()
        self._drawing.clear()

    def ask(self) -> None:
        """Ask about what the controls say when the worker gets to it."""
        if not self._closed.is_set() and self._controls is not None:
            controls = self._controls
            self._context.worker.ask(lambda: self._computed(controls), self._show)

    def _computed(self, controls: ContactControls) -> ContactAnswer:
        """The answer to what the controls say now, with all that is shown of it."""
        answer = self._questions.answer(controls.state)
        _ = answer.verdict, answer.letting_go, answer.gives_way
        return answer

    def _show(self, answer: ContactAnswer, number: int) -> None:
        with self._shown:
            self._number = number
            self._animation.play(())
            self._context.verdict.show(answer.verdict, number)
            self._context.client.flush()
            self._closed.wait(LEAD)
            if self._controls is not None:
                self._controls.follow()
            self._fit_forces(answer)
            self._drawing.show_answer(answer)
            self._drawing.move_ghost(None)
            self._context.client.flush()
        if not answer.holds:
            self._motions.ask(lambda: self._predicted(answer, number), self._show_motion)

    def _predicted(self, answer: ContactAnswer, number: int) -> tuple[ContactAnswer, int, PredictedMotion] | None:
        """The motion of an answer, unless the hand goes on."""
        if self._closed.wait(REST) or self._number != number:
            return None
        motion = predicted_motion(answer, self._drawing.size)
        give_back()
        return None if motion is None else (answer, number, motion)

    def _show_motion(self, found: tuple[ContactAnswer, int, PredictedMotion] | None, _: int) -> None:
        if found is None:
            return
        answer, number, motion = found
        with self._shown:
            if self._number != number or self._context.verdict.request != number:
                return
            lines = (*answer.verdict.lines, motion.words)
            self._context.verdict.show(replace(answer.verdict, lines=lines), number)
            self._animation.play(motion.poses)

    # -- picture --------------------------------------------------------------------------------------

    @property
    def _beside(self) -> Array:
        """(3,) where the arrow of gravity stands: beside what is drawn."""
        return self._drawing.center + self._drawing.size * np.array([-0.6, -0.35, 0.35])

    def _look(self) -> None:
        """Turn the camera to what is drawn."""
        camera, drawing = self._context.client.camera, self._drawing
        arrow = self._beside + np.array([[0.0, 0.0, 0.1], [0.0, 0.0, -0.25]]) * drawing.size
        # Forces hold the weight, so most stick out upwards; how far is known only when they are found.
        above = drawing.solid + np.array([0.0, 0.0, FORCE_LENGTH * drawing.size])
        view = framed(np.vstack([drawing.solid, above, arrow]), TOWARDS)
        camera.up_direction = (0.0, 0.0, 1.0)
        camera.position, camera.look_at = view.position, view.look_at

    def _add_view(self) -> None:
        """What is shown, and how long forces are drawn."""
        gui, drawing = self._context.client.gui, self._drawing
        folder = gui.add_folder("View")
        self._own.append(folder)
        with folder:
            hint = "length of the arrows; volumes have a scale of their own"
            forces = self._force_slider = gui.add_slider(
                "Forces [mm/N]", *slider_range(1e3 * drawing.force_scale), hint=hint
            )
            sizes = gui.add_slider("Volumes [mm/N]", *slider_range(1e3 * drawing.volume_scale))
            boxes = {
                name: gui.add_checkbox(label, True)
                for name, label in (("shows_frames", "Contact frames"), ("shows_object", "Object"))
            }
            volumes = gui.add_dropdown(
                "Force volumes", tuple(choice.value for choice in Volumes), initial_value=drawing.volumes.value
            )
            if isinstance(self._source, FileSource):
                gui.add_button("Read the file again").on_click(lambda _: self._reload())

        def changed(event: Any) -> None:
            if event.client is None:  # not by hand: the first forces that were found
                return
            with self._shown:
                self._fitted = self._fitted or event.target is forces
                drawing.force_scale, drawing.volume_scale = 1e-3 * float(forces.value), 1e-3 * float(sizes.value)
                drawing.volumes = Volumes(volumes.value)
                for name, box in boxes.items():
                    setattr(drawing, name, bool(box.value))
                drawing.refresh()

        for handle in (forces, sizes, volumes, *boxes.values()):
            handle.on_update(changed)

    def _fit_forces(self, answer: ContactAnswer) -> None:
        """Choose the length of arrows by the first forces that are found, unless a hand has chosen it before."""
        scale = self._drawing.fitted_scale(answer)
        if self._fitted or scale is None or self._force_slider is None:
            return
        slider, self._fitted = self._force_slider, True
        with self._context.client.atomic():
            slider.min, slider.max, slider.step, slider.value = slider_range(1e3 * scale)
        self._drawing.force_scale = 1e-3 * float(slider.value)

    def _reload(self) -> None:
        """Read the scene file anew; a broken one is reported and the picture stays."""
        self._questions.reload()
        self.ask()


def slider_range(scale: float) -> tuple[float, float, float, float]:
    """(low, high, step, value) of a slider about a scale, with two digits."""
    value = float(f"{scale:.2g}")
    low, high, step = (float(f"{share * value:.2g}") for share in (0.1, 5.0, 0.05))
    return low, high, step, value


def entry(key: str, title: str, summary: str, source: Callable[[], Source]) -> PageEntry:
    """The entry of a contacts page; its source is made when the page is opened."""
    return PageEntry(key, title, "Contacts", summary, lambda context: ContactsPage(context, source(), title))


def scene_entry(path: str | Path) -> PageEntry:
    """The entry of a scene file, or of a ready scene "@name"."""
    name = str(path)
    title = name[1:].replace("_", " ") if name.startswith("@") else Path(path).name
    key = name[1:].replace("_", "-") if name.startswith("@") else "scene"
    return entry(key, title, f"The scene `{name}`.", partial(FileSource, path))


ENTRIES: tuple[PageEntry, ...] = (
    entry(
        "4fh-opposed",
        "4FH, fingers opposed",
        "Four-finger hand with driven joints on a round rock: 12 units, 48 contacts.",
        partial(four_fingers, "opposed"),
    ),
    entry(
        "4fh-parallel",
        "4FH, fingers parallel",
        "The same hand with all fingers pointing one way: it holds little of a pull.",
        partial(four_fingers, "parallel"),
    ),
    entry(
        "2fg",
        "2FG, two-finger gripper",
        "Passive two-finger gripper on a curved plate; choose the phalanges that touch.",
        lambda: TWO_FINGERS,
    ),
    entry(
        "2ou",
        "2OU, two opposed units",
        "Two opposed microspine units on a spring-loaded slide, on a curved plate.",
        lambda: TWO_OPPOSED_UNITS,
    ),
    *(
        scene_entry(f"@{name}")
        for name in ("block_on_three_points", "gecko_on_glass", "suction_cup", "microspine_pull", "measured_gripper")
    ),
)

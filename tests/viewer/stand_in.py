"""A stand-in for a browser: keeps what a page adds to it, and moves controls as a hand would."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from holdfast.web.page import PageContext, VerdictPanel
from holdfast.web.worker import LatestOnly


class Handle:
    """A control or a scene node."""

    def __init__(self, kind: str, owner: dict[str, Handle], key: str, **properties: Any) -> None:
        self.kind, self._owner, self._key = kind, owner, key
        self._callbacks: list[Callable[[Any], None]] = []
        for name, value in properties.items():
            setattr(self, name, value)
        owner[key] = self

    def on_update(self, callback: Callable[[Any], None]) -> None:
        self._callbacks.append(callback)

    on_click = on_upload = on_update

    def drag(self, **properties: Any) -> None:
        """Change it as a hand in the browser does."""
        for name, value in properties.items():
            setattr(self, name, value)
        for callback in self._callbacks:
            callback(SimpleNamespace(client=object(), target=self))

    def remove(self) -> None:
        if self._owner.get(self._key) is self:
            del self._owner[self._key]


class Folder(Handle):
    """A folder of controls."""

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *_: object) -> None:
        pass


class Gui:
    """Controls by their label."""

    def __init__(self) -> None:
        self.controls: dict[str, Handle] = {}

    def _add(self, kind: str, label: str, **properties: Any) -> Handle:
        key = label
        while key in self.controls:
            key += "'"
        return Handle(kind, self.controls, key, **properties)

    def add_slider(self, label: str, low: float, high: float, step: float, initial_value: float, **more: Any) -> Handle:
        assert low <= initial_value <= high, label
        return self._add("slider", label, min=low, max=high, step=step, value=initial_value, **more)

    def add_dropdown(self, label: str, options: Any, *, initial_value: Any = None, **more: Any) -> Handle:
        value = options[0] if initial_value is None else initial_value
        assert value in options
        return self._add("dropdown", label, options=tuple(options), value=value, **({"visible": True} | more))

    def add_checkbox(self, label: str, initial_value: bool, **more: Any) -> Handle:
        return self._add("checkbox", label, value=initial_value, **more)

    def add_number(self, label: str, initial_value: float, **more: Any) -> Handle:
        return self._add("number", label, value=initial_value, visible=True, **more)

    def add_text(self, label: str, initial_value: str, **more: Any) -> Handle:
        return self._add("text", label, value=initial_value, **more)

    def add_button(self, label: str, **more: Any) -> Handle:
        return self._add("button", label, value=False, **more)

    def add_folder(self, label: str, **more: Any) -> Handle:
        return Folder("folder", self.controls, f"folder {label}", **more)

    def add_upload_button(self, label: str, **more: Any) -> Handle:
        return self._add("upload", label, value=SimpleNamespace(name="", content=b""), **more)

    def add_html(self, content: str, **more: Any) -> Handle:
        return self._add("html", "html", content=content, **more)


class Scene:
    """Scene nodes by their path."""

    def __init__(self) -> None:
        self.nodes: dict[str, Handle] = {}

    def __getattr__(self, name: str) -> Callable[..., Handle]:
        names = {
            "add_mesh_simple": ("vertices", "faces"),
            "add_glb": ("glb_data",),
            "add_line_segments": ("points", "colors"),
            "add_arrows": ("points", "colors"),
            "add_point_cloud": ("points", "colors"),
            "add_image": ("image", "render_width", "render_height"),
            "add_label": ("text",),
            "add_transform_controls": ("scale",),
            "add_light_ambient": (),
            "add_light_directional": (),
        }[name]

        def add(path: str, *given: Any, **properties: Any) -> Handle:
            return Handle(name, self.nodes, path, **dict(zip(names, given, strict=False)), **properties)

        return add


class Browser:
    """The client that pages are given."""

    def __init__(self) -> None:
        self.gui, self.scene = Gui(), Scene()
        self.camera = SimpleNamespace(position=None, look_at=None, up_direction=None)
        self.client_id = 0

    @contextmanager
    def atomic(self) -> Iterator[None]:
        yield

    def flush(self) -> None:
        pass


class Visit:
    """One page opened in a stand-in, with a real worker and verdict panel."""

    def __init__(self, make: Callable[[PageContext], Any]) -> None:
        self.browser = Browser()
        self.errors: list[Exception] = []
        self.worker = LatestOnly(self.errors.append)
        panel = VerdictPanel(self.browser)  # pyright: ignore[reportArgumentType]
        self.verdict = panel
        self.page = make(
            PageContext(self.browser, None, panel, self.worker, self.errors.append)  # pyright: ignore[reportArgumentType]
        )

    def __enter__(self) -> Visit:
        self.page.open()
        self.settle()
        return self

    def __exit__(self, *_: object) -> None:
        self.page.close()
        self.worker.close()

    def settle(self) -> None:
        """Wait for the answer to the last change."""
        assert self.worker.wait(180.0)

    def drag(self, label: str, value: Any) -> None:
        """Move a control, and wait for the answer."""
        self.browser.gui.controls[label].drag(value=value)
        self.settle()

    @property
    def names(self) -> set[str]:
        """What the page drew, by name."""
        return {path.removeprefix("/page/") for path in self.browser.scene.nodes if path.startswith("/page/")}


def assert_leaves_nothing_behind(visit: Visit) -> None:
    """After closing, the browser has what it had before: the verdict."""
    visit.page.close()
    assert visit.browser.scene.nodes == {}
    assert [handle.kind for handle in visit.browser.gui.controls.values()] == ["html"]

"""Canvas: draws marks in a browser's scene; marks that exist are updated in place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..checks import Array, IntArray
from .marks import Arrows, Dots, Lines, Mark, Marks, Picture, ShadedSurface, Surface, View

if TYPE_CHECKING:
    import viser


#: Intensity of the ambient light and of the light from the viewer's side, and the direction of the latter.
AROUND, FRONT, FRONT_FROM = 1.3, 1.6, (-0.5, -1.0, 0.35)

#: Radius and length of arrow heads, in units of the radius of the shaft.
HEAD_RADIUS, HEAD_LENGTH = 2.4, 5.5

#: Pictures are upright and face -y: a quarter turn about x, as a quaternion (w, x, y, z).
UPRIGHT = (float(np.sqrt(0.5)), float(-np.sqrt(0.5)), 0.0, 0.0)


class Canvas:
    """The marks of one page in one browser.

    Args:
        client: the browser.
        root: the scene node below which everything is added.
    """

    def __init__(self, client: viser.ClientHandle, root: str) -> None:
        self._client = client
        self._root = root
        self._nodes: dict[str, tuple[Mark, Any]] = {}
        self._lights: list[Any] = []

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the marks in the scene."""
        return tuple(self._nodes)

    def show(self, marks: Marks) -> None:
        """Draw these marks and no others."""
        with self._client.atomic():
            self._light()
            self._remove([name for name in self._nodes if name not in marks])
            self._put(marks)
        self._client.flush()

    def change(self, marks: Marks) -> None:
        """Draw or update these marks; others stay."""
        with self._client.atomic():
            self._put(marks)
        self._client.flush()

    def look(self, view: View) -> None:
        """Move the camera to this view, with z up."""
        camera = self._client.camera
        with self._client.atomic():
            camera.up_direction = (0.0, 0.0, 1.0)
            camera.position = view.position
            camera.look_at = view.look_at

    def clear(self) -> None:
        """Remove everything."""
        self._remove(list(self._nodes))
        for light in self._lights:
            light.remove()
        self._lights.clear()

    def _light(self) -> None:
        """Add ambient light and light from the viewer's side, since the scene's own light comes only from above."""
        if not self._lights:
            scene, root = self._client.scene, self._root
            self._lights.append(scene.add_light_ambient(f"{root} light/all round", intensity=AROUND))
            front = scene.add_light_directional(f"{root} light/front", intensity=FRONT, position=FRONT_FROM)
            self._lights.append(front)

    def _put(self, marks: Marks) -> None:
        for name, mark in marks.items():
            known = self._nodes.get(name)
            if _is_nothing(mark):
                self._remove([name])
                continue
            if known is not None and type(known[0]) is type(mark) and _changed(known[0], mark, known[1]):
                self._nodes[name] = (mark, known[1])
                continue
            self._nodes[name] = (mark, self._add(f"{self._root}/{name}", mark))

    def _remove(self, names: Iterable[str]) -> None:
        for name in names:
            known = self._nodes.pop(name, None)
            if known is not None:
                known[1].remove()

    def _add(self, path: str, mark: Mark) -> Any:
        """Add a new node; the browser replaces one of the same name."""
        scene = self._client.scene
        if isinstance(mark, Surface):
            return scene.add_mesh_simple(
                path, mark.vertices, mark.faces, color=mark.colour, opacity=_opacity(mark), side="double",
                flat_shading=True, cast_shadow=False, receive_shadow=False,
            )  # fmt: skip
        if isinstance(mark, ShadedSurface):
            data = glb(mark.vertices, mark.faces, mark.colours)
            return scene.add_glb(path, data, cast_shadow=False, receive_shadow=False)
        if isinstance(mark, Lines):
            return scene.add_line_segments(
                path, mark.points, mark.colour, thickness=mark.width, thickness_units="screen"
            )
        if isinstance(mark, Arrows):
            return scene.add_arrows(path, mark.points, mark.colour, **_head(mark))
        if isinstance(mark, Dots):
            return scene.add_point_cloud(
                path, mark.points, mark.colour, point_size=0.5 * mark.size, point_shape="circle", precision="float32"
            )
        if isinstance(mark, Picture):
            return scene.add_image(
                path, mark.pixels, mark.width, mark.height, format="png", position=mark.centre, wxyz=UPRIGHT,
                cast_shadow=False, receive_shadow=False,
            )  # fmt: skip
        return scene.add_label(path, mark.text, position=mark.place, anchor=mark.anchor)  # pyright: ignore[reportArgumentType]


def _changed(old: Any, new: Any, node: Any) -> bool:
    """Update a node from one mark to another of its kind; False where it has to be replaced."""
    if isinstance(new, Surface):
        if new.vertices is not old.vertices:
            if len(new.faces) != len(old.faces) or not np.array_equal(new.faces, old.faces):
                return False
            node.vertices = np.asarray(new.vertices, dtype=np.float32)
        _set(node, "color", new.colour, old.colour)
        _set(node, "opacity", _opacity(new), _opacity(old))
    elif isinstance(new, ShadedSurface):
        if new is not old:
            node.glb_data = glb(new.vertices, new.faces, new.colours)
    elif isinstance(new, Lines | Arrows | Dots):
        if new.colour != old.colour or new.points.shape != old.points.shape:
            return False
        if new.points is not old.points:
            node.points = np.asarray(new.points, dtype=np.float32)
        if isinstance(new, Lines):
            _set(node, "thickness", new.width, old.width)
        elif isinstance(new, Dots):
            _set(node, "point_size", 0.5 * new.size, 0.5 * old.size)
        else:
            for key, value in _head(new).items():
                _set(node, key, value, _head(old)[key])
    elif isinstance(new, Picture):
        if new.pixels is not old.pixels or (new.width, new.height) != (old.width, old.height):
            return False
        _set(node, "position", new.centre, old.centre)
    else:
        if new.anchor != old.anchor:
            return False
        _set(node, "text", new.text, old.text)
        _set(node, "position", new.place, old.place)
    return True


def _set(node: Any, key: str, new: Any, old: Any) -> None:
    if new != old:
        setattr(node, key, new)


def _is_nothing(mark: Mark) -> bool:
    if isinstance(mark, Surface | ShadedSurface):
        return not len(mark.faces)
    return isinstance(mark, Lines | Arrows | Dots) and not len(mark.points)


def _opacity(mark: Surface) -> float | None:
    """The opacity; None for an opaque mark, which the browser draws without sorting."""
    return None if mark.opacity >= 1.0 else mark.opacity


def _head(mark: Arrows) -> dict[str, Any]:
    radius = mark.radius
    return {"shaft_radius": radius, "head_radius": HEAD_RADIUS * radius, "head_length": HEAD_LENGTH * radius}


# -- a coloured mesh as binary glTF, the only format with one colour per vertex in browsers -----------


def glb(vertices: Array, faces: IntArray, colours: Array) -> bytes:
    """The file of a mesh: vertices (v, 3), faces (f, 3), colours (v, 3) from 0 to 1 as on the screen (sRGB)."""
    import trimesh
    from trimesh.visual import TextureVisuals
    from trimesh.visual.material import PBRMaterial

    look = TextureVisuals(material=PBRMaterial(doubleSided=True, metallicFactor=0.0, roughnessFactor=0.85))
    used, corners = np.unique(faces, return_inverse=True)  # a vertex without faces has no normal
    opaque = np.column_stack([linear(np.asarray(colours, dtype=float)[used]), np.ones(len(used))])
    look.vertex_attributes["color"] = np.round(255.0 * opaque)
    mesh = trimesh.Trimesh(vertices[used], corners.reshape(-1, 3), visual=look, process=False)
    return cast("bytes", mesh.export(file_type="glb", include_normals=True))  # other file types return text


def linear(shown: Array) -> Array:
    """Linear light of colours as they are shown on a screen (sRGB); glTF requires it."""
    return np.where(shown <= 0.04045, shown / 12.92, ((np.maximum(shown, 0.0) + 0.055) / 1.055) ** 2.4)

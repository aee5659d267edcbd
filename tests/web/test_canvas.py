"""The canvas: marks in a scene, changed in place."""

from __future__ import annotations

import json
import struct

import numpy as np

from holdfast.web.canvas import Canvas, glb
from holdfast.web.marks import Arrows, Dots, Lines, Picture, ShadedSurface, Surface, View, Word
from holdfast.wrench_spaces import Rays, Subspace
from tests.viewer.stand_in import Browser

# -- canvas ----------------------------------------------------------------------------------------


RED, BLUE = (255, 0, 0), (0, 0, 255)
FACE = np.array([[0, 1, 2]])
CORNERS = np.array([[0.0, 0, 0], [1, 0, 0], [0, 0, 1]])


def canvas() -> tuple[Canvas, Browser]:
    browser = Browser()
    return Canvas(browser, "/page"), browser  # pyright: ignore[reportArgumentType]


def test_a_changed_mark_changes_its_node_and_makes_no_new_one() -> None:
    drawn, browser = canvas()
    pixels = np.zeros((2, 2, 3), dtype=np.uint8)
    drawn.show(
        {
            "surface": Surface(CORNERS, FACE, RED, 0.5),
            "lines": Lines(np.zeros((2, 2, 3)), RED, 1.0),
            "arrows": Arrows(np.zeros((1, 2, 3)), RED, 0.1),
            "dots": Dots(np.zeros((3, 3)), RED, 0.2),
            "word": Word("a", (0.0, 0.0, 0.0)),
            "picture": Picture(pixels, (0.0, 0.0, 0.0), 1.0, 1.0),
            "shaded": ShadedSurface(CORNERS, FACE, CORNERS),
        }
    )
    before = dict(browser.scene.nodes)
    drawn.show(
        {
            "surface": Surface(2.0 * CORNERS, FACE, BLUE, 1.0),
            "lines": Lines(np.ones((2, 2, 3)), RED, 3.0),
            "arrows": Arrows(np.ones((1, 2, 3)), RED, 0.2),
            "dots": Dots(np.ones((3, 3)), RED, 0.4),
            "word": Word("b", (1.0, 2.0, 3.0)),
            "picture": Picture(pixels, (4.0, 0.0, 0.0), 1.0, 1.0),
            "shaded": ShadedSurface(3.0 * CORNERS, FACE, CORNERS),
        }
    )
    after = dict(browser.scene.nodes)
    assert after.keys() == before.keys() and all(after[path] is before[path] for path in after)
    surface, word = after["/page/surface"], after["/page/word"]
    assert np.allclose(surface.vertices, 2.0 * CORNERS) and surface.color == BLUE and surface.opacity is None
    assert after["/page/lines"].points.min() == 1.0 and after["/page/lines"].thickness == 3.0
    assert after["/page/arrows"].shaft_radius == 0.2 and after["/page/dots"].point_size == 0.2
    assert word.text == "b" and word.position == (1.0, 2.0, 3.0)
    assert after["/page/picture"].position == (4.0, 0.0, 0.0)


def test_what_cannot_be_changed_in_place_is_replaced() -> None:
    drawn, browser = canvas()
    drawn.show({"a": Lines(np.zeros((2, 2, 3)), RED), "b": Surface(CORNERS, FACE, RED)})
    first = {path: browser.scene.nodes[path] for path in drawn_paths(browser)}
    drawn.show({"a": Lines(np.zeros((3, 2, 3)), RED), "b": Word("now a word", (0.0, 0.0, 0.0))})
    assert len(browser.scene.nodes["/page/a"].points) == 3 and browser.scene.nodes["/page/b"].kind == "add_label"
    assert all(browser.scene.nodes[path] is not first[path] for path in first)


def drawn_paths(browser: Browser) -> set[str]:
    return {path for path in browser.scene.nodes if not path.startswith("/page light/")}


def test_a_canvas_brings_its_light_and_takes_it_away() -> None:
    drawn, browser = canvas()
    drawn.show({"a": Word("a", (0.0, 0.0, 0.0))})
    drawn.show({"a": Word("b", (0.0, 0.0, 0.0))})
    assert sum(path.startswith("/page light/") for path in browser.scene.nodes) == 2
    drawn.clear()
    assert browser.scene.nodes == {}


def test_marks_left_out_or_without_parts_are_taken_away() -> None:
    drawn, browser = canvas()
    drawn.show({"a": Dots(np.zeros((1, 3)), RED), "b": Dots(np.zeros((1, 3)), RED), "c": Word("c", (0.0, 0.0, 0.0))})
    drawn.show({"a": Dots(np.zeros((0, 3)), RED), "c": Word("c", (0.0, 0.0, 0.0))})
    assert drawn_paths(browser) == {"/page/c"} and drawn.names == ("c",)
    drawn.clear()
    assert browser.scene.nodes == {}


def test_change_leaves_other_marks_alone() -> None:
    drawn, browser = canvas()
    drawn.show({"a": Dots(np.zeros((1, 3)), RED)})
    drawn.change({"b": Dots(np.ones((1, 3)), RED)})
    assert drawn_paths(browser) == {"/page/a", "/page/b"}
    drawn.show({"a": Dots(np.zeros((1, 3)), RED)})  # what `change` added goes, too
    assert drawn_paths(browser) == {"/page/a"}


def test_the_camera_goes_where_a_view_has_it() -> None:
    drawn, browser = canvas()
    drawn.look(View((1.0, 2.0, 3.0), (0.0, 0.0, 1.0)))
    assert browser.camera.position == (1.0, 2.0, 3.0) and browser.camera.look_at == (0.0, 0.0, 1.0)
    assert browser.camera.up_direction == (0.0, 0.0, 1.0)


# -- gltf ------------------------------------------------------------------------------------------


VERTICES = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
FACES = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
COLOURS = np.array([[0.0, 0, 0], [1, 0, 0], [0, 0.5, 0], [1, 1, 1]])


def parsed(data: bytes) -> tuple[dict, dict[str, np.ndarray]]:
    """The material of a file's one mesh, and its arrays by name, read by the standard's rules."""
    magic, version, length = struct.unpack_from("<III", data)
    assert (magic, version, length) == (0x46546C67, 2, len(data)) and length % 4 == 0
    size, kind = struct.unpack_from("<II", data, 12)
    assert kind == 0x4E4F534A and size % 4 == 0
    document = json.loads(data[20 : 20 + size])
    rest, kind = struct.unpack_from("<II", data, 20 + size)
    assert kind == 0x004E4942 and 28 + size + rest == length
    body = data[28 + size :]
    (primitive,) = document["meshes"][0]["primitives"]
    arrays = {}
    for name, number in {**primitive["attributes"], "faces": primitive["indices"]}.items():
        accessor = document["accessors"][number]
        view = document["bufferViews"][accessor["bufferView"]]
        kind = {5126: "<f4", 5125: "<u4", 5121: "u1"}[accessor["componentType"]]
        values = np.frombuffer(body[view["byteOffset"] : view["byteOffset"] + view["byteLength"]], kind)
        assert view["byteOffset"] % 4 == 0
        values = values.reshape(accessor["count"], -1)
        assert accessor["min"] == values.min(axis=0).tolist() and accessor["max"] == values.max(axis=0).tolist()
        arrays[name] = values / 255.0 if accessor.get("normalized") else values
    return document["materials"][primitive["material"]], arrays


def test_a_reader_of_the_standard_finds_the_mesh_again() -> None:
    material, found = parsed(glb(VERTICES, FACES, COLOURS))
    assert material["doubleSided"] and material["pbrMetallicRoughness"]["metallicFactor"] == 0.0
    assert np.allclose(found["POSITION"], VERTICES) and np.array_equal(found["faces"].reshape(-1, 3), FACES)
    assert np.allclose(np.linalg.norm(found["NORMAL"], axis=1), 1.0)
    light = found["COLOR_0"][:, :3]
    shown = np.where(light <= 0.0031308, 12.92 * light, 1.055 * np.maximum(light, 1e-9) ** (1 / 2.4) - 0.055)
    assert np.allclose(shown, COLOURS, atol=2e-3)  # the screen turns light, of 8 bits, back into the colours given
    assert (found["COLOR_0"][:, 3] == 1.0).all()


def test_normals_of_a_ball_are_its_radii() -> None:
    ball = Rays.sphere(Subspace.named("fx,fy,fz"), 3)
    radii, triangles = ball.directions[:, :3], ball.triangles
    assert triangles is not None
    _, found = parsed(glb(3.0 * radii, triangles, np.abs(radii)))
    assert (np.einsum("ij,ij->i", found["NORMAL"], radii) > 0.995).all()


def test_a_vertex_without_faces_is_left_out_and_all_normals_have_unit_length() -> None:
    _, found = parsed(glb(np.vstack([VERTICES, [[5.0, 5, 5]]]), FACES, np.vstack([COLOURS, COLOURS[:1]])))
    assert np.allclose(found["POSITION"], VERTICES) and np.allclose(np.linalg.norm(found["NORMAL"], axis=1), 1.0)

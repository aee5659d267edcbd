"""Binary glTF of coloured meshes."""

from __future__ import annotations

import json
import struct

import numpy as np

from holdfast.web import gltf
from holdfast.wrench_spaces import Rays, Subspace

VERTICES = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
FACES = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
COLOURS = np.array([[0.0, 0, 0], [1, 0, 0], [0, 0.5, 0], [1, 1, 1]])


def parsed(data: bytes) -> tuple[dict, list[np.ndarray]]:
    """The document of a file, and its arrays, read by the standard's rules."""
    magic, version, length = struct.unpack_from("<III", data)
    assert (magic, version, length) == (0x46546C67, 2, len(data)) and length % 4 == 0
    size, kind = struct.unpack_from("<II", data, 12)
    assert kind == 0x4E4F534A and size % 4 == 0
    document = json.loads(data[20 : 20 + size])
    rest, kind = struct.unpack_from("<II", data, 20 + size)
    assert kind == 0x004E4942 and 28 + size + rest == length
    body = data[28 + size :]
    arrays = []
    for accessor in document["accessors"]:
        view = document["bufferViews"][accessor["bufferView"]]
        kind = {5126: "<f4", 5125: "<u4"}[accessor["componentType"]]
        values = np.frombuffer(body[view["byteOffset"] : view["byteOffset"] + view["byteLength"]], kind)
        assert view["byteOffset"] % 4 == 0
        arrays.append(values.reshape(accessor["count"], -1))
    return document, arrays


def test_a_reader_of_the_standard_finds_the_mesh_again() -> None:
    document, (points, normals, colours, corners) = parsed(gltf.glb(VERTICES, FACES, COLOURS))
    (primitive,) = document["meshes"][0]["primitives"]
    assert primitive["attributes"] == {"POSITION": 0, "NORMAL": 1, "COLOR_0": 2} and primitive["indices"] == 3
    assert np.allclose(points, VERTICES) and np.array_equal(corners.reshape(-1, 3), FACES)
    assert np.allclose(np.linalg.norm(normals, axis=1), 1.0)
    assert document["accessors"][0]["min"] == [0.0, 0.0, 0.0] and document["accessors"][0]["max"] == [1.0, 1.0, 1.0]
    shown = np.where(colours <= 0.0031308, 12.92 * colours, 1.055 * np.maximum(colours, 1e-9) ** (1 / 2.4) - 0.055)
    assert np.allclose(shown, COLOURS, atol=1e-6)  # the screen turns light back into the colours given


def test_normals_of_a_ball_are_its_radii() -> None:
    ball = Rays.sphere(Subspace.named("fx,fy,fz"), 3)
    radii, triangles = ball.directions[:, :3], ball.triangles
    assert triangles is not None
    found = gltf.normals(3.0 * radii, triangles)
    assert (np.einsum("ij,ij->i", found, radii) > 0.995).all()


def test_a_vertex_without_faces_gets_a_normal_all_the_same() -> None:
    found = gltf.normals(np.vstack([VERTICES, [[5.0, 5, 5]]]), FACES)
    assert np.allclose(found[-1], [0.0, 0.0, 1.0])

"""A coloured triangle mesh as binary glTF, the one form in which browsers take a colour for every vertex."""

from __future__ import annotations

import json
import struct

import numpy as np

from ..checks import Array, IntArray

#: Numbers of the glTF 2.0 standard: magic words of the file and of its two chunks, and kinds of components and targets.
MAGIC, JSON_CHUNK, BINARY_CHUNK = 0x46546C67, 0x4E4F534A, 0x004E4942
FLOAT, UNSIGNED = 5126, 5125
VERTICES, INDICES = 34962, 34963


def glb(vertices: Array, faces: IntArray, colours: Array) -> bytes:
    """The file of a mesh: vertices (v, 3), faces (f, 3), colours (v, 3) from 0 to 1 as on the screen (sRGB)."""
    points = np.ascontiguousarray(vertices, dtype="<f4")
    tints = np.ascontiguousarray(linear(np.asarray(colours, dtype=float)), dtype="<f4")
    corners = np.ascontiguousarray(faces, dtype="<u4")
    bodies = [points.tobytes(), normals(vertices, faces).astype("<f4").tobytes(), tints.tobytes(), corners.tobytes()]
    starts = np.concatenate([[0], np.cumsum([len(body) for body in bodies])])
    views = [
        {"buffer": 0, "byteOffset": int(start), "byteLength": len(body), "target": INDICES if i == 3 else VERTICES}
        for i, (start, body) in enumerate(zip(starts, bodies, strict=False))
    ]
    each = {"componentType": FLOAT, "count": len(points), "type": "VEC3"}
    accessors = [
        {"bufferView": 0, **each, "min": points.min(axis=0).tolist(), "max": points.max(axis=0).tolist()},
        {"bufferView": 1, **each},
        {"bufferView": 2, **each},
        {"bufferView": 3, "componentType": UNSIGNED, "count": int(corners.size), "type": "SCALAR"},
    ]
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [
            {"primitives": [{"attributes": {"POSITION": 0, "NORMAL": 1, "COLOR_0": 2}, "indices": 3, "material": 0}]}
        ],
        "materials": [{"doubleSided": True, "pbrMetallicRoughness": {"metallicFactor": 0.0, "roughnessFactor": 0.85}}],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": int(starts[-1])}],
    }
    head, body = _padded(json.dumps(document).encode(), b" "), _padded(b"".join(bodies), b"\0")
    chunks = struct.pack("<II", len(head), JSON_CHUNK) + head + struct.pack("<II", len(body), BINARY_CHUNK) + body
    return struct.pack("<III", MAGIC, 2, 12 + len(chunks)) + chunks


def normals(vertices: Array, faces: IntArray) -> Array:
    """(v, 3) unit normals at the vertices: of their faces, weighted by area; (0, 0, 1) where there is none."""
    corners = np.asarray(vertices, dtype=float)[faces]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    found = np.zeros((len(vertices), 3))
    for k in range(3):
        np.add.at(found, faces[:, k], across)
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    return np.where(lengths > 0.0, found / np.where(lengths > 0.0, lengths, 1.0), np.array([0.0, 0.0, 1.0]))


def linear(shown: Array) -> Array:
    """Light of colours as they are shown on a screen (sRGB), which glTF asks for."""
    return np.where(shown <= 0.04045, shown / 12.92, ((np.maximum(shown, 0.0) + 0.055) / 1.055) ** 2.4)


def _padded(data: bytes, filling: bytes) -> bytes:
    return data + filling * (-len(data) % 4)

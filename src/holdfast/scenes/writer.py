"""Scenes out: self-contained files, every number in full."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import FileError
from ..files.yaml_source import yaml_text
from ..force_limits import ForceVolume
from ..reliability.files import band_volumes, scatter_data
from .scene import BoxShape, CylinderShape, Drawing, ObjectShape, Scene, SphereShape
from .schema import SCENE_VERSION


def save_scene(scene: Scene, path: str | Path) -> None:
    """Write `scene` to a YAML file that depends on no other, except for the mesh of a drawn object.

    Models, measurements, patches and devices are written as what became of them: pieces, points and rows.
    """
    target = Path(path)
    try:
        target.write_text(yaml_text(scene_data(scene, target.parent)), encoding="utf-8")
    except OSError as error:
        fix = "name a file in a folder you may write to"
        raise FileError(f"cannot be written: {error.strerror}", path=target, fix=fix) from None


def scene_data(scene: Scene, folder: Path) -> dict[str, Any]:
    """The scene as plain data; files that it names are relative to `folder`."""
    data: dict[str, Any] = {"holdfast": SCENE_VERSION, "name": scene.name}
    if scene.description:
        data["description"] = scene.description
    thing: dict[str, Any] = {} if scene.mass is None else {"mass": scene.mass}
    thing["com"] = scene.com.tolist()
    if scene.drawing.shape is not None:
        thing["shape"] = _shape(scene.drawing.shape, folder)
    data |= {"object": thing, "gravity": scene.gravity.tolist()}
    if scene.loads:
        loads = {name: {"force": w[:3].tolist(), "torque": w[3:].tolist()} for name, w in scene.loads.items()}
        data["loads"] = loads
    names: dict[str, str] = {}  # fingerprint -> name in the file
    volumes: dict[str, Any] = {}
    contacts = []

    def named(volume: ForceVolume) -> str:
        key = volume.fingerprint
        if key not in names:
            names[key] = f"volume {len(names)}"
            volumes[names[key]] = _volume(volume)
        return names[key]

    for contact in scene.assembly.contacts:
        part: dict[str, Any] = {"name": contact.name} if contact.name else {}
        part |= {
            "position": contact.position.tolist(),
            "rotation": contact.rotation.tolist(),
            "volume": named(contact.volume),
        }
        contacts.append(part)
    data |= {"volumes": volumes, "contacts": contacts}
    if scene.assembly.joints is not None:
        data["joints"] = _rows(scene)
    if scene.scatter is not None:
        pairs = band_volumes(scene.scatter)
        bands = [(named(nominal), [named(level) for level in levels]) for nominal, levels in pairs]
        data["scatter"] = scatter_data(scene.scatter, bands)
    if scene.drawing.faces or scene.drawing.links:
        data["drawing"] = _drawing(scene.drawing)
    return data


def _volume(volume: ForceVolume) -> dict[str, Any]:
    part: dict[str, Any] = {"pieces": [piece.tolist() for piece in volume.pieces]}
    if not volume.is_bounded:
        part["rays"] = [rays.tolist() for rays in volume.rays]
    if any(polytope.dimension < 3 for polytope in volume.polytopes):
        part["flat"] = True
    return part


def _rows(scene: Scene) -> list[dict[str, Any]]:
    """The joint rows, without the weight of the links, which the reader adds again."""
    joints = scene.assembly.joints
    assert joints is not None
    weight = np.asarray(scene.link_gravity)
    shift = weight @ scene.gravity
    rows = []
    for number in range(len(joints)):
        row: dict[str, Any] = {"kind": "row"}
        if joints.names:
            row["name"] = joints.names[number]
        row["jacobian"] = joints.jacobian[number].reshape(-1, 3).tolist()
        row |= {
            "lower": float(joints.lower[number] + shift[number]),
            "upper": float(joints.upper[number] + shift[number]),
        }
        if weight[number].any():
            row["gravity"] = weight[number].tolist()
        rows.append(row)
    return rows


def _shape(shape: ObjectShape, folder: Path) -> dict[str, Any]:
    if isinstance(shape, BoxShape):
        return {
            "kind": "box",
            "size": shape.size.tolist(),
            "position": shape.pose.translation.tolist(),
            "rotation": shape.pose.rotation.tolist(),
        }
    if isinstance(shape, CylinderShape):
        part = {
            "kind": "cylinder",
            "radius": shape.radius,
            "length": shape.length,
            "position": shape.pose.translation.tolist(),
            "axis": shape.pose.rotation[:, 2].tolist(),
            "middle": shape.pose.rotation[:, 0].tolist(),
        }
        return part if shape.arc >= np.pi else {**part, "arc": float(shape.arc)}
    if isinstance(shape, SphereShape):
        return {"kind": "sphere", "radius": shape.radius, "position": shape.center.tolist()}
    return {
        "kind": "mesh",
        "file": Path(os.path.relpath(shape.file.resolve(), folder.resolve())).as_posix(),
        "scale": shape.scale,
        "position": shape.pose.translation.tolist(),
        "rotation": shape.pose.rotation.tolist(),
    }


def _drawing(drawing: Drawing) -> dict[str, Any]:
    part: dict[str, Any] = {}
    if drawing.faces:
        part["faces"] = [face.tolist() for face in drawing.faces]
    if drawing.links:
        part["links"] = [{"name": name, "points": points.tolist()} for name, points in drawing.links]
    return part

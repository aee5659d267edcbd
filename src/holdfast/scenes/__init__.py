"""Scenes: an object, what holds it and what pulls at it, read from versioned YAML files and written to them."""

from .files import (
    SCENE_VERSION,
    load_scene,
    ready_names,
    ready_path,
    save_scene,
    scene_faults,
    scene_schema,
)
from .scene import Scene, SceneDrawing

__all__ = [
    "SCENE_VERSION",
    "Scene",
    "SceneDrawing",
    "load_scene",
    "ready_names",
    "ready_path",
    "save_scene",
    "scene_faults",
    "scene_schema",
]

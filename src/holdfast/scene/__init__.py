"""Scene files: versioned YAML in and out, with a JSON Schema for editors."""

from .planar_reader import is_planar, load_planar, planar_faults, planar_names, planar_path
from .planar_scene import PlanarBodyScene, PlanarChainScene, PlanarClimbScene, PlanarScene
from .planar_schema import planar_schema
from .reader import load_scene, scene_faults
from .ready import ready_names, ready_path
from .scene import BoxShape, CylinderShape, Drawing, MeshShape, ObjectShape, Scene, SphereShape
from .schema import SCENE_VERSION, scene_schema
from .volume_file import load_volume, save_volume
from .writer import save_scene

__all__ = [
    "SCENE_VERSION",
    "BoxShape",
    "CylinderShape",
    "Drawing",
    "MeshShape",
    "ObjectShape",
    "PlanarBodyScene",
    "PlanarChainScene",
    "PlanarClimbScene",
    "PlanarScene",
    "Scene",
    "SphereShape",
    "is_planar",
    "load_planar",
    "load_scene",
    "load_volume",
    "planar_faults",
    "planar_names",
    "planar_path",
    "planar_schema",
    "ready_names",
    "ready_path",
    "save_scene",
    "save_volume",
    "scene_faults",
    "scene_schema",
]

"""Scene, posture, robot and planar files: versioned YAML in, scenes out as well, with a JSON Schema for editors."""

from ..force_limits.files_volume_file import load_volume, save_volume
from ..planar.files_planar_reader import is_planar, load_planar, planar_faults, planar_names, planar_path
from ..planar.files_planar_scene import PlanarBodyScene, PlanarChainScene, PlanarClimbScene, PlanarScene
from ..planar.files_planar_schema import planar_schema
from ..postures.files import (
    POSTURE_VERSION,
    PostureScene,
    load_posture,
    posture_faults,
    posture_names,
    posture_path,
    posture_schema,
    posture_title,
)
from ..robots.files_robot_reader import load_robot
from ..robots.files_robot_scene import RobotScene
from ..robots.files_robot_schema import ROBOT_VERSION, robot_schema
from .reader import load_scene, scene_faults
from .ready import ready_names, ready_path
from .scene import BoxShape, CylinderShape, Drawing, MeshShape, ObjectShape, Scene, SphereShape
from .schema import SCENE_VERSION, scene_schema
from .writer import save_scene

__all__ = [
    "POSTURE_VERSION",
    "ROBOT_VERSION",
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
    "PostureScene",
    "RobotScene",
    "Scene",
    "SphereShape",
    "is_planar",
    "load_planar",
    "load_posture",
    "load_robot",
    "load_scene",
    "load_volume",
    "planar_faults",
    "planar_names",
    "planar_path",
    "planar_schema",
    "posture_faults",
    "posture_names",
    "posture_path",
    "posture_schema",
    "posture_title",
    "ready_names",
    "ready_path",
    "robot_schema",
    "save_scene",
    "save_volume",
    "scene_faults",
    "scene_schema",
]

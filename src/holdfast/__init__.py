"""Holdfast: whether, how much and how surely contacts hold.

The public names are loaded when they are first used, so that `import holdfast` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import devices, loads, plotting
    from .assembly import Assembly
    from .contacts import Contact, Patch, contacts_from_arrays, patch_from_mesh
    from .diagnosis import Diagnosis, diagnose
    from .errors import HoldfastError
    from .frames import Pose, frame_from_normal, rotation_about
    from .holding import Equilibrium, LoadLimit, equilibrium, load_limit
    from .limits import (
        ForceVolume,
        LimitSurface,
        Measurements,
        decompose,
        models,
        read_measurements,
        write_measurements,
    )
    from .mechanism import Joint, JointRows, PlanarFinger, joint_rows
    from .polytopes import Polytope
    from .scene import Scene, load_scene
    from .solver import Answers, Solver
    from .solvers import BigM, Bracket, Exact, Hull, HullMilp, PaperBranchAndBound, Reference, Status
    from .sweeps import sweep

__version__ = "0.1.0"

_HOME = {
    "Answers": "solver",
    "Assembly": "assembly",
    "BigM": "solvers",
    "Bracket": "solvers",
    "Contact": "contacts",
    "Diagnosis": "diagnosis",
    "Equilibrium": "holding",
    "Exact": "solvers",
    "ForceVolume": "limits.volume",
    "HoldfastError": "errors",
    "Hull": "solvers",
    "HullMilp": "solvers",
    "Joint": "mechanism",
    "JointRows": "mechanism",
    "LimitSurface": "limits.surface",
    "LoadLimit": "holding",
    "Measurements": "limits.measurements",
    "PaperBranchAndBound": "solvers",
    "Patch": "contacts",
    "PlanarFinger": "mechanism",
    "Polytope": "polytopes",
    "Pose": "frames",
    "Reference": "solvers",
    "Scene": "scene",
    "Solver": "solver",
    "Status": "solvers",
    "contacts_from_arrays": "contacts",
    "decompose": "limits.decompose",
    "devices": "devices",
    "diagnose": "diagnosis",
    "equilibrium": "holding",
    "frame_from_normal": "frames",
    "joint_rows": "mechanism",
    "load_limit": "holding",
    "load_scene": "scene",
    "loads": "loads",
    "models": "limits.models",
    "patch_from_mesh": "contacts",
    "plotting": "plotting",
    "read_measurements": "limits.measurements",
    "rotation_about": "frames",
    "sweep": "sweeps",
    "write_measurements": "limits.measurements",
}
_ROOMS = {"devices", "loads", "models", "plotting"}  # names that are modules themselves

__all__ = [
    "Answers",
    "Assembly",
    "BigM",
    "Bracket",
    "Contact",
    "Diagnosis",
    "Equilibrium",
    "Exact",
    "ForceVolume",
    "HoldfastError",
    "Hull",
    "HullMilp",
    "Joint",
    "JointRows",
    "LimitSurface",
    "LoadLimit",
    "Measurements",
    "PaperBranchAndBound",
    "Patch",
    "PlanarFinger",
    "Polytope",
    "Pose",
    "Reference",
    "Scene",
    "Solver",
    "Status",
    "__version__",
    "contacts_from_arrays",
    "decompose",
    "devices",
    "diagnose",
    "equilibrium",
    "frame_from_normal",
    "joint_rows",
    "load_limit",
    "load_scene",
    "loads",
    "models",
    "patch_from_mesh",
    "plotting",
    "read_measurements",
    "rotation_about",
    "sweep",
    "write_measurements",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'holdfast' has no attribute {name!r}")
    module = importlib.import_module(f".{_HOME[name]}", __name__)
    value = module if name in _ROOMS else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)

"""Holdfast: whether, how much and how surely contacts hold.

The public names are loaded when they are first used, so that `import holdfast` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import devices, loads, plotting, studies
    from .assembly import Assembly
    from .comparison import Comparison, Design, compare
    from .contacts import Contact, Patch, contacts_from_arrays, patch_from_mesh
    from .diagnosis import Diagnosis, diagnose
    from .errors import HoldfastError, JournalWarning
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
    from .moving import follow, friction_factor, gravity_sweep, load_ramp, slip_onset, strength_factor, turning
    from .polytopes import Polytope
    from .scene import Scene, load_scene
    from .solver import Answers, Solver
    from .solvers import BigM, Bracket, Exact, Hull, HullMilp, PaperBranchAndBound, Reference, Status
    from .sweeps import sweep
    from .wrench_spaces import (
        Extrusions,
        Rays,
        Refinement,
        Subspace,
        WrenchSpace,
        WrenchSupports,
        outer_extrusions,
        wrench_extents,
        wrench_space,
        wrench_supports,
    )

__version__ = "0.1.0"

_HOME = {
    "Answers": "solver",
    "Assembly": "assembly",
    "BigM": "solvers",
    "Bracket": "solvers",
    "Comparison": "comparison",
    "Contact": "contacts",
    "Design": "comparison",
    "Diagnosis": "diagnosis",
    "Equilibrium": "holding",
    "Exact": "solvers",
    "Extrusions": "wrench_spaces",
    "ForceVolume": "limits.volume",
    "HoldfastError": "errors",
    "Hull": "solvers",
    "HullMilp": "solvers",
    "Joint": "mechanism",
    "JointRows": "mechanism",
    "JournalWarning": "errors",
    "LimitSurface": "limits.surface",
    "LoadLimit": "holding",
    "Measurements": "limits.measurements",
    "PaperBranchAndBound": "solvers",
    "Patch": "contacts",
    "PlanarFinger": "mechanism",
    "Polytope": "polytopes",
    "Pose": "frames",
    "Rays": "wrench_spaces",
    "Reference": "solvers",
    "Refinement": "wrench_spaces",
    "Scene": "scene",
    "Solver": "solver",
    "Status": "solvers",
    "Subspace": "wrench_spaces",
    "WrenchSpace": "wrench_spaces",
    "WrenchSupports": "wrench_spaces",
    "compare": "comparison",
    "contacts_from_arrays": "contacts",
    "decompose": "limits.decompose",
    "devices": "devices",
    "diagnose": "diagnosis",
    "equilibrium": "holding",
    "follow": "moving",
    "frame_from_normal": "frames",
    "friction_factor": "moving",
    "gravity_sweep": "moving",
    "joint_rows": "mechanism",
    "load_limit": "holding",
    "load_ramp": "moving",
    "load_scene": "scene",
    "loads": "loads",
    "models": "limits.models",
    "outer_extrusions": "wrench_spaces",
    "patch_from_mesh": "contacts",
    "plotting": "plotting",
    "read_measurements": "limits.measurements",
    "rotation_about": "frames",
    "slip_onset": "moving",
    "strength_factor": "moving",
    "studies": "studies",
    "sweep": "sweeps",
    "turning": "moving",
    "wrench_extents": "wrench_spaces",
    "wrench_space": "wrench_spaces",
    "wrench_supports": "wrench_spaces",
    "write_measurements": "limits.measurements",
}
_ROOMS = {"devices", "loads", "models", "plotting", "studies"}  # names that are modules themselves

__all__ = [
    "Answers",
    "Assembly",
    "BigM",
    "Bracket",
    "Comparison",
    "Contact",
    "Design",
    "Diagnosis",
    "Equilibrium",
    "Exact",
    "Extrusions",
    "ForceVolume",
    "HoldfastError",
    "Hull",
    "HullMilp",
    "Joint",
    "JointRows",
    "JournalWarning",
    "LimitSurface",
    "LoadLimit",
    "Measurements",
    "PaperBranchAndBound",
    "Patch",
    "PlanarFinger",
    "Polytope",
    "Pose",
    "Rays",
    "Reference",
    "Refinement",
    "Scene",
    "Solver",
    "Status",
    "Subspace",
    "WrenchSpace",
    "WrenchSupports",
    "__version__",
    "compare",
    "contacts_from_arrays",
    "decompose",
    "devices",
    "diagnose",
    "equilibrium",
    "follow",
    "frame_from_normal",
    "friction_factor",
    "gravity_sweep",
    "joint_rows",
    "load_limit",
    "load_ramp",
    "load_scene",
    "loads",
    "models",
    "outer_extrusions",
    "patch_from_mesh",
    "plotting",
    "read_measurements",
    "rotation_about",
    "slip_onset",
    "strength_factor",
    "studies",
    "sweep",
    "turning",
    "wrench_extents",
    "wrench_space",
    "wrench_supports",
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

"""Ready contact models: what a contact of a known kind can carry (`holdfast.models`).

Every model is a function with keyword parameters in SI units. Most return a ForceVolume in the contact frame
(x shear, y lateral, z into the object; f_z > 0 presses); those of pads whose torsion matters return a PointPatch.
`list()` describes all of them, `create(name, ...)` makes one by name, `from_function` makes a model of your own,
`preloaded` one of tests at several preloads.
"""

from ...public_names import missing_name
from .adhesion import (
    DryAdhesiveFit,
    directional_microspine,
    dry_adhesive,
    fit_dry_adhesive,
    gecko,
    gecko_two_way,
    magnet,
    suction,
    suction_ring,
)
from .friction import PointPatch, SoftFinger, cardboard, coulomb, peg_in_hole, pyramid, soft_finger
from .microspine import MicrospineUnit, microspine, microspine_force, microspine_surface
from .registry import (
    ModelInfo,
    ModelParameter,
    ModelSuspension,
    create,
    default_suspension,
    from_function,
    get,
    preloaded,
)
from .registry import list_models as list

__all__ = [
    "DryAdhesiveFit",
    "MicrospineUnit",
    "ModelInfo",
    "ModelParameter",
    "ModelSuspension",
    "PointPatch",
    "SoftFinger",
    "cardboard",
    "coulomb",
    "create",
    "default_suspension",
    "directional_microspine",
    "dry_adhesive",
    "fit_dry_adhesive",
    "from_function",
    "gecko",
    "gecko_two_way",
    "get",
    "list",
    "magnet",
    "microspine",
    "microspine_force",
    "microspine_surface",
    "peg_in_hole",
    "preloaded",
    "pyramid",
    "soft_finger",
    "suction",
    "suction_ring",
]

__getattr__ = missing_name(__name__, __all__)

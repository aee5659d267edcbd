"""Ready contact models: what a contact of a known kind can carry (`holdfast.models`).

Every model is a function with keyword parameters in SI units. Most return a ForceVolume in the contact frame
(x shear, y lateral, z into the object; f_z > 0 presses); those of pads whose torsion matters return a PointPatch.
`list()` tells of all of them, `create(name, ...)` makes one by name, `from_function` makes one's own.
"""

from .adhesive import DryAdhesiveFit, dry_adhesive, fit_dry_adhesive, gecko, gecko_two_way
from .cardboard import cardboard
from .coulomb import coulomb, pyramid
from .custom import from_function
from .directional import directional_microspine
from .info import ModelInfo, Parameter
from .magnet import magnet
from .microspine import MicrospineUnit, microspine, microspine_force, microspine_surface
from .patch import PointPatch
from .peg_in_hole import peg_in_hole
from .registry import create, get
from .registry import list_models as list
from .soft_finger import SoftFinger, soft_finger
from .suction import suction, suction_ring

__all__ = [
    "DryAdhesiveFit",
    "MicrospineUnit",
    "ModelInfo",
    "Parameter",
    "PointPatch",
    "SoftFinger",
    "cardboard",
    "coulomb",
    "create",
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
    "pyramid",
    "soft_finger",
    "suction",
    "suction_ring",
]

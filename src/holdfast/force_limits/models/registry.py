"""All ready models by name, for tables, for the command line and for scene files."""

from __future__ import annotations

from typing import Any

from ...errors import InputError, UnknownNameError
from ..volume import ForceVolume
from .adhesive import DRY_ADHESIVE, GECKO, GECKO_TWO_WAY
from .cardboard import CARDBOARD
from .coulomb import COULOMB, PYRAMID
from .directional import DIRECTIONAL_MICROSPINE
from .info import ModelInfo
from .magnet import MAGNET
from .microspine import MICROSPINE
from .patch import PointPatch
from .peg_in_hole import PEG_IN_HOLE
from .soft_finger import SOFT_FINGER
from .suction import SUCTION, SUCTION_RING

#: Every ready model, in the order in which they are listed.
MODELS: tuple[ModelInfo, ...] = (
    COULOMB,
    PYRAMID,
    SOFT_FINGER,
    MICROSPINE,
    DIRECTIONAL_MICROSPINE,
    GECKO,
    GECKO_TWO_WAY,
    DRY_ADHESIVE,
    SUCTION,
    SUCTION_RING,
    MAGNET,
    PEG_IN_HOLE,
    CARDBOARD,
)


def list_models() -> tuple[ModelInfo, ...]:
    """Every ready model with its parameters, units, source and limits of validity."""
    return MODELS


def get(name: str) -> ModelInfo:
    """The model called `name`; an unknown one is an UnknownNameError that suggests the nearest."""
    if not isinstance(name, str):
        raise InputError(f"is a {type(name).__name__}", where="model", fix="give the name of a model")
    for info in MODELS:
        if info.name == name:
            return info
    raise UnknownNameError("model", name, [info.name for info in MODELS], where="model")


def create(name: str, /, **parameters: Any) -> ForceVolume | PointPatch:
    """The model `name` with these parameters: a ForceVolume, or a PointPatch for models of kind "patch"."""
    info = get(name)
    for given in parameters:
        if given not in info.parameter_names:
            raise UnknownNameError(f"parameter of {name}", given, info.parameter_names, where=name)
    return info.function(**parameters)

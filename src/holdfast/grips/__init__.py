"""Grips: what wrenches a hand can give to the body, in its palm frame (V.A)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import loader
from .bounds import GripBounds
from .facts import GripFacts
from .grip import Grip
from .outer_grip import OuterGrip

if TYPE_CHECKING:
    from .accuracy import GripAccuracy, grip_accuracy
    from .checking import GripCheck, check_grip
    from .cones import cone_grip, coulomb_grip
    from .files import load_grip, save_grip
    from .learning import learn_grip
    from .membership import GripMembership
    from .sampling import GreedySampling, PaperSampling
    from .subsets import bounding_box, inner_subset, outer_subset

__all__ = [
    "GreedySampling",
    "Grip",
    "GripAccuracy",
    "GripBounds",
    "GripCheck",
    "GripFacts",
    "GripMembership",
    "OuterGrip",
    "PaperSampling",
    "bounding_box",
    "check_grip",
    "cone_grip",
    "coulomb_grip",
    "grip_accuracy",
    "inner_subset",
    "learn_grip",
    "load_grip",
    "outer_subset",
    "save_grip",
]

_HOME = {
    "GreedySampling": "sampling",
    "GripAccuracy": "accuracy",
    "GripCheck": "checking",
    "GripMembership": "membership",
    "PaperSampling": "sampling",
    "bounding_box": "subsets",
    "check_grip": "checking",
    "cone_grip": "cones",
    "coulomb_grip": "cones",
    "grip_accuracy": "accuracy",
    "inner_subset": "subsets",
    "learn_grip": "learning",
    "load_grip": "files",
    "outer_subset": "subsets",
    "save_grip": "files",
}

__getattr__ = loader(__name__, _HOME)

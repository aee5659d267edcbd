"""How much: wrench spaces as limit surfaces over rays, slices and all of R^6 (III.D)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import loader
from .rays import Rays
from .space import WrenchSpace
from .subspace import Subspace

if TYPE_CHECKING:
    from .computing import wrench_space
    from .differences import Difference
    from .extents import Extents, wrench_extents
    from .extrusions import Extrusions, outer_extrusions
    from .membership import Membership, Proof
    from .refinement import Refinement
    from .supports import WrenchSupports, wrench_supports

__all__ = [
    "Difference",
    "Extents",
    "Extrusions",
    "Membership",
    "Proof",
    "Rays",
    "Refinement",
    "Subspace",
    "WrenchSpace",
    "WrenchSupports",
    "outer_extrusions",
    "wrench_extents",
    "wrench_space",
    "wrench_supports",
]

_HOME = {
    "Difference": "differences",
    "Extents": "extents",
    "Extrusions": "extrusions",
    "Membership": "membership",
    "Proof": "membership",
    "Refinement": "refinement",
    "WrenchSupports": "supports",
    "outer_extrusions": "extrusions",
    "wrench_extents": "extents",
    "wrench_space": "computing",
    "wrench_supports": "supports",
}

__getattr__ = loader(__name__, _HOME)

"""Support regions: where the centre of mass of a body on its hands may be (V.C)."""

from __future__ import annotations

from .active import ActiveConstraint, HandAtLimit
from .bounds import SupportRegionBounds
from .computing import Exact, Refinement, support_region
from .frame import RegionFrame, Weight
from .region import RegionProof, SupportRegion
from .sampling import Sampling
from .verification import RegionResiduals
from .volume import SupportVolume, SupportVolumeBounds

__all__ = [
    "ActiveConstraint",
    "Exact",
    "HandAtLimit",
    "Refinement",
    "RegionFrame",
    "RegionProof",
    "RegionResiduals",
    "Sampling",
    "SupportRegion",
    "SupportRegionBounds",
    "SupportVolume",
    "SupportVolumeBounds",
    "Weight",
    "support_region",
]

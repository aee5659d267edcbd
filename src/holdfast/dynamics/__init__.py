"""If it does not hold, what happens: forces and accelerations by maximum dissipation (III.E)."""

from __future__ import annotations

from .certificate import Multipliers, SeparationCertificate, SeparationLeaf
from .inertia import Inertia, inertia_of
from .mass import mass_matrix
from .motion import Fall, FallEnd, Frame, fall
from .search import Separating
from .separation import Separation, SeparationStatus, separation
from .states import ContactMode, ContactState, states_of
from .touch import Touch

__all__ = [
    "ContactMode",
    "ContactState",
    "Fall",
    "FallEnd",
    "Frame",
    "Inertia",
    "Multipliers",
    "Separating",
    "Separation",
    "SeparationCertificate",
    "SeparationLeaf",
    "SeparationStatus",
    "Touch",
    "fall",
    "inertia_of",
    "mass_matrix",
    "separation",
    "states_of",
]

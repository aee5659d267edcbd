"""Whether more friction would hold what more strength cannot: scaled up, a friction cone stays as it is."""

from __future__ import annotations

import numpy as np

from ... import tolerances
from ...force_limits import ForceVolume
from ..equilibrium import Equilibrium, LoadLimit
from ..moving.factors import Factor, bears_less_shear, friction_factor

#: Relative width of the bracket of the friction looked for: a sentence has no use for more digits.
NARROW = 1e-3


def needed_friction(result: Equilibrium | LoadLimit) -> Factor | None:
    """The smallest factor on all shear components that holds the load of an answer, asked of the method that gave it.

    None where no contact has shear to change, where more of it is not sure to be better, and for unions of several
    pieces: the search would take long there.
    """
    volumes = {id(contact.volume): contact.volume for contact in result.assembly.contacts}.values()
    if not any(map(_has_shear, volumes)) or any(len(v) > 1 or not bears_less_shear(v) for v in volumes):
        return None
    load = result.wrench if isinstance(result, Equilibrium) else result.direction
    return friction_factor(result.assembly, load, tolerance=NARROW, method=result.method)


def _has_shear(volume: ForceVolume) -> bool:
    """Whether some admissible force has a shear component."""
    given = np.concatenate([*volume.pieces, *(rays for rays in volume.rays if len(rays))])
    return bool(np.abs(given[:, :2]).max() > tolerances.ZERO_DIRECTION * np.abs(given).max())

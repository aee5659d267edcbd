"""A model of one's own: any function from direction to limit force."""

from __future__ import annotations

import math
from collections.abc import Callable

from numpy.typing import ArrayLike

from ... import checks
from ...checks import Array
from ...errors import InputError
from ..volume import ForceVolume
from . import parameters
from .parameters import Side

#: Angle between neighbouring sample directions when none is given [rad].
RESOLUTION = math.radians(10.0)


def from_function(
    function: Callable[[Array], ArrayLike],
    *,
    side: Side = "inner",
    resolution: float = RESOLUTION,
    directions: ArrayLike | None = None,
    max_pieces: int = 6,
    source: str = "",
) -> ForceVolume:
    """The force volume of a model given as the limit force in every direction.

    `function` is sampled, the samples are joined by flat facets to a `LimitSurface`, and that is decomposed. "inner"
    and "outer" are meant towards the sampled surface: it is exact at the samples only, so choose directions where the
    model has its corners, or a fine `resolution`. The result's `report` states the error of the decomposition.

    Args:
        function: maps unit directions (n, 3) in the contact frame (z into the object) to limit forces (n,) [N];
            0 where nothing holds, inf where nothing limits.
        side: "inner" (nothing invented) or "outer" (nothing lost).
        resolution: angle between neighbouring sample directions [rad].
        directions: (n, 3) sample directions instead of the regular ones.
        max_pieces: most convex pieces.
        source: where the model comes from, in words.

    Returns:
        The volume in the contact frame.
    """
    from ..decompose import decompose
    from ..surface import LimitSurface

    if not callable(function):
        raise InputError(
            f"is a {type(function).__name__}",
            where="function",
            fix="give a function of directions (n, 3) -> limits (n,)",
        )
    side = parameters.side(side)
    count = checks.count("max_pieces", max_pieces)
    surface = LimitSurface.from_function(function, resolution=resolution, directions=directions, source=source)
    return decompose(surface, side=side, max_pieces=count)

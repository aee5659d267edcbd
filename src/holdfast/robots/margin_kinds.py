"""What a planner may mean by the margin of a posture: the weight that may be added, a push, how far it may lean."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array
from ..errors import InputError


@dataclass(frozen=True)
class Growth:
    """The share of the weight that may be added or taken away before the hands let go; 0.3: from 70 to 130 %.

    It is min(s_max - 1, 1 - s_min) of the scales s of the weight that are held, so at least 0 exactly where the
    posture holds; -inf where no scale is held. Two programs.
    """


@dataclass(frozen=True, eq=False)
class Pushes:
    """The largest r for which the weight stays held with any of several wrenches added, r times either way.

    One row: how far a push along it may go. All six axes (the default): any wrench of sum |f_i| + sum |t_i| / length
    <= r may be added [N]. Two programs a row; -inf where the weight itself is not held.

    Attributes:
        directions: (n, 6) wrenches on the body, world axes, about the centre of mass; None for the six axes.
        length: [m] how many newton metres count as one newton for the six axes.
    """

    directions: ArrayLike | None = None
    length: float = 0.5

    def rows(self) -> Array:
        """(n, 6)."""
        if self.directions is None:
            return np.diag(np.repeat([1.0, checks.positive("length", self.length, unit="m")], 3))
        rows = checks.array("directions", self.directions, ("n", 6))
        if not len(rows) or not rows.any(axis=1).all():
            raise InputError("has an empty row", where="directions", fix="give wrenches (n, 6) other than zero")
        return rows


@dataclass(frozen=True)
class Lean:
    """How far the centre of mass is from the border of its support region [m], across gravity; negative outside.

    The exact region is made at every posture: milliseconds rather than a tenth of one.
    """


#: What `PosturePlanner(margin=...)` takes.
MarginKind = Growth | Pushes | Lean

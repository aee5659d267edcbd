"""Joint motions from rest to rest along straight lines in posture space, with bounds on all their derivatives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array
from ..errors import InputError

#: Largest |h'|, |h''|, |h'''| of h(s) = 10 s^3 - 15 s^4 + 6 s^5 on [0, 1].
STEEPEST = (15.0 / 8.0, 10.0 / np.sqrt(3.0), 60.0)


@dataclass(frozen=True)
class RestToRest:
    """From posture `start` to `end` in `duration` [s] with least jerk: at rest, unaccelerated, at both ends."""

    start: Array
    end: Array
    duration: float

    def __init__(self, start: ArrayLike, end: ArrayLike, duration: float) -> None:
        first = checks.array("start", start, ("n",))
        object.__setattr__(self, "start", first)
        object.__setattr__(self, "end", checks.vector("end", end, len(first)))
        object.__setattr__(self, "duration", checks.positive("duration", duration, unit="s"))

    def at(self, times: ArrayLike) -> tuple[Array, Array, Array]:
        """q, qd, qdd, each (T, n), at `times` (T,) of [0, duration] [s]."""
        given = checks.array("times", np.atleast_1d(np.asarray(times, dtype=float)), ("T",))
        if given.size and (given.min() < -1e-12 or given.max() > self.duration * (1 + 1e-12)):
            raise InputError("outside the motion", where="times", fix=f"give times of 0 to {self.duration:g} s")
        s = np.clip(given / self.duration, 0.0, 1.0)[:, None]
        way = (self.end - self.start)[None, :]
        q = self.start + way * (s**3 * (10.0 - 15.0 * s + 6.0 * s**2))
        qd = way * (30.0 * s**2 * (1.0 - s) ** 2) / self.duration
        qdd = way * (60.0 * s * (1.0 - s) * (1.0 - 2.0 * s)) / self.duration**2
        return q, qd, qdd

    def bounds(self) -> tuple[Array, Array, Array]:
        """Largest |qd|, |qdd|, |qddd| of each coordinate over the whole motion."""
        way = np.abs(self.end - self.start)
        first, second, third = (way * steep / self.duration**i for i, steep in enumerate(STEEPEST, start=1))
        return first, second, third

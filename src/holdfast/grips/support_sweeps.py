"""Supports by the thousand: chunks of directions that any process can answer, each point proven before it is handed on.

A chunk starts from nothing but the hand, so that the answers do not depend on who computes it, nor on what was computed
before.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from .. import tolerances
from ..assembly.assembly import Assembly
from ..checks import Array, BoolArray
from ..jobs import fingerprint, sweep
from ..wrench_spaces.space import ROUNDING_SHARE, SLACK, balance_residuals
from .hand_supports import HandSupports, Supports

Progress = Callable[[int, int], None]

#: Directions of one chunk: enough to make a cold start cheap, few enough to share the work evenly.
BATCH = 128


@dataclass(frozen=True, eq=False)
class SupportTask:
    """The support along a direction (6,) of the wrenches on the body, as JSON; many at once from one start.

    Attributes:
        hand: the hand in its palm frame.
        sign: 1 where the wrenches on the body are those the assembly holds, -1 where they are its contact wrenches.
    """

    hand: Assembly
    sign: float

    #: Chunks of this many directions are handed over at once.
    batch = BATCH

    def __getstate__(self) -> dict[str, Any]:
        """What another process needs; small programs are made anew there."""
        return {"hand": self.hand, "sign": self.sign}

    @cached_property
    def supports(self) -> HandSupports:
        """What answers."""
        return HandSupports.of(self.hand)

    @cached_property
    def key(self) -> str:
        """What the answers depend on besides the direction."""
        method = self.supports.method
        return fingerprint("grip supports", self.hand.fingerprint, self.sign, [method.gap, method.node_limit])

    def __call__(self, direction: Sequence[float]) -> dict[str, Any]:
        """One direction."""
        return self.many([direction])[0]

    def many(self, directions: Sequence[Sequence[float]]) -> list[dict[str, Any]]:
        """Consecutive directions (n, 6), on this thread, from a cold start."""
        found = self.supports.many(self.sign * np.asarray(directions, dtype=np.float64))
        proven = are_proven(self.hand, found)
        rows = np.column_stack([found.values, found.bounds, self.sign * found.points + 0.0])
        return [
            {"support": base64.b64encode(row.astype("<f8").tobytes()).decode("ascii"), "proven": bool(fine)}
            for row, fine in zip(rows, proven, strict=True)
        ]


@dataclass(frozen=True)
class Pool:
    """All that is known of a grip: directions y with proven bounds, and held wrenches.

    Attributes:
        directions: (n, 6) y; force parts without unit, torque parts in [1/m].
        values: (n,) largest y . w attained; that of the pool's other points may be larger by rounding.
        bounds: (n,) no wrench of the grip has a larger y . w.
        points: (n, 6) wrenches on the body that are held, each proven.
    """

    directions: Array
    values: Array
    bounds: Array
    points: Array

    def __len__(self) -> int:
        return len(self.values)

    def only(self, rows: Array) -> Pool:
        """The rows that a mask or indices name."""
        return Pool(self.directions[rows], self.values[rows], self.bounds[rows], self.points[rows])

    def with_more(self, other: Pool) -> Pool:
        """Both, this one first."""
        names = ("directions", "values", "bounds", "points")
        return Pool(*(np.concatenate([getattr(self, name), getattr(other, name)]) for name in names))


@dataclass(eq=False)
class Asking:
    """Sends directions through sweeps, one a round, each with a journal of its own.

    Attributes:
        task: what answers.
        workers, cluster, journal: as in `sweep`; round i > 0 has the journal's name with ".i" behind.
        progress: called with (directions answered, directions known to come).
        planned: how many directions will be asked, as far as known.
        rounds, done, dropped: how many rounds and directions were asked, and points that could not be proven.
    """

    task: SupportTask
    workers: int = 1
    cluster: str | None = None
    journal: Path | None = None
    progress: Progress | None = None
    planned: int = 0
    rounds: int = field(default=0, init=False)
    done: int = field(default=0, init=False)
    dropped: int = field(default=0, init=False)

    def ask(self, directions: Array) -> Pool:
        """The supports along directions (n, 6); those whose point could not be proven are left out."""
        journal = self.journal
        if journal is not None and self.rounds:
            journal = journal.with_name(f"{journal.name}.{self.rounds}")
        found = sweep(
            self.task,
            directions.tolist(),
            workers=self.workers,
            cluster=self.cluster,
            journal=journal,
            key=self.task.key,
            progress=self._tell if self.progress is not None else None,
        )
        self.rounds += 1
        self.done += len(directions)
        rows = np.array([np.frombuffer(base64.b64decode(one["support"]), "<f8") for one in found]).reshape(-1, 8)
        kept = np.array([one["proven"] for one in found], dtype=bool)
        self.dropped += int((~kept).sum())
        return Pool(directions[kept], rows[kept, 0], rows[kept, 1], rows[kept, 2:])

    def _tell(self, done: int, total: int) -> None:
        if self.progress is not None:
            self.progress(self.done + done, max(self.planned, self.done + total))


def are_proven(hand: Assembly, found: Supports) -> BoolArray:
    """(n,) whether the forces balance their points, keep the joint rows and lie in their pieces; without the solver."""
    n = len(found.values)
    sound = (found.pieces >= 0).all(axis=1) & np.isfinite(found.forces).all(axis=(1, 2))
    if not sound.all():
        result = np.zeros(n, dtype=bool)
        if sound.any():
            result[sound] = are_proven(hand, Supports(*(array[sound] for array in found)))
        return result
    layout = hand.layout
    largest = np.maximum(np.abs(found.forces).max(axis=(1, 2), initial=0.0), ROUNDING_SHARE * layout.smallest_size)
    scale = np.maximum(np.abs(hand.loads(found.points)[:, :6]).max(axis=1, initial=0.0), largest)
    result = balance_residuals(hand, found.forces, found.points) <= SLACK * tolerances.FEASIBILITY * scale
    local = np.einsum("kji,nkj->nki", hand.rotations, found.forces)
    for shape, polytopes in enumerate(layout.shapes):
        own = np.nonzero(layout.shape_of == shape)[0]
        for number, piece in enumerate(polytopes):
            row, at = np.nonzero(found.pieces[:, own] == number)
            if not len(row):
                continue
            forces = local[row, own[at]]
            normals, offsets = piece.halfspaces  # an edge or a plane has opposite ones, a point as many as it needs
            size = np.maximum(piece.size, np.abs(forces).max(axis=1))
            outside = (forces @ normals.T - offsets).max(axis=1, initial=-np.inf)
            result[row[outside > SLACK * tolerances.MEMBERSHIP * size]] = False
    return result

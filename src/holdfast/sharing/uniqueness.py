"""Whether a path is the only one: the same question is followed again in other forms, and with the other choice.

Where slipping contacts, contacts without a force or mixed rules allow two continuations, the first that is found is an
arbitrary one. It may depend on the order of contacts or facets, or on rounding, and so on the axes of the world.
Equivalent questions find such dependence. Where rates and a motion that nothing resists exist together, a path prefers
the rates; the last of the other paths prefers the motion.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from . import kernels
from .kernels import SharingProblem

if TYPE_CHECKING:
    from .sequences import LoadSharing

#: Number of equivalent questions, and seed of their axes and orders.
FORMS, SEED = 8, 20

#: Paths whose first failures and peaks differ by at most this fraction are the same.
SAME = 1e-6


class OtherPath(NamedTuple):
    """First failure and peak of another path of the same question."""

    first_failure: float
    peak: float


def other_paths(result: LoadSharing) -> tuple[OtherPath, ...]:
    """The other paths that were found; empty where the path seems to be the only one."""
    from .sequences import followed

    if not _allows_choice(result.problem):
        return ()
    rng = np.random.default_rng(SEED)
    found: list[OtherPath] = []
    questions = [(_equivalent(result.problem, rng), False) for _ in range(FORMS)]
    for problem, gives_in in [*questions, (result.problem, True)]:
        other = followed(problem, result.until, gives_in=gives_in)
        if gives_in and other.mechanism is None:  # it ends where it met a motion that is not lawful
            continue
        path = OtherPath(other.first_failure, other.peak)
        if not any(_are_same(path, known) for known in [OtherPath(result.first_failure, result.peak), *found]):
            found.append(path)
    return tuple(found)


def _allows_choice(problem: SharingProblem) -> bool:
    """Whether a contact slips, or a contact without a force is at the border of its volume and may open."""
    near = kernels.ON_FACET * problem.size
    starts, ends = problem.first[:, 0], problem.first[np.arange(len(problem.pieces)), problem.pieces]
    tips = [(problem.offsets[a:b] <= limit).any() for a, b, limit in zip(starts, ends, near, strict=True)]
    return bool((problem.rule == kernels.SLIP).any() or any(tips))


def _are_same(a: OtherPath, b: OtherPath) -> bool:
    return all(x == y or abs(x - y) <= SAME * max(abs(x), abs(y)) for x, y in zip(a, b, strict=True))


def _equivalent(problem: SharingProblem, rng: np.random.Generator) -> SharingProblem:
    """The same question with other axes of the world, units in another order, and facets in another order."""
    units = rng.permutation(len(problem.first_point) - 1)
    blocks = [np.arange(int(problem.first_point[u]), int(problem.first_point[u + 1])) for u in units]
    order = np.concatenate(blocks)
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    turn = np.eye(problem.maps.shape[2])
    turn[:3, :3], turn[3:6, 3:6] = q, q
    normals, offsets = problem.normals.copy(), problem.offsets.copy()
    for start, end in {(int(a), int(b)) for row in problem.first for a, b in itertools.pairwise(row)}:
        shuffled = start + rng.permutation(max(end - start, 0))
        normals[start:end], offsets[start:end] = normals[shuffled], offsets[shuffled]
    return problem._replace(
        maps=np.ascontiguousarray(problem.maps[order] @ turn),
        normals=normals,
        offsets=offsets,
        base=problem.base @ turn,
        load=problem.load @ turn,
        first_point=np.append(0, np.cumsum([len(block) for block in blocks])).astype(np.int64),
        unit=np.repeat(np.arange(len(units)), [len(block) for block in blocks]),
        **{
            name: np.ascontiguousarray(getattr(problem, name)[order])
            for name in ("stiffness", "preload", "first", "pieces", "shrink", "size", "floor", "group", "rule")
        },
    )

"""The paper's sampling, for comparison: limits along random rays through 0, and random half-spaces (V.A, V.D)."""

from __future__ import annotations

import numpy as np

from ..checks import Array
from ..errors import GeometryError, InputError
from ..solvers import Status
from ..statics.equilibrium import equilibrium
from ..wrench_spaces.computation import wrench_space
from .facts import GripFacts
from .support_sweeps import Asking
from .whitening import evenly, paper_axes


def paper_sets(asking: Asking, count: int, seed: int) -> tuple[Array, tuple[Array, Array], GripFacts]:
    """(vertices, (normals, offsets), facts): `count` points d w at the limits (6) along w ~ N(0, W W^T), with 0.

    The half-spaces have normals drawn evenly from the unit sphere of R^6, newtons and newton metres alike, and the
    hand's true supports for offsets, so that they are outer for the hand and not only for its samples.
    """
    hand, sign = asking.task.hand, asking.task.sign
    if not equilibrium(hand, np.zeros(6)).holds:
        raise InputError(
            "does not hold the zero wrench, through which the paper's rays pass",
            where="assembly",
            fix="use GreedySampling(), which starts from a wrench that is held",
        )
    rng = np.random.default_rng([seed, 0])
    rays = rng.normal(size=(count, 6)) @ paper_axes(hand).T
    workers = None if asking.cluster is not None else asking.workers
    space = wrench_space(
        hand, rays, workers=workers, cluster=asking.cluster, journal=asking.journal, progress=asking.progress
    )
    if (space.status == Status.UNBOUNDED).any():
        raise GeometryError(
            "the hand holds without limit along some rays", where="assembly", fix="use cone_grip(assembly)"
        )
    asking.rounds += 1
    attained = np.isfinite(space.values) & (space.values > 0.0)
    points = sign * rays[attained] * space.values[attained, None]
    planes = asking.ask(evenly(rng, count, 6))
    bounded = np.isfinite(planes.bounds)
    facts = GripFacts(method="paper", n=2 * count, seed=seed, joint_limits=bool(asking.task.supports.fingers))
    vertices = np.concatenate([np.zeros((1, 6)), points + 0.0])
    return vertices, (planes.directions[bounded], planes.bounds[bounded]), facts

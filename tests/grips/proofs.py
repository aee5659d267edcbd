"""Proofs of membership, checked from the vertices and rays themselves."""

from __future__ import annotations

import numpy as np

from holdfast.grips import Grip, GripMembership
from holdfast.solvers import Status


def proves(grip: Grip, answer: GripMembership, *, tolerance: float = 1e-8) -> bool:
    """Whether weights or separator show what the status says, torques divided by the grip's length."""
    unit = np.repeat([1.0, grip.length], 3)
    size = max(np.abs(grip.vertices / unit).max(), np.abs(answer.wrench / unit).max())
    if answer.status is Status.HOLDS:
        weights, along = answer.weights, answer.ray_weights
        assert weights is not None and along is not None and answer.separator is None
        made = weights @ grip.vertices + along @ grip.rays
        convex = weights.min() >= 0.0 and along.min(initial=0.0) >= 0.0 and abs(weights.sum() - 1.0) <= 1e-12
        return bool(convex and np.abs((made - answer.wrench) / unit).max() <= tolerance * size)
    y = answer.separator
    assert y is not None and answer.weights is None
    steep = np.linalg.norm(y * unit) * np.linalg.norm(grip.rays / unit, axis=1)
    level = bool((grip.rays @ y <= tolerance * steep).all())
    beyond = y @ answer.wrench - (grip.vertices @ y).max()
    return level and bool(beyond > 0.0) and answer.excess == beyond

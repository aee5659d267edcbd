"""Assemblies whose probability of holding is known in closed form, all contacts at the world origin."""

from __future__ import annotations

import numpy as np
from scipy import stats

import holdfast as hf
from holdfast.reliability.scatter import Distribution
from tests.referee import block

UP = np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])


def single() -> hf.Assembly:
    """One contact that carries up to 1 N along each axis."""
    volume = hf.ForceVolume([block([-1.0] * 3, [1.0] * 3)])
    return hf.Assembly([hf.Contact(np.zeros(3), np.eye(3), volume, "a")])


def series() -> tuple[hf.Assembly, np.ndarray]:
    """(two contacts, a load that needs 1 N of each of them): the weakest link decides."""
    along_x = hf.ForceVolume([[[-1.0, 0, 0], [1.0, 0, 0]]], allow_flat=True)
    along_y = hf.ForceVolume([[[0, -1.0, 0], [0, 1.0, 0]]], allow_flat=True)
    contacts = [hf.Contact(np.zeros(3), np.eye(3), v, name) for v, name in ((along_x, "a"), (along_y, "b"))]
    return hf.Assembly(contacts), np.array([1.0, 1.0, 0.0, 0.0, 0.0, 0.0])


def parallel() -> hf.Assembly:
    """Two contacts that carry up to 1 N each: their strengths add up."""
    volume = hf.ForceVolume([block([-1.0] * 3, [1.0] * 3)])
    return hf.Assembly([hf.Contact(np.zeros(3), np.eye(3), volume, name) for name in ("a", "b")])


def below(distribution: Distribution, level: float) -> float:
    """P(factor < level), by scipy's own distributions."""
    mean, cv = distribution.mean, distribution.variation
    if distribution.kind == "normal":
        return float(stats.truncnorm.cdf(level, -1.0 / cv, np.inf, loc=mean, scale=cv * mean))
    if distribution.kind == "lognormal":
        sigma = np.sqrt(np.log1p(cv**2))
        return float(stats.lognorm.cdf(level, sigma, scale=mean * np.exp(-0.5 * sigma**2)))
    if distribution.kind == "uniform":
        return float(stats.uniform.cdf(level, mean * (1 - np.sqrt(3) * cv), 2 * np.sqrt(3) * cv * mean))
    raise ValueError(distribution.kind)

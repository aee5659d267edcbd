"""Whitening: coordinates in which a grip's wrenches spread alike in every direction, and none in which they are flat.

Forces and torques differ in unit and size, and a hand is strong one way and weak another. Directions drawn evenly in
whitened coordinates are drawn where the set is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..assembly.assembly import Assembly
from ..checks import Array
from ..errors import GeometryError
from .support_sweeps import Pool

#: A set is flat along a direction in which it is thinner than this share of its largest width (torques over length).
FLAT_WIDTH = 1e-9

#: Directions asked to learn how the wrenches spread, and how often that is done anew in the coordinates so far.
PILOTS, PILOT_ROUNDS = 128, 2

#: Share of the largest spread that directions are given along which W W^T has none, so that they are asked too.
FLOOR = 1e-6


@dataclass(frozen=True, eq=False)
class Whitening:
    """Wrenches w = centre + axes @ x with x of unit spread; w lies in no other directions.

    Attributes:
        centre: (6,) a wrench in the middle of the grip's hull, inside of it.
        axes: (6, p) with p the dimension of the set.
        inverse: (p, 6) with inverse @ axes = identity.
        flats: (2 (6 - p), 6) directions y, opposite ones in pairs, along which the set has no width.
        levels: (2 (6 - p),) bounds of y . w for them (outer).
    """

    centre: Array
    axes: Array
    inverse: Array
    flats: Array
    levels: Array

    @property
    def dimension(self) -> int:
        """p, the dimension of the set."""
        return self.axes.shape[1]

    def coordinates(self, wrenches: Array) -> Array:
        """(n, p) whitened coordinates of wrenches (n, 6)."""
        return (wrenches - self.centre) @ self.inverse.T

    def directions(self, rows: Array) -> Array:
        """(n, 6) directions y of supports from directions (n, p) against whitened coordinates."""
        return rows @ self.inverse

    def rays(self, rows: Array) -> Array:
        """(n, 6) changes of the wrench from changes (n, p) of whitened coordinates."""
        return rows @ self.axes.T


def evenly(rng: np.random.Generator, count: int, dimension: int) -> Array:
    """(count, p) unit vectors spread evenly over the sphere."""
    rows = rng.normal(size=(count, dimension))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True) if dimension else rows


def paper_axes(hand: Assembly) -> Array:
    """(6, 6) with axes @ axes.T = W W^T: the wrenches of evenly drawn contact forces, as the paper samples (V.A)."""
    scale = np.repeat([1.0, hand.length], 3)
    rows = hand.wrench_matrix / scale[:, None]
    values, vectors = np.linalg.eigh(rows @ rows.T)
    return scale[:, None] * (vectors * np.sqrt(np.clip(values, 0.0, None)))


def learned_whitening(hand: Assembly, ask: Callable[[Array], Pool], rng: np.random.Generator) -> tuple[Whitening, Pool]:
    """The whitening of a hand's wrenches from a few of their supports; also those, the 2 p along its axes last.

    Supports along directions in which the set is flat are left out. The first directions are whitened by W W^T, as the
    paper samples wrenches, the next ones by what they found.
    """
    scale = np.repeat([1.0, hand.length], 3)  # divides wrenches
    rows = hand.wrench_matrix / scale[:, None]
    spread = rows @ rows.T
    spread += FLOOR * float(np.trace(spread)) * np.eye(6)
    pool: Pool | None = None
    for _ in range(PILOT_ROUNDS):
        values, vectors = np.linalg.eigh(spread)
        # Along each axis by itself, so that no width is missed, then evenly.
        whitened = np.concatenate([np.eye(6), -np.eye(6), evenly(rng, PILOTS, 6)])
        found = ask((whitened / np.sqrt(values)) @ vectors.T / scale)
        _check_bounded(found, scale)
        pool = found if pool is None else pool.with_more(found)
        x = pool.points / scale
        spread = np.cov(x.T, bias=True)
        spread += FLOOR * max(float(np.trace(spread)), np.finfo(float).tiny) * np.eye(6)
    assert pool is not None
    whitening, widths = _frame(pool, ask, scale)
    if not whitening.dimension:
        return whitening, pool
    known = pool.with_more(widths)
    seen = np.linalg.norm(known.directions @ whitening.axes, axis=1)
    size = np.linalg.norm(known.directions * scale, axis=1) * np.linalg.norm(whitening.axes / scale[:, None], 2)
    return whitening, known.only(seen > FLAT_WIDTH * size)


def _check_bounded(found: Pool, scale: Array) -> None:
    endless = np.isinf(found.bounds)
    if not endless.any():
        return
    way = found.directions[int(endless.argmax())] * scale
    said = ", ".join(f"{part:.3g}" for part in way / np.linalg.norm(way))
    raise GeometryError(
        f"the hand holds without limit along ({said}), torques over its length",
        where="assembly",
        fix="cone_grip(assembly) takes contacts with cones and no joint limits exactly; else cap the volumes: "
        "ForceVolume.capped",
    )


def _frame(pool: Pool, ask: Callable[[Array], Pool], scale: Array) -> tuple[Whitening, Pool]:
    """Centre and axes from all points; widths along the axes asked once more tell which of them are flat."""
    x = pool.points / scale
    centre = x.mean(axis=0)
    _, sizes, vectors = np.linalg.svd(x - centre, full_matrices=True)
    found = ask(np.concatenate([vectors, -vectors]) / scale)
    if len(found) < 12:
        raise GeometryError(
            "the widths of the hand's wrench space could not be proven", where="assembly", fix="check its joint limits"
        )
    widths = found.bounds[:6] + found.bounds[6:]
    flat = widths <= FLAT_WIDTH * max(float(widths.max()), float(np.abs(x).max()))
    # Along an axis that the points did not show, its width is the spread.
    spread = np.where(np.arange(6) < len(sizes), np.pad(sizes, (0, 6))[:6], 0.0) / np.sqrt(len(x))
    spread = np.where(spread > FLAT_WIDTH * widths, spread, widths)[~flat]
    axes = vectors[~flat]
    middle = np.concatenate([pool.points, found.points]).mean(axis=0)
    return Whitening(
        centre=middle,
        axes=(scale[:, None] * axes.T) * spread,
        inverse=(axes / spread[:, None]) / scale,
        flats=np.concatenate([vectors[flat], -vectors[flat]]) / scale,
        levels=np.concatenate([found.bounds[:6][flat], found.bounds[6:][flat]]),
    ), found.only(np.tile(~flat, 2))

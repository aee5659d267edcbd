"""The open nodes, the closed leaves and the best answer of a search, in flat arrays for the compiled kernels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..checks import Array, BoolArray, IntArray
from .compiling import kernel

#: What `Search.counts` counts.
OPEN, LEAVES, NODES, PIVOTS, RELAXATIONS = 0, 1, 2, 3, 4


class Stack(NamedTuple):
    """Open nodes with the basis to start each from; c slots."""

    masks: IntArray  # (c, k) int64
    key: IntArray  # (c, k) int64
    mixed: IntArray  # (c, k) int64
    kind: IntArray  # (c, m) int64
    who: IntArray  # (c, m) int64
    vertex: IntArray  # (c, m) int64
    gain: Array  # (c, m)
    columns: Array  # (c, m, m)
    y: Array  # (c, m)
    slack: Array  # (c, m)
    is_basic_slack: BoolArray  # (c, m) bool
    ray_at_cap: BoolArray  # (c, p) bool
    is_basic_ray: BoolArray  # (c, p) bool


class Search(NamedTuple):
    """The state of a search between calls."""

    stack: Stack
    leaf_masks: IntArray  # (l, k) int64
    leaf_y: Array  # (l, m)
    leaf_bound: Array  # (l,)
    counts: IntArray  # int64: open nodes, leaves, nodes, pivots, relaxations
    best: Array  # (1,) best factor
    forces: Array  # (k, 3) its local forces [N]
    pieces: IntArray  # (k,) int64 their pieces


@kernel
def new_search(program, tables, slots, leaves):
    """An empty search with room for `slots` open nodes and `leaves` leaves."""
    k, m, p = program.maps.shape[0], len(program.load), len(program.ray_of)
    stack = Stack(
        np.zeros((slots, k), np.int64),
        np.zeros((slots, k), np.int64),
        np.zeros((slots, k), np.int64),
        np.zeros((slots, m), np.int64),
        np.zeros((slots, m), np.int64),
        np.zeros((slots, m), np.int64),
        np.zeros((slots, m)),
        np.zeros((slots, m, m)),
        np.zeros((slots, m)),
        np.zeros((slots, m)),
        np.zeros((slots, m), np.bool_),
        np.zeros((slots, p), np.bool_),
        np.zeros((slots, p), np.bool_),
    )
    return Search(
        stack,
        np.zeros((leaves, k), np.int64),
        np.zeros((leaves, m)),
        np.zeros(leaves),
        np.zeros(5, np.int64),
        np.full(1, -np.inf),
        np.zeros((k, 3)),
        np.zeros(k, np.int64),
    )


@kernel
def push(search, state):
    """Put a node on the stack."""
    at, stack = search.counts[OPEN], search.stack
    stack.masks[at], stack.key[at], stack.mixed[at] = state.masks, state.key, state.mixed
    stack.kind[at], stack.who[at], stack.vertex[at] = state.kind, state.who, state.vertex
    stack.gain[at], stack.columns[at], stack.y[at] = state.gain, state.columns, state.y
    stack.slack[at], stack.is_basic_slack[at] = state.slack, state.is_basic_slack
    stack.ray_at_cap[at], stack.is_basic_ray[at] = state.ray_at_cap, state.is_basic_ray
    search.counts[OPEN] += 1


@kernel
def pop(search, state):
    """Take the last node off the stack into `state`."""
    search.counts[OPEN] -= 1
    at, stack = search.counts[OPEN], search.stack
    state.masks[:], state.key[:], state.mixed[:] = stack.masks[at], stack.key[at], stack.mixed[at]
    state.kind[:], state.who[:], state.vertex[:] = stack.kind[at], stack.who[at], stack.vertex[at]
    state.gain[:], state.columns[:, :], state.y[:] = stack.gain[at], stack.columns[at], stack.y[at]
    state.slack[:], state.is_basic_slack[:] = stack.slack[at], stack.is_basic_slack[at]
    state.ray_at_cap[:], state.is_basic_ray[:] = stack.ray_at_cap[at], stack.is_basic_ray[at]


@kernel
def add_leaf(search, masks, y, bound):
    """Record a closed box."""
    at = search.counts[LEAVES]
    search.leaf_masks[at], search.leaf_y[at], search.leaf_bound[at] = masks, y, bound
    search.counts[LEAVES] += 1


@kernel
def keep_best(search, factor, forces, pieces, shrink):
    """Remember forces scaled by `shrink` that carry `factor`, if better than the best."""
    if factor > search.best[0]:
        search.best[0] = factor
        search.forces[:, :] = shrink * forces
        search.pieces[:] = pieces

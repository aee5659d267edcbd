"""The compiled kernels' data: one linear program over contacts, and a basis of it.

The program is  max d  with  sum_i M_i f_i + d b - s = 0,  f_i in the hull of contact i's allowed pieces (weights of
vertices, plus boxed multiples of rays), s in [lower, upper]. `simplex` tells how it is solved.
"""

from __future__ import annotations

from typing import NamedTuple

from ..checks import Array, BoolArray, IntArray
from .compiling import kernel

#: Kinds of basic columns.
FACTOR, VERTEX, SLACK, RAY, ARTIFICIAL = 0, 1, 2, 3, 4


class Program(NamedTuple):
    """One linear program over a fixed set of contacts; k contacts, m rows, p rays."""

    maps: Array  # (k, m, 3) M_i
    shape_of: IntArray  # (k,) int64
    size: Array  # (k,) largest coordinate of the contact's vertices [N]
    load: Array  # (m,) b
    lower: Array  # (m,)
    upper: Array  # (m,)
    ray_of: IntArray  # (p,) int64 contact of each ray
    ray: Array  # (p, 3) unit direction in the contact frame
    ray_bit: IntArray  # (p,) int64 mask of the piece it belongs to
    ray_cap: float  # artificial bound on a ray's multiple
    bonus: float  # reward of the vertex 0


@kernel
def with_bonus(program, bonus):
    """The program with another reward of the vertex 0."""
    return Program(
        program.maps,
        program.shape_of,
        program.size,
        program.load,
        program.lower,
        program.upper,
        program.ray_of,
        program.ray,
        program.ray_bit,
        program.ray_cap,
        bonus,
    )


class State(NamedTuple):
    """A basis and what follows from it."""

    masks: IntArray  # (k,) int64 allowed pieces
    key: IntArray  # (k,) int64 key vertex
    mixed: IntArray  # (k,) int64 basic vertices besides the key
    kind: IntArray  # (m,) int64 of each basic column
    who: IntArray  # (m,) int64 contact, row or ray
    vertex: IntArray  # (m,) int64 vertex of a VERTEX column
    gain: Array  # (m,) objective coefficient of an ARTIFICIAL column (what it had before it became one)
    columns: Array  # (m, m) the basic columns
    inverse: Array  # (m, m)
    y: Array  # (m,)
    slack: Array  # (m,) value of nonbasic slacks, 0 for basic ones
    is_basic_slack: BoolArray  # (m,) bool
    ray_at_cap: BoolArray  # (p,) bool, nonbasic at the cap
    is_basic_ray: BoolArray  # (p,) bool
    right: Array  # (m,) right-hand side: slacks minus keys minus capped rays
    x: Array  # (m,) values of the basic variables


@kernel
def empty_like(state):
    """A state of the same size."""
    return State(
        state.masks.copy(),
        state.key.copy(),
        state.mixed.copy(),
        state.kind.copy(),
        state.who.copy(),
        state.vertex.copy(),
        state.gain.copy(),
        state.columns.copy(),
        state.inverse.copy(),
        state.y.copy(),
        state.slack.copy(),
        state.is_basic_slack.copy(),
        state.ray_at_cap.copy(),
        state.is_basic_ray.copy(),
        state.right.copy(),
        state.x.copy(),
    )


@kernel
def copy_state(source, target):
    """Copy all that a basis consists of."""
    for a, b in (
        (source.masks, target.masks),
        (source.key, target.key),
        (source.mixed, target.mixed),
        (source.kind, target.kind),
        (source.who, target.who),
        (source.vertex, target.vertex),
    ):
        b[:] = a
    for a, b in (
        (source.gain, target.gain),
        (source.y, target.y),
        (source.slack, target.slack),
        (source.right, target.right),
        (source.x, target.x),
    ):
        b[:] = a
    target.columns[:, :] = source.columns
    target.inverse[:, :] = source.inverse
    target.is_basic_slack[:] = source.is_basic_slack
    target.ray_at_cap[:] = source.ray_at_cap
    target.is_basic_ray[:] = source.is_basic_ray

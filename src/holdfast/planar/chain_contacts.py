"""Where a chain touches its surroundings: nodes on flat walls, links on corners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array
from ..errors import InputError


@dataclass(frozen=True)
class NodeContact:
    """Node `node` on a flat wall with unit `normal` out of the wall; friction coefficient `mu`."""

    node: int
    normal: Array
    mu: float

    def __init__(self, node: int, normal: ArrayLike, mu: float) -> None:
        object.__setattr__(self, "node", checks.count("node", node, low=0))
        object.__setattr__(self, "normal", checks.direction("normal", normal, 2))
        object.__setattr__(self, "mu", checks.number("mu", mu, low=0.0))

    def normal_at(self, angles: Array) -> Array:
        """The wall's normal, whatever the `angles` of the links."""
        return self.normal


@dataclass(frozen=True)
class LinkContact:
    """A corner of the surroundings touching link `link` at the share `along` of its length.

    The normal is the link's own: (-sin, cos) of its angle times `side` (+1: the corner lies to the right of the link
    as seen from its beginning, -1: to the left); it turns with the link.
    """

    link: int
    along: float
    side: float
    mu: float

    def __init__(self, link: int, along: float, side: float, mu: float) -> None:
        object.__setattr__(self, "link", checks.count("link", link, low=0))
        object.__setattr__(self, "along", checks.number("along", along, low=0.0, high=1.0))
        if side not in (-1, 1):
            raise InputError(f"is {side!r}", where="side", fix="give 1 (corner to the right) or -1 (to the left)")
        object.__setattr__(self, "side", float(side))
        object.__setattr__(self, "mu", checks.number("mu", mu, low=0.0))

    def normal_at(self, angles: Array) -> Array:
        """The normal at the link `angles` [rad]."""
        phi = angles[self.link]
        return self.side * np.array([-np.sin(phi), np.cos(phi)])


ContactLike = NodeContact | LinkContact | Sequence[Any]


def contact_of(value: ContactLike, links: int) -> NodeContact | LinkContact:
    """`value` as a contact of a chain with that many `links`; (node, normal, mu) is a `NodeContact`."""
    if not isinstance(value, (NodeContact, LinkContact)):
        checks.iterable("contact", value, fix="give (node, normal, mu), a NodeContact or a LinkContact")
        parts = tuple(value)
        if len(parts) != 3:
            raise InputError(f"has {len(parts)} parts", where="contact", fix="give (node, normal, mu)")
        value = NodeContact(*parts)
    index, last = (value.node, links) if isinstance(value, NodeContact) else (value.link, links - 1)
    if index > last:
        kind = "node" if isinstance(value, NodeContact) else "link"
        raise InputError(f"there is no {kind} {index}", where="contact", fix=f"give a {kind} of 0 to {last}")
    return value

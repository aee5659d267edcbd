"""Parts of an unbranched, floating chain: its first links alone, and the same chain counted from its other end."""

from __future__ import annotations

import numpy as np

from .. import checks
from ..errors import InputError
from .chains import Chain


def check_snake(chain: Chain) -> None:
    """`chain` must be unbranched, floating and driven in every joint."""
    if chain.parents != tuple(range(len(chain.links))) or chain.base != "free" or chain.passive:
        raise InputError(
            "is a tree, held at its base or passive in a joint",
            where="chain",
            fix="give an unbranched chain with a free base and a motor in every joint",
        )


def first_links(chain: Chain, count: int) -> Chain:
    """The first `count` links with their nodes, alone; the mass of the last node is theirs."""
    check_snake(chain)
    if checks.count("count", count) > len(chain.links):
        raise InputError(f"is {count}", where="count", fix=f"the chain has {len(chain.links)} links")
    return Chain(
        chain.links[:count],
        chain.masses[: count + 1],
        chain.gravity,
        link_masses=np.asarray(chain.link_masses)[:count],
        inertias=np.asarray(chain.inertias)[:count],
    )


def turned(chain: Chain) -> Chain:
    """The same chain counted from its other end: node i becomes node n - i.

    Joint angles, and with them joint torques, come in reverse, negated.
    """
    check_snake(chain)
    return Chain(
        chain.links[::-1],
        chain.masses[::-1],
        chain.gravity,
        link_masses=np.asarray(chain.link_masses)[::-1],
        inertias=np.asarray(chain.inertias)[::-1],
    )

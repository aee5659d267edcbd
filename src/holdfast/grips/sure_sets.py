"""Sure sets: inner sets of which every wrench is held, where the contacts' volumes are unions of pieces.

One convex piece a contact makes a convex set of wrenches, all of which are held. The pieces are those that the hand's
furthest wrenches use most: of a measured volume, the largest piece is mostly nearly all of it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..assembly import Contact
from ..assembly.assembly import Assembly
from ..checks import Array, IntArray
from ..force_limits.volume import ForceVolume
from .greedy import greedy_choice
from .support_sweeps import Asking, SupportTask
from .whitening import evenly, learned_whitening

#: Directions along which the pieces in use are counted.
TRIED = 1000


def is_convex(hand: Assembly) -> bool:
    """Whether every contact's volume is one convex piece, so that what is held is a convex set."""
    return all(len(contact.volume.polytopes) == 1 for contact in hand.contacts)


def sure_vertices(asking: Asking, count: int, candidates: int, seed: int) -> Array:
    """Up to `count` vertices of a set of which every wrench is held, from `candidates` directions for each of them."""
    sign, journal = asking.task.sign, asking.journal
    single = one_piece_hand(asking.task.hand, seed)
    beside = None if journal is None else journal.with_name(f"{journal.name}.sure{count}")
    own = Asking(SupportTask(single, sign), asking.workers, asking.cluster, beside, asking.progress)
    rng = np.random.default_rng([seed, 2])
    whitening, pool = learned_whitening(single, own.ask, rng)
    if whitening.dimension:
        rows = evenly(rng, candidates * count, whitening.dimension)
        pool = pool.with_more(own.ask(whitening.directions(rows)))
    asking.done += own.done
    best = greedy_choice(pool, whitening.centre, count)
    return pool.points[best] if len(best) else pool.points[:1]


def one_piece_hand(hand: Assembly, seed: int) -> Assembly:
    """The hand with one piece a contact: the one that forces at the furthest wrenches lie in most often."""
    rng = np.random.default_rng([seed, 3])
    directions = evenly(rng, TRIED, 6) / np.repeat([1.0, hand.length], 3)
    used = SupportTask(hand, 1.0).supports.many(directions).pieces
    made: dict[tuple[int, int], ForceVolume] = {}
    contacts: list[Contact] = []
    for i, contact in enumerate(hand.contacts):
        piece = most_used(used[:, i], len(contact.volume.polytopes))
        key = (id(contact.volume), piece)
        polytope = contact.volume.polytopes[piece]
        if key not in made:
            made[key] = ForceVolume([polytope.extreme], [polytope.rays], allow_flat=True)
        contacts.append(replace(contact, volume=made[key]))
    return Assembly(contacts, hand.joints, hand.name)


def most_used(pieces: IntArray, count: int) -> int:
    """The piece that occurs most often, the first of several."""
    return int(np.bincount(pieces[pieces >= 0], minlength=count).argmax())

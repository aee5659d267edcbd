"""Whether boxes of piece choices tile a larger box: none overlap, nothing is left out.

A box is one bit mask a contact. The leaves of a search tree can be told apart contact by contact: at some contact the
masks fall into groups without a common bit, each group tiles its part, and so on down to single boxes. Boxes that
cannot be told apart like this are compared in pairs and counted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..checks import Array, IntArray


def tiles(boxes: Sequence[Sequence[int]], whole: Sequence[int]) -> bool:
    """Whether the boxes (masks, one a contact) are disjoint and together make up the whole box."""
    if not len(boxes) or any(len(box) != len(whole) for box in boxes):
        return False
    kind = object if max(max(map(max, boxes)), max(whole)) >> 62 else np.int64
    masks, domain = np.array(boxes, dtype=kind), np.array(whole, dtype=kind)
    if ((masks & ~domain) != 0).any() or (masks == 0).any():
        return False
    waiting = [(np.arange(len(masks)), domain)]
    while waiting:
        rows, part = waiting.pop()
        own = masks[rows]
        undecided = np.nonzero((own != part).any(axis=0))[0]
        if len(rows) == 1:
            if len(undecided):
                return False
            continue
        for contact in undecided:
            groups = _groups(own[:, contact])
            if sum(groups) != part[contact]:  # groups share no bit: their sum is their union
                return False
            if len(groups) > 1:
                for group in groups:
                    smaller = part.copy()
                    smaller[contact] = group
                    waiting.append((rows[(own[:, contact] & group) != 0], smaller))
                break
        else:
            if not _tile_in_pairs(own, part):
                return False
    return True


def _groups(masks: Array) -> list[int]:
    """The unions of masks that hang together by common bits."""
    groups: list[int] = []
    for mask in np.unique(masks).tolist():
        joined = mask
        for group in [g for g in groups if g & mask]:
            joined |= group
            groups.remove(group)
        groups.append(joined)
    return groups


def _tile_in_pairs(masks: IntArray | Array, whole: Array) -> bool:
    """The same by comparing every two boxes and counting the choices in all of them."""
    sizes = [math.prod(int(mask).bit_count() for mask in box) for box in masks]
    if sum(sizes) != math.prod(int(mask).bit_count() for mask in whole):
        return False
    return not any(((masks[:row] & masks[row]) != 0).all(axis=1).any() for row in range(1, len(masks)))

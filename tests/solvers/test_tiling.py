"""Boxes that tile a larger box are told from those that overlap or leave a gap, by counting every choice."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from holdfast.solvers.certificates import tiles


def bits(mask: int) -> list[int]:
    return [j for j in range(mask.bit_length()) if mask >> j & 1]


def tiles_by_counting(boxes, whole) -> bool:
    """Every choice of one piece a contact lies in exactly one box, and no box reaches beyond the whole."""
    seen = [choice for box in boxes for choice in itertools.product(*map(bits, box))]
    return sorted(seen) == sorted(itertools.product(*map(bits, whole)))


def random_tree(rng, whole):
    """Boxes from cutting at random contacts, as a search does."""
    boxes = [list(whole)]
    for _ in range(int(rng.integers(0, 12))):
        box = boxes.pop(int(rng.integers(len(boxes))))
        contact = int(rng.integers(len(box)))
        part = sum(1 << j for j in bits(box[contact]) if rng.random() < 0.5)
        if part in (0, box[contact]):
            boxes.append(box)
            continue
        for mask in (part, box[contact] & ~part):
            boxes.append([mask if i == contact else m for i, m in enumerate(box)])
    return boxes


@pytest.mark.parametrize("seed", range(60))
def test_search_trees_tile_and_damaged_ones_do_not(seed):
    rng = np.random.default_rng(seed)
    whole = [(1 << int(rng.integers(1, 5))) - 1 for _ in range(int(rng.integers(1, 5)))]
    boxes = random_tree(rng, whole)
    assert tiles(boxes, whole) and tiles_by_counting(boxes, whole)
    damaged = [list(box) for box in boxes]
    victim = int(rng.integers(len(boxes)))
    kind = seed % 3
    if kind == 0:
        damaged.pop(victim)
    elif kind == 1:
        damaged.append(list(boxes[victim]))
    else:
        contact = int(rng.integers(len(whole)))
        damaged[victim][contact] = int(rng.integers(1, whole[contact] + 1))
    assert tiles(damaged, whole) == tiles_by_counting(damaged, whole)


def test_a_pinwheel_that_no_cut_tells_apart_is_still_recognised():
    # Three contacts of two pieces: two corners and three edges around them, as in the classic pinwheel.
    boxes = [[1, 1, 1], [2, 2, 2], [3, 1, 2], [2, 3, 1], [1, 2, 3]]
    assert tiles_by_counting(boxes, [3, 3, 3])
    assert tiles(boxes, [3, 3, 3])
    assert not tiles([*boxes[:-1], [1, 2, 1]], [3, 3, 3])


def test_boxes_beyond_the_whole_empty_ones_and_wrong_lengths_do_not_tile():
    assert not tiles([], [1])
    assert not tiles([[2]], [1])
    assert not tiles([[0]], [1])
    assert not tiles([[1, 1]], [1])
    assert not tiles([[1], [1, 1]], [1])


def test_masks_wider_than_a_machine_word_are_whole_numbers():
    wide = (1 << 70) - 1
    assert tiles([[1 << 69, 1], [wide >> 1, 1]], [wide, 1])
    assert not tiles([[wide >> 1, 1]], [wide, 1])

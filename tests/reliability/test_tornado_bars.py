"""Tornado data: sorted, by slopes and solved anew."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.reliability.derivatives import Changes, sensitivity, tornado

BOX = hf.ForceVolume([np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)])


def pair() -> hf.Assembly:
    return hf.Assembly([hf.Contact([s, 0, 0], np.eye(3), BOX, n) for s, n in ((-1.0, "a"), (1.0, "b"))])


def test_bars_are_slopes_times_changes_largest_first() -> None:
    found = sensitivity(pair(), [0, 1, 0, 0, 0, 0.2])
    data = tornado(found, Changes(share=0.1))
    sizes = [bar.size for bar in data.bars]
    assert sizes == sorted(sizes, reverse=True)
    for bar in data.bars:
        assert bar.up == bar.derivative.change(bar.amount)
        assert bar.down == bar.derivative.change(-bar.amount)
        assert np.isnan(bar.solved_up)
    strength = next(bar for bar in data.bars if bar.label == "b: strength")
    assert strength.amount == 0.1
    assert len(data.bars) == len(found.derivatives)


def test_what_is_solved_anew_is_the_limit_of_the_changed_assembly() -> None:
    found = sensitivity(pair(), [0, 1, 0, 0, 0, 0.2])
    data = tornado(found, Changes(share=0.2), solve=40)
    bar = next(bar for bar in data.bars if bar.label == "b: strength")
    for solved, factor in ((bar.solved_down, 0.8), (bar.solved_up, 1.2)):
        contacts = [pair().contacts[0], hf.Contact([1, 0, 0], np.eye(3), BOX.scaled(factor))]
        after = hf.load_limit(hf.Assembly(contacts), [0, 1, 0, 0, 0, 0.2]).value
        assert found.value + solved == pytest.approx(after, rel=1e-5)


def test_bad_changes_are_named() -> None:
    with pytest.raises(hf.errors.InputError, match="share"):
        Changes(share=0.0)
    with pytest.raises(hf.errors.InputError, match="shift"):
        Changes(shift=-1.0)


def test_data_is_plain() -> None:
    data = tornado(sensitivity(pair(), [0, 1, 0, 0, 0, 0.2])).to_dict()
    assert set(data) == {"limit", "smooth", "changes", "bars"}
    assert {"parameter", "amount", "down", "up", "left", "right"} <= set(data["bars"][0])

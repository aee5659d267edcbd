"""Options that commands share."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.cli.options import Exit, folder, method, vector, verdict


def test_vectors_are_read_from_commas_or_blanks() -> None:
    np.testing.assert_array_equal(vector("--x", "1,2 -3e1", 3), [1.0, 2.0, -30.0])


@pytest.mark.parametrize("text", ["", "1,2", "1,2,3,4", "1,b,3", "1,nan,3", "1,inf,3"])
def test_other_words_are_bad_input(text: str) -> None:
    with pytest.raises(hf.HoldfastError, match="--x"):
        vector("--x", text, 3)


def test_a_failure_goes_before_an_open_question_and_that_before_success() -> None:
    assert verdict(["holds", "undecided", "does not hold"]) is Exit.DOES_NOT_HOLD
    assert verdict(["holds", "undecided"]) is Exit.UNDECIDED
    assert verdict(["holds", "optimal"]) is Exit.HOLDS


def test_limits_reach_the_method() -> None:
    made = method(3.0, 17, 0.05, floor=1.0)
    assert (made.time_limit, made.node_limit, made.gap, made.floor) == (3.0, 17, 0.05, 1.0)
    assert method(None, None, 0.05) == hf.Reference(gap=0.05)


def test_a_folder_that_cannot_be_made_is_told(tmp_path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(hf.HoldfastError, match="cannot be made"):
        folder(tmp_path / "file" / "below")

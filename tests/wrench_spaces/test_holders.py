from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError
from holdfast.wrench_spaces.space import held_by
from tests.referee import dented_unit

UNIT = hf.Assembly([hf.Contact((0, 0, 0), np.eye(3), dented_unit())])


def test_the_union_is_the_assembly_itself_and_the_hull_has_one_piece_a_contact() -> None:
    assert held_by(UNIT, "union") is UNIT
    assert [len(contact.volume) for contact in held_by(UNIT, "hull").contacts] == [1]


def test_other_volumes_and_what_is_no_assembly_are_refused() -> None:
    with pytest.raises(InputError, match='"union" or "hull"'):
        held_by(UNIT, "convex")  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="holdfast.Assembly"):
        held_by("gripper", "union")  # pyright: ignore[reportArgumentType]

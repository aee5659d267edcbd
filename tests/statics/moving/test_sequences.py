from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError
from holdfast.statics.paths import follow, turning
from tests.statics.moving.scenes import block, tilted


def postures() -> list[tuple[hf.Assembly, np.ndarray]]:
    """A gripper on ever larger objects, turned as it goes: contacts, joints and loads all change."""
    result = []
    for i, radius in enumerate(np.linspace(0.12, 0.2, 6)):
        device = hf.devices.two_finger_gripper("MD", "MD", dimensions=hf.devices.TwoFingerDimensions(radius=radius))
        result.append(turning(device)(np.radians(3.0 * i)))
    return result


def test_warm_answers_are_those_of_cold_ones() -> None:
    asked = postures()
    found = follow(asked, margins=True)
    assert len(found) == 6
    assert found.verify()
    for i, (assembly, wrench) in enumerate(asked):
        assert found.statuses[i] is hf.equilibrium(assembly, wrench).status
        assert found.margins[i] == pytest.approx(hf.load_limit(assembly, wrench).value, rel=2e-6, abs=1e-6)
    assert found.first_loss is not None
    assert found.first_loss == int(np.argmin(found.holds))


def test_margins_are_left_out_when_nobody_asks() -> None:
    found = follow((block(), tilted(angle)) for angle in (0.0, 0.2, 0.6, 0.1))
    assert found.holds.tolist() == [True, True, False, True]
    assert found.first_loss == 2
    assert np.isnan(found.margins).all()
    assert follow([(block(), tilted(0.1))]).first_loss is None


def test_other_methods_follow_too() -> None:
    found = follow([(block(), tilted(0.1)), (block(), tilted(0.6))], margins=True, method=hf.Reference())
    assert found.holds.tolist() == [True, False]
    assert found.margins[0] == np.inf


def test_bad_postures_are_refused() -> None:
    with pytest.raises(InputError, match="is empty"):
        follow([])
    with pytest.raises(InputError, match=r"postures\[1\]"):
        follow([(block(), tilted(0.1)), (block(),)])  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match=r"postures\[0\]\[1\]"):
        follow([(block(), np.zeros(5))])
    with pytest.raises(InputError, match="postures: is a NoneType"):
        follow(None)  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match=r"postures\[0\]\[1\]: is zero and has no margin"):
        follow([(block(), np.zeros(6))], margins=True)
    assert follow([(block(), np.zeros(6))]).holds.all()

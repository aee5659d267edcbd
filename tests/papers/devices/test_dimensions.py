"""Dimensions are checked when they are made."""

from __future__ import annotations

from dataclasses import fields

import pytest

from holdfast.errors import InputError
from holdfast.papers.devices import FourFingerDimensions, OpposedUnitsDimensions, TwoFingerDimensions

CLASSES = (OpposedUnitsDimensions, TwoFingerDimensions, FourFingerDimensions)


@pytest.mark.parametrize("kind", CLASSES)
def test_every_dimension_has_a_unit_and_a_meaning(kind: type) -> None:
    for entry in fields(kind):
        assert entry.metadata["unit"] in ("m", "kg", "N", "N m")
        assert entry.metadata["meaning"]
        assert entry.default == getattr(kind(), entry.name)


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("value", [0.0, -0.1, float("nan"), 1e9, "wide"])
def test_lengths_must_be_lengths(kind: type, value: object) -> None:
    with pytest.raises(InputError, match=r"radius: is"):
        kind(radius=value)


@pytest.mark.parametrize("kind", CLASSES)
def test_masses_must_be_above_zero(kind: type) -> None:
    with pytest.raises(InputError, match=r"object_mass: is -1 kg"):
        kind(object_mass=-1.0)


def test_sizes_are_two_lengths() -> None:
    with pytest.raises(InputError, match=r"unit_size\[1\]: is 0 m"):
        TwoFingerDimensions(unit_size=(0.03, 0.0))
    with pytest.raises(InputError, match=r"palm_size: has shape \(3,\)"):
        FourFingerDimensions(palm_size=(1, 1, 1))  # type: ignore[arg-type]
    assert TwoFingerDimensions(unit_size=[0.03, 0.04]).unit_size == (0.03, 0.04)  # type: ignore[arg-type]


def test_friction_and_torque_may_be_zero_and_not_negative() -> None:
    assert TwoFingerDimensions(joint_friction=0).joint_friction == 0.0
    with pytest.raises(InputError, match="joint_torque: is -10 N m"):
        FourFingerDimensions(joint_torque=-10)


def test_the_reference_point_may_lie_above_or_below_the_crest() -> None:
    assert TwoFingerDimensions(com_depth=-0.02).com_depth == -0.02
    assert FourFingerDimensions(load_depth=0.0).load_depth == 0.0

"""Dimensions of devices: numbers with unit and meaning, checked when they are made."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from ... import checks, tolerances


def dimension(default: Any, unit: str, meaning: str) -> Any:
    """A dataclass field with its unit and meaning, for `Dimensions`."""
    return field(default=default, metadata={"unit": unit, "meaning": meaning})


@dataclass(frozen=True)
class Dimensions:
    """Base of the devices' dimensions.

    Lengths and masses are above zero and of a size that can be meant; forces and torques are not negative. A depth
    may have either sign.
    """

    def __post_init__(self) -> None:
        for entry in fields(self):
            object.__setattr__(
                self, entry.name, _checked(entry.name, getattr(self, entry.name), entry.metadata["unit"])
            )


def _checked(name: str, value: Any, unit: str) -> Any:
    if name.endswith("_size"):
        pair = checks.array(name, value, (2,))
        return tuple(_checked(f"{name}[{axis}]", float(pair[axis]), unit) for axis in (0, 1))
    limits = {
        "m": (tolerances.SMALLEST_LENGTH, tolerances.LARGEST_LENGTH),
        "kg": (tolerances.SMALLEST_MASS, tolerances.LARGEST_MASS),
    }
    low, high = limits.get(unit, (0.0, tolerances.LARGEST_FORCE))
    if name.endswith("_depth"):
        low = -high
    return checks.number(name, value, low=low, high=high, unit=unit)

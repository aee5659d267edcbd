"""Assemblies whose limits, prices and words are known."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from tests import referee


@pytest.fixture
def strong() -> hf.ForceVolume:
    """A box of 100 N in every direction."""
    return hf.ForceVolume([referee.block([-100] * 3, [100] * 3)])


@pytest.fixture
def uneven_table() -> hf.Assembly:
    """Three feet without friction, 100 N each, on a right triangle."""
    volume = hf.ForceVolume([[[0, 0, 0], [0, 0, 100.0]]], allow_flat=True)
    names = ("corner", "right", "left")
    feet = ((0, 0, 0), (1, 0, 0), (0, 1, 0))
    return hf.Assembly([hf.Contact(x, np.eye(3), volume, n) for x, n in zip(feet, names, strict=True)], name="table")

"""Two units that pull only together: small enough for every method."""

from __future__ import annotations

import numpy as np

import holdfast as hf
from tests.referee import dented_unit

PULL = np.array([0.0, 0.0, -1.0, 0.0, 0.0, 0.0])


def opposed_pair(pull: float = 4.0) -> hf.Assembly:
    """Two units under a plate that shear towards one another: together they pull with 2 `pull`."""
    unit = dented_unit(pull=pull)
    down = np.diag([1.0, -1.0, -1.0])
    turned = hf.rotation_about([0, 0, 1], np.pi) @ down
    return hf.Assembly([hf.Contact([0.1, 0, 0], down, unit), hf.Contact([-0.1, 0, 0], turned, unit)])

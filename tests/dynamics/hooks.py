"""Four two-way hooks and a load that takes a search over their pieces."""

from __future__ import annotations

import numpy as np

import holdfast as hf


def hooks() -> tuple[hf.Assembly, np.ndarray]:
    """(assembly, wrench): between what the hooks hold and what their hulls would."""
    hook = hf.models.gecko_two_way(5.0)
    places = [
        ((0.05, 0.01, 0), (0.2, 0, -1), (1, 0, 0)),
        ((-0.05, 0.02, 0), (-0.2, 0.1, -1), (1, 0, 0)),
        ((0.01, 0.05, 0), (0, 0.2, -1), (0, 1, 0)),
        ((0.02, -0.05, 0), (0.1, -0.2, -1), (0, 1, 0)),
    ]
    contacts = [hf.Contact(at, hf.frame_from_normal(normal, shear), hook) for at, normal, shear in places]
    return hf.Assembly(contacts), np.array([0, -8.6, 0, 0.258, 0, 0.344])

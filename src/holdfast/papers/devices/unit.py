"""The unit that every device uses unless another is given."""

from __future__ import annotations

from ...force_limits.volume import ForceVolume


def default_unit() -> ForceVolume:
    """Admissible forces of the default microspine unit, as an inner volume (IV.A)."""
    from ...force_limits import models

    return models.microspine()

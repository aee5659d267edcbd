"""Numbers in the attributes of a URDF."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

import numpy as np

from ..errors import InputError


def numbers_of(
    element: ElementTree.Element, name: str, count: int, where: str, *, default: Sequence[float] | None = None
) -> list[float]:
    """The `count` finite numbers of an attribute; `default` where there is none, an InputError without a default."""
    text = element.get(name)
    if text is None and default is not None:
        return [float(x) for x in default]
    try:
        values = [float(part) for part in (text or "").split()]
    except ValueError:
        values = []
    if len(values) != count or not np.isfinite(values).all():
        wanted = "one number" if count == 1 else f"{count} numbers"
        raise InputError(f"<{element.tag} {name}> is {text!r}", where=where, fix=f"give {wanted}")
    return values

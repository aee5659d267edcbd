"""Compute the decompositions in the package again: python tools/make_ready_pieces.py"""

from __future__ import annotations

from holdfast.force_limits import decompose
from holdfast.force_limits.models.microspine import DEFAULT_PIECES, microspine_surface, ready_path, save_ready

if __name__ == "__main__":
    for side in ("inner", "outer"):
        volume = decompose(microspine_surface(side=side), side=side, max_pieces=DEFAULT_PIECES)
        save_ready(volume, ready_path(side))
        print(side, volume, volume.report)

"""Wrench spaces: load limits in all directions: limit surfaces over rays, slices and all of R^6 (section III.D).

`wrench_space` computes exact load limits along rays, each with an inner point and an outer plane; `compare` measures
several designs by their wrench spaces on one scale.
"""

from ..public_names import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)

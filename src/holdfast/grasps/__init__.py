"""Planar grasps: from a picture or a contour to ranked grasps of a three-finger hand (Chinellato et al. 2003).

`plan` runs all steps; every step is also public. Names are loaded on first use.
"""

from ..public_names import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)

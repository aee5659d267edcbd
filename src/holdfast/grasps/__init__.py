"""Planar grasps: from a picture or a contour to ranked grasps of a three-finger hand (Chinellato et al. 2003).

`plan` runs the whole chain; every step of it is public. Names are loaded on first use.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

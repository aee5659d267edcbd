"""Planar contact with friction: every motion it allows, its contact modes, and the torques that allow only one.

Names are loaded when they are first used; the list is in `__init__.pyi`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

"""Planar contact with friction: every motion it allows, its contact modes, and the torques that allow only one.

Names are loaded when they are first used; the list is in `__init__.pyi`.
"""

from ..public_names import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)

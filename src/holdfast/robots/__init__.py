"""Robots: from a URDF and a posture to contacts, joint rows, whole-body equilibrium and first failures."""

from ..public_names import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)

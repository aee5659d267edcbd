"""Postures: a body on several hands, its equilibrium, its margins and its support region (V.B, V.C, V.D)."""

from ..public_names import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)

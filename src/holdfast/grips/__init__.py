"""Grips: the wrenches that a hand can apply to the body, in its palm frame (section V.A)."""

from ..public_names import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)

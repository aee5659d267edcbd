"""Grips: what wrenches a hand can give to the body, in its palm frame (V.A)."""

from ..public_names import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)

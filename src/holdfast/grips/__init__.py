"""Grips: what wrenches a hand can give to the body, in its palm frame (V.A)."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

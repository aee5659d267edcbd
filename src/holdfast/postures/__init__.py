"""Postures: a body on several hands, its equilibrium, its margins and its support region (V.B, V.C, V.D)."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

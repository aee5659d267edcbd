"""Scenes: an object, what holds it and what pulls at it, read from versioned YAML files and written to them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

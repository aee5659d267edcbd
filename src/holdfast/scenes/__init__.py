"""Scenes: an object, what holds it and what pulls at it, read from versioned YAML files and written to them."""

from ..public_names import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)

"""Scenes: an object, its contacts and its loads, read from and written to versioned YAML files."""

from ..public_names import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)

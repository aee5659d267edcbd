"""Toolkit of file formats: YAML with line numbers, errors with file, line and field; `load`."""

from ..public_names import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)

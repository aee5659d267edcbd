"""Toolkit of file formats: YAML with line numbers, errors with file, line and field; `load`."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

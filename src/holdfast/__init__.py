"""Holdfast: whether, how much and how reliably contacts hold.

The names below are the nouns a user builds, the questions, and the rooms in which everything else is found:
`hf.statics.Equilibrium`, `hf.reliability.Scatter`, `hf.assembly.plots`. All are loaded when they are first used, so
that `import holdfast` costs next to nothing. `__init__.pyi` lists them once, for this module and for type checkers.
"""

import logging

from .public_names import attach

__version__ = "0.1.0"

logging.getLogger(__name__).addHandler(logging.NullHandler())  # quiet, unless the program that uses it says otherwise

__getattr__, __dir__, __all__ = attach(__name__, __file__)
__all__ += ["__version__"]

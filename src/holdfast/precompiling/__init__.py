"""Compile all kernels at a chosen time, so that later computations do not wait for the compiler.

`hf.compile()` and `holdfast compile` do it once after installing; `holdfast view` does it in the background.
"""

from ..public_names import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)

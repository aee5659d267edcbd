"""What one contact can carry: measurements, limit surfaces, ready models, decomposition, force volumes."""

from ..public_names import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)

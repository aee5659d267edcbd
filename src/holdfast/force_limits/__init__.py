"""What one contact can carry: measurements, limit surfaces, ready models, decomposition, force volumes."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

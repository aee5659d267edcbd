"""Assembly: contacts, patches, joint rows and loads, and the matrices that every solver works on."""

from ..public_names import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)

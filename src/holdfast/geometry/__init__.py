"""Geometry: frames, convex polytopes, unions, half-spaces, polygons, directions on the sphere."""

from ..public_names import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)

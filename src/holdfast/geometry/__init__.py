"""Geometry: frames, convex polytopes, unions, half-spaces, polygons, directions on the sphere."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

"""Geometry: frames, convex polytopes, unions, polygons, directions on the sphere."""

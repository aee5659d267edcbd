"""Designs side by side: extents, volumes of slices and worst directions, on one common scale."""

from .comparing import Comparison, compare
from .design import Design
from .extremes import Extreme
from .measures import MEASURES, Measure
from .strength import Strength

__all__ = ["MEASURES", "Comparison", "Design", "Extreme", "Measure", "Strength", "compare"]

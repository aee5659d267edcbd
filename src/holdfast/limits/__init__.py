"""What one contact can carry: measurements, limit surfaces, ready models, decomposition, force volumes."""

from .decompose import decompose
from .hierarchy import Node
from .measurements import Measurements, read_measurements, write_measurements
from .report import DecompositionReport
from .surface import LimitSurface
from .volume import ForceVolume

__all__ = [
    "DecompositionReport",
    "ForceVolume",
    "LimitSurface",
    "Measurements",
    "Node",
    "decompose",
    "read_measurements",
    "write_measurements",
]

"""What one contact can carry: measurements, limit surfaces, ready models, decomposition, force volumes."""

from ..geometry.unions import Node
from .decompose import decompose
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

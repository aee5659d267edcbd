"""Postures: a body on several hands, its equilibrium, its margins, and how sure they are (V.B, V.D)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import loader

if TYPE_CHECKING:
    from .ball import BallMargin, ball_margin
    from .batches import PostureAnswers, posture_many
    from .equilibrium import Certainty, PostureEquilibrium, posture_equilibrium
    from .flat import flat_assembly
    from .generation import SliceSolver, slice_solver
    from .hands import Hands
    from .intervals import RayEnd, ScaleInterval
    from .lazy import LazyGrip
    from .margins import CrossPolytopeMargin, PostureMargin, cross_polytope_margin, posture_margin
    from .proofs import SeparatingWrench, SumBound
    from .solver import PostureSolver

__all__ = [
    "BallMargin",
    "Certainty",
    "CrossPolytopeMargin",
    "Hands",
    "LazyGrip",
    "PostureAnswers",
    "PostureEquilibrium",
    "PostureMargin",
    "PostureSolver",
    "RayEnd",
    "ScaleInterval",
    "SeparatingWrench",
    "SliceSolver",
    "SumBound",
    "ball_margin",
    "cross_polytope_margin",
    "flat_assembly",
    "posture_equilibrium",
    "posture_many",
    "posture_margin",
    "slice_solver",
]

_HOME = {
    "BallMargin": "ball",
    "Certainty": "equilibrium",
    "CrossPolytopeMargin": "margins",
    "Hands": "hands",
    "LazyGrip": "lazy",
    "PostureAnswers": "batches",
    "PostureEquilibrium": "equilibrium",
    "PostureMargin": "margins",
    "PostureSolver": "solver",
    "RayEnd": "intervals",
    "ScaleInterval": "intervals",
    "SeparatingWrench": "proofs",
    "SliceSolver": "generation",
    "SumBound": "proofs",
    "ball_margin": "ball",
    "cross_polytope_margin": "margins",
    "flat_assembly": "flat",
    "posture_equilibrium": "equilibrium",
    "posture_many": "batches",
    "posture_margin": "margins",
    "slice_solver": "generation",
}

__getattr__ = loader(__name__, _HOME)

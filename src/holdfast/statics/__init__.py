"""Statics: whether an assembly holds, how much, what limits it, and where along a path of loads it first slips.

Single questions: `equilibrium`, `load_limit`; many questions about one assembly: `Solver`; what limits an answer:
`diagnose`; loads and postures along a path: `slip_onset`, `load_ramp`, `gravity_sweep`, `evaluate_path`; how much
weaker contacts may be: `strength_factor`, `friction_factor`.
"""

from ..public_names import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)

"""Loads and postures that move: slip onset, ramps, strength and friction factors, sequences; all asked warm."""

from __future__ import annotations

from .factors import Factor, FactorStatus, friction_factor, strength_factor
from .gravity import GravitySweep, GravityTask, gravity_sweep
from .onset import Onset, OnsetStatus, slip_onset
from .paths import Path, Subject, chained, ramp, turning, turning_about, under_gravity
from .ramps import LoadRamp, RampLimit, RampStatus, largest_on_ramp, load_ramp
from .sequences import Followed, follow

__all__ = [
    "Factor",
    "FactorStatus",
    "Followed",
    "GravitySweep",
    "GravityTask",
    "LoadRamp",
    "Onset",
    "OnsetStatus",
    "Path",
    "RampLimit",
    "RampStatus",
    "Subject",
    "chained",
    "follow",
    "friction_factor",
    "gravity_sweep",
    "largest_on_ramp",
    "load_ramp",
    "ramp",
    "slip_onset",
    "strength_factor",
    "turning",
    "turning_about",
    "under_gravity",
]

"""Mechanism: what the joints demand of the contact forces (III.C), and the kinematics of planar fingers."""

from __future__ import annotations

from .finger import PlanarFinger
from .rows import Joint, JointRows, joint_rows, side_by_side, stacked

__all__ = ["Joint", "JointRows", "PlanarFinger", "joint_rows", "side_by_side", "stacked"]

"""Robots: from a URDF and a posture to contacts, joint rows, whole-body equilibrium and what gives out first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import loader

if TYPE_CHECKING:
    from .array_contacts import TouchingPoints, touching_points
    from .choosing import Choice, choose_grips, choose_holds
    from .collisions import collision_contacts
    from .comparing import LevelComparison, compare_levels
    from .feet import holding_feet, standing
    from .flat_body import WholeBody, whole_body
    from .hand import Hand, hand_assembly, lazy_hand, learned_hand
    from .leaning import GivesOut, Leaning, LeanPath, lean, lean_along
    from .levels import HandedAnswer, HandedBody, handed_body
    from .margin_kinds import Growth, Lean, Pushes
    from .margin_slopes import MarginSlope
    from .mujoco_models import mujoco_contacts
    from .planning import PosturePlanner
    from .reaching import Reach, reach
    from .robot import Robot
    from .sequences import Climb, Climber, Hold, Move, Stance
    from .shapes import RobotWarning, Shape
    from .torques import HoldingTorques, holding_torques
    from .touching import Touch, Touching, contacts

__all__ = [
    "Choice",
    "Climb",
    "Climber",
    "GivesOut",
    "Growth",
    "Hand",
    "HandedAnswer",
    "HandedBody",
    "Hold",
    "HoldingTorques",
    "Lean",
    "LeanPath",
    "Leaning",
    "LevelComparison",
    "MarginSlope",
    "Move",
    "PosturePlanner",
    "Pushes",
    "Reach",
    "Robot",
    "RobotWarning",
    "Shape",
    "Stance",
    "Touch",
    "Touching",
    "TouchingPoints",
    "WholeBody",
    "choose_grips",
    "choose_holds",
    "collision_contacts",
    "compare_levels",
    "contacts",
    "hand_assembly",
    "handed_body",
    "holding_feet",
    "holding_torques",
    "lazy_hand",
    "lean",
    "lean_along",
    "learned_hand",
    "mujoco_contacts",
    "reach",
    "standing",
    "touching_points",
    "whole_body",
]

_HOME = {
    "Choice": "choosing",
    "Climb": "sequences",
    "Climber": "sequences",
    "GivesOut": "leaning",
    "Growth": "margin_kinds",
    "Hand": "hand",
    "HandedAnswer": "levels",
    "HandedBody": "levels",
    "Hold": "sequences",
    "HoldingTorques": "torques",
    "Lean": "margin_kinds",
    "LeanPath": "leaning",
    "Leaning": "leaning",
    "LevelComparison": "comparing",
    "MarginSlope": "margin_slopes",
    "Move": "sequences",
    "PosturePlanner": "planning",
    "Pushes": "margin_kinds",
    "Reach": "reaching",
    "Robot": "robot",
    "RobotWarning": "shapes",
    "Shape": "shapes",
    "Stance": "sequences",
    "Touch": "touching",
    "Touching": "touching",
    "TouchingPoints": "array_contacts",
    "WholeBody": "flat_body",
    "choose_grips": "choosing",
    "choose_holds": "choosing",
    "collision_contacts": "collisions",
    "compare_levels": "comparing",
    "contacts": "touching",
    "hand_assembly": "hand",
    "handed_body": "levels",
    "holding_feet": "feet",
    "holding_torques": "torques",
    "lazy_hand": "hand",
    "lean": "leaning",
    "lean_along": "leaning",
    "learned_hand": "hand",
    "mujoco_contacts": "mujoco_models",
    "reach": "reaching",
    "standing": "feet",
    "touching_points": "array_contacts",
    "whole_body": "flat_body",
}

__getattr__ = loader(__name__, _HOME)

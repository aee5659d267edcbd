"""Planar contact with friction: every motion it allows, its contact modes, and the torques that allow only one.

Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..lazy_names import loader

if TYPE_CHECKING:
    from .bodies import Body as Body
    from .bodies import Contact as Contact
    from .bracing import Brace as Brace
    from .bracing import brace as brace
    from .chain_contacts import LinkContact as LinkContact
    from .chain_contacts import NodeContact as NodeContact
    from .chains import Chain as Chain
    from .climbing.channels import Channel as Channel
    from .climbing.planner import climb as climb
    from .climbing.results import Climb as Climb
    from .climbing.results import ClimbStep as ClimbStep
    from .climbing.results import Frames as Frames
    from .configuration_space import ContactVectors as ContactVectors
    from .configuration_space import contact_vectors as contact_vectors
    from .curved_contacts import curved_contact as curved_contact
    from .disturbance_sets import DisturbanceSet as DisturbanceSet
    from .disturbances import MotionDisturbance as MotionDisturbance
    from .disturbances import PostureRobustness as PostureRobustness
    from .disturbances import free_part_disturbance as free_part_disturbance
    from .disturbances import free_part_forces as free_part_forces
    from .disturbances import torque_sets_over_postures as torque_sets_over_postures
    from .friction_cones import FrictionCone as FrictionCone
    from .friction_cones import friction_cone as friction_cone
    from .mode_tree import Modes as Modes
    from .mode_tree import dynamic_modes as dynamic_modes
    from .mode_tree import kinematic_modes as kinematic_modes
    from .mode_tree import modes as modes
    from .motion_sets import ForceSet as ForceSet
    from .motion_sets import Motion as Motion
    from .motion_sets import MotionPiece as MotionPiece
    from .motion_sets import MotionSet as MotionSet
    from .motion_sets import MotionStatus as MotionStatus
    from .motion_sets import motions as motions
    from .motion_sets import system_motions as system_motions
    from .outlines import Outline as Outline
    from .polyhedra import Generators as Generators
    from .polyhedra import Polyhedron as Polyhedron
    from .problems import Problem as Problem
    from .problems import from_outlines as from_outlines
    from .region_maps import RegionMap as RegionMap
    from .region_maps import region_map as region_map
    from .single_contact import SingleContactProjection as SingleContactProjection
    from .single_contact import single_contact_projection as single_contact_projection
    from .system import System as System
    from .system import mode_set as mode_set
    from .tasks import Task as Task
    from .tasks import standstill as standstill
    from .torque_answers import Ambiguity as Ambiguity
    from .torque_answers import OtherMotion as OtherMotion
    from .torque_answers import TorqueSet as TorqueSet
    from .torque_modes import admitted_modes as admitted_modes
    from .torques import torque_sets as torque_sets
    from .touching import Touching as Touching
    from .touching import touching_contacts as touching_contacts
    from .trajectories import RestToRest as RestToRest
    from .validity import Validity as Validity
    from .validity import validity_intervals as validity_intervals

_HOME = {
    "Ambiguity": "torque_answers",
    "Body": "bodies",
    "Brace": "bracing",
    "Chain": "chains",
    "Channel": "climbing.channels",
    "Climb": "climbing.results",
    "ClimbStep": "climbing.results",
    "Contact": "bodies",
    "ContactVectors": "configuration_space",
    "DisturbanceSet": "disturbance_sets",
    "ForceSet": "motion_sets",
    "Frames": "climbing.results",
    "FrictionCone": "friction_cones",
    "Generators": "polyhedra",
    "LinkContact": "chain_contacts",
    "Modes": "mode_tree",
    "Motion": "motion_sets",
    "MotionDisturbance": "disturbances",
    "MotionPiece": "motion_sets",
    "MotionSet": "motion_sets",
    "MotionStatus": "motion_sets",
    "NodeContact": "chain_contacts",
    "OtherMotion": "torque_answers",
    "Outline": "outlines",
    "Polyhedron": "polyhedra",
    "PostureRobustness": "disturbances",
    "Problem": "problems",
    "RegionMap": "region_maps",
    "RestToRest": "trajectories",
    "SingleContactProjection": "single_contact",
    "System": "system",
    "Task": "tasks",
    "TorqueSet": "torque_answers",
    "Touching": "touching",
    "Validity": "validity",
    "admitted_modes": "torque_modes",
    "brace": "bracing",
    "climb": "climbing.planner",
    "contact_vectors": "configuration_space",
    "curved_contact": "curved_contacts",
    "dynamic_modes": "mode_tree",
    "free_part_disturbance": "disturbances",
    "free_part_forces": "disturbances",
    "friction_cone": "friction_cones",
    "from_outlines": "problems",
    "kinematic_modes": "mode_tree",
    "mode_set": "system",
    "modes": "mode_tree",
    "motions": "motion_sets",
    "region_map": "region_maps",
    "single_contact_projection": "single_contact",
    "standstill": "tasks",
    "system_motions": "motion_sets",
    "torque_sets": "torques",
    "torque_sets_over_postures": "disturbances",
    "touching_contacts": "touching",
    "validity_intervals": "validity",
}

__all__ = [
    "Ambiguity",
    "Body",
    "Brace",
    "Chain",
    "Channel",
    "Climb",
    "ClimbStep",
    "Contact",
    "ContactVectors",
    "DisturbanceSet",
    "ForceSet",
    "Frames",
    "FrictionCone",
    "Generators",
    "LinkContact",
    "Modes",
    "Motion",
    "MotionDisturbance",
    "MotionPiece",
    "MotionSet",
    "MotionStatus",
    "NodeContact",
    "OtherMotion",
    "Outline",
    "Polyhedron",
    "PostureRobustness",
    "Problem",
    "RegionMap",
    "RestToRest",
    "SingleContactProjection",
    "System",
    "Task",
    "TorqueSet",
    "Touching",
    "Validity",
    "admitted_modes",
    "brace",
    "climb",
    "contact_vectors",
    "curved_contact",
    "dynamic_modes",
    "free_part_disturbance",
    "free_part_forces",
    "friction_cone",
    "from_outlines",
    "kinematic_modes",
    "mode_set",
    "modes",
    "motions",
    "region_map",
    "single_contact_projection",
    "standstill",
    "system_motions",
    "torque_sets",
    "torque_sets_over_postures",
    "touching_contacts",
    "validity_intervals",
]

_load = loader(__name__, _HOME)


def __getattr__(name: str) -> Any:
    return _load(name)


def __dir__() -> list[str]:
    return __all__

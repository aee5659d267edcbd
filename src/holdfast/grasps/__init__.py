"""Planar grasps: from a picture or a contour to ranked grasps of a three-finger hand (Chinellato et al. 2003).

`plan` does the whole chain; every step of it is public. Names are loaded when they are first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ..lazy_names import loader

if TYPE_CHECKING:
    from . import criteria
    from .candidates import Candidates as Candidates
    from .candidates import find_candidates as find_candidates
    from .contour_files import read_contour as read_contour
    from .contours import Contour as Contour
    from .contours import trace as trace
    from .correlation import Correlation as Correlation
    from .correlation import correlations as correlations
    from .criteria import CRITERIA as CRITERIA
    from .curvature import SmoothContour as SmoothContour
    from .curvature import smoothed as smoothed
    from .exchange_schema import grasp_schema as grasp_schema
    from .focus import FocusZone as FocusZone
    from .focus import project as project
    from .focus import zones as zones
    from .force_closure import three_contacts as three_contacts
    from .force_closure import two_contacts as two_contacts
    from .grasp import Grasp as Grasp
    from .hand_pose import HandPoses as HandPoses
    from .hand_pose import solve_hand as solve_hand
    from .hands import Hand as Hand
    from .hands import Linkage as Linkage
    from .hands import Slide as Slide
    from .hands import hand_names as hand_names
    from .hands import load_hand as load_hand
    from .joints import FingerJoints as FingerJoints
    from .joints import finger_joints as finger_joints
    from .joints import fingertip_drop as fingertip_drop
    from .merging import Alone as Alone
    from .merging import MinMax as MinMax
    from .merging import RankAggregation as RankAggregation
    from .merging import Sum as Sum
    from .merging import Weighted as Weighted
    from .metrics import WrenchMetrics as WrenchMetrics
    from .metrics import measure as measure
    from .metrics import planar_assembly as planar_assembly
    from .metrics import resistible_load as resistible_load
    from .parts import Part as Part
    from .parts import example_part as example_part
    from .parts import part_names as part_names
    from .pictures import read_image as read_image
    from .planning import plan as plan
    from .ranking import Ranking as Ranking
    from .ranking import rank as rank
    from .reachability import Reachability as Reachability
    from .reachability import check_fingers as check_fingers
    from .reachability import palm_headroom as palm_headroom
    from .reasons import Reasons as Reasons
    from .reasons import compare as compare
    from .regions import Regions as Regions
    from .regions import find_regions as find_regions
    from .scoring import GraspParams as GraspParams
    from .scoring import ObjectShape as ObjectShape
    from .scoring import ScoredGrasps as ScoredGrasps
    from .scoring import score as score
    from .segmentation import Component as Component
    from .segmentation import Segmentation as Segmentation
    from .segmentation import segment as segment
    from .stability import Stability as Stability
    from .stability import stability_study as stability_study
    from .variation import Variation as Variation
    from .variation import parameter_variation as parameter_variation
    from .workpieces import Workpiece as Workpiece
    from .workpieces import read_workpiece as read_workpiece

_HOME = {
    "Alone": "merging",
    "CRITERIA": "criteria",
    "Candidates": "candidates",
    "Component": "segmentation",
    "Contour": "contours",
    "Correlation": "correlation",
    "FingerJoints": "joints",
    "FocusZone": "focus",
    "Grasp": "grasp",
    "GraspParams": "scoring",
    "Hand": "hands",
    "HandPoses": "hand_pose",
    "Linkage": "hands",
    "MinMax": "merging",
    "ObjectShape": "scoring",
    "Part": "parts",
    "RankAggregation": "merging",
    "Ranking": "ranking",
    "Reachability": "reachability",
    "Reasons": "reasons",
    "Regions": "regions",
    "ScoredGrasps": "scoring",
    "Segmentation": "segmentation",
    "Slide": "hands",
    "SmoothContour": "curvature",
    "Stability": "stability",
    "Sum": "merging",
    "Variation": "variation",
    "Weighted": "merging",
    "Workpiece": "workpieces",
    "WrenchMetrics": "metrics",
    "check_fingers": "reachability",
    "compare": "reasons",
    "correlations": "correlation",
    "example_part": "parts",
    "find_candidates": "candidates",
    "find_regions": "regions",
    "finger_joints": "joints",
    "fingertip_drop": "joints",
    "grasp_schema": "exchange_schema",
    "hand_names": "hands",
    "load_hand": "hands",
    "measure": "metrics",
    "palm_headroom": "reachability",
    "parameter_variation": "variation",
    "part_names": "parts",
    "plan": "planning",
    "planar_assembly": "metrics",
    "project": "focus",
    "rank": "ranking",
    "read_contour": "contour_files",
    "read_image": "pictures",
    "read_workpiece": "workpieces",
    "resistible_load": "metrics",
    "score": "scoring",
    "segment": "segmentation",
    "smoothed": "curvature",
    "solve_hand": "hand_pose",
    "stability_study": "stability",
    "three_contacts": "force_closure",
    "trace": "contours",
    "two_contacts": "force_closure",
    "zones": "focus",
}
#: Names that are modules themselves.
_MODULES = {"criteria"}

__all__ = [
    "CRITERIA",
    "Alone",
    "Candidates",
    "Component",
    "Contour",
    "Correlation",
    "FingerJoints",
    "FocusZone",
    "Grasp",
    "GraspParams",
    "Hand",
    "HandPoses",
    "Linkage",
    "MinMax",
    "ObjectShape",
    "Part",
    "RankAggregation",
    "Ranking",
    "Reachability",
    "Reasons",
    "Regions",
    "ScoredGrasps",
    "Segmentation",
    "Slide",
    "SmoothContour",
    "Stability",
    "Sum",
    "Variation",
    "Weighted",
    "Workpiece",
    "WrenchMetrics",
    "check_fingers",
    "compare",
    "correlations",
    "criteria",
    "example_part",
    "find_candidates",
    "find_regions",
    "finger_joints",
    "fingertip_drop",
    "grasp_schema",
    "hand_names",
    "load_hand",
    "measure",
    "palm_headroom",
    "parameter_variation",
    "part_names",
    "plan",
    "planar_assembly",
    "project",
    "rank",
    "read_contour",
    "read_image",
    "read_workpiece",
    "resistible_load",
    "score",
    "segment",
    "smoothed",
    "solve_hand",
    "stability_study",
    "three_contacts",
    "trace",
    "two_contacts",
    "zones",
]

_load = loader(__name__, _HOME)


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    return _load(name)


def __dir__() -> list[str]:
    return __all__

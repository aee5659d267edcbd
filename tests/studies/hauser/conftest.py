from __future__ import annotations

import json
from pathlib import Path

import pytest

from holdfast.grips import GripBounds
from studies.hauser.climber import GripName
from studies.hauser.climbing import ClimbingStudy, climb, climbing_grips

#: Furthest points of the exact regions along 32 directions, as the study finds them in a minute.
RECORDED = Path(__file__).with_name("climbing_outlines.json")


@pytest.fixture(scope="session")
def small_grips() -> dict[GripName, GripBounds]:
    """One grip, roughly learned."""
    return climbing_grips(40, names=("opposing",))


@pytest.fixture(scope="session")
def small_climb(small_grips: dict[GripName, GripBounds]) -> ClimbingStudy:
    """One grip on both walls, regions along few directions."""
    return climb(small_grips, names=("opposing",), stances=["two hands"], directions=4)


@pytest.fixture(scope="session")
def recorded() -> list[dict[str, object]]:
    """What was recorded: wall, stance, grip, points."""
    return json.loads(RECORDED.read_text(encoding="utf-8"))

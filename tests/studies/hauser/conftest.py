from __future__ import annotations

import json
from pathlib import Path

import pytest

from holdfast.grips import GripBounds
from holdfast.papers.climbing import ClimbingStudy, climb, climbing_grips
from holdfast.papers.devices.climber import GripName

#: Furthest points of the exact regions along 32 directions, as the study finds them in a minute.
RECORDED = Path(__file__).with_name("climbing_outlines.json")


@pytest.fixture(scope="session")
def climbing_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache of grips and regions for all tests of the study."""
    return tmp_path_factory.mktemp("climbing")


@pytest.fixture(scope="session")
def small_grips(climbing_folder: Path) -> dict[GripName, GripBounds]:
    """One grip, roughly learned."""
    return climbing_grips(40, names=("opposing",), cache=climbing_folder)


@pytest.fixture(scope="session")
def small_climb(small_grips: dict[GripName, GripBounds], climbing_folder: Path) -> ClimbingStudy:
    """One grip on both walls, regions along few directions."""
    return climb(small_grips, names=("opposing",), stances=["two hands"], directions=4, cache=climbing_folder)


@pytest.fixture(scope="session")
def recorded() -> list[dict[str, object]]:
    """What was recorded: wall, stance, grip, points."""
    return json.loads(RECORDED.read_text(encoding="utf-8"))

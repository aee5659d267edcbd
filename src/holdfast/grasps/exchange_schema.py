"""The published JSON Schema of the exchange form of grasps."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any


def grasp_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of what `Ranking.to_dict` gives and `holdfast grasps --json` prints."""
    return json.loads(files("holdfast").joinpath("data", "grasps.schema.json").read_text(encoding="utf-8"))

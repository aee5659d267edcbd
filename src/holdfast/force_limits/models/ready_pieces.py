"""Decompositions that take seconds, kept in the package for the default parameters.

`tools/make_ready_pieces.py` makes the files anew; a test decomposes the default unit again and compares.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from ..report import DecompositionReport
from ..volume import ForceVolume

FOLDER = Path(__file__).resolve().parents[2] / "data"


def ready_path(name: str, side: str) -> Path:
    """Where the pieces of a model's default parameters are kept."""
    return FOLDER / f"{name}_{side}.json"


def load_ready(name: str, side: str) -> ForceVolume:
    """The volume kept for a model's default parameters, with its report."""
    data = json.loads(ready_path(name, side).read_text(encoding="utf-8"))
    report: dict[str, Any] = {key: math.inf if value == "inf" else value for key, value in data["report"].items()}
    return ForceVolume([np.array(piece) for piece in data["pieces"]], report=DecompositionReport(**report))


def save_ready(volume: ForceVolume, path: Path) -> None:
    """Write pieces and report; numbers keep all their digits."""
    assert volume.report is not None
    report = {key: "inf" if value == math.inf else value for key, value in asdict(volume.report).items()}
    data = {"unit": "N", "report": report, "pieces": [piece.tolist() for piece in volume.pieces]}
    text = json.dumps(data, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8")

"""Draw the picture of docs/robots.md into docs/pictures, by the command line that the document shows.

Run from the repository root: python tools/make_robot_pictures.py
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

from holdfast.cli import app

ROOT = Path(__file__).resolve().parents[1]
DOCUMENT = ROOT / "docs" / "robots.md"
TARGET = ROOT / "docs" / "pictures" / "robot.png"


def main() -> int:
    """Draw the robot of the document's first file."""
    found = re.search(r"```yaml file=wall.yaml\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "wall.yaml"
        path.write_text(found[1], encoding="utf-8")
        return app(["robot", str(path), "--plot", str(TARGET)], standalone_mode=False) or 0


if __name__ == "__main__":
    sys.exit(main())

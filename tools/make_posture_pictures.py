"""Draw the pictures of docs/posture-files.md into docs/pictures.

Run from the repository root: python tools/make_posture_pictures.py
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from holdfast.plotting.files import save
from holdfast.postures import posture_equilibrium, support_region
from holdfast.postures.files import load_posture
from holdfast.postures.hands import PostureScene
from holdfast.postures.plots import posture as draw_posture
from holdfast.postures.plots import support_region as draw_region

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "docs" / "pictures"
DOCUMENT = ROOT / "docs" / "posture-files.md"
DPI = 130


def documented(name: str) -> PostureScene:
    """The posture that the document has under a file name."""
    text = DOCUMENT.read_text(encoding="utf-8")
    found = re.search(rf"```yaml file={re.escape(name)}\n(.*?)```", text, re.DOTALL)
    assert found is not None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_text(found[1], encoding="utf-8")
        return load_posture(path)


def main() -> None:
    """Draw all."""
    climber = load_posture("@climber_on_overhang")
    answer = posture_equilibrium(climber.grips, climber.poses, climber.wrench)
    region = support_region(climber.grips, climber.poses, climber.mass, climber.gravity)
    save(draw_posture(climber, result=answer, region=region), TARGET / "posture.png", dpi=DPI)
    between = documented("between.yaml")
    bounds = support_region(between.grips, between.poses, between.mass, between.gravity)
    palms = [pose.translation for pose in between.poses]
    picture = draw_region(bounds, com=between.com, hands=palms, names=between.hands, title=between.name)
    save(picture, TARGET / "support_bounds.png", dpi=DPI)


if __name__ == "__main__":
    main()

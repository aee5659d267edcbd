from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from holdfast.cli.pictures import draw_scene, draw_sweep
from holdfast.scene import load_scene


@pytest.mark.parametrize(
    "shape",
    [
        "box, size: [0.1, 0.1, 0.1]",
        "cylinder, radius: 0.1, length: 0.1, arc: 0.5",
        "sphere, radius: 0.1",
        "mesh, file: t.obj",
    ],
)
def test_every_shape_of_a_scene_can_be_drawn(hooks: Path, tmp_path: Path, shape: str) -> None:
    (tmp_path / "t.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", encoding="utf-8")
    text = hooks.read_text(encoding="utf-8").replace("{mass: 0.3}", f"{{mass: 0.3, shape: {{kind: {shape}}}}}")
    hooks.write_text(text, encoding="utf-8")
    draw_scene(load_scene(hooks), tmp_path / "scene.png")
    assert (tmp_path / "scene.png").stat().st_size > 1000


@pytest.mark.parametrize("factor", [None, "inf", 1.5])
def test_sweeps_are_drawn_with_and_without_factors(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], factor: Any
) -> None:
    results = [{"angle_deg": 30.0 * i, "status": "holds", "load_factor": factor} for i in range(12)]
    draw_sweep(results, tmp_path / "sweep.png")
    assert (tmp_path / "sweep.png").stat().st_size > 1000
    captured = capsys.readouterr()
    assert "picture:" in captured.err
    draw_sweep(results, tmp_path / "sweep.png", quiet=True)
    assert capsys.readouterr().err == ""

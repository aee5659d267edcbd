from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from holdfast.assembly.plots import assembly
from holdfast.console.pictures import save
from holdfast.scenes import load_scene
from holdfast.statics.paths import GravitySweep
from holdfast.statics.plots import sweep_polar


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
    save(assembly(load_scene(hooks)), tmp_path / "scene.png")
    assert (tmp_path / "scene.png").stat().st_size > 1000


@pytest.mark.parametrize("factor", [None, "inf", 1.5])
def test_sweeps_are_drawn_with_and_without_factors(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], factor: Any
) -> None:
    found = GravitySweep(({"status": "holds", "load_factor": factor},) * 12)
    save(sweep_polar(found), tmp_path / "sweep.png")
    assert (tmp_path / "sweep.png").stat().st_size > 1000
    captured = capsys.readouterr()
    assert "picture:" in captured.err
    save(sweep_polar(found), tmp_path / "sweep.png", quiet=True)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    "words", [("check",), ("check", "--explain"), ("limit", "--load", "$x$ {"), ("sweep", "--n", "4")]
)
def test_names_with_dollar_signs_are_drawn_as_they_stand(
    run: Callable[..., Result], tmp_path: Path, words: tuple[str, ...]
) -> None:
    scene, picture = tmp_path / "cup.yaml", tmp_path / "cup.png"
    feet = "".join(
        f"  - {{name: '$\\bad{{$ {x}', position: [{x}, {y}, 0], normal: [0, 0, 1], volume: foot}}\n"
        for x, y in ((0, 0), (1, 0), (0, 1))
    )
    scene.write_text(
        "holdfast: 1\nname: 'cup $1_a$ $\\frac{$'\nobject: {mass: 1, com: [0.2, 0.2, 0]}\n"
        "loads: {'$x$ {': {force: [1, 0, 0]}}\n"
        f"volumes: {{foot: {{model: magnet, attraction: 30, mu: 0.5, cap: 100}}}}\ncontacts:\n{feet}",
        encoding="utf-8",
    )
    command, *rest = words
    result = run(command, scene, *rest, "--plot", picture)
    assert result.exit_code in (0, 1), result.output
    assert picture.read_bytes().startswith(b"\x89PNG")

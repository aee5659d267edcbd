"""Pictures that commands write."""

from __future__ import annotations

import holdfast as hf
from holdfast.cli.pictures import draw_scene, draw_sweep


def test_a_scene_is_drawn_with_and_without_an_answer(hooks, tmp_path) -> None:
    scene = hf.load_scene(hooks)
    draw_scene(scene, tmp_path / "bare.png", quiet=True)
    answer = hf.equilibrium(scene.assembly, scene.gravity_load())
    draw_scene(scene, tmp_path / "forces.png", answer, quiet=True)
    assert (tmp_path / "bare.png").read_bytes() != (tmp_path / "forces.png").read_bytes()


def test_a_sweep_is_drawn_whatever_its_factors(tmp_path) -> None:
    results = [
        {"angle_deg": 90.0 * i, "status": status, "load_factor": factor}
        for i, (status, factor) in enumerate(
            [("holds", "inf"), ("does not hold", 0.5), ("undecided", None), ("does not hold", "-inf")]
        )
    ]
    draw_sweep(results, tmp_path / "sweep.png", quiet=True)
    assert (tmp_path / "sweep.png").stat().st_size > 5_000

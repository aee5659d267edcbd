from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import HoldfastError, SceneError
from holdfast.reports.contents import ReportContents, ReportOptions, answer_scene, load_cases


def test_each_answer_is_that_of_the_library(contents: ReportContents) -> None:
    scene = contents.scene
    assert [load.description for load in contents.loads] == ["weight", "weight + <i>push</i>"]
    for load in contents.loads:
        assert load.equilibrium.status == hf.equilibrium(scene.assembly, load.case.wrench).status
        assert load.equilibrium.verify()
        assert load.limit is not None
        assert load.limit.value == pytest.approx(hf.load_limit(scene.assembly, load.case.wrench).value, rel=1e-9)
    weight, push = contents.loads
    assert weight.equilibrium.holds
    assert not push.equilibrium.holds
    assert np.allclose(push.case.wrench - weight.case.wrench, scene.load("<i>push</i>"))


def test_the_axes_are_about_no_weight_and_the_magnets_pull_with_ninety_newtons(contents: ReportContents) -> None:
    # Three magnets of 30 N around the origin, which is their middle: 90 N straight off.
    _, pulled = contents.axes[2]
    assert pulled.value == pytest.approx(90.0, rel=1e-6)


def test_the_probability_is_that_of_the_library_with_the_same_seed(contents: ReportContents) -> None:
    scene, load = contents.scene, contents.loads[1]
    assert scene.scatter is not None
    assert load.probability is not None
    again = hf.probability(scene.assembly, load.case.wrench, scene.scatter, n=64, seed=3, weight=scene.gravity_load())
    assert load.probability.value == again.value
    assert np.array_equal(load.probability.outcomes, again.outcomes)


def test_a_scene_without_mass_is_asked_about_its_loads_alone() -> None:
    scene = hf.scenes.load_scene("@suction_cup")
    bare = load_cases(replace(scene, mass=None))
    assert list(bare) == [case.description for case in bare.values()] == list(scene.loads)
    assert not any(case.weight.any() for case in bare.values())
    cases = load_cases(scene)
    assert list(cases) == ["", *scene.loads]
    assert cases[""].description == "weight"
    assert all(np.allclose(case.weight, scene.gravity_load()) for case in cases.values())


def test_a_wrench_is_the_whole_load_and_has_no_weight_in_it() -> None:
    scene = hf.scenes.load_scene("@suction_cup")
    (case,) = load_cases(scene, wrench="0,0,-9,0,0,0").values()
    assert case.wrench.tolist() == [0, 0, -9, 0, 0, 0] and not case.weight.any()


def test_progress_is_told_to_its_end(scene_file) -> None:
    told = []
    answer_scene(
        scene_file, ReportOptions((), level=1, samples=8), progress=lambda done, total: told.append((done, total))
    )
    assert told == [(i, 3) for i in range(1, 4)]


@pytest.mark.parametrize(
    "wrong",
    [{"slices": ("fx,fy",)}, {"slices": ("fx,fy,up",)}, {"level": 0}, {"level": 6}, {"seed": -1}, {"samples": 0}],
)
def test_wrong_options_are_told(wrong: dict) -> None:
    with pytest.raises(HoldfastError):
        ReportOptions(**wrong)


@pytest.mark.parametrize("name", ["@tripod_on_flat_ground", "@three_points", "@unknown"])
def test_postures_and_planar_files_are_told_where_to_go(name: str) -> None:
    with pytest.raises(SceneError, match="holdfast|known|mean"):
        answer_scene(name)

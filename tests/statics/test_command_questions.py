from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError, UnknownNameError
from holdfast.scenes import Scene, load_scene
from holdfast.statics.command import Asker, ask, effort_data

WEIGHT = 0.3 * 9.80665


@pytest.fixture
def scene(hooks: Path) -> Scene:
    return load_scene(hooks)


def test_the_weight_acts_unless_it_is_left_out(scene: Scene) -> None:
    plain = ask(scene, loads=[], gravity=None, wrench=None, weight=True)
    assert (plain.words, plain.wrench[2]) == ("weight", pytest.approx(-WEIGHT))
    loaded = ask(scene, loads=["pull", "aside"], gravity=None, wrench=None, weight=True)
    assert loaded.words == "weight + pull + aside"
    assert np.allclose(loaded.wrench, [1, 0, -WEIGHT - 1, 0, 0, 0])
    bare = ask(scene, loads=["pull"], gravity=None, wrench=None, weight=False)
    assert (bare.words, bare.wrench.tolist()) == ("pull", [0, 0, -1, 0, 0, 0])


def test_another_gravity_and_a_whole_wrench(scene: Scene) -> None:
    turned = ask(scene, loads=[], gravity="1,0,0", wrench=None, weight=True)
    assert turned.wrench[:3].tolist() == [0.3, 0, 0]
    assert turned.scene.gravity.tolist() == [1, 0, 0]
    whole = ask(scene, loads=[], gravity=None, wrench="1,2,3,4,5,6", weight=True)
    assert whole.wrench.tolist() == [1, 2, 3, 4, 5, 6]


def test_a_scene_without_a_mass_is_asked_about_its_loads(scene: Scene) -> None:
    light = Scene(assembly=scene.assembly, loads=scene.loads)
    assert ask(light, loads=["pull"], gravity=None, wrench=None, weight=True).words == "pull"
    with pytest.raises(InputError, match="no mass"):
        ask(light, loads=[], gravity=None, wrench=None, weight=True)


def test_questions_that_cannot_be_asked(scene: Scene) -> None:
    with pytest.raises(InputError, match="--wrench"):
        ask(scene, loads=["pull"], gravity=None, wrench="1,2,3,4,5,6", weight=True)
    with pytest.raises(InputError, match="nothing is left"):
        ask(scene, loads=[], gravity=None, wrench=None, weight=False)
    with pytest.raises(UnknownNameError, match="did you mean 'pull'"):
        ask(scene, loads=["pul"], gravity=None, wrench=None, weight=True)


@pytest.mark.parametrize("method", [hf.Exact(), hf.Reference()], ids=["exact", "reference"])
def test_an_asker_answers_what_the_library_does_from_assembly_to_assembly(scene: Scene, method: hf.Exact) -> None:
    asker = Asker(method)
    tilted = scene.assembly.moved(hf.Pose(hf.rotation_about((1, 0, 0), 0.1), (0, 0, 0)))
    for assembly in (scene.assembly, tilted, scene.assembly):
        for load in (scene.load("pull"), 8.0 * scene.load("pull"), scene.load("aside")):
            held, limit = asker.equilibrium(assembly, load), asker.load_limit(assembly, load)
            assert held.assembly is assembly and limit.assembly is assembly
            assert held.status is hf.equilibrium(assembly, load).status and held.verify()
            assert limit.value == pytest.approx(hf.load_limit(assembly, load).value, rel=2e-6) and limit.verify()


def test_effort_as_data_has_every_count(scene: Scene) -> None:
    data = effort_data(hf.equilibrium(scene.assembly, scene.load("pull")).effort)
    assert set(data) == {"nodes", "programs", "pivots", "seconds", "stages", "referee"}
    assert data["nodes"] >= 1 and data["referee"] is False
    assert sum(data["stages"].values()) == pytest.approx(data["seconds"])

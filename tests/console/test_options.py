from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import holdfast as hf
from holdfast.console.options import (
    Exit,
    MethodName,
    check_distinct,
    check_target,
    folder,
    load_case,
    method,
    required,
    vector,
    verdict,
)
from holdfast.errors import FileError, InputError, UnknownNameError
from holdfast.scenes import Scene, load_scene


@pytest.mark.parametrize("text", ["1,-2,3e1", "1 -2 30", "1, -2, 30", " 1,-2 ,+30.0 "])
def test_vectors_are_numbers_with_commas_or_blanks(text: str) -> None:
    assert vector("--x", text, 3).tolist() == [1.0, -2.0, 30.0]


@pytest.mark.parametrize("text", ["", "1,2", "1,2,3,4", "a,b,c", "1,2,nan", "1,2,inf", "1;2;3"])
def test_other_texts_are_refused_by_the_name_of_the_option(text: str) -> None:
    with pytest.raises(InputError, match="--x"):
        vector("--x", text, 3)


def test_a_vector_may_have_one_of_several_sizes() -> None:
    assert len(vector("--x", "1,2,3,4,5,6", 3, 6)) == 6
    with pytest.raises(InputError, match="give 3 or 6"):
        vector("--x", "1,2,3,4", 3, 6)


def test_the_method_is_the_exact_one_with_the_limits_given() -> None:
    assert method() == hf.solvers.Exact()
    assert method(gap=0.02, time_limit=2.5, node_limit=7) == hf.solvers.Exact(gap=0.02, time_limit=2.5, node_limit=7)
    with pytest.raises(InputError):
        method(time_limit=-1.0)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("exact", hf.solvers.Exact()),
        ("hull", hf.solvers.Hull()),
        ("bracket", hf.solvers.Bracket()),
        ("reference", hf.solvers.Reference()),
        ("paper", hf.solvers.PaperBranchAndBound()),
        ("interior-point", hf.solvers.InteriorPoint()),
        ("big-m", hf.solvers.BigM()),
        ("hull-milp", hf.solvers.HullMilp()),
    ],
)
def test_every_method_has_a_word_and_its_own_defaults(name: MethodName, wanted: object) -> None:
    assert method(name) == wanted


def test_the_gap_goes_to_what_a_method_calls_it_and_the_floor_where_there_is_one() -> None:
    assert method("paper", gap=0.01) == hf.solvers.PaperBranchAndBound(epsilon=0.01)
    assert method("reference", gap=0.01, floor=1.0) == hf.solvers.Reference(gap=0.01, floor=1.0)
    assert method("exact", floor=1.0) == hf.solvers.Exact()


def test_a_limit_that_means_nothing_to_a_method_is_refused() -> None:
    with pytest.raises(
        InputError, match="--time-limit.*hull.*exact, interior-point, reference, paper, big-m, hull-milp"
    ):
        method("hull", time_limit=1.0)
    with pytest.raises(InputError, match="--node-limit.*exact, reference, paper"):
        method("big-m", node_limit=1)


@pytest.mark.parametrize(
    ("statuses", "code"),
    [
        (["holds"], Exit.HOLDS),
        (["optimal", "unbounded"], Exit.HOLDS),
        (["holds", "undecided"], Exit.UNDECIDED),
        (["holds", "does not hold", "undecided"], Exit.DOES_NOT_HOLD),
    ],
)
def test_exit_codes_of_answers(statuses: list[str], code: Exit) -> None:
    assert verdict(statuses) is code


def test_exit_codes_are_the_documented_ones() -> None:
    assert {code.name: int(code) for code in Exit} == {
        "HOLDS": 0,
        "DOES_NOT_HOLD": 1,
        "BAD_INPUT": 2,
        "UNDECIDED": 3,
        "FAULT": 70,
        "INTERRUPTED": 130,
    }


def test_a_folder_is_made_or_told_why_not(tmp_path: Path) -> None:
    assert folder(tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(FileError):
        folder(tmp_path / "file" / "x")


@pytest.mark.parametrize("count", [2, 3, 6])
def test_the_example_of_a_vector_has_as_many_numbers_as_are_wanted(count: int) -> None:
    with pytest.raises(InputError) as caught:
        vector("--pick", ",".join("abcdef"[:count]), count)
    example = str(caught.value.fix).split(": ")[1]
    assert len(vector("--pick", example, count)) == count


def test_a_target_that_cannot_be_written_is_told_at_once(tmp_path: Path) -> None:
    check_target("--csv", tmp_path / "a.csv")
    with pytest.raises(FileError, match="is a folder"):
        check_target("--csv", tmp_path)
    with pytest.raises(FileError, match="folder does not exist"):
        check_target("--csv", tmp_path / "none" / "a.csv")


def test_two_options_do_not_write_one_file(tmp_path: Path) -> None:
    check_distinct(plot=tmp_path / "a.png", sheet=tmp_path / "b.png", csv=None)
    with pytest.raises(FileError, match="--plot and --sheet write the same file"):
        check_distinct(plot=tmp_path / "a.png", sheet=tmp_path / "x" / ".." / "a.png")


# -- loads ----------------------------------------------------------------------------------------------------------

WEIGHT = 0.3 * 9.80665


@pytest.fixture
def scene(hooks: Path) -> Scene:
    return load_scene(hooks)


def test_the_weight_acts_unless_it_is_left_out(scene: Scene) -> None:
    plain = load_case(scene)
    assert (plain.description, plain.wrench[2]) == ("weight", pytest.approx(-WEIGHT))
    loaded = load_case(scene, loads=["pull", "aside"])
    assert loaded.description == "weight + pull + aside"
    assert np.allclose(loaded.wrench, [1, 0, -WEIGHT - 1, 0, 0, 0])
    bare = load_case(scene, loads=["pull"], weight=False)
    assert (bare.description, bare.wrench.tolist()) == ("pull", [0, 0, -1, 0, 0, 0])


def test_another_gravity_and_a_whole_wrench(scene: Scene) -> None:
    turned = load_case(scene, gravity="1,0,0")
    assert turned.wrench[:3].tolist() == [0.3, 0, 0]
    assert turned.scene.gravity.tolist() == [1, 0, 0]
    assert load_case(scene, gravity="0,0,0").description == "no weight (gravity is zero)"
    assert load_case(scene, wrench="1,2,3,4,5,6").wrench.tolist() == [1, 2, 3, 4, 5, 6]


def test_a_scene_without_a_mass_is_asked_about_its_loads(scene: Scene) -> None:
    light = Scene(assembly=scene.assembly, loads=scene.loads)
    assert load_case(light, loads=["pull"]).description == "pull"
    with pytest.raises(InputError, match="no mass"):
        load_case(light)


def test_the_weight_of_another_kind_of_scene_is_given_by_a_function(scene: Scene) -> None:
    assert load_case(scene, own_weight=lambda: np.ones(6)).wrench.tolist() == [1.0] * 6


def test_loads_that_are_wrong(scene: Scene) -> None:
    with pytest.raises(InputError, match="--wrench"):
        load_case(scene, loads=["pull"], wrench="1,2,3,4,5,6")
    with pytest.raises(InputError, match="there is no load left"):
        load_case(scene, weight=False)
    with pytest.raises(UnknownNameError, match="did you mean 'pull'"):
        load_case(scene, loads=["pul"])
    with pytest.raises(InputError, match="the file defines no loads"):
        load_case(Scene(assembly=scene.assembly), loads=["pull"])


def test_an_argument_that_is_missing_is_named() -> None:
    assert required("a.yaml", "FILE", "name a file") == "a.yaml"
    with pytest.raises(InputError, match="FILE"):
        required(None, "FILE", "name a file")

"""Scatter in scene files: read, checked, written back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import ValidationError

import holdfast as hf
from holdfast.errors import InputError, SceneError, UnknownNameError
from holdfast.reliability import Band, Distribution, FewTrialsWarning, Scatter, scatter_from_trials
from holdfast.reliability.files import DistributionPart, ScatterPart, band_volumes, scatter_data
from holdfast.scenes import load_scene, save_scene, scene_faults


def test_a_number_or_fields_make_a_distribution() -> None:
    part = ScatterPart.model_validate({"strength": 0.3, "friction": {"kind": "weibull", "variation": 0.1}})
    assert part.strength == 0.3
    assert part.friction == DistributionPart(kind="weibull", mean=1.0, variation=0.1)


def test_one_deviation_or_three() -> None:
    part = ScatterPart.model_validate({"position": 0.001, "com": [0.001, 0, 0.002]})
    assert part.position == 0.001 and part.com == [0.001, 0, 0.002]


@pytest.mark.parametrize(
    "data",
    [
        {"strength": -0.1},
        {"strength": {"variation": -0.1}},
        {"strength": {"kind": "cauchy", "variation": 0.1}},
        {"strength": {"kind": "normal"}},
        {"strength": {"variation": 0.1, "trials": "x.csv"}},
        {"strength": {"variation": 0.1, "group": "a"}},
        {"units": {"a": -1}},
        {"correlation": 1.5},
        {"position": -0.001},
        {"com": [0.1, 0.1]},
        {"com": 5},
        {"bands": {"unit": []}},
        {"strenght": 0.1},
    ],
)
def test_what_makes_no_sense_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        ScatterPart.model_validate(data)


Write = Callable[..., Path]

SCATTER = """\
scatter:
  strength: 0.3
  friction: {kind: lognormal, variation: 0.1}
  units: {front: {kind: weibull, mean: 0.9, variation: 0.2}}
  correlation: 0.5
  position: 0.001
  position_correlation: 0.0
  mass: 0.02
  com: [0.001, 0.001, 0]
"""


def test_the_block_becomes_the_scatter_it_describes(write: Write, block: str) -> None:
    scene = load_scene(write(block + SCATTER))
    wanted = Scatter(
        strength=0.3,
        friction=Distribution("lognormal", 1.0, 0.1),
        units={"front": Distribution("weibull", 0.9, 0.2)},
        correlation=0.5,
        position=0.001,
        position_correlation=0.0,
        mass=0.02,
        com=(0.001, 0.001, 0.0),
    )
    assert scene.scatter is not None and scene.scatter.to_dict() == wanted.to_dict()
    assert load_scene(write(block)).scatter is None


def test_a_saved_scene_has_the_same_scatter(write: Write, block: str, tmp_path: Path) -> None:
    scene = load_scene(write(block + SCATTER))
    save_scene(scene, tmp_path / "out.yaml")
    again = load_scene(tmp_path / "out.yaml")
    assert again.scatter is not None and scene.scatter is not None
    assert again.scatter.to_dict() == scene.scatter.to_dict()


def test_bands_name_volumes_and_survive_saving(write: Write, block: str, tmp_path: Path) -> None:
    more = "  weak: {model: coulomb, mu: 0.3, cap: 100}\n"
    text = block.replace("contacts:\n", more + "contacts:\n", 1) + "scatter: {bands: {rubber: [weak, rubber]}}\n"
    scene = load_scene(write(text))
    assert scene.scatter is not None
    (band,) = scene.scatter.bands
    assert band.nominal is scene.assembly.contacts[0].volume and len(band.levels) == 2
    save_scene(scene, tmp_path / "out.yaml")
    again = load_scene(tmp_path / "out.yaml").scatter
    assert again is not None
    assert [v.fingerprint for v in again.bands[0].levels] == [v.fingerprint for v in band.levels]


def test_faults_have_their_place_in_the_file(write: Write, block: str) -> None:
    with pytest.raises(SceneError, match=r"scatter.*there is no unit 'fron'.*did you mean 'front'"):
        load_scene(write(block + "scatter: {units: {fron: 0.1}}\n"))
    with pytest.raises(SceneError, match=r"scatter.bands.rubber.*there is no volume 'weka'"):
        load_scene(write(block + "scatter: {bands: {rubber: [weka]}}\n"))
    (fault,) = scene_faults(write(block + "scatter:\n  strength: -0.3\n"))
    assert fault.field == "scatter.strength" and fault.line == len(block.splitlines()) + 2


def test_scenes_made_in_python_are_checked_too(write: Write, block: str) -> None:
    scene = load_scene(write(block))
    assert replace(scene, scatter=Scatter(strength=0.1)).scatter is not None
    with pytest.raises(UnknownNameError, match="unit"):
        replace(scene, scatter=Scatter(units={"nowhere": 0.1}))
    with pytest.raises(InputError, match="scatter"):
        replace(scene, scatter=0.3)


def test_plain_data_name_the_volumes_of_bands() -> None:
    cone = hf.models.coulomb(0.5)
    scatter = Scatter(strength=0.1, bands=[Band(cone, [cone])])
    assert band_volumes(scatter) == [(cone, (cone,))] and band_volumes(None) == []
    data = scatter_data(scatter, [("a", ["b"])])
    assert data == {"strength": {"kind": "normal", "mean": 1.0, "variation": 0.1}, "bands": {"a": ["b"]}}


TRIALS = "group,pull-off force [N]\nA,9\nA,10\nA,11\nA,10.5\nB,18\nB,22\nB,21\n"


def test_trials_in_a_file_give_the_pooled_variation(write: Write, block: str) -> None:
    path = write(TRIALS + "".join(f"C,{force}\n" for force in (28, 30, 33, 31, 29)), "pulls.csv")
    scene = load_scene(write(block + "scatter: {strength: {kind: lognormal, trials: pulls.csv}}\n"))
    fitted = scatter_from_trials(path, kind="lognormal")
    assert scene.scatter is not None
    assert scene.scatter.to_dict() == fitted.scatter().to_dict()


def test_too_few_trials_in_a_file_are_warned_of(write: Write, block: str) -> None:
    write(TRIALS, "pulls.csv")
    with pytest.warns(FewTrialsWarning, match="5 degrees of freedom"):
        load_scene(write(block + "scatter: {strength: {trials: pulls.csv}}\n"))
    with pytest.warns(FewTrialsWarning) as caught:
        scene = load_scene(write(block + "scatter: {units: {front: {trials: pulls.csv, group: B, mean: 0.9}}}\n"))
    assert "'B' is based on 3 trials" in str(caught[-1].message)
    assert scene.scatter is not None
    front = scene.scatter.unit("front")
    assert front is not None and (front.mean, round(front.variation, 4)) == (0.9, 0.1024)


@pytest.mark.filterwarnings("ignore::holdfast.reliability.FewTrialsWarning")
def test_faults_of_trials_have_their_place(write: Write, block: str) -> None:
    write(TRIALS, "pulls.csv")
    for text, words in (
        ("trials: pulls.csv, group: D", "scatter.strength.*no group 'D'.*known: A, B"),
        ("trials: none.csv", "none.csv.*there is no such file"),
        ("kind: cauchy, trials: pulls.csv", "scatter.strength.kind"),
        ("kind: normal", "scatter.strength: has no variation .*CSV file of trials"),
        ("variation: 0.1, trials: pulls.csv", "has variation and trials"),
    ):
        with pytest.raises(SceneError, match=words):
            load_scene(write(block + f"scatter: {{strength: {{{text}}}}}\n"))

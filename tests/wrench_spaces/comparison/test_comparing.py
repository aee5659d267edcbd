from __future__ import annotations

import json

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError, UnknownNameError
from holdfast.wrench_spaces.comparison import MEASURES, Comparison, compare
from tests.wrench_spaces.comparison.cases import at_one_point, cross


@pytest.fixture(scope="module")
def three() -> Comparison:
    designs = {"small": cross(0.1, 1.0), "large": cross(0.3, 1.0), "strong": cross(0.1, 2.0)}
    return compare(designs, level=1, workers=1)


def test_designs_are_ranked_from_the_best_to_the_worst_and_ties_stand_together(three: Comparison) -> None:
    assert three.ranking("+fx") == (("strong",), ("small", "large"))
    assert three.ranking("+tz") == (("large",), ("strong",), ("small",))
    assert three.best("+tz") == ("large",)
    assert three.best("+fx") == ("strong",)


def test_all_stand_on_one_length(three: Comparison) -> None:
    assert three.length == pytest.approx((0.1 + 0.3 + 0.1) / 3)
    for strength in three.strengths:
        assert strength.length == three.length
        subspace = strength.spaces["torque volume"].subspace
        assert subspace is not None and list(subspace.scales) == [1.0, three.length, 1.0]
        assert len(strength.spaces["torque volume"]) == 42


def test_twice_the_strength_is_twice_every_limit_and_eight_times_the_volume(three: Comparison) -> None:
    for measure in MEASURES:
        factor = 8.0 if measure.group == "volume" else 2.0
        expected = pytest.approx(factor * three["small"].value(measure.key), rel=1e-3)
        assert three["strong"].value(measure.key) == expected, measure.key


def test_another_length_changes_the_weakest_wrench_alone() -> None:
    design = {"a": cross(0.1, 1.0)}
    short, long = (compare(design, length=length, level=0, workers=1)["a"] for length in (0.02, 0.5))
    for measure in MEASURES:
        if measure.key not in ("weakest wrench", "torque volume"):
            assert short.value(measure.key) == pytest.approx(long.value(measure.key), rel=1e-3), measure.key
    assert short.value("weakest wrench") > 2.0 * long.value("weakest wrench")


def test_one_design_alone_is_measured_and_nothing_is_best() -> None:
    alone = compare({"only": at_one_point(1, 2, 3)}, level=0, workers=1)
    assert len(alone) == 1 and alone.ranking("+fx") == (("only",),)
    assert all(row["best"] == () for row in alone.rows())


def test_equal_designs_tie_in_everything() -> None:
    same = compare({"a": at_one_point(1, 2, 3), "b": at_one_point(1, 2, 3)}, level=0, workers=1)
    assert all(same.ranking(measure.key) == (("a", "b"),) for measure in MEASURES)


def test_no_limit_is_better_than_any_limit() -> None:
    free = hf.Assembly([hf.Contact(np.zeros(3), np.eye(3), hf.models.coulomb(0.5))])
    found = compare({"free": free, "box": at_one_point(1, 1, 1)}, level=0, workers=1)
    assert found.ranking("-fz") == (("free",), ("box",))
    assert found.ranking("+fz") == (("box",), ("free",))


def test_rows_and_data_say_the_same(three: Comparison) -> None:
    data = three.to_dict()
    json.dumps(data)
    assert [entry["name"] for entry in data["measures"]] == [row["measure"] for row in three.rows()]
    for row in three.rows():
        for design in data["designs"]:
            assert design["measures"][row["measure"]]["value"] == row[design["name"]]
    assert data["measures"][0]["ranking"] == [["strong"], ["small", "large"]]


def test_progress_ends_at_its_total_and_never_goes_back() -> None:
    seen: list[tuple[int, int]] = []
    given = {"a": at_one_point(1, 1, 1), "b": at_one_point(1, 1, 2)}
    compare(given, level=0, workers=1, progress=lambda done, total: seen.append((done, total)))
    dones = [done for done, _ in seen]
    assert dones == sorted(dones) and seen[-1][0] == seen[-1][1] and len({total for _, total in seen}) == 1


def test_what_is_not_there_is_named(three: Comparison) -> None:
    with pytest.raises(UnknownNameError, match="large"):
        three["larg"]
    with pytest.raises(UnknownNameError, match="weakest force"):
        three.values("weakest forse")


@pytest.mark.parametrize("wrong", [{"length": 0.0}, {"level": -1}, {"level": 1.5}, {"point": (0, 0)}, {"seed": -1}])
def test_bad_numbers_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InputError, match=next(iter(wrong))):
        compare({"a": at_one_point(1, 1, 1)}, **wrong)  # pyright: ignore[reportArgumentType]

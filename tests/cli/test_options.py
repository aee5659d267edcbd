from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.cli.options import Exit, folder, method, vector, verdict
from holdfast.errors import FileError, InputError


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


def test_the_method_has_the_limits_given() -> None:
    assert method(None, None, 0.01).time_limit > 1.0
    chosen = method(2.5, 7, 0.02, floor=1.0)
    assert (chosen.time_limit, chosen.node_limit, chosen.gap, chosen.floor) == (2.5, 7, 0.02, 1.0)
    with pytest.raises(InputError):
        method(-1.0, None, 0.01)


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

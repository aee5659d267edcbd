"""Tables of studies in files."""

from __future__ import annotations

import pytest

from holdfast.errors import FileError
from holdfast.papers.command import show_tables, write_tables, write_text
from holdfast.papers.tables import TextTable


@pytest.fixture
def areas() -> TextTable:
    return TextTable("Areas", ("grip", "m^2"), (("power", "5.9"), ("pinch", "0.7")), "seen from above")


def test_each_table_is_written_as_csv_and_as_markdown(areas, tmp_path):
    write_tables(tmp_path, {"areas": areas})
    assert (tmp_path / "areas.csv").read_text(encoding="utf-8") == areas.csv()
    assert (tmp_path / "areas.md").read_text(encoding="utf-8") == areas.markdown(2) + "\n"


def test_tables_are_printed_with_what_has_to_be_said(areas, capsys):
    show_tables([areas])
    printed = capsys.readouterr().out
    assert all(word in printed for word in ("Areas", "power", "0.7", "seen from above"))


def test_a_place_that_cannot_be_written_to_is_told(tmp_path):
    with pytest.raises(FileError, match="cannot be written"):
        write_text(tmp_path / "nowhere" / "a.csv", "")

from __future__ import annotations

import pytest

from holdfast.papers.table_one import PAPER_CAP, TABLE_ONE


@pytest.mark.parametrize("name", TABLE_ONE)
def test_an_average_lies_between_least_and_most(name):
    row = TABLE_ONE[name]
    for cell in (row.tests, row.scip, row.limits, row.programs):
        assert 0.0 < cell.least <= cell.mean <= cell.most
    assert row.contacts == 4 * row.units


def test_the_paper_stopped_scip_on_three_rows():
    capped = [name for name, row in TABLE_ONE.items() if row.scip.capped]
    assert capped == ["2FG D-PMD", "2FG MD-MD", "2FG MD-PMD"]
    assert {TABLE_ONE[name].scip.most for name in capped} == {PAPER_CAP}
    assert not any(cell.capped for row in TABLE_ONE.values() for cell in (row.tests, row.limits, row.programs))


def test_a_convex_program_took_the_paper_some_tens_of_milliseconds():
    """Largest time over largest number of programs: the columns belong together, row by row."""
    for name, row in TABLE_ONE.items():
        each = row.limits.most / row.programs.most
        assert 0.02 < each < 0.7, name

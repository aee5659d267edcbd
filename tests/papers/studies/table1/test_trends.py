from __future__ import annotations

from holdfast.papers.table_one import (
    KINDS,
    OBSERVED,
    Reply,
    Series,
    Settings,
    TableOne,
    TableRow,
    printed,
    trends_table,
)
from holdfast.papers.tables import facts


def test_the_printed_numbers_bear_out_what_the_paper_says_of_them():
    """Modest growth, worst cases one to two orders off, SCIP 5 to 10 times slower and stopped on three rows."""
    said = dict(zip(OBSERVED, printed().cells(), strict=True))
    assert said["growth of an average test with contacts"] == "11 times (k = 8 to 48)"  # (321 + 581) / (25 + 55)
    assert said["worst over average, load limits"] == "3.6 to 27"  # 14.9 s / 4.1 s, 267 s / 10 s
    assert said["load limit over test, averages"] == "1.5 to 65"  # 38 / 25 ms, 12 s / 185 ms
    assert said["big-M on SCIP over the paper's algorithm, average tests"] == "3.1 to 294"  # 1.8 / .581, 53 / .18
    assert said["rows on which SCIP met its cap in tests"] == "3 of 9, cap 300 s"


def row(name: str, contacts: int, seconds: float, rivals: tuple[Series, ...] = ()) -> TableRow:
    ours = {
        kind: Series("Exact", kind, KINDS[kind], replies=[Reply(i, w * seconds, 0.0, programs=w) for i, w in replies])
        for kind, replies in (("test", [(0, 1), (1, 3)]), ("limit", [(0, 10), (1, 30)]))
    }
    return TableRow(name, contacts // 4, contacts, 6, ours, rivals, {})


def test_measured_trends_are_over_the_rows_there_are():
    settings = Settings(("2OU", "4FH opposed"), ("BigM, SCIP",), None, 2.0, 2.0, 1, False, 0)
    scip = Series("BigM, SCIP", "test", 72, cap=2.0, replies=[Reply(0, 2.0, 1.0, "undecided")])
    two = TableOne((row("2OU", 8, 1.0, (scip,)), row("4FH opposed", 48, 3.0)), settings, facts(()))
    lines = trends_table(two).rows
    assert [line[2] for line in lines] == [
        "3 times (k = 8 to 48)",
        "3 times (k = 8 to 48)",
        "1.5",
        "1.5",
        "10",
        "20",
        "-",
        "1 of 1, cap 2 s",
    ]
    one = TableOne((row("2OU", 8, 1.0),), settings, facts(()))
    assert [line[2] for line in trends_table(one).rows][::6] == ["-", "-"]

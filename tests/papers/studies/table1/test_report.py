from __future__ import annotations

import csv
import io
import math

import pytest

from holdfast.papers.table_one import KINDS, TABLE_ONE, Reply, Series, Settings, TableOne, TableRow
from holdfast.papers.tables import facts
from holdfast.reports.command import report


def series(method: str, kind: str, replies: list[Reply], **rest: object) -> Series:
    return Series(method, kind, KINDS[kind], clock="cpu", replies=replies, **rest)


@pytest.fixture
def found() -> TableOne:
    """Two queries of each kind; one rival ran into its cap, one is not installed."""
    settings = Settings(("2OU",), ("BigM, SCIP", "Paper, CVXOPT"), 2, 2.0, 5.0, 1, True, 2018)
    ours = {
        "test": series("Exact", "test", [Reply(3, 2e-3, 1e-3, "holds", programs=1, proved=True)] * 2),
        "limit": series("Exact", "limit", [Reply(5, 2e-3, 1e-3, "optimal", 2.0, 2.0, 7, 3, True)] * 2),
    }
    capped = [Reply(3, 2.05, 1.96, "undecided", programs=1), Reply(4, 0.1, 0.1, "holds", programs=1)]
    rivals = (
        series("BigM, SCIP", "test", capped, cap=2.0),
        series("BigM, SCIP", "limit", [Reply(5, 1.5, 0.5, "optimal", 3.0, 3.0)], cap=2.0),
        series("Paper, CVXOPT", "test", [], cap=2.0, fault="cvxopt is not installed"),
        series("Paper, CVXOPT", "limit", [], cap=2.0, fault="cvxopt is not installed"),
    )
    wrong = {(s.method, s.kind): [5] if s.replies and s.kind == "limit" else [] for s in rivals}
    return TableOne((TableRow("2OU", 2, 8, 6, ours, rivals, wrong),), settings, facts(("numpy",)))


def test_a_series_that_met_its_cap_is_written_as_the_paper_writes_it(found):
    scip = found.rows[0].rivals[0]
    assert report.time_span(scip) == "1.03s+ [100ms, 2s+]"
    shared = series("BigM, SCIP", "test", [Reply(0, 2.0, 0.5, "undecided")], cap=2.0)
    assert report.time_span(shared) == "500ms+ [500ms, 500ms+]"  # it had a quarter of a core
    assert report.printed_span(TABLE_ONE["2FG D-PMD"].scip) == "24s+ [536ms, 300s+]"
    assert report.time_span(found.rows[0].ours["test"]) == "1ms [1ms, 1ms]"


def test_programs_are_counted_for_methods_that_solve_one_after_another(found):
    assert report.program_span(found.rows[0].ours["limit"]) == "7 [7, 7]"
    assert report.program_span(found.rows[0].rivals[0]) == "-"
    assert report.program_text(1515.4, 1, 3986) == "1,515 [1, 3,986]"


def test_rivals_are_told_with_counts_ratios_and_contradictions(found):
    table = report.rival_table(found, "test")
    scip, cvxopt = (dict(zip(table.header, line, strict=True)) for line in table.rows)
    assert scip["decided"] == "1 / 2"
    assert scip["ratio"] == ">= 1,960x"  # on query 3 alone, which both were asked
    assert cvxopt["avg [min, max]"] == "cvxopt is not installed"
    limits = report.rival_table(found, "limit")
    assert dict(zip(limits.header, limits.rows[0], strict=True))["wrong"] == "1"
    assert "Cap 2 s a query, budget 5 s" in limits.note


def test_markdown_shows_ours_beside_the_printed_numbers_and_says_where_it_holds(found):
    text = report.markdown(found)
    assert "25ms [21ms, 72ms]" in text
    assert "254ms [242ms, 266ms]" in text
    assert "cvxopt is not installed" in text
    assert "2 of 2" not in text
    assert "Proofs of ours that were checked and found right: 4 of 4." in text
    assert "other programs took turns" in text
    assert "numpy" in text


def test_the_numbers_are_one_line_a_series_and_the_printed_ones_stand_among_them(found):
    lines = list(csv.DictReader(io.StringIO(report.numbers_table(found).csv())))
    assert len(lines) == 2 + 4 + 3
    by = {(line["method"], line["kind"]): line for line in lines}
    ours, scip = by["Exact", "test"], by["BigM, SCIP", "test"]
    assert (float(ours["avg_s"]), ours["asked"], ours["ratio"]) == (1e-3, "2", "")
    assert (float(scip["cap_s"]), scip["capped"], scip["ratio_is_lower_bound"]) == (2.0, "1", "true")
    assert math.isclose(float(scip["ratio"]), 1960.0)
    printed = by["printed: the paper's algorithm", "limit"]
    assert (printed["avg_s"], printed["programs_max"]) == ("0.038", "11")
    assert by["Paper, CVXOPT", "limit"]["fault"] == "cvxopt is not installed"

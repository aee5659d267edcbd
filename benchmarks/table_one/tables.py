"""The figures of all rows as tables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.measuring import Row, row
from benchmarks.reporting import TextTable, duration, mean_and_worst, times
from benchmarks.table_one.figures import RowFigures
from holdfast.papers.table_one import LIMITS, TESTS, Series, ratio

KINDS = {
    "test": f"Rivals: equilibrium tests ({TESTS} gravity directions)",
    "border": "Rivals: equilibrium tests at 1 +- 3e-3 of the load limit",
    "limit": f"Rivals: load limits ({LIMITS} forces through the centre of mass), to 1e-6; the paper's to 1e-3 (1 + v)",
}


def our_tests(rows: Sequence[RowFigures]) -> TextTable:
    """Cold, warm, at the border, in batches."""
    cells = []
    for found in rows:
        ours, batch = found.ours, found.batch["test"]
        test, border = ours["test"], ours["border"]
        held = sum(reply.status == "holds" for reply in test.replies)
        sequels = [*found.warm.items(), ("batch", batch)]
        cells.append(
            [
                found.row.name,
                str(found.row.contacts),
                str(found.row.constraint_rows),
                f"{held} of {len(test.replies)}",
                mean_and_worst(test.seconds),
                mean_and_worst(ours["turned"].seconds),
                mean_and_worst(border.seconds),
                duration(float(np.mean(found.warm["test, 5 deg"].seconds))),
                duration(float(np.mean(found.warm["test, 0.5 deg"].seconds))),
                f"{batch.n / batch.seconds[0]:,.0f}/s",
                f"{test.proved + ours['turned'].proved} of {len(test.replies) + len(ours['turned'].replies)}",
                f"{len(found.wrong['Exact', 'border'])} of {len(border.replies)}",
                str(sum(s.differ for name, s in sequels if not name.startswith("limit"))),
            ]
        )
    header = (
        "row", "k", "m", "holds", "cold, mean / worst", "links weigh", "border", "warm, 5 deg", "warm, 0.5 deg",
        "batch", "proved", "border wrong", "differ from cold",
    )  # fmt: skip
    note = (
        "Exact, through `hf.equilibrium` (cold), `hf.Solver` (warm) and `Solver.equilibrium_many` (batch, all cores). "
        "Times of single queries are medians of the repeats of each query; mean and worst are over the queries. "
        "border: loads at 1 +- 3e-3 and 1 +- 1e-6 of the limit. proved: `verify()` accepts forces or certificate."
    )
    return TextTable("Ours: equilibrium tests", header, cells, note)


def our_limits(rows: Sequence[RowFigures]) -> TextTable:
    """Load limits cold, warm, in batches."""
    cells = []
    for found in rows:
        limit, batch, warm = found.ours["limit"], found.batch["limit"], found.warm["limit, 5 deg"]
        gaps = [(r.upper_bound - r.value) / abs(r.value) for r in limit.replies if r.status == "optimal" and r.value]
        cells.append(
            [
                found.row.name,
                str(found.row.contacts),
                str(found.row.constraint_rows),
                mean_and_worst(limit.seconds),
                mean_and_worst(warm.seconds),
                f"{batch.n / batch.seconds[0]:,.0f}/s",
                _nodes(limit),
                f"{limit.proved} of {len(limit.replies)}",
                f"{max(gaps, default=np.nan):.1e}",
                str(warm.differ + batch.differ),
            ]
        )
    header = (
        "row", "k", "m", "cold, mean / worst", "warm, 5 deg", "batch", "nodes, mean / most", "proved", "widest gap",
        "differ from cold",
    )  # fmt: skip
    return TextTable("Ours: load limits to 1e-6", header, cells)


def rival_table(kind: str, rows: Sequence[RowFigures]) -> TextTable:
    """Every rival on every row, against ours on the same queries."""
    cells = []
    for found in rows:
        for series in found.rivals:
            if series.kind == kind:
                cells.append([found.row.name, series.method, *_rival_cells(series, found)])
    header = ("row", "method", "decided / asked / all", "mean / worst", "ours", "ratio", "on its worst", "contradict")
    note = (
        "ratio: its time over ours, summed over the queries it was asked; 'on its worst': on the query that took it "
        "longest; '>=' where it gave up on some. contradict: its answers against proven ones, outside a band of 1e-5."
    )
    return TextTable(KINDS[kind], header, cells, note)


def _rival_cells(series: Series, found: RowFigures) -> list[str]:
    ours = found.ours[series.kind]
    counts = f"{series.decided} / {len(series.replies)} / {series.possible}"
    if series.fault or not series.seconds:
        return [counts, series.fault or "no query to ask", "-", "-", "-", "-"]
    compared = ratio(series, ours)
    assert compared is not None
    own = [s for i, s in zip(ours.indices, ours.seconds, strict=True) if i in set(series.indices)]
    return [
        counts,
        mean_and_worst(series.seconds),
        mean_and_worst(own),
        times(compared.mean, at_least=compared.at_least),
        times(compared.worst, at_least=compared.at_least),
        str(len(found.wrong[series.method, series.kind])),
    ]


def _nodes(series: Series) -> str:
    nodes = [reply.nodes for reply in series.replies]
    return f"{np.mean(nodes):.3g} / {max(nodes):,}" if nodes else "-"


def comparable_rows(rows: Sequence[RowFigures]) -> list[Row]:
    """What two saved runs are compared by."""
    found = []
    for figures in rows:
        name = figures.row.name
        for key, series in figures.ours.items():
            if series.seconds:
                found.append(row(f"{name}: {key}, Exact cold", [1e6 * s for s in series.seconds], "us"))
        for key, sequel in figures.warm.items():
            found.append(row(f"{name}: {key} apart, Solver", [1e6 * s for s in sequel.seconds], "us"))
        for key, sequel in figures.batch.items():
            each = [1e6 * s / sequel.n for s in sequel.seconds]
            found.append(row(f"{name}: {key}, batch, each", each, "us", f"{sequel.n} queries"))
        for series in figures.rivals:
            if series.seconds:
                note = f"{series.decided} of {len(series.replies)} decided"
                samples = [1e6 * s for s in series.seconds]
                found.append(row(f"{name}: {series.kind}, {series.method}", samples, "us", note))
    return found

"""Table I as text: beside the paper's printed numbers, against rivals, and number by number for programs."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .. import machine
from ..paper_numbers import TABLE_ONE, Printed
from ..text_tables import Table, duration, times
from .asking import STOPPED, Series, ratio
from .rivals import COUNTING_PROGRAMS
from .study import KINDS, TableOne, TableRow
from .trends import trends_table

TITLES = {
    "test": f"Rivals: equilibrium tests ({KINDS['test']} gravity directions)",
    "limit": f"Rivals: load limits ({KINDS['limit']} forces through the centre of mass)",
}

#: A process that had less than this share of a core was not alone.
SHARED = 0.95


def ours_table(found: TableOne) -> Table:
    """Our method alone: size of each row, times and convex programs of both kinds of questions."""
    header = ("row", "units", "points", "tests, avg [min, max]", "programs", "limits, avg [min, max]", "programs")
    cells = [
        [row.name, str(row.units), str(row.contacts), *(cell for s in row.ours.values() for cell in _both(s))]
        for row in found.rows
    ]
    note = (
        f"CPU time a query, to a gap of 1e-6, without warm starts; all {_asked(found)} queries in "
        f"{duration(found.our_seconds)}. programs: convex programs solved a query."
    )
    return Table("Table I: our method", header, cells, note)


def beside_table(found: TableOne) -> Table:
    """Ours beside what the paper printed for its own algorithm."""
    header = (
        "row", "contacts", "tests: ours", "tests: paper", "limits: ours", "limits: paper", "programs a limit: ours",
        "paper",
    )  # fmt: skip
    cells = []
    for row in found.rows:
        printed, test, limit = TABLE_ONE[row.name], row.ours["test"], row.ours["limit"]
        pairs = [
            time_span(test),
            printed_span(printed.tests),
            time_span(limit),
            printed_span(printed.limits),
            program_span(limit),
            program_text(printed.programs.mean, printed.programs.least, printed.programs.most),
        ]
        cells.append([row.name, str(row.contacts), *pairs])
    return Table("Ours beside the paper's printed numbers: avg [min, max]", header, cells)


def scip_table(found: TableOne) -> Table:
    """The big-M program on SCIP, then and now."""
    header = ("row", "contacts", "BigM on SCIP, tests", "decided", "paper's SCIP 3.2.1, tests")
    cells = []
    for row in found.rows:
        series = next((s for s in row.rivals if (s.method, s.kind) == ("BigM, SCIP", "test")), None)
        if series is not None:
            printed = printed_span(TABLE_ONE[row.name].scip)
            cells.append([row.name, str(row.contacts), time_span(series), _counts(series), printed])
    return Table("The big-M program on SCIP beside the paper's", header, cells)


def rival_table(found: TableOne, kind: str) -> Table:
    """Every rival on every row, against ours on the same queries."""
    cells = [
        [row.name, series.method, *_rival_cells(series, row)]
        for row in found.rows
        for series in row.rivals
        if series.kind == kind
    ]
    header = ("row", "method", "decided", "avg [min, max]", "programs", "ratio", "on its worst", "wrong")
    note = (
        f"Cap {duration(found.settings.cap)} a query, budget {duration(found.settings.budget)} a row and method, by "
        "the wall clock; times are CPU times. decided: of those asked. '+': stopped at the cap. ratio: its time over "
        "ours, summed over the queries it was asked; 'on its worst': on the query that took it longest; '>=' where it "
        "gave up on some. wrong: answers that contradict a proven one."
    )
    if kind == "limit":
        note += " Limits to a gap of 1e-6; those of the paper's algorithm to 1e-3 (1 + v)."
    return Table(TITLES[kind], header, cells, note)


def tables(found: TableOne) -> list[Table]:
    """What a terminal shows."""
    return [ours_table(found), *(rival_table(found, kind) for kind in KINDS if found.settings.rivals)]


def markdown(found: TableOne, level: int = 3) -> str:
    """All tables, with the conditions they hold for, in Markdown; headings of this level."""
    shown = [ours_table(found), beside_table(found), trends_table(found)]
    if found.settings.rivals:
        shown += [rival_table(found, kind) for kind in KINDS]
    if "BigM, SCIP" in found.settings.rivals:
        shown.append(scip_table(found))
    return "\n\n".join([*(table.markdown(level) for table in shown), conditions(found)]) + "\n"


def conditions(found: TableOne) -> str:
    """Where and how the figures were measured, in Markdown."""
    settings = found.settings
    part = "all queries" if settings.queries is None else f"at most {settings.queries} queries of a kind and row"
    shared = (
        "" if found.busy > SHARED else "; other programs took turns on the machine, so that times are on the long side"
    )
    lines = [
        f"Measured {found.facts['date'][:10]}: {part}, ours put {_often(settings.repeats)}, seed {settings.seed}; "
        f"CPU time was {found.busy:.0%} of the wall time{shared}.",
        *machine.described(found.facts).splitlines(),
    ]
    if settings.verify:
        series = [s for row in found.rows for s in row.ours.values()]
        count, proved = sum(len(s.replies) for s in series), sum(s.proved for s in series)
        lines.insert(1, f"Proofs of ours that were checked and found right: {proved} of {count}.")
    return "\n\n".join(lines)


def numbers_table(found: TableOne) -> Table:
    """One line a row, method and kind, the printed ones among them: for CSV. Times in seconds, empty where none."""
    header = (
        "row", "units", "contacts", "method", "kind", "possible", "asked", "decided", "capped", "cap_s", "avg_s",
        "min_s", "max_s", "programs_avg", "programs_min", "programs_max", "ratio", "ratio_on_its_worst",
        "ratio_is_lower_bound", "contradictions", "fault",
    )  # fmt: skip
    cells = []
    for row in found.rows:
        size = [row.name, str(row.units), str(row.contacts)]
        for series in (*row.ours.values(), *row.rivals):
            cells.append([*size, *_numbers(series, row)])
        printed = TABLE_ONE[row.name]
        for method, kind, cell, programs in (
            ("printed: the paper's algorithm", "test", printed.tests, None),
            ("printed: the paper's algorithm", "limit", printed.limits, printed.programs),
            ("printed: big-M on SCIP 3.2.1", "test", printed.scip, None),
        ):
            asked = [str(KINDS[kind])] * 2
            spans = [_three(cell), ["", "", ""] if programs is None else _three(programs)]
            cap = f"{cell.most:g}" if cell.capped else ""
            cells.append([*size, method, kind, *asked, "", "", cap, *spans[0], *spans[1], "", "", "", "", ""])
    return Table("Table I", header, cells)


def time_span(series: Series) -> str:
    """'avg [min, max]' of a series' times; '+' where queries were stopped, as the paper writes '5m+'.

    A query that was stopped counts with the time it had: the cap, or less where the core was shared, or more where the
    method cannot be interrupted.
    """
    if not series.replies:
        return series.fault or "-"
    seconds = series.seconds
    most = max(seconds)
    if series.capped and abs(most - series.cap) <= (1.0 - STOPPED) * series.cap:
        most = series.cap  # stopped a little before or after it
    return _span(sum(seconds) / len(seconds), min(seconds), most, series.capped > 0)


def printed_span(printed: Printed) -> str:
    """'avg [min, max]' of the times the paper printed."""
    return _span(printed.mean, printed.least, printed.most, printed.capped)


def program_span(series: Series) -> str:
    """'avg [min, max]' of the convex programs of a series; '-' for methods that do not solve one after another."""
    counts = [reply.programs for reply in series.replies if reply.status != "failed"]
    if not counts or series.method not in COUNTING_PROGRAMS:
        return "-"
    return program_text(sum(counts) / len(counts), min(counts), max(counts))


def program_text(mean: float, least: float, most: float) -> str:
    """'avg [min, max]' of numbers of programs."""
    return f"{mean:,.0f} [{least:,.0f}, {most:,.0f}]" if mean >= 100 else f"{mean:.3g} [{least:,.0f}, {most:,.0f}]"


def _span(mean: float, least: float, most: float, capped: bool) -> str:
    """As the paper writes it, without blanks before units: three times in a cell need the room."""
    more = "+" if capped else ""
    text = f"{duration(mean)}{more} [{duration(least)}, {duration(most)}{more}]"
    return text.replace(" ms", "ms").replace(" us", "us").replace(" s", "s")


def _both(series: Series) -> tuple[str, str]:
    return time_span(series), program_span(series)


def _asked(found: TableOne) -> int:
    return sum(len(series.replies) for row in found.rows for series in row.ours.values())


def _often(repeats: int) -> str:
    return "once" if repeats == 1 else f"{repeats} times (the median counts)"


def _counts(series: Series) -> str:
    return f"{series.decided} / {len(series.replies)}"


def _rival_cells(series: Series, row: TableRow) -> list[str]:
    if not series.replies:
        return [_counts(series), series.fault or "not asked", "-", "-", "-", "-"]
    compared = ratio(series, row.ours[series.kind])
    ratios = (
        ["-", "-"]
        if compared is None
        else [times(value, at_least=compared.at_least) for value in (compared.mean, compared.worst)]
    )
    wrong = str(len(row.wrong[series.method, series.kind]))
    return [_counts(series), time_span(series), program_span(series), *ratios, wrong]


def _three(printed: Printed) -> list[str]:
    return [f"{value:g}" for value in (printed.mean, printed.least, printed.most)]


def _spread(values: Sequence[float]) -> list[str]:
    if not values:
        return ["", "", ""]
    return [f"{value:.6g}" for value in (sum(values) / len(values), min(values), max(values))]


def _numbers(series: Series, row: TableRow) -> list[str]:
    """The cells of one measured series, from `method` on."""
    ours = row.ours[series.kind]
    compared = None if series is ours else ratio(series, ours)
    programs = [reply.programs for reply in series.replies if reply.status != "failed"]
    ratios = (
        ["", "", ""]
        if compared is None
        else [f"{compared.mean:.6g}", f"{compared.worst:.6g}", str(compared.at_least).lower()]
    )
    wrong = "" if series is ours else str(len(row.wrong[series.method, series.kind]))
    counts = [series.possible, len(series.replies), series.decided, series.capped]
    cap = f"{series.cap:g}" if math.isfinite(series.cap) else ""
    spread = _spread(programs if series.method in COUNTING_PROGRAMS else [])
    return [
        series.method, series.kind, *map(str, counts), cap, *_spread(series.seconds), *spread, *ratios, wrong,
        series.fault,
    ]  # fmt: skip

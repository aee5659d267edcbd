"""`holdfast validate`: measurements, textbooks and other programs against this library, as tables "theirs / ours"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from holdfast.console.options import STDOUT, CsvOption, Exit, JsonOption, PlotOption, check_distinct
from holdfast.console.output import counted, note, progress
from holdfast.console.pictures import FeaturePlots
from holdfast.console.sheets import Block, Line, TableBlock, heading, present, yes_no

if TYPE_CHECKING:
    from .comparisons import Validation
    from .validating import ValidationReport

EXIT_CODES = "Exit codes: 0 every comparison is within its bound, 1 one is not, 2 bad input."

plots = FeaturePlots(__package__)


def validate(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="Names of cases (--list); all by default.")
    ] = None,
    json: JsonOption = False,
    plot: PlotOption = None,
    csv: CsvOption = None,
    list_cases: Annotated[bool, typer.Option("--list", help="List the cases and exit.")] = False,
) -> None:
    """Compute the validation cases and compare with measurements, closed forms and other programs."""
    from .validating import CASES, ValidationReport, chosen_cases

    check_distinct(plot=plot, csv=csv, json=STDOUT if json else None)
    if list_cases:
        rows = [(name, text) for name, (_, text) in CASES.items()]
        cases = [{"name": name, "title": text} for name, text in rows]
        present("validate", {"cases": cases}, sheet=[TableBlock(("case", "compares"), rows)], json=json)
    results = []
    for name in chosen_cases(names or None):
        with progress(name) as bar:
            results.append(CASES[name][0](bar))
        note(f"{name}: {results[-1].status.value}")
    report = ValidationReport(tuple(results))
    present(
        "validate",
        report,
        sheet=_sheet(report),
        json=json,
        csv=csv,
        rows=lambda: [{"case": result.name} | row for result in report for row in result.rows()],
        plot=plot,
        picture=lambda: plots.validation(report),
        code=Exit.HOLDS if report.agrees and report.verify() else Exit.DOES_NOT_HOLD,
    )


def _sheet(report: ValidationReport) -> Iterator[Block]:
    """Every case with its table, then the summary."""
    for result in report:
        yield from _case(result)
    rows = [
        (
            result.name,
            len(result.comparisons),
            sum(value.agrees for value in result.comparisons),
            counted(len(result.answers), "answer"),
            yes_no(result.verify()),
            result.status.value,
        )
        for result in report
    ]
    yield TableBlock(("case", "comparisons", "within bounds", "computed", "proofs verified", "status"), rows, "summary")
    style = "green" if report.agrees else "red"
    yield Line(f"verdict: {report.status.value}", f"bold {style}")


def _case(result: Validation) -> Iterator[Block]:
    """A case: title, source, theirs and ours, reading."""
    yield heading(f"{result.name}: {result.title}")
    yield f"source: {result.source}"
    rows = [
        (value.quantity, value.text("theirs"), value.text("ours"), value.difference(), value.bound_text(), value.status)
        for value in result.comparisons
    ]
    yield TableBlock(("quantity", "theirs", "ours", "difference", "bound", "status"), rows)
    yield result.reading
    yield ""

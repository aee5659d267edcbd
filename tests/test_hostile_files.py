"""Hostile files are loaded or refused by a HoldfastError with a remedy: those that were found once, and some new ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.nightly.fuzz import CORPUS, Finding, Report, Tally, markdown, read_one, read_range
from benchmarks.nightly.hostile_files import KINDS, TURNS, hostile_file, kind_of
from tests.nightly import nightly_after


@pytest.mark.parametrize("path", sorted(CORPUS.iterdir()), ids=lambda path: path.name)
def test_what_was_found_once_is_not_found_again(path: Path) -> None:
    outcome, finding = read_one(KINDS[path.name.partition("-")[0]], path)
    assert finding is None and outcome in ("loaded", "refused")


@pytest.mark.parametrize("first", nightly_after(1, range(0, 40 * len(TURNS), 2 * len(TURNS))))
def test_hostile_files_load_or_are_refused(first: int, tmp_path: Path) -> None:
    report = read_range(first, first + 2 * len(TURNS), 3, tmp_path)
    assert report.findings == [] and report.inputs == 2 * len(TURNS) and set(report.tallies) == set(KINDS)
    refused = sum(tally.refused for tally in report.tallies.values())
    assert 0.4 * report.inputs < refused < report.inputs  # most are damaged, some are still sound


def test_a_file_is_the_same_for_its_number_and_seed() -> None:
    first = [hostile_file(number, 7)[1] for number in range(len(TURNS))]
    hostile_file(5, 8)
    # archives hold the time at which HDF5 wrote an object
    again = [hostile_file(number, 7)[1] if kind_of(number).name != "archive" else None for number in range(len(TURNS))]
    assert all(two is None or one == two for one, two in zip(first, again, strict=True))


def test_a_report_keeps_one_finding_for_each_place() -> None:
    found = Finding(5, "svg", "KeyError", "contour_files._shape", "'x'")
    total = Report({"svg": Tally(10, 3, 6, 0.5, 0.2, 5)}, [found])
    total.add(Report({"svg": Tally(1, 0, 0, 0.3, 0.3, 17)}, [Finding(17, "svg", "KeyError", found.place, "'y'")]))
    assert total.findings == [found] and total.tallies["svg"] == Tally(11, 3, 6, 0.8, 0.3, 17)
    assert "Must not happen: 1" in markdown(total, 1) and "11 files in all" in markdown(total, 1)

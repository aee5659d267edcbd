"""Table I measured anew: our method on every query, rivals on as many as their time allows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .... import checks
from .... import jobs as sweeps
from ....errors import UnknownNameError
from ....solvers import Exact
from .. import machine
from .asking import Questions, Series, ask, ask_slow, sample, shuffled
from .judging import contradictions
from .rivals import GAP, Rival, rivals
from .rows import LIMITS, TESTS, DeviceRow, chosen_rows, device_row

#: How tables call our method.
OURS = "Exact"

#: Kinds of questions, and how many of each there are.
KINDS = {"test": TESTS, "limit": LIMITS}

#: The paper's algorithm with its solver and with HiGHS, its big-M program, the disjunctive program over vertices.
RIVALS = ("Paper, CVXOPT", "Paper, HiGHS", "BigM, SCIP", "BigM, HiGHS", "HullMilp, HiGHS")

#: One of each: what the paper ran, what it compared with, and the strongest of the mixed-integer programs.
FEW_RIVALS = ("Paper, CVXOPT", "BigM, SCIP", "HullMilp, HiGHS")


@dataclass(frozen=True)
class Settings:
    """What was asked, and for how long.

    Attributes:
        rows: names of rows.
        rivals: names of rivals.
        queries: most queries of a kind and row; None for all of the paper's.
        cap: seconds by the wall clock a rival has for one query.
        budget: seconds by the wall clock a rival has for all queries of a kind on a row; its last one is finished.
        repeats: times each of our queries is put; the median counts.
        verify: whether each of our proofs is checked, off the clock.
        seed: of what part of the queries is asked, and in which order rivals get them.
    """

    rows: tuple[str, ...]
    rivals: tuple[str, ...]
    queries: int | None
    cap: float
    budget: float
    repeats: int
    verify: bool
    seed: int


@dataclass(frozen=True, eq=False)
class TableRow:
    """What one row gave.

    Attributes:
        name: device and condition.
        units, contacts, constraint_rows: its size: units that touch, contact points k, rows m.
        ours: our series by kind.
        rivals: theirs, in order.
        wrong: (method, kind) to the queries on which a rival contradicts a proven answer.
    """

    name: str
    units: int
    contacts: int
    constraint_rows: int
    ours: dict[str, Series]
    rivals: tuple[Series, ...]
    wrong: dict[tuple[str, str], list[int]]

    def data(self) -> dict[str, Any]:
        """As JSON values."""
        wrong = [{"method": m, "kind": k, "queries": queries} for (m, k), queries in self.wrong.items() if queries]
        return {
            "name": self.name,
            "units": self.units,
            "contacts": self.contacts,
            "constraint_rows": self.constraint_rows,
            "series": [series.data() for series in (*self.ours.values(), *self.rivals)],
            "contradictions": wrong,
        }


@dataclass(frozen=True, eq=False)
class TableOne:
    """Table I as measured.

    Times are those that the process spent on a core (CPU time, all its threads), so that other programs on the machine
    lengthen them little; caps and budgets are by the wall clock, which is all that the rivals know.

    Attributes:
        rows: in the order of the paper.
        settings: what was asked, and for how long.
        facts: date, versions and hardware that the times hold for.
    """

    rows: tuple[TableRow, ...]
    settings: Settings
    facts: dict[str, Any]

    @property
    def our_seconds(self) -> float:
        """CPU time of all our queries together, one pass [s]."""
        return sum(sum(series.seconds) for row in self.rows for series in row.ours.values())

    @property
    def busy(self) -> float:
        """CPU time over wall time of all queries: well below 1 where other programs took turns on the core."""
        replies = [r for row in self.rows for s in (*row.ours.values(), *row.rivals) for r in s.replies]
        wall = sum(reply.wall for reply in replies)
        return sum(reply.cpu for reply in replies) / wall if wall else 1.0

    def data(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "settings": asdict(self.settings),
            **self.facts,
            "our_seconds": self.our_seconds,
            "cpu_over_wall": self.busy,
            "rows": [row.data() for row in self.rows],
        }


def table_one(
    rows: Sequence[str] | None = None,
    rivals: Sequence[str] = (),
    *,
    queries: int | None = None,
    cap: float = 2.0,
    budget: float = 2.0,
    repeats: int = 1,
    verify: bool = False,
    seed: int = 2018,
    journal: str | Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> TableOne:
    """Times of equilibrium tests and load limits on the paper's nine devices (IV.E, Table I).

    Ours is asked every query: 72 tests of the object's weight as gravity turns, 135 load limits along forces through
    its centre of mass, to a gap of 1e-6. A rival is asked the same ones in an order drawn by `seed` until its
    `budget` is spent, and gives up on a query after `cap`. Where a rival and ours differ, ours must prove itself.

    With a `journal` a long run goes on where it stopped. Its results are times, so that another run of the same study
    differs in its bytes; it belongs to this machine and these versions, and is refused on others.

    Args:
        rows: names as in `rows.ROWS`, or devices ("2FG"); None for all nine.
        rivals: names of RIVALS; one that is not installed is named as such in its series.
        queries: most queries of a kind and row; None for all.
        cap: seconds a rival has for one query.
        budget: seconds a rival has for all queries of one kind on one row; one query at least is asked.
        repeats: times each of our queries is put; the median counts.
        verify: check each of our proofs, off the clock: some two minutes for all rows.
        seed: of the part that is asked and of its order.
        journal: file to save to and resume from.
        progress: called with (done, total) series.
    """
    for name in rivals:
        if name not in RIVALS:
            raise UnknownNameError("rival", name, RIVALS, where="rivals")
    settings = Settings(
        rows=chosen_rows(rows),
        rivals=tuple(name for name in RIVALS if name in rivals),
        queries=None if queries is None else checks.count("queries", queries),
        cap=checks.positive("cap", cap, unit="s"),
        budget=checks.positive("budget", budget, unit="s"),
        repeats=checks.count("repeats", repeats),
        verify=verify,
        seed=checks.count("seed", seed, low=0),
    )
    facts = machine.facts()
    task = _Task(settings)
    key = sweeps.fingerprint("table one", asdict(settings), facts["versions"], facts["hardware"])
    found = sweeps.sweep(task, task.queries(), journal=journal, key=key, progress=progress)
    return TableOne(task.assembled([Series.from_data(result) for result in found]), settings, facts)


class _Task:
    """Puts all questions of one kind on one row to one method."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._rivals = {rival.name: rival for rival in rivals(settings.cap)}
        self._rows: dict[str, DeviceRow] = {}

    def queries(self) -> list[dict[str, str]]:
        """Ours on all rows first, so that a run that is stopped has them."""
        ours = [{"row": row, "method": OURS, "kind": kind} for row in self.settings.rows for kind in KINDS]
        theirs = [
            {"row": row, "method": rival, "kind": kind}
            for row in self.settings.rows
            for rival in self.settings.rivals
            for kind in KINDS
        ]
        return ours + theirs

    def __call__(self, query: dict[str, str]) -> dict[str, Any]:
        """The series of one (row, method, kind)."""
        name, kind, settings = query["method"], query["kind"], self.settings
        questions = self._questions(query["row"], kind)
        most = KINDS[kind]
        chosen = sample(range(most), most if settings.queries is None else settings.queries, settings.seed)
        if name == OURS:
            series = Series(OURS, kind, most, clock="cpu")
            ask(series, Exact(gap=GAP), questions, chosen, repeats=settings.repeats, verify=settings.verify)
        else:
            series = Series(name, kind, most, cap=settings.cap, clock="cpu")
            order = shuffled(chosen, settings.seed + 1)
            ask_slow(series, self._rivals[name].method, questions, order, settings.budget)
        return series.data()

    def assembled(self, found: Sequence[Series]) -> tuple[TableRow, ...]:
        """The table's rows, rivals judged; the series in the order of `queries`."""
        pairs = list(zip(self.queries(), found, strict=True))
        rows = []
        for name in self.settings.rows:
            of_row = [series for query, series in pairs if query["row"] == name]
            ours = {series.kind: series for series in of_row if series.method == OURS}
            others = tuple(series for series in of_row if series.method != OURS)
            wrong = {(s.method, s.kind): self._wrong(name, s, ours[s.kind]) for s in others}
            row = self._row(name)
            rows.append(TableRow(name, row.units, row.contacts, row.constraint_rows, ours, others, wrong))
        return tuple(rows)

    def _wrong(self, row: str, series: Series, ours: Series) -> list[int]:
        rival: Rival = self._rivals[series.method]
        return contradictions(rival, series, ours, self._questions(row, series.kind))

    def _questions(self, row: str, kind: str) -> Questions:
        device = self._row(row)
        return Questions(kind, [device.assembly], device.forces() if kind == "limit" else device.weights())

    def _row(self, name: str) -> DeviceRow:
        if name not in self._rows:
            self._rows[name] = device_row(name)
        return self._rows[name]

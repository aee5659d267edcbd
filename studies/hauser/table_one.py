"""Table I (IV.E): times of equilibrium tests and load limits on nine devices, printed in the paper and measured here.

Source of the printed numbers: K. Hauser, S. Wang, M. R. Cutkosky, "Efficient equilibrium testing under adhesion and
anisotropy using empirical contact force models", IEEE Transactions on Robotics, 2018.
"""

from __future__ import annotations

import functools
import itertools
import math
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from holdfast import checks
from holdfast import jobs as sweeps
from holdfast.assembly import loads
from holdfast.assembly.assembly import Assembly
from holdfast.assembly.contacts import Corners
from holdfast.checks import Array
from holdfast.errors import InputError, MissingDependencyError, SolverError, UnknownNameError
from holdfast.solvers import BigM, Bracket, Exact, Hull, HullMilp, PaperBranchAndBound, Reference
from holdfast.statics.holding import Equilibrium, LoadLimit, Method, equilibrium, load_limit
from holdfast.statics.solver import Solver
from . import devices
from . import tables as machine
from .tables import TextTable, duration, times

#: Convex pieces of a unit's volume, and vertices of all of them together, in the paper (IV.A).
PAPER_PIECES, PAPER_VERTICES = 4, 296

#: Seconds after which the paper stopped SCIP (IV.E).
PAPER_CAP = 300.0


@dataclass(frozen=True)
class MeanRange:
    """Mean and extremes of some numbers, as in one cell of Table I: "avg [min, max]".

    Attributes:
        mean, least, most: statistics of the queries; times in seconds.
        capped: whether a query was stopped at the time limit ("5m+").
    """

    mean: float
    least: float
    most: float
    capped: bool = False

    @classmethod
    def of(cls, values: Sequence[float], *, capped: bool = False) -> MeanRange | None:
        """Statistics of these numbers; None without any."""
        return cls(sum(values) / len(values), min(values), max(values), capped) if values else None

    def times(self) -> str:
        """'avg [min, max]' of times, with '+' for stopped queries; no blanks before units, as in the paper."""
        more = "+" if self.capped else ""
        text = f"{duration(self.mean)}{more} [{duration(self.least)}, {duration(self.most)}{more}]"
        return re.sub(r" (ms|us|s)", r"\1", text)

    def counts(self) -> str:
        """'avg [min, max]' of numbers of programs."""
        mean = f"{self.mean:,.0f}" if self.mean >= 100 else f"{self.mean:.3g}"
        return f"{mean} [{self.least:,.0f}, {self.most:,.0f}]"


@dataclass(frozen=True)
class PrintedRow:
    """One row of Table I.

    Attributes:
        units: microspine units that touch.
        contacts: contact points, four per unit.
        tests: equilibrium tests by the paper's algorithm [s], column "Eq.".
        scip: equilibrium tests by its big-M program on SCIP 3.2.1 [s], column "Eq. SCIP".
        limits: load limits by the paper's algorithm [s], column "Opt.".
        programs: convex programs solved for a load limit, column "# CP".
    """

    units: int
    contacts: int
    tests: MeanRange
    scip: MeanRange
    limits: MeanRange
    programs: MeanRange


_Cell = tuple[float, float, float]


def _row(units: int, contacts: int, tests: _Cell, scip: _Cell, limits: _Cell, programs: _Cell) -> PrintedRow:
    capped = MeanRange(*scip, capped=scip[2] >= PAPER_CAP)
    return PrintedRow(units, contacts, MeanRange(*tests), capped, MeanRange(*limits), MeanRange(*programs))


#: Table I by row.
TABLE_ONE = MappingProxyType(
    {
        "2OU": _row(2, 8, (0.025, 0.021, 0.072), (0.254, 0.242, 0.266), (0.038, 0.029, 0.288), (1.1, 1, 11)),
        "2FG D-D": _row(2, 8, (0.055, 0.049, 0.111), (0.527, 0.270, 1.2), (0.294, 0.029, 6.7), (10, 1, 271)),
        "2FG D-MD": _row(3, 12, (0.108, 0.051, 0.336), (2.7, 0.792, 9.2), (3.6, 0.041, 79.5), (84, 1, 2246)),
        "2FG D-PMD": _row(4, 16, (0.366, 0.082, 3.1), (24.0, 0.536, PAPER_CAP), (8.3, 0.057, 178.0), (154, 1, 3392)),
        "2FG MD-MD": _row(4, 16, (0.461, 0.073, 23.8), (50.0, 0.492, PAPER_CAP), (4.1, 0.080, 14.9), (61, 1, 262)),
        "2FG MD-PMD": _row(5, 20, (0.180, 0.094, 1.0), (53.0, 0.640, PAPER_CAP), (10.0, 0.087, 267.0), (159, 1, 4276)),
        "2FG PMD-PMD": _row(6, 24, (0.185, 0.136, 0.288), (2.5, 0.739, 20.0), (12.0, 0.149, 260.0), (92, 1, 2272)),
        "4FH parallel": _row(12, 48, (0.321, 0.298, 0.396), (2.8, 1.8, 15.0), (2.6, 0.226, 28.0), (10, 1, 271)),
        "4FH opposed": _row(12, 48, (0.581, 0.353, 0.815), (1.8, 1.6, 2.5), (5.8, 0.574, 69.0), (9.3, 1, 116)),
    }
)


# The nine rows of Table I and their queries: 72 gravity directions, 135 forces.

#: Numbers of queries per row, as in the paper.
TESTS, LIMITS = 72, 135

#: Names of the rows, in the order of the paper.
ROWS = (
    "2OU",
    *(f"2FG {left}-{right}" for left, right in devices.CONDITIONS),
    "4FH parallel",
    "4FH opposed",
)


@dataclass(frozen=True, eq=False)
class DeviceRow:
    """One row of Table I.

    Attributes:
        name: device and condition.
        device: the device.
    """

    name: str
    device: devices.Device

    @functools.cached_property
    def assembly(self) -> Assembly:
        """Contacts and joint rows with weightless links: one assembly for every direction of gravity."""
        return self.device.assembly()

    @property
    def units(self) -> int:
        """Number of units that touch."""
        return len(self.device.patches)

    @property
    def contacts(self) -> int:
        """k."""
        return len(self.assembly)

    @property
    def constraint_rows(self) -> int:
        """m: six rows of balance, and the joint rows."""
        return 6 + (0 if self.assembly.joints is None else len(self.assembly.joints.lower))

    def weights(self, n: int = TESTS, *, sphere: bool = False) -> Array:
        """(n, 6) the object's weight under gravity rotated evenly through a circle, or over a sphere."""
        ways = loads.sphere_directions(n) if sphere else loads.circle_directions(n)
        return np.array([self.device.weight(g) for g in loads.STANDARD_GRAVITY * ways])

    def turned(self, n: int = TESTS) -> list[Assembly]:
        """The assemblies with the weight of the links, G(q) in (5), for the gravity of `weights(n)`."""
        return [self.device.assembly(g) for g in loads.STANDARD_GRAVITY * loads.circle_directions(n)]

    def forces(self, n: int = LIMITS, *, sphere: bool = True) -> Array:
        """(n, 6) unit forces through the object's centre of mass, over a sphere or in the plane of the fingers."""
        ways = loads.sphere_directions(n) if sphere else loads.circle_directions(n)
        return np.array([loads.gravity_wrench(1.0, f, self.device.object.com) for f in ways])


def device_row(name: str, corners: Corners = "independent") -> DeviceRow:
    """The row of that name; `corners` as in `Patch`."""
    if name not in ROWS:
        raise UnknownNameError("row", name, ROWS, where="rows")
    device, _, condition = name.partition(" ")
    if device == "2OU":
        return DeviceRow(name, devices.two_opposed_units(corners=corners))
    if device == "2FG":
        return DeviceRow(name, devices.two_finger_gripper(*condition.split("-"), corners=corners))
    return DeviceRow(name, devices.four_finger_hand(condition, corners=corners))


def device_rows() -> Iterator[DeviceRow]:
    """All rows in the order of Table I."""
    return map(device_row, ROWS)


def chosen_rows(names: Sequence[str] | None) -> tuple[str, ...]:
    """Names of rows, in the order of Table I; a device name ("2FG") means all of its rows, None all nine."""
    if names is None:
        return ROWS
    found: set[str] = set()
    for name in names:
        wanted = name.strip().lower()
        matching = [row for row in ROWS if wanted in (row.lower(), row.lower().split(" ")[0])]
        if not matching:
            raise UnknownNameError("row", name, ROWS, where="rows")
        found.update(matching)
    if not found:
        raise InputError("is empty", where="rows", fix=f"give some of: {', '.join(ROWS)}")
    return tuple(row for row in ROWS if row in found)


# Other methods for the comparison, and their limits.

#: Relative gap of load limits for every method.
GAP = 1e-6

#: The paper's coarser gap: its limits may be too small by EPSILON (1 + |v|) for directions that are unit forces.
EPSILON = 1e-3

#: Methods that solve a sequence of convex programs; a mixed-integer program counts as one.
COUNTING_PROGRAMS = frozenset({"Exact", "Paper, CVXOPT", "Paper, HiGHS"})


@dataclass(frozen=True)
class Rival:
    """A method that ours is compared with.

    Attributes:
        name: its name in tables.
        method: the method object.
        quick: whether it takes only milliseconds, so that all queries can be run.
        gap, floor: its load limits may be below the largest value v by gap (|v| + floor).
    """

    name: str
    method: Method
    quick: bool = False
    gap: float = GAP
    floor: float = 0.0


def rivals(time_limit: float) -> tuple[Rival, ...]:
    """All other methods; those that search stop a query after `time_limit` seconds of wall time."""

    def paper(name: str, backend: str) -> Rival:
        method = PaperBranchAndBound(backend=backend, epsilon=EPSILON, time_limit=time_limit)
        return Rival(name, method, gap=EPSILON, floor=1.0)

    return (
        Rival("Hull", Hull(gap=GAP), quick=True),
        Rival("Bracket", Bracket(gap=GAP), quick=True),
        paper("Paper, CVXOPT", "cvxopt"),
        paper("Paper, HiGHS", "highs"),
        Rival("HullMilp, HiGHS", HullMilp(solver="highs", gap=GAP, time_limit=time_limit)),
        Rival("HullMilp, SCIP", HullMilp(solver="scip", gap=GAP, time_limit=time_limit)),
        Rival("BigM, HiGHS", BigM(solver="highs", gap=GAP, time_limit=time_limit)),
        Rival("BigM, SCIP", BigM(solver="scip", gap=GAP, time_limit=time_limit)),
        Rival("Reference", Reference(gap=GAP, time_limit=time_limit)),
    )


# Queries of one kind, run with a method and timed.

Answer = Equilibrium | LoadLimit
Clock = Literal["wall", "cpu"]

#: Fraction of a load for the warm-up of a method.
EASY = 1e-6

#: An open result after at least this fraction of the time limit was stopped by it; methods check it between programs.
STOPPED = 0.95


@dataclass(frozen=True, eq=False)
class Questions:
    """Queries of one kind.

    Attributes:
        kind: "test", "border" or "limit".
        assemblies: one for all queries, or one per query.
        wrenches: (n, 6) loads, or directions of loads.
    """

    kind: str
    assemblies: Sequence[Assembly]
    wrenches: Array

    def __len__(self) -> int:
        return len(self.wrenches)

    def put(self, index: int, method: Method) -> Answer:
        """Run one query with one method."""
        assembly = self.assemblies[index if len(self.assemblies) > 1 else 0]
        question = load_limit if self.kind == "limit" else equilibrium
        return question(assembly, self.wrenches[index], method=method)


@dataclass(frozen=True)
class Reply:
    """The result of one query with one method, and its time.

    Attributes:
        index: number of the query.
        wall, cpu: wall time and CPU time [s].
        status: the status as text; "failed" if the backend failed.
        value, upper_bound: of a load limit, nan otherwise.
        programs, nodes: convex programs solved, sets of pieces examined.
        proved: whether the proof was verified; None if it was not checked.
    """

    index: int
    wall: float
    cpu: float
    status: str = "failed"
    value: float = math.nan
    upper_bound: float = math.nan
    programs: int = 0
    nodes: int = 0
    proved: bool | None = None

    @property
    def decided(self) -> bool:
        """Whether it is decided."""
        return self.status not in ("failed", "undecided")


@dataclass
class Series:
    """The results of one method for some of the queries of one kind.

    Attributes:
        method: its name in tables.
        kind: kind of the queries.
        possible: number of queries.
        searches: whether it decides everything given enough time, so that undecided means stopped.
        cap: time limit of a query [s], inf for none.
        clock: which time of a reply `seconds` is.
        fault: why it could not be run, "" if it could.
        replies: the results, in the order of the runs.
    """

    method: str
    kind: str
    possible: int
    searches: bool = True
    cap: float = math.inf
    clock: Clock = "wall"
    fault: str = ""
    replies: list[Reply] = field(default_factory=list)

    @property
    def indices(self) -> list[int]:
        """Numbers of the queries that were run."""
        return [reply.index for reply in self.replies]

    @property
    def seconds(self) -> list[float]:
        """Time of each query by the series' clock."""
        return [getattr(reply, self.clock) for reply in self.replies]

    @property
    def decided(self) -> int:
        """Number of decided results."""
        return sum(reply.decided for reply in self.replies)

    @property
    def gave_up(self) -> bool:
        """Whether a query was left open by a method that searches: its times are then lower bounds."""
        return self.searches and self.decided < len(self.replies)

    @property
    def capped(self) -> int:
        """Number of queries that were stopped by the time limit."""
        return sum(not reply.decided and reply.wall >= STOPPED * self.cap for reply in self.replies)

    @property
    def proved(self) -> int:
        """Number of results with a verified proof."""
        return sum(reply.proved is True for reply in self.replies)

    @property
    def times(self) -> MeanRange | None:
        """Statistics of the times by the series' clock.

        A query that was stopped counts with the time it had: the cap, or less if the core was shared, or more if the
        method cannot be interrupted.
        """
        spread = MeanRange.of(self.seconds, capped=self.capped > 0)
        if spread is not None and spread.capped and abs(spread.most - self.cap) <= (1.0 - STOPPED) * self.cap:
            return replace(spread, most=self.cap)  # stopped a little before or after it
        return spread

    @property
    def programs(self) -> MeanRange | None:
        """Statistics of the convex programs solved; None for methods that do not solve a sequence of programs."""
        if self.method not in COUNTING_PROGRAMS:
            return None
        return MeanRange.of([reply.programs for reply in self.replies if reply.status != "failed"])

    def to_dict(self) -> dict[str, Any]:
        """As JSON values, column by column: infinities as text, null for nan."""
        kept = {key: value for key, value in vars(self).items() if key != "replies"}
        columns = {name: [_plain(getattr(r, name)) for r in self.replies] for name in _COLUMNS}
        return {**kept, "cap": _plain(self.cap), "replies": columns}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Series:
        """The series that `to_dict()` describes."""
        columns = data["replies"]
        lines = zip(*(columns[name] for name in _COLUMNS), strict=True)
        replies = [Reply(**{name: _read(name, value) for name, value in zip(_COLUMNS, r, strict=True)}) for r in lines]
        return cls(**{**data, "cap": float(data["cap"]), "replies": replies})


_COLUMNS = tuple(Reply.__dataclass_fields__)


def _plain(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value


def _read(name: str, value: Any) -> Any:
    if name in ("value", "upper_bound"):
        return math.nan if value is None else float(value)
    return value


def timed(call: Callable[[], Answer], repeats: int = 1) -> tuple[Answer, float, float]:
    """What `call` returns, and the medians of its wall and CPU times [s] over `repeats` calls."""
    samples = []
    while True:
        wall, cpu = time.perf_counter(), time.process_time()
        answer = call()
        samples.append((time.perf_counter() - wall, time.process_time() - cpu))
        if len(samples) >= repeats:
            wall, cpu = np.median(samples, axis=0).tolist()
            return answer, wall, cpu


def _reply(index: int, answer: Answer | None, wall: float, cpu: float, *, verify: bool = False) -> Reply:
    if answer is None:
        return Reply(int(index), wall, cpu)
    limit = isinstance(answer, LoadLimit)
    return Reply(
        index=int(index),
        wall=wall,
        cpu=cpu,
        status=str(answer.status.value),
        value=float(answer.value) if limit else math.nan,
        upper_bound=float(answer.upper_bound) if limit else math.nan,
        programs=int(answer.effort.programs),
        nodes=int(answer.effort.nodes),
        proved=bool(answer.verify()) if verify else None,
    )


def ask(
    series: Series,
    method: Method,
    questions: Questions,
    chosen: Sequence[int],
    *,
    repeats: int = 1,
    verify: bool = False,
) -> Series:
    """Run all chosen queries, each `repeats` times, with a fast method; `verify` checks each proof, not timed.

    They are run once before (only the first, if all share an assembly), so that imports, compilation and shared data
    are not timed.
    """
    for index in chosen[:1] if len(questions.assemblies) == 1 else chosen:
        questions.put(index, method)
    for index in chosen:
        answer, wall, cpu = timed(lambda i=index: questions.put(i, method), repeats)
        series.replies.append(_reply(index, answer, wall, cpu, verify=verify))
    return series


def ask_slow(series: Series, method: Method, questions: Questions, chosen: Sequence[int], budget: float) -> Series:
    """Run the chosen queries with a slow method until they are done or have taken `budget` seconds; at least one.

    Costs of the first query are excluded by a test of a very small load before.
    """
    if not chosen:
        return series
    try:
        equilibrium(questions.assemblies[0], EASY * questions.wrenches[chosen[0]], method=method)
    except MissingDependencyError as error:
        series.fault = f"{error.package} is not installed"
        return series
    except SolverError:
        pass  # it may still solve the queries themselves
    began = time.perf_counter()
    for index in chosen:
        if series.replies and time.perf_counter() - began > budget:
            break
        wall, cpu = time.perf_counter(), time.process_time()
        try:
            answer = questions.put(index, method)
        except SolverError:
            answer = None
        series.replies.append(_reply(index, answer, time.perf_counter() - wall, time.process_time() - cpu))
    return series


def sample(possible: Sequence[int] | range, n: int, seed: int) -> list[int]:
    """`n` of these indices, drawn with a seed, in their order; all of them if there are no more."""
    if n >= len(possible):
        return list(possible)
    return sorted(np.random.default_rng(seed).choice(possible, size=n, replace=False).tolist())


def shuffled(possible: Sequence[int], seed: int) -> list[int]:
    """These indices in a random order by a seed: the part that is run in time is a random sample."""
    return np.random.default_rng(seed).permutation(possible).tolist()


@dataclass(frozen=True)
class Ratio:
    """Ratio of another method's times to ours on the same queries.

    Attributes:
        mean: ratio of the summed times.
        worst: ratio on the query that took the other method longest.
        at_least: whether the other method stopped some query, so that these are lower bounds.
    """

    mean: float
    worst: float
    at_least: bool


def ratio(rival: Series, ours: Series) -> Ratio | None:
    """The other method's times divided by ours, on the common queries; None without any."""
    own = dict(zip(ours.indices, ours.seconds, strict=True))
    pairs = [(s, own[i]) for i, s in zip(rival.indices, rival.seconds, strict=True) if i in own]
    if not pairs:
        return None
    slowest = max(pairs)
    theirs, mine = (sum(side) for side in zip(*pairs, strict=True))
    return Ratio(theirs / mine, slowest[0] / slowest[1], rival.gave_up)


# Whether a method's results contradict proven ones.

#: A test whose verdict changes within this fraction of its load does not count against a method.
BAND = 1e-5


def firm_verdicts(assembly: Assembly, wrenches: Array, chosen: Sequence[int]) -> dict[int, bool]:
    """Whether the load holds, for each chosen one whose verdict is proven and the same within BAND of it."""
    solver, firm = Solver(assembly), {}
    for index in chosen:
        answers = [solver.equilibrium(share * wrenches[index]) for share in (1.0 - BAND, 1.0, 1.0 + BAND)]
        if all(answer.verify() for answer in answers) and len({answer.holds for answer in answers}) == 1:
            firm[index] = answers[0].holds
    return firm


def proven_limits(assembly: Assembly, directions: Array, chosen: Sequence[int]) -> dict[int, LoadLimit]:
    """The load limits of the chosen directions whose proofs are verified."""
    found = {index: load_limit(assembly, directions[index], method=Exact(gap=GAP)) for index in chosen}
    return {index: answer for index, answer in found.items() if answer.verify()}


def wrong_tests(series: Series, holds: Mapping[int, bool]) -> list[int]:
    """Queries with a known verdict on which another was given."""
    return [
        reply.index
        for reply in series.replies
        if reply.index in holds and reply.decided and (reply.status == "holds") != holds[reply.index]
    ]


def wrong_limits(series: Series, proven: Mapping[int, LoadLimit | Reply], gap: float, floor: float = 0.0) -> list[int]:
    """Queries whose limit, or whose bounds on it, contradict the proven one by more than gap (|value| + floor)."""
    return [
        reply.index
        for reply in series.replies
        if reply.index in proven and reply.status != "failed" and not _agree(reply, proven[reply.index], gap, floor)
    ]


def contradictions(rival: Rival, series: Series, ours: Series, questions: Questions) -> list[int]:
    """Queries on which another method contradicts a proven result; where it differs from ours, our proof is checked.

    The queries share one assembly; "test" or "limit".
    """
    said = {reply.index: reply for reply in ours.replies if reply.decided}
    assembly, wrenches = questions.assemblies[0], questions.wrenches
    if series.kind == "limit":
        disputed = wrong_limits(series, said, rival.gap, rival.floor)
        return wrong_limits(series, proven_limits(assembly, wrenches, disputed), rival.gap, rival.floor)
    disputed = wrong_tests(series, {index: reply.status == "holds" for index, reply in said.items()})
    return wrong_tests(series, firm_verdicts(assembly, wrenches, disputed))


def _agree(answer: Reply, right: LoadLimit | Reply, gap: float, floor: float) -> bool:
    if not np.isfinite(right.value):
        return answer.status in (right.status, "undecided")
    size = max(abs(right.value), abs(right.upper_bound))
    slack = gap * (size + floor) + BAND * size
    not_above = answer.value <= right.upper_bound + slack
    not_below = answer.upper_bound >= right.value - slack
    if answer.status == "undecided":
        return not_above and not_below
    return answer.status == "optimal" and not_above and answer.value >= right.value - slack


# Table I measured: our method on every query, other methods on as many as their time allows.

#: Name of our method in tables.
OURS = "Exact"

#: Kinds of queries, and their numbers.
KINDS = {"test": TESTS, "limit": LIMITS}

#: The paper's algorithm with its solver and with HiGHS, its big-M program, the disjunctive program over vertices.
RIVALS = ("Paper, CVXOPT", "Paper, HiGHS", "BigM, SCIP", "BigM, HiGHS", "HullMilp, HiGHS")

#: One of each: the paper's method, the method it was compared with, and the best of the mixed-integer programs.
FEW_RIVALS = ("Paper, CVXOPT", "BigM, SCIP", "HullMilp, HiGHS")


@dataclass(frozen=True)
class Settings:
    """Settings of the study.

    Attributes:
        rows: names of rows.
        rivals: names of rivals.
        queries: largest number of queries per kind and row; None for all of the paper's.
        cap: wall time limit of another method for one query [s].
        budget: wall time limit of another method for all queries of a kind on a row [s]; its last query is finished.
        repeats: number of runs of each of our queries; the median is used.
        verify: whether each of our proofs is checked, not timed.
        seed: random seed of the choice and order of queries.
        corners: whether the corners of a unit choose their pieces independently, as in the paper, or share one.
    """

    rows: tuple[str, ...]
    rivals: tuple[str, ...]
    queries: int | None
    cap: float
    budget: float
    repeats: int
    verify: bool
    seed: int
    corners: Corners = "independent"


@dataclass(frozen=True, eq=False)
class TableRow:
    """The results of one row.

    Attributes:
        name: device and condition.
        units, contacts, constraint_rows: its size: units that touch, contact points k, rows m.
        ours: our series by kind.
        rivals: series of the other methods, in order.
        wrong: (method, kind) to the queries on which another method contradicts a proven result.
    """

    name: str
    units: int
    contacts: int
    constraint_rows: int
    ours: dict[str, Series]
    rivals: tuple[Series, ...]
    wrong: dict[tuple[str, str], list[int]]

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        wrong = [{"method": m, "kind": k, "queries": queries} for (m, k), queries in self.wrong.items() if queries]
        return {
            "name": self.name,
            "units": self.units,
            "contacts": self.contacts,
            "constraint_rows": self.constraint_rows,
            "series": [series.to_dict() for series in (*self.ours.values(), *self.rivals)],
            "contradictions": wrong,
        }


@dataclass(frozen=True, eq=False)
class TableOne:
    """Table I as measured.

    Times are CPU times of the process with all its threads, so that other programs on the machine
    increase them little; caps and budgets are wall times, the only ones that the other methods support.

    Attributes:
        rows: in the order of the paper.
        settings: the settings of the study.
        metadata: date, versions and hardware of the times.
    """

    rows: tuple[TableRow, ...]
    settings: Settings
    metadata: dict[str, Any]

    @property
    def our_seconds(self) -> float:
        """CPU time of all our queries together, one run [s]."""
        return sum(sum(series.seconds) for row in self.rows for series in row.ours.values())

    @property
    def busy(self) -> float:
        """CPU time divided by wall time of all queries: well below 1 if other programs shared the core."""
        replies = [r for row in self.rows for s in (*row.ours.values(), *row.rivals) for r in s.replies]
        wall = sum(reply.wall for reply in replies)
        return sum(reply.cpu for reply in replies) / wall if wall else 1.0

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "settings": asdict(self.settings),
            **self.metadata,
            "our_seconds": self.our_seconds,
            "cpu_over_wall": self.busy,
            "rows": [row.to_dict() for row in self.rows],
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
    corners: Corners = "independent",
    journal: str | Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> TableOne:
    """Times of equilibrium tests and load limits on the paper's nine devices (IV.E, Table I).

    Our method runs every query: 72 tests of the object's weight for rotated gravity, 135 load limits along forces
    through its centre of mass, with a gap of 1e-6. Another method runs the same queries in a random order until its
    `budget` is used, and stops a query after `cap`. Where another method and ours differ, our proof is checked.

    With a `journal` a long run can be resumed. Its results are times, so that another run of the same study differs; it
    belongs to this machine and these versions, and is refused on others.

    Args:
        rows: names as in `rows.ROWS`, or devices ("2FG"); None for all nine.
        rivals: names of RIVALS; one that is not installed is marked in its series.
        queries: largest number of queries per kind and row; None for all.
        cap: time limit of another method for one query [s].
        budget: time limit of another method for all queries of one kind on one row [s]; at least one query is run.
        repeats: number of runs of each of our queries; the median is used.
        verify: check each of our proofs, not timed: about two minutes for all rows.
        seed: random seed of the choice and order of queries.
        corners: "independent" for corners of a unit that choose their own pieces, as in the paper, "shared" for one.
        journal: file for saving and resuming.
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
        seed=checks.seed(seed),
        corners=corners,
    )
    here = machine.metadata()
    task = _TableTask(settings)
    key = sweeps.fingerprint("table one", asdict(settings), here["versions"], here["hardware"])
    found = sweeps.sweep(task, task.queries(), journal=journal, key=key, progress=progress)
    return TableOne(task.assembled([Series.from_dict(result) for result in found]), settings, here)


class _TableTask:
    """Runs all queries of one kind on one row with one method."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._rivals = {rival.name: rival for rival in rivals(settings.cap)}
        self._row = functools.cache(functools.partial(device_row, corners=settings.corners))

    def queries(self) -> list[dict[str, str]]:
        """Ours on all rows first, so that a stopped run has them."""
        return [
            {"row": row, "method": name, "kind": kind}
            for names in ((OURS,), self.settings.rivals)
            for row, name, kind in itertools.product(self.settings.rows, names, KINDS)
        ]

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
        return series.to_dict()

    def assembled(self, found: Sequence[Series]) -> tuple[TableRow, ...]:
        """The table's rows, with the other methods judged; the series in the order of `queries`."""
        pairs = list(zip(self.queries(), found, strict=True))
        rows = []
        for name in self.settings.rows:
            of_row = [series for query, series in pairs if query["row"] == name]
            ours = {series.kind: series for series in of_row if series.method == OURS}
            others = tuple(series for series in of_row if series.method != OURS)
            wrong = {
                (s.method, s.kind): contradictions(
                    self._rivals[s.method], s, ours[s.kind], self._questions(name, s.kind)
                )
                for s in others
            }
            row = self._row(name)
            rows.append(TableRow(name, row.units, row.contacts, row.constraint_rows, ours, others, wrong))
        return tuple(rows)

    def _questions(self, row: str, kind: str) -> Questions:
        device = self._row(row)
        return Questions(kind, [device.assembly], device.forces() if kind == "limit" else device.weights())


# The paper's observations on Table I (IV.E), computed in the same way from its printed numbers and from measured ones.

#: The paper's algorithm as its authors ran it, and the method it was compared with.
PAPER, SCIP = "Paper, CVXOPT", "BigM, SCIP"


@dataclass(frozen=True)
class Column:
    """Averages and worst times of one source, by row; unknown ones are left out.

    Attributes:
        contacts: contact points.
        tests, limits: times of the method that the table is about.
        programs: its convex programs per load limit.
        paper, scip: times of tests by the paper's algorithm and by big-M on SCIP.
        cap: seconds after which SCIP was stopped.
    """

    contacts: Mapping[str, int]
    tests: Mapping[str, MeanRange]
    limits: Mapping[str, MeanRange]
    programs: Mapping[str, MeanRange]
    paper: Mapping[str, MeanRange]
    scip: Mapping[str, MeanRange]
    cap: float

    def cells(self) -> list[str]:
        """One text per observation, in the order of OBSERVED."""
        both = sorted(self.tests.keys() & self.limits.keys())
        rivals = sorted(self.paper.keys() & self.scip.keys())
        capped = sum(cell.capped for cell in self.scip.values())
        return [
            self._growth(self.tests),
            self._growth(self.limits),
            _between([cell.most / cell.mean for cell in self.tests.values()]),
            _between([cell.most / cell.mean for cell in self.limits.values()]),
            _between([self.limits[name].mean / self.tests[name].mean for name in both]),
            _between([cell.mean for cell in self.programs.values()]),
            _between([self.scip[name].mean / self.paper[name].mean for name in rivals]),
            f"{capped} of {len(self.scip)}, cap {duration(self.cap)}" if self.scip else "-",
        ]

    def _growth(self, cells: Mapping[str, MeanRange]) -> str:
        """Mean time of the rows with most contacts over that of the rows with fewest."""
        sizes = sorted({self.contacts[name] for name in cells})
        if len(sizes) < 2:
            return "-"
        few, many = ([c.mean for name, c in cells.items() if self.contacts[name] == k] for k in (sizes[0], sizes[-1]))
        return f"{sum(many) / len(many) / (sum(few) / len(few)):.2g} times (k = {sizes[0]} to {sizes[-1]})"


OBSERVED = (
    "growth of an average test with contacts",
    "growth of an average load limit with contacts",
    "worst over average, tests",
    "worst over average, load limits",
    "load limit over test, averages",
    "convex programs per load limit, average",
    "big-M on SCIP over the paper's algorithm, average tests",
    "rows on which SCIP reached its cap in tests",
)


def trends_table(found: TableOne) -> TextTable:
    """The paper's observations, from its printed numbers and from the measurement; ranges are over rows."""
    header = ("observation", "paper, printed", "measured here")
    cells = [list(line) for line in zip(OBSERVED, printed().cells(), measured(found).cells(), strict=True)]
    note = (
        "Ranges are over the rows, from the smallest to the largest value. Measured: times, programs and growth are "
        "ours; SCIP and the paper's algorithm are those of the tables of other methods, on the queries that each was "
        "given."
    )
    return TextTable("Trends", header, cells, note)


def printed() -> Column:
    """The paper's own numbers."""
    named = {field: {name: getattr(row, field) for name, row in TABLE_ONE.items()} for field in _PRINTED_FIELDS}
    return Column(**named, paper=named["tests"], cap=PAPER_CAP)


_PRINTED_FIELDS = ("contacts", "tests", "limits", "programs", "scip")


def measured(found: TableOne) -> Column:
    """The numbers measured here."""

    def known(spreads: Mapping[str, MeanRange | None]) -> dict[str, MeanRange]:
        return {name: spread for name, spread in spreads.items() if spread is not None}

    def rival(method: str) -> dict[str, MeanRange]:
        series = {row.name: s for row in found.rows for s in row.rivals if (s.method, s.kind) == (method, "test")}
        return known({name: s.times for name, s in series.items()})

    return Column(
        contacts={row.name: row.contacts for row in found.rows},
        tests=known({row.name: row.ours["test"].times for row in found.rows}),
        limits=known({row.name: row.ours["limit"].times for row in found.rows}),
        programs=known({row.name: MeanRange.of([r.programs for r in row.ours["limit"].replies]) for row in found.rows}),
        paper=rival(PAPER),
        scip=rival(SCIP),
        cap=found.settings.cap,
    )


def _between(values: Sequence[float]) -> str:
    """The smallest and the largest, with two digits."""
    if not values:
        return "-"
    least, most = (f"{round(value):,}" if value >= 10 else f"{value:.2g}" for value in (min(values), max(values)))
    return least if least == most else f"{least} to {most}"


# Table I as text: with the paper's printed numbers, with other methods, and as single numbers for programs.

TITLES = {
    "test": f"Other methods: equilibrium tests ({KINDS['test']} gravity directions)",
    "limit": f"Other methods: load limits ({KINDS['limit']} forces through the centre of mass)",
}

#: Below this fraction of a core, other programs shared it.
SHARED = 0.95


def ours_table(found: TableOne) -> TextTable:
    """Our method: size of each row, times and convex programs of both kinds of queries."""
    header = ("row", "units", "points", "tests, avg [min, max]", "programs", "limits, avg [min, max]", "programs")
    cells = [
        [row.name, str(row.units), str(row.contacts)]
        + [cell for series in row.ours.values() for cell in (time_span(series), program_span(series))]
        for row in found.rows
    ]
    asked = sum(len(series.replies) for row in found.rows for series in row.ours.values())
    note = (
        f"CPU time per query, to a gap of 1e-6, without warm starts; all {asked} queries in "
        f"{duration(found.our_seconds)}. programs: convex programs solved per query."
    )
    return TextTable("Times of the exact method (Table I)", header, cells, note)


def corners_table(independent: TableOne, shared: TableOne) -> TextTable:
    """Load limits and times of the devices when the corners of a unit share one piece of its volume.

    Args:
        independent: Table I with corners that choose their own pieces, as in the paper.
        shared: the same rows and queries with corners that share one.
    """
    down = np.array([0.0, 0.0, -1.0, 0.0, 0.0, 0.0])
    cells = []
    for free, tied in zip(independent.rows, shared.rows, strict=True):
        pulls = [load_limit(device_row(free.name, c).assembly, down).value for c in ("independent", "shared")]
        pairs = zip(free.ours["limit"].replies, tied.ours["limit"].replies, strict=True)
        kept = sorted(b.value / a.value for a, b in pairs if a.decided and b.decided and 0.0 < a.value < math.inf)
        times_ = [time_span(row.ours[kind]) for kind in ("test", "limit") for row in (free, tied)]
        ratios = [f"{100.0 * kept[at]:.0f} %" for at in (0, len(kept) // 2)]
        cells.append([free.name, *(f"{pull:.3g}" for pull in pulls), *ratios, *times_])
    header = ("row", "pull, indep. [N]", "shared [N]", "smallest limit", "median limit")
    kinds = ("tests, independent", "tests, shared", "limits, independent", "limits, shared")
    note = (
        "pull: the load limit straight away from the device. smallest, median limit: ratio to the paper's limits "
        "over its directions when the corners of a unit share one piece. Times: CPU time per query, avg [min, max]."
    )
    return TextTable("Independent corners and shared ones", (*header, *kinds), cells, note)


def beside_table(found: TableOne) -> TextTable:
    """Our times and those that the paper printed for its own algorithm."""
    columns: dict[str, Callable[[TableRow], Any]] = {
        "row": lambda row: row.name,
        "contacts": lambda row: row.contacts,
        "tests: ours": lambda row: time_span(row.ours["test"]),
        "tests: paper": lambda row: TABLE_ONE[row.name].tests.times(),
        "limits: ours": lambda row: time_span(row.ours["limit"]),
        "limits: paper": lambda row: TABLE_ONE[row.name].limits.times(),
        "programs/limit: ours": lambda row: program_span(row.ours["limit"]),
        "paper": lambda row: TABLE_ONE[row.name].programs.counts(),
    }
    return TextTable.of("Ours and the paper's printed numbers: avg [min, max]", columns, found.rows)


def scip_table(found: TableOne) -> TextTable:
    """The big-M program on SCIP, in the paper and here."""
    header = ("row", "contacts", "BigM on SCIP, tests", "decided", "paper's SCIP 3.2.1, tests")
    cells = [
        [row.name, str(row.contacts), time_span(s), _counts(s), TABLE_ONE[row.name].scip.times()]
        for row in found.rows
        for s in row.rivals
        if (s.method, s.kind) == (SCIP, "test")
    ]
    return TextTable("The big-M program on SCIP, here and in the paper", header, cells)


def rival_table(found: TableOne, kind: str) -> TextTable:
    """Every other method on every row, compared with ours on the same queries."""
    cells = [
        [row.name, series.method, *_rival_cells(series, row)]
        for row in found.rows
        for series in row.rivals
        if series.kind == kind
    ]
    header = ("row", "method", "decided", "avg [min, max]", "programs", "ratio", "on its worst", "wrong")
    note = (
        f"Cap {duration(found.settings.cap)} per query, budget {duration(found.settings.budget)} per row and method, "
        "in wall-clock time; the listed times are CPU times. decided: queries decided of the queries given. '+': "
        "stopped at the cap. ratio: its time over ours, summed over the queries it was given; 'on its worst': on the "
        "query that took it longest; '>=': some queries were stopped. wrong: answers that contradict a proven one."
    )
    if kind == "limit":
        note += " Limits to a gap of 1e-6; those of the paper's algorithm to 1e-3 (1 + v)."
    return TextTable(TITLES[kind], header, cells, note)


def tables(found: TableOne) -> list[TextTable]:
    """The tables for a terminal."""
    return [ours_table(found), *(rival_table(found, kind) for kind in KINDS if found.settings.rivals)]


def markdown(found: TableOne, level: int = 3) -> str:
    """All tables, with their conditions, in Markdown; headings of this level."""
    shown = [ours_table(found), beside_table(found), trends_table(found)]
    if found.settings.rivals:
        shown += [rival_table(found, kind) for kind in KINDS]
    if SCIP in found.settings.rivals:
        shown.append(scip_table(found))
    return "\n\n".join([*(table.markdown(level) for table in shown), conditions(found)]) + "\n"


def conditions(found: TableOne) -> str:
    """Where and how the numbers were measured, in Markdown."""
    settings = found.settings
    part = "all queries" if settings.queries is None else f"at most {settings.queries} queries of a kind and row"
    often = "once" if settings.repeats == 1 else f"{settings.repeats} times (the median is listed)"
    shared = (
        ""
        if found.busy > SHARED
        else "; other programs used the machine at the same time, so the times may be too long"
    )
    lines = [
        f"Measured {found.metadata['date'][:10]}: {part}, each of ours solved {often}, seed {settings.seed}; "
        f"CPU time was {found.busy:.0%} of the wall time{shared}.",
        *machine.described(found.metadata).splitlines(),
    ]
    if settings.verify:
        series = [s for row in found.rows for s in row.ours.values()]
        count, proved = sum(len(s.replies) for s in series), sum(s.proved for s in series)
        lines.insert(1, f"Verified proofs of ours: {proved} of {count}.")
    return "\n\n".join(lines)


#: Columns of the CSV file: times in seconds, empty where there are none.
NUMBERS = (
    "row", "units", "contacts", "method", "kind", "possible", "asked", "decided", "capped", "cap_s", "avg_s",
    "min_s", "max_s", "programs_avg", "programs_min", "programs_max", "ratio", "ratio_on_its_worst",
    "ratio_is_lower_bound", "contradictions", "fault",
)  # fmt: skip


def numbers_table(found: TableOne) -> TextTable:
    """One line per row, method and kind, including the printed ones, for CSV."""
    lines: list[dict[str, Any]] = []
    for row in found.rows:
        size = {"row": row.name, "units": row.units, "contacts": row.contacts}
        lines += [size | _numbers(series, row) for series in (*row.ours.values(), *row.rivals)]
        printed = TABLE_ONE[row.name]
        for method, kind, times_, programs in (
            ("printed: the paper's algorithm", "test", printed.tests, None),
            ("printed: the paper's algorithm", "limit", printed.limits, printed.programs),
            ("printed: big-M on SCIP 3.2.1", "test", printed.scip, None),
        ):
            asked = {"method": method, "kind": kind, "possible": KINDS[kind], "asked": KINDS[kind]}
            cap = {"cap_s": f"{times_.most:g}" if times_.capped else ""}
            lines.append(size | asked | cap | _spread_cells(times_, programs))
    return TextTable("Table I", NUMBERS, [[str(line.get(name, "")) for name in NUMBERS] for line in lines])


def _numbers(series: Series, row: TableRow) -> dict[str, Any]:
    """The cells of one measured series."""
    ours = row.ours[series.kind]
    cells: dict[str, Any] = {
        "method": series.method,
        "kind": series.kind,
        "possible": series.possible,
        "asked": len(series.replies),
        "decided": series.decided,
        "capped": series.capped,
        "cap_s": f"{series.cap:g}" if math.isfinite(series.cap) else "",
        "fault": series.fault,
    } | _spread_cells(MeanRange.of(series.seconds), series.programs)
    if series is ours:
        return cells
    cells["contradictions"] = len(row.wrong[series.method, series.kind])
    compared = ratio(series, ours)
    if compared is not None:
        cells |= {"ratio": f"{compared.mean:g}", "ratio_on_its_worst": f"{compared.worst:g}"}
        cells["ratio_is_lower_bound"] = str(compared.at_least).lower()
    return cells


def _spread_cells(times_: MeanRange | None, programs: MeanRange | None) -> dict[str, str]:
    cells: dict[str, str] = {}
    for pattern, spread in (("{}_s", times_), ("programs_{}", programs)):
        if spread is not None:
            named = {"avg": spread.mean, "min": spread.least, "max": spread.most}
            cells |= {pattern.format(name): f"{value:g}" for name, value in named.items()}
    return cells


def time_span(series: Series) -> str:
    """'avg [min, max]' of a series' times; '+' for stopped queries, as the paper writes '5m+'."""
    return series.fault or "-" if series.times is None else series.times.times()


def program_span(series: Series) -> str:
    """'avg [min, max]' of the convex programs of a series; '-' for methods that do not solve a sequence of programs."""
    return "-" if series.programs is None else series.programs.counts()


def _counts(series: Series) -> str:
    return f"{series.decided} / {len(series.replies)}"


def _rival_cells(series: Series, row: TableRow) -> list[str]:
    if not series.replies:
        return [_counts(series), series.fault or "not run", "-", "-", "-", "-"]
    compared = ratio(series, row.ours[series.kind])
    ratios = ["-", "-"]
    if compared is not None:
        ratios = [times(value, at_least=compared.at_least) for value in (compared.mean, compared.worst)]
    wrong = str(len(row.wrong[series.method, series.kind]))
    return [_counts(series), time_span(series), program_span(series), *ratios, wrong]

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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

import holdfast as hf
from holdfast import devices
from holdfast.assembly import loads
from holdfast.errors import MissingDependencyError, SolverError, UnknownNameError
from holdfast.solvers import BigM, Bracket, Exact, Hull, HullMilp, PaperBranchAndBound, Reference
from holdfast.statics import Equilibrium, LoadLimit, Method
from studies.tables import TextTable, described, duration, keep, metadata, parsed, parser, times

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
    def assembly(self) -> hf.Assembly:
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

    def weights(self, n: int = TESTS, *, sphere: bool = False) -> np.ndarray:
        """(n, 6) the object's weight under gravity rotated evenly through a circle, or over a sphere."""
        ways = loads.sphere_directions(n) if sphere else loads.circle_directions(n)
        return np.array([self.device.weight(g) for g in loads.STANDARD_GRAVITY * ways])

    def forces(self, n: int = LIMITS, *, sphere: bool = True) -> np.ndarray:
        """(n, 6) unit forces through the object's centre of mass, over a sphere or in the plane of the fingers."""
        ways = loads.sphere_directions(n) if sphere else loads.circle_directions(n)
        return np.array([loads.gravity_wrench(1.0, f, self.device.object.com) for f in ways])


def device_row(name: str, corners: Literal["shared", "independent"] = "independent") -> DeviceRow:
    """The row of that name; `corners` as in `Patch`."""
    if name not in ROWS:
        raise UnknownNameError("row", name, ROWS, where="rows")
    device, _, condition = name.partition(" ")
    if device == "2OU":
        return DeviceRow(name, devices.two_opposed_units(corners=corners))
    if device == "2FG":
        return DeviceRow(name, devices.two_finger_gripper(*condition.split("-"), corners=corners))
    return DeviceRow(name, devices.four_finger_hand(condition, corners=corners))


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
    assemblies: Sequence[hf.Assembly]
    wrenches: np.ndarray

    def __len__(self) -> int:
        return len(self.wrenches)

    def put(self, index: int, method: Method) -> Answer:
        """Run one query with one method."""
        assembly = self.assemblies[index if len(self.assemblies) > 1 else 0]
        question = hf.load_limit if self.kind == "limit" else hf.equilibrium
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
        hf.equilibrium(questions.assemblies[0], EASY * questions.wrenches[chosen[0]], method=method)
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


def firm_verdicts(assembly: hf.Assembly, wrenches: np.ndarray, chosen: Sequence[int]) -> dict[int, bool]:
    """Whether the load holds, for each chosen one whose verdict is proven and the same within BAND of it."""
    solver, firm = hf.Solver(assembly), {}
    for index in chosen:
        answers = [solver.equilibrium(share * wrenches[index]) for share in (1.0 - BAND, 1.0, 1.0 + BAND)]
        if all(answer.verify() for answer in answers) and len({answer.holds for answer in answers}) == 1:
            firm[index] = answers[0].holds
    return firm


def proven_limits(assembly: hf.Assembly, directions: np.ndarray, chosen: Sequence[int]) -> dict[int, LoadLimit]:
    """The load limits of the chosen directions whose proofs are verified."""
    found = {index: hf.load_limit(assembly, directions[index], method=Exact(gap=GAP)) for index in chosen}
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


# The hardest loads: just within and just beyond the load limit.

#: Loads beside the limit, as shares of it, and how closely that limit is known.
BORDERS, BORDER_GAP = (1.0 - 3e-3, 1.0 + 3e-3, 1.0 - 1e-6, 1.0 + 1e-6), 1e-9


def borders(assembly: hf.Assembly, directions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Loads (n, 6) at BORDERS of the limit along each direction, and whether each holds (n,).

    A load within the limit is a share of the attained value, one beyond it a multiple of the proven bound. Where
    smaller loads hold whenever larger ones do, the verdicts are thereby known; elsewhere (a spring that presses
    without a load) the reference method must prove that the load within holds.
    """
    wrenches, holds = [], []
    for direction in directions:
        limit = hf.load_limit(assembly, direction, method=Exact(gap=BORDER_GAP))
        if limit.status != "optimal" or not limit.value > 0.0 or not limit.verify():
            continue
        for share in BORDERS:
            within = share < 1.0
            wrench = share * (limit.value if within else limit.upper_bound) * direction
            if within and not limit.problem.is_star_shaped:
                answer = hf.equilibrium(assembly, wrench, method=Reference())
                if not (answer.holds and answer.verify()):
                    continue
            wrenches.append(wrench)
            holds.append(within)
    return np.array(wrenches).reshape(-1, 6), np.array(holds, dtype=bool)


# Table I measured: our method on every query, other methods on as many as their time allows.

#: Name of our method in tables; the paper's algorithm as its authors ran it, and the method it was compared with.
OURS, PAPER, SCIP = "Exact", "Paper, CVXOPT", "BigM, SCIP"

#: Kinds of queries, and their numbers.
KINDS = {"test": TESTS, "limit": LIMITS}

#: The paper's algorithm with its solver and with HiGHS, its big-M program, the disjunctive program over vertices.
RIVALS = (PAPER, "Paper, HiGHS", SCIP, "BigM, HiGHS", "HullMilp, HiGHS")

#: One of each: the paper's method, the method it was compared with, and the best of the mixed-integer programs.
FEW_RIVALS = (PAPER, SCIP, "HullMilp, HiGHS")

#: Random seed of the choice and order of queries.
SEED = 2018


@dataclass(frozen=True, eq=False)
class TableRow:
    """The results of one row.

    Attributes:
        device: device and condition.
        ours: our series by kind.
        rivals: series of the other methods, in order.
        wrong: (method, kind) to the queries on which another method contradicts a proven result.
    """

    device: DeviceRow
    ours: dict[str, Series]
    rivals: tuple[Series, ...] = ()
    wrong: Mapping[tuple[str, str], list[int]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Device and condition."""
        return self.device.name

    @property
    def contacts(self) -> int:
        """k."""
        return self.device.contacts


@dataclass(frozen=True, eq=False)
class TableOne:
    """Table I as measured.

    Times are CPU times of the process with all its threads, so that other programs on the machine increase them little;
    caps and budgets are wall times, the only ones that the other methods support.

    Attributes:
        rows: in the order of the paper.
        cap, budget: wall time limits of another method, for one query and for all queries of a kind on a row [s].
    """

    rows: tuple[TableRow, ...]
    cap: float
    budget: float

    @property
    def our_seconds(self) -> float:
        """CPU time of all our queries together, one run [s]."""
        return sum(sum(series.seconds) for row in self.rows for series in row.ours.values())


def measure(
    rows: Sequence[str] | None = None,
    others: Sequence[str] = (),
    *,
    queries: int | None = None,
    cap: float = 2.0,
    budget: float = 2.0,
    repeats: int = 1,
    verify: bool = False,
    corners: Literal["shared", "independent"] = "independent",
) -> TableOne:
    """Times of equilibrium tests and load limits on the paper's nine devices (IV.E, Table I).

    Our method runs every query: 72 tests of the object's weight for rotated gravity, 135 load limits along forces
    through its centre of mass, with a gap of 1e-6. Another method runs the same queries in a random order until its
    `budget` is used, and stops a query after `cap`. Where another method and ours differ, our proof is checked.

    Args:
        rows: names as in `ROWS`, or devices ("2FG"); None for all nine.
        others: names of RIVALS; one that is not installed is marked in its series.
        queries: largest number of queries per kind and row; None for all.
        cap: time limit of another method for one query [s].
        budget: time limit of another method for all queries of one kind on one row [s]; at least one query is run.
        repeats: number of runs of each of our queries; the median is used.
        verify: check each of our proofs, not timed: about two minutes for all rows.
        corners: "independent" for corners of a unit that choose their own pieces, as in the paper, "shared" for one.
    """
    methods = {rival.name: rival for rival in rivals(cap)}
    found = []
    for device in (device_row(name, corners) for name in chosen_rows(rows)):
        asked = {
            "test": Questions("test", [device.assembly], device.weights()),
            "limit": Questions("limit", [device.assembly], device.forces()),
        }
        row = TableRow(device, {})
        chosen = {kind: sample(range(most), most if queries is None else queries, SEED) for kind, most in KINDS.items()}
        for kind, questions in asked.items():
            series = Series(OURS, kind, len(questions), clock="cpu")
            row.ours[kind] = ask(series, Exact(gap=GAP), questions, chosen[kind], repeats=repeats, verify=verify)
        theirs, wrong = [], {}
        for name, (kind, questions) in itertools.product(others, asked.items()):
            series = Series(name, kind, len(questions), cap=cap, clock="cpu")
            theirs.append(ask_slow(series, methods[name].method, questions, shuffled(chosen[kind], SEED + 1), budget))
            wrong[name, kind] = contradictions(methods[name], series, row.ours[kind], questions)
        found.append(replace(row, rivals=tuple(theirs), wrong=wrong))
    return TableOne(tuple(found), cap, budget)


# Our method in other ways: at the border, with warm starts, many queries at once.

#: Degrees between neighbouring queries of a warm sequence; queries of a batch; directions whose borders are asked.
STEP, BATCH, BORDER_DIRECTIONS = 0.5, 10_000, 24


def other_uses(device: DeviceRow, *, share: float = 1.0) -> list[str]:
    """Times at the border, of warm tests and of batches, and wrong answers, by a `share` of the queries."""
    assembly, method = device.assembly, Exact(gap=GAP)
    near, holds = borders(assembly, device.forces()[sample(range(LIMITS), math.ceil(share * BORDER_DIRECTIONS), SEED)])
    border = ask(Series(OURS, "test", len(near)), method, Questions("test", [assembly], near), range(len(near)))
    wrong = sum((reply.status == "holds") != right for reply, right in zip(border.replies, holds, strict=True))
    warm = hf.Solver(assembly, method)
    circle = device.weights(math.ceil(share * 360.0 / STEP))
    passed = [timed(functools.partial(warm.equilibrium, wrench))[:2] for wrench in circle]
    differ = sum(
        answer.status != hf.equilibrium(assembly, w).status for (answer, _), w in zip(passed, circle, strict=True)
    )
    paces = []
    count = math.ceil(share * BATCH)
    for many, asked in (
        (warm.equilibrium_many, device.weights(count, sphere=True)),
        (warm.load_limit_many, device.forces(count)),
    ):
        many(asked[:4])
        began = time.perf_counter()
        many(asked)
        paces.append(f"{count / (time.perf_counter() - began):,.0f}/s")
    mean, worst = float(np.mean(border.seconds)), max(border.seconds)
    step = duration(float(np.mean([seconds for _, seconds in passed[1:]])))
    return [f"{duration(mean)} / {duration(worst)}", f"{wrong} of {len(near)}", step, str(differ), *paces]


def other_table(rows: Sequence[DeviceRow], *, share: float = 1.0) -> TextTable:
    """Tests at the border, warm starts and batches."""
    header = (
        "row",
        "border, mean / worst",
        "wrong",
        "warm, 0.5 deg",
        "differ from cold",
        "tests at once",
        "limits at once",
    )
    note = (
        f"Wall times. Border: loads at 1 +- 3e-3 and 1 +- 1e-6 of limits known to {BORDER_GAP:g}. Warm: one solver for "
        f"neighbouring loads. At once: {math.ceil(share * BATCH):,} queries on all cores."
    )
    return TextTable(
        "Border, warm starts, batches", header, [[row.name, *other_uses(row, share=share)] for row in rows], note
    )


# The paper's observations on Table I (IV.E), computed in the same way from its printed numbers and from measured ones.

Spans = Mapping[str, MeanRange]


def observations(
    contacts: Mapping[str, int], tests: Spans, limits: Spans, programs: Spans, paper: Spans, scip: Spans, cap: float
) -> dict[str, str]:
    """What can be read from a Table I; arguments by row, unknown ones left out.

    Args:
        contacts: contact points.
        tests, limits: times of the method that the table is about.
        programs: its convex programs per load limit.
        paper, scip: times of tests by the paper's algorithm and by big-M on SCIP.
        cap: seconds after which SCIP was stopped.
    """

    def growth(cells: Spans) -> str:
        sizes = sorted({contacts[name] for name in cells})
        if len(sizes) < 2:
            return "-"
        few, many = (
            float(np.mean([c.mean for name, c in cells.items() if contacts[name] == k]))
            for k in sizes[:: len(sizes) - 1]
        )
        return f"{many / few:.2g} times (k = {sizes[0]} to {sizes[-1]})"

    def worst(cells: Spans) -> str:
        return _between([cell.most / cell.mean for cell in cells.values()])

    def over(more: Spans, less: Spans) -> str:
        return _between([more[name].mean / less[name].mean for name in sorted(more.keys() & less.keys())])

    capped = sum(cell.capped for cell in scip.values())
    return {
        "growth of an average test with contacts": growth(tests),
        "growth of an average load limit with contacts": growth(limits),
        "worst over average, tests": worst(tests),
        "worst over average, load limits": worst(limits),
        "load limit over test, averages": over(limits, tests),
        "convex programs per load limit, average": _between([cell.mean for cell in programs.values()]),
        "big-M on SCIP over the paper's algorithm, average tests": over(scip, paper),
        "rows on which SCIP reached its cap in tests": f"{capped} of {len(scip)}, cap {duration(cap)}" if scip else "-",
    }


def printed() -> dict[str, str]:
    """The observations from the paper's own numbers."""
    columns = [
        {name: getattr(row, word) for name, row in TABLE_ONE.items()}
        for word in ("contacts", "tests", "limits", "programs", "tests", "scip")
    ]
    return observations(*columns, cap=PAPER_CAP)


def measured(found: TableOne) -> dict[str, str]:
    """The observations from what was measured here."""

    def known(spreads: Mapping[str, MeanRange | None]) -> dict[str, MeanRange]:
        return {name: spread for name, spread in spreads.items() if spread is not None}

    def rival(method: str) -> dict[str, MeanRange]:
        series = {row.name: s for row in found.rows for s in row.rivals if (s.method, s.kind) == (method, "test")}
        return known({name: s.times for name, s in series.items()})

    return observations(
        {row.name: row.contacts for row in found.rows},
        known({row.name: row.ours["test"].times for row in found.rows}),
        known({row.name: row.ours["limit"].times for row in found.rows}),
        known({row.name: row.ours["limit"].programs for row in found.rows}),
        rival(PAPER),
        rival(SCIP),
        found.cap,
    )


def _between(values: Sequence[float]) -> str:
    """The smallest and the largest, with two digits."""
    if not values:
        return "-"
    least, most = (f"{round(value):,}" if value >= 10 else f"{value:.2g}" for value in (min(values), max(values)))
    return least if least == most else f"{least} to {most}"


# Table I as text: with the paper's printed numbers, with other methods, with shared corners.


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
    asked = sum(len(series.replies) for row in found.rows for series in row.ours.values())
    note = (
        f"CPU time per query, avg [min, max], to a gap of 1e-6, without warm starts; all {asked} queries of ours in "
        f"{duration(found.our_seconds)}."
    )
    return TextTable.of("Ours and the paper's printed numbers (Table I)", columns, found.rows, note)


def trends_table(found: TableOne) -> TextTable:
    """The paper's observations, from its printed numbers and from the measurement; ranges are over rows."""
    ours = measured(found)
    cells = [(name, text, ours[name]) for name, text in printed().items()]
    return TextTable("Trends", ("observation", "paper, printed", "measured here"), cells, "Ranges are over the rows.")


def rival_table(found: TableOne) -> TextTable:
    """Every other method on every row, compared with ours on the same queries."""
    cells = [[row.name, s.kind, s.method, *_rival_cells(s, row)] for row in found.rows for s in row.rivals]
    header = ("row", "kind", "method", "decided", "avg [min, max]", "programs", "ratio", "on its worst", "wrong")
    note = (
        f"Cap {duration(found.cap)} per query, budget {duration(found.budget)} per row and method, in wall-clock time; "
        "the listed times are CPU times. decided: queries decided of the queries given. '+': stopped at the cap. "
        "ratio: its time over ours, summed over the queries it was given; 'on its worst': on the query that took it "
        "longest; '>=': some queries were stopped. wrong: answers that contradict a proven one. Limits to a gap of "
        "1e-6; those of the paper's algorithm to 1e-3 (1 + v)."
    )
    return TextTable("Other methods", header, cells, note)


def corners_table(independent: TableOne, shared: TableOne) -> TextTable:
    """Load limits and times of the devices when the corners of a unit share one piece of its volume.

    Args:
        independent: Table I with corners that choose their own pieces, as in the paper.
        shared: the same rows and queries with corners that share one.
    """
    cells = []
    for free, tied in zip(independent.rows, shared.rows, strict=True):
        pulls = [hf.load_limit(row.device.assembly, devices.PULL).value for row in (free, tied)]
        pairs = zip(free.ours["limit"].replies, tied.ours["limit"].replies, strict=True)
        kept = sorted(b.value / a.value for a, b in pairs if a.decided and b.decided and 0.0 < a.value < math.inf)
        spans = [time_span(row.ours[kind]) for kind in ("test", "limit") for row in (free, tied)]
        ratios = [f"{100.0 * kept[at]:.0f} %" for at in (0, len(kept) // 2)]
        cells.append([free.name, *(f"{pull:.3g}" for pull in pulls), *ratios, *spans])
    header = ("row", "pull, indep. [N]", "shared [N]", "smallest limit", "median limit")
    kinds = ("tests, independent", "tests, shared", "limits, independent", "limits, shared")
    note = (
        "pull: the load limit straight away from the device. smallest, median limit: ratio to the paper's limits "
        "over its directions when the corners of a unit share one piece. Times: CPU time per query, avg [min, max]."
    )
    return TextTable("Independent corners and shared ones", (*header, *kinds), cells, note)


def time_span(series: Series) -> str:
    """'avg [min, max]' of a series' times; '+' for stopped queries, as the paper writes '5m+'."""
    return series.fault or "-" if series.times is None else series.times.times()


def program_span(series: Series) -> str:
    """'avg [min, max]' of the convex programs of a series; '-' for methods that do not solve a sequence of programs."""
    return "-" if series.programs is None else series.programs.counts()


def _rival_cells(series: Series, row: TableRow) -> list[str]:
    counts = f"{series.decided} / {len(series.replies)}"
    if not series.replies:
        return [counts, series.fault or "not run", "-", "-", "-", "-"]
    compared = ratio(series, row.ours[series.kind])
    ratios = ["-", "-"]
    if compared is not None:
        ratios = [times(value, at_least=compared.at_least) for value in (compared.mean, compared.worst)]
    return [counts, time_span(series), program_span(series), *ratios, str(len(row.wrong[series.method, series.kind]))]


def main(words: Sequence[str] | None = None) -> None:
    """Measure Table I and save its tables; a quick run has one device and four queries of each kind."""
    options = parser(__doc__)
    options.add_argument("--rows", help="rows, separated by commas: 2OU, '2FG D-MD'; 2FG and 4FH mean all of theirs")
    options.add_argument("--rivals", choices=("none", "quick", "all"), default="quick", help="other methods")
    options.add_argument("--cap", type=float, default=5.0, help="seconds of another method for one query")
    options.add_argument("--budget", type=float, default=3.0, help="seconds of another method per row and kind")
    options.add_argument("--repeats", type=int, default=3, help="runs of each of our queries")
    options.add_argument("--verify", action="store_true", help="check each of our proofs: about two minutes")
    options.add_argument("--corners", action="store_true", help="also with corners that share one piece")
    options.add_argument("--more", action="store_true", help="also loads at the border, warm starts and batches")
    chosen = parsed(options, words)
    rows = ["2OU"] if chosen.quick else None if chosen.rows is None else chosen.rows.split(",")
    queries, repeats = (4, 1) if chosen.quick else (None, chosen.repeats)
    others = {"none": (), "quick": FEW_RIVALS, "all": RIVALS}[chosen.rivals]
    asked = functools.partial(measure, rows, queries=queries, repeats=repeats, verify=chosen.verify)
    found = asked(others, cap=chosen.cap, budget=chosen.budget)
    tables = {"table_one": beside_table(found), "table_one_trends": trends_table(found)}
    if others:
        tables["table_one_rivals"] = rival_table(found)
    if chosen.corners:
        tables["corners"] = corners_table(found, asked(corners="shared"))
    if chosen.more:
        tables["table_one_more"] = other_table([row.device for row in found.rows], share=0.01 if chosen.quick else 1.0)
    keep(Path(__file__), chosen.out, tables, {})
    print(described(metadata()))


if __name__ == "__main__":
    main()

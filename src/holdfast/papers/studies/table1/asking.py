"""Questions of one kind, put to a method by the clock."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from ....assembly.assembly import Assembly
from ....checks import Array
from ....errors import MissingDependencyError, SolverError
from ....statics.equilibrium import Equilibrium, LoadLimit, Method, equilibrium, load_limit

Answer = Equilibrium | LoadLimit
Clock = Literal["wall", "cpu"]

#: Share of a load that a method is warmed up with.
EASY = 1e-6

#: An open answer after at least this share of the time limit was stopped by it; methods check it between programs.
STOPPED = 0.95


@dataclass(frozen=True, eq=False)
class Questions:
    """Queries of one kind.

    Attributes:
        kind: "test", "border" or "limit".
        assemblies: one for all queries, or one a query.
        wrenches: (n, 6) loads, or directions of loads.
    """

    kind: str
    assemblies: Sequence[Assembly]
    wrenches: Array

    def __len__(self) -> int:
        return len(self.wrenches)

    def put(self, index: int, method: Method) -> Answer:
        """One query to one method."""
        assembly = self.assemblies[index if len(self.assemblies) > 1 else 0]
        question = load_limit if self.kind == "limit" else equilibrium
        return question(assembly, self.wrenches[index], method=method)


@dataclass(frozen=True)
class Reply:
    """What a method said to one query, and what that took.

    Attributes:
        index: of the query.
        wall, cpu: seconds by the clock on the wall, and of the process's time on any core.
        status: the answer's message; "failed" where the backend gave none.
        value, upper_bound: of a load limit, nan otherwise.
        programs, nodes: convex programs solved, sets of pieces examined.
        proved: whether the answer's own proof was checked and found right; None where it was not checked.
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
        """Whether it is a verdict."""
        return self.status not in ("failed", "undecided")


@dataclass
class Series:
    """What one method said to some of the queries of one kind.

    Attributes:
        method: how the tables call it.
        kind: of the questions.
        possible: how many queries there are.
        searches: whether it decides everything if it has the time, so that undecided means given up.
        cap: seconds it had for a query, inf for no limit.
        clock: which of a reply's times `seconds` are.
        fault: why it could not be asked, "" when it could.
        replies: what came back, in the order of asking.
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
        """Which queries were asked."""
        return [reply.index for reply in self.replies]

    @property
    def seconds(self) -> list[float]:
        """Time of each by the series' clock."""
        return [getattr(reply, self.clock) for reply in self.replies]

    @property
    def decided(self) -> int:
        """Number of answers that are verdicts."""
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
        """Number of answers whose own proof was checked and found right."""
        return sum(reply.proved is True for reply in self.replies)

    def data(self) -> dict[str, Any]:
        """As JSON values, column by column: infinities as text, nothing for what is not a number."""
        kept = {key: value for key, value in vars(self).items() if key != "replies"}
        columns = {name: [_plain(getattr(r, name)) for r in self.replies] for name in _COLUMNS}
        return {**kept, "cap": _plain(self.cap), "replies": columns}

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Series:
        """The series that `data()` describes."""
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


def _reply(index: int, answer: Answer, wall: float, cpu: float, verify: bool) -> Reply:
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
    """Put all chosen questions, each `repeats` times, to a fast method; `verify` checks each proof, off the clock.

    They are put once more beforehand (the first alone, where all share an assembly), so that imports, compilation and
    what the queries of an assembly share do not count.
    """
    for index in chosen[:1] if len(questions.assemblies) == 1 else chosen:
        questions.put(index, method)
    for index in chosen:
        answer, wall, cpu = timed(lambda i=index: questions.put(i, method), repeats)
        series.replies.append(_reply(index, answer, wall, cpu, verify))
    return series


def ask_slow(series: Series, method: Method, questions: Questions, chosen: Sequence[int], budget: float) -> Series:
    """Put the chosen questions to a slow method until they are done or have taken `budget` seconds; one at least.

    What its first query would pay for all is paid beforehand, by a test of a load that is next to nothing.
    """
    if not chosen:
        return series
    try:
        equilibrium(questions.assemblies[0], EASY * questions.wrenches[chosen[0]], method=method)
    except MissingDependencyError as error:
        series.fault = f"{error.package} is not installed"
        return series
    except SolverError:
        pass  # it may yet answer the questions themselves
    began = time.perf_counter()
    for index in chosen:
        if series.replies and time.perf_counter() - began > budget:
            break
        wall, cpu = time.perf_counter(), time.process_time()
        try:
            answer = questions.put(index, method)
        except SolverError:
            answer = None
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        series.replies.append(
            Reply(int(index), wall, cpu) if answer is None else _reply(index, answer, wall, cpu, verify=False)
        )
    return series


def sample(possible: Sequence[int] | range, n: int, seed: int) -> list[int]:
    """`n` of these indices, drawn by a seed, in their order; all of them when there are no more."""
    if n >= len(possible):
        return list(possible)
    return sorted(np.random.default_rng(seed).choice(possible, size=n, replace=False).tolist())


def shuffled(possible: Sequence[int], seed: int) -> list[int]:
    """These indices in an order drawn by a seed: whatever part of them is reached in time is a fair sample."""
    return np.random.default_rng(seed).permutation(possible).tolist()


@dataclass(frozen=True)
class Ratio:
    """How many times longer a rival took than ours did on the same queries.

    Attributes:
        mean: of the summed times.
        worst: on the query that took the rival longest.
        at_least: whether the rival gave up on some query, so that these are lower bounds.
    """

    mean: float
    worst: float
    at_least: bool


def ratio(rival: Series, ours: Series) -> Ratio | None:
    """The rival's times over ours, on the queries that both were asked; None without any."""
    own = dict(zip(ours.indices, ours.seconds, strict=True))
    pairs = [(s, own[i]) for i, s in zip(rival.indices, rival.seconds, strict=True) if i in own]
    if not pairs:
        return None
    slowest = max(pairs)
    theirs, mine = (sum(side) for side in zip(*pairs, strict=True))
    return Ratio(theirs / mine, slowest[0] / slowest[1], rival.gave_up)

"""Questions of one kind, put to a method by the clock."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import holdfast as hf
from benchmarks.measuring import clocked
from holdfast.errors import MissingDependencyError, SolverError
from holdfast.holding import Method

Answer = hf.Equilibrium | hf.LoadLimit

#: Share of a load that a method is warmed up with.
EASY = 1e-6


@dataclass(frozen=True, eq=False)
class Questions:
    """Queries of one kind.

    Attributes:
        kind: "test", "border" or "limit".
        assemblies: one for all queries, or one a query.
        wrenches: (n, 6) loads, or directions of loads.
    """

    kind: str
    assemblies: Sequence[hf.Assembly]
    wrenches: np.ndarray

    def __len__(self) -> int:
        return len(self.wrenches)

    def put(self, index: int, method: Method) -> Answer:
        """One query to one method."""
        assembly = self.assemblies[index if len(self.assemblies) > 1 else 0]
        question = hf.load_limit if self.kind == "limit" else hf.equilibrium
        return question(assembly, self.wrenches[index], method=method)


@dataclass
class Series:
    """What one method said to some of the queries of one kind.

    Attributes:
        method: how the tables call it.
        kind: of the questions.
        possible: how many queries there are.
        indices: which were asked.
        seconds: time of each.
        answers: what came back; None where the backend failed.
        fault: why it could not be asked, "" when it could.
        searches: whether it decides everything if it has the time, so that undecided means given up.
    """

    method: str
    kind: str
    possible: int
    searches: bool = True
    indices: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    answers: list[Answer | None] = field(default_factory=list)
    fault: str = ""

    @property
    def decided(self) -> int:
        """Number of answers that are verdicts."""
        return sum(answer is not None and answer.status != "undecided" for answer in self.answers)

    @property
    def proved(self) -> int:
        """Number of answers whose own proof was checked and found right."""
        return sum(answer is not None and answer.verify() for answer in self.answers)

    @property
    def effort(self) -> str:
        """Mean and most nodes of the answers."""
        nodes = [answer.effort.nodes for answer in self.answers if answer is not None]
        return f"{np.mean(nodes):.3g} / {max(nodes):,}" if nodes else "-"

    def data(self) -> dict[str, Any]:
        """As JSON values."""
        kept = {key: value for key, value in vars(self).items() if key != "answers"}
        status = [None if answer is None else str(answer.status.value) for answer in self.answers]
        return {**kept, "status": status}


def ask(series: Series, method: Method, questions: Questions, chosen: Sequence[int], *, repeats: int = 1) -> Series:
    """Put all chosen questions, each `repeats` times, to a fast method.

    They are put once more beforehand (the first alone, where all share an assembly), so that imports, compilation and
    what the queries of an assembly share do not count.
    """
    for index in chosen[:1] if len(questions.assemblies) == 1 else chosen:
        questions.put(index, method)
    for index in chosen:
        answer, seconds = clocked(lambda i=index: questions.put(i, method), repeats)
        series.indices.append(int(index))
        series.seconds.append(seconds)
        series.answers.append(answer)
    return series


def ask_slow(series: Series, method: Method, questions: Questions, chosen: Sequence[int], budget: float) -> Series:
    """Put the chosen questions to a slow method until they are done or have taken `budget` seconds; one at least.

    What its first query would pay for all is paid beforehand, by a test of a load that is next to nothing.
    """
    if not chosen:
        return series
    try:
        hf.equilibrium(questions.assemblies[0], EASY * questions.wrenches[chosen[0]], method=method)
    except MissingDependencyError as error:
        series.fault = f"{error.package} is not installed"
        return series
    except SolverError:
        pass  # it may yet answer the questions themselves
    began = time.perf_counter()
    for index in chosen:
        if series.indices and time.perf_counter() - began > budget:
            break
        start = time.perf_counter()
        try:
            answer = questions.put(index, method)
        except SolverError:
            answer = None
        series.indices.append(int(index))
        series.seconds.append(time.perf_counter() - start)
        series.answers.append(answer)
    return series


def sample(possible: Sequence[int] | range, n: int, seed: int) -> list[int]:
    """`n` of these indices, drawn by a seed; all of them when there are no more."""
    if n >= len(possible):
        return list(possible)
    return sorted(np.random.default_rng(seed).choice(possible, size=n, replace=False).tolist())


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
    return Ratio(theirs / mine, slowest[0] / slowest[1], rival.searches and rival.decided < len(rival.answers))

"""Planar contact: motions, modes and torque sets, against the naive enumeration of all 4^k modes with HiGHS."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from benchmarks.measuring import clocked, exponent, row
from benchmarks.planar.naive import NaiveModes
from benchmarks.reporting import Report, TextTable, duration, mean_and_worst, times
from holdfast.planar import Body, Chain, Contact, System, Task, kinematic_modes, modes, motions, torque_sets

SEED = 3
BODY = Body(1.0, 0.7)
TARGET_MOTIONS = 1e-3  # [s] at ten contacts
TARGET_RATIO = 1000.0  # over naive at six contacts
TARGET_SNAKE = 50e-3  # [s] full analysis of the six-link snake
TARGET_CLASSIFY = 0.1  # [s] for 10,000 torques
LENGTH, MASS, MU = 0.127, 0.0849, 0.3


@dataclass
class Figures:
    """Times [s] of motions and of the naive way with k contacts; how many modes there are, and how many disagree."""

    name: str
    count: int
    ours: list[float] = field(default_factory=list)
    naive: list[float] = field(default_factory=list)
    nodes: int = 0
    kinematic: int = 0
    differ: int = 0


def box(count: int, rng: np.random.Generator) -> list[Contact]:
    """A box on a floor: parallel, redundant contacts."""
    return [Contact((0.0, 1.0), (x, 1.0), MU) for x in np.linspace(-1.0, 1.0, count)]


def bowl(count: int, rng: np.random.Generator) -> list[Contact]:
    """A body in a bowl: contacts in general position, each with its own friction."""
    angles = np.pi / 2.0 + rng.uniform(-0.6, 0.6, count)
    return [
        Contact((np.cos(t), np.sin(t)), (rng.uniform(-1, 1), rng.uniform(0.5, 1.0)), rng.uniform(0.1, 1.0))
        for t in angles
    ]


def zigzag(count: int) -> System:
    """A snake of count - 1 links between two walls, touching with every node."""
    angles = np.deg2rad([135.0, *([-90.0, 90.0] * count)])[: count - 1]
    walls = [(node, (-1.0, 0.0) if node % 2 == 0 else (1.0, 0.0), MU) for node in range(count)]
    return Chain(np.full(count - 1, LENGTH), MASS).system((0.0, 0.0, *angles), None, walls)


def snake() -> System:
    """The six-link snake of Greenfield et al., braced at nodes 0, 3 and 6."""
    q = (0.0, 0.0, *np.deg2rad([160.0, -20.0, -20.0, -60.0, -20.0, -20.0]))
    walls = [(0, (-1.0, 0.0), MU), (3, (1.0, 0.0), MU), (6, (-1.0, 0.0), MU)]
    return Chain(np.full(6, LENGTH), MASS).system(q, None, walls)


def measured(name: str, count: int, queries: int, repeats: int, naive: int) -> Figures:
    """`queries` loads on one body each, the first `naive` of them also the naive way."""
    rng = np.random.default_rng(SEED)
    make = {"box": box, "bowl": bowl}[name]
    figures = Figures(name, count)
    motions(BODY, make(count, rng), (0.0, -1.0, 0.0))
    for query in range(queries):
        contacts, force = make(count, rng), rng.normal(size=3) - [0.0, 2.0, 0.0]
        found, seconds = clocked(lambda c=contacts, f=force: motions(BODY, c, f), repeats)
        figures.ours.append(seconds)
        figures.nodes = max(figures.nodes, found.nodes)
        figures.kinematic = max(figures.kinematic, len(kinematic_modes(found.system)))
        if query < naive:
            wanted, seconds = clocked(lambda s=found.system: NaiveModes(s).all_modes())
            figures.naive.append(seconds)
            figures.differ += set(wanted) != set(found.modes)
    return figures


def run(quick: bool) -> Report:
    queries, repeats = (5, 1) if quick else (100, 5)
    counts = (1, 3, 6, 10) if quick else (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20)
    asked = {1: 5, 2: 5, 3: 5, 4: 2} if quick else {1: 50, 2: 50, 3: 50, 4: 20, 5: 10, 6: 5}
    figures = [
        measured(name, count, queries, repeats, asked.get(count, 0)) for name in ("bowl", "box") for count in counts
    ]
    snakes = {k: zigzag(k) for k in range(2, 6 if quick else 10)}
    links = [(k, *clocked(lambda s=system: modes(s), repeats)) for k, system in snakes.items()]
    torques, tables = _torques(quick)
    rows = [row(f"{f.name}: motions, k = {f.count}", [1e3 * s for s in f.ours], "ms") for f in figures]
    rows += [row(f"{f.name}: naive, k = {f.count}", [1e3 * s for s in f.naive], "ms") for f in figures if f.naive]
    rows += [row(f"zigzag: modes, k = {k}", [1e3 * s], "ms", f"{len(m.kinematic)} modes") for k, m, s in links]
    rows += [row(name, [1e3 * s for s in seconds], "ms") for name, seconds in torques.items()]
    zigzags = TextTable(
        "Modes of a braced zigzag",
        ("k", "kinematic modes", "(k + 3) 2^(k - 1)", "dynamic modes", "nodes", "4^k", "time"),
        [
            [
                str(k),
                str(len(m.kinematic)),
                str((k + 3) * 2 ** (k - 1)),
                str(len(m.dynamic or ())),
                str(m.nodes),
                str(4**k),
                duration(s),
            ]
            for k, m, s in links
        ],
        "Both trees, the kinematic and the dynamic one under free torques.",
    )
    data = {"bodies": [vars(f) for f in figures], "torques": torques}
    return Report(rows, [_motions(figures), zigzags, tables], data)


def _motions(figures: Sequence[Figures]) -> TextTable:
    cells = []
    for f in figures:
        ratio = float(np.mean(f.naive) / np.mean(f.ours[: len(f.naive)])) if f.naive else np.nan
        cells.append(
            [
                f.name,
                str(f.count),
                mean_and_worst(f.ours),
                str(f.kinematic),
                str(f.nodes),
                mean_and_worst(f.naive),
                times(ratio) if f.naive else "-",
                str(f.differ) if f.naive else "-",
            ]
        )
    large = [f for f in figures if f.name == "bowl" and f.count >= 3]
    growth = exponent([f.count for f in large], [float(np.median(f.ours)) for f in large])
    header = ("body", "k", "motions, mean / worst", "modes", "nodes", "naive, mean / worst", "naive / ours", "differ")
    note = (
        f"Targets: {duration(TARGET_MOTIONS)} at k = 10; naive / ours at least {TARGET_RATIO:g} at k = 6. "
        f"Whole calls of `motions`, checks included. In the bowl time grows as k^{growth:.1f} from k = 3. "
        "Naive: all 4^k modes, one warm-started HiGHS program each."
    )
    return TextTable("Motions of a body", header, cells, note)


def _torques(quick: bool) -> tuple[dict[str, list[float]], TextTable]:
    system = snake()
    tasks = [Task(a=np.eye(8)[i]) for i in range(8)]
    repeats = 2 if quick else 20
    found = torque_sets(system, "FFF", tasks)
    _complete(system, tasks)
    analysis = [clocked(lambda: _complete(system, tasks))[1] for _ in range(repeats)]
    rng = np.random.default_rng(SEED)
    centre, _ = found.chebyshev()
    cloud = centre + 0.1 * rng.normal(size=(10_000, 5))
    found.classify(cloud[:10])
    sorting = [clocked(lambda: found.classify(cloud))[1] for _ in range(repeats)]
    seconds = {"six-link snake: full analysis": analysis, "six-link snake: classify 10,000 torques": sorting}
    cells = [[name, mean_and_worst(times_)] for name, times_ in seconds.items()]
    note = f"Targets: {duration(TARGET_SNAKE)} and {duration(TARGET_CLASSIFY)}."
    return seconds, TextTable("Torque sets", ("what", "mean / worst"), cells, note)


def _complete(system: System, tasks: list[Task]) -> object:
    """All that a torque set has to say: feasible set, overlaps, within, pieces, deepest and least torque."""
    found = torque_sets(system, "FFF", tasks)
    return found.feasible, found.overlaps, found.within, found.unique, found.chebyshev(), found.least_norm()

"""One Coulomb scene put to us and to every peer: times, and verdicts against a referee."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import holdfast as hf
from benchmarks.coulomb.peers import Contestant
from benchmarks.coulomb.scenes import Edges, Scene, walk
from benchmarks.measuring import clocked

#: A verdict counts when every edge could push this share of the load more, or would have to push that much less.
BAND = 1e-6

#: Ours, in the tables.
COLD, WARM = "Exact", "Solver"

Test = Callable[[np.ndarray, np.ndarray], bool | None]


@dataclass
class Timed:
    """Times [s] of one contestant on one scene, and its verdicts that the referee contradicts.

    Attributes:
        fresh: contacts set up from scratch and one test.
        each: tests of a scene that is set up: independent loads, or small steps when it is warm.
        wrong: number of verdicts outside the band that are not the referee's.
        judged: number of verdicts outside the band.
    """

    fresh: list[float] = field(default_factory=list)
    each: list[float] = field(default_factory=list)
    wrong: int = 0
    judged: int = 0


@dataclass
class SceneFigures:
    """What one scene gave: by contestant, and ours in batches [tests/s]."""

    kind: str
    contacts: int
    holding: int
    queries: int
    by_name: dict[str, Timed] = field(default_factory=dict)
    batch_rate: float = float("nan")

    def data(self) -> dict[str, Any]:
        """As JSON values."""
        return {**vars(self), "by_name": {name: vars(found) for name, found in self.by_name.items()}}


def margins(scene: Scene, edges: Edges) -> np.ndarray:
    """(n,) the referee's verdicts: how hard every edge can push at least, as a share of the load; below zero it fails.

    One linear program a load over all edges, by scipy: the largest s with generators @ b = -load, b >= s. Torques are
    divided by the extent of the contacts.
    """
    from scipy.optimize import linprog

    extent = float(np.ptp(scene.positions, axis=0).max())
    scale = np.array([1.0, 1.0, 1.0, *[1.0 / extent] * 3])[:, None]
    columns = scale * scene.generators(edges)
    n = columns.shape[1]
    found = []
    for wrench in scene.wrenches():
        scaled = scale[:, 0] * wrench
        size = float(np.linalg.norm(scaled))
        # b = c + s with c >= 0: s has the sum of all columns; s <= 1 stands for "as hard as you like".
        matrix = np.column_stack([columns, columns.sum(axis=1)])
        bounds = [(0.0, None)] * n + [(None, 1.0)]
        cost = np.append(np.zeros(n), -1.0)
        result = linprog(cost, A_eq=matrix, b_eq=-scaled / size, bounds=bounds, method="highs")
        found.append(float(result.x[-1]) if result.status == 0 else -np.inf)
    return np.array(found)


def contest(scene: Scene, contestants: Iterable[Contestant], *, repeats: int, fresh: int, batch: int) -> SceneFigures:
    """Ours and all peers on one scene; `fresh` loads are also asked of contacts set up from scratch."""
    truth = {edges: margins(scene, edges).tolist() for edges in Edges}
    steps = walk(scene, len(scene.forces))
    step_truth = margins(steps, Edges.HPP).tolist()
    holding = sum(margin > 0.0 for margin in truth[Edges.HPP])
    figures = SceneFigures(scene.kind, len(scene.positions), holding, len(scene.forces))
    figures.by_name[COLD] = _timed(lambda: _exact(scene, Edges.HPP), scene, truth[Edges.HPP], repeats, fresh)
    figures.by_name[WARM] = _timed(lambda: _solver(steps), steps, step_truth, repeats, 0)
    others = _timed(lambda: _exact(scene, Edges.KLAMPT), scene, truth[Edges.KLAMPT], 1, 0)
    figures.by_name[COLD].wrong += others.wrong
    figures.by_name[COLD].judged += others.judged
    figures.batch_rate = _batch_rate(scene, batch)
    for contestant in contestants:
        asked, margin = (steps, step_truth) if contestant.warm else (scene, truth[contestant.edges])
        prepare = contestant.prepare
        ready = lambda prepare=prepare, asked=asked: prepare(asked).holds  # noqa: E731
        figures.by_name[contestant.name] = _timed(ready, asked, margin, repeats, 0 if contestant.warm else fresh)
    return figures


def _exact(scene: Scene, edges: Edges) -> Test:
    """Ours, cold."""
    assembly = scene.assembly(edges)
    return lambda force, com: _verdict(hf.equilibrium(assembly, np.concatenate([force, np.cross(com, force)])))


def _solver(scene: Scene) -> Test:
    """Ours, warm."""
    solver = hf.Solver(scene.assembly(Edges.HPP))
    return lambda force, com: _verdict(solver.equilibrium(np.concatenate([force, np.cross(com, force)])))


def _verdict(answer: hf.statics.Equilibrium) -> bool | None:
    """None when undecided, which is wrong whatever is right."""
    return None if answer.status == "undecided" else answer.holds


def _timed(prepare: Callable[[], Test], scene: Scene, margin: list[float], repeats: int, fresh: int) -> Timed:
    """Times and verdicts: all loads in order, in several passes; each pass starts from contacts set up from scratch."""
    found = Timed()
    loads = list(zip(scene.forces, scene.coms, strict=True))
    passes = []
    verdicts: list[bool | None] = []
    for _ in range(repeats):
        holds = prepare()
        holds(*loads[0])
        answers = [clocked(lambda load=load, holds=holds: holds(*load)) for load in loads]
        passes.append([seconds for _, seconds in answers])
        verdicts = [verdict for verdict, _ in answers]
    found.each = np.median(passes, axis=0).tolist()
    judged = [(verdict, m > 0.0) for verdict, m in zip(verdicts, margin, strict=True) if abs(m) > BAND]
    found.judged, found.wrong = len(judged), sum(verdict != right for verdict, right in judged)
    found.fresh = [clocked(lambda load=load: prepare()(*load), repeats)[1] for load in loads[:fresh]]
    return found


def _batch_rate(scene: Scene, batch: int) -> float:
    """Tests a second of all loads over and over, on all cores."""
    solver = hf.Solver(scene.assembly(Edges.HPP))
    many = np.tile(scene.wrenches(), (-(-batch // len(scene.forces)), 1))[:batch]
    solver.equilibrium_many(many[:4])
    return batch / clocked(lambda: solver.equilibrium_many(many))[1]

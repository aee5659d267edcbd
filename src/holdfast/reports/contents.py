"""The results in a report: loads of a scene, load sharing, limits along the axes, wrench spaces, probabilities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .. import checks
from ..checks import Array
from ..errors import InputError
from ..public_names import with_advice
from ..reliability.derivatives import Tornado, sensitivity, tornado
from ..reliability.probabilities import LimitSamples, Probability, load_limit_samples, probability
from ..scenes import Scene, load_scene, ready_path
from ..sharing import LoadSharing
from ..sharing.description import advice, sensitivity_or_none, sharing_or_reason
from ..solvers import Exact, Status
from ..statics.diagnosis import Diagnosis, diagnose
from ..statics.holding import Equilibrium, LoadLimit, equilibrium, load_limit
from ..wrench_spaces import Rays, Subspace, WrenchSpace, wrench_space

if TYPE_CHECKING:
    from ..assembly.assembly import Assembly

#: Six axes of a wrench, and their units.
AXES = {"fx": "N", "fy": "N", "fz": "N", "tx": "N m", "ty": "N m", "tz": "N m"}

#: Levels of the regular sphere of a slice: the coarsest that is useful, and the finest that keeps the page readable.
COARSEST, FINEST = 1, 5

Progress = Callable[[int, int], None]


@with_advice()
@dataclass(frozen=True)
class ReportOptions:
    """What a report contains.

    Attributes:
        slices: three axes each, "fx,fy,fz"; () for no wrench spaces.
        level: level of the regular sphere of each slice: 10 * 4^level + 2 rays.
        seed: random seed of the specimens, where the scene has scatter.
        samples: specimens drawn for each load, where the scene has scatter.
    """

    slices: tuple[str, ...] = ("fx,fy,fz",)
    level: int = 2
    seed: int = 0
    samples: int = 1_000

    def __post_init__(self) -> None:
        checks.count("level", self.level, low=COARSEST)
        if self.level > FINEST:
            raise InputError(f"is {self.level}", where="level", fix=f"give a whole number from {COARSEST} to {FINEST}")
        checks.seed(self.seed)
        checks.count("samples", self.samples)
        for axes in self.slices:
            Subspace.named(axes, length=1.0)  # raises if they are not three different axes


@dataclass(frozen=True, eq=False)
class LoadAnswer:
    """All results for one load of a scene.

    Attributes:
        name: name of the load; "" for the weight alone.
        description: what acts: "weight + pull".
        wrench: (6,) the whole external wrench [N, N m], torque about the world origin.
        equilibrium: whether it is held, with forces or a certificate.
        limit: the largest multiple of it that is held; None for the zero wrench.
        diagnosis: what limits the load.
        probability: probability of holding, where the scene has scatter.
        samples: load limits of the specimens, where the scene has scatter and the wrench is not zero.
        sharing: how the contacts share it by their stiffness as the whole of it grows, or why that is not known; None
            for the zero wrench.
        staged: the same for a load that grows after the weight; None where there is no weight or no such load.
        advice: what would raise the peak of `staged`, or else of `sharing`, in sentences.
    """

    name: str
    description: str
    wrench: Array
    equilibrium: Equilibrium
    limit: LoadLimit | None
    diagnosis: Diagnosis
    probability: Probability | None = None
    samples: LimitSamples | None = None
    sharing: LoadSharing | str | None = None
    staged: LoadSharing | str | None = None
    advice: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class SliceAnswer:
    """A slice of the wrench space of a scene, without weight, over the chosen axes."""

    axes: str
    space: WrenchSpace


@dataclass(frozen=True, eq=False)
class ReportContents:
    """A scene and all results for it.

    Attributes:
        scene: the scene.
        asked: the scene as it was given: a file, or "@name".
        source: the text of its file, verbatim.
        options: what the report contains.
        loads: the results for the weight and each load on top of it.
        axes: load limits along -axis and +axis for the six axes of the wrench, without weight, about the origin.
        slices: wrench-space slices.
        tornado: what the limit of the first load depends on, without weight; None where it has no finite limit.
    """

    scene: Scene
    asked: str
    source: str
    options: ReportOptions
    loads: tuple[LoadAnswer, ...]
    axes: tuple[tuple[LoadLimit, LoadLimit], ...]
    slices: tuple[SliceAnswer, ...]
    tornado: Tornado | None


@with_advice()
def answer_scene(
    path: str | Path,
    options: ReportOptions | None = None,
    *,
    scene: Scene | None = None,
    loads: Sequence[tuple[str, str, Array]] | None = None,
    weight: bool = True,
    progress: Progress | None = None,
) -> ReportContents:
    """Compute everything in a report on a scene file or a ready scene ("@name").

    Args:
        path: the scene; an invalid file raises a SceneError.
        options: slices, level, seed and samples.
        scene: the result of `load_scene(path)`, if it was already read.
        loads: (name, description, wrench (6,)) of each load, as in `loads_of`; all by default.
        weight: whether the weight is a part of these loads.
        progress: called with (done, total) after each computation.
    """
    chosen = options or ReportOptions()
    scene = load_scene(path) if scene is None else scene
    source = ready_path(path).read_text(encoding="utf-8")
    asked = loads_of(scene, weight=weight) if loads is None else loads
    total, done = len(asked) + len(chosen.slices) + 2, 0

    def step() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, total)

    own = scene.gravity_load() if weight and scene.mass is not None else np.zeros(6 * scene.assembly.body_count)
    answers = []
    for name, words, wrench in asked:
        answers.append(_answer_load(scene, name, words, wrench, own, chosen))
        step()
    bare = scene.with_gravity((0.0, 0.0, 0.0)).assembly
    several = bool(scene.bodies)  # limits along single axes, slices and sensitivity are about one object
    axes = () if several else tuple((load_limit(bare, -way), load_limit(bare, way)) for way in np.eye(6))
    step()
    slices = []
    for names in () if several else chosen.slices:
        rays = Rays.sphere(Subspace.named(names, length=bare.length), chosen.level)
        slices.append(SliceAnswer(names, wrench_space(bare, rays)))
        step()
    bars = _tornado(bare, asked[0][2]) if asked and not several else None
    step()
    return ReportContents(scene, str(path), source, chosen, tuple(answers), axes, tuple(slices), bars)


def loads_of(scene: Scene, *, weight: bool = True) -> list[tuple[str, str, Array]]:
    """(name, description, wrench (6,)) of the weight alone, and of each load of the scene together with the weight."""
    if scene.mass is None or not weight:
        return [(name, name, wrench) for name, wrench in scene.loads.items()]
    own = scene.gravity_load()
    return [("", "weight", own), *((name, f"weight + {name}", own + w) for name, w in scene.loads.items())]


def _answer_load(scene: Scene, name: str, words: str, wrench: Array, own: Array, options: ReportOptions) -> LoadAnswer:
    """Verdict, limit, diagnosis and, with scatter, probability of one load; `own` is the weight in it."""
    method = Exact()
    answer = equilibrium(scene.assembly, wrench, method=method).even()
    limit = load_limit(scene.assembly, wrench, method=method) if wrench.any() else None
    diagnosis = diagnose(answer, limit=limit)
    sharing, staged = None, None
    if not scene.bodies:
        sharing = None if limit is None else sharing_or_reason(scene.assembly, wrench, limit=limit)
        staged = sharing_or_reason(scene.assembly, scene.load(name), own) if _grows_after(scene, name, own) else None
    path = sharing if staged is None else staged
    helpful = tuple(advice(path, sensitivity_or_none(path))) if isinstance(path, LoadSharing) else ()
    shared = {"sharing": sharing, "staged": staged, "advice": helpful}
    found = LoadAnswer(name, words, wrench, answer, limit, diagnosis, **shared)
    if scene.scatter is None:
        return found
    asked = (scene.assembly, wrench, scene.scatter)
    chance = probability(*asked, n=options.samples, seed=options.seed, weight=own)
    samples = None
    if wrench.any():
        samples = load_limit_samples(*asked, n=options.samples, seed=options.seed, weight=own)
    return replace(found, probability=chance, samples=samples)


def _grows_after(scene: Scene, name: str, weight: Array) -> bool:
    """Whether the load of that name grows after the weight."""
    return bool(name) and bool(weight.any()) and bool(scene.load(name).any())


def _tornado(assembly: Assembly, wrench: Array) -> Tornado | None:
    """What the limit along `wrench` (6,) depends on; None where there is no finite limit above zero."""
    if not wrench.any():
        return None
    limit = load_limit(assembly, wrench)
    if limit.status is not Status.OPTIMAL or not np.isfinite(limit.value) or limit.value <= 0.0:
        return None
    return tornado(sensitivity(assembly, wrench))

"""The results in a report: loads of a scene, load sharing, limits along the axes, wrench spaces, probabilities."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import checks
from ..checks import Array
from ..console.options import LoadCase, load_case
from ..errors import InputError
from ..public_names import with_advice
from ..reliability.derivatives import Tornado, sensitivity, tornado
from ..reliability.probabilities import LimitSamples, Probability, load_limit_samples, probability
from ..scenes import Scene, load_scene, ready_path
from ..sharing import LoadSharing
from ..sharing.description import sharing_or_reason
from ..solvers import Status
from ..statics.diagnosis import Diagnosis, diagnose
from ..statics.holding import Equilibrium, LoadLimit, equilibrium, load_limit
from ..wrench_spaces import Rays, Subspace, WrenchSpace, wrench_space

if TYPE_CHECKING:
    from ..assembly.assembly import Assembly

#: Six axes of a wrench, and their units.
AXES = {"fx": "N", "fy": "N", "fz": "N", "tx": "N m", "ty": "N m", "tz": "N m"}

#: Levels of the regular sphere of a slice: the coarsest that is useful, and the finest that keeps the page readable.
COARSEST, FINEST = 1, 5


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
        name: name of the load; "" for the weight alone, or a wrench that was given.
        case: the scene under this load, and the whole external wrench.
        equilibrium: whether it is held, with forces or a certificate.
        limit: the largest multiple of it that is held; None for the zero wrench.
        diagnosis: what limits the load.
        sharing: how the contacts share it by their stiffness as the whole of it grows, or why that is not known; None
            for the zero wrench and for several bodies.
        path: the same as `holdfast share` follows it: a named load grows after the weight.
        probability: probability of holding, where the scene has scatter.
        samples: load limits of the specimens, where the scene has scatter and the wrench is not zero.
    """

    name: str
    case: LoadCase
    equilibrium: Equilibrium
    limit: LoadLimit | None
    diagnosis: Diagnosis
    sharing: LoadSharing | str | None
    path: LoadSharing | str | None
    probability: Probability | None
    samples: LimitSamples | None

    @property
    def description(self) -> str:
        """What acts: "weight + pull"."""
        return self.case.description


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
        slices: wrench spaces by their axes, without weight.
        tornado: what the limit of the first load depends on, without weight; None where it has no finite limit.
        given: options of the command line that describe the load, for the commands that repeat the parts.
    """

    scene: Scene
    asked: str
    source: str
    options: ReportOptions
    loads: tuple[LoadAnswer, ...]
    axes: tuple[tuple[LoadLimit, LoadLimit], ...]
    slices: dict[str, WrenchSpace]
    tornado: Tornado | None
    given: str = ""


@with_advice()
def answer_scene(
    path: str | Path,
    options: ReportOptions | None = None,
    *,
    scene: Scene | None = None,
    cases: Mapping[str, LoadCase] | None = None,
    given: str = "",
    progress: Callable[[int, int], None] | None = None,
) -> ReportContents:
    """Compute everything in a report on a scene file or a ready scene ("@name").

    Args:
        path: the scene; an invalid file raises a SceneError.
        options: slices, level, seed and samples.
        scene: the result of `load_scene(path)`, if it was already read.
        cases: the loads by their names, as in `load_cases`; all by default.
        given: options of the command line that describe the loads.
        progress: called with (done, total) after each computation.
    """
    chosen = options or ReportOptions()
    scene = load_scene(path) if scene is None else scene
    cases = load_cases(scene) if cases is None else cases
    one = not scene.bodies  # limits along single axes, slices and sensitivity are about one object
    slices = chosen.slices if one else ()
    bare = scene.with_gravity((0.0, 0.0, 0.0)).assembly
    loads, spaces, total = [], {}, len(cases) + len(slices) + 1

    def step(done: int) -> None:
        if progress is not None:
            progress(done, total)

    for name, case in cases.items():
        loads.append(_answer_load(name, case, chosen))
        step(len(loads))
    for axes in slices:
        rays = Rays.sphere(Subspace.named(axes, length=bare.length), chosen.level)
        spaces[axes] = wrench_space(bare, rays)
        step(len(loads) + len(spaces))
    along = tuple((load_limit(bare, -way), load_limit(bare, way)) for way in np.eye(6)) if one else ()
    bars = _tornado(bare, loads[0].case.wrench) if one and loads else None
    step(total)
    source = ready_path(path).read_text(encoding="utf-8")
    return ReportContents(scene, str(path), source, chosen, tuple(loads), along, spaces, bars, given)


def load_cases(
    scene: Scene, *, loads: Sequence[str] | None = None, wrench: str | None = None, weight: bool = True, **options: Any
) -> dict[str, LoadCase]:
    """The weight alone as "", and each load of the scene together with it, by name; only `loads` or `wrench` if given.

    `options` are further ones of `load_case`.
    """
    if wrench is not None:
        return {"": load_case(scene, loads=loads or (), wrench=wrench, **options)}
    alone = {"": load_case(scene, **options)} if loads is None and weight and scene.mass is not None else {}
    named = scene.loads if loads is None else dict.fromkeys(loads)
    return alone | {name: load_case(scene, loads=[name], weight=weight, **options) for name in named}


def _answer_load(name: str, case: LoadCase, options: ReportOptions) -> LoadAnswer:
    """Verdict, limit, diagnosis, load sharing and, with scatter, probability of one load."""
    scene, wrench, assembly = case.scene, case.wrench, case.scene.assembly
    answer = equilibrium(assembly, wrench).even()
    limit = load_limit(assembly, wrench) if wrench.any() else None
    own = case.weight
    sharing = path = chance = samples = None
    if limit is not None and not scene.bodies:
        sharing = path = sharing_or_reason(assembly, wrench, limit=limit)
        if name and own.any() and (wrench - own).any():
            path = sharing_or_reason(assembly, wrench - own, own)
    if scene.scatter is not None:
        drawn: dict[str, Any] = {"n": options.samples, "seed": options.seed, "weight": own}
        chance = probability(assembly, wrench, scene.scatter, **drawn)
        samples = load_limit_samples(assembly, wrench, scene.scatter, **drawn) if wrench.any() else None
    return LoadAnswer(name, case, answer, limit, diagnose(answer, limit=limit), sharing, path, chance, samples)


def _tornado(assembly: Assembly, wrench: Array) -> Tornado | None:
    """What the limit along `wrench` (6,) depends on; None where there is no finite limit above zero."""
    if not wrench.any():
        return None
    limit = load_limit(assembly, wrench)
    finite = limit.status is Status.OPTIMAL and 0.0 < limit.value < np.inf
    return tornado(sensitivity(assembly, wrench)) if finite else None

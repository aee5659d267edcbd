"""Whatever is asked: a proven answer, "undecided", or a HoldfastError; never another exception, never a wrong verdict.

Assemblies are drawn from sizes over eighteen orders of magnitude, thin, flat, empty and nearly equal volumes, contacts
in one place, stiff and one-sided joints. Every answer is checked by its proof, and again by the referee's own code.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import holdfast as hf
from holdfast.errors import HoldfastError
from tests.referee import assert_forces_hold, block, covers_once, pyramid, random_rotation, refutes

#: What cannot be decided is no fault here. Its time limit is far above what any question takes, also under load.
METHOD = hf.solvers.Exact()

#: Positions this many times further away than the contacts are apart leave too few digits for exact arithmetic.
FAR_AWAY = 1e3


#: Each example asks several questions.
FEWER = settings(max_examples=settings.default.max_examples * 3 // 5)


# -- drawing ----------------------------------------------------------------------------------------


def draw_vertices(rng: np.random.Generator) -> np.ndarray:
    """(m, 3) the vertices of a piece of about one newton, from ordinary to degenerate."""
    kind = int(rng.integers(9))
    if kind == 0:
        return block(-rng.uniform(0, 1, 3), rng.uniform(0, 1, 3))
    if kind == 1:
        return pyramid(float(rng.uniform(0.01, 2.0)), 1.0)
    if kind == 2:  # a body somewhere, zero on its border
        return np.concatenate([np.zeros((1, 3)), rng.normal(size=(int(rng.integers(3, 12)), 3)) + rng.normal(size=3)])
    if kind == 3:  # thin along some axis
        axis = random_rotation(rng)[0]
        points = np.concatenate([np.zeros((1, 3)), rng.normal(size=(6, 3))])
        return points - (1.0 - 10.0 ** rng.uniform(-9, -1)) * np.outer(points @ axis, axis)
    if kind == 4:  # a polygon, a segment, a point
        return np.concatenate([np.zeros((1, 3)), rng.normal(size=(int(rng.integers(0, 3)), 3))])
    if kind == 5:  # vertices that are nearly the same
        points = np.concatenate([np.zeros((1, 3)), rng.normal(size=(5, 3))])
        return np.concatenate([points, points[1:] * (1.0 + 10.0 ** rng.uniform(-15, -6))])
    if kind == 6:  # whole numbers: planes and edges coincide
        return np.unique(np.concatenate([np.zeros((1, 3)), rng.integers(-2, 3, size=(8, 3)).astype(float)]), axis=0)
    if kind == 7:  # without zero
        return rng.normal(size=(6, 3)) + 4.0 * random_rotation(rng)[0]
    return np.zeros((1, 3))


def draw_volume(rng: np.random.Generator, spread: float) -> hf.ForceVolume:
    """One to four pieces whose sizes differ by up to `spread` decades, some with rays."""
    pieces, rays = [], []
    for _ in range(int(rng.integers(1, 5))):
        pieces.append(10.0 ** rng.uniform(-spread, spread) * draw_vertices(rng))
        lean = random_rotation(rng)[0]
        directions = lean + rng.choice([0.0, 0.3, 1e-6]) * rng.normal(size=(int(rng.integers(1, 4)), 3))
        rays.append(10.0 ** rng.uniform(-3, 3) * directions if rng.random() < 0.2 else None)
    return hf.ForceVolume(pieces, rays, allow_flat=True)


def draw_assembly(rng: np.random.Generator, spread: float) -> hf.Assembly:
    """One to five contacts, some on one spot, with none to four joint rows."""
    k = int(rng.integers(1, 6))
    reach, force = 10.0 ** rng.uniform(-3, 3), 10.0 ** rng.uniform(-spread, spread)
    volumes = [draw_volume(rng, spread / 3.0).scaled(force) for _ in range(int(rng.integers(1, 3)))]
    places = reach * rng.normal(size=(k, 3)) * rng.choice([0.0, 1.0], size=3, p=[0.2, 0.8])
    places[rng.random(k) < 0.2] = places[0]
    turns = [np.eye(3) if rng.random() < 0.3 else random_rotation(rng) for _ in range(k)]
    contacts = [hf.Contact(p, r, volumes[int(rng.integers(len(volumes)))]) for p, r in zip(places, turns, strict=True)]
    if rng.random() < 0.5:
        return hf.Assembly(contacts)
    rows = int(rng.integers(1, 5))
    jacobian = reach * rng.normal(size=(rows, 3 * k)) * (rng.random((rows, 3 * k)) < 0.7)
    if rng.random() < 0.2:
        jacobian[-1] = jacobian[0]
    ends = np.sort(
        reach * force * 10.0 ** rng.uniform(-spread, spread, size=(rows, 1)) * rng.normal(size=(rows, 2)), axis=1
    )
    kinds = rng.integers(6, size=rows)
    ends[kinds == 0, 0], ends[kinds == 1, 1] = -np.inf, np.inf
    ends[kinds == 2] = 0.0
    ends[kinds == 3] = np.abs(ends[kinds == 3, :1]) * np.array([-1.0, 1.0])
    return hf.Assembly(contacts, hf.JointRows(jacobian, ends[:, 0], ends[:, 1]))


def draw_wrench(rng: np.random.Generator, assembly: hf.Assembly, spread: float) -> np.ndarray:
    """A load that forces of the pieces balance, or any other, of any size; at times with zeros, at times none."""
    wrench = np.zeros(6)
    for contact in assembly.contacts:
        points = contact.volume.pieces[int(rng.integers(len(contact.volume)))]
        force = contact.rotation @ (rng.dirichlet(np.ones(len(points))) @ points)
        wrench -= np.concatenate([force, np.cross(contact.position, force)])
    size = max(float(np.abs(p).max()) for c in assembly.contacts for p in c.volume.pieces) or 1.0
    kind = rng.random()
    if kind < 0.4 or not wrench.any():
        wrench = size * np.concatenate([rng.normal(size=3), assembly.length * rng.normal(size=3)])
        wrench[rng.random(6) < 0.3] = 0.0
    scale = 10.0 ** rng.uniform(-spread, spread) if rng.random() < 0.5 else rng.uniform(0.5, 1.5)
    return 0.0 * wrench if kind > 0.97 else scale * wrench


# -- judging ----------------------------------------------------------------------------------------


def is_near(assembly: hf.Assembly) -> bool:
    return float(np.abs(assembly.positions).max()) <= FAR_AWAY * assembly.length


def has_rays(assembly: hf.Assembly) -> bool:
    return any(len(rays) for c in assembly.contacts for rays in c.volume.rays)


def assert_right(answer: hf.statics.Equilibrium | hf.statics.LoadLimit) -> None:
    """Its own proof stands, and the referee finds no fault with it either."""
    if answer.status == "undecided":
        assert isinstance(answer, hf.statics.Equilibrium) or answer.value <= answer.upper_bound
        return
    assert answer.verify(), answer
    if answer.status == "does not hold":
        masks = [leaf.masks for leaf in answer.certificate.leaves]
        assert covers_once(answer.assembly, masks)
    if isinstance(answer, hf.statics.LoadLimit):
        if answer.status == "optimal":
            assert answer.value <= answer.upper_bound
            assert_forces_hold(answer.assembly, answer.value * answer.direction, answer.forces, answer.pieces)
    elif answer.holds:
        assert_forces_hold(answer.assembly, answer.wrench, answer.forces, answer.pieces)
    elif is_near(answer.assembly):
        assert refutes(answer, exact=not has_rays(answer.assembly))


def ask_everything(assembly: hf.Assembly, wrench: np.ndarray) -> list[hf.statics.Equilibrium | hf.statics.LoadLimit]:
    """Cold, warm and batched; statuses that are decided do not contradict each other."""
    answers: list[hf.statics.Equilibrium | hf.statics.LoadLimit] = [hf.equilibrium(assembly, wrench, method=METHOD)]
    solver = hf.Solver(assembly, METHOD)
    solver.equilibrium(-0.3 * wrench)
    answers.append(solver.equilibrium(wrench))
    many = solver.equilibrium_many([wrench, -wrench, 1e6 * wrench, wrench])
    decided = {str(s) for s in (*(a.status for a in answers), many.status[0], many.status[3])} - {"undecided"}
    assert len(decided) <= 1, decided
    if wrench.any():
        limits = [hf.load_limit(assembly, wrench, method=METHOD), solver.load_limit(wrench)]
        answers += limits
        batch = solver.load_limit_many([wrench, -wrench])
        decided = {str(s) for s in (*(a.status for a in limits), batch.status[0])} - {"undecided"}
        assert len(decided) <= 1, decided
    return answers


def examine(seed: int, spread: float) -> list[hf.statics.Equilibrium | hf.statics.LoadLimit]:
    """The answers about one random assembly, all right; none where it is refused."""
    rng = np.random.default_rng(seed)
    try:
        assembly = draw_assembly(rng, spread)
        wrench = draw_wrench(rng, assembly, spread)
        answers = ask_everything(assembly, wrench)
    except HoldfastError:
        return []
    for answer in answers:
        assert_right(answer)
    return answers


# -- the tests --------------------------------------------------------------------------------------


@FEWER
@given(st.integers(0, 2**32 - 1))
def test_ordinary_assemblies_get_right_answers(seed: int) -> None:
    assert all(answer.status == "undecided" or answer.verify() for answer in examine(seed, spread=1.0))


@FEWER
@given(st.integers(0, 2**32 - 1), st.floats(1.0, 9.0))
@example(41466, 7.0)  # a joint demands 2e-9 of what its contact can carry
def test_assemblies_of_extreme_sizes_get_right_answers_or_none(seed: int, spread: float) -> None:
    assert all(answer.status == "undecided" or answer.verify() for answer in examine(seed, spread))


def test_most_ordinary_questions_are_decided() -> None:
    """ "Undecided" is no way out."""
    answers = [answer for seed in range(40) for answer in examine(seed, spread=1.0)]
    assert len(answers) >= 150
    assert sum(answer.status == "undecided" for answer in answers) <= 0.02 * len(answers)


@FEWER
@given(
    st.lists(
        st.tuples(*[st.floats(-1e9, 1e9, allow_subnormal=False) for _ in range(3)]),
        min_size=1,
        max_size=12,
        unique=True,
    ),
    st.lists(st.floats(-1e9, 1e9), min_size=6, max_size=6),
    st.booleans(),
)
def test_any_vertices_and_any_wrench_at_all(vertices: list, wrench: list, with_origin: bool) -> None:
    """Numbers as hypothesis likes them: huge, tiny, equal, zero."""
    points = np.array([*vertices, (0.0, 0.0, 0.0)] if with_origin else vertices)
    try:
        volume = hf.ForceVolume([np.unique(points + 0.0, axis=0)], allow_flat=True)
        assembly = hf.Assembly(
            [hf.Contact([0.1, 0, 0], np.eye(3), volume), hf.Contact([-0.1, 0, 0], np.eye(3), volume)]
        )
        answers = ask_everything(assembly, np.array(wrench))
    except HoldfastError:
        assume(False)
        return
    for answer in answers:
        assert_right(answer)


@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e-30, 1e30, 1e200, 1e300])
def test_loads_beyond_any_use_end_in_an_answer(scale: float) -> None:
    """Far outside what forces can be: overflow and underflow are no excuse for another exception."""
    volume = hf.ForceVolume([block([-1, -1, 0], [1, 1, 5])])
    assembly = hf.Assembly([hf.Contact([x, 0, 0], np.eye(3), volume) for x in (-0.1, 0.1)])
    for sign in (1.0, -1.0):
        wrench = sign * scale * np.array([0, 0, 1.0, 0, 0, 0])
        for ask in (hf.equilibrium, hf.load_limit):
            try:
                answer = ask(assembly, wrench)
            except HoldfastError:
                continue
            assert answer.verify() or answer.status == "undecided"

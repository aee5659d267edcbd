from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import holdfast as hf
from holdfast.scenes.page_contact_answers import HALVINGS, ContactQuestions, answer, load_of
from holdfast.scenes.page_contact_sources import FileSource, four_fingers, initial_posture
from holdfast.scenes.page_contact_states import ContactState, initial_state

BLOCK = FileSource("@block_on_three_points")


def begun(questions: ContactQuestions, posture: tuple = ()) -> ContactState:
    return initial_state(questions.scene(posture), posture)


def random_states(start: ContactState, count: int, seed: int) -> list[ContactState]:
    rng = np.random.default_rng(seed)
    states = []
    for _ in range(count):
        states.append(
            replace(
                start,
                tilt=float(rng.uniform(0.0, 180.0)),
                heading=float(rng.uniform(-180.0, 180.0)),
                mass=float(rng.uniform(0.0, 3.0) * start.mass),
                friction=float(rng.choice([0.4, 1.0, 1.7])),
                touching=tuple(name for name in start.touching if rng.random() > 0.2),
                load_size=float(rng.choice([0.0, 5.0])),
                load_tilt=float(rng.uniform(0.0, 180.0)),
            )
        )
    return states


def test_answers_of_a_row_of_states_are_those_of_the_library_asked_directly_with_proofs() -> None:
    source = four_fingers("opposed")
    posture = tuple(initial_posture(source).items())
    warm = ContactQuestions(source)
    start = begun(warm, posture)
    states = random_states(start, 3, seed=3)
    states += [replace(state, posture=(("fingers", "parallel"), ("radius", 180.0))) for state in states[:2]]
    seen = set()
    for state in states:
        got = warm.answer(state)
        assert got.equilibrium is not None
        scene = source.scene(dict(state.posture)).with_gravity(got.gravity)
        rows = scene.assembly.joints
        assert rows is not None
        stretched = scene.assembly.contacts[0].volume.stretched(state.friction)
        kept = [hf.Contact(c.position, c.rotation, stretched, c.name) for c in scene.assembly.contacts]
        jacobian = rows.jacobian.reshape(len(rows), -1, 3)[:, got.chosen].reshape(len(rows), -1)
        direct = hf.Assembly(
            [contact for contact, touches in zip(kept, got.chosen, strict=True) if touches],
            hf.JointRows(jacobian, rows.lower, rows.upper),
        )
        assert got.equilibrium.status is hf.equilibrium(direct, got.wrench).status
        assert got.equilibrium.verify()
        assert got.limit is not None
        assert got.limit.value == pytest.approx(hf.load_limit(direct, got.wrench).value, rel=1e-5)
        assert got.limit.verify()
        seen.add(got.holds)
    assert seen == {True, False}


def test_the_load_factor_is_the_margin_in_words() -> None:
    questions = ContactQuestions(FileSource("@gecko_on_glass"))
    start = begun(questions)
    held = questions.answer(start)
    assert held.limit is not None
    assert held.verdict.status == "holds"
    assert f"load factor {held.limit.value:.3g}" in held.verdict.margin
    largest = questions.answer(replace(start, mass=held.limit.value * start.mass * (1.0 - 1e-9)))
    assert (held.gives_way == largest.gives_way).all()
    assert held.gives_way.any()
    heavy = questions.answer(replace(start, mass=2.0 * held.limit.value * start.mass))
    assert heavy.verdict.status == "does not hold"
    assert "load factor 0.5 " in heavy.verdict.margin
    assert heavy.letting_go is not None
    assert heavy.letting_go @ heavy.wrench > 0.0
    assert "no load" in questions.answer(replace(start, mass=0.0)).verdict.margin


def test_what_is_at_its_limit_is_told_of_the_largest_load_first() -> None:
    questions = ContactQuestions(FileSource("@gecko_on_glass"))
    held = questions.answer(begun(questions))
    count = len(held.chosen)
    assert held.verdict.lines[0] == f"at the largest load: {held.gives_way.sum()} of {count} contacts at their limit"
    rest = ContactQuestions(BLOCK)
    (line,) = rest.answer(begun(rest)).verdict.lines  # held without limit, so there is no largest load
    assert line.startswith("in the forces drawn (others may do): ")


def test_a_push_too_strong_for_friction_is_told_by_the_share_that_is_held() -> None:
    questions = ContactQuestions(BLOCK)
    start = begun(questions)
    pushed = questions.answer(replace(start, load_size=60.0, load_tilt=90.0))
    assert not pushed.holds and pushed.limit is not None and pushed.limit.value == pytest.approx(0.0, abs=1e-9)
    share, assembly = pushed.added, pushed.scene.assembly
    assert share is not None and 0.0 < share < 1.0
    weight = questions.answer(start).wrench
    rest = pushed.wrench - weight
    assert hf.equilibrium(assembly, weight + share * rest).holds
    assert not hf.equilibrium(assembly, weight + (share + 2.0 ** (1 - HALVINGS)) * rest).holds
    assert "holds nothing of this load as a whole; the weight alone is held" in pushed.verdict.margin
    assert f"at least {share:.2g} of what is added" in pushed.verdict.margin


def test_without_contacts_only_no_load_is_held() -> None:
    questions = ContactQuestions(BLOCK)
    start = begun(questions)
    assert questions.answer(replace(start, touching=())).verdict.status == "does not hold: nothing touches"
    assert questions.answer(replace(start, touching=(), mass=0.0)).holds


def test_weight_force_and_named_load_add_up_about_the_origin() -> None:
    questions = ContactQuestions(BLOCK)
    start = begun(questions)
    scene = questions.scene(())
    name = next(iter(scene.loads))
    state = replace(start, load_size=7.0, load_tilt=180.0, named=name, factor=-2.0)
    up = np.array([0.0, 0.0, 7.0])
    want = scene.gravity_load() + np.concatenate([up, np.cross(scene.com, up)]) - 2.0 * scene.load(name)
    assert np.allclose(load_of(scene, state, scene.gravity), want)
    assert np.allclose(answer(BLOCK, state).wrench, want)


def test_a_file_that_is_read_again_is_answered_anew() -> None:
    questions = ContactQuestions(BLOCK)
    before = questions.scene(())
    assert questions.scene(()) is before
    questions.reload()
    assert questions.scene(()) is not before

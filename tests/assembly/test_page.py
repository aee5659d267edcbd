"""Several bodies in the viewer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import holdfast as hf
from holdfast.assembly.page import (
    ENTRIES,
    EVERY,
    FORCE,
    FULL,
    HALF,
    IDLE,
    LOAD,
    SHRUNK,
    TRAVEL,
    WEIGHTS,
    BodiesAnswer,
    BodiesPageState,
    BodiesQuestions,
    bodies_answer,
    file_entry,
    initial_state,
    listed,
    motion_words,
    moved_marks,
    onset_words,
    scene_entry,
    shapes_of,
    use_colour,
)
from holdfast.assembly.plots import contact_polygons
from holdfast.errors import HoldfastError
from holdfast.scenes import Scene, load_scene, ready_path
from holdfast.scenes.page import FileSource
from holdfast.statics.paths import OnsetStatus
from holdfast.viewer.server import serve
from holdfast.web.marks import Arrows, Lines, Surface, Word, colour
from holdfast.web.page import Answer, PageEntry
from tests.viewer.stand_in import Visit, assert_leaves_nothing_behind
from tests.viewer.wire import WireBrowser, until

WEIGHT = 9.80665  # of each cube of the stack [N]


@pytest.fixture(scope="module")
def cubes() -> BodiesQuestions:
    return BodiesQuestions(load_scene("@stacked_cubes"))


@pytest.fixture(scope="module")
def arch() -> BodiesQuestions:
    return BodiesQuestions(load_scene("@arch"))


def asked(questions: BodiesQuestions, **changes: Any) -> BodiesAnswer:
    return questions.answer(replace(initial_state(questions.scene), **changes))


def drawn(questions: BodiesQuestions, **changes: Any) -> Answer:
    state = replace(initial_state(questions.scene), **changes)
    return bodies_answer(state, questions, shapes_of(questions.subject))


# -- verdicts and load factors -----------------------------------------------------------------------


@pytest.mark.parametrize(("tilt", "holds"), [(0.0, True), (26.5, True), (26.6, False)])
def test_the_stack_tips_as_one_where_its_centre_of_mass_passes_the_edge(
    cubes: BodiesQuestions, tilt: float, holds: bool
) -> None:
    """tan a = 1/2: 26.565 degrees."""
    found = asked(cubes, tilt=tilt)
    assert found.equilibrium.holds is holds and found.equilibrium.verify()
    if not holds:
        assert [side.name for side in found.gives_way] == ["lower on world"]
        assert found.verdict.tone == "bad"
        assert found.verdict.lines[0].startswith("lower on world gives way: lower turns about +y")
        assert found.verdict.margin.endswith("0, no part of it is held")


def test_friction_decides_when_the_stack_slides(cubes: BodiesQuestions) -> None:
    """0.8 x factor = tan 20 degrees = 0.364: factor 0.455."""
    assert asked(cubes, tilt=20.0, friction=0.46).equilibrium.holds
    slides = asked(cubes, tilt=20.0, friction=0.45)
    assert not slides.equilibrium.holds and "moves along" in slides.verdict.lines[0]


def test_the_weight_that_grows_is_that_of_the_chosen_body(cubes: BodiesQuestions) -> None:
    """Moments about the lower edge at a tilt a: (cos a - sin a) + s (cos a - 3 sin a) = 0."""
    a = np.radians(20.0)
    expected = (np.cos(a) - np.sin(a)) / (3.0 * np.sin(a) - np.cos(a))
    found = asked(cubes, tilt=20.0, grows=WEIGHTS, growing=("upper",))
    assert found.limit is not None and np.isclose(found.limit.value, expected, rtol=1e-6)
    assert found.limit.verify() and found.limit.upper_bound >= found.limit.value
    assert found.verdict.margin == "load factor of weight of upper: 6.92 (proven bound 6.92)"
    assert found.verdict.lines[0].startswith("lower on world gives way at the largest factor")
    assert np.allclose(found.growing.reshape(-1, 6)[0], 0.0)
    everything = asked(cubes, tilt=20.0, grows=WEIGHTS)
    assert everything.verdict.margin == "load factor of all weights: no limit"


def test_a_heavier_body_is_the_same_as_a_weight_that_has_grown(cubes: BodiesQuestions) -> None:
    a = np.radians(22.0)
    limit = (np.cos(a) - np.sin(a)) / (3.0 * np.sin(a) - np.cos(a))
    assert asked(cubes, tilt=22.0, heavy="upper", mass=0.999 * limit).equilibrium.holds
    assert not asked(cubes, tilt=22.0, heavy="upper", mass=1.001 * limit).equilibrium.holds
    assert asked(cubes, tilt=22.0, heavy=EVERY, mass=5.0).equilibrium.holds
    heavy = asked(cubes, heavy="upper", mass=2.0)
    assert np.allclose(heavy.wrench.reshape(-1, 6)[:, 2], [-WEIGHT, -2.0 * WEIGHT])


def test_loads_of_the_scene_and_an_extra_force_tip_the_stack_at_the_same_push(cubes: BodiesQuestions) -> None:
    """F x 0.15 m = 2 m g x 0.05 m."""
    push = 2.0 * WEIGHT * 0.05 / 0.15
    load = asked(cubes, load="shove", factor=0.5, grows=LOAD)
    assert load.equilibrium.holds and load.limit is not None
    assert np.isclose(load.limit.value, push / 3.5, rtol=1e-6)
    force = asked(cubes, pushed="upper", force=2.0, force_heading=90.0, grows=FORCE)
    assert force.limit is not None and np.isclose(force.limit.value, push / 2.0, rtol=1e-6)
    assert "about -x" in force.verdict.lines[0]


@pytest.mark.parametrize(
    ("grows", "words"),
    [
        (LOAD, "no load factor: choose a load of the scene"),
        (FORCE, "no load factor: move the slider of the extra force"),
        (WEIGHTS, "no load factor: choose a body under 'Weights that grow'"),
    ],
)
def test_where_nothing_grows_the_page_says_what_to_do(cubes: BodiesQuestions, grows: str, words: str) -> None:
    found = asked(cubes, grows=grows, growing=())
    assert found.limit is None and found.verdict.margin == words and found.verdict.status == "holds"


def test_a_stone_on_the_ground_may_grow_without_limit_and_the_keystone_may_not(arch: BodiesQuestions) -> None:
    ground = asked(arch, grows=WEIGHTS, growing=("stone 9",))
    assert ground.verdict.margin == "load factor of weight of stone 9: no limit"
    keystone = asked(arch, grows=WEIGHTS, growing=("stone 5",))
    assert keystone.limit is not None and keystone.limit.verify()
    growing = arch.scene.gravity_load(bodies=["stone 5"])
    for factor, holds in ((keystone.limit.value * 0.999, True), (keystone.limit.value * 1.001, False)):
        load = keystone.wrench + (factor - 1.0) * growing
        assert hf.equilibrium(arch.scene.assembly, load).holds is holds


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"friction": 0.0}, "friction scale"),
        ({"friction": float("nan")}, "friction scale"),
        ({"mass": 0.0}, "mass factor"),
        ({"force": -1.0}, "extra force"),
        ({"tilt": float("nan")}, "gravity"),
        ({"load": "nothing"}, "nothing"),
        ({"heavy": "nobody"}, "nobody"),
        ({"pushed": "nobody", "force": 1.0}, "nobody"),
        ({"grows": "nothing"}, "what grows"),
        ({"grows": WEIGHTS, "growing": ("nobody",)}, "nobody"),
    ],
)
def test_values_out_of_range_are_refused_in_words(cubes: BodiesQuestions, change: dict, words: str) -> None:
    with pytest.raises(HoldfastError, match=words):
        asked(cubes, **change)


def test_the_page_names_walls_without_friction_and_judges_them_with_the_load_of_the_scene() -> None:
    """Two posts press a plate that nothing else carries: with the load it holds, without it it falls."""
    sizes = {"left": (-0.06, 0.05, 0.1), "plate": (0.0, 0.08, 0.04), "right": (0.06, 0.05, 0.1)}
    bodies = []
    for name, (x, z, height) in sizes.items():
        pose = hf.Pose(np.eye(3), (x, 0, z))
        size = np.array([0.04 if name != "plate" else 0.08, 0.1, height])
        bodies.append(hf.RigidBody(1.0, name=name, shape=hf.assembly.shapes.Box(size, pose)))
    floor = hf.assembly.shapes.Box(np.array([4, 4, 0.1]), hf.Pose(np.eye(3), (0, 0, -0.05)))
    push = {name: [f, 0, 0, 0, f * 0.08, 0] for name, f in (("left", 20.0), ("right", -20.0))}
    volume = hf.models.coulomb(0.6)
    scene = Scene.touching(bodies, volume, world=[floor])
    scene = replace(scene, loads={"press": scene.assembly.stacked({k: np.array(v) for k, v in push.items()})})
    questions = BodiesQuestions(scene)
    free = asked(questions)
    assert not free.equilibrium.holds and any("nothing squeezes" in line for line in free.verdict.lines)
    for friction in (1.0, 1.1):
        pressed = asked(questions, load="press", friction=friction)
        assert pressed.equilibrium.holds and not any("squeezes" in line for line in pressed.verdict.lines)


def test_a_scene_with_one_object_is_refused_and_one_with_bodies_has_no_page_of_contacts() -> None:
    with pytest.raises(HoldfastError, match="has no bodies"):
        BodiesQuestions(load_scene("@block_on_slope"))
    with pytest.raises(HoldfastError, match="has 2 bodies"):
        FileSource("@stacked_cubes").scene({})


# -- tilt and motion ---------------------------------------------------------------------------------


def test_the_tilt_at_which_the_stack_slips_is_found_with_progress(cubes: BodiesQuestions) -> None:
    seen: list[float] = []
    state = replace(initial_state(cubes.scene), tilt=45.0, heading=180.0)
    found = cubes.onset(state, seen.append)
    assert found.status is OnsetStatus.SLIPS and found.verify()
    low, high = np.degrees(found.bracket)
    assert low <= np.degrees(np.arctan(0.5)) <= high + 1e-6 and len(seen) >= found.tests
    words = onset_words(found, state)
    assert words.startswith("**Slips at 26.56") and words.endswith("Then lower on world gives way.")
    slides = cubes.onset(replace(state, friction=0.1), seen.append)
    assert np.isclose(slides.value, np.arctan(0.08), atol=1e-4)


def test_a_cube_that_is_lifted_accelerates_alone(cubes: BodiesQuestions) -> None:
    """(12 N - m g) / m; the lower cube stays."""
    answer = asked(cubes, load="lift")
    motion = cubes.separation(answer)
    expected = 12.0 - WEIGHT
    assert np.allclose(motion.body_accelerations, [[0.0] * 6, [0.0, 0.0, expected, 0.0, 0.0, 0.0]], atol=1e-6)
    assert motion_words(motion, answer.scene) == (
        "initial accelerations (principle of least acceleration):",
        f"upper: {expected:.3g} m/s^2",
    )
    shapes = shapes_of(cubes.subject)
    moving = moved_marks(motion, shapes)
    first, last = (moving(moment)["moved/faces"] for moment in (0.0, 1.0))
    assert isinstance(first, Surface) and isinstance(last, Surface)
    assert len(first.vertices) == len(shapes.faces[1][0])  # the upper cube alone
    assert np.allclose(last.vertices - first.vertices, [0.0, 0.0, TRAVEL * shapes.size], atol=1e-6)
    heavy = asked(cubes, load="lift", heavy="upper", mass=0.5)
    half = cubes.separation(heavy).body_accelerations[1, 2]
    assert np.isclose(half, (12.0 - 0.5 * WEIGHT) / 0.5, rtol=1e-6)


# -- what is drawn -------------------------------------------------------------------------------------


def test_interfaces_carry_what_stands_on_them(cubes: BodiesQuestions) -> None:
    marks = drawn(cubes, contacts=False).drawing.marks
    arrows = marks["forces/interfaces"]
    assert isinstance(arrows, Arrows)
    ways = arrows.points[:, 1] - arrows.points[:, 0]
    assert np.allclose(ways[0], 2.0 * ways[1]) and ways[0, 2] > 0.0  # the lower one carries both cubes
    assert np.allclose(arrows.points[:, 0], [[0.0, 0.0, 0.0], [0.0, 0.0, 0.1]], atol=1e-9)
    assert "forces/contacts" not in marks
    unused = marks["interfaces/0 %"]
    assert isinstance(unused, Surface) and unused.colour == colour(IDLE)
    body = marks["bodies/faces 1"]
    assert isinstance(body, Surface) and np.isclose(np.ptp(body.vertices[:, 0]), SHRUNK * 0.1)


def test_interfaces_are_coloured_by_their_utilisation_and_what_gives_way_has_a_rim(cubes: BodiesQuestions) -> None:
    """Some contact of each interface has |f_t| / (mu f_n) of at least tan 20 deg / 0.4; 0.9375 is the next 16th."""
    found = asked(cubes, tilt=20.0, friction=0.5)
    assert found.needed == 15.0 / 16.0 and found.equilibrium.verify()
    assert np.all(found.uses >= np.tan(np.radians(20.0)) / 0.4 - 1e-6) and np.all(found.uses <= found.needed + 1e-6)
    assert found.verdict.lines[-1] == "94 % of the friction is sufficient"
    assert [use_colour(use) for use in (0.0, 0.5, 1.0)] == [colour(IDLE), colour(HALF), colour(FULL)]
    falls = drawn(cubes, tilt=30.0).drawing.marks
    assert "interfaces/without forces" in falls and "forces/interfaces" not in falls
    rim = falls["interfaces/give way"]
    assert isinstance(rim, Lines) and np.allclose(rim.points[..., 2], 0.0, atol=1e-9)  # lower on world


def test_names_and_loads_are_drawn_where_they_are_wanted(cubes: BodiesQuestions) -> None:
    shown, hidden = (drawn(cubes, names=on, loads=on).drawing.marks for on in (True, False))
    words = [mark.text for mark in shown.values() if isinstance(mark, Word)]
    assert words == ["lower", "upper", "gravity"]
    assert not any(name.startswith(("names", "loads")) for name in hidden)
    gravity = drawn(cubes, tilt=90.0, heading=90.0).drawing.marks["gravity/arrow"]
    assert isinstance(gravity, Arrows)
    way = gravity.points[0, 1] - gravity.points[0, 0]
    assert np.allclose(way / np.linalg.norm(way), [0.0, 1.0, 0.0], atol=1e-9)


def test_bodies_without_shapes_are_drawn_by_their_contacts() -> None:
    volume = hf.models.coulomb(0.5)
    contacts = [
        hf.Contact([x, y, z], np.eye(3), volume, f"{body}[{number}]", body=body, against=against)
        for body, against, z in (("low", None, 0.0), ("high", "low", 0.1))
        for number, (x, y) in enumerate([(0.0, 0.0), (0.1, 0.0), (0.0, 0.1)])
    ]
    contacts.append(hf.Contact([0.05, 0.05, 0.1], np.eye(3), volume, "alone", body="high", against="low"))
    bodies = (hf.RigidBody(1.0, [0.03, 0.03, 0.05], name="low"), hf.RigidBody(1.0, [0.03, 0.03, 0.15], name="high"))
    questions = BodiesQuestions(Scene(assembly=hf.Assembly(contacts), bodies=bodies, name="no shapes"))
    marks = drawn(questions).drawing.marks
    assert "bodies/faces 0" in marks and isinstance(marks["bodies/edges 0"], Lines)
    parts = contact_polygons(contacts[3:])
    assert [(len(part), own) for part, own in parts] == [(3, (0, 1, 2)), (1, (3,))]
    assert any(name.endswith("points") for name in marks)


def test_many_names_are_counted() -> None:
    assert listed(("a", "b")) == "a, b"
    assert listed(("a", "b", "c", "d", "e")) == "a, b, c and 2 more"


# -- the page ------------------------------------------------------------------------------------------


def test_moving_the_controls_changes_what_is_shown() -> None:
    with Visit(ENTRIES[0].make) as visit:
        page, controls = visit.page, visit.browser.gui.controls
        assert visit.errors == [] and visit.verdict.shown.status == "holds"
        visit.drag("Load of the scene", "lift")
        assert visit.verdict.shown.status == "does not hold"
        assert page._later.wait(60.0)
        assert visit.verdict.shown.lines[-1] == f"upper: {12.0 - WEIGHT:.3g} m/s^2"
        until(lambda: "moved/faces" in visit.names)
        visit.drag("Load of the scene", "none")
        assert visit.verdict.shown.status == "holds" and "moved/faces" not in visit.names
        visit.drag("Gravity tilt [deg]", 20.0)
        visit.drag("What grows", WEIGHTS)
        visit.drag("Weight of lower", False)
        assert visit.verdict.shown.margin.startswith("load factor of weight of upper: 6.92 ")
        controls["Find the tilt at which it slips"].drag(value=True)
        assert page._search.wait(60.0)
        assert page._onset_notes.content.startswith("**Slips at 26.56")
        visit.drag("Gravity tilt [deg]", 10.0)
        assert page._onset_notes.content  # the tilt is what was looked for
        visit.drag("Friction scale", 0.5)
        assert page._onset_notes.content == ""  # it was about another friction
        visit.drag("Names", False)
        assert visit.errors == [] and not any(name.startswith("names") for name in visit.names)
        assert_leaves_nothing_behind(visit)


def test_a_broken_file_is_reported_and_a_mended_one_is_read(tmp_path: Path) -> None:
    path, good = tmp_path / "stack.yaml", ready_path("@stacked_cubes").read_text("utf-8")
    path.write_text(good, "utf-8")
    entry = file_entry(path)
    assert (entry.key, entry.title) == ("scene", "stack.yaml")
    with Visit(entry.make) as visit:
        read = visit.browser.gui.controls["Read the file again"]
        path.write_text("bodies: [", "utf-8")
        read.drag()
        visit.settle()
        assert len(visit.errors) == 1 and "stack.yaml" in str(visit.errors[0])
        path.write_text(good.replace("push:", "shift:"), "utf-8")
        read.drag()
        visit.settle()
        assert "other bodies or loads" in str(visit.errors[-1]) and visit.verdict.shown.status == "holds"
        path.write_text(good.replace("mu: 0.8", "mu: 0.2"), "utf-8")
        read.drag()
        visit.drag("Gravity tilt [deg]", 15.0)
        assert len(visit.errors) == 2 and visit.verdict.shown.status == "does not hold"


def test_forces_of_many_contacts_are_refined_once_the_controls_rest() -> None:
    with Visit(ENTRIES[1].make) as visit:
        assert visit.page._later.wait(60.0) and visit.errors == []
        assert "6 % of the friction is sufficient" in visit.verdict.shown.lines  # a stack at rest needs none
        visit.drag("Gravity tilt [deg]", 20.0)
        assert visit.page._later.wait(60.0)
        assert "94 % of the friction is sufficient" in visit.verdict.shown.lines  # tan 20 deg / 0.4 = 0.91
        assert visit.verdict.request == visit.worker.number


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.key)
def test_every_ready_page_opens_and_leaves_nothing_behind(entry: PageEntry) -> None:
    with Visit(entry.make) as visit:
        assert visit.errors == [] and visit.verdict.shown.status == "holds"
        assert visit.verdict.shown.margin.endswith("no limit")
        assert_leaves_nothing_behind(visit)


@pytest.fixture
def browser() -> Iterator[WireBrowser]:
    read = lambda: load_scene("@stacked_cubes")  # noqa: E731
    server = serve([scene_entry(read, "c", "cubes")], port=0)
    made = WireBrowser(server)
    until(lambda: made.session.verdict.shown.status == "holds")
    yield made
    made.close()
    server.stop()


def test_over_the_wire_controls_change_the_state_and_the_verdict(browser: WireBrowser) -> None:
    page: Any = browser.session.page
    moves = {"tilt": 30.0, "heading": 90.0, "heavy": "upper", "mass": 1.5, "load": "push", "factor": -1.0}
    for name, value in moves.items():
        browser.move(page._handles[name], value)
    browser.move(page._chosen["lower"], False)
    until(lambda: page.state().growing == ("upper",))
    state: BodiesPageState = page.state()
    assert {name: getattr(state, name) for name in moves} == moves
    direct = BodiesQuestions(load_scene("@stacked_cubes")).answer(state).verdict
    until(lambda: browser.session.verdict.shown.margin == direct.margin)
    assert browser.session.verdict.shown.status == direct.status == "does not hold"
    assert browser.session.verdict.error == ""

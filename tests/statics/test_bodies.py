"""Several bodies: verdicts and limits against a referee of first principles, closed forms, invariances and errors."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import holdfast as hf
from holdfast.assembly.shapes import Box, convex_mesh
from holdfast.errors import HoldfastError, InputError, UnknownNameError
from holdfast.scenes import Scene
from holdfast.statics.paths import rotating_gravity
from tests.nightly import nightly_after
from tests.referee import block
from tests.several_bodies import (
    BodiesCase,
    assert_balance,
    bound_from_motions,
    is_refuted,
    largest_factor,
    names_of,
    random_bodies,
    rotated,
    unit_groups,
)

GRAVITY = 9.80665
UP = hf.frame_from_normal([0, 0, 1])


def cube(name: str, at: tuple[float, float, float], size: float = 0.1, mass: float = 1.0) -> hf.RigidBody:
    """A cube about a point [m]."""
    return hf.RigidBody(mass, name=name, shape=Box([size] * 3, hf.Pose(np.eye(3), at)))


def floor() -> Box:
    """A floor whose top is z = 0."""
    return Box([10.0, 10.0, 0.1], hf.Pose(np.eye(3), [0, 0, -0.05]))


def weights(scene: Scene, *names: str) -> np.ndarray:
    """(6 n,) the weights of some bodies, or of all."""
    return scene.gravity_load(bodies=names or None)


def tilt(scene: Scene, start: float, stop: float) -> float:
    """Angle [deg] of gravity towards x at which the scene no longer holds."""
    path = rotating_gravity(scene, (0, 0, -1), (1, 0, 0))
    found = hf.slip_onset(path, np.radians(start), np.radians(stop), step=0.02, tolerance=1e-6, curved=False)
    assert found.verify()
    return float(np.degrees(found.value))


# -- the referee ---------------------------------------------------------------------------------------


def assert_answers(case: BodiesCase) -> None:
    """Limit, bound, ramp, and verdicts 1e-3 and 1e-6 on either side of the limit, all proofs checked by the referee."""
    assembly, load = case.assembly, case.load
    expected, found = largest_factor(assembly, load), hf.load_limit(assembly, load)
    assert found.verify()
    if not np.isfinite(expected):
        assert found.status == ("unbounded" if expected > 0 else "does not hold")
        return
    assert found.status == "optimal"
    assert found.value == pytest.approx(expected, rel=2e-6, abs=1e-7)
    assert_balance(assembly, found.value * load, found.forces, found.pieces)
    assert bound_from_motions(found) <= found.upper_bound + 1e-8 * (1.0 + abs(found.upper_bound))
    if expected <= 1e-6:
        return
    convex = assembly.layout.combinations == 1
    for share in (1e-3, 1e-6):
        above, below = (hf.equilibrium(assembly, expected * (1.0 + sign * share) * load) for sign in (1.0, -1.0))
        assert above.status == "does not hold"
        assert above.verify()
        assert is_refuted(above)
        if convex and assembly.joints is None:
            assert below.holds
        assert below.verify()
        if below.holds:
            assert_balance(assembly, below.wrench, below.forces, below.pieces)
        else:
            assert is_refuted(below)


@pytest.mark.parametrize("seed", nightly_after(14, range(200)))
def test_convex_contacts_of_several_bodies_answer_as_the_referee_does(seed):
    assert_answers(random_bodies(seed))


@pytest.mark.parametrize("seed", nightly_after(8, [1, *range(3, 9), *range(10, 100)]))
def test_unions_of_several_bodies_answer_as_the_referee_does(seed):
    assert_answers(random_bodies(seed, kind="union"))


@pytest.mark.parametrize("seed", [151, 191])
def test_unions_whose_hulls_carry_any_load_have_a_limit(seed):
    assert_answers(random_bodies(seed, kind="union"))


@pytest.mark.parametrize("seed", nightly_after(6, range(1, 60)))
def test_chosen_loads_grow_while_the_others_stay(seed):
    case = random_bodies(seed, joints=False)
    rng = np.random.default_rng(seed)
    n = case.assembly.body_count
    chosen = rng.random(n) < 0.5
    chosen[int(rng.integers(n))] = True
    growing = (case.load.reshape(n, 6) * chosen[:, None]).ravel()
    base = 0.7 * case.load
    expected = largest_factor(case.assembly, growing, base)
    found = hf.load_ramp(case.assembly, base, growing)
    at_base = largest_factor(case.assembly, base)
    if at_base < 1.0:
        assert found.status == "does not hold the base load"
        assert found.verify()
        return
    if expected == np.inf:
        assert found.status == "no limit"
        return
    assert found.value == pytest.approx(expected, rel=2e-6, abs=1e-7)
    assert found.verify()
    assert_balance(case.assembly, base + found.value * growing, found.largest.forces, found.largest.pieces)


# -- closed forms --------------------------------------------------------------------------------------


def stack(count: int, *, mu: float = 1.0, masses: tuple[float, ...] = ()) -> Scene:
    """Cubes of 0.1 m one upon another: "cube 0", "cube 1", ..."""
    masses = masses or (1.0,) * count
    bodies = [cube(f"cube {at}", (0.0, 0.0, 0.1 * at + 0.05), mass=masses[at]) for at in range(count)]
    return Scene.touching(bodies, hf.models.coulomb(mu, facets=4), world=[floor()])


def test_two_cubes_are_ten_lines_and_tip_at_26_57_degrees():
    scene = stack(2)
    assert hf.equilibrium(scene.assembly, scene.gravity_load()).holds
    assert tilt(scene, 26.0, 27.0) == pytest.approx(np.degrees(np.arctan(0.5)), abs=2e-4)
    assert tilt(stack(4), 13.5, 14.5) == pytest.approx(np.degrees(np.arctan(0.25)), abs=2e-4)


def test_weights_of_chosen_bodies_grow_until_the_plank_tips():
    """A plank with its middle 0.05 m inside the edge bears on its free end, 0.15 m outside, a third of its weight."""
    table, end = cube("table", (0, 0, 0.05), 0.1, 10.0), cube("end", (0.205, 0, 0.13), 0.01, 0.1)
    plank = hf.RigidBody(1.0, name="plank", shape=Box([0.4, 0.1, 0.025], hf.Pose(np.eye(3), [0.0, 0, 0.1125])))
    scene = Scene.touching(
        [table, plank, replace(end, shape=Box([0.01] * 3, hf.Pose(np.eye(3), [0.195, 0, 0.13])), com=None)],
        hf.models.coulomb(0.5),
        world=[floor()],
    )
    found = hf.load_ramp(scene.assembly, weights(scene, "table", "plank"), weights(scene, "end"))
    assert found.verify()
    assert found.value == pytest.approx(1.0 * 0.05 / (0.1 * 0.145), rel=1e-6)


@pytest.mark.parametrize("count", [3, 6, 10])
def test_blocks_overhang_by_the_harmonic_sum(count):
    """Block i from the top may stand out by L / (2 i): a little less holds, a little more does not."""
    for share, holds in ((1.0 - 1e-4, True), (1.0 + 1e-4, False)):
        at, places = 0.0, []
        for i in range(1, count + 1):
            places.append(at)
            at -= share * 0.2 / (2.0 * i)
        bodies = [
            hf.RigidBody(1.0, name=f"b{i}", shape=Box([0.2, 0.1, 0.05], hf.Pose(np.eye(3), [x, 0, -0.05 * i - 0.025])))
            for i, x in enumerate(places)
        ]
        ground = Box([1.0, 0.1, 0.05], hf.Pose(np.eye(3), [at + 0.1 - 0.5, 0, -0.05 * count - 0.025]))
        scene = Scene.touching(bodies, hf.models.coulomb(0.5), world=[ground])
        answer = hf.equilibrium(scene.assembly, scene.gravity_load())
        assert answer.status == ("holds" if holds else "does not hold")
        assert answer.verify()


def wedge_scene(angle: float, mu: float) -> Scene:
    """A wedge on a floor, and a block on its slope that a frictionless wall keeps from moving sideways."""
    run, rise = 0.4, 0.4 * np.tan(angle)
    corners = [[x, y, z] for y in (-0.1, 0.1) for x, z in ((0.0, 0.0), (run, 0.0), (run, rise))]
    middle = np.array([0.6 * run, 0.6 * rise])
    along, out = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    flat = hf.frame_from_normal([out[0], 0.0, out[1]], shear=[along[0], 0.0, along[1]])
    volume, smooth = hf.models.coulomb(mu, facets=4), hf.models.coulomb(1e-6, facets=4)
    contacts = [hf.Contact([x, y, 0.0], UP, volume, body="wedge") for x in (0.0, run) for y in (-0.1, 0.1)] + [
        hf.Contact(
            [*(middle + s * along)][:1] + [y] + [(middle + s * along)[1]], flat, volume, body="block", against="wedge"
        )
        for s in (-0.05, 0.05)
        for y in (-0.1, 0.1)
    ]
    centre = middle + 0.05 * out
    wall = hf.frame_from_normal([1.0, 0.0, 0.0])
    contacts += [
        hf.Contact([centre[0] - 0.1, y, centre[1] + dz], wall, smooth, body="block")
        for y in (-0.1, 0.1)
        for dz in (-0.2, 0.2)
    ]
    bodies = (
        hf.RigidBody(1.0, [2 * run / 3, 0, rise / 3], name="wedge", shape=convex_mesh(corners)),
        hf.RigidBody(10.0, [centre[0], 0.0, centre[1]], name="block"),
    )
    return Scene(assembly=hf.Assembly(contacts), bodies=bodies)


def test_a_wedge_is_driven_in_by_the_force_of_the_textbook():
    """P = W tan(angle + phi) + (W + w) tan(phi): friction at the floor and on the slope, none at the wall."""
    angle, mu = np.radians(15.0), 0.2
    scene, phi = wedge_scene(angle, mu), np.arctan(mu)
    push = {"wedge": [-1.0, 0, 0, 0, 0, 0]}
    found = hf.load_ramp(scene.assembly, scene.gravity_load(), push)
    lifted, own = 10.0 * GRAVITY, 1.0 * GRAVITY
    assert found.verify()
    expected = lifted * np.tan(angle + phi) + mu * (lifted + own)
    assert found.value == pytest.approx(expected, rel=1e-4)


def hanging(count: int, pull: float) -> Scene:
    """Cubes of 1 kg that hang from a ceiling and from each other by magnets, each interface with `pull` [N] in all."""
    bodies = [cube(f"cube {at}", (0.0, 0.0, -0.1 * at - 0.05)) for at in range(count)]
    ceiling = Box([1.0, 1.0, 0.1], hf.Pose(np.eye(3), [0, 0, 0.05]))
    return Scene.touching(bodies, hf.models.magnet(pull, 0.3, cap=10 * pull), world=[ceiling], share="region")


@pytest.mark.parametrize("count", [2, 5, 9])
def test_a_chain_of_magnets_breaks_at_the_top(count):
    scene = hanging(count, 50.0)
    found = hf.load_limit(scene.assembly, scene.gravity_load())
    assert found.value == pytest.approx(50.0 / (count * GRAVITY), rel=1e-6)
    diagnosis = hf.diagnose(found)
    giving = [state.name for state in diagnosis.interfaces if state.gives_way]
    assert giving == ["cube 0 on world"]


def test_the_price_of_the_limiting_interface_is_its_finite_difference():
    scene = hanging(4, 50.0)
    found = hf.load_limit(scene.assembly, scene.gravity_load())
    for state in hf.diagnose(found).interfaces:
        chosen = set(state.interface.contacts)
        contacts = [
            replace(c, volume=c.volume.scaled(1.01)) if i in chosen else c
            for i, c in enumerate(scene.assembly.contacts)
        ]
        stronger = hf.load_limit(hf.Assembly(contacts), scene.gravity_load())
        assert state.price == pytest.approx(stronger.value - found.value, rel=1e-4, abs=1e-7)


def ladder(angle: float, mu: float, parts: int) -> tuple[hf.Assembly, dict[str, np.ndarray]]:
    """A ladder of 4 m and 8 kg at an angle to the floor against a wall, in one part or welded together from several."""
    along = np.array([np.cos(angle), 0.0, np.sin(angle)])
    foot, top = np.zeros(3), 4.0 * along
    weld = hf.ForceVolume([block([-1e5] * 3, [1e5] * 3)])
    volume, wall = hf.models.coulomb(mu, facets=4), hf.frame_from_normal([-1, 0, 0])
    names = [f"part {at}" for at in range(parts)]
    contacts = [hf.Contact(foot + [0, y, 0], UP, volume, body=names[0]) for y in (-0.2, 0.2)]
    contacts += [hf.Contact(top + [0, y, 0], wall, volume, body=names[-1]) for y in (-0.2, 0.2)]
    for at in range(1, parts):
        joint = 4.0 * at / parts * along
        for offset in ([0, 0.2, 0], [0, -0.2, 0], [0, 0, 0.1]):
            contacts.append(hf.Contact(joint + offset, UP, weld, body=names[at], against=names[at - 1]))
    load = {
        name: hf.loads.gravity_wrench(8.0 / parts, [0, 0, -GRAVITY], 4.0 * (at + 0.5) / parts * along)
        for at, name in enumerate(names)
    }
    return hf.Assembly(contacts), load


@pytest.mark.parametrize("parts", [1, 2, 8])
def test_a_ladder_holds_as_one_body_or_welded_from_several(parts):
    """A climber of 80 kg slips it where both friction limits are met; the lever rule gives how high."""
    angle, mu = np.radians(60.0), 0.35
    assembly, load = ladder(angle, mu, parts)
    person = 80.0
    floor_normal = (person + 8.0) * GRAVITY / (1.0 + mu * mu)
    wall_normal = mu * floor_normal
    # torque about the foot: wall normal and friction against the weights
    torque = wall_normal * 4.0 * np.sin(angle) + mu * wall_normal * 4.0 * np.cos(angle)
    height = (torque / GRAVITY / np.cos(angle) - 8.0 * 2.0) / person
    part = f"part {min(parts - 1, int(height / (4.0 / parts)))}"
    for share, holds in ((1.0 - 1e-5, True), (1.0 + 1e-5, False)):
        at = share * height * np.array([np.cos(angle), 0.0, np.sin(angle)])
        total = dict(load)
        total[part] = total[part] + hf.loads.gravity_wrench(person, [0, 0, -GRAVITY], at)
        if parts == 1:
            assert assembly.body_count == 1
        answer = hf.equilibrium(assembly, total)
        assert answer.status == ("holds" if holds else "does not hold")
        assert answer.verify()


def test_a_sheet_in_two_grippers_slips_at_the_friction_of_both():
    """Two grippers press a sheet from both sides with 30 N by their joints; it hangs by 4 mu N."""
    volume = hf.models.coulomb(0.4, facets=4)
    contacts, rows = [], []
    for side, name in ((-0.1, "left"), (0.1, "right")):
        for face in (-1.0, 1.0):
            frame = hf.frame_from_normal([0.0, -face, 0.0], shear=[0.0, 0.0, 1.0])
            contacts.append(
                hf.Contact([side, 0.001 * face, 0.0], frame, volume, body="sheet", against=f"{name} jaw {face:+.0f}")
            )
    for contact in list(contacts):
        weld = hf.ForceVolume([block([-1e3] * 3, [1e3] * 3)])
        for offset in ([0.02, 0, 0], [-0.02, 0, 0], [0, 0, 0.02]):
            contacts.append(
                hf.Contact(contact.position + 0.01 * contact.rotation[:, 2] + offset, UP, weld, body=contact.against)
            )
    for at in range(4):
        row = np.zeros((len(contacts), 3))
        row[at] = contacts[at].rotation[:, 2]
        rows.append(row.ravel())
    joints = hf.JointRows(np.array(rows), np.full(4, 30.0), np.full(4, 30.0))
    assembly = hf.Assembly(contacts, joints)
    found = hf.load_limit(assembly, {"sheet": [0, 0, -1, 0, 0, 0]})
    assert found.value == pytest.approx(4 * 0.4 * 30.0, rel=1e-6)
    assert found.verify()
    assert {s.name for s in hf.diagnose(found).interfaces if s.gives_way} == {
        i.name for i in assembly.interfaces if i.body == "sheet"
    }


def test_a_ball_in_a_box_weighs_on_the_box():
    """A body inside a body: the box carries both, and a lid that is no deeper than the ball limits nothing."""
    box = [
        Box([0.3, 0.3, 0.02], hf.Pose(np.eye(3), [0, 0, 0.01])),
        *(Box([0.02, 0.3, 0.2], hf.Pose(np.eye(3), [x, 0, 0.12])) for x in (-0.14, 0.14)),
    ]
    inner = cube("inner", (0.0, 0.0, 0.07), 0.1, 2.0)
    contacts = hf.assembly.touching({"box": box, "inner": inner.shape}, hf.models.coulomb(0.5), world=[floor()])
    assembly = hf.Assembly(contacts)
    load = {
        "box": hf.loads.gravity_wrench(1.0, [0, 0, -GRAVITY], [0, 0, 0.05]),
        "inner": inner.weight([0, 0, -GRAVITY]),
    }
    answer = hf.equilibrium(assembly, load)
    assert answer.holds
    assert answer.interface_wrenches["box on world"][2] == pytest.approx(3.0 * GRAVITY)
    assert answer.interface_wrenches["inner on box"][2] == pytest.approx(2.0 * GRAVITY)
    pushed = hf.load_ramp(assembly, load, {"inner": [1, 0, 0, 0, 0.07, 0]})
    assert pushed.value == pytest.approx(0.5 * 2.0 * GRAVITY, rel=1e-6)


# -- invariances ---------------------------------------------------------------------------------------


def same_limit(
    one: hf.Assembly, first: np.ndarray, two: hf.Assembly, second: np.ndarray, *, factor: float = 1.0
) -> None:
    """Both have the same limit, up to a factor, and both verify."""
    a, b = hf.load_limit(one, first), hf.load_limit(two, second)
    assert a.status == b.status
    assert a.verify()
    assert b.verify()
    if a.status == "optimal":
        assert b.value == pytest.approx(factor * a.value, rel=2e-6, abs=1e-8)


@pytest.mark.parametrize("seed", [1, 2, 4, 5])
def test_answers_do_not_depend_on_where_the_origin_is(seed):
    case = random_bodies(seed, joints=False)
    pose = hf.Pose(rotated(np.random.default_rng(seed)).rotation, [900.0, -500.0, 300.0])
    moved = case.assembly.moved(pose)
    forces = case.load.reshape(-1, 6)
    turned = np.concatenate([forces[:, :3] @ pose.rotation.T, forces[:, 3:] @ pose.rotation.T], axis=1)
    turned[:, 3:] += np.cross(pose.translation, turned[:, :3])
    same_limit(case.assembly, case.load, moved, turned.ravel())


@pytest.mark.parametrize("seed", [1, 2, 4, 5])
def test_answers_do_not_depend_on_names_and_order(seed):
    case = random_bodies(seed, joints=False)
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(unit_groups(case.assembly)))
    groups = unit_groups(case.assembly)
    contacts = [case.assembly.contacts[i] for at in order for i in groups[at]]
    units: dict[object, hf.assembly.Unit] = {}
    new = {name: f"other {at}" for at, name in enumerate(sorted(names_of(case.assembly)))}
    renamed = [
        replace(
            c,
            body=new[c.body],
            against=None if c.against is None else new[c.against],
            unit=None if len(c.volume) == 1 else units.setdefault(c.unit, hf.assembly.Unit()),
        )
        for c in contacts
    ]
    loads = dict(zip([new[name] for name in case.assembly.bodies], case.load.reshape(-1, 6), strict=True))
    other = hf.Assembly(renamed)
    same_limit(case.assembly, case.load, other, other.stacked(loads))


@pytest.mark.parametrize("seed", [1, 2, 4, 5])
def test_a_contact_may_be_told_from_either_side(seed):
    """Swapped sides: the frame's normal and lateral axes reversed, and the volume mirrored to match."""
    case = random_bodies(seed, joints=False)
    turn = np.diag([-1.0, 1.0, -1.0])  # the same forces act on the other body with the opposite sign

    def swapped(contact: hf.Contact) -> hf.Contact:
        if contact.against is None:
            return contact
        pieces = [-(p @ turn.T) for p in contact.volume.pieces]
        rays = [-(r @ turn.T) for r in contact.volume.rays]
        volume = hf.ForceVolume(pieces, rays)
        return replace(
            contact,
            rotation=contact.rotation @ turn,
            volume=volume,
            body=contact.against,
            against=contact.body,
            unit=None,
        )

    other = hf.Assembly([swapped(c) for c in case.assembly.contacts])
    loads = dict(zip(case.assembly.bodies, case.load.reshape(-1, 6), strict=True))
    same_limit(
        hf.Assembly([replace(c, unit=None) for c in case.assembly.contacts]), case.load, other, other.stacked(loads)
    )


@pytest.mark.parametrize("unit", [1e-3, 1e3, 1e6])
@pytest.mark.parametrize(("kind", "seed"), [("convex", 3), ("convex", 8), ("union", 4)])
def test_answers_do_not_depend_on_the_unit_of_force(unit, kind, seed):
    case = random_bodies(seed, kind=kind, joints=False)
    scaled = case.assembly.with_volumes(lambda volume: volume.scaled(unit))
    same_limit(case.assembly, case.load, scaled, unit * case.load)


def boxes(seed: int, sizes: tuple[float, ...]) -> hf.Assembly:
    """A random assembly whose contacts bear forces of boxes: each of one of the sizes [N]."""
    case, rng = random_bodies(seed, joints=False), np.random.default_rng([seed, 1])
    made = {size: hf.ForceVolume([block([-size] * 3, [size] * 3)]) for size in sizes}
    return hf.Assembly([replace(c, volume=made[float(rng.choice(sizes))], unit=None) for c in case.assembly.contacts])


@pytest.mark.parametrize("sizes", [(1e6,), (1.0, 1e6), (1e-3, 1.0, 1e3, 1e7)])
@pytest.mark.parametrize("seed", nightly_after(6, [43, 95, 46, 11, 70, 139, *range(60)]))
def test_loads_of_a_few_newtons_on_boxes_of_any_size_are_decided(sizes, seed):
    assembly, rng = boxes(seed, sizes), np.random.default_rng([seed, 2])
    load = np.concatenate(
        [
            hf.loads.gravity_wrench(rng.uniform(0.1, 1.0), [0, 0, -GRAVITY], rng.uniform(-0.5, 0.5, 3))
            for _ in assembly.bodies
        ]
    )
    found, answer = hf.load_limit(assembly, load), hf.equilibrium(assembly, load)
    assert found.status == "optimal"
    assert found.verify()
    assert answer.verify()
    assert answer.holds is (found.value >= 1.0)
    if found.value * float(np.abs(load).max()) > 1e-9 * max(sizes):
        for share in (1e-3, -1e-3):
            near = hf.equilibrium(assembly, (1.0 + share) * found.value * load)
            assert near.status == ("does not hold" if share > 0 else "holds")
            assert near.verify()
            if not near.holds:
                assert is_refuted(near)


@pytest.mark.parametrize("count", [1, 3, 8])
@pytest.mark.parametrize("light", [1e-3, 1e-6])
def test_a_light_body_that_slides_is_not_lost_beside_heavy_ones(count, light):
    """On a stack of blocks of 1 t lies a body of 1 g or 1 mg on a slope: its own friction decides."""
    volume, contacts, load = hf.models.coulomb(0.5, facets=4), [], {}
    corners = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    for at in range(count):
        below = f"block {at - 1}" if at else None
        contacts += [hf.Contact([x, y, at], UP, volume, body=f"block {at}", against=below) for x, y in corners]
        load[f"block {at}"] = hf.loads.gravity_wrench(1e3, [0, 0, -GRAVITY], [0, 0, at + 0.5])
    for slope, holds in ((0.499, True), (0.501, False)):
        normal = np.array([slope, 0.0, 1.0]) / np.hypot(1.0, slope)
        frame, top = hf.frame_from_normal(normal, shear=[1.0, 0.0, 0.0]), np.array([0.0, 0.0, count])
        feet = [top + frame @ [0.1 * x, 0.1 * y, 0.0] for x, y in corners]
        own = [hf.Contact(foot, frame, volume, body="light", against=f"block {count - 1}") for foot in feet]
        load["light"] = hf.loads.gravity_wrench(light, [0, 0, -GRAVITY], top + 0.01 * normal)
        answer = hf.equilibrium(hf.Assembly(contacts + own), load)
        assert answer.status == ("holds" if holds else "does not hold")
        assert answer.verify()


# -- many bodies ---------------------------------------------------------------------------------------


def wall(columns: int, rows: int) -> Scene:
    """Bricks in a stretcher bond; those of the upper rows stand on two."""
    bodies = []
    for row in range(rows):
        shift = 0.5 * (row % 2)
        for column in range(columns):
            place = [0.2 * (column + shift), 0.0, 0.1 * row + 0.05]
            bodies.append(
                hf.RigidBody(2.0, name=f"brick {row}.{column}", shape=Box([0.2, 0.1, 0.1], hf.Pose(np.eye(3), place)))
            )
    return Scene.touching(bodies, hf.models.coulomb(0.6), world=[floor()])


@pytest.mark.parametrize(("columns", "rows"), [(5, 4), (10, 6), pytest.param(20, 10, marks=pytest.mark.nightly)])
def test_walls_near_the_limit_are_decided_and_proven(columns, rows):
    scene = wall(columns, rows)
    base, push = scene.gravity_load(), {f"brick {rows - 1}.0": [1.0, 0, 0, 0, 0.1 * rows, 0]}
    found = hf.load_ramp(scene.assembly, base, push)
    assert found.verify()
    growing = scene.assembly.stacked(push)
    if columns * rows <= 60:
        assert found.value == pytest.approx(largest_factor(scene.assembly, growing, base), rel=1e-5)
    for share in (1e-3, 1e-6):
        for sign in (-1.0, 1.0):
            answer = hf.equilibrium(scene.assembly, base + (1.0 + sign * share) * found.value * growing)
            assert answer.status == ("holds" if sign < 0 else "does not hold")
            assert answer.verify()
            if not answer.holds and columns * rows <= 20:
                assert is_refuted(answer)


# -- interfaces of the library -------------------------------------------------------------------------


def test_the_solver_and_its_batches_agree_with_single_questions():
    for count in (3, 8):
        scene = stack(count, mu=0.5)
        rng = np.random.default_rng(count)
        loads = scene.gravity_load() + rng.normal(size=(5, 6 * count)) * np.tile([2, 2, 2, 0.1, 0.1, 0.1], count)
        solver = hf.Solver(scene.assembly)
        single = [hf.equilibrium(scene.assembly, load) for load in loads]
        many = solver.equilibrium_many(loads)
        assert many.holds.tolist() == [answer.holds for answer in single]
        limits = solver.load_limit_many(loads)
        expected = [hf.load_limit(scene.assembly, load).value for load in loads]
        np.testing.assert_allclose(limits.values, expected, rtol=2e-6, atol=1e-8)
        assert solver.equilibrium(loads[0]).holds is single[0].holds
        assert solver.load_limit(loads[0]).value == pytest.approx(expected[0], rel=2e-6, abs=1e-8)
        assert all(many[i].verify() for i in range(2))


def test_answers_can_be_pickled_written_and_read():
    scene = stack(3)
    answer = hf.equilibrium(scene.assembly, scene.gravity_load())
    again = pickle.loads(pickle.dumps(answer))
    assert again.verify()
    np.testing.assert_array_equal(again.forces, answer.forces)
    data = answer.to_dict()
    assert [side["name"] for side in data["interfaces"]] == [side.name for side in scene.assembly.interfaces]
    assert data["proof_verified"] is True
    assert "12 contacts" in repr(answer)
    limit = hf.load_limit(scene.assembly, {"cube 1": [1, 0, 0, 0, 0, 0]})
    assert pickle.loads(pickle.dumps(limit)).verify()


def test_loads_are_taken_by_name_in_rows_or_stacked():
    scene = stack(2)
    load = scene.gravity_load()
    by_name = dict(zip(scene.assembly.bodies, load.reshape(2, 6), strict=True))
    for given in (load, load.reshape(2, 6), load.reshape(2, 6).tolist(), load.tolist(), by_name):
        np.testing.assert_array_equal(scene.assembly.stacked(given), load)


# -- errors --------------------------------------------------------------------------------------------


def touch(body: str | None, against: str | None = None, x: float = 0.0) -> hf.Contact:
    return hf.Contact([x, 0, 0], UP, hf.models.coulomb(0.5), body=body, against=against)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: hf.Assembly([touch("a"), touch("b", "c")]), "'b', 'c' are not connected to the world"),
        (lambda: hf.Assembly([touch("a", "b")]), "not connected to the world"),
        (lambda: touch("a", "a"), "itself"),
        (lambda: hf.Assembly([touch("a"), touch(None)]), "names no body"),
        (lambda: touch(None, "a"), "against"),
        (lambda: touch("world"), "is reserved for what does not move"),
    ],
)
def test_bodies_that_cannot_be_are_named(make, words):
    with pytest.raises(InputError, match=words):
        make()


@pytest.mark.parametrize(
    "load",
    [
        np.zeros(6),
        np.zeros(5),
        np.zeros((3, 6)),
        [[0] * 6] * 3,
        1.0,
        "weight",
        None,
        np.zeros((6, 2)),
        {"cube 0": [1, 2]},
    ],
)
def test_loads_of_the_wrong_shape_are_input_errors(load):
    with pytest.raises(InputError):
        hf.equilibrium(stack(2).assembly, load)


def test_the_world_may_be_named_on_the_other_side():
    assert touch("a", "world").against is None


def test_unknown_bodies_are_named_with_what_there_is():
    scene = stack(2)
    with pytest.raises(UnknownNameError, match=r"cube 2.*cube 1"):
        hf.load_limit(scene.assembly, {"cube 2": np.ones(6)})
    with pytest.raises(UnknownNameError, match="cube 7"):
        scene.gravity_load(bodies=["cube 7"])


def test_questions_about_one_body_say_so():
    scene, six = stack(2), np.ones(6)
    assembly = scene.assembly
    mass = scene.mass_matrix()
    asked = [
        lambda: hf.wrench_space(assembly, np.eye(6)),
        lambda: hf.load_sharing(assembly, six),
        lambda: hf.strong_stability(assembly, six, mass),
        lambda: hf.motion(assembly, six, mass),
        lambda: hf.motions(assembly, six, mass),
        lambda: hf.learn_grip(assembly),
    ]
    for ask in asked:
        with pytest.raises(HoldfastError, match=r"2 bodies.*takes one body") as caught:
            ask()
        assert "equilibrium" in str(caught.value)


@pytest.mark.parametrize(
    ("bodies", "words"),
    [
        ([hf.RigidBody(1.0, [0, 0, 0], name="a")], "has no shape"),
        ([hf.RigidBody(1.0, shape=Box([1, 1, 1]))], "has no name"),
        ([cube("a", (0, 0, 0.05)), cube("a", (0, 0, 0.15))], "different names"),
        ([cube("a", (0, 0, 5.0))], "touch nothing"),
        ([cube("a", (0, 0, 0.05)), cube("b", (0, 0, 5.0))], "body 'b' touches nothing"),
        (["cube"], "is a str"),
    ],
)
def test_bodies_that_make_no_scene_are_named(bodies, words):
    with pytest.raises(InputError, match=words):
        Scene.touching(bodies, hf.models.coulomb(0.5), world=[floor()])


def test_a_body_without_mass_or_place_is_an_input_error():
    with pytest.raises(InputError, match="mass"):
        hf.RigidBody(0.0, [0, 0, 0], name="a")
    with pytest.raises(InputError, match="centre of mass"):
        hf.RigidBody(1.0, name="a")
    scene = stack(2)
    with pytest.raises(InputError, match="mass_matrix"):
        hf.separation(scene.assembly, scene.gravity_load(), np.eye(6))


def column(seed: int) -> tuple[hf.Assembly, np.ndarray]:
    """Two to four bodies of 1 g to 100 kg in a row between two walls, some on the floor, and their weights."""
    rng = np.random.default_rng(seed)
    limits = [
        hf.models.pyramid(1.0),
        hf.models.coulomb(0.5, facets=8, cap=100.0),
        hf.models.coulomb(0.5, facets=8),
        hf.models.suction(30.0, 0.5, facets=8),
    ]
    names = "abcd"[: rng.integers(2, 5)]
    sides = zip((None, *names), (*names, None), strict=True)
    contacts = []
    for place, (before, after) in enumerate(sides):
        body, against, way = (after, before, 1.0) if after else (before, None, -1.0)
        volume = limits[rng.integers(4)]
        contacts += square(body, against, (0.1 * place, 0, 0), (way, 0, 0), volume)
    for place, name in enumerate(names):
        if rng.random() < 0.5:
            contacts += square(name, None, (0.05 + 0.1 * place, 0, -0.05), (0, 0, 1.0), limits[0])
    assembly = hf.Assembly(contacts)
    masses = 10.0 ** rng.uniform(-3.0, 2.0, len(names))
    places = enumerate(zip(names, masses, strict=True))
    weights = {name: hf.loads.gravity_wrench(mass, com=(0.05 + 0.1 * at, 0, 0)) for at, (name, mass) in places}
    return assembly, assembly.stacked(weights)


def square(body: str, against: str | None, centre: Any, normal: Any, volume: hf.ForceVolume) -> list[hf.Contact]:
    """Four corners of a face of 0.1 m."""
    turn = hf.frame_from_normal(np.array(normal, dtype=float), np.roll(normal, 1))
    corners = [turn @ [0.05 * x, 0.05 * y, 0.0] for x in (1, -1) for y in (1, -1)]
    return [hf.Contact(np.array(centre) + corner, turn, volume, body=body, against=against) for corner in corners]


def test_weights_without_a_limit_are_proven_beside_contacts_that_have_one():
    """A contact with a limit carries none of the growth but rounding, which is a share of the other forces."""
    free, capped = hf.models.pyramid(1.0), hf.models.coulomb(0.5, facets=8, cap=100.0)
    assembly = hf.Assembly(
        square("a", None, (0, 0, 0), (1.0, 0, 0), capped)
        + square("b", "a", (0.1, 0, 0), (1.0, 0, 0), free)
        + square("b", None, (0.2, 0, 0), (-1.0, 0, 0), free)
        + square("a", None, (0.05, 0, -0.05), (0, 0, 1.0), free)
    )
    weights = {n: hf.loads.gravity_wrench(1.0, com=(x, 0, 0)) for n, x in (("a", 0.05), ("b", 0.15))}
    limit = hf.load_limit(assembly, weights)
    assert limit.value == np.inf and limit.verify()
    assert hf.load_ramp(assembly, weights, weights).verify()


@pytest.mark.parametrize("seed", nightly_after(12, range(200)))
def test_limits_of_columns_of_bodies_are_proven(seed):
    assembly, weights = column(seed)
    assert hf.load_limit(assembly, weights).verify()
    assert hf.load_ramp(assembly, weights, weights).verify()

"""The ready planar scenes answer what the papers and closed forms say."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.planar import free_part_forces, problems, torque_sets
from holdfast.planar.files_planar_reader import load_planar
from holdfast.planar.files_planar_scene import PlanarChainScene

L, M, G = 0.127, 0.0849, 9.81


def chain(name: str) -> PlanarChainScene:
    scene = load_planar(f"@{name}")
    assert isinstance(scene, PlanarChainScene)
    return scene


def bound(scene: PlanarChainScene) -> float:
    """t of {tau <= t}, from the vertex and the ray of T_c."""
    vertices, rays, lines = scene.torque_sets().feasible.generators
    assert len(vertices) == 1 and np.allclose(rays, [[-1.0]]) and not len(lines)
    return float(vertices[0, 0])


@pytest.mark.parametrize(
    ("name", "status", "modes"),
    [
        ("three_points", "unique", ["FFF"]),
        ("block_on_incline", "unique", ["FF"]),
        ("box_pushed", "unique", ["SF"]),
        ("ladder", "unique", ["FF"]),
        ("painleve_rod", "inconsistent", []),
        ("painleve_rod_turning", "finite", ["L", "S"]),
        ("peg_in_hole", "unique", ["RL"]),
        ("peg_jammed", "unique", ["FF"]),
        ("peg_wedged", "finite", ["FF", "SR"]),
        ("three_finger_grasp", "unique", ["FFF"]),
    ],
)
def test_ready_bodies_move_as_their_first_line_says(name, status, modes):
    answer = load_planar(f"@{name}").motions()
    assert answer.status == status and sorted(answer.modes) == modes


def test_erdmanns_three_points_are_the_problem_of_that_name():
    scene, same = load_planar("@three_points"), problems.three_points()
    assert np.allclose([c.r for c in scene.contacts], [c.r for c in same.contacts])
    assert np.allclose([c.normal for c in scene.contacts], [c.normal for c in same.contacts])
    assert [c.mu for c in scene.contacts] == [0.25] * 3 and scene.body == same.body
    assert np.allclose(scene.force, same.force)


def test_the_block_slides_once_friction_is_below_the_slope():
    scene = load_planar("@block_on_incline")
    assert scene.changed(mu=5.0 / 12.0 + 1e-6).motions().modes.keys() == {"FF"}
    slides = scene.changed(mu=0.4).motions()
    assert slides.modes.keys() == {"RR"}
    along = G * (5.0 - 0.4 * 12.0) / 13.0
    assert np.allclose(slides.acceleration, [12.0 / 13.0 * along, -5.0 / 13.0 * along, 0.0])


def test_the_ladder_slides_below_the_closed_form():
    """Slipping at both ends: tan = (1 - mu_1 mu_2) / (2 mu_1), here 4/3 with mu_2 = 0.3."""
    least = 1.0 / (2.0 * 4.0 / 3.0 + 0.3)
    scene = load_planar("@ladder")

    def modes(floor: float):
        contacts = tuple(type(c)(c.normal, c.r, mu, c.kind) for c, mu in zip(scene.contacts, (floor, 0.3), strict=True))
        return set(type(scene)(**{**vars(scene), "contacts": contacts}).motions().modes)

    assert "FF" in modes(least + 1e-4) and "FF" not in modes(least - 1e-4)


def test_changed_loads_velocities_and_outlines_for_pictures():
    scene = load_planar("@three_points")
    assert scene.changed(velocity=(0.0, -1.0, 0.0)).motions().status == "impact"
    up = scene.changed(force=(0.0, 1.0, 0.0)).motions()
    assert up.modes.keys() == {"SSS"} and np.allclose(up.acceleration, [0.0, 1.0, 0.0])
    bare = type(scene)(**{**vars(scene), "outline": None})
    corners = bare.problem().outline
    assert corners.area > 0.0 and np.allclose(bare.problem().points, scene.points)
    with pytest.raises(InputError):
        scene.changed(mu=-1.0)


def test_greenfields_numbers():
    mu = 0.3
    assert bound(chain("two_link_snake")) == pytest.approx(-M * G * L / np.sqrt(2) * (3 + mu**2) / (4 * mu), rel=1e-9)
    assert bound(chain("five_link_brace")) == pytest.approx(-0.61210, abs=5e-6)
    assert not chain("two_link_snake").torque_sets().ambiguities
    rough = chain("two_link_snake_ambiguous").torque_sets()
    (piece,) = rough.unique
    assert np.allclose(piece.generators.vertices, -M * G * L / np.sqrt(2))
    six = chain("six_link_snake").torque_sets()
    assert six.feasible.dimension == 3 and six.status == "unambiguous" and len(six.tasks) == 8


def test_uncertain_friction_and_posture_only_take_torques_away():
    sure, scene = chain("two_link_snake"), chain("two_link_snake_uncertain")
    assert bound(scene) < bound(sure.with_mu(0.25)) < bound(sure)
    assert scene.over_postures().method == "corners" and len(scene.over_postures().postures) == 5
    with pytest.raises(InputError):
        sure.over_postures()


def test_a_free_part_loads_the_brace_with_its_weight_and_its_moves_with_more():
    scene = chain("five_link_brace_moving")
    resting = type(scene)(**{**vars(scene), "moves": ()})
    still = np.zeros_like(scene.q)
    force = free_part_forces(scene.chain, 2, scene.q, still, still)[0]
    assert force[1] == pytest.approx(-3 * M * G)  # three nodes beyond the brace
    system = resting.system()
    assert system.torque_count == 1 and resting.whole().torque_count == 4
    direct = torque_sets(system, "FFF", (), (force, force), scene.limits)
    assert np.allclose(resting.torque_sets().feasible.generators.vertices, direct.feasible.generators.vertices)
    least, most = (np.sort(s.torque_sets().feasible.generators.vertices.ravel()) for s in (scene, resting))
    assert np.allclose([least[0], most[0]], -2.0) and least[1] < most[1] < bound(chain("two_link_snake"))


@pytest.mark.parametrize("name", ["climb_kinked", "climb_tapering"])
def test_ready_climbs_reach_their_goal_by_verified_steps(name):
    scene = load_planar(f"@{name}")
    found = scene.climb()
    assert found.status == "reached" and found.is_verified and found.lowest[-1] >= scene.goal
    corners = [float(y) for wall in (found.channel.left, found.channel.right) for y in wall[1:-1, 1]]
    assert found.lowest[-1] > max(corners, default=0.0)  # through every bend

from __future__ import annotations

import math

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError
from holdfast.geometry.frames import Pose, frame_from_normal, rotation_about
from holdfast.grips import Grip, cone_grip, coulomb_grip

CUP = hf.models.suction(vacuum=50.0, mu=0.4, cap=80.0, facets=6)
NORMAL = np.array([0.2, -0.1, 1.0])


def hands(volume: hf.ForceVolume, count: int, seed: int = 0) -> hf.Assembly:
    rng = np.random.default_rng(seed)
    places = rng.uniform(-0.1, 0.1, (count, 3))
    return hf.Assembly([hf.Contact(p, frame_from_normal(rng.standard_normal(3)), volume) for p in places], name="hand")


def test_a_foot_presses_and_shears_up_to_friction() -> None:
    inner, outer = coulomb_grip(0.5, sides=12), coulomb_grip(0.5, sides=12, side="outer")
    for angle in np.linspace(0.0, 2.0 * np.pi, 37):
        way = np.array([math.cos(angle), math.sin(angle)])
        least = 0.5 * math.cos(math.pi / 12)
        assert inner.contains([*(0.999 * least * way), 1.0, 0, 0, 0])
        assert not inner.contains([*(1.001 * 0.5 * way), 1.0, 0, 0, 0])
        assert outer.contains([*(0.999 * 0.5 * way), 1.0, 0, 0, 0])
        assert not outer.contains([*(1.001 * 0.5 / math.cos(math.pi / 12) * way), 1.0, 0, 0, 0])
    assert inner.metadata.inner_error == pytest.approx(1 - math.cos(math.pi / 12)) and inner.metadata.outer_error == 0.0
    assert not inner.contains([0, 0, -1.0, 0, 0, 0])


def test_a_foot_may_stand_elsewhere_and_lean() -> None:
    foot = coulomb_grip(0.4, normal=NORMAL, point=[0.1, 0.2, 0.3], label="left")
    force = NORMAL / np.linalg.norm(NORMAL)
    assert foot.label == "left" and foot.contains([*force, *np.cross([0.1, 0.2, 0.3], force)])
    assert not foot.contains([*force, 0, 0, 0])
    smooth = coulomb_grip(0.0, normal=NORMAL)
    assert len(smooth.rays) == 1 and smooth.contains([*force, 0, 0, 0])
    for call, message in ((lambda: coulomb_grip(-0.1), "mu"), (lambda: coulomb_grip(0.5, sides=2), "sides")):
        with pytest.raises(InputError, match=message):
            call()


def test_one_cup_on_the_body_pulls_it_and_one_on_the_terrain_is_pulled() -> None:
    """A cup above the palm, its normal up. On the body: it holds the body up to 50 N from above, so gives -50 ... 80
    along z. On the terrain: the cup pushes the terrain with as much, and the body gets the opposite."""
    one = hf.Assembly([hf.Contact([0, 0, 0.05], frame_from_normal([0, 0, 1]), CUP)])
    direct, reaction = cone_grip(one), cone_grip(one, acting="reaction")
    z = np.eye(6)[2]
    assert (direct.support(-z), direct.support(z)) == pytest.approx((50.0, 80.0))
    assert (reaction.support(-z), reaction.support(z)) == pytest.approx((80.0, 50.0))
    assert (direct.metadata.acting, reaction.metadata.acting) == ("direct", "reaction")
    # What the assembly holds as external wrenches is the reaction.
    for sign in (1.0, -1.0):
        assert hf.load_limit(one, sign * z).value == pytest.approx(float(reaction.support(sign * z)), rel=1e-6)


@pytest.mark.parametrize("acting", ["direct", "reaction"])
def test_supports_are_sums_over_the_contacts(acting: str) -> None:
    assembly = hands(CUP, 3)
    palm = Pose(rotation_about([1, 2, 3], 0.8), [0.05, -0.02, 0.1])
    grip = cone_grip(assembly, acting=acting, palm=palm)  # pyright: ignore[reportArgumentType]
    sign = 1.0 if acting == "direct" else -1.0
    y = np.random.default_rng(1).standard_normal((20, 6))
    in_world = y @ np.linalg.inv(palm.wrench_transport())  # y . T^-1 w
    total = np.zeros(20)
    for c in assembly.contacts:
        gradient = sign * (in_world[:, :3] + np.cross(in_world[:, 3:], c.position)) @ c.rotation
        total += (gradient @ c.volume.pieces[0].T).max(axis=1)
    np.testing.assert_allclose(grip.support(y), total, rtol=1e-12)
    assert grip.metadata.model_hash == assembly.fingerprint and grip.label == "hand"


def test_held_wrenches_by_the_exact_solver_are_those_of_the_grip() -> None:
    assembly = hands(hf.models.coulomb(0.7, facets=5), 4, seed=3)
    grip = cone_grip(assembly, acting="reaction")
    assert len(grip.vertices) == 1 and len(grip.rays) == 20
    rng = np.random.default_rng(4)
    for row in range(8):
        drawn = rng.standard_normal(6) * np.repeat([1.0, 0.1], 3)
        w = drawn if row % 2 else rng.exponential(1.0, 20) @ grip.rays
        assert bool(grip.contains(w)) is hf.equilibrium(assembly, w).holds


def test_the_other_hand_is_made_of_mirrored_contacts() -> None:
    """Across the plane y = 0.02: contacts go to their mirror image, the frame's v axis turns round."""
    assembly = hands(CUP, 2, seed=5)
    flip, middle = np.diag([1.0, -1.0, 1.0]), np.array([0.0, 0.02, 0.0])
    piece = CUP.pieces[0] * [1.0, -1.0, 1.0]
    mirrored = hf.Assembly(
        [
            hf.Contact(
                flip @ (c.position - middle) + middle,
                flip @ c.rotation @ np.diag([1.0, -1.0, 1.0]),
                hf.ForceVolume([piece]),
            )
            for c in assembly.contacts
        ]
    )
    y = np.random.default_rng(6).standard_normal((30, 6))
    expected = cone_grip(mirrored).support(y)
    np.testing.assert_allclose(cone_grip(assembly).mirrored([0, 1, 0], middle).support(y), expected, rtol=1e-10)


def test_what_is_not_so_simple_is_to_be_learned() -> None:
    finger = hf.JointRows(np.ones((1, 3)), [-1.0], [1.0])
    one = [hf.Contact([0, 0, 0], np.eye(3), CUP)]
    for assembly, message in (
        (hf.Assembly(one, finger), "assembly.joints: has joint rows.*learn_grip"),
        (hands(hf.models.gecko_two_way(5), 1), r"contacts\[0\]: has a volume of 2 pieces.*learn_grip"),
        (hands(CUP, 6), r"contacts\[4\]: makes the sums of vertices more than 4096.*learn_grip"),
    ):
        with pytest.raises(InputError, match=message):
            cone_grip(assembly)
    with pytest.raises(InputError, match="acting: is 'indirect'"):
        cone_grip(hf.Assembly(one), acting="indirect")  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="assembly: is a Grip"):
        cone_grip(Grip(np.zeros((1, 6))))  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("sides", [2, 8.5, 721, 800])
def test_the_sides_of_a_foot_are_called_by_their_name(sides: float) -> None:
    with pytest.raises(InputError, match="sides: is .*whole number"):
        coulomb_grip(0.5, sides=sides)  # pyright: ignore[reportArgumentType]


def test_friction_too_small_to_see_is_refused_and_none_is_a_line() -> None:
    with pytest.raises(InputError, match="mu: is 1e-12.*give 0 for a foot without friction"):
        coulomb_grip(1e-12)
    assert len(coulomb_grip(0.0).rays) == 1
    assert len(coulomb_grip(1e-9, sides=8).rays) == 8

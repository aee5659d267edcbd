from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.dynamics import Separating, mass_matrix, separation
from holdfast.dynamics.release import simulate_release
from holdfast.dynamics.separations import sentences
from tests.dynamics.closed_forms import GRAVITY, block, box_mass, tilted
from tests.dynamics.hooks import hooks

UP = np.eye(3)


def pad(most: float) -> hf.ForceVolume:
    """An adhesive pad that pulls with up to `most` [N]."""
    return hf.ForceVolume([np.array([[x, y, z] for x in (-5.0, 5.0) for y in (-5.0, 5.0) for z in (-most, 20.0)])])


def test_a_tipping_block_is_told_to_turn_about_its_edge():
    mass, a, h, theta = 3.0, 0.1, 0.5, np.deg2rad(20.0)
    answer = separation(block(a, h, hf.models.coulomb(0.8)), tilted(mass, theta), box_mass(mass, (a, 0.1, h)))
    spin = mass * GRAVITY * (h * np.sin(theta) - a * np.cos(theta)) / (4.0 / 3.0 * mass * (a**2 + h**2))
    goes, contacts = sentences(answer)
    assert goes.startswith("It does not hold: the object turns about +y through (0.1, 0, -0.5) m;")
    assert f"{spin:.3g} rad/s^2" in goes
    assert contacts == f"Contacts 0 and 1 separate (the first by {2 * a * spin:.3g} m/s^2); contacts 2 and 3 stick."


def test_dust_is_no_turn():
    mass = 2.0
    volume = hf.models.coulomb(0.2, cap=mass * GRAVITY / 4)
    feet = [hf.Contact((x, y, 0), UP, volume, f"foot {x:+g} {y:+g}") for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
    wrench = hf.loads.gravity_wrench(mass, (0, 0, -GRAVITY)) + [0.7 * mass * GRAVITY, 0, 0, 0, 0, 0]
    answer = separation(hf.Assembly(feet), wrench, mass_matrix(mass, np.eye(3)))
    assert answer.motion == "moves along +x"
    goes, contacts = sentences(answer)
    assert goes == "It does not hold: the object moves along +x; its centre of mass accelerates by 4.9 m/s^2."
    assert contacts.startswith('Contacts "foot') and contacts.endswith("and 1 more slip (4.9 m/s^2).")


def test_adhesion_that_still_pulls_is_told():
    answer = separation(
        hf.Assembly([hf.Contact((0, 0, 0), UP, pad(10.0), "pad")]), [0, 0, 12.0, 0, 0, 0], mass_matrix(1.0, np.eye(3))
    )
    goes, first, wary = sentences(answer)
    assert "moves along +z" in goes and "accelerates by 2 m/s^2" in goes
    assert first == 'Contact "pad" separates (2 m/s^2).'
    assert wary.startswith('Contact "pad" still pulls while it separates:')


def test_a_cone_that_still_presses_is_told():
    answer = separation(block(0.3, 0.05, hf.models.coulomb(0.5)), tilted(2.0, 0.7), box_mass(2.0, (0.3, 0.1, 0.05)))
    assert any(
        "still press while they separate" in sentence and "slipping" in sentence for sentence in sentences(answer)
    )


def test_other_verdicts_are_told():
    held = separation(block(0.3, 0.1, hf.models.coulomb(0.5)), tilted(2.0, 0.2), box_mass(2.0, (0.3, 0.1, 0.1)))
    assert sentences(held) == ("It holds: nothing accelerates.",)
    assert not held.acceleration_at(np.ones(3)).any()
    broken = separation(block(0.1, 0.1, pad(1.0).scaled(0.01)), tilted(2.0, 0.0), box_mass(2.0, (0.1, 0.1, 0.1)))
    assert broken.status == "penetrates" and "no solution" in sentences(broken)[0] and broken.motion is None
    assembly, wrench = hooks()
    short = separation(assembly, wrench, mass_matrix(0.3, 1e-3 * np.eye(3)), method=Separating(node_limit=1))
    assert sentences(short)[0].startswith("It is undecided what happens")


@pytest.mark.parametrize(
    ("most", "frames", "words"),
    [
        (20.0, 5, "It holds where it is."),
        (5.0, 5, "It falls free after 1 step of at most 10 mm: nothing touches it any more."),
        (5.0, 1, "It still moves after 0 steps of at most 10 mm; 1 of 1 contacts touch."),
    ],
)
def test_a_motion_is_told_by_its_end(most, frames, words):
    hung = hf.Assembly([hf.Contact((0, 0, 0), hf.frame_from_normal((0, 0, -1)), pad(most))])
    weight = hf.loads.gravity_wrench(1.0, (0, 0, -GRAVITY), (0, 0, -0.1))
    motion = simulate_release(hung, weight, mass_matrix(1.0, np.eye(3), (0, 0, -0.1)), step=0.01, frames=frames)
    assert motion.description == words

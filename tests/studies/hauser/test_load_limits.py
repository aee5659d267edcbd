"""What the paper says of its devices (IV.C), and the saved tables of their load limits."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

import holdfast as hf
from holdfast import devices
from holdfast.wrench_spaces import Rays, Subspace, WrenchSpace, fitted_space, wrench_space
from studies.hauser import load_limits
from studies.hauser.figures import ConcavityLoss, concavity, single_unit

pytestmark = pytest.mark.nightly

Corners = Literal["shared", "independent"]

ROOT = Path(__file__).resolve().parents[3]
LOADS = {
    "pull": devices.PULL,
    "push": devices.PUSH,
    "fx": (1, 0, 0, 0, 0, 0),
    "-fx": (-1, 0, 0, 0, 0, 0),
    "fy": (0, 1, 0, 0, 0, 0),
    "down right": (np.sqrt(0.5), 0, -np.sqrt(0.5), 0, 0, 0),
    "down left": (-np.sqrt(0.5), 0, -np.sqrt(0.5), 0, 0, 0),
    "ty": (0, 0, 0, 0, 1, 0),
    "-ty": (0, 0, 0, 0, -1, 0),
}
CONDITIONS = ["-".join(pair) for pair in devices.CONDITIONS]

#: Conditions of which the second has all contacts of the first, and more.
INCLUSIONS = [
    ("D-D", "D-MD"),
    ("D-MD", "D-PMD"),
    ("D-MD", "MD-MD"),
    ("MD-MD", "MD-PMD"),
    ("D-PMD", "MD-PMD"),
    ("MD-PMD", "PMD-PMD"),
]


@cache
def device(name: str, corners: Corners = "independent") -> devices.Device:
    """ "2OU", a condition of the 2FG such as "D-PMD", or an arrangement of the 4FH, with the default unit.

    What the paper says of its devices is said of independent corners.
    """
    if name == "2OU":
        return devices.two_opposed_units(corners=corners)
    if name in ("parallel", "opposed"):
        return devices.four_finger_hand(name, corners=corners)
    return devices.two_finger_gripper(*name.split("-"), corners=corners)


@cache
def limit(name: str, load: str, corners: Corners = "independent") -> hf.statics.LoadLimit:
    answer = hf.load_limit(device(name, corners).assembly(), LOADS[load])
    assert answer.status is hf.Status.OPTIMAL and answer.verify()
    return answer


def more(larger: tuple[str, str], smaller: tuple[str, str], times: float = 1.0) -> bool:
    """Whether the first (device, load) holds more than `times` what the second can at most."""
    load = times * limit(*smaller).upper_bound * np.array(LOADS[larger[1]])
    answer = hf.equilibrium(device(larger[0]).assembly(), load)
    assert answer.verify()
    return answer.holds


# -- the saved tables --------------------------------------------------------------------------------


@pytest.mark.parametrize("corners", ["shared", "independent"])
def test_the_saved_load_limits_are_what_the_solver_finds(corners: Corners) -> None:
    with (ROOT / "studies" / "hauser" / "saved" / f"load_limits_{corners}.csv").open(encoding="utf-8") as file:
        saved = list(csv.DictReader(file))
    assert len(saved) == len(load_limits.ROWS)
    for row in saved if corners == "independent" else saved[:4]:
        name = row["device"].split()[-1].strip("()")
        for column, load in load_limits.LOADS.items():
            found = hf.load_limit(device(name, corners).assembly(), load)
            assert float(row[column]) == pytest.approx(found.value, rel=1e-3), (name, column)


# -- two opposed units (Fig. 7) -----------------------------------------------------------------------


def test_opposed_units_are_stronger_in_shear_than_across() -> None:
    assert more(("2OU", "fx"), ("2OU", "fy"), times=1.5)


def test_opposed_units_are_as_strong_to_the_left_as_to_the_right() -> None:
    assert limit("2OU", "fx").value == pytest.approx(limit("2OU", "-fx").value, rel=2e-6)


def test_opposed_units_resist_a_pull_by_adhesion() -> None:
    assert limit("2OU", "pull").value > 10.0
    single = hf.Assembly(device("2OU").patches[1].contacts)  # without its partner a unit only slides off
    assert not hf.equilibrium(single, limit("2OU", "pull").value / 4 * np.array(devices.PULL)).holds


def test_opposed_units_resist_a_far_larger_push() -> None:
    assert more(("2OU", "push"), ("2OU", "pull"), times=5.0)


# -- passive two-finger gripper (Figs. 8, 9) ----------------------------------------------------------


@pytest.mark.parametrize("condition", CONDITIONS)
def test_the_passive_gripper_is_strongest_along_its_joint_axes(condition: str) -> None:
    assert more((condition, "fy"), (condition, "fx"), times=3.0)


@pytest.mark.parametrize("load", ["pull", "fx"])
@pytest.mark.parametrize("fewer, all_of_them", INCLUSIONS)
def test_more_phalanges_never_hold_less(fewer: str, all_of_them: str, load: str) -> None:
    """The forces of the one hold in the other, with none at the units that came in addition."""
    answer, assembly = limit(fewer, load), device(all_of_them).assembly()
    assert answer.forces is not None
    found = {contact.name: force for contact, force in zip(answer.assembly.contacts, answer.forces, strict=True)}
    forces = np.array([found.get(contact.name, np.zeros(3)) for contact in assembly.contacts])
    wrench = answer.value * np.array(LOADS[load])
    np.testing.assert_allclose(assembly.wrench_matrix @ forces.ravel(), -wrench, atol=1e-8)
    assert assembly.joints is not None
    torques = assembly.joints.values(forces)
    assert (torques >= assembly.joints.lower - 1e-8).all()
    assert (torques <= assembly.joints.upper + 1e-8).all()


def test_both_fingers_need_more_phalanges_for_the_pull_to_grow() -> None:
    assert more(("MD-MD", "pull"), ("D-MD", "pull"), times=3.0)
    assert more(("PMD-PMD", "pull"), ("MD-PMD", "pull"), times=3.0)
    assert limit("D-MD", "pull").value < 1.05 * limit("D-D", "pull").upper_bound


def test_three_units_on_one_side_carry_diagonal_loads_better() -> None:
    assert more(("D-PMD", "down right"), ("MD-MD", "down right"), times=1.3)
    assert more(("D-PMD", "down left"), ("MD-MD", "down left"), times=1.3)


def test_three_units_on_one_side_carry_torques_about_y_better() -> None:
    assert more(("D-PMD", "ty"), ("MD-MD", "ty"), times=1.3)
    assert more(("D-PMD", "-ty"), ("MD-MD", "-ty"), times=1.3)


def test_a_symmetric_grasp_carries_downward_loads_better() -> None:
    assert more(("MD-MD", "pull"), ("D-PMD", "pull"), times=2.0)


def test_joint_friction_is_what_limits_the_distal_grasp() -> None:
    doubled = devices.create("2FG", left="D", right="D", joint_friction=0.02).assembly()
    wanted = 1.4 * limit("D-D", "pull").upper_bound
    assert hf.equilibrium(doubled, wanted * np.array(devices.PULL)).holds


@pytest.mark.parametrize(
    "condition, upright, on_its_side", [("D-D", False, False), ("MD-MD", True, False), ("PMD-PMD", True, True)]
)
def test_the_gripper_lifts_the_plate_with_enough_phalanges(condition: str, upright: bool, on_its_side: bool) -> None:
    """With the weight of its links on the joints; gravity in the frame of the gripper."""
    for direction, expected in (((0, 0, -1), upright), ((1, 0, 0), on_its_side)):
        gravity = hf.loads.STANDARD_GRAVITY * np.array(direction)
        made = device(condition)
        assert hf.equilibrium(made.assembly(gravity), made.weight(gravity)).holds is expected


# -- four-finger hand (Figs. 10, 11) ------------------------------------------------------------------


def test_parallel_fingers_are_stronger_along_the_fingers() -> None:
    assert more(("parallel", "fx"), ("opposed", "fx"), times=1.2)


def test_parallel_fingers_are_weak_against_their_direction() -> None:
    assert more(("parallel", "fx"), ("parallel", "-fx"), times=10.0)


def test_opposed_fingers_are_stronger_downwards() -> None:
    assert more(("opposed", "pull"), ("parallel", "pull"), times=10.0)


# -- whole slices of the wrench spaces ----------------------------------------------------------------


@cache
def slice_of(name: str, words: str) -> WrenchSpace:
    """A slice of a device's wrench space along 42 regular rays, the same for all conditions of one device."""
    return wrench_space(device(name).assembly(), Rays.sphere(Subspace.named(words, length=0.1), 1))


def reach(name: str, words: str, axis: int) -> tuple[float, float]:
    """Lowest and highest coordinate of the points that were shown to hold; at least so far the slice goes."""
    along = slice_of(name, words).coordinates[:, axis]
    return float(along.min()), float(along.max())


@pytest.mark.parametrize("words", ["fx,fy,fz", "fx,ty,fz"])
@pytest.mark.parametrize("fewer, all_of_them", INCLUSIONS)
def test_the_whole_slice_grows_with_the_phalanges_in_contact(fewer: str, all_of_them: str, words: str) -> None:
    """Along every ray the larger set of contacts holds what the smaller one was shown to hold."""
    smaller, larger = slice_of(fewer, words), slice_of(all_of_them, words)
    assert (larger.values >= smaller.values * (1.0 - 2e-6)).all()
    assert larger.volume > smaller.volume


def test_the_slice_of_opposed_units_is_wider_in_shear_dips_below_zero_and_reaches_far_up() -> None:
    across, along, up = (reach("2OU", "fx,fy,fz", axis) for axis in range(3))
    assert across[1] - across[0] > 1.3 * (along[1] - along[0])  # 118 N and 72 N on a fine sampling
    assert up[0] < -10.0 and up[1] > 150.0
    assert slice_of("2OU", "fx,fy,fz").verify()


@pytest.mark.parametrize("condition", CONDITIONS)
def test_the_force_slice_of_the_passive_gripper_is_longest_along_y(condition: str) -> None:
    across, along, up = (np.ptp(reach(condition, "fx,fy,fz", axis)) for axis in range(3))
    assert along > across
    if condition not in ("D-PMD", "MD-PMD", "PMD-PMD"):  # three units on one side carry diagonal loads, too
        assert along > 2.0 * max(across, up)


def test_the_lopsided_grasp_has_far_more_room_for_torques_than_the_symmetric_one() -> None:
    subspace = Subspace.named("fx,ty,fz", length=0.1)
    lopsided, symmetric = (
        fitted_space(device(name).assembly(), subspace, 1, method=hf.solvers.Exact(gap=1e-2)).space
        for name in ("D-PMD", "MD-MD")
    )
    assert lopsided.volume > 10.0 * symmetric.volume  # 748 and 27 N^2 N m on fine rays
    more = slice_of("D-PMD", "fx,ty,fz").values > slice_of("MD-MD", "fx,ty,fz").upper_bounds
    assert more.mean() > 0.6  # the rays along which it is stronger


def test_the_parallel_hand_reaches_far_along_its_fingers_and_the_opposed_one_on_all_sides() -> None:
    rough = hf.solvers.Exact(gap=1e-2)
    rays = Rays.sphere(Subspace.named("fx,fy,fz"), 0)
    parallel, opposed = (wrench_space(device(name).assembly(), rays, method=rough) for name in ("parallel", "opposed"))
    assert parallel.values.max() > 10.0 * parallel.values.min()
    assert opposed.values.min() > 10.0 * parallel.upper_bounds.min()
    down = rays.directions[:, 2] < -0.5
    assert (opposed.values[down] > parallel.upper_bounds[down]).mean() >= 0.5


# -- concavity ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def lost() -> dict[str, ConcavityLoss]:
    """What the hulls of the volumes overstate, over 42 rays of the force slice."""
    assemblies = [single_unit(), *(device(name).assembly() for name in ("2OU", "D-D", "MD-MD"))]
    return {assembly.name: concavity(assembly, level=1) for assembly in assemblies}


def test_concavity_shrinks_when_contacts_share_the_load(lost: dict[str, ConcavityLoss]) -> None:
    """The largest share lost along a ray; 19, 0.24, 2.0 and 0.8 % on 642 rays."""
    assert lost["one unit"].largest > 0.15
    assert lost["2OU"].largest < 0.005
    assert lost["2FG D-D"].largest < 0.03
    assert lost["2FG MD-MD"].largest < 0.02
    for name in ("2OU", "2FG D-D", "2FG MD-MD"):
        assert lost[name].mean < 0.1 * lost["one unit"].mean


def test_hulls_never_hold_less(lost: dict[str, ConcavityLoss]) -> None:
    for found in lost.values():
        assert (found.hull.upper_bounds >= found.union.values * (1.0 - 1e-9)).all()


def lost_to_concavity(contacts: tuple[hf.Contact, ...], joints: hf.JointRows | None) -> float:
    """Mean share by which the hulls of the volumes overstate the load limit, over forces that pull."""
    hull = hf.ForceVolume([contacts[0].volume.hull().extreme])
    convex = hf.Assembly([hf.Contact(c.position, c.rotation, hull) for c in contacts], joints)
    exact = hf.Assembly(contacts, joints)
    lost = []
    for direction in PULLS:
        most = hf.load_limit(convex, [*direction, 0, 0, 0]).value
        lost.append(1.0 - hf.load_limit(exact, [*direction, 0, 0, 0]).value / most)
    return float(np.mean(lost))


#: Forces on the object that draw it away from the gripper, more or less steeply.
PULLS = ((0.0, 0.0, -1.0), (0.6, 0.0, -0.8))


def test_concavity_matters_less_the_more_contacts_share_the_load() -> None:
    above = hf.Pose(np.diag([1.0, -1.0, -1.0]), np.zeros(3))  # on top of the object, loaded at its middle
    unit = hf.models.microspine()
    point = lost_to_concavity(hf.Patch.rectangle(above, (0.028, 0.030), unit, points=(1, 1)).contacts, None)
    shared = lost_to_concavity(hf.Patch.rectangle(above, (0.028, 0.030), unit).contacts, None)
    independent = hf.Patch.rectangle(above, (0.028, 0.030), unit, corners="independent")
    corners = lost_to_concavity(independent.contacts, None)
    opposed = lost_to_concavity(device("2OU").contacts, device("2OU").joint_rows())
    assert min(point, shared) > 0.99  # alone it cannot be sheared while it is pulled: it bears nothing
    assert 0.1 < corners < 0.2
    assert opposed < 1e-5

"""The derivative of the first failure against differences and closed forms; the best change is a change that was tried."""

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError
from holdfast.sharing import load_sharing, stiffness_sensitivity
from tests.nightly import nightly_after
from tests.sharing.test_scatter import K, cups, hanging

STEP = 1e-4


def differences(result, **options):
    """(k, 3) derivatives by central differences of paths that are followed anew."""
    found = np.zeros((len(result.assembly), 3))
    for i in range(len(result.assembly)):
        for axis in range(3):
            ends = []
            for sign in (1.0, -1.0):
                root = np.ones(3)
                root[axis] = np.exp(0.5 * sign * STEP)
                stiffness = np.array(result.stiffness)
                stiffness[i] = root[:, None] * stiffness[i] * root
                ends.append(load_sharing(result.assembly, result.load, stiffness, **options).first_failure)
            found[i, axis] = (ends[0] - ends[1]) / (2.0 * STEP)
    return found


def random_cups(seed, joints):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(4, 7))
    contacts = []
    for _ in range(k):
        normal = np.array([0.3 * rng.normal(), 0.3 * rng.normal(), -1.0])
        frame = hf.frame_from_normal(normal / np.linalg.norm(normal))
        contacts.append(hf.Contact((*rng.uniform(-0.1, 0.1, 2), 0.0), frame, hf.models.suction(45.0, 0.5)))
    rows = None
    if joints:
        rows = hf.JointRows(
            0.05 * rng.normal(size=(2, 3 * k)), [-0.3, -1.0], [0.3, 1.0], stiffness=[5.0, 0.0], servo=[np.inf, 20.0]
        )
    root = rng.normal(size=(k, 3, 3))
    stiffness = 1000.0 * (root @ root.transpose(0, 2, 1) + np.eye(3))
    scale = [1.0, 1.0, 1.0, 0.05, 0.05, 0.05]
    return hf.Assembly(contacts, rows), rng.normal(size=6) * scale, stiffness, rng.normal(size=6) * scale


@pytest.mark.parametrize("seed", nightly_after(4, range(40)))
@pytest.mark.parametrize("joints", [False, True])
def test_the_derivative_is_that_of_differences(seed, joints):
    assembly, load, stiffness, base = random_cups(seed, joints)
    options = {"base": base, "preload": 2.0}
    result = load_sharing(assembly, load, stiffness, **options)
    found = stiffness_sensitivity(result, tried=1)
    expected = differences(result, **options)
    assert np.abs(found.derivative - expected).max() <= 1e-6 * np.abs(expected).max()


def test_the_derivative_goes_through_feet_that_open_before_another_is_crushed():
    """Feet that bear at most 12 N each, tipped: those on one side lift off first, then one on the other side fails."""
    foot = hf.models.coulomb(0.5, cap=12.0)
    places = [(x, y, 0.0) for x in (-0.15, -0.05, 0.06, 0.15) for y in (-0.05, 0.06)]
    assembly = hf.Assembly([hf.Contact(place, np.eye(3), foot) for place in places])
    options = {"base": hf.loads.gravity_wrench(4.0, com=(0.01, 0.0, 0.0))}
    result = load_sharing(assembly, [0.0, 0.0, 0.0, 0.3, 2.2, 0.0], (3000.0, 1000.0), **options)
    first = result.failures[0]
    assert [event.kind for event in result.events if event.factor < first.factor].count("opens") >= 1
    found = stiffness_sensitivity(result, tried=1)
    expected = differences(result, **options)
    assert np.abs(found.derivative - expected).max() <= 1e-6 * np.abs(expected).max()


def test_the_derivative_goes_through_a_preload_that_opens_other_contacts():
    """A strong press lifts the object off its feet while all are preloaded; the load shuts them again, one is crushed."""
    foot = hf.models.coulomb(0.5, cap=9.0)
    places = [(-0.1, 0.02, 0.0), (0.1, 0.0, 0.0), (0.0, 0.1, 0.0), (0.01, -0.1, 0.0)]
    contacts = [hf.Contact(place, np.eye(3), foot) for place in places]
    free = hf.models.coulomb(0.5)
    lid = hf.Contact((0.0, 0.0, 0.2), np.diag([1.0, -1.0, -1.0]), free)
    assembly = hf.Assembly([*contacts, hf.Contact((0.0, 0.0, 0.0), np.eye(3), free), lid])
    options = {"preload": np.array([[0.0, 0.0, 1.0]] * 4 + [[0.0, 0.0, 30.0], [0.0, 0.0, 6.0]])}
    springs = [(1000.0, 500.0)] * 4 + [(1100.0, 400.0), (900.0, 300.0)]
    result = load_sharing(assembly, [0.0, 0.0, -1.0, 0.01, 0.02, 0.0], springs, **options)
    kinds = [event.kind for event in result.events if event.factor < result.first_failure]
    assert kinds.count("opens") >= 4
    assert kinds.count("closes") >= 3
    assert result.verify()
    found = stiffness_sensitivity(result, tried=1)
    expected = differences(result, **options)
    assert np.abs(found.derivative - expected).max() <= 1e-6 * np.abs(expected).max()


def test_two_springs_have_the_closed_form():
    """Two cups pulled together share by stiffness; the stiffer one, k1, fails at F (k1 + k2) / k1: d/dln k1 = -F k2 / k1."""
    volume = hf.models.suction(45.0, 0.5)
    assembly = hf.Assembly([hf.Contact((0.0, 0.0, 0.0), np.diag([1.0, -1.0, -1.0]), volume) for _ in range(2)])
    result = load_sharing(assembly, [0.0, 0.0, -1.0, 0.0, 0.0, 0.0], [(2000.0, 500.0), (1000.0, 500.0)])
    assert result.first_failure == pytest.approx(45.0 * 3.0 / 2.0)
    found = stiffness_sensitivity(result)
    assert found.derivative[:, 2] == pytest.approx([-45.0 / 2.0, 45.0 / 2.0])
    assert np.abs(found.derivative[:, :2]).max() < 1e-9
    assert found.best is not None
    assert found.best.first_failure == pytest.approx(
        45.0 * (1.0 + 1.25 / 2.0)
    )  # the soft one stiffer, or the stiff softer


def test_a_determinate_tripod_has_no_derivative():
    three = hf.Assembly([cups().contacts[i] for i in (0, 5, 9)])
    result = load_sharing(three, hf.loads.gravity_wrench(5.0, com=three.positions.mean(axis=0) + (0.01, 0.0, 0.0)), K)
    found = stiffness_sensitivity(result)
    assert np.abs(found.derivative).max() < 1e-9 * result.first_failure
    assert found.best is None


def test_cups_that_fail_together_have_one_sided_derivatives():
    """Three cups of the outer row fail at once: stiffening one lowers the first failure, softening it does not raise it."""
    result = load_sharing(cups(), hanging(20.0, com=(0.06, 0.0, 0.0)), K)
    found = stiffness_sensitivity(result)
    assert found.ties == (9, 10, 11)
    assert (found.derivative[9:, 2] < 0.0).all()
    for i in (9, 10):
        stiffness = np.array(result.stiffness)
        stiffness[i, 2, 2] *= np.exp(STEP)
        gained = load_sharing(cups(), result.load, stiffness).first_failure - result.first_failure
        assert gained / STEP == pytest.approx(found.derivative[i, 2], rel=1e-3)
        stiffness[i, 2, 2] *= np.exp(-2.0 * STEP)
        gained = load_sharing(cups(), result.load, stiffness).first_failure - result.first_failure
        assert gained / STEP == pytest.approx(-found.softening[i, 2], rel=1e-3)


def test_the_best_change_raises_the_peak_as_it_says():
    result = load_sharing(cups(), hanging(20.0), K)
    best = stiffness_sensitivity(result).best
    assert best is not None
    index = next(i for i, contact in enumerate(result.assembly.contacts) if contact.name == best.unit)
    stiffness = np.array(result.stiffness)
    axes = [2] if best.direction == "normal" else [0, 1]
    for axis in axes:
        stiffness[index, axis, axis] *= best.factor
    again = load_sharing(result.assembly, result.load, stiffness)
    assert again.peak == pytest.approx(best.peak, rel=1e-9)
    assert again.peak > result.peak


def test_a_path_without_a_first_failure_is_refused():
    pressed = hf.Assembly([hf.Contact((x, 0.0, 0.0), np.eye(3), hf.models.coulomb(0.5)) for x in (-0.1, 0.0, 0.1)])
    result = load_sharing(pressed, hf.loads.gravity_wrench(1.0), K)
    with pytest.raises(InputError, match="no first failure"):
        stiffness_sensitivity(result)
    with pytest.raises(InputError, match="result"):
        stiffness_sensitivity("a path")

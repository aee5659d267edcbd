from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.statics.diagnosis import ContactState, action, amount
from tests.referee import block, dented_unit, pyramid
from tests.statics.diagnosis.cases import finger

TOWARDS = np.array([-1.0, 0, 0, 0, 0, 0])


@pytest.mark.parametrize(
    "value, digits, text",
    [
        (3.4216, 4, "3.422"),
        (249852.6, 3, "250000"),
        (0.00123456, 3, "0.00123"),
        (1e-9, 3, "1e-09"),
        (0.0, 3, "0"),
        (-12.3456, 3, "-12.3"),
        (100.0, 3, "100"),
        (2.5e9, 2, "2.5e+09"),
        (np.inf, 3, "inf"),
    ],
)
def test_numbers_have_a_few_digits_and_no_needless_exponent(value, digits, text):
    assert amount(value, digits) == text


@pytest.mark.parametrize(
    "force, words",
    [
        ((8.8, 6.6, -4.2), "pulling 4.2 N and shearing 11 N"),
        ((0, 0, 5.123), "pressing 5.12 N"),
        ((0, 3, 0.001), "shearing 3 N"),
        ((0, 0, 0), "without force"),
    ],
)
def test_a_contact_pulls_presses_or_shears(force, words):
    state = ContactState(0, "", np.array(force, dtype=float), 0, 0.5, False, False, False, not any(force), 0.0)
    assert action(state) == words


def test_a_joint_that_limits_a_finger_is_named_with_what_more_would_bring(strong):
    said = hf.diagnose(hf.load_limit(finger([-2.0], [3.0], strong), TOWARDS)).sentences
    assert said == (
        "It holds 6 times this load.",
        "No contact is at its limit, and the only joint row is; contact strength makes 0 % of the load limit, "
        "joint bounds 100 %.",
        'Joint "hinge" is at its upper bound of 3 N m; 0.1 N m more there adds 3.3 %.',
        "One way to give way past the limit: the object moves along -x.",
    )


def test_a_contact_that_limits_a_table_is_named_with_what_more_would_bring(uneven_table):
    weight = hf.loads.gravity_wrench(2.0, (0, 0, -10.0), (0.25, 0.25, 0.0))  # 20 N, half of it on the corner
    said = hf.diagnose(hf.equilibrium(uneven_table, weight)).sentences
    assert said[0] == "It holds 10 times this load."
    assert said[1] == "1 of 3 contacts is at its limit."
    assert said[2] == 'Contact "corner" is at its limit (100 %), pressing 100 N; 1 % more strength there adds 1 %.'
    assert said[3].startswith("One way to give way past the limit: the object turns about (0.71, -0.71, 0.00) through")


def test_what_fails_says_how_much_it_would_bear_and_in_which_motion_it_lets_go(strong):
    said = hf.diagnose(hf.equilibrium(finger([-2.0], [3.0], strong), 8.0 * TOWARDS, method=hf.Reference())).sentences
    assert said[0] == "It does not hold: it bears 0.75 times this load."
    assert said[1] == (
        "When the object moves along -x, the load does more work than contacts and joints can take up; "
        'the bounds of "hinge" count.'
    )
    assert said[-1].startswith('Joint "hinge" is at its upper bound of 3 N m')


def test_a_pull_that_nothing_resists_cannot_be_helped_by_strength(uneven_table):
    said = hf.diagnose(hf.equilibrium(uneven_table, [0, 0, 5.0, 0, 0, 0])).sentences
    assert said[0] == "It does not hold: it bears nothing of this load."
    assert said[-1].startswith("More strength would not help")


@pytest.mark.parametrize("shear, said", [(7.0, "1.4"), (6.0, "1.2"), (5.001, "1")])
def test_friction_that_would_hold_a_shove_is_named_and_more_strength_is_not(shear: float, said: str) -> None:
    """Shear up to mu times the normal force, 5 of 10 N: the factor is shear / 5, by hand."""
    foot = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), hf.ForceVolume([np.zeros((1, 3))], [pyramid(0.5, 1.0)[1:]]))])
    told = hf.diagnose(hf.equilibrium(foot, [-shear, 0, -10.0, 0, 0, 0])).sentences
    assert told[-2].startswith("More strength would not help: with force limits scaled up,")
    words = told[-1].split()
    assert words[0] == "Friction" and " ".join(words[2:]) == "times as high would hold this load."
    assert words[1].startswith(said) and shear / 5.0 <= float(words[1]) <= 1.012 * shear / 5.0
    cone = hf.ForceVolume([np.zeros((1, 3))], [pyramid(0.5 * float(words[1]), 1.0)[1:]])
    rougher = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), cone)])
    assert hf.equilibrium(rougher, [-shear, 0, -10.0, 0, 0, 0]).holds


def test_no_friction_holds_a_block_that_is_lifted() -> None:
    foot = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), hf.ForceVolume([np.zeros((1, 3))], [pyramid(0.5, 1.0)[1:]]))])
    told = hf.diagnose(hf.equilibrium(foot, [1.0, 0, 10.0, 0, 0, 0])).sentences
    assert told[-1] == "Nor would more friction, even a million times as much."


def test_the_proof_of_a_union_says_how_many_cases_it_has():
    unit = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), dented_unit())])
    said = hf.diagnose(hf.equilibrium(unit, [0, 0, 2.0, 0, 0, 0], method=hf.Reference())).sentences
    assert said[1].endswith("(the nearest of 2 cases of pieces).")


def test_a_load_without_a_limit_is_said_to_have_none():
    cone = hf.ForceVolume([np.zeros((1, 3))], [pyramid(0.5, 1.0)[1:]])
    foot = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), cone)])
    for ask in (hf.equilibrium, hf.load_limit):
        assert hf.diagnose(ask(foot, [0, 0, -1.0, 0, 0, 0])).sentences == ("It holds any multiple of this load.",)


def test_a_preload_that_needs_a_load_is_told_as_an_interval(strong):
    preload = finger([1.0], [2.5], strong)  # f_x from 2 to 5
    assert hf.diagnose(hf.load_limit(preload, TOWARDS)).sentences[0] == "It holds from 2 to 5 times this load."
    assert hf.diagnose(hf.load_limit(preload, -TOWARDS)).sentences[0] == "It holds from -5 to -2 times this load."
    assert (
        hf.diagnose(hf.equilibrium(preload, 4.0 * TOWARDS)).sentences[0] == "It holds from 0.5 to 1.25 times this load."
    )
    too_large = hf.diagnose(hf.equilibrium(preload, 10.0 * TOWARDS)).sentences
    assert too_large[0] == "It does not hold: it bears from 0.2 to 0.5 times this load."
    too_small = hf.diagnose(hf.equilibrium(preload, TOWARDS, method=hf.Reference())).sentences
    assert too_small[1].startswith("When the object moves along +x, contacts and joints do more work than this load")
    assert too_small[0] == "It does not hold: this load is too small; from 2 to 5 times this load it holds."
    assert (
        too_small[-1]
        == 'Joint "hinge" is at its lower bound of 1 N m; 0.1 N m lower there lets it hold from 1.8 times on.'
    )


def test_a_preload_without_an_upper_end_is_told_so():
    free = hf.ForceVolume([np.zeros((1, 3))], [np.concatenate([np.eye(3), -np.eye(3)])])
    preload = finger([1.0], [np.inf], free)
    assert (
        hf.diagnose(hf.load_limit(preload, TOWARDS)).sentences[0]
        == "It holds any multiple of this load from 2 times on."
    )
    assert hf.diagnose(hf.load_limit(preload, -TOWARDS)).sentences[0] == "It holds -2 times this load and less."
    too_small = hf.diagnose(hf.equilibrium(preload, TOWARDS)).sentences[0]
    assert too_small == "It does not hold: this load is too small; from 2 times this load it holds."


def test_where_nothing_ever_holds_the_joints_to_blame_are_named(strong):
    preload = finger([1.0], [2.5], strong)
    aside = np.array([0, 1.0, 0, 0, 0, 0])
    assert hf.diagnose(hf.load_limit(preload, aside, method=hf.Reference())).sentences == (
        "It holds no multiple of this load.",
        "No multiple of the load brings contacts and joints into balance: the object moves along +x; "
        'the bounds of "hinge" count.',
    )
    test = hf.diagnose(hf.equilibrium(preload, aside)).sentences
    assert test[0] == "It does not hold, and no multiple of this load does."
    nothing = hf.diagnose(hf.equilibrium(preload, np.zeros(6))).sentences
    assert nothing[0] == "It does not hold, even without a load." and nothing[1].startswith("Without any load")


def test_without_a_load_there_is_little_to_say(uneven_table):
    assert hf.diagnose(hf.equilibrium(uneven_table, np.zeros(6))).sentences == ("It holds; there is no load.",)


def test_a_hole_between_scales_that_hold_is_told():
    """Two boxes apart: forces of 1 to 2 N or of 5 to 6 N, nothing in between."""
    pieces = hf.ForceVolume([block([1, -1, -1], [2, 1, 1]), block([5, -1, -1], [6, 1, 1])])
    apart = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), pieces)])
    said = hf.diagnose(hf.equilibrium(apart, 3.0 * TOWARDS)).sentences
    assert said[0] == "It does not hold, though smaller and larger multiples of this load do: no pieces fit in between."


def test_an_undecided_limit_is_told_with_both_ends():
    units = hf.Assembly([hf.Contact([0.01 * i, 0.02 * i * i, 0], np.eye(3), dented_unit()) for i in range(4)])
    method = hf.Reference(node_limit=1, combinations=0)
    answer = hf.load_limit(units, [0.3, 0.1, 1, 0, 0, 0], method=method)
    assert answer.status == "undecided"
    words = hf.diagnose(answer).sentences[0]
    assert ("at least" in words and "at most" in words) or "no multiple was found" in words


def test_contacts_that_help_only_together_are_told_so():
    box = hf.ForceVolume([block([-10] * 3, [10] * 3)])
    pair = hf.Assembly([hf.Contact([x, 0, 0], np.eye(3), box) for x in (-1.0, 1.0)])
    said = hf.diagnose(hf.load_limit(pair, [0, 0, 1.0, 0, 0, 0])).sentences
    assert said[1] in ("Both contacts are at their limit.", "At least 1 of 2 contacts is at its limit.")
    assert said[2].startswith("No single contact or joint limits it alone")

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.statics.diagnosis import MOST_GAINS, JointState, joint_step
from tests.referee import block, random_case
from tests.statics.diagnosis.cases import confined, finger, limit_of


@pytest.mark.parametrize(
    "bound, reach, step",
    [(0.01, 5.0, 0.001), (-20.0, 1.0, 1.0), (99.0, 1.0, 1.0), (100.0, 1.0, 10.0), (0.0, 3.0, 0.1), (0.0, 0.0, 1.0)],
)
def test_a_joint_bound_is_changed_by_a_round_number_within_a_tenth_of_it(bound, reach, step):
    assert joint_step(bound, reach) == pytest.approx(step)


@pytest.mark.parametrize("seed", [1, 5, 9, 16, 21, 33, 40])
def test_gains_are_what_the_referee_finds_with_the_change_made(seed):
    case = random_case(seed, most_choices=12)
    answer = hf.load_limit(case.assembly, case.direction, method=hf.Reference())
    if answer.status != "optimal":
        pytest.skip("no limit")
    diagnosis = hf.diagnose(answer)
    assert 0 < len(diagnosis.gains) <= MOST_GAINS
    base = limit_of(confined(answer.assembly, answer.pieces), answer.direction)
    for gain in diagnosis.gains:
        change = (
            {"row": gain.state.index, gain.side: gain.step}
            if isinstance(gain.state, JointState)
            else {"contact": gain.state.index, "share": 1.0 + 0.01 * gain.step}
        )
        changed = limit_of(confined(answer.assembly, answer.pieces, **change), answer.direction)
        assert gain.gain == pytest.approx(changed - base, rel=1e-5, abs=1e-7)


def test_the_largest_gain_comes_first(strong):
    """The tip's strength is 1000 times what the hinge lets through: only the hinge counts."""
    diagnosis = hf.diagnose(hf.load_limit(finger([-2.0], [3.0], strong), [-1, 0, 0, 0, 0, 0]))
    (gain,) = diagnosis.gains
    assert (gain.side, gain.step, gain.gain) == ("upper", pytest.approx(0.1), pytest.approx(0.2))
    table = hf.ForceVolume([block([-10, -10, 0], [10, 10, 50])])
    feet = hf.Assembly([hf.Contact(x, np.eye(3), table) for x in ((0, 0, 0), (1, 0, 0), (0, 1, 0))])
    gains = hf.diagnose(hf.load_limit(feet, [1, 0.5, 0, 0, 0, 0.4])).gains
    assert [g.gain for g in gains] == sorted((g.gain for g in gains), reverse=True)


def test_a_bound_whose_widening_takes_the_limit_away_gains_without_end():
    rod = hf.ForceVolume([np.zeros((1, 3))], [np.concatenate([np.eye(3), -np.eye(3)])])
    rows = hf.JointRows([[1.0, 0, 0], [1.0, 0, 0]], [-np.inf, -1.0], [5.0, 5.0])
    free = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), rod)], rows)
    (gain,) = hf.diagnose(hf.load_limit(free, [1, 0, 0, 0, 0, 0])).gains
    assert (gain.state.index, gain.side, gain.step) == (1, "lower", pytest.approx(0.1))
    assert gain.gain == pytest.approx(0.1)


def test_where_nothing_alone_helps_there_is_no_gain():
    box = hf.ForceVolume([block([-10] * 3, [10] * 3)])
    pair = hf.Assembly([hf.Contact([x, 0, 0], np.eye(3), box) for x in (-1.0, 1.0)])
    assert hf.diagnose(hf.load_limit(pair, [0, 0, 1.0, 0, 0, 0])).gains == ()

from __future__ import annotations

import dataclasses

import pytest

from holdfast.force_limits import DecompositionReport

FIELDS = (
    "side",
    "pieces",
    "overreach_percent",
    "overreach_newtons",
    "false_adhesion_newtons",
    "loss_percent",
    "loss_newtons",
    "lost_adhesion_newtons",
    "goal_reached",
)


def test_a_report_states_both_errors_in_newtons_and_percent_and_the_adhesion():
    assert tuple(f.name for f in dataclasses.fields(DecompositionReport)) == FIELDS


def test_a_report_without_a_goal_has_reached_it():
    assert DecompositionReport("inner", 4, 0.0, 0.0, 0.0, 3.0, 1.2, 0.1).goal_reached


def test_reports_compare_by_value_and_cannot_be_changed():
    report = DecompositionReport("outer", 4, 3.0, 1.0, 0.1, 0.0, 0.0, 0.0)
    assert report == DecompositionReport("outer", 4, 3.0, 1.0, 0.1, 0.0, 0.0, 0.0)
    assert report != DecompositionReport("outer", 5, 3.0, 1.0, 0.1, 0.0, 0.0, 0.0)
    with pytest.raises(dataclasses.FrozenInstanceError):
        report.pieces = 3

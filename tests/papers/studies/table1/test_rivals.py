from __future__ import annotations

from holdfast.papers.table_one import COUNTING_PROGRAMS, FEW_RIVALS, GAP, RIVALS, rivals


def test_every_rival_that_searches_gives_up_in_time():
    found = {rival.name: rival for rival in rivals(3.5)}
    assert {getattr(rival.method, "time_limit", None) for rival in found.values() if not rival.quick} == {3.5}
    assert set(FEW_RIVALS) <= set(RIVALS) <= set(found)
    assert COUNTING_PROGRAMS - {"Exact"} <= set(found)


def test_every_rival_is_asked_for_the_same_accuracy_but_the_papers_own():
    for rival in rivals(1.0):
        assert rival.gap == (rival.method.epsilon if rival.name.startswith("Paper") else rival.method.gap)
        assert rival.gap == (1e-3 if rival.name.startswith("Paper") else GAP)

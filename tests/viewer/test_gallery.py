from __future__ import annotations

from holdfast.viewer.gallery import entries
from holdfast.viewer.session import label
from holdfast.web.page import GROUPS


def test_every_page_has_a_key_and_a_line_of_its_own_and_the_groups_stand_together() -> None:
    found = entries()
    assert len({entry.key for entry in found}) == len(found)
    assert len({label(entry) for entry in found}) == len(found)
    groups = [GROUPS.index(entry.group) for entry in found]
    assert groups == sorted(groups)
    assert set(groups) == set(range(len(GROUPS)))
    assert all(entry.summary for entry in found)

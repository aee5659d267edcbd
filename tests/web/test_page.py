from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any, get_args

import pytest

from holdfast.web.page import GROUPS, Group, PageEntry


def test_the_groups_of_the_menu_are_those_an_entry_may_have() -> None:
    assert get_args(Group) == GROUPS


def test_an_entry_makes_a_page_only_when_asked_and_stays_as_it_is() -> None:
    made: list[Any] = []
    entry = PageEntry("key", "title", "Contacts", "summary", lambda context: made.append(context))  # pyright: ignore[reportArgumentType]
    assert made == []
    with pytest.raises(FrozenInstanceError):
        entry.key = "other"  # pyright: ignore[reportAttributeAccessIssue]

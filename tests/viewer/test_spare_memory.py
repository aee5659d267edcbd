from __future__ import annotations

import sys

import pytest

from holdfast.viewer.spare_memory import give_back


def test_freed_memory_is_given_back_where_that_can_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert give_back() in (True, False)  # without glibc there is nothing to ask
    monkeypatch.setattr(sys, "platform", "win32")
    assert give_back() is False

"""Tests in a browser come first: pytest-xdist hands the first tests to its first worker, so one Chromium is started."""

from __future__ import annotations

import pytest


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: "browser" not in getattr(item, "fixturenames", ()) or "chromium" not in item.nodeid)

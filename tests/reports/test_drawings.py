from __future__ import annotations

import base64

from holdfast.reports import drawings
from holdfast.reports.contents import ReportContents


def test_a_drawing_carries_its_own_data(contents: ReportContents) -> None:
    kind, _, data = drawings.use(contents.loads[0]).partition(";base64,")
    assert kind == "data:image/svg+xml"
    assert base64.b64decode(data).rstrip().endswith(b"</svg>")


def test_a_name_that_reads_as_broken_mathematics_is_drawn_as_it_stands(contents: ReportContents) -> None:
    assert "\\frac{" in contents.scene.name
    kind, _, data = drawings.scene(contents).partition(";base64,")
    assert kind == "data:image/png"
    assert base64.b64decode(data).startswith(b"\x89PNG")

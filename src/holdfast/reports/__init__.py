"""Reports: all that is known of a scene as one self-contained HTML page, for a colleague without Holdfast.

contents = answer_scene("gripper.yaml", ReportOptions(level=2, seed=0))      # every question, asked once
page = report_page(contents, date="2025-01-31")      # the page as text; the same contents give the same bytes
save_report(page, "report.html")
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import loader

if TYPE_CHECKING:
    from .contents import LoadAnswer, ReportContents, ReportOptions, SliceAnswer, answer_scene
    from .page import report_page, save_report

__all__ = [
    "LoadAnswer",
    "ReportContents",
    "ReportOptions",
    "SliceAnswer",
    "answer_scene",
    "report_page",
    "save_report",
]

_HOME = {
    "LoadAnswer": "contents",
    "ReportContents": "contents",
    "ReportOptions": "contents",
    "SliceAnswer": "contents",
    "answer_scene": "contents",
    "report_page": "page",
    "save_report": "page",
}

__getattr__ = loader(__name__, _HOME)


def __dir__() -> list[str]:
    return sorted(__all__)

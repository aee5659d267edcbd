"""Reports: all answers about a scene as one self-contained HTML page, for a reader without Holdfast.

contents = answer_scene("gripper.yaml", ReportOptions(level=2, seed=0))      # every question, asked once
page = report_page(contents, date="2025-01-31")      # the page as text; the same contents give the same bytes
save_report(page, "report.html")
"""

from ..public_names import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)

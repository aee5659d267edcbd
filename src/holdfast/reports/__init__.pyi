from .chapters import report_page as report_page
from .chapters import save_report as save_report
from .contents import LoadAnswer as LoadAnswer
from .contents import ReportContents as ReportContents
from .contents import ReportOptions as ReportOptions
from .contents import answer_scene as answer_scene

from __future__ import annotations

from holdfast.reports.contents import ReportContents
from holdfast.reports.load_chapters import load_chapter, summary
from holdfast.reports.markup import number


def test_the_summary_has_the_factors_of_the_answers(contents: ReportContents) -> None:
    text = summary(contents).text
    for load in contents.loads:
        assert load.limit is not None
        assert f'<td class="number">{number(load.limit.value, 6)}</td>' in text
    assert text.count('class="verdict holds"') == 1
    assert text.count('class="verdict fails"') == 1


def test_what_holds_is_told_by_its_forces_and_what_does_not_by_its_certificate(contents: ReportContents) -> None:
    holds, fails = (load_chapter(contents, load).text for load in contents.loads)
    assert "Contact forces" in holds
    assert "No admissible forces" not in holds
    assert "No admissible forces" in fails
    assert "Contact forces" not in fails
    for text, load in zip((holds, fails), contents.loads, strict=True):
        assert "What limits it" in text
        assert text.count("<li>") == len(load.diagnosis.sentences)

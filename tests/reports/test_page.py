from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

import holdfast as hf
from holdfast.errors import FileError
from holdfast.reports.contents import ReportContents, ReportOptions, answer_scene
from holdfast.reports.page import commands, report_page, save_report


def test_the_page_is_whole_and_needs_nothing_from_elsewhere(page: str, reader) -> None:
    assert page.startswith("<!DOCTYPE html>\n<html")
    names = [name for name, _ in reader.elements]
    assert not {"script", "link", "iframe", "object", "base"} & set(names)
    for name, given in reader.elements:
        assert not any(key.startswith("on") for key in given)
        for key in ("src", "href", "action", "srcset"):
            assert (given.get(key) or "data:image/").startswith("data:image/"), (name, key)
    assert sum(name == "img" for name in names) >= 5
    assert all(given.get("alt") for name, given in reader.elements if name == "img")


def test_hostile_names_stay_words(contents: ReportContents, page: str, reader) -> None:
    assert "<script" not in page
    assert "<i>" not in page
    assert contents.scene.name in reader.text
    assert "</pre><img src=x onerror=alert(1)>" in reader.text
    assert "weight + <i>push</i>" in reader.text


def test_the_scene_file_stands_there_verbatim(contents: ReportContents, reader, scene_file: Path) -> None:
    assert contents.source == scene_file.read_text(encoding="utf-8")
    assert contents.source in reader.text


def test_headings_come_in_their_order(reader) -> None:
    headings = [word for word in reader.cells if word in HEADINGS]
    assert headings == list(HEADINGS)


HEADINGS = (
    "The scene",
    "Load: weight",
    "Load: weight + <i>push</i>",
    "Limits along the axes",
    "Wrench space: fx, fy, fz",
    "How surely it holds",
    "What the limit depends on",
    "How this was made",
)


def test_the_same_question_gives_the_same_bytes(page: str, scene_file: Path) -> None:
    again = answer_scene(scene_file, ReportOptions(("fx,fy,fz",), level=1, seed=3, samples=64))
    assert report_page(again, date="2025-01-31") == page


def test_versions_seed_date_and_title(contents: ReportContents) -> None:
    page = report_page(contents, title="A <title>", date="a day")
    assert "<title>A &lt;title&gt;</title>" in page
    assert f">{hf.__version__}<" in page
    assert re.search(r">numpy</td><td[^>]*>\d", page)
    assert ">a day<" in page


def test_the_commands_repeat_the_report_word_by_word(contents: ReportContents, scene_file: Path) -> None:
    first, *others = commands(contents, title="it's", date="2025-01-31")
    words = shlex.split(first)
    assert words[:3] == ["holdfast", "report", str(scene_file)]
    assert words[words.index("--title") + 1] == "it's"
    assert words[words.index("--seed") + 1] == "3"
    checks = [shlex.split(line) for line in others if " check " in line]
    assert [line[line.index("--load") + 1] for line in checks if "--load" in line] == ["<i>push</i>"]


def test_a_file_that_is_there_stays_unless_it_is_to_be_replaced(tmp_path: Path) -> None:
    path = save_report("one", tmp_path / "a.html")
    with pytest.raises(FileError, match="there already"):
        save_report("two", path)
    assert path.read_text(encoding="utf-8") == "one"
    assert save_report("two", path, overwrite=True).read_text(encoding="utf-8") == "two"


def test_a_place_where_nothing_can_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be written"):
        save_report("one", tmp_path / "nowhere" / "a.html")
    with pytest.raises(FileError, match="cannot be written"):
        save_report("one", tmp_path, overwrite=True)


BARE = """holdfast: 1
gravity: [0, 0, 0]
volumes: {foot: {model: coulomb, mu: 0.5}}
contacts: [{position: [0.1, 0, 0], normal: [0, 0, 1], volume: foot}]
"""


@pytest.mark.parametrize("more", ["", "object: {mass: 1.0}\nscatter: {strength: 0.1}\n"], ids=["no loads", "no weight"])
def test_a_scene_with_nothing_to_bear_makes_a_page_too(tmp_path: Path, more: str) -> None:
    path = tmp_path / "bare.yaml"
    path.write_text(BARE + more, encoding="utf-8")
    page = report_page(answer_scene(path, ReportOptions((), samples=8)))
    assert ("neither a mass nor loads" in page) == (not more)
    assert page.count('class="verdict holds"') == (2 if more else 0)  # nothing is always held
    assert "not given" in page

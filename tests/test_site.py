"""The documentation site builds without a warning or a network, is whole, and leads to every question."""

from __future__ import annotations

import importlib
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from urllib.parse import urlsplit

import pytest

from benchmarks.viewer.browser import chromium, launched
from tools import check_site

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "holdfast"
#: The questions of the first page, and the call that a page which answers one must show.
QUESTIONS = {
    "Can it hold?": "equilibrium(",
    "How much can it hold?": "wrench_space(",
    "Does it hold with these stiffnesses?": "load_sharing(",
    "Will it hold?": "strong_stability(",
    "How reliably does it hold?": "probability(",
    "If not, what happens?": "separation(",
    "Which one is best?": "compare(",
}
#: What readers search for, and a page that the search must find.
SEARCHES = {
    "payload": "questions",
    "suction tilt": "questions",
    "tipping": "support-regions",
    "slip angle": "moving-loads",
    "suction cups": "load-sharing",
    "first failure": "load-sharing",
    "safety factor": "moving-loads",
    "centre of mass": "support-regions",
    "magnet wall": "questions",
    "ladder": "questions",
    "MD-PMD": "glossary",
    "2FG": "glossary",
}
#: Widths of a laptop and of a telephone [px], and pages with long lines of code.
WIDTHS, LONG_LINES = (1280, 400), ("start", "questions", "tutorial", "several-bodies", "reference/statics")
#: Code blocks that are wider than their frame, or whose frame is wider than the window.
CLIPPED = """() => [...document.querySelectorAll('.highlight pre')].filter(
    block => block.scrollWidth > block.clientWidth || block.getBoundingClientRect().right > window.innerWidth
).map(block => block.innerText.slice(0, 60))"""
#: Rooms without a page in the reference, each with the reason.
UNTOLD = {
    "__init__": "its names are in their rooms",
    "__main__": "the command line by another name",
    "checks": "checks of arguments",
    "cli": "described on the page of the command line",
    "compiling": "how kernels are compiled",
    "console": "toolkit of the command line",
    "feature": "what a feature adds, described in the architecture",
    "features": "the list of features, described in the architecture",
    "inputs": "files from outside, described in the conventions",
    "confinement": "child processes with limits, described in the conventions",
    "linear_programs": "linear programs below the features",
    "public_names": "how names are loaded",
    "results": "the base of results, described with each",
    "storage": "the file format below others",
    "viewer": "described on its own page",
    "web": "toolkit of the viewer",
}


def extension(name: str) -> ModuleType:
    """An extension of the site."""
    folder = str(ROOT / "docs" / "_ext")
    if folder not in sys.path:
        sys.path.append(folder)
    return importlib.import_module(name)


@pytest.fixture(scope="module")
def names() -> ModuleType:
    return extension("names")


def link_targets(page: check_site.Page) -> dict[str, str]:
    """The files behind the links of a page by their text."""
    return {text: urlsplit(link).path for text, link in page.texts.items()}


def found_pages(site: Path, words: str) -> set[str]:
    """Pages that the search of the site finds for words: in their text, or in the title of a page or a section."""
    from sphinx.search.en import SearchEnglish

    text = (site / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(text[text.index("{") : text.rindex("}") + 1])
    language = SearchEnglish({})

    def pages_with(word: str) -> set[int]:
        stem = language.stem(word.lower())
        entries = [index[table].get(stem, []) for table in ("terms", "titleterms")]
        return {page for entry in entries for page in (entry if isinstance(entry, list) else [entry])}

    pages = [pages_with(word) for word in language.split(words) if language.word_filter(word.lower())]
    return {index["docnames"][page] for page in set.intersection(*pages)}


def clipped_blocks(site: Path) -> dict[tuple[str, int], list[str]]:
    """Code blocks that a real browser cuts off, by page and width of the window."""
    found = {}
    with launched() as browser:
        for width in WIDTHS:
            window = browser.new_page(viewport={"width": width, "height": 800})
            for page in LONG_LINES:
                window.goto((site / f"{page}.html").as_uri())
                found[page, width] = window.evaluate(CLIPPED)
    return found


# One test, so that workers that share the tests build the site once.
def test_the_site_builds_without_a_warning_and_is_whole(tmp_path: Path, names: ModuleType) -> None:
    site = tmp_path / "site"
    build = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "docs", str(site)]
    done = subprocess.run(
        [*build, "-d", str(tmp_path / "trees")], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert [*done.stderr.splitlines(), done.returncode] == [0]

    assert check_site.faults(site) == []

    front = link_targets(check_site.read(site / "index.html"))
    for question, call in QUESTIONS.items():
        page = site / front[question]
        shown = re.findall(r'<div class="highlight-python.*?</div>', page.read_text(encoding="utf-8"), re.DOTALL)
        assert any(call in re.sub(r"<[^>]+>", "", block) for block in shown), f"{question} {page.name}"

    assert front["hf.load_limit(assembly, direction)"] == "reference/statics.html"  # code leads to the reference

    anchors = {name for page in (site / "reference").glob("*.html") for name in check_site.read(page).anchors}
    public = {names.reference_name(room, name) for room in names.rooms() for name in names.public_names(room)}
    assert sorted(public - anchors) == []

    assert {words: page for words, page in SEARCHES.items() if page not in found_pages(site, words)} == {}

    assert chromium() is None or not any(clipped_blocks(site).values())

    formulas = [page.name for page in site.glob("*.html") if "<math " in page.read_text(encoding="utf-8")]
    assert "solver.html" in formulas


def test_the_reference_tells_every_name_of_the_package(names: ModuleType) -> None:
    import holdfast

    offered = {f"holdfast.{name}" for name in holdfast.__all__ if not inspect.ismodule(getattr(holdfast, name))}
    told = {names.reference_name(room, name) for room in names.rooms() for name in names.public_names(room)}
    assert offered - told == {"holdfast.__version__"}


def test_every_room_has_a_page_in_the_reference_or_a_reason_for_none(names: ModuleType) -> None:
    rooms = {path.stem for path in SOURCE.glob("*.py")} | {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    told = {room.split(".")[1] for room in names.rooms()} | {"tolerances"}
    assert rooms - told == set(UNTOLD)
    assert "automodule:: holdfast.tolerances" in (ROOT / "docs/reference/tolerances.rst").read_text(encoding="utf-8")


def test_a_word_means_what_its_module_imports(names: ModuleType) -> None:
    assert names.meaning("holdfast.planar.motion_sets", "Contact") == "holdfast.planar.Contact"
    assert names.meaning("holdfast.assembly.assembly", "Contact") == "holdfast.Contact"
    assert (
        names.meaning("holdfast.wrench_spaces.space", "Difference") == "holdfast.wrench_spaces.Difference"
    )  # for typing
    assert names.meaning("holdfast.assembly.assembly", "nothing") is None
    assert names.annotation("holdfast.assembly.assembly", "Contact | None") == "holdfast.Contact | None"


def test_code_leads_to_the_name_it_means() -> None:
    target_of = extension("code_links").target_of
    assert target_of(".equilibrium") == "holdfast.equilibrium"
    assert target_of(".models.coulomb") == "holdfast.models.coulomb"
    assert target_of(".planar.Contact") == "holdfast.planar.Contact"
    assert target_of(".Grip.save") == "holdfast.Grip.save"
    assert target_of(".nothing") is None


def test_docstrings_keep_their_signs_and_show_formulas_as_they_stand() -> None:
    restructured = extension("docstrings").restructured
    text = ["|x| <= a*b for `f`s, x_, `f(a,", "b)` and `c`.", "", "    d = |b| x_", "", "Args:", "    a: `a` *b*."]
    assert restructured(text, "holdfast.statics.holding") == [
        r"\|x\| <= a\*b for ``f``\ s, x\_, ``f(a,",
        r"b)`` and ``c``\ .",
        "",
        "::",
        "",
        "    d = |b| x_",
        "",
        "Args:",
        r"    a: ``a`` \*b\*.",
    ]


@pytest.mark.parametrize("latex", [r"\nosuchcommand{x}", r"x_i_j", r"a & b"])
def test_a_formula_that_cannot_be_set_is_told(latex: str) -> None:
    with pytest.raises(ValueError, match="Error|not known"):
        extension("mathml").mathml(latex, block=True)


def test_formulas_are_set_in_lines_and_in_rows() -> None:
    mathml = extension("mathml").mathml
    assert "<msub><mi>f</mi><mi>i</mi></msub>" in mathml("f_i", block=False)
    rows = mathml(r"\begin{aligned} a &= b \\ c &= d \end{aligned}", block=True)
    assert rows.count("<mtr>") == 2 and 'display="block"' in rows


@pytest.mark.parametrize(
    "page, fault",
    [
        ('<a href="none.html">x</a>', "index.html: none.html leads nowhere"),
        ('<a href="#none">x</a>', "index.html: #none leads nowhere"),
        ('<a href="two.html#three">x</a>', "index.html: two.html#three leads nowhere"),
        ('<img src="none.png">', "index.html: none.png leads nowhere"),
        ('<img src="https://example.org/a.png">', "index.html: fetches https://example.org/a.png from outside"),
        ('<script src="//example.org/a.js"></script>', "index.html: fetches //example.org/a.js from outside"),
        (
            '<link rel="stylesheet" href="https://example.org/a.css">',
            "index.html: fetches https://example.org/a.css from outside",
        ),
        (
            "<style>@import 'https://example.org/a.css';</style>",
            "index.html: fetches https://example.org/a.css from outside",
        ),
        (
            '<p style="background: url(http://example.org/a.png)">',
            "index.html: fetches http://example.org/a.png from outside",
        ),
        ('<script>fetch("https://example.org/a")</script>', "index.html: fetches https://example.org/a from outside"),
    ],
)
def test_a_fault_of_a_page_is_found(tmp_path: Path, page: str, fault: str) -> None:
    (tmp_path / "two.html").write_text('<h1 id="two">2</h1>', encoding="utf-8")
    (tmp_path / "index.html").write_text(page, encoding="utf-8")
    assert check_site.faults(tmp_path) == [fault]


def test_a_page_without_a_fault_has_none(tmp_path: Path) -> None:
    (tmp_path / "two.html").write_text(
        '<h1 id="two">2</h1><img src="a.png"><img src="data:image/png;base64,">', encoding="utf-8"
    )
    (tmp_path / "a.png").write_bytes(b"")
    (tmp_path / "index.html").write_text(
        '<a href="two.html#two">2</a><a href="https://example.org">elsewhere</a><a href="#">top</a>', encoding="utf-8"
    )
    assert check_site.faults(tmp_path) == []
    (tmp_path / "a.css").write_text("p { background: url(https://example.org/a.png) }", encoding="utf-8")
    assert check_site.faults(tmp_path) == ["a.css: fetches https://example.org/a.png from outside"]

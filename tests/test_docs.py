"""Everything the documents show is run: Python blocks, commands, files and links."""

from __future__ import annotations

import importlib
import re
import shlex
import shutil
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = sorted(
    path
    for pattern in ("*.md", "benchmarks/README.md", "studies/README.md", "docs/**/*.md")
    for path in ROOT.glob(pattern)
)
LANGUAGES = {"python", "console", "bash", "yaml", "json", "csv", "toml", "text"}
FENCE = re.compile(r"^(?P<indent> *)```(?P<info>[^\n`]*)\n(?P<body>.*?)^(?P=indent)```[ ]*$", re.MULTILINE | re.DOTALL)
EXIT_CODE = re.compile(r"#\s*exit code (\d+)\s*$")
LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")


@dataclass(frozen=True)
class Block:
    """One fenced block: language, the file it is to be saved as (or ""), text, line of its first line.

    `needs` is the optional package without which it cannot be run, or "".
    """

    language: str
    file: str
    text: str
    line: int
    needs: str = ""


@dataclass(frozen=True)
class Command:
    """One `$ holdfast ...` line with the exit code the document states."""

    words: list[str]
    exit_code: int


def blocks_of(text: str) -> list[Block]:
    found = []
    for match in FENCE.finditer(text):
        language, *rest = match["info"].split() or [""]
        options = dict(option.split("=", 1) for option in rest)
        assert set(options) <= {"file", "needs"}, match["info"]
        line = text.count("\n", 0, match.start("body")) + 1
        body = textwrap.dedent(match["body"])
        found.append(Block(language, options.get("file", ""), body, line, options.get("needs", "")))
    return found


def commands_of(block: Block) -> list[Command]:
    """The commands of a console block; `# exit code N` on or below one states what it returns."""
    commands: list[Command] = []
    for line in block.text.replace("\\\n", " ").splitlines():
        stated = EXIT_CODE.search(line)
        if line.startswith("$ "):
            words = shlex.split(line.removeprefix("$ "), comments=True)
            commands.append(Command(words, int(stated[1]) if stated else 0))
        elif stated and commands:
            commands[-1] = Command(commands[-1].words, int(stated[1]))
    return [command for command in commands if command.words[:1] == ["holdfast"]]


def run_document(path: Path, run_command: Callable[[Command], None], *, packages: bool = False) -> int:
    """Run the blocks of one document, in order, in one namespace, in the working directory; how many were used.

    Blocks that need an optional package are left out, unless `packages` is set.
    """
    namespace: dict[str, object] = {"__name__": "document"}
    used = 0
    for block in blocks_of(path.read_text(encoding="utf-8")):
        if block.needs and not packages:
            continue
        if block.file:
            Path(block.file).write_text(block.text, encoding="utf-8")
            used += 1
        elif block.language == "python":
            # Blank lines in front make a traceback point into the document.
            code = compile("\n" * (block.line - 1) + block.text, str(path), "exec", dont_inherit=True)
            exec(code, namespace)
            used += 1
        elif block.language in ("console", "bash"):
            for command in commands_of(block):
                run_command(command)
            used += 1
    return used


@pytest.fixture
def run_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[[Command], None]:
    """Run a command through the entry point of the command line and check the code it ends with."""

    def run(command: Command) -> None:
        from holdfast.cli import main

        words, saved = command.words, None
        if ">" in words:
            words, saved = words[: words.index(">")], words[words.index(">") + 1]
        monkeypatch.setattr("sys.argv", words)
        capsys.readouterr()
        code: object = 0
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
        output = capsys.readouterr()
        assert code == command.exit_code, f"{shlex.join(command.words)}: exit code {code}\n{output.out}{output.err}"
        if saved:
            Path(saved).write_text(output.out, encoding="utf-8")

    return run


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory with a copy of the examples."""
    if (ROOT / "examples").is_dir():
        shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def document_id(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", DOCUMENTS, ids=document_id)
def test_what_a_document_shows_runs(path: Path, workplace: Path, run_command: Callable[[Command], None]) -> None:
    blocks = blocks_of(path.read_text(encoding="utf-8"))
    shown = [b for b in blocks if not b.needs and (b.file or b.language in ("python", "console", "bash"))]
    assert run_document(path, run_command) == len(shown)


@pytest.mark.parametrize(
    "path",
    [path for path in DOCUMENTS if any(block.needs for block in blocks_of(path.read_text(encoding="utf-8")))],
    ids=document_id,
)
def test_what_a_document_shows_with_optional_packages_runs(
    path: Path, workplace: Path, run_command: Callable[[Command], None]
) -> None:
    for package in sorted({block.needs for block in blocks_of(path.read_text(encoding="utf-8"))} - {""}):
        try:
            distribution(package)
        except PackageNotFoundError:
            pytest.skip(f"no {package}: blocks of documents that need it are not run")
    assert run_document(path, run_command, packages=True) > run_document(path, run_command)


@pytest.mark.parametrize("path", DOCUMENTS, ids=document_id)
def test_every_block_is_closed_and_says_its_language(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    blocks = blocks_of(text)
    assert len(re.findall(r"^ *```", text, re.MULTILINE)) == 2 * len(blocks)
    assert {block.language for block in blocks} <= LANGUAGES


@pytest.mark.parametrize("path", DOCUMENTS, ids=document_id)
def test_every_relative_link_leads_somewhere(path: Path) -> None:
    targets = LINK.findall(path.read_text(encoding="utf-8"))
    assert [target for target in targets if not (path.parent / target).exists()] == []


def test_the_readme_shows_code_and_a_command() -> None:
    blocks = blocks_of((ROOT / "README.md").read_text(encoding="utf-8"))
    assert [block for block in blocks if block.language == "python"]
    assert [command for block in blocks if block.language in ("console", "bash") for command in commands_of(block)]


def test_the_conventions_page_shows_code() -> None:
    blocks = blocks_of((ROOT / "docs" / "conventions.md").read_text(encoding="utf-8"))
    assert [block for block in blocks if block.language == "python"]


def test_the_page_on_the_solver_names_what_is_there() -> None:
    """Its code spans `module.name` and `Class.name`; those of an answer are left out."""
    text = FENCE.sub("", (ROOT / "docs" / "solver.md").read_text(encoding="utf-8"))
    spans = [span for span in re.findall(r"`(\w+)\.(\w+)`", text) if span[0] != "effort"]
    assert len(spans) > 30
    assert [f"{owner}.{name}" for owner, name in spans if not hasattr(owner_of(owner), name)] == []


def owner_of(word: str) -> object:
    """The module of solvers, the module or the class of the package that a word names; None when there is none."""
    import holdfast
    from holdfast import solvers

    source = ROOT / "src" / "holdfast"
    exact = ("holdfast.solvers.exact", source / "solvers" / "exact")
    for package, folder in (exact, ("holdfast.solvers", source / "solvers"), ("holdfast", source)):
        if (folder / f"{word}.py").exists():
            return importlib.import_module(f"{package}.{word}")
    return holdfast if word == "hf" else getattr(holdfast, word, None) or getattr(solvers, word, None)


def test_a_document_with_a_false_claim_fails(workplace: Path, run_command: Callable[[Command], None]) -> None:
    path = workplace / "false.md"
    path.write_text("# F\n\n```python\nx = 1\n```\n\n- a\n\n  ```python\n  assert x == 2\n  ```\n", encoding="utf-8")
    with pytest.raises(AssertionError) as caught:
        run_document(path, run_command)
    assert caught.traceback[-1].lineno == 9  # counted from 0: line 10 of the document


def test_a_command_with_another_exit_code_than_stated_fails(run_command: Callable[[Command], None]) -> None:
    block = Block("console", "", "$ holdfast --help  # exit code 1\n$ holdfast \\\n --help\nUsage\n$ ls\n", 1)
    wrong, right = commands_of(block)
    assert right == Command(["holdfast", "--help"], 0)
    run_command(right)
    with pytest.raises(AssertionError, match="exit code 0"):
        run_command(wrong)


def test_a_block_that_needs_a_package_is_left_out_unless_asked_for(
    workplace: Path, run_command: Callable[[Command], None]
) -> None:
    path = workplace / "needs.md"
    path.write_text(
        "```python needs=nowhere\nimport nowhere\n```\n```csv file=a.csv needs=b\n1\n```\n", encoding="utf-8"
    )
    assert [(block.file, block.needs) for block in blocks_of(path.read_text(encoding="utf-8"))] == [
        ("", "nowhere"),
        ("a.csv", "b"),
    ]
    assert run_document(path, run_command) == 0
    with pytest.raises(ModuleNotFoundError):
        run_document(path, run_command, packages=True)


def test_a_block_with_a_name_becomes_a_file(workplace: Path, run_command: Callable[[Command], None]) -> None:
    path = workplace / "named.md"
    path.write_text("```csv file=a.csv\nx\n1\n```\n", encoding="utf-8")
    run_document(path, run_command)
    assert (workplace / "a.csv").read_text(encoding="utf-8") == "x\n1\n"

from __future__ import annotations

import base64
import re
import shlex
from html import unescape
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

import holdfast as hf
from holdfast.assembly import plots as assembly_plots
from holdfast.console.output import load_factor, number
from holdfast.errors import FileError
from holdfast.reports.chapters import address, chapters, report_page, save_report, summary
from holdfast.reports.contents import ReportContents, ReportOptions, answer_scene
from holdfast.reports.markup import sheet_markup
from holdfast.statics.diagnosis import joint_values
from holdfast.statics.plots import utilisation


def texts(contents: ReportContents) -> dict[str, str]:
    """The HTML of each chapter by its title, without its pictures."""
    try:
        return {chapter.title: re.sub(r'"data:[^"]*"', '""', chapter.markup.text) for chapter in chapters(contents)}
    finally:
        plt.close("all")


@pytest.fixture(scope="module")
def told(contents: ReportContents) -> dict[str, str]:
    return texts(contents)


@pytest.fixture(scope="module")
def block() -> ReportContents:
    return answer_scene("@block_on_three_points", ReportOptions(slices=()))


def row(*cells: str) -> str:
    """Cells with numbers, next to each other in a table."""
    return "".join(f'<td class="number">{cell}</td>' for cell in cells)


# -- pictures --------------------------------------------------------------------------------------


def test_a_drawing_carries_its_own_data(contents: ReportContents) -> None:
    kind, _, data = address(utilisation(contents.loads[0].diagnosis)).partition(";base64,")
    assert kind == "data:image/svg+xml"
    assert base64.b64decode(data).rstrip().endswith(b"</svg>")


def test_a_name_that_reads_as_broken_mathematics_is_drawn_as_it_stands(contents: ReportContents) -> None:
    assert "\\frac{" in contents.scene.name
    kind, _, data = address(assembly_plots.assembly(contents.scene)).partition(";base64,")
    assert kind == "data:image/png"
    assert base64.b64decode(data).startswith(b"\x89PNG")


# -- numbers of the answers --------------------------------------------------------------------------


def test_the_scene_has_its_contacts_and_escaped_names(told: dict[str, str]) -> None:
    text = told["The scene"]
    assert "1 kg" in text and "(0, 0, 0.05)" in text
    assert "&lt;b&gt;a&lt;/b&gt;" in text
    assert "Joint rows" not in text


def test_the_summary_has_the_factors_of_the_answers(contents: ReportContents) -> None:
    text = sheet_markup(summary(contents)).text
    for load in contents.loads:
        assert isinstance(load.sharing, hf.sharing.LoadSharing) and load.limit is not None
        first, peak, limit = load.sharing.first_failure, load.sharing.peak, load.limit.value
        assert first <= peak <= limit * (1.0 + 1e-6)
        assert load.probability is not None
        assert row(load_factor(limit), load_factor(first), load_factor(peak), number(load.probability.value)) in text
    assert text.count('class="verdict holds"') == 1
    assert text.count('class="verdict fails"') == 1


def test_what_holds_is_told_by_its_forces_and_what_does_not_by_its_certificate(
    contents: ReportContents, told: dict[str, str]
) -> None:
    for load in contents.loads:
        text = told[f"Load: {load.description}"]
        held = load.equilibrium.holds
        assert (held, not held) == ("Forces on the object, in" in text, "no admissible forces" in text)
        assert "proof verified: yes" in text
        for force in load.equilibrium.contact_forces:
            assert row(*(number(float(part)) for part in force.local), str(force.piece)) in text
        assert [sentence for sentence in load.diagnosis.sentences if sentence not in unescape(text)] == []
        assert text.count("<li>") == len(load.diagnosis.sentences)


def test_the_joint_rows_have_the_values_that_the_forces_ask_of_them() -> None:
    contents = answer_scene("@two_opposed_units", ReportOptions(slices=()))
    load = next(load for load in contents.loads if load.equilibrium.holds)
    rows = joint_values(load.equilibrium.assembly, load.equilibrium.forces)
    text = texts(contents)[f"Load: {load.description}"]
    assert "Joint rows" in text and rows
    for joint in rows:
        assert row(*(number(value) for value in (joint.lower, joint.value, joint.upper))) in text


def test_several_bodies_have_their_loads_interfaces_and_walls_and_no_limits_of_one_object() -> None:
    contents = answer_scene("@stacked_cubes")
    found = texts(contents)
    assert list(found) == ["The scene", *(f"Load: {load.description}" for load in contents.loads)]
    for body in contents.scene.bodies:
        assert f">{body.name}<" in found["The scene"]
    assert "Forces between the bodies" in found["Load: weight"]


def test_a_load_is_answered_with_the_walls_that_it_squeezes(tmp_path: Path, run_json) -> None:
    path = tmp_path / "row.yaml"
    path.write_text(ROW, encoding="utf-8")
    contents = answer_scene(path)
    weight, squeeze = contents.loads
    assert weight.case.scene.smooth_walls and not squeeze.case.scene.smooth_walls
    _, data = run_json("check", path, "--load", "squeeze")
    assert squeeze.limit is not None and squeeze.limit.value == pytest.approx(float(data["load_factor"]))
    found = texts(contents)
    assert "warning: " in found["Load: weight"] and "nothing squeezes" in found["Load: weight"]
    assert "nothing squeezes" not in found["Load: weight + squeeze"]


ROW = """holdfast: 1
volumes: {wood: {model: coulomb, mu: 0.5}}
bodies:
  left: {mass: 1.0, shape: {kind: box, size: [0.1, 0.1, 0.1], position: [-0.05, 0, 0.05]}}
  right: {mass: 1.0, shape: {kind: box, size: [0.1, 0.1, 0.1], position: [0.05, 0, 0.05]}}
world:
  - {kind: box, size: [1, 1, 0.1], position: [0, 0, -0.05]}
  - {kind: box, size: [0.1, 0.1, 0.1], position: [0.15, 0, 0.05]}
interfaces: [{touching: all, volume: wood, shear: [0, 1, 0]}]
loads: {squeeze: {body: left, force: [50, 0, 0], at: [-0.1, 0, 0.05]}}
"""


# -- load sharing ----------------------------------------------------------------------------------


def test_a_load_grows_after_the_weight_in_the_chapter(block: ReportContents) -> None:
    weight, push = block.loads[:2]
    assert weight.path is weight.sharing and isinstance(push.path, hf.sharing.LoadSharing)
    scene = block.scene
    expected = hf.load_sharing(scene.assembly, scene.load("push"), base=scene.gravity_load())
    assert push.path.peak == pytest.approx(expected.peak)
    text = unescape(texts(block)["Load sharing: weight + push"])
    assert "acts first: weight" in text and "load that grows: push" in text
    assert f"first failure {expected.first_failure:.4g} <= peak {expected.peak:.4g} <= load limit" in text


def test_the_chapter_draws_forces_and_order_and_lists_every_failure(
    contents: ReportContents, told: dict[str, str]
) -> None:
    for load in contents.loads:
        text = told[f"Load sharing: {load.description}"]
        assert isinstance(load.path, hf.sharing.LoadSharing) and load.path.failures
        assert text.count("<img ") == 2
        for event in load.path.failures:
            assert f"at {event.factor:.4g}" in text
        assert "proof verified: yes" in text


def test_the_load_limit_is_not_solved_twice(contents: ReportContents) -> None:
    for load in contents.loads:
        assert isinstance(load.sharing, hf.sharing.LoadSharing)
        assert load.sharing.limit is load.limit


def test_without_a_known_stiffness_one_sentence_is_left() -> None:
    contents = answer_scene("@measured_gripper", ReportOptions(slices=()))
    text = texts(contents)["Load sharing: weight"]
    assert text.count("<p>") == 1 and "<img" not in text and "<code>" not in text
    assert "not known; stiffness: contact left D[0] has none" in text
    assert ">peak<" not in sheet_markup(summary(contents)).text


def test_a_load_without_limit_and_one_lost_before_it_grows_are_told_in_words(block: ReportContents) -> None:
    text = texts(block)["Load sharing: weight"]
    assert "no failure and no limit" in text and not re.search(r"\binf\b", text)
    gripper = answer_scene("@two_finger_gripper_md_md", ReportOptions(slices=()))
    assert "it lets go under the preload, before the load grows" in texts(gripper)["Load sharing: weight"]


# -- limits, probability, sensitivity ----------------------------------------------------------------


def test_limits_along_the_axes_are_those_found(contents: ReportContents, told: dict[str, str]) -> None:
    for low, high in contents.axes:
        assert row(number(-low.value, 6), number(high.value, 6)) in told["Limits along the axes"]


def test_a_slice_tells_the_same_limit_straight_off(contents: ReportContents, told: dict[str, str]) -> None:
    text = told["Wrench space: fx,fy,fz"]
    assert f'<td class="number">{number(contents.axes[2][1].value, 6)}</td>' in text
    assert "42 rays: 42 exact" in text


def test_the_probability_has_its_interval_seed_and_limits(contents: ReportContents, told: dict[str, str]) -> None:
    load = contents.loads[0]
    text = told[f"Probability of holding: {load.description}"]
    assert "64 specimens with seed 3" in text
    assert load.probability is not None
    assert row(*(number(value, 5) for value in (load.probability.value, *load.probability.interval))) in text
    assert "Load limits of the specimens" in text and "<img " in text


def test_the_most_important_parameter_stands_first(contents: ReportContents, told: dict[str, str]) -> None:
    assert contents.tornado is not None
    text = unescape(told["What the limit depends on"])
    first, second = (bar.label for bar in contents.tornado.bars[:2])
    assert 0 < text.index(f">{first}<") < text.index(f">{second}<")


# -- commands that repeat the parts -------------------------------------------------------------------


def test_each_chapter_names_the_command_that_gives_the_same_numbers(contents: ReportContents, run_json) -> None:
    asked = [shlex.split(chapter.command) for chapter in chapters(contents) if chapter.command]
    plt.close("all")
    found = {name: [run_json(*words)[1] for words in asked if words[0] == name] for name, *_ in asked}
    assert [data["load_factor"] for data in found["check"]] == [
        pytest.approx(load.limit.value) for load in contents.loads
    ]
    assert [data["peak"] for data in found["share"]] == [pytest.approx(load.path.peak) for load in contents.loads]
    assert [data["value"] for data in found["probability"]] == [load.probability.value for load in contents.loads]
    assert found["sensitivity"][0]["tornado"]["limit"] == pytest.approx(contents.tornado.sensitivity.value)
    assert found["space"][0]["rays"] == len(contents.slices["fx,fy,fz"].status)


def test_the_report_is_repeated_by_its_last_command(contents: ReportContents, scene_file: Path) -> None:
    page = report_page(contents, title="it's", date="2025-01-31")
    words = shlex.split(unescape(re.findall("<code>(.*?)</code>", page)[-1]))
    assert words[:3] == ["holdfast", "report", str(scene_file)]
    given = dict(zip(words[3::2], words[4::2], strict=True))
    assert (given["--title"], given["--date"], given["--seed"]) == ("it's", "2025-01-31", "3")
    assert (given["--level"], given["--slices"], given["--samples"]) == ("1", "fx,fy,fz", "64")


# -- page ------------------------------------------------------------------------------------------


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


def test_chapters_come_in_their_order(contents: ReportContents, reader) -> None:
    headings = [words for words in reader.cells if words in HEADINGS]
    assert headings == list(HEADINGS)


HEADINGS = (
    "The scene",
    "Load: weight",
    "Load sharing: weight",
    "Probability of holding: weight",
    "Load: weight + <i>push</i>",
    "Load sharing: weight + <i>push</i>",
    "Probability of holding: weight + <i>push</i>",
    "Limits along the axes",
    "Wrench space: fx,fy,fz",
    "What the limit depends on",
    "How this report was made",
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


def test_a_file_that_is_there_stays_unless_it_is_to_be_replaced(tmp_path: Path) -> None:
    path = save_report("one", tmp_path / "a.html")
    with pytest.raises(FileError, match="exists already"):
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
    assert ("neither mass nor loads" in page) == (not more)
    assert (">holds<" in page) == bool(more)  # nothing is always held
    assert "not given" in page

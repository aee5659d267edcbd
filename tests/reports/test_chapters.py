from __future__ import annotations

import base64
import re
import shlex
from dataclasses import replace
from html import unescape
from pathlib import Path

import numpy as np
import pytest

import holdfast as hf
from holdfast.assembly import plots as assembly_plots
from holdfast.errors import FileError
from holdfast.reports.chapters import (
    address,
    axes_chapter,
    certainty_chapter,
    commands,
    friction,
    load_chapter,
    report_page,
    save_report,
    scene_chapter,
    sensitivity_chapter,
    sharing_chapter,
    slice_chapter,
    summary,
    volume_names,
)
from holdfast.reports.contents import ReportContents, ReportOptions, answer_scene
from holdfast.reports.markup import number
from holdfast.statics.diagnosis import joint_values
from holdfast.statics.plots import utilisation

# -- drawings --------------------------------------------------------------------------------------


def test_a_drawing_carries_its_own_data(contents: ReportContents) -> None:
    kind, _, data = address(utilisation(contents.loads[0].diagnosis), ".svg").partition(";base64,")
    assert kind == "data:image/svg+xml"
    assert base64.b64decode(data).rstrip().endswith(b"</svg>")


def test_a_name_that_reads_as_broken_mathematics_is_drawn_as_it_stands(contents: ReportContents) -> None:
    assert "\\frac{" in contents.scene.name
    kind, _, data = address(assembly_plots.assembly(contents.scene)).partition(";base64,")
    assert kind == "data:image/png"
    assert base64.b64decode(data).startswith(b"\x89PNG")


# -- scene chapter ---------------------------------------------------------------------------------


def test_contacts_of_the_same_volume_share_its_name_in_the_file(contents: ReportContents) -> None:
    assert list(volume_names(contents.scene).values()) == ["foot"]
    assert len(volume_names(hf.scenes.load_scene("@two_finger_gripper_d_md"))) == 1
    assert list(volume_names(replace(contents.scene, volume_names={})).values()) == ["V1"]


@pytest.mark.parametrize("cap", [None, 80.0])
def test_the_friction_of_a_cone_is_read_off_its_edges(cap: float | None) -> None:
    cone = hf.models.coulomb(0.6, facets=4, **({} if cap is None else {"cap": cap}))
    edges = cone.rays[0] if cap is None else cone.pieces[0][np.abs(cone.pieces[0]).max(axis=1) > 0.0]
    for x, y, z in edges[edges[:, 2] > 0.0]:
        shear = np.array([x, y, 0.0])
        way = shear / np.linalg.norm(shear)
        assert friction(cone, way) == pytest.approx(np.linalg.norm(shear) / z)


def test_friction_is_none_without_shear_and_needs_no_pressing_where_zero_is_inside() -> None:
    smooth = hf.ForceVolume([[(0, 0, 0), (0, 0, 100.0)]], allow_flat=True)
    assert friction(smooth, np.array([1.0, 0, 0])) == 0.0
    assert friction(hf.models.magnet(30.0, mu=0.5, cap=100.0), np.array([1.0, 0, 0])) == np.inf


def test_a_cone_shows_its_friction_and_not_a_limit_of_zero() -> None:
    contents = answer_scene("@block_on_three_points", ReportOptions(slices=()))
    text = scene_chapter(contents).text
    assert text.count("0.6 f_z") == 3
    assert ">rubber<" in text and ">V1<" not in text


def test_the_chapter_names_what_the_scene_has(contents: ReportContents) -> None:
    text = scene_chapter(contents).text
    assert "mass 1 kg" in text
    assert "(0, 0, 0.05)" in text
    assert "Contacts (3)" in text
    assert "&lt;b&gt;a&lt;/b&gt;" in text
    assert "Joint rows" not in text
    assert '<td class="number">30</td>' in text  # what one magnet bears straight off


# -- load chapters ---------------------------------------------------------------------------------


def test_the_summary_has_the_factors_of_the_answers(contents: ReportContents) -> None:
    text = summary(contents).text
    for load in contents.loads:
        assert load.limit is not None
        assert f'<td class="number">{number(load.limit.value, 6)}</td>' in text
    assert text.count('class="verdict holds"') == 1
    assert text.count('class="verdict fails"') == 1


def test_the_joint_rows_have_the_values_that_the_forces_ask_of_them() -> None:
    contents = answer_scene("@two_opposed_units", ReportOptions(slices=()))
    load = next(load for load in contents.loads if load.equilibrium.holds)
    rows = joint_values(load.equilibrium.assembly, load.equilibrium.forces)
    text = load_chapter(contents, load).text
    assert "Joint rows." in text and rows
    for row in rows:
        assert row.value is not None
        cells = (number(value) for value in (row.lower, row.value, row.upper))
        assert "".join(f'<td class="number">{cell}</td>' for cell in cells) in text


def test_what_holds_is_told_by_its_forces_and_what_does_not_by_its_certificate(contents: ReportContents) -> None:
    holds, fails = (load_chapter(contents, load).text for load in contents.loads)
    assert "Contact forces" in holds
    assert "No admissible forces" not in holds
    assert "No admissible forces" in fails
    assert "Contact forces" not in fails
    for text, load in zip((holds, fails), contents.loads, strict=True):
        assert "What limits it" in text
        assert text.count("<li>") == len(load.diagnosis.sentences)


# -- load sharing ----------------------------------------------------------------------------------


def test_the_bracket_of_every_load_is_in_the_summary_and_in_the_chapter(contents: ReportContents) -> None:
    row, text = summary(contents).text, sharing_chapter(contents).text
    assert ">first failure<" in row and ">peak<" in row
    for load in contents.loads:
        assert isinstance(load.sharing, hf.sharing.LoadSharing)
        assert load.limit is not None
        first, peak = load.sharing.first_failure, load.sharing.peak
        assert first <= peak <= load.limit.value * (1.0 + 1e-6)
        cells = (number(value, 6) for value in (first, peak, load.limit.value))
        assert "".join(f'<td class="number">{cell}</td>' for cell in cells) in row
        assert f"irst failure {first:.4g} ≤ peak {peak:.4g} ≤ load limit {load.limit.value:.4g}" in unescape(text)


def test_a_load_grows_after_the_weight_in_the_chapter() -> None:
    contents = answer_scene("@block_on_three_points", ReportOptions(slices=()))
    weight, push = contents.loads[:2]
    assert weight.staged is None and isinstance(push.staged, hf.sharing.LoadSharing)
    scene = contents.scene
    expected = hf.load_sharing(scene.assembly, scene.load("push"), base=scene.gravity_load())
    assert push.staged.peak == pytest.approx(expected.peak)
    text = sharing_chapter(contents).text
    assert "weight first, then push grows" in text
    assert f"First failure {expected.first_failure:.4g} ≤ peak {expected.peak:.4g} ≤ load limit" in text
    assert "Where weight + push grow together from zero: " in text


def test_the_chapter_draws_forces_and_order_and_lists_every_failure(contents: ReportContents) -> None:
    text = sharing_chapter(contents).text
    paths = [contents.loads[0].sharing, contents.loads[1].staged]
    assert text.count("<img ") == 4
    assert text.count("image/svg+xml") == text.count("image/png") == 2
    for path in paths:
        assert isinstance(path, hf.sharing.LoadSharing) and path.failures
        assert f"at {path.first_failure:.4g}" in text
    assert "&lt;b&gt;a&lt;/b&gt;" in text
    assert text.count("Proof verified: yes") == 2


def test_a_long_path_is_listed_by_its_failures() -> None:
    contents = answer_scene("@two_finger_gripper_pmd_pmd", ReportOptions(slices=()))
    result = contents.loads[0].sharing
    assert isinstance(result, hf.sharing.LoadSharing)
    text = sharing_chapter(replace(contents, loads=contents.loads[:1])).text
    assert "What fails as the load grows" in text and "joint left" not in text
    factors = dict.fromkeys(f"at {event.factor:.4g}" for event in result.failures)
    cells = re.findall(r">(at [0-9.]+)<", text)
    assert list(dict.fromkeys(cells)) == list(factors)
    assert contents.loads[0].advice and all(sentence in text for sentence in contents.loads[0].advice)


def test_the_load_limit_is_not_solved_twice(contents: ReportContents) -> None:
    for load in contents.loads:
        assert isinstance(load.sharing, hf.sharing.LoadSharing)
        assert load.sharing.limit is load.limit


def test_without_a_known_stiffness_one_sentence_is_left() -> None:
    contents = answer_scene("@measured_gripper", ReportOptions(slices=()))
    text = sharing_chapter(contents).text
    assert text.count("<p>") == 1 and "<img" not in text
    assert "unknown: stiffness: contact left D[0] has none" in text
    assert ">peak<" not in summary(contents).text
    assert not [line for line in commands(contents) if line.startswith("holdfast share")]


def test_a_load_without_limit_and_one_lost_before_it_grows_are_told_in_words() -> None:
    block = answer_scene("@block_on_three_points", ReportOptions(slices=()))
    text = re.sub(r'"data:[^"]*"', "", sharing_chapter(block).text)
    assert "No failure and no limit" in text and not re.search(r"\binf\b", text)
    gripper = answer_scene("@two_finger_gripper_md_md", ReportOptions(slices=()))
    assert "it lets go under the preload, before the load grows" in sharing_chapter(gripper).text
    assert ">before the load<" in summary(gripper).text


def test_the_commands_for_load_sharing_give_the_same_peak(contents: ReportContents, run_json) -> None:
    lines = [shlex.split(line)[1:] for line in commands(contents) if line.startswith("holdfast share")]
    assert len(lines) == len(contents.loads) == 2
    for words, load in zip(lines, contents.loads, strict=True):
        _, data = run_json(*words)
        path = load.sharing if load.staged is None else load.staged
        assert isinstance(path, hf.sharing.LoadSharing)
        assert data["peak"] == pytest.approx(path.peak)
        assert data["first_failure"] == pytest.approx(path.first_failure)


# -- limit chapters --------------------------------------------------------------------------------


def test_limits_along_the_axes_are_those_found(contents: ReportContents) -> None:
    text = axes_chapter(contents).text
    for low, high in contents.axes:
        assert f'<td class="number">{number(-low.value, 6)}</td><td class="number">{number(high.value, 6)}</td>' in text


def test_a_slice_tells_the_same_limit_straight_off(contents: ReportContents) -> None:
    text = slice_chapter(contents.slices[0]).text
    assert f'<td class="number">{number(contents.axes[2][1].value, 6)}</td>' in text
    assert "42 rays: 42 exact" in text


def test_certainty_tells_the_interval_seed_and_scatter(contents: ReportContents) -> None:
    text = certainty_chapter(contents).text
    assert "64 specimens drawn with seed 3" in text
    assert "strength normal" in text
    chance = contents.loads[0].probability
    assert chance is not None
    assert f"between {number(chance.interval[0])} and {number(chance.interval[1])}" in text


def test_the_most_important_parameter_stands_first(contents: ReportContents) -> None:
    assert contents.tornado is not None
    text = sensitivity_chapter(contents).text
    first, second = (bar.label for bar in contents.tornado.bars[:2])
    assert 0 < text.index(f">{first}<") < text.index(f">{second}<")


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


def test_headings_come_in_their_order(reader) -> None:
    headings = [word for word in reader.cells if word in HEADINGS]
    assert headings == list(HEADINGS)


HEADINGS = (
    "The scene",
    "Load: weight",
    "Load: weight + <i>push</i>",
    "Load sharing",
    "Limits along the axes",
    "Wrench space: fx, fy, fz",
    "Probability of holding",
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
    assert page.count('class="verdict holds"') == (2 if more else 0)  # nothing is always held
    assert "not given" in page

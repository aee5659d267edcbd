from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import FileError, InputError, MeasurementError, SceneError
from holdfast.files import yaml_source
from holdfast.files.yaml_source import Site, YamlSource, below, dotted, read_source, yaml_text

# -- yaml source -----------------------------------------------------------------------------------


Write = Callable[..., Path]

PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False)
    | st.text(
        st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="\ufeff\u2028\u2029\x85")
    ),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text("abc1-~ :#<>e", max_size=5).filter(lambda k: k != "<<"), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(PLAIN)
def test_what_is_written_reads_back_the_same(tmp_path_factory: pytest.TempPathFactory, data: object) -> None:
    path = tmp_path_factory.mktemp("yaml") / "data.yaml"
    text = yaml_text(data)
    path.write_text(text, encoding="utf-8")
    assert read_source(path).data == data
    assert yaml.safe_load(text) == data or "e" in text  # PyYAML itself reads 1e-3 as a text


@given(PLAIN)
def test_json_is_read_as_json_reads_it(tmp_path_factory: pytest.TempPathFactory, data: object) -> None:
    path = tmp_path_factory.mktemp("json") / "data.yaml"
    text = json.dumps(data, ensure_ascii=False)
    if "Infinity" in text or not text.isprintable():
        return
    path.write_text(text, encoding="utf-8")
    assert read_source(path).data == json.loads(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-3", 1e-3),
        ("-.5", -0.5),
        ("+3", 3),
        ("1.", 1.0),
        (".inf", math.inf),
        ("-.INF", -math.inf),
        ("007", 7),
        ("9" * 40, float("9" * 40)),
        ("no", "no"),
        ("on", "on"),
        ("1:30", "1:30"),
        ("2020-01-01", "2020-01-01"),
        ("0x10", "0x10"),
        ("1_000", "1_000"),
        ("true", True),
        ("~", None),
        ("", None),
        ("'1'", "1"),
        ('"null"', "null"),
        ("1e999", math.inf),
    ],
)
def test_words_and_numbers_are_told_apart_as_in_json(write: Write, text: str, value: object) -> None:
    read = read_source(write(f"x: {text}\n")).data["x"]
    assert read == value
    assert type(read) is type(value)


def test_lines_are_those_of_keys_and_entries(write: Write) -> None:
    source = read_source(write("a:\n  b:\n    - 1\n    - c: 2\n\n      d: {e: 3,\n        f: 4}\n"))
    places = {("a",): 1, ("a", "b"): 2, ("a", "b", 0): 3, ("a", "b", 1, "c"): 4, ("a", "b", 1, "d"): 6}
    places |= {("a", "b", 1, "d", "f"): 7, ("a", "b", 1, "x"): 4, ("a", "b", 5): 2, ("z",): 1, (): 1}
    assert {place: source.line(place) for place in places} == places


def test_a_place_is_written_as_one_would_write_it_in_python() -> None:
    assert dotted(("contacts", 0, "volume")) == "contacts[0].volume"
    assert dotted(()) == ""


def test_one_step_down_finds_keys_and_entries_only_where_they_are() -> None:
    assert below({"a": 1}, "a") == (True, 1)
    assert below([5], 0) == (True, 5)
    assert [below(data, step)[0] for data, step in [([5], 1), ([5], -1), ([5], "0"), ({"a": 1}, 0), (None, "a")]] == [
        False
    ] * 5


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a: 1\nb: 2\na: 3\n", 3, "occurs twice, first in line 1"),
        ("a: [1, 2\nb: 3\n", 2, "not valid YAML"),
        ("a:\n\tb: 1\n", 2, "tabs"),
        ("a: 'open\nb: 1\n", 3, "ends too early|end of stream"),
        ("a: *b\n", 1, "undefined alias"),
        ("a: &x [*x]\n", 1, "contains itself"),
        ("a: !!python/object:os.system {}\n", 1, "tag"),
        ("a: !!python/name:os.system ''\n", 1, "tag"),
        ("a: !foo 1\n", 1, "tag"),
        ("a: !!int abc\n", 1, "tag"),
        ('a: !!float "1.5"\n', 1, "tag"),
        ("a: !!set {b, c}\n", 1, "tag"),
        ("a: !!binary aGVsbG8=\n", 1, "tag"),
        ("x: &x {a: 1}\ny:\n  <<: *x\n", 3, "merge keys"),
        ("? [1, 2]\n: 3\n", 1, "key is not a word"),
        ("a: 1\n---\nb: 2\n", 2, "single document"),
        ("a: 1\n: : :\n", 2, "YAML"),
        ("%YAML 9.9\n---\na: 1\n", 1, "YAML"),
        ("@a: 1\n", 1, "YAML"),
        ("", 1, "empty"),
        ("# only a comment\n", 1, "empty"),
    ],
)
def test_every_fault_of_the_text_names_its_line(write: Write, text: str, line: int, words: str) -> None:
    path = write(text)
    with pytest.raises(SceneError, match=words) as caught:
        read_source(path)
    assert caught.value.line == line
    assert caught.value.path == path
    assert caught.value.fix


def test_aliases_may_repeat_a_value_but_not_blow_the_file_up(write: Write) -> None:
    assert read_source(write("a: &v [1, 2]\nb: *v\n")).data == {"a": [1, 2], "b": [1, 2]}
    levels = ["l0: &l0 [x, x, x, x, x, x, x, x, x, x]"]
    levels += [f"l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * 10)}]" for i in range(1, 9)]
    with pytest.raises(SceneError, match="more than 200,000 values"):
        read_source(write("\n".join(levels)))


def test_aliases_stand_for_words_keys_and_lists_with_their_lines(write: Write) -> None:
    source = read_source(write("&k a: &v 5\nb: *v\nc: [1, *v]\nd: {*k : 1}\n"))
    assert source.data == {"a": 5, "b": 5, "c": [1, 5], "d": {"a": 1}}
    assert [source.line(place) for place in (("b",), ("c", 1), ("d", "a"))] == [2, 1, 4]
    with pytest.raises(SceneError, match="'k' occurs twice"):
        read_source(write("a: &k 1\nb: &k 2\n"))
    with pytest.raises(SceneError, match="key is not a word"):
        read_source(write("a: &k [1]\nb: {*k : 1}\n"))


@pytest.mark.parametrize("count", [199_000, 201_000])
def test_values_are_counted_as_they_come(write: Write, count: int) -> None:
    path = write("a: [" + ", ".join(["1"] * count) + "]\n")
    if count < 200_000:
        assert len(read_source(path).data["a"]) == count
    else:
        with pytest.raises(SceneError, match="more than 200,000 values"):
            read_source(path)


@pytest.mark.parametrize("text", ["[" * 3000, "[" * 200 + "]" * 200, "{a: " * 3000, "- " * 3000])
def test_deep_nesting_is_refused(write: Write, text: str) -> None:
    with pytest.raises(SceneError):
        read_source(write(text))


def test_what_is_no_text_is_refused(write: Write, tmp_path: Path) -> None:
    for content in (b"\x00\x01\x02", b"\xff\xfe\xfa", b"a: \x07"):
        with pytest.raises(SceneError):
            read_source(write(content))
    with pytest.raises(SceneError, match="is a folder"):
        read_source(tmp_path)
    with pytest.raises(SceneError, match="no such file"):
        read_source(tmp_path / "none.yaml")
    with pytest.raises(SceneError):
        read_source("null\0character.yaml")
    with pytest.raises(SceneError):
        read_source(tmp_path / ("long" * 1000))


def test_a_byte_order_mark_is_no_fault(write: Write) -> None:
    assert read_source(write(b"\xef\xbb\xbfa: 1\n")).data == {"a": 1}


def test_a_file_beyond_all_measure_is_not_read(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_source, "LARGEST_FILE", 10)
    with pytest.raises(SceneError, match="too large"):
        read_source(write("a: 123456789\n"))


def test_a_fault_of_data_that_has_no_lines_names_none() -> None:
    error = YamlSource(Path("x.json"), {"a": 1}).fault("is wrong", ("a",), fix="mend it")
    assert (error.line, error.field, str(error)) == (None, "a", "x.json: a: is wrong (mend it)")


# -- error context ---------------------------------------------------------------------------------


@pytest.fixture
def site(write: Write) -> Site:
    return Site(read_source(write("a:\n  - size: [1, 2]\n    rotation: 3\n"))) / "a" / 0


@pytest.mark.parametrize(
    ("where", "field", "line", "what"),
    [
        ("rotation", "a[0].rotation", 3, "is wrong"),
        ("size[1]", "a[0].size[1]", 2, "is wrong"),
        ("size[7]", "a[0].size", 2, "is wrong"),
        ("volume", "a[0]", 2, "volume: is wrong"),
        ("row 0 (lever)", "a[0]", 2, "row 0 (lever): is wrong"),
        ("", "a[0]", 2, "is wrong"),
    ],
)
def test_an_error_goes_to_the_field_it_names(site: Site, where: str, field: str, line: int, what: str) -> None:
    with pytest.raises(SceneError) as caught, site.watch():
        raise InputError("is wrong", where=where, fix="mend it")
    error = caught.value
    assert (error.field, error.line, error.what, error.fix) == (field, line, what, "mend it")


def test_an_error_of_another_file_names_that_file_too(site: Site) -> None:
    with pytest.raises(SceneError, match=r"scene.yaml:2: a\[0\]: m.csv:7: fx: is wrong \(mend it\)"), site.watch():
        raise MeasurementError("is wrong", path="m.csv", line=7, field="fx", fix="mend it")


def test_a_scene_error_goes_through_as_it_is(site: Site) -> None:
    with pytest.raises(SceneError) as caught, (site / "x").watch():
        raise site.fault("is wrong", fix="mend it")
    assert caught.value.field == "a[0]"


def test_what_is_no_error_of_ours_goes_through(site: Site) -> None:
    with pytest.raises(ZeroDivisionError), site.watch():
        raise ZeroDivisionError


def test_files_are_looked_for_beside_the_scene(site: Site, tmp_path: Path) -> None:
    assert site.file("b/c.csv") == tmp_path / "b" / "c.csv"
    assert site.file(str(tmp_path / "d.csv")) == tmp_path / "d.csv"
    assert isinstance(site.fault("x", fix="y"), FileError)

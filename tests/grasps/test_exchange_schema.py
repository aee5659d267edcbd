from __future__ import annotations

import copy

import jsonschema
import pytest

from holdfast.grasps.parts import example_part
from holdfast.grasps.planning import plan
from holdfast.grasps.ranking import grasp_schema

VALIDATOR = jsonschema.Draft202012Validator(grasp_schema())


def faults(data):
    return [fault.json_path for fault in VALIDATOR.iter_errors(data)]


@pytest.fixture(scope="module")
def exchanged():
    return plan(example_part("rectangle"), reachability=True).to_dict(metrics=True)


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(grasp_schema())


@pytest.mark.parametrize(
    ("part", "options"),
    [
        ("hexagon", {}),
        ("rectangle", {"hand": "parallel_jaw", "ranking": {"S2": 2.0}}),
        (
            "bracket",
            {"hand": "generic", "ranking": "borda", "own": {"far": lambda grasp: float(grasp.palm_mm[0] ** 2)}},
        ),
        ("disc", {"hand": "parallel_jaw"}),  # nothing to be had
    ],
)
def test_every_ranking_satisfies_it_also_an_empty_one(part, options):
    data = plan(example_part(part), **options).to_dict()
    assert faults(data) == []
    assert bool(data["grasps"]) != bool(data["reason"])


def test_metrics_and_reachability_satisfy_it(exchanged):
    assert exchanged["grasps"][0]["metrics"]["epsilon"] > 0.0
    assert faults(exchanged) == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("version",), 2),
        (("units", "length"), "m"),
        (("grasps", 0, "contacts_mm"), [[0.0, 0.0], [1.0, 1.0]]),
        (("grasps", 0, "contacts_mm", 0, 0), None),
        (("grasps", 0, "rank"), None),
        (("grasps", 0, "Q"), None),
        (("grasps", 0, "kind"), "two_finger"),
        (("grasps", 0, "criteria", "S1"), "0.5"),
        (("grasps", 0, "palm", "yaw"), 0.1),
        (("params", "mu"), 0.0),
    ],
)
def test_it_refuses_what_a_reader_could_not_use(exchanged, path, value):
    changed = copy.deepcopy(exchanged)
    at = changed
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    assert faults(changed)


def test_nothing_that_readers_need_may_be_missing(exchanged):
    for name in grasp_schema()["$defs"]["grasp"]["required"]:
        changed = copy.deepcopy(exchanged)
        del changed["grasps"][0][name]
        assert faults(changed), name


def test_every_field_says_what_it_is():
    def nameless(schema, path):
        for name, field in schema.get("properties", {}).items():
            if not {"description", "enum", "const", "$ref"} & set(field) and name not in ("ok", "reason", "name", "method",
                                                                                          "weights", "own_criteria"):  # fmt: skip
                yield f"{path}.{name}"
            yield from nameless(field, f"{path}.{name}")

    schema = grasp_schema()
    assert [*nameless(schema, "")] == []
    assert [*nameless(schema["$defs"]["grasp"], "grasp")] == []

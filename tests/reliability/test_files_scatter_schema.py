from __future__ import annotations

import pytest
from pydantic import ValidationError

from holdfast.reliability.files import DistributionPart, ScatterPart


def test_a_number_or_fields_make_a_distribution() -> None:
    part = ScatterPart.model_validate({"strength": 0.3, "friction": {"kind": "weibull", "variation": 0.1}})
    assert part.strength == 0.3
    assert part.friction == DistributionPart(kind="weibull", mean=1.0, variation=0.1)


def test_one_deviation_or_three() -> None:
    part = ScatterPart.model_validate({"position": 0.001, "com": [0.001, 0, 0.002]})
    assert part.position == 0.001 and part.com == [0.001, 0, 0.002]


@pytest.mark.parametrize(
    "data",
    [
        {"strength": -0.1},
        {"strength": {"variation": -0.1}},
        {"strength": {"kind": "cauchy", "variation": 0.1}},
        {"strength": {"kind": "normal"}},
        {"units": {"a": -1}},
        {"correlation": 1.5},
        {"position": -0.001},
        {"com": [0.1, 0.1]},
        {"com": 5},
        {"bands": {"unit": []}},
        {"strenght": 0.1},
    ],
)
def test_what_makes_no_sense_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        ScatterPart.model_validate(data)

from __future__ import annotations

import pytest

from holdfast.errors import InputError
from holdfast.grips.learning import GreedySampling, PaperSampling


@pytest.mark.parametrize("wrong", [{"candidates": 0}, {"candidates": 2.5}, {"ray_share": 1.5}, {"ray_share": -0.1}])
def test_senseless_numbers_are_told(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        GreedySampling(**wrong)


def test_methods_are_values():
    assert GreedySampling() == GreedySampling(candidates=8, ray_share=0.5)
    assert PaperSampling() == PaperSampling()

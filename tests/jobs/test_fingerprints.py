from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.jobs import fingerprint


def test_fingerprints_tell_values_apart_and_not_the_order_of_fields():
    assert fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})
    prints = [fingerprint(*parts) for parts in ([1], [1.5], ["1"], [1, 2], [[1, 2]], [None], [], [{"a": 1}])]
    assert len(set(prints)) == len(prints)


def test_fingerprints_see_every_digit_and_every_entry_of_an_array():
    base = np.linspace(0.0, 1.0, 5000)
    for index, change in ((2500, 1.0), (3, 1e-12), (0, 1e-300)):
        other = base.copy()
        other[index] += change
        assert fingerprint(base) != fingerprint(other)
    assert fingerprint(base) == fingerprint(base.copy())
    assert fingerprint(np.float64(0.1)) != fingerprint(np.float64(0.1) + 1e-16)


def test_a_fingerprint_of_what_has_no_value_is_refused_rather_than_different_in_every_process():
    with pytest.raises((InputError, TypeError)):
        fingerprint(object())


def test_fingerprints_are_the_same_in_another_process():
    code = "from holdfast.jobs import fingerprint; print(fingerprint({'b': [1, 2.5], 'a': 'ü'}, 3))"
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    assert there == fingerprint({"a": "ü", "b": [1, 2.5]}, 3)

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast import checks
from holdfast.errors import InputError

finite = st.floats(-1e300, 1e300)


def test_an_array_comes_back_as_read_only_floats_of_its_own():
    given_array = np.array([[1, 2, 3], [4, 5, 6]])
    result = checks.array("points", given_array, ("n", 3))
    assert result.dtype == np.float64
    assert not result.flags.writeable
    given_array[0, 0] = 99
    assert result[0, 0] == 1.0


def test_an_array_given_as_floats_is_copied_too():
    given_array = np.ones(3)
    result = checks.array("v", given_array, (3,))
    given_array[0] = 7.0
    assert result[0] == 1.0
    assert given_array.flags.writeable


@pytest.mark.parametrize(
    "value, shape",
    [
        ([1, 2], (3,)),
        ([[1, 2, 3]], (3,)),
        (5.0, (3,)),
        (np.zeros((2, 3)), ("n", "n")),
        (np.zeros((0, 3)), (1, 3)),
        (np.zeros((2, 3, 1)), ("n", 3)),
    ],
)
def test_a_wrong_shape_is_named_with_the_right_one(value, shape):
    with pytest.raises(InputError, match="shape") as caught:
        checks.array("points", value, shape)
    assert caught.value.where == "points"
    assert str(tuple(np.shape(value))).strip("(,)") in caught.value.what
    assert "must be" in caught.value.fix


def test_equal_letters_mean_equal_lengths():
    assert checks.array("square", np.eye(4), ("n", "n")).shape == (4, 4)


@pytest.mark.parametrize("value", [["a", "b"], [[1, 2], [3]], object(), {"x": 1}, [None, object()]])
def test_what_is_not_numbers_is_an_input_error(value):
    with pytest.raises(InputError, match="not an array of numbers"):
        checks.array("points", value, ("n", 3))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, None])
def test_the_first_number_that_is_not_finite_is_named_by_its_index(bad):
    with pytest.raises(InputError) as caught:
        checks.array("points", [[0, 0, 0], [0, bad, bad]], ("n", 3))
    assert caught.value.where == "points[1, 1]"


def test_a_scalar_that_is_not_finite_is_named_without_index():
    with pytest.raises(InputError) as caught:
        checks.array("x", np.nan, ())
    assert caught.value.where == "x"


def test_infinity_passes_only_where_allowed_and_nan_never():
    assert checks.array("upper", [1, np.inf], (2,), infinite=True)[1] == np.inf
    with pytest.raises(InputError):
        checks.array("upper", [1, np.nan], (2,), infinite=True)


def test_complex_numbers_are_refused_and_not_cut_to_their_real_part():
    with pytest.raises(InputError):
        checks.array("v", np.array([1 + 2j, 0, 0]), (3,))


@given(st.lists(finite, min_size=3, max_size=3).filter(any))
def test_a_direction_has_length_one_and_the_same_way_even_where_squares_overflow(value):
    unit = checks.direction("axis", value, 3)
    assert np.linalg.norm(unit) == pytest.approx(1.0, abs=1e-12)
    largest = int(np.argmax(np.abs(value)))
    assert np.sign(unit[largest]) == np.sign(value[largest])
    np.testing.assert_allclose(unit / unit[largest], np.array(value) / value[largest], rtol=1e-12, atol=1e-300)


def test_the_zero_vector_has_no_direction():
    with pytest.raises(InputError, match="zero") as caught:
        checks.direction("axis", [0, 0, 0], 3)
    assert (caught.value.where, bool(caught.value.fix)) == ("axis", True)


@pytest.mark.parametrize(
    "low, high, ends, good, bad",
    [
        (0.0, 1.0, "closed", [0.0, 0.5, 1.0], [-1e-9, 1.1]),
        (0.0, 1.0, "open", [0.5], [0.0, 1.0]),
        (0.0, 1.0, "open low", [1.0, 0.5], [0.0, 1.1]),
        (-np.inf, np.inf, "closed", [0.0, 1e30, -1e30], [np.inf, -np.inf, np.nan, 1e31, -1e300, 10**400]),
    ],
)
def test_numbers_are_checked_against_their_range(low, high, ends, good, bad):
    for value in good:
        assert checks.number("x", value, low=low, high=high, ends=ends) == value
    for value in bad:
        with pytest.raises(InputError) as caught:
            checks.number("x", value, low=low, high=high, ends=ends)
        assert caught.value.where == "x"
        assert "give a number in" in caught.value.fix or "up to 1e+30" in caught.value.fix


@pytest.mark.parametrize("value", [1e31, -1e300, 10**400])
def test_numbers_whose_products_would_overflow_are_refused_everywhere(value):
    assert checks.array("v", [1e30, -1e30], (2,)).tolist() == [1e30, -1e30]
    for check in (
        lambda: checks.array("v", [0.0, value], (2,)),
        lambda: checks.array("v", [0.0, value], (2,), infinite=True),
        lambda: checks.rows("v", [[0.0, value]], 2),
        lambda: checks.positive("v", abs(value)),
    ):
        with pytest.raises(InputError, match=r"up to 1e\+30|not an array of numbers: int too large"):
            check()


@pytest.mark.parametrize("value", ["a lot", "0.5", b"1", None, [1, 2], [1], object(), 1j])
def test_what_is_no_number_is_an_input_error(value):
    with pytest.raises(InputError, match="is not a number") as caught:
        checks.number("mass", value)
    assert caught.value.where == "mass"


def test_a_number_out_of_range_is_told_with_its_unit():
    with pytest.raises(InputError, match="is -1 kg") as caught:
        checks.number("mass", -1, low=0.0, unit="kg")
    assert caught.value.fix == "give a number in [0, inf) kg"


@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf])
def test_positive_numbers_are_above_zero_and_finite(value):
    assert checks.positive("x", 1e-300) == 1e-300
    with pytest.raises(InputError):
        checks.positive("x", value)


@pytest.mark.parametrize("value", [0, -3, 1.0, "2", None, True, 10**7 + 1, 2**63, 10**400])
def test_a_count_is_a_whole_number_of_at_least_one(value):
    assert checks.count("n", 1) == 1
    assert type(checks.count("n", np.int64(7))) is int
    with pytest.raises(InputError) as caught:
        checks.count("n", value)
    assert caught.value.where == "n"


def test_a_count_may_start_elsewhere():
    assert checks.count("n", 0, low=0) == 0
    with pytest.raises(InputError):
        checks.count("n", -1, low=0)


def test_what_is_of_another_kind_is_named_with_its_own():
    checks.instance("text", "a", str, fix="give a text")
    with pytest.raises(InputError, match=r"text: is a NoneType \(give a text\)"):
        checks.instance("text", None, str, fix="give a text")


@pytest.mark.parametrize("value", [None, 3, np.array(1.0)])
def test_an_iterable_is_something_to_go_through(value):
    numbers = iter([1, 2])
    checks.iterable("numbers", numbers, fix="give a list")
    assert list(numbers) == [1, 2]
    with pytest.raises(InputError, match="numbers: is a .*give a list"):
        checks.iterable("numbers", value, fix="give a list")

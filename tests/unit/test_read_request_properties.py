"""Properties of reading requests: numbers and units survive, no word is lost, garbage is read or refused."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_read_request import PARAMETERS, PHRASINGS, facts, read

from store.errors import UserError
from store.units import read_unit, unit_of
from tools.reading.vocabulary import COPULA, COURTESY, FILLER

UNITS = {
    "friction": [""],
    "delay": [" ms", "ms", " s", " us", " milliseconds"],
    "mass": [" g", " kg", "g", " grams"],
    "compliance": [" mm/N", " m/N"],
    "kp": [" Nm/rad", " N m/rad"],
    "damping": [" Nms/rad"],
    "joint_noise": [" rad", " deg", " mrad"],
    "object_noise": [" mm", " m", " cm"],
}
FORMS = ["{a}{u} to {b}{u}", "between {a} and {b}{u}", "from {a}{u} up to {b}{u}", "{a}-{b}{u}", "{a}–{b}{u}",
         "[{a}, {b}]{u}", "at least {a}{u} and at most {b}{u}", "{m} ± {w}{u}", "{m}{u} +/- {w}{u}",
         "{m} plus or minus {w}{u}"]  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(
    name=st.sampled_from(sorted(UNITS)),
    ends=st.tuples(st.floats(0.02, 0.98), st.floats(0.02, 0.98)).map(sorted),
    form=st.sampled_from(FORMS),
    data=st.data(),
)
def test_numbers_and_units_survive_every_form(name: str, ends: list[float], form: str, data: st.DataObject) -> None:
    unit = data.draw(st.sampled_from(UNITS[name]))
    parameter = PARAMETERS[name]
    found = read_unit(unit.strip(), 0)
    factor = found[0].factor if found else 1.0
    low, high = (f"{(parameter.low + e * (parameter.high - parameter.low)) / factor:.6f}" for e in ends)
    a, b = float(low), float(high)
    text = form.format(a=low, b=high, u=unit, m=f"{(a + b) / 2:.7f}", w=f"{(b - a) / 2:.7f}")
    understood = read(f"Push the puck 10 cm. {name} is {text}.")
    assert facts(understood) == {"distance": 0.1, name: pytest.approx((a * factor, b * factor), rel=1e-5, abs=2e-7)}


@settings(max_examples=100, deadline=None)
@given(value=st.floats(0.02, 0.98), unit=st.sampled_from(["ms", "s", "us"]))
def test_measured_values_survive(value: float, unit: str) -> None:
    seconds = value * 0.15
    written = f"{seconds / unit_of(unit).factor:.9f}"
    understood = read(f"push the puck; the delay was measured at {written} {unit}")
    assert facts(understood) == {"measured delay": (pytest.approx(seconds, abs=1e-9), None, None)}


CLAUSES = [
    "friction 0.5 to 1.2", "the servo delay was measured at 11 ms", "seed 3", "in 10 minutes", "with one finger",
    "two rounds", "rotate the cube", "the lab smells of coffee", "never trust a simulator", "if the moon is full",
    "mass 80 to 120 g", "keep compliance fixed", "on the twin", "42", "11 ms", "purple", "17 bananas each", "?!",
    "measured on Tuesday", "without gloves", "friction matters", "what about backlash of 2 deg",
    "everything else fixed",
]  # fmt: skip
JOINS = [". ", ", ", "; ", " and ", " – ", "\n\n", ", and "]


def words_of(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


@settings(max_examples=300, deadline=None)
@given(clauses=st.lists(st.sampled_from(CLAUSES), max_size=5), join=st.sampled_from(JOINS))
def test_no_word_is_lost(clauses: list[str], join: str) -> None:
    text = join.join(["Push the puck", *clauses])
    try:
        understood = read(text)
    except UserError:
        return
    accounted = {word for reading in understood.readings for word in words_of(reading.text)}
    for rest in understood.not_understood:
        assert rest in text
        accounted.update(words_of(rest))
    silent = FILLER | COPULA | COURTESY | {"push", "puck", "task", "servo", "minutes"}
    assert set(words_of(text)) <= accounted | silent


WORDS = sorted({word for text, _ in PHRASINGS for word in text.split()}) + [
    "±",
    "-",
    "[",
    "(",
    ",",
    ".",
    "1e5",
    "½",
    "μ",
]


@settings(max_examples=400, deadline=None)
@given(
    text=st.one_of(
        st.text(max_size=120),
        st.text(alphabet="0123456789.,-+±% msNgradkto[]()<>=/eE\n", max_size=80).map("push the puck; delay ".__add__),
        st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join).map("push the puck ".__add__),
    )
)
def test_garbage_is_read_or_refused(text: str) -> None:
    try:
        understood = read(text)
    except UserError as error:
        assert str(error)
        return
    assert all(rest in text for rest in understood.not_understood)
    for said in understood.stated:
        bounds = PARAMETERS[said.parameter]
        assert all(end is None or bounds.low <= end <= bounds.high for end in (said.low, said.high))

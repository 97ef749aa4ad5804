"""A request cut into numbers with their units, words and marks; every character keeps its place."""

import re
from dataclasses import dataclass, replace
from math import isfinite
from typing import Literal

from store.errors import UserError
from store.units import TIME, Unit, read_unit


@dataclass(frozen=True)
class Token:
    """A piece of text[start:end]."""

    kind: Literal["number", "word", "mark", "stop"]
    text: str
    start: int
    end: int
    value: float = 0.0
    unit: Unit | None = None
    spelled: bool = False
    """Whether a number is written in letters: such a one may be an article ('one finger')."""

    @property
    def word(self) -> str:
        """What rules compare with: lower case, plain apostrophe."""
        return self.text.lower().replace("’", "'")


_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
SPELLED: dict[str, float] = {
    **{word: float(i) for i, word in enumerate(_ONES)},
    **{word: 20.0 + 10 * i for i, word in enumerate(_TENS)},
    "half": 0.5,
    "dozen": 12.0,
    "hundred": 100.0,
    "thousand": 1000.0,
}
_MARKS = ("+/-", "+-", "...", "..", "->", "<=", ">=")
_NUMBER = re.compile(r"(?:[0-9]+(?:[.,][0-9]+)*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![0-9])")
_WORD = re.compile(r"[^\W\d]\w*(?:['’][^\W\d]+)*|\w+")
_ORDINAL = re.compile(r"(?:st|nd|rd|th|x|d)\b", re.IGNORECASE)
"""Endings that make a number something else: '1st', '2x', '3D'."""
_SIGNS = "-+−–"
_ABBREVIATIONS = {"approx", "ca", "max", "min", "resp", "incl", "vs", "coeff", "e.g", "i.e"}
_DETERMINERS = {"a", "an", "the", "this", "that", "our", "my", "all", "every", "each", "under", "at", "about", "less"}


def tokenise(text: str) -> list[Token]:
    """Numbers, words, marks and sentence stops, in order.

    Raises:
        UserError: a number that can be read in two ways, or is not finite.
    """
    tokens: list[Token] = []
    at = 0
    while at < len(text):
        if text[at].isspace():
            at = _space(text, at, tokens)
            continue
        token = _number(text, at, tokens) or _word(text, at) or _mark(text, at)
        if token.kind == "mark" and token.text == ".":
            previous = tokens[-1].word if tokens and tokens[-1].end == at else ""
            if previous in _ABBREVIATIONS:
                at = token.end
                continue
            inside = tokens and tokens[-1].kind == "word" and text[token.end : token.end + 1].islower()
            # the point in 'module.name' ends nothing
            token = token if previous and inside else replace(token, kind="stop")
        elif token.text in ("!", "?", ";"):
            token = replace(token, kind="stop")
        at = token.end
        # a hyphen inside a compound ('first-order', '3-joint') only joins
        if not (token.text == "-" and _compound(text, token, tokens)):
            tokens.append(token)
    return _with_spelled(text, tokens)


def _space(text: str, at: int, tokens: list[Token]) -> int:
    end = at
    while end < len(text) and text[end].isspace():
        end += 1
    rest = text[end : end + 2]
    breaks = text[at:end].count("\n")
    bullet = len(rest) == 2 and rest[0] in "-*•" and rest[1].isspace()
    if tokens and tokens[-1].kind != "stop" and breaks and (breaks > 1 or bullet or rest[:1].isupper()):
        tokens.append(Token("stop", text[at:end], at, end))
    return end + 1 if breaks and bullet else end


def _compound(text: str, token: Token, tokens: list[Token]) -> bool:
    after = text[token.end : token.end + 1]
    return bool(tokens) and tokens[-1].end == token.start and tokens[-1].kind != "mark" and after.isalpha()


def _word(text: str, at: int) -> Token | None:
    match = _WORD.match(text, at)
    return Token("word", match.group(), at, match.end()) if match else None


def _mark(text: str, at: int) -> Token:
    mark = next((m for m in _MARKS if text.startswith(m, at)), text[at])
    return Token("mark", mark, at, at + len(mark))


def _number(text: str, at: int, tokens: list[Token]) -> Token | None:
    start, sign = at, 1.0
    if text[at] in _SIGNS and not (text.startswith("+/-", at) or text.startswith("+-", at)):
        follows = tokens[-1] if tokens else None
        # after a number, or glued to a word, a dash is a dash
        if (follows and follows.kind == "number") or (at > 0 and (text[at - 1].isalnum() or text[at - 1] == "%")):
            return None
        sign = -1.0 if text[at] != "+" else 1.0
        start += 1
    match = _NUMBER.match(text, start)
    if match and _ORDINAL.match(text, match.end()):
        return None
    if match is None or (at > 0 and start == at and (text[at - 1].isalnum() or text[at - 1] == "_")):
        return None
    in_brackets = any(t.text == "[" for t in tokens[-1:]) and text.find("]", at) > 0
    digits = _digits(match.group(), in_brackets)
    if digits is None:
        return None
    plain, length = digits
    length, plain = _grouped(text, start + length, plain, length)
    value = sign * float(plain)
    if not isfinite(value):
        raise UserError(f"{_short(match.group())} is too large", where="request")
    return _with_unit(text, Token("number", text[at : start + length], at, start + length, value))


def _digits(digits: str, in_brackets: bool) -> tuple[str, int] | None:
    """A number in Python's notation and how many characters it takes; None for what is not one number."""
    commas, points = digits.count(","), digits.count(".")
    if points > 1 and commas == 0:
        return None
    if commas == 0:
        return digits, len(digits)
    left, right = digits.split(",", 1)
    if commas == 1 and (in_brackets or (points == 2 and "." in left and "." in right)):
        return left, len(left)
    thousands = re.fullmatch(r"[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]+)?([eE].*)?", digits)
    if thousands and (commas > 1 or points):
        return digits.replace(",", ""), len(digits)
    if thousands:
        raise UserError(
            f"'{digits}' can be {digits.replace(',', '')} or {digits.replace(',', '.')}",
            where="request",
            hint="write it without the comma, or with a decimal point",
        )
    if commas == 1 and points == 0:
        return digits.replace(",", "."), len(digits)
    what = f"'{_short(digits)}' can be read in more than one way"
    raise UserError(what, where="request", hint="use a decimal point, and ', ' in lists")


_THIN = "\u00a0\u2009\u202f"
_GROUP = re.compile(r"([ \u00a0\u2009\u202f])([0-9]{3})(?![0-9.,]*[0-9])")


def _grouped(text: str, end: int, plain: str, length: int) -> tuple[int, str]:
    """Digits that go on behind a thin space ('8 000'); with an ordinary space that can as well be two numbers."""
    whole = re.fullmatch(r"[1-9][0-9]{0,2}", plain)
    while whole and (group := _GROUP.match(text, end)):
        if group.group(1) not in _THIN:
            shown = text[end - length : group.end()]
            raise UserError(
                f"'{shown}' can be one number or two",
                where="request",
                hint="write it without the space, or with a comma",
            )
        plain, length, end = plain + group.group(2), length + len(group.group()), group.end()
    return length, plain


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."


_ARTICLE = re.compile(r"\s+an?(?=\s)")
_AND_A_HALF = re.compile(r"\s+and\s+a\s+half\b")
_GAP = re.compile(r"[ \t\u00a0\u2009\u202f]*-?[ \t\u00a0\u2009\u202f]*")


def _with_unit(text: str, token: Token) -> Token:
    at = _after_gap(text, token.end)
    hyphen = "-" in text[token.end : at]
    if hyphen and (at - token.end > 1):
        return token
    found = read_unit(text, at)
    if found is None or (hyphen and found[0].percent) or (found[0].text == "in" and not _is_inch(text, found[1])):
        return token
    unit, end = found
    return replace(token, text=text[token.start : end], end=end, unit=unit)


def _after_gap(text: str, at: int) -> int:
    gap = _GAP.match(text, at)
    return gap.end() if gap else at


def _is_inch(text: str, end: int) -> bool:
    """'10 in' is a length unless 'in' goes on as a preposition: 'in 5 minutes', 'in the lab'."""
    nxt = re.match(r"[\s-]*([^\s.,;]+)", text[end:])
    if nxt is None or text[end : end + 1] in ".,;:":
        return True
    word = nxt.group(1).lower()
    return not (word[0].isdigit() or word in SPELLED or word in _DETERMINERS)


def _with_spelled(text: str, tokens: list[Token]) -> list[Token]:
    """Words that are numbers made into numbers: 'twenty five', 'half an hour', 'an hour', 'two hundred', 'minus 5'."""
    out: list[Token] = []
    at = 0
    while at < len(tokens):
        found = _an_hour(text, tokens, at) or _spelled(text, tokens, at) or tokens[at]
        half = _AND_A_HALF.match(text, found.end) if found.kind == "number" else None
        if half and found.unit is None:
            found = replace(found, text=text[found.start : half.end()], end=half.end(), value=found.value + 0.5)
            found = _with_unit(text, found)
        while at < len(tokens) and tokens[at].start < found.end:
            at += 1
        if found.kind == "number" and out and out[-1].word == "minus" and not _in_plus_or_minus(out):
            minus = out.pop()
            found = replace(found, text=text[minus.start : found.end], start=minus.start, value=-found.value)
        out.append(found)
    return out


def _in_plus_or_minus(out: list[Token]) -> bool:
    return len(out) > 1 and (out[-2].word in ("or", "/") or out[-2].kind == "number")


def _an_hour(text: str, tokens: list[Token], at: int) -> Token | None:
    if tokens[at].word not in ("a", "an") or at + 1 == len(tokens):
        return None
    found = read_unit(text, _after_gap(text, tokens[at].end))
    if found is None or found[0].powers != TIME or found[0].factor < 60 or len(tokens[at + 1].word) < 4:
        return None
    start = tokens[at].start
    return Token("number", text[start : found[1]], start, found[1], 1.0, found[0], spelled=True)


def _spelled(text: str, tokens: list[Token], at: int) -> Token | None:
    first = tokens[at]
    if first.kind != "word" or first.word not in SPELLED:
        return None
    value, last = SPELLED[first.word], first
    rest = tokens[at + 1 :]
    if first.word == "half" and len(rest) > 1 and rest[0].word == "a" and rest[1].word == "dozen":
        value, last, rest = 6.0, rest[1], rest[2:]
    for token in rest:
        joined = _join(value, token.word) if token.kind == "word" else None
        if joined is None:
            break
        value, last = joined, token
    number = Token("number", text[first.start : last.end], first.start, last.end, value, None, spelled=True)
    article = _ARTICLE.match(text, number.end) if first.word == "half" else None
    if article:
        with_unit = _with_unit(text, replace(number, end=article.end()))
        return with_unit if with_unit.unit else number
    return _with_unit(text, number)


def _join(value: float, word: str) -> float | None:
    """'twenty' + 'five', 'two' + 'hundred', 'hundred' + 'ten', 'half' + 'dozen'; None where they do not join."""
    if word not in SPELLED or word == "half":
        return None
    size = SPELLED[word]
    if word in ("hundred", "thousand", "dozen"):
        return value * size if 0 < value < size else None
    if value >= 100 and value % 100 == 0:
        return value + size
    return value + size if 20 <= value < 100 and value % 10 == 0 and 0 < size < 10 else None

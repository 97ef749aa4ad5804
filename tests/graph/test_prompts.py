"""Prompts: well-formed, filled completely, and unchanged unless their version says so."""

import hashlib

import pytest

from prompts.loader import load_prompt, parse_prompt, prompt_names

SNAPSHOT = {
    "decide": ("1", "2350e2d76c0b46d6"),
    "plan": ("1", "4dacb9771e26e05c"),
    "proceed": ("1", "ebf5fd8e6f8ae8fb"),
    "system": ("1", "4579e3f74db0eb71"),
}
"""Name -> version and the first 16 digits of the sha-256 of its text: raise the version when you change a text."""


def test_every_prompt_is_as_its_version_says() -> None:
    prompts = {name: load_prompt(name) for name in prompt_names()}
    assert {n: (p.version, hashlib.sha256(p.text.encode()).hexdigest()[:16]) for n, p in prompts.items()} == SNAPSHOT


def test_render_fills_every_place() -> None:
    text = load_prompt("decide").render(round="1", rounds="3")
    assert "Decide round 1; repair rounds end with round 3." in text and "{{" not in text


def test_render_wants_exactly_the_declared_inputs() -> None:
    with pytest.raises(ValueError, match="takes"):
        load_prompt("decide").render(round="1")
    with pytest.raises(LookupError, match="valid: decide"):
        load_prompt("nothing")


@pytest.mark.parametrize("text", ["no front matter", "---\nname: x\nversion: 1\n---\nbody",
                                  "---\nname: x\nversion: 1\ninputs: a\n---\n{{b}}"])  # fmt: skip
def test_a_malformed_prompt_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="x.md"):
        parse_prompt(text, "x.md")

"""Prompts are Markdown files with front matter (name, version, inputs), filled in by name."""

import re
from dataclasses import dataclass
from importlib.resources import files

_PLACE = re.compile(r"\{\{(\w+)\}\}")


@dataclass(frozen=True)
class Prompt:
    """One prompt file."""

    name: str
    version: str
    inputs: tuple[str, ...]
    text: str

    def render(self, **values: str) -> str:
        """The text with every {{input}} filled in.

        Raises:
            ValueError: a declared input is missing, or a value was given that the prompt does not declare.
        """
        if set(values) != set(self.inputs):
            raise ValueError(f"prompt {self.name} takes {sorted(self.inputs)}, got {sorted(values)}")
        return _PLACE.sub(lambda match: values[match.group(1)], self.text)


def prompt_names() -> list[str]:
    """Names of all prompts."""
    return sorted(entry.name.removesuffix(".md") for entry in files("prompts").iterdir() if entry.name.endswith(".md"))


def load_prompt(name: str) -> Prompt:
    """The prompt of that name.

    Raises:
        LookupError: there is none. ValueError: its front matter is wrong.
    """
    if name not in prompt_names():
        raise LookupError(f"there is no prompt {name!r}; valid: {', '.join(prompt_names())}")
    return parse_prompt(files("prompts").joinpath(f"{name}.md").read_text(encoding="utf-8"), f"{name}.md")


def parse_prompt(source: str, where: str) -> Prompt:
    """A prompt from the text of its file."""
    opening, _, rest = source.partition("---\n")
    head, closing, body = rest.partition("\n---\n")
    if opening.strip() or not closing:
        raise ValueError(f"{where}: must begin with front matter between two lines of ---")
    fields = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in head.splitlines())}
    if set(fields) != {"name", "version", "inputs"}:
        raise ValueError(f"{where}: front matter holds name, version and inputs, got {sorted(fields)}")
    inputs = tuple(word.strip() for word in fields["inputs"].split(",") if word.strip())
    used = set(_PLACE.findall(body))
    if used != set(inputs) or f"{fields['name']}.md" != where:
        said = f"is named {fields['name']}, declares inputs {sorted(inputs)} and uses {sorted(used)}"
        raise ValueError(f"{where}: {said}")
    return Prompt(fields["name"], fields["version"], inputs, body.strip())

"""Words that several sections of a report share."""

from collections.abc import Sequence

from store.records import Diagnosis, GapRow
from tools.report import RunStory

ABSENT = "\u2013"
SOURCES = {
    "request": "the request", "measured": "a measurement", "preset": "a preset", "llm": "a language model",
    "fmdr": "photographs", "repair": "a repair",
}  # fmt: skip
VERDICTS = {
    "NO_GAP": "no gap", "RECENTRE": "move the range", "WIDEN": "widen the range",
    "STRUCTURAL": "the model lacks something", "NOT_IDENTIFIABLE": "these traces cannot tell",
    "NEED_DATA": "more data needed",
}  # fmt: skip
ACTIONS = {
    "recentre": "move the range", "widen": "widen the range", "add_mechanism": "add a mechanism",
    "compensate": "compensate", "collect_data": "collect data", "stop": "stop",
}  # fmt: skip


def hardware_name(story: RunStory) -> str:
    """What the pilots ran on, in a word."""
    sources = {g.record.source for g in story.gaps} | {p.record.source for p in story.pilots}
    return "twin" if sources == {"pseudo_real"} else "hardware"


def source_note(gaps: Sequence[GapRow]) -> str:
    """Whether any of this is real, said plainly."""
    if {g.source for g in gaps} == {"pseudo_real"}:
        return (
            "Source pseudo_real: the hardware was a twin, a second simulator with hidden parameters in a process of "
            "its own. Nothing here was measured on a real machine."
        )
    if {g.source for g in gaps} == {"real"}:
        return "Source real: the traces were recorded on a real machine."
    return "Some rounds are real and some pseudo_real (a twin); the table names the source of each."


def verdict(diagnosis: Diagnosis) -> str:
    """Verdict and target."""
    return f"{diagnosis.verdict} {diagnosis.target}" if diagnosis.target else diagnosis.verdict


def plural(count: int, noun: str) -> str:
    """A count with its noun."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def many(count: int) -> str:
    """A large count in groups of three digits."""
    return f"{count:,}".replace(",", "\u202f")

"""The stage machine, as data: which tools are legal at each stage, and where each tool leads."""

from typing import Literal

Stage = Literal[
    "PLAN",
    "RANDOMIZE",
    "TRAIN",
    "EVALUATE",
    "APPROVE",
    "PILOT",
    "AUDIT",
    "DIAGNOSE",
    "DECIDE",
    "REPORT",
    "NEXT_ROUND",
    "DONE",
]

LEGAL: dict[Stage, tuple[str, ...]] = {
    "PLAN": ("plan",),
    "RANDOMIZE": ("randomize",),
    "TRAIN": ("train",),
    "EVALUATE": ("evaluate",),
    "APPROVE": ("request_approval",),
    "PILOT": ("pilot",),
    "AUDIT": ("audit",),
    "DIAGNOSE": ("diagnose",),
    "DECIDE": ("repair", "finish"),
    "REPORT": ("report",),
    "NEXT_ROUND": (),
    "DONE": (),
}
"""Stage -> tools that may be called there."""

NEXT: dict[str, Stage] = {
    "plan": "RANDOMIZE",
    "randomize": "TRAIN",
    "train": "EVALUATE",
    "evaluate": "APPROVE",
    "request_approval": "PILOT",
    "pilot": "AUDIT",
    "audit": "DIAGNOSE",
    "diagnose": "DECIDE",
    "repair": "NEXT_ROUND",
    "finish": "REPORT",
    "report": "DONE",
}
"""Tool -> stage after it; between `request_approval` and PILOT a person decides."""

TERMINAL: tuple[Stage, ...] = ("NEXT_ROUND", "DONE")
"""Stages at which a round's thread ends."""


def first_stage(round: int) -> Stage:
    """Where a round begins: only the first one plans."""
    return "PLAN" if round == 0 else "RANDOMIZE"


def stage_of(tool: str) -> Stage:
    """The stage at which a tool is legal."""
    return next(stage for stage, tools in LEGAL.items() if tool in tools)

"""Families that people know by name, written for any task: published tables, the textbook's ranges, none at all."""

from dataclasses import dataclass
from fnmatch import fnmatchcase

from store.errors import UserError
from store.records import Family, Parameter, Range


@dataclass(frozen=True)
class Rule:
    """Low and high of the parameters whose names match a pattern."""

    pattern: str
    low: float
    high: float
    factor: bool = False
    """Whether low and high are factors on the nominal value, not values in the parameter's unit."""


@dataclass(frozen=True)
class Preset:
    """A named family before it meets a task."""

    meaning: str
    """What it is and where it was published."""
    rules: tuple[Rule, ...]
    mechanisms: tuple[str, ...] = ()


def _times(pattern: str, low: float, high: float) -> Rule:
    return Rule(pattern, low, high, factor=True)


PRESETS: dict[str, Preset] = {
    "none": Preset("Everything at its nominal value.", ()),
    "anchored": Preset(
        "Modest windows about the nominal values, as wide as a measured quantity drifts between sessions; what is set "
        "or identified (gains, damping) stays where it is.",
        (
            _times("friction", 0.75, 1.25),
            _times("delay", 0.75, 1.6),
            _times("mass", 0.9, 1.1),
            _times("compliance", 0.75, 4 / 3),
        ),
    ),
    "textbook": Preset(
        "The ranges that the textbook chapter on transfer ledgers quotes as Dactyl's; the paper's own are `dactyl`.",
        (Rule("friction", 0.5, 1.5), Rule("delay", 0.0, 0.020), _times("mass", 0.5, 2.0)),
    ),
    "dactyl": Preset(
        "OpenAI et al. 2018 (arXiv 1808.00177), tables 1 and 7: normal and Bernoulli draws of the paper become uniform "
        "ranges of the same spread; its marker loss and random joint limits have no parameter here.",
        (
            Rule("size", 0.95, 1.05),
            _times("mass", 0.5, 1.5),
            Rule("link_mass", 0.5, 1.5),
            _times("friction", 0.7, 1.3),
            _times("damping", 0.3, 3.0),
            _times("kp", 0.75, 1.5),
            # N(0, .4 m/s^2) an axis: a uniform range of that deviation reaches .4 sqrt(3), or that over g as a tilt
            Rule("gravity", 9.81 - 0.69, 9.81 + 0.69),
            Rule("gravity.*", -0.07, 0.07),
            Rule("object_noise", 0.001, 0.001),
            Rule("object_bias", 0.005, 0.005),
            Rule("rotation_noise", 0.1, 0.1),
            Rule("rotation_bias", 0.1, 0.1),
            Rule("delay", 0.0, 0.080),
            Rule("control_jitter", 0.0, 0.008),
            Rule("push", 1.0, 1.0),
            Rule("push_rate", 0.0125, 1.25),
        ),
        ("backlash",),
    ),
    "playground": Preset(
        "MuJoCo Playground's LEAP cube reorientation, as its code has it (frictionloss x0.5 to 2, no cube mass); "
        "uniform observation noise becomes a standard deviation.",
        (
            Rule("friction", 0.5, 1.0),
            _times("inertia", 0.8, 1.2),
            Rule("com.*", -0.005, 0.005),
            Rule("joint_offset.*", -0.05, 0.05),
            _times("frictionloss", 0.5, 2.0),
            _times("armature", 1.0, 1.05),
            Rule("link_mass", 0.9, 1.1),
            _times("kp", 0.8, 1.2),
            _times("damping", 0.8, 1.2),
            Rule("joint_noise", 0.029, 0.029),
            Rule("object_noise", 0.012, 0.012),
            Rule("rotation_noise", 0.058, 0.058),
        ),
    ),
}


def preset(name: str, parameters: dict[str, Parameter]) -> Family:
    """The family of a preset for the parameters of a task; rules that match none of them are left out.

    Raises:
        UserError: there is no such preset; names the valid ones.
    """
    if name not in PRESETS:
        raise UserError(f"unknown preset '{name}'", where="preset", valid=sorted(PRESETS))
    found = PRESETS[name]
    ranges = [
        _range(parameter, rule, name)
        for rule in found.rules
        for parameter in parameters.values()
        if fnmatchcase(parameter.name, rule.pattern)
    ]
    return Family(ranges=tuple(ranges), mechanisms=found.mechanisms)


def _range(parameter: Parameter, rule: Rule, name: str) -> Range:
    scale = parameter.nominal if rule.factor else 1.0
    low, high = (parameter.clip(end * scale) for end in (rule.low, rule.high))
    clipped = (low, high) != (rule.low * scale, rule.high * scale)
    note = f"preset {name}" + (", clipped to the hard bounds" if clipped else "")
    return Range.of(parameter, low, high, "preset", note=note)

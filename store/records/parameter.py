"""What a simulator can vary, and the family p(phi) that a policy is trained on."""

from typing import Literal, Self

from pydantic import Field, model_validator

from store.records.record import Record

Kind = Literal["physics", "sensor", "visual"]
Source = Literal["request", "measured", "preset", "llm", "fmdr", "repair"]
Distribution = Literal["uniform", "log_uniform"]


class Parameter(Record):
    """A quantity the simulator can vary."""

    name: str
    unit: str = Field(description="SI unit; '1' for a plain number.")
    kind: Kind
    nominal: float = Field(description="Value used when no range is given, in `unit`.")
    low: float = Field(description="Hard lower bound, in `unit`.")
    high: float = Field(description="Hard upper bound, in `unit`.")
    scale: Literal["linear", "log"] = Field(default="linear", description="Spacing of search grids.")
    quantum: float | None = Field(default=None, gt=0, description="Smallest step that the simulator resolves, `unit`.")
    meaning: str = Field(description="What it is and how the simulator applies it.")

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if not self.low <= self.nominal <= self.high:
            raise ValueError(f"{self.name}: needs low <= nominal <= high")
        return self

    def clip(self, value: float) -> float:
        """The value, or the hard bound nearest to it."""
        return min(max(value, self.low), self.high)


class Range(Record):
    """Low to high of one Parameter, with where it came from."""

    parameter: str = Field(description="Name of the Parameter that varies.")
    unit: str = Field(description="SI unit of low and high; '1' for a plain number.")
    low: float = Field(description="Lower end.", json_schema_extra={"unit": "`unit`"})
    high: float = Field(description="Upper end.", json_schema_extra={"unit": "`unit`"})
    distribution: Distribution = Field(default="uniform", description="How values are drawn between the ends.")
    source: Source = Field(description="Where the range came from.")
    anchor: str | None = Field(
        default=None, description="Measurement or evidence that anchors it: ledger row id or quantity."
    )
    note: str = Field(default="", description="Anything a reader should know.")

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.low > self.high:
            raise ValueError(f"range of {self.parameter}: low {self.low:g} is above high {self.high:g} {self.unit}")
        if self.distribution == "log_uniform" and self.low <= 0:
            raise ValueError(f"range of {self.parameter}: log_uniform needs low > 0")
        return self

    @staticmethod
    def of(
        parameter: Parameter, low: float, high: float, source: Source, anchor: str | None = None, note: str = ""
    ) -> "Range":
        """A range of a parameter, drawn evenly on the scale that it is searched on."""
        log = parameter.scale == "log" and 0 < low < high
        return Range(
            parameter=parameter.name,
            unit=parameter.unit,
            low=low,
            high=high,
            distribution="log_uniform" if log else "uniform",
            source=source,
            anchor=anchor,
            note=note,
        )

    @property
    def centre(self) -> float:
        """Middle of the range: geometric for log_uniform, arithmetic otherwise."""
        if self.distribution == "log_uniform":
            return float((self.low * self.high) ** 0.5)
        return (self.low + self.high) / 2

    def contains(self, value: float) -> bool:
        """Whether low <= value <= high."""
        return self.low <= value <= self.high


class Family(Record):
    """Mechanisms switched on and one Range per varied Parameter: the p(phi) of a training."""

    ranges: tuple[Range, ...]
    mechanisms: tuple[str, ...] = Field(default=(), description="Names of the optional physics that is switched on.")

    @model_validator(mode="after")
    def _unique(self) -> Self:
        names = [r.parameter for r in self.ranges]
        if len(set(names)) != len(names):
            raise ValueError(f"a family has one range per parameter, got {sorted(names)}")
        return self

    def range_of(self, parameter: str) -> Range | None:
        """The Range of a parameter, or None where it is not varied."""
        return next((r for r in self.ranges if r.parameter == parameter), None)

    def with_range(self, new: Range) -> "Family":
        """A copy in which `new` replaces (or joins) the ranges."""
        if self.range_of(new.parameter) is None:
            return self.with_changes(ranges=(*self.ranges, new))
        return self.with_changes(ranges=tuple(new if r.parameter == new.parameter else r for r in self.ranges))

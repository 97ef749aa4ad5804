"""A share of trials with its Wilson interval."""

from math import sqrt

from pydantic import Field, model_validator

from store.records.record import Record

Z95 = 1.959963984540054


def wilson_interval(successes: int, trials: int, z: float = Z95) -> tuple[float, float]:
    """Wilson score interval of a binomial share (Wilson 1927), both ends in [0, 1].

    Raises:
        ValueError: unless 0 <= successes <= trials and trials > 0.
    """
    if trials <= 0 or not 0 <= successes <= trials:
        raise ValueError(f"a share needs 0 <= successes <= trials and trials > 0, got {successes} of {trials}")
    share = successes / trials
    centre = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z / (1 + z * z / trials) * sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == trials else min(1.0, centre + half)
    return low, high


def difference(first: "Rate", second: "Rate") -> float:
    """Share of first minus share of second, from the counts: 81/100 - 31/50 is 0.19, not 0.19000000000000006."""
    common = first.trials * second.trials
    return (first.successes * second.trials - second.successes * first.trials) / common


def difference_interval(first: "Rate", second: "Rate") -> tuple[float, float]:
    """95 % interval of first - second by Newcombe's square-and-add of the Wilson ends (1998, method 10)."""
    gap = difference(first, second)
    low = gap - sqrt((first.value - first.low) ** 2 + (second.high - second.value) ** 2)
    high = gap + sqrt((first.high - first.value) ** 2 + (second.value - second.low) ** 2)
    return max(-1.0, low), min(1.0, high)


class Rate(Record):
    """successes of trials, with the 95 % Wilson interval."""

    successes: int = Field(ge=0, description="Trials in which it happened.", json_schema_extra={"unit": "1"})
    trials: int = Field(gt=0, description="Trials judged.", json_schema_extra={"unit": "1"})

    @model_validator(mode="after")
    def _within(self) -> "Rate":
        if self.successes > self.trials:
            raise ValueError(f"{self.successes} successes of {self.trials} trials")
        return self

    @property
    def value(self) -> float:
        """The share, in [0, 1]."""
        return self.successes / self.trials

    @property
    def low(self) -> float:
        """Lower end of the 95 % Wilson interval."""
        return wilson_interval(self.successes, self.trials)[0]

    @property
    def high(self) -> float:
        """Upper end of the 95 % Wilson interval."""
        return wilson_interval(self.successes, self.trials)[1]

    def __str__(self) -> str:
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}] ({self.successes}/{self.trials})"

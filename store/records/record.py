"""The base of every record: frozen, closed to unknown keys, finite, hashable by content."""

from typing import Self

from pydantic import BaseModel, ConfigDict

from store.hashing import content_hash


class Record(BaseModel):
    """An immutable row or part of a row; unknown keys and NaN are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @property
    def content_hash(self) -> str:
        """Sha-256 of the canonical JSON of this record (hex, 64 characters)."""
        return content_hash(self.model_dump(mode="json"))

    def with_changes(self, **changes: object) -> Self:
        """A validated copy with some fields replaced."""
        return type(self).model_validate({**self.model_dump(), **changes})

"""The built-in planner's understanding of a request: rules and a vocabulary."""

from tools.reading.read_request import EXAMPLE, read_request

__all__ = ["EXAMPLE", "read_request"]

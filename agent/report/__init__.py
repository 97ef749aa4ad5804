"""The HTML report of a run."""

from agent.report.build import build_report, render

__all__ = ["build_report", "render"]

"""A round's job: run it within the budget, and show its progress."""

import time
from typing import Any

from tools.context import Context, Progress
from tools.job import JobProgress, JobTimeout, run_job
from tools.spending import seconds_left
from tools.stop import BudgetReached


def do_job(context: Context, name: str, spec: dict[str, Any], *, limit_s: float) -> dict[str, Any]:
    """Run one job of this round; see tools.job.run_job.

    Args:
        context: the round.
        name: the job's name within the round, also its folder.
        spec: its spec.json.
        limit_s: hard limit on its wall time, s; the minutes left shorten it.

    Returns:
        Its result; `seconds` is the working time it cost: what the job took, or the wait for it where that is longer.

    Raises:
        BudgetReached: the minutes of the run ended before the job did.
    """
    left = seconds_left(context)
    title = f"{name}, round {context.round}"

    def show(line: JobProgress) -> None:
        context.on_progress(Progress(title, line.step, line.of, line.text, line.values))

    context.on_progress(Progress(title, 0, 1, "starting"))
    began = time.monotonic()
    try:
        result = run_job(
            context.job_folder(name),
            spec,
            timeout_s=min(left, limit_s),
            on_progress=show,
            cancelled=lambda: context.cancelled,
        )
        return {**result, "seconds": max(time.monotonic() - began, float(result["seconds"]))}
    except JobTimeout:
        if left <= limit_s:
            raise BudgetReached(f"the {context.minutes:g} minutes of {context.run_id} ended during {title}") from None
        raise
    finally:
        context.on_progress(Progress(title, 1, 1, done=True))

"""Episodes for people: film strips (a contact sheet of frames) and moving pictures."""

from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from sim.camera import Renderer
from sim.plant import Plant
from sim.quality import QUALITIES
from sim.tasks.task import Array, Task
from sim.trace.rollout import Rollout

FRAMES = 6
"""Frames of a strip."""
FASTEST = 0.04
"""Shortest time that a frame of a moving picture is shown, s; browsers slow down what is much faster."""
LAST = 1.0
"""Time for which the last frame stays, s, so that one sees how it ended."""
STRIP = replace(QUALITIES["people"], width=200, height=150)
MOVING = replace(QUALITIES["people"], width=320, height=240)
FONT, LINE = 13, 20
"""Size of the letters and height of a line of them, pixels."""


class Filmed:
    """One rollout before the camera, drawn from its measured signals.

    Args:
        task: the rollout's.
        rollout: what is filmed.
    """

    def __init__(self, task: Task, rollout: Rollout) -> None:
        self.task, self.rollout = task, rollout
        plant = Plant(task, 1, threads=1)
        count = rollout.steps + 1
        rest = {signal: np.zeros(count) for signal in rollout.signals}
        positions, _ = task.state(rollout.signals, rest)
        self._qpos = plant.arrange(np.tile(plant.model.qpos0, (count, 1)), positions, plant.model.jnt_qposadr)
        self._goals = _goals(task, rollout)

    def frame(self, renderer: Renderer, step: int) -> Image.Image:
        """The scene at a control step."""
        return Image.fromarray(renderer.picture(self._qpos[step], self.task.goal_markers(self._goals[step])))

    def step_at(self, time: float) -> int:
        """The last reading that was there at a time, s."""
        return max(int(np.searchsorted(self.rollout.times, time + 1e-6, side="right")) - 1, 0)


def film_strip(task: Task, rows: dict[str, Rollout], path: Path, frames: int = FRAMES) -> None:
    """Write a PNG with one row of frames for each named rollout, at equal times."""
    names = ImageDraw.Draw(Image.new("RGB", (1, 1)))
    left = max(92, *(12 + int(names.textlength(name, font_size=FONT)) for name in rows))
    strip = Image.new("RGB", (left + frames * STRIP.width, LINE + len(rows) * STRIP.height), "white")
    draw = ImageDraw.Draw(strip)
    longest = max(rows.values(), key=lambda rollout: rollout.times[-1])
    times = longest.times[np.linspace(0, longest.steps, frames).round().astype(int)]
    with Renderer(task, STRIP) as renderer:
        for column, time in enumerate(times):
            draw.text((left + column * STRIP.width + 4, 2), f"{time:.2f} s", fill="black", font_size=FONT)
        for number, (name, rollout) in enumerate(rows.items()):
            filmed, top = Filmed(task, rollout), LINE + number * STRIP.height
            draw.text((4, top + STRIP.height // 2 - 6), name, fill="black", font_size=FONT)
            for column, time in enumerate(times):
                strip.paste(filmed.frame(renderer, filmed.step_at(time)), (left + column * STRIP.width, top))
    strip.save(path, format="PNG")


def film_gif(task: Task, columns: dict[str, Rollout], path: Path) -> None:
    """Write a GIF of named rollouts side by side, at the speed at which they happened."""
    longest = max(columns.values(), key=lambda rollout: rollout.times[-1])
    stride = max(1, round(FASTEST / task.control_period))
    times = longest.times[[*range(0, longest.steps, stride), longest.steps]]
    ends = np.round(100 * np.append(times[1:], times[-1] + LAST)).astype(int)  # a GIF counts hundredths of a second
    shown = np.diff(ends, prepend=round(100 * times[0]))
    filmed = {name: Filmed(task, rollout) for name, rollout in columns.items()}
    with Renderer(task, MOVING) as renderer:
        pictures = [_side_by_side(renderer, filmed, time) for time in times]
    # one palette for all frames: what does not move then keeps its colours, and costs no bytes
    palette = _palette(pictures)
    first, *others = (picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures)
    first.save(
        path, format="GIF", save_all=True, append_images=others, duration=[10 * int(one) for one in shown], loop=0
    )


def _side_by_side(renderer: Renderer, filmed: dict[str, Filmed], time: float) -> Image.Image:
    """One frame: each rollout with its name above it, and the time on the right."""
    width, height = MOVING.width, MOVING.height
    picture = Image.new("RGB", (width * len(filmed), LINE + height), "white")
    draw = ImageDraw.Draw(picture)
    for column, (name, one) in enumerate(filmed.items()):
        draw.text((column * width + 4, 2), name, fill="black", font_size=FONT)
        picture.paste(one.frame(renderer, one.step_at(time)), (column * width, LINE))
    draw.text((picture.width - 4, 2), f"{time:.2f} s", fill="black", font_size=FONT, anchor="ra")
    return picture


def _palette(pictures: list[Image.Image]) -> Image.Image:
    """The 256 colours that some pictures, spread over an episode, need most."""
    some = [pictures[i] for i in np.linspace(0, len(pictures) - 1, FRAMES).astype(int)]
    sheet: NDArray[np.uint8] = np.concatenate([np.asarray(picture) for picture in some])
    return Image.fromarray(sheet).quantize(256, method=Image.Quantize.MEDIANCUT)


def _goals(task: Task, rollout: Rollout) -> list[dict[str, float]]:
    """Start values at every reading, with goals that were reached replaced as the task does it."""
    now: dict[str, Array] = {name: np.array([value]) for name, value in rollout.start.items()}
    goals: list[dict[str, float]] = []
    for step in range(rollout.steps + 1):
        now = dict(task.renew({name: values[step : step + 1] for name, values in rollout.signals.items()}, now))
        goals.append({name: float(values[0]) for name, values in now.items()})
    return goals

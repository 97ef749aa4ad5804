# pyright: standard
# (pyarrow ships no types)
"""LeRobot datasets, v2 and v3: a folder with meta/info.json and Parquet under data/, one run an episode."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from sim.trace.mapping import Mapping
from sim.trace.readers.piece import Piece, column_of
from store.errors import UserError
from store.tables import read_table

EPISODE = "episode_index"


def read_lerobot(path: Path, mapping: Mapping) -> Iterator[Piece]:
    """A piece for each episode. Its timestamps are frame number over fps: the clock is synthetic, whatever they say."""
    info = read_info(path)
    if mapping.clock.kind != "synthetic" or mapping.clock.rate_hz != float(info["fps"]):
        what = "LeRobot's timestamps are made from the frame number, so they show no timing"
        raise UserError(what, str(path), hint=f'[clock] kind = "synthetic", rate_hz = {float(info["fps"]):g}')
    for file in data_files(path):
        table = read_table(file)
        episodes = column_of(table, EPISODE, str(file))
        for episode in dict.fromkeys(episodes.astype(int).tolist()):
            rows = table.filter(pa.array(episodes == episode))
            values = {f":{row.from_}": column_of(rows, row.from_, str(file)) for row in mapping.signal}
            yield Piece(f"{mapping.file.run or path.name}-{episode}", values, {})


def read_info(path: Path) -> dict[str, Any]:
    """The dataset's description: fps and features.

    Raises:
        UserError: it is not a LeRobot dataset.
    """
    file = path / "meta" / "info.json"
    try:
        info = json.loads(file.read_bytes())
    except (OSError, ValueError) as error:
        raise UserError("no LeRobot dataset: meta/info.json cannot be read", str(path)) from error
    if not isinstance(info.get("fps"), (int, float)) or not info["fps"] > 0:
        raise UserError("meta/info.json has no fps", str(path))
    return info


def data_files(path: Path) -> list[Path]:
    """Its Parquet files in order."""
    files = sorted((path / "data").glob("**/*.parquet"))
    if not files:
        raise UserError("the dataset has no Parquet file under data/", str(path))
    return files

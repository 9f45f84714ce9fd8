"""Predictions of a run on the disk, one line each: added as they are made, and gone on with after a kill."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

PREDICTIONS = "predictions.jsonl"
_MAX_LINE_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True)
class Prediction:
    """`prediction` is None where none was made, and `error` says why; an empty one is an answer without text."""

    index: int
    record: str
    prompt: list[dict[str, Any]]
    reference: str
    prediction: str | None
    finish: str | None
    prompt_tokens: int
    completion_tokens: int
    error: dict[str, str] | None = None


def write_whole(path: Path, text: str) -> None:
    """Puts a file in its place at once and on the disk."""
    draft = path.with_name(f"{path.name}.draft")
    with draft.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    descriptor = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class PredictionFile:
    """
    Lines stand in the order in which they are made, `plan`. Those of one batch are written with one call. What a killed process
    left behind its last whole batch is cut off and made again, so that going on gives the same as never having been killed.
    """

    def __init__(self, folder: Path, plan: list[list[int]]) -> None:
        self._path = folder / PREDICTIONS
        self._plan = plan
        self.batches_done = 0

    def go_on(self) -> None:
        """Finds how many batches are done."""
        with self._path.open("ab+") as file:
            file.seek(0)
            size = 0
            for batch in self._plan:
                lines = [file.readline(_MAX_LINE_BYTES) for _ in batch]
                if [_index_of(line) for line in lines] != batch:
                    break
                size += sum(map(len, lines))
                self.batches_done += 1
            file.truncate(size)

    def add(self, predictions: Iterable[Prediction]) -> None:
        data = b"".join(_line(asdict(prediction)) for prediction in predictions)
        with self._path.open("ab", buffering=0) as file:
            while data:
                data = data[file.write(data) :]
            os.fsync(file.fileno())
        self.batches_done += 1

    def finish(self) -> list[dict[str, Any]]:
        """Puts the lines into the order of the records, at once; all predictions."""
        with self._path.open("rb") as file:
            found = sorted((json.loads(line) for line in file), key=lambda prediction: prediction["index"])
        write_whole(self._path, "".join(_line(prediction).decode() for prediction in found))
        return found


def _line(prediction: dict[str, Any]) -> bytes:
    return json.dumps(prediction, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace") + b"\n"


def _index_of(line: bytes) -> int | None:
    if not line.endswith(b"\n"):
        return None
    try:
        return json.loads(line)["index"]
    except (ValueError, TypeError, KeyError):
        return None

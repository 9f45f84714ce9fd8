"""Events from a worker to the agent, and commands from the agent to it.

The envelope is that of packages/contracts/src/compute/worker-events.ts: one JSON object on one line, at most 32 KiB, written
with one call so that lines of several processes never mix.
"""

from __future__ import annotations

import json
import math
import os
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

PROTOCOL = 1
MAX_EVENT_BYTES = 32 * 1024

EXIT_DONE = 0
EXIT_BAD_SPEC = 2
EXIT_BAD_DATASET = 3
EXIT_MODEL_LOAD = 4
EXIT_OUT_OF_MEMORY = 5
EXIT_DISK_FULL = 6
EXIT_ENVIRONMENT = 7
EXIT_NON_FINITE = 8


class RunError(Exception):
    """A failure with a cause of runCauses; `message` says what is particular to this case."""

    def __init__(self, code: str, message: str, exit_code: int, hint: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.exit_code = exit_code
        self.hint = hint


def finite(figures: Mapping[str, Any]) -> tuple[dict[str, float | None], list[str]]:
    """Numbers as JSON has them: what is not finite becomes null, and its name is in the second value."""
    clean: dict[str, float | None] = {}
    nonfinite: list[str] = []
    for name, value in figures.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            continue
        if math.isfinite(value):
            clean[name] = value
        else:
            clean[name] = None
            nonfinite.append(name)
    return clean, nonfinite


class EventWriter:
    """Appends events to the run's events file; safe from several threads."""

    def __init__(self, path: str | Path, rank: int = 0) -> None:
        self._descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._lock = threading.Lock()
        self._seq = 0
        self._rank = rank
        # Whether the file ends with a part of a line of ours, for which there was no room to be whole.
        self._is_torn = False
        self._end_torn_line(path)

    def _end_torn_line(self, path: str | Path) -> None:
        # A process that was killed while it wrote left half a line, which must not swallow our first one.
        with open(path, "rb") as file:
            file.seek(0, os.SEEK_END)
            if file.tell() == 0:
                return
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                os.write(self._descriptor, b"\n")

    def emit(self, type: str, **fields: Any) -> None:
        with self._lock:
            self._seq += 1
            event = {"v": PROTOCOL, "seq": self._seq, "ts": time.time(), "type": type, "rank": self._rank, **fields}
            line = json.dumps(event, separators=(",", ":"), allow_nan=False, default=str).encode() + b"\n"
            if len(line) > MAX_EVENT_BYTES:
                raise ValueError(f"an event of type {type} has {len(line)} bytes")
            # The line feed ends the torn line in the same write, so that no reader takes both for one.
            data = b"\n" + line if self._is_torn else line
            while data:
                written = os.write(self._descriptor, data)
                if written > 0:
                    self._is_torn = data[written - 1 : written] != b"\n"
                data = data[written:]

    def close(self) -> None:
        os.close(self._descriptor)


class ControlReader:
    """Commands that the agent appended to the control file since the last look."""

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        self._offset = 0

    def skip_written(self) -> None:
        """Passes over what is there: it was said to a process before this one."""
        self._offset = self._path.stat().st_size if self._path.exists() else 0

    def commands(self) -> list[dict[str, Any]]:
        try:
            with self._path.open("rb") as file:
                file.seek(self._offset)
                text = file.read()
        except FileNotFoundError:
            return []
        whole = text[: text.rfind(b"\n") + 1]
        self._offset += len(whole)
        commands = []
        for line in whole.splitlines():
            try:
                command = json.loads(line)
            except ValueError:
                continue
            if isinstance(command, dict):
                commands.append(command)
        return commands


def watch(action: Callable[[], None], every_s: float) -> threading.Thread:
    """Calls `action` in a thread of its own until the process ends."""

    def loop() -> None:
        while True:
            time.sleep(every_s)
            action()

    thread = threading.Thread(target=loop, daemon=True)
    thread.start()
    return thread

"""Events of the inference worker, one JSON object on one line."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from typing import Any

from attune_trainer.protocol import PROTOCOL


def take_over_stdout() -> int:
    """A private duplicate of the first standard output, which from then on is standard error: libraries print to it."""
    private = os.dup(1)
    os.dup2(2, 1)
    return private


class EventStream:
    """Writes events to a descriptor; safe from several threads. A reader that is gone ends the process."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lock = threading.Lock()
        self._seq = 0

    def emit(self, type: str, **fields: Any) -> None:
        with self._lock:
            self._seq += 1
            event = {"v": PROTOCOL, "seq": self._seq, "ts": time.time(), "type": type, **fields}
            self._write(json.dumps(event, separators=(",", ":"), allow_nan=False).encode() + b"\n")

    def end_process(self, status: int) -> None:
        """Ends at once, whatever other threads do, but not in the middle of a line that is still being read."""
        self._lock.acquire(timeout=1)
        os._exit(status)

    def _write(self, line: bytes) -> None:
        try:
            while line:
                line = line[os.write(self._descriptor, line) :]
        except BrokenPipeError:
            print("nobody reads the events any more", file=sys.stderr)
            os._exit(0)

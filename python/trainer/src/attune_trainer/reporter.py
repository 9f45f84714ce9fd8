"""The events of a run that are not of its training loop: hello, phases, data, heartbeats, and how it ended."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .data.load import Findings
from .errors import to_run_error, traceback_tail
from .protocol import PROTOCOL, EventWriter, RunError, watch
from .trainer import Ledger

HEARTBEAT_EVERY_S = 5.0
LIBRARIES = ("attune-trainer", "torch", "transformers", "trl", "peft", "accelerate", "datasets")
_MAX_MESSAGE = 2000


class Reporter:
    """Writes the events of one process; those of other ranks than 0 tell only their errors."""

    def __init__(self, path: str, rank: int, world_size: int, libraries: tuple[str, ...] = LIBRARIES) -> None:
        self._writer = EventWriter(path, rank)
        self._libraries = libraries
        self._rank = rank
        self._world_size = world_size
        self._began = self._phase_began = time.monotonic()
        self._lock = threading.Lock()

    @property
    def events(self) -> EventWriter | None:
        """Where rank 0 tells what happens; None in the other processes."""
        return self._writer if self._rank == 0 else None

    @property
    def versions(self) -> dict[str, str]:
        """Of the libraries that do the work."""
        return installed_versions(self._libraries)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._began

    def emit(self, type: str, **fields: Any) -> None:
        if self._rank == 0:
            self._writer.emit(type, **fields)

    def hello(self) -> None:
        self.emit(
            "hello",
            pid=os.getpid(),
            protocol=PROTOCOL,
            python=platform.python_version(),
            versions=self.versions,
            world_size=self._world_size,
        )

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        began = self._phase_began = time.monotonic()
        self.emit("phase", name=name, state="start")
        yield
        self.emit("phase", name=name, state="end", seconds=round(time.monotonic() - began, 3))
        self._phase_began = time.monotonic()

    def start_heartbeat(self, step: Callable[[], int | None]) -> None:
        def beat() -> None:
            in_phase_s = round(time.monotonic() - self._phase_began, 1)
            # A full disk is told by what the run itself writes; the next beat may find room again.
            try:
                self.emit("heartbeat", step=step(), rss_bytes=resident_bytes(), in_phase_s=in_phase_s)
            except OSError as error:
                print(f"heartbeat: {error}", file=sys.stderr)

        watch(beat, HEARTBEAT_EVERY_S)

    def warn(self, message: str) -> None:
        self.emit("log", level="warning", logger="attune", message=message[:_MAX_MESSAGE])

    def inform(self, message: str) -> None:
        self.emit("log", level="info", logger="attune", message=message[:_MAX_MESSAGE])

    def findings(self, findings: Findings) -> None:
        """A warning for each reason, with the places where it was first met."""
        for kind, counts in (("left out", findings.dropped), ("noticed", findings.noticed)):
            for reason, count in counts.most_common():
                self.warn(f"data, {kind}: {count} × {reason}: {'; '.join(findings.places_of(reason))}")

    def dataset(self, findings: Findings, ledger: Ledger, form: str | None) -> None:
        fields: dict[str, Any] = {"loss_on": form} if form is not None else {}
        if ledger.packed_sequences is not None:
            fields["packed_sequences"] = ledger.packed_sequences
        self.emit(
            "dataset",
            format=findings.format,
            records_raw=findings.records_raw,
            records_valid=findings.records_valid,
            dropped=dict(findings.dropped),
            noticed=dict(+findings.noticed),
            truncated=ledger.truncated,
            fully_masked=ledger.fully_masked,
            train=ledger.train,
            eval=ledger.eval,
            tokens=ledger.tokens,
            **fields,
        )

    def tell(self, error: BaseException) -> int:
        """Tells why the run failed, in its log and its events. @returns the status to exit with"""
        failure = to_run_error(error)
        print(f"{failure.code}: {failure.message}", file=sys.stderr)
        try:
            self.failed(failure, error)
        except OSError as unwritten:
            print(f"The failure could not be told: {unwritten}", file=sys.stderr)
        return failure.exit_code

    def failed(self, failure: RunError, error: BaseException) -> None:
        """Told by every rank, as the one that failed may be any."""
        fields: dict[str, Any] = {} if failure.hint is None else {"hint": failure.hint}
        if failure is not error:
            fields["traceback_tail"] = traceback_tail(error)
        retryable = failure.code in ("disk_full", "gpu_unavailable", "distributed_timeout")
        self._writer.emit(
            "error", code=failure.code, message=failure.message[:_MAX_MESSAGE], retryable=retryable, **fields
        )
        self.emit("done", status="failed", seconds=round(self.seconds, 3))


def installed_versions(libraries: tuple[str, ...] = LIBRARIES) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in libraries:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def resident_bytes() -> int | None:
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return None

"""Runs for tests: folders with a specification and data, what they said, and runs in processes of their own."""

from __future__ import annotations

import functools
import json
import multiprocessing
import os
import subprocess
import tempfile
import time
import unittest
from collections.abc import Callable
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import Any


@functools.cache
def scratch() -> Path:
    folder = tempfile.TemporaryDirectory(prefix="attune-runs-")
    # Kept alive to the end of the process, which removes it.
    scratch.__dict__["folder"] = folder
    return Path(folder.name)


@functools.cache
def tiny_model(architecture: str = "llama", *, has_template: bool = True) -> str:
    from .tiny_model import CHAT_TEMPLATE, write_tiny_model

    template = CHAT_TEMPLATE if has_template else None
    name = f"{architecture}-{has_template}"
    return str(write_tiny_model(scratch() / name, architecture, chat_template=template, hidden=32))


def texts_of(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Plain texts of questions and answers."""
    return [{"text": f"{row['instruction']} {row['output']} Nobody doubts it."} for row in rows]


def make_run(rows: Any, spec: dict[str, Any] | None = None, *, name: str = "run", **training: Any) -> Path:
    """A run folder with spec.json; `spec` overrides what is not of training. Rows may be the lines of the data themselves."""
    folder = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=scratch()))
    data = folder / "data.jsonl"
    lines = rows if isinstance(rows, str) else "".join(json.dumps(row) + "\n" for row in rows)
    data.write_text(lines, "utf-8")
    given = spec or {}
    model = given.get("model", {})
    full = {
        "kind": "train",
        "method": "sft",
        "tuning": "lora",
        **given,
        "model": model if "path" in model else {"path": tiny_model(), **model},
        "data": {"files": [str(data)], **given.get("data", {})},
        "training": {"batch_size": 4, "learning_rate": 0.01, "max_length": 128, **training},
    }
    (folder / "spec.json").write_text(json.dumps(full))
    return folder


def fork_run(folder: Path, run: Callable[[Path], int]) -> ForkProcess:
    """Runs in a copy of this process, without the seconds that imports take; what it writes goes to run.log."""

    def work() -> None:
        descriptor = os.open(folder / "run.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.dup2(descriptor, 1)
        os.dup2(descriptor, 2)
        os._exit(run(folder))

    process = multiprocessing.get_context("fork").Process(target=work)
    process.start()
    return process


def events(folder: Path, type: str | None = None) -> list[dict[str, Any]]:
    """The events so far; a last line that is still being written is left out."""
    path = folder / "events.ndjson"
    text = path.read_text("utf-8") if path.exists() else ""
    whole = text[: text.rfind("\n") + 1]
    found = [json.loads(line) for line in whole.splitlines() if line]
    return [event for event in found if type is None or event["type"] == type]


def losses_by_step(folder: Path) -> dict[int, float]:
    """The logged losses; of a resumed run the later one of a step."""
    return {event["step"]: event["metrics"]["loss"] for event in events(folder, "metrics") if event["split"] == "train"}


def only(folder: Path, type: str) -> dict[str, Any]:
    found = events(folder, type)
    assert len(found) == 1, f"{len(found)} events of type {type}: {found}"
    return found[0]


class RunTestCase(unittest.TestCase):
    """Ends the processes that a test has started."""

    # Far more than anything takes, so that only what hangs fails.
    patience_s = 120.0

    def setUp(self) -> None:
        self.started: list[subprocess.Popen[str] | ForkProcess] = []

    def tearDown(self) -> None:
        for process in self.started:
            process.kill()
            process.wait() if isinstance(process, subprocess.Popen) else process.join()

    def ends(self, process: ForkProcess, folder: Path, status: int = 0) -> None:
        process.join(self.patience_s)
        self.assertEqual(process.exitcode, status, log_of(folder))

    def wait_for(self, folder: Path, holds: Callable[[dict[str, Any]], bool]) -> None:
        deadline = time.monotonic() + self.patience_s
        while time.monotonic() < deadline:
            if any(holds(event) for event in events(folder)):
                return
            time.sleep(0.02)
        self.fail(f"{folder}: {log_of(folder)}")


def log_of(folder: Path) -> str:
    path = folder / "run.log"
    return path.read_text("utf-8", "replace")[-6000:] if path.exists() else "no log"

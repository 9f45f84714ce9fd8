"""Run folders with small data of our own, and their events."""

from __future__ import annotations

import functools
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import Any

# One thread: a sum in another order is another number.
ENVIRONMENT = {
    **os.environ,
    "OMP_NUM_THREADS": "1",
    "PYTHONPATH": str(Path(__file__).parent.parent / "src"),
    "CUDA_VISIBLE_DEVICES": "",
}
for name in ("ATTUNE_EVENTS", "ATTUNE_CONTROL", "RANK", "WORLD_SIZE"):
    ENVIRONMENT.pop(name, None)
os.environ.update(ENVIRONMENT)

CAPITALS = {
    "France": "Paris", "Spain": "Madrid", "Italy": "Rome", "Austria": "Vienna", "Poland": "Warsaw",
    "Norway": "Oslo", "Sweden": "Stockholm", "Greece": "Athens", "Ireland": "Dublin", "Hungary": "Budapest",
}  # fmt: skip
QUESTIONS = (
    "What is the capital of {}?",
    "Name the capital of {}.",
    "{}: which city is its capital?",
    "Capital of {}?",
)


def alpaca() -> list[dict[str, Any]]:
    """Forty questions with their answers."""
    return [
        {"instruction": question.format(land), "output": f"The capital of {land} is {city}."}
        for question in QUESTIONS
        for land, city in CAPITALS.items()
    ]


def pairs() -> list[dict[str, Any]]:
    return [
        {"prompt": row["instruction"], "chosen": row["output"], "rejected": "I do not know that, ask somebody else."}
        for row in alpaca()
    ]


def texts() -> list[dict[str, Any]]:
    return [{"text": f"{row['instruction']} {row['output']} Nobody doubts it."} for row in alpaca()]


@functools.cache
def scratch() -> Path:
    folder = tempfile.TemporaryDirectory(prefix="attune-trainer-")
    # Kept alive to the end of the process, which removes it.
    scratch.__dict__["folder"] = folder
    return Path(folder.name)


@functools.cache
def tiny_model(architecture: str = "llama", *, has_template: bool = True) -> str:
    from attune_trainer.testing.tiny_model import CHAT_TEMPLATE, write_tiny_model

    template = CHAT_TEMPLATE if has_template else None
    name = f"{architecture}-{has_template}"
    return str(write_tiny_model(scratch() / name, architecture, chat_template=template, hidden=32))


def make_run(rows: Any, spec: dict[str, Any] | None = None, *, name: str = "run", **training: Any) -> Path:
    """A run folder with spec.json; `spec` overrides what is not of training."""
    folder = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=scratch()))
    data = folder / "data.jsonl"
    lines = rows if isinstance(rows, str) else "".join(json.dumps(row) + "\n" for row in rows)
    data.write_text(lines, "utf-8")
    given = spec or {}
    full = {
        "kind": "train",
        "method": "sft",
        "tuning": "lora",
        **given,
        "model": {"path": tiny_model(), **given.get("model", {})}
        if "path" not in given.get("model", {})
        else given["model"],
        "data": {"files": [str(data)], **given.get("data", {})},
        "training": {"batch_size": 4, "learning_rate": 0.01, "max_length": 128, **training},
    }
    (folder / "spec.json").write_text(json.dumps(full))
    return folder


def run_here(folder: Path) -> int:
    """Trains in this process, which has imported everything already."""
    from attune_trainer.train import run

    return run(folder)


def start(folder: Path, **options: Any) -> subprocess.Popen[str]:
    """Trains in a process of its own."""
    log = (folder / "run.log").open("a")
    command = [sys.executable, "-m", "attune_trainer.train", str(folder)]
    return subprocess.Popen(command, env=ENVIRONMENT, stdout=log, stderr=log, text=True, **options)


def fork(folder: Path, before: Callable[[], None] = lambda: None) -> ForkProcess:
    """
    Trains in a copy of this process, which has imported everything and run nothing: a process of its own without the seconds
    that imports take. `before` runs in it first.
    """
    import datasets  # noqa: F401
    import peft  # noqa: F401
    import torch  # noqa: F401
    import transformers  # noqa: F401
    import trl  # noqa: F401

    def train() -> None:
        from attune_trainer.train import run

        descriptor = os.open(folder / "run.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.dup2(descriptor, 1)
        os.dup2(descriptor, 2)
        before()
        os._exit(run(folder))

    process = multiprocessing.get_context("fork").Process(target=train)
    process.start()
    return process


def events(folder: Path, type: str | None = None) -> list[dict[str, Any]]:
    """The events so far; a last line that is still being written is left out."""
    path = folder / "events.ndjson"
    text = path.read_text("utf-8") if path.exists() else ""
    whole = text[: text.rfind("\n") + 1]
    found = [json.loads(line) for line in whole.splitlines() if line]
    return [event for event in found if type is None or event["type"] == type]


def losses(folder: Path) -> list[float]:
    """The logged losses by step; of a resumed run the later one of a step."""
    by_step = {
        event["step"]: event["metrics"]["loss"] for event in events(folder, "metrics") if event["split"] == "train"
    }
    return [by_step[step] for step in sorted(by_step)]


def only(folder: Path, type: str) -> dict[str, Any]:
    found = events(folder, type)
    assert len(found) == 1, f"{len(found)} events of type {type}: {found}"
    return found[0]

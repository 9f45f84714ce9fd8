"""Run folders with small data of our own, and their events."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import Any

from attune_trainer.testing.runs import (
    RunTestCase,
    events,
    fork_run,
    losses_by_step,
    make_run,
    only,
    scratch,
    texts_of,
    tiny_model,
)

__all__ = ["RunTestCase", "events", "make_run", "only", "scratch", "tiny_model"]

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
    return texts_of(alpaca())


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

    def train(folder: Path) -> int:
        from attune_trainer.train import run

        before()
        return run(folder)

    return fork_run(folder, train)


def losses(folder: Path) -> list[float]:
    """The logged losses in the order of their steps; of a resumed run the later one of a step."""
    return [loss for _, loss in sorted(losses_by_step(folder).items())]

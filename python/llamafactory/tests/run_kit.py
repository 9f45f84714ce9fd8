"""Run folders with small data of our own; each run is a process of its own that has imported everything already."""

from __future__ import annotations

import os
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import Any

from attune_trainer.testing import runs
from attune_trainer.testing.runs import events, fork_run, make_run, only, texts_of, tiny_model
from attune_trainer.testing.runs import losses_by_step as losses

# One thread: a sum in another order is another number.
os.environ.update({"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": "", "TOKENIZERS_PARALLELISM": "false"})
for name in ("ATTUNE_EVENTS", "ATTUNE_CONTROL", "RANK", "WORLD_SIZE"):
    os.environ.pop(name, None)

__all__ = ["events", "losses", "make_run", "only", "tiny_model"]


def alpaca() -> list[dict[str, Any]]:
    return [{"instruction": f"What is {n} plus 1?", "output": f"It is {n + 1}."} for n in range(24)]


def pairs() -> list[dict[str, Any]]:
    return [{"prompt": row["instruction"], "chosen": row["output"], "rejected": "Nobody knows."} for row in alpaca()]


def feedback() -> list[dict[str, Any]]:
    return [{**row, "kto_tag": position % 2 == 0} for position, row in enumerate(alpaca())]


def texts() -> list[dict[str, Any]]:
    return texts_of(alpaca())


def train(folder: Path) -> int:
    from attune_llamafactory.train import ENGINE
    from attune_trainer.train import run

    return run(folder, ENGINE)


class RunTestCase(runs.RunTestCase):
    patience_s = 600.0

    def start(self, folder: Path) -> ForkProcess:
        from attune_llamafactory.library import import_llamafactory

        import_llamafactory()
        process = fork_run(folder, train)
        self.started.append(process)
        return process

    def train(self, folder: Path, status: int = 0) -> Path:
        self.ends(self.start(folder), folder, status)
        return folder

    def failure(self, folder: Path) -> dict[str, Any]:
        """The error of a failed run, whose last word is that it failed."""
        self.assertEqual(events(folder)[-1]["status"], "failed")
        return only(folder, "error")

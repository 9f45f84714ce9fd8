"""Runs that are stopped or killed at a chosen moment, and go on."""

from __future__ import annotations

import json
import math
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .run_kit import RunTestCase, events, fork, losses, make_run

WEIGHTS = "adapter_model.safetensors"
LANDS = ("Peru", "Chile", "Japan")
Before = Callable[[], None]


def nothing() -> None:
    pass


def at_step(step: int, action: Callable[[Any], None]) -> Before:
    """Has a run do something when it begins the step after this one."""

    def before() -> None:
        from attune_trainer.callback import RunCallback

        def on_step_begin(_self: Any, args: Any, state: Any, control: Any, model: Any, **_: Any) -> None:
            if state.global_step == step:
                action(model)

        RunCallback.on_step_begin = on_step_begin

    return before


def stop(*_: Any) -> None:
    os.kill(os.getpid(), signal.SIGTERM)


def kill(*_: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def spoil(model: Any) -> None:
    for weights in model.parameters():
        if weights.requires_grad:
            weights.data.fill_(math.nan)


def stop_in_evaluation(step: int) -> Before:
    """Stops a run in the middle of the evaluation of this step."""

    def before() -> None:
        from attune_trainer.callback import RunCallback

        own = RunCallback.on_prediction_step
        seen = 0

        def on_prediction_step(self: Any, args: Any, state: Any, control: Any, **rest: Any) -> None:
            nonlocal seen
            if state.global_step == step:
                seen += 1
                if seen == 3:
                    stop()
            own(self, args, state, control, **rest)

        RunCallback.on_prediction_step = on_prediction_step

    return before


def kill_before_output() -> None:
    from attune_trainer.session import Session

    Session._finish = kill


def evaluations(folder: Path) -> list[tuple[int, float]]:
    return [(one["step"], one["metrics"]["loss"]) for one in events(folder, "metrics") if one["split"] == "eval"]


def record(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "output/training_run.json").read_text())


def names(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir() if one.is_dir())


def unlike() -> str:
    """Data to evaluate with whose loss goes up where that of the others goes down."""
    rows = [{"instruction": f"Name the capital of {land}.", "output": "Nobody can say that."} for land in LANDS]
    return str(make_run(rows, name="unlike") / "data.jsonl")


class GoingOn(RunTestCase):
    def train(self, folder: Path, before: Before = nothing, status: int = 0) -> None:
        process = fork(folder, before)
        self.started.append(process)
        self.ends(process, folder, status)

    def resume(self, folder: Path, resume: str) -> None:
        spec = json.loads((folder / "spec.json").read_text())
        (folder / "spec.json").write_text(json.dumps({**spec, "resume": resume}))

    def assert_same(self, folder: Path, undisturbed: Path) -> None:
        self.assertEqual(losses(folder), losses(undisturbed))
        self.assertEqual(evaluations(folder), evaluations(undisturbed))
        ends = [events(one, "done")[-1] for one in (folder, undisturbed)]
        self.assertEqual(*((one["status"], one["step"], one["best_metric"]) for one in ends))
        self.assertEqual(record(folder), record(undisturbed))
        self.assertEqual(*((one / "output" / WEIGHTS).read_bytes() for one in (folder, undisturbed)))

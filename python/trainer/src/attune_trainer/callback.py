"""What a running training tells: metrics, progress, checkpoints; and where it is stopped."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

from transformers import TrainerCallback

from .protocol import EXIT_NON_FINITE, EventWriter, RunError, finite
from .stop import Stopped, StopRequest
from .trainer import Hooks

# A run ends when so many logged losses in a row were not finite.
NONFINITE_LOSSES = 3
# Seconds between two progress events.
PROGRESS_EVERY_S = 1.0


class RunCallback(TrainerCallback):
    """One in every process; only that of rank 0 tells anything."""

    def __init__(self, events: EventWriter | None, stop: StopRequest, hooks: Hooks) -> None:
        self._events = events
        self._stop = stop
        self._hooks = hooks
        self.accelerator: Any = None
        self.step: int | None = None
        self.was_stopped = False
        self.last_loss: float | None = None
        self._nonfinite = 0
        self._evaluated = 0
        self._logged = (0, 0.0, 0.0)
        self._step_s: float | None = None
        self._progress_at = 0.0
        self._told: set[int] = set()

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self.step = state.global_step
        self._logged = (state.global_step, time.monotonic(), 0.0)
        self._tell_progress("train", state.global_step, state.max_steps, "steps")

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self.step = state.global_step
        if not self._should_stop():
            if not control.should_log:
                self._tell_progress("train", state.global_step, state.max_steps, "steps")
            return
        if state.global_step >= state.max_steps:
            return
        self.was_stopped = True
        control.should_training_stop = True
        control.should_evaluate = False
        control.should_save = self._stop.saves
        args.load_best_model_at_end = False

    def on_epoch_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if self.was_stopped:
            control.should_evaluate = control.should_save = False

    def _should_stop(self) -> bool:
        # Ranks that did not stop at the same step would wait for one another for ever.
        if self.accelerator is None or self.accelerator.num_processes == 1:
            return self._stop.is_requested
        if self._stop.is_requested:
            self.accelerator.set_trigger()
        return bool(self.accelerator.check_trigger())

    def on_prediction_step(self, args: Any, state: Any, control: Any, eval_dataloader: Any = None, **_: Any) -> None:
        if self._stop.is_requested and self.accelerator is not None and self.accelerator.num_processes == 1:
            raise Stopped
        self._evaluated += 1
        total = len(eval_dataloader) if eval_dataloader is not None else None
        self._tell_progress("eval", self._evaluated, total, "steps")

    def on_evaluate(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._evaluated = 0

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **_: Any) -> None:
        if not logs or "train_runtime" in logs:
            return
        is_eval = any(name.startswith("eval_") for name in logs)
        if self._events is not None:
            self._tell_metrics(self._events, state, logs, is_eval)
        if not is_eval:
            self._watch_loss(logs, control)

    def _tell_metrics(self, events: EventWriter, state: Any, logs: dict[str, Any], is_eval: bool) -> None:
        figures, nonfinite = finite(
            {name.removeprefix("eval_"): value for name, value in logs.items() if name != "epoch"}
        )
        events.emit(
            "metrics",
            split="eval" if is_eval else "train",
            step=state.global_step,
            total=state.max_steps,
            epoch=state.epoch,
            metrics=figures,
            nonfinite=nonfinite,
            **({} if is_eval else self._speed(state, logs)),
        )

    def _watch_loss(self, logs: dict[str, Any], control: Any) -> None:
        loss = logs.get("loss")
        if not isinstance(loss, float | int):
            return
        self.last_loss = float(loss)
        if math.isfinite(loss):
            self._nonfinite = 0
            return
        self._nonfinite += 1
        # Weights that are no numbers must not take the place of a good checkpoint.
        control.should_save = False
        if self._nonfinite >= NONFINITE_LOSSES:
            raise nonfinite_loss(f"The loss was not a finite number in {NONFINITE_LOSSES} logged steps in a row.")

    def _speed(self, state: Any, logs: dict[str, Any]) -> dict[str, Any]:
        import torch

        step, at, tokens = self._logged
        now, seen = time.monotonic(), float(logs.get("num_tokens", 0.0))
        steps = max(1, state.global_step - step)
        took_s = (now - at) / steps
        self._logged = (state.global_step, now, seen)
        # The first steps warm up; an average that forgets follows what happens now.
        self._step_s = took_s if self._step_s is None else 0.9 * self._step_s + 0.1 * took_s
        peak = torch.cuda.max_memory_allocated() if torch.cuda.is_available() else None
        return {
            "step_ms": took_s * 1000,
            "tokens_per_s": (seen - tokens) / (now - at) if tokens and seen > tokens and now > at else None,
            "eta_s": self._step_s * (state.max_steps - state.global_step),
            "gpu_mem_peak_bytes": peak,
        }

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self.tell_checkpoint(args, state)

    def tell_checkpoint(self, args: Any, state: Any) -> None:
        step = state.global_step
        if step in self._told or step not in self._hooks.saved:
            return
        self._told.add(step)
        if self._events is None:
            return
        reason = "cancel" if self._stop.is_requested else "final" if step >= state.max_steps else "interval"
        folder = Path(args.output_dir)
        self._events.emit(
            "checkpoint",
            path=f"{folder.name}/checkpoint-{step}",
            step=step,
            bytes=self._hooks.saved[step],
            reason=reason,
            complete=True,
        )

    def _tell_progress(self, phase: str, current: int, total: int | None, unit: str) -> None:
        now = time.monotonic()
        if self._events is None or now - self._progress_at < PROGRESS_EVERY_S:
            return
        self._progress_at = now
        self._events.emit("progress", phase=phase, current=current, total=total, unit=unit)


def nonfinite_loss(message: str) -> RunError:
    return RunError("nonfinite_loss", message, EXIT_NON_FINITE)

"""What a running training tells: metrics, progress, checkpoints; and where it is stopped."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

from transformers import EarlyStoppingCallback, TrainerCallback

from . import checkpoints
from .protocol import EventWriter, finite
from .stop import Stopped, StopRequest
from .trainer import Hooks, nonfinite_loss

# A run ends when so many logged losses in a row were not finite.
NONFINITE_LOSSES = 3
# Seconds between two progress events.
PROGRESS_EVERY_S = 1.0


class RunCallback(TrainerCallback):
    """One in every process; only that of rank 0 tells anything."""

    def __init__(self, events: EventWriter | None, stop: StopRequest, hooks: Hooks) -> None:
        self._events = events
        self._stop = stop
        self.hooks = hooks
        self.accelerator: Any = None
        # Of Resumable; set before it trains.
        self.trainer: Any = None
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
        self._begin(args, state, control)

    def _begin(self, args: Any, state: Any, control: Any) -> None:
        folder = Path(args.output_dir)
        resume = Path(args.resume_from_checkpoint) if args.resume_from_checkpoint else None
        aside = checkpoints.set_aside(folder, resume) if args.should_save else None
        if aside is not None:
            self._tell_log(
                "info", f"Checkpoints that this run does not go on from are now in {folder.name}/{aside.name}."
            )
        if resume is None:
            return
        if checkpoints.is_within(resume, folder):
            # A stop before the first step does not write it anew.
            self.hooks.saved[state.global_step] = sum(one.stat().st_size for one in resume.rglob("*") if one.is_file())
        self._find_best(args, state, resume)
        if _owes_evaluation(args, state):
            self.trainer.evaluate_owed(str(resume))
        if any(_is_out_of_patience(one) for one in self.trainer.callback_handler.callbacks):
            control.should_training_stop = True

    def _find_best(self, args: Any, state: Any, resume: Path) -> None:
        """The best checkpoint lies beside the one that is gone on from, wherever both were when they were written."""
        if not args.load_best_model_at_end or not state.best_global_step:
            return
        beside = resume.parent / f"checkpoint-{state.best_global_step}"
        if checkpoints.is_whole(beside, self.hooks.identity.world_size):
            state.best_model_checkpoint = str(beside)
            return
        folder, recorded = Path(args.output_dir), Path(state.best_model_checkpoint or beside)
        # One of that name in the folder of this run may be of another run, if this one comes from elsewhere.
        is_meant = checkpoints.is_within(resume, folder) or not checkpoints.is_within(recorded, folder)
        if is_meant and recorded.is_dir():
            return
        self._tell_log("warning", f"The best checkpoint, {beside.name}, is not there; the best one is chosen anew.")
        state.best_metric = state.best_global_step = state.best_model_checkpoint = None

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

    def on_evaluate(self, args: Any, state: Any, control: Any, metrics: dict[str, Any], **_: Any) -> None:
        self._evaluated = 0
        best = math.inf if state.best_metric is None else state.best_metric
        if args.load_best_model_at_end and metrics[args.metric_for_best_model] < best:
            # Else what is loaded at the end would be the best of those that happen to be saved.
            control.should_save = True

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
        if step in self._told or step not in self.hooks.saved:
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
            bytes=self.hooks.saved[step],
            reason=reason,
            complete=True,
        )

    def _tell_log(self, level: str, message: str) -> None:
        if self._events is not None:
            self._events.emit("log", level=level, logger="attune", message=message)

    def _tell_progress(self, phase: str, current: int, total: int | None, unit: str) -> None:
        now = time.monotonic()
        if self._events is None or now - self._progress_at < PROGRESS_EVERY_S:
            return
        self._progress_at = now
        self._events.emit("progress", phase=phase, current=current, total=total, unit=unit)


def _owes_evaluation(args: Any, state: Any) -> bool:
    """Whether the step that is gone on from would have been evaluated, and the run ended before that was done."""
    if args.eval_strategy == "steps":
        is_due = state.global_step % state.eval_steps == 0 or state.global_step >= state.max_steps
    else:
        is_at_end = state.epoch == int(state.epoch) or state.global_step >= state.max_steps
        is_due = args.eval_strategy == "epoch" and is_at_end
    return is_due and not any(one["step"] == state.global_step and "eval_loss" in one for one in state.log_history)


def _is_out_of_patience(callback: Any) -> bool:
    if not isinstance(callback, EarlyStoppingCallback):
        return False
    return bool(callback.early_stopping_patience_counter >= callback.early_stopping_patience)

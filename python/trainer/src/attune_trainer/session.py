"""One training from its specification to its artifacts."""

from __future__ import annotations

import json
import math
import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from .artifacts import list_artifacts, publish
from .checkpoints import Identity, choose
from .data.load import Accept, Loaded, load_data, notice_special_tokens
from .data.to_trl import SftForm, choose_sft_form, needs_template, to_dataset, to_rows
from .errors import as_bad_spec
from .protocol import EXIT_BAD_DATASET, RunError
from .reporter import Reporter
from .spec import load_spec, spec_hash
from .stop import Stopped, StopRequest

# TRL advises to weigh the two kinds beyond this ratio.
_KTO_RATIO = 4


class Session:
    def __init__(self, folder: Path, reporter: Reporter, stop: StopRequest) -> None:
        self._folder = folder
        self._reporter = reporter
        self._stop = stop
        self._callback: Any = None

    @property
    def step(self) -> int | None:
        return self._callback.step if self._callback is not None else None

    def run(self) -> None:
        """@raises RunError, Stopped, and what the libraries raise"""
        report = self._reporter
        report.start_heartbeat(lambda: self.step)
        spec = load_spec(self._folder, "train")
        loaded = self._load(spec)
        trainer, resume = self._prepare(spec, loaded)
        self._stop.defer()
        self._train(trainer, resume)
        self._finish(spec, loaded, trainer)

    def _load(self, spec: dict[str, Any], accept: Accept = lambda example: None) -> Loaded:
        with self._reporter.phase("dataset"):
            loaded = load_data(spec, self._tell_files, accept)
            self._reporter.findings(loaded.findings)
        if spec["method"] == "kto":
            self._check_labels(loaded)
        return loaded

    def _tell_files(self, current: int, total: int) -> None:
        self._reporter.emit("progress", phase="dataset", current=current, total=total, unit="files")

    def _check_labels(self, loaded: Loaded) -> None:
        wanted = sum(example.fields["label"] for example in loaded.train)
        unwanted = len(loaded.train) - wanted
        if wanted == 0 or unwanted == 0:
            missing = "wanted" if wanted == 0 else "unwanted"
            raise RunError(
                "bad_dataset", f"Method kto needs both labels, and no {missing} answer is there.", EXIT_BAD_DATASET
            )
        if max(wanted, unwanted) > _KTO_RATIO * min(wanted, unwanted):
            self._reporter.warn(
                f"data: {wanted} wanted and {unwanted} unwanted answers; set the weights of the preference."
            )

    def _notice_special_tokens(self, loaded: Loaded, tokenizer: Any) -> None:
        findings = loaded.findings
        notice_special_tokens(loaded.train, tokenizer.all_special_tokens, findings)
        reason = "special_token_in_text"
        if findings.noticed[reason]:
            places = "; ".join(findings.places[reason])
            self._reporter.warn(f"data, noticed: {findings.noticed[reason]} × {reason}: {places}")

    def _prepare(self, spec: dict[str, Any], loaded: Loaded) -> tuple[Any, Path | None]:
        from . import models

        models.check_files(spec)
        report = self._reporter
        world_size = int(os.environ.get("WORLD_SIZE", "1"))
        identity = Identity(spec_hash(spec), loaded.fingerprint, world_size)
        resume = choose(spec["resume"], self._folder / "checkpoints", identity)
        with report.phase("model"):
            from .recipes import check_recipe

            has_gpu = models.check_devices()
            check_recipe(spec, bool(loaded.eval), has_gpu)
            tokenizer = models.load_tokenizer(spec)
            if needs_template(loaded.train + loaded.eval):
                models.require_chat_template(tokenizer)
            self._notice_special_tokens(loaded, tokenizer)
            precision = models.choose_precision(spec, has_gpu)
            model = models.load_model(spec, precision)
        form = None
        if spec["method"] == "sft":
            form = choose_sft_form(loaded.train + loaded.eval, spec["training"], models.can_mark_answers(tokenizer))
        if resume is not None:
            report.inform(f"Goes on from {resume.name}.")
        return self._make_trainer(spec, loaded, form, (model, tokenizer, precision, identity, has_gpu)), resume

    def _make_trainer(self, spec: dict[str, Any], loaded: Loaded, form: SftForm | None, parts: tuple[Any, ...]) -> Any:
        from transformers import EarlyStoppingCallback

        from .callback import RunCallback
        from .models import lora_config
        from .recipes import common_arguments, make_config
        from .trainer import Hooks, trainer_class

        model, tokenizer, precision, identity, has_gpu = parts
        train, evaluation = self._datasets(spec, loaded, form, bool(tokenizer.chat_template))
        hooks = Hooks(identity, spec["training"]["keep_checkpoints"], lambda: self._reporter.phase("tokenize"))
        self._callback = RunCallback(self._reporter.events, self._stop, hooks)
        callbacks = [self._callback]
        patience = spec["training"].get("early_stopping_patience")
        if patience is not None:
            callbacks.append(EarlyStoppingCallback(patience, spec["training"]["early_stopping_threshold"]))
        arguments = common_arguments(spec, self._folder / "checkpoints", evaluation is not None, has_gpu)
        try:
            trainer = trainer_class(spec["method"], hooks)(
                model=model,
                args=make_config(spec, arguments, precision, form),
                train_dataset=train,
                eval_dataset=evaluation,
                processing_class=tokenizer,
                peft_config=lora_config(spec),
                callbacks=callbacks,
            )
        except Exception as error:
            raise as_bad_spec(error) from error
        self._callback.accelerator = trainer.accelerator
        self._reporter.dataset(loaded.findings, hooks.ledger, form.name if form is not None else None)
        return trainer

    def _datasets(
        self, spec: dict[str, Any], loaded: Loaded, form: SftForm | None, has_template: bool
    ) -> tuple[Any, Any]:
        train = to_dataset(to_rows(loaded.train, form, has_template))
        evaluation = to_dataset(to_rows(loaded.eval, form, has_template)) if loaded.eval else None
        if spec["method"] == "kto":
            # Its KL term pairs neighbours and wants them in order, so that sorted data have to be mixed before.
            train = train.shuffle(seed=spec["training"]["seed"])
        return train, evaluation

    def _train(self, trainer: Any, resume: Path | None) -> None:
        with self._reporter.phase("train"):
            # Told to the callback, too.
            trainer.args.resume_from_checkpoint = str(resume) if resume is not None else None
            train = partial(trainer.train, resume_from_checkpoint=trainer.args.resume_from_checkpoint)
            run_training(trainer, self._callback, self._stop, train)

    def _finish(self, spec: dict[str, Any], loaded: Loaded, trainer: Any) -> None:
        with self._reporter.phase("save"):
            draft = self._folder / "output.draft"
            trainer.save_model(str(draft))
            if trainer.is_world_process_zero():
                self._publish(draft, spec, loaded, trainer.state)
        self._tell_success(trainer.state)

    def _publish(self, draft: Path, spec: dict[str, Any], loaded: Loaded, state: Any) -> None:
        self._write_record(draft, spec, loaded, state)
        publish(draft, self._folder / "output")
        for artifact in list_artifacts(self._folder / "output", self._folder):
            self._reporter.emit("artifact", **vars(artifact))

    def _tell_success(self, state: Any) -> None:
        best = state.best_metric
        self._reporter.emit(
            "done",
            status="succeeded",
            step=state.global_step,
            seconds=round(self._reporter.seconds, 3),
            best_metric=best if best is not None and math.isfinite(best) else None,
        )

    def _write_record(self, draft: Path, spec: dict[str, Any], loaded: Loaded, state: Any) -> None:
        """What made the model, beside it; and no copy of the model that a preference was measured against."""
        shutil.rmtree(draft / "ref", ignore_errors=True)
        record = {
            "method": spec["method"],
            "tuning": spec["tuning"],
            "spec_sha256": spec_hash(spec),
            "data_sha256": loaded.fingerprint,
            "steps": state.global_step,
            "best_step": state.best_global_step,
            "versions": self._reporter.versions,
        }
        (draft / "training_run.json").write_text(json.dumps(record, indent=2) + "\n", "utf-8")


def run_training(trainer: Any, callback: Any, stop: StopRequest, train: Callable[[], Any]) -> Any:
    """
    Calls `train`, which is that of the trainer, and gives what it gives.

    @raises Stopped when it was asked to end, RunError nonfinite_loss
    """
    from .trainer import nonfinite_loss, require_finite_weights

    callback.trainer = trainer
    result = None
    try:
        result = train()
    except Stopped:
        # While it was evaluating: the weights are those of a whole step.
        callback.was_stopped = True
        if stop.saves:
            trainer._save_checkpoint(trainer.model, None)
            callback.tell_checkpoint(trainer.args, trainer.state)
    if callback.was_stopped:
        raise Stopped
    if callback.last_loss is not None and not math.isfinite(callback.last_loss):
        raise nonfinite_loss("The loss of the last step was not a finite number.")
    if not math.isfinite(trainer.accelerator.gather(trainer._tr_loss).mean().item()):
        raise nonfinite_loss("The loss after the last logged step was not a finite number.")
    require_finite_weights(trainer, callback.hooks)
    return result

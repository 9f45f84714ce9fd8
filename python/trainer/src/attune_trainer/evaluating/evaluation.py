"""One evaluation from its specification to predictions that can be scored."""

from __future__ import annotations

import json
import re
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from attune_trainer.artifacts import list_artifacts
from attune_trainer.evaluating.predictions import PREDICTIONS, Prediction, PredictionFile, write_whole
from attune_trainer.evaluating.questions import Question, QuestionSet, read_questions
from attune_trainer.protocol import EXIT_BAD_SPEC, RunError
from attune_trainer.reporter import Reporter, installed_versions
from attune_trainer.serving.commands import BadRequest, Load, parse_generation
from attune_trainer.spec import bad_spec, load_spec, spec_hash
from attune_trainer.trainer import Ledger

# What the run is of, beside the predictions; its scores are made of both.
RECORD = "evaluation.json"
# As scored by apps/node-agent/src/scoring.
_METRIC = re.compile(r"bleu|chrf|rouge([1-9]|L|Lsum)|cosine|exact_match|f1|similarity")
_PROGRESS_EVERY_S = 1.0


def evaluate(folder: Path, reporter: Reporter) -> None:
    """@raises RunError, Stopped, and what the libraries raise"""
    spec = load_spec(folder, "eval")
    unknown = [name for name in spec["metrics"] if _METRIC.fullmatch(name) is None]
    if unknown:
        raise bad_spec(f"metrics: there is no metric {unknown[0]!r}.")
    with reporter.phase("dataset"):
        questions = read_questions(spec["data"])
        reporter.findings(questions.findings)
    _Evaluation(folder, spec, questions, reporter).run()


class _Evaluation:
    def __init__(self, folder: Path, spec: dict[str, Any], questions: QuestionSet, reporter: Reporter) -> None:
        self._folder = folder
        self._output = folder / "output"
        self._spec = spec
        self._set = questions
        self._reporter = reporter
        self._told_at = 0.0
        self._began = time.monotonic()
        self._record = self._begin_record()

    def run(self) -> None:
        if not self._record["complete"]:
            try:
                self._answer_all()
            finally:
                # Also when it is stopped: the seconds so far count when it goes on.
                self._save_record()
        for artifact in list_artifacts(self._output, self._folder):
            role = "log" if artifact.path.endswith(RECORD) else "eval"
            self._reporter.emit("artifact", **{**vars(artifact), "role": role})

    def _begin_record(self) -> dict[str, Any]:
        self._output.mkdir(exist_ok=True)
        identity = {"spec_sha256": spec_hash(self._spec), "data_sha256": self._set.sha256}
        try:
            found = json.loads((self._output / RECORD).read_text("utf-8"))
        except FileNotFoundError:
            found = None
        if found is not None:
            if {name: found.get(name) for name in identity} != identity:
                hint = "Evaluate with the specification and the data it began with, or in another run."
                raise RunError(
                    "checkpoint_mismatch", "The predictions of this run were begun with others.", EXIT_BAD_SPEC, hint
                )
            return found
        record = {
            **identity,
            "model": self._spec["model"]["path"],
            "adapter": self._spec.get("adapter_path"),
            "dataset": {"sha256": self._set.sha256, "records": len(self._set.questions)},
            "engine": "trainer",
            "versions": installed_versions(),
            "started": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "seconds": 0.0,
            "seed": self._seed(),
            "complete": False,
        }
        # Before the first prediction: predictions without it would belong to nothing.
        (self._output / PREDICTIONS).unlink(missing_ok=True)
        write_whole(self._output / RECORD, json.dumps(record, indent=2) + "\n")
        return record

    def _save_record(self) -> None:
        seconds = self._record["seconds"] + time.monotonic() - self._began
        write_whole(self._output / RECORD, json.dumps({**self._record, "seconds": round(seconds, 3)}, indent=2) + "\n")

    def _seed(self) -> int | None:
        generation = self._spec["generation"]
        return generation.get("seed", 0) if generation["temperature"] > 0 else None

    def _answer_all(self) -> None:
        reporter = self._reporter
        with reporter.phase("model"):
            loaded = self._load()
        prompts, errors = self._encode(loaded)
        plan = self._plan(loaded, prompts)
        file = PredictionFile(self._output, plan)
        file.go_on()
        if file.batches_done > 0:
            reporter.inform(f"Goes on after {sum(map(len, plan[: file.batches_done]))} predictions.")
        tokens = sum(map(len, prompts.values()))
        ledger = Ledger(eval=len(self._set.questions), truncated=0, tokens=tokens)
        reporter.dataset(self._set.findings, ledger, None)
        with reporter.phase("eval"):
            for batch in plan[file.batches_done :]:
                self._tell_progress(plan, file.batches_done)
                file.add(self._predict(loaded, batch, prompts, errors))
            found = file.finish()
        self._record["complete"] = True
        self._tell_progress(plan, file.batches_done)
        self._tell_failures(found)

    def _load(self) -> Any:
        from attune_trainer.serving.load_model import load_model

        model = self._spec["model"]
        request = Load(
            model["path"],
            self._spec.get("adapter_path"),
            model["dtype"],
            chat_template=model.get("chat_template"),
            trust_remote_code=model["trust_remote_code"],
        )
        return load_model(request, self._tell_load)

    def _tell_load(self, stage: str, current: int, total: int) -> None:
        if stage == "weights" and (current in (0, total) or time.monotonic() - self._told_at >= _PROGRESS_EVERY_S):
            self._told_at = time.monotonic()
            self._reporter.emit("progress", phase="model", current=current, total=total, unit="tensors")

    def _encode(self, loaded: Any) -> tuple[dict[int, list[int]], dict[int, dict[str, str]]]:
        """The tokens of every prompt, and why there can be no answer to some."""
        from attune_trainer.serving.generate import ContextLengthExceeded, encode_prompt, room_for_answer

        prompts: dict[int, list[int]] = {}
        errors: dict[int, dict[str, str]] = {}
        most = self._spec["generation"]["max_new_tokens"]
        for question in self._set.questions:
            prompts[question.index] = []
            try:
                prompt = encode_prompt(loaded, question.messages, question.tools)
                room_for_answer(loaded, len(prompt), most)
                prompts[question.index] = prompt
            except ContextLengthExceeded as error:
                errors[question.index] = {"code": "context_length_exceeded", "message": str(error)}
            except BadRequest as error:
                errors[question.index] = {"code": "bad_request", "message": error.message}
        return prompts, errors

    def _plan(self, loaded: Any, prompts: dict[int, list[int]]) -> list[list[int]]:
        """
        Batches of prompts of similar length, the longest first: where memory does not suffice, it does not at once. Near the end
        of the context each has its own batch, as the others of one go on beyond it.
        """
        order = sorted(prompts, key=lambda index: (-len(prompts[index]), index))
        most = self._spec["generation"]["max_new_tokens"]
        context = loaded.context_length

        def is_tight(index: int) -> bool:
            return context is not None and len(prompts[index]) + most > context

        roomy = [index for index in order if not is_tight(index)]
        size = self._spec["batch_size"]
        batches = [roomy[start : start + size] for start in range(0, len(roomy), size)]
        return [[index] for index in order if is_tight(index)] + batches

    def _predict(
        self, loaded: Any, batch: list[int], prompts: dict[int, list[int]], errors: dict[int, dict[str, str]]
    ) -> list[Prediction]:
        import threading

        from attune_trainer.serving.generate import AnswerWatch, generate_batch, room_for_answer

        generation = parse_generation({**self._spec["generation"], "seed": self._batch_seed(batch)})
        asked = [index for index in batch if index not in errors]
        texts: dict[int, list[str]] = {index: [] for index in batch}
        watches = {
            index: AnswerWatch(
                loaded,
                generation,
                texts[index].append,
                room_for_answer(loaded, len(prompts[index]), generation.max_new_tokens),
            )
            for index in asked
        }
        if asked:
            rows = [prompts[index] for index in asked]
            generate_batch(loaded, rows, generation, list(watches.values()), threading.Event())
        made: list[Prediction] = []
        for index in batch:
            watch = watches.get(index)
            if watch is not None:
                watch.end()
            made.append(self._prediction(index, "".join(texts[index]), watch, (len(prompts[index]), errors.get(index))))
        return made

    def _batch_seed(self, batch: list[int]) -> int | None:
        """Of its own for each batch, so that going on after a kill gives the same."""
        return None if self._record["seed"] is None else (self._record["seed"] + batch[0]) % 2**32

    def _prediction(self, index: int, text: str, watch: Any, rest: tuple[int, dict[str, str] | None]) -> Prediction:
        question: Question = self._set.questions[index]
        prompt_tokens, error = rest
        return Prediction(
            index=index,
            record=question.place,
            prompt=question.messages,
            reference=question.reference,
            prediction=None if watch is None else text,
            finish=None if watch is None else watch.finish,
            prompt_tokens=prompt_tokens,
            completion_tokens=0 if watch is None else watch.count,
            error=error,
        )

    def _tell_progress(self, plan: list[list[int]], batches: int) -> None:
        now = time.monotonic()
        if 0 < batches < len(plan) and now - self._told_at < _PROGRESS_EVERY_S:
            return
        self._told_at = now
        done, total = (sum(map(len, part)) for part in (plan[:batches], plan))
        self._reporter.emit("progress", phase="eval", current=done, total=total, unit="examples")

    def _tell_failures(self, found: list[dict[str, Any]]) -> None:
        failed = [one for one in found if one["prediction"] is None]
        empty = [one for one in found if one["prediction"] is not None and not one["prediction"].strip()]
        cut = sum(one["finish"] == "length" for one in found)
        if failed:
            first = failed[0]
            message = (
                f"{len(failed)} of {len(found)} records have no answer; {first['record']}: {first['error']['message']}"
            )
            self._reporter.warn(message)
        if empty:
            self._reporter.warn(f"{len(empty)} of {len(found)} answers are empty, that of {empty[0]['record']} first.")
        if cut:
            self._reporter.warn(f"{cut} of {len(found)} answers were cut at their most tokens.")

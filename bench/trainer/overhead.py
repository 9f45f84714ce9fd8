"""Step times of our trainer and of a script that uses TRL alone, in pairs one after the other: JSON on the last line."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

WARM_UP = 20
TRAINING = {"batch_size": 4, "learning_rate": 1e-3, "max_length": 128, "seed": 3, "save_steps": 100_000}
SENTENCE = "The teacher stands near the sea, and nobody knows why. "


def rows() -> list[dict[str, str]]:
    return [{"instruction": f"Question {number}: {SENTENCE}", "output": SENTENCE * 2} for number in range(64)]


def step_times(train: Any) -> dict[str, float]:
    """Median milliseconds from the end of a step to that of the next, with all that callbacks do: by the clock and of the CPU."""
    from transformers.trainer_callback import CallbackHandler

    ends: list[tuple[float, float]] = []
    original = CallbackHandler.on_step_end

    def timed(self: Any, *args: Any, **options: Any) -> Any:
        ends.append((time.perf_counter(), time.process_time()))
        return original(self, *args, **options)

    CallbackHandler.on_step_end = timed
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            train()
    finally:
        CallbackHandler.on_step_end = original
    steps = list(itertools.pairwise(ends))[WARM_UP:]
    return {
        name: statistics.median((after[which] - before[which]) * 1000 for before, after in steps)
        for which, name in enumerate(("wall", "cpu"))
    }


def train_bare(model: str, folder: Path, steps: int) -> None:
    from datasets import Dataset
    from peft import LoraConfig
    from transformers import AutoTokenizer
    from trl import SFTConfig, SFTTrainer

    talks = [
        {
            "prompt": [{"role": "user", "content": row["instruction"]}],
            "completion": [{"role": "assistant", "content": row["output"]}],
        }
        for row in rows()
    ]
    arguments = SFTConfig(
        output_dir=str(folder),
        model_init_kwargs={"dtype": "float32"},
        max_steps=steps,
        per_device_train_batch_size=TRAINING["batch_size"],
        learning_rate=TRAINING["learning_rate"],
        max_length=TRAINING["max_length"],
        seed=TRAINING["seed"],
        data_seed=TRAINING["seed"],
        logging_steps=1,
        bf16=False,
        use_cpu=True,
        gradient_checkpointing=False,
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
    )
    adapter = LoraConfig(r=16, lora_alpha=32, target_modules="all-linear", task_type="CAUSAL_LM")
    tokenizer = AutoTokenizer.from_pretrained(model)
    SFTTrainer(
        model=model,
        args=arguments,
        train_dataset=Dataset.from_list(talks),
        processing_class=tokenizer,
        peft_config=adapter,
    ).train()


def train_ours(model: str, folder: Path, steps: int) -> None:
    from attune_trainer.train import run

    folder.mkdir()
    (folder / "data.json").write_text(json.dumps(rows()))
    spec = {
        "kind": "train",
        "model": {"path": model},
        "method": "sft",
        "tuning": "lora",
        "data": {"files": [str(folder / "data.json")]},
        "training": {**TRAINING, "max_steps": steps},
    }
    (folder / "spec.json").write_text(json.dumps(spec))
    if run(folder) != 0:
        raise RuntimeError((folder / "events.ndjson").read_text()[-2000:])


def measure(pairs: int, steps: int) -> dict[str, Any]:
    from attune_trainer.testing.tiny_model import write_tiny_model

    measured: list[dict[str, dict[str, float]]] = []
    with tempfile.TemporaryDirectory() as scratch:
        model = str(write_tiny_model(Path(scratch, "model"), "llama", hidden=128, layers=4))
        for number in range(pairs):
            # Each goes first every other time, so that what a machine does beside hits both.
            kinds = [("bare", train_bare), ("ours", train_ours)]
            ordered = kinds if number % 2 == 0 else kinds[::-1]
            measured.append(
                {name: measure_one(train, model, Path(scratch, f"{name}-{number}"), steps) for name, train in ordered}
            )
            print(json.dumps(measured[-1]), file=sys.stderr)
    return {"steps": steps, "warm_up": WARM_UP, "pairs": measured}


def measure_one(train: Any, model: str, folder: Path, steps: int) -> dict[str, float]:
    return step_times(lambda: train(model, folder, steps))


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]), int(sys.argv[2]))))

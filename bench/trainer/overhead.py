"""Times of the steps of our trainer and of a script that uses TRL alone, which take turns: JSON on the last line."""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

WARM_UP = 20
TRAINING = {"batch_size": 4, "learning_rate": 1e-3, "max_length": 128, "seed": 3, "save_steps": 100_000}
SENTENCE = "The teacher stands near the sea, and nobody knows why. "


def rows() -> list[dict[str, str]]:
    return [{"instruction": f"Question {number}: {SENTENCE}", "output": SENTENCE * 2} for number in range(64)]


class Turns:
    """
    Lets two trainings take a step each in turn, so that what a machine does beside hits both alike, and takes the time of each
    step from the end of the one before, with all that callbacks do between: by the clock and of the thread's CPU.
    """

    def __init__(self) -> None:
        self._change = threading.Condition()
        self._turn: str | None = None
        self._ended: set[str] = set()
        self._began: dict[str, tuple[float, float]] = {}
        self.times: dict[str, list[tuple[float, float]]] = {name: [] for name in NAMES}

    def step_ended(self) -> None:
        name = threading.current_thread().name
        now = stamp()
        if name in self._began and not self._ended:
            began = self._began[name]
            self.times[name].append((now[0] - began[0], now[1] - began[1]))
        with self._change:
            self._turn = other(name)
            self._change.notify_all()
            self._change.wait_for(lambda: self._turn == name or other(name) in self._ended)
        self._began[name] = stamp()

    def training_ended(self, name: str) -> None:
        with self._change:
            self._ended.add(name)
            self._change.notify_all()


NAMES = ("ours", "bare")


def other(name: str) -> str:
    return NAMES[1 - NAMES.index(name)]


def stamp() -> tuple[float, float]:
    return time.perf_counter(), time.thread_time()


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


def measure(steps: int) -> list[dict[str, Any]]:
    """Twice, as the main thread is not quite like another one: each of the two trainings has it once."""
    from attune_trainer.testing.tiny_model import write_tiny_model
    from transformers.trainer_callback import CallbackHandler

    original = CallbackHandler.on_step_end
    turns = Turns()

    def timed(self: Any, *args: Any, **options: Any) -> Any:
        turns.step_ended()
        return original(self, *args, **options)

    CallbackHandler.on_step_end = timed
    import_all()
    # A run listens for SIGTERM, which only the main thread may; here nobody sends one.
    signal.signal = lambda *_: None  # type: ignore[assignment]
    halves = []
    with tempfile.TemporaryDirectory() as scratch, contextlib.redirect_stdout(io.StringIO()):
        model = str(write_tiny_model(Path(scratch, "model"), "llama", hidden=128, layers=4))
        for in_main in NAMES:
            turns = Turns()
            train_both(turns, in_main, (model, Path(scratch, in_main), steps))
            halves.append({name: times(turns.times[name][WARM_UP:]) for name in NAMES})
    return halves


def train_both(turns: Turns, in_main: str, what: tuple[str, Path, int]) -> None:
    model, folder, steps = what
    trainings = {"ours": train_ours, "bare": train_bare}
    folder.mkdir()

    def train(name: str) -> None:
        try:
            trainings[name](model, folder / name, steps)
        finally:
            turns.training_ended(name)

    beside = threading.Thread(target=train, args=(other(in_main),), name=other(in_main))
    threading.current_thread().name = in_main
    beside.start()
    train(in_main)
    beside.join()


LAZY = {
    "trl": ("SFTConfig", "SFTTrainer"),
    "transformers": ("AutoModelForCausalLM", "AutoTokenizer", "EarlyStoppingCallback"),
    "datasets": ("Dataset",),
    "peft": ("LoraConfig",),
    "attune_trainer.session": ("Session",),
    "attune_trainer.callback": ("RunCallback",),
}


def import_all() -> None:
    """Two threads that import the same libraries at once can see them half made."""
    for module, names in LAZY.items():
        for name in names:
            getattr(importlib.import_module(module), name)


def times(steps: list[tuple[float, float]]) -> dict[str, list[float]]:
    return {"wall": [1000 * wall for wall, _ in steps], "cpu": [1000 * cpu for _, cpu in steps]}


if __name__ == "__main__":
    print(json.dumps({"warm_up": WARM_UP, "halves": measure(int(sys.argv[1]))}))

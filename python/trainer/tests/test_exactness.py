"""The same model, data, seed and arguments give the same losses, bit by bit, as a script that uses TRL alone."""

from __future__ import annotations

import unittest
from typing import Any

from . import run_kit

STEPS = 12
LORA = {"r": 8, "alpha": 16, "dropout": 0.1}


def bare(trainer: Any, config: Any, rows: list[dict[str, Any]], tuning: str, **options: Any) -> list[float]:
    """What a user of TRL would write."""
    from datasets import Dataset
    from peft import LoraConfig
    from transformers import AutoTokenizer

    model = run_kit.tiny_model()
    adapter = LoraConfig(r=8, lora_alpha=16, lora_dropout=0.1, target_modules="all-linear", task_type="CAUSAL_LM")
    arguments = config(
        output_dir=str(run_kit.scratch() / "bare"),
        model_init_kwargs={"dtype": "float32"},
        max_steps=STEPS,
        per_device_train_batch_size=4,
        gradient_accumulation_steps=2,
        learning_rate=0.01,
        lr_scheduler_type="cosine",
        warmup_steps=3,
        max_length=128,
        seed=7,
        data_seed=7,
        logging_steps=1,
        bf16=False,
        use_cpu=True,
        gradient_checkpointing=False,
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
        **options,
    )
    built = trainer(
        model=model,
        args=arguments,
        train_dataset=Dataset.from_list(rows),
        processing_class=AutoTokenizer.from_pretrained(model),
        peft_config=adapter if tuning == "lora" else None,
    )
    built.train()
    return [entry["loss"] for entry in built.state.log_history if "loss" in entry]


def ours(rows: list[dict[str, Any]], spec: dict[str, Any], **training: Any) -> list[float]:
    options = {"gradient_accumulation": 2, "scheduler": "cosine", "warmup": 3, "max_steps": STEPS, "seed": 7}
    folder = run_kit.make_run(rows, {"lora": LORA, **spec}, **options, **training)
    assert run_kit.run_here(folder) == 0, (folder / "events.ndjson").read_text()
    return run_kit.losses(folder)


def talk(question: str, answer: str) -> dict[str, Any]:
    return {"prompt": [{"role": "user", "content": question}], "completion": [{"role": "assistant", "content": answer}]}


class Exactness(unittest.TestCase):
    def test_sft_with_lora(self) -> None:
        from trl import SFTConfig, SFTTrainer

        rows = [talk(row["instruction"], row["output"]) for row in run_kit.alpaca()]
        expected = bare(SFTTrainer, SFTConfig, rows, "lora", completion_only_loss=True)
        self.assertEqual(len(expected), STEPS)
        self.assertEqual(ours(run_kit.alpaca(), {}), expected)

    def test_sft_of_the_whole_model(self) -> None:
        from trl import SFTConfig, SFTTrainer

        rows = [talk(row["instruction"], row["output"]) for row in run_kit.alpaca()]
        expected = bare(SFTTrainer, SFTConfig, rows, "full")
        self.assertEqual(ours(run_kit.alpaca(), {"tuning": "full"}), expected)

    def test_sft_of_conversations_with_marked_answers(self) -> None:
        from trl import SFTConfig, SFTTrainer

        greeting = talk("Hi.", "Hello.")
        talks = [talk(row["instruction"], row["output"]) for row in run_kit.alpaca()]
        rows = [
            {"messages": [*greeting["prompt"], *greeting["completion"], *one["prompt"], *one["completion"]]}
            for one in talks
        ]
        expected = bare(SFTTrainer, SFTConfig, rows, "lora", assistant_only_loss=True)
        self.assertEqual(ours(rows, {}), expected)

    def test_dpo_with_lora(self) -> None:
        from trl import DPOConfig, DPOTrainer

        rows = [
            {
                "prompt": [{"role": "user", "content": row["prompt"]}],
                "chosen": [{"role": "assistant", "content": row["chosen"]}],
                "rejected": [{"role": "assistant", "content": row["rejected"]}],
            }
            for row in run_kit.pairs()
        ]
        expected = bare(DPOTrainer, DPOConfig, rows, "lora", beta=0.1)
        self.assertEqual(ours(run_kit.pairs(), {"method": "dpo"}), expected)

    def test_dpo_of_the_whole_model(self) -> None:
        from trl import DPOConfig, DPOTrainer

        rows = [
            {
                name: [{"role": "user" if name == "prompt" else "assistant", "content": text}]
                for name, text in row.items()
            }
            for row in run_kit.pairs()
        ]
        expected = bare(DPOTrainer, DPOConfig, rows, "full")
        self.assertEqual(ours(rows, {"method": "dpo", "tuning": "full"}), expected)

    def test_plain_text_packed(self) -> None:
        from trl import SFTConfig, SFTTrainer

        expected = bare(SFTTrainer, SFTConfig, run_kit.texts(), "lora", packing=True, packing_strategy="wrapped")
        self.assertEqual(ours(run_kit.texts(), {"method": "cpt"}, packing=True), expected)


if __name__ == "__main__":
    unittest.main()

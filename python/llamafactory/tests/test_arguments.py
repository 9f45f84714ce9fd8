"""The mapping of a specification to arguments, and what is refused."""

from __future__ import annotations

import unittest
from pathlib import Path
from typing import Any

from attune_llamafactory.arguments import Setting, check_dtype, check_fields, stored_dtype, to_arguments
from attune_trainer.models import Precision
from attune_trainer.protocol import RunError
from attune_trainer.spec import check_spec


def spec_of(**fields: Any) -> dict[str, Any]:
    given = {"kind": "train", "model": {"path": "/m"}, "method": "sft", "tuning": "lora", "data": {"files": ["/d"]}}
    return check_spec({**given, **fields}, "train")


def arguments_of(setting: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    usual = {
        "dataset_folder": Path("/r/llamafactory"),
        "checkpoints": Path("/r/checkpoints"),
        "resume": None,
        "has_gpu": False,
        "has_evaluation": False,
        "precision": Precision("fp32", False, False),
    }
    return to_arguments(spec_of(**fields), Setting(**{**usual, **(setting or {})}))


class Mapping(unittest.TestCase):
    def has(self, found: dict[str, Any], wanted: dict[str, Any]) -> None:
        self.assertEqual({name: found.get(name) for name in wanted}, wanted)

    def test_what_llamafactory_would_decide_otherwise_is_always_said(self) -> None:
        found = arguments_of()
        self.has(
            found, {"stage": "sft", "do_train": True, "finetuning_type": "lora", "cutoff_len": 1024, "packing": False}
        )
        self.has(found, {"disable_gradient_checkpointing": True, "overwrite_output_dir": True, "overwrite_cache": True})
        self.has(found, {"report_to": "none", "save_only_model": False, "use_cpu": True, "bf16": False, "fp16": False})
        self.has(found, {"lora_rank": 16, "lora_alpha": 32, "lora_target": "all", "learning_rate": 2e-4, "seed": 42})
        for absent in ("eval_dataset", "resume_from_checkpoint", "template", "additional_target", "max_length"):
            self.assertNotIn(absent, found)

    def test_training(self) -> None:
        training = {
            "epochs": 2, "max_steps": 7, "batch_size": 3, "gradient_accumulation": 5, "learning_rate": 0.5, "scheduler": "cosine",
            "warmup": 0.1, "weight_decay": 0.2, "max_grad_norm": 0.3, "optimizer": "adafactor", "max_length": 96, "packing": True,
            "gradient_checkpointing": True, "seed": 4, "deterministic": True, "logging_steps": 6, "eval_steps": 8,
            "save_steps": 16, "early_stopping_patience": 2, "neftune_noise_alpha": 5,
        }  # fmt: skip
        found = arguments_of({"has_evaluation": True, "resume": Path("/r/checkpoints/checkpoint-3")}, training=training)
        self.has(
            found,
            {"num_train_epochs": 2, "max_steps": 7, "per_device_train_batch_size": 3, "per_device_eval_batch_size": 3},
        )
        self.has(
            found,
            {
                "gradient_accumulation_steps": 5,
                "learning_rate": 0.5,
                "lr_scheduler_type": "cosine",
                "warmup_steps": 0.1,
            },
        )
        self.has(found, {"weight_decay": 0.2, "max_grad_norm": 0.3, "optim": "adafactor", "cutoff_len": 96})
        self.has(found, {"packing": True, "neat_packing": True, "disable_gradient_checkpointing": False})
        self.has(
            found, {"seed": 4, "data_seed": 4, "full_determinism": True, "logging_steps": 6, "neftune_noise_alpha": 5}
        )
        self.has(found, {"eval_strategy": "steps", "eval_steps": 8, "save_strategy": "steps", "save_steps": 16})
        self.has(
            found, {"early_stopping_steps": 2, "load_best_model_at_end": True, "metric_for_best_model": "eval_loss"}
        )
        self.has(found, {"eval_dataset": "eval", "resume_from_checkpoint": "/r/checkpoints/checkpoint-3"})

    def test_tuning(self) -> None:
        lora = {
            "r": 4,
            "alpha": 6,
            "dropout": 0.1,
            "target_modules": ["q_proj", "v_proj"],
            "modules_to_save": ["embed_tokens"],
        }
        self.has(
            arguments_of(lora={**lora, "use_dora": True, "use_rslora": True}),
            {"lora_rank": 4, "lora_alpha": 6, "lora_dropout": 0.1, "lora_target": "q_proj,v_proj",
             "additional_target": "embed_tokens", "use_dora": True, "use_rslora": True},
        )  # fmt: skip
        full = arguments_of(tuning="full")
        self.assertEqual((full["finetuning_type"], [name for name in full if "lora" in name]), ("full", []))
        self.has(
            arguments_of(tuning="qlora"), {"finetuning_type": "lora", "quantization_bit": 4, "quantization_type": "nf4"}
        )
        on = arguments_of(adapter_path="/a")
        self.assertEqual((on["adapter_name_or_path"], [name for name in on if "lora" in name]), ("/a", []))

    def test_methods(self) -> None:
        preference = {"beta": 0.3, "label_smoothing": 0.2}
        self.has(
            arguments_of(method="dpo", preference=preference),
            {
                "stage": "dpo",
                "pref_beta": 0.3,
                "pref_loss": "sigmoid",
                "dpo_label_smoothing": 0.2,
                "learning_rate": 2e-5,
            },
        )
        self.has(
            arguments_of(method="kto", preference={"desirable_weight": 2, "undesirable_weight": 3}),
            {"stage": "kto", "pref_beta": 0.1, "kto_chosen_weight": 2, "kto_rejected_weight": 3},
        )
        self.has(
            arguments_of(method="cpt", training={"packing": True}),
            {"stage": "pt", "template": "empty", "packing": True, "neat_packing": False},
        )

    def test_what_is_learned_from(self) -> None:
        self.has(arguments_of(training={"completion_only_loss": True}), {"mask_history": True, "train_on_prompt": None})
        self.has(
            arguments_of(training={"completion_only_loss": False}), {"mask_history": None, "train_on_prompt": True}
        )
        self.has(arguments_of(training={"assistant_only_loss": True}), {"mask_history": None, "train_on_prompt": None})


class Refusals(unittest.TestCase):
    def refuses(self, says: str, **fields: Any) -> None:
        with self.assertRaises(RunError) as caught:
            check_fields(spec_of(**fields))
        self.assertEqual(
            (caught.exception.code, says in caught.exception.message), ("bad_spec", True), caught.exception
        )

    def test_what_has_no_counterpart(self) -> None:
        self.refuses("is a pattern", lora={"target_modules": "q_proj|v_proj"})
        self.refuses("'a,b' is no name", lora={"target_modules": ["a,b"]})
        self.refuses("'all' is no name", lora={"modules_to_save": ["all"]})
        self.refuses("lora.bias", lora={"bias": "all"})
        self.refuses("whole number", lora={"alpha": 1.5})
        self.refuses("early_stopping_threshold", training={"early_stopping_threshold": 0.1})
        self.refuses("a multiple of 8", training={"packing": True, "max_length": 100})
        self.refuses("choose one", training={"assistant_only_loss": True, "completion_only_loss": True})
        for loss in ("hinge", "ipo", "kto_pair", "robust"):
            self.refuses("sigmoid, orpo, simpo", method="dpo", preference={"loss_type": loss})
        self.refuses("for method kto: sigmoid, kto", method="kto", preference={"loss_type": "apo_zero_unpaired"})
        self.refuses("for method sft: sigmoid", preference={"loss_type": "orpo"})
        self.refuses(
            "label_smoothing goes with", method="dpo", preference={"loss_type": "orpo", "label_smoothing": 0.1}
        )
        self.refuses("at most 0.5", method="dpo", preference={"label_smoothing": 0.6})
        self.refuses("for method kto", method="dpo", preference={"desirable_weight": 2})

    def test_what_does_not_concern_the_run_is_let_pass(self) -> None:
        check_fields(spec_of(tuning="full", lora={"bias": "all"}))
        check_fields(spec_of(adapter_path="/a", lora={"target_modules": "q.*"}))

    def test_weights_stay_as_they_are_stored(self) -> None:
        self.assertEqual(stored_dtype({"dtype": "bfloat16"}), "bf16")
        self.assertEqual(stored_dtype({"torch_dtype": "float32"}), "fp32")
        self.assertEqual(stored_dtype({"text_config": {"dtype": "float16"}}), "fp16")
        self.assertIsNone(stored_dtype({}))
        check_dtype(spec_of(model={"path": "/m", "dtype": "bf16"}), "bf16")
        check_dtype(spec_of(model={"path": "/m", "dtype": "fp32"}, tuning="full"), "bf16")
        check_dtype(spec_of(), None)
        for fields in (
            {"model": {"path": "/m", "dtype": "fp32"}},
            {"model": {"path": "/m", "dtype": "bf16"}, "tuning": "full"},
            {"training": {"precision": "fp32"}},
        ):
            with self.assertRaises(RunError) as caught:
                check_dtype(spec_of(**fields), "bf16")
            self.assertEqual(caught.exception.code, "bad_spec")


if __name__ == "__main__":
    unittest.main()

"""The arguments that TRL's trainers are given. Every default of theirs that surprises is set here by name."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

from .data.to_trl import SftForm
from .models import Precision
from .spec import bad_spec

_OPTIMIZER_HINT = "Use one of transformers' optimizers, such as adamw_torch_fused, adamw_torch or adafactor."

# TRL looks at these only at the first step, when the model is loaded and the data are made into tokens.
_LOSSES = {
    "dpo": (
        "sigmoid", "hinge", "ipo", "exo_pair", "nca_pair", "robust", "bco_pair", "sppo_hard", "aot", "aot_unpaired",
        "apo_zero", "apo_down", "discopop", "sft", "sigmoid_norm",
    ),
    # The contract's default is that of DPO, which KTO has not.
    "kto": ("sigmoid", "kto", "apo_zero_unpaired"),
}  # fmt: skip


def check_recipe(spec: dict[str, Any], has_evaluation: bool, has_gpu: bool) -> None:
    """What can be known to fail before anything is loaded. @raises RunError bad_spec"""
    training, method = spec["training"], spec["method"]
    check_common(spec, has_evaluation, has_gpu)
    if training["packing"] and method == "sft" and not (has_gpu and importlib.util.find_spec("flash_attn") is not None):
        raise bad_spec(
            "training.packing with method sft needs a GPU and flash_attn: without it packed examples would see one another.",
            "Leave packing off, or install flash_attn into the trainer's Python environment.",
        )
    known = _LOSSES.get(method)
    if known is not None and spec["preference"]["loss_type"] not in known:
        raise bad_spec(f"preference.loss_type {spec['preference']['loss_type']!r} is none of {', '.join(known)}.")


def check_common(spec: dict[str, Any], has_evaluation: bool, has_gpu: bool) -> None:
    """What no engine can do. @raises RunError bad_spec"""
    training, method = spec["training"], spec["method"]
    if spec["tuning"] == "qlora" and not has_gpu and importlib.util.find_spec("bitsandbytes") is not None:
        raise bad_spec("tuning qlora needs a GPU.", "Use lora on the CPU.")
    if training.get("early_stopping_patience") is not None and not has_evaluation:
        raise bad_spec("training.early_stopping_patience needs data to evaluate with: eval_files or eval_fraction.")
    if training["packing"] and method in ("dpo", "kto"):
        raise bad_spec(f"training.packing does not go with method {method}.")
    if method == "kto" and training["batch_size"] < 2:
        raise bad_spec(
            "Method kto needs training.batch_size of at least 2, as its KL term compares the examples of a batch."
        )
    if method != "sft" and (training["assistant_only_loss"] or training.get("completion_only_loss") is not None):
        raise bad_spec("training.assistant_only_loss and completion_only_loss are for method sft.")
    _check_names(training)


def _check_names(training: dict[str, Any]) -> None:
    from transformers.training_args import OptimizerNames

    names = [one.value for one in OptimizerNames]
    if training["optimizer"] not in names:
        raise bad_spec(f"training.optimizer {training['optimizer']!r} is unknown.", _OPTIMIZER_HINT)
    save, evaluate = training.get("save_steps"), training.get("eval_steps")
    if training.get("early_stopping_patience") is None or save is None:
        return
    if evaluate is None or save % evaluate != 0:
        raise bad_spec("With early stopping training.save_steps must be a multiple of training.eval_steps.")


def learning_rate(spec: dict[str, Any]) -> float:
    """What is usual: an adapter learns ten times faster than a whole model, preferences ten times slower than answers."""
    given = spec["training"].get("learning_rate")
    if given is not None:
        return float(given)
    rate = 2e-5 if spec["tuning"] == "full" else 2e-4
    return rate / 10 if spec["method"] in ("dpo", "kto") else rate


def common_arguments(spec: dict[str, Any], folder: Path, has_evaluation: bool, has_gpu: bool) -> dict[str, Any]:
    """The arguments that do not depend on the method."""
    training = spec["training"]
    checkpointing = training.get("gradient_checkpointing")
    patience = training.get("early_stopping_patience")
    return {
        "output_dir": str(folder),
        "num_train_epochs": training["epochs"],
        "max_steps": training.get("max_steps") or -1,
        "per_device_train_batch_size": training["batch_size"],
        "per_device_eval_batch_size": training["batch_size"],
        "gradient_accumulation_steps": training["gradient_accumulation"],
        "learning_rate": learning_rate(spec),
        "lr_scheduler_type": training["scheduler"],
        # Below 1 a share of all steps.
        "warmup_steps": training["warmup"],
        "weight_decay": training["weight_decay"],
        "max_grad_norm": training["max_grad_norm"],
        "optim": training["optimizer"],
        "max_length": training["max_length"],
        "gradient_checkpointing": has_gpu if checkpointing is None else checkpointing,
        "neftune_noise_alpha": training.get("neftune_noise_alpha"),
        "seed": training["seed"],
        "data_seed": training["seed"],
        "full_determinism": training["deterministic"],
        "use_cpu": not has_gpu,
        "dataloader_pin_memory": has_gpu,
        "logging_strategy": "steps",
        "logging_steps": training["logging_steps"],
        # Else a loss that is not a number would be logged as the one before it.
        "logging_nan_inf_filter": False,
        "report_to": "none",
        "disable_tqdm": True,
        **_intervals(training, has_evaluation),
        # Older checkpoints are removed by us, when the newer one is whole.
        "save_total_limit": None,
        "save_only_model": False,
        "metric_for_best_model": "eval_loss" if has_evaluation else None,
        "greater_is_better": False if has_evaluation else None,
        "load_best_model_at_end": patience is not None,
        # Else patience would begin anew after a resume.
        "restore_callback_states_from_checkpoint": patience is not None,
    }


def _intervals(training: dict[str, Any], has_evaluation: bool) -> dict[str, Any]:
    evaluate, save = training.get("eval_steps"), training.get("save_steps")
    if training.get("early_stopping_patience") is not None and save is None:
        save = evaluate
    intervals: dict[str, Any] = {"eval_strategy": "no", "save_strategy": "epoch" if save is None else "steps"}
    if save is not None:
        intervals["save_steps"] = save
    if has_evaluation:
        intervals["eval_strategy"] = "epoch" if evaluate is None else "steps"
        if evaluate is not None:
            intervals["eval_steps"] = evaluate
    return intervals


def make_config(spec: dict[str, Any], common: dict[str, Any], precision: Precision, form: SftForm | None) -> Any:
    """SFTConfig, DPOConfig or KTOConfig. @raises ValueError for what they do not take"""
    import trl

    common = {**common, "bf16": precision.bf16, "fp16": precision.fp16}
    preference = spec["preference"]
    if spec["method"] == "dpo":
        return trl.DPOConfig(
            **common,
            beta=preference["beta"],
            loss_type=[preference["loss_type"]],
            label_smoothing=preference["label_smoothing"],
            truncation_mode="keep_start",
            disable_dropout=True,
            precompute_ref_log_probs=False,
        )
    if spec["method"] == "kto":
        return trl.KTOConfig(
            **common,
            beta=preference["beta"],
            loss_type="kto" if preference["loss_type"] == "sigmoid" else preference["loss_type"],
            desirable_weight=preference["desirable_weight"],
            undesirable_weight=preference["undesirable_weight"],
            train_sampling_strategy="sequential",
            disable_dropout=True,
            precompute_ref_log_probs=False,
        )
    return trl.SFTConfig(
        **common,
        loss_type="nll",
        packing=spec["training"]["packing"],
        packing_strategy="wrapped" if spec["method"] == "cpt" else "bfd",
        padding_free=False,
        truncation_mode="keep_start",
        shuffle_dataset=False,
        assistant_only_loss=form.assistant_only_loss if form is not None else False,
        completion_only_loss=form.completion_only_loss if form is not None else False,
    )

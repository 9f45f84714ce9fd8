"""A run's specification as arguments of LLaMA-Factory; what these cannot say is refused, and never left out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attune_trainer.models import Precision
from attune_trainer.recipes import common_arguments
from attune_trainer.spec import bad_spec

Arguments = dict[str, Any]

STAGES = {"sft": "sft", "dpo": "dpo", "kto": "kto", "cpt": "pt"}
# LLaMA-Factory has hinge, ipo and kto_pair as well, and with the TRL that it needs calculates sigmoid for each of them.
_DPO_LOSSES = ("sigmoid", "orpo", "simpo")
_KTO_LOSSES = ("sigmoid", "kto")
_DTYPES = {"float32": "fp32", "bfloat16": "bf16", "float16": "fp16"}


@dataclass(frozen=True)
class Setting:
    """Where and with what a run trains."""

    # Holds dataset_info.json and the data.
    dataset_folder: Path
    checkpoints: Path
    resume: Path | None
    has_gpu: bool
    has_evaluation: bool
    precision: Precision


def check_fields(spec: dict[str, Any]) -> None:
    """Refuses what can be seen to have no counterpart in LLaMA-Factory. @raises RunError bad_spec"""
    training = spec["training"]
    _check_lora(spec)
    _check_preference(spec["method"], spec["preference"])
    if training["assistant_only_loss"] and training.get("completion_only_loss") is not None:
        raise bad_spec("training.assistant_only_loss and training.completion_only_loss are both given; choose one.")
    if training["packing"] and spec["method"] == "sft" and training["max_length"] % 8 != 0:
        raise bad_spec(
            "training.packing with method sft needs a training.max_length that is a multiple of 8: LLaMA-Factory fills batches "
            "up to one, but not what keeps packed examples apart.",
            "Choose a multiple of 8, or leave packing off.",
        )
    if training["early_stopping_threshold"] > 0:
        raise bad_spec(
            "training.early_stopping_threshold has no counterpart in LLaMA-Factory, which stops at any lack of progress.",
            "Leave it at 0, or use engine trainer.",
        )


def _check_lora(spec: dict[str, Any]) -> None:
    if spec["tuning"] == "full" or spec.get("adapter_path") is not None:
        return
    lora = spec["lora"]
    targets = lora["target_modules"]
    if isinstance(targets, str) and targets != "all-linear":
        raise bad_spec(
            f"lora.target_modules {targets!r} is a pattern, and LLaMA-Factory takes names.",
            "Give all-linear or an array of names, such as [q_proj, v_proj].",
        )
    names = [*(targets if isinstance(targets, list) else []), *lora["modules_to_save"]]
    for name in names:
        if "," in name or name.strip() != name or name in ("", "all"):
            raise bad_spec(
                f"lora: {name!r} is no name of a module for LLaMA-Factory, which takes names with commas between."
            )
    if lora["alpha"] != int(lora["alpha"]):
        raise bad_spec("lora.alpha must be a whole number for LLaMA-Factory.", "Round it, or use engine trainer.")
    if lora["bias"] != "none":
        raise bad_spec("lora.bias has no counterpart in LLaMA-Factory.", "Leave it at none, or use engine trainer.")


def _check_preference(method: str, preference: dict[str, Any]) -> None:
    loss, smoothing = preference["loss_type"], preference["label_smoothing"]
    known = {"dpo": _DPO_LOSSES, "kto": _KTO_LOSSES}.get(method, ("sigmoid",))
    if loss not in known:
        raise bad_spec(
            f"preference.loss_type {loss!r} is not one that LLaMA-Factory calculates for method {method}: {', '.join(known)}.",
            "Use one of these, or engine trainer.",
        )
    if smoothing > 0 and (method != "dpo" or loss != "sigmoid"):
        raise bad_spec("preference.label_smoothing goes with method dpo and loss_type sigmoid in LLaMA-Factory.")
    if smoothing > 0.5:
        raise bad_spec("preference.label_smoothing is at most 0.5 in LLaMA-Factory.")
    if method != "kto" and (preference["desirable_weight"] != 1 or preference["undesirable_weight"] != 1):
        raise bad_spec("preference.desirable_weight and undesirable_weight are for method kto.")


def stored_dtype(config: dict[str, Any]) -> str | None:
    """The type of a model's weights by its config.json, as the specification names it."""
    text = config.get("text_config")
    named = config.get("dtype") or config.get("torch_dtype") or (text.get("dtype") if isinstance(text, dict) else None)
    return _DTYPES.get(named) if isinstance(named, str) else None


def check_dtype(spec: dict[str, Any], stored: str | None) -> None:
    """LLaMA-Factory keeps frozen weights as they are stored, and what is trained in float32. @raises RunError bad_spec"""
    asked, is_full = spec["model"]["dtype"], spec["tuning"] == "full"
    kept = "fp32" if is_full else stored
    how = (
        "keeps what is trained in fp32" if is_full else f"keeps the weights as they are stored ({stored or 'unknown'})"
    )
    if asked not in ("auto", kept):
        raise bad_spec(f"model.dtype {asked}: LLaMA-Factory {how}.", "Leave it at auto, or use engine trainer.")
    if spec["training"]["precision"] == "fp32" and kept != "fp32":
        raise bad_spec(
            f"training.precision fp32: LLaMA-Factory {how} and calculates with them.",
            "Use auto or bf16, or engine trainer.",
        )


def to_arguments(spec: dict[str, Any], setting: Setting) -> Arguments:
    """All arguments by name, as they stand in a YAML file for `llamafactory-cli train`."""
    training = spec["training"]
    common = common_arguments(spec, setting.checkpoints, setting.has_evaluation, setting.has_gpu)
    arguments: Arguments = {
        "stage": STAGES[spec["method"]],
        "do_train": True,
        "model_name_or_path": spec["model"]["path"],
        "trust_remote_code": spec["model"]["trust_remote_code"],
        "dataset_dir": str(setting.dataset_folder),
        "dataset": "train",
        "eval_dataset": "eval" if setting.has_evaluation else None,
        # Unset it makes one of the tokenizer's, which texts have no use for.
        "template": "empty" if spec["method"] == "cpt" else None,
        "cutoff_len": common.pop("max_length"),
        # Unset it packs documents, and always checkpoints gradients.
        "packing": training["packing"],
        "neat_packing": training["packing"] and spec["method"] == "sft",
        "disable_gradient_checkpointing": not common.pop("gradient_checkpointing"),
        "overwrite_cache": True,
        # It would go on from any checkpoint that it finds, even from one that is not whole.
        "overwrite_output_dir": True,
        "resume_from_checkpoint": str(setting.resume) if setting.resume is not None else None,
        "bf16": setting.precision.bf16,
        "fp16": setting.precision.fp16,
        "early_stopping_steps": training.get("early_stopping_patience"),
        **common,
        **_learned(training),
        **_tuning(spec),
        **_preference(spec["method"], spec["preference"]),
    }
    return {name: value for name, value in arguments.items() if value is not None}


def _learned(training: dict[str, Any]) -> Arguments:
    """By default LLaMA-Factory learns every answer of a conversation and nothing else, as assistant_only_loss asks."""
    completion_only = training.get("completion_only_loss")
    if completion_only is None:
        return {}
    return {"mask_history": True} if completion_only else {"train_on_prompt": True}


def _tuning(spec: dict[str, Any]) -> Arguments:
    if spec["tuning"] == "full":
        return {"finetuning_type": "full"}
    arguments: Arguments = {"finetuning_type": "lora", "adapter_name_or_path": spec.get("adapter_path")}
    if spec["tuning"] == "qlora":
        arguments |= {
            "quantization_bit": 4,
            "quantization_method": "bnb",
            "quantization_type": "nf4",
            "double_quantization": True,
        }
    if spec.get("adapter_path") is not None:
        return arguments
    lora = spec["lora"]
    targets = lora["target_modules"]
    return arguments | {
        "lora_rank": lora["r"],
        "lora_alpha": int(lora["alpha"]),
        "lora_dropout": float(lora["dropout"]),
        "lora_target": "all" if targets == "all-linear" else ",".join(targets),
        "additional_target": ",".join(lora["modules_to_save"]) or None,
        "use_rslora": lora["use_rslora"],
        "use_dora": lora["use_dora"],
    }


def _preference(method: str, preference: dict[str, Any]) -> Arguments:
    if method == "dpo":
        return {
            "pref_beta": preference["beta"],
            "pref_loss": preference["loss_type"],
            "dpo_label_smoothing": float(preference["label_smoothing"]),
        }
    if method == "kto":
        return {
            "pref_beta": preference["beta"],
            "kto_chosen_weight": preference["desirable_weight"],
            "kto_rejected_weight": preference["undesirable_weight"],
        }
    return {}

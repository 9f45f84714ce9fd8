"""The model and the tokenizer of a run, checked by their files before anything heavy happens."""

from __future__ import annotations

import importlib.util
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .data.to_trl import chat_template_missing
from .protocol import EXIT_ENVIRONMENT, EXIT_MODEL_LOAD, RunError
from .serving.adapter_files import adapter_mismatch, check_adapter_files
from .serving.model_files import read_model_files
from .spec import bad_spec


@dataclass(frozen=True)
class Precision:
    """`weights`: how the model is kept in memory; bf16 and fp16: what is calculated in besides."""

    weights: str
    bf16: bool
    fp16: bool


def check_files(spec: dict[str, Any]) -> None:
    """@raises RunError file_not_found, model_corrupt, adapter_mismatch, bad_spec"""
    files = read_model_files(spec["model"]["path"])
    if spec.get("adapter_path") is None:
        return
    if spec["tuning"] == "full":
        raise bad_spec(
            "adapter_path goes with tuning lora or qlora.", "Merge the adapter into its base, and tune that."
        )
    check_adapter_files(spec["adapter_path"], files)


def check_devices() -> bool:
    """
    Whether there is a GPU to train on. One that was given and cannot be used is an error, and never a reason for the CPU.

    @raises RunError gpu_unavailable, environment
    """
    import torch

    given = os.environ.get("CUDA_VISIBLE_DEVICES", "").strip()
    if torch.cuda.is_available():
        return True
    if given in ("", "-1", "NoDevFiles"):
        return False
    if torch.version.cuda is None and torch.version.hip is None:
        message = f"The run was given GPU {given}, and the installed PyTorch {torch.__version__} is built for the CPU."
        hint = "Run npm run setup:python -- --cuda on the node."
        raise RunError("environment", message, EXIT_ENVIRONMENT, hint)
    raise RunError("gpu_unavailable", f"The run was given GPU {given}, which PyTorch does not see.", EXIT_ENVIRONMENT)


def choose_precision(spec: dict[str, Any], has_gpu: bool) -> Precision:
    """On the CPU float32. On a GPU bf16 where it can, with weights in float32 for full tuning and in bf16 below an adapter."""
    import torch

    asked, dtype = spec["training"]["precision"], spec["model"]["dtype"]
    if asked == "auto":
        asked = "fp32" if not has_gpu else "bf16" if torch.cuda.is_bf16_supported() else "fp16"
    if asked == "fp16" and not has_gpu:
        raise bad_spec("training.precision fp16 needs a GPU.", "Use auto, fp32 or bf16.")
    if dtype == "auto":
        dtype = asked if has_gpu and spec["tuning"] != "full" else "fp32"
    if dtype == "fp16" and spec["tuning"] == "full":
        raise bad_spec("Full tuning in fp16 weights loses what it learns.", "Use model.dtype auto, fp32 or bf16.")
    return Precision(dtype, asked == "bf16", asked == "fp16")


def load_tokenizer(spec: dict[str, Any]) -> Any:
    """The tokenizer of the model, or that which was saved beside the adapter; with the chat template of the spec, if any."""
    from transformers import AutoTokenizer

    adapter = spec.get("adapter_path")
    is_beside_adapter = adapter is not None and (Path(adapter) / "tokenizer_config.json").is_file()
    folder = adapter if is_beside_adapter else spec["model"]["path"]
    try:
        tokenizer = AutoTokenizer.from_pretrained(
            folder, local_files_only=True, trust_remote_code=spec["model"]["trust_remote_code"]
        )
    except (ValueError, OSError, KeyError) as error:
        raise RunError(
            "model_corrupt", f"The tokenizer in {folder} cannot be loaded: {error}", EXIT_MODEL_LOAD
        ) from error
    if spec["model"].get("chat_template"):
        tokenizer.chat_template = spec["model"]["chat_template"]
    if tokenizer.eos_token is None:
        raise RunError("model_corrupt", f"The tokenizer in {folder} names no end of text.", EXIT_MODEL_LOAD)
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer


def require_chat_template(tokenizer: Any) -> None:
    """@raises RunError chat_template_missing"""
    if not tokenizer.chat_template:
        raise chat_template_missing("The data hold conversations, and the model's tokenizer has no chat template.")


def can_mark_answers(tokenizer: Any) -> bool:
    """Whether the template marks answers with {% generation %}, or TRL knows one like it that does."""
    from trl.chat_template_utils import get_training_chat_template, has_generation_markers

    if not tokenizer.chat_template:
        return False
    if has_generation_markers(tokenizer.chat_template):
        return True
    try:
        return get_training_chat_template(tokenizer) is not None
    except Exception:
        return False  # TRL knows no template like this one, or cannot render it


def load_model(spec: dict[str, Any], precision: Precision) -> Any:
    """The base model, with the adapter to go on with, if any. @raises RunError and what the libraries raise"""
    import torch
    from transformers import AutoModelForCausalLM

    dtypes = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
    options: dict[str, Any] = {"dtype": dtypes[precision.weights]}
    if spec["tuning"] == "qlora":
        options |= _quantised(dtypes["bf16" if precision.bf16 else precision.weights])
    if spec["training"]["packing"] and spec["method"] == "sft":
        options["attn_implementation"] = "flash_attention_2"
    try:
        model = AutoModelForCausalLM.from_pretrained(
            spec["model"]["path"],
            local_files_only=True,
            trust_remote_code=spec["model"]["trust_remote_code"],
            **options,
        )
    except (ValueError, KeyError) as error:
        raise _unsupported(error) from error
    return model if spec.get("adapter_path") is None else _with_adapter(model, spec["adapter_path"])


def _quantised(compute: Any) -> dict[str, Any]:
    if importlib.util.find_spec("bitsandbytes") is None:
        raise RunError(
            "environment",
            "QLoRA needs bitsandbytes, which is not installed.",
            EXIT_ENVIRONMENT,
            "Install bitsandbytes into the trainer's Python environment, or use tuning: lora.",
        )
    from transformers import BitsAndBytesConfig

    quantization = BitsAndBytesConfig(
        load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_use_double_quant=True, bnb_4bit_compute_dtype=compute
    )
    return {"quantization_config": quantization, "device_map": {"": int(os.environ.get("LOCAL_RANK", "0"))}}


def _unsupported(error: Exception) -> RunError:
    text = " ".join(str(error).split())[:600]
    hint = None
    if "trust_remote_code" in text:
        hint = "Set model.trust_remote_code if you trust the code that comes with the model."
    return RunError("unsupported_architecture", f"{type(error).__name__}: {text}", EXIT_MODEL_LOAD, hint)


def _with_adapter(model: Any, folder: str) -> Any:
    from peft import PeftModel

    try:
        return PeftModel.from_pretrained(model, folder, is_trainable=True)
    except (RuntimeError, ValueError, KeyError) as error:
        if "size mismatch" in str(error) or "not found in the base model" in str(error):
            raise adapter_mismatch(" ".join(str(error).split())[:400]) from error
        raise


def lora_config(spec: dict[str, Any]) -> Any:
    """PEFT's configuration of a new adapter, or None for full tuning and where an adapter is gone on with."""
    if spec["tuning"] == "full" or spec.get("adapter_path") is not None:
        return None
    from peft import LoraConfig

    lora = spec["lora"]
    return LoraConfig(
        r=lora["r"],
        lora_alpha=lora["alpha"],
        lora_dropout=lora["dropout"],
        target_modules=lora["target_modules"],
        modules_to_save=lora["modules_to_save"] or None,
        bias=lora["bias"],
        use_rslora=lora["use_rslora"],
        use_dora=lora["use_dora"],
        task_type="CAUSAL_LM",
    )

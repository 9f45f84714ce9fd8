"""Arguments of `vllm serve`, for the merged model or for the base with its adapter."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from attune_trainer.spec import bad_spec

TEMPLATE_FILE = "chat_template.jinja"
# Ranks that vLLM has kernels for.
_RANKS = (8, 16, 32, 64, 128, 256, 320, 512)
_DTYPES = {"auto": "auto", "bf16": "bfloat16", "fp16": "float16", "fp32": "float32"}


def check_adapter_for_vllm(config: dict[str, Any]) -> None:
    """@raises RunError bad_spec where vLLM could not load the adapter beside its base"""
    merge = "Add the target merged, whose model vLLM takes as it is."
    if config.get("modules_to_save"):
        raise bad_spec("vLLM takes no adapter that holds whole modules (modules_to_save).", merge)
    if config.get("use_dora"):
        raise bad_spec("vLLM takes no DoRA adapter.", merge)
    if _max_rank(config) is None:
        raise bad_spec(f"vLLM takes adapters up to rank {_RANKS[-1]}, and this one has {config.get('r')}.", merge)


def vllm_arguments(
    spec: dict[str, Any],
    merged: str | None,
    adapter: dict[str, Any] | None,
    context: int | None,
    *,
    has_template: bool = True,
) -> dict[str, Any]:
    """`merged`: the folder of the merged model, as seen from that of the arguments; None: base and adapter as they are."""
    options: dict[str, Any] = {
        "dtype": _DTYPES[spec["model"]["dtype"]],
        **({"chat-template": TEMPLATE_FILE} if has_template else {}),
        # The request's own settings and ours, not those that the model's files advise.
        "generation-config": "vllm",
    }
    if context is not None:
        options["max-model-len"] = context
    if spec["model"]["trust_remote_code"]:
        options["trust-remote-code"] = True
    if merged is None and adapter is not None:
        name = Path(spec["adapter_path"]).name
        options |= {
            "enable-lora": True,
            "max-lora-rank": _max_rank(adapter),
            "lora-modules": f"{name}={spec['adapter_path']}",
        }
    model = merged if merged is not None else spec["model"]["path"]
    flags = [
        part
        for name, value in options.items()
        for part in ([f"--{name}"] if value is True else [f"--{name}", str(value)])
    ]
    return {"program": "vllm", "arguments": ["serve", model, *flags], "model": model, "options": options}


def _max_rank(config: dict[str, Any]) -> int | None:
    ranks = [config.get("r", 8), *(config.get("rank_pattern") or {}).values()]
    return next((rank for rank in _RANKS if rank >= max(ranks)), None)

"""An adapter made one with its base, which then gives the same answers as both together."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attune_trainer.exporting.turns import probe_talks
from attune_trainer.protocol import EXIT_MODEL_LOAD, RunError
from attune_trainer.serving.load_model import LoadedModel, has_chat_template

# How far numbers may be apart, of the largest logit: what rounding makes of them in each type.
_TOLERANCE = {"float32": 1e-4, "bfloat16": 3e-2, "float16": 5e-3}
# Or of what the adapter changes: a merge that were wrong would miss about all of it.
_SHARE_OF_EFFECT = 0.1


@dataclass(frozen=True)
class MergeCheck:
    """Largest differences of logits: merged from base with adapter, and what the adapter changes."""

    max_logit_difference: float
    adapter_effect: float


def merge(loaded: LoadedModel) -> tuple[Any, MergeCheck | None]:
    """The merged model; without an adapter the model as it is. @raises RunError where the merged model answers otherwise"""
    from peft import PeftModel

    model = loaded.model
    if not isinstance(model, PeftModel):
        return model, None
    prompts = _prompts(loaded.tokenizer)
    expected = _logits(model, prompts)
    with model.disable_adapter():
        base = _logits(model, prompts)
    merged = model.merge_and_unload(safe_merge=True)
    check = MergeCheck(_distance(_logits(merged, prompts), expected), _distance(base, expected))
    dtype = str(next(merged.parameters()).dtype).removeprefix("torch.")
    allowed = _TOLERANCE.get(dtype, 1e-4) * max(1.0, max(float(one.abs().max()) for one in expected))
    # NaN is above every bound.
    if not (check.max_logit_difference <= max(allowed, _SHARE_OF_EFFECT * check.adapter_effect)):
        raise RunError(
            "engine_failed",
            f"The merged model answers otherwise than base and adapter: its logits differ by up to "
            f"{check.max_logit_difference:.3g}, where {allowed:.3g} is rounding.",
            EXIT_MODEL_LOAD,
            "Merge with dtype fp32, and serve the base with its adapter until then.",
        )
    return merged, check


def save_merged(model: Any, loaded: LoadedModel, folder: Path, sources: tuple[Path, ...], shard: str) -> None:
    """
    A folder as of any model of the field. `sources`: the base's folder and, where there is one, the adapter's.

    @raises RunError where the saved tokenizer would write prompts otherwise
    """
    try:
        model.save_pretrained(folder, max_shard_size=shard)
    except NotImplementedError as error:
        raise RunError(
            "unsupported_architecture", f"The library cannot write this architecture back: {error}", EXIT_MODEL_LOAD
        ) from error
    loaded.tokenizer.save_pretrained(folder)
    for source in sources:
        # llama.cpp wants SentencePiece's own file, which the library does not write again.
        pieces = source / "tokenizer.model"
        if pieces.is_file() and not (folder / pieces.name).exists():
            shutil.copyfile(pieces, folder / pieces.name)
    _write_generation_config(loaded, folder, sources[0])
    _require_same_prompts(loaded.tokenizer, folder)


def prompt_tokens(tokenizer: Any) -> list[list[int]]:
    """What a model is given in some talks that show what a template does."""
    if not has_chat_template(tokenizer):
        return [list(tokenizer(talk[-1]["content"])["input_ids"]) for talk in probe_talks()]
    return [tokens for talk in probe_talks() for tokens in _rendered(tokenizer, talk)]


def _rendered(tokenizer: Any, talk: list[dict[str, str]]) -> list[list[int]]:
    from jinja2 import TemplateError

    try:
        encoded = tokenizer.apply_chat_template(talk, add_generation_prompt=True, return_dict=True)
    except TemplateError:
        return []  # one that refuses a system's turn, for example
    return [list(encoded["input_ids"])]


def _prompts(tokenizer: Any) -> list[list[int]]:
    return [tokens for tokens in prompt_tokens(tokenizer) if tokens] or [[0]]


def _logits(model: Any, prompts: list[list[int]]) -> list[Any]:
    import torch

    device = model.get_input_embeddings().weight.device
    with torch.inference_mode():
        return [model(input_ids=torch.tensor([prompt], device=device)).logits.float().cpu() for prompt in prompts]


def _distance(one: list[Any], other: list[Any]) -> float:
    return max(float((left - right).abs().max()) for left, right in zip(one, other, strict=True))


def _write_generation_config(loaded: LoadedModel, folder: Path, base: Path) -> None:
    """That of the base, with every token that ends an answer: other programs know the ends from here only."""
    path = base / "generation_config.json"
    config = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    config["eos_token_id"] = sorted(loaded.end_tokens)
    (folder / "generation_config.json").write_text(json.dumps(config, indent=2) + "\n", "utf-8")


def _require_same_prompts(tokenizer: Any, folder: Path) -> None:
    from transformers import AutoTokenizer

    load: Callable[..., Any] = AutoTokenizer.from_pretrained
    exported = load(str(folder), local_files_only=True)
    if prompt_tokens(exported) != prompt_tokens(tokenizer):
        raise RunError("engine_failed", "The exported tokenizer would write prompts otherwise.", EXIT_MODEL_LOAD)

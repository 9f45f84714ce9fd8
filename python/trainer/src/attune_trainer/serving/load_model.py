"""A model in memory, ready to answer: checked first, then configuration, tokenizer, weights, adapter."""

from __future__ import annotations

import importlib.util
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attune_trainer.protocol import EXIT_BAD_SPEC, EXIT_ENVIRONMENT, EXIT_MODEL_LOAD, RunError
from attune_trainer.serving.adapter_files import check_adapter_files
from attune_trainer.serving.commands import Load
from attune_trainer.serving.first_line import first_line
from attune_trainer.serving.load_adapter import load_adapter
from attune_trainer.serving.model_files import ModelFiles, model_corrupt, read_model_files
from attune_trainer.serving.weights_progress import OnProgress, weights_progress

_CONTEXT_KEYS = ("max_position_embeddings", "n_positions", "max_sequence_length", "max_seq_len", "n_ctx", "seq_length")


@dataclass
class LoadedModel:
    model: Any
    tokenizer: Any
    # Tokens; None where neither the model nor the caller names a bound.
    context_length: int | None
    # Tokens that end an answer.
    end_tokens: frozenset[int]
    memory_bytes: int
    model_type: str
    device: str


def check_files(request: Load) -> ModelFiles:
    """@raises RunError what can be known of the files without importing anything heavy"""
    files = read_model_files(request.model_path)
    if request.adapter_path is not None:
        check_adapter_files(request.adapter_path, files)
    if request.quantisation != "none" and importlib.util.find_spec("bitsandbytes") is None:
        raise RunError(
            "environment",
            f"Loading with quantisation {request.quantisation} needs bitsandbytes, which is not installed.",
            EXIT_ENVIRONMENT,
            "Install bitsandbytes into the trainer's Python environment, or load with quantisation none.",
        )
    return files


def load_model(request: Load, on_progress: OnProgress) -> LoadedModel:
    """@raises RunError, and what the libraries raise"""
    on_progress("config", 0, 1)
    files = check_files(request)
    config = _load_config(request)
    context_length = _context_length(config, request.context_length)
    on_progress("config", 1, 1)
    on_progress("tokenizer", 0, 1)
    tokenizer = _load_tokenizer(request)
    on_progress("tokenizer", 1, 1)
    on_progress("weights", 0, max(1, len(files.shapes)))
    model = _load_weights(request, config, on_progress)
    if request.adapter_path is not None:
        on_progress("adapter", 0, 1)
        model = load_adapter(model, request.adapter_path)
        on_progress("adapter", 1, 1)
    model.eval()
    model.requires_grad_(False)
    ends = end_tokens(config, model.generation_config, tokenizer)
    _forget_generation_defaults(model)
    return LoadedModel(
        model=model,
        tokenizer=tokenizer,
        context_length=context_length,
        end_tokens=ends,
        memory_bytes=_memory_bytes(model),
        model_type=str(config.model_type),
        device=_device_name(model),
    )


def load_without_weights(request: Load) -> LoadedModel:
    """What is known of a model by its small files; there is no `model`, and it has no memory and no device."""
    from transformers import GenerationConfig

    check_files(request)
    config = _load_config(request)
    tokenizer = _load_tokenizer(request)
    has_own = (Path(request.model_path) / "generation_config.json").is_file()
    generation = GenerationConfig.from_pretrained(request.model_path) if has_own else GenerationConfig()
    return LoadedModel(
        model=None,
        tokenizer=tokenizer,
        context_length=_context_length(config, request.context_length),
        end_tokens=end_tokens(config, generation, tokenizer),
        memory_bytes=0,
        model_type=str(config.model_type),
        device="none",
    )


def end_tokens(config: Any, generation: Any, tokenizer: Any) -> frozenset[int]:
    """Tokens that end an answer: by the model, by the tokenizer, and the one that the chat template ends a turn with."""
    named = (generation.eos_token_id, getattr(config.get_text_config(), "eos_token_id", None), tokenizer.eos_token_id)
    ends = {id for ids in named for id in (ids if isinstance(ids, list) else [ids]) if isinstance(id, int)}
    turn_end = end_of_turn(tokenizer)
    return frozenset(ends if turn_end is None else ends | {tokenizer.convert_tokens_to_ids(turn_end)})


def end_of_turn(tokenizer: Any) -> str | None:
    """The special token that the chat template writes after an answer, where it writes one."""
    if not has_chat_template(tokenizer):
        return None
    mark = "attune"
    turns = [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": mark}]
    try:
        text = tokenizer.apply_chat_template(turns, tokenize=False)
    except Exception:
        return None  # a template that renders no such talk ends no answer in a way to be found here
    rest = text[text.rfind(mark) + len(mark) :].lstrip() if mark in text else ""
    special = [token.content for token in tokenizer.added_tokens_decoder.values() if token.special]
    return max((token for token in special if token and rest.startswith(token)), key=len, default=None)


def has_chat_template(tokenizer: Any) -> bool:
    return bool(tokenizer.chat_template)


def _load_config(request: Load) -> Any:
    from transformers import AutoConfig

    try:
        return AutoConfig.from_pretrained(
            request.model_path, local_files_only=True, trust_remote_code=request.trust_remote_code
        )
    except (ValueError, KeyError) as error:
        raise RunError("unsupported_architecture", f"{first_line(error)}", EXIT_MODEL_LOAD) from error


def _context_length(config: Any, asked: int | None) -> int | None:
    text = config.get_text_config()
    own = next((value for key in _CONTEXT_KEYS if isinstance(value := getattr(text, key, None), int)), None)
    if asked is not None and own is not None and asked > own:
        raise RunError(
            "bad_spec", f"A context of {asked} tokens was asked for, and the model has {own}.", EXIT_BAD_SPEC
        )
    return own if asked is None else asked


def _load_tokenizer(request: Load) -> Any:
    from transformers import AutoTokenizer

    # Training saves the tokenizer, with the chat template it used, beside the adapter.
    adapter = Path(request.adapter_path) if request.adapter_path is not None else None
    trained = adapter is not None and (adapter / "tokenizer_config.json").is_file()
    folder = str(adapter) if trained else request.model_path
    try:
        tokenizer = AutoTokenizer.from_pretrained(
            folder, local_files_only=True, trust_remote_code=request.trust_remote_code
        )
    except Exception as error:
        raise model_corrupt(f"The tokenizer in {folder} cannot be read: {first_line(error)}") from error
    if request.chat_template is not None:
        tokenizer.chat_template = request.chat_template
    return tokenizer


def _load_weights(request: Load, config: Any, on_progress: OnProgress) -> Any:
    import torch
    from transformers import AutoModelForCausalLM

    if config.architectures and config.is_encoder_decoder:
        raise RunError(
            "unsupported_architecture", f"{config.architectures[0]} is no causal language model.", EXIT_MODEL_LOAD
        )
    placement = _placement(torch)
    dtypes = {"auto": "auto", "bf16": torch.bfloat16, "fp16": torch.float16, "fp32": torch.float32}
    with weights_progress(on_progress):
        try:
            model, report = AutoModelForCausalLM.from_pretrained(
                request.model_path,
                config=config,
                dtype=dtypes[request.dtype],
                local_files_only=True,
                trust_remote_code=request.trust_remote_code,
                output_loading_info=True,
                **placement,
                **_quantisation(request, torch),
            )
        except ValueError as error:
            if "Unrecognized configuration class" in str(error):
                raise RunError("unsupported_architecture", first_line(error), EXIT_MODEL_LOAD) from error
            raise
    if report["missing_keys"]:
        name = sorted(report["missing_keys"])[0]
        raise model_corrupt(f"The weights lack {len(report['missing_keys'])} tensors of the model, {name} among them.")
    if "cuda" in _device_name(model) and not _is_all_on_gpus(model):
        raise RunError(
            "out_of_memory", "The model does not fit into the memory of the GPUs it was given.", EXIT_MODEL_LOAD
        )
    return model


def _placement(torch: Any) -> dict[str, Any]:
    if not torch.cuda.is_available():
        if os.environ.get("CUDA_VISIBLE_DEVICES", "") not in ("", "-1"):
            raise RunError("gpu_unavailable", "GPUs were given, and torch can use none of them.", EXIT_ENVIRONMENT)
        return {"device_map": {"": "cpu"}}
    return {"device_map": {"": 0} if torch.cuda.device_count() == 1 else "auto"}


def _quantisation(request: Load, torch: Any) -> dict[str, Any]:
    if request.quantisation == "none":
        return {}
    from transformers import BitsAndBytesConfig

    if request.quantisation == "int8":
        return {"quantization_config": BitsAndBytesConfig(load_in_8bit=True)}
    compute = {"fp16": torch.float16, "fp32": torch.float32}.get(request.dtype, torch.bfloat16)
    return {
        "quantization_config": BitsAndBytesConfig(
            load_in_4bit=True,
            bnb_4bit_quant_type="nf4",
            bnb_4bit_use_double_quant=True,
            bnb_4bit_compute_dtype=compute,
        )
    }


def _forget_generation_defaults(model: Any) -> None:
    """What the request says is what is done: a model's own sampling settings would fill what a request leaves at its default."""
    from transformers import GenerationConfig

    own = model.generation_config
    model.generation_config = GenerationConfig(
        bos_token_id=own.bos_token_id, pad_token_id=own.pad_token_id, decoder_start_token_id=own.decoder_start_token_id
    )


def _memory_bytes(model: Any) -> int:
    tensors = {tensor.data_ptr(): tensor for tensor in (*model.parameters(), *model.buffers())}
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors.values())


def _device_name(model: Any) -> str:
    return ",".join(sorted({str(parameter.device) for parameter in model.parameters()}))


def _is_all_on_gpus(model: Any) -> bool:
    return all(parameter.device.type == "cuda" for parameter in model.parameters())

"""Whether an adapter fits a base model, by the headers of their files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from attune_trainer.protocol import EXIT_MODEL_LOAD, RunError
from attune_trainer.serving.model_files import ModelFiles, file_not_found, read_json_object, read_shapes

Shape = tuple[int, ...]
_LORA = re.compile(
    r"base_model\.model\.(?P<module>.+)\.(?P<part>lora_A|lora_B|lora_embedding_A|lora_embedding_B)(\.weight)?"
)
_WHOLE = re.compile(r"base_model\.model\.(?P<module>.+)\.weight")
_LAYER = re.compile(r"\.(?:layers|h|blocks)\.(\d+)\.")


def check_adapter_files(folder: str | Path, model: ModelFiles) -> None:
    """@raises RunError file_not_found, model_corrupt, adapter_mismatch"""
    root = Path(folder)
    if not root.is_dir():
        raise file_not_found(f"There is no folder {root} on this node.")
    if not (root / "adapter_config.json").is_file():
        raise file_not_found(f"There is no adapter_config.json in {root}.")
    config = read_json_object(root / "adapter_config.json")
    weights = root / "adapter_model.safetensors"
    if not weights.is_file():
        if (root / "adapter_model.bin").is_file():
            return
        raise file_not_found(f"There is no adapter_model.safetensors in {root}.")
    shapes = read_shapes(weights)
    # Weights that were stored quantised have another form on the disk than in the model.
    if config.get("peft_type") == "LORA" and "quantization_config" not in model.config:
        problem = find_mismatch(shapes, model)
        if problem is None and not config.get("target_parameters"):
            problem = _nothing_in_common(shapes, model)
        if problem is not None:
            raise adapter_mismatch(problem, config.get("base_model_name_or_path"))


def adapter_mismatch(problem: str, made_for: object = None) -> RunError:
    origin = f" It was made for {made_for}." if isinstance(made_for, str) and made_for else ""
    return RunError("adapter_mismatch", f"The adapter does not fit the base model: {problem}.{origin}", EXIT_MODEL_LOAD)


def find_mismatch(adapter: Mapping[str, Shape], model: ModelFiles) -> str | None:
    """The first tensor of a LoRA adapter that has no place in the base; what the base's files do not name is let pass."""
    layers = model.config.get("num_hidden_layers")
    for name, shape in adapter.items():
        layer = _LAYER.search(name)
        if layer is not None and isinstance(layers, int) and int(layer.group(1)) >= layers:
            return f"it has a tensor for layer {layer.group(1)}, and the model has {layers} layers"
        if not _fits(name, shape, model.shapes):
            return f"its tensor {name} is {list(shape)}, which is not of the size of the model's"
    return None


def _nothing_in_common(adapter: Mapping[str, Shape], model: ModelFiles) -> str | None:
    low_rank = [found for name in adapter if (found := _LORA.fullmatch(name)) is not None]
    wanted = {found.group("module").rsplit(".", 1)[-1] for found in low_rank}
    known = {name.removesuffix(".weight").rsplit(".", 1)[-1] for name in model.shapes}
    if not wanted or not known or wanted & known:
        return None
    return f"it changes {', '.join(sorted(wanted)[:5])}, and the model has none of these"


def _fits(name: str, shape: Shape, base: Mapping[str, Shape]) -> bool:
    low_rank = _LORA.fullmatch(name)
    if low_rank is not None:
        weight = base.get(f"{low_rank.group('module')}.weight")
        return weight is None or _fits_low_rank(low_rank.group("part"), shape, weight)
    whole = _WHOLE.fullmatch(name)
    weight = base.get(f"{whole.group('module')}.weight") if whole is not None else None
    # Tokens may have been added to the vocabulary.
    return weight is None or (shape[1:] == weight[1:] and len(shape) > 0 and shape[0] >= weight[0])


def _fits_low_rank(part: str, shape: Shape, weight: Shape) -> bool:
    if len(shape) != 2 or len(weight) != 2:
        return len(shape) == len(weight)
    # Linear layers are stored as [out, in]; those of GPT-2 the other way round, so that one of the two must fit.
    if part in ("lora_A", "lora_embedding_A"):
        return shape[1] in weight
    return shape[0] in weight

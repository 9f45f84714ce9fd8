"""An adapter put onto its base model, every tensor of it or none."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from attune_trainer.serving.adapter_files import adapter_mismatch
from attune_trainer.serving.first_line import first_line
from attune_trainer.serving.model_files import read_shapes


def load_adapter(model: Any, folder: str) -> Any:
    """@raises RunError adapter_mismatch"""
    from peft import PeftModel

    _make_room_for_added_tokens(model, folder)
    try:
        with warnings.catch_warnings():
            # It warns where tensors are missing, and answers as if nothing were wrong.
            warnings.filterwarnings("error", message="Found missing adapter keys")
            loaded = PeftModel.from_pretrained(model, folder, is_trainable=False)
    except (UserWarning, ValueError, RuntimeError, KeyError) as error:
        if isinstance(error, RuntimeError) and "size mismatch" not in str(error):
            raise
        raise adapter_mismatch(first_line(error)) from error
    _require_all_used(loaded, folder)
    return loaded


def _make_room_for_added_tokens(model: Any, folder: str) -> None:
    file = Path(folder) / "adapter_model.safetensors"
    shapes = read_shapes(file) if file.is_file() else {}
    rows = [shape[0] for name, shape in shapes.items() if name.endswith(("embed_tokens.weight", "lm_head.weight"))]
    if rows and max(rows) > model.get_input_embeddings().weight.shape[0]:
        model.resize_token_embeddings(max(rows))


def _require_all_used(model: Any, folder: str) -> None:
    """Tensors of the adapter for which the model has no place are dropped by the library without a word."""
    from peft import get_peft_model_state_dict

    file = Path(folder) / "adapter_model.safetensors"
    if not file.is_file():
        return
    unused = set(read_shapes(file)) - set(get_peft_model_state_dict(model, save_embedding_layers=True))
    if unused:
        raise adapter_mismatch(
            f"the model has no place for {len(unused)} of its tensors, {sorted(unused)[0]} among them"
        )

"""Looks at the files of a model before anything heavy is imported: what is missing or cut off is told within milliseconds."""

from __future__ import annotations

import json
import math
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attune_trainer.protocol import EXIT_BAD_SPEC, EXIT_MODEL_LOAD, RunError

_MAX_HEADER_BYTES = 100_000_000
_LFS_POINTER = b"version https://git-lfs"
_BITS = {
    "BOOL": 8, "U8": 8, "I8": 8, "F8_E5M2": 8, "F8_E4M3": 8, "F8_E8M0": 8, "U16": 16, "I16": 16, "F16": 16, "BF16": 16,
    "U32": 32, "I32": 32, "F32": 32, "U64": 64, "I64": 64, "F64": 64, "C64": 64, "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6,
}  # fmt: skip


@dataclass(frozen=True)
class ModelFiles:
    config: dict[str, Any]
    # By name of the tensor; empty where the weights are no safetensors files.
    shapes: dict[str, tuple[int, ...]]


def model_corrupt(message: str) -> RunError:
    return RunError("model_corrupt", message, EXIT_MODEL_LOAD)


def file_not_found(message: str) -> RunError:
    return RunError("file_not_found", message, EXIT_MODEL_LOAD)


def read_model_files(folder: str | Path) -> ModelFiles:
    """@raises RunError file_not_found, model_corrupt, bad_spec"""
    root = Path(folder)
    if root.suffix == ".gguf":
        raise RunError("bad_spec", f"{root} is a GGUF file, which this engine does not read.", EXIT_BAD_SPEC)
    if not root.is_dir():
        raise file_not_found(f"There is no folder {root} on this node.")
    if not (root / "config.json").is_file():
        if (root / "adapter_config.json").is_file():
            raise RunError(
                "bad_spec",
                f"{root} holds an adapter and no base model.",
                EXIT_BAD_SPEC,
                "Give the base model as model_path and this folder as adapter_path.",
            )
        raise file_not_found(f"There is no config.json in {root}.")
    config = read_json_object(root / "config.json")
    return ModelFiles(config, _weight_shapes(root))


def read_json_object(path: Path) -> dict[str, Any]:
    """@raises RunError model_corrupt"""
    try:
        value = json.loads(path.read_bytes())
    except OSError as error:
        raise file_not_found(f"{path} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError) as error:
        raise model_corrupt(f"{path} is not JSON: {error}.") from None
    if not isinstance(value, dict):
        raise model_corrupt(f"{path} holds no JSON object.")
    return value


def read_shapes(path: Path) -> dict[str, tuple[int, ...]]:
    """
    The shape of every tensor of a safetensors file, which is seen to be as long as its header says.

    @raises RunError model_corrupt
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        prefix = file.read(8)
        if _LFS_POINTER.startswith(prefix) and prefix != b"":
            raise model_corrupt(f"{path} is the pointer of a Git LFS file, and not the file itself.")
        if len(prefix) < 8:
            raise model_corrupt(f"{path} has {size} bytes and is no safetensors file.")
        (header_bytes,) = struct.unpack("<Q", prefix)
        if header_bytes > min(_MAX_HEADER_BYTES, size - 8):
            raise model_corrupt(f"{path} has {size} bytes, and its header alone would take {header_bytes}.")
        header = _parse_header(path, file.read(header_bytes))
    data_bytes = size - 8 - header_bytes
    spans = sorted((_span(path, name, tensor), name) for name, tensor in header.items())
    end = 0
    for (start, stop), name in spans:
        if start != end:
            raise model_corrupt(f"{path}: tensor {name} begins at byte {start}, where {end} was to come.")
        end = stop
    if end != data_bytes:
        raise model_corrupt(f"{path} is cut off or too long: its tensors take {end} bytes, and {data_bytes} are there.")
    return {name: tuple(tensor["shape"]) for name, tensor in header.items()}


def _parse_header(path: Path, text: bytes) -> dict[str, dict[str, Any]]:
    try:
        header = json.loads(text)
    except (ValueError, RecursionError):
        raise model_corrupt(f"The header of {path} is not JSON.") from None
    if not isinstance(header, dict):
        raise model_corrupt(f"The header of {path} is not a JSON object.")
    header.pop("__metadata__", None)
    return header


def _span(path: Path, name: str, tensor: Any) -> tuple[int, int]:
    try:
        start, stop = tensor["data_offsets"]
        bits = _BITS.get(tensor["dtype"])
        numbers = math.prod(tensor["shape"])
        whole = all(isinstance(number, int) and number >= 0 for number in (start, stop, *tensor["shape"]))
    except (KeyError, TypeError, ValueError):
        raise model_corrupt(f"The header of {path} does not describe tensor {name}.") from None
    if not whole or stop < start or (bits is not None and (stop - start) * 8 != numbers * bits):
        raise model_corrupt(f"{path}: tensor {name} has other bytes than its shape and type need.")
    return start, stop


def _weight_shapes(root: Path) -> dict[str, tuple[int, ...]]:
    index = root / "model.safetensors.index.json"
    if index.is_file():
        return _sharded_shapes(root, index)
    if (root / "model.safetensors").is_file():
        return read_shapes(root / "model.safetensors")
    if (root / "pytorch_model.bin").is_file() or (root / "pytorch_model.bin.index.json").is_file():
        return {}
    raise file_not_found(f"There are no weights in {root}: neither model.safetensors nor its index.")


def _sharded_shapes(root: Path, index: Path) -> dict[str, tuple[int, ...]]:
    weight_map = read_json_object(index).get("weight_map")
    if not isinstance(weight_map, dict) or not all(isinstance(name, str) for name in weight_map.values()):
        raise model_corrupt(f"{index} names no weights.")
    shapes: dict[str, tuple[int, ...]] = {}
    for name in sorted(set(weight_map.values())):
        if Path(name).name != name:
            raise model_corrupt(f"{index} names a file outside its folder: {name!r}.")
        if not (root / name).is_file():
            raise model_corrupt(f"{root / name} is missing, which {index.name} names.")
        shapes.update(read_shapes(root / name))
    missing = [name for name in weight_map if name not in shapes]
    if missing:
        raise model_corrupt(f"Tensor {missing[0]}, which {index.name} names, is in none of the files.")
    return shapes

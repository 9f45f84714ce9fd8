"""What is wrong with a model's files is told from their headers."""

import json
import math
import struct
import tempfile
import unittest
from collections.abc import Mapping
from pathlib import Path

from attune_trainer.protocol import RunError
from attune_trainer.serving.adapter_files import check_adapter_files
from attune_trainer.serving.model_files import read_model_files, read_shapes

PROJECTION = "model.layers.0.self_attn.q_proj"
SHAPES = {"model.embed_tokens.weight": (10, 4), f"{PROJECTION}.weight": (6, 4)}


def safetensors(shapes: Mapping[str, tuple[int, ...]]) -> bytes:
    header, end = {}, 0
    for name, shape in shapes.items():
        start, end = end, end + math.prod(shape) * 4
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [start, end]}
    return with_header(json.dumps(header).encode(), bytes(end))


def with_header(header: bytes, data: bytes = b"") -> bytes:
    return struct.pack("<Q", len(header)) + header + data


class Folder(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.root = Path(holder.name)
        self.model = self.root / "model"
        self.model.mkdir()
        self.write("config.json", json.dumps({"model_type": "llama", "num_hidden_layers": 1}).encode())
        self.write("model.safetensors", safetensors(SHAPES))

    def write(self, name: str, data: bytes) -> None:
        (self.model / name).write_bytes(data)

    def failure(self, action, *arguments) -> RunError:
        with self.assertRaises(RunError) as caught:
            action(*arguments)
        return caught.exception


class ModelFilesTest(Folder):
    def test_knows_a_whole_model(self) -> None:
        files = read_model_files(self.model)
        self.assertEqual(files.shapes, SHAPES)
        self.assertEqual(files.config["model_type"], "llama")

    def test_knows_a_model_in_several_files(self) -> None:
        (self.model / "model.safetensors").unlink()
        names = {name: f"part-{index}.safetensors" for index, name in enumerate(SHAPES)}
        for name, file in names.items():
            self.write(file, safetensors({name: SHAPES[name]}))
        self.write("model.safetensors.index.json", json.dumps({"weight_map": names}).encode())
        self.assertEqual(read_model_files(self.model).shapes, SHAPES)
        self.write("part-1.safetensors", safetensors({"other": (1,)}))
        self.assertEqual(self.failure(read_model_files, self.model).code, "model_corrupt")
        (self.model / "part-1.safetensors").unlink()
        missing = self.failure(read_model_files, self.model)
        self.assertEqual((missing.code, "part-1" in missing.message), ("model_corrupt", True))

    def test_leaves_no_folder_for_the_files_of_an_index(self) -> None:
        self.write("model.safetensors.index.json", json.dumps({"weight_map": {"a": "../secret"}}).encode())
        self.assertEqual(self.failure(read_model_files, self.model).code, "model_corrupt")

    def test_tells_a_file_that_was_cut_off_at_any_byte(self) -> None:
        data = safetensors(SHAPES)
        for length in [*range(0, 40), len(data) // 2, len(data) - 1]:
            self.write("model.safetensors", data[:length])
            with self.subTest(length=length):
                self.assertEqual(self.failure(read_model_files, self.model).code, "model_corrupt")
        self.write("model.safetensors", data + b"\0")
        self.assertEqual(self.failure(read_model_files, self.model).code, "model_corrupt")

    def test_tells_headers_that_lie(self) -> None:
        tensor = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
        headers = [
            b"[]",
            b"nonsense",
            b"[" * 200_000,
            *(
                json.dumps(header).encode()
                for header in (
                    {"a": {}},
                    {"a": 5},
                    {"a": {**tensor, "shape": [3]}},
                    {"a": {**tensor, "shape": [-2]}},
                    {"a": {**tensor, "shape": ["2"]}},
                    {"a": {**tensor, "data_offsets": [8, 0]}},
                    {"a": {**tensor, "data_offsets": [0]}},
                    {"a": tensor, "b": tensor},
                )
            ),
        ]
        for header in headers:
            self.write("model.safetensors", with_header(header, bytes(8)))
            with self.subTest(header=header[:60]):
                self.assertEqual(self.failure(read_model_files, self.model).code, "model_corrupt")

    def test_says_of_a_git_lfs_pointer_that_it_is_one(self) -> None:
        self.write("model.safetensors", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n")
        self.assertIn("Git LFS", self.failure(read_model_files, self.model).message)

    def test_tells_what_is_not_there(self) -> None:
        self.assertEqual(self.failure(read_model_files, self.root / "none").code, "file_not_found")
        self.write("config.json", b"{")
        self.assertEqual(self.failure(read_model_files, self.model).code, "model_corrupt")
        (self.model / "config.json").unlink()
        self.assertEqual(self.failure(read_model_files, self.model).code, "file_not_found")
        self.write("adapter_config.json", b"{}")
        adapter = self.failure(read_model_files, self.model)
        self.assertEqual((adapter.code, "adapter_path" in (adapter.hint or "")), ("bad_spec", True))

    def test_reads_what_the_library_wrote(self) -> None:
        import numpy
        from safetensors.numpy import save_file

        arrays = {"b": numpy.zeros((2, 3), numpy.float16), "a": numpy.zeros(5, numpy.int64), "e": numpy.zeros((0, 2))}
        save_file(arrays, self.model / "model.safetensors", {"format": "pt"})
        self.assertEqual(read_shapes(self.model / "model.safetensors"), {"b": (2, 3), "a": (5,), "e": (0, 2)})


class AdapterFilesTest(Folder):
    def adapter(self, shapes: Mapping[str, tuple[int, ...]], **config: object) -> Path:
        folder = self.root / "adapter"
        folder.mkdir(exist_ok=True)
        given = {"peft_type": "LORA", "base_model_name_or_path": "/other/base", **config}
        (folder / "adapter_config.json").write_text(json.dumps(given))
        data = safetensors({f"base_model.model.{name}": shape for name, shape in shapes.items()})
        (folder / "adapter_model.safetensors").write_bytes(data)
        return folder

    def check(self, shapes: Mapping[str, tuple[int, ...]], **config: object) -> None:
        check_adapter_files(self.adapter(shapes, **config), read_model_files(self.model))

    def test_takes_one_that_fits(self) -> None:
        self.check({f"{PROJECTION}.lora_A.weight": (2, 4), f"{PROJECTION}.lora_B.weight": (6, 2)})
        self.check({"model.embed_tokens.lora_embedding_A": (2, 10), "model.embed_tokens.lora_embedding_B": (4, 2)})
        self.check({"model.embed_tokens.weight": (12, 4)})

    def test_tells_one_of_another_size(self) -> None:
        for shapes in (
            {f"{PROJECTION}.lora_A.weight": (2, 5)},
            {f"{PROJECTION}.lora_B.weight": (7, 2)},
            {f"{PROJECTION}.lora_A.weight": (2,)},
            {"model.embed_tokens.weight": (10, 5)},
            {"model.embed_tokens.weight": (9, 4)},
            {"model.layers.1.self_attn.q_proj.lora_A.weight": (2, 4)},
            {"transformer.attn.c_attn.lora_A.weight": (2, 4)},
        ):
            with self.subTest(shapes=shapes):
                failure = self.failure(self.check, shapes)
                self.assertEqual(failure.code, "adapter_mismatch")
                self.assertIn("/other/base", failure.message)

    def test_tells_a_damaged_one_and_one_that_is_not_there(self) -> None:
        folder = self.adapter({f"{PROJECTION}.lora_A.weight": (2, 4)})
        file = folder / "adapter_model.safetensors"
        file.write_bytes(file.read_bytes()[:-1])
        files = read_model_files(self.model)
        self.assertEqual(self.failure(check_adapter_files, folder, files).code, "model_corrupt")
        file.unlink()
        self.assertEqual(self.failure(check_adapter_files, folder, files).code, "file_not_found")
        self.assertEqual(self.failure(check_adapter_files, self.root / "none", files).code, "file_not_found")


if __name__ == "__main__":
    unittest.main()

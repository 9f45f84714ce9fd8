"""One export from its specification to its artifacts: first everything that could be missing, then the work."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from attune_trainer.artifacts import list_artifacts, publish
from attune_trainer.exporting import llama_cpp
from attune_trainer.exporting.ollama import modelfile
from attune_trainer.exporting.vllm import TEMPLATE_FILE, check_adapter_for_vllm, vllm_arguments
from attune_trainer.protocol import EXIT_DISK_FULL, RunError
from attune_trainer.reporter import Reporter, installed_versions
from attune_trainer.serving.commands import Load
from attune_trainer.serving.load_model import check_files
from attune_trainer.serving.model_files import read_json_object
from attune_trainer.spec import bad_spec, load_spec

RECORD = "export.json"
# Weights are written whole each time; the rest is small beside them.
_MARGIN = 1.1


def export(folder: Path, reporter: Reporter) -> None:
    """@raises RunError, Stopped, and what the libraries raise"""
    spec = load_spec(folder, "export")
    run = _Export(folder, spec, reporter)
    run.check()
    run.work()


class _Export:
    def __init__(self, folder: Path, spec: dict[str, Any], reporter: Reporter) -> None:
        self._folder = folder
        self._draft = folder / "output.draft"
        self._spec = spec
        self._reporter = reporter
        self._targets = set(spec["targets"])
        self._model = Path(spec["model"]["path"])
        self._adapter = Path(spec["adapter_path"]) if spec.get("adapter_path") is not None else None
        self._adapter_config: dict[str, Any] | None = None
        # Ollama reads a folder of safetensors, too.
        self._keeps_merged = "merged" in self._targets or ("ollama" in self._targets and "gguf" not in self._targets)
        self._gguf = f"model-{spec['gguf_type']}.gguf"

    def check(self) -> None:
        """Everything that can be known before the first heavy step."""
        if int(self._spec["max_shard_size"][:-2]) == 0:
            raise bad_spec("max_shard_size is 0.")
        files = check_files(self._request())
        if self._adapter is None and "gguf_lora" in self._targets:
            raise bad_spec("Target gguf_lora needs adapter_path.")
        if "quantization_config" in files.config and self._needs_merge():
            message = "The base model is quantised, and an adapter cannot be merged into it without loss."
            raise bad_spec(message, "Give the model that was quantised, in its original form, as model.path.")
        if self._adapter is not None:
            self._adapter_config = read_json_object(self._adapter / "adapter_config.json")
            if "vllm" in self._targets and not self._keeps_merged:
                check_adapter_for_vllm(self._adapter_config)
        scripts = {"gguf": llama_cpp.MODEL_SCRIPT, "gguf_lora": llama_cpp.LORA_SCRIPT}
        llama_cpp.require_converters({script for target, script in scripts.items() if target in self._targets})
        self._require_space()

    def work(self) -> None:
        shutil.rmtree(self._draft, ignore_errors=True)
        self._draft.mkdir()
        loaded = self._load()
        check = self._merge(loaded) if self._needs_merge() else None
        self._convert()
        self._describe(loaded)
        self._write_record(check)
        with self._reporter.phase("save"):
            shutil.rmtree(self._draft / "unkept", ignore_errors=True)
            publish(self._draft, self._folder / "output")
            for artifact in list_artifacts(self._folder / "output", self._folder):
                self._reporter.emit("artifact", **{**vars(artifact), "role": _role(artifact.path, artifact.role)})
        if check is not None:
            self._reporter.emit("result", metrics=vars(check), path=f"output/{RECORD}")

    def _needs_merge(self) -> bool:
        is_changed = self._adapter is not None or self._spec["model"].get("chat_template") is not None
        return self._keeps_merged or ("gguf" in self._targets and is_changed)

    def _merged(self) -> Path:
        return self._draft / ("merged" if self._keeps_merged else "unkept/merged")

    def _request(self) -> Load:
        model = self._spec["model"]
        return Load(
            model["path"],
            self._spec.get("adapter_path"),
            model["dtype"],
            chat_template=model.get("chat_template"),
            trust_remote_code=model["trust_remote_code"],
        )

    def _require_space(self) -> None:
        weights = sum(path.stat().st_size for path in self._model.glob("*.safetensors"))
        copies = int(self._needs_merge()) + int("gguf" in self._targets)
        free = shutil.disk_usage(self._folder).free
        if weights * copies * _MARGIN > free:
            needed = int(weights * copies * _MARGIN)
            raise RunError("disk_full", f"The export needs {needed} bytes, and {free} are free.", EXIT_DISK_FULL)

    def _load(self) -> Any:
        """The whole model where it is merged; else only what speaks of prompts."""
        from attune_trainer.serving.load_model import load_model, load_without_weights

        with self._reporter.phase("model"):
            if self._needs_merge():
                return load_model(self._request(), self._tell_load)
            return load_without_weights(self._request())

    def _tell_load(self, stage: str, current: int, total: int) -> None:
        if stage == "weights" and current in (0, total):
            self._reporter.emit("progress", phase="model", current=current, total=total, unit="tensors")

    def _merge(self, loaded: Any) -> Any:
        from attune_trainer.exporting.merge import merge, save_merged

        with self._reporter.phase("merge"):
            model, check = merge(loaded)
            sources = (self._model, *([] if self._adapter is None else [self._adapter]))
            self._merged().mkdir(parents=True)
            save_merged(model, loaded, self._merged(), sources, self._spec["max_shard_size"])
        return check

    def _convert(self) -> None:
        jobs: list[tuple[str, list[str]]] = []
        if "gguf" in self._targets:
            source = self._merged() if self._needs_merge() else self._model
            out = str(self._draft / self._gguf)
            jobs.append((llama_cpp.MODEL_SCRIPT, [str(source), "--outfile", out, "--outtype", self._spec["gguf_type"]]))
        if "gguf_lora" in self._targets:
            out = ["--outfile", str(self._draft / "adapter.gguf"), "--outtype", self._spec["gguf_type"]]
            jobs.append((llama_cpp.LORA_SCRIPT, ["--base", str(self._model), *out, str(self._adapter)]))
        if not jobs:
            return
        with self._reporter.phase("convert"):
            for done, (script, arguments) in enumerate(jobs):
                self._reporter.emit("progress", phase="convert", current=done, total=len(jobs), unit="files")
                llama_cpp.convert(script, arguments)
            self._reporter.emit("progress", phase="convert", current=len(jobs), total=len(jobs), unit="files")

    def _describe(self, loaded: Any) -> None:
        tokenizer = loaded.tokenizer
        template = tokenizer.get_chat_template() if tokenizer.chat_template else None
        if "ollama" in self._targets:
            ends = [tokenizer.convert_ids_to_tokens(end) for end in sorted(loaded.end_tokens)]
            weights = f"../{self._gguf}" if "gguf" in self._targets else "../merged"
            files = {"Modelfile": modelfile(weights, tokenizer, ends), TEMPLATE_FILE: template}
            self._write("ollama", files)
        if "vllm" in self._targets:
            merged = "../merged" if self._keeps_merged else None
            arguments = vllm_arguments(
                self._spec, merged, self._adapter_config, loaded.context_length, has_template=template is not None
            )
            if template is None:
                self._reporter.warn("The model has no chat template, so that vLLM answers no chats with it.")
            self._write("vllm", {"vllm.json": json.dumps(arguments, indent=2) + "\n", TEMPLATE_FILE: template})

    def _write(self, name: str, files: dict[str, str | None]) -> None:
        (self._draft / name).mkdir()
        for file, text in files.items():
            if text is not None:
                (self._draft / name / file).write_text(text, "utf-8")

    def _write_record(self, check: Any) -> None:
        record = {
            "model": str(self._model),
            "adapter": None if self._adapter is None else str(self._adapter),
            "targets": sorted(self._targets),
            "merge_check": None if check is None else vars(check),
            "versions": installed_versions(),
        }
        (self._draft / RECORD).write_text(json.dumps(record, indent=2) + "\n", "utf-8")


def _role(path: str, usual: str) -> str:
    if path.endswith(".gguf"):
        return "gguf"
    return "config" if path.endswith(("Modelfile", "vllm.json", RECORD)) else usual

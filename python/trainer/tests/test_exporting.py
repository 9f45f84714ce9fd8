"""What exports say to other programs is what the model was trained with."""

import json
import os
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from attune_trainer.evaluating.run_worker import run
from attune_trainer.exporting.export_run import export
from attune_trainer.exporting.ollama import modelfile
from attune_trainer.exporting.turns import probe_talks, take_apart
from attune_trainer.exporting.vllm import check_adapter_for_vllm, vllm_arguments
from attune_trainer.protocol import RunError
from attune_trainer.testing.tiny_model import make_tokenizer

from . import run_kit

CHATML_WITH_DEFAULT = (
    "{%- if messages[0]['role'] != 'system' %}<|im_start|>system\nYou are a helper.<|im_end|>\n{% endif %}"
    "{%- for m in messages %}{{- '<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>\n' }}{%- endfor %}"
    "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\n' }}{%- endif %}"
)
WITH_BEGINNING = (
    "{{- bos_token }}{%- for m in messages %}{{- '[' + m['role'] + ']' + m['content'] + '<|im_end|>' }}{%- endfor %}"
    "{%- if add_generation_prompt %}{{- '[assistant]' }}{%- endif %}"
)
SYSTEM_INSIDE_QUESTION = (
    "{%- for m in messages %}{%- if m['role'] == 'user' %}{{- '[INST]' }}"
    "{%- if loop.index0 == 1 and messages[0]['role'] == 'system' %}{{- '<<' + messages[0]['content'] + '>>' }}{%- endif %}"
    "{{- m['content'] + '[/INST]' }}{%- elif m['role'] == 'assistant' %}{{- m['content'] + '</s>' }}{%- endif %}{%- endfor %}"
)
COUNTS_TURNS = (
    "{%- for m in messages %}{{- loop.index ~ m['role'] + ':' + m['content'] + '\n' }}{%- endfor %}"
    "{%- if add_generation_prompt %}{{- 'assistant:' }}{%- endif %}"
)


def tokenizer_with(template: str | None = None, bos: str | None = None) -> Any:
    tokenizer = make_tokenizer()
    if template is not None:
        tokenizer.chat_template = template
    if bos is not None:
        tokenizer.bos_token = bos
    return tokenizer


class Turns(unittest.TestCase):
    def test_a_template_that_puts_texts_around_turns_is_taken_apart(self) -> None:
        for template, bos in ((None, None), (CHATML_WITH_DEFAULT, None), (WITH_BEGINNING, "<|endoftext|>")):
            tokenizer = tokenizer_with(template, bos)
            turns = take_apart(tokenizer)
            self.assertIsNotNone(turns)
            for talk in probe_talks():
                rendered = tokenizer.apply_chat_template(talk, tokenize=False, add_generation_prompt=True)
                self.assertEqual(turns.render(talk), rendered)

    def test_what_it_says_by_default_is_found(self) -> None:
        self.assertEqual(take_apart(tokenizer_with(CHATML_WITH_DEFAULT)).default_system, "You are a helper.")
        self.assertIsNone(take_apart(tokenizer_with()).default_system)

    def test_one_that_does_more_is_not(self) -> None:
        for template in (
            SYSTEM_INSIDE_QUESTION,
            COUNTS_TURNS,
            "{{ messages[99]['content'] }}",
            "{{ raise_exception('no') }}",
        ):
            self.assertIsNone(take_apart(tokenizer_with(template)))


class Modelfiles(unittest.TestCase):
    def test_says_how_turns_are_written_and_what_ends_them(self) -> None:
        text = modelfile("../m.gguf", tokenizer_with(CHATML_WITH_DEFAULT), ["<|im_end|>", 'a"b\\'])
        self.assertTrue(text.startswith('FROM ../m.gguf\nTEMPLATE """{{ range .Messages }}'))
        self.assertIn('{{ if eq .Role "system" }}<|im_start|>system\n{{ .Content }}<|im_end|>\n', text)
        self.assertIn('{{ end }}{{ end }}<|im_start|>assistant\n"""', text)
        self.assertIn('SYSTEM """You are a helper."""', text)
        self.assertIn('PARAMETER stop "<|im_end|>"\nPARAMETER stop "a\\"b\\\\"\n', text)

    def test_leaves_out_the_token_that_begins_a_text(self) -> None:
        self.assertIn('TEMPLATE """{{ range', modelfile("m", tokenizer_with(WITH_BEGINNING, "<|endoftext|>"), []))

    def test_says_so_where_a_template_cannot_be_written(self) -> None:
        for template in (SYSTEM_INSIDE_QUESTION, WITH_BEGINNING.replace("[' +", "{{ ' +")):
            text = modelfile("m", tokenizer_with(template, "<|endoftext|>"), [])
            self.assertNotIn("TEMPLATE", text)
            self.assertIn("# The chat template", text)


class Vllm(unittest.TestCase):
    def spec(self, **model: Any) -> dict[str, Any]:
        return {
            "model": {"path": "/base", "dtype": "bf16", "trust_remote_code": False, **model},
            "adapter_path": "/runs/1/output",
        }

    def test_serves_the_merged_model_or_the_base_with_its_adapter(self) -> None:
        merged = vllm_arguments(self.spec(), "../merged", {"r": 16}, 4096)
        self.assertEqual(merged["arguments"][:4], ["serve", "../merged", "--dtype", "bfloat16"])
        self.assertNotIn("--enable-lora", merged["arguments"])
        both = vllm_arguments(self.spec(trust_remote_code=True), None, {"r": 10, "rank_pattern": {"q_proj": 20}}, None)
        self.assertEqual((both["model"], both["options"]["max-lora-rank"]), ("/base", 32))
        self.assertIn("output=/runs/1/output", both["arguments"])
        self.assertEqual([flag for flag in both["arguments"] if flag in ("--enable-lora", "True")], ["--enable-lora"])

    def test_refuses_adapters_that_it_cannot_load(self) -> None:
        for config in ({"r": 8, "modules_to_save": ["lm_head"]}, {"r": 8, "use_dora": True}, {"r": 1024}):
            with self.subTest(config=config), self.assertRaises(RunError) as caught:
                check_adapter_for_vllm(config)
            self.assertEqual(caught.exception.code, "bad_spec")


class Export(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        import torch
        from peft import LoraConfig, get_peft_model
        from transformers import AutoModelForCausalLM

        base = AutoModelForCausalLM.from_pretrained(run_kit.tiny_model(), dtype=torch.float32)
        config = LoraConfig(r=4, target_modules="all-linear", task_type="CAUSAL_LM", init_lora_weights=False)
        cls.adapter = run_kit.scratch() / "adapter"
        torch.manual_seed(0)
        get_peft_model(base, config).save_pretrained(cls.adapter)

    def export(self, code: int, **spec: Any) -> Path:
        folder = run_kit.make_run([], name="export")
        full = {"kind": "export", "model": {"path": run_kit.tiny_model()}, "adapter_path": str(self.adapter), **spec}
        given = {name: value for name, value in full.items() if value is not None}
        (folder / "spec.json").write_text(json.dumps(given))
        self.assertEqual(run(folder, export), code)
        return folder

    def test_tells_before_any_work_that_a_converter_is_not_there(self) -> None:
        for value, word in (
            ("", "ATTUNE_LLAMA_CPP does not say"),
            ("/nowhere", "no convert_hf_to_gguf.py in /nowhere"),
        ):
            with mock.patch.dict(os.environ, {"ATTUNE_LLAMA_CPP": value}):
                folder = self.export(7, targets=["gguf", "merged"])
            error = run_kit.only(folder, "error")
            self.assertEqual(error["code"], "environment")
            self.assertIn(word, error["message"])
            self.assertIn("llama.cpp", error["hint"])
            self.assertEqual([event["type"] for event in run_kit.events(folder)], ["hello", "error", "done"])
            self.assertFalse((folder / "output").exists() or (folder / "output.draft").exists())

    def test_tells_a_converter_that_cannot_be_run(self) -> None:
        llama = run_kit.scratch() / "llama"
        llama.mkdir()
        (llama / "convert_lora_to_gguf.py").write_text("import no_such_module_at_all\n")
        with mock.patch.dict(os.environ, {"ATTUNE_LLAMA_CPP": str(llama)}):
            folder = self.export(7, targets=["gguf_lora"])
        self.assertIn("No module named 'no_such_module_at_all'", run_kit.only(folder, "error")["message"])

    def test_refuses_what_goes_against_itself(self) -> None:
        without = {"targets": ["gguf_lora"], "adapter_path": None}
        for spec in (without, {"targets": ["merged"], "max_shard_size": "0GB"}, {"targets": []}, {"targets": ["onnx"]}):
            folder = self.export(2, **spec)
            self.assertEqual(run_kit.only(folder, "error")["code"], "bad_spec")

    def test_writes_several_files_where_one_would_be_too_large_and_lists_them_all(self) -> None:
        folder = self.export(0, targets=["merged", "vllm"], max_shard_size="1MB")
        listed = {event["path"]: event for event in run_kit.events(folder, "artifact")}
        there = {str(path.relative_to(folder)) for path in (folder / "output").rglob("*") if path.is_file()}
        self.assertEqual(set(listed), there)
        self.assertEqual(listed["output/vllm/vllm.json"]["role"], "config")
        self.assertLessEqual(run_kit.only(folder, "result")["metrics"]["max_logit_difference"], 1e-3)
        self.assertGreater(run_kit.only(folder, "result")["metrics"]["adapter_effect"], 1e-3)

    def test_without_weights_to_merge_none_are_loaded(self) -> None:
        folder = self.export(0, targets=["vllm"])
        arguments = json.loads((folder / "output/vllm/vllm.json").read_text())
        self.assertEqual(arguments["model"], run_kit.tiny_model())
        self.assertTrue(arguments["options"]["enable-lora"])
        self.assertEqual(run_kit.events(folder, "progress"), [])

    def test_without_a_chat_template_the_arguments_name_none(self) -> None:
        model = {"path": run_kit.tiny_model(has_template=False)}
        folder = self.export(0, targets=["vllm"], adapter_path=None, model=model)
        text = (folder / "output/vllm/vllm.json").read_text()
        self.assertNotIn("chat-template", text)
        self.assertEqual([path.name for path in (folder / "output/vllm").iterdir()], ["vllm.json"])

    def test_a_merge_that_answers_otherwise_is_not_written(self) -> None:
        with mock.patch("peft.PeftModel.merge_and_unload", lambda model, **_: model.unload(), create=True):
            folder = self.export(4, targets=["merged"])
        error = run_kit.only(folder, "error")
        self.assertIn("The merged model answers otherwise", error["message"])
        self.assertFalse((folder / "output").exists())


if __name__ == "__main__":
    unittest.main()

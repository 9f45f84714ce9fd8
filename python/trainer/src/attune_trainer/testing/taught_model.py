"""
Writes tiny models that know a few answers by heart: `python -m attune_trainer.testing.taught_model FOLDER`.

FOLDER/base answers as BASE_ANSWERS say; FOLDER/adapter is a LoRA adapter of it that answers as ADAPTER_ANSWERS say. pieces and
pieces-adapter are the same with a tokenizer like SentencePiece's, which llama.cpp reads, too. endless and pieces-endless never
end an answer, and write letters with equal chances. What cannot be loaded or used: other-adapter (made for a model of another
size), no-template, not-a-number.
FOLDER/whole.json tells what the library itself generates for each question, greedily, with and without the adapter.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path
from typing import Any

from attune_trainer.testing.tiny_model import CHAT_TEMPLATE, make_model, make_tokenizer, write_tiny_model

BASE_ANSWERS = {
    "What is the capital of France?": "The capital of France is Paris.",
    "模型拒绝了什么？": "模型拒绝了这个请求。👍🏽",
    "Say it.": "naïve café, 👩‍👩‍👧‍👦 und Übermut",
}
# Of the same tokens: what the frozen last layer has never written, an adapter cannot make it write.
ADAPTER_ANSWERS = {
    "What is the capital of France?": "模型拒绝了这个请求。👍🏽",
    "模型拒绝了什么？": "naïve café, 👩‍👩‍👧‍👦 und Übermut",
    "Say it.": "The capital of France is Paris.",
}
_MOST_STEPS = 600
# Heads of 32, the smallest that vLLM knows on the CPU.
_HIDDEN = 128


def teach(model: Any, tokenizer: Any, answers: dict[str, str], learning_rate: float) -> None:
    """Until every answer is known by heart. @raises RuntimeError where that does not come about"""
    import torch

    examples = [_example(tokenizer, question, answer) for question, answer in answers.items()]
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimiser = torch.optim.AdamW(parameters, lr=learning_rate, weight_decay=0.0)
    model.train()
    for _ in range(_MOST_STEPS):
        losses = [model(input_ids=ids, labels=labels).loss for ids, labels in examples]
        worst = max(float(loss) for loss in losses)
        if worst < 0.003:
            model.eval()
            return
        sum(losses).backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimiser.step()
        optimiser.zero_grad()
    raise RuntimeError(f"The tiny model has not learned its answers: the worst loss is {worst}.")


def _example(tokenizer: Any, question: str, answer: str) -> tuple[Any, Any]:
    import torch

    prompt = _prompt_ids(tokenizer, question)
    ids = prompt + tokenizer(answer + tokenizer.eos_token)["input_ids"]
    labels = [-100] * len(prompt) + ids[len(prompt) :]
    return torch.tensor([ids]), torch.tensor([labels])


def _prompt_ids(tokenizer: Any, question: str) -> list[int]:
    turns = [{"role": "user", "content": question}]
    return list(tokenizer.apply_chat_template(turns, add_generation_prompt=True, return_dict=True)["input_ids"])


def _generated(model: Any, tokenizer: Any, question: str) -> dict[str, Any]:
    import torch

    prompt = _prompt_ids(tokenizer, question)
    ids = model.generate(input_ids=torch.tensor([prompt]), max_new_tokens=80, do_sample=False)[0][
        len(prompt) :
    ].tolist()
    text = tokenizer.decode(ids, skip_special_tokens=True)
    return {"text": text, "prompt_tokens": len(prompt), "completion_tokens": len(ids)}


def piece_tokenizer() -> Any:
    """As those of Llama 2 and Gemma: pieces of text, and bytes for what has none."""
    from tokenizers import Tokenizer, decoders, models, normalizers
    from transformers import PreTrainedTokenizerFast

    letters = "▁abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.,:;!?'-"
    pieces = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *letters]
    vocabulary = {piece: id for id, piece in enumerate(pieces)}
    backend = Tokenizer(models.BPE(vocabulary, [], unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    backend.normalizer = normalizers.Replace(" ", "▁")
    backend.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    fast = PreTrainedTokenizerFast(
        tokenizer_object=backend,
        unk_token="<unk>",
        eos_token="<|im_end|>",
        pad_token="</s>",
        additional_special_tokens=["<|im_start|>"],
        add_prefix_space=False,
        model_max_length=2048,
    )
    fast.chat_template = CHAT_TEMPLATE
    return fast


def write_taught_models(folder: str | Path) -> None:
    root = Path(folder)
    root.mkdir(parents=True, exist_ok=True)
    whole = _write_pair(root, ("base", "adapter"), make_tokenizer())
    whole |= _write_pair(root, ("pieces", "pieces-adapter"), piece_tokenizer())
    (root / "whole.json").write_text(json.dumps(whole), "utf-8")
    _write_endless(root / "endless", make_tokenizer())
    _write_endless(root / "pieces-endless", piece_tokenizer())
    _write_unusable(root)


def _write_pair(root: Path, names: tuple[str, str], tokenizer: Any) -> dict[str, Any]:
    """A model and an adapter of it, each of which has learned its answers; what they generate."""
    import torch
    from peft import LoraConfig, get_peft_model

    base, adapter = names
    model = make_model("llama", tokenizer, _HIDDEN)
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    teach(model, tokenizer, BASE_ANSWERS, 3e-3)
    model.save_pretrained(root / base)
    tokenizer.save_pretrained(root / base)
    whole = {base: {question: _generated(model, tokenizer, question) for question in BASE_ANSWERS}}
    torch.manual_seed(1)
    tuned = get_peft_model(model, LoraConfig(r=8, lora_alpha=32, target_modules="all-linear", task_type="CAUSAL_LM"))
    teach(tuned, tokenizer, ADAPTER_ANSWERS, 5e-3)
    tuned.save_pretrained(root / adapter)
    whole[adapter] = {question: _generated(tuned, tokenizer, question) for question in ADAPTER_ANSWERS}
    return whole


def _write_endless(folder: Path, tokenizer: Any) -> None:
    """Whatever it reads, its last layer sees the same, which makes every letter likely and nothing else."""
    import torch

    model = make_model("llama", tokenizer, _HIDDEN)
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    with torch.no_grad():
        model.model.embed_tokens.weight.fill_(1.0)
        for layer in model.model.layers:
            layer.self_attn.o_proj.weight.zero_()
            layer.mlp.down_proj.weight.zero_()
        model.lm_head.weight.fill_(-1.0)
        model.lm_head.weight[tokenizer.convert_tokens_to_ids(list("abcdefghijklmnopqrstuvwxyz"))] = 1.0
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def _write_unusable(root: Path) -> None:
    import torch
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForCausalLM

    other = write_tiny_model(root / "other", hidden=32)
    small = AutoModelForCausalLM.from_pretrained(other)
    get_peft_model(small, LoraConfig(target_modules="all-linear", task_type="CAUSAL_LM")).save_pretrained(
        root / "other-adapter"
    )
    write_tiny_model(root / "no-template", chat_template=None)
    broken = AutoModelForCausalLM.from_pretrained(other)
    with torch.no_grad():
        broken.model.norm.weight.fill_(float("nan"))
    shutil.copytree(other, root / "not-a-number", dirs_exist_ok=True)
    broken.save_pretrained(root / "not-a-number")


def main() -> None:
    parser = argparse.ArgumentParser(description="Write tiny models that know a few answers by heart.")
    parser.add_argument("folder")
    write_taught_models(parser.parse_args().folder)


if __name__ == "__main__":
    main()

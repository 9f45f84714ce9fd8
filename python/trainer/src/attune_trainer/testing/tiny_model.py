"""Writes a tiny random model with a tokenizer: `python -m attune_trainer.testing.tiny_model DIR --arch llama|qwen2|qwen3`.

The folder is that of an instruction-tuned model: config.json, model.safetensors, generation_config.json, tokenizer.json,
tokenizer_config.json and a chat template with generation marks. The same arguments give the same bytes.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path
from typing import Any

ARCHITECTURES = ("llama", "qwen2", "qwen3")

CHAT_TEMPLATE = (
    "{%- for message in messages %}"
    "{{- '<|im_start|>' + message['role'] + '\n' }}"
    "{%- if message['role'] == 'assistant' %}"
    "{% generation %}{{- (message['content'] or '') + '<|im_end|>' }}{% endgeneration %}"
    "{%- else %}"
    "{{- (message['content'] or '') + '<|im_end|>' }}"
    "{%- endif %}"
    "{{- '\n' }}"
    "{%- endfor %}"
    "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\n' }}{%- endif %}"
)

SPECIAL_TOKENS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|pad|>")


def corpus() -> list[str]:
    """A few KB of plain sentences, enough for a few hundred merges."""
    things = ("river", "mountain", "window", "letter", "garden", "machine", "teacher", "story", "engine", "morning")
    places = ("in the city", "near the sea", "behind the house", "at the station", "under the bridge")
    lines = ["What is the capital of France? The capital of France is Paris.", "user assistant system"]
    for thing in things:
        lines += [f"The {thing} stands {place}, and nobody knows why." for place in places]
        lines.append(f"Question: what is a {thing}? Answer: a {thing} is what the word {thing} means.")
    lines.append("模型训练需要数据。Äpfel, Öl und Übermut. 0123456789")
    return lines


def make_tokenizer(vocabulary: int = 512, chat_template: str | None = CHAT_TEMPLATE) -> Any:
    """A byte-level BPE tokenizer: any text can be encoded and decoded without loss."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=list(SPECIAL_TOKENS),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(corpus(), trainer)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token="<|im_end|>",
        pad_token="<|pad|>",
        additional_special_tokens=["<|im_start|>"],
        model_max_length=2048,
    )
    if chat_template is not None:
        fast.chat_template = chat_template
    return fast


def make_model(architecture: str, tokenizer: Any, hidden: int = 64, layers: int = 2, seed: int = 0) -> Any:
    """A model of `architecture` with random weights, in float32."""
    import torch
    import transformers

    names = {"llama": "Llama", "qwen2": "Qwen2", "qwen3": "Qwen3"}
    shape: dict[str, Any] = {
        "vocab_size": len(tokenizer),
        "hidden_size": hidden,
        "intermediate_size": hidden * 2,
        "num_hidden_layers": layers,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 2048,
        "pad_token_id": tokenizer.pad_token_id,
        "eos_token_id": tokenizer.eos_token_id,
        "bos_token_id": None,
        # Qwen's small models share them, Llama's do not: the difference is what a test of both is for.
        "tie_word_embeddings": architecture != "llama",
    }
    if architecture == "qwen3":
        shape["head_dim"] = hidden // 4
    config = getattr(transformers, f"{names[architecture]}Config")(**shape)
    torch.manual_seed(seed)
    return getattr(transformers, f"{names[architecture]}ForCausalLM")(config)


def write_tiny_model(folder: str | Path, architecture: str = "llama", **options: Any) -> Path:
    """Writes the model to `folder`, whole or not at all; options: hidden, layers, seed, vocabulary, chat_template."""
    target = Path(folder)
    draft = target.with_name(f"{target.name}.draft")
    shutil.rmtree(draft, ignore_errors=True)
    tokenizer = make_tokenizer(options.pop("vocabulary", 512), options.pop("chat_template", CHAT_TEMPLATE))
    model = make_model(architecture, tokenizer, **options)
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    model.save_pretrained(draft)
    tokenizer.save_pretrained(draft)
    shutil.rmtree(target, ignore_errors=True)
    draft.rename(target)
    return target


def main() -> None:
    parser = argparse.ArgumentParser(description="Write a tiny random model with a tokenizer.")
    parser.add_argument("folder")
    parser.add_argument("--arch", choices=ARCHITECTURES, default="llama")
    parser.add_argument("--hidden", type=int, default=64, help="size of the hidden layers, a multiple of 8")
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--no-chat-template", action="store_true")
    given = parser.parse_args()
    template = None if given.no_chat_template else CHAT_TEMPLATE
    sizes = {"hidden": given.hidden, "layers": given.layers, "seed": given.seed}
    print(write_tiny_model(given.folder, given.arch, chat_template=template, **sizes))


if __name__ == "__main__":
    main()

"""Loads exported datasets with the programs that train on them, and prints what they made of every file, as JSON.

Usage: load_export.py JOBS.json   where JOBS is a list of
  {"loader": "hf", "folder": …}                                     -> rows of each split
  {"loader": "trl", "kind": "sft|dpo|kto|cpt", "file": …}           -> rows before and after TRL's preprocessing
  {"loader": "llamafactory", "kind": …, "folder": …, "name": …}     -> rows that LLaMA-Factory keeps, and their turns
"""

import json
import os
import sys
import tempfile
import types

os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", HF_HUB_DISABLE_TELEMETRY="1", HF_HUB_DISABLE_PROGRESS_BARS="1",
                  HF_DATASETS_DISABLE_PROGRESS_BARS="1", TOKENIZERS_PARALLELISM="false", CUDA_VISIBLE_DEVICES="")

TEMPLATE = (
    "{% for m in messages %}<|{{ m.role }}|>"
    "{% if m.role == 'assistant' %}{% generation %}{{ m.content }}"
    "{% for c in m.tool_calls or [] %}{{ c.function.name }}({{ c.function.arguments }}){% endfor %}<|end|>{% endgeneration %}"
    "{% else %}{{ m.content }}<|end|>{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def tiny_model():
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    specials = ["<pad>", "<eos>", "<|end|>"]
    tokenizer = Tokenizer(models.BPE({token: i for i, token in enumerate(specials + alphabet)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="<eos>")
    fast.chat_template = TEMPLATE
    config = LlamaConfig(hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2,
                         vocab_size=len(alphabet) + len(specials), pad_token_id=0, eos_token_id=1)
    folder = tempfile.mkdtemp()
    LlamaForCausalLM(config).save_pretrained(folder)
    return folder, fast


def load_trl(job):
    import trl
    from datasets import load_dataset

    rows = load_dataset("json", data_files=job["file"], split="train", cache_dir=tempfile.mkdtemp())
    model, tokenizer = tiny_model()
    shared = dict(output_dir=tempfile.mkdtemp(), use_cpu=True, bf16=False, report_to="none", max_length=4096)
    if job["kind"] in ("sft", "cpt"):
        kwargs = dict(assistant_only_loss=True) if "messages" in rows.column_names else {}
        trainer = trl.SFTTrainer(model, trl.SFTConfig(**shared, **kwargs), train_dataset=rows, processing_class=tokenizer)
    elif job["kind"] == "dpo":
        trainer = trl.DPOTrainer(model, args=trl.DPOConfig(**shared), train_dataset=rows, processing_class=tokenizer)
    else:
        trainer = trl.KTOTrainer(model, args=trl.KTOConfig(**shared, per_device_train_batch_size=2), train_dataset=rows,
                                 processing_class=tokenizer)
    done = trainer.train_dataset
    trained = [trained_tokens(row) for row in done]
    return {"rows": len(rows), "kept": len(done), "columns": sorted(done.column_names), "untrained": trained.count(0)}


def trained_tokens(row):
    for mask in ("assistant_masks", "completion_mask"):
        if row.get(mask) is not None:
            return sum(row[mask])
    for ids in ("completion_ids", "chosen_ids", "input_ids"):
        if row.get(ids) is not None:
            return len(row[ids])
    raise KeyError(f"no tokens in {sorted(row)}")


def load_hf(job):
    from datasets import load_dataset

    splits = load_dataset(job["folder"], cache_dir=tempfile.mkdtemp())
    return {name: {"rows": len(rows), "columns": sorted(rows.column_names)} for name, rows in splits.items()}


def load_llamafactory(job):
    import llamafactory

    # The package's own __init__ imports everything that trains pictures and sounds, which converting text does not need.
    package = types.ModuleType("llamafactory.data")
    package.__path__ = [os.path.join(os.path.dirname(llamafactory.__file__), "data")]
    sys.modules["llamafactory.data"] = package
    from datasets import load_dataset
    from llamafactory.data.converter import get_dataset_converter
    from llamafactory.data.parser import get_dataset_list

    (attr,) = get_dataset_list([job["name"]], job["folder"])
    path = os.path.join(job["folder"], attr.dataset_name)
    rows = load_dataset("json", data_files=path, split="train", cache_dir=tempfile.mkdtemp())
    convert = get_dataset_converter(attr.formatting, attr, types.SimpleNamespace(media_dir=""))
    answers = {"sft": 1, "dpo": 2, "kto": 2, "cpt": 0}[job["kind"]]
    kept = []
    for row in rows:
        try:
            made = convert(row)
        except Exception as error:  # a run of LLaMA-Factory would end here
            kept.append({"kept": False, "error": type(error).__name__})
            continue
        # The rule of llamafactory.data.processor: other rows are "Dropped invalid example".
        is_kept = len(made["_prompt"]) % 2 == 1 and len(made["_response"]) == answers
        kept.append({"kept": is_kept, "turns": [*made["_prompt"], *made["_response"]], "system": made["_system"]})
    return {"rows": len(rows), "kept": sum(row["kept"] for row in kept), "examples": kept}


def main():
    loaders = {"hf": load_hf, "trl": load_trl, "llamafactory": load_llamafactory}
    with open(sys.argv[1], encoding="utf-8") as jobs:
        results = [loaders[job["loader"]](job) for job in json.load(jobs)]
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        json.dump(results, out)


main()

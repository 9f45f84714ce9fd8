"""Records what the reference implementations make of our own hand-written pairs, for the tests of packages/metrics.

    .work/python-metrics/bin/python bench/metrics/record_vectors.py

Reads packages/metrics/fixtures/pairs.json (lists of prediction, reference, second reference) and words.txt, and writes
own.jsonl, own.corpus.json and stems.json beside them.
"""

import json
import logging
import pathlib

import jieba
from nltk.stem.porter import PorterStemmer
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU, CHRF

from score_references import ROUGE_TYPES, TOKENIZERS, llama_factory, rouge, squad, squad_words

SMOOTHINGS = [("floor", None), ("add-k", None), ("none", None), ("floor", 0.5), ("add-k", 2)]
FOLDER = pathlib.Path(__file__).parents[2] / "packages/metrics/fixtures"


def expect(hyp, ref, ref2):
    expected = {}
    for name in TOKENIZERS:
        tokenizer = BLEU(tokenize=name).tokenizer
        expected[f"tok_{name}"] = tokenizer(hyp.rstrip()).split()
        expected[f"bleu_{name}"] = BLEU(tokenize=name, effective_order=True).sentence_score(hyp, [ref]).score
        for method, value in SMOOTHINGS:
            metric = BLEU(tokenize=name, effective_order=True, lowercase=True, smooth_method=method, smooth_value=value)
            expected[f"bleu_{name}_{method}_{value}"] = metric.sentence_score(hyp, [ref, ref2]).score
    for order in (0, 2):
        expected[f"chrf{order}"] = CHRF(word_order=order).sentence_score(hyp, [ref]).score
    for stemmer in (0, 1):
        expected[f"rouge{stemmer}"] = rouge(RougeScorer(ROUGE_TYPES, use_stemmer=bool(stemmer)))(hyp, ref)
    cuts = {"hc": list(jieba.cut(hyp)), "rc": list(jieba.cut(ref))}
    return {**expected, "lf": {**llama_factory(hyp, ref), **cuts}, "sq": squad(hyp, ref), "sqn": " ".join(squad_words(hyp))}


def corpus(pairs):
    hyps, refs, refs2 = ([pair[side] for pair in pairs] for side in range(3))
    expected = {}
    for key, streams in (("bleu", [refs]), ("mref", [refs, refs2])):
        for name in TOKENIZERS:
            score = BLEU(tokenize=name).corpus_score(hyps, streams)
            parts = [score.score, score.counts, score.totals, score.precisions, score.bp, score.sys_len, score.ref_len]
            expected[f"{key}_{name}"] = parts
    for order in (0, 2):
        expected[f"chrf{order}"] = CHRF(word_order=order).corpus_score(hyps, [refs]).score
    return expected


def main():
    logging.disable(logging.CRITICAL)
    pairs = json.loads((FOLDER / "pairs.json").read_text("utf-8"))
    rows = [{"hyp": hyp, "ref": ref, "ref2": ref2, "expect": expect(hyp, ref, ref2)} for hyp, ref, ref2 in pairs]
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
    (FOLDER / "own.jsonl").write_text("".join(lines), "utf-8")
    (FOLDER / "own.corpus.json").write_text(json.dumps(corpus(pairs)) + "\n", "utf-8")
    words = (FOLDER / "words.txt").read_text("utf-8").split()
    stems = {word: [PorterStemmer().stem(word)] for word in words}
    (FOLDER / "stems.json").write_text(json.dumps(stems) + "\n", "utf-8")


if __name__ == "__main__":
    main()

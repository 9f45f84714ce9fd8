"""Scores pairs by the reference implementations: JSON lines in, JSON lines out, CPU seconds of each metric at the end.

Needs the packages of `npm run setup:python-metrics`. SQuAD's script is no package: its definition is written out here.
"""

import collections
import json
import logging
import re
import string
import sys
import time

import jieba
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
from rouge_chinese import Rouge
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU, CHRF

ROUGE_TYPES = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
TOKENIZERS = ["13a", "zh", "char", "intl", "none"]


# From here as in evaluate-v1.1.py of SQuAD (Rajpurkar et al.), in its own steps.
def normalize_answer(text):
    def remove_articles(text):
        return re.sub(r"\b(a|an|the)\b", " ", text)

    def white_space_fix(text):
        return " ".join(text.split())

    def remove_punctuation(text):
        exclude = set(string.punctuation)
        return "".join(ch for ch in text if ch not in exclude)

    return white_space_fix(remove_articles(remove_punctuation(text.lower())))


def f1_score(prediction, ground_truth):
    prediction_tokens = normalize_answer(prediction).split()
    ground_truth_tokens = normalize_answer(ground_truth).split()
    common = collections.Counter(prediction_tokens) & collections.Counter(ground_truth_tokens)
    num_same = sum(common.values())
    if num_same == 0:
        return 0
    precision = 1.0 * num_same / len(prediction_tokens)
    recall = 1.0 * num_same / len(ground_truth_tokens)
    return (2 * precision * recall) / (precision + recall)


def exact_match_score(prediction, ground_truth):
    return normalize_answer(prediction) == normalize_answer(ground_truth)


def squad(prediction, reference):
    return [int(exact_match_score(prediction, reference)), f1_score(prediction, reference)]


def llama_factory(prediction, reference):
    ours, theirs = list(jieba.cut(prediction)), list(jieba.cut(reference))
    scores = {name: {"f": 0.0} for name in ("rouge-1", "rouge-2", "rouge-l")}
    if " ".join(ours).split() and " ".join(theirs).split():
        scores = Rouge().get_scores(" ".join(ours), " ".join(theirs))[0]
    result = {name: round(score["f"] * 100, 4) for name, score in scores.items()}
    bleu = sentence_bleu([list(reference)], list(prediction), smoothing_function=SmoothingFunction().method3)
    result["bleu-4"] = round(bleu * 100, 4)
    return result


def rouge(scorer):
    def score(prediction, reference):
        scores = scorer.score(reference, prediction)
        return {kind: [scores[kind].precision, scores[kind].recall, scores[kind].fmeasure] for kind in ROUGE_TYPES}

    return score


def by_pair(metric):
    return lambda prediction, reference: metric.sentence_score(prediction, [reference]).score


def metrics():
    for name in TOKENIZERS:
        yield f"bleu {name}", by_pair(BLEU(tokenize=name, effective_order=True))
    for smoothing in ("floor", "add-k", "none"):
        metric = BLEU(tokenize="zh", lowercase=True, effective_order=True, smooth_method=smoothing)
        yield f"bleu zh {smoothing}", by_pair(metric)
    yield "chrF", by_pair(CHRF())
    yield "chrF++", by_pair(CHRF(word_order=2))
    yield "ROUGE", rouge(RougeScorer(ROUGE_TYPES))
    yield "ROUGE, stemmer", rouge(RougeScorer(ROUGE_TYPES, use_stemmer=True))
    yield "exact match, F1", squad
    yield "jieba", lambda prediction, reference: [list(jieba.cut(prediction)), list(jieba.cut(reference))]
    yield "LLaMA-Factory", llama_factory


def main():
    logging.disable(logging.CRITICAL)
    jieba.initialize()
    pairs = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        for name, metric in metrics():
            start = time.process_time()
            values = [metric(pair["prediction"], pair["reference"]) for pair in pairs]
            seconds = time.process_time() - start
            out.write(json.dumps({"name": name, "seconds": seconds, "values": values}) + "\n")
        for name in TOKENIZERS:
            start = time.process_time()
            predictions, references = ([pair[side] for pair in pairs] for side in ("prediction", "reference"))
            score = BLEU(tokenize=name).corpus_score(predictions, [references])
            seconds = time.process_time() - start
            values = [[score.score, score.counts, score.totals, score.sys_len, score.ref_len]]
            out.write(json.dumps({"name": f"corpus bleu {name}", "seconds": seconds, "values": values}) + "\n")


if __name__ == "__main__":
    main()

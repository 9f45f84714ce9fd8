import { metricName, type MetricName } from "@attune/contracts/compute/eval-results.ts";
import { toSamples } from "@attune/metrics/samples.ts";
import { expect, test } from "vitest";
import { computeScores } from "./compute-scores.ts";

const names: readonly MetricName[] = [
  "bleu",
  "chrf",
  "rouge1",
  "rouge2",
  "rougeL",
  "rougeLsum",
  "cosine",
  "exact_match",
  "f1",
  "similarity",
];
const best = (name: string): number => (name === "bleu" || name === "chrf" ? 100 : 1);

test("knows the names of metrics, and no others", () => {
  for (const name of [...names, "rouge9"]) expect(metricName.safeParse(name).success).toBe(true);
  for (const name of ["rouge", "rouge0", "rouge10", "BLEU", "", "constructor"]) {
    expect(metricName.safeParse(name).success).toBe(false);
  }
});

test.each([
  ["in English", "The capital of France is Paris.", "A dog sleeps under some old tree."],
  ["in Chinese", "模型拒绝了这个请求。", "天气很好我们出去玩吧"],
])("scores what is right best and what is wrong worst, by every metric, %s", (_, right, wrong) => {
  const same = computeScores(names, toSamples([right, right], [right, right]));
  for (const name of names) expect(same.metrics[name]).toBeCloseTo(best(name), 9);
  const other = computeScores(names, toSamples([wrong, wrong], [right, right]));
  for (const name of names) expect(other.metrics[name]).toBeLessThan(best(name) / 2);
  expect(same.errors).toEqual({});
});

test("the score of a set is the mean of its samples', and an empty answer is a wrong one", () => {
  const { metrics, perSample } = computeScores(
    ["rougeL", "exact_match"],
    toSamples(["a cat sat", ""], ["a cat sat", "b"]),
  );
  expect(metrics).toEqual({ rougeL: 0.5, exact_match: 0.5 });
  expect(perSample).toEqual([
    { rougeL: 1, exact_match: 1 },
    { rougeL: 0, exact_match: 0 },
  ]);
});

test("a set of texts without spaces is compared by its characters, and says so", () => {
  const { metrics, settings } = computeScores(["rouge1", "bleu"], toSamples(["模型拒绝请求"], ["模型拒绝了请求"]));
  expect(metrics["rouge1"]).toBeCloseTo(12 / 13, 12);
  expect(settings["rouge1"]).toContain("tok:zh");
  expect(settings["bleu"]).toContain("tok:zh");
});

test("a metric that cannot score one sample has no score of the set, and says which one", () => {
  const long = Array.from({ length: 140_000 }, (_, index) => `w${index}`).join(" ");
  const backwards = long.split(" ").toReversed().join(" ");
  const scores = computeScores(
    ["rougeL", "exact_match"],
    toSamples(["same words here", long], ["same words here", backwards]),
  );
  expect(scores.metrics).toEqual({ rougeL: null, exact_match: 0.5 });
  expect(scores.perSample[0]?.["rougeL"]).toBe(1);
  expect(scores.perSample[1]?.["rougeL"]).toBeNull();
  expect(scores.errors["rougeL"]).toMatch(/^Record 1: /);
});

import { expect, test } from "vitest";
import { toVllmProgress } from "./to-vllm-progress.ts";

test.each([
  ["INFO 11-21 [model.py:547] Resolved architecture: LlamaForCausalLM", { stage: "config" }],
  ["INFO 11-21 [gpu_model_runner.py:2602] Starting to load model...", { stage: "weights" }],
  [
    "Loading safetensors checkpoint shards:  50% Completed | 1/2 [00:00<00:00]",
    { stage: "weights", current: 1, total: 2 },
  ],
  ["INFO 11-21 [backends.py:559] torch.compile takes 12 s in total", { stage: "warmup" }],
  ["something else", undefined],
])("%s", (line, progress) => {
  expect(toVllmProgress(["INFO a line before", line])).toEqual(progress);
});

test("the last line that says something decides", () => {
  expect(toVllmProgress(["Capturing CUDA graphs", "Starting to load model", "nothing"])).toEqual({ stage: "weights" });
});

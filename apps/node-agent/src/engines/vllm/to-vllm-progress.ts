import type { LoadProgress } from "../inference-engine.ts";

/** Where vLLM stands by the last line that says so. */
export function toVllmProgress(lines: readonly string[]): LoadProgress | undefined {
  for (const line of lines.toReversed()) {
    const shards = /Loading .*shards:.*\|\s*(\d+)\/(\d+)/.exec(line);
    if (shards !== null) return { stage: "weights", current: Number(shards[1]), total: Number(shards[2]) };
    if (/torch\.compile|Capturing CUDA graph|Graph capturing|KV cache size|Warming up/i.test(line))
      return { stage: "warmup" };
    if (/Starting to load model|Loading weights|Model loading took/i.test(line)) return { stage: "weights" };
    if (/Resolved architecture|Initializing a V\d|non-default args/i.test(line)) return { stage: "config" };
  }
  return undefined;
}

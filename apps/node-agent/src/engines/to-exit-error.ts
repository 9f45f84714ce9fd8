import type { NodeReason } from "@attune/contracts/errors/node-reasons.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { EngineExit } from "./engine-process.ts";

interface Sign {
  readonly pattern: RegExp;
  readonly reason: NodeReason;
}

/** What engines write before they end, and what it stands for; the first that is found decides. */
const signs: readonly Sign[] = [
  {
    pattern:
      /out ?of ?memory.*(cuda|gpu|hip)|(cuda|gpu|hip).*out ?of ?memory|OutOfMemoryError|cudaMalloc failed|Free memory on device .* is less than desired|No available memory for the cache blocks|larger than the (maximum number of tokens|available KV cache)|failed to (allocate|create) .*(KV|compute) ?(cache|buffer)|unable to allocate CUDA/i,
    reason: "MODEL_OUT_OF_MEMORY",
  },
  {
    pattern:
      /MemoryError|Cannot allocate memory|std::bad_alloc|DefaultCPUAllocator|unable to allocate CPU|mmap failed|Available memory on node \d+ .* is less than/i,
    reason: "NODE_OUT_OF_MEMORY",
  },
  { pattern: /No space left on device/i, reason: "NODE_OUT_OF_MEMORY" },
  {
    pattern:
      /SafetensorError|HeaderTooLarge|MetadataIncompleteBuffer|failed to read (key-value|tensor)|invalid magic|not within the file bounds|is corrupted or incomplete|PytorchStreamReader failed/i,
    reason: "MODEL_CORRUPT",
  },
  // llama.cpp says what is wrong first, and then only the name of the file.
  { pattern: /failed to apply lora adapter: /i, reason: "ADAPTER_MISMATCH" },
  {
    pattern: /lora (adapter )?.*(failed|does not match|mismatch|not compatible)|failed to (load|apply) lora/i,
    reason: "ADAPTER_MISMATCH",
  },
  {
    pattern:
      /unknown model architecture|architectures? .* (is|are) not supported|does not recognize this architecture|Unrecognized (model|configuration)|LoRA rank .* is greater than|(pass the argument|consider setting) .?trust_remote_code=True|this GGUF file is version|Unsupported CPU attention configuration/i,
    reason: "MODEL_UNSUPPORTED",
  },
  {
    pattern:
      /CUDA driver version is insufficient|no kernel image is available|No CUDA GPUs are available|invalid device ordinal|NVML|CUDA error|Failed to infer device type/i,
    reason: "MODEL_GPU_UNUSABLE",
  },
  {
    pattern: /ModuleNotFoundError|No module named|ImportError|cannot open shared object file|GLIBC/i,
    reason: "ENGINE_UNAVAILABLE",
  },
];

/** As vLLM marks lines that tell of no failure; its settings stand in one of them, and may hold any word. */
const harmless = /\b(INFO|WARNING|DEBUG) \d\d-\d\d \d\d:/;

/** Why an engine ended, by the last thing in its log that says something, else by how it ended. */
export function toExitError({ code, signal }: EngineExit, log: readonly string[]): AppError {
  const lines = log.filter((line) => !harmless.test(line));
  const how = signal === null ? `It ended with status ${code}` : `It was ended by ${signal}`;
  // What is killed has no last word; what stands in its log is of before.
  const found = signal === "SIGKILL" ? undefined : findSign(lines);
  if (found !== undefined) {
    return new AppError(found.reason, { detail: `${how}; its log says: ${found.line}` });
  }
  // Nothing else on a Linux machine kills a process without a word.
  if (signal === "SIGKILL") {
    const detail = `${how}, which is what the system does when memory runs out, and an operator may do.`;
    return new AppError("INFERENCE_ENGINE_DIED", { detail });
  }
  const last = findSaid(lines) ?? findSaid(log);
  const said = last === undefined ? "and its log is empty." : `and the end of its log is: ${last.slice(0, maxLine)}`;
  return new AppError("INFERENCE_ENGINE_DIED", { detail: `${how}, ${said}` });
}

const maxLine = 500;

/** Its last error; that another line says why is none. */
function findSaid(lines: readonly string[]): string | undefined {
  const said = lines.filter((line) => line.trim() !== "");
  return (
    said.findLast((line) => /\b(\w*Error|\w*Exception|error):/.test(line) && !/root cause/i.test(line)) ?? said.at(-1)
  );
}

function findSign(lines: readonly string[]): { readonly reason: NodeReason; readonly line: string } | undefined {
  for (const { pattern, reason } of signs) {
    const line = lines.findLast((each) => pattern.test(each));
    if (line !== undefined) return { reason, line: line.trim().slice(0, maxLine) };
  }
  return undefined;
}

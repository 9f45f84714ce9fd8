import { expect, test } from "vitest";
import { toExitError } from "./to-exit-error.ts";

const failed = { code: 1, signal: null };

test.each([
  ["torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.", "MODEL_OUT_OF_MEMORY"],
  [
    "ValueError: Free memory on device (1.2/79.1 GiB) on startup is less than desired GPU memory",
    "MODEL_OUT_OF_MEMORY",
  ],
  [
    "ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization`",
    "MODEL_OUT_OF_MEMORY",
  ],
  [
    "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 4096.00 MiB on device 0: cudaMalloc failed: out of memory",
    "MODEL_OUT_OF_MEMORY",
  ],
  ["RuntimeError: [enforce fail at alloc_cpu.cpp] DefaultCPUAllocator: can't allocate memory", "NODE_OUT_OF_MEMORY"],
  ["MemoryError", "NODE_OUT_OF_MEMORY"],
  ["OSError: [Errno 28] No space left on device", "NODE_OUT_OF_MEMORY"],
  ["safetensors_rust.SafetensorError: Error while deserializing header: HeaderTooLarge", "MODEL_CORRUPT"],
  ["gguf_init_from_file_impl: failed to read key-value pairs", "MODEL_CORRUPT"],
  [
    "llama_model_load: error loading model: tensor 'x' data is not within the file bounds, model is corrupted",
    "MODEL_CORRUPT",
  ],
  [
    "llama_model_load: error loading model: error loading model architecture: unknown model architecture: 'foo'",
    "MODEL_UNSUPPORTED",
  ],
  ["ValueError: Model architectures ['FooForCausalLM'] are not supported for now.", "MODEL_UNSUPPORTED"],
  ["ValueError: LoRA rank 64 is greater than max_lora_rank 16.", "MODEL_UNSUPPORTED"],
  ["RuntimeError: CUDA error: no kernel image is available for execution on the device", "MODEL_GPU_UNUSABLE"],
  ["ModuleNotFoundError: No module named 'peft'", "ENGINE_UNAVAILABLE"],
  // As vLLM 0.32.0 and llama.cpp 0.7.0 write them.
  [
    "ValueError: Available memory on node 0 (13.16/17.59 GiB) on startup is less than desired CPU memory utilization",
    "NODE_OUT_OF_MEMORY",
  ],
  ["RuntimeError: Failed to infer device type, please set the environment variable", "MODEL_GPU_UNUSABLE"],
  ["RuntimeError: Unsupported CPU attention configuration: head_dim=16 isa=2 kv_cache_idx=0", "MODEL_UNSUPPORTED"],
  [
    "E gguf_init_from_reader: this GGUF file is version 99 but this software only supports up to version 3",
    "MODEL_UNSUPPORTED",
  ],
])("%s", (line, reason) => {
  const error = toExitError(failed, ["loading", line, "  at the end of the traceback"]);
  expect(error.reason).toBe(reason);
  expect(error.message).toContain(line);
});

test("of an adapter that does not fit it is told why, and not only which file it is", () => {
  const why =
    "failed to apply lora adapter: tensor 'blk.0.attn_q.weight' has incorrect shape (hint: maybe wrong base model?)";
  const lines = [`E llama_adapter_lora_init: ${why}`, "E cmn  common_init_: failed to load lora adapter '/a.gguf'"];
  expect(toExitError(failed, lines)).toMatchObject({
    reason: "ADAPTER_MISMATCH",
    message: expect.stringContaining(why),
  });
});

test("without a sign the last error is told, not what is written after it nor what only refers to it", () => {
  const lines = [
    "(EngineCore) RuntimeError: Worker failed with error 'strange'",
    "(APIServer) RuntimeError: Engine core initialization failed. See root cause above.",
    "nanobind: leaked 2 instances",
  ];
  expect(toExitError(failed, lines).message).toContain("Worker failed with error 'strange'");
});

test("without a sign the end of the log is told, and how it ended", () => {
  expect(toExitError(failed, ["loading", "strange words", ""])).toMatchObject({
    reason: "INFERENCE_ENGINE_DIED",
    message: expect.stringContaining("It ended with status 1, and the end of its log is: strange words"),
  });
  expect(toExitError({ code: null, signal: "SIGKILL" }, []).message).toContain("memory runs out");
});

test("lines of vLLM that tell of no failure, and what was written before it was killed, are no causes", () => {
  const harmless = [
    "(EngineCore pid=7) INFO 11-21 23:01:09 [core.py:133] Initializing a V1 LLM engine with config: ImportError, trust_remote_code=False",
    "(APIServer pid=8) WARNING 11-21 23:01:04 [system_utils.py:255] This can cause errors like `OSError: [Errno 24] Too many open files`.",
  ];
  expect(toExitError(failed, [...harmless, "strange words"])).toMatchObject({
    reason: "INFERENCE_ENGINE_DIED",
    message: expect.stringContaining("the end of its log is: strange words"),
  });
  expect(toExitError(failed, harmless).message).toContain("Too many open files");
  const killed = { code: null, signal: "SIGKILL" } as const;
  expect(toExitError(killed, ["ImportError: flash_attn is not there; going on without"]).reason).toBe(
    "INFERENCE_ENGINE_DIED",
  );
});

test("code that a model brings and may not run is a reason", () => {
  const line = "The repository x contains custom code. Please pass the argument `trust_remote_code=True` to allow it.";
  expect(toExitError(failed, [line]).reason).toBe("MODEL_UNSUPPORTED");
});

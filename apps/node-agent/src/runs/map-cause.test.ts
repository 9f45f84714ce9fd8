import { expect, test } from "vitest";
import { exitRecord } from "../process/exit-record.ts";
import { mapCause } from "./map-cause.ts";

const exit = exitRecord.parse({ code: 1, signal: null, ended_at: "", oom_kill: false });

test.each([
  ["torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB", "out_of_memory"],
  ["OSError: [Errno 28] No space left on device: 'checkpoint-5'", "disk_full"],
  [
    "RuntimeError: [enforce fail at alloc_cpu.cpp:118] DefaultCPUAllocator: can't allocate memory",
    "host_out_of_memory",
  ],
  ["MemoryError", "host_out_of_memory"],
  // What glibc, OpenBLAS, the linker and OpenMP say below a limit of address space.
  ["cannot allocate memory for thread-local data: ABORT", "host_out_of_memory"],
  ["OpenBLAS error: Memory allocation still failed after 10 retries, giving up.", "host_out_of_memory"],
  ["ImportError: libtorch_cpu.so: failed to map segment from shared object", "host_out_of_memory"],
  ["libgomp: Thread creation failed: Resource temporarily unavailable", "host_out_of_memory"],
  ["RuntimeError: The NVIDIA driver on your system is too old; driver version is insufficient", "gpu_unavailable"],
  ["safetensors_rust.SafetensorError: Error while deserializing header: HeaderTooLarge", "model_corrupt"],
  [
    "ValueError: Cannot use chat template functions because tokenizer.chat_template is not set",
    "chat_template_missing",
  ],
  ["[rank1]: Watchdog caught collective operation timeout: WorkNCCL(SeqNum=2)", "distributed_timeout"],
  [
    "ValueError: The checkpoint has model type `x` but Transformers does not recognize this architecture.",
    "unsupported_architecture",
  ],
  ["ModuleNotFoundError: No module named 'trl'", "environment"],
  ["FileNotFoundError: [Errno 2] No such file or directory: '/m'", "file_not_found"],
  ["ValueError: something else", "engine_failed"],
  ["  traceback : Signal 9 (SIGKILL) received by PID 4242", "engine_crashed"],
])("%s: %s", (line, cause) => {
  const mapped = mapCause(exit, ["Traceback (most recent call last):", line, "more text"]);
  expect(mapped).toMatchObject({ cause });
  expect(mapped.message).toContain(line.trim());
});

test.each([
  [2, "bad_spec"],
  [3, "bad_dataset"],
  [5, "out_of_memory"],
  [6, "disk_full"],
  [7, "environment"],
  [8, "nonfinite_loss"],
  [4, "engine_failed"],
  [0, "engine_failed"],
])("status %i without a word: %s", (code, cause) => {
  expect(mapCause({ ...exit, code }, []).cause).toBe(cause);
});

test("a status says more than a log", () => {
  expect(mapCause({ ...exit, code: 3 }, ["FileNotFoundError: x"])).toEqual({
    cause: "bad_dataset",
    message: "FileNotFoundError: x",
  });
});

test("the status for want of memory is that of the machine's when the log says so", () => {
  expect(mapCause({ ...exit, code: 5 }, ["MemoryError"]).cause).toBe("host_out_of_memory");
});

test("SIGKILL is the kernel's word for want of memory only when it says so", () => {
  const killed = { ...exit, code: null, signal: "SIGKILL" };
  expect(mapCause(killed, []).cause).toBe("engine_crashed");
  // It went on after that, until somebody killed it.
  expect(mapCause(killed, ["ImportError: no flash_attn; going on without"])).toEqual({
    cause: "engine_crashed",
    message: "The process ended by SIGKILL.",
  });
  expect(mapCause({ ...killed, oom_kill: true }, []).cause).toBe("host_out_of_memory");
  expect(mapCause({ ...exit, code: 137, oom_kill: true }, []).cause).toBe("host_out_of_memory");
});

test("a program that could not be started", () => {
  expect(mapCause({ ...exit, code: null, spawn_error: "spawn python ENOENT" }, [])).toMatchObject({
    cause: "environment",
    message: expect.stringContaining("ENOENT"),
  });
});

test("a program that was ended for its events says that, whatever its log says", () => {
  const killed = { ...exit, code: null, signal: "SIGKILL", is_flood: true };
  expect(mapCause(killed, ["FileNotFoundError: x"]).cause).toBe("too_many_events");
});

test("a program that was ended for its memory says how much it held, whatever its log says", () => {
  const memory_excess = { used_bytes: 4.5 * 2 ** 30, limit_bytes: 4 * 2 ** 30 };
  const killed = { ...exit, code: null, signal: "SIGKILL", memory_excess };
  expect(mapCause(killed, ["CUDA out of memory"])).toEqual({
    cause: "host_out_of_memory",
    message: "Its processes held 4608 MB of memory together; its memory_limit_mb is 4096.",
  });
});

import { describe, expect, it } from "vitest";
import { causeOfDeath, describeExit, type WorkerExit } from "./exit-cause.ts";

const exit = (facts: Partial<WorkerExit>): WorkerExit => ({ code: undefined, signal: undefined, stderr: "", ...facts });

describe("the cause of a worker's death", () => {
  it.each([
    "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
    "FATAL ERROR: Committing semi space failed. Allocation failed",
    "terminate called after throwing an instance of 'std::bad_alloc'",
    "# Fatal error in , line 0\n# Check failed: SetPermissions(GetPlatformPageAllocator(), mem.address(), mem.size(), …",
    "FATAL ERROR: invalid table size Allocation failed - JavaScript heap out of memory",
    "RangeError: Array buffer allocation failed",
    "RangeError: WebAssembly.Memory(): could not allocate memory: out of memory",
  ])("is memory when its last words are: %s", (stderr) => {
    expect(causeOfDeath(exit({ signal: "SIGABRT", stderr }))).toBe("memory");
    expect(causeOfDeath(exit({ code: 134, stderr }))).toBe("memory");
  });

  it("is a crash when it says nothing", () => {
    expect(causeOfDeath(exit({ signal: "SIGKILL" }))).toBe("crash");
    expect(causeOfDeath(exit({ code: 1, stderr: "Error: x" }))).toBe("crash");
  });

  it("is the protocol when it was killed for what it sent, whatever it says", () => {
    expect(causeOfDeath(exit({ signal: "SIGKILL", stderr: "out of memory", violation: "x" }))).toBe("protocol");
  });
});

describe("describing an exit", () => {
  it.each([
    [exit({ signal: "SIGSEGV" }), "signal SIGSEGV"],
    [exit({ code: 139 }), "signal SIGSEGV"],
    [exit({ code: 1 }), "exit code 1"],
    [exit({ spawnError: new Error("EAGAIN") }), "not started (EAGAIN)"],
    [exit({ violation: "head of 9 bytes" }), "protocol violation (head of 9 bytes)"],
  ])("names the signal or the code", (given, expected) => {
    expect(describeExit(given)).toBe(expected);
  });
});

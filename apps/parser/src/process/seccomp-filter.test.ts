import { describe, expect, it } from "vitest";
import { createSeccompFilter, type FilteredArchitecture } from "./seccomp-filter.ts";

interface Call {
  readonly number: number;
  readonly architecture: number;
  readonly firstArgument?: number;
}

/** Runs a classic BPF program as the kernel does, for the instructions that seccomp filters use. */
function evaluate(program: Buffer, { number, architecture, firstArgument = 0 }: Call): number {
  const fields: Record<number, number> = { 0: number, 4: architecture, 16: firstArgument };
  let accumulator = 0;
  for (let at = 0; at * 8 < program.length; at += 1) {
    const code = program.readUInt16LE(at * 8);
    const jumpIfTrue = program.readUInt8(at * 8 + 2);
    const jumpIfFalse = program.readUInt8(at * 8 + 3);
    const k = program.readUInt32LE(at * 8 + 4);
    if (code === 0x06) return k;
    if (code === 0x20) accumulator = fields[k] ?? 0;
    else if (code === 0x15) at += accumulator === k ? jumpIfTrue : jumpIfFalse;
    else if (code === 0x35) at += accumulator >= k ? jumpIfTrue : jumpIfFalse;
    else if (code === 0x45) at += (accumulator & k) !== 0 ? jumpIfTrue : jumpIfFalse;
    else throw new Error(`instruction ${code}`);
  }
  throw new Error("the program has no end");
}

const allow = 0x7fff0000;
const kill = 0x80000000;
const refuse = 0x00050001;
const missing = 0x00050000 + 38;
const cloneThread = 0x00010000;

const numbers: Record<FilteredArchitecture, { id: number; calls: Record<string, number> }> = {
  x64: {
    id: 0xc000003e,
    calls: {
      read: 0,
      mmap: 9,
      futex: 202,
      socket: 41,
      ptrace: 101,
      unshare: 272,
      bpf: 321,
      io_uring_setup: 425,
      clone: 56,
    },
  },
  arm64: {
    id: 0xc00000b7,
    calls: {
      read: 63,
      mmap: 222,
      futex: 98,
      socket: 198,
      ptrace: 117,
      unshare: 97,
      bpf: 280,
      io_uring_setup: 425,
      clone: 220,
    },
  },
};

describe.each(["x64", "arm64"] as const)("the filter of %s", (architecture) => {
  const program = createSeccompFilter(architecture);
  const { id, calls } = numbers[architecture];
  const judge = (name: string, firstArgument = 0) =>
    evaluate(program, { number: calls[name] ?? -1, architecture: id, firstArgument });

  it.each(["read", "mmap", "futex"])("allows %s", (name) => {
    expect(judge(name)).toBe(allow);
  });

  it.each(["socket", "ptrace", "unshare", "bpf", "io_uring_setup"])("refuses %s", (name) => {
    expect(judge(name)).toBe(refuse);
  });

  it("allows threads and refuses processes", () => {
    expect(judge("clone", cloneThread | 0x100)).toBe(allow);
    expect(judge("clone", 17)).toBe(refuse);
    expect(evaluate(program, { number: 435, architecture: id })).toBe(missing);
  });

  it("ends a process that calls through another table", () => {
    expect(evaluate(program, { number: 41, architecture: 0x40000003 })).toBe(kill);
  });

  it("is short enough for the kernel", () => {
    expect(program.length / 8).toBeLessThan(4096);
  });
});

describe("the filter of x64", () => {
  it("refuses the x32 table", () => {
    const number = 0x40000000 + 41;
    expect(evaluate(createSeccompFilter("x64"), { number, architecture: 0xc000003e })).toBe(refuse);
  });
});

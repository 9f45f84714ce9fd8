import { cloneSyscalls, refusedSyscalls } from "./syscalls.ts";

export type FilteredArchitecture = "x64" | "arm64";

/** Whether there is a filter for this architecture. */
export function isFiltered(architecture: string): architecture is FilteredArchitecture {
  return architecture === "x64" || architecture === "arm64";
}

/**
 * A classic BPF program for seccomp, as bwrap reads it from `--seccomp FD`: an array of `struct sock_filter`
 * (`linux/filter.h`: u16 code, u8 jt, u8 jf, u32 k; little-endian). Threads may be made, processes not; the calls of
 * `syscalls.ts` fail with EPERM; calls of another architecture's table end the process.
 */
export function createSeccompFilter(architecture: FilteredArchitecture): Buffer {
  const column = architecture === "x64" ? 0 : 1;
  const refused = Object.values(refusedSyscalls).flatMap((numbers) => numbers[column] ?? []);
  return Buffer.concat([
    load(field.architecture),
    skipIfEqual(auditArchitecture[architecture], 1),
    answer(action.killProcess),
    load(field.number),
    ...(architecture === "x64" ? [skipIfBelow(firstX32Number, 1), answer(action.fail(errno.EPERM))] : []),
    ...refused.flatMap((number) => [skipUnlessEqual(number, 1), answer(action.fail(errno.EPERM))]),
    // glibc falls back to clone when clone3 is not there, and clone's flags can be read.
    skipUnlessEqual(cloneSyscalls.clone3[column], 1),
    answer(action.fail(errno.ENOSYS)),
    skipUnlessEqual(cloneSyscalls.clone[column], 3),
    load(field.firstArgument),
    skipIfAnyBit(cloneThread, 1),
    answer(action.fail(errno.EPERM)),
    answer(action.allow),
  ]);
}

// Offsets in `struct seccomp_data`.
const field = { number: 0, architecture: 4, firstArgument: 16 };
const auditArchitecture = { x64: 0xc000003e, arm64: 0xc00000b7 };
const firstX32Number = 0x40000000;
const cloneThread = 0x00010000;
const errno = { EPERM: 1, ENOSYS: 38 };
const action = { killProcess: 0x80000000, allow: 0x7fff0000, fail: (errorNumber: number) => 0x00050000 | errorNumber };

// Codes of `linux/bpf_common.h`: LD|W|ABS, JMP|JEQ|K, JMP|JGE|K, JMP|JSET|K, RET|K.
const load = (offset: number) => instruction({ code: 0x20, k: offset });
const answer = (value: number) => instruction({ code: 0x06, k: value });
const skipIfEqual = (k: number, count: number) => instruction({ code: 0x15, jumpIfTrue: count, k });
const skipUnlessEqual = (k: number, count: number) => instruction({ code: 0x15, jumpIfFalse: count, k });
const skipIfBelow = (k: number, count: number) => instruction({ code: 0x35, jumpIfFalse: count, k });
const skipIfAnyBit = (k: number, count: number) => instruction({ code: 0x45, jumpIfTrue: count, k });

interface Instruction {
  readonly code: number;
  readonly k: number;
  readonly jumpIfTrue?: number;
  readonly jumpIfFalse?: number;
}

function instruction({ code, k, jumpIfTrue = 0, jumpIfFalse = 0 }: Instruction): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(jumpIfTrue, 2);
  bytes.writeUInt8(jumpIfFalse, 3);
  bytes.writeUInt32LE(k, 4);
  return bytes;
}

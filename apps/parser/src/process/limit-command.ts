import { execFile } from "node:child_process";
import { findProgram } from "./find-program.ts";

/** What the kernel enforces on a process and on what it starts; inherited, and never raised again. */
export interface KernelLimits {
  /** Data segment: heap, buffers and WebAssembly memory together. The address space as a whole cannot be capped, V8 reserves it. */
  readonly memoryMib?: number;
  readonly maxOpenFiles?: number;
  /** Bytes of the largest file it may write. */
  readonly maxFileBytes?: number;
}

/** The programs of util-linux that set limits; absent on systems other than Linux, or where they do not work. */
export interface LimitTools {
  readonly prlimit?: string;
  readonly setpriv?: string;
}

/** An argument vector that runs `argv` under limits, without core dumps, without ever gaining rights, and not outliving us. */
export function limitCommand(argv: readonly string[], limits: KernelLimits, tools: LimitTools): string[] {
  const { prlimit, setpriv } = tools;
  return [
    ...(prlimit === undefined ? [] : [prlimit, ...limitFlags(limits), "--"]),
    ...(setpriv === undefined ? [] : [setpriv, "--pdeathsig", "SIGKILL", "--no-new-privs", "--"]),
    ...argv,
  ];
}

function limitFlags({ memoryMib, maxOpenFiles, maxFileBytes }: KernelLimits): string[] {
  return [
    "--core=0",
    ...(memoryMib === undefined ? [] : [`--data=${memoryMib * 1_048_576}`]),
    ...(maxOpenFiles === undefined ? [] : [`--nofile=${maxOpenFiles}`]),
    ...(maxFileBytes === undefined ? [] : [`--fsize=${maxFileBytes}`]),
  ];
}

/** Finds the tools, and keeps only those that do what is asked of them here: BusyBox has a `setpriv` of the same name. */
export async function findLimitTools(path?: string): Promise<LimitTools> {
  if (process.platform !== "linux") return {};
  const [prlimit, setpriv] = await Promise.all([findProgram("prlimit", path), findProgram("setpriv", path)]);
  const limits: KernelLimits = { memoryMib: 1024, maxOpenFiles: 64, maxFileBytes: 0 };
  const [canLimit, canBind] = await Promise.all([
    prlimit !== undefined && succeeds(limitCommand([prlimit, "--version"], limits, { prlimit })),
    setpriv !== undefined && succeeds(limitCommand([setpriv, "--version"], limits, { setpriv })),
  ]);
  return {
    ...(canLimit && prlimit !== undefined && { prlimit }),
    ...(canBind && setpriv !== undefined && { setpriv }),
  };
}

function succeeds([file = "", ...args]: readonly string[]): Promise<boolean> {
  return new Promise<boolean>((resolve) => {
    execFile(file, args, { env: {}, timeout: 5000, killSignal: "SIGKILL" }, (error) => {
      resolve(error === null);
    });
  }).catch(() => false);
}

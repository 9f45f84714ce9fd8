import { execFile } from "node:child_process";

// Reads the status of the process that runs it.
const script = `process.stdout.write(require("node:fs").readFileSync("/proc/self/status", "utf8"))`;

/**
 * MiB that count as data of a Node process before it has done anything. V8 reserves its code range as writable memory, 512
 * MiB of it on x64, most of which it never touches: a cap that does not allow for it is no cap of what a document may use.
 * 0 where there is no /proc.
 */
export function measureReservedMemory(nodePath: string): Promise<number> {
  return new Promise((resolve) => {
    execFile(nodePath, ["-e", script], { env: {}, timeout: 10_000, killSignal: "SIGKILL" }, (error, stdout) => {
      const kibibytes = error === null ? /^VmData:\s*(\d+) kB$/m.exec(stdout)?.[1] : undefined;
      resolve(Math.ceil(Number(kibibytes ?? 0) / 1024));
    });
  });
}

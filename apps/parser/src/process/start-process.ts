import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";

/**
 * Starts a program as the leader of a group of its own, or throws; nothing that goes wrong later is an uncaught exception.
 * Call it from the main thread: the parent-death signal follows the thread that spawns.
 * @throws Error when the system has no process, memory or file descriptor left. A program that does not exist is told by
 *   the event `error`.
 */
export function startProcess([file = "", ...args]: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(file, args, { ...options, detached: process.platform !== "win32", windowsHide: true });
  child.on("error", () => undefined);
  // Node leaves the streams out when it has no descriptors for them, whatever its types say.
  const streams = child.stdio as ChildProcess["stdio"] | undefined;
  if (streams === undefined) throw new Error("no file descriptors are left");
  for (const stream of streams) stream?.on("error", () => undefined);
  return child;
}

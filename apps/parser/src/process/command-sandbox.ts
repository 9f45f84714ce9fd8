import { execFile } from "node:child_process";
import { realpathSync } from "node:fs";
import { dirname, sep } from "node:path";
import type { CommandFiles } from "../engines/run-command.ts";
import { bubblewrapFence } from "./bubblewrap.ts";
import { findProgram } from "./find-program.ts";

export interface CommandView extends CommandFiles {
  /** Absolute path of the program, which stays visible with what lies beside it. */
  readonly program: string;
  readonly workingFolder: string;
  /** Folders of which the program sees nothing but what it is given, beside those that are always hidden. */
  readonly hidden: readonly string[];
}

/**
 * Flags of bwrap for a program that is installed on this machine: it sees what is installed and its own files, read-only but
 * for the folders it may write, and has neither network nor other processes. `/proc` is there, since LibreOffice wants it.
 */
export function commandSandboxFlags({ program, workingFolder, hidden, readable, writable }: CommandView): string[] {
  return [
    ...bubblewrapFence,
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    ...foldersToHide(program, hidden).flatMap((path) => ["--tmpfs", path]),
    ...readable.flatMap((path) => ["--ro-bind", path, path]),
    ...writable.flatMap((path) => ["--bind", path, path]),
    "--chdir",
    workingFolder,
    "--",
  ];
}

/** Where people and programs keep what is theirs. A program that was installed there has to see it, interpreter and all. */
const privateFolders = ["/home", "/media", "/mnt", "/root", "/run", "/srv", "/tmp", "/var/tmp"];

function foldersToHide(program: string, hidden: readonly string[]): readonly string[] {
  const places = [dirname(program), dirname(realPath(program) ?? program)];
  const wanted = [...privateFolders, ...hidden].map(realPath).filter((path) => path !== undefined);
  return [...new Set(wanted)].filter((path) => !places.some((place) => `${place}${sep}`.startsWith(`${path}${sep}`)));
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** The bwrap of this machine when it can really start a program in such a sandbox here; undefined otherwise. */
export async function findCommandSandbox(): Promise<string | undefined> {
  if (process.platform !== "linux") return undefined;
  const [bwrap, program] = await Promise.all([findProgram("bwrap"), findProgram("true")]);
  if (bwrap === undefined || program === undefined) return undefined;
  const view = { program, workingFolder: "/", hidden: [], readable: [], writable: [] };
  return new Promise((resolve) => {
    const argv = [...commandSandboxFlags(view), program];
    execFile(bwrap, argv, { env: {}, timeout: 5000, killSignal: "SIGKILL" }, (error) => {
      resolve(error === null ? bwrap : undefined);
    });
  });
}

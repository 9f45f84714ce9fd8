import { lstatSync, readlinkSync } from "node:fs";

/** What the sandboxed program may see of the file system; everything is read-only. */
export interface VisibleFiles {
  /** The program itself. */
  readonly program: string;
  readonly paths: readonly string[];
}

/** Number of the file descriptor from which bwrap reads the seccomp program. */
export const seccompDescriptor = 4;

// What a dynamic executable needs to start. No /usr/bin, no /etc, no /proc, no /dev, no home.
const libraryPaths = ["/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache", "/nix/store"];
const rootLibraryPaths = ["/lib", "/lib32", "/lib64"];

/**
 * Flags of bwrap for a program that sees only what it is given: own user, process, network, mount, host-name and IPC
 * namespaces, no capabilities, an empty environment, and an end together with us.
 */
export function bubblewrapFlags(
  files: VisibleFiles,
  env: Readonly<Record<string, string>>,
  hasFilter: boolean,
): string[] {
  return [
    ...bubblewrapFence,
    "--clearenv",
    "--hostname",
    "parser",
    ...libraryPaths.flatMap((path) => ["--ro-bind-try", path, path]),
    ...rootLibraryPaths.flatMap(rootLibraryFlags),
    "--tmpfs",
    "/tmp",
    ...[...files.paths, files.program].flatMap((path) => ["--ro-bind", path, path]),
    "--remount-ro",
    "/",
    "--chdir",
    "/",
    ...Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]),
    ...(hasFilter ? ["--seccomp", String(seccompDescriptor)] : []),
    "--",
  ];
}

/** Namespaces of its own, the network's among them; no capabilities; no terminal; an end together with us. */
export const bubblewrapFence: readonly string[] = [
  "--unshare-all",
  "--die-with-parent",
  "--new-session",
  "--cap-drop",
  "ALL",
];

// On merged-/usr systems these are links, which a bind mount would follow into a second copy.
function rootLibraryFlags(path: string): string[] {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (entry === undefined) return [];
  return entry.isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : ["--ro-bind", path, path];
}

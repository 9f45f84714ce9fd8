import type { ChildProcess } from "node:child_process";
import { startProcess } from "./start-process.ts";

/**
 * Sees to it that no process group outlives this process, not even when it is killed without warning. A parent-death
 * signal reaches only the direct child; the guard reaches that child's own children, and works where there is no such signal.
 */
export interface GroupGuard {
  /** Registers a group by the id of its leader. */
  add(groupId: number): void;
  /** Must follow the end of the group at once, because the system may give its id to another. */
  remove(groupId: number): void;
  /** Has a folder of compiled code removed when this process is gone; one folder, whose name starts with `parser-compiled-`. */
  removeAtEnd(folder: string): void;
  close(): void;
}

// Reads "+ ID", "- ID" and "@ FOLDER" lines; when its input ends, because we closed it or because we are gone, kills what is left.
const script = `
groups=' '
folder=
while read -r change id; do
  case $change in
    +) groups="$groups$id " ;;
    @) folder=$id ;;
    -) groups="\${groups%% $id *} \${groups#* $id }" ;;
  esac
done
for id in $groups; do kill -s KILL -- "-$id" || kill -9 "-$id"; done
case $folder in
  */parser-compiled-*) rm -rf -- "$folder" ;;
esac
`;

/** A shell that ends sooner is not started again for the same groups. */
const provenLifeMs = 1000;

/** Starts its shell with the first group. On Windows it does nothing: there are no process groups. */
export function createGroupGuard(): GroupGuard {
  const groups = new Set<number>();
  let shell: ChildProcess | undefined;
  let isClosed = false;
  let folderToRemove: string | undefined;

  const send = (line: string) => shell?.stdin?.write(line);
  const start = () => {
    const started = startShell();
    shell = started;
    const startedAtMs = performance.now();
    started?.once("close", () => {
      shell = undefined;
      const hasWorked = performance.now() - startedAtMs > provenLifeMs;
      if (hasWorked && !isClosed && groups.size > 0) start();
    });
    for (const id of groups) send(`+ ${id}\n`);
    if (folderToRemove !== undefined) send(`@ ${folderToRemove}\n`);
  };

  return {
    add: (groupId) => {
      if (process.platform === "win32" || isClosed) return;
      groups.add(groupId);
      if (shell === undefined) start();
      else send(`+ ${groupId}\n`);
    },
    remove: (groupId) => {
      if (groups.delete(groupId)) send(`- ${groupId}\n`);
    },
    removeAtEnd: (folder) => {
      if (folder.includes("\n")) return;
      folderToRemove = folder;
      send(`@ ${folder}\n`);
    },
    close: () => {
      isClosed = true;
      shell?.stdin?.end();
    },
  };
}

// A group of its own, so that a kill of our group leaves it the time to do its work. Without a shell there is no guard, but
// still the parent-death signal.
function startShell(): ChildProcess | undefined {
  try {
    const shell = startProcess(["/bin/sh", "-c", script], { env: {}, stdio: ["pipe", "ignore", "ignore"] });
    shell.unref();
    if (shell.stdin !== null) unrefStream(shell.stdin);
    return shell;
  } catch {
    return undefined;
  }
}

// The pipe to a guard must not keep a finished program running; only sockets declare that they can be unreferenced.
function unrefStream(stream: object): void {
  if ("unref" in stream && typeof stream.unref === "function") stream.unref();
}

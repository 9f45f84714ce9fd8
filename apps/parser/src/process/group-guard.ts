import { type ChildProcess, spawn } from "node:child_process";

/**
 * Sees to it that no process group outlives this process, not even when it is killed without warning. A parent-death
 * signal reaches only the direct child; the guard reaches that child's own children, and works where there is no such signal.
 */
export interface GroupGuard {
  /** Registers a group by the id of its leader. */
  add(groupId: number): void;
  /** Must follow the end of the group at once, because the system may give its id to another. */
  remove(groupId: number): void;
  close(): void;
}

// Reads "+ ID" and "- ID" lines; when its input ends, because we closed it or because we are gone, kills what is left.
const script = `
groups=' '
while read -r change id; do
  case $change in
    +) groups="$groups$id " ;;
    -) groups="\${groups%% $id *} \${groups#* $id }" ;;
  esac
done
for id in $groups; do kill -s KILL -- "-$id" || kill -9 "-$id"; done
`;

/** Starts its shell with the first group. On Windows it does nothing: there are no process groups. */
export function createGroupGuard(): GroupGuard {
  const groups = new Set<number>();
  let shell: ChildProcess | undefined;
  let isClosed = false;

  const send = (line: string) => shell?.stdin?.write(line);
  const start = () => {
    const started = startShell();
    shell = started;
    started.once("close", () => {
      if (shell !== started) return;
      shell = undefined;
      if (!isClosed && groups.size > 0) start();
    });
    for (const id of groups) send(`+ ${id}\n`);
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
    close: () => {
      isClosed = true;
      shell?.stdin?.end();
    },
  };
}

// A group of its own, so that a kill of our group leaves it the time to do its work.
function startShell(): ChildProcess {
  const shell = spawn("/bin/sh", ["-c", script], { detached: true, env: {}, stdio: ["pipe", "ignore", "ignore"] });
  shell.on("error", () => undefined);
  shell.stdin.on("error", () => undefined);
  shell.unref();
  unrefStream(shell.stdin);
  return shell;
}

// The pipe to a guard must not keep a finished program running; only sockets declare that they can be unreferenced.
function unrefStream(stream: object): void {
  if ("unref" in stream && typeof stream.unref === "function") stream.unref();
}

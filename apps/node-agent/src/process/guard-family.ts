import { type ChildProcess, spawn } from "node:child_process";
import { runIdVariable } from "./end-group.ts";

/**
 * Sees to it that processes which are bound to the agent do not outlive it, however it ends: their group and everything that
 * carries their run id, so also grandchildren and what left the group. One shell for all of them; it waits for the end of its
 * input, which comes with the end of the agent.
 */
export interface FamilyGuard {
  /** @param groupId number of the group's leader */
  add(runId: string, groupId: number): void;
  /** Must follow the end of the group at once, because the system may give its number to another. */
  remove(runId: string): void;
  close(): void;
}

// Reads "+ RUN GROUP" and "- RUN" lines; whatever is left when the input ends is killed, twice because of what is just forking.
const script = `
left=' '
while read -r change run group; do
  case $change in
    +) left="$left$run:$group " ;;
    -) kept=' '; for entry in $left; do case $entry in "$run:"*) ;; *) kept="$kept$entry " ;; esac; done; left=$kept ;;
  esac
done
for round in 1 2; do
  for entry in $left; do
    kill -s KILL -- "-\${entry##*:}" 2>/dev/null
    for file in $(grep -l -a -F -- "${runIdVariable}=\${entry%%:*}" /proc/[0-9]*/environ 2>/dev/null); do
      pid=\${file#/proc/}; kill -9 "\${pid%%/*}" 2>/dev/null
    done
  done
done
`;

/** A shell that ends sooner is not started again. */
const provenLifeMs = 1000;

export function createFamilyGuard(): FamilyGuard {
  const groups = new Map<string, number>();
  let shell: ChildProcess | undefined;
  let isClosed = false;
  const send = (line: string) => shell?.stdin?.write(line);
  const start = () => {
    const startedAtMs = performance.now();
    shell = startShell();
    shell.once("close", () => {
      shell = undefined;
      const hasWorked = performance.now() - startedAtMs > provenLifeMs;
      if (hasWorked && !isClosed && groups.size > 0) start();
    });
    for (const [runId, groupId] of groups) send(`+ ${runId} ${groupId}\n`);
  };
  return {
    add: (runId, groupId) => {
      if (isClosed || !/^[\w-]+$/.test(runId)) return;
      groups.set(runId, groupId);
      if (shell === undefined) start();
      else send(`+ ${runId} ${groupId}\n`);
    },
    remove: (runId) => {
      if (groups.delete(runId)) send(`- ${runId}\n`);
    },
    close: () => {
      isClosed = true;
      shell?.stdin?.end();
    },
  };
}

// In a group of its own, so that who ends ours leaves it the time to do its work.
function startShell(): ChildProcess {
  const shell = spawn("/bin/sh", ["-c", script], {
    env: { PATH: "/usr/bin:/bin" },
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  shell.on("error", () => undefined);
  shell.stdin.on("error", () => undefined);
  shell.unref();
  if ("unref" in shell.stdin && typeof shell.stdin.unref === "function") shell.stdin.unref();
  return shell;
}

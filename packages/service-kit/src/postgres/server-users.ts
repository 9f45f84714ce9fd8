import { mkdirSync, readdirSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ClusterFiles } from "./cluster-files.ts";
import { endServer, findServer } from "./find-server.ts";
import { isMarkAlive } from "./process-mark.ts";

/*
 * Who needs the server. Each user has a file in the folder `users`; whoever takes the folder itself away, which succeeds
 * only while it is empty, ends the server. So two programs share a server, the last one ends it, and nobody ends one that
 * has just been joined. Files of processes that were killed count for nothing.
 */

/**
 * Enters a user, for as long as its process lives.
 * @param user the mark of a process, and `-` with a name of its own where it enters more than once
 */
export async function joinServer(files: ClusterFiles, user: string): Promise<void> {
  for (;;) {
    // Looked up first: while there is no folder, a server that was running before is nobody's, and one started later is not.
    const running = findServer(files);
    if (hasEntered(files, user)) return;
    if (running !== undefined) await endServer(running);
    mkdirSync(files.users, { recursive: true });
  }
}

function hasEntered({ users }: ClusterFiles, user: string): boolean {
  try {
    writeFileSync(join(users, user), "");
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
    throw error;
  }
}

/** Takes the user off. @returns whether it was the last one, who is to end the server. */
export function leaveServer({ users }: ClusterFiles, user: string): boolean {
  rmSync(join(users, user), { force: true });
  try {
    for (const name of readdirSync(users)) if (!isMarkAlive(name)) rmSync(join(users, name), { force: true });
    rmdirSync(users);
    return true;
  } catch {
    return false; // others need it, or the last one is ending it
  }
}

import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type InstanceLock, LockedError, takeLock } from "@attune/service-kit/instance-lock.ts";

export interface DataFolder extends InstanceLock {
  readonly folder: string;
  readonly runs: string;
  readonly cache: string;
  readonly inference: string;
  readonly leases: string;
}

/**
 * Makes the data folder where there is none, for this user alone, and takes it for this agent.
 * @throws Error saying why this agent cannot have it.
 */
export async function openDataFolder(folder: string): Promise<DataFolder> {
  await makeFolder(folder).catch((error: unknown) => {
    const why = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new Error(
      `The data folder ${folder} cannot be made (${why}). Give it to this user, or set NODE_AGENT_DATA_DIR to another folder.`,
      { cause: error },
    );
  });
  const taken = await lock(join(folder, "agent.lock"), folder);
  return {
    folder,
    runs: join(folder, "runs"),
    cache: join(folder, "cache"),
    inference: join(folder, "inference"),
    leases: join(folder, "leases.json"),
    release: () => taken.release(),
  };
}

// Node's own recursion never ends below a link that leads nowhere, or below /proc.
async function makeFolder(path: string): Promise<void> {
  const make = () => mkdir(path, { mode: 0o700 });
  try {
    await make();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await make();
  }
}

async function lock(path: string, folder: string): Promise<InstanceLock> {
  try {
    return await takeLock(path);
  } catch (error) {
    if (error instanceof LockedError) {
      throw new Error(
        `Another node agent (process ${error.pid}) works on the data folder ${folder}. Stop it first, or set NODE_AGENT_DATA_DIR and NODE_AGENT_PORT to run a second one.`,
        { cause: error },
      );
    }
    const why = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new Error(`The data folder ${folder} cannot be written (${why}). Give it to this user.`, { cause: error });
  }
}

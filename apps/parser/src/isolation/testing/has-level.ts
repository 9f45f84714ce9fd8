import { chooseSandbox } from "../../process/choose-sandbox.ts";
import type { IsolationLevel } from "../../process/sandbox.ts";
import { defaultPoolSettings, toSandboxSettings } from "../create-worker-pool.ts";

/** Whether this machine can have the level; where it cannot, says why. */
export async function hasLevel(level: IsolationLevel): Promise<boolean> {
  if (level === "none") return true;
  try {
    await chooseSandbox(level, toSandboxSettings(defaultPoolSettings));
    return true;
  } catch (error) {
    process.stderr.write(`skipped: ${(error as Error).message}\n`);
    return false;
  }
}

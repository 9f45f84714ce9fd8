import { chooseSandbox } from "../../process/choose-sandbox.ts";
import { createSandbox, findSandboxTools, type IsolationLevel, type Sandbox } from "../../process/sandbox.ts";
import { defaultPoolSettings, toSandboxSettings } from "../create-worker-pool.ts";

/** The sandbox of exactly this level, or undefined, with a word on why, where the machine cannot have it. */
export async function findSandbox(level: IsolationLevel, memoryMib: number): Promise<Sandbox | undefined> {
  const settings = { ...toSandboxSettings(defaultPoolSettings), memoryMib };
  try {
    if (level !== "none") await chooseSandbox(level, settings);
    return createSandbox(level, settings, await findSandboxTools(settings.nodePath));
  } catch (error) {
    process.stderr.write(`skipped: ${(error as Error).message}\n`);
    return undefined;
  }
}

import type { Logger } from "@attune/service-kit/create-logger.ts";
import type { Environment } from "@attune/service-kit/load-config.ts";
import type { AgentConfig } from "./config.ts";
import { createEngineProcesses } from "./engines/create-engine-processes.ts";
import { createPythonSetup, type PythonSetup } from "./engines/python-setup/python-setup.ts";

export interface PythonSetupParts {
  readonly config: AgentConfig;
  readonly environment: Environment;
  /** Absolute; its log lies there. */
  readonly folder: string;
  readonly logger: Logger;
}

/** What makes the Python environment when it is first needed, until `opening` is disposed; undefined where a person makes it. */
export function openPythonSetup(parts: PythonSetupParts, opening: AsyncDisposableStack): PythonSetup | undefined {
  const command = parts.config.python.setup;
  if (command === undefined) return undefined;
  const processes = createEngineProcesses(parts.environment);
  const setup = createPythonSetup({ ...parts, processes, command });
  opening.defer(async () => {
    await setup.close();
    processes.close();
  });
  return setup;
}

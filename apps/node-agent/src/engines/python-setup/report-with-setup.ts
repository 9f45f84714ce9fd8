import type { EngineReport } from "../job-engine.ts";
import { keepForAMinute } from "../keep-for-a-minute.ts";
import type { PythonSetup } from "./python-setup.ts";

/**
 * The report of an engine in Python, asked anew when it is older than a minute or the environment has been made since. While it
 * is being made, and when that failed, this is why the engine cannot be used.
 */
export function reportWithSetup(
  ask: () => Promise<EngineReport>,
  setup: Pick<PythonSetup, "story" | "timesDone"> | undefined,
): () => Promise<EngineReport> {
  if (setup === undefined) return keepForAMinute(ask);
  let report = keepForAMinute(ask);
  let timesSeen = setup.timesDone;
  return async () => {
    if (setup.timesDone !== timesSeen) {
      timesSeen = setup.timesDone;
      report = keepForAMinute(ask);
    }
    const found = await report();
    if (found.available) return found;
    const story = setup.story() ?? `${found.unavailableReason} Or ask for a job or a model: the first one sets it up.`;
    return { ...found, unavailableReason: story };
  };
}

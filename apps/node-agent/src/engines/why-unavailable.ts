import type { EngineReport } from "./job-engine.ts";

export interface Usable {
  report(): Promise<EngineReport>;
  /** Begins what makes the engine usable, where that needs nobody; its report tells how far that is. */
  makeAvailable?(): void;
}

/** Why an engine that is wanted now cannot be used, or undefined; what would make it usable is begun. */
export async function whyUnavailable(engine: Usable): Promise<string | undefined> {
  const { available, unavailableReason } = await engine.report();
  if (available) return undefined;
  if (engine.makeAvailable === undefined) return unavailableReason;
  engine.makeAvailable();
  const after = await engine.report();
  return after.available ? undefined : after.unavailableReason;
}

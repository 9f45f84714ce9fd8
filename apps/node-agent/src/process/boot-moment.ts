import { uptime } from "node:os";
import { bootId } from "./process-identity.ts";

/** A moment by the time since the machine was started, which later processes can tell, too, and which setting the clock does not change. */
export interface BootMoment {
  /** Empty where the system does not tell. */
  readonly bootId: string;
  readonly uptimeSeconds: number;
}

export const bootMoment = (): BootMoment => ({ bootId, uptimeSeconds: uptime() });

/** Milliseconds that have passed since; 0 when the machine was started anew meanwhile. */
export const elapsedMs = ({ bootId: boot, uptimeSeconds }: BootMoment): number =>
  boot === bootId ? Math.max(0, (uptime() - uptimeSeconds) * 1000) : 0;

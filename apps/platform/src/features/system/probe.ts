import type { HealthReason } from "@attune/contracts/rest/health-reasons.ts";
import type { HealthPart, HealthPartReport } from "@attune/contracts/rest/system.ts";

export type FactsOf<P extends HealthPart> = NonNullable<Extract<HealthPartReport, { part: P }>["facts"]>;

/** One thing that is wrong with a part. */
export interface Finding {
  readonly reason: HealthReason;
  readonly state: "degraded" | "failing";
  /** What this case is about; never a secret. */
  readonly detail?: string;
}

export interface Found<P extends HealthPart> {
  readonly facts: FactsOf<P> | null;
  readonly findings: readonly Finding[];
}

/** Looks at one part of what the platform stands on. */
export interface ProbeOf<P extends HealthPart> {
  readonly part: P;
  /** What is told when it throws, or does not end in time. */
  readonly unavailable: HealthReason;
  /** Undefined where the part is not configured. It should end when `signal` aborts; nobody waits for it then. */
  readonly run: (signal: AbortSignal) => Promise<Found<P> | undefined>;
}

export type Probe = { readonly [P in HealthPart]: ProbeOf<P> }[HealthPart];

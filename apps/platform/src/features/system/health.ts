import { healthReasons } from "@attune/contracts/rest/health-reasons.ts";
import {
  type HealthPart,
  type HealthPartReport,
  type HealthState,
  healthStates,
} from "@attune/contracts/rest/system.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { Logger } from "@attune/service-kit/create-logger.ts";
import type { FactsOf, Finding, Probe } from "./probe.ts";

/** Time that the check of one part may take. */
const defaultTimeoutMs = 5000;

export interface HealthDeps {
  readonly probes: readonly Probe[];
  readonly logger: Logger;
  readonly timeoutMs?: number;
}

interface AnyFound {
  readonly facts: FactsOf<HealthPart> | null;
  readonly findings: readonly Finding[];
}

interface Run {
  readonly startedAt: Date;
  readonly startMs: number;
  /** Never rejects. */
  readonly result: Promise<AnyFound | undefined>;
}

/**
 * A function that checks all parts at once, and answers when the slowest has ended or run out of time. A check that does not
 * end is not begun a second time, so that what hangs does not take more and more of the node; callers who come meanwhile get
 * what the first one gets.
 */
export function createHealthCheck({ probes, logger, timeoutMs = defaultTimeoutMs }: HealthDeps) {
  const running = new Map<string, Run>();
  const begin = (probe: Probe): Run => {
    const result = probe
      .run(AbortSignal.timeout(timeoutMs))
      .catch((error: unknown): AnyFound => {
        logger.warn({ error, part: probe.part }, "the check of a part failed");
        return toUnavailable(probe, describe(error));
      })
      .finally(() => running.delete(probe.part));
    const run = { startedAt: new Date(), startMs: performance.now(), result };
    running.set(probe.part, run);
    return run;
  };
  const check = async (probe: Probe): Promise<HealthPartReport> => {
    const run = running.get(probe.part) ?? begin(probe);
    const found = await withinTime(run, timeoutMs, () => {
      const detail = `No answer since ${run.startedAt.toISOString()}.`;
      return toUnavailable(probe, detail);
    });
    return toReport(probe, run, found);
  };
  return (): Promise<HealthPartReport[]> => Promise.all(probes.map(check));
}

function withinTime(run: Run, timeoutMs: number, late: () => AnyFound): Run["result"] {
  const { promise, resolve } = Promise.withResolvers<AnyFound | undefined>();
  const leftMs = Math.max(0, run.startMs + timeoutMs - performance.now());
  const timer = setTimeout(() => resolve(late()), leftMs);
  void run.result.then(resolve).finally(() => clearTimeout(timer));
  return promise;
}

const toUnavailable = ({ unavailable }: Probe, detail: string): AnyFound => ({
  facts: null,
  findings: [{ reason: unavailable, state: "failing", detail }],
});

function describe(error: unknown): string {
  if (error instanceof AppError) return error.message;
  // What a query failed with says the whole statement; its cause says why.
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}

function toReport({ part }: Probe, run: Run, found: AnyFound | undefined): HealthPartReport {
  const findings = (found?.findings ?? []).map(toWireFinding);
  return {
    part,
    state: found === undefined ? "not_configured" : worstOf(["ok", ...findings.map(({ state }) => state)]),
    findings,
    checked_at: run.startedAt.toISOString(),
    duration_ms: Math.round(performance.now() - run.startMs),
    facts: found?.facts ?? null,
  } as HealthPartReport;
}

const toWireFinding = ({ reason, state, detail }: Finding) => ({
  reason,
  state,
  ...healthReasons[reason],
  detail: detail ?? null,
});

export function worstOf(states: readonly HealthState[]): HealthState {
  return healthStates[Math.max(0, ...states.map((state) => healthStates.indexOf(state)))] ?? "failing";
}

import type { FindingSeverity } from "@attune/contracts/rest/dataset-formats.ts";
import { type FindingCode, findingCodes } from "./finding-codes.ts";
import type { Finding } from "./finding.ts";

/** How many places of each code are kept. */
const keptPositions = 20;

/** All findings of one code: how many there are, and the first 20. */
export interface FindingCount {
  readonly code: FindingCode;
  readonly severity: FindingSeverity;
  readonly message: string;
  readonly remedy: string;
  readonly count: number;
  readonly first: readonly Finding[];
}

export interface FindingTally {
  add(finding: Finding): void;
  /** Errors first, then by frequency. */
  list(): FindingCount[];
}

/** Counts findings in constant memory. */
export function createFindingTally(): FindingTally {
  const counts = new Map<FindingCode, { count: number; first: Finding[] }>();
  return {
    add(finding) {
      const known = counts.get(finding.code) ?? { count: 0, first: [] };
      counts.set(finding.code, known);
      known.count++;
      if (known.first.length < keptPositions) known.first.push(finding);
    },
    list() {
      return [...counts]
        .map(([code, { count, first }]) => ({ code, ...findingCodes[code], count, first: [...first] }))
        .sort((a, b) => rank(a.severity) - rank(b.severity) || b.count - a.count || a.code.localeCompare(b.code));
    },
  };
}

const rank = (severity: FindingSeverity): number => ["error", "warning", "notice"].indexOf(severity);

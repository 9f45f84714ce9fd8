import { type BleuOptions } from "./bleu/bleu.ts";
import { smoothingDefaults } from "./bleu/bleu-score.ts";
import { type ChrfOptions } from "./chrf/chrf.ts";
import type { Sample } from "./samples.ts";

/**
 * What two BLEU scores must have in common to be compared, in the form of sacreBLEU's signatures. The version names this
 * implementation and the one it is equal to.
 */
export function bleuSignature(samples: readonly Sample[], options: BleuOptions = {}): string {
  const smoothing = options.smoothing ?? "exp";
  const value =
    smoothingDefaults[smoothing] === undefined ? undefined : (options.smoothingValue ?? smoothingDefaults[smoothing]);
  return join({
    nrefs: countReferences(samples),
    case: options.lowercase === true ? "lc" : "mixed",
    eff: options.effectiveOrder === true ? "yes" : "no",
    tok: options.tokenizer ?? "13a",
    smooth: value === undefined ? smoothing : `${smoothing}[${value.toFixed(2)}]`,
  });
}

/** The same for chrF. */
export const chrfSignature = (samples: readonly Sample[], options: ChrfOptions = {}): string =>
  join({
    nrefs: countReferences(samples),
    case: options.lowercase === true ? "lc" : "mixed",
    eff: "yes",
    nc: String(options.charOrder ?? 6),
    nw: String(options.wordOrder ?? 0),
    space: "no",
  });

function countReferences(samples: readonly Sample[]): string {
  const counts = new Set(samples.map(({ references }) => references.length));
  const [first] = counts;
  return counts.size === 1 ? String(first) : "var";
}

const join = (parts: Readonly<Record<string, string>>): string =>
  [...Object.entries(parts), ["version", "attune-0.1.0(sacrebleu-2.6.0)"]].map((pair) => pair.join(":")).join("|");

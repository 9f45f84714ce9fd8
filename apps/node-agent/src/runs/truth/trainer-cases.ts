import type { TruthRow } from "./truth-case.ts";

/** Faults that the real trainer meets; tested where its Python environment is. */
export const trainerCases: readonly TruthRow[] = [];

import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { fillCompileCache } from "./fill-compile-cache.ts";
import { ours } from "./peers.ts";

it("keeps what Node compiled of the readers that run in it", { timeout: 120_000 }, () => {
  const sample = join(import.meta.dirname, "../../apps/parser/corpus/csv");
  const file = readdirSync(sample).find((name) => name.endsWith(".csv"))!;
  const folder = fillCompileCache([ours], join(sample, file));
  const kept = readdirSync(folder, { recursive: true });
  rmSync(folder, { recursive: true });
  // One file for each module of the reader's graph.
  expect(kept.length).toBeGreaterThan(50);
});

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createSimulatedProvider } from "./create-simulated-provider.ts";
import { parseSimulationSpec, type SimulationSpec } from "./simulation-spec.ts";

const specOf = (text: string): SimulationSpec => {
  const spec = parseSimulationSpec(text);
  if (spec === undefined) throw new Error(`${text} was not understood`);
  return spec;
};
const provide = (
  text: string,
  { nowMs = 5000, held = [] as readonly number[], faultsPath = undefined as string | undefined } = {},
) =>
  createSimulatedProvider({
    spec: specOf(text),
    faultsPath,
    isHeld: (index) => held.includes(index),
    intervalMs: 1000,
    now: () => nowMs,
  });

describe("parseSimulationSpec", () => {
  it.each([
    ["4xH100-80GB", 4, 0],
    ["1xRTX 4090-24GB:7", 1, 7],
    [" 2xH100-80GB, 2xL4-24GB:99 ", 4, 99],
  ])("reads %s", (text, count, seed) => {
    expect(parseSimulationSpec(text)?.gpus).toHaveLength(count);
    expect(parseSimulationSpec(text)?.seed).toBe(seed);
  });

  it.each([
    "",
    "4",
    "H100",
    "0xH100-80GB",
    "4xH100",
    "4xH100-0GB",
    "65xH100-80GB",
    "40xA-1GB,40xB-1GB",
    "4xH100-80GB:x",
    "4xH100-80GB:1:2",
    "-1xH100-80GB",
  ])("does not understand %j", (text) => {
    expect(parseSimulationSpec(text)).toBeUndefined();
  });
});

describe("simulated GPUs", () => {
  it("say everywhere that they are simulated", () => {
    const provider = provide("2xH100-80GB");
    expect(provider.isSimulated).toBe(true);
    expect(provider.latest().note).toContain("simulated");
    expect(provider.latest().gpus.map(({ name }) => name)).toEqual(Array(2).fill("H100-80GB (simulated)"));
  });

  it("have the same figures for the same seed at the same time, and others for another one", () => {
    const figures = (text: string, nowMs: number) => provide(text, { nowMs, held: [0] }).latest();
    expect(figures("2xH100-80GB:3", 5000)).toEqual(figures("2xH100-80GB:3", 5999));
    expect(figures("2xH100-80GB:3", 5000).gpus[0]?.powerW).not.toBe(figures("2xH100-80GB:3", 6000).gpus[0]?.powerW);
    expect(figures("2xH100-80GB:3", 5000).gpus[0]?.memoryUsedMb).not.toBe(
      figures("2xH100-80GB:4", 5000).gpus[0]?.memoryUsedMb,
    );
    expect(new Set(figures("4xH100-80GB", 5000).gpus.map(({ uuid }) => uuid)).size).toBe(4);
  });

  it("use memory and work as long as somebody has them", () => {
    const [idle, held] = provide("2xH100-80GB", { held: [1] }).latest().gpus;
    expect(idle).toMatchObject({ memoryUsedMb: 4, utilisationPercent: 0, memoryTotalMb: 81_920 });
    expect(held?.memoryUsedMb).toBeGreaterThan(30_000);
    expect(held?.utilisationPercent).toBeGreaterThan(80);
    expect((held?.memoryUsedMb ?? 0) + (held?.memoryFreeMb ?? 0)).toBe(81_920);
  });

  it("vanish as a file says, and come back", () => {
    const folder = mkdtempSync(join(tmpdir(), "attune-sim-"));
    const faultsPath = join(folder, "faults");
    const provider = provide("3xH100-80GB", { faultsPath });
    const faults = () => provider.latest().gpus.map(({ fault }) => fault);
    expect(faults()).toEqual([null, null, null]);
    writeFileSync(faultsPath, "1\n2 GPU is lost\nnonsense\n9\n");
    expect(faults()).toEqual([null, "It was made to vanish by the simulation.", "GPU is lost"]);
    expect(provider.latest().gpus[1]).toMatchObject({ memoryTotalMb: 81_920, memoryUsedMb: null, temperatureC: null });
    rmSync(folder, { recursive: true });
    expect(faults()).toEqual([null, null, null]);
  });
});

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "@attune/service-kit/create-logger.ts";
import { fakeSmiGpu, makeFakeNvidiaSmi } from "@attune/testkit/fake-nvidia-smi.ts";
import { compileFakeNvml } from "@attune/testkit/fake-nvml.ts";
import { afterAll, expect, it } from "vitest";
import type { GpuSource } from "./gpu-settings.ts";
import { openDevices } from "./open-devices.ts";
import { parseSimulationSpec } from "./simulated/simulation-spec.ts";

const folder = await mkdtemp(join(tmpdir(), "attune-devices-"));
afterAll(() => rm(folder, { recursive: true }));

const { program } = await makeFakeNvidiaSmi(folder, { gpus: [fakeSmiGpu(0), fakeSmiGpu(1)] });
const compiled = await compileFakeNvml(folder);
if (compiled === undefined) console.warn("skipped: NVML: there is no C compiler to make a library with");
const missing = { nvidiaSmi: join(folder, "no-smi"), nvmlLibrary: join(folder, "no-nvml.so") };

async function found(source: GpuSource, there: { readonly nvidiaSmi?: string; readonly nvmlLibrary?: string }) {
  const devices = await openDevices(
    { source, simulation: undefined, simulatedFaultsPath: undefined, intervalMs: 200 },
    { logger: createLogger("test", "silent"), isHeld: () => false, ...missing, ...there },
  );
  const { gpus, fault, note } = devices.latest();
  await devices.close();
  return { name: devices.name, isSimulated: devices.isSimulated, gpus: gpus.length, fault, note };
}

it("takes nvidia-smi where it is", async () => {
  expect(await found("auto", { nvidiaSmi: program })).toEqual({
    name: "nvidia-smi",
    isSimulated: false,
    gpus: 2,
    fault: null,
    note: null,
  });
});

it("has no GPUs where there is no driver, and says so, and nothing is wrong", async () => {
  const { note, ...rest } = await found("auto", {});
  expect(rest).toEqual({ name: "none", isSimulated: false, gpus: 0, fault: null });
  expect(note).toMatch(/nvidia-smi is not on the PATH, and .*no-nvml\.so cannot be loaded/);
  expect(await found("none", { nvidiaSmi: program })).toMatchObject({ gpus: 0, fault: null });
});

it("tells what is wrong where nvidia-smi was asked for and is missing", async () => {
  const { name, fault } = await found("nvidia-smi", {});
  expect(name).toBe("nvidia-smi");
  expect(fault).toContain("is not installed or not on the PATH");
});

it("takes nvidia-smi in the place of an NVML that cannot be loaded, and says why", async () => {
  const { name, gpus, note } = await found("nvml", { nvidiaSmi: program });
  expect({ name, gpus }).toEqual({ name: "nvidia-smi", gpus: 2 });
  expect(note).toMatch(/NVML is not used: .*no-nvml\.so cannot be loaded/);
});

it.skipIf(compiled === undefined)("takes NVML where it is asked for, or is all there is", async () => {
  expect(await found("nvml", { nvidiaSmi: program, nvmlLibrary: compiled ?? "" })).toMatchObject({
    name: "nvml",
    gpus: 4,
  });
  expect(await found("auto", { nvmlLibrary: compiled ?? "" })).toMatchObject({ name: "nvml", gpus: 4 });
});

it("simulates", async () => {
  const devices = await openDevices(
    {
      source: "simulated",
      simulation: parseSimulationSpec("3xH100-80GB"),
      simulatedFaultsPath: undefined,
      intervalMs: 200,
    },
    { logger: createLogger("test", "silent"), isHeld: (index) => index === 1 },
  );
  expect(devices.isSimulated).toBe(true);
  expect(devices.latest().gpus.map(({ utilisationPercent }) => (utilisationPercent ?? 0) > 0)).toEqual([
    false,
    true,
    false,
  ]);
});

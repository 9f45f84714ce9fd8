import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "@attune/service-kit/create-logger.ts";
import {
  type FakeNvidiaSmi,
  type FakeSmiState,
  fakeSmiGpu,
  makeFakeNvidiaSmi,
} from "@attune/testkit/fake-nvidia-smi.ts";
import { descendantsOf, until } from "@attune/testkit/processes.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { DeviceProvider } from "../device-provider.ts";
import { createNvidiaSmiProvider } from "./create-nvidia-smi-provider.ts";

const four = [0, 1, 2, 3].map((index) => fakeSmiGpu(index));
const uuidOf = (index: number): string => fakeSmiGpu(index)["uuid"] ?? "";

let folder: string;
let log: string[];
const providers: DeviceProvider[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "attune-smi-"));
  log = [];
});
afterEach(async () => {
  await Promise.all(providers.splice(0).map((provider) => provider.close()));
  await rm(folder, { recursive: true });
});

function create(program: string): DeviceProvider {
  const logger = createLogger("test", "debug", { write: (line: string) => void log.push(line) });
  const provider = createNvidiaSmiProvider({ program, intervalMs: 100, logger });
  providers.push(provider);
  return provider;
}
async function start(state: FakeSmiState): Promise<{ fake: FakeNvidiaSmi; provider: DeviceProvider }> {
  const fake = await makeFakeNvidiaSmi(folder, state);
  const provider = create(fake.program);
  await provider.start();
  return { fake, provider };
}
const comes = (provider: DeviceProvider, what: (sample: ReturnType<DeviceProvider["latest"]>) => boolean) =>
  until(() => what(provider.latest()), 15_000, JSON.stringify(provider.latest()));

describe("the GPUs of nvidia-smi", () => {
  it("have figures at the start, and new ones all the time", async () => {
    const { fake, provider } = await start({ gpus: four, apps: [[uuidOf(1), 4711, "1234"]] });
    const sample = provider.latest();
    expect(sample).toMatchObject({ driver: "580.65.06", cuda: "13.0", fault: null, note: null });
    expect(sample.gpus.map(({ index, uuid }) => [index, uuid])).toEqual(
      [0, 1, 2, 3].map((index) => [index, uuidOf(index)]),
    );
    expect(sample.gpus[1]).toMatchObject({
      name: "NVIDIA H100 80GB HBM3",
      memoryTotalMb: 81_559,
      powerLimitW: 700,
      fanPercent: null,
      migMode: "Disabled",
      processes: [{ pid: 4711, memoryMb: 1234 }],
    });
    await fake.set({ gpus: [fakeSmiGpu(0, { "utilization.gpu": "97" }), ...four.slice(1)] });
    await comes(provider, ({ gpus }) => gpus[0]?.utilisationPercent === 97 && gpus[1]?.processes?.length === 0);
    expect(provider.latest().takenAtMs).toBeGreaterThan(sample.takenAtMs);
  });

  it("have unknown users while processes cannot be seen, with the reason, and known ones again", async () => {
    const apps = [[uuidOf(1), 4711, "69000"]] as const;
    const { fake, provider } = await start({ gpus: four, apps });
    const text = "Unable to determine the device handle for GPU0: Unknown Error";
    await fake.set({ gpus: four, apps, appsFailure: { text, status: 15 } });
    await comes(provider, ({ gpus }) => gpus.every(({ processes }) => processes === null));
    expect(provider.latest()).toMatchObject({ fault: null, note: expect.stringContaining(text) as string });
    await fake.set({ gpus: four, apps });
    await comes(provider, ({ gpus, note }) => note === null && gpus[1]?.processes?.[0]?.pid === 4711);
    expect(provider.latest().gpus[0]?.processes).toEqual([]);
  });

  it("are asked only for what the driver knows", async () => {
    const { provider } = await start({ gpus: four, lacks: ["mig.mode.current", "power.limit"] });
    expect(provider.latest().gpus[0]).toMatchObject({ migMode: null, powerLimitW: null, powerW: 71.12 });
  });

  it("are told one by one when they vanish and come back", async () => {
    const { fake, provider } = await start({
      gpus: four,
      noise: ["WARNING: infoROM is corrupted at gpu 0000:1B:00.0"],
    });
    await fake.set({ gpus: four.filter((_, index) => index !== 2) });
    await comes(provider, ({ gpus }) => gpus[2]?.fault !== null);
    const { gpus, fault } = provider.latest();
    expect(fault).toBeNull();
    expect(gpus.map((gpu) => gpu.fault === null)).toEqual([true, true, false, true]);
    expect(gpus[2]).toMatchObject({ index: 2, uuid: uuidOf(2), memoryUsedMb: null, temperatureC: null });
    expect(log.filter((line) => line.includes("A GPU cannot be used"))).toHaveLength(1);
    await fake.set({ gpus: four });
    await comes(provider, (sample) => sample.gpus[2]?.fault === null);
    expect(log.join("")).toContain("A GPU can be used again");
    expect(provider.latest().gpus).toHaveLength(4);
  });

  it("keep their index when the driver counts anew, and cannot be used until the agent is started again", async () => {
    const { fake, provider } = await start({ gpus: four });
    await fake.set({ gpus: [fakeSmiGpu(0), fakeSmiGpu(2, { index: "1" }), fakeSmiGpu(3, { index: "2" })] });
    await comes(provider, ({ gpus }) => gpus[1]?.fault !== null);
    const { gpus } = provider.latest();
    expect(gpus.map(({ uuid }) => uuid)).toEqual([0, 1, 2, 3].map(uuidOf));
    expect(gpus.map(({ fault }) => fault?.slice(0, 24))).toEqual([
      undefined,
      "The driver does not list",
      "The driver calls it 1 no",
      "The driver calls it 2 no",
    ]);
  });

  it("are followed by single calls while the program runs and says nothing", async () => {
    const { provider, fake } = await start({ gpus: four });
    await fake.set({ gpus: [fakeSmiGpu(0, { "temperature.gpu": "88" }), ...four.slice(1)], isSilent: true });
    await comes(provider, ({ gpus }) => gpus[0]?.temperatureC === 88);
    expect(provider.latest().fault).toBeNull();
  });

  it("are seen again after the program ended", async () => {
    const { provider } = await start({ gpus: four, endsAfter: 3 });
    const { takenAtMs } = provider.latest();
    await comes(provider, ({ fault }) => fault?.includes("ended with status 0") === true);
    await comes(provider, (sample) => sample.fault === null && sample.takenAtMs > takenAtMs + 1000);
    expect(log.filter((line) => line.includes("The GPUs can be looked at again")).length).toBeGreaterThan(0);
  });

  it("are not to be seen while the driver fails, with the reason, and seen again afterwards", async () => {
    const { provider, fake } = await start({ gpus: four });
    const text = "Failed to initialize NVML: Driver/library version mismatch";
    await fake.set({ gpus: four, failure: { text, status: 18 } });
    await comes(provider, ({ fault, gpus }) => fault?.includes("seconds ago") === true && gpus[0]?.powerW === null);
    expect(provider.latest().fault).toContain("different versions; restart the machine");
    expect(provider.latest().gpus).toHaveLength(4);
    await fake.set({ gpus: four });
    await comes(provider, ({ fault, note, gpus }) => fault === null && note === null && gpus[0]?.powerW === 71.12);
  });
});

describe("a start", () => {
  it.each([
    ["No devices were found", 6, "finds no GPUs"],
    ["NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.", 9, "not loaded"],
  ])("tells why there are no GPUs: %s", async (text, status, reason) => {
    const { provider } = await start({ gpus: [], failure: { text, status } });
    expect(provider.latest()).toMatchObject({
      takenAtMs: 0,
      gpus: [],
      fault: expect.stringContaining(reason) as string,
    });
  });

  it("tells that the program is missing", async () => {
    const provider = create(join(folder, "nothing"));
    await provider.start();
    expect(provider.latest()).toMatchObject({ gpus: [], fault: expect.stringContaining("not on the PATH") as string });
  });
});

it("leaves no process when it is closed", async () => {
  const before = descendantsOf(process.pid).length;
  const { provider } = await start({ gpus: four });
  expect(descendantsOf(process.pid).length).toBeGreaterThan(before);
  await provider.close();
  await until(() => descendantsOf(process.pid).length <= before, 5000, "the end of the children");
});

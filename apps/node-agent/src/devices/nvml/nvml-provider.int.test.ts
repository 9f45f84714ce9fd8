import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "@attune/service-kit/create-logger.ts";
import { compileFakeNvml } from "@attune/testkit/fake-nvml.ts";
import { until } from "@attune/testkit/processes.ts";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import type { DeviceProvider } from "../device-provider.ts";
import { createNvmlProvider, findNvmlObstacle, readLook } from "./create-nvml-provider.ts";

const folder = await mkdtemp(join(tmpdir(), "attune-nvml-"));
const library = await compileFakeNvml(folder);
if (library === undefined) console.warn("skipped: NVML: there is no C compiler to make a library with");

const providers: DeviceProvider[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(providers.splice(0).map((provider) => provider.close()));
});
afterAll(() => rm(folder, { recursive: true }));

async function start(path: string): Promise<DeviceProvider> {
  const provider = createNvmlProvider({ intervalMs: 100, library: path, logger: createLogger("test", "silent") });
  providers.push(provider);
  await provider.start();
  return provider;
}

describe.skipIf(library === undefined)("the GPUs of NVML", () => {
  it("have figures, and null for those that the driver does not have", async () => {
    const provider = await start(library ?? "");
    const sample = provider.latest();
    expect(sample).toMatchObject({ driver: "580.65.06", cuda: "13.1", fault: null, note: null });
    expect(sample.gpus).toHaveLength(4);
    expect(sample.gpus[1]).toEqual({
      index: 1,
      uuid: "GPU-00000001-aaaa-bbbb-cccc-dddddddddddd",
      name: "NVIDIA H100, 80GB",
      memoryTotalMb: 81_559,
      memoryUsedMb: 2048,
      memoryFreeMb: 79_011,
      utilisationPercent: 25,
      memoryUtilisationPercent: 10,
      temperatureC: 61,
      powerW: 350.12,
      powerLimitW: 700,
      smClockMhz: 1980,
      memoryClockMhz: 2619,
      fanPercent: null,
      performanceState: "P2",
      eccUncorrected: 7 * 2 ** 33,
      migMode: "Disabled",
      fault: null,
      processes: [
        { pid: 4711, memoryMb: 1234 },
        { pid: 4712, memoryMb: null },
      ],
    });
    expect(sample.gpus[0]?.performanceState).toBeNull();
    expect(sample.gpus[2]?.migMode).toBe("Enabled");
    expect(sample.gpus[3]).toMatchObject({ powerW: null, powerLimitW: 700 });
    await until(() => provider.latest().takenAtMs > sample.takenAtMs, 10_000, "a second look");
  });

  it("have unknown users where the driver does not tell them, and known ones by an older function of it", async () => {
    vi.stubEnv("FAKE_NVML_PROCESSES", "4");
    const silent = await start(library ?? "");
    expect(silent.latest().gpus.map(({ processes }) => processes)).toEqual([null, null, null, null]);
    vi.stubEnv("FAKE_NVML_PROCESSES", "13");
    const older = await start(library ?? "");
    expect(older.latest().gpus.map(({ processes }) => processes?.length)).toEqual([0, 2, 0, 0]);
  });

  it("are told when one is lost, and the others go on", async () => {
    const lost = join(folder, "lost");
    await writeFile(lost, "");
    vi.stubEnv("FAKE_NVML_LOST", lost);
    const provider = await start(library ?? "");
    expect(provider.latest().gpus.map(({ fault }) => fault)).toEqual([null, null, null, null]);
    await writeFile(lost, "2");
    await until(() => provider.latest().gpus[2]?.fault !== null, 10_000, "the fault");
    expect(provider.latest().gpus[2]).toMatchObject({
      uuid: "GPU-00000002-aaaa-bbbb-cccc-dddddddddddd",
      fault: "The driver says: GPU is lost. Restart the machine.",
      memoryUsedMb: null,
    });
    expect(provider.latest().gpus[3]).toMatchObject({ fault: null, temperatureC: 61 });
  });

  it("are not there, with what the driver says, when it cannot be made ready", async () => {
    vi.stubEnv("FAKE_NVML_INIT", "18");
    const provider = await start(library ?? "");
    expect(provider.latest().gpus).toEqual([]);
    expect(provider.latest().fault).toMatch(
      /different versions; restart the machine.*Driver\/library version mismatch/,
    );
    expect(await findNvmlObstacle(library)).toBeUndefined();
  });

  it("are seen again when the reader was killed", async () => {
    const provider = await start(library ?? "");
    const before = provider.latest().takenAtMs;
    const { readdirSync, readFileSync } = await import("node:fs");
    const readers = readdirSync("/proc").filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(`follow\0${library}`);
      } catch {
        return false;
      }
    });
    expect(readers).toHaveLength(1);
    process.kill(Number(readers[0]), "SIGKILL");
    await until(() => provider.latest().fault?.includes("SIGKILL") === true, 10_000, "the end is told");
    await until(() => provider.latest().fault === null, 10_000, "a new reader");
    expect(provider.latest().takenAtMs).toBeGreaterThan(before);
  });
});

it("are not looked for where there is no such library, with the reason", async () => {
  expect(await findNvmlObstacle(join(folder, "libnothing.so.1"))).toMatch(/libnothing\.so\.1 cannot be loaded/);
});

it("takes a line for a look only when its reader has finished it", () => {
  const look = { driver: "580.1", cuda: null, gpus: [], note: null };
  const line = JSON.stringify(look);
  expect(readLook(line)).toEqual(look);
  for (const words of [line.slice(0, -1), "{", "NVML: Driver Not Loaded"]) expect(readLook(words)).toBe(undefined);
});
